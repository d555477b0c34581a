"""What measures: provider entries as instruments, in cache keys and as canonical JSON.

An instrument is provider path, model asked for and model that answered, parameters, judge rubric
and adapter contract (design glossary). The configured name of a provider is part of an instrument
but not of a cache key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from evaltui.providers.base import Instrument


class Measure:
    """One capability of a provider entry with the model asked for; made once a run.

    Of an ``imported`` answer no more is known than its vendor, and at times the model asked for.
    """

    def __init__(self, capability: str, instrument: Instrument, imported: bool = False) -> None:
        self.capability = capability
        self.instrument = instrument
        self.imported = imported
        self.key_part = _key_part(capability, instrument)
        """What a cache key says of the instrument."""
        self._members: dict[tuple[str | None, str | None], str] = {}

    def member(self, answered_by: str | None, rubric: str | None) -> str:
        """Canonical JSON: who was asked, who answered, by which rubric."""
        known = self._members.get((answered_by, rubric))
        if known is None:
            known = self._members[answered_by, rubric] = self._json(answered_by, rubric)
        return known

    def _json(self, answered_by: str | None, rubric: str | None) -> str:
        one = self.instrument
        members: dict[str, object] = {
            "capability": self.capability,
            "provider": one.provider,
            "vendor": one.vendor,
            "model": one.model,
            "base_url": one.base_url,
            "params": dict(one.params) or None,
            "contract": one.contract,
            "answered_by": answered_by,
            "rubric": None if rubric is None else _digest(rubric),
            "imported": self.imported or None,
        }
        if self.imported:
            members |= dict.fromkeys(("provider", "base_url", "params", "contract"))
        kept = {name: value for name, value in members.items() if value is not None}
        return json.dumps(kept, sort_keys=True, separators=(",", ":"), default=str)


def _key_part(capability: str, one: Instrument) -> str:
    params = json.dumps(dict(one.params), sort_keys=True, default=str)
    return json.dumps([capability, one.vendor, one.base_url, one.model, one.contract, params])


def combined(members: Iterable[str]) -> str:
    """The instrument of a case: its members in a fixed order; empty without any."""
    unique = sorted(set(members))
    return f"[{','.join(unique)}]" if unique else ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
