"""METEOR 1.5 in Java: texts in, statistics of segments out."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.metrics.meteor_setup import find_jar, find_java, find_paraphrase_table
from mtworkbench.metrics.texts import RunTexts

#: Statistics that the program prints for a segment.
N_STATISTICS = 23
# The paraphrase table alone takes 1.2 GB.
MEMORY = "-Xmx2G"
# Seconds: to read the table, and for each pair of texts, both some twenty times what they usually take.
START_TIMEOUT = 300.0
TEXT_TIMEOUT = 0.2


def align_segments(texts: RunTexts, language: str, modules: Sequence[str], options: Sequence[str]) -> np.ndarray:
    """Let METEOR align the hypotheses of one run with their references.

    Parameters
    ----------
    texts : RunTexts
    language : str
        METEOR's name for it.
    modules : sequence of str
        METEOR's names of the modules.
    options : sequence of str
        Further arguments for METEOR.

    Returns
    -------
    (n_segments, 23) ndarray of int64
        METEOR's own statistics of each segment and its best-scoring reference: words of hypothesis and reference,
        function words of both; for each of four modules matched content words of both and matched function words of
        both; chunks, matched words of both.

    Raises
    ------
    InputError
        Where the jar, the paraphrase table or Java is missing, or the program fails.
    """
    jar = find_jar()
    arguments = ["-l", language, "-m", " ".join(modules), *options]
    if "paraphrase" in modules:
        arguments += ["-a", os.fspath(find_paraphrase_table(jar, language).resolve())]
    java = [find_java(), MEMORY, "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8", "-jar", os.fspath(jar.resolve())]
    n_segments = len(texts.hypotheses)
    with tempfile.TemporaryDirectory(prefix="mtworkbench-meteor-") as name:
        folder = Path(name)
        _write_lines(folder / "hypotheses", texts.hypotheses)
        _write_lines(folder / "references", interleave_references(texts))
        n_references = len(texts.references)
        command = [*java, "hypotheses", "references", "-r", str(n_references), *arguments, "-ssOut"]
        _run(command, folder, START_TIMEOUT + TEXT_TIMEOUT * n_segments * n_references)
        return _read_statistics(folder, n_segments)


def interleave_references(texts: RunTexts) -> list[str]:
    """Return all references, those of a segment one after the other; for an absent one another is repeated.

    METEOR takes the best-scoring reference of a segment, so that a repeated one changes nothing.
    """
    references = []
    for segment in zip(*texts.references, strict=True):
        present = [text for text in segment if text is not None]
        references += present + present[:1] * (len(segment) - len(present))
    return references


def _write_lines(path: Path, texts: Sequence[str]) -> None:
    # To Java, a carriage return ends a line as well.
    lines = (text.replace("\r", " ").replace("\n", " ") + "\n" for text in texts)
    path.write_bytes("".join(lines).encode("utf-8", "replace"))


def _run(command: list[str], folder: Path, timeout: float) -> None:
    """Run METEOR in a folder of its own; what it says goes to files, for nobody reads a pipe meanwhile."""
    import subprocess

    with open(folder / "statistics", "wb") as output, open(folder / "messages", "wb") as messages:
        try:
            ended = subprocess.run(
                command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=messages, timeout=timeout
            )
        except subprocess.TimeoutExpired:
            raise InputError(
                "meteor-failed",
                f"METEOR did not end within {timeout:.0f} seconds and was stopped: try again when the machine has less "
                "to do, or with fewer segments.",
            ) from None
        except OSError as error:
            raise InputError(
                "meteor-failed", f"Java cannot be started ({command[0]!r}: {error.strerror or error})."
            ) from error
    if ended.returncode != 0:
        raise _failure(folder, f"ended with status {ended.returncode}")


def _read_statistics(folder: Path, n_segments: int) -> np.ndarray:
    rows = [line.split() for line in (folder / "statistics").read_text(encoding="utf-8").split("\n") if line.strip()]
    try:
        statistics = np.array(rows, dtype=np.float64)
    except ValueError:
        statistics = np.empty((0, 0))
    if statistics.shape != (n_segments, N_STATISTICS):
        raise _failure(folder, f"printed {len(rows)} lines where statistics of {n_segments} segments were expected")
    return statistics.astype(np.int64)


def _failure(folder: Path, what: str) -> InputError:
    """Make the error for a run that failed, with what Java said."""
    said = b"".join((folder / name).read_bytes()[-2000:] for name in ("messages", "statistics")).decode(
        "utf-8", "replace"
    )
    lines = [line.strip() for line in said.split("\n") if "Exception" in line or "Error" in line]
    reason = f" ({lines[0][:200]!r})" if lines else ""
    hint = ": it needs 2 GB of memory" if "OutOfMemory" in said or "heap" in said else ""
    return InputError("meteor-failed", f"METEOR {what}{reason}{hint}.", found=said.strip() or None)
