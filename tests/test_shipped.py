"""Shipped files in a checkout; tests/test_package.py finds them in an ordinary install."""

import re
from pathlib import Path

import pytest

from mtworkbench.errors import InputError
from mtworkbench.shipped import LAB_VARIABLE, SHIPPED, find_packaged, find_shipped

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("name", [*SHIPPED, "docs/teaching"])
def test_folders_are_found_at_the_top_of_a_checkout(name):
    assert find_shipped(name) == ROOT / name


def test_files_are_found_by_their_path_in_the_repository():
    first = min(path for path in (ROOT / "data").rglob("*") if path.is_file())
    assert find_shipped(first.relative_to(ROOT).as_posix()) == first


@pytest.mark.parametrize("name", ["data/absent.txt", "tests", "pyproject.toml", ""])
def test_other_files_do_not_ship(name):
    with pytest.raises(InputError, match=f"^No {re.escape(repr(name))} ships with mtworkbench ") as caught:
        find_shipped(name)
    assert caught.value.code == "not-shipped"


def test_a_lab_reads_its_own_copies(tmp_path, monkeypatch):
    copy = tmp_path / "data" / "sample" / "reference.txt"
    copy.parent.mkdir(parents=True)
    copy.write_text("changed by a student\n")
    monkeypatch.setenv(LAB_VARIABLE, str(tmp_path))
    assert find_shipped("data/sample/reference.txt").read_text() == "changed by a student\n"
    assert find_shipped("data/sample") == copy.parent
    assert find_packaged("data/sample") == ROOT / "data" / "sample"


def test_what_a_lab_lacks_comes_from_the_package(tmp_path, monkeypatch):
    monkeypatch.setenv(LAB_VARIABLE, str(tmp_path))
    (tmp_path / "README.md").touch()
    assert find_shipped("data/sample") == ROOT / "data" / "sample"
    with pytest.raises(InputError, match=r"No 'README\.md' ships"):
        find_shipped("README.md")
