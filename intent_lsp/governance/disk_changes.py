"""Changes on disk that nobody has told of: noticed, told from git's own, recorded (section 7).

Invariant: a content that a record, the server or git accounts for has no record here.
Invariant: recorded inside the root's lock, so that two servers on one root record a change once.
"""

import logging
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from intent_lsp.core.content import ContentHash
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import AGENT, UNKNOWN_CONTRIBUTOR, Record
from intent_lsp.core.tickets import Ticket
from intent_lsp.governance.contents import Contents
from intent_lsp.governance.disk_events import Author, DiskChange, record_change
from intent_lsp.governance.judging import Judging, Reading
from intent_lsp.governance.sessions import Session
from intent_lsp.governance.stores import Stores
from intent_lsp.governance.tree_account import TreeAccount, TreeLook
from intent_lsp.store.ledger import Appended, Queued
from intent_lsp.store.places import Place, real_relative
from intent_lsp.store.root_lock import RootLock, holding
from intent_lsp.store.tree_files import Held, TreeFiles

_log: Final = logging.getLogger(__name__)

COMMAND_AWAITED_FOR: Final = timedelta(minutes=10)
"""How long a change waits for the end of a command that may have made it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedChange:
    """A change that was recorded, or whose record waits for the ledger (`queued`: why)."""

    path: WorkspacePath
    record: Record | None = None
    queued: str | None = None


@dataclass(frozen=True, slots=True)
class DiskNews:
    """What was recorded, and whether changes wait for an agent to tell of them."""

    recorded: tuple[RecordedChange, ...] = ()
    waiting: bool = False


class DiskChanges:
    """Notices and records the changes of one root's files.

    Without a commit they are changes of what the first look found; without a repository nothing is
    noticed. Methods may be called from any thread.
    """

    def __init__(
        self, *, stores: Stores, contents: Contents, judging: Judging, lock: RootLock | None
    ) -> None:
        self._stores = stores
        self._judging = judging
        self._root_lock = lock
        self._account = TreeAccount(stores, contents)
        self._lock = threading.Lock()
        self._awaited: dict[WorkspacePath, tuple[Ticket, ContentHash | None]] = {}

    def look(self) -> TreeLook | None:
        """Look at the work tree; what the first look finds needs no account. None: it cannot be."""
        with self._lock:
            return self._account.look()

    def record(self, session: Session, saving: Collection[WorkspacePath] = ()) -> DiskNews:
        """Record what nobody accounts for, under the session of whoever changed it.

        That is an agent whose call was open; else nobody knows who, and it is `session` that saw
        it. While git is at work, while an agent may still tell, while records wait for the ledger,
        and while an editor saves (`saving` are its files), changes wait.
        """
        with self._lock:
            git = self._stores.git
            if git is None or git.operation_in_progress() or not self._all_is_recorded():
                return DiskNews(waiting=git is not None)
            changed = self._account.unaccounted()
            waiting = self._waiting(changed).union(saving)
            files = TreeFiles(self._stores.root)
            found = [
                self._record(session, files, path, hash_)
                for path, hash_ in changed.items()
                if path not in waiting
            ]
            self._account.done()
            recorded = tuple(each for each in found if each is not None)
            return DiskNews(recorded, not waiting.isdisjoint(changed))

    def _all_is_recorded(self) -> bool:
        """Whether no record waits for the ledger, which may be of what would be recorded here."""
        try:
            self._stores.ledger.drain()
        except IntentLspError as problem:
            _log.warning("changes on disk wait for the ledger: %s", problem)
            return False
        return True

    def _waiting(self, changed: Mapping[WorkspacePath, ContentHash | None]) -> set[WorkspacePath]:
        """List the files that a call may have changed which is open, and will tell of them."""
        state, at = self._stores.state, self._stores.clock()
        self._awaited = {p: each for p, each in self._awaited.items() if p in changed}
        if state is None or not changed:
            return set()
        command = next(iter(state.tickets.open_commands(at - COMMAND_AWAITED_FOR)), None)
        waiting = set()
        for path, hash_ in changed.items():
            ticket = state.tickets.over(path, at) or command
            if ticket is not None:
                self._awaited[path] = (ticket, hash_)
                waiting.add(path)
        return waiting

    def _record(
        self, session: Session, files: TreeFiles, path: WorkspacePath, hash_: ContentHash | None
    ) -> RecordedChange | None:
        place, author = real_relative(self._stores.root, path), self._author(session, path, hash_)
        if place is None:
            return None
        with holding(self._root_lock):
            held = _held(files, path)
            if held is None or held.hash != hash_ or self._is_claimed(path):
                # It has moved on, or is about to, and will be looked at again.
                return None
            if not self._all_is_recorded():
                return None
            change = DiskChange(path=path, old=self._account.old(path), new=hash_, data=held.data)
            outcome = self._recorded(change, author, place)
        self._account.settle(path)
        if isinstance(outcome, Appended):
            return RecordedChange(path=path, record=outcome.record)
        return None if outcome is None else RecordedChange(path=path, queued=outcome.reason)

    def _is_claimed(self, path: WorkspacePath) -> bool:
        """Whether an agent writes the file by now, and will tell of it."""
        state = self._stores.state
        return state is not None and state.tickets.over(path, self._stores.clock()) is not None

    def _recorded(
        self, change: DiskChange, author: Author, place: Place
    ) -> Appended | Queued | None:
        """Judge and record a change, unless another server has recorded it meanwhile."""
        if self._account.is_recorded(change.path, change.new):
            return None
        reading = Reading(read=change.new, disk=change.new)
        judgement = self._judging.judge(author.session_id, place, reading)
        verdict = judgement.verdict
        if verdict is None:
            return None
        return record_change(self._stores, change, author, judgement, verdict)

    def _author(self, session: Session, path: WorkspacePath, hash_: ContentHash | None) -> Author:
        ticket, seen = self._awaited.get(path, (None, None))
        if ticket is None or seen != hash_:
            return Author(session_id=session.id, contributor=UNKNOWN_CONTRIBUTOR)
        contributor, state = AGENT, self._stores.state
        voice = None if state is None else state.notes.voice(ticket.session_id, ticket.agent_id)
        if voice is not None and voice.model is not None:
            contributor = replace(AGENT, model_identifier=voice.model)
        return Author(
            session_id=ticket.session_id, agent_id=ticket.agent_id, contributor=contributor
        )


def _held(files: TreeFiles, path: WorkspacePath) -> Held | None:
    try:
        return files.held(path)
    except OSError as problem:
        _log.warning("%s cannot be recorded: %s", path, problem)
        return None
