"""Numbers in a pipe, from 0 up, each of which is taken by one of several processes.

Invariant: who looks for a number while there is none is never kept; who waits for one is let go
when the last has been taken.
"""

import os
import select
import struct
from collections.abc import Iterator
from typing import Final, Self

_NUMBER: Final = struct.Struct("<I")
_AT_HAND: Final = 128
"""How many lie there at most: as many bytes as any system's pipe has room for."""


class TaskPipe:
    """The numbers below `count`; `fd` is where other processes take theirs, with `each`."""

    def __init__(self, count: int) -> None:
        self._count, self._given = count, 0
        self.fd, self._entry = os.pipe()
        # Of all processes: one may take what another saw lying there.
        os.set_blocking(self.fd, False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
        os.close(self.fd)

    def supply(self, done: int) -> None:
        """See that there are numbers to take, all below `done` having been taken."""
        until = min(done + _AT_HAND, self._count)
        if until > self._given:
            os.write(self._entry, b"".join(map(_NUMBER.pack, range(self._given, until))))
            self._given = until
        if self._given == self._count:
            self._close()

    def take(self) -> int | None:
        """Take the next number; None: all that lay there have been taken."""
        try:
            return _read(self.fd)
        except BlockingIOError:
            return None

    def _close(self) -> None:
        if self._entry >= 0:
            os.close(self._entry)
            self._entry = -1


def each(fd: int) -> Iterator[int]:
    """Take numbers one after the other, until all have been taken."""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    while True:
        poll.poll()
        try:
            number = _read(fd)
        except BlockingIOError:
            continue
        if number is None:
            return
        yield number


def _read(fd: int) -> int | None:
    found = os.read(fd, _NUMBER.size)
    return _NUMBER.unpack(found)[0] if found else None
