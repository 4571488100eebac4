"""Files that are not what they seem: the message says what they are."""

import io
import re
import tarfile
import warnings
import zipfile

import pandas as pd
import pytest

from mtworkbench.errors import InputError
from mtworkbench.outputs.files.archives import kind_of_archive
from mtworkbench.outputs.table import read_table
from mtworkbench.outputs.text import make_outputs, read_outputs

from .reading import noticing, refusal

LINES = [f"Sentence number {i} of the text." for i in range(8)]
TEXT = "".join(line + "\n" for line in LINES)
OUTPUT = TEXT.replace("number", "no.").encode()


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


def zipped(*members):
    stream = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


def tarred(*members, mode="w"):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            if isinstance(content, bytes):
                info.size = len(content)
            else:
                info.type, info.linkname, content = content.encode(), "/etc/passwd", b""
            archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


ARCHIVES = {
    "zip": zipped(("hyp.txt", OUTPUT)),
    "zip of a Mac": zipped(("out/", b""), ("out/hyp.txt", OUTPUT), ("__MACOSX/out/._hyp.txt", b"\0\5\x16\7")),
    "tar": tarred(("out/hyp.txt", OUTPUT)),
    "tar in gzip": tarred(("hyp.txt", OUTPUT), mode="w:gz"),
    "tar with long name": tarred(("out/" + "x" * 300, OUTPUT)),
}


@pytest.mark.parametrize("archive", ARCHIVES.values(), ids=ARCHIVES)
def test_an_archive_of_one_text_is_this_text(archive, write, tmp_path):
    reference, output = write("ref.txt", TEXT), write("hyp.txt", archive)
    outputs, noticed = noticing(read_outputs, reference, {"a": output})
    assert outputs["hypothesis"].tolist() == OUTPUT.decode().splitlines()
    assert not noticed
    assert sorted(one.name for one in tmp_path.iterdir()) == ["hyp.txt", "ref.txt"]


REFUSED = {
    "nothing": (zipped(), "archive", "is a zip archive that holds no file"),
    "two": (zipped(("a", OUTPUT), ("b", OUTPUT)), "archive", "is a zip archive that holds several files"),
    "one name twice": (zipped(("a", OUTPUT), ("a", OUTPUT)), "archive", "is a zip archive that holds several files"),
    "names differ in case": (
        zipped(("a", OUTPUT), ("A", OUTPUT)),
        "archive",
        "is a zip archive that holds several files",
    ),
    "backslash": (zipped(("..\\x", OUTPUT)), "unsafe-archive", r"because the name '..\\\\x' leads out of it"),
    "drive": (zipped(("C:x", OUTPUT)), "unsafe-archive", "because the name 'C:x' leads out of it"),
    "zip in zip": (zipped(("a.zip", zipped(("a", OUTPUT)))), "archive", "that holds another archive"),
    "Office": (zipped(("[Content_Types].xml", b"<x/>"), ("xl/a.xml", b"<x/>")), "archive", "is an Office file"),
    "statistics": (zipped(("header.json", b"{}"), ("sha256", b"0")), "archive", "is a file of statistics, it seems"),
    "zip cut off": (zipped(("a", OUTPUT))[:-9], "corrupt", "is a zip archive that is cut off or damaged"),
    "zip damaged": (zipped(("a", OUTPUT)).replace(b"PK\1\2", b"PK\1\3"), "corrupt", "zip archive that is cut off or"),
    "zip bomb": (zipped(("a", b"a\n" * 10**6)), "too-large", "holds more than .* once unpacked"),
    "two in tar": (tarred(("a", OUTPUT), ("b", OUTPUT)), "archive", "is a tar archive that holds several files"),
    "tar upwards": (tarred(("../a", OUTPUT)), "unsafe-archive", "because the name '../a' leads out of it"),
    "tar from the root": (tarred(("/etc/a", OUTPUT)), "unsafe-archive", "because the name '/etc/a' leads out of it"),
    "symbolic link": (tarred(("a", "2")), "unsafe-archive", "because 'a' is a link"),
    "hard link": (tarred(("a", "1")), "unsafe-archive", "because 'a' is a link"),
    "device": (tarred(("a", "3")), "unsafe-archive", "because 'a' is a device or the like"),
    "pipe": (tarred(("a", "6")), "unsafe-archive", "because 'a' is a device or the like"),
    "a million members": (tarred(*[(str(i), b"") for i in range(2000)]), "archive", "holds several files"),
    "tar cut off": (tarred(("a", OUTPUT * 9))[:700], "corrupt", "is a tar archive that is cut off or damaged"),
}


@pytest.mark.parametrize(("archive", "code", "said"), REFUSED.values(), ids=REFUSED)
def test_another_archive_is_refused_by_what_it_is(archive, code, said, write, tmp_path):
    reference, output = write("ref.txt", TEXT), write("hyp.txt", archive)
    error = refusal(read_outputs, reference, {"a": output})
    assert (error.code, error.path) == (code, output)
    assert re.search(said, str(error))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["hyp.txt", "ref.txt"]


def test_an_encrypted_zip_is_said_to_be(write):
    data = bytearray(zipped(("a", OUTPUT)))
    data[6] |= 1
    data[data.index(b"PK\1\2") + 8] |= 1
    error = refusal(read_outputs, write("ref.txt", TEXT), {"a": write("hyp.txt", bytes(data))})
    assert (error.code, "is a zip archive that is encrypted" in str(error)) == ("archive", True)


def test_a_table_in_a_zip_is_read(write):
    table = pd.DataFrame({"system": "a", "reference": LINES, "hypothesis": LINES[::-1]})
    outputs = read_table(write("x.csv.zip", zipped(("x.csv", table.to_csv(index=False)))))
    assert outputs["hypothesis"].tolist() == LINES[::-1]


@pytest.mark.parametrize("text", ["", "a", TEXT, "\0" * 512, "ustar" * 200, "PK and more\n" * 60])
def test_texts_are_no_archives(text):
    assert kind_of_archive(text.encode()) is None


@pytest.mark.parametrize("encoding", ["UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"])
@pytest.mark.parametrize(
    "line",
    ["Ein Satz mit Wörtern.", "Кошка сидит на ковре", "猫坐在屋子里的垫子上", "고양이가 매트 위에", "قطة على سجادة"],
)
def test_wide_encodings_without_a_mark_are_named(line, encoding, write):
    error = refusal(
        read_outputs, write("ref.txt", "".join(f"{line} {i}\n" for i in range(9)).encode(encoding)), {"a": "-"}
    )
    assert (error.code, error.found) == ("encoding", encoding)


def test_a_nul_in_a_text_is_not_taken_for_a_wide_encoding(write):
    for text in (TEXT + "\0", "\0" + TEXT, "the cat sat\n\0on\n", "猫坐在垫子上\n\0\n", "кошка и мышь\0 \n"):
        assert refusal(read_outputs, write("ref.txt", text), {"a": write("hyp.txt", TEXT)}).code == "nul"


TABLE = "system;reference;hypothesis;da\na;the cat, sat;the cat;1\na;a dog;dog;2\n"


@pytest.mark.parametrize(("separator", "word"), [(";", "semicolons"), ("\t", "tabs")])
def test_another_separator_of_a_csv_is_taken_with_a_warning(separator, word, write):
    path = write("a.csv", TABLE.replace(";", separator))
    outputs, noticed = noticing(read_table, path)
    assert outputs["reference"].tolist() == ["the cat, sat", "a dog"]
    assert outputs["da"].tolist() == [1.0, 2.0]
    assert str(noticed["dialect"]) == f"{path} separates its columns by {word}, not by commas, and was read so."


def test_a_tsv_without_tabs_is_said_to_be_a_csv(write):
    error = refusal(read_table, write("a.tsv", TABLE))
    assert (error.code, error.line) == ("columns", 1)
    assert "there is no tab, but the columns seem to be separated by semicolons: give the file a name" in str(error)


def test_windows_1252_is_recognized_and_damaged_utf_8_is_not_taken_for_it(write):
    windows = write("a.csv", TABLE.replace("dog", "Käse").encode("cp1252"))
    error = refusal(read_table, windows)
    assert (error.code, error.line) == ("encoding", 3)
    assert "(as Windows-1252, the encoding of many spreadsheets, it reads 'a;a Käse;Käse;2'; if that " in str(error)
    damaged = write("b.csv", TABLE.replace("cat", "Käse").encode() + b"\xe4")
    assert "Windows" not in str(refusal(read_table, damaged))


@pytest.mark.parametrize(("name", "separator"), [("a.csv", ","), ("a.tsv", "\t")])
def test_the_index_of_pandas_is_named_as_such(name, separator, tmp_path):
    table = pd.DataFrame({"system": "a", "reference": LINES, "hypothesis": LINES})
    table.to_csv(tmp_path / name, sep=separator)
    error = refusal(read_table, tmp_path / name)
    assert (error.code, error.line) == ("columns", 1)
    assert "the first column has no name, as pandas writes its index: write the table with index=False" in str(error)


def test_decimal_ids_are_explained(tmp_path):
    table = pd.DataFrame({"system": "a", "segment": [1.0, 2.0], "reference": ["a", "b"], "hypothesis": ["c", "d"]})
    said = "(pandas makes whole numbers decimal where a column has gaps: "
    assert said in str(refusal(read_table, table))
    table = table.rename(columns={"segment": "run"})
    assert said in str(refusal(read_table, table))
    table.to_csv(tmp_path / "a.csv", index=False)
    assert said in str(refusal(read_table, tmp_path / "a.csv"))
    assert "pandas" not in str(refusal(read_table, table.assign(run=1.5)))


def test_an_empty_last_line_of_all_files_is_offered_to_be_dropped(write):
    files = write("ref.txt", TEXT + "\n"), {"a": write("hyp.txt", OUTPUT + b"\n")}
    error = refusal(read_outputs, *files)
    assert (error.code, error.line) == ("empty-ref", 9)
    assert "the last line of this and all other files is empty" in str(error)
    assert error.hint.startswith("accept 'trailing-blank' to drop it")
    outputs, noticed = noticing(read_outputs, *files, accept=["trailing-blank"])
    assert len(outputs) == 8
    assert list(noticed) == ["trailing-blank"]
    assert len(noticing(read_outputs, *files, accept=["empty-ref"])[0]) == 9
    error = refusal(make_outputs, ["a", "", ""], {"x": ["b", "", ""]})
    assert "the last 2 lines of this and all other lists are empty" in str(error)


@pytest.mark.parametrize("end", ["\x1a", "\x1a\x1a\x1a"])
def test_the_end_of_file_mark_of_dos_is_left_out(end, write):
    reference, output = write("ref.txt", TEXT + end), write("hyp.txt", OUTPUT + end.encode())
    outputs, noticed = noticing(read_outputs, reference, {"a": output})
    assert (len(outputs), outputs["reference"].tolist()) == (8, LINES)
    assert list(noticed) == ["ctrl-z"]
    assert str(noticed["ctrl-z"]).startswith(
        "2 files end with the end-of-file mark of DOS (Ctrl-Z, U+001A), which was "
    )
    assert refusal(read_outputs, write("ref.txt", "\x1a"), {"a": output}).code == "empty-file"


@pytest.mark.parametrize("written", ["n/a", "N/A", "#N/A", "NA", "nan", "", "-", "null"])
def test_what_means_no_value_elsewhere_is_explained(written):
    table = pd.DataFrame({"system": "a", "segment": ["1", "2", "3"], "da": ["1", "2", written]})
    error = refusal(read_table, table)
    assert error.code == "bad-number"
    hint = " (pandas does so with na_rep='None')" if written in ("", "nan") else ""
    assert str(error).endswith(
        f"{written!r} was found in a column of numbers: write None where there is no value{hint}."
    )


def test_a_tar_that_claims_to_be_large_takes_no_memory(write):
    data = bytearray(tarred(("a", OUTPUT)))
    data[124:136] = b"77777777777\0"
    data[148:156] = b"%06o\0 " % (256 + sum(data[:148]) + sum(data[156:512]))
    error = refusal(read_outputs, write("ref.txt", TEXT), {"a": write("hyp.txt", bytes(data))}, accept=["too-large"])
    assert error.code == "corrupt"


def test_a_column_whose_name_is_no_text_is_refused(tmp_path):
    path = tmp_path / "table.jsonl"
    path.write_text(r'{"segment": 1, "reference": "a", "system": "x", "hypothesis": "a", "\ud800": 1}' + "\n")
    with pytest.raises(InputError, match=r"has a column '\\ud800', whose name has half a surrogate pair") as refused:
        read_table(path)
    assert refused.value.code == "columns"


def test_a_column_with_more_gaps_than_numbers_is_said_to_be_text(write):
    rows = ["system\tsegment\tda\tmqm\tnote", "a\t1\tn/a\t1\t-", "a\t2\tn/a\t2\tso-so", "a\t3\t0.5\t3\t"]
    path = write("a.tsv", "\n".join(rows) + "\n")
    outputs, noticed = noticing(read_table, path)
    assert outputs["da"].tolist() == ["n/a", "n/a", "0.5"]
    assert list(noticed) == ["numbers-as-text"]
    assert str(noticed["numbers-as-text"]) == (
        f"{path}, column 'da' was taken for text, because 2 of its 3 values are not numbers, the first in line 2: "
        "'n/a'; if it is a column of numbers, write None where there is no value."
    )
    assert (noticed["numbers-as-text"].line, noticed["numbers-as-text"].count) == (2, 2)


def test_ids_that_pandas_made_decimal_are_explained(write):
    """They are names like any other, so they are kept; both in tables of outputs and of judgements."""
    said = "have names such as '1.0' (pandas makes whole numbers decimal where a column has gaps: "
    for header, text in (("reference,hypothesis", "a,b"), ("da,mqm", "1,2")):
        path = write("a.csv", f"system,segment,{header}\na,1.0,{text}\na,2.0,{text}\n")
        outputs, noticed = noticing(read_table, path)
        assert outputs["segment_id"].tolist() == ["1.0", "2.0"]
        assert said in str(noticed["segments-renumbered"])


def test_a_field_of_csv_that_is_too_long_is_said_to_be(write):
    path = write("a.csv", "system,reference,hypothesis\na,b," + "word " * 2_000_001 + "\n")
    error = refusal(read_table, path)
    assert (error.code, error.line) == ("huge-line", 2)
    assert str(error) == (
        f"{path}, line 2: the row that begins here has a field of more than 10 MB: one segment per row was expected; "
        "accept 'huge-line' if this is meant."
    )
