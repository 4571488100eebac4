"""What users of other programs type, and what to write here instead: one table.

Sources: mjpost/sacrebleu, sacrebleu/sacrebleu.py; Unbabel/COMET, comet/cli/score.py and compare.py; jhclark/multeval,
README.md; neulab/compare-mt, compare_mt/compare_mt_main.py. Options that mtworkbench has, too, are left out.
"""

from __future__ import annotations

_OWN_P = "leave it out, or give --conventions, which shows the p of sacreBLEU, too"
_PAIRED = f"every comparison here is paired, with an interval and a test of its difference: {_OWN_P}"
_RANDOMIZED = f"every comparison here is paired and tested by randomization: {_OWN_P}"
_CONFIDENCE = "every score here has an interval (--details shows it): leave it out"
_RESAMPLES = "set the number of bootstrap resamples with --resamples N"
_TRIALS = "set the number of randomization trials with --trials N"
_DIGITS = "--format json and --format csv show all digits"
_SEGMENTS = "save statistics (mtworkbench statistics --output run.stats), then mtworkbench score run.stats --by segment"
_REFERENCE = "name the reference first, or with --reference FILE (repeat it for several)"
_OUTPUTS = "name outputs after the reference, after -i, or with --system NAME=FILES"
_SMOOTH = "smoothing is an option of the metric, as in --metric bleu:smooth_method=floor,smooth_value=0.1"
_CHRF = "options of chrF are those of the metric, as in --metric chrf:char_order=6,word_order=2,beta=2,lowercase=true"
_TER = "options of TER are those of the metric, as in --metric ter:normalized=true,case_sensitive=true"
_COMET = "COMET is not computed here: run comet-score with --to_json comet.json, and add --scores comet.json"

_SACREBLEU = {
    **dict.fromkeys(("--paired-bs", "-pbs"), _PAIRED),
    **dict.fromkeys(("--paired-ar", "-par"), _RANDOMIZED),
    **dict.fromkeys(("--paired-bs-n", "-pbsn", "--confidence-n", "-cin"), _RESAMPLES),
    **dict.fromkeys(("--paired-ar-n", "-parn"), _TRIALS),
    **dict.fromkeys(("--paired-jobs", "-j"), "one process is enough here: leave it out"),
    **dict.fromkeys(("--confidence", "-ci"), _CONFIDENCE),
    **dict.fromkeys(("--chrf-word-order", "-cw"), "use --metric chrf++, which means chrf:word_order=2"),
    **dict.fromkeys(("--chrf-char-order", "-cc", "--chrf-beta", "--chrf-whitespace", "--chrf-lowercase"), _CHRF),
    "--chrf-eps-smoothing": "it is an option of the metric: --metric chrf:eps_smoothing=true",
    **dict.fromkeys(("--ter-case-sensitive", "--ter-asian-support", "--ter-no-punct", "--ter-normalized"), _TER),
    **dict.fromkeys(("--smooth-method", "--smooth-value", "-sv"), _SMOOTH),
    **dict.fromkeys(("--sentence-level", "-sl"), _SEGMENTS),
    **dict.fromkeys(("--width", "-w"), f"scores have two or three decimals; {_DIGITS}"),
    **dict.fromkeys(("--score-only", "-b"), f"--format csv shows only the numbers; {_DIGITS}"),
    "-f": "use --format text, json, latex, markdown or csv",
    **dict.fromkeys(("--short", "-sh"), "the signature below the tables has only one form: leave it out"),
    **dict.fromkeys(("--detail", "-d"), "--details shows all columns and explains them"),
    **dict.fromkeys(("--encoding", "-e"), "files are read as UTF-8: convert others first, for example with iconv"),
    **dict.fromkeys(("--num-refs", "-nr"), "give each reference in a file of its own, each with --reference FILE"),
    "--force": "nothing is refused because it looks tokenized; --accept tokenization ends the warning",
    **dict.fromkeys(("--no-color", "-nc"), "only segments has colours, on a terminal: set NO_COLOR=1"),
    "--input": _OUTPUTS,
    "--origlang": "in Python, choose rows of read_test_set(...) by their column origlang",
    "--subset": "in Python, choose rows of read_test_set(...) by their column domain",
    **dict.fromkeys(("--echo", "--list", "--download"), "call sacrebleu itself to list, fetch and print its test sets"),
}
_OTHERS = {
    **dict.fromkeys(("-r", "--ref", "--refs", "--references"), _REFERENCE),
    **dict.fromkeys(("--src", "--sources", "--src_file"), "name the source with --source FILE"),
    "-s": f"name the source with --source FILE; {_SMOOTH}",
    **dict.fromkeys(("--hyp", "--hyps", "--hypotheses", "--translations", "--out_files"), _OUTPUTS),
    **dict.fromkeys(("--seed", "--seed_everything"), "set the seed of all draws with --rng SEED"),
    **dict.fromkeys(("--num_splits", "--sample_ratio", "--boot-samples", "--num-samples"), _RESAMPLES),
    "--ar-shuffles": _TRIALS,
    **dict.fromkeys(("--bootstrap", "--bootstrap_samples"), f"{_CONFIDENCE}; {_RESAMPLES}"),
    **dict.fromkeys(("--model", "--gpus", "--batch_size"), _COMET),
    "--to_json": "use --output FILE.json",
    **dict.fromkeys(("--latex", "--fullLatexDoc"), "use --output FILE.tex"),
    "--hyps-baseline": "use --system baseline='FILES' --baseline baseline",
    "--meteor.language": "it is an option of the metric, as in --metric meteor:language=en",
    "--sys_names": "name systems together with their files, as in --system NAME=FILE",
    "--compare_scores": "choose scores with -m, as in -m bleu chrf",
    "--output_directory": "write the table with --output FILE, the figure with --figure FILE",
    "--alpha": "set the level of the intervals, which is 1 - alpha, with --level 0.95",
}
_HINTS = _OTHERS | _SACREBLEU


def hint_at(option: str) -> str | None:
    """Return what to write in place of an option of another program; None where it is not known."""
    if option.startswith("--hyps-sys"):  # MultEval numbers its systems
        return f"use --system {option.removeprefix('--hyps-')}='FILES'"
    return _HINTS.get(option)
