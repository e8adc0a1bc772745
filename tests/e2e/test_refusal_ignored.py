"""A hook refuses an edit, the host makes it all the same, and the editor's person sees it."""

import json
import subprocess
import sys

import pytest
from lsprotocol import types as lsp

from tests.support.editor import editing
from tests.support.governed_repository import LINES, govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

INVOICE = "src/billing/invoice.py"
CHANGED = LINES + "a line by the agent\n"


async def test_a_refusal_that_is_ignored_is_an_error_in_the_editor(
    repository: Repository,
) -> None:
    govern(repository)
    payload = {
        "hook_event_name": "PreToolUse",
        "session_id": "s-1",
        "cwd": str(repository.root),
        "tool_name": "Write",
        "tool_input": {"file_path": INVOICE, "content": CHANGED},
        "tool_use_id": "t-1",
    }
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-002"})
        run = subprocess.run(  # noqa: ASYNC221 - the host waits for its hook as well
            [sys.executable, "-m", "intent_lsp", "hook", "claude"],
            input=json.dumps(payload).encode(),
            cwd=repository.root,
            capture_output=True,
            check=False,
        )
        assert run.returncode == 2, run
        repository.write(INVOICE, CHANGED)
        await editor.traced(1)
        [record] = editor.records()
        assert (record["tool_name"], record["scope_validation"]) == ("disk/change", "FAIL")
        assert record["refused_call_hash"].startswith("sha256:")
        [problem] = await editor.problems(INVOICE, "REFUSAL_IGNORED")
        assert problem.severity is lsp.DiagnosticSeverity.Error
        assert problem.message.startswith("The call of Write by claude was refused at ")
        status = await editor.ask("intent/status")
        [host] = status["hosts"]
        assert (host["host"], host["registered"]) == ("claude", False)
