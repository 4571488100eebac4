"""Tables, JSON lines, frames and saved statistics."""

import csv
import io
import json

from .layout import RUNS, TEXTS, Finds, Layout
from .plain_text import REF, outputs
from .texts import PAIR, documents, lines, output, reference, scores
from .texts import RUNS as NUMBERS

OF_SCORES = Finds(PAIR, metrics=("score",))
DOCUMENTS = Finds(PAIR, documents=documents)


def rows(names=("system", "document", "segment", "hypothesis", "reference")):
    for system in PAIR:
        found = zip(documents(), output(system), reference(), strict=True)
        for number, (document, text, wanted) in enumerate(found, start=1):
            yield dict(zip(names, (system, document, number, text, wanted), strict=True))


def separated(ones, delimiter="\t") -> str:
    ones = list(ones)
    written = io.StringIO()
    writer = csv.DictWriter(written, list(ones[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(ones)
    return written.getvalue()


def wide():
    texts = zip(reference(), *map(output, PAIR), strict=True)
    return {"outputs.tsv": separated(dict(zip(("reference", *PAIR), one, strict=True)) for one in texts)}


def lm_eval():
    """Samples of lm-eval, one file per model and task."""
    return {
        f"results/{system}/samples_wmt16-de-en_2026-11-27T10-00-00.000000.jsonl": lines(
            json.dumps(
                {"doc_id": number, "doc": {}, "target": wanted, "arguments": {}, "resps": [[text]]}
                | {"filtered_resps": [text], "filter": "none", "metrics": ["score"], "doc_hash": "0", "score": score}
            )
            for number, (wanted, text, score) in enumerate(
                zip(reference(), output(system), scores(system), strict=True)
            )
        )
        for system in PAIR
    }


def inspect():
    return {
        "samples.csv": separated(
            (
                {"model": system, "sample_id": f"s{number}", "epoch": run, "score": score}
                for system in PAIR
                for run in NUMBERS
                for number, score in enumerate(scores(system, run), start=1)
            ),
            ",",
        )
    }


def board():
    names = [f"task{number}" for number in range(len(reference()))]
    return {"board.csv": separated(({"model": one} | dict(zip(names, scores(one), strict=True)) for one in PAIR), ",")}


FRAME = """\
import pandas as pd
import mtworkbench as mtw
frame = pd.read_json("outputs.jsonl", lines=True)
mtw.compare(mtw.compute_statistics({outputs}, "bleu"), baseline="baseline", rng=1)"""

LAYOUTS = (
    Layout(
        "tidy-table",
        "A table with a row per system and segment",
        lambda: {"outputs.tsv": separated(rows())},
        "mtworkbench compare --table outputs.tsv",
        DOCUMENTS,
    ),
    Layout(
        "json-lines",
        "The same as JSON lines",
        lambda: {"outputs.jsonl": lines(map(json.dumps, rows()))},
        "mtworkbench compare --table outputs.jsonl",
        DOCUMENTS,
    ),
    Layout(
        "other-columns",
        "A table whose columns have other names",
        lambda: {"outputs.csv": separated(rows(("model", "document", "segment", "prediction", "gold")), ",")},
        "mtworkbench compare --table outputs.csv --columns system=model,hypothesis=prediction,reference=gold",
        DOCUMENTS,
    ),
    Layout(
        "wide-table",
        "A table with a row per segment and a column per system",
        wide,
        "mtworkbench compare --table outputs.tsv --table-systems baseline tweaked",
        TEXTS,
    ),
    Layout(
        "lm-eval",
        "lm-evaluation-harness: `--log_samples`",
        lm_eval,
        "mtworkbench compare results/*/samples_wmt16-de-en_*.jsonl",
        OF_SCORES,
        "EleutherAI/lm-evaluation-harness lm_eval/loggers/evaluation_tracker.py",
    ),
    Layout(
        "inspect",
        "Inspect: the data frame of samples, saved",
        inspect,
        "mtworkbench compare --scores samples.csv --columns system=model,segment=sample_id,run=epoch",
        Finds(PAIR, runs=NUMBERS, metrics=("score",)),
        "UKGovernmentBEIS/inspect_ai docs/dataframe.qmd",
    ),
    Layout(
        "leaderboard",
        "A leaderboard: a row per model, a column per task",
        board,
        "mtworkbench compare --table board.csv",
        OF_SCORES,
    ),
    Layout(
        "frame",
        "pandas: a frame of outputs",
        lambda: {"outputs.jsonl": lines(map(json.dumps, rows()))},
        finds=DOCUMENTS,
        python=FRAME.format(outputs="mtw.read_table(frame)"),
    ),
    Layout(
        "dicts",
        "Python: a list of dicts",
        lambda: {"outputs.jsonl": lines(map(json.dumps, rows()))},
        finds=DOCUMENTS,
        python=FRAME.format(outputs='mtw.read_table(frame.to_dict("records"))'),
    ),
    Layout(
        "statistics",
        "Saved statistics, without the texts",
        lambda: REF | outputs("{system}.run{run}.txt", runs=NUMBERS),
        "mtworkbench statistics ref.txt *.run*.txt -m bleu --output run.stats\n"
        "mtworkbench compare --statistics run.stats",
        RUNS,
    ),
    Layout(
        "statistics-tsv",
        "Saved statistics as a plain table",
        lambda: REF | outputs("{system}.txt"),
        "mtworkbench statistics --reference ref.txt --system baseline=baseline.txt --system tweaked=tweaked.txt "
        "-m bleu --tsv --output run.tsv\n"
        "mtworkbench compare --statistics run.tsv",
        TEXTS,
    ),
)
