"""Scores against the length of the output: Koehn (2004), §2.3, Fig. 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from mtworkbench.metrics import Bleu, Gtm, Length, make_metric
from mtworkbench.metrics.protocol import Metric
from mtworkbench.metrics.texts import run_texts
from mtworkbench.outputs.checks.frames import FrameRuns
from mtworkbench.papers.common.systems import mean_scores
from mtworkbench.papers.simulation.corpus import MadeUpCorpus, OutputAtLengths, check_length_ratio
from mtworkbench.papers.simulation.koehn2004 import make_koehn2004_corpus
from mtworkbench.papers.simulation.pseudotext import outputs_frame, write_column
from mtworkbench.progress import Progress
from mtworkbench.resampling import SIMULATION, RandomKey, RngLike, broad_samples, resolve_rng, uniforms
from mtworkbench.statistics.segment_statistics import compute_statistics

#: The ratios of the figure's axis, closer together where BLEU has its maximum.
RATIOS = (0.85, 0.9, 0.94, 0.97, 1.0, 1.03, 1.08, 1.14, 1.2)


def score_lengths(
    outputs_at: Callable[[float], pd.DataFrame],
    ratios: Sequence[float] = RATIOS,
    metrics: Sequence[str | Metric] = (Bleu(), Gtm()),
    *,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Score outputs of different lengths (Koehn (2004), Fig. 1).

    Parameters
    ----------
    outputs_at : callable
        Called with each ratio; returns the outputs frame of that length: see `made_up_at_lengths` and
        `real_at_lengths`.
    ratios : sequence of float
        Words of the outputs in relation to those of the references.
    metrics : sequence of str or Metric
    progress : callable, optional
        Wraps the ratios, such as ``tqdm``.

    Returns
    -------
    DataFrame
        One row per (system, metric, ratio): ``system``, ``metric``, ``ratio`` (as it came out), ``score`` (mean of the
        runs' scores), ``percent`` (see `relate_lengths`).
    """
    chosen = [make_metric(metric) for metric in metrics]
    rows = []
    for asked in progress(ratios) if progress else ratios:
        outputs = outputs_at(asked)
        lengths = mean_scores(compute_statistics(outputs, Length()))
        for metric in chosen:
            rows += [
                {
                    "system": system,
                    "metric": metric.name,
                    "ratio": lengths[system] / 100,
                    "score": score,
                }
                for system, score in mean_scores(compute_statistics(outputs, metric)).items()
            ]
    frame = pd.DataFrame(rows)
    curves = frame.groupby(["system", "metric"], sort=False).ngroup()
    return relate_lengths(frame.iloc[np.argsort(curves, kind="stable")].reset_index(drop=True))


def relate_lengths(frame: pd.DataFrame) -> pd.DataFrame:
    """Give scores in % of that at the reference's length, so that metrics with scales of their own can be compared.

    Parameters
    ----------
    frame : DataFrame
        Rows of ``system``, ``metric``, ``ratio``, ``score``.

    Returns
    -------
    DataFrame
        The same rows with ``percent``: the score in % of that of the same system and metric at the ratio nearest to 1;
        NaN where that is 0.
    """
    rows = frame.reset_index(drop=True)
    nearest = (rows["ratio"] - 1).abs().groupby([rows["system"], rows["metric"]]).transform("idxmin")
    whole = rows["score"].loc[nearest].to_numpy()
    return frame.assign(percent=100 * rows["score"].to_numpy() / np.where(whole == 0, np.nan, whole))


def made_up_at_lengths(
    corpus: MadeUpCorpus, systems: Sequence[str], segments: np.ndarray
) -> Callable[[float], pd.DataFrame]:
    """Give `score_lengths` the outputs of made-up systems, which leave out the words that they are least sure of.

    Parameters
    ----------
    corpus : MadeUpCorpus
    systems : sequence of str
    segments : (n_segments,) ndarray
        Which of the corpus are written out: positions counted from 0, such as a broad sample. The ratio is that of the
        whole corpus, of which the sample's departs a little.
    """
    references = write_column(corpus.reference.take(segments))[:, None]
    made = {system: OutputAtLengths(corpus, system) for system in systems}

    def outputs_at(ratio: float) -> pd.DataFrame:
        frames = []
        for system, output in made.items():
            tokens = output.translate(ratio).take(segments)
            frames.append(outputs_frame(references, system, 1, write_column(tokens)))
        return pd.concat(frames, ignore_index=True)

    return outputs_at


def real_at_lengths(outputs: pd.DataFrame, *, rng: RngLike = None) -> Callable[[float], pd.DataFrame]:
    """Give `score_lengths` real outputs, with words left out at random or repeated at random.

    Which of its words a system was least sure of is not known from its output, so this is harder on BLEU than what a
    decoder's word penalty does: an n-gram is lost wherever a word is.

    Parameters
    ----------
    outputs : DataFrame
        One row per (system, run, segment), as `read_outputs` returns it; words are what white space separates.
    rng : int, numpy.random.Generator or None
        A word that is left out at one ratio is left out at every lower one.
    """
    key = resolve_rng(rng)
    runs = [*FrameRuns(outputs)]

    def outputs_at(ratio: float) -> pd.DataFrame:
        changed = [_change_length(rows, ratio, key.sample(number)) for number, rows in enumerate(runs, start=1)]
        return pd.concat(changed)

    return outputs_at


def vary_lengths(
    outputs: pd.DataFrame, systems: Sequence[str], *, rng: RngLike = None
) -> Callable[[float], pd.DataFrame]:
    """Give `score_lengths` the outputs of some systems or, if these are not among them, those of Koehn's six systems.

    Parameters
    ----------
    outputs : DataFrame
        See `real_at_lengths`.
    systems : sequence of str
        If the outputs do not have all of them, they are systems of the made-up corpus, see `made_up_at_lengths`: a
        broad sample of 2,000 of its segments is taken.
    rng : int, numpy.random.Generator or None
        See `real_at_lengths`.
    """
    if set(systems) <= set(outputs["system"]):
        return real_at_lengths(outputs[outputs["system"].isin(list(systems))], rng=rng)
    corpus = make_koehn2004_corpus()
    n_segments = corpus.design.n_segments
    return made_up_at_lengths(corpus, systems, broad_samples(n_segments, n_segments // 2000)[0])


def _change_length(rows: pd.DataFrame, ratio: float, random_key: RandomKey) -> pd.DataFrame:
    """Leave out or repeat words of one run, until it has that many in relation to the reference."""
    check_length_ratio(ratio)
    words = [text.split() for text in run_texts(rows).hypotheses]
    lengths = np.array([len(one) for one in words])
    n_words = int(lengths.sum())
    n_wanted = round(ratio * float(Length().segment_statistics(rows)[:, 1].sum()))
    order = np.argsort(uniforms(random_key.stream(SIMULATION), 0, n_words), kind="stable")
    copies = np.ones(n_words, dtype=np.int64)
    if n_wanted <= n_words:
        copies[order[: n_words - n_wanted]] = 0
    else:
        rounds, rest = divmod(n_wanted - n_words, n_words)
        copies += rounds
        copies[order[:rest]] += 1
    ends = np.cumsum(lengths)
    texts = [
        " ".join(np.repeat(np.array(one, dtype=object), copies[end - len(one) : end]))
        for one, end in zip(words, ends, strict=True)
    ]
    return rows.assign(hypothesis=np.array(texts, dtype=object))
