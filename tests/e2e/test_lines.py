"""`intent/lines` of a real server, and `intent-lsp trace lines` beside it (protocol section 2)."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from tests.support.editor import Editor, editing
from tests.support.governed_repository import INTENTS, LINES, govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

LOGIN, NEW = "src/auth/login.py", "src/auth/näw.py"
INTENTS_FILE = ".orchestration/active_intents.yaml"


async def lines_of(editor: Editor, intent_id: str) -> Any:
    """Ask by request, by command and by command line, which must say the same."""
    by_request = await editor.ask("intent/lines", {"intentId": intent_id})
    assert by_request == await editor.command("intent.lines", {"intentId": intent_id})
    assert by_request == await asyncio.to_thread(at_the_shell, editor.root, intent_id)
    return by_request


def at_the_shell(root: Path, intent_id: str) -> Any:
    words = [sys.executable, "-m", "intent_lsp", "trace", "lines", intent_id, "--json"]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


async def worked(editor: Editor) -> None:
    """Have a person change a file and make another, under an intent."""
    await editor.ask("intent/select", {"intentId": "INT-001"})
    editor.open(LOGIN)
    editor.type(LOGIN, LINES.replace("line 4\n", "line four\nand more\n"))
    await editor.save(LOGIN)
    editor.open(NEW, "")
    editor.type(NEW, "all of it\nis new\n")
    await editor.save(NEW)


async def test_every_line_of_an_intent_is_told_the_same_at_every_door(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await worked(editor)
        # Asked at once: the saves are waited for.
        told = await lines_of(editor, "INT-001")
        await editor.traced(2)
        blamed = await editor.ask("intent/blame", {"path": NEW})
        assert blamed["uri"] == editor.uri(NEW)
        assert told["files"][0] == {**blamed, "lineCount": 2}
        login = await editor.ask("intent/blame", {"path": LOGIN})
        ours = [run for run in login["lines"] if run["intentId"] == "INT-001"]
        assert [(run["startLine"], run["endLine"]) for run in ours] == [(4, 5)]
        assert told["files"][1] == {**login, "lines": ours, "lineCount": 11}
        assert {name: told[name] for name in told if name != "files"} == {
            "intentId": "INT-001",
            "total": 4,
            "truncated": False,
        }
        empty = {"intentId": "INT-002", "files": [], "total": 0, "truncated": False}
        assert await lines_of(editor, "INT-002") == empty


async def test_earlier_ids_and_new_names_of_files_lead_to_the_lines(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await worked(editor)
        await editor.traced(2)
    named = INTENTS.replace("id: INT-001   # the first\n", "id: LOGIN\n    aliases: [INT-001]\n")
    repository.write(INTENTS_FILE, named)
    async with editing(repository.root) as editor:
        renamed = lsp.RenameFilesParams(
            [lsp.FileRename(editor.uri(LOGIN), editor.uri("src/auth/entry.py"))]
        )
        await editor.client.workspace_will_rename_files_async(renamed)
        (repository.root / LOGIN).rename(repository.root / "src/auth/entry.py")
        editor.client.workspace_did_rename_files(renamed)
        await editor.traced(1)
        told = await lines_of(editor, "LOGIN")
        assert told == await lines_of(editor, "INT-001")
        assert (told["intentId"], told["total"]) == ("LOGIN", 4)
        assert [file["path"] for file in told["files"]] == ["src/auth/entry.py", NEW]
        assert {run["intentId"] for file in told["files"] for run in file["lines"]} == {"INT-001"}


async def test_the_lines_are_those_of_the_files_as_they_are_saved(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await worked(editor)
        saved = await editor.ask("intent/lines", {"intentId": "INT-001"})
        editor.type(NEW, "typed\nall of it\nis new\n")
        assert await editor.ask("intent/lines", {"intentId": "INT-001"}) == saved


async def test_what_cannot_be_told_is_refused(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        wrong: list[tuple[dict[str, Any], int, str]] = [
            ({}, -32602, "params: .*intentId"),
            ({"intentId": ""}, -32602, r"params\.intentId"),
            ({"intentId": "INT-001", "workDoneToken": []}, -32602, r"params\.workDoneToken"),
            ({"intentId": "INT-404"}, -32803, "INT-404 is not in"),
            ({"intentId": "INT-001", "workspaceUri": "file:///"}, -32803, "here or above"),
        ]
        for params, code, said in wrong:
            with pytest.raises(Exception, match=said) as raised:
                await editor.ask("intent/lines", params)
            assert getattr(raised.value, "code", None) == code
        with pytest.raises(Exception, match="INT-404") as raised:
            await editor.ask("intent/lines", {"intentId": "INT-404"})
        data = getattr(raised.value, "data", None)
        assert "INTENT_NOT_FOUND" in str(data)
        assert "INT-002" in str(data)
        editor.open(INTENTS_FILE)
        (repository.root / ".orchestration/agent_trace.jsonl").mkdir()
        with pytest.raises(Exception, match="agent_trace") as raised:
            await editor.ask("intent/lines", {"intentId": "INT-001"})
        assert "LEDGER_UNAVAILABLE" in str(getattr(raised.value, "data", None))
        references = lsp.ReferenceParams(
            context=lsp.ReferenceContext(include_declaration=True),
            text_document=lsp.TextDocumentIdentifier(editor.uri(INTENTS_FILE)),
            position=lsp.Position(1, 8),
        )
        # Who asks for references is told what there is.
        (declared,) = await editor.client.text_document_references_async(references) or ()
        assert declared.uri == editor.uri(INTENTS_FILE)
