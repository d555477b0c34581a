"""What to say about a name that is not defined but looks like part of the language.

No word is reserved, so a construct that lacks a part is often read as a row of names (language
specification 2.7); the hint then names the construct.
"""

from __future__ import annotations

_CONSTRUCTS = {
    "if": "if condition { ... } else { ... }",
    "judge": "judge Name(...)",
    "validator": "validator Name(...)",
    "ask": "ask capability(...) { ... }",
    "retry": "retry(3) { ... } else ...",
    "escalate": "escalate(target, name: value)",
    "file": 'file("path")',
    "match": "match value { Variant => ... }",
    "for": "for name in values { ... }",
    "while": "while condition { ... }",
    "with": "with { name = value }",
    "assistant": "assistant -> name",
    "system": 'system: """..."""',
    "user": 'user: """..."""',
}
_NO_LITERAL = "there is no such literal; use a comparison such as `1 == 1`"
_OTHERS = {
    "true": _NO_LITERAL,
    "false": _NO_LITERAL,
    "True": _NO_LITERAL,
    "False": _NO_LITERAL,
    "null": "there is no such literal",
    "None": "there is no such literal",
    "let": "names are bound without a keyword: `name = value`",
    "var": "names are bound without a keyword: `name = value`",
    "const": "names are bound without a keyword: `name = value`",
    "return": "the last expression of a block is its value",
    "else": "it follows the closing brace of an `if` or `retry`; there is no `else if`",
}


def word_hint(name: str) -> str:
    """The hint for ``name``; empty when it is no word of this or a similar language."""
    if name in _CONSTRUCTS:
        return f"`{name}` is written `{_CONSTRUCTS[name]}`"
    return _OTHERS.get(name, "")
