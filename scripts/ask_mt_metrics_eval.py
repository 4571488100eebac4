"""Compute with Google's mt-metrics-eval what tests/analyses/mt_metrics_eval_wmt23.json holds (some minutes).

PYTHONPATH=MT_METRICS_EVAL python scripts/ask_mt_metrics_eval.py WMT23_FOLDER, where the first is a checkout of
google-research/mt-metrics-eval (commit 68a481a; of which ``stats.py`` is used) and the second a test set in its layout.
"""

import json
import sys
from functools import partial
from pathlib import Path

import numpy as np
import scipy.stats
from mt_metrics_eval import stats

GOLDS, METRICS, NOT_SYSTEMS = ("mqm", "da-sqm"), ("BLEU", "chrF", "COMET"), ("refA", "synthetic_ref")
# The slow tests are of the first so many segments, whether judged or not.
FEW = 80
N_TRIALS, N_SLOW_TRIALS = 20_000, 2000
# Without early stopping.
PARAMETERS = stats.PermutationSigDiffParams(block_size=10**9)


def read_scores(path: Path) -> dict[str, list[float | None]]:
    """Read a file of scores, one list per system."""
    scores: dict[str, list[float | None]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        system, score = line.split("\t")
        if system not in NOT_SYSTEMS:
            scores.setdefault(system, []).append(None if score == "None" else float(score))
    return scores


def correlate(gold: dict, metric: dict, few: int | None = None) -> stats.Correlation:
    """Lay the scores of two files side by side, system by system in the order of their names."""
    packed = [[score for name in sorted(gold) for score in one[name][:few]] for one in (gold, metric)]
    return stats.Correlation(len(gold), *packed)


def measure(system: stats.Correlation, segment: stats.Correlation) -> dict:
    """Compute how well a metric agrees with a gold score."""
    agreed, pairs = stats.Agreement(system.gold_scores, system.metric_scores)
    calibrated = stats.KendallWithTiesOpt(
        segment.gold_scores, segment.metric_scores, "acc23", segment.num_sys, "item", 1.0
    )
    return {
        "system": {"accuracy": agreed / pairs, "pearson": system.Pearson()[0], "kendall": system.Kendall()[0]},
        "segment": {
            "accuracy": calibrated[0],
            "threshold": calibrated[1],
            "pearson": segment.Pearson()[0],
            "kendall": segment.Kendall("item")[0],
        },
    }


def test(
    first: stats.Correlation, second: stats.Correlation, correlation: object, *, k: int = N_TRIALS, **options: object
) -> dict:
    """Test with PERM-BOTH whether the second metric agrees better than the first."""
    np.random.seed(1)  # noqa: NPY002  (what is asked draws from numpy's global state)
    p_value, delta, n_trials, _ = stats.PermutationSigDiff(
        first, second, correlation, k=k, params=PARAMETERS, **options
    )
    return {"p_value": float(p_value), "delta": float(delta), "n_trials": n_trials}


def accuracy(gold: np.ndarray, metric: np.ndarray) -> tuple[float, int]:
    """Compute the share of pairs of systems that a metric orders as the gold score does."""
    agreed, pairs = stats.Agreement(gold, metric)
    return agreed / pairs, pairs


def ask(folder: Path) -> dict:
    """Compute everything."""
    golds = {
        level: {name: read_scores(folder / "human-scores" / f"en-de.{name}.{level}.score") for name in GOLDS}
        for level in ("sys", "seg")
    }
    metrics = {
        level: {name: read_scores(folder / "metric-scores/en-de" / f"{name}-refA.{level}.score") for name in METRICS}
        for level in ("sys", "seg")
    }
    pair = partial(lambda level, gold, metric, few=None: correlate(golds[level][gold], metrics[level][metric], few))
    found: dict = {"agreement": {}, "tests": {}, "few": FEW}
    for gold in GOLDS:
        for metric in METRICS:
            found["agreement"][f"{gold} {metric}"] = measure(pair("sys", gold, metric), pair("seg", gold, metric))
    for name in ("chrF", "COMET"):
        system = [pair("sys", "mqm", one) for one in ("BLEU", name)]
        few = [pair("seg", "mqm", one, FEW) for one in ("BLEU", name)]
        slow = partial(test, *few, k=N_SLOW_TRIALS)
        found["tests"][f"mqm {name} BLEU"] = {
            "system": {
                "accuracy": test(*system, accuracy),
                "pearson": test(*system, scipy.stats.pearsonr),
                "kendall": test(*system, scipy.stats.kendalltau),
            },
            "few segments": {
                "accuracy": slow(stats.KendallWithTiesOpt, average_by="item", variant="acc23", sample_rate=1.0),
                "pearson": slow(scipy.stats.pearsonr),
                "kendall": slow(stats.KendallVariants, average_by="item", variant="b"),
            },
        }
    return found


if __name__ == "__main__":
    print(json.dumps(ask(Path(sys.argv[1])), indent=1))  # noqa: T201
