"""Hooks and the MCP server ask the person at the editor, through the editor's server."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.editor import editing
from tests.support.governed_repository import LINES, govern
from tests.support.mcp_clients import over_stdio
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

README = "README.md"
INTENTS = ".orchestration/active_intents.yaml"


HOOK = [sys.executable, "-m", "intent_lsp", "hook", "claude"]


def event(root: Path, tool: str, **given: str) -> dict[str, object]:
    """Return the event before a call, as Claude Code sends it."""
    return {
        "hook_event_name": "PreToolUse",
        "session_id": "of-an-agent",
        "cwd": str(root),
        "tool_name": tool,
        "tool_input": given,
        "tool_use_id": json.dumps(given)[:60],
    }


async def hook(root: Path, tool: str, **given: str) -> "subprocess.CompletedProcess[str]":
    """Run the hook of Claude Code before a call, as its host does."""
    return await asyncio.to_thread(
        subprocess.run,
        HOOK,
        input=json.dumps(event(root, tool, **given)),
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )


async def test_a_hook_waits_for_the_person_at_the_editor(repository: Repository) -> None:
    root = govern(repository, "hitl: out_of_scope").root
    async with editing(root) as editor:
        await hook(root, "Bash", command="intent-lsp intents select INT-001")
        for title, status in (("Approve once", 0), ("Reject", 2)):
            await editor.choose(title)
            text = f"{title}\n"
            answered = await hook(root, "Write", file_path=README, content=text)
            assert answered.returncode == status, answered
        assert "a person rejected it" in answered.stderr
        question = editor.asked[0].message
        assert question.startswith("intent-lsp: agent of-an-agent asks to change README.md")
        await editor.choose("Approve and expand scope")
        assert (await hook(root, "Write", file_path=README, content="more\n")).returncode == 0
        assert README in (root / INTENTS).read_text()
        assert len(editor.asked) == 3
        [grant] = [each for each in editor.records() if "grant" in each]
        session = (await editor.ask("intent/status"))["sessionId"]
        assert grant["grant"]["granted_by"] == session


async def test_the_same_call_is_put_to_the_person_once(repository: Repository) -> None:
    """A host may run two hooks for one call."""
    root = govern(repository, "hitl: out_of_scope").root
    async with editing(root) as editor:
        await hook(root, "Bash", command="intent-lsp intents select INT-001")
        both = [hook(root, "Write", file_path=README, content="x\n") for _ in range(2)]
        answers = asyncio.gather(*both)
        await editor.until(lambda: editor.asked, "the person is asked")
        await editor.choose("Approve once")
        for _ in range(2):
            # The second may have come only after the answer: it is the same call.
            editor.choices.append("Approve once")
        assert {each.returncode for each in await answers} == {0}
        assert len(editor.asked) <= 2


async def test_what_a_person_approves_for_a_hook_that_is_gone_does_not_count(
    repository: Repository,
) -> None:
    root = govern(repository, "hitl: out_of_scope").root
    async with editing(root) as editor:
        await hook(root, "Bash", command="intent-lsp intents select INT-001")
        payload = json.dumps(event(root, "Write", file_path=README, content="x\n"))
        with subprocess.Popen(  # noqa: ASYNC220 - the host waits for its hook as well
            HOOK, cwd=root, stdin=subprocess.PIPE
        ) as process:
            assert process.stdin is not None
            process.stdin.write(payload.encode())
            process.stdin.close()
            await editor.until(lambda: editor.asked, "the person is asked")
            process.kill()
        await editor.choose("Approve and expand scope")
        again = await hook(root, "Write", file_path=README, content="x\n")
        assert again.returncode == 2
        assert "the call was cancelled before anybody answered" in again.stderr
        assert README not in (root / INTENTS).read_text()
        assert len(editor.asked) == 1


async def test_the_mcp_server_asks_the_person_at_the_editor(repository: Repository) -> None:
    root = govern(repository, "hitl: out_of_scope").root
    async with editing(root) as editor, over_stdio(root) as agent:
        await agent.select()
        await editor.choose("Approve once")
        assert (await agent.writes(README, "# Once\n"))["applied"]
        await editor.choose("Reject")
        rejected = await agent.cannot_write(README)
        assert rejected.details["feedback"] == "a person rejected it"
        await editor.choose("Approve")
        granted = await agent.get("request_scope_expansion", patterns=["*.md"], reason="docs")
        assert granted["approved"]
        assert (await agent.writes(README, "# Better\n"))["applied"]
        once, grant, edit = editor.records()
        session = (await editor.ask("intent/status"))["sessionId"]
        assert once["approval"]["session_id"] == session
        assert "channel" not in once["approval"]
        assert grant["grant"]["granted_by"] == session
        assert "channel" not in grant["grant"]
        assert edit["scope_validation"] == "PASS"


async def test_an_editor_that_cannot_ask_leaves_it_to_the_client(repository: Repository) -> None:
    root = govern(repository, "hitl: out_of_scope").root
    async with editing(root) as editor, over_stdio(root) as agent:
        editor.mistaken = True
        await agent.select()
        refused = await agent.cannot_write(README)
        assert "nobody can be asked through this client" in refused.details["feedback"]
        answered = await hook(root, "Write", file_path="src/auth/login.py", content=LINES)
        assert answered.returncode == 2
