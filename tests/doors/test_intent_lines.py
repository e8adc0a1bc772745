"""The search for the lines of an intent: shown as it goes on, and stopped when it is cancelled."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import pytest

from intent_lsp.core.codes import RequestCode
from intent_lsp.core.content import content_of, split_lines
from intent_lsp.doors.lsp.connection.client_ui import ClientProgress
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.diagnostics.tracked_documents import TrackedDocuments
from intent_lsp.doors.lsp.features.intent_symbols import LinesFound, lines_of_intent
from intent_lsp.doors.lsp.protocol.documents import Document
from intent_lsp.doors.lsp.protocol.positions import PositionEncoding
from intent_lsp.doors.lsp.runtime.client_capabilities import ClientCapabilities
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from tests.doors.test_progress import NEVER, Recorder
from tests.governance.test_blame import changed
from tests.support.governed_repository import LINES, govern
from tests.support.ledgers import edit
from tests.support.repository import Repository
from tests.support.tracked_documents import tracked_documents_on

FILES = [f"src/auth/{name}.py" for name in "abcd"]
LOGIN = "src/auth/login.py"


class Follower(Recorder):
    """A client that does something when it is told how far the work is."""

    def __init__(self) -> None:
        super().__init__()
        self.at: dict[int, Callable[[], object]] = {}

    def notify(self, method: str, params: object) -> None:
        super().notify(method, params)
        _, told = self.told[-1]
        if isinstance(told, tuple):
            self.at.get(told[1], lambda: None)()


@dataclass
class Searched:
    """A root with four files of an intent, and whoever searches them."""

    tracked_documents: TrackedDocuments
    open_root: OpenRoot
    client: Follower
    progress: ClientProgress

    async def search(self, intent_id: str) -> LinesFound | CheckoutRefusal:
        return await lines_of_intent(
            self.tracked_documents, self.progress, self.open_root, intent_id, "mine"
        )

    async def found(self) -> list[str]:
        found = await self.search("INT-001")
        assert isinstance(found, LinesFound)
        return [file.path for file in found.files]


@pytest.fixture
async def searched(repository: Repository) -> AsyncIterator[Searched]:
    govern(repository)
    async with tracked_documents_on(repository.root) as tracked_documents:
        open_root = await tracked_documents.work.in_thread(tracked_documents.open_roots.first)
        assert open_root is not None
        for path in reversed(FILES):
            repository.write(path, LINES)
            open_root.governance.stores.ledger.append(edit(files=(changed(None, LINES, path),)))
        client = Follower()
        progress = ClientProgress(client, ClientCapabilities(), NEVER)
        yield Searched(tracked_documents, open_root, client, progress)


async def test_it_is_shown_file_by_file(searched: Searched) -> None:
    assert await searched.found() == FILES
    percents = [("begin", 0), *(("report", percent) for percent in (25, 50, 75, 100)), "end"]
    assert searched.client.told == [("mine", told) for told in percents]


async def test_cancelled_it_stops_behind_the_file_that_it_is_at(searched: Searched) -> None:
    searching = asyncio.ensure_future(searched.found())
    searched.client.at[50] = searching.cancel
    with pytest.raises(asyncio.CancelledError):
        await searching
    assert [told for _, told in searched.client.told[-2:]] == [("report", 50), "end"]
    # What is asked next is answered.
    assert await searched.found() == FILES


async def test_an_intent_that_nobody_knows_is_refused_before_anything_is_shown(
    searched: Searched,
) -> None:
    found = await searched.search("INT-404")
    assert isinstance(found, CheckoutRefusal)
    assert found.code is RequestCode.INTENT_NOT_FOUND
    assert searched.client.told == []


async def test_a_save_that_is_under_way_is_waited_for(
    searched: Searched, repository: Repository
) -> None:
    after = LINES + "more\n"
    document = Document(
        uri=uri_of(repository.root / LOGIN),
        version=1,
        language_id="python",
        text=LINES,
        encoding=PositionEncoding.UTF_16,
    )
    searched.tracked_documents.opened(document)
    tracked = searched.tracked_documents.tracked(document.uri)
    assert tracked is not None
    await searched.tracked_documents.settled(document.uri)
    repository.write(LOGIN, after)
    tracked.follow((), split_lines(after), 2)
    tracked.file.writes(tracked.lines)
    tracked.save_received()
    searching = asyncio.ensure_future(searched.found())
    for _ in range(20):
        await searched.tracked_documents.work.in_thread(searched.open_root.governance.rules.current)
    assert searched.client.told == []
    searched.open_root.governance.stores.ledger.append(edit(files=(changed(LINES, after, LOGIN),)))
    tracked.file.recorded(content_of(after.encode()))
    tracked.save_over()
    assert await searching == [LOGIN, *FILES]
