"""What whole processes take is measured from outside, and the page says what is missed; no time is tested."""

import signal
import sys

import numpy as np
import pandas as pd
import pytest

from benchmarks.speed import growth, page, page_of_processes
from benchmarks.speed.processes import Spent, spend_process
from benchmarks.speed.waits import DEFAULT, OURS, WAITS, Wait, measure_wait


def test_memory_is_that_of_the_process_and_not_of_who_started_it():
    """Linux counts the memory of a parent, too, until the child has a program of its own."""
    held = np.ones(40_000_000)  # 305 MiB
    small = spend_process([sys.executable, "-S", "-c", "pass"])
    large = spend_process([sys.executable, "-S", "-c", "b'x' * 200_000_000"])
    assert small.mebibytes < 60 < 190 < large.mebibytes < held.nbytes / 2**20
    assert small.status == large.status == 0


def test_what_a_process_says_and_how_it_ends_is_kept_where_it_may_fail():
    program = "import sys; sys.exit('no such thing')"
    spent = spend_process([sys.executable, "-c", program], may_fail=True)
    assert (spent.status, spent.said) == (1, "no such thing\n")
    with pytest.raises(SystemExit, match="ended with 1: no such thing"):
        spend_process([sys.executable, "-c", program])


def test_a_process_that_takes_too_long_is_killed():
    spent = spend_process([sys.executable, "-c", "while True: pass"], limit=1, may_fail=True)
    assert spent.status == -signal.SIGKILL


def test_sides_take_turns_and_the_first_turn_does_not_count():
    done = []

    def work(who, times):
        times = iter(times)

        def once():
            done.append(who)
            seconds = next(times)
            return Spent(seconds, seconds / 2, 10)

        return once

    wait = Wait("it", {OURS: work("a", (99, 3, 1, 2)), "slow": work("b", (7,))}, wanted=2, most={"slow": 1})
    ours, slow = measure_wait(wait, 3)
    assert done == ["a", "b", "a", "a", "a"]
    assert (ours["seconds"], ours["cpu"], ours["turns"], ours["wanted"]) == (2, 1, 3, 2)
    assert (slow["seconds"], slow["turns"]) == (7, 1)
    assert np.isnan(slow["wanted"])


def test_the_page_says_which_goals_are_missed():
    columns = {"kind": WAITS, "mebibytes": 1.0, "turns": 7, "wanted": np.nan, "load": 1.0}
    waits = pd.DataFrame(
        [
            columns | {"what": "help", "who": OURS, "seconds": 0.2, "cpu": 0.1, "wanted": 0.2},
            columns | {"what": "many", "who": OURS, "seconds": 4.0, "cpu": np.nan, "wanted": 3.0},
            columns | {"what": "many", "who": DEFAULT, "seconds": 5.0, "cpu": 6.0},
            columns | {"what": "many", "who": "sacreBLEU", "seconds": 270.0, "cpu": 260.0, "turns": 1},
        ]
    )
    assert page_of_processes.write_waits(waits).splitlines()[2:] == [
        "| help | 0.200 (CPU 0.100) | - | - | 0.2: met |",
        "| many | 4.00 | 5.00 (CPU 6.00) | sacreBLEU: 270 (CPU 260) | 3: **not met** |",
    ]
    said = "Of the 2 goals, 1 is missed: many. Each number is a median of 7 turns, or of 1 in some rows."
    assert page_of_processes.describe_waits(waits) == said
    busy = page_of_processes.describe_waits(waits.assign(load=[1.0, 9.4, 2.0, 1.0])).replace("\n", " ")
    assert busy == f"{said} The machine had other work at the same time (load up to 9)."


def test_exponents_are_slopes_at_the_upper_end():
    line = {"axis": "segments", "work": growth.BASELINE, "status": 0, "said": ""}
    sizes = np.array([1, 10, 100, 1000, 10_000])
    points = pd.DataFrame([line | {"size": size, "cpu": 5 + size**1.5 / 1000, "mebibytes": 7.0} for size in sizes])
    points["cpu"] = np.where(sizes < 100, 5, sizes**1.5)
    [found] = growth.compute_exponents(points).to_dict("records")
    assert (found["cpu"], found["mebibytes"]) == (pytest.approx(1.5), pytest.approx(0))


def test_what_could_not_be_done_is_said_and_not_drawn():
    line = {"axis": "systems", "work": growth.ALL_PAIRS, "cpu": 1.0, "seconds": 2.0, "mebibytes": 512.0}
    ended = {0: "2.00 s, 0.5 GiB", 2: "refused in 2.00 s", -signal.SIGKILL: "killed by the system (0.5 GiB)"}
    for status, expected in ended.items():
        points = pd.DataFrame(
            [line | {"size": 5, "status": 0, "said": ""}, line | {"size": 500, "status": status, "said": "too\nmuch"}]
        )
        assert page_of_processes.write_ends(points).splitlines()[2:] == [
            f"| 500 systems, all pairs | {expected} | too much |"
        ]
        drawn = growth.draw_growth(points).axes[1].lines[0].get_xdata()
        assert drawn.tolist() == ([5, 500] if status == 0 else [5])


def test_stored_rows_keep_their_places(tmp_path):
    columns = {"kind": WAITS, "who": OURS, "cpu": 1.0, "mebibytes": 1.0, "turns": 7, "wanted": np.nan}
    stored = pd.DataFrame([columns | {"what": what, "seconds": 1.0} for what in ("a", "b", "c")])
    page.save_results(tmp_path, {"waits": stored})
    measured = pd.DataFrame([columns | {"what": what, "seconds": 2.0} for what in ("d", "b")])
    kept = page.keep_rows("waits", measured, tmp_path)
    assert kept[["what", "seconds"]].to_numpy().tolist() == [["a", 1], ["b", 2], ["c", 1], ["d", 2]]
