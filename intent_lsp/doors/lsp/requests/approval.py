"""Asking a person to approve an agent's call (requirements section 6, row 16).

Invariant: no lock is held while a person is asked, and the call is judged again with their answer.
Invariant: anything but an approval refuses the call and says why.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Final, TypeVar

from lsprotocol import types as lsp

from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate.approval import ASKABLE, ApprovalAnswer
from intent_lsp.core.gate.request import Ask, Denied
from intent_lsp.core.records import ApprovalChoice
from intent_lsp.core.redaction import neutral
from intent_lsp.core.scope.language import escape
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.protocol.in_flight import Uncancellable
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.governance.calls.admission import CallDecision
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.plan.planning import Wish

APPROVE: Final = "Approve"
APPROVE_ONCE: Final = "Approve once"
EXPAND: Final = "Approve and expand scope"
REJECT: Final = "Reject"

CANCELLED: Final = "the request was cancelled before anybody answered"
REJECTED: Final = "a person rejected it"
NO_QUESTIONS: Final = ApprovalAnswer(
    feedback="nobody can be asked: the client does not know window/showMessageRequest",
    is_nobody=True,
)
"""The answer when the client cannot ask the person."""

DISMISSED: Final = "the question was closed without an answer"

_REASON: Final = "approved when an agent asked"
_WORDS_AT_MOST: Final = 300
_PATHS_SHOWN: Final = 3

T = TypeVar("T")
Judge = Callable[[ApprovalAnswer], Coroutine[object, object, T]]
"""Judges a call with a person's answer, and carries out the decision."""


class ApprovalPrompt:
    """Asks the person at one connection for approval.

    `finish` awaits work that a cancelled request must not interrupt.
    """

    def __init__(self, connection: Connection, finish: Uncancellable) -> None:
        self._connection = connection
        self._finish = finish

    async def judged(
        self,
        open_root: OpenRoot,
        asker: str,
        judge: Judge[T],
        admission_of: Callable[[T], CallDecision],
    ) -> T:
        """Judge a call of `asker` and return the result, after asking a person if the gate says so.

        `admission_of` returns the decision in a result of `judge`.
        """
        judged = await self._finish(judge(self.first_word()))
        return await self.settled(open_root, asker, judged, judge, admission_of)

    def first_word(self) -> ApprovalAnswer:
        """Return the approval state before anybody is asked: a person can be asked, or cannot."""
        return ASKABLE if self._connection.people.can_choose else NO_QUESTIONS

    async def settled(
        self,
        open_root: OpenRoot,
        asker: str,
        judged: T,
        judge: Judge[T],
        admission_of: Callable[[T], CallDecision],
    ) -> T:
        """Return `judged` unless its decision is Ask: then ask a person and judge again.

        Parameters are those of `judged`; `judged` is the result of the first judgement.
        """
        admission = admission_of(judged)
        if not isinstance(admission.decision, Ask):
            return judged
        why = admission.decision.why
        try:
            word = await self._word(open_root, asker, admission, why)
        except asyncio.CancelledError:
            # The refusal is recorded in the audit log although the client no longer wants the
            # answer.
            word = ApprovalAnswer(feedback=CANCELLED, final=True)
            self._connection.tracked_documents.work.begin(judge(word))
            raise
        if word.approval is ApprovalChoice.EXPANDED:
            word = await self._finish(self._expanded(open_root, admission, why, word))
        return await self._finish(judge(word))

    async def approved(self, open_root: OpenRoot, question: str) -> ApprovalAnswer:
        """Ask a person to approve something other than a tool call, such as a new intent."""
        return await self._ask(open_root, question, (APPROVE, REJECT))

    def approval_by_click(self, open_root: OpenRoot) -> ApprovalAnswer:
        """Return an approval for something that the person has already clicked."""
        return ApprovalAnswer(approval=ApprovalChoice.ONCE, session_id=open_root.session.id)

    async def _word(
        self, open_root: OpenRoot, asker: str, admission: CallDecision, why: Denied
    ) -> ApprovalAnswer:
        expandable = why.code is GateCode.SCOPE_VIOLATION and admission.intent_id is not None
        titles = (APPROVE_ONCE, *((EXPAND,) if expandable else ()), REJECT)
        return await self._ask(open_root, _question(asker, admission, why), titles)

    async def _ask(
        self, open_root: OpenRoot, question: str, titles: tuple[str, ...]
    ) -> ApprovalAnswer:
        people = self._connection.people
        if not people.can_choose:
            return NO_QUESTIONS
        rules = await self._connection.tracked_documents.work.in_thread(
            open_root.governance.rules.current
        )
        seconds = rules.policy.hitl_timeout_seconds
        loop = asyncio.get_running_loop()
        begun = loop.time()
        kind = lsp.MessageType.Warning
        chosen = await people.choose(f"intent-lsp: {question}", titles, kind, seconds)
        if chosen is not None and chosen != REJECT:
            choice = ApprovalChoice.EXPANDED if chosen == EXPAND else ApprovalChoice.ONCE
            return ApprovalAnswer(approval=choice, session_id=open_root.session.id)
        if chosen == REJECT:
            return ApprovalAnswer(feedback=REJECTED, final=True)
        late = loop.time() - begun >= seconds
        silence = f"nobody answered within {seconds} s" if late else DISMISSED
        # A client may declare the request and still answer that it does not know it.
        return (
            ApprovalAnswer(feedback=silence) if self._connection.people.can_choose else NO_QUESTIONS
        )

    async def _expanded(
        self, open_root: OpenRoot, admission: CallDecision, why: Denied, word: ApprovalAnswer
    ) -> ApprovalAnswer:
        """Grant the intent the paths that were out of scope.

        If that fails, approve the call once.
        """
        wish = Wish(
            intent_id=admission.intent_id or "",
            patterns=tuple(escape(path) for path in why.paths),
            reason=_REASON,
        )
        granted = await self._connection.choices.grant(open_root, wish, open_root.session)
        if isinstance(granted, CheckoutRefusal):
            self._connection.people.warn(
                f"intent-lsp: {granted.message} The call is approved this one time."
            )
            return replace(word, approval=ApprovalChoice.ONCE)
        return word


def _question(asker: str, admission: CallDecision, why: Denied) -> str:
    """Return the question for the person. Names in it come from outside and are neutralised."""
    shown = ", ".join(map(neutral, why.paths[:_PATHS_SHOWN])) or "files that it does not name"
    more = len(why.paths) - _PATHS_SHOWN
    paths = f"{shown} and {more} more" if more > 0 else shown
    intent = "" if admission.intent_id is None else f" for {neutral(admission.intent_id)}"
    said = f"agent {neutral(asker)} wants {neutral(admission.tool_name)} to change {paths}{intent}."
    if why.code is not GateCode.SCOPE_VIOLATION:
        return said
    return f"{said} {neutral(why.message, _WORDS_AT_MOST)}"
