"""The floor: a stock pygls server that does nothing of its own.

It answers every change with one fixed diagnostic, every save with no edit, every `bare/echo` with
null. `python -m benchmarks.support.bare_server`
"""

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

server = LanguageServer("bare", "1")


@server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
def opened(_: lsp.DidOpenTextDocumentParams) -> None:
    """Take an open document."""


@server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
def changed(params: lsp.DidChangeTextDocumentParams) -> None:
    document = params.text_document
    start = lsp.Position(0, 0)
    shown = lsp.Diagnostic(range=lsp.Range(start, start), message="changed", source="bare")
    server.text_document_publish_diagnostics(
        lsp.PublishDiagnosticsParams(document.uri, [shown], version=document.version)
    )


@server.feature(lsp.TEXT_DOCUMENT_WILL_SAVE_WAIT_UNTIL)
def will_save(_: lsp.WillSaveTextDocumentParams) -> list[lsp.TextEdit]:
    return []


@server.feature("bare/echo")
def echo(*_: object) -> None:
    """Answer null."""


if __name__ == "__main__":
    server.start_io()
