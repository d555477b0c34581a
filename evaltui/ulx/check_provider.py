"""``provider`` declarations (language specification 4.9)."""

from __future__ import annotations

from collections.abc import Iterator

from evaltui.ulx import tree
from evaltui.ulx.diagnostics import Problem, Rule
from evaltui.ulx.manifest import Manifest
from evaltui.ulx.nearest import Suggest
from evaltui.ulx.tree import Expr, Name, Provider, Span

SETTINGS = frozenset(("vendor", "api_key_env", "base_url", "api_version"))
"""Fields that are no capabilities."""

_LITERALS = (tree.StringLiteral, tree.IntLiteral, tree.FloatLiteral)


def provider_problems(
    node: Provider, manifest: Manifest | None, suggest: Suggest
) -> Iterator[tuple[Problem, Span]]:
    """What is wrong with ``node``, and where."""
    seen: set[str] = set()
    for name, value in node.fields:
        if name.text in seen:
            message = f"provider `{node.name.text}` has more than one `{name.text}` field"
            yield Problem(Rule.PROVIDER_FIELD, message, message, "remove one"), value.span
            continue
        seen.add(name.text)
        yield from _field_problems(node.name.text, name.text, value)
    span = node.fields[0][1].span if node.fields else Span(0, 0)
    for problem in _source_problems(node, "vendor" in seen, manifest, suggest):
        yield problem, span


def _field_problems(provider: str, name: str, value: Expr) -> Iterator[tuple[Problem, Span]]:
    if name in SETTINGS:
        if not isinstance(value, tree.StringLiteral):
            message = f"provider `{provider}` field `{name}` must be a string"
            yield (
                Problem(Rule.PROVIDER_FIELD, message, message, f'write `{name}: "..."`'),
                value.span,
            )
    elif isinstance(value, tree.RecordLiteral):
        yield from _capability_problems(provider, name, value.fields)
    elif not isinstance(value, tree.StringLiteral):
        message = (
            f"provider `{provider}` capability `{name}` must be a bare model-name string or a "
            '`{ model: "...", ... }` record'
        )
        yield Problem(Rule.PROVIDER_FIELD, message, message), value.span


def _capability_problems(
    provider: str, name: str, fields: tuple[tuple[Name, Expr], ...]
) -> Iterator[tuple[Problem, Span]]:
    for key, value in fields:
        if not isinstance(value, _LITERALS):
            message = (
                f"provider `{provider}` capability `{name}` field `{key.text}` must be a plain "
                "string, int, or float — provider config isn't executable code"
            )
            yield Problem(Rule.PROVIDER_FIELD, message, message), value.span


def _source_problems(
    node: Provider, has_vendor: bool, manifest: Manifest | None, suggest: Suggest
) -> Iterator[Problem]:
    name, source = node.name.text, node.source
    place = None if node.fields else node.name.span
    if source is not None and has_vendor:
        yield Problem(
            Rule.PROVIDER_SOURCE,
            f"provider `{name}` declares both `from` and `vendor` — `vendor` is inherited from "
            "the `from` entry; remove one",
            f"provider `{name}` declares both `from` and `vendor`",
            "remove one; with `from` the vendor is that of the entry",
            place,
        )
    if source is not None and manifest is not None and source not in manifest.providers:
        yield Problem(
            Rule.PROVIDER_SOURCE,
            f'provider `{name}` has `from "{source}"`, but ulexite.toml has no '
            f"`[providers.{source}]` entry",
            f'provider `{name}` is `from "{source}"`, but ulexite.toml has no such provider',
            suggest(source, manifest.providers) or f"add `[providers.{source}]` to ulexite.toml",
            place,
        )
    if source is None and not has_vendor:
        fields = [field.text for field, _ in node.fields if field.text not in SETTINGS]
        yield Problem(
            Rule.PROVIDER_SOURCE,
            f"provider `{name}` has no `from` and no `vendor` — a standalone provider block must "
            "declare one",
            f"provider `{name}` has neither `from` nor `vendor`",
            _misspelt_vendor(fields, suggest) or 'add `vendor: "..."`',
            place,
        )


def _misspelt_vendor(fields: list[str], suggest: Suggest) -> str:
    hints = [(suggest(field, ["vendor"]), field) for field in fields]
    return next((f"{hint[:-1]} instead of `{field}`?" for hint, field in hints if hint), "")
