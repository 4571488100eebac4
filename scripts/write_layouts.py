"""Write docs/layouts.md: ways in which people keep outputs and scores, and the command that reads each.

    python scripts/write_layouts.py

The page is made of tests/layouts, whose commands tests/test_layouts.py tries.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
if str(ROOT) not in sys.path:  # the layouts are in tests/
    sys.path.insert(0, str(ROOT))

from mtworkbench.writing import replace_file  # noqa: E402
from tests.layouts import GROUPS, LAYOUTS  # noqa: E402
from tests.layouts.layout import Layout  # noqa: E402
from tests.layouts.texts import SETS, SYSTEMS  # noqa: E402

PAGE = ROOT / "docs" / "layouts.md"
#: What tells the files of systems, runs and test sets apart.
OF_ONE = re.compile("|".join((*SYSTEMS, *SETS, "[0-9]+")))
BEGINNING = """\
# Layouts: which command reads your files?

People keep outputs and scores in many ways; these are {number}. Find the row that looks like your files, and put your
names in place of `baseline`, `tweaked` and `retrained`, which stand for systems.

`compare` says how it read the files. If it took a file for another system or run than you meant, name the systems:
`--reference ref.txt --system baseline='out/baseline*' --system tweaked='out/tweaked*'`. The other commands (`check`,
`statistics`, `plan` and so on; `mtworkbench` lists them) take outputs in the same ways.

Dots stand for the same files of other systems, runs or test sets. The last column says where such names and forms were
seen: a public repository, and a file or folder in it. `campaign.tsv` has one row per test set and system, with the
columns `set`, `reference`, `system` and `files`, separated by tabs.

{contents}
"""


def write_page() -> str:
    """Return the page."""
    contents = " · ".join(f"[{heading}](#{heading.lower().replace(',', '').replace(' ', '-')})" for heading in GROUPS)
    parts = [BEGINNING.format(number=len(LAYOUTS), contents=contents)]
    parts += [f"## {heading}\n\n{_write_table(layouts)}" for heading, layouts in GROUPS.items()]
    return "\n".join(parts)


def _write_table(layouts: Sequence[Layout]) -> str:
    rows = ["| what you have | files | command | seen in |", "|---|---|---|---|"]
    rows += [f"| {' | '.join(_cells(layout))} |" for layout in layouts]
    return "".join(f"{row}\n" for row in rows)


def _cells(layout: Layout) -> Iterator[str]:
    yield layout.what
    yield "<br>".join(_choose(list(layout.files())))
    yield "<br>".join(map(_as_code, (layout.command or layout.python).splitlines()))
    yield layout.source


def _choose(files: Sequence[str]) -> Iterator[str]:
    """Choose the first file of each kind; dots where further systems, runs or test sets have such a file.

    What is in a hidden folder is another program's.
    """
    kinds: dict[str, list[str]] = {}
    for file in (one for one in files if not one.startswith(".")):
        kinds.setdefault(OF_ONE.sub("", file), []).append(file)
    for first, *others in kinds.values():
        yield f"{_as_code(first)}{' ...' if others else ''}"


def _as_code(line: str) -> str:
    return f"`{line}`"


if __name__ == "__main__":
    replace_file(PAGE, write_page().encode())
