"""Governance of one root: the entry point through which every door asks and records.

Invariant: every method may wait on disk, git or SQLite, so doors call it from a thread.
Invariant: no state at module level; two objects for the same root share only its files.
"""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp import __version__
from intent_lsp.core.errors import IntentLspError, StateUnavailableError, WrongParamsError
from intent_lsp.core.gate.explain import ExplainedRow
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import INTENTS_FILE, WorkspacePath, parse_relative, path_of_uri
from intent_lsp.core.records import Contributor
from intent_lsp.core.scope.scope import Ownership
from intent_lsp.formats.params.requests import PathParams
from intent_lsp.governance.calls.admission import Outcome
from intent_lsp.governance.judging.save_judge import Judgement
from intent_lsp.governance.parts import RootParts
from intent_lsp.governance.root.rules import FileState, Rules
from intent_lsp.governance.root.sessions import CHECKOUT_REQUIRED, Session, Sessions
from intent_lsp.store.fs.resolve import ResolvedPath, resolve_below
from intent_lsp.store.ledger.archiving_advice import recommend_archiving
from intent_lsp.store.state.session_row import SessionRow

_log: Final = logging.getLogger(__name__)


class GovernanceStatus(Struct, frozen=True, kw_only=True):
    """The state of a root and of one session (protocol section 2, `Status`).

    `failures` counts the errors of this process in judging agents' calls. `polling` is the reason
    why files are polled for changes, or None while the operating system reports changes.
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
    """The entry point for every request about one root.

    `patient`: audit events of judged calls are queued until `unreported.write` is called, so that
    no decision waits for them. Otherwise the events of a call are written before its decision is
    returned. As a context manager, for one command of the command line, it closes the stores at the
    end, and ends no session.
    """

    def __init__(self, root: Path, *, patient: bool = False) -> None:
        super().__init__(root, patient=patient)
        self._polling: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close(None)

    def open_editor(self, wanted: str | None, contributor: Contributor) -> Session:
        """Open the session of an editor's connection and return it.

        `wanted` is the id of the session to open, or None for a new one. `contributor` is the
        author of its saves. If the session has no baseline yet, store one: later differences on
        disk count as changes. Records that an earlier process left are appended, if possible, and
        old drafts deleted.
        """
        intents = self.rules.current().file.intents
        session = self.sessions.open_editor(wanted, contributor, intents)
        state = self.stores.state
        look = self.disk_changes.look()
        if state is None or state.baseline_head(session.id) is None:
            self.contents.begin_baseline(session.id, None if look is None else look.seen)
        self._clear_up()
        return session

    def _clear_up(self) -> None:
        """Append the records that an earlier process could not append, and delete old drafts.

        A draft is the text of a refused save.
        """
        self.stores.drafts.prune(self.stores.clock())
        try:
            # A server that was killed leaves its open runs of saves; they are recorded here too.
            self.stores.ledger.end_runs()
        except IntentLspError as problem:
            _log.warning("records still wait for the ledger: %s", problem)

    def note_polling(self, what: str, why: str | None) -> None:
        """Note why the files `what` ("tree" or "rules") are polled for changes.

        `why` is None if the operating system reports their changes instead.
        """
        if why is None:
            self._polling.pop(what, None)
        else:
            self._polling[what] = why

    def tidy(self) -> None:
        """Delete records from the journal, the copy in `.local/`, if HEAD's commit has them.

        If the ledger is long, log the advice to archive, once a week.
        """
        self.recovering.prune()
        recommend_archiving(self.root, self.stores.clock)

    def begin_turn(self, session_id: str, agent_id: str) -> tuple[SessionRow, tuple[Outcome, ...]]:
        """Begin an agent's next turn. Return the session's row, and the outcomes recorded first.

        These outcomes are those of commands whose end the host did not report and that changed or
        named files.
        """
        ended = self.commands.end(session_id, agent_id)
        return self.sessions.begin_turn(session_id, agent_id), ended

    def close(self, session: Session | None) -> None:
        """Write the deferred audit events, end the session (unless None), and close every store.

        Runs of automatic saves and the session's open commands are recorded.
        """
        self.unreported.write()
        self.saves.end_runs()
        if session is not None:
            self.commands.end(session.id, "")
            self.sessions.end(session.id)
        if self.stores.gate_lock is not None:
            self.stores.gate_lock.close()
        self.writer.close()
        self._lessons.close()
        self.stores.ledger.close()
        if self.stores.state is not None:
            self.stores.state.close()

    def decisive(
        self, rules: Rules, selected: str | None, kept: tuple[FileState, str | None]
    ) -> tuple[object, ...]:
        """Return what decisions on all files of a session depend on, to be compared later.

        It is made of the rules, HEAD, the active intent (`selected` is its id) with its live
        grants, and `kept`, which is what `health` returns. A decision also depends on what concerns
        a single file, such as its content or a ticket.
        """
        git, intent = self.stores.git, rules.active(selected)
        grants = () if intent is None else self.grants.live(intent, self.stores.clock())
        return rules.version, None if git is None else git.head_commit(), selected, grants, kept

    def status(
        self, session_id: str, rules: Rules | None = None, agent_id: str = ""
    ) -> GovernanceStatus:
        """Return the state of the root and of a session.

        `rules` are the rules to report, or None for the current ones. `agent_id` is the id of the
        session's subagent, or "" for the main agent. Deferred audit events are written first.
        """
        self.unreported.write()
        rules = rules or self.rules.current()
        row = self._row(session_id, agent_id, rules)
        state, reason = health(rules, self.stores.problem() if rules.governed else None)
        return GovernanceStatus(
            root=str(self.root),
            enabled=rules.governed,
            file_state=state,
            reason=reason,
            session_id=session_id,
            active_intent_id=None if row is None else rules.present_id(row.active_intent),
            stage=CHECKOUT_REQUIRED if row is None else row.stage,
            turn=1 if row is None else row.turn,
            enforcement=rules.policy.enforcement.value,
            records=self.stores.past.count(),
            heads=self.stores.past.heads(),
            failures=self.calls.judging.failures,
            polling=next(iter(tuple(self._polling.values())), None),
        )

    def path_named(self, params: PathParams) -> WorkspacePath:
        """Return the path in a request's params, relative to the root.

        Raise WrongParamsError if the params contain no path, or one outside the root. Links are not
        followed.
        """
        spelled = params.required_path()
        if params.uri is not None:
            absolute = path_of_uri(params.uri)
            place = None if absolute is None else resolve_below(self.root, absolute)
            if place is None:
                raise WrongParamsError("uri", f"{params.uri} is not below {self.root}")
            return place.path
        path = parse_relative(spelled)
        if path is None:
            raise WrongParamsError(
                "path", f"{spelled!r} is not a relative path to a file inside {self.root}"
            )
        return path

    def owners(self, path: WorkspacePath) -> tuple[Ownership, ...]:
        """Return every intent that owns a path, whatever the intent's status, in file order.

        Return an empty tuple if the root is not governed.
        """
        rules = self.rules.current()
        return rules.owners(path) if rules.governed else ()

    def explain_save(
        self, session_id: str, path: WorkspacePath
    ) -> tuple[tuple[ExplainedRow, ...], Judgement]:
        """Return every check of the gate on a session's save of a file, and its judgement.

        If the gate is not asked about the file, there is one check, which says why.
        """
        place = resolve_below(self.root, path) or ResolvedPath(path, None)
        return self._judging.explain(session_id, place)

    def explain_save_under(
        self, intent_id: str, path: WorkspacePath
    ) -> tuple[tuple[ExplainedRow, ...], Judgement]:
        """Return the same as `explain_save`, for a new session that has selected this intent."""
        # These sessions have no database, so the supposed selection is stored nowhere.
        sessions = Sessions(replace(self.stores, state=None), None)
        session = sessions.open_agent(self.stores.new_id())
        sessions.choose(session.id, intent_id)
        place = resolve_below(self.root, path) or ResolvedPath(path, None)
        return replace(self._judging, sessions=sessions).explain(session.id, place)

    def prepare(self) -> None:
        """Build the index of all scopes now, so that the first decision need not wait for it.

        Do nothing if the root is not governed.
        """
        self.owners(INTENTS_FILE)

    def open_intents(self) -> Sequence[Intent]:
        """Return the intents that can be selected, the most recently selected first.

        Those never selected follow in file order. Closed and ignored intents are left out.
        """
        rules = self.rules.current()
        intents = rules.file.intents
        usable = [i for i in intents if not i.status.closed and i.id not in rules.ignored]
        state = self.stores.state
        recent = [] if state is None else list(state.recent_intents(len(usable)))
        order: dict[str | None, int] = {}
        for place, name in enumerate(recent):
            order.setdefault(rules.present_id(name), place)
        return sorted(usable, key=lambda intent: order.get(intent.id, len(order)))

    def _row(self, session_id: str, agent_id: str, rules: Rules) -> SessionRow | None:
        try:
            return self.sessions.row(session_id, agent_id)
        except StateUnavailableError:
            if rules.governed:
                raise
            # Whoever deleted the intents file may have deleted the session database with it.
            return None


def health(rules: Rules, problem: str | None) -> tuple[FileState, str | None]:
    """Return the state of the intents file, and the reason for it, or None without a reason.

    `problem` is why session state cannot be kept on disk, or None. If the root is governed, a
    problem makes the state UNAVAILABLE.
    """
    if rules.governed and problem is not None:
        return FileState.UNAVAILABLE, problem
    return rules.state, rules.reason
