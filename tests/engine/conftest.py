"""Programs from their text, and effects that need no files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from evaltui.engine.benchmark import Execution
from evaltui.engine.compiler import CompiledProgram, compile_program
from evaltui.engine.effects import Dialect, Request
from evaltui.engine.failures import Suspended
from evaltui.engine.pure_effects import PureEffects
from evaltui.engine.values import UNIT, Value
from evaltui.providers.base import ProviderRequest
from evaltui.providers.mock import MockProvider
from evaltui.ulx.merge import merge
from evaltui.ulx.modules import load

Compile = Callable[..., CompiledProgram]
Execute = Callable[..., Execution]


class MockEffects(PureEffects):
    """Answers every call with the mock; escalations from ``decisions`` by target."""

    def __init__(self, decisions: Mapping[str, Value] | None = None) -> None:
        self.decisions = decisions or {}
        self.requests: list[Request] = []
        self.escalated: list[tuple[str, dict[str, Value], str]] = []
        self.ticks = 0

    def call(self, request: Request) -> Value:
        """Answer as the mock does, and remember the request."""
        self.requests.append(request)
        asked = ProviderRequest(request.capability, request.messages, request.arguments)
        return MockProvider().call(asked).value

    def escalate(self, target: str, arguments: Mapping[str, Value], reason: str) -> Value:
        """The decision for ``target``, or a suspension."""
        self.escalated.append((target, dict(arguments), reason))
        if target not in self.decisions:
            raise Suspended(target, reason, arguments)
        return self.decisions[target]

    def tick(self) -> None:
        """Count."""
        self.ticks += 1


@pytest.fixture
def compiled(tmp_path: Path) -> Compile:
    """Compiles the text of a program, under ``RUN`` unless told otherwise."""

    def compile_text(source: str, dialect: Dialect = Dialect.RUN) -> CompiledProgram:
        path = tmp_path / "x.ulx"
        path.write_text(source)
        return compile_program(merge(load(path)), dialect)

    return compile_text


@pytest.fixture
def execute(compiled: Compile) -> Execute:
    """Executes the statements of a benchmark over one row."""

    def run(
        statements: str,
        row: Value = UNIT,
        *,
        declarations: str = "",
        effects: MockEffects | None = None,
        dialect: Dialect = Dialect.RUN,
    ) -> Execution:
        source = f"{declarations}\nbenchmark B {{\n{statements}\n}}\n"
        benchmark = compiled(source, dialect).benchmark("B")
        return benchmark.execute(row, effects or MockEffects())

    return run
