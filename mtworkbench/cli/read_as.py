"""What was read, in one line: systems, runs, documents and segments, and how files were taken for these."""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mtworkbench.errors import DataWarning, InputError, ReadAs
from mtworkbench.outputs.files.read_as import describe_read

if TYPE_CHECKING:
    from mtworkbench.outputs.checks.frames import Runs
    from mtworkbench.statistics.segment_statistics import SegmentStatistics, StatisticsOfSets

AS_SYSTEMS = "To compare the files as systems, name each with --system NAME=FILE."


@contextmanager
def explaining_failure(options: argparse.Namespace) -> Iterator[None]:
    """Say how files were taken also where they then cannot be read."""
    try:
        yield
    except InputError:
        if taken := _how_taken(options):
            DataWarning("files-by-name", " ".join(taken)).warn(stacklevel=2)
        raise


def sets_of(statistics: StatisticsOfSets) -> list[Sequence[SegmentStatistics]]:
    """Return the statistics of each test set."""
    return list(statistics.values()) if isinstance(statistics, Mapping) else [statistics]


def say_what_was_read(options: argparse.Namespace, statistics: StatisticsOfSets) -> None:
    """Say what was read of outputs or statistics."""
    first = [one[0] for one in sets_of(statistics)]
    runs = {name: max(one[name].n_runs for one in first) for name in first[0]}
    documents = [one.test_set.n_documents for one in first]
    n_documents = None if None in documents else sum(filter(None, documents))
    say_counts(options, runs, n_documents, sum(len(one.test_set) for one in first), len(first))


def say_frames(options: argparse.Namespace, runs: Runs) -> None:
    """Say what was read of texts, given the frame of each run."""
    first = runs[0]
    documents = first["document"].nunique() if "document" in first.columns else None
    say_counts(options, Counter(frame["system"].iloc[0] for frame in runs), documents, len(first))


def say_counts(
    options: argparse.Namespace, runs: Mapping[str, int], n_documents: int | None, n_segments: int, n_sets: int = 1
) -> None:
    """Say what was read, given the number of runs of each system and of what all have."""
    taken = _how_taken(options)
    guessed = bool(taken) or options.from_folder
    read = describe_read(runs, n_documents, n_segments, n_sets, named=guessed, runs_by=options.runs_by)
    found = {"systems": len(runs), "runs": sum(runs.values()), "documents": n_documents, "segments": n_segments}
    warnings.warn(ReadAs("files-by-name", " ".join([read, *taken]), found, guessed=guessed), stacklevel=2)


def _how_taken(options: argparse.Namespace) -> list[str]:
    """Return the sentences on how files were taken, beyond what the command said."""
    return [*([AS_SYSTEMS] if options.runs_by else []), *options.taken]
