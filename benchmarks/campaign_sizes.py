"""How often the tests of a campaign err, on the user's own test sets, and how often one new set is where it should be.

``python -m benchmarks.campaigns`` measures both, ``data/calibration`` has the counts, ``docs/validity.md`` shows them.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import stdtrit
from scipy.stats import skew

from mtworkbench.analyses.calibration import find
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.bootstrap import resample
from mtworkbench.inference.calibrate import draw_units, swap_units
from mtworkbench.inference.comparison import compare_test_sets
from mtworkbench.inference.families import settle_unit
from mtworkbench.inference.intervals import TIE, judge_by_t, monte_carlo_ends
from mtworkbench.inference.new_sets import error_of_mean, expect_new_sets, rest_on
from mtworkbench.inference.over_sets import VarianceOfMean
from mtworkbench.inference.score_table import ScoreTable, pair_table
from mtworkbench.progress import Progress
from mtworkbench.resampling import (
    SIMULATION,
    SUBSAMPLES,
    RandomKey,
    RngLike,
    draw_below,
    exchange_coins,
    resolve_rng,
    stream_words,
    take_least,
)
from mtworkbench.results.settings import check_choice, check_draws, check_level
from mtworkbench.results.verdicts import ROUNDING
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics.segment_statistics import SegmentStatistics

#: Ways to make two systems that are equally good: on these test sets, or over all test sets like these.
WITHIN_SETS, BY_SET = "swapped within sets", "swapped by set"
CENTRED, TURNED = "centred", "centred and turned"
NULLS = (WITHIN_SETS, BY_SET, CENTRED, TURNED)
#: What calls the systems different: the tests of both claims, an interval that excludes 0; Cochran's Q, the sets.
ON_THESE, ON_NEW = "these test sets", "new test sets"
ON_THESE_BY_JACKKNIFE, OF_SPREAD = "jackknife on these test sets", "Cochran's Q"
RULES = {
    WITHIN_SETS: (ON_THESE, ON_NEW, ON_THESE_BY_JACKKNIFE, OF_SPREAD),
    BY_SET: (ON_THESE, ON_NEW),
    CENTRED: (ON_NEW,),
    TURNED: (ON_NEW,),
}
#: Resamples of each set that the null "centred" takes its noise from.
N_RESAMPLES = 1000
#: What `leave_sets_out` counts.
LEFT_OUT = ("count", "choices", "count_before", "chosen", "narrower", "narrower_before", "covers_all")
LEFT_OUT += ("covers_all_before", "narrow", "narrow_count", "narrow_count_before")


def load_campaign_sizes() -> pd.DataFrame:
    """Load what was measured: rows of `measure_campaign_sizes`, with ``seed``, ``version`` and a ``finding``.

    The finding is that of `load_calibration`; of "these test sets" it is empty where sets are swapped as a whole,
    because the systems then differ on these sets.
    """
    frame = pd.read_csv(find_shipped("data/calibration/campaigns.csv"))
    frame["finding"] = [find("size", count, n) for count, n in frame[["count", "repetitions"]].itertuples(index=False)]
    frame.loc[(frame["null"] == BY_SET) & (frame["rule"] == ON_THESE), "finding"] = ""
    return frame


def load_sets_left_out() -> pd.DataFrame:
    """Load what was counted: rows of `leave_sets_out`, with ``version``."""
    return pd.read_csv(find_shipped("data/calibration/new_sets.csv"))


def measure_campaign_sizes(
    sets: Mapping[str, SegmentStatistics],
    a: str,
    b: str,
    *,
    nulls: Sequence[str] = NULLS,
    n_sets: Sequence[int] = (3, 5, 14),
    n_repetitions: int = 2000,
    n_segments: int | None = None,
    n_trials: int = 199,
    unit: str = "auto",
    level: float = 0.95,
    rng: RngLike = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Measure how often `compare_test_sets` calls two systems different that are made equally good.

    Each repetition takes some of the test sets at random, makes the systems equal on them, and judges:

    - *swapped within sets*: a coin for each unit decides whether the systems swap their outputs of it. The truth is 0
      on these sets, and the sets do not differ.
    - *swapped by set*: a coin for each set decides whether the systems swap all their outputs of it. The truth is 0
      over test sets, but not on these: the test on these sets should reject. Where the systems differ clearly, sets
      are of two kinds, +d and -d, which is far from the normal distribution that Student's t assumes.
    - *centred*: sets are drawn with replacement, and the mean of all sets' differences is subtracted from theirs; to
      each a bootstrap resample adds the noise of its segments. The truth is 0 over test sets, which spread as they
      really do.
    - *centred and turned*: the same, but a coin turns the sign of each set's difference, so that they are symmetric
      about 0. What Student's t errs more often without it is due to a skewed distribution of the sets.

    Parameters
    ----------
    sets : mapping of str to SegmentStatistics
        Test sets, each under the same metric.
    a, b : str
        Two systems that all sets have, with equal numbers of runs.
    nulls : sequence of str
        Names of these null hypotheses.
    n_sets : sequence of int
        How many sets a repetition takes.
    n_repetitions : int
    n_segments : int, optional
        So many segments of each set are drawn without replacement, in whole units; by default all. The last two null
        hypotheses take whole sets.
    n_trials : int
        Random exchanges; of 199, exactly 10 of the 200 ranks of the observed difference give p <= 0.05.
    unit : str
        What is swapped and drawn in each set: see `compare`.
    level : float
    rng : int, numpy.random.Generator or None
        Repetition r draws as sample r of a study: see docs/draws.md.
    progress : callable, optional
        Wraps the repetitions of each null hypothesis and number of sets.

    Returns
    -------
    DataFrame
        One row per null hypothesis, number of sets, and rule: ``metric``, ``a``, ``b``, ``null``, ``n_sets``, ``rule``
        ("these test sets", "new test sets"; for the first null also "jackknife on these test sets", whether that
        interval excludes 0, and "Cochran's Q", whether the sets are called different), ``n_segments`` (missing: all),
        ``count`` of rejections, ``repetitions``, ``percent``, and ``low`` and ``high``, the ends of its 95 % interval
        (Clopper-Pearson).

    Raises
    ------
    InputError
        ``sample-size`` where there are not so many test sets, and where an argument is not what it should be.
    """
    check_level(level)
    check_draws("n_repetitions", n_repetitions)
    check_draws("n_trials", n_trials)
    for null in nulls:
        check_choice("nulls", null, NULLS)
    for number in n_sets:
        if not 2 <= number <= len(sets):
            raise InputError(
                "sample-size",
                f"{number} test sets were asked for, but a number from 2 to {len(sets)} was expected: so many there "
                "are.",
            )
    random_key, rows = resolve_rng(rng), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        tables = {name: make_table(family, a, b, unit) for name, family in sets.items()}
        centred = centre(list(tables.values()), random_key)
        for null in nulls:
            for number in n_sets:
                counts: Counter[str] = Counter()
                repetitions = range(n_repetitions)
                for repetition in progress(repetitions) if progress else repetitions:
                    own = random_key.sample(repetition + 1)
                    if null in (CENTRED, TURNED):
                        counts += reject_centred(centred, number, null, level, own)
                    else:
                        equal = make_equal(tables, number, null, n_segments, own)
                        counts += reject(equal, a, b, null, unit, n_trials, level, own)
                for rule in RULES[null]:
                    share = counts[rule] / n_repetitions
                    ends = monte_carlo_ends(counts[rule], n_repetitions)
                    size = None if null in (CENTRED, TURNED) else n_segments
                    settings = (null, number, rule, size, counts[rule], n_repetitions)
                    rows.append((*settings, *(100 * one for one in (share, *ends))))
    columns = ["null", "n_sets", "rule", "n_segments", "count", "repetitions", "percent", "low", "high"]
    return name_pair(pd.DataFrame(rows, columns=columns), sets, a, b)


def leave_sets_out(
    sets: Mapping[str, SegmentStatistics],
    a: str,
    b: str,
    *,
    n_sets: Sequence[int] = (2, 3, 4, 5, 13),
    level: float = 0.95,
) -> pd.DataFrame:
    """Count how often the difference on one test set lies where others let it be expected.

    Every choice of so many sets, with each of the other sets in turn as the new one. "Before" is what was said when the
    error on the sets that were chosen (by the jackknife) did not count: e = s / sqrt(S), see `expect_new_sets`.

    Parameters
    ----------
    sets : mapping of str to SegmentStatistics
    a, b : str
    n_sets : sequence of int
    level : float

    Returns
    -------
    DataFrame
        One row per number of sets: ``metric``, ``a``, ``b``, ``n_sets``, ``count`` of sets whose difference lies in the
        interval, ``choices``, ``percent``, ``count_before``; ``chosen``: choices of sets; of these, ``narrower`` and
        ``narrower_before``, where the interval for new sets is narrower than that on these sets, and ``covers_all`` and
        ``covers_all_before``, where it has the mean difference on all sets; ``narrow``: the choices with another set
        where it was narrower before, and ``narrow_count`` and ``narrow_count_before`` of sets in the interval of one
        new set there; ``skewness`` of the differences on all sets (G1, which allows for their number). The choices are
        of the same few sets, so that the counts are not binomial.
    """
    check_level(level)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        tables = [make_table(family, a, b, "auto") for family in sets.values()]
    differences = np.array([table.means[0] - table.means[1] for table in tables])
    found = [(table, table.influence[0] - table.influence[1]) for table in tables]
    rows = []
    for number in n_sets:
        counts: Counter[str] = Counter()
        for chosen in combinations(range(len(differences)), number):
            counts += leave_out_others(differences, chosen, VarianceOfMean.of([found[one] for one in chosen]), level)
        percent = 100 * counts["count"] / counts["choices"]
        rows.append({"n_sets": number} | {name: counts[name] for name in LEFT_OUT[:2]} | {"percent": percent}
                    | {name: counts[name] for name in LEFT_OUT[2:]})  # fmt: skip
    return name_pair(pd.DataFrame(rows).assign(skewness=skew(differences, bias=False)), sets, a, b)


def leave_out_others(
    differences: np.ndarray, chosen: Sequence[int], variance: VarianceOfMean, level: float
) -> Counter[str]:
    """Count for one choice of sets what `leave_sets_out` counts."""
    own, others, n_sets = differences[[*chosen]], np.delete(differences, chosen), len(chosen)
    mean, deviation = float(own.mean()), float(own.std(ddof=1))
    t = float(stdtrit(n_sets - 1, (1 + level) / 2))
    half = float(stdtrit(variance.df, (1 + level) / 2)) * math.sqrt(variance.total or 0.0)
    new = expect_new_sets(own, variance.of_sets, level, float(np.abs(differences).max()))
    printed = rest_on(new, [(new.t_p_value, mean - half, mean + half)])
    before, one_before = t * deviation / math.sqrt(n_sets), t * deviation * math.sqrt(1 + 1 / n_sets)
    within = np.count_nonzero(np.abs(others - mean) <= one_before)
    count = np.count_nonzero((printed.one_low <= others) & (others <= printed.one_high))
    narrow = before < half
    # Rounding of middle and half width does not make an interval narrower.
    is_narrower = printed.high - printed.low < 2 * half * (1 - TIE)
    return Counter(
        count=int(count),
        choices=len(others),
        count_before=int(within),
        chosen=1,
        narrower=int(is_narrower),
        narrower_before=int(narrow),
        covers_all=int(printed.low <= differences.mean() <= printed.high),
        covers_all_before=int(abs(mean - differences.mean()) <= before),
        narrow=len(others) * narrow,
        narrow_count=int(count) * narrow,
        narrow_count_before=int(within) * narrow,
    )


def name_pair(frame: pd.DataFrame, sets: Mapping[str, SegmentStatistics], a: str, b: str) -> pd.DataFrame:
    """Put the metric and the systems before the other columns."""
    metric = next(iter(sets.values())).metric.name
    return pd.concat([pd.DataFrame({"metric": metric, "a": a, "b": b}, index=frame.index), frame], axis=1)


def make_table(family: SegmentStatistics, a: str, b: str, unit: str) -> ScoreTable:
    """Make the table of two systems on one test set."""
    first, second = family[a], family[b]
    return pair_table(first, second, settle_unit([first, second], [(0, 1)], unit))


def make_equal(
    tables: Mapping[str, ScoreTable], number: int, null: str, n_segments: int | None, random_key: RandomKey
) -> dict[str, SegmentStatistics]:
    """Take some test sets at random, and make the two systems equal: see `measure_campaign_sizes`.

    The sets are chosen by the stream of subsamples, the coins of sets are the first of the stream of simulation, and
    set i draws units and coins with the key of sample i.
    """
    words = stream_words(random_key.stream(SUBSAMPLES), 0, len(tables))
    names = [[*tables][place] for place in take_least(words, number)]
    coins = exchange_coins(number, 0, 1, key=random_key.stream(SIMULATION))[0]
    found = {}
    for place, (name, coin) in enumerate(zip(names, coins, strict=True), start=1):
        table, own = tables[name], random_key.sample(place)
        if null == WITHIN_SETS:
            first, second = swap_units(table, n_segments, own).systems
        else:
            first, second = table.systems
            if n_segments is not None:
                positions = draw_units(table.units, n_segments, own.sample(1))
                first, second = first.take(positions), second.take(positions)
            if coin:
                first, second = replace(first, values=second.values), replace(second, values=first.values)
        values = {first.system: first.values, second.system: second.values}
        found[name] = SegmentStatistics(first.metric, values, first.test_set, first.metric_signature)
    return found


def reject(
    sets: Mapping[str, SegmentStatistics],
    a: str,
    b: str,
    null: str,
    unit: str,
    n_trials: int,
    level: float,
    random_key: RandomKey,
) -> Counter[str]:
    """Judge two systems on some test sets by each rule: 1 where it calls them different."""
    campaign = compare_test_sets(
        sets, b, unit=unit, rng=random_key, interval="jackknife", n_resamples=1, n_trials=n_trials, level=level
    )
    [metric] = campaign.metrics.values()
    [pair] = metric.comparisons
    rejected = {
        ON_THESE: is_small(pair.p_value, level),
        ON_NEW: is_small(pair.new_sets_p_value, level),
        ON_THESE_BY_JACKKNIFE: (pair.low is not None and pair.low > 0) or (pair.high is not None and pair.high < 0),
        OF_SPREAD: is_small(pair.spread_p_value, level),
    }
    return Counter(rule for rule in RULES[null] if rejected[rule])


def is_small(p_value: float | None, level: float) -> bool:
    """Whether a p is significant by itself."""
    return p_value is not None and p_value <= 1 - level + ROUNDING


def centre(tables: Sequence[ScoreTable], random_key: RandomKey) -> np.ndarray:
    """Return resampled differences of each set, (n_sets, n_resamples), which are 0 in the mean over sets.

    Set i, counted from 1, is resampled with the key of sample i.
    """
    centred = []
    for number, table in enumerate(tables, start=1):
        of_a, of_b = (scores.mean(axis=1) for scores in resample(table, N_RESAMPLES, random_key.sample(number)))
        noise = of_a - of_b
        centred.append(table.means[0] - table.means[1] + noise - noise.mean())
    return np.array(centred) - np.mean(centred)


def reject_centred(centred: np.ndarray, number: int, null: str, level: float, random_key: RandomKey) -> Counter[str]:
    """Draw test sets with replacement, each with a resample of its own, and ask of new ones.

    Sets are drawn with the key of sample 1, their resamples with that of sample 2; the coins are the first of the
    stream of simulation.
    """
    [chosen], [resamples] = (
        draw_below(number, bound, 0, 1, key=random_key.sample(place).stream(SIMULATION))
        for place, bound in enumerate(centred.shape, start=1)
    )
    differences, variances = centred[chosen, resamples], centred.var(axis=1, ddof=1)[chosen].tolist()
    if null == TURNED:
        differences = np.where(exchange_coins(number, 0, 1, key=random_key.stream(SIMULATION))[0], -1, 1) * differences
    error = error_of_mean(differences, variances)
    p_value = judge_by_t(float(differences.mean()), error, number - 1, level, 1.0)[0]
    return Counter([ON_NEW] if is_small(p_value, level) else [])
