"""Requests that change the plan, on the wire: create, complete, expand, verify (protocol 2)."""

from typing import Annotated, Final

import msgspec

from intent_lsp.core.intents import Status
from intent_lsp.doors.lsp.wire.common import Common, Id
from intent_lsp.formats.msgspec_types import known

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]
Texts = Annotated[tuple[Text, ...], msgspec.Meta(max_length=1000)]
Patterns = Annotated[tuple[Text, ...], msgspec.Meta(min_length=1, max_length=100)]
Seconds = Annotated[int, msgspec.Meta(ge=1, le=30 * 24 * 3600)]


class CreateParams(Common, kw_only=True, frozen=True):
    """`intent/create`; `select`: whoever asks works for it from then on."""

    id: Id | None = None
    name: Text
    owned_scope: Patterns
    constraints: Texts = ()
    acceptance_criteria: Texts = ()
    status: Status = Status.PLANNED
    select: bool = False


class Attempt(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """What became of the tool by which an agent says that its work is done."""

    tool_name: Id
    success: bool = True
    error: Text | None = None


class CompleteParams(Common, kw_only=True, frozen=True):
    """`intent/complete`; `attempt`: a host reports what its agent has tried."""

    intent_id: Id | None = None
    attempt: Attempt | None = None


class ExpandParams(Common, kw_only=True, frozen=True):
    """`intent/requestScopeExpansion`."""

    intent_id: Id | None = None
    patterns: Patterns
    reason: Text | None = None
    ttl_seconds: Seconds | None = None
    grant_token: Id | None = None


class VerificationParams(Common, kw_only=True, frozen=True):
    """`intent/recordVerification`."""

    command: Text
    success: bool
    output: str | None = None


KNOWN: Final = known(CreateParams, CompleteParams, ExpandParams, VerificationParams)
