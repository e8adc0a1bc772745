"""How servers begin and end: in order, by signals, in the middle of a save."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from intent_lsp.core.content import hash_content
from intent_lsp.core.paths import INTENT_MAP
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from tests.support.editor import SERVER, Editor, editing, jittered_server, start
from tests.support.governed_repository import LINES, govern
from tests.support.raw_client import RawClient
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

INVOICE = "src/billing/invoice.py"
LOGIN = "src/auth/login.py"
LIMIT = 30


class Process(RawClient):
    """A server process, and every byte that it says."""

    def __init__(self, root: Path, command: Sequence[str] = SERVER) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert self.process.stdin
        assert self.process.stdout
        super().__init__(self.process.stdin, self.process.stdout)
        self.initialize(
            rootUri=uri_of(root),
            capabilities={
                "experimental": {"intent": {"notifications": True}},
                "textDocument": {"synchronization": {"willSaveWaitUntil": True}},
            },
        )

    def ask(self, method: str, params: object = None) -> dict[str, Any]:
        """Ask, and pass over what the server says of itself meanwhile."""
        identity = self.begin(method, params)
        return self.until(lambda message: message.get("id") == identity)

    def until(self, done: Any) -> dict[str, Any]:
        while not done(message := self.next()):
            pass
        return message

    def open(self, path: Path, text: str) -> None:
        self.open_document(uri_of(path), text)

    def save(self, path: Path, text: str) -> None:
        """Type, write, tell; wait for nothing."""
        place = {"uri": uri_of(path), "version": 2}
        change = {"textDocument": place, "contentChanges": [{"text": text}]}
        self.notify("textDocument/didChange", change)
        path.write_text(text)
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri_of(path)}})

    def end(self) -> tuple[int, str]:
        assert self.process.stderr
        log = self.process.stderr.read().decode()
        status = self.process.wait(LIMIT)
        self.process.stderr.close()
        self.reader.join()
        self.hang_up()
        self.stop_reading()
        return status, log


def verified(root: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "intent_lsp", "trace", "verify"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def ledger(root: Path) -> list[str]:
    path = root / ".orchestration/agent_trace.jsonl"
    return path.read_text().splitlines() if path.exists() else []


@pytest.mark.parametrize("command", [SERVER, jittered_server(1), jittered_server(2)])
def test_a_good_end_and_a_bad_one(repository: Repository, command: Sequence[str]) -> None:
    govern(repository)
    good = Process(repository.root, command)
    good.open(repository.root / LOGIN, LINES)
    good.save(repository.root / LOGIN, LINES + "right before the end\n")
    # Whatever was saved before `shutdown` is recorded before it is answered.
    assert good.ask("shutdown")["result"] is None
    assert len(ledger(repository.root)) == 1
    refused = good.ask("intent/status")
    assert refused["error"]["code"] == -32600
    good.notify("exit")
    status, log = good.end()
    assert status == 0
    assert "Traceback" not in log, log

    # Without `shutdown`: in the middle of a save.
    for count, leave in enumerate((Process.hang_up, terminate, leave_without_a_word), 2):
        bad = Process(repository.root)
        bad.open(repository.root / LOGIN, (repository.root / LOGIN).read_text())
        bad.ask("intent/status")
        bad.save(repository.root / LOGIN, LINES + "more\n" * count)
        leave(bad)
        status, log = bad.end()
        assert status == 1, log
        assert len(ledger(repository.root)) == count, log
    verified(repository.root)


def terminate(server: Process) -> None:
    # It has been told when it has answered what came after; then it is stopped at once.
    server.begin("intent/verify")
    server.until(lambda message: "id" in message and "result" in message)
    server.process.send_signal(signal.SIGTERM)


def leave_without_a_word(server: Process) -> None:
    server.notify("exit")


def say_all_at_once(server: Process) -> None:
    server.begin("shutdown")
    server.notify("exit")


@pytest.mark.parametrize(
    ("command", "leave", "status"),
    [
        (SERVER, say_all_at_once, 0),
        (SERVER, leave_without_a_word, 1),
        (SERVER, Process.hang_up, 1),
        (jittered_server(2), say_all_at_once, 0),
        (jittered_server(1), leave_without_a_word, 1),
    ],
)
def test_who_leaves_at_once_has_a_record_a_map_and_a_session_that_ended(
    repository: Repository, command: Sequence[str], leave: Callable[[Process], None], status: int
) -> None:
    govern(repository)
    path = repository.root / LOGIN
    # The first has begun its day; the second is still being loaded, and goes on with its intent.
    for count in (1, 2):
        server = Process(repository.root, command)
        server.open(path, path.read_text())
        if count == 1:
            server.ask("intent/select", {"intentId": "INT-001"})
        server.save(path, LINES + "more\n" * count)
        leave(server)
        found, log = server.end()
        assert (found, "ERROR" in log) == (status, False), log
        assert len(ledger(repository.root)) == count, log
        assert living(repository.root) == 0
        (file,) = json.loads(ledger(repository.root)[-1])["files"]
        assert file["post_hash"][7:19] in (repository.root / INTENT_MAP).read_text()
    verified(repository.root)


def living(root: Path) -> int:
    """Count the sessions that never ended."""
    with closing(sqlite3.connect(root / ".orchestration/.local/state.sqlite3")) as state:
        (found,) = state.execute("SELECT count(*) FROM session WHERE ended_at IS NULL").fetchone()
    assert isinstance(found, int)
    return found


def test_killed_at_any_instant_what_was_announced_is_there(repository: Repository) -> None:
    govern(repository)
    announced: list[str] = []
    for turn in range(3):
        server = Process(repository.root)
        path = repository.root / LOGIN
        server.open(path, path.read_text())
        server.ask("intent/status")
        for number in range(turn + 1):
            server.save(path, LINES + f"{turn} {number}\n")
            if number < turn:
                told = server.until(lambda message: message.get("method") == "intent/didTrace")
                announced.append(told["params"]["recordId"])
        server.process.kill()
        server.end()
        there = [line for line in ledger(repository.root) if line.endswith("}")]
        assert all(any(identity in line for line in there) for identity in announced)
    server = Process(repository.root)
    server.open(repository.root / LOGIN, (repository.root / LOGIN).read_text())
    server.ask("intent/status")
    server.save(repository.root / LOGIN, LINES + "afterwards\n")
    assert server.ask("shutdown")["result"] is None
    server.notify("exit")
    assert server.end()[0] == 0
    assert len(ledger(repository.root)) >= len(announced) + 1
    verified(repository.root)


async def test_two_windows_on_one_root(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as one:
        await one.ask("intent/select", {"intentId": "INT-001"})
        async with editing(repository.root) as two:
            # The living inherit nothing from the living.
            assert (await two.ask("intent/status"))["activeIntentId"] is None
            assert two.messages == []
            await two.ask("intent/select", {"intentId": "INT-002"})
            assert (await one.ask("intent/status"))["activeIntentId"] == "INT-001"
            for editor, name in ((one, LOGIN), (two, INVOICE)):
                editor.open(name)
                editor.type(name, LINES + "more\n")
                await editor.save(name)
                await editor.traced(1)
                assert not await editor.settled(name)
            both = [editor.records() for editor in (one, two)]
            assert both[0] == both[1]
            assert [r["intent_id"] for r in both[0]] == ["INT-001", "INT-002"]
            hashes = [r["integrity"] for r in both[0]]
            assert hashes[1]["prev_record_hash"] == hashes[0]["record_hash"]
            # One window saves what the other has open: stale there, once it is edited.
            two.open(LOGIN)
            await two.settled(LOGIN)
            one.type(LOGIN, LINES + "more\nand more\n")
            await one.save(LOGIN)
            await one.traced(2)
            two.type(LOGIN, "mine\n" + LINES + "more\n")
            await two.problems(LOGIN, "SCOPE_VIOLATION")
            await two.ask("intent/select", {"intentId": "INT-001"})
            await two.problems(LOGIN, "STALE_FILE")
        # The one that ended is the one that is inherited from.
        async with editing(repository.root) as three:
            await three.until(lambda: three.messages, "it is said")
            assert three.messages == ["intent-lsp: INT-001 is still the selected intent"]
    # A named session goes on with its own.
    async with editing(repository.root, options={"sessionId": "fresh"}) as four:
        assert (await four.ask("intent/status"))["activeIntentId"] is None
        await four.ask("intent/select", {"intentId": "INT-002"})
    async with editing(repository.root, options={"sessionId": "fresh"}) as five:
        assert (await five.ask("intent/status"))["activeIntentId"] == "INT-002"


async def refuse(editor: Editor, name: str) -> None:
    editor.open(name)
    editor.type(name, LINES + "refused\n")
    await editor.problems(name, "SCOPE_VIOLATION")
    await editor.save(name)
    assert editor.buffers[name].text == LINES


async def test_questions_hold_up_nothing(repository: Repository) -> None:
    govern(repository, "enforcement: block")
    repository.write("other.txt", LINES)
    repository.commit()
    # Nobody ever answers.
    editor = await start(repository.root)
    await editor.ask("intent/select", {"intentId": "INT-001"})
    await refuse(editor, INVOICE)
    await editor.until(lambda: len(editor.asked) == 1, "it is asked")
    await refuse(editor, "other.txt")
    editor.open(LOGIN)
    editor.type(LOGIN, LINES + "fine\n")
    await editor.save(LOGIN)
    await editor.traced(1)
    choosing = asyncio.ensure_future(editor.command("intent.select"))
    await editor.until(lambda: len(editor.asked) == 3, "all are open")
    # With three questions open, the end comes at once.
    answer = await asyncio.wait_for(editor.client.shutdown_async(None), 5)
    assert answer is None
    await asyncio.wait({choosing})
    await leave(editor)
    editor.client.exit(None)
    server = editor.client._server  # noqa: SLF001 - pygls's own process
    assert server is not None
    assert await asyncio.wait_for(server.wait(), LIMIT) == 0
    await editor.client.stop()


async def leave(editor: Editor) -> None:
    """Put away the questions that nobody has answered."""
    editor.leaving = True
    async with editor.news:
        editor.news.notify_all()


async def test_who_cannot_be_asked_is_told(repository: Repository) -> None:
    govern(repository, "enforcement: block")
    repository.write("other.txt", LINES)
    repository.commit()
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        editor.mistaken = True
        await refuse(editor, INVOICE)
        await editor.until(
            lambda: any("Save refused." in told for told in editor.messages), "it is told"
        )
        await refuse(editor, "other.txt")
        await editor.until(lambda: sum("Save refused." in t for t in editor.messages) == 2, "again")
        assert len(editor.asked) == 1
        editor.open(LOGIN)
        editor.type(LOGIN, LINES + "fine\n")
        await editor.save(LOGIN)
        await editor.traced(1)
    assert hash_content((repository.root / INVOICE).read_bytes()) == hash_content(LINES.encode())


async def test_only_the_protocol_is_on_standard_output(repository: Repository) -> None:
    govern(repository)
    environment = {**os.environ, "PYTHONWARNINGS": "always", "PYTHONUNBUFFERED": "1"}
    command = ("env", *(f"{k}={v}" for k, v in environment.items()), *SERVER)
    async with editing(repository.root, command=command, options={"exlude": []}) as editor:
        await editor.until(
            lambda: any("exlude" in log.message for log in editor.client.log_messages), "logged"
        )
        (repository.root / ".orchestration/active_intents.yaml").write_text("a: [\n")
        await editor.until(lambda: any("OFF" in told for told in editor.messages), "it is said")
        logs = [log for log in editor.client.log_messages if "is OFF" in log.message]
        assert [log.type for log in logs] == [lsp.MessageType.Warning]
        assert editor.client.error is None
