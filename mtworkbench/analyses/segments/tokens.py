"""A text cut into the tokens that a metric compares, and the tokens by which two texts differ."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from mtworkbench.metrics import Bleu, ChrF, Gtm, Length, Meteor, Metric, Nist, Ter
from mtworkbench.metrics.sacrebleu_adapter import chrf_words, sacrebleu_metric
from mtworkbench.metrics.words import word_splitter

# These know where words end in scripts that are written without blanks, or split every character.
SEGMENTING_TOKENIZERS = frozenset(("char", "ja-mecab", "ko-mecab", "spm", "flores101", "flores200", "spBLEU-1K"))
# Thai and Lao, Burmese, Khmer, Chinese and Japanese, with their punctuation: written without blanks between words.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\u2e80-\u2fdf\u3001-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f\uf900-\ufaff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff9f"
    "\U00020000-\U0003ffff]"
)
# What never begins a character as people see it, beside the combining marks: zero-width joiners, the Thai and Lao vowel
# AM, voicing marks of half width, skin tones, tags, and the later parts of a Korean syllable.
_CONTINUES = re.compile("[\u200c\u200d\u0e33\u0eb3\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\u1160-\u11ff]")
# After these the next letter is written below or into the last one: joiner, Burmese and Khmer stacking.
_EXPECTS_MORE = frozenset("\u200d\u1039\u17d2")
# A flag is written as two of these.
_REGIONAL = re.compile("[\U0001f1e6-\U0001f1ff]+$")

# Tokenizers may replace these by their characters, some of them not &apos;.
_ENTITIES = (
    None,
    re.compile("&(?:amp;)?(lt|gt);|&(quot|amp);"),
    re.compile("&(?:amp;)?(lt|gt|apos);|&(quot|amp);"),
)
_ENTITY_CHARACTERS = {"quot": '"', "amp": "&", "lt": "<", "gt": ">", "apos": "'"}
# sentencepiece writes it where a blank was.
_BLANK_MARK = "\u2581"

#: Two texts are aligned exactly as long as the product of their numbers of tokens is not above this (16 MiB of bits).
LARGEST_TABLE = 2**27


class Piece(NamedTuple):
    """A piece of a text as it is shown."""

    #: What is shown.
    text: str
    #: The token that the metric compares, lowercased where it ignores case; None for what stands between tokens.
    token: str | None


def split_text(text: str, metric: Metric) -> list[Piece]:
    """Cut a text into the tokens that a metric compares, and what stands between them.

    Tokens are those of `token_splitter`. Chinese, Japanese, Thai, Lao, Khmer and Burmese text that the tokenizer does
    not split becomes characters, for a whole clause is no unit to compare by eye. No piece ends within a character as
    people see it (a letter and its combining marks, a flag), even where the tokenizer splits there.

    Parameters
    ----------
    text : str
    metric : Metric

    Returns
    -------
    list of Piece
        The pieces' texts, joined, are the text. Only where the tokenizer rewrites the text so that its tokens cannot be
        found in it again, they are the tokens with blanks between them.
    """
    tokens = token_splitter(metric)(text)
    places = locate_tokens(text, tokens)
    if places is None:
        places = _places_between_blanks(tokens)
        text = " ".join(tokens)
    splits = getattr(metric, "tokenize", None) not in SEGMENTING_TOKENIZERS and is_unspaced(text)
    pieces: list[Piece] = []
    end = 0
    for token, (begin, last) in zip(tokens, places, strict=True):
        if begin == last:  # a token that shows nothing, such as a mark of a blank
            continue
        if begin > end:
            pieces.append(Piece(text[end:begin], None))
        shown = text[max(begin, end) : last]
        parts = _split_token(shown, token) if splits else [Piece(shown, token)]
        if pieces and begin <= end and pieces[-1].token is not None:
            first = parts[0]
            if begin < end or _continue(pieces[-1].text, first.text[:1]):
                parts[0] = Piece(pieces[-1].text + first.text, pieces[-1].token + (first.token or ""))
                pieces.pop()
        pieces += parts
        end = last
    if end < len(text):
        pieces.append(Piece(text[end:], None))
    return pieces


def token_splitter(metric: Metric) -> Callable[[str], list[str]]:
    """Return the function that splits a text into the tokens that a metric compares.

    BLEU, NIST, GTM, TER, chrF++ and Length have tokens of their own, which are taken. chrF compares characters, METEOR
    splits words in Java, and averaged scores have no tokens: there, and for metrics that are not of this package, they
    are words and punctuation marks (sacreBLEU's tokenizer ``intl``), lowercased where the metric ignores case.

    Parameters
    ----------
    metric : Metric
    """
    match metric:
        case Bleu() | Nist() | Gtm():
            return word_splitter(*name_tokenizer(metric))
        case Ter():
            tokenizer = sacrebleu_metric("TER", tuple(asdict(metric).items())).tokenizer
            return lambda text: tokenizer(text.rstrip()).split()
        case Length():
            return str.split
        case ChrF() if metric.word_order > 0:
            return lambda text: chrf_words(text.lower() if metric.lowercase else text)
        case ChrF():
            return word_splitter("intl", metric.lowercase)
        case Meteor():
            return word_splitter("intl", metric.norm or metric.lowercase)
    return word_splitter("intl", False)


def name_tokenizer(metric: Metric) -> tuple[str, bool]:
    """Return the tokenizer that the metric counts words by, and whether it ignores case; else white space."""
    if isinstance(metric, Bleu):
        return metric.tokenize, metric.lowercase
    if isinstance(metric, Nist):
        return f"mteval-{metric.tokenize}", metric.lowercase
    if isinstance(metric, Gtm):
        return "blanks" if metric.tokenize == "none" else metric.tokenize, metric.lowercase
    return "none", False


def locate_tokens(text: str, tokens: Sequence[str]) -> list[tuple[int, int]] | None:
    """Find tokens in the text that they were made of.

    Case, entities (``&quot;``), compatible forms of characters and white space may differ between the two, and
    characters of the text may be missing in the tokens.

    Parameters
    ----------
    text : str
    tokens : sequence of str

    Returns
    -------
    list of (int, int) or None
        Begin and end of each token in the text; two tokens that were made of one character share it. None where a token
        has something that the text does not have.
    """
    if (verbatim := _find_verbatim(text, tokens)) is not None:  # as most are
        return verbatim
    wanted = ["".join(map(_fold, token)) for token in tokens]
    if _BLANK_MARK not in text:
        wanted = [token.replace(_BLANK_MARK, "") for token in wanted]
    joined = "".join(wanted)
    readings = [_fold_text(text, entities) for entities in (_ENTITIES if "&" in text else _ENTITIES[:1])]
    for folded, begins, ends in readings:
        if folded == joined:
            return _places(wanted, range(len(joined)), begins, ends)
    for folded, begins, ends in reversed(readings):
        if (found := _find_in_order(joined, folded)) is not None:
            return _places(wanted, found, begins, ends)
    return None


def pair_tokens(tokens: list[str], others: list[str]) -> list[tuple[int, int]]:
    """Align equal tokens of two texts, each at most once, along a longest common subsequence.

    Of several longest ones always the same is taken, whichever of the texts comes first. Two texts whose numbers of
    tokens have a product above `LARGEST_TABLE`, without the beginning and the end that they share, are aligned
    regardless of order: the first occurrence of a token with the first, the second with the second.

    Returns
    -------
    list of (int, int)
        Positions in ``tokens``, rising, and their partners in ``others``. For two sentences, a list takes less time
        than an array.

    Notes
    -----
    The lengths of all prefixes' common subsequences in bit vectors: Crochemore, Iliopoulos, Pinzon and Reid (2001), "A
    fast and practical bit-vector algorithm for the longest common subsequence problem".
    """
    if (len(others), others) < (len(tokens), tokens):
        return sorted((one, other) for other, one in pair_tokens(others, tokens))
    shortest = len(tokens)
    first = next((place for place in range(shortest) if tokens[place] != others[place]), shortest)
    last = next(
        (place for place in range(shortest - first) if tokens[-1 - place] != others[-1 - place]), shortest - first
    )
    middle = tokens[first : len(tokens) - last], others[first : len(others) - last]
    exact = len(middle[0]) * len(middle[1]) <= LARGEST_TABLE
    return [
        *((place, place) for place in range(first)),
        *((first + one, first + other) for one, other in (_align if exact else _pair_occurrences)(*middle)),
        *((len(tokens) - place, len(others) - place) for place in range(last, 0, -1)),
    ]


def _align(tokens: list[str], others: list[str]) -> list[tuple[int, int]]:
    """Align along a longest common subsequence."""
    all_bits = (1 << len(tokens)) - 1
    places: dict[str, int] = defaultdict(int)
    for place, token in enumerate(tokens):
        places[token] |= 1 << place
    # In row j, bit i is 0 where token i makes the longest common subsequence with the first j others longer.
    row = all_bits
    rows = [row]
    for token in others:
        matches = row & places.get(token, 0)
        row = ((row + matches) | (row - matches)) & all_bits
        rows.append(row)
    pairs = []
    one, other = len(tokens), len(others)
    while one and other:
        if rows[other] >> (one - 1) & 1:  # as long without this token
            one -= 1
        elif rows[other - 1] >> (one - 1) & 1:  # this other token is what made it longer
            one -= 1
            other -= 1
            pairs.append((one, other))
        else:
            other -= 1
    return pairs[::-1]


def _pair_occurrences(tokens: list[str], others: list[str]) -> list[tuple[int, int]]:
    """Align the k-th occurrence of a token with the k-th in the other text."""
    left = defaultdict(list)
    for place in range(len(others) - 1, -1, -1):
        left[others[place]].append(place)
    return [(place, left[token].pop()) for place, token in enumerate(tokens) if left.get(token)]


def split_unspaced(text: str) -> list[str]:
    """Split text of scripts without blanks between words into its characters, and leave what else there is together.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of str
        Joined, they are the text; none of them ends between a letter and its combining marks.
    """
    if not is_unspaced(text):  # as in most languages
        return [text] if text else []
    parts: list[str] = []
    within = False  # whether the last part is a character of such a script
    for character in text:
        unspaced = _UNSPACED.match(character) is not None
        if parts and (not (unspaced or within) or _continue(parts[-1], character)):
            parts[-1] += character
        else:
            parts.append(character)
            within = unspaced
    return parts


def is_unspaced(text: str) -> bool:
    """Tell whether a text has a character of a script that is written without blanks between words."""
    return _UNSPACED.search(text) is not None


def _split_token(shown: str, token: str) -> list[Piece]:
    """Split a token that the tokenizer should have split."""
    if not is_unspaced(shown):
        return [Piece(shown, token)]
    texts, tokens = split_unspaced(shown), split_unspaced(token)
    return [Piece(*pair) for pair in zip(texts, tokens if len(tokens) == len(texts) else texts, strict=True)]


def _continue(before: str, character: str) -> bool:
    """Tell whether a character belongs to the one before it, as people see them."""
    if unicodedata.category(character)[0] == "M" or _CONTINUES.match(character) or before[-1] in _EXPECTS_MORE:
        return True
    if "\udc00" <= character <= "\udfff" and "\ud800" <= before[-1] <= "\udbff":
        return True
    if _REGIONAL.match(character):
        flags = _REGIONAL.search(before)
        return flags is not None and len(flags[0]) % 2 == 1
    return False


@lru_cache(maxsize=2**16)
def _fold(character: str) -> str:
    """Bring a character to a form that tokenizers do not change: decomposed, without case and white space."""
    folded = unicodedata.normalize("NFKD", character.lower()).replace("\u03c2", "\u03c3")
    return "".join(folded.split())


def _fold_text(text: str, entities: re.Pattern[str] | None) -> tuple[str, list[int], list[int]]:
    """Fold a text, with the begin and the end in it of what each folded character was made of."""
    folded: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    replaced = {} if entities is None else {match.start(): match for match in entities.finditer(text)}
    place = 0
    while place < len(text):
        match = replaced.get(place)
        end = match.end() if match else place + 1
        characters = _fold(_ENTITY_CHARACTERS[match[1] or match[2]] if match else text[place])
        folded.append(characters)
        begins += [place] * len(characters)
        ends += [end] * len(characters)
        place = end
    return "".join(folded), begins, ends


def _find_verbatim(text: str, tokens: Sequence[str]) -> list[tuple[int, int]] | None:
    """Find tokens that stand in the text as they are, with nothing but white space between them."""
    places = []
    end = 0
    for token in tokens:
        begin = text.find(token, end)
        # A token may begin or end with what is no character of its own, such as a mark of a blank.
        if begin < 0 or text[end:begin].strip() or not token or not (_fold(token[0]) and _fold(token[-1])):
            return None
        end = begin + len(token)
        places.append((begin, end))
    return None if text[end:].strip() else places


def _find_in_order(characters: str, text: str) -> list[int] | None:
    """Find characters one after the other, passing over what the tokenizer has dropped."""
    found = []
    place = -1
    for character in characters:
        place = text.find(character, place + 1)
        if place < 0:
            return None
        found.append(place)
    return found


def _places(
    tokens: Sequence[str], found: Sequence[int], begins: Sequence[int], ends: Sequence[int]
) -> list[tuple[int, int]]:
    firsts = accumulate(map(len, tokens), initial=0)
    return [
        (begins[found[first]], ends[found[first + len(token) - 1]]) if token else (0, 0)
        for first, token in zip(firsts, tokens, strict=False)
    ]


def _places_between_blanks(tokens: Sequence[str]) -> list[tuple[int, int]]:
    begins = accumulate((len(token) + 1 for token in tokens), initial=0)
    return [(begin, begin + len(token)) for begin, token in zip(begins, tokens, strict=False)]
