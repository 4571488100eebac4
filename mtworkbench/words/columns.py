"""The columns of comparisons: each is declared once, for all formats, and for one test set and several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mtworkbench.metrics.directions import has_direction
from mtworkbench.results.campaigns import CampaignMetric, CampaignPair, CampaignSystem, SetEstimate
from mtworkbench.results.comparisons import AnyMetric, AnyPair, SystemEstimate
from mtworkbench.results.estimates import FurtherTest
from mtworkbench.words.cells import decimals_of, leads, name_of_p, p_digits, show_ends, show_p, show_t
from mtworkbench.words.document import AnyColumns
from mtworkbench.words.frames import Bold, Cell, Columns, in_percent, interval_of, number
from mtworkbench.words.scopes import METHOD, NEW_RUNS_AND_SETS, NEW_SETS, OUTPUTS, Question, questions_of
from mtworkbench.words.sentences import IF_ALIKE, NOT_SHOWN, NOT_TESTED, ONLY_ALONE, comparative
from mtworkbench.words.sentences_on_equivalence import equality_note, is_equal, name_of_equality_p, show_equality_p
from mtworkbench.words.sentences_on_top import rank_of

System = SystemEstimate | CampaignSystem

# Where a column is shown: in what every reader needs, in the wide tables of the details, in the table of a paper.
SHORT, WIDE, PAPER = "short", "wide", "paper"
EVERYWHERE = (SHORT, WIDE, PAPER)
#: The headings of Clark's standard deviations, with what scores vary over, and of design effects.
S_SEL, S_TEST = "s_sel (test sets)", "s_test (runs)"
DEFF, DEFF_OF_DIFFERENCE = "deff (score)", "deff (diff.)"
#: The headings of adjusted p in the one table of very many differences over test sets.
SHORT_P = ("p (these)", "p (new)")
#: The headings of a difference, and of what is shown of it.
DIFFERENCE, VERDICT = "diff.", "verdict"
#: The heading of p for new test sets without the set of the row.
WITHOUT = f"{SHORT_P[1]}, set left out"
# What stands before a score that is called as another column.
TAKEN = ("system", "ranks", "group", "runs", S_SEL, S_TEST, DEFF, "BP", "length ratio", DIFFERENCE, "p", VERDICT)


def _always(metric: AnyMetric, rows: Sequence[Any]) -> bool:
    """Any metric has it."""
    return True


@dataclass(frozen=True)
class Column:
    """A column of systems or of differences.

    Parameters
    ----------
    heading : str or callable
        Of the metric and the question.
    cell : callable
        Of the metric, what the row is about, and the question.
    views : tuple of str
        Where it is shown.
    questions : tuple of Question
        Of which tables it is a part.
    has : callable
        Whether a metric has it, with these rows.
    leaves : int
        Of columns that are left out where there is no room, those with smaller numbers first; 0 stays.
    """

    heading: str | Callable[[Any, Question], str]
    cell: Callable[[Any, Any, Question], str]
    views: tuple[str, ...] = (WIDE,)
    questions: tuple[Question, ...] = (OUTPUTS, METHOD, NEW_SETS, NEW_RUNS_AND_SETS)
    has: Callable[[Any, Sequence[Any]], bool] = _always
    leaves: int = 0

    def name(self, metric: AnyMetric, question: Question = OUTPUTS) -> str:
        """Return the heading."""
        return self.heading if isinstance(self.heading, str) else self.heading(metric, question)


def is_campaign(metric: object, rows: object = None) -> bool:
    """Tell whether a metric is of several test sets."""
    return isinstance(metric, CampaignMetric)


def name_ci(metric: AnyMetric, question: Question = OUTPUTS) -> str:
    """Return the heading of intervals."""
    return f"{in_percent(metric.level)} CI"


# ---- the systems


def say_range(low: int | None, high: int | None) -> Cell:
    """Write a range of ranks: ``1-3``, or one number; an absent one is empty."""
    if low is None or high is None:
        return Cell()
    return Cell(low if low == high else f"{low}-{high}")


def _is_ranked(metric: AnyMetric, rows: object) -> bool:
    return metric.has_ranks


def _is_ranked_on_sets(metric: AnyMetric, rows: object) -> bool:
    return is_campaign(metric) and metric.has_ranks


def name_score(metric: AnyMetric, question: Question = OUTPUTS, taken: Sequence[str] = TAKEN) -> str:
    """Return the heading of scores: the metric's name, unless another column is called so."""
    name = metric.name.split("|")[0]
    return f"{name} (score)" if name in taken else name


def _has_runs(metric: AnyMetric, rows: Sequence[System]) -> bool:
    return any(one.runs != 1 for one in rows)


def _has_several_runs(metric: AnyMetric, rows: Sequence[Any]) -> bool:
    return not is_campaign(metric) and any(one.runs > 1 for one in rows)


def _has_lengths(metric: AnyMetric, rows: Sequence[Any]) -> bool:
    return not is_campaign(metric) and any(one.brevity_penalty is not None for one in rows)


#: Scores and intervals are parts of a paper's table of all pairs.
SYSTEMS = (
    Column("runs", lambda m, one, _: Cell("varies" if one.runs is None else one.runs), (SHORT, WIDE), has=_has_runs),
    Column(name_score, lambda m, one, _: number(one.score, decimals_of(m)), (SHORT, WIDE)),
    Column(name_ci, lambda m, one, _: interval_of(one.low, one.high, decimals_of(m)), (SHORT, WIDE), leaves=1),
    Column(
        "ranks",
        lambda m, one, _: say_range(rank_of(m, one.system).rank_low, rank_of(m, one.system).rank_high),
        EVERYWHERE,
        has=_is_ranked,
    ),
    Column(
        "ranks (new sets)",
        lambda m, one, _: say_range(
            rank_of(m, one.system).new_sets_rank_low, rank_of(m, one.system).new_sets_rank_high
        ),
        EVERYWHERE,
        has=_is_ranked_on_sets,
    ),
    Column("group", lambda m, one, _: rank_of(m, one.system).group, EVERYWHERE, has=_is_ranked),
    Column(
        "group (new sets)",
        lambda m, one, _: rank_of(m, one.system).new_sets_group,
        (WIDE, PAPER),
        has=_is_ranked_on_sets,
        leaves=3,
    ),
    Column(S_SEL, lambda m, one, _: number(one.s_sel, decimals_of(m)), has=_has_several_runs, leaves=3),
    Column(S_TEST, lambda m, one, _: number(one.s_test, decimals_of(m)), has=_has_several_runs, leaves=3),
    Column(
        DEFF,
        lambda m, one, _: number(one.design_effect, 1),
        has=lambda m, rows: not is_campaign(m) and any(one.design_effect is not None for one in rows),
        leaves=2,
    ),
    Column("BP", lambda m, one, _: number(one.brevity_penalty, 3), has=_has_lengths, leaves=2),
    Column("length ratio", lambda m, one, _: number(one.length_ratio, 3), has=_has_lengths, leaves=2),
)


def tabulate_systems(metric: AnyMetric, view: str = WIDE) -> Columns:
    """Return the table of systems, the best first: ranks or standing, score, interval, and how scores vary."""
    rows = metric.systems_from_best
    columns: Columns = {"system": [one.system for one in rows]}
    for column in SYSTEMS:
        if view in column.views and column.has(metric, rows):
            columns[column.name(metric)] = [column.cell(metric, one, OUTPUTS) for one in rows]
    return columns


def set_top_in_bold(columns: AnyColumns, metric: AnyMetric) -> Columns:
    """Set the scores of the systems at the top in bold, in the table of systems."""
    score = name_score(metric)
    named = zip(columns["system"], columns[score], strict=True)
    whole = {heading: list(cells) for heading, cells in columns.items()}
    return whole | {score: [Bold(cell) if name in metric.top else cell for name, cell in named]}


# ---- what a cell says of a difference


def say_verdict(metric: AnyMetric, pair: AnyPair, question: Question) -> str:
    """Say in a word what is shown of a difference: for more than what was compared only where it is shown there."""
    if not pair.differs:
        return pair.conclusion if question is OUTPUTS or not is_campaign(metric) else ""
    verdict = question.answer(pair, "verdict")
    if verdict is None:
        return NOT_TESTED
    shown_alone = verdict == "significant" != pair.verdict
    if question in (OUTPUTS, METHOD):
        said = _say_verdict(pair, metric, pair.verdict if shown_alone else verdict, of_method=question is METHOD)
    else:
        said = _say_plain_verdict(pair, metric, pair.verdict if shown_alone else verdict)
    return ONLY_ALONE if said == NOT_SHOWN and shown_alone else said


def _say_verdict(pair: AnyPair, metric: AnyMetric, verdict: str, *, of_method: bool) -> str:
    """Say in a word what is shown: a difference, perhaps one smaller than the margin, equality, or neither."""
    equal, equality = is_equal(pair, of_method=of_method), equality_note(pair, of_method=of_method)
    if verdict == "significant":
        return comparative(metric, leads(pair, metric)) + (f" by <{pair.margin:g}" if equal else "")
    if equality and equal:
        return equality
    if of_method and pair.shown_if_alike:
        return IF_ALIKE
    return "undecided" if verdict == "undecided" else equality or NOT_SHOWN


def say_verdict_on_set(metric: CampaignMetric, one: SetEstimate) -> str:
    """Say in a word what is shown of a difference on one of the test sets."""
    return _say_plain_verdict(one, metric, one.verdict)


def _say_plain_verdict(one: AnyPair | SetEstimate, metric: AnyMetric, verdict: str) -> str:
    """Say in a word what is shown where equality within the margin is not tested."""
    if verdict == "significant":
        return comparative(metric, leads(one, metric))
    return "undecided" if verdict == "undecided" else NOT_SHOWN


# ---- the differences


def show_p_of(metric: AnyMetric, pair: AnyPair, question: Question, field: str) -> Cell:
    """Write a p of one question about a pair."""
    p = question.answer(pair, field)
    return show_p(p, p_digits(pair), metric.level) if question is OUTPUTS else show_t(p, metric.level)


def name_p(metric: AnyMetric, question: Question) -> str:
    """Return the heading of the p that the verdicts go by; only that on these outputs comes from trials."""
    return name_of_p(metric, of_method=question is not OUTPUTS)


def _wins(metric: AnyMetric, pair: Any, question: Question) -> str:
    """Write the share of resamples in which the system of the row has the better score."""
    return Cell(f"{100 * pair.confidence:.1f}" if pair.segments_differing else "")


def _has_margin(metric: AnyMetric, rows: Sequence[Any]) -> bool:
    return any(pair.margin is not None for pair in rows)


def _show_spread(metric: AnyMetric, pair: CampaignPair, question: Question) -> Cell:
    """Write the spread between sets with its CI: 0.00 alone would read as "the sets do not differ"."""
    ends = interval_of(pair.spread_low, pair.spread_high, decimals_of(metric))
    return Cell(f"{number(pair.spread_between_sets, decimals_of(metric))} {ends}".rstrip())


DIFFERENCES = (
    Column(DIFFERENCE, lambda m, pair, _: number(pair.difference, decimals_of(m)), EVERYWHERE),
    Column(name_ci, lambda m, pair, q: show_ends(q.answer(pair, "ends"), decimals_of(m)), EVERYWHERE),
    Column("p", lambda m, pair, q: show_p_of(m, pair, q, "p_value"), leaves=10),
    Column(name_p, lambda m, pair, q: show_p_of(m, pair, q, "p_adjusted"), EVERYWHERE),
    Column("df", lambda m, pair, q: number(q.answer(pair, "df"), 1), questions=(METHOD, NEW_RUNS_AND_SETS), leaves=8),
    Column(
        "one new set",
        lambda m, pair, _: show_ends(pair.one_new_set_ends, decimals_of(m)),
        questions=(NEW_SETS,),
        has=lambda m, rows: any(pair.one_new_set_ends.low is not None for pair in rows),
        leaves=5,
    ),
    Column(lambda m, _: f"spread ({name_ci(m)})", _show_spread, questions=(NEW_SETS,), leaves=6),
    Column("p (sets)", lambda m, pair, _: show_t(pair.spread_p_value, m.level), questions=(NEW_SETS,), leaves=7),
)
# After the columns of additional tests.
VERDICTS = (
    Column(
        lambda m, q: name_of_equality_p(m.comparisons, of_method=q.of_method),
        lambda m, pair, q: show_equality_p(pair, m, of_method=q.of_method),
        questions=(OUTPUTS, METHOD),
        has=_has_margin,
        leaves=9,
    ),
    Column("win %", _wins, questions=(OUTPUTS,), has=lambda m, rows: not is_campaign(m) and has_direction(m), leaves=1),
    Column(
        "better on",
        lambda m, pair, _: Cell(f"{pair.n_sets_a_better} of {pair.n_sets}"),
        questions=(OUTPUTS,),
        has=lambda m, rows: is_campaign(m) and has_direction(m),
        leaves=4,
    ),
    Column(VERDICT, lambda m, pair, q: say_verdict(m, pair, q), (SHORT, WIDE)),
)


def further_columns(pairs: Sequence[AnyPair]) -> Iterator[Column]:
    """Declare a column for the p of each additional test."""
    for place, test in enumerate(getattr(pairs[0], "further", ()) if pairs else ()):
        if isinstance(test, FurtherTest):
            yield Column(
                f"p ({test.called})",
                lambda m, pair, _, place=place: show_t(pair.further[place].p_value, m.level),  # type: ignore[misc]
                questions=(OUTPUTS,),
            )


def columns_of(metric: AnyMetric, question: Question, view: str) -> list[Column]:
    """Return the columns of a table of differences."""
    pairs = metric.comparisons
    return [
        column
        for column in (*DIFFERENCES, *further_columns(pairs), *VERDICTS)
        if view in column.views and question in column.questions and column.has(metric, pairs)
    ]


def tabulate_differences(
    metric: AnyMetric, rows: Sequence[AnyPair | None], question: Question, view: str = WIDE
) -> Columns:
    """Return a table of differences without the names of its rows; where there is no pair, cells are empty."""
    return {
        column.name(metric, question): [Cell() if one is None else column.cell(metric, one, question) for one in rows]
        for column in columns_of(metric, question, view)
    }


def name_rows(metric: AnyMetric, rows: Sequence[AnyPair]) -> Columns:
    """Name the systems of each row; where there is one baseline, the heading names it."""
    columns: Columns = {"system": [pair.a for pair in rows]}
    return columns if metric.compared_with is not None else columns | {"against": [pair.b for pair in rows]}


def list_dispensable(metric: AnyMetric, columns: Iterable[str]) -> list[str]:
    """List what is left out of a table where there is no room, in this order: the verdicts need none of it.

    Without an adjusted p they go by p itself.
    """
    declared = [one for question in questions_of(metric) for one in columns_of(metric, question, WIDE)]
    ranks = {one.name(metric, question): one.leaves for one in (*SYSTEMS, *declared) for question in (OUTPUTS, METHOD)}
    names = [name for name in columns if ranks.get(name) and (name != "p" or metric.family_size > 1)]
    return sorted(names, key=lambda name: ranks[name])
