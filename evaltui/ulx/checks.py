"""The semantic checks of language specification 4, in the order they are reported."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

from evaltui.ulx import tree
from evaltui.ulx.check_bodies import BodyChecker
from evaltui.ulx.check_provider import provider_problems
from evaltui.ulx.depth import deep_recursion
from evaltui.ulx.diagnostics import Diagnostic, Problem, Rule, Severity, SourceFile
from evaltui.ulx.modules import LoadedProgram, Module
from evaltui.ulx.nearest import Suggest, no_suggestion
from evaltui.ulx.positions import line_and_column
from evaltui.ulx.prompt_files import PromptFiles
from evaltui.ulx.scopes import module_names
from evaltui.ulx.tree import Declaration, Parameter
from evaltui.ulx.tree_walk import benchmark_values

STDLIB_MODULES = frozenset(
    (
        *("llm", "judge", "vision", "image", "audio", "video", "pdf", "json", "xml", "html"),
        *("csv", "http", "python", "javascript", "shell", "trace", "dataset", "cache", "retry"),
        *("metrics", "assert", "vector", "embedding"),
    )
)


def check_program(
    program: LoadedProgram,
    suggest: Suggest = no_suggestion,
    checked: Container[Path] = frozenset(),
) -> list[Diagnostic]:
    """All findings, module by module; the program may run when none of them is an error.

    The modules ``checked`` are left out.
    """
    prompts = PromptFiles(program.root)
    found: list[Diagnostic] = []
    for module in program.modules:
        if module.path in checked:
            continue
        with deep_recursion(len(module.source)):
            _ModuleChecker(program, module, prompts, found, suggest).check()
    return found


def has_errors(found: list[Diagnostic]) -> bool:
    """Whether any finding is an error."""
    return any(diagnostic.severity is Severity.ERROR for diagnostic in found)


class _ModuleChecker:
    """Checks one module of a program."""

    def __init__(
        self,
        program: LoadedProgram,
        module: Module,
        prompts: PromptFiles,
        found: list[Diagnostic],
        suggest: Suggest,
    ) -> None:
        self._program = program
        self._suggest = suggest
        self._module = module
        self._file = SourceFile(str(module.path), module.source)
        self._found = found
        names = module_names(module.tree)
        entries = program.manifest.providers if program.manifest else {}
        providers = names.providers | entries.keys()
        self._bodies = BodyChecker(
            module.path, module.source, names, providers, prompts, found, suggest
        )

    def check(self) -> None:
        self._duplicates()
        for index, node in enumerate(self._module.tree.imports):
            if isinstance(node, tree.NamedImport):
                self._named_import(index, node)
            elif node.module not in STDLIB_MODULES:
                self._found.append(self._file.warning(self._unknown_module(node.module), node.span))
        for declaration in self._module.tree.declarations:
            self._declaration(declaration)

    def _duplicates(self) -> None:
        first: dict[str, tree.Span] = {}
        for declaration in self._module.tree.declarations:
            name = declaration.name
            span = first.setdefault(name.text, name.span)
            if span is not name.span:
                self._found.append(self._file.error(self._duplicate(name.text, span), name.span))

    def _duplicate(self, name: str, first: tree.Span) -> Problem:
        line, column = line_and_column(self._module.source, first.start)
        return Problem(
            Rule.DUPLICATE,
            f"duplicate top-level declaration `{name}` "
            f"(first declared at {first.start}..{first.end})",
            f"`{name}` is declared twice in this file",
            f"rename it; the first one is in line {line}, column {column}",
        )

    def _unknown_module(self, name: str) -> Problem:
        return Problem(
            Rule.UNKNOWN_MODULE,
            f"`{name}` is not a recognized stdlib module (§15)",
            f"there is no standard module `{name}`",
            self._suggest(name, STDLIB_MODULES),
        )

    def _named_import(self, index: int, node: tree.NamedImport) -> None:
        target = self._module.targets[index]
        if target is None:
            return  # the file could not be loaded, which is reported elsewhere
        declared = self._program.module(target).tree.declarations
        if not any(d.name.text == node.name.text and _kind(d) == node.kind for d in declared):
            problem = _import_problem(node, declared, self._suggest)
            self._found.append(self._file.error(problem, node.span))

    def _declaration(self, node: Declaration) -> None:
        match node:
            case tree.Conversation():
                self._framed(node.parameters, [node.body])
            case tree.Rubric():
                self._framed(node.parameters, [value for _, value in node.fields])
            case tree.Benchmark():
                self._benchmark(node)
            case tree.Provider():
                manifest = self._program.manifest
                for problem, span in provider_problems(node, manifest, self._suggest):
                    self._found.append(self._file.error(problem, span))

    def _framed(
        self, parameters: tuple[Parameter, ...], bodies: list[tree.Block] | list[tree.Expr]
    ) -> None:
        scope = self._bodies.scope
        scope.push()
        for parameter in parameters:
            scope.declare(parameter.name.text, parameter.type)
        for body in bodies:
            self._bodies.check(body)
        scope.pop()

    def _benchmark(self, node: tree.Benchmark) -> None:
        self._bodies.scope.push()
        for statement in node.statements:
            for expression in benchmark_values(statement):
                self._bodies.check(expression)
            if isinstance(statement, tree.Run):
                self._bodies.scope.declare(statement.name.text, None)
        self._bodies.scope.pop()


def _import_problem(
    node: tree.NamedImport, declared: tuple[Declaration, ...], suggest: Suggest
) -> Problem:
    name, kind = node.name.text, node.kind
    others = [_kind(d) for d in declared if d.name.text == name]
    hint = suggest(name, [d.name.text for d in declared if _kind(d) == kind])
    return Problem(
        Rule.IMPORT_NAME,
        f"`{name}` is not declared as a {kind.capitalize()} in `{node.path}`",
        f"`{node.path}` declares no {kind} `{name}`",
        f"there it is a {others[0]}: write `import {others[0]} {name}`" if others else hint,
    )


def _kind(declaration: Declaration) -> str:
    """The kind an import has to name; a benchmark counts as a conversation."""
    match declaration:
        case tree.Rubric(kind=kind):
            return kind.value
        case tree.Dataset():
            return "dataset"
        case tree.TypeDeclaration():
            return "type"
        case tree.Provider():
            return "provider"
        case tree.Conversation() | tree.Benchmark():
            return "conversation"
