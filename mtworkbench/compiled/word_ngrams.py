"""Matches of n-grams of words, segment by segment, compiled by numba; its plain reference is `count_matches`.

Words are numbered within a segment, so that four of them fit into one key of 64 bits.
"""

import numpy as np

from mtworkbench.compiled.kernel import kernel

BLANK = 32
#: So many words the references of a segment may have together.
MOST_WORDS = 65_535
BITS_OF_A_WORD = np.uint64(16)
ORDERS = 4
# Knuth's multiplicative hashing: 2**64 divided by the golden ratio. The product's highest bits choose the place.
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
EMPTY = np.uint64(0)


@kernel
def find_word(
    characters: np.ndarray, begin: int, bits: int, numbers: np.ndarray, begins: np.ndarray, others: np.ndarray
) -> tuple[np.int64, int]:
    """Find the word that begins here in a table of ``2**bits`` places.

    Parameters
    ----------
    characters : (n_characters,) ndarray of uint32
        Words, each followed by a blank.
    begin : int
    bits : int
    numbers, begins : (n_places,) ndarray of int64
        The number of each word in the table, 0 where the place is free; where it begins in ``others``.
    others : (n_others,) ndarray of uint32
        Words, each followed by a blank.

    Returns
    -------
    place : int
        Of the word, or the free place where it belongs.
    end : int
        Where the word ends in ``characters``.
    """
    end, code = begin, EMPTY
    while characters[end] != BLANK:
        code = (code ^ np.uint64(characters[end])) * MULTIPLIER
        code ^= code >> np.uint64(29)
        end += 1
    place = np.int64((code * MULTIPLIER) >> np.uint64(64 - bits))
    while numbers[place]:
        offset = 0
        while characters[begin + offset] == others[begins[place] + offset] and begin + offset < end:
            offset += 1
        if begin + offset == end and others[begins[place] + offset] == BLANK:
            break
        place = (place + 1) & ((1 << bits) - 1)
    return place, end


@kernel
def find_ngram(key: np.uint64, bits: int, keys: np.ndarray) -> np.int64:
    """Return the place of an n-gram in a table of ``2**bits`` keys, or the free place where it belongs."""
    place = np.int64((key * MULTIPLIER) >> np.uint64(64 - bits))
    while keys[place] != EMPTY and keys[place] != key:
        place = (place + 1) & ((1 << bits) - 1)
    return place


@kernel
def count_matches(
    hypotheses: np.ndarray,
    ends: np.ndarray,
    references: np.ndarray,
    reference_ends: np.ndarray,
    n_words: np.ndarray,
    span: tuple[int, int],
    matches: np.ndarray,
) -> None:
    """Count the n-grams of hypotheses that their references have as well.

    Each counts at most as often as it occurs in the reference that has it most often.

    Parameters
    ----------
    hypotheses, references : (n_characters,) ndarray of uint32
        Words, each followed by a blank: of the hypotheses; of the first reference of all segments, of the second ...
    ends : (n_segments,) ndarray of int64
        Where each hypothesis ends.
    reference_ends : (n_references * n_segments,) ndarray of int64
        Where each reference ends.
    n_words : (n_segments,) ndarray of int64
        Number of words in all references of each segment, `MOST_WORDS` at most.
    span : tuple of int
        The first segment and the one after the last.
    matches : (n_segments, max_order) ndarray of int64
        Receives the counts; ``max_order`` is `ORDERS` at most.
    """
    n_segments, max_order = matches.shape
    n_references = len(reference_ends) // n_segments
    n_places = 8
    for segment in range(span[0], span[1]):
        while n_places < 2 * n_words[segment]:
            n_places *= 2
    numbers, begins = np.empty(n_places, dtype=np.int64), np.empty(n_places, dtype=np.int64)
    n_places *= ORDERS
    keys = np.empty(n_places, dtype=np.uint64)
    # How often an n-gram occurs in the reference that has it most often; in the text that is read now; which text.
    limits, counts = np.empty(n_places, dtype=np.int64), np.empty(n_places, dtype=np.int64)
    latest = np.empty(n_places, dtype=np.int64)
    recent = np.empty(ORDERS, dtype=np.uint64)  # the n-grams that end at the word before, from the shortest

    for segment in range(span[0], span[1]):
        bits = 3  # so that the tables are half full at most
        while 1 << bits < 2 * n_words[segment]:
            bits += 1
        numbers[: 1 << bits] = 0
        keys[: ORDERS << bits] = EMPTY
        matches[segment] = 0
        n_known = 0
        # The references, then the hypothesis: for that one n-grams are looked up, but not added.
        for text in range(n_references + 1):
            if text < n_references:
                row = text * n_segments + segment
                characters, begin, end = references, reference_ends[row - 1] if row else 0, reference_ends[row]
            else:
                characters, begin, end = hypotheses, ends[segment - 1] if segment else 0, ends[segment]
            n_recent = 0
            while begin < end:
                place, end_of_word = find_word(characters, begin, bits, numbers, begins, references)
                if numbers[place] == 0 and text < n_references:
                    n_known += 1
                    numbers[place], begins[place] = n_known, begin
                begin = end_of_word + 1
                number = np.uint64(numbers[place])
                n_orders = min(n_recent + 1, max_order) if number else 0
                n_recent = 0
                # From the longest: an order reads the n-gram that the next shorter one replaces.
                for order in range(n_orders - 1, -1, -1):
                    key = recent[order - 1] << BITS_OF_A_WORD | number if order else number
                    place = find_ngram(key, bits + 2, keys)
                    if keys[place] == EMPTY:
                        if text == n_references:
                            continue
                        keys[place], limits[place], latest[place] = key, 0, -1
                    recent[order] = key
                    n_recent = max(n_recent, order + 1)
                    if latest[place] != text:
                        counts[place], latest[place] = 0, text
                    counts[place] += 1
                    if text < n_references:
                        limits[place] = max(limits[place], counts[place])
                    elif counts[place] <= limits[place]:
                        matches[segment, order] += 1
