"""A form for the main job: choose files, see what was recognized, compare, and take the code along."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import ipywidgets
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from mtworkbench.analyses.doubts import can_be_examined, compare_texts, examine_comparison
from mtworkbench.characters import printable
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import Comparison, compare
from mtworkbench.metrics.columns import refuse_computed, score_columns
from mtworkbench.outputs.checks.frames import KNOWN_DOCUMENTS
from mtworkbench.outputs.checks.report import ACCEPTABLE
from mtworkbench.outputs.files.folders import name_files, put_files_for_folders
from mtworkbench.outputs.files.naming import name_runs, say_by_what, why_no_runs
from mtworkbench.outputs.files.read_as import describe_read
from mtworkbench.outputs.repairs import repair_outputs
from mtworkbench.outputs.roles import ONE_FILE
from mtworkbench.outputs.scores.add import add_scores
from mtworkbench.outputs.scores.read import group_scores, read_scores
from mtworkbench.outputs.text import read_outputs
from mtworkbench.plots import draw_comparison
from mtworkbench.plots.style import style
from mtworkbench.plots.words import describe_figure
from mtworkbench.progress import show_progress
from mtworkbench.reports.report import make_report, write_as
from mtworkbench.resampling import RngLike
from mtworkbench.shipped import LAB_VARIABLE
from mtworkbench.shown import look
from mtworkbench.statistics.segment_statistics import SegmentStatistics, compute_statistics
from mtworkbench.tables.html import paragraph, show_html
from mtworkbench.widgets.controls import Button, Menu, Switch, choose_seed
from mtworkbench.widgets.explorer import ROW
from mtworkbench.widgets.figures import make_picture, write_image
from mtworkbench.widgets.following import Worker
from mtworkbench.widgets.screen import Screen
from mtworkbench.widgets.start.code import CodeView, alone, write_comparing, write_reading
from mtworkbench.widgets.start.files import FileBrowser
from mtworkbench.wording import name_some, tally
from mtworkbench.words.sentences_on_units import say_recognized

#: The metrics that are offered for texts; the first one is chosen.
METRICS = {"BLEU": "bleu", "chrF": "chrf", "TER": "ter"}
ALL_PAIRS = "none: all pairs"
CHOOSE = "Choose the reference and the outputs of two systems or more, then press “read”."
COPY = "A form to choose files, to compare systems and to copy the code of it: run this cell."
CHANGED = (
    "Other files are chosen now than were read: press “read” to read these. What is pale belongs to the files that "
    "were read."
)
ONE_SYSTEM = "A comparison needs at least two systems: choose the output of another one, and press “read” again."
# What the form asks for where no file has a role.
_TO_CHOOSE = {
    "reference": "set “take as” to “reference” beside at least one file",
    "output": "set “take as” to “output” beside at least two files",
}
# What a sentence advises to accept.
_NAMED = re.compile(r"accept(?: |=\[)'([a-z-]+)'")
_IMPORT = "import mtworkbench as mtw\n\n"


class StartForm(Worker):
    """A form that reads files, compares systems, and shows the code of what it did.

    Parameters
    ----------
    folder : path
        Above it, nothing is shown or read.
    rng : int, numpy.random.Generator or None
        Of all comparisons.

    Attributes
    ----------
    files : FileBrowser
    controls : dict of str to ipywidgets.Widget
        ``read``, ``accept`` and ``compare`` are buttons, ``baseline`` is a menu, each metric is a switch.
    outputs : DataFrame or None
        What was read.
    statistics : list of SegmentStatistics
        Those of the metrics that were compared.
    comparison : Comparison or None
    figure : matplotlib Figure or None
    code : str
        The Python code of what is shown.
    """

    def __init__(self, folder: str | os.PathLike[str], rng: RngLike = None):
        super().__init__()
        self._seed = choose_seed(rng)
        self._reading, self._result = self._screen, Screen()
        self._reading.sentence = CHOOSE
        self.files = FileBrowser(folder)
        self._view = CodeView(self.save_report)
        self.controls: dict[str, ipywidgets.Widget] = {
            "read": Button("read", self.read, tooltip="read the chosen files and check them"),
            "accept": Button("accept", self._accept_fault),
            "baseline": Menu("baseline", [(ALL_PAIRS, None)], None),
            **{name: Switch(name, name == next(iter(METRICS))) for name in METRICS},
            "compare": Button("compare", self.compare, tooltip="compare the systems by the metrics that are pressed"),
        }
        for name in ("read", "compare"):
            self.controls[name].add_class("mtworkbench-primary")
        self._columns: dict[str, Switch] = {}
        self._reading_row, self._comparing_row = (
            ipywidgets.Box([], layout=ipywidgets.Layout(**ROW, grid_gap="0 14px")) for _ in range(2)
        )
        # Which files were read last, and the faults of theirs that were accepted.
        self._chosen: dict[str, str] = {}
        self._accepted: list[str] = []
        self.outputs: pd.DataFrame | None = None
        self._found = ipywidgets.VBox([self._comparing_row, self._result, self._view])
        self._forget()
        self._box = ipywidgets.VBox(
            [self.files, self._reading_row, self._reading, self._found, self._complaints],
        )
        self._box.add_class("mtworkbench-form")
        self.files.observe(self._follow_choice, "taken")

    @property
    def code(self) -> str:
        """The Python code of what is shown: it reads the files and, once these were compared, compares them again."""
        return self._view.code

    def read(self) -> None:
        """Read the chosen files; what is wrong with them is shown."""
        if self._chosen != self.files.chosen:
            self._chosen, self._accepted = self.files.chosen, []
        self._forget()
        self._begin(self._reading, self._read, self._forget)

    def compare(self) -> None:
        """Compare the systems that were read by the chosen metrics; nothing happens while other files are chosen."""
        if not self._is_outdated:  # the page says so already, and to choose the old files again brings the result back
            self._begin(self._result, self._compare, self._forget_comparison)

    def save_report(self) -> None:
        """Let the page save the comparison as a report, as `write_report` writes it."""
        self._begin(self._result, self._send_report, lambda: None)

    def _begin(self, screen: Screen, work: Callable[[], None], undo: Callable[[], None]) -> None:
        self._screen, self._undo = screen, undo
        self._do(work, self._dim)

    @property
    def _is_outdated(self) -> bool:
        """Whether other files are chosen than those that were read."""
        return self.outputs is not None and self.files.chosen != self._chosen

    def _follow_choice(self, _: object) -> None:
        """Make pale what belongs to other files than are chosen; choosing these again brings it back."""
        if self.outputs is not None:
            self._say_read()

    def _say_read(self) -> None:
        """Say what was read, or that other files are chosen now."""
        is_outdated = self._is_outdated
        self._reading.sentence, self._reading.html = (CHANGED, "") if is_outdated else self._said
        self.controls["compare"].disabled = is_outdated
        (self._found.add_class if is_outdated else self._found.remove_class)("mtworkbench-outdated")

    def _forget(self) -> None:
        """Take back what was read and found."""
        self.outputs, self._code, self._fault = None, "", ""
        self._said, self._noticed = (CHOOSE, ""), list[DataWarning]()
        self._by_metric: dict[str, tuple[SegmentStatistics, list[DataWarning]]] = {}
        self._forget_comparison()
        self._say_read()
        self._arrange()

    def _forget_comparison(self) -> None:
        self.statistics: list[SegmentStatistics] = []
        self.comparison: Comparison | None = None
        self.figure: Figure | None = None
        self._noticed_later: list[DataWarning] = []
        self._result.sentence, self._result.html = "", ""
        self._view.code, self._view.has_report = _IMPORT + self._code if self._code else "", False

    def _arrange(self) -> None:
        """Show the controls that can be used now."""
        controls = self.controls
        self._reading_row.children = [controls["read"], *([controls["accept"]] if self._fault else [])]
        comparing = [
            controls["baseline"],
            *(controls[name] for name in METRICS),
            *self._columns.values(),
            controls["compare"],
        ]
        can_compare = self.outputs is not None and self.outputs["system"].nunique() > 1
        self._comparing_row.children = comparing if can_compare else []

    def _read(self) -> None:
        references, systems, labels, scores, said = self._find_files()
        with _noticing() as noticed:
            outputs = read_outputs(alone(references), systems, **labels, accept=self._accepted)
            for files in scores:
                found = read_scores(alone(files), accept=self._accepted)
                refuse_computed(score_columns(found), files[0], "rename this column")
                outputs = add_scores(outputs, found, accept=self._accepted)
        self._code = write_reading(references, systems, labels, scores, self._accepted)
        self.outputs, self._noticed = outputs, noticed
        runs = {name: int(own) for name, own in outputs.groupby("system", sort=False)["run"].nunique().items()}
        n_documents = outputs["document"].nunique() if "document" in outputs else None
        files = [file for own in systems.values() for file in own]
        runs_by = say_by_what(files) if name_runs(files) is not None else ""
        read = describe_read(runs, n_documents, outputs["segment"].nunique(), named=True, runs_by=runs_by)
        self._offer(list(runs), score_columns(outputs))
        self._forget_comparison()
        self._arrange()
        known = outputs[KNOWN_DOCUMENTS].iloc[0] if KNOWN_DOCUMENTS in outputs else None
        recognized = [] if known is None else [say_recognized(known)]
        lacking = [ONE_SYSTEM] if len(runs) == 1 else []
        self._said = printable(" ".join([read, *recognized, *said, *lacking])), _show_noticed(noticed)
        self._say_read()

    def _find_files(
        self,
    ) -> tuple[list[str], dict[str, list[str]], dict[str, str], list[list[str]], list[str]]:
        """Return references, the files of each system, labels, files of scores, and what is to be said of their choice.

        Systems and runs are named as on the command line.
        """
        references, given = self.files.of_role("reference"), self.files.of_role("output")
        if not references or not given:
            lacking = [what for what, own in (("reference", references), ("output", given)) if not own]
            raise InputError(
                "no-files",
                f"No {name_some(lacking, 'and no')} is chosen: {', and '.join(_TO_CHOOSE[what] for what in lacking)}.",
            )
        labels = {role: path for role in ONE_FILE for path in self.files.of_role(role)}
        for folder in filter(os.path.isdir, given):
            self.files.check_links(folder)
        found, said = put_files_for_folders(given, [*references, *labels.values()])
        outputs = [_shorten(self.files, file) for file in dict.fromkeys(found)]
        systems = name_files(outputs)
        taken = [said] if said else []
        if name_runs(outputs) is None and (reason := why_no_runs(outputs)) is not None:
            taken.append(
                "The files are compared as systems, although some have numbers of runs in their names, because "
                f"{reason}."
            )
        scores = [
            [_shorten(self.files, file) for file in files]
            for _, files in group_scores((None, path) for path in self.files.of_role("scores"))
        ]
        shortened = {role: _shorten(self.files, path) for role, path in labels.items()}
        return [_shorten(self.files, path) for path in references], systems, shortened, scores, taken

    def _offer(self, systems: Sequence[str], columns: Sequence[str]) -> None:
        """Offer systems and scores that were read; what was chosen before stays if it is there."""
        baseline: Menu = self.controls["baseline"]
        before = baseline.value if baseline.value in systems else systems[0]
        baseline.offer([*((printable(one), one) for one in systems), (ALL_PAIRS, None)], before)
        self._columns = {name: self._columns.get(name) or Switch(name, True) for name in columns}

    def _compare(self) -> None:
        if self.outputs is None:
            raise InputError("no-files", "No files have been read yet: press “read” first.")
        chosen = [metric for name, metric in METRICS.items() if self.controls[name].value]
        chosen += [name for name, switch in self._columns.items() if switch.value]
        if not chosen:
            raise InputError("no-metric", "No metric is chosen: press at least one, such as BLEU.")
        baseline = self.controls["baseline"].value
        for metric in chosen:
            if metric not in self._by_metric:
                with _noticing() as noticed:
                    own = compute_statistics(self.outputs, metric, progress=show_progress(metric))
                self._by_metric[metric] = own, noticed
        statistics = [self._by_metric[metric][0] for metric in chosen]
        with _noticing() as noticed:
            comparison = compare(statistics, baseline, rng=self._seed, progress=show_progress("comparison"))
        comparison = self._examine(comparison, chosen, baseline)
        noticed = self._choose_new([*(one for metric in chosen for one in self._by_metric[metric][1]), *noticed])
        with style():
            figure = draw_comparison(comparison)
        image = write_image(make_picture(figure, describe_figure(figure)))
        plt.close(figure)  # or the next cell would show it
        self.statistics, self.comparison, self.figure = statistics, comparison, figure
        self._noticed_later = noticed
        against = "each other" if baseline is None else baseline
        named = name_some(list(comparison.metrics), most=10)
        n_systems = tally(len(statistics[0]), "system")
        with self._result.hold_sync():
            self._result.sentence = printable(f"{n_systems} compared with {against} by {named}.")
            said = {doubt.code for doubt in comparison.doubts}  # which the comparison says itself
            unsaid = [one for one in noticed if one.code not in said]
            self._result.html = _show_noticed(unsaid) + comparison._repr_html_() + image
        has_changes = any(map(can_be_examined, comparison.doubts))
        self._view.code = f"{_IMPORT}{self._code}\n{write_comparing(chosen, baseline, self._seed, has_changes)}"
        self._view.has_report = True

    def _examine(self, comparison: Comparison, metrics: Sequence[str], baseline: str | None) -> Comparison:
        """Say what would be found without what seems wrong with the data, as the command line does."""

        def repeat(code: str) -> Comparison:
            progress = show_progress(f"comparison with {code} repaired")
            options: Any = {"rng": comparison.settings.random_key, "progress": progress}
            return compare_texts(repair_outputs(self.outputs, code), metrics, baseline, options)

        return cast(Comparison, examine_comparison(comparison, repeat))

    def _choose_new(self, noticed: Sequence[DataWarning]) -> list[DataWarning]:
        """Return each warning once, without those that were shown below what was read."""
        known = set(map(str, self._noticed))
        return list({str(one): one for one in noticed if str(one) not in known}.values())

    def _accept_fault(self) -> None:
        self._accepted.append(self._fault)
        self.read()

    def _dim(self) -> None:
        self._screen.waiting = True

    def _go_back(self) -> None:
        self._undo()

    def _refuse(self, sentence: str, code: str = "") -> None:
        if self._view.has_report:  # of all work, only the report leaves the comparison where it was
            self._view.say(sentence)
            return
        self._screen.sentence = sentence
        fault = next(filter(ACCEPTABLE.get, [*_NAMED.findall(sentence), code]), "")
        if self._screen is self._reading and fault and fault not in self._accepted:
            self._fault = fault
            self.controls["accept"].description = f"accept {fault} and read again"
            self.controls["accept"].tooltip = ACCEPTABLE[fault]
            self._arrange()

    def _send_report(self) -> None:
        if self.comparison is not None:
            noticed = [*self._noticed, *self._noticed_later]
            self._view.send_report(write_as(make_report(self.comparison, self.outputs, warnings=noticed), "html"))

    def _make_copy(self) -> tuple[str, str]:
        return show_html(paragraph(COPY)), COPY


def start(folder: str | os.PathLike[str] | None = None, *, rng: RngLike = None) -> StartForm:
    """Open a form to choose files, see what was recognized, compare systems, and copy the code of it.

    The next cell can go on with its ``outputs``, ``statistics`` and ``comparison``. As a page of Voila, the form serves
    people who do not write code.

    Parameters
    ----------
    folder : path, optional
        The folder that the form begins in. It shows and reads nothing above it, nor what symbolic links in it lead to
        outside, so that a page for others shows what is meant for them and no more. The default is the current
        folder; in JupyterLab that ``mtworkbench lab`` opened, the folder of the lab.
    rng : int, numpy.random.Generator or None
        The seed of all comparisons of this form.

    Returns
    -------
    StartForm

    Raises
    ------
    InputError
        ``no-folder`` where there is no such folder, or it cannot be read.

    Examples
    --------
    >>> form = mtw.start("experiments")  # doctest: +SKIP
    >>> form  # doctest: +SKIP
    """
    if folder is None:
        folder = os.environ.get(LAB_VARIABLE) or os.curdir
    if not os.path.isdir(folder):
        raise InputError("no-folder", f"There is no folder {os.fspath(folder)!r}: name one that is there.")
    return StartForm(folder, rng)


def _shorten(browser: FileBrowser, path: str) -> str:
    """Return the path of a file in the browser's folder as code names it: from the current folder where that is near.

    Raises
    ------
    InputError
        Those of `FileBrowser.inside`: a file may have been replaced by a link since it was listed.
    """
    browser.inside(path)
    here = os.path.realpath(os.curdir)
    is_near = os.path.commonpath([here, browser.root]) in (here, browser.root)
    return os.path.relpath(path, here) if is_near else path


@contextmanager
def _noticing() -> Iterator[list[DataWarning]]:
    """Gather what is noticed in the data; other warnings remain."""
    found: list[DataWarning] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield found
    for one in caught:
        if isinstance(one.message, DataWarning):
            found.append(one.message)
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def _show_noticed(noticed: Sequence[DataWarning]) -> str:
    """Return warnings as a notebook shows them, one line each."""
    return "".join(look(one, "html") for one in noticed)
