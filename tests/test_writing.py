import os
import re
import threading
from pathlib import Path

import pytest

from mtworkbench import make_outputs, writing
from mtworkbench.cli import main
from mtworkbench.errors import InputError
from mtworkbench.outputs.sgml import write_sgml
from mtworkbench.writing import make_folder, name_for_file, replace_file


def test_text_is_written_as_it_is(tmp_path):
    replace_file(tmp_path / "a.txt", "ä\r\nb\n")
    assert (tmp_path / "a.txt").read_bytes() == "ä\r\nb\n".encode()


def test_an_old_file_is_replaced_and_keeps_its_mode(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    path.chmod(0o640)
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["a.bin"]


def test_a_new_file_has_the_mode_of_any_new_file(tmp_path):
    replace_file(tmp_path / "ours", b"")
    (tmp_path / "any").touch()
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "any").stat().st_mode


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, "fsync", full)
    sentence = (
        f"{str(path)!r} cannot be written (No space left on device): "
        "free some space there, or name a file on another disk."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as caught:
        replace_file(path, "new")
    assert caught.value.code == "cannot-write"
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_file_that_is_larger_than_the_disk_allows_is_said(tmp_path, monkeypatch):
    def refuse(descriptor):
        raise OSError(27, "File too large")

    monkeypatch.setattr(writing.os, "fsync", refuse)
    sentence = r"cannot be written \(File too large\): free some space there, or name a file on another disk\.$"
    with pytest.raises(InputError, match=sentence):
        replace_file(tmp_path / "a.txt", "new")
    assert not os.listdir(tmp_path)


def test_a_missing_folder_is_said(tmp_path):
    with pytest.raises(InputError, match="No such file or directory"):
        replace_file(tmp_path / "absent" / "a.txt", "")


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    replace_file(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="has no files for what is open")
def test_a_pipe_that_is_open_is_written_to():
    reading, writing = os.pipe()
    replace_file(f"/dev/fd/{writing}", "through")
    os.close(writing)
    with open(reading) as pipe:
        assert pipe.read() == "through"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    replace_file(pipe, "through")
    reader.join()
    assert read == [b"through"]
    assert pipe.is_fifo()


def test_folders_are_made_where_they_are_missing(tmp_path):
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"cannot be made \(Not a directory\): name one that you may write to\.$"):
        make_folder(tmp_path / "file" / "below")


def test_what_killed_programs_left_behind_is_swept_after_an_hour(tmp_path):
    path = tmp_path / "a.txt"
    names = ("a.txt.0123456789abcdef", "a.txt.fedcba9876543210", "b.txt.0123456789abcdef")
    stale, fresh, other = (tmp_path / f".{name}.part" for name in names)
    for left in (stale, fresh, other):
        left.write_text("half")
    for old in (stale, other):
        os.utime(old, (0, 0))
    replace_file(path, "new")
    assert sorted(os.listdir(tmp_path)) == sorted([fresh.name, other.name, "a.txt"])


def test_a_file_may_have_the_longest_name_there_is(tmp_path):
    path = tmp_path / ("ä" * 127)
    replace_file(path, "new")
    assert path.read_text() == "new"


@pytest.mark.parametrize(
    ("name", "fit"),
    [
        ("A+b_2.0-x", "A+b_2.0-x"),
        ("a/b: c, d", "a_b__c__d"),
        ("..hidden", "_hidden"),
        ("é" * 120, "é" * 100),
        ("語" * 99, "語" * 66),
    ],
)
def test_names_become_fit_for_files(name, fit):
    assert name_for_file(name) == fit


def test_statistics_and_sgml_of_a_system_have_the_same_name(tmp_path, monkeypatch):
    """Notebook 11 finds the one by the other."""
    monkeypatch.chdir(tmp_path)
    outputs = make_outputs(["a reference"], {".my + engine, 2": ["a hypothesis"]})
    (_, written) = write_sgml(outputs, ".")
    assert main(["statistics", "--reference", "ref.sgm", "--system", written.name, "--output", "{system}.stats"]) == 0
    assert Path(f"{written.stem}.stats").exists()


@pytest.mark.parametrize(
    ("name", "fit"),
    [
        ("CON", "_CON"),
        ("nul", "_nul"),
        ("aux.system", "_aux.system"),
        ("lpt9", "_lpt9"),
        ("com\xb9", "_com\xb9"),
        ("conll", "conll"),
        ("my.con", "my.con"),
        ("e\u0301", "\xe9"),
    ],
)
def test_names_become_fit_for_the_files_of_other_platforms(name, fit):
    assert name_for_file(name) == fit


@pytest.mark.filterwarnings("ignore:2 systems have names that look the same:mtworkbench.errors.DataWarning")
@pytest.mark.parametrize("names", [("mt", "MT"), ("e\u0301", "\xe9"), ("x" * 101, "x" * 102)])
def test_systems_whose_files_would_be_one_elsewhere_are_refused_before_anything_is_written(names, tmp_path):
    outputs = make_outputs(["a b c", "d e f"], {names[0]: ["a b", "d"], names[1]: ["b c", "e"]})
    with pytest.raises(InputError, match="would be written to .*, the file of system") as refused:
        write_sgml(outputs, tmp_path / "new")
    assert refused.value.code == "duplicate-file"
    assert not (tmp_path / "new").exists()


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(
        InputError, match="is a folder, but the name of a file was expected: name a file in it"
    ) as refused:
        replace_file(tmp_path, "new")
    assert refused.value.code == "cannot-write"
