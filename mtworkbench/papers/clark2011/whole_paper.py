"""All of Clark et al. (2011), compared with what comes out here: each claim, table and figure as a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from mtworkbench.papers.clark2011.claims import examine_bootstrap_errors, examine_claims, examine_settings
from mtworkbench.papers.clark2011.judging import judge_claims
from mtworkbench.papers.clark2011.nulls import arrange_bootstrap_errors, count_uses, read_bootstrap_errors
from mtworkbench.papers.clark2011.published import (
    arrange_beside,
    arrange_table2,
    arrange_wrong_order,
    figures_beside_paper,
    read_computed,
    table1_beside_paper,
    wrong_order_beside_paper,
)
from mtworkbench.papers.clark2011.randomization import tabulate_both_exchanges
from mtworkbench.papers.clark2011.scores import choose_pairs
from mtworkbench.papers.clark2011.variance import tabulate_variance
from mtworkbench.progress import Progress
from mtworkbench.resampling import RngLike
from mtworkbench.statistics.segment_statistics import SegmentStatistics

Runs = Mapping[str, Sequence[SegmentStatistics]]


def compare_with_paper(
    test: Runs, dev: Runs, *, progress: Progress | None = None, rng: RngLike = None
) -> dict[str, pd.DataFrame]:
    """Compare every claim, table and figure of Clark et al. (2011) with what comes out here.

    Claims about the optimizer and about the bootstrap's errors are of the data that ship, whatever is given.

    Parameters
    ----------
    test, dev : mapping of str to sequence of SegmentStatistics
        As of `tabulate_variance`. The claims are examined under the first metric.
    progress : callable, optional
        Wraps the draws of `randomize_drawn_runs`, which take longest.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    dict of str to DataFrame
        "claims" (of `judge_claims`), "Table 1", "Figures 1 and 2", "Single runs in the wrong order (%)", "Table 2",
        and two further tables: "Type I errors of the bootstrap (%)", "Runs that MultEval uses twice".
    """
    claims, p_values = [], []
    for corpus, (a, b) in choose_pairs(test).items():
        table, drawn = tabulate_both_exchanges(a, b, corpus=corpus, progress=progress, rng=rng)
        p_values.append(table)
        tuning = dev[corpus][0] if corpus in dev else None
        options = {"corpus": corpus, "drawn": drawn["run"], "by_unit": drawn["unit"], "rng": rng}
        claims.append(examine_claims(test[corpus][0], tuning, **options))
    claims += [examine_settings(read_computed("settings")), examine_bootstrap_errors(read_bootstrap_errors())]
    table1 = tabulate_variance(test, dev, rng=rng)
    return {
        "claims": judge_claims(pd.concat(claims)),
        "Table 1": arrange_beside(table1_beside_paper(table1)),
        "Figures 1 and 2": arrange_beside(figures_beside_paper(test)),
        "Single runs in the wrong order (%)": arrange_wrong_order(wrong_order_beside_paper(table1)),
        "Table 2": arrange_table2(pd.concat(p_values)),
        "Type I errors of the bootstrap (%)": arrange_bootstrap_errors(read_bootstrap_errors()),
        "Runs that MultEval uses twice": count_uses(),
    }
