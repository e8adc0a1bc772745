"""Asks the person at the editor to approve something, by `window/showMessageRequest`.

Invariant: whatever is no choice of a title approves nothing, and the answer says why.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Final

from lsprotocol import types as lsp
from msgspec import Struct

from intent_lsp.core.gate.request import ApprovalAnswer
from intent_lsp.doors.lsp.connection.client_ui import ClientUi
from intent_lsp.doors.lsp.connection.intent_selection import IntentSelection
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.governance.calls.approvals import ApprovalQuestion, ApprovalTime, answer_of
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.plan.planning import Granted, Wish
from intent_lsp.governance.root.sessions import Session
from intent_lsp.store.stopwatch import stopwatch

NO_QUESTIONS: Final = ApprovalAnswer(
    feedback="nobody can be asked: the editor does not support window/showMessageRequest",
    is_nobody=True,
)
"""The answer when the client cannot ask the person."""

DISMISSED: Final = "the question was closed without an answer"

_REPLY_SECONDS: Final = 1.0
_LOOK_SECONDS: Final = 0.5
"""Seconds between two checks whether anybody still waits for the answer."""

_UNWANTED: Final = ApprovalAnswer(
    feedback="the call was cancelled before anybody answered", final=True
)
_ENDED: Final = ApprovalAnswer(
    feedback="the connection to the editor ended before anybody answered"
)


async def ask_person(
    people: ClientUi, question: ApprovalQuestion, time: ApprovalTime, session_id: str
) -> ApprovalAnswer:
    """Return the person's answer to a question, or one that says why there is none.

    `time` limits the wait. `session_id` is the session of the editor, which the answer names.
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
    """The person at one connection's editor, for threads that answer hooks of one root.

    If a question is open already, a further thread that asks it waits for the same answer.
    """

    def __init__(self, people: ClientUi, choices: IntentSelection, open_root: OpenRoot) -> None:
        self._people = people
        self._choices = choices
        self._open_root = open_root
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._open: dict[ApprovalQuestion, _Open] = {}

    def ask(
        self, question: ApprovalQuestion, time: ApprovalTime, is_wanted: Callable[[], bool]
    ) -> ApprovalAnswer:
        """Ask the person, and wait. Return their answer, or one that says why there is none.

        `time` limits the wait, which also ends once `is_wanted` returns False. The question is
        withdrawn once no thread waits for its answer any more.
        """
        with self._lock:
            asked = self._open.get(question)
            if asked is None:
                answer = ask_person(self._people, question, time, self._open_root.session.id)
                future = asyncio.run_coroutine_threadsafe(answer, self._loop)
                asked = self._open[question] = _Open(future)
            asked.waiting += 1
        try:
            return _awaited(asked.future, time, is_wanted)
        finally:
            with self._lock:
                asked.waiting -= 1
                if not asked.waiting:
                    asked.future.cancel()
                    self._open.pop(question, None)

    def grant(self, wish: Wish, session: Session) -> Granted | CheckoutRefusal:
        """Grant the scope `wish` that the person has approved, and wait until that is done.

        Return the grant, or a refusal. `session` asked for the grant.
        """
        granted = self._choices.grant(self._open_root, wish, session)
        return asyncio.run_coroutine_threadsafe(granted, self._loop).result()


class _Open(Struct):
    """An open question, and how many threads wait for its answer."""

    future: "Future[ApprovalAnswer]"
    waiting: int = 0


def _awaited(
    future: "Future[ApprovalAnswer]", time: ApprovalTime, is_wanted: Callable[[], bool]
) -> ApprovalAnswer:
    passed = stopwatch()
    try:
        while passed() < time.seconds + _REPLY_SECONDS:
            with suppress(TimeoutError):
                answer = future.result(_LOOK_SECONDS)
                return answer if is_wanted() else _UNWANTED
            if not is_wanted():
                return _UNWANTED
    except (CancelledError, RuntimeError):
        # The connection ends, and its event loop with it.
        return _ENDED
    return time.silence
