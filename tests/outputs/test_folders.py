"""Which files are meant by a folder whose outputs are in folders of their own."""

import pytest

from mtworkbench.outputs.files.folders import count_segments, files_in, outputs_in
from mtworkbench.outputs.text import read_outputs

from .reading import noticing, refusal

TEXT = ["The cat sees the old dog.", "A dog runs in the red house.", "The new cat sleeps on it."]


def write(path, lines=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in TEXT if lines is None) or "x\n" * lines)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "ref.txt")
    return tmp_path


def meant(*folders):
    return outputs_in(folders, ["ref.txt"])[0]


def test_the_one_file_of_each_folder_is_meant(folder):
    for name in ("base-2/pred.txt", "base/pred.txt", "base/.hidden/x.txt"):
        write(folder / "out" / name)
    assert meant("out") == meant("out/base", "out/base-2") == ["out/base/pred.txt", "out/base-2/pred.txt"]
    write(folder / "out" / "README.md")
    assert meant("out") == ["out/base/pred.txt", "out/base-2/pred.txt"]


def test_of_many_files_the_one_with_as_many_segments_is_meant(folder):
    """A folder of Joey NMT, with the outputs of the dev set and of the test set, and of Hugging Face's Trainer."""
    for system in ("a", "b"):
        for seed in (1, 2):
            inner = folder / "out" / system / f"seed-{seed}"
            write(inner / "00000000.hyps.test")
            for name, lines in (("00000000.hyps.dev", 2), ("validations.txt", 9), ("train.log", 3), ("config.yaml", 3)):
                write(inner / name, lines)
            write(inner / "checkpoint-500" / "trainer_state.json")
            write(inner / "ref.txt")  # a copy of the reference
            write(inner / "targets.txt")  # another
            (inner / "targets.txt").write_text((folder / "ref.txt").read_text())
            (inner / "00000000.hyps.test").write_text(f"{system} {seed}\n" * 3)
            (inner / "best.model").write_bytes(b"\0" * 3)
            (inner / "state").write_bytes(b"\0\n" * 3)
    expected = [f"out/{system}/seed-{seed}/00000000.hyps.test" for system in "ab" for seed in (1, 2)]
    assert meant("out") == meant("out/a", "out/b") == expected
    assert meant("out/a") == expected[:2]


def test_the_name_of_the_reference_is_meant_among_several_test_sets(folder):
    for name in ("a/wmt13.en", "a/wmt14.en", "b/wmt13.en", "b/wmt14.en"):
        write(folder / "sys" / name, 3)
    write(folder / "wmt13.en")
    assert outputs_in(["sys"], ["wmt13.en"])[0] == ["sys/a/wmt13.en", "sys/b/wmt13.en"]


def test_folders_of_runs_hold_one_file_per_system(folder):
    for name in ("seed1/a.txt", "seed1/b.txt", "seed2/a.txt", "seed2/b.txt"):
        write(folder / "out" / name, 3)
    assert meant("out") == [f"out/seed{seed}/{system}.txt" for seed in (1, 2) for system in "ab"]


def test_a_folder_alone_is_looked_into(folder):
    for name in ("x/out/a/pred.txt", "x/out/b/pred.txt", "y/sys/a.txt", "y/sys/b.txt", "z/seed1/pred.txt"):
        write(folder / name, 3)
    write(folder / "y" / "sys" / "notes", 2)
    assert meant("x") == ["x/out/a/pred.txt", "x/out/b/pred.txt"]
    assert meant("y") == ["y/sys/a.txt", "y/sys/b.txt"]
    assert meant("z") == ["z/seed1/pred.txt"]


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (
            ["a/dev.txt", "a/test.txt", "b/dev.txt", "b/test.txt"],
            "The outputs: it is not clear which files in 'out' you mean: name one of the patterns 'out/*/dev.txt' or "
            "'out/*/test.txt'.",
        ),
        (
            ["in/a/dev.txt", "in/a/test.txt", "in/b/dev.txt", "in/b/test.txt"],
            "The outputs: it is not clear which files in 'out/in' you mean: name one of the patterns "
            "'out/in/*/dev.txt' or 'out/in/*/test.txt'.",
        ),
        (
            ["a/seed1/pred.txt", "b/seed1/pred.txt", "logs/x.log"],
            "The outputs: 'out/logs' has no file like 'out/a/seed1/pred.txt': name the files, as in "
            "'out/*/seed*/pred.txt'.",
        ),
        (["a/x.log", "b/x.json"], "The outputs: there is no text in the folders of 'out': name the files."),
        (
            ["a/pred.txt", "c.txt"],
            "The outputs: 'out' contains a folder 'a': name the files, or a folder that contains only files.",
        ),
    ],
)
def test_what_is_not_clear_is_refused_with_what_to_name(folder, names, sentence):
    for name in names:
        write(folder / "out" / name, 3)
    error = refusal(outputs_in, ["out"], ["ref.txt"])
    assert (error.code, str(error)) == ("folder", sentence)


def test_several_folders_of_systems_are_read_as_before(folder):
    for name in ("2023/a.txt", "2023/b.txt", "2024/a.txt", "2024/b.txt"):
        write(folder / name, 3)
    assert meant("2023", "2024") == ["2023/a.txt", "2023/b.txt", "2024/a.txt", "2024/b.txt"]


def test_a_run_without_the_output_of_a_system_is_refused(folder):
    """Else the systems that all runs have would be all: here, the runs of A would be compared as systems."""
    for name in ("seed1/A.txt", "seed1/B.txt", "seed2/A.txt"):
        write(folder / "out" / name)
    write(folder / "out" / "seed2" / "notes.txt", 9)
    sentence = "The outputs: 'out/seed2' has no file like 'out/seed1/B.txt', so a run of a system seems to be missing"
    for folders in (["out"], ["out/seed1", "out/seed2"]):
        error = refusal(outputs_in, folders, ["ref.txt"])
        assert (error.code, str(error)) == ("folder", f"{sentence}: add it, or name the files that are meant.")
    write(folder / "out" / "seed2" / "B.txt")
    assert meant("out") == [f"out/seed{seed}/{name}.txt" for seed in (1, 2) for name in "AB"]


def test_segments_of_a_text_are_counted(folder):
    (folder / "x.txt").write_text("a\nb")
    (folder / "y.bin").write_bytes(b"a\0\nb\n")
    assert [count_segments(name) for name in ("ref.txt", "x.txt", "y.bin")] == [3, 2, 0]


def test_python_takes_folders_of_folders(folder):
    for system, seed in (("a", 42), ("a", 123), ("b", 42), ("b", 123)):
        write(folder / "out" / f"{system}-{seed}" / "pred.txt")
    outputs, noticed = noticing(read_outputs, "ref.txt", "out")
    runs = outputs[["system", "run_name"]].drop_duplicates()
    assert runs.values.tolist() == [["a", "42"], ["a", "123"], ["b", "42"], ["b", "123"]]
    assert "treated as runs of 2 systems" in noticed["files-by-name"].message
    assert files_in("out", "The outputs", ["ref.txt"])[0] == "out/a-42/pred.txt"
