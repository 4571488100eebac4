"""Results with figures made up by hand, for the tests of what is said and shown of them."""

from dataclasses import MISSING, fields, replace

import numpy as np

from mtworkbench.inference import Comparison, Interval, MetricComparison, PairEstimate, SystemEstimate
from mtworkbench.inference.verdicts import conclude
from mtworkbench.resampling import resolve_rng
from mtworkbench.results.comparisons import Measured
from mtworkbench.results.crossed import CrossedAnalysis
from mtworkbench.results.equivalence import Equivalence, Within
from mtworkbench.results.estimates import Of, PairedBootstrap, Randomization
from mtworkbench.results.settings import Settings
from mtworkbench.results.verdicts import Verdict

DRAWN = {"unit": "segment", "interval": "percentile", "level": 0.95, "n_resamples": 1000, "random_key": resolve_rng(1)}
#: What a difference rests on that is shown by segment, of systems with one run each.
NO_DOCUMENTS = "Documents are unknown: if sentences of one document are alike, p is too small and CIs are too narrow."
GIVE_DOCUMENTS = (
    "To allow for alike sentences, give document ids (--documents) or, less well, use blocks of neighbouring segments "
    "as units (--unit block)."
)
ONE_RUN = "Each system has one run, so nothing is known about new training or tuning runs."
#: The same where nothing is shown, in one line.
MAY_BE_NARROW = "Documents are unknown, so CIs may be too narrow."
ONE_RUN_IN_SHORT = "Each system has one run, so nothing is known about new training or tuning runs."
NOTHING_CLAIMED = f"{MAY_BE_NARROW} {ONE_RUN_IN_SHORT}"
ASSUMED = f"{NO_DOCUMENTS} {ONE_RUN}"
PARTS = {
    "bootstrap": PairedBootstrap,
    "randomization": Randomization,
    "method": CrossedAnalysis,
    "judged": Verdict,
    "measured": Measured,
}


def fill(record, figures):
    """A record with the figures that it has fields for; of others it has its own defaults, or None."""
    needed = [item.name for item in fields(record) if item.name in figures or item.default is MISSING]
    return record(**{name: figures.get(name) for name in needed})


def fill_parts(record, figures, **parts):
    """A record whose parts, of these classes, have the figures that they have fields for."""
    return fill(record, figures | {name: fill(part, figures) for name, part in parts.items()})


def system(name, score=27.16, *, runs=1, **changes):
    figures = {"scores": (score,) * runs, "low": score - 0.8, "high": score + 0.7, "s_sel": 0.4}
    figures |= {"resampled": np.array([score]), "n_units": 300, "n_effective_units": 300.0} | changes
    own = {name: figures.pop(name) for name in ("length_ratio", "brevity_penalty") if name in figures}
    return SystemEstimate(fill(Interval, {"system": name, "score": score} | figures), **own)


def pair(a, b, difference=-0.34, **changes):
    """A comparison; what follows from others of its figures follows unless it is given."""
    figures = {"low": difference - 0.5, "high": difference + 0.5, "p_value": 0.169, "p_low": 0.165, "p_high": 0.174}
    figures |= {"p_adjusted": 0.338, "verdict": "not significant", "confidence": 0.092, "wins": 92, "losses": 908}
    figures |= {"ties": 0, "segments_differing": 120, "n_segments": 300, "n_coins": 12, "exact": False}
    figures |= {
        "n_units": 300,
        "n_effective_units": 300.0,
        "units_differing": 120,
        "n_trials": 10_000,
        "differences": np.array([difference]),
        "further": (Equivalence(Within(), Within(), None),),
    }
    if "p_value" in changes:
        figures |= {"p_low": 0.98 * changes["p_value"], "p_high": 1.02 * changes["p_value"]}
    figures |= changes
    figures |= {"resampled": (figures["differences"], np.zeros_like(figures["differences"]))}
    significant = figures["verdict"] == "significant"
    derived = {"better": (a if difference > 0 else b) if significant else None}
    derived |= {"method_p_adjusted": figures.get("method_p_value")}
    derived |= {"conclusion": conclude(figures["verdict"], figures.get("method_verdict"), identical=None)}
    figures = DRAWN | {"a": a, "b": b, "difference": difference} | derived | figures
    return fill_parts(PairEstimate, figures, **PARTS)


def comparison(systems, pairs, name="BLEU", higher_is_better=True, ranking=None, **changes):
    systems = tuple(systems)
    own = {one.system: one.score for one in systems}
    pairs = [changed(one, score_a=own[one.a], score_b=own[one.b]) if one.score_a is None else one for one in pairs]
    if not higher_is_better:
        pairs = [changed(one, better=None if higher_is_better is None else _lower(one)) for one in pairs]
    figures = DRAWN | {"test": "ar", "exchange": "unit", "n_trials": 10_000, "n_segments": 300} | changes
    settings = fill(Settings, figures)
    metric = MetricComparison(
        name=name,
        signature="nrefs:1|tok:13a",
        higher_is_better=higher_is_better,
        systems=systems,
        comparisons=tuple(pairs),
        ranking=ranking,
        ranking_of=None if ranking is None else "outputs",
        settings=settings,
        family_size=len(pairs),
        method_family_size=sum(one.method_p_value is not None for one in pairs),
        n_segments=figures["n_segments"],
        n_documents=figures.get("n_documents"),
    )
    return fill(Comparison, {"settings": settings, "metrics": {name: metric}} | figures)


def _lower(one):
    """The system with the lower score, where a difference is shown."""
    return (one.b if one.difference > 0 else one.a) if one.verdict == "significant" else None


def changed(record, **figures):
    """The record with other figures, also of the parts that hold them."""
    own, parts = {}, {}
    for name, value in figures.items():
        held = getattr(type(record), name, None)
        if isinstance(held, Of):
            parts.setdefault(held.part, {})[held.name] = value
        else:
            own[name] = value
    own |= {part: changed(getattr(record, part), **some) for part, some in parts.items()}
    return replace(record, **own)
