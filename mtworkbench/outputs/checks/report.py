"""What a reader noticed, and the faults that its caller has looked at and accepts."""

from __future__ import annotations

import os
import reprlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.wording import grouped, name_some

#: The faults that may be accepted, with what accepting them means.
ACCEPTABLE = {
    "trailing-blank": "empty lines at the end of a file are dropped",
    "empty-ref": "an empty reference is scored as empty text",
    "absent-ref": "an empty line in a reference file means that this segment has no such reference",
    "nfc": "all text is brought into Unicode's normal form C",
    "huge-line": "a segment may be longer than 10 MB",
    "too-large": "a file may hold more than 2 GiB, or more than 200 times its compressed size",
    "non-contiguous": "the parts of a document that stand apart are one document",
    "incomplete-system": "what a system has not translated is missing, and is left out of comparisons",
    "unknown-system": "scores of systems that have no outputs are left out",
    "quoted": "quotation marks around the fields of a table are not part of the text",
    "literal-quotes": "quotation marks around the fields of a table are part of the text",
    "json-lines": "lines that are JSON objects are scored as they are",
}
#: The doubts about the data that may be accepted: each is then noted in the signature, and is no longer warned about.
DOUBTS = (
    "all-empty", "all-lower-case", "bpe-pieces", "control-char", "double-spaces", "empty-hyp", "enclosed-lines",
    "html-entities", "hyp-is-ref", "hyp-is-source", "identical-runs", "identical-systems", "inner-bom",
    "invisible-chars", "json-escapes", "json-lines", "length-limit", "lines-of-another", "long-lines", "loops",
    "low-beginnings", "lower-case", "mixed-scripts", "mojibake", "nbest-list", "no-diacritics", "no-end-mark",
    "no-punctuation", "no-spaces", "no-translation", "normalization", "number-separators", "numbered-lines",
    "numbers", "only-marks", "other-language", "other-script", "other-spaces", "reference-is-source",
    "reference-lines", "repeated-lines", "repeated-segments", "replacement-char", "same-beginnings", "same-ends",
    "same-references", "sentencepiece-pieces", "short-lines", "signs", "suspected-order", "suspected-shift", "tab",
    "title-case", "tokenization", "unrelated-lines", "upper-case", "zeros",
)  # fmt: skip
ACCEPTABLE |= {
    code: ACCEPTABLE.get(code, "a doubt about the data, which is then named in the signature only") for code in DOUBTS
}


class _Excerpts(reprlib.Repr):
    def repr_instance(self, x: object, level: int) -> str:
        said = super().repr_instance(x, level)
        takes_lines = "\n" in said or (self.fillvalue in said and "\n" in repr(x))
        return f"an object of type {type(x).__name__}" if takes_lines else said


_excerpts = _Excerpts()
_excerpts.maxstring = _excerpts.maxother = 60


def excerpt(value: object) -> str:
    """Return the beginning and the end of a value as at most 60 characters that are safe to print.

    What takes several lines, such as a DataFrame, is called by its type.
    """
    if isinstance(value, (bytes, bytearray)):
        value = bytes(value[:60])
    return _excerpts.repr(value)


def shown(path: str | os.PathLike[str]) -> str:
    """Return a path as it is where a terminal can print it, else its `repr`."""
    path = os.fspath(path)
    return path if path.isprintable() else repr(path)


def fault(
    path: str | os.PathLike[str], code: str, problem: str, line: int | None = None, **fields: str | None
) -> InputError:
    """Make the error of a file, or of a line of it; `problem` continues the sentence after its place."""
    place = shown(path) if line is None else f"{shown(path)}, line {line:,}:"
    return InputError(code, f"{place} {problem}", path=os.fspath(path), line=line, **fields)


class Report:
    """What one reader noticed, and the faults that its caller accepts.

    Parameters
    ----------
    accept : collection of str
        Codes of `ACCEPTABLE`.

    Raises
    ------
    InputError
        ``unknown-accept`` where a code is not known; ``accept-conflict`` where two contradict each other.
    """

    def __init__(self, accept: Collection[str] = ()):
        self.accepted = frozenset((accept,) if isinstance(accept, str) else accept)
        known = ", ".join(ACCEPTABLE)
        for code in self.accepted:
            if code not in ACCEPTABLE:
                raise InputError(
                    "unknown-accept",
                    f"{excerpt(code)} is not a fault that can be accepted: the known ones are {known}.",
                    found=str(code),
                    expected=known,
                )
        if {"empty-ref", "absent-ref"} <= self.accepted:
            raise InputError(
                "accept-conflict",
                "An empty line of a reference file is either empty text ('empty-ref') or no reference ('absent-ref'): "
                "accept one of the two.",
            )
        if {"quoted", "literal-quotes"} <= self.accepted:
            raise InputError(
                "accept-conflict",
                "Quotation marks around the fields of a table are either added ('quoted') or part of the text "
                "('literal-quotes'): accept one of the two.",
            )
        self.notices: list[Notice] = []

    def accepts(self, code: str) -> bool:
        """Tell whether the caller accepts a fault."""
        return code in self.accepted

    def notice(
        self,
        code: str,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        count: int | None = None,
        whose: str | None = None,
        together: str = "",
    ) -> None:
        """Remember something that the user should know of.

        Parameters
        ----------
        code, message, path, line, count
            Of the `DataWarning`.
        whose : str, optional
            What can be noticed of several files or systems: which one it is, for the list of them.
        together : str
            The sentence about several, with ``{places}`` for their number, ``{count}`` for the sum of their counts and
            ``{list}`` for which they are.
        """
        self.add([Notice(code, message, path, line, count, whose, together)])

    def add(self, notices: Iterable[Notice]) -> None:
        """Remember what was noticed elsewhere."""
        self.notices.extend(notices)

    @property
    def noticed(self) -> list[DataWarning]:
        """What was noticed, one warning of each kind, in the order of the first."""
        notices = enumerate(self.notices)
        kinds = grouped((number if one.whose is None else (one.code, one.together), one) for number, one in notices)
        return [_join(alike) for alike in kinds.values()]

    def warn(self) -> None:
        """Warn of everything noticed."""
        for warning in self.noticed:
            warning.warn()


@dataclass(frozen=True)
class Notice:
    """What was noticed, and what is needed to say it of several files or systems at once; see `Report.notice`."""

    code: str
    message: str
    path: str | None
    line: int | None
    count: int | None
    whose: str | None
    together: str


def _join(alike: Sequence[Notice]) -> DataWarning:
    """Make one warning of those that say the same of several files or systems."""
    first = alike[0]
    if len(alike) == 1:
        return DataWarning(first.code, first.message, path=first.path, line=first.line, count=first.count)
    count = sum(1 if one.count is None else one.count for one in alike)
    named = [
        f"{one.whose} ({one.count:,})" if one.count is not None and count > len(alike) else f"{one.whose}"
        for one in alike
    ]
    numbers = {"places": f"{len(alike):,}", "count": f"{count:,}"}
    message = first.together.format(**numbers, list=name_some(named))
    return DataWarning(first.code, message, path=first.path, line=first.line, count=count)
