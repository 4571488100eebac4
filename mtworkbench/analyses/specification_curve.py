"""One comparison of two systems under many metrics and options, to see whether another choice changes the verdict.

A specification curve (Simonsohn, Simmons and Nelson, 2020) shows the result of every defensible choice, not of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.inference import compare
from mtworkbench.metrics import Bleu, ChrF, Gtm, Meteor, Nist, Ter, make_metric
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.metrics.protocol import Metric, options_of
from mtworkbench.progress import Progress
from mtworkbench.results.settings import choose_n_resamples
from mtworkbench.statistics.segment_statistics import SegmentStatistics, compute_statistics
from mtworkbench.wording import agree, be, tally
from mtworkbench.words.lines import wrap

#: What papers choose between, as columns of the frame.
CHOICES = ("metric", "case", "tokenizer", "punctuation", "smoothing", "modules")
_TOKENIZERS = ("13a", "intl", "char", "none")
_SMOOTHINGS = ("exp", "floor", "add-k", "none")
# Gains (in %) that differ by less than this are drawn as one point.
_ALIKE = 0.005


def list_specifications(*, with_ter: bool = False) -> list[Metric]:
    """List metrics with the options between which papers choose: metric x case x tokenizer x smoothing or punctuation.

    Parameters
    ----------
    with_ter : bool
        Without numba, TER takes 1 ms for a segment of twenty words and more than 100 ms for one of a hundred, with
        each of its options: many times as long as all the others.

    Returns
    -------
    list of Metric
        BLEU, NIST, chrF and chrF++, GTM with exponents 1 and 2, and TER; METEOR, which needs Java, is left out.
    """
    cases = (False, True)
    found: list[Metric] = [
        Bleu(tokenize, lowercase, smoothing)
        for smoothing, tokenize, lowercase in product(_SMOOTHINGS, _TOKENIZERS, cases)
    ]
    found += [Nist(tokenize, lowercase) for tokenize, lowercase in product(("13a", "intl", "none"), cases)]
    found += [ChrF(word_order=order, lowercase=lowercase) for order, lowercase in product((0, 2), cases)]
    found += [
        Gtm(exponent, tokenize, lowercase)
        for exponent, tokenize, lowercase in product((1.0, 2.0), ("13a", "none"), cases)
    ]
    if with_ter:
        found += [
            Ter(normalized=normalized, no_punct=no_punct, case_sensitive=not lowercase)
            for normalized, no_punct, lowercase in product((False, True), (False, True), cases)
        ]
    return found


def run_specifications(
    outputs: pd.DataFrame,
    a: str,
    b: str,
    metrics: Sequence[str | Metric] | None = None,
    *,
    unit: str = "auto",
    level: float = 0.95,
    n_resamples: int | None = None,
    n_trials: int = 10_000,
    progress: Progress | None = None,
    rng: int | np.random.Generator | None = None,
) -> pd.DataFrame:
    """Compare two systems under every specification, all on the same draws.

    Parameters
    ----------
    outputs : DataFrame
        One row per (system, run, segment), as `read_outputs` returns it.
    a, b : str
        The systems; differences are a - b.
    metrics : sequence of str or Metric, optional
        Those of `list_specifications` by default.
    progress : callable, optional
        Wraps the metrics, whose statistics take longest, such as ``tqdm``.
    unit, level, n_resamples, n_trials, rng
        See `compare`; by default 1,000 resamples, or 20 / (1 - level) if that is larger (2,000 at 99 %). Each
        specification is a comparison of its own: p is not corrected for their number, because they answer one question.

    Returns
    -------
    DataFrame
        One row per specification, from the smallest gain to the largest: ``specification`` (from 1), ``metric``,
        ``case``, ``tokenizer``, ``punctuation``, ``smoothing``, ``modules`` (empty where the metric has no such
        choice), ``signature``, ``difference``, ``low``, ``high`` (in the metric's units), ``p_value``, ``verdict``;
        ``gain_percent``, ``gain_low``, ``gain_high``: the same in % of b's score, positive where a is better, NaN
        where b scores 0; ``conclusion`` ("a better", "b better" or "open"); ``a`` and ``b``.

    Raises
    ------
    InputError
        ``unknown-system``; ``no-direction`` for a metric without a direction; and those of `compare`.
    """
    n_resamples = choose_n_resamples(n_resamples, level)
    chosen = list_specifications() if metrics is None else [make_metric(metric) for metric in metrics]
    for metric in chosen:
        if not has_direction(metric):
            raise InputError(
                "no-direction", f"{metric.name} has no direction, so no system gains under it: leave it out."
            )
    systems = list(dict.fromkeys(outputs["system"]))
    for name in (a, b):
        if name not in systems:
            raise InputError(
                "unknown-system",
                f"There is no system {name!r} in the outputs, which have {', '.join(map(repr, systems))}.",
            )
    pair = pd.concat([outputs[outputs["system"] == name] for name in (a, b)])
    families = _statistics_of_all(pair, progress(chosen) if progress else chosen)
    found = compare(families, b, unit=unit, level=level, n_resamples=n_resamples, n_trials=n_trials, rng=rng)
    rows = [_row(metric, compared) for metric, compared in zip(chosen, found.metrics.values(), strict=True)]
    return _number(pd.DataFrame(rows).assign(a=a, b=b))


def merge_alike(frame: pd.DataFrame) -> pd.DataFrame:
    """Merge specifications that differ only in their smoothing and give the same result into one row.

    Smoothing replaces counts of zero. On a test set where all orders of n-grams have matches, it therefore changes
    nothing (``exp``, ``floor``, ``none``) or next to nothing (``add-k``).

    Parameters
    ----------
    frame : DataFrame
        Of `run_specifications`.

    Returns
    -------
    DataFrame
        The same columns. Where gains and their intervals agree within 0.005 % and verdicts agree, ``smoothing`` names
        all the methods ("exp, floor, add-k, none"), and the other columns are those of the first.
    """
    gains = ["gain_percent", "gain_low", "gain_high"]
    kept: list[pd.Series] = []
    for _, row in frame.iterrows():
        for other in kept:
            same = row["verdict"] == other["verdict"] and _only_difference(row, other) == "smoothing"
            if same and np.allclose(row[gains].astype(float), other[gains].astype(float), rtol=0, atol=_ALIKE):
                methods = {*other["smoothing"].split(", "), row["smoothing"]}
                other["smoothing"] = ", ".join(sorted(methods, key=_SMOOTHINGS.index))
                break
        else:
            kept.append(row.copy())
    return _number(pd.DataFrame(kept).drop(columns="specification"))


def compare_choices(frame: pd.DataFrame) -> pd.DataFrame:
    """Count how often one choice alone changes the conclusion.

    Parameters
    ----------
    frame : DataFrame
        Of `run_specifications` or `merge_alike`.

    Returns
    -------
    DataFrame
        One row per choice: ``choice``, ``pairs`` (of specifications that differ in nothing else; where one metric has
        no such choice, as chrF has no tokenizer, it agrees with all, but not with one that removes punctuation),
        ``changed`` (pairs whose conclusions differ: a better, b better, or open), ``undecided``: how many more pairs
        there are, left out because the verdict of one or both of their specifications is undecided.
    """
    counts = {choice: dict.fromkeys(("pairs", "changed", "undecided"), 0) for choice in CHOICES}
    for (_, one), (_, other) in combinations(frame.iterrows(), 2):
        if choice := _only_difference(one, other):
            if "undecided" in (one["verdict"], other["verdict"]):
                counts[choice]["undecided"] += 1
            else:
                counts[choice]["pairs"] += 1
                counts[choice]["changed"] += int(one["conclusion"] != other["conclusion"])
    table = pd.DataFrame([{"choice": choice, **numbers} for choice, numbers in counts.items()])
    return table[table["pairs"] + table["undecided"] > 0].reset_index(drop=True)


def title_specifications(frame: pd.DataFrame) -> str:
    """Say how many specifications call which system better (a frame of `run_specifications` or `merge_alike`)."""
    a, b = frame["a"].iloc[0], frame["b"].iloc[0]
    n_a, n_b = ((frame["conclusion"] == conclusion).sum() for conclusion in ("a better", "b better"))
    return f"{n_a} of {tally(len(frame), 'specification')} {agree(n_a, 'call')} {a} better, {n_b} {b}"


def describe_specifications(frame: pd.DataFrame) -> str:
    """Say how many specifications call which system better, and which choices change the conclusion.

    Parameters
    ----------
    frame : DataFrame
        Of `run_specifications` or `merge_alike`.
    """
    a, b = frame["a"].iloc[0], frame["b"].iloc[0]
    conclusions = frame["conclusion"]
    counts = [(conclusions == conclusion).sum() for conclusion in ("a better", "b better", "open")]
    n_undecided = (frame["verdict"] == "undecided").sum()
    undecided = f" (of these, {n_undecided} undecided: p is too close to the level)" if n_undecided else ""
    gains = frame["gain_percent"]
    lines = [
        f"Of {tally(len(frame), 'specification')}, {counts[0]} {agree(counts[0], 'call')} {a} better, {counts[1]} "
        f"{agree(counts[1], 'call')} {b} better, and {counts[2]} {agree(counts[2], 'leave')} it open{undecided}.",
    ]
    if gains.notna().any():
        lines.append(f"The gain of {a} over {b} is {gains.min():+.2f} % to {gains.max():+.2f} %.")
    choices = compare_choices(frame)
    compared = choices[choices["pairs"] > 0]
    for word, part in (
        ("change", compared[compared["changed"] > 0]),
        ("never change", compared[compared["changed"] == 0]),
    ):
        found = [
            f"{row.choice} ({f'in {row.changed} of ' if row.changed else ''}{tally(row.pairs, 'pair')})"
            for row in part.itertuples()
        ]
        if found:
            lines.append(
                f"Choices that {word} the conclusion, in pairs of specifications that differ in nothing else: "
                f"{', '.join(found)}."
            )
    if left_out := choices["undecided"].sum():
        lines.append(
            f"{tally(left_out, 'further pair')} {be(left_out)} not counted, because the verdict "
            "of one or both specifications is undecided."
        )
    return wrap(lines)


def _statistics_of_all(outputs: pd.DataFrame, metrics: Iterable[Metric]) -> list[SegmentStatistics]:
    """Compute statistics; BLEU's do not depend on its smoothing, so they are computed once for all of them."""
    known: list[SegmentStatistics] = []
    for metric in metrics:
        same = next((one for one in known if _unsmoothed(one.metric) == _unsmoothed(metric)), None)
        known.append(compute_statistics(outputs, metric) if same is None else replace(same, metric=metric))
    return known


def _unsmoothed(metric: Metric) -> Metric:
    return replace(metric, smooth_method="none", smooth_value=None) if isinstance(metric, Bleu) else metric


def _row(metric: Metric, compared) -> dict[str, object]:
    (pair,) = compared.comparisons
    score = next(one.score for one in compared.systems if one.system == pair.b)
    sign = 100 * sign_of(metric)
    advantage = sign * pair.difference
    gains = [np.nan if score == 0 or end is None else sign * end / score for end in (pair.low, pair.high)]
    return {
        "metric": metric.name,
        **_choices(metric),
        "signature": compared.signature,
        "difference": pair.difference,
        "low": np.nan if pair.low is None else pair.low,
        "high": np.nan if pair.high is None else pair.high,
        "p_value": pair.p_value,
        "verdict": pair.verdict,
        "gain_percent": advantage / score if score else np.nan,
        "gain_low": min(gains),
        "gain_high": max(gains),
        "conclusion": "open" if pair.verdict != "significant" else "a better" if advantage > 0 else "b better",
    }


def _choices(metric: Metric) -> dict[str, str]:
    """Return what was chosen for a metric, empty where there is nothing to choose."""
    if isinstance(metric, Ter):
        tokenizer = "tercom" if metric.normalized else "none"
        return _name_choices(not metric.case_sensitive, tokenizer, not metric.no_punct)
    if isinstance(metric, Meteor):
        ignored = metric.norm or metric.lowercase
        return _name_choices(
            ignored, "meteor" if metric.norm else "none", metric.punctuation, modules=" ".join(metric.listed("modules"))
        )
    options = options_of(metric)
    return _name_choices(
        options.get("lowercase"),
        str(options.get("tokenize", "")),
        None,
        smoothing=str(options.get("smooth_method", "")),
    )


def _name_choices(ignored: bool | None, tokenizer: str, punctuation: bool | None, **more: str) -> dict[str, str]:
    case = "" if ignored is None else "ignored" if ignored else "kept"
    kept = "" if punctuation is None else "kept" if punctuation else "removed"
    return {"case": case, "tokenizer": tokenizer, "punctuation": kept, "smoothing": "", "modules": ""} | more


def _number(frame: pd.DataFrame) -> pd.DataFrame:
    """Sort specifications by their gains and number them."""
    frame = frame.sort_values("gain_percent", kind="stable", ignore_index=True)
    frame.insert(0, "specification", np.arange(1, len(frame) + 1))
    return frame


def _only_difference(one: pd.Series, other: pd.Series) -> str | None:
    """Return the one choice in which two specifications differ; what one of them cannot choose is no difference.

    Where punctuation is removed, another metric, which cannot do that, differs in more than the metric.
    """
    different = [choice for choice in CHOICES if one[choice] and other[choice] and one[choice] != other[choice]]
    unlike = [choice for choice in CHOICES if one[choice] != other[choice]]
    if len(different) != 1 or (different != ["metric"] and unlike != different):
        return None
    punctuation = {one["punctuation"], other["punctuation"]}
    return None if different == ["metric"] and punctuation == {"removed", ""} else different[0]
