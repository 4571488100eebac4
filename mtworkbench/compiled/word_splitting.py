"""Texts into words for BLEU and chrF++, compiled by numba; its plain references are sacreBLEU's own tokenizers.

Texts are code points, laid end to end. A table of kinds says what each character is; its last entry stands for all
characters above.
"""

import numpy as np

from mtworkbench.compiled.kernel import kernel

BLANK = 32
#: How a text is split: at white space alone; as 13a splits one without line ends, entities and ``<skipped>``; as chrF++
#: does: punctuation at the end of a word is a word of its own, else that at its beginning.
AT_SPACES, AS_13A, AS_CHRF = 0, 1, 2
#: The kinds of characters; a character may be of several.
SPACE, MARK, POINT, DIGIT, HYPHEN, PUNCTUATION = 1, 2, 4, 8, 16, 32


@kernel
def separate_words(source: np.ndarray, kinds: np.ndarray, one: np.ndarray, other: np.ndarray) -> int:
    """Set blanks where 13a separates words: four passes, each of which does what one of its replacements does.

    Parameters
    ----------
    source : (n_characters,) ndarray of uint32
    kinds : (n_kinds,) ndarray of uint8
    one, other : (5 * n_characters + 8,) ndarray of uint32
        Are written over; ``other`` receives the text.

    Returns
    -------
    int
        Length of the text.
    """
    last = len(kinds) - 1
    # Around each mark, and at both ends of the text.
    one[0] = BLANK
    end = 1
    for character in source:
        if kinds[min(character, last)] & MARK:
            one[end], one[end + 1], one[end + 2] = BLANK, character, BLANK
            end += 3
        else:
            one[end] = character
            end += 1
    one[end] = BLANK
    length = end + 1

    # Around a full stop or comma after anything but a digit. As in a regular expression, what one replacement has
    # read, the next does not read again.
    end = place = 0
    while place < length:
        other[end] = one[place]
        place += 1
        end += 1
        if place < length and kinds[min(one[place], last)] & POINT and not kinds[min(one[place - 1], last)] & DIGIT:
            other[end], other[end + 1], other[end + 2] = BLANK, one[place], BLANK
            place += 1
            end += 3
    length = end

    # Around a full stop or comma before anything but a digit.
    end = place = 0
    while place < length:
        if (
            place + 1 < length
            and kinds[min(other[place], last)] & POINT
            and not kinds[min(other[place + 1], last)] & DIGIT
        ):
            one[end], one[end + 1], one[end + 2] = BLANK, other[place], BLANK
            place += 1
            end += 3
        one[end] = other[place]
        place += 1
        end += 1
    length = end

    # Around a hyphen after a digit.
    end = 0
    for place in range(length):
        if place and kinds[min(one[place], last)] & HYPHEN and kinds[min(one[place - 1], last)] & DIGIT:
            other[end], other[end + 1], other[end + 2] = BLANK, one[place], BLANK
            end += 3
        else:
            other[end] = one[place]
            end += 1
    return end


@kernel
def split_texts(
    characters: np.ndarray,
    ends: np.ndarray,
    rules: np.ndarray,
    kinds: np.ndarray,
    span: tuple[int, int],
    words: np.ndarray,
    found: np.ndarray,
) -> None:
    """Split texts into words, each followed by a blank.

    Parameters
    ----------
    characters : (n_characters,) ndarray of uint32
        Code points of all texts.
    ends : (n_texts,) ndarray of int64
        Where each text ends.
    rules : (n_texts,) ndarray of int64
        How each text is split: `AT_SPACES`, `AS_13A` or `AS_CHRF`.
    kinds : (n_kinds,) ndarray of uint8
        Kinds of the first characters; the last entry those of all others.
    span : tuple of int
        The first text and the one after the last; those before the first are split already.
    words : (2 * n_characters,) ndarray of uint32
        Receives the words.
    found : (2, n_texts) ndarray of int64
        Receives where the words of each text end, and how many there are.
    """
    last = len(kinds) - 1
    longest = 0
    for text in range(span[0], span[1]):
        longest = max(longest, ends[text] - (ends[text - 1] if text else 0))
    one, other = np.empty(5 * longest + 8, dtype=np.uint32), np.empty(5 * longest + 8, dtype=np.uint32)
    end = found[0, span[0] - 1] if span[0] else 0
    for text in range(span[0], span[1]):
        source = characters[ends[text - 1] if text else 0 : ends[text]]
        if rules[text] == AS_13A:
            source = other[: separate_words(source, kinds, one, other)]
        n_words = place = 0
        while place < len(source):
            if kinds[min(source[place], last)] & SPACE:
                place += 1
                continue
            first = place
            while place < len(source) and not kinds[min(source[place], last)] & SPACE:
                place += 1
            cut = first
            if rules[text] == AS_CHRF and place - first > 1:
                if kinds[min(source[place - 1], last)] & PUNCTUATION:
                    cut = place - 1
                elif kinds[min(source[first], last)] & PUNCTUATION:
                    cut = first + 1
            for copied in range(first, place):
                if copied == cut and cut > first:
                    words[end] = BLANK
                    end += 1
                    n_words += 1
                words[end] = source[copied]
                end += 1
            words[end] = BLANK
            end += 1
            n_words += 1
        found[0, text], found[1, text] = end, n_words
