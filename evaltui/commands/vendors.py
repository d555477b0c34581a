"""``evaltui providers`` and ``evaltui trust``: who answers, and which keys may go where."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaltui.commands.options import JsonOption
from evaltui.errors import ExitCode, SuiteError, UsageError

if TYPE_CHECKING:
    from evaltui.engine.project import Project
    from evaltui.providers.listing import Configured, Listed
    from evaltui.ulx.manifest import ProviderEntry


def register(app: typer.Typer) -> None:
    """Add the commands of this family."""
    app.command("providers")(providers)
    app.command("trust")(trust)


def providers(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[PATH...]", help="Suites or folders; without one, this folder."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Make one cheap call to each live provider.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """List what each provider resolves to and which keys are there; never their values."""
    from evaltui.commands.console import print_json
    from evaltui.engine.project import open_project
    from evaltui.providers.listing import READY, checked, listed

    wanted = paths or [Path()]
    project = open_project(wanted[0])
    pairs = listed(_configured(wanted, project), project.policy, os.environ)
    rows = [row for row, _ in pairs]
    if check:
        import asyncio

        rows = asyncio.run(checked(pairs, project.policy))
    if as_json:
        print_json(rows)
    else:
        _print(rows, check)
    failed = check and any(row.state != READY for row in rows)
    return ExitCode.GATE_FAILED if failed else ExitCode.OK


def _print(rows: list[Listed], check: bool) -> None:
    from evaltui.commands.console import note, print_table

    if not rows:
        note("no provider is configured; add [providers.NAME] to evaltui.toml")
        return
    head = ("provider", "capability", "vendor", "model", "base url", "key", "limits", "state")
    print_table(head, (_cells(row, check) for row in rows))


def _cells(row: Listed, check: bool) -> tuple[str, ...]:
    key = f"{row.key_variable} {row.key}" if row.key_variable else row.key
    state = (row.check or row.state) if check else row.state
    model, url = row.model or "-", row.base_url or "-"
    return row.provider, row.capability, row.vendor, model, url, key, row.limits or "-", state


def _configured(paths: list[Path], project: Project) -> Iterator[Configured]:
    """Every entry of the suites at ``paths``, of their manifests and of the policy, each once."""
    from evaltui.project import POLICY_NAME
    from evaltui.providers.listing import Configured

    environment = _environment(project.root, project.root)
    seen = set()
    for entry in project.policy.providers.values():
        seen.add(entry.name)
        yield Configured(entry, project.root / POLICY_NAME, environment)
    for path, entries in _suites(paths, project):
        environment = _environment(path.parent, project.root)
        for entry in entries.values():
            if entry.name not in project.policy.providers:
                yield Configured(entry, path, environment)


def _suites(
    paths: list[Path], project: Project
) -> Iterator[tuple[Path, Mapping[str, ProviderEntry]]]:
    from evaltui.providers.entries import provider_entries
    from evaltui.suites.discovery import find_suites
    from evaltui.suites.ulexite_source import read_program

    try:
        found = find_suites(paths)
    except SuiteError:
        if any(not path.is_dir() for path in paths):
            raise
        return
    for path, kind in found:
        if kind.name == "ulexite":
            _, merged, _ = read_program(path, project.root, project.policy.providers)
            yield path, provider_entries(merged.manifest, merged.providers, path.name)


def _environment(folder: Path, root: Path) -> Mapping[str, str]:
    from evaltui.providers.dotenv import load_environment

    return load_environment(root, load_environment(folder, os.environ))


def trust(
    host: Annotated[
        str | None,
        typer.Argument(metavar="[HOST[:PORT]]", help="Where the key may go; without one, list."),
    ] = None,
    env: Annotated[
        str | None, typer.Option("--env", metavar="NAME", help="The variable with the key.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Do not allow it any more.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Allow the value of a variable to be sent to a host; kept outside of all projects."""
    from evaltui.commands.console import note, print_json, print_table
    from evaltui.providers.trust import pair, read_pairs, trust_file, trusted, write_pairs

    if host is None:
        if env is not None or remove:
            raise UsageError("name a host", hint="evaltui trust HOST --env NAME")
        pairs = trusted(os.environ)
        if as_json:
            print_json(pairs)
        else:
            print_table(("host", "variable"), ((one.host, one.env) for one in pairs))
        return ExitCode.OK
    if env is None:
        raise UsageError("name the variable", hint=f"evaltui trust {host} --env NAME")
    wanted, path = pair(host, env), trust_file()
    known = read_pairs(path)
    if remove and wanted not in known:
        raise UsageError(f"{wanted.env} was not allowed for {wanted.host}", hint="evaltui trust")
    kept = [one for one in known if one != wanted]
    write_pairs(path, kept if remove else [*kept, wanted])
    word = "no longer be" if remove else "be"
    note(f"the value of {wanted.env} may {word} sent to {wanted.host} (kept in {path})")
    return ExitCode.OK
