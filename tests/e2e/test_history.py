"""The intents' history in the intents file, written by a real server (requirements section 3)."""

import os
import time

import pytest

from intent_lsp.core.paths import INTENTS_FILE
from tests.support.editor import editing
from tests.support.governed_repository import LINES, govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

LOGIN = "src/auth/login.py"


async def test_history_is_written_at_the_end_where_the_team_wants_it(
    repository: Repository,
) -> None:
    govern(repository, "history_in_yaml: true")
    path = repository.root / INTENTS_FILE
    async with editing(repository.root) as editor:
        agent = {"sessionId": "builder"}
        await editor.ask("intent/select", {**agent, "intentId": "INT-001"})
        before = path.read_text()
        long_ago = time.time() - 60
        # Nobody has changed the file just now, though our own status has.
        os.utime(path, (long_ago, long_ago))
        call = {**agent, "toolName": "Write", "path": LOGIN}
        told = await editor.ask("intent/validateEdit", call)
        repository.write(LOGIN, LINES + "more\n")
        done = {**agent, "ticket": told["ticket"], "success": True}
        await editor.ask("intent/recordEdit", done)
        again = await editor.ask("intent/select", {**agent, "intentId": "INT-001"})
        assert again["context"]["intent"]["recentHistory"][:3] == [
            "INTENT_CONTEXT_INJECTED select_active_intent",
            "POST_HOOK Write OK",
            "PRE_HOOK Write",
        ]
        assert path.read_text() == before
    written = path.read_text()
    added = [line for line in written.splitlines() if line not in before.splitlines()]
    assert added[0].strip().startswith("recent_history:")
    assert "POST_HOOK Write OK" in written
    # Nothing else has moved.
    assert [line for line in written.splitlines() if line not in added] == before.splitlines()


async def test_history_stays_out_of_the_file_otherwise(repository: Repository) -> None:
    govern(repository)
    path = repository.root / INTENTS_FILE
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"sessionId": "builder", "intentId": "INT-001"})
        before = path.read_text()
    assert path.read_text() == before
