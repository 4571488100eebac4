"""A metric that finds words by blanks says so where the references have none."""

import warnings

import pytest

import mtworkbench as mtw

CHINESE = ["今天的天气比昨天好得多，我们去公园散步吧。", "他说这家公司明年会在北京开三个新的办公室。"]
JAPANESE = ["きょうの天気はきのうよりずっといいです。", "この会社は来年あたらしい事務所をひらきます。"]
THAI = ["วันนี้อากาศดีกว่าเมื่อวานมาก", "บริษัทนี้จะเปิดสำนักงานใหม่สามแห่งในปีหน้า"]
ENGLISH = ["The weather is much better today.", "The company Xiaomi (小米科技有限责任公司总部) opens three offices."]
SPLIT = ["今天 的 天气 比 昨天 好 得 多 ， 我们 去 公园 散步 吧 。", "他 说 这 家 公司 明年 会 开 三 个 办公室 。"]
KOREAN = ["오늘 날씨가 어제보다 훨씬 좋습니다.", "이 회사는 내년에 사무실 세 곳을 엽니다."]


def codes(reference, metric):
    """Return the codes of what is warned of, computed from the references themselves as outputs."""
    with warnings.catch_warnings(record=True) as caught:  # of the same text twice, too, which is no matter here
        warnings.simplefilter("always")
        outputs = mtw.make_outputs(reference, {"a": reference, "b": reference[::-1]})
        mtw.compute_statistics(outputs, metric)
    return [one.message.code for one in caught if one.message.code == "no-blanks"]


@pytest.mark.parametrize("metric", ["bleu", "bleu:tokenize=none", "bleu:tokenize=intl", "nist", "gtm", "ter"])
@pytest.mark.parametrize("reference", [CHINESE, JAPANESE, THAI])
def test_words_are_not_found_by_blanks_in_scripts_without_them(reference, metric):
    assert codes(reference, metric) == ["no-blanks"]


@pytest.mark.parametrize(
    "metric",
    ["bleu:tokenize=zh", "bleu:tokenize=char", "gtm:tokenize=zh", "ter:normalized=true,asian_support=true", "chrf"],
)
def test_nothing_is_said_where_the_metric_splits_characters(metric):
    assert codes(CHINESE, metric) == []


@pytest.mark.parametrize("reference", [ENGLISH, SPLIT, KOREAN])
def test_nothing_is_said_of_text_with_blanks(reference):
    assert codes(reference, "bleu") == []


def test_the_sentence_shows_a_segment_and_says_what_to_choose():
    outputs = mtw.make_outputs(["OK.", *CHINESE], {"a": ["All right.", *JAPANESE]})
    for metric, advice in (
        ("bleu", "Choose a tokenizer that splits such text (zh, ja-mecab or flores200; --tokenize), or chrF."),
        ("nist", "Choose another metric, such as chrF."),
        ("ter", "Choose 'ter:normalized=true,asian_support=true', or chrF."),
    ):
        with pytest.warns(mtw.DataWarning, match="no blanks between words") as caught:
            mtw.compute_statistics(outputs, metric)
        (message,) = [one.message for one in caught if one.message.code == "no-blanks"]
        assert message.line == 2 and str(message).endswith(f"so it takes whole clauses for words. {advice}")
