"""Every public name in use, for mypy to read (test_types.py); nothing of this is run.

pandas comes without types, so a DataFrame is Any here, and ``assert_type`` could not tell one from anything else:
test_types.py looks at the annotations. Each ``type: ignore`` is a mistake that mypy must find: it reports those for
which there is no need.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar, assert_type

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

import mtworkbench as mtw
from mtworkbench.inference import (
    CampaignComparison,
    Clusters,
    Comparison,
    CrossedAnalysis,
    Interval,
    MetricComparison,
    OptimizerVariance,
    PairedBootstrap,
    PairEstimate,
    Plan,
    Randomization,
    RunPermutation,
    RunTTest,
    SystemEstimate,
)
from mtworkbench.inference.calibrate import Calibration
from mtworkbench.inference.conventions import Conventions
from mtworkbench.metrics import Metric
from mtworkbench.results.inspections import Inspection
from mtworkbench.results.segments import ListedSegments
from mtworkbench.tables import ShownTable
from mtworkbench.widgets import (
    ComparisonExplorer,
    DifferenceExplorer,
    Explorer,
    Prediction,
    SegmentBrowser,
    StartForm,
)

Array = NDArray[Any]
Item = TypeVar("Item")


def counted(items: Iterable[Item]) -> Iterable[Item]:
    """Hand on each item, as ``tqdm`` does."""
    return items


# From files to frames.
assert_type(mtw.find_shipped("data"), Path)
outputs = mtw.read_outputs("ref.txt", {"a": "a.txt", "b": ["b.1", "b.2"]}, documents=Path("docs"), accept={"nfc"})
mtw.read_outputs(["ref.1", "ref.2"], [("a", "a.*")])
mtw.make_outputs(["x", None], {"a": [["x", "y"]], "b": [["x", "y"], ["x", "z"]]}, source=["p", "q"])
mtw.read_table(outputs, systems=["a"])
mtw.read_table([{"model": "a", "item": 1, "score": 0.5}], columns={"system": "model", "segment": "item"})
mtw.read_lm_eval("results/*/samples_gsm8k_*.jsonl", texts=True)
mtw.read_wmt_jsonl("wmt26-genmt.jsonl", {"a": "a.jsonl"}, language_pair="eng_Latn-deu_Latn", references=["refA"])
assert_type(list(mtw.read_campaign("campaign.tsv", accept=["nfc"])), list[str])
mtw.read_sgml("ref.sgm", {"a": "a.sgm"})
mtw.read_wmt_xml("wmt.xml", references=["A"], systems=["online-*"])
mtw.read_test_set("wmt24", "en-de", {"a": "a.txt"}, systems=["a", "online-*"])
mtw.read_mt_metrics_eval("wmt23", "en-de", scores=["one", "two"])
lists = mtw.read_nbest(["dev.100best"], "dev.en", system="moses")
mtw.outputs.check_outputs(pd.concat([mtw.outputs.first_best(lists), mtw.metrics.oracle_best(lists, mtw.ChrF())]))
mtw.outputs.read_mqm("mqm.tsv", weights={("*", "Major"): 10}, accept=["non-contiguous"])
mtw.read_da("ad-seg-scores-ru-en.csv")
mtw.add_scores(outputs, mtw.read_scores("comet.json"), mtw.read_scores(Path("scores.csv"), accept={"huge-line"}))
mtw.outputs.check_outputs(mtw.outputs.common_segments(outputs))
mtw.outputs.check_outputs(mtw.outputs.repair_outputs(outputs, ["html-entities"]))
assert_type(mtw.outputs.write_sgml(outputs, Path("folder"), languages=("en", "de")), list[Path])
mtw.read_outputs(3, {"a": "a.txt"})  # type: ignore[arg-type]
mtw.read_outputs("ref.txt", {"a": 3})  # type: ignore[arg-type]

# Metrics: whatever has a metric's attributes is one.
metrics: list[Metric] = [
    mtw.Bleu(tokenize="none"),
    mtw.ChrF(word_order=2),
    mtw.metrics.Gtm(),
    mtw.metrics.Length(),
    mtw.MeanScore("comet"),
    mtw.metrics.Meteor(language="de"),
    mtw.metrics.Nist(),
    mtw.metrics.Ter(),
    mtw.metrics.make_metric("bleu", lowercase=True),
]
assert_type(metrics[0].higher_is_better, bool | None)
mtw.Bleu(tokenise="none")  # type: ignore[call-arg]
mtw.compute_statistics(outputs, 4)  # type: ignore[call-overload]

# Statistics.
statistics = mtw.compute_statistics(outputs, mtw.Bleu(), progress=counted)
mtw.compute_statistics(outputs, mtw.Bleu(), progress=mtw.show_progress("BLEU"))
assert_type(statistics, mtw.statistics.SegmentStatistics)
assert_type(mtw.compute_statistics(outputs, ["bleu", mtw.metrics.Ter()]), list[mtw.statistics.SegmentStatistics])
assert_type(statistics["x"], mtw.statistics.SystemStatistics)
assert_type([system for _, system in statistics.items()], list[mtw.statistics.SystemStatistics])
assert_type(list(statistics), list[str])
assert_type(statistics.score(), dict[str, Array])
assert_type(statistics.take(np.arange(3)), mtw.statistics.SegmentStatistics)
assert_type(statistics.metric, Metric)
assert_type(statistics.signature, str)
a, b = statistics["a"], statistics["b"]
assert_type(a.values, Array)
assert_type(a.score(np.ones((2, 3))), Array)
assert_type(a.n_runs, int)
assert_type(a.test_set.n_documents, int | None)
loaded = mtw.load_statistics("a.stats", Path("b.stats"), directions={"score": False})
assert_type(loaded, tuple[mtw.statistics.SegmentStatistics, ...])
assert_type(
    mtw.statistics.merge_statistics(*loaded, statistics, origins=["x", "y"]),
    tuple[mtw.statistics.SegmentStatistics, ...],
)
mtw.save_statistics("a.stats", statistics, *loaded)
statistics[0]  # type: ignore[index]
statistics.scores()  # type: ignore[attr-defined]

# Virtual test sets.
assert_type(mtw.resampling.block_samples(100, 10), list[Array])
assert_type(mtw.resampling.broad_samples(100, 10), list[Array])
assert_type(mtw.resampling.random_samples(100, 10, 5, rng=1), list[Array])
assert_type(mtw.resampling.bootstrap_weights(100, 10, rng=np.random.default_rng(1)), Iterator[Array])
assert_type(mtw.resampling.exchange_masks(["one", "one", "two"], 10), Iterator[Array])
assert_type(mtw.resampling.swap_matrix(100, 10, rng=1), Array)
assert_type(mtw.resampling.pair_runs(np.zeros((2, 3)), np.ones((3, 3))), tuple[Array, Array])
mtw.resampling.bootstrap_weights(np.array([1, 1, 2]), 10)
assert_type(mtw.resampling.bootstrap_weights(100, 10, rng="1/2"), Iterator[Array])
mtw.resampling.bootstrap_weights(100, 10, rng=1.0)  # type: ignore[arg-type]

# Inference.
comparison = mtw.compare([statistics], baseline="a", level=0.99, rng=1, progress=counted)
assert_type(comparison, Comparison)
mtw.compare(statistics, adjust="max-t", family="all", runs="pooled")
assert_type(comparison.headline, list[str])
assert_type(comparison.baseline, str | None)
bleu = comparison.metrics["BLEU"]
assert_type(bleu, MetricComparison)
assert_type(bleu.systems, tuple[SystemEstimate, ...])
assert_type(bleu.comparisons, tuple[PairEstimate, ...])
assert_type(bleu.comparisons[0].p_value, float)
assert_type(bleu.comparisons[0].better, str | None)
campaign = mtw.compare_test_sets({"one": statistics, "other": [statistics]}, "a", n_trials=100, rng=1, progress=counted)
assert_type(campaign, CampaignComparison)
assert_type(campaign.metrics["BLEU"].comparisons[0].sets[0].p_value, float)
assert_type(campaign.headline, list[str])
mtw.compare_test_sets(statistics)  # type: ignore[arg-type]
assert_type(mtw.compare({"one": statistics, "other": [statistics]}), Comparison | CampaignComparison)
assert_type(campaign.of_set("one"), Comparison)
assert_type(mtw.tables.format_campaign(campaign, "latex", width=80, all_columns=True), str)
assert_type(mtw.plots.draw_campaign(campaign, width=6.5), Figure)
assert_type(mtw.tables.format_result(campaign, "json"), str)
mtw.tables.format_campaign(comparison.metrics["BLEU"])  # type: ignore[arg-type]
interval = mtw.bootstrap_interval(a, n_resamples=100, rng=1)
assert_type(interval, Interval)
assert_type(interval.low, float | None)
assert_type(interval.resampled, Array)
assert_type(mtw.paired_bootstrap(a, b, rng=1), PairedBootstrap)
assert_type(mtw.approximate_randomization(a, b, exchange="run").p_value, float)
assert_type(mtw.approximate_randomization(a, b), Randomization)
analysis = mtw.inference.crossed_analysis(a, b)
assert_type(analysis, CrossedAnalysis)
assert_type(mtw.tables.advise_spending(analysis), str)
mtw.inference.project_errors(analysis, n_runs=[3, 5])
mtw.compare([statistics], margin=0.5)
mtw.compare([statistics], margin={"bleu": 0.5})
plan = mtw.plan_test_set(a, b, difference=0.5, power=0.9, runs=3)
assert_type(mtw.plan_test_set(a, b, margin=0.5).smallest_margin, float | None)
assert_type(plan, Plan)
assert_type(plan.segments_needed, int | None)
assert_type(plan.headline, list[str])
mtw.plan_test_set(statistics)  # type: ignore[call-arg, arg-type]
variance = mtw.optimizer_variance(statistics, dev=statistics, baseline="a")
assert_type(variance, OptimizerVariance)
assert_type(mtw.inference.permute_runs(a, b), RunPermutation)
assert_type(mtw.inference.t_test_runs(a, b), RunTTest)
mtw.inference.rank_changes(statistics, "a", outputs=outputs)
clusters = mtw.inference.cluster_systems(statistics, rule="wmt21")
assert_type(clusters, Clusters)
assert_type(clusters.systems[0].rank_low, int)
assert_type(clusters.pairs_frame(), pd.DataFrame)
examined = mtw.analyses.examine_doubts(outputs, ["bleu"], "a", codes=["lower-case"], n_trials=100)
assert_type(mtw.analyses.inspect_outputs(outputs, most_lines=None), Inspection)
by_unit = mtw.analyses.compare_units([statistics], "a", units=["document", "domain", "block"], n_trials=100, rng=1)
assert_type(mtw.analyses.summarize_units(by_unit), pd.DataFrame)
assert_type(mtw.analyses.describe_units(by_unit), str)
assert_type(mtw.analyses.compare_single_runs(statistics, "a", rng=1), pd.DataFrame)
mtw.compare(statistics, unit="block", block_length=7, strata=None)
mtw.paired_bootstrap(a, b, unit="domain", strata="domain")
rules = mtw.conventions(a, b, n_resamples=500, n_trials=500, unit="segment", level=0.9, rng=1)
assert_type(rules, Conventions)
assert_type(rules["moses"].p_value, float | None)
assert_type(rules["moses"].verdict, str | None)
assert_type(rules.headline, list[str])
rules.to_frame()
calibration = mtw.calibrate(a, b, n_repetitions=10, n_segments=100, rng=1, progress=counted)
assert_type(calibration, Calibration)
assert_type(calibration["ar"].rejected, float)
calibration.intervals_frame()
mtw.analyses.segment_contributions(outputs, statistics, "a", "b", runs=(1, 2), unit="segment")
mtw.analyses.segment_contributions(None, statistics, "a", "b", unit="document")
mtw.analyses.bucket_segments(outputs, statistics, "a", "b", "length", n_resamples=400, level=0.9, rng=1)
mtw.analyses.bucket_segments(None, statistics, "a", "b", by=["short", "long"])
listed = mtw.analyses.list_segments(outputs, statistics, "a", "b", first=5, rng=1)
assert_type(listed, ListedSegments)
assert_type(listed.difference, float)
assert_type(mtw.tables.format_segments(listed, "text", width=80, coloured=True), str)
assert_type(mtw.tables.format_segments([listed], "tsv"), str)
mtw.analyses.tabulate_judgements(statistics, unit="document", rng=1)
mtw.analyses.measure_agreement(statistics, [statistics], unit="segment", level=0.9, n_resamples=400, rng=1)
mtw.analyses.compare_agreement(statistics, statistics, statistics, n_trials=100, rng=1)
assert_type(mtw.analyses.leave_out_units(a, b, unit="segment"), pd.DataFrame)
mtw.analyses.find_decisive_units(a, b, level=0.99, at_most=5, n_trials=100, rng=1, progress=counted)
mtw.analyses.grow_test_set(a, b, n_points=5, order="random", rng=1, progress=counted)
mtw.analyses.simulate_peeking(a, b, looks=[2, 5], n_repetitions=100, rng=1)
mtw.bootstrap_interval(statistics)  # type: ignore[arg-type]
mtw.compare(outputs=outputs)  # type: ignore[call-overload]
print(bleu.comparisons[0].p)  # type: ignore[attr-defined]

# What is shown.
assert_type(mtw.format_comparison(comparison, "latex"), str)
assert_type(mtw.format_comparison(comparison, "markdown", all_columns=True), str)
assert_type(mtw.describe_comparison(comparison) + mtw.describe_comparison(bleu), str)
assert_type(mtw.tables.write_bibtex(comparison) + mtw.tables.cite(comparison)[0].entry, str)
assert_type(mtw.tables.format_multeval(comparison, latex=True), str)
assert_type(mtw.tables.format_variance(variance), str)
assert_type(mtw.tables.format_plan([plan], "json"), str)
assert_type(mtw.show_table(comparison.to_frame(), digits=3), ShownTable)
assert_type(mtw.plots.plot_scores(bleu, color="black"), Axes)
assert_type(mtw.plots.plot_differences(bleu), Axes)
assert_type(mtw.plots.plot_pairwise(bleu, None, vmin=0), Axes)
assert_type(mtw.draw_comparison(bleu, width=5), Figure)
assert_type(mtw.plots.plot_power(plan), Axes)
assert_type(mtw.plot_count([True, False], event="heads", of="coins"), Axes)
assert_type(mtw.predict("How many?", 50.0, mtw.plots.plot_power(plan)), Prediction)
assert_type(mtw.start(Path("data"), rng=1), StartForm)
assert_type(mtw.start().comparison, Comparison | None)
mtw.predict("Which?", "a", mtw.draw_comparison(bleu), choices=["a", "b"])
assert_type(mtw.check_answer(5, 10, {"one direction is counted": 5}, within=0.5), str)
with mtw.style("paper"):
    mtw.draw_comparison(bleu)
mtw.style(3)  # type: ignore[arg-type]
assert_type(mtw.explore_comparison(statistics, "a", rng=1), ComparisonExplorer)
assert_type(mtw.explore_plan(statistics), Explorer)
assert_type(mtw.explore_differences(outputs, [statistics], "a", rng=1), DifferenceExplorer)
assert_type(mtw.explore_segments(outputs, statistics, "a", "b", view={"sort": "change"}, rng=1), SegmentBrowser)
mtw.save_figure(mtw.plots.plot_scores(bleu), "scores", folder=Path("figures"))
mtw.exports.write_figure(mtw.draw_comparison(comparison), Path("comparison.pdf"))
mtw.save_table(pd.DataFrame(), "scores", digits=3)
mtw.write_report(comparison, "report.html", outputs=outputs, texts=False)
mtw.write_report(bleu, "report.html")  # type: ignore[arg-type]
mtw.format_comparison(bleu)  # type: ignore[arg-type]


# Studies that go on where they stopped.
def count_letters(words: list[str], place: int) -> dict[str, Array]:
    """Return a unit of work."""
    return {"letters": np.array(len(words[place]))}


study = mtw.Study(Path("study"), workers=2, progress=mtw.show_progress("letters"))
assert_type(study.run(count_letters, ["one", "two"], range(2)), list[dict[str, Array]])
mtw.Study(scheduler="tcp://127.0.0.1:8786").run(count_letters, ["one"], ["one"])  # type: ignore[arg-type]
assert_type(study.n_found, int)

# What goes wrong.
try:
    mtw.outputs.check_outputs(outputs)
except mtw.InputError as error:
    assert_type(error.code, str)
    assert_type(error.line, int | None)
assert_type(mtw.DataWarning("crlf", "A sentence.", line=3).count, int | None)
raised: Callable[..., ValueError] = mtw.InputError
print(mtw.comparee)  # type: ignore[attr-defined]
