"""``mtworkbench compare`` on several test sets: from a table, and from files of statistics."""

import csv
import io
import json

import pytest

from mtworkbench import cli, compare_test_sets, compute_statistics, conventions, read_campaign, style
from mtworkbench.cli import compare as command
from mtworkbench.exports import write_figure
from mtworkbench.plots import draw_campaign
from mtworkbench.resampling import resolve_rng
from mtworkbench.tables import format_campaign, format_conventions

from .read_as import without_read_as

QUICK = ["--resamples", "400", "--trials", "500", "--rng", "1"]
DRAWN = {"n_resamples": 400, "n_trials": 500, "rng": 1}
SETS = ("one", "two", "three")


def sentences(name):
    return [f"the old cat number {n} of {name} sees a dog in house {n % 7} today" for n in range(40)]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Three test sets of two systems, of which the second is better, in the folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    rows = ["set\treference\tsystem\tfiles"]
    for name in SETS:
        (tmp_path / f"{name}.ref").write_text("".join(f"{line}\n" for line in sentences(name)))
        for system, every in (("base", 3), ("new", 5)):
            lines = [line.replace("cat", "cow") if n % every == 0 else line for n, line in enumerate(sentences(name))]
            (tmp_path / f"{name}.{system}").write_text("".join(f"{line}\n" for line in lines))
            rows.append(f"{name}\t{name}.ref\t{system}\t{name}.{system}")
    (tmp_path / "campaign.tsv").write_text("".join(f"{row}\n" for row in rows))
    return tmp_path


def run(capsys, *arguments):
    status = cli.main(arguments)
    output, errors = capsys.readouterr()
    return status, output, errors


def save_statistics(capsys, systems=("base", "new"), sets=SETS, pattern="{name}.stats"):
    for name in sets:
        named = [part for system in systems for part in ("--system", f"{system}={name}.{system}")]
        output = pattern.format(name=name)
        assert run(capsys, "statistics", "--reference", f"{name}.ref", *named, "--output", output)[0] == 0


@pytest.fixture
def found(files):
    frames = read_campaign("campaign.tsv")
    sets = {
        name: [compute_statistics(outputs, metric) for metric in ("bleu", "ter")] for name, outputs in frames.items()
    }
    with pytest.warns(Warning, match="test sets"):
        return compare_test_sets(sets, "base", **DRAWN)


CAMPAIGN = ["compare", "--test-sets", "campaign.tsv", "-m", "bleu", "ter", "--baseline", "base", *QUICK]


@pytest.mark.parametrize("format", ["text", "json", "latex", "markdown", "csv"])
def test_the_table_is_that_of_the_library(files, capsys, found, format):
    status, output, _ = run(capsys, *CAMPAIGN, "--format", format)
    expected = format_campaign(found, format)
    if format == "json":
        output, expected = json.loads(without_read_as(output)), json.loads(expected)
        assert [(one["code"], one["count"]) for one in output.pop("warnings")] == [("few-sets", 3)]
        del expected["warnings"]
    assert (status, output) == (0, expected)


def test_the_figure_is_the_librarys_for_a_paper(files, capsys, found):
    assert run(capsys, *CAMPAIGN, "--figure", "found.svg", "--output", "table.txt")[:2] == (0, "")
    with style("paper"):
        write_figure(draw_campaign(found), "own.svg")
    assert (files / "found.svg").read_bytes() == (files / "own.svg").read_bytes()
    assert (files / "table.txt").read_text() == format_campaign(found)


def test_options_of_the_test_are_passed_on(files, capsys):
    options = ["--unit", "block", "--exchange", "run", "--interval", "basic", "--level", "0.9"]
    status, output, _ = run(capsys, "compare", "--test-sets", "campaign.tsv", *options, *QUICK, "--format", "json")
    said = json.loads(output)
    assert status == 0
    assert (said["exchange"], said["interval"], said["level"], said["rng"]) == ("run", "basic", 0.9, 1)
    assert all(one["unit"].startswith("block") for one in said["test_sets"])
    assert said["baseline"] == "base"  # the first of two


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--strata", "domain"], "set 'one' has none: add a column 'domains'"),
        (["--block-length", "3"], "--block-length needs --unit block"),
        (["--conventions", "--margin", "0.5"], "--conventions cannot be combined with --margin"),
        (["--reference", "one.ref"], "--test-sets names all files in a table: leave --reference out"),
        (["--statistics", "one.stats"], "--test-sets names all files in a table: leave --statistics out"),
        (["--documents", "docs"], "--test-sets names all files in a table: leave --documents out"),
        (["one.ref", "one.base"], "--test-sets names all files in a table: leave 'one.ref' out"),
        (["-i", "one.base"], "--test-sets names all files in a table: leave 'one.base' out"),
        (["--table", "x.tsv"], "--test-sets names all files in a table: leave --table out"),
        (["--scores", "x.json"], "save the statistics of each test set"),
        (["--baseline", "old"], "The baseline 'old' is not among the systems: name one of 'base', 'new'"),
        (["--unit", "document"], "set 'one' has none: add a column 'documents'"),
        (["--output", "two.new"], "'two.new' is read, so it cannot be the file to write."),
        (
            ["--format", "text", "--output", "campaign.tsv"],
            "'campaign.tsv' is read, so it cannot be the file to write.",
        ),
        (["--figure", "found.jpg"], "its name must end in .pdf, .svg or .png"),
        (["-m", "blue"], "There is no metric 'blue'"),
        (["--direction", "bleu=up"], "for BLEU higher is always better: omit it"),
        (["--accept", "anything"], "'anything' is not a fault that can be accepted"),
    ],
)
def test_what_does_not_apply_is_refused_before_the_work(files, capsys, monkeypatch, options, sentence):
    monkeypatch.setattr(command, "compute_texts", None)
    status, output, errors = run(capsys, "compare", "--test-sets", "campaign.tsv", *options)
    assert (status, output, len(errors.splitlines())) == (2, "", 1)
    assert sentence in errors


def test_a_fault_of_the_table_is_one_sentence(files, capsys):
    (files / "two.new").unlink()
    status, output, errors = run(capsys, "compare", "--test-sets", "campaign.tsv")
    assert (status, output, len(errors.splitlines())) == (2, "", 1)
    assert "campaign.tsv, line 5: column 'files': there is no file two.new" in errors


def test_statistics_of_several_test_sets_are_compared_set_by_set(files, capsys):
    save_statistics(capsys)
    status, output, errors = run(
        capsys, "compare", "--statistics", "one.stats", "--statistics", "two.stats", "--statistics", "three.stats",
        "--baseline", "base", *QUICK, "--format", "json",
    )  # fmt: skip
    assert (status, errors) == (0, "")
    found = json.loads(output)
    assert [one["name"] for one in found["test_sets"]] == list(SETS)
    notice = next(one for one in found["warnings"] if one["code"] == "test-sets")
    assert notice["message"] == (
        "The files are of 3 test sets, over which systems are compared: 'one' (one.stats), 'two' (two.stats) and "
        "'three' (three.stats)."
    )
    table = ["compare", "--test-sets", "campaign.tsv", "--baseline", "base", *QUICK, "--format", "json"]
    assert json.loads(run(capsys, *table)[1])["metrics"] == found["metrics"]


def test_several_files_may_follow_the_option(files, capsys):
    save_statistics(capsys)
    apart = [part for name in SETS for part in ("--statistics", f"{name}.stats")]
    together = ["--statistics", *(f"{name}.stats" for name in SETS)]
    assert run(capsys, "compare", *together, *QUICK) == run(capsys, "compare", *apart, *QUICK)


def test_files_of_one_set_are_joined_as_before(files, capsys):
    for name in SETS:
        save_statistics(capsys, systems=("base",), sets=[name], pattern="base.{name}.stats")
        save_statistics(capsys, systems=("new",), sets=[name], pattern="new.{name}.stats")
    of_one = [part for system in ("base", "new") for part in ("--statistics", f"{system}.one.stats")]
    status, output, errors = run(capsys, "compare", *of_one, *QUICK, "--format", "json")
    assert (status, errors) == (0, "")
    assert "test_sets" not in json.loads(output)
    both = [
        part for name in ("two", "three") for s in ("new", "base") for part in ("--statistics", f"{s}.{name}.stats")
    ]
    status, output, _ = run(capsys, "compare", *of_one, *both, *QUICK, "--format", "json")
    assert status == 0
    assert [one["name"] for one in json.loads(output)["test_sets"]] == ["one", "two", "three"]


def test_files_of_one_name_are_told_apart_by_their_endings(files, capsys):
    for name, called in zip(SETS, ("run.stats", "run.bak", "other.stats"), strict=True):
        save_statistics(capsys, sets=[name])
        (files / f"{name}.stats").rename(files / called)
    statistics = ["--statistics", "run.stats", "run.bak", "other.stats"]
    status, output, _ = run(capsys, "compare", *statistics, *QUICK, "--format", "json")
    assert status == 0
    # No test set is lost because it would have the name of another.
    assert [one["name"] for one in json.loads(output)["test_sets"]] == ["run.stats", "run.bak", "other.stats"]


def test_files_of_one_name_are_told_apart_by_their_folders(files, capsys):
    for name in SETS[:2]:
        (files / name).mkdir()
        save_statistics(capsys, sets=[name], pattern="{name}/run.stats")
    apart = [part for name in SETS[:2] for part in ("--statistics", f"{name}/run.stats")]
    found = json.loads(run(capsys, "compare", *apart, *QUICK, "--format", "json")[1])
    assert [one["name"] for one in found["test_sets"]] == ["one/run", "two/run"]


def test_test_sets_without_the_same_systems_are_refused_with_a_hint(files, capsys):
    save_statistics(capsys, sets=["one"])
    save_statistics(capsys, systems=("base",), sets=["two"])
    status, output, errors = run(capsys, "compare", "--statistics", "one.stats", "--statistics", "two.stats", *QUICK)
    assert (status, output) == (2, "")
    assert errors == (
        "mtworkbench: error: 'one.stats' and 'two.stats' have different references. Statistics can be compared only if "
        "their segments, documents and references agree. To compare over several test sets, give files that hold the "
        "same systems: one.stats holds 'base' and 'new', but two.stats holds 'base'.\n"
    )


def test_csv_says_which_rows_are_of_all_sets(files, capsys):
    output = run(capsys, *CAMPAIGN, "--format", "csv")[1]
    rows = list(csv.DictReader(io.StringIO(output)))
    assert [(row["metric"], row["row"], row["test_set"]) for row in rows] == [
        (metric, *place)
        for metric in ("BLEU", "TER")
        for place in (("all test sets", ""), *(("one test set", name) for name in SETS))
    ]
    first, *sets = rows[:4]
    assert float(first["difference"]) == pytest.approx(sum(float(row["difference"]) for row in sets) / 3)


def test_options_of_one_set_are_passed_on_to_several(files, capsys):
    options = ["--adjust", "max-t", "--margin", "bleu=5", "--runs", "pooled", "-m", "bleu", "ter"]
    status, output, errors = run(
        capsys, "compare", "--test-sets", "campaign.tsv", "--unit", "block", "--block-length", "2", *options, *QUICK,
        "--format", "json",
    )  # fmt: skip
    assert (status, errors) == (0, "")
    said = json.loads(output)
    named = {name: said[name] for name in ("adjust", "runs", "unit")}
    assert named == {"adjust": "max-t", "runs": "pooled", "unit": "block of 2"}
    assert "|margin:BLEU=5|" in said["signature"]
    [pair] = said["metrics"]["BLEU"]["comparisons"]
    assert (pair["equivalence_margin"], pair["adjust"]) == (5, "max-t")
    output = run(capsys, *CAMPAIGN, "--family", "all", "--format", "json")[1]
    assert json.loads(output)["family"] == "all"


@pytest.mark.parametrize("format", ["text", "json", "latex", "markdown", "csv"])
def test_conventions_have_a_table_for_each_set(files, capsys, format):
    arguments = ["compare", "--test-sets", "campaign.tsv", "--conventions", *QUICK, "--format", format]
    status, output, _ = run(capsys, *arguments)
    key = resolve_rng(1)
    found = {}
    for number, (name, outputs) in enumerate(read_campaign("campaign.tsv").items(), start=1):
        statistics = compute_statistics(outputs, "bleu")
        found[name] = [conventions(statistics["new"], statistics["base"], **DRAWN | {"rng": key.sample(number)})]
    assert status == 0
    if format == "json":
        expected = {name: json.loads(format_conventions(ones, "json"))["comparisons"] for name, ones in found.items()}
        assert json.loads(output)["test_sets"] == expected
        assert [of[0]["rng"] for of in expected.values()] == ["1/1", "1/2", "1/3"]
    elif format == "csv":
        rows = list(csv.DictReader(io.StringIO(output)))
        alone = [
            {"test_set": name} | row
            for name, ones in found.items()
            for row in csv.DictReader(io.StringIO(format_conventions(ones, "csv")))
        ]
        assert rows == alone
    else:
        assert [output.index(format_conventions(ones, format)) for ones in found.values()] == sorted(
            output.index(format_conventions(ones, format)) for ones in found.values()
        )
        assert [name in output for name in SETS] == [True] * 3
