"""Which root governs what, for a window with one folder, several, or none (requirements 4)."""

from pathlib import Path

import pytest
from lsprotocol import types as lsp

from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from tests.support.editor import Editor, editing
from tests.support.governed_repository import INTENTS, LINES, govern
from tests.support.repository import Repository, create

pytestmark = pytest.mark.e2e

LOGIN = "src/auth/login.py"
INTENTS_FILE = ".orchestration/active_intents.yaml"
NONE = "NO_ACTIVE_INTENT"


async def status(editor: Editor, root: Path | None = None) -> dict[str, object]:
    params = {} if root is None else {"workspaceUri": uri_of(root)}
    answer = await editor.ask("intent/status", params)
    assert isinstance(answer, dict)
    return answer


async def test_two_folders_are_two_roots(tmp_path: Path) -> None:
    one, two = (govern(create(tmp_path / name)) for name in ("one", "two"))
    third = create(tmp_path / "plain")
    third.write("a.txt", LINES)
    async with editing(tmp_path, folders=[third.root, one.root, two.root]) as editor:
        # Without a word about which, the first folder that is governed.
        assert (await status(editor))["root"] == str(one.root)
        await editor.ask("intent/select", {"intentId": "INT-001", "workspaceUri": uri_of(two.root)})
        assert (await status(editor, one.root))["activeIntentId"] is None
        assert (await status(editor, two.root))["activeIntentId"] == "INT-001"
        for name in ("one", "two"):
            editor.open(f"{name}/{LOGIN}")
            editor.type(f"{name}/{LOGIN}", "top\n" + LINES)
        await editor.problems(f"one/{LOGIN}", NONE)
        assert not await editor.settled(f"two/{LOGIN}")
        # The way out of a violation selects where the violation is.
        title = "Select intent INT-001 (owns this file)"
        await editor.run((await editor.actions(f"one/{LOGIN}"))[title])
        await editor.problems(f"one/{LOGIN}")
        assert (await status(editor, one.root))["activeIntentId"] == "INT-001"
        for name in ("one", "two"):
            await editor.save(f"{name}/{LOGIN}")
        await editor.traced(2)
        for repository in (one, two):
            (line,) = (
                (repository.root / ".orchestration/agent_trace.jsonl").read_text().splitlines()
            )
            assert '"relative_path":"src/auth/login.py"' in line
        answer = await editor.ask("intent/owners", {"uri": uri_of(two.root / LOGIN)})
        assert answer["path"] == LOGIN
        # A folder without governance has none, whatever stands beside it.
        editor.open("plain/a.txt")
        editor.type("plain/a.txt", "changed\n")
        await editor.save("plain/a.txt")
        assert not await editor.settled("plain/a.txt")
        assert (await status(editor, third.root))["root"] is None
        assert not (third.root / ".orchestration").exists()


async def test_the_innermost_root_wins(repository: Repository) -> None:
    govern(repository)
    inner = repository.root / "packages/inner"
    repository.write(f"packages/inner/{INTENTS_FILE}", INTENTS.replace("INT-", "IN-"))
    repository.write("packages/inner/src/auth/login.py", LINES)
    repository.write("packages/beside.py", LINES)
    repository.commit()
    async with editing(repository.root) as editor:
        name = "packages/inner/src/auth/login.py"
        await editor.ask("intent/select", {"intentId": "IN-001", "workspaceUri": uri_of(inner)})
        assert (await status(editor, inner))["root"] == str(inner)
        assert (await status(editor))["root"] == str(repository.root)
        editor.open(name)
        editor.type(name, "top\n" + LINES)
        assert not await editor.settled(name)
        await editor.save(name)
        await editor.traced(1)
        assert editor.records() == []
        text = (inner / ".orchestration/agent_trace.jsonl").read_text()
        assert '"intent_id":"IN-001"' in text
        assert f'"relative_path":"{LOGIN}"' in text
        editor.open("packages/beside.py")
        editor.type("packages/beside.py", "top\n" + LINES)
        await editor.problems("packages/beside.py", NONE)
        # A root that comes later, in between, takes what is below it.
        repository.write("packages/.orchestration/active_intents.yaml", INTENTS)
        await editor.ask(
            "intent/select",
            {"intentId": "INT-002", "workspaceUri": uri_of(repository.root / "packages")},
        )
        await editor.problems("packages/beside.py", "SCOPE_VIOLATION")
        answer = await editor.ask(
            "intent/owners", {"uri": uri_of(repository.root / "packages/beside.py")}
        )
        assert answer["path"] == "beside.py"


async def test_folders_come_and_go(tmp_path: Path) -> None:
    one, two = (govern(create(tmp_path / name)) for name in ("one", "two"))
    async with editing(tmp_path, folders=[one.root]) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        # A file of a root that is neither inside nor above a folder is nobody's.
        name = f"two/{LOGIN}"
        editor.open(name)
        editor.type(name, "top\n" + LINES)
        await editor.save(name)
        assert not await editor.settled(name)
        assert (await status(editor, two.root))["root"] is None
        assert not (two.root / ".orchestration/.local").exists()
        folder = lsp.WorkspaceFolder(uri=uri_of(two.root), name="two")
        editor.client.workspace_did_change_workspace_folders(
            lsp.DidChangeWorkspaceFoldersParams(
                lsp.WorkspaceFoldersChangeEvent(added=[folder], removed=[])
            )
        )
        editor.type(name, "2\ntop\n" + LINES)
        await editor.problems(name, NONE)
        await editor.save(name)
        await editor.traced(1)
        assert (await status(editor, two.root))["records"] == 1
        editor.client.workspace_did_change_workspace_folders(
            lsp.DidChangeWorkspaceFoldersParams(
                lsp.WorkspaceFoldersChangeEvent(added=[], removed=[folder])
            )
        )
        await editor.problems(name)
        assert (await status(editor))["root"] == str(one.root)


async def test_a_window_below_above_and_without_a_folder(tmp_path: Path) -> None:
    repository = govern(create(tmp_path / "repository"))
    (tmp_path / "link").symlink_to(repository.root)
    async with editing(repository.root / "src") as editor:
        assert (await status(editor))["root"] == str(repository.root)
        # Nothing is made below, where nothing is governed: the root is completed instead.
        made = await editor.ask("intent/init")
        assert ".orchestration/constraints.sidecar.yaml" in made["created"]
        assert not (repository.root / "src/.orchestration").exists()
    async with editing(tmp_path) as editor:
        # A folder above governs nothing itself; what is below it does.
        assert (await status(editor))["root"] is None
        editor.open(f"repository/{LOGIN}")
        editor.type(f"repository/{LOGIN}", "top\n" + LINES)
        await editor.problems(f"repository/{LOGIN}", NONE)
        editor.type(f"repository/{LOGIN}", LINES)
        await editor.problems(f"repository/{LOGIN}")
        # By a link to the root the same file is governed by the same rules.
        editor.close(f"repository/{LOGIN}")
        editor.open(f"link/{LOGIN}")
        editor.type(f"link/{LOGIN}", "top\n" + LINES)
        await editor.problems(f"link/{LOGIN}", NONE)
    async with editing(tmp_path, folders=[]) as editor:
        editor.open(f"repository/{LOGIN}")
        editor.type(f"repository/{LOGIN}", "top\n" + LINES)
        await editor.problems(f"repository/{LOGIN}", NONE)
        await editor.save(f"repository/{LOGIN}")
        await editor.traced(1)
