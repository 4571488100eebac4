"""Words of notebooks, counted by hand."""

import runpy
from pathlib import Path

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "count_words.py"


def test_each_word_is_counted_once():
    html = "<style>p {x: y}</style><p>two words</p><table><tr><td>1</td><td>a b</td></tr></table>"
    outputs = [
        new_output("display_data", data={"text/html": html, "text/plain": "two words 1 a b"}),
        new_output("display_data", data={"image/png": "", "text/plain": "<Figure size 1x1>"}),
        new_output("stream", text="three words here"),
        new_output("execute_result", data={"text/plain": "'four'"}),
    ]
    cells = [new_markdown_cell("# A *heading*\n\nand [a link](to.ipynb)"), new_code_cell("", outputs=outputs)]
    counted = runpy.run_path(str(SCRIPT))["count_words"](new_notebook(cells=cells))
    assert counted == {"prose": 5, "printed": 4, "sentences": 2, "tables": 3}
