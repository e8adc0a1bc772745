"""Intents renamed on disk: both files, everybody's changes, and who had selected them."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from intent_lsp.core.codes import RequestCode
from intent_lsp.core.content import hash_content
from intent_lsp.core.intents import IntentId
from intent_lsp.core.paths import IGNORE_FILE, INTENTS_FILE
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.plan.renaming import RenamedIntent, rename_on_disk
from intent_lsp.governance.root.intents_writer import UNSAVED
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.store.fs import write
from tests.governance.clocks_and_races import overtake_writes
from tests.governance.editor import INTENTS, Editor
from tests.governance.test_calls import Agent
from tests.support.repository import Repository

LOGIN = "src/auth/login.py"
RENAMED = INTENTS.replace("id: INT-001", "id: AUTH").replace(
    '["src/auth/**"]\n', '["src/auth/**"]\n    aliases: ["INT-001"]\n'
)


def rename(governance: Governance, old: str = "INT-001", new: str = "AUTH") -> RenamedIntent:
    done = rename_on_disk(governance.writer, old, new, unsaved_file=False)
    assert isinstance(done, RenamedIntent), done
    return done


def refusal(governance: Governance, old: str, new: str, *, unsaved: bool = False) -> Any:
    done = rename_on_disk(governance.writer, old, new, unsaved_file=unsaved)
    assert isinstance(done, CheckoutRefusal), done
    return done


def read(editor: Editor, name: str) -> str:
    return (editor.root / name).read_text()


def test_the_id_changes_and_is_an_alias(editor: Editor) -> None:
    before = editor.governance.rules.current().file.intents.get("INT-001")
    assert before is not None
    done = rename(editor.governance)
    assert read(editor, INTENTS_FILE) == RENAMED
    assert done.old_id == "INT-001"
    assert done.intent == replace(before, id=IntentId("AUTH"), aliases=("INT-001",))
    assert done.warnings == ()
    state = editor.governance.stores.state
    assert state is not None
    now = (editor.root / INTENTS_FILE).read_bytes()
    assert state.own_write(editor.place(INTENTS_FILE).path) == hash_content(now)


def test_an_alias_names_the_intent_and_can_become_its_id_again(editor: Editor) -> None:
    done = rename(editor.governance, "INT-OLD", "LIB")
    assert (done.old_id, done.intent.aliases) == ("INT-004", ("INT-OLD", "INT-004"))
    back = rename(editor.governance, "LIB", "INT-004")
    assert (back.intent.id, back.intent.aliases) == ("INT-004", ("INT-OLD", "LIB"))


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ("INT-9", "AUTH", RequestCode.INTENT_NOT_FOUND, "Intent INT-9 is not in "),
        ("INT-001", "INT-002", RequestCode.INTENTS_FILE_UNWRITTEN, "is the id of another intent"),
        ("INT-001", "INT-OLD", RequestCode.INTENTS_FILE_UNWRITTEN, "is an alias of INT-004"),
        ("INT-001", "INT-001", RequestCode.INTENTS_FILE_UNWRITTEN, "this is its id already"),
    ],
)
def test_what_cannot_be_renamed_stays(
    editor: Editor, old: str, new: str, code: RequestCode, said: str
) -> None:
    refused = refusal(editor.governance, old, new)
    assert refused.code is code
    assert said in refused.message
    assert read(editor, INTENTS_FILE) == INTENTS


def test_unsaved_text_and_a_file_that_does_not_parse_are_left(editor: Editor) -> None:
    refused = refusal(editor.governance, "INT-001", "AUTH", unsaved=True)
    assert refused.message == f"INT-001 was not renamed in {INTENTS_FILE}: {UNSAVED}."
    (editor.root / INTENTS_FILE).write_text("x: [\n")
    assert refusal(editor.governance, "INT-001", "AUTH").code is RequestCode.NOT_GOVERNED


def test_another_programs_change_is_kept(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = INTENTS.replace("name: Auth", "name: Login")
    overtake_writes(monkeypatch, editor.root / INTENTS_FILE, theirs.encode())
    rename(editor.governance)
    assert read(editor, INTENTS_FILE) == RENAMED.replace("name: Auth", "name: Login")


def test_an_id_that_another_program_takes_meanwhile_is_refused(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    (editor.root / IGNORE_FILE).write_text("INT-001\n")
    theirs = INTENTS.replace("id: INT-002", "id: AUTH")
    overtake_writes(monkeypatch, editor.root / INTENTS_FILE, theirs.encode())
    refused = refusal(editor.governance, "INT-001", "AUTH")
    assert "AUTH is the id of another intent" in refused.message
    assert read(editor, INTENTS_FILE) == theirs
    assert read(editor, IGNORE_FILE) == "INT-001\n"


@pytest.mark.parametrize("text", ["INT-001\n", "# who\r\n/INT-001", "INT-*\n!INT-001\nINT-001\n"])
def test_an_excluded_intent_is_excluded_at_every_moment(
    editor: Editor, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """Look at the rules whenever a file has been replaced."""
    (editor.root / IGNORE_FILE).write_bytes(text.encode())
    moments: list[bool] = []
    sync = write.sync_directory

    def look(path: Path) -> None:
        sync(path)
        rules = RulesCache(editor.root).current()
        intent = rules.active("INT-001")
        moments.append(intent is not None and intent.id in rules.ignored)

    monkeypatch.setattr(write, "sync_directory", look)
    assert rename(editor.governance).warnings == ()
    assert moments == [True, True, True]
    now = (editor.root / IGNORE_FILE).read_bytes().decode()
    assert now == text.replace("INT-001", "AUTH")


@pytest.mark.parametrize(
    ("text", "new", "warning"),
    [
        ("INT-00*\n", "AUTH", ".intentignore excluded INT-001 by `INT-00*`, and does not"),
        ("AU*\n", "AUTH", "AUTH is excluded by `AU*` in .intentignore"),
    ],
)
def test_a_pattern_stays_and_its_effect_is_said(
    editor: Editor, text: str, new: str, warning: str
) -> None:
    (editor.root / IGNORE_FILE).write_text(text)
    (said,) = rename(editor.governance, new=new).warnings
    assert said.startswith(warning)
    assert read(editor, IGNORE_FILE) == text


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"INT-001\n# \xff\n", "is not UTF-8 text; save it as UTF-8 and try again"),
        (b"INT-001\n", "Permission denied"),
    ],
)
def test_an_excluded_intent_stays_as_it_is_where_the_ignore_file_cannot_be_written(
    editor: Editor, data: bytes, why: str
) -> None:
    path = editor.root / IGNORE_FILE
    path.write_bytes(data)
    path.chmod(0o444 if data == b"INT-001\n" else 0o644)
    refused = refusal(editor.governance, "INT-001", "AUTH")
    assert "INT-001 was not renamed in " in refused.message
    assert why in refused.message
    assert path.read_bytes() == data
    assert read(editor, INTENTS_FILE) == INTENTS


def test_a_line_that_excludes_nothing_may_stay_behind(editor: Editor) -> None:
    path = editor.root / IGNORE_FILE
    path.write_text("!INT-001\n")
    path.chmod(0o444)
    (said,) = rename(editor.governance).warnings
    assert said.startswith(".intentignore still names INT-001: ")
    assert read(editor, INTENTS_FILE) == RENAMED


def test_who_had_selected_it_goes_on(governed: Repository, editor: Editor) -> None:
    editor.select("INT-002")
    editor.select("INT-001")
    agent = Agent(governed, "builder")
    try:
        assert rename(agent.governance).intent.id == "AUTH"
        for governance, session in (
            (editor.governance, editor.session.id),
            (agent.governance, "builder"),
        ):
            assert governance.status(session).active_intent_id == "AUTH"
            # It is still the one that was selected last.
            assert [intent.id for intent in governance.open_intents()][:2] == ["AUTH", "INT-002"]
    finally:
        agent.governance.close(None)
