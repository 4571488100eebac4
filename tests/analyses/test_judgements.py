import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mtworkbench import read_mt_metrics_eval, read_table
from mtworkbench.analyses.judgements import tabulate_judgements
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import bootstrap_interval, compare
from mtworkbench.metrics import MeanScore
from mtworkbench.statistics.segment_statistics import compute_statistics


def judged(values, **more):
    frames = [
        pd.DataFrame({"system": name, "segment": np.arange(1, len(scores) + 1), "adequacy": scores})
        for name, scores in values.items()
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return read_table(pd.concat(frames, ignore_index=True).assign(**more))


def test_adequacy_with_missing_judgements():
    random = np.random.default_rng(1)
    adequacy = random.integers(1, 6, 120).astype(float)
    adequacy[[3, 50]] = np.nan
    statistics = compute_statistics(judged({"one": adequacy, "two": np.ones(120)}), MeanScore("adequacy"))
    row = tabulate_judgements(statistics, rng=1).iloc[0]
    known = adequacy[~np.isnan(adequacy)]
    low, high = stats.t.interval(0.95, 117, known.mean(), stats.sem(known))
    assert (row["judged"], row["missing"], row["mean"]) == (118, 2, pytest.approx(known.mean()))
    assert (row["t_low"], row["t_high"]) == pytest.approx((low, high))
    drawn = bootstrap_interval(statistics["one"], rng=1)
    assert (row["low"], row["high"], row["unit"], row["method"]) == (drawn.low, drawn.high, "segment", "percentile")


def test_an_unset_number_of_resamples_follows_the_level():
    scores = np.random.default_rng(1).normal(3, 1, 120)
    statistics = compute_statistics(judged({"one": scores}), MeanScore("adequacy"))
    for level, expected in ((0.95, 1000), (0.99, 2000)):
        row = tabulate_judgements(statistics, level=level, rng=1).iloc[0]
        drawn = bootstrap_interval(statistics["one"], n_resamples=expected, level=level, rng=1)
        assert (row["low"], row["high"]) == (drawn.low, drawn.high)


def test_correct_or_not_is_the_papers_example():
    """Koehn (2004), §4: 30 of 100 translations judged correct."""
    statistics = compute_statistics(judged({"one": [1.0] * 30 + [0.0] * 70}), MeanScore("adequacy"))
    row = tabulate_judgements(statistics, rng=1).iloc[0]
    assert (row["mean"], row["t_low"], row["t_high"]) == pytest.approx((0.3, 0.2086, 0.3914), abs=5e-5)
    assert (row["low"], row["high"]) == pytest.approx((row["t_low"], row["t_high"]), abs=0.02)


def test_other_metrics_and_too_few_judgements_are_refused():
    outputs = judged({"one": [1.0, 2.0]})
    with pytest.raises(InputError, match="^Judgements were asked for, but the statistics are of Length: compute them"):
        tabulate_judgements(compute_statistics(outputs.assign(hypothesis="a", reference="a"), "length"))
    with pytest.raises(InputError, match="^A Student-t interval needs at least two judged sentences, but there are 1"):
        tabulate_judgements(compute_statistics(judged({"one": [1.0, np.nan]}), MeanScore("adequacy")))


@pytest.mark.long
def test_mqm_and_esa_of_mt_metrics_eval(shared):
    root = shared / "realdata" / "mt-metrics-eval" / "wmt23"
    with warnings.catch_warnings(record=True) as noticed:
        warnings.simplefilter("always")
        outputs = read_mt_metrics_eval(
            root, "en-de", references=["refA"], scores=str(root / "human-scores-esa-campaign" / "en-de.ESA-1.seg.score")
        )
    assert "missing-score" in {warning.message.code for warning in noticed}
    for column in ("mqm", "ESA-1"):
        statistics = compute_statistics(outputs, MeanScore(column, higher_is_better=True))
        rated = [name for name in statistics if not statistics[name].missing.all()]
        part = compute_statistics(outputs[outputs["system"].isin(rated)], statistics.metric)
        table = tabulate_judgements(part, unit="segment", rng=1).set_index("system")
        for name in rated:
            own = outputs.loc[outputs["system"] == name, column]
            assert table.loc[name, "missing"] == own.isna().sum()
            assert table.loc[name, "mean"] == pytest.approx(own.mean())
        # Where hundreds of sentences are judged, the two intervals tell the same.
        widths = (table["high"] - table["low"]) / (table["t_high"] - table["t_low"])
        assert widths.between(0.85, 1.15).all()
        by_document = tabulate_judgements(part, unit="document", rng=1).set_index("system")
        assert ((by_document["high"] - by_document["low"]) / (table["high"] - table["low"])).median() > 1
    lines = (root / "human-scores" / "en-de.mqm.sys.score").read_text().split("\n")
    published = {name: float(score) for name, score in (line.split("\t") for line in lines if line) if score != "None"}
    means = tabulate_judgements(
        compute_statistics(outputs[outputs["system"].isin(published)], MeanScore("mqm")), rng=1
    ).set_index("system")["mean"]
    assert {name: means[name] for name in means.index} == pytest.approx(
        {name: published[name] for name in means.index}, abs=1e-4
    )


def test_direct_assessments_leave_a_comparison_where_either_is_missing(shared):
    path = shared / "realdata" / "wmt21-da-ru-en" / "ad-seg-scores-ru-en.csv"
    table = pd.read_csv(path, sep=" ", usecols=[0, 1, 2]).set_axis(["system", "segment", "da"], axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        outputs = read_table(table.assign(da=table["da"].astype(float)))
        statistics = compute_statistics(outputs, MeanScore("da"))
        pair = list(statistics)[:2]
        part = compute_statistics(outputs[outputs["system"].isin(pair)], MeanScore("da"))
        found = compare(part, n_resamples=50, n_trials=50, rng=1).metrics["da"].comparisons[0]
    means = tabulate_judgements(statistics, rng=1).set_index("system")["mean"]
    assert means.to_dict() == pytest.approx(table.groupby("system")["da"].mean().to_dict())
    wide = table.pivot(index="segment", columns="system", values="da")
    both = wide[[found.a, found.b]].dropna()
    assert len(both) < len(wide)
    assert found.difference == pytest.approx((both[found.a] - both[found.b]).mean())


def test_mqm_averages_of_segments(shared):
    path = shared / "realdata" / "mqm-ted-en-de" / "mqm_ted_ende.avg_seg_scores.tsv"
    table = pd.read_csv(path, sep=r"\s+").rename(columns={"seg_id": "segment", "mqm_avg_score": "mqm"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        statistics = compute_statistics(read_table(table), MeanScore("mqm"))
    means = tabulate_judgements(statistics, rng=1).set_index("system")["mean"]
    published = {"Facebook-AI": -1.06, "Online-W": -1.12, "VolcTrans-AT": -1.24, "ref-A": -0.91}
    assert {name: means[name] for name in published} == pytest.approx(published, abs=0.0051)
