"""Code lenses of the intents file at a real server: what is offered, counted, clicked, renewed."""

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from tests.support.editor import Editor, capabilities, editing
from tests.support.governed_repository import INTENTS, LINES, govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

INTENTS_FILE = ".orchestration/active_intents.yaml"
LOGIN = "src/auth/login.py"
FIRST, SECOND = 1, 7
"""The lines of the two intents."""

ABLE = capabilities(
    experimental={
        "intent": {
            "notifications": True,
            "recordsCommand": "my.records",
            "locationsCommand": "my.locations",
        }
    }
)
REFRESHED = capabilities(workspace__codeLens={"refreshSupport": True})


async def lenses(editor: Editor, name: str = INTENTS_FILE) -> list[Any]:
    params = lsp.CodeLensParams(lsp.TextDocumentIdentifier(editor.uri(name)))
    return list(await editor.client.text_document_code_lens_async(params) or [])


async def resolved(editor: Editor) -> dict[int, list[lsp.Command]]:
    """Return the commands of the lenses on each line, those resolved that need it."""
    found: dict[int, list[lsp.Command]] = {}
    for lens in await lenses(editor):
        whole = lens
        if lens.command is None:
            whole = await editor.client.code_lens_resolve_async(lens)
        found.setdefault(lens.range.start.line, []).append(whole.command)
    return found


async def titles(editor: Editor) -> dict[int, list[str]]:
    found = await resolved(editor)
    return {line: [command.title for command in commands] for line, commands in found.items()}


async def click(editor: Editor, line: int, title: str) -> Any:
    (command,) = [c for c in (await resolved(editor))[line] if c.title == title]
    return await editor.command(command.command, *(command.arguments or []))


async def record(editor: Editor) -> None:
    """Select the first intent, and save a change that is recorded under it."""
    await editor.ask("intent/select", {"intentId": "INT-001"})
    editor.open(LOGIN)
    await editor.settled(LOGIN)
    editor.type(LOGIN, LINES + "more\n")
    await editor.save(LOGIN)
    await editor.traced(1)


async def test_an_intent_is_selected_and_completed_by_a_click(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=REFRESHED) as editor:
        editor.open(INTENTS_FILE)
        assert await titles(editor) == {
            FIRST: ["Select", "Complete", "1 file", "no record"],
            SECOND: ["Select", "Complete", "1 file", "no record"],
        }
        await click(editor, FIRST, "Select")
        assert (await editor.ask("intent/status"))["activeIntentId"] == "INT-001"
        await editor.until(lambda: "lenses" in editor.asked_again, "they are asked for again")
        editor.reload(INTENTS_FILE)
        found = await resolved(editor)
        assert [c.title for c in found[FIRST]][:2] == ["Selected", "Complete"]
        assert found[FIRST][0].command == ""
        assert found[SECOND][0].title == "Select"
        editor.asked_again.clear()
        await click(editor, SECOND, "Complete")
        await editor.until(lambda: "lenses" in editor.asked_again, "they are asked for again")
        editor.reload(INTENTS_FILE)
        assert "status: COMPLETED" in editor.buffers[INTENTS_FILE].text
        assert (await titles(editor))[SECOND] == ["1 file", "no record"]


async def test_records_are_counted_and_lists_shown_as_the_client_can(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=REFRESHED) as editor:
        editor.open(INTENTS_FILE)
        await click(editor, FIRST, "Select")
        editor.open(LOGIN)
        await editor.settled(LOGIN)
        editor.type(LOGIN, LINES + "more\n")
        editor.asked_again.clear()
        await editor.save(LOGIN)
        await editor.traced(1)
        await editor.until(lambda: "lenses" in editor.asked_again, "they are asked for again")
        assert (await titles(editor))[FIRST][2:] == ["1 file", "1 record"]
        told = await click(editor, FIRST, "1 file")
        assert told == {"text": f"INT-001 — Login owns 1 file\n  {LOGIN}"}
        await editor.until(lambda: any(told["text"] in m for m in editor.messages), "shown")
        told = await click(editor, FIRST, "1 record")
        assert told["text"].startswith("INT-001 — Login\nINT-001 has 1 record, the newest\n  20")


async def test_a_client_with_commands_of_its_own_is_led_to_them(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=ABLE) as editor:
        editor.open(INTENTS_FILE)
        await record(editor)
        files, records = (await resolved(editor))[FIRST][2:]
        assert (files.command, records.command) == ("my.locations", "my.records")
        uri, position, places = files.arguments or ()
        assert uri == editor.uri(INTENTS_FILE)
        assert position["line"] == FIRST
        assert [place["uri"] for place in places] == [uri_of(repository.root / LOGIN)]
        assert list(records.arguments or ()) == ["INT-001"]


async def test_what_is_typed_is_counted_and_what_does_not_parse_keeps_its_lenses(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        editor.open(INTENTS_FILE)
        wider = INTENTS.replace("'src/billing/**'", "'src/**'\n      - '!src/auth/**'")
        new = "  - id: NEW\n    owned_scope: ['**/*.py']\n"
        editor.type(INTENTS_FILE, wider + new)
        found = await titles(editor)
        # Nothing is written while there is unsaved text, and what is new is not on disk.
        assert found[SECOND] == ["Select", "1 file", "no record"]
        assert found[13] == ["2 files", "no record"]
        old = (await lenses(editor))[-2]
        editor.type(INTENTS_FILE, "# one more line\n" + wider + new + "  - id: [\n")
        # Only lines at which nothing has changed have lenses: those between two changes have none.
        assert await titles(editor) == {}
        editor.type(INTENTS_FILE, wider + new.replace("'**/*.py'", "'**"))
        found = await titles(editor)
        assert [c[-2] for c in found.values()] == ["1 file", "1 file", "2 files"]
        editor.type(INTENTS_FILE, INTENTS)
        gone = await editor.client.code_lens_resolve_async(old)
        assert (gone.command.title, gone.command.command) == ("…", "")
        other = lsp.CodeLens(old.range, data={"x": 1})
        assert (await editor.client.code_lens_resolve_async(other)).command is None


async def test_of_two_intents_with_one_id_the_first_has_lenses(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        editor.open(INTENTS_FILE)
        editor.type(INTENTS_FILE, INTENTS.replace("INT-002", "INT-001") + "  - name: none\n")
        assert list(await titles(editor)) == [FIRST]


async def test_they_are_off_where_the_setting_says_so_and_for_other_files(
    repository: Repository,
) -> None:
    govern(repository)
    options = {"intentsCodeLens": False, "codeLens": True}
    async with editing(repository.root, options=options) as editor:
        editor.open(INTENTS_FILE)
        editor.open(LOGIN)
        assert await lenses(editor) == []
        with pytest.raises(JsonRpcException, match="Intent NONE is not in"):
            await editor.command("intent.showFiles", {"intentId": "NONE"})
        # Without the file open, what is on disk is shown.
        editor.close(INTENTS_FILE)
        told = await editor.command("intent.showFiles", {"intentId": "INT-002"})
        assert told["text"].startswith("INT-002 — Billing owns 1 file")
    async with editing(repository.root) as editor:
        editor.open(LOGIN)
        editor.open(".orchestration/constraints.sidecar.yaml", "sidecar: {}\n")
        assert await lenses(editor, LOGIN) == []
        assert await lenses(editor, ".orchestration/constraints.sidecar.yaml") == []


async def test_records_of_another_process_are_counted_when_they_come(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=REFRESHED) as editor:
        editor.open(INTENTS_FILE)
        assert (await titles(editor))[FIRST][-1] == "no record"
        async with editing(repository.root) as other:
            await record(other)
            shown = ""
            while shown != "1 record":
                await editor.until(lambda: "lenses" in editor.asked_again, "asked for again")
                editor.asked_again.clear()
                shown = (await titles(editor))[FIRST][-1]


async def test_files_are_counted_again_when_another_program_has_made_one(
    repository: Repository,
) -> None:
    """It takes ten seconds, for which a list of the files is current enough."""
    govern(repository)
    async with editing(repository.root, client_capabilities=REFRESHED) as editor:
        editor.open(INTENTS_FILE)
        shown = (await titles(editor))[FIRST][2]
        assert shown == "1 file"
        repository.write("src/auth/logout.py", LINES)
        while shown != "2 files":
            await editor.until(lambda: "lenses" in editor.asked_again, "asked for again")
            editor.asked_again.clear()
            shown = (await titles(editor))[FIRST][2]


async def test_without_git_no_files_are_counted(tmp_path: Path) -> None:
    room = tmp_path / ".orchestration"
    room.mkdir()
    (room / "active_intents.yaml").write_text(INTENTS)
    async with editing(tmp_path) as editor:
        editor.open(INTENTS_FILE)
        assert (await titles(editor))[FIRST] == ["Select", "Complete", "no record"]
        told = await editor.command("intent.showFiles", {"intentId": "INT-001"})
        assert told["text"].startswith("which files INT-001 owns is unknown")
        (records,) = [lens for lens in await lenses(editor) if lens.range.start.line == FIRST][2:]
        asked = lsp.CodeLens(records.range, data={**records.data, "counts": "files"})
        found = await editor.client.code_lens_resolve_async(asked)
        assert (found.command.title, found.command.command) == ("files unknown", "")


async def test_a_save_offers_again_what_needs_the_file_saved(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=REFRESHED) as editor:
        editor.open(INTENTS_FILE)
        editor.type(INTENTS_FILE, INTENTS + "# more\n")
        assert (await titles(editor))[FIRST] == ["Select", "1 file", "no record"]
        editor.asked_again.clear()
        await editor.save(INTENTS_FILE)
        await editor.until(lambda: "lenses" in editor.asked_again, "asked for again")
        assert (await titles(editor))[FIRST] == ["Select", "Complete", "1 file", "no record"]
