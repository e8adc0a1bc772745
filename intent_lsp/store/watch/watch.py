"""A watch over directories: tells which of their entries have changed.

Invariant: a change is not lost silently: what cannot be named is told as its directory.
Invariant: the callback runs in the watch's own thread, one call at a time, none after `close`.
Invariant: looking takes a fiftieth of the time at most, however much there is to look at.
"""

import logging
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from intent_lsp.store import clock
from intent_lsp.store.watch.targets import Watched

_log = logging.getLogger(__name__)
_DEBOUNCE_MS: Final = 400
_STEP_MS: Final = 100
_RECHECK_MS: Final = 5_000

_LOOKS: Final = 100
"""How often is looked before the system is asked again whether it can tell by now."""

OnChange = Callable[[frozenset[Path]], None]

Polling = Callable[[str | None], None]
"""Told why the system cannot tell of changes, so that they are looked for; None: it can."""

_SHARE = 50
_PAUSE_SECONDS = 1.0
_Entries = Mapping[str, tuple[int, int, int]]


class Polled:
    """The entries of some directories as they were last seen; for one thread."""

    def __init__(self, directories: Iterable[str]) -> None:
        self._directories = tuple(directories)
        self._pause = _PAUSE_SECONDS
        self._known = self._look()

    def wait(self, interrupt: threading.Event) -> frozenset[str]:
        """Wait until it is time to look again, unless interrupted; give the paths that differ."""
        if interrupt.wait(self._pause):
            return frozenset()
        return self.changed()

    def changed(self) -> frozenset[str]:
        """Look now; give the paths that came, went or changed since the last look."""
        before, self._known = self._known, self._look()
        return frozenset(
            os.path.join(directory, name)  # noqa: PTH118 - strings throughout
            for directory, now in self._known.items()
            for name in now.keys() | before[directory].keys()
            if now.get(name) != before[directory].get(name)
        )

    def _look(self) -> dict[str, _Entries]:
        passed = clock.stopwatch()
        found = {directory: _entries(directory) for directory in self._directories}
        self._pause = max(_PAUSE_SECONDS, _SHARE * passed())
        return found


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
    After `recheck_ms` without an event it is asked whether the directories still stand. `polling`
    is told when looking again and again begins, because the system has no watches left, and ends.
    """

    def __init__(
        self,
        changed: OnChange,
        *,
        force_polling: bool = False,
        recheck_ms: int = _RECHECK_MS,
        polling: Polling | None = None,
    ) -> None:
        self._changed = changed
        self._told_of_polling = polling
        self._why: str | None = None
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
        looks = 0
        while not self._interrupt.event.is_set():
            told = self._next(source)
            looks += isinstance(source, Polled)
            if told is None:
                self._tell(watched, wanted)
                break
            # After a while without any, too: not everything is told of.
            now = Watched.look(wanted) if not told or watched.may_differ(told) else watched
            self._tell(watched, told | now.changed_since(watched))
            if now != watched:
                self._known = now
                break
            if looks >= _LOOKS:
                break
        return source

    def _next(self, source: Any) -> frozenset[str] | None:  # noqa: ANN401 - as above
        """Wait for changed paths, in vain for a few seconds at most; None: some have no name."""
        if source is None:
            self._interrupt.event.wait(self._recheck_ms / 1000)
            return frozenset()
        if isinstance(source, Polled):
            return source.wait(self._interrupt.event)
        try:
            heard = source.watch(_DEBOUNCE_MS, _STEP_MS, self._recheck_ms, self._interrupt)
        except _InterruptedError:
            return frozenset()
        except RuntimeError as problem:  # A name that is not UTF-8.
            _log.info("watch: %s", problem)
            return None
        return _paths(heard)

    def _tell(self, watched: Watched, paths: Iterable[str]) -> None:
        found = frozenset(
            Path(told) for path in paths if (told := watched.wanted_path(path)) is not None
        )
        if not found or self._closing:
            return
        try:
            self._changed(found)
        except Exception:  # noqa: BLE001 - another's failure must not end the watch
            _log.exception("a change on disk was not handled")

    def _open(self, watched: Watched) -> Any:  # noqa: ANN401 - as above
        """Open a source of events; None: there is none to be had, or nothing to watch."""
        from watchfiles import _rust_notify  # noqa: PLC0415 - loaded when something is watched

        sources = [each for each in watched.sources if os.access(each, os.R_OK | os.X_OK)]
        if not sources:
            return None
        if self._polling:
            return Polled(sources)
        try:
            # Asked to pass over what may not be watched, it would pass over what cannot be, too.
            source = _rust_notify.RustNotify(sources, False, False, 0, False, False)  # noqa: FBT003 - its signature
        except (OSError, RuntimeError) as problem:
            self._poll(str(problem).partition(" about [")[0])
            return Polled(sources)
        self._poll(None)
        return source

    def _poll(self, why: str | None) -> None:
        """Say when looking again and again begins, and when it ends."""
        if (why is None) == (self._why is None):
            return
        self._why = why
        if why is None:
            _log.warning("watch: the system tells of changes again")
        else:
            _log.warning("watch: %s; looking again and again instead", why)
        if self._told_of_polling is not None:
            self._told_of_polling(why)


def _drain(source: Any) -> frozenset[str]:  # noqa: ANN401 - as above
    """Give what a source has heard but not told."""
    if source is None:
        return frozenset()
    if isinstance(source, Polled):
        return source.changed()
    try:
        return _paths(source.watch(1, 1, 1, None))
    except RuntimeError:
        return frozenset()


def _paths(heard: Any) -> frozenset[str]:  # noqa: ANN401 - as above
    return frozenset() if isinstance(heard, str) else frozenset(path for _, path in heard)


def _close(source: Any) -> None:  # noqa: ANN401 - as above
    if source is not None and not isinstance(source, Polled):
        source.close()


def _entries(directory: str) -> _Entries:
    found: dict[str, tuple[int, int, int]] = {}
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            with suppress(OSError):
                seen = entry.stat(follow_symlinks=False)
                found[entry.name] = (seen.st_ino, seen.st_size, seen.st_mtime_ns)
    return found
