"""Clark's figures show their frames: what is drawn equals what is in them."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

from mtworkbench.papers.clark2011 import figures as plots
from mtworkbench.papers.clark2011 import findings

BINS = pd.DataFrame(
    {"system": ["A", "A", "$B$", "$B$"], "low": [1.0, 2, 1, 2], "high": [2.0, 3, 2, 3], "runs": [3, 1, 0, 4]}
)
RUNS = {"baseline_runs": 4, "experimental_runs": 4, "wrong_order_percent": 12.5}


@pytest.fixture
def ax():
    mpl.use("Agg")
    axes = plt.figure().subplots()
    yield axes
    plt.close("all")


def test_every_bin_is_a_bar(ax):
    overlap = pd.DataFrame([{"low": 1.5, "high": 2.5, "baseline_mean": 1.2, "experimental_mean": 2.2} | RUNS])
    drawn = plots.plot_score_histograms(BINS, ax, overlap=overlap, metric="TER", linewidth=2)
    bars = [patch for patch in drawn.patches if hasattr(patch, "get_data")]
    assert [bar.get_data().values.tolist() for bar in bars] == [[3, 1], [0, 4]]
    assert [bar.get_data().edges.tolist() for bar in bars] == [[1, 2, 3]] * 2
    assert [bar.get_label() for bar in bars] == ["A: 4 runs", r"\$B\$: 4 runs"]
    assert bars[0].get_linewidth() == 2
    assert [line.get_xdata()[0] for line in drawn.lines] == [1.2, 2.2]
    assert drawn.get_xlabel() == "TER"


def test_one_run_is_a_run(ax):
    one = BINS.assign(runs=[1, 0, 0, 4])
    bars = [patch for patch in plots.plot_score_histograms(one, ax).patches if hasattr(patch, "get_data")]
    assert [bar.get_label() for bar in bars] == ["A: 1 run", r"\$B\$: 4 runs"]


def test_no_overlap_is_not_shaded(ax):
    overlap = pd.DataFrame([{"low": np.nan, "high": np.nan, "baseline_mean": 1.2, "experimental_mean": 2.2} | RUNS])
    assert len(plots.plot_score_histograms(BINS, ax, overlap=overlap).patches) == 2


def test_single_runs_are_lines_in_the_histogram(ax):
    runs = pd.DataFrame({"system": ["A", "$B$"], "run": [17, 3], "score": [1.25, 2.5]})
    drawn = plots.plot_score_histograms(BINS, ax, runs=runs)
    bars = [patch for patch in drawn.patches if hasattr(patch, "get_data")]
    assert [line.get_xdata()[0] for line in drawn.lines] == [1.25, 2.5]
    assert [to_hex(line.get_color()) for line in drawn.lines] == [to_hex(bar.get_edgecolor()) for bar in bars]
    assert [text.get_text() for text in drawn.texts][-2:] == ["run 17", "run 3"]


OPTIMA = pd.DataFrame(
    {"start": [0, 1, 2], "dev": [50.0, 52, 51], "test": [40.0, 39, 38], "taken": [False, True, False]}
)


def test_the_optimum_that_was_taken_stands_out(ax):
    drawn = plots.plot_optima(OPTIMA, ax, metric="BLEU")
    others, taken = drawn.lines
    assert [others.get_xdata().tolist(), others.get_ydata().tolist()] == [[50, 51], [40, 38]]
    assert [taken.get_xdata().tolist(), taken.get_ydata().tolist()] == [[52], [39]]
    assert others.get_marker() != taken.get_marker()
    assert drawn.get_xlabel() == "BLEU on the tuning set"
    assert findings.title_optima(OPTIMA) == "On the test set, 1 of 2 other starts led to a higher score"
    assert findings.title_optima(OPTIMA[1:2]) == "One starting point leads to one local optimum"


def test_few_runs_are_dots(ax):
    """A histogram of three runs shows its bins."""
    frame = pd.DataFrame({"system": ["A", "A", "A", "$B$"], "run": [1, 2, 3, 1], "score": [1.0, 3, 2, 5]})
    drawn = plots.plot_score_histograms(frame, ax, metric="TER")
    assert [line.get_xdata().tolist() for line in drawn.lines] == [[1, 3, 2], [5]]
    assert [line.get_ydata().tolist() for line in drawn.lines] == [[0, 0, 0], [1]]
    assert not [patch for patch in drawn.patches if hasattr(patch, "get_data")]
    assert [label.get_text() for label in drawn.get_yticklabels()] == ["A: 3 runs", r"\$B\$: 1 run"]
    assert drawn.get_ylim()[0] > drawn.get_ylim()[1]


def test_differences_of_few_runs_are_ranges(ax):
    """A curve of nine different differences is nine spikes."""
    frame = pd.DataFrame({"replications": [1, 3], "mean": [0.4, 0.5], "low": [-1.0, 0.1], "high": [2.0, 0.9]})
    drawn = plots.plot_difference_frequencies(frame, ax, metric="TER")
    dots = [container.lines[0] for container in drawn.containers]
    assert [dot.get_xdata().tolist() for dot in dots] == [[0.4], [0.5]]
    ends = [container.lines[2][0].get_segments()[0][:, 0].tolist() for container in drawn.containers]
    assert ends == [pytest.approx([-1, 2]), pytest.approx([0.1, 0.9])]
    assert [label.get_text() for label in drawn.get_yticklabels()] == ["1 run", "3 runs"]
    assert drawn.get_xlabel().replace("\n", " ") == "observed difference in TER: mean and central 95 %"


def test_one_line_a_number_of_replications(ax):
    frame = pd.DataFrame({"replications": [1, 1, 5, 5], "low": [0.0, 1, 0, 1], "high": [1.0, 2, 1, 2]})
    frame["frequency"] = [0.5, 0.5, 0.1, 0.9]
    lines = plots.plot_difference_frequencies(frame, ax).lines[1:]
    assert [line.get_label() for line in lines] == ["1 run", "5 runs"]
    assert lines[1].get_ydata().tolist() == [0.1, 0.9]
    assert lines[1].get_xdata().tolist() == [0.5, 1.5]


def test_sizes_have_a_dot_for_each_test_and_null(ax):
    null = {"method_by_segment": [0.0, 0.5], "run": [0.4, 0.0], "residual": [0.5, 0.5], "n_runs": [3, 10]}
    share = {"rejected_percent": [12.0, 6.0], "low": [11.0, 5.0], "high": [13.0, 7.0]}
    frame = pd.concat([pd.DataFrame(null | share | {"test": test}) for test in ("exchange by unit", "crossed")])
    drawn = plots.plot_test_sizes(frame, ax)
    assert [label.get_text() for label in drawn.get_yticklabels()] == [
        "runs differ, 3 runs",
        "methods differ by sentence, 10 runs",
    ]
    dots = [container.lines[0] for container in drawn.containers]
    assert [dot.get_xdata().tolist() for dot in dots] == [[12.0, 6.0]] * 2
    assert drawn.get_ylim()[0] > drawn.get_ylim()[1]


def test_projections_have_a_line_for_each_size(ax):
    frame = pd.DataFrame({"n_units": [100, 100, 200, 200], "n_runs": [1, 5, 1, 5], "standard_error": [4.0, 3, 2, 1]})
    drawn = plots.plot_projected_errors(frame, ax, unit="document")
    assert [line.get_label() for line in drawn.lines] == ["100 documents", "200 documents"]
    assert drawn.lines[1].get_ydata().tolist() == [2, 1]
    assert [label.get_text() for label in drawn.get_xticklabels()] == ["1", "5"]
