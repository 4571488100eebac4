"""The class: exercises run, their checks reject the misreading that they name, and the pages say what cells print."""

import ast
import contextlib
import io
import re
from collections import defaultdict
from functools import cache
from html import unescape
from pathlib import Path

import matplotlib as mpl
import nbformat
import pytest
from matplotlib import pyplot as plt

import mtworkbench
from mtworkbench.widgets import Prediction

ROOT = Path(__file__).resolve().parent.parent
EXERCISES = sorted((ROOT / "exercises").glob("*.ipynb"))
PAGES = sorted((ROOT / "docs" / "teaching").glob("*.md"))
STEPS = ["The experiment", "Predict first", "Count it yourself", "Check your answer", "What it shows"]
BLANK = "# Put a number, or code that counts it, in place of the three dots.\nanswer = ..."
LINK = re.compile(r"\[([^]]+)\]\(([^)]+)\)")


def code_of(path):
    return [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def solve(number):
    """Return the code of an exercise cell by cell, with the answer of its solution in place of the dots."""
    cells = code_of(ROOT / "exercises" / f"{number}.ipynb")
    place = cells.index(BLANK)
    solution = (ROOT / "solutions" / f"{number}.py").read_text(encoding="utf-8").strip()
    before, after = "\n\n".join(cells[:place]), "\n\n".join(cells[place + 1 :])
    head, rest = solution.split(before + "\n\n# The answer\n")
    answer, nothing = rest.split("\n\n" + after)
    assert head == f'"""The solution of exercise {int(number)}, with all of its code."""\n\n'
    assert nothing == ""
    return [*cells[:place], answer, *cells[place + 1 :]]


@cache
def run_exercise(number):
    """Run the solution; return what it shows under each heading, and what its check was asked."""
    mpl.use("Agg")
    shown, asked = defaultdict(str), []
    check = mtworkbench.check_answer

    def listen(*arguments, **options):
        asked.append((arguments, options))
        return check(*arguments, **options)

    codes = iter(solve(number))
    names, heading = {}, ""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(mtworkbench, "check_answer", listen, raising=False)
        for cell in nbformat.read(ROOT / "exercises" / f"{number}.ipynb", as_version=4).cells:
            if cell.cell_type == "markdown":
                heading = ([heading] + re.findall(r"^#+ (.+)$", cell.source, re.M))[-1]
                continue
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                *body, last = ast.parse(next(codes)).body
                exec(compile(ast.Module(body, []), number, "exec"), names)
                if isinstance(last, ast.Expr):
                    result = eval(compile(ast.Expression(last.value), number, "eval"), names)
                else:
                    result = exec(compile(ast.Module([last], []), number, "exec"), names)
            shown[heading] += printed.getvalue()
            if isinstance(result, Prediction):
                result.controls["prediction"].value = result.controls["prediction"].options[1]
                result.controls["reveal"].value = True
                shown[heading] += f"{result.figure.get_suptitle()} {result.sentence}"
            plt.close("all")
    return shown, asked


def test_there_are_twelve_with_a_solution_each():
    numbers = [f"{number:02d}" for number in range(1, 13)]
    assert [path.stem for path in EXERCISES] == numbers
    assert [path.stem for path in sorted((ROOT / "solutions").glob("*"))] == numbers


@pytest.mark.parametrize("path", EXERCISES, ids=lambda path: path.stem)
def test_exercises_keep_the_form(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    first, *cells = notebook.cells
    assert re.match(
        rf"# Exercise {int(path.stem)}: .+\n\n\*\*The misreading:\*\* .+\.\n\n\*The data is made up\*: ",
        first.source.replace("\n\n", "\0").replace("\n", " ").replace("\0", "\n\n"),
    )
    headings = [line for cell in cells for line in re.findall(r"^## (.+)$", cell.source, re.M)]
    assert [one for one in headings if one != "Watch the draws"] == STEPS
    before = first
    for cell in cells:
        if cell.cell_type == "code":
            assert before.cell_type == "markdown", f"no prose before {cell.source!r}"
            assert (cell.outputs, cell.execution_count) == ([], None), "would give the answer away"
            lines = [line for line in cell.source.splitlines() if line.strip() and not line.startswith("#")]
            assert len(lines) <= 5
            assert max(map(len, lines)) <= 120
            assert not any(isinstance(node, ast.FunctionDef) for node in ast.walk(ast.parse(cell.source)))
        before = cell
    assert code_of(path).count(BLANK) == 1


@pytest.mark.parametrize("path", EXERCISES, ids=lambda path: path.stem)
def test_the_check_takes_the_solution_and_rejects_each_misreading_by_name(path):
    shown, asked = run_exercise(path.stem)
    assert shown["Check your answer"].startswith("Right: ")
    assert "The truth is " in shown["Predict first"]
    [((_, right, misreadings), options)] = asked
    assert misreadings
    for words, wrong in misreadings.items():
        assert mtworkbench.check_answer(wrong, right, misreadings, **options).endswith(f" is the answer if {words}.")
    assert mtworkbench.check_answer(..., right, misreadings, **options).startswith("Not yet: there is no answer.")
    # The number that the figure has just shown is not the answer: something has to be counted.
    told = float(re.search(r"The truth is ([\d.]+)\.", shown["Predict first"])[1])
    assert mtworkbench.check_answer(told, right, misreadings, **options).startswith("Not yet")
