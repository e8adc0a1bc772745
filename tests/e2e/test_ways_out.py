"""Code actions on violations: what each is offered for, and that it leads out (protocol 4.3)."""

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from intent_lsp.core.paths import INTENTS_FILE, path_of_uri
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from tests.support.editor import Editor, capabilities, editing, plain
from tests.support.governed_repository import INTENTS, LINES, govern
from tests.support.replayed_client import begin, declaring
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


async def stale(
    editor: Editor, repository: Repository, name: str = INVOICE
) -> dict[str, lsp.CodeAction]:
    """Have a file changed in the editor and then on disk, and return the actions there."""
    if name not in editor.buffers:
        editor.open(name)
    editor.type(name, LINES + "mine\n")
    await editor.settled(name)
    repository.write(name, LINES + "theirs\n")
    await editor.problems(name, STALE)
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
        actions = await stale(editor, repository)
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
        actions = await stale(editor, repository, new)
        # What the client cannot compare is not offered.
        assert list(actions) == ["Take the version on disk", "Show why"]
        await editor.run(actions["Take the version on disk"])
        assert editor.buffers[new].text == LINES + "theirs\n"
        await editor.problems(new)


FILES = [f"src/billing/part{number}.py" for number in range(7)]
EXPAND = "Expand the scope of INT-001 with"
CREATE = "Create an intent for this file and select it"
# The ways out of one code, each with how it begins; the one that concerns all files comes last.
WAYS_OUT = {
    OUT: (
        SELECT_BILLING,
        f"{EXPAND} {FILES[1]}",
        f"{EXPAND} {FILES[2]} for one hour",
        "Revert these lines",
        "Revert the file",
        CREATE,
        f"{EXPAND} src/billing/**",
    ),
    NO_INTENT: (
        SELECT_BILLING,
        "Select intent INT-003 (owns this file)",
        "Revert these lines",
        CREATE,
    ),
    "INTENT_CLOSED": (SELECT_BILLING, "Revert the file", CREATE),
    "INTENT_NOT_FOUND": (SELECT_BILLING, "Revert these lines", CREATE),
    "INTENT_IGNORED": (SELECT_BILLING, "Revert the file", CREATE),
}


@pytest.mark.parametrize("code", WAYS_OUT)
async def test_every_way_out_leaves_fewer_violations(repository: Repository, code: str) -> None:
    """Each way is taken on a file of its own, and what is left of it is judged again."""
    for name in FILES:
        repository.write(name, LINES)
    govern(repository)
    spare = (
        "  - {id: INT-003, name: Spare, status: IN_PROGRESS, owned_scope: [src/billing/part1.py]}\n"
    )
    intents = INTENTS + spare
    repository.write(INTENTS_FILE, intents)
    declared = capabilities(window={"workDoneProgress": True})
    async with editing(repository.root, client_capabilities=declared) as editor:
        for name, title in zip(FILES, WAYS_OUT[code], strict=False):
            await into(editor, repository, intents, code)
            actions = await spoil(editor, name, code)
            action = actions[title]
            assert action.diagnostics is not None
            assert [d.code for d in action.diagnostics] == [code]
            await editor.run(action)
            await editor.problems(name)
            # It is gone for good: the same text is judged by the rules as they are now.
            editor.close(name)


async def into(editor: Editor, repository: Repository, intents: str, code: str) -> None:
    """Bring the session into a state in which files of the billing are refused with this code."""
    (repository.root / ".intentignore").unlink(missing_ok=True)
    if code in (OUT, NO_INTENT):
        await select(editor, "INT-001")
        if code == NO_INTENT:
            await editor.ask("intent/clear")
        return
    other = '  - {id: INT-009, name: Other, status: IN_PROGRESS, owned_scope: ["other/**"]}\n'
    repository.replace(INTENTS_FILE, intents + other)
    await select(editor, "INT-009")
    if code == "INTENT_IGNORED":
        repository.write(".intentignore", "INT-009\n")
        return
    closed = other.replace("IN_PROGRESS", "COMPLETED") if code == "INTENT_CLOSED" else ""
    repository.replace(INTENTS_FILE, intents + closed)


async def test_each_way_out_is_offered_once_for_several_violations(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(INVOICE)
        editor.type(INVOICE, "top\n" + LINES.replace("line 9", "nine"))
        await editor.problems(INVOICE, OUT, OUT)
        found = await editor.actions_within(INVOICE, 0, 10)
        titles = [action.title for action in found]
        # Each violation has its own lines and its own reason; a grant is for the whole file.
        assert sorted(each for each in set(titles) if titles.count(each) > 1) == [
            "Revert these lines",
            "Show why",
        ]
        hour = next(each for each in found if each.title == f"{EXPAND} {INVOICE} for one hour")
        await editor.run(hour)
        await editor.problems(INVOICE)


RESOLVING = {
    "textDocument__codeAction__dataSupport": True,
    "textDocument__codeAction__resolveSupport": {"properties": ["edit"]},
}
CONTENT_MODIFIED, INVALID_PARAMS = -32801, -32602


async def resolving_error(editor: Editor, action: lsp.CodeAction) -> JsonRpcException:
    with pytest.raises(JsonRpcException) as raised:
        await editor.client.code_action_resolve_async(action)
    return raised.value


async def test_a_client_that_resolves_gets_the_edit_when_the_action_is_chosen(
    repository: Repository,
) -> None:
    govern(repository)
    declared = capabilities(**RESOLVING)
    async with editing(repository.root, client_capabilities=declared) as editor:
        await select(editor, "INT-001")
        editor.open(INVOICE)
        editor.type(INVOICE, "top\n" + LINES.replace("line 9", "🙂 9"))
        await editor.problems(INVOICE, OUT, OUT)
        actions = await editor.actions(INVOICE)
        for title, target in (
            ("Revert these lines", {"range": {"start": [0, 0], "end": [0, 3]}}),
            ("Revert the file", {}),
        ):
            action = actions[title]
            assert (action.edit, action.command) == (None, None)
            told = plain(action.data)
            assert told.pop("v") == 1
            assert told.pop("stale") is False
            place = told["revert"].pop("range", None)
            assert told == {"revert": {"uri": editor.uri(INVOICE), "version": 2}}
            corners = place and {
                end: [place[end]["line"], place[end]["character"]] for end in ("start", "end")
            }
            assert corners == target.get("range")
        await editor.run(actions["Revert these lines"])
        assert editor.buffers[INVOICE].text == LINES.replace("line 9", "🙂 9")
        await editor.problems(INVOICE, OUT)
        # What was offered for the text before is not right for this one.
        for title in ("Revert these lines", "Revert the file"):
            error = await resolving_error(editor, actions[title])
            assert error.code == CONTENT_MODIFIED
            assert error.message == "the text has changed in the meantime; try again"
        await editor.run((await editor.actions(INVOICE, line=8))["Revert the file"])
        assert editor.buffers[INVOICE].text == LINES
        await editor.problems(INVOICE)


async def test_an_action_that_has_all_it_needs_is_resolved_as_it_is(
    repository: Repository,
) -> None:
    govern(repository)
    declared = capabilities(**RESOLVING)
    async with editing(repository.root, client_capabilities=declared) as editor:
        await select(editor, "INT-001")
        actions = await spoil(editor)
        for title in (SELECT_BILLING, "Show why"):
            found = await editor.client.code_action_resolve_async(actions[title])
            assert (found.title, found.kind, found.edit) == (title, "quickfix", None)
            assert found.command == actions[title].command
        # Nor is one of another server, whatever its data are.
        for data in (None, 1, "x", [], {}, {"v": 2, "revert": {}}, {"revert": {"uri": "x"}}):
            foreign = lsp.CodeAction(title="Foreign", data=data)  # type: ignore[arg-type]  # any JSON
            found = await editor.client.code_action_resolve_async(foreign)
            assert (found.title, found.edit, plain(found.data)) == ("Foreign", None, data)
        for target in ("x", 1, {"uri": 1}, {"uri": "x", "range": 1}, {"version": "1"}):
            wrong = lsp.CodeAction(title="Wrong", data={"v": 1, "revert": target})
            assert (await resolving_error(editor, wrong)).code == INVALID_PARAMS
        action = actions["Revert the file"]
        editor.close(INVOICE)
        error = await resolving_error(editor, action)
        assert (error.code, error.message) == (
            CONTENT_MODIFIED,
            "the document is not open any more",
        )


async def test_the_disk_is_taken_as_it_is_when_the_action_is_chosen(
    repository: Repository,
) -> None:
    govern(repository)
    declared = capabilities(**RESOLVING)
    async with editing(repository.root, client_capabilities=declared) as editor:
        await select(editor, "INT-002")
        offered = (await stale(editor, repository))["Take the version on disk"]
        repository.write(INVOICE, LINES + "theirs again\n")
        await editor.run(offered)
        assert editor.buffers[INVOICE].text == LINES + "theirs again\n"
        await editor.problems(INVOICE)
        # Saved over: the disk is not newer any more.
        offered = (await stale(editor, repository))["Take the version on disk"]
        await editor.save(INVOICE)
        await editor.problems(INVOICE)
        assert (await resolving_error(editor, offered)).code == CONTENT_MODIFIED


ACTIONS_DECLARED: Any = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}
RESOLVES: Any = {"dataSupport": True, "resolveSupport": {"properties": ["edit"]}}


@pytest.mark.parametrize(
    ("declared", "versions", "resolves"),
    [
        (RESOLVES, True, True),
        (RESOLVES | {"resolveSupport": {"properties": ["edit", "command"]}}, True, True),
        (RESOLVES | {"resolveSupport": {"properties": ["command"]}}, True, False),
        (RESOLVES | {"resolveSupport": {"properties": []}}, True, False),
        (RESOLVES | {"dataSupport": False}, True, False),
        ({"dataSupport": True}, True, False),
        ({}, True, False),
        # A client that ignores versions gets a command, which checks the version.
        (RESOLVES, False, True),
        ({}, False, False),
    ],
)
def test_what_is_sent_to_each_client_is_what_it_can_use(
    repository: Repository, declared: Any, *, versions: bool, resolves: bool
) -> None:
    govern(repository)
    root = repository.root
    sent = {
        "textDocument": {"codeAction": ACTIONS_DECLARED | declared},
        "workspace": {"workspaceEdit": {"documentChanges": versions}},
    }
    with declaring(root, sent) as client:
        provider = begin(client, root)["codeActionProvider"]
        kinds = {"codeActionKinds": ["quickfix", "source.fixAll.intent-lsp"]}
        assert provider == kinds | ({"resolveProvider": True} if resolves else {})
        uri = uri_of(root / INVOICE)
        client.open_document(uri, "top\n" + LINES, "python")
        (found,) = client.problems(uri, 1)
        params = {
            "textDocument": {"uri": uri},
            "range": found["range"],
            "context": {"diagnostics": [found]},
        }
        actions = client.request("textDocument/codeAction", params)
        (revert,) = [each for each in actions if each["title"] == "Revert the file"]
        assert not any("isPreferred" in action for action in actions)
        keys = {"title", "kind", "diagnostics"}
        if not versions:
            assert revert.keys() == keys | {"command"}
        elif resolves:
            assert revert.keys() == keys | {"data"}
            whole = client.request("codeAction/resolve", revert)
            assert whole.keys() == revert.keys() - {"diagnostics"} | {"edit"}
            (change,) = whole["edit"]["documentChanges"]
            assert change["textDocument"] == {"uri": uri, "version": 1}
            assert change["edits"] == [
                {
                    "range": {
                        "start": {"line": 0, "character": 0},
                        "end": {"line": 1, "character": 0},
                    },
                    "newText": "",
                }
            ]
        else:
            assert revert.keys() == keys | {"edit"}
        if not resolves:
            error = client.failure("codeAction/resolve", revert)
            assert error["code"] == -32601


CODES = Path(__file__).parents[2] / "docs" / "codes.md"
TEXT = CODES.read_text()
DOCUMENTATION = {
    "kind": "quickfix",
    "command": {
        "title": "What the codes mean, and the ways out",
        "command": "intent.showCodes",
    },
}


@pytest.mark.parametrize(
    ("documented", "shows", "offered"),
    [(True, True, True), (True, False, False), (False, True, False), (None, None, False)],
)
def test_the_page_of_codes_is_offered_to_a_client_that_shows_documentation(
    repository: Repository,
    documented: bool | None,  # noqa: FBT001 - a case
    shows: bool | None,  # noqa: FBT001 - a case
    offered: bool,  # noqa: FBT001 - a case
) -> None:
    govern(repository)
    action = {} if documented is None else {"documentationSupport": documented}
    window = {} if shows is None else {"showDocument": {"support": shows}}
    sent = {"textDocument": {"codeAction": ACTIONS_DECLARED | action}, "window": window}
    with declaring(repository.root, sent) as client:
        provider = begin(client, repository.root)["codeActionProvider"]
        assert provider.get("documentation") == ([DOCUMENTATION] if offered else None)


async def test_the_page_of_codes_opens_at_the_section_that_the_diagnostic_links_to(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        actions = await spoil(editor, code=NO_INTENT)
        (shown,) = actions["Show why"].diagnostics or ()
        assert shown.code_description is not None
        # The editor of these tests opens files below its root alone.
        assert await editor.command("intent.showCodes", {"code": NO_INTENT}) == {"shown": False}
        assert await editor.command("intent.showCodes") == {"shown": False}
        pages = [params.uri for params in editor.documents_shown]
        assert pages[0] == shown.code_description.href
        page, section = pages[1].split("#")
        assert path_of_uri(page) == str(CODES)
        assert f"\n## {section.replace('-', ' ').capitalize()}\n" in TEXT
        for wrong in ({"code": "no such code"}, {"code": 1}, {"code": "../X"}, "CODE"):
            with pytest.raises(JsonRpcException) as raised:
                await editor.command("intent.showCodes", wrong)
            assert raised.value.code == INVALID_PARAMS
    declared = capabilities(window={"showMessage": {}})
    async with editing(repository.root, client_capabilities=declared) as editor:
        assert await editor.command("intent.showCodes") == {"shown": False}
        assert editor.documents_shown == []
