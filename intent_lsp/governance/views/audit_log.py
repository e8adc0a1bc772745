"""What is told of a call beside its record: governance ledger, history, lessons.

Specified in requirements section 9.

Invariant: a step that fails is logged, and stops neither the next nor the call.
Invariant: of calls that the gate is not asked about nothing is told.
"""

from dataclasses import dataclass
from typing import Final

from intent_lsp.core.agents.audit_entry import CallStatus, GovernanceEntry
from intent_lsp.core.agents.lessons import Lesson
from intent_lsp.core.codes import GateCode, LessonCode
from intent_lsp.core.gate.request import Denied
from intent_lsp.core.paths import GOVERNANCE_LEDGER, WorkspacePath
from intent_lsp.core.privacy import shown_session
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.markdown.audit_log import governance_line
from intent_lsp.governance.root.best_effort import step
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.governance.root.stores import Stores
from intent_lsp.governance.views.history import History
from intent_lsp.governance.views.lessons import Lessons
from intent_lsp.store.append_file import append_text

_TAUGHT: Final = (GateCode.SCOPE_VIOLATION, GateCode.CONTRACT_DRIFT)
"""The refusals that are lessons."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """A governed call, as it is told of: who called what, for which intent, on which files.

    `program` is the first word of its command; `model` None: the agent has not said.
    """

    tool: str
    session_id: str
    intent_id: str | None
    paths: tuple[WorkspacePath, ...] = ()
    program: str | None = None
    model: str | None = None


class AuditLog:
    """Tells of the calls of one root."""

    def __init__(
        self, *, stores: Stores, rules: RulesCache, history: History, lessons: Lessons
    ) -> None:
        self._stores = stores
        self._rules = rules
        self._history = history
        self._lessons = lessons

    def denied(self, told: AuditEvent, refusal: Denied, *, teach: bool = True) -> None:
        """Tell of a call that was refused, or of a save that was turned back (`teach` False)."""
        self._enter(told, CallStatus.DENIED)
        if teach and refusal.code in _TAUGHT:
            self._teach(told, refusal.code, path=_blamed(refusal))

    def admitted(self, told: AuditEvent) -> None:
        """Tell of a call that may happen."""
        self._history.note(told.intent_id, f"PRE_HOOK {told.tool}")

    def done(self, told: AuditEvent, *, error: str | None) -> None:
        """Tell of a call that happened, or failed."""
        status = CallStatus.OK if error is None else CallStatus.FAILED
        self._enter(told, status)
        self._history.note(told.intent_id, f"POST_HOOK {told.tool} {status}")
        if error is not None:
            path = next(iter(told.paths), None)
            self._teach(told, LessonCode.MUTATION_FAILED, path=path, error=error)

    def attempted(self, told: AuditEvent, *, error: str | None) -> bool:
        """Tell of an attempt to complete the work; whether what stopped it is a new lesson."""
        status = CallStatus.OK if error is None else CallStatus.FAILED
        self._enter(told, status)
        self._history.note(told.intent_id, f"POST_HOOK {told.tool} {status}")
        code = LessonCode.COMPLETION_FAILED
        return error is not None and self._teach(told, code, path=None, error=error)

    def violated(self, told: AuditEvent, path: WorkspacePath) -> None:
        """Put down a call that was found to have changed what its intent may not."""
        self._teach(told, GateCode.SCOPE_VIOLATION, path=path)

    def saved(self, told: AuditEvent) -> None:
        """Tell of an editor's save that was recorded."""
        self._history.note(told.intent_id, f"POST_HOOK {told.tool} {CallStatus.OK}")

    def failed_verification(self, told: AuditEvent) -> bool:
        """Put down a verification that failed; whether that is a new lesson."""
        name = self._rules.current().policy.lessons_verification
        lesson = self._lesson(told, LessonCode.VERIFICATION_FAILED)
        return self._lessons.learn(name, told.session_id, lesson)

    def _enter(self, told: AuditEvent, status: CallStatus) -> None:
        policy = self._rules.current().policy
        entry = GovernanceEntry(
            at=timestamp(self._stores.clock()),
            status=status,
            tool=told.tool,
            intent_id=told.intent_id,
            session_id=shown_session(told.session_id, policy),
            model=told.model or "unknown",
            revision=self._stores.revision(),
            touched_paths=told.paths,
            constraints=policy.architectural_constraints,
        )
        with step("the governance ledger"):
            append_text(self._stores.root / GOVERNANCE_LEDGER, governance_line(entry))

    def _teach(
        self,
        told: AuditEvent,
        code: GateCode | LessonCode,
        *,
        path: WorkspacePath | None,
        error: str | None = None,
    ) -> bool:
        name = self._rules.current().policy.lessons_violations
        lesson = self._lesson(told, code, path=path, error=error)
        return self._lessons.learn(name, told.session_id, lesson)

    def _lesson(
        self,
        told: AuditEvent,
        code: GateCode | LessonCode,
        *,
        path: WorkspacePath | None = None,
        error: str | None = None,
    ) -> Lesson:
        return Lesson(
            at=timestamp(self._stores.clock()),
            code=code.value,
            tool=told.tool,
            path=path,
            program=told.program,
            error=error,
        )


def _blamed(refusal: Denied) -> WorkspacePath | None:
    """Give the file that a refusal is about: of a drift the stranger, not what was to be edited."""
    drifted = refusal.details.get("violations")
    if isinstance(drifted, list) and drifted:
        return WorkspacePath(drifted[0]["path"])
    return next(iter(refusal.paths), None)
