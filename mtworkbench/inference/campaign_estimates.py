"""Estimates of a campaign: on one test set, and over all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mtworkbench.inference.campaign_checks import Notices
from mtworkbench.inference.campaign_draws import Draws, SetPair
from mtworkbench.inference.campaign_results import CampaignSystem
from mtworkbench.inference.crossed import average_variances, cross_variances
from mtworkbench.inference.intervals import TIE, interval_ends, jackknife_variance, judge_by_t, monte_carlo_ends
from mtworkbench.inference.new_sets import expect_new_sets
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.inference.settings import Settings
from mtworkbench.metrics.directions import has_direction, sign_of


def estimate_system(
    test_sets: Sequence[str], found: Sequence[tuple[ScoreTable, int]], resampled: np.ndarray, settings: Settings
) -> CampaignSystem:
    """Average the score of a system over sets.

    Parameters
    ----------
    test_sets : sequence of str
    found : sequence of (ScoreTable, int)
        The table of each set and the system's place there.
    resampled : (n_sets, n_resamples) ndarray
    settings : Settings
    """
    table, place = found[0]
    scores = [table.means[place] for table, place in found]
    runs = {table.n_runs[place] for table, place in found}
    averages, score = resampled.mean(axis=0), float(np.mean(scores))
    name = f"the {table.metrics[place]} of {table.systems[place].system!r}"
    influences = [table.influence[place] for table, place in found]
    dfs = [table.units.df for table, _ in found]
    low, high = ends_of_mean(score, averages, influences, dfs, abs(score), settings, name)
    return CampaignSystem(
        system=table.systems[place].system,
        runs=runs.pop() if len(runs) == 1 else None,
        score=score,
        low=low,
        high=high,
        scores=dict(zip(test_sets, scores, strict=True)),
        resampled=averages,
    )


def estimate_set(
    test_set: str, pairs: Sequence[SetPair], draws: Draws, place: int, settings: Settings, notices: Notices
) -> list[dict[str, Any]]:
    """Estimate the differences on one set: the arguments of each `SetEstimate`, except the verdict and what it adds."""
    found = []
    for number, pair in enumerate(pairs):
        table, influence = pair.table, pair.influence
        exact = bool(draws.n_enumerated[place, number] >= 0)
        p_value, p_low, p_high = share_extreme(
            int(draws.n_enumerated[place, number] if exact else draws.n_extreme[place, number]),
            2**pair.n_coins if exact else settings.n_trials,
            exact,
        )
        with notices.about(test_set):
            low, high = interval_ends(
                settings.interval,
                settings.level,
                pair.difference,
                draws.resampled_difference(place, number),
                influence,
                pair.scale,
                name_difference(pair),
                table.units.df,
            )
        variance = jackknife_variance(influence)
        found.append(
            {
                "test_set": test_set,
                "a": pair.names[0],
                "b": pair.names[1],
                "difference": pair.difference,
                "low": low,
                "high": high,
                "p_value": p_value,
                "p_low": p_low,
                "p_high": p_high,
                "score_a": pair.scores[0],
                "score_b": pair.scores[1],
                "standard_error": None if variance is None else math.sqrt(variance),
                "n_segments": table.n_segments,
                "unit": table.units.name,
                "n_units": table.units.count,
                "n_trials": settings.n_trials,
                "tested_difference": pair.tested_difference,
            }
        )
    return found


def estimate_pair(pairs: Sequence[SetPair], draws: Draws, number: int, settings: Settings) -> dict[str, Any]:
    """Estimate a difference over all sets.

    Parameters
    ----------
    pairs : sequence of SetPair
        The pair on each set.
    draws : Draws
    number : int
        Of the pair, in the draws.
    settings : Settings

    Returns
    -------
    dict
        The arguments of `CampaignPair`, except the verdicts and what they add; and ``identical``, whether no statistics
        differ.
    """
    differences, level = np.array([pair.difference for pair in pairs]), settings.level
    influences = [pair.influence for pair in pairs]
    variances = [jackknife_variance(influence) for influence in influences]
    mean, scale = float(differences.mean()), float(np.mean([pair.scale for pair in pairs]))
    n_coins = sum(pair.n_coins for pair in pairs)
    exact = bool(draws.n_enumerated_of_all[number] >= 0)
    p_value, p_low, p_high = share_extreme(
        int(draws.n_enumerated_of_all[number] if exact else draws.n_extreme_of_all[number]),
        2**n_coins if exact else settings.n_trials,
        exact,
    )
    resampled = np.mean([draws.resampled_difference(place, number) for place in range(len(pairs))], axis=0)
    dfs = [pair.table.units.df for pair in pairs]
    low, high = ends_of_mean(mean, resampled, influences, dfs, scale, settings, name_difference(pairs[0]))
    new_sets = expect_new_sets(differences, variances, level, scale)
    method_p_value, method_low, method_high, method_df = judge_methods(pairs, mean, scale, level)
    metric = pairs[0].table.systems[pairs[0].places[0]].metric
    n_better: dict[str, int | None] = {"n_sets_a_better": None, "n_sets_b_better": None}
    if has_direction(metric):
        signs = [sign_of(metric) * np.sign(pair.difference) * (not is_tied(pair)) for pair in pairs]
        n_better = {"n_sets_a_better": signs.count(1), "n_sets_b_better": signs.count(-1)}
    return {
        "a": pairs[0].names[0],
        "b": pairs[0].names[1],
        "n_sets": len(pairs),
        "difference": mean,
        "low": low,
        "high": high,
        "p_value": p_value,
        "p_low": p_low,
        "p_high": p_high,
        "new_sets_low": new_sets.low,
        "new_sets_high": new_sets.high,
        "new_sets_p_value": new_sets.p_value,
        "new_sets_df": new_sets.df,
        "one_new_set_low": new_sets.one_low,
        "one_new_set_high": new_sets.one_high,
        "spread_between_sets": new_sets.spread,
        "spread_p_value": new_sets.spread_p_value,
        **n_better,
        "score_a": float(np.mean([pair.scores[0] for pair in pairs])),
        "score_b": float(np.mean([pair.scores[1] for pair in pairs])),
        "method_p_value": method_p_value,
        "method_low": method_low,
        "method_high": method_high,
        "method_df": method_df,
        "n_trials": settings.n_trials,
        "tested_difference": float(np.mean([pair.tested_difference for pair in pairs])),
        "resampled": resampled,
        "identical": n_coins == 0,
    }


def is_tied(pair: SetPair) -> bool:
    """Whether two systems have the same score on a set."""
    return abs(pair.difference) <= TIE * pair.scale


def name_difference(pair: SetPair) -> str:
    """Say of what an interval is."""
    a, b = pair.names
    return f"the difference in {pair.table.metrics[pair.places[0]]} of {a!r} and {b!r}"


def share_extreme(n_extreme: int, n_trials: int, exact: bool) -> tuple[float, float, float]:
    """Return p with the ends of its simulation error, from the number of extreme exchanges: see `Randomization`."""
    if exact:
        return (n_extreme / n_trials,) * 3
    return (n_extreme + 1) / (n_trials + 1), *monte_carlo_ends(n_extreme, n_trials)


def ends_of_mean(
    mean: float,
    resampled: np.ndarray,
    influences: Sequence[np.ndarray],
    dfs: Sequence[float],
    scale: float,
    settings: Settings,
    name: str,
) -> tuple[float | None, float | None]:
    """Return the interval of a mean over sets, on these test sets.

    The sets are strata of equal weight: a unit contributes its influence on its set's score, divided by the number of
    sets S. The variance is the sum of the sets' own / S^2, and the jackknife's degrees of freedom are Satterthwaite's.

    Parameters
    ----------
    mean : float
    resampled : (n_resamples,) ndarray
    influences : sequence of (n_units,) ndarray
        One array per set.
    dfs : sequence of float
        Degrees of freedom of each set's variance.
    scale : float
        The larger absolute score.
    settings : Settings
    name : str
        Says of what, in warnings.
    """
    if settings.interval != "jackknife":
        joined = np.concatenate(influences) / len(influences)
        return interval_ends(settings.interval, settings.level, mean, resampled, joined, scale, name)
    from scipy.special import stdtrit

    variances = [jackknife_variance(influence) for influence in influences]
    if None in variances or min(dfs) < 1:
        return None, None
    total = sum(variances)
    if total == 0:
        return mean, mean
    df = 1 / sum((variance / total) ** 2 / df for variance, df in zip(variances, dfs, strict=True))
    half = float(stdtrit(df, (1 + settings.level) / 2)) * math.sqrt(total) / len(variances)
    return mean - half, mean + half


def judge_methods(
    pairs: Sequence[SetPair], mean: float, scale: float, level: float
) -> tuple[float | None, float | None, float | None, float | None]:
    """Ask whether new training runs would show the difference on these sets: p, interval and degrees of freedom.

    All are None where a system has one run, or different numbers of runs on the sets: see `average_variances`.
    """
    runs = [tuple(pair.table.scores[place] for place in pair.places) for pair in pairs]
    if len({(len(of_a), len(of_b)) for of_a, of_b in runs}) > 1 or min(map(len, runs[0])) < 2:
        return None, None, None, None
    variances = [
        cross_variances(
            scores,
            tuple(pair.table.run_influence[place] for place in pair.places),
            pair.scale,
            pair.table.units.effective_count,
        )
        for pair, scores in zip(pairs, runs, strict=True)
    ]
    of_a, of_b = (np.mean([scores[side] for scores in runs], axis=0) for side in (0, 1))
    variance = average_variances(variances, (of_a, of_b))
    if variance is None or variance.unit_df < 1:
        return None, None, None, None
    p_value, low, high, df = judge_by_t(mean, math.sqrt(variance.total), variance.df, level, scale)
    return p_value, low, high, None if df is None else float(df)
