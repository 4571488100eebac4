"""How many lines two systems have in common by themselves, and how many more tell of a copy."""

import numpy as np
import pytest

from mtworkbench.outputs.checks.copied_lines import Digests, _find_lines_of_others
from mtworkbench.outputs.checks.segments import Segments


def pair(n_lines, n_whole, n_half):
    """Return two systems that have so many lines in common, here and there, and others by half."""
    order = np.random.default_rng(1).permutation(n_lines)
    numbers = np.arange(n_lines)
    whole, first = numbers + n_lines, numbers + n_lines
    whole[order[:n_whole]] = numbers[order[:n_whole]]
    first[order[: n_whole + n_half]] = numbers[order[: n_whole + n_half]]
    is_line = np.ones(n_lines, dtype=bool)
    for name, own, half, last in (("a", numbers, numbers, numbers), ("b", whole, first, whole)):
        yield name, Digests(Segments([name] * n_lines, name), own, half, last, is_line, is_line)


@pytest.mark.parametrize(
    "n_lines, n_whole, n_half, is_odd",
    [
        # Of 60 lines in which two models of one family had more in common than in the whole test set.
        (40, 10, 8, False),
        (40, 17, 6, True),
        # In a few lines, two fifths are no more than a third.
        (40, 18, 10, False),
        (400, 200, 100, True),
    ],
)
def test_few_lines_in_common_are_chance(n_lines, n_whole, n_half, is_odd):
    found = list(
        _find_lines_of_others(list(pair(n_lines, n_whole, n_half)), np.ones(n_lines, bool), np.zeros(n_lines, bool))
    )
    assert bool(found) == is_odd
