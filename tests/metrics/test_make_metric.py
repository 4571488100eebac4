import re

import pytest

from mtworkbench.errors import InputError
from mtworkbench.metrics import Bleu, ChrF, Length, MeanScore, Ter, make_metric


@pytest.mark.parametrize(
    ("spec", "metric"),
    [
        ("BLEU", Bleu()),
        ("bleu:", Bleu()),
        ("bleu:tokenize=none,lowercase=true", Bleu(tokenize="none", lowercase=True)),
        ("bleu: smooth_method = floor , smooth_value = 0.2", Bleu(smooth_method="floor", smooth_value=0.2)),
        ("bleu:smooth_value=none,max_ngram_order=2", Bleu(max_ngram_order=2)),
        ("chrf:word_order=2", ChrF(word_order=2)),
        ("chrf:whitespace=yes,eps_smoothing=1,lowercase=no", ChrF(whitespace=True, eps_smoothing=True)),
        ("ter:case_sensitive=true", Ter(case_sensitive=True)),
        ("mean:column=comet", MeanScore("comet")),
        ("mean:column=mqm,name=MQM,higher_is_better=false", MeanScore("mqm", "MQM", False)),
        ("mean:higher_is_better=none", MeanScore(higher_is_better=None)),
    ],
)
def test_names_and_options(spec, metric):
    assert make_metric(spec) == metric


def test_a_metric_is_returned_as_it_is():
    metric = ChrF(word_order=1)
    assert make_metric(metric, tokenize="char", lowercase=True) is metric


@pytest.mark.parametrize(
    ("spec", "metric"),
    [
        ("chrF++", ChrF(word_order=2)),
        ("chrF2++", ChrF(word_order=2)),
        ("chrf+", ChrF(word_order=1)),
        ("chrF2", ChrF()),
        ("chrf++:beta=3", ChrF(word_order=2, beta=3)),
        ("BLEU-4", Bleu()),
        ("sacreBLEU:tokenize=intl", Bleu(tokenize="intl")),
    ],
)
def test_names_of_other_programs_are_understood(spec, metric):
    assert make_metric(spec) == metric


def test_defaults_are_for_metrics_that_have_the_option_and_own_options_go_before():
    defaults = {"tokenize": "char", "lowercase": True}
    assert make_metric("bleu", **defaults) == Bleu(tokenize="char", lowercase=True)
    assert make_metric("bleu:tokenize=intl,lowercase=false", **defaults) == Bleu(tokenize="intl")
    assert make_metric("chrf", **defaults) == ChrF(lowercase=True)
    assert make_metric("ter", **defaults) == Ter()
    assert make_metric("ter:case_sensitive=true", **defaults) == Ter(case_sensitive=True)
    assert make_metric("length", **defaults) == Length()
    assert make_metric("ter", lowercase=False) == Ter()


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        (Bleu(), "BLEU"),
        (Bleu(max_ngram_order=2), "BLEU-2"),
        (ChrF(), "chrF"),
        (ChrF(word_order=2), "chrF++"),
        (ChrF(beta=3, word_order=1), "chrF3+"),
        (Ter(), "TER"),
        (Length(), "Length"),
        (MeanScore("comet"), "comet"),
    ],
)
def test_what_tables_call_a_metric(metric, name):
    assert metric.name == name


@pytest.mark.parametrize(
    ("spec", "code", "sentence"),
    [
        ("blue", "unknown-metric", "There is no metric 'blue' among bleu, chrf, ter, .*mean: did you mean 'bleu'\\?"),
        ("spBLEU", "unknown-metric", "There is no metric 'spBLEU' among .*: write bleu:tokenize=flores200, or bleu:.*"),
        ("bleu,chrF++", "unknown-metric", "There is no metric .*: name each by itself, as in -m bleu chrf\\+\\+ .*"),
        ("", "unknown-metric", "There is no metric '' among bleu, .*: write one of these."),
        (
            "chrf:tokenize=none",
            "unknown-option",
            "ChrF has no option 'tokenize': its options are char_order, word_order, beta, lowercase, whitespace, "
            "eps_smoothing.",
        ),
        ("length:lowercase=true", "unknown-option", "Length has no option 'lowercase': it has no options."),
        (
            "ter:normalized",
            "option-value",
            "'normalized' among the options of Ter has no value: write option=value with one of the options "
            "normalized, no_punct, asian_support, case_sensitive.",
        ),
        ("ter:no_punct=maybe", "option-value", "Ter has no_punct='maybe', but true or false was expected."),
        ("chrf:beta=2.5", "option-value", "ChrF has beta='2.5', but an integer was expected."),
        ("chrf:beta=1,beta=2", "option-value", "The option beta of ChrF is given twice."),
        ("bleu:smooth_method=floor,smooth_value=x", "option-value", "Bleu has smooth_value='x', but .* was expected."),
        ("bleu:tokenize=14a", "option-value", "Bleu has tokenize='14a', but one of none, zh, 13a, .* was expected."),
        (
            "bleu:smooth_method=laplace",
            "option-value",
            "Bleu has smooth_method='laplace', but one of exp, .* was expected.",
        ),
        (
            "bleu:max_ngram_order=0",
            "option-value",
            "Bleu has max_ngram_order=0, but a number of at least 1 was expected.",
        ),
        (
            "bleu:smooth_method=floor,smooth_value=-1",
            "option-value",
            "Bleu has smooth_value=-1.0, but a number of at least 0 was expected.",
        ),
        (
            "bleu:smooth_method=add-k,smooth_value=nan",
            "option-value",
            "Bleu has smooth_value=nan, but a number of at least 0 was expected.",
        ),
        (
            "bleu:smooth_value=1",
            "option-value",
            "Bleu has smooth_value=1.0, but none, for smooth_method='exp' has no value, was expected.",
        ),
        (
            "chrf:char_order=0",
            "option-value",
            "ChrF has char_order=0, but at least 1, for word_order is 0, was expected.",
        ),
        ("chrf:word_order=-1", "option-value", "ChrF has word_order=-1, but a number of at least 0 was expected."),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(spec, code, sentence):
    with pytest.raises(InputError, match=f"^{sentence}$") as caught:
        make_metric(spec)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Bleu(lowercase="false"), "Bleu has lowercase='false', but true or false was expected."),
        (lambda: Bleu(max_ngram_order=2.0), "Bleu has max_ngram_order=2.0, but an integer was expected."),
        (lambda: ChrF(beta=True), "ChrF has beta=True, but an integer was expected."),
        (lambda: Bleu(tokenize=None), "Bleu has tokenize=None, but a text was expected."),
        (
            lambda: MeanScore(higher_is_better="yes"),
            "MeanScore has higher_is_better='yes', but true or false or none was",
        ),
    ],
)
def test_options_of_another_type_are_refused(make, sentence):
    with pytest.raises(InputError, match=re.escape(sentence)):
        make()


def test_a_number_that_is_whole_may_be_written_as_an_integer():
    assert Bleu(smooth_method="add-k", smooth_value=1).smooth_value == 1
