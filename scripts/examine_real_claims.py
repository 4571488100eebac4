"""Put numbers to Koehn's claims on real outputs, for the column ``real`` of the table of claims.

    python scripts/examine_real_claims.py LONG MULTI

LONG is a folder of test sets in sequence, ``ref/*.en`` and ``sys/ENGINE/*.en``; MULTI one with several references,
``refs/*.de`` and ``sys/*``. The outputs are not part of this repository: ``data/real/README.md`` says what they are.
"""  # noqa: D214, D405

import html
import os
import sys
from pathlib import Path

import pandas as pd

from mtworkbench import compute_statistics, make_outputs, read_outputs
from mtworkbench.metrics import Bleu, Gtm
from mtworkbench.papers import koehn2004
from mtworkbench.shipped import find_shipped
from mtworkbench.tables import frame_to_csv

os.environ["MTWORKBENCH_CACHE"] = "off"  # what is stored is computed by the code that is here


def read_sequence(folder: Path) -> pd.DataFrame:
    """Read several test sets as one, in the order of their names."""
    names = sorted(path.name for path in (folder / "ref").iterdir())

    def lines(place: Path) -> list[str]:
        return [line for name in names for line in (place / name).read_text(encoding="utf-8").split("\n")[:-1]]

    systems = {place.name: lines(place) for place in sorted((folder / "sys").iterdir())}
    return unescape_html(make_outputs([lines(folder / "ref")], systems), "google")


def unescape_html(outputs: pd.DataFrame, system: str) -> pd.DataFrame:
    """Replace HTML entities in the hypotheses of one system by the characters that they stand for; say in how many.

    Google's outputs were stored as its interface returned them: as HTML, with ``&quot;`` for a quotation mark and
    ``&#39;`` for an apostrophe, in 31 % of the lines. That is a fault of the collection, not of the translations. The
    other engines' outputs were stored as text, so an entity in them is left as it is.
    """
    mine = outputs["system"] == system
    plain = outputs.loc[mine, "hypothesis"].map(html.unescape)
    changed = int((plain != outputs.loc[mine, "hypothesis"]).sum())
    sys.stdout.write(f"{system}: HTML entities replaced in {changed:,} of {int(mine.sum()):,} lines\n")
    return outputs.assign(hypothesis=plain.reindex(outputs.index).fillna(outputs["hypothesis"]))


def main() -> None:
    """Examine both and write the column."""
    long, multi = (Path(argument) for argument in sys.argv[1:3])
    sequence = read_sequence(long)
    statistics = compute_statistics(sequence, "bleu")
    sys.stdout.writelines(f"{engine}: BLEU {scores[0, 0]:.2f}\n" for engine, scores in statistics.score().items())
    claims = koehn2004.examine_claims(statistics, rng=1)
    outputs = read_outputs(
        sorted((multi / "refs").iterdir()), {path.name: path for path in sorted((multi / "sys").iterdir())}
    )
    references = koehn2004.examine_reference_claims(unescape_html(outputs, "google.de"), rng=1)
    some = sequence[sequence["segment"] % 15 == 1]  # GTM takes long
    at_lengths = koehn2004.vary_lengths(some, koehn2004.ordered_pairs(statistics)[0], rng=1)
    lengths = koehn2004.score_lengths(at_lengths, (0.85, 1.0), [Bleu(), Gtm(exponent=2, tokenize="13a")])
    shorter = koehn2004.examine_length_claims(lengths)
    target = find_shipped("data/real") / "koehn2004_claims.csv"
    target.write_text(frame_to_csv(pd.concat([claims, references, shorter], ignore_index=True)), encoding="utf-8")


if __name__ == "__main__":
    main()
