"""The run screen: the live table of cases, what the one under the cursor is, and the keys."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container

from evaltui.errors import EvaltuiError
from evaltui.models import Action
from evaltui.review.run_header import Progress
from evaltui.screens.bench import Bench, RowsChanged
from evaltui.screens.case_screen import CaseScreen
from evaltui.screens.filter_line import FilterLine
from evaltui.screens.key_bar import KeyBar
from evaltui.screens.keys import bindings, key_problems
from evaltui.screens.preview import CasePreview
from evaltui.screens.run_header import RunHeader
from evaltui.screens.table import CaseTable

DRAIN_S = 0.05
HEADER_S = 0.1
WIDE = 150
"""From this width on the preview stands beside the table."""
SHORT, TINY = 18, 10
"""Below these heights the preview, then the rest of the head, gives way to the table."""


class RunScreen(CaseScreen):
    """Header, table, preview, status and keys over one bench."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("run", "table")

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.table = CaseTable(bench.desk.view, id="cases")
        self.preview = CasePreview(bench)
        self.filter_line = FilterLine()
        self._settled = False

    def compose(self) -> ComposeResult:
        yield RunHeader()
        with Container(id="body"):
            yield self.table
            yield self.preview
        yield self.filter_line
        yield KeyBar("run", "app")

    def on_mount(self) -> None:
        self.table.focus()
        if self.bench.live is None:
            self._open_stored()
        else:
            self.table.following = True
            self.set_interval(DRAIN_S, self.drain)
        self.set_interval(HEADER_S, self.refresh_head)
        self.refresh_head()

    def on_resize(self) -> None:
        size = self.app.size
        self.set_class(size.width >= WIDE, "-wide")
        self.set_class(size.height < SHORT, "-short")
        self.set_class(size.height < TINY, "-tiny")

    # Rows.

    def _open_stored(self) -> None:
        session = self.bench.session
        if session is not None:
            self._use_keys()
            self.table.receive(session.rows)
            self._settle_on_first_red()

    def drain(self) -> None:
        """Take what the runner sent; called by one timer."""
        live = self.bench.live
        if live is None:
            return
        before = live.state
        rows = live.step()
        self._ensure_session()
        if rows:
            if self.bench.session is not None:
                self.bench.session.receive(rows)
            self.table.receive(rows)
            self._rows_came([row.index for row in rows])
        if live.state != before:
            self._state_changed(live.state)
        while live.ended:
            self.tell(f"{live.ended.pop(0).sentence} (R lists the runs)")

    def _ensure_session(self) -> None:
        bench = self.bench
        if bench.session is not None or bench.live is None or bench.live.run is None:
            return
        if bench.open_session is not None:
            try:
                bench.session = bench.open_session(bench.live.run)
                self._use_keys()
            except EvaltuiError as error:
                self.complain(error)
                bench.open_session = None

    def _use_keys(self) -> None:
        """Give commands the keys of the policy, and say what is wrong with them."""
        self.app.set_keymap(dict(self.bench.keymap))
        for problem in key_problems(self.bench.keymap):
            self.complain(problem)

    def _rows_came(self, indices: list[int]) -> None:
        live = self.bench.live
        if live is not None:
            live.done = min(self.bench.desk.view.total, live.total)
        if self.case_index in indices:
            self.preview.follow(self.case_index)
        self._say_what_is_shown()

    def _state_changed(self, state: str) -> None:
        if state in ("finished", "interrupted"):
            self._take_the_end()
            self._settle_on_first_red()
        elif state == "died":
            self.table.following = False
            if self.bench.session is None:
                self.app.exit()
        self.refresh_head()
        self._say_what_is_shown()

    def _take_the_end(self) -> None:
        session, live = self.bench.session, self.bench.live
        if session is not None and live is not None and live.run is not None:
            session.ended(live.run, live.incomplete)
            self.table.receive(session.rows)

    def _settle_on_first_red(self) -> None:
        """Once all has arrived: to the first red case, unless a person has moved already."""
        untouched = self.table.following or self.bench.live is None
        self.table.following = False
        if self._settled or not untouched:
            return
        self._settled = True
        position = self.bench.desk.next_position(-1, 1)
        self.table.move_to(position or 0)
        self._say_what_is_shown()

    def on_rows_changed(self, message: RowsChanged) -> None:
        self.table.receive(message.rows)
        self.preview.follow(self.case_index)
        self.refresh_head()
        self._say_what_is_shown()
        self.refresh_keys()

    # Head, status, preview.

    def tell(self, text: str) -> None:
        """Say in the status line what was done."""
        self.filter_line.flash(text)

    def refresh_head(self) -> None:
        """Counts and progress, computed from the rows."""
        session, live = self.bench.session, self.bench.live
        if session is None:
            self.query_one(RunHeader).say("starting the run …" if live else "no run")
            return
        count = len(session.rows)
        progress = live.progress() if live else Progress(count, count, session.run.state)
        self.query_one(RunHeader).tell(
            live.run or session.run if live else session.run, session.totals(), progress
        )

    def _say_what_is_shown(self) -> None:
        desk, live = self.bench.desk, self.bench.live
        text = desk.status(self.table.following and self.bench.running)
        if self.bench.introduction and self.bench.running:
            text = f"{self.bench.introduction} · {text}"
        if live is not None and live.problem:
            kept = f"{desk.view.total:,} rows kept"
            resume = live.run.label if live.run else ""
            text = f"the runner died ({live.problem}) · {kept}"
            text += f" · resume with: evaltui run --resume {resume}" if resume else ""
            self.filter_line.say(text, problem=True)
        else:
            self.filter_line.say(text)
        self.table.say_when_empty(desk.nothing_shown())

    @on(CaseTable.CursorMoved)
    def _cursor_moved(self, message: CaseTable.CursorMoved) -> None:
        self.case_index = message.index
        self.refresh_keys()
        self.preview.follow(self.case_index)

    # Moving.

    def action_down(self) -> None:
        self.table.move_by(1)

    def action_up(self) -> None:
        self.table.move_by(-1)

    def action_page(self, direction: int) -> None:
        self.table.page(direction)

    def action_first(self) -> None:
        self.table.move_by(-self.table.position)

    def action_last(self) -> None:
        self.table.move_by(self.bench.desk.view.count)
        self.table.following = self.bench.running
        self._say_what_is_shown()

    def action_next_red(self, step: int) -> None:
        position = self.bench.desk.next_position(self.table.position, step)
        if position is None:
            self.tell("no red case is shown")
        else:
            self.table.following = False
            self.table.move_to(position)

    @on(CaseTable.Opened)
    def action_open(self) -> None:
        from evaltui.screens.diff import DiffScreen

        if self.case_index is not None and self.bench.session is not None:
            self.app.push_screen(DiffScreen(self.bench, self.case_index))

    # What is shown.

    def action_filter(self) -> None:
        self.filter_line.ask(self.bench.desk.filter.text)

    @on(FilterLine.Changed)
    def _filter_changed(self, message: FilterLine.Changed) -> None:
        try:
            self.table.reorder(lambda: self.bench.desk.set_filter(message.text))
        except EvaltuiError as error:
            self.filter_line.warn(str(error))
            return
        self._say_what_is_shown()
        self.filter_line.warn("" if self.bench.desk.view.count else self.bench.desk.nothing_shown())
        self.refresh_keys()

    @on(FilterLine.Closed)
    def _filter_closed(self) -> None:
        self.table.focus()
        self._say_what_is_shown()

    def action_quick(self) -> None:
        self.table.reorder(self.bench.desk.cycle_quick)
        self._say_what_is_shown()
        self.refresh_keys()

    def action_order(self) -> None:
        self.table.reorder(self.bench.desk.order_by_next)
        self._say_what_is_shown()

    def action_reverse(self) -> None:
        self.table.reorder(self.bench.desk.reverse)
        self._say_what_is_shown()

    @on(CaseTable.HeaderClicked)
    def _header_clicked(self, message: CaseTable.HeaderClicked) -> None:
        self.table.reorder(lambda: self.bench.desk.order_by(message.column))
        self._say_what_is_shown()

    def action_preview(self) -> None:
        self.toggle_class("-alone")
        self.preview.follow(self.case_index)

    def action_preview_scroll(self, half_pages: int) -> None:
        self.preview.scroll_lines(half_pages * max(self.preview.size.height // 2, 1))

    def action_back(self) -> None:
        """Cancel what is being chosen: a range, a filter, marks, in this order."""
        desk = self.bench.desk
        if desk.range_from is not None:
            desk.range_from = None
        elif desk.filtered:
            self.table.reorder(desk.show_all)
        elif desk.view.marks:
            desk.view.marks.clear()
            self.table.refresh_marks()
        elif len(self.app.screen_stack) > 1:
            self.app.pop_screen()
        self._say_what_is_shown()
        self.refresh_keys()

    # Marks and wider acts.

    def action_mark(self) -> None:
        if self.case_index is not None:
            self.bench.desk.view.toggle_mark(self.case_index)
            self.table.move_by(1)
            self._marks_changed()

    def action_range(self) -> None:
        if self.case_index is not None:
            self.bench.desk.toggle_range(self.case_index)
            self._marks_changed()

    def action_mark_all(self) -> None:
        self.bench.desk.view.toggle_all_shown()
        self._marks_changed()

    def _marks_changed(self) -> None:
        self.table.refresh_marks()
        self._say_what_is_shown()
        self.refresh_keys()

    def chosen(self) -> list[int]:
        """The marked cases, else the one under the cursor."""
        return self.bench.desk.chosen(self.case_index)

    def action_decide_all(self, action: str) -> None:
        self.decide(Action(action), self.bench.desk.chosen_widely())

    # Elsewhere.

    def action_runs(self) -> None:
        from evaltui.screens.runs import RunsScreen

        if self.bench.session is not None:
            self.app.push_screen(RunsScreen(self.bench.session))

    def action_decisions(self) -> None:
        from evaltui.screens.decisions import DecisionsScreen

        if self.bench.session is not None:
            self.app.push_screen(DecisionsScreen(self.bench.session))

    def action_rerun(self) -> None:
        chosen = self.chosen()
        if chosen and self.bench.live is not None:
            self.bench.live.rerun(chosen)
            self.tell(
                "running 1 case again" if len(chosen) == 1 else f"running {len(chosen)} again"
            )
