"""The controls of a comparison in a real browser."""

CELLS = (
    "import mtworkbench as mtw\n"
    "from mtworkbench.widgets import explore_comparison\n"
    "sample = mtw.find_shipped('data/sample')\n"
    "systems = {name: sample / f'{name}.run*.txt' for name in ('baseline', 'tweaked', 'retrained')}\n"
    "outputs = mtw.read_outputs(sample / 'reference.txt', systems, documents=sample / 'documents.txt')\n"
    "statistics = mtw.compute_statistics(outputs, 'bleu')",
    "explorer = explore_comparison(statistics, rng=1)\nprint(round(96 * explorer.figure.get_figwidth()))",
    "explorer",
)


def test_a_comparison_is_explored(open_notebook, put_notebook):
    notebook = open_notebook(put_notebook("explore.ipynb", *CELLS))
    assert notebook.run_all()
    figure = notebook.page.locator(".jp-CodeCell img")
    assert figure.count() == 1
    # An inch of a figure for the screen is one of the page's, whatever the pixels of the picture.
    assert figure.bounding_box()["width"] == int(notebook.outputs()[-2][0]["text"])
    level, resamples = notebook.sliders()
    for slider in (level, resamples):
        notebook.move(slider)
    sentence = notebook.page.locator(".mtworkbench-sentence")
    assert sentence.inner_text().startswith("BLEU: retrained - baseline = ")
    assert "p (Holm) " in sentence.inner_text()
    before = figure.get_attribute("src")
    notebook.page.locator(".widget-dropdown select").nth(1).select_option(label="tweaked")
    notebook.page.wait_for_function("before => document.querySelector('.jp-CodeCell img').src !== before", arg=before)
    assert sentence.inner_text().startswith("BLEU: tweaked - baseline = ")
    assert figure.count() == 1
    assert notebook.complaints().all_inner_texts() == []
    assert notebook.problems == []
    # What is left where there is no kernel: the figure is an output of the cell beside the view of the controls.
    kinds = [set(output["data"]) for output in notebook.outputs()[-1]]
    assert kinds == [{"application/vnd.jupyter.widget-view+json", "text/plain"}, {"image/png", "text/plain"}]


NAMED = (
    "import numpy as np, pandas as pd\n"
    "from matplotlib import pyplot as plt\n"
    "from mtworkbench.widgets import Explorer\n"
    "from ipywidgets import IntSlider\n"
    "marks = pd.DataFrame({'x': 10 + 4 * np.arange(60), 'y': 100 + np.arange(60) * 7 % 11})\n"
    "marks['text'] = [f'mark {n}' for n in range(60)]",
    "def draw(number):\n"
    "    axes = plt.figure(figsize=(3, 2), dpi=100).add_axes((0, 0, 1, 1), xlim=(0, 300), ylim=(0, 200))\n"
    "    return axes, 'marks', marks\n"
    "Explorer(draw, number=IntSlider(1))",
)
NAMES_AT = """(picture, pixels) => {
    const {left, top} = picture.getBoundingClientRect();
    return pixels.map(([x, y]) => document.elementFromPoint(left + x, top + y)?.title);
}"""


def test_the_mouse_finds_the_mark_that_it_points_at(open_notebook, put_notebook):
    """Overlapping circles answered for their first neighbour; marks are four pixels apart here."""
    notebook = open_notebook(put_notebook("named.ipynb", *NAMED))
    assert notebook.run_all()
    picture = notebook.page.locator(".jp-CodeCell img[usemap]")
    picture.scroll_into_view_if_needed()
    pixels = [[10 + 4 * n, 200 - (100 + n * 7 % 11)] for n in range(60)]
    found = picture.evaluate(NAMES_AT, pixels)
    assert found == [f"mark {n}" for n in range(60)]
    assert notebook.problems == []
