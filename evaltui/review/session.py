"""Reviewing one run: its rows, one case in detail, and every act upon them.

A session is all that screens and commands use. It may be called from several threads; acts and
details wait for each other, taking in rows and adding them up never waits for either.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from evaltui.clock import Clock, Ids
from evaltui.errors import ActRefused, UsageError
from evaltui.models import Action, CaseSummary, Decision, Judgement, Outcome, RunInfo
from evaltui.project import Policy
from evaltui.redaction import SecretScanner
from evaltui.review.acts import ActPlan, ActResult, Choices, DecisionForm
from evaltui.review.bench import PlannedCase, ReviewBench
from evaltui.review.committing import repair
from evaltui.review.context import FolderReview, ReviewContext
from evaltui.review.detail import CaseDetail
from evaltui.review.detailing import detail_of
from evaltui.review.durable import Step, nothing
from evaltui.review.executing import Executor, message_of, refuse_in_ci, reruns
from evaltui.review.gates import GateReport, evaluate_gates
from evaltui.review.judging import judge_case
from evaltui.review.planning import make_plan
from evaltui.review.refreshing import stale_rows
from evaltui.review.reviewer import Reviewer
from evaltui.review.rows import Rows
from evaltui.review.summary import summarise
from evaltui.review.tally import Totals
from evaltui.review.undoing import redo_last, undo_last
from evaltui.review.wording import done
from evaltui.store.records import CaseRecord
from evaltui.store.store import Store

Move = Callable[[Executor, Reviewer], "list[tuple[Decision, Decision]] | None"]
__all__ = ["ActPlan", "ActResult", "CaseDetail", "Choices", "DecisionForm", "Session"]


class Session:
    """One run under review."""

    def __init__(
        self,
        store: Store,
        run: RunInfo,
        policy: Policy,
        clock: Clock,
        ids: Ids,
        reviewer: Reviewer | None,
        step: Step = nothing,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.store = store
        self.run = run
        self.policy = policy
        self.clock = clock
        self.ids = ids
        self.reviewer = reviewer
        """Who decides unless the form says otherwise; None when nobody is known."""
        self.incomplete: str | None = None
        """Why the runner gave up early, if it did."""
        self.step = step
        self.environment = environment
        self.repaired: tuple[str, ...] = tuple(repair(store))
        """Acts that had been cut short and were put right, one line each."""
        self.context = ReviewContext.load(run.sections, policy, clock, run_id=run.id, preload=False)
        self._scanner = SecretScanner(policy.redaction.patterns)
        self._rows = Rows(run.sections, ())
        self._acting = threading.RLock()
        self._changing = threading.Lock()

    @classmethod
    def open(
        cls,
        store: Store,
        run_id: str,
        policy: Policy,
        clock: Clock,
        ids: Ids,
        *,
        reviewer: Reviewer | None = None,
        live: bool = False,
        step: Step = nothing,
        environment: Mapping[str, str] | None = None,
    ) -> Session:
        """Open a run for review.

        Args:
            store: Where the run is.
            run_id: Its id, label, or the beginning of its id.
            policy: The project's policy.
            clock: Says which day it is.
            ids: Names what is written.
            reviewer: Who decides unless a form says otherwise.
            live: Whether the run is going on elsewhere: rows then come by ``receive``.
            step: For tests of crashes: called after each step of an act.
            environment: Says whether CI is set; default the process's own.

        Raises:
            StoreError: no such run, or the store fails.
            DecisionError: a decision file cannot be read.
        """
        session = cls(store, store.run(run_id), policy, clock, ids, reviewer, step, environment)
        if not live:
            session.receive(store.summaries(session.run.id))
            session.refresh()
        return session

    @property
    def rows(self) -> list[CaseSummary]:
        """One row a case that has finished: in case order, or for a live run as they arrived."""
        return self._rows.all

    def row(self, index: int) -> CaseSummary | None:
        """The row of a case; None while it has not finished."""
        return self._rows.get(index)

    def receive(self, rows: Iterable[CaseSummary]) -> None:
        """Take in rows of a live run, or newer ones of the same cases."""
        with self._changing:
            self._rows.put(rows)

    def ended(self, run: RunInfo, incomplete: str | None = None) -> None:
        """Take note that a live run has ended."""
        self.run, self.incomplete = run, incomplete

    def totals(self) -> Totals:
        """Numbers over the rows."""
        with self._changing:
            return self._rows.totals()

    def find_case(self, text: str) -> int:
        """The index of the case ``ID``, ``BENCHMARK:ID`` or ``SUITE:BENCHMARK:ID``.

        Raises:
            UsageError: no case, or several, answer to it.
        """
        return self._rows.find(text)

    def detail(self, index: int) -> CaseDetail:
        """Everything about one case.

        Raises:
            StoreError: it is not stored (yet).
        """
        with self._acting:
            case = self._bench().case(index)
            summary = self._rows.get(index)
            if summary is None:
                raise UsageError(f"case {case.spec.case_id} has not finished")
            return detail_of(case, summary, self._previous(case))

    def plan(self, action: Action, indices: Sequence[int], **choices: str | None) -> ActPlan:
        """What an act would do, without doing it.

        Args:
            action: The act.
            indices: The cases; those that do not fit are listed with the reason.
            choices: Members of ``Choices``.

        Raises:
            UsageError: the choices do not fit together, or no case was named.
            DecisionError: a decision or baseline file cannot be read.
        """
        with self._acting:
            chosen = Choices(**choices)
            plan = make_plan(self._bench(), action, indices, chosen, self._rows.red)
            return replace(plan, warnings=self._executor().warnings(plan))

    def commit(self, plan: ActPlan, form: DecisionForm) -> ActResult:
        """Carry out a plan, if everything is still as it was shown.

        Raises:
            ActRefused: CI is set, nothing can be done, or something changed since it was shown.
            UsageError: the form lacks something, or an expiry is none.
            DecisionError: a file could not be read or written; nothing was changed.
        """
        refuse_in_ci(self.environment)
        with self._acting, self.store.exclusive():
            self.context.refresh()
            choices = replace(plan.choices, tolerance=form.tolerance or plan.tolerance)
            bench = self._bench()
            fresh = make_plan(bench, plan.action, plan.asked, choices, self._rows.red)
            decisions = self._executor().commit(plan, fresh, form, bench)
            names = (one.target.case_id or "" for one in fresh.targets)
            return self._concluded(
                decisions,
                message_of(plan.action, fresh.indices, names),
                fresh.indices if reruns(plan.action) else (),
            )

    def undo(self) -> ActResult | None:
        """Take back the latest act of this project that is in force; None without one.

        Raises:
            ActRefused: CI is set, nobody is known to sign, or somebody has decided on top of it.
        """
        return self._move(undo_last, "undone")

    def redo(self) -> ActResult | None:
        """Put the act that was undone last in force again; None without one.

        Raises:
            ActRefused: CI is set, nobody is known to sign, or somebody has decided since.
        """
        return self._move(redo_last, "done again")

    def gate_report(self) -> GateReport:
        """What the run comes to as things stand."""
        if self.run.state == "running":
            self.run = self.store.run(self.run.id)
        incomplete = self.incomplete
        if self.run.state == "running" and not incomplete:
            incomplete = "the run has not finished"
        return evaluate_gates(self.run, self.rows, self.policy, incomplete)

    def refresh(self) -> list[CaseSummary]:
        """Judge the cases anew that decisions concern; answers the rows that changed.

        Raises:
            DecisionError: a decision file cannot be read.
        """
        with self._acting:
            self.context.refresh()
            stale = stale_rows(self.context, self.run, self.rows, self.clock)
            return self._judge_again(stale)

    def _move(self, move: Move, word: str) -> ActResult | None:
        with self._acting, self.store.exclusive():
            if self.reviewer is None:
                raise ActRefused("nobody is known to sign it", hint="use --reviewer NAME")
            self.context.refresh()
            pairs = move(self._executor(), self.reviewer)
            if pairs is None:
                return None
            acts = ", ".join(done(named.action) for named, _ in pairs)
            return self._concluded(tuple(one for _, one in pairs), f"{acts} {word}", ())

    def _concluded(
        self, decisions: tuple[Decision, ...], message: str, rerun: tuple[int, ...]
    ) -> ActResult:
        changed = self._judge_again(self._concerned(decisions))
        again = tuple(index for index in rerun if self._runs_on(index, decisions))
        return ActResult(decisions, tuple(changed), message, again)

    def _runs_on(self, index: int, decisions: tuple[Decision, ...]) -> bool:
        """Whether a case has to run: an answer given before may have led where this one leads."""
        row = self._rows.get(index)
        if row is None or row.outcome is Outcome.SUSPENDED:
            return True
        return all(one.action is Action.RETRY_INFRASTRUCTURE for one in decisions)

    def _concerned(self, decisions: Iterable[Decision]) -> list[int]:
        """The cases of this run that decisions are about."""
        places: set[tuple[str, str, str, str | None]] = set()
        for name, folder in self.context.folders.items():
            for decision in decisions:
                if decision.id in folder.log.decisions:
                    places |= self._places(name, folder, decision)
        if not places:
            return []
        sections = [(one.folder, one.suite, one.benchmark) for one in self.run.sections]
        return [
            row.index
            for row in self.rows
            if (*sections[row.section], row.case_id) in places
            or ((*sections[row.section], None) in places and (row.red or row.decision))
        ]

    def _places(
        self, name: str, folder: FolderReview, decision: Decision
    ) -> set[tuple[str, str, str, str | None]]:
        keys = [link.key for link in folder.chains.links(decision)]
        names = [(key.suite, key.benchmark, key.case_id) for key in keys]
        names += [(key.suite, key.benchmark, folder.chains.current_case(key)) for key in keys]
        if decision.action is Action.RELINK:
            names += [(one.suite, one.benchmark, one.value) for one in decision.targets]
        return {(name, *place) for place in names}

    def _judge_again(self, indices: Iterable[int]) -> list[CaseSummary]:
        changes: list[tuple[int, Judgement, CaseSummary]] = []
        for index in indices:
            record = self._read(index)
            judgement = judge_case(record.spec, record.result, self.context)
            if not judgement.change and not any(one.old for one in judgement.checks):
                judgement = replace(judgement, change=record.judgement.change)
            summary = summarise(record.spec, record.result, judgement)
            if judgement != record.judgement or summary != self._rows.get(index):
                changes.append((index, judgement, summary))
        if changes and not self.store.read_only:
            self.store.update_judgements(self.run.id, changes)
        self.receive(summary for _, _, summary in changes)
        return [summary for _, _, summary in changes]

    def _previous(self, case: PlannedCase) -> tuple[str, str] | None:
        section, case_id = case.section, case.spec.case_id
        found = self.store.latest_outputs(
            section.suite,
            section.benchmark,
            before=self.run.id,
            folder=section.folder,
            wanted=[case_id],
        )
        return found.get(case_id)

    def _read(self, index: int) -> CaseRecord:
        return self.store.record(self.run.id, index)

    def _bench(self) -> ReviewBench:
        return ReviewBench(self.run, self.context, self._scanner, self._read, self.store.cached)

    def _executor(self) -> Executor:
        return Executor(
            self.store,
            self.run,
            self.context,
            self.clock,
            self.ids,
            self.step,
            self.environment,
        )
