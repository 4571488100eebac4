"""A report is reproduced from what it holds, whatever was asked; whatever is changed in it is found."""

import base64
import json
import re
import shutil
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mtworkbench as mtw
from mtworkbench.inference import compare
from mtworkbench.reports import verify_report, write_report
from mtworkbench.reports.page import BEGINNING, DATA, write_page
from mtworkbench.reports.reading import parse_report
from mtworkbench.reports.report import describe_report, make_report
from mtworkbench.reports.verify import summarize
from mtworkbench.statistics.files import unpack_statistics
from mtworkbench.words.reports import introduce_rules

WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "saw", "two", "red", "birds", "in", "one", "old", "tree"]


def make(n_runs=1, n=60, seed=1):
    """Three systems, copies of a reference with wrong words, in documents of six segments, with two scores."""
    draw = np.random.default_rng(seed)
    reference = [" ".join(draw.choice(WORDS, 9)) for _ in range(n)]

    def spoil(share):
        return [" ".join(draw.choice(WORDS) if draw.random() < share else w for w in one.split()) for one in reference]

    systems = {name: [spoil(share) for _ in range(n_runs)] for name, share in {"a": 0.3, "b": 0.25, "c": 0.6}.items()}
    documents, domains = [f"d{place // 6}" for place in range(n)], ["news", "talks"] * (n // 2)
    frame = mtw.make_outputs(reference, systems, documents=documents, domains=domains)
    frame["mark"] = draw.normal(size=len(frame))
    frame["part"] = [score if place % 7 else None for place, score in enumerate(draw.normal(size=len(frame)))]
    return frame


def compared(metrics=("bleu",), baseline="a", n_runs=1, **options):
    """A comparison of the systems, with few draws."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mtw.DataWarning)
        statistics = mtw.compute_statistics(make(n_runs), list(metrics))
        return compare(statistics, baseline, **({"rng": 1, "n_resamples": 400, "n_trials": 1000} | options))


def of_several_sets(**options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mtw.DataWarning)
        sets = {f"set {seed}": mtw.compute_statistics(make(seed=seed), "bleu") for seed in range(3)}
        return compare(sets, "a", **({"rng": 1, "n_resamples": 400, "n_trials": 1000} | options))


ASKED = {
    "by document": {"unit": "document"},
    "all pairs": {"baseline": None},
    "until decided": {"n_trials": None, "n_resamples": None},
    "several metrics": {"metrics": ["bleu", "chrf", "ter"], "family": "all"},
    "runs": {"n_runs": 3},
    "pooled runs": {"n_runs": 2, "runs": "pooled", "exchange": "run"},
    "margin": {"margin": 3.0},
    "margins": {"metrics": ["bleu", "chrf"], "margin": {"BLEU": 3.0, "chrF": 2.0}},
    "Holm and BCa": {"adjust": "holm", "interval": "bca", "unit": "segment"},
    "strata": {"strata": "domain", "unit": "segment"},
    "blocks": {"unit": "block", "block_length": 5},
    "chosen blocks": {"unit": "block"},
    "a level": {"level": 0.9},
    "a Generator": {"rng": np.random.default_rng(3)},
    "missing scores": {"metrics": ["mark", "part"]},
}


# A page is made from the same numbers, so that a few of them are enough for `make test`.
IN_HTML_AT_ONCE = ("by document", "all pairs", "runs", "margin")


@pytest.mark.parametrize(
    ("asked", "ending"),
    [(asked, "json") for asked in ASKED]
    + [pytest.param(asked, "html", marks=() if asked in IN_HTML_AT_ONCE else pytest.mark.long) for asked in ASKED],
)
def test_a_report_is_reproduced_whatever_was_asked(tmp_path, asked, ending):
    path = tmp_path / f"report.{ending}"
    write_report(compared(**ASKED[asked]), path)
    found = verify_report(path)
    assert found.reproduced, found.differences
    assert re.match(r"All \d+ numbers of the result are the same when computed again", found.found[0])
    assert "the files, which this report does not name" in found.unchecked


@pytest.mark.parametrize("options", [{}, {"margin": 3.0}, {"adjust": "holm", "unit": "segment"}], ids=str)
def test_a_report_of_several_test_sets_is_reproduced(tmp_path, options):
    write_report(of_several_sets(**options), tmp_path / "report.html")
    assert verify_report(tmp_path / "report.html").reproduced


def change(path, alter):
    """Alter the object that a report holds."""
    content = path.read_text(encoding="utf-8")
    written = parse_report(content, str(path))
    alter(written)
    data = json.dumps(written)
    if content.startswith(BEGINNING):
        before, _, rest = content.partition(DATA)
        _, _, after = rest.partition("</script>")
        data = before + DATA + data.replace("<", "\\u003c") + "</script>" + after
    path.write_text(data, encoding="utf-8")


@pytest.fixture(scope="module", params=["html", "json"])
def written(tmp_path_factory, request):
    path = tmp_path_factory.mktemp("written") / f"report.{request.param}"
    write_report(compared(), path)
    return path


@pytest.fixture
def report(written, tmp_path):
    """A report that may be changed."""
    return Path(shutil.copy(written, tmp_path))


def test_a_changed_number_is_named(report):
    def lower_p(written):
        written["comparison"]["metrics"]["BLEU"]["comparisons"][0]["p_adjusted"] = 0.0001

    change(report, lower_p)
    found = verify_report(report)
    assert not found.reproduced
    assert found.differences[0].startswith("metrics.BLEU.comparisons[0].p_adjusted is 0.0001 in the report, but ")
    assert not any("computed again" in one for one in found.found)


def test_another_seed_gives_other_numbers(tmp_path):
    report = tmp_path / "report.html"
    write_report(compared(unit="segment"), report)
    change(report, lambda written: written["asked"].update(rng="2"))
    assert any("comparisons[0].p_value is " in one for one in verify_report(report).differences)


def test_a_changed_verdict_is_found(report):
    def turn(written):
        written["comparison"]["metrics"]["BLEU"]["comparisons"][0]["conclusion"] = "shown for everybody"

    change(report, turn)
    assert any(".conclusion is 'shown for everybody'" in one for one in verify_report(report).differences)


def test_the_report_of_another_version_keeps_its_numbers_and_not_its_words(report):
    def age(written):
        written["mtworkbench"] = "0.0.9"
        written["comparison"]["version"] = "0.0.9"
        written["comparison"]["headline"] = ["In other words."]

    change(report, age)
    found = verify_report(report)
    assert found.reproduced
    assert not found.text_is_checked
    assert any("mtworkbench 0.0.9 wrote it" in one for one in found.unchecked)
    assert summarize(found) == "The numbers are reproduced. The text was not checked."


def test_a_value_that_an_older_version_did_not_have_is_no_difference(report):
    def age(written):
        pair = written["comparison"]["metrics"]["BLEU"]["comparisons"][0]
        assert pair["score_a"] is not None
        pair["score_a"] = None

    change(report, age)
    assert any("score_a is None in the report" in one for one in verify_report(report).differences)
    change(report, lambda written: (written.update(mtworkbench="0.0.9"), written["comparison"].update(version="0.0.9")))
    assert verify_report(report).reproduced


def test_where_words_alone_differ_the_numbers_are_said_to_be_the_same(tmp_path):
    report = tmp_path / "report.json"
    write_report(compared(), report)
    change(report, lambda written: written["comparison"].update(headline=["In other words."]))
    found = verify_report(report)
    assert found.differences[0].startswith("headline") and not found.reproduced
    assert re.match(r"All \d+ numbers of the result are the same when computed again", found.found[0])


def test_a_report_of_the_first_schema_stays_readable():
    """Its numbers are those of the version that wrote it, whatever sentences are like now."""
    found = verify_report(Path(__file__).with_name("schema_1.json"))
    assert found.reproduced, found.differences
    assert not found.text_is_checked


def test_a_report_of_a_version_without_an_option_stays_readable(tmp_path):
    """What `compare` does without it is what that version did."""
    written = json.loads(Path(__file__).with_name("schema_1.json").read_text(encoding="utf-8"))
    assert written["asked"].pop("family") == "metric"
    path = tmp_path / "report.json"
    path.write_text(json.dumps(written), encoding="utf-8")
    found = verify_report(path)
    assert found.reproduced, found.differences


def test_a_report_of_this_version_without_an_option_is_damaged(tmp_path):
    written = json.loads(Path(__file__).with_name("schema_1.json").read_text(encoding="utf-8"))
    written["mtworkbench"] = written["comparison"]["version"] = mtw.__version__
    del written["asked"]["family"]
    path = tmp_path / "report.json"
    path.write_text(json.dumps(written), encoding="utf-8")
    with pytest.raises(mtw.InputError, match="is damaged .*it has other options"):
        verify_report(path)


CHANGED = "is not what mtworkbench writes of this result: something was changed."
ADDED = "The section of sentences has what no report has there: something was added to the page."
SENTENCES, PICTURE = '<section id="sentences">', ' src="data:image/png;base64,'
LIE = "<h1>b is shown to be better</h1><style>main{display:none}</style>"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page with sentences, which is reproduced."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mtw.DataWarning)
        outputs = make()
        comparison = compare(mtw.compute_statistics(outputs, "bleu"), "a", rng=1, n_trials=1000)
        report = make_report(comparison, outputs)
    whole = write_page(report, describe_report(report))
    path = tmp_path_factory.mktemp("whole") / "report.html"
    path.write_text(whole, encoding="utf-8")
    assert verify_report(path).reproduced
    return whole


def forge(name, page):
    """Change a page so that a reader sees something else."""
    element = f"{DATA}{{}}</SCRIPT>{LIE}<script></script>"
    return {
        "a verdict": page.replace("is not shown", "is shown").replace("not shown", "better"),
        "an element more": page.replace("</body>", f"{element}</body>"),
        "an element before": page.replace("<main>", f"{element}<main>"),
        "the end of the element": page.replace(DATA, f'{DATA}{{"x": "</SCRIPT>{LIE}"}}</script>{DATA}'),
        "a style": page.replace("</style>", "main{display:none}</style>", 1),
        "a comment": page.replace("<h1>", "<!--<h1>"),
        "a heading among the sentences": page.replace(SENTENCES, f"{SENTENCES}{LIE}"),
        "a script among the sentences": page.replace(
            '<section id="sentences">', '<section id="sentences"><script>document.body.innerHTML="x"</script>'
        ),
        "a picture among the sentences": page.replace(
            '<section id="sentences">', '<section id="sentences"><img src="x">'
        ),
        "an end of the sentences": page.replace(SENTENCES, f"{SENTENCES}</section>{LIE}"),
        "the end of the page": f"{page}{LIE}",
        "another picture and more": page.replace(
            ' src="data:image/png;base64,', ' onload="x" src="data:image/png;base64,'
        ),
        "text between": page.replace("</h1>", "</h1>b is shown to be better"),
    }[name]


FORGED = [
    *("a verdict", "an element more", "an element before", "the end of the element", "a style", "a comment"),
    *("a heading among the sentences", "a script among the sentences", "a picture among the sentences"),
    *("an end of the sentences", "the end of the page", "another picture and more", "text between"),
]


def test_the_section_that_was_changed_is_named(tmp_path, page):
    path = tmp_path / "report.html"
    path.write_text(page.replace("We compared", "We have compared"), encoding="utf-8")
    assert verify_report(path).differences == (f"The section 'For a paper' of the page {CHANGED}",)


@pytest.mark.parametrize("name", FORGED)
def test_whatever_a_reader_would_see_otherwise_is_found(tmp_path, page, name):
    path = tmp_path / "report.html"
    forged = forge(name, page)
    assert forged != page
    path.write_text(forged, encoding="utf-8")
    try:
        found = verify_report(path)
    except mtw.InputError as error:
        assert error.code == "report-file"
    else:
        assert not found.reproduced
        assert any(one == ADDED or one.endswith(CHANGED) for one in found.differences)


@pytest.mark.parametrize("begin", ["\ufeff", " ", "x", "<!--x-->"])
def test_a_page_begins_as_pages_do(tmp_path, page, begin):
    path = tmp_path / "report.html"
    path.write_text(begin + page, encoding="utf-8")
    with pytest.raises(mtw.InputError, match="is not a report"):
        verify_report(path)


@pytest.mark.parametrize("key", ["metrics", "doubts", "headline", "n_segments"])
def test_what_is_taken_away_is_missed(report, key):
    change(report, lambda written: written["comparison"].pop(key))
    assert any(f"{key} is missing in the report" in one for one in verify_report(report).differences)


def test_changed_statistics_are_damage_or_another_result(report):
    def spoil(written):
        content = bytearray(base64.b64decode(written["statistics"][""]))
        content[len(content) // 2] ^= 1
        written["statistics"][""] = base64.b64encode(content).decode()

    change(report, spoil)
    with pytest.raises(mtw.InputError, match="damaged"):
        verify_report(report)


def test_other_statistics_give_other_numbers(report, tmp_path):
    other = tmp_path / "other.json"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mtw.DataWarning)
        write_report(compare(mtw.compute_statistics(make(seed=9), "bleu"), "a", rng=1, n_trials=1000), other)
    packed = json.loads(other.read_text())["statistics"]
    change(report, lambda written: written.update(statistics=packed))
    assert len(verify_report(report).differences) > 5


def test_the_statistics_in_a_report_are_those_that_were_compared(tmp_path):
    comparison = compared()
    write_report(comparison, tmp_path / "report.json")
    packed = json.loads((tmp_path / "report.json").read_text())["statistics"][""]
    [unpacked] = unpack_statistics(base64.b64decode(packed), "report")
    [compared_with] = comparison.statistics
    assert list(unpacked) == list(compared_with) == ["a", "b", "c"]
    assert all((unpacked[name].values == compared_with[name].values).all() for name in unpacked)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "report-file"),
        ("<html></html>", "report-file"),
        ("[1]", "report-file"),
        ('{"format": "mtworkbench report", "schema": "1"}', "report-file"),
        ('{"format": "mtworkbench report", "schema": true}', "report-file"),
        ('{"format": "mtworkbench report", "schema": 99, "mtworkbench": "9.0"}', "newer-version"),
        ('{"format": "mtworkbench report", "schema": 1}', "report-file"),
        ('{"format": "mtworkbench report", "schema": 1' + "0" * 400 + "}", "report-file"),
        ('{"format": "mtworkbench report", "schema": NaN}', "report-file"),
        ("[" * 100_000, "report-file"),
    ],
)  # fmt: skip
def test_what_is_no_report_is_refused(tmp_path, content, code):
    path = tmp_path / "report.json"
    path.write_text(content)
    with pytest.raises(mtw.InputError) as refused:
        verify_report(path)
    assert refused.value.code == code


@pytest.mark.parametrize(
    "asked",
    [{"rng": -1}, {"unit": 3}, {"n_trials": "many"}, {"level": None}, {"margin": []}, {"study": "x"}, {"x": 1}],
    ids=str,
)  # fmt: skip
def test_options_that_compare_does_not_take_are_refused(report, asked):
    change(report, lambda written: written["asked"].update(asked))
    with pytest.raises(mtw.InputError):
        verify_report(report)


HOSTILE = {
    "files that are none": lambda written: written.update(files=[1]),
    "a file without a path": lambda written: written.update(files=[{}]),
    "a path that is no text": lambda written: written.update(files=[{"path": 1, "n_bytes": 1, "sha256": "x"}]),
    "a list for a checksum": lambda written: written.update(files=[{"path": "x", "n_bytes": 1, "sha256": []}]),
    "warnings that are none": lambda written: written["comparison"].update(warnings=["x"]),
    "no warnings": lambda written: written["comparison"].pop("warnings"),
    "a command that is none": lambda written: written.update(command=[1, 2]),
    "a command with NUL": lambda written: written.update(command=["report", "\0"]),
    "a version that is none": lambda written: written.update(mtworkbench="\x1b[2J"),
    "two versions": lambda written: written.update(mtworkbench="0.0.9"),
    "a key more": lambda written: written.update(more=1),
    "a huge seed": lambda written: written["asked"].update(rng=10**400),
    "a statistic that is none": lambda written: written.update(statistics={"": 1}),
    "statistics of two sets": lambda written: written["statistics"].update(x="UEsDBA=="),
    "no baseline": lambda written: written["asked"].pop("baseline"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_report_is_refused_in_a_sentence(report, name):
    change(report, HOSTILE[name])
    with pytest.raises(mtw.InputError, match=r"^'.*\.$"):
        verify_report(report)


def test_nothing_in_a_report_steers_a_terminal(report):
    change(report, lambda written: written["comparison"].update({"\x1b[31mReproduced.": 1}))
    found = verify_report(report)
    assert found.differences
    assert all(one.isprintable() for one in (*found.differences, *found.found, *found.unchecked))


def test_files_outside_the_folder_are_not_looked_at(report):
    names = ["../x", "/etc/passwd"]
    change(report, lambda written: written.update(files=[{"path": n, "n_bytes": 1, "sha256": "x"} for n in names]))
    assert any("cannot be found in" in one and "/etc/passwd" in one for one in verify_report(report).found)


def test_numbers_of_numpy_are_plain_in_a_report(tmp_path):
    write_report(
        compared(n_trials=np.int64(1000), level=np.float64(0.9), margin={"BLEU": np.float64(2)}), tmp_path / "a.html"
    )
    assert verify_report(tmp_path / "a.html").reproduced


def test_a_missing_report_and_another_ending_are_refused(tmp_path):
    with pytest.raises(mtw.InputError, match="cannot be read"):
        verify_report(tmp_path / "none.html")
    with pytest.raises(mtw.InputError, match="must end in .html or .json"):
        write_report(compared(), tmp_path / "report.pdf")
    with pytest.raises(mtw.InputError, match="a comparison was expected"):
        write_report(pd.DataFrame(), tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("n_runs", [1, 3])
def test_rules_of_other_tools_are_said_not_to_be_about_the_method(n_runs):
    """Where the result is: a reader may see a verdict of nine rules against "not shown for the method"."""
    said = introduce_rules(compared(n_runs=n_runs), 2)
    assert ("None of these rules is about the method: " in said) is (n_runs > 1)
    assert said.startswith("The result above adjusts p for several comparisons; these rules do not.")
