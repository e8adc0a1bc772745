"""Refused calls: what they announced is kept, so that one that is made all the same is known again.

Invariant: only what the call stated is kept: the hash of a whole text, or the pieces of an edit.
"""

from collections.abc import Iterator
from typing import Final

from intent_lsp.core.agents.refused_edits import PIECES_AT_MOST, RefusedEdit
from intent_lsp.core.agents.tickets import TicketFile
from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.commands.reading import Effect
from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.patch.reader import added_runs
from intent_lsp.governance.root.best_effort import step
from intent_lsp.governance.root.stores import Stores

_IGNORED: Final = (
    "{call} was refused at {time}, but what it announced is now in this file. `intent-lsp doctor`"
    " says whether the host's hook blocks calls. Restore the file if the change is not wanted."
)


def ignored_refusal(stores: Stores, record: Record, path: WorkspacePath) -> str:
    """Return the message about a refused call that was made all the same, by its record."""
    state, made = stores.state, None
    if state is not None and record.refused_call_hash is not None:
        with step("what was refused to agents"):
            made = state.refusals.made(path, record.refused_call_hash)
    if made is None:
        return _IGNORED.format(call="An agent's call", time=f"about {_time(record.timestamp)}")
    host = "an agent" if made.host is None else made.host
    return _IGNORED.format(call=f"The call of {made.tool} by {host}", time=_time(made.at))


def _time(at: str) -> str:
    """Return a time of an RFC 3339 timestamp for people, such as `12:03:04 UTC on 2026-11-25`."""
    day, _, time = at.partition("T")
    return f"{time[:8]} UTC on {day}"


def refused_call(
    stores: Stores, path: WorkspacePath, new: ContentHash, before: bytes | None, after: bytes | None
) -> ContentHash | None:
    """Return the hash of the refused call that a change carries out, and note that it was made.

    `new` is the hash of the content `after`. Return None if no such call is found. Return None,
    too, if an earlier record left the file with that content, since the change may restore it.
    """
    state = stores.state
    if state is None:
        return None
    with step("what was refused to agents"):
        lately = state.refusals.lately(path, stores.clock())
        found = next((each for each in lately if each.appears(new, before, after)), None)
        if found is not None and not stores.past.has_left(path, new):
            state.refusals.note_made(found)
            return found.call
    return None


def keep_refused(stores: Stores, call: ToolCall, files: tuple[TicketFile, ...]) -> None:
    """Keep the edits of a call that was just refused, if the call states what it would write.

    Do nothing without a session database. A failure is logged.
    """
    state = stores.state
    if state is None or not (call.new_text is not None or call.patch or call.pieces):
        return
    now = stores.clock()
    with step("what a refused call announced"):
        state.refusals.keep(_edits(call, files, timestamp(now)), now)


def _edits(call: ToolCall, files: tuple[TicketFile, ...], at: str) -> Iterator[RefusedEdit]:
    for file in files:
        pieces = () if file.announced is not None else _pieces(call, file, len(files))
        if file.effect is not Effect.DELETE and (file.announced is not None or pieces):
            yield RefusedEdit(
                path=file.path,
                call=call.fingerprint,
                tool=call.tool_name,
                host=call.host,
                at=at,
                announced=file.announced,
                pieces=pieces,
            )


def _pieces(call: ToolCall, file: TicketFile, count: int) -> tuple[str, ...]:
    """Return the texts that a call would put into one of its `count` files; () if too large.

    If there are several files, only the lines that a patch adds to this one count.
    """
    runs = added_runs(call.patch) if call.patch is not None else {}
    found = [
        piece
        for name, pieces in runs.items()
        if count == 1 or f"/{file.path}".endswith(f"/{name.strip().removeprefix('./')}")
        for piece in pieces
    ]
    found += call.pieces if count == 1 else ()
    return tuple(found) if sum(map(len, found)) <= PIECES_AT_MOST else ()
