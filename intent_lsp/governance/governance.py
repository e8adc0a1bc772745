"""Governance of one root: every question passes here, from whatever door.

Invariant: every method may wait on disk, git or SQLite, so that doors call it from a thread.
Invariant: no state at module level; two of one root see the same files and stores.
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
from intent_lsp.governance.calls.outcome import Outcome
from intent_lsp.governance.judging.save_judge import Judgement, SaveJudge
from intent_lsp.governance.parts import RootParts
from intent_lsp.governance.root.rules import FileState, Rules
from intent_lsp.governance.root.sessions import CHECKOUT_REQUIRED, Session, Sessions
from intent_lsp.store.fs.resolve import ResolvedPath, resolve_below
from intent_lsp.store.ledger.archiving_advice import recommend_archiving
from intent_lsp.store.state.sessions_db import SessionRow

_log: Final = logging.getLogger(__name__)


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


class Governance(RootParts):
    """Answers every question about one root.

    `patient`: what is said of judged calls waits until `unreported.write` is called, so that nobody
    waits for it; else it is said before a judgement is given.
    """

    def __init__(self, root: Path, *, patient: bool = False) -> None:
        super().__init__(root, patient=patient)
        self._polling: dict[str, str] = {}

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
