"""Changes on disk outside the editor: shown first, recorded once the work tree is quiet.

Specified in requirements section 7.

Invariant: however many changes come, a root's work tree is examined by one task at a time.
Invariant: a watch event only means that something may have changed. The disk decides what did.
"""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from intent_lsp.core.agents.tickets import CLAIMED_FOR
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.text import counted
from intent_lsp.doors.lsp.connection.record_notifier import A_MOMENT, RecordNotifier
from intent_lsp.doors.lsp.connection.watchers import TreeWatcher
from intent_lsp.doors.lsp.diagnostics.host_diagnostics import HostDiagnostics
from intent_lsp.doors.lsp.diagnostics.tracked_documents import TrackedDocuments
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.governance.agents.host_liveness import BlindHost, blind_hosts, note_unasked_changes
from intent_lsp.governance.disk.disk_changes import DiskNews
from intent_lsp.store.agent_hosts import home_directory

_log: Final = logging.getLogger(__name__)

QUIET: Final = 1.0
"""Seconds without an examination of the work tree after which changes are recorded.

In this time an editor can report its saves.
"""

RESTED: Final = 50.0
"""After each examination the monitor pauses this many times as long as the examination took.

The pause is at most LONGEST_PAUSE seconds.
"""

LONGEST_PAUSE: Final = 3.0

IDLE_WITHIN: Final = 1.0
"""The longest wait for an idle moment, in seconds, before an examination."""

GIT_WITHIN: Final = 0.3
"""Seconds after which a work tree is examined again if git delays that or the recording."""

LONGEST: Final = 10.0
"""Seconds after which changes are recorded even if the work tree is never quiet."""


class _Root(Struct, kw_only=True):
    """What has to be done for one root.

    `wanted`: an examination of the work tree is due. `everything`: that examination includes files
    that have not changed since the last one. `looking`: an examination or the pause after it is
    running. `unrecorded_since` is when the first examination since the last recording ended, even
    if that examination found nothing, by the event loop's clock. It is None if there has been no
    examination since. `quiet` is the timer that records the changes, or None if none is set.
    Whoever examines or records holds the lock `lane`.
    """

    open_root: OpenRoot
    wanted: bool = False
    everything: bool = False
    looking: bool = False
    unrecorded_since: float | None = None
    quiet: asyncio.TimerHandle | None = None
    lane: asyncio.Lock = field(default_factory=asyncio.Lock)


class DiskChangeMonitor:
    """Notices changes on disk in the work trees of one connection's roots, and records them."""

    def __init__(
        self, tracked_documents: TrackedDocuments, outcomes: RecordNotifier, hosts: HostDiagnostics
    ) -> None:
        self._tracked_documents, self._work = tracked_documents, tracked_documents.work
        self._outcomes = outcomes
        self._hosts = hosts
        self._loop = asyncio.get_running_loop()
        self._roots: dict[Path, _Root] = {}
        self._watching = TreeWatcher(self._noticed)

    async def follow(self, open_root: OpenRoot, *, watch: bool) -> None:
        """Schedule a first examination of a root's work tree, and let `schedule` begin later ones.

        If `watch`, changes on disk begin later ones, too.
        """
        root = open_root.governance.root
        self._roots[root] = _Root(open_root=open_root)
        if watch:
            polling = partial(open_root.governance.note_polling, "tree")
            await self._work.in_thread(self._watching.watch, root, polling)
        self.schedule(open_root, everything=True)

    def schedule(self, open_root: OpenRoot, *, everything: bool = False) -> None:
        """Schedule an examination of a root's work tree, if the root is followed.

        If `everything`, files that have not changed are examined too, because the rules may have
        changed.
        """
        stirred = self._roots.get(open_root.governance.root)
        if stirred is None:
            return
        stirred.wanted = True
        stirred.everything |= everything
        if not stirred.looking:
            stirred.looking = True
            self._work.begin(self._look(stirred))

    def end(self) -> None:
        """Stop following every root."""
        self._watching.end()
        for root in self._roots.values():
            if root.quiet is not None:
                root.quiet.cancel()
        self._roots.clear()

    def _noticed(self, root: Path, paths: frozenset[Path]) -> None:
        """Pass changed paths from the watch's thread to the event loop.

        Empty `paths` mean that anything may have changed, and are passed on. Of other paths, those
        are left out that need no examination, such as this server's own changes. Pass nothing on if
        none is left.
        """
        followed = self._roots.get(root)
        if followed is not None and paths:
            paths = followed.open_root.governance.watch_events.in_tree(paths)
            if not paths:
                return
        # The loop may have been closed while the watch still reports.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._begin, root, paths)

    def _begin(self, root: Path, paths: frozenset[Path]) -> None:
        stirred = self._roots.get(root)
        if stirred is not None:
            self.schedule(stirred.open_root)
            self._work.begin(self._work.in_thread(self._watching.follow, root, paths))

    async def _look(self, root: _Root) -> None:
        try:
            while root.wanted:
                await self._work.idle_scheduler.wait_until_idle(IDLE_WITHIN)
                began = self._loop.time()
                everything, root.wanted, root.everything = root.everything, False, False
                look = root.open_root.governance.disk_changes.look
                async with root.lane:
                    tree = await self._work.in_thread(look)
                    if tree is not None and tree.again:
                        root.everything |= everything
                        self._outcomes.later(GIT_WITHIN, self._stir_later(root.open_root))
                    elif tree is not None:
                        if tree.changed:
                            self._outcomes.tree_changed(root.open_root)
                        paths = tree.changed.union(tree.seen.files) if everything else tree.changed
                        await self._tracked_documents.look_at_closed(root.open_root, paths)
                self._record_when_quiet(root)
                # During a stream of changes, leave time to the program that makes them.
                pause = RESTED * (self._loop.time() - began)
                await asyncio.sleep(min(pause, LONGEST_PAUSE))
        finally:
            root.looking = False

    def _record_when_quiet(self, root: _Root) -> None:
        now = self._loop.time()
        if root.unrecorded_since is None:
            root.unrecorded_since = now
        if root.quiet is not None:
            root.quiet.cancel()
        at = min(now + QUIET, root.unrecorded_since + LONGEST)
        root.quiet = self._loop.call_at(at, self._begin_recording, root)

    def _begin_recording(self, root: _Root) -> None:
        since, root.quiet = root.unrecorded_since, None
        if root.wanted and since is not None and self._loop.time() < since + LONGEST:
            # Not quiet: an examination is due, and will schedule the record again.
            return
        root.unrecorded_since = None
        self._work.begin(self._record(root))

    async def _record(self, root: _Root) -> None:
        open_root = root.open_root
        async with root.lane:
            saving = self._saving(open_root)
            news, blind = await self._work.in_thread(_record, open_root, saving)
        if blind is not None:
            self._hosts.show(open_root, blind)
        self._tell(open_root, news)
        paths = [path for change in news.recorded for path in change.paths]
        await self._tracked_documents.look_at_closed(open_root, paths)
        if news.git:
            self._outcomes.later(GIT_WITHIN, self._stir_later(open_root))
        elif news.waiting:
            after = CLAIMED_FOR.total_seconds() + A_MOMENT
            self._outcomes.later(after, self._stir_later(open_root))

    def _tell(self, open_root: OpenRoot, news: DiskNews) -> None:
        """Report each new record to the client. Report all changes that wait, in one message.

        A change waits if its record cannot be written to the ledger yet.
        """
        waiting = [change for change in news.recorded if change.queued is not None]
        for change in news.recorded:
            if change.queued is None:
                self._outcomes.recorded(open_root, _changed(change.paths), change.record, None)
        if waiting:
            paths = sorted(path for change in waiting for path in change.paths)
            self._outcomes.recorded(open_root, _changed(paths), None, waiting[0].queued)

    def _saving(self, open_root: OpenRoot) -> frozenset[WorkspacePath]:
        """Return the paths of the tracked files that have a save without a record.

        The editor has reported the save, or announced it.
        """
        return frozenset(
            tracked.place.path
            for tracked in self._tracked_documents.of_root(open_root)
            if tracked.place is not None and (tracked.saves or tracked.file.written)
        )

    async def _stir_later(self, open_root: OpenRoot) -> None:
        self.schedule(open_root)


def _record(
    open_root: OpenRoot, saving: frozenset[WorkspacePath]
) -> tuple[DiskNews, tuple[BlindHost, ...] | None]:
    """Record the changes of a root that are due. Return them, and the agent hosts that did not ask.

    `saving` are files that the editor is saving; their changes are not recorded here. The hosts are
    those that did not ask while files changed, or None if that cannot be read now.
    """
    governance, home = open_root.governance, home_directory()
    news = governance.disk_changes.record(open_root.session, saving)
    note_unasked_changes(governance, home, news.recorded)
    return news, blind_hosts(governance, home)


def _changed(paths: Sequence[WorkspacePath]) -> str:
    first, more = paths[0], len(paths) - 1
    if not more:
        return f"{first} has changed on disk"
    files = counted(more, "more file")
    return f"{first} and {files} have changed on disk"
