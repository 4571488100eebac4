"""What nbval checks: the stored results of the notebooks, without bars of progress."""

import os
from unittest import mock

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    """Start a notebook's kernel without bars: they appear after a second, so on slow machines only."""
    if item.path.suffix != ".ipynb":
        return (yield)  # a patch would take back what fixtures set in the environment
    with mock.patch.dict(os.environ, {"TQDM_DISABLE": "1"}):
        return (yield)
