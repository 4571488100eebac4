"""Write sacrebleu_expected.json: statistics, scores and signatures that sacreBLEU itself gives for made-up texts.

Run it with the Python of the project's environment, with no argument.
"""

import json
from pathlib import Path

import sacrebleu
from sacrebleu.metrics import BLEU, CHRF, TER

HYPOTHESES = [
    "The heron, which had slept, flew over 1,250 boats.",
    "the quick otter swims in the the river",
    "",
    "Nobody at the harbour knew about it - not even the pilot's wife!",
    "yes",
    "rain falls on the tin roof all night long and nobody sleeps",
    "Grüße aus Kap-Stadt &amp; Umgebung",
    "two boats two boats two boats",
]
REFERENCES = [
    [
        "The heron that had been asleep flew over 1,250 boats.",
        "the otter swims quickly in the river",
        "something was said",
        "Nobody in the harbour knew of it, not even the wife of the pilot!",
        "no",
        "all night long rain falls on the tin roof and nobody sleeps",
        "Grüsse aus Kap-Stadt & Umgebung",
        "two boats and two more",
    ],
    [
        "Over 1250 boats flew the heron, which had slept.",
        None,
        "nothing",
        None,
        "Yes",
        "it rains the whole night on the roof of tin and no one sleeps",
        None,
        "two boats two boats",
    ],
]
METRICS = {
    "bleu": BLEU(),
    "bleu:tokenize=none": BLEU(tokenize="none"),
    "bleu:tokenize=intl,lowercase=true": BLEU(tokenize="intl", lowercase=True),
    "bleu:tokenize=char": BLEU(tokenize="char"),
    "bleu:smooth_method=none": BLEU(smooth_method="none"),
    "bleu:smooth_method=floor": BLEU(smooth_method="floor"),
    "bleu:smooth_method=add-k,smooth_value=0.5": BLEU(smooth_method="add-k", smooth_value=0.5),
    "bleu:max_ngram_order=2": BLEU(max_ngram_order=2),
    "chrf": CHRF(),
    "chrf:word_order=2": CHRF(word_order=2),
    "chrf:beta=3,lowercase=true": CHRF(beta=3, lowercase=True),
    "chrf:whitespace=true,eps_smoothing=true": CHRF(whitespace=True, eps_smoothing=True),
    "ter": TER(),
    "ter:normalized=true,case_sensitive=true": TER(normalized=True, case_sensitive=True),
    "ter:no_punct=true": TER(no_punct=True),
}


def expected(spec: str, metric, n_references: int) -> dict:
    references = REFERENCES[:n_references]
    statistics = metric._extract_corpus_statistics(HYPOTHESES, references)
    score = metric.corpus_score(HYPOTHESES, references).score
    signature = str(metric.get_signature()).rpartition("|version:")[0]
    metric.effective_order = True  # of BLEU: for sentences
    sentences = [
        metric.sentence_score(hypothesis, [text for text in texts if text is not None]).score
        for hypothesis, *texts in zip(HYPOTHESES, *references, strict=True)
    ]
    metric.effective_order = False
    return {
        "metric": spec,
        "n_references": n_references,
        "signature": signature,
        "score": score,
        "segment_scores": sentences,
        "statistics": statistics,
    }


if __name__ == "__main__":
    cases = [expected(spec, metric, number) for spec, metric in METRICS.items() for number in (1, 2)]
    content = {
        "made_with": f"sacreBLEU {sacrebleu.__version__}",
        "hypotheses": HYPOTHESES,
        "references": REFERENCES,
        "cases": cases,
    }
    text = json.dumps(content, ensure_ascii=False, indent=1)
    Path(__file__).with_name("sacrebleu_expected.json").write_text(text + "\n", encoding="utf-8")
