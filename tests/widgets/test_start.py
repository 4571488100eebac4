"""The form of `mtworkbench.start`: files and what they are taken as, what is read and found, and the code of it."""

import json
import os
import shutil
import warnings

import matplotlib as mpl
import pytest

import mtworkbench as mtw
from mtworkbench import cli
from mtworkbench.shipped import LAB_VARIABLE
from mtworkbench.widgets.start import files as files_module
from mtworkbench.widgets.start import form as form_module
from mtworkbench.widgets.start.files import FileBrowser

REFERENCE = [f"der {word} steht {place} Mal im Text" for place, word in enumerate("abcdefghij" * 3)]
#: Every file of the folder, with its lines.
FILES = {
    "reference.txt": REFERENCE,
    "base.txt": [line.replace("steht", "stand") for line in REFERENCE],
    "new.txt": [line.replace("Mal", "Male") if place % 3 else line for place, line in enumerate(REFERENCE)],
    "documents.txt": [f"d{place // 3}" for place in range(30)],
    "src.txt": [f"the {line}" for line in REFERENCE],
    "notes.txt": ["one", "two"],
    "base.comet": [f"0.{place + 10}" for place in range(30)],
    "new.comet": [f"0.{place + 20}" for place in range(30)],
}
ROLES = {
    "reference.txt": "reference",
    "base.txt": "output",
    "new.txt": "output",
    "documents.txt": "documents",
    "src.txt": "source",
    "base.comet": "scores",
    "new.comet": "scores",
}


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    mpl.use("Agg")
    monkeypatch.delenv(LAB_VARIABLE, raising=False)
    folder = tmp_path / "mine"
    fill(folder)
    monkeypatch.chdir(folder)
    return folder


def fill(folder, files=FILES):
    folder.mkdir(exist_ok=True)
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def say(browser, **message):
    """Do what a message of the page does."""
    browser._receive(None, {"listing": browser.listing} | message, [])


def place_of(browser, name):
    return [entry["name"] for entry in browser.entries].index(name)


def set_role(form, name, role):
    say(form.files, kind="role", place=place_of(form.files, name), role=role)


def roles_of(browser):
    shown = zip(browser.entries, browser.roles, strict=True)
    return {entry["name"]: role for entry, role in shown if role}


def execute(code):
    """Run the code of a form, as a new cell would."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mtw.DataWarning)
        exec(code, found)
    return found


def test_roles_are_proposed_by_name_and_number_of_lines():
    browser = FileBrowser(".")
    assert roles_of(browser) == ROLES
    lines = {entry["name"]: entry["lines"] for entry in browser.entries}
    assert (lines["base.txt"], lines["notes.txt"]) == ("30", "2")
    assert browser.said == (
        "Chosen: reference 'reference.txt'; 2 outputs 'base.txt' and 'new.txt'; documents 'documents.txt'; "
        "source 'src.txt'; scores 'base.comet' and 'new.comet'."
    )


def test_the_form_reads_compares_and_shows_the_code_of_it():
    form = mtw.start(rng=7)
    assert (form.outputs, form.comparison, form.code) == (None, None, "")
    form.controls["read"].click()
    assert form._reading.sentence == "Read as: 2 systems (base and new), 10 documents, 30 segments."
    assert list(form.outputs["system"].unique()) == ["base", "new"]
    form.controls["chrF"].value = True
    assert [control.description for control in form._comparing_row.children] == [
        *("baseline", "BLEU", "chrF", "TER", "comet", "compare"),
    ]
    form.controls["compare"].click()
    assert form._result.sentence == "2 systems compared with base by BLEU, chrF and comet."
    assert form.comparison._repr_html_() in form._result.html
    assert "<img alt=" in form._result.html
    assert [one.metric.name for one in form.statistics] == ["BLEU", "chrF", "comet"]
    assert form._complaints.outputs == ()
    found = execute(form.code)
    assert found["outputs"].equals(form.outputs)
    assert mtw.format_comparison(found["comparison"], "json") == mtw.format_comparison(form.comparison, "json")


def test_without_a_baseline_all_pairs_are_compared_and_the_code_says_so():
    shutil.copy("new.txt", "third.txt")
    form = mtw.start(rng=7)
    for name in ("base.comet", "new.comet"):
        set_role(form, name, "")
    form.read()
    form.controls["baseline"].value = None
    form.compare()
    assert form._result.sentence == "3 systems compared with each other by BLEU."
    assert len(form.comparison.metrics["BLEU"].comparisons) == 3
    assert "comparison = mtw.compare(statistics, rng=7)\n" in form.code


def test_runs_are_known_by_the_names_of_files_as_on_the_command_line(in_folder):
    for name in ("base.txt", "new.txt", "base.comet", "new.comet"):
        lines = FILES[name]
        (in_folder / name).unlink()
        if name.endswith("txt"):
            fill(in_folder, {name.replace(".txt", f".run{run}.txt"): lines[run:] + lines[:run] for run in (1, 2)})
    form = mtw.start()
    form.read()
    assert form._reading.sentence == (
        "Read as: 2 systems with 2 runs each (base and new; runs by 'run'), 10 documents, 30 segments."
    )


def test_a_test_set_that_was_recognized_is_named(in_folder, monkeypatch):
    (in_folder / "documents.txt").unlink()
    read = form_module.read_outputs

    def recognize(*given, **options):
        found = read(*given, **options)
        return found.assign(document="known:7", known_documents="wmt23 en-de, table 1")

    monkeypatch.setattr(form_module, "read_outputs", recognize)
    form = mtw.start()
    form.read()
    assert form._reading.sentence == (
        "Read as: 2 systems (base and new), 1 document, 30 segments. The references were recognized as wmt23 en-de, "
        "whose documents are known."
    )


def test_a_folder_of_outputs_is_taken_as_on_the_command_line(in_folder):
    (in_folder / "sys").mkdir()
    for name in ("base.txt", "new.txt"):
        (in_folder / name).rename(in_folder / "sys" / name)
    for name in ("base.comet", "new.comet"):
        (in_folder / name).unlink()
    form = mtw.start()
    set_role(form, "sys", "output")
    set_role(form, "sys", "reference")  # a folder is no reference: the page cannot offer it
    set_role(form, "reference.txt", "reference")
    form.read()
    assert form._reading.sentence.startswith("Read as: 2 systems (base and new), ")
    assert "'sys/base.txt'" in form.code


def test_references_and_outputs_may_stand_in_folders_of_their_own(in_folder):
    for folder, names in {"ref": ["reference.txt"], "sys": ["base.txt", "new.txt"]}.items():
        (in_folder / folder).mkdir()
        for name in names:
            (in_folder / name).rename(in_folder / folder / name)
    browser = FileBrowser(".")
    assert browser.chosen == {}
    say(browser, kind="enter", place=place_of(browser, "ref"))
    say(browser, kind="role", place=0, role="reference")
    say(browser, kind="up")
    say(browser, kind="enter", place=place_of(browser, "sys"))
    assert browser.said == "Chosen: reference 'ref/reference.txt'; 2 outputs 'sys/base.txt' and 'sys/new.txt'."


def test_each_folder_begins_anew_until_something_is_chosen_which_then_stays(in_folder):
    fill(in_folder / "more", {name: lines[:20] for name, lines in FILES.items() if not name.startswith("doc")})
    (in_folder / "empty").mkdir()
    browser = FileBrowser(".")
    proposed = browser.chosen
    say(browser, kind="path", text="more")
    assert {os.path.dirname(path) for path in browser.chosen} == {str(in_folder / "more")}
    say(browser, kind="path", text="empty")
    assert browser.chosen == {}
    say(browser, kind="up")
    assert browser.chosen == proposed
    say(browser, kind="role", place=place_of(browser, "new.comet"), role="")
    kept = browser.chosen
    say(browser, kind="path", text="more")
    assert browser.chosen == kept
    assert set(browser.roles) == {""}
    assert browser.said.startswith("Chosen: reference 'reference.txt'; 2 outputs 'base.txt' and 'new.txt'; ")
    set_role = {"kind": "role", "place": place_of(browser, "new.txt"), "role": "output"}
    say(browser, **set_role)
    assert "3 outputs 'base.txt', 'more/new.txt' and 'new.txt'" in browser.said
    browser.clear()
    assert (browser.chosen, browser.said) == ({}, "Nothing is chosen yet.")


def test_outputs_are_proposed_in_the_next_folder_for_a_reference_that_has_none(in_folder):
    (in_folder / "sys").mkdir()
    for name in ("base.txt", "new.txt", "base.comet", "new.comet"):
        (in_folder / name).rename(in_folder / "sys" / name)
    browser = FileBrowser(".")
    say(browser, kind="path", text="sys")
    assert browser.said == (
        "Chosen: reference 'reference.txt'; 2 outputs 'sys/base.txt' and 'sys/new.txt'; "
        "scores 'sys/base.comet' and 'sys/new.comet'."
    )


def test_once_the_reference_is_chosen_the_outputs_are_proposed(in_folder):
    (in_folder / "reference.txt").rename(in_folder / "gold.txt")
    browser = FileBrowser(".")
    assert browser.chosen == {}
    browser.choose(str(in_folder / "gold.txt"), "reference")
    assert {name: role for name, role in ROLES.items() if name != "reference.txt"} | {"gold.txt": "reference"} == (
        roles_of(browser)
    )


def test_there_is_one_file_of_documents():
    browser = FileBrowser(".")
    browser.choose(os.path.abspath("notes.txt"), "documents")
    assert browser.of_role("documents") == [os.path.abspath("notes.txt")]


def test_what_is_wrong_with_files_is_one_sentence_and_nothing_remains_of_earlier_ones():
    form = mtw.start()
    form.read()
    form.compare()
    set_role(form, "notes.txt", "output")
    form.read()
    assert form._reading.sentence.startswith("notes.txt has 2 lines but reference.txt has 30: ")
    assert (form.outputs, form.comparison, form.code, form._result.html) == (None, None, "", "")
    assert form._comparing_row.children == ()
    assert form._complaints.outputs == ()
    form.compare()
    assert form._result.sentence == "No files have been read yet: press “read” first."


def test_a_fault_that_may_be_accepted_has_a_button(in_folder):
    fill(in_folder, {"new.txt": [*FILES["new.txt"], "", ""]})
    form = mtw.start()
    set_role(form, "new.txt", "output")
    form.read()
    assert [control.description for control in form._reading_row.children] == [
        *("read", "accept trailing-blank and read again"),
    ]
    form.controls["accept"].click()
    assert form._reading.sentence.startswith("Read as: 2 systems (base and new), ")
    assert len(form._reading_row.children) == 1
    assert "    accept=['trailing-blank'],\n" in form.code
    set_role(form, "src.txt", "")
    form.read()
    assert form.outputs is None, "another choice of files has its own faults"


def test_doubts_are_quiet_lines(in_folder):
    fill(in_folder, {"new.txt": ["", *FILES["new.txt"][1:]]})
    form = mtw.start()
    form.read()
    assert 'class="mtw-warning"' in form._reading.html
    assert "empty" in form._reading.html
    assert form._complaints.outputs == ()


def test_the_form_says_what_would_change_without_the_doubts_as_the_command_line_does(in_folder, capsys, monkeypatch):
    for name in ("base.comet", "new.comet", "documents.txt", "src.txt"):
        (in_folder / name).unlink()
    quoted = [line.replace("Mal", "'Mal'") for line in REFERENCE]
    fill(in_folder, {"reference.txt": quoted})
    fill(in_folder, {"base.txt": [line.replace("steht", "stand") for line in quoted]})
    fill(in_folder, {"new.txt": [line.replace("'", "&#39;") for line in quoted]})
    form = mtw.start(rng=7)
    form.read()
    form.compare()
    assert cli.main(["compare", "reference.txt", "base.txt", "new.txt", "--rng", "7", "--format", "json"]) == 0
    expected = json.loads(capsys.readouterr().out)["doubts"]
    assert expected[0]["without"], "the command line repairs and compares again"
    assert json.loads(mtw.format_comparison(form.comparison, "json"))["doubts"] == expected
    change = "With HTML entities unescaped, the difference new - base, now "
    sent = []
    monkeypatch.setattr(form._view, "send", sent.append)
    form.save_report()
    for page in (form._result.html, sent[0]["text"]):
        assert change in page
    found = execute(form.code)
    [without] = form.comparison.doubts[0].without
    assert found["changes"]["p_value_without"].tolist() == [without.p_value_without]
    assert found["changes"]["verdict_changes"].tolist() == [without.verdict_changes]


def test_code_without_doubts_does_not_repeat_the_comparison():
    form = mtw.start(rng=7)
    form.read()
    form.compare()
    assert "examine_doubts" not in form.code


def test_warnings_of_metrics_stand_above_the_result_and_in_the_report(monkeypatch):
    compute = form_module.compute_statistics

    def warn(outputs, metric, **options):
        warnings.warn(mtw.DataWarning("odd-metric", f"{metric} does not suit."), stacklevel=2)
        return compute(outputs, metric, **options)

    monkeypatch.setattr(form_module, "compute_statistics", warn)
    form, sent = mtw.start(rng=1), []
    form.read()
    for _ in range(2):  # the second time, the statistics are there
        form.compare()
        assert form._result.html.index("bleu does not suit.") < form._result.html.index("<table")
    assert form._result.html.count("bleu does not suit.") == 1
    assert form._complaints.outputs == ()
    monkeypatch.setattr(form._view, "send", sent.append)
    form.save_report()
    assert "bleu does not suit." in sent[0]["text"]


def test_what_belongs_to_other_files_is_pale_until_they_are_read_or_the_old_ones_chosen_again():
    form = mtw.start(rng=1)
    form.read()
    form.compare()
    sentence, comparison, code = form._reading.sentence, form.comparison, form.code
    assert "mtworkbench-outdated" not in form._found._dom_classes
    set_role(form, "src.txt", "output")
    assert form._reading.sentence.startswith("Other files are chosen now than were read: press “read” to read these.")
    assert "mtworkbench-outdated" in form._found._dom_classes
    assert form.controls["compare"].disabled
    form.controls["chrF"].value = True
    form.controls["compare"].click()
    assert (form.comparison, form.code) == (comparison, code)
    set_role(form, "src.txt", "source")
    assert form._reading.sentence == sentence
    assert "mtworkbench-outdated" not in form._found._dom_classes
    assert not form.controls["compare"].disabled
    set_role(form, "src.txt", "")
    form.read()
    assert (form.comparison, form._result.html) == (None, "")
    assert not form.controls["compare"].disabled
    assert "mtworkbench-outdated" not in form._found._dom_classes


def test_one_system_is_read_and_not_compared(in_folder):
    for name in ("new.txt", "base.comet", "new.comet"):
        (in_folder / name).unlink()
    form = mtw.start()
    form.read()
    assert form._reading.sentence == (
        "Read as: 1 system (base), 10 documents, 30 segments. A comparison needs at least two systems: choose the "
        "output of another one, and press “read” again."
    )
    assert form._comparing_row.children == ()


@pytest.mark.parametrize(
    ("taken", "sentence"),
    [
        (
            (),
            "No reference and no output is chosen: set “take as” to “reference” beside at least one file, and set "
            "“take as” to “output” beside at least two files.",
        ),
        (("base.txt",), "No reference is chosen: set “take as” to “reference” beside at least one file."),
    ],
)
def test_without_files_the_form_says_which_are_missing(taken, sentence):
    form = mtw.start()
    form.files.clear()
    for name in taken:
        set_role(form, name, "output")
    form.read()
    assert form._reading.sentence == sentence


def test_without_a_metric_the_form_asks_for_one():
    form = mtw.start()
    form.read()
    form.controls["BLEU"].value = form._columns["comet"].value = False
    form.compare()
    assert form._result.sentence == "No metric is chosen: press at least one, such as BLEU."
    assert form.comparison is None


class TestRoot:
    def test_nothing_above_the_root_is_listed_or_read(self, in_folder, tmp_path):
        (tmp_path / "secret.txt").write_text("secret\n")
        fill(tmp_path / "mine-too", {"secret.txt": ["secret"]})
        browser = FileBrowser(in_folder)
        before = browser.entries
        for path in ("..", "../secret.txt", str(tmp_path), "/", "~", "../mine-too", "a\0b", "sub/../../secret.txt"):
            say(browser, kind="path", text=path)
            assert (browser.folder, browser.entries) == (".", before)
            assert browser.note.startswith(f"{path!r} leads out of 'mine', ".replace("\0", r"\x00")), browser.note
        say(browser, kind="up")
        assert browser.folder == "."

    def test_links_that_lead_out_are_neither_listed_nor_read(self, in_folder, tmp_path):
        (tmp_path / "secret.txt").write_text("secret\n")
        (in_folder / "out.txt").symlink_to(tmp_path / "secret.txt")
        (in_folder / "outside").symlink_to(tmp_path)
        (in_folder / "inside.txt").symlink_to(in_folder / "base.txt")
        form = mtw.start()
        names = [entry["name"] for entry in form.files.entries]
        assert not {"out.txt", "outside"} & {*names}
        assert "inside.txt" in names
        assert form.files.note == "2 links that lead out of the folder of this form are left out."
        say(form.files, kind="path", text="outside")
        assert "leads out of 'mine'" in form.files.note
        # A file that becomes a link after it was listed, and a link in a folder that is taken whole.
        (in_folder / "new.txt").unlink()
        (in_folder / "new.txt").symlink_to(tmp_path / "secret.txt")
        form.read()
        assert "leads out of 'mine'" in form._reading.sentence
        assert form.outputs is None

    def test_a_link_in_a_folder_of_outputs_is_not_read(self, in_folder, tmp_path):
        fill(in_folder / "sys", {"base.txt": FILES["base.txt"]})
        fill(tmp_path, {"new.txt": FILES["new.txt"]})
        (in_folder / "sys" / "new.txt").symlink_to(tmp_path / "new.txt")
        form = mtw.start()
        form.files.clear()
        set_role(form, "reference.txt", "reference")
        for path in form.files.of_role("output"):
            form.files.choose(path, "")
        set_role(form, "sys", "output")
        form.read()
        assert "leads out of 'mine'" in form._reading.sentence
        assert form.outputs is None

    def test_a_folder_behind_a_link_in_a_folder_of_outputs_is_not_listed(self, in_folder, tmp_path, monkeypatch):
        for system in ("base", "new"):
            (tmp_path / "away" / system).mkdir(parents=True)
            fill(tmp_path / "away" / system, {"pred.txt": FILES[f"{system}.txt"]})
        (in_folder / "sys").mkdir()
        for system in ("base", "new"):
            (in_folder / "sys" / system).symlink_to(tmp_path / "away" / system)
        form = mtw.start()
        form.files.clear()
        set_role(form, "reference.txt", "reference")
        for path in form.files.of_role("output"):
            form.files.choose(path, "")
        set_role(form, "sys", "output")
        monkeypatch.setattr(form_module, "put_files_for_folders", None)
        form.read()
        assert "'sys/base' leads out of 'mine'" in form._reading.sentence
        assert str(tmp_path) not in form._reading.sentence

    def test_scores_of_the_name_of_a_metric_are_refused(self, in_folder):
        rows = [f"{system}\t{place}\t0.{place + 10}" for system in ("base", "new") for place in range(1, 31)]
        fill(in_folder, {"scores.tsv": ["system\tsegment\tchrf", *rows]})
        form = mtw.start()
        for path in form.files.of_role("scores"):
            form.files.choose(path, "")
        set_role(form, "scores.tsv", "scores")
        form.read()
        assert "'scores.tsv' has scores named 'chrf', as a metric that is computed here" in form._reading.sentence
        assert form.outputs is None

    def test_the_folder_is_the_current_one_or_that_of_the_lab(self, in_folder, tmp_path, monkeypatch):
        assert mtw.start().files.root == str(in_folder)
        monkeypatch.setenv(LAB_VARIABLE, str(tmp_path))
        form = mtw.start()
        assert form.files.root == str(tmp_path)
        say(form.files, kind="path", text="mine")
        form.read()
        assert "    'reference.txt',\n" in form.code, "paths are those from the current folder"
        assert mtw.start("..").files.root == str(tmp_path)

    def test_another_folder_is_named_in_full_in_the_code(self, in_folder, tmp_path, monkeypatch):
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        form = mtw.start(in_folder)
        form.read()
        assert repr(str(in_folder / "reference.txt")) in form.code

    def test_a_folder_that_is_not_there_is_refused(self):
        with pytest.raises(mtw.InputError, match="^There is no folder 'nowhere': name one that is there.$"):
            mtw.start("nowhere")


class TestFolders:
    def test_an_empty_folder_says_so(self, in_folder):
        (in_folder / "empty").mkdir()
        browser = FileBrowser("empty")
        assert (browser.entries, browser.note) == ([], "There is no file in this folder.")

    def test_a_folder_that_cannot_be_read_is_not_entered(self, in_folder, monkeypatch):
        (in_folder / "closed").mkdir()
        browser, scan = FileBrowser("."), os.scandir

        def refuse(folder):
            if folder.endswith("closed"):
                raise PermissionError(13, "Permission denied", folder)
            return scan(folder)

        monkeypatch.setattr(os, "scandir", refuse)
        before = browser.entries
        say(browser, kind="enter", place=place_of(browser, "closed"))
        assert browser.note == "The folder 'closed' cannot be read (Permission denied): choose another one."
        assert (browser.folder, browser.entries) == (".", before)
        with pytest.raises(mtw.InputError, match="cannot be read"):
            mtw.start("closed")

    def test_a_thousand_files_are_listed_and_taken(self, in_folder):
        fill(in_folder / "many", {f"system-{number}.txt": FILES["base.txt"] for number in range(1000)})
        fill(in_folder / "many", {"ref.txt": REFERENCE})
        browser = FileBrowser("many")
        assert len(browser.entries) == 1001
        assert [entry["name"] for entry in browser.entries[1:4]] == ["system-0.txt", "system-1.txt", "system-2.txt"]
        assert browser.said.endswith("1,000 outputs 'system-0.txt', 'system-1.txt', 'system-2.txt' and 997 more.")

    def test_of_too_many_entries_the_first_are_listed(self, in_folder, monkeypatch):
        monkeypatch.setattr(files_module, "MOST_ENTRIES", 3)
        browser = FileBrowser(".")
        assert len(browser.entries) == len(browser.roles) == 3
        assert browser.note.startswith("Only the first 3 of 8 entries are listed: ")

    def test_pipes_and_hidden_files_are_left_out(self, in_folder):
        os.mkfifo(in_folder / "pipe")
        fill(in_folder, {".hidden": ["x"]})
        assert [entry["name"] for entry in FileBrowser(".").entries] == sorted(FILES)

    def test_names_that_could_mislead_are_shown_escaped_and_read_as_they_are(self, in_folder):
        names = ["<img src=x onerror=alert(1)>.txt", "a\nb.txt", "'); import os #.txt", "abc\u202etxt.", "[1]*?.txt"]
        fill(in_folder, dict.fromkeys(names, FILES["base.txt"]))
        (in_folder / b"caf\xe9.txt".decode("utf-8", "surrogateescape")).write_bytes(
            (in_folder / "base.txt").read_bytes()
        )
        form = mtw.start(rng=1)
        shown = {entry["name"] for entry in form.files.entries}
        assert {r"a\nb.txt", r"abc\u202etxt.", r"caf\udce9.txt"} <= shown
        for name in ("base.comet", "new.comet"):
            set_role(form, name, "")
        form.read()
        assert form._reading.sentence.startswith(r"'a\nb.txt' cannot be the name of a system: ")
        for name in (r"a\nb.txt", r"caf\udce9.txt"):
            set_role(form, name, "")
        form.read()
        assert form.outputs["system"].nunique() == 6, form._reading.sentence
        form.compare()
        assert "<img src=x" not in form._result.html + form._reading.html
        form.code.encode()
        assert execute(form.code)["outputs"].equals(form.outputs)

    def test_what_the_page_says_of_another_list_is_ignored(self, in_folder):
        (in_folder / "sub").mkdir()
        browser = FileBrowser(".")
        old = browser.listing
        say(browser, kind="enter", place=0)
        say(browser, kind="up")
        before = browser.chosen
        for message in (
            {"kind": "role", "place": 1, "role": "output", "listing": old},
            {"kind": "enter", "place": 0, "listing": old},
            {"kind": "role", "place": 99, "role": "output"},
            {"kind": "role", "place": 1, "role": "nonsense"},
            {"kind": "role", "place": None, "role": "output"},
            {"kind": "enter", "place": 3},
        ):
            say(browser, **message)
        assert (browser.chosen, browser.folder) == (before, ".")


def test_the_report_is_sent_to_the_page(monkeypatch):
    form, sent = mtw.start(rng=1), []
    monkeypatch.setattr(form._view, "send", sent.append)
    form._view._receive(None, {"kind": "report"}, [])
    assert sent == []
    form.read()
    assert not form._view.has_report
    form.compare()
    assert form._view.has_report
    form._view._receive(None, {"kind": "report"}, [])
    [message] = sent
    assert (message["name"], message["said"]) == ("comparison.html", "Saved the report as comparison.html.")
    assert message["text"].startswith("<!DOCTYPE html>")
    assert FILES["new.txt"][0] in message["text"], "the report has the sentences"


def test_a_report_that_cannot_be_written_leaves_the_comparison(monkeypatch):
    def refuse(*given, **options):
        raise mtw.InputError("odd", "Odd.")

    form, sent = mtw.start(rng=1), []
    form.read()
    form.compare()
    monkeypatch.setattr(form._view, "send", sent.append)
    monkeypatch.setattr(form_module, "make_report", refuse)
    form.save_report()
    assert sent == [{"text": "", "said": "Odd."}]
    assert (form.comparison is None, form._result.sentence) == (
        False,
        "2 systems compared with base by BLEU and comet.",
    )


def test_a_reader_without_a_kernel_sees_what_the_cell_is_for():
    html, sentence = mtw.start()._make_copy()
    assert sentence == "A form to choose files, to compare systems and to copy the code of it: run this cell."
    assert sentence in html
