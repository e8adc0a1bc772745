"""Approval by the person at the editor: asked by `window/showMessageRequest`, or proved by a token.

A one-time token proves a person's click on a grant (protocol section 2, `grantToken`).
Invariant: only the choice of a title can approve. Without one, the answer says why there is none.
Invariant: a token is valid once, for its own grant, for at most ten minutes, on one connection.
"""

import asyncio
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from lsprotocol import types as lsp
from msgspec import Struct, field

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

GOOD_FOR: Final = timedelta(minutes=10)
_KEPT_AT_MOST: Final = 1000
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

    `time` says how long to wait, and what the answer is after that. `session_id` is the session of
    the editor, which the answer names.
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


class _Given(Struct, frozen=True):
    """The grant that a token stands for: `patterns` for an intent, for the time `ttl`.

    If `ttl` is None, the grant is for good. `until` is the time at which the token expires.
    """

    intent_id: str
    patterns: tuple[str, ...]
    ttl: timedelta | None
    until: datetime


class GrantTokens(Struct):
    """The one-time tokens of one connection, each of which proves a person's click on a grant.

    `clock` returns the current time, by which tokens expire.
    """

    clock: Callable[[], datetime]
    _given: dict[str, _Given] = field(default_factory=dict)

    def give(self, intent_id: str, patterns: tuple[str, ...], ttl: timedelta | None) -> str:
        """Return a new token for exactly this grant of `patterns` to an intent.

        `ttl` is how long the grant lasts, None for good. Only the newest 1000 tokens stay valid.
        """
        token = secrets.token_urlsafe(24)
        self._given[token] = _Given(intent_id, patterns, ttl, self.clock() + GOOD_FOR)
        while len(self._given) > _KEPT_AT_MOST:
            del self._given[next(iter(self._given))]
        return token

    def take(
        self, token: str, intent_id: str, patterns: tuple[str, ...], ttl: timedelta | None
    ) -> bool:
        """Use up a token. Return whether it was valid, and given for exactly this grant.

        It is used up even if it was given for another one. `ttl` is how long the grant lasts, None
        for good.
        """
        given = self._given.pop(token, None)
        if given is None or self.clock() > given.until:
            return False
        return (given.intent_id, given.patterns, given.ttl) == (intent_id, patterns, ttl)
