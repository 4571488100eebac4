"""A test set that a page could stumble over: hostile texts, several references, runs, documents, what is missing."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

import mtworkbench as mtw

#: Systems and their baselines; the names are those of the data.
PAIRS = [("new </script>", "old\u202e $x$"), ("new </script>", "مترجم"), ("مترجم", "old\u202e $x$")]
#: Texts of which every system has some.
TEXTS = [
    "</script><script>document.title = 'owned'</script> the end",
    "مرحبا بالعالم، كيف حالك اليوم؟ the end",
    "control \x1b[31m and \x07 and \x85 in the middle",
    "long " * 400 + "end",
    "这是一个测试，我们喜欢猫。 这是 the end",
    "a flag 🇩🇪🇫🇷! and a family (👩‍👩‍👧) here",
    "Straße STRASSE ΣΊΣΥΦΟΣ İstanbul ﬁn",
    "<b>&amp; &quot;quoted&quot; ½ cup</b>",
    "the   cat   sat,  on the mat 1,000.5 times",
    "turn \u202e around \u2066 and \u2069 back, it's",
    "\u00e9 e\u0301 Å \u212b café 42",
    'say "it\'s" [a-z] (x) {2} a+b \\d',
]
WORDS = ("the", "cat", "sat", "on", "a", "mat", "while", "rain", "fell", "nobody", "7", "dogs", "barked", "at", "3")
DOCUMENTS = ["talk one", "the  talk,  two", "talk\u202e three", "حديث"]


def make_hostile(n_segments: int = 48) -> pd.DataFrame:
    """Make outputs of three systems with 3, 1 and 2 runs, two references and a source; some texts are missing."""
    draw = np.random.default_rng(5)
    base = [TEXTS[number] if number < len(TEXTS) else " ".join(draw.choice(WORDS, 9)) for number in range(n_segments)]
    systems = {
        PAIRS[0][0]: [[change(text, draw, 0.25) for text in base] for _ in range(3)],
        PAIRS[0][1]: [[change(text, draw, 0.35) for text in base]],
        PAIRS[1][1]: [[change(text, draw, 0.3) for text in base] for _ in range(2)],
    }
    systems[PAIRS[0][0]][0][20] = systems[PAIRS[0][0]][1][20] = ""
    references = [base, [None if number % 3 == 0 else change(text, draw, 0.2) for number, text in enumerate(base)]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mtw.DataWarning)
        outputs = mtw.make_outputs(
            references,
            systems,
            source=[f"source of {text}" for text in base],
            documents=[DOCUMENTS[number * len(DOCUMENTS) // n_segments] for number in range(n_segments)],
            domains=["news" if number % 2 else "talks, 2" for number in range(n_segments)],
        )
    return outputs


def change(text: str, draw: np.random.Generator, share: float) -> str:
    """Replace some of the words of a text."""
    return " ".join(draw.choice(WORDS) if draw.random() < share else word for word in text.split(" "))


def lose_outputs(outputs: pd.DataFrame) -> pd.DataFrame:
    """Give outputs scores in a column ``quality``, and let some outputs and scores be missing, in some runs or all."""
    draw = np.random.default_rng(3)
    lost = outputs.assign(quality=draw.random(len(outputs)).round(2))
    for system, run, segments in ((PAIRS[0][0], 2, (3, 30)), (PAIRS[0][1], 1, (30, 31)), (PAIRS[1][1], 1, (6,))):
        rows = (lost["system"] == system) & (lost["run"] == run) & lost["segment"].isin(segments)
        lost.loc[rows, "hypothesis"] = None
    for segment in (9, 30):
        lost.loc[(lost["segment"] == segment) & (lost["system"] == PAIRS[0][0]), "quality"] = np.nan
    return lost
