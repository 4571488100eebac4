"""Human ratings of WMT25 and WMT26: averaged for each translation, of one language pair."""

import json
import math

import numpy as np
import pytest

from mtworkbench import cli
from mtworkbench.outputs.scores.read import holds_scores, read_scores

from .reading import noticing, refusal


def read(*args, **kwargs):
    return noticing(read_scores, *args, **kwargs)


def refuse(*args, **kwargs):
    return refusal(read_scores, *args, **kwargs)


def line(segment, scores, pair="en-cs_CZ"):
    return {
        "scores": scores,
        "src_text": "s",
        "tgt_text": dict.fromkeys(scores, "t"),
        "doc_id": f"{pair}_#_news_#_{segment}",
    }


LINES = [
    line("d1_#_0", {"A": {"human1": 60.0, "errors1": [], "human2": 70.0, "times1": [1, 2]}, "refA": {"human1": 90}}),
    line(
        "d1_#_1", {"A": [{"human": 50, "annotator": "x"}, {"human": 55}], "refA": [{"score": math.nan}, {"score": 80}]}
    ),
    line("d2_#_0", {"A": {"human": 1.5}}),
    line("d2_#_0", {"A": {"human": 0}}, pair="en-de_DE"),
]


@pytest.fixture
def humeval(tmp_path):
    path = tmp_path / "wmt25-genmt-humeval.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in LINES))
    return path


def test_ratings_of_all_forms_are_averaged(humeval):
    scores, noticed = read(humeval, language_pair="en-cs_CZ")
    assert scores["system"].tolist() == ["A"] * 3 + ["refA"] * 3
    assert scores["segment_id"].tolist()[:3] == [f"en-cs_CZ_#_news_#_{one}" for one in ("d1_#_0", "d1_#_1", "d2_#_0")]
    assert scores["document"].tolist()[:3] == [f"en-cs_CZ_#_news_#_{one}" for one in ("d1", "d1", "d2")]
    np.testing.assert_array_equal(scores["human"], [65, 52.5, 1.5, 90, 80, math.nan])
    assert scores["n_ratings"].tolist() == [2, 2, 1, 1, 1, 0]
    assert set(scores["human_direction"]) == {"up"}
    assert set(noticed) == {"missing-score"}


def test_one_of_several_language_pairs_must_be_chosen(humeval):
    error = refuse(humeval)
    assert error.code == "unknown-pair"
    assert str(error) == (
        f"{humeval} holds 2 language pairs, 'en-cs_CZ' and 'en-de_DE': choose one with "
        "--language-pair en-cs_CZ (in Python, language_pair='en-cs_CZ')."
    )
    assert "has no language pair 'ja-zh', but 'en-cs_CZ' and 'en-de_DE'." in str(refuse(humeval, language_pair="ja-zh"))
    assert read(humeval, language_pair="en-cs")[0].equals(read(humeval, language_pair="en-cs_CZ")[0])


def screen(user, segments, scores, shown=None):
    return {
        "user_id": user,
        "item": [{"item_id": one, "src": "s", "tgt": dict.fromkeys(shown or scores, "t")} for one in segments],
        "annotation": [{name: {"score": score, "error_spans": []} for name, score in scores.items()} for _ in segments],
    }


CAMPAIGN = [
    screen("u", ["news_###_d_###_0"], {"A": 1, "B": 2}),
    {"user_id": "u", "item": [], "annotation": "__RESET__"},
    screen("u", ["news_###_d_###_0", "news_###_d_###_1"], {"A": 60, "B": 70}),
    screen("v", ["news_###_d_###_1"], {"A": 40, "C": 30}, shown=["A"]),
    screen("v", ["attention_check_7"], {"A": 100}),
    screen("v", ["x_#_tutorial_#_1"], {"A": 100}),
    {"user_id": "v", "item": [{"text": "Your name?"}], "annotation": ["me"]},
]


@pytest.fixture
def pearmut(tmp_path):
    path = tmp_path / "annotations.json"
    other = [screen("u", ["edu_###_e_###_0"], {"A": 5})]
    path.write_text(json.dumps({"eng_Latn---deu_Latn v3": CAMPAIGN, "ces_Latn---deu_Latn v3": other}))
    return path


def test_pearmuts_log_without_what_does_not_count(pearmut):
    for name in ("eng_Latn---deu_Latn v3", "eng_Latn---deu_Latn", "eng_Latn-deu_Latn"):
        scores, _ = read(pearmut, language_pair=name)
        assert scores["system"].tolist() == ["A", "A", "B", "B"]
        assert scores["segment_id"].tolist() == ["news_###_d_###_0", "news_###_d_###_1"] * 2
        assert set(scores["document"]) == {"news_###_d"}
        assert scores["human"].tolist() == [60, 50, 70, 70]
        assert scores["n_ratings"].tolist() == [1, 2, 1, 1]
    assert "choose one with --language-pair 'eng_Latn---deu_Latn v3' (in Python" in str(refuse(pearmut))


def test_segments_of_a_document_stand_together_whatever_the_order_of_the_raters(pearmut):
    rated = ["news_###_d_###_10", "news_###_e_###_0", "news_###_d_###_2"]
    pearmut.write_text(json.dumps({"a": [screen("u", [one], {"A": i}) for i, one in enumerate(rated)]}))
    scores, _ = read(pearmut)
    assert scores["segment_id"].tolist() == ["news_###_d_###_2", "news_###_d_###_10", "news_###_e_###_0"]
    assert scores["human"].tolist() == [2, 0, 1]


def test_what_is_otherwise_is_refused(humeval, pearmut):
    for bad, code in [
        (line("x", {"A": [3]}), "score-file"),
        (line("x", {"A": {"human": "good"}}), "bad-number"),
        (line("x", {"A": {"human": True}}), "bad-number"),
        (line("x", {"A": {"human": 10**400}}), "bad-number"),
        (line("x", []), "score-file"),
        (line("d2_#_0", {"A": {"human": 1}}), "duplicate-segment"),
    ]:
        humeval.write_text("".join(json.dumps(one) + "\n" for one in [*LINES, bad]))
        error = refuse(humeval, language_pair="en-cs_CZ")
        assert (error.code, error.line) == (code, 5)
    humeval.write_text(json.dumps(line("x", {})) + "\n")
    assert refuse(humeval).code == "no-segments"
    rated = screen("u", ["a"], {"A": 1})
    for lines in (
        *([3], [{"user_id": "u"}], [rated | {"annotation": []}], [rated | {"annotation": [7]}]),
        *([rated | {"item": 3}], [rated | {"item": rated["item"] + [{}], "annotation": rated["annotation"] * 2}]),
    ):
        pearmut.write_text(json.dumps({"a": [*CAMPAIGN, *lines]}))
        error = refuse(pearmut)
        assert error.code == "score-file"
        assert "the annotations of Pearmut were expected" in str(error)
    pearmut.write_text(json.dumps({"a": CAMPAIGN})[:-3])
    assert refuse(pearmut).code == "json"


def test_the_terminal_takes_them_as_scores(humeval, pearmut, capsys):
    quick = ("--format", "json", "--rng", "1", "--resamples", "40", "--trials", "100")
    for path, pair in ((humeval, "en-cs_CZ"), (pearmut, "eng_Latn-deu_Latn")):
        assert holds_scores(str(path))
        assert cli.main(["compare", str(path)]) == 2
        assert f"holds scores, not texts: give it with --scores {path}" in capsys.readouterr()[1]
        assert cli.main(["compare", "--scores", str(path), "--language-pair", pair, "--unit", "segment", *quick]) == 0
        assert json.loads(capsys.readouterr()[0])["metrics"].keys() == {"human"}
