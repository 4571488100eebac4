"""Whatever happens to the program or to its files: a sentence, the old file or the new one, and the same numbers."""

import sys

import pytest

from .counts import FAULTS, count_faults, try_faults

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="needs fork, and limits as Linux has them"),
    pytest.mark.timeout(1200),  # half a minute of work, which takes longer where others work, too
]


@pytest.fixture(scope="module")
def quick():
    return try_faults("quick")


@pytest.mark.parametrize("name", [fault.name for fault in FAULTS])
def test_a_fault_does_no_harm(quick, name):
    assert quick[name].cases
    assert quick[name].failures == []


def test_only_languages_are_left_out(quick):
    left_out = [what for tried in quick.values() for what in tried.left_out]
    assert all(what.startswith("LC_ALL=") and what.endswith(" is not installed here") for what in left_out)


def test_programs_are_killed_at_many_places(quick):
    assert sum(tried.cases for name, tried in quick.items() if name.startswith("killed")) > 30


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_faults_do_no_harm_however_often_they_happen():
    assert [name for name, _, failures in count_faults() if failures] == []
