"""What the screens share: the session, the run that is going on, and what is on the desk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from evaltui.errors import EvaltuiError
from evaltui.models import CaseSummary, RunInfo
from evaltui.review.desk import Desk
from evaltui.review.live import LiveRun

if TYPE_CHECKING:
    from evaltui.review.case_places import Place
    from evaltui.review.form import FormRules
    from evaltui.review.session import Session


@dataclass
class RowsChanged(Message):
    """Posted to every open screen after an act."""

    rows: Sequence[CaseSummary]


def opened_beside(session: Session, run_id: str) -> Session:
    """Another run of the same store.

    Raises:
        StoreError: no such run.
        DecisionError: a decision file cannot be read.
    """
    return type(session).open(
        session.store,
        run_id,
        session.policy,
        session.clock,
        session.ids,
        reviewer=session.reviewer,
    )


@dataclass
class Bench:
    """``session`` is None until the run has begun; ``live`` is None for a stored run."""

    session: Session | None = None
    live: LiveRun | None = None
    open_session: Callable[[RunInfo], Session] | None = None
    """Makes the session once a live run says which one it is."""
    first_paint: Callable[[], None] | None = None
    """Called once when the screen stands, for measuring."""
    introduction: str = ""
    """What a newcomer should know; stands in the status line while the run goes on."""
    desk: Desk = field(default_factory=Desk)

    @property
    def keymap(self) -> Mapping[str, str]:
        """Command ids and the keys that the policy gives them."""
        return {} if self.session is None else self.session.policy.keys

    @property
    def running(self) -> bool:
        """Whether cases are still being run."""
        return self.live is not None and self.live.progress().live

    @property
    def can_rerun(self) -> bool:
        """Whether there is a runner that would take cases."""
        return self.live is not None and self.live.state != "died"

    def rules(self) -> FormRules | None:
        """What the dialog starts with and checks against; None without a session."""
        from evaltui.review.expiry import days_of
        from evaltui.review.form import FormRules

        if self.session is None:
            return None
        expiry = self.session.policy.expiry
        return FormRules(
            today=self.session.clock.today(),
            reviewer=self.session.reviewer,
            expiry=expiry.default,
            longest=days_of(expiry.max),
        )

    def case_place(self, row: CaseSummary) -> Place | None:
        """Where the case is written, if that can be opened here."""
        if self.session is None or self.suite_path(row.section) is None:
            return None
        from evaltui.review.case_places import place_of

        try:
            digest = self.session.detail(row.index).spec.row_digest
        except EvaltuiError:
            digest = ""
        return place_of(self.session.run.sections[row.section], row.case_id, digest)

    def suite_path(self, section: int) -> Path | None:
        """The file of a section, if it can be opened here."""
        if self.session is None:
            return None
        found = self.session.run.sections[section]
        path = Path(found.folder) / found.suite
        return path if path.is_file() else None
