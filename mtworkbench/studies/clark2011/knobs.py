"""What makes an optimizer unstable: Clark et al. (2011), 4.1, on made-up n-best lists and a real MERT."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.resampling import resolve_rng
from mtworkbench.simulation.replications import MadeUpPair, TuningLists, make_pair_lists, replicate
from mtworkbench.studies.clark2011.variance import deviation

# Each knob with what it turns: the optimizer, the decoder, the task, or the pair itself.
KNOBS = {
    "restarts": "mert",
    "random_directions": "mert",
    "n_hypotheses": "decoders",
    "n_features": "decoders",
    "n_references": "task",
    "n_dev": "pair",
}


def turn_knob(
    pair: MadeUpPair,
    knob: str,
    values: Sequence[int],
    *,
    n_runs: int = 10,
    systems: Sequence[str] = ("A",),
    progress: Callable[[Iterable], Iterable] = iter,
    rng=None,
) -> pd.DataFrame:
    """Tune systems of a made-up pair again, with one setting at several values (Clark et al. (2011), 4.1).

    Parameters
    ----------
    pair : MadeUpPair
    knob : str
        ``restarts`` or ``random_directions`` of the optimizer; ``n_hypotheses`` in a list, ``n_features``,
        ``n_references``, or ``n_dev``, the number of sentences tuned on.
    values : sequence of int
    n_runs : int
        Of each system at each value.
    systems : sequence of str
        ``"A"``, ``"B"`` or both.
    progress : callable
        Wraps the values, such as ``tqdm``.
    rng : int, numpy.random.Generator or None
        ``pair.rng`` takes the lists of the shipped instance.

    Returns
    -------
    DataFrame
        One row a (value, system): ``knob``, ``value``, ``system``, ``runs``, ``dev`` and ``test`` (mean BLEU),
        ``s_dev``, ``s_test``.

    Raises
    ------
    InputError
        ``unknown-knob``.
    """
    if knob not in KNOBS:
        raise InputError("unknown-knob", f"There is no knob {knob!r}: the knobs are {', '.join(KNOBS)}.")
    randomness = resolve_rng(rng)
    lists: dict[str, TuningLists] | None = None
    rows = []
    for value in progress(values):
        turned = set_knob(pair, knob, value)
        if lists is None or KNOBS[knob] != "mert":
            made = make_pair_lists(turned, rng=randomness)
            lists = {system: made[system] for system in made if system in systems}
        runs = replicate(lists, turned.mert, n_runs, name=pair.name, rng=randomness)
        scores = [part.statistics("bleu:tokenize=none").score() for part in (runs.dev, runs.test)]
        for system in lists:
            dev, test = (part[system][0] for part in scores)
            rows.append(
                {
                    "knob": knob,
                    "value": value,
                    "system": system,
                    "runs": n_runs,
                    "dev": dev.mean(),
                    "test": test.mean(),
                    "s_dev": deviation(dev),
                    "s_test": deviation(test),
                }
            )
    return pd.DataFrame(rows)


def set_knob(pair: MadeUpPair, knob: str, value: int) -> MadeUpPair:
    """Return the pair with one setting changed."""
    part = KNOBS[knob]
    if part == "pair":
        return replace(pair, **{knob: value})
    if part == "decoders":
        return replace(pair, decoders=tuple(replace(decoder, **{knob: value}) for decoder in pair.decoders))
    return replace(pair, **{part: replace(getattr(pair, part), **{knob: value})})
