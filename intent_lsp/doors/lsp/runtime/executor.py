"""The threads and background tasks of one connection, and waiting until it is idle.

Invariant: the event loop never waits for work that is given to `in_thread`.
Invariant: a failed background task is logged.
Invariant: waiting for an idle moment ends at the time limit given by the caller at the latest.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final, ParamSpec, TypeVar

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

        If it is not, and somebody waits, set a timer that calls this again. It is not done at the
        end of each request, because that would slow every answer down.
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

        If the caller is cancelled, `work` still runs. Once `end` is called, work that has not begun
        is dropped, and its callers get CancelledError, because nobody needs the result.
        """
        if self._over:
            raise asyncio.CancelledError
        loop = asyncio.get_running_loop()
        # The future is cancelled with its caller; the work on the thread is not.
        outcome: asyncio.Future[_R] = loop.create_future()

        def do() -> None:
            try:
                result = work(*args, **kwargs)
            except BaseException as problem:  # noqa: BLE001 - it is raised where it is waited for
                _tell(loop, _fail, outcome, problem)
            else:
                _tell(loop, _succeed, outcome, result)

        begun = self._threads.submit(do)
        begun.add_done_callback(partial(_drop, loop, outcome))
        return await outcome

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


def _succeed(outcome: asyncio.Future[_R], result: _R) -> None:
    if not outcome.done():
        outcome.set_result(result)


def _fail(outcome: asyncio.Future[_R], problem: BaseException) -> None:
    if not outcome.done():
        outcome.set_exception(problem)


def _drop(
    loop: asyncio.AbstractEventLoop, outcome: asyncio.Future[_R], begun: Future[None]
) -> None:
    """Cancel `outcome`, the future of a caller of `in_thread`, if its thread job was cancelled.

    `begun` is the finished job. `BackgroundExecutor.end` cancels a job that has not started.
    """
    if begun.cancelled():
        _tell(loop, outcome.cancel)


def _tell(loop: asyncio.AbstractEventLoop, call: Callable[..., object], *args: object) -> None:
    # If the loop is closed, nobody waits for the result.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(call, *args)


def _done(came: "asyncio.Future[None]") -> None:
    if not came.done():
        came.set_result(None)
