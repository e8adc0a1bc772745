"""`intent-lsp init`."""

import os
from pathlib import Path

import pytest

from intent_lsp.core.paths import INTENTS_FILE, POLICY_FILE
from tests.doors.cli.conftest import Shell


def test_init_creates_the_set_and_says_what_comes_next(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = shell("init")
    assert (said.status, said.err) == (0, "")
    assert f"Created in {tmp_path}:" in said.out
    assert f"  {INTENTS_FILE}\n" in said.out
    assert "Next:" in said.out
    assert (tmp_path / INTENTS_FILE).is_file()
    assert not (tmp_path / ".orchestration" / ".local").exists()


def test_init_again_changes_nothing(shell: Shell, tmp_path: Path) -> None:
    shell("init", str(tmp_path))
    (tmp_path / POLICY_FILE).write_text("# ours\n")
    (tmp_path / INTENTS_FILE).unlink()
    again = shell("init", str(tmp_path), "--json")
    assert again.json == {"root": str(tmp_path), "created": [INTENTS_FILE]}
    assert (tmp_path / POLICY_FILE).read_text() == "# ours\n"
    assert "none was changed" in shell("init", str(tmp_path)).out


def test_a_root_within_a_root_is_said_to_be_one(shell: Shell, root: Path) -> None:
    (root / "part").mkdir()
    said = shell("init", "part")
    assert f"until now {root} governed this directory" in said.err


@pytest.mark.parametrize("name", ["missing", "file", "x\0y", "x" * 5000])
def test_a_place_that_is_no_directory_is_refused(shell: Shell, root: Path, name: str) -> None:
    (root / "file").touch()
    assert "is not a directory" in shell("init", name).problem


def test_a_place_that_cannot_be_written_is_one_line(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / ".orchestration").touch()
    assert f"{tmp_path / '.orchestration'}: " in shell("init", str(tmp_path)).problem


def test_a_name_that_is_no_text_is_spelled_out_in_json(shell: Shell, tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"caf\xe9")
    odd.mkdir()
    assert shell("init", str(odd), "--json").json["root"] == f"{tmp_path}/caf\udce9"
