"""Segments of two systems for a browser of segments: which ones pass a filter, in what order, and what a page shows.

Everything is computed here, in Python: the page gets a few rows as plain text and numbers.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.analyses.segments.buckets import bucket_segments
from mtworkbench.analyses.segments.contributions import match_outputs, segment_contributions
from mtworkbench.analyses.segments.flags import flag_segments
from mtworkbench.analyses.segments.marks import show_texts
from mtworkbench.analyses.segments.ngrams import MatchedNgrams, match_ngrams, segments_with, tabulate_matches
from mtworkbench.analyses.segments.queries import check_count, check_query, find_pattern, find_text
from mtworkbench.characters import printable
from mtworkbench.errors import InputError
from mtworkbench.inference.intervals import jackknife_ends
from mtworkbench.inference.replications import median_run
from mtworkbench.inference.score_table import ScoreTable, pair_table
from mtworkbench.metrics.directions import describe_direction, sign_of
from mtworkbench.outputs.checks.frames import is_reference
from mtworkbench.resampling import RngLike
from mtworkbench.results.segments import ListedSegments, MarkedSegment, MarkedText, MatchedMore, MatchedNgram
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.words.cells import decimals_for, decimals_of_intervals
from mtworkbench.words.frames import fixed, signed, with_minus
from mtworkbench.words.segments import TEXTS, describe_contributions, find_towards

#: Most n-grams that are listed for each system.
N_NGRAMS = 15
#: Level of the intervals whose width says how many decimals are shown.
LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class SegmentPages:
    """Segments of two systems, to be filtered, sorted and shown.

    Parameters
    ----------
    outputs : DataFrame
        Of both systems, with the segments in the order of the statistics.
    statistics : SegmentStatistics
        Of one metric.
    a, b : str
        The new system and the baseline.
    runs : (int, int), optional
        The runs whose texts and scores are meant; by default all runs for scores, each system's median run for texts.
    frame : DataFrame
        Of `segment_contributions`.
    flagged : dict of (str, int) to DataFrame
        Flags of a system's run as far as they are known: pages of several pairs of the same outputs can share them.
    """

    outputs: pd.DataFrame = field(repr=False)
    statistics: SegmentStatistics
    a: str
    b: str
    runs: tuple[int, int] | None
    frame: pd.DataFrame = field(repr=False)
    flagged: dict[tuple[str, int], pd.DataFrame] = field(default_factory=dict, repr=False)
    _rows: dict[int, dict[str, Any]] = field(default_factory=dict, repr=False, init=False)
    _found: dict[tuple[str, bool, str], np.ndarray] = field(default_factory=dict, repr=False, init=False)

    @cached_property
    def shown_runs(self) -> tuple[int, int]:
        """The runs whose texts are shown."""
        if self.runs is not None:
            return self.runs
        of_a, of_b = (median_run(self.statistics[one].score()[0]) for one in (self.a, self.b))
        return of_a, of_b

    @cached_property
    def compared(self) -> SegmentStatistics:
        """The statistics of the runs that are compared."""
        if self.runs is None:
            return self.statistics
        chosen = zip((self.a, self.b), self.runs, strict=True)
        values = {name: self.statistics[name].values[[run - 1]] for name, run in chosen}
        return replace(self.statistics, values=values, run_names={})

    @cached_property
    def references(self) -> list[str]:
        """Names of the columns of references."""
        return [name for name in self.frame.columns if is_reference(name)]

    @cached_property
    def texts(self) -> dict[str, list[str | None]]:
        """The texts of each column; None where a segment has no such text."""
        names = [name for name in self.frame.columns if name in TEXTS or is_reference(name)]
        return {name: [text if isinstance(text, str) else None for text in self.frame[name].tolist()] for name in names}

    @cached_property
    def readable(self) -> pd.DataFrame:
        """The outputs of both systems, of segments that have both of them and a reference."""
        return self.outputs[self.outputs["segment"].isin(self.frame["segment"][self.is_readable])]

    @cached_property
    def is_readable(self) -> np.ndarray:
        """Tell which segments have a reference, and an output of both systems in every run."""
        return self._find_readable(self.outputs)

    def _find_readable(self, outputs: pd.DataFrame) -> np.ndarray:
        """Tell which segments have a reference, and an output in every run."""
        missing = outputs.loc[outputs["hypothesis"].isna(), "segment"]
        has_reference = self.frame[self.references].notna().any(axis=1)
        return (has_reference & ~self.frame["segment"].isin(missing)).to_numpy()

    @cached_property
    def flags(self) -> dict[str, pd.DataFrame]:
        """Flags of each of both systems, without those that nothing has."""
        found, segments = {}, self.frame["segment"]
        for system, run in zip((self.a, self.b), self.shown_runs, strict=True):
            flags = pd.DataFrame(index=segments)
            if self.is_readable.any():
                known = self._flag(system, run).loc[segments[self.is_readable]]
                flags = known.reindex(flags.index, fill_value=False)
            found[system] = flags.reset_index(drop=True)
        raised = [name for name in found[self.a].columns if any(one[name].any() for one in found.values())]
        return {system: one[raised] for system, one in found.items()}

    def _flag(self, system: str, run: int) -> pd.DataFrame:
        """Flag the segments of a system that can be read, whatever the other system lacks; one row per segment."""
        if (system, run) not in self.flagged:
            own = self.outputs[self.outputs["system"] == system]
            readable = own[own["segment"].isin(self.frame["segment"][self._find_readable(own)])]
            self.flagged[system, run] = flag_segments(readable, system, run=run).set_index("segment")
        return self.flagged[system, run]

    @cached_property
    def _raised(self) -> dict[str, dict[str, np.ndarray]]:
        return {one: {name: flags[name].to_numpy() for name in flags} for one, flags in self.flags.items()}

    @cached_property
    def known(self) -> frozenset[int]:
        """The numbers of all segments."""
        return frozenset(self.frame["segment"].tolist())

    @cached_property
    def sortable(self) -> list[str]:
        """Names of the columns that segments can be sorted by."""
        no_numbers = {*self.texts, "segment", "contribution", "change"}
        return ["contribution", "change", "segment", *(name for name in self.frame.columns if name not in no_numbers)]

    @cached_property
    def length(self) -> pd.Series:
        """The length that segments are filtered by: that of the reference, or of the output where there is none."""
        name = "length_reference" if "length_reference" in self.frame else "length"
        return self.frame[name]

    @cached_property
    def digits(self) -> int:
        """Decimals of contributions: see `decimals_of_contributions`."""
        return decimals_of_contributions(self.frame)

    @cached_property
    def _table(self) -> ScoreTable:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what the contributions have been warned about already
            return pair_table(self.compared[self.a], self.compared[self.b], "auto")

    @cached_property
    def difference_digits(self) -> int:
        """Decimals of the difference and its interval: as in tables, or more where the difference is more precise."""
        table = self._table
        df, difference = table.units.df, self.difference
        scores = [jackknife_ends(LEVEL, *own, df) for own in zip(table.means, table.influence, strict=True)]
        low, high = jackknife_ends(LEVEL, difference, table.influence_on(), df)
        # Without an interval, two digits of the difference itself are shown.
        known = (low, high) if low is not None else (0.0, difference) if difference > 0 else (difference, 0.0)
        return max(decimals_of_intervals(scores), decimals_of_intervals([known]))

    @cached_property
    def difference(self) -> float:
        """The difference of both systems' scores on the segments that both have scores for."""
        return self._table.difference()

    @cached_property
    def _change_digits(self) -> int:
        large = float(self.frame["change"].abs().max())
        return 1 if large >= 10 else decimals_for(large, 3, 8)

    @cached_property
    def _largest(self) -> float:
        return float(np.nanmax(np.abs(self.frame["contribution"]))) or 1.0

    def check_query(self, query: object) -> dict[str, object]:
        """Complete a query, and refuse one that asks for what there is not.

        Raises
        ------
        InputError
            Those of `mtworkbench.analyses.segments.queries.check_query` and `find_pattern`.
        """
        choices = {
            "sort": self.sortable,
            "within": ["", *self.texts],
            "flag": ["", *self.flags[self.a].columns],
            "flagged": ["", self.a, self.b],
        }
        full: dict[str, Any] = check_query(query, choices, self.known)
        if full["text"]:
            self._having(full["text"], full["pattern"], full["within"])  # a faulty expression is refused here
        return full

    def select(self, query: Mapping[str, object], selection: Sequence[int] = ()) -> np.ndarray:
        """Find the segments that pass a query.

        Parameters
        ----------
        query : mapping
            As `check_query` returns it.
        selection : sequence of int
            Numbers of the segments that are selected.

        Returns
        -------
        ndarray of int
            Positions in the frame, in the order in which they are shown.
        """
        asked: Mapping[str, Any] = query
        keep = np.ones(len(self.frame), dtype=bool)
        if asked["text"]:
            keep &= self._having(asked["text"], asked["pattern"], asked["within"])
        if asked["document"] is not None and "document" in self.frame:
            keep &= (self.frame["document"] == asked["document"]).to_numpy()
        if asked["shortest"] is not None:
            keep &= (self.length >= asked["shortest"]).to_numpy()
        if asked["longest"] is not None:
            keep &= (self.length <= asked["longest"]).to_numpy()
        if asked["flag"]:
            systems = [asked["flagged"]] if asked["flagged"] else [self.a, self.b]
            keep &= np.any([self.flags[system][asked["flag"]] for system in systems], axis=0)
        if asked["ngram"]:
            keep &= self.differing_in(asked["ngram"])
        if asked["segments"] is not None:
            keep &= np.isin(self.frame["segment"], asked["segments"])
        if asked["selected"]:
            keep &= np.isin(self.frame["segment"], selection)
        # Segments that are equal in what is sorted by remain in the order of the test set, whichever the direction.
        order = self.frame[asked["sort"]].reset_index(drop=True)
        positions = order.sort_values(ascending=not asked["descending"], kind="stable").index.to_numpy()
        return positions[keep[positions]]

    def _having(self, text: str, pattern: bool, within: str) -> np.ndarray:
        key = (text, bool(pattern), within)
        if key not in self._found:
            columns = [self.texts[within]] if within else list(self.texts.values())
            self._found.clear()  # one search is enough: it is there for sorting what was found
            self._found[key] = (find_pattern if pattern else find_text)(text, columns)
        return self._found[key]

    def differing_in(self, ngram: str) -> np.ndarray:
        """Tell in which segments the two systems match an n-gram differently."""
        found = np.zeros(len(self.frame), dtype=bool)
        if len(self.readable):
            found[np.flatnonzero(self.is_readable)[segments_with(self._matched, ngram)]] = True
        return found

    @cached_property
    def _matched(self) -> MatchedNgrams:
        return self._match(self.readable)

    @cached_property
    def _tabulated(self) -> pd.DataFrame:
        return tabulate_matches(self._matched)

    def _match(self, outputs: pd.DataFrame) -> MatchedNgrams:
        return match_ngrams(outputs, self.statistics.metric, self.a, self.b, runs=self.shown_runs)

    def rows(self, positions: Iterable[int]) -> list[dict[str, object]]:
        """Return what a page shows of some segments, as plain text and numbers."""
        if len(self._rows) > 1000:
            self._rows.clear()
        wanted = [int(position) for position in positions]
        for position in wanted:
            if position not in self._rows:
                self._rows[position] = self._make_row(position)
        return [self._rows[position] for position in wanted]

    def texts_of(self, position: int) -> dict[str, str]:
        """Return the texts that a segment has, by their columns."""
        found = {name: one[position] for name, one in self.texts.items()}
        return {name: text for name, text in found.items() if text is not None}

    def _make_row(self, position: int) -> dict[str, Any]:
        """Make what a page shows of a segment."""
        row = {name: values[position] for name, values in self._columns.items()}
        known = [name for name in ("document", *self.statistics.test_set.columns) if row.get(name) is not None]
        return {
            "segment": int(row["segment"]),
            **self.values_of(position),
            "places": [[printable(name), printable(str(row[name]))] for name in dict.fromkeys(known)],
            "lengths": self._show_lengths(row),
            "flags": [
                [name, system] for system, flags in self._raised.items() for name in flags if flags[name][position]
            ],
            "texts": show_texts(self.texts_of(position), self.references, self._labels, self.statistics.metric),
        }

    def values_of(self, position: int) -> dict[str, object]:
        """Return what a page shows of a segment's contribution and change."""
        contribution, change = (float(self._columns[name][position]) for name in ("contribution", "change"))
        return {
            "contribution": signed(contribution, self.digits) if math.isfinite(contribution) else "not known",
            "share": contribution / self._largest if math.isfinite(contribution) else 0,
            "change": "" if math.isnan(change) else signed(change, self._change_digits),
        }

    @cached_property
    def _columns(self) -> dict[str, list]:
        return {name: self.frame[name].tolist() for name in self.frame.columns if name not in self.texts}

    def _show_lengths(self, row: Mapping[str, Any]) -> list[list[str]]:
        names = (
            ("length_reference", "reference"),
            ("length_baseline", printable(self.b)),
            ("length", printable(self.a)),
        )
        return [[label, fixed(row[name], 0)] for name, label in names if name in row and not pd.isna(row[name])]

    def find_largest(self, first: int, *, raises: bool) -> np.ndarray:
        """Find the segments that raise the difference most, or lower it, (n_found,) ndarray of positions."""
        contributions = self.frame["contribution"].to_numpy()
        largest_first = np.argsort(-contributions if raises else contributions, kind="stable")
        return largest_first[find_towards(contributions, raises=raises)[largest_first]][:first]

    def list_segments(
        self,
        positions: np.ndarray,
        buckets: pd.DataFrame | None = None,
        ngrams: tuple[MatchedMore, MatchedMore] | None = None,
    ) -> ListedSegments:
        """Return some segments to be written, with what else is known of all of them."""
        return ListedSegments(
            self.compared,
            self.a,
            self.b,
            self.frame,
            positions,
            [_as_marked(row) for row in self.rows(positions)],
            self.difference,
            self.digits,
            self.difference_digits,
            printable(self._describe_runs("Texts and n-grams")),
            buckets,
            ngrams,
        )

    def count_flags(self) -> list[list[object]]:
        """Count the segments with each flag: its name, the count of a, that of b."""
        return [[name, *(int(self.flags[one][name].sum()) for one in (self.a, self.b))] for name in self.flags[self.a]]

    def count_ngrams(
        self, segments: np.ndarray | None = None, order: int = 0, most: int = N_NGRAMS
    ) -> dict[str, object]:
        """List the n-grams that one system gets right more often than the other, those with the largest differences.

        Parameters
        ----------
        segments : ndarray of int, optional
            Numbers of the segments to look into; by default all.
        order : int
            Words per n-gram; 0 for 1 to 4.
        most : int
            How many are listed of each system.

        Returns
        -------
        dict
            ``new`` and ``baseline``: of each n-gram listed, what it is, how often each system gets it right, in how
            many segments they differ. ``n_new`` and ``n_baseline``: how many there are, listed or not.
        """
        outputs = self.readable if segments is None else self.readable[self.readable["segment"].isin(segments)]
        if not len(outputs):
            return {"new": [], "baseline": [], "n_new": 0, "n_baseline": 0}
        found = self._tabulated if segments is None else tabulate_matches(self._match(outputs))
        if order:
            found = found[found["order"] == order]
        parts = {"new": found[found["difference"] > 0], "baseline": found[found["difference"] < 0]}
        listed = {
            name: [
                {
                    "ngram": row.ngram,
                    "shown": printable(row.ngram),
                    "new": int(row.matches),
                    "baseline": int(row.matches_baseline),
                    "segments": int(row.segments),
                }
                for row in part.head(most).itertuples()
            ]
            for name, part in parts.items()
        }
        return listed | {f"n_{name}": len(part) for name, part in parts.items()}

    def describe_selection(self, selection: Sequence[int]) -> list[list[str]]:
        """Say what the selected segments have in common: what of, the selection's number, that of all segments."""
        chosen = self.frame["segment"].isin(list(selection)).to_numpy()
        sizes = int(chosen.sum()), len(self.frame)
        rows = [["segments", *(_plain(size, None) for size in sizes)]]
        for name, label, how in (
            ("contribution", f"contribution to the difference in {printable(self.statistics.metric.name)}", "sum"),
            ("document", "documents that they come from", "nunique"),
            ("length_reference", "words of the reference, median", "median"),
            ("length_baseline", f"words of {printable(self.b)}, median", "median"),
            ("length", f"words of {printable(self.a)}, median", "median"),
        ):
            if name in self.frame:
                digits = self.difference_digits if name == "contribution" else None
                found = [getattr(one, how)() for one in (self.frame[name][chosen], self.frame[name])]
                rows.append([label, *("" if pd.isna(one) else _plain(one, digits) for one in found)])
        for system, flags in self.flags.items():
            for name, flag in flags.items():
                counts = flag[chosen].sum(), flag.sum()
                if any(counts):
                    rows.append([f"{_label(str(name))}: {printable(system)}", *map(_with_share, counts, sizes)])
        return rows

    def describe(self) -> dict[str, object]:
        """Say what the page needs to know once: names, columns, flags, documents."""
        metric = self.statistics.metric
        documents = list(dict.fromkeys(self.frame["document"])) if "document" in self.frame else []
        return {
            "a": printable(self.a),
            "b": printable(self.b),
            "systems": [self.a, self.b],
            "metric": printable(metric.name),
            "difference": signed(self.difference, self.difference_digits),
            "sentence": printable(with_minus(describe_contributions(self.frame, self.compared, self.a, self.b))),
            "runs": printable(self._describe_runs("Texts, flags and n-grams")),
            # Where lower is better, a positive contribution is one in favour of the baseline.
            "sign": sign_of(metric),
            "direction": describe_direction(metric),
            "sorts": [[name, _label(name)] for name in self.sortable],
            "texts": [[name, self._labels[name]] for name in self.texts],
            "documents": documents,
            "flags": [[name, _label(str(name)), *counts] for name, *counts in self.count_flags()],
        }

    def _describe_runs(self, shown: str) -> str:
        """Say which runs the numbers and what is shown are of, where there are several."""
        numbers = [self.statistics[name].n_runs for name in (self.a, self.b)]
        if max(numbers) == 1:
            return ""
        of_a, of_b = self.shown_runs
        if self.runs is not None:
            return f"This compares run {of_a} of {self.a} with run {of_b} of {self.b}."
        medians = [
            f"run {run} of {name}" if number > 1 else f"the one run of {name}"
            for run, name, number in zip((of_a, of_b), (self.a, self.b), numbers, strict=True)
        ]
        whose = "the run whose score is the median" if 1 in numbers else "the runs whose scores are the medians"
        return (
            "Contributions and changes are means over all pairs of runs "
            f"({numbers[0]:,} of {self.a}, {numbers[1]:,} of {self.b}). {shown} are those of {whose}: "
            f"{' and '.join(medians)}."
        )

    @cached_property
    def _labels(self) -> dict[str, str]:
        names = {name: _label(name) for name in self.texts}
        return names | {"hypothesis": printable(self.a), "hypothesis_baseline": printable(self.b)}


def make_pages(
    outputs: pd.DataFrame, statistics: SegmentStatistics, a: str, b: str, runs: tuple[int, int] | None = None
) -> SegmentPages:
    """Compute what the pages of a browser of segments show: see `SegmentPages`."""
    frame = segment_contributions(outputs, statistics, a, b, runs=runs)
    if "hypothesis" not in frame:
        raise InputError(
            "no-texts", "The outputs have no texts, but the list of segments shows texts: give outputs with texts."
        )
    return SegmentPages(match_outputs(outputs, statistics, (a, b)), statistics, a, b, runs, frame)


def _as_marked(row: Mapping[str, Any]) -> MarkedSegment:
    """Return a row of the page as a segment to be written."""
    texts = [
        MarkedText(one["kind"], one["label"], tuple((piece, code) for piece, code in one["pieces"]))
        for one in row["texts"]
    ]
    return MarkedSegment(row["contribution"], tuple(map(tuple, row["places"])), tuple(texts))


def as_matched(counted: Mapping[str, Any]) -> tuple[MatchedMore, MatchedMore]:
    """Return the n-grams that `SegmentPages.count_ngrams` has listed, to be written: those of a, and those of b."""
    of_a, of_b = (
        MatchedMore(
            tuple(MatchedNgram(one["ngram"], one["new"], one["baseline"], one["segments"]) for one in counted[side]),
            counted[f"n_{side}"],
        )
        for side in ("new", "baseline")
    )
    return of_a, of_b


def decimals_of_contributions(frame: pd.DataFrame) -> int:
    """Choose decimals that show two digits of the contributions that matter.

    Parameters
    ----------
    frame : DataFrame
        Of `segment_contributions`.
    """
    contributions = np.abs(frame["contribution"].dropna())
    return decimals_for(float(np.quantile(contributions, 0.9, method="lower")) if len(contributions) else 0.0, most=8)


def _label(name: str) -> str:
    return printable(name.replace("_", " "))


def _plain(value: float, digits: int | None) -> str:
    """Write a count or a median of counts; with so many decimals, and its sign, what is neither."""
    return f"{value:,.1f}".removesuffix(".0") if digits is None else signed(value, digits)


def _with_share(count: float, total: float) -> str:
    return f"{count:,.0f}" + (f" ({100 * count / total:.1f} %)" if total else "")


def list_segments(
    outputs: pd.DataFrame,
    statistics: SegmentStatistics,
    a: str,
    b: str,
    *,
    first: int = 10,
    rng: RngLike = None,
) -> ListedSegments:
    """List the segments that make the difference between two systems, with their texts.

    Contributions are those of `segment_contributions`. With several runs they are means over all pairs of runs; texts
    and n-grams are those of each system's median run.

    Parameters
    ----------
    outputs : DataFrame
        What the statistics were computed from.
    statistics : SegmentStatistics
        Of one metric.
    a, b : str
        The new system and the baseline.
    first : int
        How many segments are listed, those with the largest contributions towards the difference first, and how many
        n-grams of each system.
    rng
        For the intervals of the buckets: see `bucket_segments`.

    Returns
    -------
    ListedSegments
        `mtworkbench.tables.format_segments` writes it; a notebook shows it.

    Raises
    ------
    InputError
        ``not-a-number`` for ``first``, ``no-texts``, and those of `segment_contributions`.
    """
    first = check_count(first)
    pages = make_pages(outputs, statistics, a, b)
    positions = pages.find_largest(first, raises=pages.difference >= 0)
    if not len(pages.readable):  # no segment has a reference
        return pages.list_segments(positions)
    buckets = bucket_segments(outputs, statistics, a, b, rng=rng)
    return pages.list_segments(positions, buckets, as_matched(pages.count_ngrams(most=first)))
