"""The examples of docstrings run in the folder of the documentation's examples, and print what they say."""

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

import mtworkbench

from .folder import make_folder

FINDER, OPTIONS = doctest.DocTestFinder(exclude_empty=True), doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
EXAMPLES = [
    test
    for module in walk_packages(mtworkbench.__path__, "mtworkbench.")
    for test in FINDER.find(import_module(module.name))
    if test.examples
]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")  # what is noticed in data is a note to the reader
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_runs_and_prints_what_it_says(example, tmp_path, monkeypatch, own_figures):
    make_folder(tmp_path)
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=OPTIONS).run(example, out=said.append)
    assert "".join(said) == ""


def test_examples_of_the_front_use_its_usual_name():
    assert len(EXAMPLES) > 15
    for example in EXAMPLES:
        skipped = all(one.options.get(doctest.SKIP) for one in example.examples)
        assert skipped or example.examples[0].source == "import mtworkbench as mtw\n", example.name
