"""How every explorer waits: the old answer is pale, a bar says how far it is, and an interrupt is one sentence."""

import asyncio
import inspect
import signal
import threading

import ipywidgets
import matplotlib as mpl
import pytest

from mtworkbench import progress
from mtworkbench import widgets as all_widgets
from mtworkbench.errors import InputError
from mtworkbench.widgets import Explorer
from mtworkbench.widgets.controls import Menu, Slider
from mtworkbench.widgets.following import Stopped


@pytest.fixture(autouse=True)
def without_window():
    mpl.use("Agg")


@pytest.fixture
def explorer():
    """An explorer of numbers; `happens` is called while the second and later numbers are drawn."""

    def draw(kind, number):
        if number > 1:
            made.happens()
        return mpl.pyplot.figure(), f"{number} of {kind}"

    made = Explorer(draw, kind=Menu("kind", ["a", "b"], "a"), number=Slider("number", range(5), 1))
    made.happens = lambda: None
    return made


def raising(error):
    def fail():
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (KeyboardInterrupt(), "This was interrupted. The controls are back where they were.\n"),
        (InputError("odd", "Two is odd."), "Two is odd. The controls are back where they were.\n"),
    ],
)
def test_after_an_interrupt_the_controls_are_where_the_answer_is(explorer, error, sentence):
    explorer.controls["kind"].value = "b"
    before = explorer._links["figure"].source
    explorer.happens = raising(error)
    explorer.controls["number"].value = 2
    assert (explorer.controls["kind"].value, explorer.controls["number"].value) == ("b", 1)
    assert (explorer.sentence, explorer._screen.sentence) == ("1 of b", "1 of b")
    assert explorer._links["figure"].source == before
    assert [one["text"] for one in explorer._complaints.outputs] == [sentence]
    assert (explorer._screen.waiting, explorer._screen.progress) == (False, "")
    explorer.happens = lambda: None
    explorer.controls["number"].value = 2
    assert (explorer.sentence, explorer._complaints.outputs) == ("2 of b", ())


def test_the_old_answer_is_pale_while_another_one_is_drawn(explorer):
    seen = []
    explorer.happens = lambda: seen.append((explorer._screen.waiting, explorer._screen.sentence))
    explorer.controls["number"].value = 2
    assert seen == [(True, "1 of a")]
    assert (explorer._screen.waiting, explorer._screen.sentence) == (False, "2 of a")


def test_bars_are_on_the_explorer_while_it_draws(explorer, monkeypatch):
    monkeypatch.setattr(progress, "is_in_notebook", lambda: True)
    monkeypatch.setattr(progress, "PATIENCE", 0)
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    seen = []

    def work():
        for _ in progress.show_progress("a <b>")(range(2)):
            seen.append(explorer._screen.progress)

    explorer.happens = work
    explorer.controls["number"].value = 2
    assert seen[0] == ""
    assert seen[1].startswith('<progress aria-label="a &lt;b&gt;" value="1" max="2"></progress> a &lt;b&gt;: 1 of 2, ')
    assert explorer._screen.progress == ""


def test_a_cell_that_is_stopped_before_the_first_answer_says_so_in_one_sentence():
    with pytest.raises(Stopped) as stopped:
        Explorer(lambda number: raising(KeyboardInterrupt())(), number=ipywidgets.IntSlider(1))
    said = "This was interrupted before there was anything to show: run the cell again."
    assert stopped.value._render_traceback_() == [said]
    assert issubclass(Stopped, KeyboardInterrupt)  # so that no further cell runs


def test_what_another_thread_asks_for_is_drawn_where_interrupts_reach():
    """JupyterLab sends the second move of a control, and all later ones, to another thread than the first."""
    seen = []

    def draw(number):
        if number:
            seen.append((threading.current_thread(), signal.getsignal(signal.SIGINT)))
        return mpl.pyplot.figure(), f"number {number}"

    async def run_cell():
        made = Explorer(draw, number=Slider("number", range(5), 0))
        await asyncio.to_thread(setattr, made.controls["number"], "value", 2)
        return made.sentence

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as an idle kernel has it
    # A browser that other tests of this process share leaves its loop running in this thread.
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        assert asyncio.run(run_cell()) == "number 2"
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
        asyncio._set_running_loop(running)
    assert seen == [(threading.main_thread(), signal.default_int_handler)]


def test_no_explorer_waits_in_a_way_of_its_own():
    made = [one for one in vars(all_widgets).values() if inspect.isclass(one) and hasattr(one, "_follow")]
    assert {one.__name__ for one in made} >= {"DifferenceExplorer", "Explorer"}
    for one in made:
        for name in ("_follow", "_begin", "_answer_asked", "_set_controls"):
            assert getattr(one, name).__module__ == "mtworkbench.widgets.explorer"
