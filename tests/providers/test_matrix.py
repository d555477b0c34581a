"""Every vendor against every fault; ``-s`` shows the table."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from evaltui.providers.vendors import VENDORS

if TYPE_CHECKING:
    from tests.fault_server.client import FaultServer


def test_every_vendor_meets_every_fault_as_it_should(faults: FaultServer) -> None:
    from tests.providers.matrix import results, table

    vendors = list(VENDORS)
    found = asyncio.run(results(faults, vendors))
    print(f"\n{table(found, vendors)}")
    assert [(place, problem) for place, problem in found.items() if problem] == []
