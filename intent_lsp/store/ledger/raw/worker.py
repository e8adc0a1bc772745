"""One process that looks at a large ledger's ranges beside the one that asks.

Invariant: what it tells is never believed where it cannot be so; it is ended then.
Invariant: it is not forked without a program of its own, so that a server with threads can ask.
"""

import gc
import os
import select
import struct
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import IO, Final, Generic, NamedTuple, Self, TypeVar

import msgspec

from intent_lsp.store.ledger.raw.file import Reader, read_at
from intent_lsp.store.ledger.raw.ranges import starts
from intent_lsp.store.ledger.raw.task_pipe import each

T = TypeVar("T")

PATIENCE_SECONDS: Final = 20
"""How long a process may keep who asks from going on."""

_PIPE: Final = 1024 * 1024
_LONGEST: Final = 1 << 30
_HEADER: Final = struct.Struct("<II")


class Job(NamedTuple, Generic[T]):
    """What is to be found in each range of a file: `find(read, start, size)`.

    `module` has a `main` that passes its words to `answer`, `told` is what `find` gives, as a
    message.
    """

    module: str
    find: Callable[[Reader, int, int], T]
    told: type[T]


class RangeResult(NamedTuple, Generic[T]):
    """What is in the range of that number; None: it has no spelling."""

    number: int
    found: T | None


def answer(job: Job[T], words: Sequence[str]) -> None:
    """Tell standard output what is in ranges of the file that is standard input.

    `words` are the file's size and where the numbers of the ranges are taken.
    """
    # What is made here is never part of a circle.
    gc.disable()
    size, tasks = map(int, words)
    ranges, read = starts(size), partial(read_at, sys.stdin.fileno())
    for number in each(tasks):
        found = _spelled(job.find(read, ranges[number], size))
        sys.stdout.buffer.write(_HEADER.pack(number, len(found)) + found)
        sys.stdout.buffer.flush()


class Worker(Generic[T]):
    """The process as it is seen by who asks.

    `last` is the number of the last range that it told of, -1 before; it takes them in order.
    """

    def __init__(self, job: Job[T], fd: int, size: int, tasks: int) -> None:
        self.last, self._ranges = -1, len(starts(size))
        self._process = _started(job.module, fd, size, tasks)
        self._decoder = msgspec.msgpack.Decoder(job.told)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def pipe(self) -> int | None:
        """Give where it tells of the next range; None: it tells of nothing ever after."""
        if self._process is None or self._process.stdout is None:
            return None
        return self._process.stdout.fileno()

    def result(self) -> RangeResult[T] | None:
        """Wait for what it tells; None: that is nothing, or nothing that can be believed."""
        try:
            return self._next()
        except (OSError, ValueError, msgspec.DecodeError):
            self.end()
            return None

    def end(self) -> None:
        """End it and wait for it; once is enough."""
        if self._process is not None:
            self._process.kill()
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._process.wait()
            self._process = None

    def _next(self) -> RangeResult[T]:
        if self.pipe is None:
            raise ValueError("it has ended")
        number, length = _HEADER.unpack(_read(self.pipe, _HEADER.size))
        if not self.last < number < self._ranges or length > _LONGEST:
            raise ValueError("it tells of something else")
        message = _read(self.pipe, length)
        found = self._decoder.decode(message) if message else None
        self.last = number
        return RangeResult(number, found)


def _started(module: str, fd: int, size: int, tasks: int) -> subprocess.Popen[bytes] | None:
    # Where we are found, and nothing from the current directory: what is verified may hold a
    # module of any name.
    program = f"import sys; sys.path[:] = {sys.path!r}; import {module} as m; m.main(sys.argv[1:])"
    with suppress(OSError, ValueError):
        process = subprocess.Popen(  # noqa: S603 -- ourselves
            [sys.executable, "-c", program, str(size), str(tasks)],
            bufsize=0,
            stdin=fd,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=[tasks],
        )
        _widen(process.stdout)
        return process
    return None


def _widen(pipe: IO[bytes] | None) -> None:
    """Let a process be ahead by much more than the system's own measure, where that is allowed."""
    with suppress(ImportError, AttributeError, OSError):
        from fcntl import F_SETPIPE_SZ, fcntl  # noqa: PLC0415 -- not on Windows

        if pipe is not None:
            fcntl(pipe, F_SETPIPE_SZ, _PIPE)


def _read(pipe: int, length: int) -> bytes:
    poll, parts = select.poll(), []
    poll.register(pipe, select.POLLIN)
    while length:
        if not poll.poll(PATIENCE_SECONDS * 1000):
            raise ValueError("it stalls")
        part = os.read(pipe, length)
        if not part:
            raise ValueError("it has ended")
        length -= len(part)
        parts.append(part)
    return b"".join(parts)


def _spelled(found: object) -> bytes:
    """Spell a message; an empty one for what has no spelling, as a name that is not UTF-8."""
    try:
        return msgspec.msgpack.encode(found)
    except UnicodeEncodeError:
        return b""
