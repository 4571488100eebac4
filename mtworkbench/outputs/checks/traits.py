"""Files that are not what they seem: one table of the traits that give them away, and tokenized text."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from mtworkbench.assumptions import BREAKS
from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.contrasts import most_expected
from mtworkbench.outputs.checks.oddities import KINDS, Kind, Oddity
from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.outputs.checks.segments import Corpus, Segments, code_points
from mtworkbench.wording import name_some

ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});")
_JSON_ESCAPE = re.compile(r'\\(?:u[0-9a-fA-F]{4}|["/nrt])')
_NUMBER = re.compile(r"\s*([0-9]{1,9})(?!\s*\|\|\|)(?=[\s.:;,)|\]])")
_MAY_BE_JSON, _MAY_BE_NUMBER, _MAY_BE_NONE = (re.compile(rf"[\s{first}]") for first in (r"\[{", "0-9", r"\[nN"))
_DECIMAL = re.compile(r"[+-]?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?", re.ASCII)
_OF_DECIMALS = set("+-.0123456789eE")
# What is not a common character of Latin, Cyrillic or Chinese text, which are all in the normal form C.
_MAY_DECOMPOSE = re.compile(
    "[^\0-\u02ff\u0400-\u0482\u048a-\u052f\u2010-\u205e\u20a0-\u20bf\u2122\u3000-\u3029\u3030-\u3096\u4e00-\u9fff\uff00-\uffef]"
)
_PIECE = re.compile(r"\S@@(?: |$)", re.MULTILINE)
_NO_TRANSLATION = re.compile(r"\s*\[?no translation (?:supplied|available|provided)\]?\.?\s*", re.IGNORECASE)
# UTF-8 that was read as cp1252 or Latin-1: what begins a character of two or three bytes, and what continues it. Left
# out is what may follow a capital letter in good text: quotation marks, dashes, an ellipsis, a blank.
_CONTINUATION = "\x80-\x9f\xa1-\xaa\xac-\xba\xbc-\xbfŒœŠŸŽžƒˆ‰€‚„†‡™˜¨"
MOJIBAKE = re.compile(  # which letters are first, once more: others are passed over fast
    f"[ÃÂÄÅÎÏÐÑØÙâãäåæçèé](?:(?<=[ÃÂ])[\xa0{_CONTINUATION}]|(?<=[ÄÅÎÏÐÑØÙ])[{_CONTINUATION}]|(?<=â)[€\x80]."
    f"|(?<=[ãäåæçèé])[{_CONTINUATION}]{{2}})",
)
_MUST_BE_IN_MOJIBAKE = re.compile("[ÃÂÄÅÎÏÐÑØÙâãäåæçèé]"), re.compile(f"[\xa0{_CONTINUATION}]")
# So many lines are looked at together.
_TOGETHER = 1000
#: JSON objects are an export of outputs, and not text, if at most one line in so many is something else.
ONE_OTHER_IN = 10


@dataclass(frozen=True, eq=False)
class Trait(Kind):
    """Something that gives a file away.

    Parameters
    ----------
    has : callable
        Tells whether a text has it.
    share : float
        From which share of the segments on it is worth a warning.
    fewest : int
        From how many on.
    unlike_references : bool
        Whether it matters only where outputs and references differ: what is written in one manner throughout has no
        problem, whatever the manner. Otherwise the references are looked at as well.
    among : callable
        Tells from all characters of a file whether any text can have it.
    begins : pattern, optional
        With what character a text begins that has it; without it, `has` must tell of several texts, with line ends
        between them, whether any of them has it.
    confirm : callable, optional
        Of segments and the positions of those that have it, returns the positions that count.
    """

    has: Callable[[str], object]
    share: float = 0.001
    fewest: int = 1
    unlike_references: bool = False
    among: Callable[[str], object] = bool
    begins: re.Pattern[str] | None = None
    confirm: Callable[[Segments, Sequence[int]], list[int]] | None = None


def _is_json(text: str) -> bool:
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        return isinstance(json.loads(text), (dict, list))
    except (ValueError, RecursionError):
        return False


def are_decimals(texts: Sequence[str | None]) -> bool:
    """Tell whether all texts are numbers with a decimal point: scores, one per line."""
    return len(texts) > 0 and all(text is not None and _DECIMAL.fullmatch(text) for text in texts)


def refuse_scores(segments: Segments) -> None:
    """Refuse outputs of which every line is a score; references of such outputs would be numbers, too.

    Raises
    ------
    InputError
        ``score-file``.
    """
    if _OF_DECIMALS.issuperset(segments.characters) and are_decimals(segments.texts):
        problem = (
            f"{segments.label} holds nothing but numbers, such as {excerpt(segments.texts[0])}, so these are scores"
        )
        remedy = "leave it out of the outputs, and give it with --scores (in Python, read_scores)"
        raise InputError("score-file", f"{problem}, not texts: {remedy}.", path=segments.path)


def refuse_json_objects(segments: Segments, report: Report) -> None:
    """Refuse texts that are JSON objects, unless that is accepted: their braces and keys would be scored.

    Raises
    ------
    InputError
        ``json-lines``, with the keys of the first, where so many of the texts that are not empty have keys
        (`ONE_OTHER_IN`).
    """
    if report.accepts("json-lines"):
        return
    objects = [i for i in segments.begin_with(_MAY_BE_JSON) if _has_json_keys(segments.texts[i] or "")]
    if not objects:
        return
    n_others = len(segments) - len(objects) - len(segments.absent) - len(segments.empty)
    if ONE_OTHER_IN * n_others > len(objects) + n_others:
        return
    position, first = objects[0], segments.texts[objects[0]] or ""
    keys = list(map(excerpt, json.loads(first)))
    units = {"line": "lines", "entry": "entries"}[segments.unit]
    who = f"{len(objects):,} of {len(objects) + n_others:,} {units} are JSON objects"
    here = f"(key{'' if len(keys) == 1 else 's'} here: {name_some(keys)})"
    raise segments.fault(
        "json-lines",
        position,
        f"{who if n_others else f'every {segments.unit} is a JSON object'} {here}, but plain text was expected: "
        f"{_how_to_read(json.loads(first).keys())}, or accept 'json-lines' to score the objects as they are.",
        found=", ".join(keys),
    )


def _how_to_read(keys: Collection[str]) -> str:
    """Say what reads objects with such keys, as far as that is known."""
    if "doc_id" in keys and "hypothesis" in keys:
        return "name WMT's test set (.jsonl, with 'refs') as the reference (in Python, read_wmt_jsonl)"
    if "doc_id" in keys and "filtered_resps" in keys:
        return "give only files of such samples, one per model (in Python, read_lm_eval)"
    if "system" in keys:
        return "name the file with --table (in Python, read_table)"
    return "extract the text, which is the value of one key"


def _has_json_keys(text: str) -> bool:
    return text.lstrip()[:1] == "{" and '"' in text and _is_json(text)


def _may_be_mojibake(text: str) -> bool:
    """Tell whether a letter that may begin mojibake is before a character from the blocks of what continues it."""
    codes = code_points(text)
    begins, continues = (codes >= 0xC2) & (codes <= 0xE9), (codes > 0x7F) & ((codes < 0xC0) | (codes > 0xFF))
    return bool((begins[:-1] & continues[1:]).any())


def _find_numbered(segments: Segments, positions: Sequence[int]) -> list[int]:
    """Find, among lines that begin with a number, those that begin with their own, wherever counting starts."""
    texts = segments.texts
    numbers = {i: int(match[1]) for i in positions if (match := _NUMBER.match(texts[i] or ""))}
    [(start, _)] = Counter(number - i for i, number in numbers.items()).most_common(1)
    return [i for i, number in numbers.items() if number - i == start]


#: No real file at hand that is in order has any of these, but for ``unlike_references``, and JSON in one line of 557.
TRAITS = (
    Trait("normalization", "are not in Unicode's normal form C", "Characters that look alike do not match.",
          "Accept 'nfc' to normalize all text.", lambda text: not unicodedata.is_normalized("NFC", text),
          unlike_references=True, among=_MAY_DECOMPOSE.search),
    Trait("html-entities", "have HTML entities such as &quot;", "They do not match plain characters.",
          "Unescape the file first.", ENTITY.search, unlike_references=True,
          among=lambda characters: "&" in characters),
    Trait("json-escapes", "have escapes of JSON such as \\u00e9 or \\\"",
          "They do not match the characters that they stand for.", "Export the texts again, or decode them.",
          lambda text: "\\" in text and _JSON_ESCAPE.search(text), share=0.005, fewest=4, unlike_references=True,
          confirm=lambda segments, positions: [i for i in positions if not _is_json(segments.texts[i] or "")],
          among=lambda characters: "\\" in characters),
    Trait("nbest-list", "have fields between |||, as n-best lists do", "The fields are scored as words.",
          "Give the best hypothesis of each segment alone, or use read_nbest and first_best in Python.",
          lambda text: text.count("|||") >= 2, gravity=BREAKS, share=0.5, among=lambda characters: "|" in characters),
    Trait("json-lines", "are JSON", "The keys and braces are scored as words.", "Give the text of each segment alone.",
          _is_json, share=0.5, begins=_MAY_BE_JSON, among=set("{[").intersection),
    Trait("numbered-lines", "begin with their line number", "The numbers are scored as words.", "Remove the numbers.",
          _NUMBER.match, share=0.02, fewest=8, begins=_MAY_BE_NUMBER, confirm=_find_numbered),
    Trait("bpe-pieces", "have words split into pieces with @@", "The pieces are scored as words.",
          "Join them first (sed 's/@@ //g').", lambda text: "@@" in text and _PIECE.search(text),
          among=lambda characters: "@" in characters),
    Trait("sentencepiece-pieces", "have SentencePiece's mark (U+2581) before words", "The pieces are scored as words.",
          "Decode them first (spm_decode).", lambda text: "\u2581" in text,
          among=lambda characters: "\u2581" in characters),
    Trait("mojibake", "look like UTF-8 that was read in another encoding, such as \u00c3\u00a9 for \u00e9",
          "Words with such characters do not match.", "Convert the file again, from the original.",
          lambda text: _may_be_mojibake(text) and MOJIBAKE.search(text), fewest=2,
          among=lambda characters: all(one.search(characters) for one in _MUST_BE_IN_MOJIBAKE)),
    Trait("no-translation", "say that no translation was supplied", "This is scored as a translation.",
          "Translate them, or leave the segments out of all files.",
          lambda text: len(text) < 40 and _NO_TRANSLATION.fullmatch(text), share=0.0, begins=_MAY_BE_NONE),
)  # fmt: skip


@dataclass(frozen=True)
class _Seen:
    """What one file gives away.

    Parameters
    ----------
    having : sequence of list of int
        The positions of the texts with each of `TRAITS`.
    apart : list of int
        Those of the texts with a full stop or comma after a blank.
    is_tokenized : bool or None
        None where there are too few such marks to tell.
    """

    having: Sequence[list[int]]
    apart: list[int]
    is_tokenized: bool | None


class Traits:
    """Finds outputs and references with the traits of `TRAITS`, and outputs that are tokenized as no reference is.

    A file is looked at once, for all traits, when something of it is asked for: its texts may have been read for that.

    Parameters
    ----------
    corpus : Corpus
    """

    def __init__(self, corpus: Corpus):
        self._corpus = corpus
        self._seen: dict[Segments, _Seen] = {}
        self._tokenized: dict[Segments, Oddity | None] = {}

    def _look_at(self, one: Segments) -> _Seen:
        if one not in self._seen:
            self._seen[one] = _Seen(_find_having(one), _find_apart(one), _are_marks_apart(one.texts))
        return self._seen[one]

    def find(self) -> Iterator[Oddity]:
        """Yield all that is odd."""
        corpus = self._corpus
        found = {one: self._look_at(one) for one in corpus.translations}
        for number, trait in enumerate(TRAITS):
            having = {one: seen.having[number] for one, seen in found.items()}
            if trait.unlike_references:
                yield from _find_unlike_references(trait, corpus, having)
                continue
            for segments, positions in having.items():
                if _are_enough(trait, positions, segments):
                    yield trait.found_in(segments, positions)
        yield from filter(None, map(self.find_tokenization, corpus.hypotheses))

    def find_tokenization(self, run: Segments) -> Oddity | None:
        """Find whether an output is tokenized, here and there or throughout, while no reference is, or the opposite."""
        if run not in self._tokenized:
            references = self._corpus.references
            of_references = [self._look_at(one) for one in references]
            self._tokenized[run] = _find_tokenization(run, self._look_at(run), references, of_references)
        return self._tokenized[run]


def _find_having(segments: Segments) -> list[list[int]]:
    """Find the positions of the texts with each trait."""
    found: list[list[int]] = [[] for _ in TRAITS]
    looked_for = [one for one in zip(TRAITS, found, strict=True) if one[0].among(segments.characters)]
    texts = list(segments.texts)
    for trait, having in looked_for:
        if trait.begins is not None:
            having += [i for i in segments.begin_with(trait.begins) if trait.has(texts[i] or "")]
    looked_for = [one for one in looked_for if one[0].begins is None]
    for start in range(0, len(texts) if looked_for else 0, _TOGETHER):
        some = texts[start : start + _TOGETHER]
        together = "\n".join(filter(None, some))
        for trait, having in looked_for:
            if trait.has(together):
                having += [start + i for i, text in enumerate(some) if text is not None and trait.has(text)]
    return [
        trait.confirm(segments, having) if trait.confirm and _are_enough(trait, having, segments) else having
        for trait, having in zip(TRAITS, found, strict=True)
    ]


def _are_enough(trait: Trait, having: Sequence[int], segments: Segments) -> bool:
    return len(having) >= max(1, trait.fewest, trait.share * len(segments))


def _find_unlike_references(trait: Trait, corpus: Corpus, found: Mapping[Segments, Sequence[int]]) -> Iterator[Oddity]:
    present = sum(len(one) - len(one.absent) for one in corpus.references)
    share_of_references = sum(len(found[one]) for one in corpus.references) / max(1, present)
    for run in corpus.hypotheses:
        share = len(found[run]) / max(1, len(run))
        larger, smaller = max(share, share_of_references), min(share, share_of_references)
        if larger >= max(trait.share, trait.fewest / max(1, len(run))) and larger > 2 * smaller:
            others = f"{100 * share_of_references:.2g} % of the segments" if share_of_references else "none"
            what = f"{trait.what} (in the references: {others})"
            yield trait.found_in(run, found[run], what=what)


# Only marks that no language sets apart by a blank: French does so with ?, !, : and ;.
_MARKS = ".,。，、।،"
# Marks are rarer than what is before them, so they are looked for.
_APART = re.compile(rf"[{_MARKS}](?<=\S [{_MARKS}])(?= |$)", re.MULTILINE)
_ATTACHED = re.compile(rf"[{_MARKS}](?<=[^\W\d_][{_MARKS}])(?= |$)", re.MULTILINE)
# In the real files at hand, at least 97 % of these marks stand alone where text is tokenized, and at most 1.5 % where
# it is not (0.5 % of most files). Case does not matter, nor whether lines end in a full stop.
_SHARE = 0.5
_FEWEST = 10
_SAMPLE = 1000
# Of the lines of real outputs that are detokenized, so many have such a mark where no reference has one.
_NATURAL_APART = 0.012


def share_of_marks_apart(texts: Sequence[str | None]) -> float | None:
    """Return which share of the full stops and commas has a blank before it; None where there are too few to tell.

    Of many texts it is that of 1,000, taken at equal distances.
    """
    apart, attached = (sum(1 for _ in _find_marks(pattern, _sample(texts))) for pattern in (_APART, _ATTACHED))
    total = apart + attached
    return apart / total if total >= _FEWEST else None


def _are_marks_apart(texts: Sequence[str | None]) -> bool | None:
    """Tell whether most full stops and commas have a blank before them; None where there are too few to tell."""
    some = _sample(texts)
    apart = sum(1 for _ in _find_marks(_APART, some))
    # As many without a blank as those with one, and as are enough to tell: more need not be counted.
    attached = sum(1 for _ in islice(_find_marks(_ATTACHED, some), max(apart, _FEWEST - apart)))
    return apart > _SHARE * (apart + attached) if apart + attached >= _FEWEST else None


def _sample(texts: Sequence[str | None]) -> str:
    return "\n".join(filter(None, texts[:: max(1, len(texts) // _SAMPLE)]))


def _find_marks(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Find the places of one mark after another: a mark alone is found many times as fast as any of several."""
    for mark in _MARKS:
        if mark in text:
            of_mark = re.compile(pattern.pattern.replace(f"[{_MARKS}]", re.escape(mark), 1), re.MULTILINE)
            yield from of_mark.finditer(text)


def is_tokenized(texts: Sequence[str | None]) -> bool:
    """Tell whether texts are tokenized: whether most full stops and commas have a blank before them."""
    return _are_marks_apart(texts) or False


def first_mark_apart(texts: Sequence[str | None]) -> int:
    """Return the position of the first text with a full stop or comma after a blank."""
    return next(i for i, text in enumerate(texts) if text and _APART.search(text))


def _find_tokenization(
    run: Segments, seen: _Seen, references: Sequence[Segments], seen_there: Sequence[_Seen]
) -> Oddity | None:
    of_references = [one.is_tokenized for one in seen_there if one.is_tokenized is not None]
    if not of_references:
        return None
    if seen.is_tokenized is False and all(of_references):
        what = "have no space before full stops or commas, but the references are tokenized"
        positions = [i for i, text in enumerate(run.texts) if text and _ATTACHED.search(text)]
    elif any(of_references):
        return None
    elif seen.is_tokenized:
        most = max(share_of_marks_apart(one.texts) or 0.0 for one in references)
        what = f"have a space before full stops or commas, as in tokenized text (in the references, {most:.0%} of "
        what += "these marks do)"
        positions = seen.apart
    else:
        what = KINDS["tokenization"].what
        known = {i for one in seen_there for i in one.apart}
        positions = [i for i in seen.apart if i not in known]
        if len(positions) <= most_expected(len(run), _NATURAL_APART):
            return None
    return KINDS["tokenization"].found_in(run, positions, what=what)


def _find_apart(segments: Segments) -> list[int]:
    """Find the texts with a full stop or comma after a blank."""
    return [i for i in segments.find(f" {mark}" for mark in _MARKS) if _APART.search(segments.texts[i] or "")]
