"""Compare real engines on many test sets at once: what is shown on these sets, and what for new ones.

    python scripts/examine_real_test_sets.py LONG

LONG is a folder of test sets, ``ref/*.en`` and ``sys/ENGINE/*.en``; the HTML entities of one engine are replaced. The
outputs are not part of this repository: ``data/real/README.md`` says what they are.
"""  # noqa: D214, D405

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).parent.parent
if str(ROOT) not in sys.path:  # another script replaces the entities
    sys.path.insert(0, str(ROOT))

from mtworkbench import compare_test_sets, compute_statistics, read_outputs  # noqa: E402
from mtworkbench.results.campaigns import CampaignComparison, CampaignPair  # noqa: E402
from mtworkbench.shipped import find_shipped  # noqa: E402
from mtworkbench.tables import frame_to_csv  # noqa: E402
from scripts.examine_real_claims import unescape_html  # noqa: E402

os.environ["MTWORKBENCH_CACHE"] = "off"  # what is stored is computed by the code that is here


def summarize_test_sets(comparison: CampaignComparison) -> pd.DataFrame:
    """Compare how far the sets' differences lie apart with their standard errors, and what is shown of each pair.

    Parameters
    ----------
    comparison : CampaignComparison
        Of `compare_test_sets`.

    Returns
    -------
    DataFrame
        One row per metric and pair, as of `mtworkbench.papers.clark2011.findings.read_real_test_sets`.
    """
    rows = [
        {"metric": name} | _summarize_pair(pair)
        for name, metric in comparison.metrics.items()
        for pair in metric.comparisons
    ]
    return pd.DataFrame(rows)


def _summarize_pair(pair: CampaignPair) -> dict[str, object]:
    spread = float(np.std([one.difference for one in pair.sets], ddof=1))
    errors = np.array([one.standard_error for one in pair.sets], dtype=float)
    standard_error = float(np.sqrt(np.mean(errors**2)))
    return {
        "a": pair.a,
        "b": pair.b,
        "test_sets": pair.n_sets,
        "difference": pair.difference,
        "low": pair.low,
        "high": pair.high,
        "shown": pair.verdict == "significant",
        "new_sets_low": pair.new_sets_low,
        "new_sets_high": pair.new_sets_high,
        "new_sets_p_adjusted": pair.new_sets_p_adjusted,
        "shown_for_new": pair.conclusion == "shown for new test sets",
        "spread": spread,
        "standard_error": standard_error,
        "ratio": spread / standard_error if standard_error > 0 else np.nan,
    }


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
