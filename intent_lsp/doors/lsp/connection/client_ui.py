"""Shows messages to the person at the client, asks them, and applies edits (protocol section 4).

Invariant: an error, null, a result of the wrong type and a timeout all count as no answer.
"""

from collections.abc import Sequence
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.doors.lsp.diagnostics.lsp_convert import LspEncoder, uri_of
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.runtime.client_capabilities import ClientCapabilities

DECISION_TIME: Final = 3600.0
"""Seconds that the person has to answer a question that has no time limit of its own."""

EDIT_TIME: Final = 10.0
"""Seconds that the editor has to apply an edit, delete a file or open a document."""


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
        """Have the editor open the document at `uri`, as `show` does with a file."""
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
