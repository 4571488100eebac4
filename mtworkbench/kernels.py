"""How mtworkbench starts the kernel of a notebook itself, without a JupyterLab.

Jupyter looks for free TCP ports, lets them go again, and tells the kernel to take them. Meanwhile the system may give
them to another program. Then the kernel does not start, or its client is connected to the kernel of another program and
waits. So the kernel and its client meet at files instead: nobody else has their names. Windows has no such files, and
where the path of temporary files is too long for them, ports are used, too. Because of these, a kernel that does not
answer is started once more.
"""

from __future__ import annotations

import os
import secrets
import sys
import tempfile
from collections.abc import Callable
from typing import TypeVar

Started = TypeVar("Started")
#: So many seconds a kernel may take to answer. Two such times are less than a test may take.
START_TIMEOUT = 120
# Bytes of a path on macOS, the least that we know of; Jupyter puts a hyphen and a number behind what it is given.
_LONGEST_PATH = 103


def kernel_settings() -> dict[str, str]:
    """Return settings of jupyter_client's `KernelManager` for one kernel, and for no other.

    Jupyter makes the files, which are in the folder of temporary files, and removes them when the kernel is shut down.
    """
    files = os.path.join(tempfile.gettempdir(), f"mtworkbench-{secrets.token_hex(8)}")
    if sys.platform == "win32" or len(os.fsencode(f"{files}-5")) > _LONGEST_PATH:
        return {}
    return {"transport": "ipc", "ip": files}


def start_once_more(start: Callable[[], Started], answered: Callable[[], bool] = lambda: False) -> Started:
    """Call a function that starts a kernel; call it again if the first kernel does not answer.

    Parameters
    ----------
    start : callable
        Raises a RuntimeError if the kernel does not answer, as Jupyter does.
    answered : callable
        Tells whether the kernel has answered, so that the error has another cause.

    Returns
    -------
    object
        What ``start`` returns.
    """
    try:
        return start()
    except RuntimeError:
        if answered():
            raise
    return start()
