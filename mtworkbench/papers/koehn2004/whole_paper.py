"""Everything that Koehn (2004) contains, compared with what comes out here: each claim, table and figure as a frame."""

from __future__ import annotations

import pandas as pd

from mtworkbench.metrics import Bleu, Gtm, Metric
from mtworkbench.papers import koehn2004
from mtworkbench.papers.koehn2004.published import FIGURE_PAIRS
from mtworkbench.papers.simulation.koehn2004 import make_koehn2004_corpus
from mtworkbench.papers.simulation.several_references import make_several_references
from mtworkbench.progress import Progress
from mtworkbench.resampling import RngLike, broad_samples
from mtworkbench.statistics.segment_statistics import SegmentStatistics


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
    of_references = koehn2004.examine_reference_claims(make_several_references(rng=rng), rng=rng)
    made_up = pd.concat([of_references, koehn2004.examine_length_claims(_score_short_and_whole())], ignore_index=True)
    judged = koehn2004.judge_claims(koehn2004.claims_beside_real(claims, made_up))
    return {
        "claims": koehn2004.arrange_claims(judged, statistics),
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
