"""What is said of a student's answer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real

import numpy as np

from mtworkbench.errors import InputError


def check_answer(answer: object, right: float, misreadings: Mapping[str, float], *, within: float = 0.0) -> str:
    """Compare a student's answer with the number that was counted, and name the misreading that a wrong one fits.

    Parameters
    ----------
    answer : float
        ``...`` stands for no answer yet.
    right : float
    misreadings : mapping of str to float
        Wrong answers by what leads to them, in words that continue "That is the answer if ...".
    within : float
        How far an answer may be from a number to count as that number.

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
    >>> check_answer(5, 10, {"each direction has its own 5 %": 5})
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
    try:
        # True counts as 1 in Python, but a comparison is not an answer.
        number = None if isinstance(answer, (bool, np.bool_)) else float(answer)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None:
        return f"Not yet: the answer must be one number, but it is of type {type(answer).__name__}."
    if not math.isfinite(number):
        return f"Not yet: the answer must be one number, but it is {number:g}."
    if abs(number - right) <= allowed:
        return f"Right: {_write(right)}."
    # Before the misreadings: the share 0.1 is nearer to "never" than to its 10 %.
    for factor, words in ((100, "small"), (0.01, "large")):
        if abs(factor * number - right) <= allowed < abs(right):
            return f"Not yet: {_write(number)} is 100 times too {words}: is a share or a percentage asked for?"
    for words, wrong in misreadings.items():
        if abs(number - wrong) <= allowed:
            return f"Not yet: {_write(number)} is the answer if {words}."
    return f"Not yet: {_write(number)} is not what the data say. Count again."


def _write(number: float) -> str:
    """Write a number with four digits, or all of those before the point."""
    return f"{number:.4g}" if abs(number) < 9999.5 or math.isinf(number) else f"{number:,.0f}"
