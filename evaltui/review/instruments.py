"""How two instruments differ, in words: what a person reads before they accept a value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

Member = dict[str, Any]
_NAMED = (
    ("model", "model"),
    ("answered_by", "answered by"),
    ("vendor", "vendor"),
    ("base_url", "host"),
    ("contract", "adapter contract"),
)


def instrument_changes(old: str, new: str) -> list[str]:
    """One line a difference, such as ``judge by Desk: model a → b``; empty when unreadable.

    Both are canonical JSON as ``CaseResult.instrument`` holds it. Members are matched by what they
    were asked for and who was asked.
    """
    before, after = _members(old), _members(new)
    matched = [
        (one, two) for key in before if key in after for one, two in _pairs(before[key], after[key])
    ]
    lines = [line for one, two in matched for line in _differences(one, two)]
    lines += [f"{_name(one)}: no longer asked" for one in _unmatched(before, after)]
    lines += [f"{_name(one)}: not asked before" for one in _unmatched(after, before)]
    return list(dict.fromkeys(lines))


def _members(text: str) -> dict[tuple[str, str], list[Member]]:
    try:
        loaded = json.loads(text)
    except ValueError:
        return {}
    found: dict[tuple[str, str], list[Member]] = {}
    for one in loaded if isinstance(loaded, list) else ():
        if isinstance(one, dict):
            key = (str(one.get("capability", "")), str(one.get("provider", "")))
            found.setdefault(key, []).append(one)
    return found


def _pairs(old: list[Member], new: list[Member]) -> Iterator[tuple[Member, Member]]:
    """Those that differ, beside each other."""
    gone = [one for one in old if one not in new]
    came = [one for one in new if one not in old]
    yield from zip(gone, came, strict=False)


def _unmatched(
    some: dict[tuple[str, str], list[Member]], others: dict[tuple[str, str], list[Member]]
) -> Iterator[Member]:
    for key, members in some.items():
        own = [one for one in members if one not in others.get(key, [])]
        yield from own[len([one for one in others.get(key, []) if one not in members]) :]


def _differences(old: Member, new: Member) -> Iterator[str]:
    name = _name(old)
    for key, word in _NAMED:
        if old.get(key) != new.get(key):
            yield f"{name}: {word} {_shown(old.get(key))} → {_shown(new.get(key))}"
    if old.get("rubric") != new.get("rubric"):
        yield f"{name}: the text of the rubric changed"
    before, after = old.get("params") or {}, new.get("params") or {}
    for key in sorted({*before, *after}):
        if before.get(key) != after.get(key):
            yield f"{name}: {key} {_shown(before.get(key))} → {_shown(after.get(key))}"


def _name(one: Member) -> str:
    return f"{one.get('capability') or 'call'} by {one.get('provider') or 'a provider'}"


def _shown(value: object) -> str:
    return "none" if value is None else str(value)
