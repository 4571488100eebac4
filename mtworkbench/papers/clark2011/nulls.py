"""How often tests find a difference between equal methods, by what varies: sentences, runs, or both.

Clark et al. (2011) did not ask this of their test; its answer depends on which variance components there are.

How outputs are dealt out to two pseudo-systems is asked here, too, and the slip of a program that did it otherwise.
Where the runs of each sentence are permuted before a coin decides the side, the second pseudo-system must get the
outputs that the first one did not. MultEval 0.5.1 gives it the *inverse* permutation instead: the same for two runs,
but from three runs on some outputs are used twice and others never, and p comes out too small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mtworkbench.analyses.calibration import load_calibration
from mtworkbench.inference.crossed import crossed_analysis
from mtworkbench.inference.intervals import monte_carlo_ends
from mtworkbench.inference.randomization import approximate_randomization
from mtworkbench.inference.runs import t_test_runs
from mtworkbench.papers.clark2011.randomization import LEVEL
from mtworkbench.papers.clark2011.scores import possible_replications, take_runs
from mtworkbench.papers.simulation.equal_methods import VarianceComponents, make_equal_methods
from mtworkbench.progress import Progress
from mtworkbench.resampling import RandomKey, RngLike, resolve_rng
from mtworkbench.statistics.segment_statistics import SystemStatistics
from mtworkbench.wording import tally
from mtworkbench.work import Study, choose_seed

#: Each null: standard deviations in BLEU of method x sentence, run and rest; runs of each method.
NULLS = (
    (VarianceComponents(0, 0.4, 0.5), 3),
    (VarianceComponents(0, 0.8, 0.5), 3),
    (VarianceComponents(0.5, 0, 0.5), 3),
    (VarianceComponents(0.5, 0.4, 0.5), 3),
    (VarianceComponents(0, 0.4, 0.5), 10),
    (VarianceComponents(0.5, 0, 0.5), 10),
    (VarianceComponents(0.5, 0.4, 0.5), 10),
)

#: Numbers of runs in `tabulate_tests`.
TESTED_RUNS = (1, 2, 5, 10, 25, 50)
#: The tests of `compare_tests`, by their names in ``data/calibration``.
TEST_NAMES = {
    "ar": "exchange by unit",
    "ar by run": "exchange by run",
    "t-test on runs": "t-test on runs",
    "crossed": "crossed",
}
#: Randomization, and two tests by the bootstrap, by their names in ``data/calibration``.
BOOTSTRAP_NAMES = {
    "ar": "randomization",
    "riezler-maxwell": "bootstrap test (Riezler and Maxwell)",
    "koehn2004": "bootstrap, share of wins (Koehn)",
}
TESTS = tuple(TEST_NAMES.values())
#: Repetitions in a unit of a study: some seconds of work.
REPETITIONS_PER_UNIT = 50
PARTITION, INVERSE = "partition", "inverse permutation (MultEval 0.5.1)"


def measure_sizes(
    nulls: Sequence[tuple[VarianceComponents, int]] = NULLS,
    *,
    n_repetitions: int = 2000,
    n_segments: int = 500,
    n_trials: int = 199,
    progress: Progress | None = None,
    rng: RngLike = None,
    study: Study | None = None,
) -> pd.DataFrame:
    """Count how often each test rejects the truth that two methods are equal.

    Parameters
    ----------
    nulls : sequence of (VarianceComponents, int)
        What varies, and how many runs each method has.
    n_repetitions : int
        Made-up experiments for each null.
    n_segments : int
    n_trials : int
        Of the randomization tests.
    progress : callable
        Wraps the repetitions of all nulls, such as ``tqdm``; with a study, units of 50 repetitions.
    rng : int, numpy.random.Generator or None
    study : Study, optional
        Where the work is done, and kept; the numbers are the same.

    Returns
    -------
    DataFrame
        One row per null and test: ``method_by_segment``, ``run``, ``residual`` (standard deviations in BLEU),
        ``n_runs``, ``test`` ("exchange by unit", "exchange by run", "t-test on runs", "crossed"), ``repetitions``,
        ``rejected_percent``, ``low``, ``high`` (its Clopper-Pearson interval, 95 %).
    """
    random_key = resolve_rng(choose_seed(rng, study))
    asked = EqualMethods(tuple(nulls), n_segments, n_trials, random_key)
    size = 1 if study is None else REPETITIONS_PER_UNIT
    firsts = range(0, n_repetitions, size)
    parts = [(place, first, min(size, n_repetitions - first)) for place in range(len(nulls)) for first in firsts]
    units = (study or Study()).run(ask_tests, asked, parts, progress=progress)
    frames = []
    for place, (components, n_runs) in enumerate(nulls):
        found = [unit["p_values"] for part, unit in zip(parts, units, strict=True) if part[0] == place]
        rejected = dict(zip(TESTS, (np.concatenate(found) <= LEVEL).sum(axis=0), strict=True))
        head = {**vars(components), "n_runs": n_runs}
        frames += [pd.DataFrame([head | _share(test, count, n_repetitions)]) for test, count in rejected.items()]
    return pd.concat(frames, ignore_index=True)


@dataclass(frozen=True)
class EqualMethods:
    """What all repetitions of `measure_sizes` share.

    Parameters
    ----------
    nulls : tuple of (VarianceComponents, int)
    n_segments, n_trials : int
    random_key : RandomKey
    """

    nulls: tuple[tuple[VarianceComponents, int], ...]
    n_segments: int
    n_trials: int
    random_key: RandomKey


def ask_tests(asked: EqualMethods, part: tuple[int, int, int]) -> dict[str, np.ndarray]:
    """Make pairs of equal methods, and ask each test about them: a unit of a study.

    Parameters
    ----------
    asked : EqualMethods
    part : (int, int, int)
        The place of the null, the first repetition, counted from 0, and how many.

    Returns
    -------
    dict of str to ndarray
        ``p_values``: (n_repetitions, n_tests), see `compare_tests`.
    """
    place, first, count = part
    components, n_runs = asked.nulls[place]
    rows = []
    for repetition in range(first + 1, first + count + 1):
        own = asked.random_key.sample(place + 1).sample(repetition)
        pair = make_equal_methods(components, asked.n_segments, n_runs, rng=own)
        found = compare_tests(pair["first"], pair["second"], n_trials=asked.n_trials, rng=own)
        rows.append([found[test] for test in TESTS])
    return {"p_values": np.array(rows)}


def read_sizes() -> pd.DataFrame:
    """Read how often each test rejected the truth that two methods are equal, where it was measured beforehand.

    Returns
    -------
    DataFrame
        As of `measure_sizes`, for `NULLS`; from ``data/calibration``.
    """
    measured = load_calibration().query("quantity == 'size' and source == 'made-up BLEU'")
    rows = []
    for components, n_runs in NULLS:
        head = {**vars(components), "n_runs": n_runs}
        same = (measured[["method_by_unit", "run", "residual", "runs_a"]] == [*head.values()]).all(axis=1)
        of_null = measured[same].set_index("test")
        counts = of_null.loc[list(TEST_NAMES), ["count", "repetitions"]]
        rows += [head | _share(TEST_NAMES[test], count, n) for test, count, n in counts.itertuples()]
    return pd.DataFrame(rows)


def read_bootstrap_errors() -> pd.DataFrame:
    """Read how often randomization and the bootstrap call equal systems different (Riezler and Maxwell, 2005).

    Clark et al. (2011), §3, use randomization because it is said to make fewer such errors.

    Returns
    -------
    DataFrame
        One row per number of segments and test, for BLEU of single outputs with independent segments, from
        ``data/calibration``: ``segments``, ``test`` (see `BOOTSTRAP_NAMES`), ``repetitions``, ``rejected_percent``,
        ``low``, ``high`` (its Clopper-Pearson interval, 95 %).
    """
    measured = load_calibration().query("quantity == 'size' and metric == 'bleu' and differing == 1")
    measured = measured.query("unit == 'segment' and independent == 'segment' and runs_a == 1")
    tests = measured.groupby("cell")["test"].agg(set)
    complete = tests.index[[set(BOOTSTRAP_NAMES) <= found for found in tests]]
    rows = []
    for segments, of_size in measured[measured["cell"].isin(complete)].groupby("n_units"):
        for test, counted in of_size.set_index("test").loc[list(BOOTSTRAP_NAMES), ["count", "repetitions"]].iterrows():
            rows.append({"segments": segments} | _share(BOOTSTRAP_NAMES[test], *counted))
    return pd.DataFrame(rows)


def arrange_bootstrap_errors(errors: pd.DataFrame) -> pd.DataFrame:
    """Arrange the errors of randomization and the bootstrap: one row per number of segments, one column per test.

    Parameters
    ----------
    errors : DataFrame
        Of `read_bootstrap_errors`.
    """
    arranged = errors.pivot(index="segments", columns="test", values="rejected_percent")
    return arranged[list(dict.fromkeys(errors["test"]))].rename_axis(columns=None)


def compare_tests(
    a: SystemStatistics,
    b: SystemStatistics,
    *,
    n_trials: int = 10_000,
    rng: RngLike = None,
) -> dict[str, float]:
    """Ask each test whether two systems differ.

    Parameters
    ----------
    a, b : SystemStatistics
        Numbers of runs may differ.
    n_trials : int
        Of the randomization tests, which ask about these outputs: "exchange by unit" and "exchange by run".
    rng : int, numpy.random.Generator or None

    Returns
    -------
    dict of str to float
        Their p-values, and those of "t-test on runs", for which the test set is all there is, and of "crossed", which
        asks about the method. NaN where a test has no answer: exchange by run needs equal numbers of runs, because it
        pairs them by number; the last two need at least two runs of each system, and the t-test runs that vary.
    """
    random_key = resolve_rng(rng)
    p_values: dict[str, float | None] = dict.fromkeys(TESTS)
    for exchange in ("unit", "run"):
        if exchange == "unit" or a.n_runs == b.n_runs:
            p_values[f"exchange by {exchange}"] = approximate_randomization(
                a, b, n_trials=n_trials, unit="segment", exchange=exchange, rng=random_key
            ).p_value
    if min(a.n_runs, b.n_runs) > 1:
        p_values["t-test on runs"] = t_test_runs(a, b).p_value
    p_values["crossed"] = crossed_analysis(a, b, unit="segment").method_p_value
    return {test: np.nan if p_value is None else p_value for test, p_value in p_values.items()}


def tabulate_tests(
    a: SystemStatistics,
    b: SystemStatistics,
    numbers: Sequence[int] | None = None,
    *,
    n_trials: int = 2000,
    progress: Progress | None = None,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Ask each test of `compare_tests` about the first 1, 2, 5, ... runs of two systems.

    Parameters
    ----------
    a, b : SystemStatistics
        Numbers of runs may differ.
    numbers : sequence of int, optional
        Numbers of runs of each system; unless given, those of 1, 2, 5, 10, 25 and 50 that both have, and as many as
        both have.
    n_trials : int
        Of the randomization tests.
    progress : callable, optional
        Wraps the numbers of runs, such as ``tqdm``.
    rng : int, numpy.random.Generator or None
        The same for every number.

    Returns
    -------
    DataFrame
        One row per number of runs and test: ``n_runs``, ``test``, ``difference`` (mean score of a's runs - b's),
        ``p_value`` (NaN where a test has no answer), ``n_trials``.

    Raises
    ------
    InputError
        Where more runs are asked for than there are (``unknown-run``).
    """
    random_key = resolve_rng(rng)
    if numbers is None:
        numbers = sorted({*possible_replications(a, b, TESTED_RUNS), min(a.n_runs, b.n_runs)})
    rows = []
    for number in progress(numbers) if progress else numbers:
        one, other = (take_runs(system, range(1, number + 1)) for system in (a, b))
        difference = float(one.score().mean() - other.score().mean())
        p_values = compare_tests(one, other, n_trials=n_trials, rng=random_key)
        rows += [(number, test, difference, p_value, n_trials) for test, p_value in p_values.items()]
    return pd.DataFrame(rows, columns=["n_runs", "test", "difference", "p_value", "n_trials"])


def name_null(method_by_segment: float, run: float, residual: float, n_runs: int) -> str:
    """Say in a phrase what varies under a null hypothesis, such as "runs differ a lot, 3 runs".

    Parameters
    ----------
    method_by_segment, run, residual : float
        Standard deviations of a corpus score; a run varies a lot where it varies more than the rest.
    n_runs : int
    """
    parts = ["methods differ by sentence"] if method_by_segment else []
    if run:
        parts.append("runs differ a lot" if run > residual else "runs differ")
    return f"{' and '.join(parts) or 'only single outputs differ'}, {tally(n_runs, 'run')}"


def arrange_sizes(sizes: pd.DataFrame, *, named: bool = False) -> pd.DataFrame:
    """Arrange shares of rejections: one row per null, one column per test.

    Parameters
    ----------
    sizes : DataFrame
        Of `measure_sizes`.
    named : bool
        Whether each null is named by a phrase (see `name_null`) instead of by its numbers.
    """
    null = ["method_by_segment", "run", "residual", "n_runs"]
    arranged = sizes.pivot(index=null, columns="test", values="rejected_percent")
    rows = list(dict.fromkeys(sizes[null].itertuples(index=False, name=None)))
    arranged = arranged.loc[rows, list(dict.fromkeys(sizes["test"]))]
    return arranged.set_axis([name_null(*row) for row in rows]) if named else arranged


def _share(test: str, count: int, n: int) -> dict[str, float | int | str]:
    low, high = monte_carlo_ends(count, n)
    return {
        "test": test,
        "repetitions": n,
        "rejected_percent": 100 * count / n,
        "low": 100 * low,
        "high": 100 * high,
    }


def count_uses(numbers: Sequence[int] = (1, 2, 3, 5, 10)) -> pd.DataFrame:
    """Compute how often each output of a sentence is used by the two pseudo-systems together, and what follows for p.

    With the inverse permutation, the two outputs of a run are used once each if the run lies in a cycle of one or two
    runs of the permutation (chance 2 / n), because then both sides ask the same coin. Otherwise two coins are asked,
    and each output is used once with chance 1/2, else twice or never. So the share used once is 1/2 + 1/n for n >= 2.

    An output that is used twice is on both sides, so it cancels, as does one that is never used. So the null
    distribution of the difference has only the outputs that are used once, and its variance is their share of what it
    should be. (The outputs are taken as independent and the difference as normal.)

    Parameters
    ----------
    numbers : sequence of int
        Runs of each system.

    Returns
    -------
    DataFrame
        One row per number of runs and shuffle: ``n_runs``, ``shuffle`` ("partition" or "inverse permutation (MultEval
        0.5.1)"), ``never_percent``, ``once_percent``, ``more_percent`` of the outputs, ``rejected_percent`` (true null
        hypotheses that a test at 5 % rejects).
    """
    from mtworkbench.distributions import ndtr, ndtri

    rows = []
    for n_runs in numbers:
        for shuffle, once in ((PARTITION, 1.0), (INVERSE, min(1.0, 0.5 + 1 / n_runs))):
            other = 50 * (1 - once)  # on average each output is used once
            rows.append(
                {
                    "n_runs": n_runs,
                    "shuffle": shuffle,
                    "never_percent": other,
                    "once_percent": 100 * once,
                    "more_percent": other,
                    "rejected_percent": 200 * float(ndtr(ndtri(LEVEL / 2) * once**0.5)),
                }
            )
    return pd.DataFrame(rows)
