"""How the documentation site is built: make docs."""

import sys
from pathlib import Path

from mtworkbench.version import __version__

sys.path.insert(0, str(Path(__file__).parent))

project = "mtworkbench"
author = "The mtworkbench authors"
release = __version__
html_title = project

# The source is the whole repository, so that links between pages, notebooks and data lead to the same files everywhere.
root_doc = "docs/index"
include_patterns = [
    "docs/*.md",
    "docs/**/*.md",
    "notebooks/*.ipynb",
    "exercises/*.ipynb",
    "data/*/README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "tests/defects/README.md",
]

extensions = ["generate", "myst_nb", "sphinx.ext.autodoc", "numpydoc"]
default_role = "py:obj"
smartquotes = False  # it would make dashes of the hyphens of options
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # the stored results are shown; the tests check that they are those of this code
nb_merge_streams = True
nb_code_prompt_show = "The check: its code is the solution"
nb_code_prompt_hide = "Hide the check"
numpydoc_show_class_members = False
autodoc_typehints = "none"  # the docstrings say the types
python_maximum_signature_line_length = 88
toc_object_entries = False

html_theme = "pydata_sphinx_theme"
html_theme_options = {
    "show_prev_next": False,
    "navigation_depth": 3,
    "show_nav_level": 1,
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
html_static_path = ["site.css", "site.js"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_extra_path = ["root"]  # what leads from the top of the site to the first page
html_show_sourcelink = False
html_copy_source = False
