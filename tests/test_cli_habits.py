"""Options of other programs: each is answered with something that exists here."""

import re
from itertools import chain

import pytest

from mtworkbench.cli.habits import _HINTS, hint_at
from mtworkbench.cli.program import make_parser
from mtworkbench.metrics import make_metric


@pytest.fixture(scope="module")
def commands():
    return make_parser()[1]


def test_no_option_here_is_called_unknown(commands):
    known = set(chain.from_iterable(one._option_string_actions for one in commands.values()))
    assert known.isdisjoint(_HINTS)


@pytest.mark.parametrize("name", sorted(_HINTS))
def test_what_is_recommended_exists(name, commands):
    hint = hint_at(name)
    compare = commands["compare"]._option_string_actions
    of_others = ("--to_json", "--by")
    named = [one for one in re.findall(r"(?<![\w-])--?[a-z][a-z-_]*", hint) if not one.startswith(of_others)]
    assert [one for one in named if one not in compare] == []
    for spec in re.findall(r"--metric (\S+:\S+?)(?=[;,]? |$)", hint):
        make_metric(spec)
