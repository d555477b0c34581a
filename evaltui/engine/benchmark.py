"""Benchmarks as something that can be executed row by row (runtime specification 8.1, 8.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct, field

from evaltui.engine.carriers import Value
from evaltui.engine.checking import (
    CheckCode,
    RawCheck,
    SnapshotComparer,
    compile_assert,
    compile_expect,
    compile_snapshot,
)
from evaltui.engine.compiling import Scope, compile_node
from evaltui.engine.effects import Effects
from evaltui.engine.failures import (
    DeadlineExceeded,
    RuntimeFailure,
    Stopped,
    Suspended,
    type_error,
    unknown,
)
from evaltui.engine.machine import Code, Machine, too_deep
from evaltui.engine.pure_effects import PureEffects
from evaltui.ulx import tree
from evaltui.ulx.depth import deep_recursion
from evaltui.ulx.tree_walk import parts


class Execution(Struct):
    """What executing one row came to; at most one of the last four is set."""

    checks: list[RawCheck] = field(default_factory=list)
    bound: dict[str, Value] = field(default_factory=dict)
    """What ``run:`` statements bound, the latest value of a name."""
    error: RuntimeFailure | None = None
    suspension: Suspended | None = None
    stopped: Stopped | None = None
    deadline: DeadlineExceeded | None = None

    @property
    def passed(self) -> bool:
        """Whether the row came to its end and no check failed."""
        ended = self.error or self.suspension or self.stopped or self.deadline
        return ended is None and all(check.passed for check in self.checks)


Step: TypeAlias = "Callable[[Machine, Execution, SnapshotComparer | None], None]"


class CompiledBenchmark(Struct, frozen=True):
    """One benchmark; ``dataset`` is empty when no statement names one.

    ``run_columns`` are the columns that ``run:`` statements read as ``$.name``, None when one reads
    the whole row.
    """

    name: str
    dataset: str
    run_columns: frozenset[str] | None
    snapshot_statements: tuple[tree.Snapshot, ...]
    _load: Callable[[Machine], list[Value]] | None
    _steps: tuple[Step, ...]

    @property
    def has_snapshot(self) -> bool:
        """Whether any statement takes a snapshot."""
        return bool(self.snapshot_statements)

    def load_rows(self, effects: Effects | None = None) -> list[Value]:
        """The rows of the dataset; without ``effects``, cells that need any are refused.

        Raises:
            RuntimeFailure: no such dataset, or it cannot be read.
        """
        if not self.dataset:
            raise type_error(f"benchmark `{self.name}` has no `dataset:` statement")
        if self._load is None:
            raise unknown("dataset", self.dataset)
        with deep_recursion(0):
            return self._load(Machine(effects or PureEffects()))

    def execute(
        self, row: Value, effects: Effects, compare: SnapshotComparer | None = None
    ) -> Execution:
        """Run all statements over one row; ``compare`` judges snapshots as they are taken."""
        machine = Machine(effects, row)
        execution = Execution()
        try:
            with deep_recursion(0):
                for step in self._steps:
                    step(machine, execution, compare)
        except RuntimeFailure as failure:
            execution.error = failure
        except Suspended as suspension:
            execution.suspension = suspension
        except Stopped as stopped:
            execution.stopped = stopped
        except DeadlineExceeded as deadline:
            execution.deadline = deadline
        except RecursionError:
            execution.error = too_deep()
        return execution


def compile_benchmark(
    node: tree.Benchmark, scope: Scope, line_of: Callable[[tree.Span], int]
) -> CompiledBenchmark:
    """Compile a benchmark; ``line_of`` gives the source line of a statement."""
    uses = [entry for entry in node.statements if isinstance(entry, tree.UseDataset)]
    dataset = uses[0].name.text if uses else ""
    runs = [entry.value for entry in node.statements if isinstance(entry, tree.Run)]
    return CompiledBenchmark(
        node.name.text,
        dataset,
        columns_read(runs),
        tuple(entry for entry in node.statements if isinstance(entry, tree.Snapshot)),
        scope.declarations.datasets.get(dataset),
        tuple(_steps(node, scope, line_of)),
    )


def _steps(node: tree.Benchmark, scope: Scope, line_of: Callable[[tree.Span], int]) -> list[Step]:
    steps: list[Step] = []
    asserts = expects = 0
    for entry in node.statements:
        if isinstance(entry, tree.Run):
            steps.append(_run_step(entry.name.text, compile_node(entry.value, scope)))
        elif isinstance(entry, tree.Assert):
            asserts += 1
            steps.append(_check_step(compile_assert(entry, scope, asserts, line_of(entry.span))))
        elif isinstance(entry, tree.Expect):
            expects += 1
            steps.append(_check_step(compile_expect(entry, scope, expects, line_of(entry.span))))
        elif isinstance(entry, tree.Snapshot):
            steps.append(_check_step(compile_snapshot(entry, scope, line_of(entry.span))))
    return steps


def _run_step(name: str, value: Code) -> Step:
    def step(machine: Machine, execution: Execution, compare: SnapshotComparer | None) -> None:
        result = value(machine)
        machine.frames[-1][name] = result
        execution.bound[name] = result

    return step


def _check_step(check: CheckCode) -> Step:
    def step(machine: Machine, execution: Execution, compare: SnapshotComparer | None) -> None:
        execution.checks.append(check(machine, compare))

    return step


def columns_read(expressions: list[tree.Expr]) -> frozenset[str] | None:
    """The columns that expressions read as ``$.name``; None when one reads ``$`` otherwise."""
    columns: set[str] = set()
    waiting: list[tree.Expr | tree.Statement | tree.Block] = list(expressions)
    while waiting:
        node = waiting.pop()
        if isinstance(node, tree.Row):
            return None
        if isinstance(node, tree.Field) and isinstance(node.base, tree.Row):
            columns.add(node.name.text)
        else:
            waiting.extend(parts(node))
    return frozenset(columns)
