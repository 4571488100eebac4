import re
from dataclasses import replace

import numpy as np
import pytest

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics import Bleu, Length, MeanScore
from mtworkbench.statistics.merging import merge_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet

TEST_SET = TestSet(np.array([1, 2, 3]), np.array(["x", "x", "y"], dtype=object), "fingerprint", 1)


def statistics_of(metric, *systems, test_set=TEST_SET, first=1):
    n_statistics = len(metric.statistic_names)
    values = {
        system: np.arange(first, first + len(test_set) * n_statistics).reshape(1, len(test_set), n_statistics) + number
        for number, system in enumerate(systems)
    }
    return SegmentStatistics(metric, values, test_set, "made up")


def test_systems_of_one_metric_come_together_in_order():
    first, second = statistics_of(Length(), "b", "a"), statistics_of(Length(), "c", first=50)
    (merged,) = merge_statistics(first, second)
    assert list(merged) == ["b", "a", "c"]
    assert merged.metric == Length()
    assert merged.test_set == TEST_SET
    assert merged.signature == "nrefs:1|made up"
    for part in (first, second):
        for system in part:
            assert np.array_equal(merged[system].values, part[system].values)
    assert list(first) == ["b", "a"]  # what was merged stays as it was


def with_columns(**columns):
    return replace(TEST_SET, columns={name: np.array(list(values), dtype=object) for name, values in columns.items()})


def test_columns_of_all_statistics_come_together():
    first = statistics_of(Length(), "a", test_set=with_columns(domain="nnt"))
    second = statistics_of(Length(), "b", test_set=with_columns(speaker="eet", domain="nnt"))
    (merged,) = merge_statistics(first, second)
    assert {name: "".join(values) for name, values in merged.test_set.columns.items()} == {
        "domain": "nnt",
        "speaker": "eet",
    }


def test_columns_with_other_values_are_one_warning_and_the_first_are_used():
    sets = [
        with_columns(domain="nnt", rater="xxy"),
        with_columns(domain="ntt", rater="xyy"),
        with_columns(domain="nnt"),
    ]
    several = [statistics_of(Length(), name, test_set=one) for name, one in zip("abc", sets, strict=True)]
    sentence = (
        "Not all statistics have the same values in 'domain' (statistics 2) and 'rater' (statistics 2): where these "
        "are units or strata, the values that came first are used."
    )
    with pytest.warns(DataWarning, match=f"^{re.escape(sentence)}$") as caught:
        (merged,) = merge_statistics(*several)
    assert [(warning.message.code, warning.message.count) for warning in caught] == [("other-columns", 2)]
    assert {name: "".join(values) for name, values in merged.test_set.columns.items()} == {
        "domain": "nnt",
        "rater": "xxy",
    }


def test_metrics_stay_apart_in_order():
    parts = [statistics_of(metric, system) for system in ("a", "b") for metric in (Bleu(), Length())]
    merged = merge_statistics(*parts)
    assert [(one.metric, list(one)) for one in merged] == [(Bleu(), ["a", "b"]), (Length(), ["a", "b"])]


def test_one_metric_with_two_sets_of_options_for_the_same_systems_stays_apart():
    merged = merge_statistics(statistics_of(Bleu(), "a", "b"), statistics_of(Bleu(lowercase=True), "b", "a"))
    assert [list(one) for one in merged] == [["a", "b"], ["b", "a"]]


def test_a_system_that_occurs_twice_is_taken_once_and_said():
    sentence = "The system 'a' has the same statistics of Length in x.stats and in y.stats: it is used once."
    with pytest.warns(DataWarning, match=f"^{re.escape(sentence)}$") as caught:
        (merged,) = merge_statistics(
            statistics_of(Length(), "a", "b"), statistics_of(Length(), "a", "c"), origins=["x.stats", "y.stats"]
        )
    assert list(merged) == ["a", "b", "c"]
    assert caught[0].message.code == "duplicate-system"


def test_systems_that_occur_twice_are_one_warning():
    metrics = [statistics_of(metric, "a", "b") for metric in (Bleu(), Length())]
    with pytest.warns(DataWarning) as caught:
        merge_statistics(*metrics, *metrics, origins=["x", "x", "y", "y"])
    [warning] = caught
    assert (warning.message.code, warning.message.count, warning.filename) == ("duplicate-system", 4, __file__)
    assert str(warning.message) == (
        "4 statistics occur in two places and are used once: 'a' of BLEU (x and y), 'b' of BLEU (x and y), 'a' "
        "of Length (x and y) and 'b' of Length (x and y)."
    )


@pytest.mark.parametrize(
    ("other", "code", "ending"),
    [
        (
            statistics_of(Length(), "b", test_set=TEST_SET.take([0, 1])),
            "segments",
            "cover different segments (compared by number and document): 1 of the 3 segments of x.stats is missing "
            "from y.stats: segment 3 of document 'y'",
        ),
        (
            statistics_of(Length(), "b", test_set=replace(TEST_SET, segments=np.array([1, 5, 3]))),
            "segments",
            "cover different segments (compared by number and document): 1 of the 3 segments of y.stats is missing "
            "from x.stats: segment 5 of document 'x'",
        ),
        (
            statistics_of(Length(), "b", test_set=replace(TEST_SET, references="other")),
            "references",
            "have different references",
        ),
        (
            statistics_of(Length(), "b", test_set=replace(TEST_SET, references="other", normalization="nfc")),
            "normalization",
            "differ in that only one of them was read with accept='nfc'",
        ),
        (
            statistics_of(Length(), "b", test_set=replace(TEST_SET, documents=None)),
            "documents",
            "differ in that only one of them has document ids",
        ),
        (
            statistics_of(Length(), "b", test_set=replace(TEST_SET, documents=np.array(["x", "z", "y"], dtype=object))),
            "documents",
            "have different documents: row 2 belongs to document 'x' in one and to 'z' in the other",
        ),
    ],
)
def test_the_field_in_which_test_sets_differ_is_named(other, code, ending):
    sentence = (
        f"x.stats and y.stats {ending}. Statistics can be compared only if their segments, documents and references "
        "agree."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as caught:
        merge_statistics(statistics_of(Length(), "a"), other, origins=["x.stats", "y.stats"])
    assert caught.value.code == f"different-{code}"


def test_one_name_with_different_statistics_is_refused():
    sentence = (
        "The system 'a' has statistics of Length in statistics 1 and other ones in statistics 2: give one of the two "
        "another name, or, where they are runs of one system, compute its runs together."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as caught:
        merge_statistics(statistics_of(Length(), "a"), statistics_of(Length(), "a", first=9))
    assert caught.value.code == "duplicate-system"


def test_other_options_for_other_systems_are_refused():
    sentence = (
        "The statistics of Bleu in statistics 1 have tokenize='13a', but those in statistics 2 have tokenize='none', "
        "and no system has both: compute all systems alike."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as caught:
        merge_statistics(statistics_of(Bleu(), "a"), statistics_of(Bleu(tokenize="none"), "b"))
    assert caught.value.code == "different-options"
    scores = [MeanScore("comet"), MeanScore("mqm")]
    with pytest.warns(DataWarning, match="There are no statistics of"):
        assert len(merge_statistics(*(statistics_of(metric, metric.column) for metric in scores))) == 2


def test_statistics_of_another_version_are_refused():
    later = replace(statistics_of(Length(), "b"), metric_signature="version:9")
    sentence = (
        "The statistics of Length in statistics 2 have the signature nrefs:1|version:9, but those before them "
        "nrefs:1|made up: compute both with the same version."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as caught:
        merge_statistics(statistics_of(Length(), "a"), later)
    assert caught.value.code == "different-signatures"


def test_nothing_cannot_be_merged():
    with pytest.raises(InputError, match=r"^There are no statistics to merge\.$"):
        merge_statistics()


def test_systems_without_statistics_of_a_metric_are_named():
    sentence = "There are no statistics of Length for 'b': it cannot be compared by it."
    with pytest.warns(DataWarning, match=f"^{re.escape(sentence)}$") as caught:
        merged = merge_statistics(statistics_of(Bleu(), "a", "b"), statistics_of(Length(), "a"))
    assert [list(one) for one in merged] == [["a", "b"], ["a"]]
    assert [(one.message.code, one.message.count) for one in caught] == [("lacking-systems", 1)]


def test_one_mean_score_under_two_directions_is_refused_even_for_the_same_systems():
    up, down = (statistics_of(MeanScore("score", higher_is_better=higher), "a", "b") for higher in (True, False))
    sentence = (
        "The statistics of MeanScore in x have higher_is_better=True, but those in y have higher_is_better=False: "
        "give the direction with --direction score=up or score=down (in Python, with higher_is_better=True or False in "
        "MeanScore, or directions={'score': True or False} in load_statistics)."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as caught:
        merge_statistics(up, down, origins=["x", "y"])
    assert caught.value.code == "different-options"
