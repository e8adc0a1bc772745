"""Progress of long work, shown where the client asked for it (protocol section 4)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from lsprotocol import types as lsp

from intent_lsp.doors.lsp.protocol import IntentProtocol


class Progress:
    """Shows progress on one connection."""

    def __init__(self, protocol: IntentProtocol) -> None:
        self._protocol = protocol

    @asynccontextmanager
    async def shown(self, token: str | int | None, title: str) -> AsyncIterator[None]:
        """Show that work goes on under a token of the client's; without one, nothing is shown."""
        if token is None:
            yield
            return
        self._report(token, lsp.WorkDoneProgressBegin(title=title))
        try:
            yield
        finally:
            self._report(token, lsp.WorkDoneProgressEnd())

    def _report(
        self, token: str | int, value: lsp.WorkDoneProgressBegin | lsp.WorkDoneProgressEnd
    ) -> None:
        self._protocol.notify(lsp.PROGRESS, lsp.ProgressParams(token=token, value=value))
