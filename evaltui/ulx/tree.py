"""The syntax tree of a Ulexite program.

Every node carries a ``Span``: half-open byte offsets into the UTF-8 source. Postfix expressions
carry the span of their innermost primary and parenthesised ones that of their content, as the
reference does (language specification 2.9).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Span(NamedTuple):
    """Half-open byte range ``start..end`` in the source that holds the node."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier where a declaration, binding or reference names something."""

    text: str
    span: Span


# Types ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ArtifactType:
    """One of the thirteen artifact words, such as ``text``."""

    word: str


@dataclass(frozen=True, slots=True)
class NamedType:
    name: str


@dataclass(frozen=True, slots=True)
class RecordType:
    fields: tuple[tuple[str, Type], ...]


@dataclass(frozen=True, slots=True)
class ArrayType:
    item: Type


@dataclass(frozen=True, slots=True)
class GenericType:
    """``name<argument>``; the argument is a type or a non-negative integer."""

    name: str
    argument: Type | int


@dataclass(frozen=True, slots=True)
class UnionType:
    variants: tuple[tuple[str, Type | None], ...]


Type = ArtifactType | NamedType | RecordType | ArrayType | GenericType | UnionType


# Expressions ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IntLiteral:
    value: int
    span: Span


@dataclass(frozen=True, slots=True)
class FloatLiteral:
    value: float
    span: Span


@dataclass(frozen=True, slots=True)
class StringLiteral:
    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A text block or the content of a prompt file: literal parts and interpolated expressions."""

    parts: tuple[str | Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class FileText:
    """``file("path")`` or ``@path``; ``at_sign`` tells which spelling was used."""

    path: str
    at_sign: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Variable:
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Row:
    """``$``, the current dataset row."""

    span: Span


@dataclass(frozen=True, slots=True)
class RecordLiteral:
    fields: tuple[tuple[Name, Expr], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Unary:
    """``operator`` is ``-`` or ``not``."""

    operator: str
    operand: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    """``operator`` is one of ``or and == != <= >= < > + - * /``."""

    operator: str
    left: Expr
    right: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Field:
    base: Expr
    name: Name
    span: Span


@dataclass(frozen=True, slots=True)
class Index:
    base: Expr
    index: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Argument:
    """A call argument; ``name`` is None when it is positional."""

    name: Name | None
    value: Expr


@dataclass(frozen=True, slots=True)
class Call:
    callee: Expr
    arguments: tuple[Argument, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class GenericCall:
    """``name<type>(arguments)``."""

    name: Name
    type: Type
    arguments: tuple[Argument, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    condition: Expr
    then: Block
    otherwise: Block
    span: Span


@dataclass(frozen=True, slots=True)
class Retry:
    """``retry(times) body else otherwise``; ``otherwise`` may be absent."""

    times: int
    body: Block
    otherwise: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class Escalate:
    """``escalate(target, name: value, ...)``."""

    target: Name
    arguments: tuple[tuple[Name, Expr], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class RubricCall:
    """``judge Name(...)`` or ``validator Name(...)``; ``kind`` is the keyword."""

    kind: str
    name: Name
    arguments: tuple[Argument, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Ask:
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


@dataclass(frozen=True, slots=True)
class Message:
    """``system: text`` or ``user: text``."""

    role: str
    text: TextBlock | FileText
    span: Span


@dataclass(frozen=True, slots=True)
class Binding:
    name: Name
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class With:
    bindings: tuple[Binding, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Assistant:
    """``assistant -> name: type``."""

    name: Name
    type: Type | None
    span: Span


@dataclass(frozen=True, slots=True)
class AskStatement:
    """``ask capability(arguments) { ... } -> name: type``."""

    ask: Ask
    name: Name
    type: Type | None
    span: Span


@dataclass(frozen=True, slots=True)
class Pattern:
    """``variant(bindings)``; ``variant`` is None for the wildcard ``_``."""

    variant: str | None
    bindings: tuple[Name, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Arm:
    pattern: Pattern
    body: Block | Expr


@dataclass(frozen=True, slots=True)
class Match:
    subject: Expr
    arms: tuple[Arm, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class For:
    name: Name
    items: Expr
    body: Block
    span: Span


@dataclass(frozen=True, slots=True)
class While:
    condition: Expr
    body: Block
    span: Span


@dataclass(frozen=True, slots=True)
class Break:
    value: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class ExpressionStatement:
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


@dataclass(frozen=True, slots=True)
class Block:
    """Statements and the block's value: a last expression statement becomes ``tail``."""

    statements: tuple[Statement, ...]
    tail: Expr | None
    span: Span


# Declarations -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parameter:
    name: Name
    type: Type


@dataclass(frozen=True, slots=True)
class Conversation:
    name: Name
    parameters: tuple[Parameter, ...]
    returns: Type | None
    body: Block
    span: Span


class RubricKind(StrEnum):
    """The two keywords that declare something a verdict comes from."""

    JUDGE = "judge"
    VALIDATOR = "validator"


@dataclass(frozen=True, slots=True)
class Rubric:
    """A ``judge`` or ``validator`` declaration."""

    kind: RubricKind
    name: Name
    parameters: tuple[Parameter, ...]
    returns: Type
    fields: tuple[tuple[Name, Expr], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Dataset:
    """Rows come from the JSONL file ``source`` or stand inline in ``rows``."""

    name: Name
    type: Type
    source: str | None
    rows: tuple[RecordLiteral, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class TypeDeclaration:
    name: Name
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class UseDataset:
    """``dataset: Name`` inside a benchmark."""

    name: Name
    span: Span


@dataclass(frozen=True, slots=True)
class Run:
    """``run: value -> name``."""

    value: Expr
    name: Name
    span: Span


@dataclass(frozen=True, slots=True)
class Expect:
    """``expect subject satisfies judge with threshold(t)``."""

    subject: Expr
    judge: Expr
    threshold: float | None
    span: Span


@dataclass(frozen=True, slots=True)
class Assert:
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Snapshot:
    """``snapshot value as key``."""

    value: Expr
    key: Expr
    span: Span


BenchmarkStatement = UseDataset | Run | Expect | Assert | Snapshot


@dataclass(frozen=True, slots=True)
class Benchmark:
    name: Name
    statements: tuple[BenchmarkStatement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Provider:
    """``provider Name from "entry" { field: value ... }``."""

    name: Name
    source: str | None
    fields: tuple[tuple[Name, Expr], ...]
    span: Span


Declaration = Conversation | Rubric | Dataset | TypeDeclaration | Benchmark | Provider


@dataclass(frozen=True, slots=True)
class NamedImport:
    """``import kind Name from "path"``."""

    kind: str
    name: Name
    path: str
    span: Span


@dataclass(frozen=True, slots=True)
class ModuleImport:
    """``import "module" as alias``."""

    module: str
    alias: Name
    span: Span


Import = NamedImport | ModuleImport


@dataclass(frozen=True, slots=True)
class Program:
    """One parsed source file; imports and declarations keep their own orders."""

    imports: tuple[Import, ...]
    declarations: tuple[Declaration, ...]
