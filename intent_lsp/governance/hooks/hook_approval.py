"""Settles a hook's call that a person has to approve, while the host waits for the hook.

Invariant: the person has less time than the host waits for a hook at least, so that the refusal
arrives.
"""

import logging
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from intent_lsp.core.agents.hook_answer import SHARE_OF_LIMIT
from intent_lsp.core.gate.request import ASKABLE, NO_ANSWER, ApprovalAnswer, Ask
from intent_lsp.formats.hosts.host import Host
from intent_lsp.governance.calls.admission import CallDecision
from intent_lsp.governance.calls.approvals import (
    ApprovalQuestion,
    ApprovalSteps,
    ApprovalTime,
    PersonAtEditor,
    settled,
)
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.plan.planning import Granted, Wish

_log: Final = logging.getLogger(__name__)

RESERVED: Final = 2.0
"""Seconds of a hook's time that are left for everything but the person."""

_CUT: Final = ", as long as a hook of {host} may wait (hitl_timeout_seconds is {seconds})"

JudgeCall = Callable[[ApprovalAnswer], CallDecision]
"""Judges a call with a person's answer."""


class HookApproval(Struct, frozen=True):
    """Asks for approval of one host's calls in one root. `person` None: nobody can be asked."""

    governance: Governance
    host: Host
    person: PersonAtEditor | None

    def decided(self, session_id: str, agent_id: str, judge: JudgeCall) -> CallDecision:
        """Judge a call of a session; if a person has to decide, ask and judge again.

        Return the last decision. Without `person`, judge once, with NO_ANSWER.
        """
        person = self.person
        if person is None:
            return judge(NO_ANSWER)

        async def judged(word: ApprovalAnswer) -> CallDecision:
            return judge(word)

        async def ask(question: ApprovalQuestion) -> ApprovalAnswer:
            return person.ask(question, self._time())

        async def grant(wish: Wish, _: ApprovalAnswer) -> Granted | CheckoutRefusal:
            return person.grant(wish, self.governance.sessions.open_agent(session_id, agent_id))

        first = judge(ASKABLE)
        if not isinstance(first.decision, Ask):
            return first
        steps = ApprovalSteps(
            judge=judged,
            decision_of=lambda decided: decided,
            ask=ask,
            grant=grant,
            warn=_log.warning,
        )
        # Loaded when somebody is asked: most hooks are answered without.
        import asyncio  # noqa: PLC0415

        return asyncio.run(settled(session_id, first, steps))

    def _time(self) -> ApprovalTime:
        wanted = self.governance.rules.current().policy.hitl_timeout_seconds
        most = self.host.limit_seconds * SHARE_OF_LIMIT - RESERVED
        if wanted <= most:
            return ApprovalTime(wanted)
        return ApprovalTime(most, _CUT.format(host=self.host.name, seconds=wanted))
