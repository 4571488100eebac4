"""A plan of a test set in words and as a table: every sentence is made from its numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mtworkbench.characters import printable
from mtworkbench.inference.planning import MAX_RUNS, MAX_UNITS, Plan
from mtworkbench.results.names_of_units import count_units, name_units
from mtworkbench.wording import tally
from mtworkbench.words.cells import decimals_for, round_up
from mtworkbench.words.concerns import add_doubts, doubts_of
from mtworkbench.words.document import Document, Section, Table, name_signatures
from mtworkbench.words.frames import Cell, Columns, in_percent, number
from mtworkbench.words.lines import Sentences, wrap
from mtworkbench.words.sentences_on_units import describe_documents

# The table has these multiples of the test set at hand.
MULTIPLES = (0.25, 0.5, 1, 2, 4, 8, 16)
#: Where documents are not known.
INDEPENDENT = (
    "Segments are taken to be independent, because their documents are not known. If segments of one document are "
    "alike, more are needed: give the documents (documents, --documents)."
)
# An exaggeration that rounds to 1.0 is none.
EXAGGERATED = 1.05
# A smallest difference that grows by less than this share is rounding, and the few points of a quadrature.
GROWS = 0.02
# More segments hardly help where runs have at least this share of the variance.
RULES = 0.8


def describe_plan_briefly(plan: Plan) -> list[str]:
    """Say what is needed, what the test set at hand can show, what significance exaggerates, and how rough this is.

    All of it is for the planned number of runs. Where no test is possible at hand, this is all that follows what is
    needed. A plan of equality exaggerates nothing. The last sentence says where a larger test set does not help.

    Names are as they are in the data: whoever shows the sentences escapes them.
    """
    if math.isnan(show_at_hand(plan)["power"]):
        return [_describe_needed(plan), _describe_no_test(plan)]
    of_difference = [] if plan.margin is not None else [_describe_errors(plan)]
    return [
        _describe_needed(plan),
        _describe_at_hand(plan),
        *of_difference,
        _describe_how_rough(plan),
        *(_describe_no_longer_helps(plan, True) or _describe_hardly_helps(plan)),
    ]


def show_at_hand(plan: Plan) -> Mapping[str, float]:
    """Return what the test set at hand shows with the planned runs: ``power``, ``smallest_difference`` and so on.

    Where it has too few units for a row of `Plan.powers`, it is what it shows with the runs at hand.
    """
    powers = plan.powers
    if _is_planned_at_hand(plan):
        at_hand = powers[(powers["n_units"] == plan.n_units) & (powers["n_runs"] == plan.runs)].iloc[0]
        return dict(at_hand)
    names = ("smallest_difference", "smallest_margin", "wrong_sign", "exaggeration")
    return {"power": plan.power_at_hand} | {name: getattr(plan, name) for name in names}


def _is_planned_at_hand(plan: Plan) -> bool:
    """Tell whether the plan has runs, and the test set at hand enough units to look at other numbers of them."""
    return plan.runs is not None and plan.n_units in set(plan.powers["n_units"])


def describe_plans(plans: Mapping[str, Plan]) -> Sentences:
    """Say under each name what its plan needs, to lay plans side by side."""
    return wrap((printable(f"{name}: {plan.headline[0]}") for name, plan in plans.items()), finding=False)


def title_plan(plan: Plan) -> str:
    """Say what is needed in one short sentence, above a figure."""
    power = f"{in_percent(plan.power)} power to show {name_aim(plan)}{_with_runs(plan)}"
    at_hand = f"the {plan.n_units:,} at hand have {_percent(show_at_hand(plan)['power'])}"
    if math.isnan(show_at_hand(plan)["power"]):
        at_hand = f"on the {plan.n_units:,} at hand nothing can be tested"
    if plan.units_needed is None:
        return f"No number of {name_units(plan.unit)} has {power}; {at_hand}"
    return f"About {round_up(plan.units_needed):,} {name_units(plan.unit)} have {power}; {at_hand}"


def build_plan(plan: Plan) -> Document:
    """Lay out a plan: the headline, the table of power, and what its columns mean."""
    return add_doubts(_build_one(plan), plan.doubts)


def _build_one(plan: Plan) -> Document:
    # Columns are left out where there is no room, but no mark of a row is cut.
    table = Table(tabulate_plan(plan), caption=_caption(plan), dispensable=_list_other_runs(plan), cut=False)
    return Document(
        plan.headline,
        [Section(tables=[table])],
        explanation=list(explain_plan(plan)),
        signatures=_sign(plan, several=False),
        in_row=False,
    )


def build_plans(plans: Sequence[Plan], format: str = "text", *, all_columns: bool = False) -> list[Document]:
    """Lay out several plans; what they have alike of explanations and signatures stands below the last of them."""
    several, documents, said = len(plans) > 1, list[Document](), set[str]()
    for plan in reversed(plans):
        explained = [one for one in explain_plan(plan, several=several) if one not in said]
        signatures = [one for one in _sign(plan, several=several) if one not in said]
        documents.insert(0, replace(_build_one(plan), explanation=explained, signatures=signatures))
        said.update((*explained, *signatures))
    first, *others = documents
    return [add_doubts(first, doubts_of(plans), format), *others]


def _sign(plan: Plan, *, several: bool) -> list[str]:
    """Write the signature; of several plans, each with the difference that was observed, they may be one."""
    observed = f"|difference:{plan.difference:g}|"
    signature = plan.signature.replace(observed, "|difference:observed|") if several and _is_observed(plan) else ""
    return name_signatures({plan.metric: signature or plan.signature})


def tabulate_plan(plan: Plan) -> Columns:
    """Return the table of power: a row per size of the test set, the one at hand and the one needed among them."""
    powers = plan.powers
    wanted = {round(plan.n_units * multiple) for multiple in MULTIPLES} | {plan.units_needed}
    sizes = [size for size in sorted(set(powers["n_units"])) if size in wanted]
    marks = {plan.n_units: "at hand", plan.units_needed: "needed"}
    if plan.units_needed == plan.n_units:
        marks[plan.n_units] = "at hand, needed"
    of_runs = {n_runs: part.set_index("n_units").loc[sizes] for n_runs, part in powers.groupby("n_runs")}
    planned = of_runs[plan.runs or min(of_runs)]
    columns: Columns = {"test set": [marks.get(size, "") for size in sizes]}
    if plan.unit != "segment":
        columns[name_units(plan.unit)] = [Cell(f"{size:,}") for size in sizes]
    columns["segments"] = [Cell(f"{count:,}") for count in planned["n_segments"]]
    for n_runs, part in of_runs.items():  # without runs there is one part
        columns[f"{n_runs} runs" if plan.of == "method" else "power"] = [_percent(power) for power in part["power"]]
    digits = _digits(plan)
    if plan.margin is not None:
        columns["smallest margin"] = [number(value, digits) for value in planned["smallest_margin"]]
        return columns
    columns["smallest diff."] = [number(value, digits) for value in planned["smallest_difference"]]
    columns["wrong sign"] = [_percent(share) for share in planned["wrong_sign"]]
    columns["exaggeration"] = [number(factor, 1) for factor in planned["exaggeration"]]
    return columns


def explain_plan(plan: Plan, *, several: bool = False) -> Iterator[str]:
    """Say what the columns of the table mean, and what the plan rests on; for ``several`` without what is its alone."""
    whose = "for the method (new training or tuning runs)" if plan.of == "method" else "on these outputs"
    if plan.margin is not None:
        yield from _explain_equality(plan, whose)
    else:
        yield from _explain_difference(plan, whose, several and _is_observed(plan))
    if plan.unit == "segment" and plan.design_effect is None:
        yield INDEPENDENT
    yield from describe_documents(plan.known_documents)
    yield from _describe_no_longer_helps(plan, False)


def _explain_difference(plan: Plan, whose: str, several: bool) -> Iterator[str]:
    what, has = ("the size above the table", "has") if several else (name_difference(plan), "is")
    yield (
        f"power: how often a test set of this size shows a true difference of {what} {whose}, in a single comparison "
        f"at {in_percent(1 - plan.level)}. smallest diff.: the smallest true difference that it shows with "
        f"{in_percent(plan.power)} power."
    )
    yield (
        f"wrong sign, exaggeration: if the true difference {has} {what}, what share of significant differences"
        f"{_with_runs(plan)} has the wrong sign (type S error), and how many times too large they are on average "
        "(type M error)."
    )
    if _is_observed(plan):
        which = f" ({plan.a} - {plan.b}: {plan.observed_difference:+.{_digits(plan)}f} {plan.metric})"
        used = "Each plan uses the observed difference" if several else f"This plan uses the observed difference{which}"
        yield (
            f"{used} as if it were the true one. A difference that you plan for because it is significant is too large "
            "on average: name a smaller one that would still matter."
        )


def _explain_equality(plan: Plan, whose: str) -> Iterator[str]:
    yield (
        f"power: how often two one-sided tests (TOST), each at {in_percent(1 - plan.level)}, show on a test set of "
        f"this size that two systems are equal within {_margin(plan)} {whose}, if their true difference is 0. smallest "
        f"margin: the smallest margin within which they show this with {in_percent(plan.power)} power. If the true "
        "difference is not 0, more is needed."
    )


def _list_other_runs(plan: Plan) -> list[str]:
    """List the columns of runs that are neither planned nor at hand, those to be left out first before the others."""
    others = sorted(set(plan.powers["n_runs"]) - {plan.runs, plan.runs_a, plan.runs_b})
    # The largest number is left out last: it shows what runs can change.
    return [f"{number} runs" for number in [*others[-2::-1], *others[-1:]]] if plan.of == "method" else []


def _caption(plan: Plan) -> str:
    runs = ""
    if plan.of == "method":
        last = "last three columns" if plan.margin is None else "last column"
        runs = f", by the number of runs of each system (the {last}: with {plan.runs} runs)"
    return printable(f"Power to show {_claim(plan)}{runs}:")


def _describe_needed(plan: Plan) -> str:
    """Say how many segments, documents and runs are needed."""
    what = f"{'a difference of ' * (plan.margin is None)}{_claim(plan)}"
    power, with_runs = f"with {in_percent(plan.power)} power", _with_runs(plan)
    if plan.of == "method":
        what += " for the method (new training or tuning runs)"
    at_hand = _size(plan, plan.n_segments, plan.n_units)
    if plan.units_needed is None or plan.segments_needed is None:
        tried = f"{MAX_UNITS // 1_000_000} million {name_units(plan.unit)}"
        said = f"No test set{with_runs}, however large, would show {what} {power} (tried: up to {tried})"
    elif plan.units_needed <= plan.n_units:
        said = f"The test set at hand is large enough to show {what} {power}: "
        said = f"With{with_runs[5:]}, t{said[1:]}" if with_runs else said
        enough = min(round_up(plan.segments_needed), plan.n_segments), min(round_up(plan.units_needed), plan.n_units)
        said += f"about {_size(plan, *enough)} of its {at_hand} would be enough"
    else:
        needed = _size(plan, round_up(plan.segments_needed), round_up(plan.units_needed))
        said = f"To show {what} {power}, about {needed} are needed{with_runs}; there are {at_hand}"
    if plan.of == "method" and (plan.runs_needed is None or plan.runs_needed > (plan.runs or 0)):
        none = plan.runs_needed is None
        runs = f"no number of runs up to {MAX_RUNS:,}" if none else f"{round_up(plan.runs_needed or 0)} runs of each"
        said += f". On the test set at hand, {runs} would be enough"
        if none and plan.units_needed is None:
            said += _describe_more_of_both(plan)
    return f"{said}."


def _describe_more_of_both(plan: Plan) -> str:
    """Say which row of the table has enough power with more runs than planned, and a larger test set."""
    enough = plan.powers[(plan.powers["power"] >= plan.power) & (plan.powers["n_runs"] > (plan.runs or 0))]
    if enough.empty:
        return ""
    first = enough.sort_values(["n_runs", "n_units"]).iloc[0]
    size = _size(plan, round_up(int(first["n_segments"])), round_up(int(first["n_units"])))
    return f"; more of both would be enough, such as {first['n_runs']:.0f} runs of each on about {size}"


def _describe_no_test(plan: Plan) -> str:
    """Say that on the test set at hand nothing can be tested."""
    units = count_units(plan.unit, plan.n_units)
    if plan.n_effective_units >= 2:
        return f"On the test set at hand nothing can be shown: with {units}, {_runs(plan)} allow no test."
    return (
        f"On the test set at hand nothing can be shown: its {units} are of such unequal size that they carry no more "
        "information than fewer than two of equal size."
    )


def _describe_at_hand(plan: Plan) -> str:
    """Say what the test set at hand can show with the planned runs, and with those at hand where they are others."""
    found, power, digits = show_at_hand(plan), in_percent(plan.power), _digits(plan)
    planned = _is_planned_at_hand(plan)
    runs = "" if plan.of == "outputs" else f", with {f'{plan.runs} runs of each system' if planned else _runs(plan)},"
    if plan.margin is None:
        said, size = "The test set at hand", "smallest_difference"
        shows = f"it; the smallest difference that it shows with {power} power"
    else:
        said, size = "If their true difference is 0, the test set at hand", "smallest_margin"
        shows = f"it; the smallest margin within which it shows equality with {power} power"
    said += f"{runs} has {_percent(found['power'])} power to show {shows} is {found[size]:.{digits}f} {plan.metric}"
    if planned and {plan.runs_a, plan.runs_b} != {plan.runs}:
        now = f"{_percent(plan.power_at_hand)} and {getattr(plan, size):.{digits}f} {plan.metric}"
        now = "no test" if math.isnan(plan.power_at_hand) else now
        said += f" (with the {_runs(plan)} at hand: {now})"
    return f"{said}."


def _describe_errors(plan: Plan) -> str:
    """Say what a significant difference on the test set at hand, with the planned runs, is worth."""
    found = show_at_hand(plan)
    wrong, exaggeration = found["wrong_sign"], found["exaggeration"]
    where = "the test set at hand"
    if plan.of == "method":
        where += f" with {f'{plan.runs} runs of each' if _is_planned_at_hand(plan) else _runs(plan)}"
    if math.isnan(wrong):
        return f"If the true difference is {name_difference(plan)}, {where} never shows it."
    often = f"has the wrong sign in {_percent(wrong)} of the cases"
    sign = often if wrong >= 0.0005 else "hardly ever has the wrong sign"
    size = f"is, on average, {exaggeration:.1f} times the true one"
    size = size if exaggeration >= EXAGGERATED else "is not exaggerated"
    return f"If the true difference is {name_difference(plan)}, a significant difference on {where} {size}, and {sign}."


def _describe_how_rough(plan: Plan) -> str:
    """Say how well the variance is known that the plan rests on: that of units, and that of runs."""
    counted, units = count_units(plan.unit, plan.n_units, plan.n_effective_units), name_units(plan.unit)
    between = "" if plan.of == "outputs" else f" between {units}"
    said = f"These numbers are rough: the true variance{between} can be {_factors(plan.n_effective_units - 1)} times "
    said += f"the estimated one ({counted}; 95 % CI), and "
    if plan.of == "outputs":
        return f"{said}so can the number of {units} needed."
    return f"{said}that between runs {_factors(plan.runs_a + plan.runs_b - 2)} times ({_runs(plan)}; 95 % CI)."


def _describe_no_longer_helps(plan: Plan, planned: bool) -> list[str]:
    """Say that with the planned runs, or with how many others, a larger test set shows less, where this is so."""
    size = "smallest_difference" if plan.margin is None else "smallest_margin"
    said, digits = [], _digits(plan)
    for n_runs, part in plan.powers.groupby("n_runs") if plan.of == "method" else ():
        longer = part[part["n_units"] >= plan.n_units].dropna(subset=[size])
        if longer.empty or planned != (n_runs == plan.runs):
            continue
        best, last = longer.loc[longer[size].idxmin()], longer.iloc[-1]
        falls = last["power"] < best["power"]
        if last[size] < (1 + GROWS) * best[size] or not (falls or planned):
            continue
        name = size.replace("_", " ")
        helps = "no longer helps" if falls else f"no longer makes the {name} smaller"
        enough = round_up(int(best["n_segments"]))
        said.append(
            f"With {n_runs} runs of each system, a test set of more than about {enough:,} segments {helps}: at "
            f"{int(last['n_segments']):,} segments, the {name} is {last[size]:.{digits}f} {plan.metric} in place of "
            f"{best[size]:.{digits}f}, and power is {_percent(last['power'])} in place of "
            f"{_percent(best['power'])}."
        )
        if last["df"] < best["df"]:
            said[-1] += (
                f" The variance between runs then dominates, and {n_runs} runs say little about it "
                f"({last['df']:.1f} degrees of freedom in place of {best['df']:.1f})."
            )
    return said


def _describe_hardly_helps(plan: Plan) -> list[str]:
    """Say that segments are not what is lacking, where the planned runs rule the variance of the difference."""
    part = plan.powers[(plan.powers["n_runs"] == plan.runs) & (plan.powers["n_units"] >= plan.n_units)]
    enough = plan.units_needed is not None and plan.units_needed <= plan.n_units
    if plan.of != "method" or enough or len(part) < 2:
        return []
    first, last = part.iloc[0], part.iloc[-1]
    # The variance is that of runs, and a rest that falls as 1 / n.
    rest = (first["standard_error"] ** 2 - last["standard_error"] ** 2) / (1 - first["n_units"] / last["n_units"])
    share = 1 - rest / first["standard_error"] ** 2
    if share < RULES:
        return []
    error, digits = first["standard_error"], _digits(plan)
    return [
        f"With {plan.runs} runs of each system, more segments hardly help: on the test set at hand, {_percent(share)} "
        "of the variance of the difference comes from runs, and this part does not shrink with more segments. The "
        f"standard error, {error:.{digits}f} {plan.metric}, would not fall below "
        f"{error * math.sqrt(share):.{digits}f}: make more runs."
    ]


def _with_runs(plan: Plan) -> str:
    """Write the number of runs that is planned; nothing where outputs are."""
    return "" if plan.runs is None else f" with {plan.runs} runs of each system"


def _runs(plan: Plan) -> str:
    if plan.runs_a == plan.runs_b:
        return f"{plan.runs_a} runs of each system"
    return f"{plan.runs_a} runs of {plan.a} and {plan.runs_b} of {plan.b}"


def _size(plan: Plan, n_segments: int, n_units: int) -> str:
    segments = tally(n_segments, "segment")
    return segments if plan.unit == "segment" else f"{segments} ({count_units(plan.unit, n_units)})"


def name_difference(plan: Plan) -> str:
    """Write the difference that is to be shown, with the metric: one that was named as it was named."""
    return f"{plan.difference:{f'.{_digits(plan)}f' if _is_observed(plan) else 'g'}} {plan.metric}"


def _claim(plan: Plan) -> str:
    """Write what is to be shown of the two systems."""
    if plan.margin is not None:
        return f"that {plan.a} and {plan.b} are equal within {_margin(plan)}"
    return f"{name_difference(plan)} between {plan.a} and {plan.b}"


def name_aim(plan: Plan) -> str:
    """Write what is to be shown: the difference, or equality within the margin."""
    return name_difference(plan) if plan.margin is None else f"equality within {_margin(plan)}"


def _margin(plan: Plan) -> str:
    return f"{plan.margin:g} {plan.metric}"


def _is_observed(plan: Plan) -> bool:
    return plan.margin is None and plan.difference == abs(plan.observed_difference)


def _digits(plan: Plan) -> int:
    """Choose the decimals of differences: two digits of the smallest one that is named, but at least two decimals."""
    smallest = min(plan.difference, plan.smallest_difference)
    if plan.margin is not None and plan.smallest_margin is not None:
        smallest = min(plan.margin, plan.smallest_margin)
    return decimals_for(smallest)


def _percent(share: float) -> Cell:
    """Write a share in percent, with a decimal where it is small."""
    if math.isnan(share):
        return Cell("")
    if share < 0.0005 or share >= 0.995:
        return Cell("<0.1 %" if share < 0.5 else ">99 %")
    return Cell(f"{100 * share:.1f} %" if share < 0.0995 else f"{100 * share:.0f} %")


def _factors(df: float) -> str:
    """Write between which factors of its estimate a variance lies, with 95 % confidence."""
    from mtworkbench.distributions import chdtri

    return " to ".join(_two_digits(df / float(chdtri(df, share))) for share in (0.025, 0.975))


def _two_digits(value: float) -> str:
    """Write a factor with two significant digits: "0.52", "2.9", "1,000"."""
    return f"{float(f'{value:.1e}'):,.0f}" if value >= 9.95 else f"{value:#.2g}"
