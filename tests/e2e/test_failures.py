"""Failures, made to happen to a real server: each row of the table (requirements section 10).

Proven elsewhere, and not again here: a save whose ledger is locked or in the way, and the drain at
the next start (test_saves); a kill in the middle of saves (test_lifecycle); the queue, a failed
fsync and a kill at any instant of an append (tests/store/test_ledger); damage to the state file
under threads and processes (tests/store/test_state); requests over 16 MB
(tests/doors/test_transport_framing).
"""

import asyncio
import json
import os
import shutil
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, closing, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from intent_lsp.core.content import hash_content
from tests.support import repository as repositories
from tests.support.editor import PATIENCE, Editor, editing
from tests.support.fault_injection import (
    fill,
    locked_by_another_process,
    logging_server,
    read_only,
    small_disk,
)
from tests.support.governed_repository import LINES, govern, remove_at_once
from tests.support.killable_server import KillableServer
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

LOGIN = "src/auth/login.py"
LOGOUT = "src/auth/logout.py"
INVOICE = "src/billing/invoice.py"
README = "README.md"
INTENTS_FILE = ".orchestration/active_intents.yaml"
LEDGER = ".orchestration/agent_trace.jsonl"
LOCAL = ".orchestration/.local"
STATE = f"{LOCAL}/state.sqlite3"
QUEUE = f"{LOCAL}/queue"
WRITE = {"toolName": "write_to_file", "path": LOGIN}

OPEN_AND_CLOSED = pytest.mark.parametrize("fail_open", [True, False], ids=["open", "closed"])


def policy(*, fail_open: bool, enforcement: str = "warn") -> str:
    return f"fail_open: {str(fail_open).lower()}\n  enforcement: {enforcement}"


async def ask(editor: Editor, name: str, session: str = "builder", **params: Any) -> Any:
    return await editor.ask(f"intent/{name}", {"sessionId": session, **params})


async def failing(editor: Editor, name: str, session: str = "builder", **params: Any) -> Any:
    with pytest.raises(JsonRpcException) as raised:
        await ask(editor, name, session, **params)
    return raised.value


async def ticket(editor: Editor, path: str, session: str = "builder", **more: Any) -> str:
    told = await ask(editor, "validateEdit", session, toolName="Write", path=path, **more)
    assert told["ticket"], told
    assert told["scopeValidation"] == "PASS"
    found: str = told["ticket"]
    return found


async def written(editor: Editor, path: str, text: str) -> str:
    """Have the agent ask, write and record; give the id of the record."""
    given = await ticket(editor, path)
    (editor.root / path).write_text(text)
    done = await ask(editor, "recordEdit", ticket=given, success=True)
    assert done["recordId"], done
    found: str = done["recordId"]
    return found


def governs_nothing(told: Mapping[str, Any], *, fail_open: bool) -> None:
    """Hold a decision against the first two rows of the table."""
    if fail_open:
        assert (told["allowed"], told["scopeValidation"]) == (True, "EXEMPT"), told
        assert told["ticket"] is None
        return
    assert (told["allowed"], told["ticket"]) == (False, None), told
    assert told["error"]["code"] == "GOVERNANCE_UNAVAILABLE"
    cause = told["error"]["details"]["cause"]
    assert told["reason"] == (
        f"Governance Unavailable: {cause}. fail_open is false; mend it or ask the team."
    )


def said(editor: Editor, words: str) -> int:
    return sum(words in told for told in editor.messages)


async def until_said(editor: Editor, words: str, times: int = 1) -> None:
    await editor.until(lambda: said(editor, words) >= times, f"{words} is said {times} times")


def of_file(editor: Editor, path: str) -> list[dict[str, Any]]:
    """Give the files of the records of a path, in order."""
    files = [file for record in editor.records() for file in record["files"]]
    return [file for file in files if file["relative_path"] == path]


def no_gap(editor: Editor, path: str, *texts: str) -> None:
    """Hold the records of a path against the texts that it held, one after the other."""
    hashes = [hash_content(text.encode()) for text in texts]
    found = [(file["pre_hash"], file["post_hash"]) for file in of_file(editor, path)]
    assert found == list(pairwise(hashes))


async def verified(editor: Editor, records: int) -> None:
    found = await editor.ask("intent/verify")
    assert (found["ok"], found["records"]) == (True, records), (found, editor.records())
    assert not list((editor.root / QUEUE).glob("*.json"))


async def save(editor: Editor, name: str, text: str) -> None:
    if name not in editor.buffers:
        editor.open(name)
        await editor.settled(name)
    editor.type(name, text)
    await editor.save(name)
    assert (editor.root / name).read_text() == text


# -- the intents file ---------------------------------------------------------------------------


@OPEN_AND_CLOSED
@pytest.mark.parametrize("how", ["broken", "gone"])
async def test_without_intents_saves_go_through_and_agents_are_held_as_the_team_says(
    repository: Repository, how: str, *, fail_open: bool
) -> None:
    govern(repository, policy(fail_open=fail_open, enforcement="block"))
    intents = repository.root / INTENTS_FILE
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        await ask(editor, "select", intentId="INT-001")
        await ticket(editor, LOGIN)
        good = intents.read_text()
        if how == "broken":
            repository.replace(INTENTS_FILE, good + "  - id: [\n")
        else:
            intents.unlink()
        await until_said(editor, "is OFF")
        (problem,) = await editor.problems(
            INTENTS_FILE, "YAML_SYNTAX" if how == "broken" else "INTENTS_FILE_MISSING"
        )
        assert problem.severity == lsp.DiagnosticSeverity.Error
        for path in (LOGIN, INVOICE):
            told = await ask(editor, "validateEdit", toolName="Write", path=path)
            governs_nothing(told, fail_open=fail_open)
        # Out of scope, and nothing is turned back: saves are never refused for it.
        await save(editor, INVOICE, LINES + "through\n")
        await editor.traced(1)
        (record,) = editor.records()
        assert (record["scope_validation"], record["intent_id"]) == ("EXEMPT", None)
        assert (await editor.ask("intent/status"))["enabled"] is False
        # Looked at once more, it is off as before.
        await editor.ask("intent/clear")
        assert said(editor, "is OFF") == 1
        logged = [log for log in editor.client.log_messages if "is OFF" in log.message]
        assert [log.type for log in logged] == [lsp.MessageType.Warning]
        # In one step: an empty file governs, too, and a look could see it.
        repository.replace(INTENTS_FILE, good)
        await until_said(editor, "is on again")
        assert not await editor.problems(INTENTS_FILE)
        await editor.ask("intent/select", {"intentId": "INT-001"})
        await ticket(editor, LOGIN)
        out = await ask(editor, "validateEdit", toolName="Write", path=INVOICE)
        assert out["error"]["code"] == "SCOPE_VIOLATION"
        editor.type(INVOICE, LINES + "through\nand no further\n")
        await editor.save(INVOICE)
        assert (repository.root / INVOICE).read_text() == LINES + "through\n"
        assert (said(editor, "is OFF"), said(editor, "is on again")) == (1, 1)
        await verified(editor, 1)


@pytest.mark.parametrize("how", ["broken", "gone"])
async def test_without_intents_an_agent_still_reads(repository: Repository, how: str) -> None:
    govern(repository, policy(fail_open=False))
    async with editing(repository.root) as editor:
        await ask(editor, "select", intentId="INT-001")
        if how == "broken":
            (repository.root / INTENTS_FILE).write_text("a: [\n")
        else:
            (repository.root / INTENTS_FILE).unlink()
        for call in ({"toolName": "Read", "path": LOGIN}, {"toolName": "Bash", "command": "ls"}):
            told = await ask(editor, "validateEdit", **call)
            assert (told["allowed"], told["scopeValidation"]) == (True, "EXEMPT"), told


# -- the gate -----------------------------------------------------------------------------------

Breaking = Callable[[Repository], AbstractContextManager[object]]


@contextmanager
def gate_lock_is_a_directory(repository: Repository) -> Iterator[None]:
    lock = repository.root / LOCAL / "gate.lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()
    yield
    lock.rmdir()


def gate_lock_is_held(repository: Repository) -> AbstractContextManager[object]:
    return locked_by_another_process(repository.root / LOCAL / "gate.lock")


@contextmanager
def state_is_a_directory(repository: Repository) -> Iterator[None]:
    """Have the name lead to a directory, without a moment in which it leads nowhere.

    In such a moment what the server still tells of a call would begin a new state there.
    """
    state = repository.root / STATE
    away, elsewhere = state.with_name("away"), state.with_name("elsewhere")
    elsewhere.symlink_to(state.parent, target_is_directory=True)
    away.hardlink_to(state)
    elsewhere.replace(state)
    yield
    away.replace(state)


@contextmanager
def state_is_locked(repository: Repository) -> Iterator[None]:
    connection = sqlite3.connect(repository.root / STATE, isolation_level=None)
    with closing(connection):
        connection.execute("BEGIN IMMEDIATE")
        yield


@contextmanager
def state_holds_a_ticket_that_is_none(repository: Repository) -> Iterator[None]:
    """Keep a ticket, under the id by which the host names its call, that is not even JSON."""
    row = (b"bad", b"builder", b"", b"call-1", b"2999-01-01T00:00:00.000Z", b"{", None)
    with closing(sqlite3.connect(repository.root / STATE, isolation_level=None)) as connection:
        connection.execute("INSERT INTO ticket VALUES (?,?,?,?,?,?,?)", row)
        yield
        connection.execute("DELETE FROM ticket WHERE id = ?", (b"bad",))


OBSTACLES: Sequence[Callable[[Path], object]] = (
    Path.mkdir,
    os.mkfifo,
    lambda path: path.symlink_to(path.with_name("nowhere")),
)


@OPEN_AND_CLOSED
@pytest.mark.parametrize("obstacle", OBSTACLES, ids=["directory", "pipe", "link"])
async def test_a_state_that_cannot_be_opened_at_the_start_switches_nothing_off(
    repository: Repository, obstacle: Callable[[Path], object], *, fail_open: bool
) -> None:
    govern(repository, policy(fail_open=fail_open))
    state = repository.root / STATE
    state.parent.mkdir()
    obstacle(state)
    async with editing(repository.root) as editor:
        status = await editor.ask("intent/status")
        assert (status["enabled"], status["fileState"]) == (True, "unavailable")
        assert STATE in status["reason"]
        await until_said(editor, "cannot be saved to disk")
        # Saves are judged, shown and recorded as ever.
        await editor.ask("intent/select", {"intentId": "INT-001"})
        editor.open(INVOICE)
        editor.type(INVOICE, LINES + "more\n")
        await editor.problems(INVOICE, "SCOPE_VIOLATION")
        await editor.save(INVOICE)
        await editor.traced(1)
        assert [record["scope_validation"] for record in editor.records()] == ["FAIL"]
        # Agents are held to the rules, or refused where the team wants it.
        await ask(editor, "select", intentId="INT-001")
        out = await ask(editor, "validateEdit", toolName="Write", path=README)
        told = await ask(editor, "validateEdit", **WRITE)
        if fail_open:
            assert out["error"]["code"] == "SCOPE_VIOLATION"
            assert (told["allowed"], STATE in told["warnings"][-1]) == (True, True)
            (repository.root / LOGIN).write_text("new\n")
            done = await ask(editor, "recordEdit", ticket=told["ticket"], success=True)
            assert editor.records()[-1]["id"] == done["recordId"]
        else:
            for each in (out, told):
                governs_nothing(each, fail_open=False)
        assert said(editor, "cannot be saved to disk") == 1
        # Mended, it is used again, and what memory knew is in it.
        if state.is_dir():
            state.rmdir()
        else:
            state.unlink()
        await until_ok(editor)
        await written(editor, LOGIN, LINES + "mended\n")
        await until_said(editor, "is saved to disk again")
        assert said(editor, "is on again") == 0
        assert state.is_file()


async def until_ok(editor: Editor) -> None:
    """Ask how it stands until what could not be used is tried again."""

    async def ask_on() -> None:
        while (await editor.ask("intent/status"))["fileState"] != "ok":
            pass

    await asyncio.wait_for(ask_on(), PATIENCE)


BROKEN_GATES: Sequence[Breaking] = (
    gate_lock_is_a_directory,
    gate_lock_is_held,
    state_is_a_directory,
    state_is_locked,
    state_holds_a_ticket_that_is_none,
)


@OPEN_AND_CLOSED
@pytest.mark.parametrize("breaking", BROKEN_GATES)
async def test_a_gate_that_fails_is_logged_with_its_traceback_and_stops_whom_the_team_says(
    repository: Repository, tmp_path: Path, breaking: Breaking, *, fail_open: bool
) -> None:
    govern(repository, policy(fail_open=fail_open))
    log = tmp_path / "log"
    async with editing(repository.root, command=logging_server(log)) as editor:
        await ask(editor, "select", intentId="INT-001")
        await ticket(editor, LOGIN)
        assert "Traceback" not in log.read_text()
        with breaking(repository):
            told = await ask(editor, "validateEdit", **WRITE, toolUseId="call-1")
        governs_nothing(told, fail_open=fail_open)
        assert "Traceback (most recent call last)" in log.read_text()
        # A failure is over when its cause is.
        await written(editor, LOGIN, LINES + "mended\n")
        out = await ask(editor, "validateEdit", toolName="Write", path=INVOICE)
        assert out["error"]["code"] == "SCOPE_VIOLATION"
        await verified(editor, 1)


@OPEN_AND_CLOSED
@pytest.mark.parametrize("breaking", BROKEN_GATES)
async def test_a_save_goes_through_a_gate_that_fails_and_its_record_is_made_up_for(
    repository: Repository, breaking: Breaking, *, fail_open: bool
) -> None:
    govern(repository, policy(fail_open=fail_open, enforcement="block"))
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-002"})
        await save(editor, INVOICE, LINES + "1\n")
        await editor.traced(1)
        with breaking(repository):
            await save(editor, INVOICE, LINES + "2\n")
            await editor.until(
                lambda: said(editor, "saved but not recorded") or len(editor.records()) == 2,
                "it is recorded, or said that it is not",
            )
        missed = said(editor, "saved but not recorded")
        await save(editor, INVOICE, LINES + "3\n")
        await editor.traced(3 - missed)
        texts = [LINES, *(LINES + f"{n}\n" for n in (1, 2, 3) if n != 2 or not missed)]
        no_gap(editor, INVOICE, *texts)
        assert {record["scope_validation"] for record in editor.records()} == {"PASS"}
        await verified(editor, 3 - missed)


@pytest.mark.parametrize("breaking", BROKEN_GATES[:4])
async def test_an_edit_that_cannot_be_recorded_is_recorded_once_it_is_asked_for_again(
    repository: Repository, breaking: Breaking
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await ask(editor, "select", intentId="INT-001")
        given = await ticket(editor, LOGIN)
        (repository.root / LOGIN).write_text("new\n")
        with breaking(repository):
            error = await failing(editor, "recordEdit", ticket=given, success=True)
        # An error that a caller can act upon: what is wrong, and where.
        assert (error.code, LOCAL in str(error)) == (-32803, True), error
        done = await ask(editor, "recordEdit", ticket=given, success=True)
        assert [record["id"] for record in editor.records()] == [done["recordId"]]
        no_gap(editor, LOGIN, LINES, "new\n")
        await verified(editor, 1)


# -- the ledger ---------------------------------------------------------------------------------


@contextmanager
def ledger_is_a_directory(repository: Repository) -> Iterator[None]:
    ledger = repository.root / LEDGER
    away = ledger.rename(ledger.with_suffix(".away"))
    ledger.mkdir()
    yield
    assert not list(ledger.iterdir())
    ledger.rmdir()
    away.rename(ledger)


@contextmanager
def ledger_is_a_link(repository: Repository) -> Iterator[None]:
    ledger = repository.root / LEDGER
    away = ledger.rename(ledger.with_suffix(".away"))
    before = away.read_bytes()
    ledger.symlink_to(away)
    yield
    assert away.read_bytes() == before
    ledger.unlink()
    away.rename(ledger)


def ledger_is_read_only(repository: Repository) -> AbstractContextManager[None]:
    return read_only(repository.root / LEDGER)


@contextmanager
def ledger_may_not_be_written(repository: Repository) -> Iterator[None]:
    ledger = repository.root / LEDGER
    # Another file, as after a checkout: the server has to open it anew.
    fresh = ledger.with_suffix(".tmp")
    shutil.copy(ledger, fresh)
    fresh.chmod(0o400)
    fresh.replace(ledger)
    yield
    ledger.chmod(0o600)


BROKEN_LEDGERS: Sequence[Breaking] = (
    ledger_is_a_directory,
    ledger_is_a_link,
    ledger_is_read_only,
    ledger_may_not_be_written,
)


@pytest.mark.parametrize("breaking", BROKEN_LEDGERS)
async def test_records_of_agents_and_people_wait_for_the_ledger_in_their_order(
    repository: Repository, tmp_path: Path, breaking: Breaking
) -> None:
    govern(repository)
    for name in (LOGOUT, INVOICE):
        repository.write(name, LINES)
    (repository.root / LEDGER).touch()
    repository.commit()
    log = tmp_path / "log"
    command = logging_server(log, bound=True)
    async with editing(repository.root, command=command) as editor:
        await editor.ask("intent/select", {"intentId": "INT-002"})
        await ask(editor, "select", intentId="INT-001")
        if breaking is not ledger_is_read_only:
            # A file that is open already stays open, whatever is mounted over it.
            await written(editor, LOGOUT, LINES + "before\n")
        before = len(editor.records())
        # Given before: what stands in the ledger's place is drift, which refuses new calls.
        tickets = [(await ticket(editor, path), path) for path in (LOGIN, LOGOUT)]
        with breaking(repository):
            for number, (given, path) in enumerate(tickets):
                (repository.root / path).write_text(LINES + "waits\n")
                done = await ask(editor, "recordEdit", ticket=given, success=True)
                assert [file["path"] for file in done["files"]] == [path]
                assert len(list((repository.root / QUEUE).glob("*.json"))) == 2 * number + 1
                await save(editor, INVOICE, LINES + f"waits {number}\n")
                await until_said(
                    editor, f"{INVOICE} is saved, but the ledger cannot record it yet", number + 1
                )
        assert "the ledger cannot be appended" in log.read_text()
        waiting = [
            json.loads(path.read_bytes())
            for path in sorted((repository.root / QUEUE).glob("*.json"))
        ]
        assert len(waiting) == 4
        assert len(editor.records()) == before
        # Asked again, it waits no second time.
        await ask(editor, "recordEdit", ticket=tickets[0][0], success=True)
        await written(editor, LOGIN, LINES + "after\n")
        found = [record["id"] for record in editor.records()]
        assert found[before:-1] == [record["id"] for record in waiting]
        paths = [record["files"][0]["relative_path"] for record in editor.records()[before:]]
        assert paths == [LOGIN, INVOICE, LOGOUT, INVOICE, LOGIN]
        no_gap(editor, INVOICE, LINES, LINES + "waits 0\n", LINES + "waits 1\n")
        no_gap(editor, LOGIN, LINES, LINES + "waits\n", LINES + "after\n")
        await verified(editor, before + 5)


async def test_an_agents_record_that_waits_is_logged_and_shown(
    repository: Repository, tmp_path: Path
) -> None:
    govern(repository)
    (repository.root / LEDGER).touch()
    log = tmp_path / "log"
    async with editing(repository.root, command=logging_server(log, bound=True)) as editor:
        await ask(editor, "select", intentId="INT-001")
        given = await ticket(editor, LOGIN)
        (repository.root / LOGIN).write_text("waits\n")
        with ledger_may_not_be_written(repository):
            await ask(editor, "recordEdit", ticket=given, success=True)
            (waiting,) = (repository.root / QUEUE).glob("*.json")
            # Whatever is answered, and told, afterwards is behind it.
            await editor.ask("intent/list")
        assert json.loads(waiting.read_bytes())["session_id"] == "builder"
        assert "the ledger cannot be appended" in log.read_text()
        assert said(editor, "cannot record it yet") == 1


async def test_what_is_wrong_is_shown_though_the_ledger_cannot_be_read(
    repository: Repository, tmp_path: Path
) -> None:
    govern(repository)
    (repository.root / LEDGER).touch()
    log = tmp_path / "log"
    async with editing(repository.root, command=logging_server(log)) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        with ledger_is_a_directory(repository):
            editor.open(INVOICE)
            editor.type(INVOICE, LINES + "out of scope\n")
            await editor.problems(INVOICE, "SCOPE_VIOLATION")
            await editor.ask("intent/select", {"intentId": "INT-002"})
            assert not await editor.problems(INVOICE)
            (repository.root / INTENTS_FILE).write_text("a: [\n")
            await until_said(editor, "is OFF")
        assert "Traceback" not in log.read_text()


async def test_a_ledger_that_cannot_be_read_is_logged_once(
    repository: Repository, tmp_path: Path
) -> None:
    govern(repository)
    (repository.root / LEDGER).touch()
    log = tmp_path / "log"
    async with editing(repository.root, command=logging_server(log)) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        for count in (1, 2):
            with ledger_is_a_directory(repository):
                editor.open(INVOICE)
                for number in range(5):
                    editor.type(INVOICE, LINES + f"out of scope {number}\n")
                    await editor.problems(INVOICE, "SCOPE_VIOLATION")
                    await editor.ask("intent/select", {"intentId": "INT-001"})
                    await editor.ask("intent/status")
                editor.close(INVOICE)
            await editor.ask("intent/select", {"intentId": "INT-001"})
            said = log.read_text()
            assert said.count("the ledger cannot be read") == count
            assert said.count("the ledger can be read again") == count


async def test_a_locked_ledger_is_waited_for_and_then_the_record_waits(
    repository: Repository,
) -> None:
    govern(repository)
    repository.write(LOGOUT, LINES)
    async with editing(repository.root) as editor:
        await ask(editor, "select", intentId="INT-001")
        tickets = [(await ticket(editor, path), path) for path in (LOGIN, LOGOUT)]
        for _, path in tickets:
            (repository.root / path).write_text("new\n")
        lock = repository.root / LOCAL / "ledger.lock"
        with locked_by_another_process(lock):
            begun = time.monotonic()
            await ask(editor, "recordEdit", ticket=tickets[0][0], success=True)
            assert time.monotonic() - begun > 1.9
            assert len(list((repository.root / QUEUE).glob("*.json"))) == 1
            assert editor.records() == []
        with locked_by_another_process(lock) as holder:
            # The one that waits has taken the moment in which nobody held it, or has not.
            recorded = editor.records()
            recording = asyncio.ensure_future(
                ask(editor, "recordEdit", ticket=tickets[1][0], success=True)
            )
            # Asked later and answered: by now somebody waits for the lock.
            await editor.ask("intent/list")
            assert editor.records() == recorded
            holder.kill()
            done = await recording
        # Let go of in time: appended, behind the one that waited.
        assert [record["id"] for record in editor.records()][1:] == [done["recordId"]]
        paths = [record["files"][0]["relative_path"] for record in editor.records()]
        assert paths == [LOGIN, LOGOUT]
        await verified(editor, 2)


async def test_where_a_record_can_neither_be_kept_nor_wait_it_is_said_and_the_edit_stands(
    repository: Repository, tmp_path: Path
) -> None:
    govern(repository)
    (repository.root / LEDGER).touch()
    async with editing(
        repository.root, command=logging_server(tmp_path / "log", bound=True)
    ) as editor:
        await editor.ask("intent/select", {"intentId": "INT-002"})
        await ask(editor, "select", intentId="INT-001")
        given = await ticket(editor, LOGIN)
        (repository.root / LOGIN).write_text("new\n")
        queue = repository.root / QUEUE
        queue.write_text("in the way")
        with ledger_may_not_be_written(repository):
            error = await failing(editor, "recordEdit", ticket=given, success=True)
            assert (error.code, error.data["code"]) == (-32803, "LEDGER_UNAVAILABLE")
            assert "the record cannot be stored" in str(error)
            await save(editor, INVOICE, LINES + "1\n")
            await until_said(editor, f"{INVOICE} is saved but not recorded")
        queue.unlink()
        # Nothing is lost: the ticket is good still, and the next save tells of both.
        await ask(editor, "recordEdit", ticket=given, success=True)
        await save(editor, INVOICE, LINES + "2\n")
        await editor.traced(2)
        no_gap(editor, LOGIN, LINES, "new\n")
        no_gap(editor, INVOICE, LINES, LINES + "2\n")
        await verified(editor, 2)


# -- a file that cannot be hashed ---------------------------------------------------------------


@contextmanager
def nobody_may_read(path: Path) -> Iterator[None]:
    path.chmod(0)
    yield
    path.chmod(0o644)


@asynccontextmanager
async def editing_with_rights(repository: Repository, log: Path) -> AsyncIterator[Editor]:
    """Edit in a governed root with a server that file permissions bind, even as root."""
    govern(repository)
    async with editing(repository.root, command=logging_server(log, bound=True)) as editor:
        yield editor


async def test_a_file_that_cannot_be_hashed_is_judged_and_recorded_without_a_hash(
    repository: Repository, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    async with editing_with_rights(repository, log) as editor:
        await ask(editor, "select", intentId="INT-001")
        with nobody_may_read(repository.root / LOGIN):
            told = await ask(editor, "validateEdit", **WRITE)
            assert (told["allowed"], told["scopeValidation"]) == (True, "PASS")
            (file,) = told["files"]
            assert (file["path"], file["preHash"]) == (LOGIN, None)
            assert f"{LOGIN} cannot be hashed" in log.read_text()
            # The scope holds for what cannot be read, too.
            out = await ask(editor, "validateEdit", toolName="Write", path=INVOICE)
            assert out["error"]["code"] == "SCOPE_VIOLATION"
        (repository.root / LOGIN).write_text("new\n")
        with nobody_may_read(repository.root / LOGIN):
            done = await ask(editor, "recordEdit", ticket=told["ticket"], success=True)
        assert [file["postHash"] for file in done["files"]] == [None]
        # It was written, says who wrote it: that it cannot be hashed does not unmake it.
        (record,) = editor.records()
        assert (record["id"], record["success"]) == (done["recordId"], True)
        (file,) = record["files"]
        assert (file["pre_hash"], file["post_hash"]) == (None, None)
        await verified(editor, 1)


async def test_what_can_be_hashed_again_is_recorded_with_its_hash(
    repository: Repository, tmp_path: Path
) -> None:
    async with editing_with_rights(repository, tmp_path / "log") as editor:
        await ask(editor, "select", intentId="INT-001")
        with nobody_may_read(repository.root / LOGIN):
            given = await ticket(editor, LOGIN)
        (repository.root / LOGIN).write_text("new\n")
        await ask(editor, "recordEdit", ticket=given, success=True)
        (file,) = of_file(editor, LOGIN)
        assert (file["pre_hash"], file["post_hash"]) == (None, hash_content(b"new\n"))
        await verified(editor, 1)


async def test_an_intents_file_that_cannot_be_read_has_an_error_that_says_so(
    repository: Repository, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    async with editing_with_rights(repository, log) as editor:
        with nobody_may_read(repository.root / INTENTS_FILE):
            await until_said(editor, "is OFF")
            (problem,) = await editor.problems(INTENTS_FILE, "YAML_SYNTAX")
            assert "cannot be read (Permission denied)" in problem.message
            assert "Edits are not checked until then." in problem.message
        await until_said(editor, "is on again")
        assert not await editor.problems(INTENTS_FILE)
    assert "Traceback" not in log.read_text()


async def test_a_read_of_a_file_that_cannot_be_read_is_refused_with_the_cure(
    repository: Repository, tmp_path: Path
) -> None:
    async with editing_with_rights(repository, tmp_path / "log") as editor:
        with nobody_may_read(repository.root / LOGIN):
            error = await failing(editor, "recordRead", path=LOGIN)
            assert error.code == -32602
            assert f"{LOGIN} cannot be read (Permission denied)" in error.message
            known = hash_content(b"what the agent was shown")
            noted = await ask(editor, "recordRead", path=LOGIN, hash=known)
            assert noted["hash"] == known


async def test_a_file_that_cannot_be_read_is_not_taken_for_a_new_one(
    repository: Repository, tmp_path: Path
) -> None:
    async with editing_with_rights(repository, tmp_path / "log") as editor:
        await ask(editor, "select", intentId="INT-001")
        with nobody_may_read(repository.root / LOGIN):
            told = await ask(editor, "validateEdit", **WRITE)
            assert told["mutationClass"] == "AST_REFACTOR"


async def test_a_save_that_cannot_be_read_back_stands_and_is_recorded_without_a_hash(
    repository: Repository, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    async with editing_with_rights(repository, log) as editor:
        await editor.ask("intent/select", {"intentId": "INT-002"})
        await save(editor, INVOICE, LINES + "1\n")
        await editor.traced(1)
        with nobody_may_read(repository.root / INVOICE):
            editor.type(INVOICE, LINES + "2\n")
            # What an editor with more rights than ours writes.
            fresh = repository.root / "fresh"
            fresh.write_text(editor.buffers[INVOICE].text)
            fresh.chmod(0)
            fresh.replace(repository.root / INVOICE)
            saved = lsp.TextDocumentIdentifier(editor.uri(INVOICE))
            editor.client.text_document_did_save(lsp.DidSaveTextDocumentParams(saved))
            await editor.until(
                lambda: len(editor.records()) == 2 or said(editor, "saved but not recorded"),
                "it is recorded, or said that it is not",
            )
            assert INVOICE in log.read_text()
            assert [file["post_hash"] for file in of_file(editor, INVOICE)][1:] == [None]
        await save(editor, INVOICE, LINES + "3\n")
        await editor.traced(3)
        await verified(editor, 3)


async def test_what_is_no_file_is_judged_at_once_and_without_a_hash(
    repository: Repository,
) -> None:
    govern(repository)
    pipe = repository.root / LOGIN
    async with editing(repository.root) as editor:
        await ask(editor, "select", intentId="INT-001")
        pipe.unlink()
        os.mkfifo(pipe)
        # Nobody writes into the pipe: who waited for its bytes would wait for ever.
        judging = asyncio.ensure_future(ask(editor, "validateEdit", **WRITE))
        answered, _ = await asyncio.wait({judging}, timeout=PATIENCE)
        if not answered:
            # Whoever does is let go, so that the server can end.
            os.close(os.open(pipe, os.O_RDWR))
        assert answered
        told = judging.result()
        assert [file["preHash"] for file in told["files"]] == [None]
        pipe.unlink()
        pipe.write_text("new\n")
        done = await ask(editor, "recordEdit", ticket=told["ticket"], success=True)
        assert [file["postHash"] for file in done["files"]] == [hash_content(b"new\n")]
        await verified(editor, 1)


# -- the server is killed -----------------------------------------------------------------------


class Builder(KillableServer):
    """A server that is killed, asked by an agent's session."""

    def asked(self, method: str, **params: object) -> Any:
        return self.request(f"intent/{method}", {"sessionId": "builder", **params})


async def test_killed_between_an_answer_and_the_next_request_every_answered_record_is_there(
    repository: Repository,
) -> None:
    """Long where processors are shared: five servers are started, one after the other."""
    govern(repository)
    ledger, torn = repository.root / LEDGER, repository.root / LOCAL / "torn"
    answered = []
    for turn in range(2):
        server = Builder(repository.root)
        server.asked("select", intentId="INT-001")
        given = server.asked("validateEdit", **WRITE)["ticket"]
        (repository.root / LOGIN).write_text(f"{turn}\n")
        # Given by a server that is no more, and recorded by the next.
        server.kill()
        server = Builder(repository.root)
        answered.append(server.asked("recordEdit", ticket=given, success=True)["recordId"])
        server.kill()
        assert [json.loads(line)["id"] for line in ledger.read_text().splitlines()] == answered
        # As a kill in the middle of the write would have left it.
        with ledger.open("ab") as file:
            file.write(b'{"id":"%d' % turn)
        assert len(list(torn.glob("*"))) == turn
    async with editing(repository.root) as editor:
        answered.append(await written(editor, LOGIN, "after\n"))
        assert [record["id"] for record in editor.records()] == answered
        assert [path.read_bytes() for path in sorted(torn.iterdir())] == [
            b'{"id":"%d' % turn for turn in range(2)
        ]
        no_gap(editor, LOGIN, LINES, "0\n", "1\n", "after\n")
        await verified(editor, 3)


# -- the state is lost --------------------------------------------------------------------------

GARBAGE = b"\xa5" * 8192


def corrupt(repository: Repository) -> None:
    """Put garbage in its place; SQLite would not read again what it holds in memory."""
    delete(repository)
    (repository.root / STATE).write_bytes(GARBAGE)


def delete(repository: Repository) -> None:
    for suffix in ("", "-wal", "-shm"):
        (repository.root / f"{STATE}{suffix}").unlink(missing_ok=True)


def replace(repository: Repository) -> None:
    """Put an older one in its place, which knows nobody."""
    state = repository.root / STATE
    with (
        closing(sqlite3.connect(state)) as now,
        closing(sqlite3.connect(state.with_name("older"))) as older,
    ):
        now.backup(older)
        for table in ("session", "ticket", "claim", "read_hash"):
            older.execute(f"DELETE FROM {table}")  # noqa: S608 - a name of ours
        older.commit()
    delete(repository)
    state.with_name("older").replace(state)


def remake(repository: Repository) -> None:
    """Take the whole room away, and put back what git would: all but `.local/`."""
    room = repository.root / ".orchestration"
    kept = {path: path.read_bytes() for path in room.iterdir() if path.is_file()}
    # At once: the server may write into it at any time.
    gone = room.rename(repository.root.with_name("gone"))
    room.mkdir()
    shutil.rmtree(gone)
    for path, data in kept.items():
        path.write_bytes(data)


LOSSES: Sequence[tuple[Callable[[Repository], None], str]] = (
    (corrupt, "is damaged; it is kept as"),
    (delete, "was deleted or replaced: what it knew is lost"),
    (replace, "was deleted or replaced: what it knew is lost"),
    (remake, "was deleted or replaced: what it knew is lost"),
)
LOST = ["corrupt", "deleted", "replaced", "remade"]


@OPEN_AND_CLOSED
@pytest.mark.parametrize(("lose", "words"), LOSSES, ids=LOST)
async def test_who_is_forgotten_has_to_check_out_again_and_overwrites_nothing(
    repository: Repository,
    tmp_path: Path,
    lose: Callable[[Repository], None],
    words: str,
    *,
    fail_open: bool,
) -> None:
    govern(repository, policy(fail_open=fail_open))
    log = tmp_path / "log"
    async with editing(repository.root, command=logging_server(log)) as editor:
        await ask(editor, "select", intentId="INT-001")
        read = await ask(editor, "recordRead", path=LOGIN)
        given = await ticket(editor, LOGIN)
        (repository.root / LOGIN).write_text("someone else's\n")
        stale = await ask(editor, "validateEdit", **WRITE)
        assert stale["error"]["code"] == "STALE_FILE"
        assert words not in log.read_text()
        lose(repository)
        # The same call, once and again: it passes no more than it did before.
        for _ in range(2):
            told = await ask(editor, "validateEdit", **WRITE)
            assert (told["allowed"], told["error"]["code"]) == (False, "CHECKOUT_REQUIRED")
        assert log.read_text().count(words) == 1
        if lose is corrupt:
            (kept,) = (repository.root / LOCAL).glob("state.sqlite3.damaged-*[0-9]")
            assert kept.read_bytes() == GARBAGE
        error = await failing(editor, "recordEdit", ticket=given, success=True)
        assert error.data["code"] == "TICKET_UNKNOWN"
        # Who says what it has read is told that it is stale, remembered or not.
        await ask(editor, "select", intentId="INT-001")
        told = await ask(editor, "validateEdit", **WRITE, readHash=read["hash"])
        assert told["error"]["code"] == "STALE_FILE"
        await written(editor, LOGIN, "ours\n")
        await verified(editor, 1)


@pytest.mark.parametrize(("lose", "words"), LOSSES, ids=LOST)
async def test_a_person_who_is_forgotten_selects_again_and_goes_on(
    repository: Repository,
    tmp_path: Path,
    lose: Callable[[Repository], None],
    words: str,
) -> None:
    govern(repository)
    log = tmp_path / "log"
    async with editing(repository.root, command=logging_server(log)) as editor:
        await editor.ask("intent/select", {"intentId": "INT-002"})
        await save(editor, INVOICE, LINES + "1\n")
        await editor.traced(1)
        lose(repository)
        await save(editor, INVOICE, LINES + "2\n")
        await editor.traced(2)
        assert words in log.read_text()
        await editor.problems(INVOICE, "NO_ACTIVE_INTENT")
        await editor.ask("intent/select", {"intentId": "INT-002"})
        assert (await editor.ask("intent/status"))["activeIntentId"] == "INT-002"
        await save(editor, INVOICE, LINES + "3\n")
        await editor.traced(3)
        verdicts = [(r["intent_id"], r["scope_validation"]) for r in editor.records()]
        assert verdicts == [("INT-002", "PASS"), (None, "FAIL"), ("INT-002", "PASS")]
        no_gap(editor, INVOICE, LINES, *(LINES + f"{n}\n" for n in (1, 2, 3)))
        await verified(editor, 3)
        # Who goes on is alive: nobody else inherits the intent meanwhile.
        async with editing(repository.root) as other:
            assert (await other.ask("intent/status"))["activeIntentId"] is None
    assert "Traceback" not in log.read_text()
    assert sessions(repository) == [("INT-002", False), (None, False)]
    assert ".local" not in repository.git("status", "--short", "--untracked-files=all")


def sessions(repository: Repository) -> list[tuple[str | None, bool]]:
    """Give the intent of each session, and whether it goes on."""
    query = "SELECT CAST(active_intent AS TEXT), ended_at IS NULL FROM session ORDER BY started_at"
    with closing(sqlite3.connect(repository.root / STATE)) as state:
        return [(intent, bool(lives)) for intent, lives in state.execute(query)]


async def test_while_the_whole_room_is_gone_nothing_is_known_and_nothing_fails(
    repository: Repository, tmp_path: Path
) -> None:
    govern(repository)
    log, room = tmp_path / "log", repository.root / ".orchestration"
    kept = {path: path.read_bytes() for path in room.iterdir() if path.is_file()}
    async with editing(repository.root, command=logging_server(log)) as editor:
        await editor.ask("intent/select", {"intentId": "INT-002"})
        editor.open(INVOICE)
        editor.type(INVOICE, LINES + "1\n")
        remove_at_once(room)
        await until_said(editor, "is OFF")
        for _ in range(3):
            status = await editor.ask("intent/status")
            assert (status["enabled"], status["activeIntentId"]) == (False, None)
            # What the team says of that is gone, too.
            governs_nothing(await ask(editor, "validateEdit", **WRITE), fail_open=True)
        assert not room.exists()
        room.mkdir()
        for path, data in kept.items():
            path.write_bytes(data)
        await until_said(editor, "is on again")
        await editor.ask("intent/select", {"intentId": "INT-002"})
        await save(editor, INVOICE, LINES + "1\n")
        await editor.traced(1)
        assert not await editor.settled(INVOICE)
        await verified(editor, 1)
        remove_at_once(room)
        await until_said(editor, "is OFF", 2)
    said_so = log.read_text()
    assert "Traceback" not in said_so
    assert said_so.count("what it knew is lost") == 2
    assert not room.exists()


@OPEN_AND_CLOSED
async def test_damage_that_cannot_be_moved_aside_is_a_gate_that_fails(
    repository: Repository, tmp_path: Path, *, fail_open: bool
) -> None:
    govern(repository, policy(fail_open=fail_open))
    log = tmp_path / "log"
    async with editing(repository.root, command=logging_server(log)) as editor:
        await ask(editor, "select", intentId="INT-001")
        in_the_way = repository.root / f"{STATE}.lock"
        in_the_way.mkdir()
        corrupt(repository)
        governs_nothing(await ask(editor, "validateEdit", **WRITE), fail_open=fail_open)
        assert "is damaged and cannot be moved" in log.read_text()
        in_the_way.rmdir()
        told = await ask(editor, "validateEdit", **WRITE)
        assert told["error"]["code"] == "CHECKOUT_REQUIRED"
        await ask(editor, "select", intentId="INT-001")
        await written(editor, LOGIN, "mended\n")


# -- the disk is full ---------------------------------------------------------------------------

MANY = [f"src/auth/{n}.py" for n in range(8)]


async def test_on_a_full_disk_no_answered_record_is_lost_and_none_is_made_twice(
    tmp_path: Path,
) -> None:
    with small_disk(tmp_path / "small", "8m") as disk:
        repository = govern(repositories.create(disk / "repository"))
        for name in MANY:
            repository.write(name, LINES)
        repository.commit()
        async with editing(repository.root) as editor:
            await ask(editor, "select", intentId="INT-001")
            await written(editor, LOGIN, LINES + "there is room\n")
            tickets = [await ticket(editor, name) for name in MANY]
            for name in MANY:
                (repository.root / name).write_text(LINES + "written in time\n")
            ballast = fill(disk)
            done = [await recorded_or_refused(editor, given) for given in tickets]
            refused = [answer for answer in done if isinstance(answer, JsonRpcException)]
            # What is full, and where; nobody has to look into the log.
            assert all(error.code == -32803 for error in refused), refused
            assert all(str(repository.root) in str(error) for error in refused)
            there = {record["id"] for record in editor.records()}
            # One that waits in the queue has no id yet.
            answered = {answer["recordId"] for answer in done if answer not in refused}
            assert answered - {None} <= there
            ballast.unlink()
            for given in tickets:
                assert (await ask(editor, "recordEdit", ticket=given, success=True))["files"]
            for name in MANY:
                no_gap(editor, name, LINES, LINES + "written in time\n")
            await verified(editor, 1 + len(MANY))


async def recorded_or_refused(editor: Editor, given: str) -> Any:
    try:
        return await ask(editor, "recordEdit", ticket=given, success=True)
    except JsonRpcException as error:
        return error


@OPEN_AND_CLOSED
async def test_on_a_full_disk_an_agent_is_held_as_the_team_says(
    tmp_path: Path, *, fail_open: bool
) -> None:
    with small_disk(tmp_path / "small", "8m") as disk:
        repository = govern(repositories.create(disk / "repository"), policy(fail_open=fail_open))
        async with editing(repository.root) as editor:
            await ask(editor, "select", intentId="INT-001")
            ballast = fill(disk)
            # Until the last page that SQLite has of its log is full as well.
            for _ in range(64):
                told = await ask(editor, "validateEdit", **WRITE)
                if told["warnings"] or not told["allowed"]:
                    break
            out = await ask(editor, "validateEdit", toolName="Write", path=INVOICE)
            if fail_open:
                # Held as before, by what memory keeps, and told so.
                assert (told["allowed"], told["scopeValidation"]) == (True, "PASS")
                assert STATE in told["warnings"][-1]
                assert out["error"]["code"] == "SCOPE_VIOLATION"
            else:
                governs_nothing(told, fail_open=False)
                governs_nothing(out, fail_open=False)
            await until_said(editor, "cannot be saved to disk")
            ballast.unlink()
            await until_ok(editor)
            if fail_open:
                # The ticket that memory had is good for a record.
                (repository.root / LOGIN).write_text(LINES + "first\n")
                done = await ask(editor, "recordEdit", ticket=told["ticket"], success=True)
                assert [record["id"] for record in editor.records()] == [done["recordId"]]
            await written(editor, LOGIN, LINES + "room\n")
            await verified(editor, 1 + fail_open)


@pytest.mark.parametrize("enforcement", ["warn", "block"])
async def test_on_a_full_disk_a_save_stands_and_the_next_one_closes_the_gap(
    tmp_path: Path, enforcement: str
) -> None:
    with small_disk(tmp_path / "small", "8m") as disk:
        repository = govern(repositories.create(disk / "repository"), f"enforcement: {enforcement}")
        outside = "README.md"
        (repository.root / outside).write_text(LINES)
        repository.commit()
        async with editing(repository.root) as editor:
            await editor.ask("intent/select", {"intentId": "INT-002"})
            for name in (INVOICE, outside):
                editor.open(name)
                await editor.settled(name)
            ballast = fill(disk)
            for name in (INVOICE, outside):
                await save_in_place(editor, name, LINES.replace("line 1\n", "LINE 1\n"))
                # Out of scope, it cannot be turned back: there is no room for what was typed.
                assert editor.buffers[name].text.startswith("LINE 1\n")
                await until_said(editor, f"{name} is saved")
            assert editor.records() == []
            ballast.unlink()
            for name in (INVOICE, outside):
                await save_in_place(editor, name, LINES.replace("line 1\n", "line A\n"))
            back = enforcement == "block"
            await editor.traced(1 if back else 2)
            no_gap(editor, INVOICE, LINES, LINES.replace("line 1\n", "line A\n"))
            assert (repository.root / outside).read_text() == (
                LINES.replace("line 1\n", "LINE 1\n" if back else "line A\n")
            )


async def save_in_place(editor: Editor, name: str, text: str) -> None:
    """Save over the bytes that are there, as a full disk still lets an editor do."""
    buffer = editor.type(name, text)
    document = lsp.TextDocumentIdentifier(buffer.uri)
    manual = lsp.TextDocumentSaveReason.Manual
    edits = await editor.client.text_document_will_save_wait_until_async(
        lsp.WillSaveTextDocumentParams(document, manual)
    )
    editor.apply(buffer, edits or [])
    with buffer.path.open("r+b") as file:
        file.write(buffer.data)
    editor.client.text_document_did_save(lsp.DidSaveTextDocumentParams(document))


# -- limits -------------------------------------------------------------------------------------

LONGEST = "ü" * 256
TOO_LONG: Sequence[tuple[str, Mapping[str, Any], str]] = (
    ("validateEdit", {**WRITE, "sessionId": LONGEST + "x"}, "params.sessionId"),
    ("validateEdit", {**WRITE, "agentId": LONGEST + "x"}, "params.agentId"),
    ("validateEdit", {**WRITE, "toolName": LONGEST + "x"}, "params.toolName"),
    ("validateEdit", {**WRITE, "intentId": LONGEST + "x"}, "params.intentId"),
    ("validateEdit", {**WRITE, "toolUseId": LONGEST + "x"}, "params.toolUseId"),
    ("recordEdit", {"ticket": LONGEST + "x", "success": True}, "params.ticket"),
    ("select", {"intentId": LONGEST + "x"}, "params.intentId"),
)


async def test_names_up_to_their_limit_are_kept_and_longer_ones_name_it(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        for name, params, field in TOO_LONG:
            error = await failing(editor, name, **params)
            assert (error.code, field in str(error), "256" in str(error)) == (-32602, True, True)
        await ask(editor, "select", LONGEST, intentId="INT-001")
        named = {"toolName": LONGEST, "toolUseId": LONGEST, "agentId": LONGEST}
        told = await ask(editor, "validateEdit", LONGEST, path=LOGIN, **named)
        assert told["allowed"], told
        (repository.root / LOGIN).write_text("new\n")
        await ask(editor, "recordEdit", LONGEST, ticket=told["ticket"], success=True)
        (record,) = editor.records()
        assert (record["session_id"], record["tool_name"]) == (LONGEST, LONGEST)
        assert record["agent_id"] == LONGEST
        await verified(editor, 1)


NAMES = [f"src/auth/{number}" for number in range(10_000)]


def patch_of(*names: str) -> str:
    return "".join(f"--- a/{name}\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n" for name in names)


TOO_MANY: Mapping[str, Mapping[str, Any]] = {
    "paths": {"paths": [*NAMES, LOGIN]},
    "path and paths": {"path": LOGIN, "paths": NAMES},
    "patch": {"patch": patch_of(*NAMES, LOGIN)},
    "command": {"toolName": "Bash", "command": "touch " + " ".join((*NAMES, LOGIN))},
}


@pytest.mark.parametrize("how", TOO_MANY)
async def test_a_call_of_more_than_ten_thousand_files_names_the_limit(
    repository: Repository, how: str
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await ask(editor, "select", intentId="INT-001")
        call: dict[str, Any] = {"toolName": "apply_patch", **TOO_MANY[how]}
        error = await failing(editor, "validateEdit", **call)
        assert (error.code, "10000" in str(error).replace(",", "")) == (-32602, True), error


async def test_a_call_of_ten_thousand_files_is_one_record(repository: Repository) -> None:
    """Ten thousand files are written and read by git, twice; a busy machine takes its time."""
    govern(repository)
    async with editing(repository.root) as editor:
        await ask(editor, "select", intentId="INT-001")
        told = await ask(editor, "validateEdit", toolName="apply_patch", paths=NAMES)
        assert (told["allowed"], len(told["files"])) == (True, 10_000)
        for name in NAMES:
            (repository.root / name).write_text("x\n")
        await ask(editor, "recordEdit", ticket=told["ticket"], success=True)
        (record,) = editor.records()
        assert [file["relative_path"] for file in record["files"]] == NAMES
        await verified(editor, 1)


async def test_a_file_over_64_megabytes_is_hashed_while_others_are_answered(
    repository: Repository,
) -> None:
    govern(repository)
    size = (64 << 20) + 1
    with (repository.root / LOGIN).open("r+b") as file:
        file.truncate(size)
    digest = hash_content((repository.root / LOGIN).read_bytes())
    async with editing(repository.root) as editor:
        await ask(editor, "select", intentId="INT-001")
        judging = asyncio.ensure_future(ask(editor, "validateEdit", **WRITE))
        assert (await ask(editor, "status"))["activeIntentId"] == "INT-001"
        assert [file["preHash"] for file in (await judging)["files"]] == [digest]
