"""The code of what a form did, to be copied, and a report that the page saves as a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pprint import pformat
from typing import Any

import anywidget
import traitlets

from mtworkbench.widgets.pages import read_script
from mtworkbench.widgets.start.files import LOOKS

#: What the page calls the file of the report.
REPORT = "comparison.html"
# As long as a line of code in a cell of JupyterLab, in characters.
_WIDTH = 88
_ON_CHANGES = (
    "# Would a verdict change without what seems wrong with the data? The result of the form says",
    "# so. In Python, this table does, and `comparison` does not.",
)


class CodeView(anywidget.AnyWidget):
    """Code with a button to copy it, and one that saves a report.

    Parameters
    ----------
    save_report : callable
        Called when the report is asked for; it has to call `send_report`, or `say`.

    Attributes
    ----------
    code : str
    has_report : bool
        Whether there is something to be reported.
    """

    _esm = read_script("start/code.js")
    _css = LOOKS
    code = traitlets.Unicode().tag(sync=True)
    has_report = traitlets.Bool(False).tag(sync=True)

    def __init__(self, save_report: Callable[[], object]):
        super().__init__()
        self._save_report = save_report
        self.on_msg(self._receive)

    def send_report(self, text: str) -> None:
        """Send the report to the page, which saves it: under Voila, the folder of the form is not the reader's."""
        self.send({"text": text, "name": REPORT, "said": f"Saved the report as {REPORT}."})

    def say(self, sentence: str) -> None:
        """Say something below the code."""
        self.send({"text": "", "said": sentence})

    def _receive(self, _: object, message: Any, buffers: object) -> None:
        self._save_report()


def write_reading(
    references: Sequence[str],
    systems: Mapping[str, Sequence[str]],
    labels: Mapping[str, str],
    scores: Sequence[Sequence[str]],
    accept: Sequence[str],
) -> str:
    """Write the calls that read outputs and scores.

    Parameters
    ----------
    references : sequence of str
    systems : mapping of str to sequence of str
        The files of each.
    labels : mapping of str to str
        Such as ``documents``, each with its file.
    scores : sequence of sequence of str
        The files of each call of `read_scores`.
    accept : sequence of str
        The faults that are accepted.
    """
    files = {name: alone(own) for name, own in systems.items()}
    accepted = [f"accept={list(accept)!r}"] if accept else []
    given = [_write(alone(references)), _write(files), *(f"{name}={file!r}" for name, file in labels.items())]
    lines = [f"outputs = mtw.read_outputs({_lay_out([*given, *accepted])})"]
    for own in scores:
        call = f"mtw.read_scores({_lay_out([_write(alone(own)), *accepted])})"
        lines.append(f"outputs = mtw.add_scores({_lay_out(['outputs', call, *accepted])})")
    return "\n".join(lines)


def write_comparing(metrics: Sequence[str], baseline: str | None, seed: int, has_changes: bool) -> str:
    """Write the calls that compare the systems of ``outputs``, and draw what was found.

    Where something that seems wrong with the data can be repaired, another call says whether a verdict changes then.
    """
    options = [*([] if baseline is None else [repr(baseline)]), f"rng={seed}"]
    given = ["statistics", *options]
    examined = ", ".join(["outputs", repr(list(metrics)), *options])
    changes = [*_ON_CHANGES, f"changes = mtw.analyses.examine_doubts({_lay_out([examined])})"] if has_changes else []
    return "\n".join(
        [
            f"statistics = [mtw.compute_statistics(outputs, metric) for metric in {list(metrics)!r}]",
            f"comparison = mtw.compare({', '.join(given)})",
            "figure = mtw.draw_comparison(comparison)",
            *changes,
            "comparison",
        ]
    )


def alone(files: Sequence[str]) -> str | list[str]:
    """Return the only file, or a list."""
    return files[0] if len(files) == 1 else list(files)


def _write(value: object) -> str:
    return pformat(value, width=_WIDTH, sort_dicts=False)


def _lay_out(arguments: Sequence[str]) -> str:
    """Put arguments into one line, or each into lines of its own."""
    line = ", ".join(arguments)
    if "\n" not in line and len(line) <= _WIDTH - 30:
        return line
    inside = "".join(f"{argument},\n" for argument in arguments)
    return "\n" + "".join(f"    {one}\n" for one in inside.splitlines())
