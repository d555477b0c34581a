"""What stands behind ``evaltui ulx parse|check|fmt|from-md|manifest|init``.

Every function writes to the given streams and returns the exit code (language specification 5,
runtime specification 9.9, 9.10 and 9.12).
"""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from evaltui.ulx.checks import check_program, has_errors
from evaltui.ulx.formatter import FormatError, format_source
from evaltui.ulx.grammar import parse
from evaltui.ulx.manifest import MANIFEST_NAME, Dependency, Manifest, ManifestError, parse_manifest
from evaltui.ulx.markdown import MarkdownError, compile_markdown
from evaltui.ulx.modules import LoadError, load
from evaltui.ulx.program import write_diagnostics, write_load_error
from evaltui.ulx.reading import ReadFailure, os_error_text, read_text
from evaltui.ulx.report import draw_syntax_error
from evaltui.ulx.syntax_error import UlxSyntaxError

_MAIN = '''\
conversation Hello(name: text) -> text {
  system: """You are a friendly assistant."""
  user: """Say hello to {name}."""
  assistant -> greeting: text
  greeting
}
'''


def parse_file(file: str, stdout: TextIO, stderr: TextIO) -> int:
    """Say whether ``file`` is a program, and how many items it has."""
    source = _read(file, stderr)
    if source is None:
        return 1
    try:
        program = parse(source)
    except UlxSyntaxError as error:
        stdout.write(draw_syntax_error(error, file, source))
        return 1
    imports, declarations = len(program.imports), len(program.declarations)
    stdout.write(f"OK: {imports} import(s), {declarations} declaration(s)\n")
    return 0


def check_file(file: str, stdout: TextIO, stderr: TextIO) -> int:
    """Check ``file`` and everything it imports."""
    try:
        program = load(file)
        found = check_program(program)
    except LoadError as error:
        write_load_error(error, stderr)
        return 1
    write_diagnostics(found, stdout)
    if not found:
        stdout.write(f"OK: {len(program.modules)} module(s), no diagnostics\n")
    return int(has_errors(found))


def format_file(file: str, stdout: TextIO, stderr: TextIO, *, check: bool) -> int:
    """Rewrite ``file`` in canonical form, or with ``check`` only say whether it would change."""
    source = _read(file, stderr)
    if source is None:
        return 1
    try:
        formatted = format_source(source)
    except UlxSyntaxError as error:
        stdout.write(draw_syntax_error(error, file, source))
        return 1
    except FormatError as error:
        return _report_format_error(error, file, stdout, stderr)
    if formatted == source:
        return 0
    if check:
        stdout.write(f"would reformat {file}\n")
        return 1
    return _write(file, formatted, f"formatted {file}", stdout, stderr)


def _report_format_error(error: FormatError, file: str, stdout: TextIO, stderr: TextIO) -> int:
    what = "does not parse" if error.syntax_error else "means something else"
    stderr.write(f"error: internal formatter error: reformatted output for {file} {what}\n")
    if error.syntax_error:
        stdout.write(draw_syntax_error(error.syntax_error, file, error.text))
    return 1


def compile_file(file: str, output: str | None, stdout: TextIO, stderr: TextIO) -> int:
    """Print the program that the Markdown ``file`` stands for, or write it to ``output``."""
    text = _read(file, stderr)
    if text is None:
        return 1
    try:
        program = compile_markdown(text)
        parse(program)
    except MarkdownError as error:
        stderr.write(f"error: {file}: {error.message}\n")
        return 1
    except UlxSyntaxError as error:
        stderr.write(f"error: internal error: the .ulx generated from {file} does not parse\n")
        stdout.write(draw_syntax_error(error, "(generated)", program))
        return 1
    if output is None:
        stdout.write(program)
        return 0
    return _write(output, program, f"wrote {output}", stdout, stderr)


def show_manifest(file: str, stdout: TextIO, stderr: TextIO) -> int:
    """Print what the manifest ``file`` says."""
    text = _read(file, stderr)
    if text is None:
        return 1
    try:
        manifest = parse_manifest(text)
    except ManifestError as error:
        stderr.write(f"error: {file} : {error.message}\n")
        return 1
    stdout.write("".join([f"{line}\n" for line in _manifest_lines(manifest)]))
    return 0


def _manifest_lines(manifest: Manifest) -> list[str]:
    package, runtime = manifest.package, manifest.runtime
    lines = [f"package: {package.name} v{package.version} (requires ulexite {package.ulexite})"]
    lines.append("dependencies:" if manifest.dependencies else "dependencies: (none)")
    lines += [f"  {name}{_source(entry)}" for name, entry in manifest.dependencies.items()]
    if manifest.providers:
        lines.append("providers:")
    lines += [
        f"  {name}: vendor={entry.vendor}, capabilities=[{', '.join(entry.capabilities)}]"
        for name, entry in manifest.providers.items()
    ]
    lines.append(
        f"runtime: concurrency={runtime.concurrency}, cache_backend={runtime.cache_backend}"
    )
    return lines


def _source(entry: Dependency) -> str:
    if entry.version is not None:
        return f' = "{entry.version}"'
    source = f": git={entry.git}" if entry.git is not None else f": path={entry.path}"
    return source if entry.tag is None else f"{source}, tag={entry.tag}"


def create_package(name: str, folder: str, stdout: TextIO, stderr: TextIO) -> int:
    """Write the first files of a package into ``folder``."""
    manifest, main = Path(folder, MANIFEST_NAME), Path(folder, "main.ulx")
    shown_manifest, shown_main = [_joined(folder, path.name) for path in (manifest, main)]
    if manifest.exists():
        stderr.write(f"error: {shown_manifest} already exists\n")
        return 1
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        manifest.write_text(_new_manifest(name), encoding="utf-8", newline="\n")
        main.write_text(_MAIN, encoding="utf-8", newline="\n")
    except OSError as error:
        stderr.write(f"error: could not write {folder}: {os_error_text(error)}\n")
        return 1
    stdout.write(
        f"created {shown_manifest}\ncreated {shown_main}\n"
        f"try: ulx run {shown_main} Hello --arg name=world --mock   "
        '(or configure a real provider — see README\'s "Configuring providers")\n'
    )
    return 0


def _joined(folder: str, name: str) -> str:
    return f"{folder}{name}" if not folder or folder.endswith("/") else f"{folder}/{name}"


def _new_manifest(name: str) -> str:
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    return (
        f'[package]\nname = "{quoted}"\nversion = "0.1.0"\nulexite = "^0.1"\n\n[dependencies]\n\n'
        '[runtime]\nconcurrency = 4\ncache_backend = "local"\n'
    )


def _read(file: str, stderr: TextIO) -> str | None:
    try:
        return read_text(Path(file))
    except ReadFailure as failure:
        stderr.write(f"error: could not read {file}: {failure}\n")
        return None


def _write(file: str, text: str, done: str, stdout: TextIO, stderr: TextIO) -> int:
    try:
        Path(file).write_bytes(text.encode("utf-8"))
    except OSError as error:
        stderr.write(f"error: could not write {file}: {os_error_text(error)}\n")
        return 1
    stdout.write(f"{done}\n")
    return 0
