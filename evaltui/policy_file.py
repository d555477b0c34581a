"""``evaltui.toml`` as its user writes it: strict tables, errors with file, line and key."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from evaltui.errors import UsageError
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
from evaltui.toml_tables import Mistake, Table, first_error, parse
from evaltui.ulx.manifest import Capability, ProviderEntry

CAPABILITIES: Final = (
    "chat",
    "vision",
    "embed",
    "transcribe",
    "speak",
    "generate_image",
    "judge",
)

_TABLES: Final = (
    "project",
    "run",
    "providers",
    "tolerance",
    "compare",
    "gates",
    "slices",
    "expiry",
    "redaction",
    "keys",
    "limits",
    "prices",
)
_RUN: Final = ("concurrency", "case_seconds", "max_no_result", "near_band")
_PROVIDER: Final = ("vendor", "base_url", "api_key_env", "api_version", *CAPABILITIES)
_LIMITS: Final = (
    "concurrency",
    "requests_per_minute",
    "tokens_per_minute",
    "timeout_s",
    "attempts",
    "verify_tls",
)
_PRICE: Final = ("input", "output")
_DAY_S: Final = 86_400


def parse_policy(text: str, place: str) -> Policy:
    """The policy written as TOML ``text`` in the file ``place``.

    Raises:
        ConfigurationError: not TOML, an unknown key or a wrong value.
    """
    mistakes: list[Mistake] = []
    policy = _policy(Table(parse(text, place), (), _TABLES, mistakes))
    if mistakes:
        raise first_error(mistakes, text, place)
    return policy


def _policy(file: Table) -> Policy:
    providers = file.table("providers")
    return Policy(
        project=ProjectPolicy(file.table("project", ("case_id",)).text("case_id")),
        run=_run(file.table("run", _RUN)),
        providers={name: _provider(name, one) for name, one in sorted(providers.tables(_PROVIDER))},
        tolerance=_tolerances(file.table("tolerance")),
        compare={
            name: CompareRule(one.text("list_key"))
            for name, one in file.table("compare").tables(("list_key",))
        },
        gates=default_gates() | _gates(file.table("gates", tuple(map(str, Gate)))),
        slices=_texts(file.table("slices")),
        expiry=_expiry(file.table("expiry", ("default", "max", "warn_days"))),
        redaction=_redaction(file.table("redaction", ("patterns",))),
        keys=_texts(file.table("keys")),
        limits={name: _limits(one) for name, one in file.table("limits").tables(_LIMITS)},
        prices={name: _price(one) for name, one in file.table("prices").tables(_PRICE)},
    )


def _run(table: Table) -> RunPolicy:
    seconds = table.number("case_seconds", 0, _DAY_S, above=True)
    default = RunPolicy()
    return RunPolicy(
        table.whole("concurrency", 1, 1024) or default.concurrency,
        default.case_seconds if seconds is None else float(seconds),
        table.whole("max_no_result", 0) or default.max_no_result,
        table.number("near_band"),
    )


def _provider(name: str, table: Table) -> ProviderEntry:
    table.need("vendor")
    served = {
        capability: _capability(table, capability)
        for capability in sorted(CAPABILITIES)
        if capability in table
    }
    entry = ProviderEntry(
        name,
        table.text("vendor") or "",
        table.text("base_url"),
        table.text("api_key_env"),
        table.text("api_version"),
        served,
    )
    if not served and not table.mistaken:
        table.refuse('declares no capabilities: add at least one, e.g. chat = "..."')
    return entry


def _capability(provider: Table, name: str) -> Capability:
    """``chat = "model"``, or a table with ``model`` and ``params``."""
    if isinstance(provider.raw(name), str):
        return Capability(provider.text(name), {})
    table = provider.table(name, ("model", "params"))
    params = table.table("params")
    return Capability(table.text("model"), {key: _floats(params.raw(key)) for key in params})


def _floats(value: object) -> object:
    """Parameters of a provider as TOML gives them by itself: binary floats."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {key: _floats(member) for key, member in value.items()}
    return [_floats(member) for member in value] if isinstance(value, list) else value


def _tolerances(table: Table) -> Mapping[str, Decimal]:
    found = {name: table.number(name) for name in table}
    return {name: number for name, number in found.items() if number is not None}


def _texts(table: Table) -> Mapping[str, str]:
    return {name: table.text(name) or "" for name in table}


def _gates(table: Table) -> dict[Gate, bool]:
    gates = {}
    for gate in Gate:
        if gate in table:
            state = table.raw(gate)
            if state not in ("fail", "report"):
                table.expect("'fail' or 'report'", gate)
            gates[gate] = state == "fail"
    return gates


def _expiry(table: Table) -> ExpiryPolicy:
    standard = ExpiryPolicy()
    warn_days = table.whole("warn_days", 0, 3650)
    expiry = ExpiryPolicy(
        _span(table, "default") or standard.default,
        _span(table, "max") or standard.max,
        standard.warn_days if warn_days is None else warn_days,
    )
    if not table.mistaken and days_of(expiry.default) > days_of(expiry.max):
        table.refuse(f"default ({expiry.default}) is beyond max ({expiry.max})")
    return expiry


def _span(table: Table, key: str) -> str | None:
    text = table.text(key)
    try:
        if text is not None:
            days_of(text)
    except UsageError:
        table.refuse("must be a span of days such as 90d", key)
    return text


def _redaction(table: Table) -> RedactionPolicy:
    patterns = table.texts("patterns")
    if patterns:
        from evaltui.secret_patterns import SecretPattern

        for place, pattern in enumerate(patterns):
            try:
                SecretPattern(pattern)
            except ValueError as error:
                table.refuse(str(error), "patterns", place)
    return RedactionPolicy(patterns)


def _limits(table: Table) -> Limits:
    return Limits(
        table.whole("concurrency", 1, 1024),
        _float(table.number("requests_per_minute", above=True)),
        _float(table.number("tokens_per_minute", above=True)),
        _float(table.number("timeout_s", 0, _DAY_S, above=True)),
        table.whole("attempts", 1, 20),
        table.flag("verify_tls", True),
    )


def _price(table: Table) -> tuple[Decimal, Decimal]:
    for side in _PRICE:
        table.need(side)
    found = [table.number(side, 0) or Decimal(0) for side in _PRICE]
    return found[0], found[1]


def _float(number: Decimal | None) -> float | None:
    return None if number is None else float(number)
