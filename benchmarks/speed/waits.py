"""What people wait for: whole processes as they are started, by turns with whoever has the same work."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

import numpy as np

from benchmarks.speed.browser import open_browser
from benchmarks.speed.made_up import write_texts
from benchmarks.speed.processes import SACREBLEU_COMMAND, WORKBENCH, Spent, spend_process
from mtworkbench import find_shipped
from mtworkbench.cache import VARIABLE

#: Who does the work: with a fixed number of trials, and with as many as the engine draws by itself.
OURS, DEFAULT = "mtworkbench", "mtworkbench, default trials"
FIXED = ["--trials", "10000"]
METRICS = ["-m", "bleu", "chrf", "ter"]
PANDAS = "import numpy, pandas"
#: Systems and segments that are made up.
MADE, MANY = (16, 3000), (20, 100_000)
#: Explorers whose first answer is waited for.
EXPLORERS = ("comparison", "differences")
#: Most turns of what takes minutes, and of what takes half a minute.
ONCE, FEW = 1, 3
WAITS, FIRST_USE = "waits", "first use"
FIRST, LATER, WITHOUT = "first process, which compiles", "each later process", "without numba"
NO_NUMBA = "import sys; sys.modules['numba'] = None; from mtworkbench.cli import main; sys.exit(main(sys.argv[1:]))"
#: One row per work and side.
COLUMNS = ("kind", "what", "who", "seconds", "cpu", "mebibytes", "turns", "wanted", "load")


@dataclass(frozen=True)
class Wait:
    """Work that people wait for.

    Parameters
    ----------
    what : str
    sides : mapping of str to callable
        What does the work once, by who does it; the workbench first.
    wanted : float
        So many seconds it should take at most.
    most : mapping of str to int
        Most turns of a side, where each takes long.
    kind : str
    """

    what: str
    sides: Mapping[str, Callable[[], Spent]]
    wanted: float = np.nan
    most: Mapping[str, int] = field(default_factory=dict)
    kind: str = WAITS


def measure_wait(wait: Wait, turns: int) -> Iterator[dict[str, object]]:
    """Let all sides do the work by turns; yield the medians, one row per side.

    What is done several times is done once before, so that all have their files in the system's memory.
    """
    most = {who: min(turns, wait.most.get(who, turns)) for who in wait.sides}
    spent: dict[str, list[Spent]] = {who: [] for who in wait.sides}
    load = os.getloadavg()[0]
    for _ in range(max(most.values()) + 1):
        for who, work in wait.sides.items():
            if len(spent[who]) < most[who] + (most[who] > 1):
                spent[who].append(work())
    for who, times in spent.items():
        medians = [np.median([getattr(one, name) for one in times[-most[who] :]]) for name in COLUMNS[3:6]]
        wanted = wait.wanted if who == next(iter(wait.sides)) else np.nan
        yield dict(zip(COLUMNS, (wait.kind, wait.what, who, *medians, most[who], wanted, load), strict=True))


def make_waits(given: Sequence[Sequence[str]], folder: Path, shorter: int = 1) -> Iterator[Wait]:
    """Prepare what is waited for, one by one.

    Parameters
    ----------
    given : sequence of sequence of str
        Reference and outputs of further texts.
    folder : Path
        For files.
    shorter : int
        What is made up has fewer segments by this factor, to see whether all works; what takes long is left out.
    """
    made = write_texts(folder, "made", MADE[0], max(20, MADE[1] // shorter))
    texts = {f"{MADE[1]:,} segments, made up": made}
    texts |= {f"{count_lines(files[0]):,} segments of {Path(files[0]).name}": list(files) for files in given}
    for name, files in texts.items():
        yield from compare_pair(name, files, folder)
        if len(files) > 3 and shorter == 1:
            yield compare_systems(name, files)
    yield compare_many(folder, max(20, MANY[1] // shorter))
    yield from ask_program()
    yield write_report(*made[:3], folder=folder)
    if shorter == 1:
        yield from use_first(folder)
        made_figures = {OURS: start("figures", str(folder / "figures"))}
        yield Wait("make figures: all notebooks", made_figures, wanted=90, most={OURS: ONCE})
        yield from open_notebooks()


def count_lines(file: str) -> int:
    """Count the lines of a file."""
    return Path(file).read_bytes().count(b"\n")


def name_systems(files: Sequence[str]) -> list[str]:
    """Return the options that name a reference and systems, the first of which is the baseline."""
    reference, *outputs = files
    named = [f"{number:03}={file}" for number, file in enumerate(outputs)]
    options = ["--reference", reference, *(one for system in named for one in ("--system", system))]
    return [*options, "--baseline", "000"]


def start(*arguments: str, kept: str = "off") -> Callable[[], Spent]:
    """Return what runs the workbench's command once."""
    return partial(spend_process, [*WORKBENCH, *arguments], {VARIABLE: kept})


def start_with_empty_cache(*arguments: str) -> Spent:
    """Run the workbench's command where it finds nothing in its cache, and fills it."""
    with tempfile.TemporaryDirectory() as folder:
        return start(*arguments, kept=folder)()


def start_sacrebleu(*arguments: str) -> Callable[[], Spent]:
    """Return what runs sacreBLEU's command once."""
    return partial(spend_process, [*SACREBLEU_COMMAND, *arguments])


def start_python(program: str) -> Callable[[], Spent]:
    """Return what runs a program of Python's once."""
    return partial(spend_process, [sys.executable, "-c", program])


def compare_pair(name: str, files: Sequence[str], folder: Path) -> Iterator[Wait]:
    """Compare the first two systems by BLEU, without and with the cache."""
    arguments, theirs = ["compare", *files[:3], "--rng", "1"], [files[0], "-i", *files[1:3]]
    fresh = {
        OURS: partial(start_with_empty_cache, *arguments, *FIXED),
        DEFAULT: partial(start_with_empty_cache, *arguments),
        "sacreBLEU --paired-bs": start_sacrebleu(*theirs, "--paired-bs"),
        "sacreBLEU --paired-ar": start_sacrebleu(*theirs, "--paired-ar"),
    }
    yield Wait(f"compare ref a b, nothing cached: {name}", fresh, wanted=0.9)
    kept = str(folder / "cache")
    cached = {
        OURS: start(*arguments, *FIXED, kept=kept),
        DEFAULT: start(*arguments, kept=kept),
        f'python -c "{PANDAS}"': start_python(PANDAS),
    }
    yield Wait(f"compare ref a b, everything cached: {name}", cached, wanted=0.7)


def compare_systems(name: str, files: Sequence[str]) -> Wait:
    """Compare many systems with one by three metrics."""
    arguments = ["compare", *name_systems(files), *METRICS, "--rng", "1"]
    sides = {
        OURS: start(*arguments, *FIXED),
        DEFAULT: start(*arguments),
        "sacreBLEU --paired-ar": start_sacrebleu(files[0], "-i", *files[1:], *METRICS, "--paired-ar"),
    }
    what = f"{len(files) - 1} systems x BLEU, chrF and TER, all with one: {name}"
    return Wait(what, sides, wanted=3, most={"sacreBLEU --paired-ar": ONCE})


def compare_many(folder: Path, n_segments: int) -> Wait:
    """Compare many systems with one on a large test set; its texts are made up when they are first needed."""
    write = cache(partial(write_texts, folder, "many", MANY[0], n_segments))

    def compare(*options: str) -> Spent:
        return start("compare", *name_systems(write()), "--rng", "1", *options)()

    what = f"{MANY[0]} systems x {MANY[1]:,} segments, made up: BLEU, all with one"
    return Wait(what, {OURS: partial(compare, *FIXED), DEFAULT: compare}, 30, {OURS: FEW, DEFAULT: FEW})


def ask_program() -> Iterator[Wait]:
    """Ask for help, and for an option that there is not."""
    wrong = ["ref.txt", "a.txt", "--trails", "5"]
    for command in ("--help", "compare --help"):
        sides = {OURS: start(*command.split()), "sacreBLEU --help": start_sacrebleu("--help")}
        yield Wait(command, sides, wanted=0.17)
    sides = {
        OURS: partial(spend_process, [*WORKBENCH, "compare", *wrong], may_fail=True),
        "sacreBLEU": partial(spend_process, [*SACREBLEU_COMMAND, *wrong], may_fail=True),
    }
    yield Wait("an error in the options", sides, wanted=0.17)
    sides = {OURS: start_python("import mtworkbench"), f'python -c "{PANDAS}"': start_python(PANDAS)}
    yield Wait("import mtworkbench", sides)


def write_report(*files: str, folder: Path) -> Wait:
    """Write a report on two systems."""
    arguments = [*files, *FIXED, "--rng", "1", "--quiet"]
    sides = {
        OURS: start("report", *arguments, "--output", str(folder / "report.html")),
        "the comparison alone": start("compare", *arguments),
    }
    return Wait("report ref a b, nothing cached: 3,000 segments, made up", sides)


def use_first(folder: Path) -> Iterator[Wait]:
    """Compare two systems by metrics whose loops are compiled: see `mtworkbench.compiled`."""
    flores = find_shipped("data/flores")
    files = (str(flores / f"{name}.txt") for name in ("reference", "bergamot-base", "bergamot-tiny"))
    arguments = ["compare", *files, *METRICS, *FIXED, "--rng", "1"]

    def spend(program: Sequence[str], compiled: str) -> Spent:
        return spend_process([*program, *arguments], {VARIABLE: "off", "NUMBA_CACHE_DIR": compiled})

    def compile_first() -> Spent:
        with tempfile.TemporaryDirectory() as empty:
            return spend(WORKBENCH, empty)

    sides = {FIRST: compile_first, LATER: partial(spend, WORKBENCH, str(folder / "compiled"))}
    sides[WITHOUT] = partial(spend, [sys.executable, "-c", NO_NUMBA], str(folder / "compiled"))
    yield Wait("data/flores: BLEU, chrF and TER", sides, most=dict.fromkeys(sides, FEW), kind=FIRST_USE)


def open_notebooks() -> Iterator[Wait]:
    """Open JupyterLab, and two explorers in it; nothing, where there is no browser."""
    with open_browser() as opened:
        if opened is None:
            return
        yield Wait("make lab, until the first figure of notebook 00 is there", {OURS: opened.open_lab}, wanted=5)
        for name in EXPLORERS:
            what = f"the first answer of explore_{name}: 16 systems x 3,000 segments"
            yield Wait(what, {OURS: partial(opened.open_explorer, name)}, wanted=0.5)
