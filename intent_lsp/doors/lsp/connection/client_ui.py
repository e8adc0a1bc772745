"""What the client does for the server: shows messages, asks the person, edits, shows progress.

Specified in protocol section 4.
Invariant: an error, null, a result of the wrong type and a timeout all count as no answer.
Invariant: if the client has given no token for a piece of work, its progress is shown only after a
second.
Invariant: every progress that has begun is ended, even if the work fails.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from threading import Lock
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.doors.lsp.diagnostics.lsp_convert import LspEncoder, uri_of
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.runtime.client_capabilities import ClientCapabilities

DECISION_TIME: Final = 3600.0
"""Seconds that the person has to answer a question that has no time limit of its own."""

EDIT_TIME: Final = 10.0
"""Seconds that the editor has to apply an edit, delete a file or open a document."""

WONDERING: Final = 1.0
"""Seconds after which work without a client's token is shown."""

Token = str | int
ProgressReport = Callable[[int, int], None]
"""Called with the amount done and the total, in any unit, from any thread."""


class ClientUi:
    """Shows messages to the person at one connection, asks them, and has the editor apply edits."""

    def __init__(
        self, protocol: IntentProtocol, client: ClientCapabilities, spelling: LspEncoder
    ) -> None:
        self._protocol = protocol
        self._client = client
        self._spelling = spelling

    def show_message(self, message: str, kind: lsp.MessageType = lsp.MessageType.Info) -> None:
        """Show a message to the person, by `window/showMessage`."""
        self._protocol.notify(
            lsp.WINDOW_SHOW_MESSAGE, lsp.ShowMessageParams(type=kind, message=message)
        )

    def warn(self, message: str) -> None:
        """Show a message to the person as a warning."""
        self.show_message(message, lsp.MessageType.Warning)

    async def choose(
        self,
        message: str,
        titles: Sequence[str],
        kind: lsp.MessageType = lsp.MessageType.Info,
        seconds: float = DECISION_TIME,
    ) -> str | None:
        """Ask the person to choose one of `titles`, by `window/showMessageRequest`.

        Return the chosen title. Return None if the client answers anything else, or nothing within
        `seconds`.
        """
        answer = await self._protocol.ask(
            lsp.WINDOW_SHOW_MESSAGE_REQUEST,
            lsp.ShowMessageRequestParams(
                type=kind,
                message=message,
                actions=[lsp.MessageActionItem(title=title) for title in titles],
            ),
            seconds,
        )
        title = answer.title if isinstance(answer, lsp.MessageActionItem) else None
        return title if title in titles else None

    @property
    def can_choose(self) -> bool:
        """False once the client has answered that it does not know `window/showMessageRequest`."""
        return self._protocol.understands(lsp.WINDOW_SHOW_MESSAGE_REQUEST)

    async def offer(self, message: str, titles: Sequence[str]) -> str | None:
        """Show a warning to the person, with a button for each of `titles`.

        Return the title of the chosen button, or None if none is chosen. If the client cannot ask
        the person, the warning is shown without buttons.
        """
        chosen = None
        if self.can_choose:
            chosen = await self.choose(message, titles, lsp.MessageType.Warning)
        if not self.can_choose:
            self.warn(f"intent-lsp: {message}")
        return chosen

    async def apply(
        self, uri: str, version: int | None, edits: Sequence[lsp.TextEdit], label: str
    ) -> bool:
        """Have the editor apply edits to the document at `uri`. Return whether it says that it did.

        `version` is the document version that they fit, or None for a file that is not open.
        `label` names the edit in the editor.
        """
        return await self.apply_edit(self._spelling.workspace_edit(uri, version, edits), label)

    async def apply_edit(self, edit: lsp.WorkspaceEdit, label: str) -> bool:
        """Have the editor apply a WorkspaceEdit. Return whether it was applied.

        Return False too if the editor does not answer within EDIT_TIME. `label` names the edit in
        the editor.
        """
        answer = await self._protocol.ask(
            lsp.WORKSPACE_APPLY_EDIT,
            lsp.ApplyWorkspaceEditParams(edit=edit, label=label),
            EDIT_TIME,
        )
        return isinstance(answer, lsp.ApplyWorkspaceEditResult) and answer.applied

    async def delete(self, uri: str, label: str) -> bool:
        """Have the editor delete the file at `uri`. Return whether it was deleted.

        Return False too if the editor does not support that, or if it does not answer within
        EDIT_TIME.
        """
        if not self._client.delete_files:
            return False
        edit = lsp.WorkspaceEdit(document_changes=[lsp.DeleteFile(uri=uri)])
        return await self.apply_edit(edit, label)

    async def show(self, path: str, selection: lsp.Range | None = None) -> bool:
        """Have the editor open the file at `path`. Return whether it was opened.

        `selection` is what to select in it, or None for nothing. Return False too if the editor
        does not support that, or if it does not answer within EDIT_TIME.
        """
        return await self.show_uri(uri_of(path), selection)

    async def show_uri(self, uri: str, selection: lsp.Range | None = None) -> bool:
        """Have the editor open the document at `uri`. Return whether it was opened.

        `selection` and the result are as for `show`.
        """
        if not self._client.show_document:
            return False
        answer = await self._protocol.ask(
            lsp.WINDOW_SHOW_DOCUMENT,
            lsp.ShowDocumentParams(uri=uri, take_focus=True, selection=selection),
            EDIT_TIME,
        )
        return isinstance(answer, lsp.ShowDocumentResult) and answer.success

    @property
    def takes_notifications(self) -> bool:
        """Whether the client asked for the custom notifications `intent/*`."""
        return self._client.notifications

    def notify(self, method: str, params: object) -> None:
        """Send a custom notification, if the client asked for such notifications."""
        if self.takes_notifications:
            self._protocol.notify(method, params)


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
