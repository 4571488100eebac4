"""What each figure of Koehn (2004) shows, as a title: one sentence, computed from the frame that is drawn."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from mtworkbench.papers.koehn2004.findings import NAMES, is_large_part
from mtworkbench.results.estimates import Interval
from mtworkbench.wording import begin, tally
from mtworkbench.words.cells import decimals_for, say_span
from mtworkbench.words.frames import fixed


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
    return f"{missed} of {tally(len(frame), 'interval')} {_verb(missed, 'miss', 'es')} the score of the whole test set"


def title_methods(intervals: Mapping[str, Interval], whole: float) -> str:
    """Say how many intervals of one sample hold the true score (those of `compare_intervals`)."""
    ends = [(one.low, one.high) for one in intervals.values() if one.low is not None and one.high is not None]
    held = sum(low <= whole <= high for low, high in ends)
    return f"{held} of {tally(len(ends), 'interval')} {_verb(held, 'contain')} the score of the whole test set"


def title_conclusions(frame: pd.DataFrame) -> str:
    """Say how many samples conclude for which system (a frame of `conclude`, of one pair)."""
    a, b = frame["a"].iloc[0], frame["b"].iloc[0]
    n_a, n_b = (int((frame["conclusion"] == name).sum()) for name in (a, b))
    return f"{n_a} of {tally(len(frame), 'sample')} {_verb(n_a, 'conclude')} that {a} is better, {n_b} that {b} is"


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
    lie = _verb(outside, "lie")
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


def _verb(number: int, verb: str, ending: str = "s") -> str:
    return f"{verb}{ending}" if number == 1 else verb
