"""A person's answer when asked to approve an agent's call (requirements section 6, row 16)."""

from dataclasses import dataclass
from typing import Final

from intent_lsp.core.records import ApprovalChoice

NOBODY_TO_ASK: Final = "no editor is connected here in which a person could be asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalAnswer:
    """A person's answer. `approval` is None if the call is not approved; `feedback` then says why.

    `can_be_asked`: nobody has been asked yet, but a person can be. `is_nobody`: the client cannot
    ask a person. `session_id` is the session of the person who approved. `final`: the call stays
    denied even if the gate would now allow it, because the person rejected it or the request was
    cancelled.
    """

    approval: ApprovalChoice | None = None
    feedback: str = NOBODY_TO_ASK
    can_be_asked: bool = False
    final: bool = False
    session_id: str | None = None
    is_nobody: bool = False


NO_ANSWER: Final = ApprovalAnswer(is_nobody=True)
"""The answer where no person can be asked."""
ASKABLE: Final = ApprovalAnswer(can_be_asked=True)
"""The answer before a person is asked."""
