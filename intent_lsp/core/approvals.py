"""What people grant: the approval of one edit, or more scope for an intent (ledger section 1)."""

from enum import StrEnum

from msgspec import Struct


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


class Approval(Struct, frozen=True, kw_only=True):
    """A person's approval of an edit, the session in which it was given, and how it arrived."""

    choice: ApprovalChoice
    session_id: str
    channel: ApprovalChannel = ApprovalChannel.EDITOR


class Grant(Struct, frozen=True, kw_only=True):
    """Globs that a person added to an intent's scope, and the session in which the person did so.

    `reason` is why they were asked for, if that was said. `expires_at` is an RFC 3339 time, or None
    if the grant never ends. `channel` is how the person's answer arrived.
    """

    patterns: tuple[str, ...]
    reason: str | None
    granted_by: str
    expires_at: str | None
    channel: ApprovalChannel = ApprovalChannel.EDITOR
