"""The published conventions side by side: headline first, a row per rule."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from mtworkbench.inference.conventions import Convention, Conventions
from mtworkbench.inference.rules import RULES, Rule
from mtworkbench.results.names_of_units import count_units, name_units
from mtworkbench.results.verdicts import ROUNDING
from mtworkbench.wording import grouped, listed, name_some
from mtworkbench.words.cells import decimals_of_intervals, digits_of_trials, name_p, say_close, show_p
from mtworkbench.words.concerns import add_doubts, doubts_of
from mtworkbench.words.document import Document, Section, Table, label_table, name_signatures, say_once
from mtworkbench.words.frames import Bold, Cell, Columns, in_percent, interval_of, number, signed
from mtworkbench.words.sentences_on_units import describe_documents

#: The rule of this package, with which the others are compared.
OURS = "ar"
#: What is said of each pair: a table of several pairs says it once.
NOT_ADJUSTED = "Each comparison is judged by itself: no p and no verdict is adjusted for several comparisons."
#: Of a rule whose rate of errors is not known.
UNKNOWN = "–"
#: How the settings of means are called, whatever was scored.
MEAN_SCORES = "mean scores"
RULE_OF: Mapping[str, Rule] = {rule.name: rule for rule in RULES}
#: Why rules of each kind disagree with randomization: the predicate of a sentence about several of them, or one.
REASONS = {
    "ties": "do/does not count exchanges or resamples that give the same difference, so that systems whose outputs "
    "hardly differ come out significant",
    "documents": "draw/draws sentences, as if those of one document were independent",
    "one-sided": "ask/asks about one direction only, so that they/it call/calls equal systems different about twice as "
    "often as their/its level says",
    "small samples": "draw/draws fewer segments than the test set has, so that they/it find/finds less than the data "
    "show",
    "segment scores": "test/tests the mean of the segments' own scores, which is another question",
    "runs": "exchange/exchanges the outputs of single runs, as if the runs of a sentence were independent",
    "other formula": "answer/answers the same question by another formula or other draws",
}
#: What was measured of rules, by its name in the tables of docs/validity.md.
LEVELS = {
    "keeps its level": "keep/keeps their/its level of 5 %",
    "errs too often": "err/errs more often",
    "conservative": "err/errs less often",
}


def build_convention(found: Conventions) -> Document:
    """Lay out one pair for a notebook: what is significant stands out, what the rules ask is folded away."""
    columns = tabulate_conventions(found)
    columns["verdict"] = [Bold(cell) if cell == "significant" else cell for cell in columns["verdict"]]
    asks = {"significant where": [one.asks for one in found.rules], "source": [one.source for one in found.rules]}
    label = "What each rule asks"
    document = _build_one(found, Table(columns, label="The published rules side by side"))
    of_columns = [note for note in document.notes if note.startswith("errs %")]
    document = replace(
        document,
        details=[Section(label, tables=[Table({"rule": columns["rule"]} | asks, label=label)])],
        notes=[note for note in document.notes if note not in of_columns],
        explanation=of_columns,
    )
    return add_doubts(document, found.doubts)


def _build_one(found: Conventions, table: Table, explanation: Sequence[str] = ()) -> Document:
    return Document(
        found.headline,
        [Section(tables=[table])],
        notes=[*describe_notes(found), NOT_ADJUSTED],
        explanation=explanation,
        signatures=name_signatures({_pair(found): found.signature}),
    )


def build_all(conventions: Sequence[Conventions], format: str = "text", *, all_columns: bool = False) -> list[Document]:
    """Lay out several pairs for the readers of a format: a paper has one after the other."""
    if format == "latex":
        return [add_doubts(build_conventions_paper(found), found.doubts, format) for found in conventions]
    return [add_doubts(build_conventions(conventions, format), doubts_of(conventions), format)]


def build_sets(
    sets: Mapping[str, Sequence[Conventions]], format: str = "text", *, all_columns: bool = False
) -> list[Document]:
    """Lay out the pairs of several test sets, set by set."""
    documents = []
    for name, conventions in sets.items():
        first, *others = build_all(conventions, format)
        documents += [replace(first, headline=[f"Test set {name}:", *first.headline]), *others]
    return documents


def build_conventions(conventions: Sequence[Conventions], format: str) -> Document:
    """Lay out several pairs; what is true of all is said once, at the end what each rule asks.

    Markdown has what a table says below it, and no signatures.
    """
    is_markdown = format == "markdown"
    sections = []
    for found in conventions:
        headline = describe_briefly(found, with_levels=len(conventions) == 1)
        table = Table(tabulate_conventions(found), dispensable=(f"{in_percent(found.level)} CI", "by"))
        sections.append(
            Section(
                name=_heading(found),
                headline=[] if is_markdown else headline,
                tables=[table],
                notes=[" ".join(headline)] if is_markdown else [],
            )
        )
    notes, listed = _describe_once(conventions), explain_conventions(conventions[0])
    if is_markdown:
        return Document(sections=sections, notes=[" ".join(notes)], listed=listed[1:])
    signatures = name_signatures({_pair(one): one.signature for one in conventions})
    return Document(sections=sections, notes=notes, listed=listed, signatures=signatures)


def build_conventions_paper(found: Conventions) -> Document:
    """Lay out one pair for a paper: what the caption does not say goes beside the table."""
    columns = tabulate_conventions(found)
    unknown = f" ({UNKNOWN}: not measured)" if UNKNOWN in columns.get("errs %", ()) else ""
    errs = f" errs %: how often the rule calls equal systems different at 5 %, as measured{unknown}."
    caption = f"What published rules say of {_heading(found)}. {NOT_ADJUSTED}{errs if 'errs %' in columns else ''}"
    label = label_table(f"{found.metric}-conventions", [(found.a, found.score_a), (found.b, found.score_b)])
    table = Table(columns, caption=caption, label=label)
    return _build_one(found, table, explain_conventions(found))


def tabulate_conventions(found: Conventions) -> Columns:
    """Return the table of one pair: what each rule draws and finds, and its verdict."""
    rules, digits = found.rules, _decimals(found)
    columns: Columns = {"rule": [one.name for one in rules]}
    if len({one.unit for one in rules}) > 1:
        columns["by"] = [one.unit for one in rules]
    columns["p"] = [show_p(one.p_value, _p_digits(one, found), found.level) for one in rules]
    columns["win %"] = [number(None if one.confidence is None else 100 * one.confidence, 1) for one in rules]
    columns[f"{in_percent(found.level)} CI"] = [interval_of(one.low, one.high, digits) for one in rules]
    if any(one.error_percent is not None for one in rules):
        columns["errs %"] = [number(one.error_percent, 1) or Cell(UNKNOWN) for one in rules]
    columns["verdict"] = [one.verdict or "-" for one in rules]
    return columns


def describe_notes(found: Conventions) -> list[str]:
    """Say why rules have no verdict, what is special of others, and what the rates of errors are, each thing once."""
    names = grouped(((one.verdict is None, one.note), one.name) for one in found.rules if one.note)
    said = [
        f"{'No verdict from ' if is_absent else ''}{name_some(whose)}: {note}."
        for (is_absent, note), whose in names.items()
    ]
    return [*said, *_describe_settings(found), *describe_documents(found.known_documents)]


def _describe_settings(found: Conventions) -> Iterable[str]:
    """Say what the rates of errors are, and in which setting they were measured; or how to get them."""
    if all(one.error_finding is None for one in found.rules):
        yield (
            "How often each rule calls equal systems different is not shown here: "
            "mtworkbench.analyses.conventions.add_error_rates adds it."
        )
    by_setting = grouped((one.error_setting, one.name) for one in found.rules if one.error_setting is not None)
    if by_setting:
        several, nulls = len(by_setting) > 1, {setting.partition(" (")[2] for setting in by_setting}
        null = f" ({nulls.pop()}" if several and len(nulls) == 1 else ""  # of all of them: it is said once
        where = [
            f"{setting.removesuffix(null)}{f' for {listed(names)}' if several else ''}"
            for setting, names in by_setting.items()
        ]
        unknown = f" {UNKNOWN}: not measured." if any(one.error_percent is None for one in found.rules) else ""
        yield (
            "errs %: how often the rule called equal systems different at 5 % in the nearest "
            f"{'settings' if several else 'setting'} of docs/validity.md: {'; '.join(where)}{null}.{unknown}"
        )


def explain_conventions(found: Conventions) -> list[str]:
    """Say what each rule asks, and who published it."""
    head = f'A rule says "significant" at {in_percent(1 - found.level)} if'
    return [f"{head}:", *(f"{one.name}: {one.asks} ({one.source})." for one in found.rules)]


def describe_briefly(found: Conventions, *, with_levels: bool = True) -> list[str]:
    """Say how many rules call the difference significant, and which do not agree with randomization, and why.

    Parameters
    ----------
    found : Conventions
    with_levels : bool
        Whether to say also which rules keep their level.
    """
    applied = [one for one in found.rules if one.verdict is not None]
    significant = [one.name for one in applied if one.verdict == "significant"]
    size, n = in_percent(1 - found.level), len(applied)
    rules = "rules" if n == len(found.rules) else "rules that give a verdict"
    levels = list(describe_levels(found)) if with_levels else []
    difference = f"{signed(found.difference, _decimals(found))} {found.metric} between {found.a} and {found.b}"
    if len(significant) in (0, n):
        which = f"All {n} {rules} call" if significant else f"None of the {n} {rules} calls"
        return [f"{which} the difference of {difference} significant at {size}.", *levels]
    verb = "calls" if len(significant) == 1 else "call"
    others = [one.name for one in applied if one.name not in significant]
    fewer, what, whats = significant, "this is", "these are"
    if len(others) < len(significant):
        fewer, what, whats = others, "the other is", "the others are"
    which = f"{what if len(fewer) == 1 else whats} {name_some(fewer)}"
    sentences = [
        f"{len(significant)} of {n} {rules} {verb} the difference of {difference} significant at {size}; {which}."
    ]
    return [*sentences, *levels, *_describe_ours(found), *_describe_reasons(found, applied)]


def describe_levels(found: Conventions) -> Iterable[str]:
    """Say which of the rules that were applied keep their level, as measured: agreement of rules proves nothing."""
    by_finding = grouped((one.error_finding, one.name) for one in found.rules if one.verdict is not None)
    unknown = len(by_finding.pop("not measured", ()))
    by_finding.pop(None, None)
    found_of = {said: by_finding[finding] for finding, said in LEVELS.items() if finding in by_finding}
    clauses = [f"{listed(names)} {_for_number(said, len(names))}" for said, names in found_of.items()]
    if clauses and unknown:
        clauses.append(f"{unknown} {_for_number('rules/rule were/was', unknown)} not measured")
    if clauses:
        by_metric = {is_of_metric(one, found) for one in found.rules if one.error_setting is not None}
        partly = "partly " if len(by_metric) > 1 else ""
        elsewhere = f", {partly}by another metric than {found.metric}" if False in by_metric else ""
        yield f"Measured on equal systems, in the nearest settings{elsewhere}: {'; '.join(clauses)}."
    elif unknown:
        yield f"Whether these rules keep their level was not measured {_where_not_measured(found)}."


def is_of_metric(one: Convention, found: Conventions) -> bool:
    """Tell whether a rule's rate of errors was measured by the metric of the comparison, or by means like it."""
    measured_by = (one.error_setting or "").split(",")[0]
    return measured_by == (MEAN_SCORES if found.is_mean else found.metric)


def _where_not_measured(found: Conventions) -> str:
    if max(found.runs_a, found.runs_b) > 1:
        return "for systems with several runs, because it depends on how much runs vary (docs/validity.md)"
    if round(1 - found.level, 9) != 0.05:
        return f"at {in_percent(1 - found.level)}"
    if found.segments_differing is not None and 2 * found.segments_differing < found.n_segments:
        also = " (for independent segments it was: docs/validity.md)" if found.n_documents is not None else ""
        return f"where so many segments are the same in both systems{also}"
    return "for data like these"


def _describe_ours(found: Conventions) -> Iterable[str]:
    """Say what randomization says."""
    ours = found[OURS]
    said = {
        "significant": "calls it significant",
        "not significant": "does not call it significant",
        "undecided": f"is undecided: {say_close('p', found.level, found.n_trials)}",
    }[ours.verdict or ""]
    p_value = name_p(_p_of_ours(found), _p_digits(ours, found), level=found.level)
    yield (
        f"Randomization by {ours.unit} ({OURS}, {p_value}), which keeps its level if {name_units(ours.unit)} are "
        f"independent, {said}."
    )


def _p_of_ours(found: Conventions) -> float:
    """Return the p of randomization, which is always made."""
    p_value = found[OURS].p_value
    return math.nan if p_value is None else p_value


def _describe_reasons(found: Conventions, applied: Sequence[Convention]) -> Iterable[str]:
    """Say why rules do not agree with randomization, in one sentence."""
    others = [one for one in applied if one.name != OURS and "undecided" != found[OURS].verdict != one.verdict]
    by_reason = grouped((reason_of(one, found), one.name) for one in others)
    clauses = [f"{name_some(names)} {_for_number(REASONS[reason], len(names))}" for reason, names in by_reason.items()]
    if clauses:
        yield f"Why: {'; '.join(clauses)}."


def reason_of(one: Convention, found: Conventions) -> str:
    """Return why a rule disagrees with randomization: a key of `REASONS`."""
    kind, ours, by_segment = RULE_OF[one.name].kind, found[OURS], found["multeval"]
    if one.name == "paired t" and not found.is_mean:
        return "segment scores"
    if one.verdict == "not significant":
        return "small samples" if kind == "small samples" else "other formula"
    if _p_of_ours(found) >= 1 - ROUNDING:
        return "ties"  # nothing that was exchanged changes the size of the difference
    if one.name == "multeval" and max(found.runs_a, found.runs_b) > 1:
        return "runs"
    # With one run, MultEval's test is randomization by segment: where it finds nothing, documents are not the reason.
    if one.unit != ours.unit and (kind != "one-sided" or by_segment.verdict != "not significant"):
        return "documents"
    return kind if kind == "one-sided" else "other formula"


def _for_number(predicate: str, n: int) -> str:
    """Choose the words of a predicate about several rules, or about one: ``draw/draws sentences``."""
    return re.sub(r"(\w+)/(\w+)", r"\1" if n > 1 else r"\2", predicate)


def _pair(found: Conventions) -> str:
    return f"{found.metric}, {found.a} against {found.b}"


def _heading(found: Conventions) -> str:
    by = "" if found.unit == "segment" else f" in {count_units(found.unit, found.n_units)}"
    return f"{found.metric}: {found.a} against {found.b}, {found.n_segments:,} segments{by}"


def _describe_once(conventions: Sequence[Conventions]) -> list[str]:
    """Say what the tables of all pairs need to be read, each thing once; what is true of some pairs says of which."""
    alone = len(conventions) == 1  # the headline of one pair has the levels
    said = {_pair(found): [*([] if alone else describe_levels(found)), *describe_notes(found)] for found in conventions}
    return [*say_once(said, name_some), NOT_ADJUSTED]


def _decimals(found: Conventions) -> int:
    return decimals_of_intervals([(one.low, one.high) for one in found.rules])


def _p_digits(one: Convention, found: Conventions) -> int:
    """Return the decimals that a rule's p carries."""
    all_exchanges = one.name == OURS and one.n_drawn != found.n_trials
    return digits_of_trials(None if all_exchanges else one.n_drawn)


# ---- a reader's predictions, next to what the rules say


def tabulate_predictions(found: Conventions, predicted: Mapping[str, str]) -> Columns:
    """Return the table of `tabulate_conventions` with what was predicted.

    Parameters
    ----------
    found : Conventions
    predicted : mapping of str to str
        The verdict predicted of a rule, by its name; rules that are absent, or have an empty one, were not predicted.
    """
    said = [(predicted.get(one.name, ""), one.verdict) for one in found.rules]
    marked = [Bold(f"{one} (wrong)") if one and one != verdict else one for one, verdict in said]
    return tabulate_conventions(found) | {"you said": marked}


def describe_predictions(found: Conventions, predicted: Mapping[str, str]) -> str:
    """Say how many verdicts were predicted right, and what the rules do say."""
    said = {name: verdict for name, verdict in predicted.items() if verdict}
    right = sum(found[name].verdict == verdict for name, verdict in said.items())
    score = f"You predicted {right} of {len(said)} verdicts right." if said else "You made no prediction."
    return " ".join([score, *found.headline])


def build_predictions(found: Conventions, predicted: Mapping[str, str]) -> Document:
    """Lay out what the rules say beside what was predicted."""
    return Document(sections=[Section(tables=[Table(tabulate_predictions(found, predicted), label="Predictions")])])
