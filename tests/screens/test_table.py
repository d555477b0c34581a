"""The case table, in a small app of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import ClassVar

import pytest
from textual.app import App, ComposeResult

from evaltui.models import CaseSummary, Outcome
from evaltui.review.view import RowView
from evaltui.screens.table import CaseTable
from evaltui.screens.theme import DARK
from evaltui.text import cells

RowMaker = Callable[..., CaseSummary]


class TableApp(App[None]):
    CSS_PATH: ClassVar[list[str | PurePath]] = [
        "../../styles/theme.tcss",
        "../../styles/table.tcss",
    ]

    def __init__(self, rows: list[CaseSummary]) -> None:
        super().__init__()
        self.table = CaseTable(RowView(rows))
        self.seen: list[int | None] = []
        self.clicked: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.table

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return DARK.variables

    def on_mount(self) -> None:
        self.register_theme(DARK)
        self.theme = DARK.name
        self.table.focus()

    def on_case_table_cursor_moved(self, message: CaseTable.CursorMoved) -> None:
        self.seen.append(message.index)

    def on_case_table_header_clicked(self, message: CaseTable.HeaderClicked) -> None:
        self.clicked.append(message.column)

    def lines(self) -> list[str]:
        return [self.table.render_line(y).text for y in range(self.table.size.height)]

    def line_of(self, case_id: str) -> int:
        return next(y for y, line in enumerate(self.lines()) if case_id in line)


@pytest.fixture
def every_other(make_row: RowMaker) -> list[CaseSummary]:
    return [make_row(index) for index in range(1, 400, 2)]


async def test_the_case_under_the_cursor_keeps_its_line_when_rows_arrive_above(
    every_other: list[CaseSummary], make_row: RowMaker
) -> None:
    app = TableApp(every_other)
    async with app.run_test(size=(80, 24)) as pilot:
        app.table.move_to(100)
        app.table.move_to(95)
        await pilot.pause()
        before = app.line_of("case-000191")
        app.table.receive([make_row(index) for index in range(0, 150, 2)])
        await pilot.pause()
        assert app.table.cursor == 191
        assert app.line_of("case-000191") == before
        assert app.lines()[before].startswith("›")


async def test_the_scroll_line_stays_when_the_cursor_is_out_of_sight(
    every_other: list[CaseSummary], make_row: RowMaker
) -> None:
    app = TableApp(every_other)
    async with app.run_test(size=(80, 24)) as pilot:
        app.table.move_to(0)
        app.table.scroll_to(y=120, animate=False)
        await pilot.pause()
        top = app.lines()[1]
        app.table.receive([make_row(index) for index in range(0, 300, 2)])
        await pilot.pause()
        assert app.lines()[1] == top
        assert app.table.cursor == 1


async def test_rows_that_arrive_below_move_nothing(make_row: RowMaker) -> None:
    app = TableApp([make_row(index) for index in range(50)])
    async with app.run_test(size=(80, 24)) as pilot:
        app.table.move_to(4)
        await pilot.pause()
        before = app.lines()
        app.table.receive([make_row(index) for index in range(50, 5000)])
        await pilot.pause()
        assert app.lines() == before
        assert app.table.virtual_size.height == 5001


async def test_an_update_draws_only_its_own_line(make_row: RowMaker) -> None:
    app = TableApp([make_row(index) for index in range(50)])
    async with app.run_test(size=(80, 24)) as pilot:
        app.table.move_to(4)
        await pilot.pause()
        drawn: list[int] = []
        original = app.table.render_line

        def watched(y: int) -> object:
            drawn.append(y)
            return original(y)

        app.table.render_line = watched  # type: ignore[method-assign,assignment]
        app.table.receive([make_row(7, outcome=Outcome.FAIL)])
        await pilot.pause()
        assert set(drawn) == {8}
        assert "✗ fail" in original(8).text


@pytest.mark.parametrize("width", [80, 120, 200])
async def test_every_kind_of_text_starts_its_columns_at_the_same_cell(
    width: int, make_row: RowMaker
) -> None:
    hostile = ["\x1b[31m[/b] x", "a\x00b\u202e"]
    names = ["plain", "漢字テスト", "שלום", "e\u0301\u0301", "👩\u200d👩\u200d👧", *hostile]
    rows = [make_row(i, case_id=name, check="CHECK") for i, name in enumerate(names)]
    app = TableApp(rows)
    async with app.run_test(size=(width, 24)):
        lines = app.lines()[1 : len(names) + 1]
        assert {cells(line.partition("CHECK")[0]) for line in lines} == {
            cells(lines[0].partition("CHECK")[0])
        }
        title = app.lines()[0].index("check")
        assert title == cells(lines[0].partition("CHECK")[0])
        assert "\x1b" not in "".join(lines)
        assert "[/b] x" in lines[5]


async def test_sorting_keeps_the_case_under_the_cursor(make_row: RowMaker) -> None:
    app = TableApp([make_row(index, latency_ms=float(index % 17)) for index in range(200)])
    async with app.run_test(size=(80, 24)) as pilot:
        app.table.move_to(42)
        view = app.table.source
        assert isinstance(view, RowView)
        app.table.reorder(lambda: view.sort_by("latency", descending=True))
        await pilot.pause()
        assert app.table.cursor == 42
        assert view.at(app.table.position).index == 42
        assert any(line.startswith("›") and "case-000042" in line for line in app.lines())


async def test_a_filter_that_hides_the_case_puts_the_cursor_near(make_row: RowMaker) -> None:
    app = TableApp([make_row(index) for index in range(20)])
    async with app.run_test(size=(80, 24)) as pilot:
        app.table.move_to(7)
        view = app.table.source
        assert isinstance(view, RowView)
        app.table.reorder(lambda: view.filter_by(lambda row: row.index % 5 == 0))
        await pilot.pause()
        assert app.table.cursor == 15
        app.table.reorder(lambda: view.filter_by(lambda row: False))
        await pilot.pause()
        assert app.seen[-1] is None


async def test_mouse_clicks_choose_a_row_or_a_column(make_row: RowMaker) -> None:
    app = TableApp([make_row(index) for index in range(50)])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.click(CaseTable, offset=(10, 5))
        assert app.table.cursor == 4
        await pilot.click(CaseTable, offset=(18, 0))
        assert app.clicked == ["case"]


async def test_the_cursor_survives_a_tiny_terminal(make_row: RowMaker) -> None:
    app = TableApp([make_row(index) for index in range(500)])
    async with app.run_test(size=(120, 40)) as pilot:
        app.table.move_to(300)
        await pilot.resize_terminal(20, 5)
        await pilot.pause()
        assert any(line.startswith("›") for line in app.lines())
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert app.table.cursor == 300
        assert any(line.startswith("›") and "case-000300" in line for line in app.lines())


async def test_following_keeps_the_newest_row_in_sight_until_a_key_is_pressed(
    make_row: RowMaker,
) -> None:
    app = TableApp([])
    async with app.run_test(size=(80, 24)) as pilot:
        app.table.following = True
        app.table.receive([make_row(index) for index in range(100)])
        await pilot.pause()
        assert app.table.cursor == 99
        app.table.move_by(-1)
        app.table.receive([make_row(index) for index in range(100, 200)])
        await pilot.pause()
        assert app.table.cursor == 98
