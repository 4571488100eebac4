"""Statistics equal sacreBLEU's exactly and scores to 1e-9, whatever the texts and the options; the contract of the
private methods that the adapter uses."""

import json
from pathlib import Path

import numpy as np
import pytest
import sacrebleu.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from mtworkbench.metrics import Bleu, ChrF, Ter, make_metric
from mtworkbench.metrics.sacrebleu_adapter import (
    bleu_preprocessing,
    chrf_words,
    sacrebleu_metric,
    sacrebleu_signature,
    search_plainly,
)
from mtworkbench.statistics.segment_statistics import compute_statistics

# Texts that are drawn may have a blank before each full stop.
pytestmark = pytest.mark.filterwarnings("ignore:References and outputs are tokenized:mtworkbench.errors.DataWarning")

KINDS = {Bleu: "BLEU", ChrF: "CHRF", Ter: "TER"}
COMMITTED = Path(__file__).with_name("sacrebleu_expected.json")
PIECES = (
    *(
        "a",
        "b",
        "c",
        "A",
        "B.",
        ".",
        ",",
        "!",
        "(x)",
        "x-y",
        "1,000.5",
        "10-20",
        "&amp;",
        "&quot;",
        "don't",
        "'s",
        "z.",
    ),
    *(
        "日本",
        "語。",
        "é",
        "É",
        "ß",
        "\u00a0",
        "\u2028",
        "\x85",
        "\x1c",
        "\u200b",
        "\U0001f600",
        " ",
        "  ",
        "\t",
        '"',
    ),
)
texts = st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join) | st.lists(
    st.sampled_from(PIECES), max_size=8
).map("".join)


@st.composite
def corpora(draw):
    """Hypotheses and references, of which any may be absent as long as every segment has one."""
    n_segments, n_references = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    hypotheses = [draw(texts) for _ in range(n_segments)]
    references = [[draw(texts | st.none()) for _ in range(n_segments)] for _ in range(n_references)]
    for segment in range(n_segments):
        if all(column[segment] is None for column in references):
            references[0][segment] = draw(texts)
    return hypotheses, references


@st.composite
def bleus(draw):
    smooth_method = draw(st.sampled_from(["exp", "floor", "add-k", "none"]))
    values = st.sampled_from([None, 0, 0.25, 2]) if smooth_method in ("floor", "add-k") else st.none()
    return Bleu(
        tokenize=draw(st.sampled_from(["13a", "none", "intl", "char", "zh"])),
        lowercase=draw(st.booleans()),
        smooth_method=smooth_method,
        smooth_value=draw(values),
        max_ngram_order=draw(st.sampled_from([4, 1, 2, 6])),
    )


chrfs = st.builds(
    ChrF,
    char_order=st.integers(1, 7),
    word_order=st.integers(0, 3),
    beta=st.sampled_from([2, 1, 3, 0]),
    lowercase=st.booleans(),
    whitespace=st.booleans(),
    eps_smoothing=st.booleans(),
)
ters = st.builds(
    Ter, normalized=st.booleans(), no_punct=st.booleans(), asian_support=st.booleans(), case_sensitive=st.booleans()
)


def options_of(metric):
    options = dict(vars(metric))
    options.pop("reference_length", None)  # not an option of sacreBLEU's
    return options


def theirs_like(metric, **further):
    return getattr(sacrebleu.metrics, KINDS[type(metric)])(**options_of(metric), **further)


@pytest.mark.parametrize("metrics", [bleus(), chrfs, ters], ids=["bleu", "chrf", "ter"])
@pytest.mark.long
def test_statistics_scores_and_signature_are_sacrebleus(metrics, make_outputs):
    @settings(max_examples=150)
    @given(corpora(), metrics)
    def check(corpus, metric):
        hypotheses, references = corpus
        theirs = theirs_like(metric)
        expected = theirs._extract_corpus_statistics(hypotheses, references)
        statistics = compute_statistics(make_outputs({"it": hypotheses}, references), metric)
        assert np.array_equal(statistics["it"].values[0], np.array(expected, dtype=np.float64))
        score = theirs.corpus_score(hypotheses, references).score
        assert statistics.score()["it"].item() == pytest.approx(score, rel=1e-12, abs=1e-9)
        assert statistics.signature == str(theirs.get_signature())

    check()


@pytest.mark.parametrize("metrics", [bleus(), chrfs, ters], ids=["bleu", "chrf", "ter"])
@pytest.mark.long
def test_segment_scores_are_sacrebleus_sentence_scores(metrics, make_outputs):
    @settings(max_examples=100)
    @given(corpora(), metrics)
    def check(corpus, metric):
        hypotheses, references = corpus
        theirs = theirs_like(metric, **({"effective_order": True} if isinstance(metric, Bleu) else {}))
        expected = [
            theirs.sentence_score(hypothesis, [text for text in texts if text is not None]).score
            for hypothesis, *texts in zip(hypotheses, *references, strict=True)
        ]
        statistics = compute_statistics(make_outputs({"it": hypotheses}, references), metric)["it"].values[0]
        np.testing.assert_allclose(metric.segment_score(statistics), expected, rtol=1e-12, atol=1e-9)

    check()


totals_of_lengths = st.tuples(st.integers(0, 60), st.integers(0, 60))


@settings(max_examples=300)
@given(bleus(), st.data())
def test_bleu_of_any_totals_is_sacrebleus(metric, data):
    order = metric.max_ngram_order
    hypothesis_length, reference_length = data.draw(totals_of_lengths)
    n_sentences = data.draw(st.integers(1, 20))
    ngrams = [max(0, hypothesis_length - n * n_sentences) for n in range(order)]
    matches = []
    for number in ngrams:
        matches.append(data.draw(st.integers(0, min([number, *matches[-1:]]))))
    totals = np.array([hypothesis_length, reference_length, *matches, *ngrams])
    expected = theirs_like(metric)._compute_score_from_stats(totals.tolist()).score
    assert metric.score(totals) == pytest.approx(expected, rel=1e-12, abs=1e-9)
    sentence = theirs_like(metric, effective_order=True)._compute_score_from_stats(totals.tolist()).score
    assert metric.segment_score(totals) == pytest.approx(sentence, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("tokenize", ["ja-mecab", "ko-mecab"])
def test_other_tokenizers_are_sacrebleus(tokenize, make_outputs):
    pytest.importorskip("MeCab" if tokenize == "ja-mecab" else "mecab_ko", reason=f"needs the packages of {tokenize}")
    hypotheses = ["これは猫です。", "나는 학교에 갑니다.", ""]
    references = [["あれは猫です。", "나는 학교에 갔다.", "a"]]
    theirs = BLEU(tokenize=tokenize)
    statistics = compute_statistics(make_outputs({"it": hypotheses}, references), Bleu(tokenize=tokenize))
    assert np.array_equal(statistics["it"].values[0], theirs._extract_corpus_statistics(hypotheses, references))
    assert statistics["it"].values[0, :, 2].sum() > 4
    theirs.corpus_score(hypotheses, references)
    assert statistics.signature == str(theirs.get_signature())


def test_committed_scores_of_made_up_texts(make_outputs):
    committed = json.loads(COMMITTED.read_text(encoding="utf-8"))
    assert len(committed["cases"]) >= 20
    for case in committed["cases"]:
        metric = make_metric(case["metric"])
        references = committed["references"][: case["n_references"]]
        statistics = compute_statistics(make_outputs({"it": committed["hypotheses"]}, references), metric)
        np.testing.assert_allclose(statistics["it"].values[0], case["statistics"], rtol=1e-12)
        assert statistics.score()["it"].item() == pytest.approx(case["score"], abs=1e-9), case["metric"]
        np.testing.assert_allclose(metric.segment_score(statistics["it"].values[0]), case["segment_scores"], atol=1e-9)
        assert statistics.signature.rpartition("|version:")[0] == case["signature"]


def test_contract_with_sacrebleu():
    """What the adapter takes from sacreBLEU without sacreBLEU's promise to keep it."""
    assert bleu_preprocessing("13a", True)(" A,b. ") == "a , b ."
    assert chrf_words("(hi) there, x") == ["(hi", ")", "there", ",", "x"]
    assert search_plainly((), ["a b c d"], (("b c d a",),)).tolist() == [[1.0, 4.0]]
    metric = sacrebleu_metric("TER", ())
    assert [list(info) for info in metric._cache_references([["a b"], ["c"]])] == [["ref_words"]]
    assert metric._compute_segment_statistics("a", {"ref_words": [["a", "b"], ["c"]]}) == [1, 1.5]
    assert sacrebleu_signature("TER", ()) == (
        f"case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:{sacrebleu.__version__}"
    )


def test_tokenizers_are_all_of_sacrebleus():
    from mtworkbench.metrics.bleu import TOKENIZERS

    ours = {name for name in TOKENIZERS if not name.startswith("mteval-")}
    assert ours >= set(BLEU.TOKENIZERS)
    assert ours - set(BLEU.TOKENIZERS) <= {"spBLEU-1K"}  # which sacreBLEU has from 2.6 on
