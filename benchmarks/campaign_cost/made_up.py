"""Made-up test sets: the texts of 20 systems, as files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mtworkbench.papers.simulation.corpus import MadeUpCorpus
from mtworkbench.papers.simulation.noisy_channel import MadeUpSystem
from mtworkbench.papers.simulation.pseudotext import write_text
from scripts.write_sample import SAMPLE_DESIGN

#: Names of the metrics, as options of the command and on the page.
METRICS = {"bleu": "BLEU", "chrf": "chrF", "chrf:word_order=2": "chrF++", "ter": "TER", "nist": "NIST", "gtm": "GTM"}
CORRELATION = 0.75


@dataclass(frozen=True)
class SetTexts:
    """Files of one test set: the reference, and the output of each system."""

    reference: Path
    systems: dict[str, Path]


def write_set(folder: Path, seed: int, n_systems: int, n_segments: int) -> SetTexts:
    """Make up a test set like data/sample, with one run of each system, and write its texts."""
    names = [f"system{number:02}" for number in range(1, n_systems + 1)]
    systems = tuple(MadeUpSystem(name, 0.08 + 0.004 * place, 0.6, 0.13) for place, name in enumerate(names))
    correlations = CORRELATION + (1 - CORRELATION) * np.eye(n_systems)
    design = replace(
        SAMPLE_DESIGN,
        n_segments=n_segments,
        systems=systems,
        correlations=tuple(map(tuple, correlations.tolist())),
    )
    corpus = MadeUpCorpus(design, rng=seed)
    texts = {"reference": corpus.reference} | {name: corpus.translate(name) for name in names}
    paths = {name: folder / f"{seed}.{name}.txt" for name in texts}
    for name, tokens in texts.items():
        paths[name].write_text("\n".join(write_text(tokens)) + "\n", encoding="ascii", newline="\n")
    return SetTexts(paths.pop("reference"), paths)
