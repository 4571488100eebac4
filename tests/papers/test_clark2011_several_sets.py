"""What several test sets say of a difference: the frame and the sentences about it."""

import numpy as np
import pytest

import mtworkbench as mtw
from mtworkbench.papers import clark2011 as study
from mtworkbench.papers.clark2011.findings import describe_each_test_set
from mtworkbench.papers.simulation.koehn2004 import load_statistics as load_koehn2004_statistics
from scripts.examine_real_test_sets import summarize_test_sets


@pytest.fixture(scope="module")
def comparison():
    corpus = load_koehn2004_statistics()
    parts = study.separate_test_sets(corpus, 500, cut="consecutive")[:5]
    sets = {f"part {number}": one for number, one in enumerate(parts, 1)}
    return mtw.compare_test_sets(sets, "Danish", unit="segment", n_resamples=400, rng=1)


def test_the_summary_holds_what_sets_show(comparison):
    found = summarize_test_sets(comparison)
    pairs = comparison.metrics["BLEU"].comparisons
    assert list(zip(found["a"], found["b"], strict=True)) == [(pair.a, pair.b) for pair in pairs]
    for row, pair in zip(found.itertuples(), pairs, strict=True):
        differences = np.array([one.difference for one in pair.sets])
        errors = np.array([one.standard_error for one in pair.sets])
        assert row.test_sets == 5
        assert row.difference == pytest.approx(differences.mean())
        assert row.ratio == pytest.approx(differences.std(ddof=1) / np.sqrt((errors**2).mean()))
        assert row.shown == (pair.verdict == "significant")
        assert row.shown_for_new == (row.shown and pair.new_sets_verdict == "significant")
        assert row.new_sets_p_adjusted == pair.new_sets_p_adjusted


def test_sentences_count_what_is_shown_and_name_what_holds_on_these_sets_only(comparison):
    found = summarize_test_sets(comparison)
    said = " ".join(describe_each_test_set(found))
    n_pairs = len(found)
    assert f"is shown for {found['shown'].sum()} of {n_pairs} pairs of systems" in said
    assert f"it is shown for {found['shown_for_new'].sum()}" in said
    only_here = found[found["shown"] & ~found["shown_for_new"]]
    assert ("Shown for these test sets only" in said) == bool(len(only_here))
    none = found.assign(shown=False, shown_for_new=False)
    assert describe_each_test_set(none)[-1].endswith(f"is shown for 0 of {n_pairs} pairs of systems.")


def test_equal_standard_errors_of_zero_have_no_ratio(comparison):
    found = summarize_test_sets(comparison).assign(ratio=np.nan)
    assert "spreads" not in " ".join(describe_each_test_set(found))
