"""Whether a ceiling on costs can be kept at all."""

from __future__ import annotations

import json
from collections.abc import Sequence

from evaltui.errors import UsageError
from evaltui.models import Mode
from evaltui.providers.pricing import PriceTable
from evaltui.suites.base import LoadedSuite

_FREE = (Mode.MOCK, Mode.SCRIPTED)


def refuse_unpriced(suites: Sequence[LoadedSuite], prices: PriceTable) -> None:
    """Refuse ``--max-cost`` for models whose price nobody knows: it would never be reached.

    Raises:
        UsageError: there is one.
    """
    for suite in suites:
        for member in json.loads(suite.asked):
            vendor, model = member["vendor"], member.get("model")
            if vendor in _FREE or prices.price(vendor, model) is not None:
                continue
            raise UsageError(
                f"--max-cost cannot be kept: the price of {vendor} {model} is not known",
                hint=f'add [prices."{model}"] with input and output to evaltui.toml, '
                "or use --max-tokens",
            )
