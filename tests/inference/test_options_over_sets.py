"""The options of `compare` over several test sets: each against numbers computed here from the data and the coins."""

import inspect
import re
import warnings
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

import mtworkbench as mtw
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import Comparison, approximate_randomization, compare, compare_test_sets, comparison
from mtworkbench.inference.campaign_checks import warn_of_unequal_runs
from mtworkbench.inference.comparison import Options
from mtworkbench.metrics import MeanScore
from mtworkbench.resampling import exchange_masks, resolve_rng
from mtworkbench.results.verdicts import holm_adjust

DRAWN = {"n_resamples": 400, "n_trials": 1200, "rng": 3, "unit": "segment"}
SIZES = {"x": 40, "y": 60}


def named(statistics, name):
    return replace(statistics, test_set=replace(statistics.test_set, references=name, lineage=object()))


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return function(*arguments, **options)


def draw_scores(n_systems=4, seed=5, runs=1, sizes=SIZES):
    """Scores of segments by set, (n_systems, n_runs, n_segments), each system better than the last."""
    draws = np.random.default_rng(seed)
    return {
        name: draws.normal(0, 1, (n_systems, 1, size))
        + 0.35 * draws.normal(0, 1, (n_systems, runs, size))
        + 0.3 * np.arange(n_systems)[:, None, None]
        + 0.2 * draws.normal(0, 1, (n_systems, runs, 1))
        for name, size in sizes.items()
    }


def as_statistics(make_mean, scores, name, metric="score", columns=None):
    own = {f"s{number}": runs for number, runs in enumerate(scores)}
    return named(make_mean(metric=MeanScore(metric, higher_is_better=True), columns=columns, **own), name)


def as_sets(make_mean, scores, **options):
    return {name: as_statistics(make_mean, own, name, **options) for name, own in scores.items()}


def trials_of(scores, pairs, n_trials, key):
    """The difference of each pair in each trial, (n_pairs, n_trials), as the coins of a set exchange segments."""
    [masks] = exchange_masks(scores.shape[-1], n_trials, rng=key)
    signs = 1 - 2.0 * masks[:, :, 0]
    means = scores.mean(axis=1)
    return np.array([signs @ (means[a] - means[b]) / scores.shape[-1] for a, b in pairs])


def adjust_by_definition(observed, trials, spreads):
    """Step-down max-T (Westfall & Young, 1993): p of each pair, all pairs ordered by their t."""
    t, trial_t = np.abs(observed) / spreads, np.abs(trials) / spreads[:, None]
    order = np.argsort(-t)
    found, largest = np.empty(len(t)), 0.0
    for rank, place in enumerate(order):
        reached = trial_t[order[rank:]].max(axis=0) >= t[place] * (1 - 1e-9)
        largest = max(largest, (reached.sum() + 1) / (trials.shape[1] + 1))
        found[place] = largest
    return found


PAIRS = [(a, b) for b, a in combinations(range(4), 2)]


def mean_trials(scores, n_trials=1200):
    """Trials of the mean over sets, and the mean differences, whose pairs share the coins of each set."""
    key = resolve_rng(DRAWN["rng"])
    of_sets = [trials_of(own, PAIRS, n_trials, key.sample(place)) for place, own in enumerate(scores.values(), start=1)]
    observed = [[own[a].mean() - own[b].mean() for a, b in PAIRS] for own in scores.values()]
    return np.mean(observed, axis=0), np.mean(of_sets, axis=0)


def spreads_of(scores):
    """The standard deviation of each pair's trials: the sum of g^2, the segments' shares of the mean over sets."""
    squares = [
        [((own[a] - own[b]).mean(axis=0) ** 2).sum() / own.shape[-1] ** 2 for a, b in PAIRS] for own in scores.values()
    ]
    return np.sqrt(np.sum(squares, axis=0)) / len(scores)


@pytest.mark.parametrize("with_study", [False, True])
def test_max_t_over_sets_is_that_of_the_definition(make_mean, tmp_path, with_study):
    scores = draw_scores()
    study = mtw.Study(tmp_path / "study") if with_study else None
    found = quietly(compare_test_sets, as_sets(make_mean, scores), adjust="max-t", study=study, **DRAWN)
    observed, trials = mean_trials(scores)
    spreads = spreads_of(scores)
    expected = adjust_by_definition(observed, trials, spreads)
    pairs = found.metrics["score"].comparisons
    assert [pair.p_adjusted for pair in pairs] == pytest.approx(expected.tolist(), abs=1e-12)
    assert {pair.adjust for pair in pairs} == {"max-t"}
    assert any(
        pair.p_adjusted < holm for pair, holm in zip(pairs, holm_adjust([p.p_value for p in pairs]), strict=True)
    )
    # On single sets all pairs of both sets are one family, whose trials are the sets' own.
    key = resolve_rng(DRAWN["rng"])
    trials = [trials_of(own, PAIRS, 1200, key.sample(place)) for place, own in enumerate(scores.values(), start=1)]
    observed = [own[a].mean() - own[b].mean() for own in scores.values() for a, b in PAIRS]
    spreads = [spreads_of({name: own}) for name, own in scores.items()]
    expected = adjust_by_definition(observed, np.concatenate(trials), np.concatenate(spreads))
    on_sets = [pair.sets[place].p_adjusted for place in range(2) for pair in pairs]
    assert on_sets == pytest.approx(expected.tolist(), abs=1e-12)
    by_holm = quietly(compare_test_sets, as_sets(make_mean, scores), adjust="holm", **DRAWN).metrics["score"]
    on_sets = [one for pair in by_holm.comparisons for one in pair.sets]
    adjusted = holm_adjust([one.p_value for one in on_sets])
    assert [one.p_adjusted for one in on_sets] == pytest.approx(adjusted.tolist())


def test_max_t_over_all_metrics_shares_the_trials_of_the_metrics(make_mean):
    first, second = draw_scores(seed=5), draw_scores(seed=6)
    sets = {
        name: [as_statistics(make_mean, first[name], name), as_statistics(make_mean, second[name], name, "other")]
        for name in SIZES
    }
    found = quietly(compare_test_sets, sets, adjust="max-t", family="all", **DRAWN)
    observed, trials = (np.concatenate(both) for both in zip(mean_trials(first), mean_trials(second), strict=True))
    expected = adjust_by_definition(observed, trials, np.concatenate([spreads_of(first), spreads_of(second)]))
    pairs = [pair for metric in found.metrics.values() for pair in metric.comparisons]
    assert [pair.p_adjusted for pair in pairs] == pytest.approx(expected.tolist(), abs=1e-12)
    assert {metric.family_size for metric in found.metrics.values()} == {12}


def test_copies_disturb_no_other_pair_of_max_t(make_mean):
    scores = draw_scores(3)
    alone = quietly(compare_test_sets, as_sets(make_mean, scores), adjust="max-t", **DRAWN).metrics["score"]
    more = {name: np.concatenate([own, own[2:]]) for name, own in scores.items()}
    found = quietly(compare_test_sets, as_sets(make_mean, more), adjust="max-t", **DRAWN).metrics["score"]
    pairs = {(pair.a, pair.b): pair for pair in found.comparisons}
    assert (pairs["s3", "s2"].p_adjusted, pairs["s3", "s2"].conclusion) == (1, "identical scores")
    assert [pairs[pair.a, pair.b].p_adjusted for pair in alone.comparisons] == [p.p_adjusted for p in alone.comparisons]


def test_all_metrics_are_one_family_for_each_question(make_mean):
    first, second = draw_scores(3, seed=5, runs=3), draw_scores(3, seed=6, runs=3)
    sets = {
        name: [as_statistics(make_mean, first[name], name), as_statistics(make_mean, second[name], name, "other")]
        for name in SIZES
    }
    apart = quietly(compare_test_sets, sets, adjust="holm", **DRAWN)
    found = quietly(compare_test_sets, sets, adjust="holm", family="all", **DRAWN)
    pairs = [pair for metric in found.metrics.values() for pair in metric.comparisons]
    for p, adjusted in (
        ("p_value", "p_adjusted"),
        ("new_sets_p_value", "new_sets_p_adjusted"),
        ("method_p_value", "method_p_adjusted"),
    ):
        raw = [getattr(pair, p) for metric in apart.metrics.values() for pair in metric.comparisons]
        assert [getattr(pair, adjusted) for pair in pairs] == pytest.approx(holm_adjust(raw).tolist())
    on_sets = [one for metric in apart.metrics.values() for pair in metric.comparisons for one in pair.sets]
    assert [one.p_adjusted for pair in pairs for one in pair.sets] == pytest.approx(
        holm_adjust([one.p_value for one in on_sets]).tolist()
    )
    sizes = {(one.family_size, one.sets_family_size, one.method_family_size) for one in found.metrics.values()}
    assert sizes == {(6, 12, 6)}


def test_a_margin_is_tested_with_the_variance_of_the_mean(make_mean):
    scores = draw_scores(3)
    options = DRAWN | {"adjust": "holm"}
    found = quietly(compare_test_sets, as_sets(make_mean, scores), "s0", margin=0.8, **options).metrics["score"]
    expected = []
    for system in (1, 2):
        apart = [(own[system] - own[0])[0] for own in scores.values()]
        of_sets = np.array([one.var(ddof=1) / len(one) for one in apart])
        df = of_sets.sum() ** 2 / sum(v**2 / (len(one) - 1) for v, one in zip(of_sets, apart, strict=True))
        mean, error = np.mean([one.mean() for one in apart]), np.sqrt(of_sets.sum()) / 2
        expected.append(max(scipy.stats.t.cdf((side * mean - 0.8) / error, df) for side in (1, -1)))
    tests = [pair.equivalence for pair in found.comparisons]
    assert [one.equivalence_p_value for one in tests] == pytest.approx(expected, rel=1e-9)
    assert [one.equivalence_p_adjusted for one in tests] == pytest.approx(holm_adjust(expected).tolist(), rel=1e-9)
    assert len({one.equivalence_verdict for one in tests}) == 2
    assert found.to_frame()["equivalence_margin"].tolist() == [0.8, 0.8]
    alone = quietly(compare_test_sets, as_sets(make_mean, scores), "s0", **DRAWN).metrics["score"]
    assert "equivalence_margin" not in alone.to_frame() and alone.comparisons[0].equivalence is None


def test_pooled_runs_are_those_of_all_systems_averaged_over_sets(make_mean):
    scores = draw_scores(3, runs=4)
    found = quietly(compare_test_sets, as_sets(make_mean, scores), "s0", runs="pooled", **DRAWN).metrics["score"]
    separate = quietly(compare_test_sets, as_sets(make_mean, scores), "s0", **DRAWN).metrics["score"]
    of_runs = np.mean([own.mean(axis=2) for own in scores.values()], axis=0)
    pooled, pooled_df = of_runs.var(axis=1, ddof=1).mean(), 3 * 3
    for place, pair in enumerate(found.comparisons, start=1):
        unit, residual, unit_parts = 0.0, 0.0, []
        for own in scores.values():
            n = own.shape[-1]
            unit_parts.append((own[place] - own[0]).mean(axis=0).var(ddof=1) / n)
            for runs in (own[place], own[0]):
                apart = runs - runs.mean(axis=0) - runs.mean(axis=1, keepdims=True) + runs.mean()
                residual += (apart**2).sum() / ((n - 1) * 3) / (4 * n) / 4
        unit = sum(unit_parts) / 4
        run = 2 * pooled / 4
        # Of the runs, the part that varies with both is either system's own: none may be below 0.
        total = max(unit - residual, 0) + residual
        residuals = []
        for side in (place, 0):
            own_residual = 0.0
            for own in scores.values():
                runs, n = own[side], own.shape[-1]
                apart = runs - runs.mean(axis=0) - runs.mean(axis=1, keepdims=True) + runs.mean()
                own_residual += (apart**2).sum() / ((n - 1) * 3) / (4 * n) / 4
            residuals.append(own_residual)
            total += max(pooled / 4 - own_residual, 0)
        unit_df = sum(unit_parts) ** 2 / sum(
            v**2 / (own.shape[-1] - 1) for v, own in zip(unit_parts, scores.values(), strict=True)
        )
        parts = [(unit, unit_df), (run, pooled_df), *((one, unit_df * 3) for one in residuals)]
        df = total**2 / sum(part**2 / own_df for part, own_df in parts)
        t = abs(pair.difference) / np.sqrt(total)
        assert pair.method_p_pooled == pytest.approx(2 * scipy.stats.t.sf(t, df), rel=1e-9)
        own = [of_runs[side].var(ddof=1) / 3 for side in (place, 0)]
        of_either = [(pooled - 0.75 * one) * 5 / 4 for one in own]  # where its runs vary twice as much
        assert pair.method.variance.run_a + pair.method.variance.run_b == pytest.approx(max(of_either), rel=1e-9)
        assert pair.method_p_value > pair.method_p_pooled
        other = separate.comparisons[place - 1]
        assert pair.method_p_separate == other.method_p_value != pair.method_p_value
        assert "method_p_pooled" in pair.shown() and "method_p_pooled" not in other.shown()


def test_strata_are_those_of_each_set(make_mean):
    """Of a mean, the variance of a stratified sample by the textbook; degrees of freedom by Satterthwaite over sets."""
    scores = draw_scores(2)
    labels = {name: np.where(np.arange(size) % 4 == 0, "talks", "news") for name, size in SIZES.items()}
    sets = {name: as_statistics(make_mean, own, name, columns={"domain": labels[name]}) for name, own in scores.items()}
    [pair] = (
        quietly(compare_test_sets, sets, strata="domain", interval="jackknife", **DRAWN).metrics["score"].comparisons
    )
    of_sets, dfs = [], []
    for name, own in scores.items():
        apart, n = (own[1] - own[0])[0], own.shape[-1]
        groups = [apart[labels[name] == label] for label in ("talks", "news")]
        of_sets.append(sum((len(one) / n) ** 2 * one.var(ddof=1) / len(one) for one in groups))
        dfs.append(n - 2)
    df = sum(of_sets) ** 2 / sum(v**2 / own for v, own in zip(of_sets, dfs, strict=True))
    half = scipy.stats.t.ppf(0.975, df) * np.sqrt(sum(of_sets)) / 2
    assert pair.high - pair.difference == pytest.approx(half, rel=1e-9)
    plain = {name: as_statistics(make_mean, own, name) for name, own in scores.items()}
    with pytest.raises(InputError, match="Test set 'x': .*domain"):
        quietly(compare_test_sets, plain, strata="domain", **DRAWN)


def test_blocks_are_exchanged_within_each_set(make_mean):
    scores = draw_scores(2)
    sets, key = as_sets(make_mean, scores), resolve_rng(DRAWN["rng"])
    options = DRAWN | {"unit": "block", "block_length": 2}
    found = quietly(compare_test_sets, sets, **options)
    [pair] = found.metrics["score"].comparisons
    of_sets = []
    for place, own in enumerate(scores.values(), start=1):
        blocks = (own[1] - own[0])[0].reshape(-1, 2).sum(axis=1)
        [masks] = exchange_masks(len(blocks), 1200, rng=key.sample(place))
        of_sets.append((1 - 2.0 * masks[:, :, 0]) @ blocks / own.shape[-1])
    reached = np.abs(np.mean(of_sets, axis=0)) >= abs(pair.difference) - 1e-9
    assert pair.p_value == (reached.sum() + 1) / 1201
    assert [(one.unit, one.n_units) for one in pair.sets] == [("block of 2", 20), ("block of 2", 30)]
    assert found.settings.unit == "block of 2"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"baseline": "s1", "margin": {"score": 0.4}},
        {"adjust": "holm"},
        {"family": "all"},
        {"family": "all", "exchange": "run", "runs": "pooled"},
        {"unit": "block", "block_length": 2, "interval": "basic"},
        {"strata": "domain"},
        {"missing": True, "runs": "pooled"},
    ],
)
def test_each_set_keeps_the_comparison_that_compare_gives(make_mean, options):
    options = dict(options)
    scores = {"score": draw_scores(3, runs=2), "other": draw_scores(3, seed=9, runs=2)}
    if options.pop("missing", False):
        scores["other"]["y"][1, :, :5] = np.nan
    columns = {name: {"domain": np.where(np.arange(size) % 3 == 0, "talks", "news")} for name, size in SIZES.items()}
    sets = {
        name: [as_statistics(make_mean, own[name], name, metric, columns[name]) for metric, own in scores.items()]
        for name in SIZES
    }
    found = quietly(compare_test_sets, sets, **DRAWN | options)
    for place, (name, own) in enumerate(sets.items(), start=1):
        same = {"n_trials": found.n_trials, "rng": f"{DRAWN['rng']}/{place}"}
        alone, kept = quietly(compare, own, **DRAWN | options | same), found.of_set(name)
        assert kept.rng == same["rng"] and f"|rng:{same['rng']}|" in kept.signature
        assert kept.signature == alone.signature and kept.n_segments == alone.n_segments
        for view in ("to_frame", "systems_frame"):
            for one, another in zip(*(getattr(of, view)().to_dict("records") for of in (kept, alone)), strict=True):
                assert one.keys() == another.keys()
                for field, value in one.items():
                    is_number = isinstance(value, float)
                    if is_number and another[field] is not None:
                        assert value == pytest.approx(another[field], rel=1e-12, nan_ok=True), field
                    else:
                        assert value == another[field], field
        for metric, of_metric in kept.metrics.items():
            for own_pair, pair in zip(of_metric.comparisons, found.metrics[metric].comparisons, strict=True):
                [one] = [one for one in pair.sets if one.test_set == name]
                assert (one.difference, one.p_value, one.low) == (own_pair.difference, own_pair.p_value, own_pair.low)
    with pytest.raises(InputError, match=r"There is no test set 'z': name 'x' or 'y'\."):
        found.of_set("z")


def test_each_set_has_the_number_of_trials_that_it_took(make_mean):
    """The one is clear at once; the other, at t = 1.97, is not."""
    scores = draw_scores(2, sizes={"x": 30, "y": 30})
    for own, t in ((scores["x"], 4.0), (scores["y"], 1.97)):
        gains = own[1] - own[0]
        gains = gains - gains.mean()
        own[1] = own[0] + gains + t * np.sqrt(np.var(gains) / (30 - t**2))
    sets, options = as_sets(make_mean, scores), DRAWN | {"n_trials": None}
    found = quietly(compare_test_sets, sets, **options)
    numbers = []
    for place, (name, own) in enumerate(sets.items(), start=1):
        alone = quietly(compare, own, **options | {"rng": f"{DRAWN['rng']}/{place}"})
        assert found.of_set(name).n_trials == alone.n_trials
        assert found.of_set(name).signature == alone.signature
        numbers.append(alone.n_trials)
    assert 10_000 == numbers[0] < numbers[1] <= found.n_trials


def test_the_coins_of_a_set_are_not_those_of_all_sets(make_bleu, make_ter):
    """TER's copies on the first set have no coins there, but over both sets, three of each unit: BLEU has two."""
    first, second = (
        [
            named(make_bleu(size, runs=(2, 2)), str(size)),
            named(make_ter(size, runs=(3, 3)), str(size)),
        ]
        for size in (20, 24)
    )
    first[1] = replace(first[1], values=dict.fromkeys(first[1].values, first[1].values["s0"]))
    options = {"n_resamples": 400, "n_trials": 400, "exchange": "run", "family": "all"}
    found = quietly(compare_test_sets, {"x": first, "y": second}, **options, rng=1).of_set("x")
    alone = quietly(compare, first[0], **options, rng="1/1")
    assert found.metrics["BLEU"].comparisons[0].p_value == alone.metrics["BLEU"].comparisons[0].p_value < 1


def test_resamples_of_pairs_are_not_kept_again(make_mean):
    """20 sets of 16 systems have 2,400 pairs, whose resamples would be 19 MB."""
    found = quietly(compare_test_sets, as_sets(make_mean, draw_scores(3)), **DRAWN).of_set("x").metrics["score"]
    resampled = {one.system: one.resampled for one in found.systems}
    for pair in found.comparisons:
        for name, kept in zip((pair.a, pair.b), pair.bootstrap.resampled, strict=True):
            assert np.shares_memory(kept, resampled[name])
        np.testing.assert_array_equal(pair.resampled, resampled[pair.a] - resampled[pair.b])


def test_compare_takes_test_sets_by_their_names(make_mean):
    sets = as_sets(make_mean, draw_scores(3))
    several, same = quietly(compare, sets, "s0", **DRAWN), quietly(compare_test_sets, sets, "s0", **DRAWN)
    assert several.to_frame().equals(same.to_frame()) and several.sets_frame().equals(same.sets_frame())
    alone = quietly(compare, {"x": sets["x"]}, "s0", **DRAWN)
    assert alone.to_frame().equals(quietly(compare, sets["x"], "s0", **DRAWN).to_frame())
    assert isinstance(alone, Comparison)
    with pytest.raises(InputError, match="No test set was given"):
        compare({})
    p_values = [
        approximate_randomization(sets["x"][name], sets["x"]["s0"], n_trials=1200, rng=3).p_value
        for name in ("s1", "s2")
    ]
    assert [pair.p_value for pair in alone.metrics["score"].comparisons] == p_values


def test_words_that_are_no_options_are_refused(make_mean):
    sets = as_sets(make_mean, draw_scores(2))
    for option in ("runs", "adjust", "family"):
        with pytest.raises(InputError, match=f"{option} is 'both', but one of"):
            compare_test_sets(sets, **{option: "both"})


def test_tables_name_each_p_by_how_it_was_adjusted(make_mean):
    first, second = draw_scores(3, seed=5, runs=2), draw_scores(3, seed=6, runs=2)
    columns = {name: {"domain": np.where(np.arange(size) % 3 == 0, "talks", "news")} for name, size in SIZES.items()}
    sets = {
        name: [
            as_statistics(make_mean, first[name], name, columns=columns[name]),
            as_statistics(make_mean, second[name], name, "other", columns[name]),
        ]
        for name in SIZES
    }
    options = {"adjust": "max-t", "family": "all", "runs": "pooled", "strata": "domain", "margin": {"score": 1.5}}
    text = mtw.tables.format_campaign(quietly(compare_test_sets, sets, **DRAWN | options), all_columns=True)
    short, _, details = text.partition(": all columns\n")
    # There are 24 claims, whose rows are in the details.
    adjusted = "Verdicts are adjusted for all 6 comparisons of all metrics (for these test sets: max-T; for"
    assert "claim" not in short and adjusted in " ".join(short.split())
    headings = [line for line in details.splitlines() if re.match("system  against .*diff", line)]
    assert ["p (max-T)" in line for line in headings] == [False, True, False, False] * 2
    assert ["p (Holm)" in line for line in headings] == [True, False, True, True] * 2
    said = " ".join(text.split())
    assert "p (max-T): p adjusted for 6 comparisons of all metrics by step-down max-T" in said
    assert "p (Holm): p for new test sets, the method and new runs on new sets, adjusted by Holm's method" in said
    assert "No p is adjusted for the number of metrics" not in said
    assert "within each test set and stratum (domain)" in said
    assert "run-to-run variation is estimated from the runs of all systems together" in said
    assert "The margin is 1.5 score" in said
    assert (
        "By score, the difference s2 - s0 is shown for the method only if runs vary alike, not if those of one "
        "system have twice the standard deviation of the others'."
    ) in said
    csv = mtw.tables.format_campaign(quietly(compare_test_sets, sets, **DRAWN | options), "csv")
    assert {"equivalence_p_value", "simultaneous_low", "method_p_pooled"} <= {*csv.splitlines()[0].split(",")}


def test_two_runs_against_more_than_five_give_no_p_over_sets(make_mean):
    sets = as_sets(make_mean, draw_scores(2, runs=6))
    for name, one in sets.items():
        sets[name] = replace(one, values=one.values | {"s0": one.values["s0"][:2]})
    found = quietly(compare_test_sets, sets, **DRAWN)
    [pair] = found.metrics["score"].comparisons
    assert pair.method_p_value is pair.method_p_separate is pair.method_low is pair.method_verdict is None
    [said] = [one for one in found.headline if "there is no p for the method" in one]
    assert said.startswith("s1 against s0: with 2 runs of one system and more than 5 of the other")
    assert "Give at least two." not in " ".join(mtw.tables.format_campaign(found).split())
    pooled = quietly(compare_test_sets, sets, runs="pooled", **DRAWN)
    assert pooled.metrics["score"].comparisons[0].method_p_value > pair.method_p_pooled > 0
    assert not any("there is no p" in one for one in pooled.headline)


def test_a_system_with_unequal_numbers_of_runs_leaves_the_method_untested(make_mean):
    sets = as_sets(make_mean, draw_scores(3, runs=3))
    sets["y"] = replace(sets["y"], values=sets["y"].values | {"s0": sets["y"].values["s0"][:2]})
    said = (
        "'s0' has different numbers of training runs on the test sets, so the method is not tested in its comparisons: "
        "give the same runs, at least two, on every set."
    )
    for baseline, tested in (("s0", [False, False]), ("s2", [False, True])):
        with warnings.catch_warnings(record=True) as noticed:
            warnings.simplefilter("always")
            found = compare_test_sets(sets, baseline, **DRAWN)
        told = [(one.message.message, one.message.count) for one in noticed if one.message.code == "unequal-runs"]
        assert (said, 1) in told
        pairs = found.metrics["score"].comparisons
        assert [pair.method_p_value is not None for pair in pairs] == tested
        methods = [pair.method for pair in pairs]
        effective = [0.0 if one.variance is None else one.variance.unit_df + 1 for one in methods]
        assert [one.n_effective_units for one in methods] == effective
        assert not any("To claim that a method" in sentence for sentence in found.headline)


def test_every_option_of_one_set_is_one_of_several():
    several = inspect.signature(compare_test_sets).parameters
    assert set(Options.__annotations__) == set(inspect.signature(compare).parameters) - {"statistics", "baseline"}
    assert set(Options.__annotations__) <= set(several)


def test_every_option_is_handed_to_several_sets(monkeypatch):
    handed = {}
    monkeypatch.setattr(comparison, "compare_test_sets", lambda sets, baseline, **options: handed.update(options))
    options = {name: object() for name in Options.__annotations__}
    compare({"x": object(), "y": object()}, "base", **options)
    assert handed == options


def test_a_system_alone_may_have_any_runs(make_mean):
    """Nothing is compared, so nothing is warned of (which would be an error here)."""
    warn_of_unequal_runs({name: {"score": make_mean(a=np.zeros((n_runs, 5)))} for name, n_runs in (("x", 2), ("y", 3))})
