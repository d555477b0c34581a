"""Markdown sources (language specification 7)."""

from __future__ import annotations

import pytest

from evaltui.ulx.grammar import parse
from evaltui.ulx.markdown import MarkdownError, compile_markdown, name_from_title


def test_a_title_and_a_paragraph_are_enough() -> None:
    assert compile_markdown("# say hello-again_x\r\n\r\nHi {name}, {name}!\n") == (
        "conversation SayHelloAgainX(name: text) -> text {\n"
        '  user: """Hi {name}, {name}!"""\n  assistant -> answer: text\n  answer\n}\n'
    )


def test_all_sections_and_the_meta_block() -> None:
    text = (
        "# Title\nbody\n## System\nBe {mood}\n## ASK\nTell {topic} { x }\n```\n# {code}\n```\n"
        "## Judge\nGood {answer}?\n## Notes\nno\n## user\nmore\n"
        '```ulx-meta\nname = "N"\nreturns = "json"\n```\n'
    )
    program = compile_markdown(text)
    assert program.startswith(
        'judge NJudge(subject: text) -> Verdict {\n  rubric: """Good {answer}?"""\n}\n\n'
        "conversation N(mood: text, topic: text) -> json {\n"
        '  system: """Be {mood}"""\n  user: """Tell {topic} { x }\nmore"""\n'
        "  assistant -> answer: json\n\n  match judge NJudge(answer) {\n"
        "    Pass          => answer\n"
    )
    assert len(parse(program).declarations) == 2


def test_parameters_of_the_meta_block_replace_those_found() -> None:
    program = compile_markdown(
        '# T\n{a}\n```ULX-Meta\n[[params]]\nname = "b"\ntype = "image"\n```\n'
    )
    assert "conversation T(b: image) -> text {" in program


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("text", "the Markdown file needs a top-level `# Title` heading"),
        ("# T\n```ulx-meta\n[\n```\nx", "invalid ```ulx-meta block: "),
        ("# T\n```ulx-meta\nname = 1\n```\nx", "invalid ```ulx-meta block: "),
        ("# T\n```ulx-meta\nparams = [1]\n```\nx", "invalid ```ulx-meta block: "),
        ("# T\n## System\nx", "write a paragraph under the title (or add a `## Ask` section)"),
        ("# ?!\nx", 'could not derive a valid conversation name from title "?!" — set `name`'),
        ('# T\n```ulx-meta\nname = ""\n```\nx', "could not derive a valid conversation name"),
    ],
)
def test_what_is_missing_is_named(text: str, start: str) -> None:
    with pytest.raises(MarkdownError) as caught:
        compile_markdown(text)
    assert caught.value.message.startswith(start)


@pytest.mark.parametrize(
    ("title", "name"), [("déjà vu", "DéjàVu"), ("3 wishes", "3Wishes"), ("ßa", "SSa"), ("?", "")]
)
def test_names_come_from_the_title(title: str, name: str) -> None:
    assert name_from_title(title) == name
