"""Wiring of one governed root: builds its parts and hands each the parts that it needs.

Invariant: whatever judges or records uses the gate lock; edits of the intents file use another.
"""

from pathlib import Path
from typing import Final

from intent_lsp.governance.calls.authorize import CallAuthorizer
from intent_lsp.governance.calls.call_answers import Violations
from intent_lsp.governance.calls.call_audit import CallAudit
from intent_lsp.governance.calls.call_changes import CallChanges
from intent_lsp.governance.calls.call_events import CallEvents
from intent_lsp.governance.calls.call_judging import CallJudging
from intent_lsp.governance.calls.calls import AgentCalls
from intent_lsp.governance.calls.recorder import CallRecorder
from intent_lsp.governance.calls.unended_commands import UnendedCommands
from intent_lsp.governance.contents.contents import Contents
from intent_lsp.governance.disk.disk_changes import DiskChanges
from intent_lsp.governance.disk.tree_snapshots import TreeLooks
from intent_lsp.governance.disk.watch_events import WatchEvents
from intent_lsp.governance.disk.work_tree import WorkTree
from intent_lsp.governance.judging.call_facts import CallFactsOf
from intent_lsp.governance.judging.file_snapshot import OpenFileStates
from intent_lsp.governance.judging.save_judge import SaveJudge
from intent_lsp.governance.ledger.blame import Authors, FileBlame
from intent_lsp.governance.ledger.reader import LedgerReader, governed_ledger
from intent_lsp.governance.ledger.recovery import Recovery
from intent_lsp.governance.plan.checkout import Checkout
from intent_lsp.governance.plan.planning import Planner
from intent_lsp.governance.plan.tree_listing import TreeListing
from intent_lsp.governance.root.asking_agents import HeardHosts, SessionHandles
from intent_lsp.governance.root.grants import Grants
from intent_lsp.governance.root.intents_writer import IntentsWriter
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.governance.root.sessions import Sessions
from intent_lsp.governance.root.stores import Stores
from intent_lsp.governance.saves.file_operations import FileOperations
from intent_lsp.governance.saves.saves import Saves
from intent_lsp.governance.views.audit_log import AuditLog, Lessons
from intent_lsp.governance.views.history import DeferredQueue, History
from intent_lsp.governance.views.intent_map import IntentMap
from intent_lsp.store import clock
from intent_lsp.store.fs.local_dir import open_local_directory
from intent_lsp.store.locks.root_lock import RootLock
from intent_lsp.store.locks.session_lock import SessionLocks
from intent_lsp.store.state.blob_cache import BlobCache
from intent_lsp.store.state.drafts import Drafts
from intent_lsp.store.state.sessions_db import SessionDb

GATE_LOCK: Final = "gate.lock"
FILE_LOCK: Final = "intents.lock"


class RootParts:
    """The parts of one governed root, as attributes.

    `patient`: audit events of judged calls wait until `unreported.write` is called, else each is
    written at once.
    """

    def __init__(self, root: Path, *, patient: bool = False) -> None:
        self.root = root
        self.unreported = DeferredQueue(patient=patient)
        self.rules = RulesCache(root)
        local = open_local_directory(root)
        self.stores = _stores(root, self.rules, local)
        self.sessions = Sessions(self.stores, None if local is None else SessionLocks(local))
        self.handles = SessionHandles(self.stores)
        self.heard = HeardHosts(self.stores)
        self.contents = Contents(self.stores)
        self.grants = Grants(self.stores)
        file_lock = None if local is None else RootLock(local / FILE_LOCK)
        self.writer = IntentsWriter(self.stores, file_lock)
        self._make_readers()
        self._make_views()
        self._make_plan()
        self._make_judges()
        looks = TreeLooks(root, lambda: self.stores.git, self.contents, self.stores.clock)
        self.disk_changes = DiskChanges(stores=self.stores, judging=self._judging, looks=looks)
        self.watch_events = WatchEvents(stores=self.stores, last=self.disk_changes.last)
        self._make_saves()
        self._make_calls(WorkTree(self.stores, self.contents, looks))

    def _make_readers(self) -> None:
        """Build the parts that read the ledger."""
        self.tracing = LedgerReader(self.stores.ledger, self.rules)
        self.blaming = FileBlame(self.root, self.stores.ledger.index)
        self.authors = Authors(self.root, self.rules, self.stores.state)
        self.recovering = Recovery(self.root, self.stores.ledger, lambda: self.stores.git)

    def _make_views(self) -> None:
        """Build the parts that write the history, lessons, audit log and intent map."""
        self.history = History(stores=self.stores, writer=self.writer, unreported=self.unreported)
        self._lessons = Lessons(self.stores)
        self.audit_log = AuditLog(stores=self.stores, history=self.history, lessons=self._lessons)
        self.intent_map = IntentMap(self.stores)

    def _make_plan(self) -> None:
        """Build the parts with which people and agents select and change intents."""
        self.listing = TreeListing(self.stores, self.rules.current().spelling)
        self.checkout = Checkout(
            stores=self.stores,
            sessions=self.sessions,
            contents=self.contents,
            writer=self.writer,
            history=self.history,
        )
        self.planning = Planner(stores=self.stores, sessions=self.sessions, writer=self.writer)

    def _make_judges(self) -> None:
        """Build the parts that judge files."""
        self._judging = SaveJudge(
            stores=self.stores, sessions=self.sessions, contents=self.contents, grants=self.grants
        )
        self.looks = OpenFileStates(self._judging)
        self.violations = Violations(self.stores, self.contents)

    def _make_saves(self) -> None:
        """Build the parts that record the edits of people."""
        self.saves = Saves(states=self.looks, audit_log=self.audit_log)
        self.file_operations = FileOperations(
            judging=self._judging, audit_log=self.audit_log, disk=self.disk_changes
        )

    def _make_calls(self, work_tree: WorkTree) -> None:
        """Build the parts that judge and record the calls of agents."""
        audit = CallAudit(stores=self.stores, audit_log=self.audit_log, unreported=self.unreported)
        changes = CallChanges(
            events=CallEvents(stores=self.stores, contents=self.contents),
            grants=self.grants,
            work_tree=work_tree,
            foreign=self.disk_changes.foreign,
        )
        recording = CallRecorder(self.stores, changes, self.disk_changes)
        self.commands = UnendedCommands(
            stores=self.stores,
            sessions=self.sessions,
            work_tree=work_tree,
            recording=recording,
            audit=audit,
        )
        facts = CallFactsOf(stores=self.stores, contents=self.contents, grants=self.grants)
        admitting = CallAuthorizer(
            stores=self.stores, contents=self.contents, work_tree=work_tree, facts=facts
        )
        judging = CallJudging(
            stores=self.stores, sessions=self.sessions, admitting=admitting, commands=self.commands
        )
        self.calls = AgentCalls(
            stores=self.stores, contents=self.contents, judging=judging, commands=self.commands
        )


def _stores(root: Path, rules: RulesCache, local: Path | None) -> Stores:
    return Stores(
        root=root,
        rules=rules,
        ledger=governed_ledger(root, rules),
        state=None if local is None else SessionDb(local, in_memory_meanwhile=True),
        drafts=Drafts(root),
        snapshots=BlobCache(root),
        clock=clock.now,
        new_id=clock.new_id,
        gate_lock=None if local is None else RootLock(local / GATE_LOCK),
    )
