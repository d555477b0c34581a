"""The value cache of ``ulx`` on disk (runtime specification 0.2 and 6.2)."""

from __future__ import annotations

import contextlib
from pathlib import Path

from evaltui.engine.tagging import pretty_tagged, untagged
from evaltui.engine.values import JsonError, Value

FOLDER = Path(".ulexite/cache")


class FileCache:
    """One file a value, named by its key; entries never expire."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._made: set[str] = set()

    def create(self) -> None:
        """Make the folder.

        Raises:
            OSError: it cannot be made.
        """
        self._folder.mkdir(parents=True, exist_ok=True)

    def read(self, key: str) -> Value | None:
        """The value under ``key``; None when there is none that can be read."""
        try:
            text = self._path(key).read_bytes().decode("utf-8")
            return untagged(text)
        except (OSError, UnicodeDecodeError, JsonError):
            return None

    def write(self, key: str, value: Value) -> None:
        """Keep ``value``.

        Raises:
            OSError: it cannot be written.
        """
        path = self._path(key)
        if key[:2] not in self._made:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._made.add(key[:2])
        path.write_bytes(pretty_tagged(value).encode("utf-8", "surrogatepass"))

    def try_write(self, key: str, value: Value) -> None:
        """Keep ``value`` if that is possible."""
        with contextlib.suppress(OSError):
            self.write(key, value)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key[2:]
