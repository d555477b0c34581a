"""The rows of a table as they are seen: filtered, ordered, marked, while more of them arrive.

A ``RowView`` knows nothing of screens. Rows are named by their case *index*, which never changes;
a *position* is a place in the current view and changes with every arrival, filter and sort.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from evaltui.models import CaseSummary, FailureClass, Outcome
from evaltui.review.filtering import Predicate

SortKey = Callable[[CaseSummary], Any]

_SEVERITY = {
    Outcome.FAIL: 0,
    Outcome.ERROR: 1,
    Outcome.SUSPENDED: 2,
    Outcome.REVIEW: 3,
    Outcome.SKIPPED: 4,
    Outcome.PASS: 5,
}
_FREE = Decimal(-1)


def _id_key(row: CaseSummary) -> str:
    text = row.case_id
    return text.zfill(20) if text.isascii() and text.isdigit() else text


def _change_key(row: CaseSummary) -> tuple[int, float, str]:
    """Order changes by size: nothing, numbers, likeness (the least alike last), words."""
    text = row.change
    if not text:
        return (0, 0.0, "")
    head = text.split(" ", 1)[0]
    try:
        if head.endswith("%"):
            return (2, 100.0 - float(head[:-1]), "")
        return (1, abs(float(head)), "")
    except ValueError:
        return (3, 0.0, text)


SORT_KEYS: dict[str, SortKey] = {
    "outcome": lambda row: _SEVERITY[row.outcome],
    "case": _id_key,
    "slices": lambda row: " ".join(row.slices),
    "check": lambda row: row.check,
    "change": _change_key,
    "attempts": lambda row: row.attempts,
    "latency": lambda row: row.latency_ms,
    "cost": lambda row: _FREE if row.cost is None else row.cost,
    "decision": lambda row: row.decision,
}

QUICK_FILTERS: dict[str, Predicate | None] = {
    "all": None,
    "red": lambda row: row.red,
    "infrastructure": lambda row: row.failure_class is FailureClass.INFRASTRUCTURE,
    "undecided": lambda row: row.undecided,
}

_MANY = 32


class RowView:
    """Rows by index, and the order in which some of them are shown.

    The order is a list of case indices that rises by (sort key, index); a descending sort reads it
    backwards, so one insertion costs a bisection whichever way the table is turned.
    """

    def __init__(self, rows: Iterable[CaseSummary] = ()) -> None:
        self._rows: list[CaseSummary | None] = []
        self._order: list[int] = []
        self._keys: list[Any] | None = None
        self._predicate: Predicate | None = None
        self._total = 0
        self.sort_column: str | None = None
        self.descending = False
        self.marks: set[int] = set()
        self._load(list(rows))

    @property
    def count(self) -> int:
        """Rows shown."""
        return len(self._order)

    @property
    def total(self) -> int:
        """Rows known, shown or not."""
        return self._total

    def at(self, position: int) -> CaseSummary:
        """The row at a position from 0 to ``count`` - 1."""
        row = self._rows[self._order[self._turn(position)]]
        assert row is not None
        return row

    def row(self, index: int) -> CaseSummary | None:
        """The row of a case, shown or not."""
        return self._rows[index] if 0 <= index < len(self._rows) else None

    def position_of(self, index: int) -> int | None:
        """Where a case is shown, or None."""
        place = self._place(index) if self.row(index) is not None else None
        if place is None or place >= len(self._order) or self._order[place] != index:
            return None
        return self._turn(place)

    def shown(self) -> list[int]:
        """The case indices shown, in their order."""
        return self._order[::-1] if self.descending else list(self._order)

    def _load(self, rows: list[CaseSummary]) -> None:
        """Take rows in one go; those of a stored run come in case order without a gap."""
        if all(row.index == place for place, row in enumerate(rows)):
            self._rows, self._total = list(rows), len(rows)
            self._rebuild()
        else:
            self.put(rows)

    def put(self, rows: Sequence[CaseSummary]) -> bool:
        """Add new rows and replace known ones; answers whether the order changed."""
        latest = {row.index: row for row in rows}
        moved = [row for row in latest.values() if self._moves(row)]
        gone = [row.index for row in moved if self.position_of(row.index) is not None]
        self._remove(gone)
        for row in latest.values():
            self._store(row)
        come = [row.index for row in moved if self._lets_through(row)]
        self._insert(come)
        return bool(gone or come)

    def sort_by(self, column: str | None, descending: bool = False) -> None:
        """Order by a column of ``SORT_KEYS``; None is case order."""
        self.sort_column, self.descending = column, descending
        if column is None:
            self._keys = None
        else:
            key = SORT_KEYS[column]
            self._keys = [None if row is None else key(row) for row in self._rows]
        self._rebuild()

    def filter_by(self, predicate: Predicate | None) -> None:
        """Show only rows for which ``predicate`` holds."""
        self._predicate = predicate
        self._rebuild()

    def next_where(self, test: Predicate, position: int, step: int) -> int | None:
        """The nearest position after (``step`` 1) or before (-1) where ``test`` holds; wraps."""
        count = self.count
        start = position if count else 0
        for distance in range(1, count + 1):
            place = (start + step * distance) % count
            if test(self.at(place)):
                return place
        return None

    def toggle_mark(self, index: int) -> None:
        """Mark a case, or take its mark away."""
        self.marks ^= {index}

    def mark_range(self, first: int, last: int) -> None:
        """Mark every row between two positions, both included."""
        low, high = sorted((first, last))
        self.marks.update(self.at(place).index for place in range(low, high + 1))

    def toggle_all_shown(self) -> None:
        """Mark every row shown; when all of them are marked already, clear those marks."""
        shown = set(self._order)
        self.marks = self.marks - shown if shown <= self.marks else self.marks | shown

    def _turn(self, position: int) -> int:
        return len(self._order) - 1 - position if self.descending else position

    def _lets_through(self, row: CaseSummary) -> bool:
        return self._predicate is None or self._predicate(row)

    def _moves(self, row: CaseSummary) -> bool:
        """Whether a row that arrives changes the order."""
        known = self.row(row.index)
        if known is None:
            return self._lets_through(row)
        if self._lets_through(known) != self._lets_through(row):
            return True
        if self.sort_column is None:
            return False
        key = SORT_KEYS[self.sort_column]
        return bool(key(known) != key(row))

    def _store(self, row: CaseSummary) -> None:
        missing = row.index + 1 - len(self._rows)
        if missing > 0:
            self._rows.extend([None] * missing)
        if self._rows[row.index] is None:
            self._total += 1
        self._rows[row.index] = row
        if self._keys is not None:
            self._keys.extend([None] * (len(self._rows) - len(self._keys)))
            self._keys[row.index] = SORT_KEYS[self.sort_column or "case"](row)

    def _place(self, index: int) -> int:
        keys = self._keys
        if keys is None:
            return bisect_left(self._order, index)
        return bisect_left(self._order, (keys[index], index), key=lambda i: (keys[i], i))

    def _remove(self, indices: list[int]) -> None:
        if len(indices) > _MANY:
            gone = set(indices)
            self._order = [i for i in self._order if i not in gone]
            return
        for index in indices:
            del self._order[self._place(index)]

    def _insert(self, indices: list[int]) -> None:
        """Only what lies behind the first arrival is sorted again: mostly the very end."""
        if len(indices) <= _MANY:
            for index in indices:
                self._order.insert(self._place(index), index)
            return
        first = min(self._place(index) for index in indices)
        tail = self._order[first:] + indices
        tail.sort()
        if self._keys is not None:
            tail.sort(key=self._keys.__getitem__)
        self._order[first:] = tail

    def _rebuild(self) -> None:
        self._order = list(self._passing())
        if self._keys is not None:
            self._order.sort(key=self._keys.__getitem__)

    def _passing(self) -> Iterator[int]:
        test = self._predicate
        if test is None:
            return (row.index for row in self._rows if row is not None)
        return (row.index for row in self._rows if row is not None and test(row))
