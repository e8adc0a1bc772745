"""Features as they run: each is done once, cancelled on request, and waited for at the end.

Invariant: a feature that is no coroutine and asks for no thread is done when `start` returns, so
that what it changed stands before the next message is read.
Invariant: `done` is called exactly once for each call.
Invariant: work that is to be finished runs in its caller's own task: a task more would cost each
answer as much as reading its params does.
"""

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from intent_lsp.doors.lsp.protocol.messages import IdKey

_log = logging.getLogger(__name__)
T = TypeVar("T")


class Uncancellable(Protocol):
    """Awaits work that goes on to its end although its caller is cancelled."""

    def __call__(self, work: Coroutine[object, object, T]) -> Awaitable[T]:
        """Begin the work; give what awaits it."""
        ...


Done = Callable[[object, BaseException | None], None]
"""Takes a result and None, or None and what was raised (CancelledError included)."""


class InFlightRequests:
    """The calls in flight on one connection."""

    def __init__(self) -> None:
        self._running: dict[asyncio.Future[Any], _Call] = {}
        self._by_id: dict[IdKey, asyncio.Future[Any]] = {}
        self._cancelled: set[IdKey] = set()
        # What is being finished, by the task that does it, and the tasks that end after that.
        self._kept: dict[asyncio.Future[Any], asyncio.Future[None]] = {}
        self._broken: set[asyncio.Future[Any]] = set()

    def start(
        self, feature: Callable[..., Any], args: tuple[Any, ...], done: Done, key: IdKey | None
    ) -> None:
        """Start `feature`; `key` is the id by which it can be cancelled, if it can."""
        try:
            outcome = feature(*args)
        except Exception as error:  # noqa: BLE001 - whatever a feature raises is its outcome
            done(None, error)
            return
        if not inspect.isawaitable(outcome):
            done(outcome, None)
            return
        future: asyncio.Future[Any] = asyncio.ensure_future(outcome)
        self._running[future] = _Call(done, key)
        if key is not None:
            self._by_id[key] = future
        future.add_done_callback(self._ended)

    def is_running(self, key: IdKey) -> bool:
        """Find out whether the request of this id is not answered yet."""
        return key in self._by_id

    def cancel(self, key: IdKey) -> None:
        """Cancel a request, once; one that is unknown or answered is left alone."""
        future = self._by_id.get(key)
        if future is not None and key not in self._cancelled:
            self._cancelled.add(key)
            self._break_off(future)

    async def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Await work that a cancellation of the calling feature must not break off in the middle.

        The feature's caller has its answer at once then, and the feature ends after the work.
        """
        task = asyncio.current_task()
        if task in self._kept:
            return await work
        if task not in self._running:
            return await self._shielded(work)
        self._kept[task] = asyncio.get_running_loop().create_future()
        try:
            outcome = await work
        finally:
            self._kept_to_its_end(task)
        if task in self._broken:
            raise asyncio.CancelledError
        return outcome

    async def finished(self, patience: float) -> None:
        """Wait for kept work, `patience` seconds at most."""
        if self._kept:
            await asyncio.wait(tuple(self._kept.values()), timeout=patience)

    async def settle(self, patience: float) -> None:
        """Cancel what runs, then wait for that and for kept work, `patience` seconds at most."""
        # What has just begun takes its first step, by which it says what must not be broken off.
        await asyncio.sleep(0)
        waited = {*self._running, *self._kept}
        for future in tuple(self._running):
            self._break_off(future)
        if waited:
            _, late = await asyncio.wait(waited, timeout=patience)
            if late:
                _log.warning("%d calls did not end within %g seconds", len(late), patience)

    async def _shielded(self, work: Coroutine[Any, Any, T]) -> T:
        """Await work in a task of its own: whoever cancels the caller's does not ask here."""
        task = asyncio.ensure_future(work)
        self._kept[task] = asyncio.get_running_loop().create_future()
        task.add_done_callback(self._kept_to_its_end)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            # Nobody awaits it any more: its failure would be lost.
            task.add_done_callback(_log_failure)
            raise

    def _kept_to_its_end(self, task: asyncio.Future[Any]) -> None:
        self._kept.pop(task).set_result(None)

    def _break_off(self, future: asyncio.Future[Any]) -> None:
        """Cancel a feature, or let it go where it finishes something."""
        if future not in self._kept:
            future.cancel()
            return
        self._broken.add(future)
        self._let_go(future).done(None, asyncio.CancelledError())

    def _ended(self, future: asyncio.Future[Any]) -> None:
        if future in self._broken:
            # Nobody awaits it any more: its failure would be lost.
            self._broken.discard(future)
            _log_failure(future)
            return
        done = self._let_go(future).done
        if future.cancelled():
            done(None, asyncio.CancelledError())
        elif error := future.exception():
            done(None, error)
        else:
            done(future.result(), None)

    def _let_go(self, future: asyncio.Future[Any]) -> "_Call":
        call = self._running.pop(future)
        if call.key is not None:
            self._by_id.pop(call.key, None)
            self._cancelled.discard(call.key)
        return call


@dataclass(frozen=True, slots=True)
class _Call:
    """Who waits for a feature, and the id by which it can be cancelled, if it can."""

    done: Done
    key: IdKey | None


def _log_failure(task: asyncio.Future[Any]) -> None:
    if not task.cancelled() and (error := task.exception()):
        _log.error("work of a cancelled request failed", exc_info=error)
