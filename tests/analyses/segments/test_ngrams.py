"""N-grams that one system gets right and the other does not."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from mtworkbench import read_outputs
from mtworkbench.analyses.segments.ngrams import match_ngrams, segments_with, tabulate_matches
from mtworkbench.analyses.segments.tokens import token_splitter
from mtworkbench.metrics import Bleu, ChrF, Length, Ter
from mtworkbench.shipped import find_shipped

ORDERS = (1, 2, 3, 4)
TOKENIZERS = ("13a", "none", "intl", "char", "mteval-13a")


def tabulate_ngrams(*arguments, orders=ORDERS, **options):
    table = tabulate_matches(match_ngrams(*arguments, **options))
    return table[table["order"].isin(orders)].reset_index(drop=True)


@pytest.fixture(scope="module")
def flores():
    folder = find_shipped("data/flores")
    systems = {name: folder / f"{name}.txt" for name in ("bergamot-base", "bergamot-tiny")}
    return read_outputs(folder / "reference.txt", systems, accept="invisible-chars")


@pytest.fixture(scope="module")
def several_references(shared):
    folder = shared / "realdata" / "multiref11-wmt14-en-de"
    systems = {path.name: path for path in sorted((folder / "sys").rglob("*.de"))[:2]}
    return read_outputs(sorted((folder / "refs").glob("ref.R*.de"))[:4], systems, accept="same-references")


def make_outputs(references, **systems):
    """References as lists of columns, systems as lists of runs."""
    rows = [
        {
            "system": system,
            "run": run,
            "segment": segment,
            **{
                f"reference_{n}" if n > 1 else "reference": column[segment - 1]
                for n, column in enumerate(references, 1)
            },
            "hypothesis": text,
        }
        for system, runs in systems.items()
        for run, texts in enumerate(runs, 1)
        for segment, text in enumerate(texts, 1)
    ]
    return pd.DataFrame(rows)


def check_sums(outputs, metric):
    a, b = outputs["system"].unique()
    matched = match_ngrams(outputs, metric, a, b)
    table = tabulate_matches(matched)
    totals = [metric.segment_statistics(outputs[outputs["system"] == name]).sum(axis=0)[2:6] for name in (a, b)]
    for order in ORDERS:
        assert matched.matches[order].sum(axis=0).tolist() == [total[order - 1] for total in totals]
    differences = table.groupby("order")["difference"].sum()
    assert [differences.get(order, 0) for order in ORDERS] == (totals[0] - totals[1]).tolist()
    assert sum(totals[0]) > 0


@pytest.mark.parametrize("tokenize", TOKENIZERS)
@pytest.mark.parametrize("lowercase", [False, True])
def test_sums_are_bleus_own_statistics(flores, tokenize, lowercase):
    check_sums(flores, Bleu(tokenize, lowercase=lowercase))


@pytest.mark.parametrize("tokenize", TOKENIZERS)
@pytest.mark.long
def test_sums_are_bleus_own_statistics_with_several_references(several_references, tokenize):
    check_sums(several_references, Bleu(tokenize))


def test_sums_are_bleus_own_statistics_where_references_are_absent():
    references = [["a b c d", "b b b", "c"], ["a b", None, "c c c"]]
    outputs = make_outputs(references, x=[["a b a b c d", "b b", "c c c c"]], y=[["d c b a", "b b b b", ""]])
    check_sums(outputs, Bleu("none"))


@pytest.mark.parametrize("metric", [Bleu(), Ter(), ChrF(), Length()], ids=lambda metric: metric.name)
def test_table_is_that_of_counting_segment_by_segment(flores, metric):
    part = flores[flores["segment"] <= 100]
    split = token_splitter(metric)
    runs = [part[part["system"] == name] for name in ("bergamot-base", "bergamot-tiny")]
    expected = {}
    for reference, *texts in zip(runs[0]["reference"], *(run["hypothesis"] for run in runs), strict=True):
        limits, *counts = (count_ngrams(split(text)) for text in (reference, *texts))
        for ngram in limits:
            one, other = (min(count[ngram], limits[ngram]) for count in counts)
            row = expected.setdefault(ngram, [0, 0, 0])
            row[0] += one
            row[1] += other
            row[2] += one != other
    expected = {
        " ".join(ngram): (len(ngram), one, other, one - other, n) for ngram, (one, other, n) in expected.items() if n
    }
    table = tabulate_ngrams(part, metric, "bergamot-base", "bergamot-tiny")
    assert list(table.columns) == ["ngram", "order", "matches", "matches_baseline", "difference", "segments"]
    assert {row[0]: row[1:] for row in table.itertuples(index=False, name=None)} == expected
    ranks = [(-abs(row.difference), -row.order, row.ngram) for row in table.itertuples()]
    assert ranks == sorted(ranks)


def count_ngrams(tokens):
    return Counter(tuple(tokens[first : first + order]) for order in ORDERS for first in range(len(tokens) - order + 1))


@pytest.mark.long
def test_segments_with_an_ngram_are_found(flores):
    matched = match_ngrams(flores, "bleu", "bergamot-base", "bergamot-tiny")
    table = tabulate_matches(matched)
    for row in table.groupby("order").head(4).itertuples():
        positions = segments_with(matched, row.ngram)
        assert len(positions) == row.segments and (np.diff(positions) > 0).all()
        left_out = flores[~flores["segment"].isin(positions + 1)]
        again = tabulate_ngrams(left_out, "bleu", "bergamot-base", "bergamot-tiny", orders=[row.order])
        assert row.ngram not in set(again["ngram"])


def test_segments_with_other_ngrams_are_none():
    outputs = make_outputs([["a b", "a c"]], x=[["a b", "a"]], y=[["a", "a"]])
    matched = match_ngrams(outputs, Bleu("none"), "x", "y")
    assert segments_with(matched, "a b").tolist() == [0]
    for ngram in ("a", "c", "not there", "a b c", ""):  # matched alike, in no output, unknown, too long, empty
        assert segments_with(matched, ngram).tolist() == []


def test_matches_are_clipped():
    outputs = make_outputs([["the cat"], ["the the mat"]], x=[["the the the cat"]], y=[["the mat"]])
    table = tabulate_ngrams(outputs, Bleu("none"), "x", "y", orders=[1]).set_index("ngram")
    assert table.loc["the"].tolist() == [1, 2, 1, 1, 1]
    assert table.loc["cat", "difference"] == 1 and table.loc["mat", "difference"] == -1


def test_baseline_and_system_mirror(flores):
    forth = tabulate_ngrams(flores, "bleu", "bergamot-base", "bergamot-tiny")
    back = tabulate_ngrams(flores, "bleu", "bergamot-tiny", "bergamot-base")
    assert forth["ngram"].tolist() == back["ngram"].tolist()
    assert forth["difference"].tolist() == (-back["difference"]).tolist()
    assert forth["matches"].tolist() == back["matches_baseline"].tolist()
    assert tabulate_ngrams(flores, "bleu", "bergamot-base", "bergamot-base").empty


def test_matches_are_those_of_the_runs_that_are_named():
    outputs = make_outputs([["a b", "c"]], x=[["a", "c"], ["a b", "c"], ["b", "c"]], y=[["a", "c"]])
    table = tabulate_ngrams(outputs, Bleu("none"), "x", "y", runs=(3, 1), orders=[1]).set_index("ngram")
    assert table["difference"].to_dict() == {"a": -1, "b": 1} and table["difference"].dtype == np.int64
    assert tabulate_ngrams(outputs, Bleu("none"), "x", "y").empty  # the first run of each
