"""Renewals of the list of a root's files before an editor is answered from it.

Invariant: nobody waits for a renewal longer than `WAITED_FOR`. If it takes longer, the answer is
made from the old list.
Invariant: the first list of a root is waited for, and on no thread: each lens and hint would take
one, and no save could be judged.
"""

import asyncio
from pathlib import Path
from typing import Final

from intent_lsp.doors.lsp.runtime.executor import BackgroundExecutor
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot

WAITED_FOR: Final = 0.05
"""The most seconds that an answer waits for a renewal."""


class TreeRenewals:
    """Renews the lists of files of one connection's roots, one renewal for a root at a time."""

    def __init__(self, work: BackgroundExecutor) -> None:
        self._work = work
        self._running: dict[Path, asyncio.Task[object]] = {}

    async def renew(self, open_root: OpenRoot) -> None:
        """Begin to list a root's files again if their list is old and nobody is listing them.

        Wait for that, at most `WAITED_FOR` seconds, or, if they were never listed, until they are.
        """
        root, listing = open_root.governance.root, open_root.governance.listing
        running = self._running.get(root)
        if running is None or running.done():
            if not listing.is_old():
                return
            begun = listing.renew if listing.is_known else listing.tree
            running = self._running[root] = self._work.begin(self._work.in_thread(begun))
        await asyncio.wait({running}, timeout=WAITED_FOR if listing.is_known else None)
