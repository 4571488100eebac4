"""``-t NAME -l PAIR``: the references, the source and the documents of a public test set, and the outputs it has."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from mtworkbench.cli.reading import FILE_OPTIONS, as_option
from mtworkbench.cli.streams import mention
from mtworkbench.errors import DataWarning


def add_test_set(outputs: argparse._ArgumentGroup) -> None:
    """Add the option that names a test set; its language pair is an option of other formats, too."""
    outputs.add_argument(
        "-t",
        "--test-set",
        metavar="NAME",
        help="in place of the reference: a test set that sacreBLEU knows, such as -t wmt24 -l en-de; without outputs, "
        "those that come with it are compared",
    )
    outputs.set_defaults(own_outputs={})


def place_test_set(options: argparse.Namespace) -> None:
    """Put the files of the test set in the place of those that options name.

    Raises
    ------
    InputError
        Those of `read_test_set`.
    """
    given = [name for name in ("reference", *FILE_OPTIONS, "statistics") if getattr(options, name, None)]
    if given:
        options.usage_error(f"--test-set names the references, too: leave --{as_option(given[0])} out")
    from mtworkbench.outputs.test_sets import find_test_set

    found = find_test_set(options.test_set, options.language_pair, mention)
    options.reference = found.references
    for label, file in found.labels.items():
        if getattr(options, label) is None:
            setattr(options, label, file)
    options.own_outputs = found.systems


def name_tokenizer(options: argparse.Namespace, specs: Sequence[str]) -> Sequence[str]:
    """Give BLEU the tokenizer that sacreBLEU has for the target language of a test set, unless another one is named."""
    if options.test_set is None or options.tokenize is not None:
        return specs
    from mtworkbench.metrics.sacrebleu_adapter import tokenizer_for

    language = options.language_pair.rpartition("-")[2]
    if (tokenizer := tokenizer_for(language)) is None:
        return specs
    named = [_with_tokenizer(spec, tokenizer) for spec in specs]
    if named != list(specs):
        message = f"BLEU uses the tokenizer {tokenizer}, as in sacreBLEU for {language}; --tokenize chooses another."
        DataWarning("tokenizer", message).warn(stacklevel=2)
    return named


def _with_tokenizer(spec: str, tokenizer: str) -> str:
    name, _, chosen = spec.partition(":")
    if name.strip().lower() != "bleu" or "tokenize" in chosen:
        return spec
    return f"{name}:{','.join([*filter(None, [chosen]), f'tokenize={tokenizer}'])}"
