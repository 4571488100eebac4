"""Files in, one tidy frame of system outputs out: one module a format, the same columns and checks for all.

Python (``mtworkbench.read_...``) and the terminal know a format by its entry in `FORMATS`, and from nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the types of the readers, which mtworkbench/__init__.pyi hands on
    from mtworkbench.outputs.mt_metrics_eval import read_mt_metrics_eval as read_mt_metrics_eval
    from mtworkbench.outputs.nbest import read_nbest as read_nbest
    from mtworkbench.outputs.sgml import read_sgml as read_sgml
    from mtworkbench.outputs.table import read_table as read_table
    from mtworkbench.outputs.text import read_outputs as read_outputs
    from mtworkbench.outputs.wmt_xml import read_wmt_xml as read_wmt_xml

__all__ = [
    "read_mt_metrics_eval",
    "read_nbest",
    "read_outputs",
    "read_sgml",
    "read_table",
    "read_wmt_xml",
]


@dataclass(frozen=True)
class Format:
    """A format of files; its module is imported when it is used, for the help of a command needs no pandas.

    The terminal reads a format in one of two ways, if at all: files of a known kind may be given wherever plain text
    may (`recognizer`), or one file that holds everything is given in an option of its own (`options`).

    Parameters
    ----------
    module : str
        The module here that reads it.
    reader : str
        Its public function; where there is a `recognizer`, it takes what `read_outputs` takes.
    name, help : str
        What messages and the help of ``--reference`` call its files.
    recognizer : str
        The function of the module that tells whether the file of a path is in this format.
    names_documents : bool
        Whether its files name their systems and documents, so that nobody else need do it.
    options : mapping of str to mapping
        Options with their arguments for argparse. The first takes the file; the others, which go with it alone, are
        given to the module's ``read_for_terminal(file, *, accept, ...)`` by their names.
    """

    module: str
    reader: str
    name: str = ""
    help: str = ""
    recognizer: str = ""
    names_documents: bool = False
    options: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    def function(self, name: str) -> Callable[..., object]:
        """Import a function of the module."""
        return getattr(import_module(f"{__name__}.{self.module}"), name)

    def recognizes(self, path: str) -> bool:
        """Tell whether a file is in this format."""
        return bool(self.recognizer) and self.function(self.recognizer)(path)


FORMATS = (
    Format("text", "read_outputs", "plain text", "plain text"),
    Format("sgml", "read_sgml", "SGML", "NIST's SGML", recognizer="is_sgml", names_documents=True),
    Format(
        "wmt_xml",
        "read_wmt_xml",
        options={
            "xml": {"metavar": "FILE", "help": "instead: a WMT file with its references and systems"},
            "translator": {
                "action": "append",
                "metavar": "NAME",
                "help": "with --xml: use only this reference (repeatable; default: all)",
            },
            "no_test_suites": {"action": "store_true", "help": "with --xml: leave out documents of test suites"},
        },
    ),
    Format("table", "read_table"),
    Format("mt_metrics_eval", "read_mt_metrics_eval"),
    Format("nbest", "read_nbest"),
)


def __getattr__(name: str) -> Callable[..., object]:
    """Import a reader from its module when it is first used."""
    for one in FORMATS:
        if one.reader == name:
            return one.function(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
