"""Waiting for answers where nothing else goes on: one event loop, kept for the whole process.

Connections belong to the loop they were opened on; a loop for every call would open them anew.
"""

from __future__ import annotations

import atexit
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

_closers: list[Callable[[], Awaitable[None]]] = []
_runner: asyncio.Runner | None = None


def wait(awaitable: Awaitable[T]) -> T:
    """The result of ``awaitable``, or its exception."""
    return _the_runner().run(_awaited(awaitable))


def at_end(close: Callable[[], Awaitable[None]]) -> None:
    """Await ``close()`` before the loop is closed at the end of the process."""
    _closers.append(close)


async def _awaited(awaitable: Awaitable[T]) -> T:
    return await awaitable


def _the_runner() -> asyncio.Runner:
    global _runner
    if _runner is None:
        import asyncio

        _runner = asyncio.Runner()
        atexit.register(_end)
    return _runner


def _end() -> None:
    if _runner is None:
        return
    for close in _closers:
        wait(close())
    _runner.close()
