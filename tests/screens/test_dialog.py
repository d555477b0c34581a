"""The dialog before an act: where the focus goes, what it shows, what it gives to the program."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from textual.widgets import Input, Select

from evaltui.models import Cause
from evaltui.review.reviewer import Reviewer
from evaltui.review.session import Session
from evaltui.screens.bench import Bench
from evaltui.screens.field_row import FieldRow

if TYPE_CHECKING:
    from tests.screens.conftest import Opened, Seen

Decisions = Callable[[], list[Path]]


@pytest.fixture
def bench(stored: Session) -> Bench:
    return Bench(session=stored)


def field(seen: Seen) -> str:
    """The name of the field with the focus."""
    focused = seen.app.focused
    assert focused is not None
    return next(one.field_name for one in focused.ancestors if isinstance(one, FieldRow))


def go_to(seen: Seen, bench: Bench, case_id: str) -> None:
    assert bench.session is not None
    position = bench.desk.view.position_of(bench.session.find_case(case_id))
    seen.run.table.move_to(position or 0)


async def test_after_choosing_a_cause_one_types_the_reason(
    bench: Bench, opened: Opened, decisions: Decisions
) -> None:
    async with opened(bench) as seen:
        known = set(decisions())
        await seen.ask("a")
        assert field(seen) == "cause"
        await seen.tap("enter", "enter")
        first = next(iter(Cause))
        assert seen.dialog.texts["cause"] == first, "the list opens on the first cause"
        assert field(seen) == "reason"
        await seen.type("days changed")
        await seen.tap("enter")
        await seen.until(lambda: set(decisions()) - known)
        (written,) = set(decisions()) - known
        act = json.loads(written.read_text())
        assert (act["cause"], act["reason"]) == (first, "days changed")


async def test_choosing_the_cause_that_is_held_goes_on_too(bench: Bench, opened: Opened) -> None:
    async with opened(bench) as seen:
        await seen.ask("a")
        seen.dialog.fill(cause="other")
        await seen.tap("enter", "enter")
        assert seen.dialog.texts["cause"] == "other"
        assert field(seen) == "reason"


async def test_the_last_choice_leads_to_confirming(bench: Bench, opened: Opened) -> None:
    async with opened(bench) as seen:
        go_to(seen, bench, "claim")
        await seen.ask("y")
        choices = [row.field_name for row in seen.dialog.query(FieldRow) if row.query(Select)]
        assert choices == ["scope"]
        seen.dialog.query_one("#field-scope", FieldRow).enter()
        await seen.tap("enter", "enter")
        assert field(seen) == "expires"


async def test_an_approval_asks_why_and_gives_the_program_what_it_advised(
    bench: Bench, opened: Opened, decisions: Decisions
) -> None:
    async with opened(bench) as seen:
        known = set(decisions())
        go_to(seen, bench, "claim")
        await seen.ask("y")
        assert field(seen) == "reason"
        assert "as advised" in seen.line("answer the program gets   pay")
        await seen.tap("ctrl+s")
        assert "the reason is missing" in seen.text()
        await seen.type("a small sum")
        await seen.confirm()
        (written,) = set(decisions()) - known
        act = json.loads(written.read_text())
        assert act["reason"] == "a small sum"
        assert act["targets"][0]["value"]["value"] == "pay"


async def test_the_mail_stands_beside_the_name_until_the_name_is_another(
    stored: Session, opened: Opened
) -> None:
    stored.reviewer = Reviewer("ana", "ana@example.org")
    async with opened(Bench(session=stored)) as seen:
        await seen.ask("a")
        row = seen.dialog.query_one("#field-reviewer", FieldRow)
        assert row.text == "ana"
        assert "ana@example.org" in seen.line("reviewer")
        row.query_one(Input).value = "bo"
        await seen.handled()
        assert "ana@example.org" not in seen.text()


async def test_a_long_list_is_counted_and_scrolls_while_a_field_has_the_focus(
    stored: Session, opened: Opened
) -> None:
    bench = Bench(session=stored)
    async with opened(bench, (80, 18)) as seen:
        await seen.ask("A")
        assert "can be accepted" in seen.text()
        assert "of 8, PgDn" in seen.line("showing")
        await seen.tap(*["pagedown"] * 8)
        assert "to 8 of 8, PgUp" in seen.line("showing")
        assert field(seen) == "cause"
        await seen.tap(*["pageup"] * 8)
        assert "of 8, PgDn" in seen.line("showing")


async def test_what_is_refused_is_said_once_and_closes(bench: Bench, opened: Opened) -> None:
    async with opened(bench, (120, 30)) as seen:
        go_to(seen, bench, "same")
        await seen.ask("y")
        assert seen.text().count("does not wait") == 1
        assert "esc closes" in seen.text()
        assert "confirms" not in seen.text()
        await seen.tap("escape")
        assert "esc closes" not in seen.text()
