import hashlib
import io
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mtworkbench
from mtworkbench import make_outputs, read_table
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics import METRICS, Bleu, ChrF, Gtm, Length, MeanScore, Ter
from mtworkbench.statistics import files
from mtworkbench.statistics.files import load_statistics, save_statistics
from mtworkbench.statistics.merging import merge_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet, compute_statistics
from mtworkbench.tables import tabulate_statistics

N_SEGMENTS = 12
DOCUMENTS = np.array(["first"] * 7 + ['zweites, "<b>"'] * 5, dtype=object)
TEST_SET = TestSet(np.arange(1, N_SEGMENTS + 1), DOCUMENTS, "fingerprint", 2)


def statistics_of(metric, n_runs=(1, 3), test_set=TEST_SET, largest=100, names=("one", 'zwei "/')):
    rng = np.random.default_rng(5)
    values = {}
    for name, runs in zip(names, n_runs, strict=True):
        shape = (runs, len(test_set), len(metric.statistic_names))
        values[name] = rng.integers(0, largest, shape) if largest else np.abs(rng.normal(size=shape))
        keep_possible(metric, values[name])
    return SegmentStatistics(metric, values, test_set, f"case:mixed|version:{metric.name}")


def keep_possible(metric, values):
    """Lower matches to the n-grams that there are, and n-grams to the words of the hypothesis."""
    names = list(metric.statistic_names)
    of = {name: values[..., place] for place, name in enumerate(names)}
    if isinstance(metric, Bleu):
        of["ngrams_1"][...] = of["hypothesis_length"]
        for order in range(1, metric.max_ngram_order):
            np.minimum(of[f"ngrams_{order + 1}"], of[f"ngrams_{order}"], out=of[f"ngrams_{order + 1}"])
    for name in names:
        kind, _, rest = name.partition("_")
        if kind == "matches":
            for other in {f"ngrams_{rest}", f"hypothesis_{rest}", f"reference_{rest}"} & set(names):
                np.minimum(of[name], of[other], out=of[name])
    if isinstance(metric, Bleu):
        for order in range(1, metric.max_ngram_order):
            of[f"matches_{order + 1}"][of[f"matches_{order}"] == 0] = 0
    if isinstance(metric, Gtm):
        np.minimum(of["match_size"], np.minimum(of["hypothesis_length"], of["reference_length"]), out=of["match_size"])
    if isinstance(metric, MeanScore):
        of["score"][of["count"] == 0] = 0


def assert_same(one, other):
    assert one.metric == other.metric
    assert one.test_set == other.test_set
    assert one.signature == other.signature
    assert list(one) == list(other)
    for system in one:
        assert one[system].values.dtype == other[system].values.dtype
        assert np.array_equal(one[system].values, other[system].values)
    assert one == other


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "run.stats"
    save_statistics(path, statistics_of(Bleu()), statistics_of(MeanScore("comet"), largest=None))
    return path


def sentence_of(path, what):
    return (
        f"{str(path)!r} {what}: a whole file that save_statistics or `mtworkbench statistics` wrote was expected; make "
        "it again."
    )


def refused(path, *, code="statistics-file"):
    with pytest.raises(InputError) as caught:
        load_statistics(path)
    assert caught.value.code == code
    assert caught.value.path == str(path)
    return str(caught.value)


def test_what_was_saved_is_loaded(tmp_path):
    several = (
        statistics_of(Bleu(tokenize="none", smooth_method="floor", smooth_value=0.2)),
        statistics_of(ChrF(word_order=2), largest=300),
        statistics_of(Ter(), largest=None),
        statistics_of(Length(), largest=2**40),
        statistics_of(MeanScore("comet", "COMET", None), largest=None),
    )
    save_statistics(tmp_path / "run.stats", *several)
    loaded = load_statistics(tmp_path / "run.stats")
    assert len(loaded) == 5
    for one, other in zip(several, loaded, strict=True):
        assert_same(one, other)


@pytest.mark.parametrize("documents", [None, DOCUMENTS])
def test_a_test_set_with_and_without_documents(documents, tmp_path):
    test_set = TestSet(np.arange(5, 5 + N_SEGMENTS), documents, "fingerprint", 0, references_vary=True)
    statistics = statistics_of(Length(), test_set=test_set)
    save_statistics(tmp_path / "a", statistics)
    assert_same(load_statistics(tmp_path / "a")[0], statistics)


def test_what_is_known_of_segments_is_in_the_file(tmp_path):
    known = {
        "segment_ids": np.array([f"s{number}\u2028é" for number in range(N_SEGMENTS)], dtype=object),
        "source_digests": np.iinfo(np.int64).min + np.arange(N_SEGMENTS),
        "reference_digests": np.iinfo(np.int64).max - np.arange(N_SEGMENTS),
    }
    for names in (known, ["segment_ids"], ["source_digests"], ["reference_digests"]):
        test_set = replace(TEST_SET, unordered_references="sorted", **{name: known[name] for name in names})
        statistics = statistics_of(Length(), test_set=test_set)
        save_statistics(tmp_path / "a", statistics)
        assert_same(load_statistics(tmp_path / "a")[0], statistics)


def test_columns_are_in_the_file(tmp_path):
    columns = {"domain": np.array(["news"] * 5 + [""] * 7, dtype=object), "Sprecher/ä": DOCUMENTS}
    statistics = statistics_of(Length(), test_set=replace(TEST_SET, columns=columns))
    save_statistics(tmp_path / "a", statistics)
    (loaded,) = load_statistics(tmp_path / "a")
    assert {name: list(values) for name, values in loaded.test_set.columns.items()} == {
        name: list(values) for name, values in columns.items()
    }
    assert_same(loaded, statistics)


@pytest.mark.parametrize("columns", [["a"] * 12, {"domain": ["a"] * 11}, {"domain": [1] * 12}, {"domain": "a" * 12}, 3])
def test_columns_that_are_not_texts_by_name_are_refused(columns, saved, tmp_path):
    members = {"columns.json": json.dumps(columns).encode()}
    refused(rewritten(saved, tmp_path / "wrong", lambda header: header.update(columns=True), **members))


def test_normalized_text_is_in_the_file_and_in_the_signature(tmp_path):
    statistics = statistics_of(Length(), test_set=replace(TEST_SET, normalization="nfc"))
    save_statistics(tmp_path / "a", statistics)
    (loaded,) = load_statistics(tmp_path / "a")
    assert loaded.test_set.normalization == "nfc"
    assert_same(loaded, statistics)
    assert loaded.signature == "nrefs:2|case:mixed|version:Length|unicode:nfc"


def test_signature_is_the_metrics_where_the_statistics_have_none_of_their_own(tmp_path):
    statistics = SegmentStatistics(Length(), statistics_of(Length()).values, TEST_SET)
    save_statistics(tmp_path / "a", statistics)
    (loaded,) = load_statistics(tmp_path / "a")
    assert loaded.signature == statistics.signature == "nrefs:2|ref:closest|tok:none"


def test_several_files_merge(tmp_path):
    for name in ("a", "b"):
        parts = [statistics_of(metric, n_runs=(2,), names=[name]) for metric in (Bleu(), Length())]
        save_statistics(tmp_path / name, *parts)
    loaded = load_statistics(tmp_path / "a", tmp_path / "b")
    assert [(one.metric, list(one)) for one in loaded] == [(Bleu(), ["a", "b"]), (Length(), ["a", "b"])]


def test_files_that_do_not_agree_are_named(tmp_path):
    save_statistics(tmp_path / "a", statistics_of(Length()))
    other = TestSet(TEST_SET.segments, DOCUMENTS, "another fingerprint", 2)
    save_statistics(tmp_path / "b", statistics_of(Length(), test_set=other, names=("three", "four")))
    sentence = (
        f"{str(tmp_path / 'a')!r} and {str(tmp_path / 'b')!r} have different references. Statistics can be compared "
        "only if their segments, documents and references agree."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        load_statistics(tmp_path / "a", tmp_path / "b")


def test_the_same_statistics_make_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        save_statistics(tmp_path / name, statistics_of(Bleu()))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_files_are_small_and_other_programs_can_read_them(saved):
    header = json.loads(np.load(saved)["header.json"])
    assert header["format"] == "mtworkbench statistics"
    assert header["metrics"][0]["statistic_names"] == list(Bleu().statistic_names)
    member = header["metrics"][0]["systems"][1]["statistics"]
    array = np.load(saved)[member.removesuffix(".npy")]
    assert array.dtype == np.int8
    assert array.shape == (3, N_SEGMENTS, 10)


@pytest.mark.parametrize(
    ("largest", "kind"), [(127, np.int8), (128, np.int16), (2**15, np.int32), (2**31, np.int64), (2**53, np.int64)]
)
def test_integers_take_the_smallest_type_that_holds_them(largest, kind, tmp_path):
    values = {"it": np.array([[[largest, 1]]])}
    test_set = TestSet(np.array([1]), None, "", 1)
    save_statistics(tmp_path / "a", SegmentStatistics(Length(), values, test_set))
    assert np.load(tmp_path / "a")["metric_1_system_1"].dtype == kind
    (loaded,) = load_statistics(tmp_path / "a")
    assert loaded["it"].values.dtype == np.int64
    assert loaded["it"].values.tolist() == [[[largest, 1]]]


def test_a_file_that_is_cut_off_is_refused(saved, tmp_path):
    content = saved.read_bytes()
    path = tmp_path / "cut.stats"
    for length in [*range(0, len(content), 97), len(content) - 1]:
        path.write_bytes(content[:length])
        what = "is cut off" if length >= 4 else "is not a file of statistics"
        assert refused(path) == sentence_of(path, what)


def test_a_flipped_bit_is_refused_or_changes_nothing(saved, tmp_path):
    content = saved.read_bytes()
    expected = load_statistics(saved)
    path = tmp_path / "flipped.stats"

    @settings(max_examples=400, deadline=None)
    @given(st.integers(0, len(content) - 1), st.integers(0, 7))
    def check(place, bit):
        flipped = bytearray(content)
        flipped[place] ^= 1 << bit
        path.write_bytes(flipped)
        try:
            loaded = load_statistics(path)
        except InputError as error:
            assert error.path == str(path)
        else:
            for one, other in zip(loaded, expected, strict=True):
                assert_same(one, other)

    check()


@pytest.mark.parametrize(
    "content", [b"", b"\x00" * 100, b"segment\tscore\n", pickle.dumps([1, 2]), b"PK\x05\x06" + b"\0" * 18]
)
def test_another_file_is_refused(content, tmp_path):
    path = tmp_path / "foreign"
    path.write_bytes(content)
    assert refused(path) == sentence_of(path, "is not a file of statistics")


def test_another_archive_is_refused(tmp_path):
    np.savez(tmp_path / "arrays.npz", a=np.ones(3))
    assert refused(tmp_path / "arrays.npz") == sentence_of(tmp_path / "arrays.npz", "is not a file of statistics")


def rewritten(saved, path, change=lambda header: None, **members):
    """Write a file whose checksum is right, but whose header or members are not what save_statistics writes."""
    with zipfile.ZipFile(saved) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()[:-1]}
    header = json.loads(contents["header.json"])
    change(header)
    contents["header.json"] = json.dumps(header).encode()
    contents |= members
    contents["sha256"] = files._checksum(contents).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return path


def test_a_rewritten_file_is_as_good_as_the_old(saved, tmp_path):
    loaded = load_statistics(rewritten(saved, tmp_path / "again"))
    for one, other in zip(loaded, load_statistics(saved), strict=True):
        assert_same(one, other)


def test_a_newer_format_is_refused(saved, tmp_path):
    path = rewritten(saved, tmp_path / "new", lambda header: header.update(format_version=3, mtworkbench="9.9"))
    assert refused(path, code="newer-version") == (
        f"{str(path)!r} is in version 3 of the format, written by mtworkbench '9.9', but this mtworkbench reads "
        "versions 1 to 2: install that version or a newer one."
    )


def test_a_metric_that_is_not_there_is_refused(saved, tmp_path):
    path = rewritten(saved, tmp_path / "new", lambda header: header["metrics"][0].update(metric="os.system"))
    assert refused(path, code="unknown-metric") == (
        f"{str(path)!r} holds statistics of 'os.system', which is none of the metrics {', '.join(METRICS)}."
    )


def array_bytes(array, **options):
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


HOSTILE = {
    "runs below 1": lambda header: header["metrics"][0]["systems"][0].update(runs=-1),
    "runs that are text": lambda header: header["metrics"][0]["systems"][0].update(runs="1"),
    "runs that are not there": lambda header: header["metrics"][0]["systems"][0].update(runs=2),
    "no segments": lambda header: header.update(segments=0),
    "another normalization": lambda header: header.update(normalization="nfd"),
    "no metrics": lambda header: header.pop("metrics"),
    "metrics that are a number": lambda header: header.update(metrics=3),
    "another option": lambda header: header["metrics"][0]["options"].update(colour="red"),
    "other statistics": lambda header: header["metrics"][0].update(statistic_names=["a"] * 10),
    "a member that is not there": lambda header: header["metrics"][0]["systems"][0].update(statistics="x.npy"),
    "a member that is no array": lambda header: header["metrics"][0]["systems"][0].update(statistics="header.json"),
    "a version that is a list": lambda header: header.update(format_version=[2]),
    "no version": lambda header: header.pop("format_version"),
    "columns that are not there": lambda header: header.update(columns=True),
    "a flag of columns that is a list": lambda header: header.update(columns=["domain"]),
    "ids that are not there": lambda header: header.update(segment_ids=True),
    "digests that are not there": lambda header: header.update(source_digests=True),
    "a fingerprint that is a number": lambda header: header.update(unordered_references=7),
    "a system whose name is a number": lambda header: header["metrics"][0]["systems"][0].update(system=1),
    "two systems of one name": lambda header: header["metrics"][0]["systems"][0].update(system='zwei "/'),
    "two systems of one name under the second metric": lambda header: header["metrics"][1]["systems"][1].update(
        system="one"
    ),
    "a metric without systems": lambda header: header["metrics"][0].update(systems=[]),
    "a system with a control character": lambda header: header["metrics"][0]["systems"][0].update(system="\x1b[31m"),
    "a system with a line break": lambda header: header["metrics"][0]["systems"][0].update(system="one\nBLEU 99"),
    "a system without a name": lambda header: header["metrics"][0]["systems"][0].update(system=" "),
    "a system called as references are": lambda header: header["metrics"][0]["systems"][0].update(system="ref:A"),
    "a signature with a control character": lambda header: header["metrics"][0].update(signature="\x1b]0;x\x07"),
    "a signature that is a list": lambda header: header["metrics"][0].update(signature=["case:lc"]),
    "a mean with a control character": lambda header: header["metrics"][1]["options"].update(name="\x9b31m"),
    "a version with a control character": lambda header: header.update(mtworkbench="\x1b[31m"),
    "an option that is not finite": lambda header: header["metrics"][0]["options"].update(smooth_value=np.inf),
    "one array for two systems": lambda header: header["metrics"][1]["systems"][0].update(
        statistics=header["metrics"][1]["systems"][1]["statistics"], runs=3
    ),
    "a system whose name is no Unicode": lambda header: header["metrics"][0]["systems"][0].update(system="\ud800"),
    "a metric whose name is no Unicode": lambda header: header["metrics"][1]["options"].update(name="\ud800"),
    "an order that would take the memory": lambda header: header["metrics"][0]["options"].update(max_ngram_order=2**63),
    "a flag that is a number": lambda header: header.update(documents=1),
    "a flag that is a text": lambda header: header.update(reference_digests="no"),
    "a flag of a metric that is a text": lambda header: header["metrics"][0].update(direction_is_assumed="no"),
    "no fingerprint": lambda header: header.update(references=None),
    "references below 0": lambda header: header.update(n_references=-1),
    "a broken number of references": lambda header: header.update(n_references=1.5),
    "references that are text": lambda header: header.update(n_references="12"),
    "references that are true": lambda header: header.update(n_references=True),
    "segments that are true": lambda header: header.update(segments=True),
    "a direction to tell that is no option": lambda header: header["metrics"][0].update(direction_is_unknown=True),
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_a_header_that_is_wrong_is_refused(change, saved, tmp_path):
    refused(rewritten(saved, tmp_path / "wrong", change), code=code_of(change))


def code_of(change):
    return "newer-version" if change is HOSTILE["a version that is a list"] else "statistics-file"


def test_options_that_a_metric_cannot_have_are_refused(saved, tmp_path):
    path = rewritten(
        saved, tmp_path / "wrong", lambda header: header["metrics"][0]["options"].update(tokenize="rm -rf")
    )
    with pytest.raises(InputError, match="tokenize='rm -rf'"):
        load_statistics(path)


def test_nothing_is_unpickled(saved, tmp_path):
    class Exploding:
        def __reduce__(self):
            return (os._exit, (3,))

    pickled = array_bytes(np.array([[[Exploding()]]], dtype=object), allow_pickle=True)
    assert "pickle" in refused(
        rewritten(saved, tmp_path / "pickled", metric_1_system_1=b"", **{"segments.npy": pickled})
    )


@pytest.mark.parametrize(
    "array",
    [np.ones((1, N_SEGMENTS, 9), int), np.ones((1, N_SEGMENTS, 10), bool), np.ones((1, N_SEGMENTS, 10), complex)],
    ids=["shape", "bool", "complex"],
)
def test_an_array_of_another_shape_or_type_is_refused(array, saved, tmp_path):
    refused(rewritten(saved, tmp_path / "wrong", **{"metric_1_system_1.npy": array_bytes(array)}))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -1.0, -1])
def test_statistics_that_no_text_has_are_refused(value, saved, tmp_path):
    array = np.ones((1, N_SEGMENTS, 10)).astype(type(value))
    array[0, 3, 4] = value
    impossible = "statistics of BLEU that are impossible: matches_3 is -1, below 0"
    what = impossible if value == -1 else "numbers that are not finite"
    path = rewritten(saved, tmp_path / "wrong", **{"metric_1_system_1.npy": array_bytes(array)})
    assert refused(path) == sentence_of(path, f"cannot be read or is damaged ({what})")


@pytest.mark.parametrize(
    ("place", "value", "problem"),
    [
        (4, 2, "matches_3 is 2, larger than ngrams_3, which is 1"),
        (4, 0, "matches_4 is 1, but matches_3 is 0"),
        (6, 2, "ngrams_1 is 2, larger than hypothesis_length, which is 1"),
        (0, 2, "hypothesis_length is 2, larger than ngrams_1, which is 1"),
        (8, 2, "ngrams_3 is 2, larger than ngrams_2, which is 1"),
        (1, 0.5, "reference_length is 0.5, but a count must be a whole number"),
        (1, 2**53 + 1, "reference_length is 9007199254740993, too large to be computed with exactly (2^53 at most)"),
    ],
)
def test_counts_that_no_text_has_are_refused(place, value, problem, saved, tmp_path):
    array = np.ones((1, N_SEGMENTS, 10), dtype=type(value))
    array[0, 3, place] = value
    path = rewritten(saved, tmp_path / "wrong", **{"metric_1_system_1.npy": array_bytes(array)})
    what = f"cannot be read or is damaged (statistics of BLEU that are impossible: {problem})"
    assert refused(path) == sentence_of(path, what)


@pytest.mark.parametrize("name", ["line\nbreak", "\x1b[2J", "half \udc80"])
def test_names_of_segments_with_control_characters_are_neither_saved_nor_loaded(name, saved, tmp_path):
    names = np.array([name] * 5 + ["b"] * 7, dtype=object)
    for known in ({"documents": names}, {"segment_ids": names}, {"columns": {"domain": names}}):
        with pytest.raises(InputError, match="^The statistics cannot be saved.*with a control character") as caught:
            save_statistics(tmp_path / "a", statistics_of(Length(), test_set=replace(TEST_SET, **known)))
        assert caught.value.code == "cannot-save"
    path = rewritten(saved, tmp_path / "wrong", **{"documents.json": json.dumps(list(names)).encode()})
    assert "documents with a control character" in refused(path)
    columns = json.dumps({"domain": list(names)}).encode()
    path = rewritten(saved, tmp_path / "wrong", lambda header: header.update(columns=True), **{"columns.json": columns})
    assert "values of domain with a control character" in refused(path)


def test_counts_that_no_text_has_are_not_saved(tmp_path):
    statistics = statistics_of(Length())
    statistics.values["one"][0, 2, 1] = -7
    with pytest.raises(InputError) as caught:
        save_statistics(tmp_path / "a", statistics)
    assert caught.value.code == "cannot-save"
    assert str(caught.value) == (
        "The Length statistics of system 'one' (run 1, segment 3) cannot be saved: reference_length is -7, below 0; "
        "compute them again."
    )


def test_scores_may_be_below_0_and_their_counts_may_not(tmp_path):
    table = pd.DataFrame({"system": "a", "segment": [1, 2, 3], "da": [-1.0, 2.0, None]})
    save_statistics(tmp_path / "a", compute_statistics(read_table(table), MeanScore("da")))
    (loaded,) = load_statistics(tmp_path / "a")
    assert loaded["a"].values.tolist() == [[[-1.0, 1.0], [2.0, 1.0], [0.0, 0.0]]]
    wrong = array_bytes(loaded["a"].values * [1, -1])
    refused(rewritten(tmp_path / "a", tmp_path / "wrong", **{"metric_1_system_1.npy": wrong}))


@pytest.mark.parametrize("member", ["documents", "segment_ids"])
@pytest.mark.parametrize(
    "names",
    [["a"], ["a"] * 13, [1] * 12, [None] * 12, [["a"]] * 12, {"a": 1}, "abcdefghijkl", [*"abcdefghijk", {}]],
    ids=repr,
)
def test_names_that_are_not_one_text_for_each_segment_are_refused(member, names, saved, tmp_path):
    members = {f"{member}.json": json.dumps(names).encode()}
    refused(rewritten(saved, tmp_path / "wrong", lambda header: header.update({member: True}), **members))


@pytest.mark.parametrize(
    "array",
    [np.ones(11, int), np.ones((12, 1), int), np.ones(12), np.ones(12, bool), np.array(["a"] * 12)],
    ids=["short", "shape", "float", "bool", "text"],
)
@pytest.mark.parametrize("member", ["segments", "source_digests", "reference_digests"])
def test_numbers_that_are_not_one_for_each_segment_are_refused(member, array, saved, tmp_path):
    members = {f"{member}.npy": array_bytes(array)}
    refused(rewritten(saved, tmp_path / "wrong", lambda header: header.update({member: True}), **members))


def test_a_bomb_is_refused_before_it_unfolds(saved, tmp_path):
    import tracemalloc

    bomb = bytes(2**27)
    path = rewritten(saved, tmp_path / "bomb", **{"metric_1_system_1.npy": bomb})
    del bomb
    tracemalloc.start()
    assert "longer than it may be" in refused(path)
    assert tracemalloc.get_traced_memory()[1] < 2**24
    tracemalloc.stop()


@pytest.mark.parametrize("kind", ["<f8", "<i8", "<U9999999", "|S99999999"])
def test_an_array_that_announces_more_than_is_there_takes_no_memory(kind, saved, tmp_path):
    import tracemalloc

    stream = io.BytesIO()
    shape = (1, N_SEGMENTS, 10) if kind[1] in "US" else (10**9,)
    np.lib.format.write_array_header_1_0(stream, {"descr": kind, "fortran_order": False, "shape": shape})
    path = rewritten(saved, tmp_path / "announces", **{"metric_1_system_1.npy": stream.getvalue()})
    tracemalloc.start()
    told = refused(path)
    assert tracemalloc.get_traced_memory()[1] < 2**24
    tracemalloc.stop()
    what = f"an array of shape {shape} and type {kind} instead of shape {(1, N_SEGMENTS, 10)}"
    assert told == sentence_of(path, f"cannot be read or is damaged ({what})").replace(kind, str(np.dtype(kind)))


def test_an_array_without_its_numbers_is_refused(saved, tmp_path):
    cut = array_bytes(np.zeros((1, N_SEGMENTS, 10)))[:-1]
    path = rewritten(saved, tmp_path / "cut", **{"metric_1_system_1.npy": cut})
    assert refused(path) == sentence_of(path, "cannot be read or is damaged (an array that is cut off)")


def test_an_array_in_another_version_of_numpys_format_is_refused(saved, tmp_path):
    content = array_bytes(np.zeros((1, N_SEGMENTS, 10)))
    members = {"metric_1_system_1.npy": content[:6] + bytes([2]) + content[7:]}
    told = refused(rewritten(saved, tmp_path / "other", **members))
    assert "(an array in another version of numpy's format)" in told


def test_too_little_memory_for_a_file_is_told(saved, monkeypatch):
    def take_too_much(*_, **__):
        raise MemoryError

    monkeypatch.setattr(files.np.lib.format, "read_array", take_too_much)
    assert refused(saved, code="too-large") == (
        f"{str(saved)!r} needs more memory than is available: load fewer files at once, or make files of fewer metrics "
        "or systems."
    )


def test_more_memory_than_any_file_needs_is_refused(saved, tmp_path):
    path = rewritten(saved, tmp_path / "large", lambda header: header.update(segments=10**12))
    assert refused(path, code="too-large") == (
        f"{str(path)!r} asks for {8 * 10**12 * (1 + 10 + 30 + 2 + 6) / 2**30:.1f} GiB of memory, but a file of "
        "statistics holds at most 2 GiB."
    )


def test_statistics_that_could_not_be_loaded_again_are_not_saved(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LARGEST_ARRAYS", 1000)
    with pytest.raises(InputError, match="save metrics or systems into several files") as caught:
        save_statistics(tmp_path / "a", statistics_of(Bleu()))
    assert caught.value.code == "too-large"
    assert os.listdir(tmp_path) == []


def test_what_cannot_be_saved_is_said(tmp_path):
    path = tmp_path / "a"
    with pytest.raises(InputError, match=f"^There are no statistics to save into {str(path)!r}.$"):
        save_statistics(path)
    with pytest.raises(InputError, match="merge_statistics joins them") as caught:
        save_statistics(path, statistics_of(Length()), statistics_of(Length()))
    assert caught.value.code == "duplicate-metric"
    part = TEST_SET.take(np.arange(3))
    with pytest.raises(InputError, match="^BLEU and Length cover different segments"):
        save_statistics(path, statistics_of(Bleu()), statistics_of(Length(), test_set=part))
    assert os.listdir(tmp_path) == []


def test_arguments_to_save_that_are_not_a_path_and_statistics_are_refused(tmp_path):
    statistics = statistics_of(Length())
    sentence = (
        "^The arguments of save_statistics are of the types {}, but a path and then SegmentStatistics were expected, "
        r"as in save_statistics\(path, bleu, chrf\)\.$"
    )
    for arguments, types in (
        ((statistics, str(tmp_path / "a")), "SegmentStatistics, str"),
        ((statistics, 1), "SegmentStatistics, int"),
        ((None, statistics), "NoneType, SegmentStatistics"),
    ):
        with pytest.raises(InputError, match=sentence.format(types)) as caught:
            save_statistics(*arguments)
        assert caught.value.code == "no-statistics"
    assert os.listdir(tmp_path) == []


def test_a_metric_of_the_users_own_cannot_be_saved(tmp_path):
    class Own(Length):
        pass

    statistics = SegmentStatistics(Own(), statistics_of(Length()).values, TEST_SET)
    with pytest.raises(
        InputError, match="^Statistics of Own cannot be saved: a file names its metric, and only bleu, "
    ):
        save_statistics(tmp_path / "a", statistics)


def test_a_missing_file_is_said(tmp_path):
    path = tmp_path / "none.stats"
    assert refused(path, code="not-a-file") == f"There is no file of statistics {str(path)!r}."
    assert refused(tmp_path, code="not-a-file") == (
        f"{str(tmp_path)!r} is a folder, but a file of statistics was expected: name the files in it."
    )
    with pytest.raises(InputError, match=r"^No file of statistics was named, but at least one was expected\.$"):
        load_statistics()


def test_a_write_that_fails_leaves_the_old_file(saved, tmp_path, monkeypatch):
    path = tmp_path / "run.stats"
    path.write_bytes(saved.read_bytes())

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left on device") as caught:
        save_statistics(path, statistics_of(Length()))
    assert caught.value.code == "cannot-write"
    assert path.read_bytes() == saved.read_bytes()
    assert os.listdir(tmp_path) == ["run.stats"]


VERSION_1 = Path(__file__).parent / "version_1"
JUDGED = [VERSION_1 / f"judgements.{name}.stats" for name in "ab"]


def loaded_with(codes, *paths, **options):
    """Load, and check which warnings there are; return them as well."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        loaded = load_statistics(*paths, **options)
    assert [warning.message.code for warning in caught] == codes
    return loaded, [str(warning.message) for warning in caught]


def old_texts():
    """What the old file of BLEU was made from."""
    references = ["the cat sat on the mat", "a dog barks loudly", "it rains in spring", "the end"]
    hypotheses = {
        ("one", 1): ["the cat sat on a mat", "a dog barks", "it rains in spring", "the end"],
        ("one", 2): ["a cat sat on the mat", "dog barks loudly", "it rained in spring", "end"],
        ("two", 1): ["cat on the mat", "the dog is loud", "rain in spring", "the end"],
    }
    return pd.DataFrame(
        [
            {"system": system, "run": run, "segment": i + 1, "document": "xxyy"[i] * 3, "reference": references[i]}
            | {"reference_2": references[i].upper(), "hypothesis": text}
            for (system, run), texts in hypotheses.items()
            for i, text in enumerate(texts)
        ]
    )


def test_a_file_of_version_1_is_read_and_meets_new_statistics_of_the_same_references(tmp_path):
    (old,) = load_statistics(VERSION_1 / "bleu.stats")
    new = compute_statistics(read_table(old_texts()), "bleu")
    assert (old.test_set.reference_digests, old.test_set.unordered_references) == (None, None)
    assert_same(replace(old, test_set=old.test_set.filled_from(new.test_set)), new)
    save_statistics(tmp_path / "new", replace(new, values={"three": new.values["two"]}))
    for paths in ([VERSION_1 / "bleu.stats", tmp_path / "new"], [tmp_path / "new", VERSION_1 / "bleu.stats"]):
        (merged,) = load_statistics(*paths)
        assert set(merged) == {"one", "two", "three"}
        assert merged.test_set == new.test_set
    turned = old_texts().assign(reference=[*"abcd"] * 3)
    save_statistics(tmp_path / "other", compute_statistics(read_table(turned), "bleu"))
    with pytest.raises(InputError) as caught:
        load_statistics(VERSION_1 / "bleu.stats", tmp_path / "other")
    assert caught.value.code == "different-references"


def test_old_statistics_of_a_varying_number_of_references_have_references(tmp_path):
    """Version 1 wrote 0 references for them, as for judgements, and no digests."""
    texts = old_texts()
    texts.loc[texts["segment"] == 2, "reference_2"] = None
    other = texts.assign(reference=[*"abcd"] * 3)
    told = {"reference_digests": None, "unordered_references": None, "references_vary": False}
    for name, outputs in {"x": texts, "y": other}.items():
        made = compute_statistics(read_table(outputs), "bleu")
        assert (made.test_set.n_references, made.test_set.references_vary) == (0, True)
        for system in made:
            one = replace(made, values={system: made.values[system]}, test_set=replace(made.test_set, **told))
            save_statistics(tmp_path / "new", one)
            rewritten(tmp_path / "new", tmp_path / f"{name}.{system}", lambda header: header.update(format_version=1))
    (loaded,), _ = loaded_with([], tmp_path / "x.one", tmp_path / "x.two")
    assert list(loaded) == ["one", "two"]
    assert refused_together(tmp_path / "x.one", tmp_path / "y.two") == "different-references"
    save_statistics(tmp_path / "again", loaded)
    assert refused_together(tmp_path / "again", tmp_path / "y.two") == "different-references"


def refused_together(*paths):
    with pytest.raises(InputError) as caught:
        load_statistics(*paths)
    return caught.value.code


def test_old_judgements_say_nothing_of_their_segments(tmp_path):
    told = {"score": True, "ter": False}
    (score, ter, comet), _ = loaded_with([], JUDGED[0], directions=told)
    assert (score.metric, ter.metric, comet.metric) == (
        MeanScore("score", higher_is_better=True),
        MeanScore("ter", higher_is_better=False),
        MeanScore("comet", higher_is_better=True),
    )
    assert score.test_set.segment_ids is score.test_set.reference_digests is None
    loaded, [sentence] = loaded_with(["unknown-identity"], *JUDGED, directions=told)
    assert [list(one) for one in loaded] == [["a", "b"]] * 3
    assert sentence == (
        f"Nothing but their numbers says that {str(JUDGED[0])!r} and {str(JUDGED[1])!r} have the same segments, so "
        "segments were matched by number: results are wrong if these are different test sets, or if one of them "
        "numbered its rows for itself in another order. Compute the statistics from one table, or from tables whose "
        "segments have ids or documents."
    )
    # New ones that know their segments cannot say which of them those of the old file are.
    table = pd.DataFrame({"system": "c", "segment": [f"s{i}" for i in range(40)], "comet": np.arange(40.0)})
    with pytest.warns(DataWarning, match="segments have names"):
        new = compute_statistics(read_table(table), MeanScore("comet"))
    save_statistics(tmp_path / "new", new)
    with pytest.raises(InputError, match="have ids .the first is 's0'., and those of .* have none: give") as caught:
        load_statistics(JUDGED[0], tmp_path / "new", directions=told)
    assert caught.value.code == "ambiguous-segments"


def test_old_judgements_keep_the_direction_that_their_file_says(tmp_path):
    how = (
        "give the direction with --direction NAME=up or NAME=down (in Python, with higher_is_better=True or False in "
        "MeanScore, or directions={'NAME': True or False} in load_statistics)."
    )
    loaded, [unknown, opposite] = loaded_with(["unknown-direction", "opposite-direction"], JUDGED[0])
    assert [one.metric.higher_is_better for one in loaded] == [True, True, True]
    path = str(JUDGED[0])
    assert unknown == (
        f"The direction of 'score' in {path!r} comes from an old version of mtworkbench, which assumed for all scores "
        f"that higher is better. If that is wrong, {how.replace('NAME', 'score')}"
    )
    assert opposite == (
        f"{path!r} says, as an old version of mtworkbench wrote, that higher is better for 'ter'. This is followed, "
        f"although for scores of this name lower is normally better. If it is wrong, {how.replace('NAME', 'ter')}"
    )
    loaded_with(["opposite-direction"], JUDGED[0], directions={"score": False})
    # That it is saved again tells nothing; a merge with what was told the same does not, either.
    save_statistics(tmp_path / "again", *loaded)
    again, sentences = loaded_with(["unknown-direction", "opposite-direction"], tmp_path / "again")
    assert sentences == [one.replace(path, str(tmp_path / "again")) for one in (unknown, opposite)]
    assert [one.metric for one in again] == [one.metric for one in loaded]
    scored = replace(again[0], metric=MeanScore("score", higher_is_better=True), values={"c": again[0].values["a"]})
    save_statistics(tmp_path / "c", *merge_statistics(scored, again[0]))
    loaded_with(["unknown-direction"], tmp_path / "c")
    told, _ = loaded_with([], tmp_path / "again", directions={"score": True, "ter": False})
    save_statistics(tmp_path / "told", *told)
    loaded_with([], tmp_path / "told")
    # Two files are warned of once; an old and a new one that say different things are not put together.
    loaded_with(["unknown-direction", "opposite-direction", "unknown-identity"], *JUDGED)
    table = pd.DataFrame({"system": "c", "segment": np.arange(1, 41), "ter": np.arange(40.0)})
    save_statistics(tmp_path / "new", compute_statistics(read_table(table), MeanScore("ter")))
    with warnings.catch_warnings(), pytest.raises(InputError) as caught:
        warnings.simplefilter("ignore", DataWarning)
        load_statistics(JUDGED[0], tmp_path / "new")
    assert caught.value.code == "different-options"
    assert str(caught.value) == (
        f"The statistics of MeanScore in {path!r} have higher_is_better=True, but those in {str(tmp_path / 'new')!r} "
        f"have higher_is_better=False, and no system has both: {how.replace('NAME', 'ter')}"
    )
    directions = {"ter": False, "score": True}
    codes = ["unknown-identity", "lacking-systems", "lacking-systems"]
    loaded, _ = loaded_with(codes, JUDGED[0], tmp_path / "new", directions=directions)
    assert [list(one) for one in loaded] == [["a"], ["a", "c"], ["a"]]


def test_an_unknown_direction_stays_unknown_in_a_file_until_it_is_told(tmp_path):
    unknown = statistics_of(MeanScore("score"), largest=None)
    save_statistics(tmp_path / "a", unknown, statistics_of(MeanScore("zz", higher_is_better=None), largest=None))
    (score, explicit), [sentence] = loaded_with(["unknown-direction"], tmp_path / "a")
    assert sentence.startswith("Nothing says whether higher or lower is better for the scores 'score', so no wins are")
    assert (score.metric.higher_is_better, score.metric.direction_is_unknown) == (None, True)
    assert (explicit.metric.higher_is_better, explicit.metric.direction_is_unknown) == (None, False)
    (score, _), _ = loaded_with([], tmp_path / "a", directions={"Score": False})
    assert (score.metric.higher_is_better, score.metric.direction_is_unknown) == (False, False)
    with pytest.raises(InputError, match="^A direction was given for 'other', but no mean score has this name: "):
        load_statistics(tmp_path / "a", directions={"other": True})


# For each number read, saves statistics of that name, and is killed after so many calls to the file system.
KILLED = """
import io, os, signal, sys
import numpy as np
from mtworkbench.statistics import files
from mtworkbench.metrics import Length
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet

test_set = TestSet(np.arange(1, 301), None, "fingerprint", 1)
replace_file = files.replace_file

def replace_file_until(step):
    def count(frame, event, called):
        nonlocal step
        on_a_file = isinstance(getattr(called, "__self__", None), io.IOBase)
        if event == "c_call" and (on_a_file or called.__module__ in ("posix", "io")):
            if not step:
                os.kill(os.getpid(), signal.SIGKILL)
            step -= 1

    def replace_counted(path, content):
        sys.setprofile(count)
        replace_file(path, content)
        sys.setprofile(None)

    return replace_counted

for step in map(int, sys.stdin):
    child = os.fork()
    if not child:
        values = np.random.default_rng(step).integers(0, 30000, (15, 300, 2))
        files.replace_file = replace_file_until(step)
        files.save_statistics(sys.argv[1], SegmentStatistics(Length(), {str(step): values}, test_set))
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_program_killed_at_any_step_of_writing_leaves_the_old_file_or_the_new(tmp_path):
    path = tmp_path / "run.stats"
    save_statistics(path, statistics_of(Length(), n_runs=(1,), names=["old"]))
    found = ["old"]
    environment = os.environ | {"PYTHONPATH": os.path.dirname(os.path.dirname(mtworkbench.__file__))}
    command = [sys.executable, "-c", KILLED, str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as program:
        status = -signal.SIGKILL
        while status == -signal.SIGKILL:
            step = len(found) - 1
            program.stdin.write(f"{step}\n")
            program.stdin.flush()
            status = int(program.stdout.readline())
            (loaded,) = load_statistics(path)
            (name,) = loaded
            assert name in (found[-1], str(step))
            if name != "old":
                expected = np.random.default_rng(int(name)).integers(0, 30000, (15, 300, 2))
                assert np.array_equal(loaded[name].values, expected)
            found.append(name)
            for left in os.listdir(tmp_path):  # what is this old, the next program that writes may sweep away
                os.utime(tmp_path / left, (0, 0))
    assert status == 0
    assert found.count("old") > 10
    assert found[-2] == str(step - 1)  # killed, but when all that matters was done
    assert os.listdir(tmp_path) == ["run.stats"]


def test_checksum_is_of_all_members_names_and_contents():
    members = {"a": b"12", "b": b"3"}
    assert files._checksum(members) == hashlib.sha256(b"a:2:12b:1:3").hexdigest()
    assert files._checksum({"a": b"1", "b": b"23"}) != files._checksum(members)


def test_a_list_of_files_is_not_a_file(tmp_path):
    with pytest.raises(InputError, match=r"or load_statistics\(\*paths\)\.$") as refused:
        load_statistics([tmp_path / "a", tmp_path / "b"])
    assert refused.value.code == "not-a-path"
    with pytest.raises(InputError, match=r"as in save_statistics\(path, \*statistics\)\.$"):
        save_statistics(tmp_path / "a", [statistics_of(Length())])


def test_control_characters_in_a_name_are_shown_as_escapes(saved, tmp_path):
    path = rewritten(saved, tmp_path / "a", lambda header: header["metrics"][0].update(signature="\x1b[31m"))
    what = "cannot be read or is damaged (a text with a control character, '\\x1b[31m')"
    assert refused(path) == sentence_of(path, what)


def test_sums_that_are_not_finite_are_refused(saved, tmp_path):
    scores = np.stack([np.full((1, N_SEGMENTS), 1e308), np.ones((1, N_SEGMENTS))], axis=-1)
    path = rewritten(saved, tmp_path / "a", **{"metric_2_system_1.npy": array_bytes(scores)})
    assert refused(path) == sentence_of(path, "cannot be read or is damaged (numbers whose sum is not finite)")


def test_numbers_of_segments_below_1_are_refused(saved, tmp_path):
    path = rewritten(saved, tmp_path / "a", **{"segments.npy": array_bytes(np.arange(-5, N_SEGMENTS - 5))})
    assert refused(path) == sentence_of(path, "cannot be read or is damaged (numbers of segments below 1)")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_what_a_file_says_twice_is_refused(saved, tmp_path):
    with zipfile.ZipFile(saved) as archive:
        contents = [(name, archive.read(name)) for name in archive.namelist()]
    with zipfile.ZipFile(tmp_path / "members", "w") as archive:
        for name, content in [contents[0], *contents]:
            archive.writestr(name, content)
    what = "cannot be read or is damaged (two parts of one name)"
    assert refused(tmp_path / "members") == sentence_of(tmp_path / "members", what)
    header = contents[0][1].replace(b'"segments": 12,', b'"segments": 11, "segments": 12,')
    assert header != contents[0][1]
    members = dict(contents[:-1]) | {"header.json": header}
    (tmp_path / "keys").write_bytes(files._archive(members))
    what = "cannot be read or is damaged (one name for two things)"
    assert refused(tmp_path / "keys") == sentence_of(tmp_path / "keys", what)


def test_names_that_could_not_be_loaded_again_are_not_saved(tmp_path):
    for statistics, named in (
        (statistics_of(Length(), names=("one", "\x1b[31m")), "a text with a control character, '\\x1b[31m'"),
        (
            statistics_of(MeanScore("da", name="a\nb", higher_is_better=True)),
            "a text with a control character, 'a\\nb'",
        ),
        (statistics_of(Length(), names=("one", "src")), "a system called 'src', as no system can be called"),
    ):
        with pytest.raises(InputError) as caught:
            save_statistics(tmp_path / "a", statistics)
        sentence = f"The statistics cannot be saved, because a file may not hold {named}: rename it."
        assert (caught.value.code, str(caught.value)) == ("cannot-save", sentence)
    assert os.listdir(tmp_path) == []


def test_names_of_runs_survive_a_file_and_a_plain_table(tmp_path):
    one, two = {"a": [["x y", "z"], ["x", "z z"]], "b": ["x y z", "z"]}, ["x y", "z z"]
    outputs = make_outputs(two, one).assign(run_name=["2", "2", "4", "4", "1", "1"])
    statistics = compute_statistics(outputs, "length")
    assert statistics.run_names == {"a": ("2", "4")}
    assert (statistics["a"].run_names, statistics["b"].run_names) == (("2", "4"), ("1",))
    save_statistics(tmp_path / "named", statistics)
    (tmp_path / "named.tsv").write_text(tabulate_statistics([statistics]).to_csv(sep="\t", index=False))
    for name in ("named", "named.tsv"):
        (loaded,) = load_statistics(tmp_path / name)
        assert loaded.run_names == statistics.run_names
    # Runs that are called 1, 2, 3 ... are known; of runs without names nothing is.
    for labelled, names in ((outputs.assign(run_name=outputs["run"].map(str)), {"a": ("1", "2")}), (outputs, {})):
        plain = labelled if names else labelled.drop(columns="run_name")
        save_statistics(tmp_path / "counted", compute_statistics(plain, "length"))
        assert load_statistics(tmp_path / "counted")[0].run_names == names
