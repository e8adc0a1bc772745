"""The segment that this work tree's records go to, and when another is begun (ledger section 3).

Invariant: used under the ledger's lock alone.
Invariant: a segment that git tracks, or that git took away, is never written again.
"""

import re
import secrets
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.timestamps import timestamp
from intent_lsp.store.fs.files import create_cache_file, read_bytes
from intent_lsp.store.fs.local_dir import PRIVATE_FILE_MODE
from intent_lsp.store.git.tracked import TrackedFiles
from intent_lsp.store.ledger.raw.files import SEGMENT_ROOM, SUFFIX

_NAME: Final = re.compile(rb"(\d{4}-\d\d-\d\d-[0-9a-f]{12}\.jsonl)\n([0-9:]*)\n?")
_DIGITS: Final = 6
_DATE: Final = len("2026-11-21")


class _Begun(NamedTuple):
    """A segment, and the change of git's index that was under way when it was begun."""

    name: str
    change: str


class OwnSegment:
    """Chooses the segment; which one is kept in `.local/`, for all processes of the work tree."""

    def __init__(self, root: Path, local: Path, clock: Callable[[], datetime]) -> None:
        self._root, self._clock = root, clock
        self._kept = local / "segment"
        self._tracked = TrackedFiles(root)

    def file(self) -> WorkspacePath:
        """Give the segment to append to, relative to the root; it may be yet to be made.

        Raises OSError when a new one cannot be kept in mind.
        """
        begun, change = self._begun(), self._tracked.being_changed()
        if begun is not None and self._is_open(begun, change):
            return WorkspacePath(f"{SEGMENT_ROOM}/{begun.name}")
        date = timestamp(self._clock())[:_DATE]
        name = f"{date}-{secrets.token_hex(_DIGITS)}{SUFFIX}"
        create_cache_file(self._kept, f"{name}\n{change}\n".encode(), mode=PRIVATE_FILE_MODE)
        return WorkspacePath(f"{SEGMENT_ROOM}/{name}")

    def _begun(self) -> _Begun | None:
        found = _NAME.fullmatch(read_bytes(self._kept) or b"")
        return None if found is None else _Begun(found[1].decode(), found[2].decode())

    def _is_open(self, begun: _Begun, change: str) -> bool:
        file = WorkspacePath(f"{SEGMENT_ROOM}/{begun.name}")
        # Git may have read it already when it puts it into its index: that is as good as tracked.
        # A change that was forgotten, as by a crash, closes no segment that was begun since.
        if change not in ("", begun.change):
            return False
        return (self._root / file).is_file() and not self._tracked.holds(file)
