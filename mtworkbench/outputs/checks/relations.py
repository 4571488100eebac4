"""Checks that relate outputs to references, source and each other; their results are kept in the cache.

Such checks take longer than all others together. What they find depends on nothing but the texts, so a second look, at
an outputs frame that was made of them, would find the same.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from mtworkbench.cache import Cache, digest_code
from mtworkbench.errors import DataWarning
from mtworkbench.outputs.checks.affixes import (
    Affixes,
    are_formulaic,
    find_alike,
    find_most,
    judge_affixes,
    make_oddities,
)
from mtworkbench.outputs.checks.background import find_background
from mtworkbench.outputs.checks.contrasts import CONTRASTS, Compared, Contrasts
from mtworkbench.outputs.checks.copied_lines import digest_lines, find_copied, find_halves
from mtworkbench.outputs.checks.misplaced import find_misplaced, find_places
from mtworkbench.outputs.checks.oddities import KINDS, Oddity
from mtworkbench.outputs.checks.profiles import Space, read_profile
from mtworkbench.outputs.checks.segments import Corpus, Segments
from mtworkbench.outputs.checks.traits import Traits
from mtworkbench.wording import grouped

#: Of fewer lines, nothing but their order can be told: it takes four lines to be odd, which are more than 10 % of them.
_FEWEST = 40
#: Texts of fewer different words are made up, and no sample of a language.
_FEWEST_WORDS = 150
#: From this share of lines out of place on, hardly any need be in place.
_MOSTLY = 0.1
_ORDER = ("suspected-shift", "suspected-order")
_GRAVE = ("hyp-is-source", "reference-is-source", *_ORDER, "same-references", "reference-lines", "lines-of-another")
_AFFIXES = ("same-beginnings", "same-ends")
#: What explains a line best comes first: of one that is in another order, nothing is said but that.
_TELLING = tuple(
    dict.fromkeys((*_GRAVE, "only-marks", "repeated-lines", "loops", *_AFFIXES, *(one.code for one in CONTRASTS)))
)
#: What may follow from a text that was added to a line.
_OF_ADDED = (
    "same-ends", "enclosed-lines", "signs", "loops", "other-script", "other-language", "other-spaces", "double-spaces",
    "long-lines", "unrelated-lines", "numbers", "zeros",
)  # fmt: skip
#: Broken words look like almost anything, but not like another case.
_OF_BROKEN_WORDS = tuple(
    code for code in _TELLING if code not in (*_GRAVE, "repeated-lines", "lower-case", "upper-case", "title-case")
)
#: How text is written: of one line several may be true, and each explains only these.
_FOLLOWING = {
    "tokenization": (),
    "normalization": ("no-diacritics",),
    "html-entities": ("signs", *_AFFIXES, "enclosed-lines"),
    "bpe-pieces": _OF_BROKEN_WORDS,
    "sentencepiece-pieces": _OF_BROKEN_WORDS,
    "json-escapes": _OF_BROKEN_WORDS,
    "mixed-scripts": _OF_BROKEN_WORDS,
    "mojibake": _OF_BROKEN_WORDS,
    "same-beginnings": (*_OF_ADDED, "low-beginnings"),
    "same-ends": (*_OF_ADDED, "no-end-mark"),
    "enclosed-lines": ("signs", "low-beginnings", "no-end-mark"),
    "signs": ("other-spaces", "double-spaces", "loops"),
    "other-spaces": ("double-spaces", "no-spaces"),
    "double-spaces": (),
    "upper-case": ("title-case",),
    "lower-case": ("low-beginnings",),
    "title-case": (),
    "no-diacritics": (),
    "no-punctuation": ("no-end-mark",),
    "zeros": ("numbers",),
    "number-separators": (),
}


def find_odd_lines(corpus: Corpus, traits: Traits | None = None) -> list[Oddity]:
    """Find what is odd about the meaning of texts: of each output against the references and against the others.

    Each file is gone through once, one after another.

    Parameters
    ----------
    corpus : Corpus
    traits : Traits, optional
        With it, nothing more is said of lines that traits explain, or copies. It looks at each file here, too, because
        the texts of an output may be read again for each look.
    """
    runs = list({run: (system, run) for system, run in corpus.runs}.values())
    space = Space()
    known = None if corpus.source is None else read_profile(corpus.source, space)
    profiles = [read_profile(one, space) for one in corpus.references]
    background = find_background(profiles, known)
    halves = find_halves(profiles[0])
    references = [Affixes.of(one) for one in profiles]
    common = find_most(references + ([] if known is None else [Affixes.of(known)]))
    contrasts = Contrasts(background)
    places = find_places(profiles[0])
    misplaced = [oddity for one in profiles[1:] for oddity in find_misplaced(Compared(one, background), places)]
    digests, affixes, alike = [], [], []
    for system, run in runs:
        profile = read_profile(run, space)
        compared = Compared(profile, background)
        contrasts.look_at(compared)
        misplaced += find_misplaced(compared, places)
        digests.append((system, digest_lines(profile, halves)))
        affixes.append(own := Affixes.of(profile))
        is_tokenized = traits is not None and traits.find_tokenization(run) is not None
        alike.append(find_alike(profile, own, common, background, len(runs), references, is_tokenized=is_tokenized))
        del profile, compared  # before the next one is read
    words = profiles[0].words  # the first of them are mostly enough to tell
    if len(profiles[0]) < _FEWEST or all(len(np.unique(some)) < _FEWEST_WORDS for some in (words[:5000], words)):
        return misplaced
    noticed = [] if traits is None else _find_noticed(corpus, traits)
    found = [*misplaced, *contrasts.judge()]
    if not are_formulaic(references[0], affixes):
        of_runs = find_most(affixes)
        for profile, own in zip(profiles, references, strict=True):
            common_there = find_alike(profile, own, of_runs, None, len(runs), affixes)
            found += make_oddities(profile.segments, common_there, "output")
        found += judge_affixes(affixes, alike)
        of_references = [digest_lines(one, halves) for one in profiles]
        of_source = None if known is None else digest_lines(known, halves)
        found += find_copied(digests, of_references, of_source, background)
    odd = _leave_out_mirrored(_leave_out_explained(found, noticed), noticed, corpus.hypotheses)
    return [*odd, *contrasts.find_lower_case()]


def _find_noticed(corpus: Corpus, traits: Traits) -> list[Oddity]:
    return [*traits.find(), *find_copies(corpus)]


def _leave_out_explained(found: Sequence[Oddity], noticed: Sequence[Oddity]) -> list[Oddity]:
    """Leave out what is odd about lines of which something is said already that explains it."""
    explained: dict[Segments, list[tuple[str, set[int]]]] = {}
    throughout = set()
    for one in noticed:
        if one.alike:
            continue  # files that are identical, or lines of them, may be odd in the same way
        explained.setdefault(one.segments, []).append((one.code, set(one.positions)))
        if not one.positions:
            throughout.add(one.segments)
    kept = []
    for one in sorted(found, key=_rank):
        if one.segments in throughout and not one.alike and one.code not in _GRAVE:
            continue
        said = explained.setdefault(one.segments, [])
        seen = set().union(*(positions for code, positions in said if _explains(code, one.code)))
        if 2 * len(seen.intersection(one.positions)) < len(one.positions):
            if not one.alike:
                said.append((one.code, set(one.positions)))
            kept.append(one)
        if one.code in _ORDER and len(one.positions) > _MOSTLY * len(one.segments):
            throughout.add(one.segments)  # those of its lines that cannot be recognized are no more in place
    return kept


def _explains(said: str, code: str) -> bool:
    """Tell whether what is said of lines explains something else: how text is written explains only what follows."""
    return code in _FOLLOWING[said] if said in _FOLLOWING else True


def _leave_out_mirrored(found: Sequence[Oddity], noticed: Sequence[Oddity], runs: Sequence[Segments]) -> list[Oddity]:
    """Leave out what is odd about lines of references because those of outputs are."""
    of_outputs = [one for one in (*noticed, *found) if one.segments in runs]
    lines = {position for one in of_outputs for position in one.positions}
    throughout = {one for oddity in of_outputs if not oddity.positions for one in oddity.of}
    return [
        one
        for one in found
        if one.segments in runs
        or one.code in _GRAVE
        or (2 * len(lines.intersection(one.positions)) < len(one.positions) and not throughout.issuperset(runs))
    ]


def _rank(one: Oddity) -> int:
    return _TELLING.index(one.code) if one.code in _TELLING else len(_TELLING)


# Computed at import, because a running program keeps its old code when the files change.
_CODE = digest_code(Path(__file__).parent)
# What was found in texts that this process has looked at: statistics are computed of texts that were read before.
_seen: dict[bytes, list[dict[str, Any]]] = {}
_MOST_SEEN = 20


def find_relations(corpus: Corpus) -> tuple[list[Oddity], list[DataWarning]]:
    """Find files that are not what they seem, copies, and outputs in another order than the reference.

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    oddities : list of Oddity
    warnings : list of DataWarning
        About the cache.
    """
    texts = corpus.texts
    described = _describe(corpus)
    if (known := _seen.get(described)) is not None:
        return [_restore(one, texts) for one in known], []
    cache = Cache("check results")
    look = partial(_look, corpus)
    if cache.is_on and _CODE is not None:
        found = cache.find(described, json.loads)
        if found is None:
            found = cache.make(described, look, lambda found: json.dumps(found).encode())
    else:
        found = look()
    _seen[described] = found
    while len(_seen) > _MOST_SEEN:
        del _seen[next(iter(_seen))]
    return [_restore(one, texts) for one in found], cache.warnings()


def _look(corpus: Corpus) -> list[dict[str, Any]]:
    """Look for all oddities; in what is returned, texts are their numbers, so that it can be kept."""
    traits = Traits(corpus)
    odd = find_odd_lines(corpus, traits)  # first, because it lets `traits` look at each file while its texts are held
    found = [*_find_noticed(corpus, traits), *odd]
    number = {one: i for i, one in enumerate(corpus.texts)}
    return [
        vars(one)
        | {"segments": number[one.segments], "alike": [number[other] for other in one.alike]}
        | {"positions": list(map(int, one.positions))}
        for one in found
    ]


def _restore(kept: dict[str, Any], texts: Sequence[Segments]) -> Oddity:
    alike = [texts[number] for number in kept["alike"]]
    return Oddity(**kept | {"segments": texts[kept["segments"]], "alike": alike})


def _describe(corpus: Corpus) -> bytes:
    """Return everything that the oddities depend on; what files are called is said when they are said."""
    number = {one: i for i, one in enumerate(corpus.texts)}
    described = {
        "code": [_CODE, sys.version],
        "texts": [one.digest.hex() for one in number],
        "references": [number[one] for one in corpus.references],
        "runs": [[system, number[run]] for system, run in corpus.runs],
        "source": None if corpus.source is None else number[corpus.source],
    }
    return json.dumps(described).encode()


def find_copies(corpus: Corpus) -> Iterator[Oddity]:
    """Find a system that is a reference, and systems or runs that are byte-identical."""
    known = {one.digest for one in corpus.references}
    groups = grouped((run.digest, (system, run)) for system, run in corpus.runs)
    for run in (run for run in corpus.hypotheses if run.digest in known):
        yield KINDS["hyp-is-ref"].found_in(run, range(len(run)))
    for group in groups.values():
        by_system = grouped(group)
        for same in by_system.values():
            if len(same) > 1:
                yield KINDS["identical-runs"].found_in(same[0], range(len(same[0])), alike=same[1:])
        if len(by_system) > 1:
            first, *others = (same[0] for same in by_system.values())
            yield KINDS["identical-systems"].found_in(first, range(len(first)), alike=others)
