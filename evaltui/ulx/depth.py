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

_lock = threading.Lock()
_users: list[int] = []
_normal = 0


@contextmanager
def deep_recursion(frames: int) -> Iterator[None]:
    """Allow at least ``frames`` Python frames inside the block, in every thread."""
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
        sys.setrecursionlimit(_normal + max(_users))


def _leave(frames: int) -> None:
    with _lock:
        _users.remove(frames)
        sys.setrecursionlimit(_normal + max(_users, default=0))
