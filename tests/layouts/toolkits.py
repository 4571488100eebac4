"""What toolkits leave after translating a test set."""

import json

from .layout import RUNS, TEXTS, Layout
from .plain_text import REF, outputs
from .texts import PAIR, lines, output, reference, source
from .texts import RUNS as NUMBERS


def generated(system: str, run: int = 1) -> str:
    """What ``fairseq-generate`` prints, in another order than the test set's."""
    texts = list(zip(source(), reference(), output(system, run), strict=True))
    rows = ["2026-11-27 10:00:00 | INFO | fairseq.tasks.translation | [de] dictionary: 8848 types"]
    for number in sorted(range(len(texts)), key=lambda number: len(texts[number][0])):
        of_source, wanted, found = texts[number]
        rows += [f"S-{number}\t{of_source}", f"T-{number}\t{wanted}", f"H-{number}\t-0.5\t{found}"]
        rows += [f"D-{number}\t-0.5\t{found}", f"P-{number}\t-0.5 -0.5"]
    return lines([*rows, "Generate test with beam=5: BLEU4 = 30.00"])


def fairseq():
    return REF | {
        f"checkpoints/{system}_seed{run}/{name}": text
        for system in PAIR
        for run in NUMBERS
        for name, text in (("generate-test.txt", generated(system, run)), ("checkpoint_best.pt", "\0"))
    }


def hugging_face():
    written = {}
    for system in PAIR:
        for run in NUMBERS:
            folder = f"out/{system}-seed{run}"
            written |= {f"{folder}/{name}": json.dumps({}) for name in ("predict_results.json", "config.json")}
            written[f"{folder}/generated_predictions.txt"] = lines(output(system, run))[:-1]
    return REF | written


def joey():
    steps = {"baseline": "00026000", "tweaked": "00045000"}
    return REF | {
        f"models/{system}/{name}": text
        for system, step in steps.items()
        for name, text in (
            (f"{step}.hyps.test", lines(output(system))),
            ("config.yaml", "name: made up\n"),
            ("validations.txt", "Steps: 1\n"),
        )
    }


LAYOUTS = (
    Layout(
        "fairseq-generate",
        "fairseq: `fairseq-generate --results-path`",
        fairseq,
        "mtworkbench compare ref.txt checkpoints/*/generate-test.txt",
        RUNS,
        "facebookresearch/fairseq fairseq_cli/generate.py",
    ),
    Layout(
        "fairseq-score",
        "fairseq: the files for `fairseq-score`",
        lambda: {"baseline/gen.out.ref": lines(reference())} | outputs("{system}/gen.out.sys"),
        "mtworkbench compare baseline/gen.out.ref */gen.out.sys",
        TEXTS,
        "facebookresearch/fairseq examples/translation/README.md",
    ),
    Layout(
        "marian",
        "Marian: the outputs of its examples, a folder per seed",
        lambda: REF | outputs("{system}.seed{seed}/test2016.de.output", runs=NUMBERS),
        "mtworkbench compare ref.txt *.seed*/test2016.de.output",
        RUNS,
        "marian-nmt/marian-examples transformer/run-me.sh",
    ),
    Layout(
        "hugging-face",
        "Hugging Face: `run_translation.py --do_predict`",
        hugging_face,
        "mtworkbench compare ref.txt out/",
        RUNS,
        "huggingface/transformers examples/pytorch/translation/run_translation.py",
    ),
    Layout(
        "joey-nmt",
        "Joey NMT: `joeynmt test`",
        joey,
        "mtworkbench compare ref.txt models/*/*.hyps.test",
        TEXTS,
        "joeynmt/joeynmt joeynmt/prediction.py",
    ),
    Layout(
        "sockeye",
        "Sockeye: `sockeye-translate --output`",
        lambda: REF | outputs("exp/{system}/out.test"),
        "mtworkbench compare ref.txt exp/*/out.test",
        TEXTS,
        "awslabs/sockeye docs/inference.md",
    ),
    Layout(
        "opennmt",
        "OpenNMT-py and Eole: `-output pred.txt`",
        lambda: REF | outputs("run/{system}/pred.txt"),
        "mtworkbench compare ref.txt run/*/pred.txt",
        TEXTS,
        "OpenNMT/OpenNMT-py docs/source/quickstart.md",
    ),
    Layout(
        "moses",
        "Moses: the output of a test set",
        lambda: REF | outputs("{system}/newstest2011.translated.en"),
        "mtworkbench compare ref.txt */newstest2011.translated.en",
        TEXTS,
        "moses-smt/mosesdecoder (the baseline system of its manual)",
    ),
    Layout(
        "pred-suffix",
        "IndicTrans2: the system at the end of the name",
        lambda: {"devtest/test.de": lines(reference())} | outputs("devtest/test.de.pred.{system}"),
        "mtworkbench compare devtest/test.de devtest/test.de.pred.*",
        TEXTS,
        "AI4Bharat/IndicTrans2 compute_comet_score.sh",
    ),
    Layout(
        "mt-compareval",
        "MT-ComparEval: an experiment and its tasks",
        lambda: (
            {"experiment/reference.txt": lines(reference()), "experiment/source.txt": lines(source())}
            | outputs("experiment/{system}/translation.txt")
        ),
        "mtworkbench compare experiment/reference.txt experiment/*/translation.txt",
        TEXTS,
        "ondrejklejch/MT-ComparEval examples/",
    ),
    Layout(
        "n-best",
        "Moses and Marian: n-best lists",
        lambda: (
            REF
            | {
                f"{system}.nbest": lines(
                    f"{number} ||| {text} ||| F0= -1 ||| {score}"
                    for number, one in enumerate(output(system))
                    for text, score in ((one, -1), (one + " again", -2))
                )
                for system in PAIR
            }
        ),
        python="import pandas as pd\n"
        "import mtworkbench as mtw\n"
        'lists = [mtw.read_nbest(f"{name}.nbest", "ref.txt", system=name) for name in ("baseline", "tweaked")]\n'
        "first = pd.concat([mtw.outputs.first_best(one) for one in lists], ignore_index=True)\n"
        'mtw.compare(mtw.compute_statistics(first, "bleu"), baseline="baseline", rng=1)',
        finds=TEXTS,
        source="marian-nmt/marian-dev (`--n-best`)",
    ),
)
