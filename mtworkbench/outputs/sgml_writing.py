"""Outputs as NIST's SGML files, for older programs such as mteval."""

from __future__ import annotations

import os
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks import check_outputs, is_reference
from mtworkbench.writing import make_folder, name_for_file, replace_file


def write_sgml(
    outputs: pd.DataFrame, folder: str | os.PathLike[str], *, languages: tuple[str, str] = ("any", "any")
) -> list[Path]:
    """Write outputs as NIST's SGML, which `read_sgml` and mteval read.

    Parameters
    ----------
    outputs : DataFrame
        One row per (system, run, segment), as `read_outputs` returns it. Without documents all segments are one.
    folder : path
        Made where it is missing; files of the same names are replaced.
    languages : tuple of str
        Of the source and of the translations, as mteval wants to be told them.

    Returns
    -------
    list of Path
        ``ref.sgm`` with all references, ``src.sgm`` where there is a source, and ``SYSTEM.sgm`` for each system, or
        ``SYSTEM.run1.sgm`` ... for its several runs, made fit for file names by
        `name_for_file`.

    Raises
    ------
    InputError
        ``null-segment`` where a reference or hypothesis is missing, ``duplicate-file`` where two systems' files would
        have one name, ``cannot-write``, and those of `check_outputs`.
    """
    check_outputs(outputs)
    runs = [(system, run, rows) for (system, run), rows in outputs.groupby(["system", "run"], sort=False)]
    first = runs[0][2]
    references = [name for name in outputs.columns if is_reference(name)]
    contents = {"ref": _write_set("refset", first, {f"ref{n}": c for n, c in enumerate(references, 1)}, languages)}
    if "source" in outputs.columns:
        contents["src"] = _write_set("srcset", first, {"": "source"}, languages)
    counts = outputs.groupby("system", sort=False)["run"].max()
    for system, run, rows in runs:
        stem = name_for_file(system) + (f".run{run}" if counts[system] > 1 else "")
        if stem in contents:
            raise InputError(
                "duplicate-file",
                f"The outputs of system {system!r} would be written to '{stem}.sgm', which holds something else: give "
                "the systems other names.",
            )
        contents[stem] = _write_set("tstset", rows, {system: "hypothesis"}, languages)
    make_folder(folder)
    paths = [Path(folder) / f"{stem}.sgm" for stem in contents]
    for path, content in zip(paths, contents.values(), strict=True):
        replace_file(path, content)
    return paths


def _write_set(kind: str, rows: pd.DataFrame, columns: dict[str, str], languages: tuple[str, str]) -> str:
    """Write one set, with the renderings in these columns, by who made them."""
    source, target = map(quoteattr, languages)
    translated = f" trglang={target}" if kind != "srcset" else ""
    lines = [f'<{kind} setid="mtworkbench" srclang={source}{translated}>']
    documents = rows["document"] if "document" in rows.columns else pd.Series("doc1", index=rows.index)
    for who, column in columns.items():
        by = f" sysid={quoteattr(who)}" if who else ""
        for document, part in rows.groupby(documents, sort=False):
            lines.append(f"<doc docid={quoteattr(str(document))}{by}>")
            for number, text in enumerate(part[column], start=1):
                if not isinstance(text, str):
                    segment = part["segment"].iloc[number - 1]
                    raise InputError("null-segment", f"Segment {segment} has no {column}: SGML has no mark for that.")
                lines.append(f'<seg id="{number}">{escape(text)}</seg>')
            lines.append("</doc>")
    return "\n".join([*lines, f"</{kind}>"]) + "\n"
