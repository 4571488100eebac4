// The theme's buttons that unfold the pages below a page have no name for screen readers.
document.addEventListener("DOMContentLoaded", () => {
  for (const toggle of document.querySelectorAll("summary:has(> .toctree-toggle)")) {
    const link = toggle.closest("li").querySelector("a");
    toggle.setAttribute("aria-label", `Pages below ${link.textContent.trim()}`);
  }
});
