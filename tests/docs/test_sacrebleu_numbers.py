"""What docs/how-to/sacrebleu-numbers.md says of options and texts is so: its commands beside sacreBLEU's own."""

import re
import subprocess
import sys

import pytest

from mtworkbench import cli
from mtworkbench.shipped import find_shipped

from ..layouts.shell import as_shell

PAGE = (find_shipped("docs/how-to") / "sacrebleu-numbers.md").read_text(encoding="utf-8")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
pytestmark = pytest.mark.long


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Make a folder with a reference, another one, and the output of a system."""
    for name, file in {"ref.txt": "reference", "other.txt": "bergamot-base", "base.txt": "bergamot-tiny"}.items():
        lines = (find_shipped("data/flores") / f"{file}.txt").read_bytes().splitlines(keepends=True)[1:41]
        (tmp_path / name).write_bytes(b"".join(lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def score_there(words: str) -> tuple[str, str]:
    """Return the signature and the score of sacreBLEU's command."""
    command = [sys.executable, "-m", "sacrebleu", *words.split(), "-i", "base.txt", "-w", "4", "-f", "text"]
    said = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True).stdout
    found = re.match(r"\w+[+]*\|(\S+) = ([\d.]+)", said)
    assert found, said
    return found[1], found[2]


def score_here(words: str, capsys) -> tuple[str, str]:
    files = "--reference ref.txt --system base=base.txt --output run.stats --quiet"
    assert cli.main(["statistics", *as_shell(f"{files} {words}")]) == 0
    capsys.readouterr()
    assert cli.main(["score", "run.stats"]) == 0
    lines = capsys.readouterr().out.splitlines()
    return lines[3], lines[2].split()[-1]


@pytest.mark.parametrize(
    ("there", "here"),
    [
        ("ref.txt", ""),
        ("ref.txt other.txt", "--reference other.txt"),
        ("ref.txt -lc", "-lc"),
        ("ref.txt -lc", "-m bleu:lowercase=true"),
        ("ref.txt -tok none", "-tok none"),
        ("ref.txt -tok none", "-m bleu:tokenize=none"),
        ("ref.txt -s add-k", "-m bleu:smooth_method=add-k"),
        ("ref.txt -m chrf --chrf-word-order 2", "-m chrf:word_order=2"),
    ],
)
def test_options_of_the_table_mean_the_same(there, here, folder, capsys):
    for option in (there.removeprefix("ref.txt").removeprefix(" other.txt"), here.partition(" other.txt")[0]):
        assert option.strip().removeprefix("-m chrf ") in PAGE
    assert score_here(here, capsys) == score_there(there)


def test_a_byte_order_mark_is_a_part_of_the_first_word_there(folder, capsys):
    unmarked = score_here("", capsys)
    output = folder / "base.txt"
    output.write_bytes(BYTE_ORDER_MARK + output.read_bytes())
    assert score_here("", capsys) == unmarked
    assert score_there("ref.txt")[1] < unmarked[1]


def test_an_empty_line_of_a_further_reference_is_a_reference_there(folder, capsys):
    other = folder / "other.txt"
    other.write_bytes(b"\n" * 40)
    output = folder / "base.txt"
    shortened = [line[: len(line) // 3] for line in output.read_bytes().splitlines()]  # nearer to 0 than to ref.txt
    output.write_bytes(b"".join(line + b"\n" for line in shortened))
    there = score_there("ref.txt other.txt")
    assert score_here("--reference other.txt --accept empty-ref", capsys) == there
    signature, score = score_here("--reference other.txt --accept absent-ref", capsys)
    assert (signature.split("|")[0], there[0].split("|")[0]) == ("nrefs:1", "nrefs:2")
    assert float(score) < float(there[1])


def test_carriage_returns_change_nothing(folder, capsys):
    output = folder / "base.txt"
    plain = score_here("", capsys)
    output.write_bytes(output.read_bytes().replace(b"\n", b"\r\n"))
    assert score_here("", capsys) == score_there("ref.txt") == plain
