"""``ulexite.toml`` (language specification 4.9, runtime specification 9.10)."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaltui.ulx.manifest import (
    Capability,
    Dependency,
    Manifest,
    ManifestError,
    find_manifest,
    parse_manifest,
)

PACKAGE = '[package]\nname = "p"\nversion = "1"\nulexite = "any"\n'


def problem(text: str) -> str:
    with pytest.raises(ManifestError) as caught:
        parse_manifest(text)
    return caught.value.message


def manifest(text: str) -> Manifest:
    return parse_manifest(PACKAGE + text)


def test_a_full_manifest_is_read() -> None:
    read = manifest(
        '[dependencies]\nb = { path = "../b" }\na = "^1"\n'
        '[providers.x]\nvendor = "openai"\nbase_url = "http://h"\nchat = "m"\n'
        "judge = { params = { t = 0.5, deep = { k = [1] } }, temperature = 1 }\n"
        "[runtime]\nconcurrency = 3\n[other]\nx = 1\n"
    )
    assert read.dependencies == {"a": Dependency("^1"), "b": Dependency(path="../b")}
    assert read.providers["x"].base_url == "http://h"
    assert read.providers["x"].capabilities == {
        "chat": Capability("m"),
        "judge": Capability(None, {"t": 0.5, "deep": {"k": [1]}}),
    }
    assert (read.runtime.concurrency, read.runtime.cache_backend) == (3, "local")


@pytest.mark.parametrize("version", ["1", "1.2", "^1.2.3", "~=1.2.3.rc.x", "+1.0"])
def test_versions_that_are_taken(version: str) -> None:
    assert parse_manifest(PACKAGE.replace('"1"', f'"{version}"')).package.version == version


@pytest.mark.parametrize("version", ["", "one", "1.0.0-rc", "1.", "-1", "99999999999999999999"])
def test_versions_that_are_not(version: str) -> None:
    assert problem(PACKAGE.replace('"1"', f'"{version}"')) == (
        f"package.version `{version}` is not a valid semver (x.y.z)"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PACKAGE.replace('"p"', '""'), "package.name must not be empty"),
        (
            PACKAGE.replace('"p"', '"é"'),
            "package.name may only contain letters, digits, `-`, `_`",
        ),
        (
            PACKAGE + '[dependencies]\nd = { tag = "x" }',
            "dependency `d` needs a version string, or a `git`/`path` table",
        ),
        (
            PACKAGE + '[providers.n]\nvendor = "v"',
            "provider `n` (vendor `v`) declares no capabilities — add at least one, "
            'e.g. `chat = "..."`',
        ),
    ],
)
def test_a_manifest_that_does_not_hold_together(text: str, message: str) -> None:
    assert problem(text) == message


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[package",
        'package = "x"',
        '[package]\nname = "p"\nversion = 1\nulexite = "x"',
        "dependencies = 3\n" + PACKAGE,
        PACKAGE + "[dependencies]\nd = 3",
        PACKAGE + "[providers]\nx = 3",
        PACKAGE + '[providers.x]\nchat = "m"',
        PACKAGE + '[providers.x]\nvendor = "v"\nchat = [1]',
        PACKAGE + '[providers.x]\nvendor = "v"\nchat = { params = 1 }',
        PACKAGE + "[runtime]\nconcurrency = true",
        PACKAGE + "x = " + "[" * 5000,
    ],
)
def test_a_manifest_of_the_wrong_form_is_one_line(text: str) -> None:
    message = problem(text)
    assert message.startswith("TOML parse error at line ") and "\n" not in message


def test_a_syntax_error_says_where() -> None:
    assert problem("[package]\nname = ").startswith("TOML parse error at line 2, column 8: ")


def test_the_manifest_is_looked_for_in_one_folder_only(tmp_path: Path) -> None:
    (tmp_path / "ulexite.toml").write_text(PACKAGE)
    (tmp_path / "sub").mkdir()
    assert find_manifest(tmp_path) is not None
    assert find_manifest(tmp_path / "sub") is None
