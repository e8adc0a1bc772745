"""The stores of one governed root, opened together.

Invariant: without a writable `.local/` the desk goes on, without memory.
"""

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from intent_lsp.core.content import ContentHash, decode
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import UNKNOWN_REVISION
from intent_lsp.governance.past import Past
from intent_lsp.governance.syntax_tree_cache import KeptTrees
from intent_lsp.store.git.repository import Git
from intent_lsp.store.ledger.ledger import Ledger
from intent_lsp.store.state.blob_cache import Snapshots
from intent_lsp.store.state.drafts import Drafts
from intent_lsp.store.state.sessions_db import State

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """Every store of a root; `git` is None outside of a repository, `state` without `.local/`.

    `trees` are those of the contents that were recorded last; `past` is what the ledger tells, as
    far as it can be read. `coming_saves` are the texts that editors of this process are about to
    save, or have just saved, by file.
    """

    root: Path
    git: Git | None
    ledger: Ledger
    state: State | None
    drafts: Drafts
    snapshots: Snapshots
    clock: Callable[[], datetime]
    new_id: Callable[[], str]
    trees: KeptTrees = field(default_factory=KeptTrees)
    coming_saves: dict[WorkspacePath, str] = field(default_factory=dict)
    past: Past = field(init=False)

    def __post_init__(self) -> None:
        """Ask the ledger by one that remembers what it has said of it."""
        object.__setattr__(self, "past", Past(self.ledger.index))

    def problem(self) -> str | None:
        """Tell why the state cannot be kept on disk; None: it can, or there never was a place."""
        return None if self.state is None else self.state.problem()

    def content(self, hash_: ContentHash) -> bytes | None:
        """Give a content that is kept with an open ticket, or as a snapshot; None: in neither."""
        kept = None if self.state is None else self.state.tickets.content(hash_)
        return self.snapshots.get(hash_) if kept is None else kept

    def end_runs(
        self, paths: Collection[WorkspacePath] | None = None, *, idle_since: str | None = None
    ) -> None:
        """Record what editors have saved automatically, as far as the ledger can be written."""
        try:
            self.ledger.end_runs(paths, idle_since=idle_since)
        except IntentLspError as problem:
            _log.warning("an open run of saves waits for the ledger: %s", problem)

    def is_coming_save(self, path: WorkspacePath, data: bytes | None) -> bool:
        """Whether a file holds what an editor is about to save, or has just saved."""
        coming = self.coming_saves.get(path)
        held = None if coming is None or data is None else decode(data)
        return held is not None and held.text == coming

    def revision(self) -> str:
        """Give the commit checked out, as records name it; UNKNOWN without one."""
        return (self.git.head_commit() if self.git is not None else None) or UNKNOWN_REVISION
