"""What several test sets say of a difference that the bootstrap of one test set cannot: Clark et al. (2011), §4.1."""

from __future__ import annotations

import pandas as pd

from mtworkbench.papers.common.beside import read_real_claims
from mtworkbench.shipped import find_shipped
from mtworkbench.wording import listed, tally
from mtworkbench.words.cells import EXACT_DIGITS, name_p, say_span
from mtworkbench.words.lines import wrap


def describe_each_test_set(summary: pd.DataFrame) -> list[str]:
    """Say how far the sets' differences lie apart, and for how many pairs a difference is shown, one sentence each.

    Parameters
    ----------
    summary : DataFrame
        As of `read_real_test_sets`, of one metric.
    """
    n_pairs, n_sets, ratio = len(summary), int(summary["test_sets"].iloc[0]), summary["ratio"].dropna()
    lines = []
    if len(ratio):
        lines.append(
            f"The difference between two systems spreads {say_span(ratio.min(), ratio.max(), 1)} times as much over "
            f"the {n_sets} test sets as the standard errors within the sets say."
        )
    shown, for_new = summary[summary["shown"]], summary[summary["shown_for_new"]]
    pairs = tally(n_pairs, "pair")
    sentence = f"For these test sets, a difference is shown for {len(shown)} of {pairs} of systems"
    if len(shown):
        sentence += f"; for new test sets like these, it is shown for {len(for_new)}"
    lines.append(f"{sentence}.")
    only_here = [
        f"{one.a} - {one.b} ({one.difference:+.2f}; for new test sets, 95 % CI [{one.new_sets_low:.2f}, "
        f"{one.new_sets_high:.2f}], {name_p(one.new_sets_p_adjusted, EXACT_DIGITS, 'p (Holm)')})"
        for one in shown[~shown["shown_for_new"]].itertuples()
    ]
    if only_here:
        lines.append(f"Shown for these test sets only: {listed(only_here)}.")
    return lines


def read_real_test_sets() -> pd.DataFrame:
    """Read what ``scripts/examine_real_test_sets.py`` found of five engines on 14 test sets, German-English, by BLEU.

    Returns
    -------
    DataFrame
        One row per pair: ``metric``, ``a``, ``b``, ``test_sets``, ``difference`` (mean over sets of a's score - b's),
        ``low``, ``high`` (on these sets), ``shown`` (whether a difference is shown on these sets), ``new_sets_low``,
        ``new_sets_high``, ``new_sets_p_adjusted``, ``shown_for_new`` (whether it is shown for new sets), ``spread``
        (standard deviation of the differences over sets), ``standard_error`` (root mean square of those of single sets)
        and ``ratio`` (of these two; NaN where the standard error is 0 or unknown).
    """
    return pd.read_csv(find_shipped("data/real/test_sets.csv"))


def describe_real_test_sets() -> str:
    """Say what separate real test sets show of s_sel, from the numbers that ship in ``data/real``."""
    claims = read_real_claims("clark2011").set_index("key")
    whole, halves = claims.loc["spread_of_test_sets"], claims.loc["spread_of_halves"]
    sentence = (
        f"On real outputs ({whole['corpus']}; data/real/clark2011_claims.csv), the scores on separate test sets spread "
        f"{whole['here']:.1f} times as much as s_sel says, those on two random halves of one test set "
        f"{halves['here']:.2f} times as much."
    )
    return wrap([sentence], indent="  ", finding=False)


def describe_real_differences() -> str:
    """Say what the real test sets of `describe_real_test_sets` show of the differences between systems."""
    found = read_real_test_sets()
    n_systems = len({*found["a"], *found["b"]})
    head = f"Real outputs of {n_systems} systems (de-en; data/real/test_sets.csv):"
    return wrap([" ".join([head, *describe_each_test_set(found)])], indent="  ", finding=False)
