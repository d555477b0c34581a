"""What an act of a reviewer leaves in the store: its intent, and its place on the undo stack."""

from __future__ import annotations

from evaltui.errors import StoreError
from evaltui.store.connection import Database, Row
from evaltui.store.records import Intent, Mark, MarkState

_MARK = "number, project, created_at, state, content"


def log_intent(database: Database, intent: Intent) -> None:
    """Write down an act before its first file is touched; on disk when this returns."""
    database.connection.execute("PRAGMA synchronous = FULL")
    try:
        with database.writing() as connection:
            connection.execute(
                "INSERT INTO intents VALUES (?, ?, 'open', ?)",
                (intent.id, intent.created_at, intent.content),
            )
    finally:
        database.connection.execute("PRAGMA synchronous = NORMAL")


def finish_intent(database: Database, intent_id: str, state: str) -> None:
    """Close an intent as ``done`` or ``restored``."""
    with database.writing() as connection:
        connection.execute("UPDATE intents SET state = ? WHERE id = ?", (state, intent_id))


def open_intents(database: Database) -> list[Intent]:
    """Acts that were begun and never closed, oldest first."""
    rows = database.rows(
        "SELECT id, created_at, content FROM intents WHERE state = 'open' ORDER BY rowid"
    )
    return [Intent(*row) for row in rows]


def push_mark(database: Database, project: str, created_at: str, content: str) -> Mark:
    """Put an act on top of the undo stack; what was undone before can no longer be redone."""
    with database.writing() as connection:
        connection.execute(
            "UPDATE marks SET state = ? WHERE project = ? AND state = ?",
            (MarkState.DROPPED, project, MarkState.UNDONE),
        )
        row = connection.execute(
            "INSERT INTO marks (project, created_at, state, content) VALUES (?, ?, ?, ?)"
            f" RETURNING {_MARK}",
            (project, created_at, MarkState.DONE, content),
        ).fetchone()
    return _mark(row)


def set_mark(database: Database, number: int, state: MarkState, content: str | None) -> Mark:
    """Move an act on the stack, with new content where undoing or redoing changed it.

    Raises:
        StoreError: there is no such mark.
    """
    with database.writing() as connection:
        row = connection.execute(
            "UPDATE marks SET state = ?, content = coalesce(?, content) WHERE number = ?"
            f" RETURNING {_MARK}",
            (state, content, number),
        ).fetchone()
    if row is None:
        raise StoreError(f"no mark {number}", place=str(database.path))
    return _mark(row)


def last_done(database: Database, project: str) -> Mark | None:
    """What undo would take back: the newest act in force."""
    return _one(database, project, MarkState.DONE, "DESC")


def next_undone(database: Database, project: str) -> Mark | None:
    """What redo would bring back: the act undone last."""
    return _one(database, project, MarkState.UNDONE, "ASC")


def _one(database: Database, project: str, state: MarkState, order: str) -> Mark | None:
    row = database.row(
        f"SELECT {_MARK} FROM marks WHERE project = ? AND state = ?"
        f" ORDER BY number {order} LIMIT 1",
        (project, state),
    )
    return None if row is None else _mark(row)


def _mark(row: Row) -> Mark:
    number, project, created_at, state, content = row
    return Mark(number, project, created_at, MarkState(state), content)
