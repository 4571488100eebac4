"""No key that is pressed in a widget is a command to the notebook, whether the widget knows the key or not."""

CELLS = (
    "import warnings\nwarnings.simplefilter('ignore')\nimport mtworkbench as mtw\n"
    "from mtworkbench.widgets import explore_comparison\n"
    "folder = mtw.find_shipped('data/flores')\n"
    "systems = {name: folder / f'bergamot-{name}.txt' for name in ('base', 'tiny')}\n"
    "outputs = mtw.read_outputs(folder / 'reference.txt', systems, accept='invisible-chars')\n"
    "statistics = mtw.compute_statistics(outputs, 'bleu')",
    "linked = mtw.explore_differences(outputs, statistics, rng=1)\nlinked",
    "linked",
    "explorer = explore_comparison(statistics, rng=1)\nexplorer",
)
# To the notebook: a cell below and above, a raw cell, one deleted, cut, copied, pasted, the kernel started anew, the
# cell below and above.
KEYS = ("b", "a", "r", "d", "d", "x", "c", "v", "0", "0", "ArrowDown", "j", "k")
STATE = """() => {
    const cells = [...window.panel.content.model.cells].map(cell => [cell.type, cell.sharedModel.getSource()]);
    return [cells, window.panel.content.activeCellIndex, document.querySelectorAll('.jp-Dialog').length];
}"""
# One of each kind in each kind of widget; the last first, for what is chosen above changes what is below.
FIND = """() => {
    const widgets = ['mtw-segments', 'mtworkbench-figure', 'mtworkbench-control'];
    const focusable = 'button, input, select, summary, textarea, [tabindex]';
    window.kinds = new Map();
    for (const widget of document.querySelectorAll(widgets.map(name => `.${name}`))) {
        for (const one of widget.querySelectorAll(focusable)) {
            const within = widgets.find(name => widget.classList.contains(name));
            const kind = [within, one.localName, one.getAttribute('class'), one.type].join(' ');
            if (one.checkVisibility() && !one.disabled && !window.kinds.has(kind)) window.kinds.set(kind, one);
        }
    }
    return [...window.kinds.keys()].reverse();
}"""
FOCUS = """kind => {
    const one = window.kinds.get(kind);
    one.focus({preventScroll: true});
    return document.activeElement === one;
}"""


def test_no_key_in_a_widget_is_a_command_to_the_notebook(open_notebook, put_notebook):
    notebook = open_notebook(put_notebook("keys.ipynb", *CELLS))
    page = notebook.page
    assert notebook.run_all()
    page.locator(".mtw-segments").first.wait_for()
    # What is folded is focused, too. One view asks for the n-grams: a second answer would replace what is focused.
    ngrams = page.locator(".mtw-ngrams").first
    ngrams.evaluate("one => one.open = true")
    ngrams.locator("tbody tr").first.wait_for()
    page.locator(".jp-CodeCell summary").evaluate_all("all => all.forEach(one => one.parentElement.open = true)")
    cells = page.evaluate(STATE)[0]
    kinds = page.evaluate(FIND)
    elements = {kind.split()[1] for kind in kinds}
    assert elements == {"svg", "pre", "summary", "article", "div", "button", "select", "input"}
    for kind in kinds:
        assert page.evaluate(FOCUS, kind), kind  # which makes its cell the active one
        before = page.evaluate(STATE)
        for key in KEYS:
            page.keyboard.press(key)
        assert page.evaluate(STATE) == before, kind
    assert page.evaluate(STATE)[0] == cells
    # The linked figures are there twice.
    assert page.get_by_role("button", name="reset").count() == 3
    assert notebook.problems == []
