"""Any mutated bytes end in an outputs frame or in an InputError: never in another exception, nor in a hang."""

import bz2
import gzip
import io
import json
import lzma
import warnings

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks import check_outputs
from mtworkbench.outputs.report import ACCEPTABLE
from mtworkbench.outputs.table import read_table
from mtworkbench.outputs.text import read_outputs

TEXTS = ["one sentence", "another, “longer” one", 'a "third"', "naïve 4", "日本語 5"]
PLAIN = "".join(text + "\n" for text in TEXTS).encode()
ROWS = [
    {"system": system, "segment": i, "document": "d", "reference": text, "hypothesis": text[::-1], "score": 0.5 * i}
    for system in "ab"
    for i, text in enumerate(TEXTS, start=1)
]
TSV = "\n".join("\t".join(map(str, row)) for row in [list(ROWS[0]), *(list(row.values()) for row in ROWS)]).encode()
FORMATS = {
    "txt": PLAIN,
    "gz": gzip.compress(PLAIN),
    "bz2": bz2.compress(PLAIN),
    "xz": lzma.compress(PLAIN),
    "tsv": TSV,
    "csv": pd.DataFrame(ROWS).to_csv(index=False).encode(),
    "jsonl": "".join(json.dumps(row) + "\n" for row in ROWS).encode(),
}
try:
    import zstandard

    FORMATS["zst"] = zstandard.compress(PLAIN)
except ImportError:
    pass
try:
    buffer = io.BytesIO()
    pd.DataFrame(ROWS).to_parquet(buffer)
    FORMATS["parquet"] = buffer.getvalue()
except ImportError:
    pass

PIECES = [
    *(
        b"\n",
        b"\r",
        b"\r\n",
        b"\t",
        b",",
        b'"',
        b"\0",
        b"\xff",
        b"\xed\xa0\x80",
        b"\\ud800",
        b"\xe2\x80\xa8",
        b"\xef\xbb\xbf",
    ),
    *(b"NaN", b"null", b"None", b"1e999", b"-0", b"[", b"{", b"}", b" ", b"\xff\xfe", b"\x1f\x8b", b"9" * 30, b""),
]
mutations = st.lists(
    st.tuples(st.integers(0, 2**16), st.integers(0, 8), st.one_of(st.sampled_from(PIECES), st.binary(max_size=4))),
    min_size=1,
    max_size=4,
)


def mutate(data, changes):
    """Replace, at each place, some bytes by others."""
    for place, length, piece in changes:
        start = place % (len(data) + 1)
        data = data[:start] + piece + data[start + length :]
    return data


def ends_well(read):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            outputs = read()
        except InputError as error:
            assert str(error)
            assert str(error).isprintable()
            return
    if outputs is not None:
        check_outputs(outputs)


@pytest.mark.parametrize("suffix", FORMATS)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=mutations, accept=st.sets(st.sampled_from(sorted(set(ACCEPTABLE) - {"empty-ref"}))))
def test_mutated_bytes(tmp_path, suffix, changes, accept):
    path = tmp_path / f"fuzzed.{suffix}"
    path.write_bytes(mutate(FORMATS[suffix], changes))
    plain = tmp_path / "plain.txt"
    plain.write_bytes(PLAIN)
    if suffix in ("tsv", "csv", "jsonl", "parquet"):
        ends_well(lambda: read_table(path, accept=accept))
        ends_well(lambda: read_table(path, systems=["hypothesis", "system"], accept=accept))
    else:
        ends_well(lambda: read_outputs(plain, {"a": path}, accept=accept))
        ends_well(lambda: read_outputs([path, plain], {"a": plain}, documents=path, source=path, accept=accept))


values = st.one_of(
    st.none(), st.text(max_size=5), st.integers(), st.floats(), st.booleans(), st.just(pd.NA), st.lists(st.text())
)


@settings(max_examples=60, deadline=None)
@given(
    columns=st.dictionaries(
        st.sampled_from(["run", "segment", "document", "source", "score", "reference_2", "domain", "segment_id", ""]),
        st.lists(values, min_size=2, max_size=2),
    ),
    required=st.lists(values, min_size=6, max_size=6),
)
def test_frames_of_anything(columns, required):
    good = {"system": ["a", "b"], "reference": ["r", "r"], "hypothesis": ["h", "g"]}
    ends_well(lambda: read_table(pd.DataFrame(good | columns, dtype=object)))
    for i, name in enumerate(good):
        frame = pd.DataFrame(good | {name: required[2 * i : 2 * i + 2]}, dtype=object)
        ends_well(lambda frame=frame: read_table(frame))
        ends_well(lambda frame=frame: check_outputs(frame.assign(run=1, segment=[1, 1])))
