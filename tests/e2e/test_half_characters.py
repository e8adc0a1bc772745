"""Halves of characters on the wire, which no text has: refused by name, never let through."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.wire.answers import INVALID_PARAMS
from tests.support.editor import Editor, editing
from tests.support.governed_repository import LINES, govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

HALVES = ("\ud800", "src/auth/\udfff.py", "src/auth/a\ud83d", "\udc00")
REQUESTS: dict[str, dict[str, Any]] = {
    "list": {},
    "select": {"intentId": "INT-001", "modelIdentifier": "model", "conversationUrl": "a:b"},
    "clear": {},
    "status": {},
    "create": {
        "id": "INT-009",
        "name": "New",
        "ownedScope": ["docs/**"],
        "constraints": ["None"],
        "acceptanceCriteria": ["Some"],
        "status": "PLANNED",
    },
    "beginTurn": {},
    "recordRead": {"path": "src/auth/login.py", "hash": "0" * 64},
    "validateEdit": {
        "toolName": "Write",
        "path": "src/auth/login.py",
        "paths": ["src/auth/login.py"],
        "command": "echo x > src/auth/login.py",
        "patch": "--- a/src/auth/login.py\n+++ b/src/auth/login.py\n",
        "newText": "x",
        "intentId": "INT-001",
        "mutationClass": "BUG_FIX",
        "readHashes": {"src/auth/login.py": "0" * 64},
        "toolUseId": "use",
    },
    "recordEdit": {"ticket": "ticket", "success": False, "error": "no"},
    "applyEdit": {"toolName": "Write", "path": "src/auth/login.py", "newText": "x"},
    "complete": {"intentId": "INT-001"},
    "requestScopeExpansion": {
        "intentId": "INT-001",
        "patterns": ["docs/**"],
        "reason": "why",
        "grantToken": "token",
    },
    "recordVerification": {"command": "make test", "success": False, "output": "bad"},
    "owners": {"path": "src/auth/login.py"},
    "explain": {"toolName": "Write", "path": "src/auth/login.py"},
    "trace": {"intentId": "INT-001", "path": "a", "since": "2026-01-01T00:00:00Z", "cursor": "1"},
    "blame": {"path": "src/auth/login.py"},
    "lines": {"intentId": "INT-001"},
    "verify": {"workDoneToken": "token"},
    "drafts": {"path": "a"},
    "init": {},
}
COMMON = {"sessionId": "agent", "agentId": "part"}


PROSE = {"error", "output", "reason"}
"""Fields that hosts cut off in the middle of a character."""

EVERY = [(name, field) for name, params in REQUESTS.items() for field in {**COMMON, **params}]


def spoilt(given: Any, half: str) -> Any:
    """Give a value with its texts spoilt; a mapping's names are texts, too."""
    match given:
        case str():
            return half
        case list():
            return [spoilt(each, half) for each in given]
        case dict():
            return dict.fromkeys([half], next(iter(given.values())))
        case _:
            return given


async def answer(editor: Editor, name: str, params: Any) -> Any:
    try:
        return await editor.ask(f"intent/{name}", params)
    except JsonRpcException as error:
        return error


@pytest.fixture
async def editor(repository: Repository) -> AsyncIterator[Editor]:
    govern(repository, "fail_open: true")
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"sessionId": "agent", "intentId": "INT-001"})
        yield editor


async def test_half_a_character_is_refused_by_the_name_of_its_field(editor: Editor) -> None:
    for name, field in EVERY:
        for half in HALVES:
            params = {**COMMON, **REQUESTS[name]}
            given = params.get(field)
            if not isinstance(given, str | list | dict) or field in PROSE:
                continue
            said = await answer(editor, name, params | {field: spoilt(given, half)})
            assert isinstance(said, JsonRpcException), (name, field, said)
            assert said.code == INVALID_PARAMS, (name, field, str(said))
            assert str(said).startswith(f"params.{field}"), str(said)
    status = await editor.ask("intent/status")
    assert (status["failures"], status["records"]) == (0, 0)


@pytest.mark.parametrize(
    "edit",
    [
        {"changes": {"file:///a\ud800": []}},
        {"changes": {"file:///a": [{"newText": "\udfff"}]}},
        {"documentChanges": [{"textDocument": {"uri": "\ud800"}, "edits": []}]},
    ],
)
async def test_half_a_character_in_an_edit_is_refused(editor: Editor, edit: Any) -> None:
    said = await answer(editor, "applyEdit", {"toolName": "Write", "edit": edit})
    assert (said.code, str(said).startswith("params.edit")) == (INVALID_PARAMS, True)


@pytest.mark.parametrize("name", ["src/auth/caf\udce9.py", "src/auth/\udcff\udcfe"])
async def test_a_name_that_is_no_text_goes_the_whole_way(editor: Editor, name: str) -> None:
    path = editor.root / name
    path.write_text(LINES)
    call = {"sessionId": "agent", "toolName": "Write", "path": name}
    told = await editor.ask("intent/validateEdit", call)
    assert (told["allowed"], told["scopeValidation"]) == (True, "PASS"), told
    path.write_text("new\n")
    ended = {"sessionId": "agent", "ticket": told["ticket"], "success": True}
    done = await editor.ask("intent/recordEdit", ended)
    (record,) = editor.records()
    assert record["id"] == done["recordId"]
    assert record["files"][0]["path_encoding"] == "percent"
    # By its URI as editors spell it, it is the same file.
    uri = uri_of(path)
    by_uri = await editor.ask("intent/validateEdit", {"toolName": "Write", "uri": uri})
    assert by_uri["files"][0]["path"] == name


async def test_a_name_has_one_spelling(editor: Editor) -> None:
    # The bytes of an e with an accent, one by one: what the disk has is the character.
    call = {"sessionId": "agent", "toolName": "Write", "path": "src/auth/\udcc3\udca9.py"}
    said = await answer(editor, "validateEdit", call)
    assert (said.code, str(said).startswith("params.path")) == (INVALID_PARAMS, True)


async def test_an_error_that_was_cut_off_in_a_character_is_recorded(editor: Editor) -> None:
    call = {"sessionId": "agent", "toolName": "Write", "path": "src/auth/login.py"}
    told = await editor.ask("intent/validateEdit", call)
    ended = {"ticket": told["ticket"], "success": False, "error": "cut off \ud83d"}
    await editor.ask("intent/recordEdit", ended)
    (record,) = editor.records()
    assert record["error"] == "cut off \ufffd"
