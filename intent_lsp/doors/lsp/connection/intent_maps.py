"""When the intent maps of a connection's roots are written (ledger section 6).

Invariant: a map is written at most once in two seconds, whatever stirs it meanwhile, and at the
latest after four.
"""

import asyncio
from typing import Final

from intent_lsp.doors.lsp.runtime.executor import Work
from intent_lsp.doors.lsp.runtime.open_root import Attached

EVERY: Final = 2.0
"""Seconds from the first thing that may have changed a map to its writing."""


class IntentMaps:
    """Has the maps written that may say something else by now."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._waiting: set[Attached] = set()

    def stir(self, attached: Attached) -> None:
        """Have a root's map written in a while; until then nothing more is needed."""
        if attached not in self._waiting:
            self._waiting.add(attached)
            self._work.begin(self._write(attached))

    async def _write(self, attached: Attached) -> None:
        try:
            await asyncio.sleep(EVERY)
            await self._work.lulls.lull(EVERY)
        finally:
            self._waiting.discard(attached)
        await self._work.in_thread(attached.desk.intent_map.write)
