"""Ways in which people keep outputs and scores: one address for docs/layouts.md and its test."""

from . import plain_text, scores, several_sets, shared_tasks, tables, toolkits
from .layout import Layout

#: Each with the heading of the page.
GROUPS: dict[str, tuple[Layout, ...]] = {
    "Texts, one segment per line": plain_text.LAYOUTS,
    "What toolkits leave": toolkits.LAYOUTS,
    "Shared tasks": shared_tasks.LAYOUTS,
    "Scores of other programs, and of people": scores.LAYOUTS,
    "Several test sets": several_sets.LAYOUTS,
    "Tables, JSON lines, frames and statistics": tables.LAYOUTS,
}
LAYOUTS = tuple(one for layouts in GROUPS.values() for one in layouts)
