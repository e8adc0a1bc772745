"""Features as they run: each is done once, cancelled on request, and waited for at the end.

Invariant: a feature that is no coroutine and asks for no thread is done when `start` returns, so
that what it changed stands before the next message is read.
Invariant: `done` is called exactly once for each call.
"""

import asyncio
import contextvars
import inspect
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from functools import partial
from typing import Any, TypeVar

from pygls.feature_manager import is_thread_function

from intent_lsp.doors.lsp.messages import IdKey

_log = logging.getLogger(__name__)

T = TypeVar("T")
Done = Callable[[object, BaseException | None], None]
"""Takes a result and None, or None and what was raised (CancelledError included)."""


class Calls:
    """The calls in flight on one connection; `pool` gives where features marked `thread` run."""

    def __init__(self, pool: Callable[[], Executor]) -> None:
        self._pool = pool
        self._running: set[asyncio.Future[Any]] = set()
        self._kept: set[asyncio.Future[Any]] = set()
        self._by_id: dict[IdKey, asyncio.Future[Any]] = {}
        self._cancelled: set[IdKey] = set()

    def start(
        self, feature: Callable[..., Any], args: tuple[Any, ...], done: Done, key: IdKey | None
    ) -> None:
        """Start `feature`; `key` is the id by which it can be cancelled, if it can."""
        try:
            outcome = self._begin(feature, args)
        except Exception as error:  # noqa: BLE001 - whatever a feature raises is its outcome
            done(None, error)
            return
        if not inspect.isawaitable(outcome):
            done(outcome, None)
            return
        future: asyncio.Future[Any] = asyncio.ensure_future(outcome)
        self._running.add(future)
        if key is not None:
            self._by_id[key] = future
        future.add_done_callback(partial(self._ended, key, done))

    def is_running(self, key: IdKey) -> bool:
        """Find out whether the request of this id is not answered yet."""
        return key in self._by_id

    def cancel(self, key: IdKey) -> None:
        """Cancel a request, once; one that is unknown or answered is left alone."""
        future = self._by_id.get(key)
        if future is not None and key not in self._cancelled:
            self._cancelled.add(key)
            future.cancel()

    async def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Await work that a cancellation of the caller must not break off in the middle."""
        task = asyncio.ensure_future(work)
        self._kept.add(task)
        task.add_done_callback(self._kept.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            # Nobody awaits it any more: its failure would be lost.
            task.add_done_callback(_log_failure)
            raise

    async def finished(self, patience: float) -> None:
        """Wait for kept work, `patience` seconds at most."""
        if self._kept:
            await asyncio.wait(tuple(self._kept), timeout=patience)

    async def settle(self, patience: float) -> None:
        """Cancel what runs, then wait for that and for kept work, `patience` seconds at most."""
        for future in self._running:
            future.cancel()
        waited = {*self._running, *self._kept}
        if waited:
            _, late = await asyncio.wait(waited, timeout=patience)
            if late:
                _log.warning("%d calls did not end within %g seconds", len(late), patience)

    def _begin(self, feature: Callable[..., Any], args: tuple[Any, ...]) -> object:
        if is_thread_function(feature):  # type: ignore[no-untyped-call]  # pygls's
            run = contextvars.copy_context().run
            loop = asyncio.get_running_loop()
            return loop.run_in_executor(self._pool(), run, feature, *args)
        return feature(*args)

    def _ended(self, key: IdKey | None, done: Done, future: asyncio.Future[Any]) -> None:
        self._running.discard(future)
        if key is not None:
            self._by_id.pop(key, None)
            self._cancelled.discard(key)
        if future.cancelled():
            done(None, asyncio.CancelledError())
        elif error := future.exception():
            done(None, error)
        else:
            done(future.result(), None)


def _log_failure(task: asyncio.Future[Any]) -> None:
    if not task.cancelled() and (error := task.exception()):
        _log.error("work of a cancelled request failed", exc_info=error)
