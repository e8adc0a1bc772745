"""LSP features of the control files alone, which must not be asked about in source files.

A client that can register them for some files gets them registered later, by the language service,
and they are not in the answer to `initialize`. Every other client needs them in that answer, and
asks in every file.
"""

from collections.abc import Callable
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.doors.lsp.intent_server import IntentServer
from intent_lsp.doors.lsp.runtime.client_capabilities import (
    completion_of,
    member,
    names_of,
    needs_token_legend,
    registers_format,
    registers_range_format,
)
from intent_lsp.doors.lsp.runtime.semantic_legend import LEGEND

_TRIGGERS: Final = ("/", '"', "'")
"""The characters that open completion where a client asks in every file: few, because it asks in
source files, too. They begin a value or the next segment of a glob."""


def register_for_every_file(server: IntentServer, params: lsp.InitializeParams) -> None:
    """Register at `initialize` the features that the client does not let a server register later.

    It then asks for them in every file. Formatting is registered only if the initialization options
    switch it on, semantic tokens only if the client shows such.
    """
    client = params.capabilities
    wants_format = member(params.initialization_options, "format") is True
    if wants_format and not registers_format(client):
        _formatted(server)
    if wants_format and not registers_range_format(client):
        _formatted_within(server)
    if not completion_of(client).registration:
        _completed(
            server,
            lsp.CompletionOptions(trigger_characters=list(_TRIGGERS), resolve_provider=True),
        )
    if needs_token_legend(client):
        _tokenized(server)
    names = names_of(client)
    if not names.rename_registration:
        _renamed(server)
    if not names.highlight_registration:
        _highlighted(server)


def register_unadvertised(server: IntentServer) -> None:
    """Register those features that `register_for_every_file` has left out.

    Call it once the answer to `initialize` cannot offer them any more.
    """
    features: dict[str, Callable[[IntentServer], None]] = {
        lsp.TEXT_DOCUMENT_COMPLETION: _completed,
        lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: _tokenized,
        lsp.TEXT_DOCUMENT_RENAME: _renamed,
        lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: _highlighted,
        lsp.TEXT_DOCUMENT_FORMATTING: _formatted,
        lsp.TEXT_DOCUMENT_RANGE_FORMATTING: _formatted_within,
    }
    for method, register in features.items():
        if method not in server.protocol.fm.features:
            register(server)


def _completed(server: IntentServer, options: lsp.CompletionOptions | None = None) -> None:
    """Register completion, for every file if there are `options`."""

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, options)
    async def completion(params: lsp.CompletionParams) -> lsp.CompletionList | None:
        return await (await server.ready()).completion.completion(params)

    @server.feature(lsp.COMPLETION_ITEM_RESOLVE)
    async def resolve(item: lsp.CompletionItem) -> lsp.CompletionItem:
        return (await server.ready()).completion.resolve(item)


def _tokenized(server: IntentServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, LEGEND)
    async def full(params: lsp.SemanticTokensParams) -> lsp.SemanticTokens | None:
        return await (await server.ready()).tokens.full(params)

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, LEGEND)
    async def within(params: lsp.SemanticTokensRangeParams) -> lsp.SemanticTokens | None:
        return await (await server.ready()).tokens.within(params)


def _renamed(server: IntentServer) -> None:
    prepares = names_of(server.client_capabilities).prepares
    options = lsp.RenameOptions(prepare_provider=True) if prepares else None

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, options)
    async def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        return await (await server.ready()).names.renamed(params)

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder | None:
        return await (await server.ready()).names.prepared(params)


def _highlighted(server: IntentServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def highlight(
        params: lsp.DocumentHighlightParams,
    ) -> list[lsp.DocumentHighlight] | None:
        return await (await server.ready()).names.highlights(params)


def _formatted(server: IntentServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    async def document(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
        return await (await server.ready()).formatting.document(params)


def _formatted_within(server: IntentServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_RANGE_FORMATTING)
    async def within(params: lsp.DocumentRangeFormattingParams) -> list[lsp.TextEdit] | None:
        return await (await server.ready()).formatting.within(params)
