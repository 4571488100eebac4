"""Documents of public test sets are recognized by their references."""

import json
import random
import re
import warnings
from collections import Counter
from functools import cache

import numpy as np
import pandas as pd
import pytest

import mtworkbench as mtw
from mtworkbench.analyses import describe_units
from mtworkbench.analyses.conventions import conventions
from mtworkbench.analyses.influence import find_decisive_units, grow_test_set, simulate_peeking
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.calibrate import calibrate
from mtworkbench.outputs import check_outputs, read_mt_metrics_eval, read_wmt_xml
from mtworkbench.outputs.checks import known_documents
from mtworkbench.outputs.checks.known_documents import (
    OPEN,
    DocumentTable,
    describe_origin,
    digest_lines,
    fill_between,
    find_certain,
    load_table,
    name_text,
    read_table,
    recognize_documents,
)
from mtworkbench.statistics import merge_statistics
from mtworkbench.tables import (
    describe_peeking,
    format_calibration,
    format_conventions,
    format_plan,
    format_variance,
    frame_to_csv,
    tabulate_statistics,
)
from mtworkbench.words.sentences_on_influence import describe_decisive_units, describe_growth
from scripts.build_known_documents import save_table


def quietly(call, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return call(*arguments, **options)


WORDS = ["river", "stone", "market", "garden", "window", "letter", "winter", "teacher", "bridge", "island", "mountain"]


def write_line(rng, n_words=6):
    return f"{' '.join(rng.choice(WORDS) for _ in range(n_words)).capitalize()} {rng.random():.9f}."


def make_set(seed, sizes):
    """Return made-up lines and their documents, of so many lines each."""
    rng = random.Random(seed)
    documents = [number for number, size in enumerate(sizes) for _ in range(size)]
    return [write_line(rng) for _ in documents], documents


def make_table(*sets):
    """Make a table by hand: of each set its name, and the lines and documents of one side."""
    digests, documents, places, starts = [], [], [], [0]
    n_documents = 0
    for _, lines, own in sets:
        positions, found, _ = digest_lines(lines)
        for position, digest in zip(positions.tolist(), found.tolist(), strict=True):
            digests.append(digest)
            documents.append(n_documents + own[position])
            places.append(position - own.index(own[position]))
        n_documents += 1 + max(own)
        starts.append(len(digests))
    return DocumentTable(
        7,
        tuple(name.split()[0] for name, *_ in sets),
        tuple(name for name, *_ in sets),
        tuple((number,) for number in range(len(sets))),
        np.array(starts),
        np.array(digests, dtype=np.uint32),
        np.array(documents),
        np.array(places),
    )


LINES, DOCUMENTS = make_set(1, [5, 8, 3, 12, 7, 9, 4, 10, 6, 8] * 2)
TABLE = make_table(("other xx-yy", *make_set(2, [6] * 20)), ("made en-de", LINES, DOCUMENTS))
FIRST = 20  # documents of the other set


def check(found, documents, *, origin="made en-de, table 7"):
    """Check that lines are in one document exactly where they are in truth."""
    assert found is not None
    assert found.origin == origin
    assert len(found.labels) == len(documents)
    assert len(set(zip(found.labels, documents, strict=True))) == len(set(found.labels)) == len(set(documents))


def take(positions):
    return [LINES[place] for place in positions], [DOCUMENTS[place] for place in positions]


def test_numbers_are_those_of_the_table():
    found = recognize_documents([LINES], TABLE)
    assert found.labels == [f"known:{FIRST + one + 1}" for one in DOCUMENTS]


@pytest.mark.parametrize(
    "positions",
    [
        range(len(LINES)),
        [place for place, one in enumerate(DOCUMENTS) if one % 2],
        range(60),
        range(17, 90),
        range(0, len(LINES), 2),
        sorted(range(len(LINES)), key=lambda place: (DOCUMENTS[place] * 7 % 20, place)),
        random.Random(3).sample(range(len(LINES)), len(LINES)),
    ],
    ids=["all", "every second document", "first", "middle", "every second line", "documents", "lines"],
)
def test_parts_and_other_orders_are_recognized(positions):
    lines, documents = take(positions)
    check(recognize_documents([lines], TABLE), documents)


@pytest.mark.parametrize(
    "clean",
    [
        str.upper,
        lambda line: line.replace(" ", "  ").replace(".", " . "),
        lambda line: f"„{line}“",
        lambda line: line.rstrip("."),
        lambda line: f"\ufeff{line}\u200b",
        lambda line: f"&quot;{line}&quot;",
        lambda line: "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in line),
    ],
    ids=["case", "spacing", "quotes", "full stop", "invisible", "entities", "full width"],
)
def test_cleaned_lines_are_recognized(clean):
    check(recognize_documents([[clean(line) for line in LINES]], TABLE), DOCUMENTS)


def test_one_known_reference_of_several_is_enough():
    other = [f"another translation of {line}" for line in LINES]
    check(recognize_documents([other, LINES], TABLE), DOCUMENTS)
    mixed = [None if place % 3 else line for place, line in enumerate(LINES)]
    rest = [line if place % 3 else None for place, line in enumerate(LINES)]
    check(recognize_documents([mixed, rest], TABLE), DOCUMENTS)
    assert recognize_documents([other], TABLE) is None


def test_texts_of_two_sets_are_not_one():
    half, _ = make_set(2, [6] * 20)
    assert recognize_documents([[*LINES, *half]], TABLE) is None


def test_at_least_50_lines():
    assert recognize_documents([LINES[:49]], TABLE) is None
    check(recognize_documents([LINES[:50]], TABLE), DOCUMENTS[:50])


def test_80_percent_of_the_long_lines():
    rng = random.Random(5)
    inside = [place for place in range(1, len(LINES) - 1) if len(set(DOCUMENTS[place - 1 : place + 2])) == 1]
    for share, is_known in ((0.19, True), (0.21, False)):
        changed = set(rng.sample(inside, int(share * len(LINES))))
        lines = [write_line(rng) if place in changed else line for place, line in enumerate(LINES)]
        found = recognize_documents([lines], TABLE)
        assert (found is not None) == is_known


def test_short_lines_have_the_document_where_they_can_stand():
    """Each document begins and ends alike; the lines beside them tell where such a line belongs."""
    lines, documents = list(LINES), DOCUMENTS
    for place in range(len(lines)):
        if place == 0 or documents[place] != documents[place - 1]:
            lines[place] = "Yes."
        elif place == len(lines) - 1 or documents[place] != documents[place + 1]:
            lines[place] = ":-)"
    table = make_table(("made en-de", lines, documents))
    found = recognize_documents([lines], table)
    assert found.labels == [f"known:{one + 1}" for one in documents]
    for seed in range(20):  # gaps
        places = sorted(random.Random(seed).sample(range(len(lines)), 100))
        found = recognize_documents([[lines[place] for place in places]], table)
        true = [f"known:{documents[place] + 1}" for place in places]
        assert found is None or all(one in (OPEN, own) for one, own in zip(found.labels, true, strict=True))


def test_lines_added_between_documents_are_one_document():
    lines = [*LINES[:5], "An extra line.", *LINES[5:13], "Another one.", *LINES[13:]]
    found = recognize_documents([lines], TABLE)
    assert [place for place, label in enumerate(found.labels) if label == OPEN] == [5, 14]
    check(recognize_documents([[line for line in lines if line in LINES]], TABLE), DOCUMENTS)


def test_one_line_added_joins_the_documents_beside_it():
    for place, open_documents in ((5, {0, 1}), (0, {0}), (len(LINES), {19})):
        lines = [*LINES[:place], "An extra line.", *LINES[place:]]
        found = recognize_documents([lines], TABLE)
        known = [*found.labels[:place], *found.labels[place + 1 :]]
        assert found.labels[place] == OPEN
        assert {one for label, one in zip(known, DOCUMENTS, strict=True) if label == OPEN} == open_documents
        assert len(set(found.labels)) == 21 - len(open_documents)


def test_a_line_of_another_document_inside_one_is_no_document():
    lines = list(LINES)
    lines[20] = LINES[102]
    lines[102] = "A heading that nobody knows but this one."
    check(recognize_documents([lines], TABLE), DOCUMENTS)


def test_nothing_is_recognized_where_more_than_5_percent_stay_open():
    ends = [place for place in range(1, len(LINES)) if DOCUMENTS[place] != DOCUMENTS[place - 1]]
    for count, is_known in ((7, True), (9, False)):
        lines = list(LINES)
        for place in reversed(ends[:count]):
            lines.insert(place, "Advertisement")
        assert count / len(lines) < 0.05 or not is_known
        assert (recognize_documents([lines], TABLE) is not None) == is_known


def test_shuffled_lines_with_open_ones_are_put_aside():
    order = random.Random(4).sample(range(len(LINES)), len(LINES))
    for count in (1, 3, 8, 20):
        short = set(order[:count])
        lines = ["Yes." if place in short else LINES[place] for place in sorted(order, key=lambda one: one * 41 % 144)]
        places = sorted(order, key=lambda one: one * 41 % 144)
        found = recognize_documents([lines], TABLE)
        if found is None:
            assert count in (1, 8, 20)
            continue
        of_label = {}
        for label, place in zip(found.labels, places, strict=True):
            if label == OPEN:
                assert place in short
            else:
                assert of_label.setdefault(label, DOCUMENTS[place]) == DOCUMENTS[place]
        assert min(Counter(found.labels).values()) > 1


def keep_their_documents(found, lines, table):
    """Tell whether each line that is in the table has the document that it has there."""
    positions, digests, _ = digest_lines(lines)
    return all(
        found.labels[position] == f"known:{table.documents[row] + 1}"
        for position, rows in zip(positions.tolist(), table.find(digests), strict=True)
        for row in rows
    )


def test_lone_lines_of_shuffled_documents_keep_them():
    lines, documents = make_set(12, [2] * 60)
    mine = ["Yes." if place in (10, 50) else line for place, line in enumerate(lines)]
    order = random.Random(13).sample(range(120), 120)
    shuffled, table = [mine[place] for place in order], make_table(("set en-de", lines, documents))
    found = recognize_documents([shuffled], table)
    assert keep_their_documents(found, shuffled, table)
    assert {place for label, place in zip(found.labels, order, strict=True) if label == OPEN} == {10, 50}


def test_in_parts_with_gaps_no_line_is_in_a_wrong_document():
    """Lines that are in the table keep their documents, even alone; no other line is a document of its own."""
    rng = random.Random(6)
    lines, documents = make_set(6, [rng.choice([1, 2, 3, 5]) for _ in range(120)])
    table = make_table(("set en-de", lines, documents))
    n_recognized = n_open = 0
    for seed in range(100):
        rng = random.Random(seed)
        places = sorted(rng.sample(range(len(lines)), 60 + seed))
        mine = [lines[place] if rng.random() > 0.06 else "Hm." for place in places]
        found = recognize_documents([mine], table)
        if found is None:
            continue
        n_recognized += 1
        true = [f"known:{documents[place] + 1}" for place in places]
        assert all(label in (OPEN, one) for label, one in zip(found.labels, true, strict=True))
        sizes = Counter(found.labels)
        assert sizes[OPEN] != 1
        assert all(sizes[label] > 1 for label, line in zip(found.labels, mine, strict=True) if line == "Hm.")
        n_open += sizes[OPEN] > 0
    assert n_recognized >= n_open > 10


def test_lines_on_either_side_of_open_ones_stay_alone():
    lines, documents = make_set(6, [3] * 60)
    table = make_table(("set en-de", lines, documents))
    mine = [*lines[::3][:30], "Hm.", "Hm.", *lines[::3][30:]]
    found = recognize_documents([mine], table)
    assert found.labels == [
        label for number in range(60) for label in [f"known:{number + 1}", OPEN, OPEN][: 3 if number == 29 else 1]
    ]


def test_a_line_that_is_moved_counts_as_uncertain():
    """It is of another document than the lines before and after it; 8 of 151 lines are more than 5 %."""
    ends = [place for place in range(1, len(LINES)) if DOCUMENTS[place] != DOCUMENTS[place - 1]]
    for moved, is_known in ((False, True), (True, False)):
        lines = list(LINES)
        lines[20] = LINES[102] if moved else LINES[20]
        lines[102] = "A heading that nobody knows but this one."
        for place in reversed(ends[:7]):
            lines.insert(place, "Advertisement")
        assert (recognize_documents([lines], TABLE) is not None) == is_known


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [""] * 100,
        [None] * 100,
        ["\ufeff"] * 100,
        ["a"] * 1000,
        ["\x00" * 40] * 60,
        ["\ud800" * 30] * 60,
        ["the same line again and again"] * 500,
        ["." * 10_000] * 60,
    ],
    ids=["none", "empty", "absent", "byte order marks", "short", "nul", "half surrogates", "one line", "dots"],
)
def test_odd_lines_are_none(lines):
    assert recognize_documents([lines], TABLE) is None


def test_wide_characters_count_as_two():
    lines = ["汉语汉语汉语汉语汉语", "汉语汉语汉语汉语汉。。。", "abcdefghij klmnopqr. s", "abcdefghij klmnopqr. st"]
    assert digest_lines(lines)[2].tolist() == [True, False, False, True]


def test_lines_without_letters_have_digests():
    positions, digests, are_long = digest_lines(["...", " . . .", ":-)", "", None, " "])
    assert positions.tolist() == [0, 1, 2]
    assert digests[0] == digests[1] != digests[2]
    assert not are_long.any()


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ({}, 0),
        ({0: [3]}, 0),
        ({0: [3], 5: [0]}, 0),
        ({5: [1], 6: [1]}, -1),
    ],
    ids=["unknown", "of one", "of another, too", "of others"],
)
def test_between_lines_of_one_document(own, expected):
    candidates = [{0: [0]}, {0: [1]}, own, {0: [4]}, {1: [0]}, {1: [1]}]
    assert fill_between(
        find_certain(candidates) * np.array([1, 1, 0, 1, 1, 1]) - [0, 0, 1, 0, 0, 0], candidates
    ).tolist() == [0, 0, expected, 0, 1, 1]


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ({}, -1),
        ({0: [4], 2: [0]}, 0),
        ({0: [1], 1: [0]}, 1),
        ({0: [1, 5], 1: [0]}, -1),
        ({0: [4], 1: [3]}, 0),
        ({0: [1], 1: [3]}, -1),
        ({0: [4], 9: [0]}, -1),
        ({0: [1], 9: [0]}, 9),
    ],
    ids=["unknown", "far", "before", "either", "after", "neither", "either or new", "new"],
)
def test_between_two_documents(own, expected):
    candidates = [{0: [0]}, {0: [1]}, {0: [3]}, own, {1: [1]}, {1: [2]}, {1: [4]}, {2: [0]}, {2: [1]}]
    documents = [0, 0, 0, -1, 1, 1, 1, 2, 2]
    assert fill_between(np.array(documents), candidates).tolist() == [0, 0, 0, expected, 1, 1, 1, 2, 2]


def test_where_lines_of_documents_are_shuffled_their_places_say_nothing():
    own = {0: [1], 1: [0]}
    candidates = [{0: [3]}, {0: [0]}, {0: [2]}, own, {1: [3]}, {1: [1]}, {1: [2]}]
    assert fill_between(np.array([0, 0, 0, -1, 1, 1, 1]), candidates).tolist() == [0, 0, 0, -1, 1, 1, 1]


def test_tables_are_saved(tmp_path):
    save_table(tmp_path / "table.npz", TABLE)
    found = read_table(tmp_path / "table.npz")
    assert describe_origin(found, 1) == "made en-de, table 7"
    assert name_text("made, table 2 en-de, table 7") == "made, table 2 en-de"
    check(recognize_documents([LINES], found), DOCUMENTS)
    np.testing.assert_array_equal(found.documents, TABLE.documents)


class TestWhereItActs:
    @pytest.fixture(autouse=True)
    def table(self, monkeypatch):
        monkeypatch.setattr(known_documents, "load_table", cache(lambda: TABLE))
        monkeypatch.setattr(known_documents, "load_digests", cache(lambda: TABLE.digests))

    @pytest.fixture
    def outputs(self):
        rng = random.Random(9)

        def without_a_word(line):
            first, *words = line.split()
            del words[rng.randrange(len(words) - 1)]
            return " ".join([first, *words])

        systems = {name: [without_a_word(line) for line in LINES] for name in "ab"}
        return mtw.make_outputs(LINES, systems)

    def test_outputs_have_documents(self, outputs):
        assert outputs["document"].nunique() == 20
        assert set(outputs["known_documents"]) == {"made en-de, table 7"}
        check_outputs(outputs)

    def test_files_are_recognized(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for name in ("ref", "a", "b"):
            (tmp_path / f"{name}.txt").write_text("\n".join(LINES) + "\n", encoding="utf-8")
        outputs = quietly(mtw.read_outputs, "ref.txt", {"a": "a.txt", "b": "b.txt"})
        assert outputs["document"].nunique() == 20

    def test_documents_that_are_given_win(self):
        outputs = quietly(mtw.make_outputs, LINES, {"a": LINES}, documents=["one"] * 72 + ["two"] * 72)
        assert outputs["document"].nunique() == 2
        assert "known_documents" not in outputs.columns

    def test_documents_that_are_given_later_win(self, outputs):
        mine = outputs.assign(document=[f"mine {place // 2}" for place in range(144)] * 2)
        statistics = mtw.compute_statistics(mine, "bleu")
        assert (statistics.test_set.n_documents, statistics.test_set.known_documents) == (72, None)

    @pytest.mark.parametrize("name", ["{0}", "known", "known:", "unknown", "known:x", "known: {0}"])
    def test_documents_that_are_given_later_may_be_numbers(self, outputs, name, tmp_path):
        mine = outputs.assign(document=[name.format(place // 3) for place in range(144)] * 2)
        statistics = mtw.compute_statistics(mine, "bleu")
        assert statistics.test_set.known_documents is None
        assert statistics.test_set.documents.tolist() == mine["document"].tolist()[:144]
        mtw.save_statistics(tmp_path / "given.stats", statistics)
        assert mtw.load_statistics(tmp_path / "given.stats") == (statistics,)

    def test_one_document_of_their_own_is_enough(self, outputs):
        mine = outputs.assign(document=outputs["document"].replace("known:21", "7"))
        assert mtw.compute_statistics(mine, "bleu").test_set.known_documents is None

    def test_documents_that_are_taken_away_stay_away(self, outputs):
        statistics = mtw.compute_statistics(outputs.drop(columns="document"), "bleu")
        assert (statistics.test_set.n_documents, statistics.test_set.known_documents) == (None, None)

    def test_results_say_where_documents_come_from(self, outputs):
        found = quietly(mtw.compare, mtw.compute_statistics(outputs, "bleu"), "a", rng=1, n_trials=200, n_resamples=400)
        assert (found.unit, found.n_documents, found.known_documents) == ("document", 20, "made en-de, table 7")
        assert "|unit:document|documents:made_en-de,table_7|" in found.signature
        assert "|unit:document|documents:made_en-de|" in mtw.format_comparison(found)  # JSON has the version
        assert "documents:made_en-de,table_7|" in mtw.format_comparison(found, "json")
        [said] = [one for one in found.assumptions if one.code == "recognized-documents"]
        assert said.sentence == "The references were recognized as made en-de, whose documents are known."
        assert said.say(advise=True) in found.headline

    def test_segments_switch_it_off(self, outputs):
        statistics = mtw.compute_statistics(outputs, "bleu")
        options = {"rng": 1, "n_trials": 200, "n_resamples": 400}
        found = quietly(mtw.compare, statistics, "a", unit="segment", **options)
        assert (found.unit, found.n_documents, found.known_documents) == ("segment", None, "made en-de, table 7")
        assert "documents:" not in found.signature
        plain = mtw.compute_statistics(outputs.drop(columns=["document", "known_documents"]), "bleu")
        same, unknown = (
            json.loads(mtw.format_comparison(one, "json"))
            for one in (found, quietly(mtw.compare, plain, "a", **options))
        )
        for one in (same, unknown):
            del one["assumptions"], one["headline"], one["known_documents"]
        assert same == unknown

    def test_segments_leave_documents_unused_that_are_known(self, outputs):
        statistics = mtw.compute_statistics(outputs, "bleu")
        options = {"unit": "segment", "rng": 1, "n_trials": 200, "n_resamples": 400}
        found = quietly(mtw.compare, statistics, "a", **options)
        said = [one.sentence for one in found.assumptions if one.code == "unused-documents"]
        assert said == ["The documents are known, but not used as units, so CIs may be too narrow."]
        assert not any(one.code in ("independent-segments", "recognized-documents") for one in found.assumptions)
        unknown, _ = make_set(77, [100])
        other = mtw.compute_statistics(quietly(mtw.make_outputs, unknown, {"a": unknown, "b": unknown[::-1]}), "bleu")
        on_sets = quietly(mtw.compare, {"made": statistics, "new": other}, "a", **options)
        assert [(one.code, one.sentence) for one in on_sets.assumptions if "-documents" in one.code] == [
            (
                "unused-documents",
                "The documents of made are known, but not used as units: if sentences of one document are alike, p for "
                "these test sets is too small, and their CIs are too narrow.",
            )
        ]

    def test_other_analyses_say_it_in_the_same_sentence(self, outputs):
        """Calibrations, conventions and influence: if documents are units, and not if segments are."""
        statistics = mtw.compute_statistics(outputs, "bleu")
        a, b = statistics["a"], statistics["b"]
        short = {"rng": 1, "n_trials": 200}

        def describe(unit):
            calibrated = quietly(calibrate, a, b, unit=unit, n_repetitions=20, n_resamples=400, **short)
            found = quietly(conventions, a, b, unit=unit, n_resamples=400, **short)
            yield format_calibration([calibrated])
            yield found._repr_html_()
            yield format_conventions([found])
            yield describe_decisive_units(quietly(find_decisive_units, a, b, unit=unit, at_most=1, **short))
            yield describe_growth(quietly(grow_test_set, a, b, unit=unit, n_points=3, **short))
            yield describe_peeking(simulate_peeking(a, b, unit=unit, looks=[2], n_repetitions=100, rng=1))

        said = "The references were recognized as made en-de, whose documents are known. If yours are others, give"
        assert [" ".join(text.split()).count(said) for text in describe("auto")] == [1] * 6
        assert [" ".join(text.split()).count("recognized") for text in describe("segment")] == [0] * 6

    def test_plans_units_and_variances_say_where_documents_come_from(self, outputs):
        said = (
            "The references were recognized as made en-de, whose documents are known. "
            "If yours are others, give their ids (--documents)."
        )
        runs = pd.concat([outputs, outputs.assign(run=2)]).sort_values(["system", "run"], kind="stable")
        for mine, is_said in (
            (runs, True),
            (runs.assign(document=[f"mine {place // 3}" for place in range(144)] * 4), False),
        ):
            statistics = mtw.compute_statistics(mine, "bleu")
            plan = quietly(mtw.plan_test_set, statistics["a"], statistics["b"])
            variance = quietly(mtw.optimizer_variance, statistics, rng=1, n_resamples=400)
            units = quietly(mtw.analyses.compare_units, statistics, rng=1, n_trials=200)
            texts = [format_plan(plan), plan._repr_html_(), describe_units(units), variance._repr_html_()]
            texts += [format_variance(variance, format) for format in ("text", "latex", "markdown")]
            for text in texts:
                assert (said in " ".join(text.replace("-{}-", "--").split())) == is_said
            by_segment = quietly(mtw.plan_test_set, statistics["a"], statistics["b"], unit="segment")
            assert by_segment.known_documents is None
            by_block = quietly(mtw.analyses.compare_units, statistics, units=["block of 3"], rng=1, n_trials=200)
            assert said not in " ".join(describe_units(by_block).split())

    def test_every_signature_has_it(self, outputs):
        statistics = mtw.compute_statistics(outputs, "bleu")
        a, b = statistics["a"], statistics["b"]
        signatures = [
            quietly(mtw.approximate_randomization, a, b, n_trials=100, rng=1).signature,
            quietly(mtw.bootstrap_interval, a, rng=1, n_resamples=400).signature,
            quietly(mtw.paired_bootstrap, a, b, rng=1, n_resamples=400).signature,
        ]
        assert all("unit:document|documents:made_en-de,table_7" in one for one in signatures)

    def test_several_test_sets(self, outputs):
        statistics = mtw.compute_statistics(outputs, "bleu")
        other_lines, _ = make_set(2, [6] * 20)
        unknown, _ = make_set(77, [100])
        sets = {
            "made": statistics,
            "other": mtw.compute_statistics(
                quietly(mtw.make_outputs, other_lines, {"a": other_lines, "b": other_lines[::-1]}), "bleu"
            ),
            "new": mtw.compute_statistics(
                quietly(mtw.make_outputs, unknown, {"a": unknown, "b": unknown[::-1]}), "bleu"
            ),
        }
        found = quietly(mtw.compare, sets, "a", rng=1, n_trials=200, n_resamples=400)
        known = [one.known_documents for one in found.test_sets]
        assert known == ["made en-de, table 7", "other xx-yy, table 7", None]
        assert "|documents:made_en-de,table_7;other_xx-yy,table_7|" in found.signature
        assert "|documents:made_en-de;other_xx-yy|" in mtw.tables.format_campaign(found)
        assert found.of_set("new").known_documents is None
        assert "|documents:made_en-de,table_7|" in found.of_set("made").signature
        off = quietly(mtw.compare, sets, "a", unit="segment", rng=1, n_trials=200, n_resamples=400)
        assert {one.unit for one in off.test_sets} == {"segment"}
        assert "documents:" not in off.signature
        assert [one.known_documents for one in off.test_sets] == known

    def test_files_of_statistics_keep_it(self, outputs, tmp_path):
        statistics = mtw.compute_statistics(outputs, "bleu")
        mtw.save_statistics(tmp_path / "bleu.stats", statistics)
        [found] = mtw.load_statistics(tmp_path / "bleu.stats")
        assert found == statistics
        assert found.test_set.known_documents == "made en-de, table 7"

    def test_plain_tables_keep_it(self, outputs, tmp_path):
        statistics = mtw.compute_statistics(outputs, "bleu")
        path = tmp_path / "bleu.tsv"
        path.write_text(frame_to_csv(tabulate_statistics([statistics]), separator="\t"), "utf-8")
        [found] = mtw.load_statistics(path)
        assert found.test_set.known_documents == "made en-de, table 7"
        assert found.test_set.documents.tolist() == statistics.test_set.documents.tolist()
        path.write_text(path.read_text("utf-8").replace("known:", ""), "utf-8")
        [given] = mtw.load_statistics(path)
        assert (given.test_set.n_documents, given.test_set.known_documents) == (20, None)

    def test_tables_keep_it(self, outputs, tmp_path):
        outputs.to_json(tmp_path / "outputs.jsonl", orient="records", lines=True)
        found = quietly(mtw.read_table, tmp_path / "outputs.jsonl")
        assert mtw.compute_statistics(found, "bleu").test_set.known_documents == "made en-de, table 7"

    def test_tables_keep_lines_in_any_order(self):
        lines = random.Random(14).sample(LINES, len(LINES))
        outputs = quietly(mtw.make_outputs, lines, {"a": lines})
        found = quietly(mtw.read_table, outputs)
        assert found["document"].tolist() == outputs["document"].tolist()

    def test_statistics_with_and_without_it_are_merged(self, outputs):
        known = mtw.compute_statistics(outputs, "bleu")
        plain = mtw.compute_statistics(outputs.drop(columns=["document", "known_documents"]), "chrf")
        given = mtw.compute_statistics(
            outputs.drop(columns="known_documents").assign(document=[f"d{place // 3}" for place in range(144)] * 2),
            "ter",
        )
        for first, second in ((known, plain), (plain, known)):
            merged = quietly(merge_statistics, first, second)
            assert {one.test_set.known_documents for one in merged} == {"made en-de, table 7"}
        for first, second in ((known, given), (given, known)):
            merged = quietly(merge_statistics, first, second)
            assert {(one.test_set.n_documents, one.test_set.known_documents) for one in merged} == {(48, None)}

    def test_scores_with_documents_of_their_own_are_added(self, outputs):
        scores = outputs[["system", "run", "segment"]].assign(document="story", comet=0.5)
        found = quietly(mtw.add_scores, outputs, scores)
        assert found["document"].nunique() == 20

    def test_the_note_is_one_text(self, outputs):
        wrong = outputs.assign(known_documents=["x", *["y"] * (len(outputs) - 1)])
        with pytest.raises(InputError, match="Row 2 of column 'known_documents' holds 'y'"):
            check_outputs(wrong)


@pytest.fixture(scope="module")
def read_real(shared):
    @cache
    def read(name):
        folder = shared / "realdata"
        if "." in name:
            outputs = quietly(read_wmt_xml, folder / "wmt-xml" / f"{name}.all.xml")
            if "testsuite" in outputs.columns:
                outputs = outputs[outputs["testsuite"] == ""]
        else:
            outputs = quietly(read_mt_metrics_eval, folder / "mt-metrics-eval" / "wmt23", name)
        rows = outputs[outputs["system"] == outputs["system"].iloc[0]]
        references = [rows[one].tolist() for one in rows.columns if one.startswith("reference")]
        return references, rows["document"].tolist()

    return read


class TestRealSets:
    """The table that ships, on real test sets whose documents are known."""

    @pytest.mark.parametrize(
        ("name", "origin"),
        [
            ("en-de", "wmt23 en-de"),
            ("he-en", "wmt23 he-en"),
            ("newstest2021.ru-en", "wmt21 ru-en"),
            ("wmttest2023.uk-en", "wmt23 uk-en"),
        ],
    )
    @pytest.mark.parametrize(
        "change", ["all", "every second document", "first 300", "documents", "cleaned", "lines", "every third line"]
    )
    def test_recognized_or_left_alone_and_never_wrong(self, read_real, name, origin, change):
        references, documents = read_real(name)
        places, names = list(range(len(documents))), list(dict.fromkeys(documents))
        rng = random.Random(11)
        if change == "every second document":
            places = [place for place in places if names.index(documents[place]) % 2 == 0]
        elif change == "first 300":
            places = places[:300]
        elif change == "documents":
            rng.shuffle(names)
            places.sort(key=lambda place: names.index(documents[place]))
        elif change == "lines":
            rng.shuffle(places)
        elif change == "every third line":
            places = places[::3]
        for reference in [*references, None]:
            texts = [[one[place] for place in places] for one in ([reference] if reference else references)]
            if change == "cleaned":
                texts = [[re.sub(r"[\s\"'„“”’.,!?-]+", " ", one or "").upper() for one in text] for text in texts]
            found = recognize_documents(texts)
            if change == "lines" and found is None:
                continue
            assert found.origin == f"{origin}, table {load_table().version}"
            count_by_label = Counter(zip(found.labels, (documents[place] for place in places), strict=True))
            most = Counter()
            for (label, _), count in count_by_label.items():
                if label != OPEN:
                    most[label] = max(most[label], count)
            n_wrong = sum(count for (label, _), count in count_by_label.items() if label != OPEN) - most.total()
            assert n_wrong == 0
            split = Counter(name for label, name in count_by_label if label != OPEN)
            assert sum(split.values()) == len(split)

    @pytest.mark.long
    def test_none_of_500_other_texts(self, shared):
        """Parts of test sets, outputs and sources that the table does not have."""
        folder = shared / "realdata"
        files = [
            *sorted((folder / "long-de-en" / "ref").glob("wmt0*.en")),
            *sorted((folder / "long-de-en" / "ref").glob("wmt1*.en")),
            *sorted((folder / "long-de-en" / "ref").glob("flores*.en")),
            *sorted((folder / "long-de-en" / "sys").glob("*/*.en")),
            *sorted((folder / "wmt17-en-de-16systems").glob("*/*")),
            *sorted((folder / "mt-metrics-eval").glob("wmt23/system-outputs/*/*.txt")),
            *sorted((folder / "replications-e2e-nlg").rglob("*.txt")),
        ]
        n_texts = 0
        for file in files:
            if re.match(r"(ref|synthetic_ref)", file.name) and "wmt23" in str(file):
                continue
            if file.parent.name == "ref" and file.name in ("wmt16.en", "wmt17.en"):  # English-Finnish has half of them
                continue
            lines = file.read_text("utf-8", errors="replace").split("\n")
            for start in range(0, len(lines), 400):
                part = lines[start : start + 400]
                assert recognize_documents([part]) is None, (file, start)
                n_texts += 1
        assert n_texts >= 500
