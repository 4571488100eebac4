"""The segments of a report: what is packed can be unpacked, takes little room, and can do without texts."""

import base64
import gzip
import json
import warnings

import numpy as np
import pandas as pd
import pytest

import mtworkbench as mtw
from mtworkbench.analyses.segments.pages import make_pages
from mtworkbench.analyses.segments.queries import QUERY
from mtworkbench.analyses.segments.tokens import split_text
from mtworkbench.metrics import Bleu, ChrF, MeanScore, Ter
from mtworkbench.reports.packing import ORDERS, compress, fold_table, rank_values, write_cuts
from mtworkbench.reports.segments import gather_segments, segments_to_html, write_scripts
from mtworkbench.shipped import find_shipped
from tests.awkward import Case, make_outputs
from tests.reports.hostile import PAIRS, lose_outputs, make_hostile

# TER rewrites texts, so that its tokens cannot be found in them.
NAMES, METRICS = ("BLEU", "TER", "chrF"), ("bleu", Ter(normalized=True, no_punct=True), ChrF(lowercase=True))
MEASURED = pytest.mark.parametrize("metric", [*NAMES, "quality"])
OUTPUTS = {"new": "hypothesis", "baseline": "hypothesis_baseline"}


def unpack(block):
    return json.loads(gzip.decompress(base64.b64decode(block)))


def gather(outputs, metrics, pairs, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mtw.DataWarning)
        statistics = [mtw.compute_statistics(outputs, metric) for metric in metrics]
        return statistics, gather_segments(outputs, statistics, pairs, **options)


@pytest.fixture(scope="module")
def hostile():
    """By metric: outputs, statistics, what is packed, and the number of the metric there."""
    outputs = make_hostile()
    statistics, segments = gather(outputs, METRICS, PAIRS)
    found = {
        name: (outputs, one, segments.packed, place)
        for place, (name, one) in enumerate(zip(NAMES, statistics, strict=True))
    }
    lost = lose_outputs(outputs)
    [quality], segments = gather(lost, [MeanScore("quality", higher_is_better=False)], PAIRS)
    return found | {"quality": (lost, quality, segments.packed, 0)}


def pages_of(outputs, one, pair):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mtw.DataWarning)
        return make_pages(outputs, one, *pair)


def cut_text(shown, cut):
    """Cut a text into its pieces, each with whether it is a token."""
    if isinstance(cut, list):
        ends = np.cumsum(np.abs(cut[1:])).tolist()
        letters = cut[0].encode("utf-16-le")
        begins = [0, *ends[:-1]]
        pieces = [
            letters[2 * begin : 2 * end].decode("utf-16-le", "surrogatepass")
            for begin, end in zip(begins, ends, strict=True)
        ]
        return [(piece, length > 0) for piece, length in zip(pieces, cut[1:], strict=True)]
    ends, pieces, place = list(np.cumsum([int(one) for one in cut.split(",") if one])), [("", None)], 0
    for letter in shown:
        is_token = letter != " "
        if place in ends or pieces[-1][1] is not is_token:
            pieces.append(("", is_token))
        pieces[-1] = (pieces[-1][0] + letter, is_token)
        place += 1 + (letter > "\uffff")
    return pieces[1:]


def join(pieces, marks):
    """Join neighbours with the same mark, and what is between two of them."""
    codes, joined = iter(marks), []
    coded = [[text, next(codes) if is_token else None] for text, is_token in pieces]
    for place, (text, code) in enumerate(coded):
        if code is None:
            after = coded[place + 1][1] if place + 1 < len(coded) else 0
            code = after if joined and joined[-1][1] == after else 0
        if joined and joined[-1][1] == code:
            joined[-1][0] += text
        else:
            joined.append([text, code])
    return joined


def bits(mask, n):
    return np.unpackbits(np.frombuffer(bytes.fromhex(mask.ljust(2 * n, "0")), np.uint8), bitorder="little")[:n]


class Unpacked:
    """The rows of a pair, as a page rebuilds them from what is packed."""

    def __init__(self, packed, metric, pair):
        self.set, self.metric, self.pair = (unpack(packed[name]) for name in ("set", f"{metric}", f"{metric}.{pair}"))
        self.places = {column: place for place, column in enumerate(self.set["columns"])}
        self.shown = {(position, column): shown for position, column, shown in self.set["written"]}
        self.against = {(output, reference): masks for output, reference, *masks in self.metric["against"]}

    def text(self, name, position):
        place = self.places[self.pair["columns"][name]]
        return self.shown.get((position, place), self.set["texts"][position][place])

    def marked(self, name, position, masks):
        if self.text(name, position) is None:
            return []
        pieces = cut_text(self.text(name, position), self.metric["cuts"][self.pair["columns"][name]][position])
        n = sum(is_token for _, is_token in pieces)
        return join(pieces, (bits(masks[0], n) + 2 * bits(masks[1], n)).tolist())

    def texts(self, position):
        closest, columns = self.pair["closest"][position], self.pair["columns"]
        masks = {side: self.against.get((columns[name], closest)) for side, name in OUTPUTS.items()}
        masks = {side: ["", ""] if one is None else [mask[position] for mask in one] for side, one in masks.items()}
        rows = {name: [[self.text(name, position), 0]] for name, _ in self.pair["about"]["texts"]}
        for place, (side, name) in enumerate(OUTPUTS.items()):
            rows[name] = self.marked(name, position, (masks[side][0], self.pair["differ"][place][position]))
        if closest is not None:
            rows[closest] = self.marked(closest, position, (masks["new"][1], masks["baseline"][1]))
        return {name: pieces for name, pieces in rows.items() if pieces != [[None, 0]]}


@MEASURED
@pytest.mark.parametrize("pair", range(len(PAIRS)))
def test_the_marks_of_every_row_can_be_rebuilt(hostile, metric, pair):
    outputs, statistics, packed, place = hostile[metric]
    pages, found = pages_of(outputs, statistics, PAIRS[pair]), Unpacked(packed, place, pair)
    labels = dict(found.pair["about"]["texts"])
    for position, row in enumerate(pages.rows(range(len(pages.frame)))):
        rebuilt = found.texts(position)
        shown = {text["label"]: text["pieces"] for text in row["texts"]}
        assert {labels[name]: pieces for name, pieces in rebuilt.items()} == shown, position
        if found.pair["closest"][position] is not None:
            [first] = [text["label"] for text in row["texts"] if text["kind"] == "reference"]
            assert labels[found.pair["closest"][position]] == first


@pytest.mark.parametrize("pair", range(len(PAIRS)))
@MEASURED
def test_the_numbers_of_every_row_can_be_rebuilt(hostile, metric, pair):
    outputs, statistics, packed, place = hostile[metric]
    pages, found = pages_of(outputs, statistics, PAIRS[pair]), Unpacked(packed, place, pair)
    flagged = {}
    for system, name in zip(PAIRS[pair], OUTPUTS.values(), strict=True):
        flags = found.set["flags"][found.pair["columns"][name]]
        flagged[system] = {flag: np.cumsum(steps).tolist() for flag, steps in flags.items()}
    unreadable = np.cumsum(found.pair["unreadable"]).tolist()
    for position, row in enumerate(pages.rows(range(len(pages.frame)))):
        for name in ("contribution", "change"):
            ranks, shown = found.pair[name]["ranks"], found.pair[name]["shown"]
            by_rank = [one for one in shown for _ in range(one[2])]
            written = by_rank[ranks[position]] if ranks[position] is not None else ("not known", 0)
            assert written[0] == row[name] or (row[name] == "" and ranks[position] is None)
        share = by_rank_share(found, position)
        assert share == pytest.approx(row["share"], abs=0.006)
        assert found.set["segments"][position] == row["segment"]
        places = [[label, values[numbers[position]]] for label, values, numbers in found.set["places"]]
        assert places == row["places"]
        flags = [
            [flag, system]
            for system, flags in flagged.items()
            for flag, *_ in found.pair["about"]["flags"]
            if position in flags.get(flag, ()) and position not in unreadable
        ]
        assert flags == row["flags"]
        lengths = found.metric["lengths"]
        columns = ["reference", *(found.pair["columns"][name] for name in reversed(OUTPUTS.values()))]
        counts = [lengths[column][position] for column in columns]
        assert [f"{count}" for count in counts if count is not None] == [count for _, count in row["lengths"]]


def by_rank_share(found, position):
    rank = found.pair["contribution"]["ranks"][position]
    return 0 if rank is None else [one[1] for one in found.pair["contribution"]["shown"] for _ in range(one[2])][rank]


@MEASURED
def test_n_grams_are_those_of_the_pages_with_their_segments(hostile, metric):
    outputs, statistics, packed, place = hostile[metric]
    pages, found = pages_of(outputs, statistics, PAIRS[0]), Unpacked(packed, place, 0)
    assert found.pair["ngrams"] == [pages.count_ngrams(None, order) for order in ORDERS]
    listed = {one["ngram"] for table in found.pair["ngrams"] for side in OUTPUTS for one in table[side]}
    assert set(found.pair["with_ngram"]) == listed
    assert listed
    for ngram, steps in found.pair["with_ngram"].items():
        expected = pages.select(QUERY | {"sort": "segment", "descending": False, "ngram": ngram})
        assert np.cumsum(steps).tolist() == expected.tolist()


def test_letters_that_case_makes_equal_are_found_by_lower_case_and_the_table():
    table = fold_table()
    letters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    assert [one for one in letters if "".join(table.get(low, low) for low in one.lower()) != one.casefold()] == []
    assert table["ß"] == "ss"


def test_values_are_ranked_as_pages_sort_them():
    values = pd.Series([0.5, np.nan, -1.0, 0.5, 0.25])
    assert rank_values(values) == ([2, None, 0, 2, 1], [2, 4, 0])
    assert rank_values(pd.Series(["b", None, "B", "b"])) == ([1, None, 0, 1], [2, 0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the cat", ""),
        ("the cat, 1,000 dogs.", "7,12"),  # after "cat", and 12 letters further, before the full stop
        ("🇩🇪 🇫🇷.", "9"),  # a page counts two letters for each half of a flag
        ("a\tb", ["a\\tb", 1, -2, 1]),
        ("", ""),
    ],
)
def test_the_places_of_tokens_are_written_in_letters_of_a_page(text, expected):
    assert write_cuts(text, split_text(text, Bleu())) == expected


def test_texts_are_there_once_and_no_pair_has_its_own():
    case = Case(60, n_systems=3)
    outputs = make_outputs(case)
    _, segments = gather(outputs, ["bleu", "chrf"], [("nmt", "online A"), ("rules-2", "online A"), ("rules-2", "nmt")])
    shared = unpack(segments.packed["set"])
    assert sorted(shared["columns"]) == ["nmt\n1", "online A\n1", "reference", "rules-2\n1"]
    assert len(shared["texts"]) == 60
    text = shared["texts"][7][1]
    assert text in outputs["hypothesis"].to_list()
    with_text = [name for name, block in segments.packed.items() if text in json.dumps(unpack(block))]
    assert with_text == ["set"]


def test_what_does_not_fit_is_left_out_pair_by_pair_and_said():
    outputs, pairs = make_outputs(Case(60, n_systems=3)), [("nmt", "online A"), ("rules-2", "online A")]
    _, whole = gather(outputs, ["bleu"], pairs)
    assert (len(unpack(whole.packed["index"])["pairs"]), whole.notes) == (2, ())
    size = sum(map(len, whole.packed.values()))
    _, part = gather(outputs, ["bleu"], pairs, most_bytes=size - 1)
    assert unpack(part.packed["index"])["pairs"] == [["nmt", "online A"]]
    assert "rules-2\n1" not in unpack(part.packed["set"])["columns"]
    assert set(part.packed) == {"index", "set", "0", "0.0"}
    assert part.notes == (
        "The segments of 1 of 2 pairs of systems are in this file: those of more pairs would take more than "
        f"{(size - 1) / 1e6:.3g} MB.",
    )
    _, none = gather(outputs, ["bleu"], pairs, most_bytes=100)
    assert none.packed == {}
    assert none.notes[0].startswith("The segments of 0 of 2 pairs")
    assert "Segments that favour nmt most" in segments_to_html(none)


def test_without_texts_nothing_of_them_is_in_the_file():
    outputs = make_hostile()
    _, segments = gather(outputs, ["bleu"], PAIRS, texts=False)
    everything = (
        json.dumps([unpack(block) for block in segments.packed.values()], ensure_ascii=False) + segments.extremes
    )
    texts = outputs[["source", "reference", "reference_2", "hypothesis"]].stack()
    assert texts.str.contains("barked").any()
    assert [word for word in ("barked", "nobody", "STRASSE", "كيف", "测试") if word in everything] == []
    assert segments.notes == (
        "This file has no texts of the test set: references and outputs were left out on request.",
    )
    pair = unpack(segments.packed["0.0"])
    assert pair["about"]["texts"] == []
    assert len(pair["contribution"]["ranks"]) == 48
    assert "segment" in segments.extremes


def test_no_text_ends_its_element():
    outputs = make_hostile()
    _, segments = gather(outputs, ["bleu"], PAIRS[:1])
    page = segments_to_html(segments) + write_scripts()
    assert page.count("</script>") == len(segments.packed) + 1
    assert "<script>document" not in page
    script = write_scripts()
    assert "export default" not in script
    assert script.count("<script") == script.count("</script") == script.count("<style") == 1


def test_half_a_character_can_be_packed():
    assert unpack(compress({"text": "a\ud83d"})) == {"text": "a\ud83d"}


def test_metrics_with_other_orders_are_refused():
    outputs = make_outputs(Case(20, documents=True))
    one, other = (mtw.compute_statistics(outputs, metric) for metric in ("bleu", "chrf"))
    with pytest.raises(mtw.InputError, match="different orders"):
        gather_segments(outputs, [one, other.take(np.arange(20)[::-1])], [("nmt", "online A")])


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_16_systems_of_3000_segments_take_less_than_6_mb():
    texts = find_shipped("data/flores").joinpath("reference.txt").read_text(encoding="utf-8").splitlines()
    words, draw = np.array(" ".join(texts).split(), dtype=object), np.random.default_rng(1)
    # Each text three times, with other words in it, and each system with words of its own.
    base = [" ".join(swap(text, words, draw, 0.3)) for _ in range(3) for text in texts][:3000]
    systems = {f"system {number}": [" ".join(swap(text, words, draw, 0.4)) for text in base] for number in range(16)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mtw.DataWarning)
        outputs = mtw.make_outputs(base, systems)
    _, segments = gather(outputs, ["bleu", "chrf"], [("system 0", f"system {number}") for number in range(1, 16)])
    assert segments.notes == ()
    assert sum(map(len, segments.packed.values())) < 6_000_000


def swap(text, words, draw, share):
    """Replace a share of the words of a text, one after another as a system rewrites them."""
    split = text.split()
    first = int(draw.integers(0, max(1, round((1 - share) * len(split)))))
    last = first + round(share * len(split))
    return [*split[:first], *words[draw.integers(len(words), size=last - first)], *split[last:]]
