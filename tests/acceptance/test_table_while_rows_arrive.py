"""The table of cases while 5,000 rows a second arrive, up to 100,000, and whatever they hold."""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Decimal
from pathlib import PurePath
from typing import Any, ClassVar

import pytest
from textual.app import App, ComposeResult

from evaltui.models import CaseSummary, Outcome
from evaltui.review.view import RowView
from evaltui.screens.columns import lay_out
from evaltui.screens.table import CaseTable
from evaltui.screens.theme import DARK
from evaltui.text import cells

TOTAL = 100_000
A_SECOND = 5_000
A_DRAIN = A_SECOND // 20
"""What arrives between two drains of the buffer, which come every 50 ms."""
FIRST = 2_000
KINDS = (
    "plain text",
    "漢字テスト日本語",
    "שלום עולם مرحبا",
    "e\u0301\u0301a\u0308",
    "👩\u200d👩\u200d👧 🇫🇷",
    "\x1b[31m[/b] \u202eevil\x9b2J\x00",
    "壊れています" * 40,
)
"""ASCII, wide, right to left, combining, joined, hostile, far too long."""
COLUMNS = ("case_id", "slices", "check", "change", "decision")


class TableApp(App[None]):
    CSS_PATH: ClassVar[list[str | PurePath]] = [
        "../../styles/theme.tcss",
        "../../styles/table.tcss",
    ]

    def __init__(self, rows: list[CaseSummary]) -> None:
        super().__init__()
        self.table = CaseTable(RowView(rows))

    def compose(self) -> ComposeResult:
        yield self.table

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return DARK.variables

    def on_mount(self) -> None:
        self.register_theme(DARK)
        self.theme = DARK.name
        self.table.focus()

    def lines(self) -> list[str]:
        """What stands on screen, header first."""
        return [self.table.render_line(y).text for y in range(self.table.size.height)]


def row(index: int, **members: Any) -> CaseSummary:  # noqa: ANN401
    values: dict[str, Any] = {
        "case_id": f"case-{index:06}",
        "slices": ("lang=fr",),
        "check": "assert#1",
        "change": "+0.25",
        "decision": "accepted ana",
        "attempts": 777,
        "latency_ms": 12.0,
        "cost": Decimal("0.001"),
    }
    return CaseSummary(index, 0, outcome=Outcome.FAIL, **(values | members))


def arrivals() -> Iterator[list[CaseSummary]]:
    """Cases as they end: neighbours overtake each other, every seventh comes a second late."""
    chance = random.Random(5)
    order = sorted(
        range(FIRST, TOTAL),
        key=lambda index: index + chance.random() * 64 + (A_SECOND if index % 7 == 0 else 0),
    )
    late = [index for index in range(FIRST) if index % 7 == 0]
    order[A_SECOND:A_SECOND] = late
    for start in range(0, len(order), A_DRAIN):
        yield [row(index) for index in order[start : start + A_DRAIN]]


@pytest.mark.parametrize("scrolled_away", [False, True])
async def test_the_case_under_the_cursor_and_the_scroll_line_stay(scrolled_away: bool) -> None:
    app = TableApp([row(index) for index in range(FIRST) if index % 7])
    async with app.run_test(size=(120, 40)) as pilot:
        app.table.move_to(1000)
        if scrolled_away:
            app.table.scroll_to(y=300, animate=False)
        await pilot.pause()
        case, top = app.table.cursor, app.lines()[1]
        # Rows may arrive between the first line and the cursor: then the cursor's line stays.
        before = [y for y, line in enumerate(app.lines()) if line.startswith("›")]
        assert bool(before) is not scrolled_away
        for number, rows in enumerate(arrivals()):
            app.table.receive(rows)
            if number % 16 == 0:
                await pilot.pause(0)
                assert app.table.cursor == case
                assert not scrolled_away or app.lines()[1] == top
                assert [y for y, line in enumerate(app.lines()) if line.startswith("›")] == before
        assert app.table.source.count == TOTAL


@pytest.mark.parametrize("width", [80, 200])
async def test_every_kind_of_text_starts_each_column_at_the_same_cell(width: int) -> None:
    texts = [(column, text) for column in COLUMNS for text in KINDS]
    rows = [
        row(index, **{column: (text,) if column == "slices" else text})
        for index, (column, text) in enumerate(texts)
    ]
    app = TableApp(rows)
    async with app.run_test(size=(width, len(rows) + 2)):
        header, *lines = app.lines()
        names = [one.column for one in lay_out(width) if one.column.name != "outcome"]
        for column in names:
            plain = "case-0" if column.name == "case" else column.text(row(0))
            starts = {cells(line.partition(plain)[0]) for line in lines if plain in line}
            assert len(starts) == 1, (column.name, starts)
            if not column.right:
                assert starts == {cells(header.partition(column.title)[0])}
        assert len(names) == (5 if width == 80 else 8)
        assert {cells(line) for line in lines} == {cells(header)}
