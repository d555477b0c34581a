"""The lanes of a run: one for every provider, made when it is first used."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING

from evaltui.project import Limits
from evaltui.providers.pricing import PriceTable, prices_with
from evaltui.providers.rules import NO_LIMITS, RUN_RULES, Rules, Timing
from evaltui.redaction import SecretScanner

if TYPE_CHECKING:
    from evaltui.providers.connections import Connections
    from evaltui.providers.transport import Lane


class Network:
    """Everything that the live providers of one run share; nothing is opened before it is used.

    ``limits`` are by configured provider name. The ``scanner`` learns every key that is used;
    ``record`` keeps the raw replies of good answers too.
    """

    def __init__(
        self,
        rules: Rules = RUN_RULES,
        limits: Mapping[str, Limits] | None = None,
        timing: Timing | None = None,
        *,
        scanner: SecretScanner | None = None,
        record: bool = False,
        prices: Mapping[str, tuple[Decimal, Decimal]] | None = None,
    ) -> None:
        self.rules = rules
        self.limits = limits or {}
        self.scanner = scanner or SecretScanner()
        self.record = record
        self._own_prices = prices or {}
        self._timing = timing
        self._lanes: dict[Hashable, Lane] = {}
        self._connections: dict[bool, Connections] = {}

    @cached_property
    def prices(self) -> PriceTable:
        """What models cost: the policy's word, else the table's."""
        return prices_with(self._own_prices)

    def warnings(self) -> list[str]:
        """What a run has to say about how its providers are reached."""
        return [
            f"{name}: certificates are not verified (verify_tls = false in [limits.{name}])"
            for name, limits in self.limits.items()
            if not limits.verify_tls
        ]

    def lane(self, name: str, key: Hashable) -> Lane:
        """The lane of the provider ``name``; calls with equal ``key`` share it."""
        lane = self._lanes.get(key)
        if lane is None:
            from evaltui.providers.transport import Lane

            limits = self.limits.get(name, NO_LIMITS)
            connections = self._connect(limits.verify_tls)
            lane = self._lanes[key] = Lane(connections, self.rules, limits, self._timing)
        return lane

    def _connect(self, verify: bool) -> Connections:
        if verify not in self._connections:
            from evaltui.providers.connections import Connections

            self._connections[verify] = Connections(verify=verify)
        return self._connections[verify]

    async def close(self) -> None:
        """Close all connections and forget what the lanes know, before the event loop ends."""
        self._lanes.clear()
        for connections in self._connections.values():
            await connections.close()
        self._connections.clear()
