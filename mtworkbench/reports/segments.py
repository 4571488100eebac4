"""Which sentences make the differences of a report: the browser of segments, without a kernel."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from mtworkbench.analyses.segments.exports import segments_to_html as extremes_to_html
from mtworkbench.analyses.segments.pages import SegmentPages, make_pages
from mtworkbench.errors import DataWarning
from mtworkbench.reports.packing import PackedMetric, columns_of, compress, pack_metric, pack_pair, pack_test_set
from mtworkbench.statistics.identity import check_same_segments
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables import printable
from mtworkbench.tables.html import paragraph, show_html
from mtworkbench.wording import count_of

#: Bytes that the data of all browsers of segments may take in a file.
MOST_BYTES = 6_000_000
_WIDGET = Path(__file__).parents[1] / "widgets" / "segments"
#: Answers the widget's script in place of a kernel; and how the widget looks in a report.
_MODEL, _LOOKS = (Path(__file__).with_name(name) for name in ("segments_model.js", "segments.css"))
#: Ends the widget's script, which is a module of its own in a notebook, but part of one in a report.
_EXPORT = "export default { render };\n"


@dataclass(frozen=True, eq=False)
class Segments:
    """The segments of a test set for a report.

    Parameters
    ----------
    extremes : str
        HTML of the segments with the largest contributions for the first pair, for readers without JavaScript.
    packed : dict of str to str
        The data, compressed: ``index`` of what there is, ``set`` of what is shared, then by the number of the metric
        (``0``), and by that with the number of the pair (``0.0``). Empty where nothing fits.
    notes : tuple of str
        What is not in the file, in sentences.
    """

    extremes: str = field(repr=False)
    packed: dict[str, str] = field(repr=False)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Packed:
    """All pairs of a test set, by metric, before it is known how many of them fit into a file."""

    pages: list[list[SegmentPages]]
    shared: list[PackedMetric]
    pairs: list[list[str]]
    texts: bool

    def write(self, n_pairs: int) -> dict[str, str]:
        """Write the blocks of the first pairs."""
        kept = [pages[:n_pairs] for pages in self.pages]
        columns = {column for pages in kept for one in pages for column in columns_of(one).values()}
        index = {
            "metrics": [printable(pages[0].statistics.metric.name) for pages in kept],
            "pairs": [[printable(one.a), printable(one.b)] for one in kept[0]],
        }
        blocks = {"index": compress(index)}
        blocks["set"] = compress(pack_test_set([one for pages in kept for one in pages], self.texts))
        for number, (shared, pairs) in enumerate(zip(self.shared, self.pairs, strict=True)):
            blocks[f"{number}"] = compress(shared.part(columns))
            blocks |= {f"{number}.{place}": pair for place, pair in enumerate(pairs[:n_pairs])}
        return blocks


def gather_segments(
    outputs: pd.DataFrame,
    statistics: Sequence[SegmentStatistics],
    pairs: Sequence[tuple[str, str]],
    *,
    texts: bool = True,
    most_bytes: int = MOST_BYTES,
) -> Segments:
    """Gather what a report shows of the segments of a test set.

    Parameters
    ----------
    outputs : DataFrame
        What the statistics were computed from.
    statistics : sequence of SegmentStatistics
        One per metric.
    pairs : sequence of (str, str)
        Systems and their baselines, at least one; the first ones are kept where not all fit.
    texts : bool
        False leaves out all texts and n-grams; contributions, documents, lengths and flags remain.
    most_bytes : int
        The data may take so much of the file.

    Returns
    -------
    Segments

    Raises
    ------
    InputError
        ``no-texts`` for outputs without texts, ``other-order`` for metrics with the segments in different orders, and
        those of `segment_contributions`.
    """
    for one in statistics[1:]:
        check_same_segments(statistics[0].metric.name, statistics[0].test_set, one.metric.name, one.test_set)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the comparison has said it, and the page says it again
        packed = _pack(outputs, statistics, pairs, texts)
        extremes = extremes_to_html(packed.pages[0][0], texts=texts)
    n_pairs, blocks = _fit(packed.write, len(pairs), most_bytes)
    return Segments(extremes, blocks, tuple(_list_missing(n_pairs, len(pairs), texts, most_bytes)))


def _pack(
    outputs: pd.DataFrame, statistics: Sequence[SegmentStatistics], pairs: Sequence[tuple[str, str]], texts: bool
) -> _Packed:
    flagged: dict[tuple[str, int], pd.DataFrame] = {}
    packed = _Packed([], [], [], texts)
    for one in statistics:
        pages = [replace(make_pages(outputs, one, a, b), flagged=flagged) for a, b in pairs]
        shared, marks = pack_metric(pages, texts)
        packed.pages.append(pages)
        packed.shared.append(shared)
        # What is computed for a pair is kept by its pages, of which there may be many: a copy of them is not kept.
        packed.pairs.append(
            [compress(pack_pair(replace(pair), texts) | own) for pair, own in zip(pages, marks, strict=True)]
        )
    return packed


def _fit(write: Callable[[int], dict[str, str]], n_pairs: int, most_bytes: int) -> tuple[int, dict[str, str]]:
    """Write as many of the first pairs as fit; return their number, and the blocks, of which there may be none."""
    least, most, found = 0, n_pairs, {}
    tried = n_pairs
    while least < most:
        blocks = write(tried)
        if sum(map(len, blocks.values())) <= most_bytes:
            least, found = tried, blocks
        else:
            most = tried - 1
        tried = (least + most + 1) // 2
    return least, found


def _list_missing(n_kept: int, n_pairs: int, texts: bool, most_bytes: int) -> list[str]:
    missing = []
    if n_kept < n_pairs:
        missing.append(
            f"The segments of {count_of(n_kept, n_pairs, 'pair')} of systems are in this file: "
            f"those of more pairs would take more than {most_bytes / 1e6:.3g} MB."
        )
    if not texts:
        missing.append("This file has no texts of the test set: references and outputs were left out on request.")
    return missing


def segments_to_html(segments: Segments) -> str:
    """Write the segments of a test set as a part of a page, which needs `write_scripts` once.

    Without JavaScript and on paper, it is a table of the segments with the largest contributions; else a browser of all
    segments, which is unpacked when it comes into view.
    """
    notes = show_html(*map(paragraph, segments.notes)) if segments.notes else ""
    data = "".join(
        f'<script type="text/plain" data-block="{name}">{block}</script>' for name, block in segments.packed.items()
    )
    return f'<div class="mtw-report-segments">{segments.extremes}{notes}<div class="mtw-browse"></div>{data}</div>'


def write_scripts() -> str:
    """Write the style and the script that all browsers of segments of a page share."""
    style = "".join(path.read_text(encoding="utf-8") for path in (_WIDGET / "segments.css", _LOOKS))
    script = (_WIDGET / "segments.js").read_text(encoding="utf-8").removesuffix(_EXPORT)
    model = _MODEL.read_text(encoding="utf-8")
    return f'<style>\n{style}</style>\n<script type="module">\n{script}{model}</script>\n'
