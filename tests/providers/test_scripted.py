"""The scripted provider: which answer a call gets, and what comes with it."""

from __future__ import annotations

import json
from collections.abc import Awaitable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from evaltui.engine.effects import Message
from evaltui.engine.values import RATE_LIMITED, TIMEOUT, Value, fail, refused, score
from evaltui.errors import ConfigurationError
from evaltui.models import FailureClass
from evaltui.providers.base import ProviderFailure, ProviderRequest, Reply
from evaltui.providers.scripted import ScriptedProvider, scripted_provider


def provider(*answers: dict[str, Any], capability: str = "chat", **params: str) -> ScriptedProvider:
    given = {"answers": list(answers), **params}
    return scripted_provider(capability, "writer-1", given, Path("/p"), Path("/p"))


def chat(text: str = "hello", case: str = "c1") -> ProviderRequest:
    return ProviderRequest("chat", (Message("user", text),), {}, case_id=case)


def judge(name: str = "Tone", subject: Value = "a reply", case: str = "c1") -> ProviderRequest:
    arguments = {"rubric": "be kind", "subject": subject}
    return ProviderRequest("judge", (), arguments, judge=name, case_id=case)


def now(reply: Reply | Awaitable[Reply]) -> Reply:
    assert isinstance(reply, Reply)
    return reply


def value(source: ScriptedProvider, request: ProviderRequest) -> Value:
    return now(source.call(request)).value


def failure(source: ScriptedProvider, request: ProviderRequest) -> ProviderFailure:
    with pytest.raises(ProviderFailure) as caught:
        source.call(request)
    return caught.value


def test_the_first_answer_whose_conditions_all_hold_is_given() -> None:
    source = provider(
        {"case": "c2", "text": "for case two"},
        {"contains": ["refund", "parcel"], "text": "about refunds"},
        {"contains": "refund", "text": "about money"},
        {"text": "anything else"},
    )
    assert value(source, chat("refund the parcel")) == "about refunds"
    assert value(source, chat("refund")) == "about money"
    assert value(source, chat("hello")) == "anything else"
    assert value(source, chat("refund the parcel", "c2")) == "for case two"


def test_an_earlier_general_answer_goes_before_a_later_one_for_the_case() -> None:
    source = provider({"text": "general"}, {"case": "c1", "text": "special"})
    assert value(source, chat()) == "general"


def test_judges_are_found_by_name_and_subject_and_their_verdicts_are_read() -> None:
    source = provider(
        {"capability": "chat", "text": "not for judges"},
        {"judge": "Tone", "subject": "rude", "verdict": "FAIL: it is rude"},
        {"judge": "Tone", "contains": "be kind", "verdict": "SCORE: 0.75"},
        capability="judge",
    )
    assert value(source, judge(subject="a rude reply")) == fail("it is rude")
    assert value(source, judge()) == score(0.75)
    assert failure(source, judge("Other")).kind == "no_answer"
    assert value(source, judge(subject=["not text"])) == score(0.75)


def test_json_is_the_text_of_a_reply_and_the_list_of_an_embedding() -> None:
    assert value(provider({"json": {"a": [1, None]}}), chat()) == '{"a": [1, null]}'
    assert value(provider({"json": None}), chat()) == "null"
    embedding = provider({"json": [0.5, 1]}, capability="embed")
    assert value(embedding, ProviderRequest("embed", (Message("user", "x"),), {})) == [0.5, 1.0]


def test_what_is_known_of_a_reply_comes_with_it() -> None:
    line = {"text": "hi", "model": "writer-1b", "input_tokens": 3, "output_tokens": 1}
    reply = now(provider({**line, "cost": "0.0001"}).call(chat()))
    assert (reply.model, reply.input_tokens, reply.output_tokens) == ("writer-1b", 3, 1)
    assert reply.cost == Decimal("0.0001")


async def test_a_delay_is_waited_for_without_holding_the_others() -> None:
    reply = provider({"text": "late", "delay_ms": 1}).call(chat())
    assert not isinstance(reply, Reply)
    assert (await reply).value == "late"


async def test_a_delay_beyond_the_time_left_is_a_timeout() -> None:
    request = ProviderRequest("chat", (), {}, case_id="c1", timeout_s=0.001)
    reply = provider({"text": "late", "delay_ms": 60_000}).call(request)
    assert not isinstance(reply, Reply)
    assert (await reply).value == TIMEOUT


def test_drafts_are_answers_that_settle_nothing() -> None:
    assert value(provider({"timeout": True}), chat()) == TIMEOUT
    assert value(provider({"status": 429}), chat()) == RATE_LIMITED
    assert value(provider({"refusal": "not that"}), chat()) == refused("not that")


@pytest.mark.parametrize(
    ("status", "kind"), [(500, "server"), (503, "server"), (404, "unknown_model")]
)
def test_an_error_status_is_trouble_of_the_infrastructure(status: int, kind: str) -> None:
    error = failure(provider({"status": status, "message": "sorry"}), chat())
    assert (error.failure_class, error.kind) == (FailureClass.INFRASTRUCTURE, kind)
    assert str(error) == f"HTTP {status}: sorry"
    assert not error.stop_run


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_stops_the_run(status: int) -> None:
    error = failure(provider({"status": status}), chat())
    assert (error.kind, error.stop_run) == ("auth", True)


def test_bytes_that_are_no_reply_are_malformed_and_kept() -> None:
    error = failure(provider({"malformed": "<html>no</html>"}), chat())
    assert (error.failure_class, error.raw) == (FailureClass.MALFORMED, b"<html>no</html>")


def test_sequences_count_for_each_case_by_itself() -> None:
    source = provider({"sequence": ["one", {"text": "two"}]})
    calls = [chat(case="a"), chat(case="b"), chat(case="a"), chat(case="b")]
    assert [value(source, call) for call in calls] == ["one", "one", "two", "two"]
    assert failure(source, chat(case="a")).kind == "answers_exhausted"


def test_what_follows_the_last_answer_is_declared() -> None:
    cycle = provider({"sequence": ["one", "two"], "when_exhausted": "cycle"})
    assert [value(cycle, chat()) for _ in range(5)] == ["one", "two", "one", "two", "one"]
    repeat = provider({"sequence": ["one", "two"]}, when_exhausted="repeat_last")
    assert [value(repeat, chat()) for _ in range(4)] == ["one", "two", "two", "two"]


def test_a_cached_answer_moves_its_sequence_on() -> None:
    source = provider({"sequence": ["one", "two"]})
    source.passed_over(chat())
    assert value(source, chat()) == "two"


def test_the_fingerprint_changes_with_the_answer_that_is_meant() -> None:
    before = provider({"case": "a", "text": "x"}, {"text": "y"})
    after = provider({"case": "a", "text": "x"}, {"text": "z"})
    assert before.fingerprint(chat(case="a")) == after.fingerprint(chat(case="a"))
    assert before.fingerprint(chat(case="b")) != after.fingerprint(chat(case="b"))
    assert provider({"case": "a", "text": "x"}).fingerprint(chat(case="b")) == ""


def test_a_call_that_no_answer_is_meant_for_is_named() -> None:
    error = failure(provider({"case": "other", "text": "x"}), chat("how are you"))
    assert error.failure_class is FailureClass.FIXTURE
    assert str(error) == 'no scripted answer for chat call of case c1: "how are you"'


def write(folder: Path, *lines: object) -> None:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    (folder / "answers.jsonl").write_text(text, encoding="utf-8")


def from_file(folder: Path, name: str = "answers.jsonl") -> ScriptedProvider:
    return scripted_provider("chat", None, {"answers": name}, folder, folder)


def test_a_file_is_read_below_the_root(tmp_path: Path) -> None:
    write(tmp_path, {"text": "from a file"}, "")
    assert value(from_file(tmp_path), chat()) == "from a file"
    inner = tmp_path / "suite"
    inner.mkdir()
    with pytest.raises(ConfigurationError, match="outside the project root"):
        scripted_provider("chat", None, {"answers": "../answers.jsonl"}, inner, inner)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ({"txt": "a"}, "unknown member `txt`, did you mean `text`"),
        ({"case": "a"}, "found none"),
        ({"text": "a", "timeout": True}, "found text and timeout"),
        ({"text": "a", "when_exhausted": "cycle"}, "when_exhausted needs a sequence"),
        ({"sequence": []}, "at least one reply"),
        ({"status": 200}, "`status`"),
        ({"sequence": [{"status": 1}]}, "`sequence.0.status`"),
        ([1], "valid dictionary"),
    ],
)
def test_a_line_that_is_no_answer_is_named(tmp_path: Path, line: object, message: str) -> None:
    write(tmp_path, {"text": "fine"}, line)
    with pytest.raises(ConfigurationError, match=message) as caught:
        from_file(tmp_path)
    assert caught.value.place == f"{tmp_path / 'answers.jsonl'}:2"


def test_a_missing_or_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="No such file"):
        from_file(tmp_path, "none.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b'{"text": "\xe9"}')
    with pytest.raises(ConfigurationError, match="not UTF-8"):
        from_file(tmp_path, "latin.jsonl")


def test_parameters_are_checked() -> None:
    with pytest.raises(ConfigurationError, match="needs `answers`"):
        scripted_provider("chat", None, {}, Path("/p"), Path("/p"))
    with pytest.raises(ConfigurationError, match="when_exhausted is 'later'"):
        provider({"text": "a"}, when_exhausted="later")
