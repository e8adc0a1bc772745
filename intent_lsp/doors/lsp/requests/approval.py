"""Asks the person at an editor to approve an agent's call, by `window/showMessageRequest`.

Invariant: a tool call whose request the client cancels while a person is asked leaves a refusal in
the audit log.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Final, TypeVar

from intent_lsp.core.gate.request import ASKABLE, ApprovalAnswer
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.connection.person_prompt import NO_QUESTIONS, ask_person
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.governance.calls.admission import Applied, CallDecision
from intent_lsp.governance.calls.approvals import (
    APPROVE,
    REJECT,
    ApprovalQuestion,
    ApprovalSteps,
    ApprovalTime,
    settled,
)

CANCELLED: Final = "the request was cancelled before anybody answered"
T = TypeVar("T", CallDecision, Applied)
Judge = Callable[[ApprovalAnswer], Coroutine[object, object, T]]
"""Judges a call with a person's answer, and carries out the decision."""


class ApprovalPrompt:
    """Asks the person at one connection for approval."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def first_word(self) -> ApprovalAnswer:
        """Return the answer with which a call is judged before anybody is asked.

        That answer says that a person can be asked, or that nobody can.
        """
        return ASKABLE if self._connection.people.can_choose else NO_QUESTIONS

    async def settled(self, open_root: OpenRoot, asker: str, judged: T, judge: Judge[T]) -> T:
        """Return `judged`, or, if its decision is Ask, the result of judging after asking a person.

        `judge` judges the call with an answer. `judged` is the result of `judge` before anybody was
        asked, with the answer `first_word`. `asker` is the id of the session that calls. If the
        person chooses to grant the scope that the call needs, that is done before the call is
        judged again.
        """

        async def ask(question: ApprovalQuestion) -> ApprovalAnswer:
            try:
                return await self.answer(open_root, question)
            except asyncio.CancelledError:
                # The refusal is recorded in the audit log although the client no longer wants the
                # answer.
                word = ApprovalAnswer(feedback=CANCELLED, final=True)
                self._connection.work.begin(judge(word))
                raise

        choices, finish = self._connection.choices, self._connection.finish
        steps = ApprovalSteps(
            judge=lambda word: finish(judge(word)),
            ask=ask,
            grant=lambda wish, _: finish(choices.grant(open_root, wish, open_root.session)),
            warn=self._connection.people.warn,
        )
        return await settled(asker, judged, steps)

    async def approved(self, open_root: OpenRoot, text: str) -> ApprovalAnswer:
        """Ask a person to approve something else than a tool call.

        `text` says what that is, such as a new intent. Return the person's answer, or one that says
        why there is none.
        """
        return await self.answer(open_root, ApprovalQuestion(text=text, titles=(APPROVE, REJECT)))

    async def answer(self, open_root: OpenRoot, question: ApprovalQuestion) -> ApprovalAnswer:
        """Ask the person a question and return the answer, or one that says why there is none."""
        rules = await self._connection.work.in_thread(open_root.governance.rules.current)
        time = ApprovalTime(rules.policy.hitl_timeout_seconds)
        return await ask_person(self._connection.people, question, time, open_root.session.id)
