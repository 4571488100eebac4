"""What docs/reference/stability.md promises to stay is there, and each test that the page names exists."""

import re
from importlib import import_module
from pathlib import Path

from mtworkbench.lazy import MOVED
from scripts.write_promises import list_names, list_parameters, read_promises

ROOT = Path(__file__).resolve().parent.parent


def test_no_promised_name_is_gone():
    now, promised = list_names(), read_promises()
    for name, home in MOVED["mtworkbench"].items():  # the old name works, with a warning
        now[f"mtworkbench.{name}"] = list_parameters(getattr(import_module(home), name))
    assert len(promised) > 80
    assert {name: gone for name, words in promised.items() if (gone := words - now.get(name, set()))} == {}
    assert promised.keys() <= now.keys()


def test_the_page_names_tests_that_exist():
    page = (ROOT / "docs/reference/stability.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/.]+)(?:::(\w+))?`", page)
    assert len(named) > 10
    for path, test in named:
        assert (ROOT / path).exists(), path
        assert not test or f"def {test}(" in (ROOT / path).read_text(encoding="utf-8"), f"{path}::{test}"
