"""Virtual test sets: every random draw of the workbench happens here, and none depends on anything but its key.

Draws are *counter-based*: word i of the stream with key k is the SplitMix64 mix of ``k + (i + 1) * 0x9E3779B97F4A7C15``
modulo 2**64. A resample, a trial or a study's sample knows where in its stream it begins, so that any of them can be
drawn alone, in any batch, on any number of workers, in any language, with the same result. The rule with its test
vectors is in ``docs/draws.md``.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import combinations
from secrets import randbits

import numpy as np

from mtworkbench.compiled import load_kernels
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.wording import tally

GAMMA = 0x9E3779B97F4A7C15
FACTORS = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
WORD = 2**64
# Words of the stream with key K that are the keys of a call's own streams.
RESAMPLES, COINS, SUBSAMPLES, SIMULATION, SAMPLES = range(5)
# A batch of virtual test sets holds at most this many weights (32 MiB as float64).
BATCH_CELLS = 2**22
# So many draws are made and counted at a time, and so many weights multiplied: they stay in the processor's cache.
CACHED_DRAWS = 2**15
CACHED_WEIGHTS = 2**17
# Compiled, a draw is counted in less time, by so many seconds.
SAVED_PER_DRAW = 5e-9
# The seed of sacreBLEU's paired tests, unless its environment variable says otherwise.
SACREBLEU_SEED = 12345


def stream_words(key: int, first: int, count: int) -> np.ndarray:
    """Return words ``first`` to ``first + count - 1`` of the stream with key ``key``.

    Parameters
    ----------
    key : int
        Below 2**64.
    first, count : int
        Where to begin, counted from 0, and how many words.

    Returns
    -------
    (count,) ndarray of uint64
    """
    z = np.arange(count, dtype=np.uint64)
    z *= np.uint64(GAMMA)
    z += np.uint64((key + (first + 1) * GAMMA) % WORD)
    z ^= z >> np.uint64(30)
    z *= np.uint64(FACTORS[0])
    z ^= z >> np.uint64(27)
    z *= np.uint64(FACTORS[1])
    z ^= z >> np.uint64(31)
    return z


def stream_word(key: int, number: int) -> int:
    """Return one of the words of `stream_words`, without numpy, which takes longer to begin."""
    z = (key + (number + 1) * GAMMA) % WORD
    z = (z ^ z >> 30) * FACTORS[0] % WORD
    z = (z ^ z >> 27) * FACTORS[1] % WORD
    return z ^ z >> 31


@dataclass(frozen=True)
class RandomKey:
    """The key K from which all draws of one call follow, and the seed it came from.

    Parameters
    ----------
    key : int
        K, below 2**64.
    seed : int or None
        The integer that was given or drawn; None where a Generator or a key was given, and for a sample.
    origin : str or None
        Of a sample, what ``rng`` takes to draw it again: ``1/2`` is sample 2 of a call with seed 1.
    """

    key: int
    seed: int | None = None
    origin: str | None = field(default=None, compare=False)

    @property
    def rng(self) -> int | str | None:
        """What ``rng`` takes to make the same draws: the seed or the origin; None where a Generator was given."""
        return self.origin if self.seed is None else self.seed

    @property
    def named(self) -> int | str:
        """What a signature names: the seed or the origin, or ``K=`` with the key where a Generator was given."""
        return f"K={self.key}" if self.rng is None else self.rng

    def stream(self, number: int) -> int:
        """Return the key of one of the call's streams (`RESAMPLES`, `COINS`, ...)."""
        return stream_word(self.key, number)

    def sample(self, number: int) -> RandomKey:
        """Return the key of a sample of a study, counted from 1."""
        return RandomKey(stream_word(self.stream(SAMPLES), number - 1), origin=f"{self.named}/{number}")


#: What ``rng`` may be: a seed, what a signature names (``1/2``), a Generator, the `RandomKey` of the calling function,
#: or None for a fresh seed.
RngLike = int | str | np.random.Generator | RandomKey | None
#: What a signature names: a seed or a key, and the number of a sample, such as a test set, counted from 1.
NAMED_RNG = re.compile("(K=)?([0-9]{1,39})((?:/[1-9][0-9]{0,8})*)")


def resolve_rng(rng: RngLike) -> RandomKey:
    """Turn the keyword ``rng`` of a public call into its `RandomKey`.

    Parameters
    ----------
    rng : int, str, numpy.random.Generator, RandomKey or None
        An integer seeds ``numpy.random.PCG64``; ``1/2`` is sample 2 of seed 1, such as the second of several test sets,
        and ``K=`` begins a key: both are as signatures have them. Of a Generator one raw word is taken; None draws a
        fresh integer below 2**53, which is recorded.

    Raises
    ------
    InputError
        For a negative integer, a Generator whose bit generator makes 32-bit words, or anything else.
    """
    if isinstance(rng, RandomKey):
        return rng
    if rng is None:
        rng = randbits(53)
    if isinstance(rng, str):
        return read_rng(rng)
    if isinstance(rng, (int, np.integer)) and not isinstance(rng, bool):
        if rng < 0:
            raise InputError("rng", f"rng is {rng}, but a seed must be an integer of at least 0.")
        return RandomKey(int(np.random.PCG64(int(rng)).random_raw()), int(rng))
    if isinstance(rng, np.random.Generator):
        if isinstance(rng.bit_generator, np.random.MT19937):
            raise InputError(
                "rng",
                "rng is a Generator over MT19937, whose raw words have 32 bits, but 64 are needed: "
                "give an integer or numpy.random.default_rng(...).",
            )
        return RandomKey(int(rng.bit_generator.random_raw()))
    raise InputError(
        "rng", f"rng is of type {type(rng).__name__}, but an integer, a numpy.random.Generator or None was expected."
    )


def read_rng(text: str) -> RandomKey:
    """Read what a signature names: a seed (``1``), a key (``K=5``), or a sample of either (``1/2``).

    Raises
    ------
    InputError
        For anything else (``rng``).
    """
    parts = NAMED_RNG.fullmatch(text)
    if parts is None or (parts[1] and int(parts[2]) >= WORD):
        raise InputError(
            "rng", f"rng is {text!r}, but a seed such as 1 was expected, or what a signature names, such as 1/2 or K=5."
        )
    key = RandomKey(int(parts[2])) if parts[1] else resolve_rng(int(parts[2]))
    for number in parts[3].split("/")[1:]:
        key = key.sample(int(number))
    return key


def bootstrap_indices(n_units: int, first: int, count: int, *, key: int) -> np.ndarray:
    """Draw resamples ``first`` to ``first + count - 1`` of n units with replacement.

    Word j's low 32 bits h give draw 2j, its high 32 bits draw 2j + 1, as ``h * n >> 32``; resample b begins at word
    ``b * ceil(n / 2)``. The bias is below n / 2**32.

    Returns
    -------
    (count, n_units) ndarray of int64
        Positions of the units drawn, in the order of the draws.
    """
    return draw_below(n_units, n_units, first, count, key=key)


def draw_below(n_draws: int, bound: int | np.ndarray, first: int, count: int, *, key: int) -> np.ndarray:
    """Make the ``n_draws`` draws of each resample: numbers from 0 to ``bound - 1``, or each draw below its own bound.

    Parameters
    ----------
    n_draws : int
    bound : int or (n_draws,) ndarray of int64
    first, count, key : int
        See `bootstrap_indices`; resample b begins at word ``b * ceil(n_draws / 2)``.

    Returns
    -------
    (count, n_draws) ndarray of int64
    """
    words_each = (n_draws + 1) // 2
    words = stream_words(key, first * words_each, count * words_each).reshape(count, words_each)
    if sys.byteorder == "little":
        halves = words.view(np.uint32)
    else:
        halves = np.stack([words & np.uint64(0xFFFFFFFF), words >> np.uint64(32)], axis=-1).reshape(count, -1)
    draws = halves[:, :n_draws].astype(np.uint64)
    draws *= np.asarray(bound, dtype=np.uint64)
    draws >>= np.uint64(32)
    return draws.view(np.int64)


def stratified_indices(stratum_of_unit: np.ndarray, first: int, count: int, *, key: int) -> np.ndarray:
    """Draw resamples in which every stratum has as many units as in the test set.

    Draws are those of `bootstrap_indices`, made stratum by stratum: of H strata in the order in which they first occur,
    the first n_0 draws of a resample fall on stratum 0, the next n_1 on stratum 1, and so on. A draw that is
    ``h * n_s >> 32`` falls on that unit of its stratum, counted from 0 in the order of the units.

    Parameters
    ----------
    stratum_of_unit : (n_units,) ndarray of int64
        Of `number_units`.

    Returns
    -------
    (count, n_units) ndarray of int64
        As of `bootstrap_indices`; the same where there is one stratum.
    """
    sizes = np.bincount(stratum_of_unit)
    stratum_of_draw = np.repeat(np.arange(len(sizes)), sizes)
    draws = draw_below(len(stratum_of_unit), sizes[stratum_of_draw], first, count, key=key)
    draws += (np.cumsum(sizes) - sizes)[stratum_of_draw]
    return np.argsort(stratum_of_unit, kind="stable")[draws]


def block_indices(n_segments: int, length: int, first: int, count: int, *, key: int) -> np.ndarray:
    """Draw resamples that are made of moving blocks: runs of consecutive segments that begin anywhere.

    Künsch (1989), in the circular form of Politis & Romano (1992): a block that reaches the end goes on with the first
    segment, so that every segment is equally likely. The starts of ceil(n / length) blocks are drawn as
    `bootstrap_indices` draws units, ``h * n >> 32``, two from a word; resample b begins at word
    ``b * ceil(ceil(n / length) / 2)``. The last block is cut, so that a resample has n segments.

    Returns
    -------
    (count, n_segments) ndarray of int64
        Positions of the segments drawn, block by block.
    """
    n_blocks = -(-n_segments // length)
    starts = draw_below(n_blocks, n_segments, first, count, key=key)
    positions = (starts[:, :, None] + np.arange(length)).reshape(count, -1)[:, :n_segments]
    positions %= n_segments
    return positions


def bootstrap_counts(n_units: int, first: int, count: int, *, key: int, dtype: type = np.float64) -> np.ndarray:
    """Count how often each unit occurs in resamples ``first`` to ``first + count - 1``.

    Returns
    -------
    (count, n_units) ndarray of `dtype`
        Each row sums to ``n_units``.
    """
    kernels = load_kernels("draws", saves=SAVED_PER_DRAW * count * n_units)
    if kernels is None:
        return count_draws(partial(bootstrap_indices, n_units), n_units, first, count, key=key, dtype=dtype)
    counts: np.ndarray = np.empty((count, n_units), dtype)
    kernels.count_units(np.uint64(key), first, counts, np.empty((n_units + 1) // 2, np.uint64))
    return counts


def count_draws(
    draw: Callable[..., np.ndarray], n_units: int, first: int, count: int, *, key: int, dtype: type = np.float64
) -> np.ndarray:
    """Count how often each unit occurs in resamples that a function such as `bootstrap_indices` draws."""
    counts: np.ndarray = np.empty((count, n_units), dtype)
    rows_each = max(1, CACHED_DRAWS // n_units)
    for row in range(0, count, rows_each):
        rows = min(rows_each, count - row)
        draws = draw(first + row, rows, key=key)
        draws += n_units * np.arange(rows)[:, None]
        counts[row : row + rows] = np.bincount(draws.ravel(), minlength=rows * n_units).reshape(rows, n_units)
    return counts


def exchange_coins(n_coins: int, first: int, count: int, *, key: int) -> np.ndarray:
    """Throw the coins of trials ``first`` to ``first + count - 1``; 1 exchanges.

    64 coins per word, lowest bit first; trial b begins at word ``b * ceil(n_coins / 64)``.

    Returns
    -------
    (count, n_coins) ndarray of uint8
    """
    words_each = (n_coins + 63) // 64
    words = stream_words(key, first * words_each, count * words_each).reshape(count, words_each)
    bits = np.unpackbits(words.astype("<u8", copy=False).view(np.uint8), axis=1, bitorder="little")
    return bits[:, :n_coins]


def rows_of_batch(n_columns: int) -> int:
    """Return how many rows of ``n_columns`` cells a batch of bounded memory holds."""
    return max(1, BATCH_CELLS // max(1, n_columns))


def rows_in_cache(n_columns: int) -> int:
    """Return how many rows of ``n_columns`` weights the processor's cache holds, of a batch at most."""
    return max(1, min(CACHED_WEIGHTS, BATCH_CELLS) // max(1, n_columns))


def batches(n_rows: int, n_columns: int) -> Iterator[tuple[int, int]]:
    """Split ``n_rows`` rows of ``n_columns`` cells into batches of bounded memory, as (first row, number of rows)."""
    return split_rows(n_rows, rows_of_batch(n_columns))


def split_rows(n_rows: int, size: int) -> Iterator[tuple[int, int]]:
    """Split rows into batches of ``size`` rows, as (first row, number of rows)."""
    return ((first, min(size, n_rows - first)) for first in range(0, n_rows, size))


def number_units(units: int | Sequence[object] | np.ndarray) -> tuple[int, np.ndarray]:
    """Give units numbers in the order in which they first occur, never sorted.

    Parameters
    ----------
    units : int or (n_segments,) sequence
        The number of segments, each a unit, or the label (document) of each segment.

    Returns
    -------
    n_units : int
    unit_of_segment : (n_segments,) ndarray of int64

    Raises
    ------
    InputError
        Where there is no segment.
    """
    n_segments = units if isinstance(units, (int, np.integer)) else len(units)
    if n_segments < 1:
        raise InputError("no-segments", f"There are {n_segments} segments to draw from, but at least 1 is needed.")
    if isinstance(units, (int, np.integer)):
        return int(units), np.arange(int(units))
    numbers: dict = {}
    unit_of_segment = np.fromiter(
        (numbers.setdefault(label, len(numbers)) for label in units), dtype=np.int64, count=len(units)
    )
    return len(numbers), unit_of_segment


def bootstrap_weights(
    units: int | Sequence[object] | np.ndarray,
    n_resamples: int,
    *,
    strata: Sequence[object] | np.ndarray | None = None,
    rng: RngLike = None,
) -> Iterator[np.ndarray]:
    """Draw bootstrap resamples as weights of segments, in batches of bounded memory.

    Parameters
    ----------
    units : int or (n_segments,) sequence
        The number of segments, or the document of each: whole documents are then drawn.
    n_resamples : int
    strata : (n_segments,) sequence, optional
        The stratum (domain, say) of each segment. Every resample then has as many units of each stratum as the test
        set; units are drawn within their stratum.
    rng : int, numpy.random.Generator or None
        See `resolve_rng`.

    Yields
    ------
    (n_batch, n_segments) ndarray of float64
        How often each segment occurs in each virtual test set (Koehn (2004), §5).

    Raises
    ------
    InputError
        Where there is no segment (``no-segments``), where units and strata are not of the same segments
        (``strata-shape``), or where a unit lies in two strata (``unit-in-two-strata``).
    """
    n_units, unit_of_segment = number_units(units)
    stratum_of_unit = None if strata is None else number_strata(unit_of_segment, strata)
    count_batch = choose_counter(n_units, stratum_of_unit=stratum_of_unit, rng=rng)
    for first, count in batches(n_resamples, len(unit_of_segment)):
        # A batch has no name here, so its memory is free before the next one is drawn.
        if isinstance(units, (int, np.integer)):
            yield count_batch(first, count)
        else:
            yield count_batch(first, count)[:, unit_of_segment]


def choose_counter(
    n_units: int,
    *,
    stratum_of_unit: np.ndarray | None = None,
    block_length: int | None = None,
    dtype: type = np.float64,
    rng: RngLike = None,
) -> Callable[[int, int], np.ndarray]:
    """Choose how bootstrap resamples are counted.

    Parameters
    ----------
    n_units : int
    stratum_of_unit : (n_units,) ndarray of int64, optional
        Of `number_strata`.
    block_length : int, optional
        Draws moving blocks of so many units: see `block_indices`.
    dtype : type
        Of the counts.
    rng : int, numpy.random.Generator or None
        See `resolve_rng`.

    Returns
    -------
    callable
        Given the number of the first resample and how many there are, gives the (n_batch, n_units) ndarray of how often
        each unit is in each; batches may come in any order.
    """
    count_batch = partial(bootstrap_counts, n_units)
    if block_length is not None:
        count_batch = partial(count_draws, partial(block_indices, n_units, block_length), n_units)
    elif stratum_of_unit is not None:
        count_batch = partial(count_draws, partial(stratified_indices, stratum_of_unit), n_units)
    return partial(count_batch, key=resolve_rng(rng).stream(RESAMPLES), dtype=dtype)


def number_strata(unit_of_segment: np.ndarray, strata: Sequence[object] | np.ndarray) -> np.ndarray:
    """Find the stratum of each unit; strata are numbered in the order in which they first occur.

    Parameters
    ----------
    unit_of_segment : (n_segments,) ndarray of int64
        Of `number_units`.
    strata : (n_segments,) sequence
        The stratum of each segment.

    Returns
    -------
    (n_units,) ndarray of int64

    Raises
    ------
    InputError
        Where the two are not of the same segments, or a unit lies in two strata.
    """
    if len(strata) != len(unit_of_segment):
        raise InputError(
            "strata-shape",
            f"There are strata of {len(strata):,} segments, but units of {len(unit_of_segment):,}: one stratum per "
            "segment was expected.",
        )
    _, of_segment = number_units(strata)
    _, first_segments = np.unique(unit_of_segment, return_index=True)
    of_unit = of_segment[first_segments]
    split = np.flatnonzero(of_segment != of_unit[unit_of_segment])
    if len(split):
        here = int(split[0])
        there = int(first_segments[unit_of_segment[here]])
        raise InputError(
            "unit-in-two-strata",
            f"Segments {there + 1} and {here + 1} belong to one unit, but to the strata {strata[there]!s:.60} and "
            f"{strata[here]!s:.60}: every unit must lie in one stratum, so choose smaller units, or other strata.",
        )
    return of_unit


def subsample_weights(n_segments: int, size: int, n_samples: int, *, rng: RngLike = None) -> Iterator[np.ndarray]:
    """Draw samples with replacement that are smaller than the test set, as weights of segments.

    They are drawn like resamples, but from the stream of subsamples; sample b begins at word ``b * ceil(size / 2)``.

    Parameters
    ----------
    n_segments, size, n_samples : int
    rng : int, numpy.random.Generator or None
        See `resolve_rng`.

    Yields
    ------
    (n_batch, n_segments) ndarray of float64
    """
    key = resolve_rng(rng).stream(SUBSAMPLES)
    draw = partial(draw_below, size, n_segments)
    for first, count in batches(n_samples, n_segments):
        yield count_draws(draw, n_segments, first, count, key=key)


def run_orders(n_units: int, n_runs: int, first: int, count: int, *, key: int) -> np.ndarray:
    """Draw, for trials ``first`` to ``first + count - 1``, an order of the runs of each unit.

    Run r of unit i in trial b has word ``(b * n_units + i) * n_runs + r``; the order is that of the words.

    Returns
    -------
    (n_runs, count, n_units) ndarray of uint8
        Which run is first, which second, and so on.
    """
    orders, each = np.zeros((n_runs, count, n_units), np.uint8), n_units * n_runs
    for row, rows in split_rows(count, rows_in_cache(each)):
        words = stream_words(key, (first + row) * each, rows * each).reshape(rows, n_units, n_runs)
        places = np.zeros((n_runs, rows, n_units), np.uint8)
        for one, other in combinations(range(n_runs), 2):  # so few are sorted sooner by comparing each pair
            comes_first = words[..., one] <= words[..., other]
            places[other] += comes_first
            places[one] += ~comes_first
        for run, place in enumerate(places):
            orders[:, row : row + rows] += np.uint8(run) * (place == np.arange(n_runs)[:, None, None])
    return orders


def take_runs(values: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """Take for each unit the values of some runs.

    Parameters
    ----------
    values, runs : (n_runs, ...) ndarray of uint8

    Returns
    -------
    (n_runs, ...) ndarray of uint8
        ``values[runs[place]]`` at each place, unit by unit.
    """
    taken = np.zeros_like(values)
    for run, value in enumerate(values):
        taken += value * (runs == run)
    return taken


def sacrebleu_weights(n_segments: int, n_resamples: int) -> Iterator[np.ndarray]:
    """Draw the resamples that sacreBLEU 2.6.0 draws for every paired bootstrap test, as weights of segments.

    The one exception to counter-based draws: numpy's ``default_rng(12345).integers``, as there.

    Yields
    ------
    (n_batch, n_segments) ndarray of float64
    """
    return _keep_one_batch(_draw_sacrebleu_weights, n_segments, n_resamples)


def sacrebleu_masks(n_segments: int, n_trials: int) -> Iterator[np.ndarray]:
    """Draw which outputs keep their side in sacreBLEU 2.6.0's approximate randomization; see `sacrebleu_weights`.

    Yields
    ------
    (n_batch, n_segments) ndarray of bool
    """
    return _keep_one_batch(_draw_sacrebleu_masks, n_segments, n_trials)


def _draw_sacrebleu_weights(n_segments: int, n_resamples: int) -> Iterator[np.ndarray]:
    generator = np.random.default_rng(SACREBLEU_SEED)

    def draw(first: int, count: int, *, key: int) -> np.ndarray:
        return generator.integers(0, n_segments, size=(count, n_segments))

    for first, count in batches(n_resamples, n_segments):
        yield count_draws(draw, n_segments, first, count, key=0)


def _draw_sacrebleu_masks(n_segments: int, n_trials: int) -> Iterator[np.ndarray]:
    generator = np.random.default_rng(SACREBLEU_SEED)
    rows_each = max(1, BATCH_CELLS // n_segments // 32) * 32  # numpy takes 32 coins from a word, and drops the rest
    for first in range(0, n_trials, rows_each):
        yield generator.integers(2, size=(min(rows_each, n_trials - first), n_segments), dtype=bool)


_Draw = Callable[[int, int], Iterator[np.ndarray]]


def _keep_one_batch(draw: _Draw, n_segments: int, n_rows: int) -> Iterator[np.ndarray]:
    """Keep draws that fit into half a batch, because sacreBLEU's are the same every time."""
    if n_segments * n_rows > BATCH_CELLS // 2:
        return draw(n_segments, n_rows)
    return iter([_draw_once(draw, n_segments, n_rows)])


@lru_cache(maxsize=2)
def _draw_once(draw: _Draw, n_segments: int, n_rows: int) -> np.ndarray:
    [drawn] = draw(n_segments, n_rows)
    return drawn


def exchange_masks(
    units: int | Sequence[object] | np.ndarray, n_trials: int, *, n_runs: int = 1, rng: RngLike = None
) -> Iterator[np.ndarray]:
    """Draw which outputs two systems exchange, in batches of bounded memory.

    Parameters
    ----------
    units : int or (n_segments,) sequence
        The number of segments, or the document of each: whole documents are then swapped.
    n_trials : int
    n_runs : int
        1: all runs of a unit are swapped together; more: one coin for each unit and run, coin number
        ``unit * n_runs + run`` (Clark et al. (2011), §4.2).
    rng : int, numpy.random.Generator or None
        See `resolve_rng`.

    Yields
    ------
    (n_batch, n_segments, n_runs) ndarray of uint8
        1 where the two systems' outputs are exchanged.
    """
    n_units, unit_of_segment = number_units(units)
    key = resolve_rng(rng).stream(COINS)
    for first, count in batches(n_trials, len(unit_of_segment) * n_runs):
        masks = exchange_coins(n_units * n_runs, first, count, key=key).reshape(count, n_units, n_runs)
        yield masks if isinstance(units, (int, np.integer)) else masks[:, unit_of_segment]


def swap_matrix(n_segments: int, n_trials: int, *, rng: RngLike = None) -> np.ndarray:
    """Draw the swaps of all trials at once: the batches of `exchange_masks` of segments, one coin for all runs.

    Returns
    -------
    (n_trials, n_segments) ndarray of uint8
        1 where the two systems' outputs are swapped.
    """
    return np.concatenate([masks[:, :, 0] for masks in exchange_masks(n_segments, n_trials, rng=rng)])


def pair_runs(runs_a: np.ndarray, runs_b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Put the runs of two systems together that swap outputs with each other: run k with run k.

    Where their numbers differ, each system takes its runs in turn until all have met equally often.

    Parameters
    ----------
    runs_a, runs_b : (n_runs, ...) ndarray
        What is known of each run, such as `SystemStatistics.values`.

    Returns
    -------
    two (n_pairs, ...) ndarrays
    """
    turns = np.arange(math.lcm(len(runs_a), len(runs_b)))
    return runs_a[turns % len(runs_a)], runs_b[turns % len(runs_b)]


def block_samples(n_segments: int, size: int) -> list[np.ndarray]:
    """Cut a test set into blocks of consecutive segments (Koehn (2004), §3.2, Fig. 2).

    Parameters
    ----------
    n_segments, size : int
        Segments in the test set and in each block.

    Returns
    -------
    list of (size,) ndarray of int64
        Positions of segments, counted from 0. Segments that do not fill a last block are left out with a
        `DataWarning`, code ``remainder``.

    Raises
    ------
    InputError
        Where the test set does not hold one block.
    """
    _check_sample_size(size, n_segments, f"A block of {size} segments was")
    n_blocks, remainder = divmod(n_segments, size)
    if remainder:
        DataWarning(
            "remainder",
            f"{n_segments} segments make {tally(n_blocks, 'block')} of {size}: the last "
            f"{'segment is' if remainder == 1 else f'{remainder} segments are'} left out.",
            count=remainder,
        ).warn(stacklevel=2)
    return [np.arange(block * size, (block + 1) * size) for block in range(n_blocks)]


def broad_samples(n_segments: int, n_samples: int) -> list[np.ndarray]:
    """Deal the segments out to samples in turn (Koehn (2004), §3.3, Fig. 3).

    Sample i holds segments i, i + n_samples, i + 2 * n_samples ... (counted from 1), so that neighbours are never in
    the same sample. Where ``n_samples`` does not divide ``n_segments`` the first samples have one segment more.

    Returns
    -------
    list of (about n_segments / n_samples,) ndarray of int64
        Positions of segments, counted from 0.

    Raises
    ------
    InputError
        Where there are fewer segments than samples.
    """
    _check_sample_size(n_samples, n_segments, f"{n_samples} samples were")
    return [np.arange(sample, n_segments, n_samples) for sample in range(n_samples)]


def random_samples(n_segments: int, size: int, n_samples: int, *, rng: RngLike = None) -> list[np.ndarray]:
    """Draw samples of segments without replacement, each from the whole test set.

    Sample j (from 0) takes the first ``size`` segments in the stable order of words ``j * n_segments`` to
    ``(j + 1) * n_segments - 1`` of the subsampling stream.

    Returns
    -------
    list of (size,) ndarray of int64
        Positions of segments, counted from 0, in rising order.

    Raises
    ------
    InputError
        Where the test set is smaller than a sample.
    """
    _check_sample_size(size, n_segments, f"Samples of {size} segments were")
    key = resolve_rng(rng).stream(SUBSAMPLES)
    return [take_least(stream_words(key, sample * n_segments, n_segments), size) for sample in range(n_samples)]


def _check_sample_size(number: int, n_segments: int, what_was: str) -> None:
    if not 1 <= number <= n_segments:
        raise InputError("sample-size", f"{what_was} asked for, but the test set has {n_segments} segments.")


def take_least(words: np.ndarray, size: int) -> np.ndarray:
    """Return the positions, in rising order, of the ``size`` least words: of equal ones, the first.

    They are the first of a stable sort, found without sorting.
    """
    largest = np.partition(words, size - 1)[size - 1]
    taken = words < largest
    taken[(words == largest).nonzero()[0][: size - np.count_nonzero(taken)]] = True
    return taken.nonzero()[0]


def uniforms(key: int, first: int, count: int) -> np.ndarray:
    """Draw uniform numbers between 0 and 1, both excluded: ``((word >> 11) + 0.5) * 2**-53``."""
    return ((stream_words(key, first, count) >> np.uint64(11)) + 0.5) * 2.0**-53
