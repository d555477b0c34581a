"""Types (language specification 2.3)."""

from __future__ import annotations

from evaltui.ulx.cursor import Cursor, Memo, Mismatch
from evaltui.ulx.lexer import Tokens
from evaltui.ulx.tree import (
    ArrayType,
    ArtifactType,
    GenericType,
    NamedType,
    RecordType,
    Type,
    UnionType,
)

ARTIFACT_WORDS = frozenset(
    (
        *("text", "markdown", "image", "audio", "video", "pdf"),
        *("json", "xml", "html", "csv", "embedding", "vector", "tool_output"),
    )
)


class TypeParser(Cursor):
    """The rules for types."""

    def __init__(self, tokens: Tokens, base: int = 0) -> None:
        super().__init__(tokens, base)
        self._types: Memo[Type] = {}

    def type(self) -> Type:
        """Any type."""
        return self.remembered(self._types, self._type)

    def _type(self) -> Type:
        match self.kinds[self.at]:
            case "{":
                return self._record_type()
            case "[":
                return self._array_type()
            case "ident":
                return self._generic_type() or self._union_type() or self._lone_type()
            case _:
                raise Mismatch

    def _record_type(self) -> Type:
        self.expect("{")
        fields = self.listed(self._type_field)
        self.expect("}")
        return RecordType(fields)

    def _type_field(self) -> tuple[str, Type]:
        name = self.name().text
        self.expect(":")
        return name, self.type()

    def _array_type(self) -> Type:
        self.expect("[")
        item = self.type()
        self.expect("]")
        return ArrayType(item)

    def _generic_type(self) -> Type | None:
        start = self.at
        if self.kinds[start + 1] != "<":
            return None
        name = self.name().text
        self.expect("<")
        try:
            argument = self.integer() if self.kinds[self.at] == "int" else self.type()
            self.expect(">")
        except Mismatch:
            self.at = start
            return None
        return GenericType(name, argument)

    def _union_type(self) -> Type | None:
        if self.kinds[self.at + 1] not in ("|", "("):
            return None
        start = self.at
        variants = self.optional(self._variants)
        if variants is None or len(variants) < 2:
            self.at = start
            return None
        return UnionType(variants)

    def _variants(self) -> tuple[tuple[str, Type | None], ...]:
        return self.separated(self._variant, "|")

    def _variant(self) -> tuple[str, Type | None]:
        return self.name().text, self.optional(self._variant_content)

    def _variant_content(self) -> Type:
        self.expect("(")
        content = self.type()
        self.expect(")")
        return content

    def _lone_type(self) -> Type:
        word = self.name().text
        return ArtifactType(word) if word in ARTIFACT_WORDS else NamedType(word)
