"""What the page on metrics says of its table, on both outcomes."""

import pytest

from mtworkbench import make_outputs
from mtworkbench.metrics import make_metric
from mtworkbench.papers import koehn2004 as study
from mtworkbench.statistics.segment_statistics import compute_statistics


@pytest.fixture(scope="module")
def contradictory():
    """One system has the reference's words in another order and adds some, the other lacks words."""
    reference = ["one two three four five six seven eight"] * 3
    longer = ["eight seven six five four three two one nine ten"] * 3
    shorter = ["one two three four"] * 3
    return make_outputs([reference], {"longer": longer, "shorter": shorter})


def test_rankings_are_grouped_by_what_they_say(contradictory):
    statistics = {
        name: compute_statistics(contradictory, make_metric(name)) for name in ("bleu", "ter", "gtm", "length")
    }
    assert study.describe_rankings([*statistics.values()]) == (
        "BLEU and TER rank the systems: shorter, longer.\nGTM-1 ranks the systems: longer, shorter."
    )
    alike = [statistics[name] for name in ("bleu", "ter", "length")]
    assert study.describe_rankings(alike) == "BLEU and TER rank the systems in the same order: shorter, longer."
    assert study.describe_rankings(alike[:1]) == "BLEU ranks the systems: shorter, longer."
