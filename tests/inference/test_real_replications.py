"""Real training seeds: four generators trained five times on two training sets, with 1 to 45 references."""

import pytest

from mtworkbench import read_outputs
from mtworkbench.inference import compare, optimizer_variance
from mtworkbench.outputs.checks.report import DOUBTS
from mtworkbench.statistics.segment_statistics import compute_statistics

# Range of BLEU over the five runs, as the data's README has it.
PUBLISHED = {"tgen-minus": (57.1, 61.8), "tgen-std": (62.0, 63.3), "tgen-plus": (62.6, 64.2), "sclstm": (28.8, 39.8)}


@pytest.fixture(scope="module")
def statistics(shared):
    folder = shared / "realdata" / "replications-e2e-nlg"
    references = [folder / "refs" / f"ref.{number}.txt" for number in range(45)]
    systems = {name: folder / "hyps" / "train-orig_test-orig" / f"{name}.run*.txt" for name in PUBLISHED}
    with pytest.warns(UserWarning, match="they mean that a segment has no such reference, as accepted"):
        outputs = read_outputs(references, systems, accept=["absent-ref", *DOUBTS])
    return compute_statistics(outputs, "bleu")


@pytest.mark.long
def test_variance_goes_from_small_to_huge(statistics):
    found = optimizer_variance(statistics, baseline="tgen-std", rng=1).metrics["BLEU"]
    systems = {system.system: system for system in found.systems}
    for name, (lowest, highest) in PUBLISHED.items():
        assert (systems[name].lowest, systems[name].highest) == pytest.approx((lowest, highest), abs=0.06)
        assert systems[name].runs == 5
        assert 0.4 < systems[name].s_sel < 0.9
    assert [round(systems[name].s_test, 1) for name in PUBLISHED] == [1.8, 0.5, 0.6, 4.5]
    first = found.systems[0].system
    test_set, runs = "test-set variation (s_sel {})", "run-to-run variation (s_test {})"
    estimate = "on these runs, the estimate of"
    assert found.readings[1:] == (
        f"tgen-std: {estimate} {test_set.format(0.69)} is larger than that of {runs.format(0.49)}.",
        found.readings[2],
        f"sclstm: {estimate} {runs.format(4.5)} is at least as large as that of {test_set.format(0.45)}.",
        f"With 5 runs, a measured s_test of {systems[first].s_test:.2g} ({first}) is compatible with a true one from "
        f"{0.59911 * systems[first].s_test:.2g} to {2.8736 * systems[first].s_test:.2g} (95 % CI).",
    )


@pytest.mark.long
def test_outputs_that_differ_need_not_come_from_methods_that_do(statistics):
    pairs = compare(statistics, "tgen-std", rng=1).metrics["BLEU"].comparisons
    found = {pair.a: pair for pair in pairs}
    assert found["tgen-plus"].p_value < 0.001 < 0.1 < found["tgen-plus"].method_p_value
    assert found["tgen-plus"].method_low < 0 < found["tgen-plus"].method_high
    assert found["sclstm"].method_p_value < 0.001
    for pair in pairs:
        assert pair.method_low < pair.low
        assert pair.high < pair.method_high
