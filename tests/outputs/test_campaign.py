"""Campaigns: a table of test sets and systems; every fault names the file and its line."""

import warnings

import pandas as pd
import pytest

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.outputs.campaign import read_campaign, read_sets_run_by_run
from mtworkbench.outputs.text import read_outputs

LINES = ["The cat sees the old dog.", "A dog runs in the red house.", "The new cat sleeps on it."]
HEAD = "set\treference\tsystem\tfiles"
ROWS = [
    "one\tref/one.en\tbase\tbase/one.en",
    "one\tref/one.en\tnew\tnew/one.en",
    "two\tref/two.en\tbase\tbase/two.en",
    "two\tref/two.en\tnew\tnew/two.en",
]


def write(path, *, prefix="", lines=LINES):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{prefix}{line}\n" for line in lines))


@pytest.fixture
def folder(tmp_path):
    for name in ("one", "two"):
        write(tmp_path / "ref" / f"{name}.en", prefix=f"{name} ")
        for system in ("base", "new"):
            write(tmp_path / system / f"{name}.en", prefix=f"{system} {name} ")
    return tmp_path


def table(folder, *rows, head=HEAD, name="campaign.tsv"):
    path = folder / name
    path.write_text("".join(f"{row}\n" for row in (head, *rows)))
    return path


def refusal(folder, *rows, **more):
    with pytest.raises(InputError) as caught:
        read_campaign(table(folder, *rows, **more))
    assert caught.value.path is None or str(folder) in caught.value.path
    return caught.value.code, str(caught.value).replace(f"{folder}/", ""), caught.value.line


def test_each_set_has_the_frame_of_its_files(folder):
    found = read_campaign(table(folder, *ROWS))
    assert list(found) == ["one", "two"]
    for name, outputs in found.items():
        files = {system: folder / system / f"{name}.en" for system in ("base", "new")}
        assert outputs.equals(read_outputs(folder / "ref" / f"{name}.en", files))


def test_columns_and_rows_may_come_in_any_order(folder):
    rows = ["\t".join(reversed(row.split("\t"))) for row in (ROWS[1], ROWS[2], ROWS[0], ROWS[3])]
    found = read_campaign(table(folder, *rows, head="files\tsystem\treference\tset"))
    # Systems are in the order of the first set, also where another set has them in another order.
    assert {name: list(outputs["system"].unique()) for name, outputs in found.items()} == {
        "one": ["new", "base"],
        "two": ["new", "base"],
    }
    assert found["two"].query("system == 'base'")["hypothesis"].iloc[0] == f"base two {LINES[0]}"


def test_runs_and_references_are_separated_by_spaces_or_are_a_glob(folder):
    for run in (1, 2, 10):
        write(folder / "runs" / f"one.{run}", prefix=f"run {run} ")
    write(folder / "runs" / "other.1", prefix="other ")
    write(folder / "ref" / "one.b.en", prefix="also ")
    rows = [
        "one\tref/one.en ref/one.b.en\tbase\truns/one.*",
        "one\tref/one.en  ref/one.b.en\tnew\tnew/one.en runs/other.1",
    ]
    outputs = read_campaign(table(folder, *rows, *ROWS[2:]))["one"]
    first = outputs[outputs["segment"] == 1]
    assert first["hypothesis"].str.removesuffix(LINES[0]).str.strip().tolist() == [
        "run 1", "run 2", "run 10", "new one", "other",
    ]  # fmt: skip
    assert first["reference_2"].unique().tolist() == [f"also {LINES[0]}"]


def runs(folder, name, system, word, numbers):
    """Write the outputs of runs, and return the row of the table that names them in the order given."""
    files = [f"{system}/{name}.{word}{number}" for number in numbers]
    for file, number in zip(files, numbers, strict=True):
        write(folder / file, prefix=f"{system} {name} {number} ")
    return f"{name}\tref/{name}.en\t{system}\t{' '.join(files)}"


def test_runs_keep_the_numbers_in_the_names_of_their_files(folder):
    numbers = {"base": ("run", (4, 2, 10)), "new": ("seed", (1111, 2222, 33333))}
    rows = [runs(folder, name, system, *numbers[system]) for name in ("one", "two") for system in numbers]
    path = table(folder, *rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = read_campaign(path)
    for name, outputs in found.items():
        first = outputs[outputs["segment"] == 1]
        assert first[["system", "run", "run_name"]].values.tolist() == [
            *(["base", 1, "2"], ["base", 2, "4"], ["base", 3, "10"]),
            *(["new", 1, "1111"], ["new", 2, "2222"], ["new", 3, "33333"]),
        ]
        assert first["hypothesis"].iloc[2] == f"base {name} 10 {LINES[0]}"
    for files, _ in read_sets_run_by_run(path):
        assert [file.rpartition(".")[2] for file in files.systems["base"]] == ["run2", "run4", "run10"]


def test_runs_that_are_numbered_from_1_are_known_by_these_numbers(folder):
    rows = [runs(folder, name, system, "run", (1, 2)) for name in ("one", "two") for system in ("base", "new")]
    for outputs in read_campaign(table(folder, *rows)).values():
        assert outputs["run_name"].tolist() == outputs["run"].map(str).tolist()


def test_sets_with_as_many_runs_but_other_numbers_are_refused(folder):
    rows = [
        runs(folder, "one", "base", "run", (1, 2, 3)),
        runs(folder, "one", "new", "run", (1, 2, 3)),
        runs(folder, "two", "base", "run", (1, 2, 3)),
        runs(folder, "two", "new", "run", (2, 3, 4)),
    ]
    assert refusal(folder, *rows) == (
        "different-runs",
        "campaign.tsv, line 5: system 'new' has runs 2, 3 and 4 on set 'two' (two.run2 ...), but in line 3 runs 1, 2 "
        "and 3 on set 'one' (one.run1 ...): run k must be the same trained system on every set; give the outputs of "
        "the same runs, or give the files of one trained system the same number.",
        5,
    )
    # Of different numbers of runs, and of single runs, no pairs are made.
    rows[3] = runs(folder, "two", "new", "run", (2, 3))
    assert read_campaign(table(folder, *rows))["two"]["run"].max() == 3
    rows[1], rows[3] = (runs(folder, name, "new", "run", (number,)) for name, number in (("one", 1), ("two", 2)))
    assert read_campaign(table(folder, *rows))["two"].query("system == 'new'")["run_name"].unique().tolist() == ["1"]


def test_runs_without_numbers_are_matched_by_their_order_and_this_is_said_once(folder):
    """On one set the files of `new` have numbers, on the other they have none: so nothing says which is which."""
    rows = [runs(folder, name, "base", "", ("x", "y")) for name in ("one", "two")]
    rows += [runs(folder, "one", "new", "run", (3, 2)), runs(folder, "two", "new", "", ("x", "y"))]
    path = table(folder, *rows)
    with pytest.warns(DataWarning) as noticed:
        found = read_campaign(path)
    assert [str(one.message).replace(f"{folder}/", "") for one in noticed] == [
        "campaign.tsv: not all file names of base and new give a run number (such as run1 or seed1). Their runs are "
        "therefore matched by order: check that run k is the same trained system on every set, or put run numbers into "
        "the file names."
    ]
    assert (noticed[0].message.code, noticed[0].message.count) == ("runs-by-order", 2)
    assert "run_name" not in found["one"].columns
    assert found["one"].query("system == 'new' and segment == 1")["hypothesis"].tolist() == [
        f"new one 3 {LINES[0]}",
        f"new one 2 {LINES[0]}",
    ]


def test_a_file_may_have_spaces_and_brackets_in_its_name_and_folder(tmp_path):
    folder = tmp_path / "my [old] data"
    for name in ("one", "two"):
        write(folder / f"{name} ref.en", prefix=f"{name} ")
        for system in ("base", "new"):
            write(folder / f"{system}.{name}.1", prefix=f"{system} {name} ")
    rows = [
        f"{name}\t{name} ref.en\t{system}\t{system}.{name}.*" for name in ("one", "two") for system in ("base", "new")
    ]
    assert [len(outputs) for outputs in read_campaign(table(folder, *rows)).values()] == [6, 6]


def test_source_documents_and_domains_are_optional_set_by_set(folder):
    write(folder / "src.de", prefix="Quelle ")
    (folder / "docs").write_text("a\na\nb\n")
    (folder / "domains").write_text("news\nnews\nlaw\n")
    rows = [f"{row}\tsrc.de\tdocs\tdomains" for row in ROWS[:2]] + [f"{row}\t\t\t" for row in ROWS[2:]]
    found = read_campaign(table(folder, *rows, head=f"{HEAD}\tsource\tdocuments\tdomains"))
    assert found["one"]["document"].tolist()[:3] == ["a", "a", "b"]
    assert found["one"]["domain"].tolist()[:3] == ["news", "news", "law"]
    assert found["one"]["source"].iloc[0] == f"Quelle {LINES[0]}"
    assert not {"document", "source", "domain"} & set(found["two"].columns)


def test_a_campaign_may_be_a_parquet_file(folder):
    pytest.importorskip("pyarrow", reason="needs pyarrow to write Parquet")
    path = folder / "campaign.parquet"
    pd.DataFrame([row.split("\t") for row in ROWS], columns=HEAD.split("\t")).to_parquet(path)
    found, expected = read_campaign(path), read_campaign(table(folder, *ROWS))
    assert list(found) == list(expected)
    assert all(found[name].equals(expected[name]) for name in expected)


def test_absolute_paths_csv_and_run_by_run(folder):
    rows = [row.replace("ref/", f"{folder}/ref/").replace("\t", ",") for row in ROWS]
    path = table(folder, *rows, head=HEAD.replace("\t", ","), name="campaign.csv")
    whole = read_campaign(path)
    for files, runs in read_sets_run_by_run(path):
        outputs = whole[files.name]
        assert [len(rows) for rows in runs] == [3, 3]
        assert runs[1]["hypothesis"].tolist() == outputs["hypothesis"].tolist()[3:]
        assert files.files == [f"{folder}/ref/{files.name}.en"] + [
            f"{folder}/{system}/{files.name}.en" for system in ("base", "new")
        ]


@pytest.mark.parametrize("read", [read_campaign, lambda path: list(read_sets_run_by_run(path))])
def test_what_is_noticed_is_said_once_for_all_sets(folder, read):
    for name in ("one", "two"):
        for system in ("base", "new"):
            write(folder / system / f"{name}.en", prefix="x\u200b", lines=LINES)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read(table(folder, *ROWS))
    said = {one.message.code: str(one.message).replace(f"{folder}/", "") for one in caught}
    assert len(said) == len(caught)
    assert said["invisible-chars"].startswith(
        "12 segments of 4 inputs (base/one.en (3), new/one.en (3), base/two.en (3)"
    )
    both = "base/one.en = new/one.en (set one) (3) and base/two.en = new/two.en (set two) (3)"
    assert said["identical-systems"].startswith(f"6 segments of 2 inputs ({both}) are identical.")


def test_what_names_no_file_is_said_once(folder):
    for name in ("one", "two"):
        write(folder / "third" / f"{name}.en", prefix=f"third {name} ")
    # A Cyrillic letter in place of the e.
    rows = [*ROWS, *(f"{name}\tref/{name}.en\tn\u0435w\tthird/{name}.en" for name in ("one", "two"))]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_campaign(table(folder, *rows))
    assert [one.message.code for one in caught] == ["look-alike-names"]


@pytest.mark.parametrize(
    ("rows", "code", "line", "sentence"),
    [
        ([*ROWS[:3], "two\tref/two.en\tnew\tnew/three.en"], "not-a-file", 5,
         "campaign.tsv, line 5: column 'files': there is no file new/three.en; paths are relative to the table's "
         "folder, …."),
        ([*ROWS[:3], "two\tref/two.en\tnew\tnew"], "not-a-file", 5,
         "campaign.tsv, line 5: column 'files': new is a folder: name a file; paths are relative to the table's "
         "folder, …."),
        ([*ROWS[:3], "two\tref/two.en\tnew\tnew/x*"], "no-match", 5,
         "campaign.tsv, line 5, column 'files': no file matches new/x* (seen from the folder …); check the pattern."),
        ([*ROWS[:3], "two\tref/two.en\tnew\tnew/two.en new/../new/two.en"], "duplicate-file", 5,
         "campaign.tsv, line 5, column 'files': new/../new/two.en is the same file as new/two.en; name each file "
         "once."),
        ([ROWS[0], ROWS[1].replace("ref/one", "ref/two"), *ROWS[2:]], "text-mismatch", 3,
         "campaign.tsv, line 3: the reference of set 'one' is ref/two.en, but in line 2 it is ref/one.en: give all "
         "rows of a set the same, or the two test sets different names."),
        ([*ROWS, ROWS[0]], "duplicate-row", 6,
         "campaign.tsv, line 6: system 'base' of set 'one' already has a row, line 2: give one row per set and system, "
         "with all runs in it."),
        (ROWS[:2], "one-set", None,
         "campaign.tsv has one test set, 'one': a campaign has at least two; for one, name the files with --reference "
         "and --system, or call read_outputs."),
        (ROWS[:3], "incomplete-system", 4,
         "campaign.tsv, line 4: set 'two' has no row for 'new', which set 'one' has: every system is needed on every "
         "set; add the rows, or leave the system or the set out."),
        ([ROWS[0], *ROWS[2:]], "incomplete-system", 2,
         "campaign.tsv, line 2: set 'one' has no row for 'new', which set 'two' has: every system is needed on every "
         "set; add the rows, or leave the system or the set out."),
        ([*ROWS[:2], *(row.replace("one\t", "two\t", 1) for row in ROWS[:2])], "duplicate-set", 4,
         "campaign.tsv, line 4: sets 'one' and 'two' have the same files: list each test set once."),
        ([*ROWS[:3], "two\tref/two.en\t \tnew/two.en"], "empty-cell", 5,
         "campaign.tsv, line 5: column 'system' is empty: the name of a system was expected in every row."),
        ([*ROWS[:3], "two\tref/two.en\tnew\t"], "empty-cell", 5,
         "campaign.tsv, line 5: column 'files' is empty: the name of a file or several was expected in every row."),
        ([*ROWS[:3], "two\tref/two.en\tref\tnew/two.en"], "reserved-name", 5,
         "campaign.tsv, line 5: 'ref' cannot be the name of a system: it means the source or a reference in other "
         "formats; choose another."),
        ([*ROWS[:3], "t\x1bwo\tref/two.en\tnew\tnew/two.en"], "reserved-name", 5,
         "campaign.tsv, line 5: 't\\x1bwo' cannot be the name of a set, because it has a control character: choose "
         "another."),
        ([], "no-rows", None, "campaign.tsv has no rows: one row per set and system was expected."),
        (["one\tref/one.en\tbase"], "columns", 2,
         "campaign.tsv, line 2: there are 3 fields, but the first line names 4 columns ('set, reference, system, "
         "files')."),
    ],
)  # fmt: skip
def test_a_fault_names_the_file_and_the_line(folder, rows, code, line, sentence):
    found, said, at = refusal(folder, *rows)
    begin, _, end = sentence.partition("…")
    assert (found, at) == (code, line)
    assert said.startswith(begin)
    assert said.endswith(end)
    assert "…" in sentence or said == sentence


@pytest.mark.parametrize(
    ("systems", "line", "sentence"),
    [
        (("base memory", "base memry"), 5,
         "set 'two' has a system 'memry', which set 'one' lacks, but no row for 'memory': did you mean 'memory'?"),
        (("base memry", "base memory", "base memory"), 3,
         "set 'one' has a system 'memry', which 2 other sets lack, but no row for 'memory': did you mean 'memory'?"),
        (("base memory", "base memry", "memry base", "base memory", "base memory"), 5,
         "set 'two' has a system 'memry', which 3 other sets lack, but no row for 'memory': did you mean 'memory'?"),
        # A set has both, so they are two systems.
        (("base memory", "base memory memory2"), 2,
         "set 'one' has no row for 'memory2', which set 'two' has:"),
        (("base memory memory2", "base memory2", "base memory"), 5,
         "set 'two' has no row for 'memory', which set 'one' has:"),
    ],
)  # fmt: skip
def test_a_system_whose_name_is_misspelt_is_named_with_its_line(folder, systems, line, sentence):
    rows = []
    for name, some in zip(("one", "two", "three", "four", "five"), systems, strict=False):
        write(folder / "ref" / f"{name}.en")
        for system in some.split():
            write(folder / system / f"{name}.en")
            rows.append(f"{name}\tref/{name}.en\t{system}\t{system}/{name}.en")
    code, said, at = refusal(folder, *rows)
    assert (code, at) == ("incomplete-system", line)
    assert said.startswith(f"campaign.tsv, line {line}: {sentence} ")
    assert "very system is needed on every set; " in said


@pytest.mark.parametrize(
    ("head", "sentence"),
    [
        ("set\tref\tsystem\tfiles",
         "campaign.tsv, line 1: has no column 'reference', only 'set', 'ref', 'system', 'files': a campaign has the "
         "columns set, reference, system, files, and may have source, documents, domains, separated by tabs."),
        (f"{HEAD}\tdocument",
         "campaign.tsv, line 1: has a column 'document', which is not known: did you mean 'documents'? Rename it."),
        (f"{HEAD}\tnotes",
         "campaign.tsv, line 1: has a column 'notes', which is not known: leave it out; known are set, reference, "
         "system, files, source, documents, domains."),
        ("set\tset\tsystem\tfiles", "campaign.tsv has two columns 'set': names must differ."),
    ],
)  # fmt: skip
def test_wrong_columns_are_refused(folder, head, sentence):
    extra = "\t" * (head.count("\t") - 3)
    assert refusal(folder, *(row + extra for row in ROWS), head=head) == ("columns", sentence, 1)


def test_a_set_has_one_source(folder):
    write(folder / "src.de")
    rows = [f"{ROWS[0]}\tsrc.de", *(f"{row}\t" for row in ROWS[1:])]
    code, said, line = refusal(folder, *rows, head=f"{HEAD}\tsource")
    assert (code, line) == ("text-mismatch", 3)
    assert "the source of set 'one' is absent, but in line 2 it is src.de" in said
    rows = [f"{row}\tref/*.en" for row in ROWS]
    code, said, line = refusal(folder, *rows, head=f"{HEAD}\tsource")
    assert (code, line) == ("one-file", 2)
    assert "column 'source' names 2 files: one was expected." in said


def test_a_fault_of_an_output_is_that_of_read_outputs(folder):
    write(folder / "new" / "two.en", lines=LINES[:2])
    code, said, _ = refusal(folder, *ROWS)
    assert code == "count-mismatch"
    assert said.startswith("new/two.en has 2 lines")


def test_a_table_is_text_in_a_format_that_its_name_tells(folder):
    assert refusal(folder, *ROWS, name="campaign.txt")[0] == "table-format"
    (folder / "campaign.jsonl").write_text('{"set": 1, "reference": "r", "system": "s", "files": "f"}\n')
    with pytest.raises(InputError) as caught:
        read_campaign(folder / "campaign.jsonl")
    assert (caught.value.code, caught.value.line) == ("not-text", 1)


def test_folders_number_the_runs_where_all_files_have_one_name(folder):
    rows = [f"{name}\tref/{name}.en\tbase\tbase/{name}.en" for name in ("one", "two")]
    for name, numbers in (("one", (1, 2)), ("two", (2, 3))):
        files = [f"{name}/run{number}/raw/out.txt" for number in numbers]
        for file in files:
            write(folder / file, prefix=f"{file} ")
        rows.append(f"{name}\tref/{name}.en\tnew\t{' '.join(files)}")
    assert refusal(folder, *rows) == (
        "different-runs",
        "campaign.tsv, line 5: system 'new' has runs 2 and 3 on set 'two' (run2/raw/out.txt ...), but in line 4 runs 1 "
        "and 2 on set 'one' (run1/raw/out.txt ...): run k must be the same trained system on every set; give the "
        "outputs of the same runs, or give the files of one trained system the same number.",
        5,
    )
