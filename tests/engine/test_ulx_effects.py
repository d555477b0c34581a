"""Calls of ulx: cached on disk, traced line by line, escalations counted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from pathlib import Path

import pytest

from evaltui.engine.cache import FileCache
from evaltui.engine.effects import Message, Request
from evaltui.engine.failures import RuntimeFailure, Suspended
from evaltui.engine.trace import TraceRecord, TraceWriter, read_trace, trace_path
from evaltui.engine.ulx_effects import Mode, UlxEffects
from evaltui.engine.values import TIMEOUT, Value, fail, untagged
from evaltui.models import FailureClass
from evaltui.providers.base import Instrument, ProviderFailure, ProviderRequest, Reply
from evaltui.providers.mock import MockProvider
from evaltui.providers.registry import Entry, Registry, mock_registry

HELLO = Request("chat", (Message("user", "hello"),), {})
SLOW = Request("chat", (Message("user", "MOCK_TIMEOUT"),), {})
REPLY = "[mock:chat] response to -> user: hello"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Records(list[TraceRecord]):
    """Records kept in memory."""


def effects(mode: Mode | None = None, records: Records | None = None) -> UlxEffects:
    kept = Records() if records is None else records
    return UlxEffects("r", mock_registry([]), FileCache(), kept, mode=mode, clock=lambda: 7)


def test_a_trace_line_has_its_members_in_order() -> None:
    writer = TraceWriter(trace_path("r"))
    traced = UlxEffects("r", mock_registry([]), FileCache(), writer, clock=lambda: 7)
    with traced.conversation("C", [("_", 1), ("name", "é\n")]):
        traced.call(HELLO)
    traced.validated("regex", "x")
    writer.close()
    lines = trace_path("r").read_text(encoding="utf-8").splitlines()
    assert lines[0] == (
        '{"run_id":"r","seq":0,"kind":"call","capability":"C","cache_key":null,"cache_hit":false,'
        '"input":[{"role":"_","text":"1"},{"role":"name","text":"é\\n"}],"provider":null,'
        '"model":null,"output":null,"error":null,"timestamp_ms":7,"parent_run_id":null}'
    )
    inner, last = map(json.loads, lines[1:])
    assert inner["output"] == {"kind": "Text", "value": REPLY}
    assert (inner["parent_run_id"], last["parent_run_id"]) == ("r:0", None)
    assert last["capability"] == "validator:regex"
    assert [record.seq for record in read_trace("r")] == [0, 1, 2]


def test_answers_and_drafts_are_cached() -> None:
    records = Records()
    first = effects(records=records)
    assert [first.call(one) for one in (HELLO, HELLO, SLOW)] == [REPLY, REPLY, TIMEOUT]
    assert effects(records=records).call(SLOW) == TIMEOUT
    assert [record.cache_hit for record in records] == [False, True, False, True]


def test_without_reading_the_cache_calls_are_repeated_and_still_stored() -> None:
    records = Records()
    unread = effects(Mode(reads_cache=False), records)
    unread.call(HELLO)
    unread.call(HELLO)
    assert [record.cache_hit for record in records] == [False, False]
    assert effects(Mode(strict=True)).call(HELLO) == REPLY


def test_a_replay_calls_nobody() -> None:
    records = Records()
    replay = effects(Mode(strict=True), records)
    with pytest.raises(RuntimeFailure, match="no cached result for `chat` call"):
        replay.call(HELLO)
    with pytest.raises(RuntimeFailure, match="escalate to `boss` has no recorded decision"):
        replay.escalate("boss", {}, "why")
    assert records == []


def decide(waiting: UlxEffects, *targets: str) -> list[str]:
    keys = []
    for target in targets:
        with pytest.raises(Suspended) as caught:
            waiting.escalate(target, {"reason": "why"}, "why")
        keys.append(caught.value.key)
    return keys


def test_escalations_are_counted_along_the_run_and_apart_in_each_member() -> None:
    waiting = effects()
    first, second = decide(waiting, "boss", "boss")
    inside = waiting.concurrently(
        [lambda: decide(waiting, "boss", "boss"), lambda: decide(waiting, "boss")]
    )
    (third,) = decide(waiting, "boss")
    keys = [first, second, third]
    for member in inside:
        assert isinstance(member, list)
        keys += member
    assert len(set(keys)) == 6
    again = effects()
    assert decide(again, "boss", "boss") == [first, second]


def test_a_recorded_decision_answers_its_escalation_only() -> None:
    waiting = effects()
    first, _ = decide(waiting, "boss", "boss")
    FileCache().write(first, fail("no"))
    again = effects()
    assert again.escalate("boss", {"reason": "why"}, "why") == fail("no")
    decide(again, "boss")


def test_an_unreadable_cache_entry_is_a_miss() -> None:
    effects().call(HELLO)
    (path,) = [path for path in Path(".ulexite/cache").rglob("*") if path.is_file()]
    assert untagged(path.read_text(encoding="utf-8")) == REPLY
    for content in (b"", b"\xff", b"{}"):
        path.write_bytes(content)
        assert effects().call(HELLO) == REPLY


def test_a_cache_that_cannot_be_written_is_no_failure() -> None:
    Path(".ulexite").write_text("in the way")
    assert effects().call(HELLO) == REPLY


def test_embeddings_are_not_traced_and_drafts_are_errors() -> None:
    records = Records()
    value: Value = effects(records=records).embed("abc", None)
    assert isinstance(value, list)
    assert len(value) == 8
    assert records == []
    with pytest.raises(RuntimeFailure, match="no provider named `x` is registered"):
        effects().embed("abc", "x")


class Later(MockProvider):
    """Answers after a turn of the loop, or fails."""

    def call(self, request: ProviderRequest) -> Awaitable[Reply]:  # type: ignore[override]
        """The mock's answer, later."""
        return self._answer(super().call(request), request)

    async def _answer(self, reply: Reply, request: ProviderRequest) -> Reply:
        await asyncio.sleep(0)
        if request.capability == "speak":
            raise ProviderFailure(FailureClass.INFRASTRUCTURE, "http", "HTTP 500: null")
        return reply


def test_providers_that_answer_later_are_waited_for() -> None:
    entry = Entry("later", Later(), Instrument("later", "mock", None))
    records = Records()
    waiting = UlxEffects("r", Registry([entry]), FileCache(), records)
    assert waiting.call(HELLO) == REPLY
    with pytest.raises(RuntimeFailure, match=r"^provider call failed: HTTP 500: null$"):
        waiting.call(Request("speak", (), {}))
    assert records[-1].error == "provider call failed: HTTP 500: null"
