"""Segment statistics with the names of what they are statistics of.

Text is read and tokenized once and then never seen again: every test and every figure starts here.
"""

from __future__ import annotations

import hashlib
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, overload

import numpy as np
import pandas as pd

from mtworkbench.assumptions import Doubt, doubts_about, doubts_of_part
from mtworkbench.compiled import work_to_come
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics import METRICS, MeanScore
from mtworkbench.metrics.cautions import doubt_tokens, long_segments, warn_of_tokens, words_without_blanks
from mtworkbench.metrics.columns import choose_metric
from mtworkbench.metrics.directions import against_note, negated_scores, unknown_direction
from mtworkbench.metrics.mean_score import large_offset
from mtworkbench.metrics.protocol import Metric, scored
from mtworkbench.metrics.texts import reference_columns
from mtworkbench.outputs.checks.corpus import look_again
from mtworkbench.outputs.checks.frames import (
    NOTES,
    FrameRuns,
    Runs,
    Tabular,
    check_outputs,
    is_reference,
    label_run,
    name_labelled,
    note_known_documents,
    note_repairs,
    outputs_frame,
)
from mtworkbench.outputs.checks.names import choose_from
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.outputs.checks.segments import digest_texts, encode
from mtworkbench.progress import Progress
from mtworkbench.shown import Shown
from mtworkbench.statistics.cache import StatisticsCache
from mtworkbench.wording import tally

#: What a test set knows of each segment, apart from further columns, and of itself.
OF_SEGMENTS = ("segments", "documents", "segment_ids", "source_digests", "reference_digests")
OF_THE_WHOLE = ("references", "n_references", "references_vary", "normalization", "repaired", "unordered_references")
#: Columns of outputs that are texts or names of their own, not groups of segments; documents are known as such.
#: Scores of other programs bring texts by these programs' names (`read_scores`).
NO_GROUPS = {"document", "segment", "segment_id", "source", "system", "run", "hypothesis", "mt", "ref"}
# `repr` names at most so many systems, and counts the rest.
NAMED = 6


@dataclass(frozen=True, eq=False)
class TestSet:
    """Which segments the statistics are of, as far as that is known.

    Parameters
    ----------
    segments : (n_segments,) ndarray of int64
        Their numbers in the reference file, counted from 1.
    documents : (n_segments,) ndarray of str, or None
        The document of each segment; None where documents are not known.
    references : str
        Fingerprint of the references of the whole test set, in their order: statistics made with other references are
        never compared.
    n_references : int
        References per segment; 0 where their number varies, and where there are none.
    normalization : str, optional
        ``"nfc"`` where the reader brought all text into Unicode's normal form C; statistics of the same references with
        and without it are never compared.
    repaired : str, optional
        What was repaired on request before, as in the column that `repair_outputs` adds; statistics with different
        repairs are never compared.
    segment_ids : (n_segments,) ndarray of str, optional
        What the data call each segment.
    source_digests, reference_digests : (n_segments,) ndarray of int64, optional
        Digest of the source text of each segment, and of all its references; None where there are no such texts.
    unordered_references : str, optional
        Fingerprint of the references of the whole test set that is the same whatever the order of its segments.
    references_vary : bool
        Whether there are references, but not the same number of each segment; `n_references` is then 0.
    known_documents : str, optional
        The public test set from which the reader recognized the documents, such as ``wmt23 en-de, table 1``; None where
        they were given, or are not known.
    columns : dict of str to (n_segments,) ndarray of str
        Further columns of the outputs, such as ``domain``, that can be units or strata: see `describe_columns`. They
        say nothing of which segments these are.
    doubts : tuple of Doubt
        What seems wrong with the references, and with the outputs of systems. Test sets with other doubts are equal.
    lineage : object
        Shared by all parts of one test set: there, the numbers of segments say which they are.
    """

    __test__ = False  # not a test for pytest to collect

    segments: np.ndarray
    documents: np.ndarray | None
    references: str
    n_references: int
    normalization: str | None = None
    repaired: str | None = None
    segment_ids: np.ndarray | None = field(default=None, repr=False)
    source_digests: np.ndarray | None = field(default=None, repr=False)
    reference_digests: np.ndarray | None = field(default=None, repr=False)
    unordered_references: str | None = field(default=None, repr=False)
    references_vary: bool = field(default=False, repr=False)
    known_documents: str | None = field(default=None, repr=False)
    columns: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    doubts: tuple[Doubt, ...] = field(default=(), repr=False)
    lineage: object = field(default_factory=object, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.segments)

    @property
    def n_documents(self) -> int | None:
        """Number of documents; None where they are not known."""
        return None if self.documents is None else len(dict.fromkeys(self.documents))

    @property
    def has_references(self) -> bool:
        """Whether there are references: judgements may come without any text."""
        return self.n_references > 0 or self.references_vary or self.reference_digests is not None

    def take(self, positions: np.ndarray) -> TestSet:
        """Return a part of the test set: positions counted from 0, or a mask."""
        known = {name: getattr(self, name) for name in OF_SEGMENTS}
        taken: dict[str, Any] = {name: None if one is None else one[positions] for name, one in known.items()}
        columns = {name: one[positions] for name, one in self.columns.items()}
        doubts = doubts_of_part(self.doubts, self.segments, taken["segments"])
        return replace(self, columns=columns, doubts=doubts, **taken)

    def filled_from(self, other: TestSet) -> TestSet:
        """Return the test set with what only ``other`` knows of its segments, which stand in the same order."""
        names = [name for name in OF_SEGMENTS if getattr(self, name) is None and getattr(other, name) is not None]
        if self.known_documents and other.documents is not None and not other.known_documents:
            names += ["documents"]  # those that were given win
        if "documents" in names:
            names += ["known_documents"]
        if other.has_references and not self.has_references:
            names += ["segments", "lineage", *OF_THE_WHOLE]  # segments have the numbers of their references
        elif self.unordered_references is None and other.unordered_references is not None:
            names += ["unordered_references"]
        columns = self.columns | {name: one for name, one in other.columns.items() if name not in self.columns}
        if not names and len(columns) == len(self.columns):
            return self
        return replace(self, columns=columns, **{name: getattr(other, name) for name in names})

    def without_identity(self) -> TestSet:
        """Return the test set with what does not say which segments these are: their numbers, documents and columns."""
        return replace(self, segment_ids=None, source_digests=None, reference_digests=None, lineage=object())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TestSet):
            return NotImplemented
        names = (*OF_SEGMENTS, *OF_THE_WHOLE, "known_documents")
        return self.columns.keys() == other.columns.keys() and all(
            np.array_equal(one, another)
            for one, another in [
                *((getattr(self, name), getattr(other, name)) for name in names),
                *((one, other.columns[name]) for name, one in self.columns.items()),
            ]
        )


@dataclass(frozen=True, eq=False, repr=False)
class SystemStatistics:
    """The statistics of one system, all its runs, under one metric.

    Parameters
    ----------
    metric : Metric
    system : str
    values : (n_runs, n_segments, n_statistics) ndarray
        Of int64 where the metric's statistics are counts, else of float64.
    test_set : TestSet
    metric_signature : str, optional
        As in `SegmentStatistics`.
    given_names : tuple of str, default ()
        What the runs are called, where that is known: see `run_names`.
    """

    metric: Metric
    system: str
    values: np.ndarray
    test_set: TestSet
    metric_signature: str | None = None
    given_names: tuple[str, ...] = ()

    @property
    def run_names(self) -> tuple[str, ...]:
        """What the runs are called, such as the numbers in the names of their files; else 1, 2, 3 ..."""
        return self.given_names or tuple(str(number) for number in range(1, self.n_runs + 1))

    @property
    def n_runs(self) -> int:
        """Number of runs."""
        return self.values.shape[0]

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return self.values.shape[1]

    @property
    def signature(self) -> str:
        """The metric's signature with the number of references, as sacreBLEU prints it."""
        return signature_of(self.metric, self.test_set, self.metric_signature)

    @cached_property
    def missing(self) -> np.ndarray:
        """Which segments have no score of their own in at least one run, as (n_segments,) ndarray of bool."""
        return ~np.all(scored(self.metric, self.values), axis=0)

    def score(self, weights: np.ndarray | None = None) -> np.ndarray:
        """Score virtual test sets.

        Parameters
        ----------
        weights : (n_weights, n_segments) ndarray, optional
            How often each segment occurs in each virtual test set; without it, the whole test set.

        Returns
        -------
        (n_weights, n_runs) ndarray of float64
            Scores on the metric's scale; one row where there are no weights.
        """
        if weights is None:
            totals = self.values.sum(axis=1, dtype=np.float64)[None]
        else:
            weights = np.atleast_2d(np.asarray(weights, dtype=np.float64))
            if weights.shape[1] != self.n_segments:
                raise InputError(
                    "weights-shape",
                    f"The weights have {weights.shape[1]} columns, but {self.system!r} has {self.n_segments} segments: "
                    "one column per segment was expected.",
                )
            totals = np.stack([weights @ run for run in self.values.astype(np.float64)], axis=1)
        return self.metric.score(totals)

    def take(self, positions: np.ndarray) -> SystemStatistics:
        """Return the statistics of some segments: positions counted from 0, or a mask."""
        return replace(self, values=self.values[:, positions], test_set=self.test_set.take(positions))

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """What seems wrong with the references, and with the outputs of this system."""
        return doubts_about(self.test_set.doubts, [self.system])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SystemStatistics):
            return NotImplemented
        return (
            (self.metric, self.system, self.signature, self.run_names)
            == (other.metric, other.system, other.signature, other.run_names)
            and np.array_equal(self.values, other.values)
            and self.test_set == other.test_set
        )

    def __hash__(self) -> int:
        return hash((self.system, self.values.shape))

    def __repr__(self) -> str:
        size = _describe_size(self.test_set)
        return f"SystemStatistics({self.metric.name} of {_name_with_runs(self.system, self.n_runs)}; {size})"

    def _repr_html_(self) -> str:
        return SegmentStatistics(
            self.metric, {self.system: self.values}, self.test_set, self.metric_signature
        )._repr_html_()


@dataclass(frozen=True, eq=False, repr=False)
class SegmentStatistics(Mapping[str, SystemStatistics], Shown):
    """The statistics of several systems on one test set under one metric: system name -> `SystemStatistics`.

    Two are equal if they have the same metric, signature and test set, and the same values for the same systems, given
    in the same order.

    Parameters
    ----------
    metric : Metric
    values : dict of str to (n_runs, n_segments, n_statistics) ndarray
        One array per system, in the order in which the systems were given; numbers of runs may differ.
    test_set : TestSet
    metric_signature : str, optional
        The metric's signature when the statistics were made, where they come from a file (another version of sacreBLEU
        may have made them); None: the metric's own.
    run_names : dict of str to tuple of str
        What the runs of a system are called, such as the numbers in the names of their files, where that is known.

    Attributes
    ----------
    doubts : tuple of Doubt
        What seems wrong with the references, and with the outputs of these systems.
    """

    metric: Metric
    values: dict[str, np.ndarray] = field()  # type: ignore[assignment]  # `field()`: otherwise dataclass would take Mapping.values for the default
    test_set: TestSet
    metric_signature: str | None = None
    run_names: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def signature(self) -> str:
        """The metric's signature with the number of references, as sacreBLEU prints it."""
        return signature_of(self.metric, self.test_set, self.metric_signature)

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """What seems wrong with the references, and with the outputs of these systems."""
        return doubts_about(self.test_set.doubts, self.values)

    def __getitem__(self, system: str) -> SystemStatistics:
        if not isinstance(system, str) or system not in self.values:
            raise InputError(
                "unknown-system",
                f"There is no system {excerpt(system)} among the statistics, which have "
                f"{', '.join(map(repr, self.values))}.",
            )
        names = self.run_names.get(system, ())
        return SystemStatistics(self.metric, system, self.values[system], self.test_set, self.metric_signature, names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __contains__(self, system: object) -> bool:
        return system in self.values

    def score(self, weights: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """Score virtual test sets with every system: see `SystemStatistics.score`."""
        return {system: self[system].score(weights) for system in self}

    def take(self, positions: np.ndarray) -> SegmentStatistics:
        """Return the statistics of some segments: positions counted from 0, or a mask."""
        values = {system: array[:, positions] for system, array in self.values.items()}
        return replace(self, values=values, test_set=self.test_set.take(positions))

    def choose(self, systems: Sequence[str]) -> SegmentStatistics:
        """Return the statistics of some systems, in the order in which they are named.

        Parameters
        ----------
        systems : sequence of str
            Names, or patterns such as ``online-*``.

        Raises
        ------
        InputError
            Where there is no such system (code ``unknown-system``).
        """
        return replace(self, values=choose_from(self.values, systems))

    def to_frame(self) -> pd.DataFrame:
        """Return the statistics as a tidy frame, one row per (system, run, segment)."""
        frames = []
        for system, array in self.values.items():
            for run, statistics in enumerate(array, start=1):
                head = {"system": system, "run": run}
                if self.run_names:
                    own = self[system]
                    # Of several runs without names nothing is known; a single one needs none.
                    head["run_name"] = own.run_names[run - 1] if own.given_names or own.n_runs == 1 else ""
                head["segment"] = self.test_set.segments
                if self.test_set.documents is not None:
                    head["document"] = self.test_set.documents
                columns = dict(zip(self.metric.statistic_names, statistics.T, strict=True))
                frames.append(pd.DataFrame(head | columns))
        return pd.concat(frames, ignore_index=True)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SegmentStatistics):
            return NotImplemented
        return (
            (self.metric, self.signature, [*self]) == (other.metric, other.signature, [*other])
            and all(self[system].run_names == other[system].run_names for system in self)
            and all(np.array_equal(array, other.values[system]) for system, array in self.values.items())
            and self.test_set == other.test_set
        )

    def __repr__(self) -> str:
        runs = {system: len(array) for system, array in self.values.items()}
        alike = len(runs) > 1 and len(set(runs.values())) == 1
        each = f", {max(runs.values())} runs of each" if alike and max(runs.values()) > 1 else ""
        names = [_name_with_runs(system, 1 if alike else number) for system, number in runs.items()]
        if len(names) > NAMED:
            names[NAMED - 1 :] = [f"and {len(names) - NAMED + 1} more"]
        systems = tally(len(self), "system") + each + (f": {', '.join(names)}" if names else "")
        return f"SegmentStatistics({self.metric.name} of {systems}; {_describe_size(self.test_set)})"


def _name_with_runs(system: str, n_runs: int) -> str:
    return repr(system) if n_runs == 1 else f"{system!r} ({n_runs} runs)"


def _describe_size(test_set: TestSet) -> str:
    documents = test_set.n_documents
    known = ", documents unknown" if documents is None else f" in {tally(documents, 'document')}"
    return f"{tally(len(test_set), 'segment')}{known}"


def signature_of(metric: Metric, test_set: TestSet, metric_signature: str | None = None) -> str:
    """Return the metric's signature with the number of references before it, as sacreBLEU prints it.

    Where the reader normalized all text, ``unicode:nfc`` follows, and ``repaired:`` with what was repaired on request.
    A `MeanScore` has read no text, so there it is the metric's signature alone.
    """
    signature = metric.signature if metric_signature is None else metric_signature
    if isinstance(metric, MeanScore):
        return signature
    normalization = f"|unicode:{test_set.normalization}" if test_set.normalization else ""
    repaired = f"|repaired:{test_set.repaired}" if test_set.repaired else ""
    return f"nrefs:{test_set.n_references or 'var'}|{signature}{normalization}{repaired}"


@overload
def compute_statistics(  # type: ignore[overload-overlap]  # a str is a sequence of str
    outputs: Tabular, metric: str | Metric, *, progress: Progress | None = None
) -> SegmentStatistics: ...


@overload
def compute_statistics(
    outputs: Tabular, metric: Sequence[str | Metric], *, progress: Progress | None = None
) -> list[SegmentStatistics]: ...


def compute_statistics(
    outputs: Tabular,
    metric: str | Metric | Sequence[str | Metric],
    *,
    progress: Progress | None = None,
) -> SegmentStatistics | list[SegmentStatistics]:
    """Compute the statistics of every segment of every run of every system.

    Parameters
    ----------
    outputs : DataFrame
        One row per (system, run, segment), as `read_outputs` returns it; or what can be made one: see `check_outputs`.
    metric : str or Metric; or a list of these
        Such as ``"bleu"``, ``"chrf:word_order=2"`` or ``Bleu(tokenize="none")``; or the name of a column of numbers of
        the outputs, such as ``"comet"`` after `add_scores`: the `MeanScore` of the column.
    progress : callable, optional
        Wrapped around the list of runs, such as ``tqdm``; of several metrics, around each one's.

    Returns
    -------
    SegmentStatistics, or a list of them
        A list where ``metric`` is one, in its order; `compare` takes it as it is. Systems in the order of the outputs.
        By metrics of this package, runs with identical texts are scored once, and statistics that took long to compute
        are kept in the user's cache folder (see `mtworkbench.cache`). Columns such as ``domain`` travel along
        (`describe_columns`), and can be units and strata of the tests.

    Raises
    ------
    InputError
        Where the frame is not as `check_outputs` says, ``metric`` is not a metric (``not-a-metric``) or is one that
        another program computes (``not-computed-here``), a segment has no reference that the metric could read, or the
        metric's statistics are not finite numbers, one row per segment.

    Warns
    -----
    DataWarning
        ``damaged-cache`` where statistics were kept in files that are damaged now, and were computed again;
        ``cache-not-written``, once in each process, where statistics that took long to compute cannot be kept;
        ``unknown-direction`` for a `MeanScore` of which nothing says whether higher or lower is better;
        ``opposite-direction`` for one whose given direction is not the one noted in the outputs, or whose name says
        that lower is better while no score is above 0;
        ``large-offset`` for one whose scores lie so far from 0 that the differences between them count as ties;
        ``tokenized-twice`` where outputs and references are tokenized already and the metric tokenizes them again;
        ``no-blanks`` where the metric finds words by blanks, and the references have none between words;
        ``long-segment``, before the work begins, where GTM or, without numba, TER may take minutes for a segment.
    """
    several = isinstance(metric, Sequence) and not isinstance(metric, str)
    chosen = metric if isinstance(metric, Sequence) and not isinstance(metric, str) else [metric]
    if not chosen:
        raise InputError("not-a-metric", "The list of metrics is empty, but at least one metric was expected.")
    outputs = outputs_frame(outputs)
    check_outputs(outputs)
    metrics = [choose_metric(one, outputs) for one in chosen]
    runs = DescribedRuns(FrameRuns(outputs))
    found: list[SegmentStatistics] = []
    for one in metrics:
        with work_to_come((len(metrics) - len(found) - 1) * len(runs.rows)):
            found.append(_compute_one(outputs, runs, one, progress))
    return found if several else found[0]


def _compute_one(
    outputs: pd.DataFrame, runs: DescribedRuns, metric: Metric, progress: Progress | None
) -> SegmentStatistics:
    """Compute the statistics of one metric; a warning points to the caller of `compute_statistics`."""
    if isinstance(metric, MeanScore):
        if (opposite := against_note(metric, outputs)) is not None:
            opposite.warn()
        metric = metric.directed_by(outputs)
    return compute_run_by_run(runs, metric, progress=progress)


class DescribedRuns:
    """Runs that need not be held at the same time, and what all metrics need to know of them.

    Parameters
    ----------
    runs : sequence of DataFrame
        The rows of each run, as `FrameRuns` or `RunFrames` return them; asked for one at a time, perhaps repeatedly.

    Attributes
    ----------
    rows : sequence of DataFrame
        The runs as they were given.
    test_set : TestSet
        With the columns that are the same in all runs.
    systems : list of str
        Whose each run is.
    run_names : dict of str to tuple of str
        As in `SegmentStatistics`.
    digests : list of bytes
        What stands for the hypotheses of each run; empty where there are none.
    """

    def __init__(self, runs: Runs):
        self.rows = runs
        first = runs[0]
        self.test_set = replace(describe_test_set(first), columns=describe_columns(first), doubts=look_again(runs))
        del first  # no run is held while the next is read
        self.systems: list[str] = []
        self._labels: dict[str, list[str | None]] = {}
        self.digests: list[bytes] = []
        for position in range(len(runs)):
            self._look_at(runs[position])  # without a name, so that no run is held while the next is read
        if any(map(name_labelled, self._labels.values())):  # then the column is of runs, not of segments
            columns = {name: values for name, values in self.test_set.columns.items() if name != "run_name"}
            self.test_set = replace(self.test_set, columns=columns)

    @property
    def run_names(self) -> dict[str, tuple[str, ...]]:
        """What the runs of each system are called, where that is known."""
        return name_runs(self._labels)

    def _look_at(self, rows: pd.DataFrame) -> None:
        columns = self.test_set.columns
        same = {name: one for name, one in columns.items() if (rows[name].to_numpy(dtype=object) == one).all()}
        self.test_set = replace(self.test_set, columns=same)
        self.systems.append(rows["system"].iloc[0])
        if "run_name" in rows.columns:
            self._labels.setdefault(self.systems[-1], []).append(label_run(rows["run_name"]))
        if "hypothesis" in rows.columns:
            self.digests.append(digest_texts(rows["hypothesis"].tolist()))


def name_runs(labels: Mapping[str, Sequence[str | None]]) -> dict[str, tuple[str, ...]]:
    """Name the runs of each system by their labels; a single run 1 is nothing to tell apart."""
    names = {system: name_labelled(own) for system, own in labels.items()}
    return {system: own for system, own in names.items() if own not in ((), ("1",))}


def compute_run_by_run(runs: DescribedRuns, metric: Metric, *, progress: Progress | None = None) -> SegmentStatistics:
    """Compute the statistics of every segment of runs that need not be held at the same time.

    Parameters
    ----------
    runs : DescribedRuns
    metric : Metric
        A `MeanScore` as `MeanScore.directed_by` returns it.
    progress : callable, optional
        As of `compute_statistics`.

    Returns
    -------
    SegmentStatistics
        As of `compute_statistics`.

    Raises
    ------
    InputError
        Where a segment has no reference that the metric could read, or the metric's statistics are not finite numbers,
        one row per segment.

    Warns
    -----
    DataWarning
        As `compute_statistics`, apart from ``opposite-direction``.
    """
    twice = doubt_tokens(metric, runs.rows)
    warn_of_tokens(twice)
    if (unsplit := words_without_blanks(metric, runs.rows)) is not None:
        unsplit.warn()
    computed = _Computed(metric, runs)
    missing = computed.find_missing()
    if (long := long_segments(metric, runs.rows, missing)) is not None:
        long.warn()
    positions = range(len(runs.rows))
    for position in progress(positions) if progress else positions:
        with work_to_come(len(missing) - bisect(missing, position)):
            computed.add(position)
    for wrong in computed.warnings():
        wrong.warn()
    statistics = computed.statistics()
    if twice is not None:  # of this metric alone: others may not tokenize
        doubts = (*statistics.test_set.doubts, twice)
        statistics = replace(statistics, test_set=replace(statistics.test_set, doubts=doubts))
    if isinstance(metric, MeanScore):
        values = statistics.values.values()
        for odd in (unknown_direction(metric), negated_scores(metric, values), large_offset(metric, values)):
            if odd is not None:
                odd.warn()
    return statistics


class _Computed:
    """The statistics of runs: first those that were kept, then those that are computed.

    Parameters
    ----------
    metric : Metric
    runs : DescribedRuns
    """

    def __init__(self, metric: Metric, runs: DescribedRuns):
        self._metric = metric
        self._runs = runs
        self._cache = None
        self._known: dict[bytes, np.ndarray] = {}
        self._values: dict[str, list[np.ndarray]] = {}
        if _reads_texts_alone(metric) and runs.digests:
            self._cache = StatisticsCache(metric, runs.test_set.references, len(runs.test_set))
            found = {texts: self._cache.find(texts) for texts in dict.fromkeys(runs.digests)}
            self._known = {texts: values for texts, values in found.items() if values is not None}

    def find_missing(self) -> list[int]:
        """Return the positions of the runs whose statistics were not kept."""
        positions = range(len(self._runs.rows))
        return [i for i in positions if self._cache is None or self._runs.digests[i] not in self._known]

    def add(self, position: int) -> None:
        """Add the statistics of a run: its own only where they are not those of another run with the same texts."""
        of_system = self._values.setdefault(self._runs.systems[position], [])
        if self._cache is None:
            of_system.append(_run_statistics(self._runs.rows[position], self._metric))
            return
        texts = self._runs.digests[position]
        if texts not in self._known:
            compute = partial(_run_statistics, self._runs.rows[position], self._metric)
            self._known[texts] = self._cache.compute(texts, compute)
        of_system.append(self._known[texts])

    def warnings(self) -> list[DataWarning]:
        """Return the warnings about what was wrong with what was kept, or with keeping it."""
        return [] if self._cache is None else self._cache.warnings()

    def statistics(self) -> SegmentStatistics:
        """Return the statistics of all runs."""
        self._known.clear()
        # Each run's own array goes once it is in its system's.
        stacked = {system: np.stack(self._values.pop(system)) for system in list(self._values)}
        return SegmentStatistics(self._metric, stacked, self._runs.test_set, run_names=self._runs.run_names)


def _reads_texts_alone(metric: Metric) -> bool:
    """Tell whether identical hypotheses have identical statistics, so that they are computed once.

    References are the same in all runs. A mean score is of a column of its own, and a metric that is not of this
    package may read any column, the name of the system as well.
    """
    return type(metric) in METRICS.values() and not isinstance(metric, MeanScore)


def _run_statistics(rows: pd.DataFrame, metric: Metric) -> np.ndarray:
    statistics = np.asarray(metric.segment_statistics(rows))
    expected = (len(rows), len(metric.statistic_names))
    if statistics.shape != expected or not np.isfinite(statistics).all():
        raise InputError(
            "metric-statistics",
            f"The metric {metric.name} returned statistics of shape {statistics.shape}, but finite numbers of shape "
            f"{expected} were expected: one row per segment, one column per statistic name.",
        )
    return statistics


def describe_test_set(run: pd.DataFrame) -> TestSet:
    """Describe the test set of one run's rows, in segment order."""
    references = [run[name].tolist() for name in reference_columns(run)]
    whole = f"{len(references)} references of {len(run)} segments"
    fingerprint = hashlib.sha256(whole.encode())
    for texts in references:
        for text in texts:
            fingerprint.update(encode(text))
    digests = unordered = None
    if references:
        digests = _digest_texts(*references)
        unordered = hashlib.sha256(f"{whole}, in any order".encode() + np.sort(digests).astype("<i8").tobytes())
    counts = np.array([[isinstance(text, str) for text in texts] for texts in references], dtype=np.int64).sum(axis=0)
    equal_counts = bool(references) and bool((counts == counts[0]).all())
    return TestSet(
        segments=run["segment"].to_numpy(dtype=np.int64),
        documents=run["document"].to_numpy(dtype=object) if "document" in run.columns else None,
        known_documents=note_known_documents(run),
        references=fingerprint.hexdigest(),
        n_references=int(counts[0]) if equal_counts else 0,
        references_vary=bool(references) and not equal_counts,
        normalization=run["normalization"].iloc[0] if "normalization" in run.columns else None,
        repaired="+".join(note_repairs(run)) or None,
        segment_ids=_name_segments(run, bool(references)),
        source_digests=_digest_texts(run["source"].tolist()) if "source" in run.columns else None,
        reference_digests=digests,
        unordered_references=None if unordered is None else unordered.hexdigest(),
    )


def describe_columns(run: pd.DataFrame) -> dict[str, np.ndarray]:
    """Find the columns of an outputs frame that sort its segments into groups, such as ``domain`` or ``speaker``.

    Parameters
    ----------
    run : DataFrame
        The rows of one run, in segment order. Groups of segments are only those columns that are the same in all runs.

    Returns
    -------
    dict of str to (n_segments,) ndarray of str
        Every further column of text that at least two segments share a value of. (Columns of numbers are scores.)
    """
    notes = {f"{name}_direction" for name in run.columns} | {*NOTES}
    further = [name for name in run.columns if name not in NO_GROUPS | notes and not is_reference(name)]
    found = {}
    for name in further:
        values = run[name].to_numpy(dtype=object)
        if all(isinstance(value, str) for value in values) and len(set(values)) < len(values):
            found[name] = values
    return found


def _name_segments(run: pd.DataFrame, has_references: bool) -> np.ndarray | None:
    """Return what the data call the segments; None where there are only numbers that any test set could have."""
    if "segment_id" in run.columns:
        return run["segment_id"].to_numpy(dtype=object)
    # Judgements come with the numbers of their table, which together with the documents tell segments apart;
    # the numbers of texts say no more than their order.
    if "document" in run.columns and not has_references:
        return run["segment"].astype(str).to_numpy(dtype=object)
    return None


def _digest_texts(*columns: Sequence[str | None]) -> np.ndarray:
    """Return 64 bits that stand for the texts of each segment, as (n_segments,) ndarray of int64."""
    digests = (hashlib.blake2b(b"".join(map(encode, texts)), digest_size=8) for texts in zip(*columns, strict=True))
    return np.frombuffer(b"".join(digest.digest() for digest in digests), dtype="<i8").astype(np.int64)


#: The statistics of a test set under each metric, or those of several test sets by the names of these.
StatisticsOfSets = Sequence[SegmentStatistics] | Mapping[str, Sequence[SegmentStatistics]]
