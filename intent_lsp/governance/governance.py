"""The desk of one governed root: every question passes here, from whatever door.

Invariant: every method may wait on disk, git or SQLite, so that doors call it from a thread.
Invariant: no state at module level; two desks of one root see the same files and stores.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from intent_lsp import __version__
from intent_lsp.core.errors import IntentLspError, StateUnavailableError
from intent_lsp.core.gate.explain import ExplainedRow
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import INTENTS_FILE, WorkspacePath
from intent_lsp.core.records import Contributor
from intent_lsp.core.scope.index import Ownership
from intent_lsp.governance.calls.apply import CallApplier
from intent_lsp.governance.calls.authorize import CallAuthorizer
from intent_lsp.governance.calls.call_audit import CallAudit
from intent_lsp.governance.calls.calls import AgentCalls
from intent_lsp.governance.calls.recorder import CallRecorder, Outcome
from intent_lsp.governance.calls.unended_commands import UnendedCommands
from intent_lsp.governance.calls.verification_runs import VerificationRuns
from intent_lsp.governance.calls.violations import Violations
from intent_lsp.governance.contents.contents import Contents
from intent_lsp.governance.disk.disk_changes import DiskChanges
from intent_lsp.governance.disk.tree_snapshots import TreeLooks
from intent_lsp.governance.disk.work_tree import WorkTree
from intent_lsp.governance.grants import Grants
from intent_lsp.governance.intents_writer import IntentsWriter
from intent_lsp.governance.judging.file_snapshot import OpenFileStates
from intent_lsp.governance.judging.save_judge import Judgement, SaveJudge
from intent_lsp.governance.ledger.authors import Authors
from intent_lsp.governance.ledger.blame import FileBlame
from intent_lsp.governance.ledger.open_ledger import governed_ledger
from intent_lsp.governance.ledger.reader import LedgerReader
from intent_lsp.governance.ledger.recovery import Recovery
from intent_lsp.governance.plan.checkout import Checkout
from intent_lsp.governance.plan.planning import Planner
from intent_lsp.governance.plan.scope_checks import ScopeChecks
from intent_lsp.governance.rules import FileState, Rules, RulesCache
from intent_lsp.governance.saves.file_operations import FileOperations
from intent_lsp.governance.saves.saves import Saves
from intent_lsp.governance.sessions import CHECKOUT_REQUIRED, Session, Sessions
from intent_lsp.governance.stores import Stores
from intent_lsp.governance.views.audit_log import AuditLog
from intent_lsp.governance.views.deferred import DeferredQueue
from intent_lsp.governance.views.history import History
from intent_lsp.governance.views.intent_map import IntentMap
from intent_lsp.governance.views.lessons import Lessons
from intent_lsp.store import clock
from intent_lsp.store.fs.local_dir import open_local_directory
from intent_lsp.store.fs.resolve import ResolvedPath, resolve_below
from intent_lsp.store.git.repository import Git
from intent_lsp.store.ledger.archiving_advice import recommend_archiving
from intent_lsp.store.locks.root_lock import RootLock
from intent_lsp.store.locks.session_lock import SessionLocks
from intent_lsp.store.state.blob_cache import BlobCache
from intent_lsp.store.state.drafts import Drafts
from intent_lsp.store.state.sessions_db import SessionDb, SessionRow

_log: Final = logging.getLogger(__name__)

GATE_LOCK: Final = "gate.lock"
FILE_LOCK: Final = "intents.lock"


@dataclass(frozen=True, slots=True, kw_only=True)
class GovernanceStatus:
    """How a root and a session stand (protocol section 2, `Status`).

    `failures` counts the calls that this process could not judge; `polling` says why the system
    cannot tell of changes on disk, so that they are looked for again and again.
    """

    root: str | None
    enabled: bool
    file_state: FileState
    reason: str | None
    session_id: str
    active_intent_id: str | None
    stage: str
    turn: int
    enforcement: str
    records: int
    heads: tuple[str, ...]
    failures: int = 0
    polling: str | None = None
    version: str = __version__


class Governance:
    """The desk of one governed root.

    `patient`: what is told of judged calls waits until `untold.tell` is called, so that nobody
    waits for it; else it is told before a judgement is given.
    """

    def __init__(self, root: Path, *, patient: bool = False) -> None:
        self.root = root
        self.unreported = DeferredQueue(patient=patient)
        self._polling: dict[str, str] = {}
        self.rules = RulesCache(root)
        local = open_local_directory(root)
        self.stores = Stores(
            root=root,
            git=Git.open(root),
            ledger=governed_ledger(root, self.rules),
            state=None if local is None else SessionDb(local, in_memory_meanwhile=True),
            drafts=Drafts(root),
            snapshots=BlobCache(root),
            clock=clock.now,
            new_id=clock.new_id,
        )
        self.sessions = Sessions(self.stores, None if local is None else SessionLocks(local))
        self.contents = Contents(self.stores)
        self.tracing = LedgerReader(self.stores.ledger, self.rules)
        self.blaming = FileBlame(root, self.stores.ledger.index)
        self.authors = Authors(root, self.rules, self.stores.state)
        self.recovering = Recovery(root, self.stores.ledger, self.stores.git)
        self.scope_checks = ScopeChecks(self.stores, self.rules.current().spelling)
        gate_lock, file_lock = (
            None if local is None else RootLock(local / name) for name in (GATE_LOCK, FILE_LOCK)
        )
        self._writer = IntentsWriter(self.stores, file_lock)
        self.history = History(
            stores=self.stores, rules=self.rules, writer=self._writer, unreported=self.unreported
        )
        self._lessons = Lessons(self.stores)
        self.audit_log = AuditLog(
            stores=self.stores,
            rules=self.rules,
            history=self.history,
            lessons=self._lessons,
        )
        self.intent_map = IntentMap(stores=self.stores, rules=self.rules)
        news = CallAudit(stores=self.stores, audit_log=self.audit_log, unreported=self.unreported)
        self.grants = Grants(self.stores, self.rules)
        judging = self._judging = SaveJudge(
            stores=self.stores,
            rules=self.rules,
            sessions=self.sessions,
            contents=self.contents,
            grants=self.grants,
        )
        self.looks = OpenFileStates(stores=self.stores, judging=judging, contents=self.contents)
        looks = TreeLooks(self.root, self.stores.git, self.contents, self.stores.clock)
        self.disk_changes = DiskChanges(
            stores=self.stores,
            contents=self.contents,
            judging=judging,
            lock=gate_lock,
            looks=looks,
        )
        work_tree = WorkTree(self.stores, self.contents, looks)
        recording = CallRecorder(
            stores=self.stores,
            rules=self.rules,
            contents=self.contents,
            grants=self.grants,
            work_tree=work_tree,
            foreign=self.disk_changes,
        )
        self.saves = Saves(
            stores=self.stores,
            judging=judging,
            contents=self.contents,
            audit_log=self.audit_log,
            recording=recording,
        )
        self.file_operations = FileOperations(
            stores=self.stores,
            judging=judging,
            contents=self.contents,
            audit_log=self.audit_log,
            disk=self.disk_changes,
        )
        self.violations = Violations(self.stores, self.rules, self.contents)
        self.verifying = VerificationRuns(
            stores=self.stores,
            sessions=self.sessions,
            recording=recording,
            audit_log=self.audit_log,
            news=news,
            lock=gate_lock,
        )
        self._unended = UnendedCommands(
            stores=self.stores,
            work_tree=work_tree,
            recording=recording,
            news=news,
            lock=gate_lock,
        )
        self.calls = AgentCalls(
            stores=self.stores,
            rules=self.rules,
            sessions=self.sessions,
            admitting=CallAuthorizer(
                stores=self.stores,
                contents=self.contents,
                grants=self.grants,
                work_tree=work_tree,
            ),
            recording=recording,
            applying=CallApplier(stores=self.stores, contents=self.contents),
            unended=self._unended,
            news=news,
            lock=gate_lock,
        )
        self.checkout = Checkout(
            stores=self.stores,
            rules=self.rules,
            sessions=self.sessions,
            contents=self.contents,
            writer=self._writer,
            history=self.history,
        )
        self.planning = Planner(
            stores=self.stores, rules=self.rules, sessions=self.sessions, writer=self._writer
        )

    def open_editor(self, wanted: str | None, contributor: Contributor) -> Session:
        """Begin the session of an editor's connection, and its baseline.

        What changes on disk from now on is a change.
        """
        intents = self.rules.current().file.intents
        session = self.sessions.open_editor(wanted, contributor, intents)
        state = self.stores.state
        look = self.disk_changes.look()
        if state is None or not state.has_baseline(session.id):
            self.contents.begin_baseline(session.id, None if look is None else look.seen)
        self._clear_up()
        return session

    def _clear_up(self) -> None:
        """Append what an earlier session could not, and forget drafts that are too old."""
        self.stores.drafts.prune(self.stores.clock())
        try:
            # Those of a server that was killed, too.
            self.stores.ledger.end_runs()
        except IntentLspError as problem:
            _log.warning("records still wait for the ledger: %s", problem)

    def note_polling(self, what: str, why: str | None) -> None:
        """Note why changes of a part are looked for again and again; None: the system tells."""
        if why is None:
            self._polling.pop(what, None)
        else:
            self._polling[what] = why

    def tidy(self) -> None:
        """Shorten the journal by what a commit holds, and recommend archiving where it is time."""
        self.recovering.prune()
        recommend_archiving(self.root, self.stores.clock)

    def begin_turn(self, session_id: str, agent_id: str) -> tuple[SessionRow, tuple[Outcome, ...]]:
        """Begin an agent's next turn; what its open commands have changed is recorded."""
        ended = self._unended.end(session_id, agent_id)
        return self.sessions.begin_turn(session_id, agent_id), ended

    def close(self, session: Session | None) -> None:
        """End the session and let go of every store; what is untold is told."""
        self.unreported.write()
        self.saves.end_runs()
        if session is not None:
            self._unended.end(session.id, "")
            self.sessions.end(session.id)
        self.calls.close()
        self._writer.close()
        self._lessons.close()
        self.stores.ledger.close()
        if self.stores.state is not None:
            self.stores.state.close()

    def status(
        self, session_id: str, rules: Rules | None = None, agent_id: str = ""
    ) -> GovernanceStatus:
        """Tell how the root and a session stand, by these rules, else by those of now.

        What was judged before is told by then.
        """
        self.unreported.write()
        rules = rules or self.rules.current()
        row = self._row(session_id, agent_id, rules)
        state, reason = rules.state, rules.reason
        if rules.governed and (problem := self.stores.problem()) is not None:
            state, reason = FileState.UNAVAILABLE, problem
        return GovernanceStatus(
            root=str(self.root),
            enabled=rules.governed,
            file_state=state,
            reason=reason,
            session_id=session_id,
            active_intent_id=None if row is None else row.active_intent,
            stage=CHECKOUT_REQUIRED if row is None else row.stage,
            turn=1 if row is None else row.turn,
            enforcement=rules.policy.enforcement.value,
            records=self.stores.past.count(),
            heads=self.stores.past.heads(),
            failures=self.calls.failures,
            polling=next(iter(tuple(self._polling.values())), None),
        )

    def owners(self, path: WorkspacePath) -> tuple[Ownership, ...]:
        """Tell every intent that owns a path, whatever its status, in file order."""
        rules = self.rules.current()
        return rules.owners(path) if rules.governed else ()

    def explain_save(
        self, session_id: str, path: WorkspacePath
    ) -> tuple[tuple[ExplainedRow, ...], Judgement]:
        """Tell every row of the gate on a save of a file, and what it would say."""
        place = resolve_below(self.root, path) or ResolvedPath(path, None)
        return self._judging.explain(session_id, place)

    def explain_save_under(
        self, intent_id: str, path: WorkspacePath
    ) -> tuple[tuple[ExplainedRow, ...], Judgement]:
        """Tell what `explain_save` would tell a session that has selected an intent."""
        # Sessions without a memory: what is only supposed here is chosen nowhere.
        sessions = Sessions(replace(self.stores, state=None), None)
        session = sessions.open_agent(self.stores.new_id())
        sessions.choose(session.id, intent_id)
        judging = SaveJudge(
            stores=self.stores,
            rules=self.rules,
            sessions=sessions,
            contents=self.contents,
            grants=self.grants,
        )
        return judging.explain(
            session.id, resolve_below(self.root, path) or ResolvedPath(path, None)
        )

    def prepare(self) -> None:
        """Build the index of all scopes, which the first judgement would have to wait for."""
        self.owners(INTENTS_FILE)

    def open_intents(self) -> Sequence[Intent]:
        """List the intents that can be selected, the most recently used first."""
        rules = self.rules.current()
        usable = [i for i in rules.file.intents if _selectable(i, rules)]
        state = self.stores.state
        recent = [] if state is None else list(state.recent_intents(len(usable)))
        order = {intent_id: place for place, intent_id in enumerate(recent)}
        return sorted(usable, key=lambda intent: order.get(intent.id, len(order)))

    def _row(self, session_id: str, agent_id: str, rules: Rules) -> SessionRow | None:
        try:
            return self.sessions.row(session_id, agent_id)
        except StateUnavailableError:
            if rules.governed:
                raise
            # Whoever took the rules away may have taken all that was remembered with them.
            return None


def _selectable(intent: Intent, rules: Rules) -> bool:
    return not intent.status.closed and intent.id not in rules.ignored
