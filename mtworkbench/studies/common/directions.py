"""Which of two scores is better, as a sign."""

from mtworkbench.errors import InputError
from mtworkbench.metrics import Metric


def sign_of(metric: Metric) -> int:
    """Return -1 where lower scores are better, else 1: a metric without a direction ranks by its number."""
    return -1 if metric.higher_is_better is False else 1


def direction(metric: Metric) -> int:
    """Return 1 where higher scores are better, -1 where lower ones are.

    Raises
    ------
    InputError
        For a metric that does not say (code ``"direction"``).
    """
    if metric.higher_is_better is None:
        raise InputError(
            "direction",
            f"{metric.name} does not say which of two scores is better, so that no system can win a resample: "
            "take a metric with a direction.",
        )
    return sign_of(metric)
