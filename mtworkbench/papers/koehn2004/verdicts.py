"""Everything that Koehn (2004) contains, compared with what comes out here: each claim, table and figure as a frame.

A claim is one sentence with a number, a range, and a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from mtworkbench.metrics import Bleu, Gtm, Metric
from mtworkbench.papers import koehn2004
from mtworkbench.papers.common import criteria
from mtworkbench.papers.common.criteria import Sentence, decide, read_sentences
from mtworkbench.papers.koehn2004.published import FIGURE_PAIRS, are_published
from mtworkbench.papers.simulation.koehn2004 import make_koehn2004_corpus
from mtworkbench.progress import Progress
from mtworkbench.resampling import RngLike, broad_samples
from mtworkbench.statistics.segment_statistics import SegmentStatistics

# How the number of a sentence is made of those of its keys.
_HOW: dict[str, Callable[..., float]] = {
    "number": lambda number: number,
    "difference": lambda one, other: one - other,
    "ratio": lambda one, other: one / other if other else np.nan,
    "percentage": lambda one, other: 100 * (one / other) if other else np.nan,
    "rest": lambda number: 100 - number,
}


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
    claims = koehn2004.examine_claims(statistics, pairs, conclusions=conclusions, rng=rng)
    of_references = koehn2004.examine_reference_claims(koehn2004.make_several_references(rng=rng), rng=rng)
    made_up = pd.concat([of_references, koehn2004.examine_length_claims(_score_short_and_whole())], ignore_index=True)
    judged = judge_claims(koehn2004.claims_beside_real(claims, made_up))
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
                "comment": sentence.comment if verdict in (criteria.IN_PART, criteria.FAILS) else "",
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
        absent = criteria.NOT_PRINTED if column == "paper" else criteria.NOT_COMPUTED
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
