"""Made-up n-best lists: what is counted from word numbers equals what is counted from the text; draws are nested."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mtworkbench.metrics import Bleu
from mtworkbench.papers.simulation.made_up_lists import Decoder, Task, make_lists, make_sentences
from mtworkbench.papers.simulation.nbest import outputs_frame
from mtworkbench.statistics.segment_statistics import compute_statistics

TASK = Task(8, 0.4, n_references=3, paraphrases=0.3, difficulty=1.0, word_difficulty=1.4)
DECODER = Decoder(0.4, 0.6, 0.4, n_hypotheses=6, n_features=4, feature_noise=3.0)


def lists_of(task=TASK, decoder=DECODER, n_segments=40, number=0, rng=1):
    return make_lists(make_sentences(task, n_segments, rng=rng), decoder, number, rng=2)


def test_statistics_are_those_of_the_text():
    lists = lists_of()
    for place in range(DECODER.n_hypotheses):
        outputs = outputs_frame(lists.references, "A", 1, lists.hypotheses[:, place])
        for metric in (Bleu(tokenize="none"), Bleu()):
            ordinary = compute_statistics(outputs, metric)["A"].values[0]
            assert np.array_equal(lists.statistics[:, place], ordinary)


def test_short_and_empty_ends_are_counted_too():
    # Sentences of three words have no 4-gram; lists of one hypothesis and of one reference are lists.
    task = replace(TASK, sentence_length=3, length_spread=0.0, n_references=1)
    lists = lists_of(task, replace(DECODER, n_hypotheses=1))
    assert (lists.statistics[..., 1] == 3).all()
    ordinary = compute_statistics(outputs_frame(lists.references, "A", 1, lists.hypotheses[:, 0]), "bleu")["A"].values
    assert np.array_equal(lists.statistics[:, 0], ordinary[0])


def test_smaller_lists_begin_larger_ones():
    whole = lists_of()
    fewer = {
        "segments": lists_of(n_segments=15),
        "hypotheses": lists_of(decoder=replace(DECODER, n_hypotheses=2)),
        "features": lists_of(decoder=replace(DECODER, n_features=3)),
    }
    for what, lists in fewer.items():
        n_features, n_segments, n_hypotheses = lists.features.shape
        assert np.array_equal(lists.features, whole.features[:n_features, :n_segments, :n_hypotheses]), what
        assert np.array_equal(lists.hypotheses, whole.hypotheses[:n_segments, :n_hypotheses]), what
    one_reference = lists_of(replace(TASK, n_references=1))
    assert np.array_equal(one_reference.references[:, 0], whole.references[:, 0])
    assert np.array_equal(one_reference.hypotheses, whole.hypotheses)
    assert (one_reference.statistics[..., 2] <= whole.statistics[..., 2]).all()


def test_systems_share_sentences_and_nothing_else():
    one, other = lists_of(), lists_of(number=1)
    assert np.array_equal(one.references, other.references)
    assert (one.hypotheses != other.hypotheses).mean() > 0.5
    assert not np.array_equal(lists_of(rng=3).references, one.references)
    assert np.array_equal(lists_of().features, one.features)
    # What is hard is hard for both: the best matched sentences are so for both.
    matched = [lists.statistics[..., 2].sum(axis=1) / lists.statistics[..., 6].sum(axis=1) for lists in (one, other)]
    assert np.corrcoef(matched)[0, 1] > 0.5


def test_features_carry_quality_with_noise():
    lists = lists_of(decoder=replace(DECODER, feature_noise=1.0), n_segments=300)
    assert np.array_equal(lists.features[0], lists.statistics[..., 0])
    matches = lists.statistics[..., 2:6].sum(axis=-1)
    within = matches - matches.mean(axis=1, keepdims=True)
    for view in lists.features[1:]:
        correlation = np.corrcoef(within.ravel(), (view - view.mean(axis=1, keepdims=True)).ravel())[0, 1]
        assert 0.2 < correlation < 0.99


def test_an_average_hypothesis_has_the_error_rate():
    task = replace(TASK, n_references=1, paraphrases=0.0)
    lists = lists_of(task, n_segments=1500)
    wrong = 1 - lists.statistics[..., 2].sum() / lists.statistics[..., 6].sum()
    # Words that are moved match as they are, so fewer than 40 % fail to match.
    assert wrong == pytest.approx(0.4 * (1 - 0.15), abs=0.03)


def test_chosen_hypotheses_are_an_outputs_frame():
    lists = lists_of()
    outputs = lists.outputs(DECODER.start, "A")
    assert outputs.columns.tolist() == [
        "segment",
        "reference",
        "reference_2",
        "reference_3",
        "system",
        "run",
        "hypothesis",
    ]
    chosen = lists.choose(DECODER.start)
    assert outputs["hypothesis"].tolist() == [
        texts[place] for texts, place in zip(lists.hypotheses, chosen, strict=True)
    ]
    assert isinstance(outputs, pd.DataFrame)
    score = compute_statistics(outputs.assign(run=1), "bleu").score()["A"][0, 0]
    assert score == pytest.approx(lists.score(DECODER.start), abs=1e-9)
