"""Which outputs scores belong to: systems are found by their files or by their names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.frames import FILES
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.outputs.files.naming import COMPRESSED, ENDINGS
from mtworkbench.outputs.scores.kinds import number_columns
from mtworkbench.wording import name_some

#: Where readers of scores leave in ``attrs`` what they know of files: ``path``, of the scores; ``files``, those of each
#: system, run by run; ``of_outputs``, whether these are the outputs that were scored, or the scores themselves.
_SCORED = "scored"
#: What programs call their scores: such an ending of a file's name says what is in it, not whose it is.
SCORES = ("comet", "xcomet", "cometkiwi", "bleurt", "bertscore", "metricx")
_ENDINGS = (*ENDINGS, *SCORES, "out", "output", "hyp", "hyps", "pred", "score", "scores", "seg", "json", "jsonl")
# The system and the number of a run.
_Run = tuple[str, int]


def note_files(scores: pd.DataFrame, path: str, files: Mapping[str, list[str]], *, of_outputs: bool) -> None:
    """Note which files the scores of each system belong to, for `name_as_outputs`."""
    scores.attrs[_SCORED] = {"path": path, "files": dict(files), "of_outputs": of_outputs}


def where_from(scores: pd.DataFrame) -> str:
    """Name scores in a sentence, by their file where each system has one of its own."""
    noted = scores.attrs.get(_SCORED)
    return "the scores" if noted is None or noted["of_outputs"] else f"the scores in {noted['path']!r}"


def name_as_outputs(outputs: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """Return scores with the systems and runs of the outputs, where the files of these are known.

    A system of scores is the run whose file it names by its path, by its file's name, or by this name without an
    ending such as ``txt``; with more folders where the last name is not enough. Else it is the system of its name.

    Raises
    ------
    InputError
        ``unknown-system`` where two could be meant, or two are one; ``run-mismatch`` for scores of some runs alone.
    """
    known = _known(outputs)
    if not known:
        return scores
    told = _told(scores)
    by_outputs = bool(scores.attrs.get(_SCORED, {}).get("of_outputs"))
    names = set(outputs["system"])
    endings = (*_ENDINGS, *(name.lower() for name in number_columns(scores)))
    found: dict[_Run, _Run] = {}
    for run, path in told.items():
        runs = _of_path(path, known) or _of_name(path, list(told.values()), known, () if by_outputs else endings)
        if by_outputs:
            found[run] = runs[0] if len(runs) == 1 else run
            if not runs and "mt" not in scores.columns:
                _refuse_name_alone(scores, run[0], path, known)
        else:
            found[run] = _choose(run, path, runs, names, known)
    return _rename(scores, found)


def _known(outputs: pd.DataFrame) -> dict[str, _Run]:
    """Return the run of each file; of a system that was renamed or lost runs since it was read, nothing is known."""
    n_runs = dict(outputs["run"].groupby(outputs["system"].to_numpy(), sort=False).max())
    files = outputs.attrs.get(FILES, {})
    return {
        file: (system, number)
        for system, own in files.items()
        if n_runs.get(system) == len(own)
        for number, file in enumerate(own, start=1)
    }


def _told(scores: pd.DataFrame) -> dict[_Run, str]:
    """Return the files that scores name for their runs; without files, a system with one run may be called like one."""
    if (noted := scores.attrs.get(_SCORED)) is not None:
        return {(name, i): file for name, files in noted["files"].items() for i, file in enumerate(files, start=1)}
    last = scores["run"].groupby(scores["system"].to_numpy(), sort=False).max()
    return {(name, 1): name for name, number in last.items() if number == 1}


def _of_path(path: str, known: Mapping[str, _Run]) -> list[_Run]:
    """Return the run whose file is at the path."""
    try:
        real = os.path.realpath(path)
    except ValueError:  # not a path, for example because of a null character
        return []
    return [run for file, run in known.items() if os.path.realpath(file) == real][:1]


def _of_name(path: str, paths: Sequence[str], known: Mapping[str, _Run], endings: Iterable[str]) -> list[_Run]:
    """Return the runs whose files have the name of the path, with as many of its folders as tell them apart."""
    for ignored in ((), tuple(endings)):
        own = _parts(path, ignored)
        others = [_parts(other, ignored) for other in paths if other != path]
        files = {file: _parts(file, ignored) for file in known}
        found: list[_Run] = []
        for count in range(1, len(own) + 1):
            tail = own[-count:]
            alike = [known[file] for file, parts in files.items() if parts[-count:] == tail]
            if any(other[-count:] == tail for other in others):
                continue
            if len(alike) == 1:
                return alike
            found = alike or found
        if found:
            return found
    return []


def _parts(path: str, endings: Sequence[str]) -> list[str]:
    """Take a path apart into folders and name; the name without the endings that may be left out."""
    *folders, name = COMPRESSED.sub("", path).split("/")
    return [*folders, stem(name, endings)]


def stem(name: str, endings: Sequence[str] = _ENDINGS) -> str:
    """Return the name of a file without the endings that say only what is in it."""
    while "." in name.strip(".") and name.rpartition(".")[2].lower() in endings:
        name = name.rpartition(".")[0]
    return name


def _choose(run: _Run, path: str, runs: Sequence[_Run], names: Iterable[str], known: Mapping[str, _Run]) -> _Run:
    """Choose between the runs with the file that scores name, and the system with their name."""
    name = run[0]
    systems = {system for system, _ in runs}
    if name in names and not runs:
        _refuse_folder_of_another(name, path, known)
        return run
    if name in systems:
        return runs[0] if len(runs) == 1 else run
    if len(runs) == 1 and name not in names:
        return runs[0]
    if not runs:
        return run
    meant = [f"{excerpt(file)} (system {excerpt(one[0])})" for file, one in known.items() if one in runs]
    if name in names:
        meant.append(f"those of system {excerpt(name)}")
    problem = f"The scores of {excerpt(path)} could be of the outputs {name_some(meant, 'or')}"
    remedy = "name the scores after one file, with its folder, or name the systems otherwise"
    raise InputError("unknown-system", f"{problem}: {remedy}.", found=path)


def _refuse_folder_of_another(name: str, path: str, known: Mapping[str, _Run]) -> None:
    """Refuse scores that have the name of a system from their folder, where the outputs of another system are."""
    folder, file = os.path.split(os.path.realpath(path))
    beside = {system: one for one, (system, _) in known.items() if os.path.dirname(os.path.realpath(one)) == folder}
    if beside and name not in beside and f".{name}." not in f".{file}.":
        system, one = next(iter(beside.items()))
        problem = f"{path!r} has scores of {excerpt(name)}, named by its folder, which holds {one!r}, the outputs of"
        remedy = "name the scores after the outputs, or the systems otherwise"
        raise InputError("unknown-system", f"{problem} system {excerpt(system)}: {remedy}.", path=path, found=name)


def _refuse_name_alone(scores: pd.DataFrame, name: str, path: str, known: Mapping[str, _Run]) -> None:
    """Refuse a path of scored outputs that has the name of a system, but not that of the system's file.

    Texts would say whose scores they are.
    """
    files = [file for file, (system, _) in known.items() if system == name]
    if files and not any(f".{name}." in f".{file.replace('/', '.')}." for file in files):
        where = scores.attrs[_SCORED]["path"]
        problem = f"{where!r} has scores of {excerpt(path)}, but the outputs of system {excerpt(name)} are in"
        remedy = "if these are its scores, give both one file name; else rename it"
        raise InputError("unknown-system", f"{problem} {files[0]!r}: {remedy}.", path=where)


def _rename(scores: pd.DataFrame, found: Mapping[_Run, _Run]) -> pd.DataFrame:
    """Give scores the systems and runs that were found; their rows stay where they are."""
    if all(old == new for old, new in found.items()):
        return scores
    old = list(zip(scores["system"], scores["run"].tolist(), strict=True))
    new = [found.get(run, run) for run in old]
    _check_all_runs(list(dict.fromkeys(zip(old, new, strict=True))), scores)
    renamed = scores.assign(system=[system for system, _ in new], run=np.array([number for _, number in new]))
    if (noted := scores.attrs.get(_SCORED)) is not None:  # what the files say has been heeded
        renamed.attrs[_SCORED] = {**noted, "files": {}}
    return renamed


def _check_all_runs(pairs: Sequence[tuple[_Run, _Run]], scores: pd.DataFrame) -> None:
    """Refuse scores of two names that are one run, and of some runs of a system without the others."""
    noted = scores.attrs.get(_SCORED, {})
    path = noted.get("path")
    whose = repr(path) if path else "The table"
    names: dict[_Run, _Run] = {}
    for old, new in pairs:
        if names.setdefault(new, old) != old:
            both = f"{excerpt(names[new][0])} and {excerpt(old[0])}"
            problem = f"{whose} has scores of {both}, which are both system {excerpt(new[0])}: leave one of them out."
            raise InputError("unknown-system", problem, path=path)
    for system, number in names:
        missing = next((one for one in range(1, number) if (system, one) not in names), None)
        if missing is not None:
            together = "score all runs of a system in one call of comet-score, so that one file has their scores"
            if not noted.get("of_outputs"):
                together = "give the scores of all its runs together"
            problem = f"{whose} has scores of run {number:,} of system {excerpt(system)}, but not of run {missing:,}"
            raise InputError("run-mismatch", f"{problem}: {together}.", path=path)
