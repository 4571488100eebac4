"""The glossary: two sentences for every term that results print, in the order of the alphabet."""

import re
from pathlib import Path

import pytest

from mtworkbench import find_shipped
from mtworkbench.cli import main
from mtworkbench.words import calibrations, columns, sentences, sentences_on_equivalence
from mtworkbench.words.document import Table
from mtworkbench.words.scopes import SAME
from mtworkbench.words.shown_frames import INTERVALS, WORDS

TEXT = (Path(__file__).resolve().parent.parent / "docs" / "teaching" / "glossary.md").read_text(encoding="utf-8")
ENTRIES = re.findall(r"^(\*\*.+?\*\*): (.+?)(?=\n\n|\nCell: |\Z)", TEXT, re.M | re.S)
TERMS = {term.casefold().removesuffix(" %") for head, _ in ENTRIES for term in re.findall(r"\*\*(.+?)\*\*", head, re.S)}
#: Words for which nobody needs a glossary, and names of systems, metrics and rules.
PLAIN = set(
    """
    against; against baseline; baseline; documents; length of the output; length of the reference; made up;
    max.; mean; mean width; metric; part of the test set; range; score; score of baseline;
    score of system; score of the other; segments; standard deviation; system; test set; test sets; text;
    true difference; its standard error; scores of the runs; run of baseline;
    deff of the system's score; deff of the other's score
    """.replace("\n", " ").split(";")
)
#: Headings of studies in the notebooks on the papers, which say themselves what these mean.
OF_STUDIES = {
    *("effective size", "gain on fresh segments", "std of fresh samples", "std of resamples"),
    *("mean confidence", "never used", "used once", "used more than once"),
}
NAMES = {"BLEU", "chrF", "tweaked", "retrained", "baseline", "same-beginnings", "short-lines"}


def split(heading):
    """Split a heading into its terms: ``p (Holm, new sets)`` into p, Holm and new sets."""
    heading = re.sub(r"^\d+-gram", "n-gram", heading).removesuffix(" (%)").removesuffix(" %")
    outside, inside = re.sub(r" \(.*?\)", "", heading), re.findall(r" \((.*?)\)", heading)
    terms = [term for part in (outside, *inside) for term in part.split(", ")]
    return [re.sub(r"^\d+ (% |(?=runs$))", "", term) for term in terms]


def lacking(headings):
    """List the terms in headings that the glossary does not explain."""
    plain = {one.strip() for one in PLAIN}
    found = {one for heading in headings if heading not in NAMES for one in split(heading)}
    return sorted(one for one in found if one not in plain | OF_STUDIES | NAMES and one.casefold() not in TERMS)


def test_entries_have_two_sentences_each_and_stand_in_order():
    assert TEXT.count("\n\n**") == len(ENTRIES) >= 60
    firsts = [re.match(r"\*\*(.+?)\*\*", head)[1].casefold() for head, _ in ENTRIES]
    assert firsts == sorted(firsts)
    for head, sentences_of in ENTRIES:
        assert len(re.findall(r"[.](?=\s|$)", sentences_of)) == 2, head
    assert len(TERMS) == sum(len(re.findall(r"\*\*(.+?)\*\*", head, re.S)) for head, _ in ENTRIES), "a term twice"


def test_the_ideas_of_the_class_are_explained():
    ideas = "null hypothesis; p-value; type i error; type ii error; power; effect size; confidence interval; bootstrap"
    ideas += "; permutation; multiple comparisons; unit of analysis; replication; pre-registration"
    ideas += "; significant; segment; sample; seed; run; bleu"
    assert set(ideas.split("; ")) <= TERMS


def test_every_declared_heading_and_verdict_is_explained():
    declared = [one.heading for one in (*columns.SYSTEMS, *columns.DIFFERENCES, *columns.VERDICTS)]
    headings = [one for one in declared if isinstance(one, str)]
    assert len(headings) >= 15
    verdicts = [sentences.NOT_SHOWN, sentences.ONLY_ALONE, sentences.NOT_TESTED, *SAME, sentences.IF_ALIKE]
    verdicts += [sentences_on_equivalence.CANNOT_TELL, calibrations.TOO_OFTEN, calibrations.SELDOM]
    verdicts += ["better", "worse", "higher", "lower", "undecided", "equal within"]
    assert (
        lacking([*headings, *verdicts, columns.WITHOUT, *columns.SHORT_P, *WORDS.values(), *INTERVALS.values()]) == []
    )


@pytest.fixture
def headings(monkeypatch):
    """The headings of all tables that are laid out."""
    seen = set()
    make = Table.__init__

    def listen(self, columns, *arguments, **options):
        seen.update(part for key in columns for part in (key if isinstance(key, tuple) else (key,)) if part)
        make(self, columns, *arguments, **options)

    monkeypatch.setattr(Table, "__init__", listen)
    return seen


def sample_options():
    data = find_shipped("data/sample")
    options = ["--reference", str(data / "reference.txt"), "--documents", str(data / "documents.txt"), "--rng", "1"]
    for name in ("baseline", "tweaked", "retrained"):
        options += ["--system", f"{name}={data / name}.run*.txt"]
    return options


@pytest.mark.parametrize(
    "command",
    [
        "compare --details --metric bleu --metric chrf --baseline baseline --trials 99",
        "compare --details --margin 0.5 --trials 99",
        "compare --conventions --baseline baseline --trials 99",
        "variance --details",
        "units --trials 99",
        "plan --baseline baseline --difference 0.5",
        "plan --baseline baseline --margin 0.5",
    ],
)
def test_every_heading_that_a_result_prints_is_explained(headings, command, capsys):
    name, *options = command.split()
    assert main([name, *options, *sample_options()]) == 0
    assert capsys.readouterr().out
    assert headings
    assert lacking(headings) == []


def test_every_heading_of_a_calibration_is_explained(headings, capsys):
    data = find_shipped("data/sample")
    files = [str(data / f"{name}.txt") for name in ("reference", "baseline.run1", "tweaked.run1")]
    assert main(["calibrate", *files, "--repetitions", "50", "--rng", "1"]) == 0
    assert "covered %" in headings
    assert lacking(headings) == []


def test_every_heading_over_test_sets_is_explained(headings, tmp_path, capsys):
    data, rows = find_shipped("data/sample"), ["set\treference\tsystem\tfiles"]
    for number in range(3):
        for name in ("reference", "baseline.run1", "baseline.run2", "tweaked.run1", "tweaked.run2"):
            lines = (data / f"{name}.txt").read_text(encoding="utf-8").splitlines()[100 * number : 100 * number + 100]
            (tmp_path / f"{number}.{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        for name in ("baseline", "tweaked"):
            rows.append(f"set{number}\t{number}.reference.txt\t{name}\t{number}.{name}.run*.txt")
    (tmp_path / "campaign.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    for options in (["--baseline", "baseline"], ["-m", "bleu", "chrf"]):
        campaign = [
            "compare",
            "--test-sets",
            str(tmp_path / "campaign.tsv"),
            "--details",
            "--trials",
            "99",
            "--rng",
            "1",
        ]
        assert main([*campaign, *options]) == 0
    assert {"one new set", "better on"} <= headings
    assert lacking(headings) == []
