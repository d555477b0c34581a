"""The commands, one module a family; each adds its own to the application."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import typer

FAMILIES: Final = (
    "run",
    "review",
    "history",
    "show",
    "acts",
    "baselines",
    "decisions",
    "source",
    "vendors",
)
_ALONE: Final = {"run": "run", "demo": "run", "review": "review"}
"""Commands that are waited for, by the one family that they need."""


def build(word: str = "") -> typer.Typer:
    """The command line for a first ``word``: all of it, or the one family that the word needs."""
    import typer

    app = typer.Typer(
        name="evaltui",
        help="Run LLM evals, triage the red ones in a terminal, and gate CI on signed decisions.",
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for family in (_ALONE[word],) if word in _ALONE else FAMILIES:
        import_module(f"{__name__}.{family}").register(app)
    app.command("ulx", help="Everything of `ulx` 0.1.5: evaltui ulx --help", add_help_option=False)(
        _ulx
    )
    return app


def _ulx() -> None:
    """Handled before the command line is built; stands here for the help text."""
