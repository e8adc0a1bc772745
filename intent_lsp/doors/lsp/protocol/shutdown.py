"""The end of a conversation: what is ended with it, once work that must not be broken off is done.

Invariant: it happens once, however many ask for it, and goes on when whoever asked is cancelled.
Invariant: it never raises; what goes wrong in it is logged.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Final

_log: Final = logging.getLogger(__name__)

EndConversation = Callable[[], Coroutine[object, object, None]]


async def _nothing() -> None:
    """End nothing."""


class Shutdown:
    """Ends one conversation; `finished` waits for kept work, so many seconds at most."""

    def __init__(self, finished: Callable[[float], Awaitable[None]]) -> None:
        self._finished = finished
        self._task: asyncio.Task[None] | None = None
        self.then: EndConversation = _nothing
        """What is to be ended when nothing is left that must not be broken off."""

    async def ended(self, patience: float) -> None:
        """Begin the end unless it has begun, and wait for it; kept work gets `patience` seconds."""
        await asyncio.shield(self._begun(patience))

    async def ended_within(self, patience: float, limit: float) -> None:
        """Do so, and wait `limit` seconds at most, which is logged where they do not suffice."""
        _, late = await asyncio.wait({self._begun(patience)}, timeout=limit)
        if late:
            _log.warning("what was open did not end within %g seconds", limit)

    def _begun(self, patience: float) -> asyncio.Task[None]:
        if self._task is None:
            # A task of its own: `shutdown` is cancelled by an `exit` that does not wait for it.
            self._task = asyncio.create_task(self._end(patience))
        return self._task

    async def _end(self, patience: float) -> None:
        await self._finished(patience)
        try:
            await self.then()
        except Exception:  # noqa: BLE001 - whatever it was, the process ends
            _log.exception("the end of a conversation failed")
