"""The storage forms of values: tagged JSON, natural JSON and the content hash (1.4 to 1.6)."""

from __future__ import annotations

import hashlib
import math
from json.encoder import encode_basestring
from typing import Final, cast

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
    fail,
    refused,
    score,
)
from evaltui.engine.json_text import JsonError, parse_json

_DRAFT_NAMES: Final = {
    "Refused": "refused",
    "RateLimited": "rate_limited",
    "Timeout": "timeout",
}
_WORDS: Final[dict[tuple[str, str], Value]] = {
    ("Verdict", "Pass"): PASS,
    ("Verdict", "Escalate"): ESCALATE,
    ("Unsettled", "Timeout"): TIMEOUT,
    ("Unsettled", "RateLimited"): RATE_LIMITED,
}


def json_float(number: float) -> str:
    """A float as JSON: always with a point or an exponent; null when it is not finite."""
    text = repr(float(number))
    if "e" not in text:
        return text if math.isfinite(number) else "null"
    mantissa, _, exponent = text.partition("e")
    if exponent == "-05":
        sign = "-" if number < 0 else ""
        return f"{sign}0.0000{mantissa.lstrip('-').replace('.', '')}"
    power = int(exponent)
    return f"{mantissa}e{power:+d}"


def tagged(value: Value) -> str:
    """Compact tagged JSON: ``{"kind":"Text","value":"hi"}``."""
    if isinstance(value, str):
        return f'{{"kind":"Text","value":{encode_basestring(value)}}}'
    if isinstance(value, bool):
        return f'{{"kind":"Bool","value":{"true" if value else "false"}}}'
    if isinstance(value, int):
        return f'{{"kind":"Int","value":{value}}}'
    if isinstance(value, float):
        return f'{{"kind":"Float","value":{json_float(value)}}}'
    if isinstance(value, list):
        items = ",".join([tagged(item) for item in value])
        return f'{{"kind":"List","value":[{items}]}}'
    if isinstance(value, dict):
        fields = ",".join(
            [f"{encode_basestring(key)}:{tagged(value[key])}" for key in sorted(value)]
        )
        return f'{{"kind":"Record","value":{{{fields}}}}}'
    return _tagged_special(value)


def _tagged_special(value: Verdict | Unsettled | Unit) -> str:
    if isinstance(value, Unit):
        return '{"kind":"Unit"}'
    kind = "Verdict" if isinstance(value, Verdict) else "Unsettled"
    payload = value.payload if isinstance(value, Verdict) else value.reason
    if payload is None:
        return f'{{"kind":"{kind}","value":"{value.variant}"}}'
    inner = encode_basestring(payload) if isinstance(payload, str) else json_float(payload)
    return f'{{"kind":"{kind}","value":{{"{value.variant}":{inner}}}}}'


def pretty_tagged(value: Value, indent: str = "") -> str:
    """Tagged JSON over several lines, two spaces a level, without a final newline.

    ``indent`` is put before every line but the first.
    """
    deeper = indent + "  "
    if isinstance(value, Unit):
        return f'{{\n{deeper}"kind": "Unit"\n{indent}}}'
    if isinstance(value, list):
        kind, body = "List", _pretty_list(value, deeper)
    elif isinstance(value, dict):
        kind, body = "Record", _pretty_record(value, deeper)
    else:
        kind, body = _pretty_plain(value, deeper)
    return f'{{\n{deeper}"kind": "{kind}",\n{deeper}"value": {body}\n{indent}}}'


def _pretty_list(items: list[Value], indent: str) -> str:
    inner = indent + "  "
    lines = [inner + pretty_tagged(item, inner) for item in items]
    return "[\n" + ",\n".join(lines) + f"\n{indent}]" if items else "[]"


def _pretty_record(fields: dict[str, Value], indent: str) -> str:
    inner = indent + "  "
    lines = [
        f"{inner}{encode_basestring(key)}: {pretty_tagged(fields[key], inner)}"
        for key in sorted(fields)
    ]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}" if fields else "{}"


def _pretty_plain(value: Value, indent: str) -> tuple[str, str]:
    head, _, body = tagged(value)[:-1].partition(',"value":')
    kind = head.removeprefix('{"kind":"').removesuffix('"')
    if body.startswith("{"):
        name, _, payload = body[1:-1].partition(":")
        body = f"{{\n{indent}  {name}: {payload}\n{indent}}}"
    return kind, body


def untagged(text: str) -> Value:
    """The value that tagged JSON stands for, compact or pretty, members in either order.

    Raises:
        JsonError: not JSON, or not a tagged value.
    """
    return from_tagged(parse_json(text))


def from_tagged(node: Value) -> Value:
    """The value that parsed tagged JSON stands for.

    Raises:
        JsonError: not a tagged value.
    """
    if not isinstance(node, dict):
        raise JsonError("expected a tagged value")
    kind = node.get("kind")
    if kind == "Unit":
        return UNIT
    if "value" not in node:
        raise JsonError("missing field `value`")
    return _untag(kind, node["value"])


def _untag(kind: Value | None, body: Value) -> Value:
    if kind == "Text" and isinstance(body, str):
        return body
    if kind == "Bool" and isinstance(body, bool):
        return body
    if kind == "Int" and type(body) is int:
        return body
    if kind == "Float" and type(body) in (int, float):
        return float(cast(float, body))
    if kind == "List" and isinstance(body, list):
        return [from_tagged(item) for item in body]
    if kind == "Record" and isinstance(body, dict):
        return {key: from_tagged(item) for key, item in body.items()}
    return _untag_special(kind, body)


def _untag_special(kind: Value | None, body: Value) -> Value:
    if isinstance(kind, str) and isinstance(body, str) and (kind, body) in _WORDS:
        return _WORDS[kind, body]
    if isinstance(body, dict) and len(body) == 1:
        ((name, payload),) = body.items()
        if (kind, name) == ("Verdict", "Fail") and isinstance(payload, str):
            return fail(payload)
        if (kind, name) == ("Verdict", "Score") and type(payload) in (int, float):
            return score(cast(float, payload))
        if (kind, name) == ("Unsettled", "Refused") and isinstance(payload, str):
            return refused(payload)
    raise JsonError(f"not a value of kind `{kind}`" if isinstance(kind, str) else "unknown kind")


def natural(value: Value) -> str:
    """Untagged JSON on one line, keys sorted; what is not finite becomes null."""
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return json_float(value)
    if isinstance(value, list):
        return f"[{','.join([natural(item) for item in value])}]"
    if isinstance(value, dict):
        pairs = [f"{encode_basestring(key)}:{natural(value[key])}" for key in sorted(value)]
        return f"{{{','.join(pairs)}}}"
    return _natural_special(value)


def _natural_special(value: Verdict | Unsettled | Unit) -> str:
    if isinstance(value, Unit):
        return "null"
    if isinstance(value, Unsettled):
        name = f'"unsettled":"{_DRAFT_NAMES[value.variant]}"'
        if value.variant != "Refused":
            return f"{{{name}}}"
        return f'{{"reason":{encode_basestring(value.reason or "")},{name}}}'
    name = f'"verdict":"{value.variant.lower()}"'
    if isinstance(value.payload, str):
        return f'{{"reason":{encode_basestring(value.payload)},{name}}}'
    if value.payload is not None:
        return f'{{"score":{json_float(value.payload)},{name}}}'
    return f"{{{name}}}"


def content_hash(value: Value) -> str:
    """SHA-256 of the compact tagged JSON, as 64 hexadecimal digits (1.5)."""
    return hashlib.sha256(tagged(value).encode("utf-8", "surrogatepass")).hexdigest()
