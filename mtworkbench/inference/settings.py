"""How a result was drawn: whoever has these draws the same numbers again."""

from __future__ import annotations

from dataclasses import dataclass

from mtworkbench import __version__
from mtworkbench.inference.results import Estimate, write_signature
from mtworkbench.resampling import Randomness


@dataclass(frozen=True, repr=False)
class Settings(Estimate):
    """What was drawn, how often, and which interval was made of it.

    Parameters
    ----------
    test : str
        What the signature calls the computation.
    unit : {"segment", "document"}
    exchange : {"unit", "run"}, or None where nothing is exchanged
    interval : {"percentile", "basic", "bca", "jackknife"}
    level : float
    n_resamples : int
    n_trials : int or None
    randomness : Randomness
    """

    test: str
    unit: str
    exchange: str | None
    interval: str
    level: float
    n_resamples: int
    n_trials: int | None
    randomness: Randomness

    @property
    def rng(self) -> int | None:
        """The seed given or drawn; None where a Generator was given: the signature then has its key."""
        return self.randomness.seed

    @property
    def signature(self) -> str:
        """All settings in a line, without the metric."""
        return self.sign()

    def sign(self, metric: str | None = None) -> str:
        """Write the signature of a result, with that of the metric before it."""
        options = {
            "unit": self.unit,
            "exchange": self.exchange,
            "trials": self.n_trials,
            "interval": self.interval,
            "level": f"{self.level:g}",
            "resamples": self.n_resamples,
        }
        known = {name: value for name, value in options.items() if value is not None}
        return write_signature(self.test, self.randomness, metric=metric, **known)

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """Return the names of the settings, as the JSON output has them."""
        return ("version", "signature", "unit", "exchange", "interval", "level", "n_resamples", "n_trials", "rng")

    def shown(self) -> dict[str, object]:
        """Return the settings by name; without exchanges those that have a meaning without."""
        of_exchanges = () if self.exchange else ("exchange", "n_trials")
        return {name: value for name, value in super().shown().items() if name not in of_exchanges}

    @property
    def version(self) -> str:
        """Of mtworkbench."""
        return __version__
