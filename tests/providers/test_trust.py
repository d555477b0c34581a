"""Which keys may go where, and who may say so."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from evaltui.errors import ConfigurationError, UsageError
from evaltui.providers.trust import (
    Pair,
    pair,
    read_pairs,
    refuse_untrusted,
    suspect_pair,
    trust_file,
    trusted,
    write_pairs,
)
from evaltui.ulx.manifest import Capability, ProviderEntry


@pytest.fixture(autouse=True)
def config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


def entry(vendor: str, base_url: str | None = None, key: str | None = None) -> ProviderEntry:
    return ProviderEntry("P", vendor, base_url, key, None, {"chat": Capability("m")})


@pytest.mark.parametrize(
    "one",
    [
        entry("openai"),
        entry("openai", "https://api.openai.com/other"),
        entry("openai", "https://API.openai.com:443/v1"),
        entry("openai_compatible", "https://api.openai.com/v1", "OPENAI_API_KEY"),
        entry("openai_compatible", "https://gw.example.com/v1"),
        entry("azure_openai", "https://mine.openai.azure.com"),
        entry("cohere", "https://api.cohere.ai"),
        entry("openai", "http://127.0.0.1:8080/v1"),
        entry("openai", "http://[::1]:8080/v1"),
        entry("openai", "http://localhost/v1"),
        entry("ollama", "http://gpu.example.com"),
        entry("typesafe"),
        entry("scripted"),
        entry("openai", ""),
        entry("openai", "gw.example.com"),
    ],
)
def test_keys_that_may_go_without_a_question(one: ProviderEntry) -> None:
    assert suspect_pair(one, {}, {}) is None


@pytest.mark.parametrize(
    ("one", "host"),
    [
        (entry("openai", "https://gw.example.com/v1"), "gw.example.com"),
        (entry("openai", "http://api.openai.com/v1"), "api.openai.com"),
        (entry("openai", "https://api.openai.com.evil.example/v1"), "api.openai.com.evil.example"),
        (entry("openai", "https://api.openai.com@evil.example/v1"), "evil.example"),
        (entry("openai", "https://127.0.0.1.nip.example/v1"), "127.0.0.1.nip.example"),
        (entry("openai", "https://evil.localhost/v1"), "evil.localhost"),
        (entry("openai_compatible", "https://gw.example.com", "AWS_SECRET"), "gw.example.com"),
        (entry("groq", "https://api.openai.com/v1"), "api.openai.com"),
        (entry("azure_openai", "https://openai.azure.com.example"), "openai.azure.com.example"),
    ],
)
def test_keys_that_need_consent(one: ProviderEntry, host: str) -> None:
    suspect = suspect_pair(one, {}, {})
    assert suspect is not None
    assert suspect[0] == host


def test_an_address_of_the_users_own_environment_needs_no_consent() -> None:
    own = {"TYPESAFE_BASE_URL": "https://gw.example.com"}
    assert suspect_pair(entry("typesafe"), own, own) is None
    # The same, said by the project's .env.
    assert suspect_pair(entry("typesafe"), {}, own) == ("gw.example.com", None, "TYPESAFE_API_KEY")


def test_consent_is_for_one_pair() -> None:
    suspect = entry("openai", "https://gw.example.com:8443/v1")
    for allowed in ("gw.example.com=OPENAI_API_KEY", "gw.example.com:8443=OPENAI_API_KEY"):
        refuse_untrusted([suspect], {"EVALTUI_TRUST": f"a=B, {allowed}"}, {})
    for other in ("gw.example.com=OTHER", "gw.example.com:1=OPENAI_API_KEY", "example.com=X", ""):
        with pytest.raises(ConfigurationError, match=r"evaltui trust gw\.example\.com --env OPEN"):
            refuse_untrusted([suspect], {"EVALTUI_TRUST": other}, {})


def test_consent_is_kept_in_a_file_of_the_users_own(config: Path) -> None:
    path = trust_file()
    assert path.is_relative_to(config)
    write_pairs(path, [Pair("b.example", "B"), Pair("a.example", "A"), Pair("a.example", "A")])
    assert trusted({}) == [Pair("a.example", "A"), Pair("b.example", "B")]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["trust.json"]


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"schema": "evaltui.trust/9", "pairs": []}', '{"schema": "evaltui.trust/1"}'],
)
def test_a_broken_file_allows_nothing(text: str) -> None:
    path = trust_file()
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=r"trust\.json"):
        read_pairs(path)


@pytest.mark.parametrize("host", ["", "a/b", "https://a", "u@a", "a b:1/"])
def test_what_is_no_host(host: str) -> None:
    with pytest.raises(UsageError):
        pair(host, "NAME")


def test_a_variable_that_is_not_a_list_of_pairs() -> None:
    with pytest.raises(ConfigurationError, match="EVALTUI_TRUST: 'gw' is not HOST=NAME"):
        trusted({"EVALTUI_TRUST": "gw"})


def test_the_file_is_plain_to_read() -> None:
    write_pairs(trust_file(), [pair("GW.example.com:8443", "MY_KEY")])
    document = json.loads(trust_file().read_text())
    assert document["pairs"] == [{"env": "MY_KEY", "host": "gw.example.com:8443"}]
