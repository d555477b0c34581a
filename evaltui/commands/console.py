"""Where commands print: data to standard output, everything else to standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TextIO

from msgspec import Struct

from evaltui.clock import in_ci
from evaltui.text import pad, safe


class Style(Struct, frozen=True):
    """How lines look. ``plain`` is ASCII without colour."""

    glyphs: bool = True
    colour: bool = False


def style_for(
    stream: TextIO, *, plain: bool, environment: Mapping[str, str] | None = None
) -> Style:
    """Colour only on a terminal that wants it (``NO_COLOR``, ``TERM=dumb``)."""
    values = os.environ if environment is None else environment
    if plain:
        return Style(glyphs=False)
    wanted = not values.get("NO_COLOR") and values.get("TERM") != "dumb"
    return Style(colour=wanted and stream.isatty())


def on_terminal(*, ci: bool, plain: bool) -> bool:
    """Whether a screen can be opened: a real terminal on both ends, and nobody said otherwise."""
    if ci or plain or in_ci() or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdin.isatty() and sys.stdout.isatty()


def print_json(value: object) -> None:
    """One JSON document of builtins and models, in ASCII: nothing in it can act on a terminal."""
    from msgspec import to_builtins

    print(json.dumps(to_builtins(value, enc_hook=str), indent=2))


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Columns that fit their widest cell; the last one is left as long as it is."""
    table = [list(head), *([safe(cell) for cell in row] for row in rows)]
    widths = [max(min(len(row[n]), 60) for row in table) for n in range(len(head) - 1)]
    for row in table:
        cells = [pad(cell, width) for cell, width in zip(row, widths, strict=False)]
        print("  ".join([*cells, row[-1]]).rstrip())


def count(number: int, noun: str) -> str:
    """Such as ``1 case`` or ``2 cases``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def note(message: str) -> None:
    """A remark for people."""
    print(safe(message), file=sys.stderr)
