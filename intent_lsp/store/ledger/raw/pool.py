"""Examination of a large ledger file in ranges, by this process or several worker processes.

Invariant: a line belongs to the range in which it begins.
Invariant: results and their order do not depend on the number of processes.
Invariant: a process that fails to start, dies, hangs or writes nonsense costs only time. This
process examines what is left.
Invariant: processes are started afresh and never forked, so that a server with threads can use
this. None imports anything from the working directory, unless this process does.
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
from typing import IO, Final, Generic, NamedTuple, TypeVar, cast

import msgspec

from intent_lsp.store.ledger.raw.file import Reader, read_at

T = TypeVar("T")

RANGE: Final = 128 * 1024
"""The size of a range in bytes."""

_A_LINE: Final = 4 * 1024
"""How many bytes beyond a range are read at once, enough for the rest of most lines."""
_FURTHER: Final = 64 * 1024

LARGE: Final = 64 * 1024 * 1024
"""The size in bytes from which on several processes examine a file: below it, one is faster."""

PART: Final = 8 * RANGE
"""How many bytes a process examines before it writes its results."""

_PATIENCE_SECONDS: Final = 20
"""How long to wait for one part before this process takes over."""
_LONGEST: Final = 1 << 30
"""The longest message in bytes that is accepted from a process."""
_LENGTH: Final = 8
_MOST: Final = 8


def starts(size: int) -> range:
    """Return the start offset of each range of RANGE bytes in a file of `size` bytes."""
    return range(0, size, RANGE)


def lines_in(read: Reader, start: int, size: int) -> bytes:
    """Return the lines that begin in the range at the offset `start`, each to its end.

    The file's last line may be without a line feed. `read` reads the file by offsets, and `size` is
    the file's size.
    """
    begin, end = max(start - 1, 0), min(start + RANGE, size)
    data = read(begin, min(end + _A_LINE, size))
    # Bytes before the first line feed belong to a line of an earlier range.
    first = data.find(b"\n") + 1 if start else 0
    if start and not first:
        return b""
    last = data.find(b"\n", end - begin - 1) + 1
    if last:
        return data[first:last]
    return data[first:] + _line_end(read, begin + len(data), size)


def _line_end(read: Reader, start: int, size: int) -> bytes:
    """Return the rest of a line from `start` on, with its line feed if it has one."""
    parts = []
    while start < size and (more := read(start, min(start + _FURTHER, size))):
        last = more.find(b"\n") + 1
        parts.append(more[: last or None])
        if last:
            break
        start += len(more)
    return b"".join(parts)


class Job(NamedTuple, Generic[T]):
    """A task for each range of a file: `find(read, start, size)` returns the range's result.

    `read` reads the file by offsets, `start` is where the range begins, and `size` is the file's
    size. A worker process imports `module` and calls its `main`, which must pass the arguments to
    `answer`. A worker sends lists of results, and `found` is their type.
    """

    module: str
    find: Callable[[Reader, int, int], T]
    found: type[list[T]]


def nobody(_done: int) -> None:
    """Do nothing. This is the progress callback for callers that want none."""


def spread(
    job: Job[T],
    fd: int,
    size: int,
    workers: int | None = None,
    progress: Callable[[int], None] = nobody,
) -> Iterator[T]:
    """Yield the result of `job` for each range of an open file of `size` bytes, in order.

    `workers` is the number of worker processes, or None to choose it by the size and the machine.
    With 0, this process does everything. `progress` is called with the bytes done.
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
    """In a worker: do `job` for every n-th part of the file on stdin, and write results to stdout.

    `job` is done for each range of a part, and the results of a part are written together. `words`
    are the offset of the first part, the step between parts, the length of a part, and the file's
    size, all in bytes.
    """
    # No object made here is part of a reference cycle, so collecting would only cost time.
    gc.disable()
    first, step, length, size = map(int, words)
    read = partial(read_at, sys.stdin.fileno())
    for part in range(first, size, step):
        ranges = range(part, min(part + length, size), RANGE)
        message = msgspec.msgpack.encode([job.find(read, start, size) for start in ranges])
        sys.stdout.buffer.write(len(message).to_bytes(_LENGTH, "big") + message)
        sys.stdout.buffer.flush()


def _found_elsewhere(job: Job[T], fd: int, size: int, many: int) -> Generator[list[T], None, None]:
    """Yield the results that `many` worker processes find for each part of a file, in order.

    Each item is the list of results for the ranges of one part. Stop at the first part for which a
    worker fails.
    """
    # The stack is left first and kills the processes. That ends a read which still blocks the
    # thread.
    with ThreadPoolExecutor(1) as thread, ExitStack() as stack:
        try:
            first = range(0, many * PART, PART)
            others = [stack.enter_context(_started(job, fd, size, many, at)) for at in first]
            for part, other in zip(range(0, size, PART), cycle(others)):
                found = thread.submit(_next, job, other).result(_PATIENCE_SECONDS)
                if len(found) != len(range(part, min(part + PART, size), RANGE)):
                    return
                yield found
        except (OSError, msgspec.DecodeError):
            return


@contextmanager
def _started(
    job: Job[T], fd: int, size: int, many: int, first: int
) -> Iterator[subprocess.Popen[bytes]]:
    """Start one worker process, which does `job` for every `many`-th part of a file.

    `first` is the offset of its first part, and `size` is the size of the file, both in bytes.
    Yield the process, and kill it at the end.
    """
    # The same sys.path, without the working directory: a repository that is verified may hold a
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
    """Wait for the results that a worker process sends for its next part, and return them.

    Raise msgspec.DecodeError if they are malformed or too long, or if the process has ended.
    """
    printed = cast("IO[bytes]", other.stdout)
    length = int.from_bytes(printed.read(_LENGTH), "big")
    # No bytes are malformed, too.
    return msgspec.msgpack.decode(printed.read(length if length <= _LONGEST else 0), type=job.found)


def _worthwhile(size: int) -> int:
    """Return how many worker processes to start for a file of `size` bytes.

    The number is 0 for a small file or on a machine with a single processor.
    """
    if size < LARGE:
        return 0
    if hasattr(os, "sched_getaffinity"):
        processors = len(os.sched_getaffinity(0))
    else:
        processors = os.cpu_count() or 1
    return min(processors, _MOST) if processors > 1 else 0
