"""The possible values of options, in a module that loads nothing, for the terminal's help."""

#: Options of `compare`, each with all its values. Those of `interval` are below.
CHOICES = {
    "exchange": ("unit", "run"),
    # Whose runs the variance of runs is estimated from: each system's own, or all systems' together.
    "runs": ("separate", "pooled"),
    # How p on these outputs is adjusted for the number of comparisons, and which comparisons are one family.
    "adjust": ("max-t", "holm"),
    "family": ("metric", "all"),
}
#: Kinds of intervals; ``auto`` chooses one of them.
METHODS = ("percentile", "basic", "bca", "jackknife")
INTERVALS = ("auto", *METHODS)
#: In which a comparison can be written; some results have no table of a paper.
FORMATS = ("text", "json", "latex", "markdown", "csv")
OF_SEGMENTS = ("text", "json", "latex", "markdown", "tsv")
OF_INSPECTIONS = ("text", "json", "markdown", "html", "csv")
WITHOUT_PAPER = ("text", "json", "csv")
