"""How much systems vary, as a document."""

from __future__ import annotations

from dataclasses import replace

from mtworkbench.metrics.directions import sign_of
from mtworkbench.results.variance import MetricVariance, OptimizerVariance, SystemVariance
from mtworkbench.words.cells import decimals_of, direction_of
from mtworkbench.words.concerns import add_doubts
from mtworkbench.words.document import MORE, Document, Section, Table, label_table, name_signatures, say_once
from mtworkbench.words.frames import Cell, Columns, number
from mtworkbench.words.metric_names import label_result, label_results
from mtworkbench.words.sentences_on_runs import describe_variance_briefly
from mtworkbench.words.sentences_on_units import describe_documents

# What a paper has no use for, because it is about choosing a run.
OF_RUNS = ("range", "median", "dev median")


def build_variance(variance: OptimizerVariance, format: str = "html", *, all_columns: bool = False) -> Document:
    """Lay out all metrics: a notebook has what each table says below it, text each sentence once, on demand."""
    return add_doubts(_build_all(label_results(variance), format, all_columns), variance.doubts, format)


def _build_all(variance: OptimizerVariance, format: str, all_columns: bool) -> Document:
    if format == "html":
        sections = [one for key, metric in variance.metrics.items() for one in _shown(metric, key, _size(variance))]
        return Document(
            sections=sections,
            explanation=[explain_variance(variance)],
            signatures=_signatures(variance, always=True),
            in_row=False,
        )
    sections = []
    for key, metric in variance.metrics.items():
        columns = tabulate_variance(metric)
        # The run to read is the median on the dev set, where there is one.
        dispensable = ["range", *(["median"] if "dev median" in columns else [])]
        heading = f", {direction_of(metric)}{_size(variance)}"
        sections.append(Section(key, heading, tables=[Table(columns, dispensable=dispensable)]))
    explained = explain_variance(variance)
    said = say_once({key: _interpretation(variance, one) for key, one in variance.metrics.items()})
    notes = [explained, *(said if all_columns else [MORE])]
    return Document(describe_variance_briefly(variance), sections, notes=notes, signatures=_signatures(variance))


def build_variances(variance: OptimizerVariance, format: str, *, all_columns: bool = False) -> list[Document]:
    """Lay out all metrics as text, and each by itself as a paper prints it: in LaTeX the caption explains columns."""
    if format == "text":
        return [build_variance(variance, format, all_columns=all_columns)]
    variance = label_results(variance)
    documents = (_build_paper(variance, key, format == "latex", all_columns) for key in variance.metrics)
    return [add_doubts(document, variance.doubts) for document in documents]


def _build_paper(variance: OptimizerVariance, key: str, has_caption: bool, all_columns: bool) -> Document:
    metric, explained = variance.metrics[key], explain_variance(variance, of_runs=all_columns)
    what = f"{key} ({direction_of(metric)}) of runs on {variance.n_segments:,} segments"
    caption = f"{what}, mean and standard deviations. {explained}" if has_caption else ""
    label = label_table(f"{key}-variance", [(one.system, one.mean) for one in metric.systems])
    table = Table(_paper_columns(metric, all_columns), caption=caption, label=label)
    return Document(
        sections=[Section(key, f", {direction_of(metric)}", tables=[table], notes=[explained])],
        notes=_interpretation(variance, metric),
        signatures=name_signatures({key: f"{metric.signature}|{variance.signature}"}),
    )


def build_metric_variance(metric: MetricVariance) -> Document:
    """Lay out one metric for a notebook."""
    sections = _shown(metric, label_result(metric).name)
    return Document(sections=sections, signatures=name_signatures({metric.name: metric.signature}), in_row=False)


def _shown(metric: MetricVariance, name: str, on: str = "") -> list[Section]:
    table = Table(tabulate_variance(metric), caption=f"{name}, {direction_of(metric)}{on}")
    return [
        Section(tables=[table], notes=metric.readings),
        Section("Where to spend next", notes=metric.advice, folded=True),
    ]


def _size(variance: OptimizerVariance) -> str:
    dev = "" if variance.n_dev_segments is None else f", {variance.n_dev_segments:,} on the dev set"
    return f"; {variance.n_segments:,} segments{dev}"


def _signatures(variance: OptimizerVariance, *, always: bool = False) -> list[str]:
    signatures = {key: f"{metric.signature}|{variance.signature}" for key, metric in variance.metrics.items()}
    return name_signatures(signatures, always=always)


def _paper_columns(metric: MetricVariance, all_columns: bool) -> Columns:
    """Return the table of one metric, the best system first."""
    systems = sorted(metric.systems, key=lambda one: sign_of(metric) * one.mean, reverse=True)
    columns = tabulate_variance(replace(metric, systems=tuple(systems)))
    return columns if all_columns else {name: columns[name] for name in columns if name not in OF_RUNS}


def tabulate_variance(metric: MetricVariance) -> Columns:
    """Return the table of one metric; what only a dev set tells has a column where there is one."""
    digits, systems = decimals_of(metric), metric.systems
    has_dev = any(system.dev_mean is not None for system in systems)
    columns: Columns = {
        "system": [system.system for system in systems],
        "runs": [Cell(system.runs) for system in systems],
        "mean": [number(system.mean, digits) for system in systems],
        "s_sel": [number(system.s_sel, digits) for system in systems],
    }
    if has_dev:
        columns["s_dev"] = [number(system.s_dev, digits) for system in systems]
    columns["s_test"] = [number(system.s_test, digits) for system in systems]
    columns["range"] = [Cell(f"{one.lowest:.{digits}f} to {one.highest:.{digits}f}") for one in systems]
    columns["median"] = [_run(one, one.median_run, one.median_score, digits) for one in systems]
    if has_dev:
        columns["dev median"] = [_run(one, one.dev_median_run, one.dev_median_score, digits) for one in systems]
    return columns


def _run(system: SystemVariance, run: int | None, score: float | None, digits: int) -> Cell:
    """Write which run it is, by its name, and its score on the test set."""
    return Cell("" if run is None else f"{score:.{digits}f} (run {system.run_names[run - 1]})")


def _interpretation(variance: OptimizerVariance, metric: MetricVariance) -> list[str]:
    """Say what the figures of a table say, and what to do."""
    sentences = [*metric.readings, *metric.advice]
    runs = {system.system: system.runs for system in metric.systems}
    others = [number for name, number in runs.items() if name != variance.baseline]
    if metric.advice and runs.get(variance.baseline, 1) > 1 and max(others, default=1) > 1:  # else it asks for runs
        sentences.append(
            "The advice concerns the difference between two systems, so it can disagree with s_sel and s_test, which "
            "describe one."
        )
    return sentences


def explain_variance(variance: OptimizerVariance, *, of_runs: bool = True) -> str:
    """Explain the columns of a table, those of a dev set where there is one."""
    deviations = {
        "s_sel": "standard deviation of a run's score over test sets of the same kind and source "
        f"(bootstrap by {variance.unit}, mean over runs)",
        "s_test": "standard deviation of the scores of the runs on this test set",
    }
    median = "the run with the median score, the run to choose for manual inspection"
    if variance.n_dev_segments is not None:
        deviations["s_dev"] = "standard deviation of the scores of the runs on the dev set"
        median = (
            "the run with the median score on the test set; dev median: the run with the median score on the dev set, "
            "the run to choose for manual inspection, with its score on the test set"
        )
    listed = "; ".join(f"{name}: {meaning}" for name, meaning in deviations.items())
    explained = [f"{listed}. median: {median}." if of_runs else f"{listed}."]
    return " ".join([*explained, *describe_documents(variance.settings.known_documents)])
