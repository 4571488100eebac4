"""Stand-ins until the modules of studies/segments are there."""

from __future__ import annotations

import difflib
import re
from collections import Counter

import numpy as np
import pandas as pd

from mtworkbench.inference.replications import median_run
from mtworkbench.outputs.checks.frames import is_reference


def segment_contributions(outputs, statistics, a, b, *, runs=None, unit="segment"):
    metric, test_set = statistics.metric, statistics.test_set
    runs = runs or tuple(median_run(statistics[one].score()[0]) for one in (a, b))
    value_a, value_b = (statistics[one].values.mean(axis=0) for one in (a, b))
    middle = (value_a.sum(axis=0) + value_b.sum(axis=0)) / 2
    steps = np.maximum(middle, 1) * 1e-5
    gradient = np.array(
        [
            (metric.score(middle + step) - metric.score(middle - step)) / (2 * size)
            for step, size in zip(np.diag(steps), steps, strict=True)
        ]
    )
    frame = {"segment": test_set.segments}
    if test_set.documents is not None:
        frame["document"] = test_set.documents
    frame |= test_set.columns
    frame["contribution"] = (value_a - value_b) @ gradient
    frame["change"] = metric.segment_score(value_a) - metric.segment_score(value_b)
    texts_a, texts_b = (
        outputs[(outputs["system"] == one) & (outputs["run"] == run)].reset_index(drop=True)
        for one, run in zip((a, b), runs, strict=True)
    )
    frame["length"] = [len(text.split()) for text in texts_a["hypothesis"]]
    frame["length_baseline"] = [len(text.split()) for text in texts_b["hypothesis"]]
    if "reference" in texts_a:
        frame["length_reference"] = [len(text.split()) for text in texts_a["reference"]]
    if "source" in texts_a:
        frame["source"] = texts_a["source"]
    frame |= {name: texts_a[name] for name in texts_a.columns if is_reference(name)}
    return pd.DataFrame(frame | {"hypothesis": texts_a["hypothesis"], "hypothesis_baseline": texts_b["hypothesis"]})


def split_text(text, metric):
    """Pieces of the text: as shown, and the token it is compared as, None between tokens."""
    return [(piece, None if piece.isspace() else piece) for piece in re.findall(r"\s+|\w+|[^\w\s]", text)]


def mark_differences(tokens, others):
    mask = np.ones(len(tokens), dtype=bool)
    for begin, _, size in difflib.SequenceMatcher(None, tokens, others, autojunk=False).get_matching_blocks():
        mask[begin : begin + size] = False
    return mask


def _counts(text, order):
    words = text.split()
    return Counter(" ".join(words[place : place + order]) for place in range(len(words) - order + 1))


def _matches(texts, references, order):
    return [_counts(text, order) & _counts(reference, order) for text, reference in zip(texts, references, strict=True)]


def match_ngrams(outputs, metric, a, b, *, runs=None, orders=(1, 2, 3, 4)):
    return outputs, a, b, orders


def tabulate_matches(matched):
    outputs, a, b, orders = matched
    rows = []
    of_a, of_b = (outputs[outputs["system"] == one].drop_duplicates("segment") for one in (a, b))
    for order in orders:
        left = _matches(of_a["hypothesis"], of_a["reference"], order)
        right = _matches(of_b["hypothesis"], of_b["reference"], order)
        sums, sums_b, segments = Counter(), Counter(), Counter()
        for one, other in zip(left, right, strict=True):
            sums.update(one)
            sums_b.update(other)
            segments.update({ngram: 1 for ngram in one | other if one[ngram] != other[ngram]})
        rows += [
            (ngram, order, sums[ngram], sums_b[ngram], sums[ngram] - sums_b[ngram], n) for ngram, n in segments.items()
        ]
    names = ["ngram", "order", "matches", "matches_baseline", "difference", "segments"]
    frame = pd.DataFrame(rows, columns=names)
    order = np.lexsort((frame["ngram"], frame["order"], -frame["difference"].abs()))
    return frame.iloc[order].reset_index(drop=True)


def segments_with(matched, ngram):
    outputs, a, b, _ = matched
    order = len(ngram.split())
    of_a, of_b = (outputs[outputs["system"] == one].drop_duplicates("segment") for one in (a, b))
    left = _matches(of_a["hypothesis"], of_a["reference"], order)
    right = _matches(of_b["hypothesis"], of_b["reference"], order)
    return np.array(
        [place for place, (one, other) in enumerate(zip(left, right, strict=True)) if one[ngram] != other[ngram]],
        dtype=int,
    )


def flag_segments(outputs, system, *, run=1):
    rows = outputs[(outputs["system"] == system) & (outputs["run"] == run)]
    lengths = rows["hypothesis"].str.split().str.len().to_numpy()
    wanted = rows["reference"].str.split().str.len().to_numpy() if "reference" in rows else lengths
    return pd.DataFrame(
        {
            "segment": rows["segment"].to_numpy(),
            "too_short": lengths < 0.5 * wanted,
            "too_long": lengths > 1.5 * wanted,
            "empty": (rows["hypothesis"].str.strip() == "").to_numpy(),
        }
    )
