"""Commands that verify: exempt, and yet compared before and after (requirements section 6).

Invariant: what cannot be compared, or remembered, stops no verification.
"""

from typing import Final

from intent_lsp.core.content import hash_content
from intent_lsp.core.intents import Intent
from intent_lsp.core.records import MutationClass, ScopeValidation
from intent_lsp.core.text_bytes import pack
from intent_lsp.core.tickets import Ticket
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.call_reading import told_program
from intent_lsp.formats.intent_hash import intent_hash
from intent_lsp.formats.shell import read_command
from intent_lsp.governance.call_news import CallNews
from intent_lsp.governance.chronicle import Chronicle, Told
from intent_lsp.governance.disk.work_tree import WorkTree
from intent_lsp.governance.events import specification_of
from intent_lsp.governance.recording import Outcome, Recording
from intent_lsp.governance.rules import RulesCache
from intent_lsp.governance.sessions import Sessions
from intent_lsp.governance.steps import step
from intent_lsp.governance.stores import Stores
from intent_lsp.store.root_lock import RootLock, holding

COMMAND_TOOL: Final = "disk/command"
"""The tool of a record of what a command changed that should have changed nothing."""


class Verifying:
    """Remembers what the work tree of one root held before its agents verified something."""

    def __init__(  # noqa: PLR0913 - each is a part of the desk that it needs
        self,
        *,
        stores: Stores,
        rules: RulesCache,
        sessions: Sessions,
        work_tree: WorkTree,
        recording: Recording,
        chronicle: Chronicle,
        news: CallNews,
        lock: RootLock | None,
    ) -> None:
        self._stores = stores
        self._rules = rules
        self._sessions = sessions
        self._work_tree = work_tree
        self._recording = recording
        self._chronicle = chronicle
        self._news = news
        self._lock = lock

    def begin(self, session_id: str, agent_id: str, command: str, program: str | None) -> None:
        """Remember the work tree before a command, under the intent that is active now."""
        state, rules = self._stores.state, self._rules.current()
        if state is None or not rules.governed:
            return
        with step(f"what {program or 'a command'} changes"):
            tree = self._work_tree.seen()
            if tree is None:
                return
            row = self._sessions.row(session_id, agent_id)
            intent = rules.active(None if row is None else row.active_intent)
            now = self._stores.clock()
            ticket = Ticket(
                id=self._stores.new_id(),
                session_id=session_id,
                agent_id=agent_id,
                turn=1 if row is None else row.turn,
                issued_at=timestamp(now),
                tool_name=COMMAND_TOOL,
                intent_id=None if intent is None else intent.id,
                intent_hash=None if intent is None else intent_hash(intent),
                specification=_specification(intent),
                mutation_class=MutationClass.AST_REFACTOR,
                inferred=True,
                verdict=ScopeValidation.EXEMPT,
                program=program,
                tree=tree,
            )
            state.tickets.issue(ticket, now)
            state.notes.put_watch(session_id, agent_id, _key(command), ticket.id)

    def end(
        self, session_id: str, agent_id: str, command: str, *, success: bool
    ) -> tuple[bool, Outcome | None]:
        """Take what a verification came to; whether it is a new lesson, and what it changed.

        What a command that was asked about has changed is recorded, once.
        """
        state, outcome = self._stores.state, None
        ticket_id = None
        if state is not None:
            ticket_id = state.notes.take_watch(session_id, agent_id, _key(command))
        if ticket_id is not None:
            compared = self._recording.compare(ticket_id)
            with holding(self._lock):
                outcome = self._recording.record(ticket_id, compared=compared)
        if outcome is not None and outcome.recorded.files:
            self._news.recorded(outcome)
        return not success and self._failed(session_id, command), outcome

    def _failed(self, session_id: str, command: str) -> bool:
        told = Told(
            tool="verification",
            session_id=session_id,
            intent_id=self._sessions.active_intent(session_id),
            program=told_program(command, read_command(command).program),
        )
        return self._chronicle.failed_verification(told)


def _key(command: str) -> str:
    # Commands may hold what nobody wants to keep.
    return hash_content(pack(command))


def _specification(intent: Intent | None) -> str | None:
    return None if intent is None else specification_of(intent)
