"""Files that are read without complaint and mean something else: all checks of meaning together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mtworkbench.outputs.checks.affixes import Affix, are_formulaic, count_affixes, find_alike, judge_affixes, make_oddities, share_formulaic
from mtworkbench.outputs.checks.background import find_background
from mtworkbench.outputs.checks.contrasts import Compared, Contrasts
from mtworkbench.outputs.checks.copied_lines import digest_lines, find_copied, find_halves
from mtworkbench.outputs.checks.misplaced import find_misplaced, find_places
from mtworkbench.outputs.checks.oddities import Oddity
from mtworkbench.outputs.checks.profiles import read_profile
from mtworkbench.outputs.checks.segments import Segments


def find_oddities(
    references: Sequence[Segments], runs: Sequence[tuple[str, Segments]], source: Segments | None
) -> list[Oddity]:
    """Find what is odd about the meaning of texts: of each output against the references and against the others.

    Each file is gone through once, one after another.

    Parameters
    ----------
    references : sequence of Segments
    runs : sequence of (str, Segments)
        Every run with the name of its system.
    source : Segments or None
    """
    known = None if source is None else read_profile(source)
    profiles = [read_profile(one) for one in references]
    background = find_background(profiles, known)
    halves = find_halves(profiles[0])
    affixes_of_references = [count_affixes(one) for one in profiles]
    common = _most(affixes_of_references + ([] if known is None else [count_affixes(known)]))
    formulaic = []
    contrasts = Contrasts(background)
    places = find_places(profiles[0])
    misplaced = [oddity for one in profiles[1:] for oddity in find_misplaced(Compared(one, background), places)]
    digests, affixes, alike = [], [], []
    for system, run in runs:
        profile = read_profile(run)
        compared = Compared(profile, background)
        contrasts.look_at(compared)
        misplaced += find_misplaced(compared, places)
        digests.append((system, digest_lines(profile, halves)))
        affixes.append(count_affixes(profile))
        formulaic.append(share_formulaic(profile))
        alike.append(find_alike(profile, affixes[-1], common, background))
    segments = [run for _, run in runs]
    of_runs = _most(affixes)
    found = [*misplaced, *contrasts.judge()]
    if are_formulaic(share_formulaic(profiles[0]), formulaic):
        return found
    for profile, counts in zip(profiles, affixes_of_references, strict=True):
        found += make_oddities(profile.segments, find_alike(profile, counts, of_runs, None), "as hardly any output does")
    found += judge_affixes(segments, affixes, alike)
    known_digests = None if known is None else digest_lines(known, halves)
    found += find_copied(digests, [digest_lines(one, halves) for one in profiles], known_digests, background)
    return found


def _most(counts: Sequence[Mapping[Affix, int]]) -> dict[Affix, int]:
    most: dict[Affix, int] = {}
    for one in counts:
        most |= {affix: max(count, most.get(affix, 0)) for affix, count in one.items()}
    return most
