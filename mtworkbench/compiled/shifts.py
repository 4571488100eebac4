"""sacreBLEU's search for the edits of TER, compiled by numba; its plain reference is sacreBLEU's own code.

The search (sacreBLEU's ``lib_ter.py``) moves, time and again, the block of words whose move lowers the edit distance
most, until no move lowers it. Three things make it fast here, and none changes an edit. A move leaves the rows of the
edit distance before the first moved word as they are, so that only the rows of moved words are computed anew. What the
rest costs from each cell of the row after them is known from a second table, filled from the end backwards. And
sacreBLEU drops the round in which it reaches its limit of 1,000 moves, so that such a round is not evaluated.
"""

import math
from typing import NamedTuple

import numpy as np

from mtworkbench.compiled.kernel import kernel

# sacreBLEU's limits, which decide on the result.
_BEAM_WIDTH = 25
_LONGEST_MOVE = 10
_FARTHEST_MOVE = 50
_MOST_MOVES = 1000
#: So many moves a round may list: it ends with the block that reaches the limit, and a block has one move more than
#: words at most.
MOVES = _MOST_MOVES + _LONGEST_MOVE + 1
#: So many numbers the search keeps between two calls; the next line names them.
STATE = 8
_PAIR, _BEGUN, _SHIFTS, _CHECKED, _NEXT, _BEST, _GAIN, _LISTED = range(STATE)
# More than any edit distance, and small enough to be added to.
_FAR = 1 << 29


class Tables(NamedTuple):
    """What the search computes of an output and its reference, as ndarrays of int32 in memory that is reused.

    Parameters
    ----------
    reference : ndarray
        The words of the reference.
    windows : (2, n_words + 1) ndarray
        The columns of each row, as `set_windows` sets them.
    cells : (n_words + 3, n_columns) ndarray
        The edit distance; each row begins at its own first column. Two rows are to spare.
    rest : (n_words + 1, n_columns) ndarray
        What the rest costs from each cell.
    """

    reference: np.ndarray
    windows: np.ndarray
    cells: np.ndarray
    rest: np.ndarray


class Alignment(NamedTuple):
    """How an output and its reference are aligned, as ndarrays of int32.

    Parameters
    ----------
    aligned : (n_reference,) ndarray
        For each reference word the last output word that is aligned to it or to a word before it, or -1.
    word_errors, reference_errors : ndarray
        The number of errors before each word.
    """

    aligned: np.ndarray
    word_errors: np.ndarray
    reference_errors: np.ndarray


@kernel
def set_windows(n_words: int, n_reference: int, windows: np.ndarray) -> int:
    """Set which columns of each row the beam keeps (from the first number on, before the second); return the most."""
    lows, highs = windows
    ratio = n_reference / n_words
    width = _BEAM_WIDTH
    if ratio / 2 > _BEAM_WIDTH:
        width = int(math.ceil(ratio / 2 + _BEAM_WIDTH))
    for row in range(1, n_words + 1):
        diagonal = int(math.floor(row * ratio))
        lows[row] = max(0, diagonal - width)
        highs[row] = min(n_reference + 1, diagonal + width)
    # Of row 0, what row 1 looks at.
    lows[0], highs[0] = max(0, lows[1] - 1), highs[1]
    return min(n_reference + 1, 2 * width + 1)


@kernel
def fill_row(
    above: np.ndarray, row: np.ndarray, number: int, word: int, reference: np.ndarray, windows: np.ndarray
) -> None:
    """Compute the row of edit distances of this number, which adds `word`, from the row above it."""
    low, high = windows[0, number], windows[1, number]
    shift = low - windows[0, number - 1]
    left = diagonal = _FAR
    if shift > 0:
        diagonal = above[shift - 1]
    begin = 0
    if low == 0:
        diagonal = above[0]
        left = row[0] = diagonal + 1
        begin = 1
    common = min(high, windows[1, number - 1]) - low
    for cell in range(begin, common):
        up = above[cell + shift]
        left = row[cell] = min(diagonal + (word != reference[low + cell - 1]), min(up, left) + 1)
        diagonal = up
    for cell in range(max(begin, common), high - low):  # with nothing above
        left = row[cell] = min(diagonal + (word != reference[low + cell - 1]), left + 1)
        diagonal = _FAR


@kernel
def fill_row_backwards(
    below: np.ndarray, row: np.ndarray, number: int, word: int, reference: np.ndarray, windows: np.ndarray
) -> None:
    """Compute what the rest costs from each cell of a row, from the row below it, which adds `word`."""
    low, low_below = windows[0, number], windows[0, number + 1]
    shift, n_below = low_below - low, windows[1, number + 1] - low_below
    right = _FAR
    for cell in range(windows[1, number] - low - 1, -1, -1):
        cost = right + 1
        under = cell - shift
        if 0 <= under < n_below:
            cost = min(cost, below[under] + 1)
        if 0 <= under + 1 < n_below:
            cost = min(cost, below[under + 1] + (word != reference[low + cell]))
        right = row[cell] = cost


@kernel
def align(words: np.ndarray, tables: Tables, alignment: Alignment) -> None:
    """Follow the cheapest way back through the table, and count errors."""
    reference, windows, cells, _ = tables
    lows, highs = windows
    aligned, word_errors, reference_errors = alignment
    row, column = len(words), len(reference)
    # The errors are written as 0 and 1 from the end, and then added up.
    while row > 0 or column > 0:
        uses_word, uses_reference, error = row > 0, column > 0, True
        if uses_word and uses_reference:
            cost, above, above_low = cells[row, column - lows[row]], cells[row - 1], lows[row - 1]
            different = words[row - 1] != reference[column - 1]
            if above_low < column <= highs[row - 1] and cost == above[column - 1 - above_low] + different:
                error = different
            elif above_low <= column < highs[row - 1] and cost == above[column - above_low] + 1:
                uses_reference = False
            else:
                uses_word = False
        if uses_reference:
            aligned[column - 1] = row - 1
            reference_errors[column] = error
        if uses_word:
            word_errors[row] = error
        row -= uses_word
        column -= uses_reference
    word_errors[0] = reference_errors[0] = 0
    for position in range(1, len(words) + 1):
        word_errors[position] += word_errors[position - 1]
    for position in range(1, len(reference) + 1):
        reference_errors[position] += reference_errors[position - 1]


@kernel
def list_moves(words: np.ndarray, reference: np.ndarray, alignment: Alignment, most: int, moves: np.ndarray) -> int:
    """List the moves of a round: start, length and target of blocks that also occur elsewhere in the reference.

    Parameters
    ----------
    words, reference : ndarray of int32
    alignment : Alignment
    most : int
        The list ends with the block that reaches this number.
    moves : (MOVES, 3) ndarray of int32
        Receives the moves.

    Returns
    -------
    int
        Number of moves.
    """
    aligned, word_errors, reference_errors = alignment
    n_words, n_reference = len(words), len(reference)
    n_moves = 0
    for start in range(n_words):
        word = words[start]
        if word < 0 or word_errors[min(start + _LONGEST_MOVE, n_words)] == word_errors[start]:
            continue
        for place in range(max(0, start - _FARTHEST_MOVE), min(n_reference, start + _FARTHEST_MOVE + 1)):
            if reference[place] != word:
                continue
            longest = min(_LONGEST_MOVE, n_words - start, n_reference - place)
            length = 0
            while length < longest and words[start + length] == reference[place + length]:
                length += 1
                if (
                    word_errors[start + length] == word_errors[start]
                    or reference_errors[place + length] == reference_errors[place]
                    or start <= aligned[place] < start + length
                ):
                    continue
                previous = -1
                for position in range(place - 1, place + length):
                    target = aligned[position] + 1 if position >= 0 else 0
                    if target != previous:
                        moves[n_moves, 0], moves[n_moves, 1], moves[n_moves, 2] = start, length, target
                        n_moves += 1
                    previous = target
                if n_moves >= most:
                    return n_moves
    return n_moves


@kernel
def move_block(words: np.ndarray, start: int, length: int, target: int, moved: np.ndarray) -> tuple[int, int]:
    """Write the words of the changed stretch in their new order to `moved`; return where it begins and ends.

    `target` counts as in sacreBLEU: a target within the block moves it to the right by as many words.
    """
    if target < start:
        first, last = target, start + length
        block_at, others_at, others = first, first + length, first
    else:
        first, last = start, target if target > start + length else min(target + length, len(words))
        block_at, others_at, others = last - length, first, first + length
    for position in range(length):
        moved[block_at + position] = words[start + position]
    for position in range(last - first - length):
        moved[others_at + position] = words[others + position]
    # What stands where it stood has not moved.
    while first < last and moved[first] == words[first]:
        first += 1
    while last > first and moved[last - 1] == words[last - 1]:
        last -= 1
    return first, last


@kernel
def evaluate(words: np.ndarray, tables: Tables, first: int, last: int, moved: np.ndarray) -> int:
    """Return the edit distance where the words from `first` to before `last` are replaced by those of `moved`."""
    reference, windows, cells, rest = tables
    n_rows, above = len(words) + 1, cells[first]
    for position in range(first, last):
        row = cells[n_rows + position % 2]
        fill_row(above, row, position + 1, moved[position], reference, windows)
        above = row
    cost, below = _FAR, rest[last]
    for cell in range(windows[1, last] - windows[0, last]):
        cost = min(cost, above[cell] + below[cell])
    return cost


@kernel
def is_first(move: np.ndarray, other: np.ndarray) -> bool:
    """Tell whether a move goes before another of the same gain: the longer, the earlier, the one to the left."""
    if move[1] != other[1]:
        return bool(move[1] > other[1])
    if move[0] != other[0]:
        return bool(move[0] < other[0])
    return bool(move[2] < other[2])


@kernel
def begin_round(
    words: np.ndarray, tables: Tables, alignment: Alignment, first: int, last: int, n_checked: int, moves: np.ndarray
) -> int:
    """Fill the tables anew where words from `first` to before `last` have changed; return the number of moves to try.

    It is 0 where sacreBLEU would reach its limit: it drops such a round.
    """
    reference, windows, cells, rest = tables
    n_words, n_reference = len(words), len(reference)
    for row in range(first + 1, n_words + 1):
        fill_row(cells[row - 1], cells[row], row, words[row - 1], reference, windows)
    align(words, tables, alignment)
    most = _MOST_MOVES - n_checked
    n_moves: int = list_moves(words, reference, alignment, most, moves)
    if n_moves >= most:
        return 0
    if n_moves > 0:
        if last == n_words:
            for column in range(windows[0, n_words], n_reference + 1):
                rest[n_words, column - windows[0, n_words]] = n_reference - column
        for row in range(last - 1, 0, -1):
            fill_row_backwards(rest[row + 1], rest[row], row, words[row], reference, windows)
    return n_moves


def make_room(n_words: np.ndarray, n_references: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the memory that `search` works in, enough for pairs of these lengths."""
    ratio = n_references / np.maximum(n_words, 1)
    width = np.minimum(n_references + 1, 2 * np.maximum(_BEAM_WIDTH, np.ceil(ratio / 2 + _BEAM_WIDTH)) + 1)
    room = (5 * n_words + 2 * n_references + 4).max(initial=0)
    table = ((2 * n_words + 4) * width.astype(np.int64)).max(initial=0)
    return np.empty(room, dtype=np.int32), np.empty(table, dtype=np.int32)


@kernel
def search(
    words: np.ndarray,
    word_ends: np.ndarray,
    outputs: np.ndarray,
    references: np.ndarray,
    reference_ends: np.ndarray,
    edits: np.ndarray,
    state: np.ndarray,
    moves: np.ndarray,
    room: np.ndarray,
    table: np.ndarray,
    budget: int,
) -> bool:
    """Count the edits of pairs of an output and a reference; call it until it returns True.

    Parameters
    ----------
    words, references : ndarray of int32
        The words of all outputs and of all references as numbers; an output's words that are in no reference are -1.
    word_ends : (n_outputs + 1,) ndarray of int64
        Where the words of each output begin and, with the next number, end.
    outputs : (n_pairs,) ndarray of int64
        The output of each pair.
    reference_ends : (n_pairs + 1,) ndarray of int64
        Where the words of each pair's reference begin and end.
    edits : (n_pairs,) ndarray of int64
        Receives the edits.
    state : (STATE,) ndarray of int64
        What the search keeps between two calls; all 0 at first.
    moves : (MOVES, 3) ndarray of int32
    room, table : ndarray of int32
        What `make_room` returns for these pairs.
    budget : int
        About so many cells of a table are computed in a call.

    Returns
    -------
    bool
        Whether all pairs are done.
    """
    while state[_PAIR] < len(edits):
        if budget <= 0:  # pairs without moves never come to where moves are counted
            return False
        pair = state[_PAIR]
        output = words[word_ends[outputs[pair]] : word_ends[outputs[pair] + 1]]
        reference = references[reference_ends[pair] : reference_ends[pair + 1]]
        n_words, n_reference = len(output), len(reference)
        if n_words == 0 or n_reference == 0:
            edits[pair] = n_words + n_reference
            budget -= 1
            state[_PAIR] += 1
            continue
        order, moved = room[:n_words], room[n_words : 2 * n_words]
        windows = room[2 * n_words : 4 * n_words + 2].reshape((2, n_words + 1))
        errors = room[4 * n_words + 2 + n_reference : 5 * n_words + 4 + 2 * n_reference]
        alignment = Alignment(
            room[4 * n_words + 2 : 4 * n_words + 2 + n_reference], errors[: n_words + 1], errors[n_words + 1 :]
        )
        width = set_windows(n_words, n_reference, windows)
        cells = table[: (n_words + 3) * width].reshape((n_words + 3, width))
        rest = table[(n_words + 3) * width : (2 * n_words + 4) * width].reshape((n_words + 1, width))
        tables = Tables(reference, windows, cells, rest)
        first, last = n_words, n_words
        if state[_BEGUN] == 0:
            first = 0
            for position in range(n_words):
                order[position] = output[position]
            for column in range(windows[0, 0], windows[1, 0]):
                cells[0, column - windows[0, 0]] = column
        while True:
            if state[_BEGUN] == 0:
                state[_BEGUN], state[_NEXT], state[_GAIN] = 1, 0, 0
                state[_LISTED] = begin_round(order, tables, alignment, first, last, state[_CHECKED], moves)
                budget -= 2 * n_words * width
            distance = cells[n_words, n_reference - windows[0, n_words]]
            while state[_NEXT] < state[_LISTED]:
                if budget <= 0:
                    return False
                move = moves[state[_NEXT]]
                first, last = move_block(order, move[0], move[1], move[2], moved)
                gain = distance - evaluate(order, tables, first, last, moved)
                budget -= (last - first + 1) * width
                if gain > state[_GAIN] or (0 < gain == state[_GAIN] and is_first(move, moves[state[_BEST]])):
                    state[_GAIN], state[_BEST] = gain, state[_NEXT]
                state[_NEXT] += 1
            if state[_GAIN] == 0:
                break
            state[_SHIFTS] += 1
            state[_CHECKED] += state[_LISTED]
            state[_BEGUN] = 0
            move = moves[state[_BEST]]
            first, last = move_block(order, move[0], move[1], move[2], moved)
            for position in range(first, last):
                order[position] = moved[position]
        edits[pair] = state[_SHIFTS] + distance
        state[_PAIR] += 1
        state[_BEGUN] = state[_SHIFTS] = state[_CHECKED] = 0
    return True
