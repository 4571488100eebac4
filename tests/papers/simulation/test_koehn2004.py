"""The made-up corpus in the place of Koehn's: what was demanded of the shipped seed, and what its data card says."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mtworkbench.errors import InputError
from mtworkbench.metrics import Bleu
from mtworkbench.papers.simulation.corpus import (
    LENGTH_RATIOS,
    CorpusDesign,
    Difficulty,
    MadeUpCorpus,
    OutputAtLengths,
)
from mtworkbench.papers.simulation.koehn2004 import load_statistics, make_koehn2004_corpus
from mtworkbench.papers.simulation.noisy_channel import MadeUpSystem
from mtworkbench.papers.simulation.pseudotext import TokenArray, match_words
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics.segment_statistics import compute_statistics
from scripts import calibrate_koehn2004
from scripts.calibrate_koehn2004 import Quality, koehn2004_targets, match_corpus, measure_quality, tune_system

SCRIPTS = Path(__file__).parents[3] / "scripts"


def load_script(name: str):
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def statistics():
    return load_statistics()


@pytest.fixture(scope="module")
def corpus():
    return make_koehn2004_corpus()


@pytest.fixture(scope="module")
def checks(statistics):
    return load_script("check_koehn2004").check_corpus(statistics)


# Each with the number of quantities that it has: 18 of Table 1; 36 cells of Table 3, right and wrong; nine bins of
# Table 4, share and number, and their sum.
@pytest.mark.parametrize(
    ("origin", "count"),
    [
        ("Table 1", 18), ("Fig. 2", 2), ("Fig. 3", 2), ("Fig. 4", 2), ("Fig. 6", 3), ("Fig. 7", 1), ("Fig. 8", 2),
        ("Table 3", 72), ("Table 4", 19),
    ],
)  # fmt: skip
def test_shipped_seed_has_what_was_demanded(checks, origin, count):
    rows = checks[checks["quantity"].str.startswith(f"{origin}:")]
    assert len(rows) == count
    assert rows[~rows["met"]].to_dict("records") == []


def test_demands_are_those_of_the_issue(checks):
    table = checks.set_index("quantity")
    limits = table[["lowest", "highest"]].apply(tuple, axis=1)
    assert limits["Table 1: bleu of Danish"] == pytest.approx((26.85, 26.95))
    assert limits["Fig. 2: highest BLEU of Spanish on blocks"] == (34.5, 39.5)
    assert limits["Fig. 7: conclusions for Spanish"] == (57, 75)
    assert limits["Table 3: Danish, Greek, 600, correct_percent"] == (66, 82)
    assert limits["Table 3: German, Finnish, 3000, correct_percent"] == (100, 100)
    assert limits["Table 4: 90%-94.9%"] == (92, 98)
    assert limits["Table 4: 80%-89.9%"] == (80, 96)
    free = table.index[np.isinf(table["highest"])]
    assert [name for name in free if not name.endswith("number")] == [
        f"Table 3: Portuguese, Danish, {size}, {kind}_percent" for size in (600, 3000) for kind in ("correct", "wrong")
    ]


def test_data_card_shows_the_spread_over_fresh_seeds(checks):
    spread = pd.read_csv(find_shipped("data/koehn2004/spread.csv"))
    assert spread["quantity"].tolist() == checks["quantity"].tolist()
    seeds = [name for name in spread.columns if name.startswith("seed_")]
    assert len(seeds) >= 11
    assert spread["seed_1"].tolist() == pytest.approx(checks["here"].tolist(), abs=0.002)


def test_data_card_says_what_the_spread_says():
    spread = pd.read_csv(find_shipped("data/koehn2004/spread.csv")).set_index("quantity")
    fresh = spread[[f"seed_{seed}" for seed in range(13, 25)]]
    card = find_shipped("data/koehn2004/README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| (\S+) to (\S+) \| (\S+) \| (\S+) ± (\S+) \|$", card, flags=re.MULTILINE)
    assert len(rows) == 21
    for quantity, *printed in rows:
        row, seeds = spread.loc[quantity], fresh.loc[quantity]
        limits = [f"{row[name]:g}" for name in ("lowest", "highest")]
        assert printed == [*limits, f"{row['seed_1']:.1f}", f"{seeds.mean():.1f}", f"{seeds.std():.1f}"], quantity
    seeds = spread.filter(like="seed_")
    outside = seeds.lt(spread["lowest"] - 1e-6, axis=0) | seeds.gt(spread["highest"] + 1e-6, axis=0)
    n_demands = np.isfinite(spread["highest"]).sum()
    assert f"seeds 1 to 24, {(~outside.any()).sum()} meet all {n_demands} demands" in card
    assert outside.sum().max() == 2


@pytest.mark.long
def test_text_gives_the_shipped_statistics(corpus, statistics):
    made = calibrate_koehn2004.compute_statistics(corpus)
    assert list(made) == list(statistics) == list(koehn2004_targets())
    assert made.test_set == statistics.test_set.filled_from(made.test_set)  # the file is older than some of this
    for system in made:
        assert np.array_equal(made[system].values, statistics[system].values), system


def test_ordinary_route_gives_the_shipped_statistics(corpus, statistics):
    outputs = corpus.to_frame(["Danish"])
    by_text = compute_statistics(outputs, Bleu())
    assert by_text.test_set == statistics.test_set.filled_from(by_text.test_set)
    assert np.array_equal(by_text["Danish"].values, statistics["Danish"].values)
    plain = compute_statistics(outputs.iloc[:2000], Bleu(tokenize="none"))
    assert np.array_equal(plain["Danish"].values, statistics["Danish"].values[:, :2000])


def test_shipped_systems_are_tuned_and_others_are_tuned_on_the_way(corpus):
    targets = koehn2004_targets()
    finnish = corpus.design.systems[-1]
    assert tune_system(corpus, finnish, targets["Finnish"]) == finnish


def test_tuning_reaches_its_target_or_says_that_it_cannot():
    systems = (MadeUpSystem("first", 0.0, 0.4, 0.1), MadeUpSystem("second", 0.1, 0.3, 0.15))
    difficulty = Difficulty(document_sd=0.2, segment_sd=0.3, document_correlation=0.9)
    design = CorpusDesign(2000, systems, ((1.0, 0.6), (0.6, 1.0)), difficulty, (15.0, 0.5), document_length=(20.0, 0.5))
    corpus = MadeUpCorpus(design, rng=8)
    system = corpus.design.systems[0]
    start = measure_quality(match_corpus(corpus, system))
    target = Quality(start.precision_1 - 1, start.precision_4 - 1, start.bleu - 1)
    near = Quality(0.1, 0.1, 0.05)
    tuned = tune_system(corpus, system, target, near)
    reached = measure_quality(match_corpus(corpus, tuned))
    assert (np.abs(reached.to_array() - target.to_array()) <= near.to_array()).all()
    assert tune_system(corpus, tuned, target, near) == tuned
    with pytest.raises(InputError, match="'first' was to have a 1-gram precision"):
        tune_system(corpus, system, Quality(60.0, 50.0, 20.0), near)


def gtm(statistics: np.ndarray) -> float:
    """GTM with exponent 1: the F measure of the words in common."""
    hypothesis, reference, matches = statistics.sum(axis=0)[:3]
    return 200 * matches / (hypothesis + reference)


@pytest.mark.parametrize("system", ["Spanish", "Portuguese"])
@pytest.mark.long
def test_length_redraws_figure_1(corpus, system):
    ratios = (0.85, 0.94, 0.97, 0.98, 1.0, 1.03, 1.2)
    output = OutputAtLengths(corpus, system)
    by_ratio = [match_words(output.translate(ratio), corpus.reference) for ratio in ratios]
    lengths = [rows[:, 0].sum() / rows[:, 1].sum() for rows in by_ratio]
    assert lengths == pytest.approx(ratios, abs=1e-5)
    bleu = np.array([Bleu().score(rows.sum(axis=0)) for rows in by_ratio])
    assert 0.97 <= ratios[bleu.argmax()] <= 1.03
    assert 0.16 <= 1 - bleu[0] / bleu.max() <= 0.24
    scores = np.array([gtm(rows) for rows in by_ratio])
    assert 0.03 <= 1 - scores[0] / scores.max() <= 0.05


def test_length_keeps_every_segment_and_names_its_range(corpus):
    finnish, words = OutputAtLengths(corpus, "Finnish"), corpus.translate("Finnish").words
    shortest = finnish.translate(LENGTH_RATIOS[0])
    assert shortest.lengths.min() >= 1
    same = finnish.translate(len(words) / len(corpus.reference.words))
    assert isinstance(same, TokenArray) and np.array_equal(same.words, words)
    with pytest.raises(InputError, match="A length ratio of 3 was asked for, but one from 0.5 to 2 was expected"):
        finnish.translate(3)
