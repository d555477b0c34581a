"""``evaltui.toml`` as its user writes it: strict tables, errors with file, line and key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails

from evaltui.errors import ConfigurationError, UsageError
from evaltui.models import Gate
from evaltui.project import (
    CompareRule,
    ExpiryPolicy,
    Limits,
    Policy,
    ProjectPolicy,
    RedactionPolicy,
    RunPolicy,
    default_gates,
)
from evaltui.review.expiry import days_of
from evaltui.ulx.manifest import Capability, ProviderEntry

CAPABILITIES = ("chat", "vision", "embed", "transcribe", "speak", "generate_image", "judge")

_PLACE = re.compile(r"(.*) \(at line (\d+), column \d+\)", re.DOTALL)

_EXPECTED = {
    "bool_type": "true or false",
    "dict_type": "a table",
    "int_type": "a whole number",
    "list_type": "a list",
    "model_type": "a table",
    "string_too_short": "a text that is not empty",
    "string_type": "a text",
    "tuple_type": "a list",
}


def _number(value: object) -> object:
    """A decimal from a TOML number or a text that is one."""
    if isinstance(value, (int, str, Decimal)) and not isinstance(value, bool):
        try:
            number = Decimal(value)
        except InvalidOperation:
            number = Decimal("NaN")
        if number.is_finite():
            return number
    raise ValueError("must be a number")


def _floats(value: object) -> object:
    """Parameters of a provider as TOML gives them by itself: binary floats."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {key: _floats(member) for key, member in value.items()}
    return [_floats(member) for member in value] if isinstance(value, list) else value


def _capability(value: object) -> object:
    return {"model": value} if isinstance(value, str) else value


def _days(value: str) -> str:
    try:
        days_of(value)
    except UsageError:
        raise ValueError("must be a span of days such as 90d") from None
    return value


def _pattern(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f"must be a regular expression: {error}") from None
    return value


_Text = Annotated[str, StringConstraints(min_length=1)]
_Number = Annotated[Decimal, BeforeValidator(_number)]
_Tolerance = Annotated[_Number, Field(ge=0)]
_Gate = Annotated[Gate, Field(strict=False)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Project(_Table):
    case_id: _Text | None = None


class _Run(_Table):
    concurrency: int = Field(default=8, ge=1, le=1024)
    case_seconds: _Number = Field(default=Decimal(120), gt=0, le=86_400)
    max_no_result: int = Field(default=0, ge=0)
    near_band: _Tolerance | None = None


class _Capability(_Table):
    model: _Text | None = None
    params: Annotated[dict[str, Any], BeforeValidator(_floats)] = {}


_Served = Annotated[_Capability, BeforeValidator(_capability)]


class _Limits(_Table):
    concurrency: int | None = Field(default=None, ge=1, le=1024)
    requests_per_minute: _Number | None = Field(default=None, gt=0)
    tokens_per_minute: _Number | None = Field(default=None, gt=0)
    timeout_s: _Number | None = Field(default=None, gt=0, le=86_400)
    attempts: int | None = Field(default=None, ge=1, le=20)
    verify_tls: bool = True

    def limits(self) -> Limits:
        """The same as the policy has it."""
        return Limits(
            self.concurrency,
            _float(self.requests_per_minute),
            _float(self.tokens_per_minute),
            _float(self.timeout_s),
            self.attempts,
            self.verify_tls,
        )


def _float(number: Decimal | None) -> float | None:
    return None if number is None else float(number)


class _Provider(_Table):
    vendor: _Text
    base_url: _Text | None = None
    api_key_env: _Text | None = None
    api_version: _Text | None = None
    chat: _Served | None = None
    vision: _Served | None = None
    embed: _Served | None = None
    transcribe: _Served | None = None
    speak: _Served | None = None
    generate_image: _Served | None = None
    judge: _Served | None = None

    @model_validator(mode="after")
    def _serves_something(self) -> _Provider:
        if all(getattr(self, name) is None for name in CAPABILITIES):
            raise ValueError('declares no capabilities: add at least one, e.g. chat = "..."')
        return self

    def entry(self, name: str) -> ProviderEntry:
        served = {
            capability: Capability(table.model, dict(table.params))
            for capability in sorted(CAPABILITIES)
            if (table := getattr(self, capability)) is not None
        }
        return ProviderEntry(
            name, self.vendor, self.base_url, self.api_key_env, self.api_version, served
        )


class _Compare(_Table):
    list_key: _Text | None = None


class _Expiry(_Table):
    default: str = "90d"
    max: str = "365d"
    warn_days: int = Field(default=7, ge=0, le=3650)

    @field_validator("default", "max")
    @classmethod
    def _is_span(cls, value: str) -> str:
        return _days(value)

    @model_validator(mode="after")
    def _default_within_max(self) -> _Expiry:
        if days_of(self.default) > days_of(self.max):
            raise ValueError(f"default ({self.default}) is beyond max ({self.max})")
        return self


class _Redaction(_Table):
    patterns: list[Annotated[str, BeforeValidator(_pattern)]] = []


class _File(_Table):
    project: _Project = _Project()
    run: _Run = _Run()
    providers: dict[str, _Provider] = {}
    tolerance: dict[str, _Tolerance] = {}
    compare: dict[str, _Compare] = {}
    gates: dict[_Gate, Literal["fail", "report"]] = {}
    slices: dict[str, _Text] = {}
    expiry: _Expiry = _Expiry()
    redaction: _Redaction = _Redaction()
    keys: dict[str, _Text] = {}
    limits: dict[str, _Limits] = {}


def parse_policy(text: str, place: str) -> Policy:
    """The policy written as TOML ``text`` in the file ``place``.

    Raises:
        ConfigurationError: not TOML, an unknown key or a wrong value.
    """
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _syntax_error(error, text, place) from error
    try:
        return _policy(_File.model_validate(document))
    except ValidationError as error:
        raise _first_error(error.errors(include_url=False), text, place) from None


def _policy(file: _File) -> Policy:
    gates = {gate: state == "fail" for gate, state in file.gates.items()}
    run, expiry = file.run, file.expiry
    return Policy(
        project=ProjectPolicy(file.project.case_id),
        run=RunPolicy(run.concurrency, float(run.case_seconds), run.max_no_result, run.near_band),
        providers={name: table.entry(name) for name, table in sorted(file.providers.items())},
        tolerance=file.tolerance,
        compare={name: CompareRule(table.list_key) for name, table in file.compare.items()},
        gates=default_gates() | gates,
        slices=file.slices,
        expiry=ExpiryPolicy(expiry.default, expiry.max, expiry.warn_days),
        redaction=RedactionPolicy(tuple(file.redaction.patterns)),
        keys=file.keys,
        limits={name: table.limits() for name, table in file.limits.items()},
    )


def _syntax_error(error: Exception, text: str, place: str) -> ConfigurationError:
    if isinstance(error, RecursionError):
        return ConfigurationError("too deeply nested", place=place)
    found = _PLACE.fullmatch(str(error))
    message, line = (found[1], found[2]) if found else (str(error), str(text.count("\n") + 1))
    return ConfigurationError(f"not TOML: {message}", place=f"{place}:{line}")


def _first_error(errors: Sequence[ErrorDetails], text: str, place: str) -> ConfigurationError:
    """The error that comes first in the file."""
    lines = [line_of(text, _keys(error)) for error in errors]
    line, error = min(zip(lines, errors, strict=True), key=lambda pair: pair[0])
    message, hint = _explain(error)
    return ConfigurationError(message, place=f"{place}:{line}", hint=hint)


def _keys(error: ErrorDetails) -> tuple[str | int, ...]:
    return tuple(part for part in error["loc"] if part != "[key]")


def _explain(error: ErrorDetails) -> tuple[str, str | None]:
    keys, kind = _keys(error), error["type"]
    name = ".".join(map(str, keys))
    if kind == "extra_forbidden" or error["loc"][-1] == "[key]":
        return f"unknown key `{name}`", _nearest(keys)
    if kind == "missing":
        return f"`{'.'.join(map(str, keys[:-1]))}` has no `{keys[-1]}`", None
    if kind == "value_error":
        return f"`{name}` {error['msg'].removeprefix('Value error, ')}", None
    expected = _EXPECTED.get(kind)
    if expected is None:
        expected = error["msg"].removeprefix("Input should be ").removeprefix("String should ")
    return f"`{name}` must be {expected}, not {_shown(error['input'])}", None


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (dict, list)):
        return "a table" if isinstance(value, dict) else "a list"
    return str(value) if isinstance(value, (int, Decimal)) else ascii(value)


def _nearest(keys: tuple[str | int, ...]) -> str:
    known = _known(keys[:-1])
    close = get_close_matches(str(keys[-1]), known, 1, 0.5)
    return f"did you mean `{close[0]}`?" if close else f"known here: {', '.join(known)}"


def _known(table: tuple[str | int, ...]) -> list[str]:
    """The keys that the table at this place may have."""
    if table == ("gates",):
        return [str(gate) for gate in Gate]
    models: dict[tuple[object, int], type[BaseModel]] = {
        ("project", 1): _Project,
        ("run", 1): _Run,
        ("limits", 2): _Limits,
        ("providers", 2): _Provider,
        ("providers", 3): _Capability,
        ("compare", 2): _Compare,
        ("expiry", 1): _Expiry,
        ("redaction", 1): _Redaction,
    }
    first = table[0] if table else ""
    return list(models.get((first, len(table)), _File).model_fields)


def line_of(text: str, keys: Iterable[str | int]) -> int:
    """The line, from 1, on which the value at ``keys`` begins; of the part that exists, if none.

    A value begins after the last run of whole lines that is TOML and does not have it yet.
    """
    path = [key for key in keys if isinstance(key, str)]
    lines = text.splitlines(keepends=True)
    depth, start = 0, 1
    last_without = 0
    for count in range(1, len(lines) + 1):
        found = _depth("".join(lines[:count]), path)
        if found is None:
            continue
        if found > depth:
            depth, start = found, last_without + 1
        if depth == len(path):
            break
        last_without = count
    return start


def _depth(text: str, path: Sequence[str]) -> int | None:
    """How many steps of ``path`` exist in TOML ``text``; None when it is none."""
    try:
        value: object = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    for depth, key in enumerate(path):
        if not isinstance(value, dict) or key not in value:
            return depth
        value = value[key]
    return len(path)
