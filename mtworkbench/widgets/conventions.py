"""Controls for the published rules side by side: predict what they say of a difference, and try other differences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from mtworkbench.analyses.conventions import conventions
from mtworkbench.analyses.rules import copy_but_for
from mtworkbench.inference.conventions import Conventions
from mtworkbench.inference.families import as_families, name_families
from mtworkbench.plots.conventions import plot_conventions
from mtworkbench.progress import show_progress
from mtworkbench.resampling import RngLike
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables import printable
from mtworkbench.tables.html import document_to_html, fold, paragraph, show_html
from mtworkbench.widgets.controls import Menu, Slider, Switch, choose_seed, name_given, name_menu, unit_menu
from mtworkbench.widgets.explorer import Answer, Explorer, new_axes
from mtworkbench.words.conventions import (
    build_predictions,
    describe_briefly,
    describe_predictions,
    tabulate_conventions,
)

#: Rules whose verdict is to be predicted: tools that people use, and the test of this package.
ASKED = ("koehn2004", "moses", "sacrebleu-bs", "sacrebleu-ar", "multeval", "compare-mt", "ar")
#: Numbers of segments in which two systems are made to differ.
FEW = (0, 1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
# Inches; all rules have room.
SIZE = (6.4, 4.0)


def predict_conventions(found: Conventions) -> Explorer:
    """Ask what the rules say of a difference, then reveal it.

    Without a kernel, what they say is folded away below.

    Parameters
    ----------
    found : Conventions

    Returns
    -------
    Explorer
        Its controls are a menu for each of a few rules, and ``reveal``.
    """
    verdicts = {"?": "", "significant": "significant", "not significant": "not significant"}
    menus = {name: Menu(name, list(verdicts.items()), "") for name in ASKED if found[name].verdict}

    answer = paragraph(" ".join(describe_briefly(found, with_levels=False)))
    folded = show_html(fold("The answers", answer, document_to_html(build_predictions(found, {}))))

    def draw(reveal: bool, **predicted: str) -> tuple[str, str]:
        asked = f"What do the rules say of {printable(found.a)} and {printable(found.b)}? Choose, then press reveal."
        sentence = printable(describe_predictions(found, predicted)) if reveal else asked
        # What the rules say is folded away until it is revealed.
        answers = document_to_html(build_predictions(found, predicted)) if reveal else folded
        return answers, sentence

    return Explorer(draw, **menus, reveal=Switch("reveal"))


def explore_conventions(
    statistics: SegmentStatistics | Sequence[SegmentStatistics], *, rng: RngLike = None
) -> Explorer:
    """Explore what the rules say: by which metric, of which pair, by what unit, and if only a few segments differed.

    Parameters
    ----------
    statistics : SegmentStatistics or sequence of SegmentStatistics
        One per metric. Systems have equal numbers of runs: one, for the rules of programs that read one output.
    rng : int, numpy.random.Generator or None
        One seed for all positions of the controls.

    Returns
    -------
    Explorer
    """
    families, seed = as_families(statistics), choose_seed(rng)
    by_metric = dict(zip(name_families(families), families, strict=True))
    called = dict(zip(by_metric, name_given(statistics), strict=True))
    test_set, systems, progress = families[0].test_set, list(families[0]), show_progress("asking the rules")

    def draw(metric: str, system: str, baseline: str, unit: str, differing: int) -> Answer:
        a = by_metric[metric][system]
        b = copy_but_for(a, by_metric[metric][baseline], differing)
        found = conventions(a, b, unit=unit, progress=progress, rng=seed)
        frame = found.to_frame()
        ax = plot_conventions(frame, new_axes(SIZE), level=found.level)
        one = called[metric]
        code = (
            "import mtworkbench as mtw\nfrom mtworkbench.analyses.rules import copy_but_for\n"
            f"system = {one}[{system!r}]\nother = copy_but_for(system, {one}[{baseline!r}], {differing})\n"
            f"found = mtw.conventions(system, other, unit={unit!r}, rng={seed})\nframe = found.to_frame()\n"
            "mtw.plots.plot_conventions(frame, level=found.level)"
        )
        return Answer(ax, printable(" ".join(found.headline)), _mark_rules(found, ax), frame, code, "y")

    return Explorer(
        draw,
        metric=name_menu("metric", by_metric, next(iter(by_metric))),
        system=name_menu("system", systems, systems[min(1, len(systems) - 1)]),
        baseline=name_menu("baseline", systems, systems[0]),
        unit=unit_menu(test_set, columns=False),
        differing=Slider(
            "differing", [(f"{n:,}", n) for n in FEW if n < len(test_set)] + [("all", len(test_set))], len(test_set)
        ),
    )


def _mark_rules(found: Conventions, ax: Axes) -> pd.DataFrame:
    """Return a mark for each rule: its row of the table, as words."""
    low, high = ax.get_xlim()
    values = [one.p_value if one.confidence is None else 1 - one.confidence for one in found.rules]
    y, table = np.arange(len(values)), pd.DataFrame(tabulate_conventions(found)).set_index("rule")
    marks = pd.DataFrame({"x": np.clip(np.array(values, dtype=float), low, high), "y": y}).fillna({"x": high})
    cells = [[f"{head} {cell}" for head, cell in row.items() if cell] for _, row in table.iterrows()]
    texts = [f"{name}: {', '.join(row)}" for name, row in zip(table.index, cells, strict=True)]
    return marks.assign(top=y - 0.5, bottom=y + 0.5, text=texts)
