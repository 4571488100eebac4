"""The weights of MQM errors: what one error of a category and a severity costs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.report import excerpt

#: In place of a category or a severity: every one for which nothing more specific is given.
ANY = "*"

_CATEGORIES = ("Accuracy", "Fluency", "Terminology", "Style", "Locale convention", "Other")
_FREITAG = {
    **{(category, "Major"): 5.0 for category in _CATEGORIES},
    **{(category, "Minor"): 1.0 for category in _CATEGORIES},
    **{(category, "Neutral"): 0.0 for category in _CATEGORIES},
    ("Fluency/Punctuation", "Minor"): 0.1,
    ("Non-translation", "Major"): 25.0,
    ("No-error", ANY): 0.0,
}
#: Named weights: penalties by category and severity.
#:
#: ``freitag2021`` is the table of Freitag et al. (2021), "Experts, Errors, and Context", also in the README of
#: google/wmt-mqm-human-evaluation and, as default weights, in google-research/mt-metrics-eval
#: (mt_metrics_eval/converters/score_mqm.py). ``marot`` adds what Google's viewer of MQM data counts by default (the
#: successor of google-research/google-research, mqm_viewer/mqm-viewer.js): critical errors are major errors, trivial
#: ones cost 0.1, and errors of the source, creative reinterpretations and tests of the rater's attention cost nothing.
MQM_WEIGHTS: Mapping[str, Mapping[tuple[str, str], float]] = {
    "freitag2021": _FREITAG,
    "marot": {
        **_FREITAG,
        **{(category, "Critical"): 5.0 for category in _CATEGORIES},
        **{(category, "Trivial"): 0.1 for category in _CATEGORIES},
        ("Accuracy/Creative Reinterpretation", ANY): 0.0,
        ("Source error", ANY): 0.0,
        ("Source issue", ANY): 0.0,
        ("Found", "HOTW-test"): 0.0,
        ("Missed", "HOTW-test"): 0.0,
    },
}


@dataclass(frozen=True)
class Weights:
    """What errors cost.

    Parameters
    ----------
    given : sequence of (str, str)
        The categories and severities that have a weight, as they were given.
    by_error : mapping of (str, str) to float
        The weights, by categories and severities as `_simplify` writes them.
    """

    given: Sequence[tuple[str, str]]
    by_error: Mapping[tuple[str, str], float] = field(repr=False)

    @property
    def categories(self) -> list[str]:
        """All categories that have weights."""
        return list(dict.fromkeys(category for category, _ in self.given))

    def severities_of(self, category: str) -> list[str]:
        """Return the severities for which an error of a category has a weight."""
        known = _general_names(category)
        return list(dict.fromkeys(severity for name, severity in self.given if _simplify(name) in known))

    def find(self, category: str, severity: str) -> float | None:
        """Return what an error costs; the most specific category decides. None where it has no weight."""
        for name in _general_names(category):
            for one in (_simplify(severity), ANY):
                if (name, one) in self.by_error:
                    return self.by_error[name, one]
        return None


def _general_names(category: str) -> list[str]:
    """Return a category and those that it is one of, the most specific first."""
    parts = _simplify(category).split("/")
    return ["/".join(parts[:length]) for length in range(len(parts), 0, -1)] + [ANY]


def choose_weights(weights: str | Mapping[tuple[str, str], float]) -> Weights:
    """Take weights by their name, or check those that the user gives.

    Raises
    ------
    InputError
        ``option-value``.
    """
    given = MQM_WEIGHTS.get(weights) if isinstance(weights, str) else weights
    if not isinstance(given, Mapping) or not given:
        names = ", ".join(map(repr, MQM_WEIGHTS))
        expected = "or a mapping of (category, severity) to a number such as {('*', 'Major'): 5, ('*', 'Minor'): 1}"
        message = f"{excerpt(weights)} was given for weights: one of {names} was expected, {expected}."
        raise InputError("option-value", message, found=excerpt(weights))
    by_error: dict[tuple[str, str], float] = {}
    for error, weight in given.items():
        key = _check_error(error)
        if by_error.setdefault(key, _check_weight(error, weight)) != weight:
            message = f"weights gives two weights for {excerpt(error)}"
            message += " (case, '_', '-' and a final '!' make no difference): keep one."
            raise InputError("option-value", message, found=excerpt(error))
    return Weights(list(given), by_error)


def add_weights(name: str, further: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Return named weights with further ones, which replace those of the same errors."""
    replaced = set(map(_check_error, further))
    return {error: weight for error, weight in MQM_WEIGHTS[name].items() if _check_error(error) not in replaced} | {
        **further
    }


def _check_error(error: object) -> tuple[str, str]:
    if not isinstance(error, tuple) or len(error) != 2 or not all(isinstance(part, str) and part for part in error):
        message = f"{excerpt(error)} is a key of weights: a pair of a category and a severity was expected."
        raise InputError("option-value", message, found=excerpt(error))
    return _simplify(error[0]), _simplify(error[1])


def _check_weight(error: object, weight: object) -> float:
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 <= weight < math.inf:
        message = f"weights gives {excerpt(weight)} for {excerpt(error)}: give a finite number that is not below 0."
        raise InputError("option-value", message, found=excerpt(weight))
    return float(weight)


def _simplify(name: str) -> str:
    """Write a name in one way: annotation tools differ in case, in what is between words, and in a final ``!``."""
    return name.strip().rstrip("!").replace("_", " ").replace("-", " ").casefold()
