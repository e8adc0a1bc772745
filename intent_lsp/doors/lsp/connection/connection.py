"""One connection: its workplace, its person, its client, and what they are attached to.

Invariant: whatever may have changed the rules is followed by one look at what they govern.
"""

import asyncio
import logging
from pathlib import Path
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.paths import INTENT_MAP, INTENTS_FILE, LEDGER_FILE, path_of_uri, relative_to
from intent_lsp.doors.lsp.connection.client_ui import People
from intent_lsp.doors.lsp.connection.disk_monitor import Unopened
from intent_lsp.doors.lsp.connection.grant_tokens import Tokens
from intent_lsp.doors.lsp.connection.intent_selection import Choices
from intent_lsp.doors.lsp.connection.progress import Progress
from intent_lsp.doors.lsp.connection.record_notifier import Outcomes
from intent_lsp.doors.lsp.connection.rules_watcher import Watching
from intent_lsp.doors.lsp.diagnostics.control_files import ControlPages
from intent_lsp.doors.lsp.diagnostics.lsp_convert import Spelling
from intent_lsp.doors.lsp.diagnostics.tracked_document import Tracked
from intent_lsp.doors.lsp.diagnostics.tracked_documents import Workplace
from intent_lsp.doors.lsp.runtime.client_capabilities import Client
from intent_lsp.doors.lsp.runtime.open_root import Attached
from intent_lsp.doors.lsp.runtime.open_roots import Desks
from intent_lsp.doors.lsp.wire.common import Wire, status_wire
from intent_lsp.governance.governance import DeskStatus
from intent_lsp.governance.rules import FileState
from intent_lsp.store import clock

_log: Final = logging.getLogger(__name__)

UNAVAILABLE: Final = (
    "intent-lsp: the state of sessions in {} is kept in memory only: {}. Edits are still checked;"
    " once that is fixed, it is saved again within seconds."
)

DID_CHANGE: Final = "intent/didChange"

SEEN_WITHIN: Final = 0.5
"""Seconds within which files that an agent has changed are looked at."""


class Connection:
    """Everything that one initialized connection works with."""

    def __init__(  # noqa: PLR0913 - each is a part of the connection
        self,
        *,
        client: Client,
        desks: Desks,
        people: People,
        spelling: Spelling,
        workplace: Workplace,
        progress: Progress,
        pages: ControlPages,
    ) -> None:
        self.client = client
        self.desks = desks
        self.people = people
        self.spelling = spelling
        self.workplace = workplace
        self._progress = progress
        self.pages = pages
        self._known: dict[Attached, tuple[object, ...]] = {}
        self._told: dict[Attached, tuple[object, ...]] = {}
        self._states: dict[Attached, FileState] = {}
        self._watching = Watching(self.paths_changed)
        self._watch_lane = asyncio.Lock()
        self._rules_lane = asyncio.Lock()
        self._written: frozenset[str] = frozenset()
        self._to_watch: dict[Attached, set[Path]] = {}
        self.tokens = Tokens(clock.now)
        self.outcomes = Outcomes(workplace, people, self.rules_may_have_changed)
        self._unopened = Unopened(workplace, self.outcomes)
        self.choices = Choices(workplace, self.outcomes, self.rules_may_have_changed)

    async def attach_folders(self) -> None:
        """Attach to what governs the workspace folders, so that problems show at once."""
        for folder in self.desks.folders:
            attached = await self.workplace.work.in_thread(self.desks.of_path, folder)
            if attached is not None:
                await self.attached(attached)

    async def attached(self, attached: Attached, opened: Path | None = None) -> None:
        """Take up a root: say what goes on, check its control files, watch it.

        `opened` is a file of it that an editor has open: its directory is watched, too.
        """
        new = attached not in self._known
        if new:
            self._known[attached] = ()
            if attached.session.continued is not None and not self.client.shows_status:
                self.people.tell(f"intent-lsp: continuing {attached.session.continued}")
            self.pages.watch(attached.desk.root, attached.desk)
            await self._index(attached)
            await self.rules_may_have_changed(attached)
            # What was opened before anybody governed it.
            await self._find_below(attached.desk.root)
        if (new or opened is not None) and self.desks.settings.watch in ("auto", "server"):
            await self._watch(attached, opened)
        if new and (watch := self.desks.settings.watch) != "off":
            await self._unopened.follow(attached, watch=watch in ("auto", "server"))

    async def _index(self, attached: Attached) -> None:
        """Bring the index of a root's ledger up to date, which everything else asks."""
        refresh = attached.desk.stores.ledger.index.refresh
        async with self._progress.shown(None, "Indexing the ledger") as report:
            try:
                await self.workplace.work.in_thread(refresh, report)
            except IntentLspError as problem:
                _log.warning("the ledger cannot be indexed: %s", problem)

    async def attach_again(self) -> None:
        """Find out anew who governs the folders and the documents."""
        await self.attach_folders()
        documents = self.workplace.all_tracked()
        with self.workplace.showing.held(documents):
            for tracked in documents:
                await self.find_again(tracked)

    async def find_again(self, tracked: Tracked) -> None:
        """Find out anew who governs one document."""
        await self.workplace.attach_again(tracked)
        if tracked.attached is not None:
            await self.attached(tracked.attached)

    async def _find_below(self, root: Path) -> None:
        documents = self.workplace.all_tracked()
        with self.workplace.showing.held(documents):
            for tracked in documents:
                path = path_of_uri(tracked.uri)
                if path is not None and relative_to(path, str(root)) is not None:
                    await self.workplace.attach_again(tracked)

    async def _watch(self, attached: Attached, opened: Path | None) -> None:
        waiting = self._to_watch.setdefault(attached, set())
        waiting |= {attached.desk.root} if opened is None else {opened.parent}
        async with self._watch_lane:
            # Setting a watch takes its time: those that came meanwhile are set with this one.
            directories = frozenset(waiting)
            waiting.clear()
            added = await self.workplace.work.in_thread(
                self._watching.add, attached.desk, directories
            )
        if added:
            # What changed before the watch was set is seen now.
            await self.rules_may_have_changed(attached)
            await self.workplace.look_at_directories(attached, added)

    async def rules_may_have_changed(self, attached: Attached) -> None:
        """Look again at a root's documents if its rules, HEAD or active intent moved."""
        async with self._rules_lane:
            # What was read first is told first.
            status, key = await self.workplace.work.in_thread(_state_of, attached)
            if self._known.get(attached) == key:
                return
            self._known[attached] = key
        # Who is told of other rules is shown nothing more by the old ones.
        self.workplace.outdate(attached)
        self._tell_of_governance(attached, status)
        told = status_wire(status)
        if self._told.get(attached) != (said := _what_changes(told)):
            self._told[attached] = said
            self.people.notify(DID_CHANGE, told)
        self.pages.check_root(attached.desk.root)
        self.outcomes.origins_changed()
        self.outcomes.maps.stir(attached)
        # Nobody waits for the journal, and a commit's ledger may be large.
        self.workplace.work.begin(self.workplace.work.in_thread(attached.desk.tidy))
        await self.workplace.look_at_root(attached)
        self._unopened.stir(attached, everything=True)

    def files_written(self, paths: frozenset[str]) -> None:
        """Look again at files that an agent has changed, without waiting for a watcher."""
        if not self._written:
            self.workplace.work.begin(self._look_at_written())
        self._written |= paths

    async def _look_at_written(self) -> None:
        try:
            await self.workplace.work.lulls.lull(SEEN_WITHIN)
        finally:
            paths, self._written = self._written, frozenset()
        await self.paths_changed(paths)

    async def settings_changed(self) -> None:
        """Show everything again by the settings as they are now."""
        await self.attach_again()
        self.workplace.post_all()
        self.pages.check_all()

    async def end(self) -> None:
        """End what is under way, every session and every store."""
        self._watching.end()
        self._unopened.end()
        unsaved = frozenset(each for each in self.desks.attached if self.workplace.unsaved(each))
        await self.workplace.end()
        await asyncio.to_thread(self.desks.close, unsaved)

    def _tell_of_governance(self, attached: Attached, status: DeskStatus) -> None:
        """Say once that governance went off, and that it is on again."""
        former = self._states.get(attached, FileState.OK)
        self._states[attached] = status.file_state
        if status.file_state is former:
            return
        if status.file_state is FileState.OK:
            self.people.tell(f"intent-lsp: governance of {attached.desk.root} is on again")
            return
        if status.file_state is FileState.UNAVAILABLE:
            said = UNAVAILABLE.format(attached.desk.root, status.reason)
            _log.warning("%s", said)
            self.people.warn(said)
            return
        said = f"intent-lsp: governance of {attached.desk.root} is OFF: {status.reason}"
        _log.warning("%s", said)
        self.people.tell(said, lsp.MessageType.Warning)

    async def paths_changed(self, paths: frozenset[str]) -> None:
        """Look again at what may have changed on disk."""
        if any(path.endswith(f"/{INTENTS_FILE}") for path in paths):
            await self.attach_again()
        for attached in self.desks.attached:
            if paths & {f"{attached.desk.root}/{name}" for name in (LEDGER_FILE, INTENT_MAP)}:
                self.outcomes.maps.stir(attached)
            await self.rules_may_have_changed(attached)
            self._unopened.stir(attached)
        await self.workplace.look_at(
            tracked
            for tracked in self.workplace.all_tracked()
            if (path := path_of_uri(tracked.uri)) is not None
            and paths & {path, str(Path(path).parent)}
        )


def _what_changes(told: Wire) -> tuple[object, ...]:
    """Give what `intent/didChange` tells of; a grown ledger is told by `intent/didTrace`."""
    return tuple(
        value for name, value in told.items() if name not in ("records", "heads", "failures")
    )


def _state_of(attached: Attached) -> tuple[DeskStatus, tuple[object, ...]]:
    desk = attached.desk
    # Read once: a state and a version of two different moments would hide the change between them.
    rules = desk.rules.current()
    status = desk.status(attached.session.id, rules)
    head = desk.stores.git.head_commit() if desk.stores.git is not None else None
    intent = rules.active(status.active_intent_id)
    grants = () if intent is None else desk.grants.live(intent, desk.stores.clock())
    kept = status.file_state, status.reason
    return status, (rules.version, head, status.active_intent_id, grants, kept)
