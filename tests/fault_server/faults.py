"""What a step of a script does to one request."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import lru_cache

from tests.fault_server import shapes

JSON = "application/json"
HTML = b"<!doctype html><title>Welcome</title><p>Please sign in to the network."
CONTEXT = "This model's maximum context length is 8192 tokens: max_tokens_exceeded"
QUOTA = "You exceeded your current quota (insufficient_quota), please check your plan"
BIG = 20 * 1024 * 1024
BOMB = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Request:
    """One request as received; ``path`` is without bucket and script."""

    bucket: str
    path: str
    headers: dict[str, str]
    body: bytes
    number: int


@dataclass(slots=True)
class Answering:
    """The connection as a step sees it."""

    write: Callable[[bytes], None]
    close: Callable[[], None]
    port: int
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    def send(
        self,
        body: bytes,
        status: int = 200,
        kind: str = JSON,
        headers: dict[str, str] | None = None,
        length: int | None = None,
    ) -> None:
        """A whole response; ``length`` may promise more than there is."""
        lines = [
            f"HTTP/1.1 {status} Fault",
            f"content-type: {kind}",
            f"content-length: {len(body) if length is None else length}",
            "x-request-id: req-0001",
            *(f"{name}: {value}" for name, value in (headers or {}).items()),
        ]
        self.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


Step = Callable[[Answering, Request, str], Awaitable[None]]
STEPS: dict[str, Step] = {}


def step(work: Step) -> Step:
    """Register a step under its own name."""
    STEPS[work.__name__.rstrip("_")] = work
    return work


@step
async def ok(out: Answering, asked: Request, argument: str) -> None:
    out.send(shapes.answer(asked.path, asked.body), kind=_kind(asked))


@step
async def delay(out: Answering, asked: Request, argument: str) -> None:
    """Answer well after so many milliseconds."""
    await asyncio.sleep(int(argument) / 1000)
    await ok(out, asked, "")


@step
async def say(out: Answering, asked: Request, argument: str) -> None:
    """Answer with this text."""
    out.send(shapes.said(asked.path, asked.body, argument))


@step
async def reveal(out: Answering, asked: Request, argument: str) -> None:
    """Answer with this text, given in hexadecimal digits so that no address holds it."""
    await say(out, asked, bytes.fromhex(argument).decode())


@step
async def status(out: Answering, asked: Request, argument: str) -> None:
    """An error of this status; ``429;retry-after=1`` adds headers."""
    number, *extra = argument.split(";")
    headers = dict(pair.split("=", 1) for pair in extra)
    body = shapes.error(asked.path, int(number), f"failed with {number}")
    out.send(body, int(number), headers=headers)


@step
async def echo(out: Answering, asked: Request, argument: str) -> None:
    """An error of this status that repeats headers and body of the request."""
    text = f"cannot serve {json.dumps(asked.headers)} {asked.body.decode('utf-8', 'replace')}"
    out.send(shapes.error(asked.path, int(argument), text), int(argument))


@step
async def long(out: Answering, asked: Request, argument: str) -> None:
    """The prompt does not fit."""
    out.send(shapes.error(asked.path, 400, CONTEXT), 400)


@step
async def quota(out: Answering, asked: Request, argument: str) -> None:
    """The account is used up."""
    out.send(shapes.error(asked.path, 429, QUOTA), 429)


@step
async def refuse(out: Answering, asked: Request, argument: str) -> None:
    """The vendor declines, in its own way."""
    body = shapes.refusal(asked.path, asked.body)
    if body is None:
        text = "blocked by our content policy: content_policy_violation"
        out.send(shapes.error(asked.path, 400, text), 400)
    else:
        out.send(body)


@step
async def silent(out: Answering, asked: Request, argument: str) -> None:
    """Never answer."""
    await out.gone.wait()


@step
async def stall(out: Answering, asked: Request, argument: str) -> None:
    """Half an answer, then nothing."""
    body = shapes.answer(asked.path, asked.body)
    out.send(body[: len(body) // 2], kind=_kind(asked), length=len(body))
    await out.gone.wait()


@step
async def slow(out: Answering, asked: Request, argument: str) -> None:
    """One byte every so many milliseconds."""
    body = shapes.answer(asked.path, asked.body)
    out.send(b"", kind=_kind(asked), length=len(body))
    for position in range(len(body)):
        if out.gone.is_set():
            return
        await asyncio.sleep(int(argument or 1) / 1000)
        out.write(body[position : position + 1])


@step
async def drop(out: Answering, asked: Request, argument: str) -> None:
    """Close without an answer."""
    out.close()


@step
async def cut(out: Answering, asked: Request, argument: str) -> None:
    """Close in the middle of the answer."""
    body = shapes.answer(asked.path, asked.body)
    out.send(body[: len(body) // 2], kind=_kind(asked), length=len(body))
    out.close()


@step
async def html(out: Answering, asked: Request, argument: str) -> None:
    """A page of a proxy, with status 200."""
    out.send(HTML, kind="text/html; charset=utf-8")


@step
async def empty(out: Answering, asked: Request, argument: str) -> None:
    out.send(b"")


@step
async def truncated(out: Answering, asked: Request, argument: str) -> None:
    """JSON that ends too soon in a response that does not."""
    body = shapes.answer(asked.path, asked.body)
    out.send(body[: len(body) * 2 // 3])


@step
async def twice(out: Answering, asked: Request, argument: str) -> None:
    """JSON in which the first member comes twice."""
    body = shapes.answer(asked.path, asked.body)
    first = next(iter(json.loads(body)))
    out.send(b'{"' + first.encode() + b'": null, ' + body[1:])


@step
async def nan(out: Answering, asked: Request, argument: str) -> None:
    """JSON with a number that is none."""
    body = shapes.answer(asked.path, asked.body)
    out.send(b'{"odd": NaN, ' + body[1:])


@step
async def types(out: Answering, asked: Request, argument: str) -> None:
    """The right members with wrong types."""
    out.send(shapes.mistyped(asked.path, asked.body))


@step
async def other(out: Answering, asked: Request, argument: str) -> None:
    """Good JSON that is something else."""
    out.send(b'{"hello": "world"}')


@step
async def plain(out: Answering, asked: Request, argument: str) -> None:
    """A good answer with a wrong content type."""
    out.send(shapes.answer(asked.path, asked.body), kind="text/plain")


@step
async def gzip_(out: Answering, asked: Request, argument: str) -> None:
    body = gzip.compress(shapes.answer(asked.path, asked.body))
    out.send(body, headers={"content-encoding": "gzip"})


@step
async def zstd(out: Answering, asked: Request, argument: str) -> None:
    import zstandard

    body = zstandard.ZstdCompressor().compress(shapes.answer(asked.path, asked.body))
    out.send(body, headers={"content-encoding": "zstd"})


@step
async def garbled(out: Answering, asked: Request, argument: str) -> None:
    """Says gzip, is not."""
    out.send(shapes.answer(asked.path, asked.body), headers={"content-encoding": "gzip"})


@step
async def big(out: Answering, asked: Request, argument: str) -> None:
    """20 MB of JSON."""
    out.send(_big())


@lru_cache
def _big() -> bytes:
    return b'{"padding": "' + b"x" * BIG + b'"}'


@step
async def bomb(out: Answering, asked: Request, argument: str) -> None:
    """A small body that decompresses to 64 MB."""
    out.send(_bomb(), headers={"content-encoding": "gzip"})


@lru_cache
def _bomb() -> bytes:
    return gzip.compress(b" " * BOMB, 1)


@step
async def away(out: Answering, asked: Request, argument: str) -> None:
    """Redirect to another host, with the request's key in the address."""
    key = asked.headers.get("authorization", "").removeprefix("Bearer ")
    there = f"http://localhost:{out.port}/{asked.bucket}/ok{asked.path}?k={key}"
    out.send(b"", 307, headers={"location": there})


@step
async def home(out: Answering, asked: Request, argument: str) -> None:
    """Redirect to a good answer on the same host."""
    out.send(b"", 307, headers={"location": f"/{asked.bucket}/ok{asked.path}"})


@step
async def circle(out: Answering, asked: Request, argument: str) -> None:
    """Redirect to itself."""
    out.send(b"", 307, headers={"location": f"/{asked.bucket}/circle{asked.path}"})


def _kind(asked: Request) -> str:
    return "audio/mpeg" if asked.path.endswith("/audio/speech") else JSON
