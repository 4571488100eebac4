"""What Clark et al. (2011) print, compared with what comes out here: quantity, paper, here, difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.papers.clark2011.nulls import read_sizes
from mtworkbench.papers.clark2011.randomization import RANDOM
from mtworkbench.papers.clark2011.scores import Families, choose_pairs, project_wrong_order, summarize_overlap
from mtworkbench.papers.common.claims import cells_of, lay_beside
from mtworkbench.shipped import find_shipped
from mtworkbench.wording import listed, tally
from mtworkbench.words.cells import digits_of_trials, show_p

#: How far a number of Table 1 may be from what was rounded.
PRINTED_ROUNDING = 0.05
#: The baseline and the experimental system of each corpus.
PUBLISHED_SYSTEMS = ["A", "B"]
#: Of Table 2 and of Figures 1 and 2.
PUBLISHED_METRIC = "BLEU"
#: What METEOR is called in the paper's Table 1, and in ours where only the exact module is used.
PRINTED_METEOR, EXACT_METEOR = "METEOR", "METEOR (exact)"
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


def describe_printed_runs(corpus: str, metric: str) -> str:
    """Say what the paper's Table 1 prints about the runs of both systems of a corpus.

    Parameters
    ----------
    corpus, metric : str
        Those of Table 1; METEOR by the exact module alone stands for its METEOR.
    """
    paper = read_published("table1")
    name = PRINTED_METEOR if metric == EXACT_METEOR else metric
    own = paper[(paper["corpus"] == corpus) & (paper["metric"] == name)]
    if own.empty:
        return f"The paper's Table 1 has no {metric} of {corpus}."
    (average_a, s_a), (average_b, s_b) = own[["average", "s_test"]].to_numpy()
    wrong = project_wrong_order(own, rounding=PRINTED_ROUNDING).iloc[0]
    return (
        f"In the paper's Table 1, A has {average_a} {name} (s_test {s_a}), and B {average_b} (s_test {s_b}); by these "
        f"rounded numbers, single runs are in the wrong order in {wrong['low']:.2g} to {wrong['high']:.2g} % of the "
        "pairs."
    )


def describe_printed_p(corpus: str, metric: str) -> str:
    """Say which p of single runs the paper's Table 2 prints for a corpus (of `PUBLISHED_METRIC`)."""
    paper = read_published("table2")
    own = paper[(paper["corpus"] == corpus) & (paper["n"] == 1)]
    if metric != PUBLISHED_METRIC or own.empty:
        return f"The paper's Table 2 has no p of {metric} on {corpus}."
    said = [
        f"{row.p_low:g} for the {row.system_a} run of A and the {row.system_b} run of B" for row in own.itertuples()
    ]
    return f"In the paper's Table 2, p is {listed(said)}."


def read_computed(name: str) -> pd.DataFrame:
    """Read results that a script computed in some minutes.

    Parameters
    ----------
    name : {"p_values", "sizes", "settings"}
        The draws behind Table 2; the sizes of tests (a frame like that of `measure_sizes`, from ``data/calibration``);
        the settings of the optimizer. The data cards name the scripts.
    """
    if name == "sizes":
        return read_sizes()
    return pd.read_csv(find_shipped(f"data/clark2011/{name}.csv"))


def table1_beside_paper(table: pd.DataFrame) -> pd.DataFrame:
    """Compare averages and standard deviations with Table 1: see `lay_beside`.

    Parameters
    ----------
    table : DataFrame
        Of `tabulate_variance`. Corpora, metrics or pairs of systems that the paper does not have get NaN in its column.
        METEOR by the exact module alone is laid beside the paper's METEOR (1.2, all modules): their levels differ.
    """
    paper = read_published("table1")
    paper = paper[paper["corpus"].isin(_published_corpora(table))]
    if EXACT_METEOR in set(table["metric"]):
        paper = paper.replace({"metric": {PRINTED_METEOR: EXACT_METEOR}})
    return lay_beside(_deviations(paper), _deviations(table), lambda key: "{} {}, system {}: {}".format(*key))


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
        if part["metric"].iloc[0] == PUBLISHED_METRIC
        and has_published(corpus, part.iloc[0][["baseline", "experimental"]])
    ]
    printed = read_published("table2")
    return printed[printed["corpus"].isin(corpora)]


def figures_beside_paper(test: Families) -> pd.DataFrame:
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
    rows: list[tuple[str, str, str, float, str]] = []
    known = []
    for corpus, (a, b) in choose_pairs(test).items():
        metric = a.metric.name
        if metric == PUBLISHED_METRIC and has_published(corpus, (a.system, b.system)):
            known.append(corpus)
        found = summarize_overlap(a, b).iloc[0]
        # Where each has one run, the order of the one pair is that of the means.
        wrong_order = found["wrong_order_percent"] if max(a.n_runs, b.n_runs) > 1 else np.nan
        numbers = [("runs", "each system", a.n_runs)]
        if a.n_runs != b.n_runs:
            numbers = [(f"runs_{letter}", one.system, one.n_runs) for letter, one in zip("AB", (a, b), strict=True)]
        rows += [(corpus, key, f"runs of {name}", number, "runs") for key, name, number in numbers]
        rows += [
            (corpus, "mean_A", f"mean score of {a.system}", found["baseline_mean"], metric),
            (corpus, "mean_B", f"mean score of {b.system}", found["experimental_mean"], metric),
            (corpus, "difference", f"mean difference of {b.system} and {a.system}", found["difference"], metric),
            (corpus, "wrong_order", "single runs of each in the wrong order (%)", wrong_order, "%"),
        ]
    printed = read_published("figures").set_index(["corpus", "key"])["paper"].to_dict()
    paper = {key: value for key, value in printed.items() if key[0] in known}
    here = {(corpus, key): value for corpus, key, _, value, _ in rows}
    quantities = {(corpus, key): f"{corpus}: {quantity}" for corpus, key, quantity, _, _ in rows}
    return lay_beside(paper, here, quantities.__getitem__).assign(unit=[row[-1] for row in rows])


def arrange_beside(beside: pd.DataFrame) -> pd.DataFrame:
    """Arrange a comparison with the paper: numbers rounded, numbers of runs whole, a dash for a missing number.

    Parameters
    ----------
    beside : DataFrame
        Of `table1_beside_paper` or `figures_beside_paper`. Where the paper has none of the numbers, its columns are
        left out.
    """
    units = beside.get("unit", pd.Series("", index=beside.index))
    shown = beside[["quantity"]].copy()
    for column in ("paper", "here", "difference"):
        if column == "here" or beside["paper"].notna().any():
            pairs = zip(beside[column], np.where(units == "runs", 0, 2), strict=True)
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


def arrange_wrong_order(beside: pd.DataFrame) -> pd.DataFrame:
    """Arrange how often single runs would show the wrong order, in percent; a dash for what is not known.

    Parameters
    ----------
    beside : DataFrame
        Of `wrong_order_beside_paper`.
    """
    shown = beside[["corpus", "metric"]].assign(**{"wrong order (%)": [show_value(one, 1) for one in beside["here"]]})
    if beside["paper"].notna().any():
        shown["by the paper's Table 1 (%)"] = [
            "-" if np.isnan(row.paper) else f"{row.paper:.1f} [{row.paper_low:.2g}, {row.paper_high:.2g}]"
            for row in beside.itertuples()
        ]
    return shown


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
        Of `tabulate_p_values` with ``corpus`` and ``exchange`` ("run", "unit"); each exchange has its column.
    beside_paper : bool
        Whether the paper's column is shown, as printed, before those of a corpus that the paper has.
    """
    columns = {}
    for corpus, part in table.groupby("corpus", sort=False):
        printed = published_p_values(part)
        if beside_paper and len(printed):
            columns[f"{corpus}, paper"] = _p_cells(printed)
        for exchange, one in part.groupby("exchange", sort=False):
            columns[f"{corpus}, by {exchange}"] = _p_cells(one)
    rows = list(dict.fromkeys(table[list(_EXPERIMENT)].itertuples(index=False, name=None)))
    arranged = pd.DataFrame(columns).reindex(rows).fillna("")
    return arranged.rename_axis(index={"n": "runs", "system_a": "run of A", "system_b": "run of B"})


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
    arranged.columns = [tally(number, "run") for number in arranged.columns]
    return arranged


def show_test_p(row: Any) -> str:
    """Write the p of a row of `tabulate_tests`: with the decimals that its trials carry, or four without trials.

    A p above the level that would be rounded to the level gets the further decimals that show it.
    """
    if np.isnan(row.p_value):
        return "-"
    digits = digits_of_trials(row.n_trials if row.test.startswith("exchange") else None)
    return show_p(row.p_value, digits)


_EXPERIMENT = ("n", "system_a", "system_b")


def _p_cells(table: pd.DataFrame) -> pd.Series:
    """Write p with the decimals that its trials carry; the paper's stay as they are printed."""
    cells = []
    for row in table.itertuples():
        n_trials = getattr(row, "n_trials", None)
        ends = [
            f"{p:g}" if n_trials is None else show_p(p, digits_of_trials(n_trials)) for p in (row.p_low, row.p_high)
        ]
        cells.append(ends[0] if row.system_a != RANDOM else " to ".join(ends))
    return pd.Series(cells, index=pd.MultiIndex.from_frame(table[list(_EXPERIMENT)]), dtype=object)


def _published_corpora(table: pd.DataFrame) -> list[str]:
    """Return the corpora of a table with a column ``system`` that the paper has with the same two systems."""
    systems = table.groupby("corpus", sort=False)["system"].agg(lambda names: list(dict.fromkeys(names)))
    return [corpus for corpus, names in systems.items() if has_published(corpus, names)]


def _deviations(table: pd.DataFrame) -> dict[tuple, float]:
    cells = cells_of(table, ["corpus", "metric", "system"], DEVIATIONS)
    return {key: value for key, value in cells.items() if not np.isnan(value)}
