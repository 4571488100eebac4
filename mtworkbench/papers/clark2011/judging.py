"""Which sentences of Clark et al. (2011) hold here: each with the number that decides it, and a computed verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from mtworkbench.papers.clark2011.published import LEVEL, show_value
from mtworkbench.papers.clark2011.variance import SETTING_NAMES
from mtworkbench.papers.common import criteria
from mtworkbench.papers.common.beside import read_real_claims
from mtworkbench.papers.common.criteria import Criterion, at_least, at_most, decide, within
from mtworkbench.wording import listed
from mtworkbench.words.cells import digits_of_trials, show_p

#: Trials behind the p of single runs.
SINGLE_TRIALS = 10_000
#: The share of s_sel from which the variation over runs is substantial; the largest ratio that counts as about 1.
SUBSTANTIAL, ABOUT_ONE = 0.25, 1.25
#: How far the mean of the resamples may be from the score, in s_sel.
SMALL_SHIFT = 0.1
#: How far the rank of a run that is drawn at random is from the middle, on average, in percent of the runs.
RANDOM_RUN = 25
HIGHLY_SIGNIFICANT = 0.01
#: From which percentage of the experiments on a result is very likely.
VERY_LIKELY = 90


class Sentence(NamedTuple):
    """A sentence of the paper, and the numbers that decide whether it holds.

    Parameters
    ----------
    claim : int
        As in `examine_claims`.
    quotation, section : str
        From the paper.
    quantity : str
        What the numbers are, with their unit.
    keys : tuple of str
        How the keys of these numbers begin (with "$": the whole key). Where a corpus has several of them, the first and
        the last are taken.
    criterion : Criterion
        When the sentence holds, by the numbers of one corpus.
    comment : str
        What to say if it does not hold.
    needs_two : bool
        Whether two numbers of a corpus are needed.
    """

    claim: int
    quotation: str
    section: str
    quantity: str
    keys: tuple[str, ...]
    criterion: Criterion
    comment: str
    needs_two: bool = False


#: Of a share with the fewest and with the most runs.
RISES = Criterion("it rises, or is 100 already", lambda few, many: many > few or few == many == 100)
SENTENCES = (
    Sentence(
        1,
        "optimizer instability can account for substantial amount of variation",
        "§1",
        "s_test / s_sel",
        ("s_test_to_s_sel",),
        at_least(SUBSTANTIAL),
        "Scores vary little between the runs of a system, compared with their variation between test sets.",
    ),
    Sentence(
        2,
        "we observe that s_test > s_dev",
        "§4.1",
        "s_test / s_dev",
        ("s_test_to_s_dev",),
        Criterion("above 1", lambda found, *_: found > 1),
        "Scores vary less from run to run on the test set than on the tuning set.",
    ),
    Sentence(
        3,
        "the standard deviation of the translation metric over (very similar) test sets",
        "§4.1",
        "spread over random parts of a test set / s_sel of a part",
        ("spread_of_parts", "spread_of_halves"),
        Criterion(f"between {1 / ABOUT_ONE:g} and {ABOUT_ONE:g}", within(1 / ABOUT_ONE, ABOUT_ONE).holds),
        "Parts of one test set do not vary as s_sel says; if they are few, or the test set is small, this can be due "
        "to chance.",
    ),
    Sentence(
        3,
        "the widely-used bootstrap resampling method (§3) also controls for test set effects",
        "§4.1",
        "spread over separate test sets / s_sel of a test set",
        ("spread_of_test_sets",),
        Criterion(f"between {1 / ABOUT_ONE:g} and {ABOUT_ONE:g}", within(1 / ABOUT_ONE, ABOUT_ONE).holds),
        "Test sets of other years and other origin are not samples from one source, so s_sel does not include their "
        "differences.",
    ),
    Sentence(
        3,
        "the mean over bootstrap replicates is approximately the aggregate metric score",
        "footnote 6",
        "mean of the resamples - score, in multiples of s_sel",
        ("bootstrap_shift",),
        Criterion(f"at most {SMALL_SHIFT:g} away from 0", within(-SMALL_SHIFT, SMALL_SHIFT).holds),
        "A score that is no mean of sentence scores is biased on the resamples of a small test set.",
    ),
    Sentence(
        4,
        "there is a non-trivial region of overlap",
        "§4.2",
        "runs in the range that both systems' scores span (%)",
        ("inside",),
        at_least(5),
        "The scores of the two systems' runs hardly overlap.",
    ),
    Sentence(
        4,
        "experimental samples from the overlapping region could suggest the opposite conclusion!",
        "§4.2",
        "pairs of single runs in the wrong order (%)",
        ("wrong_order_1",),
        Criterion("above 0", lambda found, *_: found > 0),
        "No pair of single runs is in the wrong order.",
    ),
    Sentence(
        5,
        "it is possible to control for it with very few replications",
        "§5",
        "means of 3 runs in the wrong order (%)",
        ("wrong_order_3",),
        at_most(5),
        "Three runs are too few where the difference is small compared with s_test.",
    ),
    Sentence(
        6,
        "the results can vary widely from insignificant (at p > .05) to highly significant",
        "§4.2, Table 2",
        "p of A's best and B's worst run, and of A's worst and B's best",
        ("p_high_low", "p_low_high"),
        Criterion(
            f"one is above {LEVEL:g} and the other at most {HIGHLY_SIGNIFICANT:g}",
            # In the paper B is better, elsewhere perhaps A.
            lambda *found: max(found) > LEVEL and min(found) <= HIGHLY_SIGNIFICANT,
        ),
        f"The choice of the runs does not change p from above {LEVEL:g} to {HIGHLY_SIGNIFICANT:g} or less.",
        needs_two=True,
    ),
    Sentence(
        7,
        "more replications leads to more significant results",
        "§4.2, Table 2",
        "experiments with p <= 0.05 by run (%), with the fewest and the most runs",
        ("significant_run_",),
        RISES,
        "More runs do not make p <= 0.05 more frequent.",
        needs_two=True,
    ),
    Sentence(
        7,
        "more replications leads to more significant results",
        "§4.2, Table 2",
        "experiments with p <= 0.05 by unit (%), with the fewest and the most runs",
        ("significant_unit_",),
        RISES,
        "If all runs of a sentence are swapped together, more runs do not make p <= 0.05 more frequent: p then depends "
        "on the number of sentences, which stays the same.",
        needs_two=True,
    ),
    Sentence(
        7,
        "we are very likely to observe a significant difference for BTEC at n = 5",
        "§4.2",
        "experiments with p <= 0.05 by run, with 5 runs of each (%)",
        ("significant_run_5$",),
        at_least(VERY_LIKELY),
        "How likely it is depends on how large the difference is. (The paper says it of BTEC alone.)",
    ),
    Sentence(
        7,
        "we are very likely to observe a significant difference for BTEC at n = 5",
        "§4.2",
        "experiments with p <= 0.05 by unit, with 5 runs of each (%)",
        ("significant_unit_5$",),
        at_least(VERY_LIKELY),
        "If all runs of a sentence are swapped together, p depends on the sentences, and five runs do not make the "
        "difference significant. (The paper says it of BTEC alone.)",
    ),
    Sentence(
        8,
        "the convention of ‘trusting’ BLEU score improvements of, e.g., > 1",
        "footnote 1",
        "two runs of one system more than 1 BLEU apart (%)",
        ("same_system_BLEU",),
        Criterion("at most 5 (the paper does not defend it)", at_most(5).holds),
        "Runs of the same system are often more than 1 BLEU apart, so a gain of 1 BLEU is no substitute for a test.",
    ),
    Sentence(
        9,
        "the median should be determined based on one test set",
        "§5",
        "distance from the middle rank on the test set, for the median run of the tuning set (% of the runs; "
        f"{RANDOM_RUN} for a random run)",
        ("median_off",),
        Criterion(f"below {RANDOM_RUN}", lambda found, *_: found < RANDOM_RUN),
        "On the test set, the median run of the tuning set is no more typical than a run drawn at random; its "
        "advantage is that it was not chosen by looking at the test set.",
    ),
    Sentence(
        11,
        "it yields fewer type I errors",
        "§3",
        "Riezler and Maxwell's bootstrap test: type I errors beyond those of randomization, on real text "
        "(percentage points)",
        ("more_errors_shifted",),
        Criterion("above 0", lambda found, *_: found > 0),
        "On all but small test sets, this bootstrap test keeps its level, too.",
    ),
    Sentence(
        11,
        "it yields fewer type I errors",
        "§3",
        "Koehn's share of resamples won: type I errors beyond those of randomization, on real text (percentage points)",
        ("more_errors_wins",),
        Criterion("above 0", lambda found, *_: found > 0),
        "Koehn's rule does not err more often.",
    ),
)
#: Claim 10: its numbers are ratios with intervals.
OPTIMIZER = (
    "The noise due to this variable can depend on many number of factors",
    "§4.1",
    "settings of the optimizer that change s_dev by more than chance explains (the 95 % CI of the ratio excludes 1)",
    "all of them",
    "Within the values that were tried, {} show no clear effect.",
)


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
    rows = [_judge(sentence, claims, real, has_paper) for sentence in SENTENCES]
    rows += _judge_settings(claims, has_paper)
    return pd.DataFrame(rows).sort_values("claim", kind="stable", ignore_index=True)


def _judge(sentence: Sentence, claims: pd.DataFrame, real: pd.DataFrame, has_paper: bool) -> dict[str, object]:
    ours, others = _numbers(sentence, claims), _numbers(sentence, real)
    printed = {} if sentence.claim == 3 else _numbers(sentence, claims, "paper")
    # Two lists, because the reader's corpus may be called as a real one is.
    known = [(name or "these systems", sentence.criterion.holds(*found)) for name, found in ours.items()]
    known += [(f"{name} (real)", sentence.criterion.holds(*found)) for name, found in others.items()]
    failing = [name for name, holds in known if not holds]
    verdict = decide([holds for _, holds in known] if ours else [])
    cells = {
        "paper": _cell(sentence, printed, criteria.NOT_PRINTED, as_printed=True),
        _name_of_ours(has_paper): _cell(sentence, ours, criteria.NOT_COMPUTED),
        "real": _cell(sentence, others, criteria.NOT_COMPUTED),
    }
    comment = ""
    if failing:
        comment = (
            sentence.comment if verdict == criteria.FAILS else f"{sentence.comment} (Not for {'; '.join(failing)}.)"
        )
    text = f"“{sentence.quotation}” ({sentence.section}): {sentence.quantity}"
    return _row(sentence.claim, text, sentence.criterion.words, cells, has_paper, verdict, comment)


def _judge_settings(claims: pd.DataFrame, has_paper: bool) -> Iterator[dict[str, object]]:
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
    cells = {"paper": criteria.NOT_PRINTED, _name_of_ours(has_paper): found, "real": criteria.NOT_COMPUTED}
    text = f"“{quotation}” ({section}): {quantity}"
    yield _row(10, text, criterion, cells, has_paper, verdict, "" if verdict == criteria.HOLDS else comment)


def _row(
    claim: int, sentence: str, criterion: str, cells: dict[str, str], has_paper: bool, verdict: str, comment: str
) -> dict[str, object]:
    shown = {name: cell for name, cell in cells.items() if has_paper or name != "paper"}
    said = {"claim": claim, "sentence": sentence, "holds if": criterion, "verdict": verdict}
    return said | shown | {"comment": comment}


def _name_of_ours(has_paper: bool) -> str:
    return "made-up" if has_paper else "here"


def _numbers(sentence: Sentence, claims: pd.DataFrame, column: str = "here") -> dict[str, list[float]]:
    """Return by corpus the numbers that decide a sentence: of several, the first and the last."""
    numbers = {}
    for corpus, part in claims.groupby("corpus", sort=False):
        found = part[part["key"].str.match("|".join(sentence.keys)) & part[column].notna()]
        if len(found) > sentence.needs_two:
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
