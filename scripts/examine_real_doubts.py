"""See whether faults of real files would change verdicts, and write ``docs/doubts.md``.

    python scripts/examine_real_doubts.py [LONG XML EVAL]

LONG is a folder of test sets, ``ref/*.en`` and ``sys/ENGINE/*.en``; XML one of WMT's XML files; EVAL one in the layout
of mt-metrics-eval. The outputs are not part of this repository: ``data/real/README.md`` says what they are. Without
the folders, the page is written again from ``data/real/doubts.csv``.
"""  # noqa: D214, D405

import os
import sys
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from mtworkbench import DataWarning, read_mt_metrics_eval, read_outputs, read_wmt_xml
from mtworkbench.analyses import examine_doubts, inspect_outputs
from mtworkbench.outputs.repairs import REPAIRS
from mtworkbench.shipped import find_shipped
from mtworkbench.tables import frame_to_csv, frame_to_markdown
from mtworkbench.wording import listed, tally

os.environ["MTWORKBENCH_CACHE"] = "off"  # what is stored is computed by the code that is here
PAGE = Path(__file__).parents[1] / "docs" / "doubts.md"
METRICS = ["bleu", "chrf"]
#: What is there beside the entities: in which test set, and which systems of it have most of it.
OTHERS = {
    "wmt12": "invisible-chars",
    "wmttest2022.en-liv": "normalization",
    "wmt23.he-en": "tokenization",
    "wmttest2023.uk-en": "tokenization",
}


def read_all(long: Path, xml: Path, layout: Path) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Read the test sets one after the other, each with its name and a code that is looked at."""
    for reference in sorted((long / "ref").iterdir()):
        systems = {engine.name: engine / reference.name for engine in sorted((long / "sys").iterdir())}
        outputs = read_outputs(reference, systems)
        yield reference.stem, "html-entities", outputs
        if reference.stem in OTHERS:
            yield reference.stem, OTHERS[reference.stem], outputs
    for file in sorted(xml.glob("*.xml")):
        if (name := file.name.removesuffix(".all.xml").removesuffix(".xml")) in OTHERS:
            yield name, OTHERS[name], read_wmt_xml(file)
    outputs = read_mt_metrics_eval(layout / "wmt23", "he-en")
    named = outputs["system"].str.startswith(("ref", "synthetic"))
    yield "wmt23.he-en", OTHERS["wmt23.he-en"], outputs[~named].reset_index(drop=True)


def examine(name: str, code: str, outputs: pd.DataFrame) -> pd.DataFrame:
    """Examine one fault of one test set: what is found with it and without it, for each pair that it concerns."""
    found = examine_doubts(outputs, METRICS, codes=[code], rng=1)
    noticed = [doubt for doubt in inspect_outputs(outputs).doubts if doubt.code == code]
    concerned = {system for doubt in noticed for system in doubt.systems}
    if concerned:
        found = found[found["a"].isin(concerned) | found["b"].isin(concerned)]
    shares = "; ".join(f"{listed(one.systems or ('references',))} {one.n_found:,} ({one.share:.1%})" for one in noticed)
    return found.drop(columns="systems").assign(test_set=name, noticed=shares, n_segments=outputs["segment"].nunique())


def describe(found: pd.DataFrame) -> str:
    """Write the page from what was found."""
    entities = found[found["code"] == "html-entities"]
    turned = entities[entities["verdict_changes"] & entities["better"].notna() & entities["better_without"].notna()]
    changed = int(entities["verdict_changes"].sum())
    sets = entities["test_set"].nunique()
    example = turned.loc[(turned["difference_without"] - turned["difference"]).abs().idxmax()]
    parts = [
        "# Would the verdict change?",
        fill(
            "A fault in a file may or may not change a verdict. `mtworkbench compare` tells you: it repairs what can "
            "be repaired automatically, in memory, in outputs and references alike, and compares again with the "
            "same seed. The result that it prints is that of the files as they are, unless you ask for the repair "
            "(`--repair CODE`); then every result says so, and every signature says `repaired:CODE`. Not every fault "
            "can be repaired."
        ),
        fill(
            "`mtworkbench check` lists the faults before anything is scored. In Python, "
            "`mtworkbench.analyses.inspect_outputs` does so, `mtworkbench.analyses.examine_doubts` returns what would "
            "change, and `mtworkbench.outputs.repair_outputs` repairs. In a shell script, this line stops at any fault "
            "that may change a verdict, also under `set -e`:"
        ),
        "```sh\nif ! mtworkbench check ref.txt sys/* --strict; then exit 1; fi\n```",
        fill(
            "What is found depends on which systems are checked together, because each is compared with the others: "
            "check all systems of a paper in one call, with the source if there is one. A file in which nothing is "
            "found can still be wrong: [how often faults are found](reliability.md) was measured."
        ),
        "\n".join(
            [
                "| code | what `--repair` does |",
                "|---|---|",
                *(f"| `{one.code}` | {one.what} |" for one in REPAIRS.values()),
            ]
        ),
        fill(
            "If segments are left out because a system failed in them, the result flatters this system: it says only "
            "how good the other segments are."
        ),
        fill(
            "The faults below were found in outputs from public repositories. All "
            "numbers are computed by `scripts/examine_real_doubts.py` (`data/real/doubts.csv`; BLEU and chrF, all "
            "pairs of systems, p adjusted by max-T, `rng=1`)."
        ),
        "## HTML entities",
        fill(
            f"The outputs of one of five engines were stored as HTML. On {sets} test sets, {changed:,} of the "
            f"{len(entities):,} verdicts about this engine change if HTML entities are unescaped. In {len(turned):,} "
            f"of these, the other system is then shown to be better. On {example['test_set']}, for example, "
            f"{example['a']} - {example['b']} is {example['difference']:+.2f} {example['metric']} as stored and "
            f"{example['difference_without']:+.2f} unescaped."
        ),
        _tabulate(entities).rstrip("\n"),
        "## Other faults",
    ]
    others = found[found["code"] != "html-entities"].groupby(["test_set", "code"], sort=False)
    parts += [fill(_describe_other(str(name), str(code), part), "  ") for (name, code), part in others]
    return "\n\n".join(parts) + "\n"


def fill(text: str, indent: str = "") -> str:
    """Break a paragraph into lines."""
    return textwrap.fill(text, 120, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)


def _tabulate(entities: pd.DataFrame) -> str:
    rows = []
    for name, part in entities.groupby("test_set", sort=False):
        changes = part[part["verdict_changes"]]
        rows.append(
            {
                "test set": name,
                "segments with entities": part["noticed"].iloc[0],
                "verdicts": str(len(part)),
                "verdicts that change": str(len(changes)),
                "other system shown to be better": str(
                    int((changes["better"].notna() & changes["better_without"].notna()).sum())
                ),
            }
        )
    return frame_to_markdown(pd.DataFrame(rows))


def _describe_other(name: str, code: str, part: pd.DataFrame) -> str:
    """Say of one fault what it changes."""
    changes = part[part["verdict_changes"]]
    noticed = part["noticed"].iloc[0]
    where = f"segments: {noticed}" if isinstance(noticed, str) and noticed else "no check warns of it"
    said = f"- **`{code}`** on {name} ({where}): {len(changes):,} of {tally(len(part), 'verdict')} "
    said += "changes." if len(changes) == 1 else "change."
    for one in changes.itertuples():
        said += (
            f" {one.a} - {one.b} is {one.difference:+.2f} {one.metric} (p = {one.p_value:.4f}) as stored, and "
            f"{one.difference_without:+.2f} (p = {one.p_value_without:.4f}) after the repair."
        )
    largest = part.loc[(part["difference_without"] - part["difference"]).abs().idxmax()]
    moved = largest["difference_without"] - largest["difference"]
    return f"{said} The repair changes a difference by {abs(moved):.2f} {largest['metric']} at most."


def main() -> None:
    """Examine all, or take what was found, and write the page."""
    table = find_shipped("data/real") / "doubts.csv"
    if len(sys.argv) > 1:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            found = pd.concat([examine(*one) for one in read_all(*map(Path, sys.argv[1:4]))], ignore_index=True)
        first = ["test_set", "code", "noticed", "n_segments"]
        found = found[[*first, *found.columns.drop(first)]]
        table.write_text(frame_to_csv(found), encoding="utf-8")
    PAGE.write_text(describe(pd.read_csv(table)), encoding="utf-8")


if __name__ == "__main__":
    main()
