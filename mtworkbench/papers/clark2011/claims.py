"""The claims of Clark et al. (2011): their numbers on any replications, and whether they hold.

A claim is a sentence with the number that decides it, and a computed verdict. All tables and figures are compared with
the paper, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from mtworkbench.metrics.directions import sign_of
from mtworkbench.papers import clark2011
from mtworkbench.papers.clark2011.published import PUBLISHED_METRIC, show_value
from mtworkbench.papers.clark2011.randomization import LEVEL, SINGLE_TRIALS, tabulate_both_exchanges
from mtworkbench.papers.clark2011.scores import Families
from mtworkbench.papers.clark2011.variance import SETTING_NAMES, deviation, selection_deviation
from mtworkbench.papers.common.claims import (
    FAILS,
    HOLDS,
    NOT_COMPUTED,
    NOT_PRINTED,
    Claim,
    Sentence,
    decide,
    read_real_claims,
    read_sentences,
    tabulate_claims,
)
from mtworkbench.progress import Progress
from mtworkbench.resampling import RngLike, resolve_rng
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics
from mtworkbench.wording import listed
from mtworkbench.words.cells import digits_of_trials, show_p

#: Footnote 1: a gain of this many points of BLEU is conventionally trusted.
TRUSTED_GAIN = 1.0
N_RESAMPLES = 1000
#: Into how many parts the test set is cut, and how often, to see whether s_sel is what separate test sets would show.
N_PARTS, N_PARTITIONS = 5, 10
#: Claim 10: its numbers are ratios with intervals.
OPTIMIZER = (
    "The noise due to this variable can depend on many number of factors",
    "§4.1",
    "settings of the optimizer that change s_dev by more than chance explains (the 95 % CI of the ratio excludes 1)",
    "all of them",
    "Within the values that were tried, {} show no clear effect.",
)


def examine_claims(
    test: SegmentStatistics,
    dev: SegmentStatistics | None = None,
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
        Of several runs of each system. The first two are the baseline and the experimental system.
    dev : SegmentStatistics, optional
        The same runs on the tuning set.
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
    names = list(test)[:2]
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


# ---- whether they hold


def compare_with_paper(
    test: Families, dev: Families, *, progress: Progress | None = None, rng: RngLike = None
) -> dict[str, pd.DataFrame]:
    """Compare every claim, table and figure of Clark et al. (2011) with what comes out here.

    Claims about the optimizer and about the bootstrap's errors are of the data that ship, whatever is given.

    Parameters
    ----------
    test, dev : mapping of str to sequence of SegmentStatistics
        As of `tabulate_variance`. The claims are examined under the first metric.
    progress : callable, optional
        Wraps the draws of `randomize_drawn_runs`, which take longest.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    dict of str to DataFrame
        "claims" (of `judge_claims`), "Table 1", "Figures 1 and 2", "Single runs in the wrong order (%)", "Table 2",
        and two further tables: "Type I errors of the bootstrap (%)", "Runs that MultEval uses twice".
    """
    claims, p_values = [], []
    for corpus, (a, b) in clark2011.choose_pairs(test).items():
        table, drawn = tabulate_both_exchanges(a, b, corpus=corpus, progress=progress, rng=rng)
        p_values.append(table)
        tuning = dev[corpus][0] if corpus in dev else None
        options = {"corpus": corpus, "drawn": drawn["run"], "by_unit": drawn["unit"], "rng": rng}
        claims.append(examine_claims(test[corpus][0], tuning, **options))
    claims += [
        examine_settings(clark2011.read_computed("settings")),
        examine_bootstrap_errors(clark2011.read_bootstrap_errors()),
    ]
    table1 = clark2011.tabulate_variance(test, dev, rng=rng)
    return {
        "claims": judge_claims(pd.concat(claims)),
        "Table 1": clark2011.arrange_beside(clark2011.table1_beside_paper(table1)),
        "Figures 1 and 2": clark2011.arrange_beside(clark2011.figures_beside_paper(test)),
        "Single runs in the wrong order (%)": clark2011.arrange_wrong_order(clark2011.wrong_order_beside_paper(table1)),
        "Table 2": clark2011.arrange_table2(pd.concat(p_values)),
        "Type I errors of the bootstrap (%)": clark2011.arrange_bootstrap_errors(clark2011.read_bootstrap_errors()),
        "Runs that MultEval uses twice": clark2011.count_uses(),
    }


def judge_claims(claims: pd.DataFrame) -> pd.DataFrame:
    """Say of each sentence of the paper whether it holds, by a criterion that the table shows.

    Parameters
    ----------
    claims : DataFrame
        Of `examine_claims`, for one corpus or several, and of `examine_settings`. The numbers of real outputs, which do
        not ship, are added: ``scripts/examine_real_replications.py`` computed them (see ``data/real/README.md``).

    Returns
    -------
    DataFrame
        One row per sentence, without missing cells: ``claim``; ``sentence`` (a quotation with its section, and what the
        numbers are, with their unit); ``holds if`` (the workbench's criterion, not the paper's); ``verdict``: "holds"
        for all corpora, "holds in part" for some of them, "does not hold" for none (the paper's numbers do not count),
        "not testable here" without a number of these systems; ``paper`` (only where it has numbers of these systems);
        ``made-up`` or, for other systems than those that ship, ``here``; ``real``; ``comment``: why it fails, and for
        which corpora, empty where it holds for all.
    """
    real = read_real_claims("clark2011")
    # How many runs they have stands in their data card.
    real["corpus"] = real["corpus"].str.partition(",")[0]
    # What claim 3 has in the paper's column is what the claim means, not a number that is printed.
    has_paper = bool(claims.loc[claims["claim"] != 3, "paper"].notna().any())
    rows = [_judge(sentence, claims, real) for sentence in read_sentences("clark2011")]
    columns = ["claim", "sentence", "holds if", "verdict", "paper", "made-up", "real", "comment"]
    judged = pd.DataFrame([*rows, *_judge_settings(claims)], columns=columns)
    judged = judged.sort_values("claim", kind="stable", ignore_index=True)
    return judged if has_paper else judged.drop(columns="paper").rename(columns={"made-up": "here"})


def _judge(sentence: Sentence, claims: pd.DataFrame, real: pd.DataFrame) -> tuple[int | str, ...]:
    """Return a row of the table of `judge_claims`."""
    ours, others = _numbers(sentence, claims), _numbers(sentence, real)
    printed = {} if sentence.claim == 3 else _numbers(sentence, claims, "paper")
    # Two lists, because the reader's corpus may be called as a real one is.
    known = [(name or "these systems", sentence.criterion.holds(*found)) for name, found in ours.items()]
    known += [(f"{name} (real)", sentence.criterion.holds(*found)) for name, found in others.items()]
    failing = [name for name, holds in known if not holds]
    verdict = decide([holds for _, holds in known] if ours else [])
    cells = (
        _cell(sentence, printed, NOT_PRINTED, as_printed=True),
        _cell(sentence, ours, NOT_COMPUTED),
        _cell(sentence, others, NOT_COMPUTED),
    )
    comment = ""
    if failing:
        comment = sentence.comment
        if verdict != FAILS:
            comment += f" (The claim does not hold for {'; '.join(failing)}.)"
    text = f"“{sentence.quotation}” ({sentence.section}): {sentence.measured}"
    return sentence.claim, text, sentence.criterion.words, verdict, *cells, comment


def _judge_settings(claims: pd.DataFrame) -> Iterator[tuple[int | str, ...]]:
    """Judge what the paper says of the settings of the optimizer, where they were varied."""
    settings = claims[(claims["claim"] == 10) & claims["key"].str.startswith("s_dev_")]
    if settings.empty:
        return
    quotation, section, quantity, criterion, comment = OPTIMIZER
    is_clear = (settings["low"] > 1) | (settings["high"] < 1)
    clear, verdict = settings[is_clear], decide(is_clear)
    names = [SETTING_NAMES.get(name, name) for name in clear["setting"]]
    found = f"{settings['corpus'].iloc[0]}: {len(clear)} of {len(settings)}"
    comment = comment.format("the other settings" if names else "the settings")
    comment += f" (Clear effects: {listed(names)}.)" if names else ""
    cells = NOT_PRINTED, found, NOT_COMPUTED
    text = f"“{quotation}” ({section}): {quantity}"
    yield 10, text, criterion, verdict, *cells, "" if verdict == HOLDS else comment


def _numbers(sentence: Sentence, claims: pd.DataFrame, column: str = "here") -> dict[str, list[float]]:
    """Return by corpus the numbers that decide a sentence: of several, the first and the last."""
    numbers = {}
    for corpus, part in claims.groupby("corpus", sort=False):
        found = part[part["key"].str.match("|".join(sentence.keys)) & part[column].notna()]
        if len(found) > sentence.criterion.needs_two:
            values = found[column].tolist()
            numbers[str(corpus)] = values if len(values) == 1 else [values[0], values[-1]]
    return numbers


def _cell(sentence: Sentence, numbers: dict[str, list[float]], absent: str, *, as_printed: bool = False) -> str:
    is_p = sentence.keys[0].startswith("p_")
    shown = []
    for corpus, values in numbers.items():
        written = [_write(value, is_p, as_printed) for value in values]
        shown.append((f"{corpus}: " if corpus else "") + (" and " if is_p else " to ").join(written))
    return "; ".join(shown) or absent


def _write(value: float, is_p: bool, as_printed: bool) -> str:
    if not is_p:
        return show_value(value, 2)
    return np.format_float_positional(value) if as_printed else str(show_p(value, digits_of_trials(SINGLE_TRIALS)))
