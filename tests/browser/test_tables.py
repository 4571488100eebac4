"""Results in a real browser: accessible, light and dark, and nothing in them is run or typeset."""

import numpy as np
import pandas as pd
import pytest

import mtworkbench as mtw
from tests.browser.conftest import open_context, wait_to_see, wait_until_it_fits

HOSTILE = [
    "$x_{1}$ and $y^2$",
    r"\(z^2\)",
    r"$$\href{javascript:alert(1)}{click}$$",
    "<img src=x onerror=window.wasRun=1>",
    "abc\u202edef",
    "a-name-of-more-than-forty-characters_without_any_space",
]
MAKE = f"""\
import numpy as np
import mtworkbench as mtw
names = {HOSTILE!r}
draws = np.random.default_rng(1)
words = [[f"w{{draw}}" for draw in line] for line in draws.integers(0, 50, (40, 12))]
def spoil(place):
    return [" ".join("x" if draws.random() < 0.1 * place else word for word in line) for line in words]
systems = {{name: [spoil(place) for run in range(3)] for place, name in enumerate(names, start=1)}}
outputs = mtw.make_outputs([" ".join(line) for line in words], systems)
statistics = [mtw.compute_statistics(outputs, metric) for metric in ("bleu", "chrf")]
"""
SHOWN = {
    "with a baseline": "mtw.compare(statistics, names[0], n_trials=2000, n_resamples=200, rng=1)",
    "all pairs": "mtw.compare(statistics[0], n_trials=2000, n_resamples=200, rng=1)",
    "one metric": "mtw.compare(statistics, n_trials=2000, n_resamples=200, rng=1).metrics['chrF']",
    "variance": "mtw.optimizer_variance(statistics, n_resamples=200, rng=1)",
    "statistics": "statistics[0]",
    "a test": "mtw.approximate_randomization(statistics[0][names[0]], statistics[0][names[1]], n_trials=2000, rng=1)",
    "a frame": "mtw.show_table(outputs.head(8))",
}
# Two outputs: a warning, and sentences.
TOLD = """\
import warnings
from mtworkbench.errors import DataWarning
from mtworkbench.words.lines import wrap
warnings.warn(DataWarning("tab", f"{names[0]} has one tab."))
wrap([f"{names[0]} is better. This was found.", *names, "(A note.)"])
"""
DARK = "() => jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})"
LIGHT = "() => jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Light'})"
# While a theme changes, JupyterLab covers the page.
IS_LIGHT = """light => document.body.dataset.jpThemeLight === String(light)
    && !document.getElementById('jupyterlab-splash')"""


@pytest.fixture(scope="module")
def made():
    names = {"mtw": mtw, "np": np}
    exec(MAKE, names)
    return names


@pytest.fixture
def page(browser):
    context = open_context(browser, viewport={"width": 933, "height": 667})
    yield context.new_page()
    context.close()


def test_a_table_of_texts_fits_a_page_and_one_with_names_of_rows_scrolls(page):
    page.set_viewport_size({"width": 1400, "height": 1000})
    texts = pd.DataFrame({f"text {number}": ["words of a sentence " * 4] * 10 for number in range(6)})
    sizes = """() => {
        const area = document.querySelector('.mtw-scroll');
        return [area.scrollWidth - area.clientWidth, area.scrollHeight - area.clientHeight];
    }"""
    page.set_content(mtw.show_table(texts.assign(claim=range(10))[["claim", *texts]])._repr_html_())
    wait_to_see(page, lambda: page.evaluate(sizes), [0, 0])
    page.set_content(mtw.show_table(texts)._repr_html_())  # the first column names the rows
    wider, higher = page.evaluate(sizes)
    assert wider > 0
    assert higher <= 0


@pytest.mark.parametrize("what", SHOWN)
def test_a_result_on_a_bare_page_has_no_serious_fault(what, made, page, serious_faults):
    html = eval(SHOWN[what], made)._repr_html_()
    page.set_content(f"<!doctype html><html lang=en><head><title>Results</title></head><body>{html}</body></html>")
    assert serious_faults(page) == []
    page.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")
    assert serious_faults(page) == []
    assert page.evaluate("() => window.wasRun") is None
    # Whatever is too wide scrolls in its own place, where the keyboard reaches it.
    wait_until_it_fits(page, 933)
    tables = page.locator("table")
    assert tables.count() and page.locator("[tabindex='0'] > table").count() == tables.count()


def test_results_in_jupyterlab_are_accessible_and_nothing_is_typeset_or_run(
    open_notebook, put_notebook, serious_faults
):
    notebook = open_notebook(put_notebook("results.ipynb", MAKE, *SHOWN.values(), TOLD))
    assert notebook.run_all()
    page, shown = notebook.page, notebook.page.locator(".jp-OutputArea-output .mtw")
    wait_to_see(page, shown.count, len(SHOWN) + 2)
    page.locator(".mtw details").evaluate_all("all => all.forEach(one => one.open = true)")
    size = page.viewport_size
    # What is not in sight is not drawn, and so has no contrast.
    notebook.resize(size["width"], 16_000)
    for change, is_light in ((DARK, False), (LIGHT, True)):
        page.evaluate(change)
        page.wait_for_function(IS_LIGHT, arg=is_light)
        assert serious_faults(page, ".mtw") == []
    # What is lowest on the page would be found, too.
    shown.nth(len(SHOWN) - 1).evaluate("one => one.classList.add('lowest')")
    page.add_style_tag(content=".lowest td { color: #888 !important; background: #999 !important; }")
    assert {rule for rule, _ in serious_faults(page, ".lowest")} == {"color-contrast"}
    notebook.resize(**size)
    for place, what in enumerate(SHOWN):
        text = shown.nth(place).text_content()
        expected = HOSTILE[:2] if what == "a test" else [name for name in HOSTILE if "\u202e" not in name]
        expected = HOSTILE[:1] if what == "a frame" else expected
        assert all(name in text for name in expected), what
        assert "\u202e" not in text
    assert page.locator("mjx-container").count() == 0
    assert page.evaluate("() => window.wasRun") is None
    # JupyterLab sets cells of tables to the right and gives rows colours in turn; here a name stands at the left.
    name = shown.first.locator("tbody th").first
    assert name.evaluate("one => getComputedStyle(one).textAlign") == "left"
    rows = shown.first.locator("tbody tr")
    assert len({rows.nth(row).evaluate("one => getComputedStyle(one).backgroundColor") for row in range(2)}) == 1
    assert notebook.problems == []


def test_mathematics_outside_results_is_typeset(open_notebook, put_notebook):
    """The test above would find what is typeset."""
    cell = "from IPython.display import HTML\nHTML('<p>$x_{1}$</p>')"
    notebook = open_notebook(put_notebook("typeset.ipynb", cell))
    assert notebook.run_all()
    notebook.page.locator("mjx-container").wait_for()


def test_an_input_error_in_jupyterlab_is_its_sentence(open_notebook, put_notebook):
    cell = "import mtworkbench as mtw\nmtw.read_outputs('$x$<b>.txt', {'a': 'a.txt'})"
    notebook = open_notebook(put_notebook("error.ipynb", cell))
    assert not notebook.run_all()
    error = notebook.page.locator(".jp-CodeCell .jp-OutputArea-output pre")
    wait_to_see(notebook.page, error.inner_text, "InputError: $x$<b>.txt cannot be read: No such file or directory.")
    assert notebook.page.locator("mjx-container").count() == 0
