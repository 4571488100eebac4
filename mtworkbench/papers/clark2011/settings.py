"""What makes an optimizer unstable: Clark et al. (2011), §4.1, on made-up n-best lists and a real MERT."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mtworkbench.papers.clark2011.published import show_value
from mtworkbench.papers.clark2011.variance import deviation, ratio_ends
from mtworkbench.papers.simulation.replications import (
    MadeUpPair,
    TuningLists,
    change_setting,
    make_pair_lists,
    replicate,
)
from mtworkbench.progress import Progress
from mtworkbench.resampling import RngLike, resolve_rng

# These change only the optimizer, so the lists stay the same.
OF_THE_OPTIMIZER = ("restarts", "random_directions")
#: What each setting counts.
SETTING_NAMES = {
    "restarts": "random restarts",
    "random_directions": "random directions",
    "n_hypotheses": "hypotheses per list",
    "n_features": "features",
    "n_dev": "segments in the tuning set",
    "n_references": "references",
}


def vary_setting(
    pair: MadeUpPair,
    setting: str,
    values: Sequence[int],
    *,
    n_runs: int = 10,
    systems: Sequence[str] = ("A",),
    progress: Progress | None = None,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Tune systems of a made-up pair again, with one setting at several values (Clark et al. (2011), §4.1).

    Parameters
    ----------
    pair : MadeUpPair
    setting : str
        ``restarts`` or ``random_directions`` of the optimizer; ``n_hypotheses`` in a list, ``n_features``,
        ``n_references``, or ``n_dev``, the number of segments in the tuning set.
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
        One row per value and system: ``setting``, ``value``, ``system``, ``runs``, ``dev`` and ``test``
        (mean BLEU), ``s_dev``, ``s_test``.

    Raises
    ------
    InputError
        ``unknown-setting``.
    """
    random_key = resolve_rng(rng)
    lists: dict[str, TuningLists] | None = None
    rows = []
    for value in progress(values) if progress else values:
        changed = change_setting(pair, setting, value)
        if lists is None or setting not in OF_THE_OPTIMIZER:
            made = make_pair_lists(changed, rng=random_key)
            lists = {system: made[system] for system in made if system in systems}
        runs = replicate(lists, changed.mert, n_runs, name=pair.name, rng=random_key)
        scores = [part.statistics("bleu:tokenize=none").score() for part in (runs.dev, runs.test)]
        for system in lists:
            dev, test = (part[system][0] for part in scores)
            rows.append(
                {
                    "setting": setting,
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


def compare_settings(frame: pd.DataFrame, *, level: float = 0.95) -> pd.DataFrame:
    """Compare the deviations at the largest value of each setting with those at its smallest.

    Parameters
    ----------
    frame : DataFrame
        Of `vary_setting`, for one setting or several.
    level : float

    Returns
    -------
    DataFrame
        One row per setting, system and deviation: ``setting``, ``system``, ``smallest``, ``largest`` (its values),
        ``quantity`` ("s_dev" or "s_test"), ``ratio`` (at the largest / at the smallest value), ``low`` and ``high``:
        its confidence interval, see `ratio_ends`. NaN where a deviation is 0 or unknown. A setting with one value has
        no row.
    """
    rows = []
    for (setting, system), part in frame.groupby(["setting", "system"], sort=False):
        first, last = part.iloc[part["value"].argmin()], part.iloc[part["value"].argmax()]
        if first["value"] == last["value"]:
            continue
        for column in ("s_dev", "s_test"):
            low, high = ratio_ends(last["runs"], first["runs"], level)
            ratio = last[column] / first[column] if first[column] and last[column] else np.nan
            head = (setting, system, first["value"], last["value"], column)
            rows.append((*head, ratio, ratio * low, ratio * high))
    columns = ["setting", "system", "smallest", "largest", "quantity", "ratio", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def arrange_settings(frame: pd.DataFrame, *, digits: int = 2) -> pd.DataFrame:
    """Arrange what `vary_setting` found: one row per setting and value, means and deviations rounded, but never to 0.

    Where a setting was varied for several systems, there is one row for each of them.

    Parameters
    ----------
    frame : DataFrame
        Of `vary_setting`.
    digits : int
    """
    named = frame.assign(setting=[SETTING_NAMES.get(name, name) for name in frame["setting"]])
    for column in ("dev", "test", "s_dev", "s_test"):
        named[column] = [show_value(value, digits) for value in frame[column]]
    rows = ["setting", "value", "system"] if frame["system"].nunique() > 1 else ["setting", "value"]
    return named.set_index(rows)[["runs", "dev", "test", "s_dev", "s_test"]]
