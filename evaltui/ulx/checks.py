"""The semantic checks of language specification 4, in the order they are reported."""

from __future__ import annotations

from evaltui.ulx import tree
from evaltui.ulx.check_bodies import BodyChecker
from evaltui.ulx.check_provider import provider_problems
from evaltui.ulx.depth import deep_recursion
from evaltui.ulx.diagnostics import Diagnostic, Severity, SourceFile
from evaltui.ulx.modules import LoadedProgram, Module
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


def check_program(program: LoadedProgram) -> list[Diagnostic]:
    """All findings, module by module; the program may run when none of them is an error."""
    prompts = PromptFiles(program.root)
    found: list[Diagnostic] = []
    for module in program.modules:
        with deep_recursion(len(module.source)):
            _ModuleChecker(program, module, prompts, found).check()
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
    ) -> None:
        self._program = program
        self._module = module
        self._file = SourceFile(str(module.path), module.source)
        self._found = found
        names = module_names(module.tree)
        entries = program.manifest.providers if program.manifest else {}
        providers = names.providers | entries.keys()
        self._bodies = BodyChecker(module.path, module.source, names, providers, prompts, found)

    def check(self) -> None:
        self._duplicates()
        for index, node in enumerate(self._module.tree.imports):
            if isinstance(node, tree.NamedImport):
                self._named_import(index, node)
            elif node.module not in STDLIB_MODULES:
                message = f"`{node.module}` is not a recognized stdlib module (§15)"
                self._found.append(self._file.warning(message, node.span))
        for declaration in self._module.tree.declarations:
            self._declaration(declaration)

    def _duplicates(self) -> None:
        first: dict[str, tree.Span] = {}
        for declaration in self._module.tree.declarations:
            name = declaration.name
            span = first.setdefault(name.text, name.span)
            if span is not name.span:
                message = (
                    f"duplicate top-level declaration `{name.text}` "
                    f"(first declared at {span.start}..{span.end})"
                )
                self._found.append(self._file.error(message, name.span))

    def _named_import(self, index: int, node: tree.NamedImport) -> None:
        target = self._module.targets[index]
        assert target is not None, "named imports have a target"
        declared = self._program.module(target).tree.declarations
        if not any(d.name.text == node.name.text and _kind(d) == node.kind for d in declared):
            message = (
                f"`{node.name.text}` is not declared as a {node.kind.capitalize()} in `{node.path}`"
            )
            self._found.append(self._file.error(message, node.span))

    def _declaration(self, node: Declaration) -> None:
        match node:
            case tree.Conversation():
                self._framed(node.parameters, [node.body])
            case tree.Rubric():
                self._framed(node.parameters, [value for _, value in node.fields])
            case tree.Benchmark():
                self._benchmark(node)
            case tree.Provider():
                for message, span in provider_problems(node, self._program.manifest):
                    self._found.append(self._file.error(message, span))

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
