// A menu, a slider, a switch, a button or draws: HTML's own, so that the keyboard and screen readers know it.

// Or JupyterLab would take letters typed at a menu, and arrows, for commands to the notebook.
const keep_keys = (control) => control.setAttribute("data-lm-suppress-shortcuts", "true");

const make = (tag, className, attributes = {}) =>
  Object.assign(document.createElement(tag), { className, ...attributes });

// A label around the name and the control names it without ids, of which two views would have the same.
function make_named(model, el, control) {
  const label = make("label", "mtworkbench-label");
  const name = make("span", "mtworkbench-name");
  label.append(name, control);
  el.append(label);
  keep_keys(control);
  return () => {
    name.textContent = model.get("description");
    control.disabled = model.get("disabled");
  };
}

// To a kernel that has stopped or was restarted nothing can be sent: what is only set would be lost without a word.
const STOPPED = "The kernel behind this has stopped or was restarted: run the cell again.";
function say_stopped(el) {
  if (!el.querySelector("[role=alert]")) el.append(make("span", "", { role: "alert", textContent: STOPPED }));
}

function ask(model, el, message) {
  try {
    model.send(message);
    return true;
  } catch {
    say_stopped(el);
    return false;
  }
}

function put(model, el, name, value) {
  if (!ask(model, el, { kind: "hello" })) return false;
  model.set(name, value);
  model.save_changes();
  return true;
}

function render_menu(model, el) {
  const select = make("select", "mtworkbench-menu");
  const update_name = make_named(model, el, select);
  select.addEventListener("change", () => {
    if (!put(model, el, "index", select.selectedIndex)) select.selectedIndex = model.get("index");
  });
  return () => {
    update_name();
    const labels = model.get("labels");
    if ([...select.options].map((option) => option.textContent).join("\n") !== labels.join("\n")) {
      select.replaceChildren(...labels.map((text) => make("option", "", { textContent: text })));
    }
    select.selectedIndex = model.get("index");
  };
}

function render_slider(model, el) {
  const range = make("input", "mtworkbench-slider", { type: "range", min: 0, step: 1 });
  const update_name = make_named(model, el, range);
  const shown = make("span", "mtworkbench-value");
  el.append(shown);
  const say = () => {
    const text = model.get("labels")[range.valueAsNumber];
    shown.textContent = text;
    range.setAttribute("aria-valuetext", text);
  };
  range.addEventListener("input", say);
  // Of a drag, "change" comes at its end; of the keyboard, at every step.
  range.addEventListener("change", () => {
    if (put(model, el, "index", range.valueAsNumber)) return;
    range.value = model.get("index");
    say();
  });
  return () => {
    update_name();
    const labels = model.get("labels");
    range.max = labels.length - 1;
    range.value = model.get("index");
    // All values take the width of the longest, so nothing moves while the slider does.
    shown.style.minWidth = `${Math.max(...labels.map((text) => text.length))}ch`;
    say();
  };
}

function render_switch(model, el) {
  const button = make("button", "mtworkbench-button", { type: "button" });
  el.append(button);
  keep_keys(button);
  button.addEventListener("click", () => put(model, el, "value", !model.get("value")));
  return () => {
    button.textContent = model.get("description");
    button.disabled = model.get("disabled");
    button.setAttribute("aria-pressed", model.get("value"));
  };
}

function render_button(model, el) {
  const button = make("button", "mtworkbench-button", { type: "button" });
  el.append(button);
  keep_keys(button);
  button.addEventListener("click", () => ask(model, el, { kind: "click" }));
  return () => {
    button.textContent = model.get("description");
    button.title = model.get("tooltip");
    button.disabled = model.get("disabled");
  };
}

// Every draw is asked for once the one before it is shown, so that each is seen, however fast one clicks; while several
// are to come, the second button stops.
function render_draws(model, el, on) {
  const label = make("span", "mtworkbench-label");
  const name = make("span", "mtworkbench-name");
  const shown = make("output", "mtworkbench-value");
  const again = make("button", "mtworkbench-button", { type: "button", textContent: "draw again" });
  const many = make("button", "mtworkbench-button", { type: "button" });
  let goal = null;
  let asked = null;
  label.append(name, shown);
  el.append(label, again, many);
  [again, many].forEach(keep_keys);
  const say = () => (many.textContent = goal > asked ? "stop" : `draw ${model.get("many")} times`);
  const stop = () => {
    goal = asked = null;
    say();
  };
  const draw = () => {
    asked = model.get("value") + 1;
    if (!put(model, el, "value", asked)) stop();
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
  on("change:answers", () => {
    if (goal === null) return;
    if (model.get("value") !== asked || asked >= goal) return stop();
    // Meanwhile it may have been stopped, or the view closed.
    requestAnimationFrame(() => goal !== null && el.isConnected && draw());
  });
  // Set back, or a dot has brought another draw back.
  on("change:value", () => goal !== null && model.get("value") !== asked && stop());
  on("comm_live_update", () => {
    if (goal === null) return;
    stop();
    say_stopped(el);
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
    const listeners = [];
    const on = (event, listen) => {
      model.on(event, listen);
      listeners.push([event, listen]);
    };
    const update = kinds[model.get("kind")](model, el, on);
    update();
    on("change", update);
    return () => listeners.forEach(([event, listen]) => model.off(event, listen));
  },
};
