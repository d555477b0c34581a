"""Which keys may go to which hosts (design section 7: a suite is untrusted input).

The files of a project say where a provider lives and which variable holds its key. A key goes to
hosts of the vendor it belongs to and to this machine; anything else is the user's to allow, and is
kept outside the project.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct

from evaltui.errors import ConfigurationError, UsageError
from evaltui.providers.addresses import is_loopback
from evaltui.providers.requirements import base_url, key_variable
from evaltui.providers.vendors import VENDORS
from evaltui.providers.vendors.wire import Vendor
from evaltui.ulx.manifest import ProviderEntry

VARIABLE: Final = "EVALTUI_TRUST"
_SCHEMA: Final = "evaltui.trust/1"


class Pair(Struct, frozen=True, order=True):
    """A host, with a port where it matters, that may see the value of a variable."""

    host: str
    env: str

    def covers(self, host: str, port: int | None, variable: str) -> bool:
        """Whether it allows sending ``variable`` there."""
        named = host if port is None else f"{host}:{port}"
        return self.env == variable and self.host in (host, named)


def pair(host: str, variable: str) -> Pair:
    """A pair as the user writes it.

    Raises:
        UsageError: the host or the name of the variable cannot be one.
    """
    name = host.strip().lower()
    parts = urlsplit(f"//{name}")
    if not parts.hostname or parts.netloc != name or parts.path or "@" in name:
        raise UsageError(f"{host!r} is not a host", hint="write it as gateway.example.com[:PORT]")
    if not variable.isidentifier():
        raise UsageError(f"{variable!r} is not the name of a variable")
    return Pair(name, variable)


def trust_file() -> Path:
    """Where the user's pairs are kept."""
    from platformdirs import user_config_path

    return user_config_path("evaltui") / "trust.json"


def trusted(environment: Mapping[str, str]) -> list[Pair]:
    """What the user allows: the pairs of the file, and those of ``EVALTUI_TRUST``.

    Raises:
        ConfigurationError: the file or the variable cannot be read.
    """
    return sorted({*read_pairs(trust_file()), *_listed(environment.get(VARIABLE, ""))})


def _listed(text: str) -> Iterable[Pair]:
    for word in text.replace(",", " ").split():
        host, found, variable = word.rpartition("=")
        if not found:
            raise ConfigurationError(
                f"{VARIABLE}: {word!r} is not HOST=NAME", hint="write it as host=MY_API_KEY"
            )
        yield pair(host, variable)


def read_pairs(path: Path) -> list[Pair]:
    """The pairs in a file; none when there is no file.

    Raises:
        ConfigurationError: it cannot be read.
    """
    try:
        document = json.loads(path.read_text("utf-8"))
        if document["schema"] != _SCHEMA:
            raise ConfigurationError(f"unknown schema {document['schema']!r}", place=str(path))
        return [pair(one["host"], one["env"]) for one in document["pairs"]]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"cannot be read: {error}", place=str(path)) from error


def write_pairs(path: Path, pairs: Iterable[Pair]) -> None:
    """Keep ``pairs`` in a file that only the user can read.

    Raises:
        ConfigurationError: it cannot be written.
    """
    members = [{"host": one.host, "env": one.env} for one in sorted(set(pairs))]
    text = json.dumps({"schema": _SCHEMA, "pairs": members}, indent=2) + "\n"
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        raise ConfigurationError(f"cannot be written: {error.strerror}", place=str(path)) from error


def refuse_untrusted(
    entries: Iterable[ProviderEntry], own: Mapping[str, str], environment: Mapping[str, str]
) -> None:
    """Refuse entries that would send a key where it does not belong.

    ``own`` is the user's environment, ``environment`` also holds what files of the project add.

    Raises:
        ConfigurationError: an entry would, and the user has not allowed it.
    """
    pairs: Sequence[Pair] | None = None
    for entry in entries:
        suspect = suspect_pair(entry, own, environment)
        if suspect is None:
            continue
        host, port, variable = suspect
        pairs = trusted(own) if pairs is None else pairs
        if not any(one.covers(host, port, variable) for one in pairs):
            raise _refusal(entry, host, variable)


def _refusal(entry: ProviderEntry, host: str, variable: str) -> ConfigurationError:
    return ConfigurationError(
        f"provider `{entry.name}` would send the value of {variable} to {host}, "
        f"which is not {entry.vendor}'s own host",
        hint=f"if that is right: evaltui trust {host} --env {variable} "
        f"(in CI: {VARIABLE}={host}={variable})",
    )


def suspect_pair(
    entry: ProviderEntry, own: Mapping[str, str], environment: Mapping[str, str]
) -> tuple[str, int | None, str] | None:
    """Host, port and variable of an entry that needs the user's consent; None for the others."""
    vendor, variable = VENDORS.get(entry.vendor), key_variable(entry)
    if vendor is None or variable is None:
        return None
    # The user's own variable may name any host; one in a file of the project may not.
    if entry.base_url is None and own.get(vendor.base_url_variable or ""):
        return None
    try:
        parts = urlsplit(base_url(entry, environment) or "")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if not host or parts.scheme not in ("http", "https"):
        return None  # Nothing can be sent there.
    if is_loopback(host) or (parts.scheme == "https" and _own(vendor, variable, host)):
        return None
    return host, port, variable


def _own(vendor: Vendor, variable: str, host: str) -> bool:
    """Whether the host is the vendor's, or that of the vendor whose key the variable holds."""
    owners = [vendor, *(one for one in VENDORS.values() if one.key_variable == variable)]
    patterns = [pattern for owner in owners for pattern in _hosts(owner)]
    return any(fnmatchcase(host, pattern) for pattern in patterns)


def _hosts(vendor: Vendor) -> list[str]:
    home = urlsplit(vendor.base_url or "").hostname
    return [*([home] if home else []), *vendor.hosts]
