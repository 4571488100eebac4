"""Scores that other programs, or people, gave to segments."""

import json

from .layout import Finds, Layout
from .plain_text import plain
from .texts import PAIR, documents, lines, output, reference, scores, source

HUMAN = Finds(PAIR, metrics=("human",), documents=documents)
BESIDE = Finds(PAIR, metrics=("BLEU", "comet"))


def scored_by_comet(**extra):
    """What ``comet-score --to_json`` writes: per path, an object per segment."""
    return {
        f"sys/{system}.txt": [
            {"src": one, "mt": two, "ref": three, "COMET": score} | extra
            for one, two, three, score in zip(source(), output(system), reference(), scores(system), strict=True)
        ]
        for system in PAIR
    }


def with_texts(**files):
    return plain("sys/{system}.txt")() | files


def comet_printed():
    rows = [
        f"sys/{system}.txt\tSegment {number}\tscore: {score:.4f}"
        for number, both in enumerate(zip(*map(scores, PAIR), strict=True))
        for system, score in zip(PAIR, both, strict=True)
    ]
    rows += [f"sys/{system}.txt\tscore: {sum(scores(system)) / len(scores(system)):.4f}" for system in PAIR]
    return with_texts(**{"comet.out": lines(rows)})


def comet_compared():
    written = {
        "model": "Unbabel/wmt22-comet-da",
        "statistical_results": [],
        "source": list(source()),
        "translations": [
            {"name": f"sys/{system}.txt", "mt": list(output(system)), "scores": scores(system)} for system in PAIR
        ],
        "reference": list(reference()),
    }
    return with_texts(**{"comet.json": json.dumps(written)})


def per_line(pattern: str):
    return with_texts(**{pattern.format(system=system): lines(scores(system)) for system in PAIR})


def metricx():
    return with_texts(
        **{
            f"metricx/{system}.jsonl": lines(
                json.dumps({"source": one, "hypothesis": two, "reference": three, "prediction": score})
                for one, two, three, score in zip(source(), output(system), reference(), scores(system), strict=True)
            )
            for system in PAIR
        }
    )


def bert_score():
    head = "roberta-large_L17_no-idf_version=0.3.12 P: 0.9 R: 0.9 F1: 0.9"
    return with_texts(
        **{
            f"bertscore/{system}.txt": lines([head, *(f"0.5\t0.5\t{score:.6f}" for score in scores(system))])
            for system in PAIR
        }
    )


def seg_score():
    rows = [f"{system}\t{score}" for system in PAIR for score in scores(system)]
    return with_texts(**{"en-de.comet.seg.score": lines(rows)})


def penalties(system: str, run: int = 1) -> list[float]:
    """The weight of a minor error in each segment of which few words are right."""
    return [float(score < 0.6) for score in scores(system, run)]


def mqm():
    rows = ["system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"]
    for system in PAIR:
        found = zip(documents(), source(), output(system), penalties(system), strict=True)
        for number, (document, one, two, penalty) in enumerate(found, start=1):
            kind = "Accuracy/Mistranslation\tMinor" if penalty else "No-error\tno-error"
            rows.append(f"{system}\t{document}\t1\t{number}\trater1\t{one}\t{two}\t{kind}")
    return {"mqm_ende.tsv": lines(rows)}


def assessed():
    rows = ["SYS SID RAW.SCR Z.SCR N "]
    rows += [
        f"{system}.4 {number} {score} {score} 1 "
        for system in PAIR
        for number, score in enumerate(scores(system), start=1)
    ]
    return {"ad-seg-scores-ru-en.csv": lines(rows)}


def esa():
    """The lines of WMT25's human evaluation; keys that are not read are left out."""
    rows = []
    texts = {system: output(system) for system in PAIR}
    for number, (document, one) in enumerate(zip(documents(), source(), strict=True)):
        given = {system: {"human1": scores(system)[number], "errors1": [], "annotator1": "a"} for system in PAIR}
        of_systems = {system: texts[system][number] for system in PAIR}
        name = f"en-de_DE_#_news_#_{document}_#_{number}"
        rows.append({"doc_id": name, "src_text": one, "tgt_text": of_systems, "scores": given})
    return {"wmt25-genmt-humeval.jsonl": lines(map(json.dumps, rows))}


def rated_in_pearmut():
    """What Pearmut's dashboard exports: per campaign a list of screens, each with its items and their annotations."""
    rows = []
    for number, (document, one) in enumerate(zip(documents(), source(), strict=True)):
        item = {"item_id": f"news_#_{document}_#_{number}", "src": one, "tgt": {s: output(s)[number] for s in PAIR}}
        given = {system: {"score": scores(system)[number], "error_spans": []} for system in PAIR}
        rows.append({"user_id": "alice", "item_i": number, "item": [item], "annotation": [given], "time": 45})
    return {"annotations.json": json.dumps({"eng_Latn---deu_Latn": rows})}


def rated_in_appraise():
    """Appraise's export: no heading; a tutorial and a check of attention come first, and do not count."""
    rows = ["alice,ende-tutorial1,1000001,TGT,eng,deu,0,ende-tutorial1,False,[],1.0,2.0"]
    rows += [f"alice,baseline,0,BAD,eng,deu,0,{documents()[0]}#bad,False,[],2.0,3.0"]
    for system in PAIR:
        rows += [
            f"alice,{system},{number},TGT,eng,deu,{score},{document},False,[],{3 + number}.0,{4 + number}.0"
            for number, (document, score) in enumerate(zip(documents(), scores(system), strict=True))
        ]
    return {"esa_generalMT2024_wave0.csv": lines(rows)}


def scores_by_system(system_of):
    rows = ["system\tsegment\tcomet"]
    rows += [
        f"{system_of(system)}\t{number}\t{score}" for system in PAIR for number, score in enumerate(scores(system), 1)
    ]
    return with_texts(**{"scores.tsv": lines(rows)})


LAYOUTS = (
    Layout(
        "comet-json",
        "COMET: `comet-score --to_json comet.json`",
        lambda: with_texts(**{"comet.json": json.dumps(scored_by_comet(), indent=4)}),
        "mtworkbench compare ref.txt sys/* --scores comet.json",
        BESIDE,
        "Unbabel/COMET comet/cli/score.py",
    ),
    Layout(
        "comet-printed",
        "COMET: what `comet-score` prints",
        comet_printed,
        "mtworkbench compare ref.txt sys/* --scores comet.out",
        BESIDE,
        "Unbabel/COMET comet/cli/score.py",
    ),
    Layout(
        "comet-compare",
        "COMET: `comet-compare --to_json comet.json`",
        comet_compared,
        "mtworkbench compare ref.txt sys/* --scores comet.json",
        BESIDE,
        "Unbabel/COMET comet/cli/compare.py",
    ),
    Layout(
        "comet-alone",
        "COMET's JSON without the outputs",
        lambda: {"comet.json": json.dumps(scored_by_comet())},
        "mtworkbench compare --scores comet.json",
        Finds(PAIR, metrics=("comet",)),
        "Unbabel/COMET comet/cli/score.py",
    ),
    Layout(
        "xcomet",
        "XCOMET: JSON with error spans",
        lambda: with_texts(**{"xcomet.json": json.dumps(scored_by_comet(errors=[{"severity": "minor"}]))}),
        "mtworkbench compare ref.txt sys/* --scores xcomet=xcomet.json",
        Finds(PAIR, metrics=("BLEU", "xcomet")),
        "Unbabel/COMET comet/cli/score.py",
    ),
    Layout(
        "comet-api",
        "COMET's Python functions: one number per line",
        lambda: per_line("comet/{system}.txt"),
        "mtworkbench compare ref.txt sys/* --scores 'comet=comet/*.txt'",
        BESIDE,
        "Unbabel/COMET README.md",
    ),
    Layout(
        "comet-beside",
        "Firefox Translations: numbers in files next to the outputs",
        lambda: plain("{system}.en")() | {f"{system}.en.comet": lines(scores(system)) for system in PAIR},
        "mtworkbench compare ref.txt baseline.en tweaked.en --scores 'comet=*.comet'",
        BESIDE,
        "mozilla/firefox-translations-models evaluation/",
    ),
    Layout(
        "bleurt",
        "BLEURT: `-scores_file`",
        lambda: per_line("bleurt/{system}.scores"),
        "mtworkbench compare ref.txt sys/* --scores 'bleurt=bleurt/*.scores'",
        Finds(PAIR, metrics=("BLEU", "bleurt")),
        "google-research/bleurt bleurt/score_files.py",
    ),
    Layout(
        "metricx",
        "MetricX: `--output_file`, JSON lines",
        metricx,
        "mtworkbench compare ref.txt sys/* --scores 'metricx=metricx/*.jsonl'",
        Finds(PAIR, metrics=("BLEU", "metricx"), direction="down"),
        "google-research/metricx README.md",
    ),
    Layout(
        "bert-score",
        "BERTScore: `bert-score --seg_level`",
        bert_score,
        "mtworkbench compare ref.txt sys/* --scores 'bertscore=bertscore/*.txt'",
        Finds(PAIR, metrics=("BLEU", "bertscore")),
        "Tiiiger/bert_score bert_score_cli/score.py",
    ),
    Layout(
        "seg-score",
        "mt-metrics-eval: a file of segment scores",
        seg_score,
        "mtworkbench compare ref.txt sys/* --scores en-de.comet.seg.score",
        BESIDE,
        "google-research/mt-metrics-eval README.md",
    ),
    Layout(
        "score-table",
        "A table of scores",
        lambda: scores_by_system(str),
        "mtworkbench compare ref.txt sys/* --scores scores.tsv",
        BESIDE,
    ),
    Layout(
        "score-table-of-paths",
        "A table that names systems by their files",
        lambda: scores_by_system("sys/{}.txt".format),
        "mtworkbench compare ref.txt sys/* --scores scores.tsv",
        BESIDE,
    ),
    Layout(
        "mqm",
        "MQM: a row per error",
        mqm,
        "mtworkbench compare --scores mqm_ende.tsv",
        Finds(PAIR, metrics=("mqm",), scores=penalties, direction="down", documents=documents),
        "google/wmt-mqm-human-evaluation README.md",
    ),
    Layout(
        "da",
        "WMT's direct assessment",
        assessed,
        "mtworkbench compare --scores ad-seg-scores-ru-en.csv -m da",
        Finds(PAIR, metrics=("da",)),
        "wmt-conference/wmt21-news-systems humaneval/",
    ),
    Layout(
        "appraise",
        "Appraise and WMT24: exported annotations",
        rated_in_appraise,
        "mtworkbench compare --scores esa_generalMT2024_wave0.csv",
        HUMAN,
        "wmt-conference/wmt24-news-systems humeval/",
    ),
    Layout(
        "esa-wmt25",
        "WMT25: human ratings (ESA)",
        esa,
        "mtworkbench compare --scores wmt25-genmt-humeval.jsonl",
        HUMAN,
        "wmt-conference/wmt25-general-mt data/",
    ),
    Layout(
        "pearmut",
        "Pearmut and WMT26: exported annotations",
        rated_in_pearmut,
        "mtworkbench compare --scores annotations.json",
        HUMAN,
        "zouharvi/pearmut, wmt-conference/wmt26-general-mt humeval/",
    ),
)
