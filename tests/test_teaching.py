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
from mtworkbench.papers import koehn2004
from mtworkbench.widgets import Prediction

ROOT = Path(__file__).resolve().parent.parent
EXERCISES = sorted((ROOT / "exercises").glob("*.ipynb"))
PAGES = sorted((ROOT / "docs" / "teaching").glob("*.md"))
STEPS = ["The experiment", "Predict first", "Count it yourself", "Check your answer", "What it shows"]
# In some exercises, students write code.
CODE = "Your code"
BLANKS = {
    "Count it yourself": "# Put a number, or code that counts it, in place of the three dots.\nanswer = ...",
    CODE: "# Your code, in one to five lines: put the number that it counts in place of the three dots.\nanswer = ...",
}
LINK = re.compile(r"\[([^]]+)\]\(([^)]+)\)")


def code_of(path):
    return [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def solve(number):
    """Return the code of an exercise cell by cell, with the answer of its solution in place of the dots."""
    cells = code_of(ROOT / "exercises" / f"{number}.ipynb")
    [place] = [place for place, code in enumerate(cells) if code in BLANKS.values()]
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
    return shown, asked, names


def test_there_are_twelve_with_a_solution_each():
    numbers = [f"{number:02d}" for number in range(1, 13)]
    assert [path.stem for path in EXERCISES] == numbers
    assert [path.stem for path in sorted((ROOT / "solutions").glob("*.py"))] == numbers


@pytest.mark.parametrize("path", EXERCISES, ids=lambda path: path.stem)
def test_exercises_keep_the_form(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    first, *cells = notebook.cells
    title, misreading, data = first.source.split("\n\n")
    assert title.startswith(f"# Exercise {int(path.stem)}: ")
    assert misreading.startswith("**The misreading:** ")
    assert data.startswith("*The data is made up*: ")
    headings = [line for cell in cells for line in re.findall(r"^## (.+)$", cell.source, re.M)]
    task = CODE if CODE in headings else "Count it yourself"
    assert [one.replace(CODE, STEPS[2]) for one in headings if one != "Watch the draws"] == STEPS
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
    assert [code for code in code_of(path) if code in BLANKS.values()] == [BLANKS[task]]
    # Nobody knows what "Portuguese" is before it is said.
    code = " ".join(cell.source for cell in cells)
    used = [name for name in koehn2004.load_statistics() if name in code]
    assert all(f"“{name}”" in data for name in used)
    assert not used or "named after the language" in re.sub(r"\s+", " ", data)
    # JupyterLab folds such a cell to its first line, which must not give the answer away either.
    folded = [cell.source for cell in cells if cell.metadata.get("jupyter", {}).get("source_hidden")]
    assert folded == [source for source in code_of(path) if "check_answer" in source]
    assert folded[0].startswith("# The check. ")


@pytest.mark.parametrize("path", EXERCISES, ids=lambda path: path.stem)
@pytest.mark.long
def test_the_check_takes_the_solution_and_rejects_each_misreading_by_name(path):
    shown, asked, _ = run_exercise(path.stem)
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
    # Neither is the share of the other cases, nor a number that one can guess: the level of a test or of an interval.
    for guess in (0, 1, 0.05, 5, 0.95, 95, 100, 100 - right, 1 - right):
        assert mtworkbench.check_answer(guess, right, misreadings, **options).startswith("Not yet")


@pytest.mark.parametrize("seed", range(2, 8))
@pytest.mark.parametrize("number", ["03", "04", "05", "07", "08", "09", "10", "11"])
@pytest.mark.long
def test_the_answer_is_right_with_any_seed(number, seed):
    _, asked, names = run_exercise(number)
    [answer] = [code for code in solve(number) if code not in code_of(ROOT / "exercises" / f"{number}.ipynb")]
    changed = re.sub(r"(rng=|default_rng\()1\b", rf"\g<1>{seed}", answer)
    assert changed != answer
    own = dict(names)
    exec(changed, own)
    [((_, right, misreadings), options)] = asked
    assert mtworkbench.check_answer(own["answer"], right, misreadings, **options).startswith("Right")


def test_students_write_code_in_half_of_the_exercises():
    tasks = {path.stem: BLANKS[CODE] in code_of(path) for path in EXERCISES}
    assert sum(tasks.values()) >= 6
    for number in (name for name, has_code in tasks.items() if has_code):
        answer = solve(number)[code_of(ROOT / "exercises" / f"{number}.ipynb").index(BLANKS[CODE])]
        assert 1 <= len(answer.splitlines()) <= 5


def headings_of(path):
    """Return the headings of a notebook as JupyterLab links to them."""
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown"]
    return {one.replace(" ", "-") for cell in cells for one in re.findall(r"^#+ (.+)$", cell.source, re.M)}


def shown_under(path, anchor):
    """Return what the cells under a heading show: run for an exercise, as it is stored for a notebook."""
    heading = anchor.replace("-", " ")
    if path.parent.name == "exercises":
        return run_exercise(path.stem)[0][heading]
    texts, inside = [], False
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            found = re.findall(r"^#+ (.+)$", cell.source, re.M)
            inside = heading in found if found else inside
        elif inside:
            data = [output.get("data", {}) | {"stream": output.get("text", "")} for output in cell.outputs]
            texts += [value for one in data for kind, value in one.items() if kind != "image/png"]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", " ".join(texts), flags=re.S)))


def test_the_pages_are_there():
    assert [page.name for page in PAGES] == ["README.md", "glossary.md", "misreadings.md", "plan-45.md", "plan-90.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_link_leads_to_a_file_and_a_heading(page):
    links = LINK.findall(page.read_text(encoding="utf-8"))
    assert links
    for text, target in links:
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve()
        assert path.is_file(), target
        if anchor:
            assert anchor in headings_of(path), target
            assert text == f"{path.stem[:2]}: {anchor.replace('-', ' ')}"


def rows_of(page):
    """Return the cells of each row of the table of a page, without its head."""
    lines = (ROOT / "docs" / "teaching" / page).read_text(encoding="utf-8").splitlines()
    return [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][1:]


@pytest.mark.parametrize(
    ("page", "where", "what", "least"),
    [("plan-45.md", 1, 4, 7), ("plan-90.md", 1, 4, 13), ("misreadings.md", 3, 2, 12)],
)
@pytest.mark.long
def test_what_a_page_expects_is_what_the_cell_shows(page, where, what, least):
    rows = rows_of(page)
    n_quoted = 0
    for row in rows:
        ((_, target),) = LINK.findall(row[where])
        name, anchor = target.split("#")
        shown = shown_under((ROOT / "docs" / "teaching" / name).resolve(), anchor)
        for quoted in re.findall(r"`([^`]+)`", row[what]):
            assert quoted in shown, f"{target} does not show {quoted!r}"
            n_quoted += 1
    assert n_quoted >= least


@pytest.mark.parametrize("minutes", [45, 90])
def test_a_plan_fills_its_minutes_and_leaves_time_to_work(minutes):
    rows = rows_of(f"plan-{minutes}.md")
    times = [tuple(map(int, row[0].strip("*").split("-"))) for row in rows]
    assert (times[0][0], times[-1][1]) == (0, minutes)
    assert all(end == begin for (_, end), (begin, _) in zip(times, times[1:], strict=False))
    # At most one experiment per ten minutes; students work in the rows whose minutes are in bold, half of the time.
    assert sum("#Predict-first" in row[1] for row in rows) <= minutes / 10
    work = [(begin, end) for (begin, end), row in zip(times, rows, strict=True) if row[0].startswith("**")]
    assert sum(end - begin for begin, end in work) >= minutes / 2
    assert min(end - begin for begin, end in work) >= 6


def test_every_exercise_refutes_a_misreading():
    targets = [LINK.search(row[3])[2] for row in rows_of("misreadings.md")]
    assert targets == [f"../../exercises/{number:02d}.ipynb#Predict-first" for number in range(1, 13)]
