"""Units of work in this process, and the folder that keeps them."""

import io
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import mtworkbench as mtw
from mtworkbench.errors import InputError
from mtworkbench.progress import show_progress
from mtworkbench.resampling import RandomKey
from mtworkbench.store import seal
from mtworkbench.work import Study, choose_seed, kept
from mtworkbench.work.kept import digest, digest_unit
from mtworkbench.work.units import name_part
from tests.work.units import assert_same, compute, computed_in, fail_to_be_a_unit, share

ROOT = Path(__file__).parent.parent.parent
PARTS = range(6)


@pytest.fixture
def traces(tmp_path):
    folder = tmp_path / "traces"
    folder.mkdir()
    return folder


def files_in(folder):
    return sorted(Path(folder).rglob("*.unit"))


def test_units_are_in_the_order_of_their_parts(traces):
    study = Study()
    found = study.run(compute, share(traces), [3, 1, 2])
    assert [unit["products"].tolist() for unit in found] == [
        [part * one for one in (0.1, 0.2, 0.3)] for part in (3, 1, 2)
    ]
    assert (study.n_found, study.n_computed) == (0, 3)
    assert study.run(compute, share(traces), []) == []


def test_what_is_kept_is_the_same_and_not_computed_again(tmp_path, traces):
    expected = Study().run(compute, share(traces), PARTS)
    (traces / "computed").unlink()
    study = Study(tmp_path / "study")
    assert_same(study.run(compute, share(traces), [4, 1]), [expected[4], expected[1]])
    assert_same(study.run(compute, share(traces), PARTS), expected)
    assert_same(Study(str(tmp_path / "study")).run(compute, share(traces), PARTS), expected)
    assert sorted(computed_in(traces)[0]) == [*PARTS]
    assert (study.n_found, study.n_computed) == (2, 6)


def test_another_part_or_other_data_or_another_version_is_another_unit(tmp_path, traces, monkeypatch):
    study = Study(tmp_path / "study")
    study.run(compute, share(traces), [1])
    study.run(compute, share(traces, numbers=np.array([0.1, 0.2, 0.4])), [1])
    study.run(compute, share(traces), [1.0])
    monkeypatch.setattr("mtworkbench.work.kept.digest_program", lambda: "another version")
    study.run(compute, share(traces), [1])
    assert (study.n_found, study.n_computed) == (0, 4)


def test_a_change_of_any_code_that_computes_is_another_program(tmp_path, monkeypatch):
    """A package with one module in each folder: those that show results or keep them do not count."""
    computing = ("compiled", "metrics", "statistics", "results", "inference", "analyses", "papers/clark2011")
    others = ("tables", "plots", "widgets", "cli", "work")
    modules = {folder: tmp_path / folder / "module.py" for folder in (*computing, *others)}
    for module in modules.values():
        module.parent.mkdir(parents=True)
        module.write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setattr(kept, "__file__", str(tmp_path / "work" / "kept.py"))
    found = [kept.digest_program.__wrapped__()]
    for module in modules.values():
        module.write_text("x = 2\n", encoding="utf-8")
        found.append(kept.digest_program.__wrapped__())
    changed = {folder: found[place] != found[place + 1] for place, folder in enumerate(modules)}
    assert changed == dict.fromkeys(computing, True) | dict.fromkeys(others, False)


@dataclass(frozen=True)
class Settings:
    level: float
    name: str = "x"
    note: str = field(default="", compare=False)
    made: dict = field(default_factory=dict, init=False)


DIFFERENT = [
    None, 0, 1, 1.0, True, -0.0, 0.0, float("nan"), "", "1", b"1", [], (), {}, [1], (1,), [[1], 2], [1, [2]],
    {"a": 1, "b": 2}, {"b": 2, "a": 1}, {1: "a"}, np.array(1), np.array([1]), np.array([[1]]), np.array([1.0]),
    np.array([1], dtype=np.int8), np.array([True]), np.array(["a", "b"]), np.array(["ab", ""]),
    np.array(["a", "b"], dtype=object), np.array([], dtype=np.int64), Settings(0.95), Settings(0.95, "y"),
    RandomKey(1), RandomKey(2), RandomKey(1, 1), "\ud800",
]  # fmt: skip


def test_different_values_have_different_digests():
    assert len({digest(one) for one in DIFFERENT}) == len(DIFFERENT)


def test_what_a_value_has_besides_its_content_does_not_count():
    settings = Settings(0.95, note="seen")
    settings.made["sum"] = 3
    assert digest(settings) == digest(Settings(0.95))
    array = np.arange(12.0).reshape(3, 4)
    assert digest(array.T) == digest(np.ascontiguousarray(array.T)) != digest(array)
    assert digest(np.array(["a"], dtype=object)) == digest(np.array(["a"], dtype=object))


def test_a_value_without_a_digest_is_refused(tmp_path):
    with pytest.raises(mtw.InputError, match=r"whether a object is the same .* make it a dataclass\.$") as found:
        Study(tmp_path).run(compute, object(), [1])
    assert found.value.code == "no-digest"


def test_statistics_have_the_same_digest_in_every_process(tmp_path):
    program = (
        "import mtworkbench as mtw\n"
        "from mtworkbench.work.kept import digest, digest_program, digest_unit\n"
        "from tests.work.units import compute\n"
        "outputs = mtw.make_outputs(['a b c d', 'b c'], {'x': [['a b c d', 'b']], 'y': [['a', 'b c']]},"
        " documents=['one', 'two'])\n"
        "statistics = mtw.compute_statistics(outputs, ['bleu', 'ter'])\n"
        "print(digest(statistics), digest(statistics[0]['x']), digest_unit(compute, statistics, [1]))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, check=True, cwd=tmp_path,
        ).stdout
        for hash_seed in ("1", "2")
    }  # fmt: skip
    outputs = mtw.make_outputs(
        ["a b c d", "b c"], {"x": [["a b c d", "b"]], "y": [["a", "b c"]]}, documents=["one", "two"]
    )
    statistics = mtw.compute_statistics(outputs, ["bleu", "ter"])
    here = f"{digest(statistics)} {digest(statistics[0]['x'])} {digest_unit(compute, statistics, [1])}\n"
    assert said == {here}
    changed = statistics[0].values["x"].copy()
    changed[0, 0, 0] += 1
    other = replace(statistics[0], values=statistics[0].values | {"x": changed})
    assert digest(other) != digest(statistics[0])


def spoil_bit(content):
    return content[:-9] + bytes([content[-9] ^ 1]) + content[-8:]


SPOILED = {
    "cut off": lambda content, key: content[:-1],
    "longer": lambda content, key: content + b"x",
    "a bit flipped": lambda content, key: spoil_bit(content),
    "empty": lambda content, key: b"",
    "of another program": lambda content, key: b"PK\x03\x04 something",
    "of another unit": lambda content, key: seal(b"mtworkbench unit 1\n", "0" * 64, content[51:]),
    "of another format": lambda content, key: seal(b"mtworkbench unit 0\n", key, content[51:]),
    "not arrays": lambda content, key: seal(b"mtworkbench unit 1\n", key, b"PK\x03\x04 something"),
    "a name alone": lambda content, key: seal(b"mtworkbench unit 1\n", key, content[51:211]),
}


@pytest.mark.parametrize("how", SPOILED)
def test_a_damaged_file_is_computed_again(tmp_path, traces, how):
    study = Study(tmp_path / "study")
    expected = study.run(compute, share(traces), PARTS)
    (traces / "computed").unlink()
    damaged = files_in(tmp_path / "study")[2:4]
    for file in damaged:
        file.write_bytes(SPOILED[how](file.read_bytes(), file.stem))
    with pytest.warns(mtw.DataWarning, match=r"^2 files in the folder of the study .* are damaged") as warned:
        assert_same(study.run(compute, share(traces), PARTS), expected)
    assert [(one.message.code, one.message.count) for one in warned] == [("damaged-unit", 2)]
    assert "are damaged, so their units are computed again. If" in str(warned[0].message)
    assert len(computed_in(traces)[0]) == 2
    assert_same(study.run(compute, share(traces), PARTS), expected)
    assert len(computed_in(traces)[0]) == 2


def test_one_damaged_file_is_told_as_one(tmp_path, traces):
    study = Study(tmp_path / "study")
    study.run(compute, share(traces), PARTS)
    files_in(tmp_path / "study")[0].write_bytes(b"")
    with pytest.warns(mtw.DataWarning) as warned:
        study.run(compute, share(traces), PARTS)
    [warning] = [one.message for one in warned]
    assert (warning.code, warning.count, warning.path) == ("damaged-unit", 1, str(tmp_path / "study"))
    assert str(warning) == (
        f"A file in the folder of the study {str(tmp_path / 'study')!r} is damaged, so its unit is computed again. If "
        "this happens repeatedly, check the disk."
    )


def test_a_pickle_in_a_unit_is_not_opened(tmp_path, traces):
    study = Study(tmp_path / "study")
    study.run(compute, share(traces), [1])
    [file] = files_in(tmp_path / "study")
    pickled = io.BytesIO()
    for array in (np.array("products"), np.array([Path("x")], dtype=object)):
        np.save(pickled, array)
    file.write_bytes(seal(b"mtworkbench unit 1\n", file.stem, pickled.getvalue()))
    with pytest.warns(mtw.DataWarning, match="is damaged"):
        study.run(compute, share(traces), [1])


def forge(folder):
    """Change a number in each unit, and the checksum with it."""
    for file in files_in(folder):
        content = file.read_bytes()[51:]
        file.write_bytes(seal(b"mtworkbench unit 1\n", file.stem, content[:-1] + bytes([content[-1] ^ 1])))


REMEDY = (
    "The results are right, but an interrupted study has to compute again what is not kept. Name another folder, or, "
    "if you trust its content, copy the folder of the study (cp -rL), run 'chmod -R go-w' on the copy and name the "
    "copy."
)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
@pytest.mark.parametrize("mode", ["775", "757"])
def test_a_folder_that_others_may_write_to_is_not_used_and_told_once(tmp_path, traces, mode):
    folder = tmp_path / "study"
    study = Study(folder)
    expected = study.run(compute, share(traces), PARTS)
    assert study.keep_seed() == study.keep_seed()
    forge(folder)
    (folder / "seed.txt").write_text("3\n")
    before = {path: path.read_bytes() for path in folder.rglob("*.*")}
    folder.chmod(int(mode, 8))
    with pytest.warns(mtw.DataWarning) as warned:
        assert_same(study.run(compute, share(traces), PARTS), expected)
        assert_same(study.run(compute, share(traces), PARTS), expected)
        assert 3 not in (study.keep_seed(), study.keep_seed())
    [warning] = warned
    assert (warning.message.code, warning.message.path) == ("not-own", str(folder))
    assert str(warning.message) == (
        f"The folder of the study {str(folder)!r} is not used, because other users may write to it (mode "
        f"{mode}). {REMEDY}"
    )
    assert {path: path.read_bytes() for path in folder.rglob("*.*")} == before


def test_a_folder_of_another_user_is_not_used(tmp_path, traces, give_away):
    study = Study(tmp_path / "study")
    expected = study.run(compute, share(traces), PARTS)
    forge(tmp_path / "study")
    number = give_away(tmp_path / "study")
    sentence = rf" because it belongs to another user \(number {number}\), who may have changed what is in it\. The "
    with pytest.warns(mtw.DataWarning, match=sentence):
        assert_same(study.run(compute, share(traces), PARTS), expected)


@pytest.fixture
def lock_out(tmp_path, monkeypatch, give_away):
    """Return a function that closes a folder to this user, as one of another user's; it returns the other's number."""
    own = os.geteuid()
    # From here, this user needs no right to any folder above.
    tmp_path.chmod(0o755)
    monkeypatch.chdir(tmp_path)

    def lock(folder):
        if own == 0:
            folder.chmod(0o700)
            os.seteuid(12345)
            return 0
        folder.chmod(0)
        return give_away(folder)

    yield lock
    if own == 0:
        os.seteuid(0)
    else:
        (tmp_path / "study").chmod(0o700)


def test_a_folder_of_another_user_that_may_not_be_read_is_told_once(traces, lock_out):
    folder, here = Path("study"), Path("traces")
    expected = Study(folder).run(compute, share(here), PARTS)
    Study(folder).keep_seed()
    here.chmod(0o777)
    (here / "computed").chmod(0o666)
    number = lock_out(folder)
    with pytest.warns(mtw.DataWarning) as warned:
        assert_same(Study(folder).run(compute, share(here), PARTS), expected)
        assert Study(folder).keep_seed() != Study(folder).keep_seed()
    assert [str(one.message) for one in warned] == [
        f"The folder of the study 'study' is not used, because it belongs to another user (number {number}), and you "
        f"may not read it. {REMEDY}"
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_links_in_the_folder_are_not_followed_and_told(tmp_path, traces):
    study, folder = Study(tmp_path / "study"), tmp_path / "study"
    expected = study.run(compute, share(traces), [1])
    [file] = files_in(folder)
    file.parent.rename(tmp_path / "elsewhere")
    file.parent.symlink_to(tmp_path / "elsewhere")
    with pytest.warns(mtw.DataWarning) as warned:
        assert_same(study.run(compute, share(traces), [1]), expected)
    assert [str(one.message) for one in warned] == [
        f"{file.parent.name!r} in the folder of the study {str(folder)!r} is not used, because it is a symbolic link. "
        f"{REMEDY}"
    ]
    (tmp_path / "seed").write_text("3\n")
    (folder / "seed.txt").symlink_to(tmp_path / "seed")
    with pytest.raises(mtw.InputError) as caught:
        study.keep_seed()
    assert str(caught.value) == (
        f"{str(folder / 'seed.txt')!r} cannot be used, because it is a symbolic link: replace it by a copy, or give a "
        "seed."
    )
    assert caught.value.path == str(folder / "seed.txt")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_part_of_the_folder_that_others_may_write_to_is_not_used(tmp_path, traces, what):
    study = Study(tmp_path / "study")
    expected = study.run(compute, share(traces), [1])
    forge(tmp_path / "study")
    [file] = files_in(tmp_path / "study")
    path = file if what == "file" else file.parent
    path.chmod(path.stat().st_mode | 0o020)
    part = str(path.relative_to(tmp_path / "study"))
    with pytest.warns(mtw.DataWarning) as warned:
        assert_same(study.run(compute, share(traces), [1]), expected)
    [warning] = warned
    assert str(warning.message).startswith(
        f"{part!r} in the folder of the study {str(tmp_path / 'study')!r} is not used"
    )
    assert_same(study.run(compute, share(traces), [1]), expected)
    assert study.n_found == (1 if what == "file" else 0)  # the file was made again


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_what_a_study_keeps_is_for_this_user_alone(tmp_path, traces):
    mask = os.umask(0o002)
    try:
        Study(tmp_path / "study").run(compute, share(traces), PARTS)
        Study(tmp_path / "study").keep_seed()
    finally:
        os.umask(mask)
    found = [tmp_path / "study", *(tmp_path / "study").rglob("*")]
    assert {(path.is_dir(), path.stat().st_mode & 0o777) for path in found} == {(True, 0o700), (False, 0o600)}


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pipe in the file system")
def test_what_is_not_a_file_is_not_waited_for(tmp_path, traces):
    study = Study(tmp_path / "study")
    study.run(compute, share(traces), [1])
    [file] = files_in(tmp_path / "study")
    file.unlink()
    os.mkfifo(file)
    with pytest.warns(mtw.DataWarning, match="is damaged"):
        study.run(compute, share(traces), [1])


def test_a_folder_that_cannot_be_written_costs_nothing_but_a_warning(tmp_path, traces):
    (tmp_path / "study").write_text("a file")
    with pytest.warns(mtw.DataWarning, match="^A finished unit cannot be kept .* the results are right") as warned:
        found = Study(tmp_path / "study").run(compute, share(traces), PARTS)
    assert_same(found, Study().run(compute, share(traces), PARTS))
    assert [(one.message.code, one.message.path) for one in warned] == [("study-not-written", str(tmp_path / "study"))]


def test_a_full_disk_costs_nothing_but_a_warning(tmp_path, traces, monkeypatch):
    def fill(path, content, **_):
        raise mtw.InputError("cannot-write", "full") from OSError(28, "No space left on device")

    monkeypatch.setattr("mtworkbench.store.replace_file", fill)
    with pytest.warns(mtw.DataWarning, match="No space left on device") as warned:
        found = Study(tmp_path / "study").run(compute, share(traces), PARTS)
    assert_same(found, Study().run(compute, share(traces), PARTS))
    assert len(warned) == 1


def test_a_part_is_named_by_60_characters_at_most():
    assert name_part(("mqm", 3)) == "('mqm', 3)"
    assert name_part("x" * 58) == f"'{'x' * 58}'"
    assert name_part("x" * 59) == f"'{'x' * 56}..."


def test_here_an_exception_arrives_as_it_is(traces):
    with pytest.raises(ZeroDivisionError):
        Study().run(compute, share(traces, fails=2), PARTS)
    with pytest.raises(TypeError, match="a unit's names is an array of object"):
        Study().run(fail_to_be_a_unit, None, [1])


def test_after_an_exception_finished_units_are_there(tmp_path, traces):
    with pytest.raises(mtw.InputError, match=r"^There are too few\.$"):
        Study(tmp_path / "study").run(compute, share(traces, wrong=3), PARTS)
    assert len(files_in(tmp_path / "study")) == 3


class Bar:
    """Counts what it hands on."""

    def __init__(self):
        self.counts = []

    def __call__(self, items):
        self.counts.append(0)
        for item in items:
            yield item
            self.counts[-1] += 1


def test_progress_counts_units_also_those_that_were_found(tmp_path, traces):
    own, given = Bar(), Bar()
    study = Study(tmp_path / "study", progress=own)
    study.run(compute, share(traces), [0, 1])
    study.run(compute, share(traces), PARTS)
    study.run(compute, share(traces), PARTS, progress=given)
    assert (own.counts, given.counts) == ([2, 6], [6])


def test_progress_is_made_with_each_unit_not_at_the_end(traces):
    seen = []

    def progress(steps):
        for step in steps:
            seen.append(len(computed_in(traces)[0]))
            yield step

    Study(progress=progress).run(compute, share(traces), [5, 3, 4])
    assert seen == [1, 2, 3]


def test_a_bar_of_tqdm_begins_with_what_was_found(tmp_path, traces):
    tqdm = pytest.importorskip("tqdm").tqdm
    shown = []

    class Seen(tqdm):
        def __init__(self, *items, **options):
            shown.append((options.get("initial"), options.get("total")))
            super().__init__(*items, **options, disable=True)

    study = Study(tmp_path / "study", progress=Seen)
    study.run(compute, share(traces), [0, 1])
    study.run(compute, share(traces), PARTS)
    assert shown == [(0, 2), (2, 6)]
    assert len(Study(tmp_path / "study", progress=show_progress("units")).run(compute, share(traces), PARTS)) == 6


@pytest.mark.parametrize(
    ("own", "about", "name"),
    [
        ("units", "BLEU", "units, BLEU"),
        (None, "BLEU", "BLEU"),
        ("units", None, "units"),
        ("units", "B\x1b[2JLEU", "units, B\\x1b[2JLEU"),
    ],
)
def test_a_bar_of_tqdm_says_what_it_is_about(traces, own, about, name):
    tqdm = pytest.importorskip("tqdm").tqdm
    shown = []

    class Seen(tqdm):
        def __init__(self, *items, **options):
            super().__init__(*items, **options, file=io.StringIO())
            shown.append(self.desc)

    bar = Seen if own is None else partial(Seen, desc=own)
    Study(progress=bar).run(compute, share(traces), [0, 1], about=about)
    assert shown == [name]
    Study().run(compute, share(traces), [0, 1], progress=bar, about=about)
    assert shown[1:] == [own or ""]  # who gives it for this work has named it


def test_a_seed_that_nobody_chose_is_kept(tmp_path):
    study = Study(tmp_path / "study")
    seed = choose_seed(None, study)
    assert choose_seed(None, Study(tmp_path / "study")) == seed < 2**53
    assert choose_seed(None, Study(tmp_path / "other")) != seed
    assert choose_seed(3, study) == 3
    assert choose_seed(None, None) is None
    assert choose_seed(None, Study()) != choose_seed(None, Study())
    with pytest.raises(InputError, match="^study is of type str, but a Study was expected, such as mtw.Study"):
        choose_seed(3, "folder")


@pytest.mark.parametrize(
    ("text", "said"),
    [("minus 3", "b'minus 3'"), ("", "b''"), ("3" * 41, f"b'{'3' * 20}'"), ("A" * 20 + "B" * 10, f"b'{'A' * 20}'")],
)
def test_what_is_no_seed_is_refused(tmp_path, text, said):
    study = Study(tmp_path / "study")
    study.keep_seed()
    path = tmp_path / "study" / "seed.txt"
    path.write_text(text)
    with pytest.raises(mtw.InputError) as caught:
        study.keep_seed()
    assert (caught.value.code, caught.value.path) == ("seed", str(path))
    assert str(caught.value) == (
        f"{str(path)!r} should have the seed of the study, a whole number, but it has {said}: remove this file, or "
        "give a seed."
    )
    path.write_text("3" * 39 + "\n")
    assert study.keep_seed() == int("3" * 39)


@pytest.mark.parametrize("workers", [0, -1, 1.5, "2", True, None])
def test_workers_are_a_number(workers):
    with pytest.raises(mtw.InputError, match=r"^workers is .*, but a whole number of at least 1 was expected\.$"):
        Study(workers=workers)


@pytest.mark.parametrize("scheduler", ["127.0.0.1:8786", "", 8786])
def test_a_scheduler_is_an_address(scheduler):
    with pytest.raises(mtw.InputError, match="but an address as Dask's scheduler prints it was expected"):
        Study(scheduler=scheduler)


def test_a_scheduler_has_workers_of_its_own():
    with pytest.raises(mtw.InputError, match=r"^Both a scheduler and 2 workers were asked for"):
        Study(workers=2, scheduler="tcp://127.0.0.1:8786")


def test_a_study_says_where_it_is():
    assert repr(Study("here", workers=2)) == "Study('here', workers=2)"
    assert repr(Study(scheduler="tcp://127.0.0.1:1")) == "Study(None, scheduler='tcp://127.0.0.1:1')"


PROGRAM = """
import signal
import sys
from mtworkbench.work import Study
from tests.work.units import compute, share, tell_of_the_first

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in a shell's background would ignore it
    traces, folder, workers, wrong, part = sys.argv[1:]
    shared = share(traces) | {wrong: int(part)}
    study = Study(folder, workers=int(workers))
    study.run(compute, shared, range(6), progress=tell_of_the_first(traces))
    print(study.n_found, study.n_computed)
"""


def run_program(tmp_path, traces, *arguments):
    """Run a study in a program of its own; it has ended when all its processes have: they have its standard output."""
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, tmp_path / "program.py", traces, tmp_path / "study", *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, start_new_session=True)


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_killed_study_goes_on(tmp_path, traces):
    killed = run_program(tmp_path, traces, 1, "kill_once", 4)
    assert killed.returncode == -signal.SIGKILL
    assert len(files_in(tmp_path / "study")) == 4
    again = run_program(tmp_path, traces, 1, "kill_once", 4)
    assert (again.returncode, again.stdout) == (0, "4 2\n")
    assert computed_in(traces)[0] == [0, 1, 2, 3, 4, 4, 5]  # the one in which it was killed
    shared = share(traces, kill_once=4)
    assert_same(Study(tmp_path / "study").run(compute, shared, PARTS), Study().run(compute, shared, PARTS))


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_killed_study_leaves_no_workers_behind(tmp_path, traces):
    pytest.importorskip("joblib")
    killed = run_program(tmp_path, traces, 2, "kill_parent", 3)
    assert killed.returncode == -signal.SIGKILL
    n_kept = len(files_in(tmp_path / "study"))
    again = run_program(tmp_path, traces, 2, "kill_parent", 3)
    assert (again.returncode, again.stdout) == (0, f"{n_kept} {6 - n_kept}\n")
    assert n_kept < 6


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_an_interrupted_study_stops_its_workers_and_keeps_what_is_finished(tmp_path, traces):
    pytest.importorskip("joblib")
    os.mkfifo(traces / "kept")
    interrupted = run_program(tmp_path, traces, 2, "interrupt_all", 5)
    assert interrupted.stderr.endswith("KeyboardInterrupt\n")
    # The interrupt may come while another error is handled, which Python then shows, too.
    handled = interrupted.stderr.count("During handling of the above exception")
    assert interrupted.stderr.count("Traceback") == 1 + handled
    n_kept = len(files_in(tmp_path / "study"))
    assert 0 < n_kept < 6
    again = run_program(tmp_path, traces, 2, "interrupt_all", 5)
    assert (again.returncode, again.stdout) == (0, f"{n_kept} {6 - n_kept}\n")


def test_two_programs_may_work_on_one_folder(tmp_path, traces):
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, tmp_path / "program.py", traces, tmp_path / "study", "1", "none", "0"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    programs = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [program.communicate()[0] for program in programs]
    assert [program.returncode for program in programs] == [0, 0]
    assert all(sum(map(int, one.split())) == 6 for one in said)
    shared = share(traces) | {"none": 0}
    study = Study(tmp_path / "study")
    assert_same(study.run(compute, shared, PARTS), Study().run(compute, shared, PARTS))
    assert study.n_found == 6
    assert not [*(tmp_path / "study").rglob("*.part")]
