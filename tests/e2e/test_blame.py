"""`intent/blame` of a real server (protocol section 2)."""

from typing import Any

import pytest

from tests.support.editor import Editor, editing
from tests.support.governed_repository import LINES, govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

LOGIN = "src/auth/login.py"
NOBODYS = {
    "recordId": None,
    "intentId": None,
    "entityType": None,
    "modelIdentifier": None,
    "author": None,
    "isYou": None,
    "timestamp": None,
    "toolName": None,
    "mutationClass": None,
    "scopeValidation": None,
    "confidence": "unattributed",
}


async def blamed(editor: Editor, **params: Any) -> Any:
    """Ask by request and by command, which must say the same."""
    by_request = await editor.ask("intent/blame", params)
    assert by_request == await editor.command("intent.blame", params)
    return by_request


async def runs(editor: Editor, **params: Any) -> list[tuple[int, int, str | None]]:
    answer = await blamed(editor, **{"path": LOGIN, **params})
    return [(run["startLine"], run["endLine"], run["intentId"]) for run in answer["lines"]]


def place(line: int, character: int = 0) -> dict[str, int]:
    return {"line": line, "character": character}


async def test_a_saved_line_is_told_with_its_record(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        editor.open(LOGIN)
        editor.type(LOGIN, LINES.replace("line 4\n", "line four\nand more\n"))
        await editor.save(LOGIN)
        # Asked at once: the save is waited for.
        answer = await blamed(editor, path=LOGIN)
        await editor.traced(1)
        (record,) = editor.records()
        assert (answer["path"], answer["uri"]) == (LOGIN, editor.uri(LOGIN))
        assert answer["lines"] == [
            {"startLine": 1, "endLine": 3, **NOBODYS},
            {
                "startLine": 4,
                "endLine": 5,
                "recordId": record["id"],
                "intentId": "INT-001",
                "entityType": "HUMAN",
                "modelIdentifier": "human",
                "author": None,
                "isYou": True,
                "timestamp": record["timestamp"],
                "toolName": "editor/save",
                "mutationClass": record["mutation_class"],
                "scopeValidation": "PASS",
                "confidence": "exact",
            },
            {"startLine": 6, "endLine": 11, **NOBODYS},
        ]
        assert await blamed(editor, uri=editor.uri(LOGIN)) == answer


async def test_the_text_is_the_one_that_is_shown(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        editor.open(LOGIN)
        editor.type(LOGIN, "new\n" + LINES)
        await editor.save(LOGIN)
        await editor.traced(1)
        saved = [(1, 1, "INT-001"), (2, 11, None)]
        assert await runs(editor) == saved
        editor.type(LOGIN, "unsaved\nnew\n" + LINES)
        assert await runs(editor) == [(1, 1, None), (2, 2, "INT-001"), (3, 12, None)]
        editor.close(LOGIN)
        assert await runs(editor) == saved
        editor.open("src/auth/new.py", "never saved\n")
        assert await runs(editor, path="src/auth/new.py") == [(1, 1, None)]


async def test_some_lines_are_told(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        some = {"start": place(2, 3), "end": place(4, 1)}
        assert await runs(editor, range=some) == [(3, 5, None)]
        # A selection of whole lines ends where the next one begins.
        assert await runs(editor, range={"start": place(2), "end": place(4)}) == [(3, 4, None)]
        assert await runs(editor, range={"start": place(2), "end": place(2)}) == [(3, 3, None)]
        assert await runs(editor, range={"start": place(90), "end": place(99)}) == []


async def test_what_cannot_be_told_is_refused(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        wrong: list[tuple[dict[str, Any], str]] = [
            ({}, r"params\.path"),
            ({"path": "src/auth/none.py"}, r"params\.path: there is no file src/auth/none\.py"),
            ({"uri": editor.uri("src/auth")}, r"params\.uri: there is no file"),
            ({"path": "../x"}, r"params\.path"),
            ({"path": LOGIN, "range": {"start": place(0)}}, r"params\.range"),
        ]
        for params, field in wrong:
            with pytest.raises(Exception, match=field) as raised:
                await editor.ask("intent/blame", params)
            assert getattr(raised.value, "code", None) == -32602
    (repository.root / ".orchestration/active_intents.yaml").unlink()
    async with editing(repository.root) as editor:
        with pytest.raises(Exception, match="here or above") as raised:
            await editor.ask("intent/blame", {"path": LOGIN})
        assert getattr(raised.value, "code", None) == -32803
