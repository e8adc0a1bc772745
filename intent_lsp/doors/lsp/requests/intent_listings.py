"""Lists of an intent's files and records, shown as a message (protocol section 2, last rows).

They are for clients that have no command of their own to show such a list.
"""

from intent_lsp.core.intents import Intent, Intents
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffers
from intent_lsp.doors.lsp.requests.workspace_lookup import RootLookup
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.wire.common import JsonObject
from intent_lsp.doors.lsp.wire.names import CommandName, RequestName
from intent_lsp.doors.lsp.wire.params import refused
from intent_lsp.formats.markdown.hover_text import plain_of
from intent_lsp.formats.params.read import read_params
from intent_lsp.formats.params.requests import IntentParams
from intent_lsp.governance.authoring.explanations import Explanation
from intent_lsp.governance.plan.checkout import unknown


class IntentListings:
    """Runs the commands that list what an intent has, on one connection."""

    def __init__(self, connection: Connection, finder: RootLookup, buffers: IntentsBuffers) -> None:
        self._people = connection.people
        self._in_thread = connection.work.in_thread
        self._finder = finder
        self._buffers = buffers

    async def run(self, name: RequestName | CommandName, given: object) -> JsonObject:
        """Run `intent.showFiles` or `intent.showRecords`: show what an intent has, in a message.

        These are how many files its globs cover and the first of them, or how many records it has
        and the newest; or that the files are unknown. Return the text shown. Raise JsonRpcException
        for an unknown intent.
        """
        open_root, intents, intent = await self._found(given)
        authoring = open_root.authoring
        found: Explanation | None
        if name is CommandName.SHOW_RECORDS:
            found = await self._in_thread(authoring.records_of, intents, intent)
        else:
            await self._buffers.renewals.renew(open_root)
            found = await self._in_thread(authoring.scope_of, intent)
        if found is None:
            why = f"which files {intent.id} owns is unknown, since git does not list the files"
            found = Explanation(why, ())
        text = plain_of(found.title, found.paragraphs)
        self._people.show_message(f"intent-lsp: {text}")
        return {"text": text}

    async def _found(self, given: object) -> tuple[OpenRoot, Intents, Intent]:
        """Return the root and the intent in a command's argument, with the intents beside it.

        They are those of the open intents file, saved or not, else of the one on disk.
        """
        params = read_params(given, IntentParams)
        open_root = await self._finder.open_root(params)
        buffer = await self._buffers.of(uri_of(open_root.governance.root / INTENTS_FILE))
        rules = await self._in_thread(open_root.governance.rules.current)
        intents = rules.file.intents if buffer is None else buffer.structure.intents
        intent = intents.get(params.intent_id)
        if intent is None:
            raise refused(unknown(rules, params.intent_id))
        return open_root, intents, intent
