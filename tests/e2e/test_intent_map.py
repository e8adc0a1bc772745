"""The intent map, written by a real server after a record (ledger section 6)."""

from pathlib import Path

import pytest

from intent_lsp.core.paths import INTENT_MAP
from tests.support.editor import editing
from tests.support.governed_repository import LINES, govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

LOGIN = "src/auth/login.py"


def identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_ino, found.st_mtime_ns


async def test_a_save_is_a_row_of_the_map_and_nothing_else_rewrites_it(
    repository: Repository,
) -> None:
    govern(repository)
    path = repository.root / INTENT_MAP
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        editor.open(LOGIN)
        editor.type(LOGIN, LINES + "more\n")
        await editor.save(LOGIN)
        await editor.traced(1)
    # At the latest when the server ends it is there.
    (row,) = [line for line in path.read_text().splitlines() if line.startswith(f"| `{LOGIN}`")]
    assert editor.records()[0]["timestamp"] in row
    before = identity(path)
    async with editing(repository.root) as editor:
        await editor.ask("intent/status", {})
        editor.open(LOGIN)
        await editor.settled(LOGIN)
    assert identity(path) == before
    assert len(editor.records()) == 1


async def test_the_map_names_the_function_that_a_save_changed(repository: Repository) -> None:
    govern(repository)
    text = "def f():\n    return 1\n\n\nclass A:\n    def g(self):\n        return 2\n"
    repository.write(LOGIN, text)
    repository.commit("functions")
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        editor.open(LOGIN)
        editor.type(LOGIN, text.replace("return 2", "return 3"))
        await editor.save(LOGIN)
        await editor.traced(1)
    assert f"| `{LOGIN}` | `A.g` |" in (repository.root / INTENT_MAP).read_text()


async def test_opening_a_project_without_a_map_makes_none(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
    assert not (repository.root / INTENT_MAP).exists()
