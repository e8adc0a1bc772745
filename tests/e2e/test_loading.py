"""What an editor says while the language service is loaded: none of it is lost."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from intent_lsp.core.content import hash_content
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from tests.support.editor import Editor, capabilities, editing
from tests.support.governed_repository import INTENTS, LINES, govern
from tests.support.paused_server import GO, LOADED, SERVICE
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

# Started, not forked from a server that has all loaded.
HELD = ("env", sys.executable, "-m", "tests.support.paused_server")
INTENTS_FILE = ".orchestration/active_intents.yaml"
POLICY = ".orchestration/constraints.sidecar.yaml"
INVOICE = "src/billing/invoice.py"
WRONG = INTENTS.replace("IN_PROGRESS", "RUNNING")
UNKNOWN = "UNKNOWN_STATUS"
LATER = (
    "pygit2",
    "intent_lsp.store.state.database",
    "pathspec",
    "watchdog",
    "tree_sitter",
    "yaml",
    SERVICE,
)
PACKAGES_LATER = ("intent_lsp.governance.", "intent_lsp.doors.cli.")
PULLS = {"textDocument__diagnostic": {}, "workspace__diagnostics": {"refreshSupport": True}}


@asynccontextmanager
async def held(root: Path, **more: Any) -> AsyncIterator[Editor]:
    """Give an editor whose server loads no service until `test/go`; at the end it has one."""
    async with editing(root, command=HELD, **more) as editor:
        yield editor
        await editor.ask(GO)


async def pull(editor: Editor, name: str) -> list[object]:
    report = await editor.client.text_document_diagnostic_async(
        lsp.DocumentDiagnosticParams(lsp.TextDocumentIdentifier(editor.uri(name)))
    )
    assert isinstance(report, lsp.RelatedFullDocumentDiagnosticReport)
    return [diagnostic.code for diagnostic in report.items]


async def pull_all(editor: Editor, known: list[lsp.PreviousResultId]) -> dict[str, list[object]]:
    report = await editor.client.workspace_diagnostic_async(lsp.WorkspaceDiagnosticParams(known))
    full = [r for r in report.items if isinstance(r, lsp.WorkspaceFullDocumentDiagnosticReport)]
    assert len(full) == len(report.items)
    return {each.uri: [diagnostic.code for diagnostic in each.items] for each in full}


def more(editor: Editor, refreshed: int) -> bool:
    return editor.refreshed > refreshed


def wrong(editor: Editor, name: str) -> bool:
    published = editor.shown.get(editor.uri(name))
    return published is not None and bool(published.diagnostics)


def later(loaded: list[str]) -> list[str]:
    """List what nobody needs who only answers `initialize`."""
    return [name for name in loaded if name in LATER or name.startswith(PACKAGES_LATER)]


async def test_initialize_is_answered_before_git_sqlite_and_governance_are_loaded(
    repository: Repository,
) -> None:
    govern(repository).write(INTENTS_FILE, WRONG)
    async with held(repository.root) as editor:
        editor.open(INTENTS_FILE)
        assert later(await editor.ask(LOADED)) == []
        await editor.ask(GO)
        assert (await editor.ask("intent/status", {}))["enabled"]
        assert {SERVICE, "pygit2", "sqlite3"} <= set(await editor.ask(LOADED))
        await editor.problems(INTENTS_FILE, UNKNOWN)


async def test_the_newest_text_is_checked_and_what_was_closed_meanwhile_as_it_is_on_disk(
    repository: Repository,
) -> None:
    govern(repository).write(INTENTS_FILE, INTENTS)
    repository.write(POLICY, "sidecar: 1\n")
    async with held(repository.root) as editor:
        editor.open(INTENTS_FILE)
        editor.type(INTENTS_FILE, WRONG)
        editor.open(POLICY)
        editor.close(POLICY)
        editor.open("README.md")
        editor.close("README.md")
        await editor.ask(GO)
        await editor.problems(INTENTS_FILE, UNKNOWN)
        await editor.until(lambda: wrong(editor, POLICY), "a wrong policy")
        assert uri_of(repository.root / "README.md") not in editor.shown


async def test_a_client_that_pulls_is_answered_once_the_service_is_loaded(
    repository: Repository,
) -> None:
    govern(repository).write(INTENTS_FILE, WRONG)
    async with held(repository.root, client_capabilities=capabilities(**PULLS)) as editor:
        editor.open(INTENTS_FILE)
        asked = asyncio.ensure_future(pull(editor, INTENTS_FILE))
        every = asyncio.ensure_future(pull_all(editor, []))
        before = editor.refreshed
        await editor.ask(GO)
        first, _ = await asyncio.gather(asked, every)
        # It may have been answered before it was checked: then that is to be pulled again.
        while first != [UNKNOWN]:
            await editor.until(partial(more, editor, before), "told to pull")
            before = editor.refreshed
            first = await pull(editor, INTENTS_FILE)
        editor.open(INVOICE)
        editor.type(INVOICE, "top\n" + LINES)
        assert await pull(editor, INVOICE) == ["NO_ACTIVE_INTENT"]


@pytest.mark.parametrize("where", ["elsewhere", "dormant", "off"])
async def test_what_this_connection_does_not_govern_is_not_checked(
    repository: Repository, tmp_path: Path, where: str
) -> None:
    govern(repository).write(INTENTS_FILE, WRONG)
    folder = tmp_path / "another"
    folder.mkdir()
    root, folders = repository.root, [folder] if where == "elsewhere" else None
    options = {"enabled": where != "off"}
    if where == "dormant":
        (root / INTENTS_FILE).unlink()
    async with held(root, folders=folders, options=options) as editor:
        editor.open(INTENTS_FILE, WRONG)
        editor.type(INTENTS_FILE, INTENTS)
        editor.open(INVOICE)
        await editor.ask(GO)
        assert not await editor.settled(INTENTS_FILE)
        assert editor.shown == {}


async def test_settings_hold_of_what_was_opened_before_they_came(repository: Repository) -> None:
    govern(repository).write(INTENTS_FILE, WRONG)
    declared = capabilities(workspace__configuration=True)
    async with held(repository.root, client_capabilities=declared) as editor:
        editor.settings = {"enabled": False}
        editor.open(INTENTS_FILE)
        await editor.ask(GO)
        await editor.settled(INTENTS_FILE)
        await editor.problems(INTENTS_FILE)


async def test_a_save_made_before_the_service_is_loaded_is_recorded(
    repository: Repository,
) -> None:
    govern(repository)
    async with held(repository.root) as editor:
        editor.open(INTENTS_FILE)
        editor.type(INTENTS_FILE, WRONG)
        await editor.save(INTENTS_FILE)
        editor.close(INTENTS_FILE)
        await editor.ask(GO)
        await editor.traced(1)
        await editor.problems(INTENTS_FILE, UNKNOWN)


@asynccontextmanager
async def opened_early(repository: Repository, watch: str = "server") -> AsyncIterator[Editor]:
    """Give an editor that has a file open which its server has not read yet."""
    govern(repository)
    async with held(repository.root, options={"watch": watch}) as editor:
        editor.open(INVOICE)
        assert later(await editor.ask(LOADED)) == []
        yield editor


@pytest.mark.parametrize("watch", ["server", "off"])
async def test_what_another_program_writes_before_the_file_is_first_read_is_unread(
    repository: Repository, watch: str
) -> None:
    """Show it with the first key, also if the text was compared before and nothing is watched."""
    async with opened_early(repository, watch) as editor:
        repository.write(INVOICE, LINES + "theirs\n")
        await editor.ask(GO)
        await editor.ask("intent/select", {"intentId": "INT-002"})
        if watch == "off":
            assert not await editor.settled(INVOICE)
        editor.type(INVOICE, LINES + "mine\n")
        await editor.problems(INVOICE, "STALE_FILE")
        await editor.save(INVOICE)
        await editor.traced(1)
        (record,) = editor.records()
        assert (record["scope_validation"], record["concurrent_modification"]) == ("FAIL", True)
        assert record["files"][0]["pre_hash"] == hash_content((LINES + "theirs\n").encode())


async def test_what_the_editor_saves_before_the_file_is_first_read_is_its_own(
    repository: Repository,
) -> None:
    async with opened_early(repository) as editor:
        editor.type(INVOICE, LINES + "mine\n")
        await editor.save(INVOICE, ask=False)
        editor.type(INVOICE, LINES + "mine\nmore\n")
        await editor.ask(GO)
        await editor.ask("intent/select", {"intentId": "INT-002"})
        assert not await editor.settled(INVOICE)
        await editor.save(INVOICE)
        await editor.traced(2)
        first, second = editor.records()
        assert not any("concurrent_modification" in each for each in (first, second))
        assert first["files"][0]["pre_hash"] == hash_content(LINES.encode())


async def test_a_server_that_ends_while_it_loads_ends_in_good_order(
    repository: Repository,
) -> None:
    govern(repository).write(INTENTS_FILE, WRONG)
    async with editing(repository.root, command=HELD) as editor:
        editor.open(INTENTS_FILE)
        assert later(await editor.ask(LOADED)) == []
