"""Read-only documents of the server: a record in words, and contents of files (protocol 4.9).

Invariant: a content is given only of a file that an open root governs. An open root at or above the
file has recorded the content, or it is the text on disk of a file that the editor has open.
"""

from collections.abc import Callable, Coroutine
from typing import Any, Final

from lsprotocol import types as lsp

from intent_lsp.core.codes import RequestCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.errors import WrongParamsError
from intent_lsp.core.paths import WorkspacePath, relative_to
from intent_lsp.core.records import Record
from intent_lsp.core.text import whole
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.wire.answers import failed, invalid
from intent_lsp.formats.document_uris import (
    CONTENT_SCHEME,
    RECORD_SCHEME,
    ContentDocument,
    ContentSide,
    RecordDocument,
    read_document_uri,
)
from intent_lsp.governance.ledger.record_changes import Side, described, side_of, side_of_data

_REMEMBERED: Final = 64
"""The most documents of contents on disk that are refreshed."""


class TextContents:
    """Answers `workspace/textDocumentContent` on one connection.

    `ask` requests that the client fetch the content of a document, given by its URI, again.
    """

    def __init__(
        self, connection: Connection, ask: Callable[[str], Coroutine[Any, Any, object]]
    ) -> None:
        self._connection = connection
        self._documents = connection.tracked_documents
        self._ask = ask
        # By the URI of the open document: its disk's document, and the hash of what was given.
        self._given: dict[str, tuple[str, ContentHash | None]] = {}

    async def content(self, params: lsp.TextDocumentContentParams) -> lsp.TextDocumentContentResult:
        """Answer `workspace/textDocumentContent`: the text, or "" if there was no file.

        Raise JsonRpcException if the URI is none of this server, if no root governs its path, if
        the record is unknown or has no such file, or if the content is not kept or is not text.
        Also raise it for the content on disk of a file that is not open. Raise OSError if the file
        on disk cannot be read.
        """
        try:
            return lsp.TextDocumentContentResult(text=await self._content(params.uri))
        except WrongParamsError as error:
            raise invalid(error) from error

    def looked(self, tracked: TrackedDocument) -> None:
        """Make the client fetch a document's content on disk again, after a snapshot of it.

        Do nothing unless the client has fetched that content before, and it differs now.
        """
        given, look = self._given.get(tracked.uri), tracked.look
        if given is not None and look is not None and look.disk.hash != given[1]:
            self._given[tracked.uri] = given[0], look.disk.hash
            self._documents.work.begin(self._ask(given[0]))

    async def _content(self, uri: str) -> str:
        match document := read_document_uri(uri):
            case RecordDocument():
                return await self._documents.work.in_thread(self._record, document)
            case ContentDocument(side=ContentSide.DISK):
                return await self._disk(document, uri)
            case ContentDocument():
                return await self._documents.work.in_thread(self._side, document)
            case None:
                schemes = f"`{RECORD_SCHEME}:` or `{CONTENT_SCHEME}:`"
                raise WrongParamsError("uri", f"expected a URI of the server, with {schemes}")

    def _record(self, document: RecordDocument) -> str:
        open_root, record = self._found(document.root, document.record_id)
        governance = open_root.governance
        return described(governance.root, governance.tracing, record)

    def _side(self, document: ContentDocument) -> str:
        open_root, record = self._found(document.path, document.record_id or "")
        root, after = open_root.governance.root, document.side is ContentSide.AFTER
        path = relative_to(document.path, str(root))
        side = None if path is None else side_of(root, record, WorkspacePath(path), after=after)
        if side is None:
            raise WrongParamsError("uri", f"record {record.id} has no file {path}")
        return _text(side)

    async def _disk(self, document: ContentDocument, uri: str) -> str:
        """Return the text on disk of a document that is open in the editor.

        Remember the hash of the text, so that `looked` notices a change. Raise WrongParamsError if
        the document is not open or the file is not text, and JsonRpcException if no root governs
        the file.
        """
        tracked = self._documents.tracked_at(uri_of(document.path))
        if tracked is None or tracked.version is None:
            raise WrongParamsError("uri", f"{document.path} is not open")
        await self._documents.settled(tracked.uri)
        open_root, place = tracked.open_root, tracked.place
        if open_root is None or place is None:
            raise _not_governed(document.path)
        on_disk = open_root.governance.contents.on_disk
        found = await self._documents.work.in_thread(on_disk, place.path)
        self._given.pop(tracked.uri, None)
        self._given[tracked.uri] = uri, found.hash
        while len(self._given) > _REMEMBERED:
            del self._given[next(iter(self._given))]
        return _text(side_of_data(None if found.absent else found.data))

    def _found(self, path: str, record_id: str) -> tuple[OpenRoot, Record]:
        """Return a record by its id, and the innermost open root at or above `path` that has it.

        Raise WrongParamsError if no root's ledger has the record, and JsonRpcException if no root
        governs the path. May wait on the disk.
        """
        roots = self._roots(path)
        for open_root in roots:
            record = open_root.governance.stores.ledger.index.find(record_id)
            if record is not None:
                return open_root, record
        if not roots:
            raise _not_governed(path)
        raise WrongParamsError("uri", f"the ledger has no record {record_id}")

    def _roots(self, path: str) -> list[OpenRoot]:
        """Return the open roots at or above `path`, the innermost first.

        Return none if no root governs the path now. Outer roots are included: an outer root may
        have records of the file from before an inner root governed it.
        """
        open_roots = self._connection.open_roots
        return [] if open_roots.of_path(path) is None else open_roots.at_or_above(path)


def _text(side: Side) -> str:
    if side.why is not None:
        raise WrongParamsError("uri", side.why)
    return whole(side.text or "")


def _not_governed(path: str) -> Exception:
    return failed(RequestCode.NOT_GOVERNED, f"No open root governs {path}.", {"path": path})
