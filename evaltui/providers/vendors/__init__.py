"""The vendors that are reached over HTTP, each in a file of its own."""

from __future__ import annotations

from typing import Final

from evaltui.providers.vendors.anthropic import ANTHROPIC
from evaltui.providers.vendors.cohere import COHERE
from evaltui.providers.vendors.gemini import GEMINI
from evaltui.providers.vendors.ollama import OLLAMA
from evaltui.providers.vendors.openai_compatible import (
    AZURE_OPENAI,
    GROQ,
    OPENAI,
    OPENAI_COMPATIBLE,
)
from evaltui.providers.vendors.typesafe import TYPESAFE
from evaltui.providers.vendors.wire import Vendor

VENDORS: Final[dict[str, Vendor]] = {
    vendor.name: vendor
    for vendor in (
        OPENAI,
        GROQ,
        OPENAI_COMPATIBLE,
        AZURE_OPENAI,
        ANTHROPIC,
        GEMINI,
        COHERE,
        OLLAMA,
        TYPESAFE,
    )
}
