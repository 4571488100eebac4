"""Read with any reader, and look at what it warned of or why it refused."""

import warnings

import pytest

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.outputs.checks.frames import check_outputs


def noticing(function, *args, **kwargs):
    """Read; return the frame, which is an outputs frame, and the warnings by their codes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        outputs = function(*args, **kwargs)
    check_outputs(outputs)
    assert all(isinstance(warning.message, DataWarning) for warning in caught)
    # A warning points at the line that called the reader.
    assert all(warning.filename == __file__ for warning in caught)
    noticed = {warning.message.code: warning.message for warning in caught}
    assert len(noticed) == len(caught)  # one warning of each kind, whatever it concerns
    return outputs, noticed


def refusal(function, *args, **kwargs):
    """Read what must be refused; return the error."""
    with pytest.raises(InputError) as caught:
        function(*args, **kwargs)
    message = str(caught.value)
    assert message.endswith((".", "?"))
    assert message.isprintable()
    return caught.value
