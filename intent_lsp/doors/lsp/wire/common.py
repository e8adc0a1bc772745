"""The params and results that several `intent/*` requests share (protocol section 2).

Invariant: names are sent in camelCase; params in snake_case are accepted too. Records and the
`details` of a refusal are sent verbatim.
"""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Final, TypeVar

import msgspec

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import is_file_name
from intent_lsp.core.records import Record, ScopeValidation
from intent_lsp.core.text import whole
from intent_lsp.formats.decision_json import decision_json
from intent_lsp.formats.msgspec_types import register_msgspec_types
from intent_lsp.governance.governance import GovernanceStatus
from intent_lsp.governance.judging.save_judge import Judgement
from intent_lsp.store.state.drafts import Draft

JsonObject = dict[str, Any]

Id = Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
Url = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]
Since = Annotated[datetime, msgspec.Meta(tz=True)]
Limit = Annotated[int, msgspec.Meta(ge=1, le=1000)]

DID_DENY: Final = "intent/didDeny"
DID_TRACE: Final = "intent/didTrace"

_OF_FILES: Final = frozenset(
    {"path", "paths", "uri", "workspaceUri", "changes", "readHashes", "command", "patch"}
)
"""Fields that may hold a file name, which need not be valid text."""

_PROSE: Final = frozenset({"error", "output", "reason"})
"""Fields that hosts truncate anywhere. A half character in them is accepted."""

_OTHER_NAMES: Final = {
    "filePath": "path",
    "originalHash": "readHash",
    "content": "newText",
    "newContent": "newText",
}


class CommonParams(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """The fields that the params of every request may have."""

    session_id: Id | None = None
    agent_id: Id | None = None
    workspace_uri: str | None = None


class SelectParams(CommonParams, frozen=True):
    """Params of `intent/select`. `new_turn`: begin the agent's next turn first."""

    intent_id: Id
    model_identifier: Id | None = None
    conversation_url: Url | None = None
    new_turn: bool = False


class ChangeParams(CommonParams, frozen=True):
    """Params of `intent/change`."""

    record_id: Id


class PathParams(CommonParams, frozen=True):
    """Params that name a file, by URI or by root-relative path."""

    path: str | None = None
    uri: str | None = None


class TraceParams(PathParams, frozen=True):
    """Params of `intent/trace`.

    `of_session` filters records; `session_id` is the asking session.
    """

    intent_id: Id | None = None
    of_session: Id | None = None
    since: Since | None = None
    limit: Limit = 20
    cursor: str | None = None


class LinesParams(CommonParams, frozen=True):
    """Params of `intent/lines`."""

    intent_id: Id
    work_done_token: str | int | None = None


class VerifyParams(CommonParams, frozen=True):
    """Params of `intent/verify`."""

    work_done_token: str | int | None = None


class DraftParams(CommonParams, frozen=True):
    """Params of `intent.restoreDraft`."""

    id: Id


class WirePosition(msgspec.Struct, frozen=True):
    """A position in the client's units."""

    line: int
    character: int


class WireRange(msgspec.Struct, frozen=True):
    """A range in the client's units."""

    start: WirePosition
    end: WirePosition


class BlameParams(PathParams, frozen=True):
    """Params of `intent/blame`."""

    range: WireRange | None = None


class PlaceParams(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """Params of `intent.showWhy` and `intent.revert`: a place, and the document's version."""

    uri: str
    range: WireRange | None = None
    version: int | None = None


_S = TypeVar("_S", bound=msgspec.Struct)


class WrongParamsError(Exception):
    """Wrong params. The message names the field."""


def read_params(given: object, shape: type[_S]) -> _S:
    """Return a params object as a `shape`; None is an empty object. Raise WrongParamsError."""
    if given is None or given == []:
        # Some client languages encode an empty object as an empty list.
        given = {}
    if not isinstance(given, Mapping):
        raise WrongParamsError(f"params: expected an object, got {type(given).__name__}")
    named = {_camel(str(name)): value for name, value in given.items()}
    for field in shape.__struct_encode_fields__:
        try:
            _hold_to_text(named.get(field), field, f"params.{field}")
        except RecursionError as problem:
            raise WrongParamsError(f"params.{field}: nested too deeply") from problem
    try:
        params = msgspec.convert(named, shape)
    except msgspec.ValidationError as problem:
        raise WrongParamsError(_field_first(str(problem))) from problem
    return params


def _hold_to_text(value: object, field: str, place: str) -> None:
    """Raise WrongParamsError for a lone surrogate: JSON can encode it, but no text may hold it.

    `field` is the innermost field name of the value. `place` is its full path for the message.
    """
    if isinstance(value, str) and not _is_text(value, field):
        raise WrongParamsError(
            f"{place}: an incomplete character (a lone surrogate), which no text may hold"
        )
    if isinstance(value, list):
        for number, item in enumerate(value):
            _hold_to_text(item, field, f"{place}[{number}]")
    if isinstance(value, Mapping):
        for name, item in value.items():
            # A key may be a file name, as in `readHashes` and in the changes of an edit.
            _hold_to_text(name, "path", place)
            _hold_to_text(item, str(name), f"{place}.{name}")


def _is_text(value: str, field: str) -> bool:
    if field in _OF_FILES:
        return is_file_name(value)
    return field in _PROSE or whole(value) == value


def status_wire(status: GovernanceStatus) -> JsonObject:
    """Return a `Status` as JSON."""
    told = {_camel(name): value for name, value in asdict(status).items()}
    told["heads"] = list(status.heads)
    for name in ("reason", "polling"):
        if told[name] is None:
            del told[name]
    return told


def decision_wire(
    judgement: Judgement, uri: str, pre_hash: ContentHash | None = None
) -> JsonObject:
    """Return the `Decision` on a save of one file as JSON."""
    verdict, intent = judgement.verdict, judgement.intent
    return decision_json(
        judgement.decision,
        verdict=ScopeValidation.EXEMPT if verdict is None else verdict,
        intent_id=None if intent is None else intent.id,
        files=[{"path": judgement.path, "uri": uri, "preHash": pre_hash}],
    )


def trace_wire(record: Record) -> JsonObject:
    """Return the params of `intent/didTrace`."""
    return {
        "recordId": record.id,
        "paths": [file.path for file in record.files],
        "intentId": record.intent_id,
        "scopeValidation": record.scope_validation.value,
    }


def draft_wire(draft: Draft) -> JsonObject:
    """Return one entry of `intent/drafts`."""
    return {
        "id": draft.id,
        "path": draft.path,
        "createdAt": draft.created_at,
        "code": draft.code,
        "intentId": draft.intent_id,
    }


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    spelled = head + "".join(part[:1].upper() + part[1:] for part in rest) if head else name
    return _OTHER_NAMES.get(spelled, spelled)


def _field_first(problem: str) -> str:
    """Return msgspec's message with the field in front: `params.intentId: Expected …`."""
    said, _, place = problem.partition(" - at `$")
    return f"params{place.rstrip('`')}: {said}" if place else f"params: {said}"


KNOWN: Final = register_msgspec_types(
    SelectParams,
    PathParams,
    TraceParams,
    LinesParams,
    VerifyParams,
    DraftParams,
    BlameParams,
    ChangeParams,
    PlaceParams,
    CommonParams,
)
