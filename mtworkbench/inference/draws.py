"""The draws of one test set, and of several: in parts that any process can do, the same wherever it is done.

One test set is a campaign of one. A part returns what a comparison needs of it, and no more: of trials only counts and
the largest differences, because those of all trials, sets and pairs would be gigabytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from mtworkbench.inference.bootstrap import Resampled
from mtworkbench.inference.exchanges import MAX_EXACT_COINS, Exchanges, count_all, enumerate_masks
from mtworkbench.inference.families import EstimatedPart, divide_segments, find_fewest_units, number_pairs
from mtworkbench.inference.score_table import Places
from mtworkbench.inference.trials import CELLS_TOGETHER, COPIES, Contrast, Tested, TrialFamily, count_beyond
from mtworkbench.inference.units import Units, choose_units
from mtworkbench.progress import ignore
from mtworkbench.resampling import RandomKey, split_rows
from mtworkbench.results.settings import MOST_LOOKS, WRONG_STOPS, Settings
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics
from mtworkbench.work import Study

#: A part has so many trials that it takes some seconds: in units of an output of one segment that may change sides.
WORK_OF_PART = 2**33
#: To score both sides of a pair takes as long as to exchange so many outputs.
WORK_OF_PAIR = 500

#: The statistics of a test set, under one metric or several.
Statistics = SegmentStatistics | Sequence[SegmentStatistics]
#: The plain numbers and words that say what `draw_part` draws.
Part = dict[str, Any]
#: Computes parts, and returns what each of them draws, in their order; calls a function with how much has been drawn.
Run = Callable[[Sequence[Part], Callable[[int], object]], Iterable[dict[str, np.ndarray]]]
#: A comparison: the number of its test set, and of its pair. Set -1 is the mean over all sets.
Row = tuple[int, int]
MEAN = -1


@dataclass(frozen=True, eq=False)
class DividedSet:
    """One test set, with the pairs that are compared and the segments that each rests on.

    Parameters
    ----------
    systems : list of SystemStatistics
        Of all metrics, metric by metric.
    pairs : list of (int, int)
    parts : list of EstimatedPart
    """

    systems: list[SystemStatistics]
    pairs: list[Places]
    parts: list[EstimatedPart]

    @classmethod
    def of(
        cls, statistics: Statistics, baseline: str | None, exchange: str, unit: str, strata: str | None = None
    ) -> DividedSet:
        """Divide the segments of a test set by what is estimated on them."""
        families = [statistics] if isinstance(statistics, SegmentStatistics) else statistics
        systems, _, pairs = number_pairs(families, baseline, exchange)
        flat = [pair for of_metric in pairs for pair in of_metric]
        return cls(systems, flat, divide_segments(systems, flat, unit, strata))

    @property
    def units(self) -> Units:
        """The units of the part that has the fewest effective ones."""
        return find_fewest_units(self.parts)

    def find_pairs(self) -> list[tuple[EstimatedPart, Places]]:
        """Return the part of each pair and its places there, in the order of `pairs`."""
        found = {pair: (part, places) for part in self.parts for pair, places in part.pairs.items()}
        return [found[pair] for pair in self.pairs]

    def find_systems(self) -> list[tuple[EstimatedPart, int]]:
        """Return the part of each system and its place there, in the order of `systems`."""
        found = {number: (part, place) for part in self.parts for number, place in part.systems.items()}
        return [found[number] for number in range(len(self.systems))]


@dataclass(frozen=True, eq=False)
class Source:
    """A test set that is drawn from.

    Parameters
    ----------
    divided : DividedSet
    exchange : {"unit", "run"}
    key : RandomKey
    margins : dict of str to float
        Of equivalence, by metric.
    """

    divided: DividedSet
    exchange: str
    key: RandomKey
    margins: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def exchanges(self) -> Exchanges:
        """The pairs, with the coins that they share."""
        divided, units = self.divided, self.divided.parts[0].table.units
        whole = choose_units(divided.systems[0].test_set, units.name, units.strata)
        margins = [self.margins.get(divided.systems[a].metric.name) for a, _ in divided.pairs]
        return Exchanges.of(divided.find_pairs(), whole, self.exchange, margins)

    def resample(self, n_resamples: int, advance: Callable[[int], object] = ignore) -> dict[str, np.ndarray]:
        """Resample the systems of all parts: the fields of `Resampled`."""
        drawn = [Resampled.of(part.table, n_resamples, self.key, advance) for part in self.divided.parts]
        return {name: np.concatenate([getattr(one, name) for one in drawn]) for name in Resampled._fields}


@dataclass(frozen=True)
class Trials:
    """Comparisons whose trials are counted together.

    Parameters
    ----------
    rows : tuple of (int, int)
    joint : bool
        See `TrialFamily`.
    """

    rows: tuple[Row, ...]
    joint: bool

    def pairs_on(self, number: int) -> list[int]:
        """Return the pairs whose outputs on a set are exchanged."""
        return sorted({pair for place, pair in self.rows if place in (number, MEAN)})

    def together_on(self, number: int) -> list[list[int]]:
        """Return the pairs on a set, those together whose trials must have the same coins."""
        pairs = self.pairs_on(number)
        return [pairs] if self.joint else [[pair] for pair in pairs]

    def coins_on(self, sources: Sequence[Source]) -> list[np.ndarray]:
        """Return the coins that matter on each set."""
        return [source.exchanges.coins_of(self.pairs_on(number)) for number, source in enumerate(sources)]

    def is_enumerated(self, sources: Sequence[Source]) -> bool:
        """Tell whether so few coins matter, on all sets together, that all exchanges are made."""
        return sum(map(len, self.coins_on(sources))) <= MAX_EXACT_COINS

    def begin(self, sources: Sequence[Source], level: float) -> TrialFamily:
        """Begin to count."""
        contrasts = []
        for place, number in self.rows:
            those = [source.exchanges for source in of_place(sources, place)]
            own = [one.contrasts[number] if self.joint else one.pairs[number].bare for one in those]
            contrasts.append(own[0] if place != MEAN else Contrast.average(own))
        return TrialFamily(contrasts, level, joint=self.joint)

    def place(self, number: int, pairs: Sequence[int], source: Source) -> PlacedPairs:
        """Find the rows that some pairs on a set belong to, for `count`."""
        places = {pair: place for place, pair in enumerate(pairs)}
        own = [
            (row, places[pair], source.exchanges.pairs[pair].bare.difference)
            for row, (place, pair) in enumerate(self.rows)
            if place in (number, MEAN) and pair in places
        ]
        rows, found, differences = zip(*own, strict=True) if own else ((), (), ())
        return PlacedPairs(np.array(rows, np.intp), np.array(found, np.intp), np.array(differences))

    def count(self, family: TrialFamily, drawn: Sequence[tuple[PlacedPairs, np.ndarray]], n_kept: int) -> None:
        """Count trials of the rows, given differences and shifts of pairs on each set, (n_pairs, 2, n_trials)."""
        differences, shifts, taken = totals = np.zeros((3, len(self.rows), drawn[0][1].shape[2]))
        n_sets = np.zeros((len(self.rows), 1))
        for pairs, trials in drawn:
            own = trials[pairs.places]
            differences[pairs.rows] += own[:, 0]
            shifts[pairs.rows] += own[:, 1]
            # Test sets may differ in their true differences, so that each set takes its own.
            taken[pairs.rows] += pairs.differences[:, None] * own[:, 1]
            n_sets[pairs.rows] += 1
        totals /= n_sets
        family.count(differences, shifts, n_kept, taken)


class PlacedPairs(NamedTuple):
    """Pairs of one test set, and the rows of `Trials` that their trials belong to.

    Parameters
    ----------
    rows, places : (n_rows,) ndarray of int
        The row, and where its pair is among the pairs of which trials are drawn.
    differences : (n_rows,) ndarray
        That which is observed on this set.
    """

    rows: np.ndarray
    places: np.ndarray
    differences: np.ndarray


def of_place(sources: Sequence[Source], place: int) -> Sequence[Source]:
    """Return the set of a row, or all of them for the mean."""
    return sources if place == MEAN else [sources[place]]


def count_drawn(
    sources: Sequence[Source],
    trials: Sequence[Trials],
    kept: Sequence[int],
    level: float,
    first: int,
    count: int,
    advance: Callable[[int], object] = ignore,
) -> dict[str, np.ndarray]:
    """Count trials ``first`` to ``first + count - 1``, of the same number on every set.

    Parameters
    ----------
    sources : sequence of Source
    trials : sequence of Trials
    kept : sequence of int
        See `TrialFamily.count`.
    level : float
    first, count : int
    advance : callable, optional

    Returns
    -------
    dict of str to ndarray
        ``counts0``, ``largest0``, ``counts1`` ...: the tally of each.
    """
    drawn: dict[tuple[int, int], tuple[list[int], np.ndarray]] = {}
    for number, source in enumerate(sources):
        groups = source.exchanges.group_pairs([pairs for one in trials for pairs in one.together_on(number)])
        for place, (per_unit, pairs) in enumerate(groups.items()):
            of_pairs, last = np.empty((len(pairs), 2, count)), 0
            for batch in source.exchanges.draw(pairs, first, count, source.key):
                begin, last = last, last + batch.shape[2]
                of_pairs[:, :, begin:last] = batch
                (ignore if place else advance)(batch.shape[2])
            drawn[number, per_unit] = pairs, of_pairs
    found: dict[str, np.ndarray] = {}
    for number, (one, n_kept) in enumerate(zip(trials, kept, strict=True)):
        family = one.begin(sources, level)
        own = [
            (one.place(place, pairs, source), of_pairs)
            for place, source in enumerate(sources)
            for per_unit in source.exchanges.group_pairs(one.together_on(place))
            for pairs, of_pairs in [drawn[place, per_unit]]
        ]
        for begin, size in split_rows(count, max(1, CELLS_TOGETHER // len(one.rows))):
            one.count(family, [(pairs, of_pairs[:, :, begin : begin + size]) for pairs, of_pairs in own], n_kept)
        found |= {f"{name}{number}": values for name, values in family.tally(n_kept).items()}
    return found


def enumerate_all(sources: Sequence[Source], trials: Trials, level: float) -> dict[str, np.ndarray]:
    """Count all exchanges of the coins that matter to some comparisons, on all sets: the tally."""
    coins, family = trials.coins_on(sources), trials.begin(sources, level)
    n_coins = sum(map(len, coins))
    n_kept = count_beyond(count_all(n_coins), level, exact=True)
    ends = np.cumsum([0, *map(len, coins)])
    pairs_on = [trials.pairs_on(number) for number in range(len(sources))]
    placed = [trials.place(number, pairs_on[number], source) for number, source in enumerate(sources)]
    for masks in enumerate_masks(n_coins, 2 * len(trials.rows)):
        drawn = [
            source.exchanges.make_trials(pairs_on[number], masks[:, ends[number] : ends[number + 1]], coins[number])
            for number, source in enumerate(sources)
        ]
        trials.count(family, list(zip(placed, drawn, strict=True)), n_kept)
    return family.tally(n_kept)


class Counted:
    """What is known of the trials of some comparisons so far.

    Parameters
    ----------
    trials : Trials
    sources : sequence of Source
    settings : Settings
    """

    def __init__(self, trials: Trials, sources: Sequence[Source], settings: Settings) -> None:
        self.trials, self.settings = trials, settings
        self.family = trials.begin(sources, settings.level)
        self.looks, self.n_trials = settings.choose_looks(len(trials.rows)), 0
        self.exact = trials.is_enumerated(sources)
        if self.exact:
            self.looks, self.n_trials = (), count_all(sum(map(len, trials.coins_on(sources))))
        most = self.n_trials if self.exact else self.looks[-1]
        self.n_kept = count_beyond(most, settings.level, self.exact)

    def needs(self, look: int) -> bool:
        """Tell whether trials up to a look are needed: nothing was decided before."""
        if look == 0 or look >= len(self.looks):
            return look < len(self.looks)
        return self.n_trials == self.looks[look - 1] and not self.family.is_decided(self.n_trials)

    def add(self, found: Mapping[str, np.ndarray], number: int) -> None:
        """Add what a part has counted."""
        self.family.add(found[f"counts{number}"], found[f"largest{number}"], self.n_kept)

    def words(self) -> Part:
        """Return what a part needs to know."""
        return {"rows": [list(row) for row in self.trials.rows], "joint": self.trials.joint, "kept": self.n_kept}

    def test(self) -> dict[Row, Tested]:
        """Return what the trials say of each comparison."""
        error = 0.05 if self.settings.fixed_trials else WRONG_STOPS / MOST_LOOKS
        tested = self.family.test(self.n_trials, exact=self.exact, error=error)
        return dict(zip(self.trials.rows, tested, strict=True))


@dataclass(frozen=True, eq=False)
class SetDraws:
    """What was drawn of one test set.

    Parameters
    ----------
    resampled : list of Resampled
        Of each part.
    tested : list of Tested
        Of each pair, in the order of `DividedSet.pairs`, within the family of this set.
    """

    resampled: list[Resampled]
    tested: list[Tested]


@dataclass(frozen=True, eq=False)
class Draws:
    """What was drawn of all test sets.

    Parameters
    ----------
    sets : list of SetDraws
    over_sets : list of Tested
        Of the mean difference of each pair; empty for one set.
    on_sets : list of list of Tested
        Of each set and each pair, within the family of all sets; empty for one set.
    """

    sets: list[SetDraws]
    over_sets: list[Tested]
    on_sets: list[list[Tested]]


def draw_sets(
    sources: Sequence[Source],
    groups: Sequence[Sequence[int]],
    settings: Settings,
    run: Run,
    advance: Callable[[int], object],
) -> Draws:
    """Draw resamples, and trials until every family is decided.

    Parameters
    ----------
    sources : sequence of Source
    groups : sequence of sequence of int
        The numbers of pairs that are judged together.
    settings : Settings
        With Holm's method each comparison has only its own p.
    run : callable
        See `Run`.
    advance : callable
        Called with the number of draws that have been made; those after the first look are not counted.
    """
    numbers, joint = range(len(sources)), settings.adjust == "max-t"
    n_pairs = len(sources[0].divided.pairs)
    families: dict[str, list[list[Row]]] = {
        "sets": [[(number, pair) for pair in group] for number in numbers for group in groups]
    }
    if len(sources) > 1:
        families["over sets"] = [[(MEAN, pair) for pair in group] for group in groups]
    if len(sources) > 1 and joint:  # with Holm's method, the p of a set is the same in any family
        families["on sets"] = [[(number, pair) for number in numbers for pair in group] for group in groups]
    counted = {
        asked: [Counted(one, sources, settings) for rows in of_question for one in divide_rows(rows, sources, joint)]
        for asked, of_question in families.items()
    }
    everything = [one for own in counted.values() for one in own]
    resampled = draw_parts(sources, everything, settings, run, advance)
    tested = {
        asked: {row: COPIES for rows in families[asked] for row in rows}
        | {row: found for one in own for row, found in one.test().items()}
        for asked, own in counted.items()
    }
    own = [[tested["sets"][number, pair] for pair in range(n_pairs)] for number in numbers]
    over_sets = [tested["over sets"][MEAN, pair] for pair in range(n_pairs)] if len(sources) > 1 else []
    on_sets = [[tested.get("on sets", tested["sets"])[number, pair] for pair in range(n_pairs)] for number in numbers]
    return Draws([SetDraws(*one) for one in zip(resampled, own, strict=True)], over_sets, on_sets)


def divide_rows(rows: Sequence[Row], sources: Sequence[Source], joint: bool) -> list[Trials]:
    """Put those comparisons together whose trials are counted together; copies need none."""
    different = [row for row in rows if any(one.exchanges.pairs[row[1]].n_coins for one in of_place(sources, row[0]))]
    alone = [Trials((row,), joint) for row in different if not joint]
    exact = [one for one in alone if one.is_enumerated(sources)]
    enumerated = {row for one in exact for row in one.rows}
    together = tuple(row for row in different if row not in enumerated)
    return [*exact, Trials(together, joint)] if together else exact


def draw_parts(
    sources: Sequence[Source],
    counted: Sequence[Counted],
    settings: Settings,
    run: Run,
    advance: Callable[[int], object],
) -> list[list[Resampled]]:
    """Draw the resamples of each set, which are returned, and the trials, which are counted."""
    everywhere: Part = {"of": list(range(len(sources))), "level": settings.level}
    exact = [one for one in counted if one.exact]
    parts: list[Part] = [
        {"draw": "resamples", "first": 0, "count": settings.n_resamples, "of": [number]}
        for number in range(len(sources))
    ]
    parts += [{"draw": "exact", "first": 0, "count": 0, "families": [one.words()], **everywhere} for one in exact]
    resampled: list[list[Resampled]] = []
    for look in range(MOST_LOOKS):
        needed = [one for one in counted if one.needs(look)]
        blocks: list[tuple[int, int]] = []
        if needed:
            begin, end = needed[0].n_trials, needed[0].looks[look]
            blocks = blocks_of_trials(begin, end, [source.divided for source in sources])
        words = [one.words() for one in needed]
        parts += [
            {"draw": "trials", "first": first, "count": count, "families": words, **everywhere}
            for first, count in blocks
        ]
        for part, found in zip(parts, run(parts, advance) if parts else (), strict=True):
            if part["draw"] == "resamples":
                resampled.append(split_resamples(sources[len(resampled)].divided, found))
                continue
            for number, one in enumerate(needed if part["draw"] == "trials" else [exact.pop(0)]):
                one.add(found, number)
        for one in needed:
            one.n_trials = one.looks[look]
        parts, advance = [], ignore
    return resampled


def split_resamples(divided: DividedSet, drawn: Mapping[str, np.ndarray]) -> list[Resampled]:
    """Return the resamples of each part, of what `draw_part` has drawn of all of them."""
    ends = np.cumsum([len(part.table.systems) for part in divided.parts])[:-1]
    arrays = (np.split(drawn[name], ends) for name in Resampled._fields)
    return [Resampled(*one) for one in zip(*arrays, strict=True)]


def run_here(sources: Sequence[Source]) -> Run:
    """Return what computes each part here and now, when it is asked for."""

    def run(parts: Sequence[Part], advance: Callable[[int], object]) -> Iterator[dict[str, np.ndarray]]:
        return (compute_part([sources[number] for number in part["of"]], part, advance) for part in parts)

    return run


def run_study(
    study: Study, statistics: Mapping[str, Statistics], sources: Sequence[Source], baseline: str | None, about: str
) -> Run:
    """Return what has a study compute the parts.

    Parameters
    ----------
    study : Study
    statistics : mapping of str to SegmentStatistics, or to a sequence of them
        By test set.
    sources : sequence of Source
        The same test sets.
    baseline : str, optional
        The system that each other is compared with.
    about : str
        Says what is computed.
    """
    units = [source.divided.units for source in sources]
    sets = [
        {"test_set": name, "unit": unit.name, "key": source.key.key}
        for name, unit, source in zip(statistics, units, sources, strict=True)
    ]
    words: Part = {"baseline": baseline, "exchange": sources[0].exchange, "strata": units[0].strata}
    words["margins"] = dict(sources[0].margins)

    def run(parts: Sequence[Part], advance: Callable[[int], object]) -> Iterator[dict[str, np.ndarray]]:
        described = [part | words | {"sets": [sets[number] for number in part["of"]]} for part in parts]
        found = study.run(draw_part, statistics, described, reads=take_sets, about=about)
        for part, one in zip(parts, found, strict=True):
            advance(part["count"] * len(part["of"]))
            yield one

    return run


def take_sets(shared: Mapping[str, Statistics], part: Part) -> list[Statistics]:
    """Return what `draw_part` needs of the test sets, whichever others there are."""
    return [shared[one["test_set"]] for one in part["sets"]]


def draw_part(shared: Mapping[str, Statistics], part: Part) -> dict[str, np.ndarray]:
    """Draw resamples or trials, in any process.

    Parameters
    ----------
    shared : mapping of str to SegmentStatistics, or to a sequence of them
        The test sets.
    part : dict
        What `compute_part` needs, and of what `run_study` has divided the test sets by: ``baseline``, ``exchange``,
        ``strata``, ``margins`` and ``sets``, a list of dicts with ``test_set``, ``unit`` (of `divide_segments`) and
        ``key`` of the set's draws (of `RandomKey`).
    """
    baseline, exchange, strata = part["baseline"], part["exchange"], part.get("strata")
    sources = [
        Source(
            DividedSet.of(statistics, baseline, exchange, one["unit"], strata),
            exchange,
            RandomKey(one["key"]),
            part.get("margins", {}),
        )
        for statistics, one in zip(take_sets(shared, part), part["sets"], strict=True)
    ]
    return compute_part(sources, part)


def compute_part(
    sources: Sequence[Source], part: Part, advance: Callable[[int], object] = ignore
) -> dict[str, np.ndarray]:
    """Draw resamples or trials of the sets of a part.

    Parameters
    ----------
    sources : sequence of Source
    part : dict
        Which draws: ``draw`` "resamples" (of one set), "trials" or "exact", with ``first`` and ``count``; of the last
        two also ``level`` and ``families``, a list of dicts: see `Counted.words`.
    advance : callable, optional

    Returns
    -------
    dict of str to ndarray
        Of resamples: the fields of `Resampled`. Else see `count_drawn`.
    """
    if part["draw"] == "resamples":
        [source] = sources
        return source.resample(part["count"], advance)
    trials = [Trials(tuple((place, pair) for place, pair in one["rows"]), one["joint"]) for one in part["families"]]
    if part["draw"] == "exact":
        return {f"{name}0": values for name, values in enumerate_all(sources, trials[0], part["level"]).items()}
    kept = [one["kept"] for one in part["families"]]
    return count_drawn(sources, trials, kept, part["level"], part["first"], part["count"], advance)


def blocks_of_trials(begin: int, end: int, sets: Sequence[DividedSet]) -> list[tuple[int, int]]:
    """Split the trials of all sets into parts of some seconds each: (first trial, their number).

    It depends on nothing but the data, so that a study finds its parts again.
    """
    outputs = sum(part.table.n_segments * sum(part.table.n_runs) for one in sets for part in one.parts)
    size = max(1, WORK_OF_PART // (outputs + WORK_OF_PAIR * sum(len(one.pairs) for one in sets)))
    return [(begin + first, count) for first, count in split_rows(end - begin, size)]
