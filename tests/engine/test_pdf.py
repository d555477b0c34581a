"""``pdf.extract_text`` on real documents, and on what is none."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import pytest

from evaltui.cli import run
from evaltui.ulx.cli import main

SUITE = """
import "pdf" as pdf
dataset Rows: [{id: text, doc: text}] { [{id: "only", doc: "%s"}] }
benchmark Letters {
  dataset: Rows
  run: pdf.extract_text($.doc) -> letter
  snapshot letter as "letter"
}
"""


def document(*lines: str) -> bytes:
    """A PDF of one page; every line is a text of its own."""
    shown = "".join(
        f"BT /F1 12 Tf 72 {720 - 20 * n} Td ({text}) Tj ET\n" for n, text in enumerate(lines)
    )
    page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"{page} /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(shown)} >>\nstream\n{shown}endstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    body, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    trailer = f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return f"{body}xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}".encode()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("CI", raising=False)
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    (project / "evaltui.toml").write_text("")
    (project / "letter.pdf").write_bytes(document("Dear Ada", "the fee comes back"))
    return project


def ulx(doc: str) -> tuple[int, str]:
    Path("letters.ulx").write_text(SUITE % doc)
    out, err = io.StringIO(), io.StringIO()
    code = main(["bench", "letters.ulx", "Letters", "--mock"], out, err)
    return code, out.getvalue() + err.getvalue()


def ours(doc: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    Path("letters.ulx").write_text(SUITE % doc)
    code = run(["run", "letters.ulx", "--ci", "--mock"])
    said = capsys.readouterr()
    return code, said.out + said.err


def extracted() -> str:
    (snapshot,) = Path("snapshots/Letters").glob("*.json")
    return snapshot.read_text()


def test_the_text_of_a_file_is_read() -> None:
    assert ulx("letter.pdf") == (0, "row 0: PASS\nLetters: 1/1 row(s) passed\n")
    assert '"Dear Ada\\nthe fee comes back"' in extracted()
    assert ulx("letter.pdf")[0] == 0


def test_the_text_of_a_data_address_is_read() -> None:
    content = base64.b64encode(document("Dear Zoe")).decode()
    assert ulx(f"data:application/pdf;base64,{content}")[0] == 0
    assert '"value": "Dear Zoe"' in extracted()


def test_a_run_reads_beside_the_suite_and_from_the_root(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "no baseline yet" in ours("letter.pdf", capsys)[1]
    assert ulx("letter.pdf")[0] == 0
    assert "unsigned" in ours("letter.pdf", capsys)[1]
    Path("sub").mkdir()
    Path("sub/letters.ulx").write_text(SUITE % "letter.pdf")
    assert run(["run", "sub/letters.ulx", "--ci", "--mock"]) == 1
    assert "no baseline yet" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("doc", "said"),
    [
        ("missing.pdf", "I/O error: could not read PDF file `missing.pdf`: No such file"),
        (".", "I/O error: could not read PDF file `.`: Is a directory (os error 21)"),
        ("/dev/zero", "I/O error: could not read PDF file `/dev/zero`: "),
        ("a" * 5_000, "I/O error: could not read PDF file `aaa"),
        ("broken.pdf", "type error: pdf.extract_text: could not extract text from `broken.pdf`"),
        ("empty.pdf", "type error: pdf.extract_text: could not extract text from `empty.pdf`"),
        ("data:application/pdf,abc", "isn't a `;base64,`-encoded data: URI"),
        ("data:application/pdf;base64,?", "type error: pdf.extract_text: bad base64: "),
        ("data:application/pdf;base64,AAAA", "type error: pdf.extract_text: could not extract"),
        ("https://example.org/a.pdf", "not implemented: pdf.extract_text: fetching a remote PDF"),
    ],
)
def test_what_is_no_document_is_an_error(
    doc: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("broken.pdf").write_bytes(document("Dear Ada")[:300])
    Path("empty.pdf").write_bytes(b"")
    code, printed = ulx(doc)
    assert code == 1 and said in printed
    code, printed = ours(doc, capsys)
    assert code == 3 and "! error     only" in printed
    assert said in printed or doc == "/dev/zero"


@pytest.mark.parametrize("link", [False, True])
def test_a_run_reads_nothing_outside_the_project(
    link: bool, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = folder.parent / "secret.pdf"
    outside.write_bytes(document("secret"))
    if link:
        Path("link.pdf").symlink_to(outside)
    for doc in ["link.pdf"] if link else ["../secret.pdf", str(outside), "sub/../../secret.pdf"]:
        code, printed = ours(doc, capsys)
        assert (
            code == 3 and f"could not read PDF file `{doc}`: it is outside the project" in printed
        )
    assert ulx("link.pdf" if link else "../secret.pdf")[0] == 0
