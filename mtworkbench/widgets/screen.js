const make = (tag, className) => Object.assign(document.createElement(tag), { className });

// The copy is hidden where this screen stands: another notebook of the same page may show the same copy without one.
const HIDE = `.jp-OutputArea:has([data-copy="NAME"]) .jp-OutputArea-child:has(.NAME),
body:not(:has(.jp-OutputArea)) .NAME { display: none }`;

export default {
  render({ model, el }) {
    const hide = make("style", "");
    const sentence = make("p", "mtworkbench-sentence tex2jax_ignore mathjax_ignore");
    const picture = make("div", "mtworkbench-picture");
    const progress = make("div", "mtworkbench-progress");
    sentence.setAttribute("role", "status");
    // Tables can be scrolled by the keyboard; its other keys would be commands to the notebook.
    el.addEventListener("focusin", (event) => event.target.setAttribute("data-lm-suppress-shortcuts", "true"));
    el.classList.add("mtworkbench-screen");
    el.append(hide, progress, sentence, picture);
    const update_copy = () => {
      const copy = model.get("copy");
      el.dataset.copy = copy;
      hide.textContent = copy && HIDE.replaceAll("NAME", copy);
    };
    const update_sentence = () => (sentence.textContent = model.get("sentence"));
    const update_picture = () => (picture.innerHTML = model.get("html"));
    const update_waiting = () => {
      const waiting = model.get("waiting");
      el.classList.toggle("mtworkbench-pale", waiting);
      el.setAttribute("aria-busy", waiting);
      progress.hidden = !waiting;
    };
    const update_progress = () => {
      progress.innerHTML = model.get("progress") || '<progress aria-label="drawing"></progress> drawing …';
    };
    const updates = {
      copy: update_copy,
      sentence: update_sentence,
      html: update_picture,
      waiting: update_waiting,
      progress: update_progress,
    };
    for (const [name, update] of Object.entries(updates)) {
      update();
      model.on(`change:${name}`, update);
    }
    return () => {
      for (const [name, update] of Object.entries(updates)) model.off(`change:${name}`, update);
    };
  },
};
