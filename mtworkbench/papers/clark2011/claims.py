"""The claims of Clark et al. (2011), each as numbers that can be computed from any replications."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from mtworkbench.metrics.directions import sign_of
from mtworkbench.papers import clark2011
from mtworkbench.papers.clark2011.published import PUBLISHED_METRIC
from mtworkbench.papers.clark2011.randomization import LEVEL
from mtworkbench.papers.clark2011.variance import SETTING_NAMES, deviation, selection_deviation
from mtworkbench.papers.common.beside import Claim, tabulate_claims
from mtworkbench.resampling import RngLike, resolve_rng
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics

#: Footnote 1: a gain of this many points of BLEU is conventionally trusted.
TRUSTED_GAIN = 1.0
N_RESAMPLES = 1000
#: Into how many parts the test set is cut, and how often, to see whether s_sel is what separate test sets would show.
N_PARTS, N_PARTITIONS = 5, 10


def examine_claims(
    test: SegmentStatistics,
    dev: SegmentStatistics | None = None,
    pair: tuple[str, str] | None = None,
    *,
    corpus: str = "",
    drawn: pd.DataFrame | None = None,
    by_unit: pd.DataFrame | None = None,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Put numbers to the claims of Clark et al. (2011) on the replications of two systems.

    The claims, as the workbench numbers them: 1 optimizer instability is not small compared with what it can hide; 2
    s_test above s_dev says that the optimizer does not generalize well; 3 s_sel stands for separate test sets; 4 single
    runs may show the wrong order; 5 few replications make that unlikely; 6 depending on the runs, tests of single runs
    give anything from insignificant to highly significant; 7 more replications give more significant, more reproducible
    results; 8 a gain of 1 BLEU is no substitute for a test; 9 the output to read is that of the median run, where the
    median was chosen on another set.

    Parameters
    ----------
    test : SegmentStatistics
        Of several runs of each system.
    dev : SegmentStatistics, optional
        The same runs on the tuning set.
    pair : (str, str), optional
        The baseline and the experimental system; the first two unless given.
    corpus : str
        "BTEC" and "WMT" find the paper's numbers, if the systems are called A and B.
    drawn : DataFrame, optional
        Of `randomize_drawn_runs`, where it is there already.
    by_unit : DataFrame, optional
        The same with ``exchange="unit"``; without it, claim 7 has numbers by run only.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        One row per number: ``quantity``, ``paper`` (NaN where the paper says it in words), ``here``, ``difference``,
        ``claim``, ``section``, ``key`` (the same for any data), ``corpus``.
    """
    random_key = resolve_rng(rng)
    names = list(test)[:2] if pair is None else [*pair]
    a, b = (test[name] for name in names)
    known = corpus if clark2011.has_published(corpus, names) else ""
    if dev is not None and not all(name in dev for name in names):
        dev = None
    if drawn is None:
        drawn = clark2011.randomize_drawn_runs(a, b, rng=random_key)
    frame = tabulate_claims(
        [
            *_instability(test, names, dev, known, random_key),
            *_separate_sets(test, names, random_key),
            *_order(a, b, random_key),
            *_single_runs(a, b, known, random_key),
            *_significant(drawn, "run"),
            *(() if by_unit is None else _significant(by_unit, "unit")),
            *_trusted_gains(a, b),
            *(() if dev is None else _medians(a, b, dev, names)),
        ]
    )
    frame["corpus"] = corpus
    return frame.sort_values("claim", kind="stable", ignore_index=True)


def examine_settings(settings: pd.DataFrame) -> pd.DataFrame:
    """Put numbers to what the paper says of the optimizer's noise (4.1): it depends on restarts, features, data.

    Parameters
    ----------
    settings : DataFrame
        Of ``read_computed("settings")``; of each, the largest value is compared with the smallest.

    Returns
    -------
    DataFrame
        As of `examine_claims`, claim 10, with ``setting``, ``low`` and ``high`` (the ends of the ratio's interval: see
        `compare_settings`).
    """
    compared = clark2011.compare_settings(settings)
    claims = []
    for row in compared.itertuples():
        key = f"{row.quantity}_{row.setting}_{row.largest}_{row.smallest}"
        name = SETTING_NAMES.get(row.setting, row.setting)
        quantity = f"{row.quantity} with {row.largest} {name} / with {row.smallest}"
        claims.append(Claim(key, 10, "4.1", quantity, np.nan, row.ratio))
    frame = tabulate_claims(claims).assign(corpus="made-up BTEC")
    columns = ["setting", "low", "high"]
    return pd.concat([frame, compared[columns]], axis=1)


def examine_bootstrap_errors(errors: pd.DataFrame) -> pd.DataFrame:
    """Put numbers to what the paper says of the bootstrap (3): that randomization makes fewer type I errors.

    Parameters
    ----------
    errors : DataFrame
        Of `read_bootstrap_errors`, randomization first.

    Returns
    -------
    DataFrame
        As of `examine_claims`, claim 11: by how many percentage points more often each bootstrap test calls equal
        systems different, on test sets of each size.
    """
    (_, randomized), *others = errors.set_index("segments").groupby("test", sort=False)["rejected_percent"]
    claims, corpora = [], []
    for key, (test, rejected) in zip(("more_errors_shifted", "more_errors_wins"), others, strict=True):
        for segments, more in (rejected - randomized).items():
            claims.append(Claim(key, 11, "3", f"type I errors of {test}, more than of randomization", np.nan, more))
            corpora.append(f"{segments:,} segments")
    return tabulate_claims(claims).assign(corpus=corpora)


def _printed(corpus: str, metric: str, column: str) -> float:
    """Return the mean over both systems of a column of Table 1; NaN for what is not in it."""
    table = clark2011.read_published("table1").query("corpus == @corpus and metric == @metric")
    return float(table[column].mean()) if len(table) else np.nan


def _instability(test, pair, dev, corpus, random_key) -> Iterator[Claim]:
    metric = test.metric.name
    s_sel = float(np.mean([selection_deviation(test[name], N_RESAMPLES, random_key) for name in pair]))
    s_test, *s_dev = (
        float(np.mean([deviation(one[name].score()[0]) for name in pair])) for one in (test, dev) if one is not None
    )
    paper = {column: _printed(corpus, metric, column) for column in ("s_sel", "s_dev", "s_test")}
    yield Claim(f"s_test_{metric}", 1, "4.1", f"s_test, mean of both systems ({metric})", paper["s_test"], s_test)
    ratios = _ratio(paper["s_test"], paper["s_sel"]), _ratio(s_test, s_sel)
    yield Claim("s_test_to_s_sel", 1, "4.1", "s_test / s_sel", *ratios)
    for found in s_dev:
        yield Claim(f"s_dev_{metric}", 2, "4.1", f"s_dev, mean of both systems ({metric})", paper["s_dev"], found)
        ratios = _ratio(paper["s_test"], paper["s_dev"]), _ratio(s_test, found)
        yield Claim("s_test_to_s_dev", 2, "4.1", "s_test / s_dev", *ratios)


def _ratio(value: float, other: float) -> float:
    return value / other if other else np.nan


def _separate_sets(test: SegmentStatistics, pair, random_key) -> Iterator[Claim]:
    size = len(test.test_set) // N_PARTS
    if not size:
        return
    few = replace(test, values={name: test.values[name][:1] for name in pair}, run_names={})  # one run says it
    found = []
    for number in range(1, N_PARTITIONS + 1):
        own = random_key.sample(number)
        parts = clark2011.separate_test_sets(few, size, rng=own)
        found.append(clark2011.compare_with_separate_sets(parts, n_resamples=N_RESAMPLES // N_PARTS, rng=own))
    every = pd.concat(found)
    quantity = f"spread over {N_PARTS} parts of the test set / s_sel of a part"
    yield Claim("spread_of_parts", 3, "4.1", quantity, 1, every["ratio"].mean())
    shift = (every["bootstrap_shift"] / every["s_sel"].where(every["s_sel"] > 0)).mean()
    yield Claim("bootstrap_shift", 3, "footnote 6", "mean of the resamples - score, in s_sel", 0, shift)


def _order(a: SystemStatistics, b: SystemStatistics, random_key) -> Iterator[Claim]:
    if a.n_runs == b.n_runs == 1:  # the means are in the order of the one pair
        return
    single = clark2011.summarize_overlap(a, b).iloc[0]
    for key, quantity, column in (
        ("wrong_order_1", "single runs of each in the wrong order (%)", "wrong_order_percent"),
        ("inside", "runs in the range that both systems' scores span (%)", "inside_percent"),
    ):
        yield Claim(key, 4, "4.2, Fig. 1", quantity, np.nan, single[column])
    for number in clark2011.possible_replications(a, b, (3, 5)):
        drawn = clark2011.summarize_differences(clark2011.draw_differences(a, b, [number], rng=random_key))
        wrong = drawn["wrong_sign_percent"].iloc[0]
        quantity = f"means of {number} runs in the wrong order (%)"
        yield Claim(f"wrong_order_{number}", 5, "5", quantity, np.nan, wrong)


def _single_runs(a: SystemStatistics, b: SystemStatistics, corpus: str, random_key) -> Iterator[Claim]:
    if a.n_runs == b.n_runs == 1:  # the best run is the worst one: that its p does not vary says nothing
        return
    corpus = corpus if a.metric.name == PUBLISHED_METRIC else ""
    printed = clark2011.read_published("table2").query("corpus == @corpus")
    single = clark2011.randomize_single_runs(a, b, rng=random_key)
    for row in single.itertuples():
        known = printed.query("n == 1 and system_a == @row.system_a and system_b == @row.system_b")["p_low"]
        quantity = f"p of single runs, A {row.system_a} and B {row.system_b}"
        paper = float(known.iloc[0]) if len(known) else np.nan
        yield Claim(f"p_{row.system_a}_{row.system_b}", 6, "4.2, Table 2", quantity, paper, row.p_value)


def _significant(drawn: pd.DataFrame, exchange: str) -> Iterator[Claim]:
    for number, part in drawn.groupby("n", sort=False):
        share = 100 * float((part["p_value"] <= LEVEL).mean())
        runs = "single runs" if number == 1 else f"{number} runs of each"
        quantity = f"draws of {runs} with p <= 0.05, exchange by {exchange} (%)"
        yield Claim(f"significant_{exchange}_{number}", 7, "4.2, Table 2", quantity, np.nan, share)


def _trusted_gains(a: SystemStatistics, b: SystemStatistics) -> Iterator[Claim]:
    name, unit = a.metric.name, f"{TRUSTED_GAIN:g} {a.metric.name}"
    scores_a, scores_b = a.score()[0], b.score()[0]
    gains = sign_of(a.metric) * (scores_b[:, None] - scores_a)
    share = 100 * (gains > TRUSTED_GAIN).mean()
    quantity = f"single runs of each with a gain above {unit} (%)"
    yield Claim(f"trusted_gain_{name}", 8, "footnote 1", quantity, np.nan, share)
    same = np.concatenate(
        [np.abs(ones[:, None] - ones)[~np.eye(len(ones), dtype=bool)] for ones in (scores_a, scores_b)]
    )
    if len(same):
        share = 100 * float((same > TRUSTED_GAIN).mean())
        quantity = f"two runs of the same system more than {unit} apart (%)"
        yield Claim(f"same_system_{name}", 8, "footnote 1", quantity, np.nan, share)


def _medians(a: SystemStatistics, b: SystemStatistics, dev: SegmentStatistics, pair) -> Iterator[Claim]:
    off, correlations = [], []
    # Runs are matched by number, and one run has no rank.
    comparable = all(system.n_runs == dev[name].n_runs > 1 for system, name in zip((a, b), pair, strict=True))
    for system, name in zip((a, b), pair, strict=True) if comparable else ():
        ranks = clark2011.median_elsewhere(dev[name], system)
        chosen = ranks.set_index("run").loc[clark2011.find_run(dev[name], "median")]
        middle = (len(ranks) + 1) / 2
        off.append(100 * abs(chosen["rank_read_on"] - middle) / len(ranks))
        correlations.append(np.corrcoef(ranks["rank_chosen_on"], ranks["rank_read_on"])[0, 1])
    for key, quantity, found in (
        ("median_off", "median run on the tuning set, ranks off on the test set (%)", off),
        ("rank_correlation", "rank correlation of runs, tuning set and test set", correlations),
    ):
        yield Claim(key, 9, "5", quantity, np.nan, np.mean(found) if comparable else np.nan)
