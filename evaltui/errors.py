"""The errors that evaltui itself raises, and the exit codes they end in."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What a command answers to its caller; when several apply: 4, 2, 3, 1 in that order."""

    OK = 0
    GATE_FAILED = 1
    USAGE = 2
    INCOMPLETE = 3
    INTERNAL = 4


class EvaltuiError(Exception):
    """An expected failure: one line for the user, saying where and what to do next.

    ``message`` names the fact; ``place`` is a file, or file:line[:column]; ``hint`` the next step.
    """

    exit_code = ExitCode.USAGE

    def __init__(self, message: str, *, place: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.hint = hint

    def __str__(self) -> str:
        text = f"{self.place}: {self.message}" if self.place else self.message
        return f"{text}; {self.hint}" if self.hint else text


class UsageError(EvaltuiError):
    """The command line asks for something that does not exist or does not fit together."""


class ConfigurationError(EvaltuiError):
    """``evaltui.toml``, ``ulexite.toml``, ``.env`` or a provider declaration cannot be used."""


class MissingKey(ConfigurationError):
    """A provider needs a variable that is not set."""


class SuiteError(EvaltuiError):
    """A suite cannot be read, parsed, checked or loaded."""


class StoreError(EvaltuiError):
    """The trace store cannot be opened, read or written."""


class DecisionError(EvaltuiError):
    """A decision or baseline file cannot be read, or an act is not possible."""


class ActRefused(DecisionError):
    """A person asked for an act that the rules do not allow; nothing was changed."""

    exit_code = ExitCode.GATE_FAILED


class IncompleteRun(EvaltuiError):
    """A run ended before every case had an answer."""

    exit_code = ExitCode.INCOMPLETE


class InternalError(EvaltuiError):
    """Something that should not happen did; reports of the run say so."""

    exit_code = ExitCode.INTERNAL


def fact_of(error: Exception) -> str:
    """What went wrong with a file, in a few words, without its path."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return "it is not UTF-8" if isinstance(error, UnicodeError) else str(error)
