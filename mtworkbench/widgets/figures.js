const SVG = "http://www.w3.org/2000/svg";
// How far the mouse moves before a click is a rectangle, in pixels of the screen.
const DRAG = 4;
// Of its own width, a picture takes so much at least, or its text would be too small: the rest is scrolled to, as is
// what is higher than half of the window.
const SMALLEST = 0.8;
const HELP =
  "Arrow keys go from mark to mark, Home and End to the first and the last, Enter chooses, Escape clears the selection.";
const HELP_BRUSH = " Arrow keys with Shift select, as does a rectangle drawn with the mouse.";

function make_shape(tag, className) {
  const shape = document.createElementNS(SVG, tag);
  shape.setAttribute("class", className);
  return shape;
}

// Bytes come at any place of a longer message, where numbers of four bytes cannot be read in place.
function read_places(bytes) {
  if (!bytes?.byteLength) return new Float32Array();
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

// Marks in the order of one coordinate, and of the other where that is the same.
function sort_marks(places, first) {
  const order = Uint32Array.from({ length: places.length / 2 }, (_, mark) => mark);
  const at = (mark, which) => places[2 * mark + which];
  return order.sort((a, b) => at(a, first) - at(b, first) || at(a, 1 - first) - at(b, 1 - first) || a - b);
}

// The marks of a picture: which one is near, which ones a rectangle holds, which one comes next.
class Marks {
  constructor(places, along, rows) {
    this.places = places;
    this.rows = rows;
    // Of marks in one column, the nearest is found, however far it is.
    this.weights = [along === "y" ? 0 : 1, along === "x" ? 0.001 : 1];
    this.orders = [0, 1].map((which) => sort_marks(places, along === "y" ? 1 : along === "x" ? 0 : which));
    this.ranks = this.orders.map((order) => {
      const ranks = new Uint32Array(order.length);
      order.forEach((mark, rank) => (ranks[mark] = rank));
      return ranks;
    });
  }

  get count() {
    return this.places.length / 2;
  }

  at(mark) {
    return [this.places[2 * mark], this.places[2 * mark + 1]];
  }

  // Where marks are rows, the one whose row has this height.
  row_at(y) {
    for (let mark = 0; mark < this.count; mark++) {
      if (this.rows[2 * mark] <= y && y < this.rows[2 * mark + 1]) return mark;
    }
    return -1;
  }

  // One pass over numbers in a row: 10,000 marks take less than a tenth of a millisecond.
  nearest(x, y, reach) {
    const [wide, high] = this.weights;
    let [found, least] = [-1, reach * reach];
    for (let mark = 0; mark < this.count; mark++) {
      const across = wide * (this.places[2 * mark] - x);
      const up = high * (this.places[2 * mark + 1] - y);
      const distance = across * across + up * up;
      if (distance <= least) [found, least] = [mark, distance];
    }
    return found;
  }

  inside([left, top, right, bottom]) {
    const found = [];
    for (let mark = 0; mark < this.count; mark++) {
      const [x, y] = this.at(mark);
      if (x >= left && x <= right && y >= top && y <= bottom) found.push(mark);
    }
    return found;
  }

  // Rows run downwards, so both ways of arrows follow the same order where only one coordinate counts.
  next(mark, which, step) {
    const order = this.orders[which];
    const rank = this.ranks[which][mark] + step;
    return order[Math.min(Math.max(rank, 0), order.length - 1)];
  }
}

const ARROWS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 1], ArrowUp: [1, -1] };

export default {
  render({ model, el }) {
    el.classList.add("mtworkbench-figure", "tex2jax_ignore", "mathjax_ignore");
    keep_keys(el);

    const above = make("div", "mtworkbench-above");
    const caption = make("span", "mtworkbench-caption");
    const more = make("details", "mtworkbench-more");
    const scroller = make("div", "mtworkbench-scroller");
    const frame = make("div", "mtworkbench-frame");
    const image = make("img", "mtworkbench-image", { draggable: false });
    const layer = make_shape("svg", "mtworkbench-layer");
    const row = make_shape("rect", "mtworkbench-row");
    const chosen = make_shape("circle", "mtworkbench-chosen");
    const selected = make_shape("path", "mtworkbench-selected");
    const ring = make_shape("circle", "mtworkbench-ring");
    const box = make_shape("rect", "mtworkbench-box");
    const tip = make("div", "mtworkbench-tip");
    const spoken = make("div", "mtworkbench-spoken");
    const help = make("div", "mtworkbench-spoken");
    const below = make("div", "mtworkbench-below");
    const save = make("a", "mtworkbench-button", { textContent: "save as PNG" });
    const copy_table = make_button("copy table");
    const folded = make("details", "mtworkbench-code");
    const copy_code = make_button("copy code");
    const code = make("code");
    const note = make("span", "mtworkbench-note");
    const clear = make_button("show all");
    const said = make("span", "mtworkbench-said");

    layer.append(row, chosen, selected, box, ring);
    layer.setAttribute("tabindex", "0");
    layer.setAttribute("role", "application");
    layer.setAttribute("aria-roledescription", "figure with marks");
    // Two views of one figure must not have the same id.
    help.id = `mtworkbench-${Math.random().toString(36).slice(2)}`;
    layer.setAttribute("aria-describedby", help.id);
    spoken.setAttribute("aria-live", "polite");
    speak(note, said);
    tip.setAttribute("aria-hidden", "true");
    frame.append(image, layer, tip);
    const written = make("pre", "", { tabIndex: 0 });
    written.append(code);
    folded.append(make("summary", "", { textContent: "code" }), written, copy_code);
    below.append(save, copy_table, folded, note, clear, said);
    scroller.append(frame);
    above.append(caption, " ", more);
    el.append(above, scroller, help, spoken, below);

    // A box that scrolls can be scrolled by keys; one that does not is no stop on the way through the page.
    // Where more of a picture is out of sight its edge fades: not every system shows bars for scrolling.
    const fade = () => {
      const right = scroller.scrollWidth - scroller.clientWidth - scroller.scrollLeft;
      const down = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;
      scroller.classList.toggle("mtworkbench-goes-right", right > 1);
      scroller.classList.toggle("mtworkbench-goes-down", down > 1);
    };
    scroller.addEventListener("scroll", fade);
    const watch = new ResizeObserver(() => {
      fade();
      const scrolls = scroller.scrollWidth > scroller.clientWidth || scroller.scrollHeight > scroller.clientHeight;
      for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", model.get("name")]]) {
        if (scrolls) scroller.setAttribute(name, value);
        else scroller.removeAttribute(name);
      }
    });
    for (const one of [scroller, frame]) watch.observe(one);

    let marks = new Marks(new Float32Array(), "xy", new Float32Array());
    let current = -1;
    let drag = null;

    const scale = () => model.get("width") / layer.getBoundingClientRect().width || 1;
    const say_stopped = (sentence) => {
      said.textContent = sentence;
      place_box(box, null);
    };

    function place_ring(shape, mark) {
      shape.style.display = mark < 0 ? "none" : "";
      if (mark < 0) return;
      const [x, y] = marks.at(mark);
      shape.setAttribute("cx", x);
      shape.setAttribute("cy", y);
      shape.setAttribute("r", 8);
    }

    function place_box(shape, corners) {
      shape.style.display = corners ? "" : "none";
      if (!corners) return;
      const [left, top, right, bottom] = corners;
      const sizes = { x: left, y: top, width: right - left, height: bottom - top };
      for (const [name, value] of Object.entries(sizes)) shape.setAttribute(name, value);
    }

    function show(mark, { aloud = false } = {}) {
      current = mark;
      place_ring(ring, mark);
      tip.hidden = mark < 0;
      layer.style.cursor = mark < 0 ? "" : "pointer";
      if (mark < 0) return;
      const text = model.get("texts")[mark] ?? "";
      tip.textContent = text;
      if (aloud) spoken.textContent = `${text} (${mark + 1} of ${marks.count})`;
      // Beside the mark, on the side where there is room; below a row or above it, so that the row can be read.
      const [x, y] = marks.at(mark).map((pixel) => pixel / scale());
      const [above, under] = marks.rows.length
        ? [marks.rows[2 * mark] / scale() - 2, marks.rows[2 * mark + 1] / scale() + 2]
        : [y - 12, y + 14];
      const { width, height } = layer.getBoundingClientRect();
      const left = Math.min(x + 12, width - tip.offsetWidth - 2);
      const has_room = under + tip.offsetHeight <= height || above < tip.offsetHeight;
      const top = has_room ? under : above - tip.offsetHeight;
      Object.assign(tip.style, { left: `${Math.max(0, left)}px`, top: `${top}px` });
      if (aloud) tip.scrollIntoView({ block: "nearest", inline: "nearest" });
    }

    // A figure of which nothing can be selected has no rectangle.
    const can_brush = () => model.get("brushable");
    const brush = (found) => put(model, "brushed", [...found].sort((a, b) => a - b), say_stopped);
    const click = (mark) => mark >= 0 && put(model, "clicked", mark, say_stopped);

    function where(event) {
      const { left, top } = layer.getBoundingClientRect();
      return [(event.clientX - left) * scale(), (event.clientY - top) * scale()];
    }

    const reach = () => model.get("reach") * (model.get("along") === "xy" ? scale() : 1);
    const find = ([x, y]) => (marks.rows.length ? marks.row_at(y) : marks.nearest(x, y, reach()));
    const corners_of = ([x, y], [u, v]) => [Math.min(x, u), Math.min(y, v), Math.max(x, u), Math.max(y, v)];

    layer.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      drag = { from: where(event), box: null };
      layer.setPointerCapture(event.pointerId);
    });
    layer.addEventListener("pointermove", (event) => {
      const here = where(event);
      if (!drag) return show(find(here));
      if (!can_brush()) return;
      const far = Math.hypot(here[0] - drag.from[0], here[1] - drag.from[1]) > DRAG * scale();
      if (!far && !drag.box) return;
      drag.box = corners_of(drag.from, here);
      show(-1);
      place_box(box, drag.box);
    });
    layer.addEventListener("pointerup", (event) => {
      const { box: drawn } = drag ?? {};
      drag = null;
      if (drawn) {
        const found = marks.inside(drawn);
        return found.length ? brush(found) : clear_brush();
      }
      const mark = find(where(event));
      if (mark < 0 && model.get("brushed").length) return clear_brush();
      click(mark);
    });
    layer.addEventListener("pointercancel", () => {
      drag = null;
      place_box(box, null);
    });
    layer.addEventListener("pointerleave", () => {
      if (!drag && document.activeElement !== layer) show(-1);
    });
    layer.addEventListener("blur", () => show(-1));

    function clear_brush() {
      place_box(box, null);
      brush([]);
    }

    function go(mark, extend) {
      if (extend && can_brush()) {
        place_box(box, null);
        brush(new Set([...model.get("brushed"), ...(current < 0 ? [] : [current]), mark]));
      }
      show(mark, { aloud: true });
    }

    layer.addEventListener("keydown", (event) => {
      if (!marks.count || event.ctrlKey || event.altKey || event.metaKey) return;
      const arrow = ARROWS[event.key];
      if (arrow) {
        const [which, step] = arrow;
        const start = model.get("chosen");
        const mark = current >= 0 ? marks.next(current, which, step) : start >= 0 ? start : marks.orders[which][0];
        go(mark, event.shiftKey);
      } else if (event.key === "Home") go(marks.orders[0][0], event.shiftKey);
      else if (event.key === "End") go(marks.orders[0].at(-1), event.shiftKey);
      else if (event.key === "Enter" || event.key === " ") click(current);
      else if (event.key === "Escape") clear_brush();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    clear.addEventListener("click", () => {
      clear_brush();
      layer.focus();
    });

    async function copy(text, what) {
      // The clipboard may be closed to pages.
      try {
        await navigator.clipboard.writeText(text);
        said.textContent = `Copied the ${what}.`;
      } catch {
        const name = what === "table" ? "frames" : "code";
        said.textContent = `This page may not use the clipboard: in Python, use .${name}["${model.get("called")}"].`;
      }
    }
    copy_code.addEventListener("click", () => copy(model.get("code"), "code"));
    copy_table.addEventListener("click", () => ask(model, { kind: "table" }, say_stopped));
    const receive = (message) => message.kind === "table" && copy(message.text, "table");

    function update_picture() {
      const source = model.get("source");
      frame.hidden = !source;
      // Its style is ipywidgets' to write.
      el.hidden = !source && !model.get("caption");
      if (source) image.src = save.href = source;
      save.download = `${model.get("called")}.png`;
      said.textContent = "";
      image.alt = model.get("alt");
      image.width = model.get("width");
      image.height = model.get("height");
      frame.style.minWidth = `${SMALLEST * model.get("width")}px`;
      above.style.maxWidth = source ? `${model.get("width")}px` : "";
      layer.setAttribute("viewBox", `0 0 ${model.get("width")} ${model.get("height")}`);
      marks = new Marks(read_places(model.get("places")), model.get("along"), read_places(model.get("rows")));
      layer.style.display = marks.count ? "" : "none";
      layer.setAttribute("aria-label", model.get("name"));
      help.textContent = can_brush() ? HELP + HELP_BRUSH : HELP;
      drag = null;
      place_box(box, null);
      show(-1);
      update_chosen();
      update_brushed();
    }

    function update_chosen() {
      const mark = model.get("chosen") < marks.count ? model.get("chosen") : -1;
      const whole = mark >= 0 && marks.rows.length > 0;
      place_ring(chosen, whole ? -1 : mark);
      const [top, bottom] = whole ? marks.rows.subarray(2 * mark) : [];
      place_box(row, whole ? [1, top, model.get("width") - 1, bottom] : null);
    }

    // All of them are one line of dots: thousands of elements would be slow.
    function update_brushed() {
      const brushed = model.get("brushed").filter((mark) => mark < marks.count);
      selected.setAttribute("d", brushed.map((mark) => `M${marks.at(mark).join(" ")}h0`).join(""));
      clear.hidden = !model.get("brushed").length;
      if (!brushed.length && !drag) place_box(box, null);
    }

    const update_words = () => {
      const [first, ...rest] = model.get("caption").split("\n");
      caption.textContent = first;
      caption.hidden = !first;
      more.replaceChildren(...[["summary", "more"], ["div", rest.join(" ")]].map(([tag, textContent]) => make(tag, "", { textContent })));
      more.hidden = !rest.length;
      note.textContent = model.get("note");
      code.textContent = model.get("code");
      for (const one of [save, copy_table, folded]) one.hidden = !model.get("code");
    };

    const update_waiting = () => {
      frame.classList.toggle("mtworkbench-waiting", model.get("waiting"));
      el.setAttribute("aria-busy", model.get("waiting"));
    };

    update_picture();
    update_words();
    const end = listen(model, {
      // Whatever else has changed with a picture has come before it.
      "change:picture": update_picture,
      "change:waiting": update_waiting,
      "change:chosen": update_chosen,
      "change:brushed": update_brushed,
      "change:caption change:note change:code": update_words,
      "msg:custom": receive,
    });
    return () => {
      watch.disconnect();
      end();
    };
  },
};
