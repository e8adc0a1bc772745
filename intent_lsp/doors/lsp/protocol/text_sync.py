"""Applies LSP's document and folder notifications to `Documents` and the workspace.

Invariant: notebook documents are ignored.
"""

from lsprotocol import types as lsp
from pygls.workspace import Workspace

from intent_lsp.doors.lsp.protocol.documents import ContentChange, Documents
from intent_lsp.doors.lsp.protocol.positions import ClientPosition, ClientRange


def open_document(documents: Documents, params: lsp.DidOpenTextDocumentParams) -> None:
    """Add the document of a `didOpen` notification to the open documents."""
    item = params.text_document
    documents.open(uri=item.uri, version=item.version, language_id=item.language_id, text=item.text)


def change_document(documents: Documents, params: lsp.DidChangeTextDocumentParams) -> None:
    """Apply the changes of a `didChange` notification to an open document.

    `Document.edits` of the document are then the edits of lines that the changes made. A document
    that is not open is ignored.
    """
    changes = [_read(event) for event in params.content_changes]
    documents.change(params.text_document.uri, params.text_document.version, changes)


def close_document(documents: Documents, params: lsp.DidCloseTextDocumentParams) -> None:
    """Remove the document of a `didClose` notification from the open documents."""
    documents.close(params.text_document.uri)


def change_folders(workspace: Workspace, params: lsp.DidChangeWorkspaceFoldersParams) -> None:
    """Remove and add the workspace folders that the client names.

    A folder that is to be both removed and added stays.
    """
    for folder in params.event.removed:
        workspace.remove_folder(folder.uri)
    for folder in params.event.added:
        workspace.add_folder(folder)


def _read(event: lsp.TextDocumentContentChangeEvent) -> ContentChange:
    if isinstance(event, lsp.TextDocumentContentChangeWholeDocument):
        return ContentChange(event.text)
    start, end = event.range.start, event.range.end
    return ContentChange(
        event.text,
        ClientRange(
            ClientPosition(start.line, start.character), ClientPosition(end.line, end.character)
        ),
    )
