"""Reading text files, and failures to, in the operating system's words."""

from __future__ import annotations

import os
import re
from pathlib import Path

_NUMBER = re.compile(r" \(os error \d+\)\Z")
NUL_IN_NAME = "file name contained an unexpected NUL byte"
NOT_UTF8 = "stream did not contain valid UTF-8"


class ReadFailure(Exception):
    """A file could not be read; ``str()`` is the reason (language specification 5.5)."""

    def plain(self) -> str:
        """The reason in plain words, without the number of the system's error."""
        reason = str(self)
        return "it is not UTF-8" if reason == NOT_UTF8 else _NUMBER.sub("", reason)


def read_text(path: Path) -> str:
    """The whole content of ``path``, line ends as they are. Raises ``ReadFailure``."""
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise ReadFailure(os_error_text(error)) from error
    except UnicodeDecodeError as error:
        raise ReadFailure(NOT_UTF8) from error
    except ValueError as error:
        raise ReadFailure(NUL_IN_NAME) from error


def os_error_text(error: OSError) -> str:
    """The system's text with its number, such as ``Is a directory (os error 21)``."""
    if error.errno is None:
        return str(error)
    return f"{os.strerror(error.errno)} (os error {error.errno})"
