"""FIFO lock: holders run one at a time, in the order in which they reserved a slot.

The exception: if a slot is released before its turn, the next one does not wait for those before.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct, field


class FifoSlot(Struct):
    """A place in the order of a `FifoLock`. Setting `over` lets the holder of the next slot run.

    `before` is the event that the previous slot sets as its `over`, or None for the first slot.
    """

    before: asyncio.Event | None
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def come(self) -> None:
        """Wait until the holder of the slot before this one is done."""
        if self.before is not None:
            await self.before.wait()


class FifoLock:
    """A lock whose slots are reserved at once by `take` and waited for later by `FifoSlot.come`."""

    def __init__(self) -> None:
        self._last: asyncio.Event | None = None

    @contextmanager
    def take(self) -> Iterator[FifoSlot]:
        """Reserve and yield the next slot, without waiting for its turn.

        It is released when the context ends, unless `over` was set before.
        """
        turn = FifoSlot(self._last)
        self._last = turn.over
        try:
            yield turn
        finally:
            turn.over.set()
