"""Stories asked at governance itself, as a door of any protocol asks it.

Invariant: nothing of `intent_lsp.doors` is imported, here or in what is imported here.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.approvals import ApprovalChoice
from intent_lsp.core.codes import RequestCode, ShownCode
from intent_lsp.core.content import split_lines
from intent_lsp.core.control_plane import FileClass
from intent_lsp.core.errors import IntentLspError, LedgerUnavailableError
from intent_lsp.core.gate.explain import ExplainedRow
from intent_lsp.core.gate.request import ASKABLE, NO_ANSWER, ApprovalAnswer, Ask, Decision, Denied
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import AGENT, HUMAN, ScopeValidation
from intent_lsp.formats.ledger.jsonl import to_wire
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.root.sessions import Session
from intent_lsp.governance.saves.open_file import GovernedPlace, OpenFile
from intent_lsp.governance.violations.file_violations import (
    DocumentDiffs,
    file_violations,
    marked_lines,
)
from intent_lsp.store.fs.resolve import resolve_below
from intent_lsp.store.ledger.index.queries import Query
from tests.support.agent_stories import Asker, Wish
from tests.support.repository import Repository
from tests.support.stories import Answer, Story

_WORDS = {
    "": NO_ANSWER,
    "approved": ApprovalAnswer(approval=ApprovalChoice.ONCE, session_id="person"),
    "rejected": ApprovalAnswer(feedback="a person rejected it", final=True),
}


@contextmanager
def person_at_governance(repository: Repository, story: Story) -> Iterator["GovernancePerson"]:
    """Open an editor's session for a story, and end it."""
    governance = Governance(repository.root)
    session = governance.open_editor(None, AGENT if story.by_agent else HUMAN)
    try:
        yield GovernancePerson(governance, session)
    finally:
        governance.close(session)


@contextmanager
def agents_at_governance(repository: Repository) -> Iterator["GovernanceAgents"]:
    """Open governance of a root, and close it."""
    governance = Governance(repository.root)
    try:
        yield GovernanceAgents(governance)
    finally:
        governance.close(None)


class GovernancePerson:
    """An editor with one file open, which asks governance before and after each save."""

    passes_over: frozenset[str] = frozenset()

    def __init__(self, governance: Governance, session: Session) -> None:
        self.governance = governance
        self.session = session
        self._file = OpenFile()
        self._lines: list[str] = []

    async def select(self, intent_id: str) -> str:
        done = self.governance.checkout.select(self.session, intent_id, unsaved_file=False)
        return _refusal(done)

    async def clear(self) -> None:
        self.governance.checkout.clear(self.session)

    async def open(self, path: str) -> None:
        place = resolve_below(self.governance.root, path)
        assert place is not None
        self._file = OpenFile()
        self._file.attach(GovernedPlace(self.governance.saves, self.session, place), None)
        self._lines = list(self._file.disk.known.lines or ())

    async def text(self) -> str:
        return "".join(self._lines)

    async def edit(self, text: str) -> None:
        self._lines = split_lines(text)

    async def shows(self, codes: Sequence[str]) -> None:
        state = self._file.snapshot(self._lines)
        assert state is not None
        diffs = DocumentDiffs.of(state, self._lines) if state.shown else None
        runs = marked_lines(state, diffs, self._lines)
        found = file_violations(self.governance.root, state, runs)
        assert [each.code for each in found] == list(codes)

    async def would_be(self) -> Answer:
        rows, judgement = self.governance.explain_save(self.session.id, self.path)
        if judgement.denied is not None:
            return Answer(judgement.denied.code.value, _rows(rows))
        if judgement.standing is FileClass.SERVER_ONLY:
            return Answer(ShownCode.CONTROL_PLANE_EDIT.value, _rows(rows))
        return Answer((judgement.verdict or ScopeValidation.EXEMPT).value, _rows(rows))

    async def save(self, *, manual: bool) -> None:
        self._file.writes(list(self._lines))
        before = self._file.judge(list(self._lines), manual=manual)
        assert before is not None
        if before.draft is not None:
            self._lines = list(before.disk.lines or ())
        (self.governance.root / self.path).write_text("".join(self._lines))
        saved = list(self._lines)
        self._file.writes(saved)
        assert self._file.record(saved, saved, before, automatic=not manual) is not None

    async def outside_changed(self) -> None:
        self._file.snapshot(self._lines)

    async def records(self) -> list[dict[str, Any]]:
        self.governance.saves.end_runs()
        page = self.governance.tracing.page(Query(), limit=1000)
        return [to_wire(record) for record in reversed(page.records)]

    async def drafts(self) -> int:
        return len(self.governance.stores.drafts.list())

    async def ledger_ok(self) -> bool:
        return self.governance.tracing.verify().ok

    @property
    def path(self) -> WorkspacePath:
        """The open file."""
        assert self._file.governed is not None
        return self._file.governed.place.path


class GovernanceAgents:
    """The agents of one root, whose hosts ask governance."""

    passes_over: frozenset[str] = frozenset()

    def __init__(self, governance: Governance) -> None:
        self.governance = governance

    async def select(self, who: Asker, intent_id: str) -> str:
        session = self.governance.sessions.open_agent(who.session, who.agent)
        return _refusal(self.governance.checkout.select(session, intent_id, unsaved_file=False))

    async def complete(self, who: Asker, intent_id: str) -> str:
        session = self.governance.sessions.of_agent(who.session, who.agent)
        return _refusal(self.governance.planning.complete(session, intent_id, unsaved_file=False))

    async def read(self, who: Asker, path: str) -> None:
        file = WorkspacePath(path)
        known = self.governance.contents.hash_of(file)
        self.governance.calls.read(who.session, who.agent, file, known)

    async def begin_turn(self, who: Asker) -> None:
        self.governance.begin_turn(who.session, who.agent)

    async def answer(self, who: Asker, wish: Wish) -> Answer:
        calls = self.governance.calls
        call = ToolCall(
            tool_name=wish.tool,
            paths=wish.paths,
            command=wish.command,
            patch=wish.patch,
            intent_id=wish.intent,
        )
        rows, explained = calls.explain(who.session, who.agent, call)
        if wish.word:
            asked = calls.admit(who.session, who.agent, call, ASKABLE)
            assert isinstance(asked.decision, Ask), "no person is asked"
        judged = calls.admit(who.session, who.agent, call, _WORDS[wish.word])
        if wish.word != "approved":
            assert _outcome(explained.decision) == _outcome(judged.decision)
        return Answer(_outcome(judged.decision), _rows(rows) if wish.word != "approved" else ())

    async def look_up(self, who: Asker, what: str) -> str:
        try:
            if what == "records":
                self.governance.tracing.page(Query(), limit=1)
            else:
                self.governance.status(who.session, agent_id=who.agent)
        except LedgerUnavailableError:
            return RequestCode.LEDGER_UNAVAILABLE.value
        except IntentLspError:
            return RequestCode.STATE_UNAVAILABLE.value
        return ""

    async def record(self, who: Asker, ticket: str) -> str:  # noqa: ARG002 - a ticket is enough
        done = self.governance.calls.record(ticket)
        return RequestCode.TICKET_UNKNOWN.value if done is None else ""

    async def restore(self, draft: str) -> str:
        found = self.governance.stores.drafts.get(draft)
        return RequestCode.DRAFT_UNKNOWN.value if found is None else ""


def _refusal(done: object) -> str:
    return done.code.value if isinstance(done, CheckoutRefusal) else ""


def _outcome(decision: Decision) -> str:
    assert not isinstance(decision, Ask)
    return decision.code.value if isinstance(decision, Denied) else decision.verdict.value


def _rows(rows: Sequence[ExplainedRow]) -> list[tuple[int, str | None, str]]:
    return [(row.number, row.code, row.outcome.value) for row in rows]
