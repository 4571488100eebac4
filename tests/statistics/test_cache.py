"""Statistics that were kept are those that would be computed, whatever happened to the files meanwhile."""

import os
import pickle
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtworkbench import cache, make_outputs, store, writing
from mtworkbench.cache import find_folder, open_store
from mtworkbench.cli import main
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics import (
    METRICS,
    Bleu,
    ChrF,
    Gtm,
    MeanScore,
    cautions,
    make_metric,
    meteor_setup,
)
from mtworkbench.outputs.checks import relations
from mtworkbench.statistics import cache as keeping
from mtworkbench.statistics.contents import read_array, write_array
from mtworkbench.statistics.segment_statistics import compute_statistics

REFERENCES = ["the cat sat on the mat", "a dog barks loudly at night", "rain"]
SYSTEMS = {"one": ["the cat on a mat", "a dog barks at night", "rain"], "two": ["cats sit", "dog dog", "it"]}
KEY = "0123456789abcdef" * 4


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Keep the statistics in a folder that is not there yet, however quickly they are computed."""
    monkeypatch.setenv("MTWORKBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "SECONDS_WORTH_KEEPING", 0.0)
    monkeypatch.setattr(cache, "_said", set())
    return tmp_path / "cache"


@pytest.fixture
def computed(monkeypatch):
    """Return a list that grows by the name of the metric whenever statistics are computed."""
    names = []

    def watch(metric_class):
        compute = metric_class.segment_statistics

        def segment_statistics(self, outputs):
            names.append(self.name)
            return compute(self, outputs)

        monkeypatch.setattr(metric_class, "segment_statistics", segment_statistics)

    for metric_class in METRICS.values():
        watch(metric_class)
    return names


def outputs_of(systems=SYSTEMS, references=REFERENCES):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MTWORKBENCH_CACHE", "off")  # what the checks notice is kept as well, but not looked at here
        return make_outputs(references, systems)


def kept(folder):
    return sorted(os.listdir(folder)) if folder.exists() else []


@pytest.mark.parametrize("metric", ["bleu", "bleu:lowercase=yes", "chrf:word_order=2", "ter", "nist", "gtm", "length"])
def test_what_was_kept_is_not_computed_again(folder, computed, metric):
    first = compute_statistics(outputs_of(), metric)
    assert len(computed) == len(kept(folder)) == 2
    again = compute_statistics(outputs_of(), metric)
    assert len(computed) == 2
    assert again == first
    assert [again[system].values.dtype for system in again] == [first[system].values.dtype for system in first]


def test_long_segments_are_announced_where_they_are_computed_alone(folder, monkeypatch):
    monkeypatch.setitem(cautions.LONG, Gtm, 3)
    with pytest.warns(DataWarning, match="GTM-1 may take minutes"):
        compute_statistics(outputs_of(), "gtm")
    compute_statistics(outputs_of(), "gtm")  # a warning would be an error
    with pytest.warns(DataWarning, match=r"^system 'three', run 1, .* GTM-1 may take minutes"):
        compute_statistics(outputs_of(SYSTEMS | {"three": REFERENCES[::-1]}), "gtm")
    compute_statistics(outputs_of(SYSTEMS | {"four": ["it", "it", "it"]}), "gtm")  # what is long is known


def test_all_metrics_share_what_is_known_of_the_test_set():
    bleu, chrf = compute_statistics(outputs_of(), ["bleu", "chrf"])
    assert bleu.test_set is chrf.test_set


def test_a_new_system_is_computed_alone(folder, computed):
    compute_statistics(outputs_of(), "bleu")
    statistics = compute_statistics(outputs_of({"three": SYSTEMS["one"], "two": ["dogs", "a", "b"]}), "bleu")
    assert len(computed) == len(kept(folder)) == 3
    assert np.array_equal(statistics["three"].values, compute_statistics(outputs_of(), "bleu")["one"].values)


OTHERS = {
    "hypothesis": (outputs_of({"one": ["the cat on a mat.", *SYSTEMS["one"][1:]]}), Bleu()),
    "order": (outputs_of({"one": SYSTEMS["one"][::-1]}), Bleu()),
    "blank": (outputs_of({"one": ["the cat on a mat", "a dog barks at night ", "rain"]}), Bleu()),
    "text moved": (outputs_of({"one": ["the cat on a mata", " dog barks at night", "rain"]}), Bleu()),
    "reference": (outputs_of(references=[*REFERENCES[:2], "Rain"]), Bleu()),
    "second reference": (outputs_of(references=[REFERENCES, REFERENCES]), Bleu()),
    "absent reference": (outputs_of(references=[REFERENCES, ["x", None, "z"]]), Bleu()),
    "metric": (outputs_of(), ChrF()),
    "option": (outputs_of(), Bleu(lowercase=True)),
    "option that the signature leaves out": (outputs_of(), Bleu(max_ngram_order=2)),
}


@pytest.mark.parametrize("what", OTHERS)
def test_of_anything_else_the_statistics_are_computed(folder, computed, monkeypatch, what):
    compute_statistics(outputs_of(), Bleu())
    outputs, metric = OTHERS[what]
    with_cache = compute_statistics(outputs, metric)
    assert len(computed) > 2
    monkeypatch.setenv("MTWORKBENCH_CACHE", "off")
    assert compute_statistics(outputs, metric) == with_cache


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (keeping, "__version__", "99"),
        (keeping, "_CODE", "another"),
        (keeping.np, "__version__", "99"),
    ]
    + [(keeping, "_version_of", lambda package: "99"), (keeping.sys, "version", "99")],
)
def test_another_version_computes_again(folder, computed, monkeypatch, module, name, value):
    compute_statistics(outputs_of(), "bleu")
    monkeypatch.setattr(module, name, value)
    compute_statistics(outputs_of(), "bleu")
    assert len(computed) == len(kept(folder)) == 4


def damage(content, other):
    head = len(cache.FORM)
    return {
        "empty": b"",
        "cut off": content[:-1],
        "longer": content + b"\0",
        "much longer": content * 100,
        "a bit": content[:-1] + bytes([content[-1] ^ 1]),
        "an older format": content[: head - 2] + b"0\n" + content[head:],
        "statistics of another run": other,
        "a pickle": pickle.dumps(np.ones((3, 10))),
        "zeros": bytes(len(content)),
    }


@pytest.mark.parametrize("what", damage(b"x" * 200, b""))
def test_a_damaged_file_is_told_once_and_replaced(folder, what):
    expected = compute_statistics(outputs_of(), "bleu")
    files = [folder / name for name in kept(folder)]
    contents = [file.read_bytes() for file in files]
    files[0].write_bytes(damage(*contents)[what])
    with pytest.warns(DataWarning) as caught:
        assert compute_statistics(outputs_of(), "bleu") == expected
    [warning] = caught
    assert warning.filename == __file__
    assert (warning.message.code, warning.message.count) == ("damaged-cache", 1)
    assert str(warning.message) == (
        f"A file of BLEU statistics in the cache folder {str(folder)!r} was damaged and removed, and the work was "
        "done again. If this happens repeatedly, check the disk."
    )
    assert [file.read_bytes() for file in files] == contents
    assert compute_statistics(outputs_of(), "bleu") == expected


def test_a_damaged_file_is_removed_where_no_other_replaces_it(folder, monkeypatch):
    compute_statistics(outputs_of(), "bleu")
    first, second = kept(folder)
    (folder / first).write_bytes(b"")
    monkeypatch.setattr(cache, "SECONDS_WORTH_KEEPING", float("inf"))
    with pytest.warns(DataWarning, match="was damaged and removed"):
        compute_statistics(outputs_of(), "bleu")
    assert kept(folder) == [second]


def test_several_damaged_files_are_one_warning(folder):
    compute_statistics(outputs_of(), "bleu")
    for name in kept(folder):
        (folder / name).write_bytes(b"")
    with pytest.warns(DataWarning, match=r"^2 files of BLEU statistics .* were damaged") as caught:
        compute_statistics(outputs_of(), "bleu")
    assert len(caught) == 1


def test_damaged_files_that_cannot_be_removed_are_told_once(folder, monkeypatch):
    expected = compute_statistics(outputs_of(), "bleu")
    for name in kept(folder):
        (folder / name).write_bytes(b"")

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(cache.Path, "unlink", refuse)
    monkeypatch.setattr(store, "replace_file", refuse)
    with pytest.warns(DataWarning) as caught:
        assert compute_statistics(outputs_of(), "bleu") == expected
        assert compute_statistics(outputs_of(), "bleu") == expected
    [warning] = caught
    assert (warning.message.code, warning.message.count) == ("damaged-cache", 2)
    assert str(warning.message) == (
        f"2 files of BLEU statistics are damaged in the cache folder {str(folder)!r} and could not be removed "
        "(Permission denied), so the work was done again: remove the folder, or set MTWORKBENCH_CACHE to another one "
        "or to 'off'."
    )


def test_a_file_that_another_program_holds_is_as_good(folder, monkeypatch):
    """Windows does not replace a file that is being read."""

    def lose(path, content, **options):
        writing.replace_file(path, content, **options)
        raise PermissionError(13, "Access is denied")

    monkeypatch.setattr(store, "replace_file", lose)
    compute_statistics(outputs_of(), "bleu")  # a warning would be an error
    assert len(kept(folder)) == 2


def test_hidden_files_are_no_code(tmp_path):
    (tmp_path / "order.py").write_text("a = 1")
    digest = cache.digest_code(tmp_path)
    (tmp_path / ".#order.py").symlink_to("me@host.1:2")
    assert cache.digest_code(tmp_path) == digest
    (tmp_path / "other.py").symlink_to("nowhere")
    assert cache.digest_code(tmp_path) is None


def test_nothing_is_kept_where_the_code_cannot_be_read(folder, computed, monkeypatch):
    monkeypatch.setattr(keeping, "_CODE", None)
    monkeypatch.setattr(relations, "_CODE", None)
    for _ in range(2):
        compute_statistics(make_outputs(REFERENCES, SYSTEMS), "bleu")
    assert len(computed) == 4
    assert kept(folder) == []


@given(
    st.sampled_from([np.int64, np.float64]),
    st.lists(st.integers(-(2**62), 2**62) | st.integers(-200, 200), min_size=1, max_size=6),
    st.integers(1, 3),
)
def test_numbers_come_back_as_they_were(tmp_path_factory, kind, row, n_segments):
    values = np.array([row] * n_segments).astype(kind)
    files, name = open_store(tmp_path_factory.mktemp("cache")), f"{KEY}.cached"
    files.keep(KEY, write_array(values), name)
    found = read_array(files.find(KEY, name), values.shape)
    assert found.dtype == values.dtype
    assert np.array_equal(found, values)
    with pytest.raises(ValueError):
        files.find(KEY[::-1], name)
    for shape in ((n_segments + 1, len(row)), (1, 0)):
        with pytest.raises(ValueError):
            read_array(files.find(KEY, name), shape)


@pytest.fixture
def forged(folder):
    """The statistics, after somebody has changed a number in each file of the cache, and the checksum with it."""
    told = compute_statistics(outputs_of(), "bleu")
    for name in kept(folder):
        key = name.removesuffix(".cached")
        values = read_array(open_store(folder).find(key, name), told["one"].values[0].shape)
        values[0, 0] += 1
        (folder / name).write_bytes(store.seal(cache.FORM, key, write_array(values)))
    return told


def found_after(folder, forged, subject, reason):
    """Compute again, twice; return what was computed, after a look at the one warning."""
    with pytest.warns(DataWarning) as caught:
        again = [compute_statistics(outputs_of(), "bleu") for _ in range(2)]
    assert again == [forged, forged]
    [warning] = caught
    assert warning.filename == __file__
    assert (warning.message.code, warning.message.path) == ("not-own", str(folder))
    assert str(warning.message) == (
        f"{subject} is not used, because {reason}. Remove it, so that it is made again for you alone, or set "
        "MTWORKBENCH_CACHE to a folder of yours that nobody else may write to, or to 'off'."
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
@pytest.mark.parametrize("mode", ["775", "702", "1777"])
def test_a_folder_that_others_may_write_to_is_not_used_and_told_once(folder, forged, computed, mode):
    before = {name: (folder / name).read_bytes() for name in kept(folder)}
    folder.chmod(int(mode, 8))
    reason = f"other users may write to it (mode {mode})"
    found_after(folder, forged, f"The cache folder {str(folder)!r}", reason)
    assert len(computed) == 4
    assert {name: (folder / name).read_bytes() for name in kept(folder)} == before


def test_a_folder_of_another_user_is_not_used(folder, forged, computed, give_away):
    number = give_away(folder)
    reason = f"it belongs to another user (number {number}), who may have changed what is in it"
    found_after(folder, forged, f"The cache folder {str(folder)!r}", reason)
    assert len(computed) == 4


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_a_link_in_the_folder_is_not_followed_and_one_to_it_is(tmp_path, folder, forged, computed, monkeypatch):
    for name in kept(folder):
        (folder / name).rename(tmp_path / name)
        (folder / name).symlink_to(tmp_path / name)
    assert compute_statistics(outputs_of(), "bleu") == forged
    assert len(computed) == 2
    assert not any((folder / name).is_symlink() for name in kept(folder))
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.setenv("MTWORKBENCH_CACHE", str(tmp_path / "link"))
    assert compute_statistics(outputs_of(), "bleu") == forged
    assert len(computed) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_a_file_that_others_may_write_to_is_made_again(folder, forged, computed):
    for name in kept(folder):
        (folder / name).chmod(0o620)
    reason = "other users may write to it (mode 620)"
    first = min(kept(folder))
    with pytest.warns(DataWarning, match="^'[0-9a-f]{64}.cached' in the cache folder ") as caught:
        assert [compute_statistics(outputs_of(), "bleu") for _ in range(2)] == [forged, forged]
    assert [reason in str(one.message) for one in caught] == [True]
    assert len(computed) == 2
    assert (folder / first).stat().st_mode & 0o777 == 0o600


def test_where_there_are_no_numbers_of_users_nothing_is_checked(folder, computed, monkeypatch):
    """As on Windows."""
    monkeypatch.delattr(os, "geteuid")
    compute_statistics(outputs_of(), "bleu")
    folder.chmod(0o777)
    compute_statistics(outputs_of(), "bleu")
    assert len(computed) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_what_is_kept_is_for_this_user_alone(tmp_path, folder, monkeypatch):
    monkeypatch.setenv("MTWORKBENCH_CACHE", str(folder / "a" / "b"))
    mask = os.umask(0o002)
    try:
        compute_statistics(outputs_of(), "bleu")
    finally:
        os.umask(mask)
    folders = [folder, folder / "a", folder / "a" / "b"]
    assert [path.stat().st_mode & 0o777 for path in folders] == [0o700] * 3
    assert [path.stat().st_mode & 0o777 for path in folders[-1].iterdir()] == [0o600] * 2


def test_a_folder_that_others_may_only_read_is_used(folder, computed):
    compute_statistics(outputs_of(), "bleu")
    folder.chmod(0o755)
    for name in kept(folder):
        (folder / name).chmod(0o644)
    compute_statistics(outputs_of(), "bleu")
    assert len(computed) == 2


def test_what_is_no_file_is_passed_by(folder, computed):
    compute_statistics(outputs_of(), "bleu")
    pipe, directory = (folder / name for name in kept(folder))
    pipe.unlink()
    os.mkfifo(pipe)
    directory.unlink()
    directory.mkdir()
    compute_statistics(outputs_of(), "bleu")
    assert len(computed) == 4
    assert directory.is_dir()


def nothing_is_kept(folder, because):
    """Compute twice, and return what was computed; it must be said once, however often files cannot be written."""
    with pytest.warns(DataWarning) as caught:
        first = compute_statistics(outputs_of(), ["bleu", "chrf"])
        assert compute_statistics(outputs_of(), ["bleu", "chrf"]) == first
    [warning] = caught
    assert warning.filename == __file__
    assert (warning.message.code, warning.message.path) == ("cache-not-written", str(folder))
    assert str(warning.message) == (
        f"Results could not be saved in the cache folder {str(folder)!r} ({because}), so the same work will take as "
        "long next time: set MTWORKBENCH_CACHE to a folder that you may write to, or to 'off'."
    )


def test_a_folder_that_cannot_be_made_keeps_nothing(tmp_path, folder, computed):
    folder.write_text("a file where the folder would be")
    nothing_is_kept(folder, "it is not a folder")
    assert len(computed) == 8
    assert os.listdir(tmp_path) == ["cache"]


@pytest.mark.parametrize("fails", ["replace", "scandir"])
def test_a_folder_that_cannot_be_written_to_keeps_nothing(folder, computed, monkeypatch, fails):
    folder.mkdir()

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(cache, "_room", {})
    monkeypatch.setattr(cache.os, fails, refuse)
    nothing_is_kept(folder, "Permission denied")
    assert len(computed) == 8


def test_a_full_disk_keeps_nothing(folder, computed, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, "fsync", full)
    nothing_is_kept(folder, "No space left on device")
    assert len(computed) == 8
    assert kept(folder) == []


def test_the_terminal_says_that_nothing_is_kept_and_gives_the_whole_result(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command = write_files(tmp_path)
    assert main(command) == 0
    told = capsys.readouterr()
    for name in kept(folder):
        (folder / name).unlink()
    folder.rmdir()
    folder.write_text("a file where the folder would be")
    assert main(command) == 0
    found = capsys.readouterr()
    warning, rest = found.err.split("\n", maxsplit=1)
    assert warning.startswith("mtworkbench: warning: Results could not be saved in the cache folder ")
    assert (found.out, rest) == told


def test_a_folder_that_may_only_be_read_is_still_read(folder, computed, monkeypatch):
    compute_statistics(outputs_of(), "bleu")

    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(cache.os, "utime", refuse)
    compute_statistics(outputs_of(), "bleu")
    assert len(computed) == 2


def test_nothing_is_kept_where_it_is_off(tmp_path, folder, computed, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where a folder of that name would be made
    compute_statistics(outputs_of(), "bleu")
    monkeypatch.setenv("MTWORKBENCH_CACHE", "OFF")
    compute_statistics(outputs_of(), "bleu")
    compute_statistics(outputs_of(), "chrf")
    assert len(computed) == 6
    assert len(kept(folder)) == 2
    assert os.listdir(tmp_path) == ["cache"]


def test_the_folder_is_in_the_cache_of_the_user(monkeypatch, tmp_path):
    monkeypatch.delenv("MTWORKBENCH_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert find_folder() == tmp_path / "mtworkbench" / "statistics"
    monkeypatch.setenv("MTWORKBENCH_CACHE", "")
    assert find_folder() == tmp_path / "mtworkbench" / "statistics"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MTWORKBENCH_CACHE", "~/kept")
    assert find_folder() == tmp_path / "kept"


def test_a_relative_folder_of_the_desktop_is_ignored(monkeypatch, tmp_path):
    monkeypatch.delenv("MTWORKBENCH_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(store.sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert find_folder() == tmp_path / ".cache" / "mtworkbench" / "statistics"


def test_the_home_of_nobody_is_told(folder, computed, monkeypatch):
    monkeypatch.setenv("MTWORKBENCH_CACHE", "~nosuch/x")
    with pytest.warns(DataWarning) as caught:
        compute_statistics(outputs_of(), ["bleu", "chrf"])
        compute_statistics(outputs_of(), "bleu")
    [warning] = caught
    assert (warning.message.code, warning.message.path) == ("cache-not-written", "~nosuch/x")
    assert str(warning.message).startswith(
        "Results could not be saved in the cache folder '~nosuch/x' (the home folder that it begins "
        "with is unknown), so "
    )
    assert len(computed) == 6


def test_without_a_home_nothing_is_kept(monkeypatch, computed):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(cache, "user_cache_folder", homeless)
    monkeypatch.setenv("MTWORKBENCH_CACHE", "")
    compute_statistics(outputs_of(), "bleu")
    assert find_folder() is None


def test_what_is_computed_sooner_than_read_is_not_kept(folder, monkeypatch):
    monkeypatch.setattr(cache, "SECONDS_WORTH_KEEPING", float("inf"))
    compute_statistics(outputs_of(), "bleu")
    assert kept(folder) == []


def test_what_follows_something_slow_is_kept_however_soon_it_is_computed(folder, monkeypatch):
    monkeypatch.setattr(cache, "SECONDS_WORTH_KEEPING", 0.0)
    one = cache.Cache("numbers")
    assert one.make(b"first", lambda: b"1", bytes) == b"1"
    monkeypatch.setattr(cache, "SECONDS_WORTH_KEEPING", float("inf"))
    one.make(b"second", lambda: b"2", bytes)
    cache.Cache("numbers").make(b"third", lambda: b"3", bytes)
    assert len(kept(folder)) == 2


@dataclass(frozen=True)
class OwnBleu(Bleu):
    """Somebody's own metric, whose code may change."""


def test_statistics_of_own_metrics_and_of_scores_are_not_kept(folder):
    outputs = outputs_of()
    outputs["comet"] = np.arange(6.0)
    for metric in (OwnBleu(), MeanScore("comet", higher_is_better=True)):
        compute_statistics(outputs, metric)
    assert kept(folder) == []


def test_files_hold_no_text(folder):
    compute_statistics(outputs_of(), "chrf")
    content = b"".join((folder / name).read_bytes() for name in kept(folder))
    assert not any(word.encode() in content for text in REFERENCES for word in text.split() if len(word) > 2)


def write_number(folder, number):
    key = f"{number:064x}"
    open_store(folder).keep(key, bytes(1000), f"{key}.cached")
    os.utime(folder / f"{key}.cached", (number, number))


def test_those_not_used_for_longest_are_removed(folder, monkeypatch):
    folder.mkdir()
    for number in range(1, 21):
        write_number(folder, number)
    one = os.path.getsize(folder / f"{1:064x}.cached")
    being_written = f".{KEY[:50]}.0123456789abcdef.part"
    foreign = {"notes.txt", f"{KEY}.stats"}
    for name in foreign | {f".{KEY[1:51]}.0123456789abcdef.part"}:  # the last is of a program that was killed
        (folder / name).write_bytes(bytes(one))
        os.utime(folder / name, (0, 0))
    (folder / being_written).write_bytes(b"")
    monkeypatch.setattr(cache, "LIMIT", 16 * one)
    monkeypatch.setattr(cache, "_room", {})
    os.utime(folder / f"{1:064x}.cached", (30, 30))
    write_number(folder, 40)
    assert set(kept(folder)) == {
        *foreign,
        being_written,
        *(f"{number:064x}.cached" for number in (1, *range(7, 21), 40)),
    }
    write_number(folder, 41)
    assert len(kept(folder)) == 16 + 3


def test_using_statistics_makes_them_young(folder):
    compute_statistics(outputs_of(), "bleu")
    for name in kept(folder):
        os.utime(folder / name, (0, 0))
    compute_statistics(outputs_of({"two": SYSTEMS["two"]}), "bleu")
    assert sorted(os.path.getmtime(folder / name) > 0 for name in kept(folder)) == [False, True]


def test_what_would_fill_the_cache_is_not_kept(folder, monkeypatch):
    monkeypatch.setattr(cache, "LIMIT", 16_000)
    open_store(folder).keep(KEY, bytes(1000), f"{KEY}.cached")
    assert kept(folder) == []


def write_files(folder):
    for name, texts in {"ref": REFERENCES, "base": SYSTEMS["one"], "new": SYSTEMS["two"]}.items():
        (folder / f"{name}.txt").write_text("".join(f"{text}\n" for text in texts))
    return ["compare", "ref.txt", "base.txt", "new.txt", "-m", "bleu", "chrf", "--rng", "1", "--trials", "100"]


def test_the_terminal_computes_once(folder, computed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command = write_files(tmp_path)
    assert main(command) == 0
    told = capsys.readouterr()
    assert main(command) == 0
    assert capsys.readouterr() == told
    assert computed == ["BLEU", "BLEU", "chrF", "chrF"]


def test_a_tokenizer_that_is_missing_is_told_as_without_a_cache(folder, monkeypatch):
    def missing(*_):
        raise InputError("tokenizer", "The tokenizer cannot be used here.")

    monkeypatch.setattr(Bleu, "signature", property(missing))
    monkeypatch.setattr(Bleu, "segment_statistics", missing)
    with pytest.raises(InputError, match=r"^The tokenizer cannot be used here\.$"):
        compute_statistics(outputs_of(), "bleu")


def test_meteor_is_kept_with_its_own_files_alone(tmp_path, monkeypatch):
    meteor = make_metric("meteor")
    monkeypatch.setenv("MTW_METEOR_JAR", str(tmp_path / "meteor-1.5.jar"))
    assert keeping.name_versions(meteor) is None
    (tmp_path / "meteor-1.5.jar").write_bytes(b"a jar")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "paraphrase-en.gz").write_bytes(b"a table")
    assert keeping.name_versions(meteor) is None  # a jar of the user's own
    monkeypatch.setattr(meteor_setup, "JAR_SHA256", meteor_setup.file_sha256(tmp_path / "meteor-1.5.jar"))
    before = keeping.name_versions(meteor)
    assert before is not None
    assert len(before) == len(keeping.name_versions(Bleu())) + 2
    (tmp_path / "data" / "paraphrase-en.gz").write_bytes(b"another table")
    assert keeping.name_versions(meteor) != before
    (tmp_path / "data" / "paraphrase-en.gz").unlink()
    assert keeping.name_versions(meteor) is None
    assert keeping.name_versions(make_metric("meteor:modules=exact")) is not None
