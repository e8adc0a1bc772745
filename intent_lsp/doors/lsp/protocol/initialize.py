"""What is negotiated with a client at `initialize`: encoding, capabilities, folders.

Invariant: only what is registered is advertised. Where LSP requires a client to declare a feature
too, it is advertised only to a client that does.
"""

import logging

from lsprotocol import types as lsp
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.feature_manager import FeatureManager
from pygls.uris import from_fs_path
from pygls.workspace import Workspace

from intent_lsp.doors.lsp.protocol.positions import PositionEncoding, choose_encoding

_log = logging.getLogger(__name__)

WIRE_VERSION = "1"
"""The version of the `intent/*` requests (protocol section 1)."""


def agree_encoding(params: lsp.InitializeParams) -> PositionEncoding:
    """Return the position encoding to use with this client, which `choose_encoding` chooses."""
    general = params.capabilities.general
    return choose_encoding(general.position_encodings if general else None)


def build_capabilities(
    client: lsp.ClientCapabilities, features: FeatureManager, encoding: PositionEncoding
) -> lsp.ServerCapabilities:
    """Return the server's capabilities for this client, which follow from the `features`.

    Documents are synchronised incrementally.
    """
    builder = ServerCapabilitiesBuilder(
        client,
        {*features.features, *features.builtin_features},
        features.feature_options,
        list(features.commands),
        lsp.TextDocumentSyncKind.Incremental,
        position_encoding=encoding.value,
    )
    built: lsp.ServerCapabilities = builder.build()  # type: ignore[no-untyped-call]  # pygls's
    sync = built.text_document_sync
    if isinstance(sync, lsp.TextDocumentSyncOptions) and sync.save:
        # The saved text is known from the changes, so it need not be sent again.
        sync.save = lsp.SaveOptions(include_text=False)
    contents = features.feature_options.get(lsp.WORKSPACE_TEXT_DOCUMENT_CONTENT)
    if contents is not None and built.workspace is not None:
        # pygls's builder does not know it.
        built.workspace.text_document_content = lsp.TextDocumentContentOptions(contents.schemes)
    built.experimental = {"intent": {"version": WIRE_VERSION}}
    return built


def open_workspace(params: lsp.InitializeParams, encoding: PositionEncoding) -> Workspace:
    """Return pygls's workspace object, of which only the client's folders and root are used.

    A root that cannot be parsed is logged and left out. Folders are not checked.
    """
    kind = lsp.TextDocumentSyncKind.Incremental
    folders, root = params.workspace_folders or [], params.root_uri
    try:
        if root is None and params.root_path:
            root = from_fs_path(params.root_path)
        return Workspace(root, kind, folders, encoding.value)
    except ValueError as error:
        # The folders may still be usable.
        _log.warning("the root cannot be parsed: %s", error)
        return Workspace(None, kind, folders, encoding.value)
