"""What is said of length: in the headline where it is most of a difference, in the paragraph of every difference."""

import numpy as np
import pytest

import mtworkbench as mtw
from mtworkbench.words.sentences_on_doubts import describe_lengths, describe_parts_of

from .hand_made import changed, comparison, pair, system

pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")


SHOWN = {"verdict": "significant", "p_adjusted": 0.01}


def compared(from_length, difference=0.82, ratios=(1.01, 0.977), **changes):
    systems = [
        system(name, score, length_ratio=ratio, brevity_penalty=min(1.0, np.exp(1 - 1 / ratio)))
        for name, score, ratio in zip("ab", (27.0 + difference, 27.0), ratios, strict=True)
    ]
    return comparison(systems, [pair("a", "b", difference, from_length=from_length, **SHOWN | changes)])


def test_the_headline_says_where_most_is_length():
    assert list(describe_lengths(compared(0.7), 3)) == [
        "Most of the difference in BLEU comes from length: 0.70 of 0.82 points come from the brevity penalty "
        "(b is 2.3 % shorter than the reference)."
    ]
    assert any("Most of the difference in BLEU comes from length" in one for one in compared(0.7).headline)


@pytest.mark.parametrize("from_length", [0.4, 0.0, -0.7, None])
def test_it_says_nothing_where_most_is_precision(from_length):
    assert list(describe_lengths(compared(from_length), 3)) == []


def test_a_difference_that_is_not_shown_is_not_explained():
    assert list(describe_lengths(compared(0.7, verdict="not significant"), 3)) == []


def test_where_precision_speaks_for_the_other_system_both_parts_are_said():
    assert list(describe_lengths(compared(0.95), 3)) == [
        "The difference in BLEU comes from length: n-gram precision contributes -0.13 and the brevity penalty +0.95 "
        "(b is 2.3 % shorter than the reference)."
    ]


def test_the_paragraph_has_both_parts():
    found = compared(-0.7)
    [metric] = found.metrics.values()
    assert list(describe_parts_of("BLEU", metric, metric.comparisons[0])) == [
        "Of this difference in BLEU, n-gram precision contributes +1.52 and the brevity penalty -0.70 "
        "(b is 2.3 % shorter than the reference)."
    ]
    assert "n-gram precision contributes +1.52" in mtw.describe_comparison(found)


def test_a_system_that_is_shorter_by_nothing_that_shows_is_not_named():
    [said] = describe_lengths(compared(0.7, ratios=(0.9998, 0.977)), 3)
    assert said.endswith("(b is 2.3 % shorter than the reference).")


def test_a_part_that_rounds_to_nothing_is_not_said():
    [metric] = compared(0.001).metrics.values()
    assert list(describe_parts_of("BLEU", metric, metric.comparisons[0])) == []


def test_of_many_pairs_those_that_are_shown_are_named():
    names = "abcd"
    systems = [system(name, 27.0 + place, length_ratio=0.98) for place, name in enumerate(names)]
    pairs = [
        pair(later, earlier, 1.0, from_length=0.9 if earlier == "a" else 0.1, **SHOWN)
        for place, earlier in enumerate(names)
        for later in names[place + 1 :]
    ]
    pairs[0] = changed(pairs[0], verdict="not significant")
    [said] = describe_lengths(comparison(systems, pairs), 3)
    assert said == "2 differences in BLEU come mostly from the brevity penalty: c - a and d - a."


def test_compare_splits_every_difference_in_bleu_and_leaves_other_metrics_alone():
    reference = ["the cat sat on the mat by the door", "a dog ran over the wet green field today"] * 20
    short = [" ".join(one.split()[:-2]) for one in reference]
    outputs = mtw.make_outputs(
        reference, {"short": [short], "whole": [reference[:-1] + ["a dog ran today"]]}, accept=["repeated-segments"]
    )
    found = mtw.compare([mtw.compute_statistics(outputs, name) for name in ("bleu", "chrf")], rng=1)
    bleu, chrf = found.metrics.values()
    [one] = bleu.comparisons
    table = {row.system: row for row in bleu.systems}
    assert one.a == "whole"
    assert one.from_length > 0
    assert one.turned().from_length == -one.from_length
    assert table["short"].length_ratio < 0.85
    assert table["short"].brevity_penalty == pytest.approx(np.exp(1 - 1 / table["short"].length_ratio))
    assert chrf.comparisons[0].from_length is None
    assert chrf.systems[0].brevity_penalty is None
