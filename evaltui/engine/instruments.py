"""What measured a case, as canonical JSON (design glossary: instrument)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import lru_cache

from evaltui.providers.base import Instrument


def instrument_json(
    capability: str, instrument: Instrument, answered_by: str | None, rubric: str | None
) -> str:
    """One member of a case's instrument: who was asked, who answered, by which rubric."""
    params = json.dumps(dict(instrument.params), sort_keys=True, default=str)
    return _member(
        capability,
        instrument.provider,
        instrument.vendor,
        instrument.model,
        instrument.base_url,
        params,
        instrument.contract,
        answered_by,
        rubric,
    )


@lru_cache(maxsize=1024)
def _member(
    capability: str,
    provider: str,
    vendor: str,
    model: str | None,
    base_url: str | None,
    params: str,
    contract: int,
    answered_by: str | None,
    rubric: str | None,
) -> str:
    members: dict[str, object] = {
        "capability": capability,
        "provider": provider,
        "vendor": vendor,
        "model": model,
        "base_url": base_url,
        "params": json.loads(params) or None,
        "contract": contract,
        "answered_by": answered_by,
        "rubric": None if rubric is None else _digest(rubric),
    }
    kept = {name: value for name, value in members.items() if value is not None}
    return json.dumps(kept, sort_keys=True, separators=(",", ":"))


def combined(members: Iterable[str]) -> str:
    """The instrument of a case: its members in a fixed order; empty without any."""
    unique = sorted(set(members))
    return f"[{','.join(unique)}]" if unique else ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
