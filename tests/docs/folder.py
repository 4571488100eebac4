"""The folder in which the examples of the documentation run: a part of the made-up sample under the pages' names."""

import json
from functools import cache
from pathlib import Path

from mtworkbench.shipped import find_shipped

from ..layouts.layout import Files
from ..layouts.shell import write
from ..layouts.texts import lines

RUNS = (1, 2, 3)
#: `base` and `new` are far enough apart for a small test set to show the difference.
SYSTEMS = {"base": "baseline", "new": "retrained"}
FOLDER = {
    "online-A": ("baseline", 1),
    "online-B": ("tweaked", 1),
    "online-C": ("tweaked", 2),
    "online-D": ("retrained", 1),
    "online-E": ("retrained", 2),
}
#: The first of the documents of each test set, and how many there are. In the first, `new` is shown to be better.
TEST_SET, DEV_SET = 3, 77
SETS = {"wmt21": 19, "wmt22": 35, "wmt23": 51}
N_DOCUMENTS = 16


@cache
def read(file: str) -> list[str]:
    return (find_shipped("data/sample") / file).read_text(encoding="utf-8").splitlines()


def pick(file: str, first: int) -> list[str]:
    """Return the lines of a test set that begins with a document."""
    wanted = {f"doc{number:02}" for number in range(first, first + N_DOCUMENTS)}
    return [line for line, document in zip(read(file), read("documents.txt"), strict=True) if document in wanted]


def score(output: str, reference: str) -> float:
    """Return a made-up score: the share of the reference's words that the output has."""
    return round(len({*output.split()} & {*reference.split()}) / len({*reference.split()}), 4)


@cache
def make_files() -> Files:
    """Return the content of each file, by its path in the folder."""
    reference = pick("reference.txt", TEST_SET)
    source = [" ".join(reversed(line.split())) for line in reference]
    files = {"ref.txt": reference, "src.txt": source, "docs.txt": pick("documents.txt", TEST_SET)}
    files["dev.ref"] = pick("reference.txt", DEV_SET)
    campaign = ["set\treference\tsystem\tfiles"]
    for name, first in SETS.items():
        files[f"ref/{name}.txt"] = pick("reference.txt", first)
    for system, shipped in SYSTEMS.items():
        files[f"{system}.txt"] = pick(f"{shipped}.run1.txt", TEST_SET)
        for run in RUNS:
            files[f"hyps.{system}.opt{run - 1}"] = pick(f"{shipped}.run{run}.txt", TEST_SET)
            files[f"dev.{system}.opt{run - 1}"] = pick(f"{shipped}.run{run}.txt", DEV_SET)
        for name, first in SETS.items():
            files[f"{system}/{name}.txt"] = pick(f"{shipped}.run1.txt", first)
            campaign.append(f"{name}\tref/{name}.txt\t{system}\t{system}/{name}.txt")
    files["campaign.tsv"] = campaign
    files |= {f"sys/{name}.txt": pick(f"{shipped}.run{run}.txt", TEST_SET) for name, (shipped, run) in FOLDER.items()}
    comet = {
        f"{system}.txt": [
            {"src": one, "mt": two, "ref": three, "COMET": score(two, three)}
            for one, two, three in zip(source, files[f"{system}.txt"], reference, strict=True)
        ]
        for system in SYSTEMS
    }
    return {name: lines(content) for name, content in files.items()} | {"comet.json": json.dumps(comet)}


def make_folder(folder: Path) -> None:
    """Write the files into a folder."""
    write(folder, make_files())
