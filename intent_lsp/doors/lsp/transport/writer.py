"""Writes whole messages to one descriptor, in order, from any thread.

Invariant: no caller waits for the reader. What it cannot take at once is written by a thread.
Invariant: a message is written whole and after all that was written before it.
"""

import io
import logging
import select
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Final

_log: Final = logging.getLogger(__name__)

_AT_ONCE: Final = getattr(select, "PIPE_BUF", 0)
"""Bytes that a writable pipe takes without blocking; 0 if the system has no such size."""


class MessageWriter:
    """Writes to a descriptor and closes it at the end.

    `broken` is called once, on the writing thread, when the reader is gone. Later messages are
    dropped.
    """

    def __init__(self, descriptor: int, broken: Callable[[], None]) -> None:
        # Unbuffered: a daemon thread killed inside a buffered writer would keep the writer's lock.
        self._stream = io.FileIO(descriptor, "w")
        self._broken = broken
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        self._guard = Lock()
        self._waiting = 0
        self._poll = _poll(descriptor)
        self._thread = Thread(target=self._write_all, name="outbox", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Write `data` after all that was written before."""
        with self._guard:
            # Write here if possible: handing over to a thread takes longer than most messages do.
            if not self._waiting and self._written_at_once(data):
                return
            self._waiting += 1
            self._queue.put(data)

    def close(self) -> None:
        """Close the descriptor after the last message."""
        with self._guard:
            self._waiting += 1
            self._queue.put(None)

    def join(self, patience: float) -> None:
        """Wait until all is written, at most `patience` seconds."""
        self._thread.join(patience)

    def _written_at_once(self, data: bytes) -> bool:
        """Write a short message if the reader takes it now.

        False leaves it, and any error, to the thread.
        """
        if self._poll is None or len(data) > _AT_ONCE:
            return False
        try:
            ready = self._poll.poll(0)
            return bool(ready) and ready[0][1] == select.POLLOUT and self._whole(data)
        except OSError:
            return False

    def _whole(self, data: bytes) -> bool:
        """Write what fits and queue the rest. Return False if nothing was written."""
        written = self._stream.write(data)
        if 0 < written < len(data):
            self._waiting += 1
            self._queue.put(data[written:])
        return written > 0

    def _write_all(self) -> None:
        with self._stream:
            try:
                for data in iter(self._queue.get, None):
                    rest = memoryview(data)
                    while rest:
                        rest = rest[self._stream.write(rest) :]
                    with self._guard:
                        self._waiting -= 1
            except OSError as error:
                _log.info("the client reads no more: %s", error)
                self._broken()


def _poll(descriptor: int) -> "select.poll | None":
    """Return a poll object that tells whether a descriptor is writable, or None without `poll`."""
    if not hasattr(select, "poll"):
        return None
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return poll
