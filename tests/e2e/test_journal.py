"""The journal of records that no commit holds yet, kept by a real server (ledger section 3)."""

import asyncio

import pytest
from watchfiles import awatch

from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM
from intent_lsp.governance.ledger.recovery import recovering
from intent_lsp.store.ledger.journal import Journal
from tests.support.editor import Editor, editing
from tests.support.governed_repository import govern
from tests.support.ledgers import lines_of
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

INVOICE = "src/billing/invoice.py"


def journalled(repository: Repository) -> list[bytes]:
    return list(Journal(repository.root / LOCAL_ROOM).lines())


async def let_go(repository: Repository) -> None:
    """Wait until the journal holds nothing any more."""
    watched = awatch(repository.root / LOCAL_ROOM, yield_on_timeout=True, rust_timeout=500)
    async with asyncio.timeout(30):
        async for _ in watched:
            if not journalled(repository):
                return


async def save(editor: Editor, text: str, count: int) -> None:
    editor.type(INVOICE, text)
    await editor.save(INVOICE)
    await editor.traced(count)


async def test_a_commit_lets_the_journal_go_while_the_server_runs_and_when_it_starts(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        editor.open(INVOICE)
        await save(editor, "one\n", 1)
        assert journalled(repository) == lines_of(repository.root)
        repository.commit()
        await let_go(repository)
        await save(editor, "two\n", 2)
    assert journalled(repository) == lines_of(repository.root)[1:]
    repository.commit()
    async with editing(repository.root) as editor:
        editor.open(INVOICE)
        # It is let go beside what else a start does.
        await let_go(repository)
    assert journalled(repository) == []


async def test_what_a_reset_takes_while_the_server_runs_comes_back(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        editor.open(INVOICE)
        await save(editor, "one\n", 1)
        repository.commit()
        await save(editor, "two\n", 2)
        before = lines_of(repository.root)
        repository.git("checkout", "--quiet", "--", LEDGER_FILE)
        with recovering(repository.root) as governance:
            assert governance.recover(governance.lost()).as_they_were == 1
        assert lines_of(repository.root) == before
        await save(editor, "three\n", 3)
        found = await editor.ask("intent/verify")
        assert (found["ok"], found["records"], len(found["heads"])) == (True, 3, 1)
