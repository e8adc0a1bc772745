"""*Fix all* as an editor asks for it: at each save, from a menu, and never among quick fixes."""

import pytest
from lsprotocol import types as lsp

from intent_lsp.core.paths import INTENTS_FILE, POLICY_FILE
from tests.support.editor import Editor, capabilities, editing
from tests.support.governed_repository import INTENTS, LINES, govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

FIX_ALL = "source.fixAll.intent-lsp"
OTHER = """\
# ours 😀
INT-001: # the first
   title: "😀"
   status: PLANNED
   scope: {paths: [*.py]} # all
INT-002:
   owned_scop: [/src/**]
active_intent: INT-001
"""
NORMAL = """\
# ours 😀
active_intents:
-  id: INT-001 # the first
   name: "😀"
   status: PLANNED
   owned_scope: ["*.py"] # all
-  id: INT-002
   owned_scop: [/src/**]
active_intent: INT-001
"""


def kinds(found: dict[str, lsp.CodeAction]) -> set[object]:
    return {action.kind for action in found.values()}


async def fixed(editor: Editor, name: str) -> str:
    """Run *Fix all* as an editor does before a save, and return the text."""
    for action in (await editor.actions(name, only=[FIX_ALL])).values():
        await editor.run(action)
    return editor.buffers[name].text


@pytest.mark.parametrize("versions", [True, False])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_a_file_in_another_form_becomes_the_normal_form_in_one_edit(
    repository: Repository, encoding: lsp.PositionEncodingKind, *, versions: bool
) -> None:
    govern(repository)
    able = capabilities(
        general={"positionEncodings": [encoding]},
        workspace__workspaceEdit__documentChanges=versions,
    )
    async with editing(repository.root, client_capabilities=able) as editor:
        editor.open(INTENTS_FILE)
        editor.type(INTENTS_FILE, OTHER)
        (action,) = (await editor.actions(INTENTS_FILE, only=[FIX_ALL])).values()
        assert (action.title, action.kind) == ("Fix all that is safe to fix (4)", FIX_ALL)
        assert await fixed(editor, INTENTS_FILE) == NORMAL
        assert await fixed(editor, INTENTS_FILE) == NORMAL
        assert (repository.root / INTENTS_FILE).read_text() == INTENTS


async def test_only_the_kinds_that_the_editor_asks_for_are_sent(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        assert editor.server_capabilities is not None
        provider = editor.server_capabilities.code_action_provider
        assert isinstance(provider, lsp.CodeActionOptions)
        assert [*(provider.code_action_kinds or ())] == ["quickfix", FIX_ALL]
        editor.open(INTENTS_FILE)
        # Nothing to fix: no action, in whatever way it is asked for.
        await editor.settled(INTENTS_FILE)
        assert await editor.actions(INTENTS_FILE) == {}
        assert await editor.actions(INTENTS_FILE, only=["source.fixAll"]) == {}
        editor.type(INTENTS_FILE, INTENTS.replace('"src/auth/**"', "*.py").replace("name:", "nam:"))
        await editor.until(lambda: len(shown(editor)) > 2, "checked")
        for only in (["source"], ["source.fixAll"], [FIX_ALL]):
            assert kinds(await editor.actions(INTENTS_FILE, 4, 20, only=only)) == {FIX_ALL}, only
        for other in (["quickfix"], ["quickfix", "refactor"]):
            assert kinds(await editor.actions(INTENTS_FILE, 4, 20, only=other)) == {"quickfix"}
        assert await editor.actions(INTENTS_FILE, only=["source.fixAll.ruff"]) == {}
        assert await editor.actions(INTENTS_FILE, only=["source.organizeImports"]) == {}
        both = await editor.actions(INTENTS_FILE, 4, 20)
        assert kinds(both) == {"quickfix", FIX_ALL}
        # A line with nothing to fix: the whole file has.
        assert kinds(await editor.actions(INTENTS_FILE, 7)) == {FIX_ALL}
        # A key that only resembles a known one stays: the fix would change what is read.
        assert "nam: Billing" in await fixed(editor, INTENTS_FILE)


@pytest.mark.parametrize("knows", [True, False])
async def test_the_only_fix_is_preferred_by_a_client_that_knows_that(
    repository: Repository, *, knows: bool
) -> None:
    govern(repository)
    able = capabilities(textDocument__codeAction__isPreferredSupport=knows)
    async with editing(repository.root, client_capabilities=able) as editor:
        editor.open(INTENTS_FILE)
        editor.type(INTENTS_FILE, INTENTS.replace('"src/auth/**"', "*.py"))
        action = (await editor.actions(INTENTS_FILE, 4, 20))["Quote it"]
        assert action.is_preferred is (True if knows else None)


async def test_a_finding_that_the_settings_hide_has_no_quick_fix(repository: Repository) -> None:
    govern(repository)
    text = INTENTS.replace('"src/auth/**"', "*.py").replace("owned_scope", "ownedScope")
    options = {"severity": {"OTHER_FORM": "off", "YAML_UNQUOTED_GLOB": "warning"}}
    async with editing(repository.root, options=options) as editor:
        editor.open(INTENTS_FILE)
        editor.type(INTENTS_FILE, text)
        (action,) = (await editor.actions(INTENTS_FILE, 4, 20, only=["quickfix"])).values()
        assert action.title == "Quote it"
        assert action.diagnostics is not None
        assert [each.severity for each in action.diagnostics] == [lsp.DiagnosticSeverity.Warning]
        assert await editor.actions(INTENTS_FILE, 4, 6, only=["quickfix"]) == {}


def shown(editor: Editor) -> list[lsp.Diagnostic]:
    published = editor.shown.get(editor.uri(INTENTS_FILE))
    return [] if published is None else list(published.diagnostics)


async def test_the_policy_has_it_and_a_source_file_has_not(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        editor.open(POLICY_FILE, "")
        editor.type(POLICY_FILE, "sidecar:\n  failOpen: no # é\n  generated: [*.pyc]\n")
        wanted = 'sidecar:\n  fail_open: no # é\n  generated: ["*.pyc"]\n'
        assert await fixed(editor, POLICY_FILE) == wanted
        editor.open("src/auth/login.py")
        editor.type("src/auth/login.py", "top\n" + LINES)
        await editor.problems("src/auth/login.py", "NO_ACTIVE_INTENT")
        assert kinds(await editor.actions("src/auth/login.py")) == {"quickfix"}
        assert await editor.actions("src/auth/login.py", only=[FIX_ALL]) == {}


async def test_a_text_that_is_not_yaml_is_left_alone(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        editor.open(INTENTS_FILE)
        editor.type(INTENTS_FILE, "intents: [")
        assert await editor.actions(INTENTS_FILE, only=[FIX_ALL]) == {}
