"""Files created, renamed and deleted in an editor, judged and recorded by a server.

Specified in requirements section 7.
"""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from intent_lsp.core.content import EMPTY_HASH, hash_content
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from tests.support.editor import STARTED, Editor, capabilities, editing
from tests.support.governed_repository import LINES, govern, set_policy
from tests.support.repository import Repository
from tests.support.repository import create as make

pytestmark = pytest.mark.e2e

LOGIN, INVOICE = "src/auth/login.py", "src/billing/invoice.py"
OPERATIONS = {
    "dynamicRegistration": False,
    **{
        f"{when}{what}": True for when in ("will", "did") for what in ("Create", "Rename", "Delete")
    },
}
ABLE = capabilities(workspace__fileOperations=OPERATIONS)


async def select(editor: Editor, intent_id: str) -> None:
    await editor.ask("intent/select", {"intentId": intent_id})


def old_and_new(editor: Editor, moves: Sequence[tuple[str, str]]) -> lsp.RenameFilesParams:
    files = [lsp.FileRename(*(uri_of(editor.root / name) for name in move)) for move in moves]
    return lsp.RenameFilesParams(files)


async def create(editor: Editor, *names: str, data: bytes = b"") -> None:
    params = lsp.CreateFilesParams([lsp.FileCreate(uri_of(editor.root / name)) for name in names])
    assert await editor.client.workspace_will_create_files_async(params) is None
    for name in names:
        (editor.root / name).write_bytes(data)
    editor.client.workspace_did_create_files(params)


async def rename(editor: Editor, *moves: tuple[str, str]) -> None:
    params = old_and_new(editor, moves)
    assert await editor.client.workspace_will_rename_files_async(params) is None
    for old, new in moves:
        (editor.root / new).parent.mkdir(parents=True, exist_ok=True)
        (editor.root / old).rename(editor.root / new)
    editor.client.workspace_did_rename_files(params)


async def delete(editor: Editor, *names: str) -> None:
    params = lsp.DeleteFilesParams([lsp.FileDelete(uri_of(editor.root / name)) for name in names])
    assert await editor.client.workspace_will_delete_files_async(params) is None
    for name in names:
        remove(editor.root / name)
    editor.client.workspace_did_delete_files(params)


def remove(path: Path) -> None:
    if path.is_dir():
        for below in path.iterdir():
            remove(below)
        path.rmdir()
    else:
        path.unlink()


def files(record: dict[str, Any]) -> list[tuple[Any, ...]]:
    keys = ("relative_path", "previous_path", "pre_hash", "post_hash")
    return [tuple(file.get(key) for key in keys) for file in record["files"]]


def said_of(editor: Editor, word: str) -> list[str]:
    return [message for message in editor.messages if word in message]


@pytest.mark.parametrize("able", [True, False])
async def test_the_messages_are_asked_for_where_the_client_can_send_them(
    repository: Repository, *, able: bool
) -> None:
    govern(repository)
    declared = ABLE if able else capabilities()
    async with editing(repository.root, client_capabilities=declared) as editor:
        assert editor.server_capabilities is not None
        workspace = editor.server_capabilities.workspace
        assert workspace is not None
        offered = workspace.file_operations or lsp.FileOperationOptions()
        for each in ("create", "rename", "delete"):
            for when in ("will", "did"):
                found = getattr(offered, f"{when}_{each}")
                assert (found is not None) is able
                if able:
                    (told,) = found.filters
                    assert (told.scheme, told.pattern.glob, told.pattern.matches) == (
                        "file",
                        "**/*",
                        None,
                    )


async def test_operations_in_scope_are_recorded_without_a_word(repository: Repository) -> None:
    govern(repository)
    same = hash_content(LINES.encode())
    async with editing(repository.root, client_capabilities=ABLE) as editor:
        await select(editor, "INT-001")
        told = list(editor.messages)
        await create(editor, "src/auth/token.py")
        await editor.traced(1)
        await rename(editor, (LOGIN, "src/auth/entry.py"))
        await editor.traced(2)
        await delete(editor, "src/auth/token.py")
        await editor.traced(3)
        assert editor.messages == told
        created, renamed, deleted = editor.records()
        assert [each["tool_name"] for each in editor.records()] == [
            "editor/create",
            "editor/rename",
            "editor/delete",
        ]
        assert [each["mutation_class"] for each in editor.records()] == [
            "FILE_CREATION",
            "AST_REFACTOR",
            "FILE_DELETION",
        ]
        assert {each["scope_validation"] for each in editor.records()} == {"PASS"}
        assert files(created) == [("src/auth/token.py", None, None, EMPTY_HASH)]
        assert files(renamed) == [("src/auth/entry.py", LOGIN, same, same)]
        assert files(deleted) == [("src/auth/token.py", None, EMPTY_HASH, None)]


async def test_a_rename_out_of_scope_is_warned_of_once_and_recorded_as_fail(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=ABLE) as editor:
        await select(editor, "INT-001")
        await rename(editor, (INVOICE, "src/billing/bill.py"))
        await editor.traced(1)
        (record,) = editor.records()
        assert record["scope_validation"] == "FAIL"
        (said,) = said_of(editor, "renaming")
        assert said == (
            f"intent-lsp: renaming {INVOICE} → src/billing/bill.py is not allowed, but not"
            " prevented: invoice.py is outside the scope of INT-001 (Login)."
            " Open intents that own the file: INT-002."
        )
        # It is undone, of which nobody says a word.
        await rename(editor, ("src/billing/bill.py", INVOICE))
        await editor.traced(2)
        assert editor.records()[-1]["scope_validation"] == "EXEMPT"
        assert len(said_of(editor, "renaming")) == 1


async def test_a_directory_is_renamed_and_deleted_with_all_its_files(
    repository: Repository,
) -> None:
    govern(repository)
    repository.write("src/auth/deep/token.py", "token\n")
    async with editing(repository.root, client_capabilities=ABLE) as editor:
        await select(editor, "INT-001")
        await rename(editor, ("src/auth/deep", "src/auth/flat"), (LOGIN, "src/auth/flat/in.py"))
        await editor.traced(1)
        await delete(editor, "src/auth/flat")
        await editor.traced(2)
        renamed, deleted = editor.records()
        assert [file[:2] for file in files(renamed)] == [
            ("src/auth/flat/token.py", "src/auth/deep/token.py"),
            ("src/auth/flat/in.py", LOGIN),
        ]
        assert {(file[0], file[3]) for file in files(deleted)} == {
            ("src/auth/flat/token.py", None),
            ("src/auth/flat/in.py", None),
        }
        assert {each["scope_validation"] for each in editor.records()} == {"PASS"}


async def test_observed_operations_are_recorded_and_not_shown(repository: Repository) -> None:
    govern(repository)
    set_policy(repository, "enforcement: observe")
    async with editing(repository.root, client_capabilities=ABLE) as editor:
        await select(editor, "INT-001")
        told = list(editor.messages)
        await delete(editor, INVOICE)
        await editor.traced(1)
        assert editor.messages == told
        assert editor.records()[0]["scope_validation"] == "FAIL"


@pytest.mark.parametrize("name", ["build/made.py", ".git/made", "../elsewhere.py"])
async def test_what_is_nobodys_business_leaves_no_trace(repository: Repository, name: str) -> None:
    govern(repository)
    (repository.root / "build").mkdir()
    async with editing(repository.root, client_capabilities=ABLE) as editor:
        await select(editor, "INT-001")
        told = list(editor.messages)
        await create(editor, name)
        await create(editor, "src/auth/token.py")
        await editor.traced(1)
        (record,) = editor.records()
        assert files(record)[0][0] == "src/auth/token.py"
        assert editor.messages == told
        remove(editor.root / name)


async def test_the_rules_may_be_moved_away_by_people(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=ABLE) as editor:
        await select(editor, "INT-001")
        await create(editor, ".intentignore", data=b"INT-9\n")
        await editor.traced(1)
        assert editor.records()[0]["scope_validation"] == "EXEMPT"


async def test_a_name_that_is_not_utf_8_is_recorded_in_percent(repository: Repository) -> None:
    govern(repository)
    name = os.fsdecode(b"src/auth/\xff.py")
    async with editing(repository.root, client_capabilities=ABLE) as editor:
        await select(editor, "INT-001")
        await create(editor, name)
        await editor.traced(1)
        (file,) = editor.records()[0]["files"]
        assert (file["relative_path"], file["path_encoding"]) == ("src/auth/%FF.py", "percent")


async def test_a_cancelled_announcement_leaves_nothing_half_done(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=ABLE) as editor:
        await select(editor, "INT-001")
        params = lsp.DeleteFilesParams([lsp.FileDelete(uri_of(editor.root / INVOICE))])
        send: Any = editor.client.protocol.send_request_async
        method = lsp.WORKSPACE_WILL_DELETE_FILES
        asked = asyncio.ensure_future(send(method, params, msg_id="leave it"))
        # The request is sent by the task's first step.
        await asyncio.sleep(0)
        editor.client.cancel_request(lsp.CancelParams(id="leave it"))
        await asyncio.wait({asked})
        # The editor goes on all the same; the person is told then, if not before.
        remove(editor.root / INVOICE)
        editor.client.workspace_did_delete_files(params)
        await editor.traced(1)
        (record,) = editor.records()
        assert files(record) == [(INVOICE, None, hash_content(LINES.encode()), None)]
        assert len(said_of(editor, "deleting")) == 1


async def test_an_open_file_goes_on_under_its_new_name(repository: Repository) -> None:
    govern(repository)
    new = "src/auth/entry.py"
    async with editing(repository.root, client_capabilities=ABLE) as editor:
        await select(editor, "INT-001")
        editor.open(LOGIN)
        await rename(editor, (LOGIN, new))
        editor.close(LOGIN)
        editor.open(new)
        editor.type(new, LINES + "more\n")
        await editor.save(new)
        await editor.traced(2)
        renamed, saved = editor.records()
        assert renamed["tool_name"] == "editor/rename"
        assert files(saved)[0][2] == files(renamed)[0][3]
        assert saved["scope_validation"] == "PASS"
        assert await editor.settled(new) == []


async def test_an_operation_told_while_the_server_starts_is_recorded(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(
        repository.root, client_capabilities=ABLE, options={"sessionId": "window"}, command=STARTED
    ) as editor:
        await rename(editor, (INVOICE, "src/billing/bill.py"))
        await editor.traced(1)
        (record,) = editor.records()
        assert files(record)[0][:2] == ("src/billing/bill.py", INVOICE)


async def test_what_was_told_is_no_change_on_disk_of_somebody_else(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=ABLE) as editor:
        await select(editor, "INT-001")
        await rename(editor, (LOGIN, "src/auth/entry.py"))
        await delete(editor, INVOICE)
        await create(editor, "src/auth/token.py", data=b"token\n")
        await editor.traced(3)
        # What nobody tells of is recorded once all is quiet, and whatever else was noticed with it.
        (editor.root / "src/auth/script.py").write_text("by a script\n")
        await editor.traced(4)
        assert [each["tool_name"] for each in editor.records()] == [
            "editor/rename",
            "editor/delete",
            "editor/create",
            "disk/change",
        ]


async def test_a_move_between_two_roots_is_a_record_in_each(tmp_path: Path) -> None:
    one, two = (govern(make(tmp_path / name)) for name in ("one", "two"))
    folders = [one.root, two.root]
    async with editing(tmp_path, folders=folders, client_capabilities=ABLE) as editor:
        await rename(editor, (f"one/{LOGIN}", f"two/{LOGIN}.old"))
        await editor.traced(2)
        (gone,) = Editor(editor.client, one.root).records()
        (come,) = Editor(editor.client, two.root).records()
        same = hash_content(LINES.encode())
        assert files(gone) == [(LOGIN, None, same, None)]
        assert files(come) == [(f"{LOGIN}.old", None, None, same)]
        assert [each["mutation_class"] for each in (gone, come)] == [
            "FILE_DELETION",
            "FILE_CREATION",
        ]


async def test_a_code_that_a_person_has_turned_off_is_recorded_without_a_word(
    repository: Repository,
) -> None:
    govern(repository)
    options = {"severity": {"NO_ACTIVE_INTENT": "off"}}
    async with editing(repository.root, client_capabilities=ABLE, options=options) as editor:
        told = list(editor.messages)
        await delete(editor, LOGIN)
        await editor.traced(1)
        assert editor.messages == told
        assert editor.records()[0]["scope_validation"] == "FAIL"


async def test_a_record_that_cannot_be_written_waits_and_that_is_said(
    repository: Repository,
) -> None:
    govern(repository)
    ledger = repository.root / ".orchestration/agent_trace.jsonl"
    ledger.mkdir()
    async with editing(repository.root, client_capabilities=ABLE) as editor:
        await select(editor, "INT-001")
        await delete(editor, LOGIN)
        await editor.until(
            lambda: said_of(editor, "but the ledger cannot record it yet"), "it is said to wait"
        )
        assert said_of(editor, f"{LOGIN} is deleted")
        ledger.rmdir()


async def test_more_files_than_a_record_holds_are_said_not_to_be_recorded(
    repository: Repository,
) -> None:
    govern(repository)
    room = repository.root / "src/auth/many"
    room.mkdir()
    for number in range(10_001):
        (room / f"{number}").touch()
    async with editing(repository.root, client_capabilities=ABLE) as editor:
        await select(editor, "INT-001")
        await rename(editor, ("src/auth/many", "src/auth/most"))
        await editor.until(lambda: said_of(editor, "not recorded"), "it is said")
        (said,) = said_of(editor, "not recorded")
        assert said == (
            "intent-lsp: src/auth/many → src/auth/most is renamed but not recorded:"
            " too many files in one operation of the editor: more than 10,000;"
            " the server's log says more"
        )
