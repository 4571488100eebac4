"""GTM against the released program's numbers, a plain search, and itself."""

import re
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtworkbench.errors import InputError
from mtworkbench.metrics import Gtm, gtm, make_metric
from mtworkbench.resampling import bootstrap_weights
from mtworkbench.statistics.segment_statistics import compute_statistics

# Texts that are drawn may have a blank before each full stop.
pytestmark = pytest.mark.filterwarnings("ignore:References and outputs are tokenized:mtworkbench.errors.DataWarning")


def plain_size(hypothesis, references, exponent):
    """The match size of one segment: the released program's search, run by run through the sorted list of all runs."""
    columns = [word for reference in references for word in [*reference, None]]
    runs = []
    for row in range(len(hypothesis)):
        for column in range(len(columns)):
            length = 0
            while (
                row + length < len(hypothesis)
                and column + length < len(columns)
                and hypothesis[row + length] == columns[column + length]
            ):
                length += 1
                runs.append((length, row, column))
    used_rows, used_columns = set(), set()
    left = min(len(hypothesis), np.mean([len(reference) for reference in references]))
    power = 0.0
    for length, row, column in sorted(runs, reverse=True):
        if left <= 0:
            break
        matched = min(length, left)
        rows, columns_ = set(range(row, row + ceil(matched))), set(range(column, column + ceil(matched)))
        if not (rows & used_rows or columns_ & used_columns):
            used_rows |= rows
            used_columns |= columns_
            left -= matched
            power += matched**exponent
    return power ** (1 / exponent)


WORDS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=12)


@given(
    st.lists(st.tuples(WORDS, WORDS, WORDS | st.none(), WORDS | st.none()), min_size=1, max_size=5),
    st.sampled_from([0.9, 1.0, 1.5, 3.0]),
    st.sampled_from([1, 2**20]),
)
def test_finds_the_runs_of_a_plain_search(make_outputs, segments, exponent, batch_hits):
    hypotheses, *references = (
        [None if words is None else " ".join(words) for words in column] for column in zip(*segments, strict=True)
    )
    outputs = make_outputs({"it": hypotheses}, references)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gtm, "BATCH_HITS", batch_hits)
        statistics = Gtm(exponent).segment_statistics(outputs)
    for row, (hypothesis, *words) in zip(statistics, segments, strict=True):
        present = [reference for reference in words if reference is not None]
        assert row[0] == pytest.approx(plain_size(hypothesis, present, exponent), rel=1e-12)
        assert row[1:] == pytest.approx([len(hypothesis), np.mean([len(reference) for reference in present])])


def test_golden_runs_of_the_program(golden, golden_outputs):
    n_cases = 0
    for name, case in golden("gtm").items():
        inputs, expected = case["inputs"], case["expected"]
        if "format" in inputs:
            continue
        n_cases += 1
        metric = Gtm(float(case["options"]["exponent"]))
        outputs = golden_outputs({"it": [inputs["hyp"]]}, inputs["refs"], inputs.get("lines", (0, None)))
        statistics = metric.segment_statistics(outputs)
        powers, sizes, reference_lengths, lengths, _, _, f_measures = np.array(expected["by_segment"]).T
        # The columns have 10 digits.
        assert statistics[:, 0] ** metric.exponent == pytest.approx(powers, rel=1e-9), name
        assert statistics == pytest.approx(np.stack([sizes, lengths, reference_lengths], axis=1), rel=1e-9), name
        assert metric.segment_score(statistics) / 100 == pytest.approx(f_measures, rel=1e-9), name
        totals = statistics.sum(axis=0)
        names = ("total_match_size", "total_hyp_len", "total_mean_ref_len")
        assert totals == pytest.approx([expected[key] for key in names], rel=1e-9), name
        assert metric.score(totals) / 100 == pytest.approx(expected["f"], rel=1e-9), name
    assert n_cases == 28


def test_test_suite_of_the_program(shared, golden, make_outputs):
    """The authors' own expected values; exponents and values are stored with 12 digits."""
    n_cases = 0
    for name, case in golden("gtm").items():
        inputs, expected = case["inputs"], case["expected"]
        if "format" not in inputs:
            continue
        n_cases += 1

        def read_segments(file):
            text = (shared / "golden" / file).read_text(encoding="utf-8")
            return [segment.strip() for segment in re.findall(r"(?is)<seg [^>]*>(.*?)</seg>", text)]

        metric = Gtm(case["options"]["exponent"])
        outputs = make_outputs({"it": read_segments(inputs["hyp"])}, [read_segments(file) for file in inputs["refs"]])
        statistics = metric.segment_statistics(outputs)
        if expected["segments"]:
            f_measures = [f_measure for _, _, f_measure in expected["segments"]]
            assert metric.segment_score(statistics) / 100 == pytest.approx(f_measures, rel=1e-12, abs=1e-12), name
        if expected["documents"]:
            scores = metric.score(statistics.reshape(2, 3, 3).sum(axis=1)) / 100
            assert scores == pytest.approx([score for _, score in expected["documents"]], rel=1e-12, abs=1e-12), name
        if expected["max_matching"]:
            assert statistics[:, 0] ** metric.exponent == pytest.approx(expected["max_matching"], rel=1e-10), name
    assert n_cases == 42


def test_asiyas_published_scores(golden, golden_outputs):
    for case in golden("asiya_thirdparty").values():
        outputs = golden_outputs({"it": [case["inputs"]["hyp"]]}, case["inputs"]["refs"])
        for exponent in (1, 2, 3):
            metric = Gtm(exponent)
            statistics = metric.segment_statistics(outputs)
            expected = case["expected"][metric.name]
            assert metric.score(statistics.sum(axis=0)) / 100 == pytest.approx(expected["system"], abs=6e-9)
            assert metric.segment_score(statistics) / 100 == pytest.approx(expected["segments"], abs=6e-9)


def test_a_replicate_is_the_score_of_the_repeated_segments(golden_outputs):
    references = [f"data/zhen4/ref{number}.txt" for number in range(3)]
    outputs = golden_outputs({"it": ["data/zhen4/hyp0.txt"]}, references, (0, 60))
    metric = Gtm(1.5)
    statistics = compute_statistics(outputs, metric)["it"]
    weights = next(bootstrap_weights(60, 5, rng=1))
    for row, score in zip(weights.astype(int), statistics.score(weights)[:, 0], strict=True):
        drawn = outputs.iloc[np.repeat(np.arange(60), row)]
        assert score == pytest.approx(metric.score(metric.segment_statistics(drawn).sum(axis=0)), rel=1e-12)


def test_splits_as_the_program_unless_told(make_outputs):
    outputs = make_outputs({"it": ["The\tcat\fsat on\u00a0it."]}, [["the cat sat on it ."]])
    assert Gtm().segment_statistics(outputs).tolist() == [[2.0, 4.0, 6.0]]
    assert Gtm(lowercase=True).segment_statistics(outputs).tolist() == [[3.0, 4.0, 6.0]]
    assert Gtm(tokenize="13a", lowercase=True).segment_statistics(outputs).tolist() == [[6.0, 6.0, 6.0]]


def test_much_repetition_needs_no_list_of_all_runs(make_outputs):
    outputs = make_outputs({"it": ["the " * 500, "a b " * 250, ""]}, [["the " * 600, "b a a " * 150, "the"]])
    sizes = Gtm(2).segment_statistics(outputs)[:, 0]
    assert sizes[0] == 500
    assert sizes[2] == 0


def test_names_signatures_and_options():
    assert make_metric("gtm") == Gtm(1.0, "none", lowercase=False)
    assert make_metric("gtm:exponent=1.5,tokenize=13a").name == "GTM-1.5"
    assert Gtm(2).name == Gtm(2.0).name == "GTM-2"
    assert Gtm(3).signature == "case:mixed|tok:none|exponent:3|search:greedy|version:gtm-1.4"
    with pytest.raises(InputError, match=r"^Gtm has exponent=0, but a number above 0 was expected\.$"):
        Gtm(0)
    with pytest.raises(InputError, match=r"^Gtm has tokenize='words', but one of none, zh, 13a, .* was expected\.$"):
        Gtm(tokenize="words")
