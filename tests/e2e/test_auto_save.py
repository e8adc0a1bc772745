"""Automatic saves of a real server: a run of them is one record, and a kill loses none."""

import hashlib
import json
import random
import subprocess
import threading
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from tests.support.editor import SERVER, Editor, editing
from tests.support.governed_repository import govern
from tests.support.killable_server import KillableServer
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

LOGIN, INVOICE = "src/auth/login.py", "src/billing/invoice.py"
LEDGER = ".orchestration/agent_trace.jsonl"
AfterDelay, FocusOut = lsp.TextDocumentSaveReason.AfterDelay, lsp.TextDocumentSaveReason.FocusOut


async def begun(editor: Editor) -> None:
    await editor.ask("intent/select", {"intentId": "INT-001"})
    editor.open(LOGIN)
    await editor.settled(LOGIN)


async def typed(editor: Editor, *texts: str, reason: lsp.TextDocumentSaveReason) -> None:
    for text in texts:
        editor.type(LOGIN, text)
        await editor.save(LOGIN, reason=reason)
    # Blame waits for the save; the record is not made by it.
    await editor.ask("intent/blame", {"path": LOGIN})


def hashed(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def flush(root: Path) -> str:
    command = [SERVER[0], "-m", "intent_lsp", "trace", "flush", "-C", str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def left(editor: Editor) -> list[str]:
    return [record["files"][0]["post_hash"] for record in editor.records()]


async def test_a_run_is_one_record_once_it_rests(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await begun(editor)
        await typed(editor, "a\n", "ab\n", "abc\n", reason=AfterDelay)
        assert editor.records() == []
        await editor.traced(1)
        (record,) = editor.records()
        assert (record["tool_name"], record["intent_id"]) == ("editor/save", "INT-001")
        assert left(editor) == [hashed("abc\n")]


async def test_what_ends_a_run(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await begun(editor)
        # The file is left.
        await typed(editor, "a\n", reason=AfterDelay)
        await typed(editor, "b\n", reason=FocusOut)
        await editor.traced(1)
        # Somebody types in another one.
        await typed(editor, "c\n", reason=AfterDelay)
        editor.open(INVOICE)
        editor.type(INVOICE, "more\n")
        await editor.traced(2)
        # Another intent.
        await typed(editor, "d\n", reason=AfterDelay)
        await editor.ask("intent/select", {"intentId": "INT-002"})
        await editor.traced(3)
        await editor.ask("intent/select", {"intentId": "INT-001"})
        # A manual save has a record of its own.
        await typed(editor, "e\n", reason=AfterDelay)
        await typed(editor, "f\n", reason=lsp.TextDocumentSaveReason.Manual)
        await editor.traced(5)
        # A hook before a commit.
        await typed(editor, "g\n", reason=AfterDelay)
        assert flush(repository.root) == "1 record was added\n"
        assert len(editor.records()) == 6
        # The document is closed.
        await typed(editor, "h\n", reason=AfterDelay)
        editor.close(LOGIN)
        await editor.until(lambda: len(editor.records()) == 7, "the run is recorded")
        assert left(editor) == [hashed(f"{text}\n") for text in "bcdefgh"]


async def test_a_client_that_never_asks_saves_by_hand(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await begun(editor)
        for count, text in enumerate("abc", 1):
            editor.type(LOGIN, f"{text}\n")
            await editor.save(LOGIN, ask=False)
            await editor.traced(count)


# -- kills ---------------------------------------------------------------------------------------


class Typist(KillableServer):
    """A server that is killed at some moment, and whoever types in its editor."""

    def __init__(self, root: Path) -> None:
        self.path = root / LOGIN
        super().__init__(root)
        self._say("didOpen", languageId="python", version=1, text=self.path.read_text())
        self._version = 1

    def type(self, text: str) -> None:
        """Save a text as an editor does by itself."""
        self._version += 1
        change = {"contentChanges": [{"text": text}]}
        document = {"uri": uri_of(self.path), "version": self._version}
        self.notify("textDocument/didChange", {"textDocument": document, **change})
        named = {"textDocument": {"uri": uri_of(self.path)}}
        self.request("textDocument/willSaveWaitUntil", {**named, "reason": AfterDelay.value})
        self.path.write_text(text)
        self.notify("textDocument/didSave", named)

    def is_recorded(self) -> None:
        """Wait until the last save was taken in."""
        self.request("intent/blame", {"uri": uri_of(self.path)})

    def _say(self, what: str, **document: object) -> None:
        named = {"textDocument": {"uri": uri_of(self.path), **document}}
        self.notify(f"textDocument/{what}", named)


def posts(root: Path) -> list[str]:
    lines = (root / LEDGER).read_text().splitlines() if (root / LEDGER).exists() else []
    return [json.loads(line)["files"][0]["post_hash"] for line in lines]


@pytest.mark.parametrize("kills", [6, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_at_any_moment_no_save_that_was_taken_in_is_without_a_record(
    repository: Repository, kills: int
) -> None:
    """Long where processors are shared: a server is started after each kill."""
    govern(repository)
    chance = random.Random(kills)  # noqa: S311 - nobody is kept out by these numbers
    never = threading.Event()
    for turn in range(kills):
        server = Typist(repository.root)
        if not turn:
            server.request("intent/select", {"intentId": "INT-001"})
        texts = [f"turn {turn}, save {number}\n" for number in range(chance.randint(1, 6))]
        taken = 0
        for number, text in enumerate(texts, 1):
            server.type(text)
            if chance.random() < 0.7:
                server.is_recorded()
                taken = number
        # Anywhere in what the last save is followed by.
        never.wait(chance.random() * 0.05)
        server.kill()
        after = Typist(repository.root)
        after.request("intent/status", {})
        found = posts(repository.root)
        after.kill()
        # The last that was taken in, or a later one of the same run.
        assert not taken or {hashed(text) for text in texts[taken - 1 :]} & {*found}, texts
        assert len(found) == len({*found})
