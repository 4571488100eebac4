"""Which reader takes the outputs that were named: plain text, NIST's SGML, or a WMT file."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from mtworkbench.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


def read_named_outputs(options: argparse.Namespace) -> pd.DataFrame:
    """Read the outputs that the options name; segments that some system lacks are left out, and counted."""
    from mtworkbench.outputs import common_segments, read_outputs, read_sgml

    accept = options.accept or ()
    if options.xml:
        return common_segments(_read_xml(options))
    if not is_in_sgml(options):
        return read_outputs(
            options.reference, options.system, source=options.source, documents=options.documents, accept=accept
        )
    if options.documents:
        options.usage_error("--documents has no meaning with SGML files, which name their documents: leave it out")
    unnamed = [files for name, files in options.system if name is None]
    if unnamed and len(unnamed) < len(options.system):
        options.usage_error("some --system have a NAME= and others do not: name all of them, or none")
    return common_segments(
        read_sgml(options.reference, unnamed or options.system, source=options.source, accept=accept)
    )


def is_in_sgml(options: argparse.Namespace) -> bool:
    """Tell by their content whether the named references, outputs and source are SGML.

    Raises
    ------
    InputError
        ``mixed-formats`` where some are and others are not.
    """
    from mtworkbench.outputs.files import find_files
    from mtworkbench.outputs.sgml_markup import is_sgml

    files = find_files(options.reference, "The reference")
    for name, named in options.system:
        files += find_files(named, "The systems" if name is None else f"System {name!r}")
    if options.source is not None:
        files.append(options.source)
    kinds = {file: is_sgml(file) for file in files}
    if len(set(kinds.values())) == 1:
        return kinds[files[0]]
    marked = next(file for file, is_marked in kinds.items() if is_marked)
    text = next(file for file, is_marked in kinds.items() if not is_marked)
    raise InputError(
        "mixed-formats",
        f"{marked!r} is SGML, but {text!r} is plain text: references, systems and source in one format were expected.",
        path=text,
    )


def _read_xml(options: argparse.Namespace) -> pd.DataFrame:
    from mtworkbench.outputs import read_wmt_xml

    outputs = read_wmt_xml(options.xml, references=options.translator, accept=options.accept or ())
    if not options.no_test_suites or "testsuite" not in outputs.columns:
        return outputs
    kept = outputs[outputs["testsuite"] == ""].reset_index(drop=True)
    if not len(kept):
        raise InputError("no-segments", f"{options.xml!r} holds nothing but test suites.", path=options.xml)
    return kept


def check_xml(options: argparse.Namespace) -> None:
    """Refuse options that do not go with a WMT file, or that go with nothing else."""
    if options.xml:
        other = [name for name in ("reference", "system", "source", "documents") if getattr(options, name)]
        if other:
            options.usage_error(f"--xml holds references, systems and documents: leave --{other[0]} out")
    elif options.translator or options.no_test_suites:
        name = "translator" if options.translator else "no-test-suites"
        options.usage_error(f"--{name} has a meaning for --xml alone")
