"""Time linked figures in a browser: from a control's event to the status text, with an empty callback beside it.

3,000 segments of 16 systems, mixed from the sentences of data/flores. Each system is chosen for the first time, and
then again: the second time its pictures are at hand. "Everything" is until the segments below are those of the system.
"""

import os
import statistics
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.browser.conftest import browser, lab, open_notebook, put_notebook  # noqa: E402, F401

os.environ["MTWORKBENCH_CACHE"] = "off"  # the work that is measured is always done

N_TIMES = 20
CELLS = (
    """\
import warnings
warnings.simplefilter("ignore")
import mtworkbench as mtw
import pandas as pd
folder = mtw.find_shipped("data/flores")
names = ("reference", "bergamot-base", "bergamot-base-memory", "bergamot-tiny")
texts = {name: (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines() * 3 for name in names}
frames = []
for system in range(16):
    mixed = [texts[names[1 + (segment * (system + 1) // 7) % 3]][segment] for segment in range(3000)]
    frames.append(pd.DataFrame({"segment": range(1, 3001), "reference": texts["reference"][:3000],
                                "system": f"system-{system:02}", "run": 1, "hypothesis": mixed}))
outputs = pd.concat(frames, ignore_index=True)
statistics = mtw.compute_statistics(outputs, "bleu")""",
    """\
from mtworkbench.widgets.controls import Menu
from mtworkbench.widgets.screen import Screen
from IPython.display import display
menu, screen = Menu("empty", [f"option-{number:02}" for number in range(20)], "option-00"), Screen()
menu.observe(lambda change: setattr(screen, "sentence", change["new"]), "value")
display(menu, screen)""",
    """\
import time
from statistics import median
def seconds(change, when_said):
    # CPU time of the kernel until the sentence is there, and until everything is, in milliseconds.
    said = []
    note = lambda _: said.append(time.process_time())
    when_said.observe(note, "sentence")
    begin = time.process_time()
    change()
    end = time.process_time()
    when_said.unobserve(note, "sentence")
    return 1000 * (said[-1] - begin), 1000 * (end - begin)
empty = [seconds(lambda: setattr(menu, "value", f"option-{number:02}"), screen) for number in range(1, 20)]
tried = mtw.explore_differences(outputs, statistics, rng=1)
choose = lambda number: lambda: setattr(tried.controls["system"], "value", f"system-{number:02}")
rounds = [[seconds(choose(number), tried._screen) for number in range(1, 16)] for _ in range(2)]
for name, times in (("empty callback", empty), ("first time", rounds[0]), ("again", rounds[1])):
    said, done = (median(column) for column in zip(*times))
    print(f"{name}, CPU time of the kernel: status {said:.0f} ms, everything {done:.0f} ms")""",
    "linked = mtw.explore_differences(outputs, statistics, rng=1)\nlinked",
)
# From the event of the menu to the text of the status, and to that of the list of segments; in milliseconds.
CHOOSE = """async ([cell, option, expected, below]) => {
    const root = document.querySelectorAll('.jp-CodeCell')[cell];
    const select = [...root.querySelectorAll('select.mtworkbench-menu')][0];
    const begin = performance.now();
    const until = test => new Promise(resolve => {
        const look = () => test() ? resolve(performance.now() - begin) : setTimeout(look, 1);
        look();
    });
    select.value = option;
    select.dispatchEvent(new Event('change'));
    const status = await until(() => root.querySelector('.mtworkbench-sentence').textContent.includes(expected));
    const head = () => root.querySelector('.mtw-head')?.textContent ?? '';
    return [status, below ? await until(() => head().includes(option)) : status];
}"""


def report(name: str, times: list[float]) -> None:
    ordered = sorted(times)
    high = ordered[int(0.95 * (len(ordered) - 1))]
    print(
        f"{name}: median of {len(times)} {statistics.median(times):.0f} ms, 95th percentile {high:.0f} ms", flush=True
    )


@pytest.mark.timeout(600)
def test_latencies(open_notebook, put_notebook):  # noqa: F811
    notebook = open_notebook(put_notebook("linked.ipynb", *CELLS))
    page = notebook.page
    assert page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')"), notebook.outputs()
    page.locator(".mtw-head").wait_for()
    print(*(one["text"] for one in notebook.outputs()[2] if one.get("name") == "stdout"), sep="", end="", flush=True)
    empty = [f"option-{number % 19 + 1:02}" for number in range(N_TIMES)]
    report("empty callback", [page.evaluate(CHOOSE, [1, one, one, False])[0] for one in empty])
    systems = [f"system-{number:02}" for number in range(1, 16)]
    for name, order in (("first time", systems), ("again", (systems * 2)[:N_TIMES])):
        found = [page.evaluate(CHOOSE, [3, one, f"{one} - system-00", True]) for one in order]
        report(f"{name}, status", [one[0] for one in found])
        report(f"{name}, everything", [one[1] for one in found])
    assert notebook.problems == []


if __name__ == "__main__":
    pytest.main([__file__, "-s", "-q"])
