"""Setting a root up: what is missing is made, what exists stays (requirements section 2)."""

from pathlib import Path

from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.formats.intents.policy_file import read_policy
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.governance.setup import initialise

SET = (
    ".orchestration/.gitattributes",
    ".orchestration/.gitignore",
    ".orchestration/active_intents.yaml",
    ".orchestration/constraints.sidecar.yaml",
)


def test_the_set_is_made_and_it_governs(tmp_path: Path) -> None:
    assert initialise(tmp_path) == SET
    assert RulesCache(tmp_path).current().governed
    assert ".local/" in (tmp_path / SET[1]).read_text()
    assert "intent_map.md" in (tmp_path / SET[1]).read_text().splitlines()
    assert "*.jsonl merge=union -text linguist-generated" in (tmp_path / SET[0]).read_text()


def test_what_is_made_reads_without_a_finding(tmp_path: Path) -> None:
    initialise(tmp_path)
    assert read_intents((tmp_path / SET[2]).read_text()).findings == ()
    assert read_policy((tmp_path / SET[3]).read_text()).findings == ()


def test_what_exists_is_not_changed(tmp_path: Path) -> None:
    (tmp_path / ".orchestration").mkdir()
    for name in SET[:3]:
        (tmp_path / name).write_text("mine\n")
    assert initialise(tmp_path) == SET[3:]
    assert {(tmp_path / name).read_text() for name in SET[:3]} == {"mine\n"}
    assert initialise(tmp_path) == ()
