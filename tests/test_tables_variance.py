"""The table of variance and MultEval's own: what programs rely on, what people read, what is escaped."""

import csv
import io
import json
import re
from dataclasses import replace

import pytest

from mtworkbench import __version__
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import CrossedAnalysis, Interval, MetricVariance, OptimizerVariance, SystemVariance
from mtworkbench.results.crossed import CrossedVariance
from mtworkbench.results.settings import Settings
from mtworkbench.tables import format_multeval, format_variance
from mtworkbench.words.sentences_on_runs import describe_variance_briefly

from . import hand_made
from .hand_made import DRAWN, fill

HEAD = ["schema", "version", "signature", "unit", "interval", "level", "n_resamples", "rng", "n_segments"]
HEAD += ["n_documents", "known_documents", "n_dev_segments", "baseline", "metrics", "warnings", "doubts"]
SYSTEM = ["system", "runs", "mean", "low", "high", "s_sel", "s_dev", "s_test", "lowest", "highest", "median_run"]
SYSTEM += ["median_score", "dev_mean", "dev_median_run", "dev_median_score", "scores", "dev_scores", "run_names"]
HOSTILE = "=x|y$z^2$_&%#{}\\~<b>\x1b[31m*`"


def system(name, *, runs=3, **changes):
    figures = {"score": 27.16, "low": 26.4, "high": 27.9, "s_sel": 0.41, "s_test": 0.12, "lowest": 27.04}
    figures |= {"highest": 27.28, "median_run": 2, "median_score": 27.16, "scores": (27.04, 27.16, 27.28)[:runs]}
    figures |= {"system": name, "run_names": ("1", "2", "3")} | changes
    return fill(SystemVariance, figures | {"interval": fill(Interval, figures)})


class Said(MetricVariance):
    """One metric of which other sentences are said than its numbers would make."""

    readings = advice = ()


def variance(systems, readings=("base: read me.",), advice=("new - base: do this.",), **changes):
    metric = Said("BLEU", "nrefs:1|tok:13a", True, tuple(systems), ())
    object.__setattr__(metric, "readings", readings)
    object.__setattr__(metric, "advice", advice)
    figures = {"settings": fill(Settings, DRAWN | {"test": "variance"}), "metrics": {"BLEU": metric}}
    return fill(OptimizerVariance, figures | {"n_segments": 300, "baseline": "base"} | changes)


@pytest.fixture
def two():
    return variance([system("base"), system("new", runs=1, s_test=None)])


@pytest.fixture
def with_dev():
    on_dev = {"s_dev": 0.05, "dev_mean": 30.1, "dev_scores": (30.05, 30.15, 30.1), "dev_median_run": 3}
    return variance([system("base", **on_dev, dev_median_score=27.28), system("new")], n_dev_segments=200)


def cells(line):
    return re.split(r"\s{2,}", line.strip())


def table_lines(found, **options):
    """The lines of a text from the heading of the first table on."""
    lines = format_variance(found, "text", **options).splitlines()
    return lines[lines.index("") + 1 :]


def test_json_has_the_keys_that_others_rely_on(two):
    notice = DataWarning("few-runs", "Few runs.", count=1)
    found = json.loads(format_variance(two, "json", [notice]), parse_constant=pytest.fail)
    assert list(found) == HEAD
    metric = found["metrics"]["BLEU"]
    assert list(metric) == ["signature", "higher_is_better", "systems", "readings", "advice", "label"]
    assert [list(row) for row in metric["systems"]] == [SYSTEM, SYSTEM]
    assert metric["systems"][1]["s_test"] is metric["systems"][0]["s_dev"] is None
    assert metric["systems"][0]["scores"] == [27.04, 27.16, 27.28]
    assert (metric["readings"], metric["advice"]) == (["base: read me."], ["new - base: do this."])
    assert found["warnings"][0]["code"] == "few-runs"


def test_csv_has_a_row_a_system_with_jsons_keys(two):
    rows = list(csv.reader(io.StringIO(format_variance(two, "csv"))))
    assert rows[0] == ["metric", *SYSTEM]
    row = dict(zip(rows[0], rows[2], strict=True))
    assert (row["metric"], row["system"], row["runs"], row["s_test"], row["mean"]) == ("BLEU", "new", "1", "", "27.16")


def test_text_has_a_dev_set_where_there_is_one(two, with_dev):
    lines = table_lines(two)
    assert lines[0] == "BLEU, higher is better; 300 segments"
    assert cells(lines[2]) == ["system", "runs", "mean", "s_sel", "s_test", "range", "median"]
    assert cells(lines[3]) == ["base", "3", "27.16", "0.41", "0.12", "27.04 to 27.28", "27.16 (run 2)"]
    assert not {"base: read me.", "new - base: do this."} & set(lines)
    assert {"base: read me.", "new - base: do this."} <= set(table_lines(two, all_columns=True))
    settings = "unit:segment|interval:percentile|level:0.95|resamples:1000|rng:1"
    assert lines[-1].endswith(f"nrefs:1|tok:13a|test:variance|{settings}|mtworkbench:{__version__}")
    lines = table_lines(with_dev)
    assert lines[0] == "BLEU, higher is better; 300 segments, 200 on the dev set"
    assert cells(lines[2])[3:] == ["s_sel", "s_dev", "s_test", "range", "median", "dev median"]
    assert cells(lines[3])[3:] == ["0.41", "0.05", "0.12", "27.04 to 27.28", "27.16 (run 2)", "27.28 (run 3)"]
    assert max(map(len, lines[:-1])) <= 100  # a signature is not broken


def test_a_narrow_text_keeps_the_run_to_read(with_dev):
    lines = table_lines(with_dev, width=80)
    assert cells(lines[2]) == ["system", "runs", "mean", "s_sel", "s_dev", "s_test", "median", "dev median"]
    assert "Columns left out at this width: range; see a wider terminal." in lines
    assert max(map(len, lines[:-1])) <= 80
    assert table_lines(with_dev, width=50)[:2] == ["BLEU, higher is better; 300 segments, 200 on the", "dev set"]


def test_the_headline_says_which_variation_is_larger_and_where_to_spend():
    metrics = {}
    for name, s_test, of_units, of_runs in (("BLEU", 0.12, 0.4, 0.1), ("TER", 0.5, 0.1, 0.4)):
        systems = tuple(system(one, s_test=s_test) for one in ("base", "new"))
        crossed = CrossedVariance(100, 3, 3, of_units, of_runs, 0.0, 0.0, 0.0)
        analysis = fill(CrossedAnalysis, {"a": "new", "b": "base", "metric": name, "variance": crossed})
        metrics[name] = MetricVariance(name, "nrefs:1", True, systems, (analysis,))
    found = replace(variance([system("base")]), metrics=metrics)
    assert describe_variance_briefly(found) == [
        "By BLEU, the estimate of run-to-run variation (s_test) is smaller than that of test-set variation (s_sel) for "
        "base and new.",
        "By TER, the estimate of run-to-run variation (s_test) is at least as large as that of test-set variation "
        "(s_sel) for base and new.",
        "To estimate differences from base more precisely, more segments help more than more runs (new, by BLEU); "
        "more runs help more than more segments (new, by TER).",
    ]
    single = variance([system("base", runs=1, s_test=None), system("new", runs=1, s_test=None)])
    assert describe_variance_briefly(single) == [
        "base and new have only one run each, which says nothing about run-to-run variation: make at least two runs."
    ]


def test_columns_are_explained(two, with_dev):
    said, said_with_dev = (" ".join(format_variance(one, "text").split()) for one in (two, with_dev))
    s_sel = (
        "s_sel: standard deviation of a run's score over test sets of the same kind and source (bootstrap by segment, "
        "mean over runs); s_test: standard deviation of the scores of the runs on this test set"
    )
    assert f"{s_sel}. median: the run with the median score, the run to choose for manual inspection." in said
    assert (
        f"{s_sel}; s_dev: standard deviation of the scores of the runs on the dev set. median: the run with the median "
        "score on the test set; dev median: the run with the median score on the dev set, the run to choose for manual "
        "inspection, with its score on the test set."
    ) in said_with_dev


def test_advice_from_a_difference_is_said_to_be_about_the_difference(two):
    about = (
        "new - base: do this. The advice concerns the difference between two systems, so it can disagree with s_sel "
        "and s_test, which describe one."
    )
    projected = variance([system("one", runs=1, s_test=None), system("base"), system("new")])
    assert about in " ".join(format_variance(projected, "text", all_columns=True).split())
    # Where a system has one run, the advice is to make more.
    of_one = variance([system("base", runs=1, s_test=None), system("new"), system("old")])
    for without in (two, of_one, variance([system("base"), system("new")], advice=())):
        assert "The advice" not in format_variance(without, "text", all_columns=True)


@pytest.mark.parametrize("format", ["text", "markdown", "latex", "csv", "json"])
def test_no_format_lets_a_name_steer_the_terminal(format):
    written = format_variance(variance([system(HOSTILE)], (f"{HOSTILE}: x",), ()), format)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", written)
    assert written.endswith("\n")


def test_markdown_and_latex_escape_names(with_dev):
    hostile = variance([system(HOSTILE)], (f"{HOSTILE}: x",), ())
    assert r"| =x\|y\$z^2\$\_&amp;%#{}\\\~&lt;b&gt;\\x1b\[31m\*\` | 3 |" in format_variance(hostile, "markdown")
    latex = format_variance(hostile, "latex")
    assert r"=x\textbar{}\allowbreak{}y\$z" in latex.split("\\midrule\n")[1]
    assert r"\label{tab:BLEU-variance-" in latex
    for format in ("latex", "markdown"):
        assert "27.28 (run 3)" in re.sub(r"\\(?=[()])", "", format_variance(with_dev, format, all_columns=True))
        assert "run 3" not in format_variance(with_dev, format)


def compared(name, p_values, runs=3, **changes):
    """A comparison of the baseline with systems of these p-values, under one metric."""
    names = ["base", *(f"system {number}" for number in range(1, len(p_values) + 1))]
    deviations = {"s_sel": 0.262, "s_test": 0.057 if runs > 1 else None}
    systems = [hand_made.system(one, 18.526, runs=runs, **deviations) for one in names]
    pairs = [
        hand_made.pair(a, "base", 0.3, p_value=p, p_adjusted=p, verdict="significant")
        for a, p in zip(names[1:], p_values, strict=True)
    ]
    return hand_made.comparison(systems, pairs, name, **({"exchange": "run", "baseline": "base"} | changes))


def test_multevals_table_is_recognised():
    both = compared("BLEU", [0.0001, 1.0])
    both = compared("BLEU", [], metrics=both.metrics | compared("TER", [0.1004, 0.004999]).metrics)
    lines = format_multeval(both).splitlines()
    assert cells(lines[0]) == ["n=3", "BLEU (s_sel/s_opt/p)", "TER (s_sel/s_opt/p)"]
    assert cells(lines[1]) == ["base", "18.5 (0.3/0.1/-)", "18.5 (0.3/0.1/-)"]
    assert cells(lines[2]) == ["system 1", "18.5 (0.3/0.1/<0.01)", "18.5 (0.3/0.1/0.10)"]
    assert cells(lines[3]) == ["system 2", "18.5 (0.3/0.1/1.00)", "18.5 (0.3/0.1/<0.01)"]
    said = " ".join(lines[4:])
    assert "MultEval 0.5.1 takes all runs for one long output, so that its p is a little different." in said
    assert "From three runs on, its p is also about a tenth too small" in said
    settings = "unit:segment|exchange:run|trials:10000|interval:percentile|level:0.95|resamples:1000|rng:1"
    of_metrics = "BLEU nrefs:1|tok:13a; TER nrefs:1|tok:13a"
    assert f"{of_metrics}; test:ar|{settings}|mtworkbench:{__version__}" in said


def test_the_table_of_the_paper_is_latex():
    latex = format_multeval(compared("BLEU", [0.0001, 0.25]), latex=True)
    assert "Metric & System & Avg & s\\_sel & s\\_Test & p-value \\\\\n" in latex
    rows = latex.split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()
    assert rows[0] == r"BLEU & base & 18.5 & 0.3 & 0.1 & - \\"
    assert rows[1] == r" & system 1 & 18.5 & 0.3 & 0.1 & $<$0.01 \\"
    assert rows[2] == r" & system 2 & 18.5 & 0.3 & 0.1 & 0.25 \\"


def test_one_run_has_no_deviation_over_runs_and_no_slip():
    text = format_multeval(compared("BLEU", [0.25], runs=1))
    assert cells(text.splitlines()[0])[0] == "n=1"
    assert cells(text.splitlines()[2]) == ["system 1", "18.5 (0.3/-/0.25)"]
    assert "MultEval" not in text
    assert "too small" not in format_multeval(compared("BLEU", [0.25], exchange="unit"))


def test_multevals_table_needs_a_baseline():
    with pytest.raises(
        InputError, match="^MultEval's table is one of differences from a baseline: name the baseline.$"
    ):
        format_multeval(compared("BLEU", [0.25], baseline=None))
