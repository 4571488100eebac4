"""Files that are well-formed and wrong: how they are made, what counts as found, and the page about them."""

import re
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.damage.alarms import Judgement, find_judgement, read_judgements
from benchmarks.damage.damages import DAMAGES, KINDS, Damage, scattered, wrapped
from benchmarks.damage.measure import make_wrong, notice, try_damages
from benchmarks.damage.page import RESULTS, describe_cases
from benchmarks.damage.texts import TestSet, read_shipped
from mtworkbench.outputs.checks.report import ACCEPTABLE

ROOT = Path(__file__).parent.parent
BY_CODE = {damage.code: damage for damage in DAMAGES}


@pytest.fixture(scope="module")
def shipped():
    return read_shipped()


def make_texts(n=60):
    """Make texts that have everything that a damage may change, and differ from each other."""
    draws = np.random.default_rng(1)
    text = 'Größenordnung wächst überall, während Zahlen wie 1,234.5 & <b> "genau" ‘stehen’ – nicht “immer”: weil\'s'
    words = text.split()

    def write():
        return [" ".join(draws.permutation(words)) + "." for _ in range(n)]

    return TestSet("made", [write()], {"a": write(), "b": write()}, write(), write(), write(), write())


@pytest.mark.parametrize("code", BY_CODE)
def test_every_damage_changes_its_file_and_no_other(code):
    damage, texts = BY_CODE[code], make_texts()
    made = make_wrong(texts, damage, damage.shares[-1])
    assert made is not None
    wrong, damaged = made
    assert make_wrong(texts, damage, damage.shares[-1]) == made
    changed = {name for name, lines in texts.systems.items() if wrong.systems[name] != lines}
    assert changed == ({damaged} if damage.of == "output" else set())
    assert (wrong.references != texts.references) == (damage.of in ("reference", "second reference"))
    assert (wrong.source != texts.source) == (damage.of == "source")
    files = [*wrong.systems.values(), *wrong.references, wrong.source]
    assert {len(lines) for lines in files} == {60}
    assert all("\n" not in line for lines in files for line in lines)


def test_a_share_is_of_the_lines_that_differ_afterwards():
    """Half of the lines are in lower case already."""
    texts = make_texts(100)
    texts.systems["a"][:50] = texts.systems["b"][:50] = ["klein"] * 50
    wrong, damaged = make_wrong(texts, BY_CODE["lower-case"], 0.3)
    assert sum(map(str.__ne__, wrong.systems[damaged], texts.systems[damaged])) == 30


def test_what_cannot_be_made_is_no_case():
    texts = make_texts()
    texts.systems.update(a=["klein"] * 60, b=["klein"] * 60)
    assert make_wrong(texts, BY_CODE["lower-case"], 0.05) is None
    assert make_wrong(read_shipped(), BY_CODE["source-stretch"], 0.05) is None


def test_there_are_enough_ways_and_kinds_name_codes_of_the_readers():
    assert len(BY_CODE) == len(DAMAGES) >= 60
    assert {kind for damage in DAMAGES for kind in damage.kinds} <= set(KINDS)
    assert {code for codes in KINDS.values() for code in codes} <= set(ACCEPTABLE)


class TestCounting:
    FOUND = ("bpe", "zero-width", "shifted-to-the-end", "empty-stretch", "entities-twice", "halves-swapped")

    def test_a_handful_on_the_outputs_that_ship(self, shipped):
        damages = [BY_CODE[code] for code in self.FOUND]
        cases = list(try_damages([shipped], damages, [0.1]))
        assert [case.damage for case in cases if case.found] == list(self.FOUND)
        assert {(case.test_set, case.n_sound, case.share) for case in cases} == {("flores", 1, 0.1)}

    def test_the_stored_cases_are_those_that_are_made(self, shipped):
        """What is taken from other test sets is not compared, because they may not be there."""
        damages = [BY_CODE[code] for code in ("reference-stretch", "empty-scattered", "sorted")]
        made = pd.DataFrame(map(asdict, try_damages([shipped], damages)))
        stored = pd.read_csv(RESULTS / "cases.csv", keep_default_na=False)
        stored = stored[(stored["test_set"] == "flores") & stored["damage"].isin(made["damage"])]
        assert len(stored) > 2
        made = made.merge(stored[["damage", "share"]])  # each share was tried on some test sets only
        pd.testing.assert_frame_equal(made, stored.reset_index(drop=True), atol=0.011, rtol=0)

    def test_what_was_said_before_does_not_count(self, shipped):
        """The system has entities already, and is named for them again."""
        texts = make_texts()
        texts.systems["a"][:] = [line + " &quot;" for line in texts.systems["a"]]
        texts.systems["b"][:] = [line + " &quot;" for line in texts.systems["b"]]
        assert {name for code, name in notice(texts) if code == "html-entities"} == {"a", "b"}
        again = Damage("again", "have entities", ("entities",), scattered(wrapped("", " &amp;")))
        [case] = try_damages([texts], [again], [0.5])
        assert not case.found
        assert case.codes == ""

    def test_more_segments_than_before_count(self):
        texts = make_texts()
        for lines in texts.systems.values():
            lines[0] += " &quot;"
        more = Damage("more", "have entities", ("entities",), scattered(wrapped("", " &amp;")))
        [case] = try_damages([texts], [more], [0.5])
        assert case.found

    def test_another_kind_of_doubt_does_not_count(self, shipped):
        empty = Damage("empty", "are empty", ("case",), BY_CODE["empty-scattered"].change)
        [case] = try_damages([shipped], [empty], [0.1])
        assert not case.found
        assert "empty-hyp" in case.codes.split()

    def test_the_verdict_is_of_the_damaged_system(self, shipped):
        [case] = try_damages([shipped], [BY_CODE["reference-stretch"]], [0.3])
        assert case.change > 10
        assert case.after == "better"
        [case] = try_damages([shipped], [BY_CODE["sorted"]])
        assert case.change == pytest.approx(-case.bleu, abs=1)
        assert case.after == "worse"


class TestPage:
    def test_a_judgement_is_of_a_code_and_of_files(self):
        judgements = [
            Judgement("bom", "real/*", "true", "The first."),
            Judgement("tab", "real/a.txt", "false", "Of one file."),
            Judgement("tab", "*", "trivial", "Of the others."),
        ]
        found = [find_judgement("tab", whose, judgements) for whose in ("real/a.txt", "real/b.txt")]
        assert [one.judgement for one in found] == ["false", "trivial"]
        assert find_judgement("bom", "shipped/a.txt", judgements) is None

    def test_what_is_counted(self):
        """Two of four are found from 5 % on, and one of the others changes the verdict; 2 % count in their row."""
        rows = [
            ("bpe", 0.02, False, "better", "worse"),
            ("bpe", 0.05, False, "better", "worse"),
            ("bpe", 0.1, True, "better", "worse"),
            ("bpe", 0.3, True, "better", "better"),
            ("sorted", 1.0, False, "better", "better"),
        ]
        cases = pd.DataFrame(rows, columns=["damage", "share", "found", "before", "after"])
        page = "\n".join(describe_cases(cases.assign(test_set="made", change=-1.5)))
        text = page.replace("\n", " ")
        assert "Where 5 % of the lines or more are damaged, 2 of 4 cases (50 %) are found. 0 of 2 kinds" in text
        assert "Of the 2 cases that are not found, 1 changes the verdict, that is whether" in text
        assert "| 2 % | 1 | 0 (0 %) | 1 |\n| 5 % | 1 | 0 (0 %) | 1 |\n| 10 % | 1 | 1 (100 %) | 0 |" in page
        assert "| have words in pieces (@@) | 0/1 | **0/1** | 1/1 | 1/1 |  | -1.5 | 1 |" in page
        assert "are sorted (-1.5)." in text

    def test_every_damage_and_every_alarm_is_there(self):
        cases = pd.read_csv(RESULTS / "cases.csv")
        assert set(cases["damage"]) == set(BY_CODE)
        assert cases["test_set"].nunique() == 8
        alarms = pd.read_csv(RESULTS / "alarms.csv", keep_default_na=False)
        judgements = read_judgements()
        judged = [find_judgement(one.code, one.whose, judgements) for one in alarms.itertuples()]
        assert set(judged) == set(judgements)  # every alarm has one, and each is still raised
        assert {one.judgement for one in judgements} <= {"true", "trivial", "false"}
        assert all(re.fullmatch(r".{10,}\.", one.evidence) for one in judgements)
