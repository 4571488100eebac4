"""What all tests share: where the original tools' numbers and the real outputs are, when they are there at all."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder with the golden values and the real outputs; the test is skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("needs ../shared (golden values and real outputs)")
    return SHARED
