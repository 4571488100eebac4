"""Whether the claims of Koehn (2004) hold: each as one sentence, a number, a range, and a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from mtworkbench.papers.common import criteria
from mtworkbench.papers.common.criteria import Criterion, at_least, at_most, decide, outside, within
from mtworkbench.papers.koehn2004.published import are_published
from mtworkbench.statistics.segment_statistics import SegmentStatistics

#: From which ratio on one spread counts as larger than another.
LARGER = 1.25


class Sentence(NamedTuple):
    """A claim of the paper, what is measured, and the range of the number in which the claim holds.

    Parameters
    ----------
    claim : int
        Number of the claim, as the workbench counts them.
    section : str
        Of the paper.
    quotation : str
        A few words of the paper.
    measured : str
        What the number is, with its unit.
    value : callable
        Computes the number from those of `examine_claims`, by their keys.
    criterion : Criterion
        When the claim holds.
    comment : str
        Why it fails, if it does.
    """

    claim: int
    section: str
    quotation: str
    measured: str
    value: Callable[[Mapping[str, float]], float]
    criterion: Criterion
    comment: str


def _number(key: str) -> Callable[[Mapping[str, float]], float]:
    return lambda numbers: numbers.get(key, np.nan)


def _difference(key: str, other: str) -> Callable[[Mapping[str, float]], float]:
    return lambda numbers: numbers.get(key, np.nan) - numbers.get(other, np.nan)


def _ratio(key: str, other: str) -> Callable[[Mapping[str, float]], float]:
    def divide(numbers: Mapping[str, float]) -> float:
        below = numbers.get(other, np.nan)
        return numbers.get(key, np.nan) / below if below else np.nan

    return divide


def _percentage(key: str, other: str) -> Callable[[Mapping[str, float]], float]:
    return lambda numbers: 100 * _ratio(key, other)(numbers)


def _rest(key: str) -> Callable[[Mapping[str, float]], float]:
    return lambda numbers: 100 - numbers.get(key, np.nan)


SENTENCES = (
    Sentence(
        1,
        "§1",
        "complex metrics such as BLEU do not lend themselves to an analytical technique",
        "ratio of an analytical standard error to the bootstrap's",
        _number("analytical"),
        outside(0.9, 1.1),
        "a standard error computed without random draws (the jackknife) agrees with the bootstrap's",
    ),
    Sentence(
        1,
        "§2.3",
        "does not work on single sentences, since 4-gram precision is often 0",
        "sentences without a matching 4-gram (%)",
        _number("no_match"),
        at_least(10),
        "nearly every sentence has a matching 4-gram",
    ),
    Sentence(
        1,
        "§4",
        "not the mean of single sentence scores",
        "BLEU minus the mean of sentence BLEU (points)",
        _number("less_mean"),
        outside(-0.1, 0.1),
        "the mean of the sentence scores happens to be close to BLEU",
    ),
    Sentence(
        1,
        "§2.3",
        "has only roughly half (7.8%) of the 4-gram precision of the Spanish system",
        "4-gram precision of the lowest-scoring system, in % of that of the highest-scoring one",
        _number("half_precision"),
        within(40, 60),
        "these systems are closer together than the paper's",
    ),
    Sentence(
        1,
        "Fig. 1",
        "brevity penalty in BLEU causes score to drop dramatically with shorter output",
        "what BLEU loses where the output has 0.85 times the reference's length (%)",
        _number("short_bleu"),
        at_least(10),
        "it loses little",
    ),
    Sentence(
        1,
        "§2.3",
        "This is not the case for a similar metric, GTM",
        "what GTM loses there, in % of what BLEU loses",
        _percentage("short_gtm", "short_bleu"),
        at_most(50),
        "GTM loses about as much",
    ),
    Sentence(
        2,
        "§2.3",
        "depends, e.g., on the number of reference translation used",
        "BLEU with all references minus BLEU with one (points)",
        _difference("all_references", "one_reference"),
        at_least(1),
        "further references add little",
    ),
    Sentence(
        2,
        "§2.3",
        "the resulting numbers are unrealistically high",
        "relative human BLEU: a system's BLEU in % of a human's, both scored against the other references",
        _number("relative_to_human"),
        at_least(100),
        "below 100, people agree with one another more than systems agree with them",
    ),
    Sentence(
        3,
        "§3.3",
        "BLEU scores are now closer together",
        "ratio of the range of BLEU over blocks of 300 to that over broad samples",
        _ratio("range_block", "range_broad"),
        at_least(LARGER),
        "blocks hardly spread farther than broad samples",
    ),
    Sentence(
        3,
        "§3.4",
        "The Spanish system is better by up to 4%",
        "largest difference of the pair of Fig. 4 over broad samples of about 300 (BLEU)",
        _number("largest_difference"),
        within(3, 5),
        "how large a difference can be depends on the two systems",
    ),
    Sentence(
        3,
        "§3.4",
        "Translation quality of neighboring sentences correlates positively",
        "correlation of direct neighbours, in multiples of the largest that chance explains",
        _number("neighbours"),
        at_least(1),
        "chance explains the correlation of direct neighbours",
    ),
    Sentence(
        4,
        "§5",
        "drawn from a set of n test sentences with replacement is as good",
        "ratio of the standard deviation of resamples to that of fresh samples of 300",
        _number("resampled_to_fresh"),
        within(0.9, 1.1),
        "fresh samples do not spread as resamples do",
    ),
    Sentence(
        5,
        "§5",
        "the 95% confidence level is actually 97% correct",
        "95 % CIs from about 300 sentences that contain the score of all (%)",
        _rest("missed"),
        within(90, 99),
        "they contain it less often, or more often, than 95 % CIs should",
    ),
    Sentence(
        6,
        "§7.1",
        "we can reliably draw the right conclusion",
        "right conclusions on systems at least 2 BLEU apart, with about 300 sentences (%)",
        _number("right_300"),
        at_least(80),
        "the difference is often missed",
    ),
    Sentence(
        6,
        "§7.1",
        "Only one conclusion is wrong for test sets of size 300",
        "wrong conclusions with about 300 sentences (% of all samples)",
        _number("wrong_300"),
        at_most(0.5),
        "more conclusions are wrong",
    ),
    Sentence(
        6,
        "§7.1",
        "this might be too small for a test set",
        "right conclusions on systems at least 2 BLEU apart, with about 100 sentences (%)",
        _number("right_100"),
        at_most(80),
        "between systems that are far apart, 100 sentences can be enough",
    ),
    Sentence(
        6,
        "§7.1",
        "more false conclusions",
        "wrong conclusions with about 100 sentences minus those with about 300 (percentage points)",
        _difference("wrong_100", "wrong_300"),
        at_least(0.01),
        "100 sentences do not lead to more wrong conclusions than 300",
    ),
    Sentence(
        7,
        "§6",
        "1 conclusion in 20 is expected to be wrong",
        "share of conclusions at 95 % or more that are wrong (%)",
        _rest("right_at_95"),
        within(3, 7),
        "the level does not say how many conclusions are wrong: it depends on how different the systems are",
    ),
    Sentence(
        7,
        "§7.2",
        "we are actually drawing the right conclusion 95% of the time",
        "share of conclusions at 90 to 94.9 % that are right (%)",
        _number("right_at_90"),
        at_least(90),
        "these conclusions are right less often than their confidence says",
    ),
    Sentence(
        7,
        "§7.2",
        "errs on the side of caution",
        "equally good systems called different by '95 % of the resamples' (%)",
        _number("type_i_bootstrap"),
        at_most(5),
        "the rule errs more often than a test at 5 %, because it can err in both directions",
    ),
    Sentence(
        8,
        "§8",
        "do not use the same test set repeatedly",
        "the best of 10 equally good variants called better on the test set that chose it (%)",
        _number("called_better"),
        at_least(5),
        "choosing on the test set does no harm here",
    ),
    Sentence(
        9,
        "§4",
        "a sentence score is independent from other sentence scores",
        "t intervals of about 300 scores from the whole text that contain the mean of all (%)",
        _number("t_covers_broad"),
        at_least(90),
        "t intervals are too narrow even for sentences from the whole text",
    ),
    Sentence(
        9,
        "§4",
        "a sentence score is independent from other sentence scores",
        "t intervals of 300 neighbouring scores that contain the mean of all (%)",
        _number("t_covers_block"),
        at_least(90),
        "neighbouring sentences resemble one another, so these intervals are too narrow",
    ),
)


def judge_claims(claims: pd.DataFrame) -> pd.DataFrame:
    """Say of each claim whether it holds on the outputs here and on the real ones.

    Parameters
    ----------
    claims : DataFrame
        Of `claims_beside_real`. A claim without a number from here is judged by ``made_up`` if that is there.

    Returns
    -------
    DataFrame
        One row per sentence: ``claim``, ``section``, ``quotation``, ``measured``, ``paper``, ``here``, ``real`` (NaN
        if there is no number), ``condition`` (the range of the number in which the claim holds), ``made_up`` (whether
        ``here`` comes from made-up outputs, whatever the others were examined on), ``verdict``: "holds" on both
        outputs, "holds in part" on one of them, "does not hold" on neither, "not testable here" without a number from
        here; ``comment``: why it fails, empty if it holds.
    """
    numbers = claims.set_index("key")
    made_up = numbers["made_up"] if "made_up" in numbers else pd.Series(np.nan, index=numbers.index)
    columns = {"paper": numbers["paper"], "here": numbers["here"], "real": numbers["real"]}
    known = {column: values.to_dict() for column, values in columns.items()}
    instead = made_up.to_dict()
    rows = []
    for sentence in SENTENCES:
        values = {column: float(sentence.value(by_key)) for column, by_key in known.items()}
        is_made_up = np.isnan(values["here"]) and not np.isnan(sentence.value(instead))
        if is_made_up:
            values["here"] = float(sentence.value(instead))
        verdict = _judge(sentence, values["here"], values["real"])
        rows.append(
            {
                "claim": sentence.claim,
                "section": sentence.section,
                "quotation": sentence.quotation,
                "measured": sentence.measured,
                **values,
                "condition": sentence.criterion.words,
                "made_up": is_made_up,
                "verdict": verdict,
                "comment": sentence.comment if verdict in (criteria.IN_PART, criteria.FAILS) else "",
            }
        )
    return pd.DataFrame(rows)


def arrange_claims(judged: pd.DataFrame, statistics: SegmentStatistics) -> pd.DataFrame:
    """Arrange judged claims for reading: a sentence, numbers as text, a verdict, and why it fails.

    Parameters
    ----------
    judged : DataFrame
        Of `judge_claims`.
    statistics : SegmentStatistics
        Those that were examined. If their systems have the paper's names, they are the made-up ones that ship.

    Returns
    -------
    DataFrame
        ``claim``, ``sentence`` (quotation, section, what is measured with its unit), ``holds if`` (the workbench's
        criterion, not the paper's), ``verdict``, ``paper``, ``made-up`` (or ``here``, for systems of the reader's own),
        ``real``, ``comment`` (empty where the sentence holds).
    """
    here = "made-up" if are_published(statistics) else "here"
    sentences = [f"“{row.quotation}” ({row.section}): {row.measured}" for row in judged.itertuples()]
    numbers = {}
    for column, heading in (("paper", "paper"), ("here", here), ("real", "real")):
        absent = criteria.NOT_PRINTED if column == "paper" else criteria.NOT_COMPUTED
        written = judged[column].map(lambda number, absent=absent: _write_number(number) or absent)
        marked = (judged["made_up"] & (column == "here") & (here == "here")).map({True: " (made up)", False: ""})
        numbers[heading] = written + marked
    columns = {"claim": judged["claim"], "sentence": sentences, "holds if": judged["condition"]}
    return pd.DataFrame(columns | {"verdict": judged["verdict"]} | numbers | {"comment": judged["comment"]})


def _judge(sentence: Sentence, here: float, real: float) -> str:
    known = () if np.isnan(here) else [number for number in (here, real) if not np.isnan(number)]
    return decide([sentence.criterion.holds(number) for number in known])


def _write_number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"
