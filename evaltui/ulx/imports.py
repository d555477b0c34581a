"""Loading the imports of a file that is checked, noting what is wrong with each."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from evaltui.ulx.diagnostics import Problem, Rule, Severity
from evaltui.ulx.lenient import Reading
from evaltui.ulx.modules import Module
from evaltui.ulx.nearest import Suggest
from evaltui.ulx.reading import ReadFailure
from evaltui.ulx.tree import NamedImport, Program, Span

_NOTHING = Program((), ())


class Files(Protocol):
    """Where modules are read, and findings about them go."""

    suggest: Suggest

    def reading(self, path: Path) -> Reading:
        """The module ``path``. Raises ``ReadFailure``."""

    def note(self, path: Path, severity: Severity, problem: Problem, span: Span) -> None:
        """Add a finding in the module ``path``."""

    def shown(self, path: Path) -> str:
        """``path`` as people see it."""


class ImportLoader:
    """Modules by canonical path, the entry first, each loaded once (language specification 4.1)."""

    def __init__(self, files: Files, folders: Mapping[str, Path | None], root: Path) -> None:
        """``folders`` are those of the dependencies; nothing outside ``root`` is read."""
        self.modules: dict[Path, Module] = {}
        self._files = files
        self._folders = folders
        self._root = root
        self._open: list[Path] = []

    def load(self, path: Path) -> None:
        """Load the module ``path`` and its imports. Raises ``ReadFailure``."""
        reading = self._files.reading(path)
        self.modules[path] = Module(path, reading.source, _NOTHING, ())
        self._open.append(path)
        targets = [
            self._target(path, node) if isinstance(node, NamedImport) else None
            for node in reading.program.imports
        ]
        self._open.pop()
        self.modules[path] = Module(path, reading.source, reading.program, tuple(targets))

    def _target(self, importer: Path, node: NamedImport) -> Path | None:
        """The file that an import names; None, and a finding, when it cannot be loaded."""
        joined, problem = self._joined(importer.parent, node.path)
        try:
            target = Path(os.path.realpath(joined))
        except ValueError:  # a NUL byte
            target = importer.parent
        if problem is None and not target.is_relative_to(os.path.realpath(self._root)):
            plain = f"`{node.path}` is outside the project {self._root}"
            problem = Problem(Rule.OUTSIDE_PROJECT, plain, plain)
        if problem is None:
            problem = self._load(target, node.path)
        if problem is not None:
            self._files.note(importer, Severity.ERROR, problem, node.span)
        return target if target in self.modules else None

    def _load(self, target: Path, written: str) -> Problem | None:
        if target in self._open:
            return self._ring(target)
        if target in self.modules:
            return None
        try:
            self.load(target)
        except ReadFailure as failure:
            plain = f"cannot read `{written}`: {failure.plain()}"
            return Problem(Rule.IMPORT_FILE, plain, plain, self._similar_file(target))
        return None

    def _joined(self, folder: Path, written: str) -> tuple[str, Problem | None]:
        first, slash, rest = written.partition("/")
        if not slash or first not in self._folders:
            return os.path.join(folder, written), None  # noqa: PTH118 - may be absolute
        dependency = self._folders[first]
        if dependency is not None:
            return os.path.join(dependency, rest), None  # noqa: PTH118
        plain = f"the dependency `{first}` has only a version, which cannot be fetched"
        hint = f"give `{first}` a `path` or a `git` address in ulexite.toml"
        return written, Problem(Rule.IMPORT_FILE, plain, plain, hint)

    def _ring(self, target: Path) -> Problem:
        ring = [*self._open[self._open.index(target) :], target]
        shown = " -> ".join(self._files.shown(one) for one in ring)
        plain = f"this import closes an import cycle: {shown}"
        return Problem(Rule.IMPORT_CYCLE, plain, plain)

    def _similar_file(self, target: Path) -> str:
        try:
            names = os.listdir(target.parent)  # noqa: PTH208 - only the names are wanted
        except OSError:
            return ""
        return self._files.suggest(target.name, names)
