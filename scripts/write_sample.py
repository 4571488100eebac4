"""Write the small made-up sample of the notebooks: python scripts/write_sample.py [FOLDER], else into data/sample.

It has three systems in three runs each.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from mtworkbench.papers.simulation.corpus import CorpusDesign, Difficulty, MadeUpCorpus
from mtworkbench.papers.simulation.draws import Part
from mtworkbench.papers.simulation.noisy_channel import MadeUpSystem, burst_noise
from mtworkbench.papers.simulation.pseudotext import TokenArray, write_text

#: ``tweaked`` is to be about 0.4 BLEU better than ``baseline``, ``retrained`` about 1.5: one difference that these
#: 2,000 segments cannot show and one that they can. The offsets were set by hand for the shipped seed.
SAMPLE_DESIGN = CorpusDesign(
    n_segments=2000,
    systems=(
        MadeUpSystem("baseline", offset=0.1444, bursts=0.6, deletions=0.13),
        MadeUpSystem("tweaked", offset=0.1164, bursts=0.6, deletions=0.13),
        MadeUpSystem("retrained", offset=0.0835, bursts=0.6, deletions=0.13),
    ),
    correlations=((1.0, 0.85, 0.75), (0.85, 1.0, 0.75), (0.75, 0.75, 1.0)),
    difficulty=Difficulty(document_sd=0.3, segment_sd=0.4, document_correlation=0.96),
    segment_length=(18.0, 0.5),
    segment_limits=(3, 60),
    document_length=(22.0, 0.4),
)
#: Runs of each system, the share of the variance of the noise from word to word that is a run's own, and the standard
#: deviation of the runs' shifts of the system's offset.
N_RUNS, NOISE_SHARE, SHIFT_SD = 3, 0.15, 0.004
#: Seed of the sample in ``data/sample``.
SAMPLE_RNG = 1


def make_sample(*, rng: int | np.random.Generator | None = SAMPLE_RNG) -> MadeUpCorpus:
    """Make the small sample, which is made up.

    Parameters
    ----------
    rng : int, numpy.random.Generator or None
        The default gives the sample in ``data/sample``.

    Returns
    -------
    MadeUpCorpus
    """
    return MadeUpCorpus(SAMPLE_DESIGN, rng=rng)


def find_latent(corpus: MadeUpCorpus, system: MadeUpSystem, run: int) -> np.ndarray:
    """Return what makes a word wrong in one run of a system, counted from 1: it has noise and a shift of its own.

    Returns
    -------
    (n_words,) ndarray
    """
    number, draws = corpus.system_number(system.name), corpus.draws
    shared, effects = corpus.innovations[number], corpus.segment_effects[number]
    own = draws.normals(len(shared), Part.RUN_NOISE, number, run - 1)
    noise = burst_noise(np.sqrt(1 - NOISE_SHARE) * shared + np.sqrt(NOISE_SHARE) * own, system.bursts)
    offset = system.offset + SHIFT_SD * draws.normals(N_RUNS, Part.RUN_SHIFTS, number)[run - 1]
    return offset + np.repeat(effects, corpus.reference.lengths) + noise


def translate_run(corpus: MadeUpCorpus, system: MadeUpSystem, run: int) -> TokenArray:
    """Return the hypotheses of one run of a system, counted from 1."""
    return corpus.send(system, find_latent(corpus, system, run), run - 1)[0]


def write_sample(corpus: MadeUpCorpus, folder: Path) -> list[Path]:
    """Write a made-up corpus as plain text files, one segment per line.

    Parameters
    ----------
    corpus : MadeUpCorpus
    folder : Path
        Made where it is not there; files of the same names are replaced.

    Returns
    -------
    list of Path
        ``reference.txt``, ``documents.txt`` and ``<system>.run<run>.txt`` for each run, counted from 1.
    """
    texts = {"reference": write_text(corpus.reference), "documents": list(corpus.documents)}
    for system in corpus.design.systems:
        for run in range(1, N_RUNS + 1):
            texts[f"{system.name}.run{run}"] = write_text(translate_run(corpus, system, run))
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, lines in texts.items():
        paths.append(folder / f"{name}.txt")
        paths[-1].write_text("\n".join(lines) + "\n", encoding="ascii", newline="\n")
    return paths


SAMPLE_FOLDER = Path(__file__).parent.parent / "data" / "sample"

if __name__ == "__main__":
    write_sample(make_sample(), Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE_FOLDER)
