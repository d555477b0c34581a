"""Where decisions stand in chains: which chain, after which earlier decision."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from evaltui.models import Action, Decision, Target


class Family(StrEnum):
    """Decisions of one family about one target follow each other; families do not mix."""

    VALUE = "value"
    TOLERANCE = "tolerance"
    WAIVER = "waiver"
    ESCALATION = "escalation"
    RELEASE = "release"
    NOTE = "note"
    """Acts that only record something: each is a chain of its own and never conflicts."""


_FAMILY = {
    Action.ACCEPT_BASELINE: Family.VALUE,
    Action.WIDEN_TOLERANCE: Family.TOLERANCE,
    Action.WAIVE: Family.WAIVER,
    Action.APPROVE_ESCALATION: Family.ESCALATION,
    Action.DENY_ESCALATION: Family.ESCALATION,
    Action.BLOCK_RELEASE: Family.RELEASE,
}
_NAMING = (Action.REVERT, Action.RENEW)
Relinks = Mapping[tuple[str, str, str], str]
"""(suite, benchmark, old case id) to the id that the case has now."""


class Key(Struct, frozen=True):
    """What a chain is about. ``part`` is the check, the slice or the escalation, by family."""

    family: Family
    suite: str
    benchmark: str
    case_id: str | None
    part: tuple[str | int | None, ...] = (None,)


class Link(Struct, frozen=True):
    """One decision in one chain. ``undoes`` is the decision that a revert names."""

    decision: Decision
    target: Target
    key: Key
    parents: tuple[str, ...]
    undoes: str | None = None


class Linker:
    """Finds the links of decisions; a renew or revert stands where what it names stands."""

    def __init__(self, decisions: Mapping[str, Decision], relinks: Relinks) -> None:
        self.decisions = decisions
        self.relinks = relinks
        self.problems: list[str] = []
        self._known: dict[str, tuple[Link, ...]] = {}

    def links(self, decision: Decision) -> tuple[Link, ...]:
        """The places that a decision takes, one or more for each of its targets."""
        return self._links(decision, frozenset())

    def key(self, target: Target, family: Family, run_id: str | None = None) -> Key:
        """The chain of a target; ``run_id`` only for escalations answered once."""
        case_id = self.current_id(target.suite, target.benchmark, target.case_id)
        part = _part(target, family, run_id)
        return Key(family, target.suite, target.benchmark, case_id, part)

    def current_id(self, suite: str, benchmark: str, case_id: str | None) -> str | None:
        """The id that history filed under ``case_id`` belongs to now."""
        if case_id is None or not self.relinks:
            return case_id
        return self.relinks.get((suite, benchmark, case_id), case_id)

    def _links(self, decision: Decision, seen: frozenset[str]) -> tuple[Link, ...]:
        known = self._known.get(decision.id)
        if known is not None:
            return known
        if decision.id in seen:
            self.problems.append(f"decision {decision.id[:12]} names itself in a circle")
            return ()
        naming = decision.action in _NAMING
        links = self._naming(decision, seen | {decision.id}) if naming else self._plain(decision)
        self._known[decision.id] = links
        return links

    def _plain(self, decision: Decision) -> tuple[Link, ...]:
        family = _FAMILY.get(decision.action, Family.NOTE)
        if family is Family.NOTE:
            return tuple(
                Link(decision, one, _note_key(decision, one), ()) for one in decision.targets
            )
        run_id = decision.run_id if decision.scope == "once" else None
        return tuple(
            Link(decision, target, self.key(target, family, run_id), _parents(target))
            for target in decision.targets
        )

    def _naming(self, decision: Decision, seen: frozenset[str]) -> tuple[Link, ...]:
        links: list[Link] = []
        for target in decision.targets:
            named = self.decisions.get(target.decision or "")
            if named is None:
                self.problems.append(
                    f"decision {decision.id[:12]} names {str(target.decision)[:12]}, which is gone"
                )
                continue
            parents = _parents(target) or (named.id,)
            undoes = named.id if decision.action is Action.REVERT else None
            links += [
                Link(decision, target, link.key, parents, undoes)
                for link in self._links(named, seen)
                if self._means(target, link.key)
            ]
        return tuple(links)

    def _means(self, target: Target, key: Key) -> bool:
        """Whether a target that names a decision, whole or in part, means this chain of it."""
        if not target.suite:
            return True
        case_id = target.case_id
        if key.family is not Family.NOTE:
            case_id = self.current_id(target.suite, target.benchmark, case_id)
        return (
            (target.suite, target.benchmark) == (key.suite, key.benchmark)
            and (case_id is None or case_id == key.case_id)
            and (target.check is None or target.check in key.part)
            and (target.slice is None or target.slice in key.part)
            and (target.escalation is None or key.part[:3] == _part(target, Family.ESCALATION)[:3])
        )


def _parents(target: Target) -> tuple[str, ...]:
    return (target.parent,) if target.parent else ()


def _note_key(decision: Decision, target: Target) -> Key:
    part = (decision.id, target.check)
    return Key(Family.NOTE, target.suite, target.benchmark, target.case_id, part)


def _part(
    target: Target, family: Family, run_id: str | None = None
) -> tuple[str | int | None, ...]:
    if family is Family.VALUE:
        return (target.check,)
    if family is Family.TOLERANCE:
        return (target.check, target.slice)
    if family is Family.ESCALATION:
        return (target.escalation, target.arguments_digest, target.occurrence or 0, run_id)
    return (None,)
