"""Every vendor against every fault, over real sockets: ``python -m tests.providers.matrix``."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

from evaltui.models import FailureClass
from evaltui.project import Limits
from evaltui.providers.base import ProviderFailure, Reply
from evaltui.providers.rules import NO_LIMITS
from evaltui.providers.vendors import VENDORS
from tests.fault_server.client import FaultServer
from tests.providers.calling import KEY, Caller

INFRASTRUCTURE = FailureClass.INFRASTRUCTURE
MALFORMED = FailureClass.MALFORMED
FIXTURE = FailureClass.FIXTURE
SHORT = Limits(timeout_s=0.4, attempts=2)
ANSWERED = "answer"


@dataclass(frozen=True, slots=True)
class Cell:
    """What a script must come to: ``answer`` or a kind of failure, and how many requests it takes.

    ``stops`` says that the run ends with it.
    """

    script: str
    outcome: str
    failure_class: FailureClass | None = None
    requests: int = 1
    limits: Limits = NO_LIMITS
    stops: bool = False
    capability: str = ""


CELLS: dict[str, Cell] = {
    "answer": Cell("ok", ANSWERED),
    "judge": Cell("ok", ANSWERED, capability="judge"),
    "embed": Cell("ok", ANSWERED, capability="embed"),
    "vision": Cell("ok", ANSWERED, capability="vision"),
    "gzip": Cell("gzip", ANSWERED),
    "zstd": Cell("zstd", ANSWERED),
    "wrong content type": Cell("plain", ANSWERED),
    "slow bytes": Cell("slow:1", ANSWERED),
    "redirect, same host": Cell("home", ANSWERED, requests=2),
    "503, 503, answer": Cell("status:503*2,ok", ANSWERED, requests=3),
    "429, answer": Cell("status:429;retry-after=7,ok", ANSWERED, requests=2),
    "dropped, answer": Cell("drop,ok", ANSWERED, requests=2),
    "stalled, answer": Cell("stall,ok", ANSWERED, requests=2, limits=SHORT),
    "judge: 500, answer": Cell("status:500,ok", ANSWERED, requests=2, capability="judge"),
    "401": Cell("status:401", "auth", INFRASTRUCTURE, stops=True),
    "403": Cell("status:403", "auth", INFRASTRUCTURE, stops=True),
    "quota": Cell("quota", "quota", INFRASTRUCTURE, stops=True),
    "404": Cell("status:404", "unknown_model", INFRASTRUCTURE, stops=True),
    "429": Cell("status:429", "rate_limit", INFRASTRUCTURE, requests=4),
    "408": Cell("status:408", "timeout", INFRASTRUCTURE, requests=4),
    "silent": Cell("silent", "timeout", INFRASTRUCTURE, requests=2, limits=SHORT),
    "stalled mid-body": Cell("stall", "timeout", INFRASTRUCTURE, requests=2, limits=SHORT),
    "too slow bytes": Cell("slow:50", "timeout", INFRASTRUCTURE, requests=2, limits=SHORT),
    "dropped": Cell("drop", "network", INFRASTRUCTURE, requests=4),
    "cut mid-body": Cell("cut", "network", INFRASTRUCTURE, requests=4),
    "redirect, other host": Cell("away", "redirect", INFRASTRUCTURE, stops=True),
    "redirect, circle": Cell("circle", "redirect", INFRASTRUCTURE, requests=4, stops=True),
    "409": Cell("status:409", "server", INFRASTRUCTURE, requests=4),
    "500": Cell("status:500", "server", INFRASTRUCTURE, requests=4),
    "503": Cell("status:503", "server", INFRASTRUCTURE, requests=4),
    "529": Cell("status:529", "server", INFRASTRUCTURE, requests=4),
    "422": Cell("status:422", "rejected", MALFORMED),
    "HTML": Cell("html", "not_json", MALFORMED),
    "empty body": Cell("empty", "not_json", MALFORMED),
    "truncated JSON": Cell("truncated", "not_json", MALFORMED),
    "member twice": Cell("twice", "not_json", MALFORMED),
    "NaN": Cell("nan", "not_json", MALFORMED),
    "wrong types": Cell("types", "invalid_reply", MALFORMED),
    "another document": Cell("other", "invalid_reply", MALFORMED),
    "broken gzip": Cell("garbled", "invalid_reply", MALFORMED),
    "20 MB": Cell("big", "too_large", MALFORMED),
    "gzip of 64 MB": Cell("bomb", "too_large", MALFORMED),
    "refused": Cell("refuse", "refused", FIXTURE),
    "413": Cell("status:413", "context_too_long", FIXTURE),
    "context too long": Cell("long", "context_too_long", FIXTURE),
    "judge: HTML": Cell("html", "not_json", MALFORMED, capability="judge"),
}

Check = Callable[[FaultServer, str], Awaitable[str]]


async def check_cell(server: FaultServer, vendor: str, cell: Cell) -> str:
    """What is wrong with a cell; empty when nothing is."""
    bucket = server.bucket()
    caller = Caller(vendor, server.url(bucket, cell.script), cell.capability, limits=cell.limits)
    try:
        reply: Reply = await caller.provider.call(caller.request())
    except ProviderFailure as failure:
        problem = _failure_problem(failure, cell)
    else:
        problem = _reply_problem(reply, cell)
    finally:
        await caller.network.close()
    return problem or _traffic_problem(await _seen(server, bucket), cell)


def _failure_problem(failure: ProviderFailure, cell: Cell) -> str:
    found = (failure.kind, failure.failure_class, failure.stop_run)
    if found != (cell.outcome, cell.failure_class, cell.stops):
        return f"{found}: {failure.message}"
    if not failure.next_action:
        return "no next action"
    return "the key is shown" if KEY in f"{failure.message}{failure.raw!r}" else ""


def _reply_problem(reply: Reply, cell: Cell) -> str:
    if cell.outcome != ANSWERED:
        return f"answered {reply.value!r}"
    if len(reply.attempts) != (1 if cell.script == "home" else cell.requests):
        return f"{len(reply.attempts)} attempts recorded"
    last = reply.attempts[-1]
    if (last.status, last.request_id) != (200, "req-0001") or last.bytes_digest is None:
        return f"recorded {last}"
    return "" if reply.value else f"answered {reply.value!r}"


def _traffic_problem(seen: dict[str, Any], cell: Cell) -> str:
    if seen["requests"] != cell.requests:
        return f"{seen['requests']} requests"
    if any(not host.startswith("127.0.0.1") for host in seen["hosts"]):
        return "another host was asked"
    return ""


async def check_breaker(server: FaultServer, vendor: str) -> str:
    """After five failures in a row nothing is sent, until a trial goes through."""
    bucket = server.bucket()
    script = "status:500*5,ok"
    caller = Caller(vendor, server.url(bucket, script), limits=Limits(attempts=1))
    kinds = []
    for _ in range(7):
        try:
            await caller.provider.call(caller.request(within_s=20))
        except ProviderFailure as failure:
            kinds.append(failure.kind)
    blocked = (await _seen(server, bucket))["requests"]
    caller.time.ahead += 31
    reply = await caller.provider.call(caller.request(within_s=20))
    await caller.network.close()
    if kinds != ["server"] * 5 + ["breaker_open"] * 2:
        return f"failed with {kinds}"
    return "" if blocked == 5 and reply.value else f"{blocked} requests"


async def check_cancel(server: FaultServer, vendor: str) -> str:
    """A cancelled call hangs up, and the next one is answered."""
    bucket = server.bucket()
    caller = Caller(vendor, server.url(bucket, "silent,ok"))
    task = asyncio.ensure_future(caller.provider.call(caller.request()))
    await _seen(server, bucket, "busy")
    task.cancel()
    try:
        await task
        return "not cancelled"
    except asyncio.CancelledError:
        pass
    gone = await _seen(server, bucket, "idle")
    reply = await caller.provider.call(caller.request())
    await caller.network.close()
    if gone["given_up"] != 1:
        return "the server still works on it"
    return "" if reply.value else "no answer afterwards"


async def _seen(server: FaultServer, bucket: str, until: str = "") -> dict[str, Any]:
    return await asyncio.to_thread(server.seen, bucket, until)


def applies(vendor: str, cell: Cell) -> bool:
    """Whether the vendor has the cell's capability at all."""
    return not cell.capability or VENDORS[vendor].exchange(cell.capability) is not None


async def results(server: FaultServer, vendors: Iterable[str]) -> dict[tuple[str, str], str]:
    """What is wrong with each cell, by row and vendor; cells that do not apply are left out."""
    found: dict[tuple[str, str], str] = {}
    limit = asyncio.Semaphore(40)

    async def note(row: str, vendor: str, check: Awaitable[str]) -> None:
        async with limit:
            try:
                found[row, vendor] = await check
            except Exception as error:
                found[row, vendor] = f"{type(error).__name__}: {error}"

    hurried: list[Awaitable[None]] = []
    others: list[Awaitable[None]] = []
    for vendor in vendors:
        for row, cell in CELLS.items():
            if applies(vendor, cell):
                group = hurried if cell.limits is SHORT else others
                group.append(note(row, vendor, check_cell(server, vendor, cell)))
        others.append(note("breaker open", vendor, check_breaker(server, vendor)))
        others.append(note("cancelled in flight", vendor, check_cancel(server, vendor)))
    # Cells that wait for a short time come last: a busy server would look like a slow one.
    await asyncio.gather(*others)
    await asyncio.gather(*hurried)
    return found


ROWS = (*CELLS, "breaker open", "cancelled in flight")


def table(found: dict[tuple[str, str], str], vendors: list[str]) -> str:
    """The results with one row a fault and one column a vendor."""
    lines = [" ".join(["fault".ljust(22), "expected".ljust(18), *vendors])]
    for row in ROWS:
        cell = CELLS.get(row)
        expected = cell.outcome if cell else row.partition(" ")[0]
        marks = [_mark(found.get((row, vendor))).center(len(vendor)) for vendor in vendors]
        lines.append(" ".join([row.ljust(22), expected.ljust(18), *marks]))
    wrong = [f"{row}, {vendor}: {text}" for (row, vendor), text in found.items() if text]
    return "\n".join([*lines, "", f"{len(found)} cells, {len(wrong)} wrong", *wrong])


def _mark(problem: str | None) -> str:
    return "-" if problem is None else "WRONG" if problem else "ok"


def main() -> int:
    """Print the table; the exit code is 1 when a cell is wrong."""
    vendors = list(VENDORS)
    with FaultServer() as server:
        found = asyncio.run(results(server, vendors))
    print(table(found, vendors))
    return int(any(found.values()))


if __name__ == "__main__":
    sys.exit(main())
