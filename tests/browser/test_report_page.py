"""The page of a report as its readers open it: a file on disk, without a network."""

import json
import warnings

import pytest

import mtworkbench as mtw
from tests.awkward import Case, make_outputs
from tests.browser.conftest import open_context, wait_until_it_fits

SECTIONS = ["Result", "Figure", "What would help", "Which sentences", "What the rules of other tools say"]
SECTIONS += ["For a paper", "How to check this report"]
COLOURS = "all => all.map(one => [getComputedStyle(one).color, getComputedStyle(one).backgroundColor])"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A report of three systems by two metrics, with its address."""
    outputs = make_outputs(Case(400, n_systems=3, documents=True))
    statistics = mtw.compute_statistics(outputs, ("bleu", "chrf"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mtw.DataWarning)  # of few documents
        comparison = mtw.compare(statistics, "online A", rng=1, n_trials=1000)
    path = tmp_path_factory.mktemp("report") / "report.html"
    mtw.write_report(comparison, path, outputs=outputs)
    return path.as_uri()


@pytest.fixture
def page(browser):
    context = open_context(browser, viewport={"width": 1400, "height": 1000}, offline=True)
    page = context.new_page()
    problems = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request", lambda request: problems.append(request.url) if request.url[:5] not in ("file:", "data:") else None
    )
    yield page
    context.close()
    assert problems == []


def show_segments(page):
    page.locator("#sentences").scroll_into_view_if_needed()
    page.wait_for_selector(".mtw-segment")


def test_the_page_says_what_its_object_for_programs_says(page, report):
    page.goto(report)
    assert page.locator("h2").all_inner_texts() == SECTIONS
    comparison = json.loads(page.locator("#mtworkbench-report").text_content())["comparison"]
    rows = page.locator("#result table").first.locator("tbody tr").all_inner_texts()
    shown = {name: cells for name, *cells in (row.split("\t") for row in rows)}
    found = comparison["metrics"]
    assert shown.keys() == {one["system"] for one in found["BLEU"]["systems"]}
    for system in shown:
        [bleu, chrf] = [
            next(one["score"] for one in found[name]["systems"] if one["system"] == system) for name in ("BLEU", "chrF")
        ]
        assert f"{bleu:.2f}" == shown[system][0]
        assert f"{chrf:.2f}" in shown[system]
    for name, metric in found.items():
        for pair in metric["comparisons"]:
            cells = shown[pair["a"]]
            assert f"{pair['difference']:.2f}".replace("-", "−") in cells, name
    rules = page.locator("#rules").text_content()
    summaries = page.locator("#rules > details > summary").all_text_contents()
    assert [rules.count(one) for one in summaries] == [1] * 4
    assert rules.count("What each rule asks") == 1


def test_the_menus_change_the_list_and_an_address_names_a_segment(page, report):
    page.goto(report)
    show_segments(page)
    head = page.locator("#sentences .mtw-head")
    heads = {head.inner_text()}
    for name in ("Systems", "Metric"):
        before = head.inner_text()
        page.get_by_role("combobox", name=name, exact=True).select_option(index=1)
        page.wait_for_function("before => document.querySelector('.mtw-head').innerText !== before", arg=before)
        heads.add(head.inner_text())
    assert len(heads) == 3
    page.goto("about:blank")
    page.goto(f"{report}#segment=12")
    page.wait_for_selector("[aria-label^='Segment 12,'][aria-current]")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_has_the_table_of_segments_in_dark_letters_and_no_list(page, report, scheme):
    page.emulate_media(color_scheme=scheme)
    page.goto(report)
    show_segments(page)
    page.emulate_media(media="print", color_scheme=scheme)
    page.set_viewport_size({"width": 700, "height": 1000})
    assert not page.locator(".mtw-segments").is_visible()
    assert page.locator(".mtw-segments-static table").count() == 2
    assert not page.locator("#rules").is_visible()
    for colour, background in page.locator("#result :is(p, th, td), .mtw-code").evaluate_all(COLOURS):
        assert max(map(int, colour[4:-1].split(", "))) < 0x50, colour
        assert background == "rgba(0, 0, 0, 0)"
    wait_until_it_fits(page, 700)


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (400, "dark")])
def test_axe_finds_no_serious_fault_on_the_whole_page(page, report, serious_faults, scheme, width):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 1000})
    page.goto(report)
    show_segments(page)
    page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert serious_faults(page) == []
    wait_until_it_fits(page, width)
