"""Ratings as Appraise exports them: which of them count."""

import pytest

from mtworkbench import read_scores

from .reading import noticing, refusal

ROWS = [
    "alice,ende-tutorial1,1000001,TGT,eng,deu,0,ende-tutorial1,False,[],1.0,2.0",
    "alice,A,1,TGT,eng,deu,80,news_x,False,[],3.0,4.0",
    'alice,A,2,TGT,eng,deu,70,news_x,False,"[{""start_i"":1,""end_i"":2,""severity"":""minor""}]",5.0,6.0',
    "alice,A,2,TGT,eng,deu,60,news_x,False,[],5.0,9.0",  # alice changed her mind
    "alice,A,2,TGT,eng,deu,50,news_x,False,[],5.0,7.0",
    "bob,A,2,TGT,eng,deu,40,news_x,False,[],5.0,6.0",
    "alice,B,1,TGT,eng,deu,90,news_x,False,[],3.0,4.0",
    "alice,B,2,BAD,eng,deu,10,news_x#bad,False,[],3.0,4.0",
    "alice,B,2,TGT,eng,deu,20,news_x#incomplete,False,[],3.0,4.0",
    "alice,B,0,TGT,eng,deu,30,news_x,True,[],3.0,4.0",  # of the whole document
]


def write(folder, rows):
    path = folder / "esa.csv"
    path.write_text("".join(f"{row}\n" for row in rows))
    return path


def test_the_last_rating_of_each_person_counts_and_people_are_averaged(tmp_path):
    path = write(tmp_path, ROWS)
    scores, noticed = noticing(read_scores, path)
    found = scores.dropna(subset="human").set_index(["system", "segment_id"])["human"]
    assert found.to_dict() == {("A", "news_x_#_1"): 80.0, ("A", "news_x_#_2"): 50.0, ("B", "news_x_#_1"): 90.0}
    assert set(scores["document"]) == {"news_x"} and set(scores["human_direction"]) == {"up"}
    assert str(noticed["left-out"]) == (
        f"4 ratings in {path} were left out: those of tutorials, of checks of attention, and of incomplete or whole "
        "documents."
    )


@pytest.mark.parametrize(
    ("row", "code", "said"),
    [
        ("alice,B,2,TGT,eng,deu,90,news_x,False,[]", "score-file", "has 10 fields: the 12 that"),
        ("alice," + "x" * 200_000, "score-file", "has 0 fields: the 12 that"),  # more than a field of CSV may hold
        ("alice,B,2,TGT,eng,deu,good,news_x,False,[],3.0,4.0", "bad-number", "line 2: 'good' cannot be read"),
        ("alice,B,2,TGT,eng,fra,90,news_x,False,[],3.0,4.0", "unknown-pair", "eng-deu"),
    ],
)
def test_bad_lines_are_errors(tmp_path, row, code, said):
    path = write(tmp_path, [ROWS[1], row])
    error = refusal(read_scores, path)
    assert error.code == code and said in str(error)
