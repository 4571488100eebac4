"""Ten tasks of a new user, with the commands that the how-to pages have for them."""

import re
from pathlib import Path

import pytest

from mtworkbench import cli

from .layouts.scores import LAYOUTS as WITH_SCORES
from .layouts.several_sets import PAIR
from .layouts.shared_tasks import LAYOUTS as SHARED_TASKS
from .layouts.shell import as_shell, write
from .layouts.texts import RUNS, SYSTEMS, documents, lines, output, reference

HOW_TO = Path(__file__).parents[1] / "docs" / "how-to"
PAGES = "\n".join(page.read_text(encoding="utf-8") for page in HOW_TO.glob("*.md"))
TEXTS = {"ref.txt": lines(reference()), "docs.txt": lines(documents())}
TWO = TEXTS | {"base.txt": lines(output("baseline")), "new.txt": lines(output("tweaked"))}
THREE_RUNS = TEXTS | {f"hyps.{name}.opt{run}": lines(output(name, run)) for name in PAIR for run in RUNS}
SIXTEEN = TEXTS | {
    f"sys/newstest2017.online-{letter}.0.en-de": lines(
        f"{line} {letter}" if place % (number + 2) == 0 else line
        for place, line in enumerate(output(SYSTEMS[number % 3], 1 + number // 6))
    )
    for number, letter in enumerate("ABCDEFGHIJKLMNOP")
}


def five_sets():
    files, table = {}, ["set\treference\tsystem\tfiles"]
    for number in range(5):
        part = slice(9 * number, 9 * number + 9)
        files[f"ref/{number}.de"] = lines(reference()[part])
        for name in PAIR:
            files[f"{name}/{number}.de"] = lines(output(name)[part])
            table.append(f"wmt{number}\tref/{number}.de\t{name}\t{name}/{number}.de")
    return files | {"campaign.tsv": lines(table)}


def of_layout(layouts, name):
    return next(layout for layout in layouts if layout.id == name).files()


QUICK = ("--rng", "1", "--trials", "200", "--resamples", "20")
FIVE_LINES = """\
import mtworkbench as mtw
outputs = mtw.read_outputs("ref.txt", {"base": "base.txt", "new": "new.txt"})
statistics = mtw.compute_statistics(outputs, "bleu")
comparison = mtw.compare(statistics, baseline="base", rng=1)
"""
TASKS = {
    "two systems": (TWO, "compare ref.txt base.txt new.txt", ["new - base = ", "verdict"]),
    "three runs": (
        THREE_RUNS,
        "compare --reference ref.txt --system baseline='hyps.baseline.opt*' --system tweaked='hyps.tweaked.opt*' "
        "--baseline baseline -m bleu chrf:word_order=2 --documents docs.txt",
        ["tweaked - baseline = ", "for the method", "48 segments in 8 documents", "chrF\\+\\+"],
    ),
    "sixteen systems in a folder": (SIXTEEN, "compare ref.txt sys/", ["Of 120 pairs", "online-P"]),
    "sixteen systems, a baseline": (
        SIXTEEN,
        "compare ref.txt sys/* --baseline online-A -m bleu chrf",
        ["differences from online-A", "online-P"],
    ),
    "systems in XML": (
        of_layout(SHARED_TASKS, "wmt-xml"),
        "compare --xml wmttest2023.en-de.all.xml",
        ["Of 3 pairs|retrained - ", "48 segments in 8 documents"],
    ),
    "five sets": (
        five_sets(),
        "compare --test-sets campaign.tsv --baseline baseline -m bleu chrf ter",
        ["5 test sets", "new test sets"],
    ),
    "COMET beside BLEU": (
        of_layout(WITH_SCORES, "comet-json"),
        "compare ref.txt sys/* --scores comet.json",
        ["BLEU and comet"],
    ),
    "how many sentences": (
        TWO,
        "plan ref.txt base.txt new.txt --documents docs.txt --difference 0.5 --power 0.8",
        ["To show a difference of 0.5 BLEU .* are needed"],
    ),
    "equal within 0.3": (TWO, "compare ref.txt base.txt new.txt --margin 0.3", ["cannot tell|equal within 0.3"]),
    "sacreBLEU's own p": (TWO, "compare ref.txt base.txt new.txt --conventions", ["sacrebleu-bs", "sacrebleu-ar"]),
}


@pytest.mark.parametrize("task", TASKS)
def test_a_command_of_a_how_to_page_does_the_task(task, tmp_path, monkeypatch, capsys):
    files, command, said = TASKS[task]
    write(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    fewer = QUICK if command.startswith("compare") and "--conventions" not in command else ()
    assert cli.main([*as_shell(command), *fewer]) == 0
    found = " ".join(capsys.readouterr().out.split())
    for one in said:
        assert re.search(one, found), found
    for option in re.findall(r" (--?[a-z-]+)", command):
        assert f" {option}" in PAGES


def test_five_lines_show_a_figure_and_the_sentences(tmp_path, monkeypatch, own_figures):
    """In a notebook: the comparison, its figure, and the segments that make the difference."""
    write(tmp_path, TWO)
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(FIVE_LINES, names)
    mtw, comparison = names["mtw"], names["comparison"]
    assert "new - base = " in mtw.format_comparison(comparison)
    assert mtw.draw_comparison(comparison) is not None
    browser = mtw.explore_segments(names["outputs"], names["statistics"], "new", "base")
    assert len(browser.write("TSV", first=10).splitlines()) == 11
    for line in FIVE_LINES.splitlines():
        assert line.split("(")[0] in PAGES
    assert 'mtw.explore_segments(outputs, statistics, "new", "base")' in PAGES


IN_A_TABLE = "for several test sets, list their files in a table, --test-sets TABLE"
WRONG_TURNS = {
    "compare ref/ baseline/": f"'ref/' is the reference, but it is a folder: name a file in it; {IN_A_TABLE}",
    "compare .": f"the folder of the outputs, as in './ref/FILE ./baseline/'; {IN_A_TABLE}",
    "compare campaign.tsv": "'campaign.tsv' is a table of test sets: give it to compare with --test-sets campaign.tsv",
    "compare ref/0.de -i baseline/0.de tweaked/0.de --paired-bs": "or give --conventions, which shows the p",
}


@pytest.mark.parametrize("command", WRONG_TURNS)
def test_a_wrong_turn_is_answered_with_what_works(command, tmp_path, monkeypatch, capsys):
    write(tmp_path, five_sets())
    monkeypatch.chdir(tmp_path)
    assert cli.main(list(as_shell(command))) == 2
    assert WRONG_TURNS[command] in capsys.readouterr().err
