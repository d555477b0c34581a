"""The library functions that the reference provides (runtime specification 2.11)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, TypeAlias

from msgspec import Struct

from evaltui.engine.carriers import Value
from evaltui.engine.effects import Effects
from evaltui.engine.failures import not_implemented, type_error
from evaltui.engine.pdf import Documents, extract_text

Arguments: TypeAlias = "list[tuple[str | None, Value]]"
Function: TypeAlias = "Callable[[Arguments, World], Value]"


class World(Struct, frozen=True):
    """What library functions may reach: providers, and files of the project."""

    effects: Effects
    documents: Documents


def call_library(module: str, function: str, arguments: Arguments, world: World) -> Value:
    """Call ``module.function``; the written module name decides, imports are not consulted.

    Raises:
        RuntimeFailure: no such function, or it refuses its arguments.
    """
    found = _FUNCTIONS.get((module, function))
    if found is None:
        raise not_implemented(f"{module}.{function}(...)")
    return found(arguments, world)


def argument(arguments: Arguments, name: str, position: int) -> Value | None:
    """An argument by name, else by its place among all arguments, named ones included."""
    for given, value in arguments:
        if given == name:
            return value
    return arguments[position][1] if position < len(arguments) else None


def _embedding_of(arguments: Arguments, world: World) -> Value:
    text = argument(arguments, "text", 0)
    provider = next((value for name, value in arguments if name == "provider"), None)
    return world.effects.embed(
        text if isinstance(text, str) else "", provider if isinstance(provider, str) else None
    )


def _cosine_similarity(arguments: Arguments, world: World) -> Value:
    left, right = argument(arguments, "a", 0), argument(arguments, "b", 1)
    if not isinstance(left, list) or not isinstance(right, list):
        raise type_error("vector.cosine_similarity expects two embedding lists")
    return similarity(numbers(left), numbers(right))


def numbers(items: list[Value]) -> list[float]:
    """The numbers of a list as floats; everything else is dropped."""
    return [float(item) for item in items if type(item) is int or type(item) is float]


def similarity(left: list[float], right: list[float]) -> float:
    """Cosine similarity; 0 for unequal lengths, empty lists and zero vectors."""
    if len(left) != len(right) or not left:
        return 0.0
    dot = square_left = square_right = 0.0
    for one, other in zip(left, right, strict=True):
        dot += one * other
        square_left += one * one
        square_right += other * other
    if square_left == 0 or square_right == 0:
        return 0.0
    return _ratio(dot, math.sqrt(square_left) * math.sqrt(square_right))


def _ratio(above: float, below: float) -> float:
    return above / below if below else math.nan


def _nearest(arguments: Arguments, world: World) -> Value:
    query, index = argument(arguments, "query", 0), argument(arguments, "index", 1)
    if query is None:
        raise type_error("vector.nearest requires a `query` embedding")
    if index is None:
        raise type_error("vector.nearest requires an `index` dataset")
    if not isinstance(query, list):
        raise type_error("query must be an embedding")
    if not isinstance(index, list):
        raise type_error("index must be a dataset")
    k = argument(arguments, "k", 2)
    wanted = numbers(query)
    scored = [(similarity(wanted, embedding), row) for embedding, row in _usable_rows(index)]
    scored.sort(key=lambda pair: pair[0], reverse=True)
    rows = [row for _, row in scored]
    count = k if type(k) is int else 1
    return rows if count < 0 else rows[:count]


def _usable_rows(index: list[Value]) -> list[tuple[list[float], Value]]:
    usable: list[tuple[list[float], Value]] = []
    for row in index:
        embedding = row.get("embedding") if isinstance(row, dict) else None
        if isinstance(embedding, list):
            usable.append((numbers(embedding), row))
    return usable


def _pdf_text(arguments: Arguments, world: World) -> Value:
    document = argument(arguments, "doc", 0)
    if not isinstance(document, str):
        raise type_error("pdf.extract_text requires a `doc` argument")
    return extract_text(document, world.documents)


def _pdf_images(arguments: Arguments, world: World) -> Value:
    raise not_implemented("pdf.to_images: rasterizing a PDF page is not supported")


_FUNCTIONS: Final[dict[tuple[str, str], Function]] = {
    ("embedding", "of"): _embedding_of,
    ("vector", "cosine_similarity"): _cosine_similarity,
    ("vector", "nearest"): _nearest,
    ("pdf", "extract_text"): _pdf_text,
    ("pdf", "to_images"): _pdf_images,
}
