"""The LSP features whose options, or existence, depend on what one client declares.

Invariant: what a client does not declare is neither registered nor advertised for it.
"""

from lsprotocol import types as lsp

from intent_lsp.doors.lsp.intent_server import IntentServer
from intent_lsp.doors.lsp.runtime.client_capabilities import resolves_edits


def register_declared(server: IntentServer, client: lsp.ClientCapabilities) -> None:
    """Register the features that depend on the client's capabilities, at its `initialize`."""
    resolving = resolves_edits(client)
    options = lsp.CodeActionOptions(
        code_action_kinds=[lsp.CodeActionKind.QuickFix], resolve_provider=resolving or None
    )

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, options)
    async def code_action(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        return await (await server.ready()).code_actions(params)

    if resolving:

        @server.feature(lsp.CODE_ACTION_RESOLVE)
        async def resolve(action: lsp.CodeAction) -> lsp.CodeAction:
            return await (await server.ready()).resolved_action(action)
