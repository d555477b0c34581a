"""Provider entries from the manifest and from declarations."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaltui.errors import ConfigurationError
from evaltui.providers.entries import provider_entries, selected
from evaltui.ulx.manifest import Capability, ProviderEntry, parse_manifest
from evaltui.ulx.merge import merge
from evaltui.ulx.modules import load

MANIFEST = """
[package]
name = "p"
version = "0.1.0"
ulexite = "^0.1"
[providers.base]
vendor = "openai_compatible"
base_url = "http://x"
chat = "small"
judge = { model = "big", params = { temperature = 0 } }
"""


def entries(tmp_path: Path, source: str, manifest: str | None = None) -> dict[str, ProviderEntry]:
    path = tmp_path / "x.ulx"
    path.write_text(source)
    merged = merge(load(path))
    found = parse_manifest(manifest) if manifest is not None else None
    return provider_entries(found, merged.providers, "x.ulx")


def test_a_declaration_stands_for_itself(tmp_path: Path) -> None:
    source = (
        'provider P { vendor: "v" chat: "m" judge: {model: "j", top_p: 0.5, n: 2} base_url: "u" }'
    )
    assert entries(tmp_path, source) == {
        "P": ProviderEntry(
            "P",
            "v",
            "u",
            None,
            None,
            {"chat": Capability("m"), "judge": Capability("j", {"top_p": 0.5, "n": 2})},
        )
    }


def test_from_copies_an_entry_and_overrides_parts_of_it(tmp_path: Path) -> None:
    source = 'provider P from "base" { chat: "large" embed: "e" base_url: "http://y" }'
    found = entries(tmp_path, source, MANIFEST)
    assert sorted(found) == ["P", "base"]
    assert found["P"].vendor == "openai_compatible"
    assert found["P"].base_url == "http://y"
    assert {name: one.model for name, one in found["P"].capabilities.items()} == {
        "chat": "large",
        "embed": "e",
        "judge": "big",
    }
    assert found["base"].base_url == "http://x"


def test_from_may_name_itself(tmp_path: Path) -> None:
    found = entries(tmp_path, 'provider base from "base" { chat: "other" }', MANIFEST)
    assert found["base"].capabilities["chat"] == Capability("other")


@pytest.mark.parametrize(
    ("source", "manifest", "message"),
    [
        (
            'provider base { vendor: "mock" }',
            MANIFEST,
            "provider `base` is declared both in ulexite.toml and in x.ulx — rename one",
        ),
        (
            'provider P from "base" { }',
            None,
            'provider `P` has `from "base"`, but no ulexite.toml exists next to x.ulx',
        ),
        (
            'provider P from "none" { }',
            MANIFEST,
            'provider `P` has `from "none"`, but ulexite.toml has no `[providers.none]` entry',
        ),
    ],
)
def test_declarations_that_do_not_fit(
    tmp_path: Path, source: str, manifest: str | None, message: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        entries(tmp_path, source, manifest)
    assert caught.value.message == message


def test_selection(tmp_path: Path) -> None:
    found = entries(tmp_path, 'provider A { vendor: "v" } provider B { vendor: "v" }')
    assert sorted(selected(found, [])) == ["A", "B"]
    assert sorted(selected(found, ["B", "B"])) == ["B"]
    with pytest.raises(ConfigurationError) as caught:
        selected(found, ["z", "A", "y"])
    assert caught.value.message == (
        '--provider named unknown provider(s): ["y", "z"] (known: ["A", "B"])'
    )
