"""What a person is about to do, what they fill in, and what came of it."""

from __future__ import annotations

from msgspec import Struct, field

from evaltui.models import Action, CaseSummary, Cause, Decision, Section, Target
from evaltui.review.links import Family
from evaltui.review.reviewer import Reviewer


class Refusal(Struct, frozen=True):
    """A case that the act cannot cover. ``kind`` is a word or two to count by."""

    index: int
    case_id: str
    kind: str
    reason: str


class PlannedTarget(Struct, frozen=True):
    """One target of an act, and what it looked like when it was shown."""

    index: int
    """The case in the run; -1 when the target is no case of it."""
    section: Section
    target: Target
    family: Family
    ends: tuple[str, ...] = ()
    """The decisions it follows, the one in force first."""
    old: str | None = None
    """Tagged JSON of the value on disk or last accepted."""
    new: str | None = None
    """Tagged JSON of the value to accept."""
    effect: str = ""
    """One line: what changes."""
    run_id: str | None = None
    """The run that an answer for once counts in."""
    advised: str = ""
    """The answer that the program itself advises a person to give."""

    @property
    def shown(self) -> tuple[object, ...]:
        """What must still be so when the act is committed."""
        return self.target, self.ends


class Choices(Struct, frozen=True):
    """What can be chosen before a plan is made; every one has a sensible default."""

    scope: str | None = None
    """Widening: ``check`` (default), ``case``, ``slice`` or ``benchmark``."""
    slice: str | None = None
    """Widening a slice: which; default the first of the case."""
    check: str | None = None
    """Only this check; default all that the act can cover."""
    tolerance: str | None = None
    """The new tolerance; default the smallest under which the cases pass."""
    decision: str | None = None
    """Reverting: id or its beginning. In a conflict: the decision whose value to accept."""
    new_case_id: str | None = None
    """Relinking: the id that the case has now."""


class ActPlan(Struct, frozen=True):
    """An act ready to be confirmed; nothing is written before ``Session.commit``."""

    action: Action
    choices: Choices
    asked: tuple[int, ...]
    """The cases that were asked for."""
    indices: tuple[int, ...]
    """Those that the act can cover."""
    targets: tuple[PlannedTarget, ...]
    refused: tuple[Refusal, ...]
    effects: tuple[str, ...]
    warnings: tuple[str, ...]
    sentence: str
    """Such as ``37 of 50 can be accepted; 8 no result, 5 assert``."""
    needs: tuple[str, ...]
    """Names of the members of ``DecisionForm`` that the act needs, in the order to ask."""
    tolerance: str | None = None
    """Widening: the number that the plan was made with."""
    turns_green: int = 0
    """Widening: red cases of the run that would pass."""

    @property
    def possible(self) -> bool:
        """Whether there is anything to confirm."""
        return bool(self.targets)


class DecisionForm(Struct, frozen=True):
    """What a person fills in; which members are needed, ``ActPlan.needs`` says."""

    reviewer: Reviewer
    reason: str = ""
    cause: Cause | None = None
    expires: str = ""
    """A day (``2027-01-31``) or a span (``90d``)."""
    value: str = ""
    """Approving: the answer as text; default ``approved``."""
    note: str = ""
    """Denying: the reason given to the program. Annotating: the note."""
    scope: str = "until"
    """Answering an escalation: ``once`` (this run) or ``until`` the expiry."""
    how: str = "deny_value"
    """Denying: ``deny_value`` or ``deny_stop``."""
    tolerance: str = ""
    """Widening: the new number, when it is not that of the plan."""
    source: str = ""
    requirement: str = ""


class ActResult(Struct, frozen=True):
    """What an act did."""

    decisions: tuple[Decision, ...]
    """One for each suite folder concerned."""
    changed: tuple[CaseSummary, ...]
    """Rows that mean something else now."""
    message: str
    rerun: tuple[int, ...] = field(default=())
    """Cases that can run on, or should run again."""

    @property
    def decision(self) -> Decision:
        """The first, and nearly always only, decision."""
        return self.decisions[0]


NEEDS: dict[Action, tuple[str, ...]] = {
    Action.ACCEPT_BASELINE: ("reviewer", "cause", "reason", "expires"),
    Action.WIDEN_TOLERANCE: ("reviewer", "tolerance", "reason", "expires"),
    Action.WAIVE: ("reviewer", "reason", "expires"),
    Action.RENEW: ("reviewer", "reason", "expires"),
    Action.APPROVE_ESCALATION: ("reviewer", "value", "scope", "expires", "reason"),
    Action.DENY_ESCALATION: ("reviewer", "note", "how", "scope", "expires"),
    Action.REVISE_FIXTURE: ("reviewer", "source", "requirement", "reason"),
    Action.RETRY_INFRASTRUCTURE: ("reviewer", "reason"),
    Action.FIX_ADAPTER: ("reviewer", "reason"),
    Action.BLOCK_RELEASE: ("reviewer", "reason"),
    Action.RELINK: ("reviewer", "new_case_id"),
    Action.ANNOTATE: ("reviewer", "note"),
    Action.REVERT: ("reviewer",),
}
"""Members of ``DecisionForm`` (``new_case_id``: of ``Choices``) by action."""

VERBS: dict[Action, str] = {
    Action.ACCEPT_BASELINE: "accepted",
    Action.WIDEN_TOLERANCE: "widened",
    Action.WAIVE: "waived",
    Action.RENEW: "renewed",
    Action.APPROVE_ESCALATION: "approved",
    Action.DENY_ESCALATION: "denied",
    Action.REVISE_FIXTURE: "marked as revised",
    Action.RETRY_INFRASTRUCTURE: "marked for retry",
    Action.FIX_ADAPTER: "marked as an adapter fix",
    Action.BLOCK_RELEASE: "blocked",
    Action.RELINK: "linked",
    Action.ANNOTATE: "noted",
    Action.REVERT: "reverted",
}
"""What happens to a case, as in ``37 of 50 can be accepted``."""
