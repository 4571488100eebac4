"""The claims of Clark et al. (2011), each as numbers that can be computed from any replications."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from mtworkbench.inference.results import digits_of_trials, show_p
from mtworkbench.metrics.directions import sign_of
from mtworkbench.resampling import RngLike, resolve_rng
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics
from mtworkbench.studies.clark2011.published import PUBLISHED_METRIC, has_published, read_published, show_value
from mtworkbench.studies.clark2011.randomization import randomize_drawn_runs, randomize_single_runs
from mtworkbench.studies.clark2011.runs import find_run, possible_replications
from mtworkbench.studies.clark2011.scores import (
    draw_differences,
    median_elsewhere,
    summarize_differences,
    summarize_overlap,
)
from mtworkbench.studies.clark2011.settings import SETTING_NAMES, compare_settings
from mtworkbench.studies.clark2011.variance import (
    compare_with_separate_sets,
    deviation,
    selection_deviation,
    separate_test_sets,
)
from mtworkbench.studies.koehn2004.published import lay_beside

#: Footnote 1: a gain of this many points of BLEU is conventionally trusted.
TRUSTED_GAIN = 1.0
N_RESAMPLES = 1000
#: Behind the p of single runs.
SINGLE_TRIALS = 10_000
#: Into how many parts the test set is cut, and how often, to see whether s_sel is what separate test sets would show.
N_PARTS, N_PARTITIONS = 5, 10

# Each of these returns quantity -> (claim, section, what the paper has, what comes out here).
Rows = dict[str, tuple[int, str, float, float]]


def examine_claims(
    test: SegmentStatistics,
    dev: SegmentStatistics | None = None,
    pair: tuple[str, str] | None = None,
    *,
    corpus: str = "",
    drawn: pd.DataFrame | None = None,
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
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        One row per number: ``quantity``, ``paper`` (NaN where the paper says it in words), ``here``, ``difference``,
        ``claim``, ``section``, ``corpus``.
    """
    randomness = resolve_rng(rng)
    pair = tuple(test)[:2] if pair is None else pair
    a, b = (test[name] for name in pair)
    known = corpus if has_published(corpus, pair) else ""
    if dev is not None and not all(name in dev for name in pair):
        dev = None
    if drawn is None:
        drawn = randomize_drawn_runs(a, b, rng=randomness)
    here = {
        **_instability(test, pair, dev, known, randomness),
        **_separate_sets(test, pair, randomness),
        **_order(a, b, randomness),
        **_single_runs(a, b, known, drawn, randomness),
        **_trusted_gains(a, b),
        **({} if dev is None else _medians(a, b, dev, pair)),
    }
    frame = lay_beside(
        {name: paper for name, (_, _, paper, _) in here.items()}, {name: row[3] for name, row in here.items()}
    )
    frame["claim"] = [row[0] for row in here.values()]
    frame["section"] = [row[1] for row in here.values()]
    frame["corpus"] = corpus
    return frame.sort_values("claim", kind="stable", ignore_index=True)


def examine_settings(settings: pd.DataFrame, *, corpus: str = "BTEC") -> pd.DataFrame:
    """Put numbers to what the paper says of the optimizer's noise (4.1): it depends on restarts, features, data.

    Parameters
    ----------
    settings : DataFrame
        Of `vary_setting`, for one setting or several; of each, the largest value is compared with the smallest.
    corpus : str
        What was tuned.

    Returns
    -------
    DataFrame
        As of `examine_claims`, claim 10.
    """
    here = {}
    for row in compare_settings(settings).itertuples():
        name = SETTING_NAMES.get(row.setting, row.setting)
        here[f"{row.quantity} with {row.largest} {name} / with {row.smallest}"] = row.ratio
    return lay_beside({}, here).assign(claim=10, section="4.1", corpus=corpus)


#: The earlier name of `examine_settings`.
examine_knobs = examine_settings


def claims_beside_real(claims: pd.DataFrame) -> pd.DataFrame:
    """Add what real outputs say to what comes out here.

    Parameters
    ----------
    claims : DataFrame
        Of `examine_claims`, for one corpus or several.

    Returns
    -------
    DataFrame
        The claims, and the same of real outputs, which are not shipped: ``scripts/examine_real_replications.py``
        computed them (see ``data/real/README.md``).
    """
    real = pd.read_csv(find_shipped("data/real/clark2011_claims.csv"))
    return pd.concat([claims, real[claims.columns]], ignore_index=True).sort_values(
        "claim", kind="stable", ignore_index=True
    )


def arrange_claims(claims: pd.DataFrame, *, digits: int | None = None) -> pd.DataFrame:
    """Arrange claims: one row per quantity, one column per corpus, the paper's numbers before ours for its corpora.

    Parameters
    ----------
    claims : DataFrame
        Of `examine_claims` or `claims_beside_real`.
    digits : int, optional
        Write numbers with so many decimals (but nothing as 0 that is not 0), p as 10,000 trials allow, and a dash for
        a missing number. Unless given, numbers stay numbers.
    """
    keys = ["claim", "quantity"]
    columns = {}
    for corpus in dict.fromkeys(claims["corpus"]):
        part = claims[claims["corpus"] == corpus].set_index(keys)
        # What claim 3 has in the paper's column is what the claim means, whatever the corpus.
        if part.drop(index=3, level="claim", errors="ignore")["paper"].notna().any():
            columns[f"{corpus}, paper"] = part["paper"]
        columns[corpus] = part["here"]
    arranged = pd.DataFrame(columns).loc[list(dict.fromkeys(claims[keys].itertuples(index=False, name=None)))]
    if digits is None:
        return arranged
    rows = {}
    for place, (row, values) in enumerate(zip(arranged.index, arranged.to_numpy(), strict=True)):
        is_p = row[1].startswith("p of ")
        rows[place] = [
            _claim_cell(value, digits, is_p, printed=name.endswith(", paper"))
            for name, value in zip(arranged.columns, values, strict=True)
        ]
    shown = pd.DataFrame.from_dict(rows, orient="index", columns=arranged.columns)
    return shown.set_axis(arranged.index)


def _claim_cell(value: float, digits: int, is_p: bool, printed: bool) -> str:
    if np.isnan(value) or not is_p:
        return show_value(value, digits)
    return f"{value:g}" if printed else show_p(value, digits_of_trials(SINGLE_TRIALS))


def _printed(corpus: str, metric: str, column: str) -> float:
    """Return the mean over both systems of a column of Table 1; NaN for what is not in it."""
    table = read_published("table1").query("corpus == @corpus and metric == @metric")
    return float(table[column].mean()) if len(table) else np.nan


def _instability(test, pair, dev, corpus, randomness) -> Rows:
    metric = test.metric.name
    s_test = np.mean([deviation(test[name].score()[0]) for name in pair])
    s_sel = np.mean([selection_deviation(test[name], N_RESAMPLES, randomness) for name in pair])
    paper = {column: _printed(corpus, metric, column) for column in ("s_sel", "s_dev", "s_test")}
    rows = {
        f"s_test, mean of both systems ({metric})": (1, "4.1", paper["s_test"], s_test),
        "s_test / s_sel": (1, "4.1", _ratio(paper["s_test"], paper["s_sel"]), _ratio(s_test, s_sel)),
    }
    if dev is not None:
        s_dev = np.mean([deviation(dev[name].score()[0]) for name in pair])
        rows[f"s_dev, mean of both systems ({metric})"] = (2, "4.1", paper["s_dev"], s_dev)
        rows["s_test / s_dev"] = (2, "4.1", _ratio(paper["s_test"], paper["s_dev"]), _ratio(s_test, s_dev))
    return rows


def _ratio(value: float, other: float) -> float:
    return value / other if other else np.nan


def _separate_sets(test: SegmentStatistics, pair, randomness) -> Rows:
    size = len(test.test_set) // N_PARTS
    if not size:
        return {}
    few = replace(test, values={name: test.values[name][:1] for name in pair})  # one run says it
    found = []
    for number in range(1, N_PARTITIONS + 1):
        own = randomness.sample(number)
        parts = separate_test_sets(few, size, rng=own)
        found.append(compare_with_separate_sets(parts, n_resamples=N_RESAMPLES // N_PARTS, rng=own))
    every = pd.concat(found)
    return {
        f"spread over {N_PARTS} parts of the test set / s_sel of a part": (3, "4.1", 1.0, every["ratio"].mean()),
        "mean of the resamples - score, in s_sel": (
            3,
            "footnote 6",
            0.0,
            (every["bootstrap_shift"] / every["s_sel"].where(every["s_sel"] > 0)).mean(),
        ),
    }


def _order(a: SystemStatistics, b: SystemStatistics, randomness) -> Rows:
    if a.n_runs == b.n_runs == 1:  # the means are in the order of the one pair
        return {}
    single = summarize_overlap(a, b).iloc[0]
    rows = {
        "single runs of each in the wrong order (%)": (4, "4.2, Fig. 1", np.nan, single["wrong_order_percent"]),
        "runs in the range that both systems' scores span (%)": (4, "4.2, Fig. 1", np.nan, single["inside_percent"]),
    }
    for number in possible_replications(a, b, (3, 5)):
        drawn = summarize_differences(draw_differences(a, b, [number], rng=randomness))
        wrong = drawn["wrong_sign_percent"].iloc[0]
        rows[f"means of {number} runs in the wrong order (%)"] = (5, "5", np.nan, wrong)
    return rows


def _single_runs(a: SystemStatistics, b: SystemStatistics, corpus: str, drawn: pd.DataFrame, randomness) -> Rows:
    corpus = corpus if a.metric.name == PUBLISHED_METRIC else ""
    printed = read_published("table2").query("corpus == @corpus")
    single = randomize_single_runs(a, b, n_trials=SINGLE_TRIALS, rng=randomness)
    rows: Rows = {}
    for row in single.itertuples():
        known = printed.query("n == 1 and system_a == @row.system_a and system_b == @row.system_b")["p_low"]
        name = f"p of single runs, A {row.system_a} and B {row.system_b}"
        rows[name] = (6, "4.2, Table 2", float(known.iloc[0]) if len(known) else np.nan, row.p_value)
    for number, part in drawn.groupby("n", sort=False):
        share = 100 * float((part["p_value"] <= 0.05).mean())
        claim = 6 if number == 1 else 7
        runs = "single runs" if number == 1 else f"{number} runs of each"
        rows[f"draws of {runs} with p <= 0.05 (%)"] = (claim, "4.2, Table 2", np.nan, share)
    return rows


def _trusted_gains(a: SystemStatistics, b: SystemStatistics) -> Rows:
    sign = sign_of(a.metric)
    gains = sign * (b.score()[0][:, None] - a.score()[0])
    own = [np.abs(ones[:, None] - ones)[~np.eye(len(ones), dtype=bool)] for ones in (a.score()[0], b.score()[0])]
    unit = f"{TRUSTED_GAIN:g} {a.metric.name}"
    rows = {
        f"single runs of each with a gain above {unit} (%)": (
            8,
            "footnote 1",
            np.nan,
            100 * (gains > TRUSTED_GAIN).mean(),
        )
    }
    same = np.concatenate(own)
    if len(same):
        share = 100 * float((same > TRUSTED_GAIN).mean())
        rows[f"two runs of the same system more than {unit} apart (%)"] = (8, "footnote 1", np.nan, share)
    return rows


def _medians(a: SystemStatistics, b: SystemStatistics, dev: SegmentStatistics, pair) -> Rows:
    off, correlations = [], []
    # Runs are matched by number, and one run has no rank.
    comparable = all(system.n_runs == dev[name].n_runs > 1 for system, name in zip((a, b), pair, strict=True))
    for system, name in zip((a, b), pair, strict=True) if comparable else ():
        ranks = median_elsewhere(dev[name], system)
        chosen = ranks.set_index("run").loc[find_run(dev[name], "median")]
        middle = (len(ranks) + 1) / 2
        off.append(100 * abs(chosen["rank_read_on"] - middle) / len(ranks))
        correlations.append(np.corrcoef(ranks["rank_chosen_on"], ranks["rank_read_on"])[0, 1])
    return {
        "median run on the tuning set, ranks off on the test set (%)": (
            9,
            "5",
            np.nan,
            np.mean(off) if comparable else np.nan,
        ),
        "rank correlation of runs, tuning set and test set": (
            9,
            "5",
            np.nan,
            np.mean(correlations) if comparable else np.nan,
        ),
    }
