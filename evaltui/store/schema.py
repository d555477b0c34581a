"""The tables of the store, as an ordered list of migrations.

Cases are addressed by one integer, ``run number << 32 | case index``, so that a run is one range of
every case table. What is counted over whole histories (``cases``), what draws a table
(``summaries``) and what shows one case (``details``) lie apart: each read touches only its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

    from sqlite_utils import Database
    from sqlite_utils.db import Table

APPLICATION_ID = 0x4556_5455
"""Written into the file header; says that a database is one of ours."""


def case_key(run: int, index: int) -> int:
    """The key of a case in ``specs``, ``cases``, ``summaries`` and ``details``."""
    return run << 32 | index


def case_range(run: int) -> tuple[int, int]:
    """First and last possible key of a run, both included."""
    return case_key(run, 0), case_key(run, 0xFFFF_FFFF)


def case_index(key: int) -> int:
    """The case index within its run."""
    return key & 0xFFFF_FFFF


def _table(database: Database, name: str) -> Table:
    return database.table(name)


def _runs(database: Database) -> None:
    _table(database, "runs").create(
        {
            "number": int,
            "id": str,
            "label": str,
            "started_at": str,
            "finished_at": str,
            "state": str,
            "pid": int,
            "problems": str,
            "info": str,
        },
        pk="number",
        not_null=("id", "label", "started_at", "state", "problems", "info"),
    ).create_index(["id"], unique=True)
    _table(database, "sections").create(
        {
            "run": int,
            "number": int,
            "kind": str,
            "suite": str,
            "folder": str,
            "benchmark": str,
            "suite_digest": str,
            "dataset_digest": str,
            "cases": int,
        },
        pk=("run", "number"),
    ).create_index(["suite", "benchmark"])


def _cases(database: Database) -> None:
    _table(database, "rows").create({"digest": str, "row": str}, pk="digest")
    _table(database, "specs").create(
        {"key": int, "section": int, "case_id": str, "row_digest": str, "slices": str}, pk="key"
    )
    _table(database, "cases").create(
        {"key": int, "outcome": str, "failure_class": str, "red": int}, pk="key"
    )
    _table(database, "summaries").create({"key": int, "summary": str}, pk="key")
    _table(database, "details").create({"key": int, "result": bytes, "judgement": bytes}, pk="key")


def _answers(database: Database) -> None:
    _table(database, "answers").create({"key": str, "answer": str}, pk="key")


def _acts(database: Database) -> None:
    _table(database, "intents").create(
        {"id": str, "created_at": str, "state": str, "content": str}, pk="id"
    )
    _table(database, "marks").create(
        {"number": int, "project": str, "created_at": str, "state": str, "content": str},
        pk="number",
    ).create_index(["project", "state"])


def _counters(database: Database) -> None:
    counters = _table(database, "counters")
    counters.create({"name": str, "value": int}, pk="name")
    counters.insert({"name": "run", "value": 0})


Migration = Callable[["Database"], None]


def _first(database: Database) -> None:
    for step in (_runs, _cases, _answers, _acts, _counters):
        step(database)


MIGRATIONS: tuple[Migration, ...] = (_first,)
VERSION = len(MIGRATIONS)


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring a database from ``version`` to ``VERSION`` inside the caller's transaction."""
    from sqlite_utils import Database

    database = Database(connection)
    for migration in MIGRATIONS[version:]:
        migration(database)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
