"""Whether a report says what its data say: its result is computed again, and compared number by number."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from mtworkbench.analyses.doubts import with_doubts
from mtworkbench.assumptions import Without
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import compare
from mtworkbench.inference.comparison import Asked
from mtworkbench.progress import Progress
from mtworkbench.reports.page import DATA, write_page
from mtworkbench.reports.report import (
    FORMAT,
    SCHEMA,
    InputFile,
    make_report,
)
from mtworkbench.statistics.files import unpack_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables import describe_metrics
from mtworkbench.version import __version__
from mtworkbench.wording import tally
from mtworkbench.words.scopes import AnyComparison

Sets = dict[str, tuple[SegmentStatistics, ...]]
#: Computes statistics, by the name of the test set, as a command line says, from these files and no others.
ReadAgain = Callable[[Sequence[str], Sequence[str]], Mapping[str, Sequence[SegmentStatistics]]]
#: Results on two machines may differ in the last digits.
CLOSE = 1e-9
#: What is not computed again: what reading noticed, and what repairs would change, which only the texts tell.
FROM_TEXTS = ("warnings", "read_as", "without")
#: What another version may word in other ways.
WORDS = ("version", "signature", "signatures", "label", "headline", "assumptions", "doubts")
#: Numbers that differ are listed up to so many.
MOST_LISTED = 10
_ELEMENT = re.compile(rf'<script type="application/json" id="{DATA}">(.*?)</script>', re.DOTALL)
# What of a page is not written again: the picture, and the sentences, which only the texts tell.
_PICTURE = re.compile(r' src="data:image/png;base64,[A-Za-z0-9+/=]*"')
_SENTENCES = re.compile(r'<section id="sentences">.*?</section>(?=<section id="(?:rules|paper)">)', re.DOTALL)


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
    content = _read(name)
    written = parse_report(content, name)
    sets = _unpack(written, name)
    found, differences = list[str](), list[str]()
    again = _repeat(written, sets, name, progress)
    differences += _compare_results(written, again, found)
    if content.lstrip().startswith("<"):
        differences += _compare_pages(content, written, again, found)
    differences += _check_files(written, sets, Path(folder or Path(name).parent), read_again, found)
    return Verification(tuple(differences), tuple(found))


def _read(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or "it is not text"
        raise InputError("report-file", f"{name!r} cannot be read ({reason}): name a report.", path=name) from error


def parse_report(content: str, name: str) -> dict[str, Any]:
    """Return the object that a report holds.

    Raises
    ------
    InputError
        ``report-file``, ``newer-version``.
    """
    element = _ELEMENT.search(content)
    try:
        written = json.loads(element[1] if element else content)
    except (ValueError, RecursionError):
        written = None
    if not isinstance(written, dict) or written.get("format") != FORMAT or not isinstance(written.get("schema"), int):
        raise InputError(
            "report-file",
            f"{name!r} is not a report: a whole file that `mtworkbench report` wrote was expected.",
            path=name,
        )
    if written["schema"] > SCHEMA:
        raise InputError(
            "newer-version",
            f"{name!r} was written by mtworkbench {written.get('mtworkbench')}, which is newer than this one "
            f"({__version__}): install that version to check it.",
            path=name,
        )
    expected = {"comparison": dict, "asked": dict, "files": list}
    if wrong := next((key for key, kind in expected.items() if not isinstance(written.get(key), kind)), None):
        raise _damaged(name, f"its {wrong!r} is missing")
    return written


def _damaged(name: str, what: str) -> InputError:
    return InputError("report-file", f"{name!r} is damaged ({what}): ask for the whole file.", path=name)


def _unpack(written: Mapping[str, Any], name: str) -> Sets:
    packed = written.get("statistics")
    if not isinstance(packed, dict) or not packed:
        raise InputError(
            "no-statistics",
            f"{name!r} holds no statistics, because its metric cannot be saved: compare its files again.",
            path=name,
        )
    sets: Sets = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the report has said it
        for test_set, one in packed.items():
            try:
                content = base64.b64decode(one, validate=True)
            except (TypeError, ValueError) as error:
                raise _damaged(name, "its statistics are cut off") from error
            sets[test_set] = unpack_statistics(content, name)
    return sets


def _repeat(written: Mapping[str, Any], sets: Sets, name: str, progress: Progress | None) -> AnyComparison:
    """Compute the result again."""
    asked = dict(written["asked"])
    baseline = asked.pop("baseline", None)
    unknown = next((one for one in asked if one not in {"rng", *Asked.__annotations__}), None)
    if unknown is not None:
        raise _damaged(name, f"there is no option {unknown!r}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        statistics = sets if len(sets) > 1 else next(iter(sets.values()))
        try:
            again: AnyComparison = compare(statistics, baseline, progress=progress, **asked)
        except TypeError as error:
            raise _damaged(name, "an option has a value of the wrong type") from error
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
        found.append(f"All {numbers} of the result come out again from the statistics in the report.")
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


def _compare_pages(content: str, written: Mapping[str, Any], again: AnyComparison, found: list[str]) -> list[str]:
    """Compare what a page says with what it would say of the result that was computed again."""
    if written.get("mtworkbench") != __version__:
        return []
    report = replace(
        make_report(again, warnings=read_warnings(written), command=written.get("command") or ()),
        files=read_files(written),
    )
    if _strip(content) != _strip(write_page(report, written)):
        return ["The text of the page is not what mtworkbench writes of this result: it was changed."]
    also = " and the sentences were" if _SENTENCES.search(content) else " was"
    found.append(f"The page says what the result says; the picture of the figure{also} not checked.")
    return []


def _strip(page: str) -> str:
    return _SENTENCES.sub("", _ELEMENT.sub("", _PICTURE.sub("", page)))


def read_warnings(written: Mapping[str, Any]) -> list[DataWarning]:
    """Return what was noticed while reading."""
    listed = written["comparison"].get("warnings") or []
    names = ("path", "line", "count")
    return [DataWarning(one["code"], one["message"], **{name: one[name] for name in names}) for one in listed]


def read_files(written: Mapping[str, Any]) -> tuple[InputFile, ...]:
    """Return the files that a report names."""
    return tuple(InputFile(one["path"], one["n_bytes"], one["sha256"]) for one in written["files"])


def _check_files(
    written: Mapping[str, Any],
    sets: Sets,
    folder: Path,
    read_again: ReadAgain | None,
    found: list[str],
) -> list[str]:
    """Compare the checksums of files that are at hand and, if all are the same, the statistics computed from them."""
    files = read_files(written)
    at_hand = {one: folder / one.path for one in files if (folder / one.path).is_file()}
    others = [one.path for one, place in at_hand.items() if _digest(place) != one.sha256]
    if others:
        return [f"{one} is another file than the one that was compared (its sha256 differs)." for one in others]
    if files and not at_hand:
        found.append("The files that were compared are not here: only what the report holds was checked.")
    elif files:
        are = "is" if len(at_hand) == 1 else "are"
        found.append(f"{len(at_hand)} of {tally(len(files), 'file')} {are} here, unchanged.")
    command = written.get("command")
    if not files or len(at_hand) < len(files) or not command or read_again is None:
        return []
    now = read_again(command, [one.path for one in files])
    same = now.keys() == sets.keys() and all(map(_are_equal, sets.values(), now.values()))
    if same:
        found.append("The statistics come out again from these files.")
        return []
    return ["The statistics in the report are not those of these files."]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


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
