"""What the values of options mean: each is read by a function that refuses anything else in one sentence."""

from __future__ import annotations

import os
import re
from argparse import ArgumentTypeError
from collections.abc import Callable
from glob import glob

from mtworkbench.cli.reading import recognize


def named_outputs(text: str) -> tuple[str | None, str]:
    """Take NAME=FILES apart; files without a name are there: systems are named in them, or after them."""
    return (None, text) if os.path.exists(text) or glob(text) else named_files(text)


def named_files(text: str) -> tuple[str | None, str]:
    """Take NAME=FILES apart; a file that names its systems may come without a name."""
    name, equals, files = text.partition("=")
    if not equals and os.path.isfile(text) and recognize(text).names_documents:
        return None, text
    if not equals or not files:
        problem = f"{text!r} is not NAME=FILES, a system's name and its outputs, nor a file that is there"
        raise ArgumentTypeError(problem)
    return name, files


def named_scores(text: str) -> tuple[str | None, str]:
    """Take NAME=FILE apart; a file of scores need not be given a name."""
    name, equals, file = text.partition("=")
    return (None, text) if not equals or not name or not file or os.path.exists(text) else (name, file)


def named_weights(text: str) -> str | tuple[tuple[str, str], float]:
    """Take the name of a table of MQM's weights, or take CATEGORY:SEVERITY=NUMBER apart."""
    from mtworkbench.outputs.scores.mqm_weights import MQM_WEIGHTS

    if text in MQM_WEIGHTS:
        return text
    error, _, number = text.rpartition("=")
    category, _, severity = error.rpartition(":")
    if not category or not severity or not re.fullmatch(r"[0-9]+(\.[0-9]+)?", number):
        names = ", ".join(MQM_WEIGHTS)
        raise ArgumentTypeError(f"{text!r} should be {names} or CATEGORY:SEVERITY=NUMBER, as in Style:Major=5")
    return (category, severity), float(number)


def named_direction(text: str) -> tuple[str, bool]:
    """Take NAME=up or NAME=down apart: the name of a mean score, and whether higher is better."""
    from mtworkbench.metrics.mean_score import DIRECTIONS

    name, _, direction = text.rpartition("=")
    if not name or direction not in DIRECTIONS:
        raise ArgumentTypeError(f"{text!r} should be NAME=up or NAME=down, where NAME is a mean score")
    return name, DIRECTIONS[direction]


def whole_number(least: int, digits: int = 9) -> Callable[[str], int]:
    """Return what reads a whole number of at least ``least``, with at most so many digits."""

    def whole_number(text: str) -> int:
        if not re.fullmatch(f"[0-9]{{1,{digits}}}", text) or int(text) < least:
            raise ArgumentTypeError(f"{text!r} is not a whole number of at least {least} and at most {digits} digits")
        return int(text)

    return whole_number


def draws(text: str) -> int:
    """Read a number of resamples or trials."""
    from mtworkbench.results.settings import MOST_DRAWS

    number = whole_number(1)(text)
    if number > MOST_DRAWS:
        raise ArgumentTypeError(
            f"{text} are too many: at most {MOST_DRAWS:,} are drawn, and 100,000 trials find a p of 0.05 to within "
            "0.0014"
        )
    return number


def seed(text: str) -> int | str:
    """Read a seed, or what a signature names: see `read_rng`."""
    from mtworkbench.resampling import NAMED_RNG

    if not NAMED_RNG.fullmatch(text):
        raise ArgumentTypeError(
            f"{text!r} is not a whole number of at least 0 and at most 39 digits, nor what a signature names, such as "
            "1/2"
        )
    return int(text) if text.isdigit() else text


def share(text: str) -> float:
    """Read a number between 0 and 1."""
    if not re.fullmatch(r"0?\.[0-9]*[1-9][0-9]*", text):
        raise ArgumentTypeError(f"{text!r} is not a number between 0 and 1, such as 0.8 or 0.95")
    return float(text)


def points(text: str) -> float:
    """Read a difference in points, above 0."""
    if not re.fullmatch(r"[0-9]+(\.[0-9]*)?|\.[0-9]+", text) or not float(text):
        raise ArgumentTypeError(f"{text!r} is not a number above 0, such as 0.5")
    return float(text)


def named_margin(text: str) -> tuple[str | None, float]:
    """Take METRIC=X apart; X alone is of the only metric."""
    name, equals, number = text.rpartition("=")
    try:
        return name or None, points(number if bool(equals) == bool(name) else text)
    except ArgumentTypeError as error:
        raise ArgumentTypeError(f"{text!r} should be a number above 0, or METRIC=X, such as bleu=0.5") from error
