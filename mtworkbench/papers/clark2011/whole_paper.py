"""All of Clark et al. (2011), compared with what comes out here: each claim, table and figure as a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from mtworkbench.papers import clark2011
from mtworkbench.papers.clark2011.randomization import tabulate_both_exchanges
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
    for corpus, (a, b) in clark2011.choose_pairs(test).items():
        table, drawn = tabulate_both_exchanges(a, b, corpus=corpus, progress=progress, rng=rng)
        p_values.append(table)
        tuning = dev[corpus][0] if corpus in dev else None
        options = {"corpus": corpus, "drawn": drawn["run"], "by_unit": drawn["unit"], "rng": rng}
        claims.append(clark2011.examine_claims(test[corpus][0], tuning, **options))
    claims += [
        clark2011.examine_settings(clark2011.read_computed("settings")),
        clark2011.examine_bootstrap_errors(clark2011.read_bootstrap_errors()),
    ]
    table1 = clark2011.tabulate_variance(test, dev, rng=rng)
    return {
        "claims": clark2011.judge_claims(pd.concat(claims)),
        "Table 1": clark2011.arrange_beside(clark2011.table1_beside_paper(table1)),
        "Figures 1 and 2": clark2011.arrange_beside(clark2011.figures_beside_paper(test)),
        "Single runs in the wrong order (%)": clark2011.arrange_wrong_order(clark2011.wrong_order_beside_paper(table1)),
        "Table 2": clark2011.arrange_table2(pd.concat(p_values)),
        "Type I errors of the bootstrap (%)": clark2011.arrange_bootstrap_errors(clark2011.read_bootstrap_errors()),
        "Runs that MultEval uses twice": clark2011.count_uses(),
    }
