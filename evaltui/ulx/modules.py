"""Loading an entry file and everything it imports (language specification 4.1)."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct

from evaltui.errors import SuiteError
from evaltui.ulx.dependencies import DependencyError, dependency_folders
from evaltui.ulx.depth import deep_recursion
from evaltui.ulx.diagnostics import SourceFile
from evaltui.ulx.grammar import parse
from evaltui.ulx.manifest import Manifest, ManifestError, find_manifest
from evaltui.ulx.markdown import MarkdownError, compile_to_file, is_markdown
from evaltui.ulx.positions import line_and_column
from evaltui.ulx.reading import NUL_IN_NAME, ReadFailure, os_error_text, read_text
from evaltui.ulx.syntax_error import UlxSyntaxError
from evaltui.ulx.tree import NamedImport, Program


class LoadError(SuiteError):
    """A program cannot be loaded.

    ``message`` is the text that follows ``error: ``, ``note`` a line of its own after it.
    """

    def __init__(self, message: str, note: str | None = None) -> None:
        super().__init__(message)
        self.note = note


class Module(Struct, frozen=True):
    """One loaded file; ``targets`` are the files its imports name, None for module imports."""

    path: Path
    source: str
    tree: Program
    targets: tuple[Path | None, ...]


class LoadedProgram(Struct, frozen=True):
    """An entry file and its imports, parsed but not checked.

    ``typed`` is the path as the user wrote it and ``base`` its directory as written (empty when it
    has none); ``modules`` begins with the entry, the others follow by path. ``root`` confines
    prompt files when it is not None.
    """

    typed: str
    base: Path
    manifest: Manifest | None
    modules: tuple[Module, ...]
    root: Path | None

    @property
    def entry(self) -> Module:
        """The module of the entry file."""
        return self.modules[0]

    def module(self, path: Path) -> Module:
        """The module loaded from ``path``."""
        return next(module for module in self.modules if module.path == path)


def load(entry: str | Path, *, root: Path | None = None) -> LoadedProgram:
    """Load ``entry``, a path as typed, with its manifest and imports.

    With ``root``, imports that leave that directory are refused. Raises ``LoadError``.
    """
    typed = str(entry)
    base = Path(os.path.dirname(typed))  # noqa: PTH120 - Path() would drop a leading "./"
    try:
        manifest = find_manifest(base)
        folders = dependency_folders(manifest, base)
        source_path = compile_to_file(typed) if is_markdown(typed) else Path(typed)
    except (ManifestError, DependencyError, MarkdownError) as error:
        raise LoadError(error.message) from error
    loader = _Loader(folders, root)
    with deep_recursion(0):
        first = loader.load(canonical(str(source_path), typed))
    others = sorted(loader.modules.values(), key=lambda module: module.path.parts)
    modules = (first, *[module for module in others if module is not first])
    return LoadedProgram(typed, base, manifest, modules, root)


def canonical(path: str, shown: str) -> Path:
    """``path`` absolute and free of links; raises ``LoadError`` that names it as ``shown``."""
    try:
        return Path(os.path.realpath(path, strict=True))
    except OSError as error:
        raise LoadError(f"could not read {shown}: {os_error_text(error)}") from error
    except ValueError as error:
        raise LoadError(f"could not read {shown}: {NUL_IN_NAME}") from error


def outside_message(path: str, root: Path | None, user: SourceFile, offset: int) -> str | None:
    """Why ``user``, a file of the project ``root``, may not use ``path`` at the byte ``offset``.

    None when it may.
    """
    if root is None or "\0" in path:  # such a name cannot be read anyway
        return None
    if Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root)):
        return None
    line, _ = line_and_column(user.text, offset)
    return f"{user.name}:{line}: `{path}` is outside the project {root}"


class _Loader:
    """Files by canonical path, loaded depth first, each once."""

    def __init__(self, folders: dict[str, Path | None], root: Path | None) -> None:
        self.modules: dict[Path, Module] = {}
        self._folders = folders
        self._root = root
        self._open: set[Path] = set()

    def load(self, path: Path) -> Module:
        if path in self._open:
            raise LoadError(f"import cycle detected at {path}")
        if path in self.modules:
            return self.modules[path]
        self._open.add(path)
        module = self.modules[path] = self._read(path)
        self._open.remove(path)
        return module

    def _read(self, path: Path) -> Module:
        try:
            source = read_text(path)
            tree = parse(source)
        except ReadFailure as failure:
            raise LoadError(f"could not read {path}: {failure}") from failure
        except UlxSyntaxError as error:
            raise LoadError(error.dump(str(path))) from error
        targets: list[Path | None] = []
        for node in tree.imports:
            target = None
            if isinstance(node, NamedImport):
                target = self._target(path, source, node)
                self.load(target)
            targets.append(target)
        return Module(path, source, tree, tuple(targets))

    def _target(self, importer: Path, source: str, node: NamedImport) -> Path:
        joined = self._joined(importer.parent, node.path)
        user = SourceFile(str(importer), source)
        refusal = outside_message(joined, self._root, user, node.span.start)
        if refusal is not None:
            raise LoadError(refusal)
        return canonical(joined, joined)

    def _joined(self, folder: Path, written: str) -> str:
        first, slash, rest = written.partition("/")
        if not slash or first not in self._folders:
            return os.path.join(folder, written)  # noqa: PTH118 - "./" and ".." stay visible
        dependency = self._folders[first]
        if dependency is None:
            raise LoadError(
                f"dependency `{first}` has no `path`; "
                "git/registry dependency fetching is not implemented yet"
            )
        return os.path.join(dependency, rest)  # noqa: PTH118
