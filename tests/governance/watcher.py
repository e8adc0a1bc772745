"""One server's tracking of changes on disk, which compares the tree when a test says so."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from msgspec.structs import replace

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.governance.disk.disk_changes import DiskChanges, DiskNews
from intent_lsp.governance.disk.tree_snapshots import TreeLooks
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.judging.save_judge import SaveJudge
from intent_lsp.governance.root.sessions import Session
from intent_lsp.store.locks.root_lock import RootLock

Touched = list[tuple[WorkspacePath, str, str]]


@dataclass
class Watcher:
    """The disk changes of one server, with a clock of its own (`at`)."""

    governance: Governance
    session: Session
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    lock: RootLock | None = None
    changes: DiskChanges = field(init=False)

    def __post_init__(self) -> None:
        stores = replace(self.governance.stores, clock=lambda: self.at, gate_lock=self.lock)
        judging = SaveJudge(
            stores=stores,
            sessions=self.governance.sessions,
            contents=self.governance.contents,
            grants=self.governance.grants,
        )
        self.changes = DiskChanges(
            stores=stores,
            judging=judging,
            looks=TreeLooks(
                stores.root, lambda: stores.git, self.governance.contents, stores.clock
            ),
        )
        self.changes.look()

    def news(self) -> DiskNews:
        """Compare the tree, and record what changed."""
        self.changes.look()
        return self.changes.record(self.session)

    def recorded(self) -> list[Record]:
        """Compare the tree, and return the records of what changed."""
        return [each.record for each in self.news().recorded if each.record is not None]

    def touched(self) -> Touched:
        """Compare the tree; return path, class and verdict of each changed file."""
        return [
            (file.path, record.mutation_class.value, record.scope_validation.value)
            for record in self.recorded()
            for file in record.files
        ]
