"""What is odd about the texts of a system or a reference: what every check of meaning returns.

An oddity becomes a warning of the reader, which names files and lines, and a doubt of the result, which names systems
and segments. Both sentences are written here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from mtworkbench.assumptions import BREAKS, GRAVITIES, INFORMS, MAY_CHANGE, Doubt
from mtworkbench.outputs.checks.report import Notice, Report
from mtworkbench.outputs.checks.segments import Corpus, Segments
from mtworkbench.wording import grouped, listed

#: So many segments of a doubt are named as those to look at.
TO_LOOK_AT = 10
#: From this share of the segments on, characters or empty outputs as they are in most files may change a verdict.
NOTEWORTHY_SHARE = 0.01


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of thing that can be odd: what it is, what follows, and what to do.

    Parameters
    ----------
    code : str
        The one that ``accept`` takes.
    what : str
        What texts do that have it; continues "3 of 100 segments of X".
    consequence : str
        What is wrong with the scores if this is what it seems, in sentences.
    advice : str
        What to do about it, in sentences.
    gravity : {"breaks the comparison", "may change the verdict", "for information"}
    """

    code: str
    what: str
    consequence: str
    advice: str
    gravity: str = field(default=MAY_CHANGE, kw_only=True)

    @property
    def shared(self) -> dict[str, Any]:
        """What all oddities of the kind have in common; two that have the same are said in one sentence."""
        return {one.name: getattr(self, one.name) for one in fields(Kind)}

    def found_in(self, segments: Segments, positions: Iterable[int], **more: Any) -> Oddity:
        """Say it of some texts; ``more`` are other fields of the oddity, which go before those of the kind."""
        return Oddity(**self.shared | {"segments": segments, "positions": [*positions]} | more)


@dataclass(frozen=True, eq=False)
class Oddity(Kind):
    """What is odd about one file or column: it becomes a warning of the reader and a doubt of the result.

    Parameters
    ----------
    segments : Segments
        The texts of one run, of a reference or of the source.
    positions : sequence of int
        Of the segments that do it, counted from 0, in rising order; none where it is not a matter of single segments.
        The sentence is then "X " and what it does.
    alike : sequence of Segments
        Further texts that it is as much about, such as those that are identical to these.
    detail : str
        What is said of these texts alone, in brackets; several files with the same oddity are joined in one sentence.
    look_at : sequence of int
        Those of the positions that show it best, the best first; none where the first ones do as well.
    """

    segments: Segments
    positions: Sequence[int]
    alike: Sequence[Segments] = ()
    detail: str = ""
    look_at: Sequence[int] = ()

    def find_telling(self, most: int) -> list[int]:
        """Return at most so many positions to look at: those that show it best, in rising order."""
        return sorted(list(dict.fromkeys([*self.look_at, *self.positions]))[:most])

    @property
    def of(self) -> list[Segments]:
        """All texts that it is about."""
        return [self.segments, *self.alike]

    def notice(self) -> Notice:
        """Say it of files and lines, as a warning does."""
        segments, count = self.segments, len(self.positions)
        follows = " ".join(filter(None, (self.consequence, self.advice)))
        detail = f" ({self.detail})" if self.detail else ""
        name = listed([one.label for one in self.of])
        line = segments.line(self.positions[0]) if count else None
        if count:
            where = f", the first in {segments.unit} {line:,}" if count < len(segments) or line != 1 else ""
            message = f"{say_count(count, len(segments), name)} {self.what}{detail}{where}. {follows}"
            together = f"{{count}} segments of {{places}} inputs ({{list}}) {self.what}. {follows}"
        else:
            message = f"{name} {self.what}{detail}. {follows}"
            together = f"{{places}} inputs: each {self.what} ({{list}}). {follows}"
        whose = " = ".join(one.label for one in self.of)
        return Notice(self.code, message.strip(), segments.path, line, count or None, whose, together.strip())


_WRONG_REFERENCES = "so these segments are scored against the wrong references."
#: Those that are in no table of a check: see also `TRAITS`, `CONTRASTS` and `check_characters`.
KINDS = {one.code: one for one in (
    Kind("all-empty", "are empty", "There is nothing to score.", "Give the output, or leave the system out.",
         gravity=BREAKS),
    Kind("empty-hyp", "are empty", "They are scored as empty translations.", ""),
    Kind("hyp-is-ref", "are identical to a reference", "A reference may have been given in place of an output.",
         "Give the output, or leave the system out.", gravity=BREAKS),
    Kind("identical-runs", "are identical, although runs should differ",
         "Copies make the variation between runs look smaller than it is.", "Give each run once."),
    Kind("identical-systems", "are identical", "No test can distinguish these systems.",
         "Check that no file was given in place of another."),
    Kind("same-references", "are identical (more than expected)",
         "A copy of a reference adds nothing, so there are fewer references than it seems.",
         "Give each reference once.", gravity=BREAKS),
    Kind("reference-lines", "are identical to a reference (more than expected)",
         "These lines get perfect scores, so the score of the system is too high.",
         "Find out how the reference came into the output, or whether the reference was made from it.", gravity=BREAKS),
    Kind("hyp-is-source", "are identical to the source", "The source may have been given in place of an output.",
         "Give the output, or leave the system out.", gravity=BREAKS),
    Kind("reference-is-source", "are identical to the source",
         "A file may have been given in place of another, or these lines were not translated.",
         "Give the files in their roles, and translate what was not translated.", gravity=BREAKS),
    Kind("lines-of-another", "are identical (more than expected)",
         "One of the two may have been scored in part on the output of the other. But variants of one system share "
         "lines, too.", "Find out whether one system has lines of the other, and which one."),
    Kind("suspected-shift", "match the reference of an earlier or later segment",
         f"A line was lost or added, or parts are in another order, {_WRONG_REFERENCES}",
         "Find where the shift begins, and align the file again.", gravity=BREAKS),
    Kind("suspected-order", "match the reference of another segment",
         f"The lines are in a different order from the reference, {_WRONG_REFERENCES}",
         "Put the lines in the order of the reference.", gravity=BREAKS),
    *(Kind(f"same-{side}", f"{verb} in the same way as many others, but hardly any reference does",
           "Added text is scored as words.", "Remove what is not part of the translation.")
      for side, verb in (("beginnings", "begin"), ("ends", "end"))),
    Kind("tokenization", "have a space before full stops or commas, but their references do not",
         "Metrics then see different words in outputs and references.",
         "Detokenize whatever is tokenized, and compare raw text with raw text."),
    Kind("all-lower-case", "have no capital letter",
         "Errors of case do not count in scores, which are higher than those of the original text.",
         "Use the original text if there is one.", gravity=INFORMS),
)}  # fmt: skip


def say_count(count: int, total: int, name: str) -> str:
    """Say how many segments of something there are: continues with what these do."""
    return f"{count:,} of {total:,} segments of {name}"


def weigh_share(count: int, total: int) -> str:
    """Return the gravity of what a few segments of most files have: for information, unless many have it."""
    return MAY_CHANGE if count >= NOTEWORTHY_SHARE * total else INFORMS


def notice_oddities(oddities: Iterable[Oddity], report: Report) -> None:
    """Have oddities noticed, those that are accepted without a warning."""
    report.add(one.notice() for one in oddities if not report.accepts(one.code))


def make_doubts(
    oddities: Iterable[Oddity], corpus: Corpus, numbers: Sequence[int] | np.ndarray, accepted: Collection[str]
) -> tuple[Doubt, ...]:
    """Make doubts of oddities, the gravest first: one per system and kind, whatever the number of its runs.

    Parameters
    ----------
    oddities : iterable of Oddity
    corpus : Corpus
    numbers : sequence of int
        The number of each segment.
    accepted : collection of str
        The codes of those that the user accepts.
    """
    several = len(corpus.references) > 1
    others = {one: f"reference {i}" if several else "the reference" for i, one in enumerate(corpus.references, start=1)}
    if corpus.source is not None:
        others[corpus.source] = "the source"
    systems_of = {run: list(dict.fromkeys(names)) for run, names in grouped((b, a) for a, b in corpus.runs).items()}
    found = grouped(((tuple(one.shared.values()), _name_systems(one, systems_of)), one) for one in oddities)
    doubts = [_make_doubt(ones, systems, others, numbers, accepted) for (_, systems), ones in found.items()]
    return tuple(sorted(doubts, key=lambda one: GRAVITIES.index(one.gravity)))


def _name_systems(oddity: Oddity, systems_of: Mapping[Segments, list[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for one in oddity.of for name in systems_of.get(one, ())))


def _make_doubt(
    ones: Sequence[Oddity],
    systems: tuple[str, ...],
    others: Mapping[Segments, str],
    numbers: Sequence[int] | np.ndarray,
    accepted: Collection[str],
) -> Doubt:
    """Make one doubt of the same oddity of several runs, or references."""
    first = ones[0]
    n_found, n_segments = sum(len(one.positions) for one in ones), sum(len(one.segments) for one in ones)
    positions = sorted({position for one in ones for position in one.find_telling(TO_LOOK_AT)})
    segments = tuple(int(numbers[position]) for position in positions[:TO_LOOK_AT])
    name = listed(systems or dict.fromkeys(others.get(one.segments, one.segments.label) for one in ones))
    detail = f" ({first.detail})" if first.detail and len(ones) == 1 else ""
    where = ""
    if 0 < n_found < n_segments:
        where = f", the first in segment {numbers[min(one.positions[0] for one in ones)]:,}"
    subject = say_count(n_found, n_segments, name) if n_found else name
    return Doubt(
        **first.shared,
        sentence=f"{subject} {first.what}{detail}{where}.",
        systems=systems,
        n_found=n_found,
        n_segments=n_segments,
        segments=segments,
        accepted=first.code in accepted,
    )
