"""The documentation names what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

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
