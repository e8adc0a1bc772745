"""Asks the person at the editor to approve something, by `window/showMessageRequest`.

Invariant: whatever is no choice of a title approves nothing, and the answer says why.
"""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import CancelledError
from typing import Any, Final, TypeVar

from lsprotocol import types as lsp

from intent_lsp.core.gate.request import ApprovalAnswer
from intent_lsp.doors.lsp.connection.client_ui import ClientUi
from intent_lsp.doors.lsp.connection.intent_selection import IntentSelection
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.governance.calls.approvals import ApprovalQuestion, ApprovalTime, answer_of
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.plan.planning import Granted, Wish
from intent_lsp.governance.root.sessions import Session

NO_QUESTIONS: Final = ApprovalAnswer(
    feedback="nobody can be asked: the editor does not support window/showMessageRequest",
    is_nobody=True,
)
"""The answer when the client cannot ask the person."""

DISMISSED: Final = "the question was closed without an answer"

_REPLY_SECONDS: Final = 1.0
_ENDED: Final = ApprovalAnswer(feedback="the editor was closed before anybody answered")

T = TypeVar("T")


async def ask_person(
    people: ClientUi, question: ApprovalQuestion, time: ApprovalTime, session_id: str
) -> ApprovalAnswer:
    """Return the person's answer, or one that says why there is none.

    `session_id` is the session of the editor, which the answer names.
    """
    if _cannot_choose(people):
        return NO_QUESTIONS
    loop = asyncio.get_running_loop()
    begun = loop.time()
    kind, text = lsp.MessageType.Warning, f"intent-lsp: {question.text}"
    chosen = await people.choose(text, question.titles, kind, time.seconds)
    if chosen is not None:
        return answer_of(chosen, session_id)
    late = loop.time() - begun >= time.seconds
    answer = time.silence if late else ApprovalAnswer(feedback=DISMISSED)
    # A client may declare the request and still answer that it does not know it.
    return NO_QUESTIONS if _cannot_choose(people) else answer


def _cannot_choose(people: ClientUi) -> bool:
    return not people.can_choose


class EditorPerson:
    """The person at one connection's editor, for threads that answer hooks of one root."""

    def __init__(self, people: ClientUi, choices: IntentSelection, open_root: OpenRoot) -> None:
        self._people = people
        self._choices = choices
        self._open_root = open_root
        self._loop = asyncio.get_running_loop()

    def ask(self, question: ApprovalQuestion, time: ApprovalTime) -> ApprovalAnswer:
        """Ask the person. Return their answer, or one that says why there is none."""
        asked = ask_person(self._people, question, time, self._open_root.session.id)
        try:
            return self._awaited(asked, time.seconds + _REPLY_SECONDS)
        except (CancelledError, RuntimeError, TimeoutError):
            # The connection ends, and its event loop with it.
            return _ENDED

    def grant(self, wish: Wish, session: Session) -> Granted | CheckoutRefusal:
        """Grant the scope that the person has approved. `session` asked for it."""
        return self._awaited(self._choices.grant(self._open_root, wish, session), None)

    def _awaited(self, asked: Coroutine[Any, Any, T], seconds: float | None) -> T:
        return asyncio.run_coroutine_threadsafe(asked, self._loop).result(seconds)
