"""The desk that a request means: by the workspace it names, by its path, else the first there is.

Invariant: a root that is found is attached before it is answered for.
"""

from intent_lsp.core.codes import RequestCode
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.runtime.open_root import Attached
from intent_lsp.doors.lsp.wire.common import Common
from intent_lsp.doors.lsp.wire.params import failed, named_path


class Finder:
    """Finds desks for the requests of one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def attached(self, params: Common) -> Attached:
        """Give the desk that the params mean, or fail the request."""
        attached = await self.find(params)
        if attached is None:
            raise failed(
                RequestCode.NOT_GOVERNED,
                "No .orchestration/active_intents.yaml governs this place; run intent.init.",
                {},
            )
        return attached

    async def of_edit(self, params: Common, first: str) -> Attached:
        """Give the desk of an edit: of the workspace named, else of its first path, or fail."""
        if params.workspace_uri is None and first.startswith("/"):
            of_path = self._connection.desks.of_path
            attached = await self._connection.workplace.work.in_thread(of_path, first)
            if attached is not None:
                await self._connection.attached(attached)
                return attached
        return await self.attached(params)

    async def find(self, params: Common) -> Attached | None:
        """Give the desk of the workspace named, of the path given, else of the first folder."""
        attached = await self._connection.workplace.work.in_thread(self.desk, params)
        if attached is not None:
            await self._connection.attached(attached)
        return attached

    def desk(self, params: Common) -> Attached | None:
        """Find it, which may wait on the disk."""
        path, desks = named_path(params), self._connection.desks
        return desks.first() if path is None else desks.of_path(path)
