"""What Clark et al. (2011) print, compared with what comes out here: quantity, paper, here, difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.inference.results import T_DIGITS, digits_of_trials, show_p
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.studies.clark2011.randomization import RANDOM
from mtworkbench.studies.clark2011.runs import choose_pairs
from mtworkbench.studies.clark2011.scores import project_wrong_order, summarize_overlap
from mtworkbench.studies.koehn2004.published import lay_beside

#: How far a number of Table 1 may be from what was rounded.
PRINTED_ROUNDING = 0.05
#: At which a hypothesis is rejected, and how many decimals a p near it may get.
LEVEL, MOST_DIGITS = 0.05, 9
#: The baseline and the experimental system of each corpus.
PUBLISHED_SYSTEMS = ["A", "B"]
#: Of Table 2 and of Figures 1 and 2.
PUBLISHED_METRIC = "BLEU"
DEVIATIONS = ("average", "s_sel", "s_dev", "s_test")


def read_published(name: str) -> pd.DataFrame:
    """Read a table of the paper (``table1``, ``table2``, ``figures``) as it is printed."""
    return pd.read_csv(find_shipped(f"data/published/clark2011_{name}.csv"))


def has_published(corpus: str, systems: Sequence[str]) -> bool:
    """Return whether the paper has these two systems, by its names of the corpus and of both systems.

    Parameters
    ----------
    corpus : str
    systems : sequence of str
        The first two count: the paper's are A and B, in this order.
    """
    return list(systems)[:2] == PUBLISHED_SYSTEMS and corpus in set(read_published("table1")["corpus"])


def read_computed(name: str) -> pd.DataFrame:
    """Read results that a script computed from the made-up replications in some minutes.

    Parameters
    ----------
    name : {"p_values", "sizes", "knobs"}
        The draws behind Table 2; the sizes of tests; the settings of the optimizer. ``data/clark2011/README.md`` names
        the scripts.
    """
    return pd.read_csv(find_shipped(f"data/clark2011/{name}.csv"))


def table1_beside_paper(table: pd.DataFrame) -> pd.DataFrame:
    """Compare averages and standard deviations with Table 1: see `lay_beside`.

    Parameters
    ----------
    table : DataFrame
        Of `tabulate_variance`. Corpora, metrics or pairs of systems that the paper does not have get NaN in its column.
    """
    paper = read_published("table1")
    return lay_beside(_deviations(paper[paper["corpus"].isin(_published_corpora(table))]), _deviations(table))


def table2_beside_paper(table: pd.DataFrame) -> pd.DataFrame:
    """Compare p-values with Table 2: see `lay_beside`.

    Parameters
    ----------
    table : DataFrame
        Of `tabulate_p_values`, with a column ``corpus``; with a column ``exchange`` ("run", "unit") where both were
        computed: the paper's numbers are compared with those by run.
    """
    return lay_beside(_p_values(published_p_values(table)), _p_values(table))


def published_p_values(table: pd.DataFrame) -> pd.DataFrame:
    """Return those rows of the paper's Table 2 that are of the corpora and systems of a table.

    Parameters
    ----------
    table : DataFrame
        Of `tabulate_p_values`, with a column ``corpus``.
    """
    corpora = [
        corpus
        for corpus, part in table.groupby("corpus", sort=False)
        if "baseline" not in part  # the paper's own table
        or part["metric"].iloc[0] == PUBLISHED_METRIC
        and has_published(corpus, part.iloc[0][["baseline", "experimental"]])
    ]
    printed = read_published("table2")
    return printed[printed["corpus"].isin(corpora)]


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

    Raises
    ------
    InputError
        Where a corpus has a single system (``too-few-systems``).
    """
    here, units = {}, []
    known = set()
    for corpus, pair in choose_pairs(test).items():
        (a, b), metric = (system.system for system in pair), pair[0].metric.name
        if metric == PUBLISHED_METRIC and has_published(corpus, (a, b)):
            known.add(corpus)
        found = summarize_overlap(*pair).iloc[0]
        runs = {a: int(found["baseline_runs"]), b: int(found["experimental_runs"])}
        if runs[a] == runs[b]:
            runs = {"each system": runs[a]}
        here |= {f"{corpus}: runs of {name}": number for name, number in runs.items()}
        here[f"{corpus}: mean score of {a}"] = found["baseline_mean"]
        here[f"{corpus}: mean score of {b}"] = found["experimental_mean"]
        here[f"{corpus}: mean difference of {b} and {a}"] = found["difference"]
        one_pair = found["baseline_runs"] == found["experimental_runs"] == 1  # its order is that of the means
        wrong_order = np.nan if one_pair else found["wrong_order_percent"]
        here[f"{corpus}: single runs of each in the wrong order (%)"] = wrong_order
        units += ["runs"] * len(runs) + [metric] * 3 + ["%"]
    printed = zip(_OF_FIGURES, read_published("figures")["paper"], strict=True)
    paper = {name: value for name, value in printed if name.partition(":")[0] in known}
    return lay_beside(paper, here).assign(unit=units)


def arrange_figures(figures: pd.DataFrame, *, digits: int = 2) -> pd.DataFrame:
    """Arrange the comparison with the paper's Figures 1 and 2: see `arrange_beside`.

    Parameters
    ----------
    figures : DataFrame
        Of `figures_beside_paper`.
    digits : int
    """
    return arrange_beside(figures, digits=digits)


def arrange_beside(beside: pd.DataFrame, *, digits: int = 2) -> pd.DataFrame:
    """Arrange a comparison with the paper: numbers rounded, numbers of runs whole, a dash for a missing number.

    Parameters
    ----------
    beside : DataFrame
        Of `table1_beside_paper` or `figures_beside_paper`. Where the paper has none of the numbers, its columns are
        left out.
    digits : int
    """
    units = beside.get("unit", pd.Series("", index=beside.index))
    shown = beside[["quantity"]].copy()
    for column in ("paper", "here", "difference"):
        if column == "here" or beside["paper"].notna().any():
            pairs = zip(beside[column], np.where(units == "runs", 0, digits), strict=True)
            # A difference may round to 0, a quantity may not.
            shown[column] = [show_value(value, places, zero=column == "difference") for value, places in pairs]
    return shown.set_index("quantity")


def wrong_order_beside_paper(table: pd.DataFrame) -> pd.DataFrame:
    """Compare how often single runs would show the wrong order, here and by the paper's Table 1.

    Parameters
    ----------
    table : DataFrame
        Of `tabulate_variance`.

    Returns
    -------
    DataFrame
        One row per corpus and metric: ``corpus``, ``metric``, ``paper`` (percent, see `project_wrong_order`),
        ``paper_low``, ``paper_high`` (what the rounding of Table 1 allows; NaN for what the paper does not have),
        ``here`` (by the same formula), ``difference`` (of the averages here).
    """
    keys = ["corpus", "metric"]
    paper = project_wrong_order(read_published("table1"), rounding=PRINTED_ROUNDING)
    paper = paper[paper["corpus"].isin(_published_corpora(table))]
    paper = paper.rename(columns={"wrong_order_percent": "paper", "low": "paper_low", "high": "paper_high"})
    here = project_wrong_order(table).rename(columns={"wrong_order_percent": "here"})
    columns = [*keys, "paper", "paper_low", "paper_high"]
    merged = here[[*keys, "here", "difference"]].merge(paper[columns], on=keys, how="left")
    return merged[[*columns, "here", "difference"]]


def arrange_wrong_order(frame: pd.DataFrame) -> pd.DataFrame:
    """Arrange the comparison of wrong orders, in percent; the paper's columns are shown only if it has a number.

    Parameters
    ----------
    frame : DataFrame
        Of `wrong_order_beside_paper`.
    """
    shown = frame[["corpus", "metric"]].copy()
    if frame["paper"].notna().any():
        shown["by the paper's Table 1 (%)"] = [show_value(value, 1) for value in frame["paper"]]
        ends = zip(frame["paper_low"], frame["paper_high"], strict=True)
        ranges = ["-" if low != low else f"{low:.2g} to {high:.2g}" for low, high in ends]
        shown["range that its rounding allows (%)"] = ranges
    shown["here (%)"] = [show_value(value, 1) for value in frame["here"]]
    return shown.set_index(["corpus", "metric"])


def show_value(value: float, digits: int, *, zero: bool = False) -> str:
    """Write a number with a given number of decimals, and a missing number as a dash.

    What is not 0 is not rounded to 0, unless ``zero`` allows it: it gets two significant digits.
    """
    if np.isnan(value):
        return "-"
    shown = f"{value:.{digits}f}"
    if float(shown) != 0:
        return shown
    if zero or value == 0:
        return shown.removeprefix("-")
    return np.format_float_positional(value, precision=2, fractional=False, trim="-")


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
    """Arrange averages and deviations as Table 1 prints them: rounded, but never to 0; a dash for a missing number.

    Parameters
    ----------
    table : DataFrame
        Of `tabulate_variance`, or of the paper.
    digits : int
    """
    shown = table.set_index(["corpus", "metric", "system"])[list(DEVIATIONS)]
    return shown.map(lambda value: show_value(value, digits))


def arrange_table2(table: pd.DataFrame, *, beside_paper: bool = True) -> pd.DataFrame:
    """Arrange p-values as Table 2 prints them: one row per kind of experiment, one column per corpus.

    Parameters
    ----------
    table : DataFrame
        Of `tabulate_p_values` with ``corpus``; with ``exchange`` ("run", "unit"), each has its column.
    beside_paper : bool
        Whether the paper's column is shown, as printed, before those of a corpus that the paper has.
    """
    columns = {}
    for corpus, part in table.groupby("corpus", sort=False):
        printed = published_p_values(part)
        if beside_paper and len(printed):
            columns[f"{corpus}, paper"] = _p_cells(printed)
        if "exchange" not in part:
            columns[corpus] = _p_cells(part)
            continue
        for exchange, one in part.groupby("exchange", sort=False):
            columns[f"{corpus}, by {exchange}"] = _p_cells(one)
    rows = list(dict.fromkeys(table[list(_EXPERIMENT)].itertuples(index=False, name=None)))
    return pd.DataFrame(columns).reindex(rows).fillna("")


def arrange_tests(tests: pd.DataFrame) -> pd.DataFrame:
    """Arrange the p-values of several tests: one row per test, one column per number of runs of each system.

    Parameters
    ----------
    tests : DataFrame
        Of `tabulate_tests`. A dash stands where a test has no answer.
    """
    shown = tests.assign(p=[show_test_p(row) for row in tests.itertuples()])
    arranged = shown.pivot(index="test", columns="n_runs", values="p")
    arranged = arranged.loc[list(dict.fromkeys(tests["test"]))]
    arranged.columns = [f"{number} run{'s' if number > 1 else ''}" for number in arranged.columns]
    return arranged


def show_test_p(row: Any) -> str:
    """Write the p of a row of `tabulate_tests`: with the decimals that its trials carry, or three without trials.

    A p above the level that would be rounded to the level gets the further decimals that show it.
    """
    if np.isnan(row.p_value):
        return "-"
    digits = digits_of_trials(row.n_trials) if row.test.startswith("exchange") else T_DIGITS
    while row.p_value > LEVEL and digits < MOST_DIGITS and float(show_p(row.p_value, digits)) <= LEVEL:
        digits += 1
    return show_p(row.p_value, digits)


_EXPERIMENT = ("n", "system_a", "system_b")


def _p_cells(table: pd.DataFrame) -> pd.Series:
    cells = []
    for row in table.itertuples():
        n_trials = getattr(row, "n_trials", None)  # the paper's p have none and stay as they are printed
        ends = [
            f"{p:g}" if n_trials is None else show_p(p, digits_of_trials(n_trials)) for p in (row.p_low, row.p_high)
        ]
        cells.append(ends[0] if row.system_a != RANDOM else " to ".join(ends))
    return pd.Series(cells, index=pd.MultiIndex.from_frame(table[list(_EXPERIMENT)]), dtype=object)


def p_name(corpus: str, n: int, system_a: str, system_b: str, end: str = "") -> str:
    """Name a p-value of Table 2."""
    if system_a != RANDOM:
        return f"{corpus}, one run each, A {system_a} and B {system_b}: p"
    return f"{corpus}, {n} run{'s' if n > 1 else ''} each: p, {end} end of 95 %"


def _published_corpora(table: pd.DataFrame) -> list[str]:
    """Return the corpora of a table with a column ``system`` that the paper has with the same two systems."""
    systems = table.groupby("corpus", sort=False)["system"].agg(lambda names: list(dict.fromkeys(names)))
    return [corpus for corpus, names in systems.items() if has_published(corpus, names)]


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
            by_unit = getattr(row, "exchange", "run") == "unit"
            corpus = f"{row.corpus}, by unit" if by_unit else row.corpus
            name = p_name(corpus, row.n, row.system_a, row.system_b, {"low": "lower", "high": "upper"}[end])
            found[name] = getattr(row, f"p_{end}")
    return found
