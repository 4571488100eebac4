"""Paired tests of scipy, compare-mt and nltk, which run in an environment of their own: `peers-requirements.txt`."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from benchmarks.speed.from_texts import read_flores
from benchmarks.speed.measure import PEERS, Row
from mtworkbench import compute_statistics, make_outputs
from mtworkbench.inference import approximate_randomization, paired_bootstrap

PROGRAM = Path(__file__).parent / "peer_tools.py"
SYSTEMS = ("bergamot-base", "bergamot-tiny")
N_DRAWS = 1000
BOOTSTRAP = "paired bootstrap: 2 systems x 1,012 segments x 1,000 resamples"
TRIALS = "approximate randomization: 2 systems x 1,012 segments x 1,000 trials"
#: The name of each tool, what it is called in `peer_tools`, its work, and how many of the draws it makes.
TOOLS = (
    ("scipy.stats.bootstrap", "scipy_bootstrap", BOOTSTRAP, N_DRAWS),
    ("scipy.stats.permutation_test", "scipy_permutation", TRIALS, N_DRAWS),
    ("compare-mt", "compare_mt", BOOTSTRAP, 20),
    ("nltk", "nltk", BOOTSTRAP, 2),
)


class PeerTools:
    """The other tools at work.

    Parameters
    ----------
    process : subprocess.Popen
        Of `PROGRAM`.
    scores : list of float
        The BLEU of both systems, which each tool must find.
    """

    def __init__(self, process: subprocess.Popen[str], scores: list[float]) -> None:
        self.process, self.scores = process, scores
        self.versions: dict[str, str] = self.read()

    def read(self) -> dict:
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("The program of the other tools ended early: see its message above.")
        return json.loads(line)

    def spend(self, peer: str, draws: int) -> float:
        """Return the CPU seconds that a tool takes for so many draws, as if it had made all."""
        self.process.stdin.write(json.dumps({"peer": peer, "draws": draws}) + "\n")
        self.process.stdin.flush()
        answer = self.read()
        np.testing.assert_allclose(answer["scores"], self.scores, rtol=1e-9, err_msg=f"{peer} computes another BLEU")
        return answer["seconds"] * N_DRAWS / draws


def compute_pair():
    """Return the outputs of both systems, and their statistics."""
    texts = read_flores()
    statistics = compute_statistics(
        make_outputs(texts.reference, {name: texts.systems[name] for name in SYSTEMS}), "bleu"
    )
    return texts, [statistics[name] for name in SYSTEMS]


@contextmanager
def open_peers(python: str) -> Iterator[PeerTools]:
    """Start the other tools, with the Python of their environment."""
    texts, systems = compute_pair()
    split = Tokenizer13a()
    data = {
        "reference": [split(line).split() for line in texts.reference],
        "outputs": [[split(line).split() for line in texts.systems[name]] for name in SYSTEMS],
        "statistics": [system.values[0].tolist() for system in systems],
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.json"
        path.write_text(json.dumps(data), encoding="utf-8")
        command = [python, str(PROGRAM), str(path)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            yield PeerTools(process, [float(system.score()[0, 0]) for system in systems])
            process.stdin.close()


def make_rows(tools: PeerTools | None) -> Iterator[Row]:
    """Prepare the rows one by one; without the other tools their times are left out."""
    _, (a, b) = compute_pair()
    work = {
        BOOTSTRAP: lambda: paired_bootstrap(a, b, n_resamples=N_DRAWS, method="percentile", unit="segment", rng=1),
        TRIALS: lambda: approximate_randomization(a, b, n_trials=N_DRAWS, unit="segment", rng=1),
    }
    for name, peer, what, draws in TOOLS:
        part = f"{draws} of {N_DRAWS:,} resamples" if draws < N_DRAWS else ""
        theirs = partial(tools.spend, peer, draws) if tools else None
        yield Row(PEERS, what, work[what], theirs, peer=name, part=part)
