"""Do the work of other tools, in an environment of their own: see `benchmarks.speed.peers`.

    python peer_tools.py DATA.json

DATA has the words of both outputs and of their reference, and BLEU's statistics of both systems. The program writes the
versions of the tools. Then it reads lines such as ``{"peer": "nltk", "draws": 5}``, does the work, and writes the CPU
seconds and the BLEU that the tool gives both systems.
"""

import os

os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import json
import sys
import time
from importlib.metadata import version

import nltk.translate.bleu_score
import numpy as np
import scipy.stats
from compare_mt.scorers import BleuScorer
from compare_mt.sign_utils import eval_with_paired_bootstrap

# Resamples that scipy holds at a time: more take gigabytes, and no less time.
BATCH = 100


class Tools:
    """The four tools, on the same outputs."""

    def __init__(self, data):
        self.statistics = [np.array(one, dtype=np.float64) for one in data["statistics"]]
        self.reference, self.outputs = data["reference"], data["outputs"]
        self.counted = [BleuScorer().cache_stats(self.reference, one) for one in self.outputs]
        self.wrapped = [[one] for one in self.reference]

    def scipy_bootstrap(self, draws):
        columns = np.concatenate(self.statistics, axis=1).T

        def difference(*drawn, axis):
            a, b = (np.stack([one.sum(axis=axis) for one in drawn[first : first + 10]]) for first in (0, 10))
            return score(a) - score(b)

        options = {"paired": True, "vectorized": True, "method": "percentile", "batch": BATCH, "rng": 1}
        scipy.stats.bootstrap(tuple(columns), difference, n_resamples=draws, **options)
        return [score(one.sum(axis=0)) for one in self.statistics]

    def scipy_permutation(self, draws):
        both = np.concatenate(self.statistics)
        places = np.arange(len(both)).reshape(2, -1)

        def difference(a, b, axis):
            return score(sum_rows(both, a, axis)) - score(sum_rows(both, b, axis))

        options = {"permutation_type": "samples", "vectorized": True, "batch": BATCH, "rng": 1}
        scipy.stats.permutation_test(tuple(places), difference, n_resamples=draws, **options)
        return [score(sum_rows(both, one, -1)) for one in places]

    def compare_mt(self, draws):
        scorer, options = BleuScorer(), {"sample_ratio": 1, "cache_stats": self.counted}
        eval_with_paired_bootstrap(self.reference, self.outputs, None, scorer, num_samples=draws, **options)
        return [scorer.score_cached_corpus(range(len(self.reference)), one)[0] for one in self.counted]

    def nltk(self, draws):
        rng = np.random.default_rng(1)
        for _ in range(draws):
            chosen = rng.integers(len(self.reference), size=len(self.reference))
            for output in self.outputs:
                references, hypotheses = [self.wrapped[n] for n in chosen], [output[n] for n in chosen]
                nltk.translate.bleu_score.corpus_bleu(references, hypotheses)
        return [100 * nltk.translate.bleu_score.corpus_bleu(self.wrapped, one) for one in self.outputs]


def sum_rows(statistics, places, axis):
    """Sum the statistics at some places; the statistics are the first axis of the result."""
    return np.moveaxis(statistics[places].sum(axis=axis if axis >= 0 else axis - 1), -1, 0)


def score(sums):
    """Compute BLEU: system length, reference length, matches and n-grams of four orders are the first axis."""
    precisions = np.log(sums[2:6] / sums[6:10]).mean(axis=0)
    return 100 * np.exp(precisions + np.minimum(0, 1 - sums[1] / sums[0]))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        tools = Tools(json.load(file))
    print(json.dumps({name: version(name) for name in ("scipy", "compare-mt", "nltk", "numpy")}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        work = getattr(tools, asked["peer"])
        start = time.process_time()
        scores = work(asked["draws"])
        print(json.dumps({"seconds": time.process_time() - start, "scores": scores}), flush=True)
