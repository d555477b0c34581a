"""Decision and value files: readable, stable, kept as they are, refused when unsafe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from evaltui.engine.values import content_hash
from evaltui.errors import DecisionError
from evaltui.models import Action, Cause, Decision, Target
from evaltui.review import decision_files, value_files
from evaltui.review.log import DecisionLog

if TYPE_CHECKING:
    from tests.review.conftest import Desk

DECISION = decision_files.sign(
    Decision(
        "",
        Action.ACCEPT_BASELINE,
        "Ana Ω",
        "2026-01-31T12:00:00.123456Z",
        (Target("a.ulx", "Replies", "", "snapshot:k", new_digest="a" * 64),),
        reason="reads better",
        cause=Cause.INITIAL,
        expires_at="2026-04-30",
    )
)


def write(folder: Path, text: str, name: str = "x.json") -> Path:
    path = folder / "decisions" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_decision_file_is_named_by_time_and_hash_and_readable() -> None:
    assert decision_files.file_name(DECISION) == f"20260131T120000Z-{DECISION.id[:8]}.json"
    text = decision_files.encode(DECISION)
    assert text.startswith('{\n  "schema": "evaltui.decision/1",\n  "id": "')
    assert text.endswith("}\n")
    assert '"reviewer": "Ana Ω"' in text
    assert "null" not in text


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    path = write(tmp_path, decision_files.encode(DECISION))
    assert decision_files.read(path) == (DECISION, True)


def test_instruments_and_answers_are_written_out_for_people(desk: Desk) -> None:
    instrument = '[{"model":"caf\\u00e9","vendor":"v"}]'
    value = '{"kind":"Record","value":{"é":{"kind":"Float","value":2.0}}}'
    odd = '{"kind":"Float","value":2.50}'
    about = desk.target(
        escalation="boss", arguments_digest="d", occurrence=0, value=value, instrument=instrument
    )
    decision = desk.decide(Action.APPROVE_ESCALATION, [about, replace(about, value=odd)])
    text = decision_files.path_of(desk.folder, decision).read_text()
    assert '"vendor": "v"' in text
    assert '"value": 2.0' in text
    assert DecisionLog.load(desk.folder).decisions[decision.id] == decision


def test_unknown_members_are_kept_and_part_of_what_was_signed(tmp_path: Path) -> None:
    body = json.loads(decision_files.encode(DECISION))
    body["later"] = {"b": 1}
    body["targets"][0]["more"] = [2]
    read, genuine = decision_files.decode(body, tmp_path)
    assert not genuine
    signed = decision_files.sign(read)
    again = json.loads(decision_files.encode(signed))
    assert again["later"] == {"b": 1}
    assert again["targets"][0]["more"] == [2]
    assert decision_files.decode(again, tmp_path) == (signed, True)


def test_an_edited_decision_counts_no_more(desk: Desk) -> None:
    decision = desk.accept("hello")
    path = decision_files.path_of(desk.folder, decision)
    path.write_text(path.read_text().replace("2026-06-01", "2099-06-01"))
    log = DecisionLog.load(desk.folder)
    assert not log.decisions
    assert "edited" in log.problems[0].message


def test_a_copied_decision_counts_once(desk: Desk) -> None:
    decision = desk.accept("hello")
    write(desk.folder, decision_files.encode(decision), "copy.json")
    log = DecisionLog.load(desk.folder)
    assert (len(log.decisions), len(log.problems)) == (1, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "evaltui.decision/2"}, "not known to this version"),
        ({"action": "explode"}, "Invalid enum value 'explode'"),
        ({"targets": []}, "has no targets"),
        ({"targets": [{"suite": "a.ulx", "benchmark": "B"}]}, "lacks what accept_baseline needs"),
        ({"expires_at": "2026-02-30"}, "expires_at is no day"),
        ({"created_at": "yesterday"}, "created_at is no UTC time"),
        ({"reviewer": " "}, "names no reviewer"),
        ({"reviewer": 3}, "Expected `str`"),
    ],
)
def test_a_file_that_is_no_decision_is_refused_by_name(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    body = {**json.loads(decision_files.encode(DECISION)), **change}
    path = write(tmp_path, json.dumps(body))
    with pytest.raises(DecisionError, match=message) as caught:
        DecisionLog.load(tmp_path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "<<<<<<< HEAD\n{}", "[" * 100_000])
def test_a_broken_file_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(DecisionError) as caught:
        DecisionLog.load(tmp_path)
    assert caught.value.place == str(path)


def test_a_digest_that_leads_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    body = json.loads(decision_files.encode(DECISION))
    body["targets"][0]["new_digest"] = "../../etc/passwd"
    write(tmp_path, json.dumps(body))
    with pytest.raises(DecisionError, match="64 hexadecimal digits"):
        DecisionLog.load(tmp_path)


def test_values_are_kept_under_their_digest_and_checked(desk: Desk) -> None:
    digest = desk.value_file({"a": [1, 2.0, "x"]})
    assert value_files.read(desk.folder, digest) == {"a": [1, 2.0, "x"]}
    path = value_files.path_of(desk.folder, digest)
    path.write_bytes(value_files.encode("other"))
    with pytest.raises(DecisionError, match="not the one its name says"):
        value_files.read(desk.folder, digest)
    with pytest.raises(DecisionError, match="gone"):
        value_files.read(desk.folder, content_hash("missing"))


@pytest.mark.parametrize(
    "members",
    [
        {"benchmark": "../../elsewhere"},
        {"benchmark": "/etc"},
        {"benchmark": "a/../../b"},
        {"benchmark": "..\\b"},
        {"benchmark": "a\0b"},
        {"suite": "../other.ulx"},
        {"suite": "/s.ulx"},
    ],
)
def test_a_decision_cannot_reach_outside_its_folder(
    tmp_path: Path, members: dict[str, str]
) -> None:
    forged = decision_files.sign(
        replace(DECISION, targets=(replace(DECISION.targets[0], **members),))
    )
    path = write(tmp_path, decision_files.encode(forged))
    with pytest.raises(DecisionError, match=r"targets\[0\] names something outside this folder"):
        decision_files.read(path)


@pytest.mark.parametrize("benchmark", ["", "."])
def test_a_decision_about_a_suite_names_a_benchmark(tmp_path: Path, benchmark: str) -> None:
    forged = replace(DECISION, targets=(replace(DECISION.targets[0], benchmark=benchmark),))
    path = write(tmp_path, decision_files.encode(decision_files.sign(forged)))
    with pytest.raises(DecisionError, match="names no benchmark"):
        decision_files.read(path)


def test_an_acceptance_without_an_end_is_refused(tmp_path: Path) -> None:
    endless = decision_files.sign(replace(DECISION, expires_at=None))
    path = write(tmp_path, decision_files.encode(endless))
    with pytest.raises(DecisionError, match="has no expiry, which accept_baseline needs"):
        decision_files.read(path)


def test_a_moment_that_is_none_is_refused(tmp_path: Path) -> None:
    odd = decision_files.sign(replace(DECISION, created_at="2026-13-45T99:99:99Z"))
    path = write(tmp_path, decision_files.encode(odd))
    with pytest.raises(DecisionError, match="created_at is no UTC time"):
        decision_files.read(path)


def test_files_that_cannot_be_read_are_told_in_plain_words(tmp_path: Path) -> None:
    path = write(tmp_path, "")
    path.write_bytes(b"\xff")
    with pytest.raises(DecisionError, match="cannot be read: it is not UTF-8"):
        decision_files.read(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(DecisionError, match="cannot be read: Is a directory;"):
        decision_files.read(path)
