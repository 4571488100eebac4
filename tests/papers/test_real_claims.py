"""The script behind ``data/real``: entities of one system are replaced, the card has the table's numbers."""

import importlib.util
from pathlib import Path

import pandas as pd

from mtworkbench.shipped import find_shipped

SCRIPT = Path(__file__).parents[2] / "scripts" / "examine_real_claims.py"


def load_script():
    spec = importlib.util.spec_from_file_location("examine_real_claims", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_entities_are_replaced_in_one_system_alone(capsys):
    hypotheses = ["&quot;a&quot; &amp; b", "it&#39;s", "plain", "&quot;", "&lt;", "x"]
    outputs = pd.DataFrame({"system": ["google"] * 3 + ["other"] * 3, "hypothesis": hypotheses}, index=range(5, 11))
    found = load_script().unescape_html(outputs, "google")
    assert found["hypothesis"].tolist() == ['"a" & b', "it's", "plain", "&quot;", "&lt;", "x"]
    assert capsys.readouterr().out == "google: HTML entities replaced in 2 of 3 lines\n"


def test_the_card_says_what_the_table_has():
    real = pd.read_csv(find_shipped("data/real/koehn2004_claims.csv")).set_index("quantity")["here"]
    card = find_shipped("data/real/README.md").read_text(encoding="utf-8").replace("\n  ", " ")
    few = "right conclusions with 100 sentences, systems at least 2 BLEU apart (%): too few, the paper says"
    assert f"right conclusions with 100 sentences (now {real[few]:.1f} %)" in card
    assert f"90-94.9 % (now {real['conclusions at 90-94.9 % that are right (%)']:.1f} %)" in card
