"""What a client can do: nothing that it does not declare."""

import pytest
from lsprotocol import types as lsp

from intent_lsp.doors.lsp.protocol.structuring import MarkupDiagnosticCapabilities
from intent_lsp.doors.lsp.runtime.client_capabilities import ClientCapabilities, client_of


def _tokens(*, dynamic: bool | None = None) -> lsp.SemanticTokensClientCapabilities:
    return lsp.SemanticTokensClientCapabilities(
        requests=lsp.ClientSemanticTokensRequestOptions(full=True),
        token_types=[],
        token_modifiers=[],
        formats=[lsp.TokenFormat.Relative],
        dynamic_registration=dynamic,
    )


def _everything() -> lsp.ClientCapabilities:
    return lsp.ClientCapabilities(
        text_document=lsp.TextDocumentClientCapabilities(
            publish_diagnostics=lsp.PublishDiagnosticsClientCapabilities(
                version_support=True,
                related_information=True,
                code_description_support=True,
                data_support=True,
            ),
            diagnostic=MarkupDiagnosticCapabilities(markup_message_support=True),
            code_action=lsp.CodeActionClientCapabilities(
                is_preferred_support=True,
                documentation_support=True,
                data_support=True,
                resolve_support=lsp.ClientCodeActionResolveOptions(properties=["edit"]),
            ),
            hover=lsp.HoverClientCapabilities(
                content_format=[lsp.MarkupKind.PlainText, lsp.MarkupKind.Markdown]
            ),
            document_symbol=lsp.DocumentSymbolClientCapabilities(
                hierarchical_document_symbol_support=True
            ),
            definition=lsp.DefinitionClientCapabilities(link_support=True),
            document_link=lsp.DocumentLinkClientCapabilities(tooltip_support=True),
            semantic_tokens=_tokens(dynamic=True),
            formatting=lsp.DocumentFormattingClientCapabilities(dynamic_registration=True),
            rename=lsp.RenameClientCapabilities(dynamic_registration=True, prepare_support=True),
            document_highlight=lsp.DocumentHighlightClientCapabilities(dynamic_registration=True),
            range_formatting=lsp.DocumentRangeFormattingClientCapabilities(
                dynamic_registration=True
            ),
        ),
        workspace=lsp.WorkspaceClientCapabilities(
            configuration=True,
            workspace_edit=lsp.WorkspaceEditClientCapabilities(
                document_changes=True, resource_operations=[lsp.ResourceOperationKind.Delete]
            ),
            did_change_watched_files=lsp.DidChangeWatchedFilesClientCapabilities(
                dynamic_registration=True
            ),
            diagnostics=lsp.DiagnosticWorkspaceClientCapabilities(refresh_support=True),
            code_lens=lsp.CodeLensWorkspaceClientCapabilities(refresh_support=True),
            inlay_hint=lsp.InlayHintWorkspaceClientCapabilities(refresh_support=True),
            text_document_content=lsp.TextDocumentContentClientCapabilities(),
        ),
        window=lsp.WindowClientCapabilities(
            show_document=lsp.ShowDocumentClientCapabilities(support=True),
            show_message=lsp.ShowMessageRequestClientCapabilities(),
            work_done_progress=True,
        ),
        experimental={
            "intent": {
                "notifications": True,
                "status": True,
                "recordCommand": "a.b",
                "recordsCommand": "a.c",
                "locationsCommand": "a.d",
                "compareCommand": "a.e",
            }
        },
    )


def test_a_client_that_declares_everything_can_do_everything() -> None:
    client = client_of(_everything())
    assert all(getattr(client, name) for name in ClientCapabilities.__struct_fields__)


@pytest.mark.parametrize(
    "capabilities",
    [
        lsp.ClientCapabilities(),
        lsp.ClientCapabilities(
            text_document=lsp.TextDocumentClientCapabilities(),
            workspace=lsp.WorkspaceClientCapabilities(),
            window=lsp.WindowClientCapabilities(),
            experimental={},
        ),
        lsp.ClientCapabilities(
            text_document=lsp.TextDocumentClientCapabilities(
                publish_diagnostics=lsp.PublishDiagnosticsClientCapabilities(),
                hover=lsp.HoverClientCapabilities(content_format=[lsp.MarkupKind.PlainText]),
            ),
            workspace=lsp.WorkspaceClientCapabilities(
                code_lens=lsp.CodeLensWorkspaceClientCapabilities(),
                inlay_hint=lsp.InlayHintWorkspaceClientCapabilities(),
                workspace_edit=lsp.WorkspaceEditClientCapabilities(),
                did_change_watched_files=lsp.DidChangeWatchedFilesClientCapabilities(),
                diagnostics=lsp.DiagnosticWorkspaceClientCapabilities(),
            ),
            window=lsp.WindowClientCapabilities(
                show_document=lsp.ShowDocumentClientCapabilities(support=False)
            ),
            experimental={"intent": {}},
        ),
    ],
)
def test_what_is_not_declared_is_not_there(capabilities: lsp.ClientCapabilities) -> None:
    assert client_of(capabilities) == ClientCapabilities()


@pytest.mark.parametrize(
    "experimental", [None, [], "intent", {"intent": None}, {"intent": {"notifications": "yes"}}]
)
def test_notifications_are_asked_for_by_true_alone(experimental: object) -> None:
    assert not client_of(lsp.ClientCapabilities(experimental=experimental)).notifications


def test_problems_are_pulled_only_by_clients_that_can_be_asked_to_pull_again() -> None:
    capabilities = _everything()
    assert client_of(capabilities).pull
    assert capabilities.workspace
    capabilities.workspace.diagnostics = None
    assert not client_of(capabilities).pull
    capabilities = _everything()
    assert capabilities.text_document
    capabilities.text_document.diagnostic = None
    assert not client_of(capabilities).pull


@pytest.mark.parametrize(
    ("shown", "needed"),
    [
        (None, False),
        (lsp.TextDocumentClientCapabilities(), False),
        (lsp.TextDocumentClientCapabilities(semantic_tokens=_tokens()), True),
        (lsp.TextDocumentClientCapabilities(semantic_tokens=_tokens(dynamic=False)), True),
        (lsp.TextDocumentClientCapabilities(semantic_tokens=_tokens(dynamic=True)), False),
    ],
)
def test_the_legend_is_in_the_answer_where_it_cannot_be_registered(
    shown: lsp.TextDocumentClientCapabilities | None, *, needed: bool
) -> None:
    client = client_of(lsp.ClientCapabilities(text_document=shown))
    assert (client.tokens and not client.token_registration) is needed
