"""Calls in words, for messages about them."""

from __future__ import annotations

import json
from typing import Final

from evaltui.providers.base import ProviderRequest

_SHOWN: Final = 80


def describe(request: ProviderRequest) -> str:
    """Name a call for people: capability or judge, case, and the start of what was sent."""
    what = f"judge {request.judge}" if request.judge else request.capability
    sent = sent_text(request)
    shown = sent if len(sent) <= _SHOWN else sent[:_SHOWN] + "…"
    return f"{what} call of case {request.case_id}: {json.dumps(shown, ensure_ascii=False)}"


def sent_text(request: ProviderRequest) -> str:
    """All text that a call sends: messages, or a judge's subject and rubric."""
    if request.judge is None:
        return "\n".join(message.text for message in request.messages)
    parts = (request.arguments.get("subject"), request.arguments.get("rubric"))
    return "\n".join(part for part in parts if isinstance(part, str))
