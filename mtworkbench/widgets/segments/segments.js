// The page of a browser of segments. It shows what the kernel sends and sends back what the reader does: the kernel
// filters, sorts and counts. Whatever comes from data goes in as text (textContent), never as HTML.
// In a report there is no kernel: reports/segments_model.js answers, and what only a kernel can do is not offered.

// How near to an end of the list, in pixels, the next rows are asked for; by how many rows the list moves on; and, in
// milliseconds, how long after the last key a search begins, and after how long the page says that it searches.
const NEAR = 2000, STEP = 30, PATIENCE = 350, MOMENT = 1000;
// Bits of a token's mark: what it is not found in.
const NOT_IN_REFERENCE = 1, NOT_IN_OTHER = 2;

// The script may be there once for each browser of a page, so counting would give two of them the same ids.
const newId = () => `mtw-segments-${Math.random().toString(36).slice(2)}`;
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, value);
  }
  return add(element, ...children);
}

// Strings become text; what is null is not there.
function add(element, ...children) {
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const button = (text, onclick, attributes = {}) => make("button", { type: "button", onclick, ...attributes }, text);

function menu(options, onchange) {
  const select = make("select", { onchange });
  for (const [value, text] of options) select.append(make("option", { value }, text));
  return select;
}

function labelled(text, control) {
  control.id = newId();
  return make("span", { class: "mtw-group" }, make("label", { for: control.id }, text), control);
}

// What would turn the direction of the text after it, or cannot be seen, is written out, as the kernel does elsewhere.
const printable = (text) => text.replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
  (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

// Numbers have a hyphen, as programs read them; readers see a minus sign.
const withMinus = (number) => number.replace(/^-(?=\d)/, "−");

const count = (number) => number.toLocaleString("en");

// One segment.
function markOf(kind, code) {
  if (kind === "reference") return code === (NOT_IN_REFERENCE | NOT_IN_OTHER) ? "neither" : null;
  if (code === NOT_IN_OTHER) return "right";
  if (code === (NOT_IN_REFERENCE | NOT_IN_OTHER)) return "wrong";
  return code === NOT_IN_REFERENCE ? "both" : null;
}

function showText(text) {
  // The direction of a text is its own, and does not turn what is around it.
  const line = make("bdi", { dir: "auto", class: "mtw-text" });
  for (const [piece, code] of text.pieces) {
    const mark = markOf(text.kind, code);
    line.append(mark ? make("mark", { class: `mtw-${mark}` }, piece) : piece);
  }
  if (!line.textContent.trim()) line.append(make("i", { class: "mtw-empty" }, "empty"));
  const label = make("div", { class: "mtw-label" }, make("bdi", {}, text.label));
  return make("div", { class: `mtw-line mtw-${text.kind}` }, label, line);
}

function showTexts(texts) {
  const box = make("div", { class: "mtw-texts" });
  const further = texts.filter((text) => text.kind === "further");
  for (const text of texts) {
    if (text.kind !== "further") box.append(showText(text));
    if (text.kind === "reference" && further.length) {
      const summary = `${further.length} further reference${further.length > 1 ? "s" : ""}`;
      box.append(make("details", { class: "mtw-further" }, make("summary", {}, summary), ...further.map(showText)));
    }
  }
  return box;
}

// A bar to the right speaks for the new system, one to the left for the baseline, each in its system's colour.
function showBar(share, about) {
  const towards = share * about.sign;
  const bar = make("span", { class: "mtw-bar", "aria-hidden": "true" });
  const fill = make("span");
  fill.style.width = `${50 * Math.min(1, Math.abs(towards))}%`;
  fill.style[towards < 0 ? "right" : "left"] = "50%";
  fill.style.background = about.colors[towards < 0 ? 1 : 0];
  bar.append(fill);
  return bar;
}

function showSegment(row, about, ask) {
  const segment = row.segment;
  const choose = (kind) => (event) => ask({ kind, segments: [segment], on: event.target.checked });
  const name = (what) => `${what} segment ${segment}`;
  const selected = make("input", { type: "checkbox", "aria-label": name("Select"), onchange: choose("selection") });
  const leftOut = make("input", { type: "checkbox", "aria-label": name("Leave out"), onchange: choose("left_out") });
  const note = make("input", { type: "text", "aria-label": name("Note on"), placeholder: "note", dir: "auto" });
  const tags = make("input", { type: "text", "aria-label": name("Tags of"), placeholder: "tags, separated by commas" });
  const write = () => ask({ kind: "note", segment, note: note.value, tags: tags.value });
  for (const field of [note, tags]) field.addEventListener("change", write);
  const noteFold = make("details", { class: "mtw-note" }, make("summary", {}, "Note"), note, tags);
  const ofKernel = about.kernel === false ? [] : [make("label", {}, leftOut, "leave out"), noteFold];
  const number = about.link ? make("a", { href: about.link(segment), "aria-label": name("Link to") }, `${segment}`) : `${segment}`;
  const facts = make("div", { class: "mtw-facts" });
  for (const [label, value] of row.places) facts.append(make("span", { title: label }, make("bdi", {}, value)));
  const lengths = row.lengths.map(([label, value]) => `${label} ${value}`).join(", ");
  if (lengths) {
    const short = row.lengths.map(([, value]) => value).join(" / ");
    facts.append(make("span", { title: `words: ${lengths}` }, `${short} words`));
  }
  for (const [flag, system] of row.flags) {
    const name = [about.a, about.b][about.systems.indexOf(system)];
    facts.append(make("span", { class: "mtw-flag" }, `${flag.replaceAll("_", " ")}: `, make("bdi", {}, name)));
  }
  const side = make(
    "div",
    { class: "mtw-side" },
    make("div", { class: "mtw-number" }, number),
    make("div", { class: "mtw-contribution" }, make("b", {}, withMinus(row.contribution)), showBar(row.share, about)),
    row.change ? make("div", { class: "mtw-change" }, `own score changes by ${withMinus(row.change)}`) : null,
    facts,
    make("div", { class: "mtw-choices" }, make("label", {}, selected, "select"), ...ofKernel),
  );
  const article = make("article", { class: "mtw-segment", tabindex: "-1" }, side, showTexts(row.texts));
  article.setAttribute("aria-label", `Segment ${segment}, contribution ${withMinus(row.contribution)}`);
  // What may change while the segment stays on the page.
  article.mtw = (state) => {
    selected.checked = state.selection.has(segment);
    leftOut.checked = state.leftOut.has(segment);
    article.classList.toggle("mtw-is-left-out", leftOut.checked);
    article.classList.toggle("mtw-is-selected", selected.checked);
    const written = state.written[segment] ?? { note: "", tags: "" };
    if (document.activeElement !== note) note.value = written.note;
    if (document.activeElement !== tags) tags.value = written.tags;
    noteFold.classList.toggle("mtw-written", Boolean(written.note || written.tags));
  };
  article.mtwKeys = { " ": selected, s: selected, ...(ofKernel.length ? { x: leftOut, n: noteFold } : {}) };
  return article;
}

// The list.
function makeList(model, ask, sayStatus, sayPlace) {
  const list = make("div", { class: "mtw-list", role: "feed", "aria-label": "Segments", tabindex: "0" });
  const shown = new Map(); // segment -> its article
  let waiting = false, query = "", focusAfter = null;

  const current = () => document.activeElement?.closest?.(".mtw-segment");

  function update() {
    const state = {
      selection: new Set(model.get("selection")),
      leftOut: new Set(model.get("left_out")),
      written: model.get("written"),
    };
    for (const article of shown.values()) article.mtw(state);
  }

  function show() {
    const page = model.get("page"), about = model.get("about");
    const asked = JSON.stringify(model.get("query"));
    // What the reader looks at stays where it is while rows before it come and go.
    const top = list.getBoundingClientRect().top;
    const anchor = [...list.children].find((one) => one.getBoundingClientRect().bottom > top);
    const place = anchor?.getBoundingClientRect().top;
    const wanted = new Set(page.rows.map((row) => row.segment));
    for (const [segment, article] of shown) {
      if (!wanted.has(segment)) {
        article.remove();
        shown.delete(segment);
      }
    }
    let before = null;
    page.rows.forEach((row, position) => {
      let article = shown.get(row.segment);
      if (!article) shown.set(row.segment, (article = showSegment(row, about, ask)));
      article.setAttribute("aria-posinset", page.start + position + 1);
      article.setAttribute("aria-setsize", page.total);
      const next = before ? before.nextSibling : list.firstChild;
      if (next !== article) list.insertBefore(article, next); // moving what is in its place would lose the focus
      before = article;
    });
    if (asked !== query || page.start === 0 && !anchor?.isConnected) list.scrollTop = 0;
    else if (anchor?.isConnected) list.scrollTop += anchor.getBoundingClientRect().top - place;
    query = asked;
    list.hidden = !page.rows.length;
    update();
    waiting = false;
    list.removeAttribute("aria-busy");
    if (focusAfter !== null) list.children[focusAfter === "first" ? 0 : list.children.length - 1]?.focus();
    focusAfter = null;
    sayStatus();
  }

  function move(start) {
    const page = model.get("page");
    const last = Math.max(0, page.total - page.rows.length);
    start = Math.max(0, Math.min(start, last));
    if (waiting || start === page.start) return false;
    waiting = true;
    list.setAttribute("aria-busy", "true");
    ask({ kind: "window", start });
    return true;
  }

  // Which rows the reader sees, counted from 1, as [first, last].
  function inView() {
    const { top, bottom } = list.getBoundingClientRect();
    const seen = [...list.children].filter((one) => {
      const place = one.getBoundingClientRect();
      return place.bottom > top + 1 && place.top < bottom - 1;
    });
    const places = seen.map((one) => Number(one.getAttribute("aria-posinset")));
    return places.length ? [places[0], places[places.length - 1]] : null;
  }
  // Once for each frame that is painted: the wheel turns more often.
  let planned = false;
  function planPlace() {
    if (planned) return;
    planned = true;
    requestAnimationFrame(() => {
      planned = false;
      sayPlace();
    });
  }
  const sizes = new ResizeObserver(planPlace);
  sizes.observe(list);

  list.addEventListener("scroll", () => {
    planPlace();
    const start = model.get("page").start;
    if (list.scrollTop + list.clientHeight > list.scrollHeight - NEAR) move(start + STEP);
    else if (list.scrollTop < NEAR) move(start - STEP);
  });

  list.addEventListener("keydown", (event) => {
    if (event.target.matches("input[type=text]") || event.ctrlKey || event.metaKey || event.altKey) return;
    const here = current(), page = model.get("page");
    const focus = (article) => {
      article?.focus({ preventScroll: true });
      article?.scrollIntoView({ block: "nearest" });
    };
    if (event.key === "ArrowDown") focus(here ? here.nextSibling : list.firstChild);
    else if (event.key === "ArrowUp") focus(here?.previousSibling);
    else if (event.key === "Home") {
      if (page.start > 0 && move(0)) focusAfter = "first";
      else focus(list.firstChild);
    } else if (event.key === "End") {
      if (move(page.total)) focusAfter = "last";
      else focus(list.lastChild);
    } else if (here?.mtwKeys[event.key] && event.target === here) {
      const control = here.mtwKeys[event.key];
      if (event.key === "n") {
        control.open = true;
        control.querySelector("input").focus();
      } else control.click();
    } else return;
    event.preventDefault();
  });

  return { list, show, update, inView, stop: () => sizes.disconnect() };
}

// Filters and panels.
function makeFilters(model, send, sayStatus, sayWritten) {
  const about = model.get("about");
  const fields = {};
  // What is looked for by the question asked last, the time at which the next one is asked, the question whose answer
  // has not come or was a complaint, and whether its answer is late.
  let sought = "", timer = null, pending = null, late = false, moment = null;
  // Whatever cannot be shown in a field, or would turn its text, is written out there and meant in its own form.
  const documents = new Map();
  for (const name of about.documents) {
    let shown = printable(name) || "(no name)";
    while (documents.has(shown)) shown += " (another)";
    documents.set(shown, name);
  }
  const shownDocument = (name) =>
    name === null ? "" : [...documents].find(([, one]) => one === name)?.[0] ?? printable(name);

  const numberOf = (field) => (field.value === "" ? null : Number(field.value));
  const read = () => ({
    sort: fields.sort.value,
    text: fields.text.value,
    pattern: fields.pattern.checked,
    within: fields.within.value,
    document: documents.get(fields.document?.value) ?? (fields.document?.value || null),
    shortest: numberOf(fields.shortest),
    longest: numberOf(fields.longest),
    flag: fields.flag?.value.split("\n")[0] ?? "",
    flagged: fields.flag?.value.split("\n")[1] ?? "",
    selected: fields.selected.checked,
  });
  function ask(query) {
    clearTimeout(timer);
    sought = query.text ?? "";
    pending = `${Math.random()}`;
    send({ kind: "query", query, asked: pending });
    clearTimeout(moment);
    moment = setTimeout(() => {
      late = true;
      sayStatus();
    }, MOMENT);
  }
  const change = (part) => ask({ ...model.get("query"), ...read(), ...part });
  const now = () => change({});
  // A search follows the typing; a regular expression, half of which would be a fault, waits for Enter.
  const soon = () => {
    clearTimeout(timer);
    if (!fields.pattern.checked || !fields.text.value) timer = setTimeout(now, PATIENCE);
  };

  fields.sort = menu(about.sorts, now);
  fields.descending = button("", () => change({ descending: !model.get("query").descending }));
  // Enter may be a change, too; and what was already asked for while it was typed is not asked for again.
  const once = () => fields.text.value !== sought && now();
  fields.text = make("input", { type: "search", oninput: soon, onchange: once, dir: "auto" });
  fields.text.addEventListener("keydown", (event) => event.key === "Enter" && once());
  fields.pattern = make("input", { type: "checkbox", onchange: now });
  fields.within = menu([["", "all texts"], ...about.texts], now);
  fields.shortest = make("input", { type: "number", min: 0, onchange: now, "aria-label": "Shortest, in words" });
  fields.longest = make("input", { type: "number", min: 0, onchange: now, "aria-label": "Longest, in words" });
  fields.selected = make("input", { type: "checkbox", onchange: now });
  const row = make("div", { class: "mtw-filters", role: "search", "aria-label": "Filter and sort segments" },
    make("span", { class: "mtw-group" }, labelled("Sort by", fields.sort), fields.descending),
    !about.texts.length ? null : make("span", { class: "mtw-group" }, labelled("Find", fields.text),
      labelled("in", fields.within), make("label", {}, fields.pattern, "regular expression")),
    make("span", { class: "mtw-group" }, make("span", {}, "Words"), fields.shortest, "–", fields.longest));
  if (about.documents.length > 1) {
    const id = newId();
    fields.document = make("input", { type: "search", list: id, onchange: now });
    const offered = make("datalist", { id });
    for (const shown of documents.keys()) offered.append(make("option", { value: shown }));
    row.append(labelled("Document", fields.document), offered);
  }
  if (about.flags.length) {
    const options = [["", "any or none"]];
    for (const [flag, name] of about.flags) {
      options.push([flag, name]);
      about.systems.forEach((system, side) =>
        options.push([`${flag}\n${system}`, `${name}: ${[about.a, about.b][side]}`]));
    }
    fields.flag = menu(options, now);
    row.append(labelled("Flag", fields.flag));
  }
  const chip = make("span", { class: "mtw-chip" });
  row.append(make("label", {}, fields.selected, "selected only"), chip,
    button("Clear filters", () => {
      const { sort, descending } = model.get("query");
      ask({ sort, descending });
    }));

  function show() {
    // The answer to an older question would take back what the reader has chosen since.
    // What could not be done remains to be corrected.
    const page = model.get("page");
    if (pending && page.asked !== pending) return;
    clearTimeout(moment);
    late = false;
    if (page.complaint) {
      sought = null; // or the same could not be asked for again
      return;
    }
    pending = null;
    const query = model.get("query");
    fields.sort.value = query.sort;
    fields.descending.textContent = query.descending ? "↓ largest first" : "↑ smallest first";
    fields.descending.setAttribute("aria-label", `Order: ${query.descending ? "largest" : "smallest"} first`);
    sought = query.text;
    if (document.activeElement !== fields.text) fields.text.value = query.text;
    fields.pattern.checked = query.pattern;
    fields.within.value = query.within;
    fields.shortest.value = query.shortest ?? "";
    fields.longest.value = query.longest ?? "";
    if (fields.document) fields.document.value = shownDocument(query.document);
    if (fields.flag) fields.flag.value = query.flag + (query.flagged ? `\n${query.flagged}` : "");
    fields.selected.checked = query.selected;
    const parts = [];
    if (query.ngram) parts.push(make("span", {}, "n-gram ", make("bdi", {}, `“${printable(query.ngram)}”`)));
    if (query.segments) parts.push(make("span", {}, `${count(query.segments.length)} segment${query.segments.length === 1 ? "" : "s"} from the figure`));
    const remove = button("×", () => change({ ngram: "", segments: null }), { "aria-label": "Remove this filter" });
    if (parts.length) parts.push(remove);
    chip.replaceChildren(...parts);
  }
  // What was said of a question is no longer true of the next one, which is being written.
  row.addEventListener("input", sayWritten);
  return { row, show, change, isLate: () => late };
}

function makeTable(heads, rows, label) {
  const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, make("bdi", {}, text))));
  const body = rows.map((cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, cell))));
  return make("table", { "aria-label": label }, make("thead", {}, head), make("tbody", {}, ...body));
}

function makeNgrams(model, send, change) {
  const about = model.get("about"), alone = about.kernel === false;
  const box = make("div", { class: "mtw-tables" });
  const busy = make("span", { role: "status" });
  let stale = false; // whether what was counted in has changed while this was closed
  const ask = () => {
    stale = false;
    busy.textContent = "counting ...";
    send({ kind: "ngrams", of: of.value, order: Number(order.value) });
  };
  const of = menu([["all", "all segments"], ["shown", "the segments found"], ["selection", "the selection"]], ask);
  const order = menu([["0", "1 to 4"], ["1", "1"], ["2", "2"], ["3", "3"], ["4", "4"]], ask);
  const copy = button("Copy as LaTeX", () => send({ kind: "copy ngrams" }), { disabled: true });
  const fold = make("details", { class: "mtw-panel mtw-ngrams" },
    make("summary", {}, "Words and phrases that one system gets right more often"),
    make("div", { class: "mtw-group" }, alone ? null : labelled("Count in", of), labelled("Length in words", order),
      alone ? null : copy, busy), box);
  fold.addEventListener("toggle", () => fold.open && (stale || !model.get("ngrams").answer) && ask());
  function follow(changed) {
    if (of.value !== changed) return;
    if (fold.open) ask();
    else stale = true;
  }
  const settle = () => (busy.textContent = "");
  // The answer may take a moment, and the list is below these tables.
  function choose(clicked, ngram) {
    fold.querySelector(".mtw-asked")?.classList.remove("mtw-asked");
    clicked.classList.add("mtw-asked");
    change({ ngram });
  }

  function show() {
    const found = model.get("ngrams");
    settle();
    if (!found.answer) return;
    const tables = [["new", about.a], ["baseline", about.b]].map(([side, name]) => {
      const rows = found[side].map((one) => [
        button(one.shown, (event) => choose(event.currentTarget, one.ngram), { class: "mtw-link", dir: "auto" }),
        count(one.new), count(one.baseline), count(one.segments)]);
      const total = found[`n_${side}`];
      const part = rows.length ? ` (${count(rows.length)} of ${count(total)})` : "";
      const title = make("p", {}, make("bdi", {}, name), ` gets right more often${part}`);
      return make("div", {}, title, rows.length
        ? makeTable(["n-gram", about.a, about.b, "segments"], rows, `N-grams that ${name} gets right more often`)
        : make("p", { class: "mtw-empty" }, "none"));
    });
    const rule = "The largest differences come first; among equal ones, the longest n-grams.";
    box.replaceChildren(make("p", { class: "mtw-legend mtw-rule" }, rule), ...tables);
    box.dataset.answer = found.answer;
    copy.disabled = !(found.new.length || found.baseline.length);
  }
  return { fold, show, follow, settle };
}

// What the selection has in common.
function makeCommon(model) {
  const box = make("div", { class: "mtw-tables" });
  const fold = make("details", { class: "mtw-panel mtw-common" },
    make("summary", {}, "What the selected segments have in common"), box);
  function show() {
    const rows = model.get("common");
    box.replaceChildren(rows.length
      ? makeTable(["", "selection", "all segments"], rows, "The selection and all segments")
      : make("p", { class: "mtw-empty" }, "No segment is selected."));
  }
  return { fold, show };
}

function makeFlags(model, change) {
  const about = model.get("about");
  if (!about.flags.length) return null;
  const rows = about.flags.map(([flag, name, ...counts]) => [name, ...counts.map((number, side) =>
    button(count(number), () => change({ flag, flagged: about.systems[side] }),
      { class: "mtw-link", "aria-label": `${name}: ${number} of ${[about.a, about.b][side]}` }))]);
  return make("details", { class: "mtw-panel" }, make("summary", {}, "Flags: possible errors"),
    make("div", { class: "mtw-tables" }, makeTable(["flag", about.a, about.b], rows, "Flags")));
}

// What is taken away.
function makeTakeAway(model, send) {
  const first = make("input", { type: "number", min: 1, value: 10, "aria-label": "How many of the first segments" });
  const out = make("textarea", { readonly: true, rows: 6, "aria-label": "Copied text", dir: "auto" });
  const said = make("span", { role: "status" });
  const shown = make("div", { class: "mtw-out", hidden: true }, out, button("Close", () => (shown.hidden = true)));
  function selectFirst() {
    const count = first.valueAsNumber; // NaN where nothing, or no number, is written
    const isCount = Number.isSafeInteger(count) && count >= 1;
    said.textContent = isCount ? "" : "Give a whole number of at least 1: that many of the first segments are selected.";
    if (isCount) send({ kind: "first", count });
  }
  const copies = ["TSV", "Markdown", "LaTeX"].map((form) => button(form, () => send({ kind: "copy", form })));
  const saveNotes = button("Save notes as CSV", () => send({ kind: "notes" }));
  const none = button("Select none", () => send({ kind: "none", of: "selection" }));
  const ofKernel = model.get("about").kernel === false ? [] : [
    make("span", { class: "mtw-group" }, "Copy the selection as", ...copies),
    saveNotes, button("This view as a Python call", () => send({ kind: "call" }))];
  const row = make("div", { class: "mtw-take" },
    make("span", { class: "mtw-group" },
      button("Select the first", selectFirst), first, none), ...ofKernel, said);

  async function put(text, what) {
    out.value = text;
    shown.hidden = false;
    // The clipboard may be closed to pages; the text can then be copied by hand.
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = `Copied ${what}.`;
    } catch {
      out.select();
      said.textContent = `Copy ${what} from the box below.`;
    }
  }

  function save(text) {
    const address = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv" }));
    make("a", { href: address, download: "notes.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
    said.textContent = "Saved notes.csv.";
  }

  function receive(message) {
    if (message.kind === "copy") put(message.text, message.what);
    if (message.kind === "notes") save(message.text);
  }

  function update() {
    const empty = !model.get("selection").length;
    for (const one of [...copies, none]) one.disabled = empty;
    saveNotes.disabled = !Object.keys(model.get("written")).length;
  }
  return { row, shown, receive, update };
}

function render({ model, el }) {
  const about = model.get("about"), alone = about.kernel === false;
  // To a kernel that was stopped or replaced nothing can be sent. One that is busy answers later, so how long it takes
  // tells nothing.
  let isLost = false;
  function send(message) {
    try {
      model.send(message);
    } catch {
      isLost = true;
      sayStatus();
    }
  }
  const root = make("div", { class: "mtw-segments tex2jax_ignore mathjax_ignore" });
  // Or JupyterLab would cut the cell at an X. It looks at what has the focus before it looks at what that stands in.
  root.addEventListener("focusin", (event) => event.target.setAttribute("data-lm-suppress-shortcuts", "true"));
  root.style.setProperty("--mtw-new", about.colors[0]);
  root.style.setProperty("--mtw-old", about.colors[1]);

  const status = make("span", { class: "mtw-status", role: "status", "aria-live": "polite" });
  const place = make("span", { class: "mtw-place" });
  const complaint = make("p", { class: "mtw-complaint", role: "alert" });
  const without = make("section", { class: "mtw-without", "aria-live": "polite", hidden: true });
  const take = makeTakeAway(model, send);
  let written = null; // the answer whose complaint the reader is correcting
  const filters = makeFilters(model, send, sayStatus, () => {
    written = model.get("page").answer;
    sayComplaint();
  });
  const ngrams = makeNgrams(model, send, filters.change);
  const common = makeCommon(model);

  const STOPPED = "The kernel that made this list has stopped or was restarted, so the list no longer responds. "
    + "Run the cell again.";
  function sayComplaint() {
    const page = model.get("page");
    const said = isLost ? STOPPED : page.answer === written ? "" : page.complaint;
    if (complaint.textContent !== said) complaint.textContent = said;
  }

  function sayPlace() {
    const seen = segments.inView();
    const [first, last] = seen ?? [];
    place.textContent = !seen ? "" : first === last ? ` Row ${count(first)} in view.`
      : ` Rows ${count(first)}–${count(last)} in view.`;
  }

  // Said last, after everything else is in its place.
  function sayStatus() {
    const page = model.get("page");
    const late = filters.isLate() && !isLost;
    const all = `${count(page.everything)} segment${page.everything === 1 ? "" : "s"}`;
    const parts = [page.total === page.everything ? all
      : page.total ? `${count(page.total)} of ${all}` : `No segment passes the filters; ${all} in all`];
    if (model.get("selection").length) parts.push(`${count(model.get("selection").length)} selected`);
    if (model.get("left_out").length) parts.push(`${count(model.get("left_out").length)} left out`);
    sayComplaint();
    sayPlace();
    if (isLost) ngrams.settle();
    root.classList.toggle("mtw-searching", late);
    status.textContent = late ? "searching ..." : `${parts.join("; ")}.`;
    root.dataset.answer = page.answer;
  }
  const segments = makeList(model, send, sayStatus, sayPlace);

  function sayWithout() {
    const found = model.get("exploratory");
    without.hidden = !found.count;
    without.replaceChildren(
      make("h4", {}, "Exploratory: chosen after seeing the outputs"),
      make("p", {}, `Without the ${found.count === "1" ? "segment" : `${found.count} segments`} left out, `,
        make("bdi", {}, about.a), " − ", make("bdi", {}, about.b), " = ",
        make("b", { class: "mtw-difference" }, withMinus(found.difference ?? "")), found.by ? ` (${found.by})` : ""),
      found.noticed ? make("p", { class: "mtw-legend" }, found.noticed) : "",
      button("Put all back", () => send({ kind: "none", of: "left_out" })));
  }

  const direction = about.direction ? ` (${about.direction})` : "";
  const sample = (kind, text) => make("mark", { class: `mtw-${kind}` }, text);
  add(root,
    make("p", { class: "mtw-head" },
      make("bdi", { class: "mtw-new-name" }, about.a), " − ", make("bdi", { class: "mtw-old-name" }, about.b), " = ",
      make("b", {}, withMinus(about.difference)), ` ${about.metric}${direction}`),
    make("p", { class: "mtw-legend" }, about.sentence),
    ...(about.runs ? [make("p", { class: "mtw-legend mtw-runs" }, about.runs)] : []),
    filters.row, make("div", { class: "mtw-panels" }, about.texts.length ? ngrams.fold : null,
      makeFlags(model, filters.change), alone ? null : common.fold),
    without, complaint, make("p", {}, status, place), segments.list,
    !about.texts.length ? null : make("p", { class: "mtw-legend" },
      "In the outputs: ", sample("right", "in the reference, not in the other output"), ", ",
      sample("wrong", "neither in the reference nor in the other output"), ", ", sample("both", "in both outputs, not in the reference"),
      ". In the reference: ", sample("neither", "in neither output"),
      ". Texts are aligned: what stands in another place counts as not found."),
    make("p", { class: "mtw-legend" }, "Keys in the list: arrows move, Home and End jump, S selects", alone ? "."
      : ", X leaves out, N writes a note. Notes are kept only in the kernel's memory: save them before it stops, here or "
      + "with .save_notes(\"notes.csv\")."),
    take.row, take.shown);
  el.append(root);

  const listeners = {
    "change:page": () => {
      filters.show();
      segments.show();
      if (model.get("page").complaint) ngrams.settle();
    },
    "change:query": () => (filters.show(), ngrams.follow("shown")),
    "change:selection": () => (segments.update(), take.update(), ngrams.follow("selection"), sayStatus()),
    "change:left_out": () => (segments.update(), sayStatus()),
    "change:common": common.show,
    "change:written": () => (segments.update(), take.update()),
    "change:exploratory": sayWithout,
    "change:ngrams": ngrams.show,
    "msg:custom": take.receive,
  };
  for (const [name, listener] of Object.entries(listeners)) model.on(name, listener);
  for (const show of [sayWithout, take.update, ngrams.show, common.show, filters.show, segments.show]) show();
  return () => {
    segments.stop();
    for (const [name, listener] of Object.entries(listeners)) model.off(name, listener);
  };
}

export default { render };
