"""Statistics of real outputs equal sacreBLEU's: several references, a varying number of them, Chinese, empty lines."""

import json

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from mtworkbench.metrics import Bleu, ChrF, Length, Ter
from mtworkbench.statistics.segment_statistics import compute_statistics


def assert_sacrebleus(theirs, metric, hypotheses, references, make_outputs):
    expected = theirs._extract_corpus_statistics(hypotheses, references)
    statistics = compute_statistics(make_outputs({"it": hypotheses}, references), metric)
    assert np.array_equal(statistics["it"].values[0], np.array(expected, dtype=np.float64))
    score = theirs._aggregate_and_compute([list(row) for row in expected]).score
    assert statistics.score()["it"].item() == pytest.approx(score, rel=1e-12)
    assert statistics.signature == str(theirs.get_signature())
    return score


@pytest.fixture(scope="module")
def varying(shared, lines_of):
    """One generator's output for 630 inputs, which have 1 to 45 references."""
    folder = shared / "realdata" / "replications-e2e-nlg"
    texts = [json.loads(line)["refs"] for line in lines_of(folder / "refs" / "refs.by-segment.jsonl")]
    most = max(map(len, texts))
    references = [[text[number] if number < len(text) else None for text in texts] for number in range(most)]
    return lines_of(folder / "hyps" / "train-orig_test-orig" / "tgen-std.run0.txt"), references


@pytest.mark.long
def test_a_varying_number_of_references(varying, make_outputs):
    hypotheses, references = varying
    assert len(references) == 45
    assert {len(texts) for texts in references} == {630}
    score = assert_sacrebleus(BLEU(), Bleu(), hypotheses, references, make_outputs)
    assert 62.0 < score < 63.3
    first = [texts[:40] for texts in references]
    assert_sacrebleus(CHRF(word_order=2), ChrF(word_order=2), hypotheses[:40], first, make_outputs)
    assert_sacrebleus(TER(), Ter(), hypotheses[:8], [texts[:8] for texts in references], make_outputs)


@pytest.mark.long
def test_eleven_references(shared, lines_of, make_outputs):
    folder = shared / "realdata" / "multiref11-wmt14-en-de"
    references = [lines_of(path) for path in sorted((folder / "refs").glob("ref.*.de"))]
    hypotheses = lines_of(sorted(path for path in (folder / "sys").rglob("*") if path.is_file())[0])
    assert len(references) == 11
    for tokenize in ("13a", "intl", "none"):
        theirs, metric = BLEU(tokenize=tokenize, lowercase=True), Bleu(tokenize=tokenize, lowercase=True)
        assert_sacrebleus(theirs, metric, hypotheses, references, make_outputs)
    assert_sacrebleus(CHRF(), ChrF(), hypotheses[:60], [texts[:60] for texts in references], make_outputs)


def test_chinese(shared, lines_of, make_outputs):
    folder = shared / "realdata" / "odd-files" / "crlf-newstest2018-en-zh-first1000"
    hypotheses = lines_of(folder / "newstest2018.online-B.0.en-zh")
    references = [lines_of(folder / "newstest2018.ref.zh")]
    assert_sacrebleus(BLEU(tokenize="zh"), Bleu(tokenize="zh"), hypotheses, references, make_outputs)
    assert_sacrebleus(CHRF(), ChrF(), hypotheses, references, make_outputs)
    options = {"normalized": True, "asian_support": True}
    part = [texts[:3] for texts in references]
    assert_sacrebleus(TER(**options), Ter(**options), hypotheses[:3], part, make_outputs)


def test_news_and_its_published_score(shared, lines_of, make_outputs):
    folder = shared / "realdata" / "wmt17-en-de-16systems"
    hypotheses = lines_of(folder / "sys" / "newstest2017.LIUM-NMT.4900.en-de")
    references = [lines_of(folder / "ref" / "newstest2017.ref.de")]
    score = assert_sacrebleus(BLEU(), Bleu(), hypotheses, references, make_outputs)
    assert score == pytest.approx(26.5958046831, rel=1e-10)
    length = compute_statistics(make_outputs({"it": hypotheses}, references), Length())
    words = [sum(len(line.split()) for line in lines) for lines in (hypotheses, references[0])]
    assert length["it"].values[0].sum(axis=0).tolist() == words
