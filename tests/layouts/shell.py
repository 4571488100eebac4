"""What a shell does before a program starts: files in a folder, and words of a line."""

import glob
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from .layout import Files


def write(folder: Path, files: Files) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def as_shell(line: str) -> Iterator[str]:
    """The words of a line; patterns without quotation marks become the names of files in the current folder."""
    for word in shlex.split(line, posix=False):
        if "*" in word and not re.search("['\"]", word):
            yield from sorted(glob.glob(word))
        else:
            yield from shlex.split(word)
