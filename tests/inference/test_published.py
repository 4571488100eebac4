"""The numbers of the original tools on real outputs."""

import csv
import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mtworkbench.errors import DataWarning
from mtworkbench.inference import compare
from mtworkbench.metrics import Bleu, ChrF, Length
from mtworkbench.statistics.segment_statistics import compute_statistics
from mtworkbench.tables import format_comparison
from mtworkbench.words.headlines import describe_findings


def lines_of(path):
    return path.read_text(encoding="utf-8-sig").removesuffix("\n").split("\n")


def read_frame(reference, systems):
    """An outputs frame of files of one segment a line; systems are lists of runs."""
    references = lines_of(reference)
    frames = []
    for system, runs in systems.items():
        for run, path in enumerate(runs, start=1):
            rows = {"segment": np.arange(1, len(references) + 1), "reference": references, "system": system}
            frames.append(pd.DataFrame(rows | {"run": run, "hypothesis": lines_of(path)}, dtype=object))
    return pd.concat(frames, ignore_index=True).astype({"segment": np.int64, "run": np.int64})


@pytest.fixture(scope="module")
def wmt17(shared):
    """BLEU of the 16 systems as MultEval counts it, the baseline, and MultEval's p of each other system."""
    folder = shared / "realdata" / "wmt17-en-de-16systems"
    with (folder / "published_pvalues.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    published = {row["system"]: float(row["multeval_AR_p_BLEU"]) for row in rows}
    [baseline] = {row["baseline"] for row in rows}
    frame = read_frame(
        folder / "ref" / "newstest2017.ref.de",
        {system: [folder / "sys" / system] for system in (baseline, *published)},
    )
    return compute_statistics(frame, Bleu(tokenize="none")), baseline, published


def test_randomization_agrees_with_multeval_on_wmt17(wmt17):
    statistics, baseline, published = wmt17
    found = compare(statistics, baseline, unit="segment", n_resamples=400, rng=1)
    pairs = found.metrics["BLEU"].comparisons
    assert {pair.a for pair in pairs} == set(published) and len(pairs) == 15
    for pair in pairs:
        p = published[pair.a]
        assert abs(pair.p_value - p) <= 4 * np.sqrt(2 * p * (1 - p) / 10_000), pair


def short(name):
    return name.removeprefix("newstest2017.").split(".")[0]


def test_what_holds_alone_on_wmt17_does_not_hold_among_15(wmt17):
    """Three of the published p lie below 0.05 and do not hold in the family."""
    statistics, baseline, published = wmt17
    found = compare(statistics, baseline, unit="segment", rng=1)
    metric = found.metrics["BLEU"]
    assert {short(pair.better) for pair in metric.comparisons if pair.better is not None} == {"uedin-nmt", "LIUM-NMT"}
    better = [pair for pair in metric.comparisons if pair.better is not None]
    assert {short(pair.a) for pair in better if pair.better == baseline} == {
        *("C-3MA", "PROMT-Rule-based", "TALP-UPC", "online-A", "online-F", "online-G")
    }
    alone = [pair for pair in metric.comparisons if published[pair.a] < 0.05 and pair.verdict != "significant"]
    assert {short(pair.a) for pair in alone} == {"FBK", "KIT", "RWTH-nmt-ensemble"}
    assert {pair.conclusion for pair in alone} == {"not shown"}
    assert describe_findings(found) == [
        f"Of the 15 other systems, compared with {baseline} on these outputs by BLEU, 1 is shown to be better "
        "(newstest2017.uedin-nmt.4722.en-de), 6 are shown to be worse and 8 are not shown to differ."
    ]
    assert [one.code for one in found.assumptions if one.matters] == ["independent-segments", "one-run"]
    by_holm = compare(statistics, baseline, unit="segment", adjust="holm", rng=1).metrics["BLEU"].comparisons
    assert [pair.better for pair in by_holm] == [pair.better for pair in metric.comparisons]
    assert all(pair.excludes_zero == (pair.verdict == "significant") for pair in metric.comparisons)


@pytest.mark.slow
@pytest.mark.parametrize(("level", "n_trials"), [(0.95, 10_032), (0.99, 50_167)])
def test_all_pairs_of_wmt17_and_a_changed_copy_are_not_undecided_for_want_of_trials(wmt17, level, n_trials):
    """17 systems: a difference that no trial reaches is significant; the copy differs in one segment alone."""
    statistics, baseline, _ = wmt17
    changed = statistics.values[baseline].copy()
    changed[0, 7] = statistics.values["newstest2017.online-F.0.en-de"][0, 7]
    with_copy = replace(statistics, values=statistics.values | {"copy": changed})
    with pytest.warns(DataWarning, match=r"^By BLEU, 'copy' and '.*' differ in only 1 of 3,004 segments\.") as told:
        found = compare(with_copy, unit="segment", level=level, adjust="holm", rng=1)
    assert len(told) == 1
    pairs = found.metrics["BLEU"].comparisons
    assert (len(pairs), found.n_trials) == (136, n_trials)
    unreached = [pair for pair in pairs if pair.p_low == 0]
    assert len(unreached) > 60
    assert {pair.verdict for pair in unreached} == {"significant"}
    [copied] = [pair for pair in pairs if {pair.a, pair.b} == {"copy", baseline}]
    assert (copied.segments_differing, copied.p_value, copied.verdict) == (1, 1, "not significant")
    assert sum(pair.verdict == "undecided" for pair in pairs) < 10  # p close to its threshold, not few trials
    assert len(describe_findings(found)) <= 5


@pytest.fixture(scope="module")
def ted(shared):
    folder = shared / "golden" / "data" / "ted_sk"
    systems = {name: [folder / f"{name}.detok.txt"] for name in ("sys1", "sys2")}
    frame = read_frame(folder / "ref.detok.txt", systems)
    return [compute_statistics(frame, metric) for metric in (Bleu(), ChrF(word_order=2))]


def test_metrics_that_contradict_each_other_on_ted_are_named(ted):
    """compare-mt's own example: BLEU prefers the one system, chrF++ the other."""
    for baseline in ("sys1", "sys2", None):
        found = compare(ted, baseline, rng=1)
        assert {name: metric.comparisons[0].better for name, metric in found.metrics.items()} == {
            "BLEU": "sys2",
            "chrF++": "sys1",
        }
        [said] = [sentence for sentence in found.headline if "contradict" in sentence]
        assert (
            said == "On these outputs, BLEU and chrF++ contradict each other."
        )  # the first sentence says who is better
        assert len(describe_findings(found)) == 2
        written = json.loads(format_comparison(found, "json"))
        assert written["headline"] == found.headline
        for format in ("text", "markdown", "latex"):
            assert "contradict each other" in " ".join(format_comparison(found, format).split())
        assert said in found._repr_html_()


@pytest.fixture(scope="module")
def multeval(shared):
    cases = json.loads((shared / "golden" / "multeval.json").read_text(encoding="utf-8"))["cases"]
    [case] = [case for case in cases if case["id"] == "csen-readme-table"]
    folder = shared / "golden"
    frame = read_frame(
        folder / case["inputs"]["refs"][0],
        {name: [folder / path for path in case["inputs"][f"{name}_runs"]] for name in ("baseline", "system1")},
    )
    statistics = [compute_statistics(frame, metric) for metric in (Bleu(tokenize="none"), Length())]
    expected = {"baseline": case["expected"]["baseline"], "system1": case["expected"]["system 1"]}
    return statistics, expected


@pytest.mark.parametrize("metric", ["BLEU", "Length"])
def test_table_of_multeval(multeval, metric):
    statistics, expected = multeval
    found = compare(statistics, "baseline", n_resamples=10_000, n_trials=100, rng=1).metrics[metric]
    for system in found.systems:
        published = expected[system.system][metric]
        assert system.scores == pytest.approx(published["scores_by_optimizer_run"], abs=6e-7)
        assert system.score == pytest.approx(published["avg"], abs=6e-7)
        assert system.s_test == pytest.approx(published["s_opt"], abs=6e-7)
        assert system.s_sel == pytest.approx(published["s_sel"], rel=published["s_sel_tolerance_rel"])


def test_length_of_multeval_exchanged_by_run_and_by_unit(multeval):
    """MultEval prints 0.089: the second of its pseudo-systems gets the inverse permutation of runs."""
    [_, lengths], _ = multeval
    by_run, by_unit = (
        compare(lengths, "baseline", exchange=exchange, n_resamples=400, n_trials=n_trials, rng=1)
        for exchange, n_trials in (("run", 100_000), ("unit", 10_000))
    )
    assert by_run.metrics["Length"].comparisons[0].p_value == pytest.approx(0.100, abs=0.004)
    assert by_unit.metrics["Length"].comparisons[0].p_value == pytest.approx(0.29, abs=0.02)


@pytest.mark.parametrize("opt", [0, 1, 2])
def test_single_runs_of_multeval(shared, opt):
    cases = json.loads((shared / "golden" / "multeval.json").read_text(encoding="utf-8"))["cases"]
    [case] = [case for case in cases if case["id"] == f"csen-single-opt{opt}"]
    folder = shared / "golden"
    frame = read_frame(
        folder / case["inputs"]["refs"][0],
        {name: [folder / case["inputs"][f"{name}_runs"][0]] for name in ("baseline", "system1")},
    )
    statistics = [compute_statistics(frame, metric) for metric in (Bleu(tokenize="none"), Length())]
    found = compare(statistics, "baseline", n_resamples=400, rng=1)
    for metric, comparison in found.metrics.items():
        published = case["expected"]["system 1"][metric]
        [pair] = comparison.comparisons
        assert pair.p_value == pytest.approx(published["p_value"], abs=published["p_tolerance_abs"])


def test_multevals_own_example_is_shown_on_these_outputs_only(multeval):
    """Clark et al. warn against the claim that its first line invites: three runs of each do not show the method."""
    found = compare(multeval[0], "baseline", rng=1)
    pair = found.metrics["BLEU"].comparisons[0]
    assert (pair.better, pair.verdict, pair.method_verdict) == ("system1", "significant", "not significant")
    assert pair.conclusion == "shown on these outputs only"
    assert found.headline[0] == (
        "system1 - baseline = +0.29 BLEU and +0.16 Length: for the method, no difference "
        "is shown by BLEU (p = 0.2277) or Length (p = 0.7529). For these runs, system1 is shown to be better by "
        "BLEU (p = 0.0105); no difference is shown by Length (p = 0.2908)."
    )
    findings = describe_findings(found)
    assert len(findings) == 2 and findings[1].endswith("more runs help more than more segments.")
    written = json.loads(format_comparison(found, "json"))["metrics"]["BLEU"]["comparisons"][0]
    assert (written["conclusion"], written["better"]) == ("shown on these outputs only", "system1")
    for shown in (format_comparison(found, "text"), found._repr_html_()):
        meant = "for the method (new runs, new sentences), no difference is shown"
        assert meant in " ".join(shown.split())
        assert not re.search(
            r"\bsignificant", re.sub('[Nn]ot significant(&quot;|")? (is|does)', "", " ".join(shown.split()))
        )
        assert shown.index("for the method") < shown.index("system1 is shown to be better by BLEU")
        tables = shown[shown.index("Difference from baseline") :]
        assert 0 < tables.index("for the method") < tables.index("for these runs")


@pytest.mark.parametrize("n_runs", [1, 3])
def test_the_baselines_files_again_are_copies(multeval, n_runs):
    statistics = [
        replace(one, values=dict.fromkeys(("baseline", "again"), one.values["baseline"][:n_runs]))
        for one in multeval[0]
    ]
    found = compare(statistics, "baseline", rng=1)
    expected = {"BLEU": "copies", "Length": "identical scores"}
    for name, metric in found.metrics.items():
        [pair] = metric.comparisons
        assert (pair.conclusion, pair.p_value, pair.better) == (expected[name], 1, None)
    assert found.headline == [
        "again against baseline: by BLEU, they are copies of each other, with the same statistics in every segment; by "
        "Length, their scores are identical in every segment."
    ]
