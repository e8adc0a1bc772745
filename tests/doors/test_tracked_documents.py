"""The workplace: what is known of a document's file while the editor and the disk move on."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from intent_lsp.core.content import content_of, split_lines
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.diagnostics.tracked_documents import TrackedDocuments
from intent_lsp.doors.lsp.protocol.documents import Document
from intent_lsp.doors.lsp.protocol.positions import PositionEncoding
from tests.support.governed_repository import LINES, govern
from tests.support.repository import Repository
from tests.support.tracked_documents import tracked_documents_on

INVOICE = "src/billing/invoice.py"
TYPED = LINES + "and away\n"


@dataclass
class Window:
    """One document of a governed root, in a workplace of its own."""

    tracked_documents: TrackedDocuments
    document: Document


def invoice(repository: Repository) -> Document:
    """Return the document of a file of the repository, which is governed from now on."""
    govern(repository)
    uri = uri_of(repository.root / INVOICE)
    return Document(
        uri=uri, version=1, language_id="python", text=LINES, encoding=PositionEncoding.UTF_16
    )


@pytest.fixture
async def window(repository: Repository) -> AsyncIterator[Window]:
    document = invoice(repository)
    async with tracked_documents_on(repository.root) as tracked_documents:
        tracked_documents.opened(document)
        yield Window(tracked_documents, document)


async def test_a_look_at_a_closed_file_leaves_a_save_that_is_not_recorded_something_to_record(
    window: Window, repository: Repository
) -> None:
    tracked = window.tracked_documents.tracked(window.document.uri)
    assert tracked is not None
    await window.tracked_documents.look_again(tracked)
    repository.write(INVOICE, TYPED)
    tracked.follow((), split_lines(TYPED), 2)
    tracked.file.writes(tracked.lines)
    tracked.save_received()
    window.tracked_documents.closed(tracked)
    await window.tracked_documents.look_again(tracked)
    assert tracked.file.disk.known.data == LINES.encode()
    save = tracked.file.replaced(content_of(TYPED.encode()), tracked.lines)
    assert save.known.data == LINES.encode()
    # Recorded, it is as the disk has it.
    tracked.file.recorded(content_of(TYPED.encode()))
    tracked.save_over()
    await window.tracked_documents.look_again(tracked)
    assert tracked.file.disk.known.data == TYPED.encode()


async def test_a_document_that_was_just_opened_is_settled_once_its_root_is_known(
    repository: Repository,
) -> None:
    document = invoice(repository)
    async with tracked_documents_on(repository.root) as tracked_documents:
        tracked_documents.opened(document)
        # Nothing is awaited before, so that the task of the opening has not begun.
        await tracked_documents.settled(document.uri)
        tracked = tracked_documents.tracked(document.uri)
        assert tracked is not None
        assert tracked.open_root is not None
