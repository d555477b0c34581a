"""Checks of ``--arg`` values whose parameter is a file (runtime specification 9.4)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from evaltui.ulx import tree
from evaltui.ulx.reading import NUL_IN_NAME, os_error_text

_HEAD_BYTES: Final = 64
_FORMATS: Final = {
    "pdf": ("pdf",),
    "image": ("png", "jpeg", "gif", "webp"),
    "audio": ("wav", "mp3", "ogg", "flac"),
    "video": ("mp4", "webm", "avi"),
}
_MAGIC: Final = (
    ("pdf", 0, b"%PDF"),
    ("png", 0, b"\x89PNG"),
    ("jpeg", 0, b"\xff\xd8\xff"),
    ("gif", 0, b"GIF8"),
    ("webp", 8, b"WEBP"),
    ("wav", 8, b"WAVE"),
    ("avi", 8, b"AVI "),
    ("mp3", 0, b"ID3"),
    ("mp3", 0, b"\xff\xfb"),
    ("mp3", 0, b"\xff\xf3"),
    ("mp3", 0, b"\xff\xf2"),
    ("ogg", 0, b"OggS"),
    ("flac", 0, b"fLaC"),
    ("mp4", 4, b"ftyp"),
    ("webm", 0, b"\x1a\x45\xdf\xa3"),
)


def artifact_problem(
    parameters: tuple[tree.Parameter, ...], arguments: Mapping[str, str]
) -> str | None:
    """Why an argument is not the kind of file that its parameter declares; None if all are."""
    for parameter in parameters:
        name, declared = parameter.name.text, parameter.type
        if name in arguments and isinstance(declared, tree.ArtifactType):
            problem = _problem(arguments[name], declared.word)
            if problem is not None:
                return f"--arg {name}: {problem}"
    return None


def _problem(value: str, word: str) -> str | None:
    if word not in _FORMATS or value.startswith(("http://", "https://")):
        return None
    if value.startswith("data:"):
        return _media_type_problem(value, word)
    try:
        with Path(value).open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError as error:
        return f"could not read `{value}` (declared `{word}`): {os_error_text(error)}"
    except ValueError:
        return f"could not read `{value}` (declared `{word}`): {NUL_IN_NAME}"
    return _content_problem(value, word, _format_of(head))


def _content_problem(value: str, word: str, found: str | None) -> str | None:
    wanted = ", ".join(_FORMATS[word])
    if found is None:
        return (
            f"`{value}` doesn't look like a recognized `{word}` file (checked magic bytes) — "
            f"expected one of: {wanted}"
        )
    if found in _FORMATS[word]:
        return None
    return (
        f"`{value}` looks like {found} content, but the parameter is declared `{word}` — "
        f"expected one of: {wanted}"
    )


def _format_of(head: bytes) -> str | None:
    for name, offset, magic in _MAGIC:
        in_container = offset != 8 or head.startswith(b"RIFF")
        if in_container and head[offset : offset + len(magic)] == magic:
            return name
    return None


def _media_type_problem(value: str, word: str) -> str | None:
    media_type = value.removeprefix("data:").partition(",")[0].partition(";")[0].lower()
    fits = media_type == "application/pdf" if word == "pdf" else media_type.startswith(f"{word}/")
    if fits:
        return None
    return (
        f"`{value}` is a data: URI whose declared content type doesn't look like `{word}` — "
        "check the MIME type before the base64 payload"
    )
