"""Settles a call that a person has to approve, by asking through the client.

Invariant: a call that is cancelled while the client is asked leaves a refusal in the audit log.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import anyio

from intent_lsp.core.approvals import ApprovalChannel
from intent_lsp.core.gate.request import ApprovalAnswer
from intent_lsp.core.policy import TeamPolicy
from intent_lsp.doors.mcp.tool_request import ToolRequest, in_thread
from intent_lsp.governance.calls.admission import CallDecision
from intent_lsp.governance.calls.approvals import ApprovalQuestion, ApprovalSteps, settled
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.plan.planning import Granted, Wish

_log: Final = logging.getLogger(__name__)

CANCELLED: Final = "the request was cancelled before anybody answered"

T = TypeVar("T")


async def decided(
    asked: ToolRequest,
    judge: Callable[[ApprovalAnswer], T],
    decision_of: Callable[[T], CallDecision],
) -> T:
    """Judge a call, ask through the client if a person has to decide, and judge it again.

    `decision_of` returns the decision in a result of `judge`. Raise InputNeeded if the client has
    to call again with the answer.
    """
    policy = (await in_thread(asked.governance.rules.current)).policy
    approval = _CallApproval(asked, judge, policy)
    steps = ApprovalSteps(
        judge=approval.judged,
        decision_of=decision_of,
        ask=approval.ask,
        grant=approval.grant,
        warn=_log.warning,
    )
    first = await approval.judged(asked.client.first_word(policy))
    return await settled(asked.asker.id, first, steps)


@dataclass(frozen=True, slots=True)
class _CallApproval(Generic[T]):
    """The steps of one call, from its first judgement to its last."""

    asked: ToolRequest
    judge: Callable[[ApprovalAnswer], T]
    policy: TeamPolicy

    async def judged(self, word: ApprovalAnswer) -> T:
        return await in_thread(self.judge, word)

    async def ask(self, question: ApprovalQuestion) -> ApprovalAnswer:
        try:
            return await self.asked.client.ask(question, self.asked.asker.id, self.policy)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                # The refusal is noted although nobody waits for the answer any more.
                await self.judged(ApprovalAnswer(feedback=CANCELLED, final=True))
            raise

    async def grant(self, wish: Wish) -> Granted | CheckoutRefusal:
        return await in_thread(
            self.asked.governance.planning.grant,
            wish,
            self.asked.asker,
            by=self.asked.asker.id,
            unsaved_file=False,
            channel=ApprovalChannel.ELICITATION,
        )
