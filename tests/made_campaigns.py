"""Campaigns with made-up figures of any size, for the tests of what is said and shown of them."""

from dataclasses import fields
from itertools import combinations

import numpy as np
from scipy import stats

from mtworkbench.resampling import resolve_rng
from mtworkbench.results.campaigns import (
    CampaignComparison,
    CampaignMetric,
    CampaignPair,
    CampaignSystem,
    CampaignTestSet,
    NewSets,
    SetEstimate,
)
from mtworkbench.results.comparisons import Measured
from mtworkbench.results.crossed import CrossedAnalysis
from mtworkbench.results.estimates import PairedBootstrap, Randomization
from mtworkbench.results.rankings import CampaignRank
from mtworkbench.results.settings import Settings
from mtworkbench.results.verdicts import Verdict, holm_adjust

from .hand_made import changed, fill_parts

LEVEL, N_TRIALS = 0.95, 10_000
Z = stats.norm.ppf(0.975)


def make_set(name, a, b, difference, error, *, n_segments=2000, score_b=30.0, verdict="not significant", **changes):
    """One set of a pair; p is that of the normal distribution."""
    p = max(2 * stats.norm.sf(abs(difference) / error), 1e-4)
    figures = {
        "test_set": name, "a": a, "b": b, "difference": difference, "low": difference - Z * error,
        "high": difference + Z * error, "p_value": p, "p_low": 0.9 * p, "p_high": min(1.1 * p, 1.0), "p_adjusted": p,
        "verdict": verdict, "better": None, "score_a": score_b + difference, "score_b": score_b,
        "standard_error": error, "n_segments": n_segments, "unit": "segment", "n_units": n_segments,
        "n_effective_units": float(n_segments), "units_differing": n_segments // 2, "n_coins": n_segments,
        "n_trials": N_TRIALS, "resampled": (np.array([difference]), np.zeros(1)),
    }  # fmt: skip
    parts = {"drawn": PairedBootstrap, "randomization": Randomization, "judged": Verdict, "measured": Measured}
    return fill_parts(SetEstimate, figures | changes, **parts)


def make_pair(sets, *, higher_is_better=True, **changes):
    """A pair over sets, with the statistics of `compare_test_sets`; p is that of the normal distribution."""
    differences = np.array([one.difference for one in sets])
    errors = np.array([one.standard_error for one in sets])
    n_sets, mean = len(sets), float(differences.mean())
    error = float(np.sqrt((errors**2).sum())) / n_sets
    p = max(2 * stats.norm.sf(abs(mean) / error), 1e-4)
    spread = float(differences.std(ddof=1))
    t, df = stats.t.ppf(0.975, n_sets - 1), n_sets - 1
    new_error, one_error = spread / np.sqrt(n_sets), spread * np.sqrt(1 + 1 / n_sets)
    weights = errors**-2.0
    q = float((weights * (differences - np.average(differences, weights=weights)) ** 2).sum())
    sign = 1 if higher_is_better else -1
    figures = {
        "a": sets[0].a, "b": sets[0].b, "n_sets": n_sets, "difference": mean, "low": mean - Z * error,
        "high": mean + Z * error, "p_value": p, "p_low": 0.9 * p, "p_high": min(1.1 * p, 1.0), "p_adjusted": p,
        "verdict": "significant" if p <= 1 - LEVEL else "not significant", "better": None,
        "new_sets_low": mean - t * new_error, "new_sets_high": mean + t * new_error,
        "new_sets_p_value": float(2 * stats.t.sf(abs(mean) / new_error, df)), "new_sets_df": float(df),
        "new_sets_p_adjusted": float(2 * stats.t.sf(abs(mean) / new_error, df)),
        "one_new_set_low": mean - t * one_error, "one_new_set_high": mean + t * one_error,
        "spread_between_sets": float(np.sqrt(max(0.0, spread**2 - (errors**2).mean()))),
        "spread_p_value": float(stats.chi2.sf(q, df)),
        "n_sets_a_better": int((sign * differences > 0).sum()), "n_sets_b_better": int((sign * differences < 0).sum()),
        "score_a": float(np.mean([one.score_a for one in sets])),
        "score_b": float(np.mean([one.score_b for one in sets])),
        "method_p_value": None, "method_low": None, "method_high": None, "method_df": None, "method_p_adjusted": None,
        "method_verdict": None, "sets": tuple(sets), "n_trials": N_TRIALS, "n_coins": 100,
        "unit": sets[0].unit, "n_units": sum(one.n_units for one in sets),
    } | changes  # fmt: skip
    new_sets = {item.name: figures.get(f"new_sets_{item.name}") for item in fields(NewSets)}
    new_sets |= {name: figures[f"one_new_set_{name[4:]}"] for name in ("one_low", "one_high")}
    new_sets |= {"spread": figures["spread_between_sets"], "spread_p_value": figures["spread_p_value"]}
    figures |= {"new_sets": NewSets(**new_sets), "conclusion": ""}
    parts = {"randomization": Randomization, "method": CrossedAnalysis, "judged": Verdict, "measured": Measured}
    return judge(fill_parts(CampaignPair, figures, **parts), sign)


def judge(pair, sign):
    """Fill in what follows from the adjusted p."""
    significant = pair.p_adjusted <= 1 - LEVEL if pair.verdict != "undecided" else False
    verdict = "undecided" if pair.verdict == "undecided" else "significant" if significant else "not significant"
    new = "significant" if verdict == "significant" and pair.new_sets_p_adjusted <= 1 - LEVEL else "not significant"
    conclusion = "shown for new test sets" if new == "significant" else "shown on these test sets only"
    conclusion = {"undecided": "undecided", "not significant": "not shown"}.get(verdict, conclusion)
    better = (pair.a if sign * pair.difference > 0 else pair.b) if significant else None
    return changed(pair, verdict=verdict, new_sets_verdict=new, conclusion=conclusion, better=better)


def make_metric(name, sets, *, higher_is_better=True, baseline=None, settings=None, ranking=None, **changes):
    """A metric whose pairs have these sets, by (a, b)."""
    pairs = [make_pair(ones, higher_is_better=higher_is_better, **changes) for ones in sets.values()]
    adjusted = holm_adjust([pair.p_value for pair in pairs])
    new_adjusted = holm_adjust([pair.new_sets_p_value for pair in pairs])
    sign = 1 if higher_is_better else -1
    pairs = [
        judge(changed(pair, p_adjusted=float(p), new_sets_p_adjusted=float(new)), sign)
        for pair, p, new in zip(pairs, adjusted, new_adjusted, strict=True)
    ]
    names = list(dict.fromkeys(name for pair in pairs for name in (pair.b, pair.a)))
    scores = {}
    for pair in pairs:
        scores[pair.a] = {one.test_set: one.score_a for one in pair.sets}
        scores[pair.b] = {one.test_set: one.score_b for one in pair.sets}
    systems = [
        CampaignSystem(one, 1, mean := float(np.mean(list(scores[one].values()))), mean - 0.3, mean + 0.3, scores[one])
        for one in names
    ]
    order = sorted(systems, key=lambda one: -sign * one.score)
    if ranking is None and len(names) > 2:
        last = len(order)
        ranking = tuple(
            CampaignRank(
                one.system,
                one.score,
                n,
                against_baseline=None if one.system == baseline else "better",
                new_sets_against_baseline=None if one.system == baseline else "not shown",
            )
            if baseline
            else CampaignRank(one.system, one.score, n, n, min(n + 1, last), max(1, n - 1), last, "a", "b")
            for n, one in enumerate(order, start=1)
        )
    signatures = {one.test_set: "nrefs:1|tok:13a" for one in pairs[0].sets}
    return CampaignMetric(
        name=name,
        signatures=signatures,
        higher_is_better=higher_is_better,
        systems=tuple(systems),
        comparisons=tuple(pairs),
        ranking=ranking,
        settings=settings or make_settings(),
        family_size=len(pairs),
        sets_family_size=len(pairs) * len(signatures),
        method_family_size=0,
    )


def make_settings(**changes):
    figures = {
        "test": "sets", "unit": "segment", "exchange": "unit", "interval": "percentile", "level": LEVEL,
        "n_resamples": 1000, "n_trials": N_TRIALS, "random_key": resolve_rng(1), "adjust": "holm", "family": "metric",
    }  # fmt: skip
    return Settings(**figures | changes)


def make_campaign(
    n_sets=14, systems=("base", "new"), metrics=("BLEU",), *, baseline="base", seed=1, spread=0.5, names=None
):
    """A campaign in which later systems are better by 0.6 each, sets apart by a spread; TER is lower where better."""
    rng = np.random.default_rng(seed)
    names = names or [f"wmt{8 + number:02}" for number in range(n_sets)]
    sizes = [500 + 137 * number for number in range(n_sets)]
    test_sets = tuple(
        CampaignTestSet(name, size, None, "segment", size, float(size)) for name, size in zip(names, sizes, strict=True)
    )
    made = {}
    for metric in metrics:
        sign = -1 if metric == "TER" else 1
        level = rng.normal(30, 4, n_sets)
        scores = {
            system: level + sign * 0.6 * place + rng.normal(0, spread, n_sets) for place, system in enumerate(systems)
        }
        pairs = [(one, baseline) for one in systems if one != baseline] if baseline else list(combinations(systems, 2))
        sets = {
            (a, b): [
                make_set(
                    name,
                    a,
                    b,
                    float(scores[a][k] - scores[b][k]),
                    12 / sizes[k] ** 0.5,
                    n_segments=sizes[k],
                    score_b=float(scores[b][k]),
                )
                for k, name in enumerate(names)
            ]
            for a, b in [pair if baseline else pair[::-1] for pair in pairs]
        }
        adjusted = iter(holm_adjust([one.p_value for ones in sets.values() for one in ones]))
        judged = {
            pair: [changed(one, **judge_set(one, float(next(adjusted)), sign)) for one in ones]
            for pair, ones in sets.items()
        }
        made[metric] = make_metric(metric, judged, higher_is_better=sign > 0, baseline=baseline)
    return CampaignComparison(make_settings(), baseline, test_sets, made)


def judge_set(one, p_adjusted, sign):
    shown = p_adjusted <= 1 - LEVEL
    better = (one.a if sign * one.difference > 0 else one.b) if shown else None
    return {"p_adjusted": p_adjusted, "verdict": "significant" if shown else "not significant", "better": better}


def make_bcg_trials():
    """Log risk ratios of thirteen trials of a vaccine (Colditz et al., 1994), and their variances."""
    trials = [(4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619), (33, 5036, 47, 5761)]
    trials += [(180, 1361, 372, 1079), (8, 2537, 10, 619), (505, 87886, 499, 87892), (29, 7470, 45, 7232)]
    trials += [(17, 1699, 65, 1600), (186, 50448, 141, 27197), (5, 2493, 3, 2338), (27, 16886, 29, 17825)]
    ill, well, ill_without, well_without = np.array(trials).T
    n, n_without = ill + well, ill_without + well_without
    ratios = np.log(ill / n) - np.log(ill_without / n_without)
    return ratios, 1 / ill - 1 / n + 1 / ill_without - 1 / n_without
