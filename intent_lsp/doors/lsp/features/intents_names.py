"""Renames and highlights of the names of intents in the open intents file (protocol section 4).

Invariant: an edit is for the version of the text that it was computed for.
Invariant: a rename that cannot be made is an error whose message says why.
"""

from collections.abc import Iterator
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.content import split_lines
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import IGNORE_FILE, INTENTS_FILE, path_of_uri
from intent_lsp.core.text import whole
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.lsp_convert import (
    document_edit,
    files_at,
    registration,
    span_range,
    uri_of,
)
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffer, IntentsBuffers
from intent_lsp.doors.lsp.protocol.documents import Documents
from intent_lsp.doors.lsp.runtime.client_capabilities import ClientCapabilities
from intent_lsp.doors.lsp.wire.answers import refused
from intent_lsp.formats.intents.edit import EditRefused
from intent_lsp.formats.intents.rename_intent import ids_ignored, unparsed
from intent_lsp.formats.intents.structure.entries import read_structure
from intent_lsp.formats.intents.structure.mentions import (
    MentionKind,
    NamedIntent,
    inner_range,
    mentions_of,
    named_at,
)
from intent_lsp.governance.plan.planning import unwritten
from intent_lsp.governance.plan.renaming import IgnoreText, ignore_text, not_renamed, rename_edits

_DECLARED: Final = MentionKind.DECLARATION
_NOTHING: Final = "Nothing was renamed"
_NOT_TEXT: Final = (
    f"{IGNORE_FILE} has the intent's id and is not UTF-8 text; save {IGNORE_FILE} as UTF-8 first"
)
_NO_ID: Final = (
    "there is no intent's id here; put the cursor on an id, an alias or the value of active_intent"
)


class IntentsNames:
    """Answers requests about the names of intents in intents files on one connection."""

    def __init__(
        self, connection: Connection, buffers: IntentsBuffers, documents: Documents
    ) -> None:
        self._buffers = buffers
        self._documents = documents
        self._in_thread = connection.work.in_thread
        self._spelling = connection.spelling
        self._people = connection.people

    async def prepared(
        self, params: lsp.PrepareRenameParams
    ) -> lsp.PrepareRenamePlaceholder | None:
        """Answer `textDocument/prepareRename`: the name at a position, and the intent's id.

        Return None in any other file, and where no name of an intent is known. Raise
        JsonRpcException if a name is known there, but the text in the editor does not parse.
        """
        buffer = await self._buffers.of(params.text_document.uri)
        named = None if buffer is None else await self._in_thread(_named, buffer, params.position)
        if buffer is None or named is None:
            return None
        await self._require_parsed(buffer)
        place = buffer.range(*inner_range(buffer.structure.text, named.mention.node))
        if place is None:
            return None
        return lsp.PrepareRenamePlaceholder(range=place, placeholder=whole(named.intent.id))

    async def renamed(self, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        """Answer `textDocument/rename`: the edit of the intents file and of the ignore file.

        Warn the person if the rename changes whether the ignore file excludes the intent. Return
        None in any other file. Raise JsonRpcException if the text in the editor does not parse, if
        there is no name of an intent at the position, or if the intent cannot be renamed.
        """
        buffer = await self._buffers.of(params.text_document.uri)
        if buffer is None:
            await self._require_structure(params.text_document.uri)
            return None
        await self._require_parsed(buffer)
        named = await self._in_thread(_named, buffer, params.position)
        if named is None:
            raise refused(unwritten(_NOTHING, _NO_ID))
        uri, version, ignored = await self._ignored(buffer)
        structure, old_id, text = buffer.structure, named.intent.id, ignored.text
        made = await self._in_thread(rename_edits, structure, text, old_id, params.new_name)
        if isinstance(made, EditRefused):
            raise refused(not_renamed(old_id, made.reason))
        if made.ignored.changes and not ignored.editable:
            raise refused(not_renamed(old_id, _NOT_TEXT))
        if made.ignored.warning is not None:
            self._people.warn(f"intent-lsp: {whole(made.ignored.warning)}")
        edits = self._spelling.edits
        steps = [document_edit(buffer.uri, buffer.version, edits(made.changes, buffer.lines))]
        if made.ignored.changes:
            lines = split_lines(text)
            steps.append(document_edit(uri, version, edits(made.ignored.changes, lines)))
        return self._spelling.joined_edit(steps)

    async def highlights(
        self, params: lsp.DocumentHighlightParams
    ) -> list[lsp.DocumentHighlight] | None:
        """Answer `textDocument/documentHighlight`: every mention of the intent at a position.

        The intent's id has the kind `Write`, all other mentions have the kind `Read`. Return None
        where there is no name of an intent, and in any other file.
        """
        # Some clients ask at each move of the cursor, in every file.
        if not (path_of_uri(params.text_document.uri) or "").endswith(INTENTS_FILE):
            return None
        buffer = await self._buffers.of(params.text_document.uri)
        return None if buffer is None else await self._in_thread(_shown, buffer, params.position)

    async def places(
        self, buffer: IntentsBuffer, intent: Intent, *, declared: bool
    ) -> list[lsp.Location]:
        """Return where an intent is named: in the intents file, and by lines of the ignore file.

        The first place is that of the intent's id, which is left out if `declared` is false.
        """
        found = await self._in_thread(_mentions, buffer, intent)
        found.sort(key=lambda each: each[0] is not _DECLARED)
        own = [place for kind, place in found if declared or kind is not _DECLARED]
        uri, _, ignored = await self._ignored(buffer)
        text = ignored.text if ignored.editable else ""
        names, lines = buffer.structure.intents.names(intent), split_lines(text)
        encoding = self._spelling.encoding
        spans = (span for span, _ in ids_ignored(text, names))
        excluding = [lsp.Location(uri, span_range(lines, span, encoding)) for span in spans]
        return [*(lsp.Location(buffer.uri, place) for place in own), *excluding]

    async def _require_parsed(self, buffer: IntentsBuffer) -> None:
        """Raise JsonRpcException if the text of the buffer does not parse."""
        if not buffer.places.same:
            problem = await self._in_thread(unparsed, "".join(buffer.lines))
            raise refused(unwritten(_NOTHING, problem.reason))

    async def _require_structure(self, uri: str) -> None:
        """Raise JsonRpcException if an intents file whose text does not parse is open at a URI."""
        document = self._documents.get(uri)
        if document is None or not (path_of_uri(uri) or "").endswith(INTENTS_FILE):
            return
        text = document.text
        if await self._in_thread(read_structure, text) is None:
            problem = await self._in_thread(unparsed, text)
            raise refused(unwritten(_NOTHING, problem.reason))

    async def _ignored(self, buffer: IntentsBuffer) -> tuple[str, int | None, IgnoreText]:
        """Return URI, version and text of the root's ignore file: the open one, or that on disk.

        The version is None if the file is not open.
        """
        root = buffer.open_root.governance.root
        uri = uri_of(root / IGNORE_FILE)
        document = self._documents.get(uri)
        if document is not None:
            return document.uri, document.version, IgnoreText(document.text)
        return uri, None, await self._in_thread(ignore_text, root)


def names_registrations(client: ClientCapabilities) -> Iterator[lsp.Registration]:
    """Yield the registrations of renames and of highlights for the intents file alone.

    One that the client does not support is left out.
    """
    only = files_at(INTENTS_FILE)
    if client.rename_registration:
        prepares = client.prepares_renames or None
        options = lsp.RenameRegistrationOptions(prepare_provider=prepares, document_selector=only)
        yield registration(lsp.TEXT_DOCUMENT_RENAME, options)
    if client.highlight_registration:
        yield registration(
            lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, lsp.DocumentHighlightRegistrationOptions(only)
        )


def _mentions(buffer: IntentsBuffer, intent: Intent) -> list[tuple[MentionKind, lsp.Range]]:
    """Return the mentions of an intent on lines that have not changed since the text parsed.

    Each has its kind and its range, without quotes, in the client's units.
    """
    text = buffer.structure.text
    found = (
        (mention.kind, buffer.range(*inner_range(text, mention.node)))
        for mention in mentions_of(buffer.structure, intent)
    )
    return [(kind, place) for kind, place in found if place is not None]


def _shown(buffer: IntentsBuffer, position: lsp.Position) -> list[lsp.DocumentHighlight] | None:
    """Return the highlights of the intent that is named at a position, or None if none is named."""
    named = _named(buffer, position)
    if named is None:
        return None
    read, written = lsp.DocumentHighlightKind.Read, lsp.DocumentHighlightKind.Write
    return [
        lsp.DocumentHighlight(range=place, kind=written if kind is _DECLARED else read)
        for kind, place in _mentions(buffer, named.intent)
    ]


def _named(buffer: IntentsBuffer, position: lsp.Position) -> NamedIntent | None:
    offset = buffer.offset(position)
    return None if offset is None else named_at(buffer.structure, offset)
