"""Time every explorer in a browser, from an event to the picture that answers it, next to ipywidgets.interactive.

    python -m benchmarks.explorers             3,000 segments of 16 systems, and what ships
    python -m benchmarks.explorers -k made     the first alone; "-k intervals": one explorer

Each control is moved in turn, one draws again, and a mark is opened; after each, the next waits until the kernel has
nothing to do. The peer is `ipywidgets.interactive` over the Python calls that the explorer itself shows under its
figure, with matplotlib's figures inline: it computes and draws the same. Rows go to benchmarks/explorers.txt.
"""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.browser.conftest import browser, lab, open_notebook, put_notebook  # noqa: E402, F401
from tests.browser.every_explorer import EXPLORERS, SHIPPED, write_made  # noqa: E402

os.environ["MTWORKBENCH_CACHE"] = "off"  # the work that is measured is always done

FILE = Path(__file__).with_name("explorers.txt")
HEADING = (
    "Milliseconds from event to picture, median and 95th percentile of 30 events, on two cores; load: of the machine, "
    "which does nothing else where it is about 1. made: 3,000 segments of 16 systems; shipped: what ships."
)
N_EVENTS, MANY = 30, 30
DATA = {"made": write_made(3000, 16), "shipped": SHIPPED}
# By what names the code of an explorer knows what it was given.
KNOWN = {
    "comparison": "dict(statistics=families)",
    "conventions": "dict(statistics=single)",
    "plan": "dict(statistics=families)",
    "differences": "dict(statistics=families, outputs=texts)",
}
PEER = """\
import matplotlib.pyplot as plt
from ipywidgets import Dropdown, interactive
if "seed" in explorer.controls:
    explorer.controls["seed"].value = 2
code = next(iter(explorer.code.values()))
def draw(seed):
    exec(code.replace("rng=2", f"rng={{seed}}"), globals() | {known})
    plt.figtext(0, 0, seed, size=4)  # or seeds that choose the same runs would draw the same picture
    plt.show()
interactive(draw, seed=Dropdown(options=range(2, 100)))"""
COUNTS = "[int('seed' in explorer.controls), len(next(iter(explorer._links.values())).texts)]"
PLACE = "list(explorer.controls).index('seed')"
# A menu of one entry cannot be moved.
MOVABLE = "[n for n, one in enumerate(explorer.controls.values()) if len(getattr(one, 'labels', 'any')) > 1]"
OPENS = "int(getattr(getattr(explorer, '_shown', None), 'open', None) is not None)"

TOOLS = """
const root = window.panel.node.querySelectorAll('.jp-CodeCell')[cell];
const shown = image => image.decode().then(() => new Promise(requestAnimationFrame));
const until = test => new Promise(resolve => {
    const look = () => test() ? resolve() : setTimeout(look, 1);
    look();
});
"""
# Milliseconds from the event of a control to the first figure that was pale and is so no more.
MOVE = f"""async ([cell, place]) => {{
    {TOOLS}
    const control = root.querySelectorAll('.mtworkbench-control')[place];
    const answered = new Promise(resolve => new MutationObserver((records, observer) => {{
        const done = records.find(({{target, oldValue}}) => target.classList.contains('mtworkbench-figure')
            && oldValue === 'true' && target.getAttribute('aria-busy') === 'false');
        if (!done) return;
        observer.disconnect();
        resolve(done.target);
    }}).observe(root, {{subtree: true, attributeFilter: ['aria-busy'], attributeOldValue: true}}));
    const [select, range, button] = ['select', 'input', 'button'].map(tag => control.querySelector(tag));
    if (select) select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
    if (range) range.value = (range.valueAsNumber + 1) % (Number(range.max) + 1);
    const begin = performance.now();
    if (button) button.click();
    for (const type of ['input', 'change']) (select ?? range)?.dispatchEvent(new Event(type));
    await shown((await answered).querySelector('img'));
    return performance.now() - begin;
}}"""
# From Enter on a mark to the sentence, and the figure if there is one, of what was opened.
OPEN = f"""async ([cell, steps]) => {{
    {TOOLS}
    const figures = root.querySelectorAll('.mtworkbench-figure');
    const layer = figures[0].querySelector('.mtworkbench-layer');
    const press = key => layer.dispatchEvent(new KeyboardEvent('keydown', {{key, bubbles: true}}));
    layer.focus();
    press('Home');
    for (let step = 0; step < steps; step++) press('ArrowRight');
    const begin = performance.now();
    press('Enter');
    await until(() => !figures[2].hidden);
    if (!figures[2].querySelector('.mtworkbench-frame').hidden) await shown(figures[2].querySelector('img'));
    return performance.now() - begin;
}}"""
DRAW_MANY = f"""async ([cell, place]) => {{
    {TOOLS}
    const button = root.querySelectorAll('.mtworkbench-control')[place].querySelectorAll('button')[1];
    const begin = performance.now();
    button.click();
    await until(() => button.textContent === 'stop');
    await until(() => button.textContent !== 'stop');
    return performance.now() - begin;
}}"""
CHOOSE = f"""async ([cell, index]) => {{
    {TOOLS}
    const select = root.querySelector('.jp-OutputArea select');
    const find = () => root.querySelector('.jp-OutputArea img');
    const before = find()?.src;
    select.selectedIndex = index;
    const begin = performance.now();
    select.dispatchEvent(new Event('change', {{bubbles: true}}));
    await until(() => find() && find().src !== before);
    await shown(find());
    return performance.now() - begin;
}}"""


def keep(name: str, found: str) -> None:
    """Write a row into the file, in place of an earlier one of the same name."""
    rows = FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else [HEADING]
    rows = [row for row in rows if not row.startswith(name)] + [name + found]
    FILE.write_text("\n".join(rows) + "\n", encoding="utf-8")


def describe(name: str, times: list[float]) -> str:
    return f"{name} {np.median(times):.0f} (95 %: {np.percentile(times, 95):.0f})" if times else f"{name} -"


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", EXPLORERS)
@pytest.mark.parametrize("data", DATA)
def test_latencies(open_notebook, put_notebook, data, name):  # noqa: F811
    known = KNOWN.get(name, "{}")
    cells = DATA[data], f"explorer = {EXPLORERS[name]}\nexplorer", PEER.format(known=known)
    notebook = open_notebook(put_notebook(f"{data}_{name}.ipynb", *cells))
    page = notebook.page
    assert page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')"), notebook.outputs()
    page.locator(".jp-CodeCell .jp-OutputArea select").last.wait_for()
    draws, n_marks = notebook.value_of(COUNTS)
    seed = notebook.value_of(PLACE) if draws else -1
    others = [place for place in notebook.value_of(MOVABLE) if place != seed]
    times = {"control": [], "draw again": [], "open": [], "peer": []}

    def note(kind: str, script: str, *asked: int) -> None:
        times[kind].append(page.evaluate(script, list(asked)))
        notebook.value_of("0")  # when the kernel has time for it, all is done

    for event in range(N_EVENTS):
        note("control", MOVE, 1, others[event % len(others)])
        if draws:
            note("draw again", MOVE, 1, seed)
        if notebook.value_of(OPENS):
            note("open", OPEN, 1, event % n_marks)
        if draws:
            note("peer", CHOOSE, 2, event + 1)
    line = "; ".join(describe(kind, found) for kind, found in times.items())
    if draws:
        notebook.value_of(f"setattr(explorer.controls['seed'], 'many', {MANY})")
        page.wait_for_timeout(200)
        rate = MANY / page.evaluate(DRAW_MANY, [1, seed]) * 1000
        ratio = np.median(times["peer"]) / np.median(times["draw again"])
        line += f"; {rate:.1f} draws per second; peer / draw again {ratio:.2f}"
    keep(f"{data}, {name}: ", f"{line}; load {os.getloadavg()[0]:.0f}")
    assert notebook.problems == []


if __name__ == "__main__":
    pytest.main([__file__, "-s", "-q", *sys.argv[1:]])
