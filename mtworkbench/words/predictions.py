"""A reader's predictions of what the published rules say, next to what they do say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mtworkbench.words.conventions import tabulate_conventions
from mtworkbench.words.document import Document, Section, Table
from mtworkbench.words.frames import Bold, Columns

if TYPE_CHECKING:
    from mtworkbench.inference.conventions import Conventions


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
