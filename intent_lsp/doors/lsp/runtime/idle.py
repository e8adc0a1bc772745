"""Lulls: what nobody waits for gives way to whoever asks.

Invariant: a lull that never comes is waited for no longer than whoever waits has said.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

LULL: Final = 0.03
"""Seconds without a request after which the next is not expected at once."""


class Lulls:
    """Knows when one connection was asked last."""

    def __init__(self) -> None:
        self._under_way = 0
        self._last = -LULL
        self._waiting: set[asyncio.Future[None]] = set()
        self._timer: asyncio.TimerHandle | None = None

    @contextmanager
    def asked(self) -> Iterator[None]:
        """Note that somebody waits for an answer meanwhile."""
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1
            self._last = asyncio.get_running_loop().time()

    async def lull(self, at_most: float) -> None:
        """Wait until nobody asks; `at_most` seconds, after which it may be a bad moment."""
        loop = asyncio.get_running_loop()
        came = loop.create_future()
        self._waiting.add(came)
        if self._timer is None:
            self._look(loop)
        late = loop.call_later(at_most, _done, came)
        try:
            await came
        finally:
            late.cancel()
            self._waiting.discard(came)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Look again when there may be a lull: to be told by each answer would cost the next."""
        self._timer, now = None, loop.time()
        quiet = (now if self._under_way else self._last) + LULL
        if quiet <= now:
            for came in self._waiting:
                _done(came)
        elif self._waiting:
            self._timer = loop.call_at(quiet, self._look, loop)


def _done(came: "asyncio.Future[None]") -> None:
    if not came.done():
        came.set_result(None)
