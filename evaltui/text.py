"""Makes text from models, datasets and files safe to show, and fits it into terminal cells.

Whatever reaches a screen, a terminal, a report or an annotation passes through ``safe`` (design
section 7). Safe text holds no control, escape or bidirectional formatting character, nothing
invisible, and no lone surrogate: each is replaced by something one can see. The result is plain
text, so it must be handed to rich and textual as ``Text`` or ``Content``, never as markup.

Widths are those that Textual itself draws with (``rich.cells``). Safe text leaves out the two
characters that terminals measure differently, the emoji joiner and the emoji variation selector.
"""

from __future__ import annotations

import re

ELLIPSIS = "…"
LINE_BREAK = "⏎"

_SURROGATES = "\ud800-\udfff"
_CONTROLS = "\x00-\x1f\x7f-\x9f"
_INVISIBLE = (
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_UNSAFE = re.compile(f"[{_CONTROLS}{_SURROGATES}{_INVISIBLE}]")
_UNSAFE_BUT_NEWLINE = re.compile(f"[\x00-\x09\x0b-\x1f\x7f-\x9f{_SURROGATES}{_INVISIBLE}]")

_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"
_EMOJI_GLUE = re.compile(
    f"(?<=[{_EMOJI}])\ufe0f?\u200d(?=[{_EMOJI}])|(?<=[0-9#*\u00a9\u00ae\u203c-\u3299{_EMOJI}])\ufe0f"
)
_LEADING_MARK = re.compile(r"(?:^|(?<=\n))(?=[^\x00-\u02ff])")
_DOTTED_CIRCLE = "\u25cc"
_DELETE = 0x7F


def safe(text: str, *, newlines: bool = False) -> str:
    """``text`` with everything that could act on a terminal, or hide in it, made visible.

    Control characters become control pictures (``␛``), C1 controls ``\\x9b``, invisible and
    bidirectional formatting characters ``‹U+202E›``, lone surrogates U+FFFD. A combining mark with
    nothing to stand on gets a dotted circle, so that it cannot touch the cell to its left.
    ``newlines`` keeps line feeds. The result is a fixed point: ``safe(safe(x)) == safe(x)``.
    """
    if text.isascii() and text.isprintable():
        return text
    if "\ufe0f" in text or "\u200d" in text:
        text = _EMOJI_GLUE.sub("", text)
    unsafe = _UNSAFE_BUT_NEWLINE if newlines else _UNSAFE
    text = unsafe.sub(_shown, text)
    return text if text.isascii() else _LEADING_MARK.sub(_standing, text)


def one_line(text: str, limit: int) -> str:
    """Safe ``text`` on one line of at most ``limit`` characters; line breaks show as ``⏎``.

    Only the start of a long text is looked at.
    """
    head = text[: limit + 1].replace("\r\n", LINE_BREAK).replace("\n", LINE_BREAK)
    line = safe(head)
    if len(line) <= limit and len(text) <= limit + 1:
        return line
    return line[: max(limit - 1, 0)] + ELLIPSIS[:limit]


def cells(text: str) -> int:
    """The number of terminal cells that safe ``text`` takes when Textual draws it."""
    if text.isascii() and text.isprintable():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def clip(text: str, width: int) -> str:
    """Safe ``text`` in at most ``width`` cells, ending in ``…`` when something was cut off.

    Wide characters are never halved. Of a long text only as much as can show is looked at.
    """
    if width <= 0:
        return ""
    if len(text) <= width and text.isascii() and text.isprintable():
        return text
    bound = 4 * width + 64
    head = safe(text[:bound])
    if len(text) <= bound and cells(head) <= width:
        return head
    return _fitting(head, width - 1) + ELLIPSIS


def pad(text: str, width: int) -> str:
    """Safe ``text`` in exactly ``width`` cells: clipped, or filled with spaces on the right."""
    if text.isascii() and text.isprintable() and len(text) <= width:
        return text.ljust(width)
    clipped = clip(text, width)
    return clipped + " " * (width - cells(clipped))


def _shown(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == _DELETE:
        return "\u2421"
    if code < 0xA0:
        return f"\\x{code:02x}"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"‹U+{code:04X}›"


def _standing(match: re.Match[str]) -> str:
    from rich.cells import get_character_cell_size

    position = match.end()
    return "" if get_character_cell_size(match.string[position]) else _DOTTED_CIRCLE


def _fitting(text: str, width: int) -> str:
    """The longest start of safe ``text`` that takes at most ``width`` cells."""
    if text.isascii():
        return text[:width]
    from rich.cells import get_character_cell_size

    taken = 0
    for position, character in enumerate(text):
        taken += get_character_cell_size(character)
        if taken > width:
            return text[:position]
    return text
