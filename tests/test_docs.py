"""The documentation names what there is."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
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


def console(page: str, beginning: str) -> str:
    """The console box of a page whose first line begins so."""
    boxes = (str(content) for _, _, content in BOX.findall(text(page)))
    return next(content for content in boxes if content.startswith(beginning))


def in_a_shell(script: str, home: Path, **more: str) -> str:
    """What a script prints on both streams, run in the root of the repository."""
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    variables = ("CI", "EVALTUI_NOW", "EVALTUI_REVIEWER", "OPENAI_API_KEY")
    kept = {name: value for name, value in os.environ.items() if name not in variables}
    return subprocess.run(
        ["bash", "-c", script],
        cwd=ROOT,
        env={**kept, "HOME": str(home), "PATH": paths, **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    ).stdout


def test_a_first_suite_is_made_run_and_accepted_as_shown(tmp_path: Path) -> None:
    box = console("README.md", "$ mkdir ~/hello")
    script, wanted = zip(*commands(box), strict=True)
    said = in_a_shell("\n".join(script), tmp_path)
    assert said.rstrip("\n").split("\n") == [line for lines in wanted for line in lines]
    assert not (ROOT / "fixtures" / "hello" / "decisions").exists()


def test_a_missing_key_is_told_as_shown(tmp_path: Path) -> None:
    ((command, wanted),) = commands(console("README.md", "$ env -u OPENAI_API_KEY"))
    entry = text("README.md").split("```toml\n")[1].split("```")[0]
    hello = tmp_path / "hello"
    hello.mkdir()
    (hello / "evaltui.toml").write_text(entry, encoding="utf-8")
    (hello / "hello.ulx").write_bytes((ROOT / "fixtures" / "hello" / "hello.ulx").read_bytes())
    said = in_a_shell(f"cd ~/hello; {command}", tmp_path)
    assert said.replace(str(tmp_path), "/home/you").splitlines() == wanted


def test_the_workflow_shown_passes_and_leaves_its_reports(tmp_path: Path) -> None:
    evals = tmp_path / "project" / "evals"
    evals.mkdir(parents=True)
    (evals / "hello.ulx").write_bytes((ROOT / "fixtures" / "hello" / "hello.ulx").read_bytes())
    accepted = "evaltui accept --filter gate:new --cause initial --reviewer you --reason read"
    in_a_shell(
        f"git init -q ~/project; cd ~/project; evaltui run evals --mock --ci; {accepted}", tmp_path
    )
    shutil.rmtree(tmp_path / "project" / ".evaltui")
    workflow = text("docs/ci.md").split("```yaml\n")[1].split("```")[0]
    steps = [step for step in re.findall(r"- run: (.*)", workflow) if not step.startswith("pip")]
    summary = tmp_path / "summary.md"
    said = in_a_shell(
        "set -e; cd ~/project\n" + "\n".join(steps),
        tmp_path,
        CI="true",
        GITHUB_STEP_SUMMARY=str(summary),
    )
    assert "exit          0" in said.splitlines()
    assert len(steps) == 3
    assert "every gate holds" in summary.read_text(encoding="utf-8")
    assert 'tests="3" failures="0"' in (tmp_path / "project/reports/evals.xml").read_text("utf-8")
