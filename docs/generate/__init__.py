"""What the documentation site takes from the package when it is built: reference pages, and pictures of notebooks.

A page says ``<!-- generated: command_line -->`` where the module of this name writes Markdown. It may have an argument:
``<!-- generated: public_names mtworkbench.plots -->``.
"""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: The pages below each page, in the order of the navigation. It stands here, because other viewers of Markdown would
#: show it in the pages.
NAVIGATION = {
    "docs/index": "Tutorial<tutorial> How-to<how-to/index> explanation/index reference/index notebooks evidence "
    "project",
    "docs/how-to/index": "two-files several-runs many-systems several-test-sets comet form reviewer equal "
    "how-many-sentences which-sentences sacrebleu-numbers other-rules ../reports ../scripts ../doubts ../studies "
    "../teaching/README",
    "docs/explanation/index": "two-questions which-unit which-test several-comparisons what-p-says "
    "intervals-and-verdicts ../rankings ../what_a_difference_means ../from-other-tools",
    "docs/reference/index": "api/index command-line json messages files ../layouts metrics data ../known-documents "
    "../draws cache stability",
    "docs/reference/api/index": "front analyses inference results outputs metrics statistics plots tables reports "
    "exports widgets papers",
    "docs/reference/api/papers": "koehn2004 clark2011",
    "docs/reference/data": "../../data/*/README",
    "docs/notebooks": "../notebooks/* ../exercises/*",
    "docs/evidence": "validity reliability performance koehn2004 clark2011",
    "docs/validity": "tables/validity-*",
    "docs/reliability": "tables/reliability-*",
    "docs/performance": "tables/performance-*",
    "docs/project": "../CHANGELOG ../CONTRIBUTING ../tests/defects/README ../SECURITY dependencies",
    "docs/teaching/README": "plan-45 plan-90 misreadings glossary",
}
MARK = re.compile(r"^<!-- generated: (\w+)(?: ([\w.]+))? -->$", re.MULTILINE)
# A link to a heading of a notebook, in JupyterLab's form.
HEADING = re.compile(r"(\.ipynb#)([^)\s\"\\]+)")


def fill_page(text: str) -> str:
    """Return a page with what its marks stand for."""
    return MARK.sub(lambda mark: import_module(f"{__name__}.{mark[1]}").write(*filter(None, [mark[2]])), text)


def link_headings(text: str) -> str:
    """Return a page whose links to headings of notebooks have the form that the site's headings have."""
    return HEADING.sub(lambda link: link[1] + re.sub(r"[^\w-]", "", link[2].lower()), text)


def fold_hidden(text: str) -> str:
    """Return a notebook whose hidden code, such as the check of an exercise, is folded away."""
    notebook = json.loads(text)
    for cell in notebook["cells"]:
        if cell["metadata"].get("jupyter", {}).get("source_hidden"):
            cell["metadata"].setdefault("tags", []).append("hide-input")
    return json.dumps(notebook)


def add_navigation(name: str, text: str) -> str:
    """Return a page with the list of the pages below it."""
    folder = (ROOT / name).parent
    entries = {re.sub(".*<|>", "", one): one.replace("<", " <") for one in NAVIGATION[name].split()}
    below = [entry for one, entry in entries.items() if "*" in one or folder.joinpath(f"{one}.md").exists()]
    return "\n".join([text, "", "```{toctree}", ":hidden:", ":glob:", "", *below, "```", ""])


def read_source(app, name: str, source: list[str]) -> None:
    """Change a page before Sphinx reads it."""
    text = fill_page(source[0])
    if name in NAVIGATION:
        text = add_navigation(name, text)
    if text != source[0]:
        app.env.note_reread()  # what it is made of may have changed
    if name.split("/")[0] in ("notebooks", "exercises"):
        text = fold_hidden(text)
    source[0] = link_headings(text)


def setup(app) -> dict[str, bool]:
    """Register with Sphinx."""
    import myst_nb.sphinx_ext

    # It writes the notebooks and their pictures there, beside the folder of the site.
    myst_nb.sphinx_ext.OUTPUT_FOLDER = "build/jupyter_execute"
    app.connect("source-read", read_source)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
