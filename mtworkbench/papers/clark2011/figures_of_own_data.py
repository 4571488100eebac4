"""The tables and figures of Clark et al. (2011) of the reader's own systems, of which some have several runs."""

from __future__ import annotations

from collections.abc import Iterator

from mtworkbench.errors import InputError
from mtworkbench.papers import clark2011
from mtworkbench.papers.clark2011 import findings
from mtworkbench.papers.clark2011.randomization import tabulate_both_exchanges
from mtworkbench.papers.clark2011.scores import Pair
from mtworkbench.papers.common.figures_of_own_data import Drawings, OwnData, Piece

#: What the one corpus is called.
CORPUS = "Test set"
#: The comparison takes documents for units where they are known; these tables do not.
UNIT = "segment, as in the paper"


def tabulate_runs(data: OwnData) -> Iterator[Piece]:
    """Table 1 without s_dev: how much scores vary with the test set and from run to run."""
    if all(data.statistics[name].n_runs == 1 for name in data.statistics):
        raise InputError("too-few-runs", "Each system has one run, and one run does not show how much runs vary.")
    table = clark2011.tabulate_variance({CORPUS: data.families}, rng=data.random_key)
    shown = table.drop(columns=["corpus", "s_dev", "dev_runs"])
    said = f"{clark2011.describe_variance(table)} s_sel is by {UNIT}."
    yield Piece("clark2011_table1", "Table 1", said, shown, digits=4)


def draw_scores(data: OwnData) -> Iterator[Piece]:
    """Figure 1: the scores of all runs of two systems."""
    a, b = _choose_pair(data)
    scores = clark2011.arrange_scores(a, b)
    ax = clark2011.figures.plot_score_histograms(
        scores, overlap=clark2011.summarize_overlap(a, b), metric=a.metric.name
    )
    sentence = clark2011.describe_overlap({CORPUS: data.statistics.choose([a.system, b.system])})
    yield Piece("clark2011_fig1", "Figure 1", sentence, scores, ax)


def draw_replications(data: OwnData) -> Iterator[Piece]:
    """Figure 2: the differences that experiments with some runs of two systems would observe."""
    a, b = _choose_pair(data)
    drawn = clark2011.draw_differences(a, b, rng=data.random_key)
    found, arranged = clark2011.summarize_differences(drawn), clark2011.arrange_differences(drawn, a, b)
    ax = clark2011.figures.plot_difference_frequencies(arranged, found=found, metric=a.metric.name)
    yield Piece("clark2011_fig2", "Figure 2", clark2011.describe_differences(found, a, b), arranged, ax)


def tabulate_p(data: OwnData) -> Iterator[Piece]:
    """Table 2: the p-values that single runs and some runs of two systems give, with both ways to exchange."""
    a, b = _choose_pair(data)
    table, drawn = tabulate_both_exchanges(a, b, corpus=CORPUS, rng=data.random_key)
    found = findings.title_p_values(drawn["unit"])
    said = f"A is {a.system}, B is {b.system}. By unit, which is the {UNIT}: {found}."
    arranged = clark2011.arrange_table2(table, beside_paper=False)
    yield Piece("clark2011_table2", "Table 2", said, table.drop(columns="corpus"), arranged=arranged)


#: What is drawn of each metric by itself, and what is drawn of all metrics together.
OF_EACH_METRIC: Drawings = {"Figure 1": draw_scores, "Figure 2": draw_replications, "Table 2": tabulate_p}
OF_ALL_METRICS: Drawings = {"Table 1": tabulate_runs}


def _choose_pair(data: OwnData) -> Pair:
    """Return the first two systems with several runs: the baseline, where one is named, and another."""
    statistics = data.statistics
    names = sorted(statistics, key=lambda name: name != data.baseline)
    several = [name for name in names if statistics[name].n_runs > 1]
    if len(several) < 2:
        raise InputError(
            "too-few-runs", "Two systems with at least two runs each are needed, to see how much their runs differ."
        )
    return statistics[several[0]], statistics[several[1]]
