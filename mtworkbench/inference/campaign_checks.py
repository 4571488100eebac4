"""Whether test sets make a campaign: the same systems and metrics on each, and no set twice."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.families import as_families, check_same_runs, name_families
from mtworkbench.inference.intervals import reach_of_t
from mtworkbench.metrics import MeanScore
from mtworkbench.outputs.checks.repeats import FEWEST, SHARE
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.results.settings import Settings
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.wording import name_some, tally

#: The metrics of each test set, by name.
Families = dict[str, SegmentStatistics]
#: What a signature says that test sets rightly differ in: language, references, and which repairs change something.
OF_A_SET = ("nrefs", "tok", "repaired")
#: Scores at least so many times as large count as those of another scale.
OTHER_SCALE = 10
#: Below so many test sets Student's t is so wide that only very clear differences are shown for new ones.
FEW_SETS = 4
#: A number that is a word by itself. Those within names ("comet22") say of what a warning is.
NUMBER = re.compile(r"(?<!\S)\d[\d,.]*(?!\S)")


class Notices:
    """Warnings about single test sets: those that differ in numbers alone are told as one, which names the sets."""

    def __init__(self) -> None:
        self._noticed: dict[tuple[str, str], dict[str, str]] = {}

    @contextmanager
    def about(self, test_set: str) -> Iterator[None]:
        """Keep what is noticed in a test set, and name it where something is wrong with it."""
        with warnings.catch_warnings(record=True) as noticed:
            warnings.simplefilter("always")
            try:
                yield
            except InputError as error:
                raise InputError(error.code, f"Test set {excerpt(test_set)}: {error}") from None
        for warning in noticed:
            if isinstance(warning.message, DataWarning):
                code, message = warning.message.code, warning.message.message
                self._noticed.setdefault((code, NUMBER.sub("0", message)), {}).setdefault(test_set, message)
            else:
                warnings.warn(warning.message, stacklevel=4)

    def tell(self) -> None:
        """Warn of what was noticed."""
        for (code, _), by_set in self._noticed.items():
            first, *others = by_set
            too = f" The same holds, with other numbers, for {name_some(list(map(excerpt, others)))}." if others else ""
            DataWarning(code, f"Test set {excerpt(first)}: {by_set[first]}{too}", count=len(by_set)).warn()


def check_test_sets(
    sets: Mapping[str, SegmentStatistics | Sequence[SegmentStatistics]],
    notices: Notices,
    systems: Sequence[str] | None = None,
) -> dict[str, Families]:
    """Check that every test set has the same systems and metrics, and bring them into the same order.

    Returns
    -------
    dict of str to dict of str to SegmentStatistics
        The statistics by test set and name of the metric.

    Raises
    ------
    InputError
        ``not-test-sets``, ``one-test-set``, ``different-metrics``, ``incomplete-system``, ``different-runs``,
        ``same-test-set``, and those of `as_families`.

    Warns
    -----
    DataWarning
        ``runs-by-order``, ``different-options``, ``same-references``, ``shared-segments``, ``different-scales``: see
        `compare_test_sets`.
    """
    if isinstance(sets, SegmentStatistics) or not isinstance(sets, Mapping):
        raise InputError(
            "not-test-sets",
            f"An object of type {type(sets).__name__} was given where a dict of test sets was expected: their names, "
            "with the statistics of each, as in {'wmt22': statistics, 'wmt23': more_statistics}.",
        )
    for name in sets:
        if not isinstance(name, str) or not name.strip():
            raise InputError("not-test-sets", f"A test set is called {excerpt(name)}, but a name was expected.")
    if len(sets) < 2:
        raise InputError(
            "one-test-set",
            f"{'One test set was' if len(sets) else 'No test set was'} given, but at least two were expected: use "
            "compare for a single test set.",
        )
    found: dict[str, Families] = {}
    for name, statistics in sets.items():
        with notices.about(name):
            families = as_families(statistics, systems)
            found[name] = dict(zip(name_families(families), families, strict=True))
    _check_metrics(found)
    found = _order_systems(found)
    check_same_runs({f"test set {excerpt(name)}": next(iter(families.values())) for name, families in found.items()})
    alike = [pair for pair in combinations(found, 2) if not _check_different(*pair, found)]
    _warn_of_same_references(alike)
    _warn_of_shared_segments({name: next(iter(families.values())).test_set for name, families in found.items()}, alike)
    _warn_of_different_options(found)
    _warn_of_different_scales(found)
    return found


def _check_metrics(sets: Mapping[str, Families]) -> None:
    first, *others = sets
    for other in others:
        for one, another in ((first, other), (other, first)):
            lacking = [metric for metric in sets[one] if metric not in sets[another]]
            if lacking:
                raise InputError(
                    "different-metrics",
                    f"Test set {excerpt(another)} has no statistics of {name_some(lacking)}, which test set "
                    f"{excerpt(one)} has: compute the same metrics on every test set.",
                )
        for name, family in sets[first].items():
            if family.metric.higher_is_better != sets[other][name].metric.higher_is_better:
                raise InputError(
                    "different-metrics",
                    f"Test sets {excerpt(first)} and {excerpt(other)} do not agree on whether a higher {name} is "
                    "better: give the metric the same direction on every test set.",
                )


def _order_systems(sets: Mapping[str, Families]) -> dict[str, Families]:
    """Return the test sets with their systems in the order in which they come first."""
    systems = list(dict.fromkeys(system for families in sets.values() for one in families.values() for system in one))
    ordered: dict[str, Families] = {}
    for name, families in sets.items():
        for metric, family in families.items():
            lacking = [system for system in systems if system not in family]
            if lacking:
                raise InputError(
                    "incomplete-system",
                    f"Test set {excerpt(name)} has no {metric} of {name_some(list(map(excerpt, lacking)))}, but every "
                    "system must be in every test set and under every metric: add the outputs that are missing, or "
                    "leave out the systems that are not in all test sets.",
                )
        ordered[name] = {
            metric: replace(family, values={system: family.values[system] for system in systems})
            for metric, family in families.items()
        }
    return ordered


def warn_of_unequal_runs(sets: Mapping[str, Families]) -> None:
    """Say which systems do not have as many runs on every set: nothing is said of their methods."""
    first, *others = (next(iter(families.values())) for families in sets.values())
    unequal = [system for system in first if {one[system].n_runs for one in others} != {first[system].n_runs}]
    if unequal and len(first) > 1:
        have, whose = ("has", "its") if len(unequal) == 1 else ("have", "their")
        message = (
            f"{name_some(list(map(excerpt, unequal)))} {have} different numbers of training runs on the test sets, so "
            f"the method is not tested in {whose} comparisons: give the same runs, at least two, on every set."
        )
        DataWarning("unequal-runs", message, count=len(unequal)).warn()


def _check_different(name: str, other_name: str, sets: Mapping[str, Families]) -> bool:
    """Refuse a test set that is given twice, or with a part of itself: it would count twice.

    Returns
    -------
    bool
        Whether the two are known to be different: False where they have the same references, and perhaps other sources.
    """
    families, others = sets[name], sets[other_name]
    first, other = next(iter(families.values())).test_set, next(iter(others.values())).test_set
    common = _common_segments(first, other)
    if common is None:
        return True
    here, there = common
    how_many = "the same segments" if len(here) == len(first) == len(other) else f"{len(here):,} segments in common"
    refusal = InputError(
        "same-test-set",
        f"Test sets {excerpt(name)} and {excerpt(other_name)} have {how_many}, which would count twice: give each test "
        "set once, without its parts.",
    )
    if all(
        np.array_equal(family.values[system][:, here], others[metric].values[system][:, there])
        for metric, family in families.items()
        for system in family
    ):
        raise refusal
    if not first.has_references:
        return True
    if first.source_digests is None or other.source_digests is None:
        return False
    # With other sources these are translations from other languages, with the same references.
    if np.array_equal(first.source_digests[here], other.source_digests[there]):
        raise refusal
    return True


def _warn_of_same_references(alike: Sequence[tuple[str, str]]) -> None:
    """Warn once of all test sets with the same references: many language pairs may have the same target side."""
    groups: list[dict[str, None]] = []
    for one, other in alike:
        group = next((group for group in groups if one in group), None)
        if group is None:
            groups.append(group := {one: None})
        group[other] = None
    for group in groups:
        DataWarning(
            "same-references",
            f"Test sets {name_some(list(map(excerpt, group)))} have the same references, and nothing says whether "
            "they are translated from the same sources: if they are one test set, give it once, because it would "
            f"count {'twice' if len(group) == 2 else f'{len(group)} times'}; if they are translated from different "
            "languages, this is as it should be.",
            count=len(group),
        ).warn()


def _warn_of_shared_segments(test_sets: Mapping[str, TestSet], told: Collection[tuple[str, str]]) -> None:
    """Warn once of the pairs of test sets that share a good part of their segments, apart from those already ``told``.

    A text that occurs several times in a set, such as "Yes." or an empty one, says nothing, and is left aside. So are
    sources without references: one set may be translated into several languages.
    """
    find_once = cache(lambda name, with_sources: _find_texts_that_occur_once(test_sets[name], with_sources))
    found: list[tuple[float, int, str, str, bool]] = []
    for pair in combinations(test_sets, 2):
        with_sources = all(test_sets[name].source_digests is not None for name in pair)
        larger, smaller = sorted(pair, key=lambda name: len(test_sets[name]), reverse=True)
        one, other = (find_once(name, with_sources) for name in pair)
        n_shared = len(np.intersect1d(one, other, assume_unique=True))
        share = n_shared / len(test_sets[smaller])
        if n_shared >= FEWEST and share >= SHARE and pair not in told:
            found.append((share, n_shared, larger, smaller, with_sources))
    if not found:
        return
    share, n_shared, larger, smaller, with_sources = max(found)
    what, unless = "references", ", unless they are translated from different languages"
    if with_sources:
        what, unless = "sources and references", ""
    n_others = len(found) - 1
    others = (
        f" {n_others:,} other pair{' has' if n_others == 1 else 's have'} segments in common, too." if n_others else ""
    )
    DataWarning(
        "shared-segments",
        f"Test sets {excerpt(larger)} and {excerpt(smaller)} have {n_shared:,} segments in common "
        f"({100 * share:.0f} % of {excerpt(smaller)}), with the same {what}. Test sets are treated as independent, "
        f"so p is too small and intervals are too narrow: leave these segments out of one of the two{unless}."
        f"{others}",
        count=len(found),
    ).warn()


def _find_texts_that_occur_once(test_set: TestSet, with_sources: bool) -> np.ndarray:
    """Return digests of those references, or of references with sources, that one segment of the set has alone."""
    digests = test_set.reference_digests
    if digests is None:
        return np.empty(0, dtype=np.int64)
    if with_sources:
        digests = 3 * digests + test_set.source_digests  # a sum alone would be the same for texts that change places
    found, counts = np.unique(digests, return_counts=True)
    return found[counts == 1]


def _common_segments(first: TestSet, other: TestSet) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the positions in both of the segments that two test sets may have in common; None where there are none."""
    if first is other or first.references == other.references or first.lineage is other.lineage:
        numbers, here, there = np.intersect1d(first.segments, other.segments, return_indices=True)
        return (here, there) if len(numbers) else None
    digests, other_digests = first.reference_digests, other.reference_digests
    if digests is None or other_digests is None:
        return None
    in_any_order = first.unordered_references is not None and first.unordered_references == other.unordered_references
    if in_any_order and len(first) == len(other):
        if first.source_digests is None or other.source_digests is None:
            return np.argsort(digests, kind="stable"), np.argsort(other_digests, kind="stable")
        # By their sources, too, because references repeat.
        return np.lexsort((first.source_digests, digests)), np.lexsort((other.source_digests, other_digests))
    common, here, there = np.intersect1d(digests, other_digests, return_indices=True)
    is_part = len(common) in (len(np.unique(digests)), len(np.unique(other_digests)))
    return (here, there) if is_part else None


def _warn_of_different_options(sets: Mapping[str, Families]) -> None:
    """Say which options of a metric are not the same on all test sets, apart from those of language and references."""
    first = next(iter(sets))
    for metric in sets[first]:
        options = {name: _options_of(families[metric].signature) for name, families in sets.items()}
        unlike: dict[str, str] = {}
        for name, own in options.items():
            for key in options[first].keys() | own.keys():
                if key not in OF_A_SET and own.get(key) != options[first].get(key):
                    unlike.setdefault(key, name)
        if unlike:
            words = [
                f"{key} is {options[first].get(key, 'absent')} on {excerpt(first)}, but "
                f"{options[name].get(key, 'absent')} on {excerpt(name)}"
                for key, name in sorted(unlike.items())
            ]
            DataWarning(
                "different-options",
                f"{metric} does not have the same options on all test sets: {'; '.join(words)}. Every set counts "
                "the same in the mean difference: compute all of them with the same options, unless this is meant.",
                count=len(unlike),
            ).warn()


def _options_of(signature: str) -> dict[str, str]:
    return {key: value for key, _, value in (part.partition(":") for part in signature.split("|"))}


def _warn_of_different_scales(sets: Mapping[str, Families]) -> None:
    """Say on which test sets the given scores of segments are so much smaller that they seem to be on another scale.

    Largest scores alone would alarm where one set has a rare very bad segment, and means alone where one is very easy.
    """
    for metric in next(iter(sets.values())):
        if not all(isinstance(families[metric].metric, MeanScore) for families in sets.values()):
            continue
        sizes = {name: _size_of_scores(families[metric]) for name, families in sets.items()}
        large = max(sizes, key=lambda name: sizes[name][0])
        small = [name for name, size in sizes.items() if min(size) > 0 and (OTHER_SCALE * size <= sizes[large]).all()]
        if small:
            (mean, most), (other_mean, other_most) = sizes[small[0]], sizes[large]
            first, other = excerpt(small[0]), excerpt(large)
            where = f"On test set{'' if len(small) == 1 else 's'} {name_some(list(map(excerpt, small)))}"
            DataWarning(
                "different-scales",
                f"{where}, {metric} seems to be on another scale than on {other}: in absolute value, scores of "
                f"segments reach {most:.3g} on {first} (mean {mean:.3g}), but {other_most:.3g} on {other} (mean "
                f"{other_mean:.3g}). Every set counts the same in the mean difference, so the larger scale would "
                "almost decide it alone: bring the scores of all sets to one scale, unless they really are on "
                "the same scale.",
                count=len(small),
            ).warn()


def _size_of_scores(family: SegmentStatistics) -> np.ndarray:
    """Return the mean size of a segment's score, and the largest, of all systems; 0 where there are no scores."""
    scores, counts = np.concatenate([values.reshape(-1, 2) for values in family.values.values()]).T
    found = np.abs(scores[counts > 0])
    return np.array([found.mean(), found.max()]) if len(found) else np.zeros(2)


def warn_of_few_sets(n_sets: int, level: float) -> None:
    """Warn that few test sets show little about new ones."""
    if n_sets >= FEW_SETS:
        return
    df = n_sets - 1
    DataWarning(
        "few-sets",
        f"With {n_sets} test sets, only large differences can be shown for new test sets: a mean difference must be "
        f"at least {reach_of_t(df, level):.1f} times its standard error ({tally(df, 'degree')} of freedom), and more "
        "if p is adjusted. More test sets would show more.",
        count=n_sets,
    ).warn()


def warn_of_few_trials_for_sets(settings: Settings, n_pairs: int, n_sets: int) -> None:
    """Warn where no difference on a single test set could be significant, although it could be over all sets."""
    n_comparisons = n_pairs * n_sets
    needed, n_trials = settings.min_trials(n_comparisons), settings.trials
    if settings.min_trials(n_pairs) <= n_trials < needed:
        pairs = "1 pair" if n_pairs == 1 else f"{n_pairs} pairs"
        DataWarning(
            "few-trials",
            f"With {n_trials:,} trials, no difference on a single test set can be called significant among "
            f"{n_comparisons:,} comparisons ({n_sets} test sets, {pairs} of systems), unless all its "
            f"exchanges are enumerated: where single test sets matter, use at least {needed:,} trials.",
            count=n_trials,
        ).warn()
