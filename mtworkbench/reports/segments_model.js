// Stands for the kernel where there is none. In a report, this follows the widget's script (segments.js) in one module:
// it unpacks what reports/packing.py has packed, and answers what the widget asks. It counts and judges nothing.

// Rows that the page holds at a time, and what a query is where nothing else is said, as in the kernel.
const WINDOW = 60;
const QUERY = { sort: "contribution", descending: true, text: "", pattern: false, within: "", document: null,
  shortest: null, longest: null, flag: "", flagged: "", ngram: "", segments: null, selected: false };
// What of it stays when the reader turns to another pair of systems.
const KEPT = ["text", "pattern", "within", "document", "shortest", "longest", "selected"];
const OUTPUTS = ["hypothesis", "hypothesis_baseline"];

async function unpack(block) {
  const bytes = Uint8Array.from(atob(block.textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// Numbers from the first one and the steps to the next ones.
function sumUp(steps) {
  let sum = 0;
  return steps.map((step) => (sum += step));
}

// The texts of a segment, with marks.
// Pieces of a text as it is shown, each with whether it is a token.
function cutText(shown, cut) {
  if (Array.isArray(cut)) {
    const ends = sumUp(cut.slice(1).map(Math.abs));
    return ends.map((end, place) => [cut[0].slice(ends[place - 1] ?? 0, end), cut[place + 1] > 0]);
  }
  const ends = cut ? sumUp(cut.split(",").map(Number)) : [], pieces = [];
  let begin = 0;
  for (const word of shown.match(/ +|[^ ]+/g) ?? []) {
    const last = begin + word.length;
    for (; ends[0] < last; begin = ends.shift()) pieces.push([shown.slice(begin, ends[0]), true]);
    pieces.push([shown.slice(begin, last), word[0] !== " "]);
    begin = last;
  }
  return pieces;
}

const isMarked = (mask, token) => (parseInt(mask.slice(2 * (token >> 3), 2 * (token >> 3) + 2) || "0", 16) >> (token & 7)) & 1;

// Neighbours with the same mark are one piece; what stands between two of them has their mark as well.
function joinPieces(pieces, codeOf) {
  const joined = [];
  let token = 0;
  pieces.forEach(([text, isToken], place) => {
    const before = joined[joined.length - 1];
    const after = pieces[place + 1]?.[1] ? codeOf(token) : 0;
    const code = isToken ? codeOf(token++) : before?.[1] === after ? after : 0;
    if (before?.[1] === code) before[0] += text;
    else joined.push([text, code]);
  });
  return joined;
}

// What is looked for.
class PatternFault extends Error {}
const WORD = "\\p{L}\\p{N}_", SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const EDGE = `(?:(?<![${WORD}])(?=[${WORD}])|(?<=[${WORD}])(?![${WORD}]))`;
const CLASSES = { d: "[\\p{Nd}]", D: "[^\\p{Nd}]", w: `[${WORD}]`, W: `[^${WORD}]`, s: `[${SPACE}]`, S: `[^${SPACE}]` };
const PLACES = { b: EDGE, B: `(?!${EDGE})`, A: "(?<![^])", Z: "(?![^])" };
const CONTROLS = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, 0: 0 };
const HEX = { x: 2, u: 4, U: 8 };

// A regular expression of Python's as one of this browser's, whose letters, digits and ends of lines are others.
function readPattern(pattern) {
  const letters = [...pattern], opened = [];
  let place = 0, out = "", before = "nothing"; // what is before this place: something to repeat, a repetition or nothing
  const fail = (message, where) => {
    throw new PatternFault(`${message} at position ${where}`);
  };
  const literal = (code) => `\\u{${code.toString(16)}}`;

  // The letter that an escape stands for, as its code; null where it stands for something else.
  function readEscape(where) {
    const letter = letters[place++];
    if (letter === undefined) fail("bad escape (end of pattern)", where);
    if (letter in HEX) {
      const digits = letters.slice(place, place + HEX[letter]).join("");
      if (!/^[\da-f]+$/i.test(digits) || digits.length < HEX[letter]) fail(`incomplete escape \\${letter}${digits}`, where);
      place += HEX[letter];
      return parseInt(digits, 16);
    }
    if (letter in CONTROLS) return CONTROLS[letter];
    if (/[a-z\d]/i.test(letter)) fail(`bad escape \\${letter}`, where);
    return letter.codePointAt(0);
  }

  function readSet(where) {
    let set = letters[place] === "^" ? "[^" : "[";
    if (set === "[^") place += 1;
    const readOne = () => {
      const begin = place, letter = letters[place++];
      if (letter === undefined) fail("unterminated character set", where);
      if (letter !== "\\") return letter.codePointAt(0);
      return letters[place] in CLASSES ? CLASSES[letters[place++]] : readEscape(begin);
    };
    for (let isFirst = true; letters[place] !== "]" || isFirst; isFirst = false) {
      const begin = place, from = readOne();
      const isRange = letters[place] === "-" && letters[place + 1] !== "]" && letters[place + 1] !== undefined;
      if (!isRange) {
        set += typeof from === "string" ? from : literal(from);
        continue;
      }
      place += 1;
      const to = readOne();
      if (typeof from === "string" || typeof to === "string" || to < from) {
        fail(`bad character range ${letters.slice(begin, place).join("")}`, begin);
      }
      set += `${literal(from)}-${literal(to)}`;
    }
    place += 1;
    return `${set}]`;
  }

  function readGroup(where) {
    opened.push(where);
    const rest = letters.slice(place).join("");
    const [kind] = /^\?(P<\w+>|P=\w+\)|#[^)]*\)|<[=!]|[:=!])/u.exec(rest) ?? [""];
    if (letters[place] === "?" && !kind) fail("a report does not know this extension", place);
    place += [...kind].length;
    if (/^\?(P=|#)/.test(kind)) opened.pop();
    if (kind.startsWith("?#")) return "";
    if (kind.startsWith("?P=")) return `\\k<${kind.slice(3, -1)}>`;
    return `(${kind.replace("?P<", "?<")}`;
  }

  // *, +, ? or {1,2}, with what makes it lazy; null for a brace that is only itself.
  function readRepeat(letter) {
    let written = letter;
    if (letter === "{") {
      const [whole, least, also, most] = /^\{(\d*)(?:(,)(\d*))?\}/.exec(letters.slice(place - 1).join("")) ?? [""];
      if (!whole || whole === "{}") return null;
      place += whole.length - 1;
      written = `{${least || 0}${also ?? ""}${most ?? ""}}`;
    }
    if (letters[place] === "+") fail("a report does not know possessive repeats", place);
    return letters[place] === "?" ? `${written}${letters[place++]}` : written;
  }

  while (place < letters.length) {
    const where = place, letter = letters[place++];
    const repeat = "*+?{".includes(letter) ? readRepeat(letter) : null;
    if (repeat !== null) {
      if (before !== "something") fail(before === "repeat" ? "multiple repeat" : "nothing to repeat", where);
      out += repeat;
      before = "repeat";
      continue;
    }
    before = "|^$(".includes(letter) || letter === "\\" && letters[place] in PLACES ? "nothing" : "something";
    if (letter === "\\") {
      const next = letters[place];
      if (next in CLASSES || next in PLACES) out += CLASSES[next] ?? PLACES[next], place += 1;
      else if (/[1-9]/.test(next)) out += `(?:\\${next})`, place += 1;
      else out += literal(readEscape(where));
    } else if (letter === "[") out += readSet(where);
    else if (letter === "(") {
      const group = readGroup(where);
      out += group;
      if (group.startsWith("\\k")) before = "something";
    } else if (letter === ")") {
      if (!opened.length) fail("unbalanced parenthesis", where);
      opened.pop();
      out += letter;
    } else out += { "|": "|", ".": "[^\\n]", "^": "(?<![^])", $: "(?=\\n?(?![^]))" }[letter] ?? literal(letter.codePointAt(0));
  }
  if (opened.length) fail("missing ), unterminated subpattern", opened[opened.length - 1]);
  try {
    return new RegExp(out, "iv");
  } catch (error) {
    throw new PatternFault(error.message.split(": ").pop().replace(/^./, (first) => first.toLowerCase()));
  }
}

function quote(text) {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  return mark + printable(text.replaceAll("\\", "\\\\").replaceAll(mark, `\\${mark}`)) + mark;
}

// The segments of two systems by one metric: what passes a query, in what order, and what a row shows.
function makePages(set, metric, pair, linkTo) {
  const documents = [...new Set(set.documents ?? [])];
  const about = { ...pair.about, documents, link: linkTo };
  const n = set.segments.length, positions = [...set.segments.keys()];
  const textNames = about.texts.map(([name]) => name), labels = Object.fromEntries(about.texts);
  const references = textNames.filter((name) => name.startsWith("reference"));
  const places = Object.fromEntries((set.columns ?? []).map((column, place) => [column, place]));
  const written = new Map((set.written ?? []).map(([position, column, shown]) => [`${position} ${column}`, shown]));
  const against = new Map((metric.against ?? []).map(([output, reference, ...masks]) => [`${output}\n${reference}`, masks]));
  const lengths = {
    length_reference: metric.lengths.reference,
    length_baseline: metric.lengths[pair.columns.hypothesis_baseline],
    length: metric.lengths[pair.columns.hypothesis],
  };
  const values = { ...set.ranks, ...lengths, segment: set.segments };
  const shownBy = {};
  for (const name of ["contribution", "change"]) {
    values[name] = pair[name].ranks;
    shownBy[name] = pair[name].shown.flatMap(([shown, share, count]) => Array(count).fill([shown, share]));
  }
  const unreadable = new Set(sumUp(pair.unreadable));
  const raised = about.systems.map((system, side) => Object.fromEntries(about.flags.map(([flag]) => {
    const found = sumUp(set.flags[pair.columns[OUTPUTS[side]]]?.[flag] ?? []);
    return [flag, new Set(found.filter((position) => !unreadable.has(position)))];
  })));

  const textOf = (name, position) => set.texts[position][places[pair.columns[name]]];
  const shownOf = (name, position) =>
    written.get(`${position} ${places[pair.columns[name]]}`) ?? textOf(name, position);

  function fold(text) {
    const lower = text.toLowerCase();
    return /^[ -~]*$/.test(lower) ? lower : [...lower].map((letter) => set.folds[letter] ?? letter).join("");
  }

  function finder({ text, pattern }) {
    if (!pattern) {
      const wanted = fold(text);
      return (one) => fold(one).includes(wanted);
    }
    const expression = readPattern(text);
    return (one) => expression.test(one);
  }

  // As check_query and select of the kernel's pages.
  function select(query, selection) {
    const tests = [];
    if (query.text) {
      const isFound = finder(query), within = query.within ? [query.within] : textNames;
      tests.push((position) => within.some((name) => {
        const text = textOf(name, position);
        return text !== null && isFound(text);
      }));
    }
    const length = lengths.length_reference ?? lengths.length ?? [];
    const chosen = query.segments && new Set(query.segments), selected = new Set(selection);
    const sides = query.flagged ? [about.systems.indexOf(query.flagged)] : [0, 1];
    const having = query.ngram && new Set(sumUp(pair.with_ngram?.[query.ngram] ?? []));
    if (query.document !== null && set.documents) tests.push((one) => set.documents[one] === query.document);
    if (query.shortest !== null) tests.push((one) => length[one] !== null && length[one] >= query.shortest);
    if (query.longest !== null) tests.push((one) => length[one] !== null && length[one] <= query.longest);
    if (query.flag) tests.push((one) => sides.some((side) => raised[side]?.[query.flag]?.has(one)));
    if (query.ngram) tests.push((one) => having.has(one));
    if (chosen) tests.push((one) => chosen.has(set.segments[one]));
    if (query.selected) tests.push((one) => selected.has(set.segments[one]));
    const by = values[query.sort], way = query.descending ? -1 : 1;
    // What is equal remains in the order of the test set; what is not known comes last, whichever the direction.
    const compare = (one, other) => by[one] === by[other] ? 0 : by[one] === null ? 1 : by[other] === null ? -1
      : way * (by[one] - by[other]);
    return positions.filter((position) => tests.every((test) => test(position))).sort(compare);
  }

  function showMarked(name, position, masks) {
    const codeOf = (token) => masks.reduce((code, mask, bit) => code | (isMarked(mask, token) << bit), 0);
    return joinPieces(cutText(shownOf(name, position), metric.cuts[pair.columns[name]][position]), codeOf);
  }

  function showTexts(position) {
    if (!set.texts) return [];
    const closest = pair.closest[position];
    const masksOf = (output, which) => against.get(`${pair.columns[output]}\n${closest}`)?.[which][position] ?? "";
    const plain = (name, kind) => ({ kind, label: labels[name], pieces: [[shownOf(name, position), 0]] });
    const marked = (name, kind, masks) => ({ kind, label: labels[name],
      pieces: textOf(name, position) === null ? [] : showMarked(name, position, masks) });
    const differing = (side) => marked(OUTPUTS[side], side ? "baseline" : "new",
      [masksOf(OUTPUTS[side], 0), pair.differ[side][position]]);
    const isThere = (name) => textNames.includes(name) && textOf(name, position) !== null;
    return [
      ...(isThere("source") ? [plain("source", "source")] : []),
      ...(closest ? [marked(closest, "reference", OUTPUTS.map((output) => masksOf(output, 1)))] : []),
      ...references.filter((name) => name !== closest && isThere(name)).map((name) => plain(name, "further")),
      differing(1), differing(0),
    ];
  }

  function row(position) {
    const ofRank = (name) => shownBy[name][pair[name].ranks[position]];
    const [contribution, share] = ofRank("contribution") ?? ["not known", 0];
    const named = [["length_reference", "reference"], ["length_baseline", about.b], ["length", about.a]];
    return {
      segment: set.segments[position], contribution, share, change: ofRank("change")?.[0] ?? "",
      places: set.places.map(([label, shown, numbers]) => [label, shown[numbers[position]]])
        .filter(([, shown]) => shown !== null),
      lengths: named.filter(([name]) => lengths[name] && lengths[name][position] !== null)
        .map(([name, label]) => [label, `${lengths[name][position]}`]),
      flags: about.systems.flatMap((system, side) =>
        about.flags.filter(([flag]) => raised[side][flag].has(position)).map(([flag]) => [flag, system])),
      texts: showTexts(position),
    };
  }

  return { about, n, select, row, numbers: set.segments, ngrams: pair.ngrams ?? [], descending: pair.descending };
}

// The model that the widget's script is given, and what else the page asks of it.
function makeModel(pages, kept = {}) {
  const listeners = {};
  const state = { about: pages.about, selection: kept.selection ?? [], left_out: [], written: {}, common: [],
    exploratory: {}, ngrams: {}, page: {}, query: { ...QUERY, descending: pages.descending, ...kept.query } };
  let found = pages.select(state.query, state.selection), answers = 0, asked = "";
  const tell = (name) => (listeners[`change:${name}`] ?? []).forEach((listener) => listener());
  const put = (name, value) => {
    state[name] = value;
    tell(name);
  };

  function show(start, complaint = "") {
    const first = Math.max(0, Math.min(start, found.length - WINDOW));
    const rows = found.slice(first, first + WINDOW).map(pages.row);
    answers += 1;
    put("page", { answer: answers, asked, start: first, total: found.length, everything: pages.n, rows, complaint });
  }

  function ask(query) {
    try {
      found = pages.select(query, state.selection);
    } catch (error) {
      if (!(error instanceof PatternFault)) throw error;
      return show(state.page.start, `${quote(query.text)} is not a regular expression: ${error.message}.`);
    }
    put("query", query);
    show(0);
  }

  function choose(selection) {
    put("selection", [...new Set(selection)].sort((one, other) => one - other));
    if (state.query.selected) ask(state.query);
  }

  const answer = {
    query: (content) => {
      asked = content.asked;
      ask({ ...QUERY, ...content.query });
    },
    window: ({ start }) => show(start),
    selection: ({ segments, on }) => {
      const others = state.selection.filter((one) => !segments.includes(one));
      choose(on ? [...others, ...segments] : others);
    },
    first: ({ count }) => choose([...state.selection, ...found.slice(0, count).map((one) => pages.numbers[one])]),
    none: () => choose([]),
    ngrams: ({ order }) => put("ngrams", { answer: (answers += 1), of: "all", order, ...pages.ngrams[order] }),
  };

  // Puts a segment onto the page, whatever the filters; tells whether there is one with this number.
  function reveal(segment) {
    const position = pages.numbers.indexOf(segment);
    if (position < 0) {
      show(state.page.start, `There is no segment ${segment} among the ${count(pages.n)} segments.`);
      return false;
    }
    const { sort, descending } = state.query;
    if (!found.includes(position)) ask({ ...QUERY, sort, descending });
    show(found.indexOf(position) - WINDOW / 2);
    return true;
  }

  show(0);
  return {
    get: (name) => state[name],
    set: put,
    save_changes: () => {},
    on: (name, listener) => (listeners[name] ??= []).push(listener),
    off: (name, listener) => (listeners[name] = listeners[name].filter((one) => one !== listener)),
    // Later, as a kernel would: the script goes on first.
    send: (content) => queueMicrotask(() => answer[content.kind](content)),
    reveal,
  };
}

// The browser of a test set, in its place on the page.
function makeBrowser(box, number, total) {
  const blocks = Object.fromEntries([...box.querySelectorAll("[data-block]")].map((one) => [one.dataset.block, one]));
  const place = box.querySelector(".mtw-browse"), known = {};
  const said = make("p", { role: "status", class: "mtw-opening" });
  const choices = make("div", { class: "mtw-choose" }), shown = make("div");
  let index, opening, metrics, pairs, current = null, model = null, unmount = () => {};
  const load = (name) => (known[name] ??= unpack(blocks[name]));
  const nameOf = ([a, b]) => `${a} − ${b}`;

  // An address that shows a segment as it is shown now.
  function linkTo(segment) {
    const parts = { segment };
    if (index.pairs.length > 1) parts.pair = nameOf(index.pairs[pairs.value]);
    if (index.metrics.length > 1) parts.metric = index.metrics[metrics.value];
    if (total > 1) parts.set = number;
    return `#${new URLSearchParams(parts)}`;
  }

  const open = () => (opening ??= openOnce());
  async function openOnce() {
    place.append(said, choices, shown);
    said.textContent = "opening ...";
    index = await load("index");
    metrics = menu(index.metrics.map((name, at) => [at, name]), () => choose());
    pairs = menu(index.pairs.map((pair, at) => [at, nameOf(pair)]), () => choose());
    if (index.pairs.length > 1) choices.append(labelled("Systems", pairs));
    if (index.metrics.length > 1) choices.append(labelled("Metric", metrics));
    await choose();
    box.classList.add("mtw-opened");
    said.remove();
  }

  // Shows the pair and the metric of the menus; what was looked for and selected stays.
  async function choose() {
    const wanted = `${metrics.value}.${pairs.value}`;
    if (wanted === current) return;
    const [set, metric, pair] = await Promise.all([load("set"), load(metrics.value), load(wanted)]);
    if (wanted !== `${metrics.value}.${pairs.value}`) return; // chosen since then
    const kept = { selection: model?.get("selection"), query: {} };
    for (const name of KEPT) if (model) kept.query[name] = model.get("query")[name];
    current = wanted;
    unmount();
    shown.replaceChildren();
    model = makeModel(makePages(set, metric, pair, linkTo), kept);
    unmount = render({ model, el: shown });
  }

  // Shows what an address names.
  async function visit(asked) {
    await open();
    const find = (select, names, wanted) => names.includes(wanted) && (select.value = names.indexOf(wanted));
    find(pairs, index.pairs.map(nameOf), asked.get("pair"));
    find(metrics, index.metrics, asked.get("metric"));
    await choose();
    shown.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const segment = Number(asked.get("segment"));
    if (!model.reveal(segment)) return shown.scrollIntoView();
    const article = shown.querySelector(`[aria-label^="Segment ${segment},"]`);
    article.setAttribute("aria-current", "true");
    article.scrollIntoView({ block: article.offsetHeight < article.parentElement.clientHeight ? "center" : "start" });
    article.focus({ preventScroll: true });
  }

  const guarded = (action) => async (...given) => {
    try {
      await action(...given);
    } catch (error) {
      said.textContent = "The data of the segments in this file cannot be read, so only the first ones are shown.";
      place.replaceChildren(said);
      box.classList.remove("mtw-opened");
      console.error(error);
    }
  };
  return { open: guarded(open), visit: guarded(visit) };
}

function openReport() {
  const boxes = [...document.querySelectorAll(".mtw-report-segments:has([data-block])")];
  const browsers = boxes.map((box, place) => makeBrowser(box, place + 1, boxes.length));
  // What is far down the page, or folded away, is unpacked when a reader comes near it.
  const near = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) if (isIntersecting) browsers[boxes.indexOf(target)].open();
  }, { rootMargin: "400px" });
  for (const box of boxes) near.observe(box);

  async function follow() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const place = Number(asked.get("set") ?? 1) - 1;
    if (!asked.has("segment") || !browsers[place]) return;
    for (let fold = boxes[place].closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    await browsers[place].visit(asked);
  }
  addEventListener("hashchange", follow);
  follow();
}

if ("DecompressionStream" in window) openReport();
