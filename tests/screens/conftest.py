"""Rows and small apps for the tests of screens and widgets."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from evaltui.models import CaseSummary, Outcome

RowMaker = Callable[..., CaseSummary]


@pytest.fixture
def make_row() -> RowMaker:
    """``make_row(index, **fields)`` answers a passing row named ``case-<index>``."""

    def make(index: int, **fields: object) -> CaseSummary:
        values: dict[str, Any] = {
            "section": 0,
            "case_id": f"case-{index:06}",
            "outcome": Outcome.PASS,
            "slices": ("lang=fr",),
            "latency_ms": 12.0,
            "cost": Decimal("0.001"),
        }
        return CaseSummary(index, **(values | fields))

    return make
