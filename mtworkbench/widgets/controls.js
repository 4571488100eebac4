// A menu, a slider, a switch, a button or draws: HTML's own, so that the keyboard and screen readers know it.

const say_stopped = (el) => (textContent) => {
  if (!el.querySelector("[role=alert]")) el.append(make("span", "", { role: "alert", textContent }));
};

// Each of these fills an element, and returns what brings it up to date.
function render_menu(model, el) {
  const select = make("select", "mtworkbench-menu");
  const label = make_label(select);
  el.append(label);
  select.addEventListener("change", () => {
    if (!put(model, "index", select.selectedIndex, say_stopped(el))) select.selectedIndex = model.get("index");
  });
  return () => {
    name_control(model, label, select);
    const labels = model.get("labels");
    if ([...select.options].map((option) => option.textContent).join("\n") !== labels.join("\n")) {
      select.replaceChildren(...labels.map((textContent) => make("option", "", { textContent })));
    }
    select.selectedIndex = model.get("index");
  };
}

function name_control(model, label, control) {
  label.firstChild.textContent = model.get("description");
  control.disabled = model.get("disabled");
}

function render_slider(model, el) {
  const range = make("input", "mtworkbench-slider", { type: "range", min: 0, step: 1 });
  const label = make_label(range);
  const shown = make("span", "mtworkbench-value");
  el.append(label, shown);
  const say = () => {
    const text = model.get("labels")[range.valueAsNumber];
    shown.textContent = text;
    range.setAttribute("aria-valuetext", text);
  };
  range.addEventListener("input", say);
  // Of a drag, "change" comes at its end; of the keyboard, at every step.
  range.addEventListener("change", () => {
    if (put(model, "index", range.valueAsNumber, say_stopped(el))) return;
    range.value = model.get("index");
    say();
  });
  return () => {
    name_control(model, label, range);
    const labels = model.get("labels");
    range.max = labels.length - 1;
    range.value = model.get("index");
    // All values take the width of the longest, so nothing moves while the slider does.
    shown.style.minWidth = `${Math.max(...labels.map((text) => text.length))}ch`;
    say();
  };
}

function render_pressed(model, el, press) {
  const button = make_button();
  el.append(button);
  button.addEventListener("click", press);
  return () => {
    button.textContent = model.get("description");
    button.disabled = model.get("disabled");
    button.title = model.get("tooltip") ?? "";
    if (model.get("kind") === "switch") button.setAttribute("aria-pressed", model.get("value"));
  };
}

const render_switch = (model, el) =>
  render_pressed(model, el, () => put(model, "value", !model.get("value"), say_stopped(el)));

const render_button = (model, el) => render_pressed(model, el, () => ask(model, { kind: "click" }, say_stopped(el)));

// Every draw is asked for once the one before it is shown, so that each is seen, however fast one clicks; while several
// are to come, the second button stops.
function render_draws(model, el, on) {
  const label = make("span", "mtworkbench-label");
  const name = make("span", "mtworkbench-name");
  const shown = make("output", "mtworkbench-value");
  const again = make_button("draw again");
  const many = make_button();
  let goal = null;
  let asked = null;
  label.append(name, shown);
  el.append(label, again, many);
  const say = () => (many.textContent = goal > asked ? "stop" : `draw ${model.get("many")} times`);
  const stop = () => {
    goal = asked = null;
    say();
  };
  const draw = () => {
    asked = model.get("value") + 1;
    if (!put(model, "value", asked, say_stopped(el))) stop();
  };
  const go_on = (times) => {
    // The button keeps its width, or the next one would move under the mouse.
    many.style.minWidth = `${many.getBoundingClientRect().width}px`;
    const is_drawing = goal !== null;
    goal = (goal ?? model.get("value")) + times;
    if (!is_drawing) draw();
    say();
  };
  again.addEventListener("click", () => go_on(1));
  many.addEventListener("click", (event) => {
    if (goal > asked) return stop();
    // The second click of a double click on "stop" would start anew.
    if (event.detail > 1) return;
    go_on(model.get("many"));
  });
  on({
    "change:answers": () => {
      if (goal === null) return;
      if (model.get("value") !== asked || asked >= goal) return stop();
      // Meanwhile it may have been stopped, or the view closed.
      requestAnimationFrame(() => goal !== null && el.isConnected && draw());
    },
    // Set back, or a dot has brought another draw back.
    "change:value": () => goal !== null && model.get("value") !== asked && stop(),
    comm_live_update: () => {
      if (goal === null) return;
      stop();
      say_stopped(el)(STOPPED);
    },
  });
  return () => {
    name.textContent = model.get("description");
    shown.textContent = model.get("value");
    // Of the first hundred seeds, none makes what follows move.
    shown.style.minWidth = "3ch";
    again.disabled = many.disabled = model.get("disabled");
    say();
  };
}

const kinds = { menu: render_menu, slider: render_slider, switch: render_switch, button: render_button, draws: render_draws };

export default {
  render({ model, el }) {
    el.classList.add("mtworkbench-control");
    keep_keys(el);
    const ends = [];
    const on = (listeners) => ends.push(listen(model, listeners));
    const update = kinds[model.get("kind")](model, el, on);
    update();
    on({ change: update });
    return () => ends.forEach((end) => end());
  },
};
