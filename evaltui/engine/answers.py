"""Answers by key: those of this run, of earlier ones, and those on their way.

The key of an answer covers everything that could change it: capability, messages, arguments, judge
and resample number (runtime specification 6.1), and of the instrument vendor, base URL, model,
parameters and adapter contract (design section 5). Neither the case nor the configured name of
the provider is part of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from evaltui.engine.effects import Request
from evaltui.engine.instruments import Measure
from evaltui.engine.keys import call_key
from evaltui.engine.tagging import tagged
from evaltui.engine.waiting import can_wait, wait_for
from evaltui.providers.base import ProviderRequest
from evaltui.store.records import CachedAnswer

if TYPE_CHECKING:
    import asyncio


def answer_key(measure: Measure, request: ProviderRequest, fingerprint: str) -> str:
    """64 hexadecimal digits; ``fingerprint`` names a canned answer, else it is empty."""
    parts = [measure.key_part, fingerprint, f"{request.judge or ''}#{request.attempt}"]
    for message in request.messages:
        parts.append(f"{message.role} {len(message.text)} {message.text}")
    for name, value in request.arguments.items():
        parts.append(f"{name}={tagged(value)}")
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


IMPORTED_KEY: Final = "ulx:"
"""Before the key, in the store, of an answer that ``ulx`` has cached."""


def imported_key(request: ProviderRequest, vendor: str) -> str:
    """The key under which ``ulx`` caches the answer of ``vendor`` (runtime specification 6.1)."""
    asked = Request(
        request.capability,
        request.messages,
        request.arguments,
        judge=request.judge,
        attempt=request.attempt,
    )
    return call_key(asked, vendor)


class Answers:
    """The answer cache of one run; identical questions of concurrent cases are asked once.

    Args:
        lookup: finds an answer of this or an earlier run in the store.
        keep: hands an answer to the store.
        read: False asks anew (``--no-cache``); answers are kept all the same.
    """

    def __init__(
        self,
        lookup: Callable[[str], CachedAnswer | None],
        keep: Callable[[str, CachedAnswer], None],
        *,
        read: bool = True,
    ) -> None:
        self.keep = keep
        self._lookup = lookup
        self._read = read
        self._on_their_way: dict[str, asyncio.Event] = {}

    def find(self, key: str) -> CachedAnswer | None:
        """The answer with this key, after one that is on its way for another case has come."""
        if not self._read:
            return None
        while key in self._on_their_way and can_wait():
            wait_for(self._on_their_way[key].wait())
        return self._lookup(key)

    def expect(self, key: str) -> None:
        """Let others who want this answer wait until ``settled``."""
        import asyncio

        if self._read:
            self._on_their_way[key] = asyncio.Event()

    def settled(self, key: str) -> None:
        """The answer has come, or will not."""
        event = self._on_their_way.pop(key, None)
        if event is not None:
            event.set()
