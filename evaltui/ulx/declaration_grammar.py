"""Imports and declarations (language specification 2.2)."""

from __future__ import annotations

from collections.abc import Callable

from evaltui.ulx.cursor import Mismatch
from evaltui.ulx.lexer import END, Tokens
from evaltui.ulx.statement_grammar import StatementParser
from evaltui.ulx.tree import (
    Assert,
    Benchmark,
    BenchmarkStatement,
    Conversation,
    Dataset,
    Declaration,
    Expect,
    Expr,
    Import,
    ModuleImport,
    Name,
    NamedImport,
    Parameter,
    Program,
    Provider,
    RecordLiteral,
    Rubric,
    RubricKind,
    Run,
    Snapshot,
    Type,
    TypeDeclaration,
    UseDataset,
)

IMPORT_KINDS = ("conversation", "judge", "validator", "dataset", "type", "provider")

_Fields = tuple[tuple[Name, Expr], ...]


class ProgramParser(StatementParser):
    """The rules for whole files.

    ``items`` are the token indexes at which the imports and declarations read so far begin.
    """

    def __init__(self, tokens: Tokens, base: int = 0) -> None:
        super().__init__(tokens, base)
        self.items: list[int] = []
        self._declarations: dict[str, Callable[[], Declaration]] = {
            "conversation": self._conversation,
            "judge": self._rubric,
            "validator": self._rubric,
            "dataset": self._dataset,
            "type": self._type_declaration,
            "benchmark": self._benchmark,
            "provider": self._provider,
        }
        self._benchmark_rules: dict[str, Callable[[], BenchmarkStatement]] = {
            "dataset": self._use_dataset,
            "run": self._run,
            "expect": self._expect,
            "assert": self._assert,
            "snapshot": self._snapshot,
        }

    def program(self) -> Program:
        """The whole file; raises ``Mismatch`` when something in it is no item."""
        imports: list[Import] = []
        declarations: list[Declaration] = []
        while self.kinds[self.at] != END:
            self.items.append(self.at)
            item = self.item()
            if isinstance(item, NamedImport | ModuleImport):
                imports.append(item)
            else:
                declarations.append(item)
        return Program(tuple(imports), tuple(declarations))

    def item(self) -> Import | Declaration:
        """One import or declaration."""
        return self._import() if self.at_word("import") else self._declaration()

    def _import(self) -> Import:
        start = self.at
        self.word("import")
        if self.kinds[self.at] == "string":
            module = self.text("string")
            self.word("as")
            return ModuleImport(module, self.name(), self.span_from(start))
        kind = self.name().text
        if kind not in IMPORT_KINDS:
            raise Mismatch
        name = self.name()
        self.word("from")
        return NamedImport(kind, name, self.text("string"), self.span_from(start))

    def _declaration(self) -> Declaration:
        rule = self._declarations.get(str(self.values[self.at]))
        if rule is None or self.kinds[self.at] != "ident":
            raise Mismatch
        return rule()

    def _conversation(self) -> Conversation:
        start = self.at
        self.word("conversation")
        name = self.name()
        parameters = self._parameters()
        returns = self.optional(self._returns)
        body = self.block()
        return Conversation(name, parameters, returns, body, self.span_from(start))

    def _parameters(self) -> tuple[Parameter, ...]:
        self.expect("(")
        parameters = self.listed(self._parameter)
        self.expect(")")
        return parameters

    def _parameter(self) -> Parameter:
        name = self.name()
        self.expect(":")
        return Parameter(name, self.type())

    def _returns(self) -> Type:
        self.expect("->")
        return self.type()

    def _rubric(self) -> Rubric:
        start = self.at
        kind = RubricKind(self.name().text)
        name = self.name()
        parameters = self._parameters()
        returns = self._returns()
        fields = self._fields()
        return Rubric(kind, name, parameters, returns, fields, self.span_from(start))

    def _fields(self) -> _Fields:
        self.expect("{")
        fields = self.repeated(self.field)
        self.expect("}")
        return fields

    def _dataset(self) -> Dataset:
        start = self.at
        self.word("dataset")
        name = self.name()
        self.expect(":")
        type_ = self.type()
        self.expect("{")
        source, rows = self._dataset_content()
        self.expect("}")
        return Dataset(name, type_, source, rows, self.span_from(start))

    def _dataset_content(self) -> tuple[str | None, tuple[RecordLiteral, ...]]:
        if self.at_word("from"):
            self.word("from")
            return self.text("string"), ()
        self.expect("[")
        rows = self.listed(self.record)
        self.expect("]")
        return None, rows

    def _type_declaration(self) -> TypeDeclaration:
        start = self.at
        self.word("type")
        name = self.name()
        self.expect("=")
        return TypeDeclaration(name, self.type(), self.span_from(start))

    def _benchmark(self) -> Benchmark:
        start = self.at
        self.word("benchmark")
        name = self.name()
        self.expect("{")
        statements = self.repeated(self._benchmark_statement)
        self.expect("}")
        return Benchmark(name, statements, self.span_from(start))

    def _benchmark_statement(self) -> BenchmarkStatement:
        rule = self._benchmark_rules.get(str(self.values[self.at]))
        if rule is None or self.kinds[self.at] != "ident":
            raise Mismatch
        return rule()

    def _use_dataset(self) -> UseDataset:
        start = self.at
        self.word("dataset")
        self.expect(":")
        return UseDataset(self.name(), self.span_from(start))

    def _run(self) -> Run:
        start = self.at
        self.word("run")
        self.expect(":")
        value = self.expression()
        self.expect("->")
        return Run(value, self.name(), self.span_from(start))

    def _expect(self) -> Expect:
        start = self.at
        self.word("expect")
        subject = self.expression()
        self.word("satisfies")
        judge = self.expression()
        threshold = self.optional(self._threshold)
        return Expect(subject, judge, threshold, self.span_from(start))

    def _threshold(self) -> float:
        self.word("with")
        self.word("threshold")
        self.expect("(")
        if self.kinds[self.at] not in ("float", "int"):
            raise Mismatch
        value = float(self.values[self.at])
        self.at += 1
        self.expect(")")
        return value

    def _assert(self) -> Assert:
        start = self.at
        self.word("assert")
        return Assert(self.expression(), self.span_from(start))

    def _snapshot(self) -> Snapshot:
        start = self.at
        self.word("snapshot")
        value = self.expression()
        self.word("as")
        return Snapshot(value, self.expression(), self.span_from(start))

    def _provider(self) -> Provider:
        start = self.at
        self.word("provider")
        name = self.name()
        source = self.optional(self._source) if self.at_word("from") else None
        fields = self._fields()
        return Provider(name, source, fields, self.span_from(start))

    def _source(self) -> str:
        self.word("from")
        return self.text("string")
