"""The rules of other tools give the tools' own numbers, and small cases those of full enumeration."""

import itertools
import json
import math
from functools import lru_cache

import numpy as np
import pytest
import scipy.stats

from mtworkbench import approximate_randomization, conventions, find_shipped, paired_bootstrap, read_outputs
from mtworkbench.errors import InputError
from mtworkbench.inference.conventions import DrawnDifferences
from mtworkbench.inference.rules import RULES, Observed
from mtworkbench.inference.runs import lay_end_to_end
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.metrics import Bleu, ChrF, Length, MeanScore, Ter
from mtworkbench.resampling import resolve_rng
from mtworkbench.statistics.segment_statistics import compute_statistics

RULE = {rule.name: rule for rule in RULES}
METRICS = {"BLEU": Bleu, "chrF2": ChrF, "chrF2++": ChrF}
pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")


def drawn_for(a, b, *, n_resamples=1000, n_trials=10_000, rng=1, unit="segment"):
    return DrawnDifferences(ScoreTable.of([a, b], unit), n_resamples, n_trials, resolve_rng(rng))


def value_of(name, a, b, **draws):
    """The value of one rule, without the work of all others."""
    return drawn_for(a, b, **draws).value(RULE[name])


# ---- the tools' own numbers


@pytest.fixture(scope="module")
def golden(shared):
    @lru_cache
    def statistics(references, systems, metric, lines=None):
        folder = shared / "golden"
        outputs = read_outputs([folder / name for name in references], {name: folder / name for name in systems})
        found = compute_statistics(outputs, metric)
        return found if lines is None else found.take(np.arange(*lines))

    return statistics


def cases_of(shared, name):
    return json.loads((shared / "golden" / name).read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("test", ["sacrebleu-bs", "sacrebleu-ar"])
@pytest.mark.long
def test_sacrebleus_rows_are_its_own_numbers_to_the_last_digit(shared, golden, test):
    n_compared = 0
    for case in cases_of(shared, "sacrebleu_paired.json"):
        inputs, options = case["inputs"], case["options"]
        if (
            case["kind"]
            != {"sacrebleu-bs": "paired bootstrap", "sacrebleu-ar": "paired approximate randomization"}[test]
        ):
            continue
        metric = METRICS[case["metric"]](**options["metric_options"])
        systems = (inputs["baseline"], *inputs["systems"])
        statistics = golden(tuple(inputs["refs"]), systems, metric)
        n_drawn = {"n_resamples": options["n_samples"], "n_trials": options["n_samples"]}
        for name, row in zip(systems[1:], case["expected"]["rows"][1:], strict=True):
            p_value = value_of(test, statistics[name], statistics[systems[0]], **n_drawn)
            assert p_value == pytest.approx(row["p_value_by_seed"]["12345"], rel=1e-10), (case["id"], name)
            n_compared += 1
    assert n_compared >= 25


def test_moses_within_its_simulation_error(shared, golden):
    for case in cases_of(shared, "moses_bootstrap.json"):
        inputs, expected = case["inputs"], case["expected"]["BLEU"]
        metric = Bleu(tokenize="none", smooth_method="none")
        systems = inputs["hyp1"], inputs["hyp2"]
        statistics = golden(tuple(inputs["refs"]), systems, metric, tuple(inputs["lines"]))
        scores = [float(statistics[name].score()[0, 0]) / 100 for name in systems]
        assert scores == pytest.approx([expected["score1"], expected["score2"]], rel=1e-9)
        p_value = value_of("moses", *(statistics[name] for name in systems))
        assert p_value == pytest.approx(expected["p_value"], abs=expected["p_tolerance_abs"]), case["id"]


@pytest.mark.long
def test_moses_on_16_systems_of_wmt17_within_its_simulation_error(shared):
    """Published: the mean of three runs of 2,000 resamples for each of 15 systems against one."""
    folder = shared / "realdata" / "wmt17-en-de-16systems"
    rows = [
        line.split("\t") for line in (folder / "published_pvalues.tsv").read_text(encoding="utf-8").splitlines()[1:]
    ]
    names = [rows[0][0], *(row[1] for row in rows)]
    outputs = read_outputs(folder / "ref" / "newstest2017.ref.de", {name: folder / "sys" / name for name in names})
    statistics = compute_statistics(outputs, Bleu(tokenize="none"))
    assert len(rows) == 15
    for baseline, name, published, _ in rows:
        p_value, expected = (
            value_of("moses", statistics[name], statistics[baseline], n_resamples=2000),
            float(published),
        )
        error = math.sqrt(max(expected, 1 / 2000) * (1 - expected) * (1 / 2000 + 1 / 6000))
        assert p_value == pytest.approx(expected, abs=4 * error), name


def test_compare_mt_within_its_simulation_error(shared, golden):
    for case in cases_of(shared, "comparemt_bootstrap.json"):
        inputs, expected = case["inputs"], case["expected"]
        systems = inputs["hyp_left"], inputs["hyp_right"]
        statistics = golden(tuple(inputs["refs"]), systems, Bleu(tokenize="none", smooth_method="none"))
        p_value = value_of("compare-mt", *(statistics[name] for name in systems))
        assert p_value == pytest.approx(expected["reported_p"], abs=case["tolerance"]["wins"]["abs"]), case["id"]


@pytest.mark.parametrize("metric", ["bleu:tokenize=none", "length"])
@pytest.mark.long
def test_multeval_with_one_two_and_three_runs_within_its_simulation_error(shared, metric):
    folder = shared / "golden"
    for case in cases_of(shared, "multeval.json"):
        inputs, expected = case["inputs"], case["expected"]["system 1"]["BLEU" if "bleu" in metric else "Length"]
        runs = {"a": inputs["system1_runs"], "b": inputs["baseline_runs"]}
        outputs = read_outputs(
            [folder / name for name in inputs["refs"]],
            {system: [folder / name for name in names] for system, names in runs.items()},
        )
        statistics = compute_statistics(outputs, metric)
        p_value = value_of("multeval", statistics["a"], statistics["b"])
        tolerance = max(expected["p_tolerance_abs"], 0.005 if len(inputs["baseline_runs"]) > 2 else 0)
        assert p_value == pytest.approx(expected["p_value"], abs=tolerance), case["id"]


@pytest.fixture(scope="module")
def flores():
    folder = find_shipped("data") / "flores"
    names = ("bergamot-base", "bergamot-base-memory", "bergamot-tiny")
    outputs = read_outputs(folder / "reference.txt", {name: folder / f"{name}.txt" for name in names})
    return outputs, folder, names


@pytest.mark.parametrize("kind", ["BLEU", "CHRF"])
@pytest.mark.parametrize("test", ["bs", "ar"])
@pytest.mark.long
def test_sacrebleu_itself_on_shipped_text(flores, kind, test):
    from sacrebleu import metrics
    from sacrebleu.significance import PairedTest

    outputs, folder, names = flores
    lines = {name: (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines() for name in names}
    reference = (folder / "reference.txt").read_text(encoding="utf-8").splitlines()
    n_drawn = 500
    paired = PairedTest(
        list(lines.items()), {kind: getattr(metrics, kind)()}, [reference], test_type=test, n_samples=n_drawn
    )
    _, [_, results] = (found := paired())[0], [*found[1].values()]
    statistics = compute_statistics(outputs, kind.lower())
    for name, result in zip(names[1:], results[1:], strict=True):
        ours = value_of(
            f"sacrebleu-{test}", statistics[name], statistics[names[0]], n_resamples=n_drawn, n_trials=n_drawn
        )
        assert ours == result.p_value


@pytest.mark.long
def test_sacrebleu_itself_under_ter(flores):
    from sacrebleu.metrics import TER
    from sacrebleu.significance import PairedTest

    outputs, _, names = flores
    some = outputs[outputs["segment"] <= 40]
    texts = {name: list(some[some["system"] == name]["hypothesis"]) for name in names[:2]}
    reference = list(some[some["system"] == names[0]]["reference"])
    statistics = compute_statistics(some.reset_index(drop=True), Ter())
    for test in ("bs", "ar"):
        paired = PairedTest(list(texts.items()), {"TER": TER()}, [reference], test_type=test, n_samples=300)
        [_, result] = paired()[1]["TER"]
        ours = value_of(f"sacrebleu-{test}", statistics[names[1]], statistics[names[0]], n_resamples=300, n_trials=300)
        assert ours == result.p_value


def test_comet_compares_t_test_is_scipys(make_mean):
    draws = np.random.default_rng(1)
    a, b = draws.normal(0.8, 0.1, 60), draws.normal(0.78, 0.1, 60)
    statistics = make_mean(a=a, b=b)
    expected = scipy.stats.ttest_rel(a, b).pvalue
    assert value_of("paired t", statistics["a"], statistics["b"]) == pytest.approx(expected, rel=1e-12)


def test_comet_compares_wins_are_its_rule_on_the_same_samples(make_mean):
    """Its rule, written down as in the program, on the samples that we draw."""
    draws = np.random.default_rng(2)
    a, b = draws.normal(0.8, 0.1, 61), draws.normal(0.79, 0.1, 61)
    statistics = make_mean(a=a, b=b)
    drawn = drawn_for(statistics["a"], statistics["b"])
    assert len(drawn.comet_sampled) == 300
    x_wins = np.mean(drawn.comet_sampled >= 0.001)
    y_wins = np.mean(drawn.comet_sampled <= -0.001)
    assert drawn.value(RULE["comet-compare"]) == 1 - max(x_wins, y_wins)
    # 24 of 61 segments: the scatter of the differences tells.
    assert np.std(drawn.comet_sampled) == pytest.approx(np.std(a - b) / math.sqrt(24), rel=0.15)


# ---- small cases: the value is that of full enumeration


def all_resamples(differences):
    return np.array([np.mean(chosen) for chosen in itertools.product(differences, repeat=len(differences))])


def all_exchanges(differences):
    signs = np.array(list(itertools.product([1, -1], repeat=len(differences))))
    return signs @ differences / len(differences)


DIFFERENCES = np.array([0.9137, -0.3171, 0.6033, 0.1234, 0.4071])


def expected_by_enumeration(differences):
    """What each rule's p converges to, from all resamples or exchanges, by formulas written down anew."""
    d, mean, exchanged = all_resamples(differences), differences.mean(), all_exchanges(differences)
    size = abs(mean) - 1e-12
    return {
        "koehn2004": 1 - max(np.mean(d > 1e-12), np.mean(d < -1e-12)),
        "cmu": 1 - np.mean(d > 1e-12),
        "moses": np.mean(np.abs(d) - np.abs(d).mean() >= size),
        "sacrebleu-bs": np.mean(np.abs(d) - np.abs(d).mean() > size),
        "riezler-maxwell": np.mean(np.abs(d - d.mean()) >= size),
        "berg-kirkpatrick": np.mean(d > 2 * mean + 1e-12),
        "shift": np.mean(np.abs(d - mean) >= size),
        "percentile": min(1, 2 * np.mean(d <= 1e-12)),
        "ar": np.mean(np.abs(exchanged) >= size),
        "sacrebleu-ar": np.mean(np.abs(exchanged) > size + 2e-12),
        "multeval": np.mean(np.abs(exchanged) > size + 2e-12),
    }


@pytest.mark.parametrize("sign", [1, -1])
def test_every_rule_converges_to_full_enumeration(make_mean, sign):
    statistics = make_mean(a=1 + sign * DIFFERENCES, b=np.ones(5))
    drawn = drawn_for(statistics["a"], statistics["b"], n_resamples=20_000, n_trials=20_000)
    for name, expected in expected_by_enumeration(DIFFERENCES).items():
        error = 4 * math.sqrt(expected * (1 - expected) / 20_000) + 2 / 20_000
        assert drawn.value(RULE[name]) == pytest.approx(expected, abs=error), name
    assert drawn.value(RULE["ar"]) == expected_by_enumeration(DIFFERENCES)["ar"]  # it enumerates


def test_lower_is_better_mirrors_everything(make_mean):
    """Under a metric of which less is better, a with the scores of b is what b was."""
    draws = np.random.default_rng(3)
    a, b = draws.normal(1, 1, 40), draws.normal(1.2, 1, 40)
    up, down = make_mean(a=a, b=b), make_mean(metric=MeanScore(higher_is_better=False), a=-a, b=-b)
    first, second = (conventions(one["a"], one["b"], n_resamples=500, n_trials=500, rng=1) for one in (up, down))
    for one, other in zip(first.rules, second.rules, strict=True):
        assert (one.p_value, one.confidence, one.verdict, one.better) == (
            other.p_value,
            other.confidence,
            other.verdict,
            other.better,
        ), one.name
        assert (one.low is None) == (other.low is None)
        if one.low is not None:
            assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-12)


def test_swapping_the_systems_mirrors_everything(make_bleu):
    statistics = make_bleu(60)
    one, other = (
        conventions(statistics[a], statistics[b], n_resamples=500, n_trials=500, rng=1)
        for a, b in (("s0", "s1"), ("s1", "s0"))
    )
    for row, mirrored in zip(one.rules, other.rules, strict=True):
        assert (row.p_value is None) == (mirrored.p_value is None)
        assert row.p_value is None or row.p_value == pytest.approx(mirrored.p_value, rel=1e-9)
        assert (row.confidence, row.verdict, row.better) == (mirrored.confidence, mirrored.verdict, mirrored.better)


def multeval_by_enumeration(a, b):
    """p of MultEval's shuffle of three runs of a few segments, place by place as in its program.

    The first pseudo-system takes at place r the output of run order[r] from the side of coin r, the second at place r
    that of run inverse[r] from the other side.
    """
    n_runs, n_segments = a.shape
    sides = np.stack([a, b])
    pairs = []
    for segment in range(n_segments):
        here = []
        for order in itertools.permutations(range(n_runs)):
            inverse = np.argsort(order)
            for coins in itertools.product([0, 1], repeat=n_runs):
                first = sum(sides[coin, order[place], segment] for place, coin in enumerate(coins))
                second = sum(sides[1 - coin, inverse[place], segment] for place, coin in enumerate(coins))
                here.append(first - second)
        pairs.append(np.array(here))
    total = pairs[0]
    for one in pairs[1:]:
        total = (total[:, None] + one).ravel()
    return np.mean(np.abs(total) > abs((a - b).sum()) + 1e-9)


def test_multevals_slip_is_reproduced(make_mean):
    draws = np.random.default_rng(4)
    a, b = draws.normal(0.7, 1, (3, 3)), draws.normal(0, 1, (3, 3))
    statistics = make_mean(a=a, b=b)
    expected = multeval_by_enumeration(a, b)
    ours = value_of("multeval", statistics["a"], statistics["b"], n_trials=40_000)
    assert ours == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / 40_000))
    right = approximate_randomization(statistics["a"], statistics["b"], exchange="run", rng=1).p_value
    assert abs(right - expected) > 0.02  # so that the test tells the two apart


# ---- what the table says


def test_rows_are_those_of_the_functions_that_exist(make_bleu):
    statistics = make_bleu(150, documents=np.repeat(np.arange(15), 10), gain=0.003)
    a, b = statistics["s1"], statistics["s0"]
    found = conventions(a, b, rng=3)
    assert [one.name for one in found.rules] == [rule.name for rule in RULES] == list(found.to_frame()["name"])
    assert {one.name for one in found.rules if one.unit == "document"} == {"percentile", "shift", "jackknife", "ar"}
    by_segment = paired_bootstrap(a, b, unit="segment", rng=3)
    assert found["koehn2004"].confidence == pytest.approx(max(by_segment.wins, by_segment.losses) / 1000, abs=1e-12)
    by_document = paired_bootstrap(a, b, unit="document", method="percentile", rng=3)
    assert (found["percentile"].low, found["percentile"].high) == (by_document.low, by_document.high)
    jackknife = paired_bootstrap(a, b, unit="document", method="jackknife", rng=3)
    assert (found["jackknife"].low, found["jackknife"].high) == pytest.approx(
        (jackknife.low, jackknife.high), rel=1e-12
    )
    assert found["ar"].p_value == approximate_randomization(a, b, rng=3).p_value


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_the_percentile_row_rejects_where_the_interval_excludes_0(make_bleu, level):
    verdicts = set()
    for seed in range(12):
        statistics = make_bleu(40, seed=seed, gain=0.02)
        found = conventions(statistics["s1"], statistics["s0"], n_resamples=400, n_trials=50, level=level, rng=seed)
        row = found["percentile"]
        assert (row.verdict == "significant") == (row.low > 0 or row.high < 0)
        jackknife = found["jackknife"]
        assert (jackknife.verdict == "significant") == (jackknife.low > 0 or jackknife.high < 0)
        verdicts.add(row.verdict)
    assert len(verdicts) == 2


def test_the_same_seed_gives_the_same_rows_and_another_does_not(make_bleu):
    statistics = make_bleu(80)
    found = [
        conventions(statistics["s1"], statistics["s0"], n_resamples=200, n_trials=300, rng=rng) for rng in (1, 1, 2)
    ]
    frames = [one.to_frame().to_csv() for one in found]
    assert frames[0] == frames[1] != frames[2]
    assert found[0].signature.startswith(f"{statistics['s1'].signature}|test:conventions|unit:segment|trials:300|")
    assert "|level:0.95|resamples:200|rng:1|" in found[0].signature
    assert {one.n_drawn for one in found[0].rules} == {None, 200, 300}


def test_copies_are_significant_to_those_who_do_not_count_ties(make_bleu):
    statistics = make_bleu(60, runs=(1,))
    found = conventions(statistics["s0"], statistics["s0"], rng=1)
    significant = {one.name: one.p_value for one in found.rules if one.verdict == "significant"}
    assert significant == {
        "sacrebleu-bs": 1 / 1001,
        "sacrebleu-ar": 1 / 10_001,
        "multeval": 1 / 10_001,
        "berg-kirkpatrick": 0.0,
    }
    for name in ("moses", "riezler-maxwell", "shift", "jackknife", "paired t", "ar"):
        assert found[name].p_value == 1
    assert all(one.better is None for one in found.rules)
    assert "identical systems are significant" in found["sacrebleu-bs"].asks  # not as moses


def test_one_differing_segment_has_the_smallest_p_of_sacrebleu_although_the_exact_p_is_1(make_bleu):
    statistics = make_bleu(60)
    values = {name: statistics.values["s0"].copy() for name in ("s0", "s1")}
    values["s1"][0, 7] = statistics.values["s1"][0, 7]
    changed = type(statistics)(statistics.metric, values, statistics.test_set)
    found = conventions(changed["s1"], changed["s0"], rng=1)
    assert found["sacrebleu-ar"].p_value == 1 / 10_001
    assert found["ar"].p_value == 1


def test_several_runs_are_for_papers_rules_and_multeval(make_bleu):
    statistics = make_bleu(50, runs=(3, 3))
    found = conventions(statistics["s1"], statistics["s0"], n_resamples=400, n_trials=400, rng=1)
    absent = {one.name for one in found.rules if one.verdict is None}
    assert absent == {"cmu", "moses", "sacrebleu-bs", "sacrebleu-ar", "compare-mt", "comet-compare"}
    assert {found[name].note for name in absent} == {
        "one run of each system is needed, because the program reads one output of each"
    }
    assert found["multeval"].note == "its shuffle uses some outputs twice and others never"
    by_segment = paired_bootstrap(statistics["s1"], statistics["s0"], n_resamples=400, rng=1)
    assert found["koehn2004"].confidence == pytest.approx(max(by_segment.wins, by_segment.losses) / 400, abs=1e-12)
    unequal = make_bleu(50, runs=(3, 2))
    found = conventions(unequal["s1"], unequal["s0"], n_resamples=400, n_trials=400, rng=1)
    assert (found["multeval"].verdict, found["multeval"].note) == (None, "equal numbers of runs are needed")


def test_two_runs_of_multeval_are_exchanged_without_a_slip(make_bleu):
    statistics = make_bleu(50, runs=(2, 2))
    together = [lay_end_to_end(statistics[system]) for system in ("s1", "s0")]
    right = approximate_randomization(*together, rng=1)
    ours = value_of("multeval", statistics["s1"], statistics["s0"])
    assert ours == pytest.approx(right.p_value, abs=1e-12)  # no ties here, and the same coins


def test_without_a_direction_nothing_is_won(make_bleu):
    draws = np.random.default_rng(5)
    statistics = make_bleu(50)
    lengths = {name: draws.integers(5, 40, (1, 50, 2)) for name in ("a", "b")}
    statistics = type(statistics)(Length(), lengths, statistics.test_set)
    found = conventions(statistics["a"], statistics["b"], n_resamples=400, n_trials=400, rng=1)
    absent = {one.name for one in found.rules if one.verdict is None}
    assert absent == {"koehn2004", "cmu", "compare-mt", "comet-compare"}
    assert all(one.better is None for one in found.rules)


def test_one_segment_is_judged_by_no_t(make_mean):
    statistics = make_mean(a=[2.0], b=[1.0])
    found = conventions(statistics["a"], statistics["b"], n_resamples=400, n_trials=400, rng=1)
    assert {one.name for one in found.rules if one.verdict is None} == {"jackknife", "paired t"}
    assert found["jackknife"].note == "nothing varies"
    assert found["ar"].p_value == 1


def test_arguments_are_checked(make_bleu):
    statistics = make_bleu(20)
    with pytest.raises(InputError, match="^n_trials is 0, but an integer of at least 1 was expected.$"):
        conventions(statistics["s0"], statistics["s1"], n_trials=0)
    with pytest.raises(InputError, match="^level is 2, but a number between 0 and 1"):
        conventions(statistics["s0"], statistics["s1"], level=2)


def test_another_name_is_no_rule(make_bleu):
    statistics = make_bleu(20)
    found = conventions(statistics["s0"], statistics["s1"], n_resamples=400, n_trials=100, rng=1)
    with pytest.raises(InputError, match="^There is no rule 'mosses' here: name one of 'koehn2004', 'cmu', 'moses', "):
        found["mosses"]


def test_strict_rules_need_less_than_1_minus_level():
    observed = Observed(1.0, 1.0, 9)
    drawn = np.array([1.0] * 19 + [-1.0])
    for name, verdict in (("koehn2004", True), ("cmu", False), ("compare-mt", False)):
        assert RULE[name].rejects(RULE[name].value(observed, drawn), 0.95) is verdict
