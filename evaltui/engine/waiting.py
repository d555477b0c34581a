"""Waiting inside synchronous code: greenlets on one asyncio loop.

Interpreted programs are plain closures. Run inside a greenlet they may call ``wait_for`` on an
awaitable at any depth: the greenlet steps aside, the loop carries on with other cases, and the
answer (or the exception) comes back where it was asked for. A program that never waits costs one
greenlet and no turn of the loop.
"""

from __future__ import annotations

import contextvars
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar, cast

from greenlet import getcurrent, greenlet

T = TypeVar("T")


class _Member(greenlet):
    """A greenlet whose parent is the loop: whatever it switches to its parent is awaited."""

    def __init__(self, work: Callable[..., Any]) -> None:
        super().__init__(work, getcurrent())
        self.gr_context = contextvars.copy_context()


async def run_in_greenlet(work: Callable[..., T], *arguments: object) -> T:
    """Call ``work`` where ``wait_for`` and ``gather`` are allowed; answer what it returns.

    Cancelling the awaiting task raises ``asyncio.CancelledError`` inside ``work``, at its wait.
    """
    member = _Member(work)
    return cast(T, await _drive(member, member.switch(*arguments)))


def wait_for(awaitable: Awaitable[T]) -> T:
    """Step aside until ``awaitable`` is done; answer its result or raise its exception.

    Raises:
        RuntimeError: the caller does not run inside ``run_in_greenlet``.
    """
    current = getcurrent()
    if not isinstance(current, _Member) or current.parent is None:
        close = getattr(awaitable, "close", None)
        if close is not None:
            close()
        raise RuntimeError("wait_for needs run_in_greenlet around it")
    return cast(T, current.parent.switch(awaitable))


def can_wait() -> bool:
    """Whether ``wait_for`` may be called here."""
    return isinstance(getcurrent(), _Member)


def gather(members: Sequence[Callable[[], T]]) -> list[T | Exception]:
    """Run all ``members`` to their ends, interleaved at their waits; answers in their order.

    A member's ``Exception`` is its answer; anything stronger (cancellation) ends all of them.
    """
    outcomes: list[T | Exception | None] = [None] * len(members)

    def settle(position: int, work: Callable[[], T]) -> None:
        try:
            outcomes[position] = work()
        except Exception as error:
            outcomes[position] = error

    pending = []
    for position, work in enumerate(members):
        member = _Member(settle)
        awaitable = member.switch(position, work)
        if not member.dead:
            pending.append((member, awaitable))
    if pending:
        _wait_for_all(pending)
    return cast(list[T | Exception], outcomes)


def _wait_for_all(pending: Sequence[tuple[_Member, Awaitable[Any]]]) -> None:
    import asyncio

    loop_side = getcurrent()
    while isinstance(loop_side, _Member) and loop_side.parent is not None:
        loop_side = loop_side.parent
    for member, _ in pending:
        member.parent = loop_side
    wait_for(asyncio.gather(*(_drive(member, first) for member, first in pending)))


async def _drive(member: _Member, awaitable: Awaitable[object]) -> object:
    """Await what ``member`` waits for, hand it the answer, until it has come to its end."""
    step: Any = awaitable
    while not member.dead:
        try:
            answer = await step
        except BaseException:
            step = member.throw(*sys.exc_info())
        else:
            step = member.switch(answer)
    return step
