"""A made-up test set with several references: people who say the same in other words, and systems that err."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.papers.simulation.corpus import CorpusDesign, Difficulty, MadeUpCorpus
from mtworkbench.papers.simulation.frames import name_reference
from mtworkbench.papers.simulation.noisy_channel import MadeUpSystem
from mtworkbench.resampling import RngLike

# Set by hand. People and systems go through the same channel; people change fewer words. What nobody sees is the text
# that all start from.
PEOPLE_OFFSET, SYSTEM_OFFSETS = -0.55, {"careful": -0.12, "plain": 0.0, "hasty": 0.12}
CORRELATION = 0.5


def make_several_references(n_segments: int = 1000, n_references: int = 5, *, rng: RngLike = None) -> pd.DataFrame:
    """Make up three systems' outputs and several references.

    Parameters
    ----------
    n_segments : int
        At least 40 for each reference and system: documents of about 20 segments must be more than they.
    n_references : int
        At least one.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        An outputs frame with the columns ``reference``, ``reference_2`` ...

    Raises
    ------
    InputError
        ``n-references`` for fewer than one reference, ``n-segments`` for too few segments.
    """
    if n_references < 1:
        raise InputError("n-references", f"{n_references!r} references were asked for, but at least one was expected.")
    least = 40 * (n_references + len(SYSTEM_OFFSETS))
    if n_segments < least:
        raise InputError(
            "n-segments",
            f"{n_segments!r} segments were asked for, but at least {least} were expected: 40 for each of "
            f"{n_references} references and {len(SYSTEM_OFFSETS)} systems.",
        )
    people = [f"person {number}" for number in range(1, n_references + 1)]
    offsets = dict.fromkeys(people, PEOPLE_OFFSET) | SYSTEM_OFFSETS
    n = len(offsets)
    design = CorpusDesign(
        n_segments=n_segments,
        systems=tuple(MadeUpSystem(name, offset, bursts=0.5, deletions=0.08) for name, offset in offsets.items()),
        correlations=tuple(map(tuple, (CORRELATION + (1 - CORRELATION) * np.eye(n)).tolist())),
        difficulty=Difficulty(document_sd=0.1, segment_sd=0.2),
        segment_length=(20.0, 0.5),
        document_length=(20.0, 0.4),
    )
    rows = MadeUpCorpus(design, rng=rng).to_frame()
    outputs = rows[rows["system"].isin(list(SYSTEM_OFFSETS))].reset_index(drop=True)
    for number, person in enumerate(people, start=1):
        texts = rows.loc[rows["system"] == person, "hypothesis"].to_numpy()
        # Objects, as in every other frame of outputs: the texts of columns of pandas' own strings are read more slowly.
        outputs[name_reference(number)] = pd.Series(np.tile(texts, len(SYSTEM_OFFSETS)), dtype=object)
    return outputs
