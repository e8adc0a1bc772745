"""One server's account of a work tree: it looks when it is told to, in a time of its own."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

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
    """One server's account of a work tree, in a time of its own."""

    governance: Governance
    session: Session
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    lock: RootLock | None = None
    changes: DiskChanges = field(init=False)

    def __post_init__(self) -> None:
        stores = replace(self.governance.stores, clock=lambda: self.at)
        judging = SaveJudge(
            stores=stores,
            rules=self.governance.rules,
            sessions=self.governance.sessions,
            contents=self.governance.contents,
            grants=self.governance.grants,
        )
        self.changes = DiskChanges(
            stores=stores,
            contents=self.governance.contents,
            judging=judging,
            lock=self.lock,
            looks=TreeLooks(stores.root, stores.git, self.governance.contents, stores.clock),
        )
        self.changes.look()

    def news(self) -> DiskNews:
        self.changes.look()
        return self.changes.record(self.session)

    def recorded(self) -> list[Record]:
        """Look, record, and return what was recorded."""
        return [each.record for each in self.news().recorded if each.record is not None]

    def touched(self) -> Touched:
        return [
            (file.path, record.mutation_class.value, record.scope_validation.value)
            for record in self.recorded()
            for file in record.files
        ]
