"""Names, as they are given and chosen among; and those that look like others: slips, and what no eye can tell apart."""

from __future__ import annotations

import difflib
import os
import re
import unicodedata
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from shlex import quote
from typing import TYPE_CHECKING, Any, TypeVar

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.report import Report, excerpt, fault
from mtworkbench.wording import find_nearest, grouped, name_some

if TYPE_CHECKING:
    from mtworkbench.outputs.checks.segments import Segments

Given = TypeVar("Given")


def collect_systems(
    systems: Mapping[str, Given] | Iterable[tuple[str, Given] | str | os.PathLike[str]] | os.PathLike[str],
) -> dict[str, Given]:
    """Collect what was given for each system.

    Raises
    ------
    InputError
        ``systems-shape``, ``reserved-name``, ``no-systems``, ``duplicate-system`` for a name that occurs again.
    """
    pairs: list[Any]  # what was given may have any shape
    if isinstance(systems, Mapping):
        pairs = list(systems.items())
    elif isinstance(systems, Iterable) and not isinstance(systems, (str, bytes, os.PathLike)):
        pairs = list(systems)
    else:
        pairs = [systems]
    collected: dict[str, Given] = {}
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputError(
                "systems-shape",
                f"{excerpt(pair)} is not a system with its outputs: a mapping of names to outputs was expected, such "
                "as {'base': 'base.txt', 'new': 'new.txt'}, or a list of pairs.",
            )
        name, value = pair
        check_system_names([name])
        if name in collected:
            # Two runs of one system, or two systems of which one has the wrong name: nothing says which.
            raise InputError(
                "duplicate-system",
                f"The system {excerpt(name)} occurs twice, with {excerpt(collected[name])} and with {excerpt(value)}: "
                "if these are runs of one system, give them as a list; if they are different systems, give them "
                "different names.",
                found=name,
            )
        collected[name] = value
    check_system_names(collected)
    return collected


def check_system_names(names: Iterable[object]) -> None:
    """Refuse names that mean the source or a reference elsewhere, or that cannot be shown.

    Raises
    ------
    InputError
        ``reserved-name``, ``no-systems``.
    """
    names = list(names)
    if not names:
        raise InputError("no-systems", "There are no systems: at least one was expected.")
    for name in names:
        if not isinstance(name, str):
            problem = "is not text"
        elif not name.strip():
            problem = "is empty"
        elif name in ("src", "ref") or name.startswith("ref:"):
            problem = "means the source or a reference in other formats"
        elif any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
            problem = "has a control character or half a surrogate pair"
        else:
            continue
        message = f"{excerpt(name)} cannot be the name of a system: it {problem}; choose another."
        raise InputError("reserved-name", message, found=str(name))


def choose_systems(wanted: Sequence[str] | None, known: Iterable[str]) -> list[str]:
    """Choose systems by their names or by patterns, in the order in which they are named; without names, all.

    Parameters
    ----------
    wanted : sequence of str or None
        Names, or patterns such as ``online-*``.
    known : iterable of str
    where : str
        Where the systems were looked for, such as ``" in 'run.stats'"``; for the message.

    Raises
    ------
    InputError
        ``unknown-system`` where no system has a name, or none fits a pattern.
    """
    known = list(dict.fromkeys(known))
    if wanted is None:
        return known
    chosen: dict[str, None] = {}
    for one in [wanted] if isinstance(wanted, str) else wanted:
        found = [one] if one in known else [name for name in known if fnmatchcase(name, str(one))]
        if not found:
            near = find_nearest(str(one), known)
            hint = f"did you mean {excerpt(near)}? The systems are" if near else "the systems are"
            message = f"There is no system {excerpt(one)}: {hint} {name_some(map(excerpt, known))}."
            raise InputError("unknown-system", message, found=str(one), expected=near)
        chosen |= dict.fromkeys(found)
    return list(chosen)


def choose_from(systems: Mapping[str, Given], wanted: Sequence[str] | None) -> dict[str, Given]:
    """Choose from what is known of each system, as `choose_systems` does."""
    return {name: systems[name] for name in choose_systems(wanted, systems)}


def choose_among(own: Mapping[str, Given], others: Mapping[str, Given], wanted: Sequence[str]) -> dict[str, Given]:
    """Choose from a user's systems and further ones, as `choose_systems` does; the user's go before others."""
    return choose_from({**own, **others, **own}, wanted)


def choose_references(
    known: Iterable[str], named: Sequence[str] | None, path: str | os.PathLike[str], of: str = ""
) -> list[str]:
    """Choose references by their names, in the order in which they are named; without names, all.

    ``of`` ends what is said of the file, such as ``" for en-de"``.

    Raises
    ------
    InputError
        ``unknown-reference``, also for none at all and for one that is named twice.
    """
    there = list(known)
    names = there if named is None else [named] if isinstance(named, str) else list(named)
    unknown = next((name for name in names if name not in there), None)
    if unknown is None and names and len(set(names)) == len(names):
        return names
    problem = "has no reference" if unknown is None else f"has no reference {excerpt(unknown)}"
    if unknown is None and there:
        problem = "was asked for no reference, or for one twice: different ones were expected"
    listed = name_some(list(map(excerpt, there)) or ["none"])
    raise fault(path, "unknown-reference", f"{problem}{of}; there: {listed}.", found=listed)


# The parts of a name: its words and numbers, and each character between them.
_PARTS = re.compile(r"[^\W\d_]+|\d+|[\W_]")


def find_slip(places: Mapping[str, Collection[Hashable]], *, likeness: float = 0.6) -> tuple[str, str] | None:
    """Find a name that looks like a slip for another: it is never where the other is, and it is in fewer places.

    Of two names in as many places, the one that comes later is taken for the slip. Names that were numbered on purpose,
    such as ``online-A`` and ``online-B``, or ``v2`` and ``v3``, are no slips.

    Parameters
    ----------
    places : mapping of str to collection of hashable
        Where each name is, such as the test sets or the segments of a system.
    likeness : float
        How alike the names must be, from 0 to 1.

    Returns
    -------
    (str, str) or None
        The slip, and the name that was probably meant.
    """
    trust = {name: (len(own), -number) for number, (name, own) in enumerate(places.items())}
    for name, own in places.items():
        more_trusted = [other for other in places if trust[other] > trust[name]]
        for other in difflib.get_close_matches(name, more_trusted, 3, likeness):
            if set(own).isdisjoint(places[other]) and not _are_numbered(name, other):
                return name, other
    return None


def _are_numbered(name: str, other: str) -> bool:
    """Tell whether two names differ in one part alone, which is a letter or a number in both."""
    parts, others = _PARTS.findall(name), _PARTS.findall(other)
    if len(parts) != len(others):
        return False
    differ = [pair for pair in zip(parts, others, strict=True) if pair[0] != pair[1]]
    return len(differ) == 1 and all(part.isdecimal() or (len(part) == 1 and part.isalpha()) for part in differ[0])


# Letters of Cyrillic and Greek, and signs, that look like those of ASCII in common typefaces.
_LIKE_ASCII = str.maketrans(
    "АВЕЅІЈКМНОРСТХУԌԚԜаеѕіјорсухһԁԛԝѵΑΒΕΖΗΙΚΜΝΟΡΤΥΧοϲν\u2010\u2011\u2212\u02bc\u2019",  # noqa: RUF001
    "ABESIJKMHOPCTXYGQWaesijopcyxhdqwvABEZHIKMNOPTYXocv---''",
)


def group_look_alikes(names: Iterable[str]) -> list[list[str]]:
    """Return the groups of different names that look the same, in the order of their first names."""
    groups = grouped((_what_is_seen(name), name) for name in dict.fromkeys(names))
    return [group for group in groups.values() if len(group) > 1]


def _what_is_seen(name: str) -> str:
    if name.isascii() and name.isprintable():
        return " ".join(name.split())
    seen = unicodedata.normalize("NFC", name)
    # Blanks of all kinds become one; format characters and variation selectors leave no mark.
    seen = "".join(
        " " if character.isspace() else character
        for character in seen
        if character.isspace()
        or not (unicodedata.category(character) in ("Cf", "Cc") or "\ufe00" <= character <= "\ufe0f")
    )
    return " ".join(seen.translate(_LIKE_ASCII).split())


def notice_look_alikes(names: Iterable[str], what: str, report: Report, segments: Segments | None = None) -> None:
    """Notice different names that look the same.

    Parameters
    ----------
    names : iterable of str
    what : str
        What has these names: ``systems``, ``documents`` or ``domains``.
    report : Report
    segments : Segments, optional
        The file or column with one name per segment.
    """
    groups = group_look_alikes(names)
    if not groups:
        return
    # As escapes, for what differs cannot be seen.
    named = name_some([" and ".join(map(ascii, group)) for group in groups], last="as well as")
    count = sum(map(len, groups))
    message = (
        f"{count:,} {what} have names that look the same but are not: {named}. They are treated as different "
        f"{what}; if they are the same, give them one name."
    )
    path = line = None
    if segments is not None:
        message = f"{segments.label}: {message}"
        path, line = segments.path, segments.line(list(segments.texts).index(groups[0][1]))
    report.notice("look-alike-names", message, path=path, line=line, count=count)


def choose_pair(pairs: Iterable[str], named: str | None, path: str) -> str:
    """Choose a language pair; without a name, the only one.

    Scripts and countries may be left out where one pair alone is left (``en-ru`` for ``en-ru_RU``), and so may what
    Pearmut's campaigns have besides (``eng_Latn---deu_Latn v3``).

    Raises
    ------
    InputError
        ``unknown-pair``.
    """
    there = list(dict.fromkeys(pairs))
    known = name_some(list(map(excerpt, there)))
    if not there:
        raise fault(path, "unknown-pair", "holds no language pair: at least one was expected.")
    if named is None:
        if len(there) == 1:
            return there[0]
        example = quote(there[0]) if there[0].isprintable() else "PAIR"
        problem = f"holds {len(there):,} language pairs, {known}: choose one with --language-pair {example}"
        raise fault(path, "unknown-pair", f"{problem} (in Python, language_pair={excerpt(there[0])}).", found=known)
    named = str(named)
    for same in (str, _plain, _short):
        alike = [pair for pair in there if same(pair) in (named, _plain(named))]
        if len(alike) == 1:
            return alike[0]
    nearest = find_nearest(named, there, 0.5)
    hint = f"did you mean {excerpt(nearest)}?" if nearest else None
    problem = f"has no language pair {excerpt(named)}, but {known}{f'; {hint}' if hint else '.'}"
    raise fault(path, "unknown-pair", problem, found=known, expected=named, hint=hint)


def _plain(pair: str) -> str:
    return re.sub(r" v[0-9]+$", "", pair).replace("---", "-")


def _short(pair: str) -> str:
    return "-".join(language.split("_")[0] for language in _plain(pair).split("-"))
