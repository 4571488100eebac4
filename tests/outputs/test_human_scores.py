"""Human scores as WMT publishes them: the published numbers, and sentences for what cannot be read."""

import doctest
import gzip
import math
import warnings

import numpy as np
import pandas as pd
import pytest

from mtworkbench import MeanScore, add_scores, compare, compute_statistics, make_outputs, read_scores, read_wmt_xml
from mtworkbench.errors import DataWarning
from mtworkbench.outputs import check_outputs
from mtworkbench.outputs.files.bytes import peek, read_beginning
from mtworkbench.outputs.scores.mqm import begins_as_mqm, read_mqm
from mtworkbench.outputs.scores.mqm_weights import MQM_WEIGHTS
from mtworkbench.outputs.scores.ratings import begins_as_da, read_da
from mtworkbench.outputs.scores.read import holds_scores

from .reading import noticing, refusal

# As in ted/ende/mqm_ted_ende.tsv of google/wmt-mqm-human-evaluation; the texts are made up.
HEADER = ["system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity", "comment"]
RATINGS = [
    'b|d1|1|1|rater1|"s|<v>t</v>|Accuracy/Mistranslation|Major|',
    "a|d1|1|1|rater1|s|t|No-error|No-error|",
    "b|d1|1|1|rater2|s|t|Fluency/Punctuation|Minor|",
    'a|d1|2|2|rater1|s|"t|Non-translation!|Major|"why?"',
    "b|d1|1|1|rater1|s|t|Style/Awkward|Minor|",
    "b|d2|1|3|rater2|s|t|Fluency/Punctuation|Minor|",
    "b|d2|1|3|rater2|s|t|Fluency/Punctuation|Minor|",
    "b|d2|1|3|rater2|s|t|Fluency/Punctuation|Minor|",
    "a|d2|1|3|rater1|s|t|Other|Neutral|",
    "b|d1|2|2|rater3|s|t|Fluency/Punctuation|Major|",
]
AVERAGES = "system mqm_avg_score seg_id\nb\t-1.5 1\nb\t-0.000000 2\na\tNone 1\na\t-25.000000 2\n"
DA = "SYS SID RAW.SCR Z.SCR N \nOnline-B.4 3 98 0.5 1 \nOnline-B.4 1 78.5 -1.25 2 \nHUMAN.0 3 0 0.25 1 \n"


def tsv(rows, header=HEADER):
    return "".join("\t".join(row.split("|") if isinstance(row, str) else row) + "\n" for row in [header, *rows])


@pytest.fixture
def write(tmp_path):
    def to_file(text, name="scores.tsv"):
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
        return tmp_path / name

    return to_file


def scores_of(frame, column="mqm"):
    return {(system, segment): value for system, segment, value in frame[["system", "segment", column]].to_numpy()}


class TestMqmRatings:
    def test_errors_are_summed_by_rater_and_averaged_over_raters(self, write):
        outputs, noticed = noticing(read_mqm, write(tsv(RATINGS)))
        assert not noticed
        columns = "document segment segment_id system run mqm n_raters mt mqm_direction"
        assert list(outputs.columns) == columns.split()
        assert outputs["system"].tolist() == ["b", "b", "b", "a", "a", "a"]
        assert outputs["document"].tolist() == ["d1", "d1", "d2"] * 2
        assert outputs["segment"].tolist() == [1, 2, 3] * 2
        assert outputs["segment_id"].tolist() == ["1", "2", "3"] * 2
        # (5 + 1 of rater1, 0.1 of rater2), a punctuation error that is major, three that are minor; by hand.
        assert outputs["mqm"].tolist() == pytest.approx([3.05, 5, 0.3, 0, 25, 0])
        assert outputs["n_raters"].tolist() == [2, 1, 1, 1, 1, 1]
        assert outputs["mqm_direction"].unique().tolist() == ["down"]

    def test_fewer_errors_are_better(self, write):
        outputs = read_mqm(write(tsv(RATINGS)))
        assert MeanScore("mqm").directed_by(outputs).higher_is_better is False

    def test_columns_of_later_years(self, write):
        # The columns as in google-research/google-research, mqm_viewer/README.md; globalSegId may be constant.
        header = [
            "system",
            "doc",
            "docSegId",
            "globalSegId",
            "rater",
            "source",
            "target",
            "category",
            "severity",
            "metadata",
        ]
        rows = [
            "b|e|10|0|r|s|t|accuracy/creative_reinterpretation|major|{}",
            "b|e|2|0|r|s|t|locale_convention/date|critical|{}",
            "b|e|2|0|r|s|t|Found|HOTW-test|{}",
            "b|f|2|0|r|s|t|style|trivial|{}",
            "b|f|2|0||s|t|||{}",
        ]
        path = write(tsv(rows, header))
        outputs, noticed = noticing(read_mqm, path, weights="marot")
        assert outputs["segment_id"].tolist() == ["2", "10", "2"]
        assert outputs["segment"].tolist() == [1, 2, 3]
        assert outputs["mqm"].tolist() == [5.0, 0.0, 0.1]
        assert set(noticed) == {"metadata-rows", "segments-renumbered"}
        assert str(noticed["metadata-rows"]) == (
            f"{path}: 1 of 5 lines have no rater, category or severity. They are not ratings and were left out."
        )
        assert str(refusal(read_mqm, path)) == (
            f"{path}, column 'severity', line 3: there is no weight for severity 'critical' of category "
            "'locale_convention/date', only for 'Major', 'Minor', 'Neutral': in Python, give read_mqm "
            "weights={(category, severity): number, ...}, or weights='marot', which has a weight for it; in the "
            "terminal, give --weights marot."
        )

    @pytest.mark.parametrize(
        ("left_out", "names"), [("doc_id", ["1", "2", "1"]), ("seg_id", ["x", "y", "x"]), ("", list("123"))]
    )
    def test_numbers_of_segments(self, write, left_out, names):
        rows = ["b|d|x|1|r|s|t|Other|Minor|", "b|d|y|2|r|s|t|Other|Minor|", "b|e|x|1|r|s|t|Other|Minor|"]
        if not left_out:
            rows[2] = rows[2].replace("1", "3")
        table = pd.DataFrame([row.split("|") for row in rows], columns=HEADER).drop(columns=left_out or [])
        outputs, _ = noticing(read_mqm, write(table.to_csv(sep="\t", index=False)))
        assert outputs["segment_id"].tolist() == names
        assert outputs["segment"].tolist() == [1, 2, 3]

    def test_segments_are_sorted_by_number_within_documents(self, write):
        ids = ["e|10|1", "e|9|1", "d|2|1", "e|009|1", "d|" + 5000 * "1" + "|1", "d|1|1", "d|x|1"]
        outputs, _ = noticing(read_mqm, write(tsv([f"a|{one}|r|s|t|Other|Minor|" for one in ids])))
        assert [name[:3] for name in outputs["segment_id"]] == ["9", "009", "10", "x", "1", "2", "111"]

    def test_segments_that_were_not_rated_are_missing(self, write):
        path = write(tsv([row for row in RATINGS if not row.startswith("a|d1|2")]))
        outputs, noticed = noticing(read_mqm, path)
        assert math.isnan(scores_of(outputs)["a", 2])
        assert scores_of(outputs, "n_raters")["a", 2] == 0
        assert str(noticed["missing-score"]) == (
            f"{path}: 1 of 6 judgements is missing, counted once per system, run and segment."
        )

    def test_a_rated_reference_is_a_system(self, write):
        path = write(tsv([row.replace("a|", "ref|", 1) for row in RATINGS]))
        outputs, noticed = noticing(read_mqm, path)
        assert outputs["system"].unique().tolist() == ["b", "reference"]
        assert str(noticed["renamed-systems"]) == (
            f"{path}: system 'ref' was renamed 'reference', because no system can be called 'ref': in other formats, "
            "this name means the reference."
        )

    def test_documents_that_do_not_stand_together(self, write):
        rows = ["a|d1|1|1|r|s|t|Other|Minor|", "a|d2|1|2|r|s|t|Other|Minor|", "a|d1|2|3|r|s|t|Other|Minor|"]
        assert refusal(read_mqm, write(tsv(rows))).code == "non-contiguous"
        for read in (read_mqm, read_scores):
            outputs, _ = noticing(read, write(tsv(rows)), accept="non-contiguous")
            assert outputs["document"].tolist() == ["d1", "d2", "d1"]

    def test_the_texts_that_were_rated(self, write):
        rows = [
            "a|d|1|1|r|a <v>dog</v>|ein <v>Hund</v>|Other|Minor|",
            "a|d|1|1|q|a dog|<v>ein</v> Hund|Other|Minor|",
            "a|d|2|2|r|a cat|eine Katze|Other|Minor|",
            "a|d|2|2|q|a cat|die Katze|Other|Minor|",
            "b|d|1|1|r|a dog|der Hund|Other|Minor|",
            "b|d|3|3|r|a cow|<v>|Other|Minor|",
        ]
        outputs, noticed = noticing(read_mqm, write(tsv(rows)))
        check_outputs(outputs)
        assert outputs["source"].tolist() == ["a dog", "a cat", "a cow"] * 2
        # None where raters had different texts or none, and where the system was not rated.
        assert outputs["mt"].tolist() == ["ein Hund", None, None, "der Hund", None, None]
        assert set(noticed) == {"missing-score"}
        outputs, _ = noticing(read_mqm, write(tsv([*rows, "b|d|2|2|r|a dog|die Katze|Other|Minor|"])))
        assert "source" not in outputs.columns
        assert outputs["mt"].tolist()[4] == "die Katze"

    def test_the_same_texts_in_other_lines(self, write):
        rows = [
            "a|d|1|1|r|s|ein Hund|Other|Minor|",
            "ref|d|1|1|r|s|a|Other|Minor|",
            "a|d|2|2|r|s|eine Katze|Other|Minor|",
        ]
        scores, _ = noticing(read_mqm, write(tsv(rows)))
        turned = make_outputs(["x", "y"], {"a": ["eine Katze", "ein Hund"], "reference": ["b", "a"]})
        error = refusal(add_scores, turned.assign(segment_id=["1", "2"] * 2), scores)
        assert error.code == "text-mismatch"
        found, _ = noticing(add_scores, turned.assign(segment_id=["2", "1"] * 2), scores)
        np.testing.assert_array_equal(found["mqm"], [1, 1, math.nan, 1])

    def test_files_without_texts(self, write):
        names = [name for name in HEADER if name not in ("source", "target")]
        rows = ["a|d|1|1|r|Other|Minor|", "a|d|2|2|r|Other|Major|"]
        outputs, _ = noticing(read_mqm, write(tsv(rows, names)))
        assert not {"source", "mt"} & set(outputs.columns)

    def test_compressed(self, tmp_path):
        (tmp_path / "mqm.tsv.gz").write_bytes(gzip.compress(tsv(RATINGS).encode()))
        assert read_mqm(tmp_path / "mqm.tsv.gz")["mqm"].sum() == 33.35
        assert begins_as_mqm(peek(str(tmp_path / "mqm.tsv.gz")))

    def test_an_unknown_category(self, write):
        path = write(tsv([*RATINGS, "a|d2|2|4|r|s|t|Clarity/Odd|Minor|"]))
        assert str(refusal(read_mqm, path)) == (
            f"{path}, column 'category', line 12: there is no weight for category 'Clarity/Odd', only for "
            "'Accuracy', 'Fluency', 'Terminology', 'Style', 'Locale convention', 'Other', 'Fluency/Punctuation', "
            "'Non-translation', 'No-error': in Python, give read_mqm weights={(category, severity): number, ...}; in "
            "the terminal, give --weights CATEGORY:SEVERITY=NUMBER."
        )

    def test_an_unknown_severity(self, write):
        path = write(tsv([*RATINGS, "a|d2|2|4|r|s|t|Style/Awkward|Critical|"]))
        assert str(refusal(read_mqm, path)) == (
            f"{path}, column 'severity', line 12: there is no weight for severity 'Critical' of category "
            "'Style/Awkward', only for 'Major', 'Minor', 'Neutral': in Python, give read_mqm weights={(category, "
            "severity): number, ...}, or weights='marot', which has a weight for it; in the terminal, give --weights "
            "marot."
        )

    def test_other_faults(self, write):
        path = write(tsv([*RATINGS, "a|d2|2|4||s|t|Other|Minor|"]))
        assert str(refusal(read_mqm, path)) == (
            f"{path}, column 'rater', line 12: the rating has no rater: a name was expected."
        )
        path = write(tsv([], HEADER))
        assert str(refusal(read_mqm, path)) == f"{path} has no ratings: at least one was expected."
        path = write("system\tdoc\trater\n")
        assert str(refusal(read_mqm, path)) == (
            f"{path}, line 1: MQM ratings with the columns system, doc, doc_id, seg_id, rater, category and severity "
            "were expected, but 'category' and 'severity' are missing: there are 'system', 'doc', 'rater'."
        )
        path = write(tsv([*RATINGS, "a|d2|2"]))
        assert refusal(read_mqm, path).line == 12


class TestWeights:
    def test_the_published_table(self):
        # Freitag et al. (2021), section 3.2, and the README of google/wmt-mqm-human-evaluation.
        table = MQM_WEIGHTS["freitag2021"]
        assert {table[category, "Major"] for category in ("Accuracy", "Fluency", "Other")} == {5}
        assert {table[category, "Minor"] for category in ("Accuracy", "Fluency", "Other")} == {1}
        assert table["Fluency/Punctuation", "Minor"] == 0.1
        assert table["Non-translation", "Major"] == 25

    def test_what_costs_nothing_in_googles_viewer(self):
        # mqm_viewer/mqm-viewer.js: errors of the source, creative reinterpretations, tests of the rater's attention.
        table = MQM_WEIGHTS["marot"]
        assert {
            error for error, weight in table.items() if weight == 0 and error not in MQM_WEIGHTS["freitag2021"]
        } == {
            *((category, "*") for category in ("Accuracy/Creative Reinterpretation", "Source error", "Source issue")),
            *((result, "HOTW-test") for result in ("Found", "Missed")),
        }
        assert (table["Style", "Critical"], table["Style", "Trivial"]) == (5, 0.1)

    def test_the_most_specific_category_decides(self, write):
        weights = {("*", "*"): 1, ("FLUENCY", "*"): 10, ("fluency/punctuation", "Minor"): 100, ("*", "major"): 1000}
        outputs, _ = noticing(read_mqm, write(tsv(RATINGS)), weights=weights)
        # A category decides before a severity does: a major error of fluency costs 10.
        assert scores_of(outputs) == {
            **{("a", 1): 1, ("a", 2): 1000, ("a", 3): 1},
            **{("b", 1): (1001 + 100) / 2, ("b", 2): 10, ("b", 3): 300},
        }

    def test_a_named_subcategory_is_not_its_category(self, write):
        path = write(tsv(RATINGS))
        error = refusal(read_mqm, path, weights={("Accuracy/Addition", "*"): 1})
        assert error.code == "unknown-category"

    @pytest.mark.parametrize(
        ("weights", "sentence"),
        [
            (
                "google",
                "'google' was given for weights: one of 'freitag2021', 'marot' was expected, or a mapping of "
                "(category, severity) to a number such as {('*', 'Major'): 5, ('*', 'Minor'): 1}.",
            ),
            (
                {"Major": 5},
                "'Major' is a key of weights: a pair of a category and a severity was expected.",
            ),
            (
                {("", "Major"): 5},
                "('', 'Major') is a key of weights: a pair of a category and a severity was expected.",
            ),
            (
                {("*", "Major"): -5},
                "weights gives -5 for ('*', 'Major'): give a finite number that is not below 0.",
            ),
            (
                {("*", "No-error"): 0, ("*", "no_error"): 1},
                "weights gives two weights for ('*', 'no_error') (case, '_', '-' and a final '!' make no difference): "
                "keep one.",
            ),
        ],
    )
    def test_what_cannot_be_weights(self, write, weights, sentence):
        error = refusal(read_mqm, write(tsv(RATINGS)), weights=weights)
        assert str(error) == sentence
        assert error.code == "option-value"
        assert error.found in sentence


class TestMqmAverages:
    def test_are_taken_as_they_are(self, write):
        path = write(AVERAGES)
        outputs, noticed = noticing(read_mqm, path)
        assert outputs["system"].tolist() == ["b", "b", "a", "a"]
        np.testing.assert_array_equal(outputs["mqm"], [-1.5, 0.0, math.nan, -25.0])
        assert not np.signbit(outputs["mqm"][1])
        assert outputs["mqm_direction"].unique().tolist() == ["up"]
        assert outputs["segment_id"].tolist() == ["1", "2"] * 2
        assert str(noticed["missing-score"]) == (
            f"{path}: 1 of 4 scores is missing. One per system and segment was expected."
        )

    def test_faults(self, write):
        path = write(AVERAGES + "a\t-x 3\n")
        assert str(refusal(read_mqm, path)) == (
            f"{path}, line 6: '-x' cannot be read as a score (it is not written as a number with a decimal point): "
            "write a number, or None where there is no score."
        )
        for score in ("2.0", "0.1"):
            path = write(AVERAGES + f"a\t{score} 3\n")
            assert str(refusal(read_mqm, path)) == (
                f"{path}, line 6: the score {score} is above 0: averages of MQM scores are published as negative "
                "numbers; read other scores with read_table."
            )
        path = write(AVERAGES + "a\t-2.0\n")
        assert str(refusal(read_mqm, path)) == (
            f"{path}, line 6: 'a\\t-2.0': a system, a score and the number of a segment were expected, separated by "
            "one blank or tab."
        )
        assert refusal(read_mqm, write(AVERAGES + "a\t-2.0 1\n")).code == "duplicate-segment"
        assert refusal(read_mqm, write("system mqm_avg_score seg_id\n")).code == "no-segments"


class TestDa:
    def test_scores(self, write):
        path = write(DA, "ad-seg-scores-ru-en.csv")
        outputs, noticed = noticing(read_da, path)
        assert list(outputs.columns) == [
            "segment",
            "segment_id",
            "system",
            "run",
            "da",
            "da_z",
            "n_ratings",
            "da_z_direction",
        ]
        assert outputs["system"].tolist() == ["Online-B", "Online-B", "HUMAN", "HUMAN"]
        assert outputs["segment"].tolist() == [1, 3, 1, 3]
        np.testing.assert_array_equal(outputs["da"], [78.5, 98, math.nan, 0])
        np.testing.assert_array_equal(outputs["da_z"], [-1.25, 0.5, math.nan, 0.25])
        assert outputs["n_ratings"].tolist() == [2, 1, 0, 1]
        assert MeanScore("da").higher_is_better
        assert MeanScore("da_z").directed_by(outputs).higher_is_better
        assert noticed["missing-score"].count == 1
        assert str(noticed["renamed-systems"]) == (
            f"{path}: the numbers after the names of 2 systems were left out: 'Online-B.4' is now 'Online-B' and "
            "'HUMAN.0' is now 'HUMAN'."
        )

    @pytest.mark.parametrize("other", ["HUMAN", "Online-B.5", ".5"])
    def test_names_stay_where_a_number_is_part_of_them(self, write, other):
        outputs, noticed = noticing(read_da, write(DA.replace("HUMAN.0", other)))
        assert outputs["system"].unique().tolist() == ["Online-B.4", other]
        assert "renamed-systems" not in noticed

    def test_segments_with_names(self, write):
        outputs, noticed = noticing(read_da, write(DA.replace(" 3 ", " bn-hi-0-71.1_1 ").replace(" 1 78", " x 78")))
        assert outputs["segment_id"].tolist() == ["bn-hi-0-71.1_1", "x"] * 2
        assert "segments-renumbered" in noticed

    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            (
                "a.1 2 50 0.5 ",
                "'a.1 2 50 0.5 ': system, segment, raw score, standardized score and number of ratings were expected, "
                "separated by one blank each.",
            ),
            (
                "a.1 2 101 0.5 1 ",
                "the raw score 101 is not between 0 and 100: check that the columns are in the order 'SYS SID RAW.SCR "
                "Z.SCR N'.",
            ),
            (
                "a.1 2 -1 0.5 1 ",
                "the raw score -1 is not between 0 and 100: check that the columns are in the order 'SYS SID RAW.SCR "
                "Z.SCR N'.",
            ),
            (
                "a.1 2 50 0,5 1 ",
                "'0,5' cannot be read as a score (it is not written as a number with a decimal point): a number was "
                "expected.",
            ),
            ("a.1 2 None 0.5 1 ", "'None' cannot be read as a score (it is missing): a number was expected."),
            ("a.1 2 50 0.5 0 ", "0 was found where a whole number from 1 on was expected."),
            (
                "Online-B.4 3 50 0.5 1 ",
                "segment '3' of system 'Online-B', run 1 already appears in line 2: one row per segment was expected, "
                "with a column 'run' where there are several runs, and a column 'document' where segments are numbered "
                "by document.",
            ),
        ],
    )
    def test_faults(self, write, line, problem):
        path = write(DA + line + "\n")
        error = refusal(read_da, path)
        assert error.line == 5
        assert str(error).replace(", column 'segment'", "") == f"{path}, line 5: {problem}"

    def test_raw_scores_are_from_0_to_100(self, write):
        outputs, _ = noticing(read_da, write(DA + "a.1 2 100 0.5 1 \na.1 3 0 0.5 1 \n"))
        assert outputs.select_dtypes("float").max().max() == 100
        error = refusal(read_da, write(DA + "a.1 2 101 0.5 1 \n"))
        assert (error.code, error.found) == ("bad-number", "101")

    def test_another_file(self, write):
        path = write(AVERAGES)
        assert str(refusal(read_da, path)) == (
            f"{path}, line 1: the first line is 'system mqm_avg_score seg_id', but that of WMT's segment scores was "
            "expected: 'SYS SID RAW.SCR Z.SCR N'."
        )
        assert refusal(read_da, write("SYS SID RAW.SCR Z.SCR N \n")).code == "no-segments"
        empty = write("\n\n")
        assert str(refusal(read_da, empty, accept=["trailing-blank"])) == (
            f"{empty} holds nothing but empty lines: at least one line was expected."
        )


def test_files_are_recognized_by_their_first_line(write, tmp_path):
    def recognized(text):
        beginning = read_beginning(str(write(text)))
        return begins_as_mqm(beginning), begins_as_da(beginning)

    for text in (tsv(RATINGS), AVERAGES, "\ufeff" + tsv(RATINGS), tsv(RATINGS).replace("\n", "\r\n")):
        assert recognized(text) == (True, False)
    for text in (DA, DA.replace(" \n", "\n"), DA.replace("\n", "\r\n")):
        assert recognized(text) == (False, True)
    for text in ("\0", "system\tdoc\n", "one sentence\n", '{"src": 1}', '"a","b"\n'):
        assert recognized(text) == (False, False)
    for path in (tmp_path, tmp_path / "absent"):
        assert not holds_scores(str(path))


class TestPublishedNumbers:
    def test_mqm_of_ted_talks(self, shared):
        folder = shared / "realdata" / "mqm-ted-en-de"
        outputs, noticed = noticing(read_mqm, folder / "mqm_ted_ende.tsv")
        assert set(noticed) == {"renamed-systems"}
        # The README of google/wmt-mqm-human-evaluation, which cuts 1.969 to 1.96; ref.A is called ref in the file.
        published = {
            **{"reference": 0.91, "Facebook-AI": 1.06, "Online-W": 1.12, "VolcTrans-AT": 1.24, "metricsystem3": 1.44},
            **{"VolcTrans-GLAT": 1.49, "HuaweiTSC": 1.50, "metricsystem1": 1.63, "metricsystem2": 1.69},
            **{"metricsystem5": 1.72, "UEdin": 1.77, "metricsystem4": 1.78, "eTranslation": 1.96, "Nemo": 2.14},
        }
        means = outputs.groupby("system")["mqm"].mean()
        assert set(means.index) == set(published)
        assert outputs["mt"].notna().sum() == outputs["mqm"].notna().sum() == 7406
        assert "source" in outputs.columns
        for system, score in published.items():
            assert means[system] == pytest.approx(score, abs=0.01 if system == "eTranslation" else 0.005)

    def test_mqm_of_every_segment(self, shared):
        folder = shared / "realdata" / "mqm-ted-en-de"
        ratings, _ = noticing(read_mqm, folder / "mqm_ted_ende.tsv")
        averages, noticed = noticing(read_mqm, folder / "mqm_ted_ende.avg_seg_scores.tsv")
        assert noticed["missing-score"].count == 14 * 77
        ratings["system"] = ratings["system"].replace({"reference": "ref-A"})
        both = averages.merge(ratings, on=["system", "segment"], how="outer", suffixes=("", "_of_ratings"))
        assert len(both) == 14 * 606
        np.testing.assert_allclose(both["mqm"], -both["mqm_of_ratings"], atol=5e-7)

    def test_da_means(self, shared):
        folder = shared / "realdata" / "wmt21-da-ru-en"
        outputs, _ = noticing(read_da, folder / "ad-seg-scores-ru-en.csv")
        rows = (folder / "ad-sys-ranking-ru-en-z-names.csv").read_text().split("\n")
        for raw, z, n_segments, n_ratings, system, _ in (row.split(" ") for row in rows if row):
            scores = outputs[outputs["system"] == system.rpartition(".")[0]]
            assert scores["da"].mean() == pytest.approx(float(raw), abs=0.05)
            assert scores["da_z"].mean() == pytest.approx(float(z), abs=0.0005)
            assert scores["da"].count() == int(n_segments)
            assert scores["n_ratings"].sum() == int(n_ratings)

    @pytest.mark.long
    def test_da_with_outputs(self, shared):
        """The example of `read_da`, on the files that it names: the order of segments is right."""
        sacrebleu = pytest.importorskip("sacrebleu")
        folder = shared / "realdata"
        scores, _ = noticing(read_da, folder / "wmt21-da-ru-en" / "ad-seg-scores-ru-en.csv")
        whole, _ = noticing(read_wmt_xml, folder / "wmt-xml" / "newstest2021.ru-en.all.xml")
        names = {"add_scores": add_scores, "read_da": lambda file: scores, "read_wmt_xml": lambda file: whole}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            for example in doctest.DocTestParser().get_examples(read_da.__doc__):
                exec(example.source, names)
        outputs = names["outputs"]
        assert outputs["testsuite"].unique().tolist() == [""]
        rated = outputs[outputs["da_z"].notna()]
        assert set(rated["system"]) == set(outputs["system"])
        assert len(rated) == (scores["da_z"].notna() & (scores["system"] != "HUMAN")).sum()
        pairs = zip(outputs["hypothesis"], outputs["reference"], strict=True)
        chrf = [sacrebleu.sentence_chrf(hypothesis, [reference]).score for hypothesis, reference in pairs]
        means = outputs.assign(chrf=chrf).groupby("segment")[["da_z", "chrf"]].mean()
        assert means.corr().iloc[0, 1] == pytest.approx(0.40, abs=0.005)

    def test_da_verdicts(self, shared):
        """WMT's rank-sum test, of all ratings, and ours, of the segments in common, agree where p is small."""
        folder = shared / "realdata" / "wmt21-da-ru-en"
        published = pd.read_csv(folder / "adwilcox-ruen.csv", sep=" ", index_col=0).iloc[:, :11]
        published = published.rename(index=lambda name: name[:-2], columns=lambda name: name[:-2])
        outputs, _ = noticing(read_da, folder / "ad-seg-scores-ru-en.csv")
        statistics = compute_statistics(outputs, [MeanScore("da_z")])
        clear = 0
        with pytest.warns(match="^762 of 1000 segments have no da_z in at least one system"):
            comparison = compare(statistics, n_resamples=400)
        for one in comparison.metrics["da_z"].comparisons:
            p_of_better_a, p_of_better_b = published.loc[one.a, one.b], published.loc[one.b, one.a]
            if min(p_of_better_a, p_of_better_b) < 2e-4:
                clear += 1
                assert one.p_value < 0.01
                assert (one.difference > 0) == (p_of_better_a < p_of_better_b)
        assert clear == 12
