"""Params that all requests share, and params of the requests that are not about a tool call.

Specified in protocol section 2.
"""

from datetime import datetime
from typing import Annotated, Final

import msgspec

from intent_lsp.core.errors import WrongParamsError
from intent_lsp.formats.msgspec_types import register_msgspec_types
from intent_lsp.formats.params.read import file_named

Id = Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
Url = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]
Since = Annotated[datetime, msgspec.Meta(tz=True)]
Limit = Annotated[int, msgspec.Meta(ge=1, le=1000)]

_DIGITS: Final = 40
"""The most digits of a cursor; that of a record has a time and the number of a file in it."""


def read_cursor(written: str) -> int:
    """Return the number that the cursor of a page is. Raise WrongParamsError if it is none."""
    if not (written.isascii() and written.isdigit() and len(written) <= _DIGITS):
        said = f"{written[:40]!r} is not a cursor that this server returned"
        raise WrongParamsError("cursor", said)
    return int(written)


class CommonParams(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """The fields that the params of every request `intent/*` may have."""

    session_id: Id | None = None
    agent_id: Id | None = None
    workspace_uri: str | None = None

    def workspace(self) -> str | None:
        """Return the absolute path in `workspaceUri`, or None if there is none.

        Raise WrongParamsError for a URI that is not a `file:` URI.
        """
        uri = self.workspace_uri
        return None if uri is None else file_named(uri, "workspaceUri")


class SelectParams(CommonParams, frozen=True):
    """Params of `intent/select`: the intent that the session selects.

    `new_turn`: a new turn of the agent begins before the selection.
    """

    intent_id: Id
    model_identifier: Id | None = None
    conversation_url: Url | None = None
    new_turn: bool = False


class ChangeParams(CommonParams, frozen=True):
    """Params of `intent/change`: the record whose changes are asked for."""

    record_id: Id


class PathParams(CommonParams, frozen=True):
    """Params that name a file, by `uri` or by `path`."""

    path: str | None = None
    uri: str | None = None

    def workspace(self) -> str | None:
        """Return the absolute path in `workspaceUri`, else that in `uri`, else None.

        Raise WrongParamsError for a URI that is not a `file:` URI.
        """
        named = super().workspace()
        return named if named is not None or self.uri is None else file_named(self.uri, "uri")

    def required_path(self) -> str:
        """Return `uri` if it is given, else `path`, as given.

        Raise WrongParamsError if neither is given, or if the result would be "".
        """
        spelled = self.uri if self.uri is not None else self.path
        if not spelled:
            raise WrongParamsError("path", "a path or a uri is needed")
        return spelled


class TraceParams(PathParams, frozen=True):
    """Params of `intent/trace`: which records to list, how many, and after which to go on.

    `of_session` selects the records of a session. `session_id` is the session that asks. `cursor`
    comes from an earlier answer.
    """

    intent_id: Id | None = None
    of_session: Id | None = None
    since: Since | None = None
    limit: Limit = 20
    cursor: str | None = None


class LinesParams(CommonParams, frozen=True):
    """Params of `intent/lines`: the intent whose lines in all files are asked for.

    `work_done_token` is the client's token for progress reports, or None.
    """

    intent_id: Id
    work_done_token: str | int | None = None


class VerifyParams(CommonParams, frozen=True):
    """Params of `intent/verify`, which verifies the ledger.

    `work_done_token` is the client's token for progress reports, or None.
    """

    work_done_token: str | int | None = None


class IntentParams(CommonParams, frozen=True):
    """Params of `intent.showFiles` and `intent.showRecords`: the intent that they are about."""

    intent_id: Id


class DraftParams(CommonParams, frozen=True):
    """Params of the command `intent.restoreDraft`: the id of the draft."""

    id: Id


class CodeParams(msgspec.Struct, frozen=True):
    """Params of the command `intent.showCodes`: a code, or None for all that concern edits."""

    code: Annotated[str, msgspec.Meta(pattern="^[A-Z][A-Z_]*$", max_length=100)] | None = None


class WirePosition(msgspec.Struct, frozen=True):
    """A position in a text, as the client sends it.

    Both numbers count from 0, `character` in the units that the client and the server have agreed.
    """

    line: int
    character: int


class WireRange(msgspec.Struct, frozen=True):
    """A range in a text, as the client sends it: up to but not including `end`."""

    start: WirePosition
    end: WirePosition


class BlameParams(PathParams, frozen=True):
    """Params of `intent/blame`: a file, and a range of it, or None for all its lines."""

    range: WireRange | None = None


class PlaceParams(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """Params of commands about an open document: the document, and a range in it.

    `range` is None for the whole document. `version` is the version of the document that is meant,
    or None for any.
    """

    uri: str
    range: WireRange | None = None
    version: int | None = None


KNOWN: Final = register_msgspec_types(
    SelectParams,
    PathParams,
    TraceParams,
    LinesParams,
    VerifyParams,
    CodeParams,
    IntentParams,
    DraftParams,
    BlameParams,
    ChangeParams,
    PlaceParams,
    CommonParams,
)
