"""Single runs are compared as if each had been the only one."""

import numpy as np
import pytest

import mtworkbench as mtw

pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")


def make_statistics(runs_of_new, runs_of_old):
    random = np.random.default_rng(1)
    frame = mtw.make_outputs(
        ["a b c d e f g h"] * 40,
        {
            name: [[" ".join(random.permutation(list("abcdefgh")[:length])) for _ in range(40)] for _ in range(runs)]
            for name, runs, length in (("new", runs_of_new, 8), ("old", runs_of_old, 7))
        },
    )
    return frame, mtw.compute_statistics(frame, "chrf")


def test_each_run_is_compared_as_if_it_were_the_only_one():
    outputs, statistics = make_statistics(3, 2)
    found = mtw.analyses.compare_single_runs(statistics, "old", rng=1)
    assert found["runs"].tolist() == ["run 1", "run 2", "all runs"]
    parts = [outputs[outputs["run"] == run].assign(run=1) for run in (1, 2)] + [outputs]
    for row, part in zip(found.itertuples(), parts, strict=True):
        alone = mtw.compare(mtw.compute_statistics(part, "chrf"), "old", rng=1).to_frame().iloc[0]
        assert (row.a, row.b, row.difference, row.p_adjusted, row.conclusion) == tuple(
            alone[["a", "b", "difference", "p_adjusted", "conclusion"]]
        )


def test_one_run_of_a_system_is_compared_once():
    found = mtw.analyses.compare_single_runs(make_statistics(2, 1)[1], "old", rng=1)
    assert found["runs"].tolist() == ["all runs"]
