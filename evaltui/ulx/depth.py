"""Room for deep recursion.

Calls between Python functions use no C stack, so recursion over a source's own nesting is bounded
by memory alone; only the interpreter's guard has to be moved. Recursive functions that run inside
must not recurse through C (generators, ``functools`` dispatch, ``repr`` and ``==`` of trees).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

FRAMES_PER_BYTE = 60
"""More Python frames than any walk stacks up for one byte of nested source."""

OTHER_FRAMES = 100_000
"""Room for what nests beside the source itself: chains of imports and of prompt files."""

_HIGHEST = 2**31 - 1
_lock = threading.Lock()
_users: list[int] = []
_normal = 0


@contextmanager
def deep_recursion(source_bytes: int) -> Iterator[None]:
    """Allow the recursion that a source of ``source_bytes`` can need, inside the block."""
    frames = FRAMES_PER_BYTE * source_bytes + OTHER_FRAMES
    _enter(frames)
    try:
        yield
    finally:
        _leave(frames)


def _enter(frames: int) -> None:
    global _normal
    with _lock:
        if not _users:
            _normal = sys.getrecursionlimit()
        _users.append(frames)
        _set_limit()


def _leave(frames: int) -> None:
    with _lock:
        _users.remove(frames)
        _set_limit()


def _set_limit() -> None:
    sys.setrecursionlimit(min(_normal + sum(_users), _HIGHEST))
