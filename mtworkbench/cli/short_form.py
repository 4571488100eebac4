"""The short form: files without options, the reference first, then the outputs, whose systems are named by their files.

sacreBLEU's form, the outputs after ``-i``, is understood, too.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence

from mtworkbench.cli.reading import FILE_OPTIONS, as_option, name_alternatives, recognize, take_whole
from mtworkbench.cli.test_sets import place_test_set
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.outputs.files.bytes import find_files
from mtworkbench.outputs.files.fairseq import is_fairseq
from mtworkbench.outputs.files.folders import (
    describe_left_out,
    files_in,
    folders_in,
    is_one_of,
    name_files,
    put_all_for_folders,
    put_files_for_folders,
    sort_by_role,
)
from mtworkbench.outputs.files.naming import say_by_what, why_no_runs
from mtworkbench.wording import grouped, name_some

MIXED = (
    "files without an option are a reference and then outputs, as in 'ref.txt base.txt new.txt': leave out {option}, "
    "or give all files with --reference and --system"
)
#: What to do with the files of several test sets.
SEVERAL_SETS = "for several test sets, list their files in a table, --test-sets TABLE"


def add_files(parser: argparse.ArgumentParser) -> None:
    """Add the files without options, and ``-i``."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="the reference, then the outputs, one file per system or run; systems are named after their files: "
        "newstest.A.en-de and newstest.B.en-de are outputs of A and B; A.run0, A.run1, B.run0 and B.run1 (or opt0, "
        "seed0, A/seed0/out) are runs of A and B; for runs with other names, use --system; a folder stands for its "
        "files, or for those of one name in its folders; a single folder must hold the references (files named ref)",
    )
    parser.add_argument(
        "-i",
        dest="hypotheses",
        nargs="+",
        action="extend",
        metavar="FILE",
        help="outputs, as in sacreBLEU: then all other files are references",
    )
    # How files were taken: `taken` has sentences, `runs_by` names what told runs apart.
    parser.set_defaults(taken=(), from_folder=False, runs_by="", test_sets=None)


def take_files(options: argparse.Namespace) -> bool:
    """Turn the short form into references and systems; return whether it was used.

    Raises
    ------
    InputError
        ``folder`` where a folder is in a folder, ``output-is-reference``, and those of `find_files`.
    """
    options.taken = []
    _refuse_files_as_metrics(options)
    if options.test_set is not None:
        place_test_set(options)
        return _take_outputs(options)
    _refuse_nothing(options)
    _refuse_test_sets(options)
    take_whole(options)
    files, outputs = options.files, options.hypotheses or []
    if options.system and not options.reference and len(files) == 1 and not outputs:
        options.reference, options.files = [_refuse_other_files(options, files[0])], []  # a reference without an option
    if not options.files and not outputs:
        _refuse_folder(options, options.reference or ())
        _name_unnamed(options)
        return False
    _refuse_mixture(options)
    if not outputs and len(files) == 1 and os.path.isdir(files[0]):
        outputs = _take_folder(options, files[0])
        options.from_folder = True
    elif not outputs and (found := _find_all_fairseq(files)):
        options.reference, outputs = found[:1], found  # the targets are among the lines of each
    else:
        references = files if outputs else files[:1]
        outputs = outputs or files[1:]
        if not outputs:
            also = "; if it is WMT's XML, which holds the outputs, too, put --xml before it"
            problem = f"{files[0]!r} is the reference: name at least one output after it"
            options.usage_error(problem + also * files[0].endswith(".xml"))
        if not references and not options.reference:
            options.usage_error(f"the reference of {outputs[0]!r} is missing: name it before -i")
        options.reference = _find_references(options, references)
    options.system = _name_outputs(options, outputs)
    if not options.hypotheses:
        _notice_reference_among(options, [file for _, file in options.system])
    _name_baseline(options)
    return True


def _take_outputs(options: argparse.Namespace) -> bool:
    """Name the outputs of a test set whose references are known; without any, it has its own."""
    outputs = [*options.files, *(options.hypotheses or ())]
    if not outputs and not options.system:
        options.system = list(options.own_outputs.items())
    if not outputs and not options.system and not options.scores:
        options.usage_error(f"The test set {options.test_set!r} has no outputs of its own: name yours after it")
    options.files = []
    _name_unnamed(options)
    if outputs:
        for file in outputs:
            _refuse_other_files(options, file)
        options.system = [*(options.system or ()), *_name_outputs(options, outputs)]
    _name_baseline(options)
    baseline = getattr(options, "baseline", None)
    if baseline in options.own_outputs and baseline not in dict(options.system):
        options.system = [*options.system, (baseline, options.own_outputs[baseline])]
    return bool(outputs)


def _refuse_other_files(options: argparse.Namespace, file: str) -> str:
    """Refuse a file of statistics or scores in place of the reference; return the file."""
    _refuse_statistics(options, file)
    _refuse_scores(options, file)
    return file


def _name_unnamed(options: argparse.Namespace) -> None:
    """Name the systems of files, patterns and folders that were given to ``--system`` without a name."""
    unnamed = [files for name, files in options.system or () if name is None]
    named = any(os.path.isfile(one) and recognize(one).names_systems for one in unnamed)
    if not unnamed or not options.reference or named:
        return
    options.system = [
        pair
        for name, files in options.system
        for pair in (_name_outputs(options, [files]) if name is None else [(name, files)])
    ]


def _notice_reference_among(options: argparse.Namespace, outputs: Sequence[str]) -> None:
    """Say which outputs are references by their names where what was taken for the reference is not: ``sys/*``, say."""
    if not sort_by_role(options.reference)[0] and (named := sort_by_role(outputs)[0]):
        are = "has ref in its name, but is" if len(named) == 1 else "have ref in their names, but are"
        options.taken.append(
            f"{name_some(list(map(repr, named)))} {are} taken for {'an output' if len(named) == 1 else 'outputs'}, and "
            f"{options.reference[0]!r}, the first file, is the reference: name the reference first."
        )


def warn_of_runs(options: argparse.Namespace, short: bool) -> None:
    """Warn of the short form where systems look like several runs of several systems."""
    if not short:
        return
    names = [name for name, _ in options.system if name is not None]
    if not names or len(set(names)) < len(names):
        return  # the files name their systems, or runs were known by their names
    runs = grouped((re.sub(r"[\W_]*\d+$", "", name), name) for name in names)
    if (reason := why_no_runs([file for name, file in options.system if name is not None])) is not None:
        problem = f"The files {name_some(names)} are compared as systems, although some have numbers of runs in their "
        problem, example = f"{problem}names, because {reason}", "NAME"
    elif len(runs) > 1 and min(map(len, runs.values())) > 1:
        problem = f"{name_some(names)} look like several runs of each system, but are compared as systems"
        example = next(iter(runs))
    else:
        return
    remedy = f"for runs, name the systems, as in --reference FILE --system {example}='FILES'"
    DataWarning("runs-as-systems", f"{problem}: {remedy}.", count=len(names)).warn(stacklevel=2)


def _find_all_fairseq(files: Sequence[str]) -> list[str]:
    """Return the files if all are what fairseq wrote, so that no reference is needed; else none."""
    if not all(os.path.isfile(one) and is_fairseq(one) for one in find_files(files[:1], "The reference")):
        return []
    found = find_files(files, "The outputs")
    return found if all(os.path.isfile(one) and is_fairseq(one) for one in found) else []


def _take_folder(options: argparse.Namespace, folder: str) -> list[str]:
    """Find references, source and outputs in one folder by the words of their names; return the outputs."""
    _suggest_folders(options, folder)
    references, sources, others, outputs = sort_by_role(files_in(folder, "The test set"))
    if not references and outputs and all(map(is_fairseq, outputs)):
        options.reference = outputs[:1]
        return outputs
    if not references:
        problem = f"no file in {folder!r} has ref in its name, as in ref.txt or newstest2017.ref.de"
        options.usage_error(f"{problem}: name the reference first, then the folder")
    if not outputs:
        problem = f"all files in {folder!r} have ref or src in their names, so there are no outputs"
        options.usage_error(f"{problem}: add them, or name the reference and the outputs")
    if len(sources) > 1 or (sources and options.source is not None):
        problem = f"{sources[-1]!r} has src in its name, but another source was also given"
        options.usage_error(f"{problem}: leave one of them out")
    options.reference = references
    names = name_some([repr(os.path.basename(one)) for one in references])
    taken = [f"{names} {'is the reference' if len(references) == 1 else 'are references'}"]
    if sources:
        options.source = sources[0]
        taken.append(f"{os.path.basename(sources[0])!r} is the source")
    taken.append(f"{len(outputs):,} {'file is an output' if len(outputs) == 1 else 'files are outputs'}")
    options.taken = [f"The files in {folder!r} were sorted by their names: {', '.join(taken)}."]
    if others:
        options.taken.append(describe_left_out(folder, others))
    return outputs


def _suggest_folders(options: argparse.Namespace, folder: str) -> None:
    """Refuse a test set that keeps references and outputs in folders of their own, with the line that works."""
    references, _, _, others = sort_by_role(folders_in(folder))
    if references and others:
        sys_first = sorted(others, key=lambda path: not os.path.basename(path).startswith(("sys", "hyp", "out")))
        example = f"'{os.path.join(references[0], 'FILE')} {os.path.join(sys_first[0], '')}'"
        remedy = f"name a reference and the folder of the outputs, as in {example}; {SEVERAL_SETS}"
        options.usage_error(f"{folder!r} contains folders, but only files are read: {remedy}")


def _find_references(options: argparse.Namespace, named: Sequence[str]) -> list[str]:
    """Find the references; before outputs without ``-i`` there is one, or a pattern would take outputs along."""
    found = find_files(named or options.reference, "The reference")
    if options.hypotheses:
        return put_all_for_folders(found, "The reference")
    _refuse_folder(options, found[:1])
    if len(found) > 1:
        remedy = "name one file, or give several references with --reference, and the outputs with --system"
        options.usage_error(f"{named[0]!r} is the reference, but {len(found):,} files match it: {remedy}")
    return found


def _refuse_folder(options: argparse.Namespace, references: Sequence[str]) -> None:
    """Refuse a folder as the reference of a single test set."""
    if folder := next(filter(os.path.isdir, references), None):
        options.usage_error(f"{folder!r} is the reference, but it is a folder: name a file in it; {SEVERAL_SETS}")


def _outputs_without_folders(options: argparse.Namespace, named: Sequence[str]) -> list[str]:
    """Put the outputs in a folder in its place; references, sources and documents in it are left out and named."""
    if not any(map(os.path.isdir, named)):
        return list(named)
    options.from_folder = True
    found, sentence = put_files_for_folders(named, options.reference)
    options.taken += [sentence] if sentence else []
    if not found:
        options.usage_error(f"{named[0]!r} contains only the reference: name at least one output")
    return found


def _name_outputs(options: argparse.Namespace, outputs: Sequence[str]) -> Sequence[tuple[str | None, str]]:
    """Give each output the name of its system; a file that names its systems itself has none."""
    named = find_files(outputs, "The outputs")
    found = find_files(_outputs_without_folders(options, named), "The outputs")
    if file := next((one for one in found if is_one_of(one, options.reference) and not is_fairseq(one)), None):
        message = f"{file!r} is the reference and one of the outputs, too: leave it out of the outputs."
        raise InputError("output-is-reference", message, path=file)
    if recognize(found[0]).names_systems:
        return [(None, file) for file in found]
    options.runs_by = say_by_what(found) or options.runs_by
    systems = name_files(found)
    if options.from_folder:
        if not options.systems:  # else the user has named them
            _say_baseline(options, list(systems))
        _refuse_partly_numbered(options, found)
    return [(system, file) for system, files in systems.items() for file in files]


def _say_baseline(options: argparse.Namespace, systems: Sequence[str]) -> None:
    """Say which of the two systems of a folder is the baseline."""
    if len(systems) == 2 and hasattr(options, "baseline") and options.baseline is None:
        first = f"{systems[0]}, the first by name"
        options.taken.append(f"The baseline is {first} (--baseline NAME chooses the other).")


def _refuse_partly_numbered(options: argparse.Namespace, files: Sequence[str]) -> None:
    """Refuse a folder of which only some files are runs by their names."""
    if not say_by_what(files) and (reason := why_no_runs(files) or "").endswith("no such number"):
        problem = f"some files in the folder have numbers of runs in their names, but {reason}"
        options.usage_error(f"{problem}: name the runs with --reference FILE --system NAME='FILES'")


def _name_baseline(options: argparse.Namespace) -> None:
    """Take the file of a system as the baseline, too: with its folder, or without where one has it."""
    named = getattr(options, "baseline", None)
    names = {file: name for name, file in options.system if name is not None}
    if named is None or named in names.values():
        return
    files = [file for file in names if file == named] or [file for file in names if os.path.basename(file) == named]
    if len(files) > 1:
        meant, systems = (" and ".join(map(repr, ones)) for ones in (files, [names[file] for file in files]))
        remedy = f"name the file with its folder, or one of the systems {systems}"
        options.usage_error(f"--baseline {named} could be any of the files {meant}: {remedy}")
    if files:
        options.baseline = names[files[0]]


def _refuse_files_as_metrics(options: argparse.Namespace) -> None:
    """Refuse files after an option that takes several metrics, and so takes whatever comes next."""
    for name in filter(os.path.isfile, options.metric or ()):
        from mtworkbench.metrics import METRICS

        if name not in METRICS:
            options.usage_error(f"{name!r} is a file, not a metric: name files before -m")


def _refuse_nothing(options: argparse.Namespace) -> None:
    """Refuse a call that names no outputs at all."""
    known = ("files", "hypotheses", "reference", "system", "scores", "statistics", *FILE_OPTIONS)
    if not any(getattr(options, name, None) for name in known):
        named = "name the reference and the outputs, as in 'ref.txt base.txt new.txt', or --reference and --system"
        options.usage_error(named + name_alternatives(options))


def _refuse_test_sets(options: argparse.Namespace) -> None:
    """Refuse a table of test sets in place of outputs."""
    if len(options.files) != 1 or options.hypotheses or not os.path.isfile(options.files[0]):
        return
    from mtworkbench.outputs.campaign import is_campaign

    if is_campaign(file := options.files[0]):
        options.usage_error(f"{file!r} is a table of test sets: give it to compare with --test-sets {file}")


def _refuse_mixture(options: argparse.Namespace) -> None:
    """Refuse files without an option together with options that name the same, and files of statistics."""
    if getattr(options, "statistics", None):
        options.usage_error(MIXED.format(option="--statistics"))
    for file in (*options.files, *(options.hypotheses or ())):
        _refuse_other_files(options, file)
    given = [name for name in ("system", *FILE_OPTIONS) if getattr(options, name)]
    given += ["reference"] if options.reference and options.files else []
    if given:
        options.usage_error(MIXED.format(option=f"--{as_option(given[0])}"))


def _refuse_scores(options: argparse.Namespace, file: str) -> None:
    """Refuse a file of scores among outputs, such as the second one after ``--scores``."""
    from mtworkbench.outputs.scores.read import holds_scores

    name, _, scores = file.partition("=")
    if not os.path.exists(file) and name and os.path.isfile(scores) and options.scores:
        problem = f"{file!r} is not the name of a file, and --scores takes one file"
        first = "=".join(filter(None, options.scores[0]))
        options.usage_error(f"{problem}: repeat it, as in --scores {first} --scores {file}")
    if os.path.isfile(file) and holds_scores(file):
        options.usage_error(f"{file!r} holds scores, not texts: give it with --scores {file}, once per file of scores")


def _refuse_statistics(options: argparse.Namespace, file: str) -> None:
    """Refuse a file of saved statistics among outputs."""
    import zipfile

    if not os.path.isfile(file) or not zipfile.is_zipfile(file):
        return
    with zipfile.ZipFile(file) as archive:
        if "header.json" in archive.namelist():
            hint = "give it with --statistics" if hasattr(options, "statistics") else "outputs are needed here"
            options.usage_error(f"{file!r} holds statistics: {hint}")
