"""Whether a report says what its data say: its result is computed again, and compared number by number."""

from __future__ import annotations

import json
import math
import os
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mtworkbench.analyses.doubts import with_doubts
from mtworkbench.assumptions import Without
from mtworkbench.errors import DataWarning
from mtworkbench.inference import compare
from mtworkbench.inference.comparison import Asked
from mtworkbench.progress import Progress
from mtworkbench.reports.page import write_page
from mtworkbench.reports.reading import (
    ELEMENT,
    Sets,
    damaged,
    parse_report,
    read_files,
    read_text,
    read_warnings,
    unpack,
)
from mtworkbench.reports.report import describe_file, describe_report, make_report
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables import describe_metrics
from mtworkbench.version import __version__
from mtworkbench.wording import begin, listed, tally
from mtworkbench.words.scopes import AnyComparison

if TYPE_CHECKING:
    import pandas as pd

#: Results on two machines may differ in the last digits.
CLOSE = 1e-9
#: What is not computed again: what reading noticed, and what repairs would change, which only the texts tell.
FROM_TEXTS = ("warnings", "read_as", "without")
#: What another version may word in other ways.
WORDS = ("version", "signature", "signatures", "label", "headline", "assumptions", "doubts")
#: Numbers that differ are listed up to so many.
MOST_LISTED = 10
# What of a page is not written again: the picture, and the sentences, which only the texts tell.
PICTURE = re.compile(r' src="data:image/png;base64,[A-Za-z0-9+/=]*"')
SENTENCES = re.compile(r'<section id="sentences">.*?</section>(?=<section id="(?:rules|paper)">)', re.DOTALL)


@dataclass(frozen=True, eq=False)
class Reread:
    """What was read again from the files of a report.

    Parameters
    ----------
    statistics : mapping of str to sequence of SegmentStatistics
        By the name of the test set.
    outputs : DataFrame, mapping of str to DataFrame, or None
    texts : bool
        Whether the report may have texts.
    """

    statistics: Mapping[str, Sequence[SegmentStatistics]]
    outputs: pd.DataFrame | Mapping[str, pd.DataFrame] | None
    texts: bool


#: Reads again as a command line says, from these files and no others.
ReadAgain = Callable[[Sequence[str], Sequence[str]], Reread]


@dataclass(frozen=True)
class Verification:
    """What came of computing a report again.

    Parameters
    ----------
    differences : tuple of str
        Sentences: what differs; empty where the report is reproduced.
    found : tuple of str
        Sentences: what was done, and what was not checked.
    """

    differences: tuple[str, ...]
    found: tuple[str, ...]

    @property
    def reproduced(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


def verify_report(
    path: str | os.PathLike[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    read_again: ReadAgain | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Compute a report again, and say what differs.

    The result is computed from the statistics that the report holds. Where the files that it names are at hand, their
    checksums are compared, and with `read_again` the statistics are computed from them, too.

    Parameters
    ----------
    path : path
        Of a report, a page or JSON.
    folder : path, optional
        Where the files are that were read: by default the folder of the report.
    read_again : callable, optional
        Computes statistics as the command line of the report says, from the files that it names, and no others.
    progress : callable, optional
        Wraps an iterable and shows how far it has come.

    Returns
    -------
    Verification

    Raises
    ------
    InputError
        ``report-file`` where this is no report or it is damaged, ``newer-version``, ``no-statistics`` where it holds
        none, and those of `compare`.
    """
    name = os.fspath(path)
    content = read_text(name)
    written = parse_report(content, name)
    sets = unpack(written, name)
    found, differences = list[str](), list[str]()
    again = _repeat(written, sets, name, progress)
    differences += _compare_results(written, again, found)
    others, read = _check_files(written, Path(folder or Path(name).parent), read_again, found)
    differences += others
    if read is not None:
        differences += _compare_statistics(sets, read.statistics, found)
    differences += _compare_rest(content, written, again, read, found)
    return Verification(tuple(differences), tuple(found))


def _repeat(written: Mapping[str, Any], sets: Sets, name: str, progress: Progress | None) -> AnyComparison:
    """Compute the result again."""
    asked = dict(written["asked"])
    baseline = asked.pop("baseline", None)
    unknown = next((one for one in asked if one not in {"rng", *Asked.__annotations__}), None)
    if unknown is not None:
        raise damaged(name, f"there is no option {unknown!r}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        statistics = sets if len(sets) > 1 else next(iter(sets.values()))
        try:
            again: AnyComparison = compare(statistics, baseline, progress=progress, **asked)
        except TypeError as error:
            raise damaged(name, "an option has a value of the wrong type") from error
    return _with_repairs(again, written["comparison"].get("doubts"))


def _with_repairs(again: AnyComparison, doubts: object) -> AnyComparison:
    """Take over what repairs would change, which only the texts tell."""
    known = doubts if isinstance(doubts, list) else []
    if [one.code for one in again.doubts] != [one.get("code") for one in known if isinstance(one, dict)]:
        return again
    names = [one.name for one in fields(Without)]
    try:
        without = [tuple(Without(**{key: pair[key] for key in names}) for pair in one["without"]) for one in known]
    except (TypeError, KeyError):
        return again
    examined = zip(again.doubts, without, strict=True)
    return with_doubts(again, tuple(replace(one, without=pairs) for one, pairs in examined))


def _compare_results(written: Mapping[str, Any], again: AnyComparison, found: list[str]) -> list[str]:
    now = json.loads(json.dumps(describe_metrics(again)))
    same_version = written.get("mtworkbench") == __version__
    compared = list(find_differences(written["comparison"], now, FROM_TEXTS if same_version else FROM_TEXTS + WORDS))
    wrong = [one for one in compared if one.differs]
    numbers = tally(sum(one.is_number for one in compared), "number")
    if not same_version:
        found.append(
            f"The report was made by mtworkbench {written.get('mtworkbench')}, and checked by {__version__}: its "
            "sentences were not compared."
        )
    if not wrong:
        found.append(f"All {numbers} of the result are the same when computed again from the statistics in the report.")
    listed = [
        f"{one.place} is {one.written!r} in the report, but {one.now!r} when it is computed again."
        for one in wrong[:MOST_LISTED]
    ]
    more = len(wrong) - MOST_LISTED
    return listed + [f"{tally(more, 'further value')} of the result differ{'s' * (more == 1)}."] * (more > 0)


@dataclass(frozen=True)
class Compared:
    """A value of a report, and the same when it is computed again."""

    place: str
    written: object
    now: object
    differs: bool

    @property
    def is_number(self) -> bool:
        """Whether it is a number."""
        return isinstance(self.written, (int, float)) and not isinstance(self.written, bool)


def find_differences(written: Any, now: Any, left_out: Collection[str] = (), place: str = "") -> Iterator[Compared]:
    """Compare two results as JSON has them, value by value; keys that only the newer one has are left out.

    Parameters
    ----------
    written, now : object
    left_out : collection of str
        Keys that are not compared.
    place : str
        Where in the result they stand: ``metrics.BLEU.comparisons[0].p_value``.
    """
    if isinstance(written, dict) and isinstance(now, dict):
        for key in (one for one in written if one not in left_out):
            yield from find_differences(written[key], now.get(key), left_out, f"{place}.{key}".lstrip("."))
    elif isinstance(written, list) and isinstance(now, list) and len(written) == len(now):
        for number, pair in enumerate(zip(written, now, strict=True)):
            yield from find_differences(*pair, left_out, f"{place}[{number}]")
    else:
        yield Compared(place, written, now, not _is_close(written, now))


def _is_close(written: object, now: object) -> bool:
    numbers = [isinstance(one, (int, float)) and not isinstance(one, bool) for one in (written, now)]
    if all(numbers):
        return math.isclose(written, now, rel_tol=CLOSE, abs_tol=CLOSE)  # type: ignore[arg-type]
    return type(written) is type(now) and written == now


def _compare_rest(
    content: str, written: Mapping[str, Any], again: AnyComparison, read: Reread | None, found: list[str]
) -> list[str]:
    """Compare the text of a page, and the sentences if the files were read again, with what would be written now."""
    is_page = content.lstrip().startswith("<")
    if written.get("mtworkbench") != __version__ or (read is None and not is_page):
        return []
    outputs, texts = (None, True) if read is None else (read.outputs, read.texts)
    command = written.get("command") or ()
    report = make_report(again, outputs, texts=texts, warnings=read_warnings(written), command=command)
    report = replace(report, files=read_files(written))
    now = describe_report(report)
    if not is_page:
        same, where = written.get("segments") == now["segments"], "part with the sentences"
    else:
        page, has_sentences = write_page(report, now), read is not None
        same, where = _strip(content, has_sentences) == _strip(page, has_sentences), "text of the page"
    if not same:
        return [f"The {where} is not what mtworkbench writes for this result: it was changed."]
    if is_page:
        found.append("The text of the page is what mtworkbench writes for this result.")
    unchecked = ["the picture of the figure"] * is_page
    unchecked += ["the sentences"] * (read is None and SENTENCES.search(content) is not None)
    if unchecked:
        found.append(f"{begin(listed(unchecked))} {'were' if len(unchecked) > 1 else 'was'} not checked.")
    return []


def _strip(page: str, with_sentences: bool) -> str:
    """Leave out what is compared elsewhere, or not at all."""
    rest = ELEMENT.sub("", PICTURE.sub("", page))
    return rest if with_sentences else SENTENCES.sub("", rest)


def _check_files(
    written: Mapping[str, Any], folder: Path, read_again: ReadAgain | None, found: list[str]
) -> tuple[list[str], Reread | None]:
    """Compare the checksums of files that are at hand and, if all are here and the same, read them again."""
    files = read_files(written)
    at_hand = {one: folder / one.path for one in files if (folder / one.path).is_file()}
    others = [one.path for one, place in at_hand.items() if describe_file(place).sha256 != one.sha256]
    if others:
        return [f"{one} is not the file that was compared (its SHA-256 checksum differs)." for one in others], None
    if files and not at_hand:
        found.append("The files that were compared are not in the folder: only what the report holds was checked.")
    elif files:
        are = "is" if len(at_hand) == 1 else "are"
        found.append(f"{len(at_hand)} of {tally(len(files), 'file')} {are} in the folder, unchanged.")
    command = written.get("command")
    if not files or len(at_hand) < len(files) or not command or read_again is None:
        return [], None
    return [], read_again(command, [one.path for one in files])


def _compare_statistics(sets: Sets, now: Mapping[str, Sequence[SegmentStatistics]], found: list[str]) -> list[str]:
    if now.keys() == sets.keys() and all(map(_are_equal, sets.values(), now.values())):
        found.append("The statistics computed again from these files are the same.")
        return []
    return ["The statistics in the report differ from those computed from these files."]


def _are_equal(ones: Sequence[SegmentStatistics], others: Sequence[SegmentStatistics]) -> bool:
    """Tell whether two lists of statistics are of the same systems, and equal."""
    pairs = zip(ones, others, strict=False)
    return len(ones) == len(others) and all(_are_same(one, other) for one, other in pairs)


def _are_same(one: SegmentStatistics, other: SegmentStatistics) -> bool:
    systems = list(one.values)
    if one.metric.name != other.metric.name or not {*systems} <= {*other.values}:
        return False
    return all(
        one.values[name].shape == other.values[name].shape and bool((one.values[name] == other.values[name]).all())
        for name in systems
    )
