"""The rules watcher: each directory is watched once, and reported the first time."""

from pathlib import Path

from intent_lsp.core.paths import CONTROL_ROOM
from intent_lsp.doors.lsp.connection.watchers import RulesWatcher
from intent_lsp.governance.governance import Governance
from tests.support.governed_repository import govern
from tests.support.repository import Repository


def _nothing(_: frozenset[str]) -> None:
    return


async def test_directories_are_added_together_and_each_once(repository: Repository) -> None:
    govern(repository)
    root = repository.root
    governance = Governance(root)
    watching = RulesWatcher(_nothing, lambda _: False)
    src = frozenset({root / "src/auth", root / "src/billing"})

    added = watching.add(governance, src)
    assert added >= src | {root, root / CONTROL_ROOM, root / ".git"}
    assert watching.add(governance, src) == frozenset()
    assert watching.add(governance, src | {root / "docs"}) == {root / "docs"}
    assert watching.add(governance, frozenset({Path(root)})) == frozenset()

    watching.end()
    governance.close(None)
