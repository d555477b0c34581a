"""What goes over the wire to each vendor, and what is read from its replies (spec 5.3)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from evaltui.engine.carriers import ESCALATE, PASS, Value, fail, score
from evaltui.engine.effects import Message
from evaltui.errors import ConfigurationError
from evaltui.providers.artifacts import ArtifactFolders
from evaltui.providers.base import ProviderFailure, ProviderRequest, Reply

if TYPE_CHECKING:
    from evaltui.providers.connections import Outgoing
    from tests.fault_server.client import FaultServer
    from tests.providers.calling import Caller

BASE = "http://127.0.0.1:9/base/"
TALK = (
    Message("system", "Be brief."),
    Message("user", "Hi"),
    Message("assistant", "Hello"),
    Message("tool", "x"),
)
PIXEL = Path(__file__).with_name("pixel.png")


def caller(vendor: str, capability: str = "", **more: Any) -> Caller:  # noqa: ANN401
    from tests.providers.calling import Caller

    return Caller(vendor, more.pop("url", BASE), capability, **more)


def sent(one: Caller, *messages: Message, **arguments: Value) -> tuple[Outgoing, dict[str, Any]]:
    request = ProviderRequest(one.capability, messages or TALK, arguments)
    outgoing = one.provider.outgoing(one.provider.prompt(request))
    return outgoing, json.loads(outgoing.body)


def test_openai_keeps_two_roles_and_sends_listed_parameters_only() -> None:
    one = caller("openai", params={"top_p": 1, "seed": 3})
    outgoing, body = sent(one, temperature=1, max_tokens=9.9, colour="red", provider="Entry")
    assert outgoing.url == "http://127.0.0.1:9/base/chat/completions"
    assert outgoing.headers["authorization"] == "Bearer sk-planted-0123456789"
    assert outgoing.headers["content-type"] == "application/json"
    assert body == {
        "model": "served-model-2026-01-31",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello"},
            {"role": "user", "content": "x"},
        ],
        "temperature": 1.0,
        "max_tokens": 9,
        "top_p": 1.0,
    }
    assert list(body) == sorted(body)
    assert b'"temperature":1.0' in outgoing.body


def test_an_argument_chooses_the_model_and_a_vendor_has_a_default() -> None:
    one = caller("groq", model=None)
    assert sent(one)[1]["model"] == "llama-3.3-70b-versatile"
    assert sent(one, model="other")[1]["model"] == "other"


def test_azure_names_the_deployment_in_the_path() -> None:
    one = caller("azure_openai", model="my deployment")
    outgoing, body = sent(one, model="ignored?")
    assert outgoing.url.endswith(
        "/openai/deployments/ignored%3F/chat/completions?api-version=2024-06-01"
    )
    assert "model" not in body
    assert outgoing.headers["api-key"] == "sk-planted-0123456789"
    assert "authorization" not in outgoing.headers


def test_anthropic_takes_system_texts_apart() -> None:
    outgoing, body = sent(caller("anthropic"))
    assert outgoing.url == "http://127.0.0.1:9/base/messages"
    assert outgoing.headers["x-api-key"] == "sk-planted-0123456789"
    assert outgoing.headers["anthropic-version"] == "2023-06-01"
    assert body["max_tokens"] == 1024
    assert body["system"] == "Be brief."
    assert [one["role"] for one in body["messages"]] == ["user", "assistant", "user"]


def test_gemini_names_roles_and_parameters_in_its_own_way() -> None:
    outgoing, body = sent(caller("gemini"), max_tokens=5)
    assert outgoing.url.endswith("/base/models/served-model-2026-01-31:generateContent")
    assert outgoing.headers["x-goog-api-key"] == "sk-planted-0123456789"
    assert body["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    assert body["generationConfig"] == {"maxOutputTokens": 5}
    assert body["contents"][1] == {"parts": [{"text": "Hello"}], "role": "model"}
    assert "generationConfig" not in sent(caller("gemini"))[1]


def test_cohere_and_ollama() -> None:
    outgoing, body = sent(caller("cohere"), max_tokens=5, top_p=0.5)
    assert outgoing.url.endswith("/base/v2/chat")
    assert (body["max_tokens"], "top_p" in body) == (5, False)
    outgoing, body = sent(caller("ollama"), temperature=0.5, max_tokens=5)
    assert outgoing.url.endswith("/base/api/chat")
    assert (body["stream"], body["options"]) == (False, {"num_predict": 5, "temperature": 0.5})
    assert "authorization" not in outgoing.headers


@pytest.mark.parametrize(
    ("vendor", "path", "body"),
    [
        ("openai", "/embeddings", {"input": "Be brief.", "model": "m"}),
        (
            "azure_openai",
            "/openai/deployments/m/embeddings?api-version=2024-06-01",
            {"input": "Be brief."},
        ),
        ("gemini", "/models/m:embedContent", {"content": {"parts": [{"text": "Be brief."}]}}),
        (
            "cohere",
            "/v1/embed",
            {"input_type": "search_document", "model": "m", "texts": ["Be brief."]},
        ),
        ("ollama", "/api/embeddings", {"model": "m", "prompt": "Be brief."}),
    ],
)
def test_embeddings_are_of_the_first_message(vendor: str, path: str, body: dict[str, Any]) -> None:
    outgoing, found = sent(caller(vendor, "embed", model="m"))
    assert outgoing.url == f"http://127.0.0.1:9/base{path}"
    assert found == body


# Vision.

ADDRESS = "https://example.com/cat.jpeg?size=1"


def last_message(vendor: str, reference: str) -> Any:  # noqa: ANN401
    one = caller(vendor, "vision")
    body = sent(one, Message("user", "What is it?"), image=reference)[1]
    return body["contents"][-1] if vendor == "gemini" else body["messages"][-1]


def test_openai_sees_addresses_and_files() -> None:
    text = {"type": "text", "text": "What is it?"}
    image = {"type": "image_url", "image_url": {"url": ADDRESS}}
    assert last_message("openai", ADDRESS)["content"] == [text, image]
    shown = last_message("openai", str(PIXEL))["content"][1]["image_url"]["url"]
    assert shown.startswith("data:image/png;base64,iVBOR")


def test_anthropic_sees_images_and_documents() -> None:
    block = last_message("anthropic", str(PIXEL))["content"][1]
    assert (block["type"], block["source"]["media_type"]) == ("image", "image/png")
    block = last_message("anthropic", "data:application/pdf;base64,aGk=")["content"][1]
    assert (block["type"], block["source"]["data"]) == ("document", "aGk=")
    block = last_message("anthropic", "https://example.com/a.pdf")["content"][1]
    assert (block["type"], block["source"]["type"]) == ("document", "url")


def test_gemini_and_ollama_see_local_files() -> None:
    inline = last_message("gemini", str(PIXEL))["parts"][1]["inline_data"]
    assert inline["mime_type"] == "image/png"
    assert last_message("ollama", str(PIXEL))["images"][0].startswith("iVBOR")


@pytest.mark.parametrize(
    ("vendor", "reference", "text"),
    [
        ("gemini", ADDRESS, "local image files only"),
        ("ollama", ADDRESS, "local image files only"),
        ("openai", "https://example.com/a.pdf", "not PDF"),
        ("openai", "missing.png", "missing.png: No such file"),
        ("openai", "notes.txt", "not a kind of image"),
        ("openai", "data:image/png;base64,???", "not base64"),
        ("openai", "data:image/png,abc", "must be base64"),
    ],
)
def test_pictures_that_cannot_be_sent(vendor: str, reference: str, text: str) -> None:
    with pytest.raises(ProviderFailure, match=text) as caught:
        last_message(vendor, reference)
    assert caught.value.failure_class == "fixture"


def test_a_vision_call_without_an_image() -> None:
    with pytest.raises(ProviderFailure, match="vision call has no image argument"):
        sent(caller("openai", "vision"), other="x")


def test_files_outside_the_project_are_not_sent(tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / "suite").mkdir(parents=True)
    (tmp_path / "secret.png").write_bytes(b"x")
    (root / "own.png").write_bytes(b"x")
    folders = ArtifactFolders(root / "suite", root)
    one = caller("openai", "vision", folders=folders)
    assert sent(one, image="own.png")[1]
    for reference in ("../../secret.png", str(tmp_path / "secret.png")):
        with pytest.raises(ProviderFailure, match="outside the project"):
            sent(one, image=reference)


# Replies.


async def reply_to(faults: FaultServer, vendor: str, capability: str, script: str) -> Reply:
    one = caller(vendor, capability, url=faults.url(faults.bucket(), script))
    try:
        return await one.provider.call(one.request())
    finally:
        await one.network.close()


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("PASS", PASS),
        ("FAIL: too long", fail("too long")),
        ("SCORE: 0.5", score(0.5)),
        ("I would say pass", ESCALATE),
    ],
)
@pytest.mark.parametrize("vendor", ["openai", "anthropic", "gemini", "cohere", "ollama"])
async def test_judging_through_chat(
    faults: FaultServer, vendor: str, said: str, verdict: Value
) -> None:
    reply = await reply_to(faults, vendor, "judge", f"say:{said}")
    assert reply.value == verdict


async def test_a_judge_gets_rubric_and_subject(faults: FaultServer) -> None:
    bucket = faults.bucket()
    one = caller("openai", "judge", url=faults.url(bucket, "ok"))
    await one.provider.call(one.request())
    await one.network.close()
    messages = json.loads(faults.seen(bucket)["bodies"][0])["messages"]
    assert messages[1]["content"] == "Rubric: Is it fair?\n\nSubject:\nIt is."


async def test_tokens_and_model_are_those_of_the_reply(faults: FaultServer) -> None:
    for vendor in ("openai", "anthropic", "gemini", "ollama"):
        reply = await reply_to(faults, vendor, "chat", "ok")
        assert (reply.value, reply.model) == ("The answer is 42.", "served-model-2026-01-31")
        assert (reply.input_tokens, reply.output_tokens) == (11, 7)
        assert reply.cost is None


async def test_transcribe_speak_and_draw(faults: FaultServer, tmp_path: Path) -> None:
    folders = ArtifactFolders(kept=tmp_path / "kept", named="kept")
    bucket = faults.bucket()
    url = faults.url(bucket, "ok")
    found = []
    for capability in ("transcribe", "speak", "generate_image"):
        one = caller("openai", capability, url=url, folders=folders)
        found.append((await one.provider.call(one.request())).value)
        await one.network.close()
    assert found[0] == "The answer is 42."
    for name, suffix, start in ((found[1], ".mp3", b"ID3"), (found[2], ".png", b"\x89PNG")):
        assert isinstance(name, str)
        assert name.startswith("kept/")
        assert name.endswith(suffix)
        assert (tmp_path / name).read_bytes().startswith(start)
    form, speech, picture = faults.seen(bucket)["bodies"]
    assert 'name="model"\r\n\r\nserved-model-2026-01-31\r\n' in form
    assert 'name="file"; filename="pixel.png"' in form
    assert json.loads(speech)["voice"] == "alloy"
    assert json.loads(picture) == {
        "model": "served-model-2026-01-31",
        "n": 1,
        "prompt": "Be brief. What is the answer?",
    }


async def test_sounds_are_not_asked_for_twice_after_a_timeout(faults: FaultServer) -> None:
    from evaltui.project import Limits

    bucket = faults.bucket()
    one = caller("openai", "speak", url=faults.url(bucket, "silent"), limits=Limits(timeout_s=0.1))
    with pytest.raises(ProviderFailure):
        await one.provider.call(one.request())
    await one.network.close()
    assert faults.seen(bucket)["requests"] == 1


# Entries.


@pytest.mark.parametrize(
    ("vendor", "capability", "url", "text"),
    [
        ("anthropic", "embed", BASE, "does not support capability `embed`; it serves chat, judge"),
        ("openai", "chat", "localhost:1", "not a plain http or https address"),
        ("openai", "chat", "https://user:word@host/v1", "without user, password"),
        ("openai", "chat", "https://host:99999/v1", "not a plain http or https address"),
    ],
)
def test_entries_that_cannot_work(vendor: str, capability: str, url: str, text: str) -> None:
    with pytest.raises(ConfigurationError, match=text):
        caller(vendor, capability, url=url)


def test_keys_do_not_show_in_what_objects_print() -> None:
    one = caller("openai")
    assert "sk-planted" not in repr(one.provider._settings)
