"""What holds of every metric: its score is a function of summed statistics, and of nothing else.

The metrics are found in the package: a new one is tested here because it is there.
"""

import pickle
import pkgutil
import re
import warnings
from dataclasses import asdict, dataclass, fields, replace
from importlib import import_module
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtworkbench import metrics as package
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import compare
from mtworkbench.metrics import (
    METRICS,
    Bleu,
    ChrF,
    Gtm,
    Length,
    MeanScore,
    Meteor,
    Metric,
    Nist,
    Ter,
    make_metric,
)
from mtworkbench.metrics.directions import describe_direction, has_direction, sign_of
from mtworkbench.metrics.known import unit_of
from mtworkbench.metrics.protocol import KnownMetric, scored
from mtworkbench.statistics.segment_statistics import compute_statistics

# Texts that are drawn may have a blank before each full stop.
pytestmark = pytest.mark.filterwarnings("ignore:References and outputs are tokenized:mtworkbench.errors.DataWarning")


def find_metrics():
    """Every metric of the package with its defaults, and with the options that its help line shows."""
    for name, metric_class in METRICS.items():
        for spec in dict.fromkeys([name, *filter(None, metric_class.help_line.split(", "))]):
            metric = make_metric(spec)
            # Where the direction is an option, it is told: nothing is to be noticed here.
            told = "higher_is_better" in (field.name for field in fields(metric))
            yield replace(metric, higher_is_better=True) if told else metric


FOUND = list(find_metrics())
#: Those that read texts.
OF_TEXTS = [metric for metric in FOUND if not metric.may_be_missing]
#: METEOR's statistics come from a program, which test_meteor.py runs where there is one.
COMPUTED = [metric for metric in FOUND if not isinstance(metric, Meteor)] + [
    *(Bleu(smooth_method=method) for method in ("floor", "add-k", "none")),
    *(ChrF(eps_smoothing=True), Gtm(2, "13a")),
    Bleu("mteval-13a", smooth_method="mteval", reference_length="shortest"),
]
of_found = pytest.mark.parametrize("metric", FOUND, ids=repr)
of_texts = pytest.mark.parametrize("metric", OF_TEXTS, ids=repr)
of_computed = pytest.mark.parametrize("metric", COMPUTED, ids=repr)
of_computed_texts = pytest.mark.parametrize("metric", [one for one in COMPUTED if not one.may_be_missing], ids=repr)


# ------------------------------------------------------------------------------------- what a metric carries


def test_every_metric_of_the_package_has_a_name():
    modules = [import_module(f"{package.__name__}.{module.name}") for module in pkgutil.iter_modules(package.__path__)]
    classes = [one for module in modules for one in vars(module).values() if hasattr(one, "segment_statistics")]
    assert {one for one in classes if one not in (Metric, KnownMetric)} == set(METRICS.values())
    for metric_class in METRICS.values():
        assert getattr(package, metric_class.__name__) is metric_class
        assert metric_class.__name__ in package.__all__


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_is_made_by_its_name_and_by_its_help_line(name):
    metric = make_metric(name)
    assert metric == METRICS[name]()
    for spec in filter(None, metric.help_line.split(", ")):
        assert type(make_metric(spec)) is METRICS[name]
        assert spec.split(":")[0] == name


def test_unit_of_is_the_metrics():
    assert {metric.name: unit_of(metric.name) for metric in FOUND} == {metric.name: metric.unit for metric in FOUND}
    assert [unit_of(name) for name in ("TER", "Length", "BLEU", "another")] == ["%", "% of reference", "", ""]


@of_found
def test_a_metric_carries_what_the_protocol_asks(metric):
    assert isinstance(metric, Metric)
    assert type(metric).__doc__.split("\n")[0].endswith(".")
    for text in (metric.name, metric.signature, metric.unit, metric.help_line):
        assert type(text) is str and text == text.strip() and "\n" not in text
    assert metric.name and metric.signature and "nrefs" not in metric.signature
    names = metric.statistic_names
    assert type(names) is tuple and names and len(set(names)) == len(names)
    assert metric.higher_is_better in (True, False, None)
    # Said of the class itself, or of each instance: never left to a default.
    assert "higher_is_better" in vars(type(metric)).keys() | {field.name for field in fields(metric)}
    assert type(metric.may_be_missing) is type(type(metric).may_be_missing) is bool


@of_found
def test_metrics_are_their_options(metric):
    twins = (type(metric)(**asdict(metric)), replace(metric), pickle.loads(pickle.dumps(metric)))
    assert {metric, *twins} == {metric}
    assert [twin.name + twin.signature for twin in twins] == [metric.name + metric.signature] * 3
    for field in fields(metric):
        if type(getattr(metric, field.name)) is bool:
            assert replace(metric, **{field.name: not getattr(metric, field.name)}) != metric
        with pytest.raises(AttributeError):
            setattr(metric, field.name, None)
    with pytest.raises(InputError, match=" has no option 'no_such_option': "):
        make_metric(f"{next(name for name, one in METRICS.items() if one is type(metric))}:no_such_option=1")


@of_found
def test_a_direction_is_one_in_every_question(metric):
    words = {True: "higher is better", False: "lower is better", None: ""}
    assert describe_direction(metric) == words[metric.higher_is_better]
    assert sign_of(metric) == (-1 if metric.higher_is_better is False else 1)
    assert has_direction(metric) == (metric.higher_is_better is not None)


# ---------------------------------------------------------------------------- scores of any statistics, without texts


@of_found
def test_a_score_is_that_of_the_sum(metric):
    draws = np.random.default_rng(5)
    values = draws.integers(1, 9, (3, 7, len(metric.statistic_names)))
    totals = values.sum(axis=1)
    scores = metric.score(totals)
    assert scores.shape == (3,) and scores.dtype == np.float64 and np.isfinite(scores).all()
    assert np.array_equal(metric.score(np.ones(7) @ values), scores)
    assert [metric.score(total).item() for total in totals] == scores.tolist()
    weights = draws.integers(0, 4, 7)
    assert np.array_equal(
        metric.score(weights @ values), metric.score(values[:, np.repeat(np.arange(7), weights)].sum(axis=1))
    )
    of_segments = metric.segment_score(values)
    assert of_segments.shape == (3, 7) and of_segments.dtype == np.float64 and np.isfinite(of_segments).all()


@of_found
def test_what_nobody_has_scored_has_no_score(metric):
    values = np.zeros((2, 4, len(metric.statistic_names)))
    values[0, 1:3], values[1, 2:] = 1, 2
    found = scored(metric, values)
    assert found.dtype == bool
    if metric.may_be_missing:
        assert found.tolist() == [[False, True, True, False], [False, False, True, True]]
        assert np.array_equal(np.isnan(metric.segment_score(values)), ~found)
    else:
        assert found.shape == (2, 4) and found.all()
        assert not np.isnan(metric.segment_score(values)).any()


# ---------------------------------------------------------------------------------------------- scores of texts


words = st.lists(st.sampled_from(["a", "b", "c", "d", ".", "A"]), max_size=10).map(" ".join)


@st.composite
def columns(draw):
    n_segments = draw(st.integers(2, 6))
    many = st.lists(words, min_size=n_segments, max_size=n_segments)
    scores = st.lists(st.none() | st.floats(-5, 100), min_size=n_segments, max_size=n_segments)
    absent = st.lists(words | st.none(), min_size=n_segments, max_size=n_segments)
    return draw(many), [draw(many), draw(absent)], draw(scores)


def statistics_of(make_outputs, corpus, metric):
    hypotheses, references, scores = corpus
    return compute_statistics(
        make_outputs({"it": hypotheses}, references, score=np.array(scores, dtype=float)), metric
    )["it"]


def for_each_corpus(check, n_examples=15):
    settings(max_examples=n_examples)(given(columns(), st.randoms(use_true_random=False))(check))()


@of_computed
def test_order_of_segments_does_not_matter(metric, make_outputs):
    def check(corpus, random):
        whole = statistics_of(make_outputs, corpus, metric)
        order = list(range(whole.n_segments))
        random.shuffle(order)
        hypotheses, references, scores = corpus
        shuffled = (
            [hypotheses[place] for place in order],
            [[column[place] for place in order] for column in references],
            [scores[place] for place in order],
        )
        other = statistics_of(make_outputs, shuffled, metric)
        assert np.array_equal(other.values[0], whole.values[0][order])
        assert other.score() == pytest.approx(whole.score(), rel=1e-12, abs=1e-9, nan_ok=True)

    for_each_corpus(check)


@of_computed
def test_weights_are_how_often_a_segment_occurs(metric, make_outputs):
    def check(corpus, random):
        statistics = statistics_of(make_outputs, corpus, metric)
        weights = [random.randrange(4) for _ in range(statistics.n_segments)]
        repeated = np.repeat(np.arange(statistics.n_segments), weights)
        both = statistics.score(np.array([np.ones(len(weights)), weights]))
        assert both[0] == pytest.approx(statistics.score()[0], rel=1e-12, nan_ok=True)
        assert both[1].item() == pytest.approx(
            metric.score(statistics.values[0][repeated].sum(axis=0)), rel=1e-12, nan_ok=True
        )
        if getattr(metric, "smooth_method", "none") == "none":  # what smoothing adds does not grow with the test set
            assert statistics.score(np.full((1, len(weights)), 2)) == pytest.approx(
                statistics.score(), rel=1e-12, nan_ok=True
            )

    for_each_corpus(check)


@of_computed
def test_scores_of_many_totals_are_those_of_each(metric, make_outputs):
    def check(corpus, random):
        values = statistics_of(make_outputs, corpus, metric).values[0]
        pairs = values[:, None] + values[None]
        together = metric.score(pairs)
        assert together.shape == pairs.shape[:-1]
        assert together.dtype == np.float64
        one = random.randrange(len(values))
        assert np.array_equal(together[one, 0], metric.score(pairs[one, 0]), equal_nan=True)
        assert metric.segment_score(values).shape == (len(values),)

    for_each_corpus(check, 10)


@of_found
def test_nothing_at_all_scores_zero_or_nothing_without_a_warning(metric):
    nothing = np.zeros((3, len(metric.statistic_names)))
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        for scores in (metric.score(nothing), metric.segment_score(nothing), metric.score(nothing.astype(np.int64))):
            expected = np.full(3, np.nan if metric.may_be_missing else 0.0)
            assert scores == pytest.approx(expected, abs=1e-12, nan_ok=True)


@of_computed_texts
def test_empty_hypotheses_score_zero_and_copies_of_the_reference_are_perfect(metric, make_outputs):
    references = [["the cat sat on the mat .", "a dog barks at me all night"]]
    systems = {"empty": ["", " "], "copy": references[0], "one word": ["cat", "dog"]}
    statistics = compute_statistics(make_outputs(systems, references), metric)
    with np.errstate(all="raise", under="ignore"):
        scores = {system: score.item() for system, score in statistics.score().items()}
    perfect, nothing = (0.0, 100.0) if metric.higher_is_better is False else (100.0, 0.0)
    perfect = scores["copy"] if isinstance(metric, Nist) else perfect  # there is no highest NIST
    assert scores["copy"] == pytest.approx(perfect)
    assert scores["empty"] == pytest.approx(nothing, abs=1e-12)
    assert min(perfect, nothing) <= scores["one word"] <= max(perfect, nothing)


@of_computed
def test_statistics_have_their_names_and_are_summed_exactly_where_they_are_counts(metric, make_outputs):
    outputs = make_outputs({"it": ["a b", "c"]}, [["a c", "c"]], score=[0.5, None])
    statistics = compute_statistics(outputs, metric)["it"]
    assert statistics.values.shape == (1, 2, len(metric.statistic_names))
    counts = isinstance(metric, (Bleu, ChrF, Length))
    means = isinstance(metric, (Ter, Nist, Gtm, MeanScore))
    assert statistics.values.dtype in ([np.int64] * (not means) + [np.float64] * (not counts))


@of_computed
def test_run_averaged_statistics_have_a_score(metric, make_outputs):
    runs = [["a b c d", "c d ."], ["a b c .", "c c ."], ["", "c d d d d"]]
    outputs = make_outputs({"it": runs, "thrice": [runs[0]] * 3}, [["a b c e", "c d d"]], score=[1.0, 2.0])
    statistics = compute_statistics(outputs, metric)
    averaged = {system: metric.score(statistics[system].values.mean(axis=0).sum(axis=0)) for system in statistics}
    assert averaged["thrice"] == pytest.approx(statistics["thrice"].score()[0, 0], rel=1e-12)
    assert np.isfinite(averaged["it"])


@of_computed_texts
def test_the_reference_itself_is_better_than_half_of_it_with_other_words(make_outputs, metric):
    reference = ["the cat sat on the old mat", "a dog ran from here to the house"]
    outputs = make_outputs({"right": reference, "wrong": ["the cat lay under", "a dog ran by"]}, [reference])
    right, wrong = (system.item() for system in compute_statistics(outputs, metric).score().values())
    if has_direction(metric):
        assert right > wrong if metric.higher_is_better else right < wrong


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
@of_computed_texts
def test_an_absent_reference_is_none_of_the_references(metric, missing, make_outputs):
    alone = metric.segment_statistics(make_outputs({"it": ["a b", "c d"]}, [["a c", "c"]]))
    beside = metric.segment_statistics(make_outputs({"it": ["a b", "c d"]}, [["a c", "c"], [missing, missing]]))
    assert np.array_equal(alone, beside)


# ------------------------------------------------------------------------------------------ what is refused


@of_texts
def test_a_segment_without_any_reference_is_refused(metric, make_outputs):
    sentence = (
        "^{} no reference at all, but every segment that is scored needs one: leave it out for all systems, or give it "
        r"a reference\.$"
    )
    outputs = make_outputs({"it": ["a", "b", "c"]}, [["a", None, "c"], [None, None, "d"]])
    with pytest.raises(InputError, match=sentence.format("Segment 2 has")) as caught:
        compute_statistics(outputs, metric)
    assert caught.value.code == "null-segment"
    outputs = make_outputs({"it": ["a", "b", "c"]}, [["a", None, None]])
    with pytest.raises(InputError, match=sentence.format("2 segments, the first of them segment 2, have")):
        metric.segment_statistics(outputs)


@of_texts
def test_what_is_no_text_is_refused(metric, make_outputs):
    for hypotheses, references, sentence in (
        (
            ["a", None],
            ["a", "b"],
            "Segment 2 has None as hypothesis, but a text was expected: an empty translation is ",
        ),
        (["a", 7], ["a", "b"], "Segment 2 has 7 as hypothesis, but a text was expected: an empty translation is "),
        (
            ["a", "b"],
            [3.5, "b"],
            "Segment 1 has 3.5 in column 'reference', but a text was expected, or None where there ",
        ),
    ):
        with pytest.raises(InputError, match=re.escape(sentence)) as caught:
            metric.segment_statistics(make_outputs({"it": hypotheses}, [references]))
        assert caught.value.code == "null-segment"
    for name in ("hypothesis", "reference"):
        outputs = make_outputs({"it": ["a"]}, [["a"]]).drop(columns=name)
        with pytest.raises(InputError, match=f"^The outputs have no column '{name}', but only 'segment', "):
            metric.segment_statistics(outputs)


# ------------------------------------------------------------------------------------------- a metric of one's own


@dataclass(frozen=True)
class Questions:
    """Outputs that end with a question mark where the reference does, of those whose reference does, in %.

    It has what `Metric` asks and nothing else: no unit, no help line, no base class.
    """

    mark: str = "?"

    name: ClassVar[str] = "questions"
    statistic_names: ClassVar[tuple[str, ...]] = ("right", "count")
    higher_is_better: ClassVar[bool] = True
    signature: ClassVar[str] = "mine"
    may_be_missing: ClassVar[bool] = True

    def segment_statistics(self, outputs):
        asked = outputs["reference"].str.endswith(self.mark)
        return np.column_stack([asked & outputs["hypothesis"].str.endswith(self.mark), asked]).astype(np.int64)

    def score(self, totals):
        totals = np.asarray(totals, dtype=np.float64)
        with np.errstate(invalid="ignore"):
            return 100 * totals[..., 0] / totals[..., 1]

    def segment_score(self, statistics):
        return self.score(statistics)


def test_a_metric_of_ones_own_needs_no_more_than_the_protocol(make_outputs):
    metric = Questions()
    assert isinstance(metric, Metric)
    references = ["so ?", "yes .", "no ?"] * 40
    systems = {"none": ["so ."] * 120, "half": ["so ?", "yes ?", "no ."] * 40}
    statistics = compute_statistics(make_outputs(systems, [references]), metric)
    assert statistics["half"].missing.tolist() == [False, True, False] * 40
    with pytest.warns(DataWarning, match="^40 of 120 segments have no questions in at least one system: "):
        found = compare(statistics, "none", rng=1).metrics["questions"]
    assert [system.score for system in found.systems] == [0, 50]
    assert [(pair.better, pair.n_segments) for pair in found.comparisons] == [("half", 80)]
    assert (sign_of(metric), has_direction(metric), describe_direction(metric)) == (1, True, "higher is better")
    assert scored(metric, statistics["half"].values).sum() == 80
    assert unit_of(metric.name) == ""
