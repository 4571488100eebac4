"""Compare real engines on many test sets at once: what is shown on these sets, and what for new ones.

    python scripts/examine_real_test_sets.py LONG

LONG is a folder of test sets, ``ref/*.en`` and ``sys/ENGINE/*.en``; the HTML entities of one engine are replaced. The
outputs are not part of this repository: ``data/real/README.md`` says what they are.
"""  # noqa: D214, D405

import os
import sys
from pathlib import Path

from examine_real_claims import unescape_html

from mtworkbench import compare_test_sets, compute_statistics, read_outputs
from mtworkbench.papers.clark2011.several_sets import summarize_test_sets
from mtworkbench.shipped import find_shipped
from mtworkbench.tables import frame_to_csv

os.environ["MTWORKBENCH_CACHE"] = "off"  # what is stored is computed by the code that is here


def main() -> None:
    """Compare all pairs with BLEU and write the table."""
    folder = Path(sys.argv[1])
    engines = sorted(path.name for path in (folder / "sys").iterdir())
    sets = {}
    for reference in sorted((folder / "ref").iterdir()):
        systems = {engine: folder / "sys" / engine / reference.name for engine in engines}
        sets[reference.stem] = compute_statistics(unescape_html(read_outputs(reference, systems), "google"), "bleu")
    found = summarize_test_sets(compare_test_sets(sets, unit="segment", rng=1))
    (find_shipped("data/real") / "test_sets.csv").write_text(frame_to_csv(found), encoding="utf-8")


if __name__ == "__main__":
    main()
