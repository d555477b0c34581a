"""All chains of a suite folder, arranged by benchmark and case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import date

from msgspec import Struct, field

from evaltui.models import Action, Decision, Target
from evaltui.review.chains import ChainState, Held, add, resolve
from evaltui.review.links import Family, Key, Link, Linker, Relinks
from evaltui.review.log import DecisionLog


class CaseChains(Struct):
    """Every chain that names one case."""

    values: dict[str, ChainState] = field(default_factory=dict)
    """By check id."""
    tolerances: dict[str | None, ChainState] = field(default_factory=dict)
    """By check id; None stands for the whole case."""
    escalations: dict[tuple[str | int | None, ...], ChainState] = field(default_factory=dict)
    """By name, arguments digest, occurrence and, when it counts once, run id."""
    waiver: ChainState | None = None
    release: ChainState | None = None
    notes: list[Held] = field(default_factory=list)
    """Acts that only record something and were not taken back."""

    has_conflict: bool = False
    """Whether a chain other than those of values, which show at their checks, has two ends."""

    def states(self) -> Iterator[ChainState]:
        """All chains of the case but its notes."""
        yield from self.values.values()
        yield from self.tolerances.values()
        yield from self.escalations.values()
        yield from (state for state in (self.waiver, self.release) if state)


class SectionChains(Struct):
    """The chains of one benchmark: by case, and those that cover more than a case."""

    cases: dict[str, CaseChains] = field(default_factory=dict)
    wide_values: dict[str, ChainState] = field(default_factory=dict)
    """Adopted baselines whose case was not known, by check id."""
    wide_tolerances: list[ChainState] = field(default_factory=list)
    """Of a slice, or of a check in all cases."""


class Chains:
    """All chains of a log as of one day."""

    def __init__(self, log: DecisionLog, today: date) -> None:
        self.log = log
        self.today = today
        self.problems: list[str] = []
        self.linker = Linker(log.decisions, {})
        states = self._states_of(self._collect())
        relinks = _relinks(states, self.problems)
        if relinks:
            self.linker = Linker(log.decisions, relinks)
            states = self._states_of(self._collect())
        self.problems += self.linker.problems
        self.states = states
        self._sections: dict[tuple[str, str], SectionChains] = {}
        self._by_check: dict[tuple[str, str], list[ChainState]] = defaultdict(list)
        for state in states.values():
            self._place(state)

    def state(self, target: Target, family: Family, run_id: str | None = None) -> ChainState:
        """The chain of ``target`` in ``family``."""
        return self.of(self.linker.key(target, family, run_id))

    def of(self, key: Key) -> ChainState:
        """The chain of a key; an untouched one has no leaves."""
        return self.states.get(key) or ChainState(key)

    def links(self, decision: Decision) -> tuple[Link, ...]:
        """The places that a decision takes in chains."""
        return self.linker.links(decision)

    def current_case(self, key: Key) -> str | None:
        """The id that the case of a chain has now."""
        return self.linker.current_id(key.suite, key.benchmark, key.case_id)

    def section(self, suite: str, benchmark: str) -> SectionChains:
        """The chains of one benchmark."""
        return self._sections.get((suite, benchmark)) or SectionChains()

    def values_of(self, benchmark: str, check: str) -> list[ChainState]:
        """The chains of values of one check id in all cases and suites of the folder."""
        return self._by_check.get((benchmark, check), [])

    def _collect(self) -> dict[Key, dict[str, Link]]:
        links: dict[Key, dict[str, Link]] = defaultdict(dict)
        for decision in self.log.decisions.values():
            for link in self.linker.links(decision):
                add(links[link.key], link)
        return links

    def _states_of(self, links: dict[Key, dict[str, Link]]) -> dict[Key, ChainState]:
        self.problems = []
        return {key: resolve(key, one, self.today, self.problems) for key, one in links.items()}

    def _place(self, state: ChainState) -> None:
        key = state.key
        if key.family is Family.VALUE:
            self._by_check[key.benchmark, str(key.part[0])].append(state)
        section = self._sections.setdefault((key.suite, key.benchmark), SectionChains())
        case_id = self.current_case(key)
        if case_id is None:
            _place_wide(section, state)
        else:
            _place_case(section.cases.setdefault(case_id, CaseChains()), state)


def _place_wide(section: SectionChains, state: ChainState) -> None:
    check = state.key.part[0]
    if state.key.family is Family.VALUE and isinstance(check, str):
        section.wide_values[check] = state
    elif state.key.family is Family.TOLERANCE:
        section.wide_tolerances.append(state)


def _place_case(case: CaseChains, state: ChainState) -> None:
    check = state.key.part[0]
    if state.conflict and state.key.family not in (Family.VALUE, Family.NOTE):
        case.has_conflict = True
    match state.key.family:
        case Family.VALUE:
            case.values[str(check)] = state
        case Family.TOLERANCE:
            case.tolerances[check if isinstance(check, str) else None] = state
        case Family.ESCALATION:
            case.escalations[state.key.part] = state
        case Family.WAIVER:
            case.waiver = state
        case Family.RELEASE:
            case.release = state
        case Family.NOTE:
            case.notes += [state.held] if state.held else []


def _relinks(states: dict[Key, ChainState], problems: list[str]) -> Relinks:
    """Old case ids to the ids they lead to in the end."""
    steps: dict[tuple[str, str, str], str] = {}
    for key in sorted((one for one in states if one.family is Family.NOTE), key=str):
        held = states[key].held
        if held is None or held.decision.action is not Action.RELINK:
            continue
        place = (key.suite, key.benchmark, key.case_id or "")
        if steps.setdefault(place, held.target.value or "") != held.target.value:
            problems.append(f"case {key.case_id} is linked to two cases")
    ends = {place: _end(steps, place, problems) for place in steps}
    return {place: end for place, end in ends.items() if end != place[2]}


def _end(
    steps: dict[tuple[str, str, str], str], place: tuple[str, str, str], problems: list[str]
) -> str:
    seen = [place[2]]
    while (following := steps.get((place[0], place[1], seen[-1]))) is not None:
        if following in seen:
            problems.append(f"case {place[2]} is linked to itself in a circle")
            return place[2]
        seen.append(following)
    return seen[-1]
