"""Time the browser of segments in a real Chromium: scroll steps, filters, and the memory of the page.

Run with ``python -m benchmarks.segments``. The kernel is this process, so what a step takes is the time of Python, of
the page, and of the way between them; a page in JupyterLab has the memory of JupyterLab besides.
"""

import os
import shutil
import statistics
import time
import warnings

import pandas as pd

import mtworkbench as mtw
from tests.browser.bare_pages import Bare

os.environ["MTWORKBENCH_CACHE"] = "off"  # the work that is measured is always done

#: Numbers of segments and of systems.
SIZES = ((10_000, 10), (3_000, 16))
N_STEPS = 1000
# Scroll as a wheel does, and wait until the page has been painted; where the rows end, wait for the next ones.
SCROLL = """async steps => {
    const list = document.querySelector('.mtw-list'), root = document.querySelector('.mtw-segments');
    const frame = () => new Promise(requestAnimationFrame);
    const times = [];
    for (let step = 0; step < steps; step++) {
        const start = performance.now();
        do {
            list.scrollTop += 120;
            await frame();
        } while (list.scrollTop + list.clientHeight > list.scrollHeight - 1);
        times.push(performance.now() - start);
    }
    return times;
}"""
# What an empty step takes on this machine.
IDLE = """async steps => {
    const times = [];
    for (let step = 0; step < steps; step++) {
        const start = performance.now();
        await new Promise(requestAnimationFrame);
        times.push(performance.now() - start);
    }
    return times;
}"""
# Ask for rows that lie elsewhere, and wait until they have been painted.
JUMP = """async steps => {
    const list = document.querySelector('.mtw-list'), root = document.querySelector('.mtw-segments');
    const frame = () => new Promise(requestAnimationFrame);
    const times = [];
    for (let step = 0; step < steps; step++) {
        const before = root.dataset.answer, start = performance.now();
        list.dispatchEvent(new KeyboardEvent('keydown', {key: step % 2 ? 'Home' : 'End', bubbles: true}));
        while (root.dataset.answer === before) await frame();
        await frame();
        times.push(performance.now() - start);
    }
    return times;
}"""


def make_test_set(n_segments: int, n_systems: int) -> tuple[pd.DataFrame, mtw.statistics.SegmentStatistics]:
    folder = mtw.find_shipped("data/flores")
    read = [folder / f"bergamot-{name}.txt" for name in ("base", "base-memory", "tiny")]
    texts = [path.read_text(encoding="utf-8").split("\n")[:-1] for path in (folder / "reference.txt", *read)]
    reference, *outputs = ([f"{line} {place}" for place in range(10) for line in lines[:1000]] for lines in texts)
    systems = {f"system-{number}": outputs[number % 3][:n_segments] for number in range(n_systems)}
    made = mtw.make_outputs(reference[:n_segments], systems)
    return made, mtw.compute_statistics(made, "bleu")


def heap(page: object) -> float:
    """Return the memory that scripts of a page hold, in MB, after what is not needed has been collected."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    return session.send("Runtime.getHeapUsage")["usedSize"] / 1e6


def describe(times: list[float]) -> str:
    ordered = sorted(times)
    return f"median {statistics.median(ordered):.0f} ms, 95th percentile {ordered[int(0.95 * len(ordered))]:.0f} ms"


def time_browser(browser: object, n_segments: int, n_systems: int) -> None:
    """Print how long a browser of so many segments takes for what a reader does."""
    outputs, computed = make_test_set(n_segments, n_systems)
    start = time.perf_counter()
    segments = mtw.explore_segments(outputs, computed, "system-0", "system-2", rng=1)
    print(f"{n_segments:,} segments, {n_systems} systems: made in {time.perf_counter() - start:.1f} s")
    page = browser.new_page(viewport={"width": 1280, "height": 1400})
    Bare(page, segments)
    print(f"page at first: {heap(page):.0f} MB")
    steps = describe(page.evaluate(SCROLL, N_STEPS))
    print(f"scroll step of 120 pixels, one of a wheel: {steps} ({N_STEPS} steps)")
    print(f"page after scrolling: {heap(page):.0f} MB, {page.locator('.mtw-segment').count()} rows")
    print(f"the same without any scrolling: {describe(page.evaluate(IDLE, N_STEPS))}")
    print(f"jump from one end to the other: {describe(page.evaluate(JUMP, 20))}")
    for name, query in (
        ("sort", {"sort": "change"}),
        ("text", {"text": "president"}),
        ("regular expression", {"text": r"\bpresident\w* .*ed\b", "pattern": True}),
        ("n-gram", {"ngram": "the president"}),
        ("flag", {"flag": "number_changed"}),
        ("all", {}),
    ):
        start = time.perf_counter()
        segments._receive(None, {"kind": "query", "query": query, "asked": name})
        taken = time.perf_counter() - start
        print(f"filter by {name}: {1000 * taken:.0f} ms, {len(segments.frame):,} segments")
    for kind, asked in (("first", {"count": 10}), ("ngrams", {"of": "selection", "order": 0})):
        start = time.perf_counter()
        segments._receive(None, {"kind": kind, **asked})
        print(f"{kind}: {1000 * (time.perf_counter() - start):.0f} ms")
    start = time.perf_counter()
    segments.left_out = segments.frame["segment"].head(5).tolist()
    print(f"leave five out: {1000 * (time.perf_counter() - start):.0f} ms")
    page.close()


if __name__ == "__main__":
    from playwright.sync_api import sync_playwright

    warnings.simplefilter("ignore", mtw.DataWarning)
    with sync_playwright() as driver:
        options = {"executable_path": shutil.which("chromium"), "args": ["--no-sandbox", "--disable-gpu"]}
        with driver.chromium.launch(**options) as browser:
            for size in SIZES:
                time_browser(browser, *size)
