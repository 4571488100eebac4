"""``mtworkbench study``: the numbers of the library, kept, from a terminal."""

import json

import pytest

from mtworkbench.cli.streams import make_lines
from mtworkbench.papers.clark2011 import measure_sizes
from mtworkbench.papers.koehn2004 import bin_conclusions, conclude_on_sizes
from mtworkbench.tables import frame_to_csv

from .test_cli_conventions import files, run, statistics_of  # noqa: F401 (a fixture)

FEW = ["--repetitions", "12", "--resamples", "60", "--trials", "40"]
TEXTS = ["ref.txt", "base.txt", "new.txt"]
NULLS = ["clark-nulls", "--repetitions", "3", "--segments", "12", "--trials", "9"]


def told(found, computed, folder):
    return f"mtworkbench: units of work: {found} found in {folder!r}, {computed} computed.\n"


@pytest.mark.usefixtures("files")
def test_calibration_is_that_of_calibrate_and_goes_on(capsys):
    _, expected, _ = run(capsys, "calibrate", *TEXTS, *FEW, "--rng", "1")
    status, output, errors = run(capsys, "study", "calibration", *TEXTS, *FEW, "--rng", "1")
    assert (status, output) == (0, expected)
    assert errors.endswith(told(0, 2, "study-calibration"))
    status, output, errors = run(capsys, "study", "calibration", *TEXTS, *FEW, "--rng", "1", "--format", "json")
    assert errors.endswith(told(2, 0, "study-calibration"))
    assert json.loads(output)["calibrations"][0]["n_repetitions"] == 12


@pytest.mark.usefixtures("files")
def test_without_a_seed_a_study_goes_on_with_its_own(capsys):
    first = run(capsys, "study", "calibration", *TEXTS, *FEW)
    again = run(capsys, "study", "calibration", *TEXTS, *FEW)
    assert again[1] == first[1]
    assert again[2].endswith(told(2, 0, "study-calibration"))
    other = run(capsys, "study", "calibration", *TEXTS, *FEW, "--folder", "elsewhere")
    assert other[1] != first[1]
    assert other[2].endswith(told(0, 2, "elsewhere"))


@pytest.mark.usefixtures("files")
def test_campaign_is_that_of_compare(capsys, tmp_path):
    rows = [f"{name}\tref.txt\t{system}\t{system}.txt\n" for name in ("x", "y") for system in ("base", "new")]
    (tmp_path / "other-ref.txt").write_text((tmp_path / "ref.txt").read_text()[::-1].strip() + "\n")
    rows[2:] = [row.replace("\tref.txt", "\tother-ref.txt") for row in rows[2:]]
    (tmp_path / "sets.tsv").write_text("set\treference\tsystem\tfiles\n" + "".join(rows))
    arguments = ["--test-sets", "sets.tsv", "--trials", "50", "--resamples", "50", "--rng", "1"]
    _, expected, _ = run(capsys, "compare", *arguments)
    status, output, errors = run(capsys, "study", "campaign", *arguments)
    assert (status, output) == (0, expected)
    assert "mtworkbench: campaign, BLEU: 0 of " in errors
    assert " found in 'study-campaign', " in errors
    # Several metrics are numbered: their options would leave no room for a bar.
    _, _, errors = run(capsys, "study", "campaign", *arguments, "-m", "bleu", "bleu:lowercase=true", "ter")
    said = [line.split(": ")[1] for line in errors.splitlines() if " of 3): " in line]
    assert list(dict.fromkeys(said)) == [
        f"campaign, {name} (metric {number} of 3)" for number, name in enumerate(("BLEU", "BLEU", "TER"), start=1)
    ]


@pytest.mark.usefixtures("files")
def test_koehns_tables_are_those_of_all_pairs(capsys):
    few = ["koehn-tables", *TEXTS, "other.txt", "--sizes", "5", "10", "--resamples", "40", "--rng", "1"]
    status, output, _ = run(capsys, "study", *few)
    assert status == 0
    assert "BLEU: Conclusions by pair and size of the samples (Koehn, 2004, Table 3)." in output
    assert [line.split()[:2] for line in output.splitlines() if line.startswith(("base ", "new "))] == [
        ["base", "new"],
        ["base", "other"],
        ["new", "other"],
    ] * 2
    statistics = statistics_of(["base", "new", "other"])
    pairs = [("base", "new"), ("base", "other"), ("new", "other")]
    drawn = conclude_on_sizes(statistics, pairs, [5, 10], n_resamples=40, rng=1)
    assert run(capsys, "study", *few, "--format", "csv")[1] == frame_to_csv(drawn.assign(metric="BLEU"))
    tables = json.loads(run(capsys, "study", *few, "--format", "json")[1])["studies"][0]["tables"]
    counted = tables["Conclusions by confidence (Koehn, 2004, Table 4)"]
    assert [row["conclusions"] for row in counted] == bin_conclusions(drawn)["conclusions"].tolist()


@pytest.mark.usefixtures("files")
def test_clarks_nulls_need_no_files(capsys):
    status, output, errors = run(capsys, "study", *NULLS, "--rng", "1")
    assert status == 0
    assert output.startswith("Equal methods called different at 5 %")
    assert output.endswith("\nSeed: 1\n")
    assert errors.endswith(told(0, 7, "study-clark-nulls"))
    sizes = measure_sizes(n_repetitions=3, n_segments=12, n_trials=9, rng=1)
    assert run(capsys, "study", *NULLS, "--rng", "1", "--format", "csv")[1] == frame_to_csv(sizes)


@pytest.mark.usefixtures("files")
def test_lines_in_a_pipe_say_how_far_it_has_come(capsys):
    _, _, errors = run(capsys, "study", *NULLS, "--rng", "1")
    lines = errors.splitlines()
    assert lines[:-1] == [f"mtworkbench: clark-nulls: {count} of 7 units" for count in (0, 7)]
    _, _, errors = run(capsys, "study", *NULLS, "--rng", "1")
    assert errors.splitlines()[:-1] == ["mtworkbench: clark-nulls: 7 of 7 units"]


def test_lines_have_the_time_that_is_left_where_it_is_known(capsys):
    bar = make_lines("work", "unit")(range(100), initial=20, total=120)
    bar._time = lambda: bar.start_t + 600
    for count in (30, 50, 120):  # all after 10 minutes
        bar.n = count
        bar.refresh()
    assert capsys.readouterr().err.splitlines() == [
        "mtworkbench: work: 20 of 120 units",
        "mtworkbench: work: 30 of 120 units, 1:30:00 left",
        "mtworkbench: work: 50 of 120 units, 23:20 left",
        "mtworkbench: work: 120 of 120 units",
    ]


def test_lines_may_wait_until_the_work_is_long(capsys):
    def follow(seconds):
        bar = make_lines("work", "unit", delay=60)(range(4))
        bar._time = lambda: bar.start_t + seconds
        assert [*bar] == [0, 1, 2, 3]
        return capsys.readouterr().err.splitlines()

    assert follow(59) == []
    assert follow(70) == ["mtworkbench: work: 1 of 4 units, 03:30 left", "mtworkbench: work: 4 of 4 units"]


@pytest.mark.usefixtures("files")
def test_progress_names_the_metric_and_the_size_of_samples(capsys):
    begun = {
        ("calibration", *TEXTS, *FEW, "-m", "bleu", "ter"): ["calibration, BLEU", "calibration, TER"],
        ("koehn-tables", *TEXTS, "--sizes", "5", "10", "--resamples", "9"): [
            f"koehn-tables, BLEU, samples of {size} segments" for size in (5, 10)
        ],
    }
    for arguments, names in begun.items():
        _, _, errors = run(capsys, "study", *arguments, "--rng", "1")
        said = [line.split(": ")[1] for line in errors.splitlines() if ": 0 of " in line]
        assert said == names


@pytest.mark.usefixtures("files")
def test_an_interrupted_study_says_that_it_goes_on(capsys, monkeypatch):
    def interrupt(*arguments, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr("mtworkbench.papers.clark2011.nulls.compare_tests", interrupt)
    status, output, errors = run(capsys, "study", *NULLS)
    assert (status, output) == (130, "")
    assert errors.endswith(
        "mtworkbench: units of work that are finished are kept in 'study-clark-nulls': the same command goes on from "
        "there.\nmtworkbench: interrupted.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["clark-null"], "There is no study 'clark-null'; did you mean clark-nulls? (see mtworkbench study --help)."),
        (["--workers", "2"], "There is no study '2': choose one of calibration, campaign, koehn-tables, clark-nulls"),
        (["clark-nulls", "--worker", "2"], "did you mean --workers? (see mtworkbench study clark-nulls --help)."),
        (["clark-nulls", "--workers", "0"], "'0' is not a whole number of at least 1"),
        (["clark-nulls", "ref.txt"], "'ref.txt' is one argument too many"),
        (
            ["clark-nulls", "--workers", "2", "--scheduler", "tcp://x:1"],
            "Both a scheduler and 2 workers were asked for",
        ),
        (["clark-nulls", "--scheduler", "x"], "The scheduler is 'x', but an address as Dask's scheduler prints it"),
        (["campaign", "ref.txt", "base.txt"], "A campaign has several test sets: name their table with --test-sets"),
        (["koehn-tables", "ref.txt", "base.txt"], "There is one system, 'base': name another one to compare it with"),
    ],
)
@pytest.mark.usefixtures("files")
def test_mistakes_are_one_sentence(capsys, arguments, sentence):
    status, output, errors = run(capsys, "study", *arguments)
    assert (status, output) == (2, "")
    assert sentence in errors
    assert errors.count("\n") == 1


def test_help_names_the_studies_and_each_has_its_own(capsys):
    assert run(capsys, "study")[:2] == (0, run(capsys, "study", "--help")[1])
    _, output, _ = run(capsys, "study", "koehn-tables", "--help")
    assert output.startswith("usage: mtworkbench study koehn-tables REFERENCE OUTPUT ... [OPTION ...]")
    assert "  mtworkbench study koehn-tables ref.txt sys/* --workers 4\n" in output


def test_help_of_a_campaign_shows_what_several_test_sets_have_a_use_for(capsys):
    _, shown, _ = run(capsys, "study", "campaign", "--help-all")
    _, of_compare, _ = run(capsys, "compare", "--help-all")
    for option in ("--conventions", "--reference", "--table", "--scores", "-i FILE", "positional arguments"):
        assert option in of_compare and option not in shown, option
    for option in ("--test-sets", "--statistics", "--accept", "-lc", "--baseline", "--unit", "--figure", "--workers"):
        assert option in shown, option
    assert "(default: all pairs)" in " ".join(shown.split())
    status, _, errors = run(capsys, "study", "campaign", "--test-sets", "x.tsv", "--conventions")
    assert (status, "--conventions needs no study: use mtworkbench compare" in errors) == (2, True)


@pytest.mark.long
def test_several_workers_need_no_other_command(capsys, files):  # noqa: F811
    pytest.importorskip("joblib")
    _, expected, _ = run(capsys, "study", *NULLS, "--rng", "1", "--folder", "one")
    status, output, errors = run(capsys, "study", *NULLS, "--rng", "1", "--workers", "2", "--folder", "two")
    assert (status, output) == (0, expected)
    assert errors.endswith(told(0, 7, "two"))
