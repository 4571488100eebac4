// The copy is hidden where this screen stands: another notebook of the same page may show the same copy without one.
const HIDE = `.jp-OutputArea:has([data-copy="NAME"]) .jp-OutputArea-child:has(.NAME),
body:not(:has(.jp-OutputArea)) .NAME { display: none }`;

export default {
  render({ model, el }) {
    const hide = make("style");
    const sentence = make("p", "mtworkbench-sentence tex2jax_ignore mathjax_ignore");
    const picture = make("div", "mtworkbench-picture");
    const progress = make("div", "mtworkbench-progress");
    speak(sentence);
    keep_keys(el); // tables can be scrolled by the keyboard
    el.classList.add("mtworkbench-screen");
    el.append(hide, progress, sentence, picture);
    const updates = {
      "change:copy": () => {
        const copy = model.get("copy");
        el.dataset.copy = copy;
        hide.textContent = copy && HIDE.replaceAll("NAME", copy);
      },
      "change:sentence": () => (sentence.textContent = model.get("sentence")),
      "change:html": () => (picture.innerHTML = model.get("html")),
      "change:waiting": () => {
        const waiting = model.get("waiting");
        el.classList.toggle("mtworkbench-pale", waiting);
        el.setAttribute("aria-busy", waiting);
        progress.hidden = !waiting;
      },
      "change:progress": () => {
        progress.innerHTML = model.get("progress") || '<progress aria-label="drawing"></progress> drawing …';
      },
    };
    for (const update of Object.values(updates)) update();
    return listen(model, updates);
  },
};
