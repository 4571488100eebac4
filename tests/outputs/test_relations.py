"""What was noticed of the very same texts before comes from the cache: the same notices, and of other texts others."""

import os

import pytest

from mtworkbench import cache
from mtworkbench.outputs.checks import relations
from mtworkbench.outputs.checks.segments import Corpus, Segments
from mtworkbench.outputs.text import make_outputs, read_outputs
from mtworkbench.statistics.segment_statistics import compute_statistics
from tests.bad_input.traits import CASES
from tests.outputs import test_traits

from .reading import noticing

REFERENCE, OUTPUT = test_traits.REFERENCE[:60], test_traits.OUTPUT[:60]


@pytest.fixture
def looks(tmp_path, monkeypatch):
    """Keep what is noticed, however quickly; return a list that grows whenever texts are looked at."""
    monkeypatch.setenv("MTWORKBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "SECONDS_WORTH_KEEPING", 0.0)
    monkeypatch.setattr(cache, "_said", set())
    monkeypatch.setattr(relations, "_MOST_SEEN", 0)
    relations._seen.clear()
    monkeypatch.chdir(tmp_path)
    looked, look = [], relations._look
    monkeypatch.setattr(relations, "_look", lambda *corpus: looked.append(corpus) or look(*corpus))
    return looked


def fields(noticed):
    return [(str(one), one.code, one.path, one.line, one.count) for one in noticed.values()]


def without_cache(read, *arguments, **options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MTWORKBENCH_CACHE", "off")
        return fields(noticing(read, *arguments, **options)[1])


def write(name, texts):
    with open(name, "w", encoding="utf-8") as file:
        file.writelines(f"{text}\n" for text in texts)


@pytest.mark.parametrize("code", CASES)
def test_each_kind_of_notice_comes_back_as_it_was(looks, monkeypatch, code):
    first = CASES[code]()
    assert code in first
    assert len(looks) == 1
    assert fields(CASES[code]()) == fields(first)
    assert len(looks) == 1
    monkeypatch.setenv("MTWORKBENCH_CACHE", "off")
    assert fields(CASES[code]()) == fields(first)


def files():
    """Write files of which much is noticed."""
    write("ref.txt", REFERENCE)
    write("a.txt", OUTPUT[::-1])
    write("b.txt", [f"{text} &quot; @@ x" for text in OUTPUT])
    write("c.txt", OUTPUT[::-1])
    write("d.txt", REFERENCE)
    return ["ref.txt", {"a": "a.txt", "b": "b.txt", "c": "c.txt", "d": "d.txt"}], {}


def rename(given):
    os.rename("a.txt", "e.txt")
    return [given[0], given[1] | {"a": "e.txt"}], {}


def change_a_byte(given):
    write("a.txt", [*OUTPUT[:0:-1], OUTPUT[0] + "."])
    return given, {}


def move_a_line_end(given):
    first, second, *rest = OUTPUT[::-1]
    write("a.txt", [first + second[0], second[1:], *rest])
    return given, {}


CHANGES = {
    "renamed file": rename,
    "renamed system": lambda given: ([given[0], {name + name: file for name, file in given[1].items()}], {}),
    "other order": lambda given: ([given[0], dict(reversed(given[1].items()))], {}),
    "runs of one system": lambda given: ([given[0], {"a": ["a.txt", "c.txt"], "b": "b.txt", "d": "d.txt"}], {}),
    "fewer systems": lambda given: ([given[0], {"b": "b.txt"}], {}),
    "a byte": change_a_byte,
    "a line end": move_a_line_end,
    "reference": lambda given: (["b.txt", given[1]], {}),
    "second reference": lambda given: ([["ref.txt", "b.txt"], given[1]], {}),
    "reference as an output": lambda given: ([given[0], given[1] | {"d": "ref.txt"}], {}),
    "source": lambda given: (given, {"source": "c.txt"}),
    "normalized": lambda given: (given, {"accept": ["nfc"]}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_of_anything_else_the_texts_are_looked_at(looks, change):
    given, options = files()
    first = fields(noticing(read_outputs, *given, **options)[1])
    assert {"suspected-order", "identical-systems", "hyp-is-ref", "html-entities"} <= {code for _, code, *_ in first}
    given, options = CHANGES[change](given)
    expected = without_cache(read_outputs, *given, **options)
    looks.clear()
    for _ in range(2):
        assert fields(noticing(read_outputs, *given, **options)[1]) == expected
    assert len(looks) == (0 if change in ("normalized", "renamed file") else 1)  # what files are called is said later
    if change not in ("normalized", "renamed system"):  # files are named, not systems
        assert first != expected


def test_one_file_given_twice_is_not_two_files_of_one_name():
    """The texts of both are the same, but what is noticed of the first is noticed once."""
    texts = Segments(["\u2581a"], "x")
    twin = Segments(["\u2581a"], "x")
    corpora = [Corpus([texts], {"a": [run]}, source) for run, source in ((texts, None), (twin, None), (twin, texts))]
    assert len({relations._describe(one) for one in corpora}) == 3


def test_what_texts_are_is_told_apart():
    one, other = Segments(["a"], "x"), Segments(["a"], "y")
    given = [([one], other), ([one, other], one), ([one], one), ([one, other], other)]
    corpora = [Corpus(references, {"a": [run]}) for references, run in given]
    assert len({relations._describe(corpus) for corpus in corpora}) == len(given)


def test_of_many_texts_all_are_looked_at():
    texts = ["a"] * 2_500
    digests = {Segments([*texts[:i], "b", *texts[i + 1 :]], "x").digest for i in (0, 999, 1_000, 2_499)}
    assert len(digests) == 4


def test_lines_and_absent_texts_are_told_apart():
    described = {
        relations._describe(Corpus([Segments(texts, "x")], {})) for texts in (["a", ""], ["a", None], ["", "a"], ["a"])
    }
    assert len(described) == 4


def test_texts_that_were_looked_at_are_looked_at_once_without_a_cache(monkeypatch):
    """Statistics are computed of a frame that was just read; a changed text is another."""
    looked, look = [], relations._look
    monkeypatch.setenv("MTWORKBENCH_CACHE", "off")
    monkeypatch.setattr(relations, "_look", lambda *corpus: looked.append(corpus) or look(*corpus))
    relations._seen.clear()
    outputs = noticing(make_outputs, REFERENCE, {"it": OUTPUT})[0]
    compute_statistics(outputs, "length")
    assert len(looked) == 1
    outputs.loc[0, "hypothesis"] = "else"
    compute_statistics(outputs, "length")
    assert len(looked) == 2


def test_other_code_looks_again(looks, monkeypatch):
    make_outputs(REFERENCE, {"it": OUTPUT})
    monkeypatch.setattr(relations, "_CODE", "another")
    make_outputs(REFERENCE, {"it": OUTPUT})
    assert len(looks) == 2


def test_damaged_notices_are_told_and_looked_for_again(looks, tmp_path):
    given, options = files()
    expected = fields(noticing(read_outputs, *given, **options)[1])
    [name] = os.listdir(tmp_path / "cache")
    content = (tmp_path / "cache" / name).read_bytes()
    (tmp_path / "cache" / name).write_bytes(content.replace(b"html", b"HTML"))
    found = noticing(read_outputs, *given, **options)[1]
    damaged = found.pop("damaged-cache")
    folder = str(tmp_path / "cache")
    assert str(damaged).startswith(f"A file of check results in the cache folder {folder!r} was damaged and removed")
    assert (damaged.path, damaged.count) == (folder, 1)
    assert fields(found) == expected
    assert (tmp_path / "cache" / name).read_bytes() == content


def test_a_folder_that_cannot_be_made_is_told(looks, tmp_path):
    given, options = files()
    expected = without_cache(read_outputs, *given, **options)
    write(tmp_path / "cache", ["a file where the folder would be"])
    told = noticing(read_outputs, *given, **options)[1].pop("cache-not-written")
    assert str(told).startswith(
        f"Results could not be saved in the cache folder {str(tmp_path / 'cache')!r} (it is not a folder), "
    )
    assert fields(noticing(read_outputs, *given, **options)[1]) == expected  # it is told once
