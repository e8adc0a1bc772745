"""Processes that look at a large ledger's lines beside this one.

Each takes the next range that nobody has taken, as soon as it can; so does who asks instead of
waiting. However late a process starts and however slow it is, nobody is idle meanwhile.

Invariant: what is found is the same, and in the same order, however many processes look.
Invariant: a process that does not start, dies, stalls or babbles costs time alone: its lines are
looked at here.
"""

import os
import select
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Final, Generic, TypeVar

from intent_lsp.store.ledger.raw.file import read_at
from intent_lsp.store.ledger.raw.ranges import starts
from intent_lsp.store.ledger.raw.task_pipe import TaskPipe
from intent_lsp.store.ledger.raw.worker import PATIENCE_SECONDS, Job, Worker

T = TypeVar("T")

LARGE: Final = 48 * 1024 * 1024
"""From how many bytes on others start sooner than the work is done."""

_AHEAD: Final = 64
"""How many ranges are kept at most that were looked at before their turn."""

_MOST: Final = 8


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

    `workers` is how many processes look beside this one; None: as the size and the machine tell.
    `told` is told how many bytes are done.
    """
    many = _worthwhile(size) if workers is None else workers
    ranges, read = starts(size), partial(read_at, fd)

    def look(number: int) -> T:
        return job.find(read, ranges[number], size)

    with ExitStack() as stack:
        found = look
        if many:
            tasks = stack.enter_context(TaskPipe(len(ranges)))
            others = [stack.enter_context(Worker(job, fd, size, tasks.fd)) for _ in range(many)]
            found = _Crew(look, tasks, others).found
        for number, start in enumerate(ranges):
            told(start)
            yield found(number)


class _Crew(Generic[T]):
    """This process and others; what is told before its turn is kept until then."""

    def __init__(
        self, look: Callable[[int], T], tasks: TaskPipe, others: Sequence[Worker[T]]
    ) -> None:
        self._look, self._tasks, self._others = look, tasks, others
        self._early: dict[int, T] = {}

    def found(self, number: int) -> T:
        """Give what is in a range; they are asked for in order."""
        self._tasks.supply(number)
        while number not in self._early:
            if self._hear(number, 0):
                continue
            own = self._tasks.take() if len(self._early) < _AHEAD else None
            if own is not None:
                self._early[own] = self._look(own)
            elif not self._hear(number, PATIENCE_SECONDS):
                # Who took it is gone.
                self._early[number] = self._look(number)
        return self._early.pop(number)

    def _hear(self, number: int, seconds: float) -> bool:
        """Wait until one that may have taken a range tells of any, or is gone; False: none is left.

        Whoever has told of a later one has not taken it: each is heard once ahead, and no more.
        """
        asked = {
            other.pipe: other
            for other in self._others
            if other.pipe is not None and other.last < number
        }
        poll = select.poll()
        for pipe in asked:
            poll.register(pipe, select.POLLIN)
        ready = [asked[pipe] for pipe, _ in poll.poll(seconds * 1000)] if asked else []
        for other in ready:
            told = other.result()
            if told is not None:
                at, found = told
                self._early[at] = self._look(at) if found is None else found
        if seconds and not ready:
            for other in asked.values():
                other.end()
        return bool(ready)


def _worthwhile(size: int) -> int:
    if size < LARGE or not hasattr(os, "pread") or not hasattr(select, "poll"):
        return 0
    if hasattr(os, "sched_getaffinity"):
        processors = len(os.sched_getaffinity(0))
    else:
        processors = os.cpu_count() or 1
    return min(processors, _MOST) - 1
