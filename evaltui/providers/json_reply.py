"""Replies as JSON, and what their error bodies say."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, NoReturn

from evaltui.providers.base import ProviderFailure
from evaltui.providers.failures import Kind, failed

Document = Any
"""A JSON document as the standard library reads it."""

_SHOWN: Final = 200


def parse_reply(
    body: bytes, *, strict: bool, number: Callable[[str], object] | None = None
) -> Document:
    """A reply as JSON; ``strict`` also refuses members that come twice.

    ``number`` reads numbers with a point or exponent; NaN, infinities and numbers too large for a
    float are refused.

    Raises:
        ProviderFailure: it is not JSON.
    """
    try:
        return json.loads(
            body.decode("utf-8"),
            parse_constant=_no_number,
            parse_float=number or _finite,
            object_pairs_hook=_unique if strict else None,
        )
    except (ValueError, RecursionError) as error:
        raise invalid_json(body, error) from error


def invalid_json(body: bytes, error: Exception) -> ProviderFailure:
    """The failure of a reply that is not JSON."""
    return failed(Kind.NOT_JSON, f"invalid JSON response: {_reason(body, error)}", raw=body)


def at(document: Document, *path: str | int) -> Document:
    """The part of a document at ``path``; None where there is no such part."""
    for step in path:
        if isinstance(step, str):
            document = document.get(step) if isinstance(document, dict) else None
        else:
            inside = isinstance(document, list) and step < len(document)
            document = document[step] if inside else None
    return document


def count_at(document: Document, *path: str | int) -> int | None:
    """A number of tokens; None when the reply does not say it."""
    found = at(document, *path)
    return found if type(found) is int and found >= 0 else None


def text_at(document: Document, *path: str | int) -> str | None:
    """A text that is not empty; None when there is none."""
    found = at(document, *path)
    return found if isinstance(found, str) and found else None


def error_json(body: bytes) -> str:
    """The detail of an error in the reference's words: JSON text, quotes included (5.4)."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return "null"
    detail = at(document, "error", "message")
    if detail is None:
        detail = at(document, "error")
    shown = document if detail is None else detail
    return json.dumps(shown, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def error_text(body: bytes) -> str:
    """The detail of an error for people: the vendor's message, else the start of the body."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return _start(body)
    return next((text for found in _messages(document) if (text := _plain(found))), _start(body))


def _messages(document: Document) -> list[Document]:
    """Where vendors put their messages, in the order in which they count."""
    detail, error = at(document, "detail"), at(document, "error")
    return [
        at(detail, "message") or at(detail, "error_type"),
        "; ".join(text for one in detail if (text := _location(one)))
        if isinstance(detail, list)
        else detail,
        at(error, "message"),
        error,
        at(document, "message"),
    ]


def _location(problem: Document) -> str:
    """One entry of a validation error, without the ``input`` that echoes what was sent."""
    place = at(problem, "loc")
    path = ".".join(map(str, place)) if isinstance(place, list) else ""
    return f"{path}: {at(problem, 'msg')}" if path else str(at(problem, "msg") or "")


def _plain(found: Document) -> str:
    return " ".join(found.split()) if isinstance(found, str) else ""


def _start(body: bytes) -> str:
    text = " ".join(body[: _SHOWN * 4].decode("utf-8", "replace").split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _reason(body: bytes, error: Exception) -> str:
    if not body.strip():
        return "the reply is empty"
    if body.lstrip()[:1] == b"<":
        return f"the reply is a web page: {_start(body)!r:.80}"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return str(error)


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number")


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{digits} is too large a number")
    return number


def _unique(pairs: list[tuple[str, Document]]) -> dict[str, Document]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the member {twice!r} comes twice")
    return found
