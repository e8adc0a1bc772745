"""What is made ready for a save while a person types."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from intent_lsp.core.content import split_lines
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.diagnostics.parse_ahead import QUICK, ParseAhead
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.diagnostics.tracked_documents import TrackedDocuments
from intent_lsp.doors.lsp.protocol.documents import Document
from intent_lsp.doors.lsp.protocol.positions import PositionEncoding
from tests.support.governed import govern
from tests.support.repository import Repository
from tests.support.workplaces import workplace_on

PATH = WorkspacePath("src/auth/large.py")
SMALL = "def f(a):\n    return a\n"
LARGE = "".join(f"def f{number}(a):\n    return a\n" for number in range(1_000))


@dataclass
class Window:
    tracked_documents: TrackedDocuments
    saves: ParseAhead

    async def shows(self, repository: Repository, text: str) -> TrackedDocument:
        """Open a file and look at it once."""
        repository.write(PATH, text)
        uri = uri_of(repository.root / PATH)
        self.tracked_documents.opened(
            Document(
                uri=uri,
                version=1,
                language_id="python",
                text=text,
                encoding=PositionEncoding.UTF_16,
            )
        )
        tracked = self.tracked_documents.tracked(uri)
        assert tracked is not None
        await self.tracked_documents.attach_again(tracked)
        await self.tracked_documents.look_again(tracked)
        return tracked


@pytest.fixture
async def window(repository: Repository) -> AsyncIterator[Window]:
    govern(repository)
    async with workplace_on(repository.root) as tracked_documents:
        yield Window(tracked_documents, ParseAhead(tracked_documents.work))


def asked(tracked: TrackedDocument, text: str) -> int:
    """Count how often a caller is asked for time while a content of the file is parsed."""
    times: list[int] = []
    assert tracked.open_root is not None
    trees = tracked.open_root.governance.stores.trees
    assert trees.tree(PATH, text.encode(), lambda: bool(times.append(1))) is not None
    return len(times)


async def test_the_first_key_in_a_large_file_has_it_parsed(
    window: Window, repository: Repository
) -> None:
    assert len(LARGE) > QUICK
    tracked = await window.shows(repository, LARGE)
    tracked.follow((), split_lines(f"{LARGE}x = 1\n"), 2)
    making = window.saves.typed(tracked)
    assert making is not None
    await making
    assert asked(tracked, LARGE) == 0
    # Once is enough; opened again, it may hold something else.
    assert window.saves.typed(tracked) is None
    window.saves.closed(tracked.uri)
    assert window.saves.typed(tracked) is not None


async def test_what_is_parsed_in_no_time_waits_for_its_save(
    window: Window, repository: Repository
) -> None:
    tracked = await window.shows(repository, SMALL)
    assert window.saves.typed(tracked) is None
    assert asked(tracked, SMALL) > 0


async def test_nothing_is_made_ready_where_nobody_governs(window: Window) -> None:
    tracked = TrackedDocument(uri="file:///elsewhere/a.py", lines=[LARGE], version=1)
    assert window.saves.typed(tracked) is None
