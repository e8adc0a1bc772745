"""The desk that a request means: by the workspace it names, by its path, else the first there is.

Invariant: a root that is found is attached before it is answered for.
"""

from intent_lsp.core.codes import RequestCode
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.wire.common import CommonParams
from intent_lsp.doors.lsp.wire.params import failed, named_path


class RootLookup:
    """Finds desks for the requests of one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def open_root(self, params: CommonParams) -> OpenRoot:
        """Give the desk that the params mean, or fail the request."""
        open_root = await self.find(params)
        if open_root is None:
            raise failed(
                RequestCode.NOT_GOVERNED,
                "No .orchestration/active_intents.yaml governs this place; run intent.init.",
                {},
            )
        return open_root

    async def of_edit(self, params: CommonParams, first: str) -> OpenRoot:
        """Give the desk of an edit: of the workspace named, else of its first path, or fail."""
        if params.workspace_uri is None and first.startswith("/"):
            of_path = self._connection.open_roots.of_path
            open_root = await self._connection.tracked_documents.work.in_thread(of_path, first)
            if open_root is not None:
                await self._connection.open_root(open_root)
                return open_root
        return await self.open_root(params)

    async def find(self, params: CommonParams) -> OpenRoot | None:
        """Give the desk of the workspace named, of the path given, else of the first folder."""
        open_root = await self._connection.tracked_documents.work.in_thread(self.governance, params)
        if open_root is not None:
            await self._connection.open_root(open_root)
        return open_root

    def governance(self, params: CommonParams) -> OpenRoot | None:
        """Find it, which may wait on the disk."""
        path, open_roots = named_path(params), self._connection.open_roots
        return open_roots.first() if path is None else open_roots.of_path(path)
