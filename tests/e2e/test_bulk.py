"""Many files changed at once: one message, one record, one diagnostic, however many they are."""

import subprocess
from typing import Final

import pytest
from lsprotocol import types as lsp

from intent_lsp.core.gate.violations import SHOWN_ALIKE
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from tests.support.editor import Editor, capabilities, editing
from tests.support.governed_repository import govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

OPERATIONS: Final = {"dynamicRegistration": False, "willRename": True, "didRename": True}
ABLE: Final = capabilities(workspace__fileOperations=OPERATIONS)
FOLDERS: Final = 20


def fill(repository: Repository, files: int) -> None:
    """Commit so many files in twenty folders that are nobody's."""
    for number in range(files):
        repository.write(f"lib/{number % FOLDERS:02}/{number:04}.py", f"number = {number}\n")
    repository.commit()


async def rename_folder(editor: Editor, old: str, new: str) -> None:
    ends = (uri_of(editor.root / name) for name in (old, new))
    params = lsp.RenameFilesParams([lsp.FileRename(*ends)])
    await editor.client.workspace_will_rename_files_async(params)
    (editor.root / old).rename(editor.root / new)
    editor.client.workspace_did_rename_files(params)


def run(repository: Repository, script: str) -> None:
    """Have another program change the work tree."""
    subprocess.run(["sh", "-ec", script], cwd=repository.root, check=True)


def shown(editor: Editor) -> dict[str, list[str]]:
    """Give what is shown now, by the files' names."""
    start = len(uri_of(editor.root)) + 1
    return {
        uri[start:]: [each.message for each in published.diagnostics]
        for uri, published in editor.shown.items()
        if published.diagnostics
    }


@pytest.mark.parametrize("files", [120, pytest.param(1_000, marks=pytest.mark.slow)])
async def test_a_folder_is_renamed_with_one_message_and_one_diagnostic(
    repository: Repository, files: int
) -> None:
    govern(repository)
    fill(repository, files)
    async with editing(repository.root, client_capabilities=ABLE) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        await rename_folder(editor, "lib", "lib2")
        await editor.traced(1)
        (record,) = editor.records()
        assert (record["tool_name"], record["scope_validation"]) == ("editor/rename", "FAIL")
        assert len(record["files"]) == files
        said, more = "0000.py is outside the scope of INT-001 (Login).", f"{files - 1} more"
        alike = f"The same is true of {more} changed files in lib2/."
        first = f"{said} {alike} Open one to see its marked lines."
        others = f"A rule is also broken for {more} files."
        await editor.until(lambda: shown(editor) == {"lib2/00/0000.py": [first]}, "one is shown")
        assert editor.messages == [
            (
                f"intent-lsp: renaming lib → lib2 ({files:,} files) is not allowed, but not"
                f" prevented: {said} {others}"
            )
        ]
        # Undone, nothing is shown any more, and nobody says a word.
        await rename_folder(editor, "lib2", "lib")
        await editor.traced(2)
        await editor.until(lambda: not shown(editor), "nothing is shown")
        assert len(editor.messages) == 1


async def test_a_program_that_changes_three_hundred_files_is_one_record_and_one_diagnostic(
    repository: Repository,
) -> None:
    govern(repository)
    fill(repository, 300)
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        seen: set[str] = set()
        run(repository, "sed -i s/number/n/ lib/*/*.py")

        def one() -> bool:
            seen.update(shown(editor))
            return len(editor.records()) == 1

        await editor.until(one, "a record")
        first = "0000.py is outside the scope of INT-001 (Login). The same is true of 299 more"
        second = "changed files in lib/. Open one to see its marked lines."
        whole = {"lib/00/0000.py": [f"{first} {second}"]}
        await editor.until(lambda: shown(editor) == whole, "one is shown")
        (record,) = editor.records()
        assert (record["tool_name"], len(record["files"])) == ("disk/change", 300)
        # A look that falls into the middle of it may show those that are changed by then.
        assert len(seen) <= SHOWN_ALIKE + 1
        assert editor.messages == []
