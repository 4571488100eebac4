"""How often rules err on a user's own data: headline first, a row per rule."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from mtworkbench.inference.calibrate import Calibration, IntervalCoverage, RuleErrors
from mtworkbench.results.names_of_units import count_units, name_units
from mtworkbench.wording import name_some
from mtworkbench.words.conventions import OURS
from mtworkbench.words.document import Document, Section, Table, name_signatures
from mtworkbench.words.frames import Bold, Cell, Columns, fixed, in_percent, interval_of, number
from mtworkbench.words.sentences_on_units import describe_documents

#: From so large a share on, what the systems' own difference adds to the variance is mentioned.
MUCH_ADDED = 0.1
TOO_OFTEN, SELDOM = "too often", "too seldom"
#: Where documents are not known.
INDEPENDENT = (
    "Segments were swapped one by one, as if they were independent, because their documents are not known. If segments "
    "of one document are alike, rules that draw segments err more often than shown here: give the documents "
    "(documents, --documents)."
)


def build_calibration(found: Calibration) -> Document:
    """Lay out one calibration for a notebook: rules that err too often stand out."""
    columns = tabulate_calibration(found)
    if "errs" in columns:
        columns["errs"] = [Bold(cell) if cell == TOO_OFTEN else cell for cell in columns["errs"]]
    return Document(
        found.headline,
        [Section(tables=[Table(columns, caption=_heading(found))])],
        details=[
            Section(
                "Do the intervals cover 0?", tables=[Table(tabulate_coverage(found), caption=explain_coverage(found))]
            )
        ],
        notes=describe_notes(found),
        signatures=name_signatures({found.metric: found.signature}),
    )


def build_calibrations(
    calibrations: Sequence[Calibration], format: str = "text", *, all_columns: bool = False
) -> Document:
    """Lay out calibrations one after the other, a headline and two tables for each."""
    sections = [
        Section(
            headline=found.headline,
            tables=[
                Table(tabulate_calibration(found), heading=_heading(found)),
                Table(tabulate_coverage(found), heading=explain_coverage(found)),
            ],
            notes=describe_notes(found),
        )
        for found in calibrations
    ]
    return Document(sections=sections, signatures=name_signatures({one.metric: one.signature for one in calibrations}))


def finding_of(one: RuleErrors, level: float) -> str:
    """Say whether a rule errs too often or too seldom for its level, as far as its interval tells; else nothing."""
    return TOO_OFTEN if one.low > 1 - level else SELDOM if one.high < 1 - level else ""


def tabulate_calibration(found: Calibration) -> Columns:
    """Return the table of the rules: the share that each rejects, and any that errs too often or too seldom."""
    columns: Columns = {"rule": [one.name for one in found.rules]}
    if len({one.unit for one in found.rules}) > 1:
        columns["by"] = [one.unit for one in found.rules]
    columns["rejected %"] = [_percent(one.rejected) for one in found.rules]
    columns["95 % CI"] = _cis(found.rules)
    findings = [finding_of(one, found.level) for one in found.rules]
    return columns | {"errs": findings} if any(findings) else columns


def tabulate_coverage(found: Calibration) -> Columns:
    """Return the table of the intervals: how often each covers the truth."""
    return {
        "interval": [one.method for one in found.intervals],
        "covered %": [_percent(one.covered) for one in found.intervals],
        "95 % CI": _cis(found.intervals),
    }


def title_levels(frame: pd.DataFrame, level: float) -> str:
    """Say what a figure of the p of all rules shows: how many true null hypotheses they reject."""
    shares = frame.groupby("rule", sort=False)["rejected"].mean()
    low, high = (fixed(100 * share, 1) for share in (shares.min(), shares.max()))
    return f"At {in_percent(1 - level)}, the rules call equal systems different in {low} to {high} % of the repetitions"


def describe_calibration_briefly(found: Calibration) -> list[str]:
    """Say which rules err more often than they say, which less, and what must hold by construction."""
    size = in_percent(1 - found.level)
    often, seldom = (
        [one for one in found.rules if finding_of(one, found.level) == kind] for kind in (TOO_OFTEN, SELDOM)
    )
    swapped = "outputs of segments" if found.unit == "segment" else f"whole {name_units(found.unit)}"
    start = f"In {found.n_repetitions:,} repetitions, {found.a} and {found.b} were made equal by swapping {swapped}"
    if often:
        rules = f"{len(often)} of {len(found.rules)} rules call{'s' * (len(often) == 1)}"
        said = f"{rules} them different too often (the 95 % CI of the rate lies above {size}): {_list(often)}"
    else:
        said = f"no rule is shown to call them different too often (no 95 % CI of a rate lies above {size})"
    sentences = [f"{start}; {said}."]
    if seldom:
        verb = "rule calls" if len(seldom) == 1 else "rules call"
        which = f"{len(seldom)} {verb} them different too seldom (CI below {size})"
        sentences.append(f"{which}, at the cost of finding fewer real differences: {_list(seldom)}.")
    ours = found[OURS]
    low, high = (fixed(100 * end, 1) for end in (ours.low, ours.high))
    sentences.append(
        f"{OURS} rejects {_percent(ours.rejected)} % (95 % CI {low} to {high}): it keeps its level here by "
        f"construction, because the repetitions swap {name_units(ours.unit)} as it does."
    )
    if any(one.unit != found.unit for one in often):
        sentences.append(f"Rules that draw segments treat the sentences of one {found.unit} as independent.")
        if found.added_variance is not None and found.added_variance > MUCH_ADDED:
            sentences.append(
                "Part of their errors comes from the difference between the two systems, which swaps sides with each "
                f"{found.unit}: it adds {100 * found.added_variance:.0f} % to the variance between "
                f"{name_units(found.unit)}. Two systems that differ less would show lower rates."
            )
    return sentences


def _list(rules: Sequence[RuleErrors]) -> str:
    return name_some([f"{one.name} {_percent(one.rejected)} %" for one in rules])


def explain_coverage(found: Calibration) -> str:
    """Say what the table of intervals counts."""
    return (
        f"Share of repetitions in which the {in_percent(found.level)} interval of the difference (by {found.unit}) "
        "covers 0, the truth."
    )


def describe_notes(found: Calibration) -> list[str]:
    """Say what the rates leave out where documents are not known, and where these were recognized."""
    if found.unit == "segment" and found.n_documents is None:
        return [INDEPENDENT]
    return describe_documents(found.known_documents)


def _heading(found: Calibration) -> str:
    documents = "" if found.unit == "segment" else f" in {count_units(found.unit, found.n_units)}"
    about = "" if found.unit == "segment" else "about "  # whole documents
    of = "" if found.size is None else f"samples of {about}{found.size:,} of "
    return (
        f"{found.metric} of {found.a} and {found.b}, {of}{found.n_segments:,} segments{documents}: equal systems "
        f"called different at {in_percent(1 - found.level)}"
    )


def _percent(share: float) -> Cell:
    return number(100 * share, 1)


def _cis(found: Sequence[RuleErrors | IntervalCoverage]) -> list[str]:
    """Write the intervals of shares, in percent."""
    return [interval_of(100 * one.low, 100 * one.high, 1) for one in found]
