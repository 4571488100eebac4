// The entries of a folder as a table: folders to enter, files with a menu of what they are taken as.

const FILES = [["", "–"], ...["reference", "output", "documents", "source", "scores"].map((role) => [role, role])];
const FOLDERS = [["", "–"], ["output", "outputs in it"]];
// A list that is longer can be searched.
const LONG = 12;
const STOPPED = "The kernel behind this has stopped or was restarted: run the cell again.";

const make = (tag, className, attributes = {}) =>
  Object.assign(document.createElement(tag), { className, ...attributes });
const make_button = (textContent) => make("button", "mtworkbench-button", { type: "button", textContent });

// A label around the name and the field names it without ids, of which two views would have the same.
function make_field(name, type) {
  const label = make("label", "mtworkbench-label");
  const field = make("input", "mtworkbench-field", { type, spellcheck: false, autocomplete: "off" });
  label.append(make("span", "mtworkbench-name", { textContent: name }), field);
  return [label, field];
}

export default {
  render({ model, el }) {
    el.classList.add("mtworkbench-control", "mtworkbench-files", "tex2jax_ignore", "mathjax_ignore");
    // Or JupyterLab would take letters, and arrows, for commands to the notebook.
    el.addEventListener("focusin", (event) => event.target.setAttribute("data-lm-suppress-shortcuts", "true"));

    const [folder_label, folder] = make_field("folder", "text");
    const [find_label, find] = make_field("find", "search");
    const up = make_button("up");
    const clear = make_button("choose nothing");
    const above = make("div", "mtworkbench-above");
    const scroller = make("div", "mtworkbench-list", { tabIndex: 0 });
    const table = make("table", "");
    const head = make("tr", "");
    const body = make("tbody", "");
    const note = make("p", "mtworkbench-note");
    const said = make("p", "mtworkbench-said");
    for (const text of ["name", "lines", "take as"]) head.append(make("th", "", { scope: "col", textContent: text }));
    table.append(make("thead", ""), body);
    table.tHead.append(head);
    scroller.setAttribute("role", "region");
    scroller.setAttribute("aria-label", "folders and files");
    for (const one of [note, said]) one.setAttribute("role", "status");
    above.append(folder_label, up, clear, find_label);
    scroller.append(table);
    el.append(above, scroller, note, said);

    function ask(message) {
      try {
        model.send({ ...message, listing: model.get("listing") });
        return true;
      } catch {
        note.textContent = STOPPED;
        return false;
      }
    }

    function make_row({ name, is_folder, lines }, place) {
      const row = make("tr", "");
      const first = make("td", "");
      if (is_folder) {
        const enter = make_button(`${name}/`);
        enter.addEventListener("click", () => ask({ kind: "enter", place }));
        first.append(enter);
      } else first.textContent = name;
      const select = make("select", "mtworkbench-menu");
      for (const [value, textContent] of is_folder ? FOLDERS : FILES) {
        select.append(make("option", "", { value, textContent }));
      }
      select.setAttribute("aria-label", `take ${name} as`);
      select.addEventListener("change", () => {
        if (!ask({ kind: "role", place, role: select.value })) select.value = model.get("roles")[place];
      });
      const last = make("td", "");
      last.append(select);
      row.append(first, make("td", "mtworkbench-value", { textContent: lines }), last);
      return row;
    }

    const filter = () => {
      const text = find.value.toLowerCase();
      const entries = model.get("entries");
      [...body.rows].forEach((row, place) => (row.hidden = !entries[place].name.toLowerCase().includes(text)));
    };
    const update_roles = () => {
      const roles = model.get("roles");
      for (const [place, row] of [...body.rows].entries()) {
        row.querySelector("select").value = roles[place];
        row.classList.toggle("mtworkbench-taken", roles[place] !== "");
      }
    };
    function update_list() {
      const had_focus = body.contains(document.activeElement);
      body.replaceChildren(...model.get("entries").map(make_row));
      folder.value = model.get("folder");
      up.disabled = model.get("folder") === ".";
      find.value = "";
      find_label.hidden = model.get("entries").length <= LONG;
      scroller.scrollTop = 0;
      update_roles();
      // What had the focus is gone: the keyboard goes on in the new list.
      if (had_focus) scroller.focus();
    }
    const update_words = () => {
      note.textContent = model.get("note");
      note.hidden = !model.get("note");
      said.textContent = model.get("said");
    };

    folder.addEventListener("keydown", (event) => {
      if (event.key === "Enter") ask({ kind: "path", text: folder.value });
    });
    find.addEventListener("input", filter);
    up.addEventListener("click", () => ask({ kind: "up" }));
    clear.addEventListener("click", () => ask({ kind: "clear" }));
    const listeners = { "change:listing": update_list, "change:roles": update_roles, "change:note change:said": update_words };
    update_list();
    update_words();
    for (const [events, listener] of Object.entries(listeners)) {
      for (const event of events.split(" ")) model.on(event, listener);
    }
    return () => {
      for (const [events, listener] of Object.entries(listeners)) {
        for (const event of events.split(" ")) model.off(event, listener);
      }
    };
  },
};
