"""Opening the database file: creation, checks, the read-only fallback, errors in plain words."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from evaltui.errors import StoreError
from evaltui.store.schema import APPLICATION_ID, VERSION, migrate

Row = tuple[Any, ...]
"""What SQLite answers; columns as in the query."""

BUSY_S = 5.0
"""How long one process waits for the lock of another."""

FOLDER = ".evaltui"

PAGE_BYTES = 8192
"""Holds the details of a few cases; writing them takes a quarter less than with SQLite's 4096."""

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_READ_ONLY = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def primary_code(error: sqlite3.Error) -> int:
    """The primary result code of SQLite, 0 when the error carries none."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def store_error(path: Path, error: sqlite3.Error) -> StoreError:
    """The one line that says what happened to the store and what to do next."""
    code, place = primary_code(error), str(path)
    if code in _BUSY:
        hint = "wait for the other evaltui to finish, or close it"
        return StoreError("the store is locked by another process", place=place, hint=hint)
    if code in _DAMAGED:
        hint = (
            f"move it away (mv {path.name} {path.name}.damaged) and run again; decisions are safe"
        )
        return StoreError(f"the store is damaged ({error})", place=place, hint=hint)
    if code == sqlite3.SQLITE_FULL:
        hint = "free some space and resume the run; what was committed is kept"
        return StoreError("no space left for the store", place=place, hint=hint)
    if code in _READ_ONLY:
        hint = "make its folder writable or name another store with --store"
        return StoreError(f"the store cannot be written ({error})", place=place, hint=hint)
    question = "is the disk full, or failing?" if code == sqlite3.SQLITE_IOERR else None
    return StoreError(f"the store failed ({error})", place=place, hint=question)


@contextmanager
def reported(path: Path) -> Iterator[None]:
    """Turn errors of SQLite inside the block into StoreErrors about ``path``."""
    try:
        yield
    except sqlite3.Error as error:
        raise store_error(path, error) from error


def connect(path: Path, *, busy_s: float = BUSY_S, query: str = "mode=rw") -> sqlite3.Connection:
    """A connection in autocommit mode, usable from any thread, to an existing file.

    Raises:
        sqlite3.Error: the file cannot be opened or is no database.
    """
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?{query}",
        uri=True,
        timeout=busy_s,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        connection.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Take the write lock at once; commit at the end, roll back on any error."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def file_lock(path: Path, *, busy_s: float = BUSY_S) -> Iterator[None]:
    """Hold an advisory lock between processes; the system frees it when its holder dies.

    Raises:
        StoreError: the lock file cannot be made, or another process keeps it too long.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreError(f"cannot be locked: {error.strerror}", place=str(path)) from error
    try:
        _take(descriptor, path, busy_s)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: Path, busy_s: float) -> None:
    deadline = time.monotonic() + busy_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError:
            if time.monotonic() >= deadline:
                hint = "wait for the other evaltui to finish, or close it"
                raise StoreError("locked by another process", place=str(path), hint=hint) from None
            time.sleep(0.01)


class Database:
    """One connection with its path, shared by the threads of a process."""

    def __init__(
        self, path: Path, connection: sqlite3.Connection, busy_s: float, *, read_only: bool
    ) -> None:
        self.path = path
        self.connection = connection
        self.busy_s = busy_s
        self.read_only = read_only
        self._lock = threading.RLock()
        self._file = _identity(path)

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        """All rows of a query.

        Raises:
            StoreError: the store cannot be read.
        """
        try:
            with self._lock:
                return self.connection.execute(sql, parameters).fetchall()
        except sqlite3.Error as error:
            self.still_there()
            raise store_error(self.path, error) from error

    def row(self, sql: str, parameters: Sequence[object] = ()) -> Row | None:
        """The first row of a query, or None."""
        found = self.rows(sql, parameters)
        return found[0] if found else None

    def number(self, sql: str, parameters: Sequence[object] = ()) -> int:
        """The whole number that an aggregate query answers."""
        return int(self.rows(sql, parameters)[0][0])

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A write transaction of this connection.

        Raises:
            StoreError: the store is read-only, locked, full or damaged.
        """
        if self.read_only:
            hint = "make its folder writable or name another store with --store"
            raise StoreError("the store is read-only", place=str(self.path), hint=hint)
        self.still_there()
        with reported(self.path), self._lock, transaction(self.connection) as connection:
            yield connection

    def still_there(self) -> None:
        """Make sure that the path still leads to the file that is open.

        Raises:
            StoreError: it was moved, deleted or replaced; what is written goes nowhere.
        """
        if _identity(self.path) != self._file:
            hint = "put it back, or run again; decisions are safe"
            message = "the store was moved or deleted while it was in use"
            raise StoreError(message, place=str(self.path), hint=hint)

    def close(self) -> None:
        """Close the connection; the last one of all processes folds the journal in."""
        self.connection.close()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def open_database(path: Path, *, create: bool, read_only: bool, busy_s: float) -> Database:
    """Open ``path``, making or migrating it where allowed.

    Raises:
        StoreError: missing, damaged, foreign, newer than this program, locked or unreadable.
    """
    if not os.path.lexists(path):
        if not create or read_only:
            raise StoreError("there is no store here", place=str(path), hint="run a suite first")
        _make_file(path)
    if not path.is_file():
        raise StoreError("not a file", place=str(path), hint="name another store with --store")
    with reported(path):
        read_only = read_only or not _writable(path)
        connection = _connect_read_only(path, busy_s) if read_only else connect(path, busy_s=busy_s)
        try:
            _prepare(path, connection, busy_s, read_only=read_only)
        except BaseException:
            connection.close()
            raise
    return Database(path, connection, busy_s, read_only=read_only)


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _make_file(path: Path) -> None:
    """An empty file that only its owner can read, in a folder that git ignores."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.parent.name == FOLDER and not (path.parent / ".gitignore").exists():
            (path.parent / ".gitignore").write_text("*\n", encoding="utf-8")
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        hint = "name another store with --store"
        message = f"the store cannot be made: {error.strerror}"
        raise StoreError(message, place=str(path), hint=hint) from error


def _connect_read_only(path: Path, busy_s: float) -> sqlite3.Connection:
    """Read-only, or immutable where SQLite cannot make the journal that it wants to look into.

    A journal that exists and cannot be read is an error: it may hold the newest cases.
    """
    try:
        return connect(path, busy_s=busy_s, query="mode=ro")
    except sqlite3.Error as error:
        if primary_code(error) not in _READ_ONLY or path.with_name(f"{path.name}-wal").is_file():
            raise
    return connect(path, busy_s=busy_s, query="immutable=1")


def _prepare(path: Path, connection: sqlite3.Connection, busy_s: float, *, read_only: bool) -> None:
    version = _version(path, connection)
    if version == VERSION:
        return
    if read_only and version == 0:
        raise StoreError("the store is empty", place=str(path), hint="run a suite first")
    if read_only:
        hint = "open it once from a writable folder"
        raise StoreError("the store is of an older version", place=str(path), hint=hint)
    with file_lock(path.with_name(path.name + ".lock"), busy_s=busy_s):
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute("PRAGMA journal_mode = WAL")
        with transaction(connection):
            migrate(connection, _version(path, connection))


def _version(path: Path, connection: sqlite3.Connection) -> int:
    """The schema version of the file, 0 for an empty one.

    Raises:
        StoreError: it is newer than this program, or not a store of evaltui.
    """
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    if application != APPLICATION_ID and (version or tables):
        hint = "name another file with --store"
        raise StoreError("this database is not a store of evaltui", place=str(path), hint=hint)
    if version > VERSION:
        message = f"the store has version {version}, this evaltui knows up to {VERSION}"
        raise StoreError(message, place=str(path), hint="update evaltui or name another --store")
    return version
