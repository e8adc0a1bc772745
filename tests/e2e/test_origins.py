"""Where lines come from, shown by a real server: hover, lens, hint, references, symbols."""

from typing import Any

import pytest
from lsprotocol import types as lsp

from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from tests.support.editor import Editor, capabilities, editing
from tests.support.governed_repository import govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

LOGIN = "src/auth/login.py"
MORE = "def login() -> bool:\n    return True\n"
MARKDOWN = capabilities(textDocument__hover={"contentFormat": ["markdown", "plaintext"]})
LENSES = {"codeLens": True}
PLAIN = capabilities(textDocument__hover={"contentFormat": ["plaintext"]})


def document(editor: Editor, name: str = LOGIN) -> lsp.TextDocumentIdentifier:
    return lsp.TextDocumentIdentifier(uri_of(editor.root / name))


async def hovered(editor: Editor, line: int, name: str = LOGIN) -> str | None:
    params = lsp.HoverParams(document(editor, name), lsp.Position(line, 0))
    found = await editor.client.text_document_hover_async(params)
    if found is None:
        return None
    assert isinstance(found.contents, lsp.MarkupContent)
    assert found.range is not None
    assert found.range.start == lsp.Position(line, 0)
    return found.contents.value


async def lenses(editor: Editor) -> list[tuple[int, str]]:
    params = lsp.CodeLensParams(document(editor))
    found = await editor.client.text_document_code_lens_async(params)
    return [(lens.range.start.line, lens.command.title) for lens in found or [] if lens.command]


async def hints(editor: Editor) -> list[tuple[int, Any]]:
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0))
    params = lsp.InlayHintParams(document(editor), whole)
    found = await editor.client.text_document_inlay_hint_async(params)
    return [(hint.position.line, hint.label) for hint in found or []]


async def worked(editor: Editor) -> str:
    """Have a person add a function to a file under an intent; give the text before it."""
    await editor.ask("intent/select", {"intentId": "INT-001"})
    before = editor.open(LOGIN).text
    await editor.settled(LOGIN)
    editor.type(LOGIN, before + MORE)
    await editor.save(LOGIN)
    await editor.traced(1)
    return before


async def test_a_line_tells_its_intent_and_one_that_nobody_recorded_tells_nothing(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=MARKDOWN) as editor:
        before = await worked(editor)
        first = len(before.splitlines())
        told = await hovered(editor, first)
        assert told is not None
        assert told.startswith("**INT-001** — ")
        assert "you · " in told
        assert "editor/save" in told
        assert f"record {editor.records()[0]['id'][:8]}" in told
        assert await hovered(editor, 0) is None
        assert await hovered(editor, 999) is None
        # What is typed and not saved is nobody's yet, and moves what is below it.
        editor.type(LOGIN, "# typed\n" + before + MORE)
        assert await hovered(editor, 0) is None
        assert await hovered(editor, first) is None
        assert await hovered(editor, first + 1) == told


async def test_a_client_without_markdown_is_told_in_plain_text(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=PLAIN) as editor:
        before = await worked(editor)
        told = await hovered(editor, len(before.splitlines()))
        assert told is not None
        assert told.startswith("INT-001 — ")


async def test_a_source_file_without_records_shows_nothing(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        editor.open(LOGIN)
        await editor.settled(LOGIN)
        assert await hovered(editor, 0) is None
        assert (await lenses(editor), await hints(editor)) == ([], [])
        assert not (repository.root / ".orchestration/agent_trace.jsonl").exists()


async def test_a_lens_stands_above_each_definition_that_somebody_changed(
    repository: Repository,
) -> None:
    govern(repository)
    repository.write(LOGIN, "def older() -> None:\n    pass\n\n\n")
    async with editing(repository.root, options=LENSES) as editor:
        before = await worked(editor)
        ((line, title),) = await lenses(editor)
        assert line == len(before.splitlines())
        assert title.startswith("Login, you, 20")


async def test_hints_are_off_until_they_are_asked_for(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        before = await worked(editor)
        assert await hints(editor) == []
    options = {"inlayHints": True, "hover": False, "codeLens": False}
    async with editing(repository.root, options=options) as editor:
        editor.open(LOGIN)
        await editor.settled(LOGIN)
        ((line, label),) = await hints(editor)
        assert line == len(before.splitlines())
        assert label.startswith("Login, you, 20")
        assert await hovered(editor, line) is None
        assert await lenses(editor) == []


async def test_lenses_and_hints_are_asked_for_again_when_somebody_has_recorded(
    repository: Repository,
) -> None:
    govern(repository)
    able = capabilities(
        workspace__codeLens={"refreshSupport": True}, workspace__inlayHint={"refreshSupport": True}
    )
    async with editing(
        repository.root, options={"codeLens": True}, client_capabilities=able
    ) as editor:
        await worked(editor)
        await editor.until(
            lambda: editor.asked_again == {"lenses", "hints"}, "both are asked for again"
        )


async def test_a_person_is_you_until_the_record_is_committed_and_then_its_author(
    repository: Repository,
) -> None:
    govern(repository)
    able = capabilities(workspace__codeLens={"refreshSupport": True})
    async with editing(
        repository.root, options={"codeLens": True}, client_capabilities=able
    ) as editor:
        await worked(editor)
        ((_, title),) = await lenses(editor)
        assert title.startswith("Login, you, 20")
        repository.commit_as("Ada Lovelace")
        while not title.startswith("Login, Ada Lovelace, 20"):
            # The record itself may be told of, too.
            await editor.until(lambda: "lenses" in editor.asked_again, "lenses are asked for")
            editor.asked_again.clear()
            ((_, title),) = await lenses(editor)


async def test_references_of_an_intent_are_the_lines_that_its_records_explain(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        before = await worked(editor)
        page = editor.open(INTENTS_FILE)
        (at,) = [line for line, text in enumerate(page.text.splitlines()) if "id: INT-001" in text]

        async def references(line: int, *, declared: bool) -> list[tuple[str, int, int]]:
            params = lsp.ReferenceParams(
                context=lsp.ReferenceContext(include_declaration=declared),
                text_document=document(editor, INTENTS_FILE),
                position=lsp.Position(line, 8),
            )
            found = await editor.client.text_document_references_async(params)
            return [(f.uri, f.range.start.line, f.range.end.line) for f in found or []]

        lines = len(before.splitlines())
        explained = (uri_of(repository.root / LOGIN), lines, lines + 1)
        declared = (uri_of(repository.root / INTENTS_FILE), at, at)
        assert await references(at, declared=False) == [explained]
        assert await references(at, declared=True) == [declared, explained]
        assert await references(0, declared=True) == []


async def test_an_intent_is_found_among_the_symbols_of_the_workspace(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})

        async def found(query: str) -> list[str]:
            params = lsp.WorkspaceSymbolParams(query)
            symbols = await editor.client.workspace_symbol_async(params)
            return [symbol.name for symbol in symbols or []]

        everything = await found("")
        assert any(name.startswith("INT-001") for name in everything)
        assert await found("it2") == [name for name in everything if name.startswith("INT-002")]
        assert await found("nothing of the sort") == []
