"""A system's name that is misspelt in a row or two: the name that was probably meant is said."""

import pytest

from mtworkbench.outputs.checks.names import find_slip
from mtworkbench.outputs.scores.add import add_scores
from mtworkbench.outputs.scores.read import read_scores
from mtworkbench.outputs.table import read_table
from mtworkbench.outputs.text import make_outputs
from mtworkbench.wording import find_nearest

from .reading import noticing, refusal


def test_a_slip_is_where_the_other_is_not_and_in_fewer_places():
    assert find_slip({"baseline": {1, 2, 3}, "baselime": {4}, "new": {1, 2, 3, 4}}) == ("baselime", "baseline")
    assert find_slip({"baselime": {4}, "baseline": {1, 2, 3}}) == ("baselime", "baseline")
    assert find_slip({"baseline": {1, 2, 3}, "baselime": {3}}) is None
    assert find_slip({"baseline": {1, 2, 3}, "new": {4}}) is None
    assert find_slip({"baseline": {1}, "baselime": {2}}) == ("baselime", "baseline")
    assert find_slip({"base": {1, 2}, "bass": {3}}, likeness=0.8) is None
    assert (find_nearest("baselime", ["new", "baseline"]), find_nearest("x", ["new"])) == ("baseline", None)


@pytest.mark.parametrize(
    ("name", "other"),
    [("online-C", "online-B"), ("sys1", "sys2"), ("v2", "v3"), ("base_9", "base_10"), ("run a", "run b")],
)
def test_names_that_were_numbered_are_no_slips(name, other):
    places = {other: {1, 2, 3}, name: {4}}
    assert find_slip(places) is None
    assert find_slip({other[:-1] + "base": {1, 2, 3}, other[:-1] + "bass": {4}}) is not None
    assert find_nearest(name, [other]) == (other if name != "v2" else None)


def rows(*, wrong, name="baselime", texts=False):
    """Return the rows of two systems with 8 segments, of which one row (counted from 0) has another name."""
    named = [(system, segment) for system in ("baseline", "tweaked") for segment in range(1, 9)]
    named[wrong] = (name, named[wrong][1])
    return [
        f"{system}\t{segment}\t" + (f"reference {segment}\thypothesis {segment} of it" if texts else f"0.{segment}")
        for system, segment in named
    ]


@pytest.mark.parametrize("wrong", [0, 3, 7])
def test_judgements(tmp_path, wrong):
    path = tmp_path / "scores.tsv"
    path.write_text("\n".join(["system\tsegment\tscore", *rows(wrong=wrong)]) + "\n")
    scores, found = noticing(read_scores, path)
    assert set(found) == {"missing-score", "misspelt-system"}
    assert (found["misspelt-system"].line, found["misspelt-system"].count) == (wrong + 2, 1)
    assert str(found["misspelt-system"]) == (
        f"{path}, column 'system', line {wrong + 2}: system 'baselime' has 1 judgement, and 'baseline' has none of "
        "this segment: did you mean 'baseline'? They are treated as two systems: correct the name if they are one."
    )
    assert len(scores) == 24


def test_judgements_of_systems_with_similar_names_are_no_slips(tmp_path):
    """System 2 was judged on other segments than system 1, but not on a few only."""
    path = tmp_path / "scores.tsv"
    lines = [f"system-{1 if number < 15 else 2}\t{number}\t0.5" for number in range(1, 19)]
    path.write_text("\n".join(["system\tsegment\tscore", *lines]) + "\n")
    assert set(noticing(read_scores, path)[1]) == {"missing-score"}


def test_judgements_of_online_systems(tmp_path):
    path = tmp_path / "scores.tsv"
    judged = {"Online-A": range(1, 21), "Online-B": range(1, 21), "Online-C": (21, 22)}
    lines = [f"{system}\t{number}\t0.5" for system, numbers in judged.items() for number in numbers]
    path.write_text("\n".join(["system\tsegment\tscore", *lines]) + "\n")
    assert set(noticing(read_scores, path)[1]) == {"missing-score"}


@pytest.mark.parametrize("wrong", [0, 3, 7])
def test_outputs(tmp_path, wrong):
    path = tmp_path / "outputs.tsv"
    for columns, lines in [
        ("system\tsegment\treference\thypothesis", rows(wrong=wrong, texts=True)),
        ("system\tnumber\treference\thypothesis", rows(wrong=wrong, texts=True)),
    ]:
        path.write_text("\n".join([columns, *lines]) + "\n")
        error = refusal(read_table, path)
        assert (error.code, error.line, error.expected) == ("incomplete-system", wrong + 2, "baseline")
        assert str(error) == (
            f"{path}, column 'system', line {wrong + 2}: system 'baselime' has 1 row, and 'baseline' has 7: did you "
            "mean 'baseline'? Every run was expected to have all segments: correct the name, or add the missing rows."
        )


@pytest.mark.parametrize("wrong", [0, 3, 7])
def test_segment_scores_of_mt_metrics_eval(tmp_path, wrong):
    path = tmp_path / "en-de.comet.seg.score"
    lines = [line.split("\t") for line in rows(wrong=wrong)]
    path.write_text("".join(f"{system}\t{score}\n" for system, _, score in lines))
    error = refusal(read_scores, path)
    assert (error.code, error.line) == ("count-mismatch", wrong + 1)
    assert (error.found, error.expected, error.hint) == ("baselime", "baseline", "did you mean 'baseline'?")
    assert str(error) == (
        f"{path}, line {wrong + 1}: system 'baselime' has 1 score here: did you mean 'baseline'? Every system was "
        "expected to have one score per segment: correct the name, or add the missing scores."
    )


def test_scores_of_a_system_without_outputs(tmp_path):
    path = tmp_path / "scores.tsv"
    path.write_text("\n".join(["system\tsegment\tscore", "baselime\t1\t0.5", "tweaked\t1\t0.4"]) + "\n")
    outputs = make_outputs(["a"], {"baseline": ["b"], "tweaked": ["c"]})
    assert str(refusal(add_scores, outputs, read_scores(path))) == (
        "There are scores of 'baselime', but the systems with outputs are 'baseline' and 'tweaked' (did you mean "
        "'baseline' by 'baselime'?): rename the systems, or leave out scores of systems without outputs with --accept "
        "unknown-system (in Python, accept=['unknown-system'])."
    )
