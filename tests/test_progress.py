"""The named progress bar of notebooks."""

import pytest

from mtworkbench import progress, show_progress
from mtworkbench.progress import bars_on, shown_steps


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


@pytest.fixture
def page(monkeypatch):
    """What a cell of a notebook shows: data of displays, whether each replaces the one before; and a clock to set."""
    page = Page()
    monkeypatch.setattr(progress, "is_in_notebook", lambda: True)
    monkeypatch.setattr(progress, "monotonic", lambda: page.clock)
    monkeypatch.setattr("IPython.display.DisplayHandle", lambda: page)  # which only prints where there is no kernel
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    return page


class Page:
    def __init__(self):
        self.clock, self.shown = 100.0, []

    def display(self, data, *, raw, is_update=False):
        assert (raw, data["text/plain"]) == (True, "")
        self.shown.append((data["text/html"], is_update))

    def update(self, data, *, raw):
        self.display(data, raw=raw, is_update=True)

    def work(self, items, seconds):
        """Go through the items, each of which takes so many seconds."""
        for _ in items:
            self.clock += seconds


def test_a_bar_of_a_cell_appears_after_a_second_and_ends_as_nothing(page):
    page.work(show_progress("BLEU")(range(6)), 0.5)
    assert page.shown == [
        ('<progress aria-label="BLEU" value="2" max="6"></progress> BLEU: 2 of 6, about 2 s left', False),
        ('<progress aria-label="BLEU" value="3" max="6"></progress> BLEU: 3 of 6, about 2 s left', True),
        ('<progress aria-label="BLEU" value="4" max="6"></progress> BLEU: 4 of 6, about 1 s left', True),
        ('<progress aria-label="BLEU" value="5" max="6"></progress> BLEU: 5 of 6, about 0 s left', True),
        ("", True),
    ]


def test_work_of_less_than_a_second_leaves_no_output_in_the_cell(page):
    page.work(show_progress("BLEU")(range(9)), 0.1)
    page.work(show_progress("TER")(range(1)), 50)  # nothing is left to wait for
    assert page.shown == []


def test_a_bar_changes_no_more_often_than_can_be_read(page):
    page.work(show_progress("BLEU")(iter(range(30))), 0.125)
    said = [html.rpartition(" BLEU: ")[2] for html, _ in page.shown]
    assert said == [*(f"{number} done" for number in range(8, 31, 2)), ""]


def test_a_bar_is_gone_after_an_interrupt_and_after_an_error(page):
    for error in (KeyboardInterrupt, ValueError):
        page.shown.clear()
        with pytest.raises(error):
            for step in show_progress("BLEU")(range(6)):
                page.clock += 1
                if step == 2:
                    raise error
        assert [html == "" for html, _ in page.shown] == [False, False, True]


def test_a_bar_is_named_by_what_it_is_about_and_counts_what_was_done_before(page):
    with shown_steps(show_progress("letters"), 1000, 900, about="a <b>") as advance:
        page.clock += 20
        advance(10)
    assert page.shown[0][0].endswith(" letters, a &lt;b&gt;: 901 of 1,000, about 33 min left")
    assert page.shown[-1] == ("", True)


def test_the_time_that_is_left_is_that_of_the_steps_done_now(page):
    bar = progress.PageBar(range(900, 1000), desc="letters", initial=900, total=1000)
    page.work(bar, 2)
    assert page.shown[0][0].endswith(" letters: 901 of 1,000, about 3 min left")  # 99 steps of 2 s


def test_where_an_explorer_draws_a_bar_is_not_in_the_cell(page):
    seen = []
    with bars_on(seen.append):
        page.work(show_progress("drawing")(range(3)), 1)
    assert [html.rpartition(": ")[2] for html in seen] == ["1 of 3, about 2 s left", "2 of 3, about 1 s left", ""]
    assert page.shown == []


def test_the_bar_of_a_search_that_stops_early_by_design_is_full(capsys):
    """tqdm paints a bar red that is closed before its end, and success looked like failure."""
    bars = []

    def keep(items):
        bars.append(show_progress("decisive segments")(items))
        return bars[0]

    with shown_steps(keep, 50) as advance:
        advance(19)
    assert bars[0].n == 50


def test_a_disabled_bar_is_disabled_on_a_page(page, monkeypatch):
    monkeypatch.setenv("TQDM_DISABLE", "1")
    page.work(show_progress("BLEU")(range(6)), 1)
    assert page.shown == []


def test_outside_of_notebooks_bars_are_those_of_the_terminal():
    assert show_progress("BLEU").func.__module__ == "tqdm.std"
