"""Segments that take minutes are announced before the work on them begins."""

import warnings

import numpy as np
import pytest

import mtworkbench as mtw
from mtworkbench import compiled
from mtworkbench.metrics import Gtm, Ter, cautions, ter

WORDS = [f"w{number * number % 101}" for number in range(9_000)]


def announced(metric, reference, systems):
    """The announcements that computing the statistics of a metric makes."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        mtw.compute_statistics(mtw.make_outputs(reference, systems), metric)
    return [one.message for one in found if getattr(one.message, "code", "") == "long-segment"]


@pytest.fixture(autouse=True)
def no_work(monkeypatch):
    """No test here waits for a long segment, and numba, with which TER takes no time, is not there."""
    monkeypatch.setattr(ter, "load_kernels", lambda name, *, saves: None)

    def score_nothing(self, outputs):
        warnings.warn("the work begins", stacklevel=2)
        return np.ones((len(outputs), len(self.statistic_names)))

    for metric in (Ter, Gtm):
        monkeypatch.setattr(metric, "segment_statistics", score_nothing)


def test_one_long_segment_is_named_by_its_system():
    long = " ".join(WORDS[:2000])
    [warning] = announced("ter", ["a b", long], {"base": ["a b", long], "new": ["a b", "c d"]})
    assert str(warning) == (
        "system 'base', run 1, segment 2: the output and a reference of this segment both have 2,000 words or "
        "more. TER may take minutes for such a segment. To save time, leave long segments out for all systems, split "
        "them into sentences, or use another metric, such as chrF."
    )
    assert (warning.line, warning.count, warning.path) == (2, 1, None)


def test_where_numba_compiles_the_search_ter_announces_nothing(monkeypatch):
    asked = []
    monkeypatch.setattr(ter, "load_kernels", lambda name, *, saves: asked.append(saves) or ter)
    long = [" ".join(WORDS[:500]), " ".join(WORDS[:6_000])]
    assert announced("ter", long, {"base": long}) == []
    assert announced("gtm", long, {"base": long}) != []
    # The search is asked for with what the longest segment takes.
    assert asked == [pytest.approx(3e-6 * 6_000**2)]


def test_a_segment_that_would_be_announced_repays_the_loading_of_numba():
    assert ter._SECONDS_PER_PRODUCT * cautions.LONG[Ter] ** 2 > compiled.SECONDS_TO_LOAD


def test_of_several_the_longest_is_named():
    references = [" ".join(WORDS[:length]) for length in (6_000, 8_000, 5_999)]
    runs = [references, [text + " more" for text in references]]
    [warning] = announced("gtm", references, {"base": runs})
    assert str(warning).startswith(
        "4 outputs, counted over systems and runs, have segments of 6,000 words or more; the longest has 8,000 "
        "(system 'base', run 1, segment 2). GTM-1 may take minutes for such a segment."
    )
    assert (warning.line, warning.count) == (2, 4)


def test_what_is_short_on_one_side_or_quick_to_score_is_not_announced():
    long = " ".join(WORDS[:2000])
    assert announced("ter", [long, "a"], {"base": ["a b", long]}) == []
    assert announced("ter", [" ".join(WORDS[:499])], {"base": [" ".join(WORDS[:499])]}) == []
    assert announced("ter", [long], {"base": [" ".join(WORDS[:40])]}) == []
    assert announced("gtm", [long], {"base": [long]}) == []
    assert announced("chrf", [long], {"base": [long]}) == []
    assert announced("ter", ["x" * 5000], {"base": ["x" * 5000]}) == []


def test_the_announcement_comes_before_the_work(recwarn):
    warnings.simplefilter("always")
    long = " ".join(WORDS[:600])
    mtw.compute_statistics(mtw.make_outputs([long], {"base": [long]}), "ter")
    said = [str(one.message) for one in recwarn]
    assert said[-1] == "the work begins"
    assert said[-2].startswith(
        "system 'base', run 1, segment 1: the output and a reference of this segment both have 600 "
    )


def test_any_reference_may_be_the_long_one():
    long = " ".join(WORDS[:500])
    outputs = mtw.make_outputs([["a", "b"], [None, long]], {"base": ["a", long]})
    assert cautions.long_segments(Ter(), [outputs]).line == 2


def test_ter_takes_long_for_a_short_output_of_a_very_long_reference():
    reference, output = " ".join(WORDS[:6_000]), " ".join(WORDS[:450])
    [warning] = announced("ter", [reference], {"base": [output]})
    assert "the output and a reference of this segment both have 450 words or more. TER may take" in str(warning)


def test_characters_that_are_words_are_counted():
    text = "".join(chr(0x4E00 + number % 3_000) for number in range(6_500))
    assert announced("gtm:tokenize=zh", [text], {"base": [text]})
    assert announced(Ter(normalized=True, asian_support=True), [text], {"base": [text]})
    assert announced("ter", [text], {"base": [text]}) == announced("gtm", [text], {"base": [text]}) == []
