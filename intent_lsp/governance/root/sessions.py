"""Sessions of one root, each with its selected intent (protocol section 1, requirements section 1).

Invariant: a selection is stored on disk, or in memory without `.orchestration/.local/`.
Invariant: an editor's session continues, without an intent, if the session database is deleted.
"""

import getpass
import threading
from datetime import timedelta
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.gate.words import title_of
from intent_lsp.core.intents import Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import AGENT, Contributor, EntityType
from intent_lsp.core.timestamps import timestamp
from intent_lsp.governance.root.rules import Rules
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.locks.session_lock import SessionLocks
from intent_lsp.store.state.judging_state import SaveMemory
from intent_lsp.store.state.session_row import SessionRow

CHECKOUT_REQUIRED: Final = "checkout_required"
EXECUTION_AUTHORIZED: Final = "execution_authorized"

SHORT_SESSION: Final = 8
"""Characters of a session id that are shown to a person."""

AGENTS_LIVE_FOR: Final = timedelta(hours=1)
"""How long after its last use an agent's session counts as live, if its end was not reported."""


class Session(Struct, frozen=True, kw_only=True):
    """A session on one root, or one of its subagents (`agent_id`; "" for none).

    `continued` is the id of the intent inherited from an earlier editor session, or None.
    """

    id: str
    contributor: Contributor
    agent_id: str = ""
    continued: str | None = None


class Asker(Struct, frozen=True, kw_only=True):
    """The session or subagent that makes a call. `row` is its stored row, or None if unknown."""

    session_id: str
    agent_id: str
    row: SessionRow | None

    @property
    def turn(self) -> int:
        """The number of the agent's current turn; 1 for an unknown session."""
        return 1 if self.row is None else self.row.turn


class Sessions:
    """The sessions of one root."""

    def __init__(self, stores: Stores, locks: SessionLocks | None) -> None:
        """Make the sessions of a root. Without `locks`, no session counts as live."""
        self._stores = stores
        self._locks = locks
        self._lock = threading.Lock()
        self._memory: dict[tuple[str, str], SessionRow] = {}
        self._of_agents: set[str] = set()
        self._of_editors: set[str] = set()
        self._user = this_user()

    def open_editor(
        self, wanted: str | None, contributor: Contributor, intents: Intents
    ) -> Session:
        """Open an editor's session and return it.

        If `wanted` is the id of a stored session, that session is reopened; any other id begins a
        session with that id. If `wanted` is None, a new session inherits an intent: that of this
        user's last ended editor session that ended with one, if that was in the last 14 days and
        the intent is still among `intents` and open.
        """
        known = None if wanted is None else self.row(wanted)
        inherited = self._inherited(intents) if wanted is None else None
        session_id = wanted or self._stores.new_id()
        self._hold(session_id)
        if known is None:
            self._begin(session_id, "editor", inherited)
        else:
            self._put(known.reopened(timestamp(self._stores.clock())))
        self._of_editors.add(session_id)
        if contributor.entity_type is EntityType.AI:
            self._of_agents.add(session_id)
        return Session(id=session_id, contributor=contributor, continued=inherited)

    def saves_as_agent(self, session_id: str) -> bool:
        """Return whether a session's saves count as an agent's: its connection is declared AI."""
        return session_id in self._of_agents

    def open_agent(self, session_id: str, agent_id: str = "") -> Session:
        """Return an agent's session. If there is none with this id, create it in turn 1.

        A session that has ended is reopened.
        """
        row = self.row(session_id)
        if row is None:
            self._begin(session_id, "agent", None)
        elif row.ended_at is not None:
            self._put(row.reopened(timestamp(self._stores.clock())))
        return self.of_agent(session_id, agent_id)

    def of_agent(self, session_id: str, agent_id: str = "") -> Session:
        """Return an agent's session as a value, without looking it up or creating it."""
        return Session(id=session_id, contributor=AGENT, agent_id=agent_id)

    def row(self, session_id: str, agent_id: str = "") -> SessionRow | None:
        """Return the stored row of a session or subagent, or None if the session is unknown.

        For a subagent that has no row of its own, return the row of its session. If the row of an
        open editor was lost with the database, a new one is begun.
        """
        known = self._known(session_id, agent_id)
        return self._known(session_id, "") if known is None and agent_id else known

    def active_intent(self, session_id: str, agent_id: str = "") -> str | None:
        """Return the id of the intent that a session has selected, or None."""
        row = self.row(session_id, agent_id)
        return None if row is None else row.active_intent

    def save_memory(self, session_id: str, path: WorkspacePath) -> SaveMemory:
        """Return what is stored about a file that an editor's session saves.

        This is the session's row, an open ticket for the file, and the server's last write of it.
        """
        state, known = self._stores.state, SaveMemory()
        if state is not None:
            known = state.judging.for_save(session_id, path, self._stores.clock())
        return known if known.row else replace(known, row=self._known(session_id, ""))

    def choose(self, session_id: str, intent_id: str | None, agent_id: str = "") -> None:
        """Set the active intent of a session or subagent (None: no active intent).

        An unknown session is begun as an editor's, unless `intent_id` is None.
        """
        row = self.row(session_id, agent_id)
        if row is None and intent_id is not None:
            # The session was lost with the database: a person's selection begins it anew.
            row = self._begin(session_id, "editor", None)
        if row is None:
            return
        at = timestamp(self._stores.clock())
        row = replace(row, agent_id=agent_id).choosing(intent_id, _stage(intent_id), at)
        self._put(row)
        if intent_id is not None and self._stores.state is not None:
            self._stores.state.note_selected(intent_id, at)

    def live(self) -> tuple[SessionRow, ...]:
        """Return the rows of live editor sessions, then of live agents' sessions and subagents.

        An agent's session is live for AGENTS_LIVE_FOR after its last use, if it has not ended.
        There are none without a session database.
        """
        state, locks = self._stores.state, self._locks
        if state is None or locks is None:
            return ()
        editors = [row for row in state.unended_editors() if locks.held(row.session_id)]
        since = timestamp(self._stores.clock() - AGENTS_LIVE_FOR)
        agents = (row for row in state.sessions_since(since) if row.kind == "agent")
        return (*editors, *(row for row in agents if row.ended_at is None))

    def asker(self, named: str | None, agent_id: str = "") -> Asker | None:
        """Return who makes a request on a connection that has no session of its own.

        This is the session `named` with the subagent `agent_id`. If `named` is None, it is this
        user's only live editor, or None if there is none or more than one, or if `agent_id` is not
        "".
        """
        if named is not None:
            return Asker(session_id=named, agent_id=agent_id, row=self.row(named, agent_id))
        own = [row for row in self.live() if row.kind == "editor" and row.user == self._user]
        if agent_id or len(own) != 1:
            return None
        return Asker(session_id=own[0].session_id, agent_id="", row=own[0])

    def begin_turn(self, session_id: str, agent_id: str = "") -> SessionRow:
        """Begin the next turn of a session or subagent, and return its row.

        The intent stays selected, but must be checked out again. The claims of the previous turn
        end. For an unknown session this is turn 1.
        """
        row = self.row(session_id, agent_id)
        if row is None:
            return self._begin(session_id, "agent", None)
        at, turn = timestamp(self._stores.clock()), row.turn + 1
        row = replace(row, agent_id=agent_id, turn=turn, stage=CHECKOUT_REQUIRED, last_used_at=at)
        self._put(row)
        if self._stores.state is not None:
            self._stores.state.tickets.end_claims(session_id, agent_id)
        return row

    def end(self, session_id: str) -> None:
        """End a session and its subagents. The user's next editor may inherit its intent."""
        self._of_editors.discard(session_id)
        if self._stores.state is not None:
            self._stores.state.end_session(session_id, timestamp(self._stores.clock()))
        if self._locks is not None:
            self._locks.release(session_id)

    def _inherited(self, intents: Intents) -> str | None:
        state, locks = self._stores.state, self._locks
        if state is None or locks is None:
            return None
        now = self._stores.clock()
        last = state.last_ended_editor_session(self._user, now=now, is_alive=locks.held)
        intent = None if last is None else intents.get(last.active_intent or "")
        return None if intent is None or intent.status.closed else intent.id

    def _hold(self, session_id: str) -> None:
        if self._locks is not None:
            self._locks.hold(session_id)

    def _begin(
        self, session_id: str, kind: Literal["editor", "agent"], intent_id: str | None
    ) -> SessionRow:
        at = timestamp(self._stores.clock())
        row = SessionRow(
            session_id=session_id,
            kind=kind,
            user=self._user,
            active_intent=intent_id,
            turn=1,
            stage=_stage(intent_id),
            started_at=at,
            last_used_at=at,
        )
        # If another process began it first, its row is kept with whatever was selected since.
        if self._stores.state is not None:
            return self._stores.state.begin_session(row)
        with self._lock:
            return self._memory.setdefault((session_id, ""), row)

    def _known(self, session_id: str, agent_id: str) -> SessionRow | None:
        state = self._stores.state
        if state is None:
            with self._lock:
                return self._memory.get((session_id, agent_id))
        row = state.session(session_id, agent_id)
        if row is None and not agent_id and session_id in self._of_editors:
            # The row was lost with the database, but the editor is still here: begin anew.
            self._hold(session_id)
            return self._begin(session_id, "editor", None)
        return row

    def _put(self, row: SessionRow) -> None:
        if self._stores.state is not None:
            self._stores.state.put_session(row)
            return
        with self._lock:
            self._memory[row.session_id, row.agent_id] = row


def asking_session(own: Session, named: str | None, agent_id: str | None) -> Session:
    """Return the session that makes a request on a connection that has its own session (`own`).

    It is `own` if the request names no other session and `agent_id` is None. Else it is an agent's
    session: its id is `named`, or the id of `own` if `named` is None. `agent_id` is its subagent
    (None: the main agent).
    """
    if named in (None, own.id) and agent_id is None:
        return own
    return Session(id=named or own.id, contributor=AGENT, agent_id=agent_id or "")


def session_name(session_id: str, row: SessionRow | None, rules: Rules) -> str:
    """Return a short description of a session for people: the start of its id, and its intent."""
    active = None if row is None else row.active_intent
    intent = rules.active(active)
    selected = active if intent is None else title_of(intent)
    return f"{session_id[:SHORT_SESSION]}: {selected or 'no intent selected'}"


def this_user() -> str:
    """Return the login name of the user who runs this process, or "unknown"."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"


def _stage(intent_id: str | None) -> str:
    return CHECKOUT_REQUIRED if intent_id is None else EXECUTION_AUTHORIZED
