"""Which segments make a difference: the headline, the segments to be read, buckets of them, and n-grams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from mtworkbench.inference.contributions import largest_remainder
from mtworkbench.inference.families import name_families
from mtworkbench.inference.score_table import segments_of_both
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.metrics.protocol import Metric
from mtworkbench.outputs.checks.frames import is_reference
from mtworkbench.results.names_of_units import count_units, name_units
from mtworkbench.results.segments import ListedSegments, MarkedSegment, MatchedMore, MatchedNgram
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.wording import be, tally
from mtworkbench.words.cells import decimals_for
from mtworkbench.words.document import Document, Passage, Passages, Section, Table, name_signatures
from mtworkbench.words.frames import Cell, Columns, Name, cut_middle, in_percent, interval_of, number, plain, signed
from mtworkbench.words.lines import Sentences
from mtworkbench.words.shown_frames import head_interval

#: Columns of texts, where they are written out for readers.
TEXTS = ("source", "reference", "hypothesis", "hypothesis_baseline")
#: Formats that have the texts of a segment below each other, and not in a row.
WITH_PASSAGES = ("text", "latex")
#: Characters of what says where a segment comes from.
ROOM_FOR_PLACE = 40
CHOSEN = (
    "These segments were chosen because they contribute most: they show what the difference is made of, not what is "
    "typical of the systems. Whether the difference may be due to chance: mtworkbench compare."
)
#: What buckets of segments are made by.
WORDS_OF_REFERENCE = "words of the reference"
HEAD_BUCKETS = f"Buckets of segments, by the number of {WORDS_OF_REFERENCE}"


def build_segments(found: Sequence[ListedSegments], format: str, *, all_columns: bool = False) -> list[Document]:
    """Lay out which segments make a difference, one document per metric."""
    names = name_families([one.statistics for one in found])
    ends = [""] if len(found) == 1 else [f"-{name}" for name in names]
    return [build_document(one, format, end) for one, end in zip(found, ends, strict=True)]


def build_document(found: ListedSegments, format: str = "html", end: str = "") -> Document:
    """Lay out which segments make a difference under one metric; ``end`` tells its labels in LaTeX from others'."""
    sections = [build_list(found, format, head_segments(found), end)] if len(found.positions) else []
    if found.buckets is not None:
        caption = _caption_buckets(found) if format == "latex" else ""  # elsewhere the heading says it
        columns = _tabulate_buckets(found.buckets, found.difference_digits)
        table = Table(columns, heading=HEAD_BUCKETS, caption=caption, label=f"buckets{end}")
        sections.append(Section(tables=[table], notes=[describe_buckets(found.buckets)]))
    if found.ngrams is not None:
        whose = found.a, found.b, found.ngrams
        joined = [tabulate_ngrams(*whose, label=f"ngrams{end}")]
        sections.append(Section(tables=joined if format == "latex" else list(_split_ngrams(*whose))))
    seed = None if found.buckets is None else found.buckets.attrs.get("rng")
    name, signature = found.statistics.metric.name, found.statistics.signature
    return Document(
        list(describe_listed(found)),
        [one for one in sections if one.tables or one.texts],
        notes=[CHOSEN] if len(found.positions) else [],
        signatures=name_signatures({name: signature}) + ([] if seed is None else [f"Seed: --rng {seed}"]),
    )


def describe_listed(found: ListedSegments) -> Iterator[str]:
    """Say how many segments make the difference, how concentrated it is, and which runs the texts are of."""
    yield describe_contributions(found.frame, found.statistics, found.a, found.b)
    yield from describe_concentration(found.frame, found.listed, found.difference, _effect_of(found))
    yield from filter(None, [found.runs])


def build_list(found: ListedSegments, format: str, heading: str = "", end: str = "") -> Section:
    """Lay out the segments that are listed: their texts below each other, or a row per segment."""
    if format in WITH_PASSAGES:
        return Section(texts=_lay_out_passages(found, heading, end))
    return Section(tables=[Table(_tabulate_segments(found, closest=format == "html"), heading=heading)])


def _lay_out_passages(found: ListedSegments, heading: str, end: str) -> Passages:
    metric = found.statistics.metric.name
    passages = [
        Passage(f"Segment {number}: {one.contribution} {metric}{_say_places(one.places)}", one.texts)
        for number, one in zip(found.listed["segment"], found.marked, strict=True)
    ]
    caption = f"Segments and their contributions to the difference in {metric}, {found.a} − {found.b}"
    return Passages(passages, heading, caption, f"segments{end}")


def _say_places(places: Sequence[Sequence[str]]) -> str:
    return "".join(f", {name} {cut_middle(place, ROOM_FOR_PLACE)}" for name, place in places)


def head_segments(found: ListedSegments) -> str:
    """Say which segments are listed, and of how many."""
    of = np.count_nonzero(find_towards(found.frame["contribution"].to_numpy(), raises=_raises(found)))
    return f"Segments that {_effect_of(found)} most ({len(found.positions):,} of {of:,} that do)"


def _effect_of(found: ListedSegments) -> str:
    return name_effect(found.statistics.metric, found.a, found.b, raises=_raises(found))


def _raises(found: ListedSegments) -> bool:
    return not len(found.positions) or bool(found.listed["contribution"].iloc[0] > 0)


def name_effect(metric: Metric, a: str, b: str, *, raises: bool) -> str:
    """Say what segments do that raise or lower the difference: ``favour new``."""
    if not has_direction(metric):
        return f"{'raise' if raises else 'lower'} the difference"
    return f"favour {a if raises == (sign_of(metric) > 0) else b}"


def name_outputs(found: ListedSegments, frame: pd.DataFrame) -> pd.DataFrame:
    """Name the columns of outputs by their systems, as long as that leaves no two columns with one name."""
    renamed = frame.rename(columns={"hypothesis": found.a, "hypothesis_baseline": found.b})
    return renamed if renamed.columns.is_unique else frame


def _tabulate_segments(found: ListedSegments, *, closest: bool) -> Columns:
    """Return a row per segment listed; ``closest``: of several references, the one that is most like the outputs."""
    listed = found.listed
    chosen = listed[[name for name in listed if name in TEXTS or is_reference(name)]]
    references = [name for name in chosen if is_reference(name)]
    if closest and len(references) > 1:
        # A column per reference would push the outputs off the page.
        heading = f"closest of {len(references)} references"
        chosen = chosen.drop(columns=references[1:]).assign(reference=[_closest_of(one) for one in found.marked])
        chosen = chosen.rename(columns={"reference": heading})
    columns: Columns = {"segment": [str(number) if closest else Cell(number) for number in listed["segment"]]}
    columns |= {"document": list(map(str, listed["document"]))} if "document" in listed and not closest else {}
    columns["contribution"] = [Cell(one.contribution) for one in found.marked]
    named = name_outputs(found, chosen)
    return columns | {name: [text if isinstance(text, str) else "" for text in named[name]] for name in named.columns}


def _closest_of(segment: MarkedSegment) -> str:
    return next((one.text for one in segment.texts if one.kind == "reference"), "")


def _tabulate_buckets(buckets: pd.DataFrame, digits: int) -> Columns:
    ends = [tuple(map(plain, pair)) for pair in zip(buckets["low"], buckets["high"], strict=True)]
    return {
        WORDS_OF_REFERENCE: buckets["bucket"].tolist(),
        "segments": [Cell(f"{count:,}") for count in buckets["segments"]],
        "difference": [number(one, digits) for one in buckets["difference"]],
        head_interval("low", "high", buckets["level"].iloc[0]): [interval_of(low, high, digits) for low, high in ends],
        "contribution": [number(one, digits) for one in buckets["contribution"]],
    }


def _caption_buckets(found: ListedSegments) -> str:
    metric = found.statistics.metric.name
    return f"Difference in {metric}, {found.a} − {found.b}, by the number of {WORDS_OF_REFERENCE}."


def _ngram_columns(a: str, b: str, rows: Sequence[MatchedNgram]) -> Columns:
    names = ["n-gram", a, b, "segments"]
    if len({*names}) < len(names):
        names[1:3] = ["new", "baseline"]
    counts = [[Cell(f"{count:,}") for count in (row.new, row.baseline, row.segments)] for row in rows]
    columns: Columns = {names[0]: [row.ngram for row in rows]}
    return columns | {Name(name): [row[place] for row in counts] for place, name in enumerate(names[1:])}


def _head_ngrams(system: str, matched: MatchedMore) -> str:
    n_listed = len(matched.listed)
    part = "" if n_listed == matched.n_all else f" ({n_listed:,} of {matched.n_all:,} n-grams)"
    return f"{system} gets right more often{part}"


def _split_ngrams(a: str, b: str, ngrams: tuple[MatchedMore, MatchedMore]) -> Iterator[Table]:
    """Return a table for each system of the n-grams that it gets right more often."""
    for system, matched in zip((a, b), ngrams, strict=True):
        if matched.listed:
            yield Table(_ngram_columns(a, b, matched.listed), heading=f"N-grams that {_head_ngrams(system, matched)}")


def tabulate_ngrams(
    a: str, b: str, ngrams: tuple[MatchedMore, MatchedMore], where: str = "in all segments", label: str = "ngrams"
) -> Table:
    """Return one table of the n-grams that either system gets right more often.

    Parameters
    ----------
    a, b : str
    ngrams : (MatchedMore, MatchedMore)
        Those of a, and those of b.
    where : str
        The segments that they are counted in.
    label : str
    """
    rows: list[MatchedNgram] = []
    headings: dict[int, str] = {}
    for system, matched in zip((a, b), ngrams, strict=True):
        if matched.listed:
            headings[len(rows)] = _head_ngrams(system, matched)
            rows += matched.listed
    caption = (
        f"N-grams that {a} and {b} match differently {where}: how often each gets them right, and in how many segments "
        "they differ. The largest differences come first; among equal ones, the longest n-grams."
    )
    return Table(_ngram_columns(a, b, rows), caption=caption, label=label, headings=headings)


# ---- in sentences


#: A contribution below this share of the largest is rounding.
ROUNDING = 1e-9


def describe_contributions(
    frame: pd.DataFrame, statistics: SegmentStatistics, a: str, b: str, *, runs: tuple[int, int] | None = None
) -> Sentences:
    """Say how many segments make the difference better or worse, and that their own scores do not add up to it.

    Parameters
    ----------
    frame : DataFrame
        Of `segment_contributions`, with all its rows.
    statistics : SegmentStatistics
        As it was given to `segment_contributions`.
    a, b : str
        The new system and the baseline.
    runs : (int, int), optional
        As it was given to `segment_contributions`.

    Returns
    -------
    Sentences
        Names are as they are in the data: whoever shows the sentences escapes them.
    """
    metric = statistics.metric
    unit = "segment" if "segment" in frame.columns else str(frame.columns[0])
    contributions = frame["contribution"].dropna()
    if a == b and (runs is None or runs[0] == runs[1]):
        return Sentences(f"By {metric.name}, {a} is compared with itself: no {unit} makes a difference.")
    total = float(contributions.sum())
    scores = _score(statistics, (a, b), runs)
    difference = float(scores[0].mean() - scores[1].mean())
    digits = _decimals_of(difference)
    sides = _count_sides(contributions.to_numpy(), metric, (a, b), digits)
    counted = count_units(unit, len(contributions))
    said = [f"By {metric.name}, {a} - {b} is {signed(difference, digits)}: of {counted}, {sides}."]
    left_out = len(frame) - len(contributions)
    if left_out:
        which = f"{count_units(unit, left_out)} {be(left_out)} left out"
        said.append(f"{which}, because one of the systems has no score there.")
    remainder = difference - total
    jumps = abs(remainder) > largest_remainder(np.concatenate(scores))
    if jumps:
        shown = signed(remainder, max(digits, _decimals_of(remainder)))
        said.append(
            f"{shown} of the difference cannot be assigned to {name_units(unit)}: the score jumps between the two "
            "systems, as it does if one of them has no matching n-gram of some length."
        )
    changes = frame["change"].dropna()
    change = float(changes.mean()) if len(changes) else difference
    adds_up = abs(change - difference) <= ROUNDING * max(1.0, abs(difference))
    if not adds_up:
        said.append(_compare_changes(change, difference, metric.name, unit, digits))
    elif len(changes) and not jumps and changes.any():
        said.append(f"The {metric.name} of single {name_units(unit)} adds up: its mean change equals the difference.")
    return Sentences(" ".join(said))


def describe_concentration(frame: pd.DataFrame, listed: pd.DataFrame, difference: float, does: str) -> Iterator[str]:
    """Say what the segments listed add up to, and how few segments add up to as much as the whole difference.

    Parameters
    ----------
    frame : DataFrame
        Of `segment_contributions`, with all its rows.
    listed : DataFrame
        The rows of it that have the largest contributions towards the difference, the largest first.
    difference : float
    does : str
        What they do, such as ``favour new``.
    """
    if not len(listed):
        return
    towards = frame["contribution"].dropna() * (1 if listed["contribution"].iloc[0] > 0 else -1)
    sums = np.cumsum(np.sort(towards.to_numpy())[::-1])
    digits = _decimals_of(difference)
    total = signed(float(listed["contribution"].sum()), digits)
    one = len(listed) == 1
    said = f"The segment listed contributes {total}" if one else f"The {len(listed):,} listed add up to {total}"
    whole = abs(difference) * (1 - ROUNDING)
    if not 0 < whole <= sums.max():  # equal scores, or a remainder that no segment has
        yield f"{said}."
        return
    enough = int(np.argmax(sums >= whole)) + 1
    few = f"The {enough:,} that {does} most add up" if enough > 1 else "The first alone adds up"
    yield f"{said}. {few} to as much as the whole difference."


def _score(
    statistics: SegmentStatistics, systems: tuple[str, str], runs: tuple[int, int] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Score both systems on the segments that both have scores for, (n_runs,) ndarrays, or one run of each."""
    both = [statistics[name] for name in systems]
    if runs is not None:
        both = [replace(one, values=one.values[[run - 1]], given_names=()) for one, run in zip(both, runs, strict=True)]
    compared = segments_of_both(*both)
    of_a, of_b = (one.score()[0] if compared is None else one.take(compared).score()[0] for one in both)
    return of_a, of_b


def _count_sides(contributions: np.ndarray, metric: Metric, systems: tuple[str, str], digits: int) -> str:
    """Say how many units speak for each system; without a direction, how many raise the score and lower it."""
    towards_a = sign_of(metric) * contributions
    sides = [find_towards(towards_a, raises=raises) for raises in (True, False)]
    verbs, objects = (("favour", "favour"), systems) if has_direction(metric) else (("raise", "lower"), ("it", "it"))
    parts = []
    for which, verb, noun in zip(sides, verbs, objects, strict=True):
        number, together = int(np.count_nonzero(which)), signed(float(contributions[which].sum()), digits)
        parts.append(f"{number:,} {verb}{'s' if number == 1 else ''} {noun} (together {together})")
    nothing = int(np.count_nonzero(~np.any(sides, axis=0)))
    return f"{parts[0]}, {parts[1]} and {nothing:,} {'makes' if nothing == 1 else 'make'} no difference"


def find_towards(contributions: np.ndarray, *, raises: bool) -> np.ndarray:
    """Tell which contributions raise the difference, or lower it, more than by rounding; none that is missing does."""
    least = ROUNDING * np.abs(contributions[~np.isnan(contributions)]).max(initial=0.0)
    return (contributions if raises else -contributions) > least


def _compare_changes(change: float, difference: float, metric: str, unit: str, digits: int) -> str:
    """Say that the units' own scores do not add up, and by how much their mean change departs from the difference."""
    own = f"Sentence-level {metric}" if unit == "segment" else f"The {metric} of single {name_units(unit)}"
    shown = max(digits, _decimals_of(change - difference))
    return (
        f"{own} does not add up to the difference: it changes by {signed(change, shown)} on average, while the "
        f"difference on these {name_units(unit)} together is {signed(difference, shown)}."
    )


def describe_buckets(frame: pd.DataFrame) -> Sentences:
    """Say how many of the intervals of buckets exclude 0, and how many of them would by chance.

    Of buckets of words it is first said how their frequencies are counted.

    Parameters
    ----------
    frame : DataFrame
        Of `bucket_segments`, with all its rows.
    """
    level = float(frame["level"].iloc[0])
    drawn = frame.dropna(subset=["low", "high"])
    without = len(frame) - len(drawn)
    said = [_describe_frequencies(int(frame["references"].iloc[0]))] if "references" in frame.columns else []
    if not len(drawn):
        few = "The one bucket is" if without == 1 else f"All {tally(without, 'bucket')} are"
        return Sentences(" ".join([*said, f"{few} too small for an interval."]))
    excluding = int(((drawn["low"] > 0) | (drawn["high"] < 0)).sum())
    interval = f"{in_percent(level)} CI"
    if len(drawn) == 1:
        said.append(f"The one {interval} {'excludes' if excluding else 'includes'} 0.")
    else:
        chance = 1 - level ** len(drawn)
        said.append(
            f"Buckets are many comparisons: in {excluding or 'none'} of {len(drawn):,} buckets, the {interval} "
            "excludes 0. If the systems were equal in all buckets, at least one interval would still exclude 0 by "
            f"chance in up to {in_percent(round(chance, 2))} of experiments, so a bucket is a hint where to look, not "
            "a finding."
        )
    if without:
        said.append(f"{tally(without, 'bucket')} {be(without)} too small for an interval.")
    return Sentences(" ".join(said))


def _describe_frequencies(n_references: int) -> str:
    counted = "The frequency of a word is how often it occurs in the references of the whole test set"
    if n_references == 1:
        return f"{counted}."
    together = "both" if n_references == 2 else f"all {n_references}"
    return (
        f"{counted}, {together} of each segment together: a word that occurs once in each of them has frequency "
        f"{n_references}."
    )


def _decimals_of(difference: float) -> int:
    """Choose decimals that show two digits also of a very small difference."""
    return decimals_for(abs(difference), most=12)
