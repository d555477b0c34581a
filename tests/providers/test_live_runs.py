"""Whole runs against the fault server: what is stored, what stops, what is resumed."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from evaltui.errors import ConfigurationError, UsageError
from evaltui.models import CaseResult, FailureClass, Mode, Outcome
from evaltui.store.codec import encode
from evaltui.store.store import open_store

if TYPE_CHECKING:
    from tests.conftest import UlxProject
    from tests.fault_server.client import FaultServer

KEY = "sk-planted-0123456789"
OTHER = "hunter2-from-dotenv"
SUITE = """
type Row = { id: text, text: text }
dataset Rows: list<Row> { from "rows.jsonl" }

conversation Reply(text: text) -> text {
  user: \"\"\"{text}\"\"\"
  assistant -> reply
  reply
}

benchmark Replies {
  dataset: Rows
  run: Reply($.text) -> reply
  assert reply.length > 0
}
"""
Configure = Callable[..., str]


@pytest.fixture
def live(
    project: UlxProject, faults: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., str]:
    """A project with one live provider that takes the steps of a script; answers the bucket."""
    monkeypatch.setenv("PLANTED_API_KEY", KEY)

    def configure(script: str, rows: int = 4, vendor: str = "openai", more: str = "") -> str:
        bucket = faults.bucket()
        project.write("s.ulx", SUITE)
        project.rows(*({"id": f"case-{n}", "text": f"Say {n}."} for n in range(rows)))
        project.write(
            "evaltui.toml",
            f'{more}\n[providers.Desk]\nvendor = "{vendor}"\napi_key_env = "PLANTED_API_KEY"\n'
            f'base_url = "{faults.url(bucket, script)}"\nchat = "gpt-4o-mini"\n',
        )
        return bucket

    return configure


def reveal(secret: str) -> str:
    """The step that answers with a secret."""
    return f"reveal:{f'it is {secret}'.encode().hex()}"


def error_of(result: CaseResult) -> tuple[FailureClass, str]:
    assert result.error is not None
    return result.error.failure_class, result.error.kind


def test_calls_are_recorded_with_their_attempts(
    project: UlxProject, live: Configure, faults: FaultServer
) -> None:
    live("status:503,ok", rows=1)
    ran = project.run()
    (call,) = ran.calls
    assert ran.outcomes == {"case-0": Outcome.PASS}
    assert (call.vendor, call.model, call.answered_by) == (
        "openai",
        "gpt-4o-mini",
        "served-model-2026-01-31",
    )
    assert [one.status for one in call.attempts] == [503, 200]
    assert (call.input_tokens, call.output_tokens) == (11, 7)
    assert call.cost == Decimal("0.00000585")
    assert (call.raw, call.raw_request) == (None, None)


def test_recorded_runs_keep_raw_exchanges_and_can_be_replayed(
    project: UlxProject, live: Configure, faults: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = live("ok", rows=2)
    first = project.run(record=True)
    for call in first.calls:
        assert json.loads(call.raw or "")["model"] == "served-model-2026-01-31"
        assert json.loads(call.raw_request or "")["model"] == "gpt-4o-mini"
    monkeypatch.delenv("PLANTED_API_KEY")
    again = project.run(replay=first.plan.run.label)
    assert again.plan.run.mode is Mode.REPLAY
    assert {result.mode for result in again.results.values()} == {Mode.REPLAY}
    assert [result.output for result in again.results.values()] == [
        result.output for result in first.results.values()
    ]
    assert faults.seen(bucket)["requests"] == 2


def test_a_replay_never_asks_anybody(
    project: UlxProject, live: Configure, faults: FaultServer
) -> None:
    bucket = live("ok", rows=2)
    first = project.run()
    project.rows({"id": "case-9", "text": "Something else."})
    again = project.run(replay=first.plan.run.label)
    (result,) = again.results.values()
    assert error_of(result) == (FailureClass.FIXTURE, "replay_miss")
    assert faults.seen(bucket)["requests"] == 2


def test_a_refused_key_stops_the_run_at_once(
    project: UlxProject, live: Configure, faults: FaultServer
) -> None:
    bucket = live("status:401", rows=40)
    ran = project.run(concurrency=4)
    outcomes = list(ran.outcomes.values())
    assert outcomes.count(Outcome.SKIPPED) >= 36
    assert set(outcomes) == {Outcome.ERROR, Outcome.SKIPPED}
    assert ran.tally.incomplete == "Desk: HTTP 401: failed with 401"
    assert faults.seen(bucket)["requests"] <= 4


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("html", (FailureClass.MALFORMED, "not_json")),
        ("refuse", (FailureClass.FIXTURE, "refused")),
        ("long", (FailureClass.FIXTURE, "context_too_long")),
        ("status:422", (FailureClass.MALFORMED, "rejected")),
    ],
)
def test_the_row_says_which_failure_it_was(
    project: UlxProject, live: Configure, script: str, found: tuple[FailureClass, str]
) -> None:
    live(f"{script},ok", rows=2)
    ran = project.run(concurrency=1)
    first = ran.results["case-0"]
    assert ran.outcomes == {"case-0": Outcome.ERROR, "case-1": Outcome.PASS}
    assert error_of(first) == found
    assert first.error is not None
    assert first.error.next_action
    assert first.calls[0].raw
    assert first.calls[0].attempts[0].bytes_digest


def test_a_malformed_reply_is_not_asked_for_again(
    project: UlxProject, live: Configure, faults: FaultServer
) -> None:
    bucket = live("truncated", rows=3)
    project.run()
    assert faults.seen(bucket)["requests"] == 3


def test_a_case_ends_in_time_and_says_what_happened(project: UlxProject, live: Configure) -> None:
    live("silent", rows=1, more="[run]\ncase_seconds = 0.4\n")
    (result,) = project.run().results.values()
    assert error_of(result) == (FailureClass.INFRASTRUCTURE, "timeout")
    assert "no answer within" in result.calls[0].attempts[0].error  # type: ignore[operator]


# Ceilings.


def test_a_ceiling_on_tokens_is_not_passed_by_calls_in_flight(
    project: UlxProject, live: Configure, faults: FaultServer
) -> None:
    bucket = live("delay:5", rows=30)
    ran = project.run(concurrency=16, max_tokens=100)
    used = [(call.input_tokens or 0) + (call.output_tokens or 0) for call in ran.calls]
    assert sum(used) <= 100
    assert ran.tally.incomplete == "--max-tokens 100 reached"
    assert 2 <= faults.seen(bucket)["requests"] <= 5


def test_a_ceiling_on_costs_needs_prices(
    project: UlxProject, live: Configure, faults: FaultServer
) -> None:
    live("ok", vendor="openai_compatible")
    with pytest.raises(UsageError, match="price of openai_compatible gpt-4o-mini is not known"):
        project.plan(max_cost=Decimal(1))
    live(
        "ok",
        vendor="openai_compatible",
        more='[prices."gpt-4o-mini"]\ninput = 1000\noutput = 2000\n',
    )
    ran = project.run(max_cost=Decimal("0.06"), concurrency=1)
    assert ran.calls[0].cost == Decimal("0.025")
    assert ran.tally.incomplete == "--max-cost 0.06 reached"
    assert len(ran.calls) == 2


# Trust and keys.


def test_a_missing_key_is_named_with_the_places_searched(
    project: UlxProject, live: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    live("ok")
    monkeypatch.delenv("PLANTED_API_KEY")
    with pytest.raises(ConfigurationError) as caught:
        project.plan()
    assert "environment variable `PLANTED_API_KEY` is not set" in caught.value.message
    assert str(project.folder / ".env") in str(caught.value.hint)


def test_the_environment_wins_over_dotenv(
    project: UlxProject, live: Configure, faults: FaultServer
) -> None:
    bucket = live("ok", rows=1)
    project.write(".env", f"PLANTED_API_KEY={OTHER}\n")
    project.run()
    assert faults.seen(bucket)["headers"][0]["authorization"] == f"Bearer {KEY}"


def test_a_key_does_not_go_to_another_host_without_consent(
    project: UlxProject, live: Configure, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    live("ok")
    policy = (project.folder / "evaltui.toml").read_text().splitlines()
    moved = [line for line in policy if not line.startswith("base_url")]
    where = moved.index("[providers.Desk]") + 1
    moved.insert(where, 'base_url = "https://gw.example.com/v1"')
    project.write("evaltui.toml", "\n".join(moved))
    with pytest.raises(ConfigurationError, match=r"send the value of PLANTED_API_KEY to gw\.ex"):
        project.plan()
    monkeypatch.setenv("EVALTUI_TRUST", "other.example.com=PLANTED_API_KEY")
    with pytest.raises(ConfigurationError, match=r"evaltui trust gw\.example\.com --env"):
        project.plan()
    project.write(".env", "EVALTUI_TRUST=gw.example.com=PLANTED_API_KEY\n")
    monkeypatch.delenv("EVALTUI_TRUST")
    with pytest.raises(ConfigurationError, match="evaltui trust"):
        project.plan()
    monkeypatch.setenv("EVALTUI_TRUST", "gw.example.com=PLANTED_API_KEY")
    project.plan().store.close()


def test_a_key_in_an_address_is_refused(project: UlxProject, live: Configure) -> None:
    live(f"say:{KEY}")
    with pytest.raises(ConfigurationError, match="holds the value of PLANTED_API_KEY"):
        project.plan()


def test_an_answer_that_holds_a_key_is_an_error(project: UlxProject, live: Configure) -> None:
    live(reveal(KEY), rows=1)
    ran = project.run(record=True)
    (result,) = ran.results.values()
    assert error_of(result) == (FailureClass.MALFORMED, "secret")
    assert result.calls[0].altered
    assert "[redacted PLANTED_API_KEY]" in (result.calls[0].raw or "")


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "junit", "markdown"])
def test_planted_keys_are_found_nowhere(
    project: UlxProject,
    live: Configure,
    faults: FaultServer,
    form: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    from evaltui.commands.run import Printing, run_here
    from evaltui.reports import formats
    from evaltui.reports.base import parse_requests

    script = f"echo:422,away,{reveal(KEY)},html,{reveal(OTHER)},echo:400,ok"
    live(script, rows=7, more='[redaction]\npatterns = ["card \\\\d{16}"]\n')
    project.write(".env", f"SPARE_SECRET={OTHER}\n")
    rows = [{"id": f"case-{n}", "text": f"Say {n}, card 4111111111111111."} for n in range(6)]
    project.rows(*rows, {"id": "case-6", "text": f"My key is {KEY} and {OTHER}."})
    report = project.folder / f"report.{form}"
    requests = parse_requests([f"{form}:{report}"], formats())
    run_here(project.request(record=True, concurrency=1), Printing(True, True, requests))
    printed = "".join(capfd.readouterr())
    assert "case-5" in report.read_text("utf-8") + printed
    for name, text in {"printed": printed, **_everything(project.folder)}.items():
        for secret in (KEY, OTHER):
            assert secret not in text, name


def _everything(folder: Path) -> dict[str, str]:
    """Every file that a run wrote, and every record of its store unpacked."""
    own = {"rows.jsonl", ".env", "s.ulx", "evaltui.toml"}
    found = {
        str(path): path.read_bytes().decode("latin-1")
        for path in folder.rglob("*")
        if path.is_file() and path.name not in own
    }
    from evaltui.clock import system_clock

    store = open_store(folder / ".evaltui" / "trace.db", system_clock(), create=False)
    for run in store.runs():
        for record in store.records(run.id):
            found[f"{run.label} {record.spec.case_id}"] = encode(record)
    store.close()
    return found


async def test_planted_keys_are_not_drawn(
    project: UlxProject, live: Configure, faults: FaultServer, capsys: pytest.CaptureFixture[str]
) -> None:
    live(f"echo:422,{reveal(KEY)}", rows=2)
    ran = await asyncio.to_thread(project.run, record=True, concurrency=1)
    drawn = await _drawn(project, ran.plan.run.label)
    assert drawn.count("PLANTED_API_KEY") > 2
    assert KEY not in drawn
    assert "planted-0123" not in drawn


async def _drawn(project: UlxProject, label: str) -> str:
    """The run's screens of each case, as pictures."""
    from evaltui.clock import Ids, system_clock
    from evaltui.project import load_policy
    from evaltui.review.session import Session
    from evaltui.screens.app import EvaltuiApp
    from evaltui.screens.bench import Bench

    store = open_store(project.folder / ".evaltui" / "trace.db", system_clock(), create=False)
    session = Session.open(
        store, label, load_policy(project.folder), system_clock(), Ids(), reviewer=None
    )
    app = EvaltuiApp(Bench(session=session))
    pictures = []
    async with app.run_test(size=(200, 60)) as pilot:
        for keys in ("", "enter", "T", "escape", "escape", "j", "enter", "T"):
            if keys:
                await pilot.press(keys)
            await app.workers.wait_for_complete()
            await pilot.pause(0.2)
            pictures.append(app.export_screenshot())
    store.close()
    return "\n".join(pictures).replace("&#160;", " ")


# Resuming.


def test_a_killed_run_resumes_without_asking_again_what_was_answered(
    project: UlxProject, live: Configure, faults: FaultServer
) -> None:
    bucket = live("delay:30", rows=60)
    words = [sys.executable, "-m", "evaltui", "run", "s.ulx", "--ci", "--concurrency", "4"]
    child = subprocess.Popen([*words, "--no-cache"], cwd=project.folder, stdout=subprocess.DEVNULL)
    faults.seen(bucket, until="20")
    child.send_signal(signal.SIGKILL)
    child.wait()
    kept = _durable(project.folder)
    assert 0 < len(kept) < 60
    done = subprocess.run(
        [*words, "--no-cache", "--resume", "r1"],
        cwd=project.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(_durable(project.folder)) == 60
    prompts: dict[str, Any] = faults.seen(bucket)["prompts"]
    assert set(prompts) == {f"Say {n}." for n in range(60)}
    assert {text: prompts[text] for text in kept if prompts[text] != 1} == {}


def _durable(folder: Path) -> set[str]:
    """The prompts of the cases whose results are committed."""
    from evaltui.clock import system_clock

    store = open_store(folder / ".evaltui" / "trace.db", system_clock(), create=False)
    try:
        run = store.run("r1")
        kept = store.durable(run.id)
        return {f"Say {index}." for index in kept}
    finally:
        store.close()
