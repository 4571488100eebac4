"""Compare how metrics and people judge pairs of systems, and measure design effects, on real outputs.

    python -m benchmarks.people --realdata FOLDER

Writes data/people/judged_pairs.csv and design_effects.csv in seconds: numbers only, no text. FOLDER has
mt-metrics-eval/wmt23, mqm-ted-en-de, wmt21-da-ru-en and wmt-xml; data/people/README.md says what they are. From the
first file scripts/write_people.py writes docs/what_a_difference_means.md.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pandas as pd

import mtworkbench as mtw
from mtworkbench import __version__
from mtworkbench.analyses.agreement import tabulate_pairs
from mtworkbench.errors import DataWarning
from mtworkbench.inference import Comparison
from mtworkbench.inference.units import MIN_DOCUMENTS
from mtworkbench.tables import frame_to_csv
from mtworkbench.writing import make_folder, replace_file

FOLDER = Path(__file__).parents[1] / "data" / "people"
SEED = 1
#: References that lie among the outputs of mt-metrics-eval.
REFERENCES = ["refA", "refB", "synthetic_ref"]
#: COMET's scores, by the name of their column; on the scale from 0 to 100.
COMET = "COMET-refA"
#: What the names of columns are called on the page.
JUDGEMENTS = {
    "mqm": "MQM",
    "da-sqm": "DA+SQM",
    "da_z": "DA",
    "ESA-1": "ESA, first",
    "ESA-2": "ESA, second",
    "ESAAI-1": "ESA with AI",
    "MQM-1": "MQM of the ESA study",
}


class JudgedSet(NamedTuple):
    """A test set with known documents, and the judgements of its outputs.

    Parameters
    ----------
    name, year, languages : str, int, str
    read : callable
        Takes the folder of the texts, and returns the outputs of the systems, with the scores of their segments.
    judgements : tuple of str
        Columns of the outputs, the first of them the one that the page goes by; none where nobody judged.
    """

    name: str
    year: int
    languages: str
    read: Callable[[Path], pd.DataFrame]
    judgements: tuple[str, ...]


def read_wmt23(languages: str) -> Callable[[Path], pd.DataFrame]:
    """Return what reads a language pair of mt-metrics-eval, with the ESA campaign's scores where there are any."""

    def read(folder: Path) -> pd.DataFrame:
        root = folder / "mt-metrics-eval" / "wmt23"
        further = sorted((root / "human-scores-esa-campaign").glob(f"{languages}.*.seg.score"))
        outputs = mtw.read_mt_metrics_eval(
            root, languages, references=["refA"], scores=further or None, accept=["unknown-system"]
        )
        outputs = outputs[~outputs["system"].isin(REFERENCES)]
        if COMET in outputs:
            outputs[COMET] *= 100
        return outputs

    return read


def read_ted(folder: Path) -> pd.DataFrame:
    """Read the talks: the texts that were rated, one of which is the reference."""
    rated = mtw.outputs.read_mqm(folder / "mqm-ted-en-de" / "mqm_ted_ende.tsv").rename(columns={"mt": "hypothesis"})
    is_reference = rated["system"] == "reference"
    references = rated[is_reference].set_index("segment")["hypothesis"]
    return rated[~is_reference].assign(reference=rated["segment"].map(references))


def read_news21(folder: Path) -> pd.DataFrame:
    """Read the news of 2021, without test suites, with direct assessment: see `read_da`."""
    outputs = mtw.read_wmt_xml(folder / "wmt-xml" / "newstest2021.ru-en.all.xml", references=["A"])
    outputs = outputs[outputs["testsuite"] == ""]
    segments = outputs.drop_duplicates("segment").sort_values("document", kind="stable")
    number = {segment: str(i) for i, segment in enumerate(segments["segment"], start=1)}
    outputs = outputs.assign(segment_id=outputs["segment"].map(number))
    scores = mtw.read_da(folder / "wmt21-da-ru-en" / "ad-seg-scores-ru-en.csv")
    return mtw.add_scores(outputs, scores.replace({"system": {"Nemo": "NVIDIA-NeMo"}}), accept=["unknown-system"])


def read_general23(folder: Path) -> pd.DataFrame:
    """Read a test set that has documents, but no judgements here."""
    return mtw.read_wmt_xml(folder / "wmt-xml" / "wmttest2023.uk-en.all.xml")


OF_ESA = ("ESA-1", "ESA-2", "ESAAI-1", "MQM-1")
SETS = (
    JudgedSet("WMT 2023", 2023, "en-de", read_wmt23("en-de"), ("mqm", "da-sqm", *OF_ESA)),
    JudgedSet("WMT 2023", 2023, "he-en", read_wmt23("he-en"), ("mqm",)),
    JudgedSet("TED 2021", 2021, "en-de", read_ted, ("mqm",)),
    JudgedSet("WMT 2021", 2021, "ru-en", read_news21, ("da_z",)),
    JudgedSet("WMT 2023", 2023, "uk-en", read_general23, ()),
)


def compare_set(one: JudgedSet, folder: Path) -> Comparison:
    """Compare all pairs of systems under all metrics and judgements: documents are the units where there are enough."""
    outputs = one.read(folder)
    outputs["run"] = 1
    comet = [mtw.MeanScore(COMET, name="COMET", higher_is_better=True)] if COMET in outputs else []
    judged = [
        mtw.MeanScore(column, name=JUDGEMENTS[column], higher_is_better=goes_up(outputs, column))
        for column in one.judgements
    ]
    return mtw.compare(mtw.compute_statistics(outputs, ["bleu", "chrf", *comet, *judged]), rng=SEED)


def goes_up(outputs: pd.DataFrame, column: str) -> bool:
    """Tell whether higher scores of a column are better: as the file says; else these are points, not penalties."""
    directions = outputs.get(f"{column}_direction")
    return directions is None or directions.iloc[0] == "up"


def lay_out(one: JudgedSet, found: Comparison, folder: Path) -> pd.DataFrame:
    """Compare each metric with each judgement, one row per pair: see `tabulate_pairs`."""
    named = [JUDGEMENTS[column] for column in one.judgements]
    rows = pd.concat([tabulate_pairs(found, human) for human in named])
    rows = rows[~rows["metric"].isin(named[1:])]
    rows = rows[(rows["metric"] != named[0]) | (rows["human"] != named[0])]
    published = folder / "mt-metrics-eval" / "wmt23" / "metric-scores" / one.languages / f"{COMET}.sys.score"
    if "COMET" not in found.metrics and one.year == 2023 and published.exists():
        rows = pd.concat([rows, lay_published(rows[rows["metric"] == "BLEU"], published)])
    columns = ["human", "metric", "a", "b", "human_difference", "human_verdict", "difference", "verdict"]
    return label(one, rows[columns])


def label(one: JudgedSet, rows: pd.DataFrame) -> pd.DataFrame:
    """Name the test set of rows."""
    told = {"set": one.name, "year": one.year, "languages": one.languages}
    return rows.assign(**told)[[*told, *rows.columns]]


def lay_published(rows: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Return rows of the published scores of systems, of which those of segments are not known: without a verdict."""
    lines = pd.read_csv(path, sep="\t", names=["system", "score"], na_values="None", keep_default_na=False)
    scores = 100 * lines.set_index("system")["score"].astype(float)
    difference = rows["a"].map(scores) - rows["b"].map(scores)
    return rows.assign(metric="COMET", difference=difference, verdict="")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--realdata", type=Path, required=True, help="folder of the texts, which do not ship")
    folder = parser.parse_args().realdata
    warnings.simplefilter("ignore", DataWarning)
    judged, effects = [], []
    for one in SETS:
        found = compare_set(one, folder)
        if one.judgements:
            judged.append(lay_out(one, found, folder))
        if (found.n_documents or 0) >= MIN_DOCUMENTS:
            pairs = found.to_frame()
            pairs = pairs[~pairs["metric"].isin(JUDGEMENTS.values())]
            sizes = {"n_segments": found.n_segments, "n_documents": found.n_documents}
            effects.append(label(one, pairs[["metric", "a", "b", "design_effect"]].assign(**sizes)))
    make_folder(FOLDER)
    for name, frames in (("judged_pairs.csv", judged), ("design_effects.csv", effects)):
        written = pd.concat(frames, ignore_index=True).assign(version=__version__)
        replace_file(FOLDER / name, frame_to_csv(written.round(6)))


if __name__ == "__main__":
    main()
