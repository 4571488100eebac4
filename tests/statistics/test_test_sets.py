"""Files of statistics of several test sets: none is lost, and each has the files that belong to it."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from mtworkbench import compute_statistics, make_outputs, save_statistics
from mtworkbench.errors import DataWarning
from mtworkbench.metrics import MeanScore
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.statistics.test_sets import load_test_sets

SYSTEMS = ("base", "new")


def score(name, n_segments, metric="bleu"):
    references = [f"{name} segment number {number} of a test set" for number in range(n_segments)]
    texts = {system: [f"{line} by {system}" for line in references] for system in SYSTEMS}
    return compute_statistics(make_outputs(references, texts), metric)


def without(statistics, system):
    return replace(statistics, values={name: one for name, one in statistics.values.items() if name != system})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def load(*paths, **options):
    """The sets, and what is told apart from which files are of which set."""
    with warnings.catch_warnings(record=True) as noticed:
        warnings.simplefilter("always", DataWarning)
        found = load_test_sets(paths, **options)
    told = [str(one.message) for one in noticed if one.message.code != "test-sets"]
    return {name: {one.metric.name: (list(one), len(one.test_set)) for one in found[name]} for name in found}, told


def test_no_set_is_lost_where_files_differ_in_their_endings_only(folder):
    for size, ending in enumerate(("de", "fr", "cs"), start=3):
        save_statistics(f"wmt22.{ending}", score(ending, size))
    found, told = load("wmt22.de", "wmt22.fr", "wmt22.cs")
    assert found == {f"wmt22.{ending}": {"BLEU": ([*SYSTEMS], n)} for n, ending in enumerate(("de", "fr", "cs"), 3)}
    assert told == []


def test_systems_and_metrics_in_files_of_their_own_lack_nothing(folder):
    paths = []
    for size, name in enumerate(("x", "y"), start=3):
        for system in SYSTEMS:
            for metric in ("bleu", "ter"):
                paths.append(f"{metric}-{name}.{system}")
                other = next(one for one in SYSTEMS if one != system)
                save_statistics(paths[-1], without(score(name, size, metric), other))
    found, told = load(*paths)
    assert [*found.values()] == [{metric: ([*SYSTEMS], n) for metric in ("BLEU", "TER")} for n in (3, 4)]
    assert told == []


def test_direction_may_be_of_a_metric_that_is_in_some_of_the_files(folder):
    paths = []
    for size, name in enumerate(("x", "y"), start=3):
        bleu = score(name, size)
        scores = {system: np.ones((1, size, 2)) for system in SYSTEMS}
        own = SegmentStatistics(MeanScore(name="own", higher_is_better=True), scores, bleu.test_set)
        paths += [f"bleu-{name}", f"own-{name}"]
        save_statistics(paths[-2], bleu)
        save_statistics(paths[-1], own)
    assert load(*paths, directions={"own": False})[0] == {
        name: {metric: ([*SYSTEMS], n) for metric in ("BLEU", "own")} for n, name in enumerate(("x", "y"), start=3)
    }


def test_message_names_the_file_that_has_the_system(folder):
    save_statistics("base-x", without(score("x", 3), "new"))
    save_statistics("new-x", without(score("x", 3), "base"))
    save_statistics("again-x", without(score("x", 3), "base"))
    save_statistics("y", score("y", 4))
    assert load("base-x", "new-x", "again-x", "y")[1] == [
        "The system 'new' has the same statistics of BLEU in 'new-x' and in 'again-x': it is used once."
    ]
