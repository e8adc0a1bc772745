"""Processes that look at a large ledger's lines for this one, each at every so many parts.

Invariant: what is found is the same, and in the same order, however many processes look.
Invariant: a process that does not start, dies, stalls or babbles costs time alone: what was not
looked at by then is looked at here.
Invariant: none is forked without a program of its own, so that a server with threads can ask, and
none runs anything from the current directory.
"""

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from itertools import cycle
from typing import Final, Generic, NamedTuple, TypeVar

import msgspec

from intent_lsp.store.ledger.raw.file import Reader, read_at
from intent_lsp.store.ledger.raw.ranges import RANGE

T = TypeVar("T")

LARGE: Final = 64 * 1024 * 1024
"""From how many bytes on others start sooner than the work is done."""

PART: Final = 8 * RANGE
"""How many bytes a process looks at before it writes what it found."""

_PATIENCE_SECONDS: Final = 20
_LONGEST: Final = 1 << 30
_LENGTH: Final = 8
_MOST: Final = 8


class Job(NamedTuple, Generic[T]):
    """What is to be found in each range of a file: `find(read, start, size)`.

    `module` has a `main` that passes its words to `answer`; `found` is the type of what is found in
    several ranges, as a message.
    """

    module: str
    find: Callable[[Reader, int, int], T]
    found: type[list[T]]


def nobody(_done: int) -> None:
    """Report to nobody."""


def spread(
    job: Job[T],
    fd: int,
    size: int,
    workers: int | None = None,
    progress: Callable[[int], None] = nobody,
) -> Iterator[T]:
    """Find what is in each range of an open file of `size` bytes, in order, on all processors.

    `workers` is how many processes look at once; None: as the size and the machine allow.
    `progress` is called with the bytes that are done.
    """
    many = _worthwhile(size) if workers is None else workers
    done, read = 0, partial(read_at, fd)
    if many:
        with closing(_found_elsewhere(job, fd, size, many)) as elsewhere:
            for found in elsewhere:
                progress(done)
                yield from found
                done += PART
    for start in range(done, size, RANGE):
        progress(start)
        yield job.find(read, start, size)


def answer(job: Job[T], words: Sequence[str]) -> None:
    """Write what is in every so many parts of the file that is standard input to standard output.

    `words` are where the first part begins, how many bytes lie from each to the next, how many each
    has, and the file's size.
    """
    # What is made here is never part of a circle.
    gc.disable()
    first, step, length, size = map(int, words)
    read = partial(read_at, sys.stdin.fileno())
    for part in range(first, size, step):
        ranges = range(part, min(part + length, size), RANGE)
        message = msgspec.msgpack.encode([job.find(read, start, size) for start in ranges])
        sys.stdout.buffer.write(len(message).to_bytes(_LENGTH, "big") + message)
        sys.stdout.buffer.flush()


def _found_elsewhere(job: Job[T], fd: int, size: int, many: int) -> Generator[list[T], None, None]:
    """Give what other processes find in each part, up to the first that is not looked at well."""
    with ThreadPoolExecutor(1) as thread, ExitStack() as stack:
        try:
            first = range(0, many * PART, PART)
            others = [stack.enter_context(_started(job, fd, size, many, at)) for at in first]
            for part, other in zip(range(0, size, PART), cycle(others)):
                found = thread.submit(_next, job, other).result(_PATIENCE_SECONDS)
                if len(found) != len(range(part, min(part + PART, size), RANGE)):
                    return
                yield found
        except (OSError, ValueError, msgspec.DecodeError):
            return


@contextmanager
def _started(
    job: Job[T], fd: int, size: int, many: int, first: int
) -> Iterator[subprocess.Popen[bytes]]:
    """Let a process look at parts of a file, from `first` on."""
    # Where we are found, and nothing from the current directory: what is verified may hold a
    # module of any name. (`multiprocessing` would import one from there.)
    module = job.module
    program = f"import sys; sys.path[:] = {sys.path!r}; import {module} as m; m.main(sys.argv[1:])"
    words = map(str, (first, many * PART, PART, size))
    with subprocess.Popen(  # noqa: S603 -- ourselves
        [sys.executable, "-c", program, *words],
        stdin=fd,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _next(job: Job[T], other: subprocess.Popen[bytes]) -> list[T]:
    """Read what a process found in its next part. Raises ValueError, msgspec.DecodeError."""
    if other.stdout is None:
        raise ValueError("it has no pipe")
    length = int.from_bytes(other.stdout.read(_LENGTH), "big")
    if length > _LONGEST:
        raise ValueError("it says something else")
    return msgspec.msgpack.decode(other.stdout.read(length), type=job.found)


def _worthwhile(size: int) -> int:
    if size < LARGE or not hasattr(os, "pread"):
        return 0
    if hasattr(os, "sched_getaffinity"):
        processors = len(os.sched_getaffinity(0))
    else:
        processors = os.cpu_count() or 1
    return min(processors, _MOST) if processors > 1 else 0
