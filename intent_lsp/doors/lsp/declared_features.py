"""The LSP features whose options, or existence, depend on what one client declares.

Invariant: what a client does not declare is neither registered nor advertised for it.
"""

from typing import Final

from lsprotocol import types as lsp

from intent_lsp.doors.lsp.intent_server import IntentServer
from intent_lsp.doors.lsp.runtime.client_capabilities import (
    reads_markup,
    resolves_edits,
    shows_documentation,
    shows_text_contents,
)
from intent_lsp.doors.lsp.wire.names import FIX_ALL, CommandName
from intent_lsp.formats.document_uris import CONTENT_SCHEME, RECORD_SCHEME

_DOCUMENTATION: Final = lsp.CodeActionKindDocumentation(
    kind=lsp.CodeActionKind.QuickFix,
    command=lsp.Command(
        title="What the codes mean, and the ways out", command=f"intent.{CommandName.SHOW_CODES}"
    ),
)


def register_declared(server: IntentServer, client: lsp.ClientCapabilities) -> None:
    """Register the features that depend on the client's capabilities, at its `initialize`."""
    resolving = resolves_edits(client)
    options = lsp.CodeActionOptions(
        code_action_kinds=[lsp.CodeActionKind.QuickFix, FIX_ALL],
        documentation=[_DOCUMENTATION] if shows_documentation(client) else None,
        resolve_provider=resolving or None,
    )

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, options)
    async def code_action(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        return await (await server.ready()).code_actions(params)

    if reads_markup(client):
        server.protocol.accept_markup()
    if shows_text_contents(client):
        _contents(server)
    if resolving:

        @server.feature(lsp.CODE_ACTION_RESOLVE)
        async def resolve(action: lsp.CodeAction) -> lsp.CodeAction:
            return await (await server.ready()).resolved_action(action)


def _contents(server: IntentServer) -> None:
    options = lsp.TextDocumentContentRegistrationOptions(schemes=[RECORD_SCHEME, CONTENT_SCHEME])

    @server.feature(lsp.WORKSPACE_TEXT_DOCUMENT_CONTENT, options)
    async def content(params: lsp.TextDocumentContentParams) -> lsp.TextDocumentContentResult:
        service = await server.ready()
        return lsp.TextDocumentContentResult(text=await service.contents.content(params.uri))
