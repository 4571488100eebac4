"""A word that is split once, for all texts, is split as its whole line is: by sacreBLEU's own tokenizers."""

import random
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate

import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from mtworkbench.metrics import words
from mtworkbench.metrics.texts import RunTexts
from mtworkbench.metrics.words import (
    WORD_BY_WORD,
    Vocabulary,
    make_vocabulary,
    number_references,
    number_run,
    word_splitter,
)

# What tokenizers look at, white space of all kinds, letters whose case depends on their neighbours, private characters.
PIECES = (
    *("0", "12", ".", ",", "-", "..", ",.,", "a", "B", "ab", "'s", "'", '"', "&", ";", "<", ">", "/", "(", "]", "~"),
    *("&amp;", "&quot;", "&lt;", "&amp;gt;", "&apos;", "<skipped>", "<SKIPPED>", "<skip", "ped>", "-\n", "\n", "\n-"),
    *" \t\r\f\v\x1c\x1d\x1e\x1f\x85\u00a0\u2028\u2029\u3000",
    *("\u200b", "\u00ad", "\u0301", "\u0663", "½", "Σ", "İ", "ß", "日", "。", "\ue000", "\ue001", "\ud800"),
)


def draw_texts(seed, count=4000):
    rng = random.Random(seed)
    texts = ["".join(rng.choices(PIECES, k=rng.randint(0, 9))) for _ in range(count)]
    return texts if seed % 2 else [text.replace("\n", "") for text in texts]


def read(vocabulary, texts):
    """Return the words of texts as the vocabulary numbers them."""
    found = vocabulary.number(texts)
    names = ["", *vocabulary]
    ends = [0, *accumulate(found.lengths.tolist())]
    return [[names[number] for number in found.symbols[begin:end]] for begin, end in zip(ends, ends[1:], strict=False)]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenize", sorted(WORD_BY_WORD))
def test_words_are_split_as_their_lines(tokenize, lowercase, seed):
    texts, split = draw_texts(seed), word_splitter(tokenize, lowercase)
    vocabulary = Vocabulary(split, word_by_word=True)
    expected = [split(text) for text in texts]
    assert read(vocabulary, texts[:2000]) + read(vocabulary, texts[2000:]) == expected
    assert list(vocabulary) == list(dict.fromkeys(word for text in expected for word in text))


@pytest.mark.parametrize(
    ("tokenize", "left_out"),
    [("13a", "<skipped>"), ("13a", "-\n"), ("tercom+no_punct", "."), ("chrf++", "."), ("intl", "-\n")],
)
@pytest.mark.parametrize("marks", ["\ue000", "\ue000\ue000", "\ue000 \ue001"])
def test_no_text_has_the_mark_after_something_was_left_out(tokenize, left_out, marks):
    texts, split = [f"{marks}{left_out}{marks}", "a b", "", "c"], word_splitter(tokenize, lowercase=False)
    assert read(make_vocabulary(tokenize, lowercase=False), texts) == [split(text) for text in texts]


@pytest.mark.parametrize("lowercase", [False, True])
def test_splitters_are_sacrebleus(lowercase):
    texts = draw_texts(3, 500)
    bleu, chrf = BLEU(lowercase=lowercase), CHRF(lowercase=lowercase)
    ter = TER(no_punct=True, case_sensitive=not lowercase)
    for tokenize, expected in {
        "13a": lambda text: bleu._preprocess_segment(text).split(),
        "chrf++": lambda text: chrf._remove_punctuation(chrf._preprocess_segment(text)),
        "tercom+no_punct": lambda text: ter._preprocess_segment(text).split(),
    }.items():
        assert list(map(word_splitter(tokenize, lowercase), texts)) == list(map(expected, texts))


def test_a_run_of_points_is_split_as_a_regular_expression_reads_it():
    drawn = [".5", "..5", "5..", "a.5,b", "1,000.", "10-20-a", "(.,)", "a.-5-"]
    split = read(Vocabulary(word_splitter("13a", lowercase=False), word_by_word=True), drawn)
    assert split[:2] == [[".", "5"], [".", ".5"]]
    assert split == [BLEU()._preprocess_segment(text).split() for text in drawn]


@pytest.mark.parametrize("tokenize", ["intl", "mteval-intl", "zh", "char", "blanks", "tercom+normalized+asian_support"])
def test_tokenizers_that_look_at_the_ends_of_texts_split_whole_texts(tokenize):
    assert tokenize not in WORD_BY_WORD
    texts = draw_texts(5, 1000)
    assert read(Vocabulary(word_splitter(tokenize, lowercase=True)), texts) == [
        word_splitter(tokenize, lowercase=True)(text) for text in texts
    ]


def test_a_word_is_split_once_for_all_runs():
    asked = []
    vocabulary = Vocabulary(lambda text: asked.append(text) or text.split(), word_by_word=True)
    assert read(vocabulary, ["a b a", None, ""]) == [["a", "b", "a"], [], []]
    assert read(vocabulary, ["b a", "c b"]) == [["b", "a"], ["c", "b"]]
    assert read(vocabulary, ["a c"]) == [["a", "c"]]
    assert [text.split() for text in asked] == [["a", "\ue000", "b", "\ue000"], ["c", "\ue000"]]


def test_words_that_only_hypotheses_have_are_0_in_every_run():
    number_references.cache_clear()
    for _ in range(2):
        hypotheses, references = number_run(RunTexts(["x a y"], (("b a",),)), "none", lowercase=False)
        assert (hypotheses.symbols.tolist(), references.n_words) == ([0, 2, 0], 2)


def test_after_an_interrupt_words_are_numbered_as_ever():
    """References keep their vocabulary for the next run."""
    failing = [True]

    def split(text):
        if failing.pop() if failing else False:
            raise KeyboardInterrupt
        return text.split()

    vocabulary = Vocabulary(split, word_by_word=True)
    with pytest.raises(KeyboardInterrupt):
        vocabulary.number(["a b"])
    assert read(vocabulary, ["b c", "a"]) == [["b", "c"], ["a"]]


def test_texts_are_numbered_in_batches(monkeypatch):
    texts = ["a b", "b-", None, "c a", "", "d\ne", "a"]
    expected = read(Vocabulary(str.split, word_by_word=True), texts)
    monkeypatch.setattr(words, "BATCH_TEXTS", 2)
    assert read(Vocabulary(str.split, word_by_word=True), texts) == expected


@pytest.mark.parametrize("word", ["\ue000", "\ue000\ue000"])
@pytest.mark.parametrize("tokenize", ["none", "char"])
def test_the_mark_between_texts_is_no_word_of_a_text_before(tokenize, word):
    """Its number would be taken away, and a new word would get that of another."""
    references = ((f"a {word}", "b c"),)
    for hypothesis, expected in (("x", False), (word, True), ("y", False), ("c", True)):
        hypotheses, _ = number_run(RunTexts([hypothesis, ""], references), tokenize, lowercase=False)
        assert (hypotheses.symbols > 0).tolist() == [expected] * len(hypotheses.symbols)


def test_threads_share_a_vocabulary(monkeypatch):
    def split(text):
        return [str(word) for word in text.split()]  # in steps, between which other threads go on

    monkeypatch.setattr(words, "BATCH_TEXTS", 10)
    runs = [[f"{i} {run * i % 997}" for i in range(500)] for run in range(1, 9)]
    vocabulary = Vocabulary(split, word_by_word=True)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(len(runs)) as pool:
            found = list(pool.map(vocabulary.number, runs))
    finally:
        sys.setswitchinterval(interval)
    names = ["", *vocabulary]
    assert [[names[number] for number in one.symbols] for one in found] == [" ".join(run).split() for run in runs]
