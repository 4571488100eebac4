"""Put numbers to the claims of Clark et al. (2011) on real replications, to lay beside the made-up ones.

    python scripts/examine_real_replications.py MULTEVAL E2E LONG

MULTEVAL is a folder with ``ref.txt`` and ``hyp.{baseline,sys1}.opt*.txt``; E2E one with ``refs/ref.*.txt`` and
``hyps/train-orig_test-orig/{tgen-std,tgen-plus}.run*.txt``; LONG one of test sets, ``ref/*.en`` and
``sys/ENGINE/*.en``, with the HTML entities of one engine replaced. The outputs are not part of this repository:
``data/real/README.md`` says what they are.
"""  # noqa: D214, D405

import os
import sys
from pathlib import Path

import pandas as pd
from examine_real_claims import unescape_html

from mtworkbench import compute_statistics, read_outputs
from mtworkbench.papers import clark2011
from mtworkbench.papers.common.claims import Claim, tabulate_claims
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables import frame_to_csv

os.environ["MTWORKBENCH_CACHE"] = "off"  # what is stored is computed by the code that is here


def examine_multeval(folder: Path) -> pd.DataFrame:
    """Examine MultEval's example: Czech-English, three runs of each system."""
    systems = {"baseline": folder / "hyp.baseline.opt*.txt", "system 1": folder / "hyp.sys1.opt*.txt"}
    statistics = compute_statistics(read_outputs(folder / "ref.txt", systems), "bleu:tokenize=none")
    return examine(statistics, "cs-en, 3 runs")


def examine_e2e(folder: Path) -> pd.DataFrame:
    """Examine five trainings each of two generators of text (not translation)."""
    hypotheses = folder / "hyps" / "train-orig_test-orig"
    systems = {name: hypotheses / f"{name}.run*.txt" for name in ("tgen-std", "tgen-plus")}
    references = sorted((folder / "refs").glob("ref.*.txt"), key=lambda path: int(path.suffixes[0][1:]))
    outputs = read_outputs(references, systems, accept=("absent-ref",))
    statistics = compute_statistics(outputs, "bleu")
    return examine(statistics, "E2E NLG, 5 runs")


def examine(statistics: SegmentStatistics, corpus: str) -> pd.DataFrame:
    """Examine the claims, with draws of runs exchanged by run and by unit."""
    [pair] = clark2011.choose_pairs({corpus: statistics}).values()
    by_unit = clark2011.randomize_drawn_runs(*pair, exchange="unit", rng=1)
    return clark2011.examine_claims(statistics, corpus=corpus, by_unit=by_unit, rng=1)


def examine_test_sets(folder: Path) -> pd.DataFrame:
    """Ask whether s_sel is what the separate test sets of many years show."""
    engines = sorted(path.name for path in (folder / "sys").iterdir())
    sets = []
    for reference in sorted((folder / "ref").iterdir()):
        systems = {engine: folder / "sys" / engine / reference.name for engine in engines}
        sets.append(compute_statistics(unescape_html(read_outputs(reference, systems), "google"), "bleu"))
    separate = clark2011.compare_with_separate_sets(sets, rng=1)
    parts = [clark2011.separate_test_sets(one, len(one.test_set) // 2, rng=1) for one in sets]
    halves = pd.concat([clark2011.compare_with_separate_sets(two, rng=1) for two in parts])
    of_halves = (halves["spread"] ** 2).mean() ** 0.5 / halves["s_sel"].mean()
    rows = [
        (
            "spread_of_test_sets",
            f"spread over {len(sets)} test sets / s_sel of a test set",
            separate["ratio"].mean(),
        ),
        ("spread_of_halves", "spread over two halves of a test set / s_sel of a half", of_halves),
    ]
    claims = [Claim(key, 3, "4.1", quantity, float("nan"), here) for key, quantity, here in rows]
    return tabulate_claims(claims).assign(corpus="de-en, 14 test sets")


def main() -> None:
    """Examine all three and write the table."""
    multeval, e2e, long = (Path(argument) for argument in sys.argv[1:4])
    found = pd.concat([examine_multeval(multeval), examine_e2e(e2e), examine_test_sets(long)], ignore_index=True)
    # The paper's numbers stand beside its own corpora.
    found[["paper", "difference"]] = float("nan")
    target = find_shipped("data/real") / "clark2011_claims.csv"
    target.write_text(frame_to_csv(found), encoding="utf-8")


if __name__ == "__main__":
    main()
