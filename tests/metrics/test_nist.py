"""NIST against published numbers, a plain recount, and itself; mteval's own numbers are in test_mteval."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtworkbench.errors import InputError
from mtworkbench.metrics import Nist, make_metric
from mtworkbench.metrics.words import mteval_splitter
from mtworkbench.resampling import bootstrap_weights
from mtworkbench.statistics.segment_statistics import compute_statistics

# Texts that are drawn may have a blank before each full stop.
pytestmark = pytest.mark.filterwarnings("ignore:References and outputs are tokenized:mtworkbench.errors.DataWarning")


def ngrams_of(words, order):
    return [tuple(words[start : start + order]) for start in range(len(words) - order + 1)]


def limits_of(references, order):
    """The most often that each n-gram stands in one of a segment's references."""
    limits = Counter()
    for words in references:
        limits |= Counter(ngrams_of(words, order))
    return limits


def plain_information(references, max_order):
    """Information of every n-gram of the references of all segments, in dictionaries."""
    counts = Counter({(): sum(len(words) for segment in references for words in segment)})
    for segment in references:
        for words in segment:
            for order in range(1, max_order + 1):
                counts.update(ngrams_of(words, order))
    return {ngram: np.log2(counts[ngram[:-1]] / counts[ngram]) for ngram in counts if ngram}


def plain_nist(hypotheses, references, information, max_order=5):
    """NIST of tokenized texts by loops over segments; `references` holds a list of references for each."""
    score = 0.0
    for order in range(1, max_order + 1):
        found = total = 0.0
        for words, segment in zip(hypotheses, references, strict=True):
            matches = Counter(ngrams_of(words, order)) & limits_of(segment, order)
            found += sum(times * information[ngram] for ngram, times in matches.items())
            total += len(ngrams_of(words, order))
        score += found / total if total else 0.0
    length = sum(map(len, hypotheses))
    reference_length = sum(np.mean([len(words) for words in segment]) for segment in references)
    ratio = min(length / reference_length, 1.0) if reference_length else 1.0
    return score * np.exp(np.log(0.5) * (np.log(ratio) / np.log(1.5)) ** 2) if ratio else 0.0


def split_outputs(outputs, metric):
    """The tokens of hypotheses, and of the references that there are."""
    split = mteval_splitter(metric.tokenize, metric.lowercase)
    names = [name for name in outputs.columns if name.startswith("reference")]
    references = [
        [split(text) for text in row if isinstance(text, str)] for row in outputs[names].itertuples(index=False)
    ]
    return [split(text) for text in outputs["hypothesis"]], references


def lower_orders(statistics, order, highest):
    """The statistics that the metric of a lower order has."""
    columns = [0, *range(1, order + 1), *range(highest + 1, highest + 1 + order)]
    return statistics[..., columns]


def test_asiyas_published_scores(golden, golden_outputs):
    for case in golden("asiya_thirdparty").values():
        outputs = golden_outputs({"it": [case["inputs"]["hyp"]]}, case["inputs"]["refs"])
        highest = Nist(lowercase=False).segment_statistics(outputs)
        before = np.zeros(4)
        for order in range(1, 6):
            metric = Nist(lowercase=False, max_ngram_order=order)
            statistics = lower_orders(highest, order, 5)
            scores = np.append(metric.score(statistics.sum(axis=0)), metric.segment_score(statistics))
            names = [f"NIST-{order}"] + ["NIST"] * (order == 5)
            for name in names:
                expected = [case["expected"][name]["system"], *case["expected"][name]["segments"]]
                assert scores == pytest.approx(expected, abs=6e-9 if name == "NIST" else 6e-5), (case["id"], name)
            if order > 1:
                expected = [case["expected"][f"NISTi-{order}"][key] for key in ("system", "segments")]
                assert scores - before == pytest.approx([expected[0], *expected[1]], abs=6e-5)
            before = scores


def test_a_replicate_is_the_score_of_the_repeated_segments_with_fixed_information(golden_outputs):
    references = [f"data/zhen4/ref{number}.txt" for number in range(3)]
    outputs = golden_outputs({"it": ["data/zhen4/hyp0.txt"]}, references, (0, 60))
    outputs.loc[3, "reference_2"] = None
    metric = Nist("none")
    statistics = compute_statistics(outputs, metric)["it"]
    hypotheses, references = split_outputs(outputs, metric)
    information = plain_information(references, 5)
    weights = next(bootstrap_weights(60, 5, rng=1))
    for row, score in zip(weights.astype(int), statistics.score(weights)[:, 0], strict=True):
        drawn = np.repeat(np.arange(60), row)
        plain = plain_nist([hypotheses[i] for i in drawn], [references[i] for i in drawn], information)
        assert score == pytest.approx(plain, rel=1e-12)


def test_a_subset_keeps_the_information_of_the_whole_test_set(golden_outputs):
    outputs = golden_outputs({"it": ["data/zhen4/hyp0.txt"]}, ["data/zhen4/ref0.txt"], (0, 200))
    metric = Nist("none")
    first_100 = compute_statistics(outputs, metric)["it"].take(np.arange(100)).score()
    alone = compute_statistics(outputs[:100], metric)["it"].score()
    assert first_100 - alone > 0.3  # rarer words in more text


TEXTS = st.lists(st.sampled_from(["a", "b", "c", "0", "."]), max_size=7).map(" ".join)


@given(st.data())
@pytest.mark.long
def test_equals_a_plain_recount(make_outputs, data):
    n_segments = data.draw(st.integers(1, 4))
    hypotheses = data.draw(st.lists(TEXTS, min_size=n_segments, max_size=n_segments))
    first = data.draw(st.lists(TEXTS, min_size=n_segments, max_size=n_segments))
    second = data.draw(st.lists(TEXTS | st.none(), min_size=n_segments, max_size=n_segments))
    metric = Nist("none", lowercase=False)
    outputs = make_outputs({"it": hypotheses}, [first, second])
    split, references = split_outputs(outputs, metric)
    score = metric.score(metric.segment_statistics(outputs).sum(axis=0))
    assert score == pytest.approx(plain_nist(split, references, plain_information(references, 5)), rel=1e-12)


def test_length_factor_halves_the_score_of_two_thirds_of_the_length():
    scores = Nist(max_ngram_order=1).score(
        np.array([[6.0, 8.0, 4.0], [6.0, 8.0, 6.0], [6.0, 16.0, 8.0], [6.0, 0.0, 0.0]])
    )
    assert scores == pytest.approx([1.0, 8 / 6, 2.0, 0.0])


def test_name_signature_and_options():
    assert make_metric("nist") == Nist("13a", lowercase=True, max_ngram_order=5)
    assert make_metric("nist:tokenize=intl,lowercase=no,max_ngram_order=4") == Nist("intl", False, 4)
    assert (Nist().name, Nist(max_ngram_order=4).name) == ("NIST", "NIST-4")
    assert Nist().signature == "case:lc|tok:mteval-13a|info:test-set|version:mteval-v13a"
    assert Nist("none", lowercase=False).signature == "case:mixed|tok:mteval-none|info:test-set|version:mteval-v13a"
    sentence = "Nist has tokenize='zh', but one of 13a, intl, none was expected."
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        Nist("zh")
    with pytest.raises(InputError, match=r"^Nist has max_ngram_order=0, but a number of at least 1 was expected\.$"):
        Nist(max_ngram_order=0)
