"""The memory that the program takes: the texts of one system at a time, however many there are."""

import tracemalloc

import pytest

from mtworkbench import cli

N_SEGMENTS = 4_000


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """A reference and outputs of 1 MB each; they have few words, for words are looked at in all outputs together."""
    folder = tmp_path_factory.mktemp("texts")
    for system in range(7):
        lines = (f"{chr(97 + system) * 300} {number:05}\n" for number in range(N_SEGMENTS))
        (folder / f"{system}.txt").write_text("".join(lines))
    return folder


def peak(texts, n_systems, *arguments):
    """Return the largest size of all that was allocated by a command at one time, in bytes."""
    systems = [f"--system={system}={texts / f'{system}.txt'}" for system in range(1, n_systems + 1)]
    tracemalloc.start()
    try:
        assert cli.main([*arguments, "--reference", str(texts / "0.txt"), *systems]) == 0
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.long
def test_further_systems_take_no_memory_for_their_texts(texts, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command = ["statistics", "--metric", "length", "--output", "run.stats"]
    peak(texts, 1, *command)  # what is imported is not counted
    two, six = peak(texts, 2, *command), peak(texts, 6, *command)
    size = (texts / "1.txt").stat().st_size
    assert size < two < 24 * size  # the checks keep some numbers per line of the file that they look at
    assert six < 1.5 * two
    assert capsys.readouterr() == ("", "")
