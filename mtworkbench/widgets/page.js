// What the scripts of controls, figures, screens and the form share: it stands before each of them.

const STOPPED = "The kernel behind this has stopped or was restarted: run the cell again.";

const make = (tag, className = "", attributes = {}) =>
  Object.assign(document.createElement(tag), { className, ...attributes });

const make_button = (textContent = "") => make("button", "mtworkbench-button", { type: "button", textContent });

// A label around the name and the control names it without ids, of which two views would have the same.
function make_label(control, textContent = "") {
  const label = make("label", "mtworkbench-label");
  label.append(make("span", "mtworkbench-name", { textContent }), control);
  return label;
}

// What changes without the reader's doing is spoken.
const speak = (...elements) => elements.forEach((element) => element.setAttribute("role", "status"));

// Or JupyterLab would take letters, and arrows, for commands to the notebook, and cut the cell at an X. It looks at what
// has the focus before it looks at what that stands in.
const keep_keys = (el) =>
  el.addEventListener("focusin", (event) => event.target.setAttribute("data-lm-suppress-shortcuts", "true"));

// To a kernel that has stopped or was restarted nothing can be sent: what is only set would be lost without a word.
function ask(model, message, say) {
  try {
    model.send(message);
    return true;
  } catch {
    say(STOPPED);
    return false;
  }
}

function put(model, name, value, say) {
  if (!ask(model, { kind: "hello" }, say)) return false;
  model.set(name, value);
  model.save_changes();
  return true;
}

// Call each function when one of its events comes; what is returned ends that.
function listen(model, listeners) {
  const pairs = Object.entries(listeners).flatMap(([events, hear]) => events.split(" ").map((event) => [event, hear]));
  for (const [event, hear] of pairs) model.on(event, hear);
  return () => pairs.forEach(([event, hear]) => model.off(event, hear));
}
