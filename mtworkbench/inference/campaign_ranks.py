"""How systems rank over several test sets: on these sets, and on new ones like them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from mtworkbench.inference.rankings import letter_groups, rank_by_draws
from mtworkbench.inference.results import Estimate
from mtworkbench.inference.settings import count_needed_resamples
from mtworkbench.resampling import RESAMPLES, RandomKey, uniforms

#: Draws of the systems' mean scores over new test sets.
N_DRAWS = 10_000


@dataclass(frozen=True, repr=False, eq=False)
class CampaignRank(Estimate):
    """One system's place over several test sets, under one metric; the fields are the keys of the JSON output.

    Parameters
    ----------
    system : str
    score : float
        Mean over sets, each set counting the same.
    rank : int
        1 + the number of systems with a better score.
    p_best : float
        Share of the bootstrap resamples of these sets in which the system is the best; systems that tie share it. It
        is neither a p nor the probability that the system is the best.
    rank_low, rank_high : int or None
        The ranks in the middle 95 % (`level`) of these resamples; None where there are too few of them.
    new_sets_p_best : float or None
        The same share for the mean over all test sets like these; None for one test set.
    new_sets_rank_low, new_sets_rank_high : int or None
        The ranks in the middle draws for new sets; None for one test set, or where 10,000 draws are too few for the
        level. With two or three sets and many systems, these ranges are too narrow (see `draw_new_sets`).
    group : str or None
        Letters: for two systems that share a letter, no difference is shown on these sets. None if only a baseline was
        compared with.
    """

    system: str
    score: float
    rank: int
    p_best: float
    rank_low: int | None
    rank_high: int | None
    new_sets_p_best: float | None
    new_sets_rank_low: int | None
    new_sets_rank_high: int | None
    group: str | None


def rank_campaign(
    systems: Sequence[str],
    scores: np.ndarray,
    resampled: Sequence[np.ndarray],
    better: Iterable[tuple[str, str]] | None,
    *,
    level: float,
    higher_is_better: bool,
    random_key: RandomKey,
) -> tuple[CampaignRank, ...]:
    """Rank systems over several test sets, each set counting the same.

    On these sets, resample r of a system's mean score is the mean over sets of its resample r of each set. For new
    sets, the sets are a sample, and draws are made by Student's t (see `draw_new_sets`).

    Parameters
    ----------
    systems : sequence of str
    scores : (n_systems, n_sets) ndarray
    resampled : sequence of (n_systems, n_resamples) ndarray
        One per set; in each of them, all systems have the same resamples.
    better : iterable of (str, str), or None
        The pairs in which the first system is significantly better on these sets; None if not all pairs were tested.
    level : float
        Of the intervals of ranks.
    higher_is_better : bool
    random_key : RandomKey
        Of the campaign; its stream of resamples is used, which the sets, with keys of their own, do not touch.

    Returns
    -------
    tuple of CampaignRank
        The best mean score first; equal scores in the order given.
    """
    means = scores.mean(axis=1)
    drawn = sum(resampled[1:], resampled[0]) / len(resampled)
    here = rank_by_draws(means, drawn, level, higher_is_better=higher_is_better)
    needed = count_needed_resamples(level, 1)
    new = None
    if scores.shape[1] > 1:
        new_means = draw_new_sets(scores, N_DRAWS, key=random_key.stream(RESAMPLES))
        new = rank_by_draws(means, new_means, level, higher_is_better=higher_is_better)
    order = np.argsort(-means if higher_is_better else means, kind="stable").tolist()
    letters = None if better is None else letter_groups([systems[place] for place in order], set(better))
    return tuple(
        CampaignRank(
            system=systems[place],
            score=float(means[place]),
            rank=int(here.rank[place]),
            p_best=float(here.p_best[place]),
            rank_low=int(here.rank_low[place]) if drawn.shape[1] >= needed else None,
            rank_high=int(here.rank_high[place]) if drawn.shape[1] >= needed else None,
            new_sets_p_best=None if new is None else float(new.p_best[place]),
            new_sets_rank_low=None if new is None or needed > N_DRAWS else int(new.rank_low[place]),
            new_sets_rank_high=None if new is None or needed > N_DRAWS else int(new.rank_high[place]),
            group=None if letters is None else letters[systems[place]],
        )
        for place in order
    )


def draw_new_sets(scores: np.ndarray, n_draws: int, *, key: int) -> np.ndarray:
    """Draw systems' mean scores over all test sets like these, as far as the sets at hand tell them.

    A draw adds to the systems' means a deviation of the sets: sum of z_s (x_s - mean) / sqrt(S (S - 1)), the same
    normal z_s for all systems, divided by sqrt(chi2 / (S - 1)). So the difference of any two systems has Student's t
    distribution with S - 1 degrees of freedom and the standard error of the paired t-test over sets: a system is ahead
    of another in 97.5 % of draws where that test gives p = 0.05. What varies within a set needs no draws of its own,
    because it is part of how far the sets' scores lie apart.

    It needs at least two sets. For any two systems, it keeps its promise from two on if differences between sets are
    about normal: two equal systems come out apart (one ahead in more than 97.5 % of draws) in 5 % of experiments. For
    many systems at once it does not: the draws vary in S - 1 directions only, so with fewer sets than systems a system
    may be the best in no draw, and ranges of ranks are too narrow. Of ten nearly equal systems, 70 % of the ranges hold
    the true rank with two sets, 78 % with three, and 83 % with 14.

    Drawing sets with replacement instead would be anti-conservative for few sets: with three, equal systems come out
    apart in 25 % of experiments. Drawing resamples within sets, too, counts what varies within sets twice. It is still
    anti-conservative for few sets: with three that differ by twice the standard error within a set, 14 %.

    Parameters
    ----------
    scores : (n_systems, n_sets) ndarray
        Of at least two sets.
    n_draws : int
    key : int
        Of the stream. Draw r has its words from r (2 S - 1) on: S normals for the sets, then S - 1 whose squares make
        the chi2.

    Returns
    -------
    (n_systems, n_draws) ndarray
    """
    from scipy.special import ndtri

    n_sets = scores.shape[1]
    width = 2 * n_sets - 1
    normals = ndtri(uniforms(key, 0, n_draws * width)).reshape(n_draws, width)
    means = scores.mean(axis=1, keepdims=True)
    spread = np.sqrt((normals[:, n_sets:] ** 2).sum(axis=1) / (n_sets - 1))
    deviations = (scores - means) @ normals[:, :n_sets].T / np.sqrt(n_sets * (n_sets - 1))
    return means + deviations / spread
