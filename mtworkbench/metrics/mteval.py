"""How NIST's mteval takes text apart: its tokenizations and its two ideas of lower case."""

from __future__ import annotations

import string
from collections.abc import Callable

from mtworkbench.metrics.sacrebleu_adapter import plain_tokenizer

#: mteval's tokenizations: the default of v11b to v14, ``--international-tokenization``, and ``--no-norm`` of v13m.
TOKENIZATIONS = ("13a", "intl", "none")

ASCII_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
# The order matters: "&amp;lt;" becomes "<", as in mteval.
ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&apos;", "'"))


def mteval_splitter(tokenize: str, lowercase: bool) -> Callable[[str], list[str]]:
    """Return the function that splits a text into mteval's tokens.

    The tokens of ``13a`` are sacreBLEU's. Those of ``intl`` differ from sacreBLEU's in two ways: entities are
    replaced by their characters, and spaces at the ends of the text count: a full stop between a digit and the end of
    the text is a token of its own only where a space follows it, so that ``<seg> 10. </seg>`` and ``<seg>10.</seg>``
    differ. ``none`` splits at white space, and replaces entities.

    Parameters
    ----------
    tokenize : {"13a", "intl", "none"}
        See `TOKENIZATIONS`.
    lowercase : bool
        As mteval does it: under ``13a`` the letters A-Z only, else all letters.
    """
    if tokenize == "none":
        return lambda text: _lower(_replace_entities(text), lowercase).split()
    split = plain_tokenizer(tokenize)
    if tokenize == "13a":
        return lambda text: (split(text).translate(ASCII_LOWER) if lowercase else split(text)).split()
    return lambda text: _lower(split(_replace_entities(_join_lines(text))), lowercase).split()


def _join_lines(text: str) -> str:
    """Join words that were divided at the end of a line, which Unicode's line separator marks here."""
    return text.replace("<skipped>", "").replace("-\u2028", "")


def _replace_entities(text: str) -> str:
    if "&" in text:
        for entity, character in ENTITIES:
            text = text.replace(entity, character)
    return text


def _lower(text: str, lowercase: bool) -> str:
    # Perl, in which mteval is written, knows no final sigma; Python does.
    return text.replace("\u03a3", "\u03c3").lower() if lowercase else text
