"""n-best lists of Moses and cdec: their formats, their traps, and what is refused."""

import gzip
import warnings

import numpy as np
import pandas as pd
import pytest

from mtworkbench import compute_statistics, make_outputs, read_outputs
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics import Length, MeanScore, Ter
from mtworkbench.metrics.oracle import oracle_best
from mtworkbench.outputs.checks.frames import check_outputs, is_reference
from mtworkbench.outputs.nbest import NBEST_COLUMNS, first_best, read_nbest

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


def feature_names(lists):
    return [name for name in lists if name not in NBEST_COLUMNS and not is_reference(name)]


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


def test_minus_0_is_0_but_numbers_that_begin_so_are_negative(write, reference):
    text = "0 ||| a cat ||| LM= -0 -0.5 ||| -0\n1 ||| dogs ||| LM= -0.25 -0 ||| -0.75\n"
    lists = read_nbest(write("nbest", text), reference)
    assert lists[feature_names(lists)].to_dict("list") == {"LM_1": [0, -0.25], "LM_2": [-0.5, 0]}
    assert lists["score"].tolist() == [0, -0.75]
    assert not np.signbit(lists["score"][0])


def test_features_without_names_and_lines_without_a_score(write, reference):
    lists = read_nbest(write("nbest", "0 ||| the cats ||| -1 2 ||| -1\n1 ||| a dog ||| 3 4\n"), reference)
    assert lists[feature_names(lists)].to_dict("list") == {"feature_1": [-1, 3], "feature_2": [2, 4]}
    assert lists["score"].tolist() == pytest.approx([-1, np.nan], nan_ok=True)


def test_compressed_files_become_runs(tmp_path, write, reference):
    (tmp_path / "run1.gz").write_bytes(gzip.compress(b"0 ||| the cat ||| f= 1\n1 ||| the dog ||| f= 2\n", mtime=0))
    (tmp_path / "run2.gz").write_bytes(
        gzip.compress(b"0 ||| cat ||| f= 3\n0 ||| cats ||| f= 4\n1 ||| dog ||| f= 5\n", mtime=0)
    )
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
    path = write("nbest", text)
    error = refused(path, reference)
    assert (error.code, error.line) == (code, line)
    assert error.path == str(reference if code == "incomplete-system" else path)
    assert says in str(error)
    assert str(error).endswith(".")


@pytest.mark.parametrize(
    ("text", "found", "hint"),
    [
        ("x ||| a ||| f= 1\n", "'x'", None),
        ("0 ||| a ||| f= 1,5\n", "'1,5'", None),
        ("0 ||| a ||| score= 1\n", "score", None),
        (
            "0 ||| a ||| f= 1\n1 ||| b ||| f= 1\n0 ||| c ||| f= 1\n",
            None,
            "give the files of several runs separately, or accept 'non-contiguous' to join the parts",
        ),
    ],
)
def test_programs_learn_what_was_found_and_what_to_do(write, reference, text, found, hint):
    error = refused(write("nbest", text), reference)
    assert (error.found, error.hint) == (found, hint)
    assert hint is None or hint in str(error)


@pytest.mark.parametrize("place", [1, 2])
def test_every_reference_has_the_lines_of_the_first(write, place):
    texts = ["the cat\na dog\n"] * 3
    texts[place] += "a cow\n"
    references = [write(f"ref{number}.txt", text) for number, text in enumerate(texts)]
    error = refused(write("nbest", MOSES), references)
    assert error.code == "count-mismatch"
    assert str(error).startswith(f"{references[place]} has 3 lines but {references[0]} has 2: ")


def test_lists_of_several_runs_need_the_same_features(write, reference):
    one = write("one", "0 ||| a ||| f= 1\n1 ||| b ||| f= 1\n")
    other = write("other", "0 ||| a ||| f= 1 g= 2\n1 ||| b ||| f= 1\n")
    error = refused([one, other], reference)
    assert error.code == "features"
    assert "other has a feature 'g', which" in str(error)
    assert (error.path, error.found) == (str(other), "g")


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


def test_a_segment_without_a_list_in_one_of_several_files_is_named(write, reference):
    one, other = write("one", "0 ||| a ||| f= 1\n1 ||| b ||| f= 1\n"), write("other", "1 ||| b ||| f= 1\n")
    error = refused([one, other], reference)
    assert (error.code, error.line) == ("incomplete-system", 1)
    assert "Only 1 of the 2 segments of " in str(error)
    assert " have a list in all 2 files; the first without one is line 1. Accept 'incomplete-system'" in str(error)


def test_parts_of_a_list_are_joined_where_accepted(write, reference):
    path = write("nbest", "0 ||| a ||| f= 1\n1 ||| b ||| f= 2\n0 ||| c ||| f= 3\n")
    with pytest.warns(DataWarning, match="such parts were joined"):
        lists = read_nbest(path, reference, accept="non-contiguous")
    assert lists[["segment", "rank", "f"]].to_numpy().tolist() == [[1, 1, 1], [1, 2, 3], [2, 1, 2]]


def test_joined_parts_keep_the_order_of_their_lines(write, reference):
    lines = [f"{number % 2} ||| hypothesis {number} ||| f= {number}\n" for number in range(60)]
    with pytest.warns(DataWarning, match="such parts were joined"):
        lists = read_nbest(write("nbest", "".join(lines)), reference, accept="non-contiguous")
    assert lists["f"].tolist() == [*range(0, 60, 2), *range(1, 60, 2)]
    assert lists["rank"].tolist() == [*range(1, 31)] * 2
    assert lists["hypothesis"].tolist() == [f"hypothesis {number:.0f}" for number in lists["f"]]


@pytest.mark.parametrize(("accept", "expected"), [("nfc", "caf\u00e9"), ((), "cafe\u0301")])
def test_hypotheses_of_every_rank_are_composed_where_accepted(write, reference, accept, expected):
    cafe = "cafe\u0301"
    path = write("nbest", f"0 ||| {cafe} ||| f= 1\n0 ||| {cafe} ||| f= 2\n1 ||| {cafe} ||| f= 1\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        lists = read_nbest(path, reference, accept=accept)
    assert lists["hypothesis"].tolist() == [expected] * 3


def test_hypotheses_of_every_rank_are_looked_at(write, reference):
    path = write("nbest", "0 ||| the cat ||| f= 1\n0 ||| the\u200b cat ||| f= 2\n1 ||| a dogs ||| f= 1\n")
    with pytest.warns(DataWarning, match="invisible characters.*line 2"):
        read_nbest(path, reference)
    damaged = write("damaged", "0 ||| the cat ||| f= 1\n0 ||| \0 ||| f= 2\n1 ||| a dogs ||| f= 1\n")
    assert refused(damaged, reference).code == "nul"


def test_empty_references_are_refused(write):
    path = write("nbest", "0 ||| the cat ||| f= 1\n1 ||| dog ||| f= 1\n")
    assert refused(path, write("ref.txt", "the cat\n\n")).code == "empty-ref"


LISTS = """\
0 ||| a dog sleeps here now ||| f= 1 ||| -1
0 ||| the cat sleeps on the mat ||| f= 2 ||| -2
0 ||| the cat sleeps on the mat ||| f= 3 ||| -3
1 ||| a dog runs in the red house ||| f= 7 ||| -4
1 ||| a dog runs ||| f= 5 ||| -5
"""


@pytest.fixture
def lists(write):
    reference = write("two.txt", "the cat sleeps on the mat\na dog runs in the red house\n")
    return read_nbest(write("lists", LISTS), reference)


def test_first_and_oracle_hypotheses_are_systems_side_by_side(lists):
    outputs = pd.concat([first_best(lists), oracle_best(lists)], ignore_index=True)
    check_outputs(outputs)
    assert outputs["system"].tolist() == ["decoder"] * 2 + ["decoder oracle"] * 2
    assert outputs["hypothesis"].tolist() == [
        "a dog sleeps here now",
        "a dog runs in the red house",
        "the cat sleeps on the mat",
        "a dog runs in the red house",
    ]
    assert outputs["rank"].tolist() == [1, 1, 2, 1]  # of equal ones the lower rank; a shorter list has its own best
    assert outputs["f"].tolist() == [1, 7, 2, 7]
    assert compute_statistics(outputs, "bleu").score()["decoder oracle"].item() == pytest.approx(100)


def test_the_oracle_follows_the_direction_of_the_metric(lists):
    assert oracle_best(lists, Ter())["rank"].tolist() == [2, 1]
    assert oracle_best(lists, MeanScore("f", "f", True))["f"].tolist() == [3, 7]
    assert oracle_best(lists, MeanScore("f", "f", False))["f"].tolist() == [1, 5]
    with pytest.raises(
        InputError, match="^Length has no direction, so it cannot choose the best hypothesis: use a metric with "
    ):
        oracle_best(lists, Length())


def test_a_list_without_its_first_hypothesis_is_refused(lists):
    for take in (first_best, oracle_best):
        with pytest.raises(InputError) as caught:
            take(lists[lists["hypothesis"] != "a dog sleeps here now"])
        assert caught.value.code == "nbest-rank"
        assert str(caught.value) == (
            "The n-best list of segment 1 of system 'decoder', run 1, has no hypothesis of rank 1, but exactly one was "
            "expected: count ranks from 1, and leave out whole lists only."
        )
        with pytest.raises(InputError, match="has no hypothesis of rank 1"):
            take(lists.assign(rank=lists["rank"] + 1))
        with pytest.raises(InputError, match="has 3 hypotheses of rank 1"):
            take(lists.assign(rank=1))
        with pytest.raises(InputError, match="^Column 'rank' of the n-best lists has the type .*, but whole numbers"):
            take(lists.assign(rank=lists["rank"].astype(str)))


def test_of_lists_without_a_first_hypothesis_the_one_that_comes_first_is_named(lists):
    """In the order of the rows, not of the names of systems."""
    both = pd.concat([lists.assign(system=system, rank=lists["rank"] + 1) for system in ("moses", "cdec")])
    with pytest.raises(InputError, match=r"^The n-best list of segment 1 of system 'moses', run 1, has no ") as caught:
        first_best(both)
    assert caught.value.hint == "count ranks from 1, and leave out whole lists only"


def test_first_hypotheses_are_checked_as_outputs_are(lists):
    assert list(first_best(lists).columns) == list(lists.columns)
    for lacking in ("system", "hypothesis"):
        with pytest.raises(InputError, match=f"^The outputs frame has no column '{lacking}', only "):
            first_best(lists.drop(columns=lacking))
    with pytest.raises(InputError, match=r"^The outputs frame has no column 'run', only "):
        first_best(lists.drop(columns="run").assign(rank=2))
    with pytest.raises(InputError, match=r"^The outputs frame has no rows: at least one segment was expected\.$"):
        first_best(lists[:0])


def test_the_oracle_of_several_runs_is_that_of_each(write):
    reference = write("ref.txt", "the cat sleeps on it\na dog runs in the house\n")
    for name, order in (("run1", (0, 1)), ("run2", (1, 0))):
        texts = ["the cat sleeps on it", "a cat"]
        lines = [f"0 ||| {texts[number]} ||| f= 1" for number in order] + ["1 ||| a dog ||| f= 1"]
        write(name, "".join(f"{line}\n" for line in lines))
    lists = read_nbest([reference.parent / "run1", reference.parent / "run2"], reference)
    best = oracle_best(lists, "chrf")
    assert best[["run", "segment", "rank"]].to_numpy().tolist() == [[1, 1, 1], [1, 2, 1], [2, 1, 2], [2, 2, 1]]


def test_lists_without_ranks_are_no_lists():
    with pytest.raises(InputError) as caught:
        first_best(make_outputs(["a b"], {"base": ["a c"]}))
    assert str(caught.value) == (
        "The n-best lists have no column 'rank', but the columns segment, reference, system, run, hypothesis: give the "
        "frame that read_nbest returned."
    )
    with pytest.raises(InputError, match="have no column 'rank', but 'lists': give the frame"):
        first_best("lists")


def test_lists_in_place_of_outputs_are_told_from_outputs_of_another_length(write, reference):
    path = write("nbest", MOSES)
    with pytest.raises(InputError) as caught:
        read_outputs(reference, {"decoder": path})
    assert caught.value.code == "count-mismatch"
    assert str(caught.value) == (
        f"{path} has 3 lines but {reference} has 2: outputs, references, sources and documents must be line-aligned; "
        "it looks like an n-best list (fields between |||): in Python, read it with read_nbest and take first_best."
    )


@pytest.mark.long
def test_real_lists_of_moses(shared):
    folder = shared / "realdata" / "nbest-moses"
    europarl = folder / "europarl100"
    error = refused(europarl / "nbest.out", europarl / "reference.txt")
    assert error.code == "incomplete-system"
    assert "lists for 100 of the 2,000 segments" in str(error)
    with pytest.warns(DataWarning, match="left out, as accepted"):
        accept = ("incomplete-system", "lower-case", "short-lines")
        lists = read_nbest(europarl / "nbest.out", europarl / "reference.txt", accept=accept)
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
    first = first_best(runs)
    for run in (1, 2, 3):
        said = (folder / "mert-runs-multiref" / f"run{run}.TRANS.out").read_text(encoding="utf-8").split("\n")
        assert first.loc[first["run"] == run, "hypothesis"].tolist() == [line.strip() for line in said[:5]]
    both = pd.concat([first, oracle_best(runs, "bleu:tokenize=none")], ignore_index=True)
    scores = compute_statistics(both, "bleu:tokenize=none").score()
    assert (scores["decoder oracle"] > scores["decoder"] + [5, 5, 0]).all()  # run 3 translates almost nothing
