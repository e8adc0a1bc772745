"""The commands that show something at the editor: a message, a document, or a place in a file.

Specified in protocol section 2.8. Lists of files and of records are shown as a message, for clients
that have no command of their own to show such a list.

Invariant: a document that the server provides is shown only if the client can fetch it.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final

from intent_lsp.core.errors import WrongParamsError
from intent_lsp.core.intents import Intent, Intents
from intent_lsp.core.paths import INTENTS_FILE, path_of_uri
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.lsp_convert import range_wire, span_range, uri_of
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffers
from intent_lsp.doors.lsp.requests.workspace_lookup import RequestHandler, RootLookup
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.wire.answers import JsonObject, refused
from intent_lsp.doors.lsp.wire.names import CommandName
from intent_lsp.formats.document_uris import ContentDocument, ContentSide, RecordDocument
from intent_lsp.formats.markdown.editor_text import plain_of
from intent_lsp.formats.params.read import read_params
from intent_lsp.formats.params.requests import ChangeParams, CodeParams, IntentParams, PlaceParams
from intent_lsp.governance.authoring.explanations import Explanation
from intent_lsp.governance.plan.checkout import unknown
from intent_lsp.governance.violations.cause import RefusalCause, cause_of

_UriIn = Callable[[object], Awaitable[str]]


class ShowCommands:
    """Runs the commands of one connection that show something. `handlers` run them, by name."""

    def __init__(self, connection: Connection, finder: RootLookup, buffers: IntentsBuffers) -> None:
        self._connection = connection
        self._in_thread = connection.work.in_thread
        self._finder, self._buffers = finder, buffers
        self.handlers: Final[Mapping[str, RequestHandler]] = {
            CommandName.SHOW_WHY: lambda given: connection.finish(self.why(given)),
            CommandName.SHOW_CODES: self.codes,
            CommandName.SHOW_RECORD: partial(self.document, self._record),
            CommandName.SHOW_DISK: partial(self.document, self._disk),
            CommandName.SHOW_FILES: finder.with_root(IntentParams, self.files),
            CommandName.SHOW_RECORDS: finder.with_root(IntentParams, self.records),
        }

    async def why(self, given: object) -> JsonObject:
        """Run `intent.showWhy`: show the first violation on a range, and the file's owners.

        Without a range, the whole file is meant. If there is no violation, say only that. If the
        refusal comes from a place in the intents file, have the editor open the intents file there.
        Return the text shown and that place, if there is one. Raise WrongParamsError if the server
        does not track the file.
        """
        params = read_params(given, PlaceParams)
        tracked = tracked_at(self._connection, params)
        first, last = 0, len(tracked.lines)
        if params.range is not None:
            first, last = params.range.start.line, params.range.end.line
        said = [
            f"{problem.message}\n{_because(tracked, problem.owners)}"
            for problem in tracked.problems
            if problem.first_line <= last and problem.last_line >= first
        ]
        text = said[0] if said else "No rule is broken here."
        cause = await self._cause(tracked) if said else None
        if cause is None:
            self._connection.people.show_message(f"intent-lsp: {text}")
            return {"text": text}
        text = f"{text} See {INTENTS_FILE}:{cause.span.start.line + 1}."
        self._connection.people.show_message(f"intent-lsp: {text}")
        place = span_range(cause.lines, cause.span, self._connection.spelling.encoding)
        # Not awaited: an editor that shows nothing must not delay the answer.
        showing = self._connection.people.show(str(cause.path), place)
        self._connection.work.begin(showing)
        return {"text": text, "uri": uri_of(cause.path), "range": range_wire(place)}

    async def codes(self, given: object) -> JsonObject:
        """Run `intent.showCodes`: have the editor open the page of codes. Return whether it did."""
        uri = self._connection.spelling.codes_uri(read_params(given, CodeParams).code)
        return {"shown": uri is not None and await self._connection.people.show_uri(uri)}

    async def document(self, uri_in: _UriIn, given: object) -> JsonObject:
        """Run `intent.showRecord` or `intent.showDisk`: have the editor open a document.

        `uri_in` returns the URI of the document, given the argument of the command. Return whether
        the document was opened. Raise WrongParamsError for a wrong argument, and JsonRpcException
        if no root governs the workspace.
        """
        if not self._connection.client.text_contents:
            return {"shown": False}
        return {"shown": await self._connection.people.show_uri(await uri_in(given))}

    async def files(self, open_root: OpenRoot, params: IntentParams) -> JsonObject:
        """Run `intent.showFiles`: show how many files an intent's globs cover, and the first files.

        Return the text shown. If git does not list the files, the text says that. Raise
        JsonRpcException for an unknown intent.
        """
        _, intent = await self._named(open_root, params)
        await self._buffers.renewals.renew(open_root)
        found = await self._in_thread(open_root.authoring.explanations.of_scope, intent)
        why = (
            f"which files {intent.id} owns is unknown: there is no git repository here, or git did"
            " not answer"
        )
        return self._explained(found or Explanation(why, ()))

    async def records(self, open_root: OpenRoot, params: IntentParams) -> JsonObject:
        """Run `intent.showRecords`: show how many records an intent has, and the newest ones.

        Return the text shown. Raise JsonRpcException for an unknown intent.
        """
        intents, intent = await self._named(open_root, params)
        records_of = open_root.authoring.explanations.of_records
        return self._explained(await self._in_thread(records_of, intents, intent))

    def _explained(self, found: Explanation) -> JsonObject:
        text = plain_of(found.title, found.paragraphs)
        self._connection.people.show_message(f"intent-lsp: {text}")
        return {"text": text}

    async def _record(self, given: object) -> str:
        params = read_params(given, ChangeParams)
        open_root = await self._finder.open_root(params)
        return RecordDocument(str(open_root.governance.root), params.record_id).uri

    async def _disk(self, given: object) -> str:
        params = read_params(given, PlaceParams)
        tracked = self._connection.tracked_documents.tracked_at(params.uri)
        # The name that the editor has for the file, by which it is found again.
        path = None if tracked is None or tracked.place is None else path_of_uri(tracked.uri)
        if path is None:
            raise WrongParamsError("uri", f"{params.uri} is not open, or no root governs it")
        return ContentDocument(path=path, side=ContentSide.DISK).uri

    async def _named(self, open_root: OpenRoot, params: IntentParams) -> tuple[Intents, Intent]:
        """Return all intents of a root, and the one of them that a command's argument names.

        The intents are those of the intents file in the editor, saved or not. If it is not open,
        they are those of the file on disk. Raise JsonRpcException for an unknown intent.
        """
        buffer = await self._buffers.of(uri_of(open_root.governance.root / INTENTS_FILE))
        rules = await self._in_thread(open_root.governance.rules.current)
        intents = rules.file.intents if buffer is None else buffer.structure.intents
        intent = intents.get(params.intent_id)
        if intent is None:
            raise refused(unknown(rules, params.intent_id))
        return intents, intent

    async def _cause(self, tracked: TrackedDocument) -> RefusalCause | None:
        """Return the place in the intents file that the refusal of a document's edits comes from.

        Return None if it comes from no place there.
        """
        if tracked.look is None or tracked.open_root is None:
            return None
        root, documents = tracked.open_root.governance.root, self._connection.tracked_documents
        shown = documents.open_at(tracked.open_root, (INTENTS_FILE,)).get(INTENTS_FILE)
        opened = None if shown is None else list(shown.lines)
        return await documents.work.in_thread(cause_of, root, tracked.look.judgement, opened)


def tracked_at(connection: Connection, params: PlaceParams) -> TrackedDocument:
    """Return the document that a command is about. Raise WrongParamsError if it is not tracked.

    A closed document may still be tracked, so that its violations stay shown.
    """
    tracked = connection.tracked_documents.tracked_at(params.uri)
    if tracked is None:
        raise WrongParamsError("uri", f"{params.uri} is not open")
    return tracked


def _because(tracked: TrackedDocument, owners: tuple[str, ...]) -> str:
    look = tracked.look
    intent = None if look is None else look.judgement.intent
    globs = "" if intent is None else ", ".join(intent.owned_scope) or "(nothing)"
    scope = "" if intent is None else f"{intent.id} owns: {globs}. "
    owning = ", ".join(owners) or "(none)"
    return f"{scope}Open intents that own this file: {owning}."
