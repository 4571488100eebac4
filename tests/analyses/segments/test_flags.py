"""Flags by rules: what they find, and what they leave alone."""

import pandas as pd
import pytest

from mtworkbench import read_outputs, read_wmt_xml
from mtworkbench.analyses.segments.flags import flag_segments
from mtworkbench.errors import DataWarning
from mtworkbench.shipped import find_shipped

ALL = ("number_changed", "copied_source", "untranslated", "repetition", "too_short", "too_long", "empty")


def count_flags(outputs):
    """Count the segments of each system that have a flag."""
    flags = {system: flag_segments(outputs, system).drop(columns="segment") for system in outputs["system"].unique()}
    return pd.DataFrame([{"system": system, **one.sum().to_dict()} for system, one in flags.items()])


def make_outputs(hypotheses, references, sources=None, system="x"):
    columns = {f"reference_{n}" if n > 1 else "reference": column for n, column in enumerate(references, 1)}
    if sources is not None:
        columns["source"] = sources
    n_segments = len(hypotheses)
    return pd.DataFrame(
        {"system": system, "run": 1, "segment": range(1, n_segments + 1), **columns, "hypothesis": hypotheses}
    )


def flags_of(hypothesis, *references, source=None):
    outputs = make_outputs([hypothesis], [[text] for text in references], None if source is None else [source])
    flags = flag_segments(outputs, "x").iloc[0]
    return {name for name in ALL if flags.get(name)}


@pytest.mark.parametrize(
    ("hypothesis", "reference", "source"),
    [
        ("It cost 1,500 euros.", "It cost 1,600 euros.", None),
        ("Es sank um 1,9 Prozent.", "Es sank um 1,8 Prozent.", None),
        ("Er wurde im Jahr geboren.", "Er wurde 1985 geboren.", None),
        ("Er wurde 1958 geboren.", "Er wurde 1985 geboren.", "He was born in 1985."),
        ("They sold 15 million cars.", "They sold 1.5 million cars.", "Sie verkauften 1,5 Mio. Autos."),
        ("Three died, 9 were hurt.", "3 died, 8 were hurt.", "3 Tote, 8 Verletzte."),
        ("他在1985年出生", "他在1986年出生", None),
        ("وُلد عام ١٩٨٥", "وُلد عام ١٩٨٦", None),
    ],
)
def test_changed_numbers_are_found(hypothesis, reference, source):
    expected = set() if hypothesis.startswith("Three") else {"number_changed"}
    assert flags_of(hypothesis, reference, source=source) == expected


@pytest.mark.parametrize(
    ("hypothesis", "reference", "source"),
    [
        ("It cost 1,500 euros.", "Es kostete 1.500 Euro.", None),
        ("It cost 1 500 euros.", "It cost 1500 euros.", "Es kostete 1\u202f500 Euro."),
        ("Il a coûté 1’234’567,50", "It cost 1,234,567.5", None),
        ("It cost 1.4 million.", "It cost 1,400,000.", None),
        ("14万人", "140,000 people", None),
        ("It fell by 3.5%.", "Es sank um 3,50 %.", None),
        ("There were three of them.", "There were 3 of them.", None),
        ("About a hundred.", "About 100.", "Etwa 100."),
        ("At 23:35", "At 11:35 pm", None),
        ("At 9.30 p.m.", "At 21:30", "О 21.30"),
        ("At 12:00 GMT", "At 1200 GMT", None),
        ("in the 90s", "in the 1990s", None),
        ("the season 2022/23", "the season 2022/2023", None),
        ("on December 21, 2017", "12/21/2017", "21.12.2017"),
        ("وُلد عام ١٩٨٥", "Born in 1985", None),
        ("Born in 1985.", "Born in 1985.", "Geboren 1985 in einem Haus mit 200 Zimmern."),
        ("In 07", "In 7", None),
        ("the season 2020/2021", "the season 2020/21", "2020-21"),
        ("by .5 points", "um 0,5 Punkte", "de 0.5 points"),
        ("by .125 points", "um 0,125 Punkte", None),
    ],
)
def test_numbers_written_otherwise_are_left_alone(hypothesis, reference, source):
    assert flags_of(hypothesis, reference, source=source) == set()


def test_a_number_that_some_reference_writes_as_a_word_is_left_alone():
    assert flags_of("Forty-six ships", "46 ships", "Forty-six ships") == set()
    assert flags_of("Forty-six ships", "46 ships", "The 46 ships") == {"number_changed"}


def test_a_number_is_expected_where_all_references_have_it():
    assert flags_of("The ships", "The 46 ships", "All ships", source="Die 46 Schiffe") == set()
    assert flags_of("The ships", "The 46 ships", "All 46 ships", source="Die 46 Schiffe") == {"number_changed"}


def test_a_small_number_counts_where_another_stands_in_its_place():
    assert flags_of("7 people died", "6 people died") == {"number_changed"}
    assert flags_of("Seven people died", "6 people died") == set()
    assert flags_of("6 people died", "6 people died") == set()


@pytest.mark.parametrize(
    ("hypothesis", "references", "source", "expected"),
    [
        ("Das ist gut.", ["That is good."], "Das ist gut.", {"copied_source"}),
        ("das ist gut", ["That is good."], "Das ist gut!", {"copied_source"}),
        (
            "Wir wissen es leider nicht.",
            ["We do not know."],
            "Wir wissen es leider nicht.",
            {"copied_source", "untranslated"},
        ),
        ("Angela Merkel", ["Angela Merkel"], "Angela Merkel", set()),
        ("2:1", ["2 to 1"], "2:1", set()),
        (
            "He said wir wissen es nicht.",
            ["He said we do not know."],
            "Er sagte, wir wissen es nicht.",
            {"untranslated"},
        ),
        ("Mr. wir wissen es said so.", ["Mr. X said so to us."], "Wir wissen es nicht.", set()),
        ("Anna, Berta, Carla, Dora", ["Ana, Berta, Karla, Dora"], "Anna, Berta, Carla, Dora sind da", set()),
        ("The film Der mit dem Wolf tanzt", ["The film Der mit dem Wolf tanzt"], "Der mit dem Wolf tanzt", set()),
        (
            "he said 我们不知道这件事情是怎么发生的",
            ["He said we do not know how it came about."],
            "他说我们不知道这件事情是怎么发生的",
            {"untranslated"},
        ),
        ("at 中国科学技术大学", ["At USTC"], "在中国科学技术大学", set()),
        ("Der National Council of State tagte", ["Der Staatsrat tagte"], "The National Council of State met", set()),
        ("mit Lady Olena Zelenska in Kiew", ["mit Frau S. in Kiew"], "with Lady Olena Zelenska in Kyiv", set()),
        ("Dora and the Lost City of Gold lief", ["Dora 2 lief"], "Dora and the Lost City of Gold was on", set()),
        ("y u c k!", ["igitt!"], "So, y u c k!", set()),
        ("at 北京大学", ["At PKU"], "在北京大学", set()),
    ],
)
def test_what_was_not_translated_is_found(hypothesis, references, source, expected):
    assert flags_of(hypothesis, *references, source=source) == expected


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        ("the killing of the chief chief Tupua", "the killing of the chief Tupua", True),
        ("the adoring of the adoring of the pharaohs", "adoring the pharaohs of old", True),
        (
            "The staff were very friendly and helpful. The staff were very friendly and helpful.",
            "Fine coffee. " * 5,
            True,
        ),
        ("I know what to do with it because I know what to do with it", "I know what to do, that is why I ask", True),
        ("die Frau, die die Kinder kannte", "die Frau, welche die Kinder kannte", False),
        ("a very, very long way", "a long long way", False),
        ("a long long way", "a long long way", False),
        ("in front of the house and in front of the door", "before the house and at the front door", False),
        ("1 000 000 000 people", "A billion people", False),
        ("他说他不知道他不知道", "他说他并不知道这些", True),
        ("你看看", "你瞧一瞧", False),
    ],
)
def test_repetitions_are_found(hypothesis, reference, expected):
    assert flags_of(hypothesis, reference) == ({"repetition"} if expected else set())


@pytest.mark.parametrize(
    ("hypothesis", "reference", "source", "expected"),
    [
        ("It is very very expensive.", "It is terribly expensive.", "Це дуже дуже дорого.", False),
        ("It is very very expensive.", "It is terribly expensive.", "Це дуже дорого.", True),
        ("They sang zoom zoom there.", "They sang Zoom-Zoom there.", "Dort sangen sie.", False),
        (
            "The way in which it is done is the way in which it is taught.",
            "How it is done is how it is taught.",
            "Die Art und Weise, wie man es tut, ist die Art und Weise, wie man es lehrt.",
            False,
        ),
        (
            "The way in which it is done is the way in which it is taught.",
            "How it is done is how it is taught.",
            "Wie man es tut, so lehrt man es auch.",
            True,
        ),
    ],
)
def test_what_the_source_repeats_may_be_repeated(hypothesis, reference, source, expected):
    assert flags_of(hypothesis, reference, source=source) == ({"repetition"} if expected else set())


@pytest.mark.parametrize(
    ("hypothesis", "references", "expected"),
    [
        ("Short.", ["This is quite a bit longer than what was given."], {"too_short"}),
        ("Short.", ["This is quite a bit longer than what was given.", "Quite short."], set()),
        ("Long stay", ["Long-term residence"], set()),
        ("1 dead", ["1 killed in U.S. protests"], set()),
        ("The UAF", ["The Armed Forces of Ukraine"], set()),
        ("The Armed Forces of Ukraine", ["The UAF"], set()),
        ("Yes.", ["Yes, sir!"], set()),
        ("This is quite a bit longer than what was given.", ["Short."], {"too_long"}),
        ("This is quite a bit longer than what was given.", ["Short.", "This is a bit longer than it."], set()),
        ("", ["This is quite a bit longer."], {"empty"}),
        (" \u00a0", ["Yes."], {"empty"}),
        ("", [""], set()),
        ("Yes.", [""], set()),
    ],
)
def test_lengths_are_those_of_characters(hypothesis, references, expected):
    assert flags_of(hypothesis, *references) == expected


def test_flags_of_the_source_need_one():
    outputs = make_outputs(["a"], [["b"]])
    without = [name for name in ALL if name not in ("copied_source", "untranslated")]
    assert list(flag_segments(outputs, "x").columns) == ["segment", *without]
    with_source = make_outputs(["a b c d", "e"], [["b", "e"]], ["a b c d", "f"])
    flags = flag_segments(with_source, "x")
    assert list(flags.columns) == ["segment", *ALL]
    assert flags["copied_source"].tolist() == [True, False] and flags["copied_source"].dtype == bool


def test_flags_are_counted_system_by_system():
    references = [["It cost 1,500 euros.", "This is quite long."]]
    parts = [
        make_outputs(["It cost 1,500 euros.", "This is quite long."], references, system="good"),
        make_outputs(["It cost 1,900 euros.", ""], references, system="bad"),
        make_outputs(["It cost cost 150 euros.", ""], references, system="worse"),
    ]
    outputs = pd.concat(parts, ignore_index=True)
    counts = count_flags(outputs).set_index("system")
    assert counts["number_changed"].to_dict() == {"good": 0, "bad": 1, "worse": 1}
    assert counts["repetition"].to_dict() == {"good": 0, "bad": 0, "worse": 1}
    assert counts["empty"].to_dict() == {"good": 0, "bad": 1, "worse": 1}
    for system in counts.index:
        flags = flag_segments(outputs, system)
        assert flags.drop(columns="segment").sum().to_dict() == counts.loc[system].to_dict()


def flores():
    folder = find_shipped("data/flores")
    systems = {name: folder / f"bergamot-{name}.txt" for name in ("base", "base-memory", "tiny")}
    return read_outputs(folder / "reference.txt", systems, accept="invisible-chars")


@pytest.mark.long
def test_references_have_no_flags_of_their_own(shared):
    with pytest.warns(DataWarning):
        several = read_wmt_xml(shared / "realdata" / "wmt-xml" / "newstest2021.ru-en.all.xml")
    for outputs in (flores(), several):
        system = outputs["system"].iloc[0]
        rows = outputs[outputs["system"] == system]
        for name in ("reference", "reference_2"):
            if name in rows.columns:
                own = rows[rows[name].notna()].assign(hypothesis=lambda frame, name=name: frame[name])
                counts = count_flags(own).drop(columns="system").iloc[0]
                assert counts.sum() == 0, counts.to_dict()


def test_few_outputs_of_good_engines_are_flagged():
    counts = count_flags(flores()).set_index("system")
    assert (counts <= 0.01 * 1012).all(axis=None)
    assert counts.loc["tiny", "repetition"] > counts.loc["base", "repetition"]
    assert flag_segments(flores(), "tiny").query("repetition")["segment"].isin([58, 324, 465, 469, 773]).sum() == 5


def test_a_later_run_is_flagged_by_itself():
    outputs = pd.concat(
        [make_outputs([text, text], [["a b", "c d"]]).assign(run=run) for run, text in ((1, "a"), (2, ""))]
    )
    outputs = outputs.reset_index(drop=True)
    assert flag_segments(outputs, "x", run=2)["empty"].tolist() == [True, True]
    assert flag_segments(outputs, "x")["empty"].tolist() == [False, False]
    assert flag_segments(outputs, "x", run=2)["segment"].tolist() == [1, 2]
