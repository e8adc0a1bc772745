"""Scan of a ledger file: examines each line on its own, by this process or several workers.

A file is examined in ranges. A large one is shared among worker processes.

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
from typing import IO, Final, cast

import msgspec

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.ledger.chain import Flaw, Link
from intent_lsp.formats.ledger.batch import LineBatch, examine_lines
from intent_lsp.formats.ledger.jsonl import examine
from intent_lsp.formats.msgspec_types import register_msgspec_types
from intent_lsp.store.ledger.raw.file import Reader, read_at
from intent_lsp.store.ledger.verify.link_check import Piece
from intent_lsp.store.ledger.verify.link_table import Packed, id_keys

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
_WORKER: Final = __name__
"""The module whose `main` a worker process calls."""


class _Found(msgspec.Struct, array_like=True):
    """The result of examining the lines in one range of a file.

    `packed` is the result for all whole lines of the range if there are several and `Packed` fits
    them, else None. `links` are the results for all other lines, one by one.
    """

    packed: Packed | None
    links: Sequence[Link]

    @property
    def pieces(self) -> list[Piece]:
        """The result as a list: the packed lines, if there are any, then the other lines."""
        return [*([] if self.packed is None else [self.packed]), *self.links]


def scan(read: Reader, size: int) -> Iterator[Piece]:
    """Examine each line of a ledger file of `size` bytes, and yield the results in line order.

    `read` reads the file by offsets. A `Packed` is the result for several lines.
    """
    for start in range(0, size, RANGE):
        yield from _examined(read, start, size).pieces


def scan_widely(
    fd: int,
    size: int,
    workers: int | None = None,
    progress: Callable[[int], None] = lambda _done: None,
) -> Iterator[Piece]:
    """Yield the results of `scan` for an open ledger file, using several processes if it is large.

    `workers` is the number of worker processes, or None to choose it by the size and the machine.
    With 0, this process does everything. `progress` is called with the bytes done.
    """
    many = _worthwhile(size) if workers is None else workers
    done, read = 0, partial(read_at, fd)
    if many:
        with closing(_found_elsewhere(fd, size, many)) as elsewhere:
            for part in elsewhere:
                progress(done)
                for found in part:
                    yield from found.pieces
                done += PART
    for start in range(done, size, RANGE):
        progress(start)
        yield from _examined(read, start, size).pieces


def main(words: Sequence[str]) -> None:
    """In a worker: examine every n-th part of the file on stdin, and write results to stdout.

    The results of a part are written together. `words` are the offset of the first part, the step
    between parts, the length of a part, and the file's size, all in bytes.
    """
    # No object made here is part of a reference cycle, so collecting would only cost time.
    gc.disable()
    first, step, length, size = map(int, words)
    read = partial(read_at, sys.stdin.fileno())
    for part in range(first, size, step):
        ranges = range(part, min(part + length, size), RANGE)
        message = msgspec.msgpack.encode([_examined(read, start, size) for start in ranges])
        sys.stdout.buffer.write(len(message).to_bytes(_LENGTH, "big") + message)
        sys.stdout.buffer.flush()


def _examined(read: Reader, start: int, size: int) -> _Found:
    """Examine the lines of a file that begin in the `RANGE` bytes from `start` on.

    `size` is the file's size in bytes.
    """
    lines = _lines_in(read, start, size)
    whole = lines.rfind(b"\n") + 1
    examined = examine_lines(lines[:whole])
    torn = [_torn(lines[whole:])] if lines[whole:] else []
    if isinstance(examined, LineBatch):
        ids, digests = examined.ids, b"".join(examined.digests)
        packed = Packed(examined.first, examined.last, len(ids), id_keys(ids), digests)
        return _Found(packed, torn)
    return _Found(None, [*examined, *torn])


def _torn(line: bytes) -> Link:
    """Return the result for a last line without line feed, with the flaw that it is torn.

    The result has a hash only if nothing but the line feed is missing.
    """
    link = examine(line + b"\n")
    if link.flaw is None:
        message = "the last line lacks only its line feed; its record counts, nothing is lost"
        return link._replace(flaw=Flaw(LedgerCode.TORN_TAIL, message))
    size = len(line)
    message = (
        f"the last line is incomplete or damaged ({size} bytes) and counts as no record;"
        " `intent-lsp trace recover` adds the record if a copy is left"
    )
    return Link(flaw=Flaw(LedgerCode.TORN_TAIL, message))


def _lines_in(read: Reader, start: int, size: int) -> bytes:
    """Return the lines that begin in the `RANGE` bytes from the offset `start` on, each to its end.

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


def _found_elsewhere(fd: int, size: int, many: int) -> Generator[list[_Found], None, None]:
    """Yield the results that `many` worker processes find for each part of a file, in order.

    Each item is the list of results for the ranges of one part. Stop at the first part for which a
    worker fails.
    """
    # The stack is left first and kills the processes. That ends a read which still blocks the
    # thread.
    with ThreadPoolExecutor(1) as thread, ExitStack() as stack:
        try:
            first = range(0, many * PART, PART)
            others = [stack.enter_context(_started(fd, size, many, at)) for at in first]
            for part, other in zip(range(0, size, PART), cycle(others)):
                found = thread.submit(_next, other).result(_PATIENCE_SECONDS)
                if len(found) != len(range(part, min(part + PART, size), RANGE)):
                    return
                yield found
        except (OSError, msgspec.DecodeError):
            return


@contextmanager
def _started(fd: int, size: int, many: int, first: int) -> Iterator[subprocess.Popen[bytes]]:
    """Start one worker process, which examines every `many`-th part of `PART` bytes of a file.

    `first` is the offset of its first part, and `size` is the size of the file, both in bytes.
    Yield the process, and kill it at the end.
    """
    # The same sys.path, without the working directory: a repository that is verified may hold a
    # module of any name. (`multiprocessing` would import one from there.)
    program = f"import sys; sys.path[:] = {sys.path!r}; import {_WORKER} as m; m.main(sys.argv[1:])"
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


def _next(other: subprocess.Popen[bytes]) -> list[_Found]:
    """Wait for the results that a worker process sends for its next part, and return them.

    Raise msgspec.DecodeError if they are malformed or too long, or if the process has ended.
    """
    printed = cast("IO[bytes]", other.stdout)
    length = int.from_bytes(printed.read(_LENGTH), "big")
    # No bytes are malformed, too.
    told = printed.read(length if length <= _LONGEST else 0)
    return msgspec.msgpack.decode(told, type=list[_Found])


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


KNOWN: Final = register_msgspec_types(_Found)
