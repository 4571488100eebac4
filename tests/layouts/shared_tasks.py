"""What shared tasks publish, and test sets that are known by a name."""

import json
from itertools import groupby
from xml.sax.saxutils import escape

from .layout import Finds, Layout
from .plain_text import outputs
from .texts import SYSTEMS, documents, lines, output, own_documents, reference, scores, source

DOCUMENTS = Finds(documents=documents)
SUBMITTED = {"baseline": "baseline.6808", "tweaked": "tweaked.6785", "retrained": "retrained.6974"}


def by_document(*texts):
    """The segments of each document in turn: its name, and for each the number and the texts."""
    rows = enumerate(zip(documents(), *texts, strict=True))
    for document, ones in groupby(rows, key=lambda row: row[1][0]):
        yield document, [(number, *found) for number, (_, *found) in enumerate((row for _, row in ones), start=1)]


def sgml(kind: str, texts, system: str = "") -> str:
    named = f' sysid="{system}"' if system else ""
    rows = [f'<{kind} setid="newstest2019" srclang="any" trglang="de">']
    for document, ones in by_document(texts):
        rows += [f'<doc{named} docid="{document}">', "<p>"]
        rows += [f'<seg id="{number}">{escape(text)}</seg>' for number, text in ones]
        rows += ["</p>", "</doc>"]
    return lines([*rows, f"</{kind}>"])


def submissions():
    return {
        f"sgm/system-outputs/en-de/newstest2019.{called}.en-de.sgm": sgml("tstset", output(system), system)
        for system, called in SUBMITTED.items()
    } | {"sgm/references/newstest2019-ende-ref.de.sgm": sgml("refset", reference(), "ref")}


def xml():
    rows = ["<?xml version='1.0' encoding='utf-8'?>", '<dataset id="wmttest2023">']
    texts = [source(), reference(), *map(output, SYSTEMS)]
    elements = ['src lang="en"', 'ref lang="de" translator="refA"']
    elements += [f'hyp system="{system}" lang="de"' for system in SYSTEMS]
    for document, ones in by_document(*texts):
        rows.append(f'<doc id="{document}" origlang="en" domain="news">')
        for place, element in enumerate(elements, start=1):
            segments = "".join(f'<seg id="{one[0]}">{escape(one[place])}</seg>' for one in ones)
            rows.append(f"<{element}><p>{segments}</p></{element.split()[0]}>")
        rows.append("</doc>")
    return {"wmttest2023.en-de.all.xml": lines([*rows, "</dataset>"])}


def wmt24():
    return {
        "txt-ts/documents/en-de.docs": lines(f"news\t{document}" for document in documents()),
        "txt-ts/references/en-de.refA.txt": lines(reference()),
        "txt-ts/sources/en-de.txt": lines(source()),
    } | outputs("txt-ts/system-outputs/en-de/{system}.txt", systems=SYSTEMS)


def mt_metrics_eval():
    folder = {
        "wmt23/documents/en-de.docs": lines(f"news\t{document}" for document in documents()),
        "wmt23/sources/en-de.txt": lines(source()),
        "wmt23/references/en-de.refA.txt": lines(reference()),
    }
    of_metric = lines(f"{system}\t{score}" for system in SYSTEMS for score in scores(system))
    folder["wmt23/metric-scores/en-de/COMET-refA.seg.score"] = of_metric
    return folder | outputs("wmt23/system-outputs/en-de/{system}.txt", systems=SYSTEMS)


def test_set_of_wmt26():
    """The test set, one object per document, with the fields that its README lists."""
    names = [f"WMT26_###_news_###_eng_Latn_###_deu_Latn_###_{document}" for document in own_documents()]
    common = {"domain": "news", "src_lang": "eng_Latn", "tgt_lang": "deu_Latn", "video": None, "screenshot": None}
    rows = [
        {"doc_id": name} | common | {"src_text": text, "refs": {"refA": wanted}}
        for name, text, wanted in zip(names, source(), reference(), strict=True)
    ]
    files = {"data/wmt26-genmt.jsonl": lines(map(json.dumps, rows))}
    for system in SYSTEMS:
        found = [
            {"doc_id": name, "hypothesis": text, "metadata": {}}
            for name, text in zip(names, output(system), strict=True)
        ]
        files[f"data/systems/{system}.jsonl"] = lines(map(json.dumps, found))
    return files


def known_set():
    """The files of sacreBLEU's folder that it makes of a test set when it is first used."""
    made = {"src": source(), "ref": reference(), "docid": documents()}
    made |= {"genre": ["news"] * len(documents()), "origlang": ["en"] * len(documents())}
    files = {f".sacrebleu/wmt20/wmt20.en-de.{field}": lines(texts) for field, texts in made.items()}
    return files | outputs("sys/{system}.txt", systems=SYSTEMS)


LAYOUTS = (
    Layout(
        "test-set-by-name",
        "A test set that sacreBLEU knows, and your outputs",
        known_set,
        "mtworkbench compare -t wmt20 -l en-de sys/*",
        DOCUMENTS,
        "mjpost/sacrebleu sacrebleu/dataset/",
    ),
    Layout(
        "wmt-text",
        "WMT14 to WMT20: plain text",
        lambda: (
            {"txt/references/newstest2019-ende-ref.de": lines(reference())}
            | outputs("txt/system-outputs/newstest2019/en-de/newstest2019.{system}.0.en-de", systems=SYSTEMS)
        ),
        "mtworkbench compare txt/references/newstest2019-ende-ref.de txt/system-outputs/newstest2019/en-de/",
        source="WMT's archive `wmt19-submitted-data`",
    ),
    Layout(
        "wmt-sgml",
        "WMT14 to WMT20: SGML, which names documents",
        submissions,
        "mtworkbench compare sgm/references/newstest2019-ende-ref.de.sgm sgm/system-outputs/en-de/*",
        DOCUMENTS,
        "WMT's archive `wmt19-submitted-data`",
    ),
    Layout(
        "wmt-xml",
        "WMT21 to WMT23: XML with everything",
        xml,
        "mtworkbench compare --xml wmttest2023.en-de.all.xml",
        DOCUMENTS,
        "wmt-conference/wmt23-news-systems xml/",
    ),
    Layout(
        "wmt24-text",
        "WMT24: plain text, with a file of documents",
        wmt24,
        "mtworkbench compare txt-ts/references/en-de.refA.txt txt-ts/system-outputs/en-de/ "
        "--documents txt-ts/documents/en-de.docs",
        DOCUMENTS,
        "wmt-conference/wmt24-news-systems txt-ts/",
    ),
    Layout(
        "wmt26-jsonl",
        "WMT25 and WMT26: JSON lines",
        test_set_of_wmt26,
        "mtworkbench compare data/wmt26-genmt.jsonl data/systems/",
        Finds(documents=own_documents),
        source="wmt-conference/wmt26-general-mt README.md",
    ),
    Layout(
        "mt-metrics-eval",
        "mt-metrics-eval: a test set with its scores",
        mt_metrics_eval,
        "mtworkbench compare --mt-metrics-eval wmt23 --language-pair en-de -m bleu COMET-refA",
        Finds(documents=documents, metrics=("BLEU", "COMET-refA")),
        "google-research/mt-metrics-eval README.md",
    ),
)
