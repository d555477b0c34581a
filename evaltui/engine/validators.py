"""The two checks a validator can make (runtime specification 3.3)."""

from __future__ import annotations

from evaltui.engine.carriers import PASS, Verdict, fail
from evaltui.engine.json_text import JsonError, parse_json


def check_regex(pattern: str, subject: str) -> Verdict:
    """Pass when ``pattern`` occurs anywhere in ``subject``."""
    from evaltui.engine.patterns import PatternError, compile_pattern

    try:
        found = compile_pattern(pattern).found_in(subject)
    except PatternError as error:
        return fail(f"invalid regex `{pattern}`: {error}")
    return PASS if found else fail(f"`{subject}` does not match /{pattern}/")


def check_json(subject: str) -> Verdict:
    """Pass when ``subject`` is one well-formed JSON document."""
    try:
        parse_json(subject)
    except JsonError as error:
        return fail(f"not valid JSON: {error}")
    return PASS
