"""Comparisons are short by default: how many lines they take, which tables they have, what stands in their cells."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from mtworkbench.inference import compare, compare_test_sets
from mtworkbench.metrics import MeanScore
from mtworkbench.outputs import read_outputs
from mtworkbench.results.rankings import RankedSystem
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics import compute_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.tables import format_comparison
from mtworkbench.tables.fitting import fit_columns
from mtworkbench.tables.text import columns_to_text
from mtworkbench.words.comparisons import build_comparison
from mtworkbench.words.explanations import explain_ties
from mtworkbench.words.frames import Cell, wrap
from mtworkbench.words.scopes import define_claims
from mtworkbench.words.sentences import explain_overlap
from mtworkbench.words.sentences_on_top import explain_ranks_out_of_order

from .hand_made import comparison, pair, system

# Outputs of few segments are noticed.
pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")

DRAWN = {"n_resamples": 200, "n_trials": 999, "rng": 1}
SHARED = np.random.default_rng(0).normal(0, 1, 150)


def statistics_of(means, name="score", n_runs=1, higher_is_better=True):
    """Scores whose differences have a standard error of about 0.06."""
    draws = np.random.default_rng(1)
    sign = 1 if higher_is_better else -1
    values = {}
    for one, mean in means.items():
        runs = sign * (SHARED + mean + draws.normal(0, 0.5, (n_runs, 150)))
        values[one] = np.stack([runs, np.ones(runs.shape)], axis=-1)
    test_set = TestSet(np.arange(1, 151), None, "references", 1)
    return SegmentStatistics(MeanScore(name=name, higher_is_better=higher_is_better), values, test_set)


def count_lines(found):
    """The lines of the default text that are not empty, without those of the assumptions: these come in addition."""
    assumed = [line for one in found.concerns.after for line in wrap(one.say(advise=True), 100).split("\n")]
    lines = [line for line in format_comparison(found).splitlines() if line]
    assert [line for line in assumed if line not in lines] == []
    return len(lines) - len(assumed)


SIXTEEN = {f"system-{number}": 0.02 * number**1.5 for number in range(16)}


@pytest.mark.parametrize("difference", [0.0, 0.5, 3.0])
def test_two_systems_and_one_metric_take_16_lines(difference):
    found = compare(statistics_of({"base": 0, "new": difference}), "base", **DRAWN)
    assert count_lines(found) <= 16
    assert len(format_comparison(found, all_columns=True).splitlines()) > 30


@pytest.mark.parametrize("baseline", ["base", None])
@pytest.mark.parametrize("differences", [(0.0, 0.0), (0.1, 0.3), (2.0, 4.0)])
def test_three_systems_with_runs_take_24_lines(differences, baseline):
    means = dict(zip(("base", "new", "newer"), (0, *differences), strict=True))
    assert count_lines(compare(statistics_of(means, n_runs=3), baseline, **DRAWN)) <= 24


def test_all_pairs_of_the_sample_take_24_lines():
    """Three systems with three runs each: a sentence for each pair, and two claims about it."""
    folder = find_shipped("data") / "sample"
    systems = {name: str(folder / f"{name}.run*.txt") for name in ("baseline", "tweaked", "retrained")}
    outputs = read_outputs(folder / "reference.txt", systems, documents=folder / "documents.txt")
    assert count_lines(compare(compute_statistics(outputs, "bleu"), rng=1)) <= 24


@pytest.mark.parametrize("n_runs", [1, 2])
@pytest.mark.parametrize("baseline", ["system-0", None])
def test_sixteen_systems_and_two_metrics_take_40_lines(baseline, n_runs):
    two = [statistics_of(SIXTEEN, "up", n_runs), statistics_of(SIXTEEN, "down", n_runs, higher_is_better=False)]
    found = compare(two, baseline, **DRAWN)
    joined = baseline is not None
    # Of several claims each metric has its own table of the differences from one system: two tables of 16.
    assert count_lines(found) <= (54 if joined and n_runs > 1 else 40)
    [*tables] = build_comparison(found, "text").sections[0].tables
    assert len(tables) == (2 if joined and n_runs > 1 else 1)
    assert all(len(table.columns["system"]) == 16 for table in tables)


# ---- which tables


def headings_of(found):
    return [table.heading for table in build_comparison(found, "text").sections[0].tables]


def columns_of(found, place):
    return build_comparison(found, "text").sections[0].tables[place].columns


METHOD = {"method_p_value": 0.2277, "method_low": -0.9, "method_high": 0.22, "method_df": 3.84}
METHOD |= {"method_verdict": "not significant"}


def made(n_systems, *, baseline, runs=1):
    """Systems whose differences are all the same, from the first of them or of all pairs."""
    names = [f"s{number}" for number in range(n_systems)]
    pairs = [(b, a) for a, b in combinations(names, 2) if baseline is None or a == baseline]
    method = METHOD if runs > 1 else {}
    return comparison([system(name, runs=runs) for name in names], [pair(*one, **method) for one in pairs],
                      baseline=baseline)  # fmt: skip


def test_one_claim_from_one_system_stands_next_to_the_scores():
    """Whether that system was asked for or there are only two."""
    above = "BLEU, higher is better; 300 segments; differences from s0 on these outputs"
    for found in (made(2, baseline=None), made(2, baseline="s0"), made(5, baseline="s0"), made(20, baseline="s0")):
        assert headings_of(found) == [above]
        columns = columns_of(found, 0)
        assert list(columns) == ["system", "BLEU", "diff.", "95 % CI", [*columns][4], "verdict"]
        assert sorted(columns["verdict"]) == ["", *["not shown"] * (len(columns["verdict"]) - 1)]


@pytest.mark.parametrize(("n_systems", "has_ranks"), [(3, False), (4, True)])
def test_ranks_are_shown_where_the_headline_counts_pairs(n_systems, has_ranks):
    """Of up to three pairs, the headline has a sentence for each, and ranks would say it again."""
    found = compare(statistics_of({f"s{number}": 0.3 * number for number in range(n_systems)}), **DRAWN)
    assert (list(columns_of(found, 0))[-2:] == ["ranks", "group"]) is has_ranks
    assert ("Ranks are those still possible" in " ".join(format_comparison(found).split())) is has_ranks
    assert "  ranks  group" in format_comparison(found, all_columns=True)


def test_all_pairs_and_several_claims_have_a_table_of_their_own():
    systems = "BLEU, higher is better; 300 segments"
    assert headings_of(made(3, baseline=None)) == [systems, "Differences of all pairs, on these outputs"]
    assert headings_of(made(2, baseline="s0", runs=3)) == [systems, "Difference from s0"]
    assert headings_of(made(3, baseline=None, runs=3)) == [systems, ""]
    assert "Differences of all pairs" in made(3, baseline=None, runs=3)._repr_html_()
    assert list(columns_of(made(3, baseline=None), 1))[:3] == ["system", "against", "diff."]
    assert list(columns_of(made(2, baseline="s0", runs=3), 1))[:3] == ["system", "claim", "diff."]
    for found in (made(3, baseline=None), made(2, baseline="s0", runs=3)):
        runs = ["runs"] if found.metrics["BLEU"].asks_of_methods else []
        assert list(columns_of(found, 0)) == ["system", *runs, "BLEU"]


def test_more_than_16_rows_are_in_the_details_or_next_to_the_scores():
    """Six systems have 15 pairs, seven have 21; with two claims each, nine systems have 16 rows from one of them."""
    assert len(headings_of(made(6, baseline=None))) == 2 and len(headings_of(made(7, baseline=None))) == 1
    assert headings_of(made(9, baseline="s0", runs=2))[1:] == ["Difference from s0"]
    [joined] = headings_of(made(10, baseline="s0", runs=2))
    assert joined == "BLEU, higher is better; 300 segments; differences from s0"
    columns = columns_of(made(10, baseline="s0", runs=2), 0)
    of_each = [
        (claim, name) for claim in ("for the method", "for these runs") for name in ("95 % CI", "p (Holm)", "verdict")
    ]
    assert list(columns) == ["system", "runs", "BLEU", "diff.", *of_each]
    assert columns["for the method", "verdict"][0] == columns["for these runs", "verdict"][0] == ""
    details = format_comparison(made(7, baseline=None), all_columns=True)
    assert "Differences of all pairs, on these outputs" in details
    assert "Differences" not in format_comparison(made(7, baseline=None))


@pytest.mark.parametrize("n_metrics", [1, 2, 3, 4])
def test_metrics_stand_in_twos(n_metrics):
    """The last of an odd number has a table of its own, without its name above each column."""
    one = made(3, baseline="s0")
    [metric] = one.metrics.values()
    found = replace(one, metrics={f"M{number}": replace(metric, name=f"M{number}") for number in range(n_metrics)})
    names = [f"M{first} and M{first + 1}" for first in range(0, n_metrics - 1, 2)]
    names += [f"M{n_metrics - 1}"] if n_metrics % 2 else []
    assert [heading.partition(",")[0] for heading in headings_of(found)] == names
    of_each = ["diff.", "95 % CI", "p (Holm)", "verdict"]
    for place, name in enumerate(names):
        both = [(key, heading) for key in name.split(" and ") for heading in ("score", *of_each)]
        assert list(columns_of(found, place)) == ["system", *(both if " and " in name else [name, *of_each])]


# ---- what stands in the cells


def test_each_claim_has_the_numbers_of_its_own_test():
    """The difference in every row; interval, p and verdict of the method, and then of these outputs."""
    found = compare(statistics_of({"base": 0, "new": 0.3, "worse": -1.0}, n_runs=3), "base", **DRAWN)
    metric = found.metrics["score"]
    columns = columns_of(found, 1)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    pairs = {one.a: one for one in metric.comparisons}
    assert [row["system"] for row in rows] == ["new", "", "worse", ""]
    for of_method, on_outputs in (rows[:2], rows[2:]):
        one = pairs[of_method["system"]]
        assert (of_method["claim"], on_outputs["claim"]) == ("for the method", "for these runs")
        assert (of_method["diff."], on_outputs["diff."]) == (f"{one.difference:.2f}",) * 2
        assert of_method["95 % CI"] == f"[{one.method_ends.low:.2f}, {one.method_ends.high:.2f}]"
        assert on_outputs["95 % CI"] == f"[{one.ends.low:.2f}, {one.ends.high:.2f}]"
        assert of_method["95 % CI"] != on_outputs["95 % CI"]
        # By max-T for these runs and by Holm's method for the method: the heading is about both.
        for cell, p in ((of_method, one.method_p_adjusted), (on_outputs, one.p_adjusted)):
            shown = cell["p (adjusted)"]
            assert shown.startswith("<") and p < float(shown[1:]) or float(shown) == pytest.approx(p, abs=0.006)
        direction = "better" if one.difference > 0 else "worse"
        for cell, verdict in ((of_method, one.method_verdict), (on_outputs, one.verdict)):
            assert cell["verdict"] == (direction if verdict == "significant" else "not shown")


def test_numbers_next_to_the_scores_are_those_of_the_row():
    """Of every metric, whatever order it has by itself: the first metric sorts the rows."""
    mixed = dict(zip(np.random.default_rng(3).permutation([*SIXTEEN]).tolist(), SIXTEEN.values(), strict=True))
    up, down = statistics_of(SIXTEEN, "up"), statistics_of(mixed, "down", higher_is_better=False)
    found = compare([up, down], "system-3", **DRAWN)
    columns = columns_of(found, 0)
    orders = [[one.system for one in metric.systems_from_best] for metric in found.metrics.values()]
    assert list(columns["system"]) == orders[0] != orders[1]
    for key, metric in found.metrics.items():
        pairs = {one.a: one for one in metric.comparisons}
        scores = {one.system: one.score for one in metric.systems}
        for place, name in enumerate(columns["system"]):
            assert columns[key, "score"][place] == f"{scores[name]:.2f}"
            if name == "system-3":
                assert columns[key, "diff."][place] == columns[key, "verdict"][place] == ""
            else:
                assert columns[key, "diff."][place] == f"{pairs[name].difference:.2f}".replace("-0.00", "0.00")
                better = (pairs[name].difference > 0) == (key == "up")
                words = {"significant": "better" if better else "worse", "not significant": "not shown"}
                assert columns[key, "verdict"][place] == words.get(pairs[name].verdict, pairs[name].verdict)


# ---- what is said below


@pytest.mark.parametrize(
    ("score", "difference", "is_said"),
    [(27.34, 1.0, False), (27.344, 1.01, True), (26.34, 0.0, False), (25.04, -1.3, False), (25.04, -1.299, False)]
    + [(25.04, -1.29, True), (26.34, 0.01, True)],
)
def test_a_difference_that_is_not_that_of_the_scores_shown_is_explained(score, difference, is_said):
    """To two decimals, as both are shown."""
    found = comparison([system("s0", 26.34), system("s1", score)], [pair("s1", "s0", difference)], baseline="s0")
    shown = dict(zip(columns_of(found, 0)["system"], columns_of(found, 0)["BLEU"], strict=True))
    assert (f"{float(shown['s1']) - float(shown['s0']):.2f}" not in (f"{difference:.2f}", "-0.00")) == is_said
    for text in (format_comparison(found), found._repr_html_()):
        assert ("Differences were computed before rounding." in text) == is_said


def test_a_table_of_differences_from_one_system_says_that_no_others_are_tested():
    said = "Only differences from s0 are tested."
    several = made(3, baseline="s0"), made(3, baseline="s0", runs=3)
    for found in (*several, made(3, baseline=None), made(2, baseline="s0")):
        assert (said in " ".join(format_comparison(found).split())) == (found in several)


def test_scores_have_intervals_only_where_no_differences_are_shown():
    """Intervals of two scores may overlap although their difference is shown."""
    for found in (made(2, baseline="s0"), made(3, baseline=None), made(3, baseline="s0", runs=3)):
        in_scores = columns_of(found, 0)
        assert list(in_scores).count("95 % CI") == ("diff." in in_scores)
    assert "95 % CI" in columns_of(made(7, baseline=None), 0)


# ---- columns that have room, and headings above headings


def columns_with(**widths):
    """A column of names, and others as wide as is said."""
    return {"system": ["alpha", "bravo"], **{name: [Cell("1" * width)] * 2 for name, width in widths.items()}}


def test_columns_are_left_out_in_their_order_and_put_back_where_there_is_room():
    columns = columns_with(a=10, b=30, c=10)  # with two blanks before each, and six letters of names: 62
    assert list(fit_columns(columns, ["a", "b", "c"], width=62)) == ["system", "a", "b", "c"]
    assert list(fit_columns(columns, ["a", "b", "c"], width=61)) == ["system", "b", "c"]
    # Without a there is not enough room; without b there is, and then a has room again.
    assert list(fit_columns(columns, ["a", "b", "c"], width=30)) == ["system", "a", "c"]
    assert list(fit_columns(columns, ["a", "b"], width=29)) == ["system", "c"]
    # What was left out last comes back first.
    assert list(fit_columns(columns, ["a", "c", "b"], width=18)) == ["system", "c"]
    assert list(fit_columns(columns, [], width=10)) == ["system", "a", "b", "c"]


def test_of_columns_under_several_headings_the_last_counts():
    """Each metric loses it, or none does."""
    columns = {"system": ["alpha"], ("X", "score"): [Cell("1.0")], ("X", "CI"): [Cell("1" * 20)]}
    columns |= {("Y", "score"): [Cell("2.0")], ("Y", "CI"): [Cell("2" * 20)]}
    assert list(fit_columns(columns, ["CI"], width=70)) == list(columns)
    assert list(fit_columns(columns, ["CI"], width=60)) == list(columns)[:1] + [("X", "score"), ("Y", "score")]


def test_headings_above_others_begin_where_their_columns_do():
    columns = {"system": ["alpha", "b"], ("BLEU", "score"): [Cell("28.0"), Cell("7.5")]}
    columns |= {("BLEU", "verdict"): ["better", ""], ("TER", "score"): [Cell("60.0"), Cell("61.0")]}
    assert columns_to_text(columns) == (
        "        BLEU            TER\n"
        "system  score  verdict  score\n"
        "alpha    28.0  better    60.0\n"
        "b         7.5            61.0\n"
    )


def test_a_heading_that_is_wider_than_its_columns_makes_room():
    columns = {"system": ["alpha"], ("on these outputs", "p"): [Cell("0.5")], ("百度", "p"): [Cell("0.1")]}
    assert columns_to_text(columns).splitlines() == [
        "        on these outputs  百度",
        "system                 p     p",
        "alpha                0.5   0.1",
    ]


# ---- what is said around the tables


def legend_of(found):
    return " ".join(" ".join(build_comparison(found, "text").sections[0].legend).split())


@pytest.mark.parametrize(("p", "is_said"), [((0.9731, 0.9731), True), ((0.9731, 0.5715), False), ((1e-5, 1e-5), False)])
def test_p_that_are_equal_are_explained(p, is_said):
    """But not those that are only too small to be shown."""
    own = [(name, one, p_value) for name, one, p_value in zip(("s1", "s2"), p, (0.48655, 0.5715), strict=True)]
    pairs = [pair(name, "s0", 0.1, p_value=p_value, p_adjusted=one) for name, one, p_value in own]
    found = comparison([system(f"s{number}") for number in range(3)], pairs, baseline="s0")
    said = "p (Holm): 2 comparisons have 0.9731, because Holm's method can make different p equal."
    assert (said in legend_of(found)) is is_said
    for width, has_room in ((100, True), (40, False)):  # the column goes with what is said of it
        text = " ".join(format_comparison(found, width=width).split())
        assert ("Columns left out" in text) is not has_room and (said in text) is (is_said and has_room)


def test_claims_are_defined_where_they_are_first_mentioned():
    """Once, in every view for reading."""
    defined = "for these runs (new sentences"
    of_method = "for the method (new runs, new sentences"
    for runs in (1, 3):  # of one run there is one claim, and what is unknown is said
        found = made(2, baseline="s0", runs=runs)
        for format in ("text", "html", "markdown"):
            for whole in (False, True):
                said = " ".join(build_comparison(found, format, all_columns=whole).headline)
                assert said.lower().count(defined) == said.count(of_method) == (runs > 1)
                assert said.lower().find("for these runs (") == said.lower().find(defined)
        assert defined not in " ".join(found.headline).lower()


def test_claims_that_only_tables_name_are_defined_below_them():
    said = '"For these test sets": new sentences like theirs.'
    for mean, is_below in ((1.0, True), (0.0, False)):
        sets = {f"set{number}": statistics_of({"base": 0.0, "new": mean + 0.1 * number}) for number in range(5)}
        assert legend_of(compare_test_sets(sets, **DRAWN)).startswith(said) is is_below


def test_definitions_go_on_in_brackets_that_follow():
    said = define_claims(["On this (x), on this.", "On this (y)."], {"on this": "these", "for it": "new"})
    assert said == ["On this (these; x), on this.", "On this (y)."]
    assert define_claims(["On this only."], {"on this": "these"}) == ["On this only (these)."]
    assert define_claims(["For new sets like these.", "For new sets."], {"for new sets": "others"}) == [
        "For new sets like these.",
        "For new sets.",
    ]


def test_p_that_are_equal_anyway_are_not_explained():
    """Those of comparisons whose own p are equal, and those that are 1."""
    for own, adjusted in (((0.2, 0.2), 0.4), ((0.6, 0.7), 1.0)):
        pairs = [
            pair(name, "s0", 0.1, p_value=p, p_adjusted=adjusted) for name, p in zip(("s1", "s2"), own, strict=True)
        ]
        found = comparison([system(f"s{number}") for number in range(3)], pairs, baseline="s0")
        assert list(explain_ties([*found.metrics.values()])) == []


def test_equal_p_of_one_family_of_two_metrics_are_explained():
    """And not those of two families."""
    metrics = []
    for p in (0.02, 0.03):
        one = [pair("s1", "s0", 0.1, p_value=p, p_adjusted=0.04)]
        found = comparison([system("s0"), system("s1")], one, family="all")
        metrics += found.metrics.values()
    metrics = [replace(metric, family_size=2) for metric in metrics]
    assert len(list(explain_ties(metrics))) == 1
    apart = [replace(one, settings=replace(one.settings, family="metric")) for one in metrics]
    assert list(explain_ties(apart)) == []


def made_ranks(shown, names="abcd"):
    """A comparison of all pairs, the best system first, in which these differences are shown."""
    scores = dict(zip(names, (4.0, 3.0, 2.0, 1.0), strict=False))
    pairs = [
        pair(b, a, scores[b] - scores[a], verdict="significant" if f"{a}{b}" in shown.split() else "not significant")
        for a, b in combinations(names, 2)
    ]
    better = {(a, b) for a, b in combinations(names, 2) if f"{a}{b}" in shown.split()}
    places = tuple(
        RankedSystem(
            name,
            place,
            rank_low=1 + sum(last == name for _, last in better),
            rank_high=len(names) - sum(first == name for first, _ in better),
            group="a",
        )
        for place, name in enumerate(names, start=1)
    )
    return comparison([system(name, score) for name, score in scores.items()], pairs, ranking=places)


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        ("ad bd cd", ""),
        ("bd", "b has better ranks than a, whose score is better, because only b is shown to be better than d."),
        ("ac", "d has better ranks than c, whose score is better, because only c is shown to be worse than a."),
        ("bd ac", "d has better ranks"),
        ("ac ad bc", "d has better ranks than c, whose score is better, because only c is shown to be worse than b."),
    ],
)
def test_ranks_out_of_the_order_of_scores_are_explained(shown, said):
    found = made_ranks(shown)
    [*explained] = explain_ranks_out_of_order(found.metrics.values())
    assert explained == ([said] if said.endswith(".") else [] if shown == "bd ac" or not said else None)
    for view in (legend_of(found), format_comparison(found, "markdown", all_columns=True)):
        assert (" has better ranks than " in view) is bool(explained)


def test_cis_of_scores_that_overlap_although_the_difference_is_shown_are_explained():
    """Below scores with intervals, in the default text of many pairs and in the details."""
    said = "CIs of scores can overlap although a difference is shown (b, a): its own CI decides."
    for verdict, low, is_said in (
        ("significant", 27.0, True),
        ("not significant", 27.0, False),
        ("significant", 28.0, False),
    ):
        systems = [system("a", 27.0, low=26.0, high=27.5), system("b", 28.1, low=low, high=29.0)]
        found = comparison(systems, [pair("b", "a", 1.1, verdict=verdict)])
        assert list(explain_overlap(found.metrics.values())) == [said] * is_said
        assert (said in " ".join(format_comparison(found, all_columns=True).split())) is is_said
        assert said not in " ".join(format_comparison(found).split())


def test_what_is_undecided_has_advice():
    found = comparison([system("a"), system("b")], [pair("b", "a", 0.1, verdict="undecided")])
    assert " Report it as not shown, or try more trials (--trials)." in legend_of(found)


def test_the_intervals_of_scores_are_said_not_to_be_adjusted():
    assert "; the CIs of scores are not." in legend_of(made(20, baseline=None))
    assert "CIs of scores" not in legend_of(made(20, baseline="s0"))
