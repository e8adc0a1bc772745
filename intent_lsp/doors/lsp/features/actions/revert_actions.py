"""Code actions that revert lines or a file, and the edits for that (protocol section 4.3).

Invariant: an edit is computed only while the document has the version for which it was offered. A
client that resolves actions gets the edit when the person chooses the action, so that it is
computed once.
"""

from collections.abc import Sequence
from typing import Final

from lsprotocol import types as lsp
from msgspec import Struct
from pygls.exceptions import JsonRpcException

from intent_lsp.core.codes import GateCode
from intent_lsp.core.errors import WrongParamsError
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.lsp_convert import (
    LspEncoder,
    hunk_change,
    line_range,
    range_wire,
)
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.features.actions.scope_actions import command_action
from intent_lsp.doors.lsp.runtime.client_capabilities import member
from intent_lsp.doors.lsp.wire.answers import invalid
from intent_lsp.formats.params.read import read_params
from intent_lsp.formats.params.requests import PlaceParams
from intent_lsp.governance.violations.violation import Violation

REVERT: Final = "intent.revert"

DATA_VERSION: Final = 1
"""The version of the `data` of an action whose edit is still to be computed."""

LINES_TITLE: Final = "Revert these lines"
FILE_TITLE: Final = "Revert the file"
DISK_TITLE: Final = "Take the version on disk"

_MOVED: Final = "the text has changed in the meantime; try again"
_NOTHING: Final = "there is nothing to revert"


class RevertRefusal(Struct, frozen=True):
    """Why nothing is reverted, as a clause for the person."""

    reason: str


def revert_actions(
    connection: Connection, tracked: TrackedDocument, problem: Violation
) -> list[lsp.CodeAction]:
    """Return an action that reverts the lines of a violation, and one that reverts the file.

    Each is left out if there is nothing to revert, or no text to revert to. A closed document
    has neither.
    """
    look = tracked.look
    if tracked.version is None or look is None:
        return []
    ways = []
    if problem.hunk is not None and look.head.lines is not None:
        lines = (problem.first_line, problem.last_line)
        ways.append(_action(connection, LINES_TITLE, tracked, lines))
    wanted = _wanted(tracked)
    if wanted is not None and wanted != tracked.lines:
        stale = problem.code == GateCode.STALE_FILE
        ways.append(_action(connection, DISK_TITLE if stale else FILE_TITLE, tracked, None))
    return ways


def planned_revert(
    tracked: TrackedDocument, params: PlaceParams, spelling: LspEncoder
) -> Sequence[lsp.TextEdit] | RevertRefusal:
    """Return the edits that revert the violations in a range or, without a range, the file.

    Return a refusal if `params` names another version than the document has, or if there is
    nothing to revert.
    """
    if params.version is not None and params.version != tracked.version:
        return RevertRefusal(_MOVED)
    place = params.range
    lines = None if place is None else (place.start.line, place.end.line)
    return _edits(tracked, lines, spelling) or RevertRefusal(_NOTHING)


async def resolved_action(connection: Connection, action: lsp.CodeAction) -> lsp.CodeAction:
    """Answer `codeAction/resolve`: add the edit to a revert action that was offered without it.

    Any other action stays as it is. All are returned without their diagnostics. Raise
    JsonRpcException: ContentModified if the document is closed, if it or its file has changed since
    the offer, or if there is nothing to revert any more, and InvalidParams if `revert` in the
    action's data is malformed.
    """
    # The client has them.
    action.diagnostics = None
    target, stale = member(action.data, "revert"), member(action.data, "stale") is True
    if member(action.data, "v") != DATA_VERSION or target is None:
        return action
    try:
        params = read_params(target, PlaceParams)
    except WrongParamsError as error:
        raise invalid(error) from error
    documents = connection.tracked_documents
    tracked = documents.tracked_at(params.uri)
    if tracked is None or tracked.version is None:
        raise _modified("the document is not open any more")
    await documents.settled(tracked.uri)
    if stale:
        # The disk may have changed again since the action was offered.
        await documents.look_again(tracked)
    if tracked.look is None or tracked.look.stale is not stale:
        raise _modified(_MOVED)
    edits = planned_revert(tracked, params, connection.spelling)
    if isinstance(edits, RevertRefusal):
        raise _modified(edits.reason)
    action.edit = connection.spelling.workspace_edit(tracked.uri, tracked.version, edits)
    return action


def lines_edits(
    tracked: TrackedDocument, first: int, last: int, spelling: LspEncoder
) -> list[lsp.TextEdit]:
    """Return the edits that revert to HEAD each violation that touches the lines `first` to `last`.

    A violation is reverted whole. In a repository without a commit, the file's initial content
    counts as HEAD; for a file that only the server may write, the text that the editor read last.
    Return no edits if there is no such text, or if the document has no snapshot. Lines are counted
    from 0, and `last` is included. `spelling` encodes the edits.
    """
    look = tracked.look
    if look is None or look.head.lines is None:
        return []
    changes = (
        hunk_change(problem.hunk, look.head.lines)
        for problem in tracked.problems
        if problem.hunk is not None and problem.first_line <= last and problem.last_line >= first
    )
    return spelling.edits(changes, tracked.lines)


def file_edits(tracked: TrackedDocument, spelling: LspEncoder) -> list[lsp.TextEdit]:
    """Return the edits that revert a whole file to HEAD or, in three cases, to another text.

    It is reverted to the text on disk if that is newer than what the editor has read, or if edits
    of the file are allowed, so that only unsaved edits are lost. In a repository without a commit,
    it is reverted to its initial content. If only the server may write the file, it is reverted to
    the text that the editor read last. Return no edits if there is no such text, or if the document
    has no snapshot. `spelling` encodes the edits.
    """
    wanted = _wanted(tracked)
    return [] if wanted is None else spelling.turning_edits(tracked.lines, wanted)


def _action(
    connection: Connection, title: str, tracked: TrackedDocument, lines: tuple[int, int] | None
) -> lsp.CodeAction:
    """Return an action that reverts the lines `lines`, or the file if `lines` is None.

    `lines` are the first and the last line. If the client ignores versions, the action runs
    `intent.revert`. Otherwise it has its edit, unless the client asks for edits by
    `codeAction/resolve`.
    """
    client, spelling = connection.client, connection.spelling
    target: dict[str, object] = {"uri": tracked.uri, "version": tracked.version}
    if lines is not None:
        target["range"] = range_wire(line_range(tracked.lines, *lines, spelling.encoding))
    if not client.document_changes:
        return command_action(title, REVERT, target)
    action = lsp.CodeAction(title=title, kind=lsp.CodeActionKind.QuickFix)
    if client.resolves_edits:
        stale = tracked.look is not None and tracked.look.stale
        action.data = {"v": DATA_VERSION, "revert": target, "stale": stale}
    else:
        edits = _edits(tracked, lines, spelling)
        action.edit = spelling.workspace_edit(tracked.uri, tracked.version, edits)
    return action


def _wanted(tracked: TrackedDocument) -> Sequence[str] | None:
    """Return the text to which a file is reverted, or None if there is none."""
    look = tracked.look
    if look is None:
        return None
    if look.stale:
        # What is taken from the disk need not be in HEAD. Where no file is left, there is no
        # version to take: an empty text is not what the disk holds.
        return None if look.disk.absent else look.disk.lines
    return look.head.lines


def _edits(
    tracked: TrackedDocument, lines: tuple[int, int] | None, spelling: LspEncoder
) -> list[lsp.TextEdit]:
    """Return the `lines_edits` of some lines, or the `file_edits` if `lines` is None."""
    if lines is None:
        return file_edits(tracked, spelling)
    return lines_edits(tracked, *lines, spelling)


def _modified(reason: str) -> JsonRpcException:
    return JsonRpcException(reason, code=lsp.LSPErrorCodes.ContentModified.value)
