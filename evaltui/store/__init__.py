"""The SQLite trace store: runs, cases, answers, and what acts leave behind."""

from evaltui.store.records import (
    CachedAnswer,
    CaseRecord,
    Intent,
    Mark,
    MarkState,
    RunRow,
)
from evaltui.store.store import Store, open_store
from evaltui.store.writer import Writer

__all__ = [
    "CachedAnswer",
    "CaseRecord",
    "Intent",
    "Mark",
    "MarkState",
    "RunRow",
    "Store",
    "Writer",
    "open_store",
]
