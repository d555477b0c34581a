"""What judging looks at besides the result: decisions, baselines and the policy of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from evaltui.clock import Clock
from evaltui.engine.values import Value
from evaltui.models import Decision, Section
from evaltui.project import CompareRule, Policy
from evaltui.review import value_files
from evaltui.review.baselines import Baselines
from evaltui.review.chain_index import CaseChains, Chains, SectionChains
from evaltui.review.chains import ChainState
from evaltui.review.log import DecisionLog, LogProblem
from evaltui.review.policy import compare_rule, tolerance_of


class FolderReview(Struct):
    """Everything about one suite folder: its decisions and its baselines."""

    path: Path
    log: DecisionLog
    chains: Chains
    baselines: Baselines
    _values: dict[str, Value] = field(default_factory=dict)

    def value(self, digest: str) -> Value:
        """A value that decisions name.

        Raises:
            DecisionError: its file is gone or does not hold it.
        """
        if digest not in self._values:
            self._values[digest] = value_files.read(self.path, digest)
        return self._values[digest]

    def remember(self, digest: str, value: Value) -> None:
        """Keep a value whose file is about to be written."""
        self._values[digest] = value


class SectionReview(Struct):
    """What judging needs of one benchmark; the policy's word on a check is kept once asked."""

    section: Section
    policy: Policy
    folder: FolderReview
    chains: SectionChains
    cases: Mapping[str, CaseChains]
    _tolerances: dict[str, Decimal] = field(default_factory=dict)

    def policy_tolerance(self, check: str) -> Decimal:
        """The tolerance of a check by the policy alone."""
        known = self._tolerances.get(check)
        if known is None:
            known = tolerance_of(self.policy, self.section.benchmark, check)
            self._tolerances[check] = known
        return known

    def compare_rule(self, check: str) -> CompareRule:
        """How the values of a check are compared."""
        return compare_rule(self.policy, self.section.benchmark, check)

    def widenings(self, case_id: str, check: str, slices: Sequence[str]) -> list[ChainState]:
        """The chains of tolerance that cover a check of a case, the narrowest first."""
        case = self.cases.get(case_id)
        found: list[ChainState] = []
        if case is not None and case.tolerances:
            found = [case.tolerances[key] for key in (check, None) if key in case.tolerances]
        for state in self.chains.wide_tolerances:
            wanted, part = state.key.part
            if wanted in (None, check) and (part is None or part in slices):
                found.append(state)
        return found


class ReviewContext:
    """Decisions, baselines and policy as they stand when a run starts; ``refresh`` reads anew."""

    def __init__(
        self, sections: Sequence[Section], policy: Policy, today: date, run_id: str | None = None
    ) -> None:
        self.sections = tuple(sections)
        self.policy = policy
        self.today = today
        self.run_id = run_id
        self.folders: dict[str, FolderReview] = {}
        self._sections: dict[int, SectionReview] = {}
        self.refresh()

    @classmethod
    def load(
        cls,
        sections: Sequence[Section],
        policy: Policy,
        clock: Clock,
        *,
        run_id: str | None = None,
        preload: bool = True,
    ) -> ReviewContext:
        """Read the decisions and, unless ``preload`` is off, the baselines of these sections.

        Args:
            sections: The benchmarks of a run.
            policy: The project's policy.
            clock: Says which day it is.
            run_id: The run whose ``once`` answers and closing acts count.
            preload: Off when only a few cases will be judged: baselines are then read on demand.

        Raises:
            DecisionError: a decision or baseline file cannot be used.
        """
        context = cls(sections, policy, clock.today(), run_id)
        if preload:
            context.preload()
        return context

    def preload(self) -> None:
        """Read every baseline of these sections now; later changes on disk do not count."""
        for view in self._sections.values():
            view.folder.baselines.preload(view.section.benchmark)

    def refresh(self) -> None:
        """Read all decisions again; baselines are read again when they are asked for."""
        self.folders = {}
        for folder in dict.fromkeys(section.folder for section in self.sections):
            path = Path(folder)
            self._install(folder, path, DecisionLog.load(path), Baselines(path))

    def add(self, folder: str, decisions: Sequence[Decision]) -> None:
        """Take in decisions that were just written to ``folder``."""
        known = self.folders[folder]
        self._install(folder, known.path, known.log.with_decisions(decisions), known.baselines)

    def section(self, number: int) -> SectionReview:
        """What judging needs of the section with this number."""
        return self._sections[number]

    @property
    def problems(self) -> tuple[LogProblem, ...]:
        """What is wrong with decisions without making them unusable."""
        return tuple(
            problem
            for folder in self.folders.values()
            for problem in (
                *folder.log.problems,
                *(LogProblem(folder.path / "decisions", text) for text in folder.chains.problems),
            )
        )

    def answer(
        self,
        section: Section | int,
        case_id: str,
        name: str,
        arguments_digest: str,
        occurrence: int,
        run_id: str | None = None,
    ) -> Decision | None:
        """The answer in force to an escalation, with the one target that gives it.

        An answer for once counts only in the run that it names, and goes before one that counts
        until a day. The target's ``value`` is the answer as tagged JSON.
        """
        number = section if isinstance(section, int) else section.number
        case = self._sections[number].cases.get(case_id)
        if case is None or not case.escalations:
            return None
        for run in (run_id, self.run_id, None):
            state = case.escalations.get((name, arguments_digest, occurrence, run))
            if state is not None and state.live is not None:
                return replace(state.live.decision, targets=(state.live.target,))
        return None

    def _install(self, folder: str, path: Path, log: DecisionLog, baselines: Baselines) -> None:
        known = FolderReview(path, log, Chains(log, self.today), baselines)
        self.folders[folder] = known
        for section in self.sections:
            if section.folder == folder:
                chains = known.chains.section(section.suite, section.benchmark)
                self._sections[section.number] = SectionReview(
                    section, self.policy, known, chains, chains.cases
                )
