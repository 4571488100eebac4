"""Hold a made-up corpus against what Koehn (2004) prints, and say what was demanded.

    python scripts/check_koehn2004.py 1 20      seeds 1 to 20, as CSV on standard output

`check_corpus` is what the tests call on the shipped seed; this program gives the spread over other seeds.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parent.parent
if str(ROOT) not in sys.path:  # another script tunes the systems
    sys.path.insert(0, str(ROOT))

from mtworkbench.papers.koehn2004 import (  # noqa: E402
    bin_conclusions,
    conclude_on_sizes,
    difference_samples,
    interval_samples,
    score_samples,
    tabulate_conclusions,
)
from mtworkbench.resampling import block_samples, broad_samples  # noqa: E402
from mtworkbench.shipped import find_shipped  # noqa: E402
from mtworkbench.statistics.segment_statistics import SegmentStatistics  # noqa: E402
from scripts.calibrate_koehn2004 import (  # noqa: E402
    compute_statistics,
    koehn2004_targets,
    measure_quality,
    read_calibration,
    tune,
)

#: How far a cell of Table 3 may be from the paper's, in points, by sample size.
TABLE3_TOLERANCES = {100: 10, 300: 10, 600: 8, 3000: 0}
#: Cells of Table 3 of which nothing was demanded.
NOT_DEMANDED = {("Portuguese", "Danish", 600), ("Portuguese", "Danish", 3000)}


@dataclass(frozen=True)
class Check:
    """One quantity of the paper: what the paper says, what was demanded, and what a corpus has.

    Parameters
    ----------
    quantity : str
    paper : float
    lowest, highest : float
        What was demanded.
    here : float
    """

    quantity: str
    paper: float
    lowest: float
    highest: float
    here: float

    @property
    def met(self) -> bool:
        """Whether the corpus has what was demanded."""
        return self.lowest - 1e-9 <= self.here <= self.highest + 1e-9


def near(quantity: str, paper: float, tolerance: float, here: float) -> Check:
    """Demand a quantity within a tolerance of the paper's."""
    return Check(quantity, paper, paper - tolerance, paper + tolerance, here)


def check_table1(statistics: SegmentStatistics) -> list[Check]:
    """Check precisions and BLEU on the whole test set (Table 1)."""
    checks = []
    for system, target in koehn2004_targets().items():
        here = measure_quality(statistics[system].values[0])
        for name, tolerance in (("precision_1", 0.25), ("precision_4", 0.1), ("bleu", 0.05)):
            checks.append(near(f"Table 1: {name} of {system}", getattr(target, name), tolerance, getattr(here, name)))
    return checks


def check_samples(statistics: SegmentStatistics, rng: int) -> list[Check]:
    """Check blocks, broad samples, differences and intervals (Figs. 2, 3, 4 and 6)."""
    n = len(statistics.test_set)
    spanish, broad = statistics["Spanish"], broad_samples(n, 100)
    blocks = score_samples(spanish, block_samples(n, 300))["score"]
    scores = score_samples(spanish, broad)["score"]
    differences = difference_samples(spanish, statistics["Danish"], broad)["difference"]
    intervals = {system: interval_samples(statistics[system], broad, rng=rng) for system in statistics}
    widths = {system: (frame["high"] - frame["low"]).mean() / 2 for system, frame in intervals.items()}
    misses = {system: (~frame["covers"]).sum() for system, frame in intervals.items()}
    return [
        near("Fig. 2: lowest BLEU of Spanish on blocks", 21, 2.5, blocks.min()),
        near("Fig. 2: highest BLEU of Spanish on blocks", 37, 2.5, blocks.max()),
        near("Fig. 3: lowest BLEU of Spanish on broad samples", 27, 1, scores.min()),
        near("Fig. 3: highest BLEU of Spanish on broad samples", 31, 1, scores.max()),
        Check("Fig. 4: largest difference of Spanish and Danish", 4, 3.3, 5.3, differences.max()),
        Check("Fig. 4: samples with a negative difference", 1, 0, 4, (differences < 0).sum()),
        Check("Fig. 6: intervals that miss, mean of six systems", 3, 2, 7, sum(misses.values()) / len(misses)),
        Check("Fig. 6: mean half width, Spanish", (2.1 + 2.75) / 2, 1.7, 2.8, widths["Spanish"]),
        Check("Fig. 6: mean half width, mean of six systems", float("nan"), 1.7, 2.8, sum(widths.values()) / 6),
    ]


def check_conclusions(statistics: SegmentStatistics, rng: int) -> list[Check]:
    """Check the conclusions by paired bootstrap (Figs. 7 and 8, Tables 3 and 4)."""
    table3 = pd.read_csv(find_shipped("data/published/koehn2004_table3.csv"))
    table4 = pd.read_csv(find_shipped("data/published/koehn2004_table4.csv"))
    pairs = list(dict.fromkeys(zip(table3["a"], table3["b"], strict=True)))
    conclusions = conclude_on_sizes(statistics, pairs, rng=rng)
    cells = tabulate_conclusions(conclusions).set_index(["a", "b", "size"])
    checks = []
    for row in table3.itertuples():
        key = (row.a, row.b, row.size)
        tolerance = float("inf") if key in NOT_DEMANDED else TABLE3_TOLERANCES[row.size]
        for kind in ("correct_percent", "wrong_percent"):
            name = f"Table 3: {row.a}, {row.b}, {row.size}, {kind}"
            checks.append(near(name, getattr(row, kind), tolerance, cells.loc[key, kind]))
    spanish, portuguese = cells.loc[("Spanish", "Danish", 300)], cells.loc[("Portuguese", "Danish", 300)]
    right, wrong = portuguese["correct_percent"], portuguese["wrong_percent"]
    checks += [
        Check("Fig. 7: conclusions for Spanish", 65, 57, 75, spanish["correct_percent"]),
        Check("Fig. 8: conclusions for Portuguese", 12, 5, 22, right),
        Check("Fig. 8: conclusions for Danish", 1, 0, min(5, right - 1), wrong),
    ]
    bins = bin_conclusions(conclusions)
    for printed, here in zip(table4.itertuples(), bins.itertuples(), strict=True):
        tolerance = 3 if printed.lowest >= 90 else 8
        checks.append(near(f"Table 4: {printed.bin}", printed.correct_percent, tolerance, here.correct_percent))
        checks.append(near(f"Table 4: {printed.bin}, number", printed.conclusions, float("inf"), here.conclusions))
    total = table4["conclusions"].sum()
    return [*checks, near("Table 4: conclusions", total, 0, bins["conclusions"].sum())]


def check_corpus(statistics: SegmentStatistics, *, rng: int = 1) -> pd.DataFrame:
    """Hold a corpus against everything that the paper prints of it.

    Parameters
    ----------
    statistics : SegmentStatistics
        BLEU's, of the six systems.
    rng : int
        Of the resamples.

    Returns
    -------
    DataFrame
        One row per quantity: ``quantity``, ``paper``, ``lowest``, ``highest`` (what was demanded), ``here``, ``met``.
    """
    checks = check_table1(statistics) + check_samples(statistics, rng) + check_conclusions(statistics, rng)
    return pd.DataFrame([vars(check) | {"met": check.met} for check in checks])


def main(first: int, last: int) -> None:
    """Write the checks of several seeds as CSV, one column per seed."""
    columns = {}
    for seed in range(first, last + 1):
        table = check_corpus(compute_statistics(tune(read_calibration(), seed)))
        columns |= {name: table[name] for name in ("quantity", "paper", "lowest", "highest") if not columns}
        columns[f"seed_{seed}"] = table["here"].astype(float).round(3)
        unmet = table["quantity"][~table["met"]].tolist()
        sys.stderr.write(f"seed {seed}: {'all met' if not unmet else 'not met: ' + '; '.join(unmet)}\n")
    pd.DataFrame(columns).to_csv(sys.stdout, index=False, lineterminator="\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
