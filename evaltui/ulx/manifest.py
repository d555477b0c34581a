"""``ulexite.toml`` (language specification 4.9, runtime specification 9.10)."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

from msgspec import Struct, field

from evaltui.errors import ConfigurationError
from evaltui.ulx.reading import ReadFailure, read_text

MANIFEST_NAME = "ulexite.toml"

_PROVIDER_SETTINGS = ("base_url", "api_key_env", "api_version")
_PACKAGE_NAME = re.compile(r"[A-Za-z0-9_-]+")
_VERSION_PART = re.compile(r"\+?[0-9]+")
_TOML_PLACE = re.compile(r"(?s)(.*) \(at (?:line (\d+), column (\d+)|(end of document))\)")
_MAX_VERSION_PART = 2**64 - 1


class ManifestError(ConfigurationError):
    """The manifest is not valid; ``message`` is the text without ``error: ``."""


class Package(Struct, frozen=True):
    """The ``[package]`` table."""

    name: str
    version: str
    ulexite: str


class Dependency(Struct, frozen=True):
    """One entry of ``[dependencies]``: a bare ``version``, or a ``git`` or ``path`` source."""

    version: str | None = None
    git: str | None = None
    path: str | None = None
    tag: str | None = None


class Capability(Struct, frozen=True):
    """How a provider serves one capability; parameters are any TOML values."""

    model: str | None
    params: dict[str, object] = field(default_factory=dict)


class ProviderEntry(Struct, frozen=True):
    """One ``[providers.NAME]`` table."""

    name: str
    vendor: str
    base_url: str | None
    api_key_env: str | None
    api_version: str | None
    capabilities: dict[str, Capability]


class Runtime(Struct, frozen=True):
    """The ``[runtime]`` table, which has no effect but is printed."""

    concurrency: int
    cache_backend: str


class Manifest(Struct, frozen=True):
    """A validated manifest; dependencies and providers are sorted by name."""

    package: Package
    dependencies: dict[str, Dependency]
    providers: dict[str, ProviderEntry]
    runtime: Runtime


def find_manifest(base: Path) -> Manifest | None:
    """The manifest in the directory ``base``, or None. Raises ``ManifestError``."""
    path = base / MANIFEST_NAME
    if not path.exists():
        return None
    return read_manifest(path)


def read_manifest(path: Path) -> Manifest:
    """Read and validate ``path``. Raises ``ManifestError``."""
    try:
        text = read_text(path)
    except ReadFailure as failure:
        raise ManifestError(f"could not read {path}: {failure}") from failure
    return parse_manifest(text)


def parse_manifest(text: str) -> Manifest:
    """The manifest written as TOML ``text``. Raises ``ManifestError``."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ManifestError(toml_error_text(error, text)) from error
    except RecursionError as error:
        raise ManifestError("TOML parse error at line 1, column 1: too deeply nested") from error
    root = _Table(document, "")
    manifest = Manifest(
        _package(root.table("package")),
        {name: _dependency(root, name) for name in sorted(root.optional_table("dependencies"))},
        {name: _provider(root, name) for name in sorted(root.optional_table("providers"))},
        _runtime(_Table(root.optional_table("runtime"), "runtime")),
    )
    _validate(manifest)
    return manifest


def toml_error_text(error: tomllib.TOMLDecodeError, text: str) -> str:
    """A syntax error with its place in front."""
    match = _TOML_PLACE.fullmatch(str(error))
    if match is None:
        return f"TOML parse error: {error}"
    line, column = match[2], match[3]
    if match[4]:
        line = str(text.count("\n") + 1)
        column = str(len(text) - text.rfind("\n"))
    return f"TOML parse error at line {line}, column {column}: {match[1]}"


class _Table:
    """A TOML table that is read member by member, with errors that name the member."""

    def __init__(self, members: dict[str, object], name: str) -> None:
        self.members = members
        self.name = name

    def table(self, key: str) -> _Table:
        if key not in self.members:
            raise self._missing(key)
        return _Table(self.optional_table(key), self._path(key))

    def optional_table(self, key: str) -> dict[str, object]:
        value = self.members.get(key, {})
        if not isinstance(value, dict):
            raise self._wrong(key, value, "a table")
        return value

    def text(self, key: str) -> str:
        if key not in self.members:
            raise self._missing(key)
        return self.optional_text(key) or ""

    def optional_text(self, key: str) -> str | None:
        value = self.members.get(key)
        if value is not None and not isinstance(value, str):
            raise self._wrong(key, value, "a string")
        return value

    def _path(self, key: str) -> str:
        return f"{self.name}.{key}" if self.name else key

    def _missing(self, key: str) -> ManifestError:
        where = f" in `[{self.name}]`" if self.name else ""
        return ManifestError(f"TOML parse error at line 1, column 1: missing field `{key}`{where}")

    def _wrong(self, key: str, value: object, wanted: str) -> ManifestError:
        return ManifestError(
            f"TOML parse error at line 1, column 1: invalid type for `{self._path(key)}`: "
            f"{type(value).__name__}, expected {wanted}"
        )

    def wrong(self, key: str, wanted: str) -> ManifestError:
        return self._wrong(key, self.members[key], wanted)


def _package(table: _Table) -> Package:
    return Package(table.text("name"), table.text("version"), table.text("ulexite"))


def _dependency(root: _Table, name: str) -> Dependency:
    dependencies = root.table("dependencies")
    value = dependencies.members[name]
    if isinstance(value, str):
        return Dependency(version=value)
    if not isinstance(value, dict):
        raise dependencies.wrong(name, "a version string or a table")
    table = dependencies.table(name)
    return Dependency(
        git=table.optional_text("git"),
        path=table.optional_text("path"),
        tag=table.optional_text("tag"),
    )


def _provider(root: _Table, name: str) -> ProviderEntry:
    table = root.table("providers").table(name)
    vendor = table.text("vendor")
    base_url, api_key_env, api_version = [table.optional_text(key) for key in _PROVIDER_SETTINGS]
    capabilities = {
        key: _capability(table, key)
        for key in sorted(table.members)
        if key != "vendor" and key not in _PROVIDER_SETTINGS
    }
    return ProviderEntry(name, vendor, base_url, api_key_env, api_version, capabilities)


def _capability(provider: _Table, key: str) -> Capability:
    value = provider.members[key]
    if isinstance(value, str):
        return Capability(value)
    if not isinstance(value, dict):
        raise provider.wrong(key, "a model name or a table")
    table = provider.table(key)
    return Capability(table.optional_text("model"), table.optional_table("params"))


def _runtime(table: _Table) -> Runtime:
    concurrency = table.members.get("concurrency")
    if concurrency is None:
        concurrency = os.cpu_count() or 1
    if not isinstance(concurrency, int) or isinstance(concurrency, bool) or concurrency < 0:
        raise table.wrong("concurrency", "a non-negative integer")
    return Runtime(concurrency, table.optional_text("cache_backend") or "local")


def _validate(manifest: Manifest) -> None:
    _validate_package(manifest.package)
    for name, dependency in manifest.dependencies.items():
        if dependency.version is dependency.git is dependency.path is None:
            raise ManifestError(
                f"dependency `{name}` needs a version string, or a `git`/`path` table"
            )
    for name, provider in manifest.providers.items():
        if not provider.capabilities:
            raise ManifestError(
                f"provider `{name}` (vendor `{provider.vendor}`) declares no capabilities — "
                'add at least one, e.g. `chat = "..."`'
            )


def _validate_package(package: Package) -> None:
    if not package.name:
        raise ManifestError("package.name must not be empty")
    if not _PACKAGE_NAME.fullmatch(package.name):
        raise ManifestError("package.name may only contain letters, digits, `-`, `_`")
    if not _is_version(package.version):
        raise ManifestError(f"package.version `{package.version}` is not a valid semver (x.y.z)")


def _is_version(text: str) -> bool:
    parts = text.lstrip("^~=").split(".")[:3]
    return all(_VERSION_PART.fullmatch(part) and _fits(part) for part in parts)


def _fits(part: str) -> bool:
    return len(part.lstrip("+0")) <= 20 and int(part) <= _MAX_VERSION_PART
