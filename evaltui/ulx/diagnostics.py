"""What the checker has to say about a program."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from evaltui.ulx.tree import Span


class Severity(StrEnum):
    """Only errors make a check fail."""

    ERROR = "error"
    WARNING = "warning"


class Rule(StrEnum):
    """The names of what can be found, as reports and annotations show them."""

    SYNTAX = "syntax"
    MANIFEST = "manifest"
    MARKDOWN = "markdown"
    IMPORT_FILE = "import-file"
    IMPORT_CYCLE = "import-cycle"
    IMPORT_NAME = "import-name"
    UNKNOWN_MODULE = "unknown-module"
    OUTSIDE_PROJECT = "outside-project"
    DUPLICATE = "duplicate-declaration"
    UNDEFINED = "undefined-name"
    UNKNOWN_JUDGE = "unknown-judge"
    PROVIDER_ARGUMENT = "provider-argument"
    UNKNOWN_PROVIDER = "unknown-provider"
    UNKNOWN_CAPABILITY = "unknown-capability"
    ARTIFACT = "artifact-type"
    VARIANT_BINDINGS = "variant-bindings"
    MISSING_VARIANTS = "missing-variants"
    WITH_SIBLING = "with-sibling"
    WITH_DUPLICATE = "with-duplicate"
    RETRY_ELSE = "retry-without-else"
    PROVIDER_FIELD = "provider-field"
    PROVIDER_SOURCE = "provider-source"
    PROMPT_FILE = "prompt-file"
    PROMPT_CYCLE = "prompt-cycle"
    DANGLING_MESSAGES = "dangling-messages"
    ASK_BODY = "ask-body"
    DATASET = "dataset"


class SourceFile(Struct, frozen=True):
    """A file that diagnostics can point into."""

    name: str
    text: str

    def error(self, problem: Problem, span: Span) -> Diagnostic:
        """An error in this file."""
        return Diagnostic(Severity.ERROR, problem, span, self.name, self.text)

    def warning(self, problem: Problem, span: Span) -> Diagnostic:
        """A warning in this file."""
        return Diagnostic(Severity.WARNING, problem, span, self.name, self.text)


class Problem(Struct, frozen=True):
    """What is wrong: ``message`` in the reference's words, ``plain`` in those of ``evaltui check``.

    ``hint`` is what to do about it, empty when nothing can be said. ``place`` is where the problem
    is, when that is not where the reference reports it. ``inside`` is the file that has to be
    mended when the finding is at a reference to it.
    """

    rule: Rule
    message: str
    plain: str
    hint: str = ""
    place: Span | None = None
    inside: SourceFile | None = None


class Diagnostic(Struct, frozen=True):
    """A finding at the byte ``span`` of ``source``, the text of the file shown as ``file``."""

    severity: Severity
    problem: Problem
    span: Span
    file: str
    source: str

    @property
    def message(self) -> str:
        """The problem in the reference's words."""
        return self.problem.message
