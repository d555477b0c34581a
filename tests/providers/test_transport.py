"""Attempts, waits, limits and the breaker around calls."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from evaltui.engine.carriers import RATE_LIMITED, TIMEOUT, refused
from evaltui.project import Limits
from evaltui.providers.base import ProviderFailure, Reply
from evaltui.providers.rules import ULX_RULES

if TYPE_CHECKING:
    from tests.fault_server.client import FaultServer
    from tests.providers.calling import Caller


async def outcome(caller: Caller, within_s: float | None = 600) -> Reply | ProviderFailure:
    try:
        return await caller.provider.call(caller.request(within_s))
    except ProviderFailure as failure:
        return failure
    finally:
        await caller.network.close()


def caller_of(faults: FaultServer, script: str, vendor: str = "openai", **more: object) -> Caller:
    from tests.providers.calling import Caller

    bucket = faults.bucket()
    caller = Caller(vendor, faults.url(bucket, script), **more)  # type: ignore[arg-type]
    caller.bucket = bucket
    return caller


async def failed(caller: Caller, within_s: float | None = 600) -> ProviderFailure:
    found = await outcome(caller, within_s)
    assert isinstance(found, ProviderFailure)
    return found


async def answered(caller: Caller) -> Reply:
    found = await outcome(caller)
    assert isinstance(found, Reply)
    return found


@pytest.mark.parametrize(
    ("hint", "seconds"),
    [
        ("retry-after=3", 3.0),
        ("retry-after=0.25", 0.25),
        ("retry-after-ms=1500;retry-after=9", 1.5),
        ("retry-after=Fri, 15 Jan 2027 08:00:10 GMT", 10.0),
        ("retry-after=soon", 0.25),
        ("retry-after=-1", 0.25),
    ],
)
async def test_a_hint_decides_how_long_to_wait(
    faults: FaultServer, hint: str, seconds: float
) -> None:
    hint = hint.replace(",", "%2C")
    caller = caller_of(faults, f"status:429;{hint},ok")
    reply = await answered(caller)
    assert caller.time.slept[0] == pytest.approx(seconds, abs=0.2)
    first, second = reply.attempts
    assert (first.status, first.number, first.wait_ms) == (429, 1, 0.0)
    assert first.error == "HTTP 429: failed with 429"
    assert (second.status, second.number) == (200, 2)
    assert second.wait_ms == pytest.approx(seconds * 1000, abs=200)


async def test_a_hint_beyond_the_time_of_the_case_is_not_waited_for(faults: FaultServer) -> None:
    failure = await failed(caller_of(faults, "status:429;retry-after=300,ok"), within_s=60)
    assert failure.kind == "rate_limit"
    assert "asked to wait 300 s" in failure.message
    assert len(failure.attempts) == 1


async def test_waits_without_a_hint_grow_at_random(faults: FaultServer) -> None:
    from tests.providers.calling import FakeTime

    caller = caller_of(faults, "status:503", time=FakeTime(chance=1.0))
    await failed(caller)
    assert caller.time.slept == [0.5, 1.0, 2.0]


async def test_limits_bound_attempts(faults: FaultServer) -> None:
    failure = await failed(caller_of(faults, "status:503", limits=Limits(attempts=2)))
    assert [one.status for one in failure.attempts] == [503, 503]


async def test_after_a_refused_key_nothing_is_sent(faults: FaultServer) -> None:
    caller = caller_of(faults, "status:401")
    for _ in range(3):
        with pytest.raises(ProviderFailure) as caught:
            await caller.provider.call(caller.request())
        assert caught.value.stop_run
    await caller.network.close()
    assert faults.seen(caller.bucket)["requests"] == 1


async def test_connections_are_kept(faults: FaultServer) -> None:
    caller = caller_of(faults, "ok")
    for _ in range(5):
        await caller.provider.call(caller.request())
    await caller.network.close()
    seen = faults.seen(caller.bucket)
    assert (seen["requests"], seen["connections"]) == (5, 1)


async def test_concurrency_is_bounded_for_the_provider(faults: FaultServer) -> None:
    caller = caller_of(faults, "delay:10", limits=Limits(concurrency=3))
    await asyncio.gather(*(caller.provider.call(caller.request()) for _ in range(12)))
    await caller.network.close()
    assert faults.seen(caller.bucket)["most_open"] == 3


async def test_requests_keep_the_pace(faults: FaultServer) -> None:
    caller = caller_of(faults, "ok", limits=Limits(requests_per_minute=30))
    began = caller.time.ahead
    for _ in range(6):
        await caller.provider.call(caller.request())
    await caller.network.close()
    assert caller.time.ahead - began == pytest.approx(10.0, abs=1.0)


async def test_tokens_keep_the_pace(faults: FaultServer) -> None:
    caller = caller_of(
        faults, "ok", limits=Limits(tokens_per_minute=6000), params={"max_tokens": 1000}
    )
    for _ in range(4):
        await caller.provider.call(caller.request())
    await caller.network.close()
    # Estimates of a thousand and some are corrected to the 18 tokens that replies report.
    assert caller.time.ahead < 15.0


async def test_a_rate_limit_slows_the_other_calls_down(faults: FaultServer) -> None:
    caller = caller_of(faults, "status:429;retry-after=5,ok")
    await caller.provider.call(caller.request())
    ahead = caller.time.ahead
    await caller.provider.call(caller.request())
    await caller.network.close()
    assert ahead >= 5.0
    assert faults.seen(caller.bucket)["requests"] == 3


async def test_calls_wait_for_an_open_breaker_while_their_case_has_time(
    faults: FaultServer,
) -> None:
    caller = caller_of(faults, "status:500*5,ok", limits=Limits(attempts=5))
    caller.time.chance = 0.0
    await failed_call(caller)
    reply = await caller.provider.call(caller.request())
    await caller.network.close()
    assert reply.attempts[0].wait_ms == pytest.approx(30_000, abs=500)


async def test_a_provider_that_stays_down_stops_the_run(faults: FaultServer) -> None:
    caller = caller_of(faults, "status:500", limits=Limits(attempts=1))
    failures = [await failed_call(caller) for _ in range(9)]
    await caller.network.close()
    assert [one.kind for one in failures[:5]] == ["server"] * 5
    assert failures[-1].kind == "breaker_open"
    assert failures[-1].stop_run
    assert faults.seen(caller.bucket)["requests"] == 8


async def failed_call(caller: Caller) -> ProviderFailure:
    with pytest.raises(ProviderFailure) as caught:
        await caller.provider.call(caller.request())
    return caught.value


@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "http://nowhere.invalid"])
async def test_an_address_where_nobody_listens(address: str) -> None:
    from tests.providers.calling import Caller

    failure = await failed(Caller("openai", address))
    assert (failure.kind, len(failure.attempts)) == ("network", 4)
    assert failure.message.startswith("transport error: ")


async def test_a_server_without_the_certificate_it_should_have(faults: FaultServer) -> None:
    from tests.providers.calling import Caller

    failure = await failed(Caller("openai", f"https://127.0.0.1:{faults.port}/b/ok"))
    assert (failure.kind, failure.stop_run) == ("tls", True)


async def test_proxies_of_the_environment_are_not_asked_for_the_loopback(
    faults: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    assert (await answered(caller_of(faults, "ok"))).value


@pytest.mark.parametrize(
    ("script", "draft"),
    [
        ("status:429", RATE_LIMITED),
        ("silent", TIMEOUT),
        ("refuse", refused("content filtered by provider")),
    ],
)
async def test_drafts(faults: FaultServer, script: str, draft: object) -> None:
    limits = Limits(timeout_s=0.2)
    found = await outcome(caller_of(faults, script, rules=ULX_RULES, limits=limits))
    assert isinstance(found, Reply)
    assert found.value == draft


@pytest.mark.parametrize(
    ("script", "text", "requests"),
    [
        ("status:401", 'HTTP 401: "failed with 401"', 1),
        ("status:409", 'HTTP 409: "failed with 409"', 1),
        ("status:500", 'HTTP 500: "failed with 500"', 4),
        ("other", "response had no `choices`", 1),
        ("html", "invalid JSON response: ", 4),
        ("drop", "transport error: ", 4),
    ],
)
async def test_the_words_of_the_reference(
    faults: FaultServer, script: str, text: str, requests: int
) -> None:
    caller = caller_of(faults, script, rules=ULX_RULES)
    failure = await failed(caller)
    assert failure.message.startswith(text)
    assert faults.seen(caller.bucket)["requests"] == requests


async def test_the_reference_reads_members_that_come_twice(faults: FaultServer) -> None:
    assert (await answered(caller_of(faults, "twice", rules=ULX_RULES))).value


async def test_the_reference_obeys_whole_seconds_up_to_thirty(faults: FaultServer) -> None:
    caller = caller_of(
        faults, "status:429;retry-after=99,status:429;retry-after=1.5,ok", rules=ULX_RULES
    )
    caller.time.chance = 1.0
    await answered(caller)
    assert caller.time.slept == [30.0, 1.0]


async def test_the_reference_fails_at_once_while_the_breaker_is_open(faults: FaultServer) -> None:
    caller = caller_of(faults, "status:500", rules=replace(ULX_RULES, attempts=1))
    failures = [await failed_call(caller) for _ in range(6)]
    await caller.network.close()
    assert failures[-1].message == "circuit breaker open: too many recent failures"
    assert faults.seen(caller.bucket)["requests"] == 5
