import numpy as np
import pandas as pd
import pytest

from mtworkbench.errors import InputError
from mtworkbench.metrics import Bleu
from mtworkbench.papers import koehn2004 as study
from mtworkbench.papers.simulation.koehn2004 import make_koehn2004_corpus
from mtworkbench.resampling import broad_samples
from mtworkbench.statistics.segment_statistics import compute_statistics


@pytest.mark.long
def test_figure_1_on_a_broad_sample():
    """The numbers that the issue names: BLEU loses about a fifth at 0.85, GTM 3 to 5 %."""
    corpus = make_koehn2004_corpus()
    sample = broad_samples(30_000, 10)[0]
    at_lengths = study.made_up_at_lengths(corpus, ["Spanish"], sample)
    frame = study.score_lengths(at_lengths, (0.85, 0.92, 0.97, 1.0, 1.03, 1.1), ["bleu:tokenize=none", "gtm"])
    assert list(frame.columns) == ["system", "metric", "ratio", "score", "percent"]
    assert frame["percent"][3] == 100 and frame["percent"][0] == pytest.approx(81, abs=3)
    assert frame["ratio"].to_numpy() == pytest.approx([0.85, 0.92, 0.97, 1.0, 1.03, 1.1] * 2, abs=0.005)
    bleu, gtm = (part.set_index("ratio")["score"] for _, part in frame.groupby("metric", sort=False))
    assert 0.965 <= bleu.idxmax() <= 1.035
    assert 0.16 <= 1 - bleu.iloc[0] / bleu.max() <= 0.24
    assert 0.03 <= 1 - gtm.iloc[0] / gtm.max() <= 0.05


def test_made_up_outputs_of_a_sample_are_those_of_the_corpus():
    corpus = make_koehn2004_corpus()
    sample = np.array([5, 29_999, 17])
    own = len(corpus.translate("Greek").words) / len(corpus.reference.words)
    outputs = study.made_up_at_lengths(corpus, ["Greek"], sample)(own)
    whole = corpus.to_frame(["Greek"])
    assert list(outputs["hypothesis"]) == list(whole["hypothesis"].iloc[sample])
    assert list(outputs["reference"]) == list(whole["reference"].iloc[sample])


def real_outputs():
    random = np.random.default_rng(2)
    reference = [" ".join(random.choice(list("abcdefghijklmnop"), 12)) for _ in range(50)]
    heads = [{"segment": np.arange(1, 51), "system": name, "run": 1, "reference": reference} for name in ("one", "two")]
    hypotheses = [reference, [text.replace("a", "x") for text in reference]]
    frames = [pd.DataFrame(head | {"hypothesis": text}) for head, text in zip(heads, hypotheses, strict=True)]
    return pd.concat(frames, ignore_index=True)


def test_real_outputs_get_the_length_that_was_asked_for():
    outputs = real_outputs()
    at_lengths = study.real_at_lengths(outputs, rng=1)
    frame = study.score_lengths(at_lengths, (0.6, 0.9, 1.0, 1.3, 2.0), [Bleu(tokenize="none")])
    assert list(frame["system"]) == ["one"] * 5 + ["two"] * 5
    assert frame["ratio"].to_numpy() == pytest.approx([0.6, 0.9, 1.0, 1.3, 2.0] * 2, abs=1e-3)
    one = frame[frame["system"] == "one"]["score"].to_numpy()
    assert one.argmax() == 2 and one[2] == pytest.approx(100)
    unchanged = compute_statistics(outputs, Bleu(tokenize="none")).score()["two"][0, 0]
    assert frame["score"][7] == pytest.approx(unchanged, abs=1e-12)


def test_what_is_left_out_once_is_left_out_at_every_lower_ratio():
    at_lengths = study.real_at_lengths(real_outputs(), rng=1)
    longer, shorter = at_lengths(0.9)["hypothesis"], at_lengths(0.7)["hypothesis"]
    for more, less in zip(longer, shorter, strict=True):
        words = iter(more.split())
        assert all(word in words for word in less.split())
    assert list(at_lengths(0.7)["hypothesis"]) == list(shorter)


def lengths_frame(**scores):
    rows = [("one", metric, *point) for metric, points in scores.items() for point in points]
    return pd.DataFrame(rows, columns=["system", "metric", "ratio", "score"])


def test_scores_are_related_to_that_at_the_references_length():
    """Of the same system and metric, at the ratio that is nearest to 1; nothing is a part of 0."""
    frame = lengths_frame(BLEU=[(0.8, 20.0), (0.99, 25.0), (1.2, 30.0)], GTM=[(1.02, 50.0), (0.9, 60.0)])
    frame = pd.concat([frame, frame.assign(system="two", score=0.0)]).set_axis(range(5, 15))
    related = study.relate_lengths(frame)
    assert list(related.columns) == ["system", "metric", "ratio", "score", "percent"]
    assert list(related.index) == list(range(5, 15))
    assert list(related["percent"][:5]) == [80, 100, 120, 100, 120]
    assert related["percent"][5:].isna().all()


def test_lengths_vary_on_what_is_given_or_on_koehns_systems():
    outputs = real_outputs()
    own = study.vary_lengths(outputs, ["two"], rng=1)(0.9)
    wanted = study.real_at_lengths(outputs[outputs["system"] == "two"], rng=1)(0.9)
    pd.testing.assert_frame_equal(own, wanted)
    made_up = study.vary_lengths(outputs, ["Greek"])(0.9)
    assert set(made_up["system"]) == {"Greek"} and len(made_up) == 2000


def test_a_ratio_out_of_range_is_refused():
    with pytest.raises(InputError, match=r"^A length ratio of 0\.1 was asked for, but one from 0\.5 to 2 was expected"):
        study.real_at_lengths(real_outputs(), rng=1)(0.1)


def test_scores_without_texts_are_refused_in_one_sentence():
    without = real_outputs().drop(columns="hypothesis")
    with pytest.raises(InputError, match=r"^The outputs have no column 'hypothesis', but only .*\.$"):
        study.real_at_lengths(without, rng=1)(0.9)


def test_on_real_outputs_bleu_falls_with_the_words_left_out(shared):
    folder = shared / "realdata" / "multiref11-wmt14-en-de"
    from mtworkbench import read_outputs

    systems = {path.name: path for path in sorted((folder / "sys").glob("*"))[:1]}
    outputs = read_outputs(folder / "refs" / "ref.T.de", systems)
    frame = study.score_lengths(study.real_at_lengths(outputs, rng=1), (0.85, 0.92, 1.0))
    bleu, gtm = (part["score"].to_numpy() for _, part in frame.groupby("metric", sort=False))
    assert bleu[0] < bleu[1] < bleu[2]
    assert 1 - bleu[0] / bleu[2] > 2 * (1 - gtm[0] / gtm[2])


def test_references_of_eleven_people(shared):
    """Koehn (2004), §2.3, on real references: more of them raise BLEU; who is held out matters."""
    folder = shared / "realdata" / "multiref11-wmt14-en-de"
    from mtworkbench import read_outputs

    references = [folder / "refs" / f"ref.{name}.de" for name in ("T", "R1", "R2", "R3")]
    systems = {path.name: path for path in sorted((folder / "sys").glob("*"))[:1]}
    outputs = read_outputs(references, systems, accept="same-references")
    counts = study.score_reference_counts(outputs, n_choices=3, rng=1)
    assert counts.groupby("references")["score"].mean().is_monotonic_increasing
    relative = study.score_references(outputs)
    assert relative[relative["scored"] != "human"]["relative_to_human"].std() > 1
