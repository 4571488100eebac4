"""Write what is said and shown of some 90 results: python scripts/write_golden.py FOLDER.

To see what a change of the code changes for readers, run this before and after it, into two folders, and compare them
with ``diff -r``. The data are made up, and every draw has its seed, so the same code writes the same bytes.
"""

import argparse
import os
import random
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd

import mtworkbench as mtw
from mtworkbench.tables import format_calibration, format_conventions, frame_to_csv
from mtworkbench.words.paragraphs import describe_fully

os.environ["MTWORKBENCH_CACHE"] = "off"
QUICK = {"n_resamples": 400, "n_trials": 1000, "rng": 1}
WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "saw", "two", "red", "birds", "in", "one", "old", "tree"]
# How often each system has a wrong word.
EQUAL = dict.fromkeys("ABCDE", 0.3)
APART = {"base": 0.35, "close": 0.34, "good": 0.25, "best": 0.15, "worst": 0.6}
TIED = {"low": 0.5, "first": 0.2, "mid": 0.35, "second": 0.2, "lower": 0.55}
HOSTILE = {"a|b": 0.3, "$x^2$ & 50%": 0.2, "<b>bold</b>_#": 0.4, "baseline": 0.3, "sys*tem`\\": 0.25}

Result = object
Case = tuple[str, Callable[[], Result]]


def make(systems: dict[str, float], n_systems: int = 5, *, runs: int = 1, n: int = 60, seed: int = 1) -> pd.DataFrame:
    """Make up outputs, copies of a reference with wrong words, and two scores of each, one of which some lack."""
    draw = random.Random(seed)
    reference = [" ".join(draw.choices(WORDS, k=draw.randint(6, 12))) for _ in range(n)]
    wrong = {name: systems[name] for name in list(systems)[:n_systems]}
    outputs = {
        name: [
            [
                " ".join(draw.choice(WORDS) if draw.random() < share else word for word in one.split())
                for one in reference
            ]
            for _ in range(runs)
        ]
        for name, share in wrong.items()
    }
    places = range(n)
    frame = mtw.make_outputs(
        reference, outputs, documents=[f"d{i // 6}" for i in places], domains=["news", "talks"][:n] * (n // 2)
    )
    shares = [1 - wrong[name] for name in frame["system"]]
    frame["mark"] = [share + draw.gauss(0, 0.2) for share in shares]
    some = [share + draw.gauss(0, 0.2) for share in shares]
    frame["part"] = [score if (7 * i) % 11 else None for i, score in enumerate(some)]
    return frame


def copied(frame: pd.DataFrame, system: str, other: str) -> pd.DataFrame:
    """Give a system the outputs of another."""
    frame.loc[frame["system"] == system, "hypothesis"] = frame.loc[frame["system"] == other, "hypothesis"].to_numpy()
    return frame


def compare(frame: pd.DataFrame, metrics: list[str], baseline: str | None = None, **options: object) -> Result:
    """Compare under metrics, by segment and with few draws unless it is told otherwise."""
    statistics = mtw.compute_statistics(frame, metrics)
    return mtw.compare(statistics, baseline, **({"unit": "segment"} | QUICK | options))


def campaign(
    n_sets: int, systems: dict, n_systems: int, metrics: list[str], baseline: str | None, **made: int
) -> Result:
    """Compare on test sets, each made up anew."""
    sets = {
        f"wmt{number:02}": mtw.compute_statistics(make(systems, n_systems, n=24, seed=number, **made), metrics)
        for number in range(n_sets)
    }
    return mtw.compare_test_sets(sets, baseline, unit="segment", **QUICK)


def cases() -> Iterator[Case]:
    """Yield the results to make, by name."""
    kinds = {"equal": EQUAL, "apart": APART, "tied": TIED, "hostile": HOSTILE}
    for kind, systems in kinds.items():
        first = next(iter(systems))
        for count in (1, 2, 3, 4, 5):
            for baseline in (None, first) if count > 1 else (None,):
                name = f"{kind}-{count}-{'pairs' if baseline is None else 'baseline'}"
                yield name, lambda s=systems, c=count, b=baseline: compare(make(s, c), ["bleu"], b)
        for runs in (2, 3):
            for baseline in (None, first):
                name = f"{kind}-{runs}-runs-{'pairs' if baseline is None else 'baseline'}"
                yield name, lambda s=systems, r=runs, b=baseline: compare(make(s, 3, runs=r), ["bleu"], b)
    some = make(APART, 4)
    for baseline in (None, "base"):
        how = "pairs" if baseline is None else "baseline"
        yield f"three-metrics-{how}", lambda b=baseline: compare(some, ["bleu", "ter", "length"], b)
        yield f"no-direction-{how}", lambda b=baseline: compare(some, ["length"], b)
        yield f"missing-{how}", lambda b=baseline: compare(some, ["part", "mark"], b)
        yield f"max-t-{how}", lambda b=baseline: compare(some, ["mark"], b, adjust="max-t")
        yield f"margin-{how}", lambda b=baseline: compare(some, ["bleu"], b, margin=3.0)
        yield f"copies-{how}", lambda b=baseline: compare(copied(make(APART, 4), "close", "base"), ["bleu"], b)
        yield f"level-{how}", lambda b=baseline: compare(some, ["ter"], b, level=0.9, interval="basic")
    two = make(APART, 2, runs=2)
    yield "two-of-three-metrics", lambda: compare(two, ["bleu", "ter", "length"])
    yield "two-worse", lambda: compare(make(dict(reversed(APART.items())), 2), ["bleu", "ter"])
    yield "margin-of-two-runs", lambda: compare(two, ["bleu"], margin=3.0)
    yield "strata", lambda: compare(some, ["bleu"], "base", strata="domain")
    yield "documents", lambda: compare(some, ["bleu", "chrf"], unit="document")
    yield "blocks", lambda: compare(some, ["bleu"], "base", unit="block", block_length=5)
    yield "pooled-by-run", lambda: compare(make(APART, 3, runs=3), ["bleu"], exchange="run", runs="pooled")
    yield "family-of-all", lambda: compare(some, ["bleu", "ter"], "base", family="all")
    yield "undecided", lambda: compare(make(APART, 3, n=200), ["mark"], "base", n_trials=200, rng=4)
    for n_sets, count, baseline in (
        (2, 2, "base"),
        (3, 2, None),
        (4, 4, None),
        (4, 3, "base"),
        (20, 5, None),
        (6, 1, None),
    ):
        how = "pairs" if baseline is None else "baseline"
        sizes = n_sets, APART, count, ["bleu"], baseline
        yield f"campaign-{n_sets}-sets-{count}-{how}", lambda s=sizes: campaign(*s)
    yield "campaign-equal", lambda: campaign(4, EQUAL, 4, ["bleu"], None)
    yield "campaign-tied", lambda: campaign(6, TIED, 5, ["mark", "ter"], None)
    yield "campaign-hostile", lambda: campaign(3, HOSTILE, 5, ["bleu"], "a|b")
    yield "campaign-no-direction", lambda: campaign(3, APART, 3, ["length", "part"], None)
    yield "campaign-runs", lambda: campaign(3, APART, 3, ["bleu"], None, runs=2)
    statistics = mtw.compute_statistics(make(APART, 3, runs=3), ["bleu", "ter"])
    yield "variance", lambda: mtw.optimizer_variance(statistics, baseline="base", n_resamples=400, rng=1)
    pair = statistics[0]["good"], statistics[0]["base"]
    [single] = mtw.compute_statistics(make(APART, 2), ["bleu"])
    yield "plan-of-method", lambda: mtw.plan_test_set(*pair)
    yield "plan", lambda: mtw.plan_test_set(single["close"], single["base"], difference=2.0)
    yield "conventions", lambda: mtw.conventions(single["close"], single["base"], **QUICK)
    yield "conventions-of-runs", lambda: mtw.conventions(*pair, **QUICK)
    small = {"n_repetitions": 100, "n_resamples": 400, "n_trials": 400, "rng": 1}
    yield "calibration", lambda: mtw.calibrate(single["close"], single["base"], **small)
    yield "units", lambda: mtw.analyses.compare_units(statistics, "base", n_trials=1000, rng=1)


def views_of(result: Result) -> Iterator[tuple[str, str]]:
    """Yield the names of files, and what they hold: all ways in which a result is shown."""
    if isinstance(result, pd.DataFrame):
        yield "csv", frame_to_csv(result)
        yield "html", mtw.show_table(result)._repr_html_()
        return
    writers = {
        "Comparison": (mtw.format_comparison, ("text", "markdown", "latex", "json", "csv")),
        "CampaignComparison": (mtw.tables.format_campaign, ("text", "markdown", "latex", "json", "csv")),
        "OptimizerVariance": (mtw.tables.format_variance, ("text", "markdown", "latex", "json", "csv")),
        "Plan": (mtw.tables.format_plan, ("text", "json", "csv")),
        "Conventions": (lambda one, form: format_conventions([one], form), ("text", "json", "csv")),
        "Calibration": (lambda one, form: format_calibration([one], form), ("text", "json", "csv")),
    }
    kind = type(result).__name__
    write, formats = writers[kind]
    for form in formats:
        yield form, write(result, form)
        if form in ("markdown", "latex") and "Comparison" in kind:
            yield f"{form}.all", write(result, form, all_columns=True)
    yield "html", result._repr_html_()
    yield "repr", repr(result)
    if hasattr(result, "headline"):
        yield "headline", "\n".join(result.headline)
    if kind == "Comparison":
        yield "paragraph", describe_fully(result)
        yield "multeval", _refused_or(lambda: mtw.tables.format_multeval(result))
        for number, metric in enumerate(result.metrics.values()):
            yield f"metric{number}.html", metric._repr_html_()


def _refused_or(write: Callable[[], str]) -> str:
    try:
        return write()
    except mtw.InputError as error:
        return str(error)


def main() -> None:
    """Write every view of every result into a file of its own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True)
    warnings.simplefilter("ignore", mtw.DataWarning)
    for name, find in cases():
        for view, text in views_of(find()):
            (folder / f"{name}.{view}").write_text(text if text.endswith("\n") else f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
