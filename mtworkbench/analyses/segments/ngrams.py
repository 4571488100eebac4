"""The n-grams that one system gets right and the other does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from mtworkbench.analyses.segments.contributions import take_run
from mtworkbench.analyses.segments.tokens import token_splitter
from mtworkbench.metrics import Metric, make_metric
from mtworkbench.metrics.ngram_matches import lay_end_to_end
from mtworkbench.metrics.texts import SymbolSequences, reference_texts, run_texts
from mtworkbench.metrics.words import Vocabulary

#: The longest n-grams, as BLEU's.
LONGEST = 4


@dataclass(frozen=True)
class MatchedNgrams:
    """The n-grams that a segment's references have and either of two systems has as well, segment by segment.

    Parameters
    ----------
    words : list of str
        The distinct tokens; ``words[number]`` is the token with this number.
    ngrams : dict of int to (n_ngrams, order) ndarray of int64
        By order: the distinct n-grams, as numbers of tokens; rising by the first token, then by the next ones.
    positions : dict of int to (n_pairs,) ndarray of int64
        By order, for each pair of an n-gram and a segment, rising by n-gram, then by segment: the segment, counted from
        0 in the test set.
    which : dict of int to (n_pairs,) ndarray of int64
        The row of the n-gram in ``ngrams``.
    matches : dict of int to (n_pairs, 2) ndarray of int64
        The system's and the baseline's matches, each at most as many as in the reference that has it most often.
    """

    words: list[str] = field(repr=False)
    ngrams: dict[int, np.ndarray] = field(repr=False)
    positions: dict[int, np.ndarray] = field(repr=False)
    which: dict[int, np.ndarray] = field(repr=False)
    matches: dict[int, np.ndarray] = field(repr=False)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each token."""
        return {word: number for number, word in enumerate(self.words)}

    def differ(self, order: int, pairs: slice = slice(None)) -> np.ndarray:
        """Tell which pairs of an n-gram and a segment are matched differently, as (n_pairs,) ndarray of bool."""
        of_a, of_b = self.matches[order][pairs].T
        return of_a != of_b


def match_ngrams(
    outputs: pd.DataFrame,
    metric: str | Metric,
    a: str,
    b: str,
    *,
    runs: tuple[int, int] = (1, 1),
) -> MatchedNgrams:
    """Find the n-grams of up to four tokens of two systems that their references have, clipped as BLEU does it.

    `tabulate_matches` lists what is returned, and `segments_with` looks n-grams up in it.

    Parameters
    ----------
    outputs : DataFrame
        See `check_outputs`; every segment with a hypothesis of both systems (see `common_segments`).
    metric : str or Metric
        Tokens are those of the metric (see `token_splitter`), whichever metric it is.
    a, b : str
        The system and its baseline.
    runs : (int, int)
        A run of a and one of b, counted from 1.

    Raises
    ------
    InputError
        ``null-segment`` for a hypothesis that is missing, and those of `make_metric`.

    Notes
    -----
    Papineni et al. (2002), §2.1.1: an n-gram of a segment is matched at most as often as it stands in that reference of
    the segment which has it most often.
    """
    vocabulary = Vocabulary(token_splitter(make_metric(metric)))
    both = [take_run(outputs, system, run) for system, run in zip((a, b), runs, strict=True)]
    sequences = [
        vocabulary.number(texts)
        for texts in (*(run_texts(rows).hypotheses for rows in both), *reference_texts(both[0]))
    ]
    ngrams, positions, which, matches = {}, {}, {}, {}
    for order, *found in _match_orders(sequences):
        ngrams[order], positions[order], which[order], matches[order] = found
    words = ["", *vocabulary]  # they are numbered from 1
    return MatchedNgrams(words, ngrams, positions, which, matches)


def tabulate_matches(matched: MatchedNgrams) -> pd.DataFrame:
    """Tabulate the n-grams that two systems match differently: what one gets right and the other does not.

    Parameters
    ----------
    matched : MatchedNgrams
        Of `match_ngrams`.

    Returns
    -------
    DataFrame
        One row per n-gram that is matched differently in some segment: ``ngram`` (its tokens with a blank between
        them), ``order``, ``matches`` and ``matches_baseline`` (sums over segments),
        ``difference`` (a - b), ``segments`` (the number of segments that differ). The largest differences first,
        whatever their sign; of equal ones the longer n-grams, which say more, then in alphabetical order. The
        differences of an order sum to that of BLEU's own ``matches_n``.
    """
    table = pd.concat([_tabulate_order(matched, order) for order in matched.ngrams], ignore_index=True)
    ranks = table.assign(size=-table["difference"].abs(), shortness=-table["order"])
    return table.loc[ranks.sort_values(["size", "shortness", "ngram"]).index].reset_index(drop=True)


def segments_with(matched: MatchedNgrams, ngram: str) -> np.ndarray:
    """Find the segments in which two systems match an n-gram differently.

    Parameters
    ----------
    matched : MatchedNgrams
        See `match_ngrams`.
    ngram : str
        As in the table of `tabulate_matches`.

    Returns
    -------
    (n_segments,) ndarray of int64
        Their positions in the test set, counted from 0, rising; none for an n-gram that the table does not have.
    """
    numbers = [matched.numbers.get(token, 0) for token in ngram.split(" ")]
    order = len(numbers)
    if order not in matched.ngrams:
        return np.zeros(0, dtype=np.int64)
    first, last = 0, len(matched.ngrams[order])
    for column, number in zip(matched.ngrams[order].T, numbers, strict=True):  # the n-grams that begin so
        first, last = first + np.searchsorted(column[first:last], (number, number + 1))
    pairs = slice(*np.searchsorted(matched.which[order], (first, last)))
    return matched.positions[order][pairs][matched.differ(order, pairs)]


def _tabulate_order(matched: MatchedNgrams, order: int) -> pd.DataFrame:
    which, n_ngrams = matched.which[order], len(matched.ngrams[order])
    segments = np.bincount(which[matched.differ(order)], minlength=n_ngrams)
    rows = np.flatnonzero(segments)
    counts = [
        np.bincount(which, weights=column, minlength=n_ngrams).astype(np.int64)[rows]
        for column in matched.matches[order].T
    ]
    names = [" ".join(map(matched.words.__getitem__, ngram)) for ngram in matched.ngrams[order][rows].tolist()]
    return pd.DataFrame(
        {
            "ngram": np.array(names, dtype=object),
            "order": np.full(len(rows), order),
            "matches": counts[0],
            "matches_baseline": counts[1],
            "difference": counts[0] - counts[1],
            "segments": segments[rows],
        }
    )


def _match_orders(
    texts: Sequence[SymbolSequences],
) -> Iterator[tuple[int, np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Match n-grams, order by order.

    Parameters
    ----------
    texts : sequence of SymbolSequences
        The outputs of both systems, then the references.

    Yields
    ------
    order : int
    ngrams : (n_ngrams, order) ndarray of int64
    positions, which : (n_pairs,) ndarray of int64
        The segment and the row in ``ngrams`` of each pair of an n-gram and a segment that has a match.
    matches : (n_pairs, 2) ndarray of int64
    """
    n_segments = len(texts[0].lengths)
    symbols, text_of, segment_of, left = lay_end_to_end(texts)
    starts = np.arange(len(symbols))
    n_symbols = int(symbols.max(initial=0)) + 1
    prefixes = np.zeros(len(symbols), dtype=np.int64)
    for order in range(1, LONGEST + 1):
        long_enough = left[starts] >= order
        starts, prefixes = starts[long_enough], prefixes[long_enough]
        _, first, prefixes = np.unique(
            prefixes * n_symbols + symbols[starts + order - 1], return_index=True, return_inverse=True
        )
        ngrams = symbols[starts[first][:, None] + np.arange(order)]
        pairs, pair_of = np.unique(prefixes * n_segments + segment_of[starts], return_inverse=True)
        counts = np.bincount(text_of[starts] * len(pairs) + pair_of, minlength=len(texts) * len(pairs))
        counts = counts.reshape(len(texts), len(pairs))
        matches = np.minimum(counts[:2], counts[2:].max(axis=0, initial=0))
        matched = matches.any(axis=0)
        which, positions = np.divmod(pairs[matched], max(n_segments, 1))
        kept, which = np.unique(which, return_inverse=True)
        yield order, ngrams[kept], positions, which, matches[:, matched].T
        extendable = matched[pair_of]  # a longer n-gram matches only where its beginning does
        starts, prefixes = starts[extendable], prefixes[extendable]
