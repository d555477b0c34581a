"""Names in scope and what is known of their types (language specification 4.3)."""

from __future__ import annotations

from msgspec import Struct, field

from evaltui.ulx import tree
from evaltui.ulx.tree import ArtifactType, Expr, NamedType, Type

TEXT = ArtifactType("text")
VERDICT = NamedType("Verdict")


class ModuleNames(Struct, frozen=True):
    """What a module's declarations and imports make known."""

    globals: frozenset[str]
    rubrics: frozenset[str]
    providers: frozenset[str]


def module_names(program: tree.Program) -> ModuleNames:
    """The global names of ``program``, imported ones included."""
    names = {declaration.name.text for declaration in program.declarations}
    rubrics = {node.name.text for node in program.declarations if isinstance(node, tree.Rubric)}
    providers = {node.name.text for node in program.declarations if isinstance(node, tree.Provider)}
    for node in program.imports:
        if isinstance(node, tree.ModuleImport):
            names.add(node.alias.text)
            continue
        names.add(node.name.text)
        if node.kind in ("judge", "validator"):
            rubrics.add(node.name.text)
        elif node.kind == "provider":
            providers.add(node.name.text)
    return ModuleNames(frozenset(names), frozenset(rubrics), frozenset(providers))


class Scope(Struct):
    """Frames of local names, innermost last; a name of unknown type has the type None."""

    frames: list[dict[str, Type | None]] = field(default_factory=list)

    def push(self) -> None:
        """Open a frame."""
        self.frames.append({})

    def pop(self) -> None:
        """Close the innermost frame."""
        self.frames.pop()

    def declare(self, name: str, type_: Type | None) -> None:
        """Bind ``name`` in the innermost frame."""
        self.frames[-1][name] = type_

    def knows(self, name: str) -> bool:
        """Whether any frame binds ``name``."""
        return any(name in frame for frame in self.frames)

    def type_of(self, name: str) -> Type | None:
        """The type of the innermost binding of ``name``."""
        for frame in reversed(self.frames):
            if name in frame:
                return frame[name]
        return None

    def infer(self, node: Expr) -> Type | None:
        """The type of ``node`` where it is obvious, else None."""
        match node:
            case tree.Variable(name=name):
                return self.type_of(name)
            case tree.StringLiteral() | tree.TextBlock() | tree.FileText():
                return TEXT
            case tree.RubricCall():
                return VERDICT
            case _:
                return None
