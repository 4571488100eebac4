"""What docs/performance.md and its long tables say of campaigns, whose numbers all come from files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from textwrap import fill

import pandas as pd

from benchmarks.campaign_cost.made_up import METRICS
from benchmarks.campaign_cost.model import PREDICTED, Costs, Size, predict
from benchmarks.speed.page import write_pages
from mtworkbench.writing import replace_file

WIDTH = 120
PLACE = re.compile(r"(<!-- campaign: (?P<name>[\w-]+) -->\n)(.*?)(<!-- /campaign -->)", re.DOTALL)
FILES = ("campaign_units", "campaign_measured")
#: What is measured, about a hundredth of the whole, and the whole.
PART = Size(n_sets=5, n_systems=20, n_segments=2000, n_resamples=1000, n_trials=1000, n_workers=2)
WHOLE = replace(PART, n_sets=50, n_resamples=10_000, n_trials=10_000)
WORKERS = (1, 2, 16, 64)
#: Memory of a machine that limits are given for.
MACHINE = 16 * 2**30
#: So many CPU seconds are long for a unit of work, which is lost if its worker dies.
LONG_UNIT = 600
MEGA, GIGA = 1e6, 1e9
TIMES = ("statistics", "draws", "workers", "main process")
NAMES = {
    "statistics": "reading texts, statistics",
    "draws": "draws",
    "workers": "starting workers, receiving statistics",
    "main process": "main process: tables, estimates, sending, keeping",
    "sent": "statistics sent to workers",
    "returned": "results returned",
    "folder": "folder of the study",
    "memory of the main process": "peak memory of the main process",
    "memory of a worker": "peak memory of a worker",
}
#: The costs of the table: heading, the unit as a factor, and what is measured.
COLUMNS = {
    "statistics (µs)": (1e6, "statistics"),
    "resample (ns)": (1e9, "resample"),
    "trial (ns)": (1e9, "trial"),
    "trial of a pair (ns)": (1e9, "trial of a pair"),
    "fixed, resamples (ms)": (1e3, "set of resamples"),
    "fixed, trials (ms)": (1e3, "set of trials"),
    "estimates of a pair (ms)": (1e3, "pair"),
    "sent (bytes)": (1, "bytes"),
}


def tabulate_units(found: Iterator[tuple[str, str, float]]) -> pd.DataFrame:
    """Make the table of what was measured."""
    return pd.DataFrame(list(found), columns=["what", "metric", "value"])


def tabulate_measured(size: Size, measured: dict[str, float]) -> pd.DataFrame:
    """Make the table of the measured part, with its size."""
    rows = [(name, value) for name, value in (asdict(size) | measured).items()]
    return pd.DataFrame(rows, columns=["what", "value"])


def save_results(folder: Path, units: pd.DataFrame, measured: pd.DataFrame) -> None:
    """Write what was measured."""
    for name, frame in zip(FILES, (units, measured), strict=True):
        replace_file(folder / f"{name}.csv", frame.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


class Results:
    """What was measured, read from files."""

    def __init__(self, folder: Path):
        units, measured = (pd.read_csv(folder / f"{name}.csv", keep_default_na=False) for name in FILES)
        self.costs: Costs = {(row.what, row.metric): row.value for row in units.itertuples()}
        values = dict(measured.astype({"value": object}).itertuples(index=False))
        number = {name: float(values[name]) for name in PREDICTED}
        size = {name: int(float(values[name])) for name in asdict(PART) if name != "has_baseline"}
        self.size, self.measured = Size(**size), number

    def predict(self, size: Size) -> dict[str, float]:
        """Predict what a campaign costs."""
        return predict(self.costs, list(METRICS), size)


def write_number(value: float) -> str:
    """Write a number with three digits that count."""
    return f"{value:,.0f}" if value >= 100 else f"{value:#.3g}".rstrip(".")


def write_bytes(value: float) -> str:
    """Write bytes as MB or GB."""
    return f"{write_number(value / GIGA)} GB" if value >= GIGA else f"{write_number(value / MEGA)} MB"


def write_rows(headings: list[str], rows: list[list[str]]) -> str:
    """Write a table as Markdown."""
    return "\n".join(f"| {' | '.join(row)} |" for row in [headings, ["---"] * len(headings), *rows])


def describe_size(size: Size) -> str:
    """Say how large a campaign is."""
    return (
        f"{size.n_sets} test sets x {size.n_systems} systems ({size.n_pairs} pairs) x {len(METRICS)} metrics x "
        f"{size.n_resamples:,} resamples and {size.n_trials:,} trials, with {size.n_segments:,} segments per set"
    )


def write_part(results: Results) -> str:
    """Say what was measured."""
    return fill(
        f"The measured part: {describe_size(results.size)}; a folder and {results.size.n_workers} workers, from files "
        f"of made-up texts. The whole campaign: {describe_size(WHOLE)}.",
        WIDTH,
    )


def write_units(results: Results) -> str:
    """Write the costs of units of work by metric, and what is the same for all metrics."""
    costs = results.costs
    rows = [
        [label, *(write_number(factor * costs[what, metric]) for factor, what in COLUMNS.values())]
        for metric, label in METRICS.items()
    ]
    rest = (
        f"Reading and checking texts takes {write_number(1e6 * costs['read', ''])} µs per system and segment. Starting "
        f"a worker takes {write_number(costs['start', ''])} s, once per metric. A worker takes "
        f"{write_bytes(costs['worker', ''])} of memory without data; while it receives data, these take "
        f"{write_number(costs['copies of a worker', ''])} times their size. The main process begins with "
        f"{write_bytes(costs['process', ''])}. A file in the folder takes "
        f"{write_number(costs['frame of a unit', ''])} bytes more than its numbers."
    )
    return write_rows(["metric", *COLUMNS], rows) + "\n\n" + fill(rest, WIDTH)


def write_comparison(results: Results) -> str:
    """Write what was predicted for the measured part, and what was measured."""
    predicted, rows = results.predict(results.size), []
    measured = results.measured
    for names, label in (*(((name,), NAMES[name]) for name in PREDICTED), (TIMES, "all CPU time")):
        one, other = (sum(values[name] for name in names) for values in (predicted, measured))
        is_time = PREDICTED[names[0]] == "CPU s"
        write = (lambda value: f"{write_number(value)} s") if is_time else write_bytes
        rows.append([label, write(one), write(other), f"{other / one:.2f}" if one else "-"])
    return write_rows(["what", "predicted", "measured", "measured / predicted"], rows)


def write_whole(results: Results) -> str:
    """Write what the whole costs with all pairs and with a baseline, by the number of workers."""
    rows = []
    for has_baseline in (False, True):
        for n_workers in WORKERS:
            size = replace(WHOLE, n_workers=n_workers, has_baseline=has_baseline)
            found = results.predict(size)
            memory = found["memory of the main process"] + size.n_processes * found["memory of a worker"]
            rows.append(
                [
                    "a baseline" if has_baseline else "all pairs",
                    f"{n_workers}",
                    *(write_number(found[name] / 60) for name in TIMES),
                    write_number(sum(found[name] for name in TIMES) / 3600),
                    write_bytes(found["memory of the main process"]),
                    write_bytes(found["memory of a worker"]) if size.n_processes else "-",
                    write_bytes(memory),
                    write_bytes(found["sent"]) if size.n_processes else "-",
                    write_bytes(found["folder"]),
                ]
            )
    headings = ["compared", "workers", "statistics (min)", "draws (min)", "starting (min)", "main process (min)"]
    headings += ["all (CPU hours)", "main process", "one worker", "all memory", "sent", "folder"]
    return write_rows(headings, rows)


def write_in_short(results: Results) -> str:
    """Say what the whole costs with all pairs, in one process."""
    found = results.predict(replace(WHOLE, n_workers=1))
    hours = write_number(sum(found[name] for name in TIMES) / 3600)
    memory = write_bytes(found["memory of the main process"])
    return fill(
        f"A shared task ({describe_size(WHOLE)}) is predicted to take {hours} CPU hours, {memory} of memory and "
        f"{write_bytes(found['folder'])} on disk. The prediction rests on measured costs of units of work.",
        WIDTH,
    )


def find_first(is_too_large: Callable[[int], bool], most: int = 100_000) -> int:
    """Return the smallest number that is too large, by bisection."""
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_too_large(middle) else (middle, high)
    return high


def write_limits(results: Results) -> str:
    """Say what breaks first, and at what size."""

    def memory(size: Size) -> float:
        found = results.predict(size)
        return found["memory of the main process"] + size.n_processes * found["memory of a worker"]

    def elapsed(size: Size) -> float:
        found = results.predict(size)
        shared = (found["draws"] + found["workers"]) / max(1, size.n_processes)
        return shared + found["main process"]

    alone = replace(WHOLE, n_workers=1)
    workers = find_first(lambda number: memory(replace(WHOLE, n_workers=max(2, number))) > MACHINE, WHOLE.n_units)
    sets = find_first(lambda number: memory(replace(alone, n_sets=max(1, number))) > MACHINE)
    segments = find_first(lambda number: memory(replace(alone, n_segments=max(1, number))) > MACHINE, 10_000_000)
    fastest = min(range(1, WORKERS[-1] + 1), key=lambda number: elapsed(replace(WHOLE, n_workers=number)))
    times = {number: elapsed(replace(WHOLE, n_workers=number)) / 60 for number in (*WORKERS, fastest)}
    costs, size = results.costs, WHOLE
    longest = max(
        max(
            costs["set of resamples", metric]
            + size.n_outputs / size.n_sets * size.n_resamples * costs["resample", metric],
            size.n_sets * costs["set of trials", metric]
            + size.trials_of_part
            * (size.n_outputs * costs["trial", metric] + size.n_sets * size.n_pairs * costs["trial of a pair", metric]),
        )
        for metric in METRICS
    )
    gibibytes, many = MACHINE // 2**30, WORKERS[-1]
    of_many, folder = memory(replace(WHOLE, n_workers=many)), results.predict(WHOLE)["folder"]
    strains = {
        f"memory ({write_bytes(of_many)})": of_many / MACHINE,
        f"the folder ({write_bytes(folder)})": folder / MACHINE,
        f"the longest unit of work ({write_number(longest)} CPU seconds)": longest / LONG_UNIT,
    }
    trials = replace(WHOLE, n_trials=5 * WHOLE.n_trials)
    slower = times[many] > times[fastest]
    points = [
        f"**What breaks first** with {many} workers on one machine with {gibibytes} GiB: "
        f"{max(strains, key=strains.__getitem__)}. Each worker has all statistics of the metric at hand, so "
        f"{gibibytes} GiB are full with {workers} workers.",
        f"**Without workers,** {gibibytes} GiB are full with {sets:,} test sets, or with {segments:,} segments in each "
        f"of {WHOLE.n_sets} test sets: the main process holds the statistics of all metrics.",
        f"**Time:** if every worker has a core, drawing and estimating take {write_number(times[1])} minutes with 1 "
        f"worker, {write_number(times[2])} with 2, at best {write_number(times[fastest])} with {fastest}, and "
        f"{write_number(times[many])} with {many}"
        + (": the main process sends the statistics to one worker after another." if slower else "."),
        f"**The longest unit of work** takes {write_number(longest)} CPU seconds.",
        f"**The folder** takes {write_bytes(folder)}, and {write_bytes(results.predict(trials)['folder'])} with "
        f"{trials.n_trials:,} trials: units return counts of trials and the systems' resampled scores, but no "
        "differences of pairs.",
    ]
    return "\n".join(fill(point, WIDTH, initial_indent="- ", subsequent_indent="  ") for point in points)


#: What stands between the markers of the page, by their names.
BLOCKS: dict[str, Callable[[Results], str]] = {
    "in-short": write_in_short,
    "part": write_part,
    "units": write_units,
    "comparison": write_comparison,
    "whole": write_whole,
    "limits": write_limits,
}


def write_page(template: str, results: Results) -> str:
    """Fill the places of a page that are marked ``<!-- campaign: NAME -->``."""
    return PLACE.sub(lambda match: match[1] + BLOCKS[match["name"]](results) + "\n" + match[4], template)


def save_pages(page: Path, folder: Path, results: Results) -> None:
    """Write the pages."""
    write_pages(page, folder, lambda template: write_page(template, results))
