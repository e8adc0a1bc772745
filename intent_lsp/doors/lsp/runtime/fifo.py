"""Turns: who comes one after the other, in the order in which the places were taken."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class FifoSlot:
    """A place among those who wait; `over` lets the next one come."""

    before: asyncio.Event | None
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def come(self) -> None:
        """Wait until whoever came before is done."""
        if self.before is not None:
            await self.before.wait()


class FifoLock:
    """Who comes one after the other; a place is taken without waiting for it."""

    def __init__(self) -> None:
        self._last: asyncio.Event | None = None

    @contextmanager
    def take(self) -> Iterator[FifoSlot]:
        """Take the next place, and give it up at the end."""
        turn = FifoSlot(self._last)
        self._last = turn.over
        try:
            yield turn
        finally:
            turn.over.set()
