"""From how many words on does a single segment take long, and how does the time grow?"""

import argparse
import random
import time
import warnings
from unittest.mock import patch

import mtworkbench as mtw
from mtworkbench.metrics import make_metric, ter

# Metric, whether TER's compiled search may be loaded, lengths in words.
ROWS = (
    ("ter", False, (100, 200, 400, 800)),
    ("ter", True, (800, 2_000, 20_000, 200_000)),
    ("gtm", True, (1_000, 2_000, 4_000, 8_000)),
    ("chrf", True, (100_000,)),
    ("bleu", True, (100_000,)),
)


def draw_texts(rng: random.Random, kind: str, n_words: int) -> tuple[str, str]:
    """Draw a reference and a hypothesis; words are as frequent as Zipf's law says."""
    words = [f"w{number}" for number in range(5000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    reference = rng.choices(words, weights, k=n_words)
    others = rng.choices(words, weights, k=n_words)
    if kind == "unrelated":
        return " ".join(reference), " ".join(others)
    if kind == "shuffled":
        return " ".join(reference), " ".join(rng.sample(reference, n_words))
    changed = [one if rng.random() < 0.7 else other for one, other in zip(reference, others, strict=True)]
    return " ".join(reference), " ".join(changed)


def measure(name: str, reference: str, hypothesis: str) -> float:
    outputs = mtw.make_outputs([reference], {"it": [hypothesis]})
    start = time.process_time()
    make_metric(name).segment_statistics(outputs)
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rng", type=int, default=2)
    rng = random.Random(parser.parse_args().rng)
    warnings.simplefilter("ignore")
    measure("ter", *draw_texts(rng, "changed", 1_000))  # loads numba, which is not to be timed
    print(f"{'metric':20}{'hypothesis':14}{'words':>8}{'seconds':>9}")
    for name, kernels, lengths in ROWS:
        load = ter.load_kernels if kernels else lambda name, *, saves: None
        title = {True: "ter, with numba", False: "ter, without numba"}[kernels] if name == "ter" else name
        for kind in ("changed", "unrelated", "shuffled"):
            for n_words in lengths:
                texts = draw_texts(rng, kind, n_words)
                with patch.object(ter, "load_kernels", load):
                    print(f"{title:20}{kind:14}{n_words:>8,}{measure(name, *texts):>9.3f}", flush=True)


if __name__ == "__main__":
    main()
