"""Draws, made-up words and texts, and the channel that spoils them."""

import numpy as np
import pytest
import sacrebleu
from scipy.signal import lfilter

from mtworkbench.errors import InputError
from mtworkbench.papers.simulation.corpus import (
    CorpusDesign,
    Difficulty,
    MadeUpCorpus,
    standardize,
)
from mtworkbench.papers.simulation.draws import Draws, Part
from mtworkbench.papers.simulation.noisy_channel import (
    ErrorKinds,
    MadeUpSystem,
    burst_noise,
    run_chain,
    send_through_channel,
)
from mtworkbench.papers.simulation.pseudotext import (
    Language,
    TokenArray,
    lognormal_lengths,
    match_words,
    spell,
    write_text,
)

MASK = 2**64 - 1


def plain_word(key: int, number: int) -> int:
    """SplitMix64 in plain integers."""
    z = (key + (number + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return z ^ z >> 31


def small_design(n_segments=300, **changes) -> CorpusDesign:
    systems = (MadeUpSystem("first", 0.0, 0.4, 0.1), MadeUpSystem("second", 0.1, 0.3, 0.15))
    options = {
        "systems": systems,
        "correlations": ((1.0, 0.6), (0.6, 1.0)),
        "difficulty": Difficulty(document_sd=0.2, segment_sd=0.3, document_correlation=0.9),
        "segment_length": (15.0, 0.5),
        "document_length": (20.0, 0.5),
    }
    return CorpusDesign(n_segments, **(options | changes))


@pytest.fixture(scope="module")
def corpus():
    return MadeUpCorpus(small_design(), rng=5)


def test_stream_of_a_part_follows_from_the_key():
    draws = Draws(1)
    simulation = plain_word(9441442522235856127, 3)
    part = plain_word(simulation, Part.ERRORS)
    run = plain_word(plain_word(part, 2), 1)
    assert draws.words(3, Part.ERRORS).tolist() == [plain_word(part, number) for number in range(3)]
    assert draws.words(3, Part.ERRORS, 2, 1).tolist() == [plain_word(run, number) for number in range(3)]
    uniforms = [((plain_word(part, number) >> 11) + 0.5) * 2.0**-53 for number in range(3)]
    assert draws.uniforms(3, Part.ERRORS).tolist() == uniforms


def test_parts_have_different_numbers():
    assert len({part.value for part in Part}) == len(Part.__members__)


def test_words_are_spelled_differently_and_the_same_by_every_tokenizer():
    words = [spell(number) for number in range(100_000)]
    assert len(set(words)) == len(words)
    assert all(word.isascii() and word.isalpha() and word.islower() for word in words)
    assert len(spell(0)) == 2 and len(spell(75)) == 4 and len(spell(75 + 75**2)) == 6
    tokenize = sacrebleu.BLEU(tokenize="13a").tokenizer
    text = " ".join(words[::997])
    assert tokenize(text) == text


def test_word_frequencies_follow_zipf():
    table = Language(n_words=1000, exponent=1.0, shift=2.0).word_table
    shares = 1 / (np.arange(1000) + 3)
    shares /= shares.sum()
    counts = np.bincount(table, minlength=1000) / len(table)
    assert counts == pytest.approx(shares, abs=2.0**-15)


def test_half_of_the_words_follow_from_the_word_before():
    ordered, free = (
        MadeUpCorpus(small_design(3000, language=Language(order=order)), rng=5).reference for order in (0.5, 0.0)
    )
    shares = []
    for reference in (ordered, free):
        words, inner = reference.words, np.diff(reference.segment_of_word) == 0
        counts = np.bincount(words[1:][inner & (words[:-1] == 5)])
        shares.append(np.sort(counts)[-8:].sum() / counts.sum())
    assert shares[0] > 0.5 > 0.35 > shares[1]


def test_text_keeps_words_and_segments(corpus):
    text = write_text(corpus.reference)
    assert [len(line.split(" ")) for line in text] == corpus.reference.lengths.tolist()
    assert " ".join(text).split(" ") == [spell(word) for word in corpus.reference.words]


def test_lengths_have_mean_and_limits():
    lengths = lognormal_lengths(30.0, 0.5, (3, 100), Draws(3).normals(20_000, Part.SEGMENT_LENGTHS))
    assert lengths.min() >= 3 and lengths.max() <= 100
    assert lengths.mean() == pytest.approx(29.9, abs=0.3)


def test_documents_are_contiguous_and_named_in_order(corpus):
    names = list(corpus.documents)
    assert list(dict.fromkeys(names)) == sorted(set(names))
    assert (np.diff(corpus.document_of_segment) >= 0).all()
    assert 300 / len(set(names)) == pytest.approx(20, rel=0.35)


def test_same_rng_same_text_another_rng_another(corpus):
    again, other = (MadeUpCorpus(small_design(), rng=rng).to_frame() for rng in (5, 6))
    frame = corpus.to_frame()
    assert frame.equals(again)
    assert (frame["hypothesis"] != other["hypothesis"]).mean() > 0.9


def test_a_frame_holds_the_text(corpus):
    frame = corpus.to_frame()
    assert list(frame.columns) == ["document", "segment", "reference", "system", "run", "hypothesis"]
    second = frame[frame["system"] == "second"]
    assert len(second) == len(frame) / 2
    assert second["hypothesis"].tolist() == write_text(corpus.translate("second"))
    assert second["reference"].tolist() == write_text(corpus.reference)
    assert second["document"].tolist() == list(corpus.documents)
    assert second["segment"].tolist() == list(range(1, 301))
    assert set(second["run"]) == {1}
    assert all(type(text) is str for text in frame[["document", "reference", "system", "hypothesis"]].to_numpy().flat)
    part = corpus.to_frame(["second"], np.array([4, 2]))
    assert part.equals(second.iloc[[4, 2]].reset_index(drop=True))


def test_statistics_from_numbers_are_sacrebleus_of_the_text(corpus):
    reference = write_text(corpus.reference)
    for system in ("first", "second"):
        hypotheses = write_text(corpus.translate(system))
        rows = match_words(corpus.translate(system), corpus.reference)
        for tokenize in ("13a", "none"):
            bleu = sacrebleu.BLEU(tokenize=tokenize)
            assert rows.tolist() == bleu._extract_corpus_statistics(hypotheses, [reference])


def test_effects_have_their_moments_exactly(corpus):
    normals = np.stack([Draws(1).normals(500, Part.SEGMENT_EFFECTS, number) for number in range(3)])
    wanted = np.array([[1, 0.5, 0.2], [0.5, 1, 0.7], [0.2, 0.7, 1]])
    effects = standardize(normals, wanted)
    assert effects.mean(axis=1) == pytest.approx(0, abs=1e-12)
    assert effects @ effects.T / 500 == pytest.approx(wanted, abs=1e-12)
    assert corpus.segment_effects.mean(axis=1) == pytest.approx(0, abs=1e-12)


def test_noise_comes_in_bursts_of_the_wanted_strength():
    noise = burst_noise(Draws(2).normals(200_000, Part.WORD_NOISE), 0.6)
    assert noise.std() == pytest.approx(1, abs=0.01)
    assert np.corrcoef(noise[1:], noise[:-1])[0, 1] == pytest.approx(0.6, abs=0.01)


def test_chains_are_those_of_a_filter_of_scipy():
    normals = Draws(2).normals(1000, Part.WORD_NOISE)
    np.testing.assert_allclose(run_chain(normals, 0.6), lfilter([1], [1, -0.6], normals), rtol=1e-12)


def channel(latent, deletions=0.0, kinds=None):
    reference = TokenArray(np.arange(1000, 1010, dtype=np.int32), np.array([0, 4, 10]))
    draws = Draws(4).words(10, Part.ERRORS)
    table = np.zeros(2**16, dtype=np.int32)
    kinds = kinds or ErrorKinds(0.0, 0.0)
    return reference, *send_through_channel(reference, np.asarray(latent, float), draws, table, deletions, kinds)


def test_nothing_wrong_is_the_reference_itself():
    reference, hypothesis, origins = channel(-np.ones(10))
    assert hypothesis.words.tolist() == reference.words.tolist()
    assert hypothesis.starts.tolist() == reference.starts.tolist()
    assert origins.tolist() == list(range(10))


def test_wrong_words_are_substituted():
    latent = np.where(np.arange(10) == 6, 0.1, 0.0)
    reference, hypothesis, _ = channel(latent)
    assert np.flatnonzero(hypothesis.words != reference.words).tolist() == [6]
    assert hypothesis.words[6] == 0


def test_no_segment_becomes_empty():
    _, hypothesis, origins = channel(np.ones(10), deletions=1.0)
    assert hypothesis.lengths.tolist() == [1, 1]
    assert origins.tolist() == [0, 4]
    assert hypothesis.words.tolist() == [0, 0]


def test_insertions_double_and_moves_stay_in_their_segment():
    _, hypothesis, origins = channel(np.ones(10), kinds=ErrorKinds(1.0, 0.0))
    assert hypothesis.lengths.tolist() == [8, 12]
    assert origins.tolist() == np.repeat(np.arange(10), 2).tolist()
    reference, hypothesis, _ = channel(np.where(np.arange(10) % 3 == 0, 1.0, -1.0), kinds=ErrorKinds(0.0, 1.0, 3))
    for first, last in ((0, 4), (4, 10)):
        assert sorted(hypothesis.words[first:last]) == reference.words[first:last].tolist()
    assert hypothesis.words.tolist() != reference.words.tolist()


def test_unknown_system_is_named(corpus):
    with pytest.raises(InputError, match="There is no made-up system 'third'; there are first, second."):
        corpus.translate("third")
