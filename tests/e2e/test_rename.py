"""Renaming an intent at a real server, and everything that goes on under its new id."""

import json
import subprocess
import sys
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from intent_lsp.core.content import split_lines
from intent_lsp.core.paths import IGNORE_FILE, INTENT_MAP, INTENTS_FILE
from tests.support.editor import Editor, capabilities, editing
from tests.support.governed_repository import INTENTS, LINES, govern
from tests.support.marked_text import cursor_in
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

LOGIN = "src/auth/login.py"
GUIDE = "docs/guide.md"
FAILED = -32803
TEXT = """\
active_intent: INT-001
active_intents:
  - name: "Lögin 🙂"
    id: INT-001 # the first
    status: IN_PROGRESS
    owned_scope: ["src/auth/**"]
    aliases: ['OLD-1']
  - {name: "🙂", id: "INT-002"}
"""
PREPARING = capabilities(textDocument__rename={"prepareSupport": True})


def asked(editor: Editor, marked: str) -> dict[str, Any]:
    """Return where the mark is in the intents file's buffer, which gets the text without it."""
    text, offset = cursor_in(marked)
    if INTENTS_FILE not in editor.buffers:
        editor.open(INTENTS_FILE)
    editor.type(INTENTS_FILE, text)
    return {
        "text_document": lsp.TextDocumentIdentifier(editor.uri(INTENTS_FILE)),
        "position": editor.position(split_lines(text), text[:offset]),
    }


async def prepared(editor: Editor, marked: str) -> tuple[str, str] | None:
    """Return the text that would be replaced and the placeholder, or None."""
    params = lsp.PrepareRenameParams(**asked(editor, marked))
    found = await editor.client.text_document_prepare_rename_async(params)
    if found is None:
        return None
    assert isinstance(found, lsp.PrepareRenamePlaceholder)
    return editor.text_in(INTENTS_FILE, found.range), found.placeholder


async def edit_of(editor: Editor, marked: str, new_name: str) -> lsp.WorkspaceEdit:
    params = lsp.RenameParams(new_name=new_name, **asked(editor, marked))
    found = await editor.client.text_document_rename_async(params)
    assert found is not None
    return found


async def rename(editor: Editor, marked: str, new_name: str) -> str:
    """Rename as an editor does, and return the text of the intents file's buffer then."""
    edit = await edit_of(editor, marked, new_name)
    assert editor._apply_workspace_edit(edit)  # noqa: SLF001 - as on a request of the server
    return editor.buffers[INTENTS_FILE].text


def at(old: str, new: str, text: str = TEXT) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_an_intent_is_renamed_in_the_clients_units(
    repository: Repository, encoding: str
) -> None:
    govern(repository)
    able = capabilities(
        textDocument__rename={"prepareSupport": True}, general__positionEncodings=[encoding]
    )
    async with editing(repository.root, client_capabilities=able) as editor:
        assert editor.server_capabilities is not None
        options = editor.server_capabilities.rename_provider
        assert isinstance(options, lsp.RenameOptions)
        assert options.prepare_provider
        assert await prepared(editor, at('"INT-002"', '"INT-0|02"')) == ("INT-002", "INT-002")
        assert await prepared(editor, at("'OLD-1'", "'OLD-1|'")) == ("OLD-1", "INT-001")
        assert await prepared(editor, at("intent: INT-001", "intent: |INT-001")) == (
            *("INT-001", "INT-001"),
        )
        for elsewhere in ("own|ed_scope:", "owned_scope|:"):
            assert await prepared(editor, at("owned_scope:", elsewhere)) is None
        assert await rename(editor, at('"INT-002"', '"INT-00|2"'), "B 🙂") == at(
            'id: "INT-002"}', 'id: "B 🙂", aliases: ["INT-002"]}'
        )
        after = await rename(editor, at("'OLD-1'", "'OLD|-1'"), "no")
        assert after == (
            TEXT.replace("active_intent: INT-001", 'active_intent: "no"')
            .replace("id: INT-001", 'id: "no"')
            .replace("['OLD-1']", "['OLD-1', 'INT-001']")
        )


async def test_an_edit_is_for_the_version_that_it_was_made_for(repository: Repository) -> None:
    govern(repository)
    repository.write(IGNORE_FILE, "X\nINT-001\n")
    marked = at("id: INT-001", "id: INT-|001")
    async with editing(repository.root) as editor:
        assert editor.server_capabilities is not None
        assert editor.server_capabilities.rename_provider is True
        edit = await edit_of(editor, marked, "AUTH")
        intents, ignored = edit.document_changes or []
        assert isinstance(intents, lsp.TextDocumentEdit)
        assert isinstance(ignored, lsp.TextDocumentEdit)
        assert intents.text_document.version == editor.buffers[INTENTS_FILE].version
        # A file that is not open has no version; what is unsaved in one that is open, counts.
        assert ignored.text_document.version is None
        editor.open(IGNORE_FILE)
        buffer = editor.type(IGNORE_FILE, "INT-001 \n!INT-001\n")
        await rename(editor, marked, "AUTH")
        assert buffer.text == "AUTH \n!AUTH\n"
    old = capabilities(workspace__workspaceEdit={})
    async with editing(repository.root, client_capabilities=old) as editor:
        edit = await edit_of(editor, marked, "AUTH")
        assert edit.document_changes is None
        assert {uri: len(edits) for uri, edits in (edit.changes or {}).items()} == {
            editor.uri(INTENTS_FILE): 3,
            editor.uri(IGNORE_FILE): 1,
        }


@pytest.mark.parametrize(
    ("marked", "new_name", "reason"),
    [
        (at("id: INT-001", "id: |INT-001"), "INT-002", "INT-002 is the id of another intent"),
        (at('"INT-002"', '"|INT-002"'), "OLD-1", "OLD-1 is an alias of INT-001"),
        (at("id: INT-001", "id: |INT-001"), "INT-001", "this is its id already"),
        (at("id: INT-001", "id: |INT-001"), " ", "and this one is empty"),
        (at("id: INT-001", "id: |INT-001"), "x" * 300, "and this one has 300"),
        (at("id: INT-001", "id: |INT-001"), "a\nb", "and this one has a line end"),
        (at("owned_scope", "owned|_scope"), "X", "put the cursor on an id, an alias or"),
        (at("id: INT-001", "id: |INT-001") + "x: [\n", "X", "the file cannot be parsed (line 10: "),
    ],
)
async def test_what_cannot_be_renamed_is_an_error_that_says_why(
    repository: Repository, marked: str, new_name: str, reason: str
) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=PREPARING) as editor:
        editor.open(INTENTS_FILE, TEXT)
        assert await prepared(editor, at("id: INT-001", "id: |INT-001")) is not None
        with pytest.raises(JsonRpcException) as raised:
            await edit_of(editor, marked, new_name)
        assert raised.value.code == FAILED
        assert reason in raised.value.message
        assert "was not renamed" in raised.value.message or "Nothing was" in raised.value.message
        assert "INTENTS_FILE_UNWRITTEN" in str(raised.value.data)
        assert editor.buffers[INTENTS_FILE].text == cursor_in(marked)[0]


async def test_an_excluded_intent_stays_excluded_where_the_ignore_file_cannot_be_edited(
    repository: Repository,
) -> None:
    govern(repository)
    (repository.root / IGNORE_FILE).write_bytes(b"# f\xfcr alle\nINT-001\n")
    async with editing(repository.root) as editor:
        with pytest.raises(JsonRpcException, match=r"save \.intentignore as UTF-8 first"):
            await edit_of(editor, at("id: INT-001", "id: INT-|001"), "AUTH")
        # It does not name this one.
        assert await edit_of(editor, at('"INT-002"', '"|INT-002"'), "B")


async def test_a_text_that_does_not_parse_is_said_before_a_name_is_typed(
    repository: Repository,
) -> None:
    govern(repository)
    broken = at("id: INT-001", "id: |INT-001") + "x: [\n"
    async with editing(repository.root, client_capabilities=PREPARING) as editor:
        editor.open(INTENTS_FILE, TEXT)
        assert await prepared(editor, at("id: INT-001", "id: |INT-001")) is not None
        with pytest.raises(JsonRpcException, match="the file cannot be parsed"):
            await prepared(editor, broken)
        assert await prepared(editor, broken.replace("|", "").replace("status", "st|atus")) is None


async def test_other_files_have_no_names(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=PREPARING) as editor:
        editor.open(LOGIN, "INT-001\n")
        place: dict[str, Any] = {
            "text_document": lsp.TextDocumentIdentifier(editor.uri(LOGIN)),
            "position": lsp.Position(0, 1),
        }
        client = editor.client
        prepare = lsp.PrepareRenameParams(**place)
        assert await client.text_document_prepare_rename_async(prepare) is None
        params = lsp.RenameParams(new_name="X", **place)
        assert await client.text_document_rename_async(params) is None
        highlight = lsp.DocumentHighlightParams(**place)
        assert await client.text_document_document_highlight_async(highlight) is None


async def test_a_client_that_can_has_names_in_the_intents_file_alone(
    repository: Repository,
) -> None:
    govern(repository)
    able = capabilities(
        textDocument__rename={"dynamicRegistration": True, "prepareSupport": True},
        textDocument__documentHighlight={"dynamicRegistration": True},
    )
    async with editing(repository.root, client_capabilities=able) as editor:
        assert editor.server_capabilities is not None
        assert editor.server_capabilities.rename_provider is None
        assert editor.server_capabilities.document_highlight_provider is None
        wanted = {lsp.TEXT_DOCUMENT_RENAME, lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT}
        await editor.until(lambda: wanted <= set(editor.registered), "both are registered")
        assert await prepared(editor, at('"INT-002"', '"INT-0|02"')) == ("INT-002", "INT-002")


async def test_all_names_of_an_intent_are_shown(repository: Repository) -> None:
    govern(repository)
    repository.write(IGNORE_FILE, "# INT-001\n!INT-001\nOLD-1\n")
    async with editing(repository.root) as editor:
        for marked in (at("'OLD-1'", "'OLD|-1'"), at("intent: INT-001", "intent: INT-|001")):
            params = lsp.DocumentHighlightParams(**asked(editor, marked))
            found = await editor.client.text_document_document_highlight_async(params)
            assert [
                (editor.text_in(INTENTS_FILE, each.range), each.kind) for each in found or []
            ] == [
                ("INT-001", lsp.DocumentHighlightKind.Read),
                ("INT-001", lsp.DocumentHighlightKind.Write),
                ("OLD-1", lsp.DocumentHighlightKind.Read),
            ]
        editor.open(IGNORE_FILE)
        for declared in (True, False):
            references = lsp.ReferenceParams(
                context=lsp.ReferenceContext(include_declaration=declared),
                **asked(editor, at("'OLD-1'", "'OLD|-1'")),
            )
            places = await editor.client.text_document_references_async(references)
            names = [
                (name, editor.text_in(name, place.range), place.range.start.line)
                for place in places or []
                for name in [editor.root.joinpath(place.uri.partition("://")[2])]
                for name in [str(name.relative_to(editor.root))]
            ]
            assert names == [
                *([(INTENTS_FILE, "INT-001", 3)] if declared else []),
                (INTENTS_FILE, "INT-001", 0),
                (INTENTS_FILE, "OLD-1", 6),
                (IGNORE_FILE, "INT-001", 1),
                (IGNORE_FILE, "OLD-1", 2),
            ]


def shell(editor: Editor, *words: str) -> str:
    """Return what a command prints."""
    line = [sys.executable, "-m", "intent_lsp", *words]
    return subprocess.run(line, cwd=editor.root, check=True, capture_output=True, text=True).stdout


async def call(editor: Editor, path: str, text: str) -> dict[str, Any]:
    """Have the agent write a file and record it; return the decision."""
    write = {"sessionId": "agent", "toolName": "write_to_file", "path": path, "newText": text}
    decision: dict[str, Any] = await editor.ask("intent/validateEdit", write)
    if decision["allowed"]:
        (editor.root / path).write_text(text)
        ticket = {"sessionId": "agent", "ticket": decision["ticket"], "success": True}
        await editor.ask("intent/recordEdit", ticket)
    return decision


async def test_work_goes_on_under_the_new_id(repository: Repository) -> None:
    govern(repository)
    repository.write(GUIDE, "one\n")
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        await editor.ask("intent/select", {"intentId": "INT-001", "sessionId": "agent"})
        wish = {"intentId": "INT-001", "patterns": [GUIDE], "ttlSeconds": 600}
        await editor.choose("Approve")
        assert (await editor.ask("intent/requestScopeExpansion", wish))["approved"]
        editor.open(LOGIN)
        editor.type(LOGIN, LINES + "before\n")
        await editor.save(LOGIN)
        assert (await call(editor, GUIDE, "two\n"))["intentId"] == "INT-001"
        await editor.traced(2)
        editor.open(INTENTS_FILE)
        text = editor.buffers[INTENTS_FILE].text
        after = await rename(editor, text.replace("id: INT-001", "id: INT-|001"), "AUTH")
        await editor.save(INTENTS_FILE)
        assert after == INTENTS.replace("id: INT-001", "id: AUTH").replace(
            "status: PLANNED", "status: IN_PROGRESS"
        ).replace(
            'criteria: ["Tests pass"]\n', 'criteria: ["Tests pass"]\n    aliases: ["INT-001"]\n'
        )
        # Nobody selects anything again.
        assert (await editor.ask("intent/status"))["activeIntentId"] == "AUTH"
        assert (await editor.ask("intent/list"))["activeIntentId"] == "AUTH"
        agents = await editor.ask("intent/status", {"sessionId": "agent"})
        assert (agents["activeIntentId"], agents["stage"]) == ("AUTH", "execution_authorized")
        editor.type(LOGIN, LINES + "before\nafter\n")
        assert await editor.settled(LOGIN) == []
        await editor.save(LOGIN)
        # An agent may go on to cite the old id.
        cited = {"sessionId": "agent", "toolName": "Write", "path": LOGIN, "intentId": "INT-001"}
        assert (await editor.ask("intent/explain", cited))["decision"]["allowed"]
        # The grant that was given to the old id holds.
        decision = await call(editor, GUIDE, "three\n")
        assert (decision["allowed"], decision["intentId"]) == (True, "AUTH")
        await editor.traced(5)
        await finds_both(editor)
    shown = (repository.root / INTENT_MAP).read_text()
    assert "## AUTH" in shown
    assert "## INT-001" not in shown
    assert LOGIN in shown.partition("## AUTH")[2].partition("\n## ")[0]


async def finds_both(editor: Editor) -> None:
    """Check that both ids find what is recorded under either, at every door."""
    passed = [each for each in editor.records() if each["scope_validation"] == "PASS"]
    found = [(each["intent_id"], each["files"][0]["relative_path"]) for each in passed]
    assert sorted(found) == [
        *(("AUTH", GUIDE), ("AUTH", LOGIN), ("INT-001", GUIDE), ("INT-001", LOGIN))
    ]
    for name in ("AUTH", "INT-001"):
        lines = await editor.ask("intent/lines", {"intentId": name})
        assert lines["intentId"] == "AUTH"
        counts = {
            file["path"]: sum(run["endLine"] - run["startLine"] + 1 for run in file["lines"])
            for file in lines["files"]
        }
        assert (counts[LOGIN], counts[GUIDE]) == (2, 1)
        trace = await editor.ask("intent/trace", {"intentId": name})
        ids = {record["id"] for record in trace["records"]}
        assert ids >= {record["id"] for record in passed}
        # Another id is no other intent.
        assert trace["flags"] == {}
        listed = shell(editor, "trace", "list", "--intent", name, "--json").splitlines()
        assert {json.loads(line)["id"] for line in listed} == ids
        known = json.loads(shell(editor, "intents", "show", name, "--json"))
        assert (known["intent"]["id"], known["aliases"]) == ("AUTH", ["INT-001"])
        assert [grant["patterns"] for grant in known["grants"]] == [[GUIDE]]
    blame = await editor.ask("intent/blame", {"path": LOGIN})
    assert [run["intentId"] for run in blame["lines"] if run["recordId"]] == ["INT-001", "AUTH"]
