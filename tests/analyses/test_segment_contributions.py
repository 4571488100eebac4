"""Segments with contributions and texts: on the shipped samples, whose numbers are known."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest

from mtworkbench import find_shipped, make_outputs, read_outputs
from mtworkbench.analyses import bucket_segments, segment_contributions
from mtworkbench.analyses.segments.contributions import _choose_segments, match_outputs
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import median_run
from mtworkbench.metrics import Bleu, MeanScore, Ter
from mtworkbench.statistics.segment_statistics import compute_statistics
from mtworkbench.words.segments import describe_contributions

BASE, TINY = "bergamot-base", "bergamot-tiny"
TEXTS = ["reference", "hypothesis", "hypothesis_baseline"]
LENGTHS = ["length", "length_baseline", "length_reference"]


@pytest.fixture(scope="module")
def flores():
    folder = find_shipped("data/flores")
    files = {name: folder / f"{name}.txt" for name in (BASE, TINY)}
    return read_outputs(folder / "reference.txt", files, accept="invisible-chars")


@pytest.fixture(scope="module")
def flores_bleu(flores):
    return compute_statistics(flores, "bleu")


@pytest.fixture(scope="module")
def sample():
    folder = find_shipped("data/sample")
    files = {name: [folder / f"{name}.run{run}.txt" for run in (1, 2, 3)] for name in ("retrained", "baseline")}
    return read_outputs(folder / "reference.txt", files, documents=folder / "documents.txt")


@pytest.fixture(scope="module")
def sample_bleu(sample):
    return compute_statistics(sample, "bleu")


def test_a_row_for_each_segment_of_flores(flores, flores_bleu):
    frame = segment_contributions(flores, flores_bleu, BASE, TINY)
    assert list(frame.columns) == ["segment", "contribution", "change", *LENGTHS, *TEXTS]
    assert frame["segment"].tolist() == list(range(1, 1013))
    scores = flores_bleu.score()
    difference = scores[BASE][0, 0] - scores[TINY][0, 0]
    assert frame["contribution"].sum() == pytest.approx(difference, abs=1e-6)
    own = [flores_bleu.metric.segment_score(flores_bleu.values[name][0]) for name in (BASE, TINY)]
    np.testing.assert_array_equal(frame["change"], own[0] - own[1])
    assert frame["length"].tolist() == flores_bleu.values[BASE][0, :, 0].tolist()
    assert frame["length_baseline"].tolist() == flores_bleu.values[TINY][0, :, 0].tolist()
    assert frame["length_reference"].tolist() == flores_bleu.values[TINY][0, :, 1].tolist()
    folder = find_shipped("data/flores")
    for column, name in zip(TEXTS, ("reference", BASE, TINY), strict=True):
        assert frame[column].tolist() == (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def test_segments_with_the_same_text_contribute_nothing(flores, flores_bleu):
    frame = segment_contributions(flores, flores_bleu, BASE, TINY)
    same = frame["hypothesis"] == frame["hypothesis_baseline"]
    assert 100 < same.sum() < 500
    assert (frame.loc[same, ["contribution", "change"]] == 0).all(axis=None)


def test_swapped_systems_negate(flores, flores_bleu):
    one = segment_contributions(flores, flores_bleu, BASE, TINY)
    other = segment_contributions(flores, flores_bleu, TINY, BASE)
    np.testing.assert_allclose(other["contribution"], -one["contribution"], rtol=1e-6, atol=1e-10)
    assert other["hypothesis"].tolist() == one["hypothesis_baseline"].tolist()


def test_runs_are_averaged(sample, sample_bleu):
    frame = segment_contributions(sample, sample_bleu, "retrained", "baseline")
    assert frame.columns[:4].tolist() == ["segment", "document", "contribution", "change"]
    scores = {name: one[0] for name, one in sample_bleu.score().items()}
    difference = scores["retrained"].mean() - scores["baseline"].mean()
    assert frame["contribution"].sum() == pytest.approx(difference, abs=1e-6)
    of_runs = [
        segment_contributions(None, sample_bleu, "retrained", "baseline", runs=(a, b))
        for a in (1, 2, 3)
        for b in (1, 2, 3)
    ]
    for column in ("contribution", "change"):
        means = np.mean([one[column] for one in of_runs], axis=0)
        np.testing.assert_allclose(frame[column], means, rtol=1e-6, atol=1e-9)


def test_texts_are_those_of_each_systems_median_run(sample):
    statistics = compute_statistics(sample, "chrf")
    frame = segment_contributions(sample, statistics, "retrained", "baseline")
    medians = {name: median_run(one[0]) for name, one in statistics.score().items()}
    assert medians == {"retrained": 1, "baseline": 3}
    for column, name in (("hypothesis", "retrained"), ("hypothesis_baseline", "baseline")):
        rows = sample[(sample["system"] == name) & (sample["run"] == medians[name])]
        assert frame[column].tolist() == rows["hypothesis"].tolist()


@pytest.mark.parametrize("metric", ["bleu", "chrf", "nist"])
def test_eleven_references(shared, metric):
    names = ("bergamot-base-memory", "bergamot-tiny")
    folder = shared / "realdata" / "multiref11-wmt14-en-de"
    files = {name: folder / "sys" / f"{name}.de" for name in names}
    references = [folder / "refs" / f"ref.R{number}.de" for number in range(1, 11)]
    accept = ["trailing-blank", "invisible-chars", "same-references"]
    outputs = read_outputs([folder / "refs" / "ref.T.de", *references], files, accept=accept)
    statistics = compute_statistics(outputs, metric)
    frame = segment_contributions(outputs, statistics, *names)
    difference = statistics.score()[names[0]][0, 0] - statistics.score()[names[1]][0, 0]
    assert frame["contribution"].sum() == pytest.approx(difference, abs=1e-6)
    assert frame["reference_11"].tolist() == outputs["reference_11"].iloc[:500].tolist()
    words = bucket_segments(outputs, statistics, *names, by="frequency", rng=1)
    assert (words["recall"] < 100).all() and (words["words"] > 1000).all()


def test_one_run_of_each(sample, sample_bleu):
    frame = segment_contributions(sample, sample_bleu, "retrained", "baseline", runs=(3, 1))
    scores = sample_bleu.score()
    difference = scores["retrained"][0, 2] - scores["baseline"][0, 0]
    assert frame["contribution"].sum() == pytest.approx(difference, abs=1e-6)
    rows = sample[(sample["system"] == "retrained") & (sample["run"] == 3)]
    assert frame["hypothesis"].tolist() == rows["hypothesis"].tolist()
    rows = sample[(sample["system"] == "baseline") & (sample["run"] == 1)]
    assert frame["hypothesis_baseline"].tolist() == rows["hypothesis"].tolist()


def test_documents(sample, sample_bleu):
    by_segment = segment_contributions(sample, sample_bleu, "retrained", "baseline")
    frame = segment_contributions(sample, sample_bleu, "retrained", "baseline", unit="document")
    assert frame.columns.tolist() == ["document", "segments", "contribution", "change", *LENGTHS]
    sums = by_segment.groupby("document", sort=False)[["contribution", *LENGTHS]].sum().reset_index()
    assert frame["document"].tolist() == sums["document"].tolist()
    assert frame["segments"].tolist() == by_segment.groupby("document", sort=False).size().tolist()
    np.testing.assert_allclose(frame["contribution"], sums["contribution"], atol=1e-9)
    for name in LENGTHS:
        assert frame[name].tolist() == sums[name].tolist()
    third = sample_bleu.take(by_segment["document"] == frame["document"][2]).score()
    assert frame["change"][2] == pytest.approx(third["retrained"].mean() - third["baseline"].mean())


def test_a_further_column_travels_along_and_can_be_the_unit(flores):
    domains = [("news", "talks")[number % 3 == 0] for number in range(1012)]
    outputs = flores.assign(domain=domains * 2)
    statistics = compute_statistics(outputs, "chrf")
    by_segment = segment_contributions(None, statistics, BASE, TINY)
    assert by_segment.columns.tolist() == ["segment", "domain", "contribution", "change"]
    frame = segment_contributions(outputs, statistics, BASE, TINY, unit="domain")
    assert frame[["domain", "segments"]].to_numpy().tolist() == [["talks", 338], ["news", 674]]
    sums = by_segment.groupby("domain")["contribution"].sum()
    np.testing.assert_allclose(frame["contribution"], sums[["talks", "news"]], atol=1e-9)


def test_several_references_and_sources():
    references = [["the cat sat", "a dog ran"], ["the cat was sitting there", None]]
    outputs = make_outputs(
        references, {"a": ["the cat sat", "a dog ran off"], "b": ["cat", "a dog"]}, source=["die Katze", "ein Hund"]
    )
    statistics = compute_statistics(outputs, Bleu("none", max_ngram_order=1))
    frame = segment_contributions(outputs, statistics, "a", "b")
    expected = [*LENGTHS, "source", "reference", "reference_2", "hypothesis", "hypothesis_baseline"]
    assert frame.columns[3:].tolist() == expected
    assert frame["length_reference"].tolist() == [3, 3]
    assert frame["reference_2"].tolist() == ["the cat was sitting there", None]
    assert frame["source"].tolist() == ["die Katze", "ein Hund"]


@pytest.mark.long
def test_words_are_those_of_the_metric():
    outputs = make_outputs(["Ja, das ist gut."], {"a": ["Ja, das ist gutes."], "b": ["Ja, das ist ."]})
    lengths = {}
    for metric in ("bleu", "nist", "gtm", "ter", "length"):
        frame = segment_contributions(outputs, compute_statistics(outputs, metric), "a", "b")
        lengths[metric] = frame[LENGTHS].iloc[0].tolist()
    assert lengths == {
        **dict.fromkeys(("bleu", "nist"), [6, 5, 6]),
        **dict.fromkeys(("gtm", "ter", "length"), [4, 4, 4]),
    }


def rated(a, b):
    outputs = make_outputs(["x", "y", "w"], {"a": ["x", "y", "z"], "b": ["x", "y", "q"]})
    return outputs.assign(comet=[*a, *b])


def test_segments_without_scores_are_rows_without_contributions():
    outputs = rated([0.5, np.nan, 0.75], [0.25, 0.5, 0.5])
    statistics = compute_statistics(outputs, "comet")
    with pytest.warns(DataWarning, match="1 of 3 segments have no comet in 'a' or 'b'"):
        frame = segment_contributions(outputs, statistics, "a", "b")
    np.testing.assert_allclose(frame["contribution"], [0.125, np.nan, 0.125], rtol=1e-8)
    np.testing.assert_allclose(frame["change"], [0.25, np.nan, 0.25])
    assert frame["hypothesis"].tolist() == ["x", "y", "z"]
    sentence = describe_contributions(frame, statistics, "a", "b")
    assert sentence == (
        "By comet, a - b is +0.25: of 2 segments, 2 favour a (together +0.25), 0 favour b (together 0.00) and 0 make "
        "no difference. 1 segment is left out, because one of the systems has no score there. The comet of single "
        "segments adds up: its mean change equals the difference."
    )


def test_judgements_without_texts():
    outputs = rated([0.5, 1.0, 0.75], [0.25, 0.5, 0.5]).drop(columns=["hypothesis", "reference"])
    statistics = compute_statistics(outputs, "comet")
    frame = segment_contributions(outputs, statistics, "a", "b")
    assert frame.columns.tolist() == ["segment", "contribution", "change"]


def test_outputs_in_another_order_are_brought_into_that_of_the_statistics(flores, flores_bleu):
    runs = [flores[flores["system"] == name].iloc[::-1].assign(segment=range(1, 1013)) for name in (BASE, TINY)]
    turned = pd.concat(runs, ignore_index=True)
    frame = segment_contributions(turned, flores_bleu, BASE, TINY)
    pd.testing.assert_frame_equal(frame, segment_contributions(flores, flores_bleu, BASE, TINY))


def test_a_jump_is_warned_of():
    outputs = make_outputs(
        ["a b c d e f", "g h i j k l"], {"a": ["a b c d e f", "g h i j"], "b": ["a b c x", "g h i x"]}
    )
    statistics = compute_statistics(outputs, "bleu")
    with pytest.warns(DataWarning, match="cannot be assigned to segments, because the score jumps") as caught:
        frame = segment_contributions(outputs, statistics, "a", "b")
    assert [(one.message.code, one.filename) for one in caught] == [("remainder", __file__)]
    assert "cannot be assigned" in describe_contributions(frame, statistics, "a", "b")
    difference = statistics.score()["a"][0, 0] - statistics.score()["b"][0, 0]
    remainder = difference - frame["contribution"].sum()
    assert remainder < -1
    # No sentence hangs on `frame.attrs`, which pandas may lose.
    again = pd.DataFrame(frame.to_dict("list"))
    assert f"{remainder:+.2f} of the difference cannot be assigned to" in describe_contributions(
        again, statistics, "a", "b"
    )


@dataclass(frozen=True)
class Jumping:
    """A metric of another package: words of output and reference in common, rounded to tens, at whatever scale."""

    scale: float = 1.0
    step: float = 1.0

    name = "Jumping"
    statistic_names = ("matches",)
    higher_is_better = True
    signature = "x"
    may_be_missing = False

    def segment_statistics(self, outputs):
        pairs = zip(outputs["hypothesis"], outputs["reference"], strict=True)
        return np.array([[len({*one.split()} & {*other.split()})] for one, other in pairs])

    def score(self, totals):
        matches = np.asarray(totals, dtype=np.float64)[..., 0]
        return self.scale * (1 + np.sqrt(matches)) + self.step * (matches >= 1)

    def segment_score(self, statistics):
        return self.score(statistics)


def test_a_remainder_is_judged_by_the_size_of_the_score():
    outputs = make_outputs(["a b c d e", "f g h"], {"a": ["a b c d", "f"], "b": ["x", "y"]})
    small = compute_statistics(outputs, Jumping(1e9, 1.0))  # the jump is 1e-9 of the score
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = segment_contributions(outputs, small, "a", "b")
    assert "cannot be assigned" not in describe_contributions(frame, small, "a", "b")
    large = compute_statistics(outputs, Jumping(1.0, 0.004))
    with pytest.warns(DataWarning, match="remainder of 0.004"):
        frame = segment_contributions(outputs, large, "a", "b")
    assert "+0.0040 of the difference cannot be assigned to segments" in describe_contributions(frame, large, "a", "b")


def test_where_a_remainder_is_said_nothing_adds_up():
    outputs = make_outputs(["a b c d e f"], {"a": ["a b c d e"], "b": ["x y"]})
    statistics = compute_statistics(outputs, Jumping())
    with pytest.warns(DataWarning, match="remainder"):
        frame = segment_contributions(outputs, statistics, "a", "b")
    sentence = describe_contributions(frame, statistics, "a", "b")
    assert "cannot be assigned" in sentence and "adds up" not in sentence


def test_small_differences_keep_their_digits():
    outputs = rated([2e-8, 1e-8, 0.0], [0.0, 0.0, 0.0])
    statistics = compute_statistics(outputs, "comet")
    frame = segment_contributions(outputs, statistics, "a", "b")
    assert describe_contributions(frame, statistics, "a", "b").startswith(
        "By comet, a - b is +0.000000010: of 3 segments, 2 favour a (together +0.000000010), "
    )


def test_a_system_is_not_compared_with_itself(sample, sample_bleu):
    frame = segment_contributions(sample, sample_bleu, "baseline", "baseline")
    assert describe_contributions(frame, sample_bleu, "baseline", "baseline") == (
        "By BLEU, baseline is compared with itself: no segment makes a difference."
    )


def test_the_sentence_is_of_the_runs_that_were_compared(sample, sample_bleu):
    pair = ("retrained", "baseline")
    frame = segment_contributions(sample, sample_bleu, *pair, runs=np.array([3, 1]))
    pd.testing.assert_frame_equal(frame, segment_contributions(sample, sample_bleu, *pair, runs=(3, 1)))
    scores = sample_bleu.score()
    sentence = describe_contributions(frame, sample_bleu, *pair, runs=(3, 1))
    difference = scores["retrained"][0, 2] - scores["baseline"][0, 0]
    assert sentence.startswith(f"By BLEU, retrained - baseline is {difference:+.2f}: ") and "remainder" not in sentence


def test_texts_are_those_of_the_median_run_of_all_that_a_system_has_scores_for():
    """Whichever segments the other system has scores for: here b's median run of the common ones is another."""
    texts = {"a": ["x", "y", "z"], "b": [["run 1"] * 3, ["run 2"] * 3, ["run 3"] * 3]}
    outputs = make_outputs(["u", "v", "w"], texts)
    scores = [[0.5, 0.5, np.nan], [0.1, 0.1, 0.5], [0.3, 0.3, 0.9], [0.2, 0.2, 0.1]]
    outputs = outputs.assign(comet=np.concatenate(scores))
    statistics = compute_statistics(outputs, "comet")
    assert median_run(statistics["b"].score()[0]) == 1
    assert median_run(statistics["b"].take(np.array([0, 1])).score()[0]) == 3
    with pytest.warns(DataWarning, match="1 of 3 segments have no comet"):
        frame = segment_contributions(outputs, statistics, "a", "b")
    assert frame["hypothesis_baseline"].tolist() == ["run 1"] * 3


def test_blocks_are_named_by_their_segments(sample, sample_bleu):
    frame = segment_contributions(sample, sample_bleu, "retrained", "baseline", unit="block of 7")
    assert frame["block of 7"].head(2).tolist() == ["1-7", "8-14"]
    assert frame["block of 7"].iloc[-1].endswith(f"-{sample_bleu.test_set.segments[-1]}")
    sentence = describe_contributions(frame, sample_bleu, "retrained", "baseline")
    assert "The BLEU of single blocks of 7 does not add up" in sentence


def swapped(outputs):
    return outputs.replace({"system": {BASE: TINY, TINY: BASE}})


def rotated(outputs):
    runs = [outputs[outputs["system"] == name] for name in (BASE, TINY)]
    return pd.concat([one.assign(hypothesis=np.roll(one["hypothesis"], 1)) for one in runs], ignore_index=True)


@pytest.mark.parametrize(
    "metric", ["bleu", "chrf", "ter", "nist", "gtm", "length", MeanScore("rating", higher_is_better=True)]
)
@pytest.mark.parametrize("change", [swapped, rotated])
@pytest.mark.long
def test_outputs_with_the_texts_of_others_are_refused(flores, metric, change):
    outputs = flores[flores["segment"] <= 150].reset_index(drop=True)
    outputs["rating"] = np.random.default_rng(1).random(len(outputs)).round(3)
    statistics = compute_statistics(outputs, metric)
    segment_contributions(outputs, statistics, BASE, TINY)
    others = change(outputs)
    if change is rotated and isinstance(metric, MeanScore):
        others["rating"] = np.roll(others["rating"], 1)
    for call in (
        lambda: segment_contributions(others, statistics, BASE, TINY),
        lambda: bucket_segments(others, statistics, BASE, TINY, "length", rng=1),
        lambda: bucket_segments(others, statistics, BASE, TINY, "frequency", rng=1),
        lambda: match_outputs(others, statistics, (BASE, TINY)),
    ):
        with pytest.raises(InputError, match="^Segment [0-9]+ of run 1 of 'bergamot-base' has ") as refused:
            call()
        assert refused.value.code == "other-outputs"


def test_one_changed_line_is_found_and_another_program_may_differ_in_a_few(flores):
    statistics = compute_statistics(flores, "chrf")
    others = flores.copy()
    others.loc[1012 + 699, "hypothesis"] += "!"
    with pytest.raises(InputError, match="Segment 700 of run 1 of 'bergamot-tiny' has hypothesis_characters_1 "):
        segment_contributions(others, statistics, BASE, TINY)
    elsewhere = replace(statistics, metric_signature="chrf|computed:elsewhere")
    assert len(segment_contributions(others, elsewhere, BASE, TINY)) == 1012
    with pytest.raises(InputError, match="give the outputs that the statistics were computed from"):
        segment_contributions(swapped(flores), elsewhere, BASE, TINY)


def test_ter_is_computed_again_on_a_sample_and_never_on_very_long_texts(flores):
    rows = flores[flores["system"] == BASE].reset_index(drop=True)
    places = _choose_segments(Ter(), rows, None)
    assert len(places) == 100 and places[0] == 0 and places[-1] == 1011
    assert len(_choose_segments(Bleu(), rows, None)) == 1012
    long = rows.assign(hypothesis="a " * 3000, reference="b " * 3000)
    assert len(_choose_segments(Ter(), long, None)) == 0


REFUSED = {
    "others-references": (
        lambda outputs: outputs.assign(reference=outputs["reference"].str.upper()),
        "different-references",
        "the statistics and the outputs have different references",
    ),
    "fewer": (
        lambda outputs: outputs[outputs["segment"] <= 1000],
        "different-references",
        "the statistics and the outputs have different references",
    ),
    "other-texts": (
        lambda outputs: outputs.assign(hypothesis=[f"{text} indeed" for text in outputs["hypothesis"]]),
        "other-outputs",
        "of run 1 of 'bergamot-base' has hypothesis_length 20 in the outputs, but 19 in the statistics of BLEU: give",
    ),
    "other-systems": (
        lambda outputs: outputs.replace({"system": {TINY: "small"}}),
        "unknown-system",
        "The outputs have no system 'bergamot-tiny'",
    ),
    "more-runs": (
        lambda outputs: pd.concat(
            [outputs.iloc[:1012], outputs.iloc[:1012].assign(run=2), outputs.iloc[1012:]], ignore_index=True
        ),
        "other-outputs",
        "The outputs have 2 runs of 'bergamot-base', but the statistics have 1",
    ),
    "no-frame": (lambda outputs: outputs["hypothesis"], "not-a-frame", "a DataFrame was expected"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_outputs_of_something_else_are_refused(flores, flores_bleu, case):
    change, code, sentence = REFUSED[case]
    with pytest.raises(InputError, match=sentence) as refused:
        segment_contributions(change(flores), flores_bleu, BASE, TINY)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ({"runs": (1, 4)}, "unknown-run", "'baseline' has no run 4: its runs are counted from 1 to 3."),
        ({"runs": (0, 1)}, "unknown-run", "'retrained' has no run 0: its runs are counted from 1 to 3."),
        ({"runs": (True, 1)}, "unknown-run", "'retrained' has no run True"),
        ({"runs": 2}, "unknown-run", "runs is 2, but a run of 'retrained' and one of 'baseline' were expected."),
        ({"unit": "chapter"}, "unknown-column", "unit is 'chapter', but"),
    ],
)
def test_bad_arguments_are_refused(sample_bleu, arguments, code, sentence):
    with pytest.raises(InputError) as refused:
        segment_contributions(None, sample_bleu, "retrained", "baseline", **arguments)
    assert refused.value.code == code and sentence in str(refused.value)


def test_what_is_no_statistics_is_refused(sample_bleu):
    with pytest.raises(InputError, match="An object of type list was given") as refused:
        segment_contributions(None, [sample_bleu], "retrained", "baseline")
    assert refused.value.code == "no-statistics"
    with pytest.raises(InputError, match="There is no system 'other'"):
        segment_contributions(None, sample_bleu, "other", "baseline")


def test_the_sentence_counts_segments_and_says_that_sentence_bleu_does_not_add_up(flores, flores_bleu):
    frame = segment_contributions(flores, flores_bleu, BASE, TINY)
    up, down = frame["contribution"] > 0, frame["contribution"] < 0
    sums = [frame.loc[which, "contribution"].sum() for which in (up, down)]
    assert describe_contributions(frame, flores_bleu, BASE, TINY) == (
        f"By BLEU, {BASE} - {TINY} is +3.02: of 1,012 segments, {up.sum()} favour {BASE} (together {sums[0]:+.2f}), "
        f"{down.sum()} favour {TINY} (together {sums[1]:+.2f}) and {1012 - up.sum() - down.sum()} make no difference. "
        f"Sentence-level BLEU does not add up to the difference: it changes by {frame['change'].mean():+.2f} on "
        "average, while the difference on these segments together is +3.02."
    )


def test_where_lower_is_better_lower_contributions_favour_a(flores):
    outputs = flores[flores["segment"] <= 50].reset_index(drop=True)
    statistics = compute_statistics(outputs, "ter")
    frame = segment_contributions(None, statistics, BASE, TINY)
    down, up = (frame["contribution"] < 0).sum(), (frame["contribution"] > 0).sum()
    sentence = describe_contributions(frame, statistics, BASE, TINY)
    assert f"of 50 segments, {down} favour {BASE} (together -" in sentence
    assert f"{up} favour {TINY} (together +" in sentence


def test_without_a_direction_segments_raise_and_lower(sample):
    statistics = compute_statistics(sample, "length")
    frame = segment_contributions(None, statistics, "retrained", "baseline", unit="document")
    sentence = describe_contributions(frame, statistics, "retrained", "baseline")
    assert " raise it (together +" in sentence and " lower it (together -" in sentence
    assert "The Length of single documents does not add up" in sentence
