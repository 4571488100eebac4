"""The direction that a study needs: which of two scores is better."""

from mtworkbench.errors import InputError
from mtworkbench.metrics import Metric
from mtworkbench.metrics.directions import has_direction, sign_of


def direction(metric: Metric) -> int:
    """Return 1 where higher scores are better, -1 where lower ones are.

    Raises
    ------
    InputError
        For a metric that does not say (code ``"direction"``).
    """
    if not has_direction(metric):
        raise InputError(
            "direction",
            f"{metric.name} does not say which of two scores is better: take a metric with a direction.",
        )
    return sign_of(metric)
