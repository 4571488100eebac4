"""Every control of every explorer in a real browser: what the page shows is what the frame holds."""

import pytest

from tests.browser.conftest import open_context, open_in, put_in, wait_to_see
from tests.browser.every_explorer import EXPLORERS, SHIPPED

# What a sentence has to say, from the frame and the controls alone.
READ = r"""
import re
def has_all(row, text):
    known = [abs(float(one)) for cell in row for one in re.findall(r"\d+(?:\.\d+)?", str(cell))]
    known += [abs(cell) for cell in row if isinstance(cell, (int, float, np.number)) and np.isfinite(cell)]
    # The level of an interval is a control, and of a small p only a bound is said.
    text = re.sub(r"\d+ % CI|p(?: \([^)]*\))? < [\d.]+", "", text.replace(",", ""))
    for number in re.findall(r"\d+(?:\.\d+)?", text):
        half = 0.500001 * 10.0 ** -len(number.partition(".")[2])
        if not any(abs(factor * one - float(number)) <= half for one in known for factor in (1, 100)):
            return False
    return True

def lacking(frame, texts):
    rows = [(*row, *frame.columns) for row in frame.itertuples(index=False, name=None)]
    return [text for text in texts if not any(has_all(row, text) for row in rows)]

SAID = {
    "samples": lambda f, c: [] if c["minus"] else [
        f"{part.min():.1f} to {part.max():.1f} on {len(part)} " for _, part in f.groupby("sampling")["score"]],
    "intervals": lambda f, c: [
        f"{(~f.covers).sum()} of {len(f)} intervals", f"{(f.high - f.low).mean():.2f} wide"],
    "confidence": lambda f, c: [
        f"{(f.conclusion == f.a).sum()} for {f.a[0]}", f"is {f.true_difference[0]:+.2f}",
        f"on {(f.p_value <= 1 - c['level'] + 1e-12).sum()} of the {len(f)}"],
    "calibration": lambda f, c: [
        f"{f.conclusions.sum():,} comparisons", f"{f.conclusions[f.lowest >= 95].sum():,} conclusion"],
    "scores": lambda f, c: [f"Over {(f.runs.sum() if 'runs' in f else len(f)) // 2} runs of each"],
    "replications": lambda f, c: [f"With {n} run" for n in f.replications.unique()],
    "luck": lambda f, c: [
        f"Run {row.run_a} of {row.baseline} ({row.score_a:.2f}) and run {row.run_b} of {row.experimental} "
        f"({row.score_b:.2f}): difference {row.difference:+.2f} {row.metric}" for row in f.itertuples()],
    "tuning": lambda f, c: [
        f"{row.dev:.2f} BLEU on the tuning set and {row.test:.2f} on" for row in f[f.taken].itertuples()],
    "draws": lambda f, c: [f" {f.draw.iloc[-1]} ", f"{f.difference.iloc[-1]:+.2f} (observed {f.observed[0]:+.2f})"],
    "conventions": lambda f, c: [
        {0: "None of the ", len(f): "All "}.get(n := (f.verdict == "significant").sum(), f"{n} of ")
        + f"{len(f)} rules"],
}

def state_of(name):
    one = explorers[name]
    main = next(iter(one.frames), None)
    asked = {key: control.value for key, control in one.controls.items()}
    said = SAID[name](one.frames[main], asked) if name in SAID else []
    return {
        "sentence": one.sentence, "unsaid": [part for part in said if part not in one.sentence],
        "controls": {key: control.labels[control.index] if hasattr(control, "labels") else str(control.value).lower()
                     for key, control in one.controls.items()},
        "figures": [[key, link.source, len(link.texts)] for key, link in one._links.items()],
    }

explorers = {}
"""
# Marks of which the frame has no row: bars of resamples, and segments of one draw.
WITHOUT_ROWS = {("draws", "figure"), ("differences", "resamples")}
ROOT = "const root = window.panel.node.querySelectorAll('.jp-CodeCell')[cell];"
# Move a control by one step, as the mouse does; return when the screen was pale and is so no more.
MOVE = f"""async ([cell, place]) => {{
    {ROOT}
    const control = root.querySelectorAll('.mtworkbench-control')[place];
    const screen = root.querySelector('.mtworkbench-screen');
    const answered = new Promise(resolve => new MutationObserver((records, observer) => {{
        if (screen.getAttribute('aria-busy') === 'true' || !records.some(one => one.oldValue === 'true')) return;
        observer.disconnect();
        resolve();
    }}).observe(screen, {{attributeFilter: ['aria-busy'], attributeOldValue: true}}));
    const [select, range, button] = ['select', 'input', 'button'].map(tag => control.querySelector(tag));
    if (select) select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
    if (range) range.value = range.valueAsNumber + (range.value === range.max ? -1 : 1);
    if (button) button.click();
    for (const type of ['input', 'change']) (select ?? range)?.dispatchEvent(new Event(type));
    await answered;
}}"""
SHOWN = f"""([cell, sentence, sources]) => {{
    {ROOT}
    const pictures = [...root.querySelectorAll('.mtworkbench-figure')].map(one =>
        one.querySelector('.mtworkbench-frame').hidden ? '' : one.querySelector('img').getAttribute('src'));
    return root.querySelector('.mtworkbench-sentence').textContent === sentence
        && pictures.every((one, place) => one === sources[place]);
}}"""
VISIBLE = "all => all.map(one => one.checkVisibility())"
CONTROLS = f"""cell => {{
    {ROOT}
    const read = one => one.querySelector('select')?.selectedOptions[0].textContent
        ?? one.querySelector('.mtworkbench-value')?.textContent
        ?? one.querySelector('button').getAttribute('aria-pressed');
    return [...root.querySelectorAll('.mtworkbench-control')].map(read);
}}"""


@pytest.fixture(scope="module")
def shared(lab, browser):
    """One notebook with a cell for each explorer, of which those of data and of names have been run."""
    context = open_context(browser, viewport={"width": 1400, "height": 1000})
    cells = [f"explorers['{name}'] = {call}\nexplorers['{name}']" for name, call in EXPLORERS.items()]
    put_in(lab.folder / "notebooks", "every.ipynb", SHIPPED + READ, *cells)
    notebook = open_in(context, lab, "every.ipynb")
    run_cell(notebook, 0)
    # A machine that is busy may have shown how far it was.
    assert [one for one in notebook.outputs()[0] if one["output_type"] in ("error", "stream")] == []
    yield notebook
    context.close()


def run_cell(notebook, cell):
    notebook.page.evaluate("cell => { window.panel.content.activeCellIndex = cell; }", cell)
    notebook.page.evaluate("() => jupyterapp.commands.execute('notebook:run-cell')")
    notebook.wait_until_idle()


def read_marks(root, place, n_marks):
    """Return what the page says at the first and at the last mark of a figure."""
    figure = root.locator(".mtworkbench-figure").nth(place)
    layer, texts = figure.locator(".mtworkbench-layer"), []
    for key in ("Home", "End") if n_marks else ():
        layer.press(key)
        texts.append(figure.locator(".mtworkbench-tip").text_content())
    return texts


@pytest.mark.parametrize("name", EXPLORERS)
def test_the_page_shows_the_frame_after_each_control(shared, serious_faults, name):
    page, cell = shared.page, 1 + list(EXPLORERS).index(name)
    run_cell(shared, cell)
    root = page.locator(".jp-CodeCell").nth(cell)
    root.evaluate("(one, name) => { one.dataset.tried = name; }", name)
    root.locator(".mtworkbench-sentence").wait_for()
    figures = root.locator(".mtworkbench-figure")
    names = list(shared.value_of(f"state_of({name!r})['controls']"))
    for place in (None, *range(len(names))):
        if place is not None:
            page.evaluate(MOVE, [cell, place])
        state = shared.value_of(f"state_of({name!r})")
        page.wait_for_function(SHOWN, arg=[cell, state["sentence"], [source for _, source, _ in state["figures"]]])
        assert state["unsaid"] == [], f"{names[place or 0]}: {state['sentence']}"
        asked, drawn = list(state["controls"].values()), [bool(source) for _, source, _ in state["figures"]]
        wait_to_see(page, lambda: page.evaluate(CONTROLS, cell)[: len(names)], asked)
        wait_to_see(page, lambda: figures.evaluate_all(VISIBLE), drawn)
        for number, (called, _, n_marks) in enumerate(state["figures"]):
            texts = read_marks(root, number, n_marks)
            if texts and (name, called) not in WITHOUT_ROWS:
                assert shared.value_of(f"lacking(explorers[{name!r}].frames[{called!r}], {texts!r})") == []
    assert serious_faults(page, f"[data-tried={name}] .jp-OutputArea") == []
    assert shared.complaints().all_inner_texts() == []
    assert shared.problems == []
