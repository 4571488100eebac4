"""Damaged files for every loader: each ends in what the loader promises, or in an `InputError`; nothing else.

A plain loop with a seed is used, because it is fast and its cases can be counted. To add a loader, add its line to
`LOADERS`.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import random
import tarfile
import tempfile
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics import Bleu
from mtworkbench.outputs.campaign import read_campaign
from mtworkbench.outputs.checks.frames import check_outputs
from mtworkbench.outputs.checks.report import ACCEPTABLE, Report
from mtworkbench.outputs.lm_eval import read_lm_eval
from mtworkbench.outputs.mt_metrics_eval import read_mt_metrics_eval
from mtworkbench.outputs.nbest import read_nbest
from mtworkbench.outputs.scores.add import add_scores, join_scores
from mtworkbench.outputs.scores.mqm import read_mqm
from mtworkbench.outputs.scores.ratings import read_da, read_ratings
from mtworkbench.outputs.scores.read import read_scores
from mtworkbench.outputs.sgml import read_sgml
from mtworkbench.outputs.table import read_table
from mtworkbench.outputs.text import make_outputs, read_outputs
from mtworkbench.outputs.wmt_jsonl import read_wmt_jsonl
from mtworkbench.outputs.wmt_xml import read_wmt_xml
from mtworkbench.statistics.files import load_statistics, save_statistics
from mtworkbench.statistics.segment_statistics import compute_statistics
from mtworkbench.tables import frame_to_csv, tabulate_statistics

from .cases import write

Accept = Sequence[str]
TEXTS = ["one sentence", "another, “longer” one", 'a "third"', "naïve 4", "日本語 5"]
PLAIN = "".join(f"{text}\n" for text in TEXTS).encode()
ROWS = [
    {"system": system, "segment": i, "document": "d", "reference": text, "hypothesis": text[::-1], "score": 0.5 * i}
    for system in "ab"
    for i, text in enumerate(TEXTS, start=1)
]
TSV = "\n".join("\t".join(map(str, row)) for row in [list(ROWS[0]), *(row.values() for row in ROWS)]).encode()
QUOTED = pd.DataFrame(ROWS).to_csv(sep="\t", index=False).encode()
CSV = pd.DataFrame(ROWS).to_csv(index=False).encode()
CAMPAIGN = b"".join(
    b"\t".join(row) + b"\n"
    for row in [(b"set", b"reference", b"system", b"files")]
    + [(one, b"ref/" + one, system, system + b"/" + one) for one in (b"x", b"y") for system in (b"a", b"b")]
)
WIDE = (
    pd.DataFrame({"segment": range(1, 6), "reference": TEXTS, "base": TEXTS[::-1], "new": TEXTS})
    .to_csv(index=False)
    .encode()
)
JSONL = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
WMT_TEST_SET, WMT_OUTPUTS, SAMPLES, RATINGS = (
    "".join(json.dumps(row) + "\n" for row in rows).encode()
    for rows in (
        [
            {"doc_id": f"en-de_#_d_#_{i}", "domain": "d", "src_lang": "en", "tgt_lang": "de", "src_text": text}
            | {"refs": {"refA": text, "refB": {"ref": text}}}
            for i, text in enumerate(TEXTS)
        ],
        [{"doc_id": f"en-de_#_d_#_{i}", "hypothesis": text[::-1], "metadata": {}} for i, text in enumerate(TEXTS)],
        [
            {
                "doc_id": i,
                "target": text,
                "filtered_resps": [text[::-1]],
                "filter": "none",
                "metrics": ["acc"],
                "acc": i,
            }
            for i, text in enumerate(TEXTS)
        ],
        [
            {"doc_id": f"en-de_#_d_#_{i}", "scores": {"a": {"human1": i, "human2": 7.5}, "b": [{"score": 3}]}}
            for i, _ in enumerate(TEXTS)
        ],
    )
)
APPRAISE = b"".join(
    b"alice,%s,%d,TGT,eng,deu,%d,news_x,False,[],1.0,2.0\n" % (system, number, 60 + number)
    for system in (b"base", b"new")
    for number in range(4)
)
PEARMUT = json.dumps(
    {
        "x": [
            {
                "user_id": "u",
                "item": [{"item_id": f"d_###_{i}", "tgt": {"a": text}}],
                "annotation": [{"a": {"score": i}}],
            }
            for i, text in enumerate(TEXTS)
        ]
        + [{"user_id": "v", "item": [], "annotation": "__RESET__"}]
    }
).encode()
SGML = (
    b'<refset srclang="x" trglang="y"><doc docid="d" sysid="r">\n<hl><seg id="1">a &amp; b</seg></hl>\n<p>\n'
    b'<seg id="2">c</seg></p></doc></refset>\n<tstset><DOC docid="d" sysid="s" genre="g">\n<seg id="1">h & i</seg>\n'
    b'<seg id="2">k <b>l</b><!-- m --></seg></DOC>\n</tstset>\n'
)
XML = (
    '<?xml version="1.0" encoding="utf-8"?>\n<dataset><doc id="d" domain="n"><src><p><seg id="1">é</seg></p></src>'
    '<ref translator="A" lang="y"><seg id="1">b &amp; c</seg></ref><hyp system="s"><seg id="1">d</seg></hyp></doc>\n'
    '<doc id="e" testsuite="t"><ref><seg id="1">f<!-- x --></seg></ref><hyp system="s"><seg id="1">g</seg></hyp></doc>'
    "</dataset>\n"
).encode()
SCORES = b"b\t1\nb\tNone\na\t-0.5\na\t2\n"
MOSES = "".join(
    f"{i} ||| {text} {rank} ||| lm: -{rank}.5 tm: 1 2 ||| -{rank}.25 ||| 0-0\n"
    for i, text in enumerate(TEXTS)
    for rank in (1, 2)
).encode()
CDEC = "".join(f"{i} ||| {text} ||| LM=-1.5 WordPenalty=2 ||| -0.25\n" for i, text in enumerate(TEXTS)).encode()

TRANSLATED = make_outputs(["e", "e"], {system: [[f"c {system}"] * 2] for system in "ab"})
COMET = (
    "".join(f"{file}\tSegment {i}\tscore: 0.{i}000\n" for i in range(2) for file in ("a.txt", "b.txt"))
    + "a.txt\tscore: 0.0500\nb.txt\tscore: 0.0500\n"
).encode()
COMET_JSON = json.dumps(
    {f"{s}.txt": [{"src": "é", "mt": f"c {s}", "ref": "e", "COMET": 0.5 * i} for i in range(2)] for s in "ab"},
    ensure_ascii=False,
    indent=1,
).encode()
NUMBERS = (b"0.5\n-1.25\n", b"[0.5, 1e-05]\n", b"x P: 0.5 R: 0.5 F1: 0.5\n0.1\t0.2\t0.3\n0.4\t0.5\t0.6\n")
METRICX = "".join(
    json.dumps({"system": s, "hypothesis": f"c {s}", "reference": "e", "prediction": 0.5 * i}) + "\n"
    for s in "ab"
    for i in range(2)
).encode()
JUDGEMENTS = "".join(json.dumps({"system": s, "segment": i, "x": 0.5}) + "\n" for s in "ab" for i in (1, 2)).encode()
MQM = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n" + "".join(
    f'{system}\td\t{i}\t{i}\t{rater}\té "\t<v>c</v>\t{error}\n'
    for system in "ab"
    for i in (1, 2)
    for rater, error in (
        ("r1", "Accuracy/Omission\tMajor"),
        ("r1", "Style/Awkward\tMinor"),
        ("r2", "No-error\tNo-error"),
    )
)
MQM_AVERAGES = b"system mqm_avg_score seg_id\na\t-1.5 1\na\t-0.000000 2\nb\t-0.1 1\nb\tNone 2\n"
DA = b"SYS SID RAW.SCR Z.SCR N \na.1 1 98 0.5 1 \na.1 2 45.5 -0.5 2 \nb.2 1 100 1e-1 1 \n"


def _zip() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", PLAIN)
    return stream.getvalue()


def _tar() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        member = tarfile.TarInfo("a.txt")
        member.size = len(PLAIN)
        archive.addfile(member, io.BytesIO(PLAIN))
    return stream.getvalue()


def _zstandard() -> bytes:
    import zstandard

    return zstandard.compress(PLAIN)


def _parquet() -> bytes:
    stream = io.BytesIO()
    pd.DataFrame(ROWS).to_parquet(stream)
    return stream.getvalue()


def _statistics() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        save_statistics(Path(folder) / "a.stats", STATISTICS)
        return (Path(folder) / "a.stats").read_bytes()


def _plain_table() -> bytes:
    return frame_to_csv(tabulate_statistics([STATISTICS]), separator="\t").encode()


STATISTICS = compute_statistics(make_outputs(TEXTS, {"a": TEXTS[::-1], "b": TEXTS[2:] + TEXTS[:2]}), Bleu())


def read_as_output(path: Path, accept: Accept) -> None:
    """Read a file as an output."""
    check_outputs(read_outputs(write(path.parent, "plain.txt", PLAIN), {"a": path}, accept=accept))


def read_as_everything_else(path: Path, accept: Accept) -> None:
    """Read a file as a reference, as the source and as the documents."""
    plain = write(path.parent, "plain.txt", PLAIN)
    check_outputs(read_outputs([path, plain], {"a": plain}, documents=path, source=path, accept=accept))


def read_as_table(path: Path, accept: Accept) -> None:
    """Read a file as a table of the long form."""
    check_outputs(read_table(path, accept=accept))


def read_as_campaign(path: Path, accept: Accept) -> None:
    """Read a file as the table of a campaign, with its outputs around it."""
    for number, name in enumerate(("ref/x", "ref/y", "a/x", "a/y", "b/x", "b/y")):
        write(path.parent, name, "".join(f"{number} {text}\n" for text in TEXTS).encode())
    for outputs in read_campaign(path, accept=accept).values():
        check_outputs(outputs)


def read_as_wide_table(path: Path, accept: Accept) -> None:
    """Read a file as a table of the wide form."""
    check_outputs(read_table(path, systems=["base", "new"], accept=accept))


def read_as_sgml(path: Path, accept: Accept) -> None:
    """Read a file of SGML that holds the references and a system."""
    check_outputs(read_sgml(path, path, accept=accept))


def read_as_xml(path: Path, accept: Accept) -> None:
    """Read a WMT file."""
    check_outputs(read_wmt_xml(path, accept=accept))


def read_as_wmt_jsonl(path: Path, accept: Accept) -> None:
    """Read a file as a test set of WMT, and as the outputs of a system."""
    plain = {name: write(path.parent, name, data) for name, data in (("t", WMT_TEST_SET), ("s", WMT_OUTPUTS))}
    is_test_set = b"src_text" in path.read_bytes()
    check_outputs(
        read_wmt_jsonl(path if is_test_set else plain["t"], {"a": plain["s"] if is_test_set else path}, accept=accept)
    )


def read_as_samples(path: Path, accept: Accept) -> None:
    """Read samples of lm-evaluation-harness, with their scores and with their texts."""
    check_outputs(read_lm_eval([path, write(path.parent, "b.jsonl", SAMPLES)], accept=accept))
    check_outputs(read_lm_eval(path, texts=True, accept=accept))


def read_as_ratings(path: Path, accept: Accept) -> None:
    """Read human ratings as WMT has released them since 2025."""
    check_outputs(read_ratings(str(path), Report(accept)))


def read_in_folder(path: Path, accept: Accept) -> None:
    """Read a file of segment scores with a test set of mt-metrics-eval around it."""
    folder = path.parent
    for name in ("documents/x-y.docs", "references/x-y.r.txt", "system-outputs/x-y/a.txt", "system-outputs/x-y/b.txt"):
        write(folder, name, b"a\tb\na\tc\n")
    write(folder, "human-scores/x-y.mqm.seg.score", path.read_bytes())
    check_outputs(read_mt_metrics_eval(folder, "x-y", accept=accept))


def read_as_nbest(path: Path, accept: Accept) -> None:
    """Read n-best lists; their first hypotheses must be an outputs frame."""
    lists = read_nbest(path, write(path.parent, "plain.txt", PLAIN), accept=accept)
    check_outputs(lists[lists["rank"] == 1].reset_index(drop=True))


def read_as_scores(path: Path, accept: Accept) -> None:
    """Read a file of scores: alone, beside the outputs that it is of, and beside other scores."""
    scores = read_scores(path, accept=accept)
    check_outputs(scores)
    others = scores.rename(columns={name: f"other {name}" for name in scores.select_dtypes("float")})
    check_outputs(join_scores(scores, others))
    check_outputs(add_scores(TRANSLATED, scores, accept=accept))


def read_as_scores_of_a(path: Path, accept: Accept) -> None:
    """Read a file with the scores of one system, and add them to outputs."""
    scores = read_scores({"a": path}, name="x", accept=accept)
    check_outputs(scores)
    check_outputs(add_scores(TRANSLATED, scores, accept=accept))


def read_as_mqm(path: Path, accept: Accept) -> None:
    """Read human MQM scores."""
    check_outputs(read_mqm(path, accept=accept))


def read_as_da(path: Path, accept: Accept) -> None:
    """Read scores of direct assessment."""
    check_outputs(read_da(path, accept=accept))


def read_as_plain_table(path: Path, accept: Accept) -> None:
    """Load a plain table of statistics; other counts may be read from a damaged one, but possible ones."""
    for loaded in load_statistics(path):
        assert all(np.isfinite(loaded[system].values).all() for system in loaded)


def read_as_statistics(path: Path, accept: Accept) -> None:
    """Load statistics: what can be loaded is what was saved, to the last bit."""
    [loaded] = load_statistics(path)
    saved = {system: STATISTICS[system].values for system in STATISTICS}
    assert all(np.array_equal(loaded[system].values, values) for system, values in saved.items())
    assert list(loaded) == list(saved)


@dataclass(frozen=True)
class Loader:
    """Something that reads files, and good files for it.

    Parameters
    ----------
    name : str
        Of the format.
    file : str
        The name of the file.
    read : callable
        Takes the path and the accepted faults; raises unless what was read is in order.
    seeds : tuple of bytes, or callable
        Good files, which the damaged ones are made of.
    needs : str
        A module that the format needs.
    """

    name: str
    file: str
    read: Callable[[Path, Accept], None] = field(repr=False)
    seeds: tuple[bytes, ...] | Callable[[], bytes] = field(repr=False)
    needs: str = ""

    @property
    def can_run(self) -> bool:
        """Whether what it needs is there."""
        return not self.needs or find_spec(self.needs) is not None


LOADERS = (
    Loader("plain text: output", "a.txt", read_as_output, (PLAIN,)),
    Loader("plain text: reference, source, documents", "a.txt", read_as_everything_else, (PLAIN,)),
    Loader("gzip", "a.gz", read_as_output, (gzip.compress(PLAIN, mtime=0),)),
    Loader("bzip2", "a.bz2", read_as_output, (bz2.compress(PLAIN),)),
    Loader("xz", "a.xz", read_as_output, (lzma.compress(PLAIN),)),
    Loader("zstandard", "a.zst", read_as_output, _zstandard, "zstandard"),
    Loader("zip", "a.zip", read_as_output, _zip),
    Loader("tar", "a.tar", read_as_output, _tar),
    Loader("TSV", "a.tsv", read_as_table, (TSV, QUOTED)),
    Loader("CSV", "a.csv", read_as_table, (CSV, CSV.replace(b",", b";"))),
    Loader("table of a campaign", "campaign.tsv", read_as_campaign, (CAMPAIGN,)),
    Loader("CSV: wide form", "a.csv", read_as_wide_table, (WIDE,)),
    Loader("JSON lines", "a.jsonl", read_as_table, (JSONL,)),
    Loader("Parquet", "a.parquet", read_as_table, _parquet, "pyarrow"),
    Loader("NIST's SGML", "a.sgm", read_as_sgml, (SGML,)),
    Loader("WMT's XML", "a.xml", read_as_xml, (XML,)),
    Loader("WMT's JSON lines", "a.jsonl", read_as_wmt_jsonl, (WMT_TEST_SET, WMT_OUTPUTS)),
    Loader("samples of lm-evaluation-harness", "a.jsonl", read_as_samples, (SAMPLES,)),
    Loader("human ratings of WMT", "a.jsonl", read_as_ratings, (RATINGS, PEARMUT, APPRAISE)),
    Loader("segment scores of mt-metrics-eval", "a.score", read_in_folder, (SCORES,)),
    Loader("COMET's JSON", "a.json", read_as_scores, (COMET_JSON,)),
    Loader("COMET's output", "a.comet", read_as_scores, (COMET,)),
    Loader("scores of one system", "a.comet", read_as_scores_of_a, NUMBERS),
    Loader("MetricX's JSON lines", "a.jsonl", read_as_scores, (METRICX,)),
    Loader("segment scores", "a.seg.score", read_as_scores, (SCORES,)),
    Loader("table of scores", "a.jsonl", read_as_scores, (JUDGEMENTS,)),
    Loader("MQM ratings", "a.tsv", read_as_mqm, (MQM.encode(), MQM_AVERAGES)),
    Loader("WMT's direct assessment", "a.csv", read_as_da, (DA,)),
    Loader("n-best lists", "a.nbest", read_as_nbest, (MOSES, CDEC)),
    Loader("statistics", "a.stats", read_as_statistics, _statistics),
    Loader("plain table of statistics", "a.tsv", read_as_plain_table, _plain_table),
)

#: What is put into files: ends of lines, separators, characters that are not seen, tags, numbers that are none.
PIECES = (
    *(b"\n", b"\r", b"\r\n", b"\t", b",", b";", b'"', b"\0", b"\xff", b"\xed\xa0\x80", b"\\ud800", b"\xe2\x80\xa8"),
    *(b"\xef\xbb\xbf", b"\xc2\x85", b"\xe2\x80\x8b", b"\xcc\x81", b"\x1a", b"\x1b[2J", b"<seg>", b"</seg>", b"</doc>"),
    *(b"<", b">", b"&", b"&#0;", b"&#xd800;", b"<!--", b"<![CDATA[", b"<!DOCTYPE x [", b"<!ENTITY", b"</p>", b"|||"),
    *(b"NaN", b"nan", b"null", b"None", b"1e999", b"-0", b"1_0", b"0,5", b"9" * 30, b"[", b"{", b"}", b" ", b"="),
    *(b"\xff\xfe", b"\x1f\x8b", b"PK\x03\x04", b"BZh9", b"src", b"ref:", b"reference_2", b"run"),
)


def damage(data: bytes, draws: random.Random) -> bytes:
    """Damage a file in one to four places."""
    for _ in range(draws.randint(1, 4)):
        start = draws.randrange(len(data) + 1)
        end = min(len(data), start + draws.choice((0, 1, 2, 8, 64)))
        other = draws.randrange(len(data) + 1)
        data = draws.choice(
            (
                lambda: data[:start] + draws.choice(PIECES) + data[end:],  # noqa: B023 - called at once
                lambda: data[:start] + draws.choice(PIECES) + data[start:],  # noqa: B023
                lambda: data[:start] + draws.randbytes(end - start) + data[end:],  # noqa: B023
                lambda: data[:start] + data[end:],  # noqa: B023
                lambda: data[:start],  # noqa: B023
                lambda: data[:end] + data[start:],  # noqa: B023
                lambda: data[:start] + data[other:],  # noqa: B023
                lambda: _flip(data, start, draws),  # noqa: B023
            )
        )()
    return data


def _flip(data: bytes, position: int, draws: random.Random) -> bytes:
    if position == len(data):
        return data
    return data[:position] + bytes([data[position] ^ 1 << draws.randrange(8)]) + data[position + 1 :]


def fuzz(loader: Loader, n_cases: int, *, seed: int) -> Counter[str]:
    """Load damaged files; count how the cases end.

    Returns
    -------
    Counter of str
        ``"read"``, the codes of `InputError`, and, which must not be there, what else was raised or warned of; such a
        key begins with ``"! "``.
    """
    draws = random.Random(f"{loader.name} {seed}")
    seeds = (loader.seeds(),) if callable(loader.seeds) else loader.seeds
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / loader.file
        for _ in range(n_cases):
            path.write_bytes(damage(draws.choice(seeds), draws))
            accept = [code for code in sorted(set(ACCEPTABLE) - {"absent-ref", "quoted"}) if draws.random() < 0.2]
            outcomes[_load(loader, path, accept)] += 1
    return outcomes


def _load(loader: Loader, path: Path, accept: Accept) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DataWarning)
        try:
            loader.read(path, accept)
        except InputError as error:
            return error.code if str(error).isprintable() else f"! {error!a}"
        except Exception as foreign:  # noqa: BLE001 - this is what must not happen, so it is counted
            return f"! {type(foreign).__name__}: {foreign}"
    return "read"


def foreign_outcomes(outcomes: Counter[str]) -> list[str]:
    """Return what must not be among the outcomes."""
    return [outcome for outcome in outcomes if outcome.startswith("! ")]
