"""Ways in which a file is well-formed and wrong: one row per way, and what has to be noticed of it.

A row changes some lines of one file, which are drawn. Lines that a change would leave as they are do not count, so that
a share of 5 % means that 5 % of all lines are different afterwards.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

Lines = list[str]
SHARES = (0.02, 0.05, 0.1, 0.3)
#: What concerns the whole file, and has no share.
WHOLE = (1.0,)


@dataclass(frozen=True)
class Given:
    """What a change may take lines from.

    Parameters
    ----------
    reference : list of str
    other : list of str
        The outputs of a system that is compared with the damaged one.
    unseen : list of str
        The outputs of a system that is not.
    foreign : list of str
        Text of another test set in another language.
    elsewhere : list of str
        Text of another test set in the language of the outputs.
    source : list of str, optional
    """

    reference: Lines
    other: Lines
    unseen: Lines
    foreign: Lines
    elsewhere: Lines
    source: Lines | None = None


#: Changes a line, whose position is given.
Change = Callable[[str, int, Given, np.random.Generator], str]
#: Changes the lines of a file in about so many places.
Damaging = Callable[[Lines, float, np.random.Generator, Given], Lines]


@dataclass(frozen=True)
class Damage:
    """A way in which a file is wrong.

    Parameters
    ----------
    code : str
    what : str
        What the file has; continues "Lines of the output ...".
    kinds : tuple of str
        The kinds of doubt, of `KINDS`, that say so: any of them will do.
    change : callable
    shares : tuple of float
    of : {"output", "reference", "second reference", "source"}
        Which file.
    needs_source : bool
        Whether it can be made only where there is a source.
    """

    code: str
    what: str
    kinds: tuple[str, ...]
    change: Damaging = field(repr=False)
    shares: tuple[float, ...] = SHARES
    of: str = "output"
    needs_source: bool = False


# Where lines are changed.


def _scattered(change: Change, lines: Lines, share: float, rng: np.random.Generator, given: Given) -> Lines:
    wanted, changed = max(1, round(share * len(lines))), list(lines)
    for i in map(int, rng.permutation(len(lines))):
        changed[i] = change(lines[i], i, given, rng)
        wanted -= changed[i] != lines[i]
        if not wanted:
            break
    return changed


def _together(
    change: Change, lines: Lines, share: float, rng: np.random.Generator, given: Given, *, last: bool = False
) -> Lines:
    length = max(1, round(share * len(lines)))
    start = len(lines) - length if last else int(rng.integers(len(lines) - length + 1))
    return [change(text, i, given, rng) if start <= i < start + length else text for i, text in enumerate(lines)]


def scattered(change: Change) -> Damaging:
    """Change lines here and there."""
    return partial(_scattered, change)


def together(change: Change) -> Damaging:
    """Change the lines of one stretch."""
    return partial(_together, change)


def at_the_end(change: Change) -> Damaging:
    """Change the last lines."""
    return partial(_together, change, last=True)


def each(change: Callable[[str], str]) -> Change:
    """Make a change of a line from one that looks at nothing else."""
    return lambda text, _i, _given, _rng: change(text)


def wrapped(before: str, after: str = "") -> Change:
    """Put something around a line."""
    return lambda text, i, _given, _rng: f"{before.format(i=i)}{text}{after.format(i=i)}"


def one_of(*texts: str) -> Change:
    """Put one of some texts in place of a line."""
    return lambda _text, _i, _given, rng: texts[int(rng.integers(len(texts)))]


def prefixed_by_one_of(*texts: str) -> Change:
    """Put one of some texts before a line."""
    return lambda text, _i, _given, rng: texts[int(rng.integers(len(texts)))] + text


def suffixed_by_one_of(*texts: str) -> Change:
    """Put one of some texts after a line."""
    return lambda text, _i, _given, rng: text + texts[int(rng.integers(len(texts)))]


# Changes of a line.

_WORD = re.compile(r"\w{5,}")
_HOMOGLYPHS = str.maketrans("aceopxyABCEHKMOPTX", "асеорхуАВСЕНКМОРТХ")
_CYRILLIC = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "абцдефгхийклмнопкрстуввхызАБЦДЕФГХИЙКЛМНОПКРСТУВВХЫЗ"
)
_STRAIGHT = str.maketrans({"“": '"', "”": '"', "„": '"', "’": "'", "‘": "'", "–": "-", "—": "-"})  # noqa: RUF001
_FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})


def _inside_words(mark: str, text: str) -> str:
    return _WORD.sub(lambda match: f"{match[0][:3]}{mark}{match[0][3:]}", text)


def _without_diacritics(text: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))


def _misread(text: str) -> str:
    return text.encode().decode("cp1252", "replace").replace("\ufffd", "")


def _smart(text: str) -> str:
    return re.sub(r'"([^"]*)"', r"“\1”", text).replace("'", "’")  # noqa: RUF001


def _loop(text: str, _i: int, _given: Given, rng: np.random.Generator) -> str:
    words = text.split()
    at = int(rng.integers(1, len(words) + 1)) if words else 0
    return " ".join([*words[:at], *words[max(0, at - 4) : at] * int(rng.integers(5, 20))])


def _word_repeated(text: str, _i: int, _given: Given, rng: np.random.Generator) -> str:
    words = text.split()
    at = int(rng.integers(len(words))) if words else 0
    return " ".join([*words[:at], *words[at : at + 1] * int(rng.integers(3, 12)), *words[at + 1 :]])


def _keep_words(keep: Callable[[Sequence[str]], Sequence[str]], text: str) -> str:
    return " ".join(keep(text.split()))


def _without_long_words(mark: str, text: str) -> str:
    return re.sub(r"\w{9,}", mark, text)


def _other_separator(text: str) -> str:
    return re.sub(r"(?<=\d)[.,](?=\d)", lambda match: {".": ",", ",": "."}[match[0]], text)


def _paste_source(text: str, i: int, given: Given, _rng: np.random.Generator) -> str:
    return f"{given.source[i]}\t{text}" if given.source else text


# Changes of several lines.


def _moved(order: Callable[[int, float, np.random.Generator], np.ndarray]) -> Damaging:
    """Take lines in another order: positions in a file of so many lines."""

    def change(lines: Lines, share: float, rng: np.random.Generator, _given: Given) -> Lines:
        return [lines[int(i)] for i in order(len(lines), share, rng)]

    return change


def _some_permuted(n: int, share: float, rng: np.random.Generator) -> np.ndarray:
    order, some = np.arange(n), np.sort(rng.permutation(n)[: max(2, round(share * n))])
    order[some] = np.roll(some, 1)
    return order


def _every_so_many_permuted(n: int, share: float, rng: np.random.Generator) -> np.ndarray:
    order, some = np.arange(n), np.arange(0, n, max(2, round(1 / share)))
    order[some] = rng.permutation(some)
    return order


def _neighbours_swapped(n: int, share: float, rng: np.random.Generator) -> np.ndarray:
    order = np.arange(n)
    for i in 2 * rng.permutation(n // 2)[: max(1, round(share * n / 2))]:
        order[i : i + 2] = i + 1, i
    return order


def _block_moved(n: int, share: float, rng: np.random.Generator) -> np.ndarray:
    """Move a block by its own length: half of the share each."""
    half = max(1, round(share * n / 2))
    start = int(rng.integers(n - 2 * half + 1))
    order = np.arange(n)
    order[start : start + 2 * half] = np.roll(order[start : start + 2 * half], half)
    return order


def _last_ones_shifted(n: int, share: float, _rng: np.random.Generator) -> np.ndarray:
    start = n - max(2, round(share * n))
    return np.concatenate([np.arange(start), [start], np.arange(start, n - 1)])


def _stretch_shifted(n: int, share: float, rng: np.random.Generator) -> np.ndarray:
    """Shift a stretch by a line: one line was lost, and another added later."""
    length = max(3, round(share * n))
    start = int(rng.integers(n - length + 1))
    order = np.arange(n)
    order[start : start + length - 1] += 1
    return order


def _shuffled_in_documents(n: int, share: float, rng: np.random.Generator) -> np.ndarray:
    order, size = np.arange(n), 10
    for start in size * rng.permutation(n // size)[: max(1, round(share * n / size))]:
        order[start : start + size] = rng.permutation(order[start : start + size])
    return order


def _stretch_reversed(n: int, share: float, rng: np.random.Generator) -> np.ndarray:
    length = max(2, round(share * n))
    start = int(rng.integers(n - length + 1))
    order = np.arange(n)
    order[start : start + length] = order[start : start + length][::-1]
    return order


def _cut_at_a_length(lines: Lines, share: float, _rng: np.random.Generator, _given: Given) -> Lines:
    """Cut the longest lines where the shortest of them would not be: a limit of the decoder."""
    lengths = sorted(len(text.split()) for text in lines)
    limit = max(1, lengths[-max(1, round(share * len(lines)))] - 1)
    return [" ".join(text.split()[:limit]) if len(text.split()) > limit else text for text in lines]


def _one_line_to_the_end(lines: Lines, share: float, _rng: np.random.Generator, _given: Given) -> Lines:
    n_kept = len(lines) - max(2, round(share * len(lines)))
    return [*lines[:n_kept], *[lines[n_kept]] * (len(lines) - n_kept)]


def _line_before_again(lines: Lines, share: float, rng: np.random.Generator, given: Given) -> Lines:
    return _scattered(lambda _text, i, _given, _rng: lines[max(0, i - 1)], lines, share, rng, given)


def _merged_with_the_next(lines: Lines, share: float, rng: np.random.Generator, _given: Given) -> Lines:
    """Join a line and the next one, which is empty then."""
    merged = list(lines)
    for i in map(int, 2 * rng.permutation(len(lines) // 2)[: max(1, round(share * len(lines) / 2))]):
        merged[i], merged[i + 1] = f"{lines[i]} {lines[i + 1]}", ""
    return merged


def _merged_and_kept(lines: Lines, share: float, rng: np.random.Generator, given: Given) -> Lines:
    """Join a line and the next one, which stays: a segmenter that looks ahead."""
    following = [*lines[1:], lines[0]]
    return _scattered(lambda text, i, _given, _rng: f"{text} {following[i]}", lines, share, rng, given)


def _some_sentences(lines: Lines, share: float, rng: np.random.Generator, given: Given) -> Lines:
    """Put one of three fluent lines of the file in place of others: a model that falls back on what it knows."""
    known = [lines[int(i)] for i in rng.permutation(len(lines))[:3]]
    return _scattered(one_of(*known), lines, share, rng, given)


_REFUSAL = "I'm sorry, but I can't assist with that request."
_REFUSALS = (
    _REFUSAL,
    "I'm sorry, I cannot translate this content.",
    "As an AI language model, I am unable to provide a translation of this text.",
    "I apologize, but I cannot fulfill this request because it may violate the content policy.",
    "Unfortunately, I am not able to help with that.",
    "Sorry, the text you provided appears to be incomplete. Could you please provide the full sentence?",
    "The provided text cannot be translated as it contains sensitive content.",
)
_REFUSALS_ELSEWHERE = (
    "Es tut mir leid, aber ich kann diese Anfrage nicht bearbeiten.",
    "Als KI-Sprachmodell kann ich diesen Text leider nicht übersetzen.",
    "Lo siento, pero no puedo ayudar con esa solicitud.",
    "Je suis désolé, mais je ne peux pas traduire ce texte.",
    "К сожалению, я не могу выполнить этот запрос.",
    "抱歉，我无法翻译此内容。",
)
_OPENINGS = (
    "Here is the translation: ",
    "Sure! Here's the translation: ",
    "Translation: ",
    "The translation is: ",
    "Certainly! ",
    "Here's the translated text: ",
    "Übersetzung: ",
)
_CLOSINGS = (
    " Let me know if you need anything else!",
    " (Note: the original text is ambiguous here.)",
    " Note: I kept the names as they are.",
    " I hope this helps!",
    " [Translated by AI]",
)

#: The kinds of doubt, and the codes of warnings and errors that express each.
KINDS: dict[str, tuple[str, ...]] = {
    "leak": ("hyp-is-ref", "reference-lines"),
    "source": ("hyp-is-source", "reference-is-source"),
    "copy": ("identical-systems", "lines-of-another"),
    "case": ("lower-case", "upper-case", "title-case", "low-beginnings"),
    "around": ("enclosed-lines", "same-beginnings", "same-ends", "signs"),
    "marks": ("signs", "same-beginnings", "same-ends", "enclosed-lines"),
    "refusal": ("no-translation", "unrelated-lines", "same-beginnings", "same-ends"),
    "repeated": ("repeated-segments", "repeated-lines"),
    "loop": ("loops",),
    "order": ("suspected-shift", "suspected-order", "unrelated-lines"),
    "language": ("other-language", "unrelated-lines"),
    "script": ("other-script",),
    "cut": ("short-lines", "length-limit", "no-end-mark"),
    "long": ("huge-line", "long-lines"),
    "empty": ("empty-hyp", "all-empty", "empty-ref", "absent-ref", "only-marks"),
    "pieces": ("bpe-pieces", "sentencepiece-pieces"),
    "export": ("json-escapes", "nbest-list", "json-lines", "numbered-lines", "literal-quotes", "tab"),
    "tokens": ("tokenization", "no-punctuation", "no-spaces"),
    "characters": (
        "mojibake",
        "replacement-char",
        "normalization",
        "no-diacritics",
        "zeros",
        "numbers",
        "no-spaces",
        "mixed-scripts",
        "number-separators",
    ),
    "invisible": ("invisible-chars", "control-char", "other-spaces"),
    "entities": ("html-entities",),
    "reference": ("same-references",),
}


def _lines_of(name: str) -> Change:
    """Take the line of another file at the same place, or wherever that is in a shorter one."""

    def change(text: str, i: int, given: Given, _rng: np.random.Generator) -> str:
        lines = getattr(given, name) or [text]
        return lines[i % len(lines)]

    return change


_reference, _source, _other, _unseen, _foreign, _elsewhere = map(
    _lines_of, ("reference", "source", "other", "unseen", "foreign", "elsewhere")
)


def _of_output() -> list[Damage]:
    return [
        # Lines that are not the system's.
        Damage("reference-scattered", "are the reference, scattered", ("leak",), scattered(_reference)),
        Damage("reference-stretch", "are the reference, in one stretch", ("leak",), together(_reference)),
        Damage("reference-end", "are the reference, at the end", ("leak",), at_the_end(_reference)),
        Damage(
            "reference-lower-case",
            "are the reference in lower case",
            ("leak", "case"),
            scattered(lambda _text, i, given, _rng: given.reference[i].lower()),
        ),
        Damage(
            "source-scattered",
            "are the source, scattered",
            ("source", "language", "script"),
            scattered(_source),
            needs_source=True,
        ),
        Damage(
            "source-stretch",
            "are the source, in one stretch",
            ("source", "language", "script"),
            together(_source),
            needs_source=True,
        ),
        Damage(
            "system-scattered", "are from another system in the comparison, scattered", ("copy",), scattered(_other)
        ),
        Damage(
            "system-stretch",
            "are from another system in the comparison, in one stretch",
            ("copy",),
            together(_other),
        ),
        Damage(
            "system-half",
            "are from another system in the comparison in one half of the file",
            ("copy",),
            lambda lines, _share, rng, given: _together(_other, lines, 0.5, rng, given),
            WHOLE,
        ),
        Damage(
            "system-almost",
            "are from another system in the comparison, but for 5 %",
            ("copy",),
            lambda lines, _share, rng, given: [
                own if rng.random() < 0.05 else text for own, text in zip(lines, given.other, strict=True)
            ],
            WHOLE,
        ),
        Damage(
            "checkpoint-spliced-in",
            "are from a system that is not in the comparison, at the end",
            ("copy",),
            at_the_end(_unseen),
        ),
        Damage(
            "other-test-set-stretch",
            "are of another test set in the same language, in one stretch",
            ("order", "language", "cut", "long"),
            together(_elsewhere),
        ),
        # Case.
        Damage("lower-case", "are in lower case", ("case",), scattered(each(str.lower)), (*SHARES, 1.0)),
        Damage("upper-case", "are in upper case", ("case",), scattered(each(str.upper)), (*SHARES, 1.0)),
        Damage(
            "title-case", "begin each word with a capital letter", ("case",), scattered(each(str.title)), (*SHARES, 1.0)
        ),
        Damage(
            "first-letter-lower",
            "begin with a lower-case letter",
            ("case", "around"),
            scattered(each(lambda text: text[:1].lower() + text[1:])),
            (*SHARES, 1.0),
        ),
        # What language models add.
        Damage("opening", "begin with the same words", ("around",), scattered(wrapped(_OPENINGS[0])), (*SHARES, 1.0)),
        Damage(
            "openings", "begin with one of seven such phrases", ("around",), scattered(prefixed_by_one_of(*_OPENINGS))
        ),
        Damage("closings", "end with one of five such phrases", ("around",), scattered(suffixed_by_one_of(*_CLOSINGS))),
        Damage("language-label", "begin with the name of the language", ("around",), scattered(wrapped("English: "))),
        Damage("quotation-marks", "are in quotation marks", ("around",), scattered(wrapped('"', '"')), (*SHARES, 1.0)),
        Damage("curly-quotation-marks", "are in curly quotation marks", ("around",), scattered(wrapped("“", "”"))),
        Damage("code-fences", "are between code fences", ("around", "marks"), scattered(wrapped("``` ", " ```"))),
        Damage("bold", "are bold in Markdown", ("around", "marks"), scattered(wrapped("**", "**"))),
        Damage("bullets", "begin with a bullet of Markdown", ("around", "marks"), scattered(wrapped("- "))),
        Damage(
            "thinking",
            "begin with the reasoning of the model",
            ("around", "marks"),
            scattered(wrapped("<think> The user wants a translation of sentence {i}. </think> ")),
        ),
        Damage(
            "two-variants",
            "give two translations",
            ("around", "long"),
            scattered(lambda text, i, given, _rng: f"{text} / {given.unseen[i]}"),
        ),
        Damage(
            "json-escapes",
            "have JSON's escapes",
            ("characters", "export", "marks"),
            scattered(each(lambda text: json.dumps(text)[1:-1])),
        ),
        Damage(
            "json-strings", "are strings of JSON", ("around", "export"), scattered(each(json.dumps)), (*SHARES, 1.0)
        ),
        Damage("refusal", "are one refusal", ("refusal", "repeated"), scattered(one_of(_REFUSAL))),
        Damage("refusals", "are refusals in seven wordings", ("refusal", "repeated"), scattered(one_of(*_REFUSALS))),
        Damage(
            "refusals-elsewhere",
            "are refusals in several languages",
            ("refusal", "repeated", "language", "script"),
            scattered(one_of(*_REFUSALS_ELSEWHERE)),
        ),
        # What programs leave.
        Damage("sentence-marks", "are between <s> and </s>", ("marks", "around"), scattered(wrapped("<s> ", " </s>"))),
        Damage("end-marks", "end with </s>", ("marks", "around"), scattered(wrapped("", " </s>"))),
        Damage("language-marks", "begin with >>eng<<", ("marks", "around"), scattered(wrapped(">>eng<< "))),
        Damage("language-codes", "begin with __en__", ("marks", "around"), scattered(wrapped("__en__ "))),
        Damage(
            "fairseq", "begin with H-0 and a score", ("marks", "around", "export"), scattered(wrapped("H-{i}\t-0.4\t"))
        ),
        Damage(
            "nbest-columns",
            "are lines of an n-best list",
            ("export", "marks", "around"),
            scattered(wrapped("{i} ||| ", " ||| F0= -1.2 ||| -1.2")),
        ),
        Damage(
            "ids-after",
            "end with a number of their own",
            ("export", "marks", "around"),
            scattered(wrapped("", "\t{i}")),
        ),
        Damage("numbers-before", "begin with their number", ("export", "around"), scattered(wrapped("{i}. "))),
        Damage(
            "source-pasted",
            "have the source before them",
            ("export", "long", "language", "script"),
            scattered(_paste_source),
            needs_source=True,
        ),
        Damage("bpe", "have words in pieces (@@)", ("pieces",), scattered(each(partial(_inside_words, "@@ ")))),
        Damage(
            "sentencepiece",
            "have SentencePiece's marks",
            ("pieces",),
            scattered(each(lambda text: "▁" + text.replace(" ", " ▁"))),
        ),
        Damage(
            "unknown-words",
            "have <unk> for long words",
            ("marks", "characters"),
            scattered(each(partial(_without_long_words, "<unk>"))),
        ),
        Damage(
            "unknown-signs",
            "have SentencePiece's sign for unknown words",
            ("marks", "characters"),
            scattered(each(partial(_without_long_words, "⁇"))),  # noqa: RUF001
        ),
        Damage(
            "tokenized",
            "are tokenized",
            ("tokens", "around"),
            scattered(each(lambda text: re.sub(r"(?<=\w)([.,;:!?])(?=\s|$)", r" \1", text))),
            (*SHARES, 1.0),
        ),
        Damage(
            "no-punctuation",
            "have no punctuation",
            ("tokens", "characters"),
            scattered(each(lambda text: re.sub(r"[^\w\s]", "", text))),
            (*SHARES, 1.0),
        ),
        Damage(
            "no-final-mark",
            "have no final punctuation",
            ("cut", "tokens", "around"),
            scattered(each(lambda text: re.sub(r"[.!?]$", "", text))),
            (*SHARES, 1.0),
        ),
        Damage(
            "entities",
            "have HTML entities for apostrophes, quotation marks, & and <",
            ("entities",),
            scattered(each(html.escape)),
        ),
        Damage(
            "entities-twice",
            "have HTML entities that were escaped twice",
            ("entities",),
            scattered(each(lambda text: html.escape(html.escape(text)))),
        ),
        # Decoders that fail.
        Damage("one-line-to-the-end", "are one line, to the end", ("repeated", "around"), _one_line_to_the_end),
        Damage("line-before-again", "repeat the line before", ("repeated", "order"), _line_before_again),
        Damage("some-sentences", "are one of three others", ("repeated", "order", "around"), _some_sentences),
        Damage("loops", "repeat their last words", ("loop", "long"), scattered(_loop)),
        Damage("word-repeated", "have one word several times", ("loop", "long"), scattered(_word_repeated)),
        Damage("doubled", "have their text twice", ("loop", "long"), scattered(each(lambda text: f"{text} {text}"))),
        Damage("cut-at-a-length", "are cut off at one length", ("cut",), _cut_at_a_length),
        Damage(
            "first-half-only",
            "have their first half only",
            ("cut",),
            scattered(each(partial(_keep_words, lambda words: words[: (len(words) + 1) // 2]))),
        ),
        Damage(
            "second-half-only",
            "have their second half only",
            ("cut", "case"),
            scattered(each(partial(_keep_words, lambda words: words[len(words) // 2 :]))),
        ),
        Damage(
            "three-words-lost",
            "lack the last three words",
            ("cut",),
            scattered(each(partial(_keep_words, lambda words: words[:-3] or words[:1]))),
        ),
        Damage(
            "first-word-only",
            "have their first word only",
            ("cut",),
            scattered(each(partial(_keep_words, lambda words: words[:1]))),
        ),
        Damage("empty-scattered", "are empty, scattered", ("empty",), scattered(one_of(""))),
        Damage("empty-stretch", "are empty, in one stretch", ("empty",), together(one_of(""))),
        Damage("full-stop-only", "are a full stop", ("cut", "repeated", "empty"), scattered(one_of("."))),
        Damage("merged", "hold the next line as well, which is empty", ("empty", "long"), _merged_with_the_next),
        Damage(
            "merged-and-kept",
            "hold the next line as well, which stays",
            ("long", "repeated", "order"),
            _merged_and_kept,
        ),
        # Order.
        Damage("some-permuted", "are in the places of others, scattered", ("order",), _moved(_some_permuted)),
        Damage("every-tenth-permuted", "are permuted, at equal distances", ("order",), _moved(_every_so_many_permuted)),
        Damage(
            "neighbours-swapped", "have changed places with their neighbours", ("order",), _moved(_neighbours_swapped)
        ),
        Damage("blocks-swapped", "are two blocks that have changed places", ("order",), _moved(_block_moved)),
        Damage("shifted-to-the-end", "are one line late, to the end", ("order",), _moved(_last_ones_shifted)),
        Damage("shifted-stretch", "are one line early, for a stretch", ("order",), _moved(_stretch_shifted)),
        Damage("documents-shuffled", "are shuffled in groups of ten", ("order",), _moved(_shuffled_in_documents)),
        Damage("stretch-reversed", "are in reversed order, for a stretch", ("order",), _moved(_stretch_reversed)),
        Damage(
            "halves-swapped",
            "are in two halves that have changed places",
            ("order",),
            _moved(lambda n, _share, _rng: np.roll(np.arange(n), n // 2)),
            WHOLE,
        ),
        Damage("sorted", "are sorted", ("order",), lambda lines, _share, _rng, _given: sorted(lines), WHOLE),
        # Languages, scripts, characters.
        Damage("foreign-scattered", "are in another language, scattered", ("language",), scattered(_foreign)),
        Damage("foreign-stretch", "are in another language, in one stretch", ("language", "order"), together(_foreign)),
        Damage(
            "other-script",
            "are in another script",
            ("script",),
            scattered(each(lambda text: text.translate(_CYRILLIC))),
        ),
        Damage(
            "look-alike-letters",
            "have Cyrillic letters that look like Latin ones",
            ("script", "characters", "language"),
            scattered(each(lambda text: text.translate(_HOMOGLYPHS))),
        ),
        Damage(
            "no-diacritics",
            "have no diacritics",
            ("characters", "language"),
            scattered(each(_without_diacritics)),
            (*SHARES, 1.0),
        ),
        Damage(
            "umlauts-spelled-out",
            "have ae, oe, ue and ss for umlauts and ß",
            ("characters", "language"),
            scattered(each(lambda text: text.translate(_UMLAUTS))),
            (*SHARES, 1.0),
        ),
        Damage(
            "digits-masked",
            "have 0 for every digit",
            ("characters", "marks"),
            scattered(each(lambda text: re.sub(r"\d", "0", text))),
            (*SHARES[:3], 1.0),
        ),
        Damage(
            "other-separators",
            "have points for commas in numbers, or commas for points",
            ("characters", "tokens"),
            scattered(each(_other_separator)),
            (*SHARES[:2], 1.0),
        ),
        Damage(
            "full-width",
            "have full-width characters",
            ("script", "characters", "around"),
            scattered(each(lambda text: text.translate(_FULL_WIDTH))),
        ),
        Damage(
            "straight-quotes",
            "have straight quotation marks and hyphens for typographic ones",
            ("characters",),
            scattered(each(lambda text: text.translate(_STRAIGHT))),
            (*SHARES, 1.0),
        ),
        Damage(
            "curly-quotes",
            "have curly quotation marks for straight ones",
            ("characters",),
            scattered(each(_smart)),
            (*SHARES, 1.0),
        ),
        Damage("mojibake", "were read in a wrong encoding", ("characters",), scattered(each(_misread))),
        Damage(
            "decomposed",
            "are in another normal form",
            ("characters",),
            scattered(each(partial(unicodedata.normalize, "NFD"))),
        ),
        Damage(
            "zero-width",
            "have zero-width spaces in words",
            ("invisible",),
            scattered(each(partial(_inside_words, "\u200b"))),
        ),
        Damage(
            "soft-hyphens",
            "have soft hyphens in words",
            ("invisible",),
            scattered(each(partial(_inside_words, "\xad"))),
        ),
        Damage(
            "right-to-left", "begin with a right-to-left mark", ("invisible", "around"), scattered(wrapped("\u200f"))
        ),
        Damage(
            "no-break-spaces",
            "have no-break spaces",
            ("invisible", "characters"),
            scattered(each(lambda text: text.replace(" ", "\xa0"))),
        ),
        Damage(
            "underscores",
            "have underscores for spaces",
            ("marks", "characters", "tokens", "pieces"),
            scattered(each(lambda text: text.replace(" ", "_"))),
        ),
        Damage(
            "no-spaces",
            "have no spaces",
            ("characters", "tokens", "cut", "language"),
            scattered(each(lambda text: text.replace(" ", ""))),
        ),
        Damage(
            "words-reversed",
            "have their words in reversed order",
            ("order", "characters", "language", "cut", "around", "case"),
            scattered(each(partial(_keep_words, lambda words: words[::-1]))),
            (*SHARES, 1.0),
        ),
    ]


def _of_references() -> list[Damage]:
    refer = partial(Damage, of="reference")
    return [
        Damage(
            "second-is-first",
            "are those of the first",
            ("reference", "leak"),
            lambda _lines, _share, _rng, given: list(given.reference),
            WHOLE,
            of="second reference",
        ),
        Damage(
            "second-is-a-system",
            "are from a system in the comparison",
            ("leak", "reference"),
            lambda _lines, _share, _rng, given: list(given.other),
            WHOLE,
            of="second reference",
        ),
        refer("reference-shifted", "are one line late, to the end", ("order", "reference"), _moved(_last_ones_shifted)),
        refer("reference-permuted", "are in the places of others", ("order", "reference"), _moved(_some_permuted)),
        refer(
            "reference-is-source",
            "are the source, in one stretch",
            ("source", "language", "script", "reference", "characters"),
            together(_source),
            needs_source=True,
        ),
        refer(
            "reference-is-a-system",
            "are from a system in the comparison",
            ("leak", "reference"),
            together(_other),
        ),
        refer(
            "reference-repeated",
            "are one line, to the end",
            ("repeated", "reference", "order", "around"),
            _one_line_to_the_end,
        ),
        refer(
            "reference-lower", "are in lower case", ("case", "reference"), scattered(each(str.lower)), (*SHARES, 1.0)
        ),
        refer(
            "reference-cut",
            "have their first half only",
            ("cut", "long", "reference"),
            scattered(each(partial(_keep_words, lambda words: words[: (len(words) + 1) // 2]))),
        ),
        refer("reference-entities", "have HTML entities", ("entities", "reference"), scattered(each(html.escape))),
        refer(
            "reference-elsewhere",
            "are of another test set, in one stretch",
            ("order", "language", "reference", "cut", "long"),
            together(_elsewhere),
        ),
        Damage(
            "source-is-reference",
            "are the references",
            ("source", "reference", "language", "leak"),
            lambda _lines, _share, _rng, given: list(given.reference),
            WHOLE,
            of="source",
            needs_source=True,
        ),
    ]


DAMAGES = (*_of_output(), *_of_references())
