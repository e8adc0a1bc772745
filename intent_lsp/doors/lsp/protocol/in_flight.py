"""The work of one connection: its requests in flight, and its end.

A feature is the function that handles one method.

Invariant: a feature that is not a coroutine is finished when `start` returns, before the next
message is read.
Invariant: `done` is called once for each call: when it ends, or when it is cancelled in `finish`.
Invariant: uncancellable work of a feature runs in the feature's own task, because a further task
would cost time in each answer.
Invariant: the end runs once, however often it is asked for, and goes on if a caller is cancelled.
Invariant: the end never raises; failures are logged.
"""

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from msgspec import Struct

from intent_lsp.doors.lsp.protocol.messages import IdKey

_log = logging.getLogger(__name__)
T = TypeVar("T")


Done = Callable[[object, BaseException | None], None]
"""Receives a result and None, or None and the exception (CancelledError included)."""


EndConversation = Callable[[], Coroutine[object, object, None]]


class _Call(Struct, frozen=True):
    """A running feature: the callback for its result, and the id of its request or None."""

    done: Done
    key: IdKey | None


class InFlightRequests:
    """The features (handlers of requests and notifications) that run for one connection."""

    def __init__(self) -> None:
        self._running: dict[asyncio.Future[Any], _Call] = {}
        self._by_id: dict[IdKey, asyncio.Future[Any]] = {}
        self._cancelled: set[IdKey] = set()
        # Uncancellable work: its task, and a future that resolves when the work is over.
        self._kept: dict[asyncio.Future[Any], asyncio.Future[None]] = {}
        self._broken: set[asyncio.Future[Any]] = set()

    def start(
        self, feature: Callable[..., Any], args: tuple[Any, ...], done: Done, key: IdKey | None
    ) -> None:
        """Call `feature` with `args`. When it ends, pass its result or exception to `done`.

        `key` is the id of the request, by which it can be cancelled, or None for a notification.
        """
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
        """Return whether the request with this id is not answered yet."""
        return key in self._by_id

    def cancel(self, key: IdKey) -> None:
        """Cancel the request with this id. Ignore an id that is unknown, answered or cancelled."""
        future = self._by_id.get(key)
        if future is not None and key not in self._cancelled:
            self._cancelled.add(key)
            self._break_off(future)

    async def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Await `work`, which runs to its end even if the caller is cancelled. Return its result.

        If the caller is a feature and is cancelled, its request is answered at once, if it has one,
        and CancelledError is raised in the feature when `work` is over. If `work` raises an
        exception, that is raised instead. If the caller is no feature and is cancelled,
        CancelledError is raised in it at once, and `work` goes on.
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
        """Wait until all uncancellable work is over, at most `patience` seconds."""
        if self._kept:
            await asyncio.wait(tuple(self._kept.values()), timeout=patience)

    async def settle(self, patience: float) -> None:
        """Cancel all calls, then wait for them and for uncancellable work.

        Wait at most `patience` seconds, and log how many have not ended by then.
        """
        # Let calls that have just started reach `finish`, so that their work is not interrupted.
        await asyncio.sleep(0)
        waited = {*self._running, *self._kept}
        for future in tuple(self._running):
            self._break_off(future)
        if waited:
            _, late = await asyncio.wait(waited, timeout=patience)
            if late:
                _log.warning("%d calls did not end within %g seconds", len(late), patience)

    async def _shielded(self, work: Coroutine[Any, Any, T]) -> T:
        """Await `work` in a task of its own, for a caller that is not the task of a feature.

        If the caller is cancelled, CancelledError is raised in it, the task goes on, and an
        exception of the task is logged.
        """
        task = asyncio.ensure_future(work)
        self._kept[task] = asyncio.get_running_loop().create_future()
        task.add_done_callback(self._kept_to_its_end)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            # Nobody awaits the result any more, so a failure would be lost.
            task.add_done_callback(_log_failure)
            raise

    def _kept_to_its_end(self, task: asyncio.Future[Any]) -> None:
        self._kept.pop(task).set_result(None)

    def _break_off(self, future: asyncio.Future[Any]) -> None:
        """Cancel the task `future` of a feature.

        If the task is in a call of the method `finish`, its work must not be interrupted: pass
        CancelledError now to the `done` that `start` was given, and let the task go on.
        """
        if future not in self._kept:
            future.cancel()
            return
        self._broken.add(future)
        self._let_go(future).done(None, asyncio.CancelledError())

    def _ended(self, future: asyncio.Future[Any]) -> None:
        if future in self._broken:
            # Nobody awaits the result any more, so a failure would be lost.
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

    def _let_go(self, future: asyncio.Future[Any]) -> _Call:
        call = self._running.pop(future)
        if call.key is not None:
            self._by_id.pop(call.key, None)
            self._cancelled.discard(call.key)
        return call


async def _nothing() -> None:
    """Do nothing: the default of `Shutdown.then`."""


class Shutdown:
    """Ends one connection, once: waits for uncancellable work, then calls `then`.

    `finished` is the function that waits for the work. Its argument is the most seconds to wait.
    """

    def __init__(self, finished: Callable[[float], Awaitable[None]]) -> None:
        self._finished = finished
        self._task: asyncio.Task[None] | None = None
        self.then: EndConversation = _nothing
        """The function that runs at the end, after the uncancellable work."""

    async def ended(self, patience: float) -> None:
        """End the connection, unless its end has begun already, and wait until it has ended.

        The end waits for uncancellable work, at most `patience` seconds, and then calls
        `self.then`.
        """
        await asyncio.shield(self._begun(patience))

    async def ended_within(self, patience: float, limit: float) -> None:
        """End the connection as `ended` does, but return after `limit` seconds at the latest.

        `patience` is the most seconds to wait for uncancellable work. If the connection has not
        ended after `limit` seconds, log a warning and let its end go on.
        """
        _, late = await asyncio.wait({self._begun(patience)}, timeout=limit)
        if late:
            _log.warning("what was open did not end within %g seconds", limit)

    def _begun(self, patience: float) -> asyncio.Task[None]:
        if self._task is None:
            # A task of its own, because an early `exit` cancels the `shutdown` request.
            self._task = asyncio.create_task(self._end(patience))
        return self._task

    async def _end(self, patience: float) -> None:
        await self._finished(patience)
        try:
            await self.then()
        except Exception:  # noqa: BLE001 - whatever it was, the process ends
            _log.exception("the end of a conversation failed")


def _log_failure(task: asyncio.Future[Any]) -> None:
    if not task.cancelled() and (error := task.exception()):
        _log.error("work of a cancelled request failed", exc_info=error)
