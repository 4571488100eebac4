import numpy as np
import pandas as pd
import pytest

from mtworkbench.errors import InputError
from mtworkbench.inference import compare
from mtworkbench.metrics import Bleu
from mtworkbench.outputs import make_outputs
from mtworkbench.segment_statistics import compute_statistics
from mtworkbench.studies.specification_curve import count_verdicts, list_specifications, run_specifications


def outputs_with_case():
    """One system that keeps words but not their case, one that keeps case but loses words."""
    random = np.random.default_rng(1)
    words = np.array(["Alpha", "beta", "Gamma", "delta", "Epsilon,", "zeta.", "eta", "Theta"])
    reference = [" ".join(random.choice(words, 10)) for _ in range(60)]
    lowered = [text.lower() for text in reference]
    lossy = [text.replace("beta", "other", 1) for text in reference]
    return make_outputs([reference], {"lowered": lowered, "lossy": lossy})


@pytest.fixture(scope="module")
def curve():
    return run_specifications(outputs_with_case(), "lowered", "lossy", n_resamples=100, n_trials=200, rng=1)


def test_every_specification_is_a_row_in_order_of_gain(curve):
    assert len(curve) == len(list_specifications()) == 38
    assert list(curve["specification"]) == list(range(1, 39))
    assert curve["gain_percent"].is_monotonic_increasing
    assert set(curve["case"]) == {"kept", "ignored"}
    assert set(curve["smoothing"]) == {"exp", "floor", "add-k", "none", ""}
    assert (curve[curve["metric"] == "chrF"]["tokenizer"] == "").all()


def test_the_choice_of_case_turns_the_verdict(curve):
    bleu = curve[curve["metric"] == "BLEU"].groupby("case")
    assert (bleu.get_group("kept")["difference"] < 0).all()
    assert (bleu.get_group("ignored")["difference"] > 0).all()
    assert set(curve[curve["metric"] == "BLEU"]["verdict"]) == {"significant"}
    counts = count_verdicts(curve).set_index("metric")
    assert list(counts.loc["BLEU", ["specifications", "a_better", "b_better", "open"]]) == [24, 12, 12, 0]


def test_a_row_is_what_compare_finds(curve):
    metric = Bleu(tokenize="intl", lowercase=False, smooth_method="floor")
    statistics = compute_statistics(outputs_with_case(), metric)
    pair = compare(statistics, "lossy", n_resamples=100, n_trials=200, rng=1).metrics["BLEU"].comparisons[0]
    row = curve[curve["signature"] == statistics.signature].squeeze()
    assert (row["difference"], row["low"], row["high"]) == pytest.approx((pair.difference, pair.low, pair.high))
    assert row["p_value"] == pair.p_value
    b_score = statistics.score()["lossy"][0, 0]
    assert row["gain_percent"] == pytest.approx(100 * pair.difference / b_score)


def test_an_unset_number_of_resamples_follows_the_level(monkeypatch):
    asked = []

    def compare_and_note(*arguments, **options):
        asked.append(options["n_resamples"])
        return compare(*arguments, **options)

    monkeypatch.setattr("mtworkbench.studies.specification_curve.compare", compare_and_note)
    for level in (0.95, 0.99):
        run_specifications(outputs_with_case(), "lowered", "lossy", ["bleu"], level=level, n_trials=400, rng=1)
    assert asked == [1000, 2000]


def test_where_less_is_better_less_is_a_gain():
    frame = run_specifications(
        outputs_with_case(), "lossy", "lowered", ["ter:case_sensitive=true"], n_resamples=50, n_trials=100, rng=1
    )
    row = frame.squeeze()
    assert row["difference"] < 0 < row["gain_percent"]
    assert row["gain_low"] <= row["gain_percent"] <= row["gain_high"]
    assert row["case"] == "kept"


def test_what_cannot_be_compared_is_refused():
    outputs = outputs_with_case()
    with pytest.raises(InputError, match="^There is no system 'new' in the outputs, which have 'lowered', 'lossy'"):
        run_specifications(outputs, "new", "lossy")
    with pytest.raises(InputError, match="^Length has no direction, so no system gains under it: leave it out"):
        run_specifications(outputs, "lowered", "lossy", ["length"])


def test_figures_draw_the_rows(curve):
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    from mtworkbench.plots.specifications import draw_specifications

    figure = draw_specifications(curve)
    above, below = figure.axes
    dots = pd.concat([pd.DataFrame(line.get_xydata()) for line in above.get_lines()[1:]])
    assert sorted(map(tuple, dots.to_numpy())) == sorted(
        zip(curve["specification"].astype(float), curve["gain_percent"], strict=True)
    )
    labels = [label.get_text() for label in below.get_yticklabels()]
    row = labels.index("smoothing: add-k")
    drawn = next(line for line in below.get_lines() if len(line.get_ydata()) and set(line.get_ydata()) == {row})
    assert list(drawn.get_xdata()) == list(curve[curve["smoothing"] == "add-k"]["specification"])
    plt.close(figure)
