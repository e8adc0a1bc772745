"""Completion of control files as an editor sees it."""

from collections.abc import Sequence
from typing import Any

import pytest
from lsprotocol import types as lsp

from intent_lsp.core.paths import INTENTS_FILE, POLICY_FILE
from tests.support.cursor_texts import marked
from tests.support.editor import Editor, capabilities, editing
from tests.support.governed_repository import INTENTS, govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

RICH = {
    "snippetSupport": True,
    "insertReplaceSupport": True,
    "documentationFormat": ["markdown"],
    "insertTextModeSupport": {"valueSet": [1, 2]},
}


def able(**item: Any) -> lsp.ClientCapabilities:
    """Return the capabilities of an editor whose completion items can do this."""
    return capabilities(textDocument__completion={"completionItem": item})


async def completed(editor: Editor, name: str, text: str) -> Sequence[lsp.CompletionItem]:
    """Type a marked text into an open file, and return the completion at the mark."""
    found = await asked(editor, name, text)
    return [] if found is None else found.items


async def asked(editor: Editor, name: str, text: str) -> lsp.CompletionList | None:
    lines, place = marked(text)
    editor.type(name, "".join(lines))
    line = lines[place.line][: place.character] if place.line < len(lines) else ""
    found = await editor.client.text_document_completion_async(
        lsp.CompletionParams(
            text_document=lsp.TextDocumentIdentifier(editor.uri(name)),
            position=lsp.Position(place.line, len(line.encode("utf-16-le")) // 2),
        )
    )
    assert found is None or isinstance(found, lsp.CompletionList)
    return found


async def test_a_glob_is_completed_segment_by_segment_in_a_file_that_does_not_parse(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=able(**RICH)) as editor:
        editor.open(INTENTS_FILE)
        text = f'{INTENTS}  - id: INT-003\n    name: "😀\n    owned_scope: ["😀", "sr|\n'
        items = await completed(editor, INTENTS_FILE, text)
        source = next(item for item in items if item.label == "src/")
        assert source.kind == lsp.CompletionItemKind.Folder
        assert source.filter_text == "src/"
        assert source.insert_text_format is lsp.InsertTextFormat.Snippet
        edit = source.text_edit
        assert isinstance(edit, lsp.InsertReplaceEdit)
        assert edit.new_text == 'src/$0"'
        line = text.splitlines()[edit.insert.start.line]
        before = line[: line.index("sr|")]
        # The editor counts in UTF-16, in which the face has two units.
        assert edit.insert.start.character == len(before.encode("utf-16-le")) // 2
        assert edit.insert.end.character == edit.insert.start.character + len("sr")
        assert edit.replace == edit.insert
        deeper = await completed(editor, INTENTS_FILE, text.replace("sr|", "src/|"))
        assert [item.label for item in deeper] == ["**", "auth/", "billing/"]


async def test_a_quote_typed_in_front_of_a_glob_is_closed_behind_it(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=able(**RICH)) as editor:
        editor.open(INTENTS_FILE)
        for behind in ("", '"'):
            scope = f'    owned_scope: [😀, "|{behind}*.py, b]\n'
            text = f"{INTENTS}  - id: INT-003\n{scope}"
            (closed,) = await completed(editor, INTENTS_FILE, text)
            edit = closed.text_edit
            # The text behind the cursor has to be replaced, so the person has no choice.
            assert isinstance(edit, lsp.TextEdit)
            lines, place = marked(text)
            units = lines[place.line].encode("utf-16-le")
            start, end = edit.range.start.character * 2, edit.range.end.character * 2
            made = units[:start] + edit.new_text.encode("utf-16-le") + units[end:]
            assert made.decode("utf-16-le") == '    owned_scope: [😀, "*.py", b]\n'


async def test_an_editor_that_replaces_nothing_behind_the_cursor_gets_no_such_edit(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=able(snippetSupport=True)) as editor:
        editor.open(INTENTS_FILE)
        entry = f"{INTENTS}  - id: INT-003\n    owned_scope: "
        assert await completed(editor, INTENTS_FILE, f'{entry}["|*.py, b]\n') == []
        assert await completed(editor, INTENTS_FILE, f'{entry}"|"\n') == []
        items = await completed(editor, INTENTS_FILE, f'{entry}[*.py"|]\n')
        edit = items[0].text_edit
        assert isinstance(edit, lsp.TextEdit)
        assert edit.new_text == '"*.py"'
        items = await completed(editor, INTENTS_FILE, f'{entry}"|\n')
        edit = next(item.text_edit for item in items if item.label == "src/")
        assert isinstance(edit, lsp.TextEdit)
        assert edit.new_text == '["src/$0"]'


async def test_keys_have_their_documentation_when_it_is_asked_for(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=able(**RICH)) as editor:
        editor.open(INTENTS_FILE)
        items = await completed(editor, INTENTS_FILE, f"{INTENTS}    con|\n")
        constraints = next(item for item in items if item.label == "constraints")
        assert constraints.documentation is None
        edit = constraints.text_edit
        assert isinstance(edit, lsp.InsertReplaceEdit)
        assert edit.new_text == 'constraints:\n  - "$0"'
        assert constraints.insert_text_mode is lsp.InsertTextMode.AdjustIndentation
        resolved = await editor.client.completion_item_resolve_async(constraints)
        assert isinstance(resolved.documentation, lsp.MarkupContent)
        assert "Sentences that bind the work" in resolved.documentation.value


async def test_an_editor_that_leaves_lines_as_they_are_gets_the_whole_indent(
    repository: Repository,
) -> None:
    govern(repository)
    as_is = able(snippetSupport=True, insertTextModeSupport={"valueSet": [1]})
    async with editing(repository.root, client_capabilities=as_is) as editor:
        editor.open(INTENTS_FILE)
        items = await completed(editor, INTENTS_FILE, f"{INTENTS}    con|\n")
        constraints = next(item for item in items if item.label == "constraints")
        assert constraints.insert_text_mode is lsp.InsertTextMode.AsIs
        edit = constraints.text_edit
        assert isinstance(edit, lsp.TextEdit)
        assert edit.new_text == 'constraints:\n      - "$0"'


async def test_an_editor_without_snippets_gets_plain_text(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        offered = editor.server_capabilities
        assert offered is not None
        assert offered.completion_provider is not None
        assert offered.completion_provider.resolve_provider
        assert offered.completion_provider.trigger_characters == ("/", '"', "'")
        editor.open(INTENTS_FILE)
        items = await completed(editor, INTENTS_FILE, f"{INTENTS}  - |\n")
        assert items[0].label == "new intent INT-003"
        assert items[0].insert_text_format is None
        assert isinstance(items[0].text_edit, lsp.TextEdit)
        assert items[0].text_edit.new_text == "id: INT-003"
        resolved = await editor.client.completion_item_resolve_async(items[0])
        assert resolved == items[0]


async def test_the_policy_is_completed_and_other_files_are_not(repository: Repository) -> None:
    govern(repository, "version: 1")
    async with editing(repository.root) as editor:
        editor.open(POLICY_FILE)
        items = await completed(editor, POLICY_FILE, "sidecar:\n  enforcement: |\n")
        assert [item.label for item in items] == ["observe", "warn", "block"]
        editor.open("README.md")
        assert await asked(editor, "README.md", 'owned_scope: ["|"]') is None


async def test_a_large_directory_is_incomplete(repository: Repository) -> None:
    govern(repository)
    for number in range(300):
        repository.write(f"many/file{number}.py", "")
    async with editing(repository.root) as editor:
        editor.open(INTENTS_FILE)
        text = f'{INTENTS}      - "many/|"\n'
        found = await asked(editor, INTENTS_FILE, text)
        assert found is not None
        assert found.is_incomplete
        found = await asked(editor, INTENTS_FILE, text.replace("many/", "src/"))
        assert found is not None
        assert not found.is_incomplete


async def test_completion_is_registered_for_control_files_alone_where_a_client_can(
    repository: Repository,
) -> None:
    govern(repository)
    dynamic = capabilities(textDocument__completion={"dynamicRegistration": True})
    async with editing(repository.root, client_capabilities=dynamic) as editor:
        offered = editor.server_capabilities
        assert offered is not None
        assert offered.completion_provider is None
        await editor.until(
            lambda: lsp.TEXT_DOCUMENT_COMPLETION in editor.registered, "completion is registered"
        )
        editor.open(INTENTS_FILE)
        items = await completed(editor, INTENTS_FILE, f"{INTENTS}    status: |\n")
        assert items[0].label == "PLANNED"
