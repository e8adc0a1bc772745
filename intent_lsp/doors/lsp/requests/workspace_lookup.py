"""Finds the root that a request is about, and the session that asks.

Invariant: a root that is found is opened for the connection before the request is answered.
"""

from collections.abc import Callable, Coroutine
from typing import Final, TypeVar

from intent_lsp.core.codes import RequestCode
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.runtime.settings import Settings
from intent_lsp.doors.lsp.wire.answers import JsonObject, failed
from intent_lsp.formats.params.read import read_params
from intent_lsp.formats.params.requests import CommonParams
from intent_lsp.governance.root.sessions import Session, asking_session

_SWITCHED_OFF: Final = "governance is switched off; set `enabled` to true in the server's settings"
_NOWHERE: Final = (
    "no .orchestration/active_intents.yaml here or above is in use; `intent.init` creates a missing"
    " one; if there is one, open its directory as a workspace folder, or read in the server's log"
    " why it cannot be opened"
)

RequestHandler = Callable[[object], Coroutine[object, object, JsonObject]]
"""Answers a request, given its params as the client sent them."""

_Params = TypeVar("_Params", bound=CommonParams)


def why_none(settings: Settings) -> str:
    """Return why no root was found for a request, and what to do, as a clause."""
    return _NOWHERE if settings.enabled else _SWITCHED_OFF


def session_of(params: CommonParams, open_root: OpenRoot) -> Session:
    """Return the session that the params name: an agent's, or, without one, the connection's."""
    return asking_session(open_root.session, params.session_id, params.agent_id)


class RootLookup:
    """Finds the open root that a request on one connection is about."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def open_root(self, params: CommonParams) -> OpenRoot:
        """Return the root that a request is about, as `find` does.

        Raise a NOT_GOVERNED error if there is none.
        """
        open_root = await self.find(params)
        if open_root is None:
            said = f"No root governs this: {why_none(self._connection.open_roots.settings)}."
            raise failed(RequestCode.NOT_GOVERNED, said, {})
        return open_root

    def with_root(
        self,
        shape: type[_Params],
        answer: Callable[[OpenRoot, _Params], Coroutine[object, object, JsonObject]],
    ) -> RequestHandler:
        """Return a handler that reads params as `shape`, and calls `answer` with root and params.

        The handler raises a NOT_GOVERNED error if no root is found.
        """

        async def handler(given: object) -> JsonObject:
            params = read_params(given, shape)
            return await answer(await self.open_root(params), params)

        return handler

    async def of_edit(self, params: CommonParams, first: str) -> OpenRoot:
        """Return the root that an edit is about. `first` is the first path that the edit changes.

        If `params` name no workspace and `first` is absolute, return the root that governs `first`.
        Otherwise, or if there is no such root, return or raise what `open_root` does.
        """
        if params.workspace_uri is None and first.startswith("/"):
            of_path = self._connection.open_roots.of_path
            open_root = await self._connection.work.in_thread(of_path, first)
            if open_root is not None:
                await self._connection.announce_root(open_root)
                return open_root
        return await self.open_root(params)

    async def find(self, params: CommonParams) -> OpenRoot | None:
        """Return the root that a request is about, and announce the root to the client.

        It is the root that governs the path that `params.workspace()` returns. If that is None,
        return what `OpenRoots.first` returns. Return None if there is no such root, if the root
        cannot be opened, or if governance is switched off.
        """
        open_root = await self._connection.work.in_thread(self.governance, params)
        if open_root is not None:
            await self._connection.announce_root(open_root)
        return open_root

    def governance(self, params: CommonParams) -> OpenRoot | None:
        """Return the root that `find` returns, without announcing it to the client.

        May wait on the disk.
        """
        path, open_roots = params.workspace(), self._connection.open_roots
        return open_roots.first() if path is None else open_roots.of_path(path)
