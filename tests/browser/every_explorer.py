"""Every explorer on the same data, as cells of a notebook: the tests in a browser and a benchmark open them."""

BEGIN = """\
import warnings
warnings.simplefilter("ignore")
from dataclasses import replace
import numpy as np
import pandas as pd
import mtworkbench as mtw
from mtworkbench.papers import clark2011, koehn2004
from mtworkbench.papers.draws.explorers import explore_draws
"""

END = """\
pairs = koehn2004.choose_pairs(statistics)[:2]
conclusions = koehn2004.conclude_on_sizes(statistics, pairs, n_resamples=200, rng=1)
a, b = [single[0][name] for name in list(single[0])[:2]]
"""

# What ships: the made-up corpora of both papers, and for the others a sample with three systems.
SHIPPED = f"""\
{BEGIN}
statistics, outputs = koehn2004.load_statistics(), None
test, dev = clark2011.load_statistics()
runs = clark2011.load_outputs()
sample = mtw.find_shipped("data/sample")
systems = {{name: sample / f"{{name}}.run*.txt" for name in ("baseline", "tweaked", "retrained")}}
texts = mtw.read_outputs(sample / "reference.txt", systems, documents=sample / "documents.txt")
families = [mtw.compute_statistics(texts, metric) for metric in ("bleu", "chrf")]
single = [mtw.compute_statistics(texts[texts["run"] == 1], metric) for metric in ("bleu", "chrf")]
{END}"""


def write_made(n_segments: int, n_systems: int, name: str = "system-{:02}") -> str:
    """Write the cell that makes systems up, by mixing the sentences of three engines (data/flores); 10 runs of each."""
    return f"""\
{BEGIN}
folder = mtw.find_shipped("data/flores")
engines = [f"bergamot-{{one}}" for one in ("base", "base-memory", "tiny")]
lines = {{one: (folder / f"{{one}}.txt").read_text(encoding="utf-8").splitlines() for one in ["reference", *engines]}}
places, names = np.arange({n_segments}), [{name!r}.format(number) for number in range({n_systems})]
lines = {{one: np.resize(np.array(own, dtype=object), {n_segments}) for one, own in lines.items()}}
mixed = [[lines[engines[one]][place] for place, one in enumerate(places * (number + 1) // 7 % 3)]
         for number in range({n_systems})]
given = {{"segment": places + 1, "document": [f"document {{one // 20}}" for one in places],
         "reference": lines["reference"], "run": 1}}
outputs = texts = pd.concat([pd.DataFrame({{**given, "system": one, "hypothesis": own}})
                             for one, own in zip(names, mixed)], ignore_index=True)
statistics = mtw.compute_statistics(outputs, "bleu")
families = single = [statistics]
# A run has the outputs of another system in one sentence of twenty.
drawn = np.random.default_rng(1).random((10, {n_segments})) < 0.05
swapped = {{one: np.where(drawn[:, :, None], statistics[names[place - 1]].values, statistics[one].values)
           for place, one in enumerate(names)}}
test, runs = {{"made up": [replace(statistics, values=swapped, run_names={{}})]}}, None
{END}"""


#: The call of each explorer. Those of the paper's figures stand first.
EXPLORERS = {
    "samples": "koehn2004.explorers.explore_samples(statistics, outputs, rng=1)",
    "intervals": "koehn2004.explorers.explore_intervals(statistics, outputs, rng=1)",
    "confidence": "koehn2004.explorers.explore_confidence(statistics, outputs, rng=1)",
    "calibration": "koehn2004.explorers.explore_calibration(conclusions)",
    "scores": "clark2011.explorers.explore_scores(test, runs, rng=1)",
    "replications": "clark2011.explorers.explore_replications(test, rng=1)",
    "luck": "clark2011.explorers.explore_luck(test, runs, rng=1)",
    "tuning": "clark2011.explorers.explore_tuning(rng=1)",
    "draws": "explore_draws(a, b, rng=1)",
    "comparison": "mtw.explore_comparison(families, outputs=texts, rng=1)",
    "conventions": "mtw.widgets.explore_conventions(single, rng=1)",
    "plan": "mtw.explore_plan(families)",
    "differences": "mtw.explore_differences(texts, families, rng=1)",
}
