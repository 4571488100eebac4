"""The claims of Koehn (2004): their numbers on any large test set, and whether they hold.

A claim is one sentence with a number, a range, and a verdict. All tables and figures are compared with the paper, too.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from mtworkbench.analyses.judgements import student_interval
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.bootstrap import bootstrap_interval
from mtworkbench.inference.intervals import jackknife_variance
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.metrics import Bleu, Gtm, Metric
from mtworkbench.papers import koehn2004
from mtworkbench.papers.common.claims import (
    FAILS,
    IN_PART,
    NOT_COMPUTED,
    NOT_PRINTED,
    Claim,
    Sentence,
    decide,
    read_real_claims,
    read_sentences,
    tabulate_claims,
)
from mtworkbench.papers.koehn2004.error_rates import UNRELATED
from mtworkbench.papers.koehn2004.published import FIGURE_PAIRS, are_published
from mtworkbench.papers.koehn2004.samples import FIGURE_SIZE
from mtworkbench.papers.koehn2004.significance import SAMPLE_SIZES
from mtworkbench.papers.simulation.koehn2004 import make_koehn2004_corpus
from mtworkbench.progress import Progress
from mtworkbench.resampling import RngLike, broad_samples
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics

# How the number of a sentence is made of those of its keys.
_HOW: dict[str, Callable[..., float]] = {
    "number": lambda number: number,
    "difference": lambda one, other: one - other,
    "ratio": lambda one, other: one / other if other else np.nan,
    "percentage": lambda one, other: 100 * (one / other) if other else np.nan,
    "rest": lambda number: 100 - number,
}
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


# ---- whether they hold


def compare_with_paper(
    statistics: SegmentStatistics, *, progress: Progress | None = None, rng: RngLike = None
) -> dict[str, pd.DataFrame]:
    """Compare every claim, table and figure of Koehn (2004) with what comes out here.

    Claims that need several references, or outputs of different lengths, are examined on made-up texts, whatever the
    statistics are of.

    Parameters
    ----------
    statistics : SegmentStatistics
        Of BLEU, on several thousand segments.
    progress : callable, optional
        Wraps the samples of `conclude_on_sizes`, which take longest.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    dict of str to DataFrame
        "claims" (of `arrange_claims`), "Table 1" to "Table 4", "Figures 2 to 8" (quantity by quantity: see
        `lay_beside`).
    """
    pairs = koehn2004.choose_pairs(statistics)
    conclusions = koehn2004.conclude_on_sizes(statistics, pairs, progress=progress, rng=rng)
    claims = examine_claims(statistics, pairs, conclusions=conclusions, rng=rng)
    of_references = examine_reference_claims(koehn2004.make_several_references(rng=rng), rng=rng)
    made_up = pd.concat([of_references, examine_length_claims(_score_short_and_whole())], ignore_index=True)
    judged = judge_claims(claims_beside_real(claims, made_up))
    return {
        "claims": arrange_claims(judged, statistics),
        "Table 1": koehn2004.table1_beside_paper(statistics),
        "Table 2": koehn2004.table2_beside_paper(),
        "Table 3": koehn2004.table3_beside_paper(koehn2004.tabulate_conclusions(conclusions)),
        "Table 4": koehn2004.table4_beside_paper(koehn2004.bin_conclusions(conclusions)),
        "Figures 2 to 8": koehn2004.figures_beside_paper(statistics, rng=rng),
    }


def _score_short_and_whole() -> pd.DataFrame:
    """Score made-up outputs of 0.85 times the reference's length, and of that length: the ends of what Fig. 1 says."""
    corpus = make_koehn2004_corpus()
    segments = broad_samples(len(corpus.reference.starts) - 1, 15)[0]
    metrics: list[str | Metric] = [Bleu(tokenize="none"), Gtm(exponent=2, tokenize="none")]
    return koehn2004.score_lengths(
        koehn2004.made_up_at_lengths(corpus, FIGURE_PAIRS[0], segments), (0.85, 1.0), metrics
    )


def judge_claims(claims: pd.DataFrame) -> pd.DataFrame:
    """Say of each claim whether it holds on the outputs here and on the real ones.

    Parameters
    ----------
    claims : DataFrame
        Of `claims_beside_real`. A claim without a number from here is judged by ``made_up`` if that is there.

    Returns
    -------
    DataFrame
        One row per sentence: ``claim``, ``section``, ``quotation``, ``measured``, ``paper``, ``here``, ``real`` (NaN
        if there is no number), ``condition`` (the range of the number in which the claim holds), ``made_up`` (whether
        ``here`` comes from made-up outputs, whatever the others were examined on), ``verdict``: "holds" on both
        outputs, "holds in part" on one of them, "does not hold" on neither, "not testable here" without a number from
        here; ``comment``: why it fails, empty if it holds.
    """
    known = claims.set_index("key").reindex(columns=["paper", "here", "real", "made_up"]).to_dict()
    rows = []
    for sentence in read_sentences("koehn2004"):
        values = {column: _number(sentence, by_key) for column, by_key in known.items()}
        instead = values.pop("made_up")
        is_made_up = np.isnan(values["here"]) and not np.isnan(instead)
        if is_made_up:
            values["here"] = instead
        verdict = _judge(sentence, values["here"], values["real"])
        rows.append(
            {
                "claim": sentence.claim,
                "section": sentence.section,
                "quotation": sentence.quotation,
                "measured": sentence.measured,
                **values,
                "condition": sentence.criterion.words,
                "made_up": is_made_up,
                "verdict": verdict,
                "comment": sentence.comment if verdict in (IN_PART, FAILS) else "",
            }
        )
    return pd.DataFrame(rows)


def arrange_claims(judged: pd.DataFrame, statistics: SegmentStatistics) -> pd.DataFrame:
    """Arrange judged claims for reading: a sentence, numbers as text, a verdict, and why it fails.

    Parameters
    ----------
    judged : DataFrame
        Of `judge_claims`.
    statistics : SegmentStatistics
        Those that were examined. If their systems have the paper's names, they are the made-up ones that ship.

    Returns
    -------
    DataFrame
        ``claim``, ``sentence`` (quotation, section, what is measured with its unit), ``holds if`` (the workbench's
        criterion, not the paper's), ``verdict``, ``paper``, ``made-up`` (or ``here``, for systems of the reader's own),
        ``real``, ``comment`` (empty where the sentence holds).
    """
    here = "made-up" if are_published(statistics) else "here"
    sentences = [f"“{row.quotation}” ({row.section}): {row.measured}" for row in judged.itertuples()]
    numbers = {}
    for column, heading in (("paper", "paper"), ("here", here), ("real", "real")):
        absent = NOT_PRINTED if column == "paper" else NOT_COMPUTED
        written = judged[column].map(lambda number, absent=absent: _write_number(number) or absent)
        marked = (judged["made_up"] & (column == "here") & (here == "here")).map({True: " (made up)", False: ""})
        numbers[heading] = written + marked
    columns = {"claim": judged["claim"], "sentence": sentences, "holds if": judged["condition"]}
    return pd.DataFrame(columns | {"verdict": judged["verdict"]} | numbers | {"comment": judged["comment"]})


def _number(sentence: Sentence, numbers: Mapping[str, float]) -> float:
    """Return the number that decides a sentence; NaN without one."""
    return float(_HOW[sentence.how](*(numbers.get(key, np.nan) for key in sentence.keys)))


def _judge(sentence: Sentence, here: float, real: float) -> str:
    known = () if np.isnan(here) else [number for number in (here, real) if not np.isnan(number)]
    return decide([sentence.criterion.holds(number) for number in known])


def _write_number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"
