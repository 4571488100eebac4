"""Buckets of segments and of words: against the same numbers computed segment by segment, and word by word."""

import warnings
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from mtworkbench import find_shipped, make_outputs, paired_bootstrap, read_outputs
from mtworkbench.analyses import bucket_segments
from mtworkbench.analyses.segments import segment_contributions
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics import Bleu
from mtworkbench.metrics.words import word_splitter
from mtworkbench.statistics.segment_statistics import compute_statistics
from mtworkbench.words.segments import describe_buckets

BASE, TINY = "bergamot-base", "bergamot-tiny"
DRAWN = ["level", "low", "high", "unit", "n_units", "method"]


@pytest.fixture(scope="module")
def flores():
    folder = find_shipped("data/flores")
    files = {name: folder / f"{name}.txt" for name in (BASE, TINY)}
    return read_outputs(folder / "reference.txt", files, accept="invisible-chars")


@pytest.fixture(scope="module")
def bleu(flores):
    return compute_statistics(flores, "bleu")


@pytest.fixture(scope="module")
def sample():
    folder = find_shipped("data/sample")
    files = {name: [folder / f"{name}.run{run}.txt" for run in (1, 2, 3)] for name in ("retrained", "baseline")}
    return read_outputs(folder / "reference.txt", files, documents=folder / "documents.txt")


def test_lengths(flores, bleu):
    frame = bucket_segments(flores, bleu, BASE, TINY, by="length", rng=1)
    assert frame.columns.tolist() == ["bucket", "segments", "difference", *DRAWN, "contribution"]
    lengths = bleu.values[BASE][0, :, 1]
    ranges = {"1-9": (1, 9), "10-19": (10, 19), "20-29": (20, 29), "30-39": (30, 39), "40-49": (40, 49)}
    ranges |= {"50-59": (50, 59), "60+": (60, 10**6)}
    assert frame["bucket"].tolist() == list(ranges)
    contributions = segment_contributions(None, bleu, BASE, TINY)["contribution"]
    for row in frame.itertuples():
        own = (lengths >= ranges[row.bucket][0]) & (lengths <= ranges[row.bucket][1])
        assert row.segments == own.sum()
        scores = bleu.take(own).score()
        assert row.difference == pytest.approx(scores[BASE][0, 0] - scores[TINY][0, 0], abs=1e-12)
        assert row.contribution == pytest.approx(contributions[own].sum(), abs=1e-12)
    scores = bleu.score()
    assert frame["contribution"].sum() == pytest.approx(scores[BASE][0, 0] - scores[TINY][0, 0], abs=1e-6)
    assert frame["segments"].sum() == 1012


def test_intervals_are_those_of_the_paired_bootstrap_within_the_bucket(flores, bleu):
    frame = bucket_segments(flores, bleu, BASE, TINY, n_resamples=500, level=0.9, rng=7).set_index("bucket")
    own = (bleu.values[BASE][0, :, 1] >= 30) & (bleu.values[BASE][0, :, 1] <= 39)
    drawn = paired_bootstrap(bleu[BASE].take(own), bleu[TINY].take(own), n_resamples=500, level=0.9, rng=7)
    row = frame.loc["30-39"]
    assert (row["low"], row["high"]) == (drawn.low, drawn.high)
    assert (row["unit"], row["n_units"], row["method"]) == ("segment", own.sum(), "percentile")
    # Few segments: the jackknife, and none below 10.
    assert frame.loc["40-49", "method"] == "jackknife" and frame.loc["40-49", "low"] < frame.loc["40-49", "high"]
    small = frame[frame["segments"] < 10]
    assert len(small) == 3 and small[["low", "high"]].isna().all(axis=None) and small["method"].isna().all()
    assert frame.attrs == {"level": 0.9, "rng": 7}


def test_the_same_seed_gives_the_same_frame_whatever_it_was_drawn_from(flores, bleu):
    one = bucket_segments(flores, bleu, BASE, TINY)
    pd.testing.assert_frame_equal(one, bucket_segments(flores, bleu, BASE, TINY, rng=one.attrs["rng"]))


def test_swapped_systems_mirror(flores, bleu):
    one, other = (bucket_segments(flores, bleu, *pair, rng=1) for pair in ((BASE, TINY), (TINY, BASE)))
    np.testing.assert_array_equal(one["difference"], -other["difference"])
    np.testing.assert_allclose(one["contribution"], -other["contribution"], rtol=1e-6)
    jackknife = one["method"] == "jackknife"
    assert jackknife.any()
    np.testing.assert_allclose(one.loc[jackknife, "low"], -other.loc[jackknife, "high"])


def test_documents_and_runs(sample):
    statistics = compute_statistics(sample, "bleu")
    frame = bucket_segments(None, statistics, "retrained", "baseline", by="document", rng=1)
    documents = statistics.test_set.documents
    assert frame["bucket"].tolist() == list(dict.fromkeys(documents))
    assert set(frame["unit"]) == {"segment"}
    second = statistics.take(documents == frame["bucket"][1]).score()
    assert frame["difference"][1] == pytest.approx(second["retrained"].mean() - second["baseline"].mean())
    by_document = segment_contributions(None, statistics, "retrained", "baseline", unit="document")
    np.testing.assert_allclose(frame["contribution"], by_document["contribution"], atol=1e-9)


def test_units_are_documents_where_they_are_known(sample):
    statistics = compute_statistics(sample, "bleu")
    frame = bucket_segments(sample, statistics, "retrained", "baseline", by="length", rng=1)
    assert set(frame["unit"]) == {"document"}
    lengths = statistics.values["baseline"][0, :, 1]
    own = (lengths >= 20) & (lengths <= 29)
    row = frame.set_index("bucket").loc["20-29"]
    assert row["n_units"] == len(set(statistics.test_set.documents[own]))


def test_own_labels(bleu):
    labels = np.arange(1012) // 300
    by_number = bucket_segments(None, bleu, BASE, TINY, by=labels[::-1], rng=1)
    assert by_number["bucket"].tolist() == ["0", "1", "2", "3"]
    assert by_number["segments"].tolist() == [300, 300, 300, 112]
    by_word = bucket_segments(None, bleu, BASE, TINY, by=pd.Series([f"part {4 - one}" for one in labels]), rng=1)
    assert by_word["bucket"].tolist() == ["part 4", "part 3", "part 2", "part 1"]
    for frame in (by_number, by_word):
        assert frame["contribution"].sum() == pytest.approx(by_word["contribution"].sum(), abs=1e-9)


@pytest.mark.long
def test_a_further_column(flores):
    domains = [("news", "talks")[number % 3 == 0] for number in range(1012)]
    statistics = compute_statistics(flores.assign(domain=domains * 2), "chrf")
    frame = bucket_segments(None, statistics, BASE, TINY, by="domain", rng=1)
    assert frame[["bucket", "segments"]].to_numpy().tolist() == [["talks", 338], ["news", 674]]


def test_segments_without_scores_are_in_no_bucket():
    texts = [f"segment {number}" for number in range(6)]
    outputs = make_outputs(texts, {"a": [f"{text} a" for text in texts], "b": [f"{text} b" for text in texts]})
    outputs = outputs.assign(comet=[0.5, np.nan, 0.5, 0.75, 0.75, np.nan, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25])
    statistics = compute_statistics(outputs, "comet")
    with pytest.warns(DataWarning, match="2 of 6 segments have no comet") as caught:
        frame = bucket_segments(outputs, statistics, "a", "b", by=["x", "x", "x", "y", "y", "z"])
    assert caught[0].filename == __file__
    assert frame["bucket"].tolist() == ["x", "y"] and frame["segments"].tolist() == [2, 2]
    np.testing.assert_allclose(frame["difference"], [0.25, 0.5])
    np.testing.assert_allclose(frame["contribution"], [0.125, 0.25])


# -------------------------------------------------------------------------------------------------------- words


def count_by_frequency(outputs, system, run, references, split):
    """Matches, words of the output and of the references in each bucket, one word at a time."""
    frequencies = Counter(word for column in references for text in column if text is not None for word in split(text))
    firsts = (1, 2, 5, 10, 100)

    def bucket(word):
        return sum(frequencies[word] >= first for first in firsts) - 1

    counts = np.zeros((5, 3))
    rows = outputs[(outputs["system"] == system) & (outputs["run"] == run)]
    for segment, hypothesis in enumerate(rows["hypothesis"]):
        output = Counter(word for word in split(hypothesis) if frequencies[word])
        for column in references:
            if column[segment] is not None:
                reference = Counter(split(column[segment]))
                for which, words in enumerate((output & reference, output, reference)):
                    for word, number in words.items():
                        counts[bucket(word), which] += number
    return counts


def check_words(frame, counts, names):
    matches, outputs, references = np.moveaxis(counts, -1, 0)  # (n_systems, n_runs, n_buckets)
    recall = (100 * matches / references).mean(axis=1)
    f = (200 * matches / (outputs + references)).mean(axis=1)
    rows = frame.set_index("bucket").loc[names]
    places = [("1", "2-4", "5-9", "10-99", "100+").index(name) for name in names]
    np.testing.assert_allclose(rows[["recall", "recall_baseline"]].T, recall[:, places])
    np.testing.assert_allclose(rows[["f", "f_baseline"]].T, f[:, places])
    np.testing.assert_allclose(rows["difference"], (f[0] - f[1])[places])
    assert rows["words"].tolist() == references[0, 0, places].tolist()


def test_words_by_their_frequency(flores, bleu):
    frame = bucket_segments(flores, bleu, BASE, TINY, by="frequency", rng=1)
    expected = ["bucket", "words", "segments", "difference", *DRAWN, "references", "recall", "recall_baseline"]
    assert frame.columns.tolist() == [*expected, "f", "f_baseline"]
    assert set(frame["references"]) == {1}
    names = ["1", "2-4", "5-9", "10-99", "100+"]
    assert frame["bucket"].tolist() == names
    references = [flores["reference"].iloc[:1012].tolist()]
    split = word_splitter("13a", lowercase=False)
    counts = [[count_by_frequency(flores, name, 1, references, split)] for name in (BASE, TINY)]
    check_words(frame, np.array(counts), names)
    assert frame["words"].sum() == bleu.values[BASE][0, :, 1].sum()
    assert ((frame["low"] < frame["difference"]) & (frame["difference"] < frame["high"])).all()


def test_words_of_several_references_and_runs():
    draws = np.random.default_rng(3)
    words = np.array(["the", "the", "the", "a", "a", "cat", "dog", "bird", "house"])

    def texts():
        return [" ".join(draws.choice(words, draws.integers(3, 9))) for _ in range(30)]

    second = [text if number % 4 else None for number, text in enumerate(texts())]
    outputs = make_outputs([texts(), second], {"a": [texts(), texts()], "b": [texts(), texts(), texts()]})
    statistics = compute_statistics(outputs, Bleu("none"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = bucket_segments(outputs, statistics, "a", "b", by="frequency", rng=1)
    one_run = outputs.iloc[:30]
    references = [
        [text if isinstance(text, str) else None for text in one_run[name]] for name in ("reference", "reference_2")
    ]
    runs = {"a": (1, 2), "b": (1, 2, 3)}
    counts = {
        name: np.array([count_by_frequency(outputs, name, run, references, str.split) for run in own])
        for name, own in runs.items()
    }
    for row in frame.itertuples():
        place = ("1", "2-4", "5-9", "10-99", "100+").index(row.bucket)
        f = {name: (200 * one[:, place, 0] / one[:, place, 1:].sum(axis=1)).mean() for name, one in counts.items()}
        assert (row.f, row.f_baseline) == pytest.approx((f["a"], f["b"]))
        assert row.difference == pytest.approx(f["a"] - f["b"])
        assert row.words == counts["a"][0, place, 2]
    assert frame["bucket"].tolist() == ["10-99", "100+"]
    assert set(frame["references"]) == {2}


def test_the_sentence_says_how_frequencies_of_several_references_are_counted(flores, bleu):
    """Words that each of five references has once have frequency 5: the sentence must say so."""
    words = [f"w{number}" for number in range(11)]
    for n_references, bucket, said in (
        (1, "1", "the whole test set."),
        (2, "2-4", "the whole test set, both of each segment together: a word that occurs once in each of them has "),
        (5, "5-9", "the whole test set, all 5 of each segment together: a word that occurs once in each of them has "),
    ):
        outputs = make_outputs([words] * n_references, {"a": [*words[:-1], "x"], "b": [*words[:-2], "x", "x"]})
        statistics = compute_statistics(outputs, Bleu("none"))
        frame = bucket_segments(outputs, statistics, "a", "b", by="frequency", rng=1)
        assert frame[["bucket", "references"]].to_numpy().tolist() == [[bucket, n_references]]
        sentence = describe_buckets(frame)
        assert sentence.startswith(f"The frequency of a word is how often it occurs in the references of {said}")
        assert f"has frequency {n_references}. " in sentence or n_references == 1
    assert "frequency" not in describe_buckets(bucket_segments(flores, bleu, BASE, TINY, rng=1))


# ------------------------------------------------------------------------------------------ sentences and errors


def test_the_sentence_warns_of_many_comparisons(flores, bleu):
    frame = bucket_segments(flores, bleu, BASE, TINY, rng=1)
    drawn = frame.dropna(subset=["low"])
    excluding = ((drawn["low"] > 0) | (drawn["high"] < 0)).sum()
    assert (len(drawn), excluding) == (4, 3)
    assert describe_buckets(frame) == (
        "Buckets are many comparisons: in 3 of 4 buckets, the 95 % CI excludes 0. If the systems were equal in all "
        "buckets, at least one interval would still exclude 0 by chance in up to 19 % of experiments, so a bucket is a "
        "hint where to look, not a finding. 3 buckets are too small for an interval."
    )
    assert describe_buckets(frame.iloc[:1]) == "The one bucket is too small for an interval."
    assert describe_buckets(frame[frame["low"].isna()]) == "All 3 buckets are too small for an interval."
    # No sentence hangs on `frame.attrs`.
    wide = bucket_segments(flores, bleu, BASE, TINY, level=0.9, rng=1)
    assert "the 90 % CI excludes 0. If" in describe_buckets(pd.DataFrame(wide.to_dict("list")))
    assert describe_buckets(frame.iloc[2:3]) == "The one 95 % CI excludes 0."


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ({"by": "length"}, "no-outputs", "by='length' needs the outputs"),
        ({"by": "frequency"}, "no-outputs", "by='frequency' needs the outputs"),
        ({"by": "document"}, "no-documents", "the documents of the test set are not known"),
        ({"by": "domain"}, "unknown-column", "by is 'domain', but 'length', 'document', 'frequency'"),
        ({"by": ["x", "y"]}, "labels", r"by has shape \(2,\), but one label for each of the 1,012 segments"),
        (
            {"by": 3},
            "labels",
            "by is 3, but 'length', 'document', 'frequency', the name of a column or the label of each",
        ),
        (
            {"by": ["x"] * 1000 + [None] * 12},
            "labels",
            "no label for 12 of 1,012 segments, the first of which is segment 1001",
        ),
        ({"by": ["x"] * 1012, "level": 2}, "level", "level is 2"),
        ({"by": ["x"] * 1012, "n_resamples": 5}, "few-resamples", "5 resamples"),
        ({"by": ["x"] * 1012, "rng": -1}, "rng", "rng is -1"),
    ],
)
def test_bad_arguments_are_refused(bleu, arguments, code, sentence):
    with pytest.raises(InputError, match=sentence) as refused:
        bucket_segments(None, bleu, BASE, TINY, **arguments)
    assert refused.value.code == code


def test_buckets_are_known_by_their_names(bleu):
    part = bleu.take(np.arange(40))
    labels = [1] * 10 + ["1"] * 10 + [True] * 10 + [2] * 10
    frame = bucket_segments(None, part, BASE, TINY, labels, rng=1)
    assert frame[["bucket", "segments"]].to_numpy().tolist() == [["1", 20], ["True", 10], ["2", 10]]
    numbers = bucket_segments(None, part, BASE, TINY, [10, 2, 2.0, 10.0] * 10, rng=1)
    assert numbers[["bucket", "segments"]].to_numpy().tolist() == [["2", 20], ["10", 20]]
