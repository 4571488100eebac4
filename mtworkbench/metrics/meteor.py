"""METEOR 1.5 (Denkowski and Lavie, 2014): the program aligns once, scores are computed from its statistics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import pandas as pd

from mtworkbench.metrics.meteor_program import align_segments
from mtworkbench.metrics.options import bad_value, check_choice, check_option_types
from mtworkbench.metrics.protocol import KnownMetric
from mtworkbench.metrics.texts import run_texts

MODULES = ("exact", "stem", "synonym", "paraphrase")


class MeteorLanguage(NamedTuple):
    """What METEOR 1.5 uses for a language when it ranks systems, its default task."""

    #: alpha, beta, gamma and delta.
    parameters: tuple[float, float, float, float]
    #: The weight of each module that there is for the language.
    weights: dict[str, float]


_UNTUNED = (0.75, 1.4, 0.7, 0.5)
_UNTUNED_STEM = MeteorLanguage(_UNTUNED, {"exact": 1.0, "stem": 0.5})
#: METEOR's name of a language, and what it prints as parameters and weights for it.
LANGUAGES = {
    "en": MeteorLanguage((0.85, 0.2, 0.6, 0.75), {"exact": 1.0, "stem": 0.6, "synonym": 0.8, "paraphrase": 0.6}),
    "cz": MeteorLanguage((0.95, 0.2, 0.6, 0.8), {"exact": 1.0, "paraphrase": 0.4}),
    "de": MeteorLanguage((0.95, 1.0, 0.55, 0.55), {"exact": 1.0, "stem": 0.8, "paraphrase": 0.2}),
    "es": MeteorLanguage((0.65, 1.3, 0.5, 0.8), {"exact": 1.0, "stem": 0.8, "paraphrase": 0.6}),
    "fr": MeteorLanguage((0.9, 1.4, 0.6, 0.65), {"exact": 1.0, "stem": 0.2, "paraphrase": 0.4}),
    "ru": MeteorLanguage(_UNTUNED, {"exact": 1.0, "stem": 0.5, "paraphrase": 0.5}),
    **dict.fromkeys(("da", "fi", "hu", "it", "nl", "no", "pt", "ro", "se", "tr"), _UNTUNED_STEM),
    "other": MeteorLanguage(_UNTUNED, {"exact": 1.0}),
}
#: ISO 639-1, for the languages for which METEOR uses country codes.
_OTHER_NAMES = {"cs": "cz", "sv": "se"}


@dataclass(frozen=True)
class Meteor(KnownMetric):
    """METEOR 1.5, aligned by the original program in Java and scored from its statistics.

    ``mtworkbench meteor`` sets the program up. It runs once for each run of a system, when statistics are made, and
    never while resampling; with the paraphrase module it takes 1.3 GB and some ten seconds to start. Where a segment
    has several references, its statistics are those of the reference that scores best.

    Numbers of METEOR 0.6 to 1.3, which the papers of 2004 to 2011 have, are not comparable with these. The parameters
    of Banerjee and Lavie (2005) are ``Meteor(modules="exact stem", parameters="0.9 3 0.5 0.5", weights="1 1")``.

    Parameters
    ----------
    language : str
        METEOR's name of the target language: en, cz (or cs), de, es, fr, ru, da, fi, hu, it, nl, no, pt, ro, se (or
        sv), tr, or other.
    modules : str, optional
        What words may match by, as a list with spaces between: ``exact``, ``stem``, ``synonym``, ``paraphrase``. By
        default all for English; for other languages those without ``paraphrase``, whose tables must be found elsewhere.
    parameters : str, optional
        alpha, beta, gamma and delta; by default the language's own for ranking systems.
    weights : str, optional
        One per module; by default the language's own for ranking systems.
    norm : bool
        Whether METEOR tokenizes and lowercases the texts, as its authors recommend unless the texts are tokenized.
    lowercase : bool
        Whether case is ignored where ``norm`` is False.
    punctuation : bool
        Whether punctuation counts.

    Raises
    ------
    InputError
        ``option-value`` where an option has no such value.
    """

    language: str = "en"
    modules: str | None = None
    parameters: str | None = None
    weights: str | None = None
    norm: bool = True
    lowercase: bool = False
    punctuation: bool = True

    name: ClassVar[str] = "METEOR"
    higher_is_better: ClassVar[bool] = True
    scale: ClassVar[tuple[float, float]] = (0.0, 100.0)
    help_line: ClassVar[str] = "meteor"

    def __post_init__(self):
        check_option_types(self)
        object.__setattr__(self, "language", _OTHER_NAMES.get(self.language, self.language))
        check_choice("Meteor", "language", self.language, LANGUAGES)
        language = LANGUAGES[self.language]
        offered = [module for module in language.weights if module != "paraphrase" or self.language == "en"]
        modules = offered if self.modules is None else self.modules.split()
        if not modules or len(set(modules)) < len(modules) or not set(modules) <= set(language.weights):
            expected = f"a list of modules for {self.language!r} out of '{' '.join(language.weights)}'"
            raise bad_value("Meteor", "modules", self.modules, expected)
        # Defaults are spelled out, so that equal metrics are equal and a file of statistics says what they were.
        weights = [language.weights[module] for module in modules]
        self._spell_out("modules", modules)
        self._spell_out("parameters", self._numbers("parameters", 4, language.parameters))
        self._spell_out("weights", self._numbers("weights", len(modules), weights))

    def _numbers(self, option: str, count: int, default) -> list[str]:
        given = getattr(self, option)
        try:
            numbers = list(default) if given is None else [float(number) for number in given.split()]
        except ValueError:
            numbers = []
        if len(numbers) != count or not all(0 <= number < float("inf") for number in numbers):
            raise bad_value("Meteor", option, given, f"a list of {count} numbers of at least 0")
        if option == "parameters" and not (0 <= numbers[0] <= 1 and 0 <= numbers[3] <= 1):
            raise bad_value("Meteor", option, given, "alpha, beta, gamma and delta, alpha and delta at most 1,")
        return [f"{number:.12g}" for number in numbers]

    def listed(self, option: str) -> list[str]:
        """Return what ``modules``, ``parameters`` or ``weights`` list: without a value they are spelled out."""
        return getattr(self, option).split()

    def _spell_out(self, option: str, values: list[str]) -> None:
        object.__setattr__(self, option, " ".join(values))

    @property
    def statistic_names(self) -> tuple[str, ...]:
        """Names of METEOR's own statistics; those of modules that are not used are left out."""
        texts = ("hypothesis", "reference")
        modules = self.listed("modules")
        return (
            *(f"{text}_length" for text in texts),
            *(f"{text}_function_words" for text in texts),
            *(f"{module}_{text}_{kind}" for module in modules for kind in ("content", "function") for text in texts),
            "chunks",
            *(f"{text}_matched" for text in texts),
        )

    @property
    def signature(self) -> str:
        """Options in sacreBLEU's manner."""
        parts = [
            f"case:{'lc' if self.norm or self.lowercase else 'mixed'}",
            f"lang:{self.language}",
            f"mod:{'-'.join(self.listed('modules'))}",
            f"w:{'-'.join(self.listed('weights'))}",
            f"par:{'-'.join(self.listed('parameters'))}",
            f"norm:{'yes' if self.norm else 'no'}",
            f"punct:{'yes' if self.punctuation else 'no'}",
            "version:meteor-1.5",
        ]
        return "|".join(parts)

    def segment_statistics(self, outputs: pd.DataFrame) -> np.ndarray:
        """Compute the statistics of one run, in Java.

        Parameters
        ----------
        outputs : DataFrame
            The rows of one run of one system, in segment order.

        Returns
        -------
        (n_segments, 7 + 4 * n_modules) ndarray of int64
            METEOR's own, except that the one chunk of a segment in which all words of both texts match is not counted:
            such a segment has no fragmentation, and METEOR leaves it out of its sum as well.

        Raises
        ------
        InputError
            Where the program, its table or Java is missing, with the command that sets it up.
        """
        modules = self.listed("modules")
        options = ["-p", " ".join(self.listed("parameters")), "-w", " ".join(self.listed("weights"))]
        if self.norm or self.lowercase:
            options.append("-norm" if self.norm else "-lower")
        if not self.punctuation:
            options.append("-noPunct")
        statistics = align_segments(run_texts(outputs), self.language, modules, options)
        return summable_statistics(statistics, len(modules))

    def score(self, totals: np.ndarray) -> np.ndarray:
        """Score virtual test sets from their summed statistics (Denkowski and Lavie (2014), §2, eqs. 1-5).

        Parameters
        ----------
        totals : (..., 7 + 4 * n_modules) ndarray

        Returns
        -------
        (...) ndarray of float64
            0-100.
        """
        totals = np.asarray(totals, dtype=np.float64)
        alpha, beta, gamma, delta = map(float, self.listed("parameters"))
        weights = np.array(self.listed("weights"), dtype=np.float64)
        lengths, function_words = totals[..., 0:2], totals[..., 2:4]
        matches = totals[..., 4:-3].reshape(*totals.shape[:-1], len(weights), 2, 2)
        chunks, matched_words = totals[..., -3], totals[..., -2:]
        # In each pair the hypothesis comes first, which gives precision, then the reference, which gives recall.
        found = np.einsum("m,...mkt,k->...t", weights, matches, np.array([delta, 1 - delta]))
        possible = delta * (lengths - function_words) + (1 - delta) * function_words
        precision, recall = np.moveaxis(_divide(found, possible), -1, 0)
        f_mean = _divide(precision * recall, alpha * precision + (1 - alpha) * recall)
        fragmentation = _divide(chunks, matched_words.mean(axis=-1))
        return 100 * f_mean * (1 - gamma * fragmentation**beta)


def summable_statistics(statistics: np.ndarray, n_modules: int) -> np.ndarray:
    """Turn METEOR's statistics of segments into such as sum to those of a test set.

    Parameters
    ----------
    statistics : (n_segments, 23) ndarray of int64
        See `align_segments`.
    n_modules : int
        How many of the four modules were used.

    Returns
    -------
    (n_segments, 7 + 4 * n_modules) ndarray of int64
    """
    summable = np.delete(statistics, np.arange(4 + 4 * n_modules, 20), axis=1)
    perfect = (summable[:, -3] == 1) & (summable[:, -2:] == summable[:, :2]).all(axis=1)
    summable[perfect, -3] = 0
    return summable


def _divide(numerators: np.ndarray, denominators: np.ndarray) -> np.ndarray:
    """Divide, with 0 where there is nothing to divide by: no word matched, or there was none."""
    return np.divide(numerators, denominators, out=np.zeros_like(numerators), where=denominators > 0)
