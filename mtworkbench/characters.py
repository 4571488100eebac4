"""Characters that could steer a terminal, or turn the direction of the text after them, written as escapes."""

import unicodedata

# What turns the direction of the text after it, so that a name reads as another one.
BIDIRECTIONAL = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def printable(text: str) -> str:
    """Return text with what could steer a terminal (control and bidirectional characters, surrogates) as escapes."""
    if text.isprintable():  # then it has none of them, and most texts are so
        return text
    return "".join(
        character.encode("unicode_escape").decode("ascii")
        if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or character in BIDIRECTIONAL
        else character
        for character in text
    )
