"""FIFO lock: holders run one at a time, in the order in which they reserved a slot."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class FifoSlot:
    """A reserved place in the order of a lock. Setting `over` lets the next holder run."""

    before: asyncio.Event | None
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def come(self) -> None:
        """Wait until the holder of the slot before this one is done."""
        if self.before is not None:
            await self.before.wait()


class FifoLock:
    """A lock of which a slot is reserved at once and waited for later, with `FifoSlot.come`."""

    def __init__(self) -> None:
        self._last: asyncio.Event | None = None

    @contextmanager
    def take(self) -> Iterator[FifoSlot]:
        """Reserve the next slot without waiting, and release it when the context ends."""
        turn = FifoSlot(self._last)
        self._last = turn.over
        try:
            yield turn
        finally:
            turn.over.set()
