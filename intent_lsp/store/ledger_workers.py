"""Processes that examine a large ledger's lines beside this one.

Invariant: what is found is the same, and in the same order, however many processes look.
Invariant: a process that does not start, dies, stalls or babbles costs time alone: its lines are
examined here.
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
from typing import Final, NamedTuple, Self

import msgspec

from intent_lsp.core.chain import Link
from intent_lsp.store.ledger_file import read_at
from intent_lsp.store.ledger_pass import Packed, Piece
from intent_lsp.store.ledger_scan import RANGE, pieces

LARGE: Final = 48 * 1024 * 1024
"""From how many bytes on others start sooner than the work is done."""

_ALONE: Final = 128
_MOST: Final = 8
_PATIENCE_SECONDS: Final = 20
_PIPE: Final = 256 * 1024
_LONGEST: Final = 1 << 30
_HEADER: Final = struct.Struct("<QI")


def _nobody(_done: int) -> None:
    """Tell nobody."""


class _Told(msgspec.Struct, array_like=True):
    """What is in one range: a stretch, if it is one, and all other lines."""

    packed: Packed | None
    links: list[Link]


def scan_widely(
    fd: int, size: int, workers: int | None = None, told: Callable[[int], None] = _nobody
) -> Iterator[Piece]:
    """Examine each line of an open file of `size` bytes by itself, in order, on all processors.

    `workers` is how many processes share it from the start; None: as the size and the machine
    tell, and not before they can have started. `told` is told how many bytes are done.
    """
    read = partial(read_at, fd)
    shares = _Shares(_worthwhile(size), _ALONE) if workers is None else _Shares(workers, 0)
    with ExitStack() as stack:
        enter = stack.enter_context
        started = [enter(_Worker(fd, size, worker, shares)) for worker in range(shares.workers)]
        for number, start in enumerate(range(0, size, RANGE)):
            told(start)
            whose = shares.whose(number) if shares.workers else None
            found = None if whose is None else started[whose].told(start)
            yield from pieces(read, start, size) if found is None else found


def main(words: Sequence[str]) -> None:
    """Tell standard output what is in a worker's ranges of the file that is standard input."""
    # What is made here is never part of a circle.
    gc.disable()
    size, worker, *told = map(int, words)
    shares, read = _Shares(*told), partial(read_at, sys.stdin.fileno())
    encoder = msgspec.msgpack.Encoder()
    for number, start in enumerate(range(0, size, RANGE)):
        if shares.whose(number) == worker:
            found = encoder.encode(_spelled(pieces(read, start, size)))
            sys.stdout.buffer.write(_HEADER.pack(start, len(found)) + found)
            sys.stdout.buffer.flush()


class _Shares(NamedTuple):
    """Who examines which range: the first ones are examined here, the others in turns."""

    workers: int
    alone: int

    def whose(self, number: int) -> int | None:
        """Give the worker of a range, counted from 0; None: it is examined here."""
        turn = (number - self.alone) % (self.workers + 1)
        return None if number < self.alone or not turn else turn - 1


def _worthwhile(size: int) -> int:
    if size < LARGE or not hasattr(os, "pread") or not hasattr(select, "poll"):
        return 0
    if hasattr(os, "sched_getaffinity"):
        processors = len(os.sched_getaffinity(0))
    else:
        processors = os.cpu_count() or 1
    return min(processors, _MOST) - 1


class _Worker:
    """One process; what it does not tell is examined by who asks."""

    def __init__(self, fd: int, size: int, worker: int, shares: _Shares) -> None:
        self._process = _started(fd, *map(str, (size, worker, *shares)))
        self._decoder = msgspec.msgpack.Decoder(_Told)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def told(self, start: int) -> list[Piece] | None:
        """Give what is in the range at `start`; None, then and ever after: it does not tell."""
        if self._process is None or self._process.stdout is None:
            return None
        try:
            told = self._decoder.decode(_message(self._process.stdout.fileno(), start))
        except (OSError, ValueError, msgspec.DecodeError):
            self._end()
            return None
        return [*([] if told.packed is None else [told.packed]), *told.links]

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._process.wait()
            self._process = None


def _started(fd: int, *words: str) -> subprocess.Popen[bytes] | None:
    # Where we are found, and nothing from the current directory: what is verified may hold a
    # module of any name.
    program = (
        f"import sys; sys.path[:] = {sys.path!r}; import {__name__} as m; m.main(sys.argv[1:])"
    )
    with suppress(OSError, ValueError):
        return subprocess.Popen(  # noqa: S603 -- ourselves
            [sys.executable, "-c", program, *words],
            bufsize=0,
            stdin=fd,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pipesize=_PIPE,
        )
    return None


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


def _spelled(found: Sequence[Piece]) -> _Told:
    packed = [piece for piece in found if isinstance(piece, Packed)]
    links = [piece for piece in found if not isinstance(piece, Packed)]
    return _Told(packed[0] if packed else None, links)
