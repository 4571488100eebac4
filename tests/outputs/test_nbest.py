"""n-best lists of Moses and cdec: their formats, their traps, and what is refused."""

import gzip
import warnings

import numpy as np
import pytest

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.outputs.checks.frames import check_outputs
from mtworkbench.outputs.nbest import feature_names, read_nbest

MOSES = """\
0 ||| the cat ||| Distortion0= 0 LM0= -5.5 TM= -1 -2.5 ||| -3.25 ||| 0-0 1-1
0 ||| a cat ||| Distortion0= -1 LM0= -6 TM= -1e1 -2 rare= 1 ||| -4
1 ||| dogs ||| Distortion0= 0 LM0= -2 TM= -0 .5 ||| -1
"""


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return write


@pytest.fixture
def reference(write):
    return write("ref.txt", "the cat\na dog\n")


def refused(*args, **kwargs):
    with pytest.raises(InputError) as caught, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read_nbest(*args, **kwargs)
    return caught.value


def test_moses_lists(write, reference):
    lists = read_nbest(write("nbest", MOSES), reference, system="moses")
    assert lists["segment"].tolist() == [1, 1, 2]
    assert lists["rank"].tolist() == [1, 2, 1]
    assert lists["reference"].tolist() == ["the cat", "the cat", "a dog"]
    assert lists["hypothesis"].tolist() == ["the cat", "a cat", "dogs"]
    assert lists["score"].tolist() == [-3.25, -4, -1]
    assert set(lists["system"]) == {"moses"}
    assert feature_names(lists) == ["Distortion0", "LM0", "TM_1", "TM_2", "rare"]
    assert lists[feature_names(lists)].to_numpy().tolist() == [
        [0, -5.5, -1, -2.5, 0],
        [-1, -6, -10, -2, 1],
        [0, -2, 0, 0.5, 0],
    ]
    check_outputs(lists[lists["rank"] == 1])


def test_old_moses_labels_and_no_blank_before_the_first_bar(write, reference):
    text = "0|||  the cat .  ||| d: 0 -7.5 lm: -4 w: -9 ||| -14\n1||| a dog ||| d: 1 2 lm: 3 w: 4 ||| 5\n"
    lists = read_nbest(write("nbest", text), reference)
    assert lists["hypothesis"].tolist() == ["the cat .", "a dog"]
    assert lists[feature_names(lists)].to_dict("list") == {"d_1": [0, 1], "d_2": [-7.5, 2], "lm": [-4, 3], "w": [-9, 4]}


def test_cdec_features_are_0_where_they_are_not_named(write, reference):
    text = "0 ||| the cats ||| Glue=2 LM=-3.5 ||| -1\n1 ||| a dog ||| LM=-2 PassThrough=1 ||| -2\n"
    lists = read_nbest(write("nbest", text), reference)
    features = lists[feature_names(lists)].to_dict("list")
    assert features == {"Glue": [2, 0], "LM": [-3.5, -2], "PassThrough": [0, 1]}


def test_features_without_names_and_lines_without_a_score(write, reference):
    lists = read_nbest(write("nbest", "0 ||| the cats ||| -1 2 ||| -1\n1 ||| a dog ||| 3 4\n"), reference)
    assert lists[feature_names(lists)].to_dict("list") == {"feature_1": [-1, 3], "feature_2": [2, 4]}
    assert lists["score"].tolist() == pytest.approx([-1, np.nan], nan_ok=True)


def test_compressed_files_become_runs(tmp_path, write, reference):
    (tmp_path / "run1.gz").write_bytes(gzip.compress(b"0 ||| the cat ||| f= 1\n1 ||| the dog ||| f= 2\n"))
    (tmp_path / "run2.gz").write_bytes(gzip.compress(b"0 ||| cat ||| f= 3\n0 ||| cats ||| f= 4\n1 ||| dog ||| f= 5\n"))
    lists = read_nbest(str(tmp_path / "run*.gz"), reference)
    assert lists["run"].tolist() == [1, 1, 2, 2, 2]
    assert lists["segment"].tolist() == [1, 2, 1, 1, 2]
    assert lists["f"].tolist() == [1, 2, 3, 4, 5]
    check_outputs(lists[lists["rank"] == 1])


@pytest.mark.parametrize(
    ("text", "code", "line", "says"),
    [
        ("0 ||| the cat\n", "nbest-line", 1, "has 1 separators ('|||')"),
        ("0 ||| a ||| f= 1\nx ||| b ||| f= 1\n", "nbest-line", 2, "'x' was found where the number of a segment"),
        ("-1 ||| a ||| f= 1\n", "nbest-line", 1, "'-1' was found"),
        ("0 ||| a ||| f= 1\n2 ||| b ||| f= 1\n", "count-mismatch", 2, "beyond the 2 lines of"),
        ("0 ||| a ||| f= 1,5\n", "bad-number", 1, "'1,5' cannot be taken for a number"),
        ("0 ||| a ||| f= nan\n", "bad-number", 1, "'nan' cannot"),
        ("0 ||| a ||| f= None\n", "bad-number", 1, "there is none"),
        ("0 ||| a ||| f= 1 ||| 1e400\n", "bad-number", 1, "it is too large"),
        ("0 ||| a ||| f=\n", "features", 1, "feature 'f=' has no value"),
        ("0 ||| a ||| f= 1 f= 2\n", "features", 1, "feature 'f' stands twice"),
        ("0 ||| a ||| f= 1 2\n0 ||| b ||| f= 1\n", "features", 2, "has 1 values, but 2 in a line before"),
        ("0 ||| a ||| f= 1 2\n0 ||| b ||| g= 1\n", "features", 2, "there is no feature 'f='"),
        ("0 ||| a ||| d: 1\n0 ||| b ||| w: 1\n", "features", 2, "there is no feature 'd:'"),
        ("0 ||| a ||| 1\n0 ||| b ||| w: 1\n", "features", 2, "there is no feature without a name"),
        ("0 ||| a ||| score= 1\n", "columns", None, "feature 'score', but that is the name of another column"),
        ("0 ||| a ||| f= 1\n1 ||| b ||| f= 1\n0 ||| c ||| f= 1\n", "non-contiguous", 3, "ended in line 1"),
        ("0 ||| a ||| f= 1\n", "incomplete-system", 2, "has lists for 1 of the 2 segments"),
    ],
)
def test_what_is_refused(write, reference, text, code, line, says):
    error = refused(write("nbest", text), reference)
    assert (error.code, error.line) == (code, line)
    assert says in str(error)
    assert str(error).endswith(".")


def test_lists_of_several_runs_need_the_same_features(write, reference):
    one = write("one", "0 ||| a ||| f= 1\n1 ||| b ||| f= 1\n")
    other = write("other", "0 ||| a ||| f= 1 g= 2\n1 ||| b ||| f= 1\n")
    error = refused([one, other], reference)
    assert error.code == "features"
    assert "other has a feature 'g', which" in str(error)


def test_segments_without_a_list_are_left_out_where_accepted(write):
    reference = write("ref.txt", "the cat\na dog\na cow\n")
    path = write("nbest", "0 ||| the cat ||| f= 1\n2 ||| cow ||| f= 2\n")
    with pytest.warns(DataWarning, match="lists for 2 of the 3 segments.*line 2.*left out, as accepted") as caught:
        lists = read_nbest(path, reference, accept="incomplete-system")
    assert caught[0].message.count == 1
    assert caught[0].filename == __file__
    assert lists["segment"].tolist() == [1, 3]
    assert lists["reference"].tolist() == ["the cat", "a cow"]
    check_outputs(lists)


def test_parts_of_a_list_are_joined_where_accepted(write, reference):
    path = write("nbest", "0 ||| a ||| f= 1\n1 ||| b ||| f= 2\n0 ||| c ||| f= 3\n")
    with pytest.warns(DataWarning, match="such parts were joined"):
        lists = read_nbest(path, reference, accept="non-contiguous")
    assert lists[["segment", "rank", "f"]].to_numpy().tolist() == [[1, 1, 1], [1, 2, 3], [2, 1, 2]]


def test_hypotheses_of_every_rank_are_looked_at(write, reference):
    path = write("nbest", "0 ||| the cat ||| f= 1\n0 ||| the\u200b cat ||| f= 2\n1 ||| a dogs ||| f= 1\n")
    with pytest.warns(DataWarning, match="invisible characters.*line 2"):
        read_nbest(path, reference)
    damaged = write("damaged", "0 ||| the cat ||| f= 1\n0 ||| \0 ||| f= 2\n1 ||| a dogs ||| f= 1\n")
    assert refused(damaged, reference).code == "nul"


def test_empty_references_are_refused(write):
    path = write("nbest", "0 ||| the cat ||| f= 1\n1 ||| dog ||| f= 1\n")
    assert refused(path, write("ref.txt", "the cat\n\n")).code == "empty-ref"


def test_real_lists_of_moses(shared):
    folder = shared / "realdata" / "nbest-moses"
    europarl = folder / "europarl100"
    error = refused(europarl / "nbest.out", europarl / "reference.txt")
    assert error.code == "incomplete-system"
    assert "lists for 100 of the 2,000 segments" in str(error)
    with pytest.warns(DataWarning, match="left out, as accepted"):
        lists = read_nbest(europarl / "nbest.out", europarl / "reference.txt", accept="incomplete-system")
    assert lists.groupby("segment").size().tolist() == [100] * 100
    assert len(feature_names(lists)) == 15
    assert lists["hypothesis"][0] == "this should also be there is looking further ."
    assert lists["score"][0] == -14.6262
    check_outputs(lists[lists["rank"] == 1])

    runs = read_nbest(
        str(folder / "mert-runs-multiref" / "run*.gz"), str(folder / "mert-runs-multiref" / "reference.*")
    )
    assert runs.groupby(["run", "segment"]).size().tolist() == [200] * 15
    assert {"reference", "reference_2", "reference_3"} <= set(runs.columns)
    best = runs[(runs["rank"] == 1) & (runs["run"] == 1)]["hypothesis"].tolist()
    said = (folder / "mert-runs-multiref" / "run1.TRANS.out").read_text(encoding="utf-8").split("\n")
    assert best == [line.strip() for line in said[:5]]
