"""One decision, one file: the schema ``evaltui.decision/1``.

A decision's id is the SHA-256 of its members without ``id`` (compact JSON, keys sorted), so that
an edited file no longer bears its name. Members that this version does not know are kept.
"""

from __future__ import annotations

import hashlib
import json
import re
from datetime import date, datetime
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
from msgspec.structs import replace

from evaltui.decimals import decimal_of
from evaltui.errors import DecisionError, fact_of
from evaltui.models import Action, Decision, Target

SCHEMA = "evaltui.decision/1"
FOLDER = "decisions"

_HEAD = (
    "action",
    "reviewer",
    "email",
    "cause",
    "reason",
    "created_at",
    "expires_at",
    "run_id",
    "policy_digest",
    "scope",
    "how",
    "source",
    "requirement",
)
_TARGET = Target.__struct_fields__
_NESTED = {"instrument": True, "value": False}
"""Members that are JSON text, and whether that text is all ASCII."""
_KNOWN = {"schema", "id", "targets", *_HEAD}
ENDING = (Action.ACCEPT_BASELINE, Action.WIDEN_TOLERANCE, Action.WAIVE, Action.RENEW)
"""What a person may decide for a while only."""

_DIGEST = re.compile(r"[0-9a-f]{64}")
_STAMP = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z")


def sign(decision: Decision) -> Decision:
    """The same decision bearing the id that its members give it."""
    return replace(decision, id=_identity(_members(decision)))


def encode(decision: Decision) -> str:
    """The text of a decision's file: JSON over several lines and a final newline."""
    body = {"schema": SCHEMA, "id": decision.id, **_members(decision)}
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


def file_name(decision: Decision) -> str:
    """``<utc time>-<hash8>.json``, e.g. ``20260131T120000Z-1a2b3c4d.json``."""
    stamp = re.sub(r"[-:]|\.\d+", "", decision.created_at)
    return f"{stamp}-{decision.id[:8]}.json"


def path_of(folder: Path, decision: Decision) -> Path:
    """Where a decision about suites in ``folder`` lives."""
    return folder / FOLDER / file_name(decision)


def read(path: Path) -> tuple[Decision, bool]:
    """A decision and whether it is as it was signed.

    Raises:
        DecisionError: unreadable, not JSON, of an unknown schema, or incomplete.
    """
    try:
        text = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, f"cannot be read: {fact_of(error)}") from None
    try:
        body = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, f"is not JSON: {error}") from None
    return decode(body, path)


def decode(body: object, path: Path) -> tuple[Decision, bool]:
    """As ``read``, from parsed JSON; ``path`` only names the place in errors."""
    if not isinstance(body, dict):
        raise _unreadable(path, "is not a decision: expected an object")
    if body.get("schema") != SCHEMA:
        raise DecisionError(
            f"schema {body.get('schema')!r} is not known to this version of evaltui",
            place=str(path),
            hint=f"this version reads {SCHEMA}; upgrade evaltui",
        )
    decision = _convert(body, path)
    _check(decision, path)
    members = {name: value for name, value in body.items() if name not in ("schema", "id")}
    return decision, _identity(members) == decision.id


def _convert(body: dict[str, Any], path: Path) -> Decision:
    known = {name: body[name] for name in _KNOWN & body.keys()}
    targets = known.get("targets")
    if isinstance(targets, list):
        known["targets"] = [_complete(target) for target in targets]
    try:
        decision: Decision = msgspec.convert(known, Decision)
    except msgspec.ValidationError as error:
        raise _unreadable(path, f"is not a decision: {error}") from None
    extra: dict[str, object] = {name: body[name] for name in body.keys() - _KNOWN}
    unknown = [{k: v for k, v in target.items() if k not in _TARGET} for target in body["targets"]]
    if any(unknown):
        extra["targets"] = unknown
    return replace(decision, extra=extra)


def _complete(target: object) -> object:
    """A target of a whole decision names no suite; everything else must have its members."""
    if not isinstance(target, dict):
        return target
    nested = {
        name: _compact(target[name], as_ascii)
        for name, as_ascii in _NESTED.items()
        if isinstance(target.get(name), dict | list)
    }
    whole = {"suite": "", "benchmark": ""} if "decision" in target else {}
    return {"case_id": None, **whole, **target, **nested}


def _check(decision: Decision, path: Path) -> None:
    if not _is_moment(decision.created_at):
        raise _unreadable(path, f"created_at is no UTC time: {decision.created_at!r}")
    if not decision.reviewer.strip():
        raise _unreadable(path, "names no reviewer")
    if not decision.targets:
        raise _unreadable(path, "has no targets")
    if decision.expires_at is None and decision.action in ENDING:
        raise _unreadable(path, f"has no expiry, which {decision.action.value} needs")
    try:
        date.fromisoformat(decision.expires_at or "2000-01-01")
    except ValueError:
        raise _unreadable(path, f"expires_at is no day: {decision.expires_at!r}") from None
    for number, target in enumerate(decision.targets):
        problem = _misplaced(target) or _problem(decision.action, target)
        if problem:
            raise _unreadable(path, f"targets[{number}] {problem}")


def _misplaced(target: Target) -> str | None:
    """Why a target cannot lie in this suite folder: files are made from these names."""
    for name in (target.suite, target.benchmark):
        parts = PurePosixPath(name.replace("\\", "/")).parts
        if "\0" in name or ".." in parts or parts[:1] == ("/",):
            return f"names something outside this folder: {name[:80]!r}"
    if target.suite and not PurePosixPath(target.benchmark).parts:
        return "names no benchmark"
    return None


def _is_moment(text: str) -> bool:
    try:
        return bool(_STAMP.fullmatch(text) and datetime.fromisoformat(text))
    except ValueError:
        return False


def _problem(action: Action, target: Target) -> str | None:
    for digest in (target.old_digest, target.new_digest):
        if digest is not None and not _DIGEST.fullmatch(digest):
            return f"has a digest that is not 64 hexadecimal digits: {digest!r}"
    if target.old_tolerance is not None and not _is_number(target.old_tolerance):
        return f"has a tolerance that is no number: {target.old_tolerance[:80]!r}"
    if target.decision and action is not Action.REVERT and action is not Action.RENEW:
        return None
    needed = {
        Action.ACCEPT_BASELINE: target.check and target.new_digest,
        Action.WIDEN_TOLERANCE: _is_number(target.new_tolerance),
        Action.APPROVE_ESCALATION: target.escalation and target.value,
        Action.DENY_ESCALATION: target.escalation,
        Action.RELINK: target.case_id and target.value,
        Action.REVERT: target.decision,
        Action.RENEW: target.decision,
    }
    return None if needed.get(action, True) else f"lacks what {action.value} needs"


def _is_number(text: str | None) -> bool:
    number = decimal_of(text) if text else None
    return number is not None and number >= 0


def _members(decision: Decision) -> dict[str, Any]:
    members = {name: getattr(decision, name) for name in _HEAD}
    extra = dict(decision.extra)
    unknown = extra.pop("targets", None)
    targets = [_target_members(target) for target in decision.targets]
    if isinstance(unknown, list):
        targets = [target | more for target, more in zip(targets, unknown, strict=True)]
    present = {name: value for name, value in members.items() if value not in (None, "")}
    return {**present, "targets": targets, **{name: extra[name] for name in sorted(extra)}}


def _target_members(target: Target) -> dict[str, Any]:
    members = {name: getattr(target, name) for name in _TARGET}
    for name, as_ascii in _NESTED.items():
        members[name] = _nested(members[name], as_ascii)
    whole = not target.suite
    return {
        name: value
        for name, value in members.items()
        if value is not None and not (whole and name in ("suite", "benchmark"))
    }


def _nested(text: str | None, as_ascii: bool) -> object:
    """JSON text as what it stands for, for people to read, if it can be made from that again."""
    if text is None or text[:1] not in ("{", "["):
        return text
    try:
        body = json.loads(text)
    except ValueError:
        return text
    return body if _compact(body, as_ascii) == text else text


def _compact(body: object, as_ascii: bool) -> str:
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=as_ascii)


def _identity(members: dict[str, Any]) -> str:
    text = _compact(members, as_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _unreadable(path: Path, fact: str) -> DecisionError:
    return DecisionError(
        f"the decision file {fact}", place=str(path), hint="restore it from version control"
    )
