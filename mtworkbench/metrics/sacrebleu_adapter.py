"""The one place that reaches into sacreBLEU's metrics, partly private; a contract test tells when they have changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.metrics.texts import ReferenceTexts


class SacrebleuMetric(Protocol):
    """What is used of a metric object of sacreBLEU, whose own types do not tell it."""

    num_refs: int
    tokenizer: Callable[[str], str]

    def get_signature(self) -> object:
        """Return the signature."""

    def _compute_score_from_stats(self, stats: Sequence[float]) -> Any: ...
    def _preprocess_segment(self, sent: str) -> str: ...
    def _remove_punctuation(self, sent: str) -> list[str]: ...
    def _cache_references(self, references: Sequence[ReferenceTexts]) -> list[dict[str, Any]]: ...
    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict) -> list[float]: ...


# What a tokenizer of sacreBLEU needs beyond sacreBLEU itself.
TOKENIZER_NEEDS = {
    "ja-mecab": "the packages of 'sacrebleu[ja]'",
    "ko-mecab": "the packages of 'sacrebleu[ko]'",
    **dict.fromkeys(
        ("spm", "flores101", "flores200", "spBLEU-1K"),
        "the package 'sentencepiece' and a model, which sacreBLEU downloads once",
    ),
}


@lru_cache(maxsize=32)
def sacrebleu_metric(kind: str, options: tuple[tuple[str, object], ...]) -> SacrebleuMetric:
    """Return sacreBLEU's own metric object.

    Parameters
    ----------
    kind : {"BLEU", "CHRF", "TER"}
    options : tuple of (str, object)
        Its options as pairs of name and value.

    Raises
    ------
    InputError
        ``tokenizer`` where a tokenizer's packages or model are not there.
    """
    from sacrebleu import metrics

    try:
        return getattr(metrics, kind)(**dict(options))
    except (KeyError, ImportError, RuntimeError, AssertionError, OSError, SystemExit) as error:
        name = str(dict(options).get("tokenize"))
        reason = " ".join(str(error).split()) or type(error).__name__
        needs = TOKENIZER_NEEDS.get(name, "sacreBLEU itself")
        message = f"The tokenizer {name!r} cannot be used here ({reason}): it needs {needs}."
        raise InputError("tokenizer", message, found=name) from error


@lru_cache(maxsize=32)
def sacrebleu_signature(kind: str, options: tuple[tuple[str, object], ...]) -> str:
    """Return sacreBLEU's signature of a metric without its first part, the number of references."""
    metric = sacrebleu_metric(kind, options)
    metric.num_refs = 1
    parts = str(metric.get_signature()).split("|")
    return "|".join(part for part in parts if not part.startswith("nrefs:"))


def tokenizer_for(language: str) -> str | None:
    """Return the tokenizer that sacreBLEU's BLEU has for a target language, such as ``zh``; None for its usual one."""
    from sacrebleu.metrics.bleu import BLEU

    return BLEU._TOKENIZER_MAP.get(language)


def bleu_preprocessing(tokenize: str, lowercase: bool) -> Callable[[str], str]:
    """Return sacreBLEU's preprocessing of a text for BLEU: its tokens, with white space between them."""
    return sacrebleu_metric("BLEU", (("tokenize", tokenize), ("lowercase", lowercase)))._preprocess_segment


def plain_tokenizer(tokenize: str) -> Callable[[str], str]:
    """Return one of sacreBLEU's tokenizers by itself: unlike `bleu_preprocessing` it sees the spaces at the ends."""
    return sacrebleu_metric("BLEU", (("tokenize", tokenize), ("lowercase", False))).tokenizer


def chrf_words(text: str) -> list[str]:
    """Split a text into words and punctuation marks as chrF++ does."""
    return sacrebleu_metric("CHRF", ())._remove_punctuation(text)


def ter_preprocessing(options: tuple[str, ...], lowercase: bool) -> Callable[[str], str]:
    """Return sacreBLEU's preprocessing of a text for TER, given the names of the options that are on."""
    values = (*((name, True) for name in options), ("case_sensitive", not lowercase))
    return sacrebleu_metric("TER", values)._preprocess_segment


@lru_cache(maxsize=1)
def prepare_ter_references(options: tuple[tuple[str, object], ...], references: tuple[ReferenceTexts, ...]) -> list:
    """Tokenize references for TER, once for all systems and runs that are compared with them."""
    return sacrebleu_metric("TER", options)._cache_references(references)


def search_plainly(
    options: tuple[tuple[str, object], ...], hypotheses: Sequence[str], references: tuple[ReferenceTexts, ...]
) -> np.ndarray:
    """Compute TER's edits to the nearest reference, and the mean reference length, as sacreBLEU does it.

    Returns
    -------
    (n_segments, 2) ndarray of float64
    """
    metric = sacrebleu_metric("TER", options)
    rows = [
        metric._compute_segment_statistics(metric._preprocess_segment(hypothesis), reference)
        for hypothesis, reference in zip(hypotheses, prepare_ter_references(options, references), strict=True)
    ]
    return np.array(rows, dtype=np.float64).reshape(len(rows), 2)
