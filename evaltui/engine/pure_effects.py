"""Effects for what must not reach anybody, such as the cells of a dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import NoReturn, TypeVar

from evaltui.engine.carriers import Value
from evaltui.engine.effects import Request
from evaltui.engine.failures import not_implemented

T = TypeVar("T")


class PureEffects:
    """Refuses every call and escalation."""

    def call(self, request: Request) -> Value:
        """Refuse.

        Raises:
            RuntimeFailure: always.
        """
        return self._refuse(f"`{request.capability}` calls")

    def embed(self, text: str, provider: str | None) -> Value:
        """Refuse.

        Raises:
            RuntimeFailure: always.
        """
        return self._refuse("embeddings")

    def escalate(self, target: str, arguments: Mapping[str, Value], reason: str) -> Value:
        """Refuse.

        Raises:
            RuntimeFailure: always.
        """
        return self._refuse("escalations")

    def validated(self, field: str, subject: Value) -> None:
        """Allowed, and of no effect."""

    def conversation(
        self, name: str, arguments: Sequence[tuple[str, Value]]
    ) -> AbstractContextManager[None]:
        """Allowed, and of no effect."""
        return nullcontext()

    def concurrently(self, members: Sequence[Callable[[], T]]) -> list[T | Exception]:
        """Run the members one after the other."""
        return run_in_order(members)

    def tick(self) -> None:
        """Time is not limited."""

    def _refuse(self, what: str) -> NoReturn:
        raise not_implemented(f"{what} in a dataset")


def run_in_order(members: Sequence[Callable[[], T]]) -> list[T | Exception]:
    """Run all ``members`` one after the other; a member's exception is its answer."""
    outcomes: list[T | Exception] = []
    for member in members:
        try:
            outcomes.append(member())
        except Exception as error:
            outcomes.append(error)
    return outcomes
