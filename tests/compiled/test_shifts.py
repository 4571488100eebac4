"""The compiled search for TER's edits equals sacreBLEU's to the last edit, whichever way it is called."""

import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import TER
from sacrebleu.metrics.lib_ter import translation_edit_rate

import mtworkbench as mtw
from mtworkbench import compiled
from mtworkbench.metrics import Ter, ter
from mtworkbench.metrics.texts import RunTexts
from mtworkbench.metrics.words import TERCOM, number_run
from tests.metrics.conftest import frame_of_outputs

pytest.importorskip("numba")

# Few words, so that many blocks match, and some that only an output has.
words = st.lists(st.sampled_from("abcdefgxyz"), max_size=14)
texts = st.lists(
    st.sampled_from(
        ["a", "B", "b.", ",", ".,5", "a's.", "..1-2", "日本", "語。", "かな、ナ", "&amp;", "&amp;lt;", "don't", "1,000"]
        + ["\u2028", "\u00a0", " ", "c", "d", "a b"]
    ),
    max_size=12,
).map(" ".join)


def count(pairs, monkeypatch=None, cells=None):
    """Edits of pairs of an output and a reference by the compiled search."""
    from mtworkbench.compiled import shifts

    if cells is not None:
        monkeypatch.setattr(ter, "_CELLS_PER_CALL", cells)
    outputs, references = ([" ".join(text) for text in texts] for texts in zip(*pairs, strict=True))
    return ter.count_edits(shifts, *number_texts(outputs, references)).tolist()


def number_texts(outputs, references):
    return number_run(RunTexts(outputs, (tuple(references),)), TERCOM, lowercase=False)


def count_plainly(pairs):
    return [translation_edit_rate(output, reference)[0] for output, reference in pairs]


@settings(max_examples=60, deadline=None)
@given(pairs=st.lists(st.tuples(words, words), min_size=1, max_size=12))
def test_edits_of_any_texts(pairs):
    assert count(pairs) == count_plainly(pairs)


@settings(max_examples=40, deadline=None)
@given(reference=words, rng=st.randoms(use_true_random=False))
def test_edits_where_words_only_stand_elsewhere(reference, rng):
    output = rng.sample(reference, len(reference))
    assert count([(output, reference)]) == count_plainly([(output, reference)])


def draw(rng, n_words, n_kinds):
    return [str(rng.randrange(n_kinds)) for _ in range(n_words)]


def turn(text, n_words):
    """The text with its first words at its end, and the text."""
    return text[n_words:] + text[:n_words], text


def long_pairs():
    """Pairs on which each limit of the search decides, and pairs of very different lengths."""
    text = [f"w{number}" for number in range(60)]
    yield from (turn(text, n_words) for n_words in (24, 25, 35, 36))  # just within the beam, and just outside
    yield from (turn(text[:30], n_words) for n_words in (10, 11))  # as long as a block may be, and longer
    yield from (turn(text[:length], 3) for length in (53, 54))  # as far as it may be moved, and farther
    # Of a little less and a little more than 1,000 moves in all.
    for seed, n_words, n_reference in ((95, 32, 31), (145, 28, 31), (368, 30, 33)):
        rng = random.Random(seed)
        yield draw(rng, n_words, 2), draw(rng, n_reference, 2)
    rng = random.Random(5)
    yield draw(rng, 40, 12), draw(rng, 40, 12)  # ten rounds
    yield draw(rng, 2, 30), draw(rng, 180, 30)  # more than 50 reference words to each output word: a wider beam
    yield draw(rng, 1, 3), draw(rng, 120, 3)
    yield draw(rng, 180, 60), draw(rng, 3, 60)
    yield [], text
    yield text, []
    yield [], []
    yield text, text


@pytest.mark.long
def test_edits_of_long_texts(monkeypatch):
    pairs = list(long_pairs())
    expected = count_plainly(pairs)
    assert count(pairs) == expected
    # Stopped before each move and begun again.
    assert count(pairs, monkeypatch, cells=1) == expected


@pytest.mark.long
def test_ties_are_broken_as_sacrebleu_breaks_them():
    """Where the moves of a round gain as much, the one that is taken decides on the next round."""
    rng = random.Random(3)
    pairs = [(draw(rng, 14, 5), draw(rng, 14, 5)) for _ in range(200)]
    assert count(pairs) == count_plainly(pairs)


@pytest.fixture
def kernels(monkeypatch):
    """They are loaded, however small the task."""
    monkeypatch.setattr(compiled, "_missed", 1_000.0)


OPTIONS = [Ter(*chosen) for chosen in product([False, True], repeat=4)]
every_option = pytest.mark.parametrize("metric", OPTIONS, ids=lambda metric: metric.signature)


def make_theirs(metric):
    return TER(metric.normalized, metric.no_punct, metric.asian_support, metric.case_sensitive)


@every_option
def test_references_are_tokenized_twice_and_outputs_once(metric, kernels):
    """So sacreBLEU does it; and what is normalized twice may differ from what is normalized once."""
    outputs = ["It was .,5 of", "a's.", "..1-2", "The dogs'.'s 1.,2", "&amp;amp;lt;", "かな。ナ、..5", "İ's."]
    references = [outputs, [*outputs[1:], outputs[0]]]
    expected = make_theirs(metric)._extract_corpus_statistics(outputs, references)
    if metric.normalized:
        assert [edits for edits, _ in expected] != [0] * len(outputs)
    assert metric.segment_statistics(frame_of_outputs({"it": outputs}, references)).tolist() == expected


@every_option
def test_statistics_equal_sacrebleus_with_any_number_of_references(metric, kernels):
    theirs = make_theirs(metric)

    @settings(max_examples=25, deadline=None)
    @given(segments=st.lists(st.tuples(texts, texts, st.none() | texts, st.none() | texts), min_size=1, max_size=4))
    def compare(segments):
        hypotheses, *references = map(list, zip(*segments, strict=True))
        expected = theirs._extract_corpus_statistics(hypotheses, references)
        found = metric.segment_statistics(frame_of_outputs({"it": hypotheses}, references))
        assert np.array_equal(found, np.array(expected, dtype=np.float64))

    compare()


def test_without_numba_the_statistics_are_sacrebleus_own(monkeypatch):
    monkeypatch.setattr(ter, "load_kernels", lambda name, *, saves: None)
    outputs = frame_of_outputs({"it": ["a b c d", ""]}, [["b c d a", "x y"], ["a b", None]])
    assert Ter().segment_statistics(outputs).tolist() == [[1.0, 3.0], [2.0, 2.0]]


def test_no_segment_has_no_statistics(kernels):
    assert Ter().segment_statistics(frame_of_outputs({"it": ["a"]}, [["a"]]).iloc[:0]).shape == (0, 2)


def test_the_search_is_loaded_for_as_many_words_as_repay_it(monkeypatch):
    asked = []
    monkeypatch.setattr(ter, "load_kernels", lambda name, *, saves: asked.append((name, saves)))
    Ter().segment_statistics(frame_of_outputs({"it": ["a b c", "a"]}, [["a b", "a b c d"], ["a", None]]))
    [(name, saves)] = asked
    assert (name, saves) == ("shifts", pytest.approx(3e-6 * (3 * 2 + 3 * 1 + 1 * 4)))


@pytest.fixture
def calls(monkeypatch):
    """What the search returns, call by call, where it may compute one cell at a time."""
    from mtworkbench.compiled import shifts

    monkeypatch.setattr(ter, "_CELLS_PER_CALL", 1)
    returned = []

    class Module:
        STATE, MOVES, make_room = shifts.STATE, shifts.MOVES, staticmethod(shifts.make_room)

        @staticmethod
        def search(*arguments):
            returned.append(shifts.search(*arguments))
            if len(returned) == 5:
                raise KeyboardInterrupt
            return returned[-1]

    return Module, returned


@pytest.mark.parametrize(
    ("outputs", "references"),
    [
        ([" ".join(map(str, range(60)))], [" ".join(map(str, reversed(range(60))))]),
        (["a b c"] * 5, ["d e f"] * 5),
        ([""] * 5, ["a"] * 5),
        (["a"] * 5, [""] * 5),
    ],
    ids=["between two moves of a segment", "between segments without moves", "without output", "without reference"],
)
def test_an_interrupt_is_answered(calls, outputs, references):
    """A call of the search ends when it has computed enough."""
    module, returned = calls
    numbered = number_texts(outputs, references)
    with pytest.raises(KeyboardInterrupt):
        ter.count_edits(module, *numbered)
    assert returned[:4] == [False, False, False, False]


def test_a_long_segment_counts_once_towards_the_loading_of_the_search(monkeypatch):
    """It is asked for twice: by the announcement, and by the work itself."""
    monkeypatch.setattr(compiled, "_missed", 0.0)
    monkeypatch.setattr(compiled, "_loaded", {})
    text = " ".join(map(str, range(520)))
    mtw.compute_statistics(mtw.make_outputs([text], {"it": [text + " 520"]}), "ter")
    assert compiled._missed == pytest.approx(3e-6 * 521 * 520)
