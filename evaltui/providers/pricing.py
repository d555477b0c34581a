"""What calls cost, by a dated table; a price that is not in it is unknown, never zero."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from importlib.resources import files
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

_MILLION: Final = Decimal(1_000_000)
_VERSION: Final = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$")


class Price(Struct, frozen=True):
    """US dollars for a million tokens."""

    input: Decimal
    output: Decimal

    def cost(self, input_tokens: int | None, output_tokens: int | None) -> Decimal | None:
        """What a call cost; None when the number of tokens is unknown."""
        if input_tokens is None or (output_tokens is None and self.output):
            return None
        total = self.input * input_tokens + self.output * (output_tokens or 0)
        return (total / _MILLION).normalize()


class PriceTable(Struct, frozen=True):
    """Prices by vendor and model, as they were on ``date``; ``own`` ones by model come first."""

    date: str
    prices: Mapping[str, Mapping[str, Price]]
    own: Mapping[str, Price] = {}

    def price(self, vendor: str, *models: str | None) -> Price | None:
        """The price of the first model that is known, with or without its version."""
        known = self.prices.get(vendor, {})
        for model in models:
            if model is None:
                continue
            found = self.own.get(model) or known.get(model) or known.get(_VERSION.sub("", model))
            if found is not None:
                return found
        return None


def prices_with(own: Mapping[str, tuple[Decimal, Decimal]]) -> PriceTable:
    """The table that comes with evaltui, under the prices of a policy."""
    table = price_table()
    return replace(table, own={model: Price(*pair) for model, pair in own.items()})


@lru_cache(maxsize=1)
def price_table() -> PriceTable:
    """The table that comes with evaltui."""
    import tomllib

    text = files("evaltui.providers").joinpath("prices.toml").read_text("utf-8")
    document = tomllib.loads(text, parse_float=Decimal)
    vendors = {
        vendor: {model: Price(*map(Decimal, pair)) for model, pair in models.items()}
        for vendor, models in document["usd_per_million_tokens"].items()
    }
    return PriceTable(document["date"].isoformat(), vendors)
