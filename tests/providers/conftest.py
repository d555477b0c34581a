"""The fault server and calls against it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2]))

if TYPE_CHECKING:
    from tests.fault_server.client import FaultServer


@pytest.fixture(scope="session")
def faults() -> Iterator[FaultServer]:
    """A running fault server."""
    from tests.fault_server.client import FaultServer

    with FaultServer() as server:
        yield server
