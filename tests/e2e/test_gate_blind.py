"""A program with a host's name changes a file and asks nobody: the editor's person sees it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from tests.support.editor import editing
from tests.support.governed_repository import govern
from tests.support.idle_host import idle_host
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

HOOKS = ".codex/hooks.json"
AUTH, LOGIN = "src/auth/token.py", "src/auth/login.py"


def run(root: Path, *words: str, data: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "intent_lsp", *words],
        input=data,
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )


async def test_a_blind_host_is_shown_until_it_is_heard(
    repository: Repository, tmp_path: Path
) -> None:
    govern(repository)
    installed = run(repository.root, "agents", "install", "--host", "codex")
    assert installed.returncode == 0, installed.stderr
    repository.commit("registered")
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        editor.open(LOGIN)
        with idle_host("codex", tmp_path / "bin", repository.root) as host:
            # What the editor saves is nobody else's work.
            for number in range(5):
                editor.type(LOGIN, f"line {number}\n")
                await editor.save(LOGIN)
                await editor.traced(number + 1)
            assert (await editor.ask("intent/status"))["blindHosts"] == []
            host.append(AUTH, "by an agent that asks nobody")
            [problem] = await editor.problems(HOOKS, "GATE_BLIND")
            assert problem.severity is lsp.DiagnosticSeverity.Warning
            assert problem.message.startswith(
                "Codex ran here and did not ask intent-lsp about changes of 1 file since "
            )
            status = await editor.ask("intent/status")
            assert status["blindHosts"] == ["Codex"]
            [codex] = [each for each in status["hosts"] if each["host"] == "codex"]
            assert codex["unasked"]["files"] == 1
            shown = run(repository.root, "agents", "status", "--host", "codex")
            assert "did not ask intent-lsp while 1 file changed" in shown.stdout
            assert problem.message in " ".join(shown.stderr.split())
            payload = {
                "hook_event_name": "SessionStart",
                "session_id": "s-1",
                "cwd": str(repository.root),
                "source": "startup",
            }
            heard = run(repository.root, "hook", "codex", data=json.dumps(payload))
            assert heard.returncode == 0, heard.stderr
            await editor.problems(HOOKS)
            status = await editor.ask("intent/status")
            assert status["blindHosts"] == []
