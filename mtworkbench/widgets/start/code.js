// The code of what was done, to be copied, and what was found as a file.

const STOPPED = "The kernel behind this has stopped or was restarted: run the cell again.";

const make = (tag, className, attributes = {}) =>
  Object.assign(document.createElement(tag), { className, ...attributes });

export default {
  render({ model, el }) {
    el.classList.add("mtworkbench-control", "mtworkbench-made", "tex2jax_ignore", "mathjax_ignore");
    el.addEventListener("focusin", (event) => event.target.setAttribute("data-lm-suppress-shortcuts", "true"));
    const name = make("div", "mtworkbench-name", { textContent: "The same as code, for a cell or a script:" });
    const written = make("pre", "", { tabIndex: 0 });
    const code = make("code", "");
    const copy = make("button", "mtworkbench-button", { type: "button", textContent: "copy code" });
    const save = make("button", "mtworkbench-button", { type: "button", textContent: "save report" });
    const said = make("span", "mtworkbench-said");
    const below = make("div", "mtworkbench-below");
    written.setAttribute("role", "region");
    written.setAttribute("aria-label", "code");
    said.setAttribute("role", "status");
    written.append(code);
    below.append(copy, save, said);
    el.append(name, written, below);

    copy.addEventListener("click", async () => {
      // The clipboard may be closed to pages.
      try {
        await navigator.clipboard.writeText(model.get("code"));
        said.textContent = "Copied the code.";
      } catch {
        said.textContent = "This page may not use the clipboard: select the code, or in Python, use .code.";
      }
    });
    save.addEventListener("click", () => {
      try {
        model.send({ kind: "report" });
        said.textContent = "Writing the report …";
      } catch {
        said.textContent = STOPPED;
      }
    });
    const receive = (message) => {
      said.textContent = message.said;
      if (!message.text) return;
      const address = URL.createObjectURL(new Blob([message.text], { type: "text/html" }));
      make("a", "", { href: address, download: message.name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60000);
    };
    const update = () => {
      code.textContent = model.get("code");
      el.hidden = !model.get("code");
      save.hidden = !model.get("has_report");
      said.textContent = "";
    };
    update();
    model.on("change:code", update);
    model.on("change:has_report", update);
    model.on("msg:custom", receive);
    return () => {
      model.off("change:code", update);
      model.off("change:has_report", update);
      model.off("msg:custom", receive);
    };
  },
};
