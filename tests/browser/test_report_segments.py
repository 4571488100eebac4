"""The browser of segments in a report: a file that is opened from disk, without a network and without a kernel."""

import re
import warnings
from pathlib import Path

import pytest

import mtworkbench as mtw
from mtworkbench.analyses.segments.pages import make_pages
from mtworkbench.analyses.segments.queries import QUERY, find_pattern
from mtworkbench.errors import InputError
from mtworkbench.metrics import MeanScore
from mtworkbench.reports.segments import gather_segments, segments_to_html, write_scripts
from mtworkbench.words.frames import with_minus
from tests.awkward import Case, make_outputs
from tests.browser.conftest import FRAME, open_context, wait_to_see, wait_until_it_fits
from tests.reports.hostile import DOCUMENTS, PAIRS, lose_outputs, make_hostile

METRICS = ("bleu", MeanScore("quality", higher_is_better=False))
HEAD_BEGINS = "text => document.querySelector('.mtw-head')?.textContent.startsWith(text)"
NUMBERS = "all => all.map(one => Number(one.querySelector('.mtw-number').textContent))"
# What a row shows: its texts with their kinds and marks, its numbers and facts.
ROWS = """all => all.map(row => ({
    segment: Number(row.querySelector('.mtw-number').textContent),
    contribution: row.querySelector('.mtw-contribution b').textContent,
    facts: [...row.querySelectorAll('.mtw-facts > span')].map(one => one.textContent),
    texts: [...row.querySelectorAll('.mtw-line')].map(line => [
        line.classList[1].slice(4), line.querySelector('.mtw-label').textContent,
        [...line.querySelector('.mtw-text').childNodes].map(one => [one.textContent, one.className ?? '']),
    ]),
}))"""


def gather(outputs, metrics, pairs, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mtw.DataWarning)
        statistics = [mtw.compute_statistics(outputs, metric) for metric in metrics]
        pages = {
            (one.metric.name, pair): make_pages(outputs, one, *pair) for one in statistics for pair in map(tuple, pairs)
        }
        return pages, gather_segments(outputs, statistics, pairs, **options)


def write(path, *sections, style=""):
    path.write_text(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Report</title>'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">"
        f"<style>{style}</style></head><body><main><h1>Report</h1>{''.join(sections)}</main>{write_scripts()}</body></html>",
        encoding="utf-8",
    )
    return path.as_uri()


@pytest.fixture(scope="module")
def hostile():
    outputs = make_hostile()
    lost = lose_outputs(outputs)
    # Under BLEU every segment needs an output, so only scores are missing there.
    return gather(outputs, METRICS[:1], PAIRS), gather(lost, METRICS[1:], PAIRS)


@pytest.fixture
def page(browser):
    context = open_context(browser, viewport={"width": 1200, "height": 1400})
    context.set_offline(True)
    page = context.new_page()
    problems = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.append(request.url) if not request.url.startswith("file:") else None)
    yield page
    context.close()
    assert problems == []


@pytest.fixture(params=[0, 1], ids=["BLEU", "quality"])
def opened(request, page, hostile, tmp_path):
    """A page of the hostile test set under one metric, with its pages in Python."""
    pages, segments = hostile[request.param]
    page.goto(write(tmp_path / "report.html", segments_to_html(segments)))
    page.wait_for_selector(".mtw-segment")
    return page, {pair: one for (_, pair), one in pages.items()}


def numbers(page):
    return page.locator(".mtw-segment").evaluate_all(NUMBERS)


def settle(page):
    """Wait until the page has answered itself."""
    page.evaluate(FRAME)


# What is asked with the page's own controls, and the same as a query.
ASKED = [
    {"sort": "segment"},
    {"sort": "change", "descending": True},
    {"sort": "length_reference"},
    {"sort": "document"},
    {"sort": "domain", "descending": True},
    {"sort": "length", "text": "the"},
    {"text": "strasse"},
    {"text": "σίσυφοσ", "within": "reference"},
    {"text": "</script>", "within": "hypothesis"},
    {"text": "测试"},
    {"text": "\u202e"},
    {"text": r"\bcats?\b|\bmat$", "pattern": True},
    {"text": r"^\w+ \w+\W", "pattern": True, "within": "reference"},
    {"text": r"\d,?\d{2,}", "pattern": True},
    {"text": r"[^\x00-\x7f]\s", "pattern": True, "within": "hypothesis_baseline"},
    {"text": r"(?P<word>\w+) (?P=word)", "pattern": True},
    {"document": DOCUMENTS[1], "sort": "segment"},
    {"document": DOCUMENTS[2], "text": "the"},
    {"shortest": 9, "longest": 11},
    {"flag": "number_changed"},
    {"flag": "number_changed", "flagged": PAIRS[0][1]},
    {"flag": "empty", "sort": "segment"},
    {"segments": [3, 9, 30], "sort": "segment"},
]
CONTROLS = {"sort": "Sort by", "text": "Find", "within": "in", "pattern": "regular expression", "document": "Document"}


def ask(page, query):
    """Clear the filters and ask with the page's controls."""
    page.get_by_role("button", name="Clear filters").click()
    settle(page)
    for name, value in query.items():
        if name in ("sort", "within"):
            page.get_by_label(CONTROLS[name], exact=True).select_option(value)
        elif name == "pattern":
            page.get_by_label(CONTROLS[name], exact=True).check()
        elif name in ("text", "document"):
            page.get_by_label(CONTROLS[name], exact=True).fill(
                value.replace("\u202e", r"\u202e") if name == "document" else value
            )
            page.keyboard.press("Enter")
        elif name in ("shortest", "longest"):
            page.get_by_label(f"{name.capitalize()}, in words").fill(f"{value}")
            page.keyboard.press("Enter")
        elif name == "flag":
            page.get_by_label("Flag", exact=True).select_option("\n".join(filter(None, [value, query.get("flagged")])))
        settle(page)
    order = page.locator("button[aria-label^='Order:']")
    if ("largest" in order.get_attribute("aria-label")) != query["descending"]:
        order.click()
    settle(page)


def test_the_page_finds_what_the_kernel_finds(opened):
    page, pages = opened
    of_pair = pages[PAIRS[0]]
    checked = 0
    for query in ASKED:
        flags = of_pair.flags[of_pair.a].columns
        if "segments" in query or query.get("flag", flags[0]) not in flags:
            continue
        full = QUERY | {"descending": False} | query
        # A regular expression is asked for before its text, half of which is none.
        asked = {"sort": "contribution", "descending": False} | query
        ask(page, dict(sorted(asked.items(), key=lambda one: one[0] == "text")))
        expected = of_pair.frame["segment"].to_numpy()[of_pair.select(full)].tolist()
        assert numbers(page) == expected, query
        checked += 1
    assert checked >= 20
    assert len(of_pair.frame) < 60  # so that all of them are on the page


def test_rows_are_those_of_the_kernel(opened):
    page, pages = opened
    marks = {"reference": {3: "neither"}, "new": {1: "both", 2: "right", 3: "wrong"}}
    marks["baseline"] = marks["new"]
    for place, pair in enumerate(PAIRS):
        if place:
            page.get_by_label("Systems", exact=True).select_option(f"{place}")
        of_pair = pages[pair]
        about = of_pair.describe()
        page.wait_for_function(HEAD_BEGINS, arg=f"{about['a']} − {about['b']} = ")
        shown = page.locator(".mtw-segment").evaluate_all(ROWS)
        assert len(shown) == len(of_pair.frame)
        by_segment = dict(zip(of_pair.frame["segment"], of_pair.rows(range(len(of_pair.frame))), strict=True))
        for row in shown:
            expected = by_segment[row["segment"]]
            assert row["contribution"] == with_minus(expected["contribution"])
            texts = []
            for text in expected["texts"]:
                pieces = [[one, marks.get(text["kind"], {}).get(code, "")] for one, code in text["pieces"]]
                pieces = [[one, f"mtw-{mark}" if mark else ""] for one, mark in pieces]
                if not "".join(one for one, _ in pieces).strip():
                    pieces.append(["empty", "mtw-empty"])
                texts.append((text["kind"], text["label"], pieces))
            assert sorted((kind, label, pieces) for kind, label, pieces in row["texts"]) == sorted(texts)
            facts = [value for _, value in expected["places"]]
            facts.append(" / ".join(count for _, count in expected["lengths"]) + " words")
            systems = dict(zip(of_pair.describe()["systems"], (of_pair.describe()[side] for side in "ab"), strict=True))
            facts += [f"{flag.replace('_', ' ')}: {systems[system]}" for flag, system in expected["flags"]]
            assert row["facts"] == facts
    assert page.title() == "Report"


# Patterns that Python takes, some of them where browsers' own expressions differ.
PATTERNS = [
    *(r"\bcaf\w\b", r"\d+", r"\D\d\b", r"[\w-]+end", r"[^\W\d]{4,}", r"\s\S+$", r"^\S", r"x{,3}y?", "{", "a{", "]"),
    *(
        "}",
        "a{x}",
        r"\Athe",
        r"end\Z",
        r"(?:a|b)(?=c)",
        r"(?<!t)he",
        r"(?P<x>.)(?P=x)",
        r"(.)\1",
        "[]]",
        "[^]a]",
        "[a-]",
    ),
    *(
        r"[\]\-&&]",
        r"\x41|\u00e9|\U0001f1e9",
        r"\'s\b",
        r"\\\.",
        "(?#note)it",
        "STRASSE",
        "σ",
        "ß",
        r"[\u4e00-\u9fff]+",
    ),
    *(".\\t", "a|", "a*?", "$"),
]
FAULTS = [
    *("(", "a(b", "[a", "*a", "a)", "a**", "\\", "[z-a]", r"\q", r"\x1", "a|*", "(*)", "[]", "it's (", "^*"),
    r"[\d-z]",
]
CALL = """([script, action, given]) =>
    new Function('action', 'given', `${script}; return eval(action)(given)`)(action, given)"""


@pytest.fixture
def run(page):
    """Return a function that calls one of the script's own."""
    script = re.search('<script type="module">(.*)</script>', write_scripts(), re.DOTALL)[1]
    return lambda action, given: page.evaluate(CALL, [script, action, given])


def test_expressions_are_those_of_python(run):
    texts = make_hostile()["hypothesis"].drop_duplicates().tolist()
    texts += ["a{x}", "x}y]", "a\\.b", "line one\nthe end\n", "ab\r\u2028", "\u00a0\x1c", "_x١٢", "é́"]
    test = "([patterns, texts]) => patterns.map(one => texts.map(text => readPattern(one).test(text)))"
    for pattern, found in zip(PATTERNS, run(test, [PATTERNS, texts]), strict=True):
        assert found == find_pattern(pattern, [texts]).tolist(), pattern


def test_what_is_no_expression_is_said_in_the_words_of_the_kernel(run):
    said = (
        "faults => faults.map(one => { try { readPattern(one); return null } catch (error) { return error.message } })"
    )
    for pattern, message in zip(FAULTS, run(said, FAULTS), strict=True):
        with pytest.raises(InputError, match="is not a regular expression") as error:
            find_pattern(pattern, [["a"]])
        assert f"is not a regular expression: {message}." in str(error.value)


def test_a_complaint_is_shown_and_the_list_stays(opened):
    page, _ = opened
    before = numbers(page)
    page.get_by_label("regular expression", exact=True).check()
    page.get_by_label("Find", exact=True).fill("it's (")
    page.keyboard.press("Enter")
    complaint = page.locator(".mtw-complaint")
    complaint.filter(has_text="regular").wait_for()
    with pytest.raises(InputError) as error:
        find_pattern("it's (", [["a"]])
    assert complaint.inner_text() == str(error.value)
    assert numbers(page) == before


@pytest.fixture(scope="module")
def large():
    """A test set of more rows than the page holds, three pairs, two metrics."""
    outputs = make_outputs(Case(400, n_systems=3, documents=True))
    return gather(outputs, ("bleu", "chrf"), [("nmt", "online A"), ("rules-2", "online A"), ("rules-2", "nmt")])


IS_IN_VIEW = """one => {
    const place = one.getBoundingClientRect();
    return place.top >= 0 && place.bottom <= innerHeight;
}"""


def current(page):
    """The segment that an address shows: it is in view, has the focus, and is the one that is marked."""
    page.wait_for_selector(".mtw-segment[aria-current]")
    [segment] = page.locator(".mtw-segment[aria-current]").evaluate_all(NUMBERS)
    wait_to_see(page, lambda: page.evaluate("() => document.activeElement.ariaCurrent"), "true")
    wait_to_see(page, lambda: page.locator(".mtw-segment[aria-current]").evaluate(IS_IN_VIEW), True)
    return segment


def test_an_address_shows_a_segment_of_a_pair_by_a_metric(page, large, tmp_path):
    pages, segments = large
    address = write(tmp_path / "report.html", "<p style='height: 3000px'>far below</p>", segments_to_html(segments))
    page.goto(address + "#segment=12")
    assert current(page) == 12
    difference = with_minus(pages["BLEU", ("nmt", "online A")].describe()["difference"])
    assert page.locator(".mtw-head").inner_text() == f"nmt − online A = {difference} BLEU (higher is better)"
    page.goto(address + "#segment=377&pair=rules-2+−+nmt&metric=chrF")
    assert current(page) == 377
    assert page.locator(".mtw-head").inner_text().startswith("rules-2 − nmt = ")
    assert page.locator(".mtw-head").inner_text().endswith(" chrF (higher is better)")
    assert page.get_by_label("Metric", exact=True).evaluate("one => one.selectedOptions[0].text") == "chrF"
    # A filter that would hide the segment goes; the link of a number is the address of its segment.
    page.get_by_label("Find", exact=True).fill("no such text")
    page.keyboard.press("Enter")
    page.evaluate("() => { location.hash = '#segment=200'; }")
    page.wait_for_selector("[aria-label^='Segment 200,'][aria-current]")
    assert page.locator(".mtw-status").inner_text() == "400 segments."
    link = page.get_by_role("link", name="Link to segment 200", exact=True)
    link.click()
    assert page.evaluate("() => location.hash") == "#segment=200&pair=rules-2+%E2%88%92+nmt&metric=chrF"
    page.evaluate("() => { location.hash = '#segment=401'; }")
    complaint = page.locator(".mtw-complaint")
    complaint.filter(has_text="There is no segment 401 among the 400 segments.").wait_for()
    assert page.locator("[aria-current]").count() == 0


def test_what_was_looked_for_stays_when_the_pair_changes(page, large, tmp_path):
    pages, segments = large
    page.goto(write(tmp_path / "report.html", segments_to_html(segments)))
    page.get_by_label("Find", exact=True).fill("w1 ")
    page.keyboard.press("Enter")
    page.get_by_label("How many of the first segments").fill("3")
    page.get_by_role("button", name="Select the first").click()
    settle(page)
    chosen = numbers(page)[:3]
    page.get_by_label("Systems", exact=True).select_option(label="rules-2 − nmt")
    of_pair = pages["BLEU", ("rules-2", "nmt")]
    query = QUERY | {"text": "w1 ", "descending": of_pair.difference >= 0}
    expected = of_pair.frame["segment"].to_numpy()[of_pair.select(query)].tolist()
    page.locator(".mtw-head").filter(has_text="rules-2 − nmt").wait_for()
    wait_to_see(page, lambda: numbers(page), expected[:60])
    assert f"{len(expected)} of 400 segments; 3 selected." == page.locator(".mtw-status").inner_text()
    page.get_by_label("selected only", exact=True).check()
    settle(page)
    assert numbers(page) == [one for one in expected if one in chosen]


def test_the_list_scrolls_to_its_end_by_keys(page, large, tmp_path):
    pages, segments = large
    page.goto(write(tmp_path / "report.html", segments_to_html(segments)))
    page.locator(".mtw-list").focus()
    page.keyboard.press("End")
    page.wait_for_function("() => document.activeElement.ariaPosInSet === '400'")
    page.keyboard.press("s")
    settle(page)
    of_pair = pages["BLEU", ("nmt", "online A")]
    order = of_pair.select(QUERY | {"descending": of_pair.difference >= 0})
    assert numbers(page) == of_pair.frame["segment"].to_numpy()[order].tolist()[-60:]
    assert page.locator(".mtw-status").inner_text() == "400 segments; 1 selected."
    for key in "xn":
        page.keyboard.press(key)
    for words in ("leave out", "Note", "Copy the selection as", "Python call", "have in common", "Count in"):
        assert page.get_by_text(words).count() == 0, words


def test_n_grams_and_flags_filter_the_list(page, large, hostile, tmp_path):
    pages, segments = large
    of_pair = pages["BLEU", ("nmt", "online A")]
    page.goto(write(tmp_path / "report.html", segments_to_html(segments)))
    page.get_by_text("Words and phrases that one system gets right more often").click()
    page.get_by_label("Length in words").select_option("2")
    counted = of_pair.count_ngrams(None, 2)
    buttons = page.locator(".mtw-ngrams td button")
    listed = [one["shown"] for side in ("new", "baseline") for one in counted[side]]
    wait_to_see(page, buttons.all_inner_texts, listed)
    buttons.first.click()
    settle(page)
    query = QUERY | {"ngram": counted["new"][0]["ngram"], "descending": of_pair.difference >= 0}
    assert numbers(page) == of_pair.frame["segment"].to_numpy()[of_pair.select(query)].tolist()
    pages, segments = hostile[0]
    of_pair = pages["BLEU", PAIRS[0]]
    page.goto(write(tmp_path / "report.html", segments_to_html(segments)))
    page.get_by_text("Flags: possible errors").click()
    flag, _, *counts = of_pair.describe()["flags"][0]
    side = 0 if counts[0] else 1
    page.locator(".mtw-panel[open] td button").nth(side).click()
    settle(page)
    assert len(numbers(page)) == counts[side] > 0


def test_several_test_sets_are_opened_when_they_are_needed(page, large, hostile, tmp_path):
    folds = [
        f"<details><summary>{name}</summary>{segments_to_html(one)}</details>"
        for name, one in (("a", large[1]), ("b", hostile[0][1]))
    ]
    address = write(tmp_path / "report.html", *folds)
    page.goto(address)
    settle(page)
    assert page.locator(".mtw-segments").count() == 0
    page.get_by_text("b", exact=True).click()
    page.wait_for_selector(".mtw-segment")
    assert page.locator(".mtw-segments").count() == 1
    assert page.get_by_role("link", name="Link to segment 3", exact=True).get_attribute("href").endswith("&set=2")
    page.evaluate("() => { location.hash = '#segment=300&set=1'; }")
    assert current(page) == 300
    assert page.locator(".mtw-segments").count() == 2


def test_without_a_script_on_paper_and_of_damaged_data_there_is_the_table(browser, page, large, tmp_path):
    _, segments = large
    address = write(tmp_path / "report.html", segments_to_html(segments))
    static = page.locator(".mtw-segments-static")
    page.goto(address)
    page.wait_for_selector(".mtw-segment")
    assert not static.is_visible()
    page.emulate_media(media="print")
    assert static.is_visible()
    assert not page.locator(".mtw-segments").is_visible()
    context = open_context(browser, java_script_enabled=False)
    plain = context.new_page()
    plain.goto(address)
    assert plain.locator(".mtw-segments-static table").count() == 2
    assert plain.locator(".mtw-segments-static").is_visible()
    context.close()
    damaged = (tmp_path / "report.html").read_text().replace(segments.packed["set"], segments.packed["set"][:-40])
    (tmp_path / "damaged.html").write_text(damaged)
    context = open_context(browser)
    broken = context.new_page()
    broken.goto((tmp_path / "damaged.html").as_uri())
    said = "The data of the segments in this file cannot be read, so only the first ones are shown."
    broken.get_by_text(said).wait_for()
    assert broken.locator(".mtw-segments-static").is_visible()
    context.close()


def test_without_texts_there_are_numbers_documents_and_flags(page, tmp_path):
    outputs = make_hostile()
    _, segments = gather(outputs, ("bleu",), PAIRS[:1], texts=False)
    page.goto(write(tmp_path / "report.html", segments_to_html(segments)))
    page.wait_for_selector(".mtw-segment")
    assert len(numbers(page)) == 48
    assert page.locator(".mtw-line").count() == 0
    assert page.get_by_label("Find", exact=True).count() == 0
    assert page.get_by_text("Words and phrases").count() == 0
    page.get_by_label("Document", exact=True).fill(DOCUMENTS[1])
    page.keyboard.press("Enter")
    settle(page)
    expected = outputs.drop_duplicates("segment")
    assert sorted(numbers(page)) == expected["segment"][expected["document"] == DOCUMENTS[1]].tolist()


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (400, "dark")])
def test_axe_finds_no_serious_fault_and_nothing_is_wider_than_the_page(
    page, hostile, tmp_path, serious_faults, scheme, width
):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 1000})
    looks = (Path(mtw.__file__).parent / "reports" / "report.css").read_text(encoding="utf-8")
    page.goto(write(tmp_path / "report.html", segments_to_html(hostile[0][1]), style=looks) + "#segment=5")
    current(page)
    for fold in page.locator("summary").all():
        fold.click()
    settle(page)
    assert serious_faults(page) == []
    wait_until_it_fits(page, width)
