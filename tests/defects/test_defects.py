"""The patches of this folder still apply and name tests that exist; the program that seeds them tells caught from not.

Whether the tests catch them is asked by `make defects`.
"""

import ast
from functools import cache

import pytest

from .run import COPIED, FOLDER, ROOT, PatchError, check_all, read_defect, read_defects, seed

PATCHES = sorted(FOLDER.glob("*.patch"))


@pytest.mark.parametrize("last", "0123456789")
def test_patches_apply_and_name_tests_that_exist(last):
    """Those whose number ends so."""
    found = {path.name: list(find_faults(path)) for path in PATCHES if path.name.partition("_")[0].endswith(last)}
    assert found and {name: faults for name, faults in found.items() if faults} == {}


def find_faults(path):
    """Yield what is wrong with a patch."""
    try:
        defect = read_defect(path)
        seeded = seed(defect, ROOT)
    except PatchError as error:
        yield str(error)
        return
    for file, changed in seeded.items():
        if not file.startswith(("mtworkbench/", "benchmarks/", "docs/generate/", "action.yml")):
            yield f"{file} is not what the tests are about"
        if changed == (ROOT / file).read_text(encoding="utf-8"):
            yield f"{file} stays as it is"
        if file.endswith(".py"):
            ast.parse(changed)  # a package that cannot be loaded is caught by any test
    yield from (f"{test} is not there" for test in defect.tests if not find_test(test))


@cache
def read_module(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def find_test(test):
    """Tell whether there is a test ``tests/test_x.py::[TestClass::]test_y``."""
    file, *names = test.split("::")
    if not names or not (ROOT / file).is_file():
        return False
    here = read_module(ROOT / file).body
    for name in names:
        found = [one for one in here if isinstance(one, ast.FunctionDef | ast.ClassDef) and one.name == name]
        if not found:
            return False
        here = found[0].body
    return True


def test_there_are_patches():
    assert len(PATCHES) >= 60
    assert len({path.name.partition("_")[0] for path in PATCHES}) == len(PATCHES)
    files = {hunk.file for path in PATCHES for hunk in read_defect(path).hunks}
    rooms = {file.removeprefix("mtworkbench/").removesuffix(".py").split("/")[0] for file in files}
    assert rooms >= {"metrics", "resampling", "inference", "outputs", "tables", "plots", "cli"}


SOUND = "def double(x):\n    return 2 * x\n\n\ndef triple(x):\n    return 3 * x\n"
TEST = "from mtworkbench.numbers import double\n\n\ndef test_double():\n    assert double(2) == 4\n"
DIFF = """\
--- a/mtworkbench/numbers.py
+++ b/mtworkbench/numbers.py
@@ -{line},2 +{line},2 @@
 def {name}(x):
-    return {factor} * x
+    return {factor} + x
"""


@pytest.fixture
def project(tmp_path):
    """A project with a function that is tested (though not that it multiplies) and one that is not."""
    root = tmp_path / "project"
    for name in COPIED:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).touch() if "." in name else (root / name).mkdir()
    (root / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (root / "mtworkbench" / "__init__.py").touch()
    (root / "mtworkbench" / "numbers.py").write_text(SOUND)
    (root / "tests" / "test_numbers.py").write_text(TEST)
    (tmp_path / "patches").mkdir()
    return root


def write_patch(folder, title, what="It adds.", tests="tests/test_numbers.py::test_double", diff=None, **parts):
    path = folder / f"{title}.patch"
    diff = DIFF.format(**{"name": "double", "factor": 2, "line": 1} | parts) if diff is None else diff
    path.write_text(f"{what}\n\nCaught by:\n    {tests}\n\n{diff}")
    return path


@pytest.mark.long
@pytest.mark.long
def test_what_is_caught_is_told_from_what_is_not(project, capsys):
    patches = project.parent / "patches"
    write_patch(patches, "1_sees", diff=DIFF.format(name="double", factor=2, line=70).replace("+ x", "- x"))
    write_patch(patches, "2_blind_to_another_function", name="triple", factor=3, line=5)
    write_patch(patches, "3_blind_by_its_numbers")
    write_patch(patches, "4_outdated", factor=4)
    write_patch(patches, "5_does_not_load", diff=DIFF.format(name="double", factor=2, line=1).replace("+ x", "* "))
    assert not check_all(read_defects(patches), project)
    assert capsys.readouterr().out.splitlines() == [
        "1_sees: caught",
        "2_blind_to_another_function: NOT CAUGHT by tests/test_numbers.py::test_double (passed)",
        "3_blind_by_its_numbers: NOT CAUGHT by tests/test_numbers.py::test_double (passed)",
        "4_outdated: does not apply: its lines occur 0 times in mtworkbench/numbers.py",
        "5_does_not_load: NOT CAUGHT by tests/test_numbers.py::test_double (not run)",
        "1 of 5 defects are caught.",
    ]
    assert check_all(read_defects(patches, ["1"]), project)
    assert (project / "mtworkbench" / "numbers.py").read_text() == SOUND


@pytest.mark.long
@pytest.mark.long
def test_a_test_that_fails_anyway_catches_nothing(project, capsys):
    (project / "tests" / "test_numbers.py").write_text(TEST.replace("== 4", "== 5"))
    write_patch(project.parent / "patches", "1_sees")
    assert not check_all(read_defects(project.parent / "patches"), project)
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "These tests do not pass without any defect: tests/test_numbers.py::test_double"


def test_lines_that_occur_twice_are_refused(project):
    (project / "mtworkbench" / "numbers.py").write_text(SOUND + SOUND)
    with pytest.raises(PatchError, match=r"its lines occur 2 times in mtworkbench/numbers\.py"):
        seed(read_defect(write_patch(project.parent, "1")), project)
    diff = DIFF.format(name="double", factor=2, line=1).replace("numbers", "letters")
    with pytest.raises(PatchError, match=r"there is no mtworkbench/letters\.py"):
        seed(read_defect(write_patch(project.parent, "2", diff=diff)), project)


@pytest.mark.parametrize("lacking", [{"what": ""}, {"tests": ""}, {"diff": ""}])
def test_a_patch_that_lacks_something_is_refused(project, lacking):
    with pytest.raises(PatchError, match=r"1\.patch lacks its sentence, its line 'Caught by:', or its diff"):
        read_defect(write_patch(project.parent, "1", **lacking))
