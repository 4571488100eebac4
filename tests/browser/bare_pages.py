"""A browser of segments on a page without JupyterLab: the script is the real one, the kernel is this process."""

from pathlib import Path

from mtworkbench import widgets

FOLDER = Path(widgets.__file__).parent
SYNCED = ("about", "query", "page", "selection", "left_out", "exploratory", "ngrams", "written", "common")
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
    window.unmount = module.default.render({model, el});
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
        page.add_style_tag(content=(FOLDER / "segments" / "segments.css").read_text(encoding="utf-8"))
        self._mount(segments)

    def mount_another(self, segments):
        """Put a second browser below the first, in a script of its own, as in a notebook; it is only looked at."""
        self.page.evaluate(
            "() => document.querySelector('#here').replaceWith("
            "...document.querySelector('#here').childNodes, Object.assign(document.createElement('div'), {id: 'here'}))"
        )
        self._mount(segments)

    def _mount(self, segments):
        state = {name: getattr(segments, name) for name in SYNCED}
        self.page.evaluate(MOUNT, [(FOLDER / "segments" / "segments.js").read_text(encoding="utf-8"), state])

    def settle(self):
        """Wait until all questions are answered."""
        self.page.wait_for_function(ANSWERED)

    def numbers(self):
        return self.page.locator(".mtw-segment").evaluate_all(SEGMENT_NUMBERS)

    def status(self):
        return self.page.locator(".mtw-status").inner_text()

    def field(self, label):
        return self.page.get_by_label(label, exact=True)
