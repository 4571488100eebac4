"""Files of segment statistics: made once, scored and resampled anywhere without the text (the CMU scripts' two steps).

A file is a zip archive that numpy can open as npz: ``header.json``, arrays as ``.npy``, and last ``sha256``, the
checksum of everything before it. Nothing in it is pickled. Version 1 of the format did not say which segments the
statistics are of, apart from documents and one fingerprint of all references.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.metrics import METRICS, MeanScore
from mtworkbench.metrics.directions import assumed_direction, opposite_direction, tell_directions, unknown_direction
from mtworkbench.metrics.known import name_class
from mtworkbench.metrics.mean_score import direction_by_name
from mtworkbench.metrics.protocol import Metric, options_of
from mtworkbench.outputs.checks.names import choose_systems
from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.statistics.contents import (
    DIGESTS,
    LARGEST_ARRAYS,
    NAMES,
    array_shapes,
    check_header,
    check_names,
    describe_doubts,
    find_impossible,
    read_array,
    read_doubts,
    read_json,
    write_array,
)
from mtworkbench.statistics.identity import align_statistics, lost_identity
from mtworkbench.statistics.merging import merge_statistics
from mtworkbench.statistics.plain_tables import is_plain_table, read_plain_table, why_no_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.version import __version__
from mtworkbench.writing import replace_file

FORMAT = "mtworkbench statistics"
FORMAT_VERSION = 2
LARGEST_TEXT = 128 * 2**20
# What a file whose bytes are not what they were can make zipfile, json and numpy raise.
DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError,
    ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError,
)  # fmt: skip


def save_statistics(path: str | os.PathLike[str], *statistics: SegmentStatistics) -> None:
    """Save the statistics of one or several metrics on one test set into one file.

    The file appears complete or not at all; an old file of that name stays until the new one replaces it.

    Parameters
    ----------
    path : str or path
    *statistics : SegmentStatistics
        One per metric; segments are saved in the order of the first.

    Raises
    ------
    InputError
        Where there is nothing to save, the statistics are not of the same test set, a metric comes twice or is not one
        of mtworkbench's own, a name has control characters or counts are such as no text has (``cannot-save``), or the
        file cannot be written (``cannot-write``; an old file is then as it was).

    Warns
    -----
    DataWarning
        ``other-order`` where segments were brought into another order, ``unknown-identity`` where ids or sources are
        not saved because nothing says whose segments they are under another metric.
    """
    if not isinstance(path, (str, os.PathLike)) or not all(isinstance(one, SegmentStatistics) for one in statistics):
        types = ", ".join(type(one).__name__ for one in (path, *statistics))
        in_a_list = any(isinstance(one, (list, tuple)) for one in statistics)
        example = "save_statistics(path, *statistics)" if in_a_list else "save_statistics(path, bleu, chrf)"
        raise InputError(
            "no-statistics",
            f"The arguments of save_statistics are of the types {types}, but a path and then SegmentStatistics were "
            f"expected, as in {example}.",
        )
    if not statistics:
        raise InputError("no-statistics", f"There are no statistics to save into {os.fspath(path)!r}.")
    replace_file(path, pack_statistics(statistics))


def pack_statistics(statistics: Sequence[SegmentStatistics]) -> bytes:
    """Return what a file of statistics of one test set holds: see `save_statistics`."""
    aligned = _in_one_test_set(statistics)
    metrics: list[Metric] = []
    for one in aligned:
        if one.metric in metrics:
            raise InputError(
                "duplicate-metric", f"Two of the statistics to save are of {one.metric!r}: merge_statistics joins them."
            )
        metrics.append(one.metric)
    return _archive(_encode(aligned))


def unpack_statistics(content: bytes, name: str) -> tuple[SegmentStatistics, ...]:
    """Return what `pack_statistics` has packed; ``name`` says in messages what holds it.

    Raises
    ------
    InputError
        ``statistics-file`` and ``newer-version``: see `load_statistics`.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return tuple(one.statistics for one in _decode(archive, name))
    except InputError:
        raise
    except DAMAGE as error:
        raise _file_error(name, f"cannot be read or is damaged ({error})") from error


def _in_one_test_set(statistics: Sequence[SegmentStatistics]) -> list[SegmentStatistics]:
    """Bring statistics into one order, and keep of their segments only what is known of those of all."""
    aligned, groups = align_statistics(statistics, [one.metric.name for one in statistics])
    if not any(groups):
        return aligned
    plain = aligned[0].test_set.without_identity()
    if any(one.test_set != plain for one in aligned):
        names = list(dict.fromkeys(one.metric.name for one in statistics))
        lost_identity(names).warn()
    return [replace(one, test_set=plain) for one in aligned]


def load_statistics(
    *paths: str | os.PathLike[str],
    directions: Mapping[str, bool] | None = None,
    systems: Sequence[str] | None = None,
) -> tuple[SegmentStatistics, ...]:
    """Load statistics from files, and merge those of several files: see `merge_statistics`.

    Parameters
    ----------
    *paths : str or path
        Files of `save_statistics`, or plain tables: those of ``mtworkbench statistics --tsv``, or another program's.
        Such a table is separated by tabs and has one row per (system, run, segment), with the columns ``system``,
        ``run`` (without it, each system has one), ``segment`` (numbers from 1 through the whole test set), ``metric``
        (such as ``bleu:tokenize=none``, in every row), and the `statistic_names` of this metric (for BLEU
        ``hypothesis_length``, ``reference_length``, ``matches_1`` ..., ``ngrams_1`` ...). It may have ``document``,
        ``n_references``, ``signature``, and further columns such as ``domain``.
    directions : mapping of str to bool, optional
        Whether higher is better, by the names of mean scores in any case; it goes before what the files say.
    systems : sequence of str, optional
        Only these systems: names, or patterns such as ``"online-*"``.

    Returns
    -------
    tuple of SegmentStatistics
        One per metric, in the order in which the metrics come.

    Raises
    ------
    InputError
        ``statistics-file`` where a file is not one of statistics, is cut off or damaged; ``newer-version`` where a
        later mtworkbench wrote it; ``too-large``; for a plain table ``columns``, ``bad-number``, ``impossible`` (more
        matches than n-grams, counts below 0 or with a fraction), ``incomplete-system``, ``duplicate-segment``,
        ``text-mismatch``; ``direction`` where there is no mean score of a name; and what `merge_statistics` raises.

    Warns
    -----
    DataWarning
        ``unknown-direction`` for a `MeanScore` of which nothing says whether higher or lower is better (old files say
        "higher" of all, also when they are saved again), ``opposite-direction`` where an old file says the opposite of
        what its name says, and those of `merge_statistics`.
    """
    return merge_loaded(read_files(paths, directions, systems))


def merge_loaded(loaded: Sequence[Loaded]) -> tuple[SegmentStatistics, ...]:
    """Merge what was loaded, naming the file that each comes from."""
    return merge_statistics(*(one.statistics for one in loaded), origins=[one.origin for one in loaded])


def read_files(
    paths: Sequence[str | os.PathLike[str]],
    directions: Mapping[str, bool] | None,
    systems: Sequence[str] | None = None,
) -> list[Loaded]:
    """Read files one after another, before anything is merged: see `load_statistics`."""
    if not paths:
        raise InputError("no-statistics", "No file of statistics was named, but at least one was expected.")
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise InputError(
                "not-a-path",
                f"{excerpt(path)} was given for the path of a file of statistics: paths were expected one by one, as "
                "in load_statistics('bleu.stats', 'chrf.stats'), or load_statistics(*paths).",
            )
    report = Report()
    loaded = [one for path in paths for one in _read_file(os.fspath(path), report)]
    report.warn()
    if systems is not None:
        loaded = _choose(loaded, systems)
    directions = {} if directions is None else directions
    metrics = tell_directions([one.statistics.metric for one in loaded], directions)
    untold = [one for one, metric in zip(loaded, metrics, strict=True) if metric is one.statistics.metric]
    _warn_of_directions(untold)
    return [
        replace(one, statistics=replace(one.statistics, metric=metric))
        for one, metric in zip(loaded, metrics, strict=True)
    ]


@dataclass(frozen=True)
class Loaded:
    """Statistics of one metric, with the file they come from."""

    statistics: SegmentStatistics
    path: str

    @property
    def origin(self) -> str:
        """What messages call them."""
        return repr(self.path)


def _choose(loaded: Sequence[Loaded], systems: Sequence[str]) -> list[Loaded]:
    """Choose systems before anything is merged; each file has some of them, and one that has none is left out."""
    chosen = choose_systems(systems, (name for one in loaded for name in one.statistics))
    found = [(one, [name for name in chosen if name in one.statistics]) for one in loaded]
    return [replace(one, statistics=one.statistics.choose(own)) for one, own in found if own]


def _warn_of_directions(loaded: list[Loaded]) -> None:
    """Warn, once for each mean score, of a direction that is unknown or that an old file may have wrong."""
    seen: list[Metric] = []
    for one in loaded:
        metric = one.statistics.metric
        if not isinstance(metric, MeanScore) or metric in seen:
            continue
        said, by_name = metric.higher_is_better, direction_by_name(metric.column, metric.name)
        if (unknown := unknown_direction(metric)) is not None:
            warning = unknown
        elif metric.direction_is_assumed and said is True and by_name is None:
            warning = assumed_direction(metric, one.origin)
        elif metric.direction_is_assumed and None not in (said, by_name) and said != by_name:
            warning = opposite_direction(metric, one.origin)
        else:
            continue
        seen.append(metric)
        warning.warn()


def _encode(statistics: list[SegmentStatistics]) -> dict[str, bytes]:
    """Turn statistics into the members of the archive, the header first."""
    size = 8 * sum(values.size for one in statistics for values in one.values.values())
    if size > LARGEST_ARRAYS:
        raise InputError(
            "too-large",
            f"The statistics take {size / 2**30:.1f} GiB, but a file holds at most {LARGEST_ARRAYS / 2**30:.0f} GiB: "
            "save metrics or systems into several files.",
        )
    test_set = statistics[0].test_set
    members = {"segments.npy": write_array(test_set.segments)}
    for name in NAMES:
        if getattr(test_set, name) is not None:
            members[f"{name}.json"] = json.dumps([str(one) for one in getattr(test_set, name)]).encode()
    if test_set.columns:
        columns = {name: [str(one) for one in values] for name, values in test_set.columns.items()}
        members["columns.json"] = json.dumps(columns).encode()
    for name in DIGESTS:
        if getattr(test_set, name) is not None:
            members[f"{name}.npy"] = write_array(getattr(test_set, name))
    metrics = []
    for number, one in enumerate(statistics, start=1):
        systems = []
        for position, (system, values) in enumerate(one.values.items(), start=1):
            if (wrong := find_impossible(one.metric, values)) is not None:
                (run, segment), problem = wrong
                where = f"of system {system!r} (run {run + 1}, segment {test_set.segments[segment]:,})"
                what = f"The {one.metric.name} statistics {where} cannot be saved"
                raise InputError("cannot-save", f"{what}: {problem}; compute them again.")
            member = f"metric_{number}_system_{position}.npy"
            members[member] = write_array(values)
            names = {"run_names": list(one.run_names[system])} if system in one.run_names else {}
            systems.append({"system": system, "runs": len(values), "statistics": member} | names)
        metrics.append(_describe_metric(one) | {"systems": systems})
    header = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "mtworkbench": __version__,
        "segments": len(test_set),
        **{name: getattr(test_set, name) is not None for name in (*NAMES, *DIGESTS)},
        "columns": bool(test_set.columns),
        "references": test_set.references,
        "unordered_references": test_set.unordered_references,
        "n_references": test_set.n_references,
        "metrics": metrics,
    }
    if doubts := describe_doubts(test_set.doubts, {system for one in statistics for system in one}):
        header["doubts"] = doubts
    for name in ("normalization", "repaired", "known_documents"):
        if getattr(test_set, name) is not None:
            header[name] = getattr(test_set, name)
    try:
        check_header(header)
        for name in NAMES:
            check_names(() if getattr(test_set, name) is None else map(str, getattr(test_set, name)), name)
        for name, values in test_set.columns.items():
            check_names(map(str, values), f"values of {name}")
    except ValueError as error:
        raise InputError(
            "cannot-save", f"The statistics cannot be saved, because a file may not hold {error}: rename it."
        ) from None
    return {"header.json": json.dumps(header, indent=1).encode()} | members


def _describe_metric(statistics: SegmentStatistics) -> dict[str, Any]:
    metric = statistics.metric
    name = name_class(metric)
    if name is None:
        raise InputError(
            "unknown-metric",
            f"Statistics of {type(metric).__name__} cannot be saved: a file names its metric, and only "
            f"{', '.join(METRICS)} are known by name.",
        )
    return {
        "metric": name,
        "options": options_of(metric),
        "direction_is_unknown": getattr(metric, "direction_is_unknown", False),
        "direction_is_assumed": getattr(metric, "direction_is_assumed", False),
        "name": metric.name,
        "signature": metric.signature if statistics.metric_signature is None else statistics.metric_signature,
        "statistic_names": list(metric.statistic_names),
    }


def _archive(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for member, content in (members | {"sha256": _checksum(members).encode()}).items():
            # A fixed date: the same statistics make the same bytes.
            archive.writestr(zipfile.ZipInfo(member, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def _checksum(members: dict[str, bytes]) -> str:
    digest = hashlib.sha256()
    for member, content in members.items():
        digest.update(f"{member}:{len(content)}:".encode())
        digest.update(content)
    return digest.hexdigest()


def _read_file(name: str, report: Report) -> list[Loaded]:
    path = Path(name)
    if path.is_dir():
        message = f"{name!r} is a folder, but a file of statistics was expected: name the files in it."
        raise InputError("not-a-file", message, path=name)
    if not path.is_file():
        raise InputError("not-a-file", f"There is no file of statistics {name!r}.", path=name)
    try:
        with path.open("rb") as stream:
            if not zipfile.is_zipfile(stream):
                if is_plain_table(name):
                    return [Loaded(one, name) for one in read_plain_table(name, report)]
                if (reason := why_no_statistics(name)) is not None:
                    raise InputError("statistics-file", f"{reason}.", path=name)
                stream.seek(0)
                begins_well = stream.read(4) == b"PK\x03\x04"
                raise _file_error(name, "is cut off" if begins_well else "is not a file of statistics")
            with zipfile.ZipFile(stream) as archive:
                return _decode(archive, name)
    except InputError:
        raise
    except DAMAGE as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _file_error(name, f"cannot be read or is damaged ({reason})") from error
    except MemoryError as error:
        raise InputError(
            "too-large",
            f"{name!r} needs more memory than is available: load fewer files at once, or make files of fewer metrics "
            "or systems.",
            path=name,
        ) from error


def _file_error(name: str, what: str) -> InputError:
    return InputError(
        "statistics-file",
        f"{name!r} {what}: a whole file that save_statistics or `mtworkbench statistics` wrote was expected; make it "
        "again.",
        path=name,
    )


def _decode(archive: zipfile.ZipFile, name: str) -> list[Loaded]:
    header = _read_header(archive, name)
    shapes = array_shapes(header, name)
    members = {}
    *names, last = archive.namelist()
    if len({*names, last}) <= len(names):
        raise ValueError("two parts of one name")
    for member in names:
        limit = 8 * int(np.prod(shapes[member])) + 4096 if member in shapes else LARGEST_TEXT
        members[member] = _read_member(archive, member, limit)
    if last != "sha256" or _read_member(archive, last, 64).decode() != _checksum(members):
        raise ValueError("its checksum does not fit its content")
    arrays = {member: read_array(members[member], shape) for member, shape in shapes.items()}
    if arrays["segments.npy"].min() < 1:
        raise ValueError("numbers of segments below 1")
    # All metrics but the mean read references; files of version 1 say nothing more of those whose number varies.
    with_references = bool(header.get("reference_digests")) or any(one["metric"] != "mean" for one in header["metrics"])
    n_references = header["n_references"]
    known: dict[str, Any] = {
        one: _take_names(read_json(members[f"{one}.json"]), one, header) if header.get(one) else None for one in NAMES
    }
    known |= {one: arrays.get(f"{one}.npy") for one in DIGESTS}
    test_set = TestSet(
        segments=arrays["segments.npy"],
        references=header["references"],
        n_references=n_references,
        references_vary=n_references == 0 and with_references,
        normalization=header.get("normalization"),
        repaired=header.get("repaired"),
        known_documents=header.get("known_documents") if header.get("documents") else None,
        unordered_references=header.get("unordered_references"),
        doubts=read_doubts(header.get("doubts", [])),
        columns=_read_columns(members, header) if header.get("columns") else {},
        **known,
    )
    described = header["metrics"]
    if header["format_version"] == 1:
        described = [one | {"direction_is_assumed": True} for one in described]
    return [Loaded(_decode_metric(one, arrays, test_set, name), name) for one in described]


def _read_header(archive: zipfile.ZipFile, name: str) -> dict[str, Any]:
    """Read what the file says of itself; its checksum can be checked only when everything is read."""
    if "header.json" not in archive.namelist():
        raise _file_error(name, "is not a file of statistics")
    header = read_json(_read_member(archive, "header.json", LARGEST_TEXT))
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise _file_error(name, "is not a file of statistics")
    if header["format_version"] not in range(1, FORMAT_VERSION + 1):
        raise InputError(
            "newer-version",
            f"{name!r} is in version {header['format_version']!r} of the format, written by mtworkbench "
            f"{header.get('mtworkbench')!r}, but this mtworkbench reads versions 1 to {FORMAT_VERSION}: install that "
            "version or a newer one.",
            path=name,
        )
    check_header(header)
    return header


def _read_columns(members: dict[str, bytes], header: dict[str, Any]) -> dict[str, np.ndarray]:
    """Read the further columns, such as the domain of each segment."""
    columns = read_json(members["columns.json"])
    if not isinstance(columns, dict):
        raise ValueError("columns without names")
    return {name: _take_names(values, f"values of {name}", header) for name, values in columns.items()}


def _take_names(names: object, what: str, header: dict[str, Any]) -> np.ndarray:
    """Return one text for each segment: its document, its id, or its value in a further column."""
    if (
        not isinstance(names, list)
        or len(names) != header["segments"]
        or not all(isinstance(one, str) for one in names)
    ):
        raise ValueError(f"{what} that are not one text for each segment")
    check_names(names, what)
    return np.array(names, dtype=object)


def _read_member(archive: zipfile.ZipFile, member: str, limit: int) -> bytes:
    """Read one member of the archive, and never more than it may hold (a bomb)."""
    info = archive.getinfo(member)
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{member} is compressed in an unknown way")
    with archive.open(info) as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise ValueError(f"{member} is longer than it may be")
    return content


def _decode_metric(
    described: dict[str, Any], arrays: dict[str, np.ndarray], test_set: TestSet, name: str
) -> SegmentStatistics:
    metric_class = METRICS.get(described["metric"])
    if metric_class is None:
        raise InputError(
            "unknown-metric",
            f"{name!r} holds statistics of {described['metric']!r}, which is none of the metrics {', '.join(METRICS)}.",
            path=name,
        )
    options = dict(described["options"])
    if described.get("direction_is_unknown"):
        del options["higher_is_better"]  # a later version may know the name
    metric = metric_class(**options)
    if isinstance(metric, MeanScore) and described.get("direction_is_assumed"):
        object.__setattr__(metric, "direction_is_assumed", True)
    if list(metric.statistic_names) != described["statistic_names"]:
        raise _file_error(name, f"has other statistics of {metric.name} than this version of mtworkbench computes")
    values = {system["system"]: arrays[system["statistics"]] for system in described["systems"]}
    for array in values.values():
        if (wrong := find_impossible(metric, array)) is not None:
            raise ValueError(f"statistics of {metric.name} that are impossible: {wrong[1]}")
    names = {one["system"]: tuple(one["run_names"]) for one in described["systems"] if one.get("run_names")}
    return SegmentStatistics(metric, values, test_set, described["signature"], names)
