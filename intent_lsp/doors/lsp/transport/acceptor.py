"""The connections that come to a listening socket.

Invariant: none is half made when the accepting ends.
"""

import asyncio
import logging
import socket
from collections.abc import Callable
from typing import Any, Final

_log: Final = logging.getLogger(__name__)

PAUSE: Final = 1.0
"""Seconds before the next try where the system has no descriptor left for a connection."""


class Acceptor:
    """Takes connections from now on; each gets a protocol of its own, made by `greet`."""

    def __init__(
        self,
        listener: socket.socket,
        greet: Callable[[], asyncio.Protocol],
        pause: float = PAUSE,
    ) -> None:
        self._listener, self._greet, self._pause = listener, greet, pause
        self._loop = asyncio.get_running_loop()
        self._beginning: set[asyncio.Task[Any]] = set()
        self._waiting: asyncio.TimerHandle | None = None
        listener.settimeout(0)
        self._resume()

    async def end(self) -> None:
        """Take no more, and wait for those that have been taken."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._loop.remove_reader(self._listener)
        self._listener.close()
        await asyncio.gather(*self._beginning, return_exceptions=True)

    def _resume(self) -> None:
        self._loop.add_reader(self._listener, self._take)

    def _take(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError as error:
            _log.warning("no connection can be taken: %s", error)
            self._loop.remove_reader(self._listener)
            self._waiting = self._loop.call_later(self._pause, self._resume)
            return
        begun = self._loop.connect_accepted_socket(self._greet, connection)
        task = self._loop.create_task(begun)
        self._beginning.add(task)
        task.add_done_callback(self._beginning.discard)
