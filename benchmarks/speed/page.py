"""The pages on speed, whose numbers all come from files: docs/performance.md and its long tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from textwrap import fill

import numpy as np
import pandas as pd

from benchmarks.speed.cells import NOTHING, WIDTH, tabulate, write_seconds
from benchmarks.speed.growth import save_growth
from benchmarks.speed.measure import PEERS, SACREBLEU, STATISTICS, TEXTS, is_met
from benchmarks.speed.page_of_processes import (
    describe_base,
    describe_growth,
    describe_waits,
    tabulate_first_use,
    write_ends,
    write_waits,
)
from mtworkbench.wording import be
from mtworkbench.writing import make_folder, replace_file

FIGURE = "performance.png"
PLACE = re.compile(r"(<!-- speed: (?P<name>[\w-]+) -->\n)(.*?)(<!-- /speed -->)", re.DOTALL)
#: What was measured, by the name of its file.
Results = dict[str, pd.DataFrame]
#: What identifies a row of each file, where rows that are not measured again stay.
FILES = {
    "table": ["kind", "work", "peer"],
    "waits": ["what", "who"],
    "growth": ["axis", "work", "size"],
    "machine": ["what"],
}


def load_results(folder: Path) -> Results:
    """Read what was measured and stored."""
    files = {name: folder / f"{name}.csv" for name in FILES}
    return {name: pd.read_csv(file, keep_default_na=name != "machine") for name, file in files.items() if file.exists()}


def save_results(folder: Path, results: Results) -> None:
    """Write what was measured, one file for each table."""
    for name, frame in results.items():
        replace_file(folder / f"{name}.csv", frame.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


def keep_rows(name: str, measured: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """Put what was measured in the place of the stored rows of the same names; the others stay."""
    key, stored = FILES[name], load_results(folder).get(name)
    if stored is None:
        return measured
    if name == "table":  # without the other tools, their rows have no times
        again = pd.MultiIndex.from_frame(measured[key]).isin(pd.MultiIndex.from_frame(stored[key]))
        measured = measured[~again | (measured["kind"] != PEERS) | measured["peer_seconds"].notna()]
    both = pd.concat([stored.astype(object), measured.astype(object)])
    places = both.drop_duplicates(key)[key].reset_index(drop=True).reset_index(names="place")
    kept = both.drop_duplicates(key, keep="last").merge(places, on=key)
    return kept.sort_values("place").drop(columns="place")


def write_ratio(ratio: float) -> str:
    """Write how many times as fast, with at most three digits that count."""
    return f"{float(f'{ratio:.3g}'):,.0f}" if ratio >= 10 else f"{ratio:.1f}"


def write_range(row: pd.Series) -> str:
    """Write the median ratio, and the lowest and highest."""
    if np.isnan(row["ratio"]):
        return NOTHING
    return f"{write_ratio(row['ratio'])} ({write_ratio(row['lowest'])} to {write_ratio(row['highest'])})"


def write_peer(row: pd.Series) -> str:
    """Write the peer's time, with the part of the work that it was measured on."""
    part = f" (from {row['part']})" if isinstance(row["part"], str) and row["part"] else ""
    return write_seconds(row["peer_seconds"]) + (part if not np.isnan(row["peer_seconds"]) else "")


def write_expected(row: pd.Series) -> str:
    """Write what is expected of a row, and whether it is so."""
    if not np.isnan(row["at_most"]):
        expected = f"{row['at_most']:g} s or less"
    elif not np.isnan(row["at_least"]):
        expected = f"{row['at_least']:.0f} or more"
    else:
        return NOTHING
    met = is_met(row)
    return expected if met is None else f"{expected}: {'met' if met else '**not met**'}"


WORK = {"work": lambda row: row["work"]}
OURS = {"mtworkbench (s)": lambda row: write_seconds(row["seconds"]), "speed ratio": write_range}
EXPECTED = {"expected": write_expected}
#: The columns of each table of the page.
TABLES: dict[str, dict[str, Callable[[pd.Series], str]]] = {
    STATISTICS: WORK | {f"{SACREBLEU} (s)": write_peer} | OURS | EXPECTED,
    TEXTS: WORK
    | {f"{SACREBLEU} (s)": write_peer}
    | OURS
    | {"same texts again (s)": lambda row: write_seconds(row["again"])}
    | {"with checks (s)": lambda row: write_seconds(row["checked"])}
    | EXPECTED,
    PEERS: WORK | {"tool": lambda row: row["peer"], "time of the tool (s)": write_peer} | OURS,
}


def write_table(table: pd.DataFrame, kind: str) -> str:
    """Write the rows of a kind as Markdown."""
    columns = TABLES[kind]
    of_kind = table[table["kind"] == kind]
    return tabulate([*columns], [[write(row) for write in columns.values()] for _, row in of_kind.iterrows()])


def describe_machine(results: Results) -> str:
    """Say where and with which versions it was measured."""
    values = dict(results["machine"].itertuples(index=False))
    versions = ", ".join(f"{name} {value}" for name, value in values.items() if name not in ("processor", "cores"))
    turns = results["table"]["turns"].max()
    repeats = f"{turns} turns" if turns > 1 else "1 turn"
    return fill(
        f"Measured on {values['processor']} ({values['cores']} cores), one thread; median of {repeats}. "
        f"Versions: {versions}.",
        WIDTH,
    )


def describe_machine_in_short(results: Results) -> str:
    """Say where it was measured, with the versions that decide."""
    values = dict(results["machine"].itertuples(index=False))
    versions = ", ".join(f"{name} {values[name]}" for name in ("Python", "mtworkbench", "numpy", "sacrebleu"))
    return fill(f"Measured on {values['processor']} ({values['cores']} cores) with {versions}.", WIDTH)


def describe_in_short(results: Results) -> str:
    """Say how long one piece of work takes, and how many times as fast both kinds of work are."""
    table = results["table"][results["table"]["ratio"].notna()]
    first = table[table["kind"] == STATISTICS].iloc[0]
    ranges = {
        kind: " to ".join(write_ratio(end) for end in (rows["ratio"].min(), rows["ratio"].max()))
        for kind, rows in table.groupby("kind")
    }
    return fill(
        f"One piece of work ({first['work']}) takes {write_seconds(first['seconds'])} s ({SACREBLEU}: "
        f"{write_seconds(first['peer_seconds'])} s). Resampling is {ranges[STATISTICS]} times as fast as with "
        f"{SACREBLEU}, computing statistics from texts {ranges[TEXTS]} times. "
        "All of this is with numba (extra `fast`).",
        WIDTH,
    )


def write_answer(results: Results) -> str:
    """Write how many times as fast each piece of work is; of statistics from texts, one row per metric."""
    table = results["table"][results["table"]["ratio"].notna()]
    rows = [
        (row["work"], row["peer"], write_ratio(row["ratio"]), write_expected(row).partition(":")[0])
        for _, row in table[table["kind"] == STATISTICS].iterrows()
    ]
    texts = table[table["kind"] == TEXTS]
    for metric, of_metric in texts.groupby(texts["work"].str.partition(":")[0], sort=False):
        ends = [write_ratio(ratio) for ratio in (of_metric["ratio"].min(), of_metric["ratio"].max())]
        ratio = " to ".join(dict.fromkeys(ends))
        work = f"statistics of {metric} from texts ({len(of_metric)} {'text' if len(of_metric) == 1 else 'texts'})"
        rows.append((work, SACREBLEU, ratio, write_expected(of_metric.iloc[0]).partition(":")[0]))
    rows += [
        (row["work"], row["peer"], write_ratio(row["ratio"]), NOTHING)
        for _, row in table[table["kind"] == PEERS].iterrows()
    ]
    return tabulate(("work", "compared with", "times as fast", "goal"), rows)


def describe_goals(results: Results) -> str:
    """Say which goals are missed."""
    table = results["table"]
    met = [is_met(row) for _, row in table.iterrows()]
    missed = [work for work, one in zip(table["work"], met, strict=True) if one is False]
    kinds = [kind for kind, one in zip(table["kind"], met, strict=True) if one is not None]
    goals = f"{len(kinds)} goals ({kinds.count(STATISTICS)} for resampling, {kinds.count(TEXTS)} for texts)"
    if not missed:
        return fill(f"All {goals} are met.", WIDTH)
    return fill(f"Of the {goals}, {len(missed)} {be(len(missed))} missed: {'; '.join(missed)}.", WIDTH)


#: What stands between the markers of the page, by their names.
BLOCKS: dict[str, Callable[[Results], str]] = {
    "machine": describe_machine,
    "machine-in-short": describe_machine_in_short,
    "in-short": describe_in_short,
    "answer": write_answer,
    "goals": describe_goals,
    **{kind: lambda results, kind=kind: write_table(results["table"], kind) for kind in TABLES},
    "base": lambda _: describe_base(),
    "growth": lambda results: describe_growth(results["growth"]),
    "ends": lambda results: write_ends(results["growth"]),
    "waits": lambda results: write_waits(results["waits"]),
    "waits-goals": lambda results: describe_waits(results["waits"]),
    "first-use": lambda results: tabulate_first_use(results["waits"]),
}


def write_page(template: str, results: Results) -> str:
    """Fill the places of a page that are marked ``<!-- speed: NAME -->``."""
    return PLACE.sub(lambda match: match[1] + BLOCKS[match["name"]](results) + "\n" + match[4], template)


def find_pages(page: Path) -> list[Path]:
    """Return the short page, and the pages with its long tables."""
    return [page, *sorted((page.parent / "tables").glob(f"{page.stem}-*.md"))]


def write_pages(page: Path, folder: Path, write: Callable[[str], str]) -> None:
    """Write the short page and its long tables into a folder, each from the page that is there."""
    for template in find_pages(page):
        path = folder / template.relative_to(page.parent)
        make_folder(path.parent)
        replace_file(path, write(template.read_text(encoding="utf-8")))


def save_pages(page: Path, folder: Path, results: Results) -> None:
    """Write the pages and the figure."""
    write_pages(page, folder, lambda template: write_page(template, results))
    save_growth(folder / FIGURE, results["growth"])
