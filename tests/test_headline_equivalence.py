"""What is said where no difference is shown: equal within the margin, cannot tell, what could have been shown."""

import re

import numpy as np
import pytest

from mtworkbench.inference import compare
from mtworkbench.metrics import MeanScore
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.tables import describe_comparison, format_comparison
from mtworkbench.words.headlines import title_result
from mtworkbench.words.metric_tables import tabulate_details, tabulate_questions

OPTIONS = {"n_resamples": 400, "n_trials": 2000, "rng": 1}
SHARED = np.random.default_rng(0).normal(0, 1, 150)


def statistics_of(means, name="score", n_runs=1, noise=0.5, seed=1):
    """Scores whose difference has a standard error of about 0.06."""
    draws = np.random.default_rng(seed)
    values = {}
    for system, mean in means.items():
        runs = SHARED + mean + draws.normal(0, noise, (n_runs, 150))
        values[system] = np.stack([runs, np.ones(runs.shape)], axis=-1)
    test_set = TestSet(np.arange(1, 151), None, "references", 1)
    return SegmentStatistics(MeanScore(name=name, higher_is_better=True), values, test_set)


def verdicts(comparison, name="score"):
    return tabulate_questions(comparison.metrics[name])[-1].columns["verdict"]


def details_of(found, **options):
    """Text with every column, in one line."""
    return " ".join(format_comparison(found, all_columns=True, **options).split())


def test_a_small_difference_is_equal_within_a_wide_margin():
    found = compare(statistics_of({"base": 0, "new": 0}), margin=0.5, **OPTIONS)
    [pair] = found.metrics["score"].comparisons
    assert pair.conclusion == "not shown"
    p = "< 0.001" if pair.equivalence.equivalence_p_value < 0.001 else "= "
    assert found.headline[0].startswith(
        f"new - base = {pair.difference:+.2f} score: on these outputs, new and base are shown to be equal within 0.5 "
        f"score (p (equiv.) {p}"
    )
    assert verdicts(found) == ["equal within 0.5"]
    assert (
        f": on these outputs, new and base are shown to be equal within 0.5 score (p (equiv.) {p}"
        in describe_comparison(found)
    )
    assert title_result(found.metrics).startswith("score: base and new are shown to be equal within 0.5 score")


def test_in_narrow_text_equality_is_explained_although_its_column_is_left_out():
    found = compare(statistics_of({"base": 0, "new": 0.3, "other": 0}, n_runs=3), "base", margin=1, **OPTIONS)
    text = details_of(found, width=60)
    assert "p (equiv., Holm)" in text[text.index("Columns left out") : text.index("For these runs: would")]
    assert "Equality: p (equiv., Holm) is from two one-sided tests (TOST)" in text
    assert (
        'The margin is 1 score; "by <1": a difference is shown, and it is shown to be smaller than the margin.' in text
    )
    one = compare(statistics_of({"base": 0, "new": 0}), margin=0.5, **OPTIONS)
    assert '"by <' not in details_of(one)


def test_where_neither_is_shown_one_cannot_tell():
    found = compare(statistics_of({"base": 0, "new": 0}), margin=0.05, **OPTIONS)
    [pair] = found.metrics["score"].comparisons
    smallest = pair.equivalence.smallest_difference
    assert found.headline[0] == (
        f"new - base = {pair.difference:+.2f} score: on these outputs, no difference is shown "
        f"(p = {pair.p_value:.3f}), nor is equality within 0.05 score; the smallest difference "
        f"that this test set could have shown with 80 % power is {smallest:.2f} score."
    )
    assert verdicts(found) == ["cannot tell"]
    explained = '"Cannot tell": neither a difference nor equality within the margin is shown.'
    assert explained in " ".join(format_comparison(found).split())
    assert ": on these outputs, no difference is shown, nor is equality within 0.05 score. " in describe_comparison(
        found
    )


def test_a_shown_difference_may_be_smaller_than_the_margin():
    found = compare(statistics_of({"base": 0, "new": 0.3}), margin=1, **OPTIONS)
    [pair] = found.metrics["score"].comparisons
    assert pair.verdict == "significant"
    assert re.search(
        r"new - base = \+0\.\d\d score: on these outputs, new is shown to be better \(p < 0\.001; less than 1, "
        r"p \(equiv\.\) < 0\.001\)",
        found.headline[0],
    )
    assert verdicts(found) == ["better by <1"]
    far = compare(statistics_of({"base": 0, "new": 0.3}), margin=0.1, **OPTIONS)
    assert "less than" not in far.headline[0]
    assert verdicts(far) == ["better"]


def test_metrics_have_margins_of_their_own():
    x, y = (statistics_of({"base": 0, "new": 0}, name, seed=seed) for name, seed in (("X", 1), ("Y", 2)))
    found = compare([x, y], margin={"x": 0.5, "y": 0.02}, **OPTIONS)
    assert "new and base are shown to be equal within 0.5 X (p (equiv.) " in found.headline[0]
    assert "no difference is shown by Y (p = " in found.headline[0]
    assert "nor is equality within 0.02 Y" in found.headline[0]
    one = compare([x, y], margin={"x": 0.5}, **OPTIONS)
    assert "new and base are shown to be equal within 0.5 X" in one.headline[0]
    assert "; no difference is shown by Y (p = " in one.headline[0]
    assert "cannot tell" not in format_comparison(one).replace('"Cannot tell"', "")


def test_for_the_method_it_is_its_own_test():
    found = compare(statistics_of({"base": 0, "new": 0}, n_runs=3), margin=0.5, **OPTIONS)
    assert found.headline[0].startswith(
        f"new - base = {found.metrics['score'].comparisons[0].difference:+.2f} score: for the method, new and base are "
        "shown to be equal within 0.5 score (p (equiv.) "
    )
    assert ". For these runs, new and base are shown to be equal within 0.5 score (p (equiv.) " in found.headline[0]
    assert found.headline[0].count("could have shown") == 0
    narrow = compare(statistics_of({"base": 0, "new": 0}, n_runs=3), margin=0.01, **OPTIONS)
    [pair] = narrow.metrics["score"].comparisons
    smallest = pair.equivalence.method_smallest_difference
    assert (
        "for the method, no difference is shown (p = "
        f"{pair.method_p_adjusted:.4f}), nor is equality within 0.01 score; the smallest difference that this test set "
        f"could have shown with 80 % power is {smallest:.2f} score."
    ) in narrow.headline[0]
    assert narrow.headline[0].count("could have shown") == 1
    tables = tabulate_questions(found.metrics["score"])
    assert [table.columns["verdict"] for table in tables[1:]] == [["equal within 0.5"]] * 2


def test_many_pairs_are_counted():
    systems = dict(zip("abcd", (0, 0.02, 0.03, 3), strict=True))
    wide = compare(statistics_of(systems), margin=0.5, **OPTIONS)
    start = "Of 6 pairs compared on these outputs by score, 3 are shown to differ and 3 are"
    assert wide.headline[0] == f"{start} shown to be equal within 0.5 score."
    narrow = compare(statistics_of(systems), margin=0.01, **OPTIONS)
    assert narrow.headline[0] == f"{start} neither shown to differ nor to be equal within 0.01 score."
    plain = compare(statistics_of(systems), **OPTIONS)
    assert plain.headline[0].endswith("3 are shown to differ and 3 are not shown to differ.")


def test_of_many_pairs_the_headline_names_those_that_are_equal():
    """But not where a table of the default text has their verdicts."""
    statistics = statistics_of(dict(zip("abcde", (0, 0.02, 3, 3.02, 6), strict=True)))
    of_pairs = compare(statistics, margin=0.5, **OPTIONS)
    equal = "Shown to be equal within 0.5 score on these outputs: b and a; d and c."
    assert of_pairs.headline[2] == equal and equal in " ".join(format_comparison(of_pairs).split())
    of_base = compare(statistics, "a", margin=0.5, **OPTIONS)
    assert not any("Shown to be equal" in one for one in of_base.headline)
    assert " equal within 0.5" in format_comparison(of_base)


def test_tables_have_the_adjusted_p_and_say_what_it_is():
    found = compare(statistics_of({"base": 0, "new": 0, "other": 0.02}), "base", margin=0.2, **OPTIONS)
    metric = found.metrics["score"]
    columns = tabulate_questions(metric)[-1].columns
    shown = [float(cell.strip("<")) for cell in columns["p (equiv., Holm)"]]
    adjusted = {pair.a: pair.equivalence.equivalence_p_adjusted for pair in metric.comparisons}
    assert shown == pytest.approx([adjusted[name] for name in columns["system"]], abs=0.001)
    text = details_of(found)
    assert (
        "Equality: p (equiv., Holm) is from two one-sided tests (TOST) of the hypothesis that the systems differ by "
        "the margin or more (randomization tests), adjusted for the number of comparisons (Holm). Systems are called "
        "equal within the margin if this p is at most 0.05; for a single comparison, this means that its 90 % CI lies "
        'within the margin. "Cannot tell": neither a difference nor equality is shown. '
        "The margin is 0.2 score."
    ) in text
    assert "p (equiv., Holm)" in found._repr_html_()
    assert "p (equiv" not in details_of(compare(statistics_of({"base": 0, "new": 0}), **OPTIONS))


def test_of_several_metrics_with_margins_the_test_is_explained_once():
    x, y = (statistics_of({"base": 0, "new": 0}, name, seed=seed) for name, seed in (("X", 1), ("Y", 2)))
    text = details_of(compare([x, y], margin={"x": 0.5, "y": 0.02}, **OPTIONS))
    assert text.count("two one-sided tests (TOST) of the hypothesis") == 1
    assert "X: The margin is 0.5 X." in text and "Y: The margin is 0.02 Y." in text


def test_what_could_have_been_shown_is_said_below_the_table_of_what_is_not():
    found = compare(statistics_of({"base": 0, "new": 0}), **OPTIONS)
    [pair] = found.metrics["score"].comparisons
    sentence = (
        "The smallest difference that this test set could have shown with 80 % power: "
        f"{pair.equivalence.smallest_difference:.2f} score between new and base on these outputs."
    )
    assert sentence in details_of(found)
    assert sentence not in found.headline
    _, smallest = tabulate_details(found.metrics["score"])
    assert smallest.heading == "Smallest differences that could have been shown with 80 % power"
    assert smallest.columns["smallest diff."] == [f"{pair.equivalence.smallest_difference:.2f}"]
    shown = compare(statistics_of({"base": 0, "new": 3}), **OPTIONS)
    assert "could have shown" not in details_of(shown)


def test_of_several_pairs_the_range_is_said():
    values = statistics_of({"a": 0, "b": 0, "c": 0})
    values.values["c"][..., 0] += np.random.default_rng(5).normal(0, 1, 150)
    found = compare(values, **OPTIONS)
    sizes = sorted(pair.equivalence.smallest_difference for pair in found.metrics["score"].comparisons)
    assert (
        "could have shown with 80 % power: "
        f"{sizes[0]:.2f} to {sizes[-1]:.2f} score on these outputs among 3 comparisons, for the 3 pairs whose "
        "difference is not shown."
    ) in details_of(found)


def test_where_all_pairs_could_have_shown_the_same_nothing_depends_on_the_pair():
    values = statistics_of({"a": 0, "b": 0, "c": 0})
    values.values["c"][:] = values.values["b"]
    found = compare(values, "a", **OPTIONS)
    first, second = (pair.equivalence.smallest_difference for pair in found.metrics["score"].comparisons)
    assert first == pytest.approx(second)
    said = f"power: {first:.2f} score on these outputs among 2 comparisons, for each of the 2 pairs whose difference is"
    assert f"{said} not shown." in details_of(found)


def test_what_the_smallest_difference_for_the_method_allows_for_is_said_where_there_is_one():
    """With three runs it is more than a t-test with the standard error of this experiment would find."""
    said = "For the method, the smallest difference can be larger than the width of the CI suggests: with few runs, the"
    of_runs = compare(statistics_of({"base": 0, "new": 0}, n_runs=3), **OPTIONS)
    [pair] = of_runs.metrics["score"].comparisons
    assert pair.equivalence.method_smallest_difference > 2.81 * pair.method.standard_error  # 1.96 + 0.84, and rounding
    assert said in details_of(of_runs)
    assert said not in details_of(compare(statistics_of({"base": 0, "new": 0}), **OPTIONS))


def test_copies_are_copies_whatever_the_margin():
    statistics = statistics_of({"base": 0, "new": 0})
    statistics.values["new"][:] = statistics.values["base"]
    found = compare(statistics, margin=0.5, **OPTIONS)
    assert "equal within" not in " ".join(found.headline)
    assert verdicts(found) == ["identical scores"]


def test_copies_beside_others_have_no_p_of_equivalence_and_nothing_fails():
    statistics = statistics_of({"base": 0, "new": 0, "other": 0.1})
    statistics.values["new"][:] = statistics.values["base"]
    found = compare(statistics, "base", margin=0.5, **OPTIONS)
    columns = tabulate_questions(found.metrics["score"])[-1].columns
    shown = dict(zip(columns["system"], columns["p (equiv.)"], strict=True))
    assert shown["new"] == ""
    assert shown["other"] != ""


def test_with_few_units_the_test_of_equivalence_is_not_trusted_blindly():
    means = {"base": 0, "new": 0.1}
    sentence = (
        "With fewer than 50 units of equal size (here they count as 40), the test of equality on these outputs can"
    )
    few, many = (
        compare(statistics_of(means).take(np.arange(size)), "base", margin=1.0, **OPTIONS) for size in (40, 60)
    )
    assert sentence in " ".join(format_comparison(few, "text").split())
    assert "units of equal size" not in details_of(many)
