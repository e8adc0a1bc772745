"""The `intent.*` commands of code actions and command palettes (protocol section 2, last rows).

Invariant: a command edits a document only in the version that its edits were made for, if the
client supports versions.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from intent_lsp.core.codes import RequestCode
from intent_lsp.core.errors import WrongParamsError
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.features.actions.revert_actions import RevertRefusal, planned_revert
from intent_lsp.doors.lsp.features.actions.scope_actions import CREATE_TITLE
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffers
from intent_lsp.doors.lsp.features.refusal_prompts import RefusalPrompts
from intent_lsp.doors.lsp.requests.request_table import RequestTable
from intent_lsp.doors.lsp.requests.show_commands import ShowCommands, tracked_at
from intent_lsp.doors.lsp.requests.workspace_lookup import session_of
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.wire.answers import JsonObject, accepted, failed, invalid
from intent_lsp.doors.lsp.wire.names import CommandName, RequestName
from intent_lsp.formats.params.read import read_params
from intent_lsp.formats.params.requests import CommonParams, DraftParams, PlaceParams
from intent_lsp.governance.plan.checkout import selection_json

OFFERED: Final = 9
MORE: Final = "More…"


class Commands:
    """Runs the `intent.*` commands of one connection."""

    def __init__(
        self,
        connection: Connection,
        requests: RequestTable,
        offers: RefusalPrompts,
        buffers: IntentsBuffers,
    ) -> None:
        self._connection = connection
        self._requests, self._finder = requests, requests.finder
        self._offers = offers
        self._finish = connection.finish
        restore = requests.finder.with_root(DraftParams, self.restore_draft)
        self._handlers: Mapping[str, Callable[[object], Awaitable[JsonObject | None]]] = {
            **ShowCommands(connection, requests.finder, buffers).handlers,
            CommandName.RESTORE_DRAFT: lambda given: self._finish(restore(given)),
            CommandName.REVERT: lambda given: self._finish(self.revert(given)),
            # Not wrapped in `finish`: a person may take long to choose, and may be cancelled until
            # then.
            RequestName.SELECT: self.select,
        }

    async def run(self, name: RequestName | CommandName, given: object = None) -> JsonObject | None:
        """Run a command, and return its result. `given` is its argument, or None without one.

        Once the command has begun to change something, cancelling the request does not stop it.
        Raise JsonRpcException if the argument is wrong or the command cannot be run.
        """
        handler = self._handlers.get(name)
        try:
            if handler is not None:
                return await handler(given)
            return await self._requests.answer(RequestName(name), given)
        except WrongParamsError as error:
            raise invalid(error) from error

    async def select(self, given: object) -> JsonObject | None:
        """Run `intent.select`: make an intent active, and return the selection.

        `given` is the params object, an intent's id, or None. If `given` names no intent, the
        person chooses one. Return None if no intent is open or chosen. Raise WrongParamsError if
        `given` has another type or the client cannot ask the person, and JsonRpcException if the
        intent cannot be selected.
        """
        if isinstance(given, str):
            given = {"intentId": given}
        elif given is None:
            given = {}
        if not isinstance(given, dict):
            raise WrongParamsError("", "expected an object, the id of an intent, or nothing")
        told = read_params(given, CommonParams)
        if "intentId" in given or "intent_id" in given:
            return await self._requests.answer(RequestName.SELECT, given)
        return await self._choose(told)

    async def restore_draft(self, open_root: OpenRoot, params: DraftParams) -> JsonObject:
        """Run `intent.restoreDraft`: put the text of a draft back into the editor's buffer.

        Have the editor open the file first, if needed. Return whether the buffer has the text now;
        if it has, the draft is deleted. Raise JsonRpcException if there is no such draft or the
        file is not opened.
        """
        tracked_documents = self._connection.tracked_documents
        drafts = open_root.governance.stores.drafts
        draft = await tracked_documents.work.in_thread(drafts.get, params.id)
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

    async def revert(self, given: object) -> JsonObject:
        """Run `intent.revert`: revert the violations on a range of lines, or the whole file.

        Without a range, revert the whole file. `lines_edits` and `file_edits` say to which text.
        Return whether the editor applied the edits. If no edits were sent to the editor, also
        return why. Raise WrongParamsError if the server does not track the file.
        """
        params = read_params(given, PlaceParams)
        tracked = tracked_at(self._connection, params)
        edits = planned_revert(tracked, params, self._connection.spelling)
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
                theirs, select = session_of(params, open_root), self._connection.choices.select
                done = await self._finish(select(open_root, theirs, by_title[chosen]))
                return selection_json(accepted(done))
            if chosen != MORE:
                break
        if not self._connection.people.can_choose:
            ids = ", ".join(by_title.values())
            # Also a warning: Helix does not show the error of a failed command.
            self._connection.people.warn(
                f"intent-lsp: this editor cannot show a list of intents; to select one of {ids},"
                " use the quick fix “Select intent …” on a line that intent-lsp has marked"
            )
            raise WrongParamsError(
                "intentId",
                f"is missing, and this editor cannot show a list to choose from; give one of {ids}",
            )
        return None
