"""Settles a call that a person has to approve: asks at an editor, else through the client.

Invariant: a call that is cancelled while `decided` asks somebody leaves a refusal in the audit log.
"""

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final, TypeVar

import anyio

from intent_lsp.core.gate.request import ASKABLE, NO_ANSWER, ApprovalAnswer
from intent_lsp.core.policy import TeamPolicy
from intent_lsp.doors.mcp.tool_request import ToolRequest, in_thread
from intent_lsp.formats.person_wire import PersonQuestion, read_answer
from intent_lsp.governance.calls.admission import Applied, CallDecision
from intent_lsp.governance.calls.approvals import ApprovalQuestion, ApprovalSteps, settled
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.plan.planning import Granted, Wish
from intent_lsp.store.hook_socket import REPLY_SECONDS, listening_place

_log: Final = logging.getLogger(__name__)

CANCELLED: Final = "the request was cancelled before anybody answered"

T = TypeVar("T", CallDecision, Applied)


async def decided(asked: ToolRequest, judge: Callable[[ApprovalAnswer], T]) -> T:
    """Judge a call. If the decision is Ask, ask a person and judge again. Return the last result.

    If the person also expands the intent's scope, grant that before judging again. `judge` judges
    the call with a person's answer. Raise InputNeeded if the client has to call again with the
    person's answer.
    """
    policy = (await in_thread(asked.governance.rules.current)).policy

    async def ask(question: ApprovalQuestion) -> ApprovalAnswer:
        try:
            return await person_answer(asked, question, policy)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                # The refusal is noted although nobody waits for the answer any more.
                await in_thread(judge, ApprovalAnswer(feedback=CANCELLED, final=True))
            raise

    steps = ApprovalSteps(
        judge=lambda word: in_thread(judge, word),
        ask=ask,
        grant=partial(granted_by, asked),
        warn=_log.warning,
    )
    first = await in_thread(judge, await _first_word(asked, policy))
    return await settled(asked.asker.id, first, steps)


async def person_answer(
    asked: ToolRequest, question: ApprovalQuestion, policy: TeamPolicy
) -> ApprovalAnswer:
    """Ask the person at an editor of the root, or, if nobody can be asked there, the client.

    Return the person's answer, or one that says why there is none. Raise InputNeeded if the client
    has to call again with the answer.
    """
    root = await in_thread(os.path.realpath, asked.governance.root)
    seconds = policy.hitl_timeout_seconds
    word = await _at_editor(PersonQuestion(root, question.text, question.titles, seconds))
    return await asked.client.ask(question, asked.asker.id, policy) if word.is_nobody else word


async def granted_by(
    asked: ToolRequest, wish: Wish, word: ApprovalAnswer
) -> Granted | CheckoutRefusal:
    """Grant the wish for more scope that a person has approved with the answer `word`.

    Return the grant, or a refusal.
    """
    return await in_thread(
        asked.governance.planning.grant,
        wish,
        asked.asker,
        by=word.session_id or asked.asker.id,
        unsaved_file=False,
        channel=word.channel,
    )


async def _at_editor(question: PersonQuestion) -> ApprovalAnswer:
    """Ask the person at an editor of the question's root, and return the answer.

    If no editor listens, the connection breaks, or no answer comes in time, the answer says that
    nobody can be asked.
    """
    place = await in_thread(listening_place, question.root)
    if place is None:
        return NO_ANSWER
    with suppress(OSError, anyio.BrokenResourceError, anyio.EndOfStream):
        async with await anyio.connect_unix(place) as stream:
            await stream.send(question.encode())
            reply = b""
            with anyio.move_on_after(question.seconds + REPLY_SECONDS):
                while not reply.endswith(b"\n"):
                    reply += await stream.receive()
            return read_answer(reply)
    return NO_ANSWER


async def _first_word(asked: ToolRequest, policy: TeamPolicy) -> ApprovalAnswer:
    """Return the answer with which a call is judged before anybody is asked about the call.

    It says that somebody can be asked, at an editor or through the client, or why nobody can.
    """
    if await in_thread(listening_place, asked.governance.root) is not None:
        return ASKABLE
    return asked.client.first_word(policy)
