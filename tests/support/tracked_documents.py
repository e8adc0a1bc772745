"""The tracked documents of one root, without a connection."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from intent_lsp.doors.lsp.diagnostics.lsp_convert import LspEncoder
from intent_lsp.doors.lsp.diagnostics.publisher import (
    DiagnosticParts,
    DiagnosticsPublisher,
    Publish,
)
from intent_lsp.doors.lsp.diagnostics.tracked_documents import TrackedDocuments
from intent_lsp.doors.lsp.protocol.documents import Documents
from intent_lsp.doors.lsp.protocol.positions import PositionEncoding
from intent_lsp.doors.lsp.runtime.client_capabilities import ClientCapabilities
from intent_lsp.doors.lsp.runtime.executor import BackgroundExecutor
from intent_lsp.doors.lsp.runtime.open_root import OpenRoots
from intent_lsp.doors.lsp.runtime.settings import LiveSettings, Settings


def parts_of(settings: LiveSettings, push: Publish | None = None) -> DiagnosticParts:
    """Return the parts of diagnostics for a client that declares nothing and has nothing open."""
    return DiagnosticParts(
        work=BackgroundExecutor(),
        publisher=DiagnosticsPublisher(
            pull=push is None, publish=push or (lambda _: lambda: None), refresh=lambda: None
        ),
        spelling=LspEncoder(ClientCapabilities(), PositionEncoding.UTF_16),
        settings=settings,
        documents=Documents(),
    )


@asynccontextmanager
async def tracked_documents_on(
    root: Path, push: Publish | None = None
) -> AsyncIterator[TrackedDocuments]:
    """Yield tracked documents that watch nothing; diagnostics are pushed, or pulled (None)."""
    settings = LiveSettings(Settings(watch="off"))
    open_roots = OpenRoots(settings, (str(root),))
    tracked_documents = TrackedDocuments(open_roots, parts_of(settings, push))
    yield tracked_documents
    await tracked_documents.end()
    open_roots.close()
