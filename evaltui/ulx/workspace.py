"""Checking files and all they import, reading on after whatever is wrong.

The findings are those of the reference (language specification 4). Where it would stop at the first
file that does not parse or cannot be read, the rest is checked as far as possible.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from evaltui.errors import SuiteError
from evaltui.project import POLICY_NAME, find_root, load_policy
from evaltui.ulx.check_running import running_problems
from evaltui.ulx.checks import check_program
from evaltui.ulx.dependencies import DependencyError, dependency_folders
from evaltui.ulx.depth import deep_recursion
from evaltui.ulx.diagnostics import Diagnostic, Problem, Rule, Severity
from evaltui.ulx.findings import Finding, SourceLines
from evaltui.ulx.imports import ImportLoader
from evaltui.ulx.lenient import Reading, explain_interpolations, read_leniently
from evaltui.ulx.manifest import (
    MANIFEST_NAME,
    Manifest,
    ManifestError,
    Package,
    Runtime,
    find_manifest,
)
from evaltui.ulx.markdown import GENERATED, MarkdownError, compile_markdown, is_markdown
from evaltui.ulx.markdown_places import MarkdownLines
from evaltui.ulx.modules import LoadedProgram
from evaltui.ulx.nearest import Suggest, Suggestions
from evaltui.ulx.reading import ReadFailure, read_text
from evaltui.ulx.tree import Span

_TOML_PLACE = re.compile(r"(?s)TOML parse error at line (\d+), column (\d+): (.*)")
_START = Span(0, 0)


def _with_policy(manifest: Manifest | None, root: Path) -> Manifest | None:
    """The manifest together with the providers of the project's policy."""
    policy = load_policy(root) if (root / POLICY_NAME).exists() else None
    if policy is None or not policy.providers:
        return manifest
    known = manifest or Manifest(Package("", "", ""), {}, {}, Runtime(1, "local"))
    providers = {**policy.providers, **known.providers}
    return Manifest(known.package, known.dependencies, providers, known.runtime)


class Workspace:
    """Files that are checked together; every module is read and checked once."""

    def __init__(self, folder: Path) -> None:
        """Paths are relative to ``folder``, and are shown so."""
        self.suggest: Suggest = Suggestions()
        self._folder = folder
        self._readings: dict[Path, Reading] = {}
        self._lines: dict[str, SourceLines] = {}
        self._checked: dict[tuple[Path, Path], set[Path]] = {}
        self._found: dict[Finding, None] = {}
        self._files: dict[str, None] = {}

    @property
    def files(self) -> list[str]:
        """The files read so far, as shown, in the order in which they were met."""
        return list(self._files)

    @property
    def findings(self) -> list[Finding]:
        """All findings, file by file, from the top to the bottom of each."""
        order = {name: number for number, name in enumerate(self._files)}
        return sorted(
            self._found,
            key=lambda one: (order.get(one.file, len(order)), one.file, one.line, one.column),
        )

    def check(self, typed: str) -> None:
        """Check the file ``typed`` and all it imports.

        Raises:
            SuiteError: the file itself cannot be read.
            ConfigurationError: the project's policy cannot be read.
        """
        written = Path(os.path.realpath(self._folder / typed))
        try:
            entry = self._compiled(written) if is_markdown(typed) else written
            if entry is not None:
                self.reading(entry)
        except ReadFailure as failure:
            raise SuiteError(f"cannot be read: {failure.plain()}", place=typed) from failure
        if entry is not None:
            self._check(typed, entry, self._root(written))

    def _check(self, typed: str, entry: Path, root: Path) -> None:
        base = (self._folder / typed).parent
        manifest, folders, usable = self._project(base)
        manifest = _with_policy(manifest, root)
        loader = ImportLoader(self, folders, root)
        with deep_recursion(0):
            loader.load(entry)
        program = LoadedProgram(typed, base, manifest, tuple(loader.modules.values()), root)
        checked = self._checked.setdefault((base, root), set())
        whole = {path for path in loader.modules if not self._readings[path].findings}
        for found in (
            *check_program(program, self.suggest, checked),
            *running_problems(program, whole, self.suggest, checked),
        ):
            if usable or found.problem.rule not in (Rule.UNKNOWN_PROVIDER, Rule.PROVIDER_SOURCE):
                self._note_diagnostic(found)
        checked.update(loader.modules)

    def reading(self, path: Path) -> Reading:
        """The module ``path``, read once, with its syntax errors noted. Raises ``ReadFailure``."""
        if path not in self._readings:
            source = read_text(path)
            self._add(path, source, SourceLines(self.shown(path), source))
        return self._readings[path]

    def note(self, path: Path, severity: Severity, problem: Problem, span: Span) -> None:
        """Add a finding in a file that was read."""
        self._found[self._lines[str(path)].finding(severity, problem, span)] = None

    def shown(self, path: Path) -> str:
        """``path`` as people see it: relative to the folder they stand in, if below it."""
        relative = os.path.relpath(path, os.path.realpath(self._folder))
        return str(path) if relative.startswith("..") else relative

    def _add(self, path: Path, source: str, lines: SourceLines) -> None:
        self._files[lines.name] = None
        self._lines[str(path)] = lines
        self._readings[path] = read_leniently(source, self.suggest)
        for problem, span in self._readings[path].findings:
            self.note(path, Severity.ERROR, problem, span)

    def _compiled(self, path: Path) -> Path | None:
        """The name of the program made from a Markdown file; None when it stands for none."""
        text, name = read_text(path), self.shown(path)
        try:
            program = compile_markdown(text)
        except MarkdownError as error:
            lines = self._lines[str(path)] = SourceLines(name, text)
            self._files[name] = None
            fence = max(text.lower().find("```ulx-meta"), 0) if "ulx-meta" in error.message else 0
            place = len(text[:fence].encode("utf-8"))
            problem = Problem(Rule.MARKDOWN, error.message, error.message)
            self._found[lines.finding(Severity.ERROR, problem, Span(place, place))] = None
            return None
        made = Path(os.path.realpath(self._folder)) / GENERATED / f"{path.stem}.ulx"
        self._add(made, program, MarkdownLines(name, text, program))
        return made

    def _root(self, path: Path) -> Path:
        """The project; without one the folder that the user stands in, if the file is below it."""
        root = find_root(path)
        marked = any((root / marker).exists() for marker in (POLICY_NAME, ".git"))
        here = Path(os.path.realpath(self._folder))
        return here if not marked and path.is_relative_to(here) else root

    def _project(self, base: Path) -> tuple[Manifest | None, dict[str, Path | None], bool]:
        """The manifest, where dependencies lie, and whether the manifest can be relied on."""
        try:
            manifest = find_manifest(base)
            return manifest, dependency_folders(manifest, base), True
        except (ManifestError, DependencyError) as error:
            self._note_manifest(base / MANIFEST_NAME, error.message)
            return None, {}, False

    def _note_manifest(self, path: Path, message: str) -> None:
        try:
            source = read_text(path)
        except ReadFailure:
            source = ""
        lines = self._lines[str(path)] = SourceLines(self.shown(path), source)
        match = _TOML_PLACE.fullmatch(message)
        place = lines.offset(int(match[1]), int(match[2])) if match else 0
        problem = Problem(Rule.MANIFEST, message, match[3] if match else message)
        self.note(path, Severity.ERROR, problem, Span(place, place))

    def _note_diagnostic(self, found: Diagnostic) -> None:
        problem, span, name, source = found.problem, found.span, found.file, found.source
        prompt = problem.inside
        inner = explain_interpolations(prompt.text) if prompt else None
        if inner and prompt:
            (problem, span), name, source = inner, prompt.name, prompt.text
        elif Path(name) in self._readings:
            span = self._readings[Path(name)].spans.true(problem.place or span)
        if name not in self._lines:
            shown = self.shown(Path(os.path.realpath(name)))
            self._lines[name] = SourceLines(shown, source)
        self._found[self._lines[name].finding(found.severity, problem, span)] = None
