"""What a campaign costs, predicted from the costs of its units of work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mtworkbench.compiled import SECONDS_TO_LOAD
from mtworkbench.inference.draws import WORK_OF_PAIR, WORK_OF_PART
from mtworkbench.inference.trials import choose_steps, count_beyond
from mtworkbench.resampling import BATCH_CELLS, SAVED_PER_DRAW

#: A cost by what it is of and the metric; "" where it is the same for all metrics. CPU seconds or bytes.
Costs = Mapping[tuple[str, str], float]
FLOAT = 8
LEVEL = 0.95
#: Counts of each comparison: see `TrialFamily`.
COUNTS = 4
#: Ends of the two intervals of each comparison.
ENDS = 4
#: So many draws of resamples a process makes before it loads the compiled loops.
DRAWS_BEFORE_LOADING = SECONDS_TO_LOAD / SAVED_PER_DRAW


@dataclass(frozen=True)
class Size:
    """How large a campaign is: test sets, systems, segments of each set, resamples, trials, and worker processes."""

    n_sets: int
    n_systems: int
    n_segments: int
    n_resamples: int
    n_trials: int
    n_workers: int
    has_baseline: bool = False

    @property
    def n_pairs(self) -> int:
        """Comparisons of each metric on each set."""
        return self.n_systems - 1 if self.has_baseline else self.n_systems * (self.n_systems - 1) // 2

    @property
    def n_outputs(self) -> int:
        """Outputs of all systems on all sets, in segments."""
        return self.n_sets * self.n_systems * self.n_segments

    @property
    def trials_of_part(self) -> int:
        """Trials of a unit of work."""
        most = WORK_OF_PART // (self.n_outputs + WORK_OF_PAIR * self.n_sets * self.n_pairs)
        return min(self.n_trials, max(1, most))

    @property
    def n_blocks(self) -> int:
        """Units of work that trials take, per metric."""
        return -(-self.n_trials // self.trials_of_part)

    @property
    def returned_by_trials(self) -> int:
        """Bytes that units of trials return, per metric: counts of each comparison, and the outermost of its trials.

        The families are that of each set, that of the means, and that of all sets together. Of each comparison, the
        trials at both ends of two intervals are kept: its own, and that of its family; of each family, the largest
        differences of its steps.
        """
        of_all = self.n_pairs * self.n_sets
        rows = (self.n_sets + 1) * self.n_pairs + of_all
        n_steps = (self.n_sets + 1) * len(choose_steps(self.n_pairs)) + len(choose_steps(of_all))
        kept = min(count_beyond(self.n_trials, LEVEL, exact=False), self.trials_of_part)
        return FLOAT * self.n_blocks * (COUNTS * rows + (ENDS * rows + n_steps) * kept)

    @property
    def n_units(self) -> int:
        """Units of work per metric: the resamples of each set, and the trials of all sets block by block."""
        return self.n_sets + self.n_blocks

    @property
    def n_plain_draws(self) -> float:
        """Draws of resamples, per metric, that worker processes make before they load the compiled loops."""
        return min(self.n_sets * self.n_segments * self.n_resamples, self.n_processes * DRAWS_BEFORE_LOADING)

    @property
    def n_processes(self) -> int:
        """Worker processes per metric; none where one worker does the work here."""
        return min(self.n_workers, self.n_units) if self.n_workers > 1 else 0


#: What is predicted, and the unit of each.
PREDICTED = {
    "statistics": "CPU s",
    "draws": "CPU s",
    "workers": "CPU s",
    "main process": "CPU s",
    "sent": "B",
    "returned": "B",
    "folder": "B",
    "memory of the main process": "B",
    "memory of a worker": "B",
}


def predict(costs: Costs, metrics: list[str], size: Size) -> dict[str, float]:
    """Predict CPU seconds and bytes: a value for each of `PREDICTED`."""
    found = dict.fromkeys(PREDICTED, 0.0)
    found["statistics"] = size.n_outputs * costs["read", ""]
    kept, largest, of_worker = 0.0, 0.0, 0.0
    resampled = FLOAT * size.n_sets * size.n_systems * size.n_resamples
    for metric in metrics:

        def cost(what: str, metric: str = metric) -> float:
            return costs[what, metric]

        sent = size.n_outputs * cost("bytes")
        returned = resampled + size.returned_by_trials
        found["statistics"] += size.n_outputs * cost("statistics")
        found["draws"] += size.n_sets * cost("set of resamples") + size.n_outputs * size.n_resamples * cost("resample")
        found["draws"] += size.n_plain_draws * costs["draw that is not compiled", ""]
        found["draws"] += size.n_blocks * size.n_sets * cost("set of trials")
        found["draws"] += size.n_trials * size.n_outputs * cost("trial")
        found["draws"] += size.n_trials * size.n_sets * size.n_pairs * cost("trial of a pair")
        found["workers"] += size.n_processes * (costs["start", ""] + sent * costs["receive", ""])
        of_pair = cost("pair") + size.n_resamples * cost("resample of a pair")
        found["main process"] += size.n_sets * size.n_pairs * of_pair + sent * costs["digest", ""]
        found["main process"] += size.n_processes * (costs["begin", ""] + sent * costs["send", ""])
        found["main process"] += returned * costs["keep", ""] + size.n_units * costs["keep a unit", ""]
        found["sent"] += size.n_processes * sent
        found["returned"] += returned
        found["folder"] += returned + size.n_units * costs["frame of a unit", ""]
        kept += sent + FLOAT * (size.n_pairs + size.n_systems) * size.n_resamples
        largest = max(
            largest,
            2 * resampled + size.n_outputs * cost("table") + (sent * costs["copies", ""] if size.n_processes else 0),
        )
        # The family of all sets has the trials of all of them at once; what is made of them is made batch by batch.
        cells = size.trials_of_part * size.n_pairs * size.n_sets
        of_trials = FLOAT * cells + min(cells, BATCH_CELLS) * cost("memory of a trial of a pair")
        scratch = max(
            cost("memory of trials") + of_trials,
            cost("memory of resamples") + size.n_resamples * size.n_systems * cost("memory of a resample"),
        )
        of_worker = max(of_worker, sent * costs["copies of a worker", ""] + scratch)
    found["memory of the main process"] = costs["process", ""] + kept + largest
    found["memory of the main process"] += size.n_systems * size.n_segments * costs["texts", ""]
    if size.n_processes:
        found["memory of a worker"] = costs["worker", ""] + of_worker
    return found
