"""Agent hosts beside an editor: hooks ask its server, and everybody keeps to their intent."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.core.agents.hook_answer import HookAnswer
from intent_lsp.formats.hook_wire import HookRequest
from intent_lsp.store.hook_socket import ask_server
from tests.support.editor import Editor, editing
from tests.support.governed_repository import LINES, govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

LOGIN, INVOICE = "src/auth/login.py", "src/billing/invoice.py"
COUNT = 50
PATIENT = 60.0


class Agent:
    """A conversation of an agent host in a repository, whose hooks ask the editor's server."""

    def __init__(self, root: Path, host: str, session: str) -> None:
        self._root, self._host, self._session = root, host, session

    async def send(self, event: str, tool: str, use: str, **given: Any) -> HookAnswer:
        """Send an event of a tool call. Expect that the server answers."""
        told = {
            "hook_event_name": event,
            "session_id": self._session,
            "cwd": str(self._root),
            "tool_name": tool,
            "tool_input": given,
            "tool_use_id": use,
            "tool_call_id": use,
        }
        asked = HookRequest(self._host, None, {}, str(self._root), json.dumps(told).encode())
        reply = await asyncio.to_thread(ask_server, self._root, asked, PATIENT)
        assert reply is not None
        return reply

    async def select(self, intent_id: str) -> None:
        """Select an intent in the agent's shell."""
        command = f"intent-lsp intents select {intent_id}"
        assert (await self.send("PreToolUse", "Bash", "select", command=command)).status == 0
        await self.send("PostToolUse", "Bash", "select", command=command)

    async def write(self, path: str, text: str, use: str) -> HookAnswer:
        """Write a file if that may be, and report it."""
        given = {"file_path": str(self._root / path), "content": text}
        asked = await self.send("PreToolUse", "Write", use, **given)
        if asked.status == 0:
            (self._root / path).parent.mkdir(parents=True, exist_ok=True)
            (self._root / path).write_text(text)
            await self.send("PostToolUse", "Write", use, **given)
        return asked


async def test_a_hook_asks_the_server_of_the_editor(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        agent = Agent(repository.root, "claude", "of-an-agent")
        await agent.select("INT-002")
        assert (await agent.write(INVOICE, "theirs\n", "1")) == HookAnswer("", "", 0)
        refused = await agent.write(LOGIN, "theirs\n", "2")
        assert refused.status == 2
        assert "INT-002 is not authorized to edit src/auth/login.py" in refused.stderr
        (record,) = editor.records()
        assert (record["intent_id"], record["session_id"]) == ("INT-002", "of-an-agent")
    asked = HookRequest("claude", None, {}, str(repository.root), b"{}")
    assert ask_server(repository.root, asked, PATIENT) is None


async def test_two_hosts_and_an_editor_work_at_once(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        editor.open(LOGIN)
        claude, qwen = (Agent(repository.root, host, host) for host in ("claude", "qwen"))
        await claude.select("INT-001")
        await qwen.select("INT-002")
        await asyncio.gather(
            works(claude, "src/auth/claude", INVOICE),
            works(qwen, "src/billing/qwen", LOGIN),
            types(editor),
        )
        verified = await editor.ask("intent/verify")
        assert verified["ok"]
        records = editor.records()
    made = [
        (r["session_id"], r["intent_id"], r["scope_validation"], f["relative_path"])
        for r in records
        for f in r["files"]
    ]
    for session, intent, room in (
        ("claude", "INT-001", "src/auth/claude"),
        ("qwen", "INT-002", "src/billing/qwen"),
    ):
        own = [each for each in made if each[0] == session]
        expected = [(session, intent, "PASS", f"{room}{n}.py") for n in range(COUNT)]
        assert sorted(own) == sorted(expected)
    assert [each[3] for each in made if each[0] not in {"claude", "qwen"}] == [LOGIN] * COUNT
    assert (repository.root / INVOICE).read_text() == LINES


async def works(agent: Agent, room: str, foreign: str) -> None:
    """Make fifty edits in scope, and try each time to make one that is not."""
    for number in range(COUNT):
        assert (await agent.write(f"{room}{number}.py", f"{number}\n", f"in{number}")).status == 0
        assert (await agent.write(foreign, "stolen\n", f"out{number}")).status == 2


async def types(editor: Editor) -> None:
    """Save fifty edits in scope. Nothing is ever shown for the file."""
    for number in range(COUNT):
        editor.type(LOGIN, LINES.replace("line 3\n", f"line three, {number}\n"))
        await editor.save(LOGIN)
        assert await editor.settled(LOGIN) == []
