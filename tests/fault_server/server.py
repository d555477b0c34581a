"""A vendor that misbehaves on request: ``python -m tests.fault_server.server``.

Addresses are ``/BUCKET/SCRIPT/PATH-OF-THE-VENDOR``. A script is a list of steps such as
``status:503*2,ok``: the requests of a bucket take one step each, and stay at the last. ``GET
/-/BUCKET`` answers what a bucket has seen, ``/-/BUCKET/idle`` once nobody waits there,
``/-/BUCKET/9`` once it has answered nine times. Listens on the loopback only, prints its port, and
ends when its input does.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from urllib.parse import unquote

from tests.fault_server.faults import STEPS, Answering, Request

TLS_HELLO = b"\x16\x03"
KEPT = 200
"""Requests of a bucket whose bodies and headers are kept."""


@dataclass(slots=True)
class Seen:
    """What came in for one bucket; ``given_up`` counts requests whose asker hung up."""

    requests: int = 0
    answered: int = 0
    given_up: int = 0
    open: int = 0
    most_open: int = 0
    connections: int = 0
    hosts: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)
    prompts: dict[str, int] = field(default_factory=dict)


BUCKETS: dict[str, Seen] = defaultdict(Seen)
MOVED = asyncio.Event()


@lru_cache
def steps(script: str) -> list[tuple[str, str]]:
    """Names and arguments of a script, repetitions spelled out."""
    found = []
    for part in script.split(","):
        text, _, times = part.partition("*")
        name, _, argument = text.partition(":")
        found += [(name, unquote(argument))] * int(times or 1)
    return found


class Connection(asyncio.Protocol):
    """One connection; requests are answered one after the other."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._data = b""
        self._queue: list[tuple[str, dict[str, str], bytes]] = []
        self._task: asyncio.Task[None] | None = None
        self._gone = asyncio.Event()
        self._buckets: set[str] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self._gone.set()

    def data_received(self, data: bytes) -> None:
        self._data += data
        if self._data.startswith(TLS_HELLO):
            self._transport.write(b"HTTP/1.1 400 No TLS here\r\n\r\n")
            self._transport.close()
        while (parsed := self._request()) is not None:
            self._queue.append(parsed)
        if self._queue and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._serve())

    def _request(self) -> tuple[str, dict[str, str], bytes] | None:
        head, found, rest = self._data.partition(b"\r\n\r\n")
        if not found:
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        length = int(headers.get("content-length", 0))
        if len(rest) < length:
            return None
        self._data = rest[length:]
        return first.split(" ")[1], headers, rest[:length]

    async def _serve(self) -> None:
        while self._queue and not self._gone.is_set():
            target, headers, body = self._queue.pop(0)
            out = Answering(self._transport.write, self._transport.close, self._port, self._gone)
            _, bucket, script, path = [*target.split("/", 3), "", ""][:4]
            if bucket == "-":
                await self._report(out, BUCKETS[script], path)
                continue
            await self._answer(out, bucket, script, f"/{path}", headers, body)

    async def _report(self, out: Answering, seen: Seen, until: str) -> None:
        """What a bucket saw, once it has no open request, has one, or has so many answers."""
        while (
            (until == "idle" and seen.open)
            or (until == "busy" and not seen.open)
            or (until.isdigit() and seen.answered < int(until))
        ):
            await MOVED.wait()
        out.send(json.dumps(asdict(seen)).encode())

    async def _answer(
        self,
        out: Answering,
        bucket: str,
        script: str,
        path: str,
        headers: dict[str, str],
        body: bytes,
    ) -> None:
        seen = BUCKETS[bucket]
        if bucket not in self._buckets:
            self._buckets.add(bucket)
            seen.connections += 1
        _note(seen, headers, body)
        plan = steps(script)
        name, argument = plan[min(seen.requests, len(plan)) - 1]
        _open(seen, 1)
        seen.most_open = max(seen.most_open, seen.open)
        try:
            await STEPS[name](out, Request(bucket, path, headers, body, seen.requests), argument)
        except Exception:
            out.close()
            raise
        finally:
            _open(seen, -1)
        if self._gone.is_set():
            seen.given_up += 1
        else:
            seen.answered += 1
            _count_prompt(seen, body)


def _open(seen: Seen, change: int) -> None:
    """Count requests that are being answered, and wake who waits for that."""
    seen.open += change
    MOVED.set()
    MOVED.clear()


def _note(seen: Seen, headers: dict[str, str], body: bytes) -> None:
    seen.requests += 1
    if seen.requests <= KEPT:
        seen.hosts.append(headers.get("host", ""))
        seen.headers.append(headers)
        seen.bodies.append(body.decode("utf-8", "replace"))


def _count_prompt(seen: Seen, body: bytes) -> None:
    """How often each last message was answered, for small bodies that have one."""
    if seen.requests > 20_000 or len(body) > 10_000 or not body.startswith(b'{"m'):
        return
    messages = json.loads(body).get("messages")
    if messages and isinstance(messages[-1].get("content"), str):
        text = messages[-1]["content"]
        seen.prompts[text] = seen.prompts.get(text, 0) + 1


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


async def main() -> None:
    """Serve until the parent is gone."""
    loop = asyncio.get_running_loop()
    port = 0

    def connection() -> Connection:
        return Connection(port)

    server = await loop.create_server(connection, "127.0.0.1", 0, backlog=1024)
    port = server.sockets[0].getsockname()[1]
    print(port, flush=True)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
