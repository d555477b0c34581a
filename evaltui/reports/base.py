"""One format, one file: what a report is and how it is asked for on the command line."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TextIO

from msgspec import Struct

from evaltui.errors import UsageError
from evaltui.reports.view import RunView

_STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")


class Report(Protocol):
    """Writes one run in one format."""

    def __call__(self, view: RunView, out: TextIO) -> None: ...


class ReportRequest(Struct, frozen=True):
    """A format and where to put it; without a path the report owns the standard output."""

    format: str
    path: Path | None


def parse_requests(texts: list[str], formats: list[str]) -> tuple[ReportRequest, ...]:
    """Read ``FORMAT[:PATH]`` options.

    Raises:
        UsageError: an unknown format, a format without a path beside another, a path used twice.
    """
    requests = tuple(_parse(text, formats) for text in texts)
    if sum(request.path is None for request in requests) > 1:
        raise UsageError(
            "only one report may go to the standard output", hint="write --report FORMAT:PATH"
        )
    paths = [request.path for request in requests if request.path is not None]
    files = [os.path.realpath(path) for path in paths]
    for path, file in zip(paths, files, strict=True):
        if files.count(file) > 1:
            raise UsageError(f"two reports would be written to {path}")
    return requests


def _parse(text: str, formats: list[str]) -> ReportRequest:
    name, colon, path = text.partition(":")
    if name not in formats:
        raise UsageError(f"unknown report format {name!r}", hint=f"use one of {', '.join(formats)}")
    if colon and not path:
        raise UsageError(f"--report {text} names no file after the colon")
    if path.endswith(os.sep) or (path and Path(path).is_dir()):
        raise UsageError(f"--report {text} names a folder", hint="name a file")
    return ReportRequest(name, Path(path) if path else None)


def write_file(path: Path, write: Callable[[TextIO], None]) -> None:
    """Write a report file whole or not at all; missing folders are made.

    Links stay links, and devices and pipes are written to, never replaced.

    Raises:
        UsageError: the file cannot be written.
    """
    try:
        if _is_device(path):
            with path.open("a", encoding="utf-8", newline="\n") as out:
                write(out)
        else:
            _replace(Path(os.path.realpath(path)), write)
    except OSError as error:
        raise UsageError(f"cannot write the report: {error.strerror}", place=str(path)) from None


def _is_device(path: Path) -> bool:
    """Whether ``path`` stands for something else than a file, such as ``/dev/stdout``."""
    typed = os.path.abspath(path)  # noqa: PTH100 - links are not followed
    return typed.startswith(_STREAMS) or (path.exists() and not path.is_file())


def _replace(path: Path, write: Callable[[TextIO], None]) -> None:
    import tempfile

    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".evaltui-", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
            write(out)
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
