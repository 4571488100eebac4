// The code of what was done, to be copied, and what was found as a file.

export default {
  render({ model, el }) {
    el.classList.add("mtworkbench-control", "mtworkbench-made", "tex2jax_ignore", "mathjax_ignore");
    keep_keys(el);
    const name = make("div", "mtworkbench-name", { textContent: "The same as code, for a cell or a script:" });
    const written = make("pre", "", { tabIndex: 0 });
    const code = make("code");
    const copy = make_button("copy code");
    const save = make_button("save report");
    const said = make("span", "mtworkbench-said");
    const below = make("div", "mtworkbench-below");
    written.setAttribute("role", "region");
    written.setAttribute("aria-label", "code");
    speak(said);
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
      said.textContent = "Writing the report …";
      ask(model, { kind: "report" }, (sentence) => (said.textContent = sentence));
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
    return listen(model, { "change:code change:has_report": update, "msg:custom": receive });
  },
};
