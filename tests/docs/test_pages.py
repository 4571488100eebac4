"""The examples of the documentation run, and print what the pages say.

A fence ``bash`` has commands (each line that begins with ``mtworkbench``), a fence ``python`` a program, and a fence
``text`` directly after one of them what it prints; a line ``...`` there stands for any lines. The fences of a page run
one after another in one folder, and its programs share their names. A fence ``sh`` is shown, and does not run.
"""

import ast
import re
import shlex
import webbrowser
from pathlib import Path
from textwrap import dedent

import pytest

from mtworkbench import cli

from ..layouts.shell import as_shell
from .folder import make_folder

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^( *)```(bash|python|text)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
#: What a script asks for with these may be the exit status 1.
ASKED = {"--fail-if", "--strict", "verify"}


def fences_of(text: str) -> list[tuple[str, str, str | None]]:
    """Return the fences that run: language, content, and what it prints if the page says so."""
    found, end = [], None
    for fence in FENCE.finditer(text):
        language, content = fence[2], dedent(fence[3])
        if language != "text":
            found.append((language, content, None))
        elif end is not None and not text[end : fence.start()].strip():
            found[-1] = (*found[-1][:2], content)
        end = fence.end() if language != "text" else None
    return found


PAGES = [
    path
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if fences_of(path.read_text(encoding="utf-8"))
]


def commands_of(content: str) -> list[str]:
    """Return the commands of a fence."""
    return [line for line in content.replace("\\\n", " ").splitlines() if line.startswith("mtworkbench ")]


def run_command(line: str) -> None:
    """Run a command as a shell does; its output may go into a file."""
    words = list(as_shell(line))[1:]
    if "#" in words:
        words = words[: words.index("#")]
    assert words[0] != "lab", "mtworkbench lab opens JupyterLab: show it in a fence ```sh"
    assert not {"|", "&&", ";", ">"} & {*words}, f"not one command: {line}"
    assert cli.main(words) in ([0, 1] if ASKED & {*words} else [0]), line


def run_program(content: str, names: dict[str, object]) -> None:
    """Run a program; if it ends in an expression, print its value, as a console does."""
    tree = ast.parse(content)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<page>", "exec"), names)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), "<page>", "eval"), names)
        if value is not None:
            print(repr(value))


def is_said(page: str, printed: str) -> bool:
    """Return whether a page says what is printed; its lines ``...`` stand for any lines."""
    lines = [line.rstrip() for line in page.rstrip().splitlines()]
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in lines)
    text = "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").splitlines())
    return re.fullmatch(pattern, text) is not None


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")  # what is noticed in data is a note to the reader
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_examples_of_a_page_run_and_print_what_it_says(page, tmp_path, monkeypatch, capsys, own_figures):
    make_folder(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(webbrowser, "open", lambda *_, **__: True)
    names: dict[str, object] = {"__name__": "__main__"}
    for language, content, said in fences_of(page.read_text(encoding="utf-8")):
        if language == "bash":
            commands = commands_of(content)
            assert commands, f"nothing is run of\n\n{content}\nShow it in a fence ```sh."
            for line in commands:
                run_command(line)
        else:
            run_program(content, names)
        out, err = capsys.readouterr()
        if said is not None and not is_said(said, out):  # a page may show the notes on standard error, too
            assert is_said(said, err + out), f"{content}\nprints\n\n{err}{out}\nand the page says\n\n{said}"


def test_what_is_read_of_a_page():
    page = "A\n```bash\nmtworkbench a \\\n  b\n# c\n```\n\n```text\nx\n...\n```\n\n```sh\nno\n```\n```text\nfree\n```\n"
    assert fences_of(page) == [("bash", "mtworkbench a \\\n  b\n# c\n", "x\n...\n")]
    assert [shlex.split(line) for line in commands_of(fences_of(page)[0][1])] == [["mtworkbench", "a", "b"]]
    assert fences_of(" 1. A\n    ```python\n    1\n    ```\n    and\n    ```text\n    1\n    ```\n") == [
        ("python", "1\n", None)
    ]


@pytest.mark.parametrize(
    ("said", "printed", "agrees"),
    [
        ("a\nb", "a\nb\n", True),
        ("a\n...\nd", "a\nb\nc\nd\n", True),
        ("a\n...", "a\n", True),
        ("a\n...\nd", "a\nb\n", False),
        ("a.", "ab\n", False),
        ("a", "a\nb\n", False),
    ],
)
def test_lines_of_dots_stand_for_any_lines(said, printed, agrees):
    assert is_said(said, printed) is agrees
