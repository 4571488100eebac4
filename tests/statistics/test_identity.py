"""Statistics of the same segments are matched whatever their order; those of other segments are refused."""

import itertools
import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtworkbench import read_mt_metrics_eval, read_outputs, read_table
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import approximate_randomization, compare, optimizer_variance, paired_bootstrap
from mtworkbench.metrics import Length, MeanScore
from mtworkbench.statistics.files import load_statistics, save_statistics
from mtworkbench.statistics.identity import match_segments
from mtworkbench.statistics.merging import merge_statistics
from mtworkbench.statistics.segment_statistics import TestSet, compute_statistics

N = 40
COMET, DA = MeanScore("comet"), MeanScore("da")
FEW = {"n_resamples": 100, "n_trials": 200, "rng": 1}


def judgements(system, order, *, runs=1, offset=0.0, name="s{}", n=N, **columns):
    """Judgements of one system: the segments in this order, their scores made from the number in their names."""
    draws = np.random.default_rng(7)
    frames = []
    for run in range(1, runs + 1):
        noise = draws.normal(size=(2, n))
        frame = pd.DataFrame({"system": system, "run": run, "segment": [name.format(i) for i in order]})
        for column, values in columns.items():
            frame[column] = [values[i] for i in order]
        frame["comet"] = [i + offset + i % 3 * 0.1 + noise[0, i] / 50 for i in order]
        frame["da"] = [50 - i + offset + noise[1, i] / 50 for i in order]
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def statistics_of(*tables, metric=COMET):
    outputs, _ = quietly(read_table, pd.concat(tables, ignore_index=True))
    return compute_statistics(outputs, metric)


def merged(*statistics, codes=(), **options):
    """Merge, and check which warnings there are."""
    found, noticed = quietly(merge_statistics, *statistics, **options)
    assert noticed == list(codes)
    return found


def quietly(call, *arguments, **options):
    """Call, and return the codes of the warnings as well."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        return call(*arguments, **options), [warning.message.code for warning in caught]


def results(statistics):
    """All numbers of a comparison."""
    found, _ = quietly(compare, statistics, **FEW)
    return {
        (name, pair.a, pair.b): (pair.difference, pair.low, pair.high, pair.p_value, pair.wins, pair.design_effect)
        for name, metric in found.metrics.items()
        for pair in metric.comparisons
    }


def refused(call, *arguments, **options):
    with pytest.raises(InputError) as caught:
        call(*arguments, **options)
    return caught.value.code, str(caught.value)


FORWARD, BACKWARD = range(N), range(N - 1, -1, -1)
A, B = judgements("a", FORWARD), judgements("b", BACKWARD, offset=0.5)
END = ". Statistics can be compared only if their segments, documents and references agree."


def test_judgements_in_another_order_give_the_same_p_as_one_table():
    together = compare(statistics_of(A, B), rng=1).metrics["comet"].comparisons[0]
    assert together.p_value < 0.001
    sentence = (
        "The segments of b.stats are in a different order from those of a.stats: they were brought into the order of "
        "a.stats, matched by id."
    )
    with pytest.warns(DataWarning, match=f"^{re.escape(sentence)}$") as caught:
        (apart,) = merge_statistics(statistics_of(A), statistics_of(B), origins=["a.stats", "b.stats"])
    assert [(warning.message.code, warning.message.count) for warning in caught] == [("other-order", N)]
    assert apart.test_set == statistics_of(A, B).test_set
    found = compare(apart, rng=1).metrics["comet"].comparisons[0]
    assert (found.difference, found.p_value) == (together.difference, together.p_value)


def test_documents_runs_and_metrics_are_reordered_together():
    documents = [f"d{i // 4}" for i in range(N)]
    by_documents = [i for d in (3, 1, 0, 2, 9, 8, 7, 6, 5, 4) for i in range(4 * d + 3, 4 * d - 1, -1)]
    tables = [
        judgements("a", FORWARD, runs=2, document=documents),
        judgements("b", by_documents, runs=3, offset=0.3, document=documents),
        judgements("c", BACKWARD, offset=-0.2, document=documents),
    ]
    expected = results([statistics_of(*tables, metric=metric) for metric in (COMET, DA)])
    apart = [statistics_of(table, metric=metric) for table in tables for metric in (COMET, DA)]
    # Each metric of a system was computed by itself, and so has a test set of its own.
    found = merged(*apart, codes=["other-order"] * 4)
    assert [list(one) for one in found] == [["a", "b", "c"]] * 2
    assert results(found) == expected
    assert found[0].test_set is found[1].test_set


def test_segments_are_told_apart_by_documents_and_ids_together():
    """Ids that count within a document are not unique by themselves."""
    documents, names = [f"d{i // 4}" for i in range(N)], [str(i % 4) for i in range(N)]

    def rows(system, order, offset):
        table = judgements(system, order, offset=offset, document=documents)
        return table.assign(segment=[names[i] for i in order])

    a, b = rows("a", FORWARD, 0), rows("b", BACKWARD, 0.5)
    (found,) = merged(statistics_of(a), statistics_of(b), codes=["other-order"])
    assert results(found) == results(statistics_of(a, b))


def test_judgements_of_other_segments_are_refused():
    other = judgements("b", FORWARD, name="other-{}")
    code, sentence = refused(merge_statistics, statistics_of(A), statistics_of(other), origins=["a.stats", "b.stats"])
    assert code == "different-segments"
    assert sentence == (
        "a.stats and b.stats cover different segments (compared by id): 40 of the 40 segments of b.stats are missing "
        f"from a.stats; the first is segment 1 ('other-0'){END}"
    )
    part = statistics_of(judgements("b", range(N - 1)))
    code, sentence = refused(merge_statistics, statistics_of(A), part)
    assert code == "different-segments"
    assert sentence == (
        "Statistics 1 and statistics 2 cover different segments (compared by id): 1 of the 40 segments of statistics 1 "
        f"is missing from statistics 2: segment 40 ('s39'){END}"
    )


def test_segments_that_cannot_be_told_apart_are_refused_in_another_order_alone():
    names = np.array([f"s{i}" for i in range(N)], dtype=object)
    names[17] = names[5]
    first, second = (
        replace(one, test_set=replace(one.test_set, segment_ids=names)) for one in (statistics_of(A), statistics_of(A))
    )
    other = replace(second, values={"b": second.values["a"]})
    (found,) = merged(first, other)
    assert list(found) == ["a", "b"]
    shorter = other.take(np.delete(np.arange(N), 17))
    shorter = replace(shorter, test_set=replace(shorter.test_set, lineage=object()))
    assert refused(merge_statistics, first, shorter, origins=["x", "y"]) == (
        "different-segments",
        f"x and y cover different segments (compared by id): x has 40 segments, y has 39{END}",
    )
    backward = other.take(np.arange(N)[::-1])
    backward = replace(backward, test_set=replace(backward.test_set, lineage=object()))
    code, sentence = refused(merge_statistics, first, backward, origins=["x", "y"])
    assert code == "ambiguous-segments"
    assert sentence == (
        "x and y have segments in different orders, and segment 6 ('s5') and segment 18 ('s5') of x cannot be told "
        f"apart by id: give each segment an id of its own, or read both files in the same order{END}"
    )


NUMBERED = [judgements(system, FORWARD, name="{}").assign(segment=np.arange(1, N + 1)) for system in "ab"]


def test_numbered_judgements_are_matched_by_number_with_a_warning():
    sentence = (
        "Nothing but their numbers says that a.stats and b.stats have the same segments, so segments were matched by "
        "number: results are wrong if these are different test sets, or if one of them numbered its rows for itself in "
        "another order. Compute the statistics from one table, or from tables whose segments have ids or documents."
    )
    a, b = map(statistics_of, NUMBERED)
    with pytest.warns(DataWarning, match=f"^{re.escape(sentence)}$") as caught:
        (found,) = merge_statistics(a, b, origins=["a.stats", "b.stats"])
    assert [warning.message.code for warning in caught] == ["unknown-identity"]
    assert results(found) == results(statistics_of(*NUMBERED))
    # Rows in another order are no danger: their numbers say where they belong.
    backward = statistics_of(NUMBERED[1].iloc[::-1])
    (turned,) = merged(a, backward, codes=["unknown-identity"])
    assert results(turned) == results(found)
    code, sentence = refused(merge_statistics, a, b.take(slice(39)))
    assert code == "different-segments"
    assert "(compared by number): 1 of the 40 segments of statistics 1 is missing from statistics 2: " in sentence


def test_the_warning_comes_once_for_many_files_and_only_where_systems_meet():
    tables = [NUMBERED[0].assign(system=name) for name in "abc"]
    apart = [statistics_of(table, metric=metric) for table in tables for metric in (COMET, DA)]
    with pytest.warns(DataWarning) as caught:
        merge_statistics(*apart, origins=["x", "x", "y", "y", "z", "z"])
    assert [warning.message.code for warning in caught] == ["unknown-identity"]
    assert str(caught[0].message).startswith("Nothing but their numbers says that x, y and z have the same segments")
    # Two metrics of the same systems: nothing is compared across them.
    merged(*(statistics_of(*tables, metric=metric) for metric in (COMET, DA)))
    _, codes = quietly(compare, [statistics_of(*tables, metric=metric) for metric in (COMET, DA)], **FEW)
    assert "unknown-identity" not in codes


SOURCES = [f"le chat {i}" for i in range(N)]


def numbered(system, order, offset=0.0, **columns):
    """Judgements whose table numbers its rows for itself, in this order."""
    return judgements(system, order, offset=offset, **columns).assign(segment=np.arange(1, N + 1))


def test_nothing_is_known_through_statistics_that_were_matched_by_number(tmp_path):
    """Another metric has sources, but the numbers of its rows do not say which of them those of ``a`` are."""
    unknown = statistics_of(numbered("a", FORWARD))
    linked = statistics_of(numbered("a", BACKWARD, source=SOURCES), metric=DA)
    other = statistics_of(numbered("c", BACKWARD, 0.5, source=SOURCES))
    for parts in itertools.permutations([unknown, linked, other]):
        found = merged(*parts, codes=["unknown-identity", "lacking-systems"])
        comet = next(one for one in found if one.metric == COMET)
        assert comet.test_set.source_digests is None
        merged(comet, replace(other, values={"d": other.values["c"]}), codes=["unknown-identity"])
        # What is of one metric alone stays known.
        assert next(one for one in found if one.metric == DA).test_set == linked.test_set
    # In a file both metrics have the same segments.
    sentence = (
        "Nothing but their numbers says that the statistics of comet and da have the same segments, so the file keeps "
        "no ids or sources of them: save each metric in a file of its own, or compute all of them from one table."
    )
    for parts in ((unknown, linked), (linked, unknown)):
        with pytest.warns(DataWarning) as caught:
            save_statistics(tmp_path / "both.stats", *parts)
        assert [warning.message.code for warning in caught] == ["unknown-identity"]
        assert caught[0].filename == __file__
        assert parts[0] is linked or str(caught[0].message) == sentence
        save_statistics(tmp_path / "c.stats", other)
        _, codes = quietly(load_statistics, tmp_path / "both.stats", tmp_path / "c.stats")
        assert codes == ["unknown-identity", "lacking-systems"]
    save_statistics(tmp_path / "numbers.stats", unknown, statistics_of(numbered("a", FORWARD), metric=DA))


def test_what_is_known_is_found_in_any_order():
    """Ids and sources link the first and the last, though nothing does so directly."""
    by_id = statistics_of(judgements("a", FORWARD))
    by_source = statistics_of(numbered("b", BACKWARD, 0.5, source=SOURCES))
    both = statistics_of(judgements("c", BACKWARD, offset=0.2, source=SOURCES))
    expected = statistics_of(
        *(judgements(name, FORWARD, offset=more) for name, more in zip("abc", (0, 0.5, 0.2), strict=True))
    )
    for parts in itertools.permutations([by_id, by_source, both]):
        (found,), codes = quietly(merge_statistics, *parts)
        assert set(codes) == {"other-order"}
        order, expected_order = (np.argsort(one.test_set.segment_ids) for one in (found, expected))
        for name in "abc":
            np.testing.assert_array_equal(found.values[name][:, order], expected.values[name][:, expected_order])


@pytest.mark.parametrize("name", ["s{}", "{}"])
def test_ids_of_one_side_alone_are_refused(name):
    """Numbers from 0 on are ids too: their segments were numbered in the order in which they came."""
    ids, numbers = statistics_of(judgements("a", BACKWARD, name=name)), statistics_of(NUMBERED[1])
    code, sentence = refused(merge_statistics, ids, numbers, origins=["a.stats", "b.stats"])
    assert code == "ambiguous-segments"
    assert sentence == (
        f"a.stats and b.stats cannot be matched: the segments of a.stats have ids (the first is "
        f"{name.format(39)!r}), and those of b.stats have none: give the segments of both the same ids, or compute the "
        f"statistics from one table{END}"
    )
    assert refused(merge_statistics, numbers, ids)[0] == "ambiguous-segments"
    assert refused(paired_bootstrap, ids["a"], numbers["b"], rng=1)[0] == "ambiguous-segments"


def test_numbers_tell_segments_apart_where_documents_are_known():
    documents = [f"d{i // 4}" for i in range(N)]
    a, b = (statistics_of(table.assign(document=documents)) for table in NUMBERED)
    merged(a, b)
    others = [f"e{i // 4}" for i in range(N)]
    code, sentence = refused(merge_statistics, a, statistics_of(NUMBERED[1].assign(document=others)))
    assert code == "different-documents"
    assert sentence == (
        "Statistics 1 and statistics 2 have different documents: row 1 belongs to document 'd0' in one and to 'e0' in "
        f"the other{END}"
    )


REFERENCES = [f"the {'very ' * (i % 4)}old cat number {i} sat" for i in range(12)]
HYPOTHESES = {"a": [text.replace("very", "so") for text in REFERENCES], "b": [text[4:] for text in REFERENCES]}


def write_texts(folder, order, **more):
    files = {"ref": REFERENCES, **HYPOTHESES, **more}
    folder.mkdir()
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{lines[i]}\n" for i in order))
    return folder


def read_texts(folder, *systems, **options):
    return quietly(read_outputs, folder / "ref", {name: folder / name for name in systems}, **options)[0]


@pytest.mark.parametrize("metric", ["bleu", "nist", "length", "mean:column=da"])
def test_texts_in_another_order_are_matched_by_their_references(metric, tmp_path):
    shuffled = [3, 11, 0, 7, 1, 2, 10, 9, 8, 4, 6, 5]
    whole = read_texts(write_texts(tmp_path / "whole", range(12)), "a", "b")
    other = read_texts(write_texts(tmp_path / "other", shuffled), "b")
    whole["da"], other["da"] = np.arange(24.0), np.array(shuffled) + 12.0
    expected = compute_statistics(whole, metric)
    (found,) = merged(
        compute_statistics(whole[whole["system"] == "a"], metric),
        compute_statistics(other, metric),
        codes=["other-order"],
    )
    assert found.test_set == expected.test_set
    np.testing.assert_array_equal(found.values["b"], expected.values["b"])
    assert results(found) == results(expected)
    part = found.take([4, 2])  # in any order
    merged(part, replace(expected.take([4, 2]), values={"c": expected.values["a"][:, [4, 2]]}))
    code, _ = refused(merge_statistics, found.take([0, 1, 2]), expected.take([0, 1, 3]))
    assert code == "different-segments"


def test_repeated_sentences_in_the_same_order_are_no_trouble(tmp_path):
    repeated = [*REFERENCES, REFERENCES[3], REFERENCES[3]]
    texts = {"ref": repeated, "a": repeated, "b": [text[4:] for text in repeated]}
    first = compute_statistics(read_texts(write_texts(tmp_path / "x", range(14), **texts), "a"), "bleu")
    second = compute_statistics(read_texts(write_texts(tmp_path / "y", range(14), **texts), "b"), "bleu")
    merged(first, second)
    turned = compute_statistics(read_texts(write_texts(tmp_path / "z", range(13, -1, -1), **texts), "b"), "bleu")
    code, sentence = refused(merge_statistics, first, turned)
    assert code == "ambiguous-segments"
    assert "segment 4 and segment 13 of statistics 1 cannot be told apart by reference" in sentence
    # Parts of one test set are matched by number, so repeated sentences are no trouble there.
    assert results(merged(first.take([12, 3, 13]), second.take([3, 12, 13]), codes=["other-order"]))


def test_each_side_may_know_something_that_the_other_does_not(tmp_path):
    sources = [f"le chat {i}" for i in range(12)]
    folder = write_texts(tmp_path / "x", range(12), source=sources, docs=["d"] * 6 + ["e"] * 6)
    with_source = compute_statistics(read_texts(folder, "a", source=folder / "source"), Length())
    without = compute_statistics(read_texts(folder, "b"), Length())
    (found,) = merged(without, with_source)
    assert found.test_set == with_source.test_set
    with_documents = compute_statistics(read_texts(folder, "b", documents=folder / "docs"), Length())
    assert refused(merge_statistics, with_source, with_documents)[0] == "different-documents"
    other = write_texts(tmp_path / "y", range(12), source=[*sources[:4], "le chien", *sources[5:]])
    code, sentence = refused(
        merge_statistics, found, compute_statistics(read_texts(other, "b", source=other / "source"), Length())
    )
    assert code == "different-sources"
    assert sentence == (
        f"Statistics 1 and statistics 2 have different sources: the first difference is in row 5, segment 5{END}"
    )


def text_table(systems, order, column="segment"):
    return pd.DataFrame(
        [
            {"system": name, column: f"id{i}", "reference": REFERENCES[i], "hypothesis": HYPOTHESES[name][i]}
            for name in systems
            for i in order
        ]
    )


def test_judgements_without_texts_meet_statistics_of_texts_by_their_ids():
    order = [3, 11, 0, 7, 1, 2, 10, 9, 8, 4, 6, 5]
    bleu = statistics_of(text_table("ab", range(12)), metric="bleu")
    comet = statistics_of(*(judgements(name, order, name="id{}", n=12) for name in "ab"))
    in_order = statistics_of(*(judgements(name, range(12), name="id{}", n=12) for name in "ab"))
    expected = results([bleu, in_order])
    assert results([bleu, comet]) == expected
    _, codes = quietly(compare, [bleu, comet], **FEW)
    assert codes.count("other-order") == 1
    _, codes = quietly(optimizer_variance, [bleu, comet], n_resamples=10, rng=1)
    assert codes.count("other-order") == 1
    # With the judgements first, all is in their order, and segments keep the numbers of their references.
    found = merged(comet, bleu, codes=["other-order"])
    assert found[1].signature == bleu.signature
    assert found[0].test_set.segments.tolist() == [i + 1 for i in order]
    again = replace(bleu, values={"c": bleu.values["a"]})
    _, found = merged(*found, again, codes=["other-order", "lacking-systems"])
    np.testing.assert_array_equal(found.values["c"], found.values["a"])
    # What nothing connects is refused.
    numbered = statistics_of(*(table.iloc[:12] for table in NUMBERED))
    code, sentence = refused(compare, [bleu, numbered])
    assert code == "different-references"
    assert "cannot be matched: only one of them has references, and they have no ids or sources in common" in sentence


def test_statistics_of_several_metrics_are_saved_in_one_order(tmp_path):
    a, b = statistics_of(A), statistics_of(judgements("a", BACKWARD), metric=DA)
    with pytest.warns(DataWarning, match="^The segments of da are in a different order from those of comet"):
        save_statistics(tmp_path / "both.stats", a, b)
    loaded = load_statistics(tmp_path / "both.stats")
    assert loaded[0].test_set == a.test_set
    np.testing.assert_array_equal(loaded[1].values["a"], statistics_of(A, metric=DA).values["a"])
    # Another file is in another order as a whole, and this is said once, whatever the number of its metrics.
    save_statistics(tmp_path / "b.stats", *(statistics_of(B, metric=metric) for metric in (COMET, DA)))
    loaded, codes = quietly(load_statistics, tmp_path / "both.stats", tmp_path / "b.stats")
    assert codes == ["other-order"]
    assert results(loaded) == results([statistics_of(A, B, metric=metric) for metric in (COMET, DA)])


@pytest.mark.parametrize("test", [paired_bootstrap, approximate_randomization])
def test_a_paired_test_refuses_another_order_and_warns_of_what_nothing_connects(test):
    code, sentence = refused(test, statistics_of(A)["a"], statistics_of(B)["b"])
    assert code == "other-order"
    assert sentence == (
        "'a' and 'b' have the same segments in different orders: bring them into the same order with merge_statistics."
    )
    a, b = map(statistics_of, NUMBERED)
    _, codes = quietly(test, a["a"], b["b"], rng=1)
    assert codes == ["unknown-identity"]
    both = statistics_of(*NUMBERED)
    test(both["a"].take(range(35)), both["b"].take(range(35)), rng=1)
    assert refused(test, both["a"].take(range(35)), both["b"].take(range(5, 40)))[0] == "different-segments"


IDENTITY = ("segment_ids", "source_digests")


@st.composite
def shuffled_test_sets(draw):
    """A test set and the same in another order, each of which may know less of its segments."""
    n = draw(st.integers(1, 12))
    texts = st.lists(st.sampled_from("uvwxyz"), min_size=n, max_size=n)
    whole = TestSet(
        segments=np.arange(1, n + 1),
        documents=np.array(draw(texts), dtype=object),
        references="none",
        n_references=0,
        segment_ids=np.array(draw(texts), dtype=object),
        source_digests=np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))),
    )
    order = np.array(draw(st.permutations(range(n))), dtype=np.int64)
    known = [draw(st.sets(st.sampled_from(IDENTITY))) for _ in range(2)]
    first, other = (
        replace(one, lineage=object(), **{name: None for name in IDENTITY if name not in names})
        for one, names in zip((whole, whole.take(order)), known, strict=True)
    )
    return first, other, order


@settings(deadline=None)
@given(shuffled_test_sets())
def test_what_is_matched_is_the_same_segment(case):
    first, other, order = case
    both = [name for name in IDENTITY if getattr(first, name) is not None and getattr(other, name) is not None]
    columns = ["documents", *(both or ["segments"])]
    keys = list(zip(*(getattr(first, name).tolist() for name in columns), strict=True))
    alike = len(set(keys)) < len(keys)
    try:
        found, known = match_segments(first, other, "x", "y")
    except InputError as error:
        assert alike and error.code == "ambiguous-segments"
        return
    assert known == bool(both)
    found = np.arange(len(first)) if found is None else found
    for name in columns:
        np.testing.assert_array_equal(getattr(other, name)[found], getattr(first, name))
    assert alike or (order[found] == np.arange(len(first))).all()


def test_direct_assessments_split_over_two_files(shared, tmp_path):
    """WMT21's ru-en: the same p whether eleven systems come in one file or in two whose rows are in other orders."""
    path = shared / "realdata" / "wmt21-da-ru-en" / "ad-seg-scores-ru-en.csv"
    table = pd.read_csv(path, sep=" ", usecols=[0, 1, 3]).set_axis(["system", "segment", "da"], axis=1)
    table = table.assign(segment="ru-en." + table["segment"].astype(str), da=table["da"].astype(float))
    systems = list(dict.fromkeys(table["system"]))
    first, second = table[table["system"].isin(systems[:5])], table[table["system"].isin(systems[5:])]
    together = statistics_of(first, second, metric=DA)
    backward = pd.concat([rows.iloc[::-1] for _, rows in second.groupby("system", sort=False)])
    for number, part in enumerate((first, backward)):
        save_statistics(tmp_path / f"{number}.stats", statistics_of(part, metric=DA))
    (apart,), codes = quietly(load_statistics, tmp_path / "0.stats", tmp_path / "1.stats")
    assert codes == ["other-order"]
    assert results(apart) == results(together)


@pytest.mark.long
def test_mqm_split_over_two_files(shared):
    """WMT23's en-de: whole documents, whose order differs, and paragraphs that nobody rated."""
    root = shared / "realdata" / "mt-metrics-eval" / "wmt23"
    outputs, _ = quietly(read_mt_metrics_eval, root, "en-de", references=["refA"])
    outputs = outputs.assign(segment_id=outputs["segment"].astype(str))
    first, second = (outputs[outputs["system"] == name] for name in ("GPT4-5shot", "ONLINE-W"))
    backward = pd.concat([part for _, part in second.groupby("document", sort=False)][::-1])
    backward["segment"] = np.arange(1, len(backward) + 1)
    metrics = ("mean:column=mqm", "bleu")
    together = [compute_statistics(pd.concat([first, second]), metric) for metric in metrics]
    apart = [compute_statistics(part, metric) for metric in metrics for part in (first, backward)]
    found = merged(*apart, codes=["other-order"] * 2)
    assert found[0].metric.higher_is_better is True
    assert results(found) == results(together)
    without = [compute_statistics(part.drop(columns="segment_id"), "bleu") for part in (first, backward)]
    code, sentence = refused(merge_statistics, *without)
    assert code == "ambiguous-segments"  # one document says the same thing twice
    assert "cannot be told apart by document, source and reference" in sentence
