"""The browser of segments in a real browser: on a page without a kernel, and in JupyterLab."""

import re
from pathlib import Path

import pytest

import mtworkbench as mtw
from mtworkbench import widgets
from mtworkbench.shipped import find_shipped

FOLDER = Path(widgets.__file__).parent
SYNCED = ("about", "query", "page", "selection", "left_out", "exploratory", "ngrams", "written")
# Stands for the model that JupyterLab would give the script: the same functions, with the kernel in this process.
MOUNT = """async ([script, state]) => {
    const listeners = {};
    const tell = (name, value) => (listeners[name] ?? []).forEach(listener => listener(value));
    const model = {
        get: name => state[name],
        on: (name, listener) => (listeners[name] ??= []).push(listener),
        off: (name, listener) => { listeners[name] = listeners[name].filter(one => one !== listener); },
        send: async message => {
            window.sent = (window.sent ?? 0) + 1;
            const {changes, messages} = await window.kernel(message);
            for (const [name, value] of changes) {
                state[name] = value;
                tell(`change:${name}`);
            }
            messages.forEach(one => tell('msg:custom', one));
            window.answered = (window.answered ?? 0) + 1;
        },
    };
    const module = await import(URL.createObjectURL(new Blob([script], {type: 'text/javascript'})));
    const el = document.querySelector('#here');
    window.unmount = module.render({model, el});
}"""
ANSWERED = "() => (window.sent ?? 0) === (window.answered ?? 0)"
SEGMENT_NUMBERS = "all => all.map(one => Number(one.querySelector('.mtw-number').textContent))"


class Bare:
    """A browser of segments on a page without JupyterLab."""

    def __init__(self, page, segments, style=""):
        self.page, self.segments = page, segments
        messages, changes = [], []
        segments.send = messages.append
        segments.observe(lambda change: changes.append([change["name"], change["new"]]), SYNCED)

        def kernel(message):
            messages.clear()
            changes.clear()
            segments._receive(None, message)
            return {"changes": changes, "messages": messages}

        page.expose_function("kernel", kernel)
        page.set_content(
            "<!doctype html><html lang=en><head><title>Segments</title></head>"
            f"<body style='{style}'><main id=here></main></body></html>"
        )
        page.add_style_tag(content=(FOLDER / "segments.css").read_text(encoding="utf-8"))
        state = {name: getattr(segments, name) for name in SYNCED}
        page.evaluate(MOUNT, [(FOLDER / "segments.js").read_text(encoding="utf-8"), state])

    def settle(self):
        """Wait until all questions are answered."""
        self.page.wait_for_function(ANSWERED)

    def numbers(self):
        return self.page.locator(".mtw-segment").evaluate_all(SEGMENT_NUMBERS)

    def status(self):
        return self.page.locator(".mtw-status").inner_text()

    def field(self, label):
        return self.page.get_by_label(label, exact=True)


@pytest.fixture(scope="module")
def flores():
    folder = find_shipped("data/flores")
    systems = {name: folder / f"bergamot-{name}.txt" for name in ("base", "base-memory", "tiny")}
    with pytest.warns(mtw.DataWarning, match="invisible"):
        outputs = mtw.read_outputs(folder / "reference.txt", systems)
    return outputs, mtw.compute_statistics(outputs, "bleu")


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1100, "height": 1400})
    yield context.new_page()
    context.close()


@pytest.fixture
def bare(page, flores):
    problems = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.append(request.url) if not request.url.startswith("blob:") else None)
    yield Bare(page, mtw.explore_segments(*flores, "base", "tiny", rng=1))
    assert problems == []


def test_the_page_shows_the_frame(bare):
    frame = bare.segments.frame
    assert bare.numbers() == frame["segment"].head(60).tolist()
    assert bare.status() == "Rows 1–60 of 1,012."
    first = bare.page.locator(".mtw-segment").first
    shown = first.locator(".mtw-contribution b").inner_text()
    assert shown.startswith("+")
    assert float(shown) == pytest.approx(frame["contribution"].iloc[0], abs=0.0005)
    for kind, name in (("reference", "reference"), ("new", "hypothesis"), ("baseline", "hypothesis_baseline")):
        assert first.locator(f".mtw-{kind} .mtw-text").text_content() == frame[name].iloc[0]


def test_the_list_scrolls_to_its_end_and_keeps_its_place(bare):
    frame = bare.segments.frame
    page, rows = bare.page, bare.page.locator(".mtw-list")
    third = frame["segment"].iloc[50]
    place = "number => document.querySelector(`[aria-label^='Segment ${number},']`).getBoundingClientRect().top"
    page.locator(".mtw-segment").nth(50).evaluate("one => one.scrollIntoView()")
    before = page.evaluate(place, int(third))
    page.wait_for_function("() => document.querySelector('.mtw-status').textContent.startsWith('Rows 31–90')")
    assert bare.numbers() == frame["segment"].iloc[30:90].tolist()
    assert page.evaluate(place, int(third)) == pytest.approx(before, abs=1)
    rows.focus()
    page.keyboard.press("End")
    page.wait_for_function("() => document.querySelector('.mtw-status').textContent.startsWith('Rows 953–1,012')")
    assert bare.numbers() == frame["segment"].iloc[-60:].tolist()
    assert page.evaluate("() => document.activeElement.ariaPosInSet") == "1012"


def test_segments_are_sorted_and_filtered(bare):
    bare.field("Sort by").select_option(label="length reference")
    bare.settle()
    lengths = bare.segments.frame["length_reference"].tolist()
    assert lengths == sorted(lengths, reverse=True)
    assert bare.numbers() == bare.segments.frame["segment"].head(60).tolist()
    bare.field("Find").fill("president")
    bare.page.keyboard.press("Enter")
    bare.settle()
    found = bare.segments.frame
    texts = found[["reference", "hypothesis", "hypothesis_baseline"]].agg(" ".join, axis=1)
    assert 0 < len(found) < 60
    assert texts.str.contains("president", case=False).all()
    assert bare.numbers() == found["segment"].tolist()
    assert bare.status() == f"Rows 1–{len(found)} of {len(found)}; 1,012 segments in all."
    bare.field("regular expression").check()
    bare.field("Find").fill("(")
    bare.page.keyboard.press("Enter")
    bare.page.wait_for_function("() => document.querySelector('.mtw-complaint').textContent !== ''")
    assert "'(' is not a regular expression" in bare.page.locator(".mtw-complaint").inner_text()
    assert bare.numbers() == found["segment"].tolist()
    bare.page.get_by_role("button", name="Clear filters").click()
    bare.settle()
    assert bare.status() == "Rows 1–60 of 1,012."
    assert re.sub(r"\s", "", bare.page.locator(".mtw-complaint").inner_text()) == ""
