"""`intent-lsp schema …`: the schemas, as a person would print them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from intent_lsp.formats.schemas.json_schema import MODELS, json_schema
from tests.doors.cli.conftest import Shell


@pytest.mark.parametrize("name", MODELS)
def test_a_schema_is_printed_in_any_directory(
    shell: Shell, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = shell("schema", name)
    assert (said.status, said.err) == (0, "")
    assert said.json == json_schema(name)
    assert said.out.startswith('{\n  "$schema": "https://json-schema.org/draft/2020-12/schema"')
    assert said.out.endswith("\n}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [(), ("intent",), ("intents", "policy")])
def test_another_name_is_refused_with_a_way_out(shell: Shell, words: tuple[str, ...]) -> None:
    problem = shell("schema", *words).problem
    assert problem.endswith("; see `intent-lsp schema --help`\n")


def test_a_name_that_is_none_is_answered_with_those_that_there_are(shell: Shell) -> None:
    assert "'intents', 'policy', 'record'" in shell("schema", "ledger").problem


@pytest.mark.e2e
def test_a_schema_is_utf_8_whatever_the_terminal_speaks() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "intent_lsp", "schema", "record"],
        capture_output=True,
        check=True,
        env=os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0"},
    )
    assert done.stdout.isascii()
