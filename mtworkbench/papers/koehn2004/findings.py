"""What a frame of Koehn's (2004) studies says, in sentences and in titles of figures that are computed from it.

They hold for any data.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from mtworkbench.papers.koehn2004.error_rates import LEVEL, TUNINGS, count_type_i
from mtworkbench.papers.koehn2004.published import read_published
from mtworkbench.papers.koehn2004.samples import FIGURE_SIZE, do_overlap
from mtworkbench.papers.koehn2004.significance import SAMPLE_SIZES, project_conclusions
from mtworkbench.results.estimates import Interval, PairedBootstrap, Randomization
from mtworkbench.results.names_of_units import name_units
from mtworkbench.results.verdicts import ROUNDING
from mtworkbench.statistics.segment_statistics import TestSet
from mtworkbench.wording import agree, begin, listed, tally
from mtworkbench.words.cells import decimals_for, decimals_of_intervals, digits_of_trials, name_p, say_span
from mtworkbench.words.frames import fixed, signed
from mtworkbench.words.lines import Sentences, name_sizes, wrap

NO_DOCUMENTS = "The documents are unknown or too few"
ONE_SEGMENT = "The estimated block length is 1 segment"
#: A sample that is a larger part of the test set than this agrees with it because it is part of it.
LARGE_PART = 0.05
OVERLAP = "Overlapping samples resemble one another, so their scores spread less than those of separate test sets."
#: What a sample is called that was chosen in a way.
NAMES = {"block": "block", "broad": "broad sample", "random": "random sample"}


def _wrapped(*, finding: bool = True) -> Callable[[Callable[..., str]], Callable[..., Sentences]]:
    """Break the sentences of a function into lines; say whether the first of them is what was found."""

    def wrapped(describe: Callable[..., str]) -> Callable[..., Sentences]:
        @functools.wraps(describe)
        def described(*arguments: object, **options: object) -> Sentences:
            return wrap(describe(*arguments, **options).split("\n"), finding=finding)

        return described

    return wrapped


@_wrapped(finding=False)
def describe_samples(samples: Sequence[np.ndarray], n_segments: int) -> str:
    """Say whether samples are separate or overlap (of `choose_samples`)."""
    n, smallest, sizes = len(samples), min(map(len, samples)), name_sizes(map(len, samples))
    if n == 1:
        return f"There is only one sample, of {sizes} segments."
    if not do_overlap(samples):
        return f"{tally(n, 'sample')} of {sizes} segments: no segment is in two of them."
    separate, every = n_segments // smallest, np.concatenate(samples)
    said = (
        f"The {n_segments:,} segments hold only {separate} separate samples of {sizes}. So {n} samples are drawn at "
        "random instead,"
        if separate < n
        else f"{tally(n, 'sample')} of {sizes} segments are drawn at random,"
    )
    return (
        f"{said} and they overlap: each segment drawn is in {len(every) / len(np.unique(every)):.1f} samples on "
        f"average. {OVERLAP}"
    )


@_wrapped()
def describe_samplings(table: pd.DataFrame, system: str, metric: str = "BLEU") -> str:
    """Say how far scores spread over blocks and broad samples (the first two rows of `summarize_samplings`)."""
    rows = table.set_index("sampling").iloc[:2]
    names = {sampling: f"{NAMES[sampling]}s" for sampling in rows.index}
    parts = []
    for sampling, name in names.items():
        row = rows.loc[sampling]
        if row["samples"] < 2:
            return f"The test set is too small for two {name}, and one score shows no spread. Take a larger test set."
        low, high, deviation = (row[column] for column in ("lowest", "highest", "standard_deviation"))
        digits = decimals_for(high - low, 1)
        parts.append(
            f"{fixed(low, digits)} to {fixed(high, digits)} on {row['samples']:,.0f} {name} (standard deviation "
            f"{fixed(deviation, decimals_for(deviation))})"
        )
    of_blocks, of_broad = rows["standard_deviation"]
    if not of_blocks or not of_broad:
        return f"{system} has {metric} {parts[0]} and {parts[1]}."
    ratio = of_blocks / of_broad
    (first, second), sizes = names.values(), rows["effective_size"].to_numpy()
    return (
        f"The standard deviation over {first} is {ratio:.1f} times that over {second}. {begin(first)} spread as far as "
        f"random samples of {sizes[0]:,.0f} segments would, {second} as far as random samples of {sizes[1]:,.0f}."
        f"\n{system} has {metric} {parts[0]} and {parts[1]}."
    )


@_wrapped()
def describe_differences(differences: pd.DataFrame, a: str, b: str, on_blocks: pd.DataFrame | None = None) -> str:
    """Say how a difference varies, compared with the two scores (frames of `difference_samples`).

    Where ``on_blocks`` is given, the differences on blocks are compared with the others.
    """
    n = len(differences)
    lowest, deviation = differences.loc[differences["difference"].idxmin()], differences["difference"].std(ddof=1)
    digits = decimals_for(deviation)
    n_negative = int((differences["difference"] < 0).sum())
    said = (
        f"{a} - {b} is negative on {n_negative} of {tally(n, 'sample')}; the lowest difference is "
        f"{signed(lowest['difference'], digits)}, on sample {lowest['sample']:.0f}."
    )
    if n < 2:
        return said
    of_a, of_b = (differences[column].std(ddof=1) for column in ("score_a", "score_b"))
    shown = [fixed(value, digits) for value in (of_a, of_b, deviation, np.hypot(of_a, of_b))]
    said += (
        f"\nStandard deviation over the samples: {shown[0]} for {a}, {shown[1]} for {b}, {shown[2]} for their "
        f"difference. If the two scores were unrelated, it would be {shown[3]} for the difference."
    )
    if on_blocks is None or len(on_blocks) < 2:
        return said
    of_blocks, negative_blocks = on_blocks["difference"].std(ddof=1), int((on_blocks["difference"] < 0).sum())
    return (
        f"{said} On blocks, the standard deviation of the difference is {fixed(of_blocks, digits)}, and {a} - {b} is "
        f"negative on {negative_blocks} of {len(on_blocks):,}."
    )


@_wrapped()
def describe_units(intervals: pd.DataFrame) -> str:
    """Compare the interval of documents or blocks with that of segments (rows of `bootstrap_interval`, by ``unit``)."""
    widths = (intervals["high"] - intervals["low"]).groupby(intervals["unit"]).mean()
    if len(widths) == 1:
        return f"{NO_DOCUMENTS}, so segments are the units in both rows."
    (unit,), instead = widths.index.drop("segment"), ""
    if unit == "block of 1":
        return (
            f"{NO_DOCUMENTS}, and no correlation between neighbouring segments was found, so a block is one segment: "
            "segments are the units in both rows."
        )
    if unit != "document":
        instead = f"{NO_DOCUMENTS}, so {name_units(unit)} neighbouring segments are drawn instead. "
    said = (
        f"{instead}The interval with {name_units(unit)} as units is {widths[unit] / widths['segment']:.1f} times as "
        "wide as the one with segments as units"
    )
    design_effect = intervals.loc[intervals["unit"] == unit, "design_effect"].astype(float).mean()
    return f"{said}; the square root of deff is {np.sqrt(design_effect):.1f}." if design_effect > 0 else f"{said}."


@_wrapped()
def describe_misses(intervals: pd.DataFrame, n_segments: int, level: float = 0.95) -> str:
    """Say how many intervals miss the true score, and how many would by chance (a frame of `interval_samples`).

    The range holds at least 95 % of a binomial distribution; how much it holds exactly is computed.
    """
    from mtworkbench.distributions import binomial_range

    n, missed = len(intervals), int((~intervals["covers"]).sum())
    low, high, probability = binomial_range(n, 1 - level, 0.05)
    said = (
        f"The score of the whole test set is missed by {missed} of {tally(n, 'interval')}. If each missed it with a "
        f"probability of {100 * (1 - level):.0f} %, independently of the others, {low} to {high} of {n} would "
        f"miss it in {100 * probability:.1f} % of such experiments"
    )
    if intervals["overlapping"].any():
        said += ". These samples overlap, so they are not independent."
    elif low <= missed <= high:
        said += f": {missed} is no surprise."
    else:
        said += f": {missed} is more than chance explains." if missed > high else f": {missed} is unusually few."
    return said + _warn_of_parts(intervals["segments"].max(), n_segments)


@_wrapped()
def describe_shares(shares: pd.DataFrame, human: str) -> str:
    """Compare the systems' shares of correct translations with a human translator's (of `tabulate_judgements`)."""
    by_system = shares.set_index("system")
    person, systems = by_system.loc[human], by_system.drop(human)
    best, name = systems.loc[systems["mean"].idxmax()], systems["mean"].idxmax()
    higher = int((systems["mean"] > person["mean"]).sum())
    said = (
        f"The human translation {human} is correct in {100 * person['mean']:.0f} % of "
        f"{tally(int(person['judged']), 'segment')} (Student's t 95 % CI {100 * person['t_low']:.0f} to "
        f"{100 * person['t_high']:.0f} %), the best system, {name}, in "
        f"{100 * best['mean']:.0f} % ({100 * best['t_low']:.0f} to {100 * best['t_high']:.0f} %)."
    )
    return f"{said} {higher} of {tally(len(systems), 'system')} have a larger share than the human translation."


@_wrapped(finding=False)
def describe_interval_units(table: pd.DataFrame) -> str:
    """Say how many intervals miss when segments are drawn, and when larger units are (of `intervals_by_unit`)."""
    said = []
    for sampling, part in table.groupby("sampling", sort=False):
        rows = part.set_index("unit")
        segment, larger = rows.loc["segment"], rows.drop("segment")
        parts = f"{segment['samples']:.0f} samples x {segment['systems']:.0f} systems"
        missed = f"{segment['missed_percent']:.0f} % of {segment['intervals']:.0f} intervals ({parts}) miss"
        sentence = f"On {NAMES[sampling]}s, {missed}"
        sentence += " if segments are drawn" if len(larger) else f". {ONE_SEGMENT}, so there is no second interval"
        for unit, wider in larger.iterrows():
            sentence += (
                f", and {wider['missed_percent']:.0f} % if {name_units(unit)} are drawn "
                f"({wider['units']:.0f} per sample on average), which makes the intervals "
                f"{wider['mean_width'] / segment['mean_width']:.1f} times as wide"
            )
        said.append(f"{sentence}.")
    return _end_units(said, table)


@_wrapped(finding=False)
def describe_pairs(pairs: list[tuple[str, str]]) -> str:
    """Name the pairs of Figs. 7 and 8 (of `choose_figure_pairs`)."""
    larger, *others = (" and ".join(pair) for pair in pairs)
    if not others:
        return f"There is one pair of systems, {larger}. Figures 7 and 8 would be the same, so only Figure 7 is drawn."
    (smaller,) = others
    return f"Larger difference: {larger}. Smaller difference: {smaller}."


@_wrapped()
def describe_conclusions(conclusions: pd.DataFrame, metric: str = "BLEU") -> str:
    """Say how many samples conclude for which system (a frame of `conclude`, of one pair)."""
    first, n = conclusions.iloc[0], len(conclusions)
    a, b, truth = first["a"], first["b"], first["true_difference"]
    counts = [int((conclusions["conclusion"] == name).sum()) for name in (a, b)]
    wrong = int(((conclusions["conclusion"] != "") & ~conclusions["correct"]).sum())
    return (
        f"Conclusions on {tally(n, 'sample')}: {counts[0]} for {a}, {counts[1]} for {b}, {n - sum(counts)} for "
        f"neither. On the whole test set, {a} - {b} is {signed(truth, decimals_for(abs(truth)))} {metric}. If this is "
        f"the truth, {wrong or 'no'} conclusion{' is' if wrong < 2 else 's are'} wrong."
    )


@_wrapped()
def describe_both_tests(bootstrap: PairedBootstrap, randomization: Randomization) -> str:
    """Say what the paired bootstrap and approximate randomization find of one pair of systems."""
    a, b = bootstrap.a, bootstrap.b
    difference = signed(bootstrap.difference, decimals_of_intervals([(bootstrap.low, bootstrap.high)]))
    p_value = name_p(randomization.p_value, digits_of_trials(randomization.n_trials))
    return (
        f"{a} - {b} is {difference} {bootstrap.metric} on {tally(bootstrap.n_units, bootstrap.unit)}. Of "
        f"{bootstrap.n_resamples:,} resamples, {a} wins {bootstrap.wins:,} and {b} {bootstrap.losses:,}; "
        f"approximate randomization ({_name_trials(randomization)}): {p_value}."
    )


@_wrapped()
def describe_type_i(null: pd.DataFrame, a: str, b: str) -> str:
    """Say how often each rule calls equal systems different that are made of two (a frame of `conclude_under_null`)."""
    bootstrap, randomization = count_type_i(null)
    samples = tally(len(null), "sample")
    return (
        f"Equal systems made of {a} and {b} are called different on {bootstrap['percent']:.1f} % of {samples} by "
        f"“{bootstrap['rule']}” (95 % CI {bootstrap['low']:.1f} to {bootstrap['high']:.1f} %), and on "
        f"{randomization['percent']:.1f} % by {randomization['rule']} ({randomization['low']:.1f} to "
        f"{randomization['high']:.1f} %)."
    )


@_wrapped(finding=False)
def describe_sizes(conclusions: pd.DataFrame, n_segments: int) -> str:
    """Say what samples the conclusions are of, and what sizes of the paper are missing (of `conclude_on_sizes`)."""
    pairs = conclusions.groupby(["a", "b"]).ngroups
    by_size = conclusions.groupby("size")
    counts, sizes = by_size["sample"].nunique(), by_size["segments"].agg(name_sizes)
    samples = ", ".join(f"{n:,} of {sizes[size]}" for size, n in counts.items())
    said = (
        f"{tally(pairs, 'pair')}, {'each ' if pairs > 1 else ''}on {counts.sum():,} broad samples ({samples} "
        f"segments): {len(conclusions):,} comparisons."
    )
    asked = [f"{size:,}" for size in counts.index]
    if asked != list(sizes):
        said += f" Below, they are called samples of {listed(asked)}."
    overlapping = [f"{size:,}" for size, overlap in by_size["overlapping"].any().items() if overlap]
    if overlapping:
        said += (
            f" {n_segments:,} segments do not hold as many separate samples of {listed(overlapping)} as the paper has, "
            "so these are drawn at random and overlap."
        )
    missing = [f"{size:,}" for size in SAMPLE_SIZES if size not in counts.index]
    if missing:
        said += (
            f" The paper's samples of {listed(missing)} are left out: {n_segments:,} segments are too "
            "few for two of them, and one would be the test set itself."
        )
    return said + _warn_of_parts(conclusions["segments"].max(), n_segments)


@_wrapped(finding=False)
def describe_truth(truth: pd.DataFrame) -> str:
    """Name the pairs whose order even the whole test set does not show (a frame of `check_truth`)."""
    open_pairs = truth[truth["p_value"] > 1 - LEVEL + ROUNDING]
    if open_pairs.empty:
        pairs = "the two systems" if len(truth) == 1 else "each pair of systems"
        return f"The whole test set shows a difference between {pairs} (randomization test, p at most {1 - LEVEL:.2g})."
    names = ", ".join(f"{row.a} and {row.b} (p = {row.p_value:.2g})" for row in open_pairs.itertuples())
    return (
        f"Even the whole test set does not show which system is better in {tally(len(open_pairs), 'pair')} of "
        f"{len(truth)} (randomization test, p above {1 - LEVEL:.2g}): {names}. What is called right or wrong about "
        "such a pair may be the other way round."
    )


def describe_sample(test_set: TestSet, sample: np.ndarray) -> str:
    """Say where the segments of a sample come from: "300 segments of 2 of the 121 documents"."""
    part, whole = test_set.take(np.unique(sample)), test_set.n_documents
    documents = f" of {part.n_documents:,} of the {tally(whole, 'document')}" if whole else ""
    return f"{tally(len(sample), 'segment')}{documents}"


def describe_p(conclusions: pd.DataFrame, p_values: pd.Series, level: float = 0.95) -> str:
    """Compare conclusions (of `conclude`, for one pair) with the p of `randomize_samples` on the same samples."""
    drawn, shown = conclusions["conclusion"] != "", p_values <= 1 - level + ROUNDING
    return (
        f"Approximate randomization: p is at most {1 - level:.3g} on {int(shown.sum())} of the {len(shown)}, and on "
        f"{int((drawn & shown).sum())} of the {int(drawn.sum())} with a conclusion."
    )


def describe_printed(figures: Collection[str]) -> str:
    """Say what the paper's text and axes say of some of its figures ("Fig. 6")."""
    table = read_published("figures")
    rows = table[table["figure"].isin(figures)].itertuples()
    return f"In the paper: {'; '.join(f'{row.quantity}, {row.paper:g}' for row in rows)}."


@_wrapped(finding=False)
def describe_printed_row(a: str, b: str) -> str:
    """Say what one cell of a row of the paper's Table 3 implies for the others (see `project_conclusions`)."""
    from scipy.stats import binomtest

    table = read_published("table3")
    row = table[(table["a"] == a) & (table["b"] == b)].set_index("size")
    percent, size = row["correct_percent"], FIGURE_SIZE
    others = [other for other in row.index if other != size]
    projected = project_conclusions(percent[size], size, others)["correct_percent"]
    cells = []
    for other, share in zip(others, projected, strict=True):
        n = int(row["samples"][other])
        p = name_p(binomtest(round(percent[other] / 100 * n), n, share / 100).pvalue, 2, "binomial p")
        cells.append(f"{share:.0f} % with {other:,} (printed: {percent[other]:.0f} % of {n} samples, {p})")
    return (
        f"In the paper's row for {a} and {b}, {percent[size]:.0f} % with {size} sentences imply "
        f"{', '.join(cells[:-1])} and {cells[-1]}, if differences are normally distributed."
    )


@_wrapped()
def describe_predictions(predictions: pd.DataFrame, points: float = 5) -> str:
    """Say how many cells of Table 3 are predicted within some points, and what the others rest on."""
    far = predictions[predictions["difference"].abs() > points]
    n, close = len(predictions), len(predictions) - len(far)
    said = f"{close} of {tally(n, 'cell')} are predicted within {points:g} percentage points."
    for row in far.itertuples():
        inside = "contains" if row.low <= row.predicted_percent <= row.high else "does not contain"
        said += (
            f"\n{row.a} and {row.b}, {row.size:,} segments, {row.kind}: predicted {row.predicted_percent:.0f} %, "
            f"counted {row.counted_percent:.0f} % of {tally(int(row.samples), 'sample')} (95 % CI {row.low:.0f} to "
            f"{row.high:.0f} %, which {inside} the prediction)."
        )
    return said


@_wrapped(finding=False)
def describe_conclusion_units(table: pd.DataFrame) -> str:
    """Say how many conclusions are wrong when segments are drawn, and when others are (of `conclusions_by_unit`)."""
    lines = []
    for sampling, part in table.groupby("sampling", sort=False):
        lines += [
            f"With {name_units(row.unit)} drawn, {row.correct_percent:.1f} % of {tally(row.samples, 'comparison')} on "
            f"{NAMES[sampling]}s led to a right conclusion and {row.wrong_percent:.1f} % to a wrong one."
            for row in part.itertuples()
        ]
        if len(part) == 1:
            lines[-1] += f" {ONE_SEGMENT}, so nothing else is drawn."
    return _end_units(lines, table)


@_wrapped()
def describe_reuse(summary: pd.DataFrame, metric: str = "BLEU") -> str:
    """Say what tuning on the test set brings, there and on fresh segments (a frame of `summarize_reuse`).

    Of unrelated variants the fewest and the most, of changes in a row the most.
    """
    unrelated, in_a_row = (summary[summary["tuning"] == tuning] for tuning in TUNINGS)
    rows = pd.concat([unrelated.tail(1), in_a_row.tail(1), unrelated.iloc[:-1].head(1)])
    said, digits = [], decimals_for(summary["gain"].abs().max())
    for row in rows.to_dict("records"):
        number = row["variants"]
        if row["tuning"] == TUNINGS[1]:
            kept = f"{tally(number, 'change')}{' in a row, each' if number > 1 else ','} kept if it raises the score"
            tried = f"After {kept}, the system"
        else:
            tried = (
                "If there is only one variant, nothing is chosen: it"
                if number == 1
                else f"The best of {number} unrelated variants"
            )
        tests = f"{row['test_sets']:,.0f} test sets of {row['segments']:.0f} segments"
        low, high = row["fresh_gain"] - 1.96 * row["fresh_error"], row["fresh_gain"] + 1.96 * row["fresh_error"]
        said.append(
            f"{tried} is called better than the baseline on {row['called_better_percent']:.1f} % of {tests} (95 % CI "
            f"{row['low']:.1f} to {row['high']:.1f} %). The mean gain is {signed(row['gain'], digits)} {metric} on "
            f"these test sets and {signed(row['fresh_gain'], digits)} on fresh segments (95 % CI {signed(low, digits)} "
            f"to {signed(high, digits)})."
        )
    return "\n".join(said)


def _name_trials(randomization: Randomization) -> str:
    return "all swaps" if randomization.exact else tally(randomization.n_trials, "trial")


def _end_units(lines: list[str], table: pd.DataFrame) -> str:
    """Join what is said of each way of sampling, and add what its samples are, and why no documents are drawn."""
    lines[-1] += _warn_of_parts(table["part_of_test_set"].max(), 1)
    if "document" not in set(table["unit"]):
        lines.append(
            f"{NO_DOCUMENTS}, so blocks of neighbouring segments are drawn instead; the correlation of neighbours in "
            "these samples decides how long they are. (Where no correlation between neighbours is found, a block is "
            "one segment.)"
        )
    return "\n".join(lines)


def is_large_part(size: float, n_segments: int) -> bool:
    """Say whether a sample agrees with the test set because it is much of it."""
    return size > LARGE_PART * n_segments


def _warn_of_parts(size: float, n_segments: int) -> str:
    """Warn where a sample is a large part of the test set whose score is taken as the truth."""
    if not is_large_part(size, n_segments):
        return ""
    return (
        f" But a sample is up to {100 * size / n_segments:.0f} % of the test set that is taken as the truth, and so "
        "agrees with it better than separate samples would."
    )


# ---- as titles of figures


def count_samples(frame: pd.DataFrame, sampling: str | None = None) -> str:
    """Count the rows of a frame with their name: "100 blocks", "1 broad sample", "100 samples"."""
    return tally(len(frame), NAMES[sampling] if sampling else "sample")


def ways_of(frame: pd.DataFrame) -> list[tuple[str | None, pd.DataFrame]]:
    """Return the samples of each way of sampling in a frame of `score_samples`, with its name; None if it has none."""
    return [*frame.groupby("sampling", sort=False)] if "sampling" in frame else [(None, frame)]


def title_samples(frame: pd.DataFrame, metric: str, system: str | None = None, sampling: str | None = None) -> str:
    """Say between which scores samples lie, or how far each way of sampling spreads (a frame of `score_samples`)."""
    scores = frame["score"]
    if "sampling" in frame:
        spread = frame.groupby("sampling", sort=False)["score"].std()
        digits = decimals_for(spread.min())
        each = [f"{fixed(spread[one], digits)} on {count_samples(part, one)}" for one, part in ways_of(frame)]
        return f"{system or metric}: SD {' and '.join(each)}"
    low, high = scores.min(), scores.max()
    digits = decimals_for(high - low, 1)
    whose = f"{system} scores" if system else "Scores are"
    return f"{whose} {fixed(low, digits)} to {fixed(high, digits)} {metric} on {count_samples(frame, sampling)}"


def title_differences(frame: pd.DataFrame, a: str, b: str, sampling: str | None = None) -> str:
    """Say on how many samples which system is better (a frame of `difference_samples`)."""
    if "sampling" in frame:
        each = [f"{int((part['difference'] < 0).sum())} of {count_samples(part, one)}" for one, part in ways_of(frame)]
        return f"{b} scores higher on {' and '.join(each)}"
    n_a, n_b = int((frame["difference"] > 0).sum()), int((frame["difference"] < 0).sum())
    return f"{a} scores higher on {n_a} of {count_samples(frame, sampling)}, {b} on {n_b}"


def title_intervals(frame: pd.DataFrame) -> str:
    """Say how many intervals miss the true score (a frame of `interval_samples`)."""
    missed = int((~frame["covers"]).sum())
    return f"{missed} of {tally(len(frame), 'interval')} {agree(missed, 'miss', 'es')} the score of the whole test set"


def title_methods(intervals: Mapping[str, Interval], whole: float) -> str:
    """Say how many intervals of one sample hold the true score (those of `compare_intervals`)."""
    ends = [(one.low, one.high) for one in intervals.values() if one.low is not None and one.high is not None]
    held = sum(low <= whole <= high for low, high in ends)
    return f"{held} of {tally(len(ends), 'interval')} {agree(held, 'contain')} the score of the whole test set"


def title_conclusions(frame: pd.DataFrame) -> str:
    """Say how many samples conclude for which system (a frame of `conclude`, of one pair)."""
    a, b = frame["a"].iloc[0], frame["b"].iloc[0]
    n_a, n_b = (int((frame["conclusion"] == name).sum()) for name in (a, b))
    return f"{n_a} of {tally(len(frame), 'sample')} {agree(n_a, 'conclude')} that {a} is better, {n_b} that {b} is"


def title_density(curve: pd.DataFrame) -> str:
    """Say where the shaded part of the curve ends (a frame of `student_density`)."""
    inside = curve.loc[curve["inside"], "score"]
    return f"The shaded 95 % lie between {inside.min():.3g} and {inside.max():.3g}"


def title_growth(frame: pd.DataFrame, metric: str) -> str:
    """Say which interval the last step gives (a frame of `grow_interval`)."""
    last = frame.iloc[-1]
    resamples, digits = tally(int(last["resamples"]), "resample"), decimals_for(last["high"] - last["low"], 1)
    return f"{resamples} give the interval {fixed(last['low'], digits)} to {fixed(last['high'], digits)} {metric}"


def title_deviations(frame: pd.DataFrame) -> str:
    """Compare the spread of resamples with that of fresh samples (a frame of `compare_with_fresh_samples`)."""
    spread = frame.groupby("source")["deviation"].std()
    fresh, resampled = spread["fresh samples"], spread["resamples"]
    if not fresh > 0:
        return "All fresh samples have the same score"
    said = f"The resamples of one sample spread {resampled / fresh:.2f} times as far as fresh samples do"
    part = frame["part_of_test_set"].max() if "part_of_test_set" in frame else 0
    if not is_large_part(part, 1):
        return said
    return f"{said}, but these hold {100 * part:.0f} % of the test set each, so they resemble one another"


def title_neighbours(frame: pd.DataFrame) -> str:
    """Say how many correlations are larger than those of unrelated segments (a frame of `autocorrelate`)."""
    outside = int((frame["autocorrelation"].abs() > frame["noise"]).sum())
    lie = agree(outside, "lie")
    return f"{outside} of {tally(len(frame), 'correlation')} {lie} outside the range of unrelated segments"


def title_calibration(bins: pd.DataFrame) -> str:
    """Say in how many bins the confidence agrees with the share that is right (a frame of `bin_conclusions`).

    A confidence of 100 % is not counted: winning all resamples is not a confidence of exactly 100 %.
    """
    counted = bins[(bins["conclusions"] > 0) & (bins["mean_confidence"] < 100)]
    if counted.empty:
        return "No conclusion has a confidence below 100 %"
    if counted["low"].isna().any():
        apart = (counted["mean_confidence"] - counted["correct_percent"]).abs().max()
        return f"The share of resamples won and the share right differ by at most {apart:.0f} percentage points"
    agree = counted["mean_confidence"].between(counted["low"], counted["high"]).sum()
    bins_agree = f"{agree} of {tally(len(counted), 'bin')}"
    return f"The share of resamples won lies inside the 95 % CI of the share right in {bins_agree}"


def title_lengths(frame: pd.DataFrame) -> str:
    """Say what each metric loses in the shortest and in the longest output (a frame of `score_lengths`)."""
    given = frame.dropna(subset="percent").reset_index(drop=True)
    curves = [part.sort_values("ratio") for _, part in given.groupby(["metric", "system"], sort=False)]
    whole = [part.loc[(part["ratio"] - 1).abs().idxmin()] for part in curves]
    said = []
    for place in (0, -1):
        ends = [part.iloc[place] for part, one in zip(curves, whole, strict=True) if part.iloc[place].name != one.name]
        if ends:
            end = pd.DataFrame(ends)
            changes = [
                f"{metric} {_change(100 - part['percent'])}" for metric, part in end.groupby("metric", sort=False)
            ]
            ratios = say_span(end["ratio"].min(), end["ratio"].max(), 2)
            said.append(f"at {ratios} times the reference's length, {', '.join(changes)}")
    if not said:
        return "All outputs have the same length"
    return begin("; ".join(said))


def _change(losses: pd.Series) -> str:
    """Say how much scores lose (in % of the score), over systems."""
    losses = losses.round()
    low, high = losses.min(), losses.max()
    if low == high == 0:
        return "hardly changes"
    if low >= 0:
        return f"loses {say_span(low, high, 0)} %"
    if high <= 0:
        return f"rises by {say_span(-high, -low, 0)} %"
    return f"changes by {-high:+.0f} to {-low:+.0f} %"


def title_reference_counts(frame: pd.DataFrame, metric: str) -> str:
    """Say how much further references add to a score (a frame of `score_reference_counts`)."""
    means = frame.groupby(["system", "references"])["score"].mean().unstack()
    fewest, most = means.columns.min(), means.columns.max()
    gains = means[most] - means[fewest]
    if fewest == most:
        return f"All scores are with {tally(int(most), 'reference')}"
    return f"{most} references instead of {fewest} add {say_span(gains.min(), gains.max(), 1)} {metric}"
