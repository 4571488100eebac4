"""What Clark et al. (2011) print, beside what comes out here: quantity, paper, here, difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from mtworkbench.segment_statistics import SegmentStatistics
from mtworkbench.shipped import find_shipped
from mtworkbench.studies.clark2011.randomization import RANDOM
from mtworkbench.studies.clark2011.scores import summarize_overlap
from mtworkbench.studies.koehn2004.published import lay_beside

DEVIATIONS = ("average", "s_sel", "s_dev", "s_test")


def read_published(name: str) -> pd.DataFrame:
    """Read a table of the paper (``table1``, ``table2``, ``figures``) as it is printed."""
    return pd.read_csv(find_shipped(f"data/published/clark2011_{name}.csv"))


def read_computed(name: str) -> pd.DataFrame:
    """Read what takes minutes to compute from the made-up replications, and was computed by a script.

    Parameters
    ----------
    name : {"p_values", "sizes", "knobs"}
        The draws behind Table 2; the sizes of tests; the optimizer's knobs. ``data/clark2011/README.md`` names the
        scripts.
    """
    return pd.read_csv(find_shipped(f"data/clark2011/{name}.csv"))


def table1_beside_paper(table: pd.DataFrame) -> pd.DataFrame:
    """Lay averages and standard deviations beside Table 1: see `lay_beside`.

    Parameters
    ----------
    table : DataFrame
        Of `tabulate_variance`. Corpora, metrics or systems that the paper does not have get NaN in its column.
    """
    return lay_beside(_deviations(read_published("table1")), _deviations(table))


def table2_beside_paper(table: pd.DataFrame) -> pd.DataFrame:
    """Lay p-values beside Table 2: see `lay_beside`.

    Parameters
    ----------
    table : DataFrame
        Of `tabulate_p_values`, with a column ``corpus`` before the others.
    """
    return lay_beside(_p_values(read_published("table2")), _p_values(table))


def figures_beside_paper(test: Mapping[str, Sequence[SegmentStatistics]]) -> pd.DataFrame:
    """Compare the numbers that the paper gives for Figures 1 and 2 with those of these runs: see `lay_beside`.

    Parameters
    ----------
    test : mapping of str to sequence of SegmentStatistics
        As of `tabulate_variance`; of each corpus the first two systems are looked at, under the first metric. The
        paper's are "BTEC" and "WMT", systems A and B, BLEU.

    Returns
    -------
    DataFrame
        As of `lay_beside`, with ``unit``: "runs", the metric's name or "%". Where the systems have different numbers of
        runs, each number has its row.
    """
    here, units = {}, []
    for corpus, (family, *_) in test.items():
        a, b, *_ = family
        found = summarize_overlap(family[a], family[b]).iloc[0]
        runs = {a: int(found["baseline_runs"]), b: int(found["experimental_runs"])}
        if runs[a] == runs[b]:
            runs = {"each system": runs[a]}
        here |= {f"{corpus}: runs of {name}": number for name, number in runs.items()}
        here[f"{corpus}: mean score of {a}"] = found["baseline_mean"]
        here[f"{corpus}: mean score of {b}"] = found["experimental_mean"]
        here[f"{corpus}: mean difference of {b} and {a}"] = found["difference"]
        here[f"{corpus}: single runs of each in the wrong order (%)"] = found["wrong_order_percent"]
        units += ["runs"] * len(runs) + [family.metric.name] * 3 + ["%"]
    paper = dict(zip(_OF_FIGURES, read_published("figures")["paper"], strict=True))
    return lay_beside(paper, here).assign(unit=units)


def arrange_figures(figures: pd.DataFrame, *, digits: int = 2) -> pd.DataFrame:
    """Arrange the comparison with the paper's Figures 1 and 2.

    Numbers are rounded, numbers of runs are whole, and a dash stands for a missing number.

    Parameters
    ----------
    figures : DataFrame
        Of `figures_beside_paper`.
    digits : int
    """
    decimals = np.where(figures["unit"] == "runs", 0, digits)
    shown = figures[["quantity"]].copy()
    for column in ("paper", "here", "difference"):
        pairs = zip(figures[column], decimals, strict=True)
        shown[column] = ["-" if np.isnan(value) else f"{value:.{places}f}" for value, places in pairs]
    return shown.set_index("quantity")


# What the rows of the paper's figures are called here.
_OF_FIGURES = (
    "BTEC: runs of each system",
    "BTEC: mean score of A",
    "BTEC: mean score of B",
    "BTEC: mean difference of B and A",
    "WMT: runs of each system",
    "WMT: mean difference of B and A",
)


def arrange_table1(table: pd.DataFrame, *, digits: int = 1) -> pd.DataFrame:
    """Arrange averages and deviations as Table 1 prints them, rounded; a dash where there is no number.

    Parameters
    ----------
    table : DataFrame
        Of `tabulate_variance`, or of the paper.
    digits : int
    """
    shown = table.set_index(["corpus", "metric", "system"])[list(DEVIATIONS)]
    return shown.map(lambda value: "-" if np.isnan(value) else f"{value:.{digits}f}")


def arrange_table2(table: pd.DataFrame, *, beside_paper: bool = True) -> pd.DataFrame:
    """Arrange p-values as Table 2 prints them: a row a kind of experiment, a column a corpus.

    Parameters
    ----------
    table : DataFrame
        Of `tabulate_p_values` with ``corpus``.
    beside_paper : bool
        Whether the paper's column stands before that of a corpus which it has.
    """
    columns = {}
    for corpus, part in table.groupby("corpus", sort=False):
        printed = read_published("table2").query("corpus == @corpus")
        if beside_paper and len(printed):
            columns[f"{corpus}, paper"] = _p_cells(printed)
        columns[corpus] = _p_cells(part)
    rows = list(dict.fromkeys(table[list(_EXPERIMENT)].itertuples(index=False, name=None)))
    return pd.DataFrame(columns).reindex(rows).fillna("")


_EXPERIMENT = ("n", "system_a", "system_b")


def _p_cells(table: pd.DataFrame) -> pd.Series:
    cells = [
        f"{row.p_low:.2g}" if row.system_a != RANDOM else f"{row.p_low:.2g} to {row.p_high:.2g}"
        for row in table.itertuples()
    ]
    return pd.Series(cells, index=pd.MultiIndex.from_frame(table[list(_EXPERIMENT)]), dtype=object)


def p_name(corpus: str, n: int, system_a: str, system_b: str, end: str = "") -> str:
    """Name a p-value of Table 2."""
    if system_a != RANDOM:
        return f"{corpus}, one run each, A {system_a} and B {system_b}: p"
    return f"{corpus}, {n} run{'s' if n > 1 else ''} each: p, {end} end of 95 %"


def _deviations(table: pd.DataFrame) -> dict[str, float]:
    return {
        f"{row['corpus']} {row['metric']}, system {row['system']}: {name}": row[name]
        for _, row in table.iterrows()
        for name in DEVIATIONS
        if not np.isnan(row[name])
    }


def _p_values(table: pd.DataFrame) -> dict[str, float]:
    found = {}
    for row in table.itertuples():
        ends: Sequence[str] = ("low", "high") if row.system_a == RANDOM else ("low",)
        for end in ends:
            name = p_name(row.corpus, row.n, row.system_a, row.system_b, {"low": "lower", "high": "upper"}[end])
            found[name] = getattr(row, f"p_{end}")
    return found
