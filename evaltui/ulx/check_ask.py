"""The provider and the artifacts of an ``ask`` (language specification 4.6)."""

from __future__ import annotations

from evaltui.ulx import tree
from evaltui.ulx.diagnostics import Problem, Rule
from evaltui.ulx.nearest import Suggest
from evaltui.ulx.scopes import Scope
from evaltui.ulx.tree import Argument, ArtifactType

CAPABILITIES = {
    "chat": ("Text", "Markdown", "Json", "Image"),
    "vision": ("Image", "Pdf", "Video"),
    "embed": ("Text", "Image"),
    "transcribe": ("Audio", "Video"),
    "speak": ("Text",),
    "generate_image": ("Text",),
}
"""The artifact types each capability takes, in the order they are listed."""

NOT_A_PROVIDER_NAME = Problem(
    Rule.PROVIDER_ARGUMENT,
    "`provider` must be a string naming a declared provider or ulexite.toml entry",
    "`provider` takes the name of a provider as a plain string",
    'write `provider: "name"`',
)


def provider_argument(arguments: tuple[Argument, ...]) -> tree.Expr | None:
    """The value of the first argument called ``provider``."""
    for argument in arguments:
        if argument.name is not None and argument.name.text == "provider":
            return argument.value
    return None


def provider_problem(value: tree.Expr, known: frozenset[str], suggest: Suggest) -> Problem | None:
    """What is wrong with naming a provider by ``value``; an error there."""
    if not isinstance(value, tree.StringLiteral):
        return NOT_A_PROVIDER_NAME
    if value.value in known:
        return None
    return Problem(
        Rule.UNKNOWN_PROVIDER,
        f"`{value.value}` is not declared as a `provider` in this file or its imports, and no "
        f"`ulexite.toml` entry named `{value.value}` exists",
        f"there is no provider `{value.value}` in this file, its imports or ulexite.toml",
        suggest(value.value, known),
    )


def unknown_capability(name: str, suggest: Suggest) -> Problem:
    """The warning for a capability that no provider is known to offer."""
    return Problem(
        Rule.UNKNOWN_CAPABILITY,
        f"`{name}` is not a known stdlib capability (§15.1); skipping artifact-type checks for "
        "this call",
        f"`{name}` is not a known capability",
        suggest(name, CAPABILITIES) or f"known are {', '.join(CAPABILITIES)}",
    )


def artifact_problem(capability: str, argument: Argument, scope: Scope) -> Problem | None:
    """Why ``capability`` does not take ``argument``; an error at its value."""
    type_ = None if argument.name is not None else scope.infer(argument.value)
    accepted = CAPABILITIES[capability]
    if not isinstance(type_, ArtifactType) or (shown := type_name(type_)) in accepted:
        return None
    return Problem(
        Rule.ARTIFACT,
        f"capability `{capability}` accepts [{', '.join(accepted)}] but this argument is "
        f"`{shown}` (§9.2, §11.5)",
        f"`{capability}` does not take a value of type {type_.word}",
        f"it takes {', '.join([name.lower() for name in accepted])}",
    )


def type_name(type_: ArtifactType) -> str:
    """``tool_output`` → ``ToolOutput``."""
    return "".join([piece.capitalize() for piece in type_.word.split("_")])
