"""Whether a report says what its data say: everything is computed again, and compared.

With the files that were compared, the command of the report is followed again, and all of the report is compared,
apart from the picture. Without them, the result is computed from the statistics that the report holds.
"""

from __future__ import annotations

import json
import math
import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from mtworkbench.analyses.doubts import with_doubts
from mtworkbench.assumptions import Without
from mtworkbench.characters import printable
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import compare
from mtworkbench.progress import Progress
from mtworkbench.reports.page import write_page
from mtworkbench.reports.reading import HeldReport, damaged, read_report
from mtworkbench.reports.report import InputFile, Report, describe_file, describe_report, make_report, statistics_of
from mtworkbench.reports.segments import write_scripts
from mtworkbench.results.comparisons import AnyComparison
from mtworkbench.statistics.files import pack_statistics, unpack_statistics
from mtworkbench.tables.html import STYLE
from mtworkbench.version import __version__
from mtworkbench.wording import name_some, tally

#: Compares again as a command line says, from these files and no others. Its refusal to do so has the code
#: ``not-repeated``, and says why.
CompareAgain = Callable[[Sequence[str], Sequence[InputFile]], Report]
#: Results on two machines may differ in the last digits.
CLOSE = 1e-9
#: What another version may word in other ways.
WORDS = ("version", "signature", "signatures", "label", "headline", "assumptions", "doubts")
#: Values that differ are listed up to so many.
MOST_LISTED = 10
_PICTURE = re.compile(r' src="data:image/png;base64,[A-Za-z0-9+/=]*"')
_SENTENCES = '<section id="sentences">'
# The section of sentences may have these, where it was not written again.
_TAGS = {
    *("section", "h2", "div", "p", "b", "table", "colgroup", "thead", "tbody", "tr", "th", "td"),
    *("details", "summary", "script"),
}
_ATTRIBUTES = {
    *("class", "role", "tabindex", "aria-label", "align", "scope", "colspan", "span", "type", "data-block", "id")
}
_CLASSES = {"tex2jax_ignore", "mathjax_ignore"}


@dataclass(frozen=True)
class Verification:
    """What came of computing a report again.

    Parameters
    ----------
    differences : tuple of str
        Sentences: what differs; empty where the report is reproduced.
    found : tuple of str
        Sentences: what was done.
    unchecked : tuple of str
        What was not checked, in a few words each.
    text_is_checked : bool
        Whether sentences and tables were compared, and not only numbers: those of another version are not.
    is_of_files : bool
        Whether everything was computed from the files that were compared, and not from the statistics in the report.
    """

    differences: tuple[str, ...]
    found: tuple[str, ...]
    unchecked: tuple[str, ...] = ()
    text_is_checked: bool = True
    is_of_files: bool = False

    @property
    def reproduced(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


def verify_report(
    path: str | os.PathLike[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    compare_again: CompareAgain | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Compute a report again, and say what differs.

    Parameters
    ----------
    path : path
        Of a report, a page or JSON.
    folder : path, optional
        Where the files are that were read: by default the folder of the report.
    compare_again : callable, optional
        Follows the command of the report if all its files are at hand. Without it, or without them, the result is
        computed from the statistics that the report holds.
    progress : callable, optional
        Wraps an iterable and shows how far it has come.

    Returns
    -------
    Verification

    Raises
    ------
    InputError
        Those of `read_report`, ``no-folder``, and those of `compare`.
    """
    held = read_report(path)
    place = Path(folder if folder is not None else Path(held.name).parent)
    if not place.is_dir():
        raise InputError("no-folder", f"There is no folder {os.fspath(place)!r}: name the one that has the files.")
    found, unchecked = list[str](), list[str]()
    others, missing = _look_for_files(held.files, place)
    differences = [f"{one} is not the file that was compared (its SHA-256 checksum differs)." for one in others]
    again = None
    if held.files and not missing and not others:
        found.append(f"The {tally(len(held.files), 'file')} in {os.fspath(place)!r} are those that were compared.")
        again = _follow_command(held, compare_again, unchecked)
    elif missing:
        where = f"cannot be found in {os.fspath(place)!r}"
        found.append(f"{name_some(missing)} {where}: put them there, or name their folder with --folder.")
    is_whole = again is not None
    if again is None:
        known = "whether the statistics in the report are those of the files"
        unchecked.append(known if held.files else "the files, which this report does not name")
        again = _repeat(held, progress)
    differences += [*_compare_statistics(held, again)] if is_whole else []
    differences += _compare_values(held, again, is_whole, found)
    if held.of_this_version:
        differences += _compare_text(held, again, is_whole, unchecked)
    else:
        unchecked.append(
            f"the text, because mtworkbench {held.written['mtworkbench']} wrote it, and this is {__version__}"
        )
    differences, found, unchecked = ([*map(printable, said)] for said in (differences, found, unchecked))
    return Verification(tuple(differences), tuple(found), tuple(unchecked), held.of_this_version, is_whole)


def _look_for_files(files: Sequence[InputFile], folder: Path) -> tuple[list[str], list[str]]:
    """Return the names of files that are others than those compared, and of those that are not in the folder."""
    others, missing = [], []
    names = Counter(Path(one.path).name for one in files)
    for one in files:
        path = Path(one.path)
        outside = path.is_absolute() or ".." in path.parts
        # A path that leads out of the folder is not followed: the only file of its name may be in the folder.
        place = folder / (path.name if outside else path)
        if (outside and names[path.name] > 1) or not place.is_file():
            missing.append(one.path)
        elif describe_file(place) != replace(one, path=os.fspath(place)):
            others.append(one.path)
    return others, missing


def _follow_command(held: HeldReport, compare_again: CompareAgain | None, unchecked: list[str]) -> Report | None:
    """Compare again as the command of the report says; None where that cannot be done."""
    command = held.written["command"]
    if not command or compare_again is None:
        return None
    try:
        again = compare_again(command, held.files)
    except InputError as error:
        if error.code != "not-repeated":
            raise
        unchecked.append(str(error))
        return None
    return replace(again, command=tuple(command), files=held.files)


def _repeat(held: HeldReport, progress: Progress | None) -> Report:
    """Compute the result again from the statistics that the report holds."""
    asked = dict(held.written["asked"])
    baseline = asked.pop("baseline")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        statistics = held.sets if len(held.sets) > 1 else next(iter(held.sets.values()))
        try:
            again: AnyComparison = compare(statistics, baseline, progress=progress, **asked)
        except (TypeError, AttributeError, OverflowError) as error:
            raise damaged(held.name, "an option has a value of the wrong type") from error
        again = _take_over_repairs(again, held.written["comparison"].get("doubts"))
        command = held.written["command"] or ()
        return make_report(again, warnings=held.warnings, command=command, files=held.files)


def _take_over_repairs(again: AnyComparison, doubts: object) -> AnyComparison:
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


def _compare_statistics(held: HeldReport, again: Report) -> Iterator[str]:
    """Compare the statistics in the report with those of the files, as a report would hold them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        now = {
            name: unpack_statistics(pack_statistics(one), held.name)
            for name, one in statistics_of(again.comparison).items()
        }
    if now != held.sets:
        yield "The statistics in the report are not those of these files."


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

    @property
    def is_word(self) -> bool:
        """Whether it is a sentence or a list of sentences, before and now."""
        return self.place in WORDS or (isinstance(self.written, str) and isinstance(self.now, str))


def _compare_values(held: HeldReport, again: Report, is_whole: bool, found: list[str]) -> list[str]:
    """Compare what programs read: the result and what was asked; of another version, without the words."""
    now = json.loads(json.dumps(describe_report(again)))
    written = held.written
    parts = [(written["asked"], now["asked"], "asked"), (written["comparison"], now["comparison"], "")]
    if not held.of_this_version:
        parts[1] = (_without_words(written["comparison"]), _without_words(now["comparison"]), "")
    elif is_whole and held.page is None:
        parts.append((written["segments"], now["segments"], "segments"))
    compared = [one for part in parts for one in find_differences(*part, more=not held.of_this_version)]
    wrong = [one for one in compared if one.differs]
    if all(one.is_word for one in wrong):
        where = "these files" if is_whole else "the statistics in the report"
        count = tally(sum(one.is_number for one in compared), "number")
        found.append(f"All {count} of the result are the same when computed again from {where}.")
    said = [
        f"{one.place} is {_show(one.written)} in the report, but {_show(one.now)} when it is computed again."
        for one in wrong[:MOST_LISTED]
    ]
    more = len(wrong) - MOST_LISTED
    return said + [f"{tally(more, 'further value')} of the result differ{'s' * (more == 1)}."] * (more > 0)


def _show(value: object) -> str:
    return "missing" if value is _MISSING else repr(value)[:100]


def _without_words(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_words(one) for key, one in value.items() if key not in WORDS}
    return [_without_words(one) for one in value] if isinstance(value, list) else value


# What one of two objects does not have.
_MISSING = object()


def find_differences(written: Any, now: Any, place: str = "", *, more: bool = False) -> Iterator[Compared]:
    """Compare two objects as JSON has them, value by value.

    Parameters
    ----------
    written, now : object
    place : str
        Where they stand: ``metrics.BLEU.comparisons[0].p_value``.
    more : bool
        Whether the newer one may have further keys, and values where the older one has none.
    """
    if isinstance(written, dict) and isinstance(now, dict):
        for key in dict.fromkeys((*written, *(() if more else now))):
            both = written.get(key, _MISSING), now.get(key, _MISSING)
            yield from find_differences(*both, f"{place}.{key}".lstrip("."), more=more)
    elif isinstance(written, list) and isinstance(now, list) and len(written) == len(now):
        for number, pair in enumerate(zip(written, now, strict=True)):
            yield from find_differences(*pair, f"{place}[{number}]", more=more)
    else:
        yield Compared(place, written, now, not (_is_close(written, now) or (more and written is None)))


def _is_close(written: object, now: object) -> bool:
    if all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in (written, now)):
        return math.isclose(written, now, rel_tol=CLOSE, abs_tol=CLOSE)  # type: ignore[arg-type]
    return type(written) is type(now) and written == now


def _compare_text(held: HeldReport, again: Report, is_whole: bool, unchecked: list[str]) -> Iterator[str]:
    """Compare a page with what would be written now; without the files, its sentences are only looked at."""
    if not is_whole and (_SENTENCES in (held.page or "") or held.written["segments"]):
        unchecked.append("the segments and their texts")
    if not is_whole:
        unchecked.append("what was noticed in the data and what repairs would change")
    if held.page is None:
        return
    unchecked.append("the picture of the figure")
    page, now = held.page, write_page(again, held.written)
    if not is_whole:
        section, page = _cut_sentences(page)
        if not _is_harmless(section):
            yield "The section of sentences has what no report has there: something was added to the page."
    if (place := _find_change(*(_PICTURE.sub("", one) for one in (page, now)))) is not None:
        where = f"The section {place!r} of the page" if place else "The text of the page"
        yield f"{where} is not what mtworkbench writes of this result: something was changed."


def _find_change(page: str, now: str) -> str | None:
    """Return the heading of the first section that differs, empty for what is around sections; None where all agree."""
    if page == now:
        return None
    ours, theirs = (one.split("<section ") for one in (page, now))
    changed = next((one for mine, one in zip(ours, theirs, strict=False) if mine != one), "")
    heading = re.search("<h2>(.*?)</h2>", changed)
    return heading[1] if heading and len(ours) == len(theirs) else ""


def _cut_sentences(page: str) -> tuple[str, str]:
    """Return the section of sentences, and the page without it."""
    before, begins, rest = page.partition(_SENTENCES)
    if not begins:
        return "", page
    inside, ends, after = rest.partition("</section>")
    return begins + inside + ends, before + after


def _is_harmless(section: str) -> bool:
    """Tell whether a section has only elements that reports have there: nothing that hides or writes other parts."""
    parser = _Elements()
    parser.feed(section.replace(write_scripts(), "").replace(STYLE, ""))
    parser.close()
    return parser.are_known


class _Elements(HTMLParser):
    """Looks at elements, and whether all are known."""

    def __init__(self) -> None:
        super().__init__()
        self.are_known = True

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Look at an element."""
        known = dict(attributes)
        self.are_known &= tag in _TAGS and known.keys() <= _ATTRIBUTES
        self.are_known &= tag != "script" or known.get("type") == "text/plain"
        classes = {*(known.get("class") or "").split()} - _CLASSES
        self.are_known &= all(one.startswith("mtw") for one in classes)

    def _refuse(self, data: str) -> None:
        """Refuse comments, declarations and instructions, which browsers and this parser may read in two ways."""
        self.are_known = False

    handle_comment = handle_pi = unknown_decl = _refuse

    def handle_decl(self, decl: str) -> None:
        """Refuse a declaration."""
        self._refuse(decl)


def summarize(found: Verification) -> str:
    """Say in a line what came of it."""
    if not found.reproduced:
        return "Not reproduced:"
    if not found.text_is_checked:
        return "The numbers are reproduced. The text was not checked."
    return f"Reproduced from {'the files' if found.is_of_files else 'the statistics in the report'}."


def list_unchecked(found: Verification) -> str:
    """Say what was not checked; nothing where all was."""
    return f"Not checked: {'; '.join(found.unchecked)}." if found.unchecked else ""
