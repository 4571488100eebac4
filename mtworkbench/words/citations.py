"""The sources of a comparison's methods: those that its paragraph names, and their entries in BibTeX.

A sentence names a source in brackets where it names the method, as ``(Koehn, 2004)``. The entries are in
``sources.bib``; papers of the ACL Anthology have its keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from mtworkbench.results.campaigns import CampaignComparison
from mtworkbench.results.comparisons import Comparison, MetricComparison
from mtworkbench.words.paragraphs import describe_comparison

# The accents that names have in sources.bib.
_ACCENTS = {r"{\'c}": "ć"}


@dataclass(frozen=True)
class Source:
    """A publication.

    Parameters
    ----------
    key : str
        By which LaTeX cites it: ``koehn-2004-statistical``.
    cited_as : str
        How sentences name it: ``Koehn, 2004``.
    entry : str
        Its entry in BibTeX, without a line break at the end.
    """

    key: str
    cited_as: str
    entry: str


def cite(comparison: Comparison | MetricComparison | CampaignComparison) -> list[Source]:
    """Return the sources that `describe_comparison` names, in the order in which it does.

    Parameters
    ----------
    comparison : Comparison, MetricComparison or CampaignComparison
        The sentence on one metric alone names no method, so it has no sources.

    Returns
    -------
    list of Source

    Raises
    ------
    InputError
        Where it is something else (``not-a-comparison``).
    """
    return find_sources(describe_comparison(comparison))


def write_bibtex(comparison: Comparison | MetricComparison | CampaignComparison) -> str:
    r"""Write the entries of the sources that `describe_comparison` names, for a ``.bib`` file.

    Parameters
    ----------
    comparison : Comparison, MetricComparison or CampaignComparison

    Returns
    -------
    str
        The entries in the order in which the paragraph names them, an empty line between two of them. BibTeX reads
        them without a package; the paragraph's ``\citep`` needs natbib.

    Raises
    ------
    InputError
        Where it is something else (``not-a-comparison``).
    """
    return write_entries(cite(comparison))


def write_entries(sources: Iterable[Source]) -> str:
    """Write entries one below the other; each ends with a line break."""
    return "\n".join(f"{source.entry}\n" for source in sources)


def find_sources(text: str) -> list[Source]:
    """Return the sources that a text names in brackets, each once, in the order in which it does."""
    known = {source.cited_as: source for source in read_sources()}
    names = [name for bracket in split_at_citations(text)[1::2] for name in bracket.split("; ")]
    return [known[name] for name in dict.fromkeys(names)]


def split_at_citations(text: str) -> list[str]:
    """Split a text into what stands before, between and after citations, and what these have in their brackets.

    The space before a citation belongs to neither. Every other part, from the second on, is a citation.
    """
    name = "|".join(re.escape(source.cited_as) for source in read_sources())
    return re.split(rf" \(((?:{name})(?:; (?:{name}))*)\)", text)


@lru_cache(maxsize=1)
def read_sources() -> tuple[Source, ...]:
    """Read all sources that sentences can name."""
    entries = Path(__file__).with_name("sources.bib").read_text(encoding="utf-8").strip().split("\n\n")
    return tuple(_read_entry(entry) for entry in entries)


def _read_entry(entry: str) -> Source:
    fields = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", entry, flags=re.MULTILINE))
    authors = fields["author"]
    for accent, letter in _ACCENTS.items():
        authors = authors.replace(accent, letter)
    first, *others = [name.partition(",")[0] for name in authors.split(" and ")]
    names = f"{first} et al." if len(others) > 1 else " and ".join([first, *others])
    return Source(re.findall(r"^@\w+\{(.*),$", entry, flags=re.MULTILINE)[0], f"{names}, {fields['year']}", entry)
