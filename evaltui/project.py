"""The project around a suite, and its policy: the file ``evaltui.toml`` (design section 4)."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from evaltui.errors import ConfigurationError
from evaltui.models import Gate

if TYPE_CHECKING:
    from evaltui.ulx.manifest import ProviderEntry

POLICY_NAME = "evaltui.toml"

REPORTING_GATES = frozenset({Gate.UNSTABLE, Gate.REVISED, Gate.NEAR})
"""Gates that only report unless the policy says otherwise (design section 5)."""

EXPECT_ATTEMPTS = 3
"""How often an ``expect`` may ask its judge, first pass counting: a declared repeat."""


class ProjectPolicy(Struct, frozen=True):
    """``[project]``. ``case_id`` names the column that identifies a row."""

    case_id: str | None = None


class RunPolicy(Struct, frozen=True):
    """``[run]``: cases at once, seconds a case may take, cases allowed to end without a result.

    ``near_band`` is the distance to a threshold within which a case is near it; None is off.
    """

    concurrency: int = 8
    case_seconds: float = 120.0
    max_no_result: int = 0
    near_band: Decimal | None = None


class Limits(Struct, frozen=True):
    """``[limits.NAME]``: what may be asked of one provider; None is no limit.

    ``timeout_s`` bounds one attempt; ``verify_tls`` False accepts any certificate, and is shown.
    """

    concurrency: int | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout_s: float | None = None
    attempts: int | None = None
    verify_tls: bool = True


class CompareRule(Struct, frozen=True):
    """``[compare]`` of one benchmark or check. ``list_key`` names the field that matches records
    of two lists with each other; without it lists are compared in order."""

    list_key: str | None = None


class ExpiryPolicy(Struct, frozen=True):
    """``[expiry]``: how long decisions live, as ``90d``, and when a warning begins."""

    default: str = "90d"
    max: str = "365d"
    warn_days: int = 7


class RedactionPolicy(Struct, frozen=True):
    """``[redaction]``: regular expressions of what must never be stored."""

    patterns: tuple[str, ...] = ()


def default_gates() -> dict[Gate, bool]:
    """Whether each gate fails a run when the policy does not mention it."""
    return {gate: gate not in REPORTING_GATES for gate in Gate}


class Policy(Struct, frozen=True):
    """The effective policy of a project; without a file, the defaults.

    ``tolerance`` and ``compare`` are keyed by ``Benchmark`` or ``Benchmark/check``, ``slices`` map
    a name to a column, ``gates`` say whether a gate fails the run or only reports, ``prices`` are
    US dollars for a million tokens, in and out, by model.
    """

    project: ProjectPolicy = ProjectPolicy()
    run: RunPolicy = RunPolicy()
    providers: Mapping[str, ProviderEntry] = field(default_factory=dict)
    tolerance: Mapping[str, Decimal] = field(default_factory=dict)
    compare: Mapping[str, CompareRule] = field(default_factory=dict)
    gates: Mapping[Gate, bool] = field(default_factory=default_gates)
    slices: Mapping[str, str] = field(default_factory=dict)
    expiry: ExpiryPolicy = ExpiryPolicy()
    redaction: RedactionPolicy = RedactionPolicy()
    keys: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, Limits] = field(default_factory=dict)
    prices: Mapping[str, tuple[Decimal, Decimal]] = field(default_factory=dict)

    @property
    def near_band(self) -> Decimal | None:
        """``near_band`` of ``[run]``."""
        return self.run.near_band

    @property
    def digest(self) -> str:
        """SHA-256, as 64 hex digits, of everything that can change what a run says.

        Key bindings are left out, how fast providers are asked, and what they cost: none of them
        changes an answer.
        """
        content = {
            name: _plain(getattr(self, name))
            for name in self.__struct_fields__
            if name not in _NO_PART
        }
        content["schema"] = "evaltui.policy/1"
        content["expect_attempts"] = EXPECT_ATTEMPTS
        text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


_NO_PART = ("keys", "limits", "prices")


def _plain(value: object) -> object:
    """JSON for ``value``, one text for equal numbers whichever way they were written."""
    if isinstance(value, Struct):
        return {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, Mapping):
        return {str(key): _plain(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(member) for member in value]
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    return value if isinstance(value, (bool, int, float)) or value is None else str(value)


def find_root(path: Path) -> Path:
    """The project root of a suite file or folder.

    The nearest folder upward with ``evaltui.toml``, else the git root, else the suite's folder.
    """
    # Links stay as the user typed them: a linked suite belongs where it is linked.
    absolute = Path(os.path.abspath(path))  # noqa: PTH100
    folder = absolute if absolute.is_dir() else absolute.parent
    upward = (folder, *folder.parents)
    for marker in (POLICY_NAME, ".git"):
        for candidate in upward:
            if os.path.lexists(candidate / marker):
                return candidate
    return folder


def load_policy(root: Path) -> Policy:
    """The policy in ``root``, or the defaults when there is no file.

    Raises:
        ConfigurationError: unreadable, not UTF-8, not TOML, an unknown key or a wrong value; the
            place is ``file:line``.
    """
    path = root / POLICY_NAME
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        if path.is_symlink():
            raise ConfigurationError(
                f"leads to nothing: {path.readlink()}", place=str(path)
            ) from error
        return Policy()
    except UnicodeDecodeError as error:
        message = f"not UTF-8 (byte {error.start})"
        raise ConfigurationError(message, place=str(path)) from None
    except OSError as error:
        raise ConfigurationError(f"cannot be read: {error.strerror}", place=str(path)) from error
    from evaltui.policy_file import parse_policy

    return parse_policy(text, str(path))


def store_path(root: Path) -> Path:
    """Where the trace store of a project lies."""
    return root / ".evaltui" / "trace.db"
