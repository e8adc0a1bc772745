"""A person's word on an agent's call (requirements section 6, row 16)."""

from dataclasses import dataclass
from typing import Final

from intent_lsp.core.records import ApprovalChoice

NOBODY_TO_ASK: Final = "nobody can be asked through this door"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalAnswer:
    """What a person has said: `approval`, else why none was given (`feedback`).

    `can_be_asked`: nobody has been asked yet, and somebody can be. `session_id` is the person's.
    `final`: no, whatever the gate says by now: they said so, or nobody waits for it any more.
    """

    approval: ApprovalChoice | None = None
    feedback: str = NOBODY_TO_ASK
    can_be_asked: bool = False
    final: bool = False
    session_id: str | None = None
    is_nobody: bool = False


NO_ANSWER: Final = ApprovalAnswer(is_nobody=True)
ASKABLE: Final = ApprovalAnswer(can_be_asked=True)
