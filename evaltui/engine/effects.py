"""What an interpreted program may do to the world, and who does it.

The interpreter is the same for ``evaltui ulx`` and ``evaltui run``; the two differ in the
``Dialect`` and in the ``Effects`` that carry out calls, escalations and waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Protocol, TypeVar

from msgspec import Struct

from evaltui.engine.values import Value

T = TypeVar("T")


class Dialect(StrEnum):
    """``ULX`` answers as the reference does; ``RUN`` mends what hurts users.

    Under ``RUN``, ``break`` leaves the loop, a failed block drops its names, cuts respect
    characters, a judge's Escalate at an ``expect`` escalates, and snapshots are never written.
    """

    ULX = "ulx"
    RUN = "run"


class Message(Struct, frozen=True):
    role: str
    text: str


class Request(Struct, frozen=True):
    """An ``ask`` or a judge call, ready to be sent.

    ``arguments`` are in name order and include ``provider`` and ``model``; ``judge`` is the judge's
    name (then ``arguments`` are ``rubric`` and ``subject``) and ``attempt`` its resample number.
    """

    capability: str
    messages: tuple[Message, ...]
    arguments: Mapping[str, Value]
    provider: str | None = None
    judge: str | None = None
    attempt: int = 0
    template: str | None = None
    """The judge's rubric with its placeholders, where the one sent was filled in."""


class Effects(Protocol):
    """The world as one run, or one case of a run, sees it."""

    def call(self, request: Request) -> Value:
        """Answer an ``ask`` or judge call; drafts come back as Unsettled values.

        Raises:
            RuntimeFailure: no provider, or the provider failed.
        """
        ...

    def embed(self, text: str, provider: str | None) -> Value:
        """The embedding of ``text`` as a list of floats; neither cached nor traced."""
        ...

    def escalate(self, target: str, arguments: Mapping[str, Value], reason: str) -> Value:
        """The recorded decision of a person.

        Raises:
            Suspended: nobody has decided yet.
            Stopped: a person denied and stopped the case.
        """
        ...

    def validated(self, field: str, subject: Value) -> None:
        """Note that a validator of kind ``field`` looked at ``subject``."""
        ...

    def conversation(
        self, name: str, arguments: Sequence[tuple[str, Value]]
    ) -> AbstractContextManager[None]:
        """Enter a conversation call; leaving the context ends it. Names are ``_`` if positional."""
        ...

    def concurrently(self, members: Sequence[Callable[[], T]]) -> list[T | Exception]:
        """Run the members of a ``with`` block to their ends, in any order, answers in theirs."""
        ...

    def tick(self) -> None:
        """Called in every loop round and conversation call.

        Raises:
            DeadlineExceeded: the case has used up its time.
        """
        ...
