"""Code actions on violations: what each is offered for, and that it leads out (protocol 4.3)."""

from typing import Any

import pytest
from lsprotocol import types as lsp

from intent_lsp.core.paths import INTENTS_FILE
from tests.support.editor import Editor, capabilities, editing
from tests.support.governed_repository import INTENTS, LINES, govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

INVOICE = "src/billing/invoice.py"
OUT, STALE, NO_INTENT = "SCOPE_VIOLATION", "STALE_FILE", "NO_ACTIVE_INTENT"
SELECT_BILLING = "Select intent INT-002 (owns this file)"
BOOKS = '  - {id: INT-003, name: Books, status: IN_PROGRESS, owned_scope: ["src/billing/*"]}\n'
SHOWN_PREFERRED = {"textDocument__codeAction__isPreferredSupport": True}


async def select(editor: Editor, intent_id: str) -> None:
    await editor.ask("intent/select", {"intentId": intent_id})


async def spoil(editor: Editor, name: str = INVOICE, code: str = OUT) -> dict[str, lsp.CodeAction]:
    """Change the first line of a file, and return the actions there."""
    if name not in editor.buffers:
        editor.open(name)
    editor.type(name, "top\n" + LINES)
    await editor.problems(name, code)
    return await editor.actions(name)


def preferred(actions: dict[str, lsp.CodeAction]) -> list[str]:
    return [title for title, action in actions.items() if action.is_preferred]


async def test_the_only_owner_is_preferred_by_a_client_that_knows_that(
    repository: Repository,
) -> None:
    govern(repository)
    declared = capabilities(**SHOWN_PREFERRED)
    async with editing(repository.root, client_capabilities=declared) as editor:
        assert preferred(await spoil(editor, code=NO_INTENT)) == [SELECT_BILLING]
        await select(editor, "INT-001")
        assert preferred(await spoil(editor)) == [SELECT_BILLING]
        # Nobody owns it, so nothing is better than anything else.
        assert preferred(await spoil(editor, "README.md")) == []
        repository.replace(INTENTS_FILE, INTENTS + BOOKS)
        await editor.until(
            lambda: any(
                d.data and "INT-003" in d.data["owners"]
                for d in editor.shown[editor.uri(INVOICE)].diagnostics
            ),
            "two own it",
        )
        actions = await editor.actions(INVOICE)
        assert {SELECT_BILLING, "Select intent INT-003 (owns this file)"} <= actions.keys()
        assert preferred(actions) == []
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        assert preferred(await spoil(editor)) == []


@pytest.mark.parametrize("agreed", ["utf-8", "utf-16", "utf-32"])
async def test_the_reason_is_shown_in_the_intents_file_at_its_place(
    repository: Repository, agreed: str
) -> None:
    govern(repository)
    excluded = 'owned_scope: [\N{GRINNING FACE}/**, "src/**", "!src/billing/**"]'
    intents = INTENTS.replace('owned_scope: ["src/auth/**"]', excluded)
    repository.write(INTENTS_FILE, intents)
    repository.commit("exclude")
    declared = capabilities(general={"positionEncodings": [agreed]})
    async with editing(repository.root, client_capabilities=declared) as editor:
        await select(editor, "INT-001")
        actions = await spoil(editor)
        told = await editor.run(actions["Show why"])
        await editor.until(lambda: editor.documents_shown, "the place is shown")
        (place,) = editor.documents_shown
        line = "    " + excluded
        start = line.index('"!src')
        before = line[:start]
        units = {
            "utf-8": len(before.encode()),
            "utf-16": len(before.encode("utf-16-le")) // 2,
            "utf-32": len(before),
        }[agreed]
        wanted = lsp.Range(
            lsp.Position(4, units), lsp.Position(4, units + len('"!src/billing/**"'))
        )
        assert (place.uri, place.selection) == (editor.uri(INTENTS_FILE), wanted)
        assert told["text"].endswith(f" See {INTENTS_FILE}:5.")
        assert told["uri"] == place.uri
        assert told["range"]["start"] == {"line": 4, "character": units}
        # It is open now; what is typed there without a save is what the place is looked up in.
        await editor.problems(INTENTS_FILE, *await codes(editor, INTENTS_FILE))
        editor.type(INTENTS_FILE, "# One more line.\n" + editor.buffers[INTENTS_FILE].text)
        again = await editor.run(actions["Show why"])
        assert again["range"]["start"] == {"line": 5, "character": units}


async def codes(editor: Editor, name: str) -> list[Any]:
    return [diagnostic.code for diagnostic in await editor.settled(name)]


async def test_a_client_that_shows_no_documents_is_sent_the_place_in_words(
    repository: Repository,
) -> None:
    govern(repository)
    declared = capabilities(window={"showMessage": {}})
    async with editing(repository.root, client_capabilities=declared) as editor:
        told = await editor.run((await spoil(editor, code=NO_INTENT))["Show why"])
        said = (
            "No intent is selected.\nOpen intents that own this file: INT-002."
            f" See {INTENTS_FILE}:12."
        )
        assert told["text"] == said
        await editor.until(lambda: f"intent-lsp: {said}" in editor.messages, "said")
        # A file that nobody owns comes from no place.
        told = await editor.run((await spoil(editor, "README.md", NO_INTENT))["Show why"])
        assert told == {"text": "No intent is selected.\nOpen intents that own this file: (none)."}
        assert editor.documents_shown == []


async def test_a_stale_file_is_compared_by_a_command_of_the_client(
    repository: Repository,
) -> None:
    govern(repository)
    intent = {"notifications": True, "compareCommand": "mine.compare"}
    declared = capabilities(experimental={"intent": intent})
    async with editing(repository.root, client_capabilities=declared) as editor:
        await select(editor, "INT-002")
        editor.open(INVOICE)
        editor.type(INVOICE, LINES + "mine\n")
        await editor.settled(INVOICE)
        repository.write(INVOICE, LINES + "theirs\n")
        await editor.problems(INVOICE, STALE)
        actions = await editor.actions(INVOICE)
        assert list(actions) == [
            "Compare with the version on disk",
            "Take the version on disk",
            "Show why",
        ]
        command = actions["Compare with the version on disk"].command
        assert command is not None
        assert (command.command, [*(command.arguments or [])]) == (
            "mine.compare",
            [editor.uri(INVOICE)],
        )
        await editor.run(actions["Take the version on disk"])
        assert editor.buffers[INVOICE].text == LINES + "theirs\n"
        await editor.problems(INVOICE)
        # Out of scope there is nothing to compare with.
        await select(editor, "INT-001")
        assert "Compare with the version on disk" not in await spoil(editor)


async def test_the_disk_is_taken_for_a_file_that_no_commit_has(repository: Repository) -> None:
    govern(repository)
    new = "src/billing/new.py"
    repository.write(new, LINES)
    async with editing(repository.root) as editor:
        await select(editor, "INT-002")
        editor.open(new)
        editor.type(new, LINES + "mine\n")
        await editor.settled(new)
        repository.write(new, LINES + "theirs\n")
        await editor.problems(new, STALE)
        actions = await editor.actions(new)
        # What the client cannot compare is not offered.
        assert list(actions) == ["Take the version on disk", "Show why"]
        await editor.run(actions["Take the version on disk"])
        assert editor.buffers[new].text == LINES + "theirs\n"
        await editor.problems(new)
