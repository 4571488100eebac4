"""Segment statistics with the names of what they are statistics of.

Text is read and tokenized once and then never seen again: every test and every figure starts here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.metrics import MeanScore, make_metric
from mtworkbench.metrics.protocol import Metric
from mtworkbench.metrics.texts import reference_columns
from mtworkbench.outputs.checks import check_outputs


@dataclass(frozen=True, eq=False)
class TestSet:
    """Which segments the statistics are of.

    Parameters
    ----------
    segments : (n_segments,) ndarray of int64
        Their numbers in the reference file, counted from 1.
    documents : (n_segments,) ndarray of str, or None
        The document of each segment; None where documents are not known.
    references : str
        Fingerprint of the references of the whole test set: statistics made with other references are never compared.
    n_references : int
        References a segment; 0 where their number varies.
    normalization : str, optional
        ``"nfc"`` where the reader brought all text into Unicode's normal form C; statistics of the same references with
        and without it are never compared.
    """

    __test__ = False  # not a test for pytest to collect

    segments: np.ndarray
    documents: np.ndarray | None
    references: str
    n_references: int
    normalization: str | None = None

    def __len__(self) -> int:
        return len(self.segments)

    @property
    def n_documents(self) -> int | None:
        """Number of documents; None where they are not known."""
        return None if self.documents is None else len(dict.fromkeys(self.documents))

    def take(self, positions: np.ndarray) -> TestSet:
        """Return a part of the test set: positions counted from 0, or a mask."""
        documents = None if self.documents is None else self.documents[positions]
        return replace(self, segments=self.segments[positions], documents=documents)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TestSet):
            return NotImplemented
        same_documents = (self.documents is None) == (other.documents is None) and (
            self.documents is None or np.array_equal(self.documents, other.documents)
        )
        return (
            self.references == other.references
            and self.n_references == other.n_references
            and self.normalization == other.normalization
            and np.array_equal(self.segments, other.segments)
            and same_documents
        )

    __hash__ = None


@dataclass(frozen=True, eq=False)
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
    """

    metric: Metric
    system: str
    values: np.ndarray = field(repr=False)
    test_set: TestSet = field(repr=False)
    metric_signature: str | None = field(default=None, repr=False)

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

    @property
    def missing(self) -> np.ndarray:
        """Which segments have no score of their own in at least one run, as (n_segments,) ndarray of bool."""
        if not self.metric.may_be_missing:
            return np.zeros(self.n_segments, dtype=bool)
        return (self.values[..., -1] == 0).any(axis=0)

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
                    "one column a segment was expected.",
                )
            totals = np.stack([weights @ run for run in self.values.astype(np.float64)], axis=1)
        return self.metric.score(totals)

    def take(self, positions: np.ndarray) -> SystemStatistics:
        """Return the statistics of some segments: positions counted from 0, or a mask."""
        return replace(self, values=self.values[:, positions], test_set=self.test_set.take(positions))


@dataclass(frozen=True, eq=False)
class SegmentStatistics(Mapping):
    """The statistics of several systems on one test set under one metric: system name -> `SystemStatistics`.

    Parameters
    ----------
    metric : Metric
    values : dict of str to (n_runs, n_segments, n_statistics) ndarray
        One array a system, in the order in which the systems were given; numbers of runs may differ.
    test_set : TestSet
    metric_signature : str, optional
        The metric's signature when the statistics were made, where they come from a file (another version of sacreBLEU
        may have made them); None: the metric's own.
    """

    metric: Metric
    values: dict[str, np.ndarray] = field(repr=False)
    test_set: TestSet = field(repr=False)
    metric_signature: str | None = field(default=None, repr=False)

    @property
    def signature(self) -> str:
        """The metric's signature with the number of references, as sacreBLEU prints it."""
        return signature_of(self.metric, self.test_set, self.metric_signature)

    def __getitem__(self, system: str) -> SystemStatistics:
        if system not in self.values:
            raise InputError(
                "unknown-system",
                f"There is no system {system!r} among the statistics, which have {', '.join(map(repr, self.values))}.",
            )
        return SystemStatistics(self.metric, system, self.values[system], self.test_set, self.metric_signature)

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

    def to_frame(self) -> pd.DataFrame:
        """Return the statistics as a tidy frame, one row a (system, run, segment)."""
        frames = []
        for system, array in self.values.items():
            for run, statistics in enumerate(array, start=1):
                head = {"system": system, "run": run, "segment": self.test_set.segments}
                if self.test_set.documents is not None:
                    head["document"] = self.test_set.documents
                columns = dict(zip(self.metric.statistic_names, statistics.T, strict=True))
                frames.append(pd.DataFrame(head | columns))
        return pd.concat(frames, ignore_index=True)


def signature_of(metric: Metric, test_set: TestSet, metric_signature: str | None = None) -> str:
    """Return the metric's signature with the number of references before it, as sacreBLEU prints it.

    Where the reader normalized all text, ``unicode:nfc`` follows. A `MeanScore` has read no text, so there it is the
    metric's signature alone.
    """
    signature = metric.signature if metric_signature is None else metric_signature
    if isinstance(metric, MeanScore):
        return signature
    normalization = f"|unicode:{test_set.normalization}" if test_set.normalization else ""
    return f"nrefs:{test_set.n_references or 'var'}|{signature}{normalization}"


def compute_statistics(
    outputs: pd.DataFrame,
    metric: str | Metric,
    *,
    progress: Callable[[Iterable], Iterable] | None = None,
) -> SegmentStatistics:
    """Compute the statistics of every segment of every run of every system.

    Parameters
    ----------
    outputs : DataFrame
        One row a (system, run, segment), as `read_outputs` returns it.
    metric : str or Metric
        Such as ``"bleu"``, ``"chrf:word_order=2"`` or ``Bleu(tokenize="none")``.
    progress : callable, optional
        Wrapped around the list of runs, such as ``tqdm``.

    Returns
    -------
    SegmentStatistics
        Systems in the order of the outputs.

    Raises
    ------
    InputError
        Where the frame is not as `check_outputs` says, a segment has no reference that the metric could read, or the
        metric's statistics are not finite numbers, one row a segment.
    """
    metric = make_metric(metric)
    check_outputs(outputs)
    runs = [(system, rows) for (system, _), rows in outputs.groupby(["system", "run"], sort=False)]
    test_set = describe_test_set(runs[0][1])
    values: dict[str, list[np.ndarray]] = {}
    for system, rows in progress(runs) if progress else runs:
        values.setdefault(system, []).append(_run_statistics(rows, metric))
    return SegmentStatistics(metric, {system: np.stack(arrays) for system, arrays in values.items()}, test_set)


def _run_statistics(rows: pd.DataFrame, metric: Metric) -> np.ndarray:
    statistics = np.asarray(metric.segment_statistics(rows))
    expected = (len(rows), len(metric.statistic_names))
    if statistics.shape != expected or not np.isfinite(statistics).all():
        raise InputError(
            "metric-statistics",
            f"The metric {metric.name} returned statistics of shape {statistics.shape}, but finite numbers of shape "
            f"{expected} were expected: one row a segment, one column a statistic name.",
        )
    return statistics


def describe_test_set(run: pd.DataFrame) -> TestSet:
    """Describe the test set of one run's rows, in segment order."""
    columns = reference_columns(run)
    digest = hashlib.sha256(f"{len(columns)} references of {len(run)} segments".encode())
    counts = np.zeros(len(run), dtype=np.int64)
    for name in columns:
        for position, text in enumerate(run[name]):
            if isinstance(text, str):
                encoded = text.encode("utf-8", "surrogatepass")
                digest.update(b"%d:" % len(encoded))
                digest.update(encoded)
                counts[position] += 1
            else:
                digest.update(b"-")
    documents = run["document"].to_numpy(dtype=object) if "document" in run.columns else None
    return TestSet(
        segments=run["segment"].to_numpy(dtype=np.int64),
        documents=documents,
        references=digest.hexdigest(),
        n_references=int(counts[0]) if (counts == counts[0]).all() else 0,
        normalization=run["normalization"].iloc[0] if "normalization" in run.columns else None,
    )
