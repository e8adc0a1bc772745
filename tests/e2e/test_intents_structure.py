"""The open intents file at a real server: its structure, links, definitions, hovers and hints."""

import sys
from typing import Any

import pytest
from lsprotocol import types as lsp

from intent_lsp.core.content import split_lines
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from tests.support.editor import Editor, capabilities, editing
from tests.support.governed_repository import LINES, govern
from tests.support.marked_text import cursor_in
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

INTENTS_FILE = ".orchestration/active_intents.yaml"
LOGIN = "src/auth/login.py"
INVOICE = "src/billing/invoice.py"
TEXT = """\
active_intent: INT-002
active_intents:
  - id: INT-001
    name: "Lögin 🙂"
    status: done
    owned_scope: ["🙂/**", "src/auth/**", src/billing/invoice.py, '!src/auth/x/**']
    related_files: [src/auth/login.py, src/none.py, ../x]
  - id: INT-002
    name: Billing
    status: IN_PROGRESS
    owned_scope: [src/billing/**]
    acceptance_criteria: [Tests pass]
    aliases: [OLD-2]
"""
FULL = capabilities(
    textDocument__hover={"contentFormat": ["markdown"]},
    textDocument__documentSymbol={"hierarchicalDocumentSymbolSupport": True},
    textDocument__definition={"linkSupport": True},
    textDocument__documentLink={"tooltipSupport": True},
)
HINTS = {"inlayHints": True}


def document(editor: Editor, name: str = INTENTS_FILE) -> lsp.TextDocumentIdentifier:
    return lsp.TextDocumentIdentifier(editor.uri(name))


def text_in(editor: Editor, place: lsp.Range) -> str:
    """Return the text of the intents file's buffer in a range of the client's units."""
    return editor.text_in(INTENTS_FILE, place)


def cursor(editor: Editor, part: str, marked: str) -> lsp.Position:
    """Return the position of the mark in `marked`, which is the one `part` of the buffer."""
    text = editor.buffers[INTENTS_FILE].text
    assert text.count(part) == 1, part
    plain, offset = cursor_in(text.replace(part, marked))
    assert plain == text
    return editor.position(split_lines(text), text[:offset])


async def opened(editor: Editor, text: str = TEXT) -> None:
    editor.open(INTENTS_FILE)
    editor.type(INTENTS_FILE, text)


async def symbols(editor: Editor) -> list[Any]:
    params = lsp.DocumentSymbolParams(document(editor))
    return list(await editor.client.text_document_document_symbol_async(params) or [])


async def hover(editor: Editor, part: str, marked: str) -> tuple[str, str] | None:
    params = lsp.HoverParams(document(editor), cursor(editor, part, marked))
    found = await editor.client.text_document_hover_async(params)
    if found is None:
        return None
    assert isinstance(found.contents, lsp.MarkupContent)
    assert found.range is not None
    return text_in(editor, found.range), found.contents.value


async def definition(editor: Editor, part: str, marked: str) -> list[Any]:
    params = lsp.DefinitionParams(document(editor), cursor(editor, part, marked))
    found = await editor.client.text_document_definition_async(params)
    return list(found) if isinstance(found, list | tuple) else []


async def hints(editor: Editor, first: int = 0, last: int = 99) -> list[tuple[str, Any]]:
    shown = lsp.Range(lsp.Position(first, 0), lsp.Position(last, 0))
    params = lsp.InlayHintParams(document(editor), shown)
    found = await editor.client.text_document_inlay_hint_async(params) or []
    start = lsp.Position(0, 0)
    return [
        (split_lines(text_in(editor, lsp.Range(start, hint.position)))[-1], hint.label)
        for hint in found
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_symbols_are_nested_where_the_client_nests_them(
    repository: Repository, encoding: str
) -> None:
    govern(repository)
    able = capabilities(
        textDocument__documentSymbol={"hierarchicalDocumentSymbolSupport": True},
        general__positionEncodings=[encoding],
    )
    async with editing(repository.root, client_capabilities=able) as editor:
        await opened(editor)
        first, second = await symbols(editor)
        assert isinstance(first, lsp.DocumentSymbol)
        assert (first.name, first.detail) == ("INT-001: Lögin 🙂", "COMPLETED")
        assert text_in(editor, first.selection_range) == "INT-001"
        scope, related = first.children or []
        globs = [text_in(editor, child.range) for child in scope.children or []]
        assert globs[:2] == ['"🙂/**"', '"src/auth/**"']
        assert next(child.name for child in related.children or []) == LOGIN
        assert text_in(editor, second.range).endswith("[OLD-2]")
    async with editing(repository.root) as editor:
        await opened(editor)
        flat = await symbols(editor)
        assert isinstance(flat[0], lsp.SymbolInformation)
        found = [(each.name, each.container_name) for each in flat]
        assert found[0] == ("INT-001: Lögin 🙂", None)
        assert ("src/billing/**", "owned_scope") in found


async def test_the_text_is_folded_and_selected(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await opened(editor)
        folding = await editor.client.text_document_folding_range_async(
            lsp.FoldingRangeParams(document(editor))
        )
        assert [(each.start_line, each.end_line) for each in folding or []] == [
            *[(1, 12), (2, 6), (7, 12)]
        ]
        at = cursor(editor, "src/billing/**", "src/bill|ing/**")
        found = await editor.client.text_document_selection_range_async(
            lsp.SelectionRangeParams(document(editor), [at, lsp.Position(0, 0)])
        )
        assert found is not None
        assert len(found) == 2
        around: list[str] = []
        selection: lsp.SelectionRange | None = found[0]
        while selection is not None:
            around.append(text_in(editor, selection.range))
            selection = selection.parent
        assert around[:3] == [
            *["src/billing/**", "[src/billing/**]", "owned_scope: [src/billing/**]"]
        ]
        assert around[-1] == TEXT


async def test_links_are_resolved_lazily(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=FULL) as editor:
        await opened(editor)
        links = await editor.client.text_document_document_link_async(
            lsp.DocumentLinkParams(document(editor))
        )
        found = {text_in(editor, link.range): link for link in links or []}
        assert list(found) == [INVOICE, LOGIN]
        assert found[LOGIN].target is found[LOGIN].tooltip is None
        link = await editor.client.document_link_resolve_async(found[LOGIN])
        assert link.target == editor.uri(LOGIN)
        assert link.tooltip == f"{LOGIN} (owned by INT-001)"
        # What is not ours, or no path in the root, stays without a target.
        for data in (None, {"uri": editor.uri(INTENTS_FILE), "path": "../../etc/passwd"}, 7):
            strange = lsp.DocumentLink(range=link.range, data=data)
            assert (await editor.client.document_link_resolve_async(strange)).target is None


@pytest.mark.parametrize(
    ("part", "marked", "files"),
    [
        ('"src/auth/**"', '"src/au|th/**"', [LOGIN]),
        ("src/billing/**", "src/billing/**|", [INVOICE]),
        ("[src/auth/login.py", "[src/auth/login|.py", [LOGIN]),
        ("src/none.py", "src/no|ne.py", []),
        ("../x", "..|/x", []),
        ('"🙂/**"', '"🙂|/**"', []),
        ("active_intent: INT-002", "active_intent: INT|-002", "INT-002"),
        ("OLD-2", "|OLD-2", "INT-002"),
        ("id: INT-001", "id: INT-|001", "INT-001"),
        ("name: Billing", "name: Bill|ing", []),
        ("Tests pass", "Tests| pass", []),
    ],
)
async def test_definitions_are_files_and_intents(
    repository: Repository, part: str, marked: str, files: list[str] | str
) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=FULL) as editor:
        await opened(editor)
        found = await definition(editor, part, marked)
        assert all(isinstance(each, lsp.LocationLink) for each in found)
        assert all(text_in(editor, each.origin_selection_range) in part for each in found)
        if isinstance(files, str):
            (link,) = found
            assert link.target_uri == editor.uri(INTENTS_FILE)
            assert text_in(editor, link.target_range) == files
        else:
            assert [each.target_uri for each in found] == [editor.uri(name) for name in files]


async def test_a_client_without_links_gets_locations(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await opened(editor)
        (place,) = await definition(editor, '"src/auth/**"', '"src/au|th/**"')
        assert isinstance(place, lsp.Location)
        assert place.uri == editor.uri(LOGIN)


async def test_parts_are_explained(repository: Repository) -> None:
    govern(repository)
    repository.write("src/billing/two.py", "2\n")
    async with editing(repository.root, client_capabilities=FULL) as editor:
        await opened(editor, TEXT.replace("status: done", "status: active"))
        assert await hover(editor, '"src/auth/**"', '"src|/auth/**"') == (
            '"src/auth/**"',
            "**`src/auth/**` matches 1 file**\n\n- `src/auth/login.py`",
        )
        _, shared = await hover(editor, "src/billing/**", "src/|billing/**") or ("", "")
        assert "matches 2 files" in shared
        assert "`INT-001 — Lögin 🙂: 1 file`" in shared
        place, status = await hover(editor, "status: active", "status: |active") or ("", "")
        assert place == "active"
        assert "Read as IN_PROGRESS" in status
        place, key = await hover(editor, "related_files:", "rel|ated_files:") or ("", "")
        assert (place, key.split("\n")[0]) == ("related_files", "**related_files**")
        _, summary = await hover(editor, "id: INT-002", "id: |INT-002") or ("", "")
        assert "INT-002 has no record" in summary
        assert "formerly OLD-2" in summary
        assert await hover(editor, "name: Billing", "name: Bil|ling") is None
        assert await hover(editor, "src/none.py", "src/|none.py") is None


async def test_a_criterion_shows_the_records_of_its_intent(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        editor.open(LOGIN)
        editor.type(LOGIN, LINES.replace("line 4", "line four"))
        await editor.save(LOGIN)
        await editor.traced(1)
        editor.open(INTENTS_FILE)
        _, said = await hover(editor, '"Tests pass"', '"Tests| pass"') or ("", "")
        head, records, newest, why = said.split("\n")
        assert head == "Criterion 1 of 1 of INT-001"
        assert records == "INT-001 has 1 record, the newest"
        assert "editor/save PASS" in newest
        assert "not for which criterion" in why


async def test_globs_have_the_number_of_their_files(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root, options=HINTS) as editor:
        await opened(editor)
        before = '    owned_scope: ["🙂/**"'
        found = await hints(editor)
        assert [label for _, label in found] == [
            *["no file", "1 file", "1 file", "excludes no file", "1 file"]
        ]
        assert found[0][0] == before
        assert await hints(editor, 8, 99) == [("    owned_scope: [src/billing/**", "1 file")]
        # They are off unless they are asked for.
    async with editing(repository.root) as editor:
        await opened(editor)
        assert await hints(editor) == []


@pytest.mark.skipif(sys.platform == "darwin", reason="every name is UTF-8 there")
async def test_a_name_that_is_not_utf_8_is_displayed(repository: Repository) -> None:
    govern(repository)
    (repository.root / "src/caf\udce9.py").touch()
    async with editing(repository.root, client_capabilities=FULL, options=HINTS) as editor:
        await opened(editor, TEXT.replace("src/billing/**", "src/caf*"))
        _, said = await hover(editor, "src/caf*", "src/|caf*") or ("", "")
        assert "src/caf\ufffd.py" in said
        shown = lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0))
        params = lsp.InlayHintParams(document(editor), shown)
        found = await editor.client.text_document_inlay_hint_async(params) or []
        assert "src/caf\ufffd.py" in [hint.tooltip for hint in found]


async def test_a_text_that_does_not_parse_keeps_what_is_on_unchanged_lines(
    repository: Repository,
) -> None:
    govern(repository)
    broken = TEXT.replace("    status: done\n", "    status: done\n    constraints: [\n")
    async with editing(repository.root, client_capabilities=FULL, options=HINTS) as editor:
        await opened(editor)
        assert len(await symbols(editor)) == 2
        editor.type(INTENTS_FILE, broken)
        first, second = await symbols(editor)
        assert text_in(editor, first.selection_range) == "INT-001"
        assert text_in(editor, second.selection_range) == "INT-002"
        assert await hints(editor, 8) == [("    owned_scope: [src/billing/**", "1 file")]
        place, _ = await hover(editor, '"src/auth/**"', '"src/a|uth/**"') or ("", "")
        assert place == '"src/auth/**"'
        assert await hover(editor, "constraints: [", "constr|aints: [") is None
        # A text that is rewritten as a whole has nothing in common with the one that parsed.
        editor.type(INTENTS_FILE, "intents: [\n")
        assert await symbols(editor) == []
        assert await hints(editor) == []
        editor.type(INTENTS_FILE, "")
        assert await symbols(editor) == []


async def test_before_any_text_has_parsed_the_saved_one_is_taken(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=FULL) as editor:
        editor.open(INTENTS_FILE, (repository.root / INTENTS_FILE).read_text() + "x: [\n")
        first, _ = await symbols(editor)
        assert first.name == "INT-001: Login"


async def test_a_text_that_was_closed_is_not_taken(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=FULL) as editor:
        await opened(editor)
        assert (await symbols(editor))[0].name == "INT-001: Lögin 🙂"
        editor.close(INTENTS_FILE)
        editor.open(INTENTS_FILE, "x: [\n" + (repository.root / INTENTS_FILE).read_text())
        assert (await symbols(editor))[0].name == "INT-001: Login"


async def test_other_files_are_left_to_their_own_servers(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=FULL) as editor:
        editor.open(LOGIN)
        top = lsp.Position(0, 0)
        ask, place = editor.client, document(editor, LOGIN)
        assert (
            await ask.text_document_document_symbol_async(lsp.DocumentSymbolParams(place)) is None
        )
        assert await ask.text_document_folding_range_async(lsp.FoldingRangeParams(place)) is None
        assert (
            await ask.text_document_selection_range_async(lsp.SelectionRangeParams(place, [top]))
            is None
        )
        assert await ask.text_document_document_link_async(lsp.DocumentLinkParams(place)) is None
        assert await ask.text_document_definition_async(lsp.DefinitionParams(place, top)) is None
        closed = lsp.TextDocumentIdentifier(uri_of(editor.root / INTENTS_FILE))
        assert (
            await ask.text_document_document_symbol_async(lsp.DocumentSymbolParams(closed)) is None
        )


MALFORMED = (
    "\ufeff" + TEXT.replace("\n", "\r\n"),
    TEXT.replace("\n", "\r"),
    TEXT.replace("    name", "\tname"),
    TEXT.replace("[src/billing/**]", "[src/billing/**"),
    TEXT + "\x00",
    TEXT + "---\n- id: X\n",
    "[" * 1_000,
    "- id: A\n  owned_scope: [&a [*a]]\n",
    "- " * 60 + "x",
    "é😀: {é😀: [😀]}",
    "",
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_every_text_and_position_is_answered(repository: Repository, encoding: str) -> None:
    govern(repository)
    able = capabilities(general__positionEncodings=[encoding])
    async with editing(repository.root, client_capabilities=able, options=HINTS) as editor:
        await opened(editor)
        ask, place = editor.client, document(editor)
        for text in MALFORMED:
            editor.type(INTENTS_FILE, text)
            await symbols(editor)
            await hints(editor)
            await ask.text_document_folding_range_async(lsp.FoldingRangeParams(place))
            await ask.text_document_document_link_async(lsp.DocumentLinkParams(place))
            for at in (lsp.Position(0, 0), lsp.Position(5, 21), lsp.Position(10**6, 10**6)):
                await ask.text_document_hover_async(lsp.HoverParams(place, at))
                await ask.text_document_definition_async(lsp.DefinitionParams(place, at))
                (found,) = (
                    await ask.text_document_selection_range_async(
                        lsp.SelectionRangeParams(place, [at])
                    )
                    or ()
                )
                while found.parent is not None:
                    assert found.parent.range.start <= found.range.start
                    assert found.range.end <= found.parent.range.end
                    found = found.parent
                assert text_in(editor, found.range) == text
