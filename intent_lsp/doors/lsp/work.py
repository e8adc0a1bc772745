"""Work beside the event loop: what may wait on the world, and what nobody waits for.

Invariant: the event loop never waits on disk, git or hashing; such work goes to threads.
Invariant: what fails while nobody waits for it is logged.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Final, ParamSpec, TypeVar

_log: Final = logging.getLogger(__name__)

_P = ParamSpec("_P")
_R = TypeVar("_R")

THREADS: Final = 4


class Work:
    """The threads and tasks of one connection."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()
        self._over = False
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="intent-lsp")

    async def in_thread(self, work: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Do work that may wait on the world, off the event loop; it is not cut short.

        Raises CancelledError once everything has ended: then nobody waits for the outcome.
        """
        if self._over:
            raise asyncio.CancelledError
        loop = asyncio.get_running_loop()
        return await asyncio.shield(
            loop.run_in_executor(self._threads, lambda: work(*args, **kwargs))
        )

    def begin(self, work: Coroutine[object, object, _R]) -> asyncio.Task[_R]:
        """Begin work that nobody waits for; what goes wrong in it is logged."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def end(self) -> None:
        """End what is under way; the threads finish what they write."""
        self._over = True
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.to_thread(self._threads.shutdown, wait=True, cancel_futures=True)

    def _ended(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _log.error("a task failed", exc_info=task.exception())
