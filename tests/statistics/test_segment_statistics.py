import re
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics import Bleu, Length, MeanScore
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet, compute_statistics, describe_test_set

REFERENCES = ["the cat sat", "a dog barks loudly", "rain"]
HYPOTHESES = {
    "one": [["the cat", "a dog barks", "rain"], ["a cat sat", "dog", "it rains"]],
    "two": [["cat", "dog dog", ""]],
}


def outputs_frame(systems=HYPOTHESES, references=(REFERENCES,), **columns):
    rows = [
        {"segment": segment, "system": system, "run": run, "hypothesis": hypothesis}
        | {f"reference{f'_{n}' if n > 1 else ''}": texts[segment - 1] for n, texts in enumerate(references, start=1)}
        | {name: values[segment - 1] for name, values in columns.items()}
        for system, runs in systems.items()
        for run, hypotheses in enumerate(runs, start=1)
        for segment, hypothesis in enumerate(hypotheses, start=1)
    ]
    frame = pd.DataFrame(rows)
    return frame.astype({name: object for name in frame.columns if name.startswith("reference")})


def test_statistics_are_by_system_run_and_segment():
    statistics = compute_statistics(outputs_frame(), "length")
    assert list(statistics) == ["one", "two"]
    assert len(statistics) == 2
    assert "one" in statistics and "three" not in statistics
    assert statistics["one"].values.tolist() == [[[2, 3], [3, 4], [1, 1]], [[3, 3], [1, 4], [2, 1]]]
    assert statistics["two"].values.tolist() == [[[1, 3], [2, 4], [0, 1]]]
    assert statistics["one"].n_runs == 2
    assert statistics["two"].n_segments == 3
    scores = statistics.score()
    assert scores["one"].tolist() == [[600 / 8, 600 / 8]]
    assert scores["two"].tolist() == [[300 / 8]]


def test_one_score_for_each_weight_and_run():
    statistics = compute_statistics(outputs_frame(), Length())
    weights = np.array([[1, 1, 1], [0, 2, 1], [0, 0, 0]])
    assert statistics["one"].score(weights) == pytest.approx(
        np.array([[75, 75], [100 * 7 / 9, 100 * 4 / 9], [0, 0]]), rel=1e-12
    )
    assert statistics.score(weights)["two"].shape == (3, 1)
    sentence = "The weights have 2 columns, but 'one' has 3 segments: one column per segment was expected."
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        statistics["one"].score(np.ones((4, 2)))


@pytest.mark.parametrize("positions", [np.array([2, 0]), np.array([True, False, True]), [0, 2]])
def test_a_part_has_the_same_statistics(positions):
    statistics = compute_statistics(outputs_frame(document=["x", "x", "y"]), Bleu())
    part = statistics.take(np.asarray(positions))
    expected = np.arange(3)[np.asarray(positions)]
    for system in statistics:
        assert np.array_equal(part[system].values, statistics[system].values[:, expected])
        assert np.array_equal(statistics[system].take(np.asarray(positions)).values, part[system].values)
    assert part.test_set.segments.tolist() == (expected + 1).tolist()
    assert part.test_set.documents.tolist() == [["x", "x", "y"][position] for position in expected]
    assert len(part.test_set) == 2
    assert part.test_set.n_documents == 2
    assert part.signature == statistics.signature


def test_an_unknown_system_is_an_error_that_names_those_there_are():
    statistics = compute_statistics(outputs_frame(), Bleu())
    with pytest.raises(InputError, match="^There is no system 'three' among the statistics, which have 'one', 'two'.$"):
        statistics["three"]


def test_export_as_a_frame_has_one_row_a_system_run_and_segment(tmp_path):
    statistics = compute_statistics(outputs_frame(document=["x", "x", "y"]), Length())
    frame = statistics.to_frame()
    assert list(frame.columns) == ["system", "run", "segment", "document", "hypothesis_length", "reference_length"]
    assert len(frame) == 9
    row = frame.iloc[4]
    assert row.to_dict() == {
        **{"system": "one", "run": 2, "segment": 2, "document": "x"},
        **{"hypothesis_length": 1, "reference_length": 4},
    }
    frame.to_csv(tmp_path / "statistics.tsv", sep="\t", index=False)
    again = pd.read_csv(tmp_path / "statistics.tsv", sep="\t")
    sums = again.groupby(["system", "run"], sort=False)[list(Length.statistic_names)].sum()
    assert Length().score(sums.to_numpy()) == pytest.approx([75, 75, 300 / 8])


@pytest.mark.parametrize(
    ("further", "number"),
    [([], "1"), ([["x", "y", "z"]], "2"), ([["x", None, "z"]], "var"), ([["x", None, "z"], [None, "y", None]], "2")],
)
def test_signature_counts_the_references_of_each_segment(further, number):
    statistics = compute_statistics(outputs_frame(references=[REFERENCES, *further]), Length())
    assert statistics.signature == statistics["one"].signature == f"nrefs:{number}|ref:closest|tok:none"
    assert compute_statistics(outputs_frame(da=[1.0, 2.0, 3.0]), "mean:column=da").signature == "mean:da"


def test_normalized_text_is_told_in_the_signature_of_what_read_text():
    outputs = outputs_frame(da=[1.0, 2.0, 3.0], normalization=["nfc"] * 3)
    assert compute_statistics(outputs, Length()).signature == "nrefs:1|ref:closest|tok:none|unicode:nfc"
    assert compute_statistics(outputs, "mean:column=da").signature == "mean:da"


def test_a_signature_from_a_file_goes_before_the_metrics_own():
    statistics = replace(compute_statistics(outputs_frame(), Bleu()), metric_signature="tok:13a|version:1.0")
    assert statistics.signature == statistics.take([0])["one"].signature == "nrefs:1|tok:13a|version:1.0"


def test_other_references_have_another_fingerprint():
    def fingerprint(*references):
        return describe_test_set(outputs_frame({"it": [["a", "b", "c"]]}, references)).references

    different = [
        fingerprint(REFERENCES),
        fingerprint(REFERENCES[::-1]),
        fingerprint(REFERENCES, REFERENCES),
        fingerprint(["the cat sat", "", "rain"]),
        fingerprint(["the cat sat", None, "rain"]),
        fingerprint(["the cat sat", "-", "rain"]),
        fingerprint(["a", "bc", "d"]),
        fingerprint(["ab", "c", "d"]),
    ]
    assert len(set(different)) == len(different)
    assert fingerprint(REFERENCES) == different[0]


def test_test_sets_are_equal_where_all_they_know_is():
    test_set = describe_test_set(outputs_frame({"it": [["a", "b", "c"]]}, document=["x", "x", "y"]))
    same = describe_test_set(outputs_frame({"another": [["d", "e", "f"]]}, document=["x", "x", "y"]))
    assert test_set == same
    assert test_set != replace(same, documents=None)
    assert test_set != replace(same, documents=np.array(["x", "y", "y"], dtype=object))
    assert test_set != replace(same, references="other")
    assert test_set != replace(same, normalization="nfc")
    assert test_set != replace(same, segments=np.array([1, 2, 4]))
    assert test_set != "test set"
    assert replace(same, documents=None).n_documents is None


def test_columns_that_sort_segments_into_groups_travel_along():
    groups = {"domain": ["news", "talk", "news"], "testsuite": ["", "", ""], "speaker": ["eva", "eva", "tom"]}
    others = {"comment": ["a", "b", "c"], "topic": ["x", None, "x"], "year": [1, 1, 2], "da": [1.0, 1.0, 2.0]}
    outputs = outputs_frame(**groups, **others, da_direction=["up"] * 3, source=["u", "u", "v"], document=["d"] * 3)
    test_set = compute_statistics(outputs, "length").test_set
    assert {name: list(values) for name, values in test_set.columns.items()} == groups
    assert {name: list(values) for name, values in test_set.take(np.array([2, 0])).columns.items()} == {
        name: [values[2], values[0]] for name, values in groups.items()
    }
    assert test_set == test_set.take(np.arange(3))
    assert test_set != replace(test_set, columns={})
    assert test_set != replace(test_set, columns=test_set.columns | {"speaker": test_set.columns["domain"]})
    outputs.loc[4, "speaker"] = "tom"  # a column that depends on the run says nothing of the segment
    assert list(compute_statistics(outputs, "length").test_set.columns) == ["domain", "testsuite"]


def test_missing_scores_are_told_by_segment():
    outputs = outputs_frame({"it": [["a", "b", "c"]]}, score=[None, 0.0, 1.0])
    assert compute_statistics(outputs, MeanScore(higher_is_better=True))["it"].missing.tolist() == [True, False, False]
    assert compute_statistics(outputs, Bleu())["it"].missing.tolist() == [False, False, False]


def test_progress_is_told_of_every_run():
    seen = []

    def watch(runs):
        assert len(runs) == 3
        for run in runs:
            seen.append(run)
            yield run

    compute_statistics(outputs_frame(), "length", progress=watch)
    assert len(seen) == 3


def counted(monkeypatch, metric_class):
    """Have the calls of a metric counted; return the list of the hypotheses that it saw."""
    seen, compute = [], metric_class.segment_statistics

    def count(self, rows):
        seen.append(tuple(rows["hypothesis"]))
        return compute(self, rows)

    monkeypatch.setattr(metric_class, "segment_statistics", count)
    return seen


def test_identical_outputs_are_scored_once(monkeypatch):
    first, second = HYPOTHESES["one"]
    frame = outputs_frame({"a": [first, first, second], "b": [second], "c": [first[:2] + ["rain!"]]})
    apart = [compute_statistics(frame[frame["system"] == name], Bleu())[name].values for name in "abc"]
    seen = counted(monkeypatch, Bleu)
    found = compute_statistics(frame, Bleu())
    assert seen == [tuple(first), tuple(second), (*first[:2], "rain!")]
    for name, values in zip("abc", apart, strict=True):
        assert np.array_equal(found[name].values, values)
    assert found["b"].values is not found["a"].values
    runs = []
    compute_statistics(frame, Bleu(), progress=lambda all_runs: runs.extend(all_runs) or all_runs)
    assert len(runs) == 5


def test_scores_of_identical_outputs_are_their_own():
    """Identical texts may have been judged differently."""
    frame = outputs_frame({"a": [["x", "y", "z"]], "b": [["x", "y", "z"]]})
    frame["judged"] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    found = compute_statistics(frame, MeanScore("judged", higher_is_better=True))
    assert [found[name].score().item() for name in "ab"] == [2, 5]


@dataclass(frozen=True)
class NameLength(Length):
    """A metric of the user's own, which reads more than the texts."""

    def segment_statistics(self, outputs):
        return super().segment_statistics(outputs) * outputs["system"].str.len().to_numpy()[:, None]


def test_a_metric_of_the_users_own_sees_every_run():
    found = compute_statistics(outputs_frame({"a": [["x", "y", "z"]], "bb": [["x", "y", "z"]]}), NameLength())
    assert np.array_equal(found["bb"].values, 2 * found["a"].values)


def test_a_frame_that_is_no_outputs_frame_is_refused():
    outputs = outputs_frame()
    with pytest.raises(InputError) as caught:
        compute_statistics(outputs.drop(index=4), "bleu")
    assert caught.value.code == "incomplete-system"
    with pytest.raises(InputError) as caught:
        compute_statistics(outputs.drop(columns="system"), "bleu")
    assert caught.value.code == "columns"
    with pytest.raises(InputError) as caught:
        compute_statistics(outputs.iloc[:0], "bleu")
    assert caught.value.code == "no-segments"


def test_an_unknown_metric_is_refused():
    with pytest.raises(InputError) as caught:
        compute_statistics(outputs_frame(), "rouge")
    assert caught.value.code == "unknown-metric"


@dataclass(frozen=True)
class Constant:
    """A metric of the user's own."""

    value: float = 1.0
    n_columns: int = 1

    name: ClassVar[str] = "constant"
    statistic_names: ClassVar[tuple[str, ...]] = ("value",)
    higher_is_better: ClassVar[bool] = True
    signature: ClassVar[str] = "constant"
    may_be_missing: ClassVar[bool] = False

    def segment_statistics(self, outputs):
        return np.full((len(outputs), self.n_columns), self.value)

    def score(self, totals):
        return np.asarray(totals)[..., 0]

    def segment_score(self, statistics):
        return self.score(statistics)


def test_a_metric_of_the_users_own():
    assert compute_statistics(outputs_frame(), Constant(2.0)).score()["one"].tolist() == [[6, 6]]
    sentence = (
        "The metric constant returned statistics of shape (3, 2), but finite numbers of shape (3, 1) were expected: "
        "one row per segment, one column per statistic name."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        compute_statistics(outputs_frame(), Constant(n_columns=2))
    with pytest.raises(InputError, match="finite numbers"):
        compute_statistics(outputs_frame(), Constant(np.nan))


def test_statistics_are_equal_by_value():
    def compute(systems=HYPOTHESES, references=(REFERENCES,), metric="length", **columns):
        return compute_statistics(outputs_frame(systems, references, **columns), metric)

    statistics = compute()
    assert statistics == statistics and statistics == compute()
    one, two = HYPOTHESES["one"], HYPOTHESES["two"]
    others = {
        "order of systems": compute({"two": two, "one": one}),
        "name": compute({"one": one, "2": two}),
        "fewer systems": compute({"one": one}),
        "more systems": compute(HYPOTHESES | {"three": two}),
        "fewer runs": compute({"one": one[:1], "two": two}),
        "order of runs": compute({"one": one[::-1], "two": two}),
        "one text": compute({"one": one, "two": [["cat", "dog dog", "no rain"]]}),
        "references": compute(references=(["the mat sat", *REFERENCES[1:]],)),
        "documents": compute(document=["x", "x", "y"]),
        "part": statistics.take([0, 1]),
        "metric": compute(metric="gtm"),
        "options": compute(metric=Bleu()),
        "signature": replace(statistics, metric_signature="as another version made them"),
    }
    for difference, other in others.items():
        assert statistics != other and other != statistics, difference
    assert others["options"] != compute(metric=Bleu(tokenize="none"))
    assert replace(statistics, metric_signature=Length().signature) == statistics
    assert statistics != statistics.values and statistics != dict(statistics) and statistics is not None
    with pytest.raises(TypeError, match="unhashable"):
        hash(statistics)


def test_statistics_without_systems_are_equal_by_metric_and_test_set():
    none = replace(compute_statistics(outputs_frame(), "length"), values={})
    assert none == replace(none)
    assert none != replace(none, metric=Bleu()) and none != none.take([0])


def test_a_system_is_equal_by_value_and_can_be_a_key():
    statistics, again = (compute_statistics(outputs_frame(), "length") for _ in range(2))
    assert statistics["one"] == statistics["one"] == again["one"]
    assert hash(statistics["one"]) == hash(again["one"])
    changed = replace(again["one"], values=again["one"].values[::-1])  # the other order of runs
    assert hash(changed) == hash(again["one"]) and changed != again["one"]
    assert len({statistics["one"], again["one"], changed, statistics["two"]}) == 3
    assert statistics["two"] != replace(statistics["two"], system="one")
    assert statistics["two"] != replace(statistics["two"], metric=Bleu())
    assert statistics["two"] != replace(statistics["two"], metric_signature="another")
    assert statistics["two"] != replace(statistics["two"], test_set=replace(again.test_set, references="others"))
    assert statistics["one"] != "one"


def test_representation_names_systems_runs_segments_and_documents():
    statistics = compute_statistics(outputs_frame(), Length())
    size = "3 segments, documents unknown"
    assert repr(statistics) == f"SegmentStatistics(Length of 2 systems: 'one' (2 runs), 'two'; {size})"
    assert repr(statistics["one"]) == f"SystemStatistics(Length of 'one' (2 runs); {size})"
    assert repr(statistics["two"]) == f"SystemStatistics(Length of 'two'; {size})"
    of_documents = compute_statistics(
        outputs_frame({"one": HYPOTHESES["one"]}, document=["x", "x", "y"]), "chrf:word_order=2"
    )
    assert repr(of_documents) == "SegmentStatistics(chrF++ of 1 system: 'one' (2 runs); 3 segments in 2 documents)"
    assert repr(of_documents.take([0])).endswith("; 1 segment in 1 document)")


@pytest.mark.parametrize(
    ("runs", "systems"),
    [
        ([3, 1, 1], "3 systems: '1' (3 runs), '2', '3'"),
        ([1, 1], "2 systems: '1', '2'"),
        ([3, 3, 3], "3 systems, 3 runs of each: '1', '2', '3'"),
        ([1] * 6, "6 systems: '1', '2', '3', '4', '5', '6'"),
        ([1] * 7, "7 systems: '1', '2', '3', '4', '5', and 2 more"),
        ([5] * 16, "16 systems, 5 runs of each: '1', '2', '3', '4', '5', and 11 more"),
        ([2, *[1] * 15], "16 systems: '1' (2 runs), '2', '3', '4', '5', and 11 more"),
        ([], "0 systems"),
    ],
)
def test_representation_is_short_for_many_systems_and_runs(runs, systems):
    values = {str(number): np.ones((count, 1012, 2)) for number, count in enumerate(runs, start=1)}
    statistics = SegmentStatistics(Length(), values, TestSet(np.arange(1, 1013), None, "made up", 1))
    assert repr(statistics) == f"SegmentStatistics(Length of {systems}; 1,012 segments, documents unknown)"


def test_a_list_of_metrics_makes_a_list_of_statistics():
    metrics = ["length", Bleu(tokenize="none"), "length"]
    several = compute_statistics(outputs_frame(), metrics)
    assert several == [compute_statistics(outputs_frame(), one) for one in metrics]
    assert compute_statistics(outputs_frame(), ("length",)) == several[:1]
    assert isinstance(compute_statistics(outputs_frame(), "length"), SegmentStatistics)


def test_a_mean_without_a_direction_is_warned_of_where_the_list_was_given():
    frame = outputs_frame().assign(rating=1.0)
    for metric in ("mean:column=rating", ["mean:column=rating"]):
        with pytest.warns(DataWarning) as warned:
            compute_statistics(frame, metric)
        assert [(one.message.code, one.filename) for one in warned] == [("unknown-direction", __file__)]


@pytest.mark.parametrize(
    ("metric", "sentence"),
    [
        (None, "None was given for a metric, but a name such as 'bleu' or a metric such as Bleu\\(\\) was expected: "),
        (
            Bleu,
            "The class Bleu was given for a metric, .* expected: write Bleu\\(\\) for a metric with the usual options.",
        ),
        (["bleu", 3], "An object of type int was given for a metric, .*: the known names are bleu, chrf, "),
        ([], "The list of metrics is empty, but at least one metric was expected."),
    ],
)
def test_what_is_no_metric_is_refused(metric, sentence):
    with pytest.raises(InputError, match=f"^{sentence}") as refused:
        compute_statistics(outputs_frame(), metric)
    assert refused.value.code == "not-a-metric"
