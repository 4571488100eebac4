"""The claims of Koehn (2004), each as numbers that can be computed on any large test set."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from mtworkbench.analyses.judgements import student_interval
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.bootstrap import bootstrap_interval
from mtworkbench.inference.intervals import jackknife_variance
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.metrics import Bleu
from mtworkbench.papers import koehn2004
from mtworkbench.papers.common.beside import Claim, read_real_claims, tabulate_claims
from mtworkbench.papers.koehn2004.error_rates import UNRELATED
from mtworkbench.papers.koehn2004.samples import FIGURE_SIZE
from mtworkbench.papers.koehn2004.significance import SAMPLE_SIZES
from mtworkbench.progress import Progress
from mtworkbench.resampling import RngLike
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics

# By their keys in data/published/koehn2004_numbers.csv.
Numbers = dict[str, float]
#: From this difference on, 300 sentences are said to be enough (§7.1: "at least 2-3%").
CLEAR_DIFFERENCE = 2.0
#: How often one test set is used (claim 8).
N_TESTS = 10
#: The claims about samples of 300 segments: their numbers depend on how many samples there are.
SAMPLE_CLAIMS = (3, 4, 5, 9)


def examine_claims(
    statistics: SegmentStatistics,
    pairs: Sequence[tuple[str, str]] | None = None,
    *,
    conclusions: pd.DataFrame | None = None,
    null: pd.DataFrame | None = None,
    reuse: pd.DataFrame | None = None,
    progress: Progress | None = None,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Put numbers to the claims of Koehn (2004) on a large test set.

    Claim 2 needs several references (`examine_reference_claims`). Claim 8 is advice: not to use one test set again and
    again. What is computed is the cost of not following it (`reuse_test_set`).

    Parameters
    ----------
    statistics : SegmentStatistics
        Of BLEU, on several thousand segments.
    pairs : sequence of (str, str), optional
        All pairs unless given.
    conclusions : DataFrame, optional
        Of `conclude_on_sizes` with samples of 100 and 300 segments, where it is there already.
    null : DataFrame, optional
        Of `conclude_under_null` with samples of 300 segments of the first pair, where it is there already.
    reuse : DataFrame, optional
        Of `reuse_test_set` with the first pair and 10 variants among its counts, where it is there already.
    progress : callable, optional
        Wraps the systems, whose intervals take longest, such as ``tqdm``.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        One row per number: ``quantity``, ``paper`` (of its own systems; NaN where it says it in words), ``here`` (NaN
        where these systems have no such number, such as without a pair 2 BLEU apart), ``difference``, ``claim`` (1-9,
        as the workbench numbers them), ``section`` of the paper, ``key`` (the same for any data), ``samples``: for
        claims 3, 4, 5 and 9, how many samples of 300 segments the test set makes (the paper's makes 100), else NaN.

    Raises
    ------
    InputError
        For a test set that does not hold a sample of 300 segments.

    Warns
    -----
    DataWarning
        For a metric other than BLEU, about which the paper claims nothing: ``here`` is then NaN (code ``"not-bleu"``).
    """
    _check_size(statistics)
    if not isinstance(statistics.metric, Bleu):
        return _claims_of_the_paper(statistics)
    pairs = koehn2004.ordered_pairs(statistics) if pairs is None else list(pairs)
    system = statistics[pairs[0][0]]
    if conclusions is None:
        sizes = [size for size in SAMPLE_SIZES[:3] if size <= len(statistics.test_set)]
        conclusions = koehn2004.conclude_on_sizes(statistics, pairs, sizes, rng=rng)
    a, b = (statistics[name] for name in pairs[0])
    if null is None:
        null = koehn2004.conclude_under_null(a, b, FIGURE_SIZE, rng=rng)
    if reuse is None:
        reuse = koehn2004.reuse_test_set(a, b, counts=(N_TESTS,), rng=rng)
    rates = koehn2004.tabulate_error_rates(conclusions, null)
    tables = [koehn2004.read_published(f"table{number}") for number in (1, 3, 4)]
    frame = _tabulate(
        _not_a_mean(statistics, system, rng)
        | _precisions(koehn2004.tabulate_systems(statistics))
        | _differences(statistics, rng)
        | _neighbours(system)
        | _samples(system, rng)
        | _intervals(statistics, rng, progress)
        | _sample_sizes(koehn2004.tabulate_conclusions(conclusions))
        | _levels(koehn2004.bin_conclusions(conclusions))
        | _error_rates(rates)
        | _reuse(koehn2004.summarize_reuse(reuse), rates)
        | _student_coverage(system, rng),
        _precisions(tables[0]) | _sample_sizes(tables[1]) | _levels(tables[2]),
    )
    frame["samples"] = np.where(frame["claim"].isin(SAMPLE_CLAIMS), len(statistics.test_set) // FIGURE_SIZE, np.nan)
    return frame


def examine_reference_claims(outputs: pd.DataFrame, *, rng: RngLike = None) -> pd.DataFrame:
    """Put numbers to the paper's claim on references (claim 2), where there are several.

    Parameters
    ----------
    outputs : DataFrame
        With at least two reference columns.
    rng : int, numpy.random.Generator or None
        Chooses references where not all choices are taken.

    Returns
    -------
    DataFrame
        As of `examine_claims`.
    """
    counts = koehn2004.score_reference_counts(outputs, rng=rng)
    means = counts.groupby("references")["score"].mean()
    human = koehn2004.score_references(outputs).query("scored != 'human'")["relative_to_human"]
    numbers = {
        "references": means.index[-1],
        "one_reference": means.iloc[0],
        "two_references": means.iloc[1],
        "all_references": means.iloc[-1],
        "relative_to_human": human.mean(),
        "highest_relative_to_human": human.max(),
    }
    return _tabulate(numbers, {}).assign(samples=np.nan)


def examine_length_claims(lengths: pd.DataFrame) -> pd.DataFrame:
    """Put numbers to what the caption of Fig. 1 says of shorter output.

    Parameters
    ----------
    lengths : DataFrame
        Of `score_lengths`, of BLEU and of GTM.

    Returns
    -------
    DataFrame
        As of `examine_claims`: what each metric loses where the output is shortest, mean of the systems.
    """
    shortest = lengths.loc[lengths.groupby(["metric", "system"])["ratio"].idxmin()]
    ratio = shortest["ratio"].mean()
    claims = []
    for name in ("BLEU", "GTM"):
        lost = 100 - shortest.loc[shortest["metric"].str.startswith(name), "percent"].mean()
        quantity = f"what {name} loses where the output has {ratio:.2f} times the reference's length (%)"
        claims.append(Claim(f"short_{name.lower()}", 1, "Fig. 1", quantity, np.nan, lost))
    return tabulate_claims(claims).assign(samples=np.nan)


def claims_beside_real(claims: pd.DataFrame, made_up: pd.DataFrame | None = None) -> pd.DataFrame:
    """Compare the claims here with those on real outputs.

    Parameters
    ----------
    claims : DataFrame
        Of `examine_claims`.
    made_up : DataFrame, optional
        Claims that were examined on made-up outputs, whatever the others were examined on; they get a column
        ``made_up``.

    Returns
    -------
    DataFrame
        The claims with the columns ``real`` and ``real_samples``, and claims that were examined on real outputs alone
        (``here`` is NaN). The real outputs are not shipped; ``scripts/examine_real_claims.py`` computed the columns
        from them (see ``data/real/README.md``).
    """
    real = read_real_claims("koehn2004").rename(columns={"here": "real", "samples": "real_samples"})
    beside = claims.merge(real[["key", "real", "real_samples"]], on="key", how="left")
    alone = real[~real["key"].isin(claims["key"])].assign(here=np.nan, samples=np.nan, difference=np.nan)
    order = [*claims.columns, "real", "real_samples"]
    both = pd.concat([beside[order], alone[order].astype(beside[order].dtypes)])
    both = both.sort_values("claim", kind="stable", ignore_index=True)
    if made_up is not None:
        values = made_up.set_index("key")["here"]
        both.insert(both.columns.get_loc("real"), "made_up", both["key"].map(values))
    return both


def _claims_of_the_paper(statistics: SegmentStatistics) -> pd.DataFrame:
    """Return the claims without numbers of these systems, and warn that there are none."""
    warnings.warn(
        DataWarning(
            "not-bleu",
            f"The claims of Koehn (2004) are about BLEU, but the statistics are of {statistics.metric.name}, so no "
            'number is computed for them: take compute_statistics(outputs, "bleu").',
        ),
        stacklevel=3,
    )
    claims = read_real_claims("koehn2004")
    elsewhere = (claims["claim"] == 2) | (claims["section"] == "Fig. 1")
    return claims[~elsewhere].assign(here=np.nan, difference=np.nan, samples=np.nan).reset_index(drop=True)


def _check_size(statistics: SegmentStatistics) -> None:
    if len(statistics.test_set) < FIGURE_SIZE:
        raise InputError(
            "sample-size",
            f"The claims of Koehn (2004) are about samples of {FIGURE_SIZE} segments, but the test set has "
            f"{len(statistics.test_set)}: take a larger one.",
        )


def _tabulate(numbers: Mapping[str, float], paper: Mapping[str, float]) -> pd.DataFrame:
    """Lay numbers beside those of the paper: those of its tables, and those that it prints elsewhere."""
    described = koehn2004.read_published("numbers").set_index("key")
    printed = {**paper, **described["paper"].dropna()}
    known = described[["claim", "section", "quantity"]].to_dict("index")
    return tabulate_claims(
        Claim(key, **known[key], paper=printed.get(key, np.nan), here=here) for key, here in numbers.items()
    )


def _not_a_mean(statistics: SegmentStatistics, system: SystemStatistics, rng: RngLike) -> Numbers:
    orders = koehn2004.score_orders(statistics).query("order == 4").set_index("system")
    sentences = system.metric.segment_score(system.values[0])
    interval = bootstrap_interval(system, unit="segment", method="percentile", rng=rng)
    variance = jackknife_variance(ScoreTable.of([system]).influence[0])
    jackknife = np.nan if variance is None else variance**0.5
    return {
        "less_mean": float(system.score().mean()) - float(sentences.mean()),
        "no_match": orders.loc[system.system, "no_match_percent"],
        "analytical": np.nan if interval.s_sel is None else jackknife / interval.s_sel,
    }


def _precisions(table: pd.DataFrame) -> Numbers:
    """Compare the 4-gram precision of the lowest-scoring system with that of the highest-scoring one."""
    by_score = table.sort_values("bleu")["precision_4"].to_numpy()
    return {"half_precision": 100 * by_score[0] / by_score[-1] if by_score[-1] else np.nan}


def _differences(statistics: SegmentStatistics, rng: RngLike) -> Numbers:
    a, b = (statistics[name] for name in koehn2004.choose_figure_pairs(statistics)[0])
    samples = koehn2004.choose_samples(a.n_segments, FIGURE_SIZE, "broad", rng=rng)
    return {"largest_difference": koehn2004.difference_samples(a, b, samples)["difference"].max()}


def _neighbours(system: SystemStatistics) -> Numbers:
    first = koehn2004.autocorrelate(system, 1).iloc[0]
    return {"neighbours": first["autocorrelation"] / first["noise"]}


def _samples(system: SystemStatistics, rng: RngLike) -> Numbers:
    spread, deviation = {}, {}
    for sampling in ("block", "broad"):
        samples = koehn2004.choose_samples(system.n_segments, FIGURE_SIZE, sampling, rng=rng)
        scores = koehn2004.score_samples(system, samples)["score"]
        spread[sampling], deviation[sampling] = scores.max() - scores.min(), scores.std(ddof=1)
    assumption = koehn2004.summarize_assumption(system, FIGURE_SIZE, rng=rng)
    return {
        "range_block": spread["block"],
        "range_broad": spread["broad"],
        "block_to_broad": deviation["block"] / deviation["broad"],
        "resampled_to_fresh": assumption["resampled_deviation"].mean() / assumption["fresh_deviation"][0],
    }


def _intervals(statistics: SegmentStatistics, rng: RngLike, progress: Progress | None) -> Numbers:
    samples = koehn2004.choose_samples(len(statistics.test_set), FIGURE_SIZE, "broad", rng=rng)
    systems = list(statistics)
    missed = [
        ~koehn2004.interval_samples(statistics[system], samples, rng=rng)["covers"]
        for system in (progress(systems) if progress else systems)
    ]
    return {"missed": 100 * float(np.mean(missed))}


def _sample_sizes(table: pd.DataFrame) -> Numbers:
    numbers = {}
    for size in (FIGURE_SIZE, SAMPLE_SIZES[0]):
        part = table[table["size"] == size]
        clear = part[part["true_difference"].abs() >= CLEAR_DIFFERENCE - 0.05]
        numbers[f"right_{size}"] = clear["correct_percent"].mean()
        numbers[f"wrong_{size}"] = part["wrong_percent"].mean()
    return numbers


def _levels(bins: pd.DataFrame) -> Numbers:
    high = bins[(bins["lowest"] >= 95) & (bins["conclusions"] > 0)]
    right, drawn = (high["correct_percent"] * high["conclusions"]).sum(), high["conclusions"].sum()
    cautious = bins.set_index("lowest").loc[90, "correct_percent"]
    return {"right_at_95": float(right / drawn) if drawn else np.nan, "right_at_90": cautious}


def _error_rates(rates: pd.DataFrame) -> Numbers:
    bootstrap, randomization, _, sign = rates["percent"]
    return {"type_i_bootstrap": bootstrap, "type_i_exchange": randomization, "wrong_sign": sign}


def _reuse(summary: pd.DataFrame, rates: pd.DataFrame) -> Numbers:
    best = summary[summary["tuning"] == UNRELATED].set_index("variants").loc[N_TESTS]
    return {
        "called_better": best["called_better_percent"],
        "chosen_gain": best["gain"],
        "chosen_fresh_gain": best["fresh_gain"],
        "false_conclusion": 100 * (1 - (1 - rates["percent"][0] / 100) ** N_TESTS),
    }


def _student_coverage(system: SystemStatistics, rng: RngLike) -> Numbers:
    scores, numbers = system.metric.segment_score(system.values[0]), {}
    for sampling in ("broad", "block"):
        samples = koehn2004.choose_samples(system.n_segments, FIGURE_SIZE, sampling, rng=rng)
        intervals = [student_interval(scores[sample]) for sample in samples]
        covered = np.mean([interval.low <= scores.mean() <= interval.high for interval in intervals])
        numbers[f"t_covers_{sampling}"] = 100 * float(covered)
    return numbers
