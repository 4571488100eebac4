"""What is done for all pairs of many systems grows as their number does, and no faster."""

import sys
from math import comb

import numpy as np
import pytest

import mtworkbench as mtw

FEW, MANY = 16, 32
FORMATS = ("text", "markdown", "latex", "csv", "json")


def make_statistics(n_systems):
    """Make up systems of which some differ significantly; all are of one test set."""
    rng, words = np.random.default_rng(5), np.array(list("abcdefgh"))
    reference = rng.choice(words, (30, 8))
    texts = {}
    for number in range(n_systems):
        other = rng.choice(words, reference.shape)
        kept = rng.random(reference.shape) > 0.05 + 0.5 * number / n_systems
        texts[f"system {number}"] = [[" ".join(line) for line in np.where(kept, reference, other)]]
    outputs = mtw.make_outputs([" ".join(line) for line in reference], texts)
    return [mtw.compute_statistics(outputs, metric) for metric in ("bleu", "chrf")]


def count_calls(function, *given, **options):
    """Call a function; return what it returns, and how many calls were made, those of C functions included."""
    calls = 0

    def note(frame, event, used):
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        found = function(*given, **options)
    finally:
        sys.setprofile(before)
    return found, calls


@pytest.fixture(scope="module")
def calls():
    """By what is done, the calls that it takes with few systems and with many."""
    counted = {}
    make_comparison(3)  # imports, and what is found once per process
    for n_systems in (FEW, MANY):
        comparison, counted["compare", n_systems] = count_calls(make_comparison, n_systems)
        for format in FORMATS:
            _, counted[format, n_systems] = count_calls(mtw.format_comparison, comparison, format)
        _, counted["notebook", n_systems] = count_calls(comparison._repr_html_)
    return counted


def make_comparison(n_systems):
    return mtw.compare(make_statistics(n_systems), n_trials=1000, rng=1)


@pytest.mark.long
@pytest.mark.parametrize("done", ["compare", *FORMATS, "notebook"])
def test_what_is_done_per_pair_does_not_grow_with_their_number(calls, done):
    assert calls[done, MANY] / calls[done, FEW] < comb(MANY, 2) / comb(FEW, 2)
