"""Formatting of the intents file at a real server: off until it is wanted, and then registered."""

from typing import Any

import pytest
from lsprotocol import types as lsp

from tests.support.editor import Editor, capabilities, editing
from tests.support.governed_repository import govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

INTENTS_FILE = ".orchestration/active_intents.yaml"
LOGIN = "src/auth/login.py"
ON = {"format": True}
TEXT = """\
active_intents:
    - id:   INT-001    #x
      name: "Lögin 🙂"   # é🙂  y
      aliases: ["🙂","é" ,  b]


      notes: |
          a  b
"""
FORMATTED = """\
active_intents:
  - id: INT-001 # x
    name: "Lögin 🙂" # é🙂  y
    aliases: ["🙂", "é", b]

    notes: |
      a  b
"""
METHODS = ["textDocument/formatting", "textDocument/rangeFormatting"]
OPTIONS = lsp.FormattingOptions(tab_size=8, insert_spaces=False)


def dynamic(**more: Any) -> lsp.ClientCapabilities:
    return capabilities(
        textDocument__formatting={"dynamicRegistration": True},
        textDocument__rangeFormatting={"dynamicRegistration": True},
        **more,
    )


def configure(editor: Editor, settings: Any) -> None:
    told = lsp.DidChangeConfigurationParams(settings=settings)
    editor.client.workspace_did_change_configuration(told)


async def edits(editor: Editor, name: str = INTENTS_FILE) -> list[lsp.TextEdit] | None:
    document = lsp.TextDocumentIdentifier(editor.uri(name))
    params = lsp.DocumentFormattingParams(document, OPTIONS)
    found = await editor.client.text_document_formatting_async(params)
    return None if found is None else list(found)


async def in_range(editor: Editor, start: tuple[int, int], end: tuple[int, int]) -> str | None:
    """Return the intents file with the edits of a range applied, or None if there is no answer."""
    document = lsp.TextDocumentIdentifier(editor.uri(INTENTS_FILE))
    place = lsp.Range(lsp.Position(*start), lsp.Position(*end))
    params = lsp.DocumentRangeFormattingParams(document, place, OPTIONS)
    found = await editor.client.text_document_range_formatting_async(params)
    if found is None:
        return None
    editor.apply(editor.buffers[INTENTS_FILE], found)
    return editor.buffers[INTENTS_FILE].text


def offered(editor: Editor) -> tuple[Any, Any]:
    told = editor.server_capabilities
    assert told is not None
    return told.document_formatting_provider, told.document_range_formatting_provider


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_the_file_is_formatted_in_the_units_of_the_client(
    repository: Repository, encoding: str
) -> None:
    govern(repository)
    able = capabilities(general__positionEncodings=[encoding])
    async with editing(repository.root, options=ON, client_capabilities=able) as editor:
        assert all(offered(editor))
        editor.open(INTENTS_FILE)
        editor.type(INTENTS_FILE, TEXT)
        found = await edits(editor)
        assert found is not None
        # Each edit is a part of one line, or the blank line that goes.
        assert all(edit.range.end.line - edit.range.start.line <= 1 for edit in found)
        editor.apply(editor.buffers[INTENTS_FILE], found)
        assert editor.buffers[INTENTS_FILE].text == FORMATTED
        assert await edits(editor) == []
        editor.type(INTENTS_FILE, TEXT.replace("\n", "\r\n"))
        editor.apply(editor.buffers[INTENTS_FILE], await edits(editor) or [])
        assert editor.buffers[INTENTS_FILE].text == FORMATTED.replace("\n", "\r\n")


async def test_a_range_and_what_cannot_be_formatted(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root, options=ON) as editor:
        editor.open(INTENTS_FILE)
        text = "- id:  A\n  name:  x\n  status:  done\n"
        editor.type(INTENTS_FILE, text)
        assert await in_range(editor, (1, 0), (2, 0)) == text.replace("name:  x", "name: x")
        editor.type(INTENTS_FILE, "a:\n    b: 1\n    c: 2\n")
        assert await in_range(editor, (1, 0), (1, 3)) is None
        editor.type(INTENTS_FILE, "- id: [\n")
        assert await edits(editor) is None

        def said() -> list[str]:
            logs = [log.message for log in editor.client.log_messages]
            return [log for log in logs if "is not formatted" in log]

        await editor.until(lambda: len(said()) == 2, "why is logged")
        assert "would change a value" in said()[0]
        assert "it does not parse: 2:1:" in said()[1]
        editor.open(LOGIN)
        assert await edits(editor, LOGIN) is None


async def test_nobody_is_offered_formatting_who_did_not_ask_for_it(repository: Repository) -> None:
    govern(repository)
    for able in (capabilities(), dynamic()):
        async with editing(repository.root, client_capabilities=able) as editor:
            assert offered(editor) == (None, None)
            editor.open(INTENTS_FILE)
            editor.type(INTENTS_FILE, TEXT)
            await editor.settled(INTENTS_FILE)
            assert await edits(editor) is None
            assert not set(METHODS) & set(editor.registered)


async def test_a_client_that_can_knows_of_it_while_the_setting_is_on(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root, options=ON, client_capabilities=dynamic()) as editor:
        assert offered(editor) == (None, None)
        await editor.until(lambda: sorted(editor.registered) == METHODS, "registered")
        editor.open(INTENTS_FILE)
        editor.type(INTENTS_FILE, TEXT)
        assert await edits(editor)
        configure(editor, {"intentLsp": {"format": False}})
        await editor.until(lambda: not editor.registered, "unregistered")
        assert await edits(editor) is None
        configure(editor, {"intentLsp": {"format": True}})
        await editor.until(lambda: sorted(editor.registered) == METHODS, "registered again")


async def test_settings_that_are_asked_for_switch_it_on(repository: Repository) -> None:
    govern(repository)
    able = dynamic(workspace__configuration=True)
    async with editing(repository.root, client_capabilities=able) as editor:
        editor.settings = {"format": True}
        configure(editor, None)
        await editor.until(lambda: sorted(editor.registered) == METHODS, "registered")
