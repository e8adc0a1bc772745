"""One client connection: the parts that its features share, and its reactions to changes.

Invariant: after a change of a root's rules, all its documents are judged again.
"""

import asyncio
import logging
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.paths import INTENT_MAP, INTENTS_FILE, LEDGER_FILE, path_of_uri, relative_to
from intent_lsp.doors.lsp.connection.client_ui import ClientProgress, ClientUi
from intent_lsp.doors.lsp.connection.disk_monitor import DiskChangeMonitor
from intent_lsp.doors.lsp.connection.intent_selection import IntentSelection
from intent_lsp.doors.lsp.connection.person_prompt import EditorPerson, GrantTokens
from intent_lsp.doors.lsp.connection.record_notifier import RecordNotifier
from intent_lsp.doors.lsp.connection.root_status import (
    GovernanceMessages,
    key_of_save,
    state_of,
    what_changes,
)
from intent_lsp.doors.lsp.connection.watchers import RulesWatcher
from intent_lsp.doors.lsp.diagnostics.control_files import ControlFileDiagnostics
from intent_lsp.doors.lsp.diagnostics.host_diagnostics import HostDiagnostics
from intent_lsp.doors.lsp.diagnostics.publisher import DiagnosticParts
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.diagnostics.tracked_documents import TrackedDocuments
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.runtime.client_capabilities import ClientCapabilities
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.wire.answers import status_wire
from intent_lsp.governance.judging.save_judge import Judgement
from intent_lsp.store import clock

_log: Final = logging.getLogger(__name__)

DID_CHANGE: Final = "intent/didChange"

SEEN_WITHIN: Final = 0.5
"""The longest wait for an idle moment, in seconds, before examining files an agent changed."""


class Connection:
    """The parts and the state that all features of one client's connection share.

    `finish` awaits work that a cancelled request must not interrupt.
    """

    def __init__(
        self,
        protocol: IntentProtocol,
        client: ClientCapabilities,
        tracked_documents: TrackedDocuments,
        parts: DiagnosticParts,
    ) -> None:
        self.client = client
        self.open_roots = tracked_documents.open_roots
        self.people = people = ClientUi(protocol, client, parts.spelling)
        self.spelling = parts.spelling
        self.tracked_documents = tracked_documents
        self.work = parts.work
        self.progress = ClientProgress(protocol, client)
        self.finish = protocol.finish
        self.pages = ControlFileDiagnostics(parts)
        self.hosts = HostDiagnostics(parts)
        self.hosts.changed = lambda open_root: self.work.begin(self._hosts_changed(open_root))
        self._known: dict[OpenRoot, tuple[object, ...]] = {}
        self._told: dict[OpenRoot, tuple[object, ...]] = {}
        self._messages = GovernanceMessages(people)
        self._watching = RulesWatcher(
            lambda paths: self.work.begin(self.paths_changed(paths)), tracked_documents.is_tracked
        )
        self._watch_lane = asyncio.Lock()
        self._rules_lane = asyncio.Lock()
        self._written: frozenset[str] = frozenset()
        self._to_watch: dict[OpenRoot, set[Path]] = {}
        self.tokens = GrantTokens(clock.now)
        self.outcomes = RecordNotifier(tracked_documents, people, self.rules_may_have_changed)
        self._unopened = DiskChangeMonitor(tracked_documents, self.outcomes, self.hosts)
        self.choices = IntentSelection(
            tracked_documents, self.outcomes, self.rules_may_have_changed
        )

    async def attach_folders(self) -> None:
        """Open the roots that govern the workspace folders, and announce those that are new."""
        for folder in self.open_roots.folders:
            open_root = await self.work.in_thread(self.open_roots.of_path, folder)
            if open_root is not None:
                await self.announce_root(open_root)

    async def announce_root(self, open_root: OpenRoot, opened: Path | None = None) -> None:
        """Announce a root to the client, check its control files and watch it, once for each root.

        Only the first call for a root does so. It returns when the root's documents are judged; if
        possible, its ledger is indexed by then. `opened` is a file of the root that an editor has
        open, or None; each call also watches the file's directory. The setting `watch` decides
        whether the server or the client watches, or nobody.
        """
        new = open_root not in self._known
        if new:
            self._known[open_root] = ()
            if open_root.session.continued is not None and not self.client.shows_status:
                self.people.show_message(
                    f"intent-lsp: {open_root.session.continued} is still the selected intent"
                )
            self.pages.watch(open_root.governance)
            if open_root.hooks is not None:
                open_root.hooks.person = EditorPerson(self.people, self.choices, open_root)
            await self.hosts.refresh(open_root)
            await self._index(open_root)
            await self.rules_may_have_changed(open_root)
            # Documents that were opened before this root existed.
            await self._find_below(open_root.governance.root)
        if (new or opened is not None) and self.open_roots.settings.watch in ("auto", "server"):
            await self._watch(open_root, opened)
        if new and (watch := self.open_roots.settings.watch) != "off":
            await self._unopened.follow(open_root, watch=watch in ("auto", "server"))

    async def _index(self, open_root: OpenRoot) -> None:
        """Update the index of a root's ledger, which look-ups need, and show the progress.

        An error is logged.
        """
        refresh = open_root.governance.stores.ledger.index.refresh
        async with self.progress.shown(None, "Indexing the ledger") as report:
            try:
                await self.work.in_thread(refresh, report)
            except IntentLspError as problem:
                _log.warning("the ledger cannot be indexed: %s", problem)

    async def attach_again(self) -> None:
        """Find again the roots that govern the workspace folders and the documents.

        Announce those that are new.
        """
        await self.attach_folders()
        documents = self.tracked_documents.all_tracked()
        with self.tracked_documents.showing.held(documents):
            for tracked in documents:
                await self.find_again(tracked)

    async def find_again(self, tracked: TrackedDocument) -> None:
        """Find the root that governs a document again, and announce the root if it is new."""
        await self.tracked_documents.attach_again(tracked)
        if tracked.open_root is not None:
            await self.announce_root(tracked.open_root)

    async def _find_below(self, root: Path) -> None:
        documents = self.tracked_documents.all_tracked()
        with self.tracked_documents.showing.held(documents):
            for tracked in documents:
                path = path_of_uri(tracked.uri)
                if path is not None and relative_to(path, str(root)) is not None:
                    await self.tracked_documents.attach_again(tracked)

    async def _watch(self, open_root: OpenRoot, opened: Path | None) -> None:
        waiting = self._to_watch.setdefault(open_root, set())
        waiting |= {open_root.governance.root} if opened is None else {opened.parent}
        async with self._watch_lane:
            # Setting a watch is slow: directories added meanwhile are set together with this one.
            directories = frozenset(waiting)
            waiting.clear()
            added = await self.work.in_thread(self._watching.add, open_root.governance, directories)
        if added:
            # A change made before the watch was set would otherwise be missed.
            await self.rules_may_have_changed(open_root)
            await self.tracked_documents.look_at_directories(open_root, added)

    async def saved(self, open_root: OpenRoot, judgement: Judgement) -> None:
        """After a save, call `rules_may_have_changed` if it would find a change.

        Rules and active intent are taken from the save's `judgement`, not read again.
        """
        key = await self.work.in_thread(key_of_save, open_root, judgement)
        if self._known.get(open_root) != key:
            await self.rules_may_have_changed(open_root)

    async def rules_may_have_changed(self, open_root: OpenRoot) -> None:
        """Judge a root's documents again if its rules, HEAD, intent, grants or file state changed.

        Then also check its control files and the closed files of its work tree again, and tell the
        client if the status of the root has changed. Do nothing if all of that is as it was at the
        last call for this root.
        """
        async with self._rules_lane:
            # Under a lock, so that states are reported in the order in which they were read.
            status, key = await self.work.in_thread(state_of, open_root)
            if self._known.get(open_root) == key:
                return
            self._known[open_root] = key
        # Once the client knows of the new rules it must not see violations of the old ones.
        self.tracked_documents.outdate(open_root)
        self._messages.announce(open_root, status)
        told = status_wire(status, self.hosts.blind(open_root))
        if self._told.get(open_root) != (said := what_changes(told)):
            self._told[open_root] = said
            self.people.notify(DID_CHANGE, told)
        self.pages.check_root(open_root.governance.root)
        self.outcomes.origins_changed()
        self.outcomes.maps.schedule(open_root)
        # In the background: pruning the journal may take long after a large commit.
        self.work.begin(self.work.in_thread(open_root.governance.tidy))
        await self.tracked_documents.look_at(self.tracked_documents.of_root(open_root))
        self._unopened.schedule(open_root, everything=True)

    async def _hosts_changed(self, open_root: OpenRoot) -> None:
        """Send the client a root's status, with the hosts that did not ask while files changed.

        Send nothing to a client that does not want such notifications.
        """
        async with self._rules_lane:
            # Under the lock, so that no older status follows a newer one.
            status, _ = await self.work.in_thread(state_of, open_root)
            self.people.notify(DID_CHANGE, status_wire(status, self.hosts.blind(open_root)))

    def files_written(self, paths: frozenset[str]) -> None:
        """Schedule an examination of the files at `paths` (absolute), which an agent changed.

        It begins within SEEN_WITHIN seconds, without waiting for a watch to report the files.
        """
        if not self._written:
            self.work.begin(self._look_at_written())
        self._written |= paths

    async def _look_at_written(self) -> None:
        try:
            await self.work.idle_scheduler.wait_until_idle(SEEN_WITHIN)
        finally:
            paths, self._written = self._written, frozenset()
        await self.paths_changed(paths)

    async def settings_changed(self) -> None:
        """Find the governing roots again, and publish all diagnostics by the current settings."""
        await self.attach_again()
        self.tracked_documents.post_all()
        self.pages.check_all()

    async def end(self) -> None:
        """Cancel tasks and watches, wait for work on threads, then close every session and store.

        Before a root's stores are closed, write what is due: audit events, the intent map, and the
        history of intents in the intents file. An intents file with unsaved edits in the editor is
        not written.
        """
        self._watching.end()
        self._unopened.end()
        unsaved = frozenset(
            each for each in self.open_roots.roots if self.tracked_documents.unsaved(each)
        )
        await self.tracked_documents.end()
        await asyncio.to_thread(self.open_roots.close, unsaved)

    async def paths_changed(self, paths: frozenset[str]) -> None:
        """Examine all open roots and some documents again, since files at `paths` have changed.

        The paths are absolute. A document is judged again if one of the paths is that of the
        document or of the directory that contains it. If one of the paths is that of an intents
        file, the roots of all folders and documents are found again.
        """
        if any(path.endswith(f"/{INTENTS_FILE}") for path in paths):
            await self.attach_again()
        for open_root in self.open_roots.roots:
            if paths & {
                f"{open_root.governance.root}/{name}" for name in (LEDGER_FILE, INTENT_MAP)
            }:
                self.outcomes.maps.schedule(open_root)
            if f"{open_root.governance.root}/{LEDGER_FILE}" in paths:
                # Other processes record what their own clients do.
                self.outcomes.origins_changed()
            await self.rules_may_have_changed(open_root)
            self._unopened.schedule(open_root)
        await self.tracked_documents.look_at(
            tracked
            for tracked in self.tracked_documents.all_tracked()
            if (path := path_of_uri(tracked.uri)) is not None
            and paths & {path, str(Path(path).parent)}
        )
