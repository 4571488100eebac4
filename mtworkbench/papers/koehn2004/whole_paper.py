"""Everything that Koehn (2004) contains, compared with what comes out here: each claim, table and figure as a frame."""

from __future__ import annotations

import pandas as pd

from mtworkbench.metrics import Bleu, Gtm, Metric
from mtworkbench.papers.koehn2004.claims import (
    claims_beside_real,
    examine_claims,
    examine_length_claims,
    examine_reference_claims,
)
from mtworkbench.papers.koehn2004.lengths import made_up_at_lengths, score_lengths
from mtworkbench.papers.koehn2004.published import (
    FIGURE_PAIRS,
    choose_pairs,
    figures_beside_paper,
    table1_beside_paper,
    table2_beside_paper,
    table3_beside_paper,
    table4_beside_paper,
)
from mtworkbench.papers.koehn2004.significance import bin_conclusions, conclude_on_sizes, tabulate_conclusions
from mtworkbench.papers.koehn2004.verdicts import arrange_claims, judge_claims
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
    pairs = choose_pairs(statistics)
    conclusions = conclude_on_sizes(statistics, pairs, progress=progress, rng=rng)
    claims = examine_claims(statistics, pairs, conclusions=conclusions, rng=rng)
    of_references = examine_reference_claims(make_several_references(rng=rng), rng=rng)
    made_up = pd.concat([of_references, examine_length_claims(_score_short_and_whole())], ignore_index=True)
    judged = judge_claims(claims_beside_real(claims, made_up))
    return {
        "claims": arrange_claims(judged, statistics),
        "Table 1": table1_beside_paper(statistics),
        "Table 2": table2_beside_paper(),
        "Table 3": table3_beside_paper(tabulate_conclusions(conclusions)),
        "Table 4": table4_beside_paper(bin_conclusions(conclusions)),
        "Figures 2 to 8": figures_beside_paper(statistics, rng=rng),
    }


def _score_short_and_whole() -> pd.DataFrame:
    """Score made-up outputs of 0.85 times the reference's length, and of that length: the ends of what Fig. 1 says."""
    corpus = make_koehn2004_corpus()
    segments = broad_samples(len(corpus.reference.starts) - 1, 15)[0]
    metrics: list[str | Metric] = [Bleu(tokenize="none"), Gtm(exponent=2, tokenize="none")]
    return score_lengths(made_up_at_lengths(corpus, FIGURE_PAIRS[0], segments), (0.85, 1.0), metrics)
