"""The small made-up sample: written by its script, and as its data card says."""

import re
from pathlib import Path

import numpy as np
import pytest
import sacrebleu

from scripts.write_sample import NOISE_SHARE, find_latent, make_sample, write_sample

SAMPLE = Path(__file__).parents[3] / "data" / "sample"


@pytest.fixture(scope="module")
def sample():
    return make_sample()


def read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="ascii").split("\n")[:-1]


def test_shipped_files_are_what_the_script_writes(sample, tmp_path):
    paths = write_sample(sample, tmp_path)
    assert len(paths) == 2 + 9
    for path in paths:
        assert path.read_bytes() == (SAMPLE / path.name).read_bytes(), path.name


@pytest.mark.long
def test_bleu_is_as_the_data_card_says():
    card = (SAMPLE / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", card, flags=re.MULTILINE)
    assert [row[0] for row in rows] == ["baseline", "tweaked", "retrained"]
    reference = read_lines(SAMPLE / "reference.txt")
    for system, *printed, mean in rows:
        runs = [read_lines(SAMPLE / f"{system}.run{run}.txt") for run in (1, 2, 3)]
        scores = [sacrebleu.corpus_bleu(hypotheses, [reference]).score for hypotheses in runs]
        plain = [sacrebleu.corpus_bleu(hypotheses, [reference], tokenize="none").score for hypotheses in runs]
        assert scores == plain
        assert [f"{score:.2f}" for score in scores] == printed
        assert f"{sum(scores) / 3:.2f}" == mean


def test_files_have_no_empty_line_and_whole_documents():
    for path in SAMPLE.glob("*.txt"):
        lines = read_lines(path)
        assert len(lines) == 2000, path.name
        assert all(lines), path.name
    documents = read_lines(SAMPLE / "documents.txt")
    changes = 1 + sum(first != second for first, second in zip(documents, documents[1:], strict=False))
    assert changes == len(set(documents)) == 92


def test_runs_differ_by_their_share_of_the_noise(sample):
    system = sample.design.systems[0]
    effects = np.repeat(sample.segment_effects[0], sample.reference.lengths)
    noises = [find_latent(sample, system, run) - effects for run in (1, 2)]
    assert np.corrcoef(noises)[0, 1] == pytest.approx(1 - NOISE_SHARE, abs=0.02)
