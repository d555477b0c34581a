"""Runs and cached answers of ``ulx``, taken into the store of evaltui."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from evaltui.cli import run
from evaltui.clock import system_clock
from evaltui.engine.import_ulexite import KIND
from evaltui.engine.importing import read_source, take_in
from evaltui.engine.keys import escalation_key
from evaltui.models import Mode, Outcome, RunInfo
from evaltui.redaction import SecretScanner
from evaltui.store.store import Store, open_store
from evaltui.ulx.cli import main

Said = Callable[..., tuple[int, str]]
TALK = '''
dataset Rows: [{id: text, q: text}] { [{id: "a", q: "one"}, {id: "b", q: "two"}] }
judge Kind(reply: text) -> Verdict { rubric: """Is it kind?""" }
validator Word(reply: text) -> Verdict { regex: "o" }
conversation Ask(q: text) -> text { user: """{q}""" assistant -> r r }
conversation Outer(q: text) -> text { x = Ask(q) x }
conversation Wait() -> text { y = escalate(boss, reason: "look") y }
benchmark Replies {
  dataset: Rows
  run: Outer($.q) -> reply
  expect reply satisfies judge Kind(reply)
  assert validator Word(reply) == validator Word(reply)
}
'''
LIVE = TALK + 'provider Desk { vendor: "openai" chat: "gpt-4o-mini" judge: "gpt-4o" }\n'
ONE = {"role": "user", "text": "one"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("CI", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evaltui.toml").write_text("")
    (tmp_path / "talk.ulx").write_text(TALK)
    return tmp_path


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    """Calls ``evaltui``; answers exit code and what it printed, errors after the rest."""

    def call(*words: str) -> tuple[int, str]:
        capsys.readouterr()
        code = run(words)
        out, err = capsys.readouterr()
        return code, out + err

    return call


def ulx(*words: str) -> int:
    return main(words, io.StringIO(), io.StringIO())


def stored() -> Store:
    return open_store(Path(".evaltui/trace.db"), system_clock())


def record(seq: int, /, **members: object) -> str:
    """One line of a trace as ``ulx`` writes it."""
    line = {
        "run_id": "r",
        "seq": seq,
        "kind": "effect",
        "capability": "chat",
        "cache_key": None,
        "cache_hit": False,
        "input": [ONE],
        "provider": "openai",
        "model": "gpt-4o-mini",
        "output": {"kind": "Text", "value": "hello"},
        "error": None,
        "timestamp_ms": 1_700_000_000_000 + seq,
        "parent_run_id": None,
    }
    return json.dumps(line | members)


def write_trace(run_id: str, *lines: str) -> None:
    path = Path(f".ulexite/traces/{run_id}.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))


def write_answer(key: str, value: object) -> None:
    path = Path(".ulexite/cache", key[:2], key[2:])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2))


def test_runs_of_ulx_can_be_listed_shown_and_traced(said: Said) -> None:
    assert ulx("bench", "talk.ulx", "Replies", "--mock", "--run-id", "first") == 0
    assert ulx("run", "talk.ulx", "Ask", "--arg", "q=three", "--mock", "--run-id", "second") == 0
    assert ulx("run", "talk.ulx", "Wait", "--mock", "--run-id", "third") == 1
    assert said("runs", "import", ".") == (
        0,
        "r1  ulx run first: talk.ulx: Replies\n"
        "r2  ulx run second: talk.ulx: Ask\n"
        "r3  ulx run third: talk.ulx: Wait\n"
        "3 runs imported; 5 cached answers kept\n",
    )
    code, listed = said("runs", "list")
    assert code == 0
    assert [row.split()[0] for row in listed.splitlines()[1:]] == ["r3", "r2", "r1"]
    assert listed.count("imported mock  1      1 skipped  talk.ulx") == 3
    shown = said("show", "r1")[1]
    assert "mode          imported mock, from ulx run first\n" in shown
    assert "suite unknown, dataset unknown" in shown and "nothing is judged" in shown
    traced = said("trace", "r1", "Replies")[1]
    assert traced.startswith("Replies: 8 calls\n  #1 chat in Outer > Ask\n")
    assert "  #2 judge Kind, attempt 1\n" in traced and " ms" not in traced
    assert 'row              {"q":"three"}' in said("show", "r2", "Ask")[1]
    assert "it waited on boss" in said("show", "r3")[1]
    assert "asked        boss person\n" in said("trace", "r3", "Wait")[1]
    assert json.loads(said("show", "r2", "--json")[1])["run"]["imported"] == "ulx run second"


def test_importing_again_adds_nothing(said: Said) -> None:
    ulx("bench", "talk.ulx", "Replies", "--mock")
    said("runs", "import", ".")
    assert said("runs", "import", ".ulexite")[1] == "0 runs imported, 1 known already\n"
    assert json.loads(said("runs", "import", ".", "--json")[1]) == {
        "runs": [],
        "known": 1,
        "answers": 0,
        "skipped": {},
    }


def test_a_run_that_went_on_is_imported_once_more(said: Said) -> None:
    ulx("run", "talk.ulx", "Wait", "--mock", "--run-id", "w")
    said("runs", "import", ".")
    ulx("approve", "w", "--mock", "--value", "fine")
    assert said("runs", "import", ".")[1] == ("r2  ulx run w: talk.ulx: Wait\n1 run imported\n")
    with stored() as store:
        first, second = (
            store.record(store.run(label).id, 0).result.calls for label in ("r1", "r2")
        )
        assert [call.output for call in first] == [None]
        assert second[-1].output == '{"kind":"Text","value":"fine"}'


def test_imported_runs_are_never_the_latest(said: Said) -> None:
    ulx("bench", "talk.ulx", "Replies", "--mock")
    said("runs", "import", ".")
    with stored() as store:
        assert store.run().label == "r1"
    assert run(["run", "talk.ulx", "--ci", "--mock"]) == 0
    Path(".ulexite/runs").joinpath("x.json").write_text(
        json.dumps({"file": "talk.ulx", "conversation": "Ask", "args": {}})
    )
    assert said("runs", "import", ".")[1].startswith("r3  ulx run x: talk.ulx: Ask\n")
    with stored() as store:
        assert store.run().label == "r2"


def test_what_cannot_be_used_is_skipped_and_counted(said: Said) -> None:
    write_trace(
        "r",
        "",
        "garbage",
        "[]",
        "\udcff",
        record(0),
        record(1, seq="1"),
        record(2, input=[{"role": 1, "text": "x"}]),
        record(3, output={"kind": "Int", "value": "x"}),
        record(4, timestamp_ms=-1),
        record(5, timestamp_ms=10**16),
        record(6, kind="other"),
        record(7)[:40],
    )
    write_trace("empty", "", "nothing")
    Path(".ulexite/runs").mkdir()
    Path(".ulexite/runs/r.json").write_text('{"file": 3}')
    Path(".ulexite/runs/deep.json").write_text("[" * 100_000)
    Path(".ulexite/runs/nul.json").write_text(
        json.dumps({"file": "a\0b", "conversation": "A", "args": {}})
    )
    Path(".ulexite/runs/dir.json").mkdir()
    write_answer("a" * 64, {"kind": "Text", "value": "kept"})
    write_answer("b" * 64, {"kind": "Nothing"})
    write_answer("c" * 64, {"kind": "Unsettled", "value": "Timeout"})
    write_answer("README", {})
    assert said("runs", "import", ".") == (
        0,
        "r1  ulx run r: unknown: unknown\n"
        "1 run imported; 1 cached answer kept\n"
        "skipped: cached answers that cannot be read: 1, cached drafts: 1, "
        "files of the cache that are no answers: 1, files that cannot be read: 1, "
        "lines of traces: 11, run manifests: 3\n",
    )


def test_what_is_unknown_is_said_to_be_unknown(said: Said) -> None:
    write_trace(
        "r",
        record(0, cache_hit=True, model="gpt-9"),
        record(1, provider="anthropic", model="claude-3-haiku"),
        record(2, output=None, error="HTTP 500: null"),
    )
    said("runs", "import", ".")
    with stored() as store:
        info = store.run("r1")
        assert (info.mode, info.mode_word) == (Mode.REPLAY, "imported")
        assert info.instrument == "anthropic claude-3-haiku; openai gpt-4o-mini"
        assert info.policy_digest == "" and info.sections[0].suite_digest == ""
        assert info.started_at == "2023-11-14T22:13:20.000000Z"
        (case,) = store.records(info.id)
    assert case.judgement.outcome is Outcome.SKIPPED and not case.judgement.red
    assert case.result.skipped == "imported; its last call failed: HTTP 500: null"
    assert {call.provider for call in case.result.calls} == {"unknown"}
    assert all(member["imported"] for member in json.loads(case.result.instrument))


def test_nothing_hostile_gets_through(said: Said) -> None:
    write_trace(
        "x\x1b[31m",
        record(0, capability="\x1b]0;title\x07", input=[{"role": "\x1b", "text": "\u202e"}]),
    )
    for words in (["runs", "import", "."], ["runs", "list"], ["show", "r1"]):
        code, printed = said(*words)
        assert code == 0 and "\x1b" not in printed and "\u202e" not in printed
    assert "\x1b" not in said("trace", "r1", "unknown")[1]


def test_keys_are_left_out(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "sk-1234567890abcdef"
    Path(".env").write_text(f"OPENAI_API_KEY={secret}\n")
    write_trace("r", record(0, input=[{"role": "user", "text": f"my key is {secret}"}]))
    write_answer("a" * 64, {"kind": "Text", "value": f"it is {secret}"})
    assert "cached answers with secrets: 1" in said("runs", "import", ".")[1]
    assert secret not in said("trace", "r1", "unknown")[1]
    assert secret.encode() not in Path(".evaltui/trace.db").read_bytes()


def test_an_import_that_was_cut_short_is_completed() -> None:
    ulx("bench", "talk.ulx", "Replies", "--mock")
    found = read_source(Path(), SecretScanner(environment={}))
    with stored() as store:
        store.begin_run(found.runs[0].run, [spec for spec, _ in found.runs[0].cases])
    with stored() as store:
        imported = take_in(store, found)
        assert [one.label for one in imported.runs] == ["r1"]
        assert len(store.record(imported.runs[0].id, 0).result.calls) == 8
        assert take_in(store, found).runs == ()


@pytest.mark.parametrize("path", ["nowhere", "talk.ulx", "empty"])
def test_there_must_be_something_to_import(path: str, said: Said) -> None:
    Path("empty").mkdir()
    code, printed = said("runs", "import", path)
    assert code == 2 and printed.startswith(f"evaltui: error: {path}: ")
    assert not Path(".evaltui").exists()


def test_decisions_of_people_stay_with_their_run() -> None:
    ulx("run", "talk.ulx", "Wait", "--mock", "--run-id", "w")
    ulx("approve", "w", "--mock", "--value", "fine")
    key = escalation_key("boss", {"reason": "look"}, "w", (), 0)
    assert Path(".ulexite/cache", key[:2], key[2:]).exists()
    assert KIND.read(Path(".ulexite"), SecretScanner(environment={})).answers == {}


def live_project() -> None:
    """A project whose answers came from a vendor; no key is set."""
    Path("talk.ulx").write_text(LIVE)
    from evaltui.engine.answers import imported_key
    from evaltui.engine.effects import Message
    from evaltui.providers.base import ProviderRequest

    lines = []
    for number, question in enumerate(("one", "two")):
        reply = f"so {question}"
        asked = ProviderRequest("chat", (Message("user", question),), {})
        judged = ProviderRequest("judge", (), {"rubric": "Is it kind?", "subject": reply}, "Kind")
        keys = imported_key(asked, "openai"), imported_key(judged, "openai")
        write_answer(keys[0], {"kind": "Text", "value": reply})
        write_answer(keys[1], {"kind": "Verdict", "value": "Pass"})
        lines.append(record(number, cache_key=keys[0], output={"kind": "Text", "value": reply}))
    write_trace("live", *lines)


def replayed(said: Said) -> RunInfo:
    assert said("runs", "import", ".")[1].endswith("1 run imported; 4 cached answers kept\n")
    code, printed = said("run", "talk.ulx", "--ci", "--replay", "r1")
    assert (code, printed.count("pass  ")) == (0, 2), printed
    with stored() as store:
        return store.run("r2")


def test_answers_of_an_imported_run_can_be_replayed(said: Said) -> None:
    live_project()
    again = replayed(said)
    assert (again.mode, again.replay_of) == (Mode.REPLAY, "r1")
    with stored() as store:
        for case in store.records(again.id):
            assert case.result.mode is Mode.REPLAY
            assert {call.capability for call in case.result.calls} == {"chat", "judge"}
            for member in json.loads(case.result.instrument):
                assert member["imported"] and "model" not in member and "base_url" not in member


def test_a_question_that_was_never_asked_is_not_answered(said: Said) -> None:
    live_project()
    Path("talk.ulx").write_text(LIVE.replace('q: "two"', 'q: "three"'))
    said("runs", "import", ".")
    code, printed = said("run", "talk.ulx", "--ci", "--replay", "r1")
    assert code == 3 and "run r1 holds no answer for" in printed


def test_an_imported_answer_is_no_baseline_of_what_is_live(said: Said) -> None:
    from evaltui.review.accepting import is_live

    live_project()
    Path("talk.ulx").write_text(
        LIVE.replace("assert validator", 'snapshot reply as """{$.id}"""\n  assert validator')
    )
    said("runs", "import", ".")
    assert said("run", "talk.ulx", "--ci", "--replay", "r1")[0] == 1
    with stored() as store:
        instruments = {case.result.instrument for case in store.records(store.run("r2").id)}
        assert not any(is_live(instrument) for instrument in instruments)
        assert store.run("r1").mode is not Mode.LIVE
    code, _ = said("accept", "--run", "r1", "unknown", "--cause", "initial", "--reason", "x")
    assert code != 0 and not list(Path().glob("snapshots/**/*.json"))
