"""Background work of one connection: threads, tasks, a FIFO lock, and waiting until it is idle.

Invariant: the event loop never waits for work that is given to `in_thread`.
Invariant: a failed background task is logged.
Invariant: waiting for an idle moment ends at the time limit given by the caller at the latest.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final, ParamSpec, TypeVar

from msgspec import Struct, field

_log: Final = logging.getLogger(__name__)
_P = ParamSpec("_P")
_R = TypeVar("_R")
THREADS: Final = 4

QUIET_SECONDS: Final = 0.03
"""Seconds without a request after which the connection counts as idle."""


class IdleScheduler:
    """Lets background work wait until no client request is being answered."""

    def __init__(self) -> None:
        self._under_way = 0
        self._last = -QUIET_SECONDS
        self._waiting: set[asyncio.Future[None]] = set()
        self._timer: asyncio.TimerHandle | None = None

    @contextmanager
    def asked(self) -> Iterator[None]:
        """Count one client request as being answered, for as long as the context is open."""
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1
            self._last = asyncio.get_running_loop().time()

    async def wait_until_idle(self, at_most: float) -> None:
        """Wait until no request has been under way for 30 ms, at most `at_most` seconds."""
        loop = asyncio.get_running_loop()
        came = loop.create_future()
        self._waiting.add(came)
        if self._timer is None:
            self._look(loop)
        late = loop.call_later(at_most, _done, came)
        try:
            await came
        finally:
            late.cancel()
            self._waiting.discard(came)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wake the callers of `wait_until_idle` if the connection is idle.

        If it is not, and somebody waits, set a timer that calls this again. A request does not call
        this at its end, because that would slow every answer down.
        """
        self._timer, now = None, loop.time()
        quiet = (now if self._under_way else self._last) + QUIET_SECONDS
        if quiet <= now:
            for came in self._waiting:
                _done(came)
        elif self._waiting:
            self._timer = loop.call_at(quiet, self._look, loop)


class BackgroundExecutor:
    """Runs blocking work on threads and background tasks on the event loop, for one connection."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()
        self._over = False
        self.idle_scheduler = IdleScheduler()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="intent-lsp")

    async def in_thread(self, work: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Call `work` with the arguments on a thread. Return its result or raise its exception.

        If the caller is cancelled, `work` still runs, and its outcome is dropped. Once `end` is
        called, work that has not begun is dropped, and its callers get CancelledError, because
        nobody needs the result.
        """
        if self._over:
            raise asyncio.CancelledError
        begun = asyncio.wrap_future(self._threads.submit(work, *args, **kwargs))
        # If the caller is cancelled, nobody asks for an error, which asyncio would report then.
        begun.add_done_callback(lambda done: done.cancelled() or done.exception())
        # Not awaited itself: it would be cancelled with its caller, and the work if still queued.
        await asyncio.wait((begun,))
        return begun.result()

    def begin(self, work: Coroutine[object, object, _R]) -> asyncio.Task[_R]:
        """Start `work` as a background task and return the task. If the task fails, log that."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def end(self) -> None:
        """Cancel all tasks and drop queued thread work. Wait for thread work that has begun."""
        self._over = True
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.to_thread(self._threads.shutdown, wait=True, cancel_futures=True)

    def _ended(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _log.error("a task failed", exc_info=task.exception())


class FifoSlot(Struct):
    """A place in the order of a `FifoLock`. Setting `over` lets the holder of the next slot run.

    `before` is the `over` of the previous slot, or None for the first slot.
    """

    before: asyncio.Event | None
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def come(self) -> None:
        """Wait until the holder of the slot before this one is done."""
        if self.before is not None:
            await self.before.wait()


class FifoLock:
    """A lock whose slots are reserved at once by `take` and waited for later by `FifoSlot.come`.

    Holders run one at a time, in the order of their slots. There is one exception: if a slot is
    released before its turn, the holder of the next slot does not wait for earlier holders.
    """

    def __init__(self) -> None:
        self._last: asyncio.Event | None = None

    @contextmanager
    def take(self) -> Iterator[FifoSlot]:
        """Reserve and yield the next slot, without waiting for its turn.

        The slot is released when its `over` is set: by the holder, or else at the context's end.
        """
        turn = FifoSlot(self._last)
        self._last = turn.over
        try:
            yield turn
        finally:
            turn.over.set()


def _done(came: "asyncio.Future[None]") -> None:
    if not came.done():
        came.set_result(None)
