"""What nbval checks: the stored results of the notebooks, without bars of progress, and the words of pictures alone.

Its kernels are started as `mtworkbench.kernels` says.
"""

import os
from unittest import mock

import pytest

from mtworkbench.notebooks import kernel_settings, start_once_more

PICTURE = r"data:image/png;base64,[A-Za-z0-9+/=]*"
WIDTH = r"min-width:[0-9]+px"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    """Start a notebook's kernel without bars: they appear after a second, so on slow machines only.

    Nothing is read from the user's cache of statistics, so that every number is computed by the code that is tested.
    The bytes and the width of a picture depend on the fonts of the machine; what it shows, in words, does not.
    """
    if item.path.suffix != ".ipynb":
        return (yield)  # a patch would take back what fixtures set in the environment
    from nbval import kernel, plugin

    item.parent.sanitize_patterns |= {PICTURE: "data:image/png", WIDTH: "min-width"}
    manager, running = kernel.KernelManager, plugin.RunningKernel
    with (
        mock.patch.dict(os.environ, {"TQDM_DISABLE": "1", "MTWORKBENCH_CACHE": "off"}),
        mock.patch.object(kernel, "KernelManager", lambda **given: manager(**given, **kernel_settings())),
        mock.patch.object(plugin, "RunningKernel", lambda *a, **given: start_once_more(lambda: running(*a, **given))),
    ):
        return (yield)
