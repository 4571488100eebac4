"""The controls of a comparison in a real browser."""

CELLS = (
    "import mtworkbench as mtw\n"
    "from mtworkbench.widgets import explore_comparison\n"
    "sample = mtw.find_shipped('data/sample')\n"
    "systems = {name: sample / f'{name}.run*.txt' for name in ('baseline', 'tweaked', 'retrained')}\n"
    "outputs = mtw.read_outputs(sample / 'reference.txt', systems, documents=sample / 'documents.txt')\n"
    "statistics = mtw.compute_statistics(outputs, 'bleu')",
    "from matplotlib import pyplot as plt\nplt.rcParams['figure.dpi'] = 180",
    "explore_comparison(statistics, rng=1)",
)


def test_a_comparison_is_explored(open_notebook, put_notebook):
    notebook = open_notebook(put_notebook("explore.ipynb", *CELLS))
    assert notebook.run_all()
    figure = notebook.page.locator(".jp-CodeCell img")
    assert figure.count() == 1
    assert figure.bounding_box()["width"] == round(3.03 * 180)
    level, resamples = notebook.sliders()
    for slider in (level, resamples):
        notebook.move(slider)
    sentence = notebook.page.locator(".mtworkbench-sentence")
    assert sentence.inner_text().startswith("BLEU: baseline ")
    before = figure.get_attribute("src")
    notebook.page.locator(".widget-dropdown select").nth(1).select_option(label="tweaked")
    notebook.page.wait_for_function("before => document.querySelector('.jp-CodeCell img').src !== before", arg=before)
    assert "; tweaked - baseline = " in sentence.inner_text()
    assert figure.count() == 1
    assert notebook.complaints().all_inner_texts() == []
    assert notebook.problems == []
    # What is left where there is no kernel: the figure is an output of the cell beside the view of the controls.
    kinds = [set(output["data"]) for output in notebook.outputs()[-1]]
    assert kinds == [{"application/vnd.jupyter.widget-view+json", "text/plain"}, {"image/png", "text/plain"}]
