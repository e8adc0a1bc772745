"""The records of files that were asked about, remembered as the ledger grows (ledger section 5).

Invariant: what is remembered is what would be read; where the ledger did anything but grow, or a
file got another name, it is read again.
"""

import threading
from collections.abc import Mapping
from typing import Final

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.governance.ledger.file_lineage import FileLineage, file_lineage, gone_on
from intent_lsp.store.ledger.index.index import Index
from intent_lsp.store.ledger.raw.files import FilesStamp, FileStamp

RECORDS_KEPT: Final = 20_000
"""Records of all files together that are remembered at most, those asked about last."""


class KnownLineages:
    """Gives the lineages of one root's files; safe for threads."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._lock = threading.Lock()
        self._known: dict[WorkspacePath, tuple[FilesStamp, FileLineage]] = {}

    def of(self, path: WorkspacePath) -> FileLineage:
        """Give the records of a file. Raises LedgerUnavailableError."""
        # Taken before the index is asked: what comes meanwhile is read the next time.
        stamp = self._index.stamp()
        with self._lock:
            known = self._known.pop(path, None)
        lineage = None
        if known is not None and _has_only_grown(known[0], stamp):
            lineage = known[1] if known[0] == stamp else gone_on(self._index, path, known[1])
        if lineage is None:
            lineage = file_lineage(self._index, path)
        self._keep(path, stamp, lineage)
        # Whoever asks may add to it what other files' records tell.
        return FileLineage([*lineage.sources], lineage.steps)

    def _keep(self, path: WorkspacePath, stamp: FilesStamp, lineage: FileLineage) -> None:
        with self._lock:
            self._known[path] = (stamp, lineage)
            kept = sum(len(each.sources) for _, each in self._known.values())
            while kept > RECORDS_KEPT and self._known:
                _, gone = self._known.pop(next(iter(self._known)))
                kept -= len(gone.sources)


def _has_only_grown(before: FilesStamp, now: FilesStamp) -> bool:
    """Find out whether every file that was there is there, and at least as long."""
    there: Mapping[str, FileStamp] = {stamp.file: stamp for stamp in now}
    return len(there) == len(before) and all(
        each.file in there
        and there[each.file].identity == each.identity
        and (there[each.file].size > each.size or there[each.file] == each)
        for each in before
    )
