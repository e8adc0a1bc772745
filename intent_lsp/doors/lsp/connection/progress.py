"""Work-done progress of long operations, if the client supports it (protocol section 4).

Invariant: work without a client's token is not shown until it has taken a second.
Invariant: every progress that has begun is ended, even if the work fails.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from threading import Lock
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.runtime.client_capabilities import ClientCapabilities

WONDERING: Final = 1.0
"""Seconds after which work without a client's token is shown."""

Token = str | int
ProgressReport = Callable[[int, int], None]
"""Called with the amount done and the total, in any unit, from any thread."""


class ClientProgress:
    """Shows the progress of long operations to one client."""

    def __init__(
        self, protocol: IntentProtocol, client: ClientCapabilities, wondering: float = WONDERING
    ) -> None:
        self._protocol = protocol
        self._client = client
        self._wondering = wondering

    @asynccontextmanager
    async def shown(self, token: Token | None, title: str) -> AsyncIterator[ProgressReport]:
        """Show the progress of work while the context is open. Yield a function to report it.

        The progress is shown under the client's `token`. If that is None, it is shown under a new
        token once the work has taken WONDERING seconds, if the client supports that. `title` says
        what the work is.
        """
        bar = _Bar(self._protocol, title)
        later: asyncio.Task[None] | None = None
        if token is not None:
            bar.begin(token)
        elif self._client.progress:
            later = asyncio.create_task(self._begin_later(bar))
        try:
            yield bar.report
        finally:
            if later is not None:
                later.cancel()
            bar.end()

    async def _begin_later(self, bar: "_Bar") -> None:
        await asyncio.sleep(self._wondering)
        token = str(uuid.uuid4())
        params = lsp.WorkDoneProgressCreateParams(token=token)
        await self._protocol.ask(lsp.WINDOW_WORK_DONE_PROGRESS_CREATE, params)
        bar.begin(token)


class _Bar:
    """The progress of one piece of work. It sends nothing before `begin` or after `end`."""

    def __init__(self, protocol: IntentProtocol, title: str) -> None:
        self._protocol = protocol
        self._title = title
        self._lock = Lock()
        self._token: Token | None = None
        self._percentage = 0

    def begin(self, token: Token) -> None:
        with self._lock:
            self._token = token
            self._say(lsp.WorkDoneProgressBegin(title=self._title, percentage=self._percentage))

    def report(self, done: int, of: int) -> None:
        percentage = min(100, done * 100 // of) if of else 100
        with self._lock:
            # Send only whole percents that are new.
            if percentage > self._percentage:
                self._percentage = percentage
                self._say(lsp.WorkDoneProgressReport(percentage=percentage))

    def end(self) -> None:
        with self._lock:
            self._say(lsp.WorkDoneProgressEnd())
            self._token = None

    def _say(
        self,
        value: lsp.WorkDoneProgressBegin | lsp.WorkDoneProgressReport | lsp.WorkDoneProgressEnd,
    ) -> None:
        if self._token is not None:
            params = lsp.ProgressParams(token=self._token, value=value)
            self._protocol.notify(lsp.PROGRESS, params)
