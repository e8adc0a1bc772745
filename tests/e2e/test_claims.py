"""Saves of files that an agent's call claims, through a real client (requirements section 7)."""

from typing import Any

import pytest

from intent_lsp.core.content import hash_content
from tests.support.editor import Editor, editing
from tests.support.governed_repository import LINES, govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

LOGIN = "src/auth/login.py"
TEXT = LINES + "by an agent\n"


async def ask(editor: Editor, name: str, **params: Any) -> Any:
    return await editor.ask(f"intent/{name}", {"sessionId": "builder", **params})


async def claimed(editor: Editor, **more: Any) -> str:
    """Let an agent check out INT-001 and have its edit of LOGIN judged; give the ticket."""
    await ask(editor, "select", intentId="INT-001", modelIdentifier="maker/model-1")
    told = await ask(editor, "validateEdit", toolName="Write", path=LOGIN, newText=TEXT, **more)
    assert told["allowed"], told
    return str(told["ticket"])


def contributor(record: dict[str, Any]) -> Any:
    (file,) = record["files"]
    (conversation,) = file["conversations"]
    return conversation["contributor"]


async def test_a_save_under_a_claim_is_the_agents_change(repository: Repository) -> None:
    # In block mode, and without an intent of the person's own: it is not turned back.
    govern(repository, "enforcement: block")
    async with editing(repository.root) as editor:
        editor.open(LOGIN)
        ticket = await claimed(editor)
        editor.type(LOGIN, TEXT)
        assert not await editor.settled(LOGIN)
        await editor.save(LOGIN)
        assert (repository.root / LOGIN).read_text() == TEXT
        await editor.settled(LOGIN)
        assert editor.records() == []
        done = await ask(editor, "recordEdit", ticket=ticket, success=True)
        (record,) = editor.records()
        assert (record["id"], record["session_id"]) == (done["recordId"], "builder")
        assert (record["tool_name"], record["intent_id"]) == ("Write", "INT-001")
        assert contributor(record) == {"entity_type": "AI", "model_identifier": "maker/model-1"}
        await editor.problems(LOGIN)
        # Saved again without a change, it has no second record.
        await editor.save(LOGIN)
        await editor.settled(LOGIN)
        assert len(editor.records()) == 1


async def test_what_a_person_changed_before_the_save_is_a_mixed_change(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        editor.open(LOGIN)
        ticket = await claimed(editor)
        editor.type(LOGIN, TEXT + "and by a person\n")
        await editor.save(LOGIN)
        await editor.settled(LOGIN)
        await ask(editor, "recordEdit", ticket=ticket, success=True)
        (record,) = editor.records()
        assert contributor(record)["entity_type"] == "MIXED"
        (file,) = record["files"]
        assert file["post_hash"] == hash_content((TEXT + "and by a person\n").encode())


async def test_a_save_that_no_agent_records_is_the_editors_own(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        editor.open(LOGIN)
        await claimed(editor)
        editor.type(LOGIN, TEXT)
        await editor.save(LOGIN)
        await editor.settled(LOGIN)
        assert editor.records() == []
        # Its next turn ends the agent's claims.
        await ask(editor, "beginTurn")
        await editor.traced(1)
        (record,) = editor.records()
        assert (record["tool_name"], record["scope_validation"]) == ("editor/save", "PASS")
        assert contributor(record)["entity_type"] == "HUMAN"
        (file,) = record["files"]
        assert file["pre_hash"] == hash_content(LINES.encode())
        assert file["conversations"][0]["ranges"][0]["replaced"] == [11, 0, 1]
        assert (await editor.ask("intent/verify"))["ok"]


async def test_an_edit_of_an_open_document_is_recorded_at_its_save(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        editor.open(LOGIN)
        await ask(editor, "select", intentId="INT-001")
        told = await ask(editor, "applyEdit", toolName="Write", path=LOGIN, newText=TEXT)
        assert (told["applied"], told["recordId"]) == (True, None)
        await editor.until(lambda: editor.buffers[LOGIN].text == TEXT, "the editor has it")
        assert (repository.root / LOGIN).read_text() == LINES
        await editor.save(LOGIN)
        await editor.traced(1)
        (record,) = editor.records()
        assert (record["session_id"], record["tool_name"]) == ("builder", "Write")
        assert contributor(record)["entity_type"] == "AI"
        # The agent has read what it wrote: its next edit is not stale.
        again = await ask(editor, "applyEdit", toolName="Write", path=LOGIN, newText=LINES)
        assert again["applied"]
        await editor.until(lambda: editor.buffers[LOGIN].text == LINES, "the editor has it")
        editor.type(LOGIN, LINES + "mine\n")
        await editor.save(LOGIN)
        await editor.traced(2)
        assert contributor(editor.records()[1])["entity_type"] == "MIXED"
        # Both tickets have ended: what is saved now is the person's.
        editor.type(LOGIN, LINES + "mine alone\n")
        await editor.save(LOGIN)
        await editor.traced(3)
        assert editor.records()[2]["tool_name"] == "editor/save"
        assert (await editor.ask("intent/verify"))["ok"]
