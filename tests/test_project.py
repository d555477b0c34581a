from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaltui.errors import ConfigurationError
from evaltui.models import Gate
from evaltui.project import POLICY_NAME, Policy, find_root, load_policy
from evaltui.toml_tables import line_of

FULL = """
[project]
case_id = "ticket"

[run]
concurrency = 4
case_seconds = 1.5
max_no_result = 2
near_band = "0.05"

[providers.Writer]
vendor = "openai"
api_key_env = "KEY"
chat = "gpt"
judge = { model = "big", params = { temperature = 0.2, stop = ["a"] } }

[tolerance]
Replies = 1
"Replies/expect#1" = 0.10

[compare]
"Replies/snapshot" = { list_key = "id" }

[gates]
new = "report"
near = "fail"

[slices]
lang = "language"

[expiry]
default = "30d"
max = "1y"
warn_days = 3

[redaction]
patterns = ["sk-[a-z]+"]

[keys]
accept = "ctrl+b"
"""


def policy_of(folder: Path, text: str) -> Policy:
    (folder / POLICY_NAME).write_text(text, encoding="utf-8")
    return load_policy(folder)


def test_a_project_without_a_file_has_the_defaults(tmp_path: Path) -> None:
    policy = load_policy(tmp_path)

    assert policy == Policy()
    assert (policy.run.concurrency, policy.run.case_seconds, policy.run.max_no_result) == (
        8,
        120,
        0,
    )
    assert (policy.expiry.default, policy.expiry.max, policy.expiry.warn_days) == ("90d", "365d", 7)
    assert [gate for gate, fails in policy.gates.items() if not fails] == [
        Gate.UNSTABLE,
        Gate.REVISED,
        Gate.NEAR,
    ]


def test_every_table_is_read(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, FULL)

    assert policy.project.case_id == "ticket"
    assert (policy.run.concurrency, policy.run.case_seconds, policy.run.max_no_result) == (
        4,
        1.5,
        2,
    )
    assert policy.near_band == Decimal("0.05")
    writer = policy.providers["Writer"]
    assert (writer.name, writer.vendor, writer.api_key_env) == ("Writer", "openai", "KEY")
    assert writer.capabilities["chat"].model == "gpt"
    assert writer.capabilities["judge"].params == {"temperature": 0.2, "stop": ["a"]}
    assert policy.tolerance == {"Replies": Decimal(1), "Replies/expect#1": Decimal("0.10")}
    assert policy.compare["Replies/snapshot"].list_key == "id"
    assert (policy.gates[Gate.NEW], policy.gates[Gate.NEAR], policy.gates[Gate.FAIL]) == (
        False,
        True,
        True,
    )
    assert policy.slices == {"lang": "language"}
    assert (policy.expiry.default, policy.expiry.max, policy.expiry.warn_days) == ("30d", "1y", 3)
    assert policy.redaction.patterns == ("sk-[a-z]+",)
    assert policy.keys == {"accept": "ctrl+b"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[run]\nconcurency = 1\n",
            "2: unknown key `run.concurency`; did you mean `concurrency`?",
        ),
        ("# policy\n\n[runs]\n", "3: unknown key `runs`; did you mean `run`?"),
        (
            "colour = 1\n",
            "1: unknown key `colour`; known here: project, run, providers, tolerance, compare,"
            " gates, slices, expiry, redaction, keys, limits, prices",
        ),
        ("[gates]\n\ndrfit = 'fail'\n", "3: unknown key `gates.drfit`; did you mean `drift`?"),
        ("[gates]\ndrift = 'warn'\n", "2: `gates.drift` must be 'fail' or 'report', not 'warn'"),
        ("[run]\nconcurrency = '8'\n", "2: `run.concurrency` must be a whole number, not '8'"),
        ("[run]\nconcurrency = true\n", "2: `run.concurrency` must be a whole number, not true"),
        (
            "[run]\nconcurrency = 0\n",
            "2: `run.concurrency` must be greater than or equal to 1, not 0",
        ),
        ("run = 3\n", "1: `run` must be a table, not 3"),
        ("[slices]\nlang = ''\n", "2: `slices.lang` must be a text that is not empty, not ''"),
        ("[tolerance]\nB = 'much'\n", "2: `tolerance.B` must be a number"),
        ("[tolerance]\nB = nan\n", "2: `tolerance.B` must be a number"),
        (
            "[tolerance]\nB = -0.5\n",
            "2: `tolerance.B` must be greater than or equal to 0, not -0.5",
        ),
        ("[expiry]\ndefault = 'soon'\n", "2: `expiry.default` must be a span of days such as 90d"),
        (
            "[expiry]\ndefault = '2y'\n",
            "1: `expiry` default (2y) is beyond max (365d)",
        ),
        ("[providers.W]\nchat = 'm'\n", "1: `providers.W` has no `vendor`"),
        (
            "[providers.W]\nvendor = 'openai'\n",
            '1: `providers.W` declares no capabilities: add at least one, e.g. chat = "..."',
        ),
        (
            "[providers.W]\nvendor = 'x'\nchat = { modle = 'm' }\n",
            "3: unknown key `providers.W.chat.modle`; did you mean `model`?",
        ),
        (
            "[redaction]\npatterns = [\n  'ok',\n  '(',\n]\n",
            "2: `redaction.patterns.1` must be a regular expression:"
            " missing ), unterminated subpattern at position 0",
        ),
        ("[run]\n[run]\n", "2: not TOML: Cannot declare ('run',) twice"),
        ("[run]\nconcurrency =", "2: not TOML: Invalid value (at end of document)"),
        ("[expiry]\nwarn_days = 1.5\n", "2: `expiry.warn_days` must be a whole number, not 1.5"),
        ("[limits.W]\nverify_tls = 0\n", "2: `limits.W.verify_tls` must be true or false, not 0"),
        ("[limits.W]\ntimeout_s = 0\n", "2: `limits.W.timeout_s` must be greater than 0, not 0"),
        (
            "[run]\ncase_seconds = 1e9\n",
            "2: `run.case_seconds` must be less than or equal to 86400, not 1E+9",
        ),
        (
            "[providers.W]\nvendor = 'x'\nchat = 3\n",
            "3: `providers.W.chat` must be a table, not 3",
        ),
        (
            "[providers.W]\nvendor = 'x'\nchta = 'm'\n",
            "3: unknown key `providers.W.chta`; did you mean `chat`?",
        ),
        ("[redaction]\npatterns = [1]\n", "2: `redaction.patterns.0` must be a text, not 1"),
    ],
)
def test_a_mistake_is_one_line_with_its_place_and_key(
    tmp_path: Path, text: str, expected: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        policy_of(tmp_path, text)
    assert str(caught.value) == f"{tmp_path / POLICY_NAME}:{expected}"


def test_of_several_mistakes_the_first_in_the_file_is_shown(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r":2: unknown key `keys\.x\.y`|:2: `keys\.x`"):
        policy_of(tmp_path, "[keys]\nx = { y = 1 }\n[run]\nconcurrency = 'a'\n")


def test_a_file_that_is_not_utf_8_is_one_line(tmp_path: Path) -> None:
    (tmp_path / POLICY_NAME).write_bytes(b"[project]\ncase_id = '\xff'\n")

    with pytest.raises(ConfigurationError, match=r"evaltui\.toml: not UTF-8 \(byte 21\)"):
        load_policy(tmp_path)


def test_a_folder_in_place_of_the_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / POLICY_NAME).mkdir()

    with pytest.raises(ConfigurationError, match=r"evaltui\.toml: cannot be read"):
        load_policy(tmp_path)


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    assert policy_of(tmp_path, "\ufeff[run]\nconcurrency = 2\n").run.concurrency == 2


def test_the_digest_follows_the_meaning_and_not_the_writing(tmp_path: Path) -> None:
    plain = policy_of(tmp_path, "[tolerance]\nA = 0.1\nB = 2\n").digest

    assert policy_of(tmp_path, "# new\n[tolerance]\nB = '2.0'\nA = 0.100\n").digest == plain
    assert policy_of(tmp_path, "[keys]\nx = 'y'\n[tolerance]\nA=0.1\nB=2").digest == plain
    assert policy_of(tmp_path, "[tolerance]\nA = 0.1\nB = 2.5\n").digest != plain
    assert policy_of(tmp_path, "[run]\nconcurrency = 8\n").digest == Policy().digest
    assert len(plain) == 64


def test_the_root_is_the_nearest_folder_with_a_policy(tmp_path: Path) -> None:
    suite = tmp_path / "a" / "b" / "s.ulx"
    suite.parent.mkdir(parents=True)
    suite.touch()
    (tmp_path / ".git").mkdir()
    assert find_root(suite) == tmp_path

    (tmp_path / "a" / POLICY_NAME).touch()
    assert find_root(suite) == find_root(suite.parent) == tmp_path / "a"
    assert find_root(suite.parent / ".." / "missing.ulx") == tmp_path / "a"


def test_without_a_marker_the_root_is_the_folder_of_the_suite(tmp_path: Path) -> None:
    suite = tmp_path / "s.ulx"
    suite.touch()

    assert find_root(suite) == tmp_path


def test_reading_a_policy_loads_no_heavy_library(tmp_path: Path) -> None:
    (tmp_path / POLICY_NAME).write_text(FULL, encoding="utf-8")
    code = (
        "import sys; from pathlib import Path; from evaltui.project import load_policy;"
        f"load_policy(Path({str(tmp_path)!r})); print('pydantic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@given(st.lists(st.sampled_from(["", "# note", "other = 1", 'text = """\n[run]\n"""']), max_size=4))
def test_the_line_of_a_value_is_where_it_is_written(before: list[str]) -> None:
    above = "".join(f"{line}\n" for line in dict.fromkeys(before))
    text = f"{above}[run]\n\nlimits = [\n  1,\n]\n"
    header = above.count("\n") + 1

    assert line_of(text, ("run",)) == header
    assert line_of(text, ("run", "limits")) == header + 2
    assert line_of(text, ("run", "missing")) == header


@pytest.mark.parametrize("target", ["nowhere.toml", POLICY_NAME])
def test_a_policy_that_leads_nowhere_is_not_passed_over(tmp_path: Path, target: str) -> None:
    (tmp_path / POLICY_NAME).symlink_to(target)
    assert find_root(tmp_path / "sub" / "s.ulx") == tmp_path
    with pytest.raises(ConfigurationError, match=r"leads to nothing|cannot be read"):
        load_policy(tmp_path)
