"""`intent/change` of a real server: a record as the change that it is."""

import shutil
from typing import Any

import pytest

from intent_lsp.core.paths import LOCAL_ROOM
from tests.support.editor import Editor, editing
from tests.support.governed_repository import LINES, govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

LOGIN, INVOICE = "src/auth/login.py", "src/billing/invoice.py"


async def saved(editor: Editor, name: str, text: str, count: int) -> str:
    """Save a text; give the id of its record."""
    there = (editor.root / name).exists()
    editor.open(name, *([] if there else [""]))
    editor.type(name, text)
    await editor.save(name)
    await editor.traced(count)
    record: str = editor.records()[-1]["id"]
    return record


async def change(editor: Editor, record_id: str) -> Any:
    told = await editor.ask("intent/change", {"recordId": record_id})
    assert told == await editor.command("intent.change", {"recordId": record_id})
    return told


async def test_a_record_is_told_with_what_was_there_before_and_after(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        first = await saved(editor, LOGIN, LINES + "more\n", 1)
        told = await change(editor, first)
        assert {name: told[name] for name in ("intentId", "intentName", "who")} == {
            "intentId": "INT-001",
            "intentName": "Login",
            "who": "you",
        }
        (file,) = told["files"]
        assert (file["path"], file["uri"], file["previousPath"]) == (LOGIN, editor.uri(LOGIN), None)
        assert file["before"] == {"text": LINES, "why": None}
        assert file["after"] == {"text": LINES + "more\n", "why": None}
        (repository.root / "lib").mkdir()
        # What was out of scope, and a file that was not there before.
        second = await saved(editor, "lib/new.py", "new\n", 2)
        told = await change(editor, second)
        assert (told["scopeValidation"], told["reason"]) == ("FAIL", None)
        page = await editor.ask("intent/trace")
        assert page["who"] == {first: "you", second: "you"}
        assert told["files"][0]["before"] == {"text": None, "why": None}


async def test_what_is_kept_no_more_is_told_apart_from_what_was_never_there(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        first = await saved(editor, LOGIN, "one\n", 1)
        await saved(editor, LOGIN, "two\n", 2)
        binary = repository.write("src/auth/image.bin", b"\x89PNG\0\xff")
        await editor.until(lambda: len(editor.records()) == 3, "the image is recorded")
        image = editor.records()[-1]["id"]
        assert binary.exists()
    shutil.rmtree(repository.root / LOCAL_ROOM)
    async with editing(repository.root) as editor:
        (file,) = (await change(editor, first))["files"]
        assert file["before"]["text"] == LINES
        assert file["after"] == {"text": None, "why": "the content is not kept any more"}
        (file,) = (await change(editor, image))["files"]
        assert file["after"] == {"text": None, "why": "the content is not text"}
        with pytest.raises(Exception, match="the ledger has no record nothing"):
            await editor.ask("intent/change", {"recordId": "nothing"})
