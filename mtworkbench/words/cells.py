"""Numbers of results as tables and sentences show them, one way for each: decimals, ends of intervals, p.

What any number looks like is in `frames`.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator
from weakref import WeakKeyDictionary

from mtworkbench.inference.intervals import TIE
from mtworkbench.metrics.directions import Directed, describe_direction, has_direction, sign_of
from mtworkbench.metrics.protocol import Metric
from mtworkbench.results.campaigns import SetEstimate
from mtworkbench.results.comparisons import AnyMetric, AnyPair
from mtworkbench.results.variance import MetricVariance
from mtworkbench.results.verdicts import ROUNDING, Ends
from mtworkbench.words.frames import USUAL_LEVEL, Cell, fixed, interval_of, threshold_of
from mtworkbench.words.scopes import adjustment_of, name_adjusted

#: What stands in place of a direction.
UNKNOWN = "no direction is known"
#: Decimals of a p that comes from no random draws: it is exact, or of Student's t.
EXACT_DIGITS, MOST_DIGITS = 4, 9
# The decimals of each metric of results that are still there: a table asks for them with every cell.
_DECIMALS: WeakKeyDictionary[AnyMetric | MetricVariance, int] = WeakKeyDictionary()


def digits_of_trials(n_trials: int | None) -> int:
    """Return the decimals of a p: of so many random trials floor(log10(n_trials)), two to four; without any, four."""
    return min(EXACT_DIGITS, max(2, len(str(n_trials)) - 1)) if n_trials else EXACT_DIGITS


def decimals_of(metric: AnyMetric | MetricVariance) -> int:
    """Choose the decimals of scores: two digits of the width of a system's interval, but at least two decimals."""
    if metric not in _DECIMALS:
        _DECIMALS[metric] = decimals_of_intervals((estimate.low, estimate.high) for estimate in metric.systems)
    return _DECIMALS[metric]


def decimals_of_intervals(intervals: Iterable[tuple[float | None, float | None]]) -> int:
    """Choose the decimals by the median width of intervals; absent ones do not count."""
    ends = [(low, high) for low, high in intervals if low is not None and high is not None]
    # An interval that is narrower than rounding errors has no width.
    widths = [high - low for low, high in ends if high - low > TIE * max(abs(low), abs(high))]
    return 2 if not widths else decimals_for(statistics.median(widths))


def decimals_for(spread: float, least: int = 2, most: int = 6) -> int:
    """Choose the decimals that show two digits of a spread, but at least and at most so many."""
    return min(most, max(least, 1 - math.floor(math.log10(spread)))) if spread > TIE else least


def show_ends(ends: Ends, digits: int) -> Cell:
    """Write the interval of a difference: ``[0.31, 4.10]``; ``[>0, 4.10]`` where the end shown as 0 is excluded."""
    if not is_cut(ends, digits):
        return interval_of(*ends[:2], digits)
    low, high = (fixed(end, digits) for end in ends[:2] if end is not None)
    return Cell(f"[>0, {high}]" if _are_above(ends) else f"[{low}, <0]")


def say_ends(ends: Ends, digits: int) -> str:
    """Write the interval of a difference for a sentence: ``0.31 to 4.10`` or ``above 0, up to 4.10``; there is one."""
    low, high = (fixed(end, digits) for end in ends[:2] if end is not None)
    if not is_cut(ends, digits):
        return f"{low} to {high}"
    return f"above 0, up to {high}" if _are_above(ends) else f"below 0, down to {low}"


def is_cut(ends: Ends, digits: int) -> bool:
    """Tell whether an end that is shown as 0 does not belong to the interval."""
    return bool(ends.excludes_zero) and any(end is not None and float(fixed(end, digits)) == 0 for end in ends[:2])


def explain_cut_ends(cells: Iterable[str]) -> Iterator[str]:
    """Say what an end such as ``>0`` means, where one occurs; `show_ends` has written it."""
    intervals = [cell for cell in cells if cell.startswith("[")]
    for end, found in ((">0", "[>0, "), ("<0", ", <0]")):
        if any(found in cell for cell in intervals):
            yield f'"{end}": the CI ends at 0, which is outside'


def _are_above(ends: Ends) -> bool:
    return ends.side > 0 or (ends.side == 0 and (ends.low or 0) > 0)


def say_span(low: float, high: float, digits: int) -> str:
    """Write between which numbers some lie: ``0.31 to 4.10``, or the one number that is shown of all."""
    return " to ".join(dict.fromkeys(fixed(end, digits) for end in (low, high)))


def is_exact(pair: AnyPair | SetEstimate) -> bool:
    """Tell whether p comes from full enumeration, so that it has no simulation error."""
    return pair.p_low == pair.p_high


def name_draws(pairs: Iterable[AnyPair | SetEstimate]) -> tuple[str, str]:
    """Say of which kind a randomization test is, and how many exchanges p comes from: families may need other ones."""
    different = [pair for pair in pairs if pair.randomization.n_coins]
    counts = sorted({pair.n_trials for pair in different if not is_exact(pair)})
    if counts:
        numbers = " to ".join(f"{one:,}" for one in dict.fromkeys((counts[0], counts[-1])))
        also = ", or all exchanges where outputs differ in few units" if any(map(is_exact, different)) else ""
        return "approximate", f"{numbers} trials{also}"
    return "exact", f"all 2^{different[0].randomization.n_coins} exchanges" if len(different) == 1 else "all exchanges"


def p_digits(pair: AnyPair | SetEstimate) -> int:
    """Return the decimals that p has: four where exact, else as many as the trials carry, two to four."""
    return digits_of_trials(None if is_exact(pair) else pair.n_trials)


def digits_near(p: float, level: float, digits: int) -> int:
    """Return the decimals with which any p is shown: as many more as keep one above 1 - level from being rounded to it.

    A reader can then tell on which side of 1 - level it lies, wherever p comes from.
    """
    size = 1 - level + ROUNDING
    while p > size and digits < MOST_DIGITS and float(f"{p:.{digits}f}") <= size:
        digits += 1
    return digits


def show_p(p: float | None, digits: int, level: float = USUAL_LEVEL) -> Cell:
    """Write a p: ``<0.001`` where it is below its last decimal, never 0; an absent one is empty; see `digits_near`."""
    if p is None:
        return Cell()
    digits = digits_near(p, level, digits)
    return Cell(f"<{10.0**-digits:.{digits}f}" if p < 10.0**-digits else f"{p:.{digits}f}")


def show_p_error(low: float, high: float, digits: int) -> Cell:
    """Write the interval of a p's simulation error, or that there is none."""
    ends = dict.fromkeys((show_p(low, digits), show_p(high, digits)))
    return Cell("exact" if low == high else " to ".join(ends))


def name_p(p: float | None, digits: int, label: str = "p", level: float = USUAL_LEVEL) -> str:
    """Write a p for a sentence: ``p = 0.0104`` or ``p < 0.0001``; there is one."""
    shown = show_p(p, digits, level)
    return f"{label} < {shown[1:]}" if shown.startswith("<") else f"{label} = {shown}"


def show_t(p: float | None, level: float) -> Cell:
    """Write a p of Student's t in a cell."""
    return show_p(p, EXACT_DIGITS, level)


def name_t(p: float | None, level: float, label: str = "p") -> str:
    """Write a p of Student's t for a sentence."""
    return name_p(p, EXACT_DIGITS, label, level)


def name_of_p(metric: AnyMetric, *, of_method: bool = False) -> str:
    """Name the p that verdicts go by, as headings do; ``p`` where there is one comparison and nothing is adjusted."""
    return "p" if metric.family_size <= 1 else name_adjusted(adjustment_of(metric, of_method=of_method))


def family_of(metric: AnyMetric, *, of_method: bool = False) -> str:
    """Say for how many comparisons p is adjusted."""
    count = metric.method_family_size if of_method else metric.family_size
    if count == 1:
        return "one comparison"
    others = metric.settings.family == "all" and metric.family_size > len(metric.comparisons)
    return f"{count} comparisons of all metrics" if others else f"{count} comparisons"


def say_share(share: float, n_cases: int) -> str:
    """Write a share in percent, with as many digits as its cases support: ``16 %`` of 100, ``16.4 %`` of 1,000."""
    digits = min(2, max(0, len(str(n_cases)) - 3)) if share else 0
    return f"{100 * share:.{digits}f} %"


def say_undecided(metric: AnyMetric, p: str = "") -> str:
    """Say why a comparison is undecided: ``p is too close to 0.05 to decide with 320,000 trials``, or with its p."""
    return say_close(p or name_of_p(metric), metric.level, max(pair.n_trials for pair in metric.comparisons))


def say_close(p: str, level: float, n_trials: int) -> str:
    """Say that a p, with its name, is too close to 1 - level."""
    return f"{p} is too close to {threshold_of(level)} to decide with {n_trials:,} trials"


def leads(pair: AnyPair | SetEstimate, metric: Directed) -> bool:
    """Tell whether a has the better score; where neither direction is better, the higher one."""
    return sign_of(metric) * pair.difference >= 0


def direction_of(metric: Metric | AnyMetric | MetricVariance) -> str:
    """Say which way is better."""
    if not has_direction(metric) and metric.name.split("|")[0] == "Length":
        return "in % of the references' words, neither direction is better"
    return describe_direction(metric) or UNKNOWN


def round_up(number: int) -> int:
    """Round a number up to three significant digits: what is said to be "about" so many."""
    step = int(10 ** max(len(str(number)) - 3, 0))
    return -(-number // step) * step


def say_direction(metric: AnyMetric) -> str:
    """Say which way is better or, where that is not known, by which option it is told."""
    said, name = direction_of(metric), metric.name
    return f"{said} (--direction {name}=up or {name}=down)" if said == UNKNOWN else said
