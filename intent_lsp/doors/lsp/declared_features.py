"""The LSP features whose options, or existence, depend on what one client declares.

Features of the control files alone must not be asked about in source files. A client that can
register them for some files gets them registered later, by the language service, and they are not
in the answer to `initialize`. Every other client finds them in that answer, if at all, and asks in
every file.

Invariant: pulled diagnostics, text contents and code actions to be resolved are offered only to a
client that declares them.
"""

from typing import Final

from lsprotocol import types as lsp

from intent_lsp.doors.lsp.intent_server import NAME, IntentServer
from intent_lsp.doors.lsp.runtime.client_capabilities import (
    completion_of,
    member,
    names_of,
    needs_token_legend,
    pulls,
    reads_markup,
    registers_format,
    registers_range_format,
    resolves_edits,
    shows_documentation,
    shows_text_contents,
)
from intent_lsp.doors.lsp.runtime.semantic_legend import LEGEND
from intent_lsp.doors.lsp.wire.names import FIX_ALL, CommandName
from intent_lsp.formats.document_uris import CONTENT_SCHEME, RECORD_SCHEME

_DOCUMENTATION: Final = lsp.CodeActionKindDocumentation(
    kind=lsp.CodeActionKind.QuickFix,
    command=lsp.Command(
        title="What the codes mean, and the ways out", command=f"intent.{CommandName.SHOW_CODES}"
    ),
)
_DIAGNOSTICS: Final = lsp.DiagnosticOptions(
    identifier=NAME, inter_file_dependencies=True, workspace_diagnostics=True
)
_CONTENTS: Final = lsp.TextDocumentContentRegistrationOptions(
    schemes=[RECORD_SCHEME, CONTENT_SCHEME]
)
_COMPLETION: Final = lsp.CompletionOptions(
    trigger_characters=["/", '"', "'"], resolve_provider=True
)
"""Few characters open completion where a client asks in every file, source files too.

They begin a value or the next segment of a glob.
"""

_OF_CONTROL_FILES: Final = (
    lsp.TEXT_DOCUMENT_COMPLETION,
    lsp.COMPLETION_ITEM_RESOLVE,
    lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
    lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE,
    lsp.TEXT_DOCUMENT_RENAME,
    lsp.TEXT_DOCUMENT_PREPARE_RENAME,
    lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT,
    lsp.TEXT_DOCUMENT_FORMATTING,
    lsp.TEXT_DOCUMENT_RANGE_FORMATTING,
)


def register_declared(server: IntentServer, client: lsp.ClientCapabilities) -> None:
    """Register code actions, and pulled diagnostics and text contents if the client declares them.

    Call it at `initialize`. If the client declares Markdown in diagnostics, it may also send such
    diagnostics back.
    """
    resolving = resolves_edits(client)
    actions = lsp.CodeActionOptions(
        code_action_kinds=[lsp.CodeActionKind.QuickFix, FIX_ALL],
        documentation=[_DOCUMENTATION] if shows_documentation(client) else None,
        resolve_provider=resolving or None,
    )
    server.forward(lsp.TEXT_DOCUMENT_CODE_ACTION, actions)
    if resolving:
        server.forward(lsp.CODE_ACTION_RESOLVE)
    if reads_markup(client):
        server.protocol.accept_markup()
    if shows_text_contents(client):
        server.forward(lsp.WORKSPACE_TEXT_DOCUMENT_CONTENT, _CONTENTS)
    if pulls(client):
        server.forward(lsp.TEXT_DOCUMENT_DIAGNOSTIC, _DIAGNOSTICS)
        server.forward(lsp.WORKSPACE_DIAGNOSTIC)


def register_for_every_file(server: IntentServer, params: lsp.InitializeParams) -> None:
    """Register at `initialize` those features of control files that the client cannot get later.

    A client that knows such a feature then asks for it in every file. Formatting is registered only
    if the initialization options switch it on, semantic tokens only if the client declares them.
    """
    client = params.capabilities
    wants_format = member(params.initialization_options, "format") is True
    if wants_format and not registers_format(client):
        server.forward(lsp.TEXT_DOCUMENT_FORMATTING)
    if wants_format and not registers_range_format(client):
        server.forward(lsp.TEXT_DOCUMENT_RANGE_FORMATTING)
    if not completion_of(client).registration:
        server.forward(lsp.TEXT_DOCUMENT_COMPLETION, _COMPLETION)
    if needs_token_legend(client):
        server.forward(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, LEGEND)
        server.forward(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, LEGEND)
    names = names_of(client)
    if not names.rename_registration:
        server.forward(lsp.TEXT_DOCUMENT_RENAME)
        # Without it pygls would advertise renames that cannot be prepared.
        server.forward(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    if not names.highlight_registration:
        server.forward(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)


def register_unadvertised(server: IntentServer) -> None:
    """Register the features of control files that are not registered yet, without options.

    Call it once the answer to `initialize` cannot offer them any more.
    """
    for method in _OF_CONTROL_FILES:
        if method not in server.protocol.fm.features:
            server.forward(method)
