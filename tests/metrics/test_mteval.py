"""What mteval's own numbers are for texts, tokens, NIST and BLEU, and that ours are the same."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from mtworkbench.metrics import Bleu, Nist, make_metric
from mtworkbench.metrics.bleu import brevity_penalty
from mtworkbench.metrics.words import mteval_splitter


@pytest.fixture(scope="module")
def mteval_outputs(golden_outputs):
    """From a case of mteval to its outputs, with spaces at both ends where the file for mteval had them."""

    def read(case):
        inputs = case["inputs"]
        outputs = golden_outputs({"it": [inputs["hyp"]]}, inputs["refs"], inputs.get("lines", (0, None)))
        if case["options"]["seg_text_padded_with_spaces_in_sgm"]:
            for name in text_columns(outputs):
                outputs[name] = [f" {text} " for text in outputs[name]]
        return outputs

    return read


def text_columns(outputs):
    return ["hypothesis", *(name for name in outputs.columns if name.startswith("reference"))]


def tokenization_of(case):
    """The name of the tokenization, and whether it lowercases."""
    name = {"mteval": "13a", "international": "intl", "none": "none"}[case["options"]["tokenization"].split()[0]]
    return name, case["options"]["case"] != "preserved"


def slip_of_mteval(outputs, split):
    """What mteval's slip adds to each segment's information of bigrams: "0" is false in Perl, so that a bigram which
    begins with "0" is weighted with the number of all words instead of the number of zeros."""
    hypotheses, *references = ([split(text) for text in outputs[name]] for name in text_columns(outputs))
    words = Counter(word for column in references for tokens in column for word in tokens)
    each = np.log2(words.total() / words["0"]) if words["0"] else 0.0
    slips = []
    for hypothesis, *segment in zip(hypotheses, *references, strict=True):
        limits = Counter()
        for reference in segment:
            limits |= Counter(pairwise(reference))
        matches = Counter(pairwise(hypothesis)) & limits
        slips.append(each * sum(times for bigram, times in matches.items() if bigram[0] == "0"))
    return np.array(slips)


def of_order(statistics, order, *, lengths):
    """The statistics of a lower order out of those of order 9, which begin with one or two lengths."""
    orders = np.arange(order)
    return statistics[..., np.concatenate([np.arange(lengths), lengths + orders, lengths + 9 + orders])]


def check_printed(name, scores_of_orders, expected):
    assert scores_of_orders == pytest.approx(expected, abs=6e-5), name  # 4 decimals are printed


@pytest.mark.long
def test_golden_nist(golden, mteval_outputs):
    n_cases = 0
    for name, case in golden("bleu_nist_mteval").items():
        expected = case["expected"]
        if "nist_printed" not in expected:
            continue  # run with -b: BLEU alone
        n_cases += 1
        tokenization, outputs = tokenization_of(case), mteval_outputs(case)
        statistics = Nist(*tokenization, 9).segment_statistics(outputs)
        if derived := expected.get("derived (our own calculation, not the tool)"):
            ours = Nist().score(of_order(statistics, 5, lengths=1).sum(axis=0))
            assert ours == pytest.approx(derived["nist_without_zero_prefix_bug"], rel=1e-10), name
        statistics[:, 2] += slip_of_mteval(outputs, mteval_splitter(*tokenization))
        totals = statistics.sum(axis=0)
        cumulative = [Nist(max_ngram_order=n).score(of_order(totals, n, lengths=1)) for n in range(1, 10)]
        check_printed(name, cumulative, expected["nist_cumulative_1to9"])
        check_printed(name, np.diff(cumulative, prepend=0), expected["nist_individual_1to9"])
        assert f"{cumulative[4]:.4f}" == expected["nist_printed"], name
        if "nist" in expected:
            assert cumulative[4] == pytest.approx(expected["nist"], rel=1e-10), name
        statistics = of_order(statistics, 5, lengths=1)
        if "nist_by_segment" in expected:
            scores = Nist().segment_score(statistics)
            assert scores == pytest.approx(expected["nist_by_segment"], rel=1e-8, abs=1e-8), name
        if "nist_by_document" in expected:
            scores = Nist().score(by_document(statistics, case))
            assert scores == pytest.approx(list(expected["nist_by_document"].values()), rel=1e-10), name
    assert n_cases == 43


def by_document(statistics, case):
    ends = np.cumsum([size for _, size in case["inputs"]["docs"]])
    return np.add.reduceat(statistics, np.append(0, ends[:-1]))


def bleu_of(case, max_ngram_order):
    options = case["options"]
    tokenize, lowercase = tokenization_of(case)
    smooth_method, reference_length = "mteval", options["brevity_penalty"].split()[0]
    if case["tool"]["name"] == "mteval-v11b.pl":
        smooth_method, reference_length = "none", "shortest"
    elif options["bleu_smoothing"] == "none":
        smooth_method = "none"
    return Bleu(
        f"mteval-{tokenize}",
        lowercase,
        smooth_method,
        max_ngram_order=max_ngram_order,
        reference_length=reference_length,
    )


def precisions_of(cumulative, totals):
    """The precision of each order, out of the scores up to each order: geometric means times the brevity penalty."""
    lengths = np.moveaxis(totals[..., :2].astype(float), -1, 0)
    means = np.stack(cumulative) / brevity_penalty(*lengths)
    orders = np.arange(1, len(means) + 1).reshape(-1, *[1] * (means.ndim - 1))
    return np.exp(np.diff(orders * np.log(means), axis=0, prepend=0))


@pytest.mark.long
def test_golden_bleu(golden, mteval_outputs):
    cases = golden("bleu_nist_mteval")
    for name, case in cases.items():
        expected = case["expected"]
        statistics = bleu_of(case, 9).segment_statistics(mteval_outputs(case))
        totals = statistics.sum(axis=0)
        cumulative = [bleu_of(case, n).score(of_order(totals, n, lengths=2)) / 100 for n in range(1, 10)]
        check_printed(name, cumulative, expected["bleu_cumulative_1to9"])
        check_printed(name, precisions_of(cumulative, totals), expected["bleu_individual_1to9"])
        assert f"{cumulative[3]:.4f}" == expected["bleu_printed"], name
        if "bleu" in expected:
            assert cumulative[3] == pytest.approx(expected["bleu"], rel=1e-10), name
        if "bleu_length" in expected:
            lengths = [expected["bleu_length"]["hyp"], expected["bleu_length"]["ref"]]
            assert list(totals[:2]) == lengths, name
        statistics = of_order(statistics, 4, lengths=2)
        if "bleu_by_segment" in expected:
            scores = bleu_of(case, 4).segment_score(statistics) / 100
            assert scores == pytest.approx(expected["bleu_by_segment"], rel=1e-8, abs=1e-8), name
        if "bleu_by_document" in expected:
            scores = bleu_of(case, 4).score(by_document(statistics, case)) / 100
            assert scores == pytest.approx(list(expected["bleu_by_document"].values()), rel=1e-10), name
    assert len(cases) == 44


def test_asiyas_published_bleu(golden, golden_outputs):
    for case in golden("asiya_thirdparty").values():
        expected = case["expected"]
        outputs = golden_outputs({"it": [case["inputs"]["hyp"]]}, case["inputs"]["refs"])
        highest = Bleu("mteval-13a", smooth_method="mteval").segment_statistics(outputs)
        highest = np.vstack([highest.sum(axis=0), highest])
        columns = [[0, 1, *range(2, 2 + order), *range(6, 6 + order)] for order in range(1, 5)]
        cumulative = [
            Bleu("mteval-13a", smooth_method="mteval", max_ngram_order=order).score(highest[:, taken]) / 100
            for order, taken in enumerate(columns, start=1)
        ]

        def published(name, values=expected):
            return [values[name]["system"], *values[name]["segments"]]

        assert cumulative[3] == pytest.approx(published("BLEU"), abs=6e-9)
        for order in range(1, 5):
            assert cumulative[order - 1] == pytest.approx(published(f"BLEU-{order}"), abs=6e-5)
        for order, precisions in enumerate(precisions_of(cumulative, highest)[1:], start=2):
            assert precisions == pytest.approx(published(f"BLEUi-{order}"), abs=6e-5)


def test_versions_that_differ(golden, mteval_outputs):
    """v11b smooths nothing and takes the shortest reference; v12 tokenizes internationally by default."""
    case = golden("bleu_nist_mteval")["csen-first200"]
    outputs = mteval_outputs(case)
    v11b, v12 = (run for run in case["also_run"] if not run["identical"])
    bleu = Bleu("mteval-13a", lowercase=True, smooth_method="none", reference_length="shortest")
    assert f"{bleu.score(bleu.segment_statistics(outputs).sum(axis=0)) / 100:.4f}" == v11b["bleu_printed"]
    for metric, run in ((Nist(), v11b), (Nist("intl"), v12)):
        assert f"{metric.score(metric.segment_statistics(outputs).sum(axis=0)):.4f}" == run["nist_printed"]


@pytest.mark.parametrize(
    ("tokenize", "lowercase", "tool"),
    [
        ("13a", True, "mteval-v13a"),
        ("13a", False, "mteval-v13a -c"),
        ("13a", False, "mteval-v14 -c"),
        ("intl", True, "mteval-v13a --international-tokenization"),
        ("intl", False, "mteval-v13a --international-tokenization -c"),
        ("intl", False, "mteval-v14 --international-tokenization -c"),
    ],
)
def test_tokens_are_mtevals(golden, tokenize, lowercase, tool):
    case = golden("tokenization")["tokenizers"]
    split = mteval_splitter(tokenize, lowercase)
    # mteval was fed <seg> text </seg>, with a space at both ends.
    tokens = [" ".join(split(f" {text} ")) for text in case["inputs"]["text"]]
    assert tokens == case["expected"][tool]


def test_what_mteval_does_beyond_sacrebleu():
    assert mteval_splitter("13a", True)("ÉA") == ["Éa"]
    assert mteval_splitter("intl", True)("ΟΔΟΣ 10.") == ["οδοσ", "10."]
    assert mteval_splitter("intl", False)("10. ") == ["10", "."]
    assert mteval_splitter("none", False)("a&amp;b &apos;c&apos; d.") == ["a&b", "'c'", "d."]


def test_options_of_bleu_are_in_its_signature():
    assert Bleu("mteval-13a", lowercase=True, smooth_method="mteval").signature.startswith(
        "case:lc|eff:no|tok:mteval-13a|smooth:mteval|ref:closest|version:"
    )
    assert Bleu(smooth_method="none", reference_length="shortest").signature.startswith(
        "case:mixed|eff:no|tok:13a|smooth:none|ref:shortest|version:"
    )
    assert "ref:" not in Bleu("none", smooth_method="none").signature
    assert make_metric("bleu:reference_length=shortest") == Bleu(reference_length="shortest")
