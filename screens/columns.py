"""The columns of the case table: what each shows, and how they share the width there is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from evaltui.models import CaseSummary
from evaltui.review.formats import cost_text, duration_text
from evaltui.review.spans import GLYPHS
from evaltui.text import cells, clip, pad

_SNAPSHOT = re.compile(r"^snapshot `[^`]*`:? ?")
GUTTER = 2
"""Cells before the first column: the cursor's sign and the mark."""
_NEAR = 12
"""Spare cells that go to the other columns before the outcome gets its last ones."""


def _gap(width: int) -> int:
    """Cells between columns."""
    return 1 if width < 100 else 2


@dataclass(frozen=True, slots=True)
class Column:
    """One column. ``rank`` says when it goes as space runs out: the lowest first, 0 never."""

    name: str
    title: str
    text: Callable[[CaseSummary], str]
    least: int
    most: int
    rank: int
    right: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """A column with the cells it got; ``start`` counts from the left edge of the table."""

    column: Column
    start: int
    width: int

    def fit(self, text: str) -> str:
        """``text`` made safe, in exactly ``width`` cells."""
        if not self.column.right:
            return pad(text, self.width)
        clipped = clip(text, self.width)
        return " " * (self.width - cells(clipped)) + clipped


def outcome_text(row: CaseSummary) -> str:
    """Glyph and word, so that colour never carries the meaning alone."""
    word = f"{row.outcome} waived" if row.waived else str(row.outcome)
    return f"{GLYPHS[row.outcome]} {word}"


def check_text(row: CaseSummary) -> str:
    """The failing check, else the kind of error; badges behind it."""
    what = row.check.removesuffix(f":{row.case_id}") or row.kind
    return " ".join((what, *(f"[{badge}]" for badge in row.badges))).strip()


def change_text(row: CaseSummary) -> str:
    """How the value moved; without that the message, less what the check column says already."""
    return row.change or _SNAPSHOT.sub("", row.message)


COLUMNS = (
    Column("outcome", "outcome", outcome_text, 11, 14, 0),
    Column("case", "case", lambda row: row.case_id, 16, 40, 0),
    Column("slices", "slices", lambda row: " ".join(row.slices), 8, 22, 4),
    Column("check", "check", check_text, 12, 26, 6),
    Column("change", "change", change_text, 10, 60, 7),
    Column("attempts", "try", lambda row: str(row.attempts or ""), 3, 3, 1, right=True),
    Column("latency", "time", lambda row: duration_text(row.latency_ms), 7, 7, 3, right=True),
    Column("cost", "cost", lambda row: cost_text(row.cost), 8, 8, 2, right=True),
    Column("decision", "decision", lambda row: row.decision, 14, 34, 5),
)


def lay_out(width: int) -> tuple[Placed, ...]:
    """Share ``width`` cells: drop columns by rank until the rest fit, then widen what can grow.

    Every start depends on the width alone, never on a row, so all rows line up.
    """
    columns = list(COLUMNS)
    gap = _gap(width)
    while _needed(columns, gap) > width and any(column.rank for column in columns):
        columns.remove(min((c for c in columns if c.rank), key=lambda c: c.rank))
    spare = width - _needed(columns, gap)
    if spare < 0:
        return _place(columns, _squeezed(columns, width - GUTTER - gap), gap)
    return _place(columns, _grown(columns, spare), gap)


def _needed(columns: list[Column], gap: int) -> int:
    return GUTTER + sum(c.least for c in columns) + gap * (len(columns) - 1)


def _grown(columns: list[Column], spare: int) -> list[int]:
    """Share out ``spare`` in proportion to how much each column could still use."""
    room = [column.most - column.least for column in columns]
    first = min(max(spare - _NEAR, 0), room[0])
    total = sum(room[1:])
    share = min(spare - first, total)
    grown = [first, *(share * more // total if total else 0 for more in room[1:])]
    grown[1] += spare - sum(grown)
    return [column.least + more for column, more in zip(columns, grown, strict=True)]


def _squeezed(columns: list[Column], room: int) -> list[int]:
    """Too narrow even for the two columns that always show: the outcome keeps its glyph."""
    room = max(room, 0)
    first = min(columns[0].least, max(room // 2, min(room, 1)))
    return [first, room - first]


def _place(columns: list[Column], widths: list[int], gap: int) -> tuple[Placed, ...]:
    placed = []
    start = GUTTER
    for column, width in zip(columns, widths, strict=True):
        placed.append(Placed(column, start, width))
        start += width + gap
    return tuple(placed)
