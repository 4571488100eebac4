"""The file formats that the terminal accepts: what reads each, and by which options."""

from __future__ import annotations

import os
from argparse import SUPPRESS, Action, ArgumentError, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Format:
    """A file format that the terminal accepts.

    Its module is imported when it is first used, because ``--help`` should not load pandas. There are two ways: files
    that a `recognizer` knows may replace plain text; or an option of its own (`options`) names one file that holds
    everything, or files that do together.

    Parameters
    ----------
    module : str
        The module of this folder that reads it.
    reader : str
        Its public function. With a `recognizer`, it takes references, systems and `accept`; what else it takes are
        `source`, `documents` and `domains`, or if `names_documents` what `shares` says.
    name : str
        The name of its files in error messages.
    help : str
        Their name in the help of ``--reference``.
    recognizer : str
        The function of the module that tells whether the file of a path is in this format.
    begins : str
        The first character of its files, if they have one: other files are known without the module.
    names_documents : bool
        Whether the files name their documents, so that ``--documents`` is not needed.
    names_systems : bool
        Whether they name their systems, too, so that ``NAME=`` is not needed.
    takes_text_outputs : bool
        Whether outputs may be plain text where the references are in this format.
    has_scores : bool
        Whether the files may have columns of scores.
    options : mapping of str to mapping
        Options with their arguments for argparse. The first option takes the file. The others are allowed only with it.
    reads_options : str
        The function of the module that is called with what `options` say: the file, `accept`, and the others as
        keywords of their own names, unless `shares` has another.
    shares : mapping of str to str
        Options that others have, too, with the keywords that they are passed as; and own options with other keywords.
    taker : str
        The function of the module that takes files without any option: it returns what the first option would have
        been given, or None where the files are not in this format.
    """

    module: str
    reader: str
    name: str = ""
    help: str = ""
    recognizer: str = ""
    begins: str = ""
    names_documents: bool = False
    names_systems: bool = False
    takes_text_outputs: bool = False
    has_scores: bool = False
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    reads_options: str = "read_for_terminal"
    shares: Mapping[str, str] = field(default_factory=dict)
    taker: str = ""

    def function(self, name: str) -> Callable[..., Any]:
        """Import a function of the module."""
        return getattr(import_module(f"mtworkbench.outputs.{self.module}"), name)

    def recognizes(self, path: str) -> bool:
        """Tell whether a file is in this format."""
        return bool(self.recognizer) and self._may_be(path) and bool(self.function(self.recognizer)(path))

    def take(self, files: Sequence[str]) -> Any:
        """Return what the first option would have been given for files without any option; else None."""
        may_be = files and self.taker and all(os.path.isdir(one) or self._may_be(one) for one in files)
        return self.function(self.taker)(files) if may_be else None

    def _may_be(self, path: str) -> bool:
        from mtworkbench.outputs.files.bytes import peek

        return not self.begins or peek(path).lstrip()[:1] in ("", self.begins)


def named_columns(text: str) -> dict[str, str]:
    """Take NAME=COLUMN,NAME=COLUMN apart."""
    pairs = [pair.partition("=") for pair in text.split(",")]
    if not all(name and column for name, _, column in pairs):
        raise ArgumentTypeError(f"{text!r} should be NAME=COLUMN,..., such as system=model,segment=sample_id")
    columns = {name.strip(): column for name, _, column in pairs}
    if len(columns) < len(pairs):
        raise ArgumentTypeError(f"{text!r} gives two columns for one name: name each once")
    return columns


class AddColumns(Action):
    """What the columns of tables are called, however often it is said."""

    def __call__(
        self, parser: ArgumentParser, namespace: Namespace, values: Any, option_string: str | None = None
    ) -> None:
        """Add names, each of which stands for one column."""
        named = dict(getattr(namespace, self.dest) or {})
        for name, column in (pair for one in values for pair in one.items()):
            if named.setdefault(name, column) != column:
                raise ArgumentError(self, f"{name!r} is both {named[name]!r} and {column!r}: name one column")
        setattr(namespace, self.dest, named)


FORMATS = (
    Format("text", "read_outputs", "plain text", "plain text"),
    Format(
        "sgml",
        "read_sgml",
        "SGML",
        "NIST's SGML",
        recognizer="is_sgml",
        begins="<",
        names_documents=True,
        names_systems=True,
        shares={"source": "source", "systems": "chosen"},
    ),
    Format(
        "wmt_jsonl",
        "read_wmt_jsonl",
        "JSON lines of WMT",
        "WMT's JSONL",
        recognizer="is_wmt_jsonl",
        begins="{",
        names_documents=True,
        takes_text_outputs=True,
        shares={"language_pair": "language_pair", "use_reference": "references", "systems": "chosen"},
    ),
    Format(
        "lm_eval",
        "read_lm_eval",
        "samples of lm-evaluation-harness",
        has_scores=True,
        options={
            "lm_eval": {
                "nargs": "+",
                "action": "extend",
                "metavar": "FILE",
                "help": SUPPRESS,  # such files need no option
            },
        },
        shares={"metric": "metric", "systems": "systems"},
        begins="{",
        taker="find_samples",
    ),
    Format(
        "wmt_xml",
        "read_wmt_xml",
        "WMT's XML",
        shares={"systems": "systems"},
        options={
            "xml": {
                "metavar": "FILE",
                "help": "in place of --reference and --system: a WMT file with its references and systems",
            },
            "translator": {
                "action": "append",
                "metavar": "NAME",
                "help": "with --xml: use only this reference (repeatable; default: all)",
            },
            "no_test_suites": {"action": "store_true", "help": "with --xml: leave out documents of test suites"},
        },
        begins="<",
        taker="find_wmt_xml",
    ),
    Format(
        "table",
        "read_table",
        "a table",
        has_scores=True,
        shares={"systems": "systems"},
        options={
            "table": {
                "metavar": "FILE",
                "help": "in place of --reference and --system: a table (.tsv, .csv, .jsonl, .parquet) with a row per "
                "system and segment: system, hypothesis, reference, or scores alone; see read_table",
            },
            "table_systems": {
                "nargs": "+",
                "action": "extend",
                "metavar": "NAME",
                "help": "with --table: the table has one row per segment; these columns hold the outputs of the "
                "systems, or their scores",
            },
            "columns": {
                "type": named_columns,
                "nargs": "+",
                "action": AddColumns,
                "metavar": "NAME=COLUMN,...",
                "help": "with --table, or --scores of a table: what its columns are called, such as "
                "system=model,segment=sample_id,run=epoch",
            },
        },
        taker="find_table",
    ),
    Format(
        "mt_metrics_eval",
        "read_mt_metrics_eval",
        has_scores=True,
        shares={"systems": "systems", "use_reference": "references"},
        reads_options="read_mt_metrics_eval",
        options={
            "mt_metrics_eval": {
                "metavar": "FOLDER",
                "help": "in place of --reference and --system: a test set of mt-metrics-eval, with its scores",
            },
            "language_pair": {
                "metavar": "PAIR",
                "help": "the language pair, such as en-de; with --mt-metrics-eval, JSON lines of WMT or human ratings, "
                "needed only if there are several",
            },
            "use_reference": {
                "action": "append",
                "metavar": "NAME",
                "help": "with --mt-metrics-eval or JSON lines of WMT: use only this reference, such as refA "
                "(repeatable; default: all)",
            },
        },
    ),
)
