"""The `intent.*` commands of code actions and command palettes (protocol section 2, last rows).

Invariant: a command edits a document only in the version that its edits were made for, if the
client supports versions.
"""

from typing import Final

from intent_lsp.core.codes import RequestCode
from intent_lsp.core.errors import WrongParamsError
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.lsp_convert import range_wire, span_range, uri_of
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.features.actions.revert_actions import RevertActions, RevertRefusal
from intent_lsp.doors.lsp.features.actions.scope_actions import CREATE_TITLE
from intent_lsp.doors.lsp.features.refusal_prompts import RefusalPrompts
from intent_lsp.doors.lsp.requests.document_commands import DocumentCommands
from intent_lsp.doors.lsp.requests.intent_listings import IntentListings
from intent_lsp.doors.lsp.requests.request_table import RequestTable
from intent_lsp.doors.lsp.wire.common import JsonObject
from intent_lsp.doors.lsp.wire.names import CommandName, RequestName
from intent_lsp.doors.lsp.wire.params import failed, invalid
from intent_lsp.formats.params.read import read_params
from intent_lsp.formats.params.requests import CommonParams, DraftParams, PlaceParams
from intent_lsp.governance.violations.cause import RefusalCause, cause_of

OFFERED: Final = 9
MORE: Final = "More…"


class Commands:
    """Runs the `intent.*` commands of one connection."""

    def __init__(
        self,
        connection: Connection,
        requests: RequestTable,
        reverts: RevertActions,
        offers: RefusalPrompts,
        listings: IntentListings,
    ) -> None:
        self._connection = connection
        self._requests = requests
        self._finder, self._intents = requests.finder, requests.intents
        self._reverts = reverts
        self._documents = DocumentCommands(connection, requests.finder)
        self._offers = offers
        self._listings = listings
        self._finish = connection.finish

    async def run(self, name: RequestName | CommandName, given: object = None) -> JsonObject | None:
        """Run one command with the argument `given`, None without an argument. Return its result.

        Once the command has begun to change something, cancelling the request does not stop it.
        Raise JsonRpcException if the argument is wrong or the command cannot be run.
        """
        try:
            return await self._run(name, given)
        except WrongParamsError as error:
            raise invalid(error) from error

    async def _run(self, name: RequestName | CommandName, given: object) -> JsonObject | None:
        match name:
            case CommandName.RESTORE_DRAFT:
                done = self.restore_draft(given)
            case CommandName.SHOW_WHY:
                done = self.show_why(given)
            case CommandName.REVERT:
                done = self.revert(given)
            case CommandName.SHOW_CODES | CommandName.SHOW_RECORD | CommandName.SHOW_DISK:
                return {"shown": await self._documents.run(name, given)}
            case CommandName.SHOW_FILES | CommandName.SHOW_RECORDS:
                return await self._listings.run(name, given)
            case RequestName.SELECT:
                # Not wrapped in `finish`: a person may take long to choose, and may be cancelled
                # until then.
                return await self.select(given)
            case _:
                return await self._requests.answer(name, given)
        return await self._finish(done)

    async def select(self, given: object = None) -> JsonObject | None:
        """Run `intent.select`: make an intent active, and return the selection.

        `given` is the params object, an intent's id, or None. If it names no intent, the person
        chooses one. Return None if no intent is open or chosen. Raise WrongParamsError if `given`
        has another type or the client cannot ask the person, and JsonRpcException if the intent
        cannot be selected.
        """
        if isinstance(given, str):
            return await self._finish(self._intents.select({"intentId": given}))
        told = read_params(given if isinstance(given, dict) else {}, CommonParams)
        if isinstance(given, dict) and ("intentId" in given or "intent_id" in given):
            return await self._finish(self._intents.select(given))
        if given is not None and not isinstance(given, dict):
            raise WrongParamsError("", "expected an object, the id of an intent, or nothing")
        return await self._choose(told)

    async def restore_draft(self, given: object = None) -> JsonObject:
        """Run `intent.restoreDraft`: put the text of a draft back into the editor's buffer.

        Have the editor open the file first, if needed. Return whether the buffer has the text now;
        the draft is then deleted. Raise JsonRpcException if there is no such draft or the file is
        not opened.
        """
        params = read_params(given, DraftParams)
        open_root = await self._finder.open_root(params)
        tracked_documents = self._connection.tracked_documents
        draft = await tracked_documents.work.in_thread(
            open_root.governance.stores.drafts.get, params.id
        )
        if draft is None:
            said = f"There is no draft {params.id}; `intent.drafts` lists those that are kept."
            raise failed(RequestCode.DRAFT_UNKNOWN, said, {})
        path = open_root.governance.root / draft.path
        tracked = tracked_documents.tracked_at(uri_of(path))
        if tracked is None or tracked.version is None:
            await self._connection.people.show(str(path))
            tracked = tracked_documents.tracked_at(uri_of(path))
        if tracked is None or tracked.version is None:
            raise failed(
                RequestCode.DRAFT_UNKNOWN, f"Open {draft.path} first, then restore the draft.", {}
            )
        await tracked_documents.settled(tracked.uri)
        return {"restored": await self._offers.restore(tracked, draft)}

    async def show_why(self, given: object = None) -> JsonObject:
        """Run `intent.showWhy`: show the first violation on a range, and the file's owners.

        Without a range, the whole file is meant. If there is no violation, show only that. Have the
        editor open the intents file at the place that the refusal of the document's edits comes
        from, if there is one. Return the text shown and, if the place is shown, that. Raise
        WrongParamsError if the file is not tracked.
        """
        params = read_params(given, PlaceParams)
        tracked = self._open(params)
        first, last = _lines(params, tracked)
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

    async def revert(self, given: object = None) -> JsonObject:
        """Run `intent.revert`: change violations on a range of lines, or the file, back to HEAD.

        Without a range, the whole file is meant. Return whether the editor applied that. If nothing
        was sent to it, also return why. Raise WrongParamsError if the file is not tracked.
        """
        params = read_params(given, PlaceParams)
        tracked = self._open(params)
        edits = self._reverts.planned(tracked, params)
        if isinstance(edits, RevertRefusal):
            return {"applied": False, "reason": edits.reason}
        people = self._connection.people
        return {"applied": await people.apply(tracked.uri, tracked.version, edits, "Revert")}

    async def _choose(self, params: CommonParams) -> JsonObject | None:
        """Let the person choose an open intent, most recently used first, and select it.

        Return the selection, or None if no intent is open or chosen. Raise WrongParamsError if the
        client cannot ask the person.
        """
        open_root = await self._finder.open_root(params)
        usable = await self._connection.work.in_thread(open_root.governance.open_intents)
        by_title = {intent.label: intent.id for intent in usable}
        titles = list(by_title)
        if not titles:
            self._connection.people.show_message(
                f"intent-lsp: there is no open intent; to create one, use the quick fix"
                f" “{CREATE_TITLE}” on a line that intent-lsp has marked"
            )
            return None
        while titles:
            page, titles = titles[:OFFERED], titles[OFFERED:]
            chosen = await self._connection.people.choose(
                "Which intent are you working on?", page + ([MORE] if titles else [])
            )
            if chosen in by_title:
                selecting = self._intents.select_intent(open_root, by_title[chosen], params)
                return await self._finish(selecting)
            if chosen != MORE:
                break
        if not self._connection.people.can_choose:
            ids = ", ".join(by_title.values())
            # Also a warning: Helix does not show the error of a failed command.
            self._connection.people.warn(
                f"intent-lsp: this editor cannot show a list of intents; to select one of {ids},"
                " use the quick fix “Select intent …” on a line that intent-lsp has marked"
            )
            raise WrongParamsError("intentId", f"name one intent of {ids}")
        return None

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

    def _open(self, params: PlaceParams) -> TrackedDocument:
        tracked = self._connection.tracked_documents.tracked_at(params.uri)
        if tracked is None:
            raise WrongParamsError("uri", f"{params.uri} is not open")
        return tracked


def _lines(params: PlaceParams, tracked: TrackedDocument) -> tuple[int, int]:
    if params.range is None:
        return 0, len(tracked.lines)
    return params.range.start.line, params.range.end.line


def _because(tracked: TrackedDocument, owners: tuple[str, ...]) -> str:
    look = tracked.look
    intent = None if look is None else look.judgement.intent
    globs = "" if intent is None else ", ".join(intent.owned_scope) or "(nothing)"
    scope = "" if intent is None else f"{intent.id} owns: {globs}. "
    owning = ", ".join(owners) or "(none)"
    return f"{scope}Open intents that own this file: {owning}."
