"""Tables of other shapes and with other names, brought into the long form: one row per (system, run, segment)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from shlex import quote

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.frames import check_column_names, is_missing, is_reference
from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.outputs.files.numbers import interpret_numbers
from mtworkbench.outputs.tabular.columns import Column, Table
from mtworkbench.wording import name_some

#: Columns with a meaning of their own.
MEANINGS = ("system", "run", "segment", "segment_id", "document", "domain", "source", "hypothesis")
# What others call them, without blanks, hyphens and underscores.
_CALLED = {
    "system": "model modelname modelid systemid systemname sys engine mtsystem llm",
    "segment": "sampleid segid itemid item exampleid example questionid question task taskname instanceid index id",
    "run": "epoch seed trial replicate repeat iteration runid",
    "document": "doc docid documentid",
    "hypothesis": "hyp mt translation output prediction response",
    "reference": "ref gold target",
}
_TEXTS = ("hypothesis", "reference")
# Columns of a board that are no tasks.
_SUMMARY = re.compile(
    r"(^|[\W_])(average|avg|mean|overall|total|rank|params?|size|year|price|cost|latency|votes|elo)([\W_]|$)",
    re.IGNORECASE,
)
_METRIC = re.compile(
    r"((s(acre)?)?bleu|chrf|ter|meteor|x?comet|metricx|bleurt|bertscore|mqm|esa|nist|rouge|accuracy|precision|recall|"
    r"f1|perplexity|ppl|[wc]er)([\W_\d].*)?|da|rougel(sum)?",
    re.IGNORECASE,
)
# The frames of Inspect's samples_df have these; ``sample_id`` is another one in each row. Source: UKGovernmentBEIS/
# inspect_ai, analysis/_dataframe/samples/table.py and columns.py; scorer/_metric.py for the letters.
_INSPECT = {"eval_id", "sample_id", "id", "epoch"}
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


def rename(table: Table, columns: Mapping[str, str]) -> Table:
    """Give columns the names that have a meaning: ``{"system": "model"}``.

    Raises
    ------
    InputError
        ``columns`` for a name without a meaning, a column that is not there, or a name that another column has.
    """
    odd = next((name for name in columns if name not in MEANINGS and not is_reference(name)), None)
    if odd is not None:
        known = name_some([*map(excerpt, MEANINGS), "'reference'"], most=9)
        raise InputError("columns", f"{excerpt(odd)} is not a known column: name some of {known}.", found=odd)
    check_column_names(list(table.columns), columns.values(), table.label, path=table.path)
    twice = next((one for one in columns.values() if [*columns.values()].count(one) > 1), None)
    if twice is not None:
        raise InputError("columns", f"{excerpt(twice)} was given for two columns: name each once.", found=twice)
    new = {column: name for name, column in columns.items()}
    names = [new.get(column, column) for column in table.columns]
    check_column_names(names, (), f"{table.label}, with the columns renamed,", path=table.path)
    return replace(table, columns=dict(zip(names, table.columns.values(), strict=True)))


def suggest_columns(names: Iterable[str], wanted: Iterable[str]) -> str | None:
    """Say which columns look like others that are missing, and the option that reads them so; None where none does."""
    names = list(names)
    plain = {_plain(name): name for name in reversed(names)}
    found = {
        meaning: plain[called]
        for meaning, all_called in _CALLED.items()
        if meaning not in names and (called := next((one for one in all_called.split() if one in plain), None))
    }
    if not all(text in found or text in names for text in _TEXTS):
        found = {meaning: name for meaning, name in found.items() if meaning not in _TEXTS}
    if not any(meaning in found for meaning in wanted):
        return None if found else _suggest_systems(names)
    alike = name_some([f"{name!r} looks like the column {meaning}" for meaning, name in found.items()])
    option = quote(",".join(f"{meaning}={name}" for meaning, name in found.items()))
    return f"{alike}: to read it so, give --columns {option} (in Python, columns={found})"


def _suggest_systems(names: Sequence[str]) -> str | None:
    """Say what to do where the columns may be the systems themselves."""
    others = [name for name in names if name not in MEANINGS and not is_reference(name)]
    if "system" in names or "hypothesis" in names or len(others) < 2:
        return None
    if not all(map(str.isprintable, others)):
        return None
    named = " ".join(map(quote, others[:2])) + (" ..." if len(others) > 2 else "")
    systems = name_some(list(map(excerpt, others)))
    python = "[" + ", ".join(map(repr, others[:2])) + (", ...]" if len(others) > 2 else "]")
    what = f"if each row is a segment and {systems} are systems, give --table-systems {named}"
    return f"{what} (in Python, systems={python})"


def is_label(name: str) -> bool:
    """Tell whether others call segments, runs or documents so: numbers in such a column are no scores."""
    return any(_plain(name) in _CALLED[meaning].split() for meaning in ("segment", "run", "document"))


def take_inspect(table: Table, report: Report) -> Table:
    """Take the frame of samples that Inspect makes of its logs: model, id and epoch are system, segment and run.

    Raises
    ------
    InputError
        ``columns`` where the frame does not have the models.
    """
    if not table.columns.keys() >= _INSPECT:
        return table
    if "model" not in table.columns:
        problem = f"{table.label} is a frame of Inspect's samples, but has no column 'model'"
        remedy = "make it with samples_df(logs, columns=EvalModel + SampleSummary)"
        raise InputError("columns", f"{problem}: {remedy}.", path=table.path, expected="model")
    segments = [str(one) for one in table.values("id")]
    if len(set(tasks := [str(task) for task in table.columns.get("task_name", ())])) > 1:
        segments = [f"{task}/{one}" for task, one in zip(tasks, segments, strict=True)]
    columns: dict[str, Column] = {"system": table.columns["model"], "run": table.columns["epoch"]} | _number(segments)
    for name in filter(lambda name: name.startswith("score_"), table.columns):
        if (grades := _grade(table.values(name))) is not None:
            columns[name.removeprefix("score_")] = grades
            if not {*_GRADES}.isdisjoint(table.values(name)):
                columns[f"{name.removeprefix('score_')}_direction"] = ["up"] * len(table)
    message = f"{table.label} is a frame of Inspect's samples: model, epoch and id were read as system, run and segment"
    report.notice("dialect", f"{message}; C, P, I and N count as 1, 0.5, 0 and 0.", path=table.path)
    return replace(table, columns=columns)


def _grade(values: Sequence[object]) -> list[float | None] | None:
    """Return numbers and Inspect's letters as numbers; None where there is something else, or nothing."""
    found: list[float | None] = []
    for value in values:
        if is_missing(value) or value == "":
            found.append(None)
        elif isinstance(value, str):
            try:
                found.append(_GRADES[value] if value in _GRADES else float(value))
            except ValueError:
                return None
        elif isinstance(value, (int, float, np.number, np.bool_)):
            found.append(float(value))
        else:
            return None
    return found if any(one is not None for one in found) else None


def lengthen(table: Table, systems: Sequence[str]) -> Table:
    """Bring a table with one row per segment, and a column of texts or scores per system, into the long form.

    Raises
    ------
    InputError
        ``not-a-list``, ``columns``, ``reserved-name``, ``duplicate-system``.
    """
    if isinstance(systems, str) or not isinstance(systems, Sequence) or not systems:
        raise InputError("not-a-list", f"{excerpt(systems)} was given for systems: a list of columns was expected.")
    check_column_names(list(table.columns), systems, table.label, path=table.path)
    other = next((name for name in systems if name in MEANINGS or is_reference(name)), None)
    if other is not None:
        problem = f"{table.label}: {excerpt(other)} cannot be a system, because no column of this name holds hypotheses"
        remedy = f"list only columns that hold hypotheses; if {excerpt(other)} holds hypotheses, rename it"
        raise InputError("reserved-name", f"{problem}: {remedy}.", path=table.path, found=other)
    double = next((name for i, name in enumerate(systems) if name in systems[:i]), None)
    if double is not None:
        raise InputError("duplicate-system", f"System {excerpt(double)} was named twice: name each column once.")
    for name in ("run", "hypothesis"):
        if name in table.columns:
            problem = f"{table.label} has a column {name!r} in addition to one column per system"
            remedy = "leave out `systems` for a table of the long form, or rename the column."
            raise InputError("columns", f"{problem}: {remedy}", path=table.path)
    if any(map(is_reference, table.columns)) or any(interpret_numbers(table.column(name)) is None for name in systems):
        return _melt(table, systems, "hypothesis")
    rows: Column = [str(number) for number in range(1, len(table) + 1)]
    return _melt(replace(table, columns={"segment": rows} | table.columns), systems, "score")


def _melt(table: Table, systems: Sequence[str], value: str) -> Table:
    long = table.take([*range(len(table))] * len(systems))
    columns = {name: values for name, values in long.columns.items() if name not in systems}
    columns["system"] = [name for name in systems for _ in range(len(table))]
    columns[value] = [one for name in systems for one in table.columns[name]]
    return replace(long, columns=columns)


def lengthen_board(table: Table, report: Report) -> Table:
    """Bring a board with one row per system and a column of scores per task into the long form: tasks are segments.

    Raises
    ------
    InputError
        ``columns`` where the columns look like metrics, whose scores are of whole test sets.
    """
    system, tasks = _read_board(table)
    if system is None:
        return table
    metrics = [name for name in tasks if _METRIC.fullmatch(name)]
    if metrics:
        there = name_some(list(map(excerpt, metrics)))
        problem = f"{table.label} has one row per system, and columns that look like metrics ({there})"
        remedy = "give the scores of segments, one row per system and segment"
        message = f"{problem}: scores of whole test sets cannot be tested; {remedy}."
        raise InputError("columns", message, path=table.path, found=there)
    message = f"{table.label} has one row per system, so its {len(tasks):,} columns of scores "
    message += f"({name_some(list(map(excerpt, tasks)))}) were read as segments, such as tasks"
    if others := [excerpt(name) for name in table.columns if name not in (system, *tasks)]:
        message += f"; left out {'was' if len(others) == 1 else 'were'} {name_some(others)}"
    report.notice("dialect", f"{message}.", path=table.path, count=len(tasks))
    rows = range(len(table))
    long = table.take([row for row in rows for _ in tasks])
    columns: dict[str, Column] = {
        "system": [str(one) for one in long.columns[system]],
        **_number([task for _ in rows for task in tasks]),
        "score": [tasks[task][row] for row in rows for task in tasks],
    }
    return replace(long, columns=columns)


def _number(names: Sequence[str]) -> dict[str, Column]:
    """Return the numbers of segments, in the order in which their names appear, and the names."""
    numbers = {name: str(number) for number, name in enumerate(dict.fromkeys(names), start=1)}
    return {"segment": [numbers[name] for name in names], "segment_id": list(names)}


def _read_board(table: Table) -> tuple[str | None, dict[str, np.ndarray]]:
    """Return the column of systems and those of tasks, or none where a table is no board."""
    named = [name for name in table.columns if _plain(name) in ("system", *_CALLED["system"].split())]
    system = named[0] if len(named) == 1 else None
    if system is None or "segment" in table.columns or any(is_reference(one) for one in table.columns):
        return None, {}
    if len({*map(str, table.columns[system])}) < len(table) or len(table) < 2 or "hypothesis" in table.columns:
        return None, {}
    tasks = {}
    for name in table.columns:
        if name != system and name not in MEANINGS and not _SUMMARY.search(name):
            numbers = interpret_numbers(table.column(name))
            if numbers is not None:
                tasks[name] = numbers
    return (system, tasks) if len(tasks) > 1 else (None, {})


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).casefold()
