"""All of Clark et al. (2011), compared with what comes out here: each claim, table and figure as a frame.

A claim is a sentence with the number that decides it, and a computed verdict.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from mtworkbench.papers import clark2011
from mtworkbench.papers.clark2011.published import show_value
from mtworkbench.papers.clark2011.randomization import SINGLE_TRIALS, tabulate_both_exchanges
from mtworkbench.papers.clark2011.scores import Families
from mtworkbench.papers.clark2011.variance import SETTING_NAMES
from mtworkbench.papers.common import criteria
from mtworkbench.papers.common.beside import read_real_claims
from mtworkbench.papers.common.criteria import Sentence, decide, read_sentences
from mtworkbench.progress import Progress
from mtworkbench.resampling import RngLike
from mtworkbench.wording import listed
from mtworkbench.words.cells import digits_of_trials, show_p

#: Claim 10: its numbers are ratios with intervals.
OPTIMIZER = (
    "The noise due to this variable can depend on many number of factors",
    "§4.1",
    "settings of the optimizer that change s_dev by more than chance explains (the 95 % CI of the ratio excludes 1)",
    "all of them",
    "Within the values that were tried, {} show no clear effect.",
)


def compare_with_paper(
    test: Families, dev: Families, *, progress: Progress | None = None, rng: RngLike = None
) -> dict[str, pd.DataFrame]:
    """Compare every claim, table and figure of Clark et al. (2011) with what comes out here.

    Claims about the optimizer and about the bootstrap's errors are of the data that ship, whatever is given.

    Parameters
    ----------
    test, dev : mapping of str to sequence of SegmentStatistics
        As of `tabulate_variance`. The claims are examined under the first metric.
    progress : callable, optional
        Wraps the draws of `randomize_drawn_runs`, which take longest.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    dict of str to DataFrame
        "claims" (of `judge_claims`), "Table 1", "Figures 1 and 2", "Single runs in the wrong order (%)", "Table 2",
        and two further tables: "Type I errors of the bootstrap (%)", "Runs that MultEval uses twice".
    """
    claims, p_values = [], []
    for corpus, (a, b) in clark2011.choose_pairs(test).items():
        table, drawn = tabulate_both_exchanges(a, b, corpus=corpus, progress=progress, rng=rng)
        p_values.append(table)
        tuning = dev[corpus][0] if corpus in dev else None
        options = {"corpus": corpus, "drawn": drawn["run"], "by_unit": drawn["unit"], "rng": rng}
        claims.append(clark2011.examine_claims(test[corpus][0], tuning, **options))
    claims += [
        clark2011.examine_settings(clark2011.read_computed("settings")),
        clark2011.examine_bootstrap_errors(clark2011.read_bootstrap_errors()),
    ]
    table1 = clark2011.tabulate_variance(test, dev, rng=rng)
    return {
        "claims": judge_claims(pd.concat(claims)),
        "Table 1": clark2011.arrange_beside(clark2011.table1_beside_paper(table1)),
        "Figures 1 and 2": clark2011.arrange_beside(clark2011.figures_beside_paper(test)),
        "Single runs in the wrong order (%)": clark2011.arrange_wrong_order(clark2011.wrong_order_beside_paper(table1)),
        "Table 2": clark2011.arrange_table2(pd.concat(p_values)),
        "Type I errors of the bootstrap (%)": clark2011.arrange_bootstrap_errors(clark2011.read_bootstrap_errors()),
        "Runs that MultEval uses twice": clark2011.count_uses(),
    }


def judge_claims(claims: pd.DataFrame) -> pd.DataFrame:
    """Say of each sentence of the paper whether it holds, by a criterion that the table shows.

    Parameters
    ----------
    claims : DataFrame
        Of `examine_claims`, for one corpus or several, and of `examine_settings`. The numbers of real outputs, which do
        not ship, are added: ``scripts/examine_real_replications.py`` computed them (see ``data/real/README.md``).

    Returns
    -------
    DataFrame
        One row per sentence, without missing cells: ``claim``; ``sentence`` (a quotation with its section, and what the
        numbers are, with their unit); ``holds if`` (the workbench's criterion, not the paper's); ``verdict``: "holds"
        for all corpora, "holds in part" for some of them, "does not hold" for none (the paper's numbers do not count),
        "not testable here" without a number of these systems; ``paper`` (only where it has numbers of these systems);
        ``made-up`` or, for other systems than those that ship, ``here``; ``real``; ``comment``: why it fails, and for
        which corpora, empty where it holds for all.
    """
    real = read_real_claims("clark2011")
    # How many runs they have stands in their data card.
    real["corpus"] = real["corpus"].str.partition(",")[0]
    # What claim 3 has in the paper's column is what the claim means, not a number that is printed.
    has_paper = bool(claims.loc[claims["claim"] != 3, "paper"].notna().any())
    rows = [_judge(sentence, claims, real) for sentence in read_sentences("clark2011")]
    columns = ["claim", "sentence", "holds if", "verdict", "paper", "made-up", "real", "comment"]
    judged = pd.DataFrame([*rows, *_judge_settings(claims)], columns=columns)
    judged = judged.sort_values("claim", kind="stable", ignore_index=True)
    return judged if has_paper else judged.drop(columns="paper").rename(columns={"made-up": "here"})


def _judge(sentence: Sentence, claims: pd.DataFrame, real: pd.DataFrame) -> tuple[int | str, ...]:
    """Return a row of the table of `judge_claims`."""
    ours, others = _numbers(sentence, claims), _numbers(sentence, real)
    printed = {} if sentence.claim == 3 else _numbers(sentence, claims, "paper")
    # Two lists, because the reader's corpus may be called as a real one is.
    known = [(name or "these systems", sentence.criterion.holds(*found)) for name, found in ours.items()]
    known += [(f"{name} (real)", sentence.criterion.holds(*found)) for name, found in others.items()]
    failing = [name for name, holds in known if not holds]
    verdict = decide([holds for _, holds in known] if ours else [])
    cells = (
        _cell(sentence, printed, criteria.NOT_PRINTED, as_printed=True),
        _cell(sentence, ours, criteria.NOT_COMPUTED),
        _cell(sentence, others, criteria.NOT_COMPUTED),
    )
    comment = ""
    if failing:
        comment = sentence.comment
        if verdict != criteria.FAILS:
            comment += f" (The claim does not hold for {'; '.join(failing)}.)"
    text = f"“{sentence.quotation}” ({sentence.section}): {sentence.measured}"
    return sentence.claim, text, sentence.criterion.words, verdict, *cells, comment


def _judge_settings(claims: pd.DataFrame) -> Iterator[tuple[int | str, ...]]:
    """Judge what the paper says of the settings of the optimizer, where they were varied."""
    settings = claims[(claims["claim"] == 10) & claims["key"].str.startswith("s_dev_")]
    if settings.empty:
        return
    quotation, section, quantity, criterion, comment = OPTIMIZER
    is_clear = (settings["low"] > 1) | (settings["high"] < 1)
    clear, verdict = settings[is_clear], decide(is_clear)
    names = [SETTING_NAMES.get(name, name) for name in clear["setting"]]
    found = f"{settings['corpus'].iloc[0]}: {len(clear)} of {len(settings)}"
    comment = comment.format("the other settings" if names else "the settings")
    comment += f" (Clear effects: {listed(names)}.)" if names else ""
    cells = criteria.NOT_PRINTED, found, criteria.NOT_COMPUTED
    text = f"“{quotation}” ({section}): {quantity}"
    yield 10, text, criterion, verdict, *cells, "" if verdict == criteria.HOLDS else comment


def _numbers(sentence: Sentence, claims: pd.DataFrame, column: str = "here") -> dict[str, list[float]]:
    """Return by corpus the numbers that decide a sentence: of several, the first and the last."""
    numbers = {}
    for corpus, part in claims.groupby("corpus", sort=False):
        found = part[part["key"].str.match("|".join(sentence.keys)) & part[column].notna()]
        if len(found) > sentence.criterion.needs_two:
            values = found[column].tolist()
            numbers[str(corpus)] = values if len(values) == 1 else [values[0], values[-1]]
    return numbers


def _cell(sentence: Sentence, numbers: dict[str, list[float]], absent: str, *, as_printed: bool = False) -> str:
    is_p = sentence.keys[0].startswith("p_")
    shown = []
    for corpus, values in numbers.items():
        written = [_write(value, is_p, as_printed) for value in values]
        shown.append((f"{corpus}: " if corpus else "") + (" and " if is_p else " to ").join(written))
    return "; ".join(shown) or absent


def _write(value: float, is_p: bool, as_printed: bool) -> str:
    if not is_p:
        return show_value(value, 2)
    return np.format_float_positional(value) if as_printed else str(show_p(value, digits_of_trials(SINGLE_TRIALS)))
