"""Texts in pieces, and the tokens by which two texts differ."""

import unicodedata
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtworkbench.analyses.segments import tokens as module
from mtworkbench.analyses.segments.marks import _mark_both
from mtworkbench.analyses.segments.tokens import (
    locate_tokens,
    pair_tokens,
    split_text,
    token_splitter,
)
from mtworkbench.errors import InputError
from mtworkbench.metrics import Bleu, ChrF, Gtm, Length, MeanScore, Meteor, Nist, Ter, make_metric
from mtworkbench.shipped import find_shipped

TEXTS = {
    "latin": 'He paid $1,000.50 (not &quot;1,000&quot;) to R&amp;D -- "that\'s it", İstanbul said.',
    "cyrillic": "Президент сказал: «Мы не знаем, сколько их — 3,5 тысячи?»",
    "greek": "Ο ΣΟΦΟΣ Οδυσσέας είπε: «όχι»;",
    "chinese": "他说：“iPhone 15的价格是5,999元。”你好",
    "japanese": "東京タワーは1958年に完成しました。ｶﾞﾗｽも、ガラスも。",
    "arabic": "قال الرئيسُ: «لا نعرف»، ثم غادر في ٢٠٢٣.",
    "hebrew": "הנשיא אמר: ״אין לנו מושג״, ועזב ב־2023.",
    "thai": "เขาพูดว่าน้ำท่วมที่กรุงเทพฯ 3 ครั้ง",
    "khmer": "ខ្ញុំស្រឡាញ់ភាសាខ្មែរ",
    "burmese": "မြန်မာနိုင်ငံ၏ ဘာသာစကား",
    "devanagari": "राष्ट्रपति ने कहा: “हमें नहीं पता।” क्षेत्र",
    "emoji": "Great 👩🏽‍💻👍🏽 from 🇩🇪🇫🇷! e\u0301te\u0301",
    "blanks": "  two  blanks\tand\u00a0a no-break one ",
    "empty": "",
}
METRICS = [
    Bleu(),
    Bleu("intl", lowercase=True),
    Bleu("none"),
    Bleu("zh"),
    Bleu("char"),
    Bleu("mteval-13a", lowercase=True),
    Bleu("mteval-intl"),
    Nist(),
    Gtm(),
    Ter(),
    Ter(normalized=True, no_punct=True, asian_support=True),
    ChrF(),
    ChrF(word_order=2, lowercase=True),
    Length(),
    Meteor(),
    MeanScore(),
]
UNSPACED = {"chinese", "japanese", "thai", "khmer", "burmese"}


def tokens_of(text, metric):
    return [piece.token for piece in split_text(text, metric) if piece.token is not None]


def longest_common(a, b):
    """Length of a longest common subsequence, by the textbook's table."""
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    for i, one in enumerate(a):
        for j, other in enumerate(b):
            table[i + 1, j + 1] = table[i, j] + 1 if one == other else max(table[i, j + 1], table[i + 1, j])
    return table[-1, -1]


def align_tokens(tokens, others):
    return np.array(pair_tokens(list(tokens), list(others)), dtype=np.int64).reshape(-1, 2)


def mark_differences(tokens, others):
    marked, _ = _mark_both(list(tokens), list(others))
    return marked


def check_alignment(a, b):
    pairs = align_tokens(a, b)
    assert [a[one] for one, _ in pairs] == [b[other] for _, other in pairs]
    assert (np.diff(pairs, axis=0) > 0).all()  # so that each token is aligned once
    assert len(pairs) == longest_common(a, b)
    assert np.array_equal(align_tokens(b, a), pairs[:, ::-1])
    assert mark_differences(a, b).sum() == len(a) - len(pairs)
    assert mark_differences(b, a).sum() == len(b) - len(pairs)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.signature)
def test_pieces_are_the_text(metric):
    for text in TEXTS.values():
        pieces = split_text(text, metric)
        assert "".join(piece.text for piece in pieces) == text
        assert all(piece.text for piece in pieces)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.signature)
def test_tokens_are_the_metrics_own(metric):
    for script, text in TEXTS.items():
        if script not in UNSPACED | {"emoji"}:
            if metric == Bleu("char"):  # it splits letters from their marks, and no piece does
                text = "".join(one for one in text if unicodedata.category(one)[0] != "M")
            assert tokens_of(text, metric) == token_splitter(metric)(text)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.signature)
def test_no_character_is_split(metric):
    for text in TEXTS.values():
        pieces = split_text(text, metric)
        for before, piece in pairwise(pieces):
            if before.token is not None:
                assert unicodedata.category(piece.text[0])[0] != "M"
                assert piece.text[0] not in "\u200d\u0e33\uff9e\U0001f3fd"
                assert before.text[-1] not in "\u200d\u17d2\u1039"
        assert not {"🇩", "🇪", "🇫", "🇷", "👩", "💻"} & {piece.text for piece in pieces}


def test_flags_next_to_each_other_are_two():
    assert [piece.text for piece in split_text("🇩🇪🇫🇷", Bleu("intl"))] == ["🇩🇪", "🇫🇷"]


@pytest.mark.parametrize(
    ("script", "metric", "first"),
    [
        ("chinese", Bleu("intl"), ["他", "说", "：", "“", "iPhone", "15", "的", "价", "格"]),
        ("chinese", Length(), ["他", "说", "：", "“iPhone", "15", "的", "价", "格"]),
        ("japanese", Bleu(), ["東", "京", "タ", "ワ", "ー", "は", "1958", "年"]),
        ("thai", ChrF(), ["เ", "ข", "า", "พู", "ด", "ว่", "า", "น้ำ", "ท่"]),
        ("khmer", Ter(), ["ខ្ញុំ", "ស្រ", "ឡា", "ញ់"]),
        ("devanagari", Bleu("char"), ["रा", "ष्", "ट्", "र", "प", "ति"]),
    ],
)
def test_text_without_blanks_becomes_characters(script, metric, first):
    assert tokens_of(TEXTS[script], metric)[: len(first)] == first


def test_a_tokenizer_that_knows_words_is_believed():
    metric = Bleu("ja-mecab")
    try:
        expected = token_splitter(metric)("東京タワーは完成しました。")
    except InputError:
        pytest.skip("needs the tokenizer for Japanese")
    assert tokens_of("東京タワーは完成しました。", metric) == expected
    assert "タワー" in expected


def test_what_the_tokenizer_rewrites_is_shown_as_it_was():
    shown = [tuple(piece) for piece in split_text("&quot;ISTANBUL&quot; R&amp;D", Bleu(lowercase=True))]
    assert shown == [
        *(("&quot;", '"'), ("ISTANBUL", "istanbul"), ("&quot;", '"')),
        *((" ", None), ("R", "r"), ("&amp;", "&"), ("D", "d")),
    ]


def test_what_the_metric_leaves_out_stands_between_the_tokens():
    shown = [tuple(piece) for piece in split_text("Well, (yes).", Ter(no_punct=True))]
    assert shown == [("Well", "well"), (", (", None), ("yes", "yes"), (").", None)]


def test_entities_that_the_tokenizer_keeps_are_found():
    shown = [tuple(piece) for piece in split_text("&apos;a&lt;.", Ter(normalized=True, no_punct=True))]
    assert shown == [
        *(("&", "&"), ("apos", "apos"), (";", None)),
        *(("a", "a"), ("&lt;", "<"), (".", None)),
    ]


def test_marks_of_blanks_and_compatible_forms_are_found():
    text = "The ﬁrst Ｔｅｓｔ ½"
    tokens = ["▁The", "▁fir", "st", "▁Te", "st", "▁", "1", "⁄2"]
    places = locate_tokens(text, tokens)
    assert [text[begin:end] for begin, end in places] == ["The", "ﬁr", "st", "Ｔｅ", "ｓｔ", "", "½", "½"]


@pytest.mark.parametrize(
    ("text", "tokens", "shown"),
    [
        ("a \u00a0b", ["a", "\u00a0b"], ["a", "b"]),  # a no-break space is no part of a word
        ("a &amp; amp", ["a", "&", "amp"], ["a", "&amp;", "amp"]),
        ("&amp; lt", ["&", "lt"], ["&amp;", "lt"]),
    ],
)
def test_tokens_that_seem_to_stand_in_the_text_are_found_where_they_are_from(text, tokens, shown):
    assert [text[begin:end] for begin, end in locate_tokens(text, tokens)] == shown


def test_tokens_that_are_not_in_the_text_are_shown_themselves(monkeypatch):
    monkeypatch.setattr(module, "token_splitter", lambda metric: lambda text: ["<unk>", "b"])
    assert [tuple(piece) for piece in split_text("a b", Bleu())] == [("<unk>", "<unk>"), (" ", None), ("b", "b")]


def test_tokens_made_of_one_character_are_one_piece(monkeypatch):
    monkeypatch.setattr(module, "token_splitter", lambda metric: lambda text: ["1", "⁄2", "c"])
    assert [tuple(piece) for piece in split_text("½c", Bleu())] == [("½", "1⁄2"), ("c", "c")]


@given(st.lists(st.sampled_from("abc"), max_size=9), st.lists(st.sampled_from("abc"), max_size=9))
def test_alignments_are_longest_common_subsequences(a, b):
    check_alignment(a, b)


@pytest.mark.parametrize("spec", ["bleu", "chrf", "ter"])
def test_alignments_of_real_outputs_are_longest(spec):
    folder = find_shipped("data/flores")
    metric = make_metric(spec)
    texts = [(folder / name).read_text("utf-8").split("\n")[:60] for name in ("reference.txt", "bergamot-tiny.txt")]
    for reference, output in zip(*texts, strict=True):
        check_alignment(tokens_of(output, metric), tokens_of(reference, metric))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Президент сказал, что знает.", "Президент не сказал, что он знает!"),
        ("他说他不知道价格。", "他说价格他并不知道。"),
        ("東京タワーは完成しました。", "東京のタワーが完成した。"),
        ("قال الرئيس إنه لا يعرف.", "الرئيس قال: لا أعرف."),
        ("הנשיא אמר שאין לו מושג.", "הנשיא לא אמר מילה."),
        ("เขาพูดว่าน้ำท่วม", "เขาบอกว่าน้ำไม่ท่วม"),
        ("राष्ट्रपति ने कहा।", "राष्ट्रपति ने नहीं कहा।"),
    ],
)
def test_alignments_in_all_scripts_are_longest(a, b):
    check_alignment(tokens_of(a, Bleu()), tokens_of(b, Bleu()))


def test_what_differs_is_marked():
    a, b = ["the", "cat", "sat", "on", "the", "mat"], ["a", "cat", "on", "the", "red", "mat"]
    assert mark_differences(a, b).tolist() == [True, False, True, False, False, False]
    assert mark_differences(b, a).tolist() == [True, False, False, False, True, False]
    assert mark_differences(a, a).sum() == 0
    assert mark_differences(a, []).tolist() == [True] * 6
    assert mark_differences([], a).tolist() == []


def test_long_texts_are_aligned_exactly():
    words = [f"word{place * place % 997}" for place in range(2_000)]
    moved = words[1_500:] + words[:1_500]
    pairs = align_tokens(words, moved)
    assert len(pairs) >= 1_500
    assert [words[one] for one, _ in pairs] == [moved[other] for _, other in pairs]


def test_texts_too_long_for_a_table_are_aligned_by_occurrence(monkeypatch):
    monkeypatch.setattr(module, "LARGEST_TABLE", 3)
    a, b = ["same", "c", "a", "b", "a", "end"], ["same", "a", "b", "a", "a", "c", "d", "end"]
    assert align_tokens(a, b).tolist() == [[0, 0], [1, 5], [2, 1], [3, 2], [4, 3], [5, 7]]
    assert mark_differences(b, a).tolist() == [False, False, False, False, True, False, True, False]
    assert align_tokens(b, a)[:, ::-1].tolist() == [[0, 0], [2, 1], [3, 2], [4, 3], [1, 5], [5, 7]]


@pytest.mark.parametrize("tokenize", ["13a", "zh"])
def test_alignments_of_real_chinese_outputs_are_longest(shared, tokenize):
    folder = shared / "realdata" / "odd-files" / "crlf-newstest2018-en-zh-first1000"
    texts = [path.read_text("utf-8").split("\n")[:40] for path in sorted(folder.glob("*.en-zh"))]
    for one, other in zip(*texts, strict=True):
        assert "".join(piece.text for piece in split_text(one, Bleu(tokenize))) == one
        check_alignment(tokens_of(one, Bleu(tokenize)), tokens_of(other, Bleu(tokenize)))
        assert len(tokens_of(one, Bleu(tokenize))) > len(one.split())
