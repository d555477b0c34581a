"""``evaltui providers``, ``evaltui trust``, dry runs, and live calls of ``evaltui ulx``."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evaltui.cli import run

if TYPE_CHECKING:
    from tests.conftest import UlxProject
    from tests.fault_server.client import FaultServer

KEY = "sk-planted-0123456789"
Said = tuple[int, str, str]


@pytest.fixture
def evaltui(
    project: UlxProject, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Said]:
    """Calls ``evaltui`` in the project; answers exit code and output."""
    monkeypatch.chdir(project.folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(project.folder / "config"))
    monkeypatch.setenv("PLANTED_API_KEY", KEY)

    def call(*words: str) -> Said:
        monkeypatch.setattr("sys.argv", ["evaltui", *words])
        capsys.readouterr()
        code = run(words)
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def policy(url: str, extra: str = "") -> str:
    return f"""
[providers.Desk]
vendor = "openai"
base_url = "{url}"
api_key_env = "PLANTED_API_KEY"
chat = {{ model = "gpt-4o-mini", params = {{ max_tokens = 50 }} }}
judge = "gpt-4o-mini"
{extra}
"""


def test_providers_are_listed_with_the_place_of_their_keys_only(
    project: UlxProject, evaltui: Callable[..., Said]
) -> None:
    extra = """
[providers.Local]
vendor = "ollama"
embed = "some"
[providers.Canned]
vendor = "scripted"
speak = "x"
[providers.Odd]
vendor = "acme"
chat = "x"
[providers.Spare]
vendor = "anthropic"
chat = "claude-3-5-sonnet-20241022"
[limits.Local]
concurrency = 2
requests_per_minute = 90
verify_tls = false
"""
    project.write("evaltui.toml", policy("https://gw.example.com/v1", extra))
    project.write(".env", "ANTHROPIC_API_KEY=sk-ant-0123456789\n")
    code, out, _ = evaltui("providers", "--json")
    rows = {(one["provider"], one["capability"]): one for one in json.loads(out)}
    assert code == 0
    assert "sk-" not in out
    desk = rows["Desk", "chat"]
    assert (desk["key_variable"], desk["key"]) == ("PLANTED_API_KEY", "in the environment")
    assert desk["state"] == "not allowed: evaltui trust gw.example.com --env PLANTED_API_KEY"
    assert rows["Spare", "chat"]["key"] == "in .env"
    assert rows["Spare", "chat"]["base_url"] == "https://api.anthropic.com/v1"
    assert rows["Local", "embed"]["key"] == "not needed"
    assert rows["Local", "embed"]["limits"] == "2 at once, 90 requests/min, TLS NOT VERIFIED"
    assert rows["Canned", "speak"]["state"] == "ready"
    assert rows["Odd", "chat"]["state"] == "unknown provider vendor `acme`"
    code, out, _ = evaltui("providers")
    assert out.splitlines()[0].split()[:3] == ["provider", "capability", "vendor"]


def test_providers_of_a_suite_are_listed_too(
    project: UlxProject, evaltui: Callable[..., Said]
) -> None:
    text = project.suite.read_text()
    project.write("s.ulx", f'provider Own {{ vendor: "openai" chat: "gpt-4o" }}\n{text}')
    _, out, _ = evaltui("providers", "s.ulx", "--json")
    assert [(one["provider"], one["key"]) for one in json.loads(out)] == [
        ("Desk", "not needed"),
        ("Desk", "not needed"),
        ("Own", "missing"),
    ]


def test_a_check_makes_one_call_that_costs_nothing(
    project: UlxProject, evaltui: Callable[..., Said], faults: FaultServer
) -> None:
    bucket = faults.bucket()
    project.write("evaltui.toml", policy(faults.url(bucket, "ok")))
    code, out, _ = evaltui("providers", "--check", "--json")
    assert code == 0
    assert all(one["check"].startswith("answered in") for one in json.loads(out))
    seen = faults.seen(bucket)
    assert seen["requests"] == 2
    assert seen["bodies"] == ["", ""]
    assert seen["headers"][0]["authorization"] == f"Bearer {KEY}"


def test_a_check_says_why_a_provider_does_not_answer(
    project: UlxProject, evaltui: Callable[..., Said], faults: FaultServer
) -> None:
    project.write("evaltui.toml", policy(faults.url(faults.bucket(), "echo:401")))
    code, out, _ = evaltui("providers", "--check")
    assert code == 1
    assert "auth: HTTP 401" in out
    assert KEY not in out


def test_trust_is_given_shown_and_taken_back(evaltui: Callable[..., Said]) -> None:
    assert evaltui("trust", "gw.example.com", "--env", "MY_KEY")[0] == 0
    assert evaltui("trust")[1].splitlines()[1].split() == ["gw.example.com", "MY_KEY"]
    assert evaltui("trust", "gw.example.com", "--env", "MY_KEY", "--remove")[0] == 0
    assert json.loads(evaltui("trust", "--json")[1]) == []
    assert evaltui("trust", "gw.example.com", "--env", "MY_KEY", "--remove")[0] == 2
    assert evaltui("trust", "gw.example.com")[0] == 2


def test_a_dry_run_says_what_would_be_sent_and_what_it_costs(
    project: UlxProject,
    evaltui: Callable[..., Said],
    faults: FaultServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bucket = faults.bucket()
    project.write("evaltui.toml", policy(faults.url(bucket, "ok")))
    monkeypatch.delenv("PLANTED_API_KEY")
    code, out, err = evaltui("run", "s.ulx", "--dry-run")
    assert (code, err) == (0, "")
    assert "Desk chat, ~" in out
    assert "Desk judge Kind, ~" in out
    chat, judge = [line for line in out.splitlines() if line.startswith("estimate")]
    assert "Desk chat (openai gpt-4o-mini): 2 calls" in chat
    assert chat.endswith("at most 100 out, $0.0000003 to $0.00006")
    assert "replies not bounded (set max_tokens)" in judge
    assert faults.seen(bucket)["requests"] == 0
    assert not (project.folder / ".evaltui").exists()


def test_a_dry_run_counts_what_the_cache_answers(
    project: UlxProject, evaltui: Callable[..., Said], faults: FaultServer
) -> None:
    project.write("evaltui.toml", policy(faults.url(faults.bucket(), "ok")))
    assert evaltui("run", "s.ulx", "--ci")[0] == 0
    out = evaltui("run", "s.ulx", "--dry-run")[1]
    assert "0 calls, 2 more cached" in out
    assert "2 calls, ~" in evaltui("run", "s.ulx", "--dry-run", "--no-cache")[1]


def test_switched_off_certificates_are_said_aloud(
    project: UlxProject, evaltui: Callable[..., Said], faults: FaultServer
) -> None:
    url = faults.url(faults.bucket(), "ok")
    project.write("evaltui.toml", policy(url, "[limits.Desk]\nverify_tls = false\n"))
    out = evaltui("run", "s.ulx", "--ci")[1]
    assert "Desk: certificates are not verified" in out


# ``evaltui ulx``


def ulx(folder: Path, url: str) -> subprocess.CompletedProcess[str]:
    suite = (
        f'provider W {{ vendor: "openai_compatible" base_url: "{url}" chat: "m" judge: "m" }}\n'
        "dataset Rows: list<{ id: text, n: number }> "
        '{ [ { id: "a", n: 1 }, { id: "b", n: 2 } ] }\n'
        'judge Kind(reply: text) -> Verdict { rubric: "be kind" }\n'
        'conversation Echo(n: number) -> text { user: """Say {n}.""" assistant -> said said }\n'
        "benchmark T { dataset: Rows run: Echo($.n) -> said "
        "expect said satisfies judge Kind(said) }"
    )
    (folder / "live.ulx").write_text(suite)
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "evaltui", "ulx", "bench", "live.ulx", "T"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_ulx_asks_over_one_connection(project: UlxProject, faults: FaultServer) -> None:
    bucket = faults.bucket()
    done = ulx(project.folder, faults.url(bucket, "ok"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "T: 2/2 row(s) passed"
    seen = faults.seen(bucket)
    assert (seen["requests"], seen["connections"]) == (3, 1)


def test_ulx_fails_in_the_words_of_the_reference(project: UlxProject, faults: FaultServer) -> None:
    done = ulx(project.folder, faults.url(faults.bucket(), "status:401"))
    assert done.returncode == 1
    assert done.stderr == 'error: provider call failed: HTTP 401: "failed with 401"\n'


# Configuration that cannot work, before anybody is asked.


def test_two_providers_for_one_capability(
    project: UlxProject, evaltui: Callable[..., Said], faults: FaultServer
) -> None:
    bucket = faults.bucket()
    url = faults.url(bucket, "ok")
    more = f'[providers.Other]\nvendor = "ollama"\nbase_url = "{url}"\nchat = "x"\n'
    project.write("evaltui.toml", policy(url, more))
    code, out, err = evaltui("run", "s.ulx", "--ci")
    assert (code, out) == (2, "")
    assert 'capability `chat` is served by multiple providers ["Desk", "Other"]' in err
    assert err.count("\n") == 1
    assert faults.seen(bucket)["requests"] == 0
    code, _, _ = evaltui("run", "s.ulx", "--ci", "--provider", "Desk")
    assert code == 0


def test_a_capability_that_nobody_serves(
    project: UlxProject, evaltui: Callable[..., Said], faults: FaultServer
) -> None:
    text = policy(faults.url(faults.bucket(), "ok")).replace('judge = "gpt-4o-mini"', "")
    project.write("evaltui.toml", text)
    code, _, err = evaltui("run", "s.ulx", "--ci")
    assert code == 2
    assert "no provider registered supports capability `judge`" in err


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (
            'vendor = "openai"',
            'vendor = "opnai"',
            "unknown provider vendor `opnai`; did you mean `openai`?",
        ),
        ("http://127", "127", "`base_url` is not a plain http or https address"),
        ("judge =", "speek =", "unknown key `providers.Desk.speek`"),
    ],
)
def test_entries_that_cannot_work_are_one_line(
    project: UlxProject,
    evaltui: Callable[..., Said],
    faults: FaultServer,
    old: str,
    new: str,
    text: str,
) -> None:
    written = policy(faults.url(faults.bucket(), "ok"))
    assert old in written
    project.write("evaltui.toml", written.replace(old, new))
    code, out, err = evaltui("run", "s.ulx", "--ci")
    assert (code, out) == (2, "")
    assert text in err
    assert err.count("\n") == 1


def test_a_model_that_the_vendor_does_not_know(
    project: UlxProject, evaltui: Callable[..., Said], faults: FaultServer
) -> None:
    project.write("evaltui.toml", policy(faults.url(faults.bucket(), "status:404")))
    code, out, _ = evaltui("run", "s.ulx", "--ci", "--concurrency", "1")
    assert code == 3
    assert "HTTP 404: failed with 404" in out
