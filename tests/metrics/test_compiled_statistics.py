"""With kernels, words and statistics are sacreBLEU's to the last integer, whatever the text; also where kernels end."""

import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF

from mtworkbench import compiled, find_shipped, read_outputs
from mtworkbench.metrics import Bleu, ChrF, Ter, chrf, ter, texts, word_matches
from mtworkbench.metrics.texts import run_texts
from mtworkbench.work import threads

pytest.importorskip("numba")

# What 13a and chrF++ look at, what they replace, white space of several kinds, and letters whose case is special.
PIECES = (
    *"ab01.,-'\"&;<>/()[]{}~`@:_ \t",
    *("&amp;", "&quot;", "&lt;", "&amp;gt;", "<skipped>", "<SKIPPED>", "-\n", "\n", "Σ", "İ", "ß", "٣", "½"),
    *("\u00a0", "\u2028", "\x85", "\x1c", "\u3000", "\u200b", "日", "語", "。", "\U0001f600", "\ud800"),
)
any_text = st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(max_size=12)
many_examples = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def _kernels_are_loaded(monkeypatch):
    monkeypatch.setattr(compiled, "_missed", 1000.0)


@st.composite
def corpora(draw):
    n_references = draw(st.integers(1, 3))
    segments = draw(
        st.lists(st.tuples(any_text, any_text, *[any_text | st.none()] * (n_references - 1)), min_size=1, max_size=5)
    )
    hypotheses, *references = zip(*segments, strict=True)
    return list(hypotheses), [list(column) for column in references]


def words_of(split):
    begins = np.append(0, split.ends[:-1])
    characters = [split.words[begin:end].tobytes() for begin, end in zip(begins, split.ends, strict=True)]
    words = [text.decode("utf-32-le", "surrogatepass").split(" ")[:-1] for text in characters]
    assert [len(one) for one in words] == split.lengths.tolist()
    return words


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenize", ["13a", "none", "intl", "char", "zh"])
@many_examples
@given(st.lists(any_text, min_size=1, max_size=4))
def test_words_are_sacrebleus(tokenize, lowercase, drawn):
    theirs = BLEU(tokenize=tokenize, lowercase=lowercase)
    expected = [theirs._preprocess_segment(text).split() for text in drawn]
    assert words_of(word_matches.split_texts(drawn, tokenize, lowercase)) == expected


@pytest.mark.parametrize("lowercase", [False, True])
@many_examples
@given(st.lists(any_text, min_size=1, max_size=4))
def test_words_of_chrf_are_sacrebleus(lowercase, drawn):
    theirs = CHRF(lowercase=lowercase)
    expected = [theirs._remove_punctuation(theirs._preprocess_segment(text)) for text in drawn]
    assert words_of(word_matches.split_texts(drawn, word_matches.CHRF_WORDS, lowercase)) == expected


def test_a_run_of_points_is_split_as_a_regular_expression_reads_it():
    drawn = [".5", "..5", "5..", "a.5,b", "1,000.", "10-20-a", "(.,)", "a.-5-"]
    expected = [BLEU()._preprocess_segment(text).split() for text in drawn]
    assert expected[:2] == [[".", "5"], [".", ".5"]]
    assert words_of(word_matches.split_texts(drawn, "13a", lowercase=False)) == expected


@pytest.mark.parametrize("order", [1, 4, 5])
@many_examples
@given(corpora(), st.booleans())
def test_statistics_of_bleu_are_sacrebleus(make_outputs, order, corpus, lowercase):
    expected = BLEU(max_ngram_order=order, lowercase=lowercase)._extract_corpus_statistics(*corpus)
    outputs = make_outputs({"it": corpus[0]}, corpus[1])
    found = Bleu(max_ngram_order=order, lowercase=lowercase).segment_statistics(outputs)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("orders", [(6, 0), (6, 2), (3, 4), (6, 5), (7, 0)])
@many_examples
@given(corpora(), st.booleans(), st.booleans())
@pytest.mark.long
def test_statistics_of_chrf_are_sacrebleus(make_outputs, orders, corpus, lowercase, whitespace):
    options = dict(zip(("char_order", "word_order"), orders, strict=True), lowercase=lowercase, whitespace=whitespace)
    expected = CHRF(**options)._extract_corpus_statistics(*corpus)
    outputs = make_outputs({"it": corpus[0]}, corpus[1])
    assert np.array_equal(ChrF(**options).segment_statistics(outputs), expected)


def test_no_ngram_leaps_over_an_unknown_word(make_outputs):
    outputs = make_outputs(
        {"it": ["a b x c d x d a"]},
        [
            [
                "a b c d a",
            ]
        ],
    )
    assert Bleu().segment_statistics(outputs)[0, 2:6].tolist() == [5, 3, 0, 0]


def test_an_absent_reference_is_no_empty_one(make_outputs):
    hypotheses, references = ["abc", "abc"], [[None, ""], ["xyz", "abd"], ["xy", None]]
    found = ChrF().segment_statistics(make_outputs({"it": hypotheses}, references))
    assert found[0, :6].tolist() == [3, 3, 0, 2, 2, 0]
    assert np.array_equal(found, CHRF()._extract_corpus_statistics(hypotheses, references))


def test_blocks_and_spans_are_as_long_as_allowed(monkeypatch):
    monkeypatch.setattr(texts, "BLOCK_CHARACTERS", 6)
    monkeypatch.setattr(texts, "SPAN_CHARACTERS", 6)
    columns = (("ab", "abc", None, "abc", "abcdefgh", ""), ("c", None, "abc", None, None, None))
    assert [block for block, _ in texts.blocks(columns)] == [slice(0, 2), slice(2, 4), slice(4, 5), slice(5, 6)]
    assert list(texts.spans(np.array([3, 6, 9, 12, 20, 20]))) == [(0, 2), (2, 4), (4, 5), (5, 6)]


HYPOTHESES = ["the cat sat on the mat .", "", "a b, a b, a b", "one two three", "the the the", "10-20 of (these)"] * 3
REFERENCES = [
    ["the cat is on the mat .", "a", "a b, a c", "one two", "the the", "10-20 of those"] * 3,
    [None, "b", "a b, a b", None, "the the the the", "of (these)"] * 3,
]


@pytest.fixture
def outputs(make_outputs):
    return make_outputs({"it": HYPOTHESES}, REFERENCES)


def plain_statistics(monkeypatch, metric, outputs):
    with monkeypatch.context() as patched:
        patched.setattr(word_matches, "load_kernels", lambda name, saves: None)
        patched.setattr(chrf, "load_kernels", lambda name, saves: None)
        return metric.segment_statistics(outputs)


@pytest.mark.parametrize("metric", [Bleu(), Bleu(tokenize="none"), ChrF(), ChrF(word_order=2)])
@pytest.mark.parametrize(("characters", "segments", "span"), [(1, 4, 30), (60, 100, 1), (10**6, 4, 1), (60, 2, 10**6)])
def test_blocks_and_spans_change_nothing(monkeypatch, outputs, metric, characters, segments, span):
    expected = plain_statistics(monkeypatch, metric, outputs)
    monkeypatch.setattr(texts, "BLOCK_CHARACTERS", characters)
    monkeypatch.setattr(texts, "BLOCK_SEGMENTS", segments)
    monkeypatch.setattr(texts, "SPAN_CHARACTERS", span)
    blocks = list(texts.blocks(run_texts(outputs).references))
    assert [place for block, _ in blocks for place in range(block.start, block.stop)] == list(range(len(HYPOTHESES)))
    assert len(blocks) >= len(HYPOTHESES) / segments
    assert np.array_equal(metric.segment_statistics(outputs), expected)


@pytest.mark.parametrize("metric", [Bleu(), ChrF(), ChrF(word_order=2), Ter()])
def test_threads_change_nothing(monkeypatch, outputs, metric):
    expected, parts = metric.segment_statistics(outputs), []
    monkeypatch.setattr(threads, "count_threads", lambda: 2)
    monkeypatch.setattr(texts, "BLOCK_SEGMENTS", 2)
    monkeypatch.setattr(ter, "_WORDS_PER_PART", 5)
    pool = threads.ThreadPoolExecutor
    monkeypatch.setattr(threads, "ThreadPoolExecutor", lambda n_threads: parts.append(n_threads) or pool(n_threads))
    assert np.array_equal(metric.segment_statistics(outputs), expected)
    assert parts == [2]


@pytest.mark.parametrize("metric", [Bleu(), ChrF(word_order=2)])
def test_segments_of_too_many_words_are_counted_without_kernels(monkeypatch, outputs, metric):
    expected = plain_statistics(monkeypatch, metric, outputs)
    for module in (word_matches, chrf):
        monkeypatch.setattr(module, "MOST_WORDS", 3)
    count = word_matches.count_word_matches
    for module in (word_matches, chrf):
        monkeypatch.setattr(module, "count_word_matches", lambda *texts: -1 - count(*texts))
    assert np.array_equal(metric.segment_statistics(outputs)[[0, 2]], expected[[0, 2]])


def test_more_words_than_the_kernel_numbers(make_outputs):
    reference = " ".join(map(str, range(2**16 + 2)))
    outputs = make_outputs({"it": ["0 65537 65536 1 2 3"]}, [[reference]])
    assert Bleu().segment_statistics(outputs)[0, 2:6].tolist() == [6, 2, 1, 0]
    assert ChrF(char_order=1, word_order=3).segment_statistics(outputs)[0, 5::3].tolist() == [6, 2, 1]


@pytest.mark.parametrize("n_characters", [1022, 1023, 1500])
def test_more_characters_than_the_kernel_numbers(make_outputs, n_characters):
    alphabet = "".join(map(chr, range(0x4E00, 0x4E00 + n_characters)))
    hypotheses = [alphabet[1:] + "x" + alphabet[:9], "a cat"]
    references = [[alphabet, "the cat"], [alphabet[::-1], None]]
    prepared = chrf.prepare_references(False, False, tuple(map(tuple, references)))
    assert prepared.counted.tolist() == [n_characters <= 1022, True]
    found = ChrF().segment_statistics(make_outputs({"it": hypotheses}, references))
    assert np.array_equal(found, CHRF()._extract_corpus_statistics(hypotheses, references))


def test_no_white_space_is_above_the_table():
    above = range(texts.HIGHEST_SPACE + 1, sys.maxunicode + 1)
    assert not any(map(str.isspace, map(chr, above)))
    assert texts.white_space()[[9, 32, 0x3000, -1]].tolist() == [True, True, True, False]


def test_references_are_prepared_once_for_all_systems(monkeypatch, outputs):
    word_matches.split_references.cache_clear()
    chrf.prepare_references.cache_clear()
    for _ in range(3):
        ChrF(word_order=2).segment_statistics(outputs)
        Bleu().segment_statistics(outputs)
    assert word_matches.split_references.cache_info().misses == 2  # the words of chrF++ and of 13a
    assert chrf.prepare_references.cache_info().misses == 1


@pytest.mark.parametrize("metric", [Bleu(), ChrF(word_order=2)])
def test_no_segments_have_no_statistics(outputs, metric):
    assert metric.segment_statistics(outputs.iloc[:0]).shape == (0, len(metric.statistic_names))


def test_a_small_run_waits_for_no_kernels(monkeypatch, outputs):
    monkeypatch.setattr(compiled, "_loaded", {})
    monkeypatch.setattr(compiled, "_missed", 0.0)
    expected = BLEU()._extract_corpus_statistics(HYPOTHESES, REFERENCES)
    split = word_matches.split_texts
    monkeypatch.setattr(word_matches, "split_texts", None)
    assert np.array_equal(Bleu().segment_statistics(outputs), expected)
    monkeypatch.setattr(word_matches, "split_texts", split)
    monkeypatch.setattr(compiled, "_missed", compiled.SECONDS_TO_LOAD)
    assert np.array_equal(Bleu().segment_statistics(outputs), expected)


@pytest.mark.parametrize("metric", [Bleu(), ChrF(word_order=2), Ter()])
def test_real_outputs_have_the_same_statistics_with_one_thread_and_with_three(monkeypatch, metric):
    folder = find_shipped("data/flores")
    names = {"base": folder / "bergamot-base.txt"}
    outputs = read_outputs(folder / "reference.txt", names, accept=["invisible-chars"])
    found = []
    for n_threads in (1, 3):
        monkeypatch.setattr(threads, "count_threads", lambda n=n_threads: n)
        found.append(metric.segment_statistics(outputs))
    assert np.array_equal(*found)
    assert len(texts.blocks(run_texts(outputs).references)) > 1


def test_the_search_is_compiled_once_whatever_the_number_of_pairs(make_outputs):
    from mtworkbench.compiled import shifts

    for n in (1, 2):
        Ter().segment_statistics(make_outputs({"it": ["a b c"] * n}, [["a c b"] * n]))
    assert len(shifts.search.signatures) == 1
