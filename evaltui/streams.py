"""Standard streams that a program can rely on, whoever closed, filled or left them."""

from __future__ import annotations

import errno
import io
import os
import select
import sys
from typing import TYPE_CHECKING

from evaltui.errors import ExitCode

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class Outlet(io.RawIOBase):
    """A file descriptor that takes everything; what can no longer be written is dropped.

    ``failure`` is the error that ended the writing, if one did.
    """

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self.failure: OSError | None = None

    def writable(self) -> bool:
        """Always."""
        return True

    def fileno(self) -> int:
        """The descriptor."""
        return self._descriptor

    def isatty(self) -> bool:
        """Whether a terminal is at the other end."""
        return os.isatty(self._descriptor)

    def write(self, data: ReadableBuffer, /) -> int:
        """Write what the system takes now; answer how many bytes are done with."""
        while self.failure is None:
            try:
                return os.write(self._descriptor, data)
            except BlockingIOError:
                select.select([], [self._descriptor], [])
            except OSError as error:
                self.failure = error
        return memoryview(data).nbytes


def secure_streams() -> None:
    """Give this process standard streams that speak UTF-8 and survive their reader.

    A closed descriptor is opened on nothing, so that no file of ours ever gets its number.
    """
    for descriptor in (0, 1, 2):
        _keep_open(descriptor)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = _text(1)
    sys.stderr = _text(2, line_buffering=True)


def ending(code: int) -> int:
    """Flush the streams; the exit code, which is no success when the output got lost.

    A reader that left on purpose, such as ``head``, changes nothing.
    """
    sys.stdout.flush()
    failure = _failure_of(sys.stdout)
    if failure is not None and failure.errno != errno.EPIPE:
        reason = os.strerror(failure.errno or 0)
        print(f"evaltui: error: cannot write to the standard output: {reason}", file=sys.stderr)
        code = code if code in (ExitCode.USAGE, ExitCode.INTERNAL) else ExitCode.USAGE
    sys.stderr.flush()
    return code


def _failure_of(stream: io.TextIOBase | object) -> OSError | None:
    raw = getattr(getattr(stream, "buffer", None), "raw", None)
    return raw.failure if isinstance(raw, Outlet) else None


def _keep_open(descriptor: int) -> None:
    try:
        os.fstat(descriptor)
    except OSError:
        opened = os.open(os.devnull, os.O_RDWR)
        if opened != descriptor:
            os.dup2(opened, descriptor)
            os.close(opened)


def _text(descriptor: int, *, line_buffering: bool = False) -> io.TextIOWrapper:
    outlet = Outlet(descriptor)
    return io.TextIOWrapper(
        io.BufferedWriter(outlet),
        encoding="utf-8",
        errors="replace",
        line_buffering=line_buffering or outlet.isatty(),
    )
