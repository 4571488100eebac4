"""How systems rank over several test sets: on these sets, and on new ones like them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from mtworkbench.inference.rankings import rank_by_draws, rank_by_verdicts
from mtworkbench.resampling import RESAMPLES, RandomKey, uniforms
from mtworkbench.results.rankings import CampaignRank
from mtworkbench.results.settings import count_needed_resamples

#: Draws of the systems' mean scores over new test sets.
N_DRAWS = 10_000
#: With fewer sets, draws for new ones move all systems along one line, and say little about ranks.
MIN_SETS = 3


def rank_campaign(
    systems: Sequence[str],
    scores: np.ndarray,
    resampled: Sequence[np.ndarray],
    better: tuple[Iterable[tuple[str, str]], Iterable[tuple[str, str]]] | None,
    *,
    level: float,
    higher_is_better: bool,
    random_key: RandomKey,
) -> tuple[CampaignRank, ...]:
    """Rank systems over several test sets, each set counting the same.

    Where all pairs were tested, the verdicts say which ranks are open. Else resamples and draws do: on these sets,
    resample r of a system's mean score is the mean over sets of its resample r of each set; for new sets, the sets are
    a sample, and draws are made by Student's t (see `draw_new_sets`).

    Parameters
    ----------
    systems : sequence of str
    scores : (n_systems, n_sets) ndarray
    resampled : sequence of (n_systems, n_resamples) ndarray
        One per set; in each of them, all systems have the same resamples.
    better : tuple of two iterables of (str, str), or None
        The pairs in which the first system is shown to be better: on these sets, and for new ones. None if not all
        pairs were tested.
    level : float
        Of the intervals of ranks in resamples and draws.
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
    enough, new_enough = drawn.shape[1] >= needed, scores.shape[1] >= MIN_SETS and needed <= N_DRAWS
    new = None
    if scores.shape[1] > 1:
        new_means = draw_new_sets(scores, N_DRAWS, key=random_key.stream(RESAMPLES))
        new = rank_by_draws(means, new_means, level, higher_is_better=higher_is_better)
    signed = means if higher_is_better else -means
    ranking = tuple(
        CampaignRank(
            system=systems[place],
            score=float(means[place]),
            rank=int(here.rank[place]),
            p_best=float(here.p_best[place]),
            rank_low=int(here.rank_low[place]) if enough else None,
            rank_high=int(here.rank_high[place]) if enough else None,
            new_sets_p_best=None if new is None else float(new.p_best[place]),
            new_sets_rank_low=int(new.rank_low[place]) if new is not None and new_enough else None,
            new_sets_rank_high=int(new.rank_high[place]) if new is not None and new_enough else None,
            group=None,
            new_sets_group=None,
        )
        for place in np.argsort(-signed, kind="stable").tolist()
    )
    return ranking if better is None else _settle_by_verdicts(ranking, dict(zip(systems, signed, strict=True)), *better)


def _settle_by_verdicts(
    ranking: Sequence[CampaignRank],
    scores: Mapping[str, float],
    better: Iterable[tuple[str, str]],
    new_sets_better: Iterable[tuple[str, str]],
) -> tuple[CampaignRank, ...]:
    """Replace the ranges of ranks by those that verdicts leave open, and add letters; the larger score is better."""
    here = rank_by_verdicts(scores, better)
    new = rank_by_verdicts(scores, new_sets_better)
    return tuple(
        replace(
            one,
            rank_low=on_these.rank_low,
            rank_high=on_these.rank_high,
            new_sets_rank_low=on_new.rank_low,
            new_sets_rank_high=on_new.rank_high,
            group=on_these.group,
            new_sets_group=on_new.group,
        )
        for one, on_these, on_new in zip(ranking, here, new, strict=True)
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
    may be the best in no draw, and ranges of ranks are too narrow. Of ten nearly equal systems, 78 % of the ranges hold
    the true rank with three sets, and 83 % with 14.

    Drawing sets with replacement instead would be anti-conservative for few sets: with three, equal systems come out
    apart in 25 % of experiments. Drawing resamples within sets, too, counts what varies within sets twice. It is still
    anti-conservative for few sets.

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
