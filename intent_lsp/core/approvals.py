"""What people have granted: the approval of one edit, and scope of an intent (ledger section 1)."""

from dataclasses import dataclass
from enum import StrEnum


class ApprovalChoice(StrEnum):
    """How a person approved an edit: only this edit, or by expanding the intent's scope."""

    ONCE = "once"
    EXPANDED = "expanded"


class ApprovalChannel(StrEnum):
    """How a person's answer reached the gate: from their editor, or through an agent's client.

    An elicitation is a question of the Model Context Protocol. The client that is asked, or a hook
    of it, may answer instead of a person.
    """

    EDITOR = "editor"
    ELICITATION = "elicitation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A person's approval of an edit, the session in which it was given, and how it arrived."""

    choice: ApprovalChoice
    session_id: str
    channel: ApprovalChannel = ApprovalChannel.EDITOR


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """Scope that a person granted to an intent: globs, and the session that granted them.

    `expires_at` is an RFC 3339 time, or None if the grant never ends. `channel` is how the person's
    answer arrived.
    """

    patterns: tuple[str, ...]
    reason: str | None
    granted_by: str
    expires_at: str | None
    channel: ApprovalChannel = ApprovalChannel.EDITOR
