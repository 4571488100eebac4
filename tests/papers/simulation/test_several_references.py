import numpy as np

from mtworkbench.outputs import check_outputs
from mtworkbench.papers.koehn2004 import score_reference_counts, score_references
from mtworkbench.papers.simulation.koehn2004 import make_several_references


def test_people_differ_and_systems_err_more():
    outputs = make_several_references(rng=1)
    check_outputs(outputs)
    assert set(outputs[["reference", "reference_2", "reference_3", "hypothesis"]].dtypes) == {np.dtype(object)}
    assert list(outputs["system"].unique()) == ["careful", "plain", "hasty"]
    counts = score_reference_counts(outputs, rng=1).groupby(["references", "system"])["score"].mean().unstack()
    assert (counts.diff().iloc[1:] > 0).all().all()
    assert (counts["careful"] > counts["plain"]).all() and (counts["plain"] > counts["hasty"]).all()
    relative = score_references(outputs)
    assert (relative[relative["scored"] != "human"]["relative_to_human"] < 100).all()


def test_the_same_seed_gives_the_same_text():
    assert make_several_references(rng=3).equals(make_several_references(rng=3))
    assert not make_several_references(rng=3).equals(make_several_references(rng=4))
