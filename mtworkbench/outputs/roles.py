"""What the files of a folder are likely to be: their roles in a comparison, by their names and numbers of lines."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence

from mtworkbench.errors import InputError
from mtworkbench.outputs.files.folders import count_segments, sort_by_role
from mtworkbench.outputs.files.naming import COMPRESSED
from mtworkbench.outputs.scores.read import holds_scores

#: What a file can be in a comparison; of `ONE_FILE` there is one at most.
ROLES = ("reference", "output", "documents", "source", "scores")
ONE_FILE = ("documents", "source")
# A folder may hold anything: its lines are counted as long as that takes a few seconds at most, in bytes.
MOST_BYTES = 300_000_000
# What a compressed file may hold more than it is large.
_EXPANSION = 5


def count_lines(files: Sequence[str], most_bytes: int = MOST_BYTES) -> dict[str, int | None]:
    """Count the lines of files, or their segments where they are of another format.

    Parameters
    ----------
    files : sequence of str
    most_bytes : int
        The size of all that are read.

    Returns
    -------
    dict of str to int or None
        None for what is no text, or damaged. Files for which the size did not suffice are left out.
    """
    counts: dict[str, int | None] = {}
    for file in files:
        try:
            size = os.path.getsize(file) * (_EXPANSION if COMPRESSED.search(file) else 1)
            if size <= most_bytes:
                most_bytes -= size
                counts[file] = (count_segments(file) or None) if size else 0
        except (OSError, InputError):
            counts[file] = None
    return counts


def propose_roles(
    files: Sequence[str], counts: Mapping[str, int | None], references: Sequence[str] = ()
) -> dict[str, str]:
    """Propose what the files of a folder are: whatever has as many lines as the reference.

    Parameters
    ----------
    files : sequence of str
    counts : mapping of str to int or None
        The number of lines of each, and of the references, as of `count_lines`.
    references : sequence of str
        Those that are known; else the names of files tell: see `sort_by_role`.

    Returns
    -------
    dict of str to str
        The role of each file that has one, of `ROLES`; empty where nothing can be told.
    """
    named, sources, others, outputs = sort_by_role([file for file in files if file not in references])
    n_outputs = Counter(counts.get(file) for file in outputs)
    # Of references of several test sets, that of the one with most outputs.
    n_lines = max((counts.get(file) for file in references or named), key=lambda n: n_outputs[n], default=None)
    if not n_lines or any(file not in counts for file in outputs):  # rather none than only some of the outputs
        return {}
    fitting = {file for file in files if counts.get(file) == n_lines}
    proposed = {file: "reference" for file in named if file in fitting and not references}
    proposed |= {file: "source" for file in sources[:1] if file in fitting}
    documents = [file for file in others if file in fitting and "doc" in os.path.basename(file).lower()]
    proposed |= dict.fromkeys(documents[:1], "documents")
    for file in outputs:
        if holds_scores(file):
            proposed[file] = "scores"
        elif file in fitting:
            proposed[file] = "output"
    return proposed if "output" in proposed.values() else {file: "reference" for file in proposed if file in named}
