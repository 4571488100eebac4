"""What a report holds: a result, what else is said of it, and what is needed to compute it again."""

from __future__ import annotations

import base64
import hashlib
import math
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from mtworkbench.analyses.conventions import conventions
from mtworkbench.errors import DataWarning, InputError, ReadAs
from mtworkbench.inference import Plan, plan_test_set
from mtworkbench.inference.conventions import Conventions
from mtworkbench.metrics.directions import has_direction
from mtworkbench.reports.page import write_page
from mtworkbench.reports.segments import MOST_BYTES, Segments, gather_segments
from mtworkbench.results.campaigns import CampaignComparison
from mtworkbench.results.comparisons import AnyComparison, AnyMetric, Comparison
from mtworkbench.statistics.files import pack_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables.data import describe_metrics, to_json
from mtworkbench.version import __version__
from mtworkbench.words.frames import plain
from mtworkbench.words.scopes import pairs_from_best
from mtworkbench.writing import replace_file

FORMAT, SCHEMA = "mtworkbench report", 1
#: Of more pairs than this, over all test sets, the rules of other tools are asked about those whose p is closest to the
#: level: there they disagree.
MOST_PAIRS = 6
#: Of each metric, so many of the largest differences that are not shown have a plan.
MOST_PLANS = 3
FORMATS = ("html", "json")


@dataclass(frozen=True)
class InputFile:
    """A file that a result was computed from.

    Parameters
    ----------
    path : str
        As the command names it.
    n_bytes : int
    sha256 : str
    """

    path: str
    n_bytes: int
    sha256: str


@dataclass(frozen=True, eq=False)
class Report:
    """A result with what a reader asks next.

    Parameters
    ----------
    comparison : Comparison or CampaignComparison
    rules : tuple of (str, Conventions)
        By the name of the test set, empty where there is one: what the rules of other tools say.
    plans : tuple of Plan
        What would show the differences that are not shown.
    segments : tuple of (str, Segments)
        Which sentences make the differences, by the name of the test set.
    warnings : tuple of DataWarning
        What was noticed while reading.
    command : tuple of str
        The arguments of the command line; empty where the report was made in Python.
    files : tuple of InputFile
    """

    comparison: AnyComparison
    rules: tuple[tuple[str, Conventions], ...] = ()
    plans: tuple[Plan, ...] = ()
    segments: tuple[tuple[str, Segments], ...] = ()
    warnings: tuple[DataWarning, ...] = ()
    command: tuple[str, ...] = ()
    files: tuple[InputFile, ...] = ()


def write_report(
    comparison: AnyComparison,
    path: str | os.PathLike[str],
    *,
    outputs: pd.DataFrame | Mapping[str, pd.DataFrame] | None = None,
    texts: bool = True,
) -> None:
    """Write a comparison as one file, which a reviewer can read and check.

    Parameters
    ----------
    comparison : Comparison or CampaignComparison
    path : path
        Its ending, ``.html`` or ``.json``, is the format. The page opens in any browser, without a network.
    outputs : DataFrame, or mapping of str to DataFrame, optional
        What was compared, of several test sets by the names of these: with it, the report says which segments make
        the difference.
    texts : bool
        False leaves out all texts: for a test set that must not become public. Contributions, lengths and documents
        remain.

    Raises
    ------
    InputError
        ``not-a-comparison``, ``report-format`` for another ending, ``cannot-write``, and ``no-texts`` for outputs
        without texts.
    """
    format = choose_format(path)
    replace_file(path, write_as(make_report(comparison, outputs, texts=texts), format))


def choose_format(path: str | os.PathLike[str]) -> str:
    """Return the format that the ending of a report's file names, or refuse it (code ``"report-format"``)."""
    format = Path(path).suffix.lower().removeprefix(".") if isinstance(path, (str, os.PathLike)) else ""
    if format not in FORMATS:
        named = repr(os.fspath(path)) if isinstance(path, (str, os.PathLike)) else f"An object of {type(path).__name__}"
        raise InputError(
            "report-format", f"{named} cannot be the file of a report: its name must end in .html or .json."
        )
    return format


def write_as(report: Report, format: str) -> str:
    """Write a report as ``"html"`` or ``"json"``."""
    written = describe_report(report)
    return to_json(written) if format == "json" else write_page(report, written)


def make_report(
    comparison: AnyComparison,
    outputs: pd.DataFrame | Mapping[str, pd.DataFrame] | None = None,
    *,
    texts: bool = True,
    warnings: Iterable[DataWarning] = (),
    command: Sequence[str] = (),
    files: Iterable[str | InputFile] = (),
) -> Report:
    """Gather what a report holds: see `write_report`.

    Parameters
    ----------
    comparison, outputs, texts
        As of `write_report`.
    warnings : iterable of DataWarning
        What was noticed while reading.
    command : sequence of str
        The arguments of the command line.
    files : iterable of str or InputFile
        What the command read.
    """
    if not isinstance(comparison, (Comparison, CampaignComparison)):
        raise InputError(
            "not-a-comparison",
            f"An object of type {type(comparison).__name__} was given, but a comparison was expected: pass what "
            "compare() or compare_test_sets() returned.",
        )
    by_set = {} if outputs is None else outputs if isinstance(outputs, Mapping) else {"": outputs}
    return Report(
        comparison,
        tuple(ask_rules(comparison)),
        tuple(plan_more(comparison)),
        tuple(gather_sentences(comparison, by_set, texts)),
        tuple(one for one in warnings if not isinstance(one, ReadAs) or one.guessed),
        tuple(command),
        tuple(one if isinstance(one, InputFile) else describe_file(one) for one in files),
    )


def gather_sentences(
    comparison: AnyComparison, outputs: Mapping[str, pd.DataFrame], texts: bool
) -> Iterator[tuple[str, Segments]]:
    """Gather the segments of each pair of systems, test set by test set."""
    pairs = pairs_from_best(comparison)
    for name, statistics in statistics_of(comparison).items():
        if name in outputs and pairs:
            most = MOST_BYTES // len(outputs)
            yield name, gather_segments(outputs[name], statistics, pairs, texts=texts, most_bytes=most)


def statistics_of(comparison: AnyComparison) -> dict[str, tuple[SegmentStatistics, ...]]:
    """Return the statistics that were compared, by the name of the test set, which is empty where there is one."""
    if isinstance(comparison, CampaignComparison):
        return {name: one.statistics for name, one in comparison.on_sets.items()}
    return {"": comparison.statistics}


def ask_rules(comparison: AnyComparison) -> Iterator[tuple[str, Conventions]]:
    """Ask the rules of other tools about each pair, or about those whose p is closest to the level."""
    for name, one, a, b, key in _choose_pairs(comparison):
        settings = comparison.settings
        unit = settings.unit if settings.unit in ("segment", "document") else "auto"
        asked = {what: settings.asked.get(what) for what in ("n_resamples", "n_trials")}
        options: dict[str, Any] = asked | {"unit": unit, "level": settings.level, "rng": key}
        yield name, conventions(one[a], one[b], **options)


def _choose_pairs(comparison: AnyComparison) -> Iterator[tuple[str, SegmentStatistics, str, str, Any]]:
    """Return the pairs that rules are asked about: the test set, its statistics, both systems, and the key of draws."""
    key, sets = comparison.settings.random_key, statistics_of(comparison)
    most, threshold = max(1, MOST_PAIRS // len(sets)), math.log(1 - comparison.settings.level)
    for number, (name, statistics) in enumerate(sets.items(), start=1):
        metrics: list[AnyMetric] = [*comparison.metrics.values()]
        for one, metric in zip(statistics, metrics, strict=True):
            if not has_direction(one.metric):
                continue
            pairs = metric.comparisons_from_best
            places = sorted(range(len(pairs)), key=lambda place: abs(math.log(pairs[place].p_value) - threshold))[:most]
            for pair in (pairs[place] for place in sorted(places)):
                yield name, one, pair.a, pair.b, key.sample(number) if name else key


def plan_more(comparison: AnyComparison) -> Iterator[Plan]:
    """Plan what would show the differences of one test set that are not shown."""
    if isinstance(comparison, CampaignComparison):
        return
    for one, metric in zip(comparison.statistics, comparison.metrics.values(), strict=True):
        open_pairs = [pair for pair in metric.comparisons_from_best if pair.verdict != "significant"]
        for pair in sorted(open_pairs, key=lambda pair: -abs(pair.difference))[:MOST_PLANS]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)  # the result has said it
                try:
                    yield plan_test_set(one[pair.a], one[pair.b], level=comparison.settings.level)
                except InputError:  # nothing varies, or there is no difference that more segments could show
                    continue


def describe_file(path: str | os.PathLike[str]) -> InputFile:
    """Return a file's size and checksum."""
    with open(path, "rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
        return InputFile(os.fspath(path), content.tell(), digest)


def describe_report(report: Report) -> dict[str, Any]:
    """Return a report as the object that its file holds, also within a page: what is absent is None."""
    comparison = report.comparison
    settings = comparison.settings
    asked = {"baseline": comparison.baseline, **settings.asked, "rng": settings.random_key.named}
    if isinstance(margin := asked.get("margin"), Mapping):
        asked["margin"] = {name: plain(one) for name, one in margin.items()}
    return {
        "format": FORMAT,
        "schema": SCHEMA,
        "mtworkbench": __version__,
        "comparison": describe_metrics(comparison, report.warnings),
        "asked": {name: plain(one) for name, one in asked.items()},
        "command": list(report.command) or None,
        "files": [asdict(one) for one in report.files],
        "statistics": _pack(comparison),
        "segments": {name: one.packed for name, one in report.segments} or None,
    }


def _pack(comparison: AnyComparison) -> dict[str, str] | None:
    """Return the statistics by the name of the test set; None where they cannot be saved, as those of own metrics."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # of what a file leaves out
        for name, statistics in statistics_of(comparison).items():
            try:
                found[name] = base64.b64encode(pack_statistics(statistics)).decode("ascii")
            except InputError:
                return None
    return found
