"""The commands that have the editor open a document: the page of codes, a record, a file on disk.

Specified in protocol section 2.8.

Invariant: a document that the server provides is shown only by a client that fetches such ones.
"""

from intent_lsp.core.errors import WrongParamsError
from intent_lsp.core.paths import path_of_uri
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.requests.workspace_lookup import RootLookup
from intent_lsp.doors.lsp.wire.names import CommandName, RequestName
from intent_lsp.formats.document_uris import ContentDocument, ContentSide, RecordDocument
from intent_lsp.formats.params.read import read_params
from intent_lsp.formats.params.requests import ChangeParams, CodeParams, PlaceParams


class DocumentCommands:
    """Runs the commands of one connection that open a document."""

    def __init__(self, connection: Connection, finder: RootLookup) -> None:
        self._connection = connection
        self._finder = finder

    async def run(self, name: RequestName | CommandName, given: object) -> bool:
        """Run one of the commands with the argument `given`. Return whether a document was opened.

        Raise WrongParamsError for a wrong argument or another command, and JsonRpcException if no
        root governs the workspace.
        """
        client, people = self._connection.client, self._connection.people
        match name:
            case CommandName.SHOW_CODES:
                code = read_params(given, CodeParams).code
                uri = self._connection.spelling.codes_uri(code)
            case CommandName.SHOW_RECORD:
                uri = await self._record(given) if client.text_contents else None
            case CommandName.SHOW_DISK:
                uri = self._disk(given) if client.text_contents else None
            case _:
                raise WrongParamsError("command", f"{name} opens no document")
        return uri is not None and await people.show_uri(uri)

    async def _record(self, given: object) -> str:
        params = read_params(given, ChangeParams)
        open_root = await self._finder.open_root(params)
        return RecordDocument(str(open_root.governance.root), params.record_id).uri

    def _disk(self, given: object) -> str:
        params = read_params(given, PlaceParams)
        tracked = self._connection.tracked_documents.tracked_at(params.uri)
        # The name that the editor has for the file, by which it is found again.
        path = None if tracked is None or tracked.place is None else path_of_uri(tracked.uri)
        if path is None:
            raise WrongParamsError("uri", f"{params.uri} is not open, or no root governs it")
        return ContentDocument(path=path, side=ContentSide.DISK).uri
