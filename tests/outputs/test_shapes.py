"""Tables of other shapes and with other names: read where nothing is in doubt, else refused with what reads them."""

import json

import numpy as np
import pandas as pd
import pytest

import mtworkbench as mtw
from mtworkbench import cli
from mtworkbench.outputs.checks.frames import check_outputs, common_segments
from mtworkbench.outputs.table import read_table

from .reading import noticing, refusal

QUICK = ("--format", "json", "--rng", "1", "--resamples", "40", "--trials", "100")
SCORES = [
    {"model": model, "sample_id": f"q{i}", "epoch": epoch, "score": i * 0.25 + epoch + len(model)}
    for model in ("a", "bb")
    for epoch in (1, 2)
    for i in range(5)
]
TEXTS = [
    {"system": system, "segment": i, "reference": f"one {i} two", "hypothesis": f"one {i} {system}"}
    for system in ("a", "b")
    for i in (1, 2, 3)
]


def read(*args, **kwargs):
    return noticing(read_table, *args, **kwargs)


def refuse(*args, **kwargs):
    return refusal(read_table, *args, **kwargs)


class TestNames:
    COLUMNS = {"system": "model", "segment": "sample_id", "run": "epoch"}

    def test_columns_are_called_as_is_said(self):
        scores, _ = read(pd.DataFrame(SCORES), columns=self.COLUMNS)
        assert scores["system"].tolist() == ["a"] * 10 + ["bb"] * 10
        assert scores["run"].tolist() == ([1] * 5 + [2] * 5) * 2
        assert scores["segment_id"].tolist() == [f"q{i}" for i in range(5)] * 4
        assert scores["score"].tolist() == [row["score"] for row in SCORES]

    def test_what_a_column_looks_like_is_said_with_what_reads_it(self):
        error = refuse(pd.DataFrame(SCORES))
        assert (error.code, error.expected) == ("columns", "system")
        assert str(error) == (
            "The table has no column 'system', only 'model', 'sample_id', 'epoch', 'score'; 'model' looks like the "
            "column system, 'sample_id' looks like the column segment and 'epoch' looks like the column run: to read "
            "it so, give --columns system=model,segment=sample_id,run=epoch (in Python, columns={'system': 'model', "
            "'segment': 'sample_id', 'run': 'epoch'})."
        )
        texts = [
            {"Model ID": row["system"], "target": row["reference"], "prediction": row["hypothesis"]} for row in TEXTS
        ]
        assert "give --columns 'system=Model ID,hypothesis=prediction,reference=target' (in Python" in str(
            refuse(pd.DataFrame(texts))
        )
        assert "columns={'system': 'Model ID', 'hypothesis': 'prediction', 'reference': 'target'}" in str(
            refuse(pd.DataFrame(texts))
        )

    def test_a_segment_is_missed_too(self):
        rows = [{"system": row["model"], "item": row["sample_id"], "score": row["score"]} for row in SCORES[:5]]
        assert "give --columns segment=item (in Python" in str(refuse(pd.DataFrame(rows)))

    def test_names_without_a_meaning_are_refused(self):
        for columns, said in [
            ({"engine": "model"}, "'engine' is not a known column: name some of 'system', "),
            ({"system": "modl"}, "The table has no column 'modl'"),
            ({"score": "model"}, "'score' is not a known column"),
            ({"system": "model", "run": "model"}, "'model' was given for two columns"),
        ]:
            error = refuse(pd.DataFrame(SCORES), columns=columns)
            assert error.code == "columns"
            assert str(error).startswith(said), columns
        error = refuse(pd.DataFrame(TEXTS), columns={"system": "hypothesis"})
        assert "The table, with the columns renamed, has two columns 'system'" in str(error)

    def test_the_terminal_takes_them_with_tables_and_scores(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        pd.DataFrame(SCORES).to_csv("scores.csv", index=False)
        columns = ["--columns", "system=model,segment=sample_id,run=epoch", "--direction", "score=up"]
        found = []
        for named in (["--table", "scores.csv"], ["--scores", "scores.csv"], ["scores.csv"]):
            assert cli.main(["compare", *named, *columns, *QUICK]) == 0
            found.append(json.loads(capsys.readouterr()[0])["metrics"])
        assert found[0] == found[1] == found[2]
        assert [one["scores"] for one in found[0]["score"]["systems"]] == [[2.5, 3.5], [3.5, 4.5]]
        assert cli.main(["compare", "--table", "scores.csv", "--columns", "system:model"]) == 2
        assert "'system:model' should be NAME=COLUMN,..., such as system=model" in capsys.readouterr()[1]
        assert cli.main(["compare", "--table", "scores.csv", "--columns", "system=a,system=b"]) == 2
        assert "'system=a,system=b' gives two columns for one name: name each once" in capsys.readouterr()[1]
        assert cli.main(["compare", "--xml", "scores.csv", *columns]) == 2
        assert "--columns works only with --table" in capsys.readouterr()[1]


class TestBoards:
    BOARD = pd.DataFrame(
        {
            "Model": ["a", "b", "c"],
            "arc": [50.0, 60, 70],
            "hella": [1, 2, 3],
            "Average": [25.5, 31, 36.5],
            "by": ["x"] * 3,
        }
    )

    def test_tasks_are_segments_and_what_is_left_out_is_said(self):
        scores, noticed = read(self.BOARD)
        assert scores["system"].tolist() == ["a", "a", "b", "b", "c", "c"]
        assert scores["segment_id"].tolist() == ["arc", "hella"] * 3
        assert scores["score"].tolist() == [50, 1, 60, 2, 70, 3]
        assert set(noticed) == {"dialect"}
        assert str(noticed["dialect"]) == (
            "The table has one row per system, so its 2 columns of scores ('arc' and 'hella') were read as segments, "
            "such as tasks; left out were 'Average' and 'by'."
        )
        assert read(self.BOARD, systems=["c", "a"])[0]["system"].unique().tolist() == ["c", "a"]

    def test_metrics_are_no_tasks(self):
        error = refuse(self.BOARD.rename(columns={"arc": "BLEU", "hella": "comet-22"}))
        assert error.code == "columns"
        assert "columns that look like metrics ('BLEU' and 'comet-22')" in str(error)

    @pytest.mark.parametrize(
        "metric", ["comet22", "chrF++", "bleu_lc", "rouge1", "rougeL", "f1_macro", "accuracy", "DA"]
    )
    def test_a_metric_among_tasks_is_no_task(self, metric):
        assert f"look like metrics ({metric!r})" in str(refuse(self.BOARD.rename(columns={"arc": metric})))

    def test_languages_and_prices_are_no_metrics(self):
        scores, noticed = read(self.BOARD.rename(columns={"arc": "da-en", "by": "rate"}).assign(price=[1, 2, 3], sv=7))
        assert scores["segment_id"].unique().tolist() == ["da-en", "hella", "sv"]
        assert "left out were 'Average', 'rate' and 'price'" in str(noticed["dialect"])

    def test_what_may_be_something_else_is_no_board(self):
        twice = pd.concat([self.BOARD, self.BOARD])
        assert "'Model' looks like the column system" in str(refuse(twice))
        one_task = self.BOARD[["Model", "arc"]]
        assert "'Model' looks like the column system" in str(refuse(one_task))


class TestWideScores:
    WIDE = pd.DataFrame({"A": [0.5, 0.25, 1], "B": [1, 0.75, None], "domain": ["x", "x", "y"]})

    def test_a_column_of_scores_per_system(self):
        scores, _ = read(self.WIDE, systems=["B", "A"])
        assert scores["system"].tolist() == ["B"] * 3 + ["A"] * 3
        assert scores["segment"].tolist() == [1, 2, 3] * 2
        np.testing.assert_array_equal(scores["score"], [1, 0.75, np.nan, 0.5, 0.25, 1])
        assert scores["domain"].tolist() == ["x", "x", "y"] * 2

    def test_without_their_names_it_is_said_how_to_give_them(self):
        error = refuse(self.WIDE)
        assert str(error) == (
            "The table has no column 'system', only 'A', 'B', 'domain'; if each row is a segment and 'A' and 'B' are "
            "systems, give --table-systems A B (in Python, systems=['A', 'B'])."
        )

    def test_numbers_beside_references_are_texts(self):
        texts = pd.DataFrame({"reference": ["1", "2"], "A": ["1", "3"], "B": ["1", "2"]})
        outputs, _ = read(texts, systems=["A", "B"])
        assert outputs["hypothesis"].tolist() == ["1", "3", "1", "2"]


class TestInspect:
    """The frame that `samples_df` makes: ``sample_id`` is another one in each row, ``id`` is that of the question."""

    ROWS = [
        {"eval_id": f"e{model}", "sample_id": f"{model}{epoch}{i}", "id": i, "epoch": epoch, "model": f"openai/{model}"}
        | {"input": "?", "target": "A", "total_tokens": 7, "score_choice": grade, "score_choice_answer": "A"}
        for model, grades in (("x", "CIPN"), ("y", "CCCC"))
        for epoch in (1, 2)
        for i, grade in enumerate(grades)
    ]

    @pytest.mark.parametrize("through", ["frame", "csv", "parquet"])
    def test_models_questions_and_epochs(self, tmp_path, through):
        frame = table = pd.DataFrame(self.ROWS)
        if through == "csv":
            frame.to_csv(table := tmp_path / "samples.csv", index=False)
        elif through == "parquet":
            pytest.importorskip("pyarrow")
            frame.to_parquet(table := tmp_path / "samples.parquet")
        scores, noticed = read(table)
        assert scores["system"].tolist() == ["openai/x"] * 8 + ["openai/y"] * 8
        assert scores["run"].tolist() == ([1] * 4 + [2] * 4) * 2
        assert scores["segment_id"].tolist() == ["0", "1", "2", "3"] * 4
        assert scores["choice"].tolist() == [1, 0, 0.5, 0] * 2 + [1] * 8
        assert set(scores["choice_direction"]) == {"up"}
        assert "total_tokens" not in scores.columns
        assert "model, epoch and id were read as system, run and segment" in str(noticed["dialect"])

    def test_questions_of_several_tasks_are_told_apart(self):
        rows = [
            row | {"task_name": task, "sample_id": f"{task}{i}"} for task in "st" for i, row in enumerate(self.ROWS)
        ]
        scores, _ = read(pd.DataFrame(rows))
        assert scores["segment_id"].tolist()[:8] == [f"{task}/{i}" for task in "st" for i in range(4)]

    def test_without_the_models_it_is_said_how_to_get_them(self):
        error = refuse(pd.DataFrame(self.ROWS).drop(columns="model"))
        assert str(error) == (
            "The table is a frame of Inspect's samples, but has no column 'model': make it with samples_df(logs, "
            "columns=EvalModel + SampleSummary)."
        )

    def test_errors_have_no_score_and_what_is_no_number_is_no_score(self):
        rows = [
            row | {"score_other": "long", "score_choice": None if row["id"] == 1 else row["score_choice"]}
            for row in self.ROWS
        ]
        scores, _ = read(pd.DataFrame(rows))
        assert scores["choice"].isna().tolist() == [False, True, False, False] * 4
        assert "other" not in scores.columns


class Polars:
    """What polars, pyarrow and Hugging Face's datasets have in common."""

    def __init__(self, rows, failure=None):
        self.rows, self.failure = rows, failure

    def to_pandas(self):
        if self.failure:
            raise self.failure
        return pd.DataFrame(self.rows)


class TestFrames:
    def test_whatever_makes_a_frame_is_taken(self):
        expected, _ = read(pd.DataFrame(TEXTS))
        for given in (Polars(TEXTS), TEXTS, tuple(TEXTS)):
            assert read(given)[0].equals(expected)
        rows = expected.to_dict("records")
        for given in (Polars(rows), rows):
            check_outputs(given)
            statistics = mtw.compute_statistics(given, "bleu")
            assert statistics["a"].score() == mtw.compute_statistics(expected, "bleu")["a"].score()
            assert common_segments(given).to_dict("records") == rows

    def test_what_does_not_is_refused(self):
        for given in ([], [1], {"system": "a"}, Polars, 3):
            error = refusal(mtw.compute_statistics, given, "bleu")
            assert error.code == "not-a-frame"

    def test_what_fails_to_make_a_frame_says_why_itself(self):
        with pytest.raises(ModuleNotFoundError, match="no pyarrow here"):
            check_outputs(Polars([], ModuleNotFoundError("no pyarrow here")))
