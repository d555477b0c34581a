"""``provider`` declarations (language specification 4.9)."""

from __future__ import annotations

from collections.abc import Iterator

from evaltui.ulx import tree
from evaltui.ulx.manifest import Manifest
from evaltui.ulx.tree import Expr, Name, Provider, Span

SETTINGS = frozenset(("vendor", "api_key_env", "base_url", "api_version"))
"""Fields that are no capabilities."""

_LITERALS = (tree.StringLiteral, tree.IntLiteral, tree.FloatLiteral)


def provider_problems(node: Provider, manifest: Manifest | None) -> Iterator[tuple[str, Span]]:
    """What is wrong with ``node``: message and place of each error."""
    seen: set[str] = set()
    for name, value in node.fields:
        if name.text in seen:
            yield f"provider `{node.name.text}` has more than one `{name.text}` field", value.span
            continue
        seen.add(name.text)
        yield from _field_problems(node.name.text, name.text, value)
    span = node.fields[0][1].span if node.fields else Span(0, 0)
    for message in _source_problems(node, "vendor" in seen, manifest):
        yield message, span


def _field_problems(provider: str, name: str, value: Expr) -> Iterator[tuple[str, Span]]:
    if name in SETTINGS:
        if not isinstance(value, tree.StringLiteral):
            yield f"provider `{provider}` field `{name}` must be a string", value.span
    elif isinstance(value, tree.RecordLiteral):
        yield from _capability_problems(provider, name, value.fields)
    elif not isinstance(value, tree.StringLiteral):
        yield (
            f"provider `{provider}` capability `{name}` must be a bare model-name string or a "
            '`{ model: "...", ... }` record',
            value.span,
        )


def _capability_problems(
    provider: str, name: str, fields: tuple[tuple[Name, Expr], ...]
) -> Iterator[tuple[str, Span]]:
    for key, value in fields:
        if not isinstance(value, _LITERALS):
            yield (
                f"provider `{provider}` capability `{name}` field `{key.text}` must be a plain "
                "string, int, or float — provider config isn't executable code",
                value.span,
            )


def _source_problems(node: Provider, has_vendor: bool, manifest: Manifest | None) -> Iterator[str]:
    name, source = node.name.text, node.source
    if source is not None and has_vendor:
        yield (
            f"provider `{name}` declares both `from` and `vendor` — `vendor` is inherited from "
            "the `from` entry; remove one"
        )
    if source is not None and manifest is not None and source not in manifest.providers:
        yield (
            f'provider `{name}` has `from "{source}"`, but ulexite.toml has no '
            f"`[providers.{source}]` entry"
        )
    if source is None and not has_vendor:
        yield (
            f"provider `{name}` has no `from` and no `vendor` — a standalone provider block must "
            "declare one"
        )
