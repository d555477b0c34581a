"""All modules of a program as one namespace, ready to be compiled.

Steps 6 to 8 of runtime specification 0.1: providers are collected, modules merged, prompt files
put in the place of their references, and what cannot be executed is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from evaltui.ulx import tree
from evaltui.ulx.depth import deep_recursion
from evaltui.ulx.diagnostics import SourceFile
from evaltui.ulx.lowering import NOTE, LoweringError, refuse_unrunnable
from evaltui.ulx.manifest import Manifest
from evaltui.ulx.modules import LoadedProgram, LoadError, Module
from evaltui.ulx.prompt_files import MOST_INCLUSIONS, PromptFiles
from evaltui.ulx.replacing import replace_files
from evaltui.ulx.tree import Declaration, FileText, TextBlock

Kind = TypeVar("Kind", bound=Declaration)


class MergedProgram(Struct, frozen=True):
    """Declarations by name, the entry's first, then by path; the first of a name wins.

    ``typed`` is the entry as the user wrote it, ``entry`` its canonical path and ``base`` its
    directory as written, which dataset files are relative to. ``homes`` gives the module that a
    declaration stands in, whose source its spans point into.
    """

    typed: str
    entry: Path
    base: Path
    manifest: Manifest | None
    conversations: Mapping[str, tree.Conversation]
    rubrics: Mapping[str, tree.Rubric]
    datasets: Mapping[str, tree.Dataset]
    benchmarks: Mapping[str, tree.Benchmark]
    types: Mapping[str, tree.TypeDeclaration]
    providers: Mapping[str, tree.Provider]
    homes: Mapping[str, Module]


def merge(program: LoadedProgram) -> MergedProgram:
    """Merge a checked program. Raises ``LoadError`` with the texts of language spec 8.1."""
    providers = _providers(program)
    declarations: dict[str, Declaration] = {}
    homes: dict[str, Module] = {}
    prompts = _Prompts(program.root)
    for module in program.modules:
        with deep_recursion(len(module.source)):
            for declaration in module.tree.declarations:
                name = declaration.name.text
                if name not in declarations:
                    declarations[name] = prompts.filled(declaration, module)
                    homes[name] = module
    _refuse_unrunnable(program, declarations, homes)
    return MergedProgram(
        program.typed,
        program.entry.path,
        program.base,
        program.manifest,
        _of_kind(declarations, tree.Conversation),
        _of_kind(declarations, tree.Rubric),
        _of_kind(declarations, tree.Dataset),
        _of_kind(declarations, tree.Benchmark),
        _of_kind(declarations, tree.TypeDeclaration),
        providers,
        homes,
    )


def _of_kind(declarations: dict[str, Declaration], kind: type[Kind]) -> dict[str, Kind]:
    return {name: node for name, node in declarations.items() if isinstance(node, kind)}


def _providers(program: LoadedProgram) -> dict[str, tree.Provider]:
    providers: dict[str, tree.Provider] = {}
    for module in program.modules:
        for node in module.tree.declarations:
            if not isinstance(node, tree.Provider):
                continue
            if node.name.text in providers:
                raise LoadError(
                    f"provider `{node.name.text}` is declared more than once across "
                    f"`{program.entry.path}` and its imports"
                )
            providers[node.name.text] = node
    return providers


def _refuse_unrunnable(
    program: LoadedProgram, declarations: dict[str, Declaration], homes: dict[str, Module]
) -> None:
    for name, declaration in declarations.items():
        with deep_recursion(len(homes[name].source)):
            try:
                refuse_unrunnable(declaration)
            except LoweringError as error:
                raise LoadError(f"{program.typed}: lowering failed: {error}", NOTE) from error


class _Prompts:
    """Puts prompt files in the place of their references."""

    def __init__(self, root: Path | None) -> None:
        self._files = PromptFiles(root)
        self._open: list[str] = []
        self._included = 0

    def filled(self, declaration: Declaration, module: Module) -> Declaration:
        """``declaration`` of ``module`` without file references."""
        file = SourceFile(str(module.path), module.source)

        def block(node: FileText) -> TextBlock:
            return self._block(node, module.path.parent, file)

        return replace_files(declaration, block)

    def _block(self, node: FileText, folder: Path, user: SourceFile) -> TextBlock:
        prompt = self._files.get(node, folder, user)
        name = prompt.file.name
        if prompt.problem is not None or name in self._open:
            return TextBlock((), node.span)
        self._included = self._included + 1 if self._open else 0
        if self._included >= MOST_INCLUSIONS:
            first = self._open[0]
            raise LoadError(f"more than {MOST_INCLUSIONS} prompt files are included by `{first}`")
        self._open.append(name)
        block = replace_files(prompt.block, lambda inner: self._block(inner, folder, prompt.file))
        self._open.pop()
        return replace(block, span=node.span)
