"""Code lenses above the intents of the open intents file (protocol section 4).

Invariant: counts, which need git and the ledger, are made only for a lens that the client resolves.
"""

from collections.abc import Iterator
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.intents import Intent
from intent_lsp.core.text import counted
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffer, IntentsBuffers
from intent_lsp.doors.lsp.runtime.client_capabilities import ClientCapabilities, member
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.wire.answers import JsonObject
from intent_lsp.doors.lsp.wire.names import CommandName, RequestName
from intent_lsp.governance.authoring.authoring import choices_of

_FILES: Final = "files"
_RECORDS: Final = "records"
_TOP: Final = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
_TEXT_ONLY: Final = ""
"""The command of a lens that only shows text."""

_GONE: Final = lsp.Command("…", _TEXT_ONLY)
"""What is shown for an intent that has gone from the text since: the client asks again."""


class IntentsLenses:
    """Answers code lens requests in intents files on one connection."""

    def __init__(self, connection: Connection, buffers: IntentsBuffers) -> None:
        self._buffers = buffers
        self._tracked_documents = connection.tracked_documents
        self._in_thread = connection.work.in_thread
        self._client = connection.client

    async def lenses(self, buffer: IntentsBuffer) -> list[lsp.CodeLens]:
        """Return the lenses of the intents in the text.

        Each intent has *Selected* or *Select*, and *Complete*, where they apply. Then follow a lens
        for the files of its scope, if there is a git repository, and a lens for its records. These
        two have no title until they are resolved.
        """
        unsaved = self._tracked_documents.unsaved(buffer.open_root)
        return await self._in_thread(lambda: list(_lenses(buffer, unsaved=unsaved)))

    async def resolved(self, lens: lsp.CodeLens) -> lsp.CodeLens:
        """Answer `codeLens/resolve`: the lens with a count of files or records as its title.

        The command of the lens lists the files or records. If there are none, or if git does not
        list the files, the title says so, and the command does nothing. The same holds for an
        intent that has gone, with the title `…`. A lens that has a command already or is not one of
        ours stays as it is.
        """
        uri, intent_id, counts = (member(lens.data, key) for key in ("uri", "intent", "counts"))
        if lens.command is not None or not isinstance(uri, str) or not isinstance(intent_id, str):
            return lens
        buffer = await self._buffers.of(uri)
        intent = None if buffer is None else buffer.structure.intents.get(intent_id)
        if buffer is None or intent is None:
            lens.command = _GONE
        elif counts == _RECORDS:
            lens.command = await self._in_thread(_records, buffer, intent, self._client)
        else:
            await self._buffers.renewals.renew(buffer.open_root)
            place = lens.range.start
            lens.command = await self._in_thread(_files, buffer, intent, place, self._client)
        return lens


def _lenses(buffer: IntentsBuffer, *, unsaved: bool) -> Iterator[lsp.CodeLens]:
    open_root, structure = buffer.open_root, buffer.structure
    session, governance = open_root.session, open_root.governance
    rules = governance.rules.current()
    active = governance.sessions.active_intent(session.id, session.agent_id)
    for entry in structure.entries:
        place, intent = buffer.range(entry.start, entry.start), entry.intent
        # Of several entries with one id, the id means the first.
        if place is None or intent is None or structure.intents.get(intent.id) is not intent:
            continue
        choices = choices_of(rules, active, entry, unsaved=unsaved)
        argument = _argument(open_root, intent.id)
        if choices.selected:
            yield lsp.CodeLens(place, lsp.Command("Selected", _TEXT_ONLY))
        if choices.selectable:
            yield lsp.CodeLens(place, _command("Select", RequestName.SELECT, argument))
        if choices.completable:
            yield lsp.CodeLens(place, _command("Complete", RequestName.COMPLETE, argument))
        for counts in (_FILES, _RECORDS) if open_root.authoring.lists_files else (_RECORDS,):
            data = {"uri": buffer.uri, "intent": intent.id, "counts": counts}
            yield lsp.CodeLens(place, data=data)


def _files(
    buffer: IntentsBuffer, intent: Intent, place: lsp.Position, client: ClientCapabilities
) -> lsp.Command:
    """Return the command that shows the files of an intent, with their number as title.

    If there are none, or if they are unknown, the title says so, and the command does nothing.
    """
    open_root = buffer.open_root
    found = open_root.authoring.owned(intent)
    if found is None:
        return lsp.Command("files unknown", _TEXT_ONLY)
    if not found.count:
        return lsp.Command("no file", _TEXT_ONLY)
    title = counted(found.count, "file")
    if client.locations_command is None:
        return _command(title, CommandName.SHOW_FILES, _argument(open_root, intent.id))
    root = open_root.governance.root
    places = [lsp.Location(uri_of(root / path), _TOP) for path in found.first]
    return lsp.Command(title, client.locations_command, arguments=[buffer.uri, place, places])


def _records(buffer: IntentsBuffer, intent: Intent, client: ClientCapabilities) -> lsp.Command:
    """Return the command that lists the records of an intent, with their number as title.

    If there are none, the title says so, and the command does nothing.
    """
    open_root = buffer.open_root
    count = open_root.authoring.record_count(buffer.structure.intents, intent)
    if not count:
        return lsp.Command("no record", _TEXT_ONLY)
    title = counted(count, "record")
    if client.records_command is None:
        return _command(title, CommandName.SHOW_RECORDS, _argument(open_root, intent.id))
    return lsp.Command(title, client.records_command, arguments=[intent.id])


def _argument(open_root: OpenRoot, intent_id: str) -> JsonObject:
    return {"intentId": intent_id, "workspaceUri": uri_of(open_root.governance.root)}


def _command(title: str, name: RequestName | CommandName, argument: JsonObject) -> lsp.Command:
    return lsp.Command(title, f"intent.{name}", arguments=[argument])
