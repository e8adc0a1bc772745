"""The floor of the server benchmarks: a stock pygls server that does nothing of its own.

It answers every change with one fixed diagnostic, every save with no edit, and every `bare/echo`
with null. With `--publish-on-open` it publishes the diagnostic for each opened document, too.
`python -m benchmarks.support.bare_server [--publish-on-open]`
"""

import sys

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

PUBLISH_ON_OPEN = "--publish-on-open"

server = LanguageServer("bare", "1")


@server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
def opened(params: lsp.DidOpenTextDocumentParams) -> None:
    """Publish the diagnostic, if that was asked for."""
    if PUBLISH_ON_OPEN in sys.argv:
        publish(params.text_document)


@server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
def changed(params: lsp.DidChangeTextDocumentParams) -> None:
    publish(params.text_document)


def publish(document: lsp.TextDocumentItem | lsp.VersionedTextDocumentIdentifier) -> None:
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
