"""Reading text files, and failures to, in the operating system's words."""

from __future__ import annotations

import os
import re
from pathlib import Path

_NUMBER = re.compile(r" \(os error \d+\)\Z")
NUL_IN_NAME = "file name contained an unexpected NUL byte"
NOT_UTF8 = "stream did not contain valid UTF-8"
LARGEST_SOURCE = 2_000_000
"""Bytes of a program, prompt or manifest; rows of data belong into files of their own."""
LARGEST_DATA = 1_000_000_000
"""Bytes of a dataset or document."""


class ReadFailure(Exception):
    """A file could not be read; ``str()`` is the reason (language specification 5.5)."""

    def plain(self) -> str:
        """The reason in plain words, without the number of the system's error."""
        reason = str(self)
        return "it is not UTF-8" if reason == NOT_UTF8 else _NUMBER.sub("", reason)


def read_text(path: Path, limit: int = LARGEST_SOURCE) -> str:
    """The whole content of ``path``, line ends as they are.

    Raises:
        ReadFailure: it cannot be read, is no UTF-8, or has more than ``limit`` bytes.
    """
    try:
        return read_bytes(path, limit).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ReadFailure(NOT_UTF8) from error


def read_bytes(path: Path, limit: int = LARGEST_DATA) -> bytes:
    """The whole content of ``path``.

    Raises:
        ReadFailure: it cannot be read, or has more than ``limit`` bytes.
    """
    try:
        with path.open("rb") as file:
            # Devices have no size and no end, so only as much is read as is allowed.
            regular = os.fstat(file.fileno()).st_size
            content = file.read() if 0 < regular <= limit else file.read(limit + 1)
    except OSError as error:
        raise ReadFailure(os_error_text(error)) from error
    except ValueError as error:
        raise ReadFailure(NUL_IN_NAME) from error
    if len(content) > limit:
        raise ReadFailure(f"it is larger than {limit // 1_000_000} MB")
    return content


def os_error_text(error: OSError) -> str:
    """The system's text with its number, such as ``Is a directory (os error 21)``."""
    if error.errno is None:
        return str(error)
    return f"{os.strerror(error.errno)} (os error {error.errno})"
