"""The cells of benchmarks/calibration in a short form, the counts that ship, and the page that shows them."""

import ast
import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from matplotlib import pyplot as plt

from benchmarks.calibration import __main__ as command
from benchmarks.calibration import engine, figure, page
from benchmarks.calibration.cells import CELLS
from benchmarks.calibration.engine import EngineCell, Experiment, judge
from benchmarks.calibration.experiments import BATCH, draw_batch
from benchmarks.calibration.verdicts import N_RESAMPLES, OF_DIFFERENT, draw_jointly, groups_of, units_of
from mtworkbench import __version__, find_shipped
from mtworkbench.analyses import calibration
from mtworkbench.distributions import binomial_range
from mtworkbench.inference import approximate_randomization, paired_bootstrap, t_test_runs
from mtworkbench.inference.conventions import DrawnDifferences
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.results.verdicts import Ends
from mtworkbench.tables import frame_to_csv

pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
SHIPS = ("flores", "sample", "made-up BLEU", "made-up means")
#: Repetitions of the short forms.
SHORT = 40
#: The TER of two systems of the sample alone takes many seconds.
TAKE_LONG = ("ter-20-documents",)
SHIPPED = [cell for cell in CELLS if cell.source in SHIPS]
BY_NAME = {cell.name: cell for cell in CELLS}
ROOT = Path(__file__).parent.parent


@cache
def frame():
    return calibration.load_calibration()


@pytest.mark.parametrize("n", [1, 30, 2000])
def test_ranges_of_counts_are_those_of_scipy(n):
    low, high, probability = binomial_range(n, 0.05, 0.001)
    binomial = scipy.stats.binom(n, 0.05)
    assert (low, high) == binomial.interval(0.999)
    assert probability == pytest.approx(binomial.cdf(high) - binomial.cdf(low - 1))


def test_every_cell_has_a_name_a_reason_and_a_null_and_there_are_at_most_60():
    assert len(BY_NAME) == len(CELLS) <= 60
    for cell in CELLS:
        assert cell.reason.endswith((".", "?")) and len(cell.reason.split()) > 2, cell.name
        assert cell.null, cell.name


def test_cells_ship_as_they_are():
    shipped = find_shipped("data/calibration/cells.csv").read_text(encoding="utf-8")
    assert frame_to_csv(command.tabulate_cells()) == shipped


def test_every_cell_is_counted_with_every_test_2000_times():
    rates = pd.read_csv(find_shipped("data/calibration/rates.csv"))
    first = rates[rates["seed"] == command.SEED]
    assert set(first["repetitions"]) == {command.REPETITIONS}
    assert not rates.duplicated(["cell", "quantity", "unit", "test", "seed"]).any()
    for cell in CELLS:
        for unit in units_of(cell):
            found = set(first[(first["cell"] == cell.name) & (first["unit"] == unit)]["test"])
            assert {group.names[0] for group in groups_of(cell, unit)} <= found, cell.name


def test_what_lies_above_the_band_is_counted_again():
    rates = pd.read_csv(find_shipped("data/calibration/rates.csv"))
    key = ["cell", "quantity", "unit", "test"]
    again = {tuple(row) for row in rates[rates["seed"] == command.OTHER_SEED][key].to_numpy()}
    suspect = [row for row in rates[rates["seed"] == command.SEED].to_dict("records") if command.is_suspect(row)]
    assert {tuple(row[name] for name in key) for row in suspect} == again


def agrees(count, repetitions, percent):
    """Whether a count agrees with a share that was measured: one time in 100,000 it does not by chance."""
    low, high = scipy.stats.binom.interval(1 - 1e-5, repetitions, min(max(percent / 100, 0.002), 0.998))
    return low <= count <= high


@pytest.mark.parametrize(
    "cell",
    [
        pytest.param(cell, id=cell.name, marks=pytest.mark.slow if cell.name in TAKE_LONG else pytest.mark.long)
        for cell in SHIPPED
    ],
)
def test_a_short_form_of_each_cell_agrees_with_what_ships(cell):
    for unit in units_of(cell):
        rates = frame().query("cell == @cell.name and unit == @unit").set_index(["quantity", "test"])["percent"]
        groups = [group for group in groups_of(cell, unit) if group not in command.OF_OTHERS]
        found = command.count(cell, unit, groups, SHORT, 3, True, None)
        if OF_DIFFERENT in groups:
            found |= command.count(cell, unit, [OF_DIFFERENT], SHORT, 3, False, None)
        assert found
        for key, count in found.items():
            assert agrees(count, SHORT, rates[key]), (unit, key, count, rates[key])


@pytest.mark.long
@pytest.mark.parametrize("name", ["mean-10-segments", "means-3-runs-60-unequal-documents"])
def test_tests_keep_their_size_in_2000_fresh_experiments(name):
    """With fewer repetitions the band is wide: with 500 a test that errs in 8 % passes."""
    cell = BY_NAME[name]
    groups = [group for group in groups_of(cell, cell.unit) if {"ar", "crossed", "jackknife"} & set(group.names)]
    found = command.count(cell, cell.unit, groups, 2000, 3, True, None)
    for test in ("crossed",) if cell.has_runs else ("ar", "jackknife"):
        assert found["size", test] <= calibration.band_of_errors(2000)[1], test
    if not cell.has_runs:  # Student's t is exact with normal scores
        assert calibration.find("size", found["size", "jackknife"], 2000) == "keeps its level"


@pytest.mark.parametrize("name", ["ter-50-segments", "chrf-20-documents", "mean-20-segments"])
def test_coverage_and_power_agree_with_what_ships(name):
    cell = BY_NAME[name]
    unit = cell.unit
    rates = frame().query("cell == @name and unit == @unit").set_index(["quantity", "test"])["percent"]
    found = command.count(cell, unit, groups_of(cell, unit)[:2], 4 * BATCH, 3, False, None)
    assert {quantity for quantity, _ in found} == {"power", "coverage of a score", "coverage of a difference"}
    for key, count in found.items():
        assert agrees(count, 4 * BATCH, rates[key]), (key, count, rates[key])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ter-50-segments", "means-3-runs-six-systems", "mean-10-segments"])
def test_counts_come_out_again(name):
    cell = BY_NAME[name]
    [unit] = units_of(cell)
    rows = command.calibrate(cell, unit, groups_of(cell, unit), command.REPETITIONS, command.SEED)
    shipped = pd.read_csv(find_shipped("data/calibration/rates.csv")).query("cell == @name and seed == @command.SEED")
    assert len(rows) == len(shipped)
    merged = pd.DataFrame(rows).merge(shipped, on=["cell", "quantity", "unit", "test"])
    assert merged["count_x"].tolist() == merged["count_y"].tolist()


def test_documents_as_rows_of_sums_are_documents_of_segments():
    cell = BY_NAME["bleu-9-documents"]
    as_rows, spelled_out = (draw_batch(cell, unit, 1, 0, 3, null=True) for unit in ("document", "segment"))
    for short, long, n_effective in zip(as_rows.systems, spelled_out.systems, as_rows.n_effective, strict=True):
        assert long[0].n_segments > short[0].n_segments == 9
        for test, options in ((approximate_randomization, {}), (paired_bootstrap, {"method": "percentile"})):
            one, other = (test(*pair, unit="document", rng=1, **options) for pair in (short, long))
            assert one.difference == pytest.approx(other.difference, rel=1e-12)
            for name in {"p_value", "low", "high"} & set(one.shown()):
                assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-9)
        assert n_effective == pytest.approx(ScoreTable.of(long, "document").units.effective_count)


def test_published_rules_see_what_they_would_draw_themselves():
    batch = draw_batch(BY_NAME["ter-100-segments"], "segment", 1, 0, 3, null=True)
    [(table, pairs)] = batch.tables("segment")
    for place, (a, b) in enumerate(pairs):
        alone = DrawnDifferences(
            ScoreTable.of([table.systems[a], table.systems[b]]),
            N_RESAMPLES,
            99,
            batch.random_key,
            single_precision=False,
        )
        jointly = list(draw_jointly(table, pairs, 99, batch.random_key))[place]
        for name in (
            *("resampled", "half_sampled", "comet_sampled", "sacrebleu_resampled", "exchanged", "sacrebleu_exchanged"),
            *("segment_scores", "influence"),
        ):
            np.testing.assert_allclose(getattr(jointly, name), getattr(alone, name), rtol=0, atol=1e-9, err_msg=name)


def test_a_null_is_one_and_a_difference_is_as_large_as_it_is_said_to_be():
    cell = BY_NAME["means-5-runs"]
    for null, expected in ((True, 0), (False, 3)):
        batch = draw_batch(cell, "segment", 1, 0, 400, null=null)
        differences = np.array([one[0].score().mean() - one[1].score().mean() for one in batch.systems])
        error = np.sqrt(2 * (0.5**2 + 0.4**2 / 5 + 0.5**2 / 5))
        assert differences.std(ddof=1) == pytest.approx(error, rel=0.15)
        assert differences.mean() / error == pytest.approx(expected, abs=4 / np.sqrt(400))
        assert batch.truth is None if null else batch.truth[0] - batch.truth[1] == pytest.approx(3 * error)


@pytest.fixture
def small_run(tmp_path, monkeypatch):
    """Run the command into a folder of its own, with few experiments."""
    for name, value in {"FOLDER": tmp_path, "REPETITIONS": 60, "REPEATED": 100}.items():
        monkeypatch.setattr(command, name, value)

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["calibration", *arguments])
        command.main()
        return (tmp_path / "rates.csv").read_text()

    return run


@pytest.mark.long
def test_the_command_goes_on_where_it_was_stopped(small_run, monkeypatch):
    whole = small_run("mean-10-segments", "means-5-runs", "--again")
    assert f",60,{command.SEED},{__version__}\n" in whole
    counted = command.count

    def stop(cell, *rest):
        if cell.name == "means-5-runs":
            raise KeyboardInterrupt
        return counted(cell, *rest)

    monkeypatch.setattr(command, "count", stop)
    with pytest.raises(KeyboardInterrupt):
        small_run("mean-10-segments", "means-5-runs", "--again")
    done = []
    monkeypatch.setattr(command, "count", lambda cell, *rest: done.append(cell.name) or counted(cell, *rest))
    assert small_run("mean-10-segments", "means-5-runs") == whole
    assert set(done) == {"means-5-runs"}
    assert small_run("means-5-runs") == whole


def test_a_cell_that_has_changed_is_computed_again(small_run, monkeypatch):
    small_run("mean-10-segments", "means-5-runs")
    monkeypatch.setattr(
        command, "CELLS", [replace(cell, residual=0.4) if cell.name == "means-5-runs" else cell for cell in CELLS]
    )
    counted, done = command.count, []
    monkeypatch.setattr(command, "count", lambda cell, *rest: done.append(cell.name) or counted(cell, *rest))
    small_run("mean-10-segments", "means-5-runs")
    assert set(done) == {"means-5-runs"}


def test_an_unknown_cell_is_refused(small_run, capsys):
    with pytest.raises(SystemExit):
        small_run("bleu-20-sentences")
    assert "there is no cell bleu-20-sentences; --list names them all" in capsys.readouterr().err


# The page, and all other places


@pytest.mark.long
def test_every_page_is_what_the_script_writes():
    pages = dict(page.written(frame()))
    for path, text in pages.items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run python scripts/write_validity.py"
    assert set((ROOT / "docs" / "tables").glob("validity-*.md")) == {*pages} - {page.PAGE}


def test_the_short_page_leads_to_every_table():
    short = page.PAGE.read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(tables/([\w-]+)\.md\)", short))
    assert linked == set(page.TABLES)
    assert len(re.sub(r"\]\([^)]*\)|[|*`#-]", " ", short).split()) < 1400  # five minutes


def test_the_figure_shows_the_rate_of_every_rule_of_papers_once():
    groups = list(figure.group_rates(frame()))
    shown = pd.concat([rates for _, _, rates in groups])
    sizes = frame()[frame()["quantity"] == "size"]
    assert not shown.index.duplicated().any() and set(shown["quantity"]) == {"size"}
    assert set(sizes.index[sizes["test"].isin(("ar", *figure.PUBLISHED))]) <= set(shown.index)
    assert [set(rates["test"]) == set(tests) for _, tests, rates in groups] == [True] * 3


def test_the_dots_lie_at_the_rates():
    drawn = figure.draw_rates(frame())
    for (_, tests, rates), ax in zip(figure.group_rates(frame()), drawn.axes, strict=True):
        dots = np.concatenate([np.asarray(one.get_offsets()) for one in ax.collections])
        wanted = [(max(row.percent, figure.LEAST), tests.index(row.test)) for row in rates.itertuples()]
        assert sorted(map(tuple, dots)) == sorted(wanted)
    plt.close(drawn)


#: A share in %, and what it is a share of, in one part of a sentence. Levels (5 %, 95 % ...) are no rates.
OF_ERRORS = r"\b(errors?|errs?|rejects?|rejections?|rejected|coverage|covers?|covered|false positives?|type I)\b"
RATE = re.compile(r"(?<![\d.])\d+(?:\.\d+)?(?: ?(?:-|to) ?\d+(?:\.\d+)?)? ?(?:%|per ?cent\b)")
LEVELS = re.compile(r"(5|90|95|99|99\.9) ?%")
#: Numbers of papers, and of theory (see the test below).
NOT_MEASURED = ("52 % of 261", "23.7 % errors", "53.4 % with ten")


def typed_texts():
    """What is typed by hand: pages without their generated places, docstrings and comments, cells of notebooks."""
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "docs" / "draws.md"):
        yield path, path.read_text(encoding="utf-8")
    for path in (ROOT / "mtworkbench").rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                yield path, ast.get_docstring(node) or ""
        yield path, "\n".join(re.findall(r"^\s*#:? (.*)", source, re.MULTILINE))
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "markdown":
                yield path, "".join(cell["source"])


@pytest.mark.long
def test_no_rate_of_errors_is_typed_by_hand():
    found = [
        f"{path.relative_to(ROOT)}: {sentence.strip()}"
        for path, text in typed_texts()
        for sentence in re.split(r"[.;:](?: |$)", re.sub(r"\s+", " ", text))
        if re.search(OF_ERRORS, sentence)
        and any(not LEVELS.fullmatch(rate) for rate in RATE.findall(sentence))
        and not any(known in sentence for known in NOT_MEASURED)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("ends", "true", "covers"),
    [
        (Ends(0.0, 2.0, 1), 1.0, True),
        (Ends(0.0, 2.0, 1), 0.0, False),
        (Ends(-2.0, 0.0, -1), 0.0, False),
        (Ends(0.0, 2.0, 0), 0.0, True),
        (Ends(0.5, 2.0, 0), 0.0, False),
        (Ends(None, None), 0.0, True),
    ],
)
def test_an_end_of_0_that_the_test_excludes_does_not_cover_0(ends, true, covers):
    pair = SimpleNamespace(a="a", b="b", difference=1.0, verdict="undecided", ends=ends, low=None, high=None)
    experiment = Experiment(None, {"a": true, "b": 0.0}, frozenset())
    assert judge(SimpleNamespace(comparisons=[pair]), experiment)["all covered"] == covers


def test_a_renumbered_run_moves_p_of_its_system_alone():
    def found(*p_and_verdicts):
        names = (("a", "b"), ("a", "c"), ("b", "c"))
        of_pairs = zip(names, p_and_verdicts, strict=True)
        return SimpleNamespace(
            comparisons=[SimpleNamespace(a=a, b=b, p_value=p, verdict=v) for (a, b), (p, v) in of_pairs]
        )

    yes, no, open_ = "significant", "not significant", "undecided"
    before, after = found((0.04, yes), (0.06, no), (0.5, no)), found((0.051, no), (0.05, open_), (0.9, yes))
    counted = engine.compare_renumbered(before, after, "a")
    assert counted["renumbered pairs"] == 2
    assert counted["millionths of p by renumbering"] == 11_000 + 10_000
    assert counted["verdicts by renumbering"] == 1


def test_runs_and_copies_of_a_cell_are_made_as_it_says():
    """Truth by hand: equal systems have the mean of their statistics, run by run; a copy what the first has."""
    cell = EngineCell("mean", "segment", 30, engine.TEN[:5], equal=2, copies=2, runs=3)
    assert cell.name == "mean, 30 segments, 2 of 5 equal, 2 copies, 3 runs"
    [experiment] = engine.draw_experiments(cell, 1, seed=1)
    statistics = experiment.statistics
    assert [statistics[name].n_runs for name in statistics] == [3] * 5
    first, second, third, *copies = (statistics[name].values for name in statistics)
    assert all(np.array_equal(copy, first) for copy in copies) and not np.array_equal(second, first)
    _, values, _ = engine.load_population("mean")
    runs = engine.make_runs(values, 3)
    means = {name: runs[name][..., 0].mean() for name in cell.systems[:3]}
    a, b, c = cell.systems[:3]
    assert experiment.truth[a] == pytest.approx((means[a] + means[b]) / 2)
    assert experiment.truth[a] == experiment.truth[b] == experiment.truth[cell.systems[4]]
    assert experiment.truth[c] == pytest.approx(means[c])
    assert experiment.equal == {a, b, *cell.systems[3:]}
    shares = [np.mean(np.all(runs[a][:, run] == values[a], axis=1)) for run in range(3)]
    assert shares == pytest.approx([0.7] * 3, abs=0.1)
    assert not np.array_equal(runs[a][:, 0], runs[a][:, 1])
    # A unit of both equal systems, with all of its runs, is that of one of them or of the other.
    of_third = third.swapaxes(0, 1)
    segments = [np.flatnonzero((runs[c] == one).all(axis=(1, 2)))[0] for one in of_third]
    for segment, drawn in zip(segments, np.stack([first, second], axis=1).transpose(2, 1, 0, 3), strict=True):
        both = np.stack([runs[a][segment], runs[b][segment]])
        assert np.array_equal(drawn, both) or np.array_equal(drawn, both[::-1])


def test_the_t_test_errs_as_its_docstring_says():
    """Its variance has the residual / R alone; that of the difference of means has method x sentence as well."""
    said = [float(number) for number in re.findall(r"([\d.]+) % (?:errors|with ten)", t_test_runs.__doc__)]
    by_theory = []
    for n_runs in (3, 10):
        df, too_small = 2 * n_runs - 2, np.sqrt(1 + n_runs)
        by_theory.append(200 * scipy.stats.t.sf(scipy.stats.t.ppf(0.975, df) / too_small, df))
    assert said == pytest.approx(by_theory, abs=0.05)
    measured = frame().query("test == 't-test on runs' and quantity == 'size'").set_index("cell")["percent"]
    for name, expected in zip(("bleu-3-methods-vary", "bleu-10-methods-vary"), by_theory, strict=True):
        assert measured[name] == pytest.approx(expected, abs=4)  # components of BLEU are met within some 15 %
