"""A watch on directories: reports which of their entries have changed.

Invariant: a change whose name cannot be reported is reported as a change of every watched
directory.
Invariant: the callback runs in the watch's own thread, one call at a time, and never after `close`.
"""

import logging
import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from intent_lsp.store.stopwatch import stopwatch
from intent_lsp.store.watch.targets import Polled, Watched

_log = logging.getLogger(__name__)
_DEBOUNCE_MS: Final = 400
_STEP_MS: Final = 100
_RECHECK_MS: Final = 5_000

_LOOKS: Final = 100
"""The number of polls after which the operating system's notification is tried again."""

OnChange = Callable[[frozenset[Path]], None]
"""A function that is called with the changed paths."""

Polling = Callable[[str | None], None]
"""A function that is called with the reason when polling begins, and with None when it ends."""


class Notified:
    """Changes in some directories, reported by the operating system. For use in one thread.

    Watching begins with the first call of `changed`.
    """

    def __init__(self, directories: Iterable[str]) -> None:
        from watchfiles import watch  # noqa: PLC0415 - loaded when something is watched

        # watchfiles logs each change. If the log is in a watched directory, that never ends.
        logging.getLogger("watchfiles").setLevel(logging.WARNING)
        self._opened = False
        # Return at each step instead of using a stop event, which would drop pending changes.
        # Do not ignore denied permissions: that would also hide other failures to watch.
        self._told = watch(
            *directories,
            watch_filter=None,
            debounce=_DEBOUNCE_MS,
            step=_STEP_MS,
            stop_event=self,
            rust_timeout=1,
            yield_on_timeout=True,
            force_polling=False,
            recursive=False,
            ignore_permission_denied=False,
        )

    def is_set(self) -> bool:
        """Return False: for watchfiles, this object is a stop event, one that is never set.

        watchfiles calls this for the first time once the system is watching.
        """
        self._opened = True
        return False

    def changed(self) -> frozenset[str] | None:
        """Wait for a moment, and return the paths that changed, or None if the reports have ended.

        They end at a path that is not valid UTF-8. The result is empty if nothing changed in that
        moment. Raise OSError or RuntimeError if the system cannot watch.
        """
        try:
            return frozenset(path for _, path in next(self._told))
        except RuntimeError as problem:  # A name that is not UTF-8.
            if not self._opened:
                raise
            _log.info("watch: %s", problem)
            return None
        except StopIteration:
            return None

    def close(self) -> None:
        """Stop the operating system's reports."""
        self._told.close()


_Source = Notified | Polled | None


class Watch:
    """Watches the entries of directories, not of their subdirectories, until it is closed.

    `changed` is called with the paths that changed. After `recheck_ms` without an event, the
    directories are checked for having been created, deleted or replaced. `polling` is called with
    the reason when polling begins, because the system cannot watch, and with None when it ends.
    """

    def __init__(
        self, changed: OnChange, *, recheck_ms: int = _RECHECK_MS, polling: Polling | None = None
    ) -> None:
        self._changed = changed
        self._told_of_polling = polling
        self._why: str | None = None
        self._recheck_ms = recheck_ms
        self._guard = threading.Condition()
        self._interrupt = threading.Event()
        self._wanted: frozenset[str] = frozenset()
        self._known = Watched.look(())
        self._asked = 0
        self._settled = 0
        self._closing = False
        self._thread: threading.Thread | None = None

    def watch(self, directories: Iterable[Path]) -> None:
        """Watch these directories instead of the previous ones, and return once they are watched.

        A missing directory is watched from its creation on. If called from the callback, return at
        once. Return also if the watch fails or is closed meanwhile. If the watch has failed or was
        closed before, do nothing.
        """
        with self._guard:
            if self._closing:
                return
            self._wanted = frozenset(map(os.fspath, directories))
            self._asked += 1
            asked = self._asked
            self._interrupt.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
                self._thread.start()
            if threading.current_thread() is not self._thread:
                self._guard.wait_for(lambda: self._settled >= asked or self._closing)

    def close(self) -> None:
        """Stop the watch, and wait for a running callback to return, unless called from it."""
        with self._guard:
            self._closing = True
            self._interrupt.set()
            self._guard.notify_all()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run(self) -> None:
        """Watch until `close` is called. This function runs in the watch's own thread.

        An unexpected exception is logged and ends the watch.
        """
        source: _Source = None
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

    def _listen(self, before: _Source) -> _Source:
        """Watch the present directories with a new source of changes until the next one is needed.

        The next one is needed when a directory is replaced, `watch` names other ones, or the source
        ends. It is also needed after `_LOOKS` polls, to try the system's notification again.
        `before` is the source used before: report its last changes, then close it. Return the new
        source. If the watch is closing, only return `before`.
        """
        with self._guard:
            asked, wanted = self._asked, self._wanted
            self._interrupt.clear()
            if self._closing:
                return before
        watched = Watched.look(wanted)
        source, heard = self._open(watched)
        # Read the old source only after the new one is open, so that no change falls between the
        # two. The old one cannot know directories created since, hence `changed_since` below.
        missed = frozenset() if before is None else before.changed()
        told = wanted if heard is None or missed is None else heard | missed
        self._tell(watched, told | watched.changed_since(self._known))
        _close(before)
        self._known = watched
        with self._guard:
            self._settled = asked
            self._guard.notify_all()
        self._follow(source, watched)
        return source

    def _follow(self, source: _Source, watched: Watched) -> None:
        """Report the changes from a source until it ends or a watched directory is replaced.

        Stop also when `watch` or `close` is called, or after `_LOOKS` polls.
        """
        wanted = frozenset(watched.standing)
        silent, looks = stopwatch(), 0
        while not self._interrupt.is_set() and looks < _LOOKS:
            told = self._next(source)
            looks += isinstance(source, Polled)
            if told is None:
                break
            if not told and silent() * 1000 < self._recheck_ms:
                continue
            # Look also after a while without events, since the system does not report everything.
            now = Watched.look(wanted) if not told or watched.may_differ(told) else watched
            self._tell(watched, told | now.changed_since(watched))
            if now != watched:
                self._known = now
                break
            silent = stopwatch()

    def _next(self, source: _Source) -> frozenset[str] | None:
        """Wait a limited time for changes from a source, and return the changed paths.

        Return None if a path is not valid UTF-8 or the source has ended. Without a source, only
        wait.
        """
        if source is None:
            self._interrupt.wait(self._recheck_ms / 1000)
            return frozenset()
        if isinstance(source, Polled):
            return source.wait(self._interrupt)
        return source.changed()

    def _tell(self, watched: Watched, paths: Iterable[str]) -> None:
        """Call the callback with those of `paths` that are watched directories or in one.

        Do nothing if there are none or the watch is closing. What the callback raises is logged.
        """
        found = frozenset(
            Path(told) for path in paths if (told := watched.wanted_path(path)) is not None
        )
        if not found or self._closing:
            return
        try:
            self._changed(found)
        except Exception:  # noqa: BLE001 - another's failure must not end the watch
            _log.exception("a change on disk was not handled")

    def _open(self, watched: Watched) -> tuple[_Source, frozenset[str] | None]:
        """Return a new source of changes, and the changed paths that it has reported so far.

        The source polls if the system cannot watch. There is no source (None) if none of the
        directories can be read. The paths are None if one is not valid UTF-8.
        """
        sources = [each for each in watched.sources if os.access(each, os.R_OK | os.X_OK)]
        if not sources:
            return None, frozenset()
        source = Notified(sources)
        try:
            heard = source.changed()
        except (OSError, RuntimeError) as problem:
            self._poll(str(problem).partition(" about [")[0])
            return Polled(sources), frozenset()
        self._poll(None)
        return source, heard

    def _poll(self, why: str | None) -> None:
        """Report that polling begins, for the reason `why`, or that it ends, if `why` is None.

        Do nothing if polling has begun already, or if there is none that could end.
        """
        if (why is None) == (self._why is None):
            return
        self._why = why
        if why is None:
            _log.warning("watch: the system tells of changes again")
        else:
            _log.warning("watch: %s; looking again and again instead", why)
        if self._told_of_polling is not None:
            self._told_of_polling(why)


def _close(source: _Source) -> None:
    if isinstance(source, Notified):
        source.close()
