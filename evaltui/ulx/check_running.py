"""What the reference's checker lets through although the program cannot be run.

Only ``evaltui check`` reports it. What stops every run is an error (language specification 8.1);
what depends on the file that is run, the dataset of a benchmark, is a warning.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Container, Iterator
from pathlib import Path

from evaltui.ulx import tree
from evaltui.ulx.depth import deep_recursion
from evaltui.ulx.diagnostics import Diagnostic, Problem, Rule, SourceFile
from evaltui.ulx.lowering import Reason, unrunnable
from evaltui.ulx.modules import LoadedProgram, Module
from evaltui.ulx.nearest import Suggest

_DANGLING = Problem(
    Rule.DANGLING_MESSAGES,
    "messages must lead to an `assistant ->`",
    "nothing asks for an answer to this message, so the program cannot run",
    "let `assistant -> name` follow the messages",
)
_ASK_BODY = Problem(
    Rule.ASK_BODY,
    "nothing but messages may stand in the body of an `ask`",
    "the body of an `ask` holds something else than messages, so the program cannot run",
    "move it before the `ask`",
)
_PROBLEMS = {Reason.DANGLING_MESSAGES: _DANGLING, Reason.ASK_BODY: _ASK_BODY}


def running_problems(
    program: LoadedProgram,
    whole: Collection[Path],
    suggest: Suggest,
    searched: Container[Path] = frozenset(),
) -> Iterator[Diagnostic]:
    """All that keeps ``program`` from running.

    ``whole`` are the modules that parse completely; the bodies of those ``searched`` are left out.
    """
    yield from _providers(program)
    datasets = _datasets(program)
    for module in program.modules:
        file = SourceFile(str(module.path), module.source)
        if module.path not in searched:
            yield from _bodies(module, file)
        for declaration in module.tree.declarations:
            if isinstance(declaration, tree.Benchmark) and module.path in whole:
                yield from _benchmark(declaration, file, datasets, suggest)
            if isinstance(declaration, tree.Dataset) and module is program.entry:
                yield from _dataset(declaration, file, program)


def _bodies(module: Module, file: SourceFile) -> Iterator[Diagnostic]:
    with deep_recursion(len(module.source)):
        found = [one for node in module.tree.declarations for one in unrunnable(node)]
    for one in found:
        yield file.error(_PROBLEMS[one.reason], one.span)


def _providers(program: LoadedProgram) -> Iterator[Diagnostic]:
    homes: dict[str, Module] = {}
    for module, node in _declared_providers(program):
        file = SourceFile(str(module.path), module.source)
        home = homes.setdefault(node.name.text, module)
        if home is not module:  # twice in one module is a finding of its own
            name = f"provider `{node.name.text}`"
            plain = f"{name} is declared in {home.path.name}, too, so the program cannot run"
            problem = Problem(Rule.DUPLICATE, plain, plain, "rename one of the two")
            yield file.error(problem, node.name.span)
        if node.source is not None and program.manifest is None:
            yield _without_manifest(node, file, program)


def _declared_providers(program: LoadedProgram) -> Iterator[tuple[Module, tree.Provider]]:
    for module in program.modules:
        for node in module.tree.declarations:
            if isinstance(node, tree.Provider):
                yield module, node


def _without_manifest(node: tree.Provider, file: SourceFile, program: LoadedProgram) -> Diagnostic:
    """A provider that begins as a copy of an entry, where there are no entries.

    An error when it names another provider, or itself: that no manifest can put right.
    """
    plain = f'`from "{node.source}"` names an entry of ulexite.toml, and there is no such file'
    if any(other.name.text == node.source for _, other in _declared_providers(program)):
        hint = f"`{node.source}` is a provider of the program, which no other can be made from"
        return file.error(Problem(Rule.PROVIDER_SOURCE, plain, plain, hint), node.name.span)
    return file.warning(Problem(Rule.PROVIDER_SOURCE, plain, plain), node.name.span)


def _datasets(program: LoadedProgram) -> frozenset[str]:
    declared = [node for module in program.modules for node in module.tree.declarations]
    return frozenset(node.name.text for node in declared if isinstance(node, tree.Dataset))


def _benchmark(
    node: tree.Benchmark, file: SourceFile, datasets: frozenset[str], suggest: Suggest
) -> Iterator[Diagnostic]:
    used = next((one for one in node.statements if isinstance(one, tree.UseDataset)), None)
    if used is None:
        plain = f"benchmark `{node.name.text}` has no dataset, so it cannot run"
        problem = Problem(Rule.DATASET, plain, plain, "name one: `dataset: Name`")
        yield file.warning(problem, node.name.span)
    elif used.name.text not in datasets:
        name = used.name.text
        plain = f"there is no dataset `{name}`, so the benchmark cannot run"
        problem = Problem(Rule.DATASET, plain, plain, suggest(name, datasets))
        yield file.warning(problem, used.name.span)


def _dataset(node: tree.Dataset, file: SourceFile, program: LoadedProgram) -> Iterator[Diagnostic]:
    if node.source is None or "\0" in node.source:
        return
    path, root = program.base / node.source, program.root
    if root is not None and not Path(os.path.realpath(path)).is_relative_to(root):
        plain = f"`{node.source}` is outside the project {root}"
        yield file.error(Problem(Rule.OUTSIDE_PROJECT, plain, plain), node.name.span)
    elif not os.path.exists(path):  # noqa: PTH110 - asks nothing of names that are too long
        plain = f"the rows of dataset `{node.name.text}` are missing: there is no `{node.source}`"
        yield file.warning(Problem(Rule.DATASET, plain, plain), node.name.span)
