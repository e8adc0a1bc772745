"""Processes that look at a large ledger's lines beside this one.

Invariant: what is found is the same, and in the same order, however many processes look.
Invariant: a process that does not start, dies, stalls or babbles costs time alone: its lines are
looked at here.
Invariant: no process is forked without a program of its own, so that a server with threads can
ask.
"""

import gc
import os
import select
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import IO, Final, Generic, NamedTuple, Self, TypeVar

import msgspec

from intent_lsp.store.ledger_file import Reader, read_at
from intent_lsp.store.ledger_ranges import starts

T = TypeVar("T")

LARGE: Final = 48 * 1024 * 1024
"""From how many bytes on others start sooner than the work is done."""

_ALONE: Final = 128
_MOST: Final = 8
_PATIENCE_SECONDS: Final = 20
_PIPE: Final = 1024 * 1024
_LONGEST: Final = 1 << 30
_HEADER: Final = struct.Struct("<QI")


class Job(NamedTuple, Generic[T]):
    """What is to be found in each range of a file: `find(read, start, size)`.

    `module` has a `main` that passes its words to `answer`, `told` is what `find` gives, as a
    message; `takes_turns`: who asks finds as much as each of the others, and has little else to do.
    """

    module: str
    find: Callable[[Reader, int, int], T]
    told: type[T]
    takes_turns: bool


def nobody(_done: int) -> None:
    """Tell nobody."""


def spread(
    job: Job[T],
    fd: int,
    size: int,
    workers: int | None = None,
    told: Callable[[int], None] = nobody,
) -> Iterator[T]:
    """Find what is in each range of an open file of `size` bytes, in order, on all processors.

    `workers` is how many processes share it from the start; None: as the size and the machine
    tell, and not before they can have started. `told` is told how many bytes are done.
    """
    read = partial(read_at, fd)
    many, alone = (_worthwhile(size), _ALONE) if workers is None else (workers, 0)
    shares = _Shares(many, alone, int(job.takes_turns))
    with ExitStack() as stack:
        started = [
            stack.enter_context(_Worker(job, fd, size, worker, shares))
            for worker in range(shares.workers)
        ]
        for number, start in enumerate(starts(size)):
            told(start)
            whose = shares.whose(number)
            found = None if whose is None else started[whose].told(start)
            yield job.find(read, start, size) if found is None else found


def answer(job: Job[T], words: Sequence[str]) -> None:
    """Tell standard output what is in a worker's ranges of the file that is standard input."""
    # What is made here is never part of a circle.
    gc.disable()
    size, worker, *told = map(int, words)
    shares, read = _Shares(*told), partial(read_at, sys.stdin.fileno())
    for number, start in enumerate(starts(size)):
        if shares.whose(number) == worker:
            found = _spelled(job.find(read, start, size))
            sys.stdout.buffer.write(_HEADER.pack(start, len(found)) + found)
            sys.stdout.buffer.flush()


class _Shares(NamedTuple):
    """Whose each range is: the first ones are of who asks, the others of all in turns.

    `own` is how many turns among those are of who asks: one or none.
    """

    workers: int
    alone: int
    own: int

    def whose(self, number: int) -> int | None:
        """Give the worker of a range, counted from 0; None: who asks looks itself."""
        if number < self.alone or not self.workers:
            return None
        turn = (number - self.alone) % (self.workers + self.own) - self.own
        return None if turn < 0 else turn


def _worthwhile(size: int) -> int:
    if size < LARGE or not hasattr(os, "pread") or not hasattr(select, "poll"):
        return 0
    if hasattr(os, "sched_getaffinity"):
        processors = len(os.sched_getaffinity(0))
    else:
        processors = os.cpu_count() or 1
    return min(processors, _MOST) - 1


class _Worker(Generic[T]):
    """One process; what it does not tell is looked at by who asks."""

    def __init__(self, job: Job[T], fd: int, size: int, worker: int, shares: _Shares) -> None:
        self._process = _started(job.module, fd, size, worker, *shares)
        self._decoder = msgspec.msgpack.Decoder(job.told)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def told(self, start: int) -> T | None:
        """Give what is in the range at `start`; None: it does not tell, mostly ever after."""
        if self._process is None or self._process.stdout is None:
            return None
        try:
            message = _message(self._process.stdout.fileno(), start)
            return self._decoder.decode(message) if message else None
        except (OSError, ValueError, msgspec.DecodeError):
            self._end()
            return None

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._process.wait()
            self._process = None


def _started(module: str, fd: int, *words: int) -> subprocess.Popen[bytes] | None:
    # Where we are found, and nothing from the current directory: what is verified may hold a
    # module of any name.
    program = f"import sys; sys.path[:] = {sys.path!r}; import {module} as m; m.main(sys.argv[1:])"
    with suppress(OSError, ValueError):
        process = subprocess.Popen(  # noqa: S603 -- ourselves
            [sys.executable, "-c", program, *map(str, words)],
            bufsize=0,
            stdin=fd,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
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


def _message(pipe: int, start: int) -> bytes:
    """Read the next message. Raises ValueError where it is another one, or does not come."""
    at, length = _HEADER.unpack(_read(pipe, _HEADER.size))
    if at != start or length > _LONGEST:
        raise ValueError("it tells of something else")
    return _read(pipe, length)


def _read(pipe: int, length: int) -> bytes:
    poll, parts = select.poll(), []
    poll.register(pipe, select.POLLIN)
    while length:
        if not poll.poll(_PATIENCE_SECONDS * 1000):
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
