"""The syntax tree of a Ulexite program.

Every node carries a ``Span``: half-open byte offsets into the UTF-8 source. Postfix expressions
carry the span of their innermost primary and parenthesised ones that of their content, as the
reference does (language specification 2.9).
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct


class Span(NamedTuple):
    """Half-open byte range ``start..end`` in the source that holds the node."""

    start: int
    end: int


class Name(Struct, frozen=True):
    """An identifier where a declaration, binding or reference names something."""

    text: str
    span: Span


# Types ------------------------------------------------------------------------------------------


class ArtifactType(Struct, frozen=True):
    """One of the thirteen artifact words, such as ``text``."""

    word: str


class NamedType(Struct, frozen=True):
    name: str


class RecordType(Struct, frozen=True):
    fields: tuple[tuple[str, Type], ...]


class ArrayType(Struct, frozen=True):
    item: Type


class GenericType(Struct, frozen=True):
    """``name<argument>``; the argument is a type or a non-negative integer."""

    name: str
    argument: Type | int


class UnionType(Struct, frozen=True):
    variants: tuple[tuple[str, Type | None], ...]


Type = ArtifactType | NamedType | RecordType | ArrayType | GenericType | UnionType


# Expressions ------------------------------------------------------------------------------------


class IntLiteral(Struct, frozen=True):
    value: int
    span: Span


class FloatLiteral(Struct, frozen=True):
    value: float
    span: Span


class StringLiteral(Struct, frozen=True):
    value: str
    span: Span


class TextBlock(Struct, frozen=True):
    """A text block or the content of a prompt file: literal parts and interpolated expressions."""

    parts: tuple[str | Expr, ...]
    span: Span


class FileText(Struct, frozen=True):
    """``file("path")`` or ``@path``; ``at_sign`` tells which spelling was used."""

    path: str
    at_sign: bool
    span: Span


class Variable(Struct, frozen=True):
    name: str
    span: Span


class Row(Struct, frozen=True):
    """``$``, the current dataset row."""

    span: Span


class RecordLiteral(Struct, frozen=True):
    fields: tuple[tuple[Name, Expr], ...]
    span: Span


class Unary(Struct, frozen=True):
    """``operator`` is ``-`` or ``not``."""

    operator: str
    operand: Expr
    span: Span


class Binary(Struct, frozen=True):
    """``operator`` is one of ``or and == != <= >= < > + - * /``."""

    operator: str
    left: Expr
    right: Expr
    span: Span


class Field(Struct, frozen=True):
    base: Expr
    name: Name
    span: Span


class Index(Struct, frozen=True):
    base: Expr
    index: Expr
    span: Span


class Argument(Struct, frozen=True):
    """A call argument; ``name`` is None when it is positional."""

    name: Name | None
    value: Expr


class Call(Struct, frozen=True):
    callee: Expr
    arguments: tuple[Argument, ...]
    span: Span


class GenericCall(Struct, frozen=True):
    """``name<type>(arguments)``."""

    name: Name
    type: Type
    arguments: tuple[Argument, ...]
    span: Span


class If(Struct, frozen=True):
    condition: Expr
    then: Block
    otherwise: Block
    span: Span


class Retry(Struct, frozen=True):
    """``retry(times) body else otherwise``; ``otherwise`` may be absent."""

    times: int
    body: Block
    otherwise: Expr | None
    span: Span


class Escalate(Struct, frozen=True):
    """``escalate(target, name: value, ...)``."""

    target: Name
    arguments: tuple[tuple[Name, Expr], ...]
    span: Span


class RubricCall(Struct, frozen=True):
    """``judge Name(...)`` or ``validator Name(...)``; ``kind`` is the keyword."""

    kind: str
    name: Name
    arguments: tuple[Argument, ...]
    span: Span


class Ask(Struct, frozen=True):
    """``ask capability(arguments) { ... }`` used as an expression."""

    capability: Name
    arguments: tuple[Argument, ...]
    body: Block
    span: Span


Expr = (
    IntLiteral
    | FloatLiteral
    | StringLiteral
    | TextBlock
    | FileText
    | Variable
    | Row
    | RecordLiteral
    | Unary
    | Binary
    | Field
    | Index
    | Call
    | GenericCall
    | If
    | Retry
    | Escalate
    | RubricCall
    | Ask
)


# Statements -------------------------------------------------------------------------------------


class Message(Struct, frozen=True):
    """``system: text`` or ``user: text``."""

    role: str
    text: TextBlock | FileText
    span: Span


class Binding(Struct, frozen=True):
    name: Name
    value: Expr
    span: Span


class With(Struct, frozen=True):
    bindings: tuple[Binding, ...]
    span: Span


class Assistant(Struct, frozen=True):
    """``assistant -> name: type``."""

    name: Name
    type: Type | None
    span: Span


class AskStatement(Struct, frozen=True):
    """``ask capability(arguments) { ... } -> name: type``."""

    ask: Ask
    name: Name
    type: Type | None
    span: Span


class Pattern(Struct, frozen=True):
    """``variant(bindings)``; ``variant`` is None for the wildcard ``_``."""

    variant: str | None
    bindings: tuple[Name, ...]
    span: Span


class Arm(Struct, frozen=True):
    pattern: Pattern
    body: Block | Expr


class Match(Struct, frozen=True):
    subject: Expr
    arms: tuple[Arm, ...]
    span: Span


class For(Struct, frozen=True):
    name: Name
    items: Expr
    body: Block
    span: Span


class While(Struct, frozen=True):
    condition: Expr
    body: Block
    span: Span


class Break(Struct, frozen=True):
    value: Expr | None
    span: Span


class ExpressionStatement(Struct, frozen=True):
    value: Expr
    span: Span


Statement = (
    Message
    | Binding
    | With
    | Assistant
    | AskStatement
    | Match
    | For
    | While
    | Break
    | ExpressionStatement
)


class Block(Struct, frozen=True):
    """Statements and the block's value: a last expression statement becomes ``tail``."""

    statements: tuple[Statement, ...]
    tail: Expr | None
    span: Span


# Declarations -----------------------------------------------------------------------------------


class Parameter(Struct, frozen=True):
    name: Name
    type: Type


class Conversation(Struct, frozen=True):
    name: Name
    parameters: tuple[Parameter, ...]
    returns: Type | None
    body: Block
    span: Span


class RubricKind(StrEnum):
    """The two keywords that declare something a verdict comes from."""

    JUDGE = "judge"
    VALIDATOR = "validator"


class Rubric(Struct, frozen=True):
    """A ``judge`` or ``validator`` declaration."""

    kind: RubricKind
    name: Name
    parameters: tuple[Parameter, ...]
    returns: Type
    fields: tuple[tuple[Name, Expr], ...]
    span: Span


class Dataset(Struct, frozen=True):
    """Rows come from the JSONL file ``source`` or stand inline in ``rows``."""

    name: Name
    type: Type
    source: str | None
    rows: tuple[RecordLiteral, ...]
    span: Span


class TypeDeclaration(Struct, frozen=True):
    name: Name
    type: Type
    span: Span


class UseDataset(Struct, frozen=True):
    """``dataset: Name`` inside a benchmark."""

    name: Name
    span: Span


class Run(Struct, frozen=True):
    """``run: value -> name``."""

    value: Expr
    name: Name
    span: Span


class Expect(Struct, frozen=True):
    """``expect subject satisfies judge with threshold(t)``."""

    subject: Expr
    judge: Expr
    threshold: float | None
    span: Span


class Assert(Struct, frozen=True):
    value: Expr
    span: Span


class Snapshot(Struct, frozen=True):
    """``snapshot value as key``."""

    value: Expr
    key: Expr
    span: Span


BenchmarkStatement = UseDataset | Run | Expect | Assert | Snapshot


class Benchmark(Struct, frozen=True):
    name: Name
    statements: tuple[BenchmarkStatement, ...]
    span: Span


class Provider(Struct, frozen=True):
    """``provider Name from "entry" { field: value ... }``."""

    name: Name
    source: str | None
    fields: tuple[tuple[Name, Expr], ...]
    span: Span


Declaration = Conversation | Rubric | Dataset | TypeDeclaration | Benchmark | Provider


class NamedImport(Struct, frozen=True):
    """``import kind Name from "path"``."""

    kind: str
    name: Name
    path: str
    span: Span


class ModuleImport(Struct, frozen=True):
    """``import "module" as alias``."""

    module: str
    alias: Name
    span: Span


Import = NamedImport | ModuleImport


class Program(Struct, frozen=True):
    """One parsed source file; imports and declarations keep their own orders."""

    imports: tuple[Import, ...]
    declarations: tuple[Declaration, ...]
