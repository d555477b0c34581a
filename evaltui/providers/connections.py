"""HTTP exchanges over kept connections: one request out, one bounded response back.

Each connection is a transport of its own on a stack: taking one costs the same however many there
are, and the latest used, which is the least likely to have been closed, goes out first.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from evaltui import __version__
from evaltui.providers.addresses import is_loopback
from evaltui.providers.decoding import Undecodable, decoded
from evaltui.providers.failures import Kind, failed

_CONNECT_S: Final = 10.0
_IDLE_S: Final = 30.0
_REDIRECTS: Final = 3
_KEEPING_METHOD: Final = (307, 308)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request. Its headers hold the key: they are sent, and never kept or shown.

    ``once`` says that a second try could do the work twice, ``tokens`` about what it will use.
    """

    url: str
    headers: Mapping[str, str]
    body: bytes
    method: str = "POST"
    once: bool = False
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Incoming:
    """A whole response; ``body`` is decompressed."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    latency_ms: float

    @property
    def request_id(self) -> str | None:
        """What the vendor calls this exchange."""
        for name in ("x-request-id", "x-typesafe-request-id", "request-id", "x-trace-id"):
            if name in self.headers:
                return self.headers[name]
        return None


class Connections:
    """The connections of one event loop to any number of servers.

    ``verify`` False accepts any certificate. Proxies come from the environment; the loopback is
    always reached directly.
    """

    def __init__(self, *, verify: bool = True) -> None:
        self._verify = verify
        self._idle: dict[str, list[httpx.AsyncHTTPTransport]] = defaultdict(list)

    async def close(self) -> None:
        """Close everything that is not in use; new requests open new connections."""
        idle, self._idle = self._idle, defaultdict(list)
        for transports in idle.values():
            for transport in transports:
                await transport.aclose()

    async def exchange(self, outgoing: Outgoing, within_s: float, max_bytes: int) -> Incoming:
        """Send a request and read the response, following redirects on the same server.

        Raises:
            ProviderFailure: there is no whole response within ``within_s``, or it is larger than
                ``max_bytes``.
        """
        began = time.perf_counter()
        try:
            async with asyncio.timeout(within_s):
                for _ in range(_REDIRECTS + 1):
                    incoming = await self._send(outgoing, max_bytes, began)
                    if not 300 <= incoming.status < 400:
                        return incoming
                    outgoing = _redirected(outgoing, incoming)
                raise failed(Kind.REDIRECT, f"more than {_REDIRECTS} redirects")
        except TimeoutError:
            raise failed(Kind.TIMEOUT, f"no answer within {within_s:.3g} s") from None
        except httpx.ConnectTimeout:
            raise failed(Kind.TIMEOUT, f"no connection within {_CONNECT_S:g} s") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise _network_failure(error) from error

    async def _send(self, outgoing: Outgoing, max_bytes: int, began: float) -> Incoming:
        url = _url(outgoing.url)
        origin = f"{url.scheme}://{url.netloc.decode('ascii')}"
        idle = self._idle[origin]
        transport = idle.pop() if idle else self._connect(origin)
        try:
            response = await transport.handle_async_request(_request(url, outgoing))
            try:
                assert isinstance(response.stream, httpx.AsyncByteStream)
                raw = await _read(response.stream, max_bytes)
            finally:
                await response.aclose()
        finally:
            # A transport whose exchange broke off opens a new connection by itself.
            self._idle[origin].append(transport)
        headers = {name.lower(): value for name, value in response.headers.items()}
        body = _body(raw, headers, max_bytes)
        return Incoming(response.status_code, headers, body, _milliseconds(began))

    def _connect(self, origin: str) -> httpx.AsyncHTTPTransport:
        return httpx.AsyncHTTPTransport(
            verify=self._tls if origin.startswith("https") else _NO_TLS,
            limits=httpx.Limits(max_connections=1, keepalive_expiry=_IDLE_S),
            proxy=_proxy(origin),
        )

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return httpx.create_ssl_context(verify=self._verify)


_NO_TLS: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For plain connections: building a real context takes longer than many calls."""

_TIMEOUTS: Final = {"connect": _CONNECT_S, "read": None, "write": None, "pool": None}


@lru_cache(maxsize=256)
def _url(text: str) -> httpx.URL:
    """Addresses repeat, and reading one takes a tenth of the time of a call."""
    return httpx.URL(text)


def _request(url: httpx.URL, outgoing: Outgoing) -> httpx.Request:
    headers = {
        "host": url.netloc.decode("ascii"),
        "accept": "*/*",
        "accept-encoding": "gzip, deflate, zstd",
        "user-agent": f"evaltui/{__version__}",
        **outgoing.headers,
    }
    if outgoing.method == "POST":
        headers["content-length"] = str(len(outgoing.body))
    return httpx.Request(
        outgoing.method,
        url,
        headers=headers,
        stream=httpx.ByteStream(outgoing.body),
        extensions={"timeout": _TIMEOUTS},
    )


async def _read(stream: AsyncIterator[bytes] | httpx.AsyncByteStream, max_bytes: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in stream:
        parts.append(part)
        size += len(part)
        if size > max_bytes:
            raise failed(Kind.TOO_LARGE, f"the reply is larger than {_megabytes(max_bytes)}")
    return b"".join(parts)


def _body(raw: bytes, headers: Mapping[str, str], max_bytes: int) -> bytes:
    coding = headers.get("content-encoding", "").strip().lower()
    if not coding or not raw:
        return raw
    try:
        return decoded(raw, coding, max_bytes)
    except Undecodable as error:
        kind = Kind.TOO_LARGE if error.too_large else Kind.INVALID_REPLY
        raise failed(kind, f"the reply cannot be decompressed: {error}", raw=raw) from error


def _redirected(outgoing: Outgoing, incoming: Incoming) -> Outgoing:
    """The request that a redirect asks for; only where the key has already been.

    Raises:
        ProviderFailure: it leads to another server, or changes the request.
    """
    target = urljoin(outgoing.url, incoming.headers.get("location", ""))
    here, there = urlsplit(outgoing.url), urlsplit(target)
    if (here.scheme, here.netloc) != (there.scheme, there.netloc):
        host = there.hostname or "nowhere"
        raise failed(Kind.REDIRECT, f"HTTP {incoming.status}: redirected to {host}, not followed")
    if outgoing.method == "POST" and incoming.status not in _KEEPING_METHOD:
        raise failed(Kind.REDIRECT, f"HTTP {incoming.status}: redirected to {there.path}")
    return replace(outgoing, url=target)


def _network_failure(error: Exception) -> Exception:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            text = cause.reason or str(cause)
            if isinstance(cause, ssl.SSLCertVerificationError):
                text = cause.verify_message
            return failed(Kind.TLS, f"transport error: TLS: {text}")
        cause = cause.__cause__ or cause.__context__
    text = str(error) or type(error).__name__
    return failed(Kind.NETWORK, f"transport error: {text}")


def _proxy(origin: str) -> str | None:
    parts = urlsplit(origin)
    host = parts.hostname or ""
    if is_loopback(host) or proxy_bypass(host):
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


def _milliseconds(began: float) -> float:
    return round((time.perf_counter() - began) * 1000, 3)


def _megabytes(count: int) -> str:
    return f"{count / 1024 / 1024:.3g} MB"
