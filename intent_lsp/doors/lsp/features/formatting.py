"""Formatting of the open intents file, while the setting `format` is on (protocol section 4).

Invariant: if a client lets the server register formatting, it is registered only while the setting
is on. So nobody is asked which of several formatters to use.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.content import split_lines
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.lsp_convert import files_at, lines_of, registration
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffers
from intent_lsp.formats.intents.edit import EditRefused
from intent_lsp.formats.intents.formatting import format_intents, format_lines

_log: Final = logging.getLogger(__name__)

FLAG: Final = "format"
"""The name of the setting."""

AskClient = Callable[[str, object], Awaitable[object]]
"""Sends the client a request with params, given its name."""


class FormattingFeature:
    """Answers formatting requests in intents files on one connection, and registers formatting."""

    def __init__(self, connection: Connection, buffers: IntentsBuffers, ask: AskClient) -> None:
        self._buffers, self._ask = buffers, ask
        self._open_roots = connection.open_roots
        self._spelling = connection.spelling
        self._in_thread = connection.work.in_thread
        client = connection.client
        methods = (
            (client.format_registration, lsp.TEXT_DOCUMENT_FORMATTING),
            (client.range_format_registration, lsp.TEXT_DOCUMENT_RANGE_FORMATTING),
        )
        self._methods = [method for declared, method in methods if declared]
        self._registered = False
        self._lane = asyncio.Lock()

    async def settings_changed(self) -> None:
        """Register formatting at the client if the setting is on now, else unregister it.

        Do nothing if formatting is as it should be already, or if the client lets nobody register
        it.
        """
        async with self._lane:
            wanted = self._is_on()
            if not self._methods or wanted is self._registered:
                return
            self._registered = wanted
            if wanted:
                options = lsp.TextDocumentRegistrationOptions(files_at(INTENTS_FILE))
                fresh = lsp.RegistrationParams([registration(m, options) for m in self._methods])
                await self._ask(lsp.CLIENT_REGISTER_CAPABILITY, fresh)
            else:
                gone = [lsp.Unregistration(id=name, method=name) for name in self._methods]
                await self._ask(lsp.CLIENT_UNREGISTER_CAPABILITY, lsp.UnregistrationParams(gone))

    async def document(self, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
        """Answer `textDocument/formatting`: the edits that set white space in order.

        Return None for any file but an open intents file, while the setting is off, and for a text
        that cannot be formatted; why is logged.
        """
        return await self._formatted(params.text_document.uri, None)

    async def within(self, params: lsp.DocumentRangeFormattingParams) -> list[lsp.TextEdit] | None:
        """Answer `textDocument/rangeFormatting`: those edits that begin on the lines of a range.

        Return None as `document` does, and where these edits alone would change a value.
        """
        first, last = lines_of(params.range)
        return await self._formatted(params.text_document.uri, range(first, last + 1))

    async def _formatted(self, uri: str, lines: range | None) -> list[lsp.TextEdit] | None:
        tracked = await self._buffers.tracked(uri) if self._is_on() else None
        if tracked is None or tracked.version is None:
            return None
        return await self._in_thread(self._edits, "".join(tracked.lines), lines)

    def _edits(self, text: str, lines: range | None) -> list[lsp.TextEdit] | None:
        found = format_intents(text) if lines is None else format_lines(text, lines)
        if isinstance(found, EditRefused):
            _log.warning("%s is not formatted: %s", INTENTS_FILE, found.reason)
            return None
        return self._spelling.edits(found, split_lines(text))

    def _is_on(self) -> bool:
        return self._open_roots.settings.flags[FLAG]
