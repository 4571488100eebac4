"""The papers' tables in data/published: whole, consistent with each other, and described."""

import numpy as np
import pandas as pd
import pytest

from mtworkbench.shipped import find_shipped


def read(name: str) -> pd.DataFrame:
    return pd.read_csv(find_shipped(f"data/published/{name}.csv"))


def test_every_table_is_on_the_data_card_with_its_columns():
    folder = find_shipped("data/published")
    card = (folder / "README.md").read_text(encoding="utf-8")
    names = sorted(path.name for path in folder.glob("*.csv"))
    assert len(names) == 11
    for name in names:
        row = next(line for line in card.splitlines() if line.startswith(f"| `{name}`"))
        for column in read(name.removesuffix(".csv")).columns:
            assert f"`{column}`" in row, (name, column)


def test_koehns_table_3_agrees_with_his_table_1():
    bleu = read("koehn2004_table1").set_index("system")["bleu"]
    table = read("koehn2004_table3")
    assert len(table) == 36 and (table["size"] * table["samples"] == 30_000).all()
    assert (table["true_difference"] - (table["a"].map(bleu) - table["b"].map(bleu))).abs().max() < 0.051
    assert (table["correct_percent"] + table["wrong_percent"]).max() == 100
    assert table.loc[table["wrong_percent"] > 0, ["a", "b", "size", "wrong_percent"]].to_numpy().tolist() == [
        ["Spanish", "Portuguese", 100, 1], ["Portuguese", "Danish", 100, 2], ["Portuguese", "Danish", 300, 1],
    ]  # fmt: skip


def test_koehns_figures_agree_with_his_table_3():
    table = read("koehn2004_table3").set_index(["a", "b", "size"])
    figures = read("koehn2004_figures").set_index("quantity")["paper"]
    for a, b in (("Spanish", "Danish"), ("Portuguese", "Danish")):
        cell = table.loc[(a, b, 300)]
        assert figures[f"samples of 100 that conclude for {a} against {b}"] == cell["correct_percent"]
        assert figures[f"samples of 100 that conclude for {b} against {a}"] == cell["wrong_percent"]


def test_koehns_table_4_counts_all_conclusions():
    assert read("koehn2004_table4")["conclusions"].sum() == 9 * (300 + 100 + 50 + 10)


def test_koehns_table_2_is_students_t_but_for_its_slips():
    from scipy.stats import t

    table = read("koehn2004_table2")
    quantiles = 0.5 + table["level"] / 200
    either = np.minimum(
        (t.ppf(quantiles, table["n"] - 1) - table["t"]).abs(), (t.ppf(quantiles, table["n"]) - table["t"]).abs()
    )
    assert table["t"][either > 6e-5].tolist() == [2.5759, 1.9849]


def test_clarks_tables_are_whole():
    table = read("clark2011_table1")
    assert len(table) == 12
    assert table["s_dev"].notna().tolist() == (table["metric"] == "BLEU").tolist()
    p = read("clark2011_table2")
    assert len(p) == 10 and (p["p_low"] <= p["p_high"]).all()
    means = table[table["metric"] == "BLEU"].set_index(["corpus", "system"])["average"]
    figures = read("clark2011_figures").set_index(["figure", "quantity"])["paper"]
    for figure, corpus in (("Fig. 1", "BTEC"), ("Fig. 2", "WMT")):
        expected = figures[figure, "expected difference of B and A"]
        assert means[corpus, "B"] - means[corpus, "A"] == pytest.approx(expected)
