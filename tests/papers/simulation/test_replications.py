"""The made-up replications in the place of Clark's: what was demanded of those that ship, and how they are made."""

import importlib.util
import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mtworkbench.errors import InputError
from mtworkbench.inference import approximate_randomization
from mtworkbench.metrics import Ter, meteor_setup
from mtworkbench.outputs.checks.frames import check_outputs
from mtworkbench.papers.simulation.mert import Mert
from mtworkbench.papers.simulation.replications import (
    BTEC,
    EXACT_METEOR,
    PAIRS,
    find_pair,
    load_replications,
    make_pair_lists,
)
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics.segment_statistics import compute_statistics
from scripts.compute_clark2011 import SETTINGS, change_setting
from scripts.compute_meteor import save_meteor
from scripts.make_replications import make_replications, replicate, save_replications

SCRIPT = Path(__file__).parents[3] / "scripts" / "check_replications.py"
SMALL = replace(
    BTEC,
    n_dev=60,
    n_test=80,
    n_runs=4,
    decoders=tuple(replace(decoder, n_hypotheses=15, n_features=5) for decoder in BTEC.decoders),
    mert=Mert(1, 2),
)


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("check_replications", SCRIPT)
    module = sys.modules["check_replications"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", PAIRS)
def test_shipped_runs_have_what_was_demanded_of_table_1(name, script):
    table = script.tabulate(name, script.measure_table1(load_replications(name)))
    assert len(table) == 10
    unmet = table[table["met"].eq(False)]
    assert unmet.empty, unmet.to_string()
    here = table.set_index("quantity")["here"]
    for system in "AB":
        assert here[f"s_dev {system}"] < here[f"s_test {system}"] < here[f"s_sel {system}"]


@pytest.mark.parametrize(("name", "seeds"), [("btec", [101, 102, 103, 104]), ("wmt", [101, 103, 104, 105])])
def test_fresh_seeds_are_not_the_shipped_one(name, seeds, script):
    """The first runs of the shipped instance stood in the table of "fresh seeds"."""
    card = find_shipped("data/replications/README.md").read_text(encoding="utf-8")
    first, last = map(int, re.search(rf"check_replications\.py {name} (\d+) (\d+) 8`", card).groups())
    assert script.fresh_seeds(name, first, last) == seeds
    spread = pd.read_csv(find_shipped(f"data/replications/{name}_spread.csv"))
    assert [column for column in spread if column.startswith("seed_")] == [f"seed_{seed}" for seed in seeds]


@pytest.mark.parametrize("name", PAIRS)
def test_data_card_has_the_ranges_of_the_fresh_seeds(name):
    card = find_shipped("data/replications/README.md").read_text(encoding="utf-8")
    table = card.partition(f"| {name.upper()} (A / B)")[2].partition("\n\n")[0]
    spread = pd.read_csv(find_shipped(f"data/replications/{name}_spread.csv")).set_index("quantity")
    for row in ("level", "B - A", "s_sel", "s_dev", "s_test"):
        printed = re.search(rf"^\| {row} \|.*\| ([^|]+) \|$", table, flags=re.MULTILINE)[1].split(" / ")
        names = [row] if row == "B - A" else [f"{row} A", f"{row} B"]
        for quantity, limits in zip(names, printed, strict=True):
            for end, limit in zip(("least", "most"), limits.split("-"), strict=True):
                half = 0.5 * 10.0 ** -len(limit.partition(".")[2])
                assert float(limit) == pytest.approx(spread.loc[quantity, end], abs=1.02 * half), (row, end)


@pytest.mark.long
def test_shipped_btec_runs_have_what_was_demanded_of_table_2(script):
    table = script.tabulate("btec", script.measure_table2(load_replications("btec"), {5: 250, 50: 10}))
    unmet = table[table["met"].eq(False)]
    assert unmet.empty, unmet.to_string()
    here = table.set_index("quantity")["here"]
    assert here["p high-low"] > here["p median"] > here["p low-high"]


def test_the_plain_shuffle_is_the_package_s_test(script):
    statistics = load_replications("btec").test.statistics()
    few = {system: values[:3] for system, values in statistics.values.items()}
    few = replace(statistics, values=few)
    ours = approximate_randomization(few["A"], few["B"], n_trials=10_000, exchange="run", rng=1)
    plain = script.shuffle(few.values["A"], few.values["B"], few.metric, 10_000, script.resolve_rng(2))
    assert plain == pytest.approx(ours.p_value, abs=4 * np.sqrt(2 * plain * (1 - plain) / 10_000) + 2e-4)


@pytest.mark.parametrize(("name", "n_runs", "n_dev", "n_test"), [("btec", 300, 200, 500), ("wmt", 50, 800, 3003)])
def test_what_ships(name, n_runs, n_dev, n_test):
    replications, pair = load_replications(name), find_pair(name)
    assert (pair.n_runs, pair.n_dev, pair.n_test) == (n_runs, n_dev, n_test)
    assert load_replications(name) is replications
    for part, n_segments in ((replications.dev, n_dev), (replications.test, n_test)):
        assert part.n_segments == n_segments
        assert part.references.shape[1] == pair.task.n_references
        statistics = part.statistics()
        assert {name: values.shape for name, values in statistics.values.items()} == dict.fromkeys(
            "AB", (n_runs, n_segments, 10)
        )
    assert find_shipped(f"data/replications/{name}.npz").stat().st_size < 2_000_000


def test_shipped_runs_differ_by_more_than_a_law():
    # Local optima: runs end in many places, and their outputs differ by more than a few words.
    replications = load_replications("btec")
    for system in "AB":
        dev = replications.dev.statistics().score()[system][0]
        assert np.ptp(dev) > 3 * dev.std()
        outputs = replications.test.systems[system].chosen
        same = (outputs[:, None, :50] == outputs[None, :, :50]).mean(axis=-1)
        assert 0.2 < same.min() < 0.9


@pytest.mark.parametrize("name", PAIRS)
def test_shipped_outputs_are_an_outputs_frame(name):
    replications = load_replications(name)
    outputs = replications.test.to_frame(["B"], [1, 2])
    check_outputs(outputs)
    ordinary = compute_statistics(outputs, "bleu")
    kept = replications.test.statistics("bleu")
    assert np.array_equal(ordinary["B"].values, kept["B"].values[:2])
    assert ordinary.test_set == kept.test_set
    ter = replications.test.statistics("ter")["B"]
    part = outputs[outputs["segment"] <= 20]
    assert compute_statistics(part, "ter")["B"].values == pytest.approx(ter.values[:2, :20], abs=1e-5)


@pytest.mark.long
def test_the_first_shipped_runs_can_be_made_again():
    shipped = load_replications("btec")
    again = make_replications(BTEC, n_runs=1, rng=BTEC.rng)
    for system in "AB":
        assert again.weights[system][0] == pytest.approx(shipped.weights[system][0], abs=1e-9)
        for part in ("dev", "test"):
            made, kept = (getattr(one, part).to_frame([system], [1]) for one in (again, shipped))
            assert made.equals(kept)


def test_runs_do_not_depend_on_how_many_there_are():
    one, all_runs = make_replications(SMALL, n_runs=2, rng=5), make_replications(SMALL, rng=5)
    for system in "AB":
        assert np.array_equal(one.weights[system], all_runs.weights[system][:2])
    assert one.test.to_frame(runs=[1, 2]).equals(all_runs.test.to_frame(runs=[1, 2]))
    assert not np.array_equal(all_runs.weights["A"][0], all_runs.weights["A"][1])
    assert not np.array_equal(make_replications(SMALL, n_runs=1, rng=6).weights["A"][0], one.weights["A"][0])


def test_statistics_of_runs_are_those_of_their_frame():
    replications = make_replications(SMALL, rng=5)
    for metric in ("bleu", "chrf", "ter", "length"):
        kept = replications.test.statistics(metric)
        ordinary = compute_statistics(replications.test.to_frame(), metric)
        assert kept.signature == ordinary.signature
        assert kept.test_set == ordinary.test_set
        for system in "AB":
            assert kept[system].values == pytest.approx(ordinary[system].values, abs=1e-12)


def test_more_restarts_bring_the_dev_scores_together():
    lists = make_pair_lists(replace(SMALL, n_dev=100), rng=7)
    spreads = []
    for restarts in (0, 12):
        replications = replicate({"A": lists["A"]}, Mert(restarts, 2), 8, rng=7)
        spreads.append(replications.dev.statistics().score()["A"].std(ddof=1))
    assert spreads[1] < 0.6 * spreads[0]


def save_without_java(path, replications, **lengths):
    """What `save_meteor` writes, with numbers that need no METEOR."""
    systems = replications.test.systems
    rows = {name: np.full((lengths.get(name, len(one.texts)), 11), 7, np.uint8) for name, one in systems.items()}
    np.savez_compressed(path, **rows)


def test_replications_are_saved_and_loaded_as_they_are(tmp_path, monkeypatch):
    replications = make_replications(SMALL, n_runs=2, rng=5)
    path = tmp_path / "data" / "replications" / "btec.npz"
    path.parent.mkdir(parents=True)
    save_replications(path, replications)
    save_without_java(path.with_name("btec_meteor.npz"), replications)
    monkeypatch.setattr("mtworkbench.papers.simulation.replications.find_shipped", lambda name: tmp_path / name)
    load = load_replications.__wrapped__
    loaded = load("BTEC")
    assert loaded.test.to_frame().equals(replications.test.to_frame())
    assert loaded.dev.to_frame().equals(replications.dev.to_frame())
    assert Ter() in loaded.test.known
    ter = loaded.test.statistics("ter"), compute_statistics(replications.test.to_frame(), "ter")
    for system in "AB":
        assert np.array_equal(loaded.weights[system], replications.weights[system])
        assert ter[0][system].values == pytest.approx(ter[1][system].values, abs=1e-5)
    content = path.read_bytes()
    for damaged in (b"", b"nothing", content[: len(content) // 2], content[:-200] + b"x" * 200):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"btec\.npz is not the file that ships with mtworkbench"):
            load("btec")
    path.write_bytes(content)
    assert set(loaded.test.statistics(EXACT_METEOR)["A"].values.ravel()) == {7}
    save_without_java(path.with_name("btec_meteor.npz"), replications, B=3)
    with pytest.raises(
        InputError, match=r"btec_meteor\.npz is not the file .* \(METEOR of 3 hypotheses of B, which has"
    ):
        load("btec")


@pytest.mark.parametrize("name", PAIRS)
def test_shipped_meteor_is_that_of_exact_matches(name):
    """Without the program: lengths and the number of matches follow from the words."""
    test = load_replications(name).test
    assert find_shipped(f"data/replications/{name}_meteor.npz").stat().st_size < 100_000
    for system, hypotheses in test.systems.items():
        rows = pd.DataFrame(test.known[EXACT_METEOR][system], columns=EXACT_METEOR.statistic_names)
        words = [Counter(text.split()) for text in hypotheses.texts]
        assert rows["hypothesis_length"].tolist() == [one.total() for one in words]
        for place in range(0, len(words), 97):
            references = [Counter(text.split()) for text in test.references[hypotheses.segments[place]]]
            matches = {(one.total(), (one & words[place]).total()) for one in references}
            assert (rows["reference_length"][place], rows["reference_matched"][place]) in matches
        assert (rows["hypothesis_matched"] == rows["reference_matched"]).all()


@pytest.mark.long
def test_shipped_meteor_is_what_the_program_prints(tmp_path):
    try:
        meteor_setup.find_jar()
        meteor_setup.find_java()
    except InputError as error:
        pytest.skip(str(error))
    save_meteor(tmp_path / "btec.npz", load_replications("btec"))
    with np.load(tmp_path / "btec.npz") as computed:
        for system in "AB":
            shipped = load_replications("btec").test.known[EXACT_METEOR][system]
            assert np.array_equal(computed[system], shipped)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("restarts", 0),
        ("random_directions", 1),
        ("n_hypotheses", 5),
        ("n_features", 3),
        ("n_dev", 30),
        ("n_references", 1),
    ],
)
def test_each_setting_can_be_changed(setting, value):
    assert setting in SETTINGS
    turned = change_setting(SMALL, setting, value)
    assert turned != SMALL
    assert change_setting(turned, setting, value) == turned
    replications = make_replications(turned, n_runs=1, rng=5)
    lists = make_pair_lists(turned, rng=5)["A"].dev
    sizes = {
        "n_hypotheses": lists.features.shape[2],
        "n_features": lists.n_features,
        "n_dev": replications.dev.n_segments,
        "n_references": replications.test.references.shape[1],
        "restarts": turned.mert.restarts,
        "random_directions": turned.mert.random_directions,
    }
    assert sizes[setting] == value


def test_an_unknown_pair_is_refused():
    with pytest.raises(InputError, match="no made-up pair 'nist': the pairs are btec, wmt"):
        load_replications("nist")
