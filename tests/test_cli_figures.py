"""``mtworkbench figures`` of own data: each file has what the library computes, and what is left out is named."""

import os
import re
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from scipy import stats

from mtworkbench import MeanScore, cli, compare, compute_statistics, notebooks, read_outputs, writing
from mtworkbench.errors import InputError
from mtworkbench.papers import clark2011, koehn2004
from mtworkbench.papers import figures_of_own_data as own
from mtworkbench.papers.clark2011.figures_of_own_data import draw_scores
from mtworkbench.papers.common.figures_of_own_data import OwnData
from mtworkbench.papers.common.systems import keep_common
from mtworkbench.papers.koehn2004.figures_of_own_data import (
    draw_confidence,
    draw_samples,
    draw_student,
    tabulate_conclusions_of_all,
)
from mtworkbench.resampling import resolve_rng
from mtworkbench.tables import format_comparison, frame_to_csv

ROOT = Path(__file__).resolve().parent.parent
SYSTEMS = ("baseline", "retrained", "tweaked")
N_SEGMENTS = 240
KOEHN = {f"koehn2004_fig{number}" for number in (1, 2, 3, 4, 6, 7, 8)} | {"koehn2004_calibration"}
CLARK = {"clark2011_fig1", "clark2011_fig2"}
TABLES = {"koehn2004_table1", "koehn2004_table3", "koehn2004_table4", "clark2011_table1", "clark2011_table2"}


def copy_sample(folder, n_segments=N_SEGMENTS, runs=(1, 2)):
    """Write the first segments of the made-up sample; return the arguments that name them."""
    arguments = ["--reference", "ref.txt", "--documents", "docs.txt"]
    names = {"reference": "ref", "documents": "docs"}
    names |= {f"{one}.run{run}": f"{one}.{run}" for one in SYSTEMS for run in runs}
    for source, name in names.items():
        lines = (ROOT / "data" / "sample" / f"{source}.txt").read_text(encoding="utf-8").split("\n")
        (folder / f"{name}.txt").write_text("\n".join(lines[:n_segments]) + "\n", encoding="utf-8")
    return arguments + [one for name in SYSTEMS for one in ("--system", f"{name}={name}.*")]


def run(capsys, *arguments):
    status = cli.main(["figures", *arguments])
    output, errors = capsys.readouterr()
    return status, output, errors


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """Draw everything once; return the folder with the data, which has the folder ``out``, and what was printed."""
    import contextlib
    import io

    folder = tmp_path_factory.mktemp("figures")
    arguments = copy_sample(folder)
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()) as output:
        assert cli.main(["figures", "--quiet", *arguments, "--baseline", "tweaked", "--rng", "1", "out"]) == 0
    return folder, output.getvalue()


@pytest.fixture(scope="module")
def statistics(drawn):
    folder, _ = drawn
    files = {name: f"{folder}/{name}.*" for name in SYSTEMS}
    return compute_statistics(read_outputs(folder / "ref.txt", files, documents=folder / "docs.txt"), "bleu")


def stems_of(folder, ending):
    return {file.stem for file in folder.glob(f"*.{ending}")}


def test_each_figure_and_table_is_there_in_each_format(drawn):
    out = drawn[0] / "out"
    figures = KOEHN | CLARK | {"comparison"}
    for ending in ("pdf", "svg", "png"):
        assert stems_of(out, ending) == figures
    assert stems_of(out, "tex") == TABLES | {"comparison"}
    assert stems_of(out, "csv") == figures | TABLES
    assert {file.name for file in out.iterdir() if file.suffix == ".html"} == {"index.html"}


def test_the_page_and_the_terminal_say_what_each_file_shows(drawn, statistics):
    folder, printed = drawn
    page = (folder / "out" / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'(?:href|src)="([^"]+)"', page)
    assert {*links, "index.html"} == {file.name for file in (folder / "out").iterdir()}
    assert re.findall("<h2>(.*?)</h2>", page) == [
        "Comparison",
        *(f"Koehn (2004), {one}" for one in ("Figure 1", "Table 1", "Figure 2", "Figure 3", "Figure 4", "Figure 6")),
        *(f"Koehn (2004), {one}" for one in ("Figure 7", "Figure 8", "Table 3", "Table 4, as a figure", "Table 4")),
        *(f"Clark et al. (2011), {one}" for one in ("Table 1", "Figure 1", "Figure 2", "Table 2")),
        "Left out",
    ]
    a, b = statistics["tweaked"], statistics["baseline"]
    found = clark2011.summarize_differences(clark2011.draw_differences(a, b, rng=1))
    said = " ".join(clark2011.describe_differences(found, a, b).lines)
    for sentence in (said, "Koehn (2004), Figure 5 and Table 2: Student's t is about means of segment scores"):
        assert sentence in page.replace("&#x27;", "'")
        assert sentence in " ".join(printed.split())
    assert "Seed: --rng 1;" in page
    for text in (page, " ".join(printed.split())):
        assert own.BY_SEGMENT in text
    assert "By unit, which is the segment, as in the paper: p" in page
    assert printed.endswith("Figures and tables in 'out': 16; 'out/index.html' shows them all.\n")


def test_the_numbers_are_those_of_the_library(drawn, statistics):
    broad, block = (koehn2004.choose_samples(N_SEGMENTS, 100, kind, rng=1) for kind in ("broad", "block"))
    (best, worst), close = koehn2004.choose_figure_pairs(statistics)
    a, b = statistics[best], statistics[worst]
    first, second = statistics["tweaked"], statistics["baseline"]
    sizes = koehn2004.conclude_on_sizes(statistics, koehn2004.choose_pairs(statistics), rng=1)
    drawn_runs = clark2011.draw_differences(first, second, rng=1)
    expected = {
        "koehn2004_fig2": koehn2004.score_samples(a, block),
        "koehn2004_fig3": koehn2004.score_samples(a, broad),
        "koehn2004_fig4": koehn2004.difference_samples(a, b, broad),
        "koehn2004_fig6": koehn2004.interval_samples(a, broad, rng=1),
        "koehn2004_fig7": koehn2004.conclude(statistics, [(best, worst)], broad, rng=1),
        "koehn2004_fig8": koehn2004.conclude(statistics, [close], broad, rng=1),
        "koehn2004_table1": koehn2004.tabulate_systems(statistics),
        "koehn2004_table3": koehn2004.tabulate_conclusions(sizes),
        "koehn2004_table4": koehn2004.bin_conclusions(sizes),
        "clark2011_fig1": clark2011.arrange_scores(first, second),
        "clark2011_fig2": clark2011.arrange_differences(drawn_runs, first, second),
    }
    for stem, frame in expected.items():
        assert (drawn[0] / "out" / f"{stem}.csv").read_text(encoding="utf-8") == frame_to_csv(frame), stem
    with pytest.warns(match="only 9.3 of equal size"):
        comparison = compare(statistics, "tweaked", rng=1)
    for ending, format in (("csv", "csv"), ("tex", "latex")):
        assert (drawn[0] / "out" / f"comparison.{ending}").read_text(encoding="utf-8") == format_comparison(
            comparison, format
        )
    p_values = pd.read_csv(drawn[0] / "out" / "clark2011_table2.csv")
    single = clark2011.randomize_single_runs(first, second, rng=1)
    assert p_values["p_low"][:3].tolist() == single["p_value"].tolist()
    assert p_values["exchange"].tolist() == ["run"] * 4 + ["unit"] * 4


def test_tables_are_printed_as_in_the_papers(drawn):
    out = drawn[0] / "out"
    assert "retrained better than baseline &" in (out / "koehn2004_table3.tex").read_text()
    assert r"random & random" in (out / "clark2011_table2.tex").read_text()
    assert r"1-gram precision (\%)" in (out / "koehn2004_table1.tex").read_text().replace(r"\\ ", "").replace("\n", "")


def test_the_tables_of_clark_say_that_their_unit_is_the_segment(drawn):
    """The comparison has documents: its p and intervals are of another unit."""
    page = (drawn[0] / "out" / "index.html").read_text(encoding="utf-8")
    assert "s_sel is by segment, as in the paper." in page
    assert "By unit, which is the segment, as in the paper: p is at most 0.05" in page


def test_files_are_called_as_in_the_notebooks():
    cells = [
        cell.source
        for path in (ROOT / "notebooks").glob("*.ipynb")
        for cell in nbformat.read(path, as_version=4).cells
        if cell.cell_type == "code"
    ]
    saved = set(re.findall(r'save_(?:figure|table)\([^"\n]*"(\w+)"', "\n".join(cells)))
    # The notebooks have Table 4 as a figure.
    assert (KOEHN | CLARK | TABLES) - saved == {"koehn2004_table4"}


def test_blocks_and_broad_samples_have_one_axis(statistics, own_figures):
    limits = []
    for piece in draw_samples(OwnData([statistics], None, None, resolve_rng(1))):
        limits.append(piece.drawn.get_ylim())
        plt.close()
    blocks, broad = limits
    assert blocks == pytest.approx(broad)


def test_few_segments_and_one_run_are_left_out_with_their_reason(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    arguments = copy_sample(tmp_path, 40, runs=(1,))
    status, output, _ = run(capsys, "-q", *arguments, "--systems", "baseline", "-m", "length", "--rng", "1", "few")
    assert status == 0
    left_out = " ".join(output.split("Left out:\n")[1].split())
    for sentence in (
        "Koehn (2004), Figure 1: Figure 1 needs a metric of texts: add --metric bleu.",
        "Koehn (2004), Table 1: Table 1 takes BLEU apart: add --metric bleu.",
        "Koehn (2004), Figures 2 and 3, Figure 6 and Tables 3 and 4: The test set has 40 segments, but at least 200 "
        "are needed for two samples of 100.",
        "Clark et al. (2011), Table 1: Each system has one run, and one run does not show how much runs vary.",
        "Clark et al. (2011), Figure 1, Figure 2 and Table 2: Two systems with at least two runs each are needed, to "
        "see how much their runs differ.",
    ):
        assert sentence in left_out
    assert "Length does not say which of two scores is better" in left_out


def judge(n_segments=240, missing=3):
    """Make a frame of scores of two systems; of each, other segments are not judged."""
    frames = []
    for place, name in enumerate(("one", "two")):
        scores = np.random.default_rng(place).random(n_segments) + 0.2 * place
        scores[place : place + missing] = np.nan
        frames.append(pd.DataFrame({"system": name, "run": 1, "segment": np.arange(1, n_segments + 1), "da": scores}))
    return pd.concat(frames, ignore_index=True)


def test_the_papers_have_the_segments_that_all_systems_have_scores_of(own_figures):
    with pytest.warns(match="^4 of 240 segments have no da in at least one system; the figures and tables"):
        family = keep_common(compute_statistics(judge(), MeanScore("da", higher_is_better=True)))
    curve, table = draw_student(OwnData([family], None, None, resolve_rng(1)))
    scores = judge().query("system == 'two' and segment > 4")["da"]
    by_system = table.frame.set_index("system")
    assert by_system["judged"].tolist() == [236, 236]
    assert by_system["mean"]["two"] == pytest.approx(scores.mean())
    t = stats.t.ppf(0.975, 235)
    low, high = (scores.mean() + sign * t * scores.sem() for sign in (-1, 1))
    said = f"two has a mean da of {scores.mean():.4g} on 236 segments "
    said += f"(Student's t 95 % CI {low:.4g} to {high:.4g}; t = {t:.3f})."
    assert curve.sentence == said
    assert table.sentence.startswith(f"{said} The interval from resampled segments is ")


def test_the_table_of_single_systems_has_all_their_scores_and_the_page_says_so(tmp_path, own_figures, monkeypatch):
    monkeypatch.setitem(own.PAPERS["Koehn (2004), "].OF_EACH_METRIC, "Tables 3 and 4", lambda data: iter(()))
    family = compute_statistics(judge(), MeanScore("da", higher_is_better=True))
    with pytest.warns(match="; the figures and tables"), pytest.warns(match=": a system's own score uses what it has"):
        made = own.write_own_figures([family], folder=tmp_path, rng=1)
    table = pd.read_csv(tmp_path / "koehn2004_table2.csv").set_index("system")
    assert table[["judged", "missing"]].to_numpy().tolist() == [[237, 3], [237, 3]]
    scores = judge().groupby("system")["da"].mean()
    assert table["mean"].to_numpy() == pytest.approx(scores[table.index].to_numpy())
    with pytest.warns(match="own score"):
        by_system = compare(family, rng=1).metrics["da"].systems
    assert {one.system: one.score for one in by_system} == pytest.approx(dict(scores))
    page = " ".join((tmp_path / "index.html").read_text(encoding="utf-8").split())
    first, *others = made.notes
    assert first.startswith("4 of 240 segments have no da in at least one system; ")
    assert others == [own.OF_EACH_SYSTEM]
    assert all(note in page for note in made.notes)


def test_an_interrupt_while_files_are_copied_leaves_a_used_folder_as_it_was(tmp_path, monkeypatch):
    drawn, used = tmp_path / "drawn", tmp_path / "used"
    for folder, text in ((drawn, "new"), (used, "old")):
        folder.mkdir()
        for name in ("a.csv", "index.html", "z.csv"):
            (folder / name).write_text(text)
    copied, real = [], writing.replace_file

    def copy_two(path, content):
        copied.append(path)
        if len(copied) == 3:
            raise KeyboardInterrupt
        real(path, content)

    monkeypatch.setattr(writing, "replace_file", copy_two)
    with pytest.raises(KeyboardInterrupt):
        writing.move_files(drawn, used, last="index.html")
    assert {file.name: file.read_text() for file in used.iterdir()} == dict.fromkeys(
        ("a.csv", "index.html", "z.csv"), "old"
    )
    monkeypatch.undo()
    taken, rename = [], os.replace

    def take_two(source, target):
        taken.append(target)
        if target.parent == used and len(taken) == 5:
            raise KeyboardInterrupt
        rename(source, target)

    monkeypatch.setattr(os, "replace", take_two)
    with pytest.raises(KeyboardInterrupt):
        writing.move_files(drawn, used, last="index.html")
    # No list of old files stands beside a new one.
    assert {file.name: file.read_text() for file in used.iterdir()} == {"a.csv": "new", "z.csv": "old"}
    monkeypatch.undo()
    writing.move_files(drawn, used, last="index.html")
    assert {file.name: file.read_text() for file in used.iterdir()} == dict.fromkeys(
        ("a.csv", "index.html", "z.csv"), "new"
    )


def test_where_a_folder_has_the_name_of_a_file_nothing_is_replaced(tmp_path):
    drawn, used = tmp_path / "drawn", tmp_path / "used"
    drawn.mkdir()
    for name in ("a.csv", "index.html"):
        (drawn / name).write_text("new")
    (used / "a.csv").mkdir(parents=True)
    (used / "index.html").write_text("old")
    with pytest.raises(InputError, match="is a folder, but the name of a file was expected"):
        writing.move_files(drawn, used, last="index.html")
    assert (used / "index.html").read_text() == "old"
    assert {file.name for file in used.iterdir()} == {"a.csv", "index.html"}


def test_table_4_has_no_interval_where_all_samples_overlap(statistics, own_figures):
    drawn = koehn2004.conclude(
        statistics, [("retrained", "baseline")], koehn2004.choose_samples(240, 100, rng=1), rng=1
    )
    drawn = drawn[drawn["confidence"] < 1]
    bins = koehn2004.bin_conclusions(drawn)
    assert drawn["overlapping"].all()
    assert (bins["conclusions"] == 0).any()
    assert bins[["low", "high"]].isna().all(axis=None)
    # An empty bin of separate samples can have any share.
    separate = koehn2004.bin_conclusions(drawn.assign(overlapping=False))
    empty = separate[separate["conclusions"] == 0]
    assert set(empty["low"]) == {0} and set(empty["high"]) == {100}


def test_the_error_about_a_metric_that_may_be_the_folder_names_the_option(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    arguments = copy_sample(tmp_path, 40, runs=(1,))
    status, _, errors = run(capsys, *arguments, "-m", "bleu", "my figures")
    assert status == 2
    assert "If 'my figures' is the folder, write --folder 'my figures'." in " ".join(errors.split())
    status, _, errors = run(capsys, *arguments, "-m", "bleu", "blue", "--folder", "x")
    assert "did you mean 'bleu'?" in errors
    assert "is the folder" not in errors


def test_of_two_systems_figure_8_is_left_out(statistics, own_figures):
    two = OwnData([statistics.choose(["tweaked", "baseline"])], None, None, resolve_rng(1))
    pieces = draw_confidence(two)
    assert next(pieces).stem == "koehn2004_fig7"
    with pytest.raises(InputError, match=r"Figures 7 and 8 would be the same, so only Figure 7 is drawn\.$"):
        next(pieces)


def test_the_baseline_is_system_a_of_clark(statistics, own_figures):
    for baseline, pair in (("tweaked", ["tweaked", "baseline"]), (None, ["baseline", "retrained"])):
        (piece,) = draw_scores(OwnData([statistics], None, baseline, resolve_rng(1)))
        assert list(dict.fromkeys(piece.frame["system"])) == pair


def test_table_3_says_how_many_conclusions_are_right(statistics, own_figures):
    table3, *_ = tabulate_conclusions_of_all(OwnData([statistics], None, None, resolve_rng(1)))
    # All pairs have as many samples of this one size.
    right, wrong = table3.frame[["correct_percent", "wrong_percent"]].mean()
    assert table3.sentence.startswith(
        f"{right:.0f} % of the comparisons led to the conclusion that the whole test set suggests, {wrong:.1f} % to "
    )
    assert right > wrong


def test_files_of_several_metrics_end_with_the_metric():
    names = ["BLEU", "chrF", "chrF++", "CHRF", "оценка", "BLEU|tok:none"]
    assert list(own._name_files(names).values()) == ["_BLEU", "_chrF", "_chrFpp", "_CHRF_4", "__5", "_BLEU-tok-none"]


def test_nothing_is_written_before_everything_is_drawn(tmp_path, monkeypatch, own_figures):
    family = compute_statistics(judge(missing=0), MeanScore("da", higher_is_better=True))

    def interrupt(data):
        raise KeyboardInterrupt

    monkeypatch.setitem(koehn2004.figures_of_own_data.OF_EACH_METRIC, "Figures 2 and 3", interrupt)
    with pytest.raises(KeyboardInterrupt):
        own.write_own_figures([family], folder=tmp_path / "out", rng=1)
    assert not (tmp_path / "out").exists()


def test_where_nothing_can_be_drawn_nothing_is_written(tmp_path, own_figures):
    rows = judge(missing=0)
    rows.loc[rows["segment"] != rows["system"].map({"one": 1, "two": 2}), "da"] = np.nan
    family = compute_statistics(rows, MeanScore("da", higher_is_better=True))
    with (
        pytest.warns(match="240 of 240"),
        pytest.raises(InputError, match=r"^Nothing can be drawn of this data\. Comp"),
    ):
        own.write_own_figures([family], folder=tmp_path / "out", rng=1)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "folder", "files"),
    [
        (["ref.txt", "a.txt", "b.txt"], None, ["ref.txt", "a.txt", "b.txt"]),
        (["ref.txt", "a.txt", "--folder", "x"], "x", ["ref.txt", "a.txt"]),
        (["--reference", "ref.txt", "--system", "A=a.txt", "x"], "x", []),
        (["ref.txt", "--system", "A=a.txt"], None, ["ref.txt"]),
        (["ref.txt", "-i", "a.txt"], None, ["ref.txt"]),
        (["-t", "wmt24", "-l", "en-de", "a.txt"], None, ["a.txt"]),
        (["--statistics", "run.stats", "--folder", "x"], "x", []),
    ],
)
def test_a_file_alone_is_the_folder_where_it_is_no_data(arguments, folder, files):
    from mtworkbench.cli.figures import take_folder
    from mtworkbench.cli.program import make_parser

    options = make_parser("figures")[0].parse_args(["figures", *arguments])
    assert take_folder(options)
    assert (options.folder, options.files) == (folder, files)


def test_without_data_the_notebooks_are_run(monkeypatch, capsys):
    called = []
    monkeypatch.setattr(notebooks, "make_figures", called.append)
    for arguments in ([], ["there"], ["--folder", "there"]):
        assert run(capsys, *arguments) == (0, "", "")
    assert called == ["figures", "there", "there"]
    status, _, errors = run(capsys, "here", "--folder", "there")
    assert (status, errors) == (
        2,
        "mtworkbench: error: 'here' and --folder both name the folder: leave one of them out (see mtworkbench figures "
        "--help).\n",
    )


def test_a_folder_that_is_a_file_is_refused_before_the_work(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    arguments = copy_sample(tmp_path, 40, runs=(1,))
    monkeypatch.setattr(own, "write_own_figures", lambda *_, **__: pytest.fail("The work was done."))
    status, _, errors = run(capsys, *arguments, "ref.txt")
    assert status == 2
    assert "The folder 'ref.txt' cannot be written to: name one that you may write to" in errors
