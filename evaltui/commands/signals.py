"""What a run does when it is asked to end: Ctrl+C, ``kill``, a terminal that was closed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from evaltui.errors import ExitCode

_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
Handler = Callable[[int, FrameType | None], None]


@contextmanager
def signals_as_interrupts() -> Iterator[None]:
    """Turn every signal that asks for the end into ``KeyboardInterrupt`` inside the block."""

    def handle(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    with _handled(handle):
        yield


@contextmanager
def stopping(stop: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` at the first signal that asks for the end; leave at once at the second."""
    seen = 0

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal seen
        seen += 1
        if seen > 1:
            os._exit(ExitCode.INCOMPLETE)
        stop()

    with _handled(handle):
        yield


@contextmanager
def _handled(handler: Handler) -> Iterator[None]:
    """Set ``handler``, except for signals that the parent wants ignored, as ``nohup`` does."""
    wanted = [number for number in _ENDING if signal.getsignal(number) is not signal.SIG_IGN]
    before = [signal.signal(number, handler) for number in wanted]
    try:
        yield
    finally:
        for number, old in zip(wanted, before, strict=True):
            signal.signal(number, old)
