"""Matches of n-grams of characters, segment by segment, compiled by numba; its plain reference is `count_matches`.

The characters of a segment's references are numbered, so that six of them fit into one key of 60 bits. A text is then
the sorted list of the keys that begin at each of its characters, and its n-grams of each order are the first digits of
these: one sort serves all orders.
"""

import numpy as np

from mtworkbench.compiled.kernel import kernel

ORDERS = 6
BITS_OF_A_CHARACTER = np.uint64(10)
DIGIT = np.uint64(1023)
#: Stands for a character of a hypothesis that no reference of the segment has.
UNKNOWN = 1023
#: So many different characters the references of a segment may have.
MOST_CHARACTERS = 1022


@kernel
def write_keys(numbers: np.ndarray, keys: np.ndarray) -> None:
    """Write the six characters from each place on as one key; 0 stands for those after the end."""
    key = np.uint64(0)
    for place in range(len(numbers) - 1, -1, -1):
        key = key >> BITS_OF_A_CHARACTER | np.uint64(numbers[place]) << np.uint64(50)
        keys[place] = key


@kernel
def sort_keys(keys: np.ndarray, other: np.ndarray, starts: np.ndarray, n_numbers: int) -> None:
    """Sort keys, digit by digit from the last one on.

    Parameters
    ----------
    keys : (n_keys,) ndarray of uint64
        Sorted in place.
    other : (n_keys,) ndarray of uint64
        Is written over.
    starts : (1024,) ndarray of int64
        Is written over.
    n_numbers : int
        The largest digit, apart from `UNKNOWN`.
    """
    source, target = keys, other
    for order in range(ORDERS):
        shift = np.uint64(10 * order)
        starts[: n_numbers + 2] = 0
        starts[UNKNOWN] = 0
        for key in source:
            starts[(key >> shift) & DIGIT] += 1
        before = 0
        for digit in range(n_numbers + 1):
            count = starts[digit]
            starts[digit] = before
            before += count
        if n_numbers < UNKNOWN:
            starts[UNKNOWN] = before
        for key in source:
            digit = (key >> shift) & DIGIT
            target[starts[digit]] = key
            starts[digit] += 1
        source, target = target, source


@kernel
def highest(characters: np.ndarray) -> np.int64:
    """Return the highest code point."""
    code = np.uint32(0)
    for character in characters:
        code = max(code, character)
    return np.int64(code)


@kernel
def prepare_references(
    characters: np.ndarray, ends: np.ndarray, keys: np.ndarray, alphabets: np.ndarray, ends_of_alphabets: np.ndarray
) -> None:
    """Give numbers to the characters of each segment's references, and sort the keys of these.

    Parameters
    ----------
    characters : (n_characters,) ndarray of uint32
        Code points of the first reference of all segments, of the second ...
    ends : (n_references, n_segments) ndarray of int64
        Where each text ends.
    keys : (n_characters,) ndarray of uint64
        Receives the keys of each text, sorted.
    alphabets : (n_characters,) ndarray of uint32
        Receives the characters of each segment in the order of their numbers, from 1.
    ends_of_alphabets : (n_segments,) ndarray of int64
        Receives where each alphabet ends; where a segment has more than `MOST_CHARACTERS`, its alphabet is empty.
    """
    n_references, n_segments = ends.shape
    # The number of each character, in a count that goes on from segment to segment: so no table is ever cleared.
    given = np.zeros(highest(characters) + 1, dtype=np.int64)
    n_given = longest = 0
    for reference in range(n_references):
        for segment in range(n_segments):
            longest = max(longest, ends[reference, segment] - begin_of(ends, reference, segment))
    numbers = np.empty(longest, dtype=np.int64)
    other = np.empty(longest, dtype=np.uint64)
    starts = np.empty(1024, dtype=np.int64)
    end = 0
    for segment in range(n_segments):
        before, begin_of_alphabet = n_given, end
        for reference in range(n_references):
            for place in range(begin_of(ends, reference, segment), ends[reference, segment]):
                character = characters[place]
                if given[character] <= before:
                    n_given += 1
                    given[character] = n_given
                    alphabets[end] = character
                    end += 1
        if n_given - before > MOST_CHARACTERS:
            end = begin_of_alphabet
        ends_of_alphabets[segment] = end
        if end == begin_of_alphabet:
            continue
        for reference in range(n_references):
            begin, length = begin_of(ends, reference, segment), 0
            for place in range(begin, ends[reference, segment]):
                numbers[length] = given[characters[place]] - before
                length += 1
            text = keys[begin : begin + length]
            write_keys(numbers[:length], text)
            sort_keys(text, other[:length], starts, n_given - before)


@kernel
def begin_of(ends: np.ndarray, reference: int, segment: int) -> int:
    """Return where a text begins."""
    if segment:
        return ends[reference, segment - 1]
    return ends[reference - 1, -1] if reference else 0


@kernel
def count_common(keys: np.ndarray, others: np.ndarray, matches: np.ndarray) -> None:
    """Count what two sorted lists have in common, order by order."""
    for order in range(1, len(matches) + 1):
        shift = np.uint64(10 * (ORDERS - order))
        common = one = another = 0
        while one < len(keys) and another < len(others):
            key, other = keys[one] >> shift, others[another] >> shift
            common += (key == other) & ((key & DIGIT) > np.uint64(0))  # 0: the text ends before
            one += key <= other
            another += other <= key
        matches[order - 1] = common


@kernel
def count_matches(
    characters: np.ndarray,
    ends: np.ndarray,
    keys: np.ndarray,
    reference_ends: np.ndarray,
    alphabets: np.ndarray,
    ends_of_alphabets: np.ndarray,
    span: tuple[int, int],
    matches: np.ndarray,
) -> None:
    """Count the n-grams that each hypothesis and each of its references have in common.

    Parameters
    ----------
    characters : (n_characters,) ndarray of uint32
        Code points of all hypotheses.
    ends : (n_segments,) ndarray of int64
        Where each hypothesis ends.
    keys, reference_ends, alphabets, ends_of_alphabets
        See `prepare_references`.
    span : tuple of int
        The first segment and the one after the last.
    matches : (n_references, n_segments, max_order) ndarray of int64
        Receives the counts; ``max_order`` is 6 at most. Those of segments without an alphabet are 0.
    """
    given = np.zeros(max(highest(characters), highest(alphabets)) + 1, dtype=np.int64)
    n_given = longest = 0
    for segment in range(span[0], span[1]):
        longest = max(longest, ends[segment] - (ends[segment - 1] if segment else 0))
    numbers = np.empty(longest, dtype=np.int64)
    text, other = np.empty(longest, dtype=np.uint64), np.empty(longest, dtype=np.uint64)
    starts = np.empty(1024, dtype=np.int64)
    for segment in range(span[0], span[1]):
        before = n_given
        for place in range(ends_of_alphabets[segment - 1] if segment else 0, ends_of_alphabets[segment]):
            n_given += 1
            given[alphabets[place]] = n_given
        length = 0
        for place in range(ends[segment - 1] if segment else 0, ends[segment]):
            number = given[characters[place]] - before
            numbers[length] = number if number > 0 else UNKNOWN
            length += 1
        write_keys(numbers[:length], text[:length])
        sort_keys(text[:length], other[:length], starts, n_given - before)
        for reference in range(len(reference_ends)):
            begin = begin_of(reference_ends, reference, segment)
            count_common(text[:length], keys[begin : reference_ends[reference, segment]], matches[reference, segment])
