"""Refreshes of what a client shows: code lenses and inlay hints, asked for after a short delay.

Invariant: a client is asked only for what it declares, and several changes cause one refresh.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.governance.plan.tree_listing import LISTED_FOR

A_MOMENT: Final = 0.3
"""Seconds to wait before a refresh, so that several records cause one refresh."""

LISTED_AGAIN: Final = LISTED_FOR.total_seconds() + 0.1
"""Seconds after which the files of a work tree are listed again, so that counts may differ."""


class ShownRefresh:
    """Asks one client to refresh its code lenses and inlay hints."""

    def __init__(self, connection: Connection, ask: Callable[[str], Awaitable[object]]) -> None:
        """Keep the connection. `ask` sends the client a request without params, by its name."""
        self._ask = ask
        self._tracked_documents = connection.tracked_documents
        client = connection.client
        refreshes = (
            (client.lens_refresh, lsp.WORKSPACE_CODE_LENS_REFRESH),
            (client.hint_refresh, lsp.WORKSPACE_INLAY_HINT_REFRESH),
        )
        self._methods = [method for declared, method in refreshes if declared]
        self._refreshing = False
        self._waiting = set[OpenRoot]()
        self._moved = set[OpenRoot]()

    def changed(self) -> None:
        """Ask the client, after a short delay, to refresh its code lenses and inlay hints.

        Ask only for those whose refresh the client supports.
        """
        if self._methods and not self._refreshing:
            self._refreshing = True
            self._tracked_documents.work.begin(self._refresh())

    def tree_changed(self, open_root: OpenRoot) -> None:
        """List the files of a root again after LISTED_AGAIN seconds, then ask for a refresh.

        Do nothing if the root's intents file, which alone shows counts of files, is not open, or if
        the client supports no refresh.
        """
        if not self._methods or not self._shows_counts(open_root):
            return
        self._moved.add(open_root)
        if open_root not in self._waiting:
            self._waiting.add(open_root)
            self._tracked_documents.work.begin(self._refresh_when_listed(open_root))

    async def _refresh(self) -> None:
        await asyncio.sleep(A_MOMENT)
        self._refreshing = False
        for method in self._methods:
            await self._ask(method)

    async def _refresh_when_listed(self, open_root: OpenRoot) -> None:
        in_thread = self._tracked_documents.work.in_thread
        try:
            # A change during the wait may be younger than the listing that is shown after it.
            while open_root in self._moved:
                self._moved.discard(open_root)
                await asyncio.sleep(LISTED_AGAIN)
                await in_thread(open_root.governance.listing.renew)
                self.changed()
        finally:
            self._waiting.discard(open_root)

    def _shows_counts(self, open_root: OpenRoot) -> bool:
        return any(
            tracked.version is not None and tracked.path == INTENTS_FILE
            for tracked in self._tracked_documents.of_root(open_root)
        )
