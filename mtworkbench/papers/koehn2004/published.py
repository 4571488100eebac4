"""What Koehn (2004) prints, compared with what comes out here: quantity, paper, here, difference."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics.directions import has_direction
from mtworkbench.papers import koehn2004
from mtworkbench.papers.common.claims import cells_of, lay_beside
from mtworkbench.papers.common.systems import direction, mean_scores, names_in
from mtworkbench.papers.koehn2004.samples import FIGURE_SIZE, do_overlap
from mtworkbench.resampling import RngLike
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.words.cells import decimals_for
from mtworkbench.words.lines import name_sizes

#: Of Figs. 7 and 8; Figs. 2-4 and 6 show the first.
FIGURE_PAIRS = (("Spanish", "Danish"), ("Portuguese", "Danish"))
OF_TABLE_1 = {
    "precision_1": "1-gram precision (%)",
    "precision_4": "4-gram precision (%)",
    "length_ratio": "length ratio (output / reference)",
    "brevity_penalty": "brevity penalty",
    "bleu": "BLEU",
}


def read_published(name: str) -> pd.DataFrame:
    """Read a table of the paper (``table1`` to ``table4``, ``figures``) as it is printed, slips included."""
    return pd.read_csv(find_shipped(f"data/published/koehn2004_{name}.csv"))


def published_pairs() -> list[tuple[str, str]]:
    """Return the nine pairs of systems of Table 3, the better first."""
    return list(read_published("table3")[["a", "b"]].drop_duplicates().itertuples(index=False, name=None))


def describe_printed_cell(a: str, b: str, size: int) -> str | None:
    """Say what a cell of the paper's Table 3 is; None where it has no such row or column."""
    table = read_published("table3")
    for row in table[(table["a"] == a) & (table["b"] == b) & (table["size"] == size)].itertuples():
        return (
            f"In the paper (Table 3), {row.correct_percent:g} % of {row.samples} samples conclude for {a}, "
            f"{row.wrong_percent:g} % for {b}."
        )
    return None


def choose_pairs(statistics: SegmentStatistics) -> list[tuple[str, str]]:
    """Return the pairs of Table 3 where the systems have the paper's names, else all pairs, the better system first.

    Pairs of systems that have the same score on the whole test set are left out, with a warning (``"same-score"``): no
    conclusion about them is right or wrong.

    Raises
    ------
    InputError
        Where no pair is left (code ``"same-score"``), and those of `ordered_pairs`.
    """
    if are_published(statistics):
        return published_pairs()
    pairs, scores = ordered_pairs(statistics), mean_scores(statistics)
    different = [(a, b) for a, b in pairs if not np.isclose(scores[a], scores[b], rtol=1e-12, atol=1e-9)]
    if len(different) < len(pairs):
        same = ", ".join(f"{a!r} and {b!r}" for a, b in pairs if (a, b) not in different)
        sentence = f"No conclusion about systems with the same score on the whole test set is right or wrong: {same}."
        if not different:
            raise InputError("same-score", f"{sentence} Give systems that differ.", found=same)
        warnings.warn(
            DataWarning("same-score", f"{sentence} These pairs are left out.", count=len(pairs) - len(different)),
            stacklevel=2,
        )
    return different


def choose_system(statistics: SegmentStatistics) -> str:
    """Return the system of Figs. 2, 3 and 6: the first of the first pair of `choose_figure_pairs`.

    It is the first of all where there is no pair (one system), or no best one (a metric without a direction).
    """
    if len(statistics) > 1 and (_has_figure_pairs(statistics) or has_direction(statistics.metric)):
        return choose_figure_pairs(statistics)[0][0]
    return next(iter(statistics))


def choose_figure_pairs(statistics: SegmentStatistics) -> list[tuple[str, str]]:
    """Return the pairs of Figs. 7 and 8 where the systems have the paper's names, else a clear and a close pair.

    The clear one is that of the best and the worst system, the close one that of the smallest difference. Two systems
    are one pair, which is returned once.

    Raises
    ------
    InputError
        Those of `ordered_pairs`.
    """
    if _has_figure_pairs(statistics):
        return list(FIGURE_PAIRS)
    pairs, scores = ordered_pairs(statistics), mean_scores(statistics)
    by_difference = sorted(pairs, key=lambda pair: abs(scores[pair[0]] - scores[pair[1]]))
    return list(dict.fromkeys([by_difference[-1], by_difference[0]]))


def ordered_pairs(statistics: SegmentStatistics) -> list[tuple[str, str]]:
    """Return all pairs of systems, the one that is better on the whole test set first.

    Raises
    ------
    InputError
        Where there is one system, or the metric has no direction.
    """
    sign = direction(statistics.metric)
    if len(statistics) < 2:
        raise InputError("one-system", "Pairs of systems were asked for, but there is one system: give two at least.")
    scores = mean_scores(statistics)
    ranked = sorted(statistics, key=lambda system: -sign * scores[system])
    return [(a, b) for place, a in enumerate(ranked) for b in ranked[place + 1 :]]


def arrange_table3(table: pd.DataFrame) -> pd.DataFrame:
    """Arrange shares of conclusions as Table 3 prints them: a row per pair, a column per size.

    Parameters
    ----------
    table : DataFrame
        Of `tabulate_conclusions`.

    Returns
    -------
    DataFrame
        Cells such as "33/1": correct and wrong conclusions in % of the samples, rounded; wrong ones only where there
        are any.
    """
    cells = [
        f"{row.correct_percent:.0f}" + (f"/{row.wrong_percent:.1f}" if row.wrong_percent else "")
        for row in table.itertuples()
    ]
    named = table.assign(cell=cells, pair=table["a"] + " better than " + table["b"])
    # A digit of each, where there would be "better by 0.0".
    named["difference"] = [f"{size:.{decimals_for(abs(size), 2) - 1}f}" for size in named["true_difference"]]
    return named.pivot(index=["pair", "difference"], columns="size", values="cell").loc[
        list(dict.fromkeys(zip(named["pair"], named["difference"], strict=True)))
    ]


def table1_beside_paper(statistics: SegmentStatistics) -> pd.DataFrame:
    """Compare precisions and BLEU on the whole test set with Table 1: see `lay_beside`."""
    printed, computed = read_published("table1"), koehn2004.tabulate_systems(statistics)
    paper = cells_of(printed, ["system"], printed.columns.drop("system"))
    return lay_beside(paper, cells_of(computed, ["system"], OF_TABLE_1), lambda key: f"{key[0]}, {OF_TABLE_1[key[1]]}")


def table2_beside_paper() -> pd.DataFrame:
    """Compare the factors t with n - 1 degrees of freedom with those printed in Table 2: see `lay_beside`."""
    computed = koehn2004.student_factors().rename(columns={"size": "n"})
    computed["level"] *= 100
    paper, here = (cells_of(table, ["level", "n"], ["t"]) for table in (read_published("table2"), computed))
    return lay_beside(paper, here, lambda key: f"t at {key[0]:g} % for n = {key[1]:g}")


def table3_beside_paper(table: pd.DataFrame) -> pd.DataFrame:
    """Compare shares of correct and wrong conclusions with Table 3: see `lay_beside`.

    Parameters
    ----------
    table : DataFrame
        Of `tabulate_conclusions`.
    """
    kinds = {"correct_percent": "correct", "wrong_percent": "wrong"}
    paper, here = (cells_of(one, ["a", "b", "size"], kinds) for one in (read_published("table3"), table))
    return lay_beside(paper, here, lambda key: f"{key[0]} and {key[1]}, {key[2]} sentences, {kinds[key[3]]} (%)")


def table4_beside_paper(bins: pd.DataFrame) -> pd.DataFrame:
    """Compare the numbers of conclusions and the shares that are right with Table 4: see `lay_beside`.

    Parameters
    ----------
    bins : DataFrame
        Of `bin_conclusions`.
    """
    written = {"conclusions": "conclusions at {}", "correct_percent": "correct at {} (%)"}
    paper, here = (
        cells_of(table, ["bin"], ["conclusions"]) | cells_of(table, ["bin"], ["correct_percent"])
        for table in (read_published("table4"), bins)
    )
    return lay_beside(paper, here, lambda key: written[key[1]].format(key[0]))


def figures_beside_paper(
    statistics: SegmentStatistics,
    pairs: Sequence[tuple[str, str]] | None = None,
    *,
    n_resamples: int | None = None,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Compare what the paper's text and axes say of Figs. 2-8 with what comes out here: see `lay_beside`.

    Parameters
    ----------
    statistics : SegmentStatistics
        Of at least 300 segments.
    pairs : sequence of (str, str), optional
        Those of Figs. 7 and 8: `choose_figure_pairs` unless given. Figs. 2, 3, 4 and 6 are of the first. One pair alone
        is that of Fig. 7.
    n_resamples : int, optional
        As of `interval_samples` and `conclude`.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        As of `lay_beside`, with ``figure`` ("Fig. 2") before them.
    """
    pairs = list(dict.fromkeys(choose_figure_pairs(statistics) if pairs is None else pairs))
    (a, b), n, name = pairs[0], len(statistics.test_set), statistics.metric.name
    broad, block = (koehn2004.choose_samples(n, FIGURE_SIZE, sampling, rng=rng) for sampling in ("broad", "block"))
    blocks = koehn2004.score_samples(statistics[a], block)["score"]
    scores = koehn2004.score_samples(statistics[a], broad)["score"]
    differences = koehn2004.difference_samples(statistics[a], statistics[b], broad)["difference"]
    intervals = koehn2004.interval_samples(statistics[a], broad, n_resamples=n_resamples, rng=rng)
    drawn = koehn2004.conclude(statistics, pairs, broad, n_resamples=n_resamples, rng=rng)
    count = len(broad)
    sampled = f"{count} broad samples of {name_sizes(map(len, broad))}"
    of_blocks = f"{name} of {a} on {count} blocks of {name_sizes(map(len, block))}"
    of_samples = f"{name} of {a} on {sampled}"
    n_negative, n_missed = (differences < 0).sum(), (~intervals["covers"]).sum()
    # The paper's numbers are of 100 samples, so the key of a number that depends on the sample count contains the
    # count.
    rows = [
        ("Fig. 2", f"lowest_{name}_of_{count}_blocks", f"lowest {of_blocks}", blocks.min()),
        ("Fig. 2", f"highest_{name}_of_{count}_blocks", f"highest {of_blocks}", blocks.max()),
        ("Fig. 3", f"lowest_{name}_of_{count}", f"lowest {of_samples}", scores.min()),
        ("Fig. 3", f"highest_{name}_of_{count}", f"highest {of_samples}", scores.max()),
        (
            "Fig. 4",
            f"largest_difference_of_{count}",
            f"largest difference of {a} and {b} on {sampled}",
            differences.max(),
        ),
        ("Fig. 4", f"negative_of_{count}", f"samples of {count} with a negative difference", n_negative),
        ("Fig. 6", f"missed_of_{count}", f"intervals of {count} that miss the full-set score", n_missed),
    ]
    for number, order in zip(range(count), ("first", "second"), strict=False):
        for end, words in (("low", "lower"), ("high", "upper")):
            rows.append(
                ("Fig. 6", f"{end}_{number + 1}", f"{words} end of the {order} interval", intervals[end][number])
            )
    for number, pair in zip((7, 8), pairs, strict=False):
        conclusions = drawn[(drawn["a"] == pair[0]) & (drawn["b"] == pair[1])]["conclusion"]
        for side, winner, loser in (("a", *pair), ("b", *pair[::-1])):
            quantity = f"samples of {count} that conclude for {winner} against {loser}"
            rows.append(
                (f"Fig. {number}", f"fig_{number}_for_{side}_of_{count}", quantity, (conclusions == winner).sum())
            )
    comparable = pairs == list(FIGURE_PAIRS) and not do_overlap(broad)  # the paper's samples do not
    paper = read_published("figures").set_index("key")["paper"] if comparable else {}
    quantities = {key: quantity for _, key, quantity, _ in rows}
    frame = lay_beside(paper, {key: value for _, key, _, value in rows}, quantities.__getitem__)
    frame.insert(0, "figure", [figure for figure, *_ in rows])
    return frame


def _has_figure_pairs(statistics: SegmentStatistics) -> bool:
    return {*names_in(FIGURE_PAIRS)} <= set(statistics)


def are_published(statistics: SegmentStatistics) -> bool:
    """Say whether the paper's six systems are there, by name."""
    return {*names_in(published_pairs())} <= set(statistics)
