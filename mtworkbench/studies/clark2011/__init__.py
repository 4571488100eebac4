"""Clark, Dyer, Lavie and Smith (2011), "Better Hypothesis Testing for Statistical Machine Translation": as frames.

Every function returns a tidy frame with one row for each mark of the figure, for the made-up replications and for the
reader's own runs alike. The paper's system A is the baseline, B the experimental system; a difference is experimental
- baseline.
"""

from mtworkbench.studies.clark2011.claims import (
    arrange_claims,
    claims_beside_real,
    examine_claims,
    examine_knobs,
)
from mtworkbench.studies.clark2011.knobs import turn_knob
from mtworkbench.studies.clark2011.nulls import (
    NULLS,
    arrange_sizes,
    compare_tests,
    explain_missing_tests,
    measure_sizes,
)
from mtworkbench.studies.clark2011.published import (
    arrange_figures,
    arrange_table1,
    arrange_table2,
    figures_beside_paper,
    read_computed,
    read_published,
    table1_beside_paper,
    table2_beside_paper,
)
from mtworkbench.studies.clark2011.randomization import (
    randomize_drawn_runs,
    randomize_single_runs,
    summarize_draws,
    tabulate_p_values,
)
from mtworkbench.studies.clark2011.runs import find_run, possible_replications, rank_runs, take_runs
from mtworkbench.studies.clark2011.scores import (
    bin_differences,
    bin_scores,
    draw_differences,
    median_elsewhere,
    summarize_differences,
    summarize_overlap,
)
from mtworkbench.studies.clark2011.shuffles import count_uses
from mtworkbench.studies.clark2011.variance import (
    compare_with_separate_sets,
    separate_test_sets,
    tabulate_variance,
)

__all__ = [
    "NULLS",
    "arrange_claims",
    "arrange_figures",
    "arrange_sizes",
    "arrange_table1",
    "arrange_table2",
    "bin_differences",
    "bin_scores",
    "claims_beside_real",
    "compare_tests",
    "compare_with_separate_sets",
    "count_uses",
    "draw_differences",
    "examine_claims",
    "examine_knobs",
    "explain_missing_tests",
    "figures_beside_paper",
    "find_run",
    "measure_sizes",
    "median_elsewhere",
    "possible_replications",
    "randomize_drawn_runs",
    "randomize_single_runs",
    "rank_runs",
    "read_computed",
    "read_published",
    "separate_test_sets",
    "summarize_differences",
    "summarize_draws",
    "summarize_overlap",
    "table1_beside_paper",
    "table2_beside_paper",
    "tabulate_p_values",
    "tabulate_variance",
    "take_runs",
    "turn_knob",
]
