"""Frames, and single results, laid out for reading: rounded, with headings in words."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from itertools import chain
from typing import Any

import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.results.estimates import Estimate
from mtworkbench.results.verdicts import Ends
from mtworkbench.words.cells import (
    EXACT_DIGITS,
    decimals_of_intervals,
    digits_of_trials,
    show_ends,
    show_p,
    show_p_error,
)
from mtworkbench.words.document import AnyColumns, Document, Section, Table
from mtworkbench.words.frames import USUAL_LEVEL, Cell, Columns, fixed, in_percent, interval_of, number, plain
from mtworkbench.words.metric_names import label_metric
from mtworkbench.words.scopes import ADJUSTMENTS, name_adjusted

#: The keys of results in the words of tables; other names of columns are shown as they are.
WORDS = {
    "a": "system",
    "b": "against",
    "difference": "diff.",
    "score_a": "score of system",
    "score_b": "score of the other",
    "p_value": "p",
    "p_adjusted": name_adjusted("holm"),
    "method_p_value": "p (method)",
    "method_p_adjusted": "p (Holm, method)",
    "method_df": "df (method)",
    "smallest_p": "smallest possible p",
    "confidence": "win %",
    "design_effect": "deff",
    "tolerated_design_effect": "tolerated deff",
    "verdict": "verdict",
    "method_verdict": "verdict (method)",
    "segments_differing": "segments that differ",
    "from_length": "diff. from length",
    "precision_1": "1-gram precision (%)",
    "precision_4": "4-gram precision (%)",
    "bleu": "BLEU",
    "brevity_penalty": "BP",
    "n_segments": "segments",
    "n_documents": "documents",
    "n_units": "units",
    "n_resamples": "resamples",
    "n_trials": "trials",
    "smallest_difference": "smallest diff.",
    "method_smallest_difference": "smallest diff. (method)",
    "equivalence_margin": "margin",
    "equivalence_p_value": "p (equiv.)",
    "equivalence_p_adjusted": "p (equiv., Holm)",
    "equivalence_verdict": "equivalence",
    "method_equivalence_p_value": "p (method, equiv.)",
    "method_equivalence_p_adjusted": "p (method, equiv., Holm)",
    "method_equivalence_verdict": "equivalence (method)",
    # Of campaigns.
    "n_sets": "test sets",
    "new_sets_p_value": "p (new sets)",
    "new_sets_p_adjusted": "p (Holm, new sets)",
    "new_sets_t_p_value": "p (new sets, t alone)",
    "new_sets_df": "df (new sets)",
    "new_sets_verdict": "verdict (new sets)",
    "spread_between_sets": "spread between sets",
    "spread_p_value": "p (spread)",
    "new_sets_without_p_value": "p (new sets, without this one)",
    "new_sets_without_p_adjusted": "p (Holm, new sets, without this one)",
    "new_runs_and_sets_p_value": "p (new runs and sets)",
    "new_runs_and_sets_t_p_value": "p (new runs and sets, t alone)",
    "new_runs_and_sets_p_adjusted": "p (Holm, new runs and sets)",
    "new_runs_and_sets_df": "df (new runs and sets)",
    "new_runs_and_sets_verdict": "verdict (new runs and sets)",
    "n_sets_a_better": "sets better",
    "n_sets_b_better": "sets worse",
    # Of the segments that changed most.
    "baseline_run": "run of baseline",
    "baseline_score": "score of baseline",
    # Of the studies of the papers.
    "design_effect_a": "deff of the system's score",
    "design_effect_b": "deff of the other's score",
    "differences_max": "max. (diff.)",
    "differences_median": "deff (diff.)",
    "scores_max": "max. (score)",
    "scores_median": "deff (score)",
    "shown_by_segment": "shown by segment",
    "undecided_by_segment": "undecided by segment",
    "called_better_percent": "called better (%)",
    "correct_percent": "right (%)",
    "fresh_deviation": "std of fresh samples",
    "fresh_error": "its standard error",
    "fresh_gain": "gain on fresh segments",
    "hypothesis_length": "length of the output",
    "mean_confidence": "mean confidence (%)",
    "missed_percent": "missed (%)",
    "more_percent": "used more than once (%)",
    "n_runs": "runs",
    "never_percent": "never used (%)",
    "once_percent": "used once (%)",
    "part_of_test_set": "part of the test set",
    "reference_length": "length of the reference",
    "rejected_percent": "rejected (%)",
    "resampled_deviation": "std of resamples",
}
#: Names that are words already.
OF_WORDS = (
    *("against_baseline", "length_ratio", "power_at_hand", "segments_needed", "documents_needed", "standard_error"),
    *("test_set", "effective_size", "made_up", "mean_width", "standard_deviation", "test_sets", "true_difference"),
)
WORDS |= {name: name.replace("_", " ") for name in OF_WORDS}
#: Two columns that are one interval, and its heading: the level stands before it where it is known.
INTERVALS = {
    ("low", "high"): "CI",
    ("method_low", "method_high"): "CI (method)",
    ("new_sets_low", "new_sets_high"): "CI (new sets)",
    ("one_new_set_low", "one_new_set_high"): "one new set",
    ("spread_low", "spread_high"): "CI (spread)",
    ("new_runs_and_sets_low", "new_runs_and_sets_high"): "CI (new runs and sets)",
    ("p_low", "p_high"): "MC 95 % CI of p",
    ("simultaneous_low", "simultaneous_high"): "simultaneous CI",
    ("method_simultaneous_low", "method_simultaneous_high"): "simultaneous CI (method)",
}
#: What the interval of a difference that is printed is made of, besides its own ends; so of that for the method.
OF_ENDS = {
    "low": ("simultaneous_low", "simultaneous_high", "excludes_zero"),
    "method_low": ("method_simultaneous_low", "method_simultaneous_high", "method_excludes_zero"),
}
#: The statistics of n-grams, by their order.
WORDS |= {f"matches_{n}": f"{n}-gram matches" for n in range(1, 10)}
WORDS |= {f"ngrams_{n}": f"{n}-grams of the output" for n in range(1, 10)}
# What is a p by its name: p, p_value, smallest_p, method_p_adjusted, p (Holm), least p.
A_P = re.compile(r"(.*[ _])?p(_value|_adjusted|_low|_high| \(.*\))?")
#: How the names of p begin that come from Student's t or chi-squared, and not from trials.
WITHOUT_TRIALS = ("method_", "new_sets_", "new_runs_", "spread_")
ABSENT = Cell("-")
# What a study wrote as text is a figure all the same: "48.58", "<0.001", "0.014 to 0.627", or nothing.
_NUMBER = r"<?[+-]?[\d,]+(\.\d+)?"
FIGURES = re.compile(rf"({_NUMBER}( to {_NUMBER})?( %)?|-|)")


def tabulate_frame(frame: pd.DataFrame, *, digits: int = 2) -> Table:
    """Lay out a frame for reading.

    Parameters
    ----------
    frame : DataFrame
        An index of integers without a name is left out: it is row numbers, also those that a selection left. Any
        other index becomes the first columns.
    digits : int
        Decimals of floating-point numbers. A p has as many as its trials carry, where their number is in the frame,
        else three; it is never 0.

    Returns
    -------
    Table
        The names of columns that the frames of results have are in words: see `mtworkbench.show_table`.

    Raises
    ------
    InputError
        For anything else than a frame (code ``no-frame``).
    """
    if not isinstance(frame, pd.DataFrame):
        raise InputError(
            "no-frame",
            f"show_table shows frames, but a {type(frame).__name__} was given: results show themselves in a notebook, "
            "and have a method to_frame().",
        )
    are_row_numbers = frame.index.name is None and pd.api.types.is_integer_dtype(frame.index.dtype)
    index = [] if are_row_numbers else _index_columns(frame.index)
    values = [(name, frame.iloc[:, place].tolist()) for place, name in enumerate(frame.columns)]
    # Where the columns have a name, they are values of something, such as systems, whatever they are called.
    are_fields = frame.columns.nlevels == 1 and frame.columns.name is None
    columns = _in_words(values, digits) if are_fields else _as_they_are(values, digits)
    starts_with_names = bool(values) and not _are_numbers(values[0][1])
    shown = _by_heading(_as_they_are(index, digits) + columns)
    return Table(shown, n_names=len(index) or int(starts_with_names))


Values = Sequence[tuple[Hashable, Sequence[Any]]]
Shown = list[tuple[Hashable, list[str]]]


def _index_columns(index: pd.Index) -> Values:
    names = ["" if name is None else name for name in index.names]
    return [(name, index.get_level_values(level).tolist()) for level, name in enumerate(names)]


def _as_they_are(values: Values, digits: int) -> Shown:
    return [(name, [_cell(value, digits) for value in cells]) for name, cells in values]


def _in_words(values: Values, digits: int) -> Shown:
    """Turn the columns of a frame of results into cells under headings in words."""
    frame = {str(name): cells for name, cells in values}
    p_digits = _p_digits(frame)
    high_of = {low: high for low, high in INTERVALS if _are_numbers(frame.get(low)) and _are_numbers(frame.get(high))}
    printed = {low: names for low, names in OF_ENDS.items() if low in high_of and {"difference", *names} <= {*frame}}
    shown: Shown = []
    for name, cells in values:
        name = str(name)
        in_heading = {"level": "low" in high_of, "adjust": "p_adjusted" in frame}
        if name in (*high_of.values(), *chain(*printed.values())) or (in_heading.get(name) and len(set(cells)) == 1):
            continue  # it is in the heading of another column, or in its cells
        if name in high_of:
            ends = zip(cells, frame[high_of[name]], strict=True)
            if name == "p_low":
                written = [_p_interval(*pair, one) for pair, one in zip(ends, p_digits, strict=True)]
            else:
                written = [interval_of(plain(low), plain(high), digits) or ABSENT for low, high in ends]
            if name in printed:
                written = [show_ends(one, digits) or ABSENT for one in _printed(frame, name, high_of[name])]
            shown.append((_heading_of_interval(name, high_of[name], frame), [*written]))
        elif A_P.fullmatch(name) and _are_shares(cells):
            own = [EXACT_DIGITS] * len(cells) if name.startswith(WITHOUT_TRIALS) else p_digits
            rows = zip(cells, own, _levels(frame, len(cells)), strict=True)
            written = [show_p(plain(p), decimals, level) or ABSENT for p, decimals, level in rows]
            shown.append((words_for(name, *set(frame.get("adjust", ()))), [*written]))
        elif name == "confidence" and _are_shares(cells):
            shown.append((WORDS[name], [_cell(None if plain(one) is None else 100 * one, 1) for one in cells]))
        else:
            # A verdict is about a comparison of outputs only if the frame has its p, too.
            heading = name if name == "verdict" and "p_value" not in frame else _heading(name, cells)
            shown.append((heading, [_cell(value, digits) for value in cells]))
    return shown


def _printed(frame: dict[str, Sequence[Any]], *own: str) -> list[Ends]:
    """Return the interval of each difference that is printed, given the names of its ends; see `JudgedPair.ends`."""
    rows = zip(*(map(plain, frame[name]) for name in (*own, *OF_ENDS[own[0]], "difference")), strict=True)
    return [
        Ends(*ends) if excludes is None else Ends.agreeing(low, high, difference, shown=excludes)
        for *ends, low, high, excludes, difference in rows
    ]


def words_for(name: str, *adjust: str) -> str:
    """Return the heading of a figure; of an adjusted p by the ways in which its rows were adjusted, if told."""
    if name == "p_adjusted" and adjust:
        return name_adjusted(adjust[0]) if len(adjust) == 1 and adjust[0] in ADJUSTMENTS else "adjusted p"
    return WORDS.get(name, name)


def _heading(name: str, cells: Sequence[Any]) -> str:
    """Return the words for the name of a column; systems may be called a and b, and then have numbers."""
    if name in ("a", "b") and _are_numbers(cells):
        return name
    if name == "b" and len(set(cells)) == 1:
        return "baseline"
    return WORDS.get(name, name)


def _heading_of_interval(low: str, high: str, frame: dict[str, Sequence[Any]]) -> str:
    """Return the heading of an interval, with its level where all rows have one."""
    levels = set(frame.get("level", ()))
    return head_interval(low, high, levels.pop() if len(levels) == 1 else None)


def head_interval(low: str, high: str, level: float | None) -> str:
    """Return the heading of an interval, with its level where that is known and not in the heading already."""
    return (f"{in_percent(level)} " if low != "p_low" and level is not None else "") + INTERVALS[low, high]


def _p_interval(low: float, high: float, digits: int) -> Cell:
    """Write the interval of a p's simulation error; where p is exact there is none."""
    return ABSENT if plain(low) is None or plain(high) is None else show_p_error(low, high, digits)


def _p_digits(frame: dict[str, Sequence[Any]]) -> list[int]:
    """Return the decimals of the p of each row: as its number of trials allows; where exact or not told, four."""
    n_rows = max(map(len, frame.values()), default=0)
    trials = map(plain, frame.get("n_trials", [None] * n_rows))
    digits = [digits_of_trials(None if count is None else int(count)) for count in trials]
    ends = zip(frame.get("p_low", range(n_rows)), frame.get("p_high", [None] * n_rows), strict=True)
    return [EXACT_DIGITS if low == high else one for one, (low, high) in zip(digits, ends, strict=True)]


def _levels(frame: dict[str, Sequence[Any]], n_rows: int) -> list[float]:
    """Return the level of each row, or the usual one."""
    given = frame.get("level", ())
    return [plain(one) or USUAL_LEVEL for one in given] if _are_numbers(given) else [USUAL_LEVEL] * n_rows


def _are_numbers(cells: Sequence[Any] | None) -> bool:
    """Tell whether all are numbers or absent."""
    kinds = {type(plain(cell)) for cell in cells or ()}
    return bool(kinds) and kinds <= {int, float, type(None)}


def _are_shares(cells: Sequence[Any]) -> bool:
    """Tell whether all are numbers from 0 to 1, or absent."""
    return _are_numbers(cells) and all(0 <= cell <= 1 for cell in map(plain, cells) if cell is not None)


def _cell(value: Any, digits: int) -> str:
    """Write a value for reading: floating-point numbers rounded, yes and no, a dash where there is none."""
    value = plain(value)
    if value is None or value is pd.NaT:
        return ABSENT
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return Cell(", ".join(_cell(one, digits) for one in value))
    if isinstance(value, float):
        return Cell(fixed(value, digits))
    return Cell(value) if isinstance(value, int) or FIGURES.fullmatch(str(value)) else str(value)


def _by_heading(columns: Shown) -> AnyColumns:
    """Key columns by their headings: two that are called alike are told apart, and all have as many levels."""
    n_levels = max((len(name) for name, _ in columns if isinstance(name, tuple)), default=1)
    table: dict[tuple[str, ...], Sequence[str]] = {}
    for name, cells in columns:
        levels = tuple(map(str, name)) if isinstance(name, tuple) else ("",) * (n_levels - 1) + (str(name),)
        number = 1
        while levels in table:
            number += 1
            levels = (*levels[:-1], f"{levels[-1].removesuffix(f' ({number - 1})')} ({number})")
        table[levels] = cells
    return table if n_levels > 1 else {heading: cells for (heading,), cells in table.items()}


# ---- a single result


# What a result is looked at for; the rest of its fields is folded. An interval has its first end here.
MAIN_FIELDS = (
    *("test_set", "system", "a", "b", "n_sets", "metric", "rank", "rank_low", "rank_high", "group", "against_baseline"),
    *("runs", "score", "mean", "difference", "low", "s_sel", "s_test", "s_dev", "p_value", "p_low", "p_adjusted"),
    *("confidence", "new_sets_low", "new_sets_p_adjusted", "method_low", "method_p_value", "method_p_adjusted"),
    *("new_runs_and_sets_low", "new_runs_and_sets_p_adjusted", "design_effect", "unit", "conclusion"),
)


def record_to_text(record: Estimate) -> str:
    """Write a result in one line, without its signature."""
    shown = ", ".join(
        f"{name}={value!r}" if isinstance(value, str) else f"{name}={show_field(record, name, value)}"
        for name, value in record.shown().items()
        if name != "signature"
    )
    return f"{type(record).__name__}({shown})"


def build_record(record: Estimate) -> Document:
    """Lay out a result as a table with one row, all its fields, and how to reproduce the numbers."""
    fields = {name: show_field(record, name, value) for name, value in record.shown().items() if name != "signature"}
    title = re.sub("(?<=[a-z])(?=[A-Z])", " ", type(record).__name__).capitalize()
    everything, row = {"field": list(fields), "value": list(fields.values())}, _row(record, fields)
    signature = getattr(record, "signature", None)
    shown = Table(row, caption=title) if row else Table(everything, caption=title)
    return Document(
        sections=[Section(tables=[shown])],
        details=[Section("All fields", tables=[Table(everything, caption="All fields")])] if row else [],
        signatures=[f"Signature: {signature}"] if signature else [],
        in_row=False,
    )


def _row(record: Estimate, fields: dict[str, str]) -> Columns:
    """Return what a reader looks for first, under headings in words; what is absent has no column."""
    row: Columns = {}
    for name in MAIN_FIELDS:
        if fields.get(name, "-") == "-":
            continue
        value, interval = getattr(record, name), next((ends for ends in INTERVALS if ends[0] == name), None)
        if interval is not None:
            level = getattr(getattr(record, "bootstrap", record), "level", None)
            row[head_interval(*interval, level)] = [_interval(record, *interval)]
        elif name in ("score", "mean", "difference"):
            row[WORDS.get(name, name)] = [number(value, _decimals(record))]
        elif name == "metric":
            row[words_for(name)] = [label_metric(fields[name], getattr(record, "signature", ""))]
        elif name == "confidence":
            row[WORDS[name]] = [number(100 * value, 1)]
        else:
            heading = words_for(name, getattr(record, "adjust", "holm"))
            row[heading] = [fields[name] if isinstance(value, str) else Cell(fields[name])]
    return row


def _interval(record: Estimate, low: str, high: str) -> Cell:
    """Write an interval: of scores and differences with their decimals, of a p with those of p."""
    if low == "p_low":
        return show_p_error(getattr(record, low), getattr(record, high), digits_of_field(record, low))
    if ends := getattr(record, f"{low.removesuffix('low')}ends", None):
        return show_ends(ends, _decimals(record))  # of a difference, as everywhere
    return interval_of(getattr(record, low), getattr(record, high), _decimals(record))


def _decimals(record: Estimate) -> int:
    return decimals_of_intervals([(getattr(record, "low", None), getattr(record, "high", None))])


def show_field(record: Estimate, name: str, value: Any) -> str:
    """Show one field: a p with the digits that its draws carry."""
    if value is None or not A_P.fullmatch(name):
        return show_number(value)
    level = getattr(getattr(record, "bootstrap", record), "level", None) or USUAL_LEVEL
    return show_p(value, digits_of_field(record, name), level)


def digits_of_field(record: Estimate, name: str) -> int:
    """Return the decimals of a p of a result."""
    if name.startswith(WITHOUT_TRIALS) or getattr(record, "p_low", None) == getattr(record, "p_high", None):
        return EXACT_DIGITS
    n_trials = getattr(record, "n_trials", None) or getattr(record, "n_splits", None)
    return digits_of_trials(n_trials or round(1 / getattr(record, "smallest_p", 1)) - 1)


def show_number(value: object) -> str:
    """Show a field of a result: numbers rounded to four significant digits, absent ones as a dash."""
    if value is None or value != value:  # a frame holds NaN where a figure is absent
        return "-"
    if isinstance(value, tuple):
        return "(" + ", ".join(show_number(item) for item in value) + ")"
    if isinstance(value, bool) or not isinstance(value, float):
        return str(value)
    return f"{value:.2f}" if abs(value) >= 10 else f"{value:.4g}"
