"""Texts with one segment per line."""

import gzip

from .layout import RUNS, TEXTS, Finds, Layout
from .texts import PAIR, SYSTEMS, documents, lines, output, reference, source
from .texts import RUNS as NUMBERS

REF = {"ref.txt": lines(reference())}


def outputs(pattern: str, systems=PAIR, runs=None, **names) -> dict[str, str]:
    """The outputs of systems at paths such as ``sys/{system}.txt``, of all ``runs`` at ``{run}`` or ``{seed}``."""
    return {
        pattern.format(system=system, run=run, zero=run - 1, seed=1111 * run, **names): lines(output(system, run))
        for system in systems
        for run in runs or (1,)
    }


def plain(pattern: str, **more):
    return lambda: REF | outputs(pattern, **more)


LAYOUTS = (
    Layout(
        "two-files",
        "A reference and two outputs",
        plain("{system}.txt"),
        "mtworkbench compare ref.txt baseline.txt tweaked.txt",
        TEXTS,
    ),
    Layout(
        "folder",
        "A folder with all outputs",
        plain("sys/{system}.txt", systems=SYSTEMS),
        "mtworkbench compare ref.txt sys/",
    ),
    Layout(
        "pattern",
        "Outputs that a pattern names",
        plain("sys/{system}.txt", systems=SYSTEMS),
        "mtworkbench compare ref.txt sys/* --baseline baseline",
    ),
    Layout(
        "one-folder",
        "Reference, source and outputs in one folder",
        lambda: {"test/ref.txt": lines(reference()), "test/src.txt": lines(source())} | outputs("test/{system}.txt"),
        "mtworkbench compare test/",
        TEXTS,
    ),
    Layout(
        "documents",
        "A file with the document of each segment",
        lambda: plain("{system}.txt")() | {"docs.txt": lines(documents())},
        "mtworkbench compare ref.txt baseline.txt tweaked.txt --documents docs.txt",
        Finds(PAIR, documents=documents),
    ),
    Layout(
        "compressed",
        "Compressed files",
        lambda: {f"{name}.gz": gzip.compress(text.encode(), mtime=0) for name, text in plain("{system}.txt")().items()},
        "mtworkbench compare ref.txt.gz baseline.txt.gz tweaked.txt.gz",
        TEXTS,
    ),
    Layout(
        "sacrebleu",
        "Outputs as sacreBLEU takes them",
        plain("{system}.txt"),
        "mtworkbench compare ref.txt -i baseline.txt tweaked.txt -m bleu chrf ter",
        Finds(PAIR, metrics=("BLEU", "chrF", "TER")),
        "mjpost/sacrebleu README.md",
    ),
    Layout(
        "system-option",
        "Files whose names say nothing",
        lambda: REF | {"old/out": lines(output("baseline")), "new/out": lines(output("tweaked"))},
        "mtworkbench compare ref.txt --system baseline=old/out --system tweaked=new/out",
        TEXTS,
    ),
    Layout(
        "multeval",
        "MultEval: the runs of each system, tokenized",
        lambda: (
            {"refs.test2010.lc.tok.en.0": lines(reference())}
            | outputs("hyps.lc.tok.en.{system}.opt{zero}", runs=NUMBERS)
        ),
        "mtworkbench compare refs.test2010.lc.tok.en.0 hyps.* --tokenize none",
        RUNS,
        "jhclark/multeval example/",
    ),
    Layout(
        "run-numbers",
        "Run numbers in the names",
        plain("{system}.run{run}.txt", runs=NUMBERS),
        "mtworkbench compare ref.txt *.run*.txt",
        RUNS,
    ),
    Layout(
        "seed-suffix",
        "Seeds in the names",
        plain("out/{system}_seed{seed}.txt", runs=NUMBERS),
        "mtworkbench compare ref.txt out/",
        RUNS,
    ),
    Layout(
        "bare-seeds",
        "Seeds in the names, without a word",
        plain("out/{system}-{seed}.hyp", runs=NUMBERS),
        "mtworkbench compare ref.txt out/*.hyp",
        RUNS,
    ),
    Layout(
        "seed-folders",
        "A folder per system and seed",
        plain("out/{system}/seed{seed}/pred.txt", runs=NUMBERS),
        "mtworkbench compare ref.txt out/",
        RUNS,
    ),
    Layout(
        "folders-of-seeds",
        "A folder per seed, a file per system",
        plain("seed{seed}/{system}.txt", runs=NUMBERS),
        "mtworkbench compare ref.txt seed*",
        RUNS,
    ),
    Layout(
        "runs-by-pattern",
        "Runs that a pattern per system names",
        plain("runs/{system}/{run}/test.hyps", runs=NUMBERS),
        "mtworkbench compare ref.txt --system baseline='runs/baseline/*/test.hyps' "
        "--system tweaked='runs/tweaked/*/test.hyps'",
        RUNS,
    ),
)
