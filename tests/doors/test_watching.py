"""What is watched from outside is watched once, and each directory is told the first time."""

from pathlib import Path

from intent_lsp.core.paths import CONTROL_ROOM
from intent_lsp.doors.lsp.connection.rules_watcher import Watching
from intent_lsp.governance.governance import Governance
from tests.support.governed import govern
from tests.support.repository import Repository


async def _nothing(_: frozenset[str]) -> None:
    return


async def test_directories_are_added_together_and_each_once(repository: Repository) -> None:
    govern(repository)
    root = repository.root
    desk = Governance(root)
    watching = Watching(_nothing)
    src = frozenset({root / "src/auth", root / "src/billing"})

    added = watching.add(desk, src)
    assert added >= src | {root, root / CONTROL_ROOM, root / ".git"}
    assert watching.add(desk, src) == frozenset()
    assert watching.add(desk, src | {root / "docs"}) == {root / "docs"}
    assert watching.add(desk, frozenset({Path(root)})) == frozenset()

    watching.end()
    desk.close(None)
