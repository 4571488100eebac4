"""What is calibrated, cell by cell, and why."""

from __future__ import annotations

from dataclasses import dataclass

#: How the test sets of each source come about, and why no system is better there: the null hypothesis.
NULLS = {
    "flores": "segments of data/flores, drawn with replacement; {swap}",
    "long-de-en": "segments of 14 test sets German-English, drawn with replacement; {swap}",
    "sample": "documents of data/sample, drawn with replacement; {swap}",
    "uk-en": "documents of WMT 2023 uk-en, drawn with replacement; {swap}",
    "ru-en": "documents of WMT 2021 ru-en, drawn with replacement; {swap}",
    "made-up BLEU": "made-up BLEU statistics of two equal methods",
    "made-up means": "made-up scores of equal methods",
}
SWAP = "a coin per {unit} decides whether {pair} swap their outputs"
#: Two systems of each source, the first the better: on test sets without an exchange, power and coverage are counted.
PAIRS = {
    "flores": ("bergamot-base", "bergamot-tiny"),
    "long-de-en": ("bergamot-base", "bergamot-tiny"),
    "sample": ("retrained", "baseline"),
    "uk-en": ("ONLINE-W", "ONLINE-B"),
    "ru-en": ("Facebook-AI", "NVIDIA-NeMo"),
}


@dataclass(frozen=True)
class Cell:
    """One setting in which tests and intervals are tried.

    Parameters
    ----------
    name : str
    reason : str
        Why the cell is there, in a sentence.
    source : str
        Of the test sets: see `NULLS`.
    metric : str
    unit : {"segment", "document"}
        What is independent.
    n_units : int
    runs : tuple of int
        Runs of the first system, and of every other.
    method_by_unit, run, residual : float
        Standard deviations of a system's score: over test sets, because a method does better on some units than
        another; over runs; and what is left for each unit of each run.
    run_effects : {"normal", "skewed", "one bad run in ten"}
    first_varies : float
        The first system's runs vary so many times as much as the others'.
    scores : {"normal", "sparse"}
        Of made-up means: normal, or 0 for seven segments of ten and else exponential, as penalties for errors are.
    documents : {"", "equal", "unequal"}
        Lengths of made-up documents: 12 segments each, or as varied as those of WMT 2023 uk-en.
    n_systems : int
        Systems of the comparison, of which the first two are tested; the others matter where runs are pooled.
    differing : float
        Share of the segments on which the two systems' outputs differ at all.
    n_trials : int
        Of the randomization tests.
    published_rules : bool
        Whether the rules of papers and programs are tried, too.
    """

    name: str
    reason: str
    source: str
    metric: str
    unit: str
    n_units: int
    runs: tuple[int, int] = (1, 1)
    method_by_unit: float = 0.0
    run: float = 0.0
    residual: float = 0.0
    run_effects: str = "normal"
    first_varies: float = 1.0
    scores: str = "normal"
    documents: str = ""
    n_systems: int = 2
    differing: float = 1.0
    n_trials: int = 199
    published_rules: bool = False

    @property
    def has_runs(self) -> bool:
        """Whether methods are tested, that is, whether systems have several runs."""
        return min(self.runs) > 1

    @property
    def has_alternative(self) -> bool:
        """Whether there are experiments in which the systems do differ, for power and coverage."""
        return self.source != "made-up BLEU"

    @property
    def null(self) -> str:
        """The null hypothesis in words, with what varies under it."""
        said = NULLS[self.source].format(
            swap=SWAP.format(unit=self.unit, pair=" and ".join(PAIRS.get(self.source, ())))
        )
        if self.differing < 1:
            said += f", where they differ: in {100 * self.differing:g} % of the segments"
        if self.has_runs:
            parts = [(self.method_by_unit, f"method x {self.unit}"), (self.run, "run"), (self.residual, "rest")]
            said += "; standard deviations of a score: " + ", ".join(f"{name} {sd:g}" for sd, name in parts)
            said += "" if self.run_effects == "normal" else f"; runs: {self.run_effects}"
            said += (
                "" if self.first_varies == 1 else f"; the first system's runs vary {self.first_varies:g} times as much"
            )
        elif self.scores != "normal":
            said += f"; {self.scores} scores"
        return said + (f"; {self.documents} documents" if self.documents else "")


def by_segment(
    metric: str, n_units: int, reason: str, *, name: str = "", source: str = "flores", **options: object
) -> Cell:
    return Cell(name or f"{metric}-{n_units}-segments", reason, source, metric, "segment", n_units, **options)


def by_document(metric: str, n_units: int, reason: str, *, source: str = "sample", **options: object) -> Cell:
    name = f"{metric}-{n_units}-documents" + ("" if source == "sample" else f"-{source}")
    return Cell(name, reason, source, metric, "document", n_units, **options)


def with_runs(
    name: str, reason: str, n_runs: int | tuple[int, int], sds: tuple[float, float, float], **options: object
) -> Cell:
    """Make a cell of made-up scores of 100 segments: with deviations of the score, their number changes nothing."""
    runs = (n_runs, n_runs) if isinstance(n_runs, int) else n_runs
    head = {"source": "made-up means", "metric": "mean", "unit": "segment", "n_units": 100} | options
    return Cell(name, reason, runs=runs, method_by_unit=sds[0], run=sds[1], residual=sds[2], **head)


def made_up_bleu(name: str, reason: str, n_runs: int, sds: tuple[float, float, float], **options: object) -> Cell:
    head = {"source": "made-up BLEU", "metric": "bleu", "n_units": 500}
    return with_runs(name, reason, n_runs, sds, **head, **options)


#: Standard deviations of a score: method x unit, run, rest.
BOTH = (0.5, 0.4, 0.5)
RUNS_DOMINATE = (0, 0.8, 0.3)
UNITS_DOMINATE = (0.5, 0.2, 0.1)

#: Those that decide something come first.
CELLS = (
    # Which interval is for how many units?
    by_segment("bleu", 20, "Intervals of BLEU with so few segments: percentile or jackknife?", published_rules=True),
    by_segment("bleu", 50, "The same with more segments.", published_rules=True),
    by_segment("bleu", 100, "From here on `auto` takes the percentile interval.", published_rules=True),
    by_segment("bleu", 200, "Is the percentile interval as good as the jackknife here?"),
    by_document(
        "bleu", 20, "Intervals of BLEU with documents of unequal length: percentile or jackknife?", published_rules=True
    ),
    by_document("bleu", 50, "The same with more documents."),
    by_document(
        "bleu",
        100,
        "A hundred documents of unequal length are fewer than 100 effective units: `auto` takes the jackknife.",
    ),
    by_document(
        "bleu", 20, "Documents of real, very unequal lengths: n - 1 or n_eff - 1 for the jackknife?", source="uk-en"
    ),
    by_document("bleu", 50, "The same with more documents.", source="uk-en"),
    by_document("bleu", 20, "The same on another real test set.", source="ru-en"),
    by_segment("chrf", 20, "The same question of intervals for chrF."),
    by_segment("chrf", 50, "chrF with more segments."),
    by_segment("chrf", 100, "chrF where `auto` takes the percentile interval.", published_rules=True),
    by_segment("ter", 20, "The same question of intervals for TER, whose differences are skewed."),
    by_segment("ter", 50, "TER with more segments."),
    by_segment("ter", 100, "TER where `auto` takes the percentile interval.", published_rules=True),
    by_document("chrf", 20, "chrF with documents as units."),
    by_document("ter", 20, "TER with documents as units."),
    # Methods: documents of unequal length, unequal numbers of runs, pooled runs.
    with_runs(
        "means-3-runs-12-unequal-documents",
        "Unequal documents, few of them: n - 1 degrees of freedom are too many.",
        3,
        UNITS_DOMINATE,
        unit="document",
        n_units=12,
        documents="unequal",
    ),
    with_runs(
        "means-5-runs-30-unequal-documents",
        "Unequal documents with more documents and runs.",
        5,
        UNITS_DOMINATE,
        unit="document",
        n_units=30,
        documents="unequal",
    ),
    with_runs(
        "means-3-runs-60-unequal-documents",
        "Unequal documents, as many as a large test set has.",
        3,
        UNITS_DOMINATE,
        unit="document",
        n_units=60,
        documents="unequal",
    ),
    with_runs(
        "means-3-runs-20-equal-documents",
        "Equal documents, to separate the effect of unequal length from that of few documents.",
        3,
        UNITS_DOMINATE,
        unit="document",
        n_units=20,
        documents="equal",
    ),
    with_runs(
        "means-3-against-10-runs",
        "Unequal numbers of runs where runs dominate: a known limit of the crossed analysis.",
        (3, 10),
        RUNS_DOMINATE,
    ),
    with_runs("means-2-against-10-runs", "The same with two runs of one system.", (2, 10), RUNS_DOMINATE),
    with_runs("means-3-against-5-runs", "Numbers of runs that differ little.", (3, 5), BOTH),
    with_runs(
        "means-2-runs-six-systems",
        "Two runs of each of six systems: what does pooling their variance gain?",
        2,
        RUNS_DOMINATE,
        n_systems=6,
    ),
    with_runs("means-3-runs-six-systems", "The same with three runs.", 3, RUNS_DOMINATE, n_systems=6),
    with_runs(
        "means-2-runs-one-varies-twice",
        "What pooling costs where the first system's runs vary twice as much.",
        2,
        RUNS_DOMINATE,
        n_systems=6,
        first_varies=2.0,
    ),
    with_runs(
        "means-3-runs-one-varies-twice", "The same with three runs.", 3, RUNS_DOMINATE, n_systems=6, first_varies=2.0
    ),
    # Few documents, and one too few.
    by_document("bleu", 6, "The smallest number of documents for which `auto` uses them: p can be as small as 0.031."),
    by_document("bleu", 5, "With fewer documents, segments are used, with a warning: how wrong is that?"),
    by_document("bleu", 9, "Between 6 and 10 documents, where other limits for the use of documents lie."),
    by_document("bleu", 12, "A dozen documents."),
    by_document("bleu", 30, "The number of documents from which a bootstrap is said to work."),
    by_document("bleu", 9, "Nine documents of very unequal length.", source="uk-en", published_rules=True),
    by_document("bleu", 12, "A dozen documents of very unequal length.", source="uk-en"),
    # Segments, the rest.
    by_segment("bleu", 10, "As few segments as anyone would test."),
    by_segment("bleu", 30, "With fewer units than this, the share of wins comes with a warning."),
    by_segment("bleu", 500, "The rules of published tools on a test set of usual size.", published_rules=True),
    by_segment("bleu", 2000, "The same on a test set of WMT's size.", published_rules=True),
    by_segment("chrf", 500, "chrF on a test set of usual size."),
    by_segment("ter", 500, "TER on a test set of usual size."),
    by_segment(
        "bleu",
        50,
        "Whether FLORES, which ships, is like other test sets.",
        name="bleu-50-segments-long-de-en",
        source="long-de-en",
    ),
    by_segment(
        "bleu",
        100,
        "Systems that differ in few segments, so that ties decide: `>` or `>=`?",
        name="bleu-100-segments-near-copies",
        differing=0.05,
        published_rules=True,
    ),
    by_segment(
        "mean", 10, "Means of normal scores, where Student's t is exact.", source="made-up means", method_by_unit=0.5
    ),
    by_segment(
        "mean",
        20,
        "Sparse penalties such as MQM's: most segments tie.",
        source="made-up means",
        scores="sparse",
        method_by_unit=0.5,
    ),
    by_segment(
        "mean", 100, "Sparse penalties with more segments.", source="made-up means", scores="sparse", method_by_unit=0.5
    ),
    # Runs: the nulls of CONVENTIONS, "Runs".
    made_up_bleu(
        "bleu-3-runs-vary",
        "Methods that differ only from run to run: a test that exchanges outputs ignores this.",
        3,
        (0, 0.4, 0.5),
    ),
    made_up_bleu("bleu-3-runs-vary-much", "The same with runs that differ a lot.", 3, (0, 0.8, 0.5)),
    made_up_bleu(
        "bleu-3-methods-vary",
        "Methods that do better on different segments: tests of the runs' scores ignore this.",
        3,
        (0.5, 0, 0.5),
    ),
    made_up_bleu("bleu-3-both-vary", "Segments and runs both vary, as in real experiments.", 3, BOTH),
    made_up_bleu("bleu-10-runs-vary", "Runs differ, ten of each.", 10, (0, 0.4, 0.5)),
    made_up_bleu(
        "bleu-10-methods-vary",
        "Methods differ by segment, ten runs: ten runs do not replace segments.",
        10,
        (0.5, 0, 0.5),
    ),
    made_up_bleu(
        "bleu-10-both-vary", "Both vary, ten runs: is the crossed analysis conservative without need?", 10, BOTH
    ),
    made_up_bleu(
        "bleu-3-outputs-vary",
        "Only single outputs vary: what MultEval asks, with its slip and without it.",
        3,
        (0, 0, 0.5),
        published_rules=True,
    ),
    with_runs(
        "means-10-outputs-vary",
        "The same with ten runs, where the slip is largest.",
        10,
        (0, 0, 0.5),
        published_rules=True,
    ),
    with_runs("means-5-runs", "Five runs: size and power of the crossed analysis.", 5, BOTH),
    with_runs("means-10-runs", "Ten runs: the same.", 10, BOTH),
    with_runs(
        "means-5-runs-skewed",
        "Scores of runs that are skewed, which no test here assumes away.",
        5,
        RUNS_DOMINATE,
        run_effects="skewed",
    ),
    with_runs("means-5-runs-one-bad", "One run in ten fails.", 5, RUNS_DOMINATE, run_effects="one bad run in ten"),
)
