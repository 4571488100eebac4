"""Studies that take more than a second show progress: every item is counted, and the results are the same."""

import numpy as np
import pandas as pd
import pytest

import mtworkbench as mtw
from mtworkbench.analyses import specification_curve
from mtworkbench.analyses.conventions import conventions
from mtworkbench.metrics import MeanScore
from mtworkbench.outputs.text import make_outputs
from mtworkbench.papers import clark2011, koehn2004
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet

N_SEGMENTS, N_RUNS = 1200, 3


@pytest.fixture(scope="module")
def statistics():
    rng = np.random.default_rng(1)
    values = {
        name: np.stack([rng.normal(place, 4, (N_RUNS, N_SEGMENTS)), np.ones((N_RUNS, N_SEGMENTS))], axis=-1)
        for place, name in enumerate(("a", "b"))
    }
    documents = np.array([f"document {segment // 20}" for segment in range(N_SEGMENTS)], dtype=object)
    test_set = TestSet(np.arange(1, N_SEGMENTS + 1), documents, "references", 1)
    return SegmentStatistics(MeanScore(higher_is_better=True), values, test_set)


@pytest.fixture
def outputs():
    texts = {"a": ["one two three five", "five six"] * 20, "b": ["one two three", "five seven"] * 20}
    references = [["one two three four", "five six"] * 20, ["one two", "six five"] * 20]
    return make_outputs(references, texts, source=[f"segment {number}" for number in range(40)])


class Counted:
    """What is given as ``progress``: it counts the items of every bar."""

    def __init__(self):
        self.bars = []

    def __call__(self, items):
        self.bars.append(0)
        for item in items:
            self.bars[-1] += 1
            yield item


SAMPLES = [np.arange(100), np.arange(100, 200), np.arange(200, 300)]
STUDIES = {
    "conclude": (lambda s, **o: koehn2004.conclude(s, [("b", "a")], SAMPLES, n_resamples=40, rng=1, **o), [3]),
    "conclude_on_sizes": (
        lambda s, **o: koehn2004.conclude_on_sizes(s, [("b", "a")], [300, 600], n_resamples=40, rng=1, **o),
        [100, 50],
    ),
    "conclude_under_null": (
        lambda s, **o: koehn2004.conclude_under_null(s["a"], s["b"], 50, n_repetitions=5, n_trials=19, rng=1, **o),
        [5],
    ),
    "reuse_test_set": (
        lambda s, **o: koehn2004.reuse_test_set(s["a"], s["b"], 50, n_repetitions=4, n_resamples=20, rng=1, **o),
        [4],
    ),
    "intervals_by_unit": (lambda s, **o: koehn2004.intervals_by_unit(s, 300, rng=1, **o), [4]),
    "compare_cuts": (lambda s, **o: clark2011.compare_cuts(s, 300, n_resamples=20, rng=1, **o), [2, 2]),
    "conventions": (  # one step per rule
        lambda s, **o: conventions(s["b"], s["a"], n_resamples=1000, n_trials=99, rng=1, **o).to_frame(),
        [15],
    ),
    "tabulate_tests": (lambda s, **o: clark2011.tabulate_tests(s["b"], s["a"], n_trials=19, rng=1, **o), [3]),
}


@pytest.mark.parametrize("name", STUDIES)
def test_progress_counts_every_item_and_changes_nothing(name, statistics):
    study, bars = STUDIES[name]
    counted = Counted()
    pd.testing.assert_frame_equal(study(statistics, progress=counted), study(statistics))
    assert counted.bars == bars


def test_a_search_that_stops_early_by_design_ends_as_if_it_had_gone_on(statistics):
    """A bar that is closed at 38 % is painted red by tqdm, as if the search had failed."""
    counted, alternating = Counted(), np.arange(100) % 2
    scores = {"a": alternating * 2.0, "b": alternating + 0.8}  # differences of +0.8 and -0.2
    values = {name: np.stack([one, np.ones(100)], axis=-1)[np.newaxis] for name, one in scores.items()}
    made = SegmentStatistics(statistics.metric, values, TestSet(np.arange(1, 101), None, "references", 1))
    found = mtw.analyses.find_decisive_units(made["b"], made["a"], at_most=49, n_trials=999, rng=1, progress=counted)
    assert found["verdict"].iloc[[0, -1]].tolist() == ["significant", "not significant"]
    assert len(found) - 1 < 49
    assert counted.bars == [49]


def test_studies_of_texts_show_progress(outputs):
    counted = Counted()
    found = koehn2004.score_reference_counts(outputs, progress=counted, rng=1)
    pd.testing.assert_frame_equal(found, koehn2004.score_reference_counts(outputs, rng=1))
    assert counted.bars == [3]  # either reference, and both
    counted = Counted()
    options = {"metrics": ["bleu", "chrf"], "n_trials": 99, "rng": 1}
    found = specification_curve.run_specifications(outputs, "a", "b", progress=counted, **options)
    pd.testing.assert_frame_equal(found, specification_curve.run_specifications(outputs, "a", "b", **options))
    assert counted.bars == [2]
    counted = Counted()
    lengths = koehn2004.real_at_lengths(outputs[outputs["system"] == "a"], rng=1)
    koehn2004.score_lengths(lengths, (0.9, 1.0), ["bleu"], progress=counted)
    assert counted.bars == [2]
