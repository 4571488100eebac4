"""Which systems and which pairs: --systems of every form and command, --all-pairs and --baseline, -t and -l."""

import csv
import io
import json

import pytest

from mtworkbench import cli

from .made_test_sets import N_SEGMENTS, SYSTEMS, make_xml, put_in_folder, texts

CSV = ["--format", "csv"]
QUICK = ["--resamples", "50", "--trials", "300", "--rng", "1"]
NAMES = [*SYSTEMS, "odd"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Three systems in every form, and one more that no check passes in silence: it is HTML, and a line is empty."""
    monkeypatch.chdir(tmp_path)
    odd = [f"&amp; {line}" if place else "" for place, line in enumerate(texts("baseline.run2"))]
    outputs = {name: texts(file) for name, file in SYSTEMS.items()} | {"odd": odd}
    (tmp_path / "sys").mkdir()
    for name, lines in outputs.items():
        (tmp_path / "sys" / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "ref.txt").write_text("".join(f"{line}\n" for line in texts("reference")))
    (tmp_path / "set.xml").write_bytes(make_xml(outputs))
    rows = [
        f"{name}\t{segment}\t{line}\t{reference}\t{segment}.5\n"
        for name, lines in outputs.items()
        for segment, (line, reference) in enumerate(zip(lines, texts("reference"), strict=True), start=1)
    ]
    (tmp_path / "long.tsv").write_text("".join(["system\tsegment\thypothesis\treference\trating\n", *rows]))
    wide = [*zip(*outputs.values(), texts("reference"), strict=True)]
    (tmp_path / "wide.tsv").write_text("".join("\t".join(row) + "\n" for row in [(*outputs, "reference"), *wide]))
    rows = [f"{name}\t{place}\t0.{place}\n" for name in outputs for place in range(1, 1 + N_SEGMENTS)]
    (tmp_path / "scores.tsv").write_text("".join(["system\tsegment\trating\n", *rows]))
    folder = tmp_path / "mme"
    for name, lines in {**outputs, "ref": texts("reference")}.items():
        kind = ("references", "xx-yy.refA.txt") if name == "ref" else ("system-outputs", f"xx-yy/{name}.txt")
        path = folder / kind[0] / kind[1]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines))
    (folder / "human-scores").mkdir()
    lines = [f"{name}\t{place}\n" for name in outputs for place in range(N_SEGMENTS)]
    (folder / "human-scores" / "xx-yy.mqm.seg.score").write_text("".join(lines))
    for kind, attribute, some in (("refset", "refid", {"A": texts("reference")}), ("tstset", "sysid", outputs)):
        docs = [
            f'<doc docid="d" {attribute}="{name}">'
            + "".join(
                f'<seg id="{place}">{line.replace("&", "&amp;")}</seg>\n' for place, line in enumerate(lines, start=1)
            )
            + "</doc>\n"
            for name, lines in some.items()
        ]
        (tmp_path / f"{kind}.sgm").write_text(
            f'<{kind} setid="s" srclang="xx" trglang="yy">\n{"".join(docs)}</{kind}>\n'
        )
    rows = [f"{one}\tref.txt\t{name}\tsys/{name}.txt\n" for one in ("one",) for name in outputs]
    (tmp_path / "ref2.txt").write_text("".join(f"{line}\n" for line in texts("baseline.run3")))
    rows += [f"two\tref2.txt\t{name}\tsys/{name}.txt\n" for name in SYSTEMS] + ["two\tref2.txt\todd\tabsent.txt\n"]
    (tmp_path / "campaign.tsv").write_text("".join(["set\treference\tsystem\tfiles\n", *rows]))
    return tmp_path


def run(capsys, *arguments):
    status = cli.main([*map(str, arguments)])
    output, errors = capsys.readouterr()
    return status, output, errors


def compare(capsys, *arguments):
    status, output, errors = run(capsys, "compare", *arguments, *QUICK, "--format", "json")
    assert (status, errors) == (0, "")
    return json.loads(output)


def systems_of(found):
    return [one["system"] for one in next(iter(found["metrics"].values()))["systems"]]


def pairs_of(found):
    return [(pair["a"], pair["b"]) for pair in next(iter(found["metrics"].values()))["comparisons"]]


FORMS = {
    "files": ["ref.txt", "sys/*"],
    "folder": ["ref.txt", "sys/"],
    "options": ["--reference", "ref.txt", *(one for name in NAMES for one in ("--system", f"{name}=sys/{name}.txt"))],
    "xml": ["--xml", "set.xml"],
    "long": ["--table", "long.tsv"],
    "wide": ["--table", "wide.tsv", "--table-systems", *NAMES],
    "wide, chosen": ["--table", "wide.tsv"],
    "scores": ["--scores", "scores.tsv", "--direction", "rating=up"],
    "both": ["ref.txt", "sys/*", "--scores", "scores.tsv", "--direction", "rating=up"],
    "mme": ["--mt-metrics-eval", "mme"],
    "sgml": ["--reference", "refset.sgm", "--system", "tstset.sgm"],
}


@pytest.mark.parametrize("form", FORMS)
def test_systems_that_are_not_wanted_are_neither_compared_nor_warned_of(files, capsys, form):
    extra = ["-m", "bleu"] if form in ("long", "both", "mme") else []
    found = compare(capsys, *FORMS[form], *extra, "--systems", "online-B", "base")
    assert pairs_of(found) == [("base", "online-B")]  # the first that is named is the baseline
    assert not [one for one in found["warnings"] if "odd" in one["message"]]
    assert not [one for one in found["doubts"] if "odd" in one["systems"]]


@pytest.mark.parametrize("form", [form for form in FORMS if form != "wide, chosen"])
def test_names_and_patterns_that_fit_nothing_are_refused_with_the_nearest(files, capsys, form):
    for wanted, hint in (("onlin-B", "did you mean 'online-B'? The systems are"), ("x*", "the systems are")):
        status, output, errors = run(capsys, "compare", *FORMS[form], "--systems", "base", wanted)
        assert (status, output, len(errors.splitlines())) == (2, "", 1)
        assert f"There is no system {wanted!r}: {hint} 'base', " in errors
        assert all(repr(name) in errors for name in NAMES)


def test_a_file_that_is_not_wanted_is_not_read(files, capsys):
    (files / "sys" / "odd.txt").write_bytes(b"\xff\xfe not text")
    for command in ("check", "compare", "statistics"):
        further = ["--output", "run.stats"] if command == "statistics" else []
        assert run(capsys, command, "ref.txt", "sys/*", *further)[0] == 2
        status, output, errors = run(capsys, command, "ref.txt", "sys/*", "--systems", "b*", "online-*", *further)
        assert (status, "odd" in output + errors) == (0, False)


def test_statistics_and_scores_of_some_systems(files, capsys):
    assert run(capsys, "statistics", "ref.txt", "sys/*", "--systems", "base", "odd", "--output", "a.stats")[0] == 0
    assert run(capsys, "statistics", "ref.txt", "sys/online-*", "--output", "b.stats")[0] == 0
    status, output, errors = run(
        capsys, "score", "a.stats", "b.stats", "--systems", "online-A", "b*", "--format", "csv"
    )
    assert (status, errors) == (0, "")
    assert [row["system"] for row in csv.DictReader(io.StringIO(output))] == ["online-A", "base"]
    found = compare(capsys, "--statistics", "a.stats", "b.stats", "--systems", "online-*")
    assert systems_of(found) == ["online-A", "online-B"]
    assert "did you mean 'base'?" in run(capsys, "score", "a.stats", "--systems", "bass")[2]


def test_systems_of_several_test_sets_are_chosen_before_their_files_are_looked_for(files, capsys):
    said = run(capsys, "compare", "--test-sets", "campaign.tsv", *QUICK)
    assert (said[0], "there is no file absent.txt" in said[2]) == (2, True)
    chosen = ["--systems", "online-B", "base", "--format", "json"]
    status, output, _ = run(capsys, "compare", "--test-sets", "campaign.tsv", *chosen, *QUICK)
    assert (status, systems_of(json.loads(output))) == (0, ["online-B", "base"])
    assert json.loads(output)["baseline"] == "online-B"


@pytest.mark.parametrize("form", ["files", "options", "xml", "long", "sgml"])
def test_which_pairs_are_compared_is_the_same_in_every_form(files, capsys, form):
    def pairs(*given):
        return pairs_of(compare(capsys, *FORMS[form], "-m", "bleu", *given))

    three = ["--systems", "base", "online-A", "online-B"]
    of_all = [("online-A", "base"), ("online-B", "base"), ("online-B", "online-A")]
    assert pairs(*three) == pairs(*three, "--all-pairs") == of_all
    assert pairs(*three, "--baseline", "online-A") == [("base", "online-A"), ("online-B", "online-A")]
    assert pairs(*three[:3]) == [("online-A", "base")]


@pytest.mark.parametrize("command", ["compare", "units", "plan", "calibrate"])
def test_all_pairs_and_a_baseline_exclude_each_other(files, capsys, command):
    status, output, errors = run(capsys, command, "ref.txt", "sys/*", "--all-pairs", "--baseline", "base")
    assert (status, output) == (2, "")
    assert "--all-pairs compares all pairs, --baseline each system with one: leave one of them out" in errors


def test_units_and_calibrate_take_pairs(files, capsys):
    three = ["ref.txt", "sys/*", "--systems", "base", "online-*", "--rng", "1"]
    units = ["units", *three, "--unit", "block", "--trials", "100", "--format", "csv"]
    rows = [*csv.DictReader(io.StringIO(run(capsys, *units)[1]))]
    assert len({(row["a"], row["b"]) for row in rows}) == 3
    rows = [*csv.DictReader(io.StringIO(run(capsys, *units, "--baseline", "online-A")[1]))]
    assert {row["b"] for row in rows} == {"online-A"}
    quick = ["calibrate", *three, "--repetitions", "2", "--resamples", "50", "--trials", "20", "--format", "csv"]
    assert "or several pairs with --baseline NAME or --all-pairs" in run(capsys, *quick)[2]
    rows = [*csv.DictReader(io.StringIO(run(capsys, *quick, "--baseline", "base")[1]))]
    assert {(row["a"], row["b"]) for row in rows} == {("online-A", "base"), ("online-B", "base")}
    two = [*quick, "--pair", "online-A", "online-B"]
    for further, pair in (([], ("online-A", "online-B")), (["--baseline", "online-A"], ("online-B", "online-A"))):
        rows = [*csv.DictReader(io.StringIO(run(capsys, *two, *further)[1]))]
        assert {(row["a"], row["b"]) for row in rows} == {pair}
    status, _, errors = run(capsys, *two, "--baseline", "base")
    assert status == 2 and "baseline 'base' is neither of the two systems of --pair" in errors
    rows = [*csv.DictReader(io.StringIO(run(capsys, *quick, "--all-pairs")[1]))]
    assert len({(row["a"], row["b"]) for row in rows}) == 3


def test_systems_are_chosen_on_the_dev_set_too(files, capsys):
    named = [f"{name}=sys/{name}.txt" for name in ("base", "online-A", "odd")]
    (files / "sys" / "odd.txt").write_bytes(b"\xff\xfe not text")
    test = ["--reference", "ref.txt", *(part for one in named for part in ("--system", one))]
    dev = ["--dev-reference", "ref.txt", *(part for one in named for part in ("--dev-system", one))]
    chosen = ["--systems", "base", "online-*", "--resamples", "50", "--rng", "1", "--format", "json"]
    status, output, errors = run(capsys, "variance", *test, *dev, *chosen)
    assert (status, errors) == (0, "")
    assert systems_of(json.loads(output)) == ["base", "online-A"]


@pytest.fixture
def sets(files, monkeypatch):
    return put_in_folder(monkeypatch, files / "sets")


OF_SET = ["-t", "made-up", "-l", "xx-yy"]


def test_a_test_set_by_name_is_compared_as_its_files_are(sets, capsys):
    found = compare(capsys, *OF_SET)
    assert set(systems_of(found)) == set(SYSTEMS)
    assert (found["n_documents"], found["unit"], len(pairs_of(found))) == (10, "document", 3)
    assert found["metrics"] == compare(capsys, "--xml", "set.xml", "--systems", *SYSTEMS)["metrics"]
    chosen = compare(capsys, *OF_SET, "--systems", "online-*")
    assert pairs_of(chosen) == [("online-B", "online-A")]


@pytest.mark.parametrize(
    ("outputs", "pairs"),
    [
        (["sys/online-A.txt", "sys/base.txt"], [("base", "online-A")]),
        (["--system", "sys/"], 3),
        (["sys/*"], 3),
        (["-i", "sys/*"], [("online-A", "base"), ("online-B", "base")]),
    ],
)
def test_your_outputs_are_compared_on_a_test_set_by_name(sets, capsys, outputs, pairs):
    (sets["plain"].parents[3] / "sys" / "odd.txt").unlink()
    found = pairs_of(compare(capsys, *outputs, "-t", "plain", "--language-pair", "xx-yy"))
    assert pairs in (found, len(found))


def test_your_outputs_beside_those_of_the_test_set(sets, capsys):
    (sets["made-up"].parents[3] / "sys" / "base.txt").rename("sys/mine.txt")
    found = compare(capsys, *OF_SET, "sys/mine.txt", "--systems", "mine", "online-B", "--baseline", "mine")
    assert pairs_of(found) == [("online-B", "mine")]
    found = compare(capsys, *OF_SET, "sys/mine.txt", "--baseline", "online-A")
    assert pairs_of(found) == [("mine", "online-A")]  # a baseline that is named is wanted


@pytest.mark.parametrize(
    "command", ["check", "variance", "units --trials 99", "plan", "calibrate --repetitions 2", "statistics --output s"]
)
def test_every_command_takes_a_test_set_by_name(sets, capsys, command):
    name, *further = command.split()
    status, output, errors = run(capsys, name, *OF_SET, "--systems", "online-*", *further)
    assert (status, "error" in errors) == (0, False)
    assert bool(output) == (name != "statistics")


def test_bleu_has_the_tokenizer_that_sacrebleu_has_for_the_language(sets, capsys):
    chinese = ["-t", "made-up", "-l", "xx-zh", "--systems", "online-*"]
    found = compare(capsys, *chinese, "-m", "bleu", "chrf")
    assert [one["message"] for one in found["warnings"] if one["code"] == "tokenizer"] == [
        "BLEU uses the tokenizer zh, as in sacreBLEU for zh; --tokenize chooses another."
    ]
    assert "tok:zh" in found["metrics"]["BLEU"]["signature"]
    for further in (["--tokenize", "13a"], ["-m", "bleu:tokenize=13a"]):
        found = compare(capsys, *chinese, *further)
        assert "tok:13a" in found["metrics"]["BLEU"]["signature"]
        assert "tokenizer" not in [one["code"] for one in found["warnings"]]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-t", "made-up"], "has the language pairs xx-br, xx-no, xx-yy, xx-zh: name one, as in -l "),
        (["-t", "made-ap", "-l", "xx-yy"], "has no test set 'made-ap': did you mean 'made-up'?"),
        (["-t", "absent", "-l", "xx-yy", "sys/*"], "sacreBLEU does not have the test set 'absent', and cannot fetch"),
        (["-t", "plain", "-l", "xx-yy"], "The test set 'plain' has no outputs of its own: name yours after it"),
        ([*OF_SET, "--reference", "ref.txt"], "--test-set names the references, too: leave --reference out"),
        ([*OF_SET, "--xml", "set.xml"], "--test-set names the references, too: leave --xml out"),
        ([*OF_SET, "--statistics", "a"], "--test-set names the references, too: leave --statistics out"),
        ([*OF_SET, "--test-sets", "campaign.tsv"], "--test-sets names all files in a table: leave --test-set out"),
        ([*OF_SET, "sys/*", "--origlang", "xx"], "there is no option --origlang: "),
        (["ref.txt", "sys/*", "-l", "xx-yy"], "--language-pair works only with --mt-metrics-eval and --test-set"),
    ],
)  # fmt: skip
def test_what_does_not_fit_a_test_set_is_refused_in_one_sentence(sets, capsys, arguments, sentence):
    status, output, errors = run(capsys, "compare", *arguments)
    assert (status, output) == (2, "")
    *announced, refused = errors.splitlines()
    assert sentence.lower() in refused.lower()
    assert all("sacreBLEU fetches https://example.org/data/absent.tar.gz, unless" in one for one in announced)
    assert len(announced) == ("absent" in arguments)
    assert run(capsys, "compare", *arguments, "--quiet") == (2, "", f"{refused}\n")
