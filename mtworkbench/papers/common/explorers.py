"""What the explorers of both papers offer alike."""

from mtworkbench.widgets.controls import Switch


def offer_paper(is_printed: bool) -> Switch | None:
    """Make the switch that adds the paper's numbers to a sentence, where the paper has some of the data."""
    return Switch("the paper's numbers") if is_printed else None
