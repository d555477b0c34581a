"""Cache keys of ``ulx`` (runtime specification 6.1)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from evaltui.engine.carriers import Value
from evaltui.engine.effects import Request
from evaltui.engine.tagging import content_hash


def call_key(request: Request, vendor: str) -> str:
    """The key of an ``ask`` or judge call that ``vendor`` answers."""
    if request.judge is not None:
        return _judge_key(request, request.judge, vendor)
    sent: list[Value] = [f"{message.role}:{message.text}" for message in request.messages]
    return _key(request.capability, vendor, [*sent, *_in_name_order(request.arguments)], ())


def _judge_key(request: Request, judge: str, vendor: str) -> str:
    inputs = (request.arguments["subject"], request.arguments["rubric"])
    attempt = (str(request.attempt),) if request.attempt else ()
    return _key(request.capability, vendor, inputs, (judge, *attempt))


def escalation_key(
    target: str, arguments: Mapping[str, Value], run_id: str, path: Iterable[int], count: int
) -> str:
    """The key of a person's decision.

    ``path`` are the indexes of the ``with`` members around the ``escalate``, ``count`` the number
    of those evaluated before on that branch.
    """
    place = f"{'.'.join(map(str, path))}#{count}"
    return _key("escalate", target, _in_name_order(arguments), (run_id, place))


def _in_name_order(arguments: Mapping[str, Value]) -> list[Value]:
    return [arguments[name] for name in sorted(arguments)]


def _key(capability: str, vendor: str, inputs: Iterable[Value], extras: Iterable[str]) -> str:
    parts = [capability, vendor, *map(content_hash, inputs), *extras]
    return hashlib.sha256("".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
