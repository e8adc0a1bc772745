"""Saves that are to come: what the first record of a file needs is made while a person types.

Invariant: nobody waits for it, and a save that comes first finds nothing half made.
"""

import asyncio
from typing import Final

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.runtime.executor import BackgroundExecutor
from intent_lsp.governance.saves.saves import Saves

WITHIN: Final = 2.0
"""Seconds after the first key, by which a save is likely."""

QUICK: Final = 16 * 1024
"""Bytes of a content that is parsed in no time when it is saved."""


class ParseAhead:
    """Makes the syntax trees of large files that are typed into."""

    def __init__(self, work: BackgroundExecutor) -> None:
        self._work = work
        self._ready: set[str] = set()

    def typed(self, tracked: TrackedDocument) -> "asyncio.Task[None] | None":
        """Make ready for the save of a document, once while it is open; give what does so."""
        data, open_root, place = tracked.disk.last_read, tracked.open_root, tracked.place
        if tracked.uri in self._ready or open_root is None or place is None or data is None:
            return None
        self._ready.add(tracked.uri)
        if len(data) <= QUICK:
            return None
        return self._work.begin(self._make_ready(open_root.governance.saves, place.path, data))

    def closed(self, uri: str) -> None:
        """Forget a document that is open no more."""
        self._ready.discard(uri)

    async def _make_ready(self, saves: Saves, path: WorkspacePath, data: bytes) -> None:
        await self._work.idle_scheduler.wait_until_idle(WITHIN)
        await self._work.in_thread(saves.make_ready, path, data)
