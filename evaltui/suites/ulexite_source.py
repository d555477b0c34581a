"""Reading a Ulexite suite: confined to the project, every problem in one line with its place."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from evaltui.engine.failures import RuntimeFailure
from evaltui.engine.json_text import JsonError, parse_json
from evaltui.engine.white_space import trimmed
from evaltui.errors import ConfigurationError, EvaltuiError, SuiteError
from evaltui.project import POLICY_NAME
from evaltui.ulx import tree
from evaltui.ulx.checks import check_program, has_errors
from evaltui.ulx.diagnostics import Diagnostic, Severity, SourceFile
from evaltui.ulx.findings import Finding
from evaltui.ulx.manifest import MANIFEST_NAME, Manifest, Package, ProviderEntry, Runtime
from evaltui.ulx.markdown import is_markdown
from evaltui.ulx.merge import MergedProgram, merge
from evaltui.ulx.modules import LoadedProgram, LoadError, load
from evaltui.ulx.positions import line_and_column
from evaltui.ulx.prompt_files import PromptFiles
from evaltui.ulx.reading import LARGEST_DATA, ReadFailure, read_text
from evaltui.ulx.replacing import replace_files


def read_program(
    path: Path, root: Path, providers: Mapping[str, ProviderEntry]
) -> tuple[LoadedProgram, MergedProgram, list[str]]:
    """Load, check and merge the suite at ``path``; the last part are the checker's warnings.

    ``providers`` are those of the project's policy; they stand beside the manifest's.

    Raises:
        SuiteError: it cannot be read, parsed or checked, or reaches outside ``root``.
        ConfigurationError: a provider is named in two files.
    """
    if is_markdown(str(path)):
        raise SuiteError(
            "a Markdown source has no benchmark", place=str(path), hint="run a .ulx suite"
        )
    try:
        program = _with_providers(load(path, root=root), providers)
        found = check_program(program)
        merged = merge(program)
    except LoadError as error:
        raise _explained(path) or _load_problem(error, path) from error
    if has_errors(found):
        raise _explained(path) or _checker_problem(found)
    _refuse_declared_twice(merged, providers, path)
    return program, merged, _warnings(path) if found else []


def _explained(path: Path) -> SuiteError | None:
    """The first error that ``evaltui check`` finds; None when it finds none."""
    errors = [one for one in _findings(path) if one.is_error]
    if not errors:
        return None
    first = errors[0]
    hints = [first.hint] if first.hint else []
    if len(errors) > 1:
        hints.append(f"`evaltui check` shows all {len(errors)} errors")
    return SuiteError(first.message, place=_place(first), hint="; ".join(hints) or None)


def _warnings(path: Path) -> list[str]:
    return [f"{_place(one)}: {one.message}" for one in _findings(path)]


def _findings(path: Path) -> list[Finding]:
    from evaltui.ulx.workspace import Workspace

    workspace = Workspace(Path())
    try:
        workspace.check(str(path))
    except EvaltuiError:
        return []
    return workspace.findings


def _checker_problem(found: list[Diagnostic]) -> SuiteError:
    first = next(one for one in found if one.severity is Severity.ERROR)
    line, column = line_and_column(first.source, first.span.start)
    return SuiteError(first.problem.plain, place=f"{first.file}:{line}:{column}")


def _with_providers(
    program: LoadedProgram, providers: Mapping[str, ProviderEntry]
) -> LoadedProgram:
    if not providers:
        return program
    manifest = program.manifest or Manifest(Package("", "", ""), {}, {}, Runtime(1, "local"))
    twice = sorted(manifest.providers.keys() & providers.keys())
    if twice:
        raise ConfigurationError(
            f"provider `{twice[0]}` is named in both {MANIFEST_NAME} and {POLICY_NAME}",
            place=str(program.base),
            hint="rename one of them",
        )
    merged = replace(manifest, providers={**manifest.providers, **providers})
    return replace(program, manifest=merged)


def _refuse_declared_twice(
    merged: MergedProgram, providers: Mapping[str, ProviderEntry], path: Path
) -> None:
    for name, declared in sorted(merged.providers.items()):
        if name in providers and declared.source != name:
            raise ConfigurationError(
                f"provider `{name}` is declared in the suite and in {POLICY_NAME}",
                place=str(path),
                hint="rename one of them",
            )


def suite_digest(program: LoadedProgram) -> str:
    """Digest of all sources of a program: modules and prompt files, by their relative paths."""
    folder = program.entry.path.parent
    texts = {str(module.path): module.source for module in program.modules} | _prompts(program)
    parts = sorted(
        (os.path.relpath(name, folder), hashlib.sha256(text.encode("utf-8")).hexdigest())
        for name, text in texts.items()
    )
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def literal_brace_keys(merged: MergedProgram, benchmark: str) -> list[str]:
    """Warnings about snapshot keys in plain strings that look interpolated."""
    module = merged.homes[benchmark]
    warnings = []
    for entry in merged.benchmarks[benchmark].statements:
        if isinstance(entry, tree.Snapshot) and isinstance(entry.key, tree.StringLiteral):
            text = entry.key.value
            if re.search(r"\{[^{}]*\}", text):
                line, column = line_and_column(module.source, entry.key.span.start)
                warnings.append(
                    f"{module.path}:{line}:{column}: the snapshot key {text!r} is a plain string: "
                    'braces are not filled in; write it as """..."""'
                )
    return warnings


def names_alike(merged: MergedProgram) -> list[str]:
    """Warnings about benchmarks that a file system without cases cannot tell apart."""
    known: dict[str, str] = {}
    warnings = []
    for name in merged.benchmarks:
        other = known.setdefault(name.casefold(), name)
        if other != name:
            warnings.append(
                f"the benchmarks {other} and {name} differ by case only: "
                "on some systems they would share their baselines"
            )
    return warnings


def dataset_problem(
    failure: RuntimeFailure, merged: MergedProgram, dataset: str, path: Path
) -> SuiteError:
    """Why a dataset cannot be loaded, with the file and line where they are known."""
    message = " ".join(failure.text.removeprefix("I/O error: ").split())
    node = merged.datasets.get(dataset)
    if node is None or node.source is None:
        return SuiteError(message, place=str(path))
    file = path.parent / node.source
    found = _bad_line(file) if message.startswith("parsing ") else None
    if found is None:
        return SuiteError(message, place=str(path))
    line, reason = found
    return SuiteError(f"dataset `{dataset}`: {reason}", place=f"{file}:{line}")


def _bad_line(file: Path) -> tuple[int, str] | None:
    try:
        lines = read_text(file, LARGEST_DATA).split("\n")
    except ReadFailure:
        return None
    for number, line in enumerate(lines, 1):
        text = trimmed(line)
        try:
            if text:
                parse_json(text)
        except JsonError as error:
            return number, str(error).replace(" at line 1 column", " at column")
    return None


def _prompts(program: LoadedProgram) -> dict[str, str]:
    files = PromptFiles(program.root)
    texts: dict[str, str] = {}
    for module in program.modules:
        user = SourceFile(str(module.path), module.source)

        def note(
            node: tree.FileText, user: SourceFile = user, folder: Path = module.path.parent
        ) -> tree.TextBlock:
            prompt = files.get(node, folder, user)
            if prompt.file.name not in texts:
                texts[prompt.file.name] = prompt.file.text
                replace_files(prompt.block, note)
            return tree.TextBlock((), node.span)

        for declaration in module.tree.declarations:
            replace_files(declaration, note)
    return texts


def _load_problem(error: LoadError, path: Path) -> SuiteError:
    if error.message.startswith(("could not read ", "import cycle")):
        return SuiteError(_one_line(error.message))
    return SuiteError(_one_line(error.message), place=str(path))


def _place(found: Finding) -> str:
    return f"{found.file}:{found.line}:{found.column}"


def _one_line(message: str) -> str:
    return " ".join(message.split())
