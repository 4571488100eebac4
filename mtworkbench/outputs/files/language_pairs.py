"""One of the language pairs that a file holds, by a name that may be shorter."""

from __future__ import annotations

import re
from collections.abc import Iterable
from shlex import quote

from mtworkbench.outputs.checks.report import excerpt, fault
from mtworkbench.wording import find_nearest, name_some


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
