"""Warnings about the data in notebooks: quiet lines, and still warnings for whoever asks for warnings."""

import subprocess
import sys
import warnings

import nbformat
import pytest

from mtworkbench import shown
from mtworkbench.errors import DataWarning
from mtworkbench.notebooks import run_notebook

HOSTILE = DataWarning("tab", "a\u202e<b>.txt has 1 tab.")


@pytest.fixture
def displayed(monkeypatch) -> list[dict | str]:
    """What a notebook would show, and the warnings that look as they did before."""
    said = []
    monkeypatch.setattr(shown, "is_in_notebook", lambda: True)
    monkeypatch.setattr(warnings, "showwarning", lambda message, *_: said.append(str(message)))
    monkeypatch.setattr("IPython.display.display", lambda data, raw: said.append(data))
    shown.show_warnings_quietly()
    return said


def test_a_warning_about_the_data_is_a_line_of_html(displayed):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn(HOSTILE, stacklevel=1)
        warnings.warn("of somebody else", stacklevel=1)
    data, other = displayed
    assert other == "of somebody else"
    assert data["text/plain"] == "Warning: a\\u202e<b>.txt has 1 tab."
    assert "\N{WARNING SIGN}\N{VARIATION SELECTOR-15} a\\u202e&lt;b&gt;.txt has 1 tab.</p>" in data["text/html"]


def test_whoever_catches_warnings_has_them_and_the_page_does_not(displayed):
    with pytest.warns(DataWarning, match="1 tab") as caught:
        warnings.warn(HOSTILE, stacklevel=1)
    assert caught[0].message is HOSTILE
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        warnings.warn(HOSTILE, stacklevel=1)
        warnings.simplefilter("error")
        with pytest.raises(DataWarning, match="1 tab"):
            warnings.warn(HOSTILE, stacklevel=1)
    assert displayed == []


def test_outside_of_notebooks_nothing_changes():
    before = warnings.showwarning
    shown.show_warnings_quietly()
    assert warnings.showwarning is before
    program = (
        "import sys, warnings; before = warnings.showwarning; import mtworkbench\n"
        "assert warnings.showwarning is before and 'mtworkbench.shown' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.long
def test_each_run_of_a_cell_shows_its_warnings_before_its_result(tmp_path):
    for name, text in (("ref", "\ufeffa b c d\ne f g h\n"), ("x", "a b c d\r\ne f g h\r\n"), ("y", "a b c d\n\n")):
        (tmp_path / f"{name}.txt").write_bytes(text.encode())
    read = "outputs = mtw.read_outputs('ref.txt', {'x': 'x.txt', 'y': 'y.txt'})\nlen(outputs)"
    cells = [nbformat.v4.new_code_cell(source) for source in ("import mtworkbench as mtw", read, read)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    run_notebook(tmp_path / "load.ipynb", notebook, lambda **_: None)
    first, second = ([one.data["text/plain"] for one in cell.outputs] for cell in notebook.cells[1:])
    assert first == second
    assert first[-1] == "4"
    assert [one.partition(": ")[0] for one in first[:-1]] == ["Warning"] * len(first[:-1])
    assert first[0] == "Warning: ref.txt starts with a byte-order mark, which was left out."
    assert len(first) >= 4
