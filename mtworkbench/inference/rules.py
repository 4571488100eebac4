"""The rules by which published tools and papers call a difference significant, and those of this package.

Each is a small function of the observed difference and of drawn ones. Differences are turned so that they are above 0
where a is better, and 0 where scores tie. The sources are named in `RULES`; the facts about them, in docs and tests,
were checked against the programs' own numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.inference.intervals import TIE, jackknife_variance, judge_by_t
from mtworkbench.results.verdicts import ROUNDING

#: What comet-compare takes for a tie (its EPS), its number of samples, and their size as a share of the test set.
COMET_TIE, COMET_SAMPLES = 0.001, 300
COMET_SHARE = 0.4
#: The size of compare-mt's samples, as a share of the test set.
COMPARE_MT_SHARE = 0.5


class Observed(NamedTuple):
    """What was observed: the difference, above 0 where a is better, the larger absolute score, and the units' df."""

    difference: float
    scale: float
    df: float

    @property
    def size(self) -> float:
        """The difference without its sign."""
        return abs(self.difference)

    @property
    def tolerance(self) -> float:
        """Differences that are closer than this are equal."""
        return TIE * self.scale


# ---- shares of resamples that are won: 1 - share is what is compared with 1 - level


def lost_by_winner(observed: Observed, drawn: np.ndarray) -> float:
    """Return the share of resamples that the one winning more of them does not win (Koehn (2004), §6)."""
    return 1 - max(np.count_nonzero(drawn > 0), np.count_nonzero(drawn < 0)) / len(drawn)


def lost_by_better(observed: Observed, drawn: np.ndarray) -> float:
    """Return the share of resamples that the system with the better score does not win (the CMU scripts)."""
    return 1 - np.count_nonzero(drawn < 0 if observed.difference < 0 else drawn > 0) / len(drawn)


def lost_by_margin(observed: Observed, drawn: np.ndarray) -> float:
    """Return the share of samples that the one winning more of them does not win by comet-compare's margin."""
    return 1 - max(np.count_nonzero(drawn >= COMET_TIE), np.count_nonzero(drawn <= -COMET_TIE)) / len(drawn)


def smaller_tail(observed: Observed, drawn: np.ndarray) -> float:
    """Return twice the smaller share of resamples on one side of 0, which tie or lie there.

    It is at most 1 - level where the percentile interval excludes 0.
    """
    return min(1.0, 2 * min(np.count_nonzero(drawn <= 0), np.count_nonzero(drawn >= 0)) / len(drawn))


# ---- p from resamples


def absolute_before_centring(observed: Observed, drawn: np.ndarray) -> float:
    """Return Moses' p: b / B, with b the resamples whose abs(d_b) - mean abs(d) is at least abs(D)."""
    sizes = np.abs(drawn)
    return np.count_nonzero(sizes - sizes.mean() >= observed.size - observed.tolerance) / len(drawn)


def strictly_absolute_before_centring(observed: Observed, drawn: np.ndarray) -> float:
    """Return sacreBLEU's p from its bootstrap: as Moses, but strictly larger, and (b + 1) / (B + 1).

    Nothing is rounded or tied here, so that the p is sacreBLEU's to the last digit; D is rounded as numpy rounds it.
    """
    sizes = np.abs(drawn)
    larger = sizes - sizes.mean() > observed.size
    return (np.count_nonzero(larger) + 1) / (len(drawn) + 1)


def centred_on_their_mean(observed: Observed, drawn: np.ndarray) -> float:
    """Return (b + 1) / (B + 1), with b the resamples whose abs(d_b - mean d) is at least abs(D)."""
    return _at_least(np.abs(drawn - drawn.mean()), observed)


def centred_on_the_observed(observed: Observed, drawn: np.ndarray) -> float:
    """Return (b + 1) / (B + 1), with b the resamples whose abs(d_b - D) is at least abs(D)."""
    return _at_least(np.abs(drawn - observed.difference), observed)


def over_twice_the_observed(observed: Observed, drawn: np.ndarray) -> float:
    """Return b / B, with b the resamples in which the better system gains more than 2 abs(D)."""
    gains = -drawn if observed.difference < 0 else drawn
    return np.count_nonzero(gains > 2 * observed.size + observed.tolerance) / len(drawn)


# ---- p from exchanges


def at_least_as_large(observed: Observed, drawn: np.ndarray) -> float:
    """Return (b + 1) / (B + 1), with b the exchanges whose abs(d_b) is at least abs(D) (Noreen, 1989)."""
    return _at_least(np.abs(drawn), observed)


def strictly_larger(observed: Observed, drawn: np.ndarray) -> float:
    """Return (b + 1) / (B + 1), with b the exchanges whose abs(d_b) is larger than abs(D): ties do not count."""
    return (np.count_nonzero(np.abs(drawn) > observed.size + observed.tolerance) + 1) / (len(drawn) + 1)


def _at_least(sizes: np.ndarray, observed: Observed) -> float:
    return (np.count_nonzero(sizes >= observed.size - observed.tolerance) + 1) / (len(sizes) + 1)


# ---- p from Student's t


def t_of_jackknife(observed: Observed, drawn: np.ndarray) -> float:
    """Return the p of D and its delete-one jackknife error; ``drawn`` is the influence of each unit on D."""
    variance = jackknife_variance(drawn)
    variance = math.nan if variance is None or observed.df < 1 else variance
    return _p_of_t(observed.difference, variance, observed.df, observed.scale)


def t_of_segments(observed: Observed, drawn: np.ndarray) -> float:
    """Return the p of the paired t-test of segment scores; ``drawn`` is the difference in each segment."""
    variance = float(drawn.var(ddof=1)) / len(drawn) if len(drawn) > 1 else math.nan
    return _p_of_t(float(drawn.mean()), variance, len(drawn) - 1, float(np.abs(drawn).max()))


def _p_of_t(difference: float, variance: float, df: float, scale: float) -> float:
    """Return a two-sided p with df degrees of freedom; NaN where there is no variance to judge by."""
    p_value = None if math.isnan(variance) else judge_by_t(difference, math.sqrt(variance), df, 0.95, scale)[0]
    return math.nan if p_value is None else p_value


@dataclass(frozen=True)
class Rule:
    """A rule by which a difference is called significant.

    Parameters
    ----------
    name : str
    source : str
        Who published it, and where.
    asks : str
        When it calls a difference significant, in words; ``{level}`` and ``{size}`` stand for the level and for 1 -
        level, in %.
    value : callable
        Of what was observed and drawn: p, or what takes its place, 1 - the share of resamples won. NaN where there is
        none.
    draws : str
        What is drawn: the attribute of `DrawnDifferences`.
    gives : {"p", "confidence", "interval"}
        What its users read.
    by_unit : bool
        Whether it draws documents where these are the units; the others draw segments whatever the test set has.
    of_files : bool
        Whether its program reads one output of each system, so that there is nothing to read several runs from.
    strict : bool
        Whether the value must be below 1 - level; otherwise it may be equal.
    kind : {"fair", "one-sided", "small samples", "strict"}
        What makes its errors more or less than 1 - level where sentences are independent; see `error_rates`.
    """

    name: str
    source: str
    asks: str
    value: Callable[[Observed, np.ndarray], float]
    draws: str
    gives: str = "p"
    by_unit: bool = False
    of_files: bool = False
    strict: bool = False
    kind: str = "fair"

    def rejects(self, value: float, level: float) -> bool:
        """Tell whether a value makes the difference significant; NaN does not."""
        size = 1 - level
        return bool(value < size - ROUNDING if self.strict else value <= size + ROUNDING)


#: One row each, in this order, in `conventions`.
RULES = (
    Rule(
        "koehn2004",
        "Koehn (2004), §6",
        "one system wins at least {level} of the resamples",
        lost_by_winner,
        "resampled",
        gives="confidence",
        kind="one-sided",
    ),
    Rule(
        "cmu",
        "Gimpel (2011), paired_bootstrap_resampling_bleu_v13a.pl of Noah's ARK (CMU)",
        "the system with the better score wins more than {level} of the resamples",
        lost_by_better,
        "resampled",
        gives="confidence",
        of_files=True,
        strict=True,
        kind="one-sided",
    ),
    Rule(
        "moses",
        "Moses, bootstrap-hypothesis-difference-significance.pl",
        "at most {size} of the resampled differences, signs dropped, exceed their mean by the observed difference",
        absolute_before_centring,
        "resampled",
        of_files=True,
        kind="one-sided",
    ),
    Rule(
        "sacrebleu-bs",
        "sacreBLEU 2.6.0, --paired-bs (significance.py)",
        "as moses, on the resamples that sacreBLEU draws, but p is never 0 and ties do not count, so identical systems "
        "are significant",
        strictly_absolute_before_centring,
        "sacrebleu_resampled",
        of_files=True,
        kind="one-sided",
    ),
    Rule(
        "riezler-maxwell",
        "Riezler & Maxwell (2005)",
        "at most {size} of the resampled differences lie as far from their mean as the observed one from 0",
        centred_on_their_mean,
        "resampled",
    ),
    Rule(
        "berg-kirkpatrick",
        "Berg-Kirkpatrick et al. (2012), Fig. 1",
        "at most {size} of the resamples give the better system more than twice its observed gain",
        over_twice_the_observed,
        "resampled",
        kind="one-sided",
    ),
    Rule(
        "compare-mt",
        "compare-mt 0.2.10, sign_utils.py",
        "one system wins more than {level} of samples of half the segments",
        lost_by_winner,
        "half_sampled",
        gives="p",
        of_files=True,
        strict=True,
        kind="small samples",
    ),
    Rule(
        "comet-compare",
        "unbabel-comet 2.2.7, comet/cli/compare.py",
        "one system wins, by 0.001 or more, at least {level} of 300 samples of 40 % of the segments",
        lost_by_margin,
        "comet_sampled",
        gives="confidence",
        of_files=True,
        kind="small samples",
    ),
    Rule(
        "paired t",
        "Student's t, as in unbabel-comet 2.2.7, comet/cli/compare.py",
        "p of the mean difference of the segments' own scores is at most {size}",
        t_of_segments,
        "segment_scores",
    ),
    Rule(
        "sacrebleu-ar",
        "sacreBLEU 2.6.0, --paired-ar (significance.py)",
        "at most {size} of the random exchanges that sacreBLEU draws give a strictly larger difference",
        strictly_larger,
        "sacrebleu_exchanged",
        of_files=True,
        kind="strict",
    ),
    Rule(
        "multeval",
        "MultEval 0.5.1, StratifiedApproximateRandomizationTest.java",
        "at most {size} of random exchanges of the outputs of single runs give a strictly larger difference",
        strictly_larger,
        "exchanged",
        kind="strict",
    ),
    Rule(
        "percentile",
        "Efron & Tibshirani (1993), §13.3",
        "the percentile interval of the difference excludes 0",
        smaller_tail,
        "unit_resampled",
        gives="interval",
        by_unit=True,
    ),
    Rule(
        "shift",
        "Efron & Tibshirani (1993), §16.4",
        "at most {size} of the resampled differences lie as far from the observed one as that lies from 0",
        centred_on_the_observed,
        "unit_resampled",
        by_unit=True,
    ),
    Rule(
        "jackknife",
        "Efron & Tibshirani (1993), §11.2, with Student's t",
        "p of the difference divided by its delete-one jackknife standard error is at most {size}",
        t_of_jackknife,
        "influence",
        by_unit=True,
    ),
    Rule(
        "ar",
        "Noreen (1989), in mtworkbench",
        "at most {size} of random exchanges of outputs give as large a difference",
        at_least_as_large,
        "unit_exchanged",
        by_unit=True,
    ),
)


class Named(Protocol):
    """What one rule found."""

    @property
    def name(self) -> str:
        """The name of the rule."""


Found = TypeVar("Found", bound=Named)


def find_rule(rows: Sequence[Found], name: str) -> Found:
    """Return the row of a rule, or raise an `InputError` (``unknown-rule``) that names those there are."""
    for one in rows:
        if one.name == name:
            return one
    known = ", ".join(repr(one.name) for one in rows)
    raise InputError("unknown-rule", f"There is no rule {name!r} here: name one of {known}.", found=name)
