"""Synchronous code that waits on one asyncio loop."""

from __future__ import annotations

import asyncio
import contextvars
from typing import Never

import pytest

from evaltui.engine.waiting import can_wait, gather, run_in_greenlet, wait_for


async def answer_after(event: asyncio.Event, value: str) -> str:
    await event.wait()
    return value


async def test_a_function_that_never_waits_needs_no_turn_of_the_loop() -> None:
    turns = 0

    def count() -> None:
        nonlocal turns
        turns += 1

    asyncio.get_running_loop().call_soon(count)
    assert await run_in_greenlet(lambda a, b: a + b, 1, 2) == 3
    assert turns == 0


async def test_waiting_lets_others_go_on_and_brings_the_answer_back() -> None:
    opened = asyncio.Event()
    order: list[str] = []

    def waiting() -> str:
        order.append("asks")
        text = wait_for(answer_after(opened, "answer"))
        order.append("goes on")
        return text

    task = asyncio.create_task(run_in_greenlet(waiting))
    await asyncio.sleep(0)
    order.append("other work")
    opened.set()
    assert await task == "answer"
    assert order == ["asks", "other work", "goes on"]


async def test_two_hundred_cases_wait_at_once() -> None:
    opened = asyncio.Event()
    started = 0

    def case(number: int) -> int:
        nonlocal started
        started += 1
        wait_for(opened.wait())
        return number

    tasks = [asyncio.create_task(run_in_greenlet(case, number)) for number in range(200)]
    await asyncio.sleep(0)
    assert started == 200
    opened.set()
    assert await asyncio.gather(*tasks) == list(range(200))


async def test_an_exception_of_the_awaited_arrives_where_it_was_awaited() -> None:
    async def broken() -> Never:
        raise OSError("no route")

    def program() -> str:
        try:
            wait_for(broken())
        except OSError as error:
            return f"handled {error}"

    assert await run_in_greenlet(program) == "handled no route"


async def test_an_unhandled_exception_reaches_the_awaiting_task() -> None:
    async def broken() -> Never:
        raise OSError("no route")

    with pytest.raises(OSError, match="no route"):
        await run_in_greenlet(lambda: wait_for(broken()))


async def test_cancelling_the_task_raises_inside_the_waiting_code() -> None:
    seen: list[str] = []

    def program() -> None:
        try:
            wait_for(asyncio.Event().wait())
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    task = asyncio.create_task(run_in_greenlet(program))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert seen == ["cancelled"]


async def test_a_timeout_around_the_awaitable_raises_at_the_wait() -> None:
    async def bounded() -> None:
        async with asyncio.timeout(0):
            await asyncio.Event().wait()

    def program() -> str:
        try:
            wait_for(bounded())
        except TimeoutError:
            return "too slow"
        return "in time"

    assert await run_in_greenlet(program) == "too slow"


async def test_members_are_interleaved_and_answer_in_their_order() -> None:
    first, second = asyncio.Event(), asyncio.Event()

    async def second_lets_the_first_go() -> str:
        await second.wait()
        first.set()
        return "b"

    def program() -> list[str | Exception]:
        return gather(
            [
                lambda: wait_for(answer_after(first, "a")),
                lambda: wait_for(second_lets_the_first_go()),
                lambda: "c",
            ]
        )

    task = asyncio.create_task(run_in_greenlet(program))
    await asyncio.sleep(0)
    second.set()
    assert await task == ["a", "b", "c"]


async def test_a_failing_member_does_not_stop_the_others() -> None:
    async def soon(value: int) -> int:
        await asyncio.sleep(0)
        return value

    def failing() -> int:
        wait_for(asyncio.sleep(0))
        raise ValueError("second member")

    def program() -> list[int | Exception]:
        return gather([lambda: wait_for(soon(1)), failing, lambda: wait_for(soon(3))])

    first, error, third = await run_in_greenlet(program)
    assert (first, third) == (1, 3)
    assert isinstance(error, ValueError)


async def test_members_may_hold_members() -> None:
    async def soon(value: int) -> int:
        await asyncio.sleep(0)
        return value

    def inner(base: int) -> int:
        parts = gather([lambda: wait_for(soon(base)), lambda: wait_for(soon(base + 1))])
        return sum(part for part in parts if isinstance(part, int))

    def program() -> list[int | Exception]:
        return gather([lambda: inner(1), lambda: inner(10)])

    assert await run_in_greenlet(program) == [3, 21]


async def test_cancelling_reaches_every_member() -> None:
    cancelled: list[int] = []

    def member(number: int) -> None:
        try:
            wait_for(asyncio.Event().wait())
        except asyncio.CancelledError:
            cancelled.append(number)
            raise

    def program() -> None:
        gather([lambda: member(1), lambda: member(2)])

    task = asyncio.create_task(run_in_greenlet(program))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(cancelled) == [1, 2]


def test_members_that_do_not_wait_need_no_loop() -> None:
    assert gather([lambda: 1, lambda: 2]) == [1, 2]


def test_waiting_outside_a_greenlet_says_what_is_missing() -> None:
    assert not can_wait()
    with pytest.raises(RuntimeError, match="run_in_greenlet"):
        wait_for(asyncio.sleep(0))


async def test_context_variables_of_members_are_their_own() -> None:
    name: contextvars.ContextVar[str] = contextvars.ContextVar("name", default="none")

    def member(own: str) -> str:
        name.set(own)
        wait_for(asyncio.sleep(0))
        return name.get()

    def program() -> list[str | Exception]:
        name.set("case")
        return [*gather([lambda: member("a"), lambda: member("b")]), name.get()]

    assert await run_in_greenlet(program) == ["a", "b", "case"]
    assert name.get() == "none"
