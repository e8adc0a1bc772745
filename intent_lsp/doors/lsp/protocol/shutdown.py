"""The end of a connection: runs when uncancellable work is over, or its time is up.

Invariant: the end runs once, however often it is asked for, and goes on if a caller is cancelled.
Invariant: the end never raises; failures are logged.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Final

_log: Final = logging.getLogger(__name__)

EndConversation = Callable[[], Coroutine[object, object, None]]


async def _nothing() -> None:
    """Do nothing: the default of `Shutdown.then`."""


class Shutdown:
    """Ends one connection, once: waits for uncancellable work, then calls `then`.

    `finished` waits for that work, at most as many seconds as it is given.
    """

    def __init__(self, finished: Callable[[float], Awaitable[None]]) -> None:
        self._finished = finished
        self._task: asyncio.Task[None] | None = None
        self.then: EndConversation = _nothing
        """The function that runs at the end, after the uncancellable work."""

    async def ended(self, patience: float) -> None:
        """Start to end the connection, unless that has started, and wait until it has ended.

        The function `then` is called after uncancellable work, which gets at most `patience`
        seconds.
        """
        await asyncio.shield(self._begun(patience))

    async def ended_within(self, patience: float, limit: float) -> None:
        """Do what `ended` does, but return after `limit` seconds at the latest.

        If the end is not over by then, log a warning and let it go on.
        """
        _, late = await asyncio.wait({self._begun(patience)}, timeout=limit)
        if late:
            _log.warning("what was open did not end within %g seconds", limit)

    def _begun(self, patience: float) -> asyncio.Task[None]:
        if self._task is None:
            # A task of its own, because an early `exit` cancels the `shutdown` request.
            self._task = asyncio.create_task(self._end(patience))
        return self._task

    async def _end(self, patience: float) -> None:
        await self._finished(patience)
        try:
            await self.then()
        except Exception:  # noqa: BLE001 - whatever it was, the process ends
            _log.exception("the end of a conversation failed")
