const make = (tag, className) => Object.assign(document.createElement(tag), { className });

// The copy is hidden where this screen stands: another notebook of the same page may show the same copy without one.
const HIDE = `.jp-OutputArea:has([data-copy="NAME"]) .jp-OutputArea-child:has(.NAME),
body:not(:has(.jp-OutputArea)) .NAME { display: none }`;

// Places in an image map do not shrink with their picture, and maps of two notebooks may have one name.
function follow_size(picture) {
  const image = picture.querySelector("img[usemap]");
  if (!image) return () => {};
  const map = picture.querySelector("map");
  map.name = `mtworkbench-${Math.random().toString(36).slice(2)}`;
  image.useMap = `#${map.name}`;
  const areas = [...map.areas].map((area) => [area, area.coords.split(",").map(Number)]);
  const watch = new ResizeObserver(() => {
    const scale = image.clientWidth / Number(image.getAttribute("width"));
    for (const [area, places] of areas) {
      area.coords = places.map((place) => (scale * place).toFixed(2)).join(",");
    }
  });
  watch.observe(image);
  return () => watch.disconnect();
}

export default {
  render({ model, el }) {
    const hide = make("style", "");
    const sentence = make("p", "mtworkbench-sentence tex2jax_ignore mathjax_ignore");
    const picture = make("div", "mtworkbench-picture");
    const progress = make("div", "mtworkbench-progress");
    let forget = () => {};
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
    const update_picture = () => {
      forget();
      picture.innerHTML = model.get("html");
      forget = follow_size(picture);
    };
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
      forget();
      for (const [name, update] of Object.entries(updates)) model.off(`change:${name}`, update);
    };
  },
};
