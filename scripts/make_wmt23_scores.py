"""Make data/wmt23-en-de from a folder of mt-metrics-eval: python scripts/make_wmt23_scores.py WMT23_FOLDER (seconds).

Writes scores.tsv.gz, the judgements and metric scores of all segments, and text_metrics.stats, the statistics of BLEU
and chrF; no texts.
"""

import gzip
import os
import sys
import warnings
from pathlib import Path

import mtworkbench as mtw
from mtworkbench.writing import replace_file

os.environ["MTWORKBENCH_CACHE"] = "off"  # what is stored is computed by the code that is here

FOLDER = Path(__file__).parent.parent / "data" / "wmt23-en-de"
NAMES = ["system", "document", "domain", "segment"]
SCORES = ["mqm", "da-sqm", "BLEU-refA", "chrF-refA", "COMET-refA"]
REFERENCE = "refA"
# Judged or scored like systems in that collection.
REFERENCES = ["refA", "synthetic_ref"]


def make_scores(source: str | Path, folder: Path) -> None:
    """Write the two files."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mtw.DataWarning)  # what it says is in the data card
        outputs = mtw.read_mt_metrics_eval(source, "en-de", references=[REFERENCE])
    directions = {f"{name}_direction": "up" for name in SCORES}
    table = outputs.assign(**directions)[[*NAMES, *SCORES, *directions]]
    text = table.to_csv(sep="\t", index=False, na_rep="None", lineterminator="\n")
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(folder / "scores.tsv.gz", gzip.compress(text.encode("utf-8"), mtime=0))
    # References are not translations to be scored. Numbers of segments serve as their ids in the table; as ids here,
    # they let `merge_statistics` match the two without texts.
    systems = outputs[~outputs["system"].isin(REFERENCES)]
    systems = systems.assign(segment_id=systems["segment"].astype(str))
    mtw.save_statistics(folder / "text_metrics.stats", *mtw.compute_statistics(systems, ["bleu", "chrf"]))


if __name__ == "__main__":
    make_scores(sys.argv[1], FOLDER)
