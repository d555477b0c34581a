"""The documentation names what there is."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaltui.cli import run
from evaltui.models import Action, Cause, Gate
from evaltui.policy_file import parse_policy
from evaltui.providers.answers import CannedAnswer
from evaltui.providers.failures import Kind
from evaltui.providers.vendors import VENDORS
from evaltui.providers.vendors.wire import Vendor
from evaltui.reports import formats
from evaltui.screens.commands import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
DOCS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("gate", Gate)
def test_every_gate_is_explained(gate: Gate) -> None:
    assert f"| `{gate}` |" in text("docs/gates.md")


@pytest.mark.parametrize(
    "action", [one for one in Action if one not in (Action.RELINK, Action.REVERT)]
)
def test_every_act_is_explained(action: Action) -> None:
    page = text("docs/decisions.md")
    assert action in page or f"`{action.split('_')[0]}`" in page


def test_every_cause_is_named() -> None:
    assert [cause for cause in Cause if f"`{cause}`" not in text("docs/decisions.md")] == []


def test_every_key_and_its_id_is_listed() -> None:
    page = text("docs/keys.md")
    assert [one.id for one in COMMANDS if f"`{one.id}`" not in page] == []


def test_every_member_of_a_scripted_answer_is_explained() -> None:
    members = [field.alias or name for name, field in CannedAnswer.model_fields.items()]
    page = text("docs/scripted-provider.md")
    assert [name for name in members if f"`{name}`" not in page] == []


def test_every_report_format_is_named() -> None:
    assert "|".join(formats()) in text("docs/ci.md")


def test_the_policy_shown_is_one() -> None:
    shown = text("docs/policy.md").split("```toml\n")[1].split("```")[0]
    policy = parse_policy(shown, "policy.md")
    assert policy.tolerance
    assert policy.slices == {"lang": "lang"}


def test_the_program_shown_is_the_sample() -> None:
    assert text("fixtures/hello/hello.ulx").split("\n\n", 1)[1] in text("README.md")


@pytest.mark.parametrize("page", DOCS, ids=lambda path: path.name)
def test_links_inside_the_repository_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("vendor", VENDORS.values(), ids=list(VENDORS))
def test_every_vendor_and_its_key_is_listed(vendor: Vendor) -> None:
    page = text("docs/providers.md")
    (row,) = [line for line in page.splitlines() if line.startswith(f"| `{vendor.name}` |")]
    assert vendor.key_variable is None or f"`{vendor.key_variable}`" in row


def test_every_kind_of_failure_is_explained() -> None:
    page = text("docs/providers.md")
    assert [kind for kind in Kind if f"`{kind}`" not in page] == []


def test_the_providers_shown_can_be_read() -> None:
    shown = text("docs/providers.md").split("```toml\n")[1].split("```")[0]
    policy = parse_policy(shown, "providers.md")
    assert policy.limits["Writer"].tokens_per_minute == 80000
    assert policy.prices["my-own-model"]


EXAMPLES = ("docs/ulexite.md", "docs/ulx-differences.md")
BOX = re.compile(r"```(\w+)(?: (\S+))?\n(.*?)```\n", re.DOTALL)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def commands(console: str) -> Iterator[tuple[str, list[str]]]:
    """Every command of a console box with the lines it should print."""
    for part in re.split(r"(?m)^\$ ", console)[1:]:
        command, *lines = part.rstrip("\n").split("\n")
        yield command, lines


def printed(command: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What a command prints on both streams, and how it ends when that is no success."""
    name, *arguments = shlex.split(command)
    if name == "cat":
        return Path(arguments[0]).read_text(encoding="utf-8").rstrip("\n").split("\n")
    code = run(arguments)
    said = capsys.readouterr()
    shown = COLOUR.sub("", said.out + said.err).replace(os.path.realpath("."), "@DIR@")
    lines = shown.rstrip("\n").split("\n") if shown.strip() else []
    return [*[line.rstrip() for line in lines], *([f"[exit {code}]"] if code else [])]


def fits(lines: list[str], wanted: list[str]) -> bool:
    """Whether ``lines`` are those ``wanted``; ``...`` stands for anything, alone for any lines."""
    pattern = "\n".join("\0" if line == "..." else re.escape(line) for line in wanted)
    pattern = pattern.replace("\n\0\n", "\n(?:.*\n)*").replace("\0\n", "(?:.*\n)*")
    pattern = pattern.replace("\n\0", "(?:\n.*)*").replace(re.escape("..."), ".*")
    return re.fullmatch(pattern, "\n".join(lines)) is not None


@pytest.mark.parametrize("page", EXAMPLES)
def test_every_example_prints_what_the_page_says(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for variable in ("CI", "EVALTUI_NOW"):
        monkeypatch.delenv(variable, raising=False)
    wrong = []
    for language, name, content in BOX.findall(text(page)):
        if language != "console":
            Path(name).write_text(content, encoding="utf-8")
            continue
        for command, wanted in commands(content):
            lines = printed(command, capsys)
            if not fits(lines, wanted):
                wrong.append("\n".join([f"$ {command}", *lines]))
    assert not wrong, "\n\n".join(wrong)
