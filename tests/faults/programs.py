"""The program in a bad moment or a bad place: interrupted, without a home, with little memory, in another language."""

from __future__ import annotations

import locale
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mtworkbench import cli

from .tally import Tally, in_child
from .written import find_faults, find_strays, put, read_all

COMPARE = ["compare", "ref.txt", "base.txt", "new.txt", "-m", "bleu", "chrf", "--resamples", "100", "--trials", "200"]
COMPARE += ["--rng", "1", "--documents", "docs.txt"]
STATISTICS = ["statistics", "ref.txt", "base.txt", "new.txt", "-m", "bleu", "ter", "--output", "out/run.stats"]
# What the program says before it says that it was interrupted, or has too little memory: nothing, or warnings.
WARNED = r"(?:mtworkbench: warning: [^\n]+\n)*"


def interrupt(folder: Path, size: int) -> Tally:
    """Press Ctrl-C before random Python calls: the program says so and ends with 130, and no file is half written."""
    tally, draw = Tally(), np.random.default_rng(6)
    _write_inputs(folder)
    out = folder / "out"
    out.mkdir()
    for name, arguments in (("compare", [*COMPARE, "--output", "out/table.txt"]), ("statistics", STATISTICS)):
        put(out, {})
        calls = out / "calls"
        assert in_child(lambda arguments=arguments, calls=calls: _count_calls(arguments, folder, calls)) == 0
        n_calls = int(calls.read_text(encoding="ascii"))
        calls.unlink()
        new = read_all(out)
        old = dict.fromkeys(new, b"as it was")
        for moment in sorted(draw.integers(0, n_calls, size).tolist()):
            put(out, old)
            status = in_child(lambda arguments=arguments, moment=moment: _interrupted(arguments, folder, moment))
            said = (folder / "said").read_text(encoding="utf-8")
            faults = find_faults(out, old, new) + find_strays(out)
            if status == 0 and not find_faults(out, new) and not find_strays(out):
                continue  # it was interrupted too late, and had done its work: nothing was tried
            told = status == 130 and re.fullmatch(WARNED + "mtworkbench: interrupted\\.\n", said)
            if not told:
                faults.append(f"ended with {status} and said {said!r}")
            tally.count(f"{name}, call {moment} of {n_calls}", faults)
    return tally


def run_without_home(folder: Path, size: int) -> Tally:
    """Run with nothing in the environment, and (``size`` 1: only) with a home that is not there."""
    _write_inputs(folder)
    tally = Tally()
    arguments = [*COMPARE, "--figure", "figure.svg"]
    usual = _run(arguments, folder, os.environ)
    drawn = (folder / "figure.svg").read_bytes()
    nowhere = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MPLCONFIGDIR"), "/dev/null/nowhere")
    nowhere["MTWORKBENCH_CACHE"] = ""  # it looks for its folder, as it does for users
    for what, environment in [("no home", nowhere), ("an empty environment", {})][:size]:
        (folder / "figure.svg").unlink()
        found = _run(arguments, folder, environment)
        faults = _differences(found, usual, said=False)
        if "Traceback" in found.stderr:
            faults.append(f"said {found.stderr!r}")
        if not (folder / "figure.svg").exists() or (folder / "figure.svg").read_bytes() != drawn:
            faults.append("the figure is another one")
        tally.count(what, faults)
    found = _run(["compare", "ref.txt", "base.txt", "new.txt", "-m", "meteor"], folder, nowhere)
    # On a busy machine the segments of METEOR take so long that the cache tells that it has no folder, before that.
    told = found.returncode == 2 and "mtworkbench: error: METEOR " in found.stderr and "Traceback" not in found.stderr
    tally.count("METEOR without a home", [] if told else [f"said {found.stderr!r}"])
    return tally


def run_with_little_memory(folder: Path, size: int) -> Tally:
    """Allow less memory than the work needs, in ``size`` steps: one sentence says so."""
    _write_inputs(folder)
    tally = Tally()
    many = ["compare", "ref.txt", "base.txt", "new.txt", "--resamples", "2000000", "--trials", "200", "--rng", "1"]
    reached = False
    for step in range(size):
        room = (16 + 32 * step) * 2**20

        def work(room: int = room) -> int:
            with open("/proc/self/statm", encoding="ascii") as file:
                taken = int(file.read().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (taken + room, taken + room))
            return _run_here(many, folder)

        status = in_child(work)
        said = (folder / "said").read_text(encoding="utf-8")
        told = status == 2 and re.fullmatch(WARNED + "mtworkbench: error: The memory is not enough: [^\n]+\n", said)
        reached |= bool(told)
        faults = [] if told or status == 0 else [f"ended with {status} and said {said!r}"]
        tally.count(f"{room // 2**20} MiB more", faults)
    tally.require("the limit", [] if reached else ["it was never reached, so nothing was tried"])
    return tally


def run_elsewhere(folder: Path, size: int) -> Tally:
    """Run in other languages, time zones and modes of Python; with size 1 in several of them at once."""
    _write_inputs(folder)
    tally = Tally()
    arguments = [*COMPARE, "--format", "json"]
    usual = _run(arguments, folder, os.environ)
    tally.count("at home", [] if usual.returncode == 0 and not usual.stderr else [f"said {usual.stderr!r}"])
    places = {
        "LC_ALL=tr_TR.UTF-8": ({"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}, []),
        "LC_ALL=C": ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, []),
        "TZ=Asia/Kathmandu": ({"TZ": "Asia/Kathmandu"}, []),
        "PYTHONHASHSEED=7": ({"PYTHONHASHSEED": "7"}, []),
        "-O": ({}, ["-O"]),
        "-OO": ({}, ["-OO"]),
        "-W error": ({}, ["-W", "error"]),
        "-X dev": ({}, ["-X", "dev"]),
    }
    if size == 1:
        together = {name: value for variables, _ in list(places.values())[1:4] for name, value in variables.items()}
        places = {"all at once": (together, ["-OO", "-W", "error"])}
    for name, (variables, options) in places.items():
        language = variables.get("LC_ALL", "C")
        if not _is_installed(language):
            tally.left_out.append(f"{name}, a language that is not installed here")
            continue
        found = _run(arguments, folder, os.environ | variables, options)
        tally.count(name, _differences(found, usual, said=True))
    return tally


def _is_installed(language: str) -> bool:
    usual = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, language)
    except locale.Error:
        return False
    finally:
        locale.setlocale(locale.LC_ALL, usual)
    return True


def _write_inputs(folder: Path) -> None:
    words = [f"word{number}" for number in range(12)]
    draw = np.random.default_rng(2)
    reference = [list(draw.choice(words, 8)) for _ in range(30)]
    texts = {"ref.txt": reference}
    for name, share in (("base.txt", 0.3), ("new.txt", 0.2)):
        texts[name] = [[word if draw.random() > share else "other" for word in line] for line in reference]
    for name, lines in texts.items():
        (folder / name).write_text("".join(" ".join(line).capitalize() + ".\n" for line in lines), encoding="utf-8")
    (folder / "docs.txt").write_text("".join(f"document {segment // 4}\n" for segment in range(30)), encoding="utf-8")


def _run(
    arguments: list[str], folder: Path, environment: Mapping[str, str], options: list[str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the program; what is imported is this package, whatever the environment."""
    environment = {**environment, "PYTHONPATH": os.environ["PYTHONPATH"], "OMP_NUM_THREADS": "1"}
    environment.setdefault("MTWORKBENCH_CACHE", "off")  # also where the environment is to be empty
    command = [sys.executable, *(options or []), "-m", "mtworkbench", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )


def _differences(
    found: subprocess.CompletedProcess[str], usual: subprocess.CompletedProcess[str], *, said: bool
) -> list[str]:
    faults = [] if found.returncode == usual.returncode else [f"ended with {found.returncode}: {found.stderr!r}"]
    faults += [] if found.stdout == usual.stdout else ["the numbers are others"]
    return faults + ([] if found.stderr == usual.stderr or not said else [f"said {found.stderr!r}"])


def _run_here(arguments: list[str], folder: Path) -> int:
    """Run the program in this process, whose standard streams go to files."""
    os.chdir(folder)
    for name, descriptor in (("output", 1), ("said", 2)):
        file = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(file, descriptor)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return cli.main(arguments)


def _watch_calls(look: Callable[[], None]) -> None:
    def watch(frame: Any, event: str, called: Any) -> None:
        if event == "call":
            look()

    sys.setprofile(watch)


def _count_calls(arguments: list[str], folder: Path, file: Path) -> int:
    """Run the program, and write down how many functions it has called."""
    calls = 0

    def count() -> None:
        nonlocal calls
        calls += 1

    _watch_calls(count)
    status = _run_here(arguments, folder)
    sys.setprofile(None)
    file.write_text(str(calls), encoding="ascii")
    return status


def _interrupted(arguments: list[str], folder: Path, moment: int) -> int:
    """Run the program until it has called so many functions, and interrupt it then."""
    left = moment

    def count() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            sys.setprofile(None)
            signal.raise_signal(signal.SIGINT)

    _watch_calls(count)
    return _run_here(arguments, folder)
