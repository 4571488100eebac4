// The entries of a folder as a table: folders to enter, files with a menu of what they are taken as.

const FOLDERS = [["", "–"], ["output", "outputs in it"]];
// A list that is longer can be searched.
const LONG = 12;

const make_field = (type) => make("input", "mtworkbench-field", { type, spellcheck: false, autocomplete: "off" });

export default {
  render({ model, el }) {
    el.classList.add("mtworkbench-control", "mtworkbench-files", "tex2jax_ignore", "mathjax_ignore");
    keep_keys(el);

    const folder = make_field("text");
    const find = make_field("search");
    const find_label = make_label(find, "find");
    const up = make_button("up");
    const clear = make_button("choose nothing");
    const above = make("div", "mtworkbench-above");
    const scroller = make("div", "mtworkbench-list", { tabIndex: 0 });
    const table = make("table");
    const head = make("tr");
    const body = make("tbody");
    const note = make("p", "mtworkbench-note");
    const said = make("p", "mtworkbench-said");
    for (const text of ["name", "lines", "take as"]) head.append(make("th", "", { scope: "col", textContent: text }));
    table.append(make("thead"), body);
    table.tHead.append(head);
    scroller.setAttribute("role", "region");
    scroller.setAttribute("aria-label", "folders and files");
    speak(note, said);
    above.append(make_label(folder, "folder"), up, clear, find_label);
    scroller.append(table);
    el.append(above, scroller, note, said);

    const tell = (message) =>
      ask(model, { ...message, listing: model.get("listing") }, (sentence) => (note.textContent = sentence));

    function make_row({ name, is_folder, lines }, place) {
      const row = make("tr");
      const first = make("td");
      if (is_folder) {
        const enter = make_button(`${name}/`);
        enter.addEventListener("click", () => tell({ kind: "enter", place }));
        first.append(enter);
      } else first.textContent = name;
      const select = make("select", "mtworkbench-menu");
      const files = [["", "–"], ...model.get("offered").map((role) => [role, role])];
      for (const [value, textContent] of is_folder ? FOLDERS : files) {
        select.append(make("option", "", { value, textContent }));
      }
      select.setAttribute("aria-label", `take ${name} as`);
      select.addEventListener("change", () => {
        if (!tell({ kind: "role", place, role: select.value })) select.value = model.get("roles")[place];
      });
      const last = make("td");
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
      if (event.key === "Enter") tell({ kind: "path", text: folder.value });
    });
    find.addEventListener("input", filter);
    up.addEventListener("click", () => tell({ kind: "up" }));
    clear.addEventListener("click", () => tell({ kind: "clear" }));
    update_list();
    update_words();
    return listen(model, {
      "change:listing": update_list,
      "change:roles": update_roles,
      "change:note change:said": update_words,
    });
  },
};
