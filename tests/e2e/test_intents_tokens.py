"""Semantic tokens of the intents file at a real server: legend, encodings, ranges, registration."""

from typing import Any

import pytest
from lsprotocol import types as lsp

from tests.support.editor import Editor, capabilities, editing
from tests.support.governed_repository import govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

INTENTS_FILE = ".orchestration/active_intents.yaml"
LOGIN = "src/auth/login.py"
TEXT = """\
active_intents:
  - id: INT-001
    name: "Lögin 🙂"
    status: done
    owned_scope: ["🙂/**", '!é.py']
"""
STATIC = {
    "dynamicRegistration": False,
    "requests": {"full": {"delta": True}, "range": True},
    "tokenTypes": ["property"],
    "tokenModifiers": [],
    "formats": ["relative"],
    "multilineTokenSupport": False,
}
DYNAMIC = STATIC | {"dynamicRegistration": True}


def static(**more: Any) -> lsp.ClientCapabilities:
    return capabilities(textDocument__semanticTokens=STATIC, **more)


def words(editor: Editor, data: list[int], legend: lsp.SemanticTokensLegend) -> list[str]:
    """Return the tokens as `text:type+modifier`, read by their numbers as a client does."""
    found, line, start = [], 0, 0
    for at in range(0, len(data), 5):
        down, right, length, kind, modifiers = data[at : at + 5]
        line, start = line + down, right if down else start + right
        place = lsp.Range(lsp.Position(line, start), lsp.Position(line, start + length))
        text = editor.text_in(INTENTS_FILE, place)
        names = [name for bit, name in enumerate(legend.token_modifiers) if modifiers >> bit & 1]
        found.append("+".join([f"{text}:{legend.token_types[kind]}", *names]))
    return found


async def tokens(editor: Editor, name: str = INTENTS_FILE) -> list[int] | None:
    params = lsp.SemanticTokensParams(lsp.TextDocumentIdentifier(editor.uri(name)))
    found = await editor.client.text_document_semantic_tokens_full_async(params)
    return None if found is None else list(found.data)


def legend_of(editor: Editor) -> lsp.SemanticTokensLegend:
    assert editor.server_capabilities is not None
    provider = editor.server_capabilities.semantic_tokens_provider
    assert isinstance(provider, lsp.SemanticTokensOptions)
    assert (provider.full, provider.range) == (True, True)
    return provider.legend


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_tokens_are_at_their_places_in_the_units_of_the_client(
    repository: Repository, encoding: str
) -> None:
    govern(repository)
    able = static(general__positionEncodings=[encoding])
    async with editing(repository.root, client_capabilities=able) as editor:
        editor.open(INTENTS_FILE)
        editor.type(INTENTS_FILE, TEXT)
        legend = legend_of(editor)
        assert set(legend.token_types) <= {kind.value for kind in lsp.SemanticTokenTypes}
        assert set(legend.token_modifiers) <= {name.value for name in lsp.SemanticTokenModifiers}
        assert words(editor, await tokens(editor) or [], legend) == [
            "active_intents:property",
            "id:property",
            "INT-001:event+declaration",
            "name:property",
            "status:property",
            "done:enumMember+deprecated",
            "owned_scope:property",
            "🙂:string",
            "/:operator",
            "**:regexp",
            "!:keyword",
            "é.py:string",
        ]


async def test_a_range_has_the_tokens_of_its_lines_and_a_broken_text_those_that_stay(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=static()) as editor:
        editor.open(INTENTS_FILE)
        editor.type(INTENTS_FILE, TEXT)
        assert await tokens(editor) is not None
        shown = lsp.Range(lsp.Position(2, 0), lsp.Position(3, 5))
        document = lsp.TextDocumentIdentifier(editor.uri(INTENTS_FILE))
        params = lsp.SemanticTokensRangeParams(document, shown)
        found = await editor.client.text_document_semantic_tokens_range_async(params)
        assert found is not None
        legend = legend_of(editor)
        assert words(editor, list(found.data), legend) == [
            "name:property",
            "status:property",
            "done:enumMember+deprecated",
        ]
        editor.type(
            INTENTS_FILE, TEXT.replace("status: done", "status: [").replace("\n", "\r\n", 1)
        )
        assert words(editor, await tokens(editor) or [], legend)[-1] == "é.py:string"
        editor.type(INTENTS_FILE, TEXT.replace("    status: done", "# new\n    status: ["))
        assert words(editor, await tokens(editor) or [], legend)[:3] == [
            "active_intents:property",
            "id:property",
            "INT-001:event+declaration",
        ]
        assert words(editor, await tokens(editor) or [], legend)[-1] == "é.py:string"


async def test_other_files_have_none(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=static()) as editor:
        editor.open(LOGIN)
        editor.open(".orchestration/constraints.sidecar.yaml", "sidecar: {}\n")
        assert await tokens(editor, LOGIN) is None
        assert await tokens(editor, ".orchestration/constraints.sidecar.yaml") is None


async def test_a_client_that_can_is_told_of_the_intents_file_alone(
    repository: Repository,
) -> None:
    govern(repository)
    able = capabilities(textDocument__semanticTokens=DYNAMIC)
    async with editing(repository.root, client_capabilities=able) as editor:
        assert editor.server_capabilities is not None
        assert editor.server_capabilities.semantic_tokens_provider is None
        await editor.until(lambda: "textDocument/semanticTokens" in editor.registered, "registered")
        editor.open(INTENTS_FILE)
        assert await tokens(editor)
    async with editing(repository.root) as editor:
        assert editor.server_capabilities is not None
        assert editor.server_capabilities.semantic_tokens_provider is None
        await editor.ask("intent/status")
        assert "textDocument/semanticTokens" not in editor.registered
