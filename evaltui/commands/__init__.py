"""The commands, one module a family; each adds its own to the application."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer


def build() -> typer.Typer:
    """The whole command line."""
    import typer

    from evaltui.commands import acts, baselines, decisions, history, review, run, show, source

    app = typer.Typer(
        name="evaltui",
        help="Run LLM evals, triage the red ones in a terminal, and gate CI on signed decisions.",
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for family in (run, review, history, show, acts, baselines, decisions, source):
        family.register(app)
    app.command("ulx", help="Everything of `ulx` 0.1.5: evaltui ulx --help", add_help_option=False)(
        _ulx
    )
    return app


def _ulx() -> None:
    """Handled before the command line is built; stands here for the help text."""
