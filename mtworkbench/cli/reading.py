"""Choose the reader for the files on the command line, and say in one line what was read, and how they were taken."""

from __future__ import annotations

import argparse
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from mtworkbench.cli.sizes import announce_reading
from mtworkbench.errors import DataWarning, InputError, ReadAs
from mtworkbench.outputs.files.bytes import find_files, peek
from mtworkbench.outputs.files.read_as import describe_read
from mtworkbench.outputs.formats import FORMATS, Format
from mtworkbench.wording import be, grouped, name_some, tally

if TYPE_CHECKING:
    import pandas as pd

    from mtworkbench.outputs.checks.corpus import RunFrames
    from mtworkbench.outputs.checks.frames import Runs
    from mtworkbench.statistics.segment_statistics import SegmentStatistics, StatisticsOfSets

TextOutputs = TypeVar("TextOutputs", "pd.DataFrame", "RunFrames")
#: The options that name one file with everything, each with its format and the options that go with it alone.
FILE_OPTIONS = {file: (one, further) for one in FORMATS if one.options for file, *further in [one.options]}
#: Those of them that the help shows; files of the others need none.
SHOWN_OPTIONS = [file for file, (one, _) in FILE_OPTIONS.items() if one.options[file]["help"] != argparse.SUPPRESS]
#: The options that name what text files do not say of their segments, one line per segment.
PARALLEL_FILES = ("documents", "domains")
#: Options of formats that files of scores take, too.
OF_SCORES = ("language_pair", "columns")
AS_SYSTEMS = "To compare the files as systems, name each with --system NAME=FILE."


def read_named_outputs(options: argparse.Namespace) -> pd.DataFrame:
    """Read the outputs and scores that the options name.

    Segments that some system lacks are left out, and counted; scores are added before, so that numbers still count.
    """
    from mtworkbench.outputs.checks.frames import common_segments

    check_repairs(options)
    # Scores may come alone.
    outputs = _read_outputs(options) if options.reference or options.system or find_whole(options) else None
    if options.scores:
        from mtworkbench.outputs.scores.add import add_scores, join_scores
        from mtworkbench.outputs.scores.read import group_scores

        scores = choose_scores(
            options, outputs, [_read_scores(options, name, files) for name, files in group_scores(options.scores)]
        )
        accept = options.accept or ()
        outputs = (
            join_scores(*scores, accept=accept) if outputs is None else add_scores(outputs, *scores, accept=accept)
        )
    if options.repair:
        from mtworkbench.outputs.repairs import repair_outputs

        outputs = repair_outputs(outputs, options.repair)
    return common_segments(outputs)


def find_whole(options: argparse.Namespace) -> str | None:
    """Return the option of `FILE_OPTIONS` that is given; None without one."""
    return next((file for file in FILE_OPTIONS if getattr(options, file)), None)


def list_named(named: str | list[str] | None) -> list[str]:
    """Return the files that an option names, which takes one or several."""
    return named if isinstance(named, list) else [] if named is None else [named]


def choose_scores(
    options: argparse.Namespace, outputs: pd.DataFrame | None, scores: Sequence[pd.DataFrame]
) -> list[pd.DataFrame]:
    """Leave out the scores of systems that are not wanted; what is left empty by that is kept, to be refused or named.

    Those that are wanted are the systems of the outputs or, of scores alone, those that options name.
    """
    if not options.systems:
        return list(scores)
    from mtworkbench.outputs.checks.names import choose_systems

    if outputs is not None:
        from mtworkbench.outputs.scores.systems import name_as_outputs

        wanted = list(outputs["system"].unique())
        scores = [name_as_outputs(outputs, one) for one in scores]
    else:
        wanted = choose_systems(options.systems, (name for one in scores for name in one["system"].unique()))
    found = [one[one["system"].isin(wanted)].reset_index(drop=True) for one in scores]
    return [kept if len(kept) else one for kept, one in zip(found, scores, strict=True)]


def check_repairs(options: argparse.Namespace) -> None:
    """Refuse what cannot be repaired, before anything is read."""
    if options.repair:
        from mtworkbench.outputs.repairs import choose_repairs

        choose_repairs(options.repair)


def name_repairs(options: argparse.Namespace) -> set[str]:
    """Name what is repaired: the reader need not warn of it any more, and what is left after it is in the result."""
    return {code.strip() for codes in getattr(options, "repair", None) or () for code in codes.split(",")}


def repair_named(options: argparse.Namespace, runs: Runs) -> Runs:
    """Repair what the options name, run by run."""
    if not options.repair:
        return runs
    from mtworkbench.outputs.repairs import repair_runs

    return repair_runs(runs, options.repair)


def read_named_runs(options: argparse.Namespace) -> Runs:
    """Read the outputs and scores that the options name, as the rows of each run.

    Plain text files alone are read again run by run, so that the texts of one run at a time are held.
    """
    from mtworkbench.outputs.checks.frames import FrameRuns
    from mtworkbench.outputs.text import read_run_by_run

    if options.scores or find_whole(options) or recognize_outputs(options) is not FORMATS[0]:
        return FrameRuns(read_named_outputs(options))
    check_repairs(options)
    return repair_named(options, _read_text(options, read_run_by_run))


def _read_outputs(options: argparse.Namespace) -> pd.DataFrame:
    accept = options.accept or ()
    if file := find_whole(options):
        one, further = FILE_OPTIONS[file]
        named = getattr(options, file)
        announce_reading(name_some(map(repr, list_named(named))), list_named(named))
        keywords = {**dict(zip(further, further, strict=True)), **one.shares}
        return one.function(one.reads_options)(named, accept=accept, **_choose(options, keywords))
    found = recognize_outputs(options)
    read = found.function(found.reader)
    if not found.names_documents:
        return _read_text(options, read)
    others = [one for one in ("source", *PARALLEL_FILES) if one not in found.shares]
    given = next((one for one in others if getattr(options, one)), None)
    if given is not None:
        options.usage_error(f"--{given} has no meaning with {found.name} files, which name their {given}: leave it out")
    unnamed = [files for name, files in options.system if name is None]
    if unnamed and len(unnamed) < len(options.system):
        options.usage_error("some --system have a NAME= and others do not: name all of them, or none")
    return read(options.reference, unnamed or grouped(options.system), accept=accept, **_choose(options, found.shares))


def _choose(options: argparse.Namespace, keywords: Mapping[str, str]) -> dict[str, Any]:
    """Return what options were given, by the keywords that they are passed as."""
    return {keyword: getattr(options, name) for name, keyword in keywords.items()}


def _read_text(options: argparse.Namespace, read: Callable[..., TextOutputs]) -> TextOutputs:
    """Read plain text files."""
    further = {name: getattr(options, name) for name in ("source", *PARALLEL_FILES)}
    files: list[str] = [file for _, file in options.system]
    announce_reading(tally(len(files), "output"), [*options.reference, *files])
    return read(options.reference, grouped(options.system), **further, accept=options.accept or ())


def _read_scores(options: argparse.Namespace, name: str | None, files: list[str]) -> pd.DataFrame:
    """Read a file of scores, or one per system; ``name`` is what their only kind of scores is to be called."""
    from mtworkbench.metrics.columns import refuse_computed, score_columns
    from mtworkbench.metrics.mean_score import direction_by_name
    from mtworkbench.outputs.scores.read import read_scores_of

    scores = read_scores_of(
        files,
        name,
        columns=options.columns,
        language_pair=options.language_pair,
        accept=options.accept or (),
        weights=_choose_weights(options),
    )
    file = files[0]
    columns = score_columns(scores)
    if name is not None:
        _check_name(options, name, file, scores)
        # Which way is better is that of the scores, so their note goes with them, and what their own name says.
        direction = direction_by_name(columns[0])
        scores = scores.rename(columns={columns[0]: name, f"{columns[0]}_direction": f"{name}_direction"})
        if direction is not None and direction_by_name(name) is None:
            scores[f"{name}_direction"] = "up" if direction else "down"
        columns = [name]
    refuse_computed(columns, file, "name it otherwise with --scores NAME=FILE")
    return scores


def _choose_weights(options: argparse.Namespace) -> dict[tuple[str, str], float]:
    """Return the weights of the errors in MQM ratings: those of a table, and those that were given one by one."""
    from mtworkbench.outputs.scores.mqm_weights import add_weights

    names = [one for one in options.weights or () if isinstance(one, str)]
    if len(names) > 1:
        options.usage_error(f"--weights names two tables, {names[0]} and {names[1]}: name one")
    return add_weights((names or ["freitag2021"])[0], dict(one for one in options.weights or () if one not in names))


def _check_name(options: argparse.Namespace, name: str, file: str, scores: pd.DataFrame) -> None:
    """Refuse a name for the scores of a file that has several kinds, or that means something else in outputs."""
    from mtworkbench.metrics.columns import score_columns
    from mtworkbench.outputs.scores.kinds import is_taken

    if is_taken(name):
        options.usage_error(f"--scores {name}={file}: {name!r} means another column of outputs: choose another name")
    columns = score_columns(scores)
    if len(columns) != 1 or (name != columns[0] and name in scores.columns):
        there = ", ".join(map(repr, columns))
        problem = f"--scores {name}={file} needs a file with a single kind of score and no other column {name!r}"
        options.usage_error(f"{problem}, but the scores in it are {there}: leave out {name}=")


def recognize(path: str) -> Format:
    """Tell by its content which format a file is in."""
    return next((one for one in FORMATS if one.recognizes(path)), FORMATS[0])


def recognize_outputs(options: argparse.Namespace) -> Format:
    """Tell by their content which format the named references, outputs and source are in.

    Raises
    ------
    InputError
        ``mixed-formats`` where they are not in one.
    """
    outputs = [
        file
        for name, named in options.system
        for file in find_files(named, "The systems" if name is None else f"System {name!r}")
    ]
    files = [*find_files(options.reference, "The reference"), *outputs]
    if options.source is not None:
        files.append(options.source)
    found = {file: recognize(file) for file in files}
    marked = next((file for file, one in found.items() if one is not FORMATS[0]), files[0])
    others = [file for file, one in found.items() if one is not found[marked]]
    if found[marked].takes_text_outputs:  # the reader refuses those that do not fit
        others = [file for file in others if file not in outputs or found[file] is not FORMATS[0]]
    if not others:
        return found[marked]
    other = others[0]
    problem = f"{marked!r} is {found[marked].name}, but {other!r} is {found[other].name}"
    expected = "references, systems and source in one format were expected"
    remedy = "export all of them as plain text, one segment per line"
    raise InputError("mixed-formats", f"{problem}: {expected}; {remedy}.", path=other)


def name_alternatives(options: argparse.Namespace) -> str:
    """Name the options that can be given in place of a reference and outputs: ", or --xml, or --table ..."."""
    saved = ["statistics"] if hasattr(options, "statistics") else []
    return "".join(f", or --{as_option(name)}" for name in (*SHOWN_OPTIONS, "scores", *saved))


def check_outputs_named(options: argparse.Namespace) -> None:
    """Refuse a call without outputs, and options that exclude each other or need another option."""
    if options.weights:
        from mtworkbench.outputs.scores.mqm import begins_as_mqm
        from mtworkbench.outputs.scores.read import find_score_files

        if not any(begins_as_mqm(peek(file)) for _, named in options.scores or () for file in find_score_files(named)):
            options.usage_error("--weights applies only to MQM ratings, but no file given with --scores holds any")
    if not find_whole(options) and not (options.reference and options.system):
        given = [name for name in ("reference", "system", "source", *PARALLEL_FILES) if getattr(options, name)]
        if given or not options.scores:
            options.usage_error(f"--reference and --system are needed{name_alternatives(options)}")
    for file, (one_format, further) in FILE_OPTIONS.items():
        if getattr(options, file):
            rest = [name for name in ("reference", "system", "source", *PARALLEL_FILES, *FILE_OPTIONS) if name != file]
            named = next((name for name in rest if getattr(options, name)), None)
            if named is not None:
                who = f"--{as_option(file)} holds" if file in SHOWN_OPTIONS else f"{one_format.name} hold"
                problem = f"{who} references, systems and documents"
                options.usage_error(f"{problem}: leave --{as_option(named)} out")
        elif alone := [one for one in further if getattr(options, one) and not _is_taken(options, one)]:
            of = f"--{as_option(file)}"
            if alone[0] == "language_pair":
                of += " and --test-set, and for files with several language pairs"
            options.usage_error(f"--{as_option(alone[0])} works only with {of}")
    choose_files(options)


def _is_taken(options: argparse.Namespace, name: str) -> bool:
    """Tell whether files that are given without the option of a format take one of its other options."""
    from mtworkbench.outputs.tabular.columns import is_table

    if name in OF_SCORES and options.scores:
        return name != "columns" or any(is_table(file) for _, file in options.scores)
    if name == "language_pair" and options.test_set is not None:
        return True
    if not any(one.recognizer and name in one.shares for one in FORMATS):  # files need not be looked at
        return False
    return bool(options.reference and options.system) and name in recognize_outputs(options).shares


def choose_files(options: argparse.Namespace) -> None:
    """Leave out the files of systems that are not wanted, before any is read; add those of the test set that are."""
    if not options.systems or not options.system or any(name is None for name, _ in options.system):
        return
    from mtworkbench.outputs.checks.names import choose_among

    others = {name: [file] for name, file in options.own_outputs.items()}
    chosen = choose_among(grouped(options.system), others, options.systems)
    options.system = [(name, file) for name, files in chosen.items() for file in files]


def take_whole(options: argparse.Namespace) -> None:
    """Take files without options that hold all there is, as if they had been given with the option of their format."""
    files = options.files
    if any(getattr(options, one) for one in ("hypotheses", "reference", "system", *FILE_OPTIONS)):
        return
    for option, (one, _) in FILE_OPTIONS.items():
        found = one.take(files)
        if found is None or _hold_scores(files):
            continue
        if not any(os.path.isfile(file) and recognize(file) is not FORMATS[0] for file in files):
            setattr(options, option, found)
            named = name_some([repr(file) for file in files])
            options.taken.append(f"{named} {be(len(files))} read as {one.name}.")
            options.files = []


def _hold_scores(files: Sequence[str]) -> bool:
    from mtworkbench.outputs.scores.read import holds_scores

    return any(os.path.isfile(file) and holds_scores(file) for file in files)


@contextmanager
def explaining_failure(options: argparse.Namespace) -> Iterator[None]:
    """Say how files were taken also where they then cannot be read."""
    try:
        yield
    except InputError:
        if taken := _how_taken(options):
            DataWarning("files-by-name", " ".join(taken)).warn(stacklevel=2)
        raise


def sets_of(statistics: StatisticsOfSets) -> list[Sequence[SegmentStatistics]]:
    """Return the statistics of each test set."""
    return list(statistics.values()) if isinstance(statistics, Mapping) else [statistics]


def say_what_was_read(options: argparse.Namespace, statistics: StatisticsOfSets) -> None:
    """Say what was read of outputs or statistics."""
    first = [one[0] for one in sets_of(statistics)]
    runs = {name: max(one[name].n_runs for one in first) for name in first[0]}
    documents = [one.test_set.n_documents for one in first]
    n_documents = None if None in documents else sum(filter(None, documents))
    say_counts(options, runs, n_documents, sum(len(one.test_set) for one in first), len(first))


def say_frames(options: argparse.Namespace, runs: Runs) -> None:
    """Say what was read of texts, given the frame of each run."""
    first = runs[0]
    documents = first["document"].nunique() if "document" in first.columns else None
    say_counts(options, Counter(frame["system"].iloc[0] for frame in runs), documents, len(first))


def say_counts(
    options: argparse.Namespace, runs: Mapping[str, int], n_documents: int | None, n_segments: int, n_sets: int = 1
) -> None:
    """Say what was read, given the number of runs of each system and of what all have."""
    taken = _how_taken(options)
    guessed = bool(taken) or options.from_folder
    read = describe_read(runs, n_documents, n_segments, n_sets, named=guessed, runs_by=options.runs_by)
    found = {"systems": len(runs), "runs": sum(runs.values()), "documents": n_documents, "segments": n_segments}
    warnings.warn(ReadAs("files-by-name", " ".join([read, *taken]), found, guessed=guessed), stacklevel=2)


def _how_taken(options: argparse.Namespace) -> list[str]:
    """Return the sentences on how files were taken, beyond what the command said."""
    return [*([AS_SYSTEMS] if options.runs_by else []), *options.taken]


def as_option(name: str) -> str:
    """Return an option's name as it is written."""
    return name.replace("_", "-")
