"""The named progress bar of notebooks."""

import pytest

from mtworkbench import show_progress
from mtworkbench.progress import shown_steps


def test_the_bar_has_its_name_and_yields_what_it_is_given(capsys):
    bar = show_progress("TER")(range(3))
    assert bar.desc.startswith("TER")
    assert list(bar) == [0, 1, 2]


def test_the_bar_counts_the_steps_of_batches(capsys):
    bars = []

    def keep(items):
        bars.append(show_progress("draws")(items))
        return bars[0]

    with shown_steps(keep, 5) as advance:
        advance(2)
        advance(3)
    assert (bars[0].total, bars[0].n) == (5, 5)
    assert bars[0].leave is False


@pytest.mark.parametrize(("switch", "disabled"), [("1", True), ("", False)])
def test_the_environment_can_do_without_bars(monkeypatch, capsys, switch, disabled):
    """The stored results of notebooks are checked without them: they appear on slow machines only."""
    monkeypatch.setenv("TQDM_DISABLE", switch)
    bar = show_progress("TER")(range(3))
    assert bar.disable is disabled
    assert list(bar) == [0, 1, 2]
