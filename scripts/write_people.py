"""Write how often people agreed with metrics on pairs of systems, by the size of the difference.

    python scripts/write_people.py

Writes docs/what_a_difference_means.md and its figure. All numbers are from data/people/judged_pairs.csv, which
`python -m benchmarks.people` computes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import mtworkbench as mtw
from mtworkbench.inference.intervals import monte_carlo_ends
from mtworkbench.writing import replace_file

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "what_a_difference_means.md"
FIGURE = PAGE.with_suffix(".png")
PAIRS = ROOT / "data" / "people" / "judged_pairs.csv"
WIDTH = 120
METRICS = ("BLEU", "chrF", "COMET")
#: Where the rows of a table begin: differences, in points.
TICKS = (0.2, 0.5, 1, 2, 5, 10, 20)
EDGES = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, np.inf)
LANGUAGES = {"en-de": "English-German", "he-en": "Hebrew-English", "ru-en": "Russian-English"}
OF_SETS = ["set", "year", "languages"]
SHOWN = "significant"

INTRODUCTION = """\
# What a difference means to people

*`python scripts/write_people.py` writes this page. All its numbers come from
[data/people](../data/people/README.md), which `python -m benchmarks.people` computes.*

A test says whether a difference is more than chance. It does not say whether people see it. This page counts how often
people agreed with a metric, that is, how often the system with the better score also had the better mean in a human
evaluation. The counts are for {n_pairs} pairs of systems on {n_sets} test sets of {years}: {languages}.

![For BLEU, chrF and COMET: the share of pairs of systems in which people agreed with the metric, by the size of the
difference, with 95 % intervals]({figure})
"""
COLUMNS = """\
- *Pairs*: the number of pairs of systems whose difference in the metric has this size. In brackets: how many of them
  can be chosen so that no two share a system.
- *People agree*: the share of pairs in which people preferred the system that the metric prefers, whether or not
  the differences are significant, with its 95 % interval. Pairs share systems, so they are not independent. If
  systems are independent, two differences that share a system have a correlation of 1/2, and all pairs of n systems
  carry the information of n/2 pairs that share no system. The interval is therefore that of Clopper and Pearson for the
  number of pairs in brackets; it is conservative.
- *People show it*: in how many pairs the human difference is significant at 5 %. The test is that of this package:
  documents are the units (segments where there are fewer than 6 documents), and p is adjusted over all pairs of the
  test set. *And agree*: in how many of these pairs people preferred the system that the metric prefers.
- *The metric shows it*: in how many pairs the metric's difference is significant by the same test. Only pairs whose
  segment scores are known are counted. *And people agree*: in how many of these pairs people preferred the same system.
"""
NO_THRESHOLD = """\
- **Few test sets.** There are {n_sets}, from {years}. On single sets, people agreed with BLEU in {least} to {most} of
  the pairs. The intervals do not cover what other languages, years or domains would change.
- **A difference can have the right direction and still be chance.** Where BLEU's own difference is not significant,
  people agreed in {bleu_not_shown}; where it is, in {bleu_shown}. Large differences must be tested, too, because the
  size of differences due to chance depends on the test set.
- **Human scores are noisy, too.** The human difference is significant in {n_shown} of the {n_pairs} pairs. In these,
  people agreed with BLEU in {bleu_of_shown}, and with chrF in {chrf_of_shown}. In the other pairs, the human ranking is
  uncertain, so no metric can agree with nearly all of it. Other people, who judged the same outputs, ranked {others} of
  the pairs as MQM does.
- **A point does not mean the same everywhere.** Scores depend on the number of references, on the tokenization and on
  the length of segments (in WMT 2023 English-German, segments are paragraphs).
- **It matters which systems are compared.** Pairs of a strong and a weak system are easy for any metric. A system that
  was tuned to a metric (`NLLB_MBR_BLEU`, according to its name) gains points that people may not see. {falls}
- **The version of COMET is not known.** mt-metrics-eval does not name it in these files. Its scores are multiplied by
  100.

Kocmi et al. (2024) studied many more language pairs, and say which differences of which metrics correspond to the same
share of agreement: *Navigating the Metrics Maze: Reconciling Score Magnitudes and Accuracies*.
"""


def load_pairs(path: Path = PAIRS) -> pd.DataFrame:
    """Load the pairs, with ``size`` (of the difference in the metric) and ``agree`` (whether people agree)."""
    frame = pd.read_csv(path, keep_default_na=False)
    agree = np.sign(frame["human_difference"]) == np.sign(frame["difference"])
    return frame.assign(size=frame["difference"].abs(), agree=agree)


def judged_first(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the first judgement of each test set, which the page goes by."""
    return frame[frame.groupby(OF_SETS)["human"].transform("first") == frame["human"]]


def count_disjoint(pairs: pd.DataFrame) -> int:
    """Count how many pairs can be chosen such that no two share a system of one test set: a maximum matching."""

    @cache
    def match(left: frozenset[frozenset[str]]) -> int:
        if not left:
            return 0
        system = min(min(map(sorted, left)))
        with_it = [pair for pair in left if system in pair]
        without = left.difference(with_it)
        return max(
            match(without), *(1 + match(frozenset(one for one in without if not one & pair)) for pair in with_it)
        )

    of_sets = pairs.groupby(OF_SETS)[["a", "b"]]
    return sum(match(frozenset(map(frozenset, rows.itertuples(index=False)))) for _, rows in of_sets)


def count_pairs(pairs: pd.DataFrame) -> dict[str, Any]:
    """Count in how many pairs people agree, with the interval of the share, and of how many this is said."""
    n_disjoint, share = count_disjoint(pairs), pairs["agree"].mean()
    low, high = monte_carlo_ends(share * n_disjoint, n_disjoint)
    by_people, by_metric = (pairs[pairs[name] == SHOWN] for name in ("human_verdict", "verdict"))
    return {
        "pairs": len(pairs),
        "disjoint": n_disjoint,
        "share": share,
        "low": low,
        "high": high,
        "shown_by_people": len(by_people),
        "people_agree": int(by_people["agree"].sum()),
        "tested": int((pairs["verdict"] != "").sum()),
        "shown_by_metric": len(by_metric),
        "metric_agrees": int(by_metric["agree"].sum()),
    }


def count_by_size(frame: pd.DataFrame) -> pd.DataFrame:
    """Count the pairs of each metric by the size of the difference: a row per metric and interval of sizes."""
    rows = []
    for metric in METRICS:
        own = frame[frame["metric"] == metric]
        for low, high in zip(EDGES, EDGES[1:], strict=False):
            there = own[(own["size"] >= low) & (own["size"] < high)]
            if len(there):
                rows.append({"metric": metric, "from": low, "to": high, "median": there["size"].median()})
                rows[-1] |= count_pairs(there)
    return pd.DataFrame(rows)


def percent(share: float) -> str:
    """Write a share."""
    return f"{100 * share:.0f} %"


def name_sizes(low: float, high: float) -> str:
    """Name an interval of sizes."""
    return f"{low:g} or more" if np.isinf(high) else f"below {high:g}" if low == 0 else f"{low:g} to {high:g}"


def of_total(part: int, total: int) -> str:
    """Write a count of a total."""
    return f"{part} of {total}" if total else "–"


def show_counts(row: Mapping[str, Any]) -> list[str]:
    """Write the cells of `count_pairs`."""
    interval = f"{100 * row['low']:.0f} to {100 * row['high']:.0f}"
    return [
        f"{row['pairs']} ({row['disjoint']})",
        f"{percent(row['share'])} ({interval})",
        of_total(row["shown_by_people"], row["pairs"]),
        of_total(row["people_agree"], row["shown_by_people"]),
        of_total(row["shown_by_metric"], row["tested"]),
        of_total(row["metric_agrees"], row["shown_by_metric"]),
    ]


HEADINGS = ("pairs", "people agree", "people show it", "and agree", "the metric shows it", "and people agree")


def tabulate(first: Iterable[str], rows: Iterable[list[str]]) -> Iterator[str]:
    """Write a table: its first columns, then those of `show_counts`."""
    headings = [*first, *HEADINGS]
    yield f"| {' | '.join(headings)} |"
    yield "|" + "---|" * (len(headings) - len(HEADINGS)) + "---:|" * len(HEADINGS)
    for cells in rows:
        yield f"| {' | '.join(cells)} |"
    yield ""


def listed(items: Iterable[object]) -> str:
    """Write a list: a, b and c."""
    *most, last = map(str, items)
    return f"{', '.join(most)} and {last}" if most else last


def span(shares: Iterable[float]) -> tuple[str, str]:
    """Write the smallest and the largest share."""
    found = list(shares)
    return percent(min(found)), percent(max(found))


def say_where_it_falls(counted: pd.DataFrame) -> str:
    """Say with which metrics a larger difference does not always mean a larger share; nothing where it does."""
    falls = [metric for metric, own in counted.groupby("metric", sort=False) if (own["share"].diff() < 0).any()]
    return f"With {listed(falls)}, the share does not always grow with the size of the difference." if falls else ""


def write_page(frame: pd.DataFrame) -> str:
    """Write the whole page."""
    return "\n".join(_parts(frame)).rstrip("\n") + "\n"


def _parts(frame: pd.DataFrame) -> Iterator[str]:
    first = judged_first(frame)
    bleu = first[first["metric"] == "BLEU"]
    sets = list(bleu.groupby(OF_SETS, sort=False))
    facts = {
        "n_pairs": len(bleu),
        "n_sets": len(sets),
        "years": listed(sorted(bleu["year"].unique())),
        "languages": listed(LANGUAGES[one] for one in bleu["languages"].unique()),
        "figure": FIGURE.name,
    }
    yield fill_paragraphs(INTRODUCTION.format(**facts))
    yield "## By the size of the difference\n"
    counted = count_by_size(first)
    for metric in METRICS:
        own = counted[counted["metric"] == metric]
        rows = ([name_sizes(row["from"], row["to"]), *show_counts(row)] for row in own.to_dict("records"))
        yield from tabulate([f"difference in {metric}"], rows)
    yield fill_paragraphs(COLUMNS)
    yield "## Where the pairs come from\n"
    yield from tabulate(["test set", "judged by", "systems", "metric"], rows_of_sets(first))
    others = frame[~frame.index.isin(first.index)]
    several = others[OF_SETS].drop_duplicates().itertuples(index=False)
    yield f"## Other judgements of {listed(f'{one.set}, {one.languages}' for one in several)}\n"
    yield "The same outputs, judged by other people or in other ways. The last rows compare people with people.\n"
    yield from tabulate(["judged by", "compared with"], rows_of_judgements(others))

    def agreed(pairs: pd.DataFrame) -> str:
        return f"{percent(pairs['agree'].mean())} of {len(pairs)} pairs"

    shown = first[first["human_verdict"] == SHOWN]
    yield "## Why this is no threshold\n"
    by_people = others[others["metric"] == sets_judged_first(first)]
    yield fill_paragraphs(
        NO_THRESHOLD.format(
            **facts,
            **dict(zip(("least", "most"), span(rows["agree"].mean() for _, rows in sets), strict=True)),
            bleu_not_shown=agreed(bleu[bleu["verdict"] != SHOWN]),
            bleu_shown=agreed(bleu[bleu["verdict"] == SHOWN]),
            n_shown=int((bleu["human_verdict"] == SHOWN).sum()),
            bleu_of_shown=agreed(shown[shown["metric"] == "BLEU"]),
            chrf_of_shown=agreed(shown[shown["metric"] == "chrF"]),
            others=" to ".join(span(by_people.groupby("human")["agree"].mean())),
            falls=say_where_it_falls(counted),
        )
    )


def sets_judged_first(first: pd.DataFrame) -> str:
    """Return the name of the judgement that others are compared with, as if it were a metric."""
    return str(first["human"].iloc[0])


def rows_of_sets(first: pd.DataFrame) -> Iterator[list[str]]:
    """Write a row per test set and metric."""
    for (name, _, languages, human, metric), rows in first.groupby([*OF_SETS, "human", "metric"], sort=False):
        n_systems = len({*rows["a"], *rows["b"]})
        yield [f"{name}, {languages}", human, str(n_systems), metric, *show_counts(count_pairs(rows))]


def rows_of_judgements(others: pd.DataFrame) -> Iterator[list[str]]:
    """Write a row per metric, and first judgement, and further judgement."""
    for metric in dict.fromkeys([*METRICS, *others["metric"]]):
        for human, rows in others[others["metric"] == metric].groupby("human", sort=False):
            yield [human, metric, *show_counts(count_pairs(rows))]


def fill_paragraphs(text: str) -> str:
    """Break the lines of paragraphs and list items anew; a picture has a line of its own."""
    filled: list[str] = []
    for paragraph in re.split(r"\n\n|\n(?=- )", text.strip()):
        words = " ".join(paragraph.split()).replace(" %", "\0%")
        is_item = words.startswith("- ")
        if not words.startswith("!["):
            words = fill(words, WIDTH, break_on_hyphens=False, subsequent_indent="  " * is_item)
        filled += ["\n" if is_item and filled and filled[-1].startswith("- ") else "\n\n", words.replace("\0", " ")]
    return "".join(filled[1:]) + "\n"


def draw_shares(counted: pd.DataFrame) -> Figure:
    """Draw the share of each row of `count_by_size` with its CI, at the median size: one panel per metric."""
    with mtw.style("screen"):
        figure, axes = plt.subplots(1, len(METRICS), sharey=True, figsize=(9, 3.2), layout="constrained")
        for ax, metric in zip(axes, METRICS, strict=True):
            draw_panel(counted[counted["metric"] == metric], ax)
        axes[0].set_ylabel("people agree (% of pairs)")
    return figure


def draw_panel(own: pd.DataFrame, ax: Axes) -> None:
    """Draw the shares of one metric."""
    shares = 100 * own[["share", "low", "high"]].to_numpy()
    errors = np.abs(shares[:, 1:] - shares[:, :1]).T
    ax.axhline(50, color="0.45", linewidth=0.8, zorder=0)
    ax.errorbar(own["median"], shares[:, 0], yerr=errors, fmt="o", color="#0072B2", markersize=5, linewidth=1.2)
    ax.set_xscale("log")
    ax.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
    ax.minorticks_off()
    ax.set_ylim(-3, 103)
    ax.set_xlabel(f"difference in {own['metric'].iloc[0]} (points)")


def main() -> None:
    """Write the page and the figure."""
    frame = load_pairs()
    replace_file(PAGE, write_page(frame))
    figure = draw_shares(count_by_size(judged_first(frame)))
    figure.savefig(FIGURE, dpi=110, metadata={"Software": None})
    plt.close(figure)


if __name__ == "__main__":
    main()
