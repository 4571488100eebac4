"""What the tables of claims put in quotation marks is in the papers, word for word, in the section that they name."""

import re

import pytest

from mtworkbench.papers.clark2011 import claims
from mtworkbench.papers.common.claims import read_sentences

#: How the sections of the papers begin, in the scanned texts.
CLARK = {
    "§1": "1 Introduction", "§3": "3 Related", "§4.1": "4.1 Extraneous", "§4.2": "4.2 Comparing", "§5": "5 Discussion",
    "footnote 1": "1We hypothesize", "footnote 6": "6Unlike actually",
}  # fmt: skip
KOEHN = {
    "§1": "1 Introduction", "§2.3": "2.3 BLEU", "§3.3": "3.3 Broad", "§3.4": "3.4 Comparison",
    "Fig. 1": "Figure 1: Effect", "§4": "4 Statistical Significance",
    "§5": "5 Bootstrap", "§6": "6 Paired", "§7.1": "7.1 95%", "§7.2": "7.2 Other", "§8": "8 Summary",
}  # fmt: skip
#: All headings end the section before them; tables and footnotes may stand anywhere.
ENDS = ("2 Nondeterminism", "3 Related", "4 Experiments", "2 Background", "3 Experimental", "3.4 Comparison",
        "7 Validation", "References")  # fmt: skip


def plain(text):
    """Join what the scan has divided, and write quotation marks and variables in one way."""
    text = re.sub(r"-\n+(?=[a-z])", "", text)
    text = re.sub(r"\bs(test|dev|sel)\b", r"s_\1", text)
    return re.sub(r"\s+", " ", text.translate(str.maketrans("“”‘’*", '"""" '))).replace("  ", " ")


def section_of(text, begin, headings):
    start = text.index(begin)
    # The scan has footnotes in the middle of sections.
    others = [heading for heading in (*headings, *ENDS) if heading[1] in " ."]
    ends = [place for heading in others if (place := text.find(heading, start + 1)) > 0]
    return text[start : min(ends, default=len(text))]


@pytest.mark.parametrize(
    ("paper", "sections", "quoted"),
    [
        (
            "clark2011.txt",
            CLARK,
            [
                *[(one.section, one.quotation) for one in read_sentences("clark2011")],
                (claims.OPTIMIZER[1], claims.OPTIMIZER[0]),
            ],
        ),
        ("koehn2004.txt", KOEHN, [(one.section, one.quotation) for one in read_sentences("koehn2004")]),
    ],
    ids=["clark2011", "koehn2004"],
)
def test_quotations_are_in_their_sections(shared, paper, sections, quoted):
    text = plain((shared / "papers" / paper).read_text(encoding="utf-8"))
    missing = [
        (section, quotation)
        for section, quotation in quoted
        if plain(quotation) not in section_of(text, sections[section.removesuffix(", Table 2")], sections.values())
    ]
    assert missing == []
