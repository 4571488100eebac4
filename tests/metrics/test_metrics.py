"""Small cases that can be counted by hand, and what each metric refuses."""

import re
import sys

import numpy as np
import pandas as pd
import pytest

from mtworkbench.errors import InputError
from mtworkbench.metrics import Bleu, ChrF, Length, MeanScore, Ter
from mtworkbench.metrics import sacrebleu_adapter as adapter
from mtworkbench.statistics.segment_statistics import compute_statistics


def statistics_of(make_outputs, metric, hypotheses, references):
    return compute_statistics(make_outputs({"it": hypotheses}, references), metric)["it"]


def test_bleu_by_hand(make_outputs):
    metric = Bleu(max_ngram_order=2)
    assert metric.statistic_names == (
        *("hypothesis_length", "reference_length", "matches_1", "matches_2", "ngrams_1", "ngrams_2"),
    )
    # Papineni et al. (2002), example 2: "the" counts at most twice, as often as in the first reference.
    statistics = statistics_of(
        make_outputs,
        metric,
        ["the the the the the the the"],
        [["the cat is on the mat"], ["there is a cat on the mat"]],
    )
    assert statistics.values.tolist() == [[[7, 7, 2, 0, 7, 6]]]
    # Two words of three, the one bigram of two; one word short of four.
    totals = np.array([3, 4, 2, 1, 3, 2])
    assert metric.score(totals) == pytest.approx(100 * np.exp(1 - 4 / 3) * np.sqrt(2 / 3 * 1 / 2))


@pytest.mark.parametrize("smoothing", ["exp", "floor", "add-k", "none", "mteval"])
@pytest.mark.parametrize("order", [4, 9])
def test_bleu_is_the_same_to_the_last_bit_alone_and_among_others(smoothing, order):
    draws = np.random.default_rng(1)
    matches = draws.integers(1, 1000, (50, order))
    totals = np.concatenate(
        [draws.integers(1, 1000, (50, 2)), matches, matches + draws.integers(0, 99, (50, order))], 1
    )
    totals = np.asfortranarray(totals, dtype=np.float64)
    metric = Bleu(smooth_method=smoothing, max_ngram_order=order)
    kept = totals.copy()
    ordinary = metric.score(totals)
    np.testing.assert_array_equal(totals, kept)
    np.testing.assert_array_equal(ordinary, [metric.score(row) for row in totals])
    with_zeros = totals.copy()
    with_zeros[::5, 1 + order] = 0  # a test set without a match changes the score of no other
    unchanged = np.arange(50) % 5 > 0
    np.testing.assert_array_equal(metric.score(with_zeros)[unchanged], ordinary[unchanged])


def test_bleu_takes_the_closest_length_and_of_equally_close_ones_the_shorter(make_outputs):
    references = [["a b c d e f", "a b c d e", "a"], ["a b", "a b c", None], ["a b c d e f g", None, None]]
    lengths = statistics_of(make_outputs, Bleu(), ["a b c d", "a b c d", "a b c d"], references).values[0, :, 1]
    assert lengths.tolist() == [2, 3, 1]


def test_a_segment_shorter_than_four_words_has_a_score_of_its_own_but_a_corpus_of_them_has_none(make_outputs):
    statistics = statistics_of(make_outputs, Bleu(), ["a b c"], [["a b c"]])
    assert statistics.score().item() == 0
    assert Bleu().segment_score(statistics.values[0, 0]) == pytest.approx(100)


def test_chrf_by_hand(make_outputs):
    metric = ChrF(char_order=2, word_order=1, beta=1)
    statistics = statistics_of(make_outputs, metric, ["ab c"], [["abd"]])
    assert metric.statistic_names[:3] == ("hypothesis_characters_1", "reference_characters_1", "matches_characters_1")
    assert statistics.values.tolist() == [[[3, 3, 2, 2, 2, 1, 2, 1, 0]]]
    precision, recall = np.mean([2 / 3, 1 / 2, 0]), np.mean([2 / 3, 1 / 2, 0])
    assert statistics.score().item() == pytest.approx(100 * 2 * precision * recall / (precision + recall))


def test_chrf_takes_the_reference_with_the_best_score_of_the_segment(make_outputs):
    one = [statistics_of(make_outputs, ChrF(), ["a cat"], [[text]]).values[0, 0] for text in ("a dog", "the cat")]
    both = statistics_of(make_outputs, ChrF(), ["a cat"], [["a dog"], ["the cat"]]).values[0, 0]
    assert both.tolist() == one[1].tolist() != one[0].tolist()


def test_ter_by_hand(make_outputs):
    statistics = statistics_of(make_outputs, Ter(), ["b c a", "a b"], [["a b c", "A x"], [None, "a b c d"]])
    assert statistics.values.tolist() == [[[1, 3], [1, 3]]]  # a shift; a substitution, mean of 2 and 4 words
    assert statistics.score().item() == pytest.approx(100 * 2 / 6)
    assert Ter().score(np.array([[0.0, 0.0], [2.0, 0.0]])).tolist() == [0, 100]


def test_length_by_hand(make_outputs):
    hypotheses = [" a\tb  c\u00a0d", "a", ""]
    references = [["a b c", "a a a", "a b"], ["a b c d e f", None, "a"]]
    statistics = statistics_of(make_outputs, Length(), hypotheses, references)
    assert statistics.values.tolist() == [[[4, 3], [1, 3], [0, 1]]]
    assert statistics.score().item() == pytest.approx(100 * 5 / 7)
    assert Length().higher_is_better is None
    assert Length().score(np.array([3, 0])) == 0


def test_mean_score_leaves_out_what_has_no_score(make_outputs):
    outputs = make_outputs({"it": [["a", "b", "c"]] * 2}, [["a", "b", "c"]])
    outputs["comet"] = pd.Series([0.5, None, 0.7, 1, float("nan"), 0.2])
    statistics = compute_statistics(outputs, MeanScore("comet"))["it"]
    assert statistics.values.tolist() == [[[0.5, 1], [0, 0], [0.7, 1]], [[1, 1], [0, 0], [0.2, 1]]]
    assert statistics.score()[0] == pytest.approx([0.6, 0.6])
    assert statistics.missing.tolist() == [False, True, False]
    assert statistics.signature == "mean:comet"
    assert MeanScore(higher_is_better=True).segment_score(statistics.values[0]) == pytest.approx(
        [0.5, np.nan, 0.7], nan_ok=True
    )


def test_the_mean_of_nothing_is_no_number(make_outputs):
    outputs = make_outputs({"it": [["a", "b"]] * 2}, [["a", "b"]])
    outputs["score"] = [0.5, 1, None, None]
    statistics = compute_statistics(outputs, MeanScore(higher_is_better=True))["it"]
    assert statistics.score() == pytest.approx(np.array([[0.75, np.nan]]), nan_ok=True)
    assert np.isnan(statistics.score(np.zeros((3, 2)))).all()


@pytest.mark.parametrize(
    "scores",
    [
        [1, 2, 3],
        [True, False, True],
        pd.array([1, None, 3], dtype="Int64"),
        pd.array([1.5, None, 3], dtype="Float64"),
        pd.Series([1, None, 3.5], dtype=object),
    ],
    ids=["int", "bool", "Int64", "Float64", "object"],
)
def test_mean_score_of_any_column_of_numbers(scores, make_outputs):
    outputs = make_outputs({"it": ["a", "b", "c"]}, [["a", "b", "c"]], score=scores)
    expected = [[0, 0] if pd.isna(score) else [float(score), 1] for score in scores]
    assert MeanScore(higher_is_better=True).segment_statistics(outputs).tolist() == expected


@pytest.mark.parametrize(
    ("scores", "code", "sentence"),
    [
        (
            ["1", "2"],
            "bad-number",
            "Column 'score' holds '1', but finite numbers (up to 1e+30), and None where a segment has no score, ",
        ),
        (
            [1.0, np.inf],
            "bad-number",
            "Column 'score' holds inf, but finite numbers (up to 1e+30), and None where a segment has no score",
        ),
        (
            [1.0, -1e31],
            "bad-number",
            "Column 'score' holds -1e+31, but finite numbers (up to 1e+30), and None where a segment has no score",
        ),
        (
            [1, [2]],
            "bad-number",
            "Column 'score' holds [2], but finite numbers (up to 1e+30), and None where a segment has no score, ",
        ),
        (
            [1j, 2],
            "bad-number",
            "Column 'score' holds 1j, but finite numbers (up to 1e+30), and None where a segment has no score, ",
        ),
    ],
)
def test_mean_score_refuses_what_is_no_number(scores, code, sentence, make_outputs):
    outputs = make_outputs({"it": ["a", "b"]}, [["a", "b"]], score=pd.Series(scores, dtype=object))
    with pytest.raises(InputError, match=re.escape(sentence)) as caught:
        MeanScore(higher_is_better=True).segment_statistics(outputs)
    assert caught.value.code == code


def test_mean_score_names_the_nearest_column(make_outputs):
    outputs = make_outputs({"it": ["a"]}, [["a"]], commet=1.0)
    with pytest.raises(InputError, match=r"^The outputs have no column 'comet': did you mean 'commet'\?$"):
        compute_statistics(outputs, MeanScore("comet"))
    with pytest.raises(InputError, match="^The outputs have no column 'zzz': there are 'segment', 'reference', "):
        compute_statistics(outputs, MeanScore("zzz"))


@pytest.mark.parametrize("metric", [Bleu(), ChrF(word_order=2), Ter()], ids=repr)
def test_references_are_prepared_once_for_all_systems_and_runs(metric, make_outputs, monkeypatch, use_kernels):
    use_kernels(on=False)  # those read no text twice, but ask no function of sacreBLEU's
    seen = []
    theirs = {Bleu: "tokenizer", Ter: "_preprocess_segment", ChrF: "_remove_punctuation"}[type(metric)]
    kind = {Bleu: "BLEU", Ter: "TER", ChrF: "CHRF"}[type(metric)]
    options = {
        Bleu: (("tokenize", "13a"), ("lowercase", False)),
        Ter: metric._options if isinstance(metric, Ter) else (),
    }
    inner = adapter.sacrebleu_metric(kind, options.get(type(metric), ()))
    original = getattr(inner, theirs)

    def watched(text):
        seen.append(text)
        return original(text)

    monkeypatch.setattr(inner, theirs, watched)
    references = [["an unseen reference of this very test", "another"]]
    outputs = make_outputs({"one": [["a", "b"], ["c", "d"]], "two": ["e", "f"]}, references)
    compute_statistics(outputs, metric)
    words = " ".join(seen).split()
    assert words.count("unseen") == (2 if isinstance(metric, Ter) else 1)  # sacreBLEU's own search of TER does so twice
    assert {"a", "b", "c", "d", "e", "f"} <= set(words)


@pytest.mark.parametrize(
    ("tokenize", "modules", "needs"),
    [
        ("ja-mecab", {"sacrebleu.tokenizers.tokenizer_ja_mecab": "MeCab"}, "the packages of 'sacrebleu[ja]'"),
        ("ko-mecab", {"sacrebleu.tokenizers.tokenizer_ko_mecab": "MeCab"}, "the packages of 'sacrebleu[ko]'"),
    ],
)
def test_a_tokenizer_without_its_packages_is_said(tokenize, modules, needs, make_outputs, monkeypatch):
    from importlib import import_module

    for module, name in modules.items():
        monkeypatch.setattr(import_module(module), name, None)
    adapter.sacrebleu_metric.cache_clear()
    with pytest.raises(
        InputError, match=rf"^The tokenizer '{tokenize}' cannot be used here \(.*\): it needs "
    ) as caught:
        compute_statistics(make_outputs({"it": ["a"]}, [["a"]]), Bleu(tokenize=tokenize))
    assert caught.value.code == "tokenizer"
    assert needs in str(caught.value)


@pytest.mark.parametrize("tokenize", ["flores101", "flores200", "spBLEU-1K"])
def test_a_tokenizer_without_sentencepiece_is_said(tokenize, make_outputs, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(InputError, match="it needs the package 'sentencepiece' and a model, which sacreBLEU downloads"):
        compute_statistics(make_outputs({"it": ["a"]}, [["a"]]), Bleu(tokenize=tokenize))
