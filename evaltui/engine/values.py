"""Run-time values and all that can be said of one, in one place to import from."""

from __future__ import annotations

from evaltui.engine.carriers import (
    ESCALATE,
    PASS,
    RATE_LIMITED,
    TIMEOUT,
    UNIT,
    Unit,
    Unsettled,
    Value,
    Verdict,
    equal,
    fail,
    refused,
    score,
    truthy,
)
from evaltui.engine.json_text import JsonError, parse_json
from evaltui.engine.rendering import display, display_float, quote, quote_list, score_float
from evaltui.engine.tagging import (
    content_hash,
    from_tagged,
    json_float,
    natural,
    pretty_tagged,
    tagged,
    untagged,
)

__all__ = [
    "ESCALATE",
    "PASS",
    "RATE_LIMITED",
    "TIMEOUT",
    "UNIT",
    "JsonError",
    "Unit",
    "Unsettled",
    "Value",
    "Verdict",
    "content_hash",
    "display",
    "display_float",
    "equal",
    "fail",
    "from_tagged",
    "json_float",
    "natural",
    "parse_json",
    "pretty_tagged",
    "quote",
    "quote_list",
    "refused",
    "score",
    "score_float",
    "tagged",
    "truthy",
    "untagged",
]
