"""Checks that relate outputs to references, source and each other; their results are kept in the cache.

Such checks take longer than all others together. What they notice depends on nothing but the texts and what these are
called, so a second look would notice the same.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from mtworkbench.cache import Cache, digest_code
from mtworkbench.outputs.checks.order import notice_order
from mtworkbench.outputs.checks.report import Notice, Report
from mtworkbench.outputs.checks.resemblance import notice_copies, notice_untranslated
from mtworkbench.outputs.checks.segments import Segments
from mtworkbench.outputs.checks.tokenized import notice_tokenization
from mtworkbench.outputs.checks.traits import notice_traits

# Computed at import, because a running program keeps its old code when the files change.
_CODE = digest_code(Path(__file__).parent)


def notice_relations(
    references: Sequence[Segments], runs: Sequence[tuple[str, Segments]], source: Segments | None, report: Report
) -> None:
    """Notice files that are not what they seem, copies, and outputs in another order than the reference.

    Parameters
    ----------
    references : sequence of Segments
    runs : sequence of (str, Segments)
        Every run with the name of its system.
    source : Segments or None
    report : Report
    """
    cache = Cache("check results")
    look = partial(_look, references, runs, source)
    if not cache.is_on or _CODE is None:
        report.add(look())
        return
    described = _describe(references, runs, source)
    noticed = cache.find(described, _read)
    if noticed is None:
        noticed = cache.make(described, look, _write)
    report.add(noticed)
    for warning in cache.warnings():
        report.notice(warning.code, str(warning), path=warning.path, count=warning.count)


def _look(
    references: Sequence[Segments], named_runs: Sequence[tuple[str, Segments]], source: Segments | None
) -> list[Notice]:
    report = Report()
    runs = [run for _, run in named_runs]
    notice_traits(references, runs, report)
    notice_tokenization(references, runs, report)
    notice_copies(references, named_runs, report)
    if source is not None:
        notice_untranslated(source, runs, report)
    notice_order(references[0], runs, report)
    return report.notices


def _describe(references: Sequence[Segments], runs: Sequence[tuple[str, Segments]], source: Segments | None) -> bytes:
    """Return everything that the notices depend on."""
    every = [*references, *(run for _, run in runs), *([] if source is None else [source])]
    # A file that is given twice is one thing, and noticed once.
    number = {one: i for i, one in enumerate(dict.fromkeys(every))}
    described = {
        "code": [_CODE, sys.version],
        "segments": [
            [one.label, one.path, one.digest.hex(), None if one.lines is None else list(map(int, one.lines))]
            for one in number
        ],
        "references": [number[one] for one in references],
        "runs": [[system, number[run]] for system, run in runs],
        "source": None if source is None else number[source],
    }
    return json.dumps(described).encode()


def _write(notices: Sequence[Notice]) -> bytes:
    return json.dumps([vars(one) for one in notices]).encode()


def _read(content: bytes) -> list[Notice]:
    return [Notice(**one) for one in json.loads(content)]
