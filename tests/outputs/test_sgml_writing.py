import pytest

from mtworkbench import make_outputs, read_sgml
from mtworkbench.errors import InputError
from mtworkbench.outputs.sgml import write_sgml


def made_up():
    references = [["a < b & c", "AT&T; stays", 'say "x"', "last"], ["one", "two", "three", "four"]]
    outputs = make_outputs(
        references, {"base": [["a", "b", "c&d", "<x>"], ["e", "f", "g", "h"]], "n/w": ["p", "q", "r", "s"]}
    )
    outputs["document"] = ["d 1", "d 1", 'd"2', 'd"2'] * 3
    return outputs


def test_what_was_written_is_read_again(tmp_path):
    outputs = made_up()
    paths = write_sgml(outputs, tmp_path / "made")
    assert [path.name for path in paths] == ["ref.sgm", "base.run1.sgm", "base.run2.sgm", "n_w.sgm"]
    again = read_sgml(paths[0], {"base": paths[1:3], "n/w": paths[3]})
    columns = ["document", "segment", "reference", "reference_2", "system", "run", "hypothesis"]
    assert again[columns].to_dict("list") == outputs[columns].to_dict("list")


def test_source_and_no_documents(tmp_path):
    outputs = made_up().drop(columns="document").assign(source=["w", "x", "y", "z"] * 3)
    paths = write_sgml(outputs, tmp_path)
    assert [path.name for path in paths[:2]] == ["ref.sgm", "src.sgm"]
    again = read_sgml(paths[0], {"n/w": paths[-1]}, source=paths[1])
    assert list(again["source"]) == ["w", "x", "y", "z"]
    assert set(again["document"]) == {"doc1"}


def test_scores_alone_are_refused_in_a_sentence(tmp_path):
    scores = made_up().drop(columns=["reference", "reference_2", "hypothesis"]).assign(adequacy=0.5)
    sentence = "The outputs have no texts, but SGML files hold texts: give outputs with texts and references."
    with pytest.raises(InputError, match=f"^{sentence}$") as caught:
        write_sgml(scores, tmp_path / "none")
    assert caught.value.code == "no-texts"
    assert not (tmp_path / "none").exists()


def test_what_sgml_cannot_say_is_refused(tmp_path):
    outputs = made_up()
    outputs.loc[outputs["segment"] == 3, "reference_2"] = None
    with pytest.raises(
        InputError, match=r"^Segment 3 has no reference_2, but .* leave out the column 'reference_2' or"
    ):
        write_sgml(outputs, tmp_path / "none")
    assert not (tmp_path / "none").exists()
    clash = made_up().replace({"system": {"n/w": "base.run1"}})
    with pytest.raises(InputError, match=r"^The outputs of system 'base\.run1' would be written to 'base\.run1\.sgm'"):
        write_sgml(clash, tmp_path / "none")
