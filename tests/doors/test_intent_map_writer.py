"""The intent map writer: maps are written at intervals (ledger section 6)."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from intent_lsp.core.paths import INTENT_MAP
from intent_lsp.doors.lsp.connection.record_notifier import IntentMapWriter
from intent_lsp.doors.lsp.runtime.executor import BackgroundExecutor
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from tests.governance.editor import Editor
from tests.support.governed_repository import LINES, govern
from tests.support.repository import Repository

LOGIN = "src/auth/login.py"


@pytest.fixture
def editor(repository: Repository) -> Editor:
    govern(repository)
    return Editor.open(repository.root)


@pytest.fixture
async def work() -> AsyncIterator[BackgroundExecutor]:
    made = BackgroundExecutor()
    yield made
    await made.end()


async def test_a_map_that_is_stirred_many_times_is_written_once(
    editor: Editor, work: BackgroundExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("intent_lsp.doors.lsp.connection.record_notifier.EVERY", 0.0)
    maps, open_root = IntentMapWriter(work), OpenRoot(editor.governance, editor.session)
    editor.select("INT-001")
    editor.save(LOGIN, LINES + "more\n")
    before, path = asyncio.all_tasks(), editor.root / INTENT_MAP
    for _ in range(3):
        maps.schedule(open_root)
    (writing,) = asyncio.all_tasks() - before
    await writing
    path.unlink()
    # What comes after it is written in its turn.
    maps.schedule(open_root)
    (writing,) = asyncio.all_tasks() - before
    await writing
    path.unlink()
    editor.close()


async def test_a_map_that_waits_at_the_end_is_left_to_the_desks(
    editor: Editor, work: BackgroundExecutor
) -> None:
    maps = IntentMapWriter(work)
    editor.select("INT-001")
    editor.save(LOGIN, LINES + "more\n")
    maps.schedule(OpenRoot(editor.governance, editor.session))
    await work.end()
    assert not (editor.root / INTENT_MAP).exists()
    editor.close()
