"""What is said of a student's answer."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from numbers import Real

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.wording import tally

_AS_TEXT = re.compile(r"\s*([+-]?\d*[.,]?\d+)\s*%?\s*")


def check_answer(
    answer: object,
    right: float,
    misreadings: Mapping[str, float],
    *,
    within: float = 0.0,
    n_cases: int | None = None,
) -> str:
    """Compare a student's answer with the number that was counted, and name the misreading that a wrong one fits.

    Parameters
    ----------
    answer : float
        ``...`` stands for no answer yet. Texts such as ``"68,75 %"`` count as the number that they write, with a
        decimal comma; ``"13.1 %"`` is also right for 0.131. Of a frame, a column or a list, the sentence says how to
        take one number from it.
    right : float
        At most 1, it is taken for a share, else for a percentage.
    misreadings : mapping of str to float
        Wrong answers by what leads to them, in words that continue "That is the answer if ...".
    within : float
        How far an answer may be from a number to count as that number.
    n_cases : int, optional
        Of how many cases the right answer is the share, to recognize an answer that is a count, and one that lacks a
        case: the p of a permutation test without the observed outcome is close to the right one.

    Returns
    -------
    str
        Begins with "Right" or "Not yet".

    Raises
    ------
    InputError
        Where a misreading cannot be distinguished from the right answer (``misreading-is-right``): the exercise would
        teach it. Where the right answer is no number (``no-right-answer``).

    Examples
    --------
    >>> import mtworkbench as mtw
    >>> mtw.check_answer(5, 10, {"each direction has its own 5 %": 5})
    'Not yet: 5 is the answer if each direction has its own 5 %.'
    """
    if not isinstance(right, Real) or not math.isfinite(right):
        raise InputError(
            "no-right-answer",
            f"The right answer must be a number, but it is {right!r}: choose data on which it can be counted.",
        )
    allowed = within + 1e-9 * abs(right)
    for words, wrong in misreadings.items():
        if abs(wrong - right) <= 2 * allowed:
            raise InputError(
                "misreading-is-right",
                f"The right answer is {right:g}, and so is the answer if {words} ({wrong:g}): choose data on which the "
                "two differ.",
            )
    if answer is Ellipsis:
        return "Not yet: there is no answer. Put a number, or code that counts it, in place of the three dots."
    number = _read(answer)
    if number is not None and right <= 1 and str(answer).strip().endswith("%"):
        number = min(number, number / 100, key=lambda one: abs(one - right))
    if number is None:
        return f"Not yet: {_say_what_to_take(answer, right)}"
    if not math.isfinite(number):
        return f"Not yet: the answer must be one number, but it is {number:g}."
    if abs(number - right) <= allowed:
        if n_cases is not None and _lacks_a_case(number if right <= 1 else number / 100, n_cases):
            there_are = f"is a count divided by {n_cases - 1:,}, but there are {n_cases:,} cases: one is missing"
            return f"Not yet: {_write(number)} {there_are} (of a permutation test the observed outcome: add 1 to both)."
        said, counted = _write(number), _write(right)
        return f"Right: {said}." if said == counted else f"Right: {said} is close enough to {counted}."
    return f"Not yet: {_write(number)} {_explain(number, right, misreadings, allowed, n_cases)}"


def _explain(number: float, right: float, misreadings: Mapping[str, float], allowed: float, n_cases: int | None) -> str:
    """Say what leads to a number that is not right."""
    fits = [(abs(number - wrong), f"is the answer if {words}.") for words, wrong in misreadings.items()]
    if 0 < number < 1 < right:
        as_share = {f"is, as a share, the answer if {words}.": wrong for words, wrong in misreadings.items()}
        fits += [(abs(100 * number - wrong), words) for words, wrong in as_share.items()]
    others = "is the share of the other cases: which ones does the question ask for?"
    fits += [(distance, others) for distance in _distances_from_others(number, right)]
    distance, words = min(fits, key=lambda fit: fit[0], default=(math.inf, ""))
    if distance <= 1e-9:
        return words
    # Before what fits roughly: the share 0.1 is nearer to "never" than to its 10 %.
    if n_cases is not None and number > 1:
        share, close = (right, allowed) if right <= 1 else (right / 100, allowed / 100)
        for count, said in ((number, "a count"), (number / 100, "100 times a count")):
            if abs(count / n_cases - share) <= close:
                return f"is {said}: divide it by the number of cases, {n_cases:,}."
    for factor, size in ((100, "small"), (0.01, "large")):
        if abs(factor * number - right) <= allowed < abs(right):
            return f"is 100 times too {size}: is a share or a percentage asked for?"
    return words if distance <= allowed else "is not what the data say. Count again."


def _lacks_a_case(share: float, n_cases: int) -> bool:
    """Tell whether a share is one of one case fewer."""
    of_fewer, of_all = (abs(n * share - round(n * share)) <= 1e-6 for n in (n_cases - 1, n_cases))
    return of_fewer and not of_all


def _read(answer: object) -> float | None:
    """Return the number that an answer is, if it is one."""
    if isinstance(answer, (list, tuple)) and len(answer) == 1:
        answer = answer[0]
    if isinstance(answer, (pd.DataFrame, pd.Series, np.ndarray)) and answer.size == 1:
        answer = np.asarray(answer).item()
    if isinstance(answer, str):
        found = _AS_TEXT.fullmatch(answer.replace("\N{MINUS SIGN}", "-"))  # as tables write it
        answer = found[1].replace(",", ".") if found else None
    try:
        # True counts as 1 in Python, but a comparison is not an answer.
        return None if isinstance(answer, (bool, np.bool_)) else float(answer)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def _distances_from_others(number: float, right: float) -> list[float]:
    """Return how far a number is from the share of the cases that are not asked for, if there are such."""
    if not 0 <= right <= 100:
        return []
    as_share = [abs(number - (1 - right))] if right <= 1 else []
    return [abs(number - (100 - right)), abs(100 * number - (100 - right)), *as_share]


def _say_what_to_take(answer: object, right: float) -> str:
    """Say how to get one number from an answer that is none."""
    if isinstance(answer, tuple) and len(answer) == 2 and all(type(part) is int for part in answer):
        whole, decimals = answer
        return f"Python reads {whole},{decimals} as two numbers: write {whole}.{decimals}, with a point."
    must = "the answer must be one number, but it is"
    if isinstance(answer, pd.DataFrame):
        return f"{must} a table with {tally(len(answer), 'row')}: take one of its columns, and count in it."
    if not isinstance(answer, (pd.Series, np.ndarray, list, tuple)):
        return f"{must} of type {type(answer).__name__}."
    values = answer if isinstance(answer, np.ndarray) else pd.Series(answer)
    if not values.size:
        return f"{must} an empty list: nothing was kept."
    must += f" a list of {tally(values.size, 'value')}:"
    mean = "answer.mean()" if hasattr(answer, "mean") else "sum(answer) / len(answer)"
    if pd.api.types.is_bool_dtype(values.dtype):
        share = f"{mean} is the share" if right <= 1 else f"100 * {mean} is the percentage"
        return f"{must} {share} that are True."
    if pd.api.types.is_numeric_dtype(values.dtype):
        return f"{must} {mean} is their mean; to count, compare them with a number first."
    return f"{must} count in it, or take one of them."


def _write(number: float) -> str:
    """Write a number with four digits, or all of those before the point."""
    return f"{number:.4g}" if abs(number) < 9999.5 or math.isinf(number) else f"{number:,.0f}"
