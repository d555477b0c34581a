"""The accepted old values on disk: Ulexite snapshot files (runtime specification 8.5)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from evaltui.engine import snapshots
from evaltui.engine.values import JsonError, Value, tagged, untagged
from evaltui.errors import DecisionError

PREFIX = "snapshot:"
"""A check id of a snapshot is this and the snapshot's key."""


class _File(msgspec.Struct):
    """A snapshot file; the value stays text until somebody asks."""

    value: msgspec.Raw
    key: str = ""


_READER = msgspec.json.Decoder(_File)
_ANY = msgspec.json.Decoder(object)


class Baseline:
    """One snapshot file as it was when it was read."""

    __slots__ = ("_digest", "_tagged", "key", "path", "raw")

    def __init__(self, path: Path, raw: bytes, key: str) -> None:
        self.path = path
        self.raw = raw
        """The value as tagged JSON bytes, spaced as in the file."""
        self.key = key
        self._tagged: str | None = None
        self._digest: str | None = None

    @property
    def tagged(self) -> str:
        """The value as compact tagged JSON.

        Raises:
            DecisionError: the file holds no value.
        """
        if self._tagged is None:
            try:
                self._tagged = tagged(untagged(self.raw.decode()))
            except (JsonError, UnicodeDecodeError) as error:
                raise _corrupt(self.path, str(error)) from None
        return self._tagged

    @property
    def value(self) -> Value:
        """The value.

        Raises:
            DecisionError: the file holds no value.
        """
        return untagged(self.tagged)

    @property
    def digest(self) -> str:
        """The content hash of the value (runtime specification 1.5).

        Raises:
            DecisionError: the file holds no value.
        """
        if self._digest is None:
            self._digest = digest_of(self.tagged)
        return self._digest

    def is_exactly(self, new: str) -> bool:
        """Whether the value is the one that compact tagged JSON ``new`` spells.

        Quick: nothing is turned into values. A negative zero, which equals zero but has another
        digest, is left to the full comparison.
        """
        if self._tagged is not None:
            return self._tagged == new
        if b"-0" in self.raw or "-0" in new:
            return self.tagged == new
        try:
            same = bool(_ANY.decode(self.raw) == _ANY.decode(new))
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return False
        if same:
            self._tagged = new
        return same


class Baselines:
    """The snapshot files of one suite folder, each read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[Path, Baseline | None] = {}

    def read(self, benchmark: str, key: str) -> Baseline | None:
        """The baseline of a snapshot key, None when there is none.

        Raises:
            DecisionError: the file is no snapshot file.
        """
        path = self.path(benchmark, key)
        if path in self._read:
            return self._read[path]
        found = self._read[path] = read_baseline(path)
        return found

    def path(self, benchmark: str, key: str) -> Path:
        """Where the baseline of a snapshot key lives."""
        return snapshots.path_of(self.folder, benchmark, key)

    def preload(self, benchmark: str) -> None:
        """Read all baselines of a benchmark now, so that later changes on disk do not count.

        Raises:
            DecisionError: a file that is no snapshot file.
        """
        for path in self.files(benchmark):
            if path not in self._read:
                self._read[path] = read_baseline(path)

    def files(self, benchmark: str) -> Iterator[Path]:
        """The snapshot files of a benchmark in name order."""
        folder = self.path(benchmark, "").parent
        try:
            found = [one for one in folder.iterdir() if one.suffix == ".json"]
        except FileNotFoundError:
            return
        except OSError as error:
            place, fact = str(folder), error.strerror
            raise DecisionError(f"the baselines cannot be listed: {fact}", place=place) from None
        yield from sorted(one for one in found if not one.name.startswith("."))

    def forget(self, path: Path) -> None:
        """Read this file again when it is asked for next."""
        self._read.pop(path, None)


def read_baseline(path: Path) -> Baseline | None:
    """The baseline in a file, None when there is no such file.

    Raises:
        DecisionError: unreadable, or no snapshot file.
    """
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _corrupt(path, error.strerror or str(error)) from None
    try:
        file = _READER.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _corrupt(path, str(error)) from None
    except RecursionError:
        raise _corrupt(path, "it is nested too deeply") from None
    return Baseline(path, bytes(file.value), file.key)


def digest_of(compact: str) -> str:
    """The content hash of a value given as compact tagged JSON."""
    return hashlib.sha256(compact.encode("utf-8", "surrogatepass")).hexdigest()


def encode(key: str, value: Value) -> bytes:
    """The bytes of a snapshot file."""
    return snapshots.encode(key, value)


def _corrupt(path: Path, fact: str) -> DecisionError:
    return DecisionError(
        f"the baseline cannot be read: {fact}",
        place=str(path),
        hint="restore it from version control, or run evaltui baselines rebuild",
    )
