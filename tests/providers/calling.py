"""Calls of live providers against the fault server, with time that passes at once."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from evaltui.engine.carriers import Value
from evaltui.engine.effects import Message
from evaltui.project import Limits
from evaltui.providers.artifacts import ArtifactFolders
from evaltui.providers.base import ProviderRequest
from evaltui.providers.http_provider import HttpProvider, Surroundings
from evaltui.providers.live import live_provider
from evaltui.providers.network import Network
from evaltui.providers.rules import RUN_RULES, Rules, Timing
from evaltui.providers.vendors import VENDORS
from evaltui.redaction import SecretScanner
from evaltui.ulx.manifest import Capability, ProviderEntry

KEY = "sk-planted-0123456789"
MODEL = "served-model-2026-01-31"
QUESTIONS = '{"entitled":{"type":"noul","instructions":"Is it?"}}'
RULES = replace(RUN_RULES, max_bytes=1024 * 1024)


@dataclass
class FakeTime:
    """Time that runs as usual, and jumps ahead instead of sleeping; ``slept`` are the jumps."""

    chance: float = 0.5
    ahead: float = 0.0
    slept: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.ahead += seconds
        await asyncio.sleep(0)

    def timing(self) -> Timing:
        return Timing(
            lambda: time.monotonic() + self.ahead,
            self.sleep,
            lambda: self.chance,
            lambda: 1_800_000_000.0 + self.ahead,
        )


@dataclass
class Caller:
    """One provider of ``vendor`` at ``url``."""

    vendor: str
    url: str
    capability: str = ""
    rules: Rules = RULES
    limits: Limits = field(default_factory=Limits)
    time: FakeTime = field(default_factory=FakeTime)
    record: bool = False
    patterns: tuple[str, ...] = ()
    model: str | None = MODEL
    params: dict[str, object] = field(default_factory=dict)
    folders: ArtifactFolders = field(default_factory=ArtifactFolders)
    bucket: str = ""

    def __post_init__(self) -> None:
        self.capability = self.capability or main_capability(self.vendor)
        self.network = Network(
            self.rules,
            {"Entry": self.limits},
            self.time.timing(),
            scanner=SecretScanner(self.patterns, {}),
            record=self.record,
        )
        entry = ProviderEntry(
            "Entry",
            self.vendor,
            self.url,
            "PLANTED",
            None,
            {self.capability: Capability(self.model, self.params)},
        )
        around = Surroundings(self.network, self.folders)
        self.provider: HttpProvider = live_provider(
            entry, self.capability, {"PLANTED": KEY}, around
        )

    def request(self, within_s: float | None = 600, **arguments: Value) -> ProviderRequest:
        messages = (Message("system", "Be brief."), Message("user", "What is the answer?"))
        judge = "Fair" if self.capability == "judge" else None
        given = arguments or default_arguments(self.capability)
        return ProviderRequest(self.capability, messages, given, judge, timeout_s=within_s)


def main_capability(vendor: str) -> str:
    """What a vendor is for."""
    return "chat" if "chat" in VENDORS[vendor].exchanges else "systemone"


def default_arguments(capability: str) -> dict[str, Value]:
    if capability == "judge":
        return {"rubric": "Is it fair?", "subject": "It is."}
    if capability == "systemone":
        return {"state": '{"claim":"broken"}', "questions": QUESTIONS}
    if capability in ("vision", "transcribe"):
        return {"_": str(Path(__file__).with_name("pixel.png"))}
    return {}
