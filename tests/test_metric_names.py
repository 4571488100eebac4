"""METEOR by its exact module alone has one name wherever people read, and its own name for programs."""

import json
import re
from dataclasses import replace
from html import unescape

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

import mtworkbench as mtw
from mtworkbench.papers.simulation.replications import EXACT_METEOR, load_replications
from mtworkbench.tables import (
    describe_briefly,
    describe_comparison,
    format_variance,
)
from mtworkbench.tables.data import describe_metrics
from mtworkbench.words.metric_names import label_metric

pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
LABEL, EXACT, ALL = "METEOR (exact)", "lang:en|mod:exact|w:1", "lang:en|mod:exact-stem|w:1-0.6"


@pytest.fixture(scope="module")
def statistics():
    whole = load_replications("btec").test.statistics(EXACT_METEOR)
    return replace(whole, values={name: whole.values[name][:3] for name in "AB"})


@pytest.fixture(scope="module")
def comparison(statistics):
    return mtw.compare(statistics, baseline="A", n_resamples=50, n_trials=99, rng=1)


@pytest.fixture(scope="module")
def variance(statistics):
    return mtw.optimizer_variance(statistics, n_resamples=50, rng=1)


@pytest.mark.parametrize(
    ("name", "signature", "label"),
    [
        ("METEOR", EXACT, LABEL),
        ("METEOR", ALL, "METEOR"),
        (f"METEOR|{EXACT}", EXACT, f"{LABEL}|{EXACT}"),
        (LABEL, EXACT, LABEL),
        ("BLEU", "case:mixed", "BLEU"),
    ],
)
def test_labels(name, signature, label):
    assert label_metric(name, signature) == label


def read_html(html):
    return unescape(re.sub(r"<[^>]+>", " ", html))


def draw(comparison):
    mpl.use("Agg")
    figure = mtw.draw_comparison(comparison)
    texts = [text.get_text() for text in figure.findobj(mpl.text.Text)]
    plt.close(figure)
    return " ".join(texts)


WRITERS = {
    "text": mtw.format_comparison,
    "latex": lambda found: mtw.format_comparison(found, "latex"),
    "every column": lambda found: mtw.format_comparison(found, "latex", all_columns=True),
    "markdown": lambda found: mtw.format_comparison(found, "markdown"),
    "html": lambda found: read_html(found._repr_html_()),
    "html of one": lambda found: read_html(found.metrics["METEOR"]._repr_html_()),
    "words": describe_comparison,
    "words of one": lambda found: describe_comparison(found.metrics["METEOR"]),
    "headline": lambda found: " ".join(describe_briefly(found)),
    "MultEval": mtw.tables.format_multeval,
    "figure": draw,
    "figure of one": lambda found: draw(found.metrics["METEOR"]),
}
VARIANCE_WRITERS = {
    "text": format_variance,
    "markdown": lambda found: format_variance(found, "markdown"),
    "html": lambda found: read_html(found._repr_html_()),
    "html of one": lambda found: read_html(found.metrics["METEOR"]._repr_html_()),
}


def check(written):
    words = " ".join(written.replace("tab:METEOR", "").replace("\\\\", "").split())  # LaTeX may break a heading
    names = re.findall(r"METEOR(?: \(exact\))?", words)
    assert set(names) == {LABEL}


@pytest.mark.parametrize("writer", WRITERS)
def test_whoever_reads_a_comparison_reads_the_label(comparison, writer):
    check(WRITERS[writer](comparison))


@pytest.mark.parametrize("writer", VARIANCE_WRITERS)
def test_whoever_reads_of_variation_reads_the_label(variance, writer):
    check(VARIANCE_WRITERS[writer](variance))


def test_statistics_and_single_results_have_the_label(statistics):
    check(read_html(statistics._repr_html_()))
    row = read_html(mtw.bootstrap_interval(statistics["A"], n_resamples=50, rng=1)._repr_html_())
    assert LABEL in row


def test_programs_find_the_metric_by_its_own_name(comparison, variance):
    for written in (describe_metrics(comparison), describe_metrics(variance)):
        (key, found), *_ = json.loads(json.dumps(written))["metrics"].items()
        assert (key, found["label"]) == ("METEOR", LABEL)
    assert list(comparison.metrics) == ["METEOR"]
    assert set(comparison.to_frame()["metric"]) == {"METEOR"}
    assert mtw.format_comparison(comparison, "csv").splitlines()[1].startswith("METEOR,")
