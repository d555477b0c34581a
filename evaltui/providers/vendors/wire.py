"""What a vendor's file is made of: how each capability is written to the wire and read from it.

A vendor is a ``Vendor`` value in a file of its own and a line in ``evaltui.providers.vendors``.
Nothing here or there knows about connections, retries or keys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from evaltui.engine.carriers import Value
from evaltui.engine.effects import Message
from evaltui.providers.base import ProviderFailure
from evaltui.providers.failures import Kind, failed
from evaltui.providers.json_reply import Document, parse_reply

Parameters = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that goes with a call: a ``url``, or ``content`` read from disk or a data URL."""

    reference: str
    media_type: str
    content: bytes | None = None
    local: bool = False

    @property
    def is_pdf(self) -> bool:
        return self.media_type == "application/pdf"


@dataclass(frozen=True, slots=True)
class Prompt:
    """One call, ready to be written. ``parameters`` are the call's over the entry's."""

    capability: str
    messages: tuple[Message, ...]
    model: str
    parameters: Parameters = field(default_factory=dict)
    artifact: Artifact | None = None
    api_version: str | None = None
    arguments: Mapping[str, Value] = field(default_factory=dict)

    def number(self, name: str) -> float | None:
        """A parameter that is sent as a float; integers become floats."""
        found = self.parameters.get(name)
        return float(found) if _is_number(found) and isinstance(found, int | float) else None

    def whole(self, name: str) -> int | None:
        """A parameter that is sent as an integer; floats are cut."""
        found = self.parameters.get(name)
        return int(found) if _is_number(found) and isinstance(found, int | float) else None

    def text(self, name: str, default: str) -> str:
        """A parameter that is sent as text."""
        found = self.parameters.get(name)
        return found if isinstance(found, str) else default

    @property
    def first_text(self) -> str:
        """The text of the first message, which is what embeddings use."""
        return self.messages[0].text if self.messages else ""

    def system(self) -> str | None:
        """All system texts, joined by newlines; None when there is none."""
        texts = [message.text for message in self.messages if message.role == "system"]
        return "\n".join(texts) if texts else None

    def spoken(self) -> list[Message]:
        """The messages that are not the system's."""
        return [message for message in self.messages if message.role != "system"]


def _is_number(found: object) -> bool:
    return isinstance(found, int | float) and not isinstance(found, bool) and found == found


@dataclass(frozen=True, slots=True)
class Post:
    """A JSON body for ``path``, relative to the base URL.

    Members that are None are left out, the others sorted; bytes are sent as they are.

    ``once``: a second try could do the work twice.
    """

    path: str
    body: Mapping[str, object] | bytes
    once: bool = False


@dataclass(frozen=True, slots=True)
class Upload:
    """A multipart form with one file."""

    path: str
    fields: Mapping[str, str]
    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Received:
    """A successful reply and the prompt it answers."""

    body: bytes
    headers: Mapping[str, str]
    prompt: Prompt
    strict: bool

    def document(self) -> Document:
        """The body as JSON.

        Raises:
            ProviderFailure: it is not.
        """
        return parse_reply(self.body, strict=self.strict)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reply says. ``model`` is the one that answered; tokens are None when not told.

    ``file`` is a generated artifact, ``fetch`` the address where it can be had.
    """

    value: Value = ""
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    file: bytes | None = None
    fetch: str | None = None


class Refusal(Exception):
    """The vendor declined to answer."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def no_answer(message: str, received: Received) -> ProviderFailure:
    """A reply without what it should hold."""
    return failed(Kind.INVALID_REPLY, message, raw=received.body)


def numbers(found: Document, received: Received) -> Value:
    """The numbers of an embedding; what is no number is dropped, unless the reply must be strict.

    Raises:
        ProviderFailure: there are none.
    """
    if not isinstance(found, list):
        raise no_answer("response had no embedding", received)
    kept: list[Value] = [float(one) for one in found if type(one) in (int, float)]
    if received.strict and (len(kept) != len(found) or not kept):
        raise no_answer("response had an embedding that is not all numbers", received)
    return kept


@dataclass(frozen=True, slots=True)
class Exchange:
    """How one capability is asked for and answered.

    ``read`` may raise ``Refusal`` or a ``ProviderFailure``.
    """

    write: Callable[[Prompt], Post | Upload]
    read: Callable[[Received], Answer]
    suffix: str = ""
    """File name ending of the artifact that an answer holds."""


def bearer(key: str) -> Mapping[str, str]:
    """The key as most vendors want it."""
    return {"authorization": f"Bearer {key}"}


@dataclass(frozen=True, slots=True)
class Vendor:
    """A vendor, or a preset of one. ``exchanges`` are by capability; ``judge`` goes through chat.

    ``hosts`` are the vendor's own besides that of ``base_url``. ``contract`` counts up when the
    same reply would be read differently: it is part of the instrument.
    """

    name: str
    exchanges: Mapping[str, Exchange]
    key_variable: str | None = None
    base_url: str | None = None
    model: str = ""
    auth: Callable[[str], Mapping[str, str]] | None = bearer
    """Headers that carry the key; None for a vendor without keys."""
    headers: Mapping[str, str] = field(default_factory=dict)
    needs_base_url: bool = False
    needs_model: bool = False
    hosts: tuple[str, ...] = ()
    base_url_variable: str | None = None
    check_path: str | None = None
    """A path that can be read to see whether the key works; it costs nothing."""
    contract: int = 1

    def exchange(self, capability: str) -> Exchange | None:
        """How a capability is served; None when it is not."""
        return self.exchanges.get(capability) or (
            self.exchanges.get("chat") if capability == "judge" else None
        )
