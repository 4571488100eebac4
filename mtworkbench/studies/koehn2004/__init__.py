"""Koehn (2004), "Statistical Significance Tests for Machine Translation Evaluation": its figures and tables as frames.

Every function returns a tidy frame with one row for each mark of the figure, for the made-up corpus and for the
reader's own systems alike.
"""

from mtworkbench.studies.koehn2004.bleu_up_close import (
    describe_orders,
    describe_rankings,
    describe_reference_counts,
    score_orders,
    score_reference_counts,
    score_references,
    tabulate_metrics,
    tabulate_systems,
)
from mtworkbench.studies.koehn2004.claims import (
    claims_beside_real,
    examine_claims,
    examine_reference_claims,
)
from mtworkbench.studies.koehn2004.documents import conclusions_by_unit, intervals_by_unit
from mtworkbench.studies.koehn2004.intervals import (
    compare_with_fresh_samples,
    grow_interval,
    interval_samples,
    summarize_assumption,
)
from mtworkbench.studies.koehn2004.lengths import (
    describe_lengths,
    made_up_at_lengths,
    real_at_lengths,
    score_lengths,
    vary_lengths,
)
from mtworkbench.studies.koehn2004.published import (
    arrange_table3,
    choose_figure_pairs,
    choose_pairs,
    figures_beside_paper,
    lay_beside,
    ordered_pairs,
    published_pairs,
    read_published,
    table1_beside_paper,
    table2_beside_paper,
    table3_beside_paper,
    table4_beside_paper,
)
from mtworkbench.studies.koehn2004.samples import (
    autocorrelate,
    choose_samples,
    difference_samples,
    score_samples,
    summarize_samplings,
)
from mtworkbench.studies.koehn2004.significance import (
    bin_by_difference,
    bin_conclusions,
    conclude,
    conclude_on_sizes,
    conclude_under_null,
    tabulate_conclusions,
)
from mtworkbench.studies.koehn2004.student_t import student_density, student_factors, student_interval

__all__ = [
    "arrange_table3",
    "autocorrelate",
    "bin_by_difference",
    "bin_conclusions",
    "choose_figure_pairs",
    "choose_pairs",
    "choose_samples",
    "claims_beside_real",
    "compare_with_fresh_samples",
    "conclude",
    "conclude_on_sizes",
    "conclude_under_null",
    "conclusions_by_unit",
    "describe_lengths",
    "describe_orders",
    "describe_rankings",
    "describe_reference_counts",
    "difference_samples",
    "examine_claims",
    "examine_reference_claims",
    "figures_beside_paper",
    "grow_interval",
    "interval_samples",
    "intervals_by_unit",
    "lay_beside",
    "made_up_at_lengths",
    "ordered_pairs",
    "published_pairs",
    "read_published",
    "real_at_lengths",
    "score_lengths",
    "score_orders",
    "score_reference_counts",
    "score_references",
    "score_samples",
    "student_density",
    "student_factors",
    "student_interval",
    "summarize_assumption",
    "summarize_samplings",
    "table1_beside_paper",
    "table2_beside_paper",
    "table3_beside_paper",
    "table4_beside_paper",
    "tabulate_conclusions",
    "tabulate_metrics",
    "tabulate_systems",
    "vary_lengths",
]
