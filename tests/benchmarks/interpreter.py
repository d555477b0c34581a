"""The interpreter alone: mock answers, no cache, no store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from evaltui.engine.compiler import compile_program
from evaltui.engine.effects import Dialect, Request
from evaltui.engine.values import Value
from evaltui.providers.base import ProviderRequest, Reply
from evaltui.providers.mock import MockProvider
from evaltui.suites.ulexite_source import read_program
from tests.benchmarks.harness import Line, project, seconds

CASES = 5_000
T = TypeVar("T")


class MockEffects:
    """Answers calls at once with the mock; nothing else can happen in these cases."""

    def __init__(self) -> None:
        self._mock = MockProvider()

    def call(self, request: Request) -> Value:
        reply = self._mock.call(
            ProviderRequest(request.capability, request.messages, request.arguments)
        )
        assert isinstance(reply, Reply)
        return reply.value

    def embed(self, text: str, provider: str | None) -> Value:
        raise AssertionError(text)

    def escalate(self, target: str, arguments: Mapping[str, Value], reason: str) -> Value:
        raise AssertionError(target)

    def validated(self, field: str, subject: Value) -> None:
        pass

    def conversation(
        self, name: str, arguments: Sequence[tuple[str, Value]]
    ) -> AbstractContextManager[None]:
        return nullcontext()

    def concurrently(self, members: Sequence[Callable[[], T]]) -> list[T | Exception]:
        return [member() for member in members]

    def tick(self) -> None:
        pass


def lines() -> Iterator[Line]:
    with project(CASES) as folder:
        _, merged, _ = read_program(folder / "trivial.ulx", folder, {})
        benchmark = compile_program(merged, Dialect.RUN).benchmark("Trivial")
        rows = benchmark.load_rows()
        effects = MockEffects()
        taken = min(
            seconds(lambda: [benchmark.execute(row, effects) for row in rows]) for _ in range(3)
        )
        floor = seconds(lambda: [effects._mock.call(_request(row)) for row in rows])
    yield Line(
        "interpreter alone",
        CASES / taken,
        "cases/s",
        5_000,
        CASES / floor,
        "the mock alone",
        at_least=True,
    )


def _request(row: Value) -> ProviderRequest:
    from evaltui.engine.effects import Message

    assert isinstance(row, dict)
    return ProviderRequest("chat", (Message("user", f"Say {row['n']}."),), {})
