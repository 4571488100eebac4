"""Ways in which people keep outputs and scores: one address for docs/layouts.md and its test."""

from . import plain_text
from .layout import Layout

#: Each with the heading of the page.
GROUPS: dict[str, tuple[Layout, ...]] = {
    "Texts, one segment per line": plain_text.LAYOUTS,
}
LAYOUTS = tuple(one for layouts in GROUPS.values() for one in layouts)
