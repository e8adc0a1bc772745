"""A watch over directories: tells which of their entries have changed.

Invariant: a change is not lost silently: what cannot be named is told as its directory.
Invariant: the callback runs in the watch's own thread, one call at a time, none after `close`.
"""

import logging
import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from intent_lsp.store.watched import Watched

_log = logging.getLogger(__name__)

POLLED_AT_MOST: Final = 500
"""Directories above which looking at each again and again costs more than it tells."""

_DEBOUNCE_MS: Final = 400
_STEP_MS: Final = 100
_RECHECK_MS: Final = 5_000
_POLL_MS: Final = 1_000

Changed = Callable[[frozenset[Path]], None]


class _InterruptedError(Exception):
    """Other directories are wanted, or none any more."""


class _Interrupt:
    """What a source of events asks whether it should stop.

    It raises instead of saying yes: a source that is told to stop forgets what it has heard.
    """

    def __init__(self) -> None:
        self.event = threading.Event()

    def is_set(self) -> bool:
        if self.event.is_set():
            raise _InterruptedError
        return False


class Watch:
    """Watches directories, not what is below their subdirectories, until it is closed.

    `force_polling` is for file systems that tell nothing of themselves, as network shares do.
    After `recheck_ms` without an event it is asked whether the directories still stand.
    """

    def __init__(
        self, changed: Changed, *, force_polling: bool = False, recheck_ms: int = _RECHECK_MS
    ) -> None:
        self._changed = changed
        self._recheck_ms = recheck_ms
        self._polling = force_polling
        self._guard = threading.Condition()
        self._interrupt = _Interrupt()
        self._wanted: frozenset[str] = frozenset()
        self._known = Watched.look(())
        self._asked = 0
        self._settled = 0
        self._closing = False
        self._thread: threading.Thread | None = None

    def watch(self, directories: Iterable[Path]) -> None:
        """Watch these directories in place of those before; returns when changes are seen.

        One that is not there is watched from the moment it appears. Called by the callback, it
        returns at once.
        """
        with self._guard:
            if self._closing:
                return
            self._wanted = frozenset(map(os.fspath, directories))
            self._asked += 1
            asked = self._asked
            self._interrupt.event.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
                self._thread.start()
            if threading.current_thread() is not self._thread:
                self._guard.wait_for(lambda: self._settled >= asked or self._closing)

    def close(self) -> None:
        """Stop, and wait for the callback that runs."""
        with self._guard:
            self._closing = True
            self._interrupt.event.set()
            self._guard.notify_all()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run(self) -> None:
        source: Any = None
        try:
            while not self._closing:
                source = self._listen(source)
        except Exception:  # noqa: BLE001 - whatever it was, the editor goes on without a watch
            _log.exception("the watch has failed; changes outside of the editor go unseen")
        finally:
            _close(source)
            with self._guard:
                self._closing = True
                self._guard.notify_all()

    def _listen(self, before: Any) -> Any:  # noqa: ANN401 - watchfiles is loaded late
        """Listen to today's directories until they change, or others are wanted."""
        with self._guard:
            asked, wanted = self._asked, self._wanted
            self._interrupt.event.clear()
            if self._closing:
                return before
        watched = Watched.look(wanted)
        source = self._open(watched)
        # The old source is heard out only now, so that nothing falls between the two; it hears
        # nothing of a directory that has come since its last look.
        self._tell(watched, _drain(before) | watched.changed_since(self._known))
        _close(before)
        self._known = watched
        with self._guard:
            self._settled = asked
            self._guard.notify_all()
        while not self._interrupt.event.is_set():
            told = self._next(source)
            if told is None:
                self._tell(watched, wanted)
                break
            # After a while without any, too: not everything is told of.
            now = Watched.look(wanted) if not told or watched.may_differ(told) else watched
            self._tell(watched, told | now.changed_since(watched))
            if now != watched:
                self._known = now
                break
        return source

    def _next(self, source: Any) -> frozenset[str] | None:  # noqa: ANN401 - as above
        """Wait for changed paths, in vain for a few seconds at most; None: some have no name."""
        if source is None:
            self._interrupt.event.wait(self._recheck_ms / 1000)
            return frozenset()
        try:
            heard = source.watch(_DEBOUNCE_MS, _STEP_MS, self._recheck_ms, self._interrupt)
        except _InterruptedError:
            return frozenset()
        except RuntimeError as problem:  # A name that is not UTF-8.
            _log.info("watch: %s", problem)
            return None
        return _paths(heard)

    def _tell(self, watched: Watched, paths: Iterable[str]) -> None:
        found = frozenset(Path(told) for path in paths if (told := watched.told(path)) is not None)
        if not found or self._closing:
            return
        try:
            self._changed(found)
        except Exception:  # noqa: BLE001 - another's failure must not end the watch
            _log.exception("a change on disk was not handled")

    def _open(self, watched: Watched) -> Any:  # noqa: ANN401 - as above
        """Open a source of events; None: there is none to be had, or nothing to watch."""
        from watchfiles import _rust_notify  # noqa: PLC0415 - loaded when something is watched

        sources = list(watched.sources)
        if not sources:
            return None
        if not self._polling:
            try:
                return _rust_notify.RustNotify(sources, False, False, 0, False, True)  # noqa: FBT003 - its signature
            except OSError as problem:
                _log.warning("watch: %s; looking again and again instead", problem)
        if len(sources) > POLLED_AT_MOST:
            _log.warning("watch: off, %d directories are too many to look at", len(sources))
            return None
        return _rust_notify.RustNotify(sources, False, True, _POLL_MS, False, True)  # noqa: FBT003 - as above


def _drain(source: Any) -> frozenset[str]:  # noqa: ANN401 - as above
    """Give what a source has heard but not told."""
    if source is None:
        return frozenset()
    try:
        return _paths(source.watch(1, 1, 1, None))
    except RuntimeError:
        return frozenset()


def _paths(heard: Any) -> frozenset[str]:  # noqa: ANN401 - as above
    return frozenset() if isinstance(heard, str) else frozenset(path for _, path in heard)


def _close(source: Any) -> None:  # noqa: ANN401 - as above
    if source is not None:
        source.close()
