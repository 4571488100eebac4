"""MultEval's own example: every number of its table, and its slip, emulated, which is where another p comes from."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

from mtworkbench import read_outputs
from mtworkbench.inference import approximate_randomization, compare, optimizer_variance
from mtworkbench.statistics.segment_statistics import compute_statistics
from mtworkbench.tables import format_multeval

SYSTEMS = {"baseline": "baseline", "system 1": "sys1", "system 2": "baseline"}  # system 2 is a copy
pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")  # and is said to be one
# Where MultEval prints another p than is right: its slip from three runs on, and strictly larger differences alone.
CORRECT_P = {("system 1", "Length"): 0.10} | {("system 2", name): 1.0 for name in ("BLEU", "TER", "Length")}


@pytest.fixture(scope="module")
def published(shared):
    cases = json.loads((shared / "golden" / "multeval.json").read_text(encoding="utf-8"))["cases"]
    [case] = [case for case in cases if case["id"] == "csen-readme-table"]
    return case


@pytest.fixture(scope="module")
def outputs(shared):
    folder = shared / "golden" / "data" / "csen"
    return read_outputs(folder / "ref.txt", {name: folder / f"hyp.{file}.opt*.txt" for name, file in SYSTEMS.items()})


@pytest.fixture(scope="module")
def lengths(outputs):
    return compute_statistics(outputs, "length")


def table_of(statistics):
    """MultEval's table from our numbers: (system, name of metric) -> avg, s_sel, s_opt, p."""
    found = compare(statistics, "baseline", exchange="run", n_resamples=10_000, n_trials=10_000, rng=1)
    table = {}
    for name, metric in found.metrics.items():
        p_values = {pair.a: pair.p_value for pair in metric.comparisons}
        for system in metric.systems:
            table[system.system, name] = (system.score, system.s_sel, system.s_test, p_values.get(system.system))
    return table, format_multeval(found)


def check_table(table, published, names):
    rows = published["readme_table (avg, s_sel, s_opt, p)"]
    for system, name in itertools.product(SYSTEMS, names):
        avg, s_sel, s_opt, p_value = rows[system][name]
        found = table[system, name]
        assert [round(number, 1) for number in found[:3]] == [avg, s_sel, s_opt], (system, name)
        if p_value is None:
            assert found[3] is None
        else:
            correct = CORRECT_P.get((system, name), p_value)
            assert found[3] == pytest.approx(correct, abs=0.012 if 0 < correct < 1 else 0.005), (system, name)


@pytest.mark.long
def test_every_number_of_the_table(outputs, published):
    table, text = table_of([compute_statistics(outputs, metric) for metric in ("bleu:tokenize=none", "length")])
    check_table(table, published, ["BLEU", "Length"])
    assert [line.split("  ") for line in text.splitlines() if line.startswith("baseline  ")] == [
        ["baseline", "18.5 (0.3/0.1/-)", "", "", "107.5 (0.4/0.1/-)"]
    ]
    bleu = published["expected"]["system 1"]["BLEU"]
    assert table["system 1", "BLEU"][3] == pytest.approx(bleu["p_value"], abs=bleu["p_tolerance_abs"])


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_every_number_of_the_table_under_ter(outputs, published):
    """TER is sacreBLEU's, which is tercom's to one decimal; its 15,000 segments take minutes."""
    ter = compute_statistics(outputs[outputs["system"] != "system 2"].reset_index(drop=True), "ter")
    table, _ = table_of([replace(ter, values=ter.values | {"system 2": ter.values["baseline"].copy()})])
    check_table(table, published, ["TER"])


def shuffles(lengths, inverted):
    """Length statistics of the two pseudo-systems, (n_segments, 48, 2) each, in all shuffles of a segment's outputs.

    A shuffle is a permutation of the three runs and a coin for each place. The first pseudo-system takes at place r the
    output of run permutation[r] from the side of coin r; the second is to take what is left. MultEval's takes the other
    side's output of run inverse[r].
    """
    sides = np.stack([lengths.values["baseline"], lengths.values["system 1"]])  # (side, run, segment, statistic)
    first, second, used = [], [], []
    for permutation in itertools.permutations(range(3)):
        runs = np.argsort(permutation) if inverted else permutation
        for coins in itertools.product([0, 1], repeat=3):
            here = list(zip(coins, permutation, strict=True))
            there = [(1 - coin, run) for coin, run in zip(coins, runs, strict=True)]
            first.append(sum(sides[place] for place in here))
            second.append(sum(sides[place] for place in there))
            used.append(len({*here, *there}))
    return np.stack(first, axis=1), np.stack(second, axis=1), used


def emulate(lengths, shuffled, n_batches=40, batch=500):
    """MultEval's p: strictly larger differences of the scores of both pseudo-systems' summed statistics."""
    first, second, _ = shuffled
    n_segments, n_shuffles, _ = first.shape
    table = np.concatenate([first, second], axis=-1).reshape(n_segments * n_shuffles, 4)
    metric, draws, larger = lengths.metric, np.random.default_rng(1), 0
    scores = [metric.score(lengths.values[name].sum(axis=(0, 1))) for name in ("baseline", "system 1")]
    for _ in range(n_batches):
        chosen = draws.integers(0, n_shuffles, (batch, n_segments)) + n_shuffles * np.arange(n_segments)
        totals = np.stack([column[chosen].sum(axis=1) for column in table.T.copy()], axis=-1)
        differences = metric.score(totals[:, :2]) - metric.score(totals[:, 2:])
        larger += np.count_nonzero(np.abs(differences) > abs(scores[0] - scores[1]))
    return (larger + 1) / (n_batches * batch + 1)


def test_the_slip_uses_hypotheses_twice_and_ours_is_a_partition(lengths):
    assert set(shuffles(lengths, inverted=False)[2]) == {6}
    slipped = shuffles(lengths, inverted=True)[2]
    assert set(slipped) == {4, 6}  # of six outputs, two are used twice and two never
    assert np.mean(np.array(slipped) == 4) == 1 / 4


@pytest.mark.long
def test_the_slip_gives_multevals_own_p(lengths, published):
    """The same draws: with the inverse permutation MultEval's p, without it the right one, which is ours."""
    theirs, right = (emulate(lengths, shuffles(lengths, inverted)) for inverted in (True, False))
    runs = published["expected"]["system 1"]["Length"]["p_value_runs"]
    assert min(runs) - 0.004 <= theirs <= max(runs) + 0.004
    assert right == pytest.approx(0.1004, abs=0.008)
    assert right - theirs > 0.005
    ours = approximate_randomization(lengths["system 1"], lengths["baseline"], exchange="run", n_trials=20_000, rng=1)
    assert ours.p_value == pytest.approx(right, abs=0.01)


def test_the_median_runs_and_deviations_of_the_example(outputs, published):
    found = optimizer_variance(compute_statistics(outputs, "bleu:tokenize=none"), n_resamples=10_000, rng=1)
    for system in found.metrics["BLEU"].systems:
        expected = published["expected"][system.system]["BLEU"]
        assert system.scores == pytest.approx(expected["scores_by_optimizer_run"], abs=6e-7)
        assert system.mean == pytest.approx(expected["avg"], abs=6e-7)
        assert system.s_test == pytest.approx(expected["s_opt"], abs=6e-7)
        assert system.s_sel == pytest.approx(expected["s_sel"], rel=expected["s_sel_tolerance_rel"])
        assert system.median_score == sorted(system.scores)[1]
