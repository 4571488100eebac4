"""NIST's SGML, and the XML that followed it: source, reference and system sets of documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.by_document import align, by_document
from mtworkbench.outputs.corpus import make_frame
from mtworkbench.outputs.files import Path, find_files
from mtworkbench.outputs.renderings import REFERENCE, SOURCE, SYSTEM, Rendering
from mtworkbench.outputs.report import Report, excerpt, shown
from mtworkbench.outputs.sgml_markup import parse_sgml
from mtworkbench.outputs.systems import collect_systems, flatten


def read_sgml(
    reference: Path | Sequence[Path],
    systems: Path | Sequence[Path] | Mapping[str, Path | Sequence[Path]] | Iterable[tuple[str, Path | Sequence[Path]]],
    *,
    source: Path | None = None,
    accept: Collection[str] = (),
) -> pd.DataFrame:
    """Read NIST's SGML files: ``<refset>``, ``<tstset>``, ``<srcset>`` with ``<doc>`` and ``<seg>``.

    Real files are read as they are: tags in any case, one segment a line or not, raw ampersands, no ids. Segments are
    aligned by document and id, whatever the order of the documents. Entities are decoded once; white space around a
    segment is not part of it, and line breaks inside it are spaces.

    Parameters
    ----------
    reference : path, or list of paths
        Files with reference sets. Each reference of each file (``sysid`` or ``refid``) is one of the references, in the
        order of the files.
    systems : mapping of str to path or list of paths; pairs of these; or a path or list of paths
        Named: each file holds one run of the system, whatever its ``sysid`` says. Unnamed: each ``sysid`` is a system.
        The same file may hold references and systems.
    source : path, optional
        File with the source set.
    accept : collection of str, default ()
        Faults that have been looked at and are accepted; see `read_outputs`. ``"incomplete-system"`` marks what a
        system has not translated as missing (None): see `common_segments`.

    Returns
    -------
    DataFrame
        As of `read_outputs`, in the order of the documents of the references, with ``document``, ``segment_id`` and,
        where documents have a genre, ``domain``. A reference that does not exist for a segment is None.

    Raises
    ------
    InputError
        ``sgml`` for markup that does not fit, ``duplicate-id``, ``duplicate-doc``, ``duplicate-system``,
        ``missing-docs``, ``incomplete-system``, ``two-ref-langs``, ``xml-forbidden`` for entities of the file's own,
        and those of `read_outputs`.

    Warns
    -----
    DataWarning
        For what was noticed.

    Examples
    --------
    >>> outputs = read_sgml("ref.sgm", {"base": "base.sgm", "new": "new.sgm"}, source="src.sgm")  # doctest: +SKIP
    """
    report = Report(accept)
    cache: dict[str, list[Rendering]] = {}

    def read(path: str, role: str) -> list[Rendering]:
        if path not in cache:
            cache[path] = parse_sgml(path, report)
        return _of_role(cache[path], role, path)

    references = _references([read(path, REFERENCE) for path in find_files(reference, "The reference")])
    runs = _systems(systems, read)
    sources = None
    if source is not None:
        sources = by_document(one for path in find_files(source, "The source") for one in read(path, SOURCE))
    order = [document for one in [*references, sources or {}] for document in one]
    outputs = make_frame(align(order, references, runs, sources, report, missing="missing-docs"), report)
    report.warn()
    return outputs


def _of_role(renderings: Sequence[Rendering], role: str, path: str) -> list[Rendering]:
    found = [one for one in renderings if one.role == role]
    if not found:
        there = ", ".join(dict.fromkeys(one.role for one in renderings))
        raise InputError(
            "sgml",
            f"{shown(path)} holds no {role} documents" + (f", only those of a {there}." if there else "."),
            path=path,
        )
    return found


def _by_name(renderings: Iterable[Rendering]) -> dict[str, list[Rendering]]:
    found: dict[str, list[Rendering]] = {}
    for one in renderings:
        found.setdefault(one.name, []).append(one)
    return found


def _references(files: Sequence[Sequence[Rendering]]) -> list[dict[str, Rendering]]:
    languages: dict[str, Rendering] = {}
    for one in (one for file in files for one in file):
        languages.setdefault(one.labels["language"].lower(), one)
    languages.pop("", None)
    if len(languages) > 1:
        first, second = list(languages.values())[:2]
        raise InputError(
            "two-ref-langs",
            f"{shown(second.path)}, line {second.line:,}: this reference is in {excerpt(second.labels['language'])}, "
            f"but that of {shown(first.path)}, line {first.line:,}, in {excerpt(first.labels['language'])}: references "
            "in one language were expected.",
            path=second.path,
            line=second.line,
        )
    return [by_document(several) for file in files for several in _by_name(file).values()]


def _systems(systems: object, read: Callable[[str, str], list[Rendering]]) -> dict[str, list[dict[str, Rendering]]]:
    if isinstance(systems, (str, bytes, os.PathLike)):
        systems = [systems]
    if isinstance(systems, Sequence) and all(isinstance(one, (str, bytes, os.PathLike)) for one in systems):
        return _unnamed_systems(find_files(systems, "The systems"), read)
    found: dict[str, list[dict[str, Rendering]]] = {}
    for system, values in collect_systems(systems).items():
        for path in find_files(flatten(values), f"System {excerpt(system)}"):
            several = _by_name(read(path, SYSTEM))
            if len(several) > 1:
                names = ", ".join(map(excerpt, several))
                raise InputError(
                    "several-systems",
                    f"{shown(path)}, given for system {excerpt(system)}, holds {len(several):,} systems ({names}): "
                    "give the file without a name.",
                    path=path,
                )
            found.setdefault(system, []).extend(by_document(one) for one in several.values())
    return found


def _unnamed_systems(
    files: Sequence[str], read: Callable[[str, str], list[Rendering]]
) -> dict[str, list[dict[str, Rendering]]]:
    found: dict[str, list[dict[str, Rendering]]] = {}
    first_file: dict[str, str] = {}
    for path in files:
        for system, several in _by_name(read(path, SYSTEM)).items():
            if system in found:
                raise InputError(
                    "duplicate-system",
                    f"{shown(path)}, line {several[0].line:,}: there is a system {excerpt(system)} in "
                    f"{shown(first_file[system])} already; give the files names, as in {{'base': 'base.sgm'}}.",
                    path=path,
                    line=several[0].line,
                )
            found[system] = [by_document(several)]
            first_file[system] = path
    return found
