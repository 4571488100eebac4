"""Scores and statistics equal those that others got with the original tools."""

import numpy as np
import pytest

from mtworkbench.metrics import Bleu, ChrF, Length, Ter
from mtworkbench.metrics.sacrebleu_adapter import bleu_preprocessing, sacrebleu_metric
from mtworkbench.segment_statistics import compute_statistics


def without_version(signature):
    return signature.rpartition("|version:")[0]


def test_scores_of_sacrebleus_own_test_suite(golden, make_outputs):
    cases = golden("sacrebleu_testsuite")
    assert len(cases) == 28
    for case in cases.values():
        options = dict(case["options"])
        sentence = "sentence" in case["metric"]
        effective = options.pop("effective_order", False)
        if "remove_whitespace" in options:
            options["whitespace"] = not options.pop("remove_whitespace")
        kind = {"BLEU": Bleu, "chrF": ChrF, "TER": Ter}[case["metric"].split()[0]]
        if options.get("smooth_method") in ("exp", "none"):
            options.pop("smooth_value", None)
        metric = kind(**options)
        texts = case["inputs"]
        hypotheses = [texts["hyp_text"]] if sentence else texts["hyp_text"]
        references = [[text] for text in texts["refs_text"]] if sentence else texts["refs_text"]
        statistics = compute_statistics(make_outputs({"it": hypotheses}, references), metric)["it"]
        score = metric.segment_score(statistics.values[0, 0]) if effective else statistics.score()[0, 0]
        expected = case["expected"]
        assert score == pytest.approx(expected["score"], abs=case["tolerance"]["abs"]), case["id"]
        assert score == pytest.approx(expected["sacrebleu_2.6.0_run"], rel=1e-9, abs=1e-9), case["id"]


def test_chrf_scores_and_signatures(golden, golden_outputs):
    cases = golden("chrf")
    assert len(cases) == 20
    for case in cases.values():
        inputs = case["inputs"]
        outputs = golden_outputs({"it": [inputs["hyp"]]}, inputs["refs"], inputs.get("lines", (0, None)))
        options = {name: case["options"][name] for name in ("char_order", "word_order", "beta")}
        for expected_name, eps_smoothing in (("sacrebleu", False), ("sacrebleu_eps_smoothing", True)):
            expected = case["expected"][expected_name]
            metric = ChrF(**options, eps_smoothing=eps_smoothing)
            statistics = compute_statistics(outputs, metric)
            assert statistics.score()["it"].item() == pytest.approx(expected["score"], rel=1e-11), case["id"]
            assert without_version(statistics.signature) == without_version(expected["signature"])
            segments = metric.segment_score(statistics["it"].values[0])
            if "by_segment" in expected:
                np.testing.assert_allclose(segments, expected["by_segment"], atol=1e-7, rtol=0)
            else:
                np.testing.assert_allclose(segments, case["expected"]["chrF++.py"]["by_segment"], atol=6e-5, rtol=0)


def check_ter(case, golden_outputs):
    inputs, expected = case["inputs"], case["expected"]["sacrebleu_2.6.0"]
    options = {name: case["options"][name] for name in ("normalized", "no_punct", "case_sensitive")}
    outputs = golden_outputs({"it": [inputs["hyp"]]}, inputs["refs"], inputs.get("lines", (0, None)))
    statistics = compute_statistics(outputs, Ter(**options))
    edits, reference_length = statistics["it"].values[0].sum(axis=0)
    assert edits == expected["edits"], case["id"]
    assert reference_length == pytest.approx(expected["ref_words"], abs=1e-9), case["id"]
    assert statistics.score()["it"].item() == pytest.approx(expected["ter"], rel=1e-11), case["id"]


def test_ter_equals_sacrebleus_beside_tercom(golden, golden_outputs):
    cases = {name: case for name, case in golden("ter_tercom").items() if name.startswith(("edge-", "tercom-N-s"))}
    assert len(cases) == 13
    for case in cases.values():
        check_ter(case, golden_outputs)


@pytest.mark.slow
def test_ter_equals_sacrebleus_beside_tercom_on_all_texts(golden, golden_outputs):
    cases = [case for case in golden("ter_tercom").values() if "sacrebleu_2.6.0" in case["expected"]]
    assert len(cases) == 26
    for case in cases:
        check_ter(case, golden_outputs)


def test_tokenization(golden):
    case = golden("tokenization")["tokenizers"]
    texts, expected = case["inputs"]["text"], case["expected"]
    for tokenizer in ("13a", "intl", "char"):
        preprocess = bleu_preprocessing(tokenizer, False)
        tokens = [" ".join(preprocess(text).split()) for text in texts]
        assert tokens == [" ".join(text.split()) for text in expected[f"sacrebleu-2.6.0 tokenize={tokenizer}"]]
    for options, name in (
        ((("normalized", True),), "TER normalized"),
        ((("normalized", True), ("no_punct", True)), "TER normalized,no_punct"),
    ):
        metric = sacrebleu_metric("TER", options)
        assert [metric.tokenizer(text) for text in texts] == expected[f"sacrebleu-2.6.0 {name}"]


def test_scores_of_sacrebleus_paired_tests(golden, golden_outputs):
    kinds = {"BLEU": Bleu, "chrF2": ChrF, "chrF2++": ChrF}
    checked = set()
    for case in golden("sacrebleu_paired").values():
        metric = kinds[case["metric"]](**case["options"]["metric_options"])
        inputs = case["inputs"]
        files = [inputs["baseline"], *inputs["systems"]]
        if (metric, *files) in checked:
            continue
        statistics = compute_statistics(golden_outputs({file: [file] for file in files}, inputs["refs"]), metric)
        scores = [score.item() for score in statistics.score().values()]
        assert scores == pytest.approx([row["score"] for row in case["expected"]["rows"]], rel=1e-11), case["id"]
        expected = [
            part for part in case["tool"]["signature_seed12345"].split("|") if part[:3] not in ("bs:", "ar:", "see")
        ]
        assert without_version(statistics.signature) == without_version("|".join(expected))
        checked.add((metric, *files))
    assert len(checked) == 12


def multeval_scores(case, golden_outputs, metric):
    inputs = case["inputs"]
    runs = {"baseline": inputs["baseline_runs"], "system 1": inputs["system1_runs"]}
    statistics = compute_statistics(golden_outputs(runs, inputs["refs"]), metric)
    return {system: statistics[system].score()[0] for system in runs}


def check_multeval(case, scores, name, tolerance):
    for system, by_run in scores.items():
        expected = case["expected"][system][name]
        assert by_run == pytest.approx(expected["scores_by_optimizer_run"], abs=tolerance)
        assert by_run.mean() == pytest.approx(expected["avg"], abs=tolerance)
        if expected["s_opt"] is not None:
            assert by_run.std(ddof=1) == pytest.approx(expected["s_opt"], abs=tolerance)


def cases_of_multeval(golden):
    cases = [case for case in golden("multeval").values() if "baseline_runs" in case["inputs"]]
    assert len(cases) >= 4
    return cases


@pytest.mark.parametrize(("metric", "name"), [(Bleu(tokenize="none"), "BLEU"), (Length(), "Length")])
def test_bleu_and_length_equal_multevals_to_all_printed_digits(metric, name, golden, golden_outputs):
    for case in cases_of_multeval(golden):
        check_multeval(case, multeval_scores(case, golden_outputs, metric), name, 1e-6)


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_ter_equals_multevals_to_one_decimal(golden, golden_outputs):
    case = golden("multeval")["csen-readme-table"]
    check_multeval(case, multeval_scores(case, golden_outputs, Ter()), "TER", 0.05)
